"""`python -m lsgnn` is the `lsgnn` command."""

from lsgnn.cli.main import run

run()
