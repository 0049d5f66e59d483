//! Walks over statements: what is used, what is bound, whether it may fail.

use super::{Body, Check, Exp, FunId, Lambda, LoopForm, Operand, Operator, Program, Size, Stm, Var, count_exp, made_exp, parallel_exp};
use crate::base::scalar::ScalarOp;
use rustc_hash::FxHashSet;

/// Something in an expression that a walk can stop at.
#[derive(Debug, Clone, Copy)]
pub enum Part<'a> {
    /// An operand.
    Operand(Operand),
    /// A variable that must be an array.
    Array(Var),
    /// A size.
    Size(&'a Size),
    /// A body in which these variables are bound.
    Body(&'a [Var], &'a Body),
}

impl Check {
    fn parts<'a>(&'a self, see: &mut dyn FnMut(Part<'a>)) {
        match self {
            Check::Bounds(i, n) => {
                see(Part::Operand(*i));
                see(Part::Size(n));
            }
            Check::Coerce(found, wanted) => found.iter().chain(wanted).for_each(|size| see(Part::Size(size))),
            Check::NonNegative(n) => see(Part::Size(n)),
            Check::Range(a, b) => [a, b].into_iter().for_each(|a| see(Part::Operand(*a))),
            Check::Product(n, m) => [n, m].into_iter().for_each(|size| see(Part::Size(size))),
            Check::Unflatten(a, b, c) => [a, b, c].into_iter().for_each(|size| see(Part::Size(size))),
            Check::Assert(cond, _) => see(Part::Operand(*cond)),
        }
    }
}

impl Exp {
    /// Calls `see` with the direct parts of the expression, in order. Parameters of loops are bound in their bodies and
    /// conditions; their first values are operands.
    pub fn parts<'a>(&'a self, see: &mut dyn FnMut(Part<'a>)) {
        let lambda = |lambda: &'a Lambda, see: &mut dyn FnMut(Part<'a>)| see(Part::Body(&lambda.params, &lambda.body));
        let operator = |operator: &'a Operator, see: &mut dyn FnMut(Part<'a>)| {
            operator.neutral.iter().for_each(|a| see(Part::Operand(*a)));
            see(Part::Body(&operator.lambda.params, &operator.lambda.body));
        };
        match self {
            Exp::Copy(a) | Exp::Rep(a) => see(Part::Operand(*a)),
            Exp::Scalar(_, args) | Exp::Stack(args) | Exp::Call(_, args) => args.iter().for_each(|a| see(Part::Operand(*a))),
            Exp::Size(size) => see(Part::Size(size)),
            Exp::Literal(_) => {}
            Exp::Index { array, at, .. } => {
                see(Part::Array(*array));
                at.iter().for_each(|a| see(Part::Operand(*a)));
            }
            Exp::Slice { array, start, step, .. } => {
                see(Part::Array(*array));
                see(Part::Operand(*start));
                see(Part::Operand(*step));
            }
            Exp::Rotate { array, by } => {
                see(Part::Array(*array));
                see(Part::Operand(*by));
            }
            Exp::Rearrange { array, .. } | Exp::Reshape(array) | Exp::Coerce(array) => see(Part::Array(*array)),
            Exp::Iota { start, step } => {
                see(Part::Operand(*start));
                see(Part::Operand(*step));
            }
            Exp::Concat(arrays) => arrays.iter().for_each(|a| see(Part::Array(*a))),
            Exp::Update { array, at, value, .. } => {
                see(Part::Array(*array));
                at.iter().for_each(|a| see(Part::Operand(*a)));
                see(Part::Operand(*value));
            }
            Exp::UpdateSlice { array, start, step, value, .. } => {
                see(Part::Array(*array));
                see(Part::Operand(*start));
                see(Part::Operand(*step));
                see(Part::Array(*value));
            }
            Exp::RangeCount { kind: _, start, step, end } => [start, step, end].into_iter().for_each(|a| see(Part::Operand(*a))),
            Exp::SliceCount { start, end, step, size } => {
                [start, end, step].into_iter().for_each(|a| see(Part::Operand(*a)));
                see(Part::Size(size));
            }
            Exp::Check(check) => check.parts(see),
            Exp::Soac(soac) => {
                see(Part::Size(&soac.width));
                soac.inputs.iter().for_each(|a| see(Part::Array(*a)));
                lambda(&soac.lambda, see);
                soac.operators().for_each(|op| operator(op, see));
            }
            Exp::Seg(seg) => {
                seg.sizes.iter().for_each(|size| see(Part::Size(size)));
                see(Part::Body(&seg.space, &seg.body));
                seg.kind.operators().iter().for_each(|op| operator(op, see));
            }
            Exp::Filter { width, inputs, lambda: f } | Exp::Rows { width, inputs, lambda: f } => {
                see(Part::Size(width));
                inputs.iter().for_each(|a| see(Part::Array(*a)));
                lambda(f, see);
            }
            Exp::Scatter { width, inputs, lambda: f, dests } => {
                see(Part::Size(width));
                inputs.iter().chain(dests).for_each(|a| see(Part::Array(*a)));
                lambda(f, see);
            }
            Exp::Hist { width, inputs, lambda: f, dests, operator: op } => {
                see(Part::Size(width));
                inputs.iter().chain(dests).for_each(|a| see(Part::Array(*a)));
                lambda(f, see);
                operator(op, see);
            }
            Exp::If { cond, then, els } => {
                see(Part::Operand(*cond));
                see(Part::Body(&[], then));
                see(Part::Body(&[], els));
            }
            Exp::Loop { params, form, body } => {
                params.iter().for_each(|(_, init)| see(Part::Operand(*init)));
                match form {
                    LoopForm::For(i, n) => {
                        see(Part::Operand(*n));
                        see(Part::Body(std::slice::from_ref(i), body));
                    }
                    LoopForm::While(cond) => {
                        see(Part::Body(&[], cond));
                        see(Part::Body(&[], body));
                    }
                }
            }
        }
    }

    /// Whether running the expression may end the program. Memory may run out anywhere and does not count; endless loops and
    /// calls do.
    pub fn may_fail(&self) -> bool {
        let here = match self {
            Exp::Scalar(op, args) => scalar_may_fail(*op, args),
            Exp::Index { checked, .. } | Exp::Slice { checked, .. } | Exp::Update { checked, .. } | Exp::UpdateSlice { checked, .. } => {
                *checked
            }
            Exp::Check(_) | Exp::Call(..) | count_exp!() => true,
            Exp::Loop { form, .. } => matches!(form, LoopForm::While(_)),
            Exp::Copy(_)
            | Exp::Size(_)
            | Exp::Rearrange { .. }
            | Exp::Reshape(_)
            | Exp::Coerce(_)
            | Exp::If { .. }
            | parallel_exp!()
            | made_exp!() => false,
        };
        let mut fails = here;
        self.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                fails = fails || body.may_fail();
            }
        });
        fails
    }
}

