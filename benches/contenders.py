"""What bench.py measures: each contender runs one program on given inputs and reports times, as `remora bench --json` does.

A contender is made for one program (a `Case`) and has
  measure(runs, seconds, limit)   a dictionary with runs, median_seconds, min_seconds, max_seconds and, where known, peak_bytes
  results(directory)              the paths of its results as .npy files
  close()
It raises `Unable` when it cannot run the program.
"""

import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "peers"))
import futhark_values

EXAMPLES = HERE.parent / "examples"
BUILD = HERE.parent / "build" / "bench"

# -O3 and -march=native: vectorised for this machine. -ffast-math: sums may be reordered, which is what lets them use vector
# registers, and exp, log, sin, cos and log1p come from libmvec, glibc's vector math library. A program that cannot have that says
# so in its first line (`flags: ...`). -mprefer-vector-width=512: gcc would use half of AVX-512's registers.
FLAGS = ["-std=gnu11", "-O3", "-march=native", "-mprefer-vector-width=512", "-fopenmp", "-ffast-math", "-Wall", "-Wextra"]


class Unable(Exception):
    """A contender cannot run a program; the reason."""


class Case:
    """A program with its inputs, and how it is to be run."""

    def __init__(self, name, arguments, threads, options):
        self.name, self.arguments, self.threads, self.options = name, arguments, threads, options

    def environment(self):
        """Environment variables that bound the number of threads of every contender."""
        count = str(self.threads)
        names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]
        return {**os.environ, **{name: count for name in names}}

    def confine(self):
        """Lets this process and its children run on as many processors as there are threads (JAX has no other switch)."""
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, allowed[: self.threads])


def tail(text):
    """The last lines of what a program said."""
    return " / ".join(text.strip().splitlines()[-3:]) or "no message"


def call(command, case, **more):
    """Runs a command to its end and returns its standard output."""
    run = subprocess.run(command, capture_output=True, text=True, env=case.environment(), preexec_fn=case.confine, **more)
    if run.returncode != 0:
        raise Unable(tail(run.stderr) if run.stderr else f"exit status {run.returncode}")
    return run.stdout


def compiler():
    return shlex.split(os.environ.get("CC", "cc"))


def compile_c(name):
    """The path of the compiled program benches/c/NAME.c, compiled anew when it is older than its source."""
    sources = [HERE / "c" / f"{name}.c"] + ([] if name == "stream" else [HERE / "c" / "common.c"])
    program = BUILD / "c" / name
    inputs = [*sources, HERE / "c" / "bench.h", Path(__file__)]
    if program.exists() and program.stat().st_mtime > max(path.stat().st_mtime for path in inputs):
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    own = re.search(r"flags: (.*)", sources[0].read_text())
    more = own.group(1).split() if own else []
    flags = [flag for flag in FLAGS if flag != "-mprefer-vector-width=512" or os.uname().machine == "x86_64"]
    partial = program.with_suffix(".new")
    command = [*compiler(), *flags, *more, *map(str, sources), "-o", str(partial), "-lm"]
    try:
        run = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Unable(f"no C compiler: {command[0]}") from None
    if run.returncode != 0:
        raise Unable(run.stderr.strip())
    if run.stderr:
        print(run.stderr, file=sys.stderr)
    partial.replace(program)
    return program


class HandC:
    """The hand-written C program."""

    title = "C"

    def __init__(self, case):
        self.case, self.program = case, str(compile_c(case.name))
        self.command = [self.program, *case.arguments, "--threads", str(case.threads)]
        if case.options.fresh:
            self.command.append("--fresh")

    def measure(self, runs, seconds, limit):
        return json.loads(call([*self.command, "--runs", str(runs), "--seconds", str(seconds), "--limit", str(limit)], self.case))

    def results(self, directory):
        call([*self.command, "-o", f"{directory}/c"], self.case)
        return sorted(Path(directory).glob("c[0-9]*.npy"))

    def close(self):
        pass


class Remora:
    """Compiled remora. `remora bench` decides itself how often it runs."""

    title = "remora"

    def __init__(self, case):
        self.case, self.remora = case, shlex.split(case.options.remora)
        self.program = [str(EXAMPLES / case.name / f"{case.name}.rem"), "-e", case.name, *case.arguments]

    def measure(self, runs, seconds, limit):
        out = call([*self.remora, "bench", *self.program, "--json", "--threads", str(self.case.threads)], self.case)
        return json.loads(out)

    def results(self, directory):
        call([*self.remora, "run", *self.program, "--threads", str(self.case.threads), "-o", f"{directory}/remora.npy"], self.case)
        return sorted(Path(directory).glob("remora*.npy"))

    def close(self):
        pass

    @staticmethod
    def missing(options):
        """Why this contender cannot take part at all, or None."""
        try:
            run = subprocess.run([*shlex.split(options.remora), "bench", "--help"], capture_output=True, text=True)
        except FileNotFoundError:
            return f"{options.remora} is missing"
        return None if run.returncode == 0 else f"`{options.remora}` has no `bench`"


