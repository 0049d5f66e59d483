//! Values as text: `[[1.0f32, 2.0f32], [3.0f32, 4.0f32]]`, `true`, `-5i8`, `f64.nan`, `0xffu8`, `empty([0][3]f32)`, `"bytes"`, with
//! comments from `--` to the end of the line.

use super::{At, Expected, Place, Result, storable, structured};
use crate::base::scalar::decimal;
use crate::base::{Code, MAX_RANK, PrimType, Scalar};
use crate::runtime::{Array, Buffer, Value, dims};
use std::fmt::Write;

/// Number of bytes of blanks and comments at the start.
pub(super) fn blank(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(b) if b.is_ascii_whitespace() => at += 1,
            Some(b'-') if bytes.get(at + 1) == Some(&b'-') => {
                at += bytes[at..].iter().position(|&b| b == b'\n').unwrap_or(bytes.len() - at);
            }
            _ => return at,
        }
    }
}

/// The line and column of a byte, or just its number in data that is not text.
pub(super) fn place<'a>(source: &'a str, bytes: &[u8], at: usize) -> Place<'a> {
    let before = &bytes[..at.min(bytes.len())];
    let at = match std::str::from_utf8(before) {
        Ok(text) => {
            let line = text.bytes().filter(|&b| b == b'\n').count() + 1;
            let column = text.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            At::Text { line, column }
        }
        Err(_) => At::Byte(at),
    };
    Place { source, at }
}

/// Element type and rank of the value that begins here, as far as its first element says.
pub(super) fn kind(bytes: &[u8]) -> Option<(PrimType, usize)> {
    let expected = Expected::new("value", PrimType::I32, 0);
    let items = Buffer::with_capacity(PrimType::I32, 0).ok()?;
    let mut reader = Reader { source: "", bytes, at: 0, expected: &expected, items, sizes: Vec::new(), leaf: None };
    let (mut rank, mut brackets) = (0, b'[');
    reader.skip();
    if reader.word() == "empty" {
        reader.at += "empty".len();
        reader.skip();
        reader.eat(b'(').then_some(())?;
        brackets = b']';
    }
    loop {
        reader.skip();
        if reader.eat(b'[') {
            rank += 1;
        } else if !(brackets == b']' && (reader.eat(b']') || reader.bytes.get(reader.at).is_some_and(u8::is_ascii_digit))) {
            break;
        } else {
            reader.at += reader.bytes[reader.at..].iter().take_while(|b| b.is_ascii_digit()).count();
        }
    }
    match reader.bytes.get(reader.at)? {
        b'"' => return Some((PrimType::U8, rank + 1)),
        b']' => return Some((PrimType::I32, rank)),
        _ => {}
    }
    let word = reader.word();
    let prim = match literal(word, PrimType::I32) {
        _ if brackets == b']' => PrimType::from_name(word)?,
        Ok(scalar) => scalar.prim(),
        Err(Bad::Fraction) => PrimType::F64,
        Err(Bad::Range(prim)) => prim,
        Err(Bad::Syntax) => return None,
    };
    Some((prim, rank))
}

struct Reader<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    expected: &'a Expected,
    /// The elements so far, all of the expected type.
    items: Buffer,
    /// The size of each dimension, where an array of that depth has ended already.
    sizes: Vec<Option<usize>>,
    /// The depth at which scalars stand.
    leaf: Option<usize>,
}

/// Reads the value that begins at `at`; returns it with the number of bytes it takes.
pub(super) fn read(source: &str, bytes: &[u8], at: usize, expected: &Expected) -> Result<(Value, usize)> {
    let items = Buffer::with_capacity(expected.prim, 0).map_err(|s| place(source, bytes, at).shortage(expected, s))?;
    let mut reader = Reader { source, bytes, at, expected, items, sizes: Vec::new(), leaf: None };
    let value = match reader.word() {
        "empty" => reader.empty()?,
        _ => {
            reader.value(0)?;
            reader.finish(at)?
        }
    };
    Ok((value, reader.at - at))
}