impl Program {
    /// Sizes of arrays that functions are given: they are at least 0 everywhere.
    pub fn given_sizes(&self) -> FxHashSet<Var> {
        let params = self.funs.iter().flat_map(|(_, fun)| &fun.params);
        params.flat_map(|var| &self.ty(*var).shape).filter_map(Size::as_var).collect()
    }
    /// Whether a statement is right only behind the checks in front of it: accesses whose own checks were found to be superfluous there, types
    /// that a check stands for, and new arrays with sizes that need not be sizes. It must not be moved over what may fail.
    pub fn relies(&self, stm: &Stm, given: &FxHashSet<Var>) -> bool {
        let mut relies = match &stm.exp {
            Exp::Index { checked, .. } | Exp::Slice { checked, .. } | Exp::Update { checked, .. } | Exp::UpdateSlice { checked, .. } => {
                !*checked
            }
            Exp::Coerce(_) | Exp::Reshape(_) => true,
            Exp::Concat(_) | Exp::Call(..) => false,
            Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Literal(_)
            | Exp::Stack(_)
            | Exp::Rotate { .. }
            | Exp::Rearrange { .. }
            | Exp::Rep(_)
            | Exp::Iota { .. }
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | parallel_exp!()
            | count_exp!() => self.computes_sizes(stm, given),
        };
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                relies = relies || body.stms.iter().any(|stm| self.relies(stm, given));
            }
        });
        relies
    }
    /// Calls `see` with every variable that a statement mentions, in its expression and in the types of what it and its inner bodies bind.
    pub fn mentioned(&self, stm: &Stm, see: &mut dyn FnMut(Var)) {
        mentioned(stm, see);
        self.mentioned_in_types(stm, see);
    }
    fn mentioned_in_types(&self, stm: &Stm, see: &mut dyn FnMut(Var)) {
        let of = |vars: &[Var], see: &mut dyn FnMut(Var)| {
            vars.iter().flat_map(|var| &self.ty(*var).shape).flat_map(Size::vars).for_each(see);
        };
        of(&stm.pat, see);
        if let Exp::Loop { params, .. } = &stm.exp {
            params.iter().for_each(|(var, _)| of(&[*var], see));
        }
        stm.exp.parts(&mut |part| {
            if let Part::Body(bound, body) = part {
                of(bound, see);
                body.stms.iter().for_each(|stm| self.mentioned_in_types(stm, see));
            }
        });
    }
    /// Whether a statement makes an array of a size that is neither one of an array that it reads nor a sum or product of what is at least 0.
    fn computes_sizes(&self, stm: &Stm, given: &FxHashSet<Var>) -> bool {
        let natural = |size: &Size| {
            let known = |var: &Var| given.contains(var) || stm.pat.contains(var);
            size.terms().all(|(vars, coefficient)| coefficient >= 0 && vars.iter().all(known))
        };
        let sizes = stm.pat.iter().flat_map(|var| &self.ty(*var).shape).filter(|size| !natural(size));
        let mut sizes: Vec<&Size> = sizes.collect();
        if !sizes.is_empty() {
            mentioned(stm, &mut |var| sizes.retain(|size| !self.ty(var).shape.contains(size)));
        }
        !sizes.is_empty()
    }
}

