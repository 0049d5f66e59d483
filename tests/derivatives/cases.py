"""The cases of make.py, by file."""

import math
import re

import numpy as np

from make import case

# What is not compiled.
EVALUATOR = """
-- ==
-- tags { no_soac no_kernel no_imp no_cpu no_cuda }
"""

FILES = {}


def files():
    for file, (description, texts) in FILES.items():
        yield file, description, "".join(text() for text in texts)


def begin(file, description, imports=()):
    texts = []
    if imports:
        head = "\n" + "\n".join(f'import "{name}"' for name in imports) + "\n"
        texts.append(lambda: head)
    FILES[file] = (description, texts)
    global current
    current = texts


def add(*args, **keywords):
    current.append(lambda: case(*args, **keywords))


def text(block):
    """A test by hand."""
    tagged = re.sub(r"^(-- entry: .*)$", r"\1\n-- tags { derivatives }", block.strip("\n"), flags=re.MULTILINE)
    current.append(lambda: "\n" + tagged + "\n")


def vectorised(function):
    return lambda xs: np.array([function(x) for x in xs])


# Scalars -------------------------------------------------------------------------------------------------------------

begin("scalars", "Derivatives of scalar operations of one operand.")

UNARY = [
    ("neg", "x * f64.neg x", lambda x: -x * x, [0.3, -1.2, 2.5]),
    ("abs", "f64.abs x", np.abs, [0.3, -1.2, 2.5]),
    ("sgn", "f64.sgn x * x", lambda x: np.sign(x) * x, [0.3, -1.2, 2.5]),
    ("sqrt", "f64.sqrt x", np.sqrt, [0.3, 1.2, 2.5]),
    ("rsqrt", "f64.rsqrt x", lambda x: 1 / np.sqrt(x), [0.3, 1.2, 2.5]),
    ("recip", "f64.recip x", lambda x: 1 / x, [0.3, -1.2, 2.5]),
    ("cbrt", "f64.cbrt x", np.cbrt, [0.3, -1.2, 2.5]),
    ("exp", "f64.exp x", np.exp, [0.3, -1.2, 1.5]),
    ("exp2", "f64.exp2 x", np.exp2, [0.3, -1.2, 1.5]),
    ("exp10", "f64.exp10 x", lambda x: 10.0**x, [0.3, -1.2, 0.5]),
    ("expm1", "f64.expm1 x", np.expm1, [0.3, -1.2, 1.5]),
    ("log", "f64.log x", np.log, [0.3, 1.2, 2.5]),
    ("log2", "f64.log2 x", np.log2, [0.3, 1.2, 2.5]),
    ("log10", "f64.log10 x", np.log10, [0.3, 1.2, 2.5]),
    ("log1p", "f64.log1p x", np.log1p, [0.3, -0.2, 2.5]),
    ("sin", "f64.sin x", np.sin, [0.3, -1.2, 2.5]),
    ("cos", "f64.cos x", np.cos, [0.3, -1.2, 2.5]),
    ("tan", "f64.tan x", np.tan, [0.3, -1.2, 2.5]),
    ("asin", "f64.asin x", np.arcsin, [0.3, -0.7, 0.0]),
    ("acos", "f64.acos x", np.arccos, [0.3, -0.7, 0.0]),
    ("atan", "f64.atan x", np.arctan, [0.3, -1.2, 2.5]),
    ("sinh", "f64.sinh x", np.sinh, [0.3, -1.2, 1.5]),
    ("cosh", "f64.cosh x", np.cosh, [0.3, -1.2, 1.5]),
    ("tanh", "f64.tanh x", np.tanh, [0.3, -1.2, 1.5]),
    ("asinh", "f64.asinh x", np.arcsinh, [0.3, -1.2, 2.5]),
    ("acosh", "f64.acosh x", np.arccosh, [1.3, 2.0, 3.5]),
    ("atanh", "f64.atanh x", np.arctanh, [0.3, -0.7, 0.0]),
    ("sinpi", "f64.sinpi x", lambda x: np.sin(np.pi * x), [0.3, -1.2, 2.4]),
    ("cospi", "f64.cospi x", lambda x: np.cos(np.pi * x), [0.3, -1.2, 2.4]),
    ("tanpi", "f64.tanpi x", lambda x: np.tan(np.pi * x), [0.3, -1.2, 2.2]),
    ("asinpi", "f64.asinpi x", lambda x: np.arcsin(x) / np.pi, [0.3, -0.7, 0.0]),
    ("acospi", "f64.acospi x", lambda x: np.arccos(x) / np.pi, [0.3, -0.7, 0.0]),
    ("atanpi", "f64.atanpi x", lambda x: np.arctan(x) / np.pi, [0.3, -1.2, 2.5]),
    ("erf", "f64.erf x", vectorised(math.erf), [0.3, -1.2, 2.0]),
    ("erfc", "f64.erfc x", vectorised(math.erfc), [0.3, -1.2, 2.0]),
    ("gamma", "f64.gamma x", vectorised(math.gamma), [0.3, -1.2, 7.5]),
    ("lgamma", "f64.lgamma x", vectorised(math.lgamma), [0.3, -1.2, 31.5]),
    ("floor", "f64.floor x * x", lambda x: np.floor(x) * x, [0.3, -1.2, 2.5]),
    ("ceil", "f64.ceil x * x", lambda x: np.ceil(x) * x, [0.3, -1.2, 2.5]),
    ("round", "f64.round x * x", lambda x: np.round(x) * x, [0.3, -1.2, 2.4]),
    ("trunc", "f64.trunc x * x", lambda x: np.trunc(x) * x, [0.3, -1.2, 2.5]),
    ("by_integers", "f64.i64 (i64.f64 (10.0 * x)) * x", lambda x: np.trunc(10 * x) * x, [0.33, -1.22, 2.55]),
    ("by_truth", "f64.bool (x > 0.5) * x", lambda x: (x > 0.5) * x, [0.3, -1.2, 2.5]),
    ("by_bits", "f64.u64 (f64.to_bits x >> 52) * x", lambda x: np.array([np.float64(v).view(np.uint64) >> np.uint64(52) for v in x]).astype(float) * x, [0.3, -1.2, 2.5]),
    ("from_bits", "f64.from_bits (f64.to_bits x) + x", lambda x: x, [0.3, -1.2, 2.5]),
    ("by_single", "f64.f32 (f32.f64 x) * x", lambda x: x * x, [0.25, -1.25, 2.5]),
    ("ldexp", "f64.ldexp x 3 * x", lambda x: 8 * x * x, [0.3, -1.2, 2.5]),
]
for name, body, function, point in UNARY:
    add(name, "[3]f64", "[3]f64", f"map (\\x -> {body}) x", function, point)

begin("operands", "Derivatives of scalar operations of two and three operands.")

BINARY = [
    ("add", "x + y", lambda x, y: x + y),
    ("sub", "x - y", lambda x, y: x - y),
    ("mul", "x * y", lambda x, y: x * y),
    ("div", "x / y", lambda x, y: x / y),
    ("mod", "x % y", np.fmod),
    ("min", "f64.min x y", np.minimum),
    ("max", "f64.max x y", np.maximum),
    ("atan2", "f64.atan2 x y", np.arctan2),
    ("atan2pi", "f64.atan2pi x y", lambda x, y: np.arctan2(x, y) / np.pi),
    ("hypot", "f64.hypot x y", np.hypot),
    ("copysign", "f64.copysign x y", np.copysign),
]
for name, body, function in BINARY:
    add(name, "([4]f64, [4]f64)", "[4]f64", f"map2 (\\x y -> {body}) x.0 x.1", function, [2.7, -1.3, 0.6, -3.4], [1.1, 0.8, -1.9, -0.7])
add("pow", "([4]f64, [4]f64)", "[4]f64", "map2 (**) x.0 x.1", np.power, [2.7, 1.3, 0.6, 3.4], [1.1, 2.0, -1.9, 0.5])
add("squares", "[4]f64", "[4]f64", "map (** 2.0) x", lambda x: x**2, [2.7, -1.3, 0.6, -3.4])
add("cubes", "[4]f64", "[4]f64", "map (\\x -> x ** 3.0) x", lambda x: x**3, [2.7, -1.3, 0.6, -3.4])
TERNARY = [
    ("fma", "f64.fma a b c", lambda a, b, c: a * b + c),
    ("mad", "f64.mad a b c", lambda a, b, c: a * b + c),
    ("lerp", "f64.lerp a b c", lambda a, b, c: a + (b - a) * c),
]
for name, body, function in TERNARY:
    add(name, "([2]f64, [2]f64, [2]f64)", "[2]f64", f"map3 (\\a b c -> {body}) x.0 x.1 x.2", function, [2.7, -1.3], [1.1, 0.8], [0.3, 0.9])
add("shared", "f64", "f64", "let y = x * x let z = f64.sin y * y in z / (y + z)", lambda x: np.sin(x * x) * x * x / (x * x + np.sin(x * x) * x * x), 1.3)
add("singles", "[3]f32", "[3]f32", "map (\\x -> f32.exp x * f32.sin x / (1.0 + x * x)) x", lambda x: np.exp(x) * np.sin(x) / (1 + x * x), [0.3, -1.2, 1.5])
add("halves", "[3]f16", "[3]f16", "map (\\x -> x * x * 0.5 + x) x", lambda x: x * x * 0.5 + x, [0.5, -1.25, 1.5])
add("to_double", "[3]f32", "[3]f64", "map (\\x -> let y = f64.f32 x in y * y) x", lambda x: x * x, [0.5, -1.25, 1.5])
add("mixed", "([2]f32, f64)", "[2]f64", "map (\\y -> f64.f32 (y * y) * x.1) x.0", lambda y, z: y * y * z, [0.5, -1.25], 2.0)

begin("kinks", "Where functions are not smooth: the derivative of the branch taken; of equal operands that of the left one.")

text("""
-- ==
-- entry: least
-- input { [1.0, 2.0, 3.0] [1.0, 3.0, 2.0] } output { [1.0, 1.0, 0.0] [0.0, 0.0, 1.0] }
-- input { [f64.nan, 2.0, f64.nan] [1.0, f64.nan, f64.nan] } output { [0.0, 1.0, 1.0] [1.0, 0.0, 0.0] }
entry least (xs: [3]f64) (ys: [3]f64) = vjp (\\(xs: [3]f64, ys: [3]f64) -> map2 f64.min xs ys) (xs, ys) [1.0, 1.0, 1.0]

-- ==
-- entry: greatest
-- input { [1.0, 2.0, 3.0] [1.0, 3.0, 2.0] } output { [1.0, 0.0, 1.0] [0.0, 1.0, 0.0] }
-- input { [f64.nan, 2.0, f64.nan] [1.0, f64.nan, f64.nan] } output { [0.0, 1.0, 1.0] [1.0, 0.0, 0.0] }
entry greatest (xs: [3]f64) (ys: [3]f64) = vjp (\\(xs: [3]f64, ys: [3]f64) -> map2 f64.max xs ys) (xs, ys) [1.0, 1.0, 1.0]

-- ==
-- entry: greatest_forward
-- input { [1.0, 2.0, 3.0] [1.0, 3.0, 2.0] } output { [10.0, 2.0, 10.0] }
entry greatest_forward (xs: [3]f64) (ys: [3]f64) =
  jvp (\\(xs: [3]f64, ys: [3]f64) -> map2 f64.max xs ys) (xs, ys) ([10.0, 10.0, 10.0], [2.0, 2.0, 2.0])

-- ==
-- entry: magnitude
-- input { [0.0, -2.0, 3.0] } output { [0.0, -1.0, 1.0] }
entry magnitude (xs: [3]f64) = map (grad f64.abs) xs

-- ==
-- entry: steps
-- input { [1.0, 0.5, -2.0] } output { [0.0, 0.0, 0.0] }
entry steps (xs: [3]f64) = map (grad (\\x -> f64.floor x + f64.ceil x + f64.round x + f64.trunc x + f64.sgn x)) xs

-- ==
-- entry: powers
-- input { [3.0, 1.0, 0.5, 0.0, -1.0] } output { [0.0, 1.0, 0.0, 0.0, 0.0] [0.0, 0.0, 0.0, 0.0, 0.0] }
entry powers (bs: [5]f64) = vjp (\\(a: [5]f64, b: [5]f64) -> map2 (**) a b) (replicate 5 0.0, bs) (replicate 5 1.0)

-- ==
-- entry: negative_base
-- input { -2.0 3.0 } output { 12.0 0.0 }
entry negative_base (a: f64) (b: f64) = grad (\\(a: f64, b: f64) -> a ** b) (a, b)

-- ==
-- entry: roots
-- input { [0.0, 4.0] } output { [f64.inf, 0.25] }
entry roots (xs: [2]f64) = map (grad f64.sqrt) xs

-- The branch taken, on either side and at its end.
-- ==
-- entry: relu
-- input { [-1.0, 0.0, 2.0] } output { [0.0, 0.0, 1.0] }
entry relu (xs: [3]f64) = map (grad (\\x -> if x > 0.0 then x else 0.0)) xs

-- ==
-- entry: nan
-- input { f64.nan } output { f64.nan f64.nan }
entry nan (x: f64) = value_and_grad (\\x -> f64.sin x * x) x

-- ==
-- entry: infinite
-- input { f64.inf } output { f64.inf 2.0 }
entry infinite (x: f64) = value_and_grad (\\x -> 2.0 * x) x
""")

