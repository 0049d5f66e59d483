#!/usr/bin/env python3
"""Programs compiled for the CUDA device of this machine, against a device-to-device copy and, where installed, CuPy, JAX and PyTorch.

  gpu.py [--size test|small|large] [--only NAME,NAME..] [--rounds N] [--elements N] [--remora COMMAND]
  gpu.py --check     only: do the programs compute what NumPy computes?

Prints Markdown and leaves it in build/bench/gpu.md with the figures as JSON. Arguments and results stay on the device, in all contenders.
Exit status 1 if results are wrong. Bars that are missed are marked, and change nothing.
"""

import argparse
import ctypes
import json
import shlex
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np

import bench
import contenders
import report
from contenders import BUILD, Case, Unable, call

# Part of the bandwidth of a copy that operations on long arrays are to reach, with the bytes that they move for each byte of input.
STREAMS = {"shift": (0.85, 2), "total": (0.85, 1), "sums": (0.75, 2), "turn": (0.85, 2), "rows": (0.85, 1)}
# Part of the multiplications and additions of the device that `matmul` of f32 is to reach.
MATMUL = 0.5


class Cuda:
    """Compiled remora on the device."""

    title = "remora"

    def __init__(self, case):
        self.case, self.remora = case, shlex.split(case.options.remora)
        program = case.program if hasattr(case, "program") else contenders.EXAMPLES / case.name / f"{case.name}.rem"
        self.program = [str(program), "--backend", "cuda", "-e", case.name, *case.arguments]

    def measure(self, runs, seconds, limit):
        return json.loads(call([*self.remora, "bench", *self.program, "--runs", str(runs), "--seconds", str(seconds), "--json"], self.case))

    def results(self, directory):
        call([*self.remora, "run", *self.program, "-o", f"{directory}/cuda.npy"], self.case)
        return sorted(Path(directory).glob("cuda*.npy"))

    def close(self):
        pass


class CuPy(contenders.Python):
    """peers/cupy_peer.py"""

    title, peer = "CuPy", "cupy"


class Jax(contenders.Python):
    """peers/jax_peer.py, on the device"""

    title, peer = "JAX", "jax"


class Torch(contenders.Python):
    """peers/torch_peer.py"""

    title, peer = "PyTorch", "torch"


PEERS = [CuPy, Jax, Torch]
TITLES = [kind.title for kind in PEERS]


