# In a fresh clone, two commands do everything: `make repro` and `make test`. Both create .venv.
SHELL := /bin/bash
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Once the packages are installed, nothing may use the network: these settings are for DVC, Great Expectations and the Hugging Face Hub.
export DVC_NO_ANALYTICS := 1
export GX_ANALYTICS_ENABLED := false
export HF_HUB_OFFLINE ?= 1
# The row order of `dvc metrics diff` depends on Python's string hashes.
export PYTHONHASHSEED := 0
# Some environments disable bytecode files; then every stage would compile our modules again, and every test process all tests.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
FUZZ_SECONDS ?= 60
.PHONY: help setup setup-dev repro verify show test test-slow fuzz check format lock golden readme audit

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

setup:  ## make .venv what requirements.lock says: all that the pipeline needs
	@scripts/setup.sh

setup-dev:  ## the same with what tests and checks need beside
	@scripts/setup.sh dev

repro: setup  ## rebuild data and results, only what changed (STAGE=name for one stage)
	@python -m scripts.repro $(STAGE)

verify: setup  ## read all outputs and their copies in DVC's cache, and remove what is damaged
	@python -m scripts.damage

show: setup  ## print the figures, what moved since the last commit and where the report is; open it where there is a desktop
	@python -m scripts.show

test: setup-dev  ## run the quick tests (ARGS=... for pytest: a folder, -k words)
	@python -m pytest -m "not slow" --numprocesses 2 --dist loadgroup $(ARGS)

test-slow: setup-dev  ## run the long ones: whole pipelines, kills, clusters, fuzzing
	@python -m pytest -m slow --numprocesses 2 --dist loadgroup $(ARGS)

fuzz: setup-dev  ## look for inputs that break what reads them, FUZZ_SECONDS a target (ARGS=... for some: pages json)
	@python -c "import atheris" 2>/dev/null || { echo "installing atheris into .venv" >&2; pip install --quiet --constraint requirements.lock "atheris>=3.0"; }
	@python -m tests.fuzz --seconds $(FUZZ_SECONDS) $(ARGS)

check: setup-dev  ## lint and check types, as pre-commit and CI do
	@ruff check . && ruff format --check . && mypy

format: setup-dev  ## let ruff format the code
	@ruff format . && ruff check --fix .

golden: setup-dev  ## rewrite the expected items beside the saved pages; read the diff like code
	@GOLDEN=1 python -m pytest tests/crawlers/test_pages.py

readme: setup  ## write graph and figures into README.md
	@python -m scripts.readme

lock: setup-dev  ## resolve uv.lock anew from pyproject.toml, with hashes, and write from it what pip takes; list the licences
	@scripts/lock.sh --upgrade && scripts/setup.sh dev
	@pip-licenses --with-system --packages $$(sed -n 's/==.*//p' requirements.lock) torch --format csv --no-version --output-file licences.csv

audit: setup-dev  ## look for known vulnerabilities and licences that are not allowed
	@pip-licenses --with-system --packages $$(sed -n 's/==.*//p' requirements-dev.lock) torch >/dev/null
	@pip-audit --strict --disable-pip --require-hashes -r requirements-dev.lock -r requirements-torch.txt
