//! Taking large problems apart with the dual of their linear relaxation.
//!
//! For any prices `y` of the rows and `0 <= u <= 1` of the frames, `cost >= sum M + sum u (R - frame) + y (rows)`, which is
//! a sum with one weight per variable and smallest at the ends of the intervals. The prices come from a floating-point
//! solver and are rounded to fractions; the bound is then computed in integers, so it holds whatever the solver did. A
//! variable whose weight times its distance from the cheap end exceeds the distance between this bound and the cost of a
//! known solution is the same in all optima (reduced cost fixing). Where both meet, the least cost is proved.

use super::engine::{INF, Problem, Row};
use super::exact;
use super::relax::Prices;

/// Prices are rounded to multiples of one over this.
const DENOMINATOR: i64 = 2520;

/// Narrows a problem to what solutions of a cost can have; `None` when nothing is gained.
pub(super) fn tighten(problem: &Problem, prices: &Prices, cost: i64) -> Option<Problem> {
    let mut narrowed = exact::bounded(problem, cost).unwrap_or_else(|| problem.clone());
    let before = open(&narrowed).max(1);
    let plain = open(problem);
    if let Some(Bound { weights, least }) = bound(&narrowed, prices) {
        let slack = i128::from(cost) * i128::from(DENOMINATOR) - least;
        if slack < 0 {
            return None;
        }
        fix(&mut narrowed, &weights, slack);
    }
    // A few variables are not worth another round.
    (open(&narrowed) * 10 < plain * 9 || open(&narrowed) + 8 < before).then_some(narrowed)
}

/// The optima of a problem as the solutions of another one without costs; `None` where the prices do not prove that the cost is least.
///
/// Where the bound meets the cost, an optimum is what wastes nothing (complementary slackness): a variable with a weight is at its cheap
/// end, a rep whose price is below one does not exceed its frame, and one whose price is above zero is not below it. The variables that
/// come behind those of the problem are the differences.
pub(super) fn face(problem: &Problem, prices: &Prices, cost: i64) -> Option<Problem> {
    let Bound { weights, least } = bound(problem, prices)?;
    if least != i128::from(cost) * i128::from(DENOMINATOR) {
        return None;
    }
    let mut face = problem.clone();
    fix(&mut face, &weights, 0);
    for (gate, &price) in problem.gates.iter().zip(&prices.frames) {
        let mut row = Row { terms: vec![(gate.r.0, 1)], constant: gate.r.1 - gate.frame_constant, pairs: Vec::new() };
        row.terms.extend(gate.frame.iter().map(|&(var, c)| (var, -c)));
        let difference = face.lo.len() as u32;
        match round(price).clamp(0, i128::from(DENOMINATOR)) {
            0 => row.terms.push((difference, 1)),
            share if share == i128::from(DENOMINATOR) => row.terms.push((difference, -1)),
            _ => {}
        }
        face.lo.push(0);
        face.hi.push(INF);
        face.weight.push(0);
        face.rows.push(row);
    }
    Some(face)
}

/// The least cost that prices prove.
pub(super) fn least(problem: &Problem, prices: &Prices) -> Option<i64> {
    let Bound { least, .. } = bound(problem, prices)?;
    let denominator = i128::from(DENOMINATOR);
    i64::try_from(-(-least).div_euclid(denominator)).ok()
}

fn open(problem: &Problem) -> usize {
    (0..problem.lo.len()).filter(|&var| problem.lo[var] < problem.hi[var]).count()
}

struct Bound {
    weights: Vec<i128>,
    least: i128,
}

fn round(price: f64) -> i128 {
    let scaled = (price * DENOMINATOR as f64).round();
    if scaled.is_finite() { scaled.clamp(-1e12, 1e12) as i128 } else { 0 }
}

/// The bound that prices give; `None` when it is minus infinity.
fn bound(problem: &Problem, prices: &Prices) -> Option<Bound> {
    let one = i128::from(DENOMINATOR);
    let mut weights = vec![0i128; problem.lo.len()];
    let mut least = 0i128;
    for (row, &price) in problem.rows.iter().zip(&prices.rows) {
        let price = round(price);
        least += price * i128::from(row.constant);
        row.terms.iter().for_each(|&(var, c)| weights[var as usize] += price * i128::from(c));
    }
    for (gate, &price) in problem.gates.iter().zip(&prices.frames) {
        let share = round(price).clamp(0, one);
        weights[gate.m.0 as usize] += one;
        weights[gate.r.0 as usize] += share;
        least += one * i128::from(gate.m.1) + share * i128::from(gate.r.1 - gate.frame_constant);
        gate.frame.iter().for_each(|&(var, c)| weights[var as usize] -= share * i128::from(c));
    }
    for (var, &weight) in weights.iter().enumerate() {
        if weight < 0 && problem.hi[var] >= INF {
            return None;
        }
        least += weight * i128::from(if weight < 0 { problem.hi[var] } else { problem.lo[var] });
    }
    Some(Bound { weights, least })
}

fn fix(problem: &mut Problem, weights: &[i128], slack: i128) {
    for (var, &weight) in weights.iter().enumerate() {
        if weight == 0 {
            continue;
        }
        let reach = i64::try_from(slack / weight.abs()).unwrap_or(INF).min(INF);
        if weight > 0 {
            problem.hi[var] = problem.hi[var].min(problem.lo[var].saturating_add(reach));
        } else {
            problem.lo[var] = problem.lo[var].max(problem.hi[var].saturating_sub(reach));
        }
    }
}
