# Every target creates the virtual environment it needs: `make bench` and `make test` work in a fresh clone.
PYTHON ?= python3
BIN := .venv/bin
# What a user needs; and what tests, checks and measurements need beside it.
INSTALLED := .venv/.installed
INSTALLED_ALL := .venv/.installed-all

.DEFAULT_GOAL := help
.PHONY: help bench test check format oracle benchmark calibration efficiency games blueprint-speed test-blueprint scale pipeline pipeline-full viewing fresh-clone linear million figures throughput live-load real-llm test-cheats test-models test-long test-docs test-live test-ray test-mcp test-adapters test-browser test-exports test-kernels wheel fuzz luck card-values strength tables blueprint docs dist test-containers clean

help: ## list all targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# The C files of the kernels, which an installation compiles.
KERNELS := hatch_build.py $(wildcard src/molt_bench/kernels/*.[ch])

$(INSTALLED): pyproject.toml src/molt_bench/_version.py $(KERNELS)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	@touch $@

$(INSTALLED_ALL): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

bench: $(INSTALLED) ## run the benchmark with default settings
	$(BIN)/molt-bench

# Some tests spend their time waiting, so run one more at once than there are cores; each process has to load all tests.
TESTERS = $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 2) + 1)')

# Programs that tests start find their code compiled, also where Python is told to leave no compiled files behind.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(INSTALLED_ALL) ## run the tests, about six minutes on two cores
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal -m 'not slow'

# Deno checks the scripts of the pages. They run in a browser, so `window` is fine; async marks what returns a promise.
SCRIPTS := src/molt_bench/view/static/*.js src/molt_bench/serve/static/*.js
export DENO_NO_UPDATE_CHECK := 1

check: $(INSTALLED_ALL) ## check lint, formatting, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/deno lint --quiet --rules-exclude=no-window,no-window-prefix,require-await $(SCRIPTS)
	$(BIN)/deno fmt --quiet --line-width 120 --check $(SCRIPTS)
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py

format: $(INSTALLED_ALL) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/deno fmt --quiet --line-width 120 $(SCRIPTS)

test-live: $(INSTALLED_ALL) ## play 200 live games with clients of every bad habit, about two minutes
	$(BIN)/python -m pytest -n auto -m slow tests/serve

# Each cheat, the folders of strangers, edited files, false policies, and programs that kill or stay.
CHEATS := $(addprefix tests/e2e/test_,cheats.py hostile_folder.py edited_artifacts.py false_policies.py suspicion.py) tests/luck/test_policy_test.py tests/bench/test_false_alarms.py tests/agents/external

test-cheats: $(INSTALLED_ALL) ## check that cheating agents, hostile run folders, edited files and false policies gain nothing or are named, and honest agents are not, about half an hour
	$(BIN)/python -m pytest -n auto -m slow $(CHEATS)

test-models: $(INSTALLED_ALL) ## run the slow language model tests, about five minutes
	$(BIN)/python -m pytest -n auto -m slow tests/agents/llm tests/agents/test_bugs.py tests/e2e/test_llm_*.py

test-long: $(INSTALLED_ALL) ## run the slow tests of whole runs: acceptance, kills, secrecy, executors, about five minutes
	$(BIN)/python -m pytest -n auto -m slow tests/e2e tests/agents/test_scripted.py -k 'not llm and not ray and not cheats and not hostile and not edited and not false_policies and not suspicion'

test-docs: $(INSTALLED_ALL) ## run every command shown in the docs, in an empty environment, too, about three minutes
	$(BIN)/python -m pytest -n auto -m slow tests/test_docs.py tests/e2e/test_compare.py tests/e2e/test_ci_gate.py tests/cli

test-containers: $(INSTALLED_ALL) ## run the steps of the Dockerfile without a daemon, and play at its live server, about a minute
	$(BIN)/python -m pytest -m slow tests/test_containers.py

# Ray is large, so it gets its own environment.
.venv-ray/.installed: pyproject.toml src/molt_bench/_version.py
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,ray]'
	@touch $@

test-ray: .venv-ray/.installed ## run games on a local Ray cluster and compare the results, about two minutes
	.venv-ray/bin/python -m pytest -m slow tests/e2e/test_ray.py tests/test_docs.py -k ray

# MCP brings packages of its own, and one client comes from npm; without npm, its tests are skipped.
.venv-mcp/.installed: pyproject.toml src/molt_bench/_version.py
	$(PYTHON) -m venv .venv-mcp
	.venv-mcp/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,mcp]'
	-npm install --silent --no-save --prefix .venv-mcp @modelcontextprotocol/sdk
	@touch $@

test-mcp: .venv-mcp/.installed ## have the official MCP clients play a game, about two minutes
	.venv-mcp/bin/python -m pytest -n auto tests/serve/test_mcp.py

# The other projects that adapters speak to, in an environment of their own.
.venv-adapters/.installed: pyproject.toml src/molt_bench/_version.py
	$(PYTHON) -m venv .venv-adapters
	.venv-adapters/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,envs,inspect]' ipykernel nbclient pandas polars
	@touch $@

test-adapters: .venv-adapters/.installed ## have PettingZoo and inspect play, and run the tutorial notebook, about three minutes
	.venv-adapters/bin/python -m pytest -n auto tests/adapters tests/test_docs.py -k 'adapters or integrations'

# The pages in a real browser: Debian's chromium, with its driver in a separate environment.
.venv-browser/.installed: pyproject.toml src/molt_bench/_version.py
	$(PYTHON) -m venv .venv-browser
	.venv-browser/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,view]' playwright axe-playwright-python
	@touch $@

test-browser: .venv-browser/.installed ## open every viewer page in Chromium, about five minutes
	@command -v chromium chromium-browser google-chrome >/dev/null || { apt-get update --quiet && apt-get install --yes --no-install-recommends chromium fonts-dejavu-core; } \
		|| { echo "test-browser needs chromium: install it, then try again"; exit 1; }
	.venv-browser/bin/python -m pytest -m slow tests/browser

test-blueprint: $(INSTALLED_ALL) ## check a million decisions and 100,000 draws of the blueprint, about ten minutes on two cores
	$(BIN)/python -m pytest -n auto -m slow tests/agents/blueprint

test-exports: $(INSTALLED_ALL) ## read 5,000 exported hands back with PokerKit, about a minute
	$(BIN)/python -m pytest -n auto -m slow tests/report

fuzz: $(INSTALLED_ALL) ## run every command on odd configs and damaged journals, about five minutes on two cores
	$(BIN)/python -m pytest -n auto tests/fuzz

oracle: $(INSTALLED_ALL) ## play a million random hands against PokerKit, about 20 minutes on two cores
	$(BIN)/python -m pytest -n auto -m slow tests/poker

# The tests that say whether cards, hands and luck are right, over both ways: compiled and in pure Python.
test-kernels: $(INSTALLED_ALL) ## compare runs of every kind with and without kernels, and run the tests of cards and luck without
	$(BIN)/python -m pytest -n auto tests/kernels
	MOLT_BENCH_PURE=1 $(BIN)/python -m pytest -n auto -m 'not slow' tests/kernels tests/poker tests/luck tests/agents/test_scripted.py tests/bench/test_match_margins.py

# The wheel of this platform, with the kernels in it, tried in an environment that has nothing else.
wheel: ## build the wheel with compiled kernels into dist/, and try it in a fresh environment, about a minute
	rm -rf build/wheel && $(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel/made .
	build/wheel/bin/python -m pip install --quiet --disable-pip-version-check build/wheel/made/*.whl
	cd build/wheel && bin/python -c 'from molt_bench.kernels import compiled; assert compiled, "the wheel has no kernels: is there a C compiler?"'
	cd build/wheel && bin/python ../../tests/kernels/golden_runs.py five cap > compiled.txt
	cd build/wheel && MOLT_BENCH_PURE=1 bin/python ../../tests/kernels/golden_runs.py five cap > pure.txt
	cmp build/wheel/compiled.txt build/wheel/pure.txt
	mkdir -p dist && cp build/wheel/made/*.whl dist/ && ls dist/*.whl

luck: $(INSTALLED_ALL) ## measure what removing luck saves and test it for bias, about ten minutes
	$(BIN)/python benchmarks/luck.py
	$(BIN)/python benchmarks/logprobs.py
	$(BIN)/python -m pytest -n auto -m slow tests/luck

card-values: $(INSTALLED_ALL) ## measure the blueprint's values as the card term of other agents, about 15 minutes
	$(BIN)/python benchmarks/card_values.py

strength: $(INSTALLED_ALL) ## measure how strong blueprint is and what it saves as a reference, some hours on two cores
	$(BIN)/python benchmarks/strength.py

tables: $(INSTALLED_ALL) ## rebuild the strength and equity tables, about three minutes
	$(BIN)/python scripts/build_tables.py
	$(BIN)/python scripts/build_preflop.py

# Continues where it was stopped. CORES and MINUTES can be set; the package's table took 16 cores and seven minutes.
CORES ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() or 2)')
MINUTES ?= 120

blueprint: $(INSTALLED_ALL) ## train the blueprint's table anew, which needs cc, about two hours on two cores
	$(BIN)/python scripts/blueprint/build.py --threads $(CORES) --minutes $(MINUTES) --note '{"cores": $(CORES), "minutes": $(MINUTES)}'

# The other engines get their own environment, so their dependencies never end up in ours.
.venv-benchmark/.installed: pyproject.toml benchmarks/requirements.txt
	$(PYTHON) -m venv .venv-benchmark
	.venv-benchmark/bin/python -m pip install --quiet --disable-pip-version-check --editable . -r benchmarks/requirements.txt
	@touch $@

benchmark: .venv-benchmark/.installed ## measure speed alongside other engines, with and without kernels
	.venv-benchmark/bin/python benchmarks/engine.py
	MOLT_BENCH_PURE=1 .venv-benchmark/bin/python benchmarks/engine.py --short
	.venv-benchmark/bin/python -W ignore benchmarks/envs.py
	.venv-benchmark/bin/python benchmarks/rows.py

calibration: $(INSTALLED_ALL) ## measure whether 95% sure is right 95% of the time, about 15 minutes
	$(BIN)/python benchmarks/calibration.py

efficiency: $(INSTALLED_ALL) ## measure how many hands a confident ranking takes, about 20 minutes
	$(BIN)/python benchmarks/efficiency.py

games: $(INSTALLED_ALL) ## measure the best game length and the effect of warm-up hands, about five minutes
	$(BIN)/python benchmarks/games.py

grades: $(INSTALLED_ALL) ## measure the grade of decisions beside winnings, about ten minutes on two cores
	$(BIN)/python benchmarks/grades.py

scale: $(INSTALLED_ALL) ## measure the speedup from worker processes, about five minutes
	$(BIN)/python benchmarks/scale.py

blueprint-speed: $(INSTALLED_ALL) ## measure how long a decision of the blueprint takes
	$(BIN)/python benchmarks/blueprint_speed.py

pipeline: $(INSTALLED_ALL) ## measure what surrounds the games, with and without kernels, some minutes
	$(BIN)/python benchmarks/pipeline.py
	MOLT_BENCH_PURE=1 $(BIN)/python benchmarks/pipeline.py --twins
	$(BIN)/python benchmarks/rows.py

fresh-clone: $(INSTALLED_ALL) ## measure make bench in a fresh clone, part by part
	$(BIN)/python benchmarks/fresh_clone.py

viewing: .venv-browser/.installed ## measure how fast the pages of a run of 100,000 hands are there, in Chromium, about two minutes
	.venv-browser/bin/python benchmarks/viewing.py

linear: $(INSTALLED_ALL) ## measure 100 participants and 5,000 matches, and draw the figure in the docs, some minutes
	$(BIN)/python benchmarks/linear.py

million: $(INSTALLED_ALL) ## play a million hands of five bots on all cores, and the same games bare: minutes, or an hour on busy cores
	$(BIN)/python benchmarks/million.py

pipeline-full: fresh-clone linear million pipeline ## all of these

figures: $(INSTALLED_ALL) ## write the figures measured last, all in one table, into README.md
	$(BIN)/python benchmarks/rows.py --readme

live-load: $(INSTALLED_ALL) ## measure the live server with 100 agents and 50 games at once, about a minute
	$(BIN)/python benchmarks/live.py

throughput: $(INSTALLED_ALL) ## measure 500 concurrent language model games, about two minutes
	$(BIN)/python benchmarks/llm.py

# The docs as a site, in an environment of its own. Its pages are looked at in chromium, if that is there.
.venv-docs/.installed: pyproject.toml src/molt_bench/_version.py
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]' 'mkdocs-material>=9.7,<10' 'mkdocs>=1.6,<2' 'mkdocstrings[python]>=1,<2' playwright
	@touch $@

docs: .venv-docs/.installed ## build the docs as a site in site/, and check it, about two minutes
	.venv-docs/bin/python scripts/docs_site.py build/docs
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	.venv-docs/bin/python -m pytest -q -m slow tests/docs_site

# What a release needs, in an environment of its own. Nothing is uploaded.
.venv-dist/.installed:
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/python -m pip install --quiet --disable-pip-version-check build cffconvert twine
	@touch $@

dist: .venv-dist/.installed ## build sdist and wheel, check them, and use the wheel on every Python at hand, about two minutes
	.venv-dist/bin/python scripts/dist.py

# A real model on the CPU, served from its own environment.
.venv-smollm/.installed:
	$(PYTHON) -m venv .venv-smollm
	.venv-smollm/bin/python -m pip install --quiet --disable-pip-version-check 'xllamacpp>=2026.10'
	@touch $@

real-llm: $(INSTALLED_ALL) .venv-smollm/.installed ## benchmark a small real model on this machine against the bots
	.venv-smollm/bin/python scripts/serve_smollm.py --port 8011 --run -- \
		$(BIN)/molt-bench --config docs/examples/smollm.yaml

clean: ## remove everything the targets created
	rm -rf .venv .venv-benchmark .venv-ray .venv-smollm .venv-browser .venv-mcp .venv-adapters .venv-docs .venv-dist site dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
