"""Functions of Python, translated: what the corpus gives, what is refused, and what the written programs look like."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from port import generate
from port.inputs import INPUTS
from port.loading import functions_of

import remora as rm
from remora.port.command import port_text

CORPUS = Path(__file__).resolve().parent / "port" / "corpus"

FUNCTIONS = functions_of(CORPUS)


def test_the_corpus_is_large_enough():
    assert len(FUNCTIONS) >= 100


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_corpus(name: str):
    report = rm.check_port(FUNCTIONS[name], n=24, inputs=INPUTS.get(name), backend="interp")
    assert report, str(report)


@pytest.mark.parametrize("name", ["heat", "softmax", "cholesky", "edit_distance", "biquad", "game_of_life"])
def test_compiled(name: str):
    function = rm.jit(FUNCTIONS[name])
    report = rm.check_port(function, n=6)
    assert report, str(report)
    assert "entry" in function.source and function.infer() and function.explain()


def problems(text: str) -> list[str]:
    """The problems of a script, as `code line: message`."""
    _, found = port_text(text, "script.py", [])
    return [f"{each.code.value} {each.line}: {each.message}" for each in found]


HEAD = "import numpy as np\nimport math\n"


def test_functions_of_a_script_call_each_other():
    text = HEAD + "N = 4\ndef f(x: 'Float64[Array, \"n\"]'):\n    return x * N\ndef g(x: 'Float64[Array, \"n\"]'):\n    return f(x) + 1\n"
    sources, found = port_text(text, "script.py", [])
    assert not found and len(sources) == 2, found
    assert rm.compile(sources["g"]).g([1.0, 2.0]).tolist() == [5, 9]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def f(a: 'Float64[Array, \"n m\"]'):\n    b = a.T.ravel()\n    b += 1\n    return a", "P05 5: `b` may share"),
        ("def f(a: 'Float64[Array, \"n\"]'):\n    b = a\n    b[0] = 1.0\n    return b", "P05 6: this may be a part of the caller's array `a`"),
        ("def f(a: 'Int64[Array, \"n\"]'):\n    a += 0.5\n    return a", "P03 4: f64 in an array of i64"),
        ("def f(a: 'Int64[Array, \"n\"]'):\n    b = a.copy()\n    b += 0.5\n    return b", "P03 5: f64 in an array of i64"),
        ("def f(x: float):\n    if x > 0:\n        y = 1.0\n    return y", "P06 6: `y` may have no value"),
        ("def f(x: float):\n    return [i async for i in x]", "P01"),
        ("def f(x: float):\n    try:\n        return x\n    except ValueError:\n        return 0.0", "P01 4: `try` is not read"),
        ("def f(x: float):\n    global y\n    return x", "P01 4"),
        ("def f(x: float):\n    yield x", "P01 4"),
        ("def f(x: float):\n    return f(x)", "P01"),
        ("def f(x: float):\n    return print(x)", "P02 4: `print` is not read"),
        ("def f(x: float):\n    return np.linalg.eig(x)", "P02 4"),
        ("def f(x: float, y):\n    return x", "P08 3: the annotation of `y`"),
        ("def f(x: float)\n    return x", "P07 3: this is no Python"),
        ("def f(x: int):\n    return 2 ** 70 + x", "P03 4"),
        ("def f(x: float):\n    y = 1.0\n    for i in range(3):\n        y = [y, x]\n    return y", "P03"),
        ("def f(a: 'Float64[Array, \"n\"]'):\n    if a:\n        return 1\n    return 2", "P03 4: the truth value of an array"),
        ("def f(a: 'Float64[Array, \"n\"]'):\n    a[0] = 1.0\n    a = a * 2\n    return a", "P05 5: the elements of the argument"),
        ("def f(a: 'Float64[Array, \"n\"]'):\n    return np.sort(a, axis=7)", "P04 4: there is no axis 7"),
        ("def f(a: 'Float64[Array, \"n\"]', *b: int):\n    return a", "P08"),
    ],
)
def test_problems(body: str, said: str):
    found = problems(HEAD + body)
    assert any(each.startswith(said) for each in found), found


def test_one_problem_for_each_place_and_holes():
    text = HEAD + "def f(x: float):\n    y = foo(x)\n    z = y + 1\n    w = bar(x)\n    return z + w"
    sources, found = port_text(text, "script.py", [])
    assert [each.line for each in found] == [4, 6]
    assert sources["f"].count("???") == 4


def test_the_source_is_what_a_person_would_write():
    text = HEAD + (
        "def standardise(x: 'Float64[Array, \"n k\"]'):\n"
        "    # columns\n"
        "    mu = x.mean(axis=0)\n"
        "    return (x - mu) / x.std(axis=0)\n"
    )
    sources, found = port_text(text, "script.py", [])
    assert not found
    assert sources["standardise"] == (
        'import "lib/np"\n\n'
        "entry standardise [n][k] (x: [n][k]f64) =\n"
        "  -- columns\n"
        "  let mu = mean (transpose x)\n"
        "  in (x - mu) / std (transpose x)\n"
    )


def jit(function: Any) -> Any:
    return rm.jit(function, backend="interp")


def test_writes_to_arguments_reach_the_caller():
    def fill(a, k):
        a[1:] = a[:-1] * k
        return a

    a = np.arange(4.0)
    result = jit(fill)(a, 2.0)
    assert result is a
    assert a.tolist() == [0, 0, 2, 4]
    both = np.zeros(4)
    with pytest.raises(rm.PortError, match="shares its memory"):

        def add(a, b):
            a += b

        jit(add)(both, both[::-1])
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    with pytest.raises(rm.PortError, match="read-only"):
        jit(fill)(frozen, 1.0)


def test_types_are_numpys():
    def half(x):
        return x * 0.5, x + 1, x / 2, x // 2, x % 2

    for dtype in ("float32", "int64", "int32", "float64", "uint8"):
        for given in (np.array([-3, 0, 5, 7]).astype(dtype), np.dtype(dtype).type(7)):
            for ours, theirs in zip(jit(half)(given), half(given)):
                assert ours.dtype == theirs.dtype
                np.testing.assert_array_equal(ours, theirs)


def test_sizes_of_one_are_stretched():
    def add(a, b):
        return a + b

    function = jit(add)
    for one, two in [((3, 4), (4,)), ((3, 1), (1, 4)), ((1,), (5,)), ((2, 3), (2, 1)), ((1, 1), (1,)), ((0, 3), (1, 3)), ((3,), (1, 1))]:
        a, b = np.random.normal(size=one), np.random.normal(size=two)
        np.testing.assert_array_equal(function(a, b), a + b)
    with pytest.raises(rm.RemoraError):
        function(np.zeros(3), np.zeros(4))


def test_a_loop_that_changes_its_bounds():
    def count(n):
        total = 0
        j = 1
        for i in range(j, n):
            j += 5
            n -= 1
            total += i * j
            if total > 1000:
                break
        return total, j, n

    for n in (0, 1, 5, 30):
        assert jit(count)(n) == count(n)


def test_python_integers_fail_beyond_64_bits():
    def factorial(n):
        result = 1
        for i in range(2, n + 1):
            result *= i
        return result

    function = jit(factorial)
    assert function(20) == factorial(20)
    with pytest.raises(rm.RunTimeError):
        function(21)


def test_python_floats_fail_where_pythons_do():
    import math

    def ratio(a, b):
        return math.log(a) / b

    scope_free = rm.jit(FUNCTIONS["linear_fit"], backend="interp")
    assert scope_free(np.arange(3.0), np.arange(3.0))[0] == 1.0
    function = jit(ratio)
    del ratio
    assert function(1.0, 2.0) == math.log(1.0) / 2.0
    for a, b in [(1.0, 0.0), (0.0, 1.0), (-1.0, 1.0)]:
        with pytest.raises(rm.RunTimeError):
            function(a, b)


SCALE = 2.0


def test_globals_that_change():
    global SCALE

    def scaled(x):
        return x * SCALE

    function = jit(scaled)
    assert function(3.0) == 6.0
    SCALE = 5.0
    assert function(np.float32(3.0)) == 15.0
    assert function(3.0) == 15.0
    SCALE = 2.0


def test_functions_that_change():
    def inner(x):
        return x + 1

    def outer(x):
        return inner(x) * 2

    function = jit(outer)
    assert function(3.0) == 8.0

    def inner(x):  # noqa: F811
        return x - 1

    assert function(3.0) == 4.0


OFFSET = 1.0


def test_names_are_those_of_the_function_that_uses_them():
    scope: dict[str, Any] = {}
    import linecache

    text = "OFFSET = 10.0\n\ndef moved(x):\n    return x + OFFSET\n"
    linecache.cache["<other module>"] = (len(text), None, text.splitlines(keepends=True), "<other module>")
    exec(compile(text, "<other module>", "exec"), scope)
    moved = scope["moved"]

    def both(x):
        return moved(x) * OFFSET

    function = jit(both)
    assert function(1.0) == 11.0
    scope["OFFSET"] = 20.0
    assert function(1.0) == 21.0


def test_arguments():
    def same(x):
        return x

    function = jit(same)
    for value in ("text", [object()], np.array(["a"]), np.array([None]), object(), 1j, 2**70, np.ma.array([1.0])):
        with pytest.raises(rm.PortError):
            function(value)
    for value in (True, 3, 2.5, np.float32(1.5), np.arange(3), np.zeros((2, 0))):
        result = function(value)
        assert type(result) is type(value)
    with pytest.raises(TypeError):
        function()
    with pytest.raises(TypeError):
        rm.jit(len)
    with pytest.raises(rm.PortError, match="not called|def"):
        rm.jit(lambda x: x)(1.0)


def test_other_functions():
    def square(x):
        return x * x

    def both(x, y):
        a = square(x) + square(y)
        return a

    fast = jit(square)

    def calls(x):
        return fast(x) + 1

    assert jit(both)(np.arange(3.0), 2.0).tolist() == [4, 5, 8]
    assert jit(calls)(3) == 10


def test_the_command(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text("import numpy as np\ndef norm(v: 'Float64[Array, \"n\"]'):\n    return np.sqrt(np.sum(v * v))\nraise SystemExit('the script is not run')\n")
    done = subprocess.run([sys.executable, "-m", "remora", "port", "--write", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    program = rm.load(tmp_path / "script.norm.rem", backend="interp")
    assert program["norm_"](np.array([3.0, 4.0])) == 5.0
    missing = subprocess.run([sys.executable, "-m", "remora", "port", str(tmp_path / "none.py")], capture_output=True, text=True)
    assert missing.returncode == 2 and "Traceback" not in missing.stderr


def test_generated_functions(tmp_path: Path):
    """Functions of views, masks, loops and axes: what is compared agrees. What has no effect on the result may fail in Python only."""
    compared = 0
    for text, function in generate.functions(40, 1, tmp_path):
        report = rm.check_port(function, n=3, seed=1, backend="interp")
        assert not [each for each in report.differences if not each.startswith("Python raises IndexError")], f"{text}\n{report}"
        compared += report.agreed > 0
    assert compared >= 25
