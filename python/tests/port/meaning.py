"""Small functions where a reader of NumPy easily goes wrong: each either means what NumPy means or is refused, never something else."""

from __future__ import annotations

import math

import numpy as np

X = np.array([1.0, -2.5, 3.0, 0.5, -0.0])
Y = np.array([2.0, 2.0, -1.0, 4.0, 0.25])
A = np.arange(12.0).reshape(3, 4) - 5
S = np.arange(9.0).reshape(3, 3)
K = np.array([3, -1, 2, 0, 5])
I32 = np.array([2**31 - 1, 5, -7], dtype=np.int32)
U8 = np.array([250, 3, 0, 17], dtype=np.uint8)
F32 = np.array([0.1, 2.0, -3.5], dtype=np.float32)
B = np.array([True, False, True, True, False])
NAN = np.array([np.nan, 1.0, -np.inf, np.nan, 2.0])
TIES = np.array([3.0, 1.0, 3.0, 1.0, 2.0])


def cases():
    """A list of functions with lists of arguments, and the decorator that adds a function with its own."""
    found: list[tuple[object, list[tuple[object, ...]]]] = []

    def case(*arguments: tuple[object, ...]):
        def add(function):
            found.append((function, list(arguments)))
            return function

        return add

    return found, case


CASES, case = cases()

# Types of elements


@case((I32,))
def int32_wraps(x):
    return x + 1


@case((I32,))
def int32_sum_is_int64(x):
    return x.sum()


@case((U8,))
def uint8_wraps(x):
    return x + x


@case((U8,))
def uint8_minus(x):
    return -x


@case((U8,))
def uint8_from_constant(x):
    return 255 - x


@case((U8, 3))
def uint8_and_an_int(x, k):
    return x + k


@case((U8, 300))
def uint8_compared_with_a_large_int(x, k):
    return x < k


@case((U8, I32[:1]))
def uint8_and_int32(x, y):
    return x + y


@case((F32,))
def float32_and_constant(x):
    return x * 0.1


@case((F32, 0.1))
def float32_and_a_float(x, c):
    return x * c


@case((F32, X[:3]))
def float32_and_float64(x, y):
    return x + y


@case((F32, K[:3]))
def float32_and_int64(x, k):
    return x * k


@case((F32,))
def float32_mean(x):
    return x.mean()


@case((F32,))
def float32_and_numpy_scalar(x):
    return x * np.float64(2)


@case((K,))
def int_divided(k):
    return k / 2


@case((K,))
def int_floor_divided(k):
    return k // 2, k // -2, k % 3, k % -3


@case((X, Y))
def float_floor_divided(x, y):
    return x // y, x % y


@case((X,))
def float_remainder_of_negative(x):
    return x % -2.0, np.fmod(x, 2.0)


@case((K,))
def int_power(k):
    return k**2, k**3


@case((K, 2))
def int_to_a_variable_power(k, p):
    return k**p


@case((X,))
def float_to_int_power(x):
    return x**3, x**-1


@case((K,))
def ints_times_half(k):
    return k * 0.5


@case((B,))
def bools_added(b):
    return b + b


@case((B,))
def bool_sum(b):
    return b.sum(), b.mean()


@case((B, X))
def bool_times_float(b, x):
    return b * x


@case((B, K))
def bool_plus_int(b, k):
    return b + k


@case((B,))
def bool_and_one(b):
    return b + 1, b * 2


@case((K,))
def mean_of_ints(k):
    return k.mean(), k.std()


@case((K,))
def sqrt_of_ints(k):
    return np.sqrt(np.abs(k))


@case((X,))
def as_type_truncates(x):
    return x.astype(np.int64)


@case((K,))
def stores_into_ints(k):
    out = np.zeros(len(k), dtype=np.int64)
    out[:] = k * 0.7
    return out


@case((X,))
def stores_into_float32(x):
    out = np.zeros(x.shape, dtype=np.float32)
    out[:] = x / 3
    return out


@case((K,))
def augmented_int_by_float(k):
    k = k.copy()
    k[0] += 2
    k *= 2
    return k


@case((X,))
def python_round(x):
    return np.round(x), np.rint(x)


@case((7, 2), (-7, 2), (7, -2))
def python_ints(a, b):
    return a // b, a % b, a / b


