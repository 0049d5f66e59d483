#!/usr/bin/env python3
"""Random sentences: what the compiler prints is compared with the oracle.

  random_programs.py REMORA COUNT [SEED] [-- OPTIONS OF `remora run`]

A sentence that the oracle cannot evaluate, and one that the compiler refuses, is counted and skipped.
"""
import random
import resource
import signal
import subprocess
import sys
import tempfile

import oracle

MONADIC = "+-×|⌈⌊!~⍴≢≡,⍪⍳↑↓⌽⊖⍉⊂⊃∊⍸∪⍋⍒⍕"
DYADIC = "+-×|⌈⌊<≤=≥>≠∧∨⍴,⍪↑↓⌽⊖∊⍳⍸~∩∪≡⌷/\\⌿⊥⊤!⊂⊆⍷"
REDUCED = "+×⌈⌊-∧∨"
RECURSIVE = ["{0=≢⍵:0 ⋄ (≢⍵)+∇1↓⍵}", "{1≥≢⍵:⍵ ⋄ (∇1↓⍵),1↑⍵}", "{1≥≢⍵:⍵ ⋄ h←⌊0.5×≢⍵ ⋄ (∇h↓⍵),∇h↑⍵}", "{⍵≤0:⍵ ⋄ ⍵+∇⍵-2}⍤0", "{1≥≢⍵:⍵ ⋄ (2×1↑⍵)⍪∇1↓⍵}",
             "{⍺←1 ⋄ 1≥≢⍵:⍺ ⋄ ((1+⍺)∇1↓⍵)-≢⍵}", "{2>≢⍵:⍵ ⋄ (∇(⍵<⊃⍵)/⍵),((⍵=⊃⍵)/⍵),∇(⍵>⊃⍵)/⍵}", "{0=≢⍵:1 1⍴7 ⋄ (∇¯1↓⍵)⍪≢⍵}", "{9<⍵:⍵ ⋄ (∇⍵+4)-0.5×∇⍵+5}⍤0"]


def vector(r, low=-3, high=6):
    n = r.randint(0, 5)
    return "⍬" if n == 0 else " ".join(word(r.randint(low, high)) for _ in range(n)) if n > 1 else f"(,{word(r.randint(low, high))})"


def word(n):
    return str(n).replace("-", "¯")


def array(r):
    kind = r.randint(0, 9)
    if kind == 0:
        return word(r.randint(-3, 6))
    if kind == 1:
        return "'" + "".join(r.choice("abc ") for _ in range(r.randint(2, 5))) + "'"
    if kind == 2:
        return f"({' '.join(word(x / 2) for x in (r.randint(-6, 9) for _ in range(r.randint(2, 4))))})".replace(".0", ".5")
    if kind <= 5:
        return f"({r.randint(0, 3)} {r.randint(1, 3)}⍴{vector(r)})"
    if kind == 6:
        return f"({r.randint(1, 2)} {r.randint(1, 3)} {r.randint(1, 3)}⍴⍳{r.randint(1, 9)})"
    if kind == 7:
        return f"({' '.join(r.choice('01') for _ in range(r.randint(2, 5)))})"
    if kind == 8:
        return f"(({vector(r)})>{word(r.randint(-1, 3))})"
    return f"({vector(r)})"


def data(r):
    """An array whose elements the compiler does not know: `d` is a vector that was computed."""
    return r.choice(["d", "(d>3)", "(0.5×d)", "(3 3⍴d)", "m", "(d[⍋d])", "(⌽m)", "(⊃d)", "('abcdefghi'[d])", "((d>4)/d)",
                     "((d>4)⊂d)", "((5|d)⊆d)", "(⍳¨(d>6)/d)", "({⊂⍵}⌸3|d)", "((29⍴d)-4)", "(30⍴0.5×d)",
                     "m[(1 2)(2 3)]", "m[⊂2 1]", "m[{1,3⌊⍵}¨d]", "(⍕0.5×d)", "(6 2⍕d÷7)", "(⍕m÷3)", "(7 1⍕m)", "({2 1⍴⍵}¨(d>6)/d)"])


