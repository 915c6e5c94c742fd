# make try    see an answer: installs into .venv and asks why a pod of a bundled example is Pending
# make test   install with the development tools and run all tests
# make lint   style, types and layers
# make generated  write anew what is made from the code: completions, schemas, golden reports
# make clean  remove what these made
#
# Needs Python 3.11, 3.12 or 3.13 with its venv module, and nothing else. Another interpreter or
# another place for it: make test PYTHON=python3.12 VENV=.venv-3.12

PYTHON ?= python3
VENV ?= .venv
EXAMPLE ?= example:pending
TRY ?= why prod/api-7 -f $(EXAMPLE)

export PIP_DISABLE_PIP_VERSION_CHECK = 1

# A stamp per interpreter: another PYTHON makes the environment anew.
made := $(VENV)/.made-by-$(subst /,_,$(PYTHON))
packaging := pyproject.toml kschedx/__init__.py $(wildcard completions/*)

.PHONY: try test lint generated clean
.DELETE_ON_ERROR:

try: $(VENV)/.installed
	@echo '$$ kschedx $(TRY)'
	@$(VENV)/bin/kschedx $(TRY)

test: $(VENV)/.installed-dev
	$(VENV)/bin/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.installed-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

generated: $(VENV)/.installed-dev
	$(VENV)/bin/python -m tests.cli.test_completions
	$(VENV)/bin/python -m tests.render.test_schema
	$(VENV)/bin/python -m pytest -q tests/render tests/cases tests/rollout --update-goldens
	$(VENV)/bin/python -m tests.render.test_screens

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find kschedx tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(made):
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	  || { echo 'kschedx needs Python 3.11, 3.12 or 3.13: make PYTHON=/path/to/python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.installed: $(made) $(packaging)
	@echo 'installing kschedx into $(VENV) ...'
	@$(VENV)/bin/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: $(made) $(packaging)
	@echo 'installing kschedx and its development tools into $(VENV) ...'
	@$(VENV)/bin/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.installed
