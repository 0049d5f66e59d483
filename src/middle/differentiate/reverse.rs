//! Reverse mode: the adjoints of what a function takes from those of what it returns.
//!
//! Law (Schenck, "Automatic Differentiation and AUTOMAP", 2024, chapter 3): the statements of a body are run forward and then, from the last to the
//! first, each hands the adjoint of what it binds on to what it reads. There is no tape: on entering an inner scope (a lambda, a branch, an
//! iteration) its return sweep runs that scope's statements again, so a statement at depth d runs at most d + 1 times, and what is parallel
//! stays so. Only loops keep values, those of their variables at the beginning of each iteration.

use super::activity::Reached;
use super::adjoints::{Adjoint, Adjoints, Leaving, Part, Sparse};
use super::build::Build;
use super::partials::Applied;
use super::undo::Change;
use super::views::Origins;
use super::{Outcome, Refusal};
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::visit::bound_by;
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, FunId, Lambda, Operand, Size, Stm, Type, Var, count_exp, parallel_exp, single_exp};
use rustc_hash::FxHashSet;

/// The return sweep that is being made.
pub(super) struct Reverse<'b, 'p> {
    pub build: &'b mut Build<'p>,
    pub active: Reached,
    /// What may be infinite or NaN.
    pub wild: Reached,
    pub adjoints: Adjoints,
    /// Where variables come from.
    pub origins: Origins,
    /// The first thing that has no derivative.
    refused: Option<Refusal>,
    /// Functions with a derivative of their own are calls.
    pub customs: &'b super::Customs,
    /// Whether the derivative is not differentiated itself.
    pub once: bool,
}

/// How a variable of a loop is known again in each iteration.
pub(super) enum Log {
    /// By its values at the beginning of each iteration.
    Values(Var),
    /// By what iterations change in it, and arrays of what was kept for that.
    Changes(Vec<Change>, Vec<Var>),
}

/// The statements of a branch, and the adjoints that they leave.
type Swept = (Vec<Stm>, Vec<(Var, Adjoint)>);

/// What a statement's return sweep needs besides the variables.
pub(super) enum Kept {
    Nothing,
    /// The index of the element that a minimum or maximum is, or -1.
    Place(Operand),
    /// What a product is, and whether it may be divided by each factor for the product of the others.
    Product {
        product: Operand,
        divides: Operand,
    },
    /// The indices of the kept cells.
    Indices(Var),
    /// What is kept of each variable of a loop, and how many iterations there were.
    Values(Vec<Log>, Operand),
}

impl<'b, 'p> Reverse<'b, 'p> {
    pub fn new(build: &'b mut Build<'p>, active: Reached, rules: super::Rules<'b>) -> Self {
        Reverse {
            build,
            active,
            wild: Reached::by_poles(),
            adjoints: Adjoints::default(),
            origins: Origins::default(),
            refused: None,
            customs: rules.customs,
            once: rules.once,
        }
    }
    /// Says that something has no derivative; the first such thing counts.
    pub fn refuse(&mut self, refusal: Refusal) {
        self.refused.get_or_insert(refusal);
    }
    /// Whether everything had a derivative.
    pub fn finish(self) -> Outcome<()> {
        self.refused.map_or(Ok(()), Err)
    }

    /// Adds to the adjoint of an operand.
    pub fn contribute(&mut self, to: Operand, value: Operand) {
        if let Operand::Var(var) = to
            && self.active.has(var)
        {
            self.adjoints.add(self.build, var, value);
        }
    }
    /// Adds to the adjoint of a cell.
    pub fn contribute_at(&mut self, array: Var, at: Vec<Operand>, value: Operand, guarded: bool) {
        if !self.active.has(array) {
            return;
        }
        if at.is_empty() {
            return self.contribute(Operand::Var(array), value);
        }
        self.adjoints.add_sparse(array, Sparse { frame: Vec::new(), at, value, guarded, within: Vec::new() });
    }
    /// The adjoint of a variable that nothing reads any more, as a value; none where it is 0.
    pub fn taken(&mut self, var: Var) -> Option<Operand> {
        let adjoint = self.adjoints.take(var)?;
        Some(self.build.dense(var, adjoint))
    }
    /// `taken` with zeros.
    pub fn taken_or_zeros(&mut self, var: Var) -> Operand {
        self.taken(var).unwrap_or_else(|| self.build.zeros_like(var))
    }