def function(r, depth):
    kind = r.randint(0, 11)
    if kind <= 2:
        return r.choice(REDUCED) + r.choice("/⌿\\⍀")
    if kind == 3:
        return "{" + sentence(r, depth - 1, ["⍵", "⍵"]) + "}"
    if kind == 4:
        return f"({r.choice(MONADIC)}{r.choice('+-×⌈⌊,=')}{r.choice(MONADIC)})"
    if kind == 5:
        return f"({r.choice('+⌈⌊×')}/⍤1)"
    if kind == 6:
        return r.choice(["⌽¨", "≢¨", "⊃¨", "∪¨", "+/¨", "⍴¨", "-¨", "{⍺,≢⍵}⌸", "{+/⍵}⌸", "{⊂⍵}⌸", "{+/,⍵}⌺3", "{+/,⍵}⌺2", "{⍺}⌺(2 1⍴3 2)", ",/", "⊃,/",
                         "⊃⍪/", "⊃+/", "{⍺⍪⍵}/"])
    if kind == 7:
        return f"({r.choice('2 3 ¯2'.split())}{r.choice('+-⌈')}/⊢)"
    if kind == 8:
        return r.choice(RECURSIVE)
    return r.choice(MONADIC)


def dyadic(r):
    kind = r.randint(0, 9)
    if kind == 9:
        return f"{r.choice('+-×⌈≤|')}[{r.choice(['1', '2', '1 2', '2 3', '1 3'])}]"
    if kind == 0:
        return f"∘.{r.choice('+-×=<⌈')}"
    if kind == 1:
        return f"{r.choice('+⌈∨∧')}.{r.choice('×+=-')}"
    if kind == 2:
        return r.choice("+-×=,↑⍴") + "¨"
    if kind == 3:
        return r.choice("-,↓⌽") + "⍨"
    if kind == 4:
        return f"({r.choice('+-×,')}⍤{r.choice(['0 1', '1', '1 0'])})"
    return r.choice(DYADIC)


def sentence(r, depth, names):
    if depth <= 0:
        return r.choice(names) if names and r.random() < 0.7 else array(r) if r.random() < 0.6 else data(r)
    if r.random() < 0.5:
        return f"{function(r, depth)} {sentence(r, depth - 1, names)}"
    left = sentence(r, r.randint(0, depth - 1), names)
    return f"({left}){dyadic(r)} {sentence(r, depth - 1, names)}"


class TooLong(Exception):
    pass


def too_long(*_):
    raise TooLong


def evaluated(program):
    """What the oracle prints, if it can evaluate the program in some seconds and in four gigabytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, hard))
    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(5)
    try:
        return oracle.Apl().run(program)
    except (Exception, MemoryError):
        return None
    finally:
        signal.alarm(0)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def main():
    remora, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 and sys.argv[3] != "--" else 1
    options = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else ["--backend", "interp"]
    r = random.Random(seed)
    same = refused = skipped = failed = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/case.apl"
        while same + refused < count:
            program = "d←(?7⍴1)+9|37×⍳7\nm←2 3⍴d\n" + sentence(r, r.randint(1, 4), []) + "\n"
            want = evaluated(program)
            if want is None:
                skipped += 1
                continue
            open(path, "w", encoding="utf-8").write(program)
            run = subprocess.run([remora, "run", path, *options], capture_output=True, text=True, timeout=300)
            if run.returncode == 0 and run.stdout == want:
                same += 1
            elif "error[E10" in run.stderr or "error[E0503]" in run.stderr and "[1]" in run.stderr:
                # The second: a length that is 1 by accident does not extend (docs/apl.md).
                refused += 1
            else:
                failed += 1
                wrong.append((program, want, run.stdout + run.stderr))
                print(f"{program}wanted\n{want}got\n{(run.stdout + run.stderr)[:600]}")
                if failed >= 40:
                    break
    print(f"seed {seed}: {same} agree, {refused} refused, {failed} differ, {skipped} that the oracle cannot evaluate")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
