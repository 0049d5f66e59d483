#!/usr/bin/env bash
# Runs a program on a photograph: shows what was inserted, writes a picture.
set -euo pipefail
cd "$(dirname "$0")/.."

remora=${REMORA:-target/release/remora}
program=examples/demo/demo.rem
out=build/demo.png
mkdir -p build

echo "$program turns a photograph into a cartoon. It has no loop and no map. Two of its functions, as they are written:"
echo
sed -n '/^def luminance/p; /^entry main/,$p' "$program"
echo
echo "and the whole program with everything that was left out:"
echo
"$remora" infer "$program"
echo
"$remora" run "$program" examples/demo/astronaut.png -o "$out"
echo "examples/demo/astronaut.png became $out"
echo
echo "What next? export PATH=\$PWD/target/release:\$PATH, and write a program of your own: docs/guide/first-ten-minutes.md"
