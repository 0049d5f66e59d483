//! Attributes, `#[..]`: what there is, where they stand, and what they say to which part of the compiler.
//!
//! Attributes are hints. They change neither types nor results (but for `unsafe`, which leaves out what would report a failure), so core
//! has no node for them: a program carries a table of places ([`Attributes`]), and whoever makes code for a place looks it up there.
//!
//! | attribute | effect |
//! | --- | --- |
//! | `unsafe` | compiled code has no checks of indices, sizes and assertions for the expression; evaluators keep them |
//! | `sequential`, `sequential_outer`, `sequential_inner` | compiled for the CPU: no parallel loop in the expression, for its outermost operators, for those inside of these |
//! | `on_processors` | a conditional is its second branch, but for programs compiled for processors: the first one comes to the same faster there |
//! | `unroll` | a loop with a constant count is written out |
//! | `inline`, `noinline` | a definition is always inlined, or called where it can be |
//! | `trace`, `trace(tag)` | the evaluator of core prints the value to standard error |
//! | `prop(..)` | read by `remora test` |
//! | all others that are known | accepted, without effect |

use crate::base::{Span, Symbol};
use rustc_hash::FxHashSet;

/// What an attribute says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attribute {
    /// Without checks.
    Unsafe,
    /// Without parallel loops.
    Sequential(Depth),
    /// The first branch is for processors.
    OnProcessors,
    /// Loops are written out.
    Unroll,
    /// Always inlined.
    Inline,
    /// Called rather than inlined.
    NoInline,
    /// Printed, with the tag.
    Trace(Option<Symbol>),
    /// It is known and has no effect.
    Accepted,
}

/// Which operators are sequential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// All.
    All,
    /// The outermost.
    Outer,
    /// All but the outermost.
    Inner,
}

/// What is wrong with an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// There is none of this name.
    Name(String),
    /// It does not take this in parentheses; what it takes, if anything.
    Argument(String, &'static str),
}

/// All names with what they take in parentheses: nothing, anything, or one of several words.
pub const KNOWN: &[(&str, &str)] = &[
    ("unsafe", ""),
    ("sequential", ""),
    ("sequential_outer", ""),
    ("sequential_inner", ""),
    ("on_processors", ""),
    ("unroll", ""),
    ("inline", ""),
    ("noinline", ""),
    ("trace", "*"),
    ("break", ""),
    ("opaque", ""),
    ("blank", ""),
    ("scratch", ""),
    ("incremental_flattening", "no_outer no_intra only_intra only_inner"),
    ("flattening", "*"),
    ("full_flattening", ""),
    ("warn", "safety_checks"),
    ("seq_factor", "*"),
    ("prop", "*"),
    ("cpu_function", ""),
];

/// Reads what stands between `#[` and `]`.
///
/// # Errors
/// There is no such attribute, or it does not take such an argument.
pub fn read(text: &str) -> Result<Attribute, Unknown> {
    let (name, argument) = match text.split_once('(') {
        Some((name, rest)) => (name.trim(), Some(rest.trim().strip_suffix(')').unwrap_or(rest).trim())),
        None => (text.trim(), None),
    };
    let Some((_, takes)) = KNOWN.iter().find(|(known, _)| *known == name) else { return Err(Unknown::Name(name.to_string())) };
    let fits = match argument {
        None => !takes.contains('_'),
        Some(argument) => *takes == "*" || takes.split(' ').any(|word| word == argument),
    };
    if !fits {
        return Err(Unknown::Argument(argument.unwrap_or("").to_string(), takes));
    }
    Ok(match name {
        "unsafe" => Attribute::Unsafe,
        "sequential" => Attribute::Sequential(Depth::All),
        "sequential_outer" => Attribute::Sequential(Depth::Outer),
        "sequential_inner" => Attribute::Sequential(Depth::Inner),
        "on_processors" => Attribute::OnProcessors,
        "unroll" => Attribute::Unroll,
        "inline" => Attribute::Inline,
        "noinline" => Attribute::NoInline,
        "trace" => Attribute::Trace(argument.map(Symbol::new)),
        _ => Attribute::Accepted,
    })
}

/// Where a program has which attributes.
#[derive(Debug, Clone, Default)]
pub struct Attributes {
    /// Expressions with what is said about them.
    pub regions: Vec<(Span, Attribute)>,
    /// Expressions whose values are printed, with what is printed in front.
    pub traces: Vec<(Span, Symbol)>,
    /// Definitions, by their names in core, that are always inlined.
    pub inline: FxHashSet<Symbol>,
    /// Definitions that are called where that is possible.
    pub noinline: FxHashSet<Symbol>,
}

impl Attributes {
    /// What is said about the expressions around a place.
    pub fn around(&self, span: Span) -> impl Iterator<Item = Attribute> + '_ {
        self.regions.iter().filter(move |(region, _)| region.contains(span)).map(|(_, attribute)| *attribute)
    }
    /// The expressions with an attribute.
    pub fn all(&self, attribute: Attribute) -> impl Iterator<Item = Span> {
        self.regions.iter().filter(move |(_, other)| *other == attribute).map(|(region, _)| *region)
    }
    /// Whether just this expression has an attribute.
    pub fn at(&self, span: Span, attribute: Attribute) -> bool {
        self.regions.contains(&(span, attribute))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read() {
        assert_eq!(read("unsafe"), Ok(Attribute::Unsafe));
        assert_eq!(read("trace(x)"), Ok(Attribute::Trace(Some(Symbol::new("x")))));
        assert_eq!(read("incremental_flattening( only_inner )"), Ok(Attribute::Accepted));
        assert_eq!(read("warn(safety_checks)"), Ok(Attribute::Accepted));
        assert_eq!(read("unsave"), Err(Unknown::Name("unsave".into())));
        assert!(matches!(read("unsafe(x)"), Err(Unknown::Argument(..))));
        assert!(matches!(read("incremental_flattening"), Err(Unknown::Argument(..))));
        assert!(matches!(read("incremental_flattening(inner)"), Err(Unknown::Argument(..))));
    }
}
