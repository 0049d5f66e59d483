//! Properties: entry points of type `t -> bool` that hold for all values (`property:` in blocks, futhark-test(1)).
//!
//! Values are made up from the type, or by the function in `#[prop(gen(f))]` from a size and a seed. Sizes grow from 0 to that in
//! `size(n)`. When a value is found for which the property does not hold, smaller ones are looked for: with the function in `shrink(f)`
//! from the value and a number, otherwise among values of smaller sizes, and with integers nearer to 0.

use super::super::program::Loaded;
use super::super::run::find_entry;
use super::super::values::{self, Signature};
use super::random::Generator;
use super::report::Verdict;
use super::subject::rendered;
use crate::base::scalar::{convert, highest, lowest};
use crate::base::{PrimType, Scalar, Span};
use crate::diag::Diagnostic;
use crate::ir::core::{Atom, Define, Dim, ShapeItem, Type};
use crate::ir::tables::DefKind;
use crate::runtime::{Array, Buffer, Cells, Sum, Value};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Calls a definition of the program.
pub type Call<'a> = &'a dyn Fn(&str, Vec<Value>) -> Result<Value, Box<Diagnostic>>;

/// How many values are tried.
const TRIES: u64 = 100;
/// How many smaller values are tried in a row without finding one.
const SHRINKS: i32 = 50;
/// How many values with integers nearer to 0 are tried.
const NEARER: usize = 400;
/// Size of the largest values unless something else is said.
const SIZE: i64 = 50;

/// What `#[prop(..)]` says.
#[derive(Debug, Default, PartialEq)]
struct Options {
    generate: Option<String>,
    shrink: Option<String>,
    size: Option<i64>,
}

/// Reads `prop(gen(f), shrink(g), size(10))`; what is wrong with it.
fn options(attribute: &str) -> Result<Options, String> {
    let mut out = Options::default();
    let Some(inner) = attribute.strip_prefix("prop").map(str::trim) else { return Ok(out) };
    let inner = inner.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(inner);
    for part in inner.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let (name, argument) =
            part.split_once('(').and_then(|(name, rest)| Some((name.trim(), rest.trim().strip_suffix(')')?.trim()))).unwrap_or((part, ""));
        match name {
            "gen" if !argument.is_empty() => out.generate = Some(argument.to_string()),
            "shrink" if !argument.is_empty() => out.shrink = Some(argument.to_string()),
            "size" if argument.parse::<i64>().is_ok_and(|size| size >= 0) => out.size = argument.parse().ok(),
            _ => return Err(format!("`#[{attribute}]`: `{part}` is none of gen(f), shrink(f) and size(n)")),
        }
    }
    Ok(out)
}

fn options_of(loaded: &Loaded, define: &Define) -> Result<Options, String> {
    let program = &loaded.checked.program;
    let found = program.defs.iter().find(|(_, def)| def.unique == define.name).map(|(_, def)| &def.decl);
    let Some(DefKind::Def(decl)) = found else { return Ok(Options::default()) };
    match decl.attrs.iter().map(|attr| attr.name.as_str()).find(|text| *text == "prop" || text.starts_with("prop(")) {
        Some(text) => options(text),
        None => Ok(Options::default()),
    }
}

/// The definitions that checking a property runs.
pub fn functions(loaded: &Loaded, name: &str) -> Vec<String> {
    let options = find_entry(loaded, name).ok().and_then(|define| options_of(loaded, define).ok()).unwrap_or_default();
    [Some(name.to_string()), options.generate, options.shrink].into_iter().flatten().collect()
}

