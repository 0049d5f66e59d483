//! Forward mode: after each statement the one of its tangent.
//!
//! Law: what moves elements moves tangents; what is linear in its operands is the same of the tangents; an operator of a fold becomes one of
//! pairs of values and tangents, which is associative where the operator is (Schenck 2024, section 3.2).

use super::activity::Reached;
use super::build::Build;
use super::folds::{Simple, simple};
use super::partials::Applied;
use crate::base::mutation::mutated;
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Size, Soac, Stm, Var, count_exp, parallel_exp, single_exp};
use rustc_hash::FxHashMap;

/// A body with tangents: it returns its results and then the tangents of all of them.
pub(super) fn forward(build: &mut Build, active: Reached, body: Body, arguments: &[Var], seeds: &[Var]) -> Vec<Operand> {
    let mut forward = Forward { build, active, wild: Reached::by_poles(), tangents: FxHashMap::default() };
    forward.active.body(forward.build.program, &body);
    forward.wild.body(forward.build.program, &body);
    for (var, seed) in arguments.iter().zip(seeds) {
        if forward.active.has(*var) {
            forward.tangents.insert(*var, Operand::Var(*seed));
        }
    }
    forward.stms(&body.stms);
    let mut result = body.result.clone();
    for value in &body.result {
        let tangent = forward.tangent_or_zeros(*value);
        result.push(tangent);
    }
    result
}

struct Forward<'b, 'p> {
    build: &'b mut Build<'p>,
    active: Reached,
    /// What may be infinite or NaN.
    wild: Reached,
    tangents: FxHashMap<Var, Operand>,
}

impl Forward<'_, '_> {
    fn tangent(&self, value: Operand) -> Option<Operand> {
        self.tangents.get(&value.var()?).copied()
    }
    fn tangent_or_zeros(&mut self, value: Operand) -> Operand {
        match self.tangent(value) {
            Some(tangent) => tangent,
            None => {
                let ty = self.build.ty(value);
                self.build.zeros(&ty)
            }
        }
    }
    /// An array of tangents.
    fn array(&mut self, array: Var) -> Var {
        let tangent = self.tangent_or_zeros(Operand::Var(array));
        self.build.array(tangent)
    }
    /// A variable for the tangent of a variable.
    fn twin(&mut self, var: Var) -> Var {
        let (name, ty) = (self.build.derived(var, "_tan"), self.build.program.ty(var).clone());
        let twin = self.build.fresh(name, ty);
        self.tangents.insert(var, Operand::Var(twin));
        twin
    }
    /// The variables of a pattern that have tangents, and variables for those.
    fn twins(&mut self, pat: &[Var]) -> Vec<Var> {
        let mut active: Vec<Var> = pat.to_vec();
        active.retain(|var| self.active.has(*var));
        active.iter().map(|var| self.twin(*var)).collect()
    }

    fn stms(&mut self, stms: &[Stm]) {
        for stm in stms {
            self.build.span = stm.span;
            self.stm(stm);
        }
    }
    /// A body with the tangents of those of its results that are wanted behind them.
    fn body(&mut self, body: &Body, wanted: &[bool]) -> Body {
        let statements = std::mem::take(&mut self.build.stms);
        self.stms(&body.stms);
        let mut result = body.result.clone();
        for (value, wanted) in body.result.iter().zip(wanted) {
            if *wanted {
                let tangent = self.tangent_or_zeros(*value);
                result.push(tangent);
            }
        }
        Body { stms: std::mem::replace(&mut self.build.stms, statements), result }
    }
    fn wanted(&self, pat: &[Var]) -> Vec<bool> {
        pat.iter().map(|var| self.active.has(*var)).collect()
    }

