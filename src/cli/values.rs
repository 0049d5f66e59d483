//! Arguments and results of entry points: from words, files and standard input to values and back.

use super::files;
use crate::base::{Scalar, Symbol};
use crate::diag::Diagnostic;
use crate::eval::{self, EntryShape as Shape};
use crate::ir::core::{Atom, Define, Type};
use crate::runtime::Value;
use crate::runtime::data::{self, Expected, Stream};
use std::path::Path;
use std::sync::Arc;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// What an entry point takes.
#[derive(Debug, Clone)]
pub struct Signature {
    name: Symbol,
    params: Vec<Form>,
}

/// How a parameter is put together from the values that are read.
#[derive(Debug, Clone)]
enum Form {
    /// A scalar or an array of scalars.
    Leaf(Expected),
    /// A tuple or record.
    Tuple(Option<Arc<[Symbol]>>, Vec<Form>),
}

impl Form {
    /// Of a parameter that messages call `what`; `None` for what cannot be given from outside.
    fn new(shape: &Shape, what: &str) -> Option<Form> {
        match shape {
            Shape::Array(prim, rank) => Some(Form::Leaf(Expected::new(what, *prim, *rank))),
            Shape::Tuple(labels, parts) => {
                let name = |i: usize| labels.as_ref().and_then(|l| l.get(i)).map_or(i.to_string(), |label| label.to_string());
                let forms = parts.iter().enumerate().map(|(i, part)| Form::new(part, &format!("{what}.{}", name(i))));
                Some(Form::Tuple(labels.as_ref().map(|l| l.iter().copied().collect()), forms.collect::<Option<_>>()?))
            }
            Shape::Other => None,
        }
    }

    fn leaves<'a>(&'a self, out: &mut Vec<&'a Expected>) {
        match self {
            Form::Leaf(expected) => out.push(expected),
            Form::Tuple(_, parts) => parts.iter().for_each(|part| part.leaves(out)),
        }
    }

    fn assemble(&self, values: &mut impl Iterator<Item = Value>) -> Option<Value> {
        match self {
            Form::Leaf(_) => values.next(),
            Form::Tuple(labels, parts) => {
                let parts = parts.iter().map(|part| part.assemble(values)).collect::<Option<_>>()?;
                Some(Value::tuples(Vec::new(), labels.clone(), parts))
            }
        }
    }
}

impl Signature {
    /// Of an entry point; parameters are named by `names` where they have names.
    pub fn new(define: &Define, names: &[Option<Symbol>]) -> Result<Signature> {
        let mut ty = &define.ty;
        loop {
            match ty.atom() {
                Atom::Pi(_, inner) if ty.shape().is_scalar() => ty = inner,
                Atom::Forall(params, _) => {
                    let params = params.iter().map(|p| format!("'{p}")).collect::<Vec<_>>().join(", ");
                    let message = format!("`{}` cannot be run: its type has the parameters {params}", define.name);
                    return Err(Box::new(Diagnostic::error("E0613", define.span, message).help("give its parameters concrete types")));
                }
                _ => break,
            }
        }
        let (params, result) = match ty.atom() {
            Atom::Fun(params, result) if ty.shape().is_scalar() => (params.as_slice(), result),
            _ => (&[][..], ty),
        };
        if has_sums(result) {
            let message = format!("`{}` cannot be run from outside: its result has a sum type", define.name);
            let error = Diagnostic::error("E0613", define.span, message);
            return Err(Box::new(error.help("the formats of data have no sums: return what a `match` makes of it")));
        }
        let read = params.iter().enumerate().map(|(i, param)| {
            let what = match names.get(i).copied().flatten() {
                Some(name) => format!("argument `{name}`"),
                None => format!("argument {}", i + 1),
            };
            Form::new(&eval::shape_of(&param.ty), &what).ok_or_else(|| {
                let message =
                    format!("`{}` cannot be run from outside: {what} is no scalar, array of scalars or tuple of these", define.name);
                Box::new(Diagnostic::error("E0613", define.span, message))
            })
        });
        Ok(Signature { name: define.name, params: read.collect::<Result<_>>()? })
    }

    /// The name of the entry point in core.
    pub fn name(&self) -> Symbol {
        self.name
    }

    /// What is read from outside, in order.
    fn leaves(&self) -> Vec<&Expected> {
        let mut out = Vec::new();
        self.params.iter().for_each(|form| form.leaves(&mut out));
        out
    }

    /// Whether nothing is read.
    pub fn is_empty(&self) -> bool {
        self.leaves().is_empty()
    }

    /// The types that are read, in words.
    fn shown(&self) -> String {
        let words: Vec<String> = self.leaves().iter().map(|e| format!("{}: {}", e.what, e.shown())).collect();
        if words.is_empty() { "it takes none".into() } else { words.join(", ") }
    }

    /// The values of words on the command line.
    pub fn arguments(&self, words: &[String]) -> Result<Vec<Value>> {
        let leaves = self.leaves();
        if leaves.len() != words.len() {
            let plural = if leaves.len() == 1 { "" } else { "s" };
            let message = format!("`{}` takes {} argument{plural}, {} given", self.name, leaves.len(), words.len());
            return Err(Box::new(Diagnostic::bare("E0612", message).note(self.shown())));
        }
        let values = leaves.iter().zip(words).map(|(expected, word)| argument(word, expected)).collect::<Result<Vec<_>>>()?;
        Ok(self.assemble(values))
    }

