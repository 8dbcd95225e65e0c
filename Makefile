# In a fresh clone, two commands do everything: `make repro` and `make test`. Both create .venv.
SHELL := /bin/bash
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# After the packages are installed, no command may use the network: these settings are for DVC, Great Expectations and the Hugging Face Hub.
export DVC_NO_ANALYTICS := 1
export GX_ANALYTICS_ENABLED := false
export HF_HUB_OFFLINE ?= 1
# The row order of `dvc metrics diff` depends on Python's string hashes.
export PYTHONHASHSEED := 0
# If an environment disables bytecode files, every stage compiles our modules again, and every test process all tests.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
FUZZ_SECONDS ?= 60
.PHONY: help setup setup-dev repro verify show test test-slow fuzz check format lock golden readme audit

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

setup:  ## install requirements.lock into .venv: everything that the pipeline needs
	@scripts/setup.sh

setup-dev:  ## the same, and what tests and checks need
	@scripts/setup.sh dev

repro: setup  ## rebuild the data and results that are out of date (STAGE=name for one stage)
	@python -m scripts.repro $(STAGE)

verify: setup  ## read all outputs and their copies in DVC's cache, and remove what is damaged
	@python -m scripts.damage

show: setup  ## print the figures, their changes since the last commit and the report's path; open it on a desktop
	@python -m scripts.show

test: setup-dev  ## run the quick tests (ARGS=... for pytest: a folder, -k words)
	@python -m pytest -m "not slow" --numprocesses 2 --dist loadgroup $(ARGS)

test-slow: setup-dev  ## run the slow tests: full pipelines, kills, clusters, fuzzing
	@python -m pytest -m slow --numprocesses 2 --dist loadgroup $(ARGS)

fuzz: setup-dev  ## fuzz the readers for FUZZ_SECONDS per target (ARGS=... for some targets: pages json)
	@python -c "import atheris" 2>/dev/null || { echo "installing atheris into .venv" >&2; pip install --quiet --constraint requirements.lock "atheris>=3.0"; }
	@python -m tests.fuzz --seconds $(FUZZ_SECONDS) $(ARGS)

check: setup-dev  ## lint and check types, as pre-commit and CI do
	@ruff check . && ruff format --check . && mypy

format: setup-dev  ## let ruff format the code
	@ruff format . && ruff check --fix .

golden: setup-dev  ## rewrite the expected items of the saved pages; review the diff like code
	@GOLDEN=1 python -m pytest tests/crawlers/test_pages.py

readme: setup  ## write the graph and figures into README.md
	@python -m scripts.readme

lock: setup-dev  ## update uv.lock from pyproject.toml, with hashes; write the requirements for pip and the licences
	@scripts/lock.sh --upgrade && scripts/setup.sh dev
	@pip-licenses --with-system --packages $$(sed -n 's/==.*//p' requirements.lock) torch --format csv --no-version --output-file licences.csv

audit: setup-dev  ## check for known vulnerabilities and licences that are not allowed
	@pip-licenses --with-system --packages $$(sed -n 's/==.*//p' requirements-dev.lock) torch >/dev/null
	@pip-audit --strict --disable-pip --require-hashes -r requirements-dev.lock -r requirements-torch.txt
