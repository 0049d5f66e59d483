//! What parallel folds take for granted: that their operators are associative, those of `reduce_comm` commutative, too, and that what they start
//! from changes nothing. Whoever writes `reduce (-) 0 xs` gets a result that depends on how elements are grouped.
//!
//! Operators on scalars, and on tuples and records of them, are tried on a few small values (and where the same operator is mapped over arrays, on
//! elements): one that differs there is not associative, and the values are shown. Nothing is said that may be wrong of the values that a program
//! has: components of tuples are 0 or 1, since they may be truth values, and so are operands where there is a condition; conditions on tuples are
//! not judged, nor are bounds and conditions beside variables of the surroundings, nor what consists of more than operations on scalars, `let` and
//! `if`. Nothing is proved. A function that recurs is followed for 50,000 steps at most.
//!
//! Cost: linear in the definitions that name a fold, and 50,000 steps for each fold at most; the others are not looked at.

mod error;
mod evaluate;
mod report;
mod samples;
#[cfg(test)]
mod tests;
mod walk;

pub use error::{Assumption, Error};

use crate::base::Symbol;
use crate::ir::core::{Define, Expr, Prim, Primitive};
use rustc_hash::{FxHashMap, FxHashSet};

/// Expressions that are evaluated for one fold, at most.
const MOST_STEPS: usize = 50_000;

/// The definitions looked at so far, by their names in core.
#[derive(Debug, Clone, Default)]
pub struct Definitions {
    bodies: FxHashMap<Symbol, Expr>,
    /// Those whose bodies were evaluated.
    evaluated: FxHashSet<Symbol>,
}

impl Definitions {
    /// Adds a definition, after all that it uses.
    pub fn add(&mut self, define: &Define) {
        self.bodies.insert(define.name, define.body.clone());
    }
    /// Takes over what is known about a definition from another version of the program.
    pub fn adopt(&mut self, name: Symbol, from: &Definitions) {
        from.bodies.get(&name).into_iter().for_each(|body| drop(self.bodies.insert(name, body.clone())));
        if from.evaluated.contains(&name) {
            self.evaluated.insert(name);
        }
    }
    /// Whether something may have been said that goes by the body of a definition.
    pub fn depends_on(&self, name: Symbol) -> bool {
        self.evaluated.contains(&name)
    }
    /// What a definition takes for granted, and does not hold, in the order in which it stands in the core.
    pub fn check(&mut self, define: &Define) -> Vec<Error> {
        let mut walk = walk::Walk::new(&self.bodies);
        walk.expr(&define.body, walk::Scope::default());
        let walk::Walk { errors, evaluator, .. } = walk;
        let evaluated = evaluator.evaluated;
        self.evaluated.extend(evaluated);
        errors
    }
}

/// A primitive that folds: where its operator and its neutral element stand among its arguments.
struct Fold {
    prim: Prim,
    operator: usize,
    neutral: usize,
}

/// The fold of this name.
fn fold(name: Symbol) -> Option<Fold> {
    let Some(Primitive::Prim(prim)) = Primitive::find(name) else { return None };
    let (operator, neutral) = match prim {
        Prim::Reduce | Prim::ReduceComm | Prim::Scan | Prim::Hist => (0, 1),
        Prim::ReduceByIndex => (1, 2),
        _ => return None,
    };
    Some(Fold { prim, operator, neutral })
}

/// Whether this is the name of a primitive that folds.
pub fn is_fold(name: Symbol) -> bool {
    fold(name).is_some()
}
