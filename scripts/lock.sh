#!/usr/bin/env bash
# Resolve requirements.lock from pyproject.toml. torch and what it brings along differ by machine and stay out (requirements-torch.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/pip-compile ] || .venv/bin/pip install --quiet pip-tools
.venv/bin/pip-compile --quiet --upgrade --extra dev --allow-unsafe --strip-extras --no-header --no-annotate \
  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --constraint requirements-torch.txt \
  --output-file requirements.lock pyproject.toml
sed -i -E '/^(torch|triton|cuda-[a-z]+|nvidia-[a-z0-9-]+)==/d' requirements.lock
