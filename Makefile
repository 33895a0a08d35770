# make demo   a graph drawn, run and explained (quick; no Jupyter needed)
# make test   every check, in order, stopping at the first that fails
# make lab    JupyterLab on the tour
# The other targets are listed in CONTRIBUTING.md.

VENV ?= .venv
JOBS ?= 2
# A Python of your own choice: make test PYTHON=/usr/local/bin/python3.13
PYTHON ?=

BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
RUNS := import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))
NBVAL := --nbval --nbval-current-env --nbval-cell-timeout=60 --nbval-sanitize-with=notebooks/sanitize.cfg \
	-p no:cacheprovider

# A cell behaves the same whatever IPython profile the user keeps at home.
unit nbval notebooks golden: export IPYTHONDIR := $(CURDIR)/$(VENV)/ipython

# One line that stands out: what runs now, and what it proves.
stage = @printf '\n==> %s\n' "$(1)"

.PHONY: demo test lab test-long golden notebooks lint layers types unit doctests conformance nbval other-pythons \
	format clean
.NOTPARALLEL:
.DELETE_ON_ERROR:

demo: $(VENV)/.runtime
	$(BIN)/graphnb demo

test: lint layers types unit doctests conformance nbval
	@printf '\nmake test: every check passed. Tests that were skipped are named above (SKIPPED), each with its reason.\n'

lab: $(VENV)/.dev
	@if [ "$$(id -u)" = 0 ]; then root=--allow-root; else root=; fi; \
	$(BIN)/python -m jupyterlab $$root notebooks/01-tour.ipynb

# --- the checks ------------------------------------------------------------------------------------------------------

lint: $(VENV)/.dev
	$(call stage,lint: ruff finds no fault and every file is formatted)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

layers: $(VENV)/.dev
	$(call stage,layers: imports go downwards and the core stays pure)
	$(BIN)/lint-imports --no-logo

types: $(VENV)/.dev
	$(call stage,types: mypy --strict on graphnb)
	$(BIN)/python -m mypy

unit: $(VENV)/.dev
	$(call stage,tests: with every branch of state graph trace store engine covered)
	$(BIN)/python -m pytest tests -rs -n $(JOBS) --dist loadfile --cov --cov-report=term $(LONG)

doctests: $(VENV)/.dev
	$(call stage,doctests: the examples in docstrings print what they say)
	$(BIN)/python -m pytest --doctest-modules graphnb -rs

conformance: $(VENV)/.dev
	$(call stage,conformance: the cases in conformance/ hold)
	$(BIN)/graphnb conformance conformance

nbval: $(VENV)/.dev
	$(call stage,notebooks: stored outputs are what the cells give (PYTHONHASHSEED=0))
	PYTHONHASHSEED=0 $(BIN)/python -m pytest notebooks -rs $(NBVAL)
	$(call stage,notebooks: the same under another hash seed (PYTHONHASHSEED=1))
	PYTHONHASHSEED=1 $(BIN)/python -m pytest notebooks -rs $(NBVAL)

# Every check with the long tests and more examples per property, then the tests on each other Python found here.
test-long: LONG := --long
test-long: test other-pythons

other-pythons: $(VENV)/.dev
	@have=$$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	for version in 3.11 3.12 3.13; do \
		if [ "$$version" = "$$have" ]; then continue; fi; \
		found=; \
		for candidate in "python$$version" "$$HOME"/.pyenv/versions/"$$version".*/bin/python; do \
			if "$$candidate" -c '$(RUNS)' >/dev/null 2>&1; then found=$$candidate; break; fi; \
		done; \
		if [ -z "$$found" ]; then printf '\n==> Python %s was not found: not tested\n' "$$version"; continue; fi; \
		printf '\n==> Python %s: tests doctests conformance notebooks\n' "$$version"; \
		$(MAKE) VENV=".venv-$$version" PYTHON="$$found" unit doctests conformance nbval || exit 1; \
	done

# --- what is written anew on purpose ---------------------------------------------------------------------------------

golden: $(VENV)/.dev
	$(BIN)/python -m pytest tests -q --update-golden

notebooks: $(VENV)/.dev
	$(BIN)/python tools/notebooks.py

format: $(VENV)/.dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

# --- the environment -------------------------------------------------------------------------------------------------

$(VENV)/.runtime: $(VENV)/.made pyproject.toml constraints.txt
	@printf '==> installing graphnb into %s\n' "$(VENV)"
	@$(INSTALL) --editable '.[draw]' || { \
		printf '%s\n' 'That failed with graphviz-pure, which draws without the dot program. Trying without it.'; \
		$(INSTALL) --editable .; }
	@touch $@

$(VENV)/.dev: $(VENV)/.made pyproject.toml constraints.txt
	@printf '==> installing graphnb and its development tools into %s (a minute or two)\n' "$(VENV)"
	@$(INSTALL) --editable '.[dev]'
	@touch $(VENV)/.runtime $@

# A name on the PATH may be a stand-in for a Python that is not there, so each candidate is run. An environment that
# is there and works is kept.
$(VENV)/.made:
	@if $(BIN)/python -c 'import pip; $(RUNS)' >/dev/null 2>&1; then touch $@; exit 0; fi; \
	found=; \
	if [ -n "$(PYTHON)" ]; then set -- "$(PYTHON)"; else set -- python3.11 python3.12 python3.13 python3; fi; \
	for candidate in "$$@"; do \
		if "$$candidate" -c '$(RUNS)' >/dev/null 2>&1; then found=$$candidate; break; fi; \
	done; \
	if [ -z "$$found" ]; then \
		printf '%s\n' \
			"No Python 3.11 or newer with venv and pip was found. Tried: $$*" \
			'On Debian and Ubuntu: apt-get install python3 python3-venv' \
			'If you have one elsewhere, name it: make demo PYTHON=/path/to/python3' >&2; \
		exit 1; \
	fi; \
	printf '==> making %s with %s\n' "$(VENV)" "$$("$$found" -c 'import sys; print(sys.executable, sys.version.split()[0])')"; \
	"$$found" -m venv --clear $(VENV) && touch $@

clean:
	rm -rf .venv .venv-3.* .coverage .coverage.* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache \
		build dist
	find graphnb tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
