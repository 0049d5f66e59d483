//! Erased core means what core means: every run that the corpus and the examples ask for has the same result, or fails with the same
//! code, when it is evaluated without types. The runs are also stepped, for a while, as states of the reduction machines: typed and
//! erased states stay in lockstep, and runs that end end in this result.

use crate::support::laws::{self, End};
use crate::support::programs::{ALL, Source, programs};
use libtest_mimic::{Failed, Trial};
use remora::base::with_big_stack;
use remora::base::{Span, Symbol};
use remora::cli::program::load;
use remora::cli::test::{Run, runs};
use remora::ir::core::names::FreeNames;
use remora::ir::core::{self, Expr, ExprKind, Prim, print};
use remora::theory::erased::validate;
use remora::theory::eval::{Index, Value};
use remora::theory::step::link;
use remora::theory::{self, erase};
use remora::{interp, runtime};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether the numbers that a run is given multiply to more than fifty thousand, which is about how much it computes. The plain evaluator
/// copies what others share, and large runs are about memory and threads, not about meaning.
fn is_huge(run: &Run) -> bool {
    let numbers = run.arguments.iter().filter_map(|argument| argument.as_i64());
    numbers.fold(1, |product: u64, n| product.saturating_mul(n.unsigned_abs().max(1))) > 50_000
}

/// Whether a run takes derivatives, which are no part of the theory.
fn takes_derivatives(program: &core::Program, run: &Run) -> bool {
    let operators = [Prim::Jvp2, Prim::Vjp2, Prim::ValueAndGrad, Prim::WithVjp].map(Prim::name);
    let mut names = FreeNames::default();
    let (mut open, mut seen) = (vec![run.name], HashSet::from([run.name]));
    while let Some(name) = open.pop() {
        match program.defs.iter().rev().find(|define| define.name == name) {
            Some(define) => open.extend(names.of(&define.body).terms.iter().copied().filter(|used| seen.insert(*used))),
            None if operators.contains(&name) => return true,
            None => {}
        }
    }
    false
}

/// The constants that a definition needs.
fn constants(program: &core::Program, name: Symbol) -> Vec<Symbol> {
    let find = |name: Symbol| program.defs.iter().enumerate().find(|(_, define)| define.name == name);
    let Some((_, define)) = find(name) else { return Vec::new() };
    let needed = core::constants::needed(define, &mut FreeNames::default(), &find);
    needed.into_iter().map(|at| program.defs[at].name).collect()
}

fn check(path: &Path) -> Result<(), Failed> {
    let says = |d: Box<remora::diag::Diagnostic>| Failed::from(d.message);
    let loaded = load(path).map_err(says)?;
    if loaded.checked.failed() {
        return Ok(());
    }
    let core = &loaded.checked.core;
    let erased = erase::program(core).map_err(|e| e.message)?;
    validate::validate(&erased)?;
    let typed = interp::core::load(core, 1);
    let untyped = theory::eval::load(&erased);
    for run in runs(path, &loaded).map_err(says)?.into_iter().filter(|run| !is_huge(run) && !takes_derivatives(core, run)) {
        let what = format!("{} of {:?}", run.name, run.arguments);
        let expected = typed.call(run.name, run.arguments.clone());
        let found = typed.indices(run.name, &run.arguments).map_err(|f| f.code.number()).and_then(|sizes| {
            let indices: Vec<Index> = sizes.into_iter().map(Index::Dim).collect();
            let args: Option<Vec<Value>> = run.arguments.iter().map(Value::from_runtime).collect();
            // Reduction computes a constant where it is used, a run all that it may need before it starts.
            for name in constants(core, run.name) {
                untyped.call(name, &[], Vec::new()).map_err(|f| f.code.number())?;
            }
            let value = untyped.call(run.name, &indices, args.ok_or("an argument")?);
            value
                .map(|value| value.opened())
                .map_err(|f| if f.code.number() == "E0599" { panic!("{what}: {}", f.message) } else { f.code.number() })
        });
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                let expected = Value::from_runtime(&expected).ok_or("a value")?;
                if !expected.agrees(&found) {
                    return Err(format!("{what}: with types {expected:?}, without {found:?}").into());
                }
            }
            (Err(expected), Err(found)) if expected.code.number() == found => {}
            // Without types the sizes that a function is applied to are values, which are looked at before its arguments.
            (Err(expected), Err("E0504")) if expected.code.number() == "E0501" => {}
            (expected, found) => return Err(format!("{what}: with types {expected:?}, without {found:?}").into()),
        }
    }
    Ok(())
}

