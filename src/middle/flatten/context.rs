//! The maps around a statement.

use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::soac::visit::{Part, mentioned};
use crate::ir::soac::{Body, Exp, Operand, Operator, Program, Size, Soac, Stm, Type, Var, single_exp};
use rustc_hash::FxHashSet;

/// The maps around a statement: their indices and sizes, and what each thread knows.
#[derive(Debug, Clone, Default)]
pub(super) struct Context {
    /// Indices, outermost first.
    pub space: Vec<Var>,
    /// Sizes of the dimensions; none depends on an index.
    pub sizes: Vec<Size>,
    /// Statements that every thread runs first. They are cheap and do not fail; what is not needed is left out.
    pub known: Vec<Stm>,
    /// All variables that are bound here.
    bound: FxHashSet<Var>,
}

impl Context {
    /// The context with one more dimension inside.
    pub fn with(&self, index: Var, size: &Size) -> Context {
        let mut inner = self.clone();
        inner.space.push(index);
        inner.sizes.push(size.clone());
        inner.bound.insert(index);
        inner
    }
    /// Adds a statement that every thread runs.
    pub fn know(&mut self, stm: Stm) {
        self.bound.extend(&stm.pat);
        self.known.push(stm);
    }
    /// Whether a variable is the same for all threads.
    pub fn invariant(&self, var: Var) -> bool {
        !self.bound.contains(&var)
    }
    /// Whether a size is the same for all threads.
    pub fn regular(&self, size: &Size) -> bool {
        size.vars().all(|var| self.invariant(var))
    }
    /// Whether the sizes of a type are the same for all threads.
    pub fn regular_type(&self, ty: &Type) -> bool {
        ty.shape.iter().all(|size| self.regular(size))
    }
    /// Whether an operator mentions nothing that only a thread knows.
    pub fn invariant_operator(&self, operator: &Operator) -> bool {
        let mut invariant = operator.neutral.iter().filter_map(|a| a.var()).all(|var| self.invariant(var));
        operator.lambda.body.stms.iter().for_each(|stm| mentioned(stm, &mut |var| invariant = invariant && self.invariant(var)));
        invariant && operator.lambda.body.result.iter().filter_map(|a| a.var()).all(|var| self.invariant(var))
    }
    /// The index as operands.
    pub fn at(&self) -> Vec<Operand> {
        self.space.iter().map(|var| Operand::Var(*var)).collect()
    }
    /// Makes known that a variable is the cell of an array of the whole space.
    pub fn know_cell(&mut self, var: Var, array: Var, span: Span) {
        let exp = Exp::Index { array, at: self.at(), checked: false };
        self.know(Stm { pat: vec![var], exp, span });
    }
}

/// What every thread may compute for itself: little work, no failure, no memory.
pub(super) fn cheap(exp: &Exp) -> bool {
    let view = matches!(exp, Exp::Rearrange { .. } | Exp::Coerce(_) | Exp::Rep(_) | Exp::Iota { .. });
    view || matches!(exp, Exp::Scalar(..) | Exp::Size(_) | Exp::Index { .. } | Exp::Slice { .. }) && !exp.may_fail()
}

/// Whether a statement has parallelism that is worth distributing.
pub(super) fn parallel(exp: &Exp) -> bool {
    match exp {
        Exp::Soac(Soac { width, lambda, .. }) => {
            width.as_constant().is_none_or(|n| n > super::FEW) || lambda.body.stms.iter().any(|stm| parallel(&stm.exp))
        }
        Exp::Loop { .. } => {
            let mut found = false;
            exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    found = found || parallel_body(body);
                }
            });
            found
        }
        single_exp!()
        | Exp::Check(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. }
        | Exp::Scatter { .. }
        | Exp::Hist { .. }
        | Exp::If { .. }
        | Exp::Call(..) => false,
    }
}

/// Whether a body has parallelism that is worth distributing.
pub(super) fn parallel_body(body: &Body) -> bool {
    body.stms.iter().any(|stm| parallel(&stm.exp))
}

/// What of the statements the result needs: those without failures whose results are not used are left out.
pub(super) fn needed(program: &Program, stms: Vec<Stm>, result: &[Operand]) -> Vec<Stm> {
    let mut used: FxHashSet<Var> = result.iter().filter_map(|a| a.var()).collect();
    let mut out = Vec::with_capacity(stms.len());
    for stm in stms.into_iter().rev() {
        if mutated!(KernelChecksDropped, stm.exp.may_fail(), false) || stm.pat.iter().any(|var| used.contains(var)) {
            program.mentioned(&stm, &mut |var| {
                used.insert(var);
            });
            out.push(stm);
        }
    }
    out.reverse();
    out
}
