//! The small language of script inputs (FutharkScript, the manual page of `futhark literate`).
//!
//! ```text
//! expression = let pattern = expression in expression | function atom .. | atom
//! atom       = function | ( expression, .. ) | [ expression, .. ] | { name = expression, .. } | literal | "text" | empty([0]type)
//! pattern    = name | ( name, .. )
//! function   = name | $name
//! ```
//!
//! A function of n parameters may be applied to a tuple of n components. Literals have the types that the functions ask for. `$loaddata
//! "file"` has the values of a data file (a tuple if there are several), `$loadbytes "file"` its bytes.

mod report;

use super::super::values::{Form, Signature};
use crate::base::{FileId, PrimType, Span};
use crate::diag::Diagnostic;
use crate::runtime::data::{self, Expected, Stream};
use crate::runtime::{Array, Value};
use report::{Error, ErrorKind, Found, placed, report};
use rustc_hash::FxHashMap;

type Result<T, E = Error> = std::result::Result<T, E>;
/// What other parts of the compiler answer.
type Answer<T> = Result<T, Box<Diagnostic>>;

/// An expression with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Exp {
    kind: Kind,
    span: Span,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Apply(String, Vec<Exp>),
    Tuple(Vec<Exp>),
    Array(Vec<Exp>),
    Record(Vec<(String, Exp)>),
    Let(Vec<String>, bool, Box<Exp>, Box<Exp>),
    /// A scalar, a text in quotes or an empty array, as written.
    Literal(String),
}

/// What an expression comes to.
#[derive(Debug, Clone)]
enum Datum {
    /// Text whose type is not known yet.
    Literal(String),
    Array(Vec<Datum>),
    Tuple(Vec<Datum>),
    Record(Vec<(String, Datum)>),
    Value(Value),
}

/// What scripts need from outside.
pub trait Host {
    /// What a function takes.
    fn signature(&self, name: &str) -> Answer<Signature>;
    /// Calls it.
    fn call(&self, name: &str, arguments: Vec<Value>) -> Answer<Value>;
    /// The bytes of a file, decompressed if need be.
    fn file(&self, name: &str) -> Answer<Vec<u8>>;
}

/// The arguments that a script makes for an entry point; `file` and `base` say where the text stands.
///
/// # Errors
/// E0617: what is wrong with the script; otherwise what functions and files say.
pub fn arguments(text: &str, file: FileId, base: usize, entry: &Signature, host: &dyn Host) -> Answer<Vec<Value>> {
    let made = parse(text, file, base).and_then(|exp| {
        let datum = Runner { host }.eval(&exp, &FxHashMap::default())?;
        give(spread(vec![datum], entry.forms().len()), entry, exp.span)
    });
    made.map_err(report)
}

/// The functions that a script names, those that are bound by `let` included.
pub fn functions(text: &str) -> Vec<String> {
    fn walk(exp: &Exp, out: &mut Vec<String>) {
        match &exp.kind {
            Kind::Apply(name, parts) => {
                out.push(name.clone());
                parts.iter().for_each(|part| walk(part, out));
            }
            Kind::Tuple(parts) | Kind::Array(parts) => parts.iter().for_each(|part| walk(part, out)),
            Kind::Record(fields) => fields.iter().for_each(|(_, part)| walk(part, out)),
            Kind::Let(_, _, what, body) => [what, body].into_iter().for_each(|part| walk(part, out)),
            Kind::Literal(_) => {}
        }
    }
    let mut out = Vec::new();
    if let Ok(exp) = parse(text, FileId(0), 0) {
        walk(&exp, &mut out);
    }
    out
}

