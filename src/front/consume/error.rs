//! What can be wrong with consumption, as data; [`report`](super::report) has the words.

use super::mode::Misfit;
use super::roots::Lender;
use crate::base::{Span, Symbol};
use crate::ir::tables::Matching;

/// Something that is wrong with consumption.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// A value is used after it, or what may share memory with it, was consumed.
    UsedAfterConsumed { used: Item, consumed: Consumption, lender: Option<Lender> },
    /// A value is consumed after it, or what may share memory with it, was consumed.
    ConsumedTwice { gift: Consumption, earlier: Consumption },
    /// What may be the memory of a parameter is consumed, which the caller keeps. `own` if it is the parameter or a field of it.
    ConsumesParameter { gift: Consumption, parameter: Item, own: bool },
    /// What may be the memory of a constant is consumed, which is declared there, if not in the library.
    ConsumesConstant { gift: Consumption, constant: Symbol, declared: Option<Span> },
    /// What may be memory from outside of a function or loop, perhaps that of a parameter, is consumed in it.
    ConsumesOuter { gift: Consumption, around: Around, parameter: Option<Symbol> },
    /// Two variables of a loop may share memory, one of which the loop consumes.
    LoopVariablesShare { next: Span, cause: LoopCause, lender: Option<Lender> },
    /// The next value of a variable that a loop consumes is not the loop's own, but may be this.
    NextValueShared { next: Span, with: Option<Symbol>, cause: LoopCause, lender: Option<Lender> },
    /// A result that is declared unique may share memory.
    ResultNotUnique { result: Item, sharing: Sharing, declared: Span, lender: Option<Lender> },
    /// A function consumes or shares what its place does not allow; that is the parameter of the receiver.
    FunctionMisfit { function: Item, misfit: Misfit, receiver: Option<Symbol> },
    /// The value of a module consumes or shares what its module type does not allow.
    MemberMisfit { member: Symbol, misfit: Misfit, matching: Matching },
    /// A function that captures a consumed value stands where it may be called several times.
    CalledOften { function: Item },
    /// An argument is consumed that is the same in all applications that a map makes.
    ConsumesShared { argument: Item, function: Option<Symbol> },
}

/// A value at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item {
    /// Its name, if it has one.
    pub name: Option<Symbol>,
    /// Where it stands.
    pub at: Span,
}

/// Memory was consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consumption {
    /// What is consumed.
    pub item: Item,
    /// By whom.
    pub by: Consumer,
    /// The function whose result it may be, if that may share memory with arguments.
    pub returned: Option<Lender>,
}

/// By whom something is consumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consumer {
    /// A function.
    Call(Option<Symbol>),
    /// A closure that captures a consumed value, at its only call.
    Once,
    /// A loop, whose body gives it on at the second place.
    Loop(Span, Option<Span>),
    /// The next iteration.
    Next,
    /// Whoever called.
    Result,
}

/// A function or loop from outside of which something comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// A function inside the definition.
    Function(Span),
    /// A loop.
    Loop(Span),
}

/// Why a loop needs memory of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopCause {
    /// Where the body consumes the variable, if not by its annotation.
    pub consumed: Option<Span>,
    /// The variables of the loop.
    pub variables: Span,
}

/// What a result may share its memory with.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Another part of the result, which stands there.
    Part(Span),
    /// Something that was consumed there.
    Consumed(Span),
    /// A parameter that the caller keeps, or what is captured in it if that is a function.
    Parameter { parameter: Item, function: bool },
    /// A constant, which is declared there, if not in the library.
    Constant { constant: Symbol, declared: Option<Span> },
    /// Something from outside of the function.
    Outside,
}
