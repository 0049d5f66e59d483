//! How an index changes from one iteration of a loop to the next.

use crate::base::scalar::Op;
use crate::ir::imp::{Expr, Int, Local};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The difference of the values that an expression has in neighbouring iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// This number.
    By(i64),
    /// A loop-invariant number that is not known.
    Even,
    /// Varies.
    Uneven,
}

impl Step {
    /// Whether elements at such an index fill a vector register: all the same one, or neighbours.
    pub fn is_near(self) -> bool {
        matches!(self, Step::By(0 | 1))
    }
    fn plus(self, other: Step) -> Step {
        match (self, other) {
            (Step::By(a), Step::By(b)) => a.checked_add(b).map_or(Step::Even, Step::By),
            (Step::Uneven, _) | (_, Step::Uneven) => Step::Uneven,
            _ => Step::Even,
        }
    }
    fn times(self, factor: Option<i64>) -> Step {
        match (self, factor) {
            (Step::By(0), _) => self,
            (Step::By(a), Some(b)) => a.checked_mul(b).map_or(Step::Even, Step::By),
            (Step::Uneven, _) => self,
            _ => Step::Even,
        }
    }
}

/// What is known of the variables that the body of a loop sets: the expression, if it is set once.
pub type Defs = FxHashMap<Local, Option<Expr>>;

/// Follows variables to their definitions. Each is looked at once.
pub struct Steps<'d> {
    defs: &'d Defs,
    var: Local,
    seen: RefCell<FxHashMap<Local, Step>>,
}

impl<'d> Steps<'d> {
    /// Steps with the counter `var`.
    pub fn new(defs: &'d Defs, var: Local) -> Self {
        Steps { defs, var, seen: RefCell::default() }
    }
    fn local(&self, local: Local) -> Step {
        if local == self.var {
            return Step::By(1);
        }
        if let Some(step) = self.seen.borrow().get(&local) {
            return *step;
        }
        let step = match self.defs.get(&local) {
            None => Step::By(0),
            Some(None) => Step::Uneven,
            Some(Some(e)) => self.of(e),
        };
        self.seen.borrow_mut().insert(local, step);
        step
    }
    /// The step of an expression.
    pub fn of(&self, e: &Expr) -> Step {
        let still = |e: &Expr| self.of(e) == Step::By(0);
        let constant = |all: bool| if all { Step::By(0) } else { Step::Uneven };
        let sum = |a: &Expr, b: &Expr| self.of(a).plus(self.of(b));
        let difference = |a: &Expr, b: &Expr| self.of(a).plus(self.of(b).times(Some(-1)));
        let product = |a: &Expr, b: &Expr| match (self.of(a), self.of(b)) {
            (step, Step::By(0)) => step.times(b.as_int()),
            (Step::By(0), step) => step.times(a.as_int()),
            _ => Step::Uneven,
        };
        match e {
            Expr::Const(_) | Expr::Threads | Expr::Registers | Expr::Thread | Expr::Chunks { .. } => Step::By(0),
            Expr::Local(local) => self.local(*local),
            Expr::Int(Int::Add, a, b) => sum(a, b),
            Expr::Int(Int::Sub, a, b) => difference(a, b),
            Expr::Int(Int::Mul, a, b) => product(a, b),
            Expr::Int(_, a, b) => constant(still(a) && still(b)),
            Expr::Op(op, args) => match (op.op, op.prim.is_int(), args.as_slice()) {
                (Op::Add, true, [a, b]) => sum(a, b),
                (Op::Sub, true, [a, b]) => difference(a, b),
                (Op::Mul, true, [a, b]) => product(a, b),
                _ => constant(args.iter().all(still)),
            },
            Expr::Load(_, index) => constant(still(index)),
            Expr::Select(a, b, c) | Expr::Blend(_, a, b, c) | Expr::Quotient(_, a, b, c) => constant(still(a) && still(b) && still(c)),
        }
    }
}
