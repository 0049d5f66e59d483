//! Integer solutions of linear equations, bounds aside.
//!
//! `2x = 2y + 1` has solutions in fractions within any wide enough interval, and branching on them does not end. Eliminating
//! variables by unimodular substitutions (as the equality step of the Omega test does; Pugh, CACM 1992) decides whether
//! equations have a solution in integers at all.

use super::engine::{Problem, gcd};

/// Largest matrix that is attempted.
const CELLS: usize = 40_000;

/// An equation over the open variables; the last entry is the constant.
type Line = Vec<i128>;

/// Whether the rows of a problem provably have no solution in integers, whatever the bounds of the open variables.
/// `false` means "not proved".
pub(super) fn refuted(problem: &Problem) -> bool {
    lines(problem).and_then(unsolvable).unwrap_or(false)
}

fn lines(problem: &Problem) -> Option<Vec<Line>> {
    let open: Vec<usize> = (0..problem.lo.len()).filter(|&var| problem.lo[var] < problem.hi[var]).collect();
    let columns = open.len() + 1;
    if columns.checked_mul(problem.rows.len())? > CELLS {
        return None;
    }
    let mut column = vec![usize::MAX; problem.lo.len()];
    open.iter().enumerate().for_each(|(at, &var)| column[var] = at);
    let line = |row: &super::engine::Row| {
        let mut line = vec![0; columns];
        line[columns - 1] = i128::from(row.constant);
        for &(var, c) in &row.terms {
            match column[var as usize] {
                usize::MAX => line[columns - 1] += i128::from(c) * i128::from(problem.lo[var as usize]),
                at => line[at] += i128::from(c),
            }
        }
        line
    };
    Some(problem.rows.iter().map(line).collect())
}

/// Eliminates a variable per equation; `None` when numbers become too large.
fn unsolvable(mut lines: Vec<Line>) -> Option<bool> {
    while let Some(mut line) = lines.pop() {
        let (constant, terms) = line.split_last()?;
        let divisor = terms.iter().fold(0, |divisor, &c| gcd(divisor, c));
        if divisor == 0 {
            if *constant != 0 {
                return Some(true);
            }
            continue;
        }
        if constant % divisor != 0 {
            return Some(true);
        }
        line.iter_mut().for_each(|c| *c /= divisor);
        // The coefficients have no common divisor, so the smallest one shrinks to one.
        loop {
            let terms = &line[..line.len() - 1];
            let pivot = (0..terms.len()).filter(|&at| terms[at] != 0).min_by_key(|&at| terms[at].abs())?;
            if terms[pivot].abs() == 1 {
                substitute(&mut lines, &line, pivot)?;
                break;
            }
            renew(&mut line, &mut lines, pivot)?;
        }
    }
    Some(false)
}

/// Replaces the variable of a column whose coefficient in `line` is 1 or -1 by what the line says.
fn substitute(lines: &mut [Line], line: &Line, pivot: usize) -> Option<()> {
    for other in lines.iter_mut().filter(|other| other[pivot] != 0) {
        let factor = other[pivot].checked_mul(line[pivot])?;
        for (cell, &c) in other.iter_mut().zip(line) {
            *cell = cell.checked_sub(factor.checked_mul(c)?)?;
        }
    }
    Some(())
}

/// Exchanges the variable `x` of a column for `z = x + sum of (c / pivot) y`: the other coefficients of the line become remainders.
fn renew(line: &mut Line, lines: &mut [Line], pivot: usize) -> Option<()> {
    let by = line[pivot];
    let quotients: Vec<i128> = (0..line.len() - 1).map(|at| if at == pivot { 0 } else { line[at].div_euclid(by) }).collect();
    for row in lines.iter_mut().chain(std::iter::once(line)) {
        let factor = row[pivot];
        for (cell, &quotient) in row.iter_mut().zip(&quotients) {
            *cell = cell.checked_sub(factor.checked_mul(quotient)?)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::unsolvable;

    #[test]
    fn equations_in_integers() {
        assert_eq!(unsolvable(vec![vec![2, -2, 1]]), Some(true));
        assert_eq!(unsolvable(vec![vec![6, 10, 15, 1]]), Some(false));
        assert_eq!(unsolvable(vec![vec![6, 10, 1]]), Some(true));
        // x + y = 1 and x - y = 0.
        assert_eq!(unsolvable(vec![vec![1, 1, -1], vec![1, -1, 0]]), Some(true));
        assert_eq!(unsolvable(vec![vec![1, 1, -2], vec![1, -1, 0]]), Some(false));
        // 3x + 5y = 1 and 2x + 7z = 0 and y = z + 1.
        assert_eq!(unsolvable(vec![vec![3, 5, 0, -1], vec![2, 0, 7, 0], vec![0, 1, -1, -1]]), Some(true));
        assert_eq!(unsolvable(vec![vec![0, 0, 0]]), Some(false));
        assert_eq!(unsolvable(vec![vec![0, 0, 3]]), Some(true));
    }
}
