"""Faults, as in SQLite's own tests: a command is struck at a chosen moment, judged, and then repeated to its end.

`make faults` runs all of them (`python -m tests.faults --help`), `test_faults.py` a sample. `scenes.py` says which
commands there are and what they write, `strikes.py` what can happen to them, `forked.py` starts and strikes them,
`judging.py` says what must hold afterwards. `service.py` is the same for `lsgnn serve`, whose clients misbehave too.
"""
