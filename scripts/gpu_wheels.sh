#!/usr/bin/env bash
# Fetch the wheels that bench/gpu.py needs on a GPU machine without a network, beside its own torch 2.11 and Python 3.12, into FOLDER:
#   scripts/gpu_wheels.sh [FOLDER]
# There, from the root of the repository:
#   python3 -m pip install -q --no-index --no-deps --target /tmp/site .whl/*.whl
#   PYTHONPATH=/tmp/site python3 bench/gpu.py
# Versions and hashes are those of requirements-dev.lock.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-.whl}
packages="transformers peft msgspec lm-eval regex"
pins=$(mktemp)
trap 'rm -f "$pins"' EXIT
# A package is the line with its name and the lines with its hashes.
awk -v packages=" $packages " '/^[^ #]/ {split($0, name, "="); wanted = index(packages, " " name[1] " ")} wanted' requirements-dev.lock >"$pins"
for package in $packages; do
  grep -q "^$package==" "$pins" || { echo "$package is in no lock; expected a line $package==VERSION" >&2; exit 1; }
done
platforms=(--platform manylinux_2_28_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux2014_x86_64)
rm -rf "$folder"
python3 -m pip download --quiet --require-hashes --no-deps --only-binary=:all: --python-version 3.12 --implementation cp \
  "${platforms[@]}" --dest "$folder" --requirement "$pins"
du -ch "$folder"/*.whl