impl<'a> Reader<'a> {
    fn here(&self) -> Place<'a> {
        self.place(self.at)
    }
    fn place(&self, at: usize) -> Place<'a> {
        place(self.source, self.bytes, at)
    }
    fn syntax<T>(&self, wanted: &str) -> Result<T> {
        let found = match self.bytes.get(self.at) {
            None => "the end of the data".to_string(),
            Some(_) => {
                let rest = &self.bytes[self.at..];
                let length = rest.iter().position(|b| b.is_ascii_whitespace() || b",[]()".contains(b)).unwrap_or(rest.len()).clamp(1, 24);
                format!("`{}`", String::from_utf8_lossy(&rest[..length.min(rest.len())]).escape_debug())
            }
        };
        Err(self.here().problem(Code::MalformedData, self.expected, format!("expected {wanted}, found {found}")))
    }
    fn skip(&mut self) {
        self.at += blank(&self.bytes[self.at..]);
    }
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }
    /// The characters from here on that can stand in a literal.
    fn word(&self) -> &'a str {
        let rest = &self.bytes[self.at..];
        let end = number_end(rest);
        // The imaginary part of a complex number follows with its sign.
        let second = if matches!(rest.get(end), Some(b'-' | b'+')) && end > 0 { &rest[end..end + number_end(&rest[end..])] } else { &[] };
        let imaginary = [&b"j"[..], b"jc64", b"jc128"].iter().any(|suffix| second.ends_with(suffix));
        std::str::from_utf8(&rest[..if imaginary { end + second.len() } else { end }]).unwrap_or("")
    }
    /// A value at nesting depth `depth`.
    fn value(&mut self, depth: usize) -> Result<()> {
        self.skip();
        let start = self.at;
        if self.bytes.get(self.at) == Some(&b'"') {
            return self.string(depth);
        }
        if !self.eat(b'[') {
            self.leaf(depth, start)?;
            return self.scalar();
        }
        if depth >= MAX_RANK {
            return Err(self.here().problem(Code::DataRank, self.expected, format!("arrays are nested more than {MAX_RANK} deep")));
        }
        if self.leaf.is_some_and(|leaf| leaf <= depth) {
            return Err(self.place(start).problem(Code::IrregularData, self.expected, "an array stands beside scalars"));
        }
        if self.sizes.len() <= depth {
            self.sizes.resize(depth + 1, None);
        }
        let mut size = 0;
        self.skip();
        if !self.eat(b']') {
            loop {
                self.value(depth + 1)?;
                size += 1;
                self.skip();
                if self.eat(b']') {
                    break;
                }
                if !self.eat(b',') {
                    return self.syntax("`,` or `]`");
                }
                self.skip();
                if self.eat(b']') {
                    break;
                }
            }
        }
        self.close(depth, size, start)
    }
    fn close(&mut self, depth: usize, size: usize, start: usize) -> Result<()> {
        match self.sizes[depth] {
            Some(before) if before != size => {
                let message = format!("a row of {size} elements stands beside rows of {before}: arrays must be regular");
                Err(self.place(start).problem(Code::IrregularData, self.expected, message))
            }
            _ => {
                self.sizes[depth] = Some(size);
                Ok(())
            }
        }
    }
    fn leaf(&mut self, depth: usize, start: usize) -> Result<()> {
        match self.leaf {
            Some(leaf) if leaf != depth => {
                Err(self.place(start).problem(Code::IrregularData, self.expected, "a scalar stands beside arrays"))
            }
            None if self.sizes.len() > depth => {
                Err(self.place(start).problem(Code::IrregularData, self.expected, "a scalar stands beside arrays"))
            }
            _ => {
                self.leaf = Some(depth);
                Ok(())
            }
        }
    }
    fn scalar(&mut self) -> Result<()> {
        let word = self.word();
        match literal(word, self.expected.prim) {
            Ok(scalar) if scalar.prim() == self.expected.prim => {
                self.items.push(scalar);
                self.at += word.len();
                Ok(())
            }
            Ok(scalar) => Err(self.here().wrong_type(self.expected, scalar.prim(), self.leaf.unwrap_or(0))),
            Err(Bad::Syntax) => self.syntax(&format!("a value of type {}", self.expected.prim)),
            Err(Bad::Range(prim)) => {
                Err(self.here().problem(Code::ElementType, self.expected, format!("`{word}` is out of range for {prim}")))
            }
            Err(Bad::Fraction) => {
                let message = format!("expected {}, found `{word}`, which is not an integer", self.expected.shown());
                Err(self.here().problem(Code::ElementType, self.expected, message))
            }
        }
    }
    /// A string is a vector of bytes.
    fn string(&mut self, depth: usize) -> Result<()> {
        let start = self.at;
        if self.expected.prim != PrimType::U8 {
            return Err(self.here().wrong_type(self.expected, PrimType::U8, depth + 1));
        }
        self.leaf(depth + 1, start)?;
        if self.sizes.len() <= depth {
            self.sizes.resize(depth + 1, None);
        }
        self.at += 1;
        let mut size = 0;
        loop {
            let byte = match self.bytes.get(self.at) {
                None => return self.syntax("`\"` at the end of the string"),
                Some(b'"') => break,
                Some(b'\\') => {
                    self.at += 1;
                    match self.bytes.get(self.at) {
                        Some(b'n') => b'\n',
                        Some(b't') => b'\t',
                        Some(b'r') => b'\r',
                        Some(b) if b"\\\"'".contains(b) => *b,
                        _ => return self.syntax("one of the escapes \\n \\t \\r \\\\ \\\""),
                    }
                }
                Some(&b) => b,
            };
            self.items.push(Scalar::U8(byte));
            self.at += 1;
            size += 1;
        }
        self.at += 1;
        self.close(depth, size, start)
    }
    fn finish(self: &mut Reader<'a>, start: usize) -> Result<Value> {
        let (expected, place) = (self.expected, self.place(start));
        let rank = self.sizes.len();
        let items = std::mem::replace(&mut self.items, Buffer::new(Vec::<bool>::new()));
        match self.leaf {
            // Inner sizes are known: there are elements.
            Some(_) if rank == expected.rank => {}
            // Rows of an empty array are not there to be counted.
            None if rank < expected.rank && self.sizes.last() == Some(&Some(0)) => {
                let shape: Vec<usize> = self.sizes.iter().map(|n| n.unwrap_or(0)).chain(std::iter::repeat(0)).take(expected.rank).collect();
                return Array::new(&shape, items).map(Value::Array).ok_or_else(|| place.wrong_type(expected, expected.prim, rank));
            }
            None if rank == expected.rank && rank > 0 => {}
            _ => return Err(place.wrong_type(expected, expected.prim, rank)),
        }
        if rank == 0 {
            return items.get(0).map(Value::Scalar).ok_or_else(|| place.wrong_type(expected, expected.prim, rank));
        }
        let shape: Vec<usize> = self.sizes.iter().map(|n| n.unwrap_or(0)).collect();
        let found = dims::count(&shape);
        Array::new(&shape, items).map(Value::Array).ok_or_else(|| {
            place.problem(Code::IrregularData, expected, format!("the elements do not fill an array of {found}: arrays must be regular"))
        })
    }
    /// `empty([0][3]f32)`.
    fn empty(&mut self) -> Result<Value> {
        let start = self.at;
        self.at += "empty".len();
        self.skip();
        if !self.eat(b'(') {
            return self.syntax("`(`");
        }
        let mut shape = Vec::new();
        loop {
            self.skip();
            if !self.eat(b'[') {
                break;
            }
            self.skip();
            let digits: String = self.word().chars().take_while(char::is_ascii_digit).collect();
            // Sizes are numbers of type `i64` in programs.
            let Some(size) = digits.parse::<i64>().ok().and_then(|size| usize::try_from(size).ok()) else { return self.syntax("a size") };
            self.at += digits.len();
            self.skip();
            if !self.eat(b']') {
                return self.syntax("`]`");
            }
            shape.push(size);
            if shape.len() > MAX_RANK {
                return Err(self.here().problem(Code::DataRank, self.expected, format!("arrays are nested more than {MAX_RANK} deep")));
            }
        }
        let word = self.word();
        let Some(prim) = PrimType::from_name(word) else { return self.syntax("a scalar type") };
        if prim != self.expected.prim || shape.len() != self.expected.rank {
            return Err(self.place(start).wrong_type(self.expected, prim, shape.len()));
        }
        self.at += word.len();
        self.skip();
        if !self.eat(b')') {
            return self.syntax("`)`");
        }
        Array::empty(&shape, prim)
            .map(Value::Array)
            .ok_or_else(|| self.place(start).problem(Code::MalformedData, self.expected, "an `empty` array needs a size that is 0"))
    }
}

