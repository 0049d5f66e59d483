"""Compares the functions of the standard library with NumPy on generated inputs, compiled and evaluated, and runs the examples of their documentation.

  check.py [--remora PATH] [--only TEXT] [--jobs N] [--local] [FILE...]

FILE is the name of a file in `cases` (default: all of them). The entries of each are compiled into shared libraries and called with
ctypes; the smallest inputs go to the evaluator too, which has to agree with compiled code. The table has a line for each function; of what
failed the smallest input is shown.
"""

import argparse
import concurrent.futures
import hashlib
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "library"
# Most of the time is that of the C compiler; what it makes of the programs is not the question here.
os.environ.setdefault("REMORA_CFLAGS", "-O0")
sys.path.insert(0, str(HERE))

import case as cases_module  # noqa: E402
from case import Fails, Generator, TOLERANCE  # noqa: E402
from foreign import C_TYPES, Failure, Library  # noqa: E402

# How many entries are compiled together: few make the C compiler's work parallel, many save checking the library again.
ENTRIES = 24


class Item:
    """A case for one type, with the name of its entry."""

    def __init__(self, case, dtype, module, place):
        self.case, self.dtype, self.place = case, dtype, place
        self.name = f"{re.sub(r'[^a-z0-9]+', '_', case.name.lower()).strip('_')}_{dtype}_{place}"
        replaced = {"{name}": self.name, "{t}": dtype, "{m}": module}
        self.entry = re.sub(r"\{(name|t|m)\}", lambda m: replaced[m[0]], case.entry)
        self.tolerance = (case.types or {}).get(dtype) or TOLERANCE.get(dtype, 0.0)

    def label(self):
        return f"{self.case.name} {self.dtype}"


class File:
    """A file of cases."""

    def __init__(self, name, local):
        self.name = name
        module = importlib.import_module(f"cases.{name}")
        self.library = module.LIBRARY
        self.imports = getattr(module, "IMPORTS", f'import "{module.LIBRARY}"')
        if local:
            self.imports = re.sub(r'import "lib/(\w+)"', lambda m: f'import "../../stdlib/lib/{m[1]}"', self.imports)
        self.complete = getattr(module, "COMPLETE", False)
        self.items = []
        for case in module.CASES:
            for dtype in case.types or {"f64": None}:
                self.items.append(Item(case, dtype, module.MODULES.get(dtype, ""), len(self.items)))

    def units(self, only):
        """The parts that are compiled and run together."""
        kept = [item for item in self.items if only in item.label()]
        return [kept[at : at + ENTRIES] for at in range(0, len(kept), ENTRIES)]


# Running one part, in a process of its own ----------------------------------------------------------------------------


def say(**line):
    print(json.dumps(line), flush=True)


