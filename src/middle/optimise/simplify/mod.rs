//! Simplification: a statement whose value is known, or is that of something cheaper, is replaced by it.
//!
//! Law: the program computes the same values, bit by bit, and fails if and only if it failed before. Checks disappear where they are
//! proved ([`Facts`]); where an expression that checks is replaced by one that does not, the check stays as a statement of its own.
//!
//! One walk from the beginning to the end: what is known of a variable is known before it is used. Each rule makes the program smaller or
//! moves an index closer to the array that it reads, so that repeating them ends.

mod control;
mod scalar;
mod views;

use super::facts::Facts;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{MAX_SIZE, PrimType, Scalar, Span, Symbol};
use crate::ir::soac::visit_mut::Subst;
use crate::ir::soac::{Body, Check, Exp, FunId, Operand, Program, Size, Stm, Type, Var, count_exp, made_exp, same, view_exp};
use rustc_hash::FxHashMap;

/// Simplifies a program.
pub fn simplify(mut program: Program) -> Program {
    let mut simplifier = Simplifier::new(&mut program);
    simplifier.run();
    let subst = std::mem::take(&mut simplifier.subst);
    subst.program(&mut program);
    program
}

/// The walk, with what is known where it is.
pub(super) struct Simplifier<'p> {
    pub(super) program: &'p mut Program,
    /// What became of variables, and what those of type `i64` are in terms of others.
    pub(super) subst: Subst,
    /// What variables are bound to, if it can be looked through.
    defs: FxHashMap<Var, Exp>,
    pub(super) facts: Facts,
    /// How many lambdas and loops are around.
    depth: u32,
    depths: FxHashMap<Var, u32>,
}

/// Where new statements go.
struct At<'a> {
    out: &'a mut Vec<Stm>,
    span: Span,
}

/// What becomes of a statement.
enum Step {
    /// Nothing.
    Keep,
    /// Its expression was changed; it may be simplified further.
    Again,
    /// Its results are these.
    Known(Vec<Operand>),
    /// It is the same as these statements with these results.
    Inline(Body),
    /// It does nothing.
    Drop,
}

impl Step {
    fn known(a: Operand) -> Step {
        Step::Known(vec![a])
    }
}

impl<'p> Simplifier<'p> {
    /// In front of a program.
    pub(super) fn new(program: &'p mut Program) -> Self {
        Simplifier {
            program,
            subst: Subst::default(),
            defs: FxHashMap::default(),
            facts: Facts::default(),
            depth: 0,
            depths: FxHashMap::default(),
        }
    }
}

