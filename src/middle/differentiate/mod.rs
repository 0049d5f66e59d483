//! Differentiation of first-order programs, forward and in reverse. It takes a function and makes another one of the same language, so every
//! later pass and every back end knows what to do with a derivative, and derivatives of derivatives are no case of their own.
//!
//! # Meaning
//!
//! * Floats and complex numbers carry tangents and adjoints of their own type. Integers and booleans carry none: theirs are 0.
//! * What a function captures is constant.
//! * `<ay, forward f x dx> = <reverse f x ay, dx>` for the real inner product of all components.
//!
//! Before a body is differentiated its calls are inlined and it is simplified; afterwards it is optimised like any other one, which removes
//! what nobody asked for: the forward sweep of what only adjoints are wanted of, and adjoints of what is constant.

mod activity;
mod adjoints;
mod build;
mod folds;
mod forward;
mod gamma;
mod loops;
mod maps;
mod normalise;
mod partials;
mod poles;
mod products;
mod reverse;
mod single_cells;
mod strip_mining;
mod sums;
mod undo;
mod views;

use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, FunId, Operand, Program};
use crate::middle::optimise;
use activity::Reached;
use build::Build;
use reverse::Reverse;
use rustc_hash::{FxHashMap, FxHashSet};

/// Which derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Tangents of the results for tangents of the arguments.
    Forward,
    /// Adjoints of the arguments for adjoints of the results.
    Reverse,
}

/// A function that is to be made: it takes what another function takes, and seeds; it returns what that function returns, and the derivatives.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The function, whose body is made. Its last parameters are the seeds.
    pub of: FunId,
    /// The function that is differentiated; an earlier one.
    pub fun: FunId,
    /// Which derivative.
    pub mode: Mode,
    /// How many of the last parameters of the function are arguments; those before are captured, and constant.
    pub arguments: usize,
}

/// A derivative that somebody has written.
#[derive(Debug, Clone, Copy)]
pub struct Custom {
    /// The function that takes what the function captured, its results and their adjoints, and returns the adjoints of its arguments.
    pub adjoint: FunId,
    /// How many of the parameters of the function are captured.
    pub captured: usize,
}

/// Derivatives that somebody has written, by function.
pub type Customs = FxHashMap<FunId, Custom>;

/// What has no derivative, or none that this compiler makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// A loop whose arrays change their size, in reverse.
    LoopOfSizes(Span),
}

type Outcome<T> = Result<T, Refusal>;

/// Makes the bodies of derivatives, in order. Functions with a derivative of their own are called in them.
///
/// # Errors
/// Where something has no derivative.
pub fn differentiate(mut program: Program, requests: &[Request], customs: &Customs) -> Outcome<Program> {
    let again = differentiated(&program, requests, customs);
    for request in requests {
        let (prepared, body) = prepared(program, request, customs);
        program = prepared;
        let once = mutated!(QuotientsAgain, !again.contains(&request.of), true);
        program.funs[request.of].body = derived(&mut program, request, body, Rules { customs, once })?;
        if request.mode == Mode::Reverse {
            program = with_sums(program, request.of);
        }
    }
    Ok(program)
}

/// The functions that are differentiated, and those that they call.
fn differentiated(program: &Program, requests: &[Request], customs: &Customs) -> FxHashSet<FunId> {
    let mut found = FxHashSet::default();
    let mut waiting: Vec<FunId> = requests.iter().map(|request| request.fun).collect();
    while let Some(fun) = waiting.pop() {
        if found.insert(fun) {
            program.funs[fun].body.calls(&mut |callee| waiting.push(callee));
            waiting.extend(requests.iter().filter(|request| request.of == fun).map(|request| request.fun));
            waiting.extend(customs.get(&fun).map(|custom| custom.adjoint));
        }
    }
    found
}

/// How a function is differentiated.
#[derive(Clone, Copy)]
struct Rules<'a> {
    customs: &'a Customs,
    /// Whether the derivative is not differentiated itself: it may have forms of which only the values are exact.
    once: bool,
}

/// The body of the function that is differentiated, without calls but for those with a derivative of their own, and simple.
fn prepared(mut program: Program, request: &Request, customs: &Customs) -> (Program, Body) {
    let fun = request.fun;
    optimise::inline_into(&mut program, fun, &|callee| request.mode == Mode::Reverse && customs.contains_key(&callee));
    let mut program = simplified(program, fun, optimise::BEFORE_DERIVATIVES);
    let body = program.funs[fun].body.clone();
    let body = normalise::normalise(&mut program, body);
    let body = match request.mode {
        Mode::Forward => body,
        Mode::Reverse => strip_mining::strip_mined(&mut program, body),
    };
    (program, body)
}

/// The program with sums of products in a function that is a reverse sweep.
fn with_sums(program: Program, id: FunId) -> Program {
    let mut program = simplified(program, id, optimise::AFTER_DERIVATIVES);
    let body = std::mem::take(&mut program.funs[id].body);
    let body = sums::sums_of_products(&mut program, body);
    program.funs[id].body = body;
    program
}
/// The program with one of its functions after some passes. The others wait without their bodies, as entry points, so that they stay, with their
/// numbers, though nothing calls them then; and so do all constants.
fn simplified(mut program: Program, id: FunId, steps: &[optimise::Step]) -> Program {
    let consts = program.consts.clone();
    let mut waiting = Vec::with_capacity(program.funs.len());
    for other in program.fun_ids() {
        let fun = &mut program.funs[other];
        let body = (other != id).then(|| std::mem::take(&mut fun.body));
        waiting.push((other, std::mem::replace(&mut fun.entry, true), body));
    }
    let mut program = optimise::optimise_by(steps, program, &mut |_, _| {});
    program.consts = consts;
    for (other, entry, body) in waiting {
        let fun = &mut program.funs[other];
        fun.entry = entry;
        body.into_iter().for_each(|body| fun.body = body);
    }
    program
}

/// The body of a derivative.
fn derived(program: &mut Program, request: &Request, body: Body, rules: Rules) -> Outcome<Body> {
    let (params, span) = (program.funs[request.of].params.clone(), program.funs[request.of].span);
    let old = program.funs[request.fun].params.clone();
    let (given, seeds) = params.split_at(old.len());
    let mut subst = Subst::default();
    old.iter().zip(given).for_each(|(old, new)| {
        subst.operands.insert(*old, Operand::Var(*new));
    });
    let body = fresh_body(program, &body, &mut subst);
    let arguments = &given[given.len() - request.arguments..];
    let mut active = Reached::by_arguments();
    arguments.iter().for_each(|var| active.add(program, *var));
    let mut build = Build { program, stms: Vec::new(), span };
    let result = match request.mode {
        Mode::Forward => forward::forward(&mut build, active, body, arguments, seeds),
        Mode::Reverse => {
            let mut reverse = Reverse::new(&mut build, active, rules);
            let mut result = reverse.body(body, |_| seeds.iter().map(|seed| Some(Operand::Var(*seed))).collect());
            for var in arguments {
                let adjoint = reverse.taken_or_zeros(*var);
                result.push(adjoint);
            }
            reverse.finish()?;
            result
        }
    };
    let Build { stms, .. } = build;
    Ok(Body { stms, result })
}
