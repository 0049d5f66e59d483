#!/usr/bin/env python3
"""Compiled remora against hand-written C, NumPy and, where installed, Numba, JAX and Futhark, on the programs in examples/.

  bench.py [--size test|small|large] [--only NAME,NAME..] [--contenders c,numpy,..] [--threads N] [--rounds N] [--runs N]
           [--seconds S] [--limit S] [--by median|min] [--fresh] [--remora COMMAND]
  bench.py --check [--only NAME,NAME..]     only: do the C programs compute what NumPy computes? (part of `make test`)

All contenders of a program take turns, round after round, on the same inputs; results are compared with NumPy's first. A time is
the median over the rounds of the medians of their runs, or with --by min the shortest run of all. Prints Markdown and leaves it in
build/bench with the figures as JSON and a plot as SVG.
"""

import argparse
import concurrent.futures
import json
import os
import platform
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import contenders
import report
import startup
from contenders import BUILD, EXAMPLES, Case, Unable

sys.path.insert(0, str(EXAMPLES))
import common
import worker

NAMES = sorted(path.stem for path in (contenders.HERE / "c").glob("*.c") if (EXAMPLES / path.stem).is_dir())


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def generate(name, size, directory):
    """Writes the example's inputs; their paths, the expected results, and the bytes of both together."""
    module = worker.load(EXAMPLES / name / f"{name}.py")
    arguments = module.generate(module.SIZES[size] if size in module.SIZES else int(size), np.random.default_rng(1))
    results = module.reference(*arguments)
    results = [np.asarray(value) for value in (results if isinstance(results, tuple) else (results,))]
    common.write(Path(directory), "arg", arguments)
    paths = [f"{directory}/arg{number}.npy" for number in range(len(arguments))]
    return paths, results, sum(np.asarray(value).nbytes for value in [*arguments, *results])


def wrong(expected, paths):
    """How results differ from the expected ones, or None."""
    if len(paths) != len(expected):
        return f"{len(paths)} results, expected {len(expected)}"
    problems = [(number, common.difference(want, np.load(path))) for number, (want, path) in enumerate(zip(expected, paths))]
    return "; ".join(f"result {number} {problem}" for number, problem in problems if problem) or None


def compile_every(names):
    """Compiles C programs side by side; the names of those that failed."""
    failed = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, job in {name: pool.submit(contenders.compile_c, name) for name in names}.items():
            try:
                job.result()
            except Unable as problem:
                say(f"{name}: {problem}")
                failed.append(name)
    return failed


def check(options):
    """Compares the C programs with NumPy; the exit status."""
    failed = set(compile_every(options.only))
    for name in options.only:
        for size, threads in [("test", 1), ("small", 1), ("small", 3)]:
            if name in failed:
                break
            with tempfile.TemporaryDirectory() as directory:
                paths, expected, _ = generate(name, size, directory)
                try:
                    problem = wrong(expected, contenders.HandC(Case(name, paths, threads, options)).results(directory))
                except Unable as why:
                    problem = str(why)
            if problem:
                say(f"{name}, size {size}, {threads} threads: {problem}")
                failed.add(name)
    print(f"{len(options.only) - len(failed)} of {len(options.only)} hand-written C programs agree with NumPy")
    return 1 if failed else 0


def start(kinds, case, expected, directory, notes):
    """The contenders that can run a program and compute the right results."""
    able = []
    for kind in kinds:
        contender = None
        try:
            contender = kind(case)
            problem = wrong(expected, contender.results(directory))
            if problem:
                raise Unable(f"wrong results: {problem}")
            able.append(contender)
        except Unable as why:
            if contender:
                contender.close()
            notes.append(f"{kind.title} is left out of `{case.name}`: {why}")
            say("  " + notes[-1])
    return able


