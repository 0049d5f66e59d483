//! S-expressions with spans: the layer under the reader of core.
//!
//! ```text
//! sexp   = symbol | number | string | ( sexp* ) | [ sexp* ] | sexp { sexp* | sexp* } | #A( sexp* )( sexp* ) | ~( sexp* ) sexp
//! symbol = u+ | #"char*"       u = any byte but white space and ( ) [ ] { } " , ` ; \ (inside braces also not |)
//! number = -? digits [. digits] [e +-? digits] [type]  | nanTYPE | nan:HEXTYPE | infTYPE | -infTYPE
//!          | the parts of a complex number, with a sign between them, j, and its type
//! ```
//!
//! The longest run of symbol bytes is a number if it can be read as one, else a symbol; `|` on its own is the bar of the
//! braces. The words `\`, `T\` and `I\` are symbols too: they stand for lambdas. Comments are `; ..` to the end of the line
//! and `#| .. |#`, nested. `#t` and `#f` are truth values, like `true` and `false`. A name that does not have the form of a symbol is
//! quoted, `#"odd name"`; a quoted symbol is never a keyword, a type or a literal. `#A(d ..)(a ..)` is `(#A (d ..) (a ..))`, and
//! `~(r ..)e`, or `#r(r ..)e`, is `(#r (r ..) e)`, where no space stands in front of the parentheses. Parsing keeps its own stack, so any
//! depth of nesting can be read.

#![expect(clippy::wildcard_enum_match_arm, reason = "words are taken for what they look like, or for names")]

mod error;
mod report;

pub use error::{Error, ErrorKind};
pub use report::report;

use crate::base::scalar::{decimal, half_of};
use crate::base::{FileId, PrimType, Scalar, Span, Symbol};
use half::f16;

/// More errors than this about one text help nobody.
const MAX_ERRORS: usize = 100;

/// An s-expression at a place.
#[derive(Debug, Clone)]
pub struct Sexp {
    /// What it is.
    pub kind: SexpKind,
    /// Where it is.
    pub span: Span,
}

/// What an s-expression is.
#[derive(Debug, Clone)]
pub enum SexpKind {
    /// A symbol that may be a keyword.
    Symbol(Symbol),
    /// `#"name"`: a symbol that is only a name.
    Quoted(Symbol),
    /// A number or truth value; integers without a suffix are `i64`, other numbers `f64`.
    Scalar(Scalar),
    /// A string.
    Text(String),
    /// `( .. )`.
    Paren(Vec<Sexp>),
    /// `[ .. ]`.
    Bracket(Vec<Sexp>),
    /// `e{ t .. | i .. }`.
    Inst {
        /// What the braces follow.
        base: Box<Sexp>,
        /// Before the bar.
        types: Vec<Sexp>,
        /// After the bar.
        indices: Vec<Sexp>,
    },
}

impl Sexp {
    /// The text, if it is an unquoted symbol.
    pub fn keyword(&self) -> Option<&'static str> {
        match self.kind {
            SexpKind::Symbol(name) => Some(name.as_str()),
            _ => None,
        }
    }
    /// The name, if it is a symbol of either kind.
    pub fn name(&self) -> Option<Symbol> {
        match self.kind {
            SexpKind::Symbol(name) | SexpKind::Quoted(name) => Some(name),
            _ => None,
        }
    }
}

/// Reads all s-expressions of a text. What can be read is returned even when there are errors.
pub fn parse(file: FileId, text: &str) -> (Vec<Sexp>, Vec<Error>) {
    let mut parser = Parser { file, text, at: 0, braces: 0, open: Vec::new(), items: Vec::new(), errors: Vec::new() };
    parser.run();
    (parser.items, parser.errors)
}

/// Whether `text` can be written as a symbol as it is: it is read back as this symbol, not as a number, truth value, bar or
/// comment. In types and indices names with a `|` are quoted too, since they may be written inside braces.
pub fn is_plain(text: &str, in_type: bool) -> bool {
    let ok = !text.is_empty()
        && text.bytes().all(is_symbol_byte)
        && !text.starts_with("#|")
        && text != "|"
        && text != "..."
        && !(in_type && text.contains('|'))
        && !(in_type && text.starts_with('?'));
    ok && matches!(classify(text), Ok(Word::Symbol))
}

fn is_symbol_byte(byte: u8) -> bool {
    !(byte.is_ascii_whitespace() || byte.is_ascii_control() || b"()[]{}\",`;\\".contains(&byte))
}

/// What a run of symbol bytes is.
enum Word {
    Scalar(Scalar),
    Symbol,
}

