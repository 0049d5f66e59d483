//! Which variables depend on what is differentiated, and which may be infinite or no numbers. Nothing is paid for the others.

use super::folds::{Simple, simple};
use super::poles;
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Program, Soac, Stm, Var, count_exp, parallel_exp, placed, single_exp, visit};
use rustc_hash::FxHashSet;

/// The variables that something reaches from statement to statement, by way of numbers that have derivatives.
#[derive(Debug)]
pub(super) struct Reached {
    vars: FxHashSet<Var>,
    what: What,
    /// Products of two numbers that are made to be added up, and arrays of them.
    products: FxHashSet<Var>,
}

/// What it is that reaches them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// The arguments: the variables are active.
    Arguments,
    /// Operations that make infinities or NaNs of finite numbers: the variables are wild.
    Poles,
}

/// Whether numbers of a type have derivatives.
pub(super) fn has_derivative(prim: PrimType) -> bool {
    prim.is_numeric()
}

impl Reached {
    /// The active variables: those that depend on what is differentiated. None yet.
    pub fn by_arguments() -> Self {
        Reached::by(What::Arguments)
    }
    /// The wild variables: those that may be infinite or no numbers, although all arguments are finite. None yet.
    pub fn by_poles() -> Self {
        Reached::by(What::Poles)
    }
    fn by(what: What) -> Self {
        Reached { vars: FxHashSet::default(), what, products: FxHashSet::default() }
    }
    /// Whether products in an inner product are bound. They stay what they are, products of numbers that are taken for finite: a test
    /// in each would cost a multiple of them.
    pub fn is_inner_product(&self, pat: &[Var]) -> bool {
        !pat.is_empty() && pat.iter().all(|var| self.products.contains(var))
    }
    /// Says that the body of a map makes products in an inner product.
    pub fn are_inner_products(&mut self, body: &Body) {
        for stm in &body.stms {
            self.products.extend(&stm.pat);
            if let Exp::Soac(Soac { lambda, .. }) = &stm.exp {
                self.are_inner_products(&lambda.body);
            }
        }
    }
    /// Whether a variable is reached.
    pub fn has(&self, var: Var) -> bool {
        self.vars.contains(&var)
    }
    /// Whether an operand is reached.
    pub fn operand(&self, operand: Operand) -> bool {
        match operand {
            Operand::Var(var) => self.has(var),
            Operand::Const(scalar) => self.what == What::Poles && !scalar.is_finite(),
        }
    }
    /// Whether an operand of the operation that a variable is the result of is reached, and it is no product in an inner product.
    pub fn meets(&self, result: Var, operands: &[Operand]) -> bool {
        !self.is_inner_product(&[result]) && operands.iter().any(|operand| self.operand(*operand))
    }
    /// Adds a variable, if it can have a derivative.
    pub fn add(&mut self, program: &Program, var: Var) {
        if has_derivative(program.ty(var).elem) {
            self.vars.insert(var);
        }
    }
    /// Adds those of the variables that stand for one of the operands that is reached; says whether any is new.
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
    /// The variables from outside that a statement's bodies mention and that are reached, each once, in order.
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

