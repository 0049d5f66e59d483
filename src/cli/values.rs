//! Arguments and results of entry points: from words, files and standard input to values and back.

use super::files;
use crate::base::Code;
use crate::base::{Span, Symbol};
use crate::diag::Diagnostic;
use crate::driver::{self, Checked};
use crate::interp;
use crate::interp::entry::Shape;
use crate::ir::core::{Atom, Define, Type, slots};
use crate::runtime::Value;
use crate::runtime::data::csv::{self, Table};
use crate::runtime::data::{self, Expected, Stream};
use std::path::Path;
use std::sync::Arc;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// What an entry point takes.
#[derive(Debug, Clone)]
pub struct Signature {
    name: Symbol,
    params: Vec<Form>,
    types: Vec<Type>,
}

/// How a parameter is put together from the values that are read.
#[derive(Debug, Clone)]
pub enum Form {
    /// A scalar or an array of scalars.
    Leaf(Expected),
    /// A value of a sum type, or an array of them.
    Sum(Structured),
    /// A tuple or record.
    Tuple(Option<Arc<[Symbol]>>, Vec<Form>),
}

/// A value of a sum type, or an array of them, that is read.
#[derive(Debug, Clone)]
pub struct Structured {
    /// Named in messages.
    pub what: String,
    /// What it looks like.
    pub shape: Shape,
}

/// A value that is read from outside as one.
#[derive(Debug, Clone, Copy)]
enum Wanted<'a> {
    Plain(&'a Expected),
    Sum(&'a Structured),
}

impl Wanted<'_> {
    fn shown(self) -> String {
        match self {
            Wanted::Plain(expected) => format!("{}: {}", expected.what, expected.shown()),
            Wanted::Sum(sum) => format!("{}: {}", sum.what, sum.shape.shown()),
        }
    }
    fn next(self, stream: &mut Stream) -> Result<Value> {
        match self {
            Wanted::Plain(expected) => stream.next(expected),
            Wanted::Sum(sum) => stream.next_sum(&sum.what, &sum.shape),
        }
    }
    /// Whether a word is a literal rather than the name of a file.
    fn is_literal(self, word: &str) -> bool {
        let word = word.trim_start();
        match self {
            Wanted::Sum(_) => word.starts_with(['#', '[', '(']) || word.starts_with("empty"),
            Wanted::Plain(_) => {
                word.starts_with(|c: char| c == '[' || c == '-' || c.is_ascii_digit())
                    || ["true", "false"].contains(&word)
                    || ["f16.", "f32.", "f64.", "empty("].iter().any(|start| word.starts_with(start))
            }
        }
    }
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
            Shape::Sum(..) | Shape::Rows(..) => Some(Form::Sum(Structured { what: what.to_string(), shape: shape.clone() })),
            Shape::Other => None,
        }
    }

    fn leaves<'a>(&'a self, out: &mut Vec<Wanted<'a>>) {
        match self {
            Form::Leaf(expected) => out.push(Wanted::Plain(expected)),
            Form::Sum(sum) => out.push(Wanted::Sum(sum)),
            Form::Tuple(_, parts) => parts.iter().for_each(|part| part.leaves(out)),
        }
    }

    /// Names and types of the parts of a tuple or record of vectors.
    fn columns<'a>(&'a self) -> Option<Vec<(Option<&'a str>, &'a Expected)>> {
        let Form::Tuple(labels, parts) = self else { return None };
        let label = |k: usize| labels.as_ref().and_then(|labels| labels.get(k)).map(|label| label.as_str());
        let vector = |part: &'a Form| match part {
            Form::Leaf(expected) if expected.rank == 1 => Some(expected),
            Form::Leaf(_) | Form::Sum(_) | Form::Tuple(..) => None,
        };
        parts.iter().enumerate().map(|(k, part)| Some((label(k), vector(part)?))).collect()
    }

    fn assemble(&self, values: &mut impl Iterator<Item = Value>) -> Option<Value> {
        match self {
            Form::Leaf(_) | Form::Sum(_) => values.next(),
            Form::Tuple(labels, parts) => {
                let parts = parts.iter().map(|part| part.assemble(values)).collect::<Option<_>>()?;
                Some(Value::tuples(Vec::new(), labels.clone(), parts))
            }
        }
    }
}

