//! The answer of rank analysis does not depend on the order of constraints, on the numbers of variables, or on the solver.

use crate::support::batch::Batch;
use crate::support::generate::Random;
use crate::support::rank::brute::brute;
use crate::support::rank::{PRODUCT, permuted, sides, whole_optima};
use remora::base::Code;
use remora::front::infer;
use remora::ir::tables::{DefId, DefKind};
use remora::rank::{Method, Options, RankOutcome, Solution, System, solve};

/// Largest number of sites for which everything is tried.
const BRUTE_SITES: usize = 4;
/// Largest system that is given as a whole to branching and to the integer program solver.
const PROGRAM_SITES: usize = 8;
/// Most optima for which it is asked.
const PROGRAM_OPTIMA: usize = 6;

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Infeasible,
    /// The cost and all optima; the canonical one apart.
    Optima(u64, Vec<(u32, u32)>, Vec<Vec<(u32, u32)>>),
    /// The cost and the number of ambiguities: there are too many optima to be compared.
    Many(u64, usize),
    TooHard(String),
}

fn answer(system: &System, outcome: &RankOutcome) -> Answer {
    match outcome {
        RankOutcome::Infeasible(_) => Answer::Infeasible,
        RankOutcome::TooHard(why) => Answer::TooHard(why.to_string()),
        RankOutcome::Solved(solution) => {
            if !listed(solution) {
                return Answer::Many(solution.cost, solution.components.len());
            }
            let mut all: Vec<_> = whole_optima(solution).iter().map(|values| sides(system, values)).collect();
            all.sort();
            Answer::Optima(solution.cost, sides(system, &solution.values), all)
        }
    }
}

/// Whether all optima can be multiplied out.
fn listed(solution: &Solution) -> bool {
    let product = solution.components.iter().try_fold(1usize, |n, component| n.checked_mul(component.optima.len()));
    product.is_some_and(|n| n < PRODUCT) && solution.components.iter().all(|component| component.complete)
}

fn with(method: Method) -> Options {
    Options { method, explain: false, ..Options::default() }
}

/// Solves the rank system of a definition in several ways; `None` when it has none, because it has type errors or uses
/// something that was refused.
pub fn check(batch: &Batch, id: DefId, random: &mut Random) -> Option<Result<(), String>> {
    let checked = &batch.checked;
    if !matches!(batch.def(id).decl, DefKind::Def(_)) || !checked.ranked(id) && !refused_by_rank(batch, id) {
        return None;
    }
    let (system, refs) = infer::rank_system(&checked.program, &checked.tables, id);
    let outcome = solve(&system, &with(Method::Auto));
    let expected = answer(&system, &outcome);
    let result = compare(&system, &expected, random).and_then(|()| match &outcome {
        // What was decided on the spot is what the whole system says.
        RankOutcome::Solved(solution) if checked.ranked(id) && solution.components.is_empty() => {
            for (site, place) in system.sites.iter().zip(&refs) {
                let found = checked.tables.apps.get(place.node).and_then(|info| info.args.get(place.argument));
                let found = found.map(|arg| (arg.maps, arg.reps));
                let wanted = (solution.values[site.map.index()], solution.values[site.rep.index()]);
                if found != Some(wanted) {
                    return Err(format!("inference says {found:?}, the rank system {wanted:?}"));
                }
            }
            Ok(())
        }
        _ => Ok(()),
    });
    Some(result.map_err(|why| {
        let fixture = remora::rank::text::Fixture { system, ..Default::default() };
        format!("{why}\n{}", remora::rank::text::print(&fixture))
    }))
}

/// Whether all optima of an ambiguous rank system have the same sides zero, against the paper's conjecture; `None` where they are
/// not all known, or there is one only.
pub fn hidden(batch: &Batch, id: DefId) -> Option<bool> {
    if !refused_by_rank(batch, id) {
        return None;
    }
    let (system, _) = infer::rank_system(&batch.checked.program, &batch.checked.tables, id);
    let RankOutcome::Solved(solution) = solve(&system, &with(Method::Auto)) else { return None };
    if solution.components.is_empty() || solution.components.iter().any(|component| !component.complete) {
        return None;
    }
    // Components are independent: one that shows is enough.
    let zeros = |optimum: &Vec<(u32, u32)>| optimum.iter().map(|side| (side.0 > 0, side.1 > 0)).collect::<Vec<_>>();
    let same = |optima: &Vec<Vec<(u32, u32)>>| optima.iter().all(|optimum| zeros(optimum) == zeros(&optima[0]));
    Some(solution.components.iter().all(|component| same(&component.optima)))
}

/// Whether the only thing wrong with a definition is that its ranks cannot agree or are ambiguous.
fn refused_by_rank(batch: &Batch, id: DefId) -> bool {
    let span = batch.def(id).decl_span();
    let mut own = batch.checked.diagnostics.iter().filter(|d| d.labels.first().is_some_and(|label| span.contains(label.span))).peekable();
    own.peek().is_some() && own.all(|d| d.code == Code::Ambiguous || d.code == Code::RankConflict)
}

fn compare(system: &System, expected: &Answer, random: &mut Random) -> Result<(), String> {
    let differs = |how: &str, found: Answer| match found == *expected {
        true => Ok(()),
        false => Err(format!("{how}: {found:?} instead of {expected:?}")),
    };
    let order = random.permutation(system.kinds.len());
    let other = permuted(system, &order, &random.permutation(system.equations.len()));
    differs("permuted", answer(&other, &solve(&other, &with(Method::Auto))))?;
    if system.sites.len() <= PROGRAM_SITES {
        differs("branching", answer(system, &solve(system, &with(Method::Exact))))?;
        let few = match expected {
            Answer::Optima(_, _, all) => all.len() <= PROGRAM_OPTIMA,
            Answer::Infeasible => true,
            _ => false,
        };
        if few && random.percent(40) {
            differs("integer program", answer(&other, &solve(&other, &with(Method::Ilp))))?;
        }
    }
    if let (true, Answer::Optima(cost, _, all)) = (system.sites.len() <= BRUTE_SITES && system.kinds.len() <= 2 * BRUTE_SITES + 3, expected)
        && all.iter().flatten().all(|side| side.0 <= 3 && side.1 <= 3)
        && let Some(found) = brute(system, 3, 6)
        && (found.cost != *cost || found.optima != *all)
    {
        return Err(format!("trying everything: {} {:?} instead of {expected:?}", found.cost, found.optima));
    }
    Ok(())
}