    fn stm(&mut self, stm: &Stm) {
        if !self.active.touches(stm) {
            self.build.stms.push(stm.clone());
            return;
        }
        match &stm.exp {
            Exp::Soac(soac) => self.soac(stm, soac),
            Exp::Rows { .. } => crate::ice!(stm.span, "ragged arrays are refused before they are differentiated"),
            Exp::Filter { width, inputs, lambda } => {
                let (inputs, lambda) = self.lambda(inputs, lambda, &[&[false], &self.wanted(&stm.pat[1..])[..]].concat());
                let mut pat = stm.pat.clone();
                pat.extend(self.twins(&stm.pat[1..]));
                self.build.push(pat, Exp::Filter { width: width.clone(), inputs, lambda });
            }
            Exp::Scatter { width, inputs, lambda, dests } => {
                let wanted = self.wanted(&stm.pat);
                let (inputs, lambda) = self.lambda(inputs, lambda, &[&[false], &wanted[..]].concat());
                let mut dests = dests.clone();
                let more: Vec<Var> = dests.iter().zip(&wanted).filter(|(_, wanted)| **wanted).map(|(dest, _)| *dest).collect();
                dests.extend(more.into_iter().map(|dest| self.array(dest)).collect::<Vec<_>>());
                let mut pat = stm.pat.clone();
                pat.extend(self.twins(&stm.pat));
                self.build.push(pat, Exp::Scatter { width: width.clone(), inputs, lambda, dests });
            }
            Exp::Hist { width, inputs, lambda, dests, operator } => self.hist(stm, (width, inputs, lambda), dests, operator),
            Exp::If { cond, then, els } => {
                let wanted = self.wanted(&stm.pat);
                let (then, els) = (self.body(then, &wanted), self.body(els, &wanted));
                let mut pat = stm.pat.clone();
                pat.extend(self.twins(&stm.pat));
                self.build.push(pat, Exp::If { cond: *cond, then, els });
            }
            Exp::Loop { params, form, body } => self.looping(stm, params, form, body),
            Exp::Call(..) => crate::ice!(stm.span, "a call in what is differentiated"),
            Exp::Check(_) => self.build.stms.push(stm.clone()),
            Exp::Seg(_) => crate::ice!(stm.span, "a thread space in what is differentiated"),
            single_exp!() => self.single(stm),
        }
    }

    fn single(&mut self, stm: &Stm) {
        self.build.stms.push(stm.clone());
        let [var] = stm.pat.as_slice() else { return };
        let ty = self.build.program.ty(*var).clone();
        let exp = match &stm.exp {
            Exp::Scalar(op, args) => {
                let tangents: Vec<Option<Operand>> = args.iter().map(|arg| self.tangent(*arg)).collect();
                let wild = self.wild.meets(*var, args);
                let applied = Applied { op: *op, args, result: Operand::Var(*var), wild };
                if let Some(tangent) = self.build.scalar_tangent(&applied, &tangents) {
                    self.tangents.insert(*var, tangent);
                }
                return;
            }
            Exp::Copy(a) => {
                if let Some(tangent) = self.tangent(*a) {
                    self.tangents.insert(*var, tangent);
                }
                return;
            }
            Exp::Stack(cells) => Exp::Stack(cells.clone().into_iter().map(|cell| self.tangent_or_zeros(cell)).collect()),
            Exp::Index { array, at, .. } => Exp::Index { array: self.array(*array), at: at.clone(), checked: false },
            Exp::Slice { array, start, step, .. } => Exp::Slice { array: self.array(*array), start: *start, step: *step, checked: false },
            Exp::Rotate { array, by } => Exp::Rotate { array: self.array(*array), by: *by },
            Exp::Rearrange { array, perm } => Exp::Rearrange { array: self.array(*array), perm: perm.clone() },
            Exp::Reshape(array) => Exp::Reshape(self.array(*array)),
            Exp::Coerce(array) => Exp::Coerce(self.array(*array)),
            Exp::Rep(a) => Exp::Rep(self.tangent_or_zeros(*a)),
            Exp::Concat(parts) => Exp::Concat(parts.clone().into_iter().map(|part| self.array(part)).collect()),
            Exp::Update { array, at, value, .. } => {
                let (array, value) = (self.array(*array), self.tangent_or_zeros(*value));
                Exp::Update { array, at: at.clone(), value, checked: false }
            }
            Exp::UpdateSlice { array, start, step, value, .. } => {
                let (array, value) = (self.array(*array), self.array(*value));
                Exp::UpdateSlice { array, start: *start, step: *step, value, checked: false }
            }
            Exp::Size(_) | Exp::Literal(_) | Exp::Iota { .. } | count_exp!() => return,
            Exp::Check(_) | parallel_exp!() | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {
                crate::ice!(stm.span, "a form with bodies or without results")
            }
        };
        let name = self.build.derived(*var, "_tan");
        let twin = self.build.bind_as(name, ty, exp);
        self.tangents.insert(*var, Operand::Var(twin));
    }

