//! Types of generated programs: element types, sizes as polynomials (the compiler compares sizes in the same normal form), and what is
//! made of them.

use std::collections::BTreeMap;
use std::fmt;

/// Element types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Prim {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
    C128,
    Bool,
    /// The element type of a polymorphic function.
    Any,
}

use Prim::{Any, Bool, C128, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};

/// The types of integers.
pub const INTEGERS: [Prim; 8] = [I64, I32, I16, I8, U64, U32, U16, U8];

impl Prim {
    pub fn name(self) -> &'static str {
        match self {
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            U8 => "u8",
            U16 => "u16",
            U32 => "u32",
            U64 => "u64",
            F32 => "f32",
            F64 => "f64",
            C128 => "c128",
            Bool => "bool",
            Any => "a",
        }
    }
    pub fn is_float(self) -> bool {
        matches!(self, F32 | F64)
    }
    pub fn is_complex(self) -> bool {
        self == C128
    }
    /// Numbers with an order that a program names the type of.
    pub fn is_number(self) -> bool {
        self.is_float() || self.is_integer()
    }
    pub fn is_integer(self) -> bool {
        !self.is_float() && !self.is_complex() && self != Bool && self != Any
    }
    pub fn is_signed(self) -> bool {
        matches!(self, I8 | I16 | I32 | I64)
    }
    /// The least and the greatest number of an integer type.
    pub fn limits(self) -> (i128, i128) {
        match self {
            I8 => (i8::MIN.into(), i8::MAX.into()),
            I16 => (i16::MIN.into(), i16::MAX.into()),
            I32 => (i32::MIN.into(), i32::MAX.into()),
            I64 => (i64::MIN.into(), i64::MAX.into()),
            U8 => (0, u8::MAX.into()),
            U16 => (0, u16::MAX.into()),
            U32 => (0, u32::MAX.into()),
            U64 => (0, u64::MAX.into()),
            F32 | F64 | C128 | Bool | Any => (0, 1),
        }
    }
}

/// A size: a polynomial over names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dim(BTreeMap<Vec<String>, i64>);

impl Dim {
    pub fn constant(value: i64) -> Dim {
        Dim::default().plus_term(Vec::new(), value)
    }
    pub fn name(name: &str) -> Dim {
        Dim::default().plus_term(vec![name.to_string()], 1)
    }
    fn plus_term(mut self, names: Vec<String>, by: i64) -> Dim {
        let factor = self.0.entry(names.clone()).or_insert(0);
        *factor += by;
        if *factor == 0 {
            self.0.remove(&names);
        }
        self
    }
    pub fn plus(&self, other: &Dim) -> Dim {
        other.0.iter().fold(self.clone(), |sum, (names, factor)| sum.plus_term(names.clone(), *factor))
    }
    pub fn add(&self, by: i64) -> Dim {
        self.plus(&Dim::constant(by))
    }
    pub fn minus(&self, other: &Dim) -> Dim {
        other.0.iter().fold(self.clone(), |sum, (names, factor)| sum.plus_term(names.clone(), -factor))
    }
    pub fn times(&self, other: &Dim) -> Dim {
        let mut product = Dim::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut names = [&a[..], &b[..]].concat();
                names.sort();
                product = product.plus_term(names, x * y);
            }
        }
        product
    }
    /// The size with a name in place of another.
    pub fn replaced(&self, name: &str, by: &Dim) -> Dim {
        let mut result = Dim::default();
        for (names, factor) in &self.0 {
            let mut term = Dim::constant(*factor);
            for one in names {
                term = term.times(&if one == name { by.clone() } else { Dim::name(one) });
            }
            result = result.plus(&term);
        }
        result
    }
    pub fn is_constant(&self) -> Option<i64> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Vec::new()).copied(),
            _ => None,
        }
    }
    /// The name that the size is.
    pub fn as_name(&self) -> Option<&str> {
        match self.0.iter().next() {
            Some((names, 1)) if self.0.len() == 1 && names.len() == 1 => Some(&names[0]),
            _ => None,
        }
    }
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().flatten().map(String::as_str)
    }
    /// The value under values of the names.
    pub fn value(&self, of: &dyn Fn(&str) -> Option<i64>) -> Option<i64> {
        let mut sum = 0;
        for (names, factor) in &self.0 {
            let mut term = *factor;
            for name in names {
                term *= of(name)?;
            }
            sum += term;
        }
        Some(sum)
    }
    /// Whether it is written as one token.
    pub fn is_token(&self) -> bool {
        self.as_name().is_some() || self.is_constant().is_some_and(|value| value >= 0)
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.0.is_empty() {
            return write!(f, "0");
        }
        // What is added comes first: `-1 + n` is `n - 1`.
        let mut terms: Vec<_> = self.0.iter().collect();
        terms.sort_by_key(|(names, factor)| (**factor < 0, names.is_empty()));
        for (at, (names, factor)) in terms.into_iter().enumerate() {
            let sign = match (at, *factor < 0) {
                (0, false) => "",
                (0, true) => "0 - ",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            let product = names.join(" * ");
            match (factor.abs(), names.is_empty()) {
                (size, true) => write!(f, "{sign}{size}")?,
                (1, false) => write!(f, "{sign}{product}")?,
                (size, false) => write!(f, "{sign}{size} * {product}")?,
            }
        }
        Ok(())
    }
}