/// Tries a property.
pub fn check(loaded: &Loaded, name: &str, span: Span, call: Call) -> Verdict {
    let wrong = |text: String| Verdict::Failed(Some(span), text);
    let says = |diagnostic: Box<Diagnostic>| rendered(loaded, &[*diagnostic]);
    let define = match find_entry(loaded, name) {
        Ok(define) => define,
        Err(diagnostic) => return wrong(says(diagnostic)),
    };
    let options = match options_of(loaded, define) {
        Ok(options) => options,
        Err(text) => return wrong(text),
    };
    if let Err(diagnostic) = Signature::of(&loaded.checked, define) {
        return wrong(says(diagnostic));
    }
    let search = Search { loaded, name, options, call, parameters: parameters(&define.ty) };
    match search.run() {
        Ok(None) => Verdict::Passed,
        Ok(Some(found)) => {
            let shown: String = found.values.iter().map(values::show).collect();
            let why = found.why.map_or("does not hold".to_string(), |diagnostic| format!("fails:\n{}", says(diagnostic)));
            wrong(format!("`{name}` {why} for\n{shown}"))
        }
        Err(Trouble::Call(diagnostic)) => wrong(says(diagnostic)),
        Err(Trouble::Says(text)) => wrong(text),
    }
}

fn parameters(ty: &Type) -> Vec<Type> {
    match ty.atom() {
        Atom::Pi(_, inner) if ty.shape().is_scalar() => parameters(inner),
        Atom::Fun(params, _) if ty.shape().is_scalar() => params.iter().map(|param| param.ty.clone()).collect(),
        _ => Vec::new(),
    }
}

/// Values for which a property does not hold.
struct Found {
    values: Vec<Value>,
    /// What it fails with, if it does not return `false`.
    why: Option<Box<Diagnostic>>,
}

/// Why there is no answer.
enum Trouble {
    Call(Box<Diagnostic>),
    Says(String),
}

struct Search<'a> {
    loaded: &'a Loaded,
    name: &'a str,
    options: Options,
    call: Call<'a>,
    parameters: Vec<Type>,
}

impl Search<'_> {
    /// The smallest values that were found for which the property does not hold.
    fn run(&self) -> Result<Option<Found>, Trouble> {
        let largest = self.options.size.unwrap_or(SIZE);
        for seed in 0..TRIES {
            let size = largest.saturating_mul(seed as i64 + 1) / TRIES as i64;
            let values = self.make(size, seed)?;
            if let Some(found) = self.attempt(values)? {
                return if self.options.shrink.is_some() {
                    self.shrink(found).map(Some)
                } else {
                    self.nearer(self.smaller(found, size)?).map(Some)
                };
            }
        }
        Ok(None)
    }

    /// Runs the property.
    fn attempt(&self, values: Vec<Value>) -> Result<Option<Found>, Trouble> {
        match (self.call)(self.name, values.clone()) {
            Ok(Value::Scalar(Scalar::Bool(true))) => Ok(None),
            Ok(Value::Scalar(Scalar::Bool(false))) => Ok(Some(Found { values, why: None })),
            Ok(_) => Err(Trouble::Says(format!("`{}` is no property: it does not return a truth value", self.name))),
            // What the machine lacks says nothing about the property.
            Err(why) if why.code.is_failure() => Ok(Some(Found { values, why: Some(why) })),
            Err(why) => Err(Trouble::Call(why)),
        }
    }

    fn make(&self, size: i64, seed: u64) -> Result<Vec<Value>, Trouble> {
        if let Some(generate) = &self.options.generate {
            let seed = (seed as i64).wrapping_mul(0x9E37_79B9).wrapping_add(1);
            let numbers = vec![self.number(generate, 0, Scalar::I64(size)), self.number(generate, 1, Scalar::I64(seed))];
            let made = (self.call)(generate, numbers).map_err(Trouble::Call)?;
            return Ok(vec![made]);
        }
        let mut maker = Maker { random: Generator::new(seed), size, sizes: FxHashMap::default() };
        self.parameters.iter().map(|ty| maker.value(ty)).collect::<Result<_, String>>().map_err(Trouble::Says)
    }

    /// A number for a function of the program, of the integer type that its parameter at this place has.
    fn number(&self, function: &str, at: usize, number: Scalar) -> Value {
        let types = find_entry(self.loaded, function).map(|define| parameters(&define.ty)).unwrap_or_default();
        let wanted = types.get(at).and_then(|ty| match ty.atom() {
            Atom::Prim(prim) if ty.shape().is_scalar() && prim.is_int() => Some(*prim),
            _ => None,
        });
        Value::Scalar(wanted.map_or(number, |prim| convert(prim, number)))
    }

    /// By the program's own function, as long as that finds something.
    fn shrink(&self, mut found: Found) -> Result<Found, Trouble> {
        let Some(shrink) = &self.options.shrink else { return Ok(found) };
        let (mut without, mut round) = (0, 0);
        while without < SHRINKS && round < 100 * SHRINKS {
            let mut arguments = found.values.clone();
            arguments.push(self.number(shrink, arguments.len(), Scalar::I32(round)));
            let smaller = (self.call)(shrink, arguments).map_err(Trouble::Call)?;
            let same = found.values.first() == Some(&smaller);
            match self.attempt(vec![smaller])? {
                Some(next) if !same => (found, without) = (next, 0),
                _ => without += 1,
            }
            round += 1;
        }
        Ok(found)
    }

    /// With each integer as near to 0 as it may be: halves of it are tried.
    fn nearer(&self, mut found: Found) -> Result<Found, Trouble> {
        // What the program makes may be of a form that other numbers break.
        if self.options.generate.is_some() {
            return Ok(found);
        }
        let mut tries = 0;
        for at in 0.. {
            let Some(Some(far)) = integers(&found.values).get(at).copied().map(Scalar::as_i128) else { break };
            // It holds for `near`, and does not for `far`.
            let (mut near, mut far, mut next) = (0, far, 0);
            while near != far && tries < NEARER {
                tries += 1;
                match self.attempt(with_integer(&found.values, at, next))? {
                    Some(smaller) => (found, far) = (smaller, next),
                    None => near = next,
                }
                next = near + (far - near) / 2;
                if next == near {
                    break;
                }
            }
        }
        Ok(found)
    }

    /// Among values of smaller sizes.
    fn smaller(&self, found: Found, size: i64) -> Result<Found, Trouble> {
        for size in 0..size {
            for seed in 0..8 {
                let values = self.make(size, seed)?;
                if let Some(next) = self.attempt(values)? {
                    return Ok(next);
                }
            }
        }
        Ok(found)
    }
}