begin("unused", "What is computed and not used: an adjoint or a tangent of 0 hands on 0, however steep an operation is.")

text("""
def only (c: bool) (a: f64) = if c then a else 0.0

-- ==
-- entry: roots
-- input { [0.0, -1.0, 4.0] } output { [0.0, 0.0, 0.25] [0.0, 0.0, 0.25] }
entry roots (xs: [3]f64) =
  let f (xs: [3]f64) = map2 only (map (> 0.0) xs) (map f64.sqrt xs)
  in (grad (\\xs -> f64.sum (f xs)) xs, jvp f xs [1.0, 1.0, 1.0])

-- ==
-- entry: entropy
-- input { [0.0, 1.0, 0.0] } output { [0.0, 1.0, 0.0] [0.0, 1.0, 0.0] }
entry entropy (ps: [3]f64) =
  let f (ps: [3]f64) = map2 only (map (> 0.0) ps) (map2 (*) ps (map f64.log ps))
  in (grad (\\ps -> f64.sum (f ps)) ps, jvp f ps [1.0, 1.0, 1.0])

-- ==
-- entry: before_a_branch
-- input { 0.0 } output { 0.0 0.0 }
-- input { -1.0 } output { 0.0 0.0 }
-- input { 4.0 } output { 0.25 0.25 }
entry before_a_branch (x: f64) =
  let f (x: f64) = let y = f64.sqrt x in if x > 0.0 then y else 0.0
  in (grad f x, jvp f x 1.0)

-- ==
-- entry: greater
-- input { 0.0 } output { 0.0 0.0 0.0 }
entry greater (x: f64) =
  (grad (\\x -> f64.max 0.0 (f64.sqrt x)) x, jvp (\\x -> f64.max 0.0 (f64.sqrt x)) x 1.0, grad (\\x -> 0.0 * f64.sqrt x) x)

-- ==
-- entry: quotients
-- input { [0.0, 2.0] } output { [0.0, -0.25] [0.0, -0.25] [0.0, -0.25] }
entry quotients (xs: [2]f64) =
  let f (x: f64) = let (a, b) = (1.0 / x, f64.recip x) in only (x > 0.0) ((a + b) * 0.5)
  let g (x: f64) = let a = x ** (-1.0) in only (x > 0.0) a
  in (map (grad f) xs, map (\\x -> jvp f x 1.0) xs, map (grad g) xs)

-- ==
-- entry: overflow
-- input { [1000.0, 0.0] } output { [1.0, 0.5] [1.0, 0.5] }
entry overflow (xs: [2]f64) =
  let f (x: f64) = let y = f64.log1p (f64.exp x) in if x > 30.0 then x else y
  in (map (grad f) xs, map (\\x -> jvp f x 1.0) xs)

-- Outside of where they are defined.
-- ==
-- entry: undefined
-- input { -3.0 } output { 0.0 0.0 }
entry undefined (x: f64) =
  let f (x: f64) =
    let y = f64.log x + f64.log2 x + f64.log10 x + f64.log1p x + f64.acosh x + f64.asin x + f64.acos x + f64.atanh x
    let z = f64.sin (f64.sqrt x) * f64.exp (f64.sqrt x) + (f64.sqrt x) ** 2.0 / (1.0 + f64.sqrt x) + x ** 0.5 + f64.tanh (f64.log x)
    in only (x > 0.0) (y * z)
  in (grad f x, jvp f x 1.0)

-- ==
-- entry: planes
-- input { 0.0 0.0 } output { 0.0 0.0 0.0 0.0 }
entry planes (x: f64) (y: f64) =
  let f (x: f64, y: f64) = let (a, b) = (f64.atan2 y x, f64.hypot x y) in only (x != 0.0 || y != 0.0) (a + b)
  let (a, b) = grad f (x, y)
  in (a, b, jvp f (x, y) (1.0, 0.0), jvp f (x, y) (0.0, 1.0))

-- ==
-- entry: gammas
-- input { 0.0 } output { 0.0 0.0 }
entry gammas (x: f64) =
  let f (x: f64) = let y = f64.lgamma x + f64.gamma x in only (x > 0.0) y
  in (grad f x, jvp f x 1.0)

-- ==
-- entry: singles
-- input { [0.0f32, 4.0f32] } output { [0.0f32, 0.25f32] }
entry singles (xs: [2]f32) = map (grad (\\x -> let y = f32.sqrt x in if x > 0.0 then y else 0.0)) xs

-- ==
-- entry: in_a_loop
-- input { [0.0, 1.0] } output { [0.0, -3.0] }
entry in_a_loop (xs: [2]f64) =
  map (grad (\\x -> loop s = 0.0 for i < 3 do let y = s * 0.0 + 1.0 / x in if x > 0.0 then s + y else s)) xs

-- ==
-- entry: in_a_fold
-- input { [0.0, 2.0, 4.0] } output { [0.0, -0.25, -0.0625] }
entry in_a_fold (xs: [3]f64) =
  grad (\\xs -> (reduce (\\(a, b) (c, d) -> (f64.max a c, b + d)) (-1.0, 0.0) (map (\\x -> (x, only (x > 0.0) (1.0 / x))) xs)).1) xs

-- Where it is used, a slope is what it is.
-- ==
-- entry: used
-- input { 0.0 } output { f64.inf f64.inf f64.nan 0.0 }
entry used (x: f64) = (grad f64.sqrt x, jvp f64.sqrt x 1.0, grad (\\x -> f64.sqrt (x * x)) x, jvp (\\x -> f64.sqrt (x * x)) x 1.0)

-- An adjoint that is 0 here varies nearby.
-- ==
-- entry: mixed
-- input { 2.0 0.0 } output { 0.5 -0.25 0.5 }
entry mixed (x: f64) (y: f64) =
  let f (x: f64, y: f64) = y * f64.log x
  let by_x (x: f64, y: f64) = (grad f (x, y)).0
  in ((grad by_x (x, y)).1, (jvp (\\(x: f64, y: f64) -> (grad by_x (x, y)).0) (x, y) (0.0, 1.0)), jvp by_x (x, y) (0.0, 1.0))

-- ==
-- entry: twice
-- input { [0.0, 4.0] } output { [0.0, -0.03125] [0.0, -0.03125] }
entry twice (xs: [2]f64) =
  let f (x: f64) = let y = f64.sqrt x in only (x > 0.0) y
  in (map (grad (grad f)) xs, map (\\x -> jvp (\\x -> jvp f x 1.0) x 1.0) xs)

-- ==
-- entry: complex
-- input { [0.0, 0.0] } output { 0.0 0.0 0.0 0.0 }
-- input { [4.0, 0.0] } output { 0.25 0.25 0.1875 0.1875 }
entry complex (z: [2]f64) =
  let f (z: c128) = let y = c128.sqrt z in only (c128.re z > 0.0) (c128.re y)
  let g (z: c128) = let y = 1.0 / z + c128.log z in only (c128.re z > 0.0) (c128.re y + c128.arg z)
  let z = c128.mk z[0] z[1]
  in (c128.re (grad f z), jvp f z (c128.mk 1.0 0.0), c128.re (grad g z), jvp g z (c128.mk 1.0 0.0))

-- ==
-- entry: complex_twice
-- input { 0.0 } output { 2.0 6.0 0.0 2.0 2.0 }
entry complex_twice (x: f64) =
  let square (x: f64) = c128.re (c128.mk x 0.0 ** 2)
  let cube (x: f64) = c128.re (c128.mk x 0.0 ** 3)
  in (grad (grad square) x, grad (grad (grad cube)) x, grad (grad (\\x -> c128.abs (c128.mk x 0.0))) x, jvp (\\x -> jvp square x 1.0) x 1.0,
      c128.re (jvp (grad (\\(z: c128) -> c128.re (z ** 2))) (c128.mk x 0.0) (c128.mk 1.0 0.0)))

-- Inner products of what is masked.
-- ==
-- entry: attention
-- input { [[0.0, 1.0], [2.0, 0.0]] } output { [[0.0, -2.0], [-0.75, 0.0]] }
entry attention (xs: [2][2]f64) =
  grad (\\(xs: [2][2]f64) -> let ys = map (map (\\x -> only (x > 0.0) (1.0 / x))) xs in f64.sum (map (\\row -> f64.sum (map2 (*) row [3.0, 2.0])) ys)) xs
""")

begin("complex", "Derivatives of functions of complex numbers, which are pairs of floats: of real functions df/dx + i df/dy.")

Z = [1.2 + 0.7j, -0.6 + 1.1j, 0.4 - 1.3j]
HOLOMORPHIC = [
    ("neg", "c128.neg z * z", lambda z: -z * z),
    ("recip", "c128.recip z", lambda z: 1 / z),
    ("sqrt", "c128.sqrt z", np.sqrt),
    ("exp", "c128.exp z", np.exp),
    ("exp2", "c128.exp2 z", lambda z: np.exp(z * np.log(2))),
    ("expm1", "c128.expm1 z", lambda z: np.exp(z) - 1),
    ("log", "c128.log z", np.log),
    ("log2", "c128.log2 z", lambda z: np.log(z) / np.log(2)),
    ("log10", "c128.log10 z", lambda z: np.log(z) / np.log(10)),
    ("log1p", "c128.log1p z", lambda z: np.log(1 + z)),
    ("sin", "c128.sin z", np.sin),
    ("cos", "c128.cos z", np.cos),
    ("tan", "c128.tan z", np.tan),
    ("asin", "c128.asin z", np.arcsin),
    ("acos", "c128.acos z", np.arccos),
    ("atan", "c128.atan z", np.arctan),
    ("sinh", "c128.sinh z", np.sinh),
    ("cosh", "c128.cosh z", np.cosh),
    ("tanh", "c128.tanh z", np.tanh),
    ("asinh", "c128.asinh z", np.arcsinh),
    ("acosh", "c128.acosh z", np.arccosh),
    ("atanh", "c128.atanh z", np.arctanh),
    ("conj", "c128.conj z * z * z", lambda z: np.conj(z) * z * z),
    ("sgn", "c128.sgn z", lambda z: z / np.abs(z)),
    ("square", "z * z", lambda z: z * z),
    ("cube", "z ** 3.0", lambda z: z**3),
    ("power", "z ** (0.5 + 0.25j)", lambda z: z ** (0.5 + 0.25j)),
]
for name, body, function in HOLOMORPHIC:
    add(name, "[3]c128", "[3]c128", f"map (\\z -> {body}) x", function, Z)
REAL = [
    ("magnitude", "c128.abs z", np.abs),
    ("angle", "c128.arg z", np.angle),
    ("norm", "c128.norm z", lambda z: np.abs(z) ** 2),
    ("real", "c128.re z * c128.re z", lambda z: z.real**2),
    ("imaginary", "c128.im z * c128.im z", lambda z: z.imag**2),
]
for name, body, function in REAL:
    add(name, "[3]c128", "[3]f64", f"map (\\z -> {body}) x", function, Z)
