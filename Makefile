# Everything a person types. `make build` and `make test` work from a clean clone.
SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin
# Most containers set it, and then every process compiles anew all tests that it imports.
unexport PYTHONDONTWRITEBYTECODE
ADAPTER := packages/dbt-sparkpython
DBT := $(BIN)/dbt
DBT_ARGS := --profiles-dir profiles

# Superset needs other versions of many packages, so it has an environment of its own.
SUPERSET := .venv-dashboards
SERVE := $(SUPERSET)/bin/python dashboards/serve.py

.PHONY: build test test-cluster test-connect test-installing test-trino lint-and-pytest check quick-tests quick-tests-of-warehouses adapter lint style types sql docs pictures clean java jars postgres machine-code class-archive
.PHONY: dashboards dashboards-stop dashboards-password dashboards-pictures test-dashboards

build: jars
	@$(BIN)/scuttlehouse build

# Side by side: the tests of the adapter, whose Spark has other settings; and lint, then two processes of the other
# tests (tests/python/conftest.py).
test: $(VENV)/.installed-dev postgres
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line adapter lint-and-pytest

lint-and-pytest: lint
	@$(BIN)/pytest --numprocesses=2 --dist=loadgroup --durations=30

# What one runs before every commit: lint, types, and all tests that need no Spark, Java, PostgreSQL or large input, with
# fewer examples than `make test` (tests/python/examples.py). The tests begin first, in two processes that share no imports
# and no server; the rest follows. dbt parses the project in the tests, for the fixture `manifest`.
QUICK_TESTS := $(BIN)/pytest -m "not spark and not java and not postgresql and not costs" --hypothesis-profile=quick
OF_WAREHOUSES := $(addprefix tests/python/,catalog drawing operation reading replicas serving)

check: $(VENV)/.installed-dev
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target quick-tests quick-tests-of-warehouses style types sql

quick-tests:
	@$(QUICK_TESTS) $(addprefix --ignore=,$(OF_WAREHOUSES))

quick-tests-of-warehouses:
	@$(QUICK_TESTS) $(OF_WAREHOUSES)

# What takes too long for every change: Spark's cluster, PostgreSQL and an S3 server (moto, in an environment of its own).
test-cluster: $(VENV)/.installed-dev $(VENV)/.moto postgres
	@SCUTTLEHOUSE_WAREHOUSE=s3://bucket/house $(BIN)/python -m scuttlehouse.catalog.jars
	@MOTO_PYTHON=$(CURDIR)/$(VENV)/moto/bin/python $(BIN)/pytest tests/cluster

# A Spark Connect server, PostgreSQL, logs in an S3 server, and a client without Java.
test-connect: $(VENV)/.installed-dev $(VENV)/.connect $(VENV)/.moto postgres
	@MOTO_PYTHON=$(CURDIR)/$(VENV)/moto/bin/python CONNECT_PACKAGES=$(CURDIR)/$(VENV)/connect $(BIN)/pytest tests/connect

# The wheels in an empty environment, the project as a package of another one, a warehouse of an earlier commit, and what
# other people's platforms do with the project. Each platform has an environment of its own.
PLATFORMS := airflow dagster openlineage datahub

test-installing: $(VENV)/.installed-dev $(PLATFORMS:%=$(VENV)/.%)
	@PLATFORMS=$(CURDIR)/$(VENV) $(BIN)/pytest tests/installing

$(PLATFORMS:%=$(VENV)/.%): $(VENV)/.%: tests/installing/requirements-%.txt $(VENV)/.installed
	@$(BIN)/python -m venv $(VENV)/$*
	@$(VENV)/$*/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

$(VENV)/.moto: tests/cluster/requirements.txt $(VENV)/.installed
	@$(BIN)/python -m venv $(VENV)/moto
	@$(VENV)/moto/bin/python -m pip install --quiet --disable-pip-version-check -r tests/cluster/requirements.txt
	@touch $@

# Beside the other packages, so that no other test sees them.
$(VENV)/.connect: tests/connect/requirements.txt $(VENV)/.installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(VENV)/connect -r tests/connect/requirements.txt
	@touch $@

# With a server that somebody has unpacked: see the first lines of the test.
test-trino: $(VENV)/.installed-dev postgres
	@$(BIN)/pytest tests/trino

adapter: $(VENV)/.installed-dev
	@$(BIN)/pytest $(ADAPTER)/tests
	@$(BIN)/pytest $(ADAPTER)/suites

lint: style types sql

