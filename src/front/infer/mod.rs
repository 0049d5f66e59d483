//! Type and rank inference of one top-level definition at a time.
//!
//! Every type is a *rank*, a linear expression over rank variables, around a *base* that is no array. Two types are equal when
//! their bases are, by first-order unification (`unify`), and their ranks are, by one linear equation each. Applications are
//! the only places where maps and reps may be inserted (of an update, which maps nothing, the value is like an argument): each argument is a *site* with two unknowns, unless the ranks known at
//! that moment leave one possibility, which is then taken on the spot (`apply`). When the whole definition was visited the rank
//! system is solved ([`crate::rank`]) and the types are finished, for any of the system's solutions ([`Inferred`]).
//!
//! Glossary:
//! - **frame**: the dimensions that maps on earlier arguments of a curried application put around its result. A judgement
//!   carries it beside the type, through `let`, parentheses and partial application, because reps up to the frame are free;
//! - **lift**: where a parameter is a function and the argument an array of functions (replicated or the result of a partial
//!   application over arrays), the array may serve as a function on arrays: `[k](a -> b)` as `[k]a -> [k]b`. The lift, `k`, is
//!   `reps + rank(argument) - maps - frame - rank(parameter)`. The reverse does not hold: a function on arrays is no array of functions;
//! - **class**: what an undetermined base may become (numeric, integral, without functions, ..): literals and operators;
//! - **reason**: why two types have to be equal; errors are made of reasons.

mod advice;
mod annotation;
mod apply;
mod bases;
mod blame;
mod cases;
mod checks;
mod context;
mod error;
mod export;
mod expr;
mod infer_def;
mod ranks;
mod readings;
mod reason;
mod recursion;
mod report;
mod shown;
mod types;
mod unify;

pub(crate) use advice::unannotated;
pub use cases::{CaseError, check_cases};
pub use context::SiteRef;
pub use error::{Error, ErrorKind};
pub use export::Inferred;
pub use infer_def::{infer_def, infer_with, rank_system};
pub use readings::Readings;
pub use shown::Shown;

#[cfg(test)]
mod tests;