/// Whether the condition of an operation may not hold: the operand that it is about is no constant, or one of which it does not hold.
fn scalar_may_fail(op: ScalarOp, args: &[Operand]) -> bool {
    let Some(condition) = op.condition() else { return false };
    let constant = match args.get(1) {
        Some(Operand::Const(scalar)) => scalar.as_i128(),
        Some(Operand::Var(_)) | None => None,
    };
    constant.is_none_or(|operand| !condition.holds(operand))
}

impl Body {
    /// Whether running the body may end the program.
    pub fn may_fail(&self) -> bool {
        self.stms.iter().any(|stm| stm.exp.may_fail())
    }
    /// Calls `see` with the callee of each call, those in inner bodies included.
    pub fn calls(&self, see: &mut dyn FnMut(FunId)) {
        self.stms.iter().for_each(|stm| stm.calls(see));
    }
    /// How often a variable is mentioned, in inner bodies as well.
    pub fn uses(&self, var: Var) -> usize {
        let mut count = self.result.iter().filter(|a| a.var() == Some(var)).count();
        self.stms.iter().for_each(|stm| mentioned(stm, &mut |other| count += usize::from(other == var)));
        count
    }
}

impl Stm {
    /// Calls `see` with the callee of the call that it is, or of each call in its inner bodies.
    pub fn calls(&self, see: &mut dyn FnMut(FunId)) {
        if let Exp::Call(callee, _) = &self.exp {
            see(*callee);
        }
        self.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                body.calls(see);
            }
        });
    }
}

/// Calls `see` with every variable that the statement mentions in its expression, those of inner bodies included, bound ones or not.
pub fn mentioned(stm: &Stm, see: &mut dyn FnMut(Var)) {
    fn body_mentions(body: &Body, see: &mut dyn FnMut(Var)) {
        body.stms.iter().for_each(|stm| mentioned(stm, see));
        body.result.iter().filter_map(|a| a.var()).for_each(&mut *see);
    }
    stm.exp.parts(&mut |part| match part {
        Part::Operand(a) => a.var().into_iter().for_each(&mut *see),
        Part::Array(var) => see(var),
        Part::Size(size) => size.vars().for_each(&mut *see),
        Part::Body(_, body) => body_mentions(body, see),
    });
}

/// Adds what is bound in the bodies of an expression, parameters of loops and functions included.
pub fn bound_inside(exp: &Exp, out: &mut FxHashSet<Var>) {
    if let Exp::Loop { params, .. } = exp {
        out.extend(params.iter().map(|(param, _)| *param));
    }
    exp.parts(&mut |part| {
        if let Part::Body(params, body) = part {
            out.extend(params);
            bound_by(&body.stms, out);
        }
    });
}

/// Adds what statements bind, in their patterns and in the bodies of their expressions.
pub fn bound_by(stms: &[Stm], out: &mut FxHashSet<Var>) {
    for stm in stms {
        out.extend(&stm.pat);
        bound_inside(&stm.exp, out);
    }
}
