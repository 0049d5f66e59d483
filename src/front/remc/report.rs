//! Errors of core written by hand in words. Its notation has the codes E018x, kinds and sorts have E0703 and E0704
//! ([`crate::ir::core::read`]).

use super::error::{
    Advice, Argument, Binding, BoxError, CallError, Data, DataError, Empty, Error, ErrorKind, FormError, Framed, InstanceError, NameError,
    Place, TypeError, Undetermined,
};
use super::expr::form_syntax;
use super::instantiate::shown;
use super::library;
use crate::base::{Code, MAX_RANK, Span};
use crate::diag::Diagnostic;
use crate::ir::core::print::{index, shape, type_brief};
use crate::ir::core::read::{self, BinderKind};
use crate::ir::core::{Atom, Index, Shape, Type};

/// An error in words.
pub(super) fn report(error: &Error) -> Diagnostic {
    let at = error.at;
    match &error.kind {
        ErrorKind::Read(kind) => read::report(&read::Error { at, kind: kind.clone() }),
        ErrorKind::Form(error) => form(at, error),
        ErrorKind::Name(error) => name(at, error),
        ErrorKind::Type(error) => type_error(at, error),
        ErrorKind::Data(error) => data(at, error),
        ErrorKind::Box(error) => boxes(at, error),
        ErrorKind::Call(error) => call(at, error),
        ErrorKind::Instance(error) => instance(at, error),
    }
}

/// `1 argument`, `2 arguments`.
fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn form(at: Span, error: &FormError) -> Diagnostic {
    let message = match error {
        FormError::Keyword(word) => format!("expected {}", form_syntax(word).unwrap_or(word)),
        FormError::NoVariables(BinderKind::Index) => "index variables are expected here, there are none".to_string(),
        FormError::NoVariables(BinderKind::Type) => "type variables are expected here, there are none".to_string(),
        FormError::ShapeForValue(name) => format!("`{name}` is the name of a shape, the name of a value is expected here"),
        FormError::BoundTwice(name) => format!("`{name}` is bound twice by one form"),
        FormError::RanksNotApplied => "a function with ranks is applied where it stands: (~(r ..)f e ..)".to_string(),
        FormError::RanksWithoutArguments => "a function with ranks is applied to arguments".to_string(),
        FormError::NotARank => "a rank is a number or `all`".to_string(),
    };
    Diagnostic::error(Code::CoreForm, at, message)
}

fn name(at: Span, error: &NameError) -> Diagnostic {
    let malformed = |message: &str| Diagnostic::error(Code::CoreMalformed, at, message);
    let unknown = |message: &str| Diagnostic::error(Code::CoreUnknownName, at, message);
    match error {
        NameError::UnknownLibrary { name, near } => {
            let known: Vec<&str> = library::known().collect();
            let diagnostic = unknown(&format!("there is no library `{name}`")).note(format!("the libraries are: {}", known.join(", ")));
            match near {
                Some(near) => diagnostic.did_you_mean(name.as_str(), near, at),
                None => diagnostic,
            }
        }
        NameError::LateUse => malformed("(use LIBRARY) stands once, at the beginning of a file"),
        NameError::DefinedTwice { name, first } => malformed(&format!("`{name}` is defined twice")).label(*first, "first defined here"),
        NameError::LostExpression => malformed("only the last form of a file is an expression; this one would be lost"),
        NameError::Unknown { name, advice } => {
            let diagnostic = unknown(&format!("`{name}` is not defined"));
            match advice {
                Some(Advice::DefinedLater(place)) => {
                    diagnostic.label(*place, "defined here").help("a definition sees only those before it, so there is no recursion")
                }
                Some(Advice::IsSize) => diagnostic.help(format!("`{name}` is a size: its value is (reify-dimension {name})")),
                Some(Advice::Similar(near)) => diagnostic.did_you_mean(name.as_str(), near, at),
                None => diagnostic,
            }
        }
    }
}

// Types.

