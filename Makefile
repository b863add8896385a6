# Everything from a fresh machine: each target sets up .venv by itself and is quick the second time.
PYTHON ?= python3
BIN := .venv/bin
# OMP_NUM_THREADS=1 below: commands that tests start would otherwise wait for each other's threads on cores that are all busy

# tests save, kill and read again thousands of times: in memory, where there is room, nobody waits for a disk
ROOMY = $(shell test "$$(df -k --output=avail /dev/shm 2> /dev/null | tail -n 1)" -gt 4000000 2> /dev/null && echo /dev/shm)
TESTS = $(if $(ROOMY),TMPDIR=$(ROOMY)) OMP_NUM_THREADS=1

# one state of the code has one folder, so that what goes on after a stop never adds up counts of two
PROOF = build/proof/$(shell git rev-parse --short=12 HEAD 2> /dev/null || echo no-commit)

.PHONY: demo test test-browser proof faults fuzz mutants load test-minimum lint docs paper check-results clean

demo: .venv/core ## the main job on the bundled real graphs
	$(BIN)/lsgnn demo

test: .venv/dev ## all tests but those of the pages in a browser, which test-browser runs
	$(TESTS) $(BIN)/python -m pytest -n 2 --dist worksteal -m "not browser"

test-browser: .venv/dev ## the pages in a real Chromium; says how to get one
	$(TESTS) scripts/with_browser.sh $(BIN)/python -m pytest -m browser tests/report tests/cli/test_serve.py

proof: mutants fuzz faults load test-minimum ## all counts of docs/reliability.md, of one commit; some two hours of a core

faults: .venv/dev ## commands killed, starved and robbed of their disk, hundreds of times; goes on where it was stopped
	RAY_AUTH_MODE=disabled OMP_NUM_THREADS=1 $(BIN)/python -m tests.faults --folder $(PROOF)/faults --record

fuzz: .venv/dev ## damaged files, runs, requests and command lines, over ten thousand of them; goes on where it was stopped
	OMP_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --folder $(PROOF)/fuzz --rounds 15 --record

mutants: .venv/dev ## would a test notice? 160 changes of the source, one at a time; goes on where it was stopped
	OMP_NUM_THREADS=1 $(BIN)/python scripts/mutants.py --folder $(PROOF)/mutants --count 160 --record

load: .venv/dev ## a million nodes, a hundred readers of one run, ten minutes of two searches in one study
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.load --folder $(PROOF)/load --record

test-minimum: ## the tests with the lowest versions that pyproject.toml declares, and no extras, in a venv of their own
	scripts/test_minimum.sh $(PYTHON) $(PROOF)/minimum

lint: .venv/dev ## style, types and what is known to be unsafe
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/bandit -q -c pyproject.toml -r src

docs: .venv/dev ## documentation, warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

SETS := texas wisconsin cornell cornell-fixed chameleon squirrel actor cora citeseer pubmed
RELEASED := paper/results/released
paper: .venv/core ## all tables and pages from paper/results, and before that, on $$LSGNN_DATA, README's numbers that it lacks
	mkdir -p $(RELEASED) $(RELEASED)-torch
	for name in $(SETS); do \
	  test -e $(RELEASED)/$$name.json || $(BIN)/lsgnn evaluate $$name --preset released --engine cpu --out $(RELEASED)/$$name.json; \
	  test -e $(RELEASED)-torch/$$name.json || $(BIN)/lsgnn evaluate $$name --preset released --engine torch --out $(RELEASED)-torch/$$name.json; \
	done
	$(BIN)/python -m paper

check-results: .venv/core ## a random stored unit of every model, computed again and compared
	$(BIN)/python -m paper.scripts.check_results

clean:
	rm -rf .venv dist build demo-output docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -m venv .venv

# pip would compile thousands of files one by one; compileall does it on all cores
INSTALL = $(BIN)/pip install -q --no-compile -c constraints.txt -e
COMPILE = $(BIN)/python -m compileall -qq -j 0 .venv/lib src > /dev/null || true # templates that are no Python are passed over

.venv/core: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) .
	$(COMPILE)
	touch $@

.venv/dev: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) '.[dev]'
	$(COMPILE)
	touch .venv/core $@
