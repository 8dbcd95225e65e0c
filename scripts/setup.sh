#!/usr/bin/env bash
# Make .venv what requirements.lock says; `setup.sh dev` takes requirements-dev.lock, which adds what tests and checks need. Does nothing
# when it already is. Needs git, make and Python 3.11.5 or later, up to 3.14. An environment of uv is kept by `uv sync`.
set -euo pipefail
cd "$(dirname "$0")/.."

die() { printf 'error: %s\n' "$*" >&2; exit 2; }

git rev-parse --git-dir >/dev/null 2>&1 ||
  die "this folder is not a git checkout, and DVC needs one. Next: git clone the repository, or here: git init && git add -A && git commit -m import"

files=(requirements.lock requirements-dev.lock requirements-torch.txt pyproject.toml)
stamp=.venv/.ready-$(cat "${files[@]}" | sha256sum | cut -c1-16)
lock=requirements.lock
[ -e "$stamp-dev" ] && exit 0
if [ "${1:-}" = dev ]; then
  lock=requirements-dev.lock stamp+=-dev
elif [ -e "$stamp" ]; then
  exit 0
fi

if grep -qs '^uv = ' .venv/pyvenv.cfg; then
  uv sync --quiet --frozen --inexact --extra gpu --extra tune ${1:+--extra "$1"} || die "uv could not install uv.lock; its message is above. Next: rm -r .venv"
  touch "$stamp"
  exit 0
fi

python=${PYTHON:-}
for name in ${python:-python3.11 python3.12 python3.13 python3.14}; do
  command -v "$name" >/dev/null 2>&1 && python=$name && break
done
command -v "${python:=python3.11}" >/dev/null 2>&1 || die "no $python on PATH. Next: install Python 3.11, or name a later one: make repro PYTHON=/path/to/python3.13"
found=$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') || die "$python does not run"
# Measured: under 3.11.2 some patterns of the cleaning rules match otherwise, so the data would differ; and soupsieve asks for 3.11.5.
[[ $found =~ ^3\.(11\.([5-9]|[1-9][0-9])|1[2-4]\.[0-9]+)$ ]] ||
  die "$python is Python $found; expected 3.11.5 or later, up to 3.14. Next: make repro PYTHON=/path/to/python3.11"

need_mb=3500  # for all; without what tests need, 2,300
free_mb=$(df -Pm . | awk 'NR == 2 {print $4}')
[ "$free_mb" -ge "$need_mb" ] || die "$free_mb MB free on this disk; the environment needs about $need_mb. Next: free some space"

# An environment of another Python, or one whose set-up was killed, is made anew.
[ -x .venv/bin/python ] && [ "$(.venv/bin/python -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null)" = "$found" ] || {
  rm -rf .venv
  "$python" -m venv .venv || die "$python could not make a virtual environment. Next: install its venv module (Debian: python3-venv)"
}

install() {
  .venv/bin/pip install --quiet --disable-pip-version-check "$@" ||
    die "pip could not install ($*); its message is above. Without a way to the package index, set PIP_INDEX_URL or PIP_FIND_LINKS to one that can be reached. Next: run the same command again"
}
echo "set-up: installing the locked packages into .venv (a few minutes, once)" >&2
# The lock names every package with its version and the hashes of its files: nothing is resolved, and no other file is installed.
install --no-deps --require-hashes -r "$lock"
# torch differs by machine (CPU, CUDA): the index chooses its file, which must be one of those in requirements-torch.txt. What a CUDA build
# brings along has the versions that torch names; no hash of it is known here.
torch=$(sed -n -E 's/^torch==([^ ]+).*/\1/p' requirements-torch.txt)
if ! .venv/bin/pip show --disable-pip-version-check torch 2>/dev/null | grep -qE "^Version: $torch(\+|$)"; then
  wheels=.venv/wheels
  rm -rf "$wheels"
  sed -E '/^ *--hash/d; s/ *\\$//' "$lock" >.venv/constraints.txt  # pip takes no constraints with hashes for what has none
  .venv/bin/pip download --quiet --disable-pip-version-check --no-deps --only-binary torch --dest "$wheels" "torch==$torch" ||
    die "pip found no torch $torch. Next: set PIP_INDEX_URL or PIP_FIND_LINKS to an index that has it"
  sum=$(sha256sum "$wheels"/torch-*.whl | cut -d' ' -f1)
  grep -q "sha256:$sum" requirements-torch.txt ||
    die "$(cd "$wheels" && ls) has the sha256 $sum, which requirements-torch.txt does not list. Next: if you trust where it came from, add it there"
  install --constraint .venv/constraints.txt "$wheels"/torch-*.whl
  rm -rf "$wheels"
fi
install --no-deps --no-build-isolation --editable .
broken=$(.venv/bin/pip check --disable-pip-version-check) || die "requirements.lock is not one consistent set: $broken. Next: make lock"
rm -f .venv/.ready-*  # of other files; what the tests need stays installed
touch "$stamp"
