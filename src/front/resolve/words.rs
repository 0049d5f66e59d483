//! Words of other languages and libraries, and what stands for them here.

use super::error::Extremum;
use super::files::{import_with, import_with_module};
use crate::base::{PrimType, scalar};

/// What stands for a name of NumPy.
pub(super) fn numpy(name: &str) -> String {
    if let Some(path) = import_with_module(name) {
        return format!("names of a library have no prefix: `import \"{path}\"` brings the module `{name}`");
    }
    let known = || extremum(name).map(of_extremum).or_else(|| idiom(name).map(String::from));
    match import_with(name) {
        Some("lib/np") => format!("names of a library have no prefix: `import \"lib/np\"`, then `{name}`"),
        _ if scalar::member(PrimType::F64, name).is_some() => format!("functions of numbers are in the module of their type: `f64.{name}`"),
        _ => known().unwrap_or_else(|| {
            "names of a library have no prefix: `import \"lib/np\"`; elementwise functions are in scalar modules: `f64.sqrt`".into()
        }),
    }
}

/// Names that NumPy uses for reductions and scalar modules for functions of two numbers.
pub(super) fn extremum(text: &str) -> Option<Extremum> {
    match text {
        "max" | "amax" => Some(Extremum::Max),
        "min" | "amin" => Some(Extremum::Min),
        _ => None,
    }
}

/// Advice for [`extremum`].
pub(super) fn of_extremum(extremum: Extremum) -> String {
    let (short, full, which) = match extremum {
        Extremum::Max => ("max", "maximum", "larger"),
        Extremum::Min => ("min", "minimum", "smaller"),
    };
    format!("of two numbers `f64.{short} x y` is the {which}; of all elements of an array `f64.{full} xs`")
}

/// Types of other languages, and what is written here.
pub(super) fn foreign_type(text: &str) -> Option<&'static str> {
    Some(match text {
        "int" | "integer" => "i64` or `i32",
        "float" | "real" => "f64` or `f32",
        "double" => "f64",
        "boolean" => "bool",
        "str" | "string" => "[]u8",
        _ => return None,
    })
}

/// Advice for words by which other languages say what this one has signs for: what stands around them is not understood either.
pub(super) fn foreign_word(text: &str) -> Option<&'static str> {
    Some(match text {
        "lambda" | "fn" | "fun" => "a function is written `\\x -> e`",
        "return" => "the value of a definition is its body: there is no `return`",
        "elif" | "elsif" | "elseif" => "write `else if`: `if a then x else if b then y else z`",
        _ => return None,
    })
}

/// Advice for names of other languages.
pub(super) fn idiom(text: &str) -> Option<&'static str> {
    Some(match text {
        "len" | "size" => "the length of an array is `length xs`",
        "arange" => "`0..<n` is the array of the numbers below n",
        "zeros" | "ones" | "full" => "`replicate n x` is an array of n copies of x",
        "True" => "write `true`",
        "False" => "write `false`",
        "print" => "programs print nothing: their results are printed",
        "is" => "equality is written `==`",
        "None" | "newaxis" => {
            "an axis of length 1 is not written: for `x[:, None] - y`, the operation is mapped over x, `map (\\x -> x - y) x`; where `None` is \
             the absence of a value, a sum type has one: `type maybe = #none | #some f64`"
        }
        "null" | "nil" => "there is no value for nothing; a sum type has one: `type maybe = #none | #some f64`",
        "reshape" => {
            "the sizes come from the type: `unflatten a : [3][4]f64` makes two dimensions of one, `flatten a` makes one of the two outermost"
        }
        "ravel" => "`flatten a` makes one dimension of the two outermost",
        "axis" => {
            "arguments have no names, and functions are mapped over rows: `f64.sum a` is for each row of a matrix, `f64.sum (transpose a)` for \
             each column"
        }
        "shape" | "ndim" => "the length of an array is `length xs`; a definition has names for sizes: `def f [n][m] (a: [n][m]f64) = ..`",
        "array" | "asarray" => "an array is written `[1, 2, 3]`",
        "concatenate" => "`xs ++ ys` is one array behind the other",
        "vstack" => "`xss ++ yss` has the rows of both",
        "stack" => "an array of arrays is written `[xs, ys]`",
        "var" => "the variance is `variance xs` in the library for NumPy users: write `import \"lib/np\"` at the top",
        "enumerate" => "`zip (indices xs) xs` has the elements with their indices",
        "append" => "`xs ++ [x]` is xs with x behind it",
        "int" => "conversions are in scalar modules and name both types: `i64.f64 x`",
        "float" => "conversions are in scalar modules and name both types: `f64.i64 x`",
        "fft" | "ifft" | "rfft" | "irfft" => "Fourier transforms are in a library: `import \"lib/fft\"`, then `fft.fft xs`, `fft.rfft xs`",
        "sorted" => "`sort` is in the library for NumPy users: write `import \"lib/np\"` at the top",
        _ => return None,
    })
}