/// The length of what can stand in a literal of a real number, with a sign in front.
fn number_end(rest: &[u8]) -> usize {
    let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
    let mut end = sign;
    while let Some(&b) = rest.get(end) {
        let exponent_sign = matches!(b, b'-' | b'+') && end > sign && matches!(rest[end - 1], b'e' | b'E' | b'p' | b'P');
        if !(b.is_ascii_alphanumeric() || b == b'.' || b == b'_' || (exponent_sign && !rest[..end].starts_with(b"0x"))) {
            break;
        }
        end += 1;
    }
    end
}

enum Bad {
    Syntax,
    Range(PrimType),
    Fraction,
}

/// A complex number: `1.0+2.0jc64`, `2j`, `-infj`, a real number; `None` where nothing says that it is one. Without suffix it is of type
/// `default`, or `c128`.
fn complex(word: &str, default: PrimType) -> Option<std::result::Result<Scalar, Bad>> {
    let suffixed = [PrimType::C64, PrimType::C128].into_iter().find_map(|prim| Some((word.strip_suffix(prim.name())?, prim)));
    // `0x1c64` has no suffix.
    let suffixed = suffixed.filter(|(text, _)| !text.is_empty() && !text.starts_with("0x"));
    let (text, prim) = match suffixed {
        Some(found) => found,
        None if default.is_complex() => (word, default),
        None if word.ends_with('j') => (word, PrimType::C128),
        None => return None,
    };
    let part = prim.part()?;
    let number = |text: &str| literal(text, part).ok().filter(|scalar| scalar.prim() == part);
    let found = match text.strip_suffix('j') {
        None => number(text).and_then(|re| Scalar::complex(re, Scalar::from_f64(part, 0.0))),
        Some(parts) => {
            let signs = parts.char_indices().skip(1).filter(|(_, c)| matches!(c, '+' | '-'));
            let both = signs.filter_map(|(at, _)| Scalar::complex(number(&parts[..at])?, number(&parts[at..])?)).next();
            both.or_else(|| Scalar::complex(Scalar::from_f64(part, 0.0), number(parts)?))
        }
    };
    Some(found.ok_or(Bad::Syntax))
}