add("quotient", "(c128, c128)", "c128", "x.0 / x.1", lambda a, b: a / b, 1.2 + 0.7j, -0.6 + 1.1j)
add("difference", "(c128, c128)", "c128", "(x.0 - x.1) * (x.0 + x.1)", lambda a, b: a * a - b * b, 1.2 + 0.7j, -0.6 + 1.1j)
add("of_exponent", "(c128, c128)", "c128", "x.0 ** x.1", lambda a, b: a**b, 1.2 + 0.7j, -0.6 + 1.1j)
add("of_parts", "([2]f64, [2]f64)", "[2]c128", "map2 (\\a b -> let z = c128.mk a b in z * z) x.0 x.1", lambda a, b: (a + 1j * b) ** 2, [1.2, 0.4], [-0.3, 0.8])
add("of_polar", "([2]f64, [2]f64)", "[2]c128", "map2 (\\r a -> c128.polar r a) x.0 x.1", lambda r, a: r * np.exp(1j * a), [1.2, 0.4], [-0.3, 0.8])
add("of_real", "[2]f64", "[2]c128", "map (\\a -> let z = c128.f64 a in z * (1.0 + 2.0j)) x", lambda a: a * (1 + 2j), [1.2, 0.4])
add("product", "[3]c128", "c128", "reduce (*) (c128.f64 1.0) x", np.prod, Z)
add("sum", "[3]c128", "c128", "let s = reduce (+) (c128.f64 0.0) x in s * s", lambda z: np.sum(z) ** 2, Z)
add("distance", "[3]c128", "f64", "f64.sqrt (f64.sum (map c128.norm (x - reverse x + 1.0)))", lambda z: np.sqrt(np.sum(np.abs(z - z[::-1] + 1) ** 2)), Z)
add("matrix", "([2][2]c128, [2]c128)", "[2]c128", "map (\\row -> reduce (+) (c128.f64 0.0) (row * x.1)) x.0", lambda a, v: a @ v, [[1 + 1j, 2 - 1j], [0.5j, -1.0]], [0.3 + 0.4j, 1 - 2j])
text("""
-- The gradient of a real function points to where it grows fastest.
-- ==
-- entry: gradient
-- input { 1.0+2.0jc128 } output { 20.0+40.0jc128 }
entry gradient (z: c128) = grad (\\z -> c128.norm (z * z)) z

-- ==
-- entry: at_zero
-- input { 0.0+0.0jc128 } output { 0.0+0.0jc128 }
entry at_zero (z: c128) = grad (\\z -> c128.abs z) z

-- An operator that is no product of complex numbers.
-- ==
-- entry: by_parts
-- input { [0.5+0.5jc128, -1.5-0.5jc128, 0.5+2.0jc128] } output { [-0.25+1.5jc128, -0.75-1.0jc128, -0.5+0.125jc128] }
entry by_parts [n] (z: [n]c128) =
  let op (a: c128) (b: c128) = c128.mk (c128.re a + c128.re b) (c128.im a * c128.im b)
  in grad (\\z -> f64.sum (map (\\c -> c128.re c * c128.im c) (scan op (c128.mk 0 1) z))) z

-- ==
-- entry: of_products
-- input { [0.25+0.125jc128, -1.5-0.5jc128] } output { [1.4375-0.3125jc128, -0.15625+0.078125jc128] }
entry of_products [n] (z: [n]c128) = grad (\\z -> f64.sum (map (\\c -> c128.re c ** 2) (scan (*) (c128.mk 1 0) z))) z
""")

# Data ----------------------------------------------------------------------------------------------------------------

begin("data", "What carries derivatives: tuples, records, arrays of them, sums inside; constants, unused parts, integers.")

add("tuples", "(f64, (f64, f64))", "(f64, f64)", "(x.0 * x.1.0, x.1.1 / x.0)", lambda a, b, c: (a * b, c / a), 1.3, 0.7, 2.1)
add("records", "{angle: f64, length: f64}", "{x: f64, y: f64}", "{x = x.length * f64.cos x.angle, y = x.length * f64.sin x.angle}", lambda a, r: (r * np.cos(a), r * np.sin(a)), 0.7, 2.1)
add("arrays_of_tuples", "([3]f64, [3]f64)", "[3]f64", "let ps = zip x.0 x.1 in map (\\p -> p.0 * p.1 * p.1) ps", lambda a, b: a * b * b, [1.0, 2.0, 3.0], [0.5, -1.5, 0.25])
add("arrays_of_records", "[3]f64", "f64", "let ps = map (\\a -> {a, b = a * a}) x in f64.sum (map (\\p -> p.a * p.b) ps)", lambda a: np.sum(a**3), [1.0, 2.0, -3.0])
add("unused", "(f64, [2]f64)", "f64", "x.0 * x.0", lambda a, b: a * a, 1.3, [1.0, 2.0])
add("constant", "f64", "(f64, f64)", "(2.5, x)", lambda a: (2.5 + 0 * a, a), 1.3)
add("integers", "(f64, i64, [2]i64)", "(f64, i64)", "(x.0 * f64.i64 (x.1 + x.2[1]), x.1 * x.2[0])", lambda a, n, k: (a * (n + k[1]), n * k[0]), 1.3, 4, [2, 3])
add("truths", "(f64, bool)", "(f64, bool)", "(if x.1 then x.0 * x.0 else x.0, !x.1)", lambda a, b: (a * a if b else a, np.bool_(not b)), 1.3, True)
add("empty", "([0]f64, f64)", "([0]f64, f64)", "(map (\\a -> a * x.1) x.0, x.1 + f64.sum x.0)", lambda e, a: (e * a, a + np.sum(e)), np.zeros(0), 1.3)
add("identity", "[2]f64", "[2]f64", "x", lambda x: x, [1.0, 2.0])
add("several_uses", "f64", "[3]f64", "[x, x, x * x]", lambda x: np.array([x, x, x * x]), 1.3)
text("""
type shape = #circle f64 | #box f64 f64

def made (k: i64) (a: f64) : shape = if k == 0 then #circle a else #box a (2.0 * a)

def area (s: shape) : f64 =
  match s
  case #circle r -> 3.0 * r * r
  case #box a b -> a * b

-- Sums inside.
-- ==
-- entry: sums
-- input { 2.0 } output { 12.0 8.0 }
entry sums (x: f64) = (grad (\\x -> area (made 0 x)) x, jvp (\\x -> area (made 1 x)) x 1.0)

-- Arrays of sums.
-- ==
-- entry: many_sums
-- input { [0, 1, 0] [1.0, 2.0, 3.0] } output { [6.0, 8.0, 18.0] }
entry many_sums (ks: [3]i64) (xs: [3]f64) = grad (\\xs -> f64.sum (map area (map2 made ks xs))) xs

-- Of one constructor, as argument and result.
type point = #point f64 f64

def turned (p: point) : point = match p case #point x y -> #point (x * y) (x + y)

-- ==
-- entry: one_constructor
-- input { 2.0 3.0 } output { 3.0 1.0 }
entry one_constructor (x: f64) (y: f64) = match jvp turned (#point x y) (#point 1.0 0.0) case #point a b -> (a, b)

-- What a function uses from outside is constant.
-- ==
-- entry: captured
-- input { 2.0 [1.0, 2.0] } output { 5.0 }
entry captured (x: f64) (ws: [2]f64) = grad (\\y -> f64.sum (map (\\w -> w * y * w) ws)) x

-- A function that the differentiated one uses.
def twice (f: f64 -> f64) (x: f64) = f (f x)

-- ==
-- entry: functions
-- input { 0.5 } output { 0.7786439484 }
entry functions (x: f64) = grad (twice f64.sin) x

-- ==
-- entry: arrays_of_functions
-- input { 2.0 } output { 17.0 }
entry arrays_of_functions (x: f64) =
  grad (\\x -> let fs = [(\\y -> y * x), (\\y -> y + x), (\\y -> y * y * x)] in f64.sum (map (\\f -> f x) fs)) x - 1.0

module type space = { type t val zero : t val add : t -> t -> t val size : t -> f64 val of : f64 -> t }

module over (s: space) = { def rate (x: f64) : f64 = grad (\\x -> s.size (s.add (s.of x) s.zero)) x }

module plane : space = {
  type t = (f64, f64)
  def zero : t = (0.0, 1.0)
  def add (a: t) (b: t) : t = (a.0 + b.0, a.1 + b.1)
  def size (a: t) : f64 = a.0 * a.0 + a.1 * a.1
  def of (x: f64) : t = (x, 2.0 * x)
}

module on_plane = over plane

-- Abstract types.
-- ==
-- entry: abstract
-- input { 3.0 } output { 34.0 }
entry abstract (x: f64) = on_plane.rate x
""")

# Views and moves -----------------------------------------------------------------------------------------------------

begin("views", "Indexing, slices, rearrangements, replication, concatenation.")

V4 = [1.0, -2.0, 3.0, 0.5]
M23 = [[1.0, -2.0, 3.0], [0.5, 1.5, -0.5]]
add("element", "[4]f64", "f64", "x[2] * x[2] * x[0]", lambda x: x[2] ** 2 * x[0], V4)
add("row", "[2][3]f64", "f64", "f64.sum (x[1] * x[0])", lambda x: np.sum(x[1] * x[0]), M23)
add("gather", "[4]f64", "[6]f64", "map (\\i -> x[i] * x[i]) [0, 1, 1, 3, 1, 0]", lambda x: x[[0, 1, 1, 3, 1, 0]] ** 2, V4)
add("gather_rows", "[2][3]f64", "[3][3]f64", "map (\\i -> x[i]) [1, 0, 1]", lambda x: x[[1, 0, 1]], M23)
add("computed_index", "[4]f64", "f64", "let k = i64.f64 x[2] in x[k] * x[k]", lambda x: x[3] ** 2, [1.0, -2.0, 3.4, 0.5])
add("slices", "[4]f64", "[2]f64", "x[1:3] * x[0:2]", lambda x: x[1:3] * x[0:2], V4)
add("strides", "[6]f64", "[3]f64", "(x[0:6:2] :> [3]f64) * (x[5:-1:-2] :> [3]f64)", lambda x: x[0:6:2] * x[5::-2], [1.0, -2.0, 3.0, 0.5, 0.25, 2.0])
add("blocks", "[3][4]f64", "[2][2]f64", "x[1:3, 0:2] * x[0:2, 2:4]", lambda x: x[1:3, 0:2] * x[0:2, 2:4], np.arange(12.0).reshape(3, 4) / 5)
add("transposed", "[2][3]f64", "[3][2]f64", "let t = transpose x in t * t", lambda x: x.T**2, M23)
add("deep_transposed", "[2][3][2]f64", "[3][2][2]f64", "let t = transpose x in map2 (\\i m -> m * f64.i64 (i + 1)) (iota 3) t", lambda x: np.swapaxes(x, 0, 1) * np.arange(1, 4).reshape(3, 1, 1), np.arange(12.0).reshape(2, 3, 2) / 5)
add("flattened", "[2][3]f64", "[6]f64", "flatten x * [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]", lambda x: x.ravel() * np.arange(1.0, 7.0), M23)
add("unflattened", "[6]f64", "[2][3]f64", "let m = unflatten x :> [2][3]f64 in m * m", lambda x: x.reshape(2, 3) ** 2, [1.0, -2.0, 3.0, 0.5, 0.25, 2.0])
add("reversed", "[4]f64", "[4]f64", "reverse x * x", lambda x: x[::-1] * x, V4)
add("rotated", "[4]f64", "[4]f64", "rotate 1 x * x", lambda x: np.roll(x, -1) * x, V4)
add("rotated_rows", "[2][3]f64", "[2][3]f64", "rotate 1 x * x", lambda x: np.roll(x, -1, axis=0) * x, M23)
add("joined", "([2]f64, [3]f64)", "[5]f64", "let y = x.0 ++ x.1 in y * y", lambda a, b: np.concatenate([a, b]) ** 2, [1.0, -2.0], [3.0, 0.5, 0.25])
add("joined_with_itself", "[2]f64", "[4]f64", "(x ++ x) * [1.0, 2.0, 3.0, 4.0]", lambda a: np.concatenate([a, a]) * np.arange(1.0, 5.0), [1.0, -2.0])
add("joined_with_constants", "[2]f64", "[5]f64", "x ++ [7.0] ++ x", lambda a: np.concatenate([a, [7.0], a]), [1.0, -2.0])
add("literal", "(f64, f64)", "[2][2]f64", "[[x.0, x.1], [x.0 * x.1, 1.0]]", lambda a, b: np.array([[a, b], [a * b, 1.0]]), 1.3, 0.7)
add("replicated", "f64", "[3]f64", "replicate 3 (x * x)", lambda a: np.full(3, a * a), 1.3)
add("replicated_rows", "[2]f64", "[3][2]f64", "let r = replicate 3 x in map2 (\\i row -> row * f64.i64 i) [1, 2, 3] r", lambda a: np.outer([1.0, 2.0, 3.0], a), [1.0, -2.0])
add("tabulated", "f64", "[4]f64", "tabulate 4 (\\i -> x * f64.i64 i * x)", lambda a: a * a * np.arange(4.0), 1.3)
add("halves", "[5]f64", "f64", "let (a, b) : ([2]f64, [3]f64) = split x in f64.sum a * f64.sum b", lambda x: np.sum(x[:2]) * np.sum(x[2:]), [1.0, -2.0, 3.0, 0.5, 0.25])
add("ends", "[4]f64", "f64", "head x * last x + f64.sum (init x) * f64.sum (tail x)", lambda x: x[0] * x[-1] + np.sum(x[:-1]) * np.sum(x[1:]), V4)
add("zipped", "([3]f64, [3]f64)", "f64", "let (a, b) = unzip (reverse (zip x.0 x.1)) in a[0] * b[1] + a[2] * b[0]", lambda a, b: a[2] * b[1] + a[0] * b[2], [1.0, 2.0, 3.0], [0.5, -1.5, 0.25])
add("stencil", "[5]f64", "[3]f64", "map (\\i -> 0.25 * x[i-1] + 0.5 * x[i] * x[i] + 0.25 * x[i+1]) [1, 2, 3]", lambda x: 0.25 * x[:-2] + 0.5 * x[1:-1] ** 2 + 0.25 * x[2:], [1.0, -2.0, 3.0, 0.5, 0.25])

