//! Messages of failures, and the places that they name.

use crate::base::Span;
use crate::ir::imp::{Expr, Failure, Piece};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Places in the source that failures name by their numbers. Number 0 is no place.
#[derive(Debug, Clone)]
pub struct Places {
    list: Vec<Span>,
    numbers: FxHashMap<Span, usize>,
}

impl Default for Places {
    fn default() -> Places {
        Places { list: vec![Span::default()], numbers: FxHashMap::from_iter([(Span::default(), 0)]) }
    }
}

impl Places {
    /// The number of a place.
    pub(in crate::back) fn number(&mut self, span: Span) -> usize {
        *self.numbers.entry(span).or_insert_with(|| {
            self.list.push(span);
            self.list.len() - 1
        })
    }
    /// The places in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.list.iter().copied()
    }
}

/// The message of a failure as a format of C without its quotes, and its arguments with the types that the format wants.
pub(in crate::back) fn message(failure: &Failure) -> (String, Vec<(&'static str, &Expr)>) {
    let (mut format, mut args) = (String::new(), Vec::new());
    for piece in failure.pieces() {
        match piece {
            Piece::Argument(prim, arg, typed) => {
                let (conversion, cast) = if prim.is_signed() { ("%lld", "long long") } else { ("%llu", "unsigned long long") };
                format.push_str(conversion);
                if typed {
                    format.push_str(prim.name());
                }
                args.push((cast, arg));
            }
            Piece::Char('%') => format.push_str("%%"),
            Piece::Char('"') => format.push_str("\\\""),
            Piece::Char('\\') => format.push_str("\\\\"),
            Piece::Char('\n') => format.push_str("\\n"),
            Piece::Char(c) if c.is_ascii() && !c.is_ascii_control() => format.push(c),
            Piece::Char(c) => c.to_string().bytes().for_each(|byte| {
                let _ = write!(format, "\\{byte:03o}");
            }),
        }
    }
    (format, args)
}
