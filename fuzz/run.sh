#!/usr/bin/env bash
# fuzz/run.sh MINUTES TARGET..: runs each target for so many minutes, one after the other, in one process each.
#
# An input that makes a target panic, take longer than 10 seconds or more than 2 GB is written to fuzz/found/ and ends the run of that
# target; the exit code is then 1. Inputs that reach new code are kept in fuzz/target/inputs/ for the next run; `fuzz/run.sh minimise`
# picks the smallest set of them that reaches all of it for fuzz/corpus/, and leaves what is there already.
#
# Needs cargo-fuzz, which is installed if it is missing, and a C++ compiler for libFuzzer. Any toolchain will do.
set -euo pipefail
cd "$(dirname "$0")"

say() { echo "fuzz: $*"; }

command -v cargo > /dev/null || { say "cargo is missing: install Rust (https://rustup.rs)"; exit 1; }
command -v c++ > /dev/null || { say "a C++ compiler is missing: apt-get install g++"; exit 1; }
if ! cargo fuzz --version > /dev/null 2>&1; then
  say "installing cargo-fuzz"
  cargo install cargo-fuzz --locked
fi

# Folders of the repository that hold more inputs for a target.
more() {
  case $1 in
    syntax | format | check) echo ../tests/data/corpus ../tests/data/reports ../stdlib ;;
    core) echo ../tests/data/core ../tests/data/remc ../stdlib/core ../src/ir/core ;;
    rank) echo ../solver-fixtures ;;
    apl) echo ../examples/apl ;;
  esac
}

say "building"
# No sanitizer: the compiler has no unsafe code. Assertions and validators are on.
cargo fuzz build --sanitizer none --codegen-units 16 --fuzz-dir .
binaries=$(dirname "$(ls -t target/*/release/syntax | head -1)")

if [ "${1:-}" = minimise ]; then
  for target in syntax format check core rank data apl; do
    mkdir -p "target/inputs/$target"
    find "target/inputs/$target" -type f -size -3k -print0 | xargs -0 -r -n 200 cp -t "$(mktemp -d "target/small-XXXX")" 2> /dev/null || true
    for small in target/small-*; do
      "$binaries/$target" -merge=1 -rss_limit_mb=2048 -timeout=10 "corpus/$target" "$small" 2> /dev/null
      rm -rf "$small"
    done
    say "$target: $(find "corpus/$target" -type f | wc -l) files, $(du -sb "corpus/$target" | cut -f1) bytes"
  done
  exit 0
fi

minutes=${1:?minutes}
shift
failed=0
mkdir -p found
for target in "$@"; do
  say "$target for $minutes minutes"
  mkdir -p "target/inputs/$target"
  # shellcheck disable=SC2046
  if "$binaries/$target" -max_total_time=$((minutes * 60)) -timeout=10 -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 \
    -artifact_prefix="found/$target-" "target/inputs/$target" "corpus/$target" $(more "$target") > "target/$target.log" 2>&1; then
    say "$target: clean after $(sed -n 's/^stat::number_of_executed_units: *//p' "target/$target.log") inputs"
  else
    failed=1
    say "$target: FAILED, see fuzz/target/$target.log and fuzz/found/"
    grep -E "panicked|ERROR|SUMMARY|Test unit written" -A2 "target/$target.log" | head -12
  fi
done
exit $failed
