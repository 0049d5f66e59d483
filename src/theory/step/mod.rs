//! Reduction in small steps, of core ([`typed`]) and of erased core ([`erased`]): the dynamic semantics that the theorems are about
//! (Slepak, Shivers, Manolios: The Semantics of Rank Polymorphism, sections 2.4 and 3). The evaluators of programs
//! are `interp::core` and its untyped sibling; these machines are for reasoning and testing.
//!
//! # States
//!
//! A state is a closed expression of core, of the type of the whole program, in which no binder has the name of a primitive.
//! [`link::close`] makes one of a program. Reduction is deterministic: call by value, from left to right, never under a binder.
//!
//! # Values
//!
//! Scalar literals; array literals; frames whose cells are atoms (of rank 0) and values, under at least one size; abstractions of terms, indices
//! and types; tuples and records of values; boxes of values; primitives, instantiated, with fewer arguments than they take.
//! Arrays of numbers so have two forms, a literal and a frame of literals; erasure makes them one.
//!
//! # Rules
//!
//! | rule | redex, of values | becomes |
//! | --- | --- | --- |
//! | constant | the name of a constant of a scalar module | its value |
//! | delta | a primitive with all arguments | its result; those that take functions: see below |
//! | beta | `fn` with arguments | its body; with fewer arguments than parameters a `fn` of the others, with more an application |
//! | t-beta, i-beta | `t-fn` with types, `i-fn` with indices | the body; annotations are rewritten, `reify-shape` keeps its type |
//! | map | a map of a frame with sizes | the frame of the bodies with the cells put in; its cell type is that of the body |
//! | let | a `let`, a map of the frame `[]` | the body |
//! | rep | `rep` | the frame of as many copies |
//! | collapse | a frame of arrays, a frame or array without sizes | one array; the cell |
//! | if, proj, field, unbox, assert | | the branch, part, body |
//! | for | `(for i n)`, n > 0 | `let` of the loop for `n - 1`, then the body with `n - 1` for `i`; n <= 0: the first values |
//! | while | | `if` the condition holds: `let` the next values, then the loop from these |
//! | reify | `reify-dimension`, `reify-shape` | the number, the vector |
//! | coerce | | the value, if its type is the one asked for |
//!
//! Primitives that take functions step to applications, so that every application is a step of its own. For cells `a b c`:
//!
//! * `reduce f e [a b c]` to `(f (f (f e a) b) c)`;
//! * `scan f e [a b c]` to `let s1 = (f e a)`, `let s2 = (f s1 b)`, `let s3 = (f s2 c)`, and the frame `s1 s2 s3`;
//! * `filter p [a b c]` to `if (p a)` then the box of `a` before what is in `filter p [b c]`, else `filter p [b c]`;
//! * `hist f e k is xs` to `reduce_by_index` with bins `(rep [k] e)`;
//! * `reduce_by_index xs f e [i ..] [a ..]` to the same without `i` and `a`, on `(update xs i (f (index xs i) a))` if `i` is an index of `xs`.
//!
//! A state that is no value and does not step is a primitive, coercion, size or assertion outside of its domain ([`Stuck`]).

pub mod erased;
pub mod link;
mod sizes;
pub mod typed;

use crate::base::{Code, Span};
use crate::ir::core::subst::TooLarge;
use crate::runtime::block::Fault;

/// The rules of both machines.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    Constant,
    Delta,
    Beta,
    /// Core only; the erased machine has `IBeta` in its place.
    TBeta,
    IBeta,
    Map,
    Let,
    Rep,
    Collapse,
    If,
    Proj,
    Field,
    Is,
    Payload,
    Unbox,
    Assert,
    For,
    While,
    Reify,
    Coerce,
}

/// Why a state that is no value does not step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// E0501 to E0508: an operation outside of its domain. E0599: the state was not well typed.
    pub code: Code,
    /// Where in the source.
    pub span: Span,
    /// What happened, with the values.
    pub message: String,
}

impl Stuck {
    fn at(fault: Fault, span: Span) -> Stuck {
        Stuck { code: fault.code, span, message: fault.message }
    }
    fn malformed(what: impl std::fmt::Display, span: Span) -> Stuck {
        Stuck::at(Fault::malformed(what), span)
    }
    fn too_large(span: Span) -> impl Fn(TooLarge) -> Stuck {
        move |TooLarge| Stuck::malformed("a size is too large to write out", span)
    }
}

/// What a machine does with a state.
#[derive(Debug, Clone)]
pub enum Step<E> {
    /// It is a value.
    Value,
    /// It becomes another state.
    Next(E, Rule),
    /// It is no value and does not step.
    Stuck(Stuck),
}

impl<E> Step<E> {
    fn of(result: Result<Option<(E, Rule)>, Stuck>) -> Step<E> {
        match result {
            Ok(None) => Step::Value,
            Ok(Some((next, rule))) => Step::Next(next, rule),
            Err(stuck) => Step::Stuck(stuck),
        }
    }
}
