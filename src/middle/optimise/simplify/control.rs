//! Branches, loops and array operators.

use super::{At, Simplifier, Step};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar};
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Size, Soac, Stm, Type, Var, same, single_exp};

/// So many cheap operations take no longer than a branch.
const FEW: usize = 5;

/// A scalar operation that cannot fail and is fast.
fn is_cheap(stm: &Stm) -> bool {
    matches!(&stm.exp, Exp::Scalar(op, _) if op.cost().cheap) && !stm.exp.may_fail()
}

impl Simplifier<'_> {
    /// Rules for statements with bodies before the bodies are looked at.
    pub(super) fn control(&mut self, stm: &mut Stm, out: &mut Vec<Stm>) -> Step {
        let span = stm.span;
        match &mut stm.exp {
            Exp::If { cond, then, els } => match *cond {
                Operand::Const(Scalar::Bool(truth)) => Step::Inline(std::mem::take(if truth { then } else { els })),
                cond_var @ (Operand::Const(_) | Operand::Var(_)) => match self.definition(cond_var) {
                    Some(Exp::Scalar(op, args)) if op.op == Op::Not && op.prim == PrimType::Bool => {
                        *cond = args[0];
                        std::mem::swap(then, els);
                        Step::Again
                    }
                    _ => Step::Keep,
                },
            },
            Exp::Loop { params, form, body } => {
                if let LoopForm::For(counter, Operand::Const(Scalar::I64(n))) = form {
                    let n = *n;
                    if n <= 0 {
                        return Step::Known(params.iter().map(|(_, init)| *init).collect());
                    }
                    if mutated!(LoopOfOne, n == 1, n <= 2) {
                        self.subst.operands.insert(*counter, Operand::int(0));
                        for (param, init) in params.iter() {
                            self.subst.operands.insert(*param, *init);
                        }
                        return Step::Inline(std::mem::take(body));
                    }
                }
                self.invariant(stm);
                Step::Keep
            }
            Exp::Soac(soac) => {
                self.inputs(&mut soac.inputs, &mut soac.lambda, span);
                Step::Keep
            }
            Exp::Filter { inputs, lambda, .. }
            | Exp::Rows { inputs, lambda, .. }
            | Exp::Scatter { inputs, lambda, .. }
            | Exp::Hist { inputs, lambda, .. } => {
                self.inputs(inputs, lambda, span);
                Step::Keep
            }
            single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::Call(..) => {
                let _ = out;
                Step::Keep
            }
        }
    }

    /// Parameters of a loop that never change are what they are first.
    fn invariant(&mut self, stm: &mut Stm) {
        let Exp::Loop { params, body, .. } = &mut stm.exp else { return };
        let mut k = 0;
        while k < params.len() {
            let (param, init) = params[k];
            let next = self.subst.operand(body.result[k]);
            if mutated!(InvariantByName, same(next, Operand::Var(param)), params.iter().any(|p| same(next, Operand::Var(p.0))))
                || same(next, init)
            {
                params.remove(k);
                body.result.remove(k);
                let result = stm.pat.remove(k);
                self.subst.operands.insert(param, init);
                self.subst.operands.insert(result, init);
            } else {
                k += 1;
            }
        }
    }

    /// Inputs that are mapped over twice are one; cells of replicated arrays are known.
    fn inputs(&mut self, inputs: &mut Vec<Var>, lambda: &mut Lambda, span: crate::base::Span) {
        let mut k = 0;
        while k < inputs.len() {
            let (input, param) = (inputs[k], lambda.params[k]);
            if let Some(first) = inputs[..k].iter().position(|other| *other == input) {
                self.subst.operands.insert(param, Operand::Var(lambda.params[first]));
            } else if let Some(Exp::Rep(a)) = self.defs.get(&input) {
                let a = *a;
                if self.program.operand_ty(a).rank() == self.program.vars[param].ty.rank() {
                    self.subst.operands.insert(param, a);
                } else {
                    lambda.body.stms.insert(0, Stm { pat: vec![param], exp: Exp::Rep(a), span });
                }
            } else if let Some(numbers) = self.numbers_of_rows(input) {
                let info = &self.program.vars[param];
                let (name, ty) = (info.name, Type::scalar(info.ty.elem));
                let number = self.program.fresh(name, ty);
                lambda.body.stms.insert(0, Stm { pat: vec![param], exp: Exp::Rep(Operand::Var(number)), span });
                (inputs[k], lambda.params[k]) = (numbers, number);
                continue;
            } else {
                k += 1;
                continue;
            }
            inputs.remove(k);
            lambda.params.remove(k);
        }
    }

    /// Of an array whose rows are replications of a number each, these numbers.
    fn numbers_of_rows(&self, array: Var) -> Option<Var> {
        let Some(Exp::Rearrange { array, perm }) = self.defs.get(&array) else { return None };
        let Some(Exp::Rep(Operand::Var(numbers))) = self.defs.get(array) else { return None };
        let last = self.ty(*array).rank() - 1;
        (self.ty(*numbers).rank() == 1 && perm[0] == last).then_some(*numbers)
    }

    /// Simplifies the bodies of a statement, and the statement by what they are.
    pub(super) fn inside(&mut self, stm: &mut Stm, out: &mut Vec<Stm>) -> Step {
        let span = stm.span;
        match &mut stm.exp {
            Exp::If { cond, then, els } => {
                let cond = *cond;
                self.branch(cond, true, then);
                self.branch(cond, false, els);
                self.joined(stm, out)
            }
            Exp::Loop { params, form, body } => {
                let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
                let mark = self.facts.mark();
                self.depth += 1;
                self.bound(&vars);
                match form {
                    LoopForm::For(counter, n) => self.counts(*counter, *n),
                    LoopForm::While(cond) => {
                        let inner = self.facts.mark();
                        self.body(cond);
                        self.facts.forget(inner);
                        let holds = cond.result.first().copied();
                        holds.into_iter().for_each(|cond| self.learn_truth(cond, true));
                    }
                }
                self.body(body);
                self.depth -= 1;
                self.facts.forget(mark);
                self.invariant(stm);
                if stm.pat.is_empty() && !stm.exp.may_fail() { Step::Drop } else { Step::Keep }
            }
            Exp::Soac(soac) => {
                self.lambda(&soac.width, &soac.inputs, &mut soac.lambda);
                soac.scans.iter_mut().chain(&mut soac.reduces).for_each(|operator| self.operator(operator));
                self.known_results(&mut stm.pat, soac, &mut At { out, span })
            }
            Exp::Filter { width, inputs, lambda } | Exp::Rows { width, inputs, lambda } | Exp::Scatter { width, inputs, lambda, .. } => {
                self.lambda(width, inputs, lambda);
                Step::Keep
            }
            Exp::Hist { width, inputs, lambda, operator, .. } => {
                self.lambda(width, inputs, lambda);
                self.operator(operator);
                Step::Keep
            }
            single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::Call(..) => Step::Keep,
        }
    }

    /// What holds in a loop with a counter.
    pub(in crate::middle::optimise) fn counts(&mut self, counter: Var, n: Operand) {
        self.bound(&[counter]);
        let (i, n) = (Size::var(counter), self.form_of(n));
        self.facts.learn_bounds(&i, &n);
    }
    /// What holds in the lambda of an operator over arrays.
    pub(in crate::middle::optimise) fn maps(&mut self, width: &Size, inputs: &[Var], params: &[Var]) {
        let (zero, width) = (Size::default(), self.facts.form(width));
        self.facts.learn_less(&zero, &width);
        self.bound(params);
        for (param, input) in params.iter().zip(inputs) {
            if let Some(Exp::Iota { start, step }) = self.defs.get(input)
                && same(*step, Operand::int(1))
                && self.program.vars[*param].ty.elem == PrimType::I64
            {
                let (start, i) = (self.form_of(*start), Size::var(*param));
                // The range does not begin again at the least number.
                let Some(end) = start.checked_add(&width, 1).filter(|end| self.facts.is_exact(end)) else { continue };
                self.facts.learn_at_most(&start, &i);
                self.facts.learn_less(&i, &end);
                self.facts.learn_small(&i);
            }
        }
    }

    fn lambda(&mut self, width: &Size, inputs: &[Var], lambda: &mut Lambda) {
        let mark = self.facts.mark();
        self.depth += 1;
        self.maps(width, inputs, &lambda.params);
        self.body(&mut lambda.body);
        self.depth -= 1;
        self.facts.forget(mark);
    }
    fn operator(&mut self, operator: &mut Operator) {
        let mark = self.facts.mark();
        self.depth += 1;
        self.bound(&operator.lambda.params);
        self.body(&mut operator.lambda.body);
        self.depth -= 1;
        self.facts.forget(mark);
    }
    fn branch(&mut self, cond: Operand, truth: bool, body: &mut Body) {
        let mark = self.facts.mark();
        self.learn_truth(cond, truth);
        // In the branch the condition is known.
        if let Operand::Var(var) = cond {
            self.subst.operands.insert(var, Operand::Const(Scalar::Bool(truth)));
        }
        self.body(body);
        if let Operand::Var(var) = cond {
            self.subst.operands.remove(&var);
        }
        self.facts.forget(mark);
    }

    /// Results of a branch that are known.
    fn joined(&mut self, stm: &mut Stm, out: &mut Vec<Stm>) -> Step {
        let span = stm.span;
        let Exp::If { cond, then, els } = &mut stm.exp else { return Step::Keep };
        // Where one side is known and the other is a few operations, those are cheaper than a branch.
        if let ([a], [b]) = (then.result.as_slice(), els.result.as_slice()) {
            let side = match (a, b) {
                (_, Operand::Const(Scalar::Bool(false))) if els.stms.is_empty() => Some(&mut then.stms),
                (Operand::Const(Scalar::Bool(true)), _) if then.stms.is_empty() => Some(&mut els.stms),
                _ => None,
            };
            if let Some(stms) = side.filter(|stms| stms.len() <= FEW && stms.iter().all(is_cheap)) {
                out.append(stms);
            }
        }
        let mut k = 0;
        while k < then.result.len() {
            let (a, b) = (then.result[k], els.result[k]);
            let truth = |a: Operand| if let Operand::Const(Scalar::Bool(value)) = a { Some(value) } else { None };
            let logical = |op: Op, args: Vec<Operand>| Exp::Scalar(ScalarOp::new(op, PrimType::Bool), args);
            let known = match (truth(a), truth(b)) {
                _ if same(a, b) => Some(Exp::Copy(a)),
                (Some(true), Some(false)) => Some(Exp::Copy(*cond)),
                (Some(false), Some(true)) if mutated!(TruthTurned, false, true) => Some(Exp::Copy(*cond)),
                (Some(false), Some(true)) => Some(logical(Op::Not, vec![*cond])),
                // The other operand must be there before the branch.
                (Some(true), None) if els.stms.is_empty() => Some(logical(Op::Or, vec![*cond, b])),
                (None, Some(false)) if then.stms.is_empty() => Some(logical(Op::And, vec![*cond, a])),
                _ => None,
            };
            let Some(exp) = known else {
                k += 1;
                continue;
            };
            then.result.remove(k);
            els.result.remove(k);
            let var = stm.pat.remove(k);
            self.stm(Stm { pat: vec![var], exp, span }, out);
        }
        if stm.pat.is_empty() && !stm.exp.may_fail() { Step::Drop } else { Step::Keep }
    }

    /// Mapped results that are the same for all cells, the cells of an input, or returned twice.
    fn known_results(&mut self, pat: &mut Vec<Var>, soac: &mut Soac, at: &mut At) -> Step {
        let combined = soac.combined();
        let mut k = combined;
        while k < pat.len() {
            let result = soac.lambda.body.result[k];
            let twin = (combined..k).find(|j| same(soac.lambda.body.result[*j], result));
            let param = soac.lambda.params.iter().position(|param| Operand::Var(*param) == result && result.var().is_some());
            if let Some(twin) = twin {
                self.subst.operands.insert(pat[k], Operand::Var(pat[twin]));
            } else if let Some(param) = param {
                self.subst.operands.insert(pat[k], Operand::Var(soac.inputs[param]));
            } else if self.is_outside(result, self.depth + 1) {
                let stm = Stm { pat: vec![pat[k]], exp: Exp::Rep(result), span: at.span };
                self.stm(stm, at.out);
            } else {
                k += 1;
                continue;
            }
            soac.lambda.body.result.remove(k);
            pat.remove(k);
        }
        if pat.is_empty() && !soac.lambda.body.may_fail() { Step::Drop } else { Step::Keep }
    }
}
