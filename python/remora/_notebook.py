"""Magics for IPython and notebooks: `%load_ext remora`."""

from __future__ import annotations

import shlex
from typing import Any

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from ._errors import CompileError
from ._program import Function, Inferred, Program, compile


@magics_class
class RemoraMagics(Magics):  # type: ignore[misc, unused-ignore]
    """`%%remora` and `%remora_infer`."""

    @cell_magic  # type: ignore[misc, untyped-decorator, unused-ignore]
    def remora(self, line: str, cell: str) -> Any:
        """Compiles the cell. Its functions become variables of the notebook; with a name behind `%%remora` the program as well."""
        words = shlex.split(line)
        if len(words) > 1 or words and not words[0].isidentifier():
            raise ValueError("usage: %%remora [NAME]")
        try:
            program = compile(cell, path="<cell>")
        except CompileError as error:
            # The diagnostics say everything; frames of this package say nothing.
            print(error)
            return None
        names = {function.__name__: function for function in program if function.__name__.isidentifier()}
        self.shell.user_ns.update(names)
        if words:
            self.shell.user_ns[words[0]] = program
        return program

    @line_magic  # type: ignore[misc, untyped-decorator, unused-ignore]
    def remora_infer(self, line: str) -> Any:
        """Shows what was inserted: in a function or a program, or, `%remora_infer f(x, y)`, for a call."""
        name, parenthesis, rest = line.strip().partition("(")
        value = self.shell.user_ns.get(name) if name.isidentifier() else self.shell.ev(name)
        if isinstance(value, Function) and parenthesis:
            arguments = self.shell.ev(f"({rest.rstrip().removesuffix(')')},)")
            return value.infer(*arguments)
        if isinstance(value, Function):
            return value.infer()
        if isinstance(value, Program):
            return Inferred(value.infer(), value.text, value.html())
        raise ValueError("usage: %remora_infer FUNCTION, %remora_infer PROGRAM or %remora_infer FUNCTION(ARGUMENTS)")


def load(shell: Any) -> None:
    """Makes the magics known."""
    shell.register_magics(RemoraMagics)
