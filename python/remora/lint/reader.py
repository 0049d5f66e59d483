"""Goes through a program and keeps track of the shapes, types and memory of its arrays."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from .calls import call, reduced
from .counters import end_of, leaves, look_at
from .findings import Finding, Rule
from .guesses import ANNOTATION, KINDS, default_of, extent, is_nan, may_be_equal, measured
from .shapes import ONE, UNKNOWN, Axis, Size, Value, wider

Scope = dict[str, Value]
Counters = dict[str, Size]
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//"}


class Reader:
    """The state of one run: findings, functions of the program, and a count of arrays."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: dict[tuple[int, int, str], Finding] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self.called: set[str] = set()
        self.arrays = 0
        self.depth = 0
        self.numpy: set[str] = set()
        self.uses: dict[str, list[int]] = {}
        self.parameters: set[int] = set()
        self.globals: Scope = {}
        self.only = set(Rule)  # the rules that are reported at present
        self.inside: ast.FunctionDef | None = None  # the function that is read
        self.counters: Counters = {}  # variables of loops, where the statement that is read runs in all iterations: where they end

    def report(self, node: ast.AST, rule: Rule, message: str) -> None:
        """Notes a mistake, once for each place."""
        if rule not in self.only:
            return
        line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
        self.found.setdefault((line, column, rule.value), Finding(self.file, line, column, rule.value, message))

    def fresh(self, kind: str | None, axes: tuple[Axis, ...] | None) -> Value:
        """A new array: its axes are its own."""
        self.arrays += 1
        if axes is not None:
            axes = tuple(Axis(axis.size, frozenset({(self.arrays, k)})) for k, axis in enumerate(axes))
        return Value(kind, axes, frozenset({self.arrays}))

    # Statements

    def module(self, tree: ast.Module) -> None:
        """The statements of the file, then functions that nothing called."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self.numpy |= {alias.asname or alias.name for alias in node.names if alias.name == "numpy"}
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, node)
        scope = self.globals
        self.block(tree.body, scope)
        called = set(self.called)
        for name, function in self.functions.items():
            # Of functions that were called only what is wrong whatever their arguments are is still of interest.
            self.only = {Rule.AGREE, Rule.AXIS, Rule.SQUARE, Rule.CHANCE} if name in called else set(Rule)
            self.function(function, None, dict(scope))

    def function(self, node: ast.FunctionDef, arguments: list[Value] | None, scope: Scope) -> Value:
        """The body, for arguments or for what the annotations say."""
        if self.depth > 4:
            return UNKNOWN
        params = [*node.args.posonlyargs, *node.args.args]
        for k, param in enumerate(params):
            given = arguments[k] if arguments is not None and k < len(arguments) else None
            declared = self.annotated(param.annotation)
            declared = default_of(node, k, arguments is not None) if given is None and declared.axes is None else declared
            scope[param.arg] = given if given is not None and (given.axes is not None or declared.axes is None) else declared
            self.parameters |= scope[param.arg].memory
        before, self.uses = self.uses, {}
        outer, self.inside = self.inside, node
        counters, self.counters = self.counters, {}
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load):
                self.uses.setdefault(name.id, []).append(name.lineno)
        self.depth += 1
        returned: list[Value] = []
        scope["return"] = Value(extra={"values": returned})
        self.block(node.body, scope)
        self.depth -= 1
        self.uses, self.inside, self.counters = before, outer, counters
        shapes = {None if value.axes is None else tuple(axis.size for axis in value.axes) for value in returned}
        return returned[0] if len(returned) == 1 or len(shapes) == 1 and None not in shapes and len({value.kind for value in returned}) == 1 else UNKNOWN

    def annotated(self, annotation: ast.expr | None) -> Value:
        """What an annotation such as `Float[Array, "n m"]` says."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            try:
                annotation = ast.parse(annotation.value, mode="eval").body
            except SyntaxError:
                return UNKNOWN
        if isinstance(annotation, ast.Name):
            return {"int": Value("int", (), extra={"weak": True}), "float": Value("float", (), extra={"weak": True})}.get(annotation.id, UNKNOWN)
        if not isinstance(annotation, ast.Subscript):
            return UNKNOWN
        name = annotation.value.attr if isinstance(annotation.value, ast.Attribute) else getattr(annotation.value, "id", "")
        found = ANNOTATION.match(name)
        items = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
        if not found or len(items) != 2 or not isinstance(items[1], ast.Constant) or not isinstance(items[1].value, str):
            return UNKNOWN
        words = items[1].value.split()
        if any(not re.fullmatch(r"\w+", word) for word in words):
            return self.fresh(KINDS[found[1]], None)
        return self.fresh(KINDS[found[1]], tuple(Axis(Size.of(int(word)) if word.isdigit() else Size("'" + word)) for word in words))

    def block(self, body: list[ast.stmt], scope: Scope) -> None:
        counters = self.counters
        for statement in body:
            self.statement(statement, scope)
            if self.counters and leaves(statement):
                self.counters = {}
        self.counters = counters

    def perhaps(self, body: list[ast.stmt], scope: Scope) -> None:
        """Statements that may not run."""
        counters, self.counters = self.counters, {}
        self.block(body, scope)
        self.counters = counters

    def statement(self, node: ast.stmt, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            value = self.length(node, scope) or self.value(node.value, scope)
            for target in node.targets:
                self.assign(target, value, scope, node)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope, node)
        elif isinstance(node, ast.AugAssign):
            self.augmented(node, scope)
        elif isinstance(node, ast.For):
            self.loop(node, scope)
        elif isinstance(node, (ast.If, ast.While)):
            self.value(node.test, scope)
            one, other = dict(scope), dict(scope)
            self.perhaps(node.body, one)
            self.perhaps(node.orelse, other)
            self.merge(scope, one, other)
        elif isinstance(node, ast.Return):
            value = self.value(node.value, scope) if node.value is not None else UNKNOWN
            values = scope.get("return", UNKNOWN).extra.get("values")
            if isinstance(values, list):
                values.append(value)
        elif isinstance(node, (ast.Expr, ast.Assert)):
            self.value(node.value if isinstance(node, ast.Expr) else node.test, scope)
        elif isinstance(node, ast.With):
            self.block(node.body, scope)
        elif isinstance(node, ast.Try):
            for part in (node.body, *(handler.body for handler in node.handlers), node.orelse, node.finalbody):
                self.perhaps(part, scope)
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    self.function(item, None, dict(scope))

    def length(self, node: ast.Assign, scope: Scope) -> Value | None:
        """`n = len(x)`, `n = x.shape[0]` of an array of which nothing is known: a name for that size; None for others."""
        target, name = node.targets[0], measured(node.value)
        base = scope.get(name or "", UNKNOWN)
        if name is None or base.axes is not None or base.parts is not None or not isinstance(target, ast.Name) or self.inside is None:
            return None
        size = Size(target.id)
        scope[name] = base.but(extra={**base.extra, "length": size})
        return Value("int", (), number=size)

    def merge(self, scope: Scope, one: Scope, other: Scope) -> None:
        for name in {*one, *other}:
            a, b = one.get(name, UNKNOWN), other.get(name, UNKNOWN)
            scope[name] = a if a == b else Value(a.kind if a.kind == b.kind else None, a.axes if a.axes == b.axes else None, a.memory | b.memory)

    def loop(self, node: ast.For, scope: Scope) -> None:
        items = self.value(node.iter, scope)
        source = node.iter
        if isinstance(source, ast.Call) and getattr(source.func, "id", "") == "reversed" and len(source.args) == 1:
            source = source.args[0]
            items = self.value(source, scope)
        if isinstance(source, ast.Call) and getattr(source.func, "id", "") == "range":
            item = Value("int", (), extra={"weak": True})
        elif items.array:
            assert items.axes is not None
            item = items.but(axes=items.axes[1:], part_of_memory=True) if len(items.axes) > 1 else Value(items.kind, ())
        else:
            item = UNKNOWN
        # What the body changes is not known when it begins.
        changed = {name.id for part in node.body for name in ast.walk(part) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        for name in changed & set(scope):
            if scope[name].axes == () or scope[name].number is not None:
                scope[name] = scope[name].but(number=None)
        self.bind(node.target, item, scope)
        counters, end = self.counters, end_of(self, node, scope)
        if end is not None and isinstance(node.target, ast.Name):
            self.counters = {**counters, node.target.id: end}
        self.block(node.body, scope)
        self.counters = counters
        self.perhaps(node.orelse, scope)

    def bind(self, target: ast.expr, value: Value, scope: Scope) -> None:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = value.parts if value.parts is not None and len(value.parts) == len(target.elts) else [UNKNOWN] * len(target.elts)
            for item, part in zip(target.elts, parts):
                self.bind(item, part, scope)

    def assign(self, target: ast.expr, value: Value, scope: Scope, node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            if value.number is not None and value.number.name is None and self.depth == 0:
                # A number with a name is a size of its own, though another may have the same value.
                value = value.but(number=Size(target.id, 0, value.number.value))
            if target.id in scope and value.number is not None and value.number.name == target.id and not value.number.plus:
                self.forget_sizes(target.id, scope)
            scope[target.id] = value
            self.forget(target.id, scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if value.note.startswith("shape of "):
                if self.name_sizes(target, value.note.removeprefix("shape of "), scope):
                    return
            parts = value.parts if value.parts is not None and len(value.parts) == len(target.elts) else [UNKNOWN] * len(target.elts)
            for item, part in zip(target.elts, parts):
                self.assign(item, part, scope, node)
        elif isinstance(target, ast.Subscript):
            place = self.value(target, scope)
            base = self.value(target.value, scope)
            if place.axes is not None and value.axes is not None:
                self.stored(node, place, value)
            self.narrowed(node, base, value)
            self.written(node, target.value, base, scope)

    def forget(self, name: str, scope: Scope) -> None:
        """Reductions of a variable that stands for something else now."""
        for other, value in scope.items():
            if value.extra.get("reduced") == name:
                scope[other] = value.but(extra={})

    def forget_sizes(self, name: str, scope: Scope) -> None:
        """Arrays of the size that had this name before it was given to another one."""
        for other, value in scope.items():
            known = value.number
            if known is not None and known.name == name:
                scope[other] = value = value.but(number=None)
            if value.axes and any(axis.size is not None and axis.size.name == name for axis in value.axes):
                axes = (replace(axis, size=None) if axis.size is not None and axis.size.name == name else axis for axis in value.axes)
                scope[other] = value.but(axes=tuple(axes))

    def name_sizes(self, target: ast.Tuple | ast.List, name: str, scope: Scope) -> bool:
        """`n, m = a.shape` says how many dimensions `a` has, and names them, if nothing else is known of them."""
        base = scope.get(name)
        if base is None or not all(isinstance(item, ast.Name) for item in target.elts):
            return False
        if base.axes is not None and (len(base.axes) != len(target.elts) or any(axis.size is not None for axis in base.axes)):
            return False
        names = [item.id for item in target.elts if isinstance(item, ast.Name)]
        group = None if may_be_equal(self.inside, names) else target.lineno * 1000 + target.col_offset
        sizes = [Size(f"{item}@{self.depth}") if item == "_" else Size(item, 0, None, group) for item in names]
        made = self.fresh(base.kind, tuple(Axis(size) for size in sizes))
        scope[name] = made.but(memory=base.memory or made.memory)
        for item, size in zip(names, sizes):
            scope[item] = Value("int", (), number=size)
        return True

    def stored(self, node: ast.stmt, place: Value, value: Value) -> None:
        assert place.axes is not None and value.axes is not None
        for k in range(1, len(value.axes) + 1):
            size = value.axes[-k].size
            room = place.axes[-k].size if k <= len(place.axes) else ONE
            if size is not None and room is not None and size.value != 1 and (size.differs(room)):
                self.report(node, Rule.AGREE, f"a value of shape {value.shape} does not fit a place of shape {place.shape}")
                return

    def narrowed(self, node: ast.stmt, base: Value, value: Value) -> None:
        """A value that loses something by the type of the array that it is stored in."""
        for part in value.parts or ():
            self.narrowed(node, base, part)
        if base.kind in ("int", "uint8", "bool") and value.kind in ("float", "float32") and not value.extra.get("integral"):
            self.report(node, Rule.TYPE, f"a float is cut off when it is stored in an array of type {base.kind}")
        elif base.kind == "uint8" and value.axes == () and value.number is not None and value.number.name is None and not 0 <= value.number.plus < 256:
            self.report(node, Rule.TYPE, f"{value.number.plus} does not fit into an array of type uint8")
        elif base.kind in ("float", "float32", "int", "uint8") and value.kind == "complex":
            self.report(node, Rule.TYPE, "an imaginary part is dropped")

    def augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        target = self.value(node.target, scope)
        value = self.value(node.value, scope)
        result = self.operation(node, node.op, target, value, node.target, node.value)
        if target.array or isinstance(node.target, ast.Subscript):
            base = self.value(node.target.value, scope) if isinstance(node.target, ast.Subscript) else target
            if target.axes is not None and result.axes is not None and len(result.axes) > len(target.axes):
                self.report(node, Rule.AGREE, f"the result of shape {result.shape} does not fit a place of shape {target.shape}")
            if base.kind in ("int", "uint8") and (result.kind in ("float", "float32") or isinstance(node.op, ast.Div)):
                self.report(node, Rule.TYPE, f"a float is stored in an array of type {base.kind}: NumPy refuses or cuts off")
            else:
                self.narrowed(node, base, value)
            self.written(node, node.target.value if isinstance(node.target, ast.Subscript) else node.target, base, scope)
        elif isinstance(node.target, ast.Name):
            scope[node.target.id] = result

    def written(self, node: ast.stmt, target: ast.expr, base: Value, scope: Scope) -> None:
        """A write to memory that other names have, too."""
        if not isinstance(target, ast.Name) or not base.memory:
            return
        loops = getattr(node, "lineno", 0)
        for name, other in scope.items():
            if name == target.id or not other.memory & base.memory or not (other.part_of_memory or base.part_of_memory or other.note == "alias"):
                continue
            later = [line for line in self.uses.get(name, []) if line > loops]
            if later or (base.part_of_memory and base.memory & self.parameters):
                what = "a part of it" if base.part_of_memory else "shares its memory"
                text = f"`{target.id}` is {what}" if base.part_of_memory else f"`{name}` {what}"
                self.report(node, Rule.VIEW, f"this write also changes `{name}`: {text}; copy it if that is not meant")
                return

    # Expressions

    def value(self, node: ast.expr, scope: Scope) -> Value:
        """What is known of an expression."""
        if isinstance(node, ast.Name):
            found = scope.get(node.id, UNKNOWN)
            return found.but(note=f"name {node.id}") if found.array or found.axes is None else found
        if isinstance(node, ast.Constant):
            return self.constant(node)
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left, scope), self.value(node.right, scope)
            if not isinstance(node.op, ast.MatMult):
                self.neighbours(node, node.left, node.right, scope)
                self.misaligned(node, node.left, node.right, left, right)
            return self.operation(node, node.op, left, right, node.left, node.right)
        if isinstance(node, ast.UnaryOp):
            inner = self.value(node.operand, scope)
            number = inner.number
            negative = Size.of(-number.plus) if isinstance(node.op, ast.USub) and number is not None and number.name is None else None
            return inner.but(number=negative, memory=frozenset(), note="")
        if isinstance(node, ast.Compare):
            return self.comparison(node, scope)
        if isinstance(node, ast.Attribute):
            return self.attribute(node, scope)
        if isinstance(node, ast.Subscript):
            return self.subscript(node, scope)
        if isinstance(node, ast.Call):
            return call(self, node, scope)
        if isinstance(node, (ast.Tuple, ast.List)):
            if any(isinstance(item, ast.Starred) for item in node.elts):
                for item in node.elts:
                    self.value(item.value if isinstance(item, ast.Starred) else item, scope)
                return UNKNOWN
            return Value(parts=tuple(self.value(item, scope) for item in node.elts))
        if isinstance(node, ast.IfExp):
            self.value(node.test, scope)
            counters, self.counters = self.counters, {}
            one, other = self.value(node.body, scope), self.value(node.orelse, scope)
            self.counters = counters
            return one if one == other else UNKNOWN
        counters, self.counters = self.counters, {} if isinstance(node, ast.BoolOp) else self.counters
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr) and not isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
                self.value(child, scope)
        self.counters = counters
        return UNKNOWN

    def misaligned(self, node: ast.AST, a: ast.expr, b: ast.expr, left: Value, right: Value) -> None:
        """An array of which nothing is known beside its own reduction over an axis behind the first one, whose axes no longer stand under its own."""
        for array, value in ((a, right), (b, left)):
            place = getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1
            if isinstance(array, ast.Name) and value.extra.get("reduced") == array.id and not any(known[:2] == place for known in self.found):
                axis = value.extra["axis"]
                self.report(node, Rule.CHANCE, f"`{array.id}` without its axis {axis} is broadcast along other axes of `{array.id}`: write `keepdims=True`")

    def neighbours(self, node: ast.AST, a: ast.expr, b: ast.expr, scope: Scope) -> None:
        """Slices of one array of which nothing else is known, as in `u[1:] - u[:-2]`."""
        one, other = extent(a), extent(b)
        if one is None or other is None or one[0] != other[0] or len(one[1]) != len(other[1]):
            return
        base = scope.get(one[0].split(".")[0].split("[")[0], UNKNOWN)
        if base.axes is not None or base.parts is not None:
            return  # looked at with the sizes that are known
        for x, y in zip(one[1], other[1]):
            if x is not None and y is not None and x != y:
                self.report(node, Rule.AGREE, f"sizes {Size('n', x)} and {Size('n', y)} of slices of `{one[0]}` cannot agree")
                return

    def constant(self, node: ast.Constant) -> Value:
        kinds = {bool: "bool", int: "int", float: "float", complex: "complex"}
        kind = kinds.get(type(node.value))
        if kind is None:
            return UNKNOWN
        number = Size.of(node.value) if type(node.value) is int else None
        return Value(kind, (), number=number, extra={"weak": True, "integral": isinstance(node.value, float) and node.value == int(node.value) if isinstance(node.value, float) and abs(node.value) < 1e15 else False})

    def operation(self, node: ast.AST, op: ast.operator, left: Value, right: Value, a: ast.expr, b: ast.expr) -> Value:
        if isinstance(op, ast.MatMult):
            return self.product(node, left, right)
        number = self.arithmetic(op, left.number, right.number)
        weak = bool(left.extra.get("weak")), bool(right.extra.get("weak"))
        kind = wider(left.kind, right.kind, *weak)
        if isinstance(op, ast.Div) and (kind in ("int", "bool", "uint8") or kind is None and "float" in (left.kind, right.kind)):
            kind = "float"
        if isinstance(op, ast.Pow) and left.kind == "int" and left.array and right.number is not None and right.number.value is not None and right.number.value < 0:
            self.report(node, Rule.TYPE, "NumPy refuses negative powers of integers")
        if isinstance(op, ast.Sub) and left.kind == right.kind == "uint8" and (left.array or right.array):
            self.report(node, Rule.TYPE, "differences of unsigned bytes wrap around below 0")
        if isinstance(op, (ast.Add, ast.Mult)) and left.kind == right.kind == "uint8" and left.array and right.array:
            self.report(node, Rule.TYPE, "sums and products of bytes wrap around above 255")
        axes = self.broadcast(node, left, right, a, b)
        return Value(kind, axes, number=number, extra={"weak": all(weak)})

    def arithmetic(self, op: ast.operator, a: Size | None, b: Size | None) -> Size | None:
        if a is None or b is None:
            return None
        if isinstance(op, ast.Add):
            return a.add(b.plus) if b.name is None else b.add(a.plus) if a.name is None else self.unnamed(a, b, lambda x, y: x + y)
        if isinstance(op, ast.Sub) and b.name is None:
            return a.add(-b.plus)
        if isinstance(op, ast.Mult):
            return (b if a == ONE else a) if ONE in (a, b) else self.unnamed(a, b, lambda x, y: x * y)
        return self.unnamed(a, b, lambda x, y: x // y) if isinstance(op, ast.FloorDiv) and b.value else None

    def unnamed(self, a: Size, b: Size, f: object) -> Size | None:
        """A number made of two that are known."""
        if a.value is None or b.value is None:
            return None
        made = f(a.value, b.value)  # type: ignore[operator]
        return Size.of(made) if a.name is None and b.name is None else Size(f"{a}, {b}", 0, made)

    def broadcast(self, node: ast.AST, left: Value, right: Value, a: ast.expr | None, b: ast.expr | None) -> tuple[Axis, ...] | None:
        """The axes of the result of an elementwise operation."""
        if left.axes is None or right.axes is None:
            return None
        one, other = left.axes, right.axes
        made: list[Axis] = []
        for k in range(1, max(len(one), len(other)) + 1):
            x, y = one[-k] if k <= len(one) else None, other[-k] if k <= len(other) else None
            if x is None or y is None:
                kept = x or y
                assert kept is not None
                made.append(kept)
                continue
            self.pair(node, left, right, x, y, len(one) != len(other))
            made.append(y if x.one else x if y.one else Axis(x.size if x.size is not None else y.size, x.origins | y.origins))
        self.spread(node, left, right, a, b)
        return tuple(reversed(made))

    def pair(self, node: ast.AST, left: Value, right: Value, x: Axis, y: Axis, ranks_differ: bool) -> None:
        """Two axes that are laid side by side."""
        if x.one or y.one:
            return
        if x.size is None or y.size is None:
            if ranks_differ and self.crossed(x, y):
                self.report(node, Rule.CHANCE, f"a vector along axis {self.crossed(x, y)} of an array is broadcast along another of its axes: write `keepdims=True` or `[:, None]`")
            return
        if x.size.differs(y.size):
            self.report(node, Rule.AGREE, f"sizes {x} and {y} cannot agree: {left.shape} with {right.shape}")
        elif ranks_differ and x.origins and y.origins and self.crossed(x, y):
            self.report(node, Rule.CHANCE, f"a vector along axis {self.crossed(x, y)} of an array is broadcast along another of its axes: write `keepdims=True` or `[:, None]`")
        elif ranks_differ and x.size.chance(y.size):
            self.report(node, Rule.CHANCE, f"sizes {x} and {y} are equal by chance: {left.shape} with {right.shape}")

    def crossed(self, x: Axis, y: Axis) -> str:
        """The number of an axis, where two axes that came from different axes of one array meet."""
        for array, axis in sorted(x.origins):
            for other, second in sorted(y.origins):
                if array == other and axis != second and (array, axis) not in y.origins and (other, second) not in x.origins:
                    return str(second if len(x.origins) >= len(y.origins) else axis)
        return ""

    def spread(self, node: ast.AST, left: Value, right: Value, a: ast.expr | None, b: ast.expr | None) -> None:
        """A column of n with a vector of n."""
        for column, vector, text in ((left, right, a), (right, left, b)):
            if column.axes is None or vector.axes is None or len(column.axes) != 2 or len(vector.axes) != 1 or not column.axes[1].one:
                continue
            n, m = column.axes[0].size, vector.axes[0].size
            deliberate = vector.extra.get("indices") or isinstance(text, ast.Subscript) and "None" in ast.unparse(text.slice) + ast.unparse(text.slice).replace("newaxis", "None")
            if n is not None and m is not None and n.same(m) and n.value != 1 and not deliberate:
                self.report(node, Rule.SQUARE, f"{left.shape} with {right.shape} makes {n} x {n} numbers".replace("'", ""))

    def product(self, node: ast.AST, left: Value, right: Value) -> Value:
        """`a @ b`."""
        kind = wider(left.kind, right.kind)
        if not left.array or not right.array:
            if (left.axes == () and left.kind) or (right.axes == () and right.kind):
                self.report(node, Rule.AGREE, "`@` takes no numbers: write `*`")
            return Value(kind)
        assert left.axes is not None and right.axes is not None
        x, y = left.axes[-1].size, right.axes[-2 if len(right.axes) > 1 else 0].size
        if x is not None and y is not None and x.differs(y):
            self.report(node, Rule.AGREE, f"sizes {x} and {y} cannot agree in a product: {left.shape} with {right.shape}".replace("'", ""))
        rest = right.axes[-1:] if len(right.axes) > 1 else ()
        return Value(kind, left.axes[:-1] + rest if len(right.axes) <= 2 else None)

    def comparison(self, node: ast.Compare, scope: Scope) -> Value:
        left = self.value(node.left, scope)
        for op, right in zip(node.ops, node.comparators):
            other = self.value(right, scope)
            if isinstance(op, (ast.Eq, ast.NotEq)) and (is_nan(right) or is_nan(node.left)):
                self.report(node, Rule.NAN, "NaN is equal to nothing: use `np.isnan`")
            axes = self.broadcast(node, left, other, node.left, right)
            left = Value("bool", axes)
        return left

    def attribute(self, node: ast.Attribute, scope: Scope) -> Value:
        base = self.value(node.value, scope)
        if node.attr == "shape":
            name = node.value.id if isinstance(node.value, ast.Name) else ""
            parts = None if base.axes is None else tuple(Value("int", (), number=axis.size) for axis in base.axes)
            return Value(parts=parts, note=f"shape of {name}" if name else "")
        if node.attr == "T" and base.axes is not None:
            return base.but(axes=base.axes[::-1], part_of_memory=True)
        if node.attr == "size" and base.axes is not None and len(base.axes) == 1:
            return Value("int", (), number=base.axes[0].size)
        if node.attr in ("real", "imag"):
            return base.but(kind="float" if base.kind == "complex" else base.kind, memory=frozenset())
        return Value("float", ()) if node.attr in ("pi", "e", "inf", "nan") else UNKNOWN

    def subscript(self, node: ast.Subscript, scope: Scope) -> Value:
        base = self.value(node.value, scope)
        items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if base.parts is not None:
            number = self.value(items[0], scope).number if not isinstance(items[0], ast.Slice) else None
            if number is not None and number.name is None and -len(base.parts) <= number.plus < len(base.parts):
                return base.parts[number.plus]
            return UNKNOWN
        if base.axes is None:
            for item in items:
                if not isinstance(item, ast.Slice):
                    self.value(item, scope)
            if isinstance(length := base.extra.get("length"), Size):
                look_at(self, items[0], Axis(length))
            return UNKNOWN.but(memory=base.memory, part_of_memory=bool(base.memory), kind=base.kind)
        return self.indexed(node, base, items, scope)

    def indexed(self, node: ast.Subscript, base: Value, items: list[ast.expr], scope: Scope) -> Value:
        assert base.axes is not None
        plain = [item for item in items if not (isinstance(item, ast.Constant) and item.value in (None, ...)) and not (isinstance(item, ast.Attribute) and item.attr == "newaxis")]
        if len(plain) > len(base.axes):
            self.report(node, Rule.AXIS, f"{len(plain)} indices for an array of shape {base.shape}")
            return UNKNOWN
        made: list[Axis] = []
        at, copied = 0, False
        for item in items:
            if isinstance(item, ast.Constant) and item.value is None or isinstance(item, ast.Attribute) and item.attr == "newaxis":
                made.append(Axis(ONE))
                continue
            if isinstance(item, ast.Constant) and item.value is ...:
                skip = len(base.axes) - len(plain)
                made += base.axes[at : at + skip]
                at += skip
                continue
            axis = base.axes[at]
            at += 1
            if isinstance(item, ast.Slice):
                made.append(self.sliced(axis, item, scope))
                continue
            index = self.value(item, scope)
            look_at(self, item, axis)
            if index.axes is None:
                return Value(base.kind)
            if index.kind == "bool" and index.array:
                return Value(base.kind, (Axis(), *base.axes[at - 1 + len(index.axes) :])) if len(items) == 1 else Value(base.kind)
            if index.array:
                copied = True
                made += index.axes
            elif index.number is not None and index.number.name is None and axis.size is not None and axis.size.value is not None:
                if not -axis.size.value <= index.number.plus < axis.size.value:
                    self.report(item, Rule.AGREE, f"index {index.number.plus} is out of bounds for size {axis}")
        axes = (*made, *base.axes[at:])
        if copied or not axes:
            return Value(base.kind, axes)
        return base.but(axes=axes, part_of_memory=True, note="", number=None)

    def sliced(self, axis: Axis, item: ast.Slice, scope: Scope) -> Axis:
        lower = self.value(item.lower, scope).number if item.lower is not None else Size.of(0)
        upper = self.value(item.upper, scope).number if item.upper is not None else axis.size
        if item.step is not None:
            step = ast.unparse(item.step)
            return axis if step == "-1" and item.lower is None and item.upper is None else Axis()
        if axis.size is None or lower is None or upper is None or lower.name is not None:
            whole = item.lower is None and item.upper is None
            return axis if whole else Axis()
        if item.lower is None and item.upper is None:
            return axis
        end = axis.size.add(upper.plus) if item.upper is not None and upper.name is None and upper.plus < 0 else upper
        start = lower.plus
        if start < 0:
            return Axis(Size.of(-start), axis.origins) if item.upper is None else Axis()
        if axis.size.value is not None and end.value is not None:
            end = min(end, axis.size, key=lambda size: size.value or 0)
        return Axis(end.add(-start), axis.origins)


def lint(text: str, file: str = "<text>") -> list[Finding]:
    """The mistakes in a program, in the order of its lines."""
    reader = Reader(file)
    try:
        tree = ast.parse(text)
        reader.module(tree)
    except (SyntaxError, ValueError) as error:
        line, column = getattr(error, "lineno", 1) or 1, getattr(error, "offset", 1) or 1
        return [Finding(file, line, column, Rule.SYNTAX.value, f"no Python: {error.args[0] if error.args else error}")]
    except RecursionError:
        return [Finding(file, 1, 1, Rule.SYNTAX.value, "the expressions of this file are nested too deeply")]
    return sorted(reader.found.values())


__all__ = ["Reader", "lint", "reduced"]