    /// Statements in a block of their own.
    pub fn block(&mut self, make: impl FnOnce(&mut Self) -> Vec<Operand>) -> Body {
        let outer = std::mem::take(&mut self.build.stms);
        let result = make(self);
        Body { stms: std::mem::replace(&mut self.build.stms, outer), result }
    }
    /// `block` with adjoints of their own; what is left of them is not asked for.
    pub fn scope(&mut self, make: impl FnOnce(&mut Self) -> Vec<Operand>) -> Body {
        let outer = std::mem::take(&mut self.adjoints);
        let body = self.block(make);
        self.adjoints = outer;
        body
    }

    /// Runs a body forward and back. Its variables are new. The adjoints of what it returns are made when it has run.
    pub fn body(&mut self, body: Body, seeds: impl FnOnce(&mut Self) -> Vec<Option<Operand>>) -> Vec<Operand> {
        self.active.body(self.build.program, &body);
        self.wild.body(self.build.program, &body);
        let outer = self.build.span;
        let mut kept = Vec::with_capacity(body.stms.len());
        for stm in &body.stms {
            self.build.span = stm.span;
            kept.push(self.forward(stm));
        }
        self.build.span = outer;
        let seeds = seeds(self);
        for (result, seed) in body.result.iter().zip(seeds) {
            if let Some(seed) = seed {
                self.contribute(*result, seed);
            }
        }
        for (stm, kept) in body.stms.iter().zip(kept).rev() {
            self.build.span = stm.span;
            self.backward(stm, kept);
        }
        self.build.span = outer;
        body.result
    }

    /// Adds a statement of the forward sweep, with what its return sweep will need.
    fn forward(&mut self, stm: &Stm) -> Kept {
        let touched = self.active.touches(stm);
        self.origins.bind(stm);
        match &stm.exp {
            Exp::Soac(soac) if touched => self.forward_fold(stm, soac),
            Exp::Filter { width, inputs, lambda } if touched => self.forward_filter(stm, width, inputs, lambda),
            Exp::Loop { params, form, body } if touched => self.forward_loop(stm, params, form, body),
            parallel_exp!() | Exp::Loop { .. } | Exp::If { .. } | Exp::Check(_) | Exp::Call(..) | single_exp!() => {
                self.build.stms.push(stm.clone());
                Kept::Nothing
            }
        }
    }

    /// Hands the adjoints of what a statement binds on.
    fn backward(&mut self, stm: &Stm, kept: Kept) {
        if !self.active.touches(stm) {
            return;
        }
        match &stm.exp {
            Exp::If { cond, then, els } => {
                let adjoints = self.of_pattern(&stm.pat);
                if adjoints.iter().any(Option::is_some) {
                    self.branch(*cond, [then, els], &adjoints);
                }
            }
            Exp::Loop { params, form, body } => {
                let adjoints = self.of_pattern(&stm.pat);
                if adjoints.iter().any(Option::is_some)
                    && let Kept::Values(values, count) = kept
                {
                    self.backward_loop(stm, (params, form, body), (&adjoints, &values, count));
                }
            }
            Exp::Soac(soac) => {
                if soac.scans.is_empty()
                    && soac.reduces.is_empty()
                    && let Some(cell) = self.single_cell(&stm.pat)
                {
                    return self.map_at(&stm.pat, (&soac.inputs, &soac.lambda), &cell);
                }
                let adjoints = self.of_pattern(&stm.pat);
                if adjoints.iter().any(Option::is_some) {
                    match (soac.scans.as_slice(), soac.reduces.as_slice()) {
                        ([], []) => self.map(&stm.pat, &soac.width, (&soac.inputs, &soac.lambda), &adjoints),
                        ([operator], []) => self.scan(soac, operator, &stm.pat, &adjoints),
                        ([], [operator]) => self.reduce(soac, operator, &adjoints, &kept),
                        _ => crate::ice!(stm.span, "folds are taken apart before they are differentiated"),
                    }
                }
            }
            Exp::Rows { .. } => crate::ice!(stm.span, "ragged arrays are refused before they are differentiated"),
            Exp::Filter { inputs, .. } => {
                let adjoints = self.of_pattern(&stm.pat[1..]);
                if let Kept::Indices(indices) = kept {
                    self.filter(inputs, &adjoints, indices);
                }
            }
            Exp::Scatter { width, inputs, dests, .. } => {
                let adjoints = self.of_pattern(&stm.pat);
                if adjoints.iter().any(Option::is_some) {
                    self.scatter(width, inputs, dests, &adjoints);
                }
            }
            Exp::Hist { width, inputs, dests, operator, .. } => {
                let adjoints = self.of_pattern(&stm.pat);
                if adjoints.iter().any(Option::is_some) {
                    self.hist(width, inputs, dests, operator, &adjoints);
                }
            }
            Exp::Call(fun, args) => {
                let adjoints = self.of_pattern(&stm.pat);
                if adjoints.iter().any(Option::is_some) {
                    self.custom(*fun, args, &stm.pat, &adjoints);
                }
            }
            Exp::Check(_) => {}
            Exp::Seg(_) => crate::ice!(stm.span, "a thread space in what is differentiated"),
            single_exp!() => {
                let [var] = stm.pat.as_slice() else { return };
                self.single(*var, &stm.exp);
            }
        }
    }
    fn of_pattern(&mut self, pat: &[Var]) -> Vec<Option<Operand>> {
        pat.iter().map(|var| self.taken(*var)).collect()
    }