class Driver:
    """CUDA's driver, by hand: what the device is, and how fast it copies."""

    def __init__(self):
        try:
            self.lib = ctypes.CDLL("libcuda.so.1")
        except OSError:
            self.lib = ctypes.CDLL("libcuda.so")
        self.context = ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), 0)
        self("cuCtxSetCurrent", self.context)

    def __call__(self, name, *arguments):
        status = getattr(self.lib, name)(*arguments)
        if status != 0:
            raise OSError(f"{name}: error {status}")

    def attribute(self, which):
        value = ctypes.c_int()
        self("cuDeviceGetAttribute", ctypes.byref(value), which, 0)
        return value.value

    def name(self):
        text = ctypes.create_string_buffer(256)
        self("cuDeviceGetName", text, 255, 0)
        return text.value.decode()

    def flops(self):
        """Multiplications and additions of f32 in a second, without tensor cores; lanes as in the CUDA C++ Programming Guide."""
        major, minor = self.attribute(75), self.attribute(76)
        lanes = 64 if (major, minor) in [(7, 0), (7, 2), (7, 5), (8, 0)] else 128
        return 2 * lanes * self.attribute(16) * self.attribute(13) * 1e3

    def copy(self, size, times=20):
        """Bytes read and written in a second by a copy on the device."""
        places = [ctypes.c_uint64() for _ in range(2)]
        events = [ctypes.c_void_p() for _ in range(2)]
        for place in places:
            self("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size))
        for event in events:
            self("cuEventCreate", ctypes.byref(event), 0)
        best = 0.0
        for _ in range(times):
            self("cuEventRecord", events[0], None)
            self("cuMemcpyDtoDAsync_v2", places[1], places[0], ctypes.c_size_t(size), None)
            self("cuEventRecord", events[1], None)
            self("cuEventSynchronize", events[1])
            passed = ctypes.c_float()
            self("cuEventElapsedTime", ctypes.byref(passed), events[0], events[1])
            best = max(best, 2 * size / (passed.value * 1e-3))
        for place in places:
            self("cuMemFree_v2", place)
        return best


def device(size):
    """The name of the device, the bandwidth of a copy, the rate of f32; None for what cannot be found out."""
    try:
        driver = Driver()
        return {"name": driver.name(), "copy": driver.copy(size), "flops": driver.flops()}
    except (OSError, AttributeError) as why:
        bench.say(f"the device is not measured: {why}")
        return {"name": "unknown", "copy": None, "flops": None}


def part(value, whole, bar):
    """A part of what the device can do, marked if it is below the bar."""
    if not whole:
        return "?"
    return f"{value / whole:.0%}" + ("" if value / whole >= bar else f" (bar {bar:.0%} missed)")


def streams(options, found):
    """A table of operations on long arrays."""
    rows = []
    with tempfile.TemporaryDirectory(dir=BUILD) as directory:
        side = int(options.elements**0.5) // 32 * 32
        flat, square = np.random.default_rng(1).random(side * side, dtype=np.float32), f"{directory}/square.npy"
        np.save(f"{directory}/flat.npy", flat)
        np.save(square, flat.reshape(side, side))
        for name, (bar, moved) in STREAMS.items():
            case = Case(name, [square if name in ("turn", "rows") else f"{directory}/flat.npy"], options.threads, options)
            case.program = contenders.HERE / "streams.rem"
            seconds = Cuda(case).measure(20, 1, 60)["median_seconds"]
            speed = moved * flat.nbytes / seconds
            rows.append([name, report.time(seconds), f"{speed / 1e9:.0f} GB/s", part(speed, found["copy"], bar)])
    return report.table(["operation", "time", "bandwidth", "of a copy"], rows)


def programs(options, found, notes):
    """The figures of the examples, and a table of them; whether all results were right."""
    kinds = [Cuda]
    for kind in PEERS:
        missing = kind.missing(options)
        if missing:
            notes.append(f"{kind.title}: not installed")
        elif not options.check:
            kinds.append(kind)
    figures, rows, good = {}, [], True
    for name in options.only:
        bench.say(name)
        with tempfile.TemporaryDirectory(dir=BUILD) as directory:
            paths, expected, moved = bench.generate(name, options.size, directory)
            able = bench.start(kinds, Case(name, paths, options.threads, options), expected, directory, notes)
            good = good and any(isinstance(contender, Cuda) for contender in able)
            times = {}
            for _ in range(0 if options.check else options.rounds):
                for contender in able:
                    try:
                        times.setdefault(contender.title, []).append(contender.measure(10, 1, 60)["median_seconds"])
                    except Unable as why:
                        notes.append(f"{contender.title} failed on `{name}` while it was measured: {why}")
            for contender in able:
                contender.close()
            figures[name] = {title: statistics.median(found) for title, found in times.items()}
            if "remora" in figures[name]:
                own = figures[name]["remora"]
                extra = part(moved / own, found["copy"], 0)
                if name == "matmul" and found["flops"]:
                    shapes = [np.load(path, mmap_mode="r").shape for path in paths[:2]]
                    extra += ", of f32 " + part(2 * shapes[0][0] * shapes[0][1] * shapes[1][1] / own, found["flops"], MATMUL)
                others = [report.time(figures[name][title]) if title in figures[name] else "" for title in TITLES]
                rows.append([name, report.time(own), extra, *others])
                bench.say("  " + ", ".join(f"{title} {report.time(seconds)}" for title, seconds in figures[name].items()) + f"; of a copy {extra}")
    return figures, report.table(["program", "remora", "of a copy", *TITLES], rows), good


def means(figures):
    """How much faster remora is than the others on the geometric mean."""
    lines = []
    for title in TITLES:
        ratios = [times[title] / times["remora"] for times in figures.values() if title in times and "remora" in times]
        if ratios:
            lines.append(f"- {title} takes {report.mean(ratios):.2f} times as long on the geometric mean of {len(ratios)} programs (bar: 1)")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", default="large")
    parser.add_argument("--only", type=bench.names, default=bench.NAMES)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--elements", type=int, default=1 << 28, help="of the long arrays")
    parser.add_argument("--copy", type=int, default=1 << 30, help="bytes that are copied to see how fast the device does that")
    parser.add_argument("--remora", default=str(contenders.HERE.parent / "target/release/remora"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    options.threads = len(bench.os.sched_getaffinity(0))
    BUILD.mkdir(parents=True, exist_ok=True)
    bench.os.environ["JAX_PLATFORMS"] = "cuda"
    notes = []
    found = {"name": "", "copy": None, "flops": None} if options.check else device(options.copy)
    figures, table, good = programs(options, found, notes)
    if options.check:
        print("\n".join(notes) if not good else f"{len(options.only)} programs give what NumPy gives")
        return 0 if good else 1
    copy = f"{found['copy'] / 1e9:.0f} GB/s" if found["copy"] else "not measured"
    text = f"# CUDA: {found['name']}\n\nA copy on the device: {copy}. Size {options.size}.\n\n{streams(options, found)}\n\n{table}\n\n{means(figures)}\n"
    text += "".join(f"- {note}\n" for note in notes)
    print(text)
    (BUILD / "gpu.md").write_text(text)
    (BUILD / "gpu.json").write_text(json.dumps({"device": found, "programs": figures, "notes": notes}, indent=1))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
