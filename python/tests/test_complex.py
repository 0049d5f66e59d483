"""Complex numbers: arrays and scalars in all ways into a program and out of it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import remora as rm

TEXT = """
type pair = {z: c128, w: []c64, n: i64}
type mark = #at c128 | #all []c64 | #none
entry f (x: c128) (v: []c64) = (x * 2, v * v, map (\\z -> c64.re z) v)
entry square (z: c128) = z * z
entry conj [n][m] (a: [n][m]c64) = map (map c64.conj) a
entry dot [n] (x: [n]c128) (y: [n]c128) = c128.sum (x * y)
entry part (x: c64) (y: c64) = (x * y, c64.abs x)
entry double (p: pair) : pair = {z = p.z * 2, w = p.w + p.w, n = p.n}
entry sized (z: c64) (n: i64) (x: [n]c128) : (c128, [n]c128) = (c128.c64 z, x)
entry turned (m: mark) : mark = match m case #at z -> #at (z * 1j) case #all v -> #all (v * v) case #none -> #none
entry at (z: c128) (i: i64) (x: []c128) = z * x[i]
entry same x = x
"""


@pytest.fixture(scope="module", params=["auto", "strict", "interp"])
def program(request: pytest.FixtureRequest):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rm.EvaluatorWarning)
        yield rm.compile(TEXT, strict=request.param == "strict", backend="interp" if request.param == "interp" else "auto")


@pytest.fixture(scope="module")
def numbers():
    parts = np.random.default_rng(0).standard_normal((2, 4, 6))
    return parts[0] + 1j * parts[1]


def test_scalars_and_arrays(program):
    scalar, array, parts = program.f(1 + 2j, np.array([1j, 2], dtype=np.complex64))
    assert type(scalar) is np.complex128 and scalar == 2 + 4j
    assert array.dtype == np.complex64 and array.tolist() == [-1, 4] and parts.dtype == np.float32 and parts.tolist() == [0, 2]
    for number in (3j, np.complex128(3j), np.array(3j)):
        assert program.square(number) == -9
    product, size = program.part(3 + 4j, np.array(1j, dtype=np.complex64))
    assert type(product) is np.complex64 and product == -4 + 3j and type(size) is np.float32 and size == 5
    assert program.f(3, [1, 2j])[0] == 6 and program.square(2.5) == 6.25
    assert program.f(1j, [])[1].shape == (0,)


def test_special_parts_come_through(program):
    for number in (complex(-0.0, 0.0), complex(0.0, -0.0), complex(np.inf, -np.inf), complex(np.nan, -0.0)):
        for given in (number, np.complex128(number), np.array(number), np.complex64(number)):
            found = program.same(given)
            assert found.dtype == np.asarray(given).dtype and found.tobytes() == np.asarray(given).tobytes()


def test_layouts(program, numbers):
    shifted = np.zeros(16 * 6 + 8, np.uint8)[8:].view(np.complex128)
    shifted[:] = numbers[0]
    for x in (numbers[0], numbers[:, 0], numbers[0, ::-2], numbers[0].astype(">c16"), shifted):
        np.testing.assert_allclose(program.dot(x, x), (x * x).sum(), rtol=1e-13)
    single = numbers.astype(np.complex64)
    for a in (single, single.T, np.asfortranarray(single), single[::2, 1:]):
        np.testing.assert_array_equal(program.conj(a), a.conj())


def test_nothing_is_copied():
    program = rm.compile(TEXT)
    x = np.arange(6) * 1j
    program.dot(x, np.zeros(16 * 6 + 8, np.uint8)[8:].view(np.complex128))
    result = program.square(x)
    assert program.dot.stats["copied_arguments"] == program.square.stats["copied_arguments"] == 0
    assert not result.flags.owndata and result.flags.writeable


def test_instances_by_rank(program, numbers):
    np.testing.assert_allclose(program.square(numbers), numbers * numbers, rtol=1e-13)
    np.testing.assert_allclose(program.dot(numbers, numbers[1]), (numbers * numbers[1]).sum(-1), rtol=1e-12)
    scalars, arrays = program.sized([1j, 2j], 2, [3j, 4])
    assert scalars.tolist() == [1j, 2j] and arrays.tolist() == [[3j, 4], [3j, 4]]
    for dtype in (np.complex64, np.complex128):
        assert program.same(numbers.astype(dtype)).dtype == dtype


def test_records_and_sums(program):
    fields = np.zeros(1, dtype=[("z", "c16"), ("w", "c8", 2), ("n", "i8")])
    fields[0] = (1j, [1, 2j], 7)
    for given in ({"z": 1j, "w": [1, 2j], "n": 7}, fields[0]):
        found = program.double(given)
        assert type(found.z) is np.complex128 and found.z == 2j and found.n == 7
        assert found.w.dtype == np.complex64 and found.w.tolist() == [2, 4j]
    assert program.turned(program.variants.at(2j)) == rm.Variant("at", np.complex128(-2))
    assert program.turned(program.variants.all(np.array([1j], np.complex64))).payload[0].tolist() == [-1]


def test_sizes_behind_scalars_of_two_words(program):
    first, rest = program.sized(1j, 2, [3j, 4])
    assert type(first) is np.complex128 and first == 1j and rest.tolist() == [3j, 4]
    with pytest.raises(rm.ArgumentError):
        program.sized(1j, 3, [3j, 4])
    assert program.at(2j, 1, [1, 1j]) == -2
    with pytest.raises(rm.RunTimeError, match="index 5"):
        program.at(2j, 5, [1, 1j])


def test_out(program, numbers):
    single = numbers.astype(np.complex64)
    out = np.empty_like(single)
    assert program.conj(single, out=out) is out and np.array_equal(out, single.conj())
    scalar = np.empty((), np.complex128)
    assert program.square(2j, out=scalar) is scalar and scalar == -4
    for wrong in (np.empty((4, 6)), np.empty((4, 6), np.complex128)):
        with pytest.raises(rm.ArgumentError, match="the result is complex64.4, 6., but `out` is"):
            program.conj(single, out=wrong)


def test_conversions_are_asked_for(program, numbers):
    real = rm.compile("entry f (x: f64) (v: []f64) = x + f64.sum v").f
    for call, text in (
        (lambda: program.conj(numbers), "expected complex64, given complex128.4, 6.; convert it .*same_kind"),
        (lambda: program.square(np.complex64(1j)), "expected complex128, given complex64"),
        (lambda: program.square(np.ones(3)), "expected complex128, given float64"),
        (lambda: program.square(True), "given a truth value"),
        (lambda: program.square("1j"), "no number"),
        (lambda: real(1j, []), "given the complex number 1j; pass `x.real`"),
        (lambda: real(np.complex128(1j), []), "expected float64, given complex128; pass `x.real`"),
        (lambda: real(1, [1j]), "expected float64, given complex128.1.; pass `x.real`"),
        (lambda: real(1, np.ones(2, np.complex64), casting="same_kind"), "pass `x.real`.*casting='unsafe'"),
    ):
        with pytest.raises(rm.ArgumentError, match=text):
            call()
    assert program.conj(numbers, casting="same_kind").dtype == np.complex64
    assert program.square(np.float32(3), casting="safe") == 9
    with pytest.warns(np.exceptions.ComplexWarning):
        assert real(1, np.array([1 + 2j]), casting="unsafe") == 2


def test_gufuncs(numbers):
    program = rm.compile(TEXT)
    dot, part = rm.gufunc(program.dot), rm.gufunc(program.part)
    assert dot.types == ["DD->D"] and part.types == ["FF->Ff"]
    np.testing.assert_allclose(dot(numbers, numbers[1]), (numbers * numbers[1]).sum(-1), rtol=1e-12)
    np.testing.assert_allclose(dot(numbers[:, ::2], numbers[1, ::2]), (numbers[:, ::2] * numbers[1, ::2]).sum(-1), rtol=1e-12)
    np.testing.assert_allclose(dot(numbers, numbers, axis=0), (numbers * numbers).sum(0), rtol=1e-12)
    np.testing.assert_allclose(dot(numbers.real, numbers), (numbers.real * numbers).sum(-1), rtol=1e-12)
    shifted = np.zeros(16 * 6 + 8, np.uint8)[8:].view(np.complex128)
    shifted[:] = numbers[0]
    np.testing.assert_allclose(dot(shifted, shifted), (shifted * shifted).sum(), rtol=1e-12)
    out = np.zeros(4, np.complex128)
    assert dot(numbers, numbers, out=out) is out and out.all()
    x, y = np.arange(3, dtype=np.complex64)[:, None] * 1j, np.arange(2, dtype=np.complex64)
    product, size = part(x, y)
    np.testing.assert_array_equal(product, x * y)
    assert product.dtype == np.complex64 and size.dtype == np.float32 and size.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_signatures(program):
    assert str(program.f.__signature__).startswith("(x: 'complex128', v: 'complex64[:]'")
