"""Magics and what notebooks show."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

import remora as rm

TEXT = "entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))\nentry less (x: f64) (y: f64) = x < y\n"


class Balanced(HTMLParser):
    """Fails where elements are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.marked: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("rect", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag != "rect":
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data
        if self.open and self.open[-1] == "mark":
            self.marked.append(data)


def read(html: str) -> Balanced:
    found = Balanced()
    found.feed(html)
    assert found.open == []
    return found


def test_functions_show_what_was_inserted():
    program = rm.compile(TEXT)
    found = read(program.norm._repr_html_())
    assert found.marked == ["map2"] and "norm : [n]f64 -> f64" in found.text and "mapped over 1 dimension" in found.text
    found = read(program._repr_html_())
    assert "x < y" in found.text and "Nothing was inserted." in found.text
    found = read(program.norm.infer(np.ones((2, 2, 2)))._repr_html_())
    assert found.marked == ["map", "map"]
    assert re.search(r"<svg [^>]*2 mapped, 0 replicated", program.norm.infer(np.ones((2, 2, 2))).html)


def test_magics():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "remora")
    program = shell.run_cell_magic("remora", "p", TEXT)
    assert shell.user_ns["p"] is program and shell.user_ns["norm"](np.array([3.0, 4.0])) == 5
    assert "map2 (*) v v" in shell.run_line_magic("remora_infer", "norm")
    shell.user_ns["x"] = np.ones((2, 3))
    assert "map norm v" in shell.run_line_magic("remora_infer", "norm(x)")
    assert "less" in shell.run_line_magic("remora_infer", "p")
    with pytest.raises(ValueError, match="usage"):
        shell.run_line_magic("remora_infer", "x")


def test_refused_cells_show_diagnostics(capsys):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "remora")
    assert shell.run_cell_magic("remora", "", "def f = y") is None
    assert "E0201" in capsys.readouterr().out
