#!/usr/bin/env bash
# What needs a CUDA device: the corpus and the examples on it, with NVIDIA's sanitizers on a part of the corpus, and the table of benchmarks.
#   tests/gpu.sh [corpus] [examples] [sanitizer] [bench]     all of them, or some
# Exit status 77 on a machine without a device. REMORA names the program, which is built otherwise; SIZE the size of the benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."

steps=("$@")
[ $# -gt 0 ] || steps=(corpus examples sanitizer bench)
wanted() { [[ " ${steps[*]} " == *" $1 "* ]]; }
step() { echo; echo "== $*"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export REMORA_CACHE=${REMORA_CACHE:-$work/cache}

if [ -z "${REMORA:-}" ]; then
  .ci/setup
  cargo build --release --quiet
fi
remora=$(realpath "${REMORA:-target/release/remora}")

# NVRTC from the system, or from the virtual environment.
nvrtc=$(compgen -G "$PWD/.venv/lib/python3*/site-packages/nvidia/cuda_nvrtc/lib" || true)
[ -z "$nvrtc" ] || export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$nvrtc"

step "a device"
echo 'entry main (xs: []f64) : f64 = f64.sum (xs * xs)' > "$work/probe.rem"
if ! "$remora" run "$work/probe.rem" --backend cuda '[1.0, 2.0, 3.0]' > "$work/out" 2>&1; then
  cat "$work/out"
  if grep -qE 'E080[345]' "$work/out"; then
    echo "no CUDA device here: nothing was run"
    exit 77
  fi
  exit 1
fi
if [ "$(cat "$work/out")" != "14.0f64" ]; then
  echo "1 + 4 + 9 is not"; cat "$work/out"; exit 1
fi
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2> /dev/null || true

# Programs one after the other in each of some processes; each says only what is wrong.
cat > "$work/one" <<END
#!/usr/bin/env bash
if ! out=\$(timeout 600 "$remora" test --backend cuda "\$1" 2>&1); then
  echo "FAILED \$1"; echo "\$out" | head -40; exit 1
fi
END
chmod +x "$work/one"
find tests/corpus examples \( -name '*.rem' -o -name '*.fut' \) | sort > "$work/programs"

if wanted corpus; then
  step "the corpus on the device"
  tr '\n' '\0' < "$work/programs" | xargs -0 -n 1 -P "${JOBS:-4}" "$work/one"
  echo "$(wc -l < "$work/programs") programs, nothing wrong"
fi

if wanted examples; then
  step "the examples against NumPy, size ${CHECK:-small}"
  .venv/bin/python benches/gpu.py --check --size "${CHECK:-small}" --remora "$remora"
fi

if wanted sanitizer; then
  step "NVIDIA's sanitizers"
  if ! command -v compute-sanitizer > /dev/null; then
    echo "compute-sanitizer is not installed (it comes with the CUDA toolkit)"; exit 1
  fi
  # Programs that are known to reach each kind of kernel: examples, and every eighth of the corpus.
  awk '/^examples/ || NR % 8 == 1' "$work/programs" > "$work/part"
  for tool in memcheck racecheck initcheck; do
    while read -r program; do
      if ! timeout 1200 compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 \
        "$remora" test --backend cuda "$program" > "$work/out" 2>&1; then
        echo "$tool: FAILED $program"; tail -n 60 "$work/out"; exit 1
      fi
    done < "$work/part"
    echo "$tool: $(wc -l < "$work/part") programs, nothing found"
  done
fi

if wanted bench; then
  step "benchmarks"
  .venv/bin/python benches/gpu.py --size "${SIZE:-large}" --remora "$remora"
fi
echo
echo "all green"
