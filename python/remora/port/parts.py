"""Variables that hold dictionaries and objects: each part is a variable of its own, which loops and branches carry."""

from __future__ import annotations

import ast
from dataclasses import replace

from .blocks import Lines
from .context import Restart
from .diagnostics import Code, Unread
from .lists import Lists
from .reading import annotated
from .values import ATOM, Value


class Parts(Lists):
    """Reads what gives parts of records other values."""

    def bind(self, statement: ast.AST, name: str, value: Value) -> Lines:
        """A name for a value."""
        if value.dtype != "record" or value.items is None:
            return super().bind(statement, name, value)
        names = tuple(f"{name}.{key}" for key in value.keys)
        if self.current is not None and not set(names) <= annotated(self.current):
            self.touches(set(names))
        known = self.env.get(name)
        lines: Lines = self.flush()
        self.locals = self.locals | set(names)
        if known is not None and known.dtype == "record" and any(each in self.env for each in names):
            # The new parts may be made of the old ones.
            kept = []
            for item in value.items:
                if item.items is None and item.function is None and item.const is None:
                    own = self.context.short()
                    lines.append(f"let {own} = {item.text}")
                    item = replace(item, text=own, prec=ATOM)
                kept.append(item)
            value = replace(value, items=tuple(kept))
        for each, item in zip(names, value.items or ()):
            text = self.name_of(each)
            if name in self.context.stable and (name, each) not in self.context.facts.written:
                self.context.stable.add(text)
            lines += [*self.flush(), *super().bind(statement, each, item)]
        self.env[name] = replace(value, text=name, items=None if names else (), spread=names)
        self.born = {**self.born, name: self.nest}
        return lines

    def with_part(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines | None:
        """`p["new"] = v` where the dictionary was made in the same block; None for other targets."""
        base, key = target.value, target.slice.value if isinstance(target.slice, ast.Constant) else None
        known = self.env.get(base.id) if isinstance(base, ast.Name) and base.id in self.locals else None
        if not isinstance(base, ast.Name) or known is None or known.dtype != "record" or known.kind is not None or not isinstance(key, str) or key in known.keys:
            return None
        if self.born.get(base.id) is not self.nest:
            return None
        self.check_alone(target, base.id, known)
        own = f"{base.id}.{key}"
        if not {own} <= annotated(self.current):
            self.touches({own})
        self.locals = self.locals | {own}
        lines = [*self.flush(), *super().bind(statement, own, value)]
        self.env[base.id] = replace(known, items=None, keys=(*known.keys, key), spread=(*known.spread, own))
        return lines

    def part_named(self, target: ast.Subscript | ast.Attribute) -> tuple[str, str] | None:
        """The variable and the key of `p["a"]` or `p.a`, if the variable is a record."""
        base = target.value
        if not isinstance(base, ast.Name):
            return None
        value = self.env.get(base.id) if base.id in self.locals else None
        if value is None or value.dtype != "record":
            return None
        if isinstance(target, ast.Attribute):
            key: object = target.attr
        else:
            key = target.slice.value if isinstance(target.slice, ast.Constant) else None
        if not isinstance(key, str) or isinstance(target, ast.Attribute) != (value.kind is not None):
            raise Unread(target, Code.FORM, "a key of a dictionary that is no constant text", "use arrays, indexed by numbers")
        if not value.spread and not (base.id in self.born and not value.keys):
            raise Unread(target, Code.ALIAS, "this changes what the caller of the function sees", "return the new value, and put it there in the caller")
        if key not in value.keys:
            raise Unread(target, Code.FORM, f"the new part `{key}`", "give it a value where the dictionary is made, or in `__init__`")
        if isinstance(value.kind, type) and (issubclass(value.kind, tuple) or getattr(getattr(value.kind, "__dataclass_params__", None), "frozen", False)):
            raise Unread(target, Code.TYPE, "a part of what cannot be changed", "Python raises an error, too")
        self.check_alone(target, base.id, value)
        return base.id, key

    def check_alone(self, node: ast.AST, name: str, value: Value) -> None:
        """Looks whether a record that changes has one name only."""
        for other, known in self.env.items():
            if other != name and other not in value.spread and known is not None and holds(known, value):
                raise Unread(node, Code.ALIAS, f"`{name}` may be the same object as `{other}`", "copy it first")

    def assign(self, statement: ast.AST, target: ast.expr, value: Value) -> Lines:
        """One target of an assignment."""
        new = self.with_part(statement, target, value) if isinstance(target, ast.Subscript) else None
        if new is not None:
            return new
        found = self.part_named(target) if isinstance(target, (ast.Subscript, ast.Attribute)) else None
        if found is None:
            return super().assign(statement, target, value)
        return self.bind(statement, self.part(found), value)

    def part(self, found: tuple[str, str]) -> str:
        """The variable that is a part, of which the current statement writes."""
        name = ".".join(found)
        if self.name_of(name) in self.context.stable:
            self.context.facts.written.add((found[0], name))
            raise Restart
        if not {name} <= annotated(self.current):
            self.touches({name})
        return name

    def s_augassign(self, statement: ast.AugAssign) -> Lines:
        target = statement.target
        found = self.part_named(target) if isinstance(target, (ast.Subscript, ast.Attribute)) else None
        if found is not None:
            self.locals = self.locals | {self.part(found)}
            target = ast.copy_location(ast.Name(self.part(found), ast.Store()), target)
            return self.s_augassign(ast.copy_location(ast.AugAssign(target, statement.op, statement.value), statement))
        base = target.value if isinstance(target, ast.Subscript) else None
        inner = self.part_named(base) if isinstance(base, (ast.Subscript, ast.Attribute)) else None
        if inner is not None and isinstance(target, ast.Subscript):
            named = ast.copy_location(ast.Subscript(ast.copy_location(ast.Name(self.part(inner), ast.Load()), target), target.slice, ast.Store()), target)
            return self.s_augassign(ast.copy_location(ast.AugAssign(named, statement.op, statement.value), statement))
        return super().s_augassign(statement)

    def write(self, statement: ast.AST, target: ast.Subscript, value: Value) -> Lines:
        """`p["a"][i] = v` writes to the array that is a part."""
        inner = self.part_named(target.value) if isinstance(target.value, (ast.Subscript, ast.Attribute)) else None
        if inner is not None:
            target = ast.copy_location(ast.Subscript(ast.copy_location(ast.Name(self.part(inner), ast.Load()), target), target.slice, ast.Store()), target)
        return super().write(statement, target, value)


def holds(known: Value, value: Value) -> bool:
    """Whether a value is the same object as another, or has it among its parts."""
    if known.dtype == "record" and known.serial is not None and known.serial is value.serial:
        return True
    return any(holds(item, value) for item in known.items or () if isinstance(item, Value))
