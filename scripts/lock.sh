#!/usr/bin/env bash
# pyproject.toml -> uv.lock, and from it for pip: requirements.lock (what the pipeline needs) and requirements-dev.lock (with tests and checks).
# torch and what it brings along differ by machine and stay out (requirements-torch.txt).
set -euo pipefail
cd "$(dirname "$0")/.."
[ -x .venv/bin/uv ] || .venv/bin/pip install --quiet uv
.venv/bin/uv lock "$@"
for lock in "requirements.lock tune" "requirements-dev.lock dev"; do
  .venv/bin/uv export --quiet --frozen --no-header --no-annotate --no-emit-project --prune torch --extra "${lock#* }" |
    sed -E "s/ (;|and) implementation_name == 'cpython' and platform_python_implementation == 'CPython' and sys_platform == 'linux'//" >"${lock% *}"
done
