//! Which variables depend on what is differentiated. Nothing is paid for the others.

use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::ir::soac::{Body, Exp, Lambda, Operand, Program, Soac, Stm, Var, count_exp, parallel_exp, single_exp, visit};
use rustc_hash::FxHashSet;

/// The variables that depend on what is differentiated, by way of numbers that have derivatives.
#[derive(Debug, Default)]
pub(super) struct Active(FxHashSet<Var>);

/// Whether numbers of a type have derivatives.
pub(super) fn has_derivative(prim: PrimType) -> bool {
    prim.is_numeric()
}

impl Active {
    /// Whether a variable depends on it.
    pub fn has(&self, var: Var) -> bool {
        self.0.contains(&var)
    }
    /// Whether an operand depends on it.
    pub fn operand(&self, operand: Operand) -> bool {
        operand.var().is_some_and(|var| self.has(var))
    }
    /// Adds a variable, if it can have a derivative.
    pub fn add(&mut self, program: &Program, var: Var) {
        if has_derivative(program.ty(var).elem) {
            self.0.insert(var);
        }
    }
    /// Adds those of the variables that stand for an active one of the operands; says whether any is new.
    pub fn pass(&mut self, program: &Program, from: impl Iterator<Item = Operand>, to: impl Iterator<Item = Var>) -> bool {
        let mut new = false;
        for (from, to) in from.zip(to) {
            if self.operand(from) && !self.has(to) {
                self.add(program, to);
                new |= self.has(to);
            }
        }
        new
    }
    /// The variables from outside that a statement's bodies mention and that are active, each once, in order.
    pub fn free(&self, bodies: &[&Body]) -> Vec<Var> {
        let mut out: Vec<Var> = Vec::new();
        let mut bound = FxHashSet::default();
        bodies.iter().for_each(|body| visit::bound_by(&body.stms, &mut bound));
        let mut see = |var: Var| {
            if self.has(var) && !bound.contains(&var) && !out.contains(&var) {
                out.push(var);
            }
        };
        for body in bodies {
            body.stms.iter().for_each(|stm| visit::mentioned(stm, &mut see));
            body.result.iter().filter_map(|a| a.var()).for_each(&mut see);
        }
        out
    }