/// A literal; without suffix it has type `default`.
fn literal(word: &str, default: PrimType) -> std::result::Result<Scalar, Bad> {
    if let Some(scalar) = complex(word, default) {
        return scalar;
    }
    let (negative, body) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    match body {
        "true" if !negative => return Ok(Scalar::Bool(true)),
        "false" if !negative => return Ok(Scalar::Bool(false)),
        _ => {}
    }
    let special = |name: &str| match name {
        "nan" => Some(f64::NAN),
        "inf" => Some(if negative { f64::NEG_INFINITY } else { f64::INFINITY }),
        _ => None,
    };
    if let Some((module, name)) = body.split_once('.')
        && let Some(prim) = PrimType::from_name(module).filter(|p| p.is_float())
    {
        return special(name).map(|x| Scalar::from_f64(prim, x)).ok_or(Bad::Syntax);
    }
    if let Some(x) = special(body).filter(|_| default.is_float()) {
        return Ok(Scalar::from_f64(default, x));
    }
    if !body.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(Bad::Syntax);
    }
    let radix = match body.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0b" | "0B") => 2,
        Some("0o" | "0O") => 8,
        _ => 10,
    };
    let (digits, prim) = PrimType::ALL
        .into_iter()
        .filter(|p| radix != 16 || !p.is_float())
        .find_map(|p| body.strip_suffix(p.name()).map(|digits| (digits.trim_end_matches('_'), p)))
        .unwrap_or((body, default));
    if prim == PrimType::Bool {
        // A number is not a truth value: report it with the type it would have.
        return if digits.contains(['.', 'e']) { Ok(Scalar::F64(0.0)) } else { Ok(Scalar::I32(0)) };
    }
    let digits = digits.replace('_', "");
    let text = if radix == 10 { digits.as_str() } else { digits.get(2..).unwrap_or("") };
    if text.is_empty() {
        return Err(Bad::Syntax);
    }
    if radix == 10 && (prim.is_float() || !text.bytes().all(|b| b.is_ascii_digit())) {
        let value: f64 = text.parse().map_err(|_| Bad::Syntax)?;
        let value = if prim == PrimType::F64 { value } else { decimal::to_odd(text, value) };
        let signed = if negative { -value } else { value };
        return match prim {
            PrimType::F32 => text.parse::<f32>().map(|x| Scalar::F32(if negative { -x } else { x })).map_err(|_| Bad::Syntax),
            p if p.is_float() => Ok(Scalar::from_f64(p, signed)),
            _ => Err(Bad::Fraction),
        };
    }
    if prim.is_float() {
        let value = u128::from_str_radix(text, radix).map_err(|_| Bad::Syntax)? as f64;
        return Ok(Scalar::from_f64(prim, if negative { -value } else { value }));
    }
    if !text.chars().all(|c| c.is_digit(radix)) {
        return Err(Bad::Syntax);
    }
    let magnitude = i128::from_str_radix(text, radix).map_err(|_| Bad::Range(prim))?;
    let value = if negative { -magnitude } else { magnitude };
    let scalar = Scalar::from_i128(prim, value);
    // Hexadecimal and binary words may set the sign bit.
    let bits = prim.bytes() as u32 * 8;
    let word = radix != 10 && (0..1i128 << bits).contains(&value);
    if scalar.as_i128() == Some(value) || word { Ok(scalar) } else { Err(Bad::Range(prim)) }
}

