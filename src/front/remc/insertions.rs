//! What was made explicit, for people.

use crate::base::{SourceMap, Span, Symbol};
use crate::ir::core::{Index, Shape, Type, print};
use std::fmt::{self, Write};

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
        what: Lifted,
        /// The frames of the function and its arguments, where they are more than one.
        frames: Vec<(Operand, Shape)>,
        /// The longest of them.
        principal: Shape,
    },
    /// Arguments that were left out.
    Inferred {
        /// What they were given to.
        what: Called,
        /// The arguments as they could have been written.
        arguments: Arguments,
    },
}

/// What is evaluated for each cell.
#[derive(Debug, Clone, Copy)]
pub enum Lifted {
    /// An application of this.
    Application(Called),
    /// An instance of this.
    Instance(Called),
    /// The form with this keyword.
    Form(&'static str),
}

/// What people call an operator or operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// Its name.
    Name(Symbol),
    /// An expression that is applied.
    Function,
    /// An argument of a function with ranks.
    Argument,
    /// The argument of a function without parameters.
    Unit,
}

impl Called {
    /// Whether it is a name.
    pub fn is_name(self) -> bool {
        matches!(self, Called::Name(_))
    }
    /// Without quotes.
    pub fn bare(self) -> &'static str {
        match self {
            Called::Name(name) => name.as_str().trim_matches('`'),
            Called::Function => "this function",
            Called::Argument => "this argument",
            Called::Unit => "the unit",
        }
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Called::Name(name) => write!(f, "`{name}`"),
            Called::Function | Called::Argument | Called::Unit => f.write_str(self.bare()),
        }
    }
}

/// What has a frame in an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// An array of functions.
    Functions,
    /// An argument, counted from 0.
    Argument(usize),
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Functions => f.write_str("the array of functions"),
            Operand::Argument(at) => write!(f, "argument {}", at + 1),
        }
    }
}

/// Type and index arguments.
#[derive(Debug, Clone, Default)]
pub struct Arguments {
    /// The types.
    pub types: Vec<Type>,
    /// The indices.
    pub indices: Vec<Index>,
}

/// As they are written: `{i64 | 3 []}`.
impl fmt::Display for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('{')?;
        self.types.iter().try_for_each(|ty| write!(f, "{} ", print::type_brief(ty)))?;
        f.write_char('|')?;
        self.indices.iter().try_for_each(|index| write!(f, " {}", print::index(index)))?;
        f.write_char('}')
    }
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
                let what = match what {
                    Lifted::Application(called) => called.bare().to_string(),
                    Lifted::Instance(called) => called.to_string(),
                    Lifted::Form(word) => (*word).to_string(),
                };
                writeln!(out, "; {line}:{column} {what} is lifted over {}{list}", print::shape(principal))
            }
            What::Inferred { what, arguments } => writeln!(out, "; {line}:{column} {0} stands for {0}{arguments}", what.bare()),
        };
    }
    out
}