    /// Finds the active variables of a body, those of inner bodies included.
    pub fn body(&mut self, program: &Program, body: &Body) {
        body.stms.iter().for_each(|stm| self.stm(program, stm));
    }
    fn lambda(&mut self, program: &Program, inputs: &[Var], lambda: &Lambda) {
        self.pass(program, inputs.iter().map(|input| Operand::Var(*input)), lambda.params.iter().copied());
        self.body(program, &lambda.body);
    }
    fn stm(&mut self, program: &Program, stm: &Stm) {
        match &stm.exp {
            single_exp!() => {
                let mut active = false;
                carried(&stm.exp, &mut |var| active |= self.has(var));
                if active && !matches!(stm.exp, Exp::Scalar(op, _) if !super::partials::is_differentiable(op)) {
                    stm.pat.iter().for_each(|var| self.add(program, *var));
                }
            }
            Exp::Check(_) => {}
            Exp::Soac(Soac { inputs, lambda, scans, reduces, .. }) => {
                self.lambda(program, inputs, lambda);
                let operators: Vec<_> = scans.iter().chain(reduces).collect();
                let mut at = 0;
                let result = &lambda.body.result;
                for operator in operators {
                    let to = at + operator.neutral.len();
                    self.operator(program, &operator.lambda, &result[at..to], &operator.neutral);
                    self.all_if_any(program, &result[at..to], &operator.lambda, &stm.pat[at..to]);
                    at = to;
                }
                self.pass(program, result[at..].iter().copied(), stm.pat[at..].iter().copied());
            }
            Exp::Rows { inputs, lambda, .. } => {
                self.lambda(program, inputs, lambda);
                let rows = lambda.body.result.iter().skip(1).step_by(2).copied();
                self.pass(program, rows, stm.pat.iter().copied());
            }
            Exp::Filter { inputs, lambda, .. } => {
                self.lambda(program, inputs, lambda);
                self.pass(program, lambda.body.result[1..].iter().copied(), stm.pat[1..].iter().copied());
            }
            Exp::Scatter { inputs, lambda, dests, .. } => {
                self.lambda(program, inputs, lambda);
                self.pass(program, lambda.body.result[1..].iter().copied(), stm.pat.iter().copied());
                self.pass(program, dests.iter().map(|dest| Operand::Var(*dest)), stm.pat.iter().copied());
            }
            Exp::Hist { inputs, lambda, dests, operator, .. } => {
                self.lambda(program, inputs, lambda);
                let values: Vec<Operand> =
                    lambda.body.result[1..].iter().copied().chain(dests.iter().map(|dest| Operand::Var(*dest))).collect();
                self.operator(program, &operator.lambda, &values, &[]);
                self.all_if_any(program, &values, &operator.lambda, &stm.pat);
            }
            Exp::If { then, els, .. } => {
                for body in [then, els] {
                    self.body(program, body);
                    self.pass(program, body.result.iter().copied(), stm.pat.iter().copied());
                }
            }
            Exp::Loop { params, body, .. } => {
                let vars = || params.iter().map(|(var, _)| *var);
                self.pass(program, params.iter().map(|(_, init)| *init), vars());
                loop {
                    self.body(program, body);
                    if !self.pass(program, body.result.iter().copied(), vars()) {
                        break;
                    }
                }
                self.pass(program, vars().map(Operand::Var), stm.pat.iter().copied());
            }
            // A function with a derivative of its own.
            Exp::Call(_, args) => {
                if args.iter().any(|a| self.operand(*a)) {
                    stm.pat.iter().for_each(|var| self.add(program, *var));
                }
            }
            Exp::Seg(_) => crate::ice!(stm.span, "a thread space in what is differentiated"),
        }
    }
    /// The operator of a fold: all components of its operands may depend on any component of what is folded.
    fn operator(&mut self, program: &Program, operator: &Lambda, values: &[Operand], neutral: &[Operand]) {
        if values.iter().chain(neutral).any(|a| self.operand(*a))
            || mutated!(CapturedConstant, !self.free(&[&operator.body]).is_empty(), false)
        {
            operator.params.iter().for_each(|param| self.add(program, *param));
        }
        self.body(program, &operator.body);
    }
    fn all_if_any(&mut self, program: &Program, values: &[Operand], operator: &Lambda, pat: &[Var]) {
        if values.iter().any(|a| self.operand(*a)) || operator.params.iter().any(|param| self.has(*param)) {
            pat.iter().for_each(|var| self.add(program, *var));
        }
    }
    /// Whether anything that a statement binds is active.
    pub fn touches(&self, stm: &Stm) -> bool {
        stm.pat.iter().any(|var| self.has(*var))
    }
}

/// The variables whose elements are those of a result, or are computed with; not those that say where or how many.
fn carried(exp: &Exp, see: &mut dyn FnMut(Var)) {
    let operands = |all: &[Operand], see: &mut dyn FnMut(Var)| all.iter().filter_map(|a| a.var()).for_each(see);
    match exp {
        Exp::Copy(a) | Exp::Rep(a) => operands(std::slice::from_ref(a), see),
        Exp::Scalar(_, args) | Exp::Stack(args) => operands(args, see),
        Exp::Index { array, .. }
        | Exp::Slice { array, .. }
        | Exp::Rotate { array, .. }
        | Exp::Rearrange { array, .. }
        | Exp::Reshape(array)
        | Exp::Coerce(array) => see(*array),
        Exp::Concat(parts) => parts.iter().copied().for_each(see),
        Exp::Update { array, value, .. } => {
            see(*array);
            operands(std::slice::from_ref(value), see);
        }
        Exp::UpdateSlice { array, value, .. } => {
            see(*array);
            see(*value);
        }
        Exp::Size(_) | Exp::Literal(_) | Exp::Iota { .. } | count_exp!() => {}
        parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {}
    }
}
