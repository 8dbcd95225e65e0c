# Two commands do everything from a fresh clone: `make repro` and `make test`. Both set .venv up by themselves.
SHELL := /bin/bash
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# Nothing here may ask the network once the packages are in: DVC, Great Expectations and the Hugging Face hub are told so.
export DVC_NO_ANALYTICS := 1
export GX_ANALYTICS_ENABLED := false
export HF_HUB_OFFLINE ?= 1
# The order of rows in `dvc metrics diff` follows Python's string hashes.
export PYTHONHASHSEED := 0

.DEFAULT_GOAL := help
.PHONY: help setup repro test test-slow check format lock golden readme

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 18

setup:  ## make .venv what requirements.lock says
	@scripts/setup.sh

repro: setup  ## rebuild data and results, only what changed (STAGE=name for one stage)
	@python -m scripts.repro $(STAGE)

test: setup  ## run the quick tests (ARGS=... for pytest: a folder, -k words)
	@python -m pytest -m "not slow" --numprocesses 2 --dist loadgroup $(ARGS)

test-slow: setup  ## run the long ones: whole pipelines, kills, clusters, fuzzing
	@python -m pytest -m slow --numprocesses 2 --dist loadgroup $(ARGS)

check: setup  ## lint and check types, as pre-commit and CI do
	@ruff check . && ruff format --check . && mypy

format: setup  ## let ruff format the code
	@ruff format . && ruff check --fix .

golden: setup  ## rewrite the expected items beside the saved pages; read the diff like code
	@GOLDEN=1 python -m pytest tests/crawlers/test_pages.py

readme: setup  ## write graph and figures into README.md
	@python -m scripts.readme

lock: setup  ## resolve requirements.lock anew from pyproject.toml
	@scripts/lock.sh
