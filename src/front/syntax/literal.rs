//! The values of number, character and string literals.

use crate::base::PrimType;
use crate::base::scalar::{decimal, half_of};

/// The value of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    /// Written without fraction and exponent.
    Int {
        /// Its value.
        value: u64,
        /// The type that is written after it.
        suffix: Option<PrimType>,
    },
    /// A pattern of bits, `0xFFi8`, that is a negative number of its signed type.
    Negative {
        /// The number without its minus.
        value: u64,
        /// Its type.
        prim: PrimType,
    },
    /// Written with one, or too large for an integer and with a float suffix.
    Float {
        /// The nearest double.
        value: f64,
        /// The double to round to narrower types.
        odd: f64,
        /// The type that is written after it.
        suffix: Option<PrimType>,
    },
    /// Written with a `j` behind the digits.
    Imaginary {
        /// The double nearest to the imaginary part.
        value: f64,
        /// The double to round to narrower types.
        odd: f64,
        /// The type that is written after it.
        suffix: Option<PrimType>,
    },
}

/// What is wrong with a literal.
#[derive(Debug, Clone, PartialEq)]
pub enum LiteralError {
    /// Nothing after the mark of the base.
    NoDigits,
    /// A character that is no digit of the base.
    Digit {
        /// The character.
        found: char,
        /// 2, 8 or 16.
        base: u32,
    },
    /// What stands behind the digits is no type.
    Suffix(String),
    /// The type has no such number.
    TooLarge(PrimType),
    /// No integer type has such a number, and no type is written.
    TooLargeWithoutSuffix,
    /// A fraction or an exponent, but the suffix of an integer.
    Fraction(PrimType),
    /// Not of the form of a hexadecimal float.
    HexadecimalFloat,
    /// Not of the form of a Roman number.
    Roman,
    /// Nothing between the quotes of a character.
    EmptyCharacter,
    /// There is no character of this number.
    NoCharacter(u32),
    /// A backslash before this.
    Escape(Option<char>),
}

/// Reads a number as the lexer finds it: digits of any base, fraction, exponent, suffix.
pub fn number(text: &str) -> Result<Number, LiteralError> {
    let clean: String = text.chars().filter(|c| *c != '_').collect();
    match clean.get(..2) {
        Some("0x" | "0X") if clean.contains('.') => hex_float(&clean),
        Some("0x" | "0X") => integer(&clean, 2, 16),
        Some("0b" | "0B") => integer(&clean, 2, 2),
        Some("0o" | "0O") => integer(&clean, 2, 8),
        Some("0r" | "0R") => roman(&clean),
        _ => decimal(&clean),
    }
}

/// A whole number with a suffix that does not fit into its type, as the language of `.fut` files has it: its last bits. Nothing if it fits;
/// behind a minus sign there is one more number.
pub fn wrapped(text: &str, negated: bool) -> Option<Number> {
    let clean: String = text.chars().filter(|c| *c != '_').collect();
    let (digits, prim) = suffix(&clean, true);
    let prim = prim.filter(|prim| prim.is_int() && digits.bytes().all(|b| b.is_ascii_digit()))?;
    let value: u128 = digits.parse().ok()?;
    let bits = 8 * prim.bytes() as u32;
    let fits = if prim.is_signed() { value < (1 << (bits - 1)) || negated && value == 1 << (bits - 1) } else { value < (1 << bits) };
    if fits {
        return None;
    }
    let value = value % (1 << bits);
    if prim.is_signed() && value >= 1 << (bits - 1) {
        return Some(Number::Negative { value: ((1 << bits) - value) as u64, prim });
    }
    Some(Number::Int { value: value as u64, suffix: Some(prim) })
}

/// Splits a type suffix off. Float suffixes are digits in hexadecimal, so `floats` says whether they count.
fn suffix(text: &str, floats: bool) -> (&str, Option<PrimType>) {
    for prim in PrimType::ALL {
        if prim.is_numeric()
            && (floats || prim.is_int())
            && let Some(rest) = text.strip_suffix(prim.name())
            && !rest.is_empty()
        {
            return (rest, Some(prim));
        }
    }
    (text, None)
}

fn integer(text: &str, skip: usize, base: u32) -> Result<Number, LiteralError> {
    let (digits, prim) = suffix(&text[skip..], base != 16);
    if digits.is_empty() {
        return Err(LiteralError::NoDigits);
    }
    if let Some(found) = digits.chars().find(|c| !c.is_digit(base)) {
        return Err(LiteralError::Digit { found, base });
    }
    let value = u64::from_str_radix(digits, base).map_err(|_| LiteralError::TooLarge(PrimType::U64))?;
    let number = fits(value, prim)?;
    match prim {
        Some(prim) if prim.is_signed() && prim.is_int() && value >> (8 * prim.bytes() - 1) != 0 => {
            let bits = u64::MAX >> (64 - 8 * prim.bytes());
            Ok(Number::Negative { value: (!value & bits) + 1, prim })
        }
        _ => Ok(number),
    }
}

