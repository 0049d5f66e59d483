"""Calls: arrays in and out, without copies."""

from __future__ import annotations

import collections
import inspect
import pydoc

import numpy as np
import pytest

import remora as rm

NORM = """
-- | The Euclidean norm.
def norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))

-- | Rows, scaled and shifted.
entry main [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = (a * v + s) / norm v
"""


@pytest.fixture(scope="module")
def norm() -> rm.Program:
    return rm.compile(NORM)


def expected(a, v, s):
    return (a * v + s) / np.sqrt((v * v).sum())


def test_arrays_in_and_out(norm):
    a, v = np.arange(6.0).reshape(2, 3), np.array([0.0, 3.0, 4.0])
    found = norm.main(a, v, 0.5)
    assert type(found) is np.ndarray and found.dtype == np.float64
    np.testing.assert_allclose(found, expected(a, v, 0.5), rtol=1e-14)
    assert found.flags.c_contiguous and found.flags.writeable
    found[0, 0] = 7
    np.testing.assert_allclose(norm.main(a, v, 0.5), expected(a, v, 0.5), rtol=1e-14)


def test_files(tmp_path):
    (tmp_path / "library.rem").write_text("def twice x = 2 * x : f64\n")
    (tmp_path / "main.rem").write_text('import "library"\nentry main (x: f64) = twice x\n')
    program = rm.load(tmp_path / "main.rem")
    assert program.main(4.0) == 8.0
    np.testing.assert_array_equal(program.main(np.ones((2, 3))), np.full((2, 3), 2.0))
    assert list(program.imports()) == [str(tmp_path / "library.rem")]
    with pytest.raises(rm.CompileError, match="E0601"):
        rm.load(tmp_path / "missing.rem")


def test_scalars_of_all_types():
    names = {"i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64"}
    names |= {"f16": "float16", "f32": "float32", "f64": "float64"}
    text = "".join(f"entry f_{name} (x: {name}) (v: []{name}) = (x + 1, v + x)\n" for name in names)
    program = rm.compile(text + "entry f_bool (x: bool) (v: []bool) = (!x, map (\\y -> y && x) v)\n")
    for name, dtype in names.items():
        scalar, array = program[f"f_{name}"](3, np.array([1, 2], dtype=dtype))
        assert type(scalar) is np.dtype(dtype).type and scalar == 4
        assert array.dtype == dtype and array.tolist() == [4, 5]
    scalar, array = program.f_bool(True, np.array([True, False]))
    assert type(scalar) is np.bool_ and not scalar and array.tolist() == [True, False]


def test_numbers_are_taken_for_what_is_wanted(norm):
    f = rm.compile("entry f (x: f32) (n: i32) = x * f32.i32 n").f
    assert f(2, 3) == 6 and f(2.5, 2) == 5 and f(np.float32(2.5), np.int32(2)) == 5
    assert f(np.array(2.5, dtype=np.float32), np.array(2, dtype=np.int32)) == 5
    with pytest.raises(rm.ArgumentError, match=r"`n`: expected int32, given the float 2.5; pass `int\(x\)`"):
        f(1.0, 2.5)
    with pytest.raises(rm.ArgumentError, match="2147483648 is none of int32"):
        f(1.0, 2**31)
    with pytest.raises(rm.ArgumentError, match="truth value"):
        f(True, 1)
    with pytest.raises(rm.ArgumentError, match="float64"):
        f(np.float64(1), 1)
    assert norm.main([[1, 2]], [3, 4], 0).shape == (1, 2)


def test_nothing_is_copied():
    f = rm.compile("entry f [n] (x: [n]f64) = x + 1").f
    x = np.zeros(1000)
    f(x)
    assert f.stats["copied_arguments"] == 0
    f(x[::2])
    f(np.asfortranarray(np.zeros((3, 4)))[:, 0])
    assert f.stats["copied_arguments"] == 1 and f.stats["copied_bytes"] == 500 * 8
    f(x.astype(">f8"))
    assert f.stats["copied_arguments"] == 2
    y = f(x)
    assert y.base is not None and not y.flags.owndata


def test_results_live_as_long_as_they_are_used():
    program = rm.compile("entry f [n] (x: [n]f64) = (x + 1, x[:1])")
    x = np.arange(100_000.0)
    kept = [program.f(x + k) for k in range(20)]
    del program
    for k, (whole, part) in enumerate(kept):
        assert whole[0] == k + 1 and whole[-1] == 100_000 + k and part.tolist() == [k]


def test_arguments_that_lie_otherwise(norm):
    a, v = np.arange(12.0).reshape(3, 4), np.array([1.0, 2.0, 3.0, 4.0])
    want = expected(a, v, 0.5)
    misaligned = np.frombuffer(b"x" + v.tobytes(), dtype=np.uint8)[1:].view(np.float64)
    read_only = v.copy()
    read_only.flags.writeable = False
    for matrix in (np.asfortranarray(a), a.astype(">f8"), np.repeat(a, 2, axis=1)[:, ::2], a[::-1][::-1], a.tolist()):
        for vector in (v, misaligned, read_only, v.astype(">f8"), v[::-1].copy()[::-1], v.tolist(), memoryview(v)):
            np.testing.assert_allclose(norm.main(matrix, vector, np.array(0.5)), want, rtol=1e-14)


