# make demo: sets up everything and compares the bundled evidence. make test: sets up everything and runs the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNNER ?= -m pytest

.PHONY: demo test lint clean

demo: $(VENV)/.demo
	@$(BIN)/python scripts/demo.py

test: $(VENV)/.dev
	@$(BIN)/python $(RUNNER)

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

$(VENV)/.venv:
	@$(PYTHON) -c 'import sys; sys.exit("hubcmp needs Python 3.11 or newer; say which with make PYTHON=python3.12") if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.demo: $(VENV)/.venv pyproject.toml
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.venv pyproject.toml
	@$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

clean:
	rm -rf $(VENV) demo
