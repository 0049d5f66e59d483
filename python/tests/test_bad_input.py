"""Bad input: a Python exception that says what to do, never a crash."""

from __future__ import annotations

import decimal
import threading
import warnings

import numpy as np
import pytest

import remora as rm


@pytest.fixture(scope="module")
def f():
    return rm.compile("entry f [n] (x: [n]f64) = f64.sum x").f


@pytest.mark.parametrize(
    ("value", "match"),
    [
        (None, "'NoneType', which is no number and no array"),
        ("abc", "'str'"),
        (b"abc", "'bytes'"),
        ({"a": 1}, "'dict'"),
        (np.array([1.0, None]), "`object`"),
        (np.array(["a"]), "expected float64, given <U1"),
        (np.array([1], dtype="M8[s]"), "expected float64, given datetime64"),
        (np.array([1j]), "expected float64, given complex128.1.; pass `x.real`.*casting='unsafe'"),
        (np.array([1], dtype=np.longdouble), "casting='same_kind'"),
        (np.ma.masked_array([1.0, 2.0], mask=[True, False]), r"masked array, .*filled"),
        ([[1.0], [1.0, 2.0]], "no array|different lengths"),
        ([1.0, None], "`object`"),
        ([decimal.Decimal(1)], "`object`"),
        (np.zeros(3, dtype=[("a", "f8")]), "expected float64"),
        (np.float32(1), "expected float64, given float32"),
        (np.array([True]), "expected float64, given bool"),
        (lambda x: x, "no array|`object`"),
    ],
)
def test_what_is_no_array(f, value, match):
    with pytest.raises(rm.ArgumentError, match=rf"f\(\): argument `x`.*({match})"):
        f(value)


def test_wrong_ranks(f):
    with pytest.raises((rm.RankError, rm.ArgumentError)):
        f(np.float64(1))
    with pytest.raises(rm.RankError):
        rm.compile("entry g [n][m] (x: [n][m]f64) = transpose x").g(np.ones(3))


def test_huge_shapes(f):
    with pytest.raises(MemoryError, match="no memory for a copy"):
        f(np.broadcast_to(np.float64(1), (1 << 45,)))
    with pytest.raises(rm.ArgumentError, match="no array of a program can have"):
        rm.compile("entry g [n][m] (x: [n][m]f64) = n").g(np.empty((0, 1 << 59)))
    with pytest.raises(rm.OutOfMemory) as caught:
        rm.compile("entry h (n: i64) = f64.sum (scan (+) 0 (map f64.i64 (iota n)))").h(1 << 46)
    assert isinstance(caught.value, MemoryError)


def test_failures_have_places_and_values():
    program = rm.compile("entry at [n] (x: [n]i64) (i: i64) = x[i]\nentry quotient (a: i64) (b: i64) = a / b", path="p.rem")
    with pytest.raises(rm.RunTimeError) as caught:
        program.at(np.arange(3), 5)
    text = str(caught.value)
    assert "E0501" in text and "index 5 is out of bounds for an array of size 3" in text and "p.rem:1:" in text
    assert caught.value.diagnostics[0].spans[0]["line"] == 1
    with pytest.raises(RuntimeError, match="division by zero"):
        program.quotient(1, 0)
    assert program.at(np.arange(3), 2) == 2


def test_programs_that_are_refused():
    with pytest.raises(rm.CompileError) as caught:
        rm.compile("def f (x: f64) = y\ndef g (x: f64) = x + true")
    assert [d.code for d in caught.value.diagnostics] == ["E0201", "E0301"]
    assert "<text>:1:18" in str(caught.value)
    with pytest.raises(rm.CompileError, match="E0206"):
        rm.compile('import "nowhere"')
    with pytest.raises(TypeError):
        rm.compile(b"def f = 1")  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        rm.compile("", backend="gpu")
    with pytest.raises(ValueError):
        rm.compile("", threads=-1)


def test_what_python_cannot_call():
    program = rm.compile("def apply (f: f64 -> f64) (x: f64) = f x\ndef adder (x: f64) = \\(y: f64) -> x + y")
    with pytest.raises((rm.ArgumentError, rm.CompileError), match="cannot come from Python|E0613"):
        program.apply(1.0, 2.0)
    assert program.adder(1.0, 2.0) == 3


def test_warnings_of_the_compiler_are_pythons():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rm.compile("entry f [n][m] (x: [n*m]f64) = f64.sum x")
    assert [warning.category for warning in said] == [rm.ProgramWarning] * 2 and said[0].filename == __file__
    assert "no argument of the entry point `f` determines the size" in str(said[0].message)


def test_arrays_that_change_their_size_meanwhile(f):
    x = np.zeros(200_000)
    stop = threading.Event()
    refused = []

    def resize():
        while not stop.is_set():
            try:
                x.resize(400_000, refcheck=False)
                x.resize(200_000, refcheck=False)
            except ValueError as error:
                refused.append(error)

    thread = threading.Thread(target=resize)
    thread.start()
    try:
        for _ in range(300):
            assert f(x) == 0
    finally:
        stop.set()
        thread.join()


def test_read_only_arrays_stay_as_they_are():
    update = rm.compile("entry update [n] (x: *[n]f64) : *[n]f64 = x with [0] = 1").update
    x = np.zeros(3)
    x.flags.writeable = False
    assert update(x).tolist() == [1, 0, 0] and x.tolist() == [0, 0, 0]
    y = np.zeros(3)
    assert update(y).tolist() == [1, 0, 0] and y.tolist() == [0, 0, 0]


def test_functions_are_given_back(f):
    import gc
    import weakref

    program = rm.compile("entry g (x: f64) = x + 1")
    assert program.g(1.0) == 2
    seen = weakref.ref(program.g)
    del program
    gc.collect()
    assert seen() is None


def test_errors_can_be_pickled():
    import pickle

    with pytest.raises(rm.CompileError) as caught:
        rm.compile("def f = y")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.codes == ["E0201"]