fn parse(text: &str, file: FileId, base: usize) -> Result<Exp> {
    let mut parser = Parser { text, at: 0, file, base };
    let exp = parser.exp()?;
    match parser.peek() {
        "" => Ok(exp),
        word => Err(parser.wrong(ErrorKind::Rest(word.to_string()))),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    file: FileId,
    base: usize,
}

impl<'a> Parser<'a> {
    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }
    /// The next token: a name, a literal, a text with its quotes, or one character.
    fn peek(&mut self) -> &'a str {
        self.blanks();
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return "" };
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let numeral = first.is_ascii_digit() || (first == '-' && rest[1..].starts_with(|c: char| c.is_ascii_digit() || c == 'f'));
        let end = if first == '"' {
            let mut escaped = false;
            let close = rest.char_indices().skip(1).find(|(_, c)| {
                let found = *c == '"' && !escaped;
                escaped = *c == '\\' && !escaped;
                found
            });
            close.map_or(rest.len(), |(at, _)| at + 1)
        } else if numeral {
            let exponent = |at: usize| rest[..at].ends_with(['e', 'E']) && !rest.starts_with("0x");
            rest.char_indices()
                .skip(1)
                .find(|(at, c)| !(word(*c) || *c == '.' || ("+-".contains(*c) && exponent(*at))))
                .map_or(rest.len(), |(at, _)| at)
        } else if word(first) || first == '$' {
            // `f32.nan` is one word.
            rest.char_indices().skip(1).find(|(_, c)| !(word(*c) || *c == '.')).map_or(rest.len(), |(at, _)| at)
        } else {
            first.len_utf8()
        };
        &rest[..end]
    }
    fn bump(&mut self) -> (&'a str, usize) {
        let word = self.peek();
        let start = self.at;
        self.at += word.len();
        (word, start)
    }
    fn eat(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }
    fn expect(&mut self, wanted: &'static str) -> Result<()> {
        if self.eat(wanted) {
            return Ok(());
        }
        let found = self.peek().to_string();
        Err(self.wrong(ErrorKind::Token { wanted, found }))
    }
    fn span(&self, start: usize) -> Span {
        Span::new(self.file, self.base + start, self.base + self.at)
    }
    fn wrong(&mut self, mistake: ErrorKind) -> Error {
        let end = self.at + self.peek().len();
        bad(Span::new(self.file, self.base + self.at, self.base + end), mistake)
    }
    fn exp(&mut self) -> Result<Exp> {
        self.blanks();
        let start = self.at;
        if self.eat("let") {
            let tuple = self.eat("(");
            let names = if tuple { self.list(")", Self::name)?.0 } else { vec![self.name()?] };
            self.expect("=")?;
            let what = self.exp()?;
            self.expect("in")?;
            let body = self.exp()?;
            return Ok(Exp { kind: Kind::Let(names, tuple, what.into(), body.into()), span: self.span(start) });
        }
        let mut head = self.atom()?;
        if let Kind::Apply(_, arguments) = &mut head.kind {
            while !matches!(self.peek(), "" | ")" | "]" | "}" | "," | "in" | "=") {
                arguments.push(self.atom()?);
            }
            head.span = self.span(start);
        }
        Ok(head)
    }
    fn name(&mut self) -> Result<String> {
        let word = self.peek();
        if is_name(word) {
            return Ok(self.bump().0.to_string());
        }
        Err(self.wrong(ErrorKind::Name))
    }
    /// Items up to a closing bracket, and whether there was a comma.
    fn list<T>(&mut self, close: &'static str, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<(Vec<T>, bool)> {
        let (mut items, mut commas) = (Vec::new(), false);
        while !self.eat(close) {
            items.push(item(self)?);
            if !self.eat(",") {
                self.expect(close)?;
                break;
            }
            commas = true;
        }
        Ok((items, commas))
    }
    fn atom(&mut self) -> Result<Exp> {
        let (word, start) = self.bump();
        let kind = match word {
            "(" => {
                let (mut items, commas) = self.list(")", Self::exp)?;
                match items.pop() {
                    Some(only) if items.is_empty() && !commas => return Ok(only),
                    last => {
                        items.extend(last);
                        Kind::Tuple(items)
                    }
                }
            }
            "[" => Kind::Array(self.list("]", Self::exp)?.0),
            "{" => {
                let field = |parser: &mut Self| {
                    let name = match parser.peek() {
                        word if !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit()) => parser.bump().0.to_string(),
                        _ => parser.name()?,
                    };
                    parser.expect("=")?;
                    Ok((name, parser.exp()?))
                };
                Kind::Record(self.list("}", field)?.0)
            }
            "empty" if self.peek() == "(" => {
                while !self.eat(")") {
                    if self.bump().0.is_empty() {
                        return Err(self.wrong(ErrorKind::UnclosedEmpty));
                    }
                }
                Kind::Literal(self.text[start..self.at].to_string())
            }
            "true" | "false" => Kind::Literal(word.to_string()),
            _ if is_name(word) || word.strip_prefix('$').is_some_and(is_name) => Kind::Apply(word.to_string(), Vec::new()),
            _ if word.starts_with('"') && (word.len() < 2 || !word.ends_with('"')) => {
                self.at = start;
                return Err(self.wrong(ErrorKind::UnclosedText));
            }
            _ if word.starts_with(['"', '-']) && word.len() > 1 || is_literal(word) => Kind::Literal(word.to_string()),
            _ => {
                self.at = start;
                return Err(self.wrong(ErrorKind::Expression));
            }
        };
        Ok(Exp { kind, span: self.span(start) })
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_') && !["let", "in", "true", "false"].contains(&word) && !is_literal(word)
}

