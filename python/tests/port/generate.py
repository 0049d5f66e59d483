"""Random functions of NumPy: vectors and matrices, views, masks, loops, branches, axes, writes to elements and to arguments.

`python tests/port/generate.py COUNT [SEED]` compares each by `check_port`, and prints those that differ.
"""

from __future__ import annotations

import random
import sys
import tempfile
import types
from pathlib import Path

# Kinds of variables: a matrix, vectors of its columns and rows, numbers.
MATRIX, ROW, COLUMN, FLOAT, INT, IROW, MASK = "matrix", "row", "column", "float", "int", "irow", "mask"
PARAMS = {
    MATRIX: 'Float64[Array, "n m"]', ROW: 'Float64[Array, "m"]', COLUMN: 'Float64[Array, "n"]', FLOAT: "float", INT: "int", IROW: 'Int64[Array, "m"]',
    MASK: 'Bool[Array, "m"]',
}  # fmt: skip


# Functions that the generated ones call: with and without results, and such that write to what they are given.
HELPERS = """
def raised(x, y):
    x += y


def shifted(x):
    x[1:] = x[:-1].copy()


def touched(x):
    x[0] = 1.5
    return x.sum()


def scaled(x, c):
    y = x * c
    return y - y.min()


def both(x, y):
    t = x.copy()
    x[:] = y
    return t, t + y
"""


