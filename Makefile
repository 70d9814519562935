# Every target creates the virtual environment it needs: `make bench` and `make test` work in a fresh clone.
PYTHON ?= python3
BIN := .venv/bin
PIP := -m pip install --quiet --disable-pip-version-check
# What a user needs; and what tests, checks and measurements need as well.
INSTALLED := .venv/.installed
INSTALLED_ALL := .venv/.installed-all

.DEFAULT_GOAL := help
.PHONY: help bench test strength slow check format install docs dist clean

help: ## list all targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# What an installation compiles, and what it makes the script of the pages from.
BUILT := hatch_build.py scripts/page_bundle.py $(wildcard src/molt_bench/kernels/*.[ch]) $(wildcard src/molt_bench/plugins/view/static/*.js)

$(INSTALLED): pyproject.toml src/molt_bench/_version.py $(BUILT)
	$(PYTHON) -m venv .venv
	$(BIN)/python $(PIP) --no-compile --editable .
	@touch $@

$(INSTALLED_ALL): $(INSTALLED)
	$(BIN)/python $(PIP) --editable '.[dev]'
	@touch $@

bench: $(INSTALLED) ## run the benchmark with default settings
	$(BIN)/molt-bench

# Some tests spend their time waiting, so run one more at once than there are cores; each process has to load all tests.
TESTERS = $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 2) + 1)')

# Programs that tests start find their code compiled, even where Python is told to leave no compiled files behind.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(INSTALLED_ALL) ## run the tests, about four minutes on two cores
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal -m 'not slow'

strength: $(INSTALLED_ALL) ## measure what a local best response wins from resolver in seven games, an hour or more
	$(BIN)/python research/strength.py --agent resolver --decks 16

slow: $(INSTALLED_ALL) ## run one suite of slow tests, with what it needs: make slow SUITE=models; alone, list them
	@$(BIN)/python scripts/slow_suites.py $(SUITE)

# Deno checks the scripts of the pages. They run in a browser, so `window` is fine; async marks what returns a promise.
SCRIPTS := src/molt_bench/plugins/view/static/*.js
export DENO_NO_UPDATE_CHECK := 1

check: $(INSTALLED_ALL) ## check lint, formatting, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/deno lint --quiet --rules-exclude=no-window,no-window-prefix,require-await $(SCRIPTS)
	$(BIN)/deno fmt --quiet --line-width 120 --check $(SCRIPTS)
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py tests/test_contributing.py
	@$(BIN)/python scripts/house_size.py

format: $(INSTALLED_ALL) ## format the code, and write docs/reference/glossary.md anew
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python scripts/glossary.py
	$(BIN)/deno fmt --quiet --line-width 120 $(SCRIPTS)

# Packages that are large, or that would change what other tests find, have environments of their own.
PACKAGES_adapters := --editable '.[dev,envs,inspect]' pandas polars
PACKAGES_browser := --editable '.[dev,view]' playwright axe-playwright-python
PACKAGES_dist := cffconvert hatchling twine
PACKAGES_docs := --editable '.[dev]' 'mkdocs-material>=9.7,<10' 'mkdocs>=1.6,<2' 'mkdocstrings[python]>=1,<2' playwright
PACKAGES_engines := --editable . -r benchmarks/requirements.txt
PACKAGES_mcp := --editable '.[dev,mcp]'
PACKAGES_ray := --editable '.[dev,ray]'
PACKAGES_smollm := 'xllamacpp>=2026.10'
# One MCP client comes from npm; without npm, its tests are skipped. The browser is Debian's chromium, or one that is there.
THEN_mcp := npm install --silent --no-save --prefix .venv-mcp @modelcontextprotocol/sdk || true
THEN_browser := command -v chromium chromium-browser google-chrome >/dev/null \
	|| { apt-get update --quiet && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; } \
	|| { echo "this needs chromium: install it, then try again"; exit 1; }

.venv-%/.installed: pyproject.toml src/molt_bench/_version.py benchmarks/requirements.txt
	$(if $(PACKAGES_$*),,$(error there is no environment "$*": $(sort $(patsubst PACKAGES_%,%,$(filter PACKAGES_%,$(.VARIABLES))))))
	$(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python $(PIP) $(PACKAGES_$*)
	$(THEN_$*)
	@touch $@

install: $(if $(FOR),.venv-$(FOR)/.installed,$(INSTALLED_ALL)) ## make .venv for tests and measurements; FOR=browser makes .venv-browser, and so on
	@:

docs: .venv-docs/.installed ## build the docs as a site in site/, and check it, about two minutes
	.venv-docs/bin/python scripts/docs_site.py build/docs
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	.venv-docs/bin/python -m pytest -q -m slow tests/docs_site

dist: .venv-dist/.installed ## build sdist and wheels with SBOM and hashes, twice, and use the wheel on every Python at hand; nothing is uploaded
	.venv-dist/bin/python scripts/dist.py

clean: ## remove everything the targets created
	rm -rf .venv .venv-* site dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
