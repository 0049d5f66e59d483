#!/usr/bin/env python3
"""Prints how long checking takes and how much memory, on generated programs. Needs only Python's standard library.

  benches/check.py [REMORA]      medians of several runs of `remora check`; rank analysis as `remora infer` reports it
"""
import json, os, statistics, subprocess, sys, tempfile, time

REMORA = sys.argv[1] if len(sys.argv) > 1 else "target/release/remora"


def annotated(lines):
    """Ordinary annotated code: definitions of five lines that use each other."""
    out = []
    for i in range(lines // 5):
        out.append(f"def step{i} [n] (a: [n]f64) (b: [n]f64) (s: f64) : [n]f64 =")
        out.append("  let c = a * s + b")
        out.append("  let d = f64.sqrt (c * c + 1)")
        out.append(f"  let e = f64.sum d / f64.i64 n" if i == 0 else f"  let e = f64.sum (step{i - 1} d c s) / f64.i64 n")
        out.append("  in map (\\x -> if x > e then x - e else 0) d")
    return "\n".join(out) + "\n"


def applications(count):
    """One definition with `count` arithmetic applications, ranks annotated."""
    out = ["def f [n] (a: [n]f64) (s: f64) : [n]f64 =", "  let x0 : [n]f64 = a"]
    for i in range(count // 2):
        out.append(f"  let x{i + 1} : [n]f64 = x{i} * s + {'a' if i % 2 else 's'}")
    return "\n".join(out) + f"\n  in x{count // 2}\n"


def lambdas(count):
    """The same with a quarter of the lets binding lambdas that are used at several ranks."""
    out = ["def f [n] (a: [n]f64) (s: f64) : [n]f64 =", "  let x0 = a", "  let s0 = s"]
    done, i = 0, 0
    while done < count:
        out.append(f"  let g{i} = \\p q -> p * q + {i % 7}")
        out.append(f"  let s{i + 1} = g{i} s{i} s")
        out.append(f"  let x{i + 1} = g{i} x{i} s{i + 1}")
        out.append(f"  let y{i} = x{i + 1} * a + s{i}")
        done, i = done + 6, i + 1
    return "\n".join(out) + f"\n  in x{i} + y{i - 1}\n"


def choices(count):
    """One definition with `count` independent choices of two readings each."""
    lets = [f"  let c{i} = i64.sum (length xss)" for i in range(count)]
    return "\n".join(["def f (xss: [][]i64) ="] + lets + [f"  in c{count - 1}"]) + "\n"


def literal(count):
    return "def f = [" + ", ".join(f"{i}.5" for i in range(count)) + "]\n"


CASES = [  # name, program, what `check` may take, what rank analysis may take
    ("empty file", "", "10 ms", ""),
    ("300 lines", annotated(300), "30 ms", "10%"),
    ("10,000 lines", annotated(10_000), "", "10%"),
    ("100,000 lines", annotated(100_000), "10 x the line above", "10%"),
    ("5,000 applications, ranks annotated", applications(5_000), "", "100 ms"),
    ("5,000 applications, lambdas at several ranks", lambdas(5_000), "", "2 s"),
    ("400 choices of two readings", choices(400), "1 s", ""),
    ("array literal of 100,000 elements", literal(100_000), "200 ms", ""),
]


def once(command):
    """Seconds, peak memory in MB and exit code of a command; its standard output."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return seconds, usage.ru_maxrss / 1024, process.returncode, out.read()


def main():
    if not os.access(REMORA, os.X_OK):
        sys.exit(f"{REMORA} is missing: cargo build --release")
    print(f"{'program':46} {'check':>10} {'allowed':>20} {'memory':>9} {'ranks':>18} {'allowed':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name, program, limit, rank_limit in CASES:
            path = os.path.join(folder, "program.rem")
            with open(path, "w") as file:
                file.write(program)
            first = once([REMORA, "check", path])
            runs = [first] + [once([REMORA, "check", path]) for _ in range(2 if first[0] > 2 else 10)]
            seconds, memory = statistics.median(r[0] for r in runs), max(r[1] for r in runs)
            ranks = ""
            _, _, code, text = once([REMORA, "infer", "--format", "json", path])
            if code == 0:
                times = json.loads(text)["stats"]["milliseconds"]
                share = times["rank"] / max(sum(times.values()), 1e-9)
                ranks = f"{times['rank']:.1f} ms ({100 * share:.0f}%)"
            refused = "" if first[2] == 0 else " (refused)"
            print(f"{name + refused:46} {seconds * 1000:7.1f} ms {limit:>20} {memory:6.0f} MB {ranks:>18} {rank_limit:>8}", flush=True)


if __name__ == "__main__":
    main()
