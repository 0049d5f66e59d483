#!/usr/bin/env bash
# What needs a CUDA device, in one go; prints Markdown and leaves it in OUT/report.md (build/gpu).
#
#   tests/gpu.sh [STEP...]   all steps, or some of
#     corpus      the programs of tests/data/corpus and examples against the results that are written in them
#     examples    the examples against NumPy, size CHECK (small)
#     library     a library with arrays of the processor and of the device, called from C
#     python      the Python package with arrays on the device, with CuPy, PyTorch and JAX where installed
#     sanitizer   NVIDIA's compute-sanitizer (TOOLS, default memcheck, racecheck, initcheck) on every PART-th (8th) program
#     bench       bandwidth against a copy on the device, and times against CuPy, JAX and PyTorch where installed, size SIZE (large)
#   tests/gpu.sh pack        puts the program and its libraries into build/gpu/pack, for machines without Rust and without a network
#
# OUT/wrong.txt has what programs print that are wrong; JOBS (4) of them run at a time, those of the corpus for LIMIT (120) seconds at most,
# under the sanitizer for LIMIT (1200).
# Exit status: 0 all green, 1 something is wrong, 77 there is no device. REMORA names the program, which is built otherwise where there is
# cargo; libraries in `lib` beside it are found. Needed besides: a C compiler; NVRTC 12 or newer (from the CUDA toolkit, or the Python
# package); for examples and bench Python with NumPy. What is not there is said in the report.
set -uo pipefail
cd "$(dirname "$0")/.."

out=${OUT:-$PWD/build/gpu}
report=$out/report.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

say() { echo "$*" >&2; }

pack() {
  cargo build --release --quiet || exit 1
  rm -rf "$out/pack" && mkdir -p "$out/pack/lib"
  cp target/release/remora "$out/pack/"
  libraries=$(.ci/solver-libraries) || exit 1
  grep -v '/libz\.so' <<< "$libraries" | while read -r library; do
    cp -L "$library" "$out/pack/lib/"
  done
  # The package, too, for the interpreters that its extension is for (3.10 and newer).
  cargo build --release --quiet -p remora-python || exit 1
  mkdir -p "$out/pack/python" && cp -r python/remora "$out/pack/python/" && rm -rf "$out"/pack/python/remora/{*.so,__pycache__,*/__pycache__}
  cp target/release/lib_remora.so "$out/pack/python/remora/_remora.abi3.so"
  say "there: REMORA=build/gpu/pack/remora tests/gpu.sh"
  du -sh "$out/pack"
}

if [ "${1:-}" = pack ]; then pack; exit; fi
steps=("$@")
[ $# -gt 0 ] || steps=(corpus examples library python sanitizer bench)
for step in "${steps[@]}"; do
  case $step in corpus | examples | library | python | sanitizer | bench) ;; *) say "there is no step $step"; exit 2 ;; esac
done
wanted() { [[ " ${steps[*]} " == *" $1 "* ]]; }

# ---- Is there a device? Nothing is built or installed before that is known.