    /// Finds the variables of a body that are reached, those of inner bodies included.
    pub fn body(&mut self, program: &Program, body: &Body) {
        if self.what == What::Poles {
            self.products.extend(products_summed(program, body));
        }
        for stm in &body.stms {
            match &stm.exp {
                Exp::Soac(Soac { inputs, lambda, .. }) if self.is_inner_product(&stm.pat) => {
                    self.are_inner_products(&lambda.body);
                    if inputs.iter().any(|input| self.has(*input)) {
                        stm.pat.iter().for_each(|var| self.add(program, *var));
                    }
                }
                parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) | single_exp!() => {
                    self.stm(program, stm)
                }
            }
        }
    }
    fn lambda(&mut self, program: &Program, inputs: &[Var], lambda: &Lambda) {
        self.pass(program, inputs.iter().map(|input| Operand::Var(*input)), lambda.params.iter().copied());
        self.body(program, &lambda.body);
    }
    fn stm(&mut self, program: &Program, stm: &Stm) {
        match &stm.exp {
            single_exp!() => {
                let mut reached = false;
                carried(&stm.exp, &mut |operand| reached |= self.operand(operand));
                if let Exp::Scalar(op, args) = &stm.exp {
                    reached = self.through(*op, args, reached);
                }
                if reached {
                    stm.pat.iter().for_each(|var| self.add(program, *var));
                }
            }
            Exp::Check(_) => {}
            Exp::Soac(soac) => {
                self.lambda(program, &soac.inputs, &soac.lambda);
                let (at, result) = (soac.combined(), &soac.lambda.body.result);
                for (operator, places) in placed(soac.operators()) {
                    let cells = &result[places.clone()];
                    self.operator(program, &operator.lambda, cells, &operator.neutral);
                    self.all_if_any(program, cells, &operator.lambda, &stm.pat[places]);
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
    /// Whether the result of an operation is reached where some of its operands are, or none.
    fn through(&self, op: ScalarOp, args: &[Operand], operands: bool) -> bool {
        match self.what {
            What::Arguments => operands && super::partials::is_differentiable(op),
            What::Poles => op.result.is_inexact() && (operands || poles::of_value(op, args)),
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
    /// Whether anything that a statement binds is reached.
    pub fn touches(&self, stm: &Stm) -> bool {
        stm.pat.iter().any(|var| self.has(*var))
    }
}

/// The arrays that products of two numbers each are written to, to be added up.
fn products_summed(program: &Program, body: &Body) -> Vec<Var> {
    let mut added = FxHashSet::default();
    for stm in &body.stms {
        if let Exp::Soac(Soac { inputs, reduces, .. }) = &stm.exp
            && let ([input], [operator]) = (inputs.as_slice(), reduces.as_slice())
            && simple(program, operator) == Some(Simple::Add)
        {
            added.insert(*input);
        }
    }
    let products = body.stms.iter().filter(|stm| is_product(&stm.exp)).flat_map(|stm| stm.pat.iter().copied());
    products.filter(|var| added.contains(var)).collect()
}
/// Whether it is a map that multiplies two numbers, or one of such maps.
fn is_product(exp: &Exp) -> bool {
    let Exp::Soac(Soac { lambda, scans, reduces, .. }) = exp else { return false };
    let ([stm], true) = (lambda.body.stms.as_slice(), scans.is_empty() && reduces.is_empty()) else { return false };
    matches!(&stm.exp, Exp::Scalar(op, _) if op.op == Op::Mul) || is_product(&stm.exp)
}

/// The operands whose elements are those of a result, or are computed with; not those that say where or how many.
fn carried(exp: &Exp, see: &mut dyn FnMut(Operand)) {
    let operands = |all: &[Operand], see: &mut dyn FnMut(Operand)| all.iter().copied().for_each(see);
    let see_array = |array: &Var, see: &mut dyn FnMut(Operand)| see(Operand::Var(*array));
    match exp {
        Exp::Copy(a) | Exp::Rep(a) => see(*a),
        Exp::Scalar(_, args) | Exp::Stack(args) => operands(args, see),
        Exp::Index { array, .. }
        | Exp::Slice { array, .. }
        | Exp::Rotate { array, .. }
        | Exp::Rearrange { array, .. }
        | Exp::Reshape(array)
        | Exp::Coerce(array) => see_array(array, see),
        Exp::Concat(parts) => parts.iter().for_each(|part| see_array(part, see)),
        Exp::Update { array, value, .. } => {
            see_array(array, see);
            see(*value);
        }
        Exp::UpdateSlice { array, value, .. } => {
            see_array(array, see);
            see_array(value, see);
        }
        Exp::Size(_) | Exp::Literal(_) | Exp::Iota { .. } | count_exp!() => {}
        parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {}
    }
}