fn type_error(at: Span, error: &TypeError) -> Diagnostic {
    let mismatch = |message: &str| Diagnostic::error(Code::CoreTypeMismatch, at, message);
    match error {
        TypeError::Mismatch { place, wanted, found } => {
            let (wanted, found) = (type_brief(wanted), type_brief(found));
            mismatch(&format!("{}: expected {wanted}, found {found}", place_in_words(*place))).here(format!("this has type {found}"))
        }
        TypeError::ArrayCondition(found) => {
            mismatch(&format!("the condition is an array of shape {}, a single bool is expected", shape(found)))
                .help("`if` evaluates one of its branches; `select` chooses cell by cell")
        }
        TypeError::SizeTooLarge => Diagnostic::error(Code::CoreSizeTooLarge, at, "a size in this type is too large to write out"),
        TypeError::Escape { name, from, ty } => {
            let (message, help) = match from {
                Binding::Let => (
                    format!("the value of `{name}` is not known outside its scope, where the type of this expression mentions it"),
                    "hide the size in a box: (box ((n (size x))) T e)",
                ),
                Binding::Map => (
                    format!("irregular: the shape of the cells of this map depends on `{name}`, which differs from cell to cell"),
                    "cells of different shapes are put into boxes: (box ((n (size x))) T e)",
                ),
                Binding::Unbox => (
                    format!("`{name}` is not known outside of this unbox, where the type of its body mentions it"),
                    "what depends on a hidden index stays in the unbox or goes into a box again",
                ),
            };
            Diagnostic::error(Code::CoreEscapingSize, at, message).here(format!("its type is {}", type_brief(ty))).help(help)
        }
        TypeError::NoValue => Diagnostic::error(Code::CoreAbstraction, at, "the body of a type or index abstraction must be a value")
            .help("a value is a function, a variable, or a literal of values; make this the body of a function"),
        TypeError::UntypedParameter => mismatch("a parameter needs a type").help("core has no type inference for parameters: write [x T]"),
        TypeError::Coercion { from, to } => mismatch(&format!(
            "a value of type {} cannot be coerced to {}: they differ in more than sizes",
            type_brief(from),
            type_brief(to)
        )),
        TypeError::Reshape { from, to } => {
            let (found, wanted) = (shape(from), shape(to));
            let why = "it is not certain that they have as many elements";
            let message = format!("an array of shape {found} cannot be given the shape {wanted}: {why}");
            Diagnostic::error(Code::CoreReshape, at, message)
                .help("sizes between shape variables must have equal products; `coerce` checks sizes at run time")
        }
        TypeError::NoFrame { name, found, frame } => {
            let (found, frame) = (shape(found), shape(frame));
            let message = format!("the array for `{name}` has shape {found}, which does not begin with the frame {frame}");
            Diagnostic::error(Code::CoreFrames, at, message)
        }
    }
}

fn place_in_words(place: Place) -> String {
    match place {
        Place::ValueOf(name) => format!("the value of `{name}`"),
        Place::Value => "this value".into(),
        Place::FunctionBody => "the body of this function".into(),
        Place::SecondBranch => "the second branch has another type than the first".into(),
        Place::Condition => "the condition".into(),
        Place::FirstValueOf(name) => format!("the first value of `{name}`"),
        Place::Iterations => "the number of iterations".into(),
        Place::LoopBody => "the body of this loop".into(),
        Place::BoxContent => "the value in this box".into(),
        Place::Cell(at) => format!("cell {at} of this literal has another type than the first"),
        Place::FrameCells => "the cells of this frame".into(),
    }
}

// Data and boxes.

fn data(at: Span, error: &DataError) -> Diagnostic {
    let arity = |message: &str| Diagnostic::error(Code::CoreArity, at, message);
    let mismatch = |message: &str| Diagnostic::error(Code::CoreTypeMismatch, at, message);
    match error {
        DataError::UntypedEmpty(Empty::Vector) => arity("an empty array needs a type").help("write (array [0] t) or (frame [0] T)"),
        DataError::UntypedEmpty(Empty::Array) => arity("an empty array needs the type of its elements").help("write (array [0] t)"),
        DataError::UntypedEmpty(Empty::Frame) => arity("an empty frame needs the type of its cells").help("write (frame [0] T)"),
        DataError::Rank(rank) => arity(&format!("an array has at most {MAX_RANK} dimensions, this has {rank}")),
        DataError::ArraysInArray(found) => mismatch(&format!("the elements of `array` are atoms, these have shape {}", shape(found)))
            .help("a literal of arrays is written (frame [n ..] e ..) or [e ..]"),
        DataError::Count { dims, items } => {
            let product = if dims.contains(&0) { Some(0) } else { dims.iter().try_fold(1u64, |product, n| product.checked_mul(*n)) };
            let wanted = product.map_or("more than there can be".to_string(), |product| product.to_string());
            let dims: Vec<String> = dims.iter().map(u64::to_string).collect();
            arity(&format!("a literal of shape [{}] has {wanted} items, here are {items}", dims.join(" ")))
        }
        DataError::NotOf { wanted, found } => {
            let wanted = match wanted {
                Data::Tuple => "a tuple",
                Data::Record => "a record",
                Data::Sum => "a sum",
            };
            mismatch(&format!("expected {wanted}, found {}", type_brief(found)))
        }
        DataError::NoComponent { at, of } => mismatch(&format!("there is no component {at} in a tuple of {of}")),
        DataError::NoField { label, ty } => mismatch(&format!("there is no field `{label}` in {}", type_brief(ty))),
        DataError::NoConstructor { label, ty } => mismatch(&format!("there is no constructor `{label}` in {}", type_brief(ty))),
        DataError::Payload { label, wanted, found } => {
            let (wanted, found) = (type_brief(wanted), type_brief(found));
            mismatch(&format!("the payload of `{label}` has type {wanted}, found {found}"))
        }
    }
}