/// A number, or `f32.inf` and its like.
fn is_literal(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) || ["f16.", "f32.", "f64."].iter().any(|start| word.starts_with(start))
}

fn bad(at: Span, mistake: ErrorKind) -> Error {
    Error::Script { at, mistake: Box::new(mistake) }
}

/// Components of the only item where there are `wanted` of them.
fn spread(mut items: Vec<Datum>, wanted: usize) -> Vec<Datum> {
    let one = |items: &mut Vec<Datum>| items.pop().filter(|_| items.is_empty());
    if items.len() != 1 || wanted == 1 {
        return items;
    }
    match one(&mut items) {
        Some(Datum::Tuple(parts)) => parts,
        Some(Datum::Value(Value::Tuple(tuple))) if tuple.frame.is_empty() && tuple.labels.is_none() => {
            tuple.parts.iter().cloned().map(Datum::Value).collect()
        }
        Some(other) => vec![other],
        None => Vec::new(),
    }
}

/// Arguments of a function.
fn give(items: Vec<Datum>, signature: &Signature, span: Span) -> Result<Vec<Value>> {
    let forms = signature.forms();
    if forms.len() != items.len() {
        let mistake = ErrorKind::ArgumentCount { function: signature.name(), takes: forms.len(), given: items.len() };
        return Err(bad(span, mistake));
    }
    items.into_iter().zip(forms).map(|(datum, form)| value(datum, form, span)).collect()
}

/// A value of a form.
fn value(datum: Datum, form: &Form, span: Span) -> Result<Value> {
    match (datum, form) {
        (Datum::Value(Value::Tuple(tuple)), Form::Tuple(labels, forms))
            if tuple.frame.is_empty() && tuple.labels == *labels && tuple.parts.len() == forms.len() =>
        {
            let parts = tuple.parts.iter().zip(forms).map(|(part, form)| value(Datum::Value(part.clone()), form, span));
            Ok(Value::tuples(Vec::new(), labels.clone(), parts.collect::<Result<_>>()?))
        }
        // The call that it is given to looks closer.
        (Datum::Value(found @ (Value::Sum(_) | Value::Cells(_))), Form::Sum(_)) => Ok(found),
        (Datum::Value(found), Form::Leaf(expected)) => {
            let prim = match &found {
                Value::Scalar(scalar) => Some(scalar.prim()),
                Value::Array(array) => Some(array.prim()),
                _ => None,
            };
            if prim == Some(expected.prim) && found.dims().len() == expected.rank {
                return Ok(found);
            }
            let found = prim.map(|prim| (prim, found.dims().len()));
            Err(bad(span, ErrorKind::Type { expected: expected.clone(), found }))
        }
        (Datum::Tuple(items), Form::Tuple(None, forms)) if items.len() == forms.len() => {
            let parts = items.into_iter().zip(forms).map(|(item, form)| value(item, form, span)).collect::<Result<_>>()?;
            Ok(Value::tuples(Vec::new(), None, parts))
        }
        (Datum::Record(mut fields), Form::Tuple(Some(labels), forms)) if fields.len() == forms.len() => {
            let mut parts = Vec::new();
            for (label, form) in labels.iter().zip(forms) {
                let Some(at) = fields.iter().position(|(name, _)| name == label.as_str()) else {
                    return Err(bad(span, ErrorKind::NoField(*label)));
                };
                parts.push(value(fields.swap_remove(at).1, form, span)?);
            }
            Ok(Value::tuples(Vec::new(), Some(labels.clone()), parts))
        }
        (datum @ (Datum::Literal(_) | Datum::Array(_)), Form::Leaf(expected)) => {
            let text = written(&datum).ok_or_else(|| bad(span, ErrorKind::ArrayOfTuples(expected.what.clone())))?;
            data::read("the script", text.as_bytes(), expected).map_err(|inner| placed(span, inner, true))
        }
        (datum, form) => {
            let found = match datum {
                Datum::Literal(text) => Found::Literal(text),
                Datum::Array(_) => Found::Array,
                Datum::Tuple(items) => Found::Tuple(items.len()),
                Datum::Record(fields) => Found::Record(fields.len()),
                Datum::Value(_) => Found::Value,
            };
            Err(bad(span, ErrorKind::Form { expected: form.clone(), found }))
        }
    }
}

/// Arrays of literals and scalars as text.
fn written(datum: &Datum) -> Option<String> {
    match datum {
        Datum::Literal(text) => Some(text.clone()),
        Datum::Value(value @ (Value::Scalar(_) | Value::Array(_))) => Some(data::text::write(value)),
        Datum::Array(items) => Some(format!("[{}]", items.iter().map(written).collect::<Option<Vec<_>>>()?.join(", "))),
        Datum::Tuple(_) | Datum::Record(_) | Datum::Value(_) => None,
    }
}

