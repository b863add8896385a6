"""Structured fuzzing: whatever a file, a run, a request or a command line holds, the answer is right or a sentence.

A sample runs with the other tests; `make fuzz` (`python -m tests.fuzz`) plays many rounds, each with other cases.
"""
