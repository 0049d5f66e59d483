//! Attributes, `#[..]`: what there is, where they stand, and what they say to which part of the compiler.
//!
//! Attributes are hints. They change neither types nor results (but for `unsafe`, which leaves out what would report a failure, and `bound`,
//! whose check elaboration makes), so core has no node for them: a program carries a table of places ([`Attributes`]), and whoever makes
//! code for a place looks it up there.
//!
//! | attribute | effect |
//! | --- | --- |
//! | `unsafe` | compiled code has no checks of indices, sizes and assertions for the expression; evaluators keep them |
//! | `sequential`, `sequential_outer`, `sequential_inner` | compiled for the CPU: no parallel loop in the expression, for its outermost operators, for those inside of these |
//! | `on_processors` | a conditional is its second branch, but for programs compiled for processors: the first one comes to the same faster there |
//! | `unroll` | a loop with a constant count is written out |
//! | `stripmine(k)` | in reverse mode a loop of n iterations becomes k nested loops of about n^(1/k) iterations each, so that fewer states are kept |
//! | `bound(n)` | a loop with a condition that runs more than n times fails; in reverse mode it is not run to count its iterations |
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
    /// A loop is so many nested loops where it is differentiated in reverse.
    Stripmine(u32),
    /// A loop with a condition runs at most so often.
    Bound(i64),
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
    /// It does not take this in parentheses, but something else.
    Argument(String, Takes),
}

/// What an attribute takes in parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Nothing.
    Nothing,
    /// Anything, or nothing.
    Anything,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A number from the first to the second.
    Number(i64, i64),
}

/// What stands in parentheses.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    text: Option<&'a str>,
    /// The number, where one is taken.
    number: i64,
}

/// A name, what it takes in parentheses, and what it says then.
type Known = (&'static str, Takes, fn(Given) -> Attribute);

/// All names, with what they take in parentheses and what they say.
pub const KNOWN: &[Known] = &[
    ("unsafe", Takes::Nothing, |_| Attribute::Unsafe),
    ("sequential", Takes::Nothing, |_| Attribute::Sequential(Depth::All)),
    ("sequential_outer", Takes::Nothing, |_| Attribute::Sequential(Depth::Outer)),
    ("sequential_inner", Takes::Nothing, |_| Attribute::Sequential(Depth::Inner)),
    ("on_processors", Takes::Nothing, |_| Attribute::OnProcessors),
    ("unroll", Takes::Nothing, |_| Attribute::Unroll),
    // More nested loops than this keep no fewer states of a loop that ends.
    ("stripmine", Takes::Number(1, 8), |given| Attribute::Stripmine(given.number as u32)),
    ("bound", Takes::Number(0, i64::MAX), |given| Attribute::Bound(given.number)),
    ("inline", Takes::Nothing, |_| Attribute::Inline),
    ("noinline", Takes::Nothing, |_| Attribute::NoInline),
    ("trace", Takes::Anything, |given| Attribute::Trace(given.text.map(Symbol::new))),
    ("break", Takes::Nothing, |_| Attribute::Accepted),
    ("opaque", Takes::Nothing, |_| Attribute::Accepted),
    ("blank", Takes::Nothing, |_| Attribute::Accepted),
    ("scratch", Takes::Nothing, |_| Attribute::Accepted),
    ("incremental_flattening", Takes::Word(&["no_outer", "no_intra", "only_intra", "only_inner"]), |_| Attribute::Accepted),
    ("flattening", Takes::Anything, |_| Attribute::Accepted),
    ("full_flattening", Takes::Nothing, |_| Attribute::Accepted),
    ("warn", Takes::Word(&["safety_checks"]), |_| Attribute::Accepted),
    ("seq_factor", Takes::Anything, |_| Attribute::Accepted),
    ("prop", Takes::Anything, |_| Attribute::Accepted),
    ("cpu_function", Takes::Nothing, |_| Attribute::Accepted),
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
    let Some((_, takes, says)) = KNOWN.iter().find(|(known, ..)| *known == name) else { return Err(Unknown::Name(name.to_string())) };
    let unfit = || Unknown::Argument(argument.unwrap_or("").to_string(), *takes);
    let number = match (*takes, argument) {
        (Takes::Number(from, to), Some(argument)) => {
            let number = argument.replace('_', "").parse::<i64>().ok().filter(|number| (from..=to).contains(number));
            number.ok_or_else(unfit)?
        }
        (Takes::Anything, _) | (Takes::Nothing, None | Some("")) => 0,
        (Takes::Word(words), Some(argument)) if words.contains(&argument) => 0,
        (Takes::Nothing | Takes::Word(_) | Takes::Number(..), _) => return Err(unfit()),
    };
    Ok(says(Given { text: argument, number }))
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
        assert_eq!(read("stripmine(2)"), Ok(Attribute::Stripmine(2)));
        assert_eq!(read("bound(1_000)"), Ok(Attribute::Bound(1000)));
        for number in ["stripmine", "stripmine(0)", "stripmine(9)", "bound(n)", "bound(-1)", "bound(9223372036854775808)"] {
            assert!(matches!(read(number), Err(Unknown::Argument(_, Takes::Number(..)))), "{number}");
        }
        assert_eq!(read("unsave"), Err(Unknown::Name("unsave".into())));
        assert!(matches!(read("unsafe(x)"), Err(Unknown::Argument(..))));
        assert!(matches!(read("incremental_flattening"), Err(Unknown::Argument(..))));
        assert!(matches!(read("incremental_flattening(inner)"), Err(Unknown::Argument(..))));
    }
}