def test_records_and_tuples():
    program = rm.compile(
        """
        type point = {x: f64, y: f64}
        entry flip (p: point) : point = {x = p.y, y = p.x}
        entry pair (p: (f64, i64)) = (p.1, p.0)
        entry all [n] (ps: [n]point) = (f64.sum (map (\\p -> p.x) ps), map (\\p -> {x = p.x + 1, y = p.y}) ps)
        """
    )
    found = program.flip({"x": 1.0, "y": 2.0})
    assert (found.x, found.y) == (2.0, 1.0) and found._fields == ("x", "y")
    Point = collections.namedtuple("Point", "y x")
    assert program.flip(Point(1.0, 2.0)) == (1.0, 2.0)
    assert program.pair((1.5, 2)) == (2, 1.5)
    for points in (
        {"x": np.array([1.0, 2.0]), "y": np.zeros(2)},
        np.array([(1.0, 0.0), (2.0, 0.0)], dtype=[("x", "f8"), ("y", "f8")]),
    ):
        total, moved = program.all(points)
        assert total == 3 and moved.x.tolist() == [2, 3] and moved.y.tolist() == [0, 0]
    with pytest.raises(rm.ArgumentError, match="fields x, y"):
        program.flip({"x": 1.0})
    with pytest.raises(rm.ArgumentError, match="a tuple of 2 values, given 3 values"):
        program.pair((1.0, 2, 3))
    with pytest.raises(rm.ArgumentError, match=r"argument `ps.y`, dimension 0: the size is 3, but 2 is needed"):
        program.all({"x": np.zeros(2), "y": np.zeros(3)})


def test_sums():
    program = rm.compile(
        """
        type shape = #circle f64 | #point | #rect f64 f64
        entry area (s: shape) = match s case #circle r -> 3 * r * r case #point -> 0 case #rect a b -> a * b
        entry turned (s: shape) : shape = match s case #rect a b -> #rect b a case other -> other
        entry areas [n] (ss: [n]shape) = map area ss
        entry grown (x: f64) : []shape = [#circle x, #point]
        """
    )
    new = program.variants
    assert program.area(new.circle(2.0)) == 12 and program.area(rm.Variant("point")) == 0
    assert program.turned(new.rect(1.0, 2.0)) == new.rect(2.0, 1.0)
    assert program.areas([new.circle(1.0), new.point(), new.rect(2.0, 3.0)]).tolist() == [3, 0, 6]
    grown = program.grown(2.0)
    assert grown.dtype == object and list(grown) == [new.circle(2.0), new.point()]
    assert isinstance(grown[0], new.circle) and not isinstance(grown[0], new.point)
    for wrong in (3.0, new.square(1.0), new.rect(1.0), new.circle("x")):
        with pytest.raises(rm.ArgumentError):
            program.area(wrong)


def test_sizes_that_are_known_only_at_run_time():
    program = rm.compile("entry positive [n] (v: [n]f64) = filter (> 0) v\nentry first (n: i64) (v: [n]f64) = v[:n]")
    assert program.positive(np.array([1.0, -1.0, 2.0])).tolist() == [1, 2]
    assert program.first(2, np.array([1.0, 2.0])).tolist() == [1, 2]
    with pytest.raises(rm.ArgumentError, match="the size is 2, but 3 is needed, the value of `n`"):
        program.first(3, np.array([1.0, 2.0]))
    program = rm.compile("entry power (x: f64) (k: i64) = x ** f64.i64 k")
    with pytest.raises(rm.ArgumentError, match="the size is 1, but 2 is needed, the size of `x` in dimension 1"):
        program.power(np.array([[2.0, 3.0]]), np.array([3]))


def test_sizes_are_compared(norm):
    with pytest.raises(rm.ArgumentError) as caught:
        norm.main(np.zeros((2, 3)), np.zeros(4), 1.0)
    text = str(caught.value)
    assert "main(): argument `v`, dimension 0: the size is 4, but 3 is needed, the size of `a` in dimension 1" in text
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, ValueError)
    concat = rm.compile("entry f [n][m] (x: [n]i64) (y: [m]i64) (z: [n+m]i64) = i64.sum (x ++ y - z)").f
    assert concat(np.ones(2, int), np.ones(1, int), np.ones(3, int)) == 0
    with pytest.raises(rm.ArgumentError, match="argument `z`, dimension 0: the size is 4, but 3 is needed"):
        concat(np.ones(2, int), np.ones(1, int), np.ones(4, int))