/// A word of the command line.
enum Given<'a> {
    /// One value.
    Word(&'a str, Wanted<'a>),
    /// A table with these columns.
    Table { path: &'a str, delimiter: u8, columns: Vec<(Option<&'a str>, &'a Expected)> },
}

impl Given<'_> {
    fn values(&self) -> Result<Vec<Value>> {
        match self {
            Given::Word(word, wanted) => Ok(vec![argument(word, *wanted)?]),
            Given::Table { path, delimiter, columns } => {
                let (source, bytes) = (format!("`{path}`"), files::read_data(Path::new(path))?);
                let what = columns.first().map_or("the table", |(_, expected)| expected.what.as_str());
                Table::new(&source, &bytes, *delimiter, what)?.record(columns)
            }
        }
    }
}

/// The file, the delimiter and the column of a word that names a table: `prices.csv`, `prices.csv:close`.
fn table_of(word: &str) -> Option<(&str, u8, Option<&str>)> {
    if let Some(delimiter) = csv::delimiter(word) {
        return Some((word, delimiter, None));
    }
    // The names of columns may have colons.
    let named = |at: usize| Some((&word[..at], csv::delimiter(&word[..at])?, Some(&word[at + 1..])));
    word.match_indices(':').find_map(|(at, _)| named(at))
}

impl Signature {
    /// Of an entry point. Messages call it and its parameters as the program does, where they have names there.
    ///
    /// # Errors
    /// E0613.
    pub fn of(checked: &Checked, define: &Define) -> Result<Signature> {
        let (called, names) = (checked.source_name(define.name), checked.parameter_names(define.name));
        if interp::entry::has_too_many_parts(&define.ty) {
            return Err(Box::new(driver::too_many_parts(called, define.span)));
        }
        let mut ty = &define.ty;
        loop {
            match ty.atom() {
                Atom::Pi(_, inner) if ty.shape().is_scalar() => ty = inner,
                Atom::Forall(params, _) => {
                    let params = params.iter().map(|p| format!("'{p}")).collect::<Vec<_>>().join(", ");
                    let message = format!("`{called}` cannot be run: its type has the parameters {params}");
                    return Err(Box::new(
                        Diagnostic::error(Code::NotRunnable, define.span, message).help("give its parameters concrete types"),
                    ));
                }
                _ => break,
            }
        }
        let (params, result) = match ty.atom() {
            Atom::Fun(params, result) if ty.shape().is_scalar() => (params.as_slice(), result),
            _ => (&[][..], ty),
        };
        if hides_in_sums(result) {
            let message = format!("`{called}` cannot be run from outside: its result has functions or hidden sizes in a sum");
            let error = Diagnostic::error(Code::NotRunnable, define.span, message);
            return Err(Box::new(error.help("return what a `match` makes of it")));
        }
        let read = params.iter().enumerate().map(|(i, param)| {
            let what = match names.get(i).copied().flatten() {
                Some(name) => format!("argument `{name}`"),
                None => format!("argument {}", i + 1),
            };
            let form = Form::new(&interp::entry::shape_of(&param.ty), &what).filter(|_| interp::components::rows::is_read(&param.ty));
            form.ok_or_else(|| {
                let (kind, help) = not_readable(&param.ty);
                let message = format!("`{called}` cannot be run from outside: {what} is {kind}");
                Box::new(Diagnostic::error(Code::NotRunnable, define.span, message).help(help))
            })
        });
        let types = params.iter().map(|param| param.ty.clone()).collect();
        Ok(Signature { name: called, params: read.collect::<Result<_>>()?, types })
    }

    /// The name of the entry point in the program.
    pub fn name(&self) -> Symbol {
        self.name
    }