nodevice() { say "no CUDA device here: nothing was run ($*)"; exit 77; }
folders=$(echo "${LD_LIBRARY_PATH:-}" | tr ':' '\n'; echo /usr/local/nvidia/lib64; echo /usr/lib/wsl/lib)
driver=$({ ldconfig -p 2> /dev/null || /sbin/ldconfig -p 2> /dev/null; } | awk '/libcuda\.so/ { print $NF; exit }')
for folder in $folders; do
  for name in libcuda.so.1 libcuda.so; do
    [ -n "$driver" ] || [ ! -e "$folder/$name" ] || { driver=$folder/$name; export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder"; }
  done
done
[ -n "$driver" ] || [ -n "${REMORA_DEVICE:-}" ] || nodevice "libcuda.so is not found"

# ---- What is needed.

remora=${REMORA:-}
if [ -z "$remora" ] && command -v cargo > /dev/null; then
  cargo build --release --quiet || { say "the program cannot be built (.ci/setup installs what is missing; tests/gpu.sh pack makes it elsewhere)"; exit 1; }
  remora=target/release/remora
fi
[ -n "$remora" ] || { say "there is no cargo here: name the program in REMORA (tests/gpu.sh pack makes it elsewhere)"; exit 1; }
remora=$(realpath "$remora")
library=$(dirname "$remora")/lib
[ ! -d "$library" ] || export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$library"
if ! version=$("$remora" --version 2>&1); then say "$remora does not start: $version"; exit 1; fi
export REMORA_CACHE=${REMORA_CACHE:-$work/cache}
if [ -z "${CC:-}" ] && ! command -v cc > /dev/null; then
  for compiler in gcc clang; do command -v $compiler > /dev/null && export CC=$compiler && break; done
fi
export PATH="$PATH:/usr/local/cuda/bin"

# The Python that has most of what is measured against.
python= most=0
for candidate in .venv/bin/python python3 /opt/*/.venv/bin/python3 /opt/*/bin/python3; do
  count=$("$candidate" -c 'import importlib.util as u; print(bool(u.find_spec("numpy")) * sum(map(bool, map(u.find_spec, ["numpy", "cupy", "jax", "torch"]))))' 2> /dev/null) || continue
  if [ "$count" -gt "$most" ]; then python=$candidate most=$count; fi
done

# NVRTC from the system, or from a Python package.
probe="$work/probe.rem"
echo 'entry main (xs: []f64) : f64 = f64.sum (xs * xs)' > "$probe"
try() { "$remora" run "$probe" --backend cuda '[1.0, 2.0, 3.0]' > "$work/out" 2>&1; }
if ! try && grep -q E0806 "$work/out"; then
  for folder in .venv/lib/python3*/site-packages /opt/*/.venv/lib/python3*/site-packages \
    $("${python:-python3}" -c 'import site; print(*site.getsitepackages(), site.getusersitepackages())' 2> /dev/null); do
    for place in "$folder"/nvidia/cuda_nvrtc/lib "$folder"/nvidia/cu1[2-9]/lib; do
      found=$(compgen -G "$place/libnvrtc.so.1?" | tail -n 1) || continue
      export REMORA_NVRTC=$found LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$place"
      break 2
    done
  done
  try
fi
if ! grep -qx '14.0f64' "$work/out"; then
  cat "$work/out" >&2
  ! grep -qE 'E080[35]' "$work/out" || nodevice "the driver is $driver"
  exit 1
fi

# ---- The report.

status=0
line() { echo "$*" | tee -a "$report"; }
bad() { status=1; line "- **wrong**: $*"; }
: > "$report"
rm -f "$out/wrong.txt"
device=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2> /dev/null | head -n 1)
line "# On a CUDA device"
line
line "| what | |"
line "| --- | --- |"
line "| device | ${device:-unknown} |"
line "| program | $version |"
line "| commit | $(git rev-parse --short HEAD 2> /dev/null || echo unknown) |"
line "| C compiler | $(${CC:-cc} --version 2> /dev/null | head -n 1) |"
line "| Python | ${python:-none with NumPy} |"
line "| date | $(date -u +%F) |"

# Programs that suit a step, one file name in each line: PROGRAMS, or all.
if [ -n "${PROGRAMS:-}" ]; then
  tr ' ' '\n' <<< "$PROGRAMS" > "$work/programs"
else
  find tests/data/corpus examples \( -name '*.rem' -o -name '*.fut' \) | sort > "$work/programs"
fi
cat > "$work/try" <<END
#!/usr/bin/env bash
# WHAT SECONDS WORDS HEAD-OR-TAIL COMMAND.. PROGRAM: a line, and all that it prints in wrong.txt, if the command fails.
what=\$1 seconds=\$2 words=\$3 otherwise=\$4; shift 4
name="\$what\${@: -1}"
# A sanitizer takes it for an error that a program never asks for a device, as those that are refused or not for devices.
if ! out=\$(timeout "\$seconds" "\$@" 2>&1 < /dev/null) && [[ \$out != *" 0 failed"*"before first instrumented API call"* ]]; then
  echo "\$name: \$(echo "\$out" | grep -m 1 -E "\$words" || echo "\$out" | "\$otherwise" -n 1)"
  printf '==== %s\n%s\n' "\$name" "\$(echo "\$out" | head -c 6000)" >> "$out/wrong.txt"
fi
END
chmod +x "$work/try"
# Tries a command with each of the programs that it reads.
tries() { tr '\n' '\0' | xargs -0 -n 1 -P "${JOBS:-4}" "$work/try" "$@" > "$work/wrong" 2>&1; }

if wanted corpus; then
  line; line "## Programs of the corpus and examples against the results written in them"; line
  tries "" "${LIMIT:-120}" 'error|FAILED|failed' head "$remora" test --backend cuda < "$work/programs"
  line "$(wc -l < "$work/programs") programs, $(wc -l < "$work/wrong") wrong."
  while read -r wrong; do bad "$wrong"; done < "$work/wrong"
fi