def measure(name, kinds, options, notes):
    """The figures of one program: bytes moved at least, and those of each contender."""
    with tempfile.TemporaryDirectory(dir=BUILD) as directory:
        paths, expected, moved = generate(name, options.size, directory)
        able = start(kinds, Case(name, paths, options.threads, options), expected, directory, notes)
        rounds = {contender: [] for contender in able}
        for number in range(options.rounds):
            turn = number % max(len(able), 1)
            for contender in able[turn:] + able[:turn]:
                try:
                    rounds[contender].append(contender.measure(options.runs, options.seconds, options.limit))
                except Unable as why:
                    notes.append(f"{contender.title} failed on `{name}` while it was measured: {why}")
        for contender in able:
            contender.close()
    figures = {}
    for contender, results in rounds.items():
        if len(results) == options.rounds:
            figures[contender.title] = {
                "seconds": min(result["min_seconds"] for result in results)
                if options.by == "min"
                else statistics.median(result["median_seconds"] for result in results),
                "min_seconds": min(result["min_seconds"] for result in results),
                "max_seconds": max(result["max_seconds"] for result in results),
                "runs": sum(result["runs"] for result in results),
                "peak_bytes": max(result.get("peak_bytes") or 0 for result in results) or None,
            }
    return {"bytes": moved, "contenders": figures}


def bandwidth(options):
    """The streaming bandwidth of the machine in bytes per second, or None where it cannot be measured."""
    try:
        run = [str(contenders.compile_c("stream")), "--threads", str(options.threads)]
        return json.loads(contenders.call(run, Case("stream", [], options.threads, options)))
    except Unable as why:
        say(f"stream: {why}")
        return None


def machine(options):
    """What the figures were measured on."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    version = subprocess.run([*contenders.compiler(), "--version"], capture_output=True, text=True).stdout.splitlines()
    return {
        "processor": model,
        "cores": len(os.sched_getaffinity(0)),
        "threads": options.threads,
        "system": platform.platform(),
        "compiler": version[0] if version else "none",
        "flags": " ".join(contenders.FLAGS),
        "numpy": np.__version__,
    }


def bench(options):
    """Measures, prints and writes everything."""
    BUILD.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0]
    notes, kinds = [], []
    for kind in contenders.EVERY:
        if options.contenders and kind.title.lower() not in options.contenders:
            continue
        missing = kind.missing(options)
        if missing:
            notes.append(f"{kind.title}: {missing}")
            say(notes[-1])
        else:
            kinds.append(kind)
    compile_every(["stream", *options.only])
    speeds = [bandwidth(options)]
    programs = {}
    for name in options.only:
        say(name)
        programs[name] = measure(name, kinds, options, notes)
        say("  " + ", ".join(f"{title} {report.time(f['seconds'])}" for title, f in programs[name]["contenders"].items()))
    speeds.append(bandwidth(options))
    found = [speed for speed in speeds if speed]
    stream = {key: max(speed[key] for speed in found) for key in ("copy", "triad")} if found else None
    starts = {}
    if contenders.Remora in kinds:
        say("starting times")
        starts, more = startup.measure(shlex.split(options.remora))
        notes += more
    figures = {
        "machine": {**machine(options), "load": load},
        "size": options.size,
        "by": options.by,
        "rounds": options.rounds,
        "fresh": options.fresh,
        "stream": stream,
        "programs": programs,
        "starts": starts,
        "notes": notes,
    }
    text = report.markdown(figures)
    print(text)
    for ending, content in [("json", json.dumps(figures, indent=1)), ("md", text), ("svg", report.svg(figures))]:
        (BUILD / f"{options.size}.{ending}").write_text(content)
    say(f"written: {BUILD / options.size}.md, .json, .svg")


def names(text):
    found = [name for name in text.split(",") if name] or NAMES
    unknown = [name for name in found if name not in NAMES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no program {', '.join(unknown)}; there are {', '.join(NAMES)}")
    return found


def titles(text):
    known = [kind.title.lower() for kind in contenders.EVERY]
    found = [title for title in text.lower().split(",") if title]
    unknown = [title for title in found if title not in known]
    if unknown:
        raise argparse.ArgumentTypeError(f"no contender {', '.join(unknown)}; there are {', '.join(known)}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--size", default="large")
    parser.add_argument("--only", type=names, default=NAMES)
    parser.add_argument("--contenders", type=titles, default=[])
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=10, help="at least so many runs in a round")
    parser.add_argument("--seconds", type=float, default=1, help="at least so long a round")
    parser.add_argument("--limit", type=float, default=20, help="but no longer than this, if one run is done")
    parser.add_argument("--by", choices=["median", "min"], default="median", help="min is steadier on a machine that is not idle")
    parser.add_argument("--fresh", action="store_true", help="the C programs get fresh pages in every run")
    parser.add_argument("--remora", default=str(contenders.HERE.parent / "target" / "release" / "remora"))
    options = parser.parse_args()
    sys.exit(check(options) if options.check else bench(options))


if __name__ == "__main__":
    main()
