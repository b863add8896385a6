# Everything from a fresh machine: each target sets up .venv by itself and is quick the second time.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint docs results clean

demo: .venv/core ## the main job on the bundled real graphs
	$(BIN)/lsgnn demo

test: .venv/dev ## all tests
	$(BIN)/python -m pytest -n 2 --dist worksteal

lint: .venv/dev ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: .venv/dev ## documentation, warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build/html

SETS := texas wisconsin cornell cornell-fixed chameleon squirrel actor cora citeseer pubmed
results: .venv/core ## README's numbers, on $$LSGNN_DATA; what results/ already holds is not computed again
	mkdir -p results/released results/released-torch
	for name in $(SETS); do \
	  test -e results/released/$$name.json || $(BIN)/lsgnn evaluate $$name --preset released --engine cpu --out results/released/$$name.json; \
	  test -e results/released-torch/$$name.json || $(BIN)/lsgnn evaluate $$name --preset released --engine torch --out results/released-torch/$$name.json; \
	done
	$(BIN)/python scripts/readme.py

clean:
	rm -rf .venv dist build demo-output docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/core: pyproject.toml constraints.txt | .venv/bin/python
	$(BIN)/pip install -q -c constraints.txt -e .
	touch $@

.venv/dev: .venv/core
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	touch $@