if wanted examples; then
  line; line "## Examples against NumPy, size ${CHECK:-small}"; line
  if [ -z "$python" ]; then
    line "Not run: no Python with NumPy."
  elif "$python" benches/gpu.py --check --size "${CHECK:-small}" --only "${ONLY:-}" --remora "$remora" > "$work/out" 2> "$work/err"; then
    line "$(cat "$work/out")."
  else
    cat "$work/err" >&2
    while read -r wrong; do bad "$wrong"; done < <(cat "$work/out" <(tail -n 3 "$work/err"))
  fi
fi

if wanted library; then
  line; line "## A library called from C"; line
  here=$PWD
  if (cd "$work" && "$remora" build "$here/tests/data/native/library.rem" --target cuda --lib -o libt.so) > "$work/out" 2>&1; then
    for program in library device; do
      if ${CC:-cc} -std=gnu11 -O1 -pthread -I"$work" -o "$work/$program" "tests/data/native/$program.c" -L"$work" -lt -ldl -Wl,-rpath,"$work" > "$work/out" 2>&1 &&
        timeout 300 "$work/$program" > "$work/out" 2>&1 && grep -qx good "$work/out"; then
        line "- $program.c: good"
      else
        bad "$program.c: $(tail -n 1 "$work/out")"
      fi
    done
  else
    bad "the library is not built: $(head -n 1 "$work/out")"
  fi
  if ! command -v nvcc > /dev/null; then
    line "- nvcc is not installed: the text of the kernels was not given to it"
  elif (cd "$work" && "$remora" build "$here/tests/data/native/library.rem" --target cuda --source -o t && nvcc -fatbin -std=c++17 t.cu) > "$work/out" 2>&1; then
    line "- nvcc takes the text of the kernels"
  else
    bad "nvcc refuses the text of the kernels: $(grep -m 1 error "$work/out" || tail -n 1 "$work/out")"
  fi
fi

if wanted python; then
  line; line "## The Python package"; line
  package=$(dirname "$remora")/python
  [ -d "$package" ] || package=$PWD/python
  if [ -z "$python" ]; then
    line "Not run: no Python with NumPy."
  elif ! PYTHONPATH=$package "$python" -c 'import remora' > "$work/out" 2>&1; then
    line "Not run: there is no package: $(tail -n 1 "$work/out")"
  elif PYTHONPATH=$package timeout 300 "$python" tests/gpu_python.py > "$work/out" 2>&1; then
    while read -r done; do line "- $done"; done < "$work/out"
  else
    bad "the Python package: $(tail -n 1 "$work/out")"
    cat "$work/out" >> "$out/wrong.txt"
  fi
fi

if wanted sanitizer; then
  line; line "## NVIDIA's compute-sanitizer"; line
  # Programs without test blocks start no kernel.
  xargs -d '\n' grep -lE '^-- *==' < "$work/programs" | awk -v part="${PART:-8}" '/^examples/ || NR % part == 1' > "$work/part"
  if ! command -v compute-sanitizer > /dev/null; then
    line "Not run: compute-sanitizer is not installed (it comes with the CUDA toolkit)."
  elif ! timeout 300 compute-sanitizer "$remora" run "$probe" --backend cuda '[1.0, 2.0, 3.0]' > "$work/out" 2>&1 || grep -qi 'not supported' "$work/out"; then
    line "Not run: compute-sanitizer does not work here: $(grep -m 1 -iE 'not supported|error' "$work/out")."
  else
    line "| tool | programs | wrong |"
    line "| --- | ---: | ---: |"
    for tool in ${TOOLS:-memcheck racecheck initcheck}; do
      tries "$tool: " "${LIMIT:-1200}" '=========.*(Invalid|Error|hazard|Uninit|race)' tail compute-sanitizer --tool "$tool" --error-exitcode 9 --print-limit 5 \
        "$remora" test --backend cuda < "$work/part"
      line "| $tool | $(wc -l < "$work/part") | $(wc -l < "$work/wrong") |"
      cat "$work/wrong" >> "$work/all-wrong"
    done
    line
    while read -r wrong; do bad "$wrong"; done < "$work/all-wrong"
  fi
fi

if wanted bench; then
  line; line "## Measurements"; line
  if [ -z "$python" ]; then
    line "Not run: no Python with NumPy."
  # Figures are printed as they come: a time limit leaves them.
  elif ! {
    "$python" -u benches/gpu.py --size "${SIZE:-large}" --only "${ONLY:-}" --remora "$remora" ${BENCH:-} 2>&1 >&3 | tee "$work/err" >&2
  } 3>&1 | sed -u 's/^# /### /' | tee -a "$report"; then
    bad "the measurements: $(tail -n 1 "$work/err")"
  fi
fi

line
if [ $status = 0 ]; then line "All green."; else line "Something is wrong."; fi
exit $status