    /// Forms with one result and without bodies.
    fn single(&mut self, var: Var, exp: &Exp) {
        let Some(adjoint) = self.adjoints.take(var) else { return };
        let Some(adjoint) = self.through_view(exp, adjoint) else { return };
        let ay = self.build.dense(var, adjoint);
        let ty = self.build.program.ty(var).clone();
        match exp {
            Exp::Copy(a) => self.contribute(*a, ay),
            Exp::Scalar(op, args) => {
                let wild = self.wild.meets(var, args);
                let applied = Applied { op: *op, args, result: Operand::Var(var), wild };
                for (k, arg) in args.iter().enumerate() {
                    if self.active.operand(*arg)
                        && let Some(part) = self.build.scalar_adjoint(&applied, k, ay)
                    {
                        self.contribute(*arg, part);
                    }
                }
            }
            Exp::Stack(cells) => self.stack(cells, &ty, ay),
            Exp::Index { array, at, .. } => self.contribute_at(*array, at.clone(), ay, false),
            Exp::Slice { array, start, step, .. } => {
                if self.active.has(*array) {
                    self.adjoints.add_part(*array, Part { start: *start, step: *step, value: ay, within: Vec::new() });
                }
            }
            Exp::Rotate { array, by } => {
                let back = mutated!(RotatedAgain, self.build.op(Op::Neg, PrimType::I64, &[*by]), *by);
                let rotated = self.build.array(ay);
                let part = self.build.bind("adj", ty, Exp::Rotate { array: rotated, by: back });
                self.contribute(Operand::Var(*array), Operand::Var(part));
            }
            Exp::Rearrange { array, perm } => {
                let mut inverse = vec![0; perm.len()];
                perm.iter().enumerate().for_each(|(k, from)| inverse[*from] = k);
                let (old, from) = (self.build.program.ty(*array).clone(), self.build.array(ay));
                let part = self.build.bind("adj", old, Exp::Rearrange { array: from, perm: inverse });
                self.contribute(Operand::Var(*array), Operand::Var(part));
            }
            Exp::Reshape(array) => {
                let (old, from) = (self.build.program.ty(*array).clone(), self.build.array(ay));
                let part = self.build.bind("adj", old, Exp::Reshape(from));
                self.contribute(Operand::Var(*array), Operand::Var(part));
            }
            Exp::Coerce(array) => self.contribute(Operand::Var(*array), ay),
            Exp::Rep(a) => {
                if self.active.operand(*a) {
                    let array = self.build.array(ay);
                    let flat = self.build.flat(array, ty.rank() - self.build.ty(*a).rank());
                    let sum = self.build.sum(flat);
                    self.contribute(*a, sum);
                }
            }
            Exp::Concat(parts) => self.concat(parts, ay),
            Exp::Update { array, at, value, .. } => {
                let all = self.build.array(ay);
                if self.active.operand(*value) {
                    let part = self.build.cell(all, at);
                    self.contribute(*value, part);
                }
                if self.active.has(*array) {
                    let zeros = self.build.zeros(&ty.cell(at.len()));
                    let rest = if at.is_empty() {
                        return;
                    } else {
                        self.build.bind("adj", ty, Exp::Update { array: all, at: at.clone(), value: zeros, checked: false })
                    };
                    self.contribute(Operand::Var(*array), Operand::Var(mutated!(OverwrittenCounts, rest, all)));
                }
            }
            Exp::UpdateSlice { array, start, step, value, .. } => {
                let all = self.build.array(ay);
                let part = self.build.program.ty(*value).clone();
                if self.active.has(*value) {
                    let slice = Exp::Slice { array: all, start: *start, step: *step, checked: false };
                    let cells = self.build.bind("adj", part.clone(), slice);
                    self.contribute(Operand::Var(*value), Operand::Var(cells));
                }
                if self.active.has(*array) {
                    let zeros = self.build.zeros(&part);
                    let value = self.build.array(zeros);
                    let update = Exp::UpdateSlice { array: all, start: *start, step: *step, value, checked: false };
                    let rest = self.build.bind("adj", ty, update);
                    self.contribute(Operand::Var(*array), Operand::Var(rest));
                }
            }
            Exp::Size(_) | Exp::Literal(_) | Exp::Iota { .. } | count_exp!() => {}
            Exp::Check(_) | parallel_exp!() | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {
                crate::ice!(self.build.span, "a form with bodies or without results")
            }
        }
    }
    fn stack(&mut self, cells: &[Operand], ty: &Type, ay: Operand) {
        let depth = ty.rank() - self.build.ty(cells[0]).rank();
        let array = self.build.array(ay);
        let flat = self.build.flat(array, depth);
        for (k, cell) in cells.iter().enumerate() {
            if self.active.operand(*cell) {
                let part = self.build.cell(flat, &[Operand::int(k as i64)]);
                self.contribute(*cell, part);
            }
        }
    }
    fn concat(&mut self, parts: &[Var], ay: Operand) {
        let array = self.build.array(ay);
        let mut from = Size::default();
        for part in parts {
            let ty = self.build.program.ty(*part).clone();
            if self.active.has(*part) {
                let start = self.build.size(&from);
                let slice = Exp::Slice { array, start, step: Operand::int(1), checked: false };
                let cells = self.build.bind("adj", ty.clone(), slice);
                self.contribute(Operand::Var(*part), Operand::Var(cells));
            }
            from = mutated!(PartsFromFirst, from.add(&ty.shape[0]), from);
        }
    }
    /// The return sweep of one of two bodies, of the one that ran.
    pub fn branch(&mut self, cond: Operand, bodies: [&Body; 2], adjoints: &[Option<Operand>]) {
        let outer = std::mem::take(&mut self.adjoints);
        let mut blocks = Vec::new();
        for body in bodies {
            let body = fresh_body(self.build.program, body, &mut Subst::default());
            let types: Vec<Type> = body.result.iter().map(|a| self.build.ty(*a)).collect();
            let swept = self.block(|this| {
                this.body(body, |this| {
                    let seeds = adjoints.iter().zip(&types);
                    seeds.map(|(seed, ty)| seed.map(|seed| this.build.as_type(seed, ty))).collect()
                })
            });
            blocks.push((swept.stms, self.adjoints.take_all()));
        }
        self.adjoints = outer;
        let mut vars: Vec<Var> = Vec::new();
        blocks.iter().flat_map(|(_, all)| all).for_each(|(var, _)| {
            if !vars.contains(var) {
                vars.push(*var);
            }
        });
        let mut plan: Vec<(Var, Leaving)> = Vec::new();
        let mut results: [Vec<Operand>; 2] = Default::default();
        for var in vars {
            let mut parts: Vec<Adjoint> = Vec::new();
            for (_, all) in &mut blocks {
                let at = all.iter().position(|(other, _)| *other == var);
                parts.push(at.map(|at| all.swap_remove(at).1).unwrap_or_default());
            }
            self.branch_part(var, parts, &mut blocks, (&mut plan, &mut results));
        }
        let [then, els] = results;
        let mut blocks = blocks.into_iter().map(|(stms, _)| stms);
        let mut body = |result| Body { stms: blocks.next().unwrap_or_default(), result };
        let (then, els) = (body(then), body(els));
        let mut outs = self.build.either("adj", cond, then, els).into_iter();
        for (var, how) in plan {
            match how {
                Leaving::Dense => outs.next().into_iter().for_each(|value| self.contribute(Operand::Var(var), value)),
                Leaving::Sparse { frame, indices, .. } => {
                    let at = outs.by_ref().take(indices).collect();
                    let Some(value) = outs.next() else { continue };
                    self.adjoints.add_sparse(var, Sparse { frame, at, value, guarded: true, within: Vec::new() });
                }
            }
        }
    }
    /// What both branches return for one variable.
    fn branch_part(
        &mut self,
        var: Var,
        parts: Vec<Adjoint>,
        blocks: &mut [Swept],
        (plan, results): (&mut Vec<(Var, Leaving)>, &mut [Vec<Operand>; 2]),
    ) {
        let insides: Vec<FxHashSet<Var>> = blocks.iter().map(|(stms, _)| bound_in(stms, &[])).collect();
        let portable = |size: &Size| !size.vars().any(|var| insides.iter().any(|inside| inside.contains(&var)));
        let mut spread: Vec<Adjoint> = Vec::with_capacity(parts.len());
        for (k, part) in parts.into_iter().enumerate() {
            std::mem::swap(&mut self.build.stms, &mut blocks[k].0);
            spread.push(if part.dense.is_none() { self.build.spread(part, portable) } else { part });
            std::mem::swap(&mut self.build.stms, &mut blocks[k].0);
        }
        let parts = spread;
        let fits = |part: &Adjoint| {
            part.dense.is_none() && part.parts.is_empty() && part.sparse.iter().all(|sparse| sparse.frame.iter().all(portable))
        };
        if !parts.iter().all(fits) {
            plan.push((var, Leaving::Dense));
            for (k, part) in parts.into_iter().enumerate() {
                std::mem::swap(&mut self.build.stms, &mut blocks[k].0);
                let value = self.build.dense(var, part);
                results[k].push(value);
                std::mem::swap(&mut self.build.stms, &mut blocks[k].0);
            }
            return;
        }
        let cell = |this: &Self, at: usize| this.build.program.ty(var).cell(at);
        for (k, part) in parts.into_iter().enumerate() {
            for Sparse { frame, at, value, .. } in part.sparse {
                let cell = cell(self, at.len()).framed(&frame);
                plan.push((var, Leaving::Sparse { frame: frame.clone(), indices: at.len(), guarded: true }));
                // The other branch adds nothing anywhere.
                std::mem::swap(&mut self.build.stms, &mut blocks[1 - k].0);
                let nowhere = self.build.nowhere(&frame);
                results[1 - k].extend(at.iter().map(|_| nowhere));
                let zeros = self.build.zeros(&cell);
                results[1 - k].push(zeros);
                std::mem::swap(&mut self.build.stms, &mut blocks[1 - k].0);
                results[k].extend(at);
                results[k].push(value);
            }
        }
    }

