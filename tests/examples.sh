#!/usr/bin/env bash
# Compares every example with NumPy at size `test`. NAME.py has two commands: `generate DIR` writes the arguments
# DIR/arg0.npy, DIR/arg1.npy, .., and `compare DIR FILE..` compares the results with NumPy's.
# Usage: tests/examples.sh [NAME...]      REMORA=path and PYTHON=path choose the programs.
set -euo pipefail
cd "$(dirname "$0")/.."

remora=${REMORA:-target/debug/remora}
python=${PYTHON:-.venv/bin/python}
[ -x "$remora" ] || { echo "examples: $remora is missing: run make test"; exit 1; }
"$python" -c 'import numpy' || { echo "examples: $python has no NumPy: run make setup"; exit 1; }

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for program in examples/*/*.rem; do
    name=$(basename "$(dirname "$program")")
    if [ "$(basename "$program" .rem)" = "$name" ]; then names+=("$name"); fi
  done
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=()
for name in "${names[@]}"; do
  dir=$work/$name
  mkdir -p "$dir"
  if "$python" "examples/$name/$name.py" generate "$dir" > "$dir/log" 2>&1 \
    && "$remora" run "examples/$name/$name.rem" -e "$name" $(ls "$dir"/arg*.npy | sort -V) -o "$dir/result.npy" >> "$dir/log" 2>&1 \
    && "$python" "examples/$name/$name.py" compare "$dir" $(ls "$dir"/result*.npy | sort -V) >> "$dir/log" 2>&1; then
    passed=$((passed + 1))
    echo "examples: $name equals NumPy"
  else
    failed+=("$name")
    echo "examples: $name FAILED"
    sed 's/^/    /' "$dir/log"
  fi
done
echo "examples: $passed passed, ${#failed[@]} failed"
[ ${#failed[@]} -eq 0 ] && [ "$passed" -gt 0 ]
