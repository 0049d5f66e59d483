#!/usr/bin/env bash
# Fits a curve to measurements by its gradient: shows the parameters, writes a picture.
set -euo pipefail
cd "$(dirname "$0")/.."

remora=${REMORA:-target/release/remora}
out=build/fit.png
steps=200
mkdir -p build

echo "examples/fit/fit.rem fits amplitude, decay, frequency, phase and offset of an oscillation to the"
echo "points in examples/fit/measured.txt, by $steps steps along the gradient. They become, with the mean"
echo "of the squared errors below:"
echo
"$remora" run examples/fit/fit.rem -e fit examples/fit/measured.txt "$steps"
"$remora" run examples/fit/fit.rem -e picture examples/fit/measured.txt "$steps" -o "$out"
echo
echo "$out has the curves of the steps, from light to dark, and how the error falls"