class Maker:
    """Makes one function."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.variables: dict[str, str] = {}
        self.counter = 0
        self.lines: list[str] = []

    def pick(self, kind: str) -> str | None:
        found = [name for name, own in self.variables.items() if own == kind]
        return self.r.choice(found) if found else None

    def expression(self, kind: str, depth: int = 0) -> str:
        """An expression of a kind."""
        r = self.r
        known = self.pick(kind)
        if known and (depth > 2 or r.random() < 0.35):
            return known
        if depth > 3:
            return {FLOAT: "0.5", INT: "2", ROW: "np.zeros(m)", COLUMN: "np.ones(n)", MATRIX: "np.zeros((n, m))", IROW: "np.arange(m)", MASK: "(np.arange(m) > 1)"}[kind]
        d = depth + 1
        e = self.expression
        op = r.choice(["+", "-", "*"])
        choices = {
            MATRIX: [
                lambda: f"({e(MATRIX, d)} {op} {e(MATRIX, d)})", lambda: f"({e(MATRIX, d)} {op} {e(ROW, d)})", lambda: f"({e(MATRIX, d)} {op} {e(COLUMN, d)}[:, None])",
                lambda: f"np.where({e(MATRIX, d)} > {e(FLOAT, d)}, {e(MATRIX, d)}, {e(ROW, d)})", lambda: f"{e(MATRIX, d)}[::-1]", lambda: f"{e(MATRIX, d)}[:, ::-1]",
                lambda: f"np.roll({e(MATRIX, d)}, {r.choice([1, -1, 2])}, axis={r.choice([0, 1])})", lambda: f"np.abs({e(MATRIX, d)})",
                lambda: f"({e(MATRIX, d)} - {e(MATRIX, d)}.{r.choice(['sum', 'mean'])}(axis={r.choice([0, 1])}, keepdims=True))",
                lambda: f"np.cumsum({e(MATRIX, d)}, axis={r.choice([0, 1])})", lambda: f"np.outer({e(COLUMN, d)}, {e(ROW, d)})",
                lambda: f"({e(COLUMN, d)}[:, None] {op} {e(ROW, d)}[None, :])", lambda: f"np.minimum({e(MATRIX, d)}, {e(FLOAT, d)})",
                lambda: f"np.pad({e(MATRIX, d)}, ((0, 0), (1, 0)))[:, :-1]", lambda: f"np.tile({e(ROW, d)}, (n, 1))", lambda: f"np.repeat({e(ROW, d)}[None, :], n, axis=0)",
                lambda: f"np.meshgrid({e(ROW, d)}, {e(COLUMN, d)})[{r.choice([0, 1])}]", lambda: f"np.array([{e(ROW, d)} * i for i in range(n)])", lambda: f"np.array([x * 2 - x[::-1] for x in {e(MATRIX, d)}])",
                lambda: f"{e(MATRIX, d)}[:, np.argsort({e(ROW, d)}, kind='stable')]", lambda: f"{e(MATRIX, d)}[np.arange(n)[::-1]]", lambda: f"np.sort({e(MATRIX, d)}, axis={r.choice([0, 1])})",
                lambda: f"{e(MATRIX, d)}[:, {e(IROW, d)} % max(m, 1)]", lambda: f"(np.diag({e(COLUMN, d)}) @ {e(MATRIX, d)})", lambda: f"{e(MATRIX, d)}[np.arange(n)[:, None], np.arange(m)[::-1]]",
            ],
            ROW: [
                lambda: f"({e(ROW, d)} {op} {e(ROW, d)})", lambda: f"({e(ROW, d)} {op} {e(FLOAT, d)})", lambda: f"({e(IROW, d)} {op} {e(ROW, d)})",
                lambda: f"{e(MATRIX, d)}.{r.choice(['sum', 'mean', 'std'])}(axis=0)", lambda: f"np.where({e(MASK, d)}, {e(ROW, d)}, {e(FLOAT, d)})", lambda: f"{e(ROW, d)}[::-1]",
                lambda: f"({e(COLUMN, d)} @ {e(MATRIX, d)})", lambda: f"np.sort({e(ROW, d)})", lambda: f"np.roll({e(ROW, d)}, {r.choice([1, -1])})", lambda: f"({e(IROW, d)} / 2)",
                lambda: f"np.clip({e(ROW, d)}, -1, 1)", lambda: f"{e(ROW, d)}.cumsum()", lambda: f"np.concatenate([{e(ROW, d)}[1:], {e(ROW, d)}[:1]])",
                lambda: f"{e(ROW, d)}[np.argsort({e(ROW, d)}, kind='stable')]", lambda: f"({e(ROW, d)} // 1.5)", lambda: f"({e(ROW, d)} % 2)", lambda: f"np.maximum({e(ROW, d)}, {e(IROW, d)})",
                lambda: f"{e(MATRIX, d)}[{e(INT, d)} % 2]", lambda: f"{e(ROW, d)}[{e(IROW, d)} % max(m, 1)]", lambda: f"np.append({e(ROW, d)}, {e(FLOAT, d)})[1:]",
                lambda: f"np.array([x * {e(FLOAT, d)} for x in {e(ROW, d)}])", lambda: f"np.pad({e(ROW, d)}, (1, 0))[:-1]", lambda: f"np.select([{e(MASK, d)}], [{e(ROW, d)}], {e(FLOAT, d)})",
                lambda: f"{e(MATRIX, d)}[np.argmax({e(COLUMN, d)})]", lambda: f"scaled({e(ROW, d)}, {e(FLOAT, d)})", lambda: f"np.maximum.accumulate({e(ROW, d)})",
                lambda: f"np.array([x {op} y for x, y in zip({e(ROW, d)}, {e(ROW, d)})])", lambda: f"np.take({e(ROW, d)}, np.argsort({e(ROW, d)}, kind='stable'))",
            ],
            COLUMN: [
                lambda: f"({e(COLUMN, d)} {op} {e(COLUMN, d)})", lambda: f"({e(FLOAT, d)} {op} {e(COLUMN, d)})", lambda: f"{e(MATRIX, d)}.{r.choice(['sum', 'mean'])}(axis=1)",
                lambda: f"({e(MATRIX, d)} @ {e(ROW, d)})", lambda: f"{e(MATRIX, d)}.T.sum(axis=0)", lambda: f"np.exp(-np.abs({e(COLUMN, d)}))",
                lambda: f"{e(MATRIX, d)}[:, {e(INT, d)} % 3]", lambda: f"{e(MATRIX, d)}[np.arange(n), np.argmax({e(MATRIX, d)}, axis=1)]", lambda: f"{e(MATRIX, d)}[:, 1:-1].sum(axis=1)",
            ],
            IROW: [
                lambda: f"({e(IROW, d)} {op} {e(IROW, d)})", lambda: f"({e(IROW, d)} {op} {r.choice([1, 2, 3])})", lambda: f"({e(IROW, d)} // 2)", lambda: f"({e(IROW, d)} % 3)",
                lambda: f"np.cumsum({e(MASK, d)})", lambda: f"{e(MASK, d)}.astype(np.int64)", lambda: "np.arange(m)", lambda: f"np.argsort({e(ROW, d)}, kind='stable')",
                lambda: f"({e(IROW, d)} << {r.choice([0, 1, 2])})", lambda: f"({e(IROW, d)} >> {r.choice([1, 3])})", lambda: f"np.bincount({e(IROW, d)} % 3, minlength=m)[:m]",
                lambda: f"np.searchsorted(np.sort({e(ROW, d)}), {e(ROW, d)})", lambda: f"np.where({e(MASK, d)}, {e(IROW, d)}, {r.choice([0, 1])})",
            ],
            MASK: [
                lambda: f"({e(ROW, d)} > {e(FLOAT, d)})", lambda: f"({e(IROW, d)} == {r.choice([0, 1, 2])})", lambda: f"({e(MASK, d)} & {e(MASK, d)})", lambda: f"(~{e(MASK, d)})",
                lambda: f"({e(MASK, d)} | ({e(ROW, d)} <= {e(ROW, d)}))",
            ],
            FLOAT: [
                lambda: f"({e(FLOAT, d)} {op} {e(FLOAT, d)})", lambda: f"np.sum({e(ROW, d)})", lambda: f"{e(MATRIX, d)}.sum()", lambda: f"({e(ROW, d)} @ {e(ROW, d)})", lambda: f"abs({e(FLOAT, d)})",
                lambda: f"({e(FLOAT, d)} if {e(INT, d)} > 1 else {e(FLOAT, d)})", lambda: f"{e(ROW, d)}[{e(INT, d)} % 3]", lambda: f"np.mean({e(COLUMN, d)})", lambda: f"np.float64({e(INT, d)})",
                lambda: f"{e(ROW, d)}[{e(MASK, d)}].sum()", lambda: f"max({e(FLOAT, d)}, {e(FLOAT, d)})", lambda: f"{e(ROW, d)}.max()",
                lambda: f"np.average({e(ROW, d)})", lambda: f"np.percentile({e(ROW, d)}, {r.choice([0, 30, 100])})", lambda: f"{e(ROW, d)}[{e(INT, d)} % 2:].sum()", lambda: f"{e(ROW, d)}[:{e(INT, d)}].sum()",
                lambda: f"{e(MATRIX, d)}[1:, ::2].sum()", lambda: f"np.sum({e(MATRIX, d)}[{e(MATRIX, d)} > {e(FLOAT, d)}])", lambda: f"{e(MATRIX, d)}[{e(INT, d)} % 2, {e(INT, d)} % 3]",
                lambda: f"sum([{e(FLOAT, d)}, {e(FLOAT, d)}])", lambda: f"np.unique({e(IROW, d)}, return_counts=True)[1].max() * 1.0",
            ],
            INT: [
                lambda: f"({e(INT, d)} {op} {r.choice([1, 2, 3])})", lambda: f"({e(INT, d)} // 2)", lambda: f"({e(INT, d)} % 3)", lambda: "len(v)", lambda: f"min({e(INT, d)}, {r.choice([2, 4])})", lambda: f"({e(INT, d)} & {r.choice([1, 3, 7])})", lambda: f"({e(INT, d)} >> 1)",
                lambda: f"({r.choice([1, 2])} if {e(FLOAT, d)} < 1 else {e(INT, d)})",
            ],
        }  # fmt: skip
        return r.choice(choices[kind])()

    def fresh(self, kind: str) -> str:
        if self.r.random() < 0.4:
            known = [name for name, own in self.variables.items() if own == kind and name not in self.params]
            if known:
                return self.r.choice(known)
        self.counter += 1
        return f"t{self.counter}"

    def statements(self, count: int, indent: str, inside: bool) -> None:
        for _ in range(count):
            self.statement(indent, inside)

    def statement(self, indent: str, inside: bool) -> None:
        r, add = self.r, self.lines.append
        kind = r.choice([MATRIX, ROW, ROW, COLUMN, FLOAT, INT, IROW, MASK])
        choice = r.random()
        if choice < 0.4:
            value = self.expression(kind)
            name = self.fresh(kind)
            add(f"{indent}{name} = {value}")
            self.variables[name] = kind
        elif choice < 0.5:
            name = self.pick(kind)
            if name and kind not in (MASK,) and name not in self.counters:
                add(f"{indent}{name} {r.choice(['+=', '-=', '*='] if kind != INT else ['+=', '-='])} {self.expression(kind, 1)}")
        elif choice < 0.6:
            name = self.pick(ROW)
            if name:
                add(indent + r.choice([f"{name}[{r.choice(['0', '-1', '1'])}] = {self.expression(FLOAT, 1)}", f"{name}[1:-1] = {self.expression(ROW, 1)}[2:] * 0.5",
                                       f"{name}[{self.expression(MASK, 1)}] = {self.expression(FLOAT, 1)}", f"{name}[:-1] += {self.expression(ROW, 1)}[1:]"]))  # fmt: skip
        elif choice < 0.67:
            name = self.pick(MATRIX)
            if name:
                add(indent + r.choice([f"{name}[0] = {self.expression(ROW, 1)}", f"{name}[:, 0] = {self.expression(COLUMN, 1)}", f"{name}[1:, :-1] = {self.expression(FLOAT, 1)}",
                                       f"{name}[{r.choice(['0', '-1'])}, 1:] *= {self.expression(FLOAT, 1)}"]))  # fmt: skip
        elif choice < 0.74 and r.random() < 0.8:
            self.written(indent)
        elif choice < 0.76:
            name = self.pick(ROW)
            if name:
                self.counter += 1
                own = f"t{self.counter}"
                add(f"{indent}{own} = {name}{r.choice(['', '[::-1]', '.copy()', '[:]'])}")
                self.variables[own] = ROW
        elif choice < 0.87 and not inside:
            (self.shrinking if r.random() < 0.12 else self.loop)(indent)
        elif choice < 0.97 and len(indent) < 12:
            saved = dict(self.variables)
            add(f"{indent}if {r.choice([f'{self.expression(FLOAT, 1)} > {self.expression(FLOAT, 1)}', f'{self.expression(INT, 1)} < 2'])}:")
            mark = len(self.lines)
            self.statements(r.randint(1, 2), indent + "    ", inside)
            if len(self.lines) == mark:
                add(f"{indent}    pass")
            self.variables = dict(saved)
            if r.random() < 0.5:
                add(f"{indent}else:")
                mark = len(self.lines)
                self.statements(1, indent + "    ", inside)
                if len(self.lines) == mark:
                    add(f"{indent}    pass")
                self.variables = dict(saved)

    def written(self, indent: str) -> None:
        """A write to places, to slices with steps or computed bounds, to parts of parts, or by a function."""
        r, add, e = self.r, self.lines.append, self.expression
        row, matrix = self.pick(ROW), self.pick(MATRIX)
        assert row and matrix
        how = r.choice(["=", "+=", "*="])
        step, k = r.choice(["::2", "1::2", "::3", "::-1", "2::-1", ":0:-1", "-2::-1", "::-2", "4:1:-1", "3::-2", "-3::2", f"{e(INT, 1)}::-1", f":{e(INT, 1)}:-2"]), e(INT, 2)
        self.counter += 1
        own = f"t{self.counter}"
        choices: list[tuple[str, str]] = [
            (f"{row}[{step}] {how} {e(FLOAT, 2)}", ""), (f"{row}[{k}:] {how} {e(FLOAT, 2)}", ""), (f"{row}[:{k}] {how} {e(FLOAT, 2)}", ""), (f"{row}[{k}:{k} + 2] {how} {e(FLOAT, 2)}", ""),
            (f"{matrix}[:, {step}] {how} {e(FLOAT, 2)}", ""), (f"{matrix}[{step}] {how} {e(ROW, 2)}", ""), (f"{matrix}[1:{k}, 0] {how} {e(FLOAT, 2)}", ""), (f"{matrix}[{matrix} > {e(FLOAT, 2)}] = {e(FLOAT, 2)}", ""),
            (f"{matrix}[{matrix} > 0.5] = {matrix}[{matrix} > 0.5] * 0.5", ""), (f"{matrix}[{matrix} < 0] {how} 2", ""), (f"{matrix}[:, {e(IROW, 2)} % max(m, 1)] {how} {e(FLOAT, 2)}", ""),
            (f"{matrix}[np.arange(n) % 2 == 0] {how} {e(FLOAT, 2)}", ""), (f"{matrix}[:, {e(MASK, 2)}] {how} {e(FLOAT, 2)}", ""), (f"{matrix}[0][1:] {how} {e(ROW, 2)}[1:]", ""), (f"{matrix}[1:][:, 0] {how} {e(FLOAT, 2)}", ""),
            (f"{matrix}[1][0] {how} {e(FLOAT, 2)}", ""), (f"{row}[0] = {row}[-1] = {e(FLOAT, 2)}", ""), (f"{matrix}[0] = {matrix}[-1] = {e(ROW, 2)}", ""), (f"np.add({row}, {e(ROW, 2)}, out={row})", ""),
            (f"np.copyto({row}, {e(ROW, 2)})", ""), (f"raised({row}, {r.choice([e(FLOAT, 2), e(ROW, 2)])})", ""), (f"raised({matrix}, {e(ROW, 2)})", ""), (f"shifted({r.choice([row, matrix])})", ""),
            (f"{own} = touched({row})", FLOAT), (f"{own}, {own}_ = both({row}, {e(ROW, 2)})", ROW), (f"{matrix}[np.arange(n), np.argmax({e(MATRIX, 2)}, axis=1)] {how} {e(FLOAT, 2)}", ""),
            (f"{row}[{e(IROW, 2)} % max(m, 1)] {how} {e(ROW, 2)}", ""), (f"{row}[{e(MASK, 2)}] {how} {e(ROW, 2)}[{e(MASK, 2)}]", ""),
        ]  # fmt: skip
        line, kind = r.choice(choices)
        add(indent + line)
        if kind:
            self.variables[own] = kind

    def shrinking(self, indent: str) -> None:
        """A loop that changes the size of an array."""
        add, own = self.lines.append, f"t{self.counter + 1}"
        self.counter += 1
        add(f"{indent}{own} = {self.expression(ROW, 1)}")
        add(f"{indent}for i{self.counter} in range({self.r.choice(['2', '3', 'k'])}):")
        add(f"{indent}    {own} = " + self.r.choice([f"{own}[1:]", f"{own}[::2]", f"{own}[1:] - {own}[:-1]", f"np.append({own}, {self.expression(FLOAT, 2)})", f"{own}[{own} > {self.expression(FLOAT, 2)}]"]))
        name = f"t{self.counter + 1}"
        self.counter += 1
        add(f"{indent}{name} = {own}.sum() + len({own})")
        self.variables[name] = FLOAT

    def loop(self, indent: str) -> None:
        r, add = self.r, self.lines.append
        saved = dict(self.variables)
        self.counter += 1
        i = f"i{self.counter}"
        kind = r.choice(["range", "down", "array", "zip", "enumerate", "while"])
        head = {"range": f"for {i} in range({r.choice(['m', '3', 'k', '1, m'])}):", "down": f"for {i} in range(m - 1, 0, -1):", "array": f"for x{i} in {self.expression(ROW, 2)}:",
                "zip": f"for x{i}, y{i} in zip({self.expression(ROW, 2)}, {self.expression(ROW, 2)}):", "enumerate": f"for {i}, x{i} in enumerate({self.expression(ROW, 2)}):",
                "while": f"while {i} < 4:"}[kind]  # fmt: skip
        if kind == "while":
            self.counters = self.counters | {i}
            add(f"{indent}{i} = 0")
        add(indent + head)
        inner = indent + "    "
        if kind in ("range", "down", "enumerate", "while"):
            self.variables[i] = INT
        if kind in ("array", "enumerate", "zip"):
            self.variables[f"x{i}"] = FLOAT
        self.params = self.params | {i, f"x{i}"}
        if kind == "while":
            add(f"{inner}{i} += 1")
        mark = len(self.lines)
        row = self.pick(ROW)
        matrix = self.pick(MATRIX)
        if matrix and kind in ("range", "down") and r.random() < 0.3:
            e = self.expression
            add(inner + r.choice([f"{matrix}[:{i}, 0] += {e(FLOAT, 2)}", f"{matrix}[0, {i}:] = {e(FLOAT, 2)}", f"{matrix}[:, {i} % 2:{i} % 2 + 2] *= {e(FLOAT, 2)}", f"{matrix}[{i} % 2][{i} % 2:] -= {e(FLOAT, 2)}"]))
        if row and kind in ("range", "down") and r.random() < 0.6:
            add(f"{inner}{row}[{i}{r.choice(['', ' - 1'])}] {r.choice(['=', '+='])} {self.expression(FLOAT, 2)}")
        if r.random() < 0.3:
            add(f"{inner}if {self.expression(FLOAT, 2)} > 1.5:")
            add(f"{inner}    {r.choice(['break', 'continue'])}")
        self.statements(r.randint(1, 2), inner, True)
        if r.random() < 0.2:
            # What the loop gives a value is there afterwards, if it runs.
            self.counter += 1
            add(f"{inner}t{self.counter} = {self.expression(ROW, 2)}")
            saved[f"t{self.counter}"] = ROW
        if len(self.lines) == mark:
            add(f"{inner}pass")
        self.variables = saved

    params: set[str] = set()
    counters: set[str] = set()

    def make(self, name: str) -> str:
        """The text of a function."""
        r = self.r
        kinds = {"a": MATRIX, "v": ROW, "w": COLUMN, "s": FLOAT, "k": INT, "q": IROW, "b": MASK}
        self.variables = dict(kinds)
        self.params = set(kinds)
        self.lines = ["    n, m = a.shape"]
        for each in ("a", "v", "w", "q"):
            if r.random() < 0.8:
                self.lines.append(f"    {each} = {each}.copy()")
        self.statements(r.randint(2, 6), "    ", False)
        results = [r.choice(list(self.variables)) for _ in range(r.randint(1, 2))]
        self.lines.append(f"    return {', '.join(results)}")
        declared = ", ".join(f"{each}: {PARAMS[kind]}" for each, kind in kinds.items())
        return f"def {name}({declared}):\n" + "\n".join(self.lines) + "\n"


def functions(count: int, seed: int, folder: Path) -> list[tuple[str, types.FunctionType]]:
    """Functions in a file, so that their source is to be had."""
    texts = [Maker(seed * 1_000_003 + k).make(f"f{k}") for k in range(count)]
    file = folder / f"generated_{seed}.py"
    file.write_text("from __future__ import annotations\n\nimport numpy as np\n\n" + HELPERS + "\n\n" + "\n\n".join(texts))
    module = types.ModuleType(f"generated_{seed}")
    sys.modules[module.__name__] = module
    exec(compile(file.read_text(), str(file), "exec"), vars(module))
    return [(text, getattr(module, f"f{k}")) for k, text in enumerate(texts)]


def main(count: int, seed: int) -> int:
    """Compares `count` functions; the number of those that differ. Errors of what has no effect are not raised here: they are counted apart."""
    from remora.port import check_port

    differ = compared = refused = silent = 0
    reasons: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for text, function in functions(count, seed, Path(folder)):
            report = check_port(function, n=5, seed=seed, backend="interp")
            compared += report.agreed > 0
            refused += report.agreed == 0 and report.refused > 0
            if report.refusal:
                reason = report.refusal.split("\n")[0][:100]
                reasons[reason] = reasons.get(reason, 0) + 1
            if all(each.startswith("Python raises") for each in report.differences):
                silent += bool(report.differences)
            else:
                differ += 1
                print(text, report, sep="\n", end="\n\n", flush=True)
    print(f"{count} functions: {compared} compared, {refused} refused, {differ} differ, {silent} with errors of what has no effect")
    for reason, times in sorted(reasons.items(), key=lambda item: -item[1])[:15]:
        print(f"{times:6} {reason}")
    return differ


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0) > 0)