fn boxes(at: Span, error: &BoxError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::CoreBox, at, message);
    let mismatch = |message: &str| Diagnostic::error(Code::CoreTypeMismatch, at, message);
    match error {
        BoxError::NoBoxType(ty) => wrong(&format!("the type of a box is a Sigma, this is {}", type_brief(ty))),
        BoxError::NoBox(ty) => wrong(&format!("expected a box, found {}", type_brief(ty))),
        BoxError::HiddenCount { wanted, given } => {
            let indices = if *wanted == 1 { "index" } else { "indices" };
            wrong(&format!("this box hides {wanted} {indices}, {given} given"))
        }
        BoxError::HiddenSort { name, given } => {
            let (wanted, sort) = match given {
                Index::Dim(_) => ("shape", "size"),
                Index::Shape(_) => ("size", "shape"),
            };
            Diagnostic::error(Code::CoreSort, at, format!("`{name}` stands for a {wanted}, {} is a {sort}", index(given)))
        }
        BoxError::HiddenNames { names, ty } => {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            wrong(&format!("the names ({}) do not fit the hidden indices of {}", names.join(" "), type_brief(ty)))
        }
        BoxError::NoSizes(ty) => mismatch(&format!("sizes are i64, these are {}", type_brief(ty))),
        BoxError::NoVector(ty) => mismatch(&format!("a shape is made of a vector of sizes, this has type {}", type_brief(ty))),
    }
}

/// Adds what to do with a box that is no argument.
fn box_help(diagnostic: Diagnostic, found: &Type) -> Diagnostic {
    match found.atom() {
        Atom::Sigma(names, _) => {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            diagnostic.help(format!("a box is opened first: (unbox e (x {}) ..)", names.join(" ")))
        }
        _ => diagnostic,
    }
}

// Applications.

fn argument(Argument { at, of }: &Argument) -> String {
    format!("argument {} of {of}", at + 1)
}

fn call(at: Span, error: &CallError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::CoreApplication, at, message);
    match error {
        CallError::NoFunction { called, ty } => wrong(&format!("a function is expected here, {called} has type {}", type_brief(ty))),
        CallError::ArgumentCount { called, takes, given: 0 } => {
            wrong(&format!("{called} takes {}, none are given", counted(*takes, "argument")))
        }
        CallError::ArgumentCount { called, takes, given } => wrong(&format!("{called} takes {}, not {given}", counted(*takes, "argument"))),
        CallError::RankCount { ranks, arguments } => {
            wrong(&format!("a function with {} is applied to {}", counted(*ranks, "rank"), counted(*arguments, "argument")))
        }
        CallError::UnknownRank(found) => {
            Diagnostic::error(Code::CoreFrames, at, format!("the rank of this argument is not known: its shape is {}", shape(found)))
        }
        CallError::UnknownSize { operand, scalar } => {
            let message = format!("{} is a size in a type, and its value is not known", argument(operand));
            Diagnostic::error(Code::CoreUnknownSize, at, message).help(match scalar {
                true => "bind it with `let`, (let [n e] ..), where the array does not leave the scope of n, or use `lift`",
                false => "cells of different shapes are put into boxes, for example with `lift`",
            })
        }
        CallError::Cells { operand, wanted, found, same_atoms } => cells(at, operand, wanted, found, *same_atoms),
        CallError::Frames { called, first, second } => {
            let (left, right) = (shape(&first.frame), shape(&second.frame));
            let message = format!("the frames {left} and {right} do not agree: neither is a prefix of the other");
            let here = if called.is_name() { format!("in this application of {called}") } else { "in this application".to_string() };
            let label =
                |d: Diagnostic, Framed { operand, frame, at }: &Framed| d.label(*at, format!("{operand} has frame {}", shape(frame)));
            label(label(Diagnostic::error(Code::CoreFrames, at, message).here(here), first), second)
        }
    }
}

