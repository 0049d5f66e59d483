//! Errors of patterns in words.

use super::error::{CaseError, CaseErrorKind, Maker, PatternPlace, Shape};
use crate::base::Code;
use crate::diag::Diagnostic;
use std::fmt::Write;

impl CaseError {
    /// The error, or the warning, in words.
    pub fn report(&self) -> Diagnostic {
        let error = |code, message: String| Diagnostic::error(code, self.at, message);
        match &self.kind {
            CaseErrorKind::Refutable { place, missing } => {
                let place = match place {
                    PatternPlace::Let => "a `let`",
                    PatternPlace::Parameter => "a parameter",
                    PatternPlace::Loop => "a loop",
                };
                error(Code::MissingCase, format!("the pattern of {place} does not match every value"))
                    .here(format!("`{}` is not matched", text(missing)))
                    .help("`match e case p -> .. case _ -> ..` says what happens with other values")
            }
            CaseErrorKind::Missing { values, more, last } => {
                let all: Vec<String> = values.iter().map(|value| format!("`{}`", text(value))).collect();
                let dots = if *more { ", .." } else { "" };
                let other = all.first().is_some_and(|first| first == "`_`");
                let missing = if other { "other values".to_string() } else { all.join(", ") };
                let report = error(Code::MissingCase, format!("no case for {missing}{dots}"));
                let report = match values.first() {
                    Some(_) if other => report.here("can be another value"),
                    Some(first) => report.here(format!("can be `{}`", text(first))),
                    None => report,
                };
                report.label(*last, "the last case").help(match values.as_slice() {
                    [value] => format!("add `case {} -> ..`", text(&value.generalised())),
                    _ => "add these cases, or `case _ -> ..`".into(),
                })
            }
            CaseErrorKind::Unreachable { covering } => {
                let warning = error(Code::UnreachableCase, "this case is never reached".into()).warning();
                match covering {
                    Some(covering) => warning.here("matches nothing that is left").label(*covering, "this case matches all of it"),
                    None => warning.here("the cases before it match all of this"),
                }
            }
            CaseErrorKind::TooMany => {
                error(Code::MissingCase, "too many combinations of patterns to see whether every value has a case".into())
                    .help("take the value apart in steps, or end with `case _ -> ..` earlier")
            }
        }
    }
}

/// A pattern as the user writes it.
fn text(shape: &Shape) -> String {
    let mut out = String::new();
    write(shape, false, &mut out);
    out
}

fn write(shape: &Shape, atomic: bool, out: &mut String) {
    let Shape::Made(maker, parts) = shape else { return out.push('_') };
    // Writing to a string does not fail.
    match maker {
        Maker::Bool(truth) => drop(write!(out, "{truth}")),
        Maker::Int(value) | Maker::Other(value) => drop(write!(out, "{value}")),
        Maker::Float(bits) => drop(write!(out, "{:?}", f64::from_bits(*bits))),
        Maker::Imaginary(bits) => drop(write!(out, "{:?}j", f64::from_bits(*bits))),
        Maker::Constr(name) => {
            let parens = atomic && !parts.is_empty();
            out.push_str(if parens { "(" } else { "" });
            let _ = write!(out, "#{name}");
            for part in parts {
                out.push(' ');
                write(part, true, out);
            }
            out.push_str(if parens { ")" } else { "" });
        }
        Maker::Tuple(labels) => {
            out.push(if labels.is_some() { '{' } else { '(' });
            for (at, part) in parts.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                if let Some(label) = labels.as_ref().and_then(|labels| labels.get(at)) {
                    let _ = write!(out, "{label} = ");
                }
                write(part, false, out);
            }
            out.push(if labels.is_some() { '}' } else { ')' });
        }
    }
}
