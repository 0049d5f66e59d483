//! Whether statements may be run where it is not known that they would have been run.
//!
//! What does not check its indices relies on what was known where the checks were left out: that an array has elements because a map over it
//! runs, or that a check in front of it did not fail. Elsewhere it is proved again, or asked for.

use super::simplify::Simplifier;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Size, Stm, Type, Var, same, single_exp};

impl Simplifier<'_> {
    /// A statement has run.
    pub(super) fn observe(&mut self, stm: &Stm) {
        let size = if let Exp::Scalar(op, args) = &stm.exp {
            self.size_of_scalar(*op, args)
        } else if let Exp::Size(size) = &stm.exp {
            Some(self.subst.size(size))
        } else {
            None
        };
        if let ([var], Some(size)) = (stm.pat.as_slice(), size) {
            self.subst.sizes.insert(*var, size);
        }
        self.record(stm);
    }

    /// Whether a statement that cannot fail can be run with nothing known but what is known here: whatever it reads is there.
    pub(super) fn stands(&mut self, stm: &Stm) -> bool {
        self.has_sizes(stm) && self.is_in_bounds(stm) && self.bodies_stand(&stm.exp)
    }
    /// Whether what it makes can have its sizes, but for those that it finds out itself.
    fn has_sizes(&self, stm: &Stm) -> bool {
        stm.pat.iter().all(|var| {
            let mut sizes = self.ty(*var).shape.into_iter();
            sizes.all(|size| size.vars().any(|var| stm.pat.contains(&var)) || self.facts.natural(&self.facts.form(&size)))
        })
    }
    /// Whether what it makes can have its sizes, all of which are known before.
    pub(super) fn has_known_sizes(&self, stm: &Stm) -> bool {
        let own = |size: &Size| size.vars().any(|var| stm.pat.contains(&var));
        self.has_sizes(stm) && !stm.pat.iter().any(|var| self.ty(*var).shape.iter().any(own))
    }
    fn is_in_bounds(&self, stm: &Stm) -> bool {
        match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Index { array, at, .. } | Exp::Update { array, at, .. }, _) => self.all_in_bounds(*array, at),
            (Exp::Slice { array, start, step, .. }, [var]) => self.is_part(*array, *start, *step, *var),
            (Exp::UpdateSlice { array, start, step, value, .. }, _) => self.is_part(*array, *start, *step, *value),
            (Exp::Coerce(array), [var]) => self.ty(*array) == self.ty(*var),
            // Sizes that a product has been divided into may be any.
            (Exp::Reshape(array), [var]) => self.ty(*array).rank() >= self.ty(*var).rank(),
            _ => true,
        }
    }
    /// Whether cells lie in an array, one for each cell of another.
    fn is_part(&self, array: Var, start: Operand, step: Operand, part: Var) -> bool {
        let (n, count) = (self.dim(array), self.dim(part));
        if same(step, Operand::int(1)) {
            return self.is_part_of(start, &count, &n);
        }
        let start = self.size_of(start);
        let reversed = same(step, Operand::int(-1)) && start == n.sub(&Size::constant(1)) && count == n;
        let (n, count) = (self.facts.form(&n), self.facts.form(&count));
        let steps = count.checked_add(&Size::constant(-1), 1).and_then(|steps| steps.checked_mul(&self.form_of(step)));
        let last = steps.and_then(|steps| start.checked_add(&steps, 1));
        reversed || (self.facts.in_bounds(&start, &n) && last.is_some_and(|last| self.facts.in_bounds(&last, &n)))
    }

    fn bodies_stand(&mut self, exp: &Exp) -> bool {
        match exp {
            Exp::Soac(soac) => {
                self.lambda_stands(&soac.width, &soac.inputs, &soac.lambda)
                    && soac.operators().all(|operator| self.operator_stands(operator))
            }
            Exp::Filter { width, inputs, lambda } | Exp::Rows { width, inputs, lambda } | Exp::Scatter { width, inputs, lambda, .. } => {
                self.lambda_stands(width, inputs, lambda)
            }
            Exp::Hist { width, inputs, lambda, operator, .. } => {
                self.lambda_stands(width, inputs, lambda) && self.operator_stands(operator)
            }
            Exp::If { cond, then, els } => {
                self.body_stands(then, |known| known.learn_truth(*cond, true))
                    && self.body_stands(els, |known| known.learn_truth(*cond, false))
            }
            Exp::Loop { params, form, body } => {
                let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
                match form {
                    LoopForm::For(counter, n) => self.body_stands(body, |known| {
                        known.bound(&vars);
                        known.counts(*counter, *n);
                    }),
                    LoopForm::While(cond) => {
                        self.body_stands(cond, |known| known.bound(&vars)) && self.body_stands(body, |known| known.bound(&vars))
                    }
                }
            }
            Exp::Seg(_) => false,
            single_exp!() | Exp::Check(_) | Exp::Call(..) => true,
        }
    }
    fn lambda_stands(&mut self, width: &Size, inputs: &[Var], lambda: &Lambda) -> bool {
        self.facts.natural(&self.facts.form(width)) && self.body_stands(&lambda.body, |known| known.maps(width, inputs, &lambda.params))
    }
    fn operator_stands(&mut self, operator: &Operator) -> bool {
        self.body_stands(&operator.lambda.body, |known| known.bound(&operator.lambda.params))
    }
    fn body_stands(&mut self, body: &Body, enter: impl FnOnce(&mut Self)) -> bool {
        let mark = self.facts.mark();
        enter(self);
        let stands = body.stms.iter().all(|stm| {
            let stands = self.stands(stm);
            self.observe(stm);
            stands
        });
        self.facts.forget(mark);
        stands
    }

    /// The condition that a size is not 0.
    pub(super) fn positive(&mut self, size: &Size, span: Span) -> (Vec<Stm>, Operand) {
        let mut ask = Ask { known: self, stms: Vec::new(), span };
        let n = ask.size(size);
        let cond = ask.and(None, Op::Lt, [Operand::int(0), n]);
        (ask.stms, cond)
    }

    /// Whether a statement reads one number, so that it costs little to ask for its bounds.
    pub(super) fn can_ask(&self, stm: &Stm) -> bool {
        matches!((&stm.exp, stm.pat.as_slice()), (Exp::Index { checked: false, .. }, [var]) if self.program.ty(*var).rank() == 0)
    }
    /// Statements that read a number if its indices are in bounds; where they are not, another one takes its place.
    pub(super) fn asked(&mut self, stm: Stm) -> Vec<Stm> {
        let Exp::Index { array, at, .. } = &stm.exp else { return vec![stm] };
        let shape = self.ty(*array).shape;
        let mut ask = Ask { known: self, stms: Vec::new(), span: stm.span };
        let cond = at.iter().zip(&shape).fold(None, |cond, (i, n)| ask.inside(cond, *i, n));
        let Ask { mut stms, .. } = ask;
        let Some(cond) = cond else { return vec![stm] };
        let stm = self.if_or_zeros(cond, stm);
        stms.push(stm);
        stms
    }
    /// A statement that is only run if the condition holds; else zeros take the place of what it makes, whose sizes are known before.
    pub(super) fn if_or_zeros(&mut self, cond: Operand, stm: Stm) -> Stm {
        let Stm { pat, exp, span } = stm;
        let (mut inner, mut els) = (Vec::with_capacity(pat.len()), Body::default());
        for var in &pat {
            let (ty, name) = (self.program.ty(*var).clone(), self.program.vars[*var].name);
            let mut zeros = Operand::Const(Scalar::from_i128(ty.elem, 0));
            if ty.rank() > 0 {
                let array = self.program.fresh(name, ty.clone());
                els.stms.push(Stm { pat: vec![array], exp: Exp::Rep(zeros), span });
                zeros = Operand::Var(array);
            }
            els.result.push(zeros);
            inner.push(self.program.fresh(name, ty));
        }
        let result = inner.iter().map(|var| Operand::Var(*var)).collect();
        let then = Body { stms: vec![Stm { pat: inner, exp, span }], result };
        Stm { pat, exp: Exp::If { cond, then, els }, span }
    }
}

