#!/bin/sh
# Tests the C compilers of this machine: the loops of the suite (src/cli/native/suite) and the corpus, with each that is found.
#
#   tests/compilers.sh [COMPILER..]      default: cc, gcc-10 to gcc-15 and clang-11 to clang-19, and gcc and clang, those that there are
#
# REMORA names the program (default: target/debug/remora), CORPUS what is tested (default: tests/data/corpus/compiled and tests/data/corpus/scalars).
# For each compiler a line: whether the suite is content with the fastest options, and how many tests passed. The exit code is 1 if a test failed.
cd "$(dirname "$0")/.." || exit 1
remora=${REMORA:-target/debug/remora}
corpus=${CORPUS:-tests/data/corpus/compiled tests/data/corpus/scalars}
if [ $# -eq 0 ]; then
  set -- cc gcc clang
  for number in 10 11 12 13 14 15; do set -- "$@" "gcc-$number"; done
  for number in 11 12 13 14 15 16 17 18 19; do set -- "$@" "clang-$number"; done
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf 'entry main (n: i64) : i64 = i64.sum (iota n * 2)\n' > "$work/a.rem"
failed=0
for cc; do
  command -v "$cc" > /dev/null || continue
  said=$("$cc" --version | head -n 1)
  CC=$cc REMORA_CACHE=$work/$cc "$remora" run "$work/a.rem" --backend cpu 10 > "$work/out" 2> "$work/err" || failed=1
  suite=good
  grep -q 'was tested' "$work/err" && suite=$(grep 'was tested' "$work/err" | sed 's/.* was tested: //')
  # shellcheck disable=SC2086
  CC=$cc REMORA_CACHE=$work/$cc "$remora" test $corpus --backend cpu > "$work/out" 2> "$work/err" || failed=1
  echo "$cc ($said): suite: $suite; corpus: $(tail -n 1 "$work/out")"
  grep '^FAILED' "$work/out"
  grep 'fails with' "$work/err" | sed 's/^/  /'
done
exit $failed
