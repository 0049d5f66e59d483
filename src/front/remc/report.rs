//! What was made explicit, for people.

use crate::base::{SourceMap, Span};
use crate::ir::core::{Shape, print};
use std::fmt::Write;

/// Something that was not written and is in the explicit program.
#[derive(Debug, Clone)]
pub struct Insertion {
    /// The form.
    pub span: Span,
    /// What it is.
    pub what: What,
}

/// What was inserted.
#[derive(Debug, Clone)]
pub enum What {
    /// A form is evaluated for each cell of a frame.
    Lifted {
        /// The function or form.
        what: String,
        /// The frames of the function and its arguments, where they are more than one.
        frames: Vec<(String, Shape)>,
        /// The longest of them.
        principal: Shape,
    },
    /// Arguments that were left out.
    Inferred {
        /// What they were given to.
        what: String,
        /// The arguments as they could have been written: `{i64 | 3 []}`.
        arguments: String,
    },
}

/// A line for each insertion: `3:5: + is lifted over [2 3] (frames: argument 1 [2], argument 2 [2 3])`.
pub fn render(sources: &SourceMap, insertions: &[&Insertion]) -> String {
    let mut out = String::new();
    for Insertion { span, what } in insertions {
        let (line, column) = sources.line_column(*span);
        // Writing to a string does not fail.
        let _ = match what {
            What::Lifted { what, frames, principal } => {
                let list: Vec<String> = frames.iter().map(|(what, frame)| format!("{what} {}", print::shape(frame))).collect();
                let list = if list.is_empty() { String::new() } else { format!(" (frames: {})", list.join(", ")) };
                writeln!(out, "; {line}:{column} {what} is lifted over {}{list}", print::shape(principal))
            }
            What::Inferred { what, arguments } => writeln!(out, "; {line}:{column} {what} stands for {what}{arguments}"),
        };
    }
    out
}
