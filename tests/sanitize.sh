#!/usr/bin/env bash
# The whole corpus compiled with the address and undefined-behaviour sanitizers, run on several threads; leaks count. Takes the programs to
# run, or runs all. The sanitizers come first in the process: the program that loads what was compiled is not made with them.
set -euo pipefail
cd "$(dirname "$0")/.."

remora=$PWD/target/debug/remora
[ -x "$remora" ] || cargo build --quiet
cc=${CC:-cc}
flags="-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
cache=$PWD/target/tmp/sanitize-cache
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runtime() { "$cc" -print-file-name="$1"; }
preload="$(runtime libasan.so) $(runtime libubsan.so)"
echo 'int main(void) { return 0; }' > "$work/try.c"
# shellcheck disable=SC2086
if ! "$cc" $flags "$work/try.c" -o "$work/try" 2> "$work/why" || ! "$work/try" 2>> "$work/why"; then
  echo "the C compiler has no sanitizers:"; cat "$work/why"; exit 1
fi

# One program with all options; everything it says if something is wrong.
cat > "$work/one" <<END
#!/usr/bin/env bash
export REMORA_CACHE="$cache" REMORA_CFLAGS="$flags"
# The C compiler itself runs without them.
export CC="env -u LD_PRELOAD $cc" LD_PRELOAD="$preload"
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
# What comes from standard input is tested in the process itself, and that looks for leaks at its end; other processes that test files are
# stopped before.
one() {
  case "\$1" in
    *.rem) cd "\$(dirname "\$1")" && "$remora" test --backend cpu --threads \$threads - < "\$(basename "\$1")" ;;
    *) "$remora" test --backend cpu --threads \$threads "\$1" ;;
  esac
}
# With one thread those where memory changes hands; the others take long.
all=7
case "\$1" in tests/data/corpus/traps/* | tests/data/corpus/updates/* | tests/data/corpus/compiled/*) all="1 7" ;; esac
for threads in \$all; do
  if ! out=\$(one "\$1" 2>&1); then
    echo "FAILED \$1 with \$threads threads"; echo "\$out" | head -80; exit 1
  fi
done
END
chmod +x "$work/one"

programs=("$@")
if [ $# = 0 ]; then
  mapfile -t programs < <(find tests/data/corpus examples \( -name '*.rem' -o -name '*.fut' \) ! -name explicit.rem | sort)
fi
printf '%s\0' "${programs[@]}" | xargs -0 -n 1 -P "$(nproc)" "$work/one"

# That the sanitizers were there is worth a look, too.
one=$(find "$cache" -name program.so -print -quit)
if ! grep -q __asan_report "$one" || ! grep -q __ubsan_handle "$one"; then
  echo "$one was made without sanitizers"; exit 1
fi
echo "${#programs[@]} programs, nothing found"