/// The integers that values consist of, those in sums not counted.
fn integers(values: &[Value]) -> Vec<Scalar> {
    let of = |value: &Value| match value {
        Value::Scalar(scalar) if scalar.prim().is_int() => vec![*scalar],
        Value::Array(array) if array.prim().is_int() => (0..array.count()).filter_map(|i| array.at(i)).collect(),
        Value::Tuple(tuple) => integers(&tuple.parts),
        Value::Scalar(_) | Value::Array(_) | Value::Box(_) | Value::Cells(_) | Value::Sum(_) | Value::Opaque(_) => Vec::new(),
    };
    values.iter().flat_map(of).collect()
}

/// The values with another integer at this place among their integers.
fn with_integer(values: &[Value], mut at: usize, number: i128) -> Vec<Value> {
    let mut out = values.to_vec();
    for value in &mut out {
        let count = integers(std::slice::from_ref(value)).len();
        if at < count {
            *value = replaced(value, at, number);
            break;
        }
        at -= count;
    }
    out
}

fn replaced(value: &Value, at: usize, number: i128) -> Value {
    match value {
        Value::Scalar(scalar) => Value::Scalar(Scalar::from_i128(scalar.prim(), number)),
        Value::Array(array) => {
            let Ok(mut items) = Buffer::with_capacity(array.prim(), array.count()) else { return value.clone() };
            for (i, item) in (0..array.count()).filter_map(|i| Some((i, array.at(i)?))) {
                items.push(if i == at { Scalar::from_i128(array.prim(), number) } else { item });
            }
            Array::new(array.dims(), items).map_or(value.clone(), Value::Array)
        }
        Value::Tuple(tuple) => Value::tuples(tuple.frame.to_vec(), tuple.labels.clone(), with_integer(&tuple.parts, at, number)),
        Value::Box(_) | Value::Cells(_) | Value::Sum(_) | Value::Opaque(_) => value.clone(),
    }
}

/// Makes up values of types.
struct Maker {
    random: Generator,
    size: i64,
    /// Sizes that types mention.
    sizes: FxHashMap<Dim, usize>,
}

