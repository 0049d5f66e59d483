"""The functions that are read, and writes to parts of arrays, give what NumPy gives."""

from __future__ import annotations

import copy
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from port import arguments, edges, either, elements, forms, functions, idioms, programs, published, transforms, views

import remora
import remora.port


@pytest.fixture(autouse=True)
def evaluator(monkeypatch: pytest.MonkeyPatch):
    made = remora._program.compile_translated
    monkeypatch.setattr(remora._program, "compile_translated", lambda text, *, path, backend: made(text, path=path, backend="interp"))


@pytest.mark.parametrize("function, arguments", functions.CASES + views.CASES + arguments.CASES + elements.CASES + forms.CASES + published.CASES + idioms.CASES + either.CASES + edges.CASES + transforms.CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_gives_what_numpy_gives(function: Any, arguments: Any):
    for given in arguments:
        found = programs.judge(function, remora.jit(function), [list(copy.deepcopy(given))], remora.port.PortError)
        assert found.what == "agrees", f"{found.what}: {found.detail}"


def _raised(x, y):
    x += y


def _inside_of_an_expression(x, y):
    return x[0] + touched(x)


def touched(x):
    x[0] = 1.0
    return x.sum()


def _a_part(x, y):
    _raised(x[1:], y[1:])
    return x


def _under_two_names(x, y):
    _raised(x, x)
    return x


def _while_it_is_gone_over(x, y):
    for v in x[::-1]:
        x[-1] = v
    return x


def _a_result_that_is_the_argument(x, y):
    z = np.asarray(x)
    z[0] = 1.0
    return x


@pytest.mark.parametrize(
    "function, said",
    [
        (_inside_of_an_expression, "inside of an expression"), (_a_part, "which is a part of an array"), (_under_two_names, "under another name, too"),
        (_while_it_is_gone_over, "the loop changes the array that it goes over"), (_a_result_that_is_the_argument, "may share its memory"),
    ],
)  # fmt: skip
def test_writes_that_others_would_see_are_refused(function: Any, said: str):
    with pytest.raises(remora.port.PortError, match=said):
        remora.jit(function)(functions.X.copy(), functions.Y.copy())


def _two_names_of_a_generator(x, y):
    rng = np.random.default_rng(1)
    other = rng
    return rng.random() + other.random()


def _drawn_in_a_branch(x, y):
    rng = np.random.default_rng(1)
    return rng.random() if len(x) > 2 else 0.0


def _drawn_in_a_list(x, y):
    rng = np.random.default_rng(1)
    return [rng.random() for _ in range(len(x))]


def _another_distribution(x, y):
    return np.random.default_rng(1).poisson(3, 4)


def _without_a_seed(x, y):
    return np.random.default_rng().random(3)


def _the_old_generator(x, y):
    return np.random.rand(3)


def _a_copy_or_a_view(x, y):
    z = x[::2].reshape(-1)
    z[0] = 1.0
    return x


def _two_names_of_a_list(x, y):
    one = [1.0]
    other = one
    for v in x:
        one.append(v)
    return len(one) + len(other)


def _two_names_of_a_record(x, y):
    one = {"a": 1.0}
    other = one
    one["a"] = 2.0
    return other["a"]


def _a_new_key(x, y):
    one = {"a": 1.0}
    if x[0] > 0:
        one["b"] = 2.0
    return one["b"]


def _elements_of_two_types(x, y):
    made = []
    for v in x:
        made.append((1, v))
    return made


def _arithmetic_with_a_list(x, y):
    return [v for v in x] * 2.0


def _even(n):
    return True if n == 0 else _odd(n - 1)


def _odd(n):
    return False if n == 0 else _even(n - 1)


def _two_that_call_each_other(x, y):
    return _even(len(x))


def _endless(n):
    return _endless(n - 1) + 1


def _without_an_end(x, y):
    return _endless(3)


def _left_out_by_a_mask(x, y):
    return np.delete(x, x > y)


def _left_out_by_a_slice(x, y):
    return np.delete(x, np.s_[1:3])


def _a_list_of_what_changes(x, y):
    for k, v in list(enumerate(x)):
        x[k] = x[0] + v
    return x


def _a_first_number_that_changes(x, y):
    n = 2
    for k, _v in enumerate(x, n):
        n = n + k
    return n


@pytest.mark.parametrize(
    "function, said",
    [
        (_a_list_of_what_changes, "`enumerate` is not read"), (_a_first_number_that_changes, "`enumerate` from another number"),
        (_left_out_by_a_mask, "`delete` by truth values"), (_left_out_by_a_slice, "np.s_"),
        (_two_names_of_a_generator, "are one generator"), (_drawn_in_a_branch, "not certain how often"), (_drawn_in_a_list, "not certain how often"),
        (_another_distribution, "the method `poisson` of a generator"), (_without_a_seed, "without a seed"), (_the_old_generator, "`np.random.rand` is not read"),
        (_a_copy_or_a_view, "may share its memory"), (_two_names_of_a_list, "may be that of `other`"), (_two_names_of_a_record, "may be the same object"), (_a_new_key, "the new part `b`"),
        (_elements_of_two_types, "tuples of different types"), (_arithmetic_with_a_list, "arithmetic with a list"), (_two_that_call_each_other, "call each other"),
        (_without_an_end, "calls itself whatever its arguments are"),
    ],
)  # fmt: skip
def test_forms_that_mean_something_else_are_refused(function: Any, said: str):
    with pytest.raises(remora.port.PortError, match=said):
        remora.jit(function)(functions.X.copy(), functions.Y.copy())


SHORT, TRUTH, LONG = np.array([1, 2, 3], np.int8), np.array([True, False, True]), np.array([1, 2, 3], np.uint64)
SINGLE = np.array([1.0, 2.0, 4.0], np.float32)


@pytest.mark.parametrize(
    "expression, argument, said",
    [
        ("np.sqrt(x)", SHORT, "is float16, which is not read"), ("np.deg2rad(x)", SHORT, "is float16, which is not read"),
        ("np.reciprocal(x)", SHORT, "`reciprocal` of i8"),
        ("np.percentile(x, [20, 50])", SINGLE, "with such percentages"),
        ("np.histogram(x, 3)", SINGLE, "`histogram` of f32"), ("np.histogram(x * 0.5, 3, weights=x)[0]", LONG, "with weights of u64"),
        ("np.setdiff1d(x, [1.0])", SHORT, "`setdiff1d` of i8 and f64"), ("x**2", TRUTH, "a power of truth values"),
        ("np.square(x)", TRUTH, "`square` of truth values"), ("np.gradient(x)", TRUTH, "`gradient` of bool"), ("+x", TRUTH, "before a truth value"),
        ("np.fliplr(x)", SHORT, "of 1 dimensions"), ("x < np.int64(2)", LONG, "a comparison of u64 and i64"),
        ("np.linalg.norm(x, 'nuc')", SINGLE, "this norm is not read"), ("np.maximum(x, [1, 2, 3])", SHORT, "what is no array of numbers"),
    ],
)  # fmt: skip
def test_what_has_another_type_in_numpy_is_refused(tmp_path: Path, expression: str, argument: Any, said: str):
    file = tmp_path / "expression.py"
    file.write_text(f"import numpy as np\n\n\ndef f(x):\n    return {expression}\n")
    function = runpy.run_path(str(file))["f"]
    with pytest.raises(remora.port.PortError, match=said):
        remora.jit(function)(argument)


def _cubic(x):
    return x**3 - 2 * x - 5


def _shifted_cubic(x):
    return _cubic(x - 1.0)


def _halved_interval(f, a, b, n):
    for _ in range(n):
        c = (a + b) / 2
        if f(a) * f(c) < 0:
            b = c
        else:
            a = c
    return (a + b) / 2


def test_functions_are_arguments():
    found = remora.jit(_halved_interval)
    for f, a, b in [(_cubic, 1.0, 3.0), (_shifted_cubic, 2.0, 5.0), (_cubic, 0.0, 4.0)]:
        assert found(f, a, b, 30) == _halved_interval(f, a, b, 30)
    with pytest.raises(remora.port.PortError, match="ufunc is not read"):
        found(np.sin, 1.0, 3.0, 3)


def _a_layout(x, y):
    return x[None].ravel(order="K")


def _an_integer_or_a_float(x, y):
    return 1 if x[0] > 0 else 2.5


def _a_list_of_both(x, y):
    return np.array([1 if v > 0 else 0.5 for v in x])


def _filled_with_both(x, y):
    return np.full(3, max(0, x[0]))


def _integers_times_both(x, y):
    a = 1 if x[0] > 0 else 0.5
    return np.arange(3) * a


def _single_or_double(x, y):
    return 0.0 if x[0] > 5 else np.float32(x[0])


def _a_number_or_an_array(x, y):
    k = 0
    for _ in range(3):
        k += 1
    for _ in range(2):
        k = k + x
    return k


def _records(x, y):
    return np.zeros(3, dtype=[("x", float), ("y", int)])


def _an_old_seed(x, y):
    np.random.seed(0)
    return x


def _filled_with_an_array(x, y):
    return np.full_like(x, y)


def _a_part_of_integers(x, y):
    z = np.arange(3)
    z[1:] += 0.5
    return z


def _one_bound(x, y):
    return np.clip(x, 0)


def _a_sum_of_some(x, y):
    total = 0
    for v in x:
        if v > y[0]:
            total += v
    return total


def _nothing_or_a_mean(x, y):
    if len(x) < 2:
        return 0
    return x.mean()


def test_floats_stand_for_integers_in_other_cases():
    x = np.array([1.5, 2.5])
    for function, given, value in (
        (_an_integer_or_a_float, (x, x), 1.0), (_an_integer_or_a_float, (-x, x), 2.5), (_a_sum_of_some, (x, x), 2.5), (_a_sum_of_some, (x, 2 * x), 0.0),
        (_nothing_or_a_mean, (x, x), 2.0), (_nothing_or_a_mean, (x[:1], x), 0.0),
    ):  # fmt: skip
        assert function(*given) == value and remora.port.jit(function)(*given) == value
    found = remora.port.jit(_a_sum_of_some)
    found(x, x)
    assert "= 0.0 for" in found.source


@pytest.mark.parametrize(
    "function, said",
    [
        (_a_layout, "lie in memory"), (_filled_with_an_array, "of what is no number"),
        (_a_list_of_both, "a list of integers and floats"), (_filled_with_both, "integers in one case"), (_integers_times_both, "integers in one case"),
        (_single_or_double, "f32 in another"), (_a_number_or_an_array, "this is i64 in one case"), (_records, "arrays? of records|this type"), (_an_old_seed, "older random numbers"),
        (_a_part_of_integers, "UFuncTypeError"), (_one_bound, "with one bound"),
    ],
)  # fmt: skip
def test_what_would_be_another_value_is_refused(function: Any, said: str):
    with pytest.raises(remora.port.PortError, match=said):
        remora.jit(function)(functions.X.copy(), functions.Y.copy())


def _sorted(x):
    values = [v * 2 for v in x]
    values.sort()
    return values


def test_floats_with_nan_have_no_order():
    assert remora.jit(_sorted)(np.array([2.0, 1.0])) == [2.0, 4.0]
    with pytest.raises(remora.RunTimeError, match="one is NaN"):
        remora.jit(_sorted)(np.array([2.0, np.nan, 1.0]))


def _a_part_of_an_argument(p):
    p[0][0] = 1.0
    return p[0]


def _a_part_of_a_list(p):
    a = p[np.int64(1) * len(p[0]) - len(p[0])]
    a[0] = 1.0
    return a


def _an_element_of_a_list(d):
    d[0] = 5.0
    return d


def _a_new_key(d):
    d["c"] = 1.0
    return d["a"]


def _a_longer_list(d):
    d.append(1.0)
    return d


def _a_real_number(z):
    return float(z[0])


def _an_import(x):
    import os

    return x + len(os.sep)


@pytest.mark.parametrize(
    "function, given, said",
    [
        (_a_part_of_an_argument, ((functions.X,),), "a part of `p`"), (_a_part_of_a_list, ([functions.X, functions.X * 2],), "under another name"), (_an_element_of_a_list, ([1.0, 2.0],), "the list `d` of the caller"), (_a_new_key, ({"a": functions.X},), "what the caller of the function sees|the caller"),
        (_a_longer_list, ([1.0, 2.0],), "the list `d` of the caller"), (_a_longer_list, ([functions.X],), "of the caller"), (_a_new_key, ({1: 2.0},), "keys are no texts"),
        (_a_real_number, (np.array([1 + 2j]),), "write `.real`"), (_an_import, (functions.X,), "an import of `os`"), (_a_longer_list, ([object()],), "a object is not read"),
    ],
)  # fmt: skip
def test_arguments_with_parts_are_not_changed(function: Any, given: Any, said: str):
    with pytest.raises(remora.port.PortError, match=said):
        remora.jit(function)(*given)


def _product_or_sum(x, y, much):
    total = y.sum()
    if much > 0:
        total = (x * y).sum()
    return total


def test_sizes_that_do_not_fit_are_said_to_matter_everywhere():
    with pytest.raises(remora.ArgumentError, match="a branch or a loop which does not run"):
        remora.jit(_product_or_sum)(np.arange(3.0), np.arange(4.0), np.float64(0))


def _texts(x):
    return np.where(x > 0, "yes", "no")


def _a_name_of_before(x):
    return np.in1d(x, x)


def _a_partition(x):
    return np.partition(x, 2)[:2]


def _half_precision(x):
    return np.sqrt(x.astype(np.uint8))


def _rows_of_any_size(x):
    return [x[k : k + 2] for k in np.argsort(x)]


def _a_generator(x):
    return (v * 2 for v in (1.0, 2.0))


def _keys(x):
    d = {"a": 1.0, "b": 2.0}
    return x.sum() + sum(d)


def _nothing_or_a_number(x):
    if x[0] > 0:
        return x.sum()


@pytest.mark.parametrize(
    "function, said",
    [
        (_texts, "an array of texts"), (_a_name_of_before, "`np` has no `in1d`(?s:.*)write `np.isin"), (_a_partition, "the one it puts in its place(?s:.*)np.sort"),
        (_half_precision, "is float16(?s:.*)astype"), (_a_generator, "a generator as a result"), (_keys, "arithmetic with a tuple"), (_rows_of_any_size, "rows of the result may have different sizes(?s:.*)z = np.zeros"), (_nothing_or_a_number, "`None` at another or where it ends"),
    ],
)  # fmt: skip
def test_what_is_not_read_says_what_to_write(function: Any, said: str):
    with pytest.raises(remora.port.PortError, match=said):
        remora.jit(function)(functions.X)


def test_only_what_the_program_has_to_know_is_a_constant():
    function = remora.port.jit(edges.of_a_shape)
    function((3, 4), functions.A)
    assert "(shape_0: i64) (shape_1: i64)" in function.source
    function = remora.port.jit(edges.along_an_axis)
    function(functions.A, 1)
    assert "axis:" not in function.source and "the argument `axis` is a constant" in function.explain()
    assert function(functions.A, 0)[0].tolist() == functions.A.sum(axis=0).tolist()