def built(remora, stem, text):
    """The shared library of a program, which is compiled if it is not there."""
    program = BUILD / f"{stem}.rem"
    binary = Path(remora[-1])
    seen = hashlib.sha256(text.encode())
    for path in sorted((ROOT / "stdlib").glob("**/*.rem")):
        seen.update(path.read_bytes())
    if binary.exists():
        seen.update(f"{binary} {binary.stat().st_mtime_ns} {binary.stat().st_size}".encode())
    seen.update(os.environ.get("REMORA_CFLAGS", "").encode())
    library, mark = BUILD / f"lib{stem}.so", BUILD / f"{stem}.built"
    if not (library.exists() and mark.exists() and mark.read_text() == seen.hexdigest()):
        program.write_text(text)
        run = subprocess.run([*remora, "build", "--lib", str(program), "-o", str(library)], capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(f"remora build {program.relative_to(ROOT)}: {run.stderr.strip() or run.returncode}")
        mark.write_text(seen.hexdigest())
    return library


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def regroup(want, got):
    """Results with the parts of complex numbers put together again where complex numbers are expected."""
    got, grouped = list(got), []
    for value in want:
        if np.iscomplexobj(value) and len(got) > 1 and not np.iscomplexobj(got[0]):
            grouped.append(cases_module.joined(got.pop(0), got.pop(0)))
        elif got:
            grouped.append(got.pop(0))
    return grouped + got


def judge(item, arguments, outcome):
    """What is wrong with the outcome of a call (its results, or a Failure), or None."""
    with np.errstate(all="ignore"):
        if item.case.check and not isinstance(outcome, Failure):
            return item.case.check(arguments, outcome)
        want = item.case.oracle(*arguments) if item.case.oracle else None
    if isinstance(want, Fails):
        if not isinstance(outcome, Failure):
            return f"returned {outcome}, expected error {want.code}"
        return None if outcome.code == want.code else f"failed with error {outcome.code} ({outcome}), expected {want.code}"
    if isinstance(outcome, Failure):
        return f"failed: {outcome}"
    want = as_tuple(want)
    got = regroup(want, outcome)
    if len(want) != len(got):
        return f"{len(got)} results, expected {len(want)}"
    for number, (expected, found) in enumerate(zip(want, got)):
        problem = cases_module.close(expected, found, item.tolerance)
        if problem:
            return f"result {number} {problem}\n    got      {show(found)}\n    expected {show(expected)}"
    return None


def show(value):
    return np.array2string(np.asarray(value), max_line_width=160, threshold=40, edgeitems=2, separator=", ").replace("\n", "\n             ")


def weight(arguments):
    return sum(np.size(a) for a in arguments)


def run_compiled(item, function):
    """Calls the function with all inputs. Returns the inputs with their outcomes, the smallest first."""
    outcomes, failed = [], []
    for number in range(item.case.count):
        seed = int.from_bytes(hashlib.sha256(f"{item.case.name} {item.dtype} {number}".encode()).digest()[:8], "little")
        arguments = as_tuple(item.case.inputs(Generator(item.dtype, number, seed)))
        try:
            outcome = function(*arguments)
        except Failure as failure:
            outcome = failure
        problem = judge(item, arguments, outcome)
        if problem:
            failed.append((weight(arguments), number, arguments, problem))
        outcomes.append((weight(arguments), number, arguments, outcome))
    if failed:
        _, number, arguments, problem = min(failed, key=lambda f: f[:2])
        shown = "\n".join(f"    argument {show(a)}" for a in arguments)
        say(item=item.place, problem=f"{len(failed)} of {item.case.count} inputs fail, the smallest (number {number}):\n{shown}\n    {problem}")
    return sorted(outcomes, key=lambda o: o[:2])


def text_of(value, type_name):
    """A value as text that `remora test` reads."""
    if np.ndim(value):
        value = np.asarray(value)
        if value.size == 0:
            return f"empty({''.join(f'[{n}]' for n in value.shape)}{type_name})"
        return "[" + ", ".join(text_of(v, type_name) for v in value) + "]"
    if type_name == "bool":
        return "true" if value else "false"
    if type_name.startswith("c"):
        # Finite ones only: there is no literal for the others.
        return f"{float(value.real)!r}{float(value.imag):+.17g}j{type_name}"
    if type_name.startswith("f"):
        if np.isnan(value):
            return f"{type_name}.nan"
        if np.isinf(value):
            return f"{'-' if value < 0 else ''}{type_name}.inf"
        return f"{repr(float(value))}{type_name}"
    return f"{int(value)}{type_name}"


NAMES = {np.dtype(d): name for name, d in cases_module.DTYPES.items()}


def texts(function, values, parameters):
    """The values of parameters of the header as text."""
    element = lambda p: C_TYPES[p.type] if p.type in C_TYPES else function.library.structures[p.type][1]
    return " ".join(text_of(v, NAMES[np.dtype(element(p))]) for v, p in zip(values, parameters))


def blocks(item, function, outcomes):
    """Test blocks for the smallest inputs: the evaluator has to agree with compiled code."""
    lines = ["-- ==", f"-- entry: {item.name}"]
    # A few small ones, and some that are spread over the rest of the smaller half.
    several = outcomes[: max(1, len(outcomes) // 2)]
    step = max(1, len(several) // max(1, item.case.evaluated))
    for _, _, arguments, outcome in several[::step][: item.case.evaluated]:
        values = list(function.split(arguments))
        given = texts(function, values, function.inputs[len(function.inputs) - len(values) :])
        if isinstance(outcome, Failure):
            lines.append(f"-- input {{ {given} }} error: E0{outcome.code}")
        else:
            lines.append(f"-- input {{ {given} }} output {{ {texts(function, outcome, function.results())} }}")
    return lines


def run_unit(options, file, number, items):
    """Compiles, runs and evaluates one part."""
    stem = f"{file.name}_{number}"
    program = file.imports + "\n\n" + "\n".join(item.entry for item in items) + "\n"
    begun = time.perf_counter()
    library = Library(built(options.remora, stem, program), 1)
    say(built=time.perf_counter() - begun)
    tests = {}
    for item in items:
        say(begin=item.place)
        begun = time.perf_counter()
        function = library.functions[item.name]
        outcomes = run_compiled(item, function)
        if item.case.evaluated:
            tolerance = item.case.evaluator_tolerance or TOLERANCE.get(item.dtype, 1e-9)
            tests.setdefault(tolerance, []).extend(blocks(item, function, outcomes))
        say(item=item.place, seconds=time.perf_counter() - begun)
    for tolerance, lines in tests.items():
        path = BUILD / f"{stem}_evaluated_{tolerance}.rem"
        path.write_text("\n".join(lines) + "\n\n" + program)
        begun = time.perf_counter()
        evaluate(options, path, tolerance, {item.name: item.place for item in items})
        say(evaluated=time.perf_counter() - begun)


def evaluate(options, path, tolerance, places):
    """Runs the test blocks of a program with the evaluator."""
    run = subprocess.run([*options.remora, "test", "--json", "-j", "1", "--tolerance", str(tolerance), str(path)], capture_output=True, text=True)
    try:
        tests = json.loads(run.stdout)["tests"]
    except (json.JSONDecodeError, KeyError):
        raise RuntimeError(f"remora test {path}: {run.stderr.strip() or run.returncode}")
    for test in tests:
        name = test["name"].split(" ")[0]
        if test["verdict"] != "passed":
            say(item=places.get(name, -1), problem=f"evaluated: {test['name']} {test['verdict']} ({test['place']})\n    {test['message']}")


# Documentation ---------------------------------------------------------------------------------------------------------


def documented(library):
    """For each definition with documentation in a library its name, the line of its example and the expected results, or None without."""
    text = (ROOT / "stdlib" / f"{library}.rem").read_text().split("\n")
    doc, found = [], []
    for number, line in enumerate(text):
        stripped = line.strip()
        if stripped.startswith("--"):
            doc = [(number, stripped)] if stripped.startswith("-- |") else [*doc, (number, stripped)]
            continue
        match = re.match(r"(?:def|entry)\s+(\(?[^\s(:]+\)?)", stripped)
        if match and doc and doc[0][1].startswith("-- |"):
            found.append((match[1], examples_in(doc)))
        doc = []
    return found


def examples_in(doc):
    """The examples in a comment: `-- > expression`, and the results on the lines after it."""
    examples = []
    for number, line in doc:
        content = line[2:].strip()
        if content.startswith("> "):
            examples.append([number + 1, content[2:], ""])
        elif examples and content and not examples[-1][2].endswith("\0"):
            examples[-1][2] += " " + content
        elif examples:
            examples[-1][2] += "\0"
    return [(number, expression, result.rstrip("\0").strip()) for number, expression, result in examples]


def run_examples(options, file):
    """Evaluates the examples in the documentation of a library."""
    lines, entries, missing = [], [], []
    for name, examples in documented(file.library):
        if not examples:
            missing.append(name)
        for number, expression, result in examples:
            entry = f"example_{number}"
            lines += ["-- ==", f"-- entry: {entry}", f"-- input {{ }} output {{ {result} }}"]
            entries.append(f"entry {entry} = {expression}")
    if not entries:
        say(examples=0)
        return
    path = BUILD / f"{file.name}_examples.rem"
    path.write_text("\n".join(lines) + "\n\n" + file.imports + "\n\n" + "\n".join(entries) + "\n")
    # Results are written with few digits.
    evaluate(options, path, 1e-5, {})
    say(examples=len(entries))
    if file.complete:
        tested = {item.case.name.split(".")[-1] for item in file.items}
        names = {name for name, _ in documented(file.library)}
        if missing:
            say(item=-1, problem=f"no example: {', '.join(missing)}")
        if names - tested:
            say(item=-1, problem=f"no case: {', '.join(sorted(names - tested))}")


# The table -------------------------------------------------------------------------------------------------------------


def run_part(options, file, number):
    """Runs a part in a process of its own, and returns the lines that it said."""
    command = [sys.executable, str(Path(__file__).resolve()), "--remora", shlex.join(options.remora), "--only", options.only, "--part", str(number), file.name]
    run = subprocess.run(command + (["--local"] if options.local else []), capture_output=True, text=True)
    lines = []
    for line in run.stdout.splitlines():
        try:
            lines.append(json.loads(line))
        except json.JSONDecodeError:
            lines.append({"item": -1, "problem": line})
    if run.returncode != 0:
        last = next((line["begin"] for line in reversed(lines) if "begin" in line), -1)
        lines.append({"item": last, "problem": f"the process ended with {run.returncode}: {run.stderr.strip()[-4000:]}"})
    return lines


def table(file, lines, only):
    """Prints a line for each function of a file, and returns how many failed."""
    problems, seconds, begun = {}, {}, set()
    for line in lines:
        if "problem" in line:
            problems.setdefault(line["item"], []).append(line["problem"])
        elif "seconds" in line:
            seconds[line["item"]] = line["seconds"]
    total = lambda what: sum(line.get(what, 0) for line in lines)
    print(f"{file.library}: {total('built'):.1f} s compiling, {total('evaluated'):.1f} s evaluating, {total('examples')} examples")
    failed = 0
    for item in (i for i in file.items if only in i.label()):
        wrong = problems.pop(item.place, [] if item.place in seconds else ["did not run"])
        failed += bool(wrong)
        print(f"  {item.case.name:28} {item.dtype:5} {item.case.count:5} inputs {seconds.get(item.place, 0) * 1e3:8.1f} ms  {'FAILED' if wrong else 'ok'}")
        for problem in wrong:
            print("    " + problem.replace("\n", "\n    "))
    for problem in problems.pop(-1, []):
        failed += 1
        print(f"  FAILED {problem}")
    return failed


def main():
    every = sorted(path.stem for path in (HERE / "cases").glob("*.py"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--remora", default="remora", help="the command to run (default: remora)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only functions whose name and type contain this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="parts at the same time (default: one per processor)")
    parser.add_argument("--local", action="store_true", help="libraries from this working tree instead of those inside of remora")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    parser.add_argument("files", nargs="*", default=every, metavar="FILE")
    options = parser.parse_args()
    options.remora = shlex.split(options.remora)
    if os.path.sep in options.remora[-1]:
        options.remora[-1] = str(Path(options.remora[-1]).resolve())
    BUILD.mkdir(parents=True, exist_ok=True)
    if options.part is not None:
        file = File(options.files[0], options.local)
        try:
            if options.part < 0:
                run_examples(options, file)
            else:
                run_unit(options, file, options.part, file.units(options.only)[options.part])
        except Exception as problem:
            if not isinstance(problem, RuntimeError):
                traceback.print_exc()
                sys.exit(1)
            say(item=-1, problem=str(problem))
        return
    files = [File(name, options.local) for name in options.files]
    begun, failed = time.perf_counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = {
            file.name: [pool.submit(run_part, options, file, number) for number in [*range(len(file.units(options.only))), *([-1] if not options.only else [])]]
            for file in files
        }
        for file in files:
            lines = [line for part in parts[file.name] for line in part.result()]
            failed += table(file, lines, options.only)
    print(f"{time.perf_counter() - begun:.1f} s, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
