//! Linear equations between sizes, over the natural numbers.

use super::words::{Context, Failure, SizeEquation, State, Stop};
use super::{Reason, Why};
use crate::base::Symbol;
use crate::ir::core::{Dim, DimAtom};

/// How many values an enumeration tries.
const MAX_VALUES: u32 = 10_000;
/// Coefficients beyond this are not combined, lest they wrap around.
const MAX_COEFFICIENT: i64 = 1 << 30;

/// A size equation: the sum of the coefficients times their unknowns is `rest`.
#[derive(Clone)]
struct Row {
    terms: Vec<(Symbol, i64)>,
    rest: Dim,
    origin: SizeEquation,
}

/// The row of an equation; none if an unknown is in a product.
fn row(context: &Context, equation: &SizeEquation) -> Option<Row> {
    let difference = equation.left.sub(&equation.right);
    let unknown = |atom: &DimAtom| matches!(atom, DimAtom::Var(name) if context.dims.contains(name));
    let mut row = Row { terms: Vec::new(), rest: Dim::default(), origin: equation.clone() };
    for (monomial, coefficient) in difference.terms() {
        match monomial {
            [DimAtom::Var(name)] if context.dims.contains(name) => row.terms.push((*name, coefficient)),
            _ if monomial.iter().any(unknown) => return None,
            _ => {
                let term = monomial.iter().fold(Dim::constant(coefficient.wrapping_neg()), |product, atom| product.mul(&Dim::atom(*atom)));
                row.rest = row.rest.add(&term);
            }
        }
    }
    Some(row)
}

fn failure<T>(equation: &SizeEquation, why: Why) -> Result<T, Stop> {
    let reason = Reason::Sizes { expected: equation.left.clone(), found: equation.right.clone(), why };
    Err(Stop::Failure(Failure { from: equation.from, reason }))
}

/// Whether a size is a natural number whatever its variables are: that is seen from its coefficients, also after a size of an
/// array was taken off.
fn is_natural(context: &Context, dim: &Dim) -> bool {
    dim.is_natural() || context.natural.iter().any(|known| dim.sub(known).is_natural())
}

/// The size divided by a number; none if that is not exact.
fn divided(dim: &Dim, by: i64) -> Option<Dim> {
    let mut out = Dim::default();
    for (monomial, coefficient) in dim.terms() {
        if coefficient.checked_rem(by)? != 0 {
            return None;
        }
        let term = monomial.iter().fold(Dim::constant(coefficient.checked_div(by)?), |product, atom| product.mul(&Dim::atom(*atom)));
        out = out.add(&term);
    }
    Some(out)
}

/// Uses an equation with at most one unknown, keeps another. Whether something became known.
pub(super) fn step(context: &Context, state: &mut State, equation: SizeEquation) -> Result<bool, Stop> {
    let SizeEquation { left, right, from } = &equation;
    let equation = SizeEquation { left: state.dim(left, *from)?, right: state.dim(right, *from)?, from: *from };
    match row(context, &equation) {
        Some(row) => match row.terms.as_slice() {
            [] if row.rest == Dim::default() => Ok(false),
            [] => failure(&equation, Why::Different),
            [_] => determine(context, state, &row).map(|()| true),
            _ => {
                state.sizes.push(equation);
                Ok(false)
            }
        },
        None => {
            state.sizes.push(equation);
            Ok(false)
        }
    }
}

/// Binds the unknown of a row that has one.
fn determine(context: &Context, state: &mut State, row: &Row) -> Result<(), Stop> {
    let [(name, coefficient)] = row.terms.as_slice() else { return Ok(()) };
    let Some(value) = divided(&row.rest, *coefficient) else {
        return failure(&row.origin, Why::Multiple { name: *name, factor: *coefficient, of: row.rest.clone() });
    };
    if let Some(bound) = context.bound_in(&value) {
        return failure(&row.origin, Why::Bound { name: *name, bound });
    }
    if !is_natural(context, &value) {
        return failure(&row.origin, Why::Negative { name: *name, value });
    }
    state.dims.insert(*name, value);
    Ok(())
}

/// Solves what equations with several unknowns say together. Several states are returned if there are several solutions; in one
/// state unknowns may remain.
pub(super) fn finish(context: &Context, state: &mut State) -> Result<Vec<State>, Stop> {
    loop {
        for equation in std::mem::take(&mut state.sizes) {
            step(context, state, equation)?;
        }
        let mut rows: Vec<Row> = state.sizes.iter().filter_map(|equation| row(context, equation)).collect();
        eliminate(&mut rows);
        let mut progress = false;
        for row in &rows {
            match row.terms.as_slice() {
                [] if row.rest == Dim::default() => {}
                [] => return failure(&row.origin, Why::Different),
                [(name, _)] if !state.dims.contains_key(name) => {
                    determine(context, state, row)?;
                    progress = true;
                }
                _ => {}
            }
        }
        if progress {
            continue;
        }
        let mut alternatives = Vec::new();
        for row in rows.iter().filter(|row| row.terms.len() > 1) {
            match naturals(row)? {
                Some(values) if values.len() == 1 => {
                    for (name, value) in row.terms.iter().map(|(name, _)| *name).zip(&values[0]) {
                        state.dims.insert(name, Dim::constant(*value));
                    }
                    progress = true;
                    break;
                }
                Some(values) if alternatives.is_empty() => {
                    for value in values {
                        let mut other = state.clone();
                        other.dims.extend(row.terms.iter().zip(value).map(|((name, _), value)| (*name, Dim::constant(value))));
                        alternatives.push(other);
                    }
                }
                _ => {}
            }
        }
        if !progress {
            return Ok(if alternatives.is_empty() { vec![state.clone()] } else { alternatives });
        }
    }
}