    fn forward_filter(&mut self, stm: &Stm, width: &Size, inputs: &[Var], lambda: &Lambda) -> Kept {
        let numbers = self.build.iota(width);
        let mut inputs = inputs.to_vec();
        inputs.push(numbers);
        let mut lambda = lambda.clone();
        let mut subst = Subst::default();
        rebind_all(self.build.program, lambda.params.iter_mut(), &mut subst);
        lambda.body = fresh_body(self.build.program, &lambda.body, &mut subst);
        let number = self.build.param(numbers);
        lambda.params.push(number);
        lambda.body.result.push(Operand::Var(number));
        let mut pat = stm.pat.clone();
        let kept = self.build.fresh("kept".into(), Type { elem: PrimType::I64, shape: vec![Size::var(pat[0])] });
        pat.push(kept);
        self.build.push(pat, Exp::Filter { width: width.clone(), inputs, lambda });
        Kept::Indices(kept)
    }
    /// The kept cells get theirs, the others 0. The filter returns its inputs but for the first, which says what is kept.
    fn filter(&mut self, inputs: &[Var], adjoints: &[Option<Operand>], indices: Var) {
        for (input, adjoint) in inputs[1..].iter().zip(adjoints) {
            let Some(adjoint) = adjoint else { continue };
            if self.active.has(*input) {
                let zeros = self.build.zeros_like(*input);
                let (dest, values) = (self.build.array(zeros), self.build.array(*adjoint));
                let part = self.build.scattered(dest, indices, values);
                self.contribute(Operand::Var(*input), Operand::Var(part));
            }
        }
    }
    /// What stands in the end gets its adjoint: of values for one index the last one, of what was there before what was not written.
    fn scatter(&mut self, width: &Size, inputs: &[Var], dests: &[Var], adjoints: &[Option<Operand>]) {
        let (indices, values) = (inputs[0], &inputs[1..]);
        let outer = self.build.program.ty(dests[0]).shape[0].clone();
        let numbers = self.build.iota(width);
        let none = Operand::int(-1);
        let free = self.build.bind("none", Type { elem: PrimType::I64, shape: vec![outer.clone()] }, Exp::Rep(none));
        let winners = self.build.scattered(free, indices, numbers);
        for ((value, dest), adjoint) in values.iter().zip(dests).zip(adjoints) {
            let Some(adjoint) = adjoint else { continue };
            let adjoint = self.build.array(*adjoint);
            if self.active.has(*value) {
                let size = self.build.size(&outer);
                let part = self.build.map(width, vec![indices, numbers], |build, cells| {
                    let (at, own) = (Operand::Var(cells[0]), Operand::Var(cells[1]));
                    let fits = build.in_bounds(at, size);
                    let ty = build.program.ty(adjoint).cell(1);
                    let then = build.body(|build| {
                        let winner = build.cell(winners, &[at]);
                        let won = build.op(mutated!(EveryWriterWins, Op::Eq, Op::Ge), PrimType::I64, &[winner, own]);
                        vec![build.cell_or_zeros(won, adjoint, at)]
                    });
                    let els = build.body(|build| vec![build.zeros(&ty)]);
                    build.either("adj", fits, then, els)
                });
                self.contribute(Operand::Var(*value), Operand::Var(part[0]));
            }
            if self.active.has(*dest) {
                let zeros = self.build.zeros_like(*value);
                let zeros = self.build.array(zeros);
                let rest = self.build.scattered(adjoint, indices, zeros);
                self.contribute(Operand::Var(*dest), Operand::Var(rest));
            }
        }
    }