    /// What is read from outside, in order.
    fn leaves(&self) -> Vec<Wanted<'_>> {
        let mut out = Vec::new();
        self.params.iter().for_each(|form| form.leaves(&mut out));
        out
    }

    /// What each parameter is put together from.
    pub fn forms(&self) -> &[Form] {
        &self.params
    }

    /// Whether nothing is read.
    pub fn is_empty(&self) -> bool {
        self.leaves().is_empty()
    }

    /// The types that are read, in words.
    fn shown(&self) -> String {
        let words: Vec<String> = self.leaves().into_iter().map(Wanted::shown).collect();
        if words.is_empty() { "it takes none".into() } else { words.join(", ") }
    }

    /// The values of words on the command line.
    pub fn arguments(&self, words: &[String]) -> Result<Vec<Value>> {
        let leaves = self.leaves();
        if let Some(words) = self.with_tables(words, leaves.len()) {
            let parts = words.iter().map(|given| given.values()).collect::<Result<Vec<_>>>()?;
            return Ok(self.assemble(parts.concat()));
        }
        if leaves.len() != words.len() {
            let plural = if leaves.len() == 1 { "" } else { "s" };
            let message = format!("`{}` takes {} argument{plural}, {} given", self.name, leaves.len(), words.len());
            return Err(Box::new(Diagnostic::bare(Code::ArgumentCount, message).note(self.shown())));
        }
        let values = leaves.iter().zip(words).map(|(wanted, word)| argument(word, *wanted)).collect::<Result<Vec<_>>>()?;
        Ok(self.assemble(values))
    }

    /// What each word is read for, if some of them are tables for whole tuples or records of vectors.
    fn with_tables<'a>(&'a self, words: &'a [String], leaves: usize) -> Option<Vec<Given<'a>>> {
        // A record of one vector takes its column by name; where every vector has a word of its own it is that.
        let single = self.params.iter().any(|form| form.columns().is_some_and(|columns| columns.len() == 1));
        if words.len() > leaves || words.len() == leaves && !single {
            return None;
        }
        let own = words.len() == leaves;
        let mut words = words.iter();
        let mut given = Vec::new();
        for form in &self.params {
            let table = words.as_slice().first().and_then(|word| table_of(word)).filter(|(_, _, column)| column.is_none());
            match (form.columns().filter(|columns| !own || columns.len() == 1), table) {
                (Some(columns), Some((path, delimiter, _))) => {
                    words.next();
                    given.push(Given::Table { path, delimiter, columns });
                }
                _ => {
                    let mut leaves = Vec::new();
                    form.leaves(&mut leaves);
                    for wanted in leaves {
                        given.push(Given::Word(words.next()?, wanted));
                    }
                }
            }
        }
        words.next().is_none().then_some(given)
    }

    /// The values in a text or file; `source` names it.
    pub fn stream(&self, source: &str, bytes: &[u8]) -> Result<Vec<Value>> {
        let mut stream = Stream::new(source, bytes);
        let leaves = self.leaves();
        let mut values = Vec::new();
        for wanted in &leaves {
            if stream.at_end() {
                let plural = if leaves.len() == 1 { "" } else { "s" };
                let message = format!("`{}` takes {} value{plural}, {source} has {}", self.name, leaves.len(), values.len());
                return Err(Box::new(Diagnostic::bare(Code::ArgumentCount, message).note(self.shown())));
            }
            values.push(wanted.next(&mut stream)?);
        }
        stream.finish(leaves.len())?;
        Ok(self.assemble(values))
    }

    fn assemble(&self, values: Vec<Value>) -> Vec<Value> {
        let mut values = values.into_iter();
        let whole = self.params.iter().map(|form| {
            let value = form.assemble(&mut values);
            value.unwrap_or_else(|| crate::ice!(Span::default(), "fewer values were read than the parameters consist of"))
        });
        let sized = |(value, ty): (Value, &Type)| match interp::components::rows::with_sizes(ty, &value) {
            Ok(sized) => sized,
            Err(failure) => crate::ice!(Span::default(), "a value that was read is not of its type: {}", failure.message),
        };
        whole.zip(&self.types).map(sized).collect()
    }
}

/// Refuses an entry point that C cannot call.
///
/// # Errors
/// E0613.
pub fn callable_from_c(checked: &Checked, define: &Define) -> Result<()> {
    callable(checked, define, "C")
}

