# Everything runs from .venv, which `make setup` builds from the locked requirements.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 2024
QUICK := -q -n 2 --dist loadgroup -m "not slow and not soak" --hypothesis-profile quick tests/architecture tests/unit
# Tests start hundreds of processes; without bytecode on disk each would compile the package, and each worker all tests.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup dev run check test test-all test-office test-later lint types imports docs lock soak promises bench eval clean
help:
	@echo "make run     set up, start the assistant on 127.0.0.1:$(PORT) with the sample mailbox, show what waits for review"
	@echo "make check   lint, types, import rules and the fast tests, in about a minute"
	@echo "make test    the same with every contract over each workflow and a walk of each surface"
	@echo "make test-all  all tests: servers, browsers, kills, PostgreSQL, the stand-ins for Google"
	@echo "make test-office  everything of ours on two workers of a stand-in for LangGraph's Agent Server, with kills, half an hour"
	@echo "make test-later  what make check tests, contracts and graphs too, 40 and 400 days on (needs faketime) and in other zones"
	@echo "make setup   build .venv only      make soak   crash runs, whole matrices      make bench  the benchmarks"
	@echo "make promises  each promise of the table is broken on a copy, and its test must notice (nightly, half an hour)"
	@echo "make eval    the scorecard without a key: eval/report/summary.md"
	@echo "make docs    write the pages that are made from the code: settings, langgraph.json, pictures"
	@echo "make lock    renew the locked requirements (needs uv)                  make clean  remove .venv"

# Without --no-deps pip looks for newer releases of what has extras (langsmith[otel]) beside the locked ones, and refuses them.
$(VENV)/.runtime: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "email_assistant needs Python 3.11 or newer; run make PYTHON=/path/to/python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked requirements into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.runtime

dev: $(VENV)/.dev

run: setup
	@$(BIN)/email-assistant run --port $(PORT)

lint: dev
	$(BIN)/ruff check src tests eval docs/generate
	$(BIN)/ruff format --check src tests eval docs/generate

types: dev
	$(BIN)/mypy

imports: dev
	$(BIN)/lint-imports

# Everything but what starts a server, a browser or a database server, or takes seconds: tests/support/selection.py.
check: lint types imports
	$(BIN)/pytest $(QUICK) tests/contract/test_broken_promises.py

# mypy is one of its tests.
test: lint imports
	$(BIN)/pytest -n 2 --dist loadgroup -m "not whole and not soak"

# What is left: servers, browsers, kills, other programs, the suites' own tests; three at once, since they wait for one another a lot.
test-all: test
	$(BIN)/pytest -n 3 --dist loadgroup -m "whole and not soak"

# What `make check` tests, every contract and the graphs, on other days, in other zones.
test-later: dev
	@for when in "40 Pacific/Auckland" "400 America/Los_Angeles"; do set -- $$when; \
	  if command -v faketime > /dev/null; then later="faketime -f +$$1d"; echo "in $$1 days, in $$2"; \
	  else later=; echo "NOT TESTED in $$1 days: faketime is missing (Debian's package of that name); today, in $$2"; fi; \
	  TZ=$$2 $$later $(BIN)/pytest $(QUICK) tests/contract tests/graphs tests/property || exit 1; done

# The Agent Server's stand-in: two workers, PostgreSQL, Redis, kills.
test-office: dev
	$(BIN)/pytest -n 1 -m "" -p no:randomly tests/e2e/engine

docs: dev
	$(BIN)/python -m docs.generate

lock:
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --extra build --extra local --extra microsoft pyproject.toml -o requirements.lock
	cat requirements.lock requirements-dev.lock > requirements-all.lock
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate --extra build --extra local --extra microsoft --extra dev pyproject.toml -c requirements.lock -o requirements-all.lock
	@# For developing more packages are needed; those of requirements.lock are not locked twice.
	awk 'FNR == NR { if (/^[^ ]/) known[$$0]; next } /^[^ ]/ { more = !($$0 in known) } more' requirements.lock requirements-all.lock > requirements-dev.lock
	@# An image brings langgraph-api and what that needs. No hashes: one would be asked of all that it installs.
	echo langgraph-api | uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate -c requirements.lock - -o requirements-all.lock
	uv pip compile --quiet --universal --python-version 3.11 --no-emit-index-url --no-header --no-annotate --extra microsoft pyproject.toml -c requirements.lock -o requirements-image.txt
	awk -F'[=; ]' 'FNR == NR { known[$$1]; next } !($$1 in known)' requirements-all.lock requirements-image.txt > requirements-more.lock
	mv requirements-more.lock requirements-image.txt
	rm requirements-all.lock

clean:
	rm -rf $(VENV)

# For one suite: make eval SUITE=triage
eval: dev
	$(BIN)/python -m eval $(if $(SUITE),--suite $(SUITE))

bench: dev
	$(BIN)/python -m eval.bench

# Every row of tests/contract/broken_promises.toml, and nothing else.
promises: dev
	$(BIN)/pytest -q -m soak -n 2 -p no:randomly tests/contract/test_broken_promises.py

soak: dev
	$(BIN)/pytest -m soak -p no:randomly
	$(BIN)/pytest -m "hypothesis and not soak" --hypothesis-profile whole --timeout 1800
