//! Smaller programs that still fail.

use super::{Case, Definition, Expr, Form};

/// Takes smaller and smaller programs that still fail, up to a number of attempts.
pub fn shrink(case: &Case, mut budget: usize, fails: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    'again: loop {
        for candidate in candidates(&best) {
            let Some(left) = budget.checked_sub(1) else { return best };
            budget = left;
            if fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}

/// Slightly smaller programs, the most hopeful first.
fn candidates(case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    for at in 0..case.defs.len() - 1 {
        let mut copy = case.clone();
        copy.defs.remove(at);
        found.push(copy);
    }
    for at in (0..case.defs.len()).rev() {
        let def = &case.defs[at];
        let with = |def: Definition| {
            let mut copy = case.clone();
            copy.defs[at] = def;
            copy
        };
        for number in 0..def.body.size() {
            let Some(node) = def.body.node(number) else { continue };
            for smaller in smaller(node) {
                found.push(with(Definition { body: def.body.replaced(number, &smaller), ..def.clone() }));
            }
        }
    }
    found
}

/// Expressions in place of a larger one.
fn smaller(expr: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = expr.parts.clone();
    if expr.size() > 1 {
        found.push(Expr::int(1));
    }
    if expr.form == Form::Apply && expr.parts.len() > 2 {
        for at in 1..expr.parts.len() {
            let mut copy = expr.clone();
            copy.parts.remove(at);
            found.push(copy);
        }
    }
    found.retain(|smaller| smaller.size() < expr.size());
    found.sort_by_key(Expr::size);
    found
}
