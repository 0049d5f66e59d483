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
            ],
            ROW: [
                lambda: f"({e(ROW, d)} {op} {e(ROW, d)})", lambda: f"({e(ROW, d)} {op} {e(FLOAT, d)})", lambda: f"({e(IROW, d)} {op} {e(ROW, d)})",
                lambda: f"{e(MATRIX, d)}.{r.choice(['sum', 'mean', 'std'])}(axis=0)", lambda: f"np.where({e(MASK, d)}, {e(ROW, d)}, {e(FLOAT, d)})", lambda: f"{e(ROW, d)}[::-1]",
                lambda: f"({e(COLUMN, d)} @ {e(MATRIX, d)})", lambda: f"np.sort({e(ROW, d)})", lambda: f"np.roll({e(ROW, d)}, {r.choice([1, -1])})", lambda: f"({e(IROW, d)} / 2)",
                lambda: f"np.clip({e(ROW, d)}, -1, 1)", lambda: f"{e(ROW, d)}.cumsum()", lambda: f"np.concatenate([{e(ROW, d)}[1:], {e(ROW, d)}[:1]])",
                lambda: f"{e(ROW, d)}[np.argsort({e(ROW, d)}, kind='stable')]", lambda: f"({e(ROW, d)} // 1.5)", lambda: f"({e(ROW, d)} % 2)", lambda: f"np.maximum({e(ROW, d)}, {e(IROW, d)})",
            ],
            COLUMN: [
                lambda: f"({e(COLUMN, d)} {op} {e(COLUMN, d)})", lambda: f"({e(FLOAT, d)} {op} {e(COLUMN, d)})", lambda: f"{e(MATRIX, d)}.{r.choice(['sum', 'mean'])}(axis=1)",
                lambda: f"({e(MATRIX, d)} @ {e(ROW, d)})", lambda: f"{e(MATRIX, d)}.T.sum(axis=0)", lambda: f"np.exp(-np.abs({e(COLUMN, d)}))",
            ],
            IROW: [
                lambda: f"({e(IROW, d)} {op} {e(IROW, d)})", lambda: f"({e(IROW, d)} {op} {r.choice([1, 2, 3])})", lambda: f"({e(IROW, d)} // 2)", lambda: f"({e(IROW, d)} % 3)",
                lambda: f"np.cumsum({e(MASK, d)})", lambda: f"{e(MASK, d)}.astype(np.int64)", lambda: "np.arange(m)", lambda: f"np.argsort({e(ROW, d)}, kind='stable')",
            ],
            MASK: [
                lambda: f"({e(ROW, d)} > {e(FLOAT, d)})", lambda: f"({e(IROW, d)} == {r.choice([0, 1, 2])})", lambda: f"({e(MASK, d)} & {e(MASK, d)})", lambda: f"(~{e(MASK, d)})",
                lambda: f"({e(MASK, d)} | ({e(ROW, d)} <= {e(ROW, d)}))",
            ],
            FLOAT: [
                lambda: f"({e(FLOAT, d)} {op} {e(FLOAT, d)})", lambda: f"np.sum({e(ROW, d)})", lambda: f"{e(MATRIX, d)}.sum()", lambda: f"({e(ROW, d)} @ {e(ROW, d)})", lambda: f"abs({e(FLOAT, d)})",
                lambda: f"({e(FLOAT, d)} if {e(INT, d)} > 1 else {e(FLOAT, d)})", lambda: f"{e(ROW, d)}[{e(INT, d)} % 3]", lambda: f"np.mean({e(COLUMN, d)})", lambda: f"np.float64({e(INT, d)})",
                lambda: f"{e(ROW, d)}[{e(MASK, d)}].sum()", lambda: f"max({e(FLOAT, d)}, {e(FLOAT, d)})", lambda: f"{e(ROW, d)}.max()",
            ],
            INT: [
                lambda: f"({e(INT, d)} {op} {r.choice([1, 2, 3])})", lambda: f"({e(INT, d)} // 2)", lambda: f"({e(INT, d)} % 3)", lambda: "len(v)", lambda: f"min({e(INT, d)}, {r.choice([2, 4])})",
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
                add(f"{indent}{name} {r.choice(['+=', '-=', '*='])} {self.expression(kind, 1)}")
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
        elif choice < 0.72:
            name = self.pick(ROW)
            if name:
                self.counter += 1
                own = f"t{self.counter}"
                add(f"{indent}{own} = {name}{r.choice(['', '[::-1]', '.copy()', '[:]'])}")
                self.variables[own] = ROW
        elif choice < 0.85 and not inside:
            self.loop(indent)
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
        if row and kind in ("range", "down") and r.random() < 0.6:
            add(f"{inner}{row}[{i}{r.choice(['', ' - 1'])}] {r.choice(['=', '+='])} {self.expression(FLOAT, 2)}")
        if r.random() < 0.3:
            add(f"{inner}if {self.expression(FLOAT, 2)} > 1.5:")
            add(f"{inner}    {r.choice(['break', 'continue'])}")
        self.statements(r.randint(1, 2), inner, True)
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
    file.write_text("from __future__ import annotations\n\nimport numpy as np\n\n\n" + "\n\n".join(texts))
    module = types.ModuleType(f"generated_{seed}")
    sys.modules[module.__name__] = module
    exec(compile(file.read_text(), str(file), "exec"), vars(module))
    return [(text, getattr(module, f"f{k}")) for k, text in enumerate(texts)]


def main(count: int, seed: int) -> int:
    """Compares `count` functions; the number of those that differ."""
    from remora.port import check_port

    differ = compared = refused = 0
    reasons: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for text, function in functions(count, seed, Path(folder)):
            report = check_port(function, n=5, seed=seed, backend="interp")
            compared += report.agreed > 0
            refused += report.agreed == 0 and report.refused > 0
            if report.refusal:
                reason = report.refusal.split("\n")[0][:100]
                reasons[reason] = reasons.get(reason, 0) + 1
            if report.differences:
                differ += 1
                print(text, report, sep="\n", end="\n\n", flush=True)
    print(f"{count} functions: {compared} compared, {refused} refused, {differ} differ")
    for reason, times in sorted(reasons.items(), key=lambda item: -item[1])[:15]:
        print(f"{times:6} {reason}")
    return differ


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0) > 0)
