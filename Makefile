# Everything a person types. `make build` and `make test` work from a clean clone.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
ADAPTER := packages/dbt-sparkpython
DBT := $(BIN)/dbt
DBT_ARGS := --profiles-dir profiles

.PHONY: build test lint-and-pytest check quick-tests adapter lint style types sql parsed docs clean java jars postgres

build: jars
	@$(BIN)/scuttlehouse build

# Side by side: the tests of the adapter, whose Spark has other settings; and lint, then two processes of the other
# tests (tests/python/conftest.py).
test: $(VENV)/.installed postgres
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line adapter lint-and-pytest

lint-and-pytest: lint
	@$(BIN)/pytest --numprocesses=2 --dist=loadgroup --durations=30

# What one runs before every commit: lint, types, and all tests that need no Spark, with fewer examples than `make test`.
# The tests begin first, and the rest runs beside them.
check: $(VENV)/.installed postgres
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target quick-tests style types sql parsed

quick-tests:
	@$(BIN)/pytest -m "not spark" --hypothesis-profile=quick --numprocesses=2 --dist=loadscope

adapter: $(VENV)/.installed
	@$(BIN)/pytest $(ADAPTER)/tests
	@$(BIN)/pytest $(ADAPTER)/suites

lint: style types sql

style: $(VENV)/.installed
	@$(BIN)/ruff check src packages python_models tests benchmarks schedules examples
	@$(BIN)/ruff format --check src packages python_models tests benchmarks schedules examples

types: $(VENV)/.installed
	@$(BIN)/mypy

sql: $(VENV)/.installed
	@$(BIN)/sqlfluff lint models macros/ids macros/tangles tests --disable-progress-bar

parsed: $(VENV)/.installed
	@$(DBT) parse $(DBT_ARGS) --quiet

docs: $(VENV)/.installed
	@$(DBT) docs generate $(DBT_ARGS)
	@echo "The documentation is in target/index.html: $(DBT) docs serve $(DBT_ARGS) shows it."

clean:
	rm -rf $(VENV) target logs .scuttlehouse

# The lock has hashes: what is installed is what was tested. All of it is compiled here: where PYTHONDONTWRITEBYTECODE
# is set, as in most containers, every process would compile what it imports anew.
$(VENV)/.installed: requirements.lock pyproject.toml $(ADAPTER)/pyproject.toml src/scuttlehouse/catalog/jars.txt | java
	@test -x $(BIN)/python || $(or $(PYTHON),python3) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "scuttlehouse needs Python 3.11 or newer: make build PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(or $(PYTHON),python3) -m venv $(VENV)
	@echo "Installing into $(VENV) (a minute or two the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e $(ADAPTER) -e .
	@$(BIN)/python -m compileall -q src $(ADAPTER)/src
	@$(BIN)/python -m scuttlehouse.catalog.jars
	@echo "Keeping Spark's classes ready, so that every build starts faster ..."
	@$(BIN)/python -m scuttlehouse.spark.class_archive
	@touch $@

java:
	@bash bin/ensure-java

# Fetches what is missing or damaged. Where SCUTTLEHOUSE_JARS names a folder, this only checks the jars in it.
jars: $(VENV)/.installed
	@$(BIN)/python -m scuttlehouse.catalog.jars

# Replicas are tested with a server of their own.
postgres:
	@bash bin/ensure-postgres
