#!/usr/bin/env bash
# What two builds of the compiler make of the same programs: a refactoring changes none of it.
#
#   tests/texts.sh OLD NEW [FOLDER..]      OLD and NEW are `remora` programs; default: the corpus, the examples, the benchmarks, the libraries
#
# A folder of generated programs comes from `make torture CASES=5000 STAGES=soac TEXTS=FOLDER`. Compared is what `remora core`, `infer` and
# `dump` print (STAGES, default: soac kernel imp cuda-imp c cuda cuda-host), refusals included. Each difference is named; the exit code is
# 1 if there is one.
set -uo pipefail
old=$(realpath "$1") new=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.." || exit 2
[ $# -gt 0 ] || set -- tests/data/corpus tests/data/reports tests/data/remc examples benches stdlib
export old new stages=${STAGES:-soac kernel imp cuda-imp c cuda cuda-host}

compare() {
  for stage in core infer $stages; do
    case $stage in
      core | infer) words=("$stage") ;;
      *) words=(dump --stage "$stage") ;;
    esac
    cmp -s <("$old" "${words[@]}" "$1" 2>&1) <("$new" "${words[@]}" "$1" 2>&1) || echo "$stage of $1 differs"
  done
}
export -f compare
programs=$(find "$@" -name '*.rem' -o -name '*.fut' -o -name '*.remc' | sort)
found=$(xargs -P "$(nproc)" -d '\n' -I{} bash -c 'compare "$1"' _ {} <<< "$programs")
[ -z "$found" ] || echo "$found"
echo "$(wc -l <<< "$programs") programs, $(grep -c . <<< "$found") differences"
[ -z "$found" ]