/// Refuses an entry point that another language cannot call: one that takes more than data of known rank, or returns more than that in
/// boxes. Arrays of tuples are arrays side by side.
///
/// # Errors
/// E0613.
pub fn callable(checked: &Checked, define: &Define, language: &str) -> Result<()> {
    let mut ty = &define.ty;
    while let Atom::Pi(_, inner) = ty.atom() {
        ty = inner;
    }
    if interp::entry::has_too_many_parts(ty) {
        return Err(Box::new(driver::too_many_parts(checked.source_name(define.name), define.span)));
    }
    let (params, result) = ty.interface();
    let refused = |what: &str| {
        let message = format!("`{}` cannot be called from {language}: {what}", checked.source_name(define.name));
        let help = "take and return data whose types and ranks are known: scalars, arrays, sums, tuples and records of these";
        Err(Box::new(Diagnostic::error(Code::NotRunnable, define.span, message).help(help)))
    };
    if matches!(ty.atom(), Atom::Forall(..)) {
        return refused("it is polymorphic");
    }
    if let Some(k) = params.iter().position(|param| slots::leaves(&param.ty).is_none()) {
        return refused(&format!("argument {} is no data of known rank", k + 1));
    }
    if !is_returned(result) {
        return refused("its result is no data of known rank");
    }
    Ok(())
}

/// Whether C can have a result of this type: data, in which boxes may stand that are in no array or sum.
fn is_returned(ty: &Type) -> bool {
    match ty.atom() {
        Atom::Tuple(parts) if ty.shape().is_scalar() => parts.iter().all(is_returned),
        Atom::Record(fields) if ty.shape().is_scalar() => fields.iter().all(|(_, part)| is_returned(part)),
        Atom::Sigma(_, content) => ty.shape().is_scalar() && is_returned(content),
        _ => slots::leaves(ty).is_some(),
    }
}

/// Whether there are sums of more than data of known sizes in data of a type.
fn hides_in_sums(ty: &Type) -> bool {
    match ty.atom() {
        Atom::Sum(payloads) => slots::layout(payloads).is_none(),
        Atom::Tuple(parts) => parts.iter().any(hides_in_sums),
        Atom::Record(fields) => fields.iter().any(|(_, part)| hides_in_sums(part)),
        Atom::Sigma(_, content) => hides_in_sums(content),
        Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => false,
    }
}

/// For each of the results that a value of this type consists of, what it looks like.
pub fn result_shapes(define: &Define) -> Vec<Shape> {
    let mut out = Vec::new();
    add_shapes(define.ty.interface().1, 0, &mut out);
    out
}
fn add_shapes(ty: &Type, frame: usize, out: &mut Vec<Shape>) {
    let rank = frame + ty.shape().items.len();
    match ty.atom() {
        Atom::Tuple(parts) => parts.iter().for_each(|part| add_shapes(part, rank, out)),
        Atom::Record(fields) => fields.iter().for_each(|(_, part)| add_shapes(part, rank, out)),
        Atom::Sigma(_, content) if rank == 0 => add_shapes(content, 0, out),
        _ => out.push(match interp::entry::shape_of(ty) {
            Shape::Array(prim, _) => Shape::Array(prim, rank),
            Shape::Sum(_, constructors) => Shape::Sum(rank, constructors),
            Shape::Rows(_, row) => Shape::Rows(rank, row),
            other => other,
        }),
    }
}

