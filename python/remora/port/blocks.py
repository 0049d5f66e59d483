"""Sequences of statements as one expression: `let`s and a result, and what leaves them early."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


from .context import Context, Restart
from .diagnostics import Code, Poisoned, Problem, Unread
from .expressions import NONE
from .indices import Indices
from .reading import Definition, assigned, exposed, leaves, used
from .sizes import Size
from .values import UNARY, Value


Lines = list[str]

# Statements that have no translation, and what to write instead.
FORMS: dict[type, tuple[str, str]] = {
    ast.Try: ("`try`", "look for the case before it: `if x != 0: ..`"),
    ast.With: ("this `with`", "write the statements without it; `np.errstate` that silences warnings is read"),
    ast.ClassDef: ("a class inside of a function", "define it outside"),
    ast.Global: ("`global`", "pass the value as an argument, and return the new one"),
    ast.Nonlocal: ("`nonlocal`", "return the new value, and assign it where the function is called"),
    ast.Delete: ("`del`", "leave it out; `np.delete` leaves elements out"),
    ast.Match: ("`match`", "write `if` and `elif`"),
}


@dataclass
class Flow:
    """What happens where statements end: the lines of the result for a `return`, `break`, `continue`."""

    on_return: Callable[[ast.AST, Value], Lines]
    on_break: Callable[[ast.AST], Lines] | None = None
    on_continue: Callable[[ast.AST], Lines] | None = None


def indented(lines: Lines, by: int = 2) -> Lines:
    """Lines further to the right."""
    return [" " * by + line if line else line for line in lines]


def finished(lets: Lines, result: Lines) -> Lines:
    """An expression: `let`s, and what they are for."""
    if not lets or all(line.startswith("--") for line in lets) or result[0].startswith(("let ", "--")):
        return lets + result
    last = max(k for k, line in enumerate(lets) if line[:1] not in (" ", ""))
    if len(result) == 1 and lets[last].startswith(f"let {result[0]} ="):
        # The value itself is the result.
        first = lets[last][len(f"let {result[0]} =") :].strip()
        kept = [first] if first else []
        return finished(lets[:last], kept + [line[2:] for line in lets[last + 1 :]])
    return lets + ["in " + result[0], *indented(result[1:], 3)]


def without_unread(lines: Lines) -> Lines:
    """Lines without new arrays that nothing reads before their names stand for others: `y = np.empty(n)`, `y[:] = x`."""
    kept = list(lines)
    for k in reversed(range(len(kept))):
        line = kept[k].lstrip()
        name = line.split(" ")[1] if line.startswith("let ") and any(f" = {start}" in line for start in ("replicate ", "([] : ")) else ""
        if name.isidentifier() and is_unread(name, kept[k][: -len(line)], kept[k + 1 :]):
            del kept[k]
    return kept


def is_unread(name: str, margin: str, lines: Lines) -> bool:
    """Whether nothing reads a name in the lines below it before it stands for something else."""
    for k, line in enumerate(lines):
        inner = line[len(margin) :] if line.startswith(margin) else ""
        if inner.startswith("--"):
            continue
        if inner.startswith(f"let {name} ="):
            own = [inner.split("=", 1)[1]]
            for other in lines[k + 1 :]:
                if not other.startswith(margin + " "):
                    break
                own.append(other)
            return name not in words("\n".join(own))
        if not inner.startswith(("let ", " ")) or name in words(inner):
            return False
    return False


def closing(text: str) -> int:
    """Where the bracket is closed that a text begins with."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if depth == 0:
            return k
    return -1


def tuple_text(texts: list[str]) -> str:
    """Several values."""
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"




class Live(set[str]):
    """Names that are read later: a part of a record is where the record is."""

    def __contains__(self, name: object) -> bool:
        return set.__contains__(self, name) or isinstance(name, str) and "." in name and set.__contains__(self, name.split(".")[0])


def closures(definition: Definition) -> set[str]:
    """The names that functions inside of a function read, without their own."""
    found: set[str] = set()
    for top in definition.node.body if isinstance(definition.node, ast.FunctionDef) else []:
        for node in ast.walk(top):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                arguments = node.args
                own = {each.arg for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))]}
                body: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else [node.body]
                found |= used(body) - own - assigned(body)
    return found