fn cells(at: Span, operand: &Argument, wanted: &Type, found: &Type, same_atoms: bool) -> Diagnostic {
    let (cell, items) = (&wanted.shape().items, &found.shape().items);
    let shown = type_brief(found);
    let why = match same_atoms {
        false => String::new(),
        true if items.len() < cell.len() => format!(", which has rank {} only", items.len()),
        true => {
            let end = Shape { items: items[items.len() - cell.len()..].to_vec() };
            format!(", whose cells have shape {}", shape(&end))
        }
    };
    let message = format!("{}: expected cells of type {}, found {shown}{why}", argument(operand), type_brief(wanted));
    let diagnostic = Diagnostic::error(Code::CoreCells, at, message).here(format!("this has type {shown}"));
    if same_atoms { diagnostic } else { box_help(diagnostic, found) }
}

// Type and index arguments.

fn instance(at: Span, error: &InstanceError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::CoreTypeApplication, at, message);
    match error {
        InstanceError::TakesNoIndices { called, ty } => wrong(&format!("{called} takes no indices, its type is {}", type_brief(ty))),
        InstanceError::IndexCount { called, names, given } => {
            let list: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            wrong(&format!("{called} takes {}, not {given}", counted(names.len(), "index argument")))
                .note(format!("they are: {}", list.join(" ")))
        }
        InstanceError::IndexSort { called, name, given } => {
            let shown = index(given);
            let sort = |wanted: &str, found: &str| {
                Diagnostic::error(Code::CoreSort, at, format!("`{name}` of {called} is a {wanted}, {shown} is a {found}"))
            };
            match given {
                Index::Dim(_) => sort("shape", "size").help(format!("the shape of one dimension is [{shown}]")),
                Index::Shape(_) => sort("size", "shape"),
            }
        }
        InstanceError::NegativeSize(size) => wrong(&format!("a size is not negative, {size} is")),
        InstanceError::TakesNoTypes { called, ty } => wrong(&format!("{called} takes no types, its type is {}", type_brief(ty))),
        InstanceError::TypeCount { called, takes, given } => {
            wrong(&format!("{called} takes {}, not {given}", counted(*takes, "type argument")))
        }
        InstanceError::ArrayForAtom { called, ty } => {
            let message = format!("{called} takes an atom type here, {} is an array type", type_brief(ty));
            Diagnostic::error(Code::CoreKind, at, message)
        }
        InstanceError::Contradiction { operand: Some((operand, ty)), reason } => {
            let diagnostic = Diagnostic::error(Code::CoreCells, at, format!("{} does not fit: {reason}", argument(operand)));
            box_help(diagnostic.here(format!("this has type {}", type_brief(ty))), ty)
        }
        InstanceError::Contradiction { operand: None, reason } => {
            Diagnostic::error(Code::CoreCells, at, format!("the type arguments do not fit their place: {reason}"))
        }
        InstanceError::TooManyChoices => {
            let message = "there are too many ways to read the shapes of the arguments";
            Diagnostic::error(Code::CoreOmittedArguments, at, message).help("write the type and index arguments: f{t .. | i ..}")
        }
        InstanceError::Undetermined(undetermined) => undetermined_arguments(at, undetermined),
    }
}

/// Names every argument that is missing and shows how to write it.
fn undetermined_arguments(at: Span, Undetermined { missing, possible, written }: &Undetermined) -> Diagnostic {
    let mut functions: Vec<String> = missing.iter().map(|(_, of)| of.to_string()).collect();
    functions.dedup();
    let names: Vec<String> = missing.iter().map(|(name, _)| format!("`{name}`")).collect();
    let (names, functions) = (names.join(", "), functions.join(" and "));
    let message = match missing.len() {
        0 => "the frames of the arguments do not follow from their types".to_string(),
        1 => format!("{names} of {functions} does not follow from the arguments"),
        _ => format!("{names} of {functions} do not follow from the arguments"),
    };
    let mut diagnostic = Diagnostic::error(Code::CoreOmittedArguments, at, message);
    if possible.len() > 1 {
        let parts = possible.iter().map(|one| {
            let parts: Vec<String> = one.iter().map(|(name, value)| format!("{name} = {}", shown(value))).collect();
            parts.join(", ")
        });
        diagnostic = diagnostic.note(format!("possible are: {}", parts.collect::<Vec<_>>().join("; or ")));
    }
    for (called, arguments) in written {
        diagnostic = diagnostic.help(format!("write them: `{}{arguments}`", called.bare()));
    }
    diagnostic
}
