//! Errors of consumption in words.

use super::error::{Around, Consumer, Consumption, Error, Item, LoopCause, Sharing};
use super::mode::Misfit;
use super::roots::Lender;
use crate::base::{Code, Span, Symbol};
use crate::diag::{Change, Diagnostic, Fix};
use crate::ir::tables::Matching;

/// `x` in backticks, or something else.
fn quoted(name: Option<Symbol>, otherwise: &str) -> String {
    name.map_or_else(|| otherwise.to_string(), |name| format!("`{name}`"))
}

/// A function in an example.
fn called(name: Option<Symbol>) -> &'static str {
    name.map_or("f", |name| name.as_str())
}

fn copy_of(name: Option<Symbol>) -> String {
    name.map_or_else(|| "`copy (..)`".to_string(), |name| format!("`copy {name}`"))
}

/// With the change that passes a copy, where what is passed has a name.
fn with_copy(error: Diagnostic, item: &Item) -> Diagnostic {
    match item.name {
        Some(name) => error.fix(format!("pass a copy of `{name}`"), item.at, format!("(copy {name})")),
        None => error,
    }
}

/// With the change that lets a parameter be consumed.
fn with_star(mut error: Diagnostic, parameter: &Item) -> Diagnostic {
    let title = format!("write `*` before the type of {}", quoted(parameter.name, "the parameter"));
    error.fixes.push(Fix { title, change: Change::Consume(parameter.at) });
    error
}

/// The beginning of a loop.
fn head_of(span: Span) -> Span {
    Span { end: span.end.min(span.start + 4), ..span }
}

impl Error {
    /// The error in words.
    pub fn report(&self) -> Diagnostic {
        match self {
            Error::UsedAfterConsumed { used, consumed, lender } => used_after_consumed(used, consumed, *lender),
            Error::ConsumedTwice { gift, earlier } => consumed_twice(gift, earlier),
            Error::ConsumesParameter { gift, parameter, own } => consumes_parameter(gift, parameter, *own),
            Error::ConsumesConstant { gift, constant, declared } => consumes_constant(gift, *constant, *declared),
            Error::ConsumesOuter { gift, around, parameter } => consumes_outer(gift, *around, *parameter),
            Error::LoopVariablesShare { next, cause, lender } => next_value(
                *next,
                "two variables of the loop may share memory, and one of them is consumed in every iteration".to_string(),
                *cause,
                *lender,
            ),
            Error::NextValueShared { next, with, cause, lender } => {
                let with = quoted(*with, "something outside of it");
                let message = format!("the loop consumes its variable, but the next value may share memory with {with}");
                next_value(*next, message, *cause, *lender)
            }
            Error::ResultNotUnique { result, sharing, declared, lender } => result_not_unique(result, sharing, *declared, *lender),
            Error::FunctionMisfit { function, misfit, receiver } => function_misfit(function, *misfit, *receiver),
            Error::MemberMisfit { member, misfit, matching } => member_misfit(*member, *misfit, matching),
            Error::CalledOften { function } => {
                let what = quoted(function.name, "this function");
                let message = format!("{what} captures a consumed value, so it can be called only once");
                Diagnostic::error(Code::ConsumingArgument, function.at, message)
                    .here("may be applied several times here")
                    .help("write a function that takes all arguments, or one that passes a copy")
            }
            Error::ConsumesShared { argument, function } => {
                let what = quoted(argument.name, "this argument");
                let function = quoted(*function, "the function");
                let message = format!("{what} is consumed, but it is the same in all applications of {function}");
                let rep = argument.name.map_or_else(|| "`rep (..)`".to_string(), |name| format!("`(rep {name})`"));
                Diagnostic::error(Code::ConsumesShared, argument.at, message)
                    .here("the first application would consume what the others need")
                    .help(format!("give each of them a copy: {rep}"))
            }
        }
    }
}

/// Says why two things may share memory that have different names.
fn with_lender(mut diagnostic: Diagnostic, lender: Option<Lender>) -> Diagnostic {
    if let Some(Lender { at, name, library }) = lender {
        if diagnostic.labels.iter().all(|label| label.span != at) {
            diagnostic = diagnostic.label(at, format!("what `{name}` returns may share memory with its arguments"));
        }
        if !library {
            diagnostic = diagnostic.note(format!("a `*` before the type of the result of `{name}` would say that it never does"));
        }
    }
    diagnostic
}

/// To whom something is given.
fn given_to(gift: &Consumption) -> String {
    let what = quoted(gift.item.name, "this");
    match gift.by {
        Consumer::Call(Some(name)) => format!("`{name}` consumes {what}"),
        Consumer::Call(None) | Consumer::Once => format!("{what} is consumed here"),
        Consumer::Loop(..) => format!("the loop consumes {what}"),
        Consumer::Next => format!("the next iteration consumes {what}"),
        Consumer::Result => "returned to the caller, who may overwrite it".to_string(),
    }
}