class Blocks(Indices):
    """Reads sequences of statements."""

    def element_of(self, name: str) -> Value | None:
        """What is known of the elements of a list that grows."""
        raise NotImplementedError

    def count_of_loop(self, statement: ast.For) -> str:
        """How often a loop runs."""
        raise NotImplementedError

    def returning_loop(self, statement: ast.For | ast.While, rest: list[ast.stmt], end: Callable[[], Lines], lets: Lines) -> Lines:
        """A loop that a `return` may leave, and what follows it."""
        raise NotImplementedError

    def __init__(self, context: Context, definition: Definition) -> None:
        super().__init__(context, definition.outer)
        self.definition = definition
        self.function = definition.function
        self.flow: Flow
        # What functions inside of this one read may be read whenever they are called.
        self.closures = closures(definition)
        self.live = set()
        self.params: dict[str, str] = {}  # memory of array parameters: the name of each
        self.ordered: dict[object, str] = {}  # arrays whose elements lie one after the other, by their serials: the parameter, if it is one
        self.apart: set[object] = set()  # arguments whose elements do not, by their serials
        self.callers: set[str] = set()  # memory of lists that are parameters
        self.instances: dict[str, dict[str, Value | None]] = {}  # functions that are defined already, and the variables that they use
        self.changing: set[str] = set()
        self.trips: Size | None = None  # how often the loop that was read last runs, if that is known
        self.commented: set[int] = set()
        self.nest = object()  # the branch or the loop that is read
        self.born: dict[str, object] = {}  # the one in which a record was made
        self.entry_name = ""  # of the function that is translated
        self.called_as: Any = None  # what a function that is called is known by
        self.current: ast.stmt | None = None  # the statement that is read
        self.draws: dict[int, Value] = {}  # what happens once in it: random numbers by their calls, what `:=` assigns
        self.whole: ast.AST | None = None  # the call that is a statement, or the whole value of an assignment

    @property
    def live(self) -> set[str]:
        """The names that are read later, with the parts of records that are."""
        return self._live

    @live.setter
    def live(self, names: set[str]) -> None:
        self._live = Live(names | self.closures)

    @property
    def mutated(self) -> set[str]:
        """The parameters whose elements the function writes."""
        facts = self.context.facts
        return facts.mutated if self.called_as is None else {name for key, name in facts.written if key == self.called_as}

    def writes_to(self, param: str) -> None:
        """Keeps that the function writes to the elements of a parameter."""
        facts = self.context.facts
        if self.called_as is None:
            facts.mutated.add(param)
        else:
            facts.written.add((self.called_as, param))

    def report(self, problem: Unread, statement: ast.AST) -> None:
        """Keeps a problem with its place."""
        node = problem.node if problem.node is not None and hasattr(problem.node, "lineno") else statement
        definition = self.definition
        row = node.lineno  # type: ignore[attr-defined]
        line = definition.lines[row - 1] if row <= len(definition.lines) else ""
        column = node.col_offset + definition.indent  # type: ignore[attr-defined]
        end = node.end_col_offset + definition.indent if getattr(node, "end_lineno", row) == row else len(line)  # type: ignore[attr-defined]
        self.context.problems.append(
            Problem(problem.code, problem.message, problem.help, definition.file, definition.first_line + row - 1, column, line, end - column)
        )

    def comments(self, statement: ast.stmt) -> Lines:
        """The comments that stand before a statement or at its end."""
        found: Lines = []
        table = self.definition.comments
        row = statement.lineno - 1
        above = []
        while row in table and row not in self.commented and self.definition.lines[row - 1].lstrip().startswith("#"):
            above.append(row)
            row -= 1
        for row in [*reversed(above), statement.lineno]:
            if row in table and row not in self.commented:
                self.commented.add(row)
                found.append(f"-- {table[row]}")
        return found

    def block(self, statements: list[ast.stmt], end: Callable[[], Lines]) -> Lines:
        """Statements as one expression; `end` is what comes after them."""
        lets: Lines = []
        for k, statement in enumerate(statements):
            rest = statements[k + 1 :]
            if isinstance(statement, (ast.Return, ast.Break, ast.Continue)):
                comments = self.comments(statement)
                result = self.leave(statement, lets)
                return finished(lets + comments, result)
            if isinstance(statement, ast.If) and leaves([statement], (ast.Return, ast.Break, ast.Continue)):
                comments = self.comments(statement)
                result = self.branches(statement, rest, end, lets)
                return finished(lets + comments, result)
            if isinstance(statement, (ast.For, ast.While)) and leaves(statement.body, (ast.Return,)):
                return self.returning_loop(statement, rest, end, lets)
            outer = self.live
            self.live = outer | exposed(rest)
            lets += self.guarded(statement)
            self.live = outer
        return finished(lets, end())

    def leave(self, statement: ast.stmt, lets: Lines) -> Lines:
        """The result at a `return`, `break` or `continue`."""
        outer, self.current = self.current, statement
        self.draws.clear()
        try:
            if isinstance(statement, ast.Return):
                self.whole = statement.value
                if isinstance(statement.value, ast.GeneratorExp):
                    raise Unread(statement.value, Code.TYPE, "a generator as a result", "write a list: `[..]`")
                value = NONE if statement.value is None else self.eval(statement.value)
                lets += self.flush()
                return self.flow.on_return(statement, value)
            action = self.flow.on_break if isinstance(statement, ast.Break) else self.flow.on_continue
            if action is None:
                raise Unread(statement, Code.FORM, "a `break` or `continue` outside of a loop", "")
            return action(statement)
        except Unread as problem:
            self.report(problem, statement)
        except (Poisoned, Restart) as event:
            if isinstance(event, Restart):
                raise
        except Exception as fault:
            self.report(fault_of(statement, fault), statement)
        finally:
            self.current = outer
        return ["???"]

    def branches(self, statement: ast.If, rest: list[ast.stmt], end: Callable[[], Lines], lets: Lines) -> Lines:
        """An `if` of which a branch leaves: each branch goes on with what follows."""
        outer, self.current = self.current, statement
        self.draws.clear()
        try:
            test = self.condition(statement.test)
            lets += self.flush()
        except (Unread, Poisoned) as problem:
            if isinstance(problem, Unread):
                self.report(problem, statement)
            return ["???"]
        finally:
            self.current = outer
        self.context.depth += 1
        if self.context.depth > 24:
            raise Unread(statement, Code.FORM, "too many branches that leave", "write fewer")
        if isinstance(test.const, bool):
            self.context.depth -= 1
            return self.block([*(statement.body if test.const else statement.orelse), *rest], end)
        bodies = [*statement.body, *rest], [*statement.orelse, *rest]
        for failing, other, text in ((bodies[0], bodies[1], f"!{test.at(UNARY + 1)}"), (bodies[1], bodies[0], test.text)):
            if raising(failing) is not None:
                self.context.depth -= 1
                lets.append(f'let _ = assert ({text}) "{raising(failing)}"')
                return self.block(other, end)
        saved, instances = dict(self.env), dict(self.instances)
        one = self.block([*statement.body, *rest], end)
        self.env, self.instances = dict(saved), dict(instances)
        two = self.block([*statement.orelse, *rest], end)
        self.env, self.instances = saved, instances
        self.context.depth -= 1
        return self.choice(test, one, two)

    def choice(self, test: Value, one: Lines, two: Lines) -> Lines:
        """A conditional expression."""
        for ends, text in (((", false)", ", true)"), f"!{test.at(UNARY + 1)}"), ((", true)", ", false)"), test.text)):
            if len(one) == len(two) == 1 and one[0].startswith("(") and one[0].endswith(ends[0]) and two[0] == one[0][: -len(ends[0])] + ends[1]:
                # They say only whether the loop goes on.
                return [f"{one[0][: -len(ends[0])]}, {text})"]
        if len(one) == 1 and len(two) == 1 and len(one[0]) + len(two[0]) + len(test.text) < 110:
            return [f"if {test.text} then {one[0]} else {two[0]}"]
        if len(two) > 1 and two[0].startswith("if ") or len(two) == 1:
            return [f"if {test.text} then", *indented(one), f"else {two[0]}", *two[1:]]
        return [f"if {test.text} then", *indented(one), "else", *indented(two)]

    def flush(self) -> Lines:
        """The lines that have to stand before the current statement."""
        lines = list(self.context.pending)
        self.context.pending.clear()
        return lines

    def guarded(self, statement: ast.stmt) -> Lines:
        """The lines of one statement; a hole where it cannot be read."""
        comments = self.comments(statement)
        outer, self.current = self.current, statement
        self.draws.clear()
        try:
            method = getattr(self, f"s_{type(statement).__name__.lower()}", None)
            if method is None:
                words_, instead = FORMS.get(type(statement), (f"a statement of this form ({type(statement).__name__})", ""))
                raise Unread(statement, Code.FORM, f"{words_} is not read", instead)
            lines: Lines = method(statement)
            return comments + self.flush() + lines
        except Unread as problem:
            self.report(problem, statement)
        except (Poisoned, Restart) as event:
            if isinstance(event, Restart):
                raise
        except Exception as fault:
            self.report(fault_of(statement, fault), statement)
        finally:
            self.current = outer
        self.context.pending.clear()
        names = sorted(assigned([statement]))
        for name in names:
            known = self.env.get(name)
            if known is None or not (known.dtype == "list" and known.items is not None or known.listed) or self.element_of(name) is not None:
                # What is appended to a list further down may say what its elements are.
                self.env[name] = None
        return comments + [f"let {self.context.mangle(name)} = ???" for name in names]

    def straight(self, statements: list[ast.stmt]) -> Lines:
        """Statements that do not leave."""
        lines: Lines = []
        outer, nest = self.live, self.nest
        self.nest = object()
        for k, each in enumerate(statements):
            self.live = outer | exposed(statements[k + 1 :])
            lines += self.guarded(each)
        self.live, self.nest = outer, nest
        return lines

    def name_of(self, name: str) -> str:
        """The name in the written program."""
        return self.context.mangle(name)