class Python:
    """A program in Python, which lives in a process of its own and waits between the rounds; see peers/worker.py."""

    def __init__(self, case):
        self.case = case
        command = [sys.executable, str(HERE / "peers" / "worker.py"), self.peer, case.name, *case.arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=case.environment(), preexec_fn=case.confine
        )
        self.ask("hello")

    def ask(self, *words):
        try:
            self.process.stdin.write(" ".join(map(str, words)) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            self.close()
            raise Unable(f"ended with status {self.process.returncode}")
        answer = json.loads(line)
        if "unable" in answer:
            raise Unable(answer["unable"])
        return answer

    def measure(self, runs, seconds, limit):
        return self.ask("measure", runs, seconds, limit)

    def results(self, directory):
        return [Path(path) for path in self.ask("results", directory)["results"]]

    def close(self):
        self.process.stdin.close()
        self.process.wait()

    @classmethod
    def missing(cls, options):
        run = subprocess.run([sys.executable, "-c", f"import {cls.peer}"], capture_output=True)
        return None if run.returncode == 0 else "not installed (make bench PEERS=1)"


class NumPy(Python):
    """peers/numpy_peer.py, or the NumPy program of the example."""

    title, peer = "NumPy", "numpy"


class Numba(Python):
    """peers/numba_peer.py"""

    title, peer = "Numba", "numba"


class Jax(Python):
    """peers/jax_peer.py"""

    title, peer = "JAX", "jax"


class Futhark:
    """peers/futhark/NAME.fut, compiled for the processor by `futhark multicore`. Such a program reads all arguments from standard
    input and measures itself: one run to warm up and those that count, whose times in microseconds it writes to a file."""

    title = "Futhark"

    def __init__(self, case):
        place = BUILD / "futhark"
        place.mkdir(parents=True, exist_ok=True)
        source = HERE / "peers" / "futhark" / f"{case.name}.fut"
        self.case, self.program, self.input = case, place / case.name, place / f"{case.name}.in"
        if not self.program.exists() or self.program.stat().st_mtime < source.stat().st_mtime:
            call(["futhark", "multicore", str(source), "-o", str(self.program)], case)
        with open(self.input, "wb") as file:
            for path in case.arguments:
                file.write(futhark_values.encode(np.load(path)))

    def run(self, *more):
        command = [str(self.program), "--num-threads", str(self.case.threads), "--binary-output", *more]
        with open(self.input, "rb") as file:
            run = subprocess.run(
                command, stdin=file, capture_output=True, env=self.case.environment(), preexec_fn=self.case.confine
            )
        if run.returncode != 0:
            raise Unable(tail(run.stderr.decode(errors="replace")))
        return run.stdout

    def measure(self, runs, seconds, limit):
        log = self.input.with_suffix(".times")
        self.run("--write-runtime-to", str(log), "--runs", "1")
        one = int(log.read_text().split()[-1]) * 1e-6
        runs = max(1, int(min(max(runs, seconds / max(one, 1e-6)), limit / max(one, 1e-6), 100_000)))
        self.run("--write-runtime-to", str(log), "--runs", str(runs))
        times = [int(word) * 1e-6 for word in log.read_text().split()]
        return {
            "runs": len(times),
            "median_seconds": statistics.median(times),
            "min_seconds": min(times),
            "max_seconds": max(times),
        }

    def results(self, directory):
        try:
            values = futhark_values.decode(self.run())
        except ValueError as problem:
            raise Unable(str(problem)) from None
        paths = [Path(directory) / f"futhark{number}.npy" for number in range(len(values))]
        for path, value in zip(paths, values):
            np.save(path, value)
        return paths

    def close(self):
        self.input.unlink(missing_ok=True)

    @staticmethod
    def missing(options):
        return None if shutil.which("futhark") else "no `futhark` on the path"


HandC.missing = staticmethod(lambda options: None if shutil.which(compiler()[0]) else f"no C compiler `{compiler()[0]}`")
EVERY = [Remora, HandC, NumPy, Numba, Jax, Futhark]
