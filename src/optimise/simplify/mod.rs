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
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::visit_mut::Subst;
use crate::ir::soac::{Body, Check, Exp, Operand, Program, Size, Stm, Type, Var};
use rustc_hash::FxHashMap;

pub(super) use scalar::{op, same};

/// Simplifies a program.
pub fn simplify(mut program: Program) -> Program {
    let mut simplifier = Simplifier {
        program: &mut program,
        subst: Subst::default(),
        defs: FxHashMap::default(),
        facts: Facts::default(),
        depth: 0,
        depths: FxHashMap::default(),
    };
    simplifier.run();
    let subst = std::mem::take(&mut simplifier.subst);
    subst.program(&mut program);
    program
}

struct Simplifier<'p> {
    program: &'p mut Program,
    /// What became of variables, and what those of type `i64` are in terms of others.
    subst: Subst,
    /// What variables are bound to, if it can be looked through.
    defs: FxHashMap<Var, Exp>,
    facts: Facts,
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

impl Simplifier<'_> {
    fn run(&mut self) {
        let mut out = Vec::new();
        for stm in std::mem::take(&mut self.program.consts) {
            self.stm(stm, &mut out);
        }
        self.program.consts = out;
        for id in self.program.fun_ids() {
            let params = self.program.funs[id].params.clone();
            let entry = self.program.funs[id].entry;
            let mut body = std::mem::take(&mut self.program.funs[id].body);
            let mark = self.facts.mark();
            self.bound(&params);
            if entry {
                // Arguments from outside exist, with all of their sizes.
                for var in params {
                    self.program.vars[var].ty.shape.clone().into_iter().for_each(|size| self.facts.learn(size));
                }
            }
            self.body(&mut body);
            self.facts.forget(mark);
            self.program.funs[id].body = body;
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
            (Exp::If { .. } | Exp::Loop { .. } | Exp::Soac(_) | Exp::Filter { .. } | Exp::Scatter { .. } | Exp::Hist { .. }, _) => {
                self.control(stm, out)
            }
            (exp, Some(var)) => {
                let ty = self.ty(var);
                self.view(exp, &ty, &mut at)
            }
            _ => Step::Keep,
        }
    }

    /// An `i64` that is this size.
    fn sized(&mut self, var: Option<Var>, size: &Size) -> Step {
        if let Some(value) = size.as_constant() {
            return Step::known(Operand::int(value));
        }
        if let Some(var) = size.as_var() {
            return Step::known(Operand::Var(var));
        }
        if let Some(var) = var {
            self.subst.sizes.insert(var, size.clone());
        }
        Step::Keep
    }

    fn check(&mut self, check: &mut Check, at: &mut At) -> Step {
        let proved = match check {
            Check::Bounds(i, n) => {
                let i = self.size_of(*i);
                self.facts.in_bounds(&i, n)
            }
            Check::NonNegative(n) => self.facts.natural(n),
            Check::Coerce(found, wanted) => {
                if found.iter().zip(wanted.iter()).take(mutated!(CoerceAnything, usize::MAX, 1)).all(|(a, b)| a == b) {
                    return Step::Drop;
                }
                false
            }
            Check::Unflatten(found, n, m) => {
                mutated!(UnflattenAnything, *found == n.mul(m), true) && self.facts.natural(n) && self.facts.natural(m)
            }
            Check::Assert(Operand::Const(Scalar::Bool(true)), _) => true,
            Check::Assert(..) => false,
        };
        let _ = at;
        if proved { Step::Drop } else { Step::Keep }
    }

    /// What is known after a statement has run.
    fn record(&mut self, stm: &Stm) {
        self.bound(&stm.pat);
        match &stm.exp {
            Exp::Check(Check::Bounds(i, n)) => {
                let i = self.size_of(*i);
                self.learn_bounds(&i, &n.clone());
            }
            Exp::Check(Check::NonNegative(n)) => self.facts.learn(n.clone()),
            Exp::Check(Check::Unflatten(_, n, m)) => {
                self.facts.learn(n.clone());
                self.facts.learn(m.clone());
            }
            Exp::Index { array, at, .. } | Exp::Update { array, at, .. } => {
                let shape = self.ty(*array).shape;
                for (i, n) in at.iter().zip(&shape) {
                    let i = self.size_of(*i);
                    self.learn_bounds(&i, n);
                }
            }
            Exp::Slice { array, start, step, .. } if same(*step, Operand::int(1)) => {
                let (start, n) = (self.size_of(*start), self.dim(*array));
                let end = stm.pat.first().map_or_else(Size::default, |var| self.dim(*var)).add(&start);
                self.facts.learn(start);
                self.facts.learn_at_most(&end, &n);
            }
            Exp::Scalar(op, args) if op.prim == PrimType::I64 => {
                let (op, args) = (*op, args.clone());
                self.learn_result(op, &args, &stm.pat);
            }
            Exp::RangeCount(..) | Exp::SliceCount(..) | Exp::Filter { .. } => {
                stm.pat.first().into_iter().for_each(|count| self.facts.learn(Size::var(*count)));
            }
            _ => {}
        }
        if let [var] = stm.pat.as_slice() {
            let looked_through = matches!(
                stm.exp,
                Exp::Scalar(..)
                    | Exp::Literal(_)
                    | Exp::Stack(_)
                    | Exp::Index { .. }
                    | Exp::Update { .. }
                    | Exp::Slice { .. }
                    | Exp::Rearrange { .. }
                    | Exp::Reshape(_)
                    | Exp::Coerce(_)
                    | Exp::Rep(_)
                    | Exp::Iota { .. }
            );
            if looked_through {
                self.defs.insert(*var, stm.exp.clone());
            }
        }
    }
    /// What an operation says about its result.
    fn learn_result(&mut self, op: ScalarOp, args: &[Operand], pat: &[Var]) {
        let ([a, b], [var]) = (args, pat) else { return };
        let (a, b, result) = (self.size_of(*a), self.size_of(*b), Size::var(*var));
        match op.op {
            // It did not fail, so the divisor is not 0.
            Op::Mod if self.facts.natural(&b) => self.learn_bounds(&result, &b),
            Op::Min => {
                self.facts.learn_at_most(&result, &a);
                self.facts.learn_at_most(&result, &b);
                if self.facts.natural(&a) && self.facts.natural(&b) {
                    self.facts.learn(result);
                }
            }
            Op::Max => {
                self.facts.learn_at_most(&a, &result);
                self.facts.learn_at_most(&b, &result);
                if self.facts.natural(&a) || self.facts.natural(&b) {
                    self.facts.learn(result);
                }
            }
            _ => {}
        }
    }
    fn learn_bounds(&mut self, i: &Size, n: &Size) {
        self.facts.learn(i.clone());
        self.facts.learn_at_most(&i.add(&Size::constant(1)), n);
    }
    /// These variables are bound here.
    fn bound(&mut self, vars: &[Var]) {
        for &var in vars {
            self.depths.insert(var, self.depth);
            if self.program.vars[var].ty.rank() > 0 {
                let outer = self.dim(var);
                self.facts.learn(outer);
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
    fn ty(&self, var: Var) -> Type {
        self.subst.ty(&self.program.vars[var].ty)
    }
    /// The outer size of an array.
    fn dim(&self, var: Var) -> Size {
        self.program.vars[var].ty.shape.first().map_or_else(Size::default, |size| self.subst.size(size))
    }
    fn size_of(&self, operand: Operand) -> Size {
        match operand {
            Operand::Const(scalar) => Size::constant(scalar.as_i128().unwrap_or(0) as i64),
            Operand::Var(var) => self.subst.sizes.get(&var).cloned().unwrap_or_else(|| Size::var(var)),
        }
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
    fn learn_truth(&mut self, cond: Operand, truth: bool) {
        let Some(Exp::Scalar(op, args)) = self.definition(cond) else { return };
        let (op, args) = (*op, args.clone());
        match (op.op, args.as_slice()) {
            (Op::And, [a, b]) if truth && op.prim == PrimType::Bool => {
                self.learn_truth(*a, true);
                self.learn_truth(*b, true);
            }
            (Op::Not, [a]) => self.learn_truth(*a, !truth),
            (comparison, [a, b]) if op.prim == PrimType::I64 => {
                let (a, b) = (self.size_of(*a), self.size_of(*b));
                let one = Size::constant(1);
                match (comparison, truth) {
                    (Op::Lt, true) | (Op::Ge, false) => self.facts.learn_at_most(&a.add(&one), &b),
                    (Op::Lt, false) | (Op::Ge, true) => {
                        self.facts.learn_at_most(&b.add(&Size::constant(mutated!(NotLessIsGreater, 0, 1))), &a)
                    }
                    (Op::Le, true) | (Op::Gt, false) => self.facts.learn_at_most(&a, &b),
                    (Op::Le, false) | (Op::Gt, true) => self.facts.learn_at_most(&b.add(&one), &a),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