/// More steps than this are not taken of one run, and larger states are not looked at.
const STEPS: usize = 60;
const SIZE: usize = 6000;

/// A value as an expression; `None` for what no literal of core is.
fn literal(value: &runtime::Value) -> Option<Expr> {
    let kind = match value {
        runtime::Value::Scalar(scalar) => ExprKind::Lit(*scalar),
        runtime::Value::Array(array) => {
            let dims = array.dims().iter().map(|n| *n as u64).collect();
            let items = (0..array.count()).map(|i| array.at(i)).collect::<Option<_>>()?;
            ExprKind::Array { dims, elem: array.prim(), items }
        }
        runtime::Value::Tuple(tuple) if tuple.frame.is_empty() => {
            let parts = tuple.parts.iter().map(literal).collect::<Option<Vec<_>>>()?;
            match &tuple.labels {
                None => ExprKind::Tuple(parts),
                Some(labels) => ExprKind::Record(labels.iter().copied().zip(parts).collect()),
            }
        }
        _ => return None,
    };
    Some(Expr::new(kind, Span::default()))
}

/// Steps the runs of a program whose core is small.
fn step(path: &Path) -> Result<(), Failed> {
    let says = |d: Box<remora::diag::Diagnostic>| Failed::from(d.message);
    let loaded = load(path).map_err(says)?;
    if loaded.checked.failed() {
        return Ok(());
    }
    let core = &loaded.checked.core;
    let typed = interp::core::load(core, 1);
    let runs = runs(path, &loaded).map_err(says)?.into_iter().filter(|run| !is_huge(run) && !takes_derivatives(core, run));
    for run in runs.take(4) {
        let (Ok(sizes), Some(args)) =
            (typed.indices(run.name, &run.arguments), run.arguments.iter().map(literal).collect::<Option<Vec<_>>>())
        else {
            continue;
        };
        let fun = match link::close(core, run.name, STEPS) {
            Ok(Some(fun)) => fun,
            // A definition that fails, or takes long.
            Ok(None) | Err(_) => continue,
        };
        let indices = sizes.into_iter().map(|n| core::Index::Dim(core::Dim::constant(n))).collect();
        let term = link::applied(fun, indices, args);
        if print::expr(&term).len() > SIZE {
            continue;
        }
        let walk = laws::steps(&term, true, STEPS)?;
        let stepped = laws::outcome(&walk)?;
        let expected = typed.call(run.name, run.arguments.clone()).map_err(|failure| failure.code.number());
        match (&stepped, &expected) {
            (None, _) => {}
            (Some(Ok(found)), Ok(expected)) if Value::from_runtime(expected).is_some_and(|expected| expected.agrees(&found.opened())) => {}
            (Some(Err(found)), Err(expected)) if found == expected => {}
            _ => return Err(format!("{} of {:?}: in steps {stepped:?}, in one go {expected:?}", run.name, run.arguments).into()),
        }
        STEPPED.fetch_add(walk.steps, Ordering::Relaxed);
        ENDED.fetch_add(usize::from(!matches!(walk.end, End::Unfinished)), Ordering::Relaxed);
    }
    Ok(())
}

/// Programs of the corpus with arrays of real size; there are others with the same forms.
const OF_REAL_SIZE: [&str; 2] = ["tests/data/corpus/compiled/products_of_rows.rem", "tests/data/corpus/lib/random-uniform.rem"];

/// Steps taken in all, and runs that came to an end.
static STEPPED: AtomicUsize = AtomicUsize::new(0);
static ENDED: AtomicUsize = AtomicUsize::new(0);

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for Source { name, path } in programs(ALL) {
        // Those of real size are for compiled code: evaluators that copy what others share take minutes, or ten seconds.
        if name.starts_with("examples/programs") || OF_REAL_SIZE.contains(&name.as_str()) {
            continue;
        }
        let (stepped, small) = (path.clone(), std::fs::metadata(&path).is_ok_and(|m| m.len() < 4000));
        if small {
            trials.push(Trial::test(format!("erasure::steps: {name}"), move || with_big_stack(|| step(&stepped))));
        }
        trials.push(Trial::test(format!("erasure::{name}"), move || with_big_stack(|| check(&path))));
    }
    trials
}

/// Whether enough runs came to an end, and what all of them were, if all were tested.
pub fn has_stepped_enough() -> bool {
    let (steps, ended) = (STEPPED.load(Ordering::Relaxed), ENDED.load(Ordering::Relaxed));
    println!("erasure: {steps} steps, {ended} runs stepped to their end{}", if ended < 50 { ": too few" } else { "" });
    ended >= 50
}