/// Gauss and Jordan's elimination without fractions, rows with the fewest unknowns first.
fn eliminate(rows: &mut [Row]) {
    let mut used = vec![false; rows.len()];
    loop {
        let candidates = (0..rows.len()).filter(|at| !used[*at] && !rows[*at].terms.is_empty());
        let Some(pivot) = candidates.min_by_key(|at| rows[*at].terms.len()) else { return };
        used[pivot] = true;
        let Some((name, p)) = rows[pivot].terms.iter().copied().min_by_key(|(_, c)| c.unsigned_abs()) else { return };
        for at in 0..rows.len() {
            let Some((_, q)) = rows[at].terms.iter().copied().find(|(other, _)| at != pivot && *other == name) else { continue };
            if let Some(combined) = combine(&rows[at], p, &rows[pivot], q) {
                rows[at] = combined;
            }
        }
    }
}

/// `p * a - q * b`, divided by what all coefficients have in common; none if numbers get too large.
fn combine(a: &Row, p: i64, b: &Row, q: i64) -> Option<Row> {
    let small = |row: &Row| {
        let mut numbers = row.terms.iter().map(|(_, c)| *c).chain(row.rest.terms().map(|(_, c)| c));
        numbers.all(|c| c.unsigned_abs() <= MAX_COEFFICIENT.unsigned_abs())
    };
    if !small(a) || !small(b) {
        return None;
    }
    let mut terms: Vec<(Symbol, i64)> = a.terms.iter().map(|(name, c)| (*name, c * p)).collect();
    for (name, c) in &b.terms {
        match terms.iter_mut().find(|(other, _)| other == name) {
            Some((_, sum)) => *sum -= c * q,
            None => terms.push((*name, -c * q)),
        }
    }
    terms.retain(|(_, c)| *c != 0);
    let rest = a.rest.scale(p).sub(&b.rest.scale(q));
    let numbers = terms.iter().map(|(_, c)| *c).chain(rest.terms().map(|(_, c)| c));
    let common = numbers.fold(0u64, |g, c| gcd(g, c.unsigned_abs())).max(1) as i64;
    let terms = terms.into_iter().map(|(name, c)| (name, c / common)).collect();
    Some(Row { terms, rest: divided(&rest, common)?, origin: a.origin.clone() })
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The first two natural solutions of a row whose coefficients have one sign and whose rest is a number; an error if there are none;
/// none if that is not known.
fn naturals(row: &Row) -> Result<Option<Vec<Vec<i64>>>, Stop> {
    let Some(rest) = row.rest.as_constant() else { return Ok(None) };
    let sign = if row.terms.iter().all(|(_, c)| *c > 0) { 1 } else { -1 };
    let Some(rest) = rest.checked_mul(sign) else { return Ok(None) };
    let mut coefficients = Vec::with_capacity(row.terms.len());
    for (_, c) in &row.terms {
        match c.checked_mul(sign) {
            Some(c) if c > 0 => coefficients.push(c),
            _ => return Ok(None),
        }
    }
    let mut found = Vec::new();
    let mut steps = 0;
    let complete = rest < 0 || sums(&coefficients, rest, &mut Vec::new(), &mut found, &mut steps);
    match (found.is_empty(), complete) {
        (true, true) => failure(&row.origin, Why::NoNaturals),
        (false, true) => Ok(Some(found)),
        (_, false) => Ok((found.len() > 1).then_some(found)),
    }
}

/// Whether the enumeration of the ways to make up `rest` came to an end: after all of them, or after two.
fn sums(coefficients: &[i64], rest: i64, chosen: &mut Vec<i64>, found: &mut Vec<Vec<i64>>, steps: &mut u32) -> bool {
    *steps += 1;
    let Some((first, others)) = coefficients.split_first() else { return true };
    if others.is_empty() {
        if rest % first == 0 {
            found.push([chosen.as_slice(), &[rest / first]].concat());
        }
        return true;
    }
    for value in 0..=rest / first {
        if found.len() > 1 {
            return true;
        }
        if *steps > MAX_VALUES {
            return false;
        }
        chosen.push(value);
        let complete = sums(others, rest - value * first, chosen, found, steps);
        chosen.pop();
        if !complete {
            return false;
        }
    }
    true
}
