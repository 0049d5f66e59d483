"""Rank polymorphism at the call: the compiler's own inference inserts the maps."""

from __future__ import annotations

import numpy as np
import pytest

import remora as rm


@pytest.fixture(scope="module")
def program() -> rm.Program:
    return rm.compile(
        """
        entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))
        entry dot [n] (x: [n]f64) (y: [n]f64) = f64.sum (x * y)
        entry axpy (a: f64) (x: f64) (y: f64) = a * x + y
        entry pairs (p: (f64, f64)) = p.0 * p.1
        entry count (xs: []i64) : i64 = length xs
        entry top [n] (v: [n]f64) = (f64.maximum v, filter (> 0) v)
        entry lengths [n] (v: [n]f64) = length (filter (> 0) v)
        """
    )


def test_a_function_of_a_vector_maps_over_a_matrix(program):
    a = np.arange(24.0).reshape(2, 3, 4)
    assert program.norm(a[0, 0]) == np.sqrt((a[0, 0] ** 2).sum())
    np.testing.assert_allclose(program.norm(a[0]), np.linalg.norm(a[0], axis=1))
    np.testing.assert_allclose(program.norm(a), np.linalg.norm(a, axis=2))
    assert len(program.norm.stats["instances"]) == 3


def test_instances_are_kept(program):
    before = len(program.dot.stats["instances"])
    x, y = np.ones((3, 2)), np.ones(2)
    for _ in range(3):
        assert program.dot(x, y).tolist() == [2, 2, 2]
        assert program.dot(y, x).tolist() == [2, 2, 2]
        assert program.dot(x, x).tolist() == [2, 2, 2]
    assert len(program.dot.stats["instances"]) == before + 3


def test_broadcasting_is_what_inference_makes_of_it(program):
    x = np.arange(3.0)
    np.testing.assert_array_equal(program.axpy(2, x, 1), 2 * x + 1)
    np.testing.assert_array_equal(program.axpy(x, x, x), x * x + x)
    m = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(program.axpy(2.0, m, x), 2 * m + x)
    with pytest.raises(rm.ArgumentError, match="is needed"):
        program.axpy(2.0, m, np.arange(2.0))


def test_arrays_of_tuples(program):
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert program.pairs((2.0, 3.0)) == 6
    assert program.pairs((x, y)).tolist() == [3, 8]
    structured = np.array([(1.0, 3.0), (2.0, 4.0)], dtype=[("a", "f8"), ("b", "f8")])
    assert program.pairs(structured).tolist() == [3, 8]
    with pytest.raises(rm.ArgumentError):
        program.pairs((x, np.ones(3)))


def test_arrays_of_tuples_are_arrays_in_all_parts():
    total = rm.compile("entry total [n] (ps: [n](f64, f64)) = f64.sum (map (\\p -> p.0 * p.1) ps)").total
    assert total((np.ones(2), np.ones(2))) == 2
    assert total((np.ones((3, 2)), np.ones((3, 2)))).tolist() == [2, 2, 2]
    for wrong in ((1.0, 2.0), (np.ones(2), 2.0), (2.0, np.ones(2)), (np.ones((2, 2)), np.ones(2))):
        with pytest.raises((rm.RankError, rm.ArgumentError)):
            total(wrong)


def test_types_decide_as_well():
    same = rm.compile("def swap 'a (x: a) (y: a) = (y, x)").swap
    x, y = same(np.int8(1), np.int8(2))
    assert (x, y) == (2, 1) and x.dtype == np.int8
    x, y = same(np.array([1.5]), np.array([2.5]))
    assert x.tolist() == [2.5]
    with pytest.raises(rm.RankError, match="E0301"):
        same(np.int8(1), np.int16(2))


def test_what_cannot_be_mapped_is_refused_with_reasons(program):
    with pytest.raises(rm.RankError) as caught:
        program.lengths(1.5)
    text = str(caught.value)
    assert text.startswith("lengths(float64) is not possible; lengths : [n]f64 -> i64")
    assert "<call of lengths>" in text and caught.value.diagnostics[0].code.startswith("E0")
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, rm.CompileError)


def test_results_of_different_sizes_are_no_array(program):
    assert program.top(np.array([1.0, -1.0]))[1].tolist() == [1]
    with pytest.raises(rm.RankError):
        program.top(np.ones((2, 2)))


def test_ambiguities_come_with_readings(tmp_path):
    text = "def f (xss: [][]i64) = i64.sum (length xss)\n"
    with pytest.raises(rm.RankError) as caught:
        rm.compile(text)
    error = caught.value
    assert error.codes == ["E0402"] and len(error.readings) == 2
    assert error.readings[0].fragment == "i64.sum (map length xss)" and "def f" in error.readings[0].source
    assert "ambiguous application" in str(error) and error.diagnostics[0].spans[0]["line"] == 1


def test_names_that_are_in_the_way():
    program = rm.compile("entry f (f: f64) (call: f64) = f + call\nentry g' (x: f64) = x", path="odd name's.rem")
    assert program.f(np.ones(2), 1.0).tolist() == [2, 2]
    assert program["g'"](np.ones(2)).tolist() == [1, 1]


def test_calls_see_the_text_that_was_read(tmp_path):
    file = tmp_path / "p.rem"
    file.write_text("entry f (x: f64) = x + 1\n")
    program = rm.load(file)
    file.write_text("entry f (x: f64) = x + 2\n")
    assert program.f(np.zeros(1)).tolist() == [1] and program.f(0.0) == 1
    file.unlink()
    assert program.f(np.zeros((1, 1))).tolist() == [[1]]