# Slices that each iteration of a map takes: what is added to them is added to their cells alone.
begin("slices_in_maps", "Slices of arrays from outside that each iteration of a map takes.")

V5 = [1.0, -2.0, 3.0, 0.5, 0.25]
V7 = [1.0, -2.0, 3.0, 0.5, 0.25, -0.75, 1.5]
M44 = np.cos(np.arange(16.0)).reshape(4, 4)
T233 = np.sin(np.arange(18.0)).reshape(2, 3, 3)


def windows(x, m, step=1, at=None):
    at = range(len(x) - (m - 1) * step) if at is None else at
    return np.array([x[i : i + (m - 1) * step + 1 : step] for i in at])


def squares(x, m):
    """The sums of the squares of the m x m blocks of a matrix."""
    count = len(x) - m + 1
    return np.array([[np.sum(x[i : i + m, j : j + m] ** 2) for j in range(count)] for i in range(count)])


add("moving", "[5]f64", "[3]f64", "tabulate 3 (\\i -> f64.sum (x[i:i+3] * x[i:i+3]))", lambda x: np.sum(windows(x, 3) ** 2, 1), V5)
add("moving_with_all", "[5]f64", "[3]f64", "tabulate 3 (\\i -> f64.sum (x[i:i+3] * x[i:i+3]) * x[i] + f64.sum x)", lambda x: np.sum(windows(x, 3) ** 2, 1) * x[:3] + np.sum(x), V5)
add("moving_back", "[5]f64", "[3]f64", "map (\\i -> f64.product (x[i:i-2:-1] :> [2]f64)) [2, 4, 3]", lambda x: np.array([x[2] * x[1], x[4] * x[3], x[3] * x[2]]), V5)
add("strided", "[7]f64", "[3]f64", "tabulate 3 (\\i -> let s = x[i:i+5:2] :> [3]f64 in f64.sum (s * s))", lambda x: np.sum(windows(x, 3, 2) ** 2, 1), V7)
add("slice_of_slice", "[7]f64", "[3]f64", "tabulate 3 (\\i -> let s = x[i:i+5] let t = s[1:5:2] :> [2]f64 in f64.product t * s[0])", lambda x: np.array([x[i + 1] * x[i + 3] * x[i] for i in range(3)]), V7)
add("of_a_row", "[4][4]f64", "[2][2]f64", "tabulate_2d 2 2 (\\i j -> f64.product x[i, j:j+3])", lambda x: np.array([[np.prod(x[i, j : j + 3]) for j in range(2)] for i in range(2)]), M44)
add("of_a_column", "[4][4]f64", "[2][2]f64", "tabulate_2d 2 2 (\\i j -> f64.product x[j:j+3, i])", lambda x: np.array([[np.prod(x[j : j + 3, i]) for j in range(2)] for i in range(2)]), M44)
add("of_a_transposed", "[4][4]f64", "[2][2]f64", "let t = transpose x in tabulate_2d 2 2 (\\i j -> f64.product t[i, j:j+3])", lambda x: np.array([[np.prod(x[j : j + 3, i]) for j in range(2)] for i in range(2)]), M44)
add("block_sums", "[4][4]f64", "[2][2]f64", "tabulate_2d 2 2 (\\i j -> f64.sum (flatten (x[i:i+3, j:j+3] * x[i:i+3, j:j+3])))", lambda x: squares(x, 3), M44)
add("rows_of_slices", "[4][4]f64", "[3]f64", "tabulate 3 (\\i -> f64.sum (map (\\row -> f64.product row[1:3]) x[i:i+2]))", lambda x: np.array([np.sum(np.prod(x[i : i + 2, 1:3], 1)) for i in range(3)]), M44)
add("same_slice", "[5]f64", "[3]f64", "map (\\y -> f64.sum (x[1:4] * y * x[1:4])) [1.0, 2.0, 0.5]", lambda x: np.sum(x[1:4] ** 2) * np.array([1.0, 2.0, 0.5]), V5)
add("own_slices", "[4][4]f64", "[4]f64", "map (\\row -> f64.sum (row[1:] * row[:3])) x", lambda x: np.sum(x[:, 1:] * x[:, :-1], 1), M44)
add("deep_own_slices", "[2][3][3]f64", "[2][3]f64", "map (\\m -> map (\\row -> f64.sum (row[1:] * row[:2])) m) x", lambda x: np.sum(x[:, :, 1:] * x[:, :, :-1], 2), T233)
add("of_row_in_map", "[3][3]f64", "[3][2]f64", "map (\\row -> tabulate 2 (\\i -> f64.product row[i:i+2])) x", lambda x: x[:, 1:] * x[:, :-1], T233[0])
add("in_branches", "[5]f64", "[4]f64", "map (\\i -> if i % 2 == 0 then f64.sum (x[i:i+2] * x[i:i+2]) else x[i] * x[0]) [0, 1, 2, 3]", lambda x: np.array([x[0] ** 2 + x[1] ** 2, x[1] * x[0], x[2] ** 2 + x[3] ** 2, x[3] * x[0]]), V5)
add("in_loops", "[5]f64", "[3]f64", "tabulate 3 (\\i -> loop s = 1.0 for k < 3 do s * f64.sum x[i:i+k+1])", lambda x: np.array([x[i] * np.sum(x[i : i + 2]) * np.sum(x[i : i + 3]) for i in range(3)]), V5)
add("of_all_sizes", "[5]f64", "[5]f64", "tabulate 5 (\\i -> f64.sum x[i:] * x[i])", lambda x: np.array([np.sum(x[i:]) * x[i] for i in range(5)]), V5)
add("computed_rows", "[5]f64", "[3]f64", "tabulate 3 (\\i -> let y = x * f64.i64 (i + 1) in f64.sum (y[i:i+3] * y[1:4]))", lambda x: np.array([(i + 1) ** 2 * np.sum(x[i : i + 3] * x[1:4]) for i in range(3)]), V5)
add("least_of_slices", "[5]f64", "[3]f64", "tabulate 3 (\\i -> f64.minimum x[i:i+3])", lambda x: np.min(windows(x, 3), 1), V5)
add("searched_slices", "[7]f64", "[3]f64", "tabulate 3 (\\i -> let ys = filter (> 0.0) x[i:i+4] in f64.sum (ys * ys))", lambda x: np.array([np.sum(np.maximum(x[i : i + 4], 0) ** 2) for i in range(3)]), V7)

# Maps ----------------------------------------------------------------------------------------------------------------

begin("maps", "Maps with free variables, nests, reductions inside.")

add("free_scalar", "(f64, [3]f64)", "[3]f64", "map (\\a -> a * x.0 * x.0) x.1", lambda s, a: a * s * s, 1.3, [1.0, 2.0, -3.0])
add("free_array", "[3]f64", "[3]f64", "map (\\a -> a * x[1] + f64.sum x) x", lambda a: a * a[1] + np.sum(a), [1.0, 2.0, -3.0])
add("outer_product", "([2]f64, [3]f64)", "[2][3]f64", "map (\\a -> map (\\b -> a * b * b) x.1) x.0", lambda a, b: np.outer(a, b * b), [1.0, 2.0], [0.5, -1.5, 0.25])
add("matrix_vector", "([2][3]f64, [3]f64)", "[2]f64", "map (\\row -> f64.sum (row * x.1)) x.0", lambda a, v: a @ v, M23, [0.5, -1.5, 0.25])
add("matrix_product", "([2][3]f64, [3][2]f64)", "[2][2]f64", "map (\\row -> map (\\column -> f64.sum (row * column)) (transpose x.1)) x.0", lambda a, b: a @ b, M23, [[1.0, 0.5], [-1.0, 2.0], [0.25, -0.75]])
add("gram", "[2][3]f64", "[2][2]f64", "map (\\a -> map (\\b -> f64.sum (a * b)) x) x", lambda a: a @ a.T, M23)
add("rows_by_rank", "[2][3]f64", "[2]f64", "f64.sum (x * x)", lambda a: np.sum(a * a, axis=1), M23)
add("several_results", "[3]f64", "([3]f64, [3]f64)", "unzip (map (\\a -> (a * a, f64.sin a)) x)", lambda a: (a * a, np.sin(a)), [1.0, 2.0, -3.0])
add("scaled_by_index", "[3]f64", "[3]f64", "map2 (\\i a -> f64.i64 i * a * a) (iota 3) x", lambda a: np.arange(3.0) * a * a, [1.0, 2.0, -3.0])
add("windows", "[5]f64", "[3]f64", "map (\\i -> f64.product (x[i:i+3] :> [3]f64)) (iota 3)", lambda x: np.array([np.prod(x[i : i + 3]) for i in range(3)]), [1.0, -2.0, 3.0, 0.5, 0.25])
add("softmax", "[4]f64", "[4]f64", "let m = f64.maximum x let e = map (\\a -> f64.exp (a - m)) x let s = f64.sum e in map (/ s) e", lambda x: np.exp(x) / np.sum(np.exp(x)), V4)
add("normalised", "[2][3]f64", "[2][3]f64", "map (\\row -> let m = f64.sum row / 3.0 let c = map (\\a -> a - m) row let v = f64.sum (c * c) in map (/ f64.sqrt v) c) x", lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(((x - x.mean(1, keepdims=True)) ** 2).sum(1, keepdims=True)), M23)
add("composed", "[3]f64", "f64", "x |> map f64.exp |> f64.sum |> f64.log", lambda x: np.log(np.sum(np.exp(x))), [1.0, 2.0, -3.0])
add("part_of_result", "[4]f64", "f64", "(map (\\a -> a * a * a) x)[2]", lambda x: x[2] ** 3, V4)
add("nothing_to_map", "([0][3]f64, [3]f64)", "[0]f64", "map (\\row -> f64.sum (row * x.1)) x.0", lambda a, v: a @ v, np.zeros((0, 3)), [1.0, 2.0, 3.0])

# Folds ---------------------------------------------------------------------------------------------------------------

begin("folds", "Reductions: sums, products, extrema, vectorised and general operators.")

