#!/usr/bin/env bash
# Runs a program on a photograph: shows what was inserted, writes a picture.
set -euo pipefail
cd "$(dirname "$0")/.."

remora=${REMORA:-target/release/remora}
out=build/demo.png
mkdir -p build

echo "examples/demo/demo.rem turns a photograph into a cartoon. It has no loop and no map;"
echo "with everything that was left out it reads:"
echo
"$remora" infer examples/demo/demo.rem
echo
"$remora" run examples/demo/demo.rem examples/demo/astronaut.png -o "$out"
echo "examples/demo/astronaut.png became $out"