    /// The inputs with those of the tangents, and a lambda that takes the cells of both.
    fn lambda(&mut self, inputs: &[Var], lambda: &Lambda, wanted: &[bool]) -> (Vec<Var>, Lambda) {
        let (mut all, mut params) = (inputs.to_vec(), lambda.params.clone());
        for (input, param) in inputs.iter().zip(&lambda.params) {
            if let Some(tangent) = self.tangent(Operand::Var(*input)) {
                all.push(self.build.array(tangent));
                params.push(self.twin(*param));
            }
        }
        let body = self.body(&lambda.body, wanted);
        (all, Lambda { params, body })
    }
    fn soac(&mut self, stm: &Stm, soac: &Soac) {
        let Soac { width, inputs, lambda, scans, reduces } = soac;
        let (operator, scan) = match (scans.as_slice(), reduces.as_slice()) {
            ([], []) => {
                let (inputs, lambda) = self.lambda(inputs, lambda, &self.wanted(&stm.pat));
                let mut pat = stm.pat.clone();
                pat.extend(self.twins(&stm.pat));
                let soac = Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
                return self.build.push(pat, Exp::Soac(soac));
            }
            ([operator], []) => (operator, true),
            ([], [operator]) => (operator, false),
            _ => crate::ice!(stm.span, "folds are taken apart before they are differentiated"),
        };
        if simple(self.build.program, operator) == Some(Simple::Add)
            && self.tangent(operator.neutral[0]).is_none()
            && let Some(tangent) = self.tangent(Operand::Var(inputs[0]))
        {
            self.build.stms.push(stm.clone());
            let array = self.build.array(tangent);
            let cell = self.build.program.ty(array).cell(1);
            let plus = self.build.plus(&cell);
            let sum = if scan { self.build.scan(vec![array], plus) } else { self.build.reduce(vec![array], plus) };
            self.tangents.insert(stm.pat[0], Operand::Var(sum[0]));
            return;
        }
        let (pairs, which) = self.operator(operator);
        let inputs: Vec<Var> = inputs.iter().copied().chain(self.arrays(inputs, &which)).collect();
        let lambda = self.build.identity(&inputs);
        let mut pat = stm.pat.clone();
        pat.extend(self.chosen(&stm.pat, &which));
        let (scans, reduces) = if scan { (vec![pairs], Vec::new()) } else { (Vec::new(), vec![pairs]) };
        self.build.push(pat, Exp::Soac(Soac { width: width.clone(), inputs, lambda, scans, reduces }));
    }
    /// Arrays of tangents for these components.
    fn arrays(&mut self, arrays: &[Var], which: &[bool]) -> Vec<Var> {
        let chosen: Vec<Var> = arrays.iter().zip(which).filter(|(_, which)| **which).map(|(array, _)| *array).collect();
        chosen.into_iter().map(|array| self.array(array)).collect()
    }
    fn chosen(&mut self, pat: &[Var], which: &[bool]) -> Vec<Var> {
        let chosen: Vec<Var> = pat.iter().zip(which).filter(|(_, which)| **which).map(|(var, _)| *var).collect();
        chosen.into_iter().map(|var| self.twin(var)).collect()
    }
    /// The operator on values and tangents, and which components have one.
    fn operator(&mut self, operator: &Operator) -> (Operator, Vec<bool>) {
        let count = operator.neutral.len();
        let (left, right) = operator.lambda.params.split_at(count);
        let which = self.wanted(left);
        let (mut params, mut behind) = (left.to_vec(), right.to_vec());
        params.extend(self.chosen(left, &which));
        behind.extend(self.chosen(right, &which));
        params.extend(behind);
        let body = self.body(&operator.lambda.body, &which);
        let mut neutral = operator.neutral.clone();
        for (value, which) in operator.neutral.iter().zip(&which) {
            if *which {
                let tangent = self.tangent_or_zeros(*value);
                neutral.push(mutated!(TangentOfNeutral, tangent, *value));
            }
        }
        (Operator { lambda: Lambda { params, body }, neutral, commutative: operator.commutative }, which)
    }
    fn hist(&mut self, stm: &Stm, (width, inputs, lambda): (&Size, &[Var], &Lambda), dests: &[Var], operator: &Operator) {
        let (pairs, which) = self.operator(operator);
        let (inputs, lambda) = self.lambda(inputs, lambda, &[&[false], &which[..]].concat());
        let dests: Vec<Var> = dests.iter().copied().chain(self.arrays(dests, &which)).collect();
        let mut pat = stm.pat.clone();
        pat.extend(self.chosen(&stm.pat, &which));
        self.build.push(pat, Exp::Hist { width: width.clone(), inputs, lambda, dests, operator: pairs });
    }
    fn looping(&mut self, stm: &Stm, params: &[(Var, Operand)], form: &LoopForm, body: &Body) {
        let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        let wanted = self.wanted(&vars);
        let mut all = params.to_vec();
        for (var, init) in params {
            if self.active.has(*var) {
                let init = self.tangent_or_zeros(*init);
                all.push((self.twin(*var), init));
            }
        }
        let form = match form {
            LoopForm::For(counter, count) => LoopForm::For(*counter, *count),
            LoopForm::While(cond) => LoopForm::While(self.body(cond, &[false])),
        };
        let body = self.body(body, &wanted);
        let mut pat = stm.pat.clone();
        for (var, wanted) in stm.pat.iter().zip(&wanted) {
            if *wanted {
                pat.push(self.twin(*var));
            }
        }
        self.build.push(pat, Exp::Loop { params: all, form, body });
    }
}