add("sum", "[4]f64", "f64", "let s = reduce (+) 0.0 x in s * s", lambda x: np.sum(x) ** 2, V4)
add("product", "[4]f64", "f64", "reduce (*) 1.0 x", np.prod, V4)
add("greatest", "[4]f64", "f64", "let m = reduce f64.max (-f64.inf) x in m * m", lambda x: np.max(x) ** 2, V4)
add("least", "[4]f64", "f64", "f64.minimum x * x[0]", lambda x: np.min(x) * x[0], V4)
add("product_fold", "[4]f64", "f64", "f64.product x", np.prod, V4)
add("by_columns", "[2][3]f64", "[3]f64", "reduce (\\a b -> map2 (*) a b) [1.0, 1.0, 1.0] x", lambda x: np.prod(x, axis=0), M23)
add("sum_of_rows", "[2][3]f64", "[3]f64", "let s = reduce (\\a b -> map2 (+) a b) [0.0, 0.0, 0.0] x in s * s", lambda x: np.sum(x, axis=0) ** 2, M23)
add("pairs", "[4]f64", "(f64, f64)", "reduce (\\(a, b) (c, d) -> (a + c, b * d)) (0.0, 1.0) (zip x (reverse x))", lambda x: (np.sum(x), np.prod(x)), V4)
add("greatest_index", "[4]f64", "f64", "(reduce (\\a b -> if a.0 >= b.0 then a else b) (-f64.inf, -1) (zip x (iota 4))).0 ** 2.0", lambda x: np.max(x) ** 2, V4)
add("linear_functions", "([3]f64, [3]f64)", "(f64, f64)", "reduce (\\f g -> (f.0 * g.0, f.1 * g.0 + g.1)) (1.0, 0.0) (zip x.0 x.1)", lambda a, b: (a[0] * a[1] * a[2], (b[0] * a[1] + b[1]) * a[2] + b[2]), [1.1, 0.7, -0.4], [0.5, -1.5, 0.25])
add("matrices", "[3][2][2]f64", "[2][2]f64", "reduce (\\a b -> map (\\row -> map (\\column -> f64.sum (row * column)) (transpose b)) a) [[1.0, 0.0], [0.0, 1.0]] x", lambda m: m[0] @ m[1] @ m[2], np.array([1.0, 0.5, -0.3, 1.2, 0.4, -1.0, 0.8, 0.6, 1.1, 0.2, -0.7, 0.9]).reshape(3, 2, 2))
add("saturating", "[4]f64", "f64", "reduce (\\a b -> f64.min 5.0 (a + b)) 0.0 x", lambda x: np.minimum(5.0, np.minimum(5.0, np.minimum(5.0, x[0] + x[1]) + x[2]) + x[3]), [2.0, 4.0, -1.5, 0.7])
add("free_in_operator", "([4]f64, f64)", "f64", "reduce (\\a b -> a + b + x.1 * a * b) 0.0 x.0", lambda x, c: (np.prod(1 + c * x) - 1) / c, V4, 0.3)
add("logarithms", "[4]f64", "f64", "reduce (\\a b -> let m = f64.max a b in m + f64.log (f64.exp (a - m) + f64.exp (b - m))) (-1000.0) x", lambda x: np.log(np.sum(np.exp(x))), V4)
add("commutative", "[4]f64", "f64", "reduce_comm (+) 0.0 (map f64.sin x)", lambda x: np.sum(np.sin(x)), V4)
add("segments", "[2][3]f64", "[2]f64", "map (\\row -> reduce (*) 1.0 row) x", lambda x: np.prod(x, axis=1), M23)
add("left_fold", "[4]f64", "f64", "foldl (\\a b -> a * 0.5 + b * b) 1.0 x", lambda x: (((0.5 + x[0] ** 2) * 0.5 + x[1] ** 2) * 0.5 + x[2] ** 2) * 0.5 + x[3] ** 2, V4)
add("statistics", "[4]f64", "(f64, f64)", "let m = f64.sum x / 4.0 in (m, f64.sum (map (\\a -> (a - m) ** 2.0) x) / 4.0)", lambda x: (np.mean(x), np.var(x)), V4)
add("nothing", "([0]f64, f64)", "f64", "x.1 * (1.0 + reduce (*) 1.0 x.0 + f64.sum x.0)", lambda e, a: 2 * a, np.zeros(0), 1.3)
text("""
-- Products with zeros: one, several.
-- ==
-- entry: zeros
-- input { [2.0, 0.0, 3.0] } output { [0.0, 6.0, 0.0] }
-- input { [0.0, 0.0, 3.0] } output { [0.0, 0.0, 0.0] }
-- input { [2.0, 5.0, 3.0] } output { [15.0, 6.0, 10.0] }
entry zeros (xs: [3]f64) = grad f64.product xs

-- The first of equal ones.
-- ==
-- entry: ties
-- input { [1.0, 3.0, 3.0, 1.0] } output { [0.0, 1.0, 0.0, 0.0] [1.0, 0.0, 0.0, 0.0] }
entry ties (xs: [4]f64) = (grad f64.maximum xs, grad f64.minimum xs)

-- ==
-- entry: ties_forward
-- input { [1.0, 3.0, 3.0, 1.0] [1.0, 2.0, 3.0, 4.0] } output { 2.0 1.0 }
entry ties_forward (xs: [4]f64) (ds: [4]f64) = (jvp f64.maximum xs ds, jvp f64.minimum xs ds)

-- What an extremum begins with stands before the first element.
-- ==
-- entry: starts starts_forward
-- input { 5.0 } output { 121.0 2.0 60.0 }
-- input { 3.5 } output { 121.0 1.0 42.0 }
-- input { 1.5 } output { 110.0 0.0 18.0 }
def started (c: f64) : f64 = reduce f64.max c [1, 2] + 10 * f64.sum (scan f64.max c [1, 2, 7]) + 100 * reduce f64.max c (filter (> 7) [1, 2])
def started_rows (c: f64) : f64 = f64.sum (reduce (\\x y -> map2 f64.max x y) [c, c] [[1, 2], [3, 4]])
def started_products (c: f64) : f64 = reduce (\\a b -> a * b * c) (1 / c) [1, 2, 3]
entry starts (c: f64) = (grad started c, grad started_rows c, grad started_products c)
entry starts_forward (c: f64) = (jvp started c 1, jvp started_rows c 1, jvp started_products c 1)

-- ==
-- entry: equal_to_neutral
-- input { [-f64.inf, -f64.inf, 2.0] } output { [0.0, 0.0, 1.0] [0.0, 0.0, 1.0] }
-- input { [-f64.inf, -f64.inf, -f64.inf] } output { [0.0, 0.0, 0.0] [0.0, 0.0, 0.0] }
-- input { [f64.nan, 1.0, 1.0] } output { [0.0, 1.0, 0.0] [0.0, 2.0, 0.0] }
entry equal_to_neutral (xs: [3]f64) = (grad f64.maximum xs, grad (\\x -> f64.sum (scan f64.max (-f64.inf) x)) xs)
""")

# Scans ---------------------------------------------------------------------------------------------------------------

begin("scans", "Scans: sums, products, extrema, linear functions, matrices, vectorised operators.")

add("sums", "[4]f64", "[4]f64", "scan (+) 0.0 (x * x)", lambda x: np.cumsum(x * x), V4)
add("products", "[4]f64", "[4]f64", "scan (*) 1.0 x", np.cumprod, V4)
add("extrema", "[4]f64", "[4]f64", "scan f64.max (-f64.inf) x", np.maximum.accumulate, [1.0, -2.0, 3.0, 2.5])
add("recurrence", "([4]f64, [4]f64)", "[4]f64", "map (.1) (scan (\\f g -> (f.0 * g.0, f.1 * g.0 + g.1)) (1.0, 0.0) (zip x.0 x.1))",
    lambda a, b: np.array([b[0], b[0] * a[1] + b[1], (b[0] * a[1] + b[1]) * a[2] + b[2], ((b[0] * a[1] + b[1]) * a[2] + b[2]) * a[3] + b[3]]), [1.1, 0.7, -0.4, 0.9], [0.5, -1.5, 0.25, 1.0])
add("vectors", "[3][2]f64", "[3][2]f64", "scan (\\a b -> map2 (*) a b) [1.0, 1.0] x", lambda x: np.cumprod(x, axis=0), [[1.0, 0.5], [-1.0, 2.0], [0.25, -0.75]])
add("matrices", "[3][2][2]f64", "[3][2][2]f64", "scan (\\a b -> map (\\row -> map (\\column -> f64.sum (row * column)) (transpose b)) a) [[1.0, 0.0], [0.0, 1.0]] x", lambda m: np.array([m[0], m[0] @ m[1], m[0] @ m[1] @ m[2]]), np.array([1.0, 0.5, -0.3, 1.2, 0.4, -1.0, 0.8, 0.6, 1.1, 0.2, -0.7, 0.9]).reshape(3, 2, 2))
add("pairs", "[4]f64", "([4]f64, [4]f64)", "unzip (scan (\\(a, b) (c, d) -> (a + c, b * d)) (0.0, 1.0) (zip x (reverse x)))", lambda x: (np.cumsum(x), np.cumprod(x[::-1])), V4)
add("general", "([4]f64, f64)", "[4]f64", "scan (\\a b -> a + b + x.1 * a * b) 0.0 x.0", lambda x, c: (np.cumprod(1 + c * x) - 1) / c, V4, 0.3)
add("rows", "[2][3]f64", "[2][3]f64", "map (scan (*) 1.0) x", lambda x: np.cumprod(x, axis=1), M23)
add("exclusive", "[4]f64", "[4]f64", "exscan (*) 1.0 x", lambda x: np.concatenate([[1.0], np.cumprod(x)[:-1]]), V4)
add("last_of_scan", "[4]f64", "f64", "last (scan (*) 1.0 x)", np.prod, V4)
add("segmented", "[5]f64", "[5]f64", "map (.1) (scan (\\(f, a) (g, b) -> (f || g, if g then b else a + b)) (false, 0.0) (zip [true, false, true, false, false] (x * x)))", lambda x: np.concatenate([np.cumsum(x[:2] ** 2), np.cumsum(x[2:] ** 2)]), [1.0, -2.0, 3.0, 0.5, 0.25])
add("nothing", "([0]f64, f64)", "[0]f64", "map (* x.1) (scan (+) 0.0 x.0)", lambda e, a: e * a, np.zeros(0), 1.3)

# Histograms ----------------------------------------------------------------------------------------------------------

begin("histograms", "Histograms: sums, products, extrema, general operators; cells; indices out of range.")


def histogram(bins, op, indices, values):
    out = np.array(bins, dtype=float)
    for i, value in zip(indices, values):
        if 0 <= i < len(out):
            out[i] = op(out[i], value)
    return out


IS = [0, 2, 0, 5, 2, -1]
V6 = [1.0, -2.0, 3.0, 0.5, 0.25, 2.0]
for name, op, neutral, function in [
    ("sums", "(+)", "0.0", lambda a, b: a + b),
    ("products", "(*)", "1.0", lambda a, b: a * b),
    ("greatest", "f64.max", "(-f64.inf)", np.maximum),
    ("least", "f64.min", "f64.inf", np.minimum),
]:
    add(name, "([3]f64, [6]f64)", "[3]f64", f"reduce_by_index x.0 {op} {neutral} [0, 2, 0, 5, 2, -1] x.1", lambda d, v, f=function: histogram(d, f, IS, v), [0.7, 1.4, 0.3], V6)
add("fresh", "[6]f64", "[3]f64", "hist (+) 0.0 3 [0, 2, 0, 5, 2, -1] (x * x)", lambda v: histogram(np.zeros(3), lambda a, b: a + b, IS, v * v), V6)
add("general", "([3]f64, [6]f64)", "[3]f64", "reduce_by_index x.0 (\\a b -> a + b + 0.3 * a * b) 0.0 [0, 2, 0, 5, 2, -1] x.1", lambda d, v: histogram(d, lambda a, b: a + b + 0.3 * a * b, IS, v), [0.7, 1.4, 0.3], V6)
add("free_in_operator", "([6]f64, f64)", "[3]f64", "hist (\\a b -> a + b + x.1 * a * b) 0.0 3 [0, 2, 0, 5, 2, -1] x.0", lambda v, c: histogram(np.zeros(3), lambda a, b: a + b + c * a * b, IS, v), V6, 0.3)
add("rows", "([2][2]f64, [3][2]f64)", "[2][2]f64", "reduce_by_index x.0 (\\a b -> map2 (*) a b) [1.0, 1.0] [1, 1, 0] x.1", lambda d, v: np.array([d[0] * v[2], d[1] * v[0] * v[1]]), [[0.7, 1.4], [0.3, 2.0]], [[1.0, 0.5], [-1.0, 2.0], [0.25, -0.75]])
add("two_dimensions", "([2][2]f64, [4]f64)", "[2][2]f64", "reduce_by_index_2d x.0 (+) 0.0 [(0, 1), (1, 1), (0, 1), (2, 0)] (x.1 * x.1)", lambda d, v: d + np.array([[0.0, v[0] ** 2 + v[2] ** 2], [0.0, v[1] ** 2]]), [[0.7, 1.4], [0.3, 2.0]], V4)
add("pairs", "[6]f64", "([3]f64, [3]f64)", "unzip (hist (\\(a, b) (c, d) -> (a + c, b * d)) (0.0, 1.0) 3 [0, 2, 0, 5, 2, -1] (zip x x))", lambda v: (histogram(np.zeros(3), lambda a, b: a + b, IS, v), histogram(np.ones(3), lambda a, b: a * b, IS, v)), V6)
add("bins_of_data", "[6]f64", "[3]f64", "hist (+) 0.0 3 (map (\\a -> i64.f64 (f64.floor a)) x) x", lambda v: histogram(np.zeros(3), lambda a, b: a + b, np.floor(v).astype(int), v), [0.2, 1.7, 2.4, 0.6, 1.1, 7.5])
text("""
-- The old content of a bin wins ties, then the first value.
-- ==
-- entry: ties
-- input { [1.0, 0.0] [1.0, 2.0, 2.0] } output { [1.0, 0.0] [0.0, 1.0, 0.0] }
entry ties (bins: [2]f64) (xs: [3]f64) =
  vjp (\\(bins: [2]f64, xs: [3]f64) -> reduce_by_index bins f64.max (-f64.inf) [0, 1, 1] xs) (bins, xs) [1.0, 1.0]

-- Products with a zero, in a bin and among the values.
-- ==
-- entry: zeros
-- input { [0.0, 2.0] [3.0, 0.0, 5.0] } output { [3.0, 0.0] [0.0, 10.0, 0.0] }
entry zeros (bins: [2]f64) (xs: [3]f64) =
  vjp (\\(bins: [2]f64, xs: [3]f64) -> reduce_by_index bins (*) 1.0 [0, 1, 1] xs) (bins, xs) [1.0, 1.0]
""")