/// What is in an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Base {
    Prim(Prim),
    Tuple(Vec<Ty>),
    Record(Vec<(String, Ty)>),
    /// `#some t | #none`.
    Option(Box<Ty>),
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ty {
    pub dims: Vec<Dim>,
    pub base: Base,
}

impl Ty {
    pub fn prim(prim: Prim) -> Ty {
        Ty { dims: Vec::new(), base: Base::Prim(prim) }
    }
    pub fn array(dims: &[Dim], prim: Prim) -> Ty {
        Ty { dims: dims.to_vec(), base: Base::Prim(prim) }
    }
    pub fn tuple(parts: Vec<Ty>) -> Ty {
        Ty { dims: Vec::new(), base: Base::Tuple(parts) }
    }
    pub fn rank(&self) -> usize {
        self.dims.len()
    }
    /// The element type of a scalar or an array of scalars.
    pub fn element(&self) -> Option<Prim> {
        match self.base {
            Base::Prim(prim) => Some(prim),
            _ => None,
        }
    }
    /// The scalar type that it is.
    pub fn scalar(&self) -> Option<Prim> {
        self.element().filter(|_| self.dims.is_empty())
    }
    /// The cells of the outermost dimension.
    pub fn cell(&self) -> Ty {
        Ty { dims: self.dims[1..].to_vec(), base: self.base.clone() }
    }
    /// An array of these.
    pub fn times(&self, dim: &Dim) -> Ty {
        Ty { dims: std::iter::once(dim.clone()).chain(self.dims.iter().cloned()).collect(), base: self.base.clone() }
    }
    /// The same with other dimensions.
    pub fn shaped(&self, dims: Vec<Dim>) -> Ty {
        Ty { dims, base: self.base.clone() }
    }
    /// All sizes in it.
    pub fn each_dim(&self, f: &mut dyn FnMut(&Dim)) {
        self.dims.iter().for_each(&mut *f);
        match &self.base {
            Base::Prim(_) => (),
            Base::Tuple(parts) => parts.iter().for_each(|part| part.each_dim(f)),
            Base::Record(fields) => fields.iter().for_each(|(_, part)| part.each_dim(f)),
            Base::Option(part) => part.each_dim(f),
        }
    }
    /// Whether a size is in it.
    pub fn mentions(&self, name: &str) -> bool {
        let mut found = false;
        self.each_dim(&mut |dim| found |= dim.names().any(|one| one == name));
        found
    }
    /// Whether there are arrays in it.
    pub fn has_arrays(&self) -> bool {
        let mut found = false;
        self.each_dim(&mut |_| found = true);
        found
    }
    /// The type with a size in place of a name.
    pub fn replaced(&self, name: &str, by: &Dim) -> Ty {
        let base = match &self.base {
            Base::Prim(prim) => Base::Prim(*prim),
            Base::Tuple(parts) => Base::Tuple(parts.iter().map(|part| part.replaced(name, by)).collect()),
            Base::Record(fields) => Base::Record(fields.iter().map(|(label, part)| (label.clone(), part.replaced(name, by))).collect()),
            Base::Option(part) => Base::Option(Box::new(part.replaced(name, by))),
        };
        Ty { dims: self.dims.iter().map(|dim| dim.replaced(name, by)).collect(), base }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.dims.iter().try_for_each(|dim| write!(f, "[{dim}]"))?;
        match &self.base {
            Base::Prim(prim) => write!(f, "{}", prim.name()),
            Base::Tuple(parts) => write!(f, "({})", parts.iter().map(Ty::to_string).collect::<Vec<_>>().join(", ")),
            Base::Record(fields) => {
                let fields: Vec<String> = fields.iter().map(|(label, part)| format!("{label}: {part}")).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
            Base::Option(part) if part.dims.is_empty() => write!(f, "(#none | #some {part})"),
            Base::Option(part) => write!(f, "(#none | #some ({part}))"),
        }
    }
}
