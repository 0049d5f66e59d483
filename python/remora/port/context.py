"""What is known of a function while it is read: sizes, what the translation assumes, and what the written program needs besides."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field
from typing import Any

from .diagnostics import Problem
from .sizes import Size, at_least_zero, lowest

# Words of remora, and names that the written program may call: variables of Python that are called so get a `_`.
WORDS = set(
    "let in loop for while do if then else match case with def entry val type module open import local include true false and or not "
    "map map2 map3 map4 map5 iota range rep replicate reduce scan filter length flatten unflatten transpose reverse rotate zip unzip concat head last "
    "init tail take drop split hist scatter all any null copy sized indices id const flip tabulate fst snd assert min max abs acc write index slice update "
    "where clip mean std variance std_ddof variance_ddof median percentile quantile amax amin argmax argmin argsort sort cumsum cumprod diff dot matvec vecmat "
    "matmul outer norm roll roll_axis0 minimum maximum sum prod count bincount nonzero unique searchsorted interp linspace linspace_open eye diag trace tril triu unflatten_3d unflatten_4d "
    "diagonal sign square mod floor_divide isclose allclose compress place select tile repeat pad convolve correlate kron cross inner hanning hamming gradient "
    "wrapped clipped backwards within forwards raised shifted_left shifted_right complex_more complex_more_or_same every divided divisor power times plus minus larger smaller nonempty fits checked inverse_power i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 bool c64 c128 "
    "linalg fft random key argbest cov corrcoef trapezoid place around reduceat accumulated scan select folded typed total largest smallest pcg64".split()
)

HELPERS = {
    "wrapped": "-- | The index i of n elements; a negative one counts from the end.\n"
    "def wrapped (n: i64) (i: i64) : i64 = if i < 0 then i + n else i",
    "clipped": "-- | xs[a:b] as in Python: bounds that are negative count from the end, and stop where the array does.\n"
    "def clipped 't [n] (a: i64) (b: i64) (xs: [n]t) : *[]t =\n"
    "  let inside (i: i64) : i64 = i64.max 0 (i64.min n (if i < 0 then i + n else i))\n"
    "  let start = inside a\n"
    "  in copy xs[start:i64.max start (inside b)]",
    "backwards": "-- | xs[a:b:-1] as in Python; a bound that is not there is `i64.highest` or `i64.lowest`.\n"
    "def backwards 't [n] (a: i64) (b: i64) (xs: [n]t) : *[]t =\n"
    "  let inside (i: i64) : i64 = i64.min n (1 + (if i < 0 then i64.max (-1) (i + n) else i64.min n i))\n"
    "  let end = inside a\n"
    "  in copy (reverse xs[i64.min end (inside b):end])",
    "within": "-- | A bound of a slice of n elements as in Python: a negative one counts from the end, and it stops where the array does.\n"
    "def within (n: i64) (i: i64) : i64 = i64.max 0 (i64.min n (if i < 0 then i + n else i))",
    "forwards": "-- | The step of a slice, which has to be positive here.\n"
    'def forwards (k: i64) : i64 = let _ = assert (k > 0) "a slice whose step is not positive" in k',
    "every": "-- | xs[::k] for a positive k.\n"
    "def every 't [n] (k: i64) (xs: [n]t) : *[(n + k - 1) / k]t = map (\\i -> xs[i * k]) (iota ((n + k - 1) / k))",
    "divided": "-- | The quotient of two of Python's own numbers, which fails where Python raises `ZeroDivisionError`.\n"
    'def divided (x: f64) (y: f64) : f64 = let _ = assert (y != 0) "division by zero" in x / y',
    "divisor": "-- | One of Python's own numbers to divide by, which fails where Python raises `ZeroDivisionError`.\n"
    'def divisor (y: f64) : f64 = let _ = assert (y != 0) "division by zero" in y',
    "power": "-- | A power of Python's own floats, which fails where the result is not a finite real number.\n"
    'def power (x: f64) (y: f64) : f64 =\n  let z = x ** y\n  let _ = assert (!(f64.isnan z || f64.isinf z)) "a power that is no number" in z',
    "inverse_power": "-- | A power of Python's own integers with a negative exponent; with others it is an integer, which is not meant here.\n"
    "def inverse_power (x: i64) (n: i64) : f64 =\n"
    '  let _ = assert (n < 0 && x != 0) "a power of an integer that is no float: write 1.0 * x ** n"\n'
    "  in f64.i64 x ** f64.i64 n",
    "times": "-- | The product of two of Python's own integers, which fails beyond 64 bits.\n"
    'def times (x: i64) (y: i64) : i64 =\n  let z = x * y\n  let _ = assert (i64.mul_hi x y == z >> 63) "an integer beyond 64 bits" in z',
    "plus": "-- | The sum of two of Python's own integers, which fails beyond 64 bits.\n"
    'def plus (x: i64) (y: i64) : i64 =\n  let z = x + y\n  let _ = assert ((x ^ z) & (y ^ z) >= 0) "an integer beyond 64 bits" in z',
    "minus": "-- | The difference of two of Python's own integers, which fails beyond 64 bits.\n"
    'def minus (x: i64) (y: i64) : i64 =\n  let z = x - y\n  let _ = assert ((x ^ y) & (x ^ z) >= 0) "an integer beyond 64 bits" in z',
    "raised": "-- | A power of Python's own integers, which fails where it is a float or beyond 64 bits.\n"
    "def raised (x: i64) (n: i64) : i64 =\n"
    '  let _ = assert (n >= 0) "a negative power of an integer, which is a float: write 1.0 * x ** n"\n'
    "  let (_, _, z) =\n"
    "    loop (b, n, z) = (x, n, 1i64) while n > 0 do\n"
    "      (if n > 1 then times b b else b, n / 2, if n % 2 == 1 then times z b else z)\n"
    "  in z",
    "shifted_left": "-- | `x << k` of Python's own integers, which fails beyond 64 bits.\n"
    "def shifted_left (x: i64) (k: i64) : i64 =\n"
    '  let _ = assert (k >= 0 && (x == 0 || k < 63 && (x << k) >> k == x)) "an integer beyond 64 bits" in if x == 0 then 0 else x << k',
    "shifted_right": "-- | `x >> k` of Python's own integers.\n"
    "def shifted_right (x: i64) (k: i64) : i64 = let _ = assert (k >= 0) \"a negative shift\" in x >> i64.min k 63",
    "complex_more": "-- | `a > b` of complex numbers, as NumPy orders them: by their real parts, then by their imaginary parts.\n"
    "def complex_more (a: c128) (b: c128) : bool =\n"
    "  let (x, y, u, v) = (c128.re a, c128.re b, c128.im a, c128.im b)\n"
    "  in x > y && !(f64.isnan u) && !(f64.isnan v) || x == y && u > v",
    "complex_more_or_same": "-- | `a >= b` of complex numbers, as NumPy orders them: by their real parts, then by their imaginary parts.\n"
    "def complex_more_or_same (a: c128) (b: c128) : bool =\n"
    "  let (x, y, u, v) = (c128.re a, c128.re b, c128.im a, c128.im b)\n"
    "  in x > y && !(f64.isnan u) && !(f64.isnan v) || x == y && u >= v",
    "divided_complex": "-- | The quotient of Python's own complex numbers, which fails where Python raises `ZeroDivisionError`.\n"
    "def divided_complex (x: c128) (y: c128) : c128 =\n"
    "  let _ = assert (c128.re y != 0.0 || c128.im y != 0.0) \"division by zero\" in x / y",
    "larger": "-- | Python's `max` of two floats: the first where they are equal or one is NaN.\n"
    "def larger (x: f64) (y: f64) : f64 = if y > x then y else x",
    "smaller": "-- | Python's `min` of two floats: the first where they are equal or one is NaN.\n"
    "def smaller (x: f64) (y: f64) : f64 = if y < x then y else x",
    "nonempty": "-- | The array itself, if it has elements.\n"
    "def nonempty 't [n] (xs: [n]t) : [n]t = let _ = assert (n > 0) \"a reduction of no elements\" in xs",
    "checked": "-- | A result y of `math` for x, which fails where Python raises `ValueError` or `OverflowError`.\n"
    "def checked (x: f64) (y: f64) : f64 =\n"
    '  let _ = assert ((!(f64.isnan y) || f64.isnan x) && (!(f64.isinf y) || f64.isinf x)) "outside of the domain" in y',
}
for _name in "sqrt exp log log2 log10 log1p expm1 cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh".split():
    HELPERS[f"math_{_name}"] = f"-- | `math.{_name}`.\ndef math_{_name} (x: f64) : f64 = checked x (f64.{_name} x)"
for _name in ("larger", "smaller"):
    HELPERS[f"{_name}_f32"] = HELPERS[_name].replace("f64", "f32").replace(f"def {_name}", f"def {_name}_f32").replace("two floats", "two numbers of f32")
for _dtype, _least, _most in [("u8", 0, 255), ("i8", -128, 127), ("u16", 0, 65535), ("i16", -32768, 32767), ("u32", 0, 2**32 - 1), ("i32", -(2**31), 2**31 - 1)]:
    HELPERS[f"fits_{_dtype}"] = (
        f"-- | One of Python's own integers as `{_dtype}`, which fails where it is none.\n"
        f'def fits_{_dtype} (x: i64) : {_dtype} = let _ = assert (x >= {_least} && x <= {_most}) "an integer that does not fit" in {_dtype}.i64 x'
    )
for _dtype in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
    for _name, _symbol, _words in (("quotient", "/", "The quotient of two integers of NumPy's, rounded down; 0 for a division by 0"), ("remainder", "%", "The remainder of two integers of NumPy's; 0 for a division by 0")):
        HELPERS[f"{_name}_{_dtype}"] = f"-- | {_words}.\ndef {_name}_{_dtype} (x: {_dtype}) (y: {_dtype}) : {_dtype} = if y == 0 then 0 else x {_symbol} y"


class Restart(Exception):
    """Something was learned that changes what was written: the function is read again."""


@dataclass
class Facts:
    """What is learned about a function, kept when it is read again."""

    merged: dict[str, Size] = field(default_factory=dict)  # sizes of parameters that have to be other sizes
    mutated: set[str] = field(default_factory=set)  # parameters whose elements the function writes
    ordered: set[str] = field(default_factory=set)  # parameters whose elements have to lie one after the other
    clashing: set[str] = field(default_factory=set)  # names that are also those of functions that the program calls
    written: set[tuple[Any, str]] = field(default_factory=set)  # parameters of called functions whose elements those write
    definitions: dict[Any, Any] = field(default_factory=dict)  # of called functions
    taken: set[str] = field(default_factory=set)  # names of called functions that sizes must not have
    unwished: set[str] = field(default_factory=set)  # names that sizes must not have
    strong: set[Any] = field(default_factory=set)  # parameters of functions that call themselves which are NumPy's numbers
    lists: dict[Any, Any] = field(default_factory=dict)  # elements of lists that grow: a value of their type
    floats: bool = False  # the result is a float in one case, and integers in others become floats
    assumed: list[tuple[Size, str]] = field(default_factory=list)  # sizes that must not be negative, and why


@dataclass
class Context:
    """The state of one reading."""

    file: str
    lines: list[str]
    first_line: int
    outer: dict[str, Any]  # globals and closure of the function
    facts: Facts
    names: set[str] = field(default_factory=set)  # names of Python's in the function
    problems: list[Problem] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)
    bounds: dict[str, tuple[Size | None, Size | None]] = field(default_factory=dict)
    sizes: set[str] = field(default_factory=set)  # names of sizes of parameters
    stable: set[str] = field(default_factory=set)  # names that are bound once
    least: dict[str, int] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)  # lines that stand before the current statement
    wished: set[str] = field(default_factory=set)  # names of sizes that the function itself gives
    notes: set[str] = field(default_factory=set)
    definitions: dict[str, str] = field(default_factory=dict)  # functions that call themselves, by their names
    calling: list[Any] = field(default_factory=list)  # the functions whose calls are read at present
    recursions: list[Any] = field(default_factory=list)  # those that are read at present, and all that were
    called: set[str] = field(default_factory=set)  # functions of the library, and helpers, that the program calls
    given: set[str] = field(default_factory=set)  # names of Python's that the program has
    python_names: set[str] = field(default_factory=set)
    counter: int = 0
    depth: int = 0

    def mangle(self, name: str) -> str:
        """The name in the written program."""
        if "." in name:
            name = name.replace(".", "_")
            while name in self.python_names:
                name += "_"
        self.given.add(name)
        if name in WORDS or name in self.facts.clashing or not name.isascii():
            name = "".join(c if c.isascii() else f"u{ord(c):x}" for c in name) + "_"
            while name in self.python_names:
                name += "_"
        return name

    def short(self, kind: str = "") -> str:
        """A short name that nothing else has."""
        for name in (["k", "l", "m"] if kind else ["x", "y", "z", "u", "v", "w", "p", "q", "r", "s", "t"]) + [f"x{k}" for k in range(1, 99)]:
            if name not in self.names and name not in self.sizes:
                self.names.add(name)
                return name
        self.counter += 1
        return f"x_{self.counter}"

    def helper(self, name: str) -> str:
        """A helper function that the written program defines."""
        self.helpers.add(name)
        self.called.add(name)
        return name

    def library(self, name: str, dtype: str = "f64") -> str:
        """A function of `lib/np` for a type."""
        self.imports.add("lib/np")
        if dtype == "f64":
            self.called.add(name)
            return name
        if dtype not in ("f32", "i64", "i32", "bool", "c64", "c128"):
            self.modules.add(dtype)
        return f"np_{dtype}.{name}"

    def never_negative(self, size: Size) -> bool:
        """Whether a size cannot be negative, without further assumptions."""
        low = lowest(size, self.bounds)
        if low is None:
            return False
        return at_least_zero(low, self.least) or any(at_least_zero(low - each, self.least) for each, _ in self.facts.assumed)

    def assume(self, size: Size, why: str) -> bool:
        """Whether a size may be taken not to be negative: it follows, or it is about sizes of parameters, which the caller looks at."""
        if self.never_negative(size):
            return True
        low = lowest(size, self.bounds)
        if low is None:
            return False
        size = low
        if size.names() <= self.sizes and not any(len(key) > 1 for key in size.terms):
            number = size.number
            if number is not None:
                return False
            # Beyond small numbers the exact form is written instead: there would be too many instances.
            if abs(size.terms.get((), 0)) > 8 or (len(size.names()) == 1 and any(value < 0 for key, value in size.terms.items() if key)):
                return False
            if (size, why) not in self.facts.assumed:
                self.facts.assumed.append((size, why))
            if len(size.names()) == 1:
                (name,) = size.names()
                constant, slope = size.terms.get((), 0), size.terms[(name,)]
                self.least[name] = max(self.least.get(name, 0), -(-(-constant) // slope) if constant < 0 else 0)
            return True
        return False


RESERVED = frozenset(keyword.kwlist)