struct Runner<'a> {
    host: &'a dyn Host,
}

type Scope = FxHashMap<String, Datum>;

impl Runner<'_> {
    fn eval(&self, exp: &Exp, scope: &Scope) -> Result<Datum> {
        let all = |items: &[Exp]| items.iter().map(|item| self.eval(item, scope)).collect::<Result<Vec<_>>>();
        Ok(match &exp.kind {
            Kind::Literal(text) => Datum::Literal(text.clone()),
            Kind::Tuple(items) => Datum::Tuple(all(items)?),
            Kind::Array(items) => Datum::Array(all(items)?),
            Kind::Record(fields) => {
                let fields = fields.iter().map(|(name, field)| Ok((name.clone(), self.eval(field, scope)?)));
                Datum::Record(fields.collect::<Result<_>>()?)
            }
            Kind::Let(names, tuple, what, body) => {
                let found = self.eval(what, scope)?;
                let parts = if *tuple { spread(vec![found], names.len()) } else { vec![found] };
                if parts.len() != names.len() {
                    return Err(bad(what.span, ErrorKind::TupleWanted(names.len())));
                }
                let mut inner = scope.clone();
                inner.extend(names.iter().cloned().zip(parts));
                self.eval(body, &inner)?
            }
            Kind::Apply(name, arguments) => match (scope.get(name), name.strip_prefix('$')) {
                (Some(found), _) if arguments.is_empty() => found.clone(),
                (Some(_), _) => return Err(bad(exp.span, ErrorKind::Applied(name.clone()))),
                (None, Some(builtin)) => self.builtin(builtin, exp.span, arguments)?,
                (None, None) => {
                    let signature = self.host.signature(name).map_err(|inner| placed(exp.span, inner, false))?;
                    let items = spread(all(arguments)?, signature.forms().len());
                    Datum::Value(self.host.call(name, give(items, &signature, exp.span)?)?)
                }
            },
        })
    }

    fn builtin(&self, name: &str, span: Span, arguments: &[Exp]) -> Result<Datum> {
        let known = ["loaddata", "loadbytes"];
        if !known.contains(&name) {
            return Err(bad(span, ErrorKind::UnknownBuiltin(name.to_string())));
        }
        let literal = match arguments {
            [Exp { kind: Kind::Literal(text), .. }] => Some(text),
            _ => None,
        };
        let Some(file) = literal.and_then(|text| text.strip_prefix('"')?.strip_suffix('"')) else {
            return Err(bad(span, ErrorKind::FileName { builtin: name.to_string(), found: literal.cloned() }));
        };
        let bytes = self.host.file(file).map_err(|inner| placed(span, inner, false))?;
        if name == "loadbytes" {
            return Ok(Datum::Value(Value::Array(Array::vector(bytes))));
        }
        let source = format!("`{file}`");
        let mut stream = Stream::new(&source, &bytes);
        let mut values = Vec::new();
        while !stream.at_end() {
            let (prim, rank) = stream.kind().unwrap_or((PrimType::I32, 0));
            values.push(Datum::Value(stream.next(&Expected::new(format!("value {}", values.len() + 1), prim, rank))?));
        }
        Ok(match values.pop() {
            Some(only) if values.is_empty() => only,
            last => {
                values.extend(last);
                Datum::Tuple(values)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;

    #[test]
    fn scripts_are_read() {
        let good = [
            "f 1 2.5f32 -3i8 \"a \\\" b\" true f32.nan",
            "let (a, b) = $loaddata \"x.in\" in g b (h a [1, 2,]) {x = 1, y = (2, 3)}",
            "empty([0][3]f32)",
            "(f)",
            "f (x) ()",
            "{0 = a, 1 = 1e-3}",
        ];
        for text in good {
            parse(text, FileId(0), 0).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        }
        assert_eq!(functions("let x = f 1 in g x $loaddata"), ["f", "g", "x", "$loaddata"]);
        for (text, part) in
            [("f (1", ""), ("f )", ")"), ("let 1 = 2 in 3", "1"), ("\"a", "\"a"), ("", ""), ("1 2", "2"), ("{x 1}", "1"), ("+", "+")]
        {
            let error = report(parse(text, FileId(0), 0).expect_err(text));
            let span = error.labels[0].span;
            assert_eq!((error.code, &text[span.start as usize..span.end as usize]), (Code::TestScript, part), "{text}");
        }
    }
}