impl Maker {
    fn value(&mut self, ty: &Type) -> Result<Value, String> {
        let shown = crate::ir::core::print::type_brief(ty);
        let none = || format!("no value of the type `{shown}` can be made up: give a function that does, `#[prop(gen(f))]`");
        let mut dims = Vec::new();
        for item in &ty.shape().items {
            let ShapeItem::Dim(dim) = item else { return Err(none()) };
            dims.push(self.extent(dim).ok_or_else(none)?);
        }
        match ty.atom() {
            Atom::Prim(prim) if dims.is_empty() => Ok(Value::Scalar(self.scalar(*prim))),
            Atom::Prim(prim) => {
                let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).ok_or_else(none)?;
                let mut items = Buffer::with_capacity(*prim, count).map_err(|_| none())?;
                for _ in 0..count {
                    items.push(self.scalar(*prim));
                }
                Array::new(&dims, items).map(Value::Array).ok_or_else(none)
            }
            Atom::Tuple(parts) if dims.is_empty() => {
                let parts = parts.iter().map(|part| self.value(part)).collect::<Result<_, _>>()?;
                Ok(Value::tuples(Vec::new(), None, parts))
            }
            Atom::Record(fields) if dims.is_empty() => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                let parts = fields.iter().map(|(_, part)| self.value(part)).collect::<Result<_, _>>()?;
                Ok(Value::tuples(Vec::new(), Some(labels), parts))
            }
            Atom::Sum(payloads) => {
                let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).ok_or_else(none)?;
                let mut items = Vec::with_capacity(count.min(1 << 16));
                for _ in 0..count {
                    let (label, payload) = &payloads[(self.random.next() % payloads.len() as u64) as usize];
                    items.push(Value::Sum(Arc::new(Sum { label: *label, payload: self.value(payload)? })));
                }
                match items.pop() {
                    Some(item) if dims.is_empty() => Ok(item),
                    last => Cells::new(&dims, items.into_iter().chain(last).collect()).map(Value::Cells).ok_or_else(none),
                }
            }
            _ => Err(none()),
        }
    }

    /// A size: a constant, or one for each name.
    fn extent(&mut self, dim: &Dim) -> Option<usize> {
        if let Some(constant) = dim.as_constant() {
            return usize::try_from(constant).ok();
        }
        dim.as_atom()?;
        if let Some(known) = self.sizes.get(dim) {
            return Some(*known);
        }
        let size = self.random.next() % (self.size.max(0) as u64 + 1);
        let size = usize::try_from(size).ok()?;
        self.sizes.insert(dim.clone(), size);
        Some(size)
    }

    /// Mostly numbers of about the size, sometimes extreme ones.
    fn scalar(&mut self, prim: PrimType) -> Scalar {
        let bits = self.random.next();
        let range = self.size.max(1);
        match (prim, bits % 16) {
            (PrimType::Bool, _) => Scalar::Bool(bits & 32 == 0),
            (prim, 0) if prim.is_int() => highest(prim),
            (prim, 1) if prim.is_int() => lowest(prim),
            (prim, _) if prim.is_float() => {
                let unit = (self.random.next() >> 11) as f64 / (1u64 << 53) as f64;
                Scalar::from_f64(prim, (2.0 * unit - 1.0) * range as f64)
            }
            (prim, _) if prim.is_complex() => {
                let part = prim.part().unwrap_or(prim);
                let (re, im) = (self.scalar(part), self.scalar(part));
                Scalar::complex(re, im).unwrap_or_else(|| Scalar::from_i128(prim, 0))
            }
            (prim, _) => {
                let low = if prim.is_signed() { -range } else { 0 };
                let span = (range - low) as u64 + 1;
                Scalar::from_i128(prim, i128::from(low) + i128::from(self.random.next() % span))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        assert_eq!(options("prop"), Ok(Options::default()));
        let all = Options { generate: Some("g".into()), shrink: Some("s".into()), size: Some(7) };
        assert_eq!(options("prop(gen(g), shrink( s ),size(7))"), Ok(all));
        assert!(options("prop(size(x))").is_err() && options("prop(make(x))").is_err());
    }
}
