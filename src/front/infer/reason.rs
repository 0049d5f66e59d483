//! Why two types have to be equal: constraints are data, errors are made of them late.

use crate::base::{Span, Symbol};

/// An index into the context's reasons; also the tag of rank equations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ReasonId(pub(super) u32);

/// Why two types have to be equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    /// The rule that asks for it.
    pub(super) kind: Kind,
    /// Where the left type, the expected one, comes from.
    pub(super) expected: Span,
    /// Where the right type, the one found, comes from.
    pub(super) found: Span,
}

/// The rules that equate types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The argument of an application, counted from 1, of a function that may have a name. Maps and reps allowed.
    Argument { number: usize, of: Option<Symbol> },
    /// What is applied is a function.
    Function,
    /// Elements of an array literal.
    Element,
    /// The branches of `if`.
    Branch,
    /// The condition of `while` and `assert`.
    Condition,
    /// The condition of `if`.
    Choice,
    /// The body of a loop and its pattern.
    LoopBody,
    /// The bound of `for i < n`.
    Bound,
    /// The array of `for x in xs`.
    LoopArray,
    /// A pattern and what it is matched against.
    Pattern,
    /// A declared result type.
    Return,
    /// The result of a recursive definition as its own calls see it.
    Recursion,
    /// `e : t` and `e :> t`.
    Ascription,
    /// The array of an index or slice, and an array that is updated.
    Indexed,
    /// A part of a slice, or an index beside one.
    Slice,
    /// The parts of a range.
    Range,
    /// The new value of an update.
    Update,
    /// The result of a projection.
    Field,
    /// A size in a type.
    Size,
    /// What a constructor is applied to, and the type that the constructor belongs to.
    Payload(Symbol),
    /// The cases of a `match`.
    Case,
}