@case((7.5, 2.0), (-7.5, 2.0))
def python_floats(a, b):
    return a // b, a % b


@case((2,), (5,))
def python_power(n):
    return 2**n


@case((3, 0.5))
def python_mixed(a, b):
    return a + b, a * a, a * b


@case((True, 3))
def python_bool(a, b):
    return a + b, not a


@case((2**62,))
def python_int_beyond_64_bits(a):
    return a * 4


@case((2**62,))
def python_sum_beyond_64_bits(a):
    return a + a + a


@case((30,))
def python_factorial(n):
    p = 1
    for k in range(1, n + 1):
        p *= k
    return p


# Broadcasting


@case((A, np.ones(4)))
def row_added(a, v):
    return a + v


@case((A, np.ones(3)))
def column_added(a, v):
    return a + v[:, None]


@case((S, np.array([10.0, 20.0, 30.0])))
def square_row_and_column(a, v):
    return a * v, a * v[:, None], v[None, :] - a


@case((X, np.array([7.0])))
def size_one_argument(x, one):
    return x * one


@case((A, A[:1], A[:, :1]))
def size_one_matrices(a, row, column):
    return a + row, a + column, row * column


@case((X,))
def two_new_axes(x):
    return (x[:, None, None] + x[None, :, None]) * x[None, None, :]


@case((A,))
def keepdims(a):
    return a - a.mean(axis=1, keepdims=True), a - a.mean(axis=0, keepdims=True)


@case((A,))
def keepdims_returned(a):
    return a.sum(axis=1, keepdims=True), a.sum(axis=0, keepdims=True)


@case((X,))
def reshaped_column(x):
    return x.reshape(-1, 1) * x.reshape(1, -1)


@case((X,))
def column_returned(x):
    return x[:, None]


@case((S, np.ones(3)))
def vector_minus_matrix(a, v):
    return v - a


@case((X[:3], Y))
def sizes_that_differ(x, y):
    return x + y


@case((X[:2], np.array([5.0])))
def slice_of_size_one(x, y):
    return x[1:] + y, x[1:] + x


# Indices and slices


@case((X,))
def negative_literal_index(x):
    return x[-1], x[-2]


@case((X, -1), (X, 2), (X, 4), (X, 5), (X, -6))
def index_given(x, k):
    return x[k]


