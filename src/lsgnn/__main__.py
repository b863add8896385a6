"""`python -m lsgnn` is the `lsgnn` command."""

from lsgnn.cli.start import run

run()
