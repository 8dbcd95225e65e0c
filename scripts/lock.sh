#!/usr/bin/env bash
# Resolve requirements.lock from pyproject.toml, with the hashes of every file of each version. torch and what it brings along differ by
# machine and stay out (requirements-torch.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/uv ] || .venv/bin/pip install --quiet uv
part=$(mktemp)
trap 'rm -f "$part"' EXIT
.venv/bin/uv pip compile --quiet --upgrade --extra dev --generate-hashes --no-header --no-annotate --python-version 3.11.5 \
  --constraint requirements-torch.txt pyproject.toml >"$part"
# A package is the line with its name and the lines with its hashes.
awk '/^[^ ]/ {out = $0 ~ /^(torch|triton|cuda-[a-z]+|nvidia-[a-z0-9-]+)==/} !out' "$part" >requirements.lock