@case((X,))
def index_before_zero(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * x[i - 1]
    return s


@case((X,))
def negative_index_written(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[-i] = x[i]
    return out


@case((X, 3), (X, 10), (X, -2), (X, -20), (X, 0))
def slice_to(x, k):
    return x[:k]


@case((X, 3), (X, 10), (X, -2), (X, -20), (X, 0))
def slice_from(x, k):
    return x[k:]


@case((X, 1, 3), (X, 3, 1), (X, -3, -1), (X, 2, 100))
def slice_between(x, a, b):
    return x[a:b]


@case((X,))
def slice_beyond(x):
    return x[:100], x[3:100], x[100:], x[-100:2]


@case((X,))
def slice_steps(x):
    return x[::2], x[1::2], x[::-1], x[::-2], x[3:0:-1], x[-1:-4:-1]


@case((X, 2), (X, 1), (X, -1))
def slice_step_given(x, s):
    return x[::s]


@case((X,))
def window_sums(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[max(0, i - 1) : i + 2].sum()
    return out


@case((X,))
def window_that_wraps(x):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i - 1 : i + 2].sum()
    return out


@case((X, K % 5))
def gathered(x, k):
    return x[k]


@case((X, np.array([-1, 0, -5, 4])))
def gathered_from_the_end(x, k):
    return x[k]


@case((A, np.array([0, 2, -1])))
def rows_gathered(a, k):
    return a[k]


@case((A, np.array([0, 3, -1])))
def columns_gathered(a, k):
    return a[:, k]


@case((S, np.array([0, 2, 1])))
def pairs_gathered(a, k):
    return a[k, k]


@case((A,))
def matrix_slices(a):
    return a[1:, ::2], a[::-1, 1:3], a[-1], a[:, -2], a[..., 0]


@case((X, np.array([1, 1, 3])))
def duplicates_written(x, k):
    x = x.copy()
    x[k] = np.array([10.0, 20.0, 30.0])
    return x


@case((X, np.array([1, 1, 3])))
def duplicates_added(x, k):
    x = x.copy()
    x[k] += 1
    return x


@case((X, np.array([1, 1, 3])))
def added_at(x, k):
    x = x.copy()
    np.add.at(x, k, 1.0)
    return x


@case((X, np.array([-1, 7])))
def written_out_of_range(x, k):
    x = x.copy()
    x[k] = 5.0
    return x


# Masks


@case((X,))
def mask_read(x):
    return x[x > 0]


@case((X,))
def mask_written(x):
    x = x.copy()
    x[x < 0] = 0
    return x


@case((X,))
def mask_written_with_values(x):
    x = x.copy()
    x[x > 0] = x[x > 0] * 2
    return x


@case((A,))
def mask_of_matrix(a):
    a = a.copy()
    a[a > 2] -= 1
    return a, a[a < 0]


@case((A, np.array([True, False, True])))
def mask_of_rows(a, m):
    return a[m]


@case((X, B))
def mask_negated(x, b):
    return x[~b].sum()


@case((B,))
def where_of_one(b):
    return np.where(b)[0]


@case((X,))
def where_of_mixed_types(x):
    return np.where(x > 0, 1, x)


# Views


@case((X,))
def view_written(x):
    x = x.copy()
    y = x[1:]
    y += 1
    return x, y


@case((X,))
def view_of_written(x):
    x = x.copy()
    y = x[1:]
    x[2] = 100
    return y


@case((X,))
def name_written(x):
    x = x.copy()
    y = x
    y[0] = 100
    return x


@case((A,))
def row_view(a):
    a = a.copy()
    r = a[0]
    r[:] = 9
    return a


@case((A,))
def rows_written_in_a_loop(a):
    a = a.copy()
    for row in a:
        row -= row[0]
    return a


@case((A,))
def transposed_written(a):
    a = a.copy()
    t = a.T
    t[0] = 1
    return a


@case((X,))
def reshaped_written(x):
    x = x.copy()
    y = x.reshape(-1, 1)
    y[0] = 7
    return x


@case((X,))
def rows_swapped_by_views(x):
    x = x.copy()
    x[0], x[1] = x[1], x[0]
    return x


@case((A,))
def rows_swapped_wrongly(a):
    a = a.copy()
    t = a[0]
    a[0] = a[1]
    a[1] = t
    return a


@case((A,))
def rows_swapped_by_tuple(a):
    a = a.copy()
    a[0], a[1] = a[1], a[0]
    return a


@case((A,))
def rows_swapped_by_gather(a):
    a = a.copy()
    a[[0, 1]] = a[[1, 0]]
    return a


@case((X,))
def overlapping_write(x):
    x = x.copy()
    x[1:] = x[:-1]
    return x


@case((X,))
def overlapping_addition(x):
    x = x.copy()
    x[1:] += x[:-1]
    return x


@case((X,))
def argument_written(x):
    x[0] = 99


@case((X,))
def argument_augmented(x):
    x += 1
    return x.sum()


@case((X,))
def argument_view_written(x):
    y = x[::2]
    y[:] = 0


@case((X,))
def argument_rebound(x):
    x = x + 1
    x[0] = 5
    return x


@case((X, 2.0), (X, -2.0))
def argument_written_on_one_path(x, c):
    if c > 0:
        x[0] = c
    return x[0]


@case((X,))
def loop_keeps_alias(x):
    a = x.copy()
    b = a
    for i in range(2):
        a[i] = 50.0
        b = a
    return a, b


@case((X,))
def alias_made_in_a_loop(x):
    a = x.copy()
    old = np.zeros(len(x))
    for i in range(2):
        a[i] = old[i] + 1
        old = a
    return old


@case((X,))
def previous_is_an_alias(x):
    now = x.copy()
    before = now
    for i in range(3):
        before = now
        now[i] = before[i] + 1
    return before - now


@case((X,))
def conditional_alias(x):
    a = x.copy()
    b = a if a[0] > 0 else a * 2
    b[0] = 77
    return a


@case((X,))
def alias_in_a_branch(x):
    a = x.copy()
    b = np.zeros(len(x))
    if a[0] > 0:
        b = a
    b[1] = 77
    return a


@case((X,))
def alias_through_a_tuple(x):
    a = x.copy()
    p = (a, 1.0)
    q = p[0]
    q[0] = 55
    return a


@case((X,))
def ravel_is_a_view(x):
    a = x.reshape(1, -1).copy()
    r = a.ravel()
    r[0] = 33
    return a


@case((X,))
def flatten_is_a_copy(x):
    a = x.reshape(1, -1).copy()
    r = a.flatten()
    r[0] = 33
    return a, r


@case((X,))
def asarray_is_no_copy(x):
    a = x.copy()
    b = np.asarray(a)
    b[0] = 44
    return a


@case((X,))
def array_is_a_copy(x):
    a = x.copy()
    b = np.array(a)
    b[0] = 44
    return a, b


@case((X,))
def iterated_while_written(x):
    a = x.copy()
    s = 0.0
    for i, v in enumerate(a):
        s += v
        a[-1] = 10.0
    return s


@case((X,))
def sorted_in_place(x):
    a = x.copy()
    b = a[1:]
    a.sort()
    return b


@case((X,))
def out_argument(x):
    y = np.zeros(len(x))
    np.add(x, 1, out=y)
    return y


@case((X,))
def helper_writes(x):
    def clear(v):
        v[0] = 0.0

    x = x.copy()
    clear(x)
    return x


@case((X,))
def closure_sees_the_last_value(x):
    k = 1.0

    def f(v):
        return v + k

    k = 2.0
    return f(x)


@case((X,))
def comprehension(x):
    return np.array([v * 2 for v in x])


# Reductions, sorts, ties


@case((TIES,))
def ties_of_argmin(x):
    return np.argmin(x), np.argmax(x)


@case((TIES,))
def ties_of_argsort(x):
    return np.argsort(x, kind="stable")


@case((NAN,))
def nan_reductions(x):
    return x.max(), x.min(), np.argmax(x), np.argmin(x)


@case((NAN,))
def nan_sorted(x):
    return np.sort(x)


@case((NAN, X))
def nan_maximum(x, y):
    return np.maximum(x, y), np.fmax(x, y), np.minimum(x, y)


@case((NAN,))
def nan_compared(x):
    return x == x, x != x, x < 1


@case((NAN,))
def nan_sign(x):
    return np.sign(x), np.clip(x, 0, 1)


@case((NAN,))
def python_max_of_nan(x):
    m = x[0]
    for v in x:
        m = max(m, v)
    return m


@case((NAN,))
def python_min_of_nan(x):
    m = 5.0
    for v in x:
        m = min(v, m)
    return m


@case((np.zeros(0),), (np.ones(3),))
def empty_sum(x):
    return x.sum(), x.prod()


@case((np.zeros(0),))
def empty_max(x):
    return x.max()


@case((X,))
def max_of_an_empty_slice(x):
    return x[5:].max()


@case((X,))
def argmin_of_an_empty_mask(x):
    return np.argmin(x[x > 100])


@case((np.zeros(0),))
def empty_mean(x):
    return x.mean()


@case((np.zeros((0, 3)),), (A,))
def empty_axis(a):
    return a.sum(axis=0)


@case((np.array([-0.0, 0.0]),))
def signs_of_zero(x):
    return 1 / (x + 0.0), np.copysign(1.0, x)


@case((np.array([0.5, 1.5, 2.5, -0.5]),))
def halves_rounded(x):
    return np.round(x)


@case((A,))
def axes(a):
    return a.sum(axis=0), a.sum(axis=1), a.sum(axis=-1), a.sum(axis=(0, 1)), a.sum()


@case((np.arange(24.0).reshape(2, 3, 4),))
def three_axes(a):
    return a.sum(axis=0), a.sum(axis=1), a.max(axis=2), a.mean(axis=(0, 2)), a.sum()


@case((A,))
def cumulated(a):
    return a.cumsum(axis=0), a.cumsum(axis=1), np.cumsum(a)


@case((A,))
def deviations(a):
    return a.std(axis=0), a.var(axis=1, ddof=1)


@case((X,))
def all_and_any(x):
    return np.all(x > -10), np.any(x > 10), (x > 0).all()


# Control flow


@case((0,), (1,), (7,))
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@case((X, 0.0), (X, 100.0))
def found_or_else(x, bound):
    for i in range(len(x)):
        if x[i] > bound:
            break
    else:
        return -1
    return i


@case((X, 2), (X, 0))
def loop_variable_afterwards(x, n):
    for i in range(n):
        pass
    return i


@case((5, 2), (2, 5))
def range_backwards(a, b):
    s = 0
    for i in range(a, b, -2):
        s = s * 10 + i
    return s


@case((5, 2), (2, 5))
def range_forwards(a, b):
    s = 0
    for i in range(a, b):
        s = s * 10 + i
    return s


@case((4,))
def bound_changes(n):
    s = 0
    for i in range(n):
        n = n + 1
        s += n
    return s, n


@case((4,))
def index_changes(n):
    s = 0
    for i in range(n):
        i = i * 2
        s += i
    return s


@case((X,))
def loop_array_rebound(x):
    s = 0.0
    for v in x:
        x = x * 0
        s += v
    return s, x


@case((1.5,), (-1.5,))
def unbound_in_a_branch(c):
    if c > 0:
        y = 1.0
    return y


@case((X,), (-X,))
def type_changes(x):
    s = 0
    for v in x:
        if v > 0:
            s += v
    return s


@case((3,), (0,))
def returns_of_two_types(k):
    if k > 1:
        return 1
    return 2.5


@case((X,))
def returns_an_argument(x):
    return x


@case((1, 2), (3, 0))
def and_or_of_numbers(a, b):
    return (a and b), (a or b)


@case((0.5,), (3.0,))
def chained_comparison(x):
    return 0 < x < 1, 1 if 0 < x < 1 else 2


@case((X, 3), (X, 10))
def short_circuit(x, i):
    if i < len(x) and x[i] > 0:
        return 1
    return 0


@case((X,))
def early_return_in_a_loop(x):
    for v in x:
        if v < 0:
            return v
    return 0.0


@case((4,))
def continue_and_break(n):
    s = 0
    for i in range(n):
        for j in range(n):
            if j == i:
                continue
            if j > 2:
                break
            s += 10 * i + j
    return s


@case((3,))
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@case((1.0,), (0.0,))
def python_division_by_zero(x):
    return 1.0 / x


@case((K,))
def array_division_by_zero(k):
    return 1 / (k * 1.0)


@case((-1.0,), (4.0,))
def math_domain(x):
    return math.sqrt(x)


@case((4,), (7,))
def math_functions(n):
    return math.sqrt(n), math.floor(n / 2), math.ceil(n / 2), math.gcd(n, 6), math.hypot(n, 1)


@case((2.5,), (-2.5,), (3.5,))
def conversions(x):
    return int(x), float(int(x)), round(x), bool(x), abs(x)


@case((K,))
def operators_of_bits(k):
    return k & 3, k | 4, k ^ 5, ~k, k << 2, k >> 1


@case((U8,))
def bits_of_bytes(x):
    return x >> 1, x << 1, ~x, x & 15


@case((X, Y))
def precedence(x, y):
    return -(x**2), x**2 ** 1, x - (y - x), x / (y * x), -x * y


@case((K,))
def precedence_of_bits(k):
    return k & 6 | 1, k | 4 & k, k ^ 1 + k, (k == 2) | (k == 3) & (k > 0)


@case((X,))
def names_that_clash(map):
    length = map * 2
    f64 = length.sum()
    let = f64 + 1
    mean = np.mean(length)
    return mean, let


@case((A, X[:4], Y[:3]))
def products(a, x, y):
    return a @ x, y @ a, a.T @ y, np.dot(x, x), np.outer(x, y), a @ a.T


@case((K, K))
def integer_products(a, b):
    return a @ b, np.dot(a, 2)


@case((X, K))
def product_of_mixed_types(x, k):
    return x @ k


@case((X + 2j,))
def complex_numbers(z):
    return z * 1j, np.abs(z), z.real, z.imag, np.conj(z), z.sum()


@case((X,))
def float_becomes_complex(x):
    return x * 1j


@case((X,))
def diffs(x):
    return np.diff(x), np.diff(x, n=2), np.cumprod(x)


@case((K,))
def unique_and_counts(k):
    return np.unique(k), np.bincount(np.abs(k)), np.searchsorted(np.sort(k), 2)


@case((5,))
def arange_forms(n):
    return np.arange(n), np.arange(1, n), np.arange(0, n, 2), np.arange(n, 0, -1), np.arange(n) * 1.0


@case((5,))
def constructors(n):
    return np.zeros(n), np.ones(n, dtype=int), np.full(n, 7), np.full(n, 0.5), np.eye(n), np.linspace(0, 1, n)


@case((X,))
def likes(x):
    return np.zeros_like(x), np.full_like(x, 2), np.ones_like(x, dtype=int)


@case((np.arange(6.0), 3), (np.arange(6.0), 0), (np.arange(1.0), 0))
def writes_backwards(a, k):
    a[2::-1] += 9
    a[k::-1] = a[: k + 1]
    a[k:0:-1] *= 2
    a[::-2] -= 1
    a[-2::-1] = a[-2::-1] + 0.5
    a[-3::2] = 7
    a[5:1:-2] += 3
    return a


@case((np.arange(20.0).reshape(5, 4), 2))
def writes_backwards_in_rows(m, k):
    m[k::-1, ::-2] = m[: k + 1, ::2]
    m[0, 3::-1] = 1
    b = m[3::-1]
    b[0] = 99
    b += 1
    np.add(m[2::-1], 1, out=m[2::-1])
    return m


@case((5,), (1,), (0,))
def assigned_in_a_condition(n):
    k = 0
    while (k := k + 1) < n:
        pass
    count, x = 0, 9.0
    while (x := x / 2) > 1:
        count += 1
    if (y := k * 2) > 4:
        k = y
    return k, count, x, y


@case((-1.0,), (1.0,))
def perhaps_assigned_in_a_condition(x):
    k = 1.0
    if x > 0 and (k := 5.0) > 3:
        k = k + 1
    return k


@case((np.arange(5, dtype=np.int16), np.arange(5, dtype=np.uint16), np.arange(3, dtype=np.int32), np.float32(2)))
def degrees_of_types(a, b, c, d):
    return np.deg2rad(a), np.rad2deg(b), np.radians(c), np.degrees(d), np.radians(2), np.degrees(0.5)


KERNEL = np.array([1.0, 2.0, -1.0])
TABLE = np.array([[1, 2], [3, 4]], dtype=np.int32)
CHOSEN = np.array([True, False, True])
LIMITS = np.array([np.nan, np.inf, -np.inf, -0.0, 1e300])
SINGLE = np.array([0.1, 0.2, 3], dtype=np.float32)


@case((np.array([1.0, 2.0, 3.0]), 1), (np.array([4.0, -1.0, 0.5]), 0))
def arrays_from_outside(x, i):
    q = KERNEL.copy()
    q[0] = 7
    for v in KERNEL:
        q += v
    return x * KERNEL, np.convolve(x, KERNEL), TABLE[i] @ TABLE, x[CHOSEN], LIMITS + 1, np.signbit(LIMITS), SINGLE * 2, q, KERNEL


@case((np.array([1.0, 2.0, 3.0]),))
def a_write_to_an_array_from_outside(x):
    q = KERNEL.T
    q += x - x
    return q


@case((np.array([1.0, 2.0, 3.0]),))
def a_write_to_a_part_of_an_array_from_outside(x):
    q = KERNEL[::2]
    q[0] = 1.0
    return x


def writes_what_is_outside(x):
    x[0] = 9
    return KERNEL.sum()


@case((X, np.arange(6.0).reshape(2, 3)))
def sizes_by_functions(x, a):
    n, m = np.shape(a)
    return x * np.size(a), a + np.ndim(a), n, m, np.shape(x)[0]


@case((np.array([0.0, 2.0, -1.0, 0.2]), 3))
def elements_exchanged_through_another_name(b, k):
    a = b
    b[0], b[a.argmax()] = b[k], 0
    return b


@case((np.array([2.0, 0.0, 1.0, 3.0]),), (np.array([1.0, 1.0, 1.0, 1.0]),))
def elements_exchanged(a):
    i = 1
    i, a[i] = 2, 7.0
    a[0], a[int(a[0])] = a[1], a[2]
    return a, i