/// A condition under construction.
struct Ask<'k, 'p> {
    known: &'k mut Simplifier<'p>,
    stms: Vec<Stm>,
    span: Span,
}

impl Ask<'_, '_> {
    fn bind(&mut self, name: &str, prim: PrimType, exp: Exp) -> Operand {
        let var = self.known.program.fresh(Symbol::new(name), Type::scalar(prim));
        self.stms.push(Stm { pat: vec![var], exp, span: self.span });
        Operand::Var(var)
    }
    fn size(&mut self, size: &Size) -> Operand {
        size.as_operand().unwrap_or_else(|| self.bind("size", PrimType::I64, Exp::Size(size.clone())))
    }
    /// The condition, and that a comparison of numbers holds.
    fn and(&mut self, cond: Option<Operand>, comparison: Op, args: [Operand; 2]) -> Operand {
        let holds = Exp::Scalar(ScalarOp::new(comparison, PrimType::I64), args.to_vec());
        let holds = self.bind("inside", PrimType::Bool, holds);
        match cond {
            None => holds,
            Some(cond) => {
                let and = ScalarOp::new(Op::And, PrimType::Bool);
                self.bind("inside", PrimType::Bool, Exp::Scalar(and, vec![cond, holds]))
            }
        }
    }
    /// The condition, and that an index is in bounds, as far as that is not known.
    fn inside(&mut self, mut cond: Option<Operand>, i: Operand, n: &Size) -> Option<Operand> {
        let (low, high) = (self.known.facts.natural(&self.known.form_of(i)), self.known.in_bounds(i, n));
        if !low {
            cond = Some(self.and(cond, Op::Le, [Operand::int(0), i]));
        }
        if !high {
            let n = self.size(n);
            cond = Some(self.and(cond, Op::Lt, [i, n]));
        }
        cond
    }
}