    /// The values in a text or file; `source` names it.
    pub fn stream(&self, source: &str, bytes: &[u8]) -> Result<Vec<Value>> {
        let mut stream = Stream::new(source, bytes);
        let leaves = self.leaves();
        let mut values = Vec::new();
        for expected in &leaves {
            if stream.at_end() {
                let message = format!("`{}` takes {} values, {source} has {}", self.name, leaves.len(), values.len());
                return Err(Box::new(Diagnostic::bare("E0612", message).note(self.shown())));
            }
            values.push(stream.next(expected)?);
        }
        stream.finish(leaves.len())?;
        Ok(self.assemble(values))
    }

    fn assemble(&self, values: Vec<Value>) -> Vec<Value> {
        let mut values = values.into_iter();
        self.params.iter().filter_map(|form| form.assemble(&mut values)).collect()
    }
}

/// Whether there are values of sum types in data of a type.
fn has_sums(ty: &Type) -> bool {
    match ty.atom() {
        Atom::Sum(_) => true,
        Atom::Tuple(parts) => parts.iter().any(has_sums),
        Atom::Record(fields) => fields.iter().any(|(_, part)| has_sums(part)),
        Atom::Sigma(_, content) => has_sums(content),
        Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => false,
    }
}

/// The value of a word: the name of a file, or a literal.
fn argument(word: &str, expected: &Expected) -> Result<Value> {
    let path = Path::new(word);
    let data_file = path.extension().is_some_and(|e| ["npy", "png"].iter().any(|known| e.eq_ignore_ascii_case(known)));
    let literal = word.trim_start().starts_with(|c: char| c == '[' || c == '-' || c.is_ascii_digit())
        || ["true", "false"].contains(&word)
        || ["f16.", "f32.", "f64.", "empty("].iter().any(|start| word.starts_with(start));
    if data_file || (path.exists() && !literal) || (!literal && word.contains(['/', '.'])) {
        return data::read(&format!("`{word}`"), &files::read(path)?, expected);
    }
    let source = "the command line".to_string();
    data::read(&source, word.as_bytes(), expected).map_err(|mut diagnostic| {
        if !literal {
            diagnostic.help.push(format!("there is no file `{}` either", word.escape_debug()));
        }
        diagnostic
    })
}

/// The results of an entry point as text, one per line.
pub fn show(value: &Value) -> String {
    let mut text = data::text::write(value);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// The result of core written by hand, in the notation of core.
pub fn show_core(value: &Value) -> String {
    data::notation::write(value) + "\n"
}

/// Writes results to `path` in the format that its name asks for; several as NAME.0.npy, NAME.1.npy, ..
pub fn save(path: &Path, value: &Value) -> Result<()> {
    let results = data::results(value);
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    for (i, result) in results.iter().enumerate() {
        let target = if results.len() == 1 { path.to_path_buf() } else { path.with_extension(format!("{i}.{extension}")) };
        let refuse = |why: String| Box::new(Diagnostic::bare("E0603", format!("`{}` cannot be written: {why}", files::shown(&target))));
        let bytes = match extension.as_str() {
            "npy" => data::npy::write(result).ok_or_else(|| refuse("a .npy file holds scalars and arrays of scalars only".into()))?,
            "png" => data::image::write(result).map_err(refuse)?,
            _ => {
                let mut diagnostic = refuse("the name must end in .npy or .png".into());
                diagnostic.help.push("without -o, results go to standard output, as text or with --binary".into());
                return Err(diagnostic);
            }
        };
        files::write(&target, &bytes)?;
    }
    Ok(())
}

/// A random value of a type such as `[10][3]f32`, as text; the same for the same seed.
pub fn random(ty: &str, seed: u64) -> Option<String> {
    let split = ty.rfind(']').map_or(0, |end| end + 1);
    let prim = crate::base::PrimType::from_name(&ty[split..])?;
    let inner = ty[..split].strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let dims: Vec<usize> = match inner {
        None if split == 0 => Vec::new(),
        None => return None,
        Some(inner) => inner.split("][").map(|d| d.trim().parse().ok()).collect::<Option<_>>()?,
    };
    let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d)).filter(|n| *n <= 1 << 28)?;
    let mut state = seed;
    let mut words = (0..count).map(|_| random_scalar(prim, &mut state).to_string());
    let text = nested(&dims, &mut words);
    Some(if count == 0 { format!("empty({ty})") } else { text })
}

fn nested(dims: &[usize], words: &mut impl Iterator<Item = String>) -> String {
    match dims.split_first() {
        None => words.next().unwrap_or_default(),
        Some((n, inner)) => {
            let cells: Vec<String> = (0..*n).map(|_| nested(inner, words)).collect();
            format!("[{}]", cells.join(", "))
        }
    }
}

/// Floats lie in 0..1, integers are any. The generator is SplitMix64.
fn random_scalar(prim: crate::base::PrimType, state: &mut u64) -> Scalar {
    use crate::base::PrimType;
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^= z >> 31;
    let unit = (z >> 11) as f64 / (1u64 << 53) as f64;
    match prim {
        PrimType::F16 => Scalar::F16(half::f16::from_f64(unit)),
        PrimType::F32 => Scalar::F32(unit as f32),
        PrimType::F64 => Scalar::F64(unit),
        PrimType::Bool => Scalar::Bool(z & 1 == 1),
        _ => Scalar::from_i128(prim, z.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_have_their_types() {
        for (ty, rank) in [("i32", 0), ("[3]f32", 1), ("[2][2]bool", 2), ("[0]i64", 1), ("[2][0]u8", 2)] {
            let prim = crate::base::PrimType::from_name(&ty[ty.rfind(']').map_or(0, |e| e + 1)..]).expect("a scalar type");
            let text = random(ty, 1).expect(ty);
            data::read("text", text.as_bytes(), &Expected::new("x", prim, rank)).expect(&text);
        }
        assert_eq!(random("[x]i32", 1), None);
        assert_eq!(random("[3]int", 1), None);
        assert_eq!(random("[99999999999]i32", 1), None);
    }
}