# Scatters and updates ------------------------------------------------------------------------------------------------

begin("scatters", "Scatters: the last write wins, the others have derivative 0.")


def scattered(old, indices, values):
    out = np.array(old, dtype=float)
    for i, value in zip(indices, values):
        if 0 <= i < len(out):
            out[i] = value
    return out


add("once", "([4]f64, [3]f64)", "[4]f64", "scatter x.0 [2, 0, 7] (x.1 * x.1)", lambda d, v: scattered(d, [2, 0, 7], v * v), V4, [0.5, -1.5, 0.25])
add("last_wins", "([4]f64, [4]f64)", "[4]f64", "scatter x.0 [2, 0, 2, 2] (x.1 * x.1)", lambda d, v: scattered(d, [2, 0, 2, 2], v * v), V4, [0.5, -1.5, 0.25, 2.0])
add("rows", "([3][2]f64, [2][2]f64)", "[3][2]f64", "let y = scatter x.0 [2, 2] x.1 in y * y", lambda d, v: np.array([d[0], d[1], v[1]]) ** 2, [[1.0, 0.5], [-1.0, 2.0], [0.25, -0.75]], [[3.0, 4.0], [5.0, 6.0]])
add("onto_zeros", "[3]f64", "[5]f64", "scatter (replicate 5 0.0) [4, 1, 0] x", lambda v: scattered(np.zeros(5), [4, 1, 0], v), [0.5, -1.5, 0.25])
add("onto_constant_values", "[3]f64", "[3]f64", "let y = scatter (x * x) [1] [5.0] in y * x", lambda d: scattered(d * d, [1], [5.0]) * d, [0.5, -1.5, 0.25])
add("spread_over", "[3]f64", "[4]f64", "spread 4 1.5 [3, 1, 3] (x * x)", lambda v: scattered(np.full(4, 1.5), [3, 1, 3], v * v), [0.5, -1.5, 0.25])
add("ranked", "[4]f64", "[4]f64", "let ranks = map (\\a -> i64.sum (map (\\b -> i64.bool (b < a)) x)) x in scatter (replicate 4 0.0) ranks x |> map (** 2.0)", lambda x: np.sort(x) ** 2, V4)
add("pairs", "[3]f64", "([3]f64, [3]f64)", "unzip (scatter (replicate 3 (1.0, 2.0)) [2, 0] (zip x[0:2] x[1:3]))", lambda v: (scattered(np.full(3, 1.0), [2, 0], v[0:2]), scattered(np.full(3, 2.0), [2, 0], v[1:3])), [0.5, -1.5, 0.25])
add("two_dimensions", "([2][2]f64, [3]f64)", "[2][2]f64", "scatter_2d x.0 [(0, 1), (1, 0), (5, 5)] x.1", lambda d, v: np.array([[d[0, 0], v[0]], [v[1], d[1, 1]]]), [[0.7, 1.4], [0.3, 2.0]], [0.5, -1.5, 0.25])

begin("updates", "Updates of elements, rows, slices, fields.")

add("element", "([3]f64, f64)", "[3]f64", "let y = copy x.0 with [1] = x.1 * x.0[0] in y * y", lambda a, b: np.array([a[0], b * a[0], a[2]]) ** 2, [1.0, 2.0, -3.0], 0.7)
add("by_itself", "[3]f64", "[3]f64", "let y = copy x with [1] = x[1] * x[1] let y[2] = y[1] + y[0] in y", lambda a: np.array([a[0], a[1] ** 2, a[1] ** 2 + a[0]]), [1.0, 2.0, -3.0])
add("twice", "(f64, f64)", "[2]f64", "let y = replicate 2 1.0 with [0] = x.0 let y[0] = x.1 * y[0] let y[1] = y[0] * y[0] in y", lambda a, b: np.array([a * b, (a * b) ** 2]), 1.3, 0.7)
add("overwritten", "(f64, f64)", "[2]f64", "let y = replicate 2 1.0 with [0] = x.0 let y[0] = x.1 in y", lambda a, b: np.array([b, 1.0]), 1.3, 0.7)
add("row", "([2][3]f64, [3]f64)", "[2][3]f64", "copy x.0 with [1] = x.1 * x.0[0]", lambda a, b: np.array([a[0], b * a[0]]), M23, [0.5, -1.5, 0.25])
add("slice", "([5]f64, [2]f64)", "[5]f64", "let y = copy x.0 with [1:3] = x.1 * x.1 in y * x.0", lambda a, b: np.concatenate([a[:1], b * b, a[3:]]) * a, [1.0, -2.0, 3.0, 0.5, 0.25], [0.7, 1.4])
add("stride", "([5]f64, [3]f64)", "[5]f64", "copy x.0 with [0:5:2] = x.1", lambda a, b: np.array([b[0], a[1], b[1], a[3], b[2]]), [1.0, -2.0, 3.0, 0.5, 0.25], [0.7, 1.4, 2.1])
add("column", "([2][3]f64, [2]f64)", "[2][3]f64", "copy x.0 with [:, 1] = x.1", lambda a, b: np.array([[a[0, 0], b[0], a[0, 2]], [a[1, 0], b[1], a[1, 2]]]), M23, [0.7, 1.4])
add("inner_element", "([2][3]f64, f64)", "[2][3]f64", "copy x.0 with [1, 2] = x.1 * x.1", lambda a, b: np.array([a[0], [a[1, 0], a[1, 1], b * b]]), M23, 0.7)
add("in_map", "[2][3]f64", "[2][3]f64", "map (\\row -> copy row with [0] = row[1] * row[2]) x", lambda a: np.stack([a[:, 1] * a[:, 2], a[:, 1], a[:, 2]], axis=1), M23)
add("in_branch", "[3]f64", "[3]f64", "let y = if x[0] > 0.0 then copy x with [0] = x[1] * x[2] else x in y * y", lambda a: np.array([a[1] * a[2], a[1], a[2]]) ** 2, [1.0, 2.0, -3.0])
add("field", "(f64, f64)", "(f64, f64)", "let r = {a = x.0, b = x.1} let r = r with a = r.a * r.b in (r.a, r.b)", lambda a, b: (a * b, b), 1.3, 0.7)
add("records_in_array", "[2]f64", "f64", "let ps = map (\\a -> {p = a, q = a * a}) x let ps[1].p = ps[0].q in f64.sum (map (\\r -> r.p * r.q) ps)", lambda a: a[0] ** 3 + a[0] ** 2 * a[1] ** 2, [1.3, 0.7])

# Control -------------------------------------------------------------------------------------------------------------

begin("branches", "Conditions, matches, filters, partitions.")

add("both_ways", "[4]f64", "[4]f64", "map (\\a -> if a > 0.0 then a * a else f64.exp a) x", lambda x: np.where(x > 0, x * x, np.exp(x)), V4)
add("on_index", "[4]f64", "f64", "f64.sum (map2 (\\i a -> if i % 2 == 0 then a * a else 3.0 * a) (iota 4) x)", lambda x: x[0] ** 2 + 3 * x[1] + x[2] ** 2 + 3 * x[3], V4)
add("free_in_one", "(f64, f64, f64)", "f64", "if x.0 > 1.0 then x.0 * x.1 else x.2", lambda a, b, c: a * b, 1.3, 0.7, 2.1)
add("several_values", "(f64, f64)", "(f64, f64)", "if x.0 > x.1 then (x.0 * x.1, x.0) else (x.1, x.0 * x.0)", lambda a, b: (a * b, a), 1.3, 0.7)
add("nested", "f64", "f64", "if x > 0.0 then (if x > 1.0 then x * x else x) else (if x < -1.0 then -x else 0.0)", lambda a: a * a, 1.3)
add("matches", "[3]f64", "[3]f64", "map2 (\\k a -> match k case 0i64 -> a * a case 1 -> f64.sin a case _ -> a) [0, 1, 2] x", lambda a: np.array([a[0] ** 2, np.sin(a[1]), a[2]]), [1.0, 2.0, -3.0])
add("filtered", "[4]f64", "f64", "let y = filter (> 0.0) x in f64.sum (map (\\a -> a * a * a) y)", lambda x: np.sum(x[x > 0] ** 3), V4)
add("filtered_product", "[4]f64", "f64", "f64.product (filter (\\a -> a > 0.0) x) * f64.i64 (length (filter (> 0.0) x))", lambda x: 3 * x[0] * x[2] * x[3], V4)
add("filtered_pairs", "([4]f64, [4]f64)", "f64", "let ps = filter (\\p -> p.0 > 0.0) (zip x.0 x.1) in f64.sum (map (\\p -> p.0 * p.1) ps)", lambda a, b: np.sum((a * b)[a > 0]), V4, [0.5, -1.5, 0.25, 2.0])
add("parts", "[4]f64", "f64", "let (a, b) = partition (> 0.0) x in f64.product a * f64.sum b", lambda x: np.prod(x[x > 0]) * np.sum(x[x <= 0]), V4)
add("nothing_left", "[4]f64", "f64", "x[0] + f64.sum (filter (> 100.0) x)", lambda x: x[0], V4)
add("known_again", "[4]f64", "[3]f64", "let y = (filter (> 0.0) x :> [3]f64) in y * y", lambda x: x[x > 0] ** 2, V4)
add("asserted", "f64", "f64", "assert (x > 0.0) (f64.log x)", np.log, 1.3)
add("guarded", "[3]f64", "[3]f64", "map (\\a -> if a > 0.0 then f64.log a else 0.0) x", lambda a: np.where(a > 0, np.log(np.maximum(a, 1e-300)), 0.0), [1.0, 0.5, -1.0])

begin("loops", "Loops: for, while, nested, over arrays, with updates.")


def repeated(n, step, value):
    for i in range(n):
        value = step(i, value)
    return value


add("powers", "f64", "f64", "loop y = 1.0 for i < 5 do y * x", lambda x: x**5, 1.3)
add("counted", "f64", "f64", "loop y = x for i < 4 do f64.sin y * f64.i64 (i + 1)", lambda x: repeated(4, lambda i, y: np.sin(y) * (i + 1), x), 1.3)
add("several", "(f64, f64)", "(f64, f64)", "loop (a, b) = x for i < 4 do (a * b, a + b)", lambda a, b: repeated(4, lambda i, y: (y[0] * y[1], y[0] + y[1]), (a, b)), 0.6, 0.7)
add("none", "f64", "f64", "loop y = x * x for i < 0 do y * x", lambda x: x * x, 1.3)
add("over_elements", "[4]f64", "f64", "loop y = 1.0 for a in x do y * 0.5 + a * a * y", lambda x: np.prod(0.5 + x * x), V4)
add("vectors", "[3]f64", "[3]f64", "loop y = x for i < 3 do map (\\a -> f64.sin a * y[0]) y", lambda x: repeated(3, lambda i, y: np.sin(y) * y[0], x), [1.0, 2.0, -3.0])
add("iterated", "f64", "f64", "iterate 3 (\\a -> a * a - 0.5) x", lambda x: repeated(3, lambda i, a: a * a - 0.5, x), 1.3)
add("newton", "f64", "f64", "loop y = 1.0 for i < 6 do 0.5 * (y + x / y)", lambda x: repeated(6, lambda i, y: 0.5 * (y + x / y), 1.0), 2.0)
add("while_small", "f64", "f64", "loop y = x while y < 50.0 do y * y * 1.5", lambda x: repeated(3, lambda i, y: y * y * 1.5, x), 1.3)
add("while_pairs", "(f64, f64)", "f64", "(loop (a, b) = x while a < 20.0 do (a * 2.0 + b, b * 1.1)).0", lambda a, b: repeated(4, lambda i, y: (2 * y[0] + y[1], 1.1 * y[1]), (a, b))[0], 1.3, 0.2)
add("while_counted", "f64", "f64", "(loop (i, y) = (0i64, x) while i < 3 do (i + 1, y * y)).1", lambda x: x**8, 1.3)
add("nested", "f64", "f64", "loop y = x for i < 3 do loop z = y for j < i + 1 do z * x + 0.1", lambda x: repeated(3, lambda i, y: repeated(i + 1, lambda j, z: z * x + 0.1, y), x), 0.8)
add("updates", "[4]f64", "[4]f64", "loop y = copy x for i < 3 do y with [i + 1] = y[i] * y[i + 1]", np.cumprod, V4)
add("updates_from_outside", "[4]f64", "[4]f64", "loop y = replicate 4 1.0 for i < 4 do y with [3 - i] = x[i] * y[(3 - i + 1) % 4]", lambda x: np.array([x[3] * x[2] * x[1] * x[0], x[2] * x[1] * x[0], x[1] * x[0], x[0]]), V4)
add("in_map", "[3]f64", "[3]f64", "map (\\a -> loop y = 1.0 for i < 3 do y * a + 0.5) x", lambda a: ((a + 0.5) * a + 0.5) * a + 0.5, [1.0, 2.0, -3.0])
add("lengths_differ", "[3]f64", "[3]f64", "map2 (\\n a -> loop y = 1.0 for i < n do y * a) [0, 2, 3] x", lambda a: np.array([1.0, a[1] ** 2, a[2] ** 3]), [1.0, 2.0, -3.0])
add("while_in_map", "[3]f64", "[3]f64", "map (\\a -> loop y = a while y < 10.0 do y * y) x", lambda a: np.array([a[0] ** 8, a[1] ** 4, a[2]]), [1.4, 2.0, 12.0])
add("map_in_loop", "[3]f64", "f64", "f64.sum (loop y = x for i < 3 do map2 (\\a b -> a * b + f64.i64 i) y (rotate 1 y))", lambda x: np.sum(repeated(3, lambda i, y: y * np.roll(y, -1) + i, x)), [0.5, 0.7, -0.3])
add("prefix", "[4]f64", "[4]f64", "loop y = replicate 4 0.0 for i < 4 do y with [i] = (if i > 0 then y[i - 1] else 0.0) + x[i] * x[i]", lambda x: np.cumsum(x * x), V4)
add("dynamic_programming", "[3]f64", "f64", "let t = loop t = tabulate_2d 3 3 (\\i j -> if i == 0 || j == 0 then x[i] * x[j] else 0.0) for i < 2 do loop t = t for j < 2 do t with [i + 1, j + 1] = t[i, j + 1] * 0.5 + t[i + 1, j] * x[j] in t[2, 2]",
    lambda x: table(x)[2, 2], [1.1, 0.7, -0.4])


