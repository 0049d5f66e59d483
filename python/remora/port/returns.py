"""`return` of arrays inside of loops: what says that a loop was left is a variable, and the value is made after the loop."""

from __future__ import annotations

import ast
import copy

from .reading import leaves, used, walk


class Flagged:
    """A loop without `return`, with what stands before and after it."""

    def __init__(self, statement: ast.For | ast.While, flag: str, known: set[str], local: set[str], fresh: set[str]) -> None:
        self.flag, self.known, self.local, self.fresh = flag, known, local, fresh
        self.returns: list[ast.Return] = []
        self.only: set[str] = set()  # variables that are read where the loop was left by a `return` only
        self.count = sum(isinstance(node, ast.Return) for node in walk(statement))
        body = self.replaced(statement.body)
        loop: ast.For | ast.While
        if isinstance(statement, ast.For):
            loop = ast.For(statement.target, statement.iter, body, [])
        else:
            loop = ast.While(statement.test, body, [])
        self.loop = ast.copy_location(loop, statement)
        self.statements = [self.set(0, statement), self.loop, *self.after(statement), *statement.orelse]

    def set(self, number: int, at: ast.AST) -> ast.stmt:
        value = ast.copy_location(ast.Constant(bool(number) if self.count == 1 else number), at)
        return ast.copy_location(ast.Assign([ast.copy_location(ast.Name(self.flag, ast.Store()), at)], value), at)

    def test(self, number: int, at: ast.AST) -> ast.expr:
        """Whether the loop was left by a `return`: by this one, or, for 0, by any."""
        flag = ast.copy_location(ast.Name(self.flag, ast.Load()), at)
        if self.count == 1:
            return flag
        operator: ast.cmpop = ast.NotEq() if number == 0 else ast.Eq()
        return ast.copy_location(ast.Compare(flag, [operator], [ast.copy_location(ast.Constant(number), at)]), at)

    def after(self, statement: ast.For | ast.While) -> list[ast.stmt]:
        """The results, one for each `return`."""
        endless = isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant) and statement.test.value and not leaves(statement.body, (ast.Break,))
        found: list[ast.stmt] = []
        for number, each in enumerate(self.returns, 1):
            last = endless and number == len(self.returns)
            found.append(each if last else ast.copy_location(ast.If(self.test(number, each), [each], []), each))
        return found

    def replaced(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of an iteration, or of a branch of it."""
        found: list[ast.stmt] = []
        for each in statements:
            if isinstance(each, ast.Return):
                return found + self.leave(each)
            if isinstance(each, ast.If) and leaves([each], (ast.Return,)):
                each = ast.copy_location(ast.If(each.test, self.replaced(each.body), self.replaced(each.orelse)), each)
            elif isinstance(each, (ast.For, ast.While)) and leaves(each.body, (ast.Return,)):
                inner = copy.copy(each)
                inner.__dict__.pop("rewritten", None)
                inner.body, inner.orelse = self.replaced(each.body), []
                left = ast.copy_location(ast.If(self.test(0, each), [ast.copy_location(ast.Break(), each)], []), each)
                found += [inner, left, *each.orelse]
                continue
            found.append(each)
        return found

    def leave(self, statement: ast.Return) -> list[ast.stmt]:
        """What stands for a `return`: variables that only the loop has are kept."""
        value = copy.deepcopy(statement.value)
        sets: list[ast.stmt] = []
        for name in sorted(used([statement]) & self.local - self.known):
            own = f"{name}_"
            while own in self.fresh:
                own += "_"
            self.fresh.add(own)
            self.only.add(own)
            read = ast.copy_location(ast.Name(name, ast.Load()), statement)
            sets.append(ast.copy_location(ast.Assign([ast.copy_location(ast.Name(own, ast.Store()), statement)], read), statement))
            for node in ast.walk(value) if value is not None else ():
                if isinstance(node, ast.Name) and node.id == name:
                    node.id = own
        self.returns.append(ast.copy_location(ast.Return(value), statement))
        return [*sets, self.set(len(self.returns), statement), ast.copy_location(ast.Break(), statement)]