    /// The adjoints of the operands of a function that has a derivative of its own. What it captured is constant.
    fn custom(&mut self, fun: FunId, args: &[Operand], results: &[Var], adjoints: &[Option<Operand>]) {
        let Some(custom) = self.customs.get(&fun) else { crate::ice!(self.build.span, "a call in what is differentiated") };
        let (captured, given) = args.split_at(custom.captured);
        let mut operands = captured.to_vec();
        operands.extend(results.iter().map(|var| Operand::Var(*var)));
        for (var, adjoint) in results.iter().zip(adjoints) {
            operands.push(adjoint.unwrap_or_else(|| self.build.zeros_like(*var)));
        }
        let pat: Vec<Var> = given
            .iter()
            .map(|arg| {
                let ty = self.build.ty(*arg);
                self.build.fresh("adj".into(), ty)
            })
            .collect();
        self.build.push(pat.clone(), Exp::Call(custom.adjoint, operands));
        for (arg, part) in given.iter().zip(pat) {
            self.contribute(*arg, Operand::Var(part));
        }
    }
}

impl Build<'_> {
    /// Whether an index is one of an array with so many cells.
    pub fn in_bounds(&mut self, at: Operand, size: Operand) -> Operand {
        let (low, high) = (self.op(Op::Ge, PrimType::I64, &[at, Operand::int(0)]), self.op(Op::Lt, PrimType::I64, &[at, size]));
        self.op(Op::And, PrimType::Bool, &[low, high])
    }
    /// An array with cells written to it.
    pub fn scattered(&mut self, dest: Var, indices: Var, values: Var) -> Var {
        let inputs = vec![indices, values];
        let (lambda, width, ty) = (self.identity(&inputs), self.program.ty(indices).shape[0].clone(), self.program.ty(dest).clone());
        self.bind("adj", ty, Exp::Scatter { width, inputs, lambda, dests: vec![dest] })
    }
}

/// What statements bind, inner bodies included, and these.
pub(super) fn bound_in(stms: &[Stm], more: &[Var]) -> FxHashSet<Var> {
    let mut inside: FxHashSet<Var> = more.iter().copied().collect();
    bound_by(stms, &mut inside);
    inside
}