def table(x):
    t = np.zeros((3, 3))
    t[0, :] = x[0] * x
    t[:, 0] = x * x[0]
    for i in range(2):
        for j in range(2):
            t[i + 1, j + 1] = t[i, j + 1] * 0.5 + t[i + 1, j] * x[j]
    return t


text("""
-- Many iterations.
-- ==
-- entry: long
-- input { 0.5 } output { 0.999999 }
entry long (x: f64) = grad (\\x -> loop y = x for i < 10000 do y * (1.0 - 1e-10)) x

-- Functions carried by a loop.
-- ==
-- entry: carried
-- input { 0.5 } output { 0.75 }
entry carried (x: f64) = grad (\\x -> (loop f = (\\y -> y) for i < 3 do if i < 2 then (\\y -> f (y * x)) else f) x) x
""")

# Nestings ------------------------------------------------------------------------------------------------------------

begin("nesting", "Operators inside of operators, in maps, loops and functions that are differentiated themselves.")

text("""
-- No operator takes the changes of another for its own.
-- ==
-- entry: confusion
-- input { 3.0 } output { 1.0 1.0 1.0 1.0 }
entry confusion (y: f64) =
  let forward f x = jvp f x 1.0
  let reverse f x = vjp f x 1.0
  in ( forward (\\x -> x * forward (\\z -> x + z) y) 1.0
     , reverse (\\x -> x * reverse (\\z -> x + z) y) 1.0
     , forward (\\x -> x * reverse (\\z -> x + z) y) 1.0
     , reverse (\\x -> x * forward (\\z -> x + z) y) 1.0 )

-- ==
-- entry: products
-- input { 3.0 } output { 6.0 6.0 6.0 6.0 }
entry products (x: f64) =
  let forward f x = jvp f x 1.0
  let reverse f x = vjp f x 1.0
  in ( forward (\\x -> x * forward (\\y -> x * y) 2.0) x
     , reverse (\\x -> x * reverse (\\y -> x * y) 2.0) x
     , forward (\\x -> x * reverse (\\y -> x * y) 2.0) x
     , reverse (\\x -> x * forward (\\y -> x * y) 2.0) x )

def cube (x: f64) : f64 = x * x * x

-- ==
-- entry: second
-- input { 2.0 } output { 12.0 12.0 12.0 12.0 }
entry second (x: f64) =
  ( grad (grad cube) x
  , jvp (grad cube) x 1.0
  , grad (\\x -> jvp cube x 1.0) x
  , jvp (\\x -> jvp cube x 1.0) x 1.0 )

-- ==
-- entry: third
-- input { 2.0 } output { 6.0 6.0 }
entry third (x: f64) = (grad (grad (grad cube)) x, jvp (\\x -> grad (\\x -> jvp cube x 1.0) x) x 1.0)

-- ==
-- entry: fourth
-- input { 0.5 } output { 0.4794255386 }
entry fourth (x: f64) = grad (grad (grad (grad f64.sin))) x

def rosenbrock (p: [2]f64) : f64 = (1.0 - p[0]) ** 2.0 + 100.0 * (p[1] - p[0] * p[0]) ** 2.0

-- Hessians by all nestings.
-- ==
-- entry: hessians
-- input { [1.2, 0.7] } output { [[1450.0, -480.0], [-480.0, 200.0]] [[1450.0, -480.0], [-480.0, 200.0]] [[1450.0, -480.0], [-480.0, 200.0]] }
entry hessians (p: [2]f64) =
  let units = [[1.0, 0.0], [0.0, 1.0]]
  in ( map (\\u -> jvp (grad rosenbrock) p u) units
     , map (\\u -> grad (\\p -> jvp rosenbrock p u) p) units
     , map (\\u -> vjp (grad rosenbrock) p u) units )

-- ==
-- entry: jacobians
-- input { [1.0, 2.0, 3.0] } output { [[2.0, 1.0, 0.0], [0.0, 3.0, 2.0]] [[2.0, 0.0], [1.0, 3.0], [0.0, 2.0]] }
entry jacobians (xs: [3]f64) =
  let f (xs: [3]f64) = xs[0:2] * xs[1:3]
  in (mjp f xs [[1.0, 0.0], [0.0, 1.0]], jmp f xs [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])

-- ==
-- entry: several_seeds
-- input { 3.0 } output { 9.0 [6.0, 12.0] 9.0 [6.0, 12.0] }
entry several_seeds (x: f64) =
  let (a, b) = jmp2 (\\x -> x * x) x [1.0, 2.0]
  let (c, d) = mjp2 (\\x -> x * x) x [1.0, 2.0]
  in (a, b, c, d)

-- The seed depends on what an operator outside follows, too.
-- ==
-- entry: seeds
-- input { 2.0 } output { 36.0 36.0 36.0 36.0 }
entry seeds (x: f64) =
  ( grad (\\x -> vjp (\\y -> y * y) x (x * x) + x ** 3.0) x
  , grad (\\x -> jvp (\\y -> y * y) x (x * x) + x ** 3.0) x
  , jvp (\\x -> vjp (\\y -> y * y) x (x * x) + x ** 3.0) x 1.0
  , jvp (\\x -> jvp (\\y -> y * y) x (x * x) + x ** 3.0) x 1.0 )

-- ==
-- entry: in_map_in_operator
-- input { [1.0, 2.0] 3.0 } output { [6.0, 12.0] }
entry in_map_in_operator (xs: [2]f64) (c: f64) =
  grad (\\xs -> f64.sum (map (\\x -> grad (\\y -> y * y * c) x * x) xs) / 2.0) xs

-- ==
-- entry: in_loop
-- input { 2.0 } output { 128.0 }
entry in_loop (x: f64) = loop y = x for i < 3 do grad (\\z -> z * z) y * 2.0

-- Newton's method, differentiated.
-- ==
-- entry: newton
-- input { 2.0 } output { 1.4142135624 0.3535533906 }
entry newton (a: f64) =
  let root (a: f64) =
    let f (x: f64) = x * x - a
    in loop x = 1.0 for i < 8 do x - f x / grad f x
  in value_and_grad root a

-- ==
-- entry: in_while
-- input { 1.0 } output { 0.553 0.232 }
entry in_while (x: f64) =
  value_and_grad (\\x -> (loop (i, y) = (0i64, x) while i < 2 do (i + 1, y - 0.1 * grad (\\z -> z * z * z) y)).1) x

-- ==
-- entry: gradient_descent
-- input { [1.0, 2.0] } output { [0.64, 1.28] }
entry gradient_descent (p: [2]f64) =
  loop q = p for i < 2 do map2 (\\a g -> a - 0.1 * g) q (grad (\\(r: [2]f64) -> f64.sum (r * r)) q)

-- Operators as values.
-- ==
-- entry: partial
-- input { [1.0, 2.0] } output { [2.0, 4.0] [2.0, 4.0] }
entry partial (xs: [2]f64) =
  let slope = grad (\\(x: f64) -> x * x)
  let both = jvp (\\(x: f64) -> x * x)
  in (map slope xs, map (\\x -> both x 1.0) xs)

-- Rows.
-- ==
-- entry: rows
-- input { [[1.0, 2.0], [3.0, 4.0]] } output { [[2.0, 4.0], [6.0, 8.0]] }
entry rows (xss: [2][2]f64) = map (grad (\\(xs: [2]f64) -> f64.sum (xs * xs))) xss

-- The outer derivative of an inner gradient by what the inner function uses.
-- ==
-- entry: mixed
-- input { 2.0 3.0 } output { 4.0 6.0 }
entry mixed (x: f64) (c: f64) =
  ( grad (\\c -> grad (\\x -> c * x * x) x) c
  , jvp (\\x -> grad (\\c -> c * c * x) c) x 1.0 )
""")

begin("customs", "Derivatives of one's own: with_vjp.")

text("""
-- Reverse mode takes the given derivative, forward mode and plain runs do not.
-- ==
-- entry: modes
-- input { 3.0 } output { 9.0 30.0 6.0 }
entry modes (x: f64) =
  let f = with_vjp (\\(y: f64) -> y * y) (\\_ a -> 10.0 * a)
  in (f x, grad f x, jvp f x 1.0) |> (\\(a, b, c) -> (a, 3.0 * b, c))

-- The result is given to the derivative.
-- ==
-- entry: by_result
-- input { 1.5 } output { 4.4816890703 4.4816890703 }
entry by_result (x: f64) = value_and_grad (with_vjp f64.exp (\\y a -> y * a)) x

-- Inside of other operations.
-- ==
-- entry: inside
-- input { 3.0 } output { 39.0 }
entry inside (x: f64) = grad (\\x -> with_vjp (\\(y: f64) -> y * y) (\\_ a -> 10.0 * a) x * x) x

-- What it captures is constant in reverse mode.
-- ==
-- entry: captures
-- input { 3.0 } output { 6.0 }
entry captures (x: f64) = grad (\\x -> with_vjp (\\y -> x * y) (\\_ a -> 2.0 * a) x) x * 3.0

-- Arrays and tuples.
-- ==
-- entry: composite
-- input { [1.0, 2.0] } output { [1.0, 20.0] }
entry composite (xs: [2]f64) =
  let clip = with_vjp (\\(xs: [2]f64) -> (f64.sum xs, xs)) (\\y a -> [a.0 * 0.0 + a.1[0], 10.0 * a.1[1] * y.1[1]])
  in grad (\\xs -> let r = clip xs in r.0 + f64.sum r.1) xs

-- Functions that are used several times.
-- ==
-- entry: several_times
-- input { [1.0, 2.0, 3.0] } output { [5.0, 5.0, 5.0] }
entry several_times (xs: [3]f64) =
  grad (\\xs -> f64.sum (map (with_vjp (\\(x: f64) -> x * x) (\\_ a -> 5.0 * a)) xs)) xs

-- What it captures is constant, whoever goes back.
-- ==
-- entry: captured_outside
-- input { 3.0 } output { 0.0 0.0 30.0 1.0 }
entry captured_outside (x: f64) =
  let scaled (z: f64) = with_vjp (\\y -> y * z) (\\y a -> 10.0 * a * y)
  in ( grad (\\z -> scaled z x) x
     , grad (\\z -> grad (scaled z) x) x
     , jvp (\\z -> grad (scaled z) x) x 1.0
     , grad (\\z -> jvp (scaled z) x 1.0) x )

-- An operator that goes forward differentiates the function itself, and those around it what comes of that.
-- ==
-- entry: nested
-- input { 3.0 } output { 60.0 2.0 900.0 }
entry nested (x: f64) =
  let lie = with_vjp (\\(y: f64) -> y * y) (\\y a -> 10.0 * a * y)
  in (jvp (grad lie) x 1.0, grad (\\x -> jvp lie x 1.0) x, grad (grad lie) x)

-- The derivative of the given derivative.
-- ==
-- entry: second
-- input { 2.0 } output { 12.0 12.0 }
entry second (x: f64) =
  let cube = with_vjp (\\(x: f64) -> x * x * x) (\\y a -> 3.0 * f64.cbrt (y * y) * a)
  in (grad (grad cube) x, jvp (grad cube) x 1.0)

-- ==
-- entry: unused
-- input { 2.0 } output { 1.0 }
entry unused (x: f64) = grad (\\x -> let y = with_vjp (\\(x: f64) -> x * x) (\\_ a -> 1000.0 * a) x in if y > 0.0 then x else y) x

-- An operator in the derivative.
-- ==
-- entry: operator_inside
-- input { 2.0 } output { 4.0 }
entry operator_inside (x: f64) = grad (with_vjp (\\(x: f64) -> x * x) (\\y a -> a * grad (\\z -> z * z / 2.0) y)) x
""")