/// An integer of a type must fit into its bits. Whether a decimal number is one of its type is found out with its sign.
fn fits(value: u64, prim: Option<PrimType>) -> Result<Number, LiteralError> {
    match prim {
        Some(prim) if prim.is_int() && prim.bytes() < 8 && value >> (8 * prim.bytes()) != 0 => Err(LiteralError::TooLarge(prim)),
        _ => Ok(Number::Int { value, suffix: prim }),
    }
}

fn decimal(text: &str) -> Result<Number, LiteralError> {
    let (digits, prim) = suffix(text, true);
    if let Some(digits) = digits.strip_suffix('j').filter(|digits| is_decimal(digits) && prim.is_none_or(PrimType::is_complex)) {
        return match float(digits, prim)? {
            Number::Float { value, odd, suffix } => Ok(Number::Imaginary { value, odd, suffix }),
            other => Ok(other),
        };
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return match (digits.parse::<u64>(), prim) {
            (Ok(value), _) => fits(value, prim),
            (Err(_), Some(p)) if !p.is_int() => float(digits, prim),
            (Err(_), Some(p)) => Err(LiteralError::TooLarge(p)),
            (Err(_), None) => Err(LiteralError::TooLargeWithoutSuffix),
        };
    }
    if let Some(prim) = prim.filter(|p| p.is_int()) {
        return Err(LiteralError::Fraction(prim));
    }
    if is_decimal(digits) {
        return float(digits, prim);
    }
    let tail = digits.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    Err(LiteralError::Suffix(tail.to_string()))
}

fn is_decimal(digits: &str) -> bool {
    digits.parse::<f64>().is_ok() && digits.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b))
}

fn float(digits: &str, prim: Option<PrimType>) -> Result<Number, LiteralError> {
    let too_large = || LiteralError::TooLarge(prim.unwrap_or(PrimType::F64));
    let value: f64 = digits.parse().map_err(|_| too_large())?;
    let odd = decimal::to_odd(digits, value);
    let (value, odd) = match prim {
        Some(PrimType::F32 | PrimType::C64) => (f64::from(odd as f32), f64::from(odd as f32)),
        Some(PrimType::F16) => (half_of(odd).to_f64(), half_of(odd).to_f64()),
        _ => (value, odd),
    };
    if value.is_finite() { Ok(Number::Float { value, odd, suffix: prim }) } else { Err(too_large()) }
}

fn hex_float(text: &str) -> Result<Number, LiteralError> {
    let malformed = || LiteralError::HexadecimalFloat;
    let (mantissa, exponent) = text[2..].split_once(['p', 'P']).ok_or_else(malformed)?;
    let (exponent, prim) = suffix(exponent, true);
    let (whole, fraction) = mantissa.split_once('.').ok_or_else(malformed)?;
    let exponent: i32 = exponent.parse().map_err(|_| malformed())?;
    let mut value = 0.0f64;
    let mut scale = exponent.clamp(-5000, 5000);
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16).ok_or_else(malformed)?);
    }
    scale -= 4 * fraction.len().min(5000) as i32;
    // In two steps, so that a tiny factor times a huge mantissa does not underflow early.
    let value = value * 2f64.powi(scale / 2) * 2f64.powi(scale - scale / 2);
    match prim {
        Some(p) if p.is_int() => Err(malformed()),
        _ if value.is_finite() => Ok(Number::Float { value, odd: value, suffix: prim }),
        _ => Err(LiteralError::TooLarge(PrimType::F64)),
    }
}

fn roman(text: &str) -> Result<Number, LiteralError> {
    const NUMERALS: [(&str, u64); 13] = [
        ("M", 1000),
        ("CM", 900),
        ("D", 500),
        ("CD", 400),
        ("C", 100),
        ("XC", 90),
        ("L", 50),
        ("XL", 40),
        ("X", 10),
        ("IX", 9),
        ("V", 5),
        ("IV", 4),
        ("I", 1),
    ];
    let (mut rest, prim) = suffix(&text[2..], true);
    let mut value = 0u64;
    while let Some((numeral, amount)) = NUMERALS.iter().find(|(n, _)| rest.starts_with(n)) {
        value += amount;
        rest = &rest[numeral.len()..];
    }
    if !rest.is_empty() || value == 0 {
        return Err(LiteralError::Roman);
    }
    fits(value, prim)
}

/// The character of a literal with its quotes.
pub fn character(text: &str) -> Result<u64, LiteralError> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let mut chars = inner.chars();
    match chars.next() {
        Some('\\') => escape(&mut chars).map(|c| u64::from(u32::from(c))),
        Some(c) => Ok(u64::from(u32::from(c))),
        None => Err(LiteralError::EmptyCharacter),
    }
}

/// The text of a string literal with its quotes.
pub fn string(text: &str) -> Result<String, LiteralError> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { escape(&mut chars)? } else { c });
    }
    Ok(out)
}

