#!/usr/bin/env bash
# Resolve requirements.lock (what the pipeline needs) and requirements-dev.lock (what tests and checks add) from pyproject.toml, with the
# hashes of every file of each version. torch and what it brings along differ by machine and stay out (requirements-torch.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/uv ] || .venv/bin/pip install --quiet uv
all=$(mktemp) versions=$(mktemp) run=$(mktemp)
trap 'rm -f "$all" "$versions" "$run"' EXIT
compile() { .venv/bin/uv pip compile --quiet --no-header --no-annotate --python-version 3.11.5 --constraint requirements-torch.txt "$@" pyproject.toml; }
compile --upgrade --extra dev --generate-hashes >"$all"
sed -E '/^ *--hash/d; s/ *\\$//' "$all" >"$versions"
compile --extra tune --constraint "$versions" >"$run"
# A package is the line with its name and the lines with its hashes; `named` counts the packages of the first file.
split() { awk -v wanted="$1" 'NR == FNR {split($0, name, "="); named[name[1]]; next}
  /^[^ ]/ {split($0, name, "="); out = (name[1] in named) != wanted || $0 ~ /^(torch|triton|cuda-[a-z]+|nvidia-[a-z0-9-]+)==/} !out' "$run" "$all"; }
split 1 >requirements.lock
split 0 >requirements-dev.lock