/// An error is a number that its type does not hold.
fn classify(word: &str) -> Result<Word, ErrorKind> {
    match word {
        "true" | "#t" | "#true" => return Ok(Word::Scalar(Scalar::Bool(true))),
        "false" | "#f" | "#false" => return Ok(Word::Scalar(Scalar::Bool(false))),
        _ => {}
    }
    let (body, suffix) = split_suffix(word);
    if let Some(prim) = suffix
        && let Some(part) = prim.part()
    {
        return Ok(complex(body, part).map_or(Word::Symbol, Word::Scalar));
    }
    if let Some(prim) = suffix
        && let Some(special) = special_float(body, prim)
    {
        return Ok(Word::Scalar(special));
    }
    let Some(is_int) = number_form(body) else {
        return Ok(Word::Symbol);
    };
    let prim = suffix.unwrap_or(if is_int { PrimType::I64 } else { PrimType::F64 });
    if prim.is_int() {
        let fits = is_int.then(|| body.parse::<i128>().ok()).flatten().filter(|value| {
            let wrapped = Scalar::from_i128(prim, *value);
            wrapped.as_i128() == Some(*value)
        });
        return match fits {
            Some(value) => Ok(Word::Scalar(Scalar::from_i128(prim, value))),
            None => Err(ErrorKind::NotOfType { number: body.to_string(), prim }),
        };
    }
    let value = match prim {
        PrimType::F32 => body.parse().ok().map(Scalar::F32),
        PrimType::F16 => body
            .parse()
            .ok()
            .map(|value: f64| Scalar::F16(half_of(decimal::to_odd(body.trim_start_matches(['-', '+']), value.abs()).copysign(value)))),
        _ => body.parse().ok().map(Scalar::F64),
    };
    value.map(Word::Scalar).ok_or_else(|| ErrorKind::NotANumber(word.to_string()))
}

/// A complex number from the text of its parts, of type `part`: `1.0+2.0j`.
fn complex(body: &str, part: PrimType) -> Option<Scalar> {
    let parts = body.strip_suffix('j')?;
    let number = |text: &str| match classify(&format!("{text}{part}")) {
        Ok(Word::Scalar(scalar)) if scalar.prim() == part => Some(scalar),
        _ => None,
    };
    // The sign in the middle may be that of an exponent: then what stands before it is no number.
    parts.char_indices().skip(1).filter(|(_, c)| matches!(c, '+' | '-')).find_map(|(at, _)| {
        let im = parts[at..].strip_prefix('+').unwrap_or(&parts[at..]);
        Scalar::complex(number(&parts[..at])?, number(im)?)
    })
}

/// Splits off the name of a numeric type at the end.
fn split_suffix(word: &str) -> (&str, Option<PrimType>) {
    let numeric = PrimType::ALL.into_iter().filter(|prim| prim.is_numeric());
    for prim in numeric {
        if let Some(body) = word.strip_suffix(prim.name())
            && !body.is_empty()
        {
            return (body, Some(prim));
        }
    }
    (word, None)
}

fn special_float(body: &str, prim: PrimType) -> Option<Scalar> {
    let bits = |hex: &str| -> Option<Scalar> {
        let bits = u64::from_str_radix(hex, 16).ok()?;
        let value = match prim {
            PrimType::F16 => Scalar::F16(f16::from_bits(u16::try_from(bits).ok()?)),
            PrimType::F32 => Scalar::F32(f32::from_bits(u32::try_from(bits).ok()?)),
            _ => Scalar::F64(f64::from_bits(bits)),
        };
        value.as_f64().is_some_and(f64::is_nan).then_some(value)
    };
    if !prim.is_float() {
        return None;
    }
    match body {
        "nan" => Some(Scalar::from_f64(prim, f64::NAN)),
        "inf" => Some(Scalar::from_f64(prim, f64::INFINITY)),
        "-inf" => Some(Scalar::from_f64(prim, f64::NEG_INFINITY)),
        _ => body.strip_prefix("nan:").and_then(bits),
    }
}

/// Whether the text has the form of an integer (`Some(true)`), another number (`Some(false)`) or none.
fn number_form(text: &str) -> Option<bool> {
    let text = text.strip_prefix('-').unwrap_or(text);
    let digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let mut rest = &text[whole..];
    let mut count = whole;
    let mut is_int = true;
    if let Some(after) = rest.strip_prefix('.') {
        is_int = false;
        let fraction = digits(after);
        count += fraction;
        rest = &after[fraction..];
    }
    if count == 0 {
        return None;
    }
    if let Some(after) = rest.strip_prefix(['e', 'E']) {
        is_int = false;
        let after = after.strip_prefix(['+', '-']).unwrap_or(after);
        let exponent = digits(after);
        rest = if exponent == 0 { "?" } else { &after[exponent..] };
    }
    rest.is_empty().then_some(is_int)
}

