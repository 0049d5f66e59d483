"""Views that have names of their own: what is written through one is written to the array that it is a part of, and all names of that see it."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .blocks import Lines, as_load, shares
from .calls import ravel
from .context import Restart
from .diagnostics import Code, Unread
from .operators import sized
from .places import Places
from .reading import annotated
from .shapes import as_shape
from .sizes import Size
from .values import ATOM, INTS, Value, bound_text, convert, fresh, type_text


@dataclass(frozen=True)
class View:
    """A part of the array of a variable."""

    root: str
    serial: Any  # what the variable stood for when the view was made
    path: ast.expr  # the part as an expression of the variable; all else in it keeps its value

    def same(self, other: Any) -> bool:
        """Whether another view is the same part."""
        return isinstance(other, View) and self.root == other.root and self.serial == other.serial and ast.dump(self.path) == ast.dump(other.path)


class Views(Places):
    """Reads writes through views."""

    def view_of(self, name: str) -> View | None:
        """What a variable is a view of, if that still stands there."""
        value = self.env.get(name)
        if value is None or not isinstance(value.view, View):
            return None
        root = self.env.get(value.view.root)
        return value.view if root is not None and root.serial == value.view.serial and shares(root, value) else None

    def shared(self, name: str) -> View | None:
        """The view that a variable is, if somebody else may see what is written to it."""
        view, value = self.view_of(name), self.env.get(name)
        if view is None or value is None:
            return None
        others = [other for other, known in self.env.items() if other != name and known is not None and other in self.live and shares(known, value)]
        if not others and not any(memory in self.params for memory in value.memory):
            return None
        if not {name, view.root} <= annotated(self.current):
            self.touches({name, view.root})
        return view

    def follows(self, other: str, name: str) -> bool:
        known = self.env.get(other)
        if known is not None and name in known.spread:
            return True
        view = self.view_of(other)
        if view is None or view.root != name:
            return False
        if not {other, name} <= annotated(self.current):
            self.touches({other, name})
        return True

    def touches(self, names: set[str]) -> None:
        """Keeps that the current statement writes to variables that it does not name."""
        statement = self.current
        assert statement is not None
        statement.also = annotated(statement) | names  # type: ignore[attr-defined]
        for each in self.definition.everything:
            each.__dict__.pop("read_names", None)
        raise Restart

    def refreshed(self, root: str) -> Lines:
        """The views of an array that was written, anew."""
        lines: Lines = []
        for name in list(self.env):
            view = self.view_of(name) if name != root and name in self.live else None
            known = self.env.get(name)
            if view is None or known is None or view.root != root:
                continue
            waiting = list(self.context.pending)
            self.context.pending.clear()
            value = self.eval(view.path)
            lines += [*self.flush(), f"let {self.name_of(name)} = {value.text}"]
            self.context.pending[:] = waiting
            self.env[name] = replace(known, text=self.name_of(name), prec=ATOM)
        return lines

    # What views are made by ------------------------------------------------------------------------------------------------------

    def s_assign(self, statement: ast.Assign) -> Lines:
        lines = super().s_assign(statement)
        pairs: list[tuple[ast.expr, ast.expr]] = [(target, statement.value) for target in statement.targets]
        if len(statement.targets) == 1 and isinstance(pairs[0][0], ast.Tuple) and isinstance(statement.value, ast.Tuple):
            pairs = list(zip(pairs[0][0].elts, statement.value.elts))
        targets = {each.id for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        if targets & {each.id for each in ast.walk(statement.value) if isinstance(each, ast.Name)}:
            return lines
        for target, source in pairs:
            if isinstance(target, ast.Name):
                lines = [*self.flush(), *lines] + self.note_view(target.id, source)
                value = self.env.get(target.id)
                if value is not None and value.rank > 1 and self.in_c_order(source):
                    self.ordered[value.serial] = ""
        return lines

    def note_view(self, name: str, source: ast.expr) -> Lines:
        """Keeps what a variable is a view of; the lines of what the expression needs to keep its value."""
        value = self.env.get(name)
        if value is None or not value.rank or value.items is not None or not value.memory or value.listed and isinstance(source, ast.Subscript):
            return []  # a part of a list is a copy
        lines: Lines = []
        found = self.path_of(source, lines)
        if found is None:
            if self.is_copy(source):
                self.env[name] = replace(value, memory=frozenset([fresh()]))
            return []
        root, path = found
        known = self.env[root]
        if root != name and known is not None and shares(known, value):
            self.env[name] = replace(value, view=View(root, known.serial, path))
        return lines

    def path_of(self, node: ast.expr, lines: Lines) -> tuple[str, ast.expr] | None:
        """The variable that an expression is a part of, and the part; None for what is no part that can be written."""
        if isinstance(node, ast.Name):
            known = self.env.get(node.id) if node.id in self.locals else None
            if known is None or not known.rank or known.items is not None or known.serial is None:
                return None
            view = self.view_of(node.id)
            return (view.root, view.path) if view is not None else (node.id, ast.copy_location(ast.Name(node.id, ast.Load()), node))
        if isinstance(node, ast.Attribute) and node.attr == "T":
            inner = self.path_of(node.value, lines)
            return None if inner is None else (inner[0], ast.copy_location(ast.Attribute(inner[1], "T", ast.Load()), node))
        if isinstance(node, ast.Call):
            return self.path_of_shape(node, lines)
        if not isinstance(node, ast.Subscript):
            return None
        inner = self.path_of(node.value, lines)
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        kept = [self.kept_index(each, lines) for each in parts]
        if inner is None or any(each is None for each in kept):
            return None
        index = kept[0] if len(kept) == 1 and not isinstance(node.slice, ast.Tuple) else ast.copy_location(ast.Tuple([each for each in kept if each is not None], ast.Load()), node.slice)
        assert index is not None
        return inner[0], ast.copy_location(ast.Subscript(inner[1], index, ast.Load()), node)

    def in_c_order(self, node: ast.expr) -> bool:
        """Whether an expression makes an array whose elements lie one after the other."""
        if not isinstance(node, ast.Call) or any(keyword.arg == "order" for keyword in node.keywords):
            return False
        function = self.resolve(node.func)
        if function is None and isinstance(node.func, ast.Attribute):
            return node.func.attr == "copy" and not node.args
        return function in (np.zeros, np.ones, np.empty) and len(node.args) < 3 or function in (np.full, np.eye, np.identity, np.arange, np.linspace) and len(node.args) < 4

    def is_copy(self, node: ast.expr) -> bool:
        """Whether an expression is `a.ravel()` of an argument whose elements do not lie one after the other."""
        base = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "ravel" and not node.args and not node.keywords else None
        known = self.env.get(base.id) if isinstance(base, ast.Name) and base.id in self.locals else None
        return known is not None and known.serial in self.apart

    def path_of_shape(self, node: ast.Call, lines: Lines) -> tuple[str, ast.expr] | None:
        """`a.ravel()` and `a.reshape(..)`, which are views of arrays whose elements lie one after the other."""
        function = node.func
        if node.keywords or not isinstance(function, ast.Attribute) or function.attr not in ("ravel", "reshape") or self.resolve(function) is not None:
            return None
        inner = self.path_of(function.value, lines)
        if inner is None or not isinstance(inner[1], ast.Name) or function.attr == "ravel" and node.args:
            return None
        known = self.env[inner[0]]
        assert known is not None
        parameter = self.ordered.get(known.serial)
        if parameter is None or len(known.axes) != known.rank:
            return None
        if parameter:
            self.context.facts.ordered.add(parameter)
            self.context.notes.add(f"`{ast.unparse(node)}` is a view where the elements of `{parameter}` lie one after the other; other arrays have a program of their own")
        if function.attr == "ravel":
            back = ast.copy_location(ast.Attribute(inner[1], "reshape", ast.Load()), node)
            return inner[0], ast.copy_location(ast.Call(back, [ast.copy_location(ast.Constant(-1), node)], []), node)
        sizes = list(node.args[0].elts) if len(node.args) == 1 and isinstance(node.args[0], ast.Tuple) else node.args
        kept = [made for each in sizes if (made := self.kept_index(each, lines)) is not None]
        if len(kept) != len(sizes):
            return None
        return inner[0], ast.copy_location(ast.Call(ast.copy_location(ast.Attribute(inner[1], "reshape", ast.Load()), node), kept, []), node)

    def kept_index(self, part: ast.expr, lines: Lines) -> ast.expr | None:
        """A part of an index whose numbers keep their values; None for what makes a copy, or a new dimension."""
        if isinstance(part, ast.Slice):
            ends = [None if each is None else self.kept_index(each, lines) for each in (part.lower, part.upper, part.step)]
            if any(made is None and each is not None for made, each in zip(ends, (part.lower, part.upper, part.step))):
                return None
            return ast.copy_location(ast.Slice(*ends), part)
        if isinstance(part, ast.Constant) and part.value is Ellipsis:
            return part
        value = self.eval(part)
        if not value.scalar or value.rank or value.dtype not in INTS:
            return None
        stable = self.context.stable | self.context.sizes
        inside = list(ast.walk(part))
        names = [each.id for each in inside if isinstance(each, ast.Name)]
        if value.const is not None or all(self.name_of(each) in stable for each in names) and not any(isinstance(each, (ast.Call, ast.Subscript)) for each in inside):
            return copy.deepcopy(part)
        return self.hidden(part, value, lines)

    def hidden(self, node: ast.expr, value: Value, lines: Lines) -> ast.expr:
        """A variable of no name of Python's that keeps a number."""
        own = self.context.short()
        lines.append(f"let {own} = {bound_text(convert(value, 'i64'))}")
        self.locals = self.locals | {own}
        self.env[own] = replace(convert(value, "i64"), text=own, prec=ATOM, const=None)
        return ast.copy_location(ast.Name(own, ast.Load()), node)

    def bind_row(self, statement: ast.AST, name: str, item: Value, array: Value, index: Value) -> Lines:
        """The variable of a loop over an array: a view of one row."""
        lines = self.bind(statement, name, item)
        root = next((other for other, known in self.env.items() if known is not None and known.rank and known.items is None and known.text == array.text and known.serial is not None), None)
        value = self.env.get(name)
        if root is None or value is None or not value.rank or root == name:
            return lines
        at = ast.Name(root, ast.Load())
        ast.copy_location(at, statement)
        base = self.path_of(at, [])
        if base is None:
            return lines
        own = self.context.short()
        self.locals = self.locals | {own}
        self.env[own] = index
        known = self.env[base[0]]
        assert known is not None
        path = ast.copy_location(ast.Subscript(base[1], ast.copy_location(ast.Name(own, ast.Load()), statement), ast.Load()), statement)
        self.env[name] = replace(value, view=View(base[0], known.serial, path))
        return lines

    # Writes ----------------------------------------------------------------------------------------------------------------------

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`a[..] = v`, also where `a` is a part of another array."""
        if isinstance(target.value, ast.Name):
            view = self.shared(target.value.id)
            if view is not None:
                return self.write(statement, ast.copy_location(ast.Subscript(view.path, target.slice, target.ctx), target), value)
            lines = super().write(statement, target, value)
            return lines + self.refreshed(target.value.id)
        if isinstance(target.value, ast.Call) and (found := self.path_of(target.value, [])) is not None:
            target = ast.copy_location(ast.Subscript(found[1], target.slice, target.ctx), target)
            if isinstance(found[1], ast.Call):
                return self.write_turned(statement, target, found[1], value)
        if isinstance(target.value, ast.Call) or isinstance(target.value, ast.Attribute) and target.value.attr in ("T", "flat"):
            return self.write_turned(statement, target, target.value, value)
        base = target.value
        while isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Call) and base is not target.value and self.eval(target.value).memory:
            return self.write_turned(statement, target, target.value, value)
        return super().write(statement, target, value)

    def write_turned(self, statement: ast.AST, target: ast.Subscript, outer: ast.expr, value: Value) -> Lines:
        """`a.T[..] = v` and `a.flat[..] = v`: the array in another order is made, written, and put back."""
        part = self.eval(outer)
        lines = self.flush()
        if value.prec < ATOM and value.items is None:
            own = self.context.short()
            lines.append(f"let {own} = {bound_text(value)}")
            value = replace(value, text=own, prec=ATOM, const=None)
        name = self.own_array(part, lines)
        inner = ast.copy_location(ast.Subscript(ast.copy_location(ast.Name(name, ast.Load()), target), target.slice, target.ctx), target)
        lines += self.write(statement, inner, value)
        written = self.env.pop(name)
        assert written is not None
        return lines + self.put_back(statement, outer, written)

    def own_array(self, part: Value, lines: Lines) -> str:
        """A variable of no name of Python's that keeps an array, which it owns."""
        name = self.context.short()
        self.locals = self.locals | {name}
        lines.append(f"let ({name}: {type_text(part)}) = {part.text}")
        self.env[name] = replace(part, text=name, prec=ATOM, memory=frozenset(), view=None, serial=object())
        return name

    def put_back(self, statement: ast.AST, part: ast.expr, value: Value) -> Lines:
        """Writes a whole part of an array."""
        if isinstance(part, ast.Attribute):
            base = self.eval(part.value)
            if part.attr == "T":
                turned = self.eval(ast.copy_location(ast.Attribute(self.held(value, part), "T", ast.Load()), part))
            else:
                turned = as_shape(part, value, base)
            return self.put_back(statement, part.value, turned)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            base = self.eval(part.func.value)
            flat = ravel(self, part, value) if value.rank > 1 else value
            count = Size.of(1)
            for size in base.shape:
                count = count * size
            flat = flat if flat.shape[0] == count else sized(self.context, part, flat, 0, count)
            return self.put_back(statement, part.func.value, as_shape(part, flat, base))
        if isinstance(part, ast.Name):
            part = ast.copy_location(ast.Subscript(part, ast.copy_location(ast.Constant(...), part), ast.Store()), part)
        if not isinstance(part, ast.Subscript):
            raise Unread(part, Code.ALIAS, "a write to this part of an array", "write to the array itself")
        lines = self.flush()
        return lines + self.write(statement, part, value)

    def held(self, value: Value, node: ast.expr) -> ast.expr:
        """An expression for a value that is there already."""
        own = self.context.short()
        self.locals = self.locals | {own}
        self.env[own] = value
        return ast.copy_location(ast.Name(own, ast.Load()), node)

    def s_augassign(self, statement: ast.AugAssign) -> Lines:
        target, op = statement.target, type(statement.op)
        if isinstance(target, ast.Name):
            view = self.shared(target.id)
            old = self.env.get(target.id)
            if view is not None and old is not None:
                made = self.in_place(statement, op, old, self.eval(statement.value), old.dtype)
                if made.rank != old.rank or made.axes != old.axes:
                    raise Unread(statement, Code.SHAPE, "the result has other dimensions than the array", "")
                lines = self.flush()
                return lines + self.put_back(statement, view.path, made)
            lines = super().s_augassign(statement)
            return self.flush() + lines + self.refreshed(target.id)
        base = target.value if isinstance(target, ast.Subscript) else None
        view = self.shared(base.id) if isinstance(base, ast.Name) else None
        if view is not None and isinstance(target, ast.Subscript):
            target = ast.copy_location(ast.Subscript(view.path, target.slice, target.ctx), target)
            return self.s_augassign(ast.copy_location(ast.AugAssign(target, statement.op, statement.value), statement))
        if isinstance(target, ast.Subscript) and isinstance(base, ast.Call) and (found := self.path_of(base, [])) is not None:
            target = ast.copy_location(ast.Subscript(found[1], target.slice, target.ctx), target)
            base = found[1]
        if isinstance(target, ast.Subscript) and (isinstance(base, ast.Call) or isinstance(base, ast.Attribute) and base.attr in ("T", "flat")):
            old = self.eval(as_load(target))
            return self.write(statement, target, self.in_place(statement, op, replace(old, weak=False), self.eval(statement.value), old.dtype))
        lines = super().s_augassign(statement)
        return self.flush() + lines + (self.refreshed(base.id) if isinstance(base, ast.Name) else [])