def test_arguments_by_name(norm):
    a, v = np.ones((2, 2)), np.array([3.0, 4.0])
    want = expected(a, v, 1.0)
    np.testing.assert_allclose(norm.main(s=1.0, v=v, a=a), want)
    np.testing.assert_allclose(norm.main(a, s=1.0, v=v), want)
    for args, kwargs, match in (
        ((a, v), {}, r"main\(\) (takes 3 arguments \(a, v, s\), 2 were given|needs a value for `s`)"),
        ((a, v, 1.0, 2.0), {}, "4 were given"),
        ((a, v), {"a": a, "s": 1.0}, "two values for the argument `a`"),
        ((a, v), {"t": 1.0}, "has no argument `t`"),
        ((a,), {"s": 1.0}, "needs a value for `v`"),
    ):
        with pytest.raises(TypeError, match=match):
            norm.main(*args, **kwargs)


def test_out(norm):
    a, v = np.ones((2, 2)), np.array([3.0, 4.0])
    out = np.empty((2, 2))
    assert norm.main(a, v, 1.0, out=out) is out
    np.testing.assert_allclose(out, expected(a, v, 1.0))
    # An argument may be where the result goes.
    want = expected(a, v, 1.0)
    norm.main(a, v, 1.0, out=a)
    np.testing.assert_allclose(a, want)
    strided = np.zeros((4, 4))
    norm.main(a, v, 1.0, out=strided[::2, ::2])
    assert np.count_nonzero(strided) == 4
    pair = rm.compile("entry pair (x: f64) = (x, [x, x])").pair
    x, y = np.empty(()), np.empty(2)
    assert pair(2.0, out=(x, y))[1] is y and x == 2 and y.tolist() == [2, 2]
    read_only = np.empty((2, 2))
    read_only.flags.writeable = False
    for wrong in (np.empty(3), np.empty((2, 2), dtype=np.float32), read_only, [1.0], (out, out)):
        with pytest.raises(rm.ArgumentError, match="`out`"):
            norm.main(a, v, 1.0, out=wrong)


def test_conversions_on_request():
    f = rm.compile("entry f [n] (x: [n]f32) = f32.sum x").f
    with pytest.raises(rm.ArgumentError) as caught:
        f(np.arange(3))
    assert "argument `x`: expected float32, given int64[3]; convert it with `x.astype(np.float32)`" in str(caught.value)
    assert "casting='same_kind'" in str(caught.value)
    assert f(np.arange(3), casting="same_kind") == 3
    with pytest.raises(rm.ArgumentError, match="float32, given float64"):
        f(np.arange(3.0))
    assert f(np.arange(3.0), casting="same_kind") == 3
    g = rm.compile("entry g [n] (x: [n]i32) = i32.sum x").g
    with pytest.raises(rm.ArgumentError, match="casting='unsafe'"):
        g(np.array([1.5]), casting="same_kind")
    assert g(np.array([1.5]), casting="unsafe") == 1


def test_truth_values_are_0_or_1():
    count = rm.compile("entry count [n] (x: [n]bool) = i64.sum (map i64.bool x)").count
    odd = np.array([0, 1, 2, 255], dtype=np.uint8).view(np.bool_)
    assert count(odd) == 3 and count(odd[::2]) == 1


def test_empty_arrays(norm):
    assert norm.main(np.zeros((0, 3)), np.zeros(3), 1.0).shape == (0, 3)
    f = rm.compile("entry f [n] (x: [n]f64) = f64.sum x").f
    assert f(np.zeros(0)) == 0 and f([]) == 0


def test_help(norm):
    assert norm.main.__name__ == "main"
    assert norm.main.__doc__.splitlines() == ["main : [n][m]f64 -> [m]f64 -> f64 -> [n][m]f64", "Rows, scaled and shifted."]
    assert str(inspect.signature(norm.main)).startswith("(a: 'float64[:, :]', v: 'float64[:]', s: 'float64', *, out")
    assert "Rows, scaled and shifted." in pydoc.render_doc(norm.main)
    assert "main" in dir(norm) and "main" in repr(norm) and list(norm) == [norm.main]
    with pytest.raises(AttributeError, match="no function 'mian'; it has: main"):
        norm.mian
    with pytest.raises(KeyError):
        norm["mian"]


def test_infer(norm):
    text = norm.main.infer()
    assert "map2 (*) xs v" in text and "6 maps" in text
    assert text.source.startswith("entry main [n][m]")
    assert "map (\\xss -> main xss v s) a" in norm.main.infer(np.zeros((2, 2, 2)), np.zeros(2), 1.0)


def test_constants_and_functions_without_entry():
    program = rm.compile("def answer : i64 = 42\ndef twice (x: f64) = 2 * x\ndef id 'a (x: a) = x")
    assert program.answer() == 42 and program.twice(2.0) == 4
    assert program.id(np.arange(3, dtype=np.int8)).dtype == np.int8
    assert program.id(2.5) == 2.5 and program.id(np.float32(2.5)).dtype == np.float32