/// The value of a word: the name of a file, or a literal.
fn argument(word: &str, wanted: Wanted) -> Result<Value> {
    let path = Path::new(word);
    if let (Some((path, delimiter, column)), Wanted::Plain(expected)) = (table_of(word), wanted) {
        let (source, bytes) = (format!("`{path}`"), files::read_data(Path::new(path))?);
        let table = Table::new(&source, &bytes, delimiter, &expected.what)?;
        return match (column, expected.rank) {
            (Some(column), 1) => table.column(column, expected),
            (None, 1) => table.vector(expected),
            (None, 2) => table.matrix(expected),
            _ => {
                let message = format!("{}: expected {}, found {source}, a table", expected.what, expected.shown());
                let help = "a column of a table is a vector, all of them a matrix, and named columns the fields of a record";
                Err(Box::new(Diagnostic::bare(Code::DataRank, message).help(help)))
            }
        };
    }
    let data_file = path.extension().is_some_and(|e| ["npy", "png", "gz"].iter().any(|known| e.eq_ignore_ascii_case(known)));
    let literal = wanted.is_literal(word);
    let read = |source: &str, bytes: &[u8]| {
        let mut stream = Stream::new(source, bytes);
        let value = wanted.next(&mut stream)?;
        stream.finish(1)?;
        Ok(value)
    };
    if data_file && !matches!(wanted, Wanted::Sum(_)) || (path.exists() && !literal) || (!literal && word.contains(['/', '.'])) {
        let bytes = files::read_data(path)?;
        if files::is_archive(&bytes) {
            let message = format!("{} is expected, found an archive (.npz or .zip): `{}`", wanted.shown(), word.escape_debug());
            let help = "save each array in a file of its own, with `numpy.save`";
            return Err(Box::new(Diagnostic::bare(Code::MalformedData, message).help(help)));
        }
        return read(&format!("`{word}`"), &bytes);
    }
    read("the command line", word.as_bytes()).map_err(|mut diagnostic: Box<Diagnostic>| {
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

/// [`show`], but no more than so many bytes of it, and whether something was left out.
pub fn show_beginning(value: &Value, most: usize) -> (String, bool) {
    let mut text = show(value);
    if text.len() <= most {
        return (text, false);
    }
    text.truncate((0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0));
    (text, true)
}

/// The result of core written by hand, in the notation of core.
pub fn show_core(value: &Value) -> String {
    data::notation::write(value) + "\n"
}

/// Writes results to `path` in the format that its name asks for; several as NAME.0.npy, NAME.1.npy, .., or as the columns of one table.
pub fn save(path: &Path, value: &Value) -> Result<()> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    if let Some(delimiter) = csv::delimiter(&path.to_string_lossy()).filter(|_| extension != "gz") {
        let refuse = |why: String| Diagnostic::bare(Code::UnwritableResult, format!("`{}` cannot be written: {why}", files::shown(path)));
        return files::write(path, &csv::write(value, delimiter).map_err(refuse)?);
    }
    let results = data::results(value);
    for (i, result) in results.iter().enumerate() {
        let target = if results.len() == 1 { path.to_path_buf() } else { path.with_extension(format!("{i}.{extension}")) };
        let refuse = |why: String| {
            Box::new(Diagnostic::bare(Code::UnwritableResult, format!("`{}` cannot be written: {why}", files::shown(&target))))
        };
        let bytes = match extension.as_str() {
            "npy" => data::npy::write(result).ok_or_else(|| refuse("a .npy file holds scalars and arrays of scalars only".into()))?,
            "png" => data::image::write(result)
                .map_err(|why| Box::new(refuse(why).help("`remora plot` draws lines, points, histograms and images of other numbers")))?,
            _ => {
                let mut diagnostic = refuse("the name must end in .npy, .png, .csv, .tsv or .svg".into());
                diagnostic.help.push("without -o, results go to standard output, as text or with --binary".into());
                return Err(diagnostic);
            }
        };
        files::write(&target, &bytes)?;
    }
    Ok(())
}

/// Why a parameter of this type cannot be read, and what to write instead.
fn not_readable(ty: &Type) -> (&'static str, &'static str) {
    match ty.atom() {
        Atom::Tuple(_) if !ty.shape().is_scalar() => {
            ("an array of tuples", "take the parts as arrays, and put them together with `zip`, `(xs: [n]i32) (ys: [n]f64)`")
        }
        Atom::Record(_) if !ty.shape().is_scalar() => {
            ("an array of records", "take the fields as arrays, and make the records with `map2`")
        }
        Atom::Fun(..) => ("a function", "write an entry point that applies it to one"),
        _ => ("no scalar, array of scalars, sum or tuple of these", "take what it is made of as parameters"),
    }
}
