"""Every snippet of the documentation runs, and prints what is said there."""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FILES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_snippets(file: Path):
    scope: dict[str, object] = {}
    printed = ""
    blocks = BLOCK.findall(file.read_text())
    for language, text in blocks:
        if language == "python":
            assert not printed.strip() or file.name == "README.md", f"the output is not shown: {printed}"
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                # The text is where `inspect` looks for the source of functions.
                name = f"{file}#{len(linecache.cache)}"
                linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
                exec(compile(text, name, "exec"), scope)
            printed = out.getvalue()
        elif language == "" and printed:
            assert printed.rstrip() == text.rstrip()
            printed = ""


def test_the_docstring_of_the_package():
    import doctest

    import remora

    assert doctest.testmod(remora).failed == 0