begin("failures", "What fails, fails in derivatives, too.")

text("""
-- ==
-- entry: bounds
-- input { [1.0, 2.0] 1i64 } output { [0.0, 4.0] }
-- input { [1.0, 2.0] 2i64 } error: E0501
entry bounds (xs: [2]f64) (i: i64) = grad (\\(xs: [2]f64) -> xs[i] * xs[i]) xs

-- ==
-- entry: bounds_forward
-- input { [1.0, 2.0] 2i64 } error: E0501
entry bounds_forward (xs: [2]f64) (i: i64) = jvp (\\(xs: [2]f64) -> xs[i] * xs[i]) xs xs

-- ==
-- entry: asserted
-- input { 2.0 } output { 0.5 }
-- input { -2.0 } error: E0506
entry asserted (x: f64) = grad (\\x -> assert (x > 0.0) (f64.log x)) x

-- ==
-- entry: sizes
-- input { [1.0, 2.0, -1.0] } output { [2.0, 4.0, 0.0] }
-- input { [1.0, 2.0, 1.0] } error: E0503
entry sizes (xs: [3]f64) = grad (\\(xs: [3]f64) -> let ys = filter (> 0.0) xs :> [2]f64 in f64.sum (ys * ys)) xs

-- ==
-- entry: division
-- input { 2.0 0i64 } error: E0505
entry division (x: f64) (n: i64) = grad (\\x -> x * f64.i64 (1 / n)) x

-- ==
-- entry: seed_sizes
-- input { [1.0, 2.0, 3.0] [1.0, 2.0] } error: E0503
entry seed_sizes [n] [m] (xs: [n]f64) (ds: [m]f64) = jvp (\\(xs: [n]f64) -> xs * xs) xs (ds :> [n]f64)

-- ==
-- entry: constant_gamma
-- input { 2.0 } output { 6.0 }
entry constant_gamma (x: f64) = grad (\\x -> f64.gamma 4.0 * x) x

-- What an update overwrites is kept for the way back, but not read where the update fails.
-- ==
-- entry: kept_part
-- input { [1.0, 2.0, 3.0] 1i64 }
-- output { [5.0, 0.0, 0.0] }
-- input { [1.0, 2.0, 3.0] 2i64 } error: E0501
-- input { [1.0, 2.0, 3.0] -1i64 } error: E0501
-- input { [1.0, 2.0, 3.0] 1000000000i64 } error: E0501
entry kept_part [n] (x: [n]f64) (k: i64) : [n]f64 =
  grad (\\x -> f64.sum (loop y = x for i < n do y with [k:k + 2] = rep (y[0] * f64.i64 i))) x

-- ==
-- entry: kept_cell
-- input { [1.0, 2.0, 3.0] 1i64 }
-- output { [3.0, 0.0, 1.0] }
-- input { [1.0, 2.0, 3.0] 3i64 } error: E0501
-- input { [1.0, 2.0, 3.0] 1000000000i64 } error: E0501
entry kept_cell [n] (x: [n]f64) (k: i64) : [n]f64 =
  grad (\\x -> f64.sum (loop y = x for i < n do y with [k] = y[0] * f64.i64 i)) x

-- With a step.
-- ==
-- entry: kept_steps
-- input { [1.0, 2.0, 3.0] 0i64 }
-- output { [0.0, 1.0, 0.0] }
-- input { [1.0, 2.0, 3.0] 1i64 } error: E0501
-- input { [1.0, 2.0, 3.0] 1000000000i64 } error: E0501
entry kept_steps [n] (x: [n]f64) (k: i64) : [n]f64 =
  grad (\\x -> f64.sum (loop y = x for i < n do y with [k:k + 3:2] = rep (y[0] * f64.i64 i))) x
""")

begin("evaluated", "What only the evaluator differentiates: loops whose arrays change their size, in reverse mode.")

current.append(lambda: EVALUATOR)
add("growing", "f64", "f64", "let (_, ys) = loop (n, ys: [n]f64) = (1, [x]) for i < 2 do (n + n, ys ++ map (* x) ys) in f64.sum ys", lambda x: x + 2 * x**2 + x**3, 1.3)
def cholesky(m):
    """Of the lower triangle alone."""
    return np.linalg.cholesky(np.tril(m) + np.tril(m, -1).T)


begin("programs", "Small programs as people write them.")

XS = np.array([[1.0, 0.5], [-0.3, 1.2], [0.8, -1.0], [2.0, 0.1]])
add("logistic", "([2]f64, f64)", "f64",
    """let xs = [[1.0, 0.5], [-0.3, 1.2], [0.8, -1.0], [2.0, 0.1]]
let ys = [1.0, 0.0, 1.0, 0.0]
let loss row y = let z = f64.sum (row * x.0) + x.1 in f64.log (1.0 + f64.exp z) - y * z
in f64.sum (map2 loss xs ys) / 4.0""",
    lambda w, b: np.mean(np.log(1 + np.exp(XS @ w + b)) - np.array([1.0, 0, 1, 0]) * (XS @ w + b)), [0.4, -0.6], 0.2)
add("network", "([3][2]f64, [3]f64, [3]f64)", "f64",
    """let (w, b, v) = x
let out row = f64.sum (v * map2 (\\u c -> f64.tanh (f64.sum (u * row) + c)) w b)
in f64.sum (map (\\row -> out row ** 2.0) [[1.0, 0.5], [-0.3, 1.2], [0.8, -1.0], [2.0, 0.1]])""",
    lambda w, b, v: np.sum((np.tanh(XS @ w.T + b) @ v) ** 2), [[0.1, 0.4], [-0.7, 0.2], [0.5, 0.9]], [0.1, -0.2, 0.3], [1.0, -0.5, 0.8])
add("clusters", "[2][2]f64", "f64",
    """let xs = [[1.0, 0.5], [-0.3, 1.2], [0.8, -1.0], [2.0, 0.1]]
let far row c = f64.sum ((row - c) ** 2.0)
in f64.sum (map (\\row -> f64.minimum (map (\\c -> far row c) x)) xs)""",
    lambda c: np.sum(np.min(((XS[:, None, :] - c[None]) ** 2).sum(-1), axis=1)), [[0.2, 1.0], [1.0, -0.4]])
add("mixture", "([2]f64, [2]f64, [2]f64)", "f64",
    """let (a, m, s) = x
let lse ys = let t = f64.maximum ys in t + f64.log (f64.sum (map (\\y -> f64.exp (y - t)) ys))
let one p = lse (map3 (\\a m s -> a - s - 0.5 * ((p - m) / f64.exp s) ** 2.0) a m s)
in f64.sum (map one [0.3, -1.0, 2.2, 0.9]) - 4.0 * lse a""",
    lambda a, m, s: np.sum(np.log(np.sum(np.exp(a - s - 0.5 * ((np.array([0.3, -1.0, 2.2, 0.9])[:, None] - m) / np.exp(s)) ** 2), axis=1))) - 4 * np.log(np.sum(np.exp(a))), [0.2, -0.3], [0.0, 1.5], [0.1, -0.2])
add("black_scholes", "(f64, f64, f64)", "f64",
    """let (s, r, v) = x
let (k, t) = (100.0, 0.5)
let n d = 0.5 * f64.erfc (-d / f64.sqrt 2.0)
let d1 = (f64.log (s / k) + (r + 0.5 * v * v) * t) / (v * f64.sqrt t)
in s * n d1 - k * f64.exp (-r * t) * n (d1 - v * f64.sqrt t)""",
    lambda s, r, v: black_scholes(s, r, v), 105.0, 0.03, 0.25)
add("oscillator", "(f64, f64)", "(f64, f64)", "loop (p, q) = x for i < 20 do let q = q + 0.05 * p let p = p - 0.05 * f64.sin q in (p, q)",
    lambda p, q: repeated(20, lambda i, y: (y[0] - 0.05 * np.sin(y[1] + 0.05 * y[0]), y[1] + 0.05 * y[0]), (p, q)), 0.7, 1.1)
add("diffusion", "[6]f64", "[6]f64", "loop u = x for t < 4 do tabulate 6 (\\i -> u[i] + 0.2 * (u[(i + 1) % 6] - 2.0 * u[i] + u[(i + 5) % 6]) - 0.05 * u[i] ** 2.0)",
    lambda u: repeated(4, lambda i, u: u + 0.2 * (np.roll(u, -1) - 2 * u + np.roll(u, 1)) - 0.05 * u**2, u), V6)
add("cell", "([2]f64, [2]f64, [4][2]f64)", "([2]f64, [2]f64)",
    """let (h, c, w) = x
let gate (k: i64) = map2 (\\a b -> a * b + 0.1) w[k] h
let sigmoid a = 1.0 / (1.0 + f64.exp (-a))
let c = map4 (\\c f i g -> c * sigmoid f + sigmoid i * f64.tanh g) c (gate 0) (gate 1) (gate 2)
in (map2 (\\o c -> sigmoid o * f64.tanh c) (gate 3) c, c)""",
    lambda h, c, w: lstm(h, c, w), [0.3, -0.5], [0.2, 0.8], [[0.4, -0.2], [1.0, 0.3], [-0.6, 0.9], [0.5, 0.7]])
add("horner", "([4]f64, f64)", "f64", "foldr (\\c y -> c + x.1 * y) 0.0 x.0", lambda c, t: c[0] + t * (c[1] + t * (c[2] + t * c[3])), V4, 0.6)
add("convolution", "([5]f64, [3]f64)", "[3]f64", "tabulate 3 (\\i -> f64.sum (tabulate 3 (\\j -> x.0[i + j] * x.1[2 - j])))", lambda a, k: np.convolve(a, k, "valid"), [1.0, -2.0, 3.0, 0.5, 0.25], [0.7, 1.4, -0.3])
add("sparse_product", "([4]f64, [3]f64)", "[3]f64", "let (rows, columns) = ([0i64, 0, 1, 2], [0i64, 2, 1, 0]) in reduce_by_index (replicate 3 0.0) (+) 0.0 rows (map2 (\\v j -> v * x.1[j]) x.0 columns)",
    lambda v, x: np.array([v[0] * x[0] + v[1] * x[2], v[2] * x[1], v[3] * x[0]]), V4, [0.5, -1.5, 0.25])
add("cholesky", "[2][2]f64", "f64", "let a = f64.sqrt x[0, 0] let b = x[1, 0] / a let c = f64.sqrt (x[1, 1] - b * b) in 2.0 * (f64.log a + f64.log c)",
    lambda m: 2 * (np.log(np.sqrt(m[0, 0])) + np.log(np.sqrt(m[1, 1] - m[1, 0] ** 2 / m[0, 0]))), [[2.0, 0.5], [0.5, 1.5]])


def black_scholes(s, r, v):
    n = lambda d: 0.5 * math.erfc(-float(d) / math.sqrt(2))
    d1 = (np.log(s / 100.0) + (r + 0.5 * v * v) * 0.5) / (v * np.sqrt(0.5))
    return s * n(d1) - 100.0 * np.exp(-r * 0.5) * n(d1 - v * np.sqrt(0.5))


def lstm(h, c, w):
    gates = w * h + 0.1
    sigmoid = lambda a: 1 / (1 + np.exp(-a))
    c = c * sigmoid(gates[0]) + sigmoid(gates[1]) * np.tanh(gates[2])
    return sigmoid(gates[3]) * np.tanh(c), c