style: $(VENV)/.installed-dev
	@$(BIN)/ruff check src packages python_models tests benchmarks schedules examples dashboards
	@$(BIN)/ruff format --check src packages python_models tests benchmarks schedules examples dashboards

types: $(VENV)/.installed-dev
	@$(BIN)/mypy

sql: $(VENV)/.installed-dev
	@bash bin/lint-sql $(BIN)/sqlfluff $(VENV)/.clean-sql models macros/{groups,ids,messages,names,tangles,times} tests

# From a built warehouse to its dashboards in a browser; the last line is the address.
dashboards: $(VENV)/.installed $(SUPERSET)/.installed
	@test -e "$${SCUTTLEHOUSE_HOME:-.scuttlehouse}/serving/published.duckdb" || SCUTTLEHOUSE_SERVING= $(BIN)/scuttlehouse export
	@$(SERVE) start

dashboards-stop: $(SUPERSET)/.installed
	@$(SERVE) stop

dashboards-password: $(SUPERSET)/.installed
	@$(SERVE) password

# Two builds of the sample, in a home of their own, as a real browser shows them.
test-dashboards: $(VENV)/.installed-dev $(SUPERSET)/.installed
	@$(SUPERSET)/bin/python tests/browser/test_dashboards.py

# The pictures of the README, from the warehouse of SCUTTLEHOUSE_HOME, whose dashboards are shown.
dashboards-pictures: dashboards
	@$(SUPERSET)/bin/python tests/browser/pictures.py

docs: $(VENV)/.installed
	@$(DBT) docs generate $(DBT_ARGS)
	@echo "The documentation is in target/index.html: $(DBT) docs serve $(DBT_ARGS) shows it."

# The drawings that the README and the docs show, from a warehouse of the sample: run `make build` first.
pictures: $(VENV)/.installed
	@$(BIN)/scuttlehouse draw group EhuUYi --output pictures/group.svg
	@$(BIN)/scuttlehouse draw members YXd87U --output pictures/members.svg
	@$(BIN)/scuttlehouse draw tangle thread:bhJVNp --output pictures/tangle.svg
	@$(BIN)/scuttlehouse draw thread thread:bhJVNp --output pictures/thread.svg

clean:
	rm -rf $(VENV) $(SUPERSET) target logs .scuttlehouse

# The lock has hashes: what is installed is what was tested. All of it is compiled here: where PYTHONDONTWRITEBYTECODE
# is set, as in most containers, every process would compile what it imports anew. A package may have files that this
# Python cannot compile; pip skips them, too.
$(VENV)/.packages: requirements.lock pyproject.toml $(ADAPTER)/pyproject.toml src/scuttlehouse/catalog/jars.txt | java
	@test -x $(BIN)/python || $(or $(PYTHON),python3) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "scuttlehouse needs Python 3.11 or newer: make build PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(or $(PYTHON),python3) -m venv $(VENV)
	@echo "Installing into $(VENV) (a minute or two the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e $(ADAPTER) -e .
	@$(BIN)/python -m compileall -qq -j 2 $(VENV)/lib src $(ADAPTER)/src || true
	@$(BIN)/python -m scuttlehouse.catalog.jars
	@touch $@

$(VENV)/.installed: $(VENV)/.packages
	@echo "Keeping machine code and Spark's classes ready, so that every build starts faster ..."
	@$(MAKE) --no-print-directory --jobs=2 machine-code class-archive
	@touch $@

# Without it, every process of the first build would compile the same functions.
machine-code:
	@$(BIN)/python -m scuttlehouse.machine_code

class-archive:
	@$(BIN)/python -m scuttlehouse.spark.class_archive

$(SUPERSET)/.installed: dashboards/requirements.lock
	@bash dashboards/install $(SUPERSET)

# Only tests and lint need these. The two locks have the same versions, so pip changes nothing that the rest of the
# installation uses meanwhile.
$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.packages
	@echo "Installing what tests need ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements-dev.lock & pip=$$!; \
	$(MAKE) --no-print-directory $(VENV)/.installed; made=$$?; \
	wait $$pip && exit $$made
	@touch $@

java:
	@bash bin/ensure-java

# Fetches what is missing or damaged. Where SCUTTLEHOUSE_JARS names a folder, this only checks the jars in it.
jars: $(VENV)/.installed
	@$(BIN)/python -m scuttlehouse.catalog.jars

# Replicas are tested with a server of their own.
postgres:
	@bash bin/ensure-postgres