/// The text of a scalar, as [`parse`] reads it back to the same bits.
pub fn scalar_text(value: Scalar) -> String {
    let prim = value.prim();
    if let (Some((re, im)), Some(part)) = (value.parts(), prim.part()) {
        let text = |scalar: Scalar| {
            let text = scalar_text(scalar);
            text.strip_suffix(part.name()).map(str::to_string).unwrap_or(text)
        };
        let (re, im) = (text(re), text(im));
        let plus = if im.starts_with('-') { "" } else { "+" };
        return format!("{re}{plus}{im}j{prim}");
    }
    match value.as_f64() {
        Some(float) if float.is_nan() => {
            if value.same_bits(Scalar::from_f64(prim, f64::NAN)) {
                return format!("nan{prim}");
            }
            let bits = match value {
                Scalar::F16(v) => u64::from(v.to_bits()),
                Scalar::F32(v) => u64::from(v.to_bits()),
                _ => float.to_bits(),
            };
            format!("nan:{bits:x}{prim}")
        }
        Some(float) if float.is_infinite() => format!("{}inf{prim}", if float < 0.0 { "-" } else { "" }),
        _ => value.to_string(),
    }
}

/// A string between quotes.
pub fn quoted_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A list that is being read.
struct Open {
    closer: u8,
    start: usize,
    items: Vec<Sexp>,
    /// For braces: what they follow, and what was before the bar, once it was seen.
    base: Option<Box<Sexp>>,
    types: Option<Vec<Sexp>>,
}

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    braces: usize,
    open: Vec<Open>,
    items: Vec<Sexp>,
    errors: Vec<Error>,
}

