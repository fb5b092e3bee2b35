# What one does with this project. Needs git, make and Python 3.11 or newer; everything else comes
# from the lock file into .venv. "make" alone lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.complete
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV := uv==0.13.9
SBOM := cyclonedx-bom==7.5.0
AUDIT := pip-audit==2.10.1
ARGS ?=
# The tests start Python hundreds of times: what was compiled once is kept, whatever the shell says.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo model test check matrix chaos bench docs pictures lock sbom audit venv

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/'

demo: $(STAMP) ## show Cairn work on a GitHub of its own (KEEP=1: stay up for a browser; KILL=1: survive a kill -9)
	@$(BIN)/cairn demo $(if $(KEEP),--keep) $(if $(KILL),--kill) $(ARGS)

model: $(STAMP) ## answer the quick start's two tasks without a key, until Ctrl-C (it prints OPENAI_BASE_URL; PORT=8765)
	@$(BIN)/python -m tests.model_server --script docs/quick-start.yaml --port $(or $(PORT),8765)

test: $(STAMP) ## run the tests (ARGS=--long: the long ones too); what is skipped is listed with its reason
	@echo "== pytest"
	@$(PYTEST) $(ARGS)

matrix: $(STAMP) ## run every test with all cases of every matrix (CI runs a fifth of them, another one for each commit)
	@echo "== pytest, with every case of every matrix"
	@$(PYTEST) --long --matrix $(ARGS)

check: $(STAMP) ## run everything that must be right before a merge: style, types, imports, tests
	@echo "== ruff format" && $(BIN)/ruff format --check .
	@echo "== ruff check" && $(BIN)/ruff check .
	@echo "== mypy" && $(BIN)/mypy
	@echo "== import contracts" && $(BIN)/lint-imports
	@echo "== pytest, the loop by its own tests: at least 90 % of its branches (lines: $(BIN)/coverage report)"
	@$(PYTEST) tests/runner --cov --cov-report= $(ARGS); loop=$$?; \
	    echo "== pytest, the rest" && $(PYTEST) --ignore tests/runner $(ARGS) && exit $$loop

chaos: $(STAMP) ## let people do 300 things at will to ten tasks, processes die, and strangers attack (CHAOS_SEED="1 2", CHAOS_EVENTS=300)
	@CHAOS_EVENTS=$${CHAOS_EVENTS:-300} $(PYTEST) --long tests/scenarios/test_chaos.py $(ARGS)
	@CHAOS_RUNS=30 CHAOS_AWAY=30 $(PYTEST) --long --matrix tests/scenarios/test_workers.py $(ARGS)
	@echo "== the attacks of docs/developers/threat-model.md"
	@$(PYTEST) --long --matrix $$(grep -oE '`[a-z_/0-9]+\.py::[a-z_0-9]+`' docs/developers/threat-model.md | \
	    tr -d '`' | sort -u | sed 's,^,tests/,') $(ARGS)

bench: $(STAMP) ## measure (no tests, no time limits)
	@$(BIN)/python -m bench $(ARGS)

docs: $(STAMP) ## regenerate the parts of the documentation that come from the code
	@$(BIN)/python -m tools.docs

pictures: $(STAMP) ## retake the pictures of docs/images from real runs (needs Chromium and Docker)
	@$(BIN)/python -m tools.pictures

# The locks name every package with the hashes of its files, and no index. ARGS=--upgrade takes
# newer versions; without it only what pyproject.toml asks for changes.
lock: $(BIN)/python ## rewrite the lock files from pyproject.toml
	@echo "== locking"
	@$(BIN)/python -m pip install --quiet $(UV)
	@$(BIN)/uv pip compile pyproject.toml --extra notify --extra otel --quiet --universal --python-version 3.11 \
	    --generate-hashes --no-header --no-annotate $(ARGS) -o requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --group dev --all-extras --quiet --universal --python-version 3.11 \
	    --generate-hashes --no-header --no-annotate $(ARGS) -o requirements-dev.lock

sbom: $(BIN)/python ## write what Cairn is made of (CycloneDX) into build/: requirements.lock, and Debian's part of IMAGE
	@mkdir -p build && $(BIN)/python -m pip install --quiet $(UV)
	@$(BIN)/uv tool run --quiet --from $(SBOM) cyclonedx-py requirements requirements.lock \
	    --pyproject pyproject.toml --output-reproducible -o build/cairn.cdx.json
	@echo build/cairn.cdx.json
	@[ -z "$(IMAGE)" ] || { $(BIN)/python -m tools.image_sbom $(IMAGE) build/image.cdx.json && echo build/image.cdx.json; }

audit: $(BIN)/python ## ask the package index for known vulnerabilities of what requirements.lock names
	@$(BIN)/python -m pip install --quiet $(UV)
	@$(BIN)/uv tool run --quiet --from $(AUDIT) pip-audit --requirement requirements.lock --no-deps --disable-pip

venv: $(STAMP) ## create .venv for work on Cairn, from requirements-dev.lock

$(STAMP): requirements-dev.lock pyproject.toml | $(BIN)/python
	@echo "== installing the packages of requirements-dev.lock, each checked by its hash (about a minute)"
	@$(PIP) --no-deps --require-hashes -r requirements-dev.lock
	@echo "== installing cairn itself, so that $(BIN)/cairn is there"
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    found=$$($(PYTHON) --version 2>/dev/null); \
	    echo "Python 3.11 or newer is needed, and $(PYTHON) is $${found:-not there}."; \
	    echo "Install it, or name it: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo "Python's venv module is not complete."; \
	    echo "On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "== creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)
