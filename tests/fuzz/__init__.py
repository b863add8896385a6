"""Structured fuzzing: whatever a file, a run, a request or a command line holds, the answer is right or a sentence.

A sample runs with the other tests; `make fuzz` (`python -m tests.fuzz`) runs each test with many times the cases.
"""

TIMES = "LSGNN_FUZZ"  # the variable that says how many times the usual number of cases