/// Reads what comes after a backslash.
fn escape(chars: &mut std::str::Chars<'_>) -> Result<char, LiteralError> {
    let first = chars.next();
    Ok(match first {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('a') => '\x07',
        Some('b') => '\x08',
        Some('f') => '\x0c',
        Some('v') => '\x0b',
        Some('x') => {
            let digits = chars.as_str().chars().take_while(char::is_ascii_hexdigit).count();
            let (text, rest) = chars.as_str().split_at(digits);
            let value = u32::from_str_radix(text, 16).unwrap_or(u32::MAX);
            *chars = rest.chars();
            if text.is_empty() {
                return Err(LiteralError::Escape(first));
            }
            char::from_u32(value).ok_or(LiteralError::NoCharacter(value))?
        }
        Some('0'..='9') => {
            let mut value = first.and_then(|c| c.to_digit(10)).unwrap_or(0);
            while let Some(digit) = chars.as_str().chars().next().and_then(|c| c.to_digit(10)) {
                value = value.saturating_mul(10).saturating_add(digit);
                chars.next();
            }
            char::from_u32(value).ok_or(LiteralError::NoCharacter(value))?
        }
        Some(c @ ('\\' | '"' | '\'')) => c,
        other => return Err(LiteralError::Escape(other)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_notation() {
        let int = |value, suffix| Number::Int { value, suffix };
        let negative = |value, prim| Number::Negative { value, prim };
        let float = |value, suffix| Number::Float { value, odd: value, suffix };
        let imaginary = |value, suffix| Number::Imaginary { value, odd: value, suffix };
        let cases = [
            ("3", int(3, None)),
            ("1_000", int(1000, None)),
            ("3i32", int(3, Some(PrimType::I32))),
            ("0x1F", int(31, None)),
            ("0xFFu8", int(255, Some(PrimType::U8))),
            ("0x1f32", int(0x1f32, None)),
            ("0x80i8", negative(128, PrimType::I8)),
            ("0xFFFFi16", negative(1, PrimType::I16)),
            ("0xFFFFFFFFFFFFFFFFi64", negative(1, PrimType::I64)),
            ("0x7Fi8", int(127, Some(PrimType::I8))),
            ("128i8", int(128, Some(PrimType::I8))),
            ("0b101i64", int(5, Some(PrimType::I64))),
            ("0o17", int(15, None)),
            ("0rXIV", int(14, None)),
            ("1f32", int(1, Some(PrimType::F32))),
            ("1.5", float(1.5, None)),
            ("1.0f32", float(1.0, Some(PrimType::F32))),
            ("1e-3", float(1e-3, None)),
            ("2E+2f64", float(200.0, Some(PrimType::F64))),
            ("0x1.8p3", float(12.0, None)),
            ("1c64", int(1, Some(PrimType::C64))),
            ("0x1c64", int(0x1c64, None)),
            ("2j", imaginary(2.0, None)),
            ("2.5e-1jc64", imaginary(0.25, Some(PrimType::C64))),
            ("18446744073709551615", int(u64::MAX, None)),
            ("100000000000000000000f64", float(1e20, Some(PrimType::F64))),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn malformed_numbers_are_refused() {
        for text in [
            "18446744073709551616",
            "256u8",
            "300i8",
            "3foo",
            "1.5i32",
            "0x",
            "0b2",
            "0o8",
            "1e999",
            "1e",
            "0x1.8",
            "1.0f3",
            "2jf64",
            "2jj",
            "0x2j",
            "ej",
        ] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_that_wrap_around() {
        assert_eq!(wrapped("255i8", false), Some(Number::Negative { value: 1, prim: PrimType::I8 }));
        assert_eq!(wrapped("300u8", false), Some(Number::Int { value: 44, suffix: Some(PrimType::U8) }));
        assert_eq!(wrapped("18446744073709551616u64", false), Some(Number::Int { value: 0, suffix: Some(PrimType::U64) }));
        for (text, negated) in [("128i8", true), ("127i8", false), ("255u8", false), ("300", false), ("0xFFi8", false), ("1.5f32", false)] {
            assert_eq!(wrapped(text, negated), None, "{text}");
        }
        assert_eq!(wrapped("128i8", false), Some(Number::Negative { value: 128, prim: PrimType::I8 }));
    }

    #[test]
    fn escapes() {
        assert_eq!(string(r#""a\n\65\"\\""#), Ok("a\nA\"\\".to_string()));
        assert_eq!(string(r#""\x41\x3bb\a""#), Ok("A\u{3bb}\u{7}".to_string()));
        assert!(string(r#""\xq""#).is_err());
        assert_eq!(character(r"'\''"), Ok(39));
        assert_eq!(character("'ä'"), Ok(228));
        assert!(string(r#""\q""#).is_err());
        assert!(string(r#""\99999999999""#).is_err());
    }
}