impl Parser<'_> {
    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }

    fn error(&mut self, at: Span, kind: ErrorKind) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(Error { at, kind });
        }
    }

    fn current(&mut self) -> &mut Vec<Sexp> {
        match self.open.last_mut() {
            Some(open) => &mut open.items,
            None => &mut self.items,
        }
    }

    fn push(&mut self, kind: SexpKind, start: usize) {
        let span = self.span(start);
        self.current().push(Sexp { kind, span });
        self.join_prefixed();
    }

    /// Whether what ends here goes on with an opening parenthesis.
    fn opens_at(&self, end: u32) -> bool {
        matches!(self.text.as_bytes().get(end as usize), Some(b'(' | b'['))
    }

    /// Makes one form of a prefix and the two that follow it.
    fn join_prefixed(&mut self) {
        loop {
            let items = match self.open.last() {
                Some(open) => &open.items,
                None => &self.items,
            };
            let [.., prefix, list, last] = items.as_slice() else { return };
            let word = match prefix.keyword() {
                Some("#A") => "#A",
                Some("~" | "#r") => "#r",
                _ => return,
            };
            let is_list = |item: &Sexp| matches!(item.kind, SexpKind::Paren(_) | SexpKind::Bracket(_));
            let tight = prefix.span.end == list.span.start && is_list(list);
            let ready = match word {
                "#A" => is_list(last) && list.span.end == last.span.start,
                // What follows may have a prefix of its own.
                _ => !(matches!(last.keyword(), Some("~" | "#r" | "#A")) && self.opens_at(last.span.end)),
            };
            if !(tight && ready) {
                return;
            }
            let span = Span { end: last.span.end, ..prefix.span };
            let items = self.current();
            let mut parts = items.split_off(items.len() - 3);
            parts[0].kind = SexpKind::Symbol(Symbol::new(word));
            items.push(Sexp { kind: SexpKind::Paren(parts), span });
        }
    }

    /// What the braces at `start` follow: of a form with a prefix `~(..)` its last part.
    fn base_of_braces(&mut self) -> Option<Box<Sexp>> {
        let mut base = self.current().pop()?;
        loop {
            let written = self.text.as_bytes().get(base.span.start as usize) == Some(&b'(');
            match base.kind {
                SexpKind::Paren(mut parts) if !written && parts.len() == 3 && parts[0].keyword() == Some("#r") => {
                    let last = parts.pop()?;
                    self.current().append(&mut parts);
                    base = last;
                }
                kind => return Some(Box::new(Sexp { kind, span: base.span })),
            }
        }
    }

    fn run(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            let start = self.at;
            match byte {
                b';' => self.at += bytes[start..].iter().position(|b| *b == b'\n').unwrap_or(bytes.len() - start),
                b'#' if bytes.get(start + 1) == Some(&b'|') => self.block_comment(),
                b'#' if bytes.get(start + 1) == Some(&b'"') => {
                    self.at += 1;
                    let text = self.string();
                    self.push(SexpKind::Quoted(Symbol::new(&text)), start);
                }
                b'"' => {
                    let text = self.string();
                    self.push(SexpKind::Text(text), start);
                }
                b'(' | b'[' | b'{' => self.opener(byte),
                b')' | b']' | b'}' => self.closer(byte),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ if is_symbol_byte(byte) || byte == b'\\' => self.word(),
                _ => {
                    self.at += 1;
                    let span = self.span(start);
                    self.error(span, ErrorKind::Character(char::from(byte)));
                }
            }
        }
        while let Some(open) = self.open.last() {
            let span = Span::new(self.file, open.start, open.start + 1);
            let closer = open.closer;
            self.error(span, ErrorKind::Unclosed(char::from(closer)));
            self.close();
        }
    }

    fn block_comment(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut depth = 0usize;
        while self.at < bytes.len() {
            match &bytes[self.at..] {
                [b'#', b'|', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'|', b'#', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
        let span = Span::new(self.file, start, start + 2);
        self.error(span, ErrorKind::UnclosedComment);
    }

    /// Reads a string whose opening quote is at `self.at`.
    fn string(&mut self) -> String {
        let start = self.at;
        let mut text = String::new();
        let mut chars = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = chars.next() {
            self.at = start + 1 + offset;
            match c {
                '"' => {
                    self.at += 1;
                    return text;
                }
                '\\' => match chars.next() {
                    Some((_, escaped)) => match unescape(escaped) {
                        Some(c) => text.push(c),
                        None => {
                            let span = Span::new(self.file, self.at, self.at + 1 + escaped.len_utf8());
                            self.error(span, ErrorKind::Escape(escaped));
                        }
                    },
                    None => break,
                },
                _ => text.push(c),
            }
        }
        self.at = self.text.len();
        let span = Span::new(self.file, start, start + 1);
        self.error(span, ErrorKind::UnclosedString);
        text
    }

    fn word(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let in_braces = self.braces > 0;
        let ends = |byte: &u8| !is_symbol_byte(*byte) || (in_braces && *byte == b'|');
        self.at += bytes[start..].iter().position(ends).unwrap_or(bytes.len() - start);
        if self.at == start || (bytes.get(self.at) == Some(&b'\\') && matches!(&bytes[start..self.at], b"T" | b"I")) {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        if word == "|" {
            return self.bar(start);
        }
        match classify(word) {
            Ok(Word::Scalar(value)) => self.push(SexpKind::Scalar(value), start),
            Ok(Word::Symbol) => self.push(SexpKind::Symbol(Symbol::new(word)), start),
            Err(kind) => {
                let span = self.span(start);
                self.error(span, kind);
                self.push(SexpKind::Scalar(Scalar::I64(0)), start);
            }
        }
    }

    fn bar(&mut self, start: usize) {
        let span = self.span(start);
        match self.open.last_mut() {
            Some(open) if open.closer == b'}' && open.types.is_none() => open.types = Some(std::mem::take(&mut open.items)),
            _ => self.error(span, ErrorKind::MisplacedBar),
        }
    }

    fn opener(&mut self, byte: u8) {
        let start = self.at;
        self.at += 1;
        let mut base = None;
        if byte == b'{' {
            base = self.base_of_braces();
            if base.is_none() {
                let span = self.span(start);
                self.error(span, ErrorKind::BracesWithoutBase);
            }
            self.braces += 1;
        }
        let closer = match byte {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        self.open.push(Open { closer, start, items: Vec::new(), base, types: None });
    }

    fn closer(&mut self, byte: u8) {
        let start = self.at;
        self.at += 1;
        let span = self.span(start);
        let found = char::from(byte);
        match self.open.last() {
            None => self.error(span, ErrorKind::ClosesNothing(found)),
            Some(open) if open.closer == byte => self.close(),
            Some(open) => {
                let opened = Span::new(self.file, open.start, open.start + 1);
                let kind = ErrorKind::WrongCloser { found, wanted: char::from(open.closer), opened };
                self.error(span, kind);
                self.close();
            }
        }
    }

    /// Ends the innermost list.
    fn close(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let kind = match open.closer {
            b')' => SexpKind::Paren(open.items),
            b']' => SexpKind::Bracket(open.items),
            _ => {
                self.braces -= 1;
                if open.types.is_none() {
                    let span = self.span(open.start);
                    self.error(span, ErrorKind::MissingBar);
                }
                let Some(base) = open.base else { return };
                let start = base.span.start as usize;
                let (types, indices) = (open.types.unwrap_or_default(), open.items);
                return self.push(SexpKind::Inst { base, types, indices }, start);
            }
        };
        self.push(kind, open.start);
    }
}

fn unescape(c: char) -> Option<char> {
    match c {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'b' => Some('\u{8}'),
        'f' => Some('\u{c}'),
        '"' | '\\' | '/' => Some(c),
        _ => None,
    }
}