/// The literal `text` as a value of type `prim`, if it is one.
pub fn parse_scalar(text: &str, prim: PrimType) -> Option<Scalar> {
    literal(text, prim).ok().filter(|scalar| scalar.prim() == prim)
}

/// Writes a value as text with suffixes; parts of tuples stand on lines of their own.
pub fn write(value: &Value) -> String {
    let mut out = String::new();
    for (i, result) in super::results(value).iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        one(result, &mut out);
    }
    out
}

pub(super) fn one(value: &Value, out: &mut String) {
    match storable(value) {
        None if structured::is_sum(value) => structured::write(value, out),
        None => out.push_str(match value {
            Value::Opaque(_) => "<function>",
            _ => "<array of boxes or functions>",
        }),
        Some((prim, shape)) => {
            if dims::count(shape) == 0 && !shape.is_empty() {
                out.push_str("empty(");
                let _ = write!(out, "{}{prim})", dims::Dims::new(shape));
            } else {
                let mut next = 0;
                let mut item = |out: &mut String| {
                    let scalar = value.as_array().map_or(value.as_scalar(), |array| array.at(next));
                    next += 1;
                    let _ = scalar.map(|scalar| write!(out, "{scalar}"));
                };
                nested(shape, out, &mut item);
            }
        }
    }
}

fn nested(shape: &[usize], out: &mut String, item: &mut dyn FnMut(&mut String)) {
    let Some((&size, inner)) = shape.split_first() else { return item(out) };
    out.push('[');
    for i in 0..size {
        if i > 0 {
            out.push_str(", ");
        }
        nested(inner, out, item);
    }
    out.push(']');
}