/// Where the body of a loop consumes what is given to the loop.
fn with_loop(diagnostic: Diagnostic, by: Consumer) -> Diagnostic {
    match by {
        Consumer::Loop(_, Some(inside)) => diagnostic.label(inside, "the loop consumes it here"),
        Consumer::Loop(_, None) | Consumer::Call(_) | Consumer::Once | Consumer::Next | Consumer::Result => diagnostic,
    }
}

fn used_after_consumed(used: &Item, consumed: &Consumption, lender: Option<Lender>) -> Diagnostic {
    let what = consumed.item.name;
    let same = used.name.is_some() && used.name == what;
    let message = match used.name {
        Some(name) => format!("`{name}` is used after it was consumed"),
        None => "this is used after its memory was consumed".to_string(),
    };
    let here = if same || what.is_none() || used.name.is_none() {
        "used here".to_string()
    } else {
        format!("shares memory with {}", quoted(what, "it"))
    };
    let mut error = Diagnostic::error(Code::UseAfterConsumption, used.at, message).here(here);
    if consumed.item.at != used.at {
        error = error.label(consumed.item.at, given_to(consumed));
    }
    error = with_loop(error, consumed.by);
    if !same {
        error = with_lender(error, lender);
    }
    with_copy(error.help(format!("pass a copy: {}", copy_of(what))), &consumed.item)
}

fn consumed_twice(gift: &Consumption, earlier: &Consumption) -> Diagnostic {
    let (Item { name, at }, first) = (gift.item, earlier.item);
    let shares = name != first.name && name.is_some() && first.name.is_some();
    let (message, again, before, help) = match gift.by {
        Consumer::Once => (
            format!("{} captures a consumed value, but is called twice", quoted(name, "this function")),
            "applied again here".to_string(),
            "applied here".to_string(),
            "write a function of all arguments instead of applying it to some of them".to_string(),
        ),
        Consumer::Call(_) | Consumer::Loop(..) | Consumer::Next | Consumer::Result => (
            format!("{} is consumed twice", quoted(name, "this")),
            if shares { format!("may share memory with {}", quoted(first.name, "it")) } else { given_to(gift) },
            given_to(earlier),
            format!("pass a copy: {}", copy_of(first.name)),
        ),
    };
    let error = Diagnostic::error(Code::UseAfterConsumption, at, message).here(again);
    let error = if first.at == at { error } else { error.label(first.at, before) };
    error.help(help)
}

fn consumes_parameter(gift: &Consumption, parameter: &Item, own: bool) -> Diagnostic {
    let what = quoted(gift.item.name, "this");
    let message = if own {
        format!("{what} is consumed, but the caller keeps it")
    } else {
        format!("{what} is consumed, but it may share memory with {}, which the caller keeps", quoted(parameter.name, "a parameter"))
    };
    let error = Diagnostic::error(Code::ConsumesBorrowed, gift.item.at, message)
        .here(given_to(gift))
        .label(parameter.at, "a parameter without `*` stays with the caller");
    let name = quoted(parameter.name, "the parameter");
    let error = with_loop(error, gift.by).help(format!("write `*` before the type of {name}, or pass a copy: {}", copy_of(gift.item.name)));
    with_copy(with_star(error, parameter), &gift.item)
}

fn consumes_constant(gift: &Consumption, constant: Symbol, declared: Option<Span>) -> Diagnostic {
    let what = quoted(gift.item.name, "this");
    let own = gift.item.name == Some(constant);
    let which = if own { "it".to_string() } else { format!("`{constant}`") };
    let message = format!("{what} is consumed, but {which} is a constant of the program");
    let error = Diagnostic::error(Code::ConsumesBorrowed, gift.item.at, message).here(given_to(gift));
    let error = match declared {
        Some(declared) => error.label(declared, "declared here"),
        None => error,
    };
    with_copy(error.help(format!("pass a copy: {}", copy_of(gift.item.name))), &gift.item)
}

fn consumes_outer(gift: &Consumption, around: Around, parameter: Option<Symbol>) -> Diagnostic {
    let what = quoted(gift.item.name, "this");
    let aliases = match parameter.filter(|name| Some(*name) != gift.item.name) {
        Some(name) => format!("it may share memory with `{name}`, which is"),
        None => "it is".to_string(),
    };
    let (code, message, span, label, help) = match around {
        Around::Function(span) => (
            Code::ConsumesCaptured,
            format!("{what} is consumed in a function, but {aliases} from outside of it"),
            span,
            "this function may be applied any number of times",
            "make it a parameter of the function",
        ),
        Around::Loop(span) => (
            Code::LoopConsumesOuter,
            format!("{what} is consumed in every iteration, but {aliases} from outside of the loop"),
            head_of(span),
            "in this loop",
            "make it a variable of the loop",
        ),
    };
    let error = Diagnostic::error(code, gift.item.at, message).here(given_to(gift)).label(span, label);
    with_copy(error.help(format!("{help}, or pass a copy: {}", copy_of(gift.item.name))), &gift.item)
}