def raising(statements: list[ast.stmt]) -> str | None:
    """What an error says that statements raise, whatever the values of variables are; None if they do something else."""
    for each in statements:
        if isinstance(each, ast.Raise):
            error = each.exc
            text = error.args[0].value if isinstance(error, ast.Call) and error.args and isinstance(error.args[0], ast.Constant) else None
            name = ast.unparse(error.func if isinstance(error, ast.Call) else error) if error is not None else "an error"
            return "".join(c for c in (text if isinstance(text, str) else name) if c.isalnum() or c in " .,:()<>=-+*/'")
        if not (isinstance(each, ast.Assign) and isinstance(each.value, (ast.Constant, ast.JoinedStr)) or isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)):
            return None
    return None


def fault_of(statement: ast.stmt, fault: Exception) -> Unread:
    """A fault of the reader itself, said as a problem of the place where it happened."""
    return Unread(statement, Code.FORM, f"the reader fails here, which is a fault of its own ({type(fault).__name__}: {fault})", "write the statement in another way")


def words(text: str) -> set[str]:
    """The names in a text."""
    found, word = set(), ""
    for c in text + " ":
        if c.isalnum() or c in "_'":
            word += c
        elif word:
            found.add(word)
            word = ""
    return found


def shares(known: Value, value: Value) -> bool:
    """Whether two values may share memory."""
    if known.items is not None:
        return any(shares(item, value) for item in known.items if isinstance(item, Value))
    return bool(known.memory & value.memory)


def as_load(target: ast.Subscript) -> ast.Subscript:
    """A target as an expression."""
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)


def ordered_names(node: ast.AST) -> list[str]:
    """The names that a statement gives values to, in the order in which they stand there."""
    wanted = assigned([node])
    places: dict[str, tuple[int, int]] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and each.id in wanted:
            place = (each.lineno, each.col_offset)
            places[each.id] = min(places.get(each.id, place), place)
    return sorted(places, key=lambda name: places[name]) + sorted(wanted - set(places))


def replace_definition(definition: Definition, node: ast.FunctionDef, home: Blocks) -> Definition:
    """A function that is defined inside of another one, which is read by `home`."""
    return replace(definition, node=node, home=home)