impl Simplifier<'_> {
    fn run(&mut self) {
        let mut out = Vec::new();
        for stm in std::mem::take(&mut self.program.consts) {
            self.stm(stm, &mut out);
        }
        self.program.consts = out;
        for id in self.program.fun_ids() {
            let mut body = std::mem::take(&mut self.program.funs[id].body);
            let mark = self.facts.mark();
            self.function(id);
            self.body(&mut body);
            self.facts.forget(mark);
            self.program.funs[id].body = body;
        }
    }

    /// What is known at the beginning of a function.
    pub(super) fn function(&mut self, id: FunId) {
        let params = self.program.funs[id].params.clone();
        self.bound(&params);
        if self.program.funs[id].entry {
            // Arguments from outside exist, with all of their sizes, and lie in memory.
            for var in params {
                let shape = self.program.vars[var].ty.shape.clone();
                shape.iter().for_each(|size| self.facts.learn_size(size));
                let exact = shape.iter().all(|size| size.as_var().is_some() || size.as_constant().is_some());
                let all = shape.iter().try_fold(Size::constant(1), |all, size| all.checked_mul(size));
                all.filter(|_| exact).into_iter().for_each(|all| self.facts.learn_at_most(&all, &Size::constant(MAX_SIZE)));
            }
        }
    }

    fn body(&mut self, body: &mut Body) {
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            self.stm(stm, &mut out);
        }
        body.stms = out;
        for operand in &mut body.result {
            *operand = self.subst.operand(*operand);
        }
    }

    fn stm(&mut self, mut stm: Stm, out: &mut Vec<Stm>) {
        self.subst.parts(&mut stm.exp);
        loop {
            match self.step(&mut stm, out) {
                Step::Keep => break,
                Step::Again => {}
                Step::Known(operands) => return self.known(&stm.pat, operands),
                Step::Inline(body) => return self.inline(&stm.pat, body, out),
                Step::Drop => return,
            }
        }
        match self.inside(&mut stm, out) {
            Step::Keep | Step::Again => {}
            Step::Known(operands) => return self.known(&stm.pat, operands),
            Step::Inline(body) => return self.inline(&stm.pat, body, out),
            Step::Drop => return,
        }
        self.record(&stm);
        out.push(stm);
    }
    fn known(&mut self, pat: &[Var], operands: Vec<Operand>) {
        for (var, operand) in pat.iter().zip(operands) {
            let operand = self.subst.operand(operand);
            self.subst.operands.insert(*var, operand);
        }
    }
    fn inline(&mut self, pat: &[Var], body: Body, out: &mut Vec<Stm>) {
        for stm in body.stms {
            self.stm(stm, out);
        }
        self.known(pat, body.result);
    }

    /// Rules for the outside of a statement.
    fn step(&mut self, stm: &mut Stm, out: &mut Vec<Stm>) -> Step {
        let mut at = At { out, span: stm.span };
        let single = match stm.pat.as_slice() {
            [var] => Some(*var),
            _ => None,
        };
        match (&mut stm.exp, single) {
            (Exp::Copy(a), _) => Step::known(*a),
            (Exp::Scalar(op, args), _) => {
                if let Some(a) = self.known_scalar(*op, args) {
                    return Step::known(a);
                }
                match self.size_of_scalar(*op, args) {
                    Some(size) => self.sized(single, &size),
                    None => Step::Keep,
                }
            }
            (Exp::Size(size), _) => {
                let size = size.clone();
                self.sized(single, &size)
            }
            (Exp::Check(check), _) => self.check(check, &mut at),
            (
                Exp::If { .. }
                | Exp::Loop { .. }
                | Exp::Soac(_)
                | Exp::Filter { .. }
                | Exp::Rows { .. }
                | Exp::Scatter { .. }
                | Exp::Hist { .. },
                _,
            ) => self.control(stm, out),
            (exp, Some(var)) => {
                let ty = self.ty(var);
                self.view(exp, &ty, &mut at)
            }
            _ => Step::Keep,
        }
    }

    /// An `i64` that is this size.
    fn sized(&mut self, var: Option<Var>, size: &Size) -> Step {
        if let Some(operand) = size.as_operand() {
            return Step::known(operand);
        }
        if let Some(var) = var {
            self.subst.sizes.insert(var, size.clone());
        }
        Step::Keep
    }

    fn check(&mut self, check: &mut Check, at: &mut At) -> Step {
        let proved = match check {
            Check::Bounds(i, n) => self.in_bounds(*i, n),
            Check::NonNegative(n) => self.facts.is_size(&self.facts.form(n)),
            Check::Range(a, b) => {
                let (a, b) = (self.form_of(*a), self.form_of(*b));
                b.checked_add(&a, -1).is_some_and(|size| self.facts.is_size(&size))
            }
            Check::Product(n, m) => {
                let (n, m) = (self.facts.form(n), self.facts.form(m));
                n.checked_mul(&m).is_some_and(|product| self.facts.is_size(&product))
            }
            Check::Coerce(found, wanted) => {
                if found.iter().zip(wanted.iter()).take(mutated!(CoerceAnything, usize::MAX, 1)).all(|(a, b)| a == b) {
                    return Step::Drop;
                }
                false
            }
            Check::Unflatten(found, n, m) => {
                let natural = || [&*n, m, found].into_iter().all(|n| self.facts.is_exact(n) && self.facts.natural(n));
                *found == n.mul(m) && mutated!(UnflattenAnything, natural(), true)
            }
            Check::Assert(Operand::Const(Scalar::Bool(true)), _) => true,
            Check::Assert(..) => false,
        };
        let _ = at;
        if proved { Step::Drop } else { Step::Keep }
    }

    /// What is known after a statement has run.
    pub(super) fn record(&mut self, stm: &Stm) {
        self.reach(&stm.pat);
        if let (Exp::Slice { array, start, step, .. }, [part]) = (&stm.exp, stm.pat.as_slice())
            && same(*step, Operand::int(1))
        {
            self.learn_part(*start, &self.dim(*part), &self.dim(*array));
        }
        // Ranges and copies need no memory: they may stand in front of the check of their size.
        if !matches!(stm.exp, Exp::Iota { .. } | Exp::Rep(_)) {
            self.exist(&stm.pat);
        }
        match &stm.exp {
            Exp::Check(check) => self.learn_check(check),
            Exp::Index { array, at, .. } | Exp::Update { array, at, .. } => {
                let shape = self.ty(*array).shape;
                at.iter().zip(&shape).for_each(|(i, n)| self.learn_bounds(*i, n));
            }
            Exp::Scalar(op, args) if op.prim == PrimType::I64 => {
                let (op, args) = (*op, args.clone());
                self.learn_result(op, &args, &stm.pat);
            }
            Exp::Filter { .. } | count_exp!() => {
                stm.pat.first().into_iter().for_each(|count| self.facts.learn_size(&Size::var(*count)));
            }
            Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::UpdateSlice { .. }
            | Exp::Soac(_)
            | Exp::Seg(_)
            | Exp::Rows { .. }
            | Exp::Scatter { .. }
            | Exp::Hist { .. }
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..)
            | view_exp!()
            | made_exp!() => {}
        }
        if let [var] = stm.pat.as_slice() {
            let looked_through = matches!(
                stm.exp,
                Exp::Scalar(..)
                    | Exp::Literal(_)
                    | Exp::Stack(_)
                    | Exp::Index { .. }
                    | Exp::Update { .. }
                    | view_exp!()
                    | Exp::Rep(_)
                    | Exp::Iota { .. }
            );
            if looked_through {
                self.defs.insert(*var, stm.exp.clone());
            }
        }
    }
    /// What a check says that did not fail.
    fn learn_check(&mut self, check: &Check) {
        match check {
            Check::Bounds(i, n) => self.learn_bounds(*i, n),
            Check::NonNegative(n) => self.facts.learn_size(n),
            Check::Range(a, b) => {
                let (a, b) = (self.form_of(*a), self.form_of(*b));
                self.facts.learn_at_most(&a, &b);
                b.checked_add(&a, -1).into_iter().for_each(|size| self.facts.learn_size(&size));
            }
            // An array that is empty may have a negative size inside.
            Check::Product(n, m) => self.learn_product(n, m),
            Check::Unflatten(_, n, m) => {
                self.facts.learn_size(n);
                self.facts.learn_size(m);
                self.learn_product(n, m);
            }
            Check::Coerce(..) | Check::Assert(..) => {}
        }
    }
    fn learn_product(&mut self, n: &Size, m: &Size) {
        let (n, m) = (self.facts.form(n), self.facts.form(m));
        let Some(product) = n.checked_mul(&m) else { return };
        self.facts.learn(product.clone());
        self.facts.learn_at_most(&product, &Size::constant(MAX_SIZE));
    }
    /// What an operation says about its result.
    #[expect(clippy::wildcard_enum_match_arm, reason = "what some operations say of their results; of the others nothing is known")]
    fn learn_result(&mut self, op: ScalarOp, args: &[Operand], pat: &[Var]) {
        let ([a, b], [var], Op::Mod | Op::Min | Op::Max) = (args, pat, op.op) else { return };
        let (a, b, result) = (self.form_of(*a), self.form_of(*b), Size::var(*var));
        match op.op {
            // It did not fail, so the divisor is not 0.
            Op::Mod if self.facts.natural(&b) => self.facts.learn_bounds(&result, &b),
            Op::Min => {
                self.facts.learn_at_most(&result, &a);
                self.facts.learn_at_most(&result, &b);
                if self.facts.natural(&a) && self.facts.natural(&b) {
                    self.facts.learn(result.clone());
                }
                self.facts.learn_small(&result);
            }
            Op::Max => {
                self.facts.learn_at_most(&a, &result);
                self.facts.learn_at_most(&b, &result);
                if self.facts.natural(&a) || self.facts.natural(&b) {
                    self.facts.learn(result.clone());
                }
                let most = Size::constant(MAX_SIZE);
                if self.facts.at_most(&a, &most) && self.facts.at_most(&b, &most) {
                    self.facts.learn_at_most(&result, &most);
                    self.facts.learn_small(&result);
                }
            }
            _ => {}
        }
    }
    fn learn_bounds(&mut self, i: Operand, n: &Size) {
        let (i, n) = (self.form_of(i), self.facts.form(n));
        self.facts.learn_bounds(&i, &n);
    }
    /// So many cells from one on are a part of an array.
    fn learn_part(&mut self, start: Operand, count: &Size, n: &Size) {
        let (start, n) = (self.form_of(start), self.facts.form(n));
        self.facts.learn(start.clone());
        self.facts.learn_at_most(&start, &n);
        self.facts.learn_small(&start);
        // Where the part begins at a small number, its size is the difference of its ends as integers.
        self.facts.learn_size(count);
        let part = self.facts.form(count);
        part.checked_add(&start, 1).into_iter().for_each(|end| self.facts.learn_at_most(&end, &n));
    }
    /// Whether an operand is known to be in bounds.
    pub(super) fn in_bounds(&self, i: Operand, n: &Size) -> bool {
        let (i, n) = (self.size_of(i), self.facts.form(n));
        // What is between 0 and a size as an integer has not been changed by the size of numbers.
        self.facts.in_bounds(&i, &n) || (!self.facts.is_exact(&i) && self.facts.in_bounds(&self.facts.form(&i), &n))
    }
    /// Whether so many cells from one on are known to be a part of an array.
    pub(super) fn is_part_of(&self, start: Operand, count: &Size, n: &Size) -> bool {
        let (start, count, n) = (self.size_of(start), self.facts.form(count), self.facts.form(n));
        let inside =
            |start: &Size| self.facts.natural(start) && start.checked_add(&count, 1).is_some_and(|end| self.facts.at_most(&end, &n));
        self.facts.natural(&count) && (inside(&start) || (!self.facts.is_exact(&start) && inside(&self.facts.form(&start))))
    }
    /// What an operand is as an integer.
    pub(super) fn form_of(&self, operand: Operand) -> Size {
        self.facts.form(&self.size_of(operand))
    }
    /// These variables are bound here, and arrays among them exist.
    pub(super) fn bound(&mut self, vars: &[Var]) {
        self.reach(vars);
        self.exist(vars);
    }
    fn reach(&mut self, vars: &[Var]) {
        for &var in vars {
            self.depths.insert(var, self.depth);
        }
    }
    fn exist(&mut self, vars: &[Var]) {
        for &var in vars {
            if self.program.vars[var].ty.rank() > 0 {
                let outer = self.dim(var);
                self.facts.learn_size(&outer);
            }
        }
    }
    /// Whether an operand is the same for all iterations of the lambda or loop whose body is at this depth.
    fn is_outside(&self, operand: Operand, depth: u32) -> bool {
        operand.var().is_none_or(|var| self.depths.get(&var).is_some_and(|d| *d < depth))
    }

    fn definition(&self, operand: Operand) -> Option<&Exp> {
        self.defs.get(&operand.var()?)
    }
    pub(super) fn ty(&self, var: Var) -> Type {
        self.subst.ty(&self.program.vars[var].ty)
    }
    /// The outer size of an array.
    pub(super) fn dim(&self, var: Var) -> Size {
        self.program.vars[var].ty.shape.first().map_or_else(Size::default, |size| self.subst.size(size))
    }
    pub(super) fn size_of(&self, operand: Operand) -> Size {
        let known = operand.var().and_then(|var| self.subst.sizes.get(&var).cloned());
        known.unwrap_or_else(|| operand.as_size())
    }

    /// Binds an expression to a new variable, simplified.
    fn emit(&mut self, exp: Exp, ty: Type, name: &str, at: &mut At) -> Operand {
        let var = self.program.fresh(Symbol::new(name), ty);
        self.stm(Stm { pat: vec![var], exp, span: at.span }, at.out);
        self.subst.var(var)
    }
    /// A check, unless it is proved.
    fn emit_bounds(&mut self, i: Operand, n: &Size, at: &mut At) {
        self.stm(Stm { pat: Vec::new(), exp: Exp::Check(Check::Bounds(i, n.clone())), span: at.span }, at.out);
    }

    /// What holds where a truth value is this.
    pub(super) fn learn_truth(&mut self, cond: Operand, truth: bool) {
        let Some(Exp::Scalar(op, args)) = self.definition(cond) else { return };
        let (op, args) = (*op, args.clone());
        match (op.op, args.as_slice()) {
            (Op::And, [a, b]) if truth && op.prim == PrimType::Bool => {
                self.learn_truth(*a, true);
                self.learn_truth(*b, true);
            }
            (Op::Not, [a]) => self.learn_truth(*a, !truth),
            (comparison, [a, b]) if op.prim == PrimType::I64 => {
                let (a, b) = (self.form_of(*a), self.form_of(*b));
                match (comparison, truth) {
                    (Op::Lt, true) | (Op::Ge, false) => self.facts.learn_less(&a, &b),
                    (Op::Lt, false) | (Op::Ge, true) => {
                        mutated!(NotLessIsGreater, self.facts.learn_at_most(&b, &a), self.facts.learn_less(&b, &a));
                    }
                    (Op::Le, true) | (Op::Gt, false) => self.facts.learn_at_most(&a, &b),
                    (Op::Le, false) | (Op::Gt, true) => self.facts.learn_less(&b, &a),
                    _ => {}
                }
                self.facts.learn_small(&a);
                self.facts.learn_small(&b);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
