//! Messages of failures, and the places that they name.

use crate::base::{Code, PrimType, Span};
use crate::ir::imp::{Expr, Failure};
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
    let mut pending = failure.args.iter();
    let mut rest = failure.message.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '{' | '}' if rest.peek() == Some(&c) => {
                rest.next();
                format.push(c);
            }
            '{' => {
                rest.next();
                if let Some((prim, arg)) = pending.next() {
                    let (conversion, cast) = if prim.is_signed() { ("%lld", "long long") } else { ("%llu", "unsigned long long") };
                    format.push_str(conversion);
                    if *prim != PrimType::I64 || failure.code == Code::UndefinedOperation {
                        format.push_str(prim.name());
                    }
                    args.push((cast, arg));
                }
            }
            '%' => format.push_str("%%"),
            '"' => format.push_str("\\\""),
            '\\' => format.push_str("\\\\"),
            '\n' => format.push_str("\\n"),
            c if c.is_ascii() && !c.is_ascii_control() => format.push(c),
            c => c.to_string().bytes().for_each(|byte| {
                let _ = write!(format, "\\{byte:03o}");
            }),
        }
    }
    (format, args)
}