/// The next values of a loop do not fit what it consumes.
fn next_value(next: Span, message: String, cause: LoopCause, lender: Option<Lender>) -> Diagnostic {
    let error = Diagnostic::error(Code::LoopConsumesOuter, next, message).here("the next values");
    let error = match cause.consumed {
        Some(consumed) if consumed != next => error.label(consumed, "consumed here"),
        Some(_) | None => error.label(cause.variables, "the variables of the loop"),
    };
    with_lender(error, lender).help("go on with a copy: `copy (..)`")
}

fn result_not_unique(result: &Item, sharing: &Sharing, declared: Span, lender: Option<Lender>) -> Diagnostic {
    let what = quoted(result.name, "it");
    let mut help = format!("return a copy: {}", copy_of(result.name));
    let mut star = None;
    let (message, place) = match sharing {
        Sharing::Part(at) => (
            format!("{what} may share memory with another part of the result, but one of them is declared unique (`*`)"),
            Some((*at, "the other part")),
        ),
        Sharing::Consumed(at) => (format!("{what} was consumed"), Some((*at, "the other part"))),
        Sharing::Parameter { parameter, function } => {
            let shares = match (parameter.name == result.name, function) {
                (true, _) => "is a parameter that the caller keeps".to_string(),
                (false, true) => format!("may share memory with what {} captures", quoted(parameter.name, "a parameter")),
                (false, false) => format!("may share memory with {}, which the caller keeps", quoted(parameter.name, "a parameter")),
            };
            if !function {
                help += &format!(", or write `*` before the type of {}", quoted(parameter.name, "the parameter"));
                star = Some(parameter);
            }
            (
                format!("the result is declared unique (`*`), but {what} {shares}"),
                Some((parameter.at, "a parameter without `*` stays with the caller")),
            )
        }
        Sharing::Constant { constant, declared } => (
            format!("the result is declared unique (`*`), but {what} is, or is a part of, the constant `{constant}`"),
            declared.map(|declared| (declared, "a constant of the program")),
        ),
        Sharing::Outside => (format!("the result is declared unique (`*`), but {what} comes from outside of the function"), None),
    };
    let mut error = Diagnostic::error(Code::ResultNotUnique, result.at, message).here("this is returned");
    if let Some((span, text)) = place
        && span != result.at
    {
        error = error.label(span, text);
    }
    error = with_lender(error.label(declared, "declared unique here"), lender).help(help);
    if let Some(parameter) = star {
        error = with_star(error, parameter);
    }
    with_copy(error, result)
}

fn function_misfit(function: &Item, misfit: Misfit, receiver: Option<Symbol>) -> Diagnostic {
    let what = quoted(function.name, "this function");
    let place = quoted(receiver, "its place");
    let name = called(function.name);
    let (message, here, help) = match misfit {
        Misfit::Takes => (
            format!("{what} consumes its argument, but {place} may apply it to what is used again"),
            "consumes its argument",
            format!("apply it to a copy: `\\x -> {name} (copy x)`, or write `*` before the type of the argument where it is expected"),
        ),
        Misfit::Shares => (
            format!("{place} needs a function whose result is unique (`*`), but what {what} returns may share memory"),
            "there is no `*` before the type of its result",
            format!("return a copy: `\\x -> copy ({name} x)`"),
        ),
    };
    Diagnostic::error(Code::ConsumingArgument, function.at, message).here(here).help(help)
}

fn member_misfit(name: Symbol, misfit: Misfit, matching: &Matching) -> Diagnostic {
    let name = name.as_str();
    let name = name.rsplit('.').next().unwrap_or(name);
    let (message, member, help) = match misfit {
        Misfit::Takes => (
            format!("`{name}` consumes an argument that its module type does not consume"),
            "consumes an argument (`*`)",
            "write `*` before the type of the argument in the module type, or copy the argument in the module",
        ),
        Misfit::Shares => (
            format!("the module type declares the result of `{name}` unique (`*`), but it may share memory with its arguments"),
            "has a result without `*`",
            "return a copy in the module and write `*` before the type of the result",
        ),
    };
    let mut error = Diagnostic::error(Code::ModuleConsumes, matching.at, message)
        .here(format!("the `{name}` of this module"))
        .label(matching.spec, "the module type says this");
    if let Some(span) = matching.member {
        error = error.label(span, member);
    }
    error.help(help)
}
