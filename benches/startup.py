"""How long the programs of `remora` take to start: a cold and a warm `remora run`, and compiling without the C compiler.

Cold is with an empty cache (`REMORA_CACHE`), warm is the same again. The programs are generated as for the times of checking.
"""

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import check

# What is measured, with the seconds that it may take.
BARS = {"cold run of 100 lines": 1.5, "warm run of 100 lines": 0.05, "500 lines to C, without the C compiler": 0.1}

STAGES = ["c", "imp", "kernel", "soac"]  # the last stage that `dump` knows is the one that is measured


def program(lines):
    """A program of about so many lines, all of which the entry point needs."""
    steps = (lines - 2) // 5
    entry = f"entry main (s: f64) : f64 =\n  f64.sum (step{steps - 1} (f64.i64 (iota 100)) (f64.i64 (iota 100)) s)\n"
    return check.annotated(5 * steps) + entry


def seconds(command, environment):
    """How long a command takes, or what it said when it failed."""
    begin = time.perf_counter()
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    taken = time.perf_counter() - begin
    return taken if run.returncode == 0 else (run.stderr.strip().splitlines() or ["failed"])[-1]


def several(command, environment, times):
    """The median of several runs of a command, or what it said when it failed."""
    taken = [seconds(command, environment) for _ in range(times)]
    failed = [value for value in taken if isinstance(value, str)]
    return failed[0] if failed else statistics.median(taken)


def measure(remora):
    """For everything in `BARS` the seconds that it takes, or the reason why it does not work; and notes."""
    found, notes = {}, []
    with tempfile.TemporaryDirectory() as folder:
        small, large = Path(folder) / "small.rem", Path(folder) / "large.rem"
        small.write_text(program(100))
        large.write_text(program(500))
        cold = []
        for number in range(3):
            environment = {**os.environ, "REMORA_CACHE": f"{folder}/cache{number}"}
            cold.append(seconds([*remora, "run", str(small), "0.5"], environment))
        failed = [value for value in cold if isinstance(value, str)]
        cold_name, warm_name, compile_name = BARS
        found[cold_name] = failed[0] if failed else statistics.median(cold)
        found[warm_name] = several([*remora, "run", str(small), "0.5"], environment, 10)
        for stage in STAGES:
            found[compile_name] = several([*remora, "dump", str(large), "--stage", stage], environment, 5)
            if not isinstance(found[compile_name], str):
                if stage != STAGES[0]:
                    notes.append(f"`dump` has no stage `{STAGES[0]}`: compiling is measured up to `{stage}`.")
                break
    return found, notes
