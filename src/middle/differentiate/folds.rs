//! The return sweeps of reductions, scans and histograms.
//!
//! Law (Schenck 2024, sections 3.4.2 to 3.4.4): with `l` the exclusive scan of the elements from the left and `r` that from the right, the result of a
//! reduction is `l[i] op x[i] op r[i]` for each i, so element i gets what an operator hands on to its middle operand. A scan hands on from
//! right to left what each result gets from the next one: a scan of linear functions, or of an operator with its derivative. Sums, minima
//! and maxima need neither.
//!
//! A fold begins with its neutral element, as a left operand: the first element gets what the operator hands on to the right one, which is
//! nothing where an extremum equals it, and the neutral element gets its part if it has a derivative.

use super::build::{Build, is_one};
use super::reverse::{Kept, Reverse};
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Program, Size, Soac, Stm, Type, Var};

/// Operators whose derivatives have a form of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Simple {
    /// Sums of numbers or of arrays of them.
    Add,
    /// Minima of numbers.
    Min,
    /// Maxima of numbers.
    Max,
    /// Products of numbers.
    Mul,
}

/// Which of the simple operators it is, if one.
pub(super) fn simple(program: &Program, operator: &Operator) -> Option<Simple> {
    let [a, b] = operator.lambda.params[..] else { return None };
    let op = operation(&operator.lambda.body, a, b)?;
    let scalar = program.ty(a).rank() == 0;
    let known = [(Op::Add, Simple::Add), (Op::Min, Simple::Min), (Op::Max, Simple::Max), (Op::Mul, Simple::Mul)];
    let (_, simple) = known.into_iter().find(|(known, _)| *known == op)?;
    (simple == Simple::Add || scalar && program.ty(a).elem.is_float()).then_some(simple)
}
/// The operation that a body applies to two values, element by element.
fn operation(body: &Body, a: Var, b: Var) -> Option<Op> {
    let ([stm], [result]) = (body.stms.as_slice(), body.result.as_slice()) else { return None };
    if result.var() != stm.pat.first().copied() {
        return None;
    }
    if let Exp::Scalar(op, args) = &stm.exp {
        return (args[..] == [Operand::Var(a), Operand::Var(b)]).then_some(op.op);
    }
    let Exp::Soac(Soac { inputs, lambda, scans, reduces, .. }) = &stm.exp else { return None };
    let ([x, y], true) = (&lambda.params[..], inputs[..] == [a, b] && scans.is_empty() && reduces.is_empty()) else { return None };
    operation(&lambda.body, *x, *y)
}

/// A copy of an operator with variables of its own.
fn copied(build: &mut Build, operator: &Operator) -> Operator {
    let mut copy = operator.clone();
    let mut subst = Subst::default();
    rebind_all(build.program, copy.lambda.params.iter_mut(), &mut subst);
    copy.lambda.body = fresh_body(build.program, &operator.lambda.body, &mut subst);
    copy
}
/// What an operator makes of operands.
fn applied(build: &mut Build, operator: &Operator, operands: &[Operand]) -> Vec<Operand> {
    let mut subst = Subst::default();
    operator.lambda.params.iter().zip(operands).for_each(|(param, a)| {
        subst.operands.insert(*param, *a);
    });
    let body = fresh_body(build.program, &operator.lambda.body, &mut subst);
    build.stms.extend(body.stms);
    body.result
}

/// A scan that is handed back from right to left.
#[derive(Clone, Copy)]
struct Scanned<'a> {
    results: &'a [Var],
    /// The adjoints of the results, from right to left.
    reversed: &'a [Var],
    /// The number of the last element.
    last: Operand,
}

/// A histogram of values into bins.
#[derive(Clone, Copy)]
struct Histogram<'a> {
    width: &'a Size,
    indices: Var,
    values: &'a [Var],
    dests: &'a [Var],
    /// The number of bins.
    size: Operand,
}

impl Build<'_> {
    /// The place of the first of the best elements, with which a fold by a minimum or a maximum ends.
    fn first_best(&mut self, better: Op, xs: Var, start: Operand) -> Var {
        let (ty, width) = (self.program.ty(xs).cell(1), self.program.ty(xs).shape[0].clone());
        let (prim, int) = (ty.elem, Type::scalar(PrimType::I64));
        let params = [("a", &ty), ("i", &int), ("b", &ty), ("j", &int)].map(|(name, ty)| self.fresh(name.into(), ty.clone()));
        let [a, i, b, j] = params.map(Operand::Var);
        let body = self.body(|build| {
            let left = build.returns_left(mutated!(LastOfEqualInside, better, if better == Op::Le { Op::Lt } else { Op::Gt }), a, b, prim);
            let (some, none) =
                (build.op(Op::Ge, PrimType::I64, &[i, Operand::int(0)]), build.op(Op::Lt, PrimType::I64, &[j, Operand::int(0)]));
            let left = build.op(Op::And, PrimType::Bool, &[left, some]);
            let left = build.op(Op::Or, PrimType::Bool, &[left, none]);
            vec![build.select(left, a, b), build.select(left, i, j)]
        });
        let lambda = Lambda { params: params.to_vec(), body };
        let operator = Operator { lambda, neutral: vec![start, Operand::int(-1)], commutative: false };
        let numbers = self.iota(&width);
        self.reduce(vec![xs, numbers], operator)[1]
    }
}

impl Reverse<'_, '_> {
    pub(super) fn forward_fold(&mut self, stm: &Stm, soac: &Soac) -> Kept {
        let ([], [operator]) = (soac.scans.as_slice(), soac.reduces.as_slice()) else {
            self.build.stms.push(stm.clone());
            return Kept::Nothing;
        };
        let better = match simple(self.build.program, operator) {
            Some(Simple::Min) => Op::Le,
            Some(Simple::Max) => Op::Ge,
            Some(Simple::Mul) if self.once && !self.origins.is_inside() && is_one(operator.neutral[0]) => {
                self.build.stms.push(stm.clone());
                return Kept::Product { product: Operand::Var(stm.pat[0]), divides: self.build.may_divide(soac.inputs[0]) };
            }
            Some(Simple::Add | Simple::Mul) | None => {
                self.build.stms.push(stm.clone());
                return Kept::Nothing;
            }
        };
        let prim = self.build.program.ty(stm.pat[0]).elem;
        let (xs, start) = (soac.inputs[0], operator.neutral[0]);
        self.build.stms.push(stm.clone());
        let extremum = Operand::Var(stm.pat[0]);
        // Where it stands first. In a map it is found together with the value, which takes no memory; by itself in a search of its own, in
        // which all elements are looked at at the same time.
        let place = if self.origins.is_inside() {
            self.build.first_best(better, xs, start)
        } else {
            let (first, nowhere) = mutated!(LastOfEqual, (Op::Min, i64::MAX), (Op::Max, i64::MIN));
            let numbers = self.build.iota(&soac.width);
            let places = self.build.map(&soac.width, vec![xs, numbers], |build, cells| {
                let [cell, number] = [0, 1].map(|k| Operand::Var(cells[k]));
                let here = build.op(Op::Eq, prim, &[cell, extremum]);
                vec![build.select(here, number, Operand::int(nowhere))]
            });
            let pick = self.build.choosing(first, nowhere);
            self.build.reduce(places, pick)[0]
        };
        // It begins with the neutral element, which stands before all; and a NaN is no element that was chosen.
        let starts = self.build.returns_left(better, start, extremum, prim);
        Kept::Place(self.build.select(starts, Operand::int(-1), Operand::Var(place)))
    }

    pub(super) fn reduce(&mut self, soac: &Soac, operator: &Operator, adjoints: &[Option<Operand>], kept: &Kept) {
        if let (Kept::Place(at), Some(adjoint)) = (kept, adjoints[0]) {
            if self.begins_actively(operator) {
                let starts = self.build.op(Op::Lt, PrimType::I64, &[*at, Operand::int(0)]);
                let ty = self.build.ty(adjoint);
                let zero = self.build.zeros(&ty);
                let part = self.build.select(starts, adjoint, zero);
                self.contribute(operator.neutral[0], part);
            }
            return self.contribute_at(soac.inputs[0], vec![*at], adjoint, true);
        }
        if simple(self.build.program, operator) == Some(Simple::Add)
            && let Some(adjoint) = adjoints[0]
        {
            self.contribute(operator.neutral[0], adjoint);
            let ty = self.build.program.ty(soac.inputs[0]).clone();
            let copies = self.build.bind("adj", ty, Exp::Rep(adjoint));
            return self.contribute(Operand::Var(soac.inputs[0]), Operand::Var(copies));
        }
        if let (Kept::Product { product, divides }, Some(adjoint)) = (kept, adjoints[0]) {
            let then = self.scope(|this| this.quotients(soac, adjoint, *product));
            let els = self.scope(|this| this.by_scans_of_both_sides(soac, operator, adjoints).0.into_iter().map(Operand::Var).collect());
            let part = self.build.either("adj", *divides, then, els)[0];
            return self.contribute(Operand::Var(soac.inputs[0]), part);
        }
        let (mapped, right) = self.by_scans_of_both_sides(soac, operator, adjoints);
        for (input, part) in soac.inputs.iter().zip(mapped) {
            self.contribute(Operand::Var(*input), Operand::Var(part));
        }
        if self.begins_actively(operator) {
            let last = self.build.size(&soac.width.sub(&Size::constant(1)));
            let seeds = self.seeds(adjoints, operator);
            let none = Body { stms: Vec::new(), result: seeds.clone() };
            let all = |this: &mut Self| right.iter().map(|array| this.build.cell(*array, &[last])).collect();
            self.hand_to_neutral(operator, &soac.width, none, all, |_| seeds);
        }
    }
    /// What each element of a reduction gets, by scans from both sides, and the scan from the right.
    fn by_scans_of_both_sides(&mut self, soac: &Soac, operator: &Operator, adjoints: &[Option<Operand>]) -> (Vec<Var>, Vec<Var>) {
        let (width, count) = (&soac.width, operator.neutral.len());
        let from_left = copied(self.build, operator);
        let left = self.build.scan(soac.inputs.clone(), from_left);
        let reversed: Vec<Var> = soac.inputs.iter().map(|input| self.build.reversed(*input)).collect();
        let from_right = self.exchanged(operator);
        let right = self.build.scan(reversed, from_right);
        let numbers = self.build.iota(width);
        let last = self.build.size(&width.sub(&Size::constant(1)));
        let mut inputs = soac.inputs.clone();
        inputs.push(numbers);
        let mapped = self.adjoint_map(width, inputs, |this, cells| {
            let (cells, number) = (&cells[..count], Operand::Var(cells[count]));
            this.activate(&soac.inputs, cells);
            let first = this.build.op(Op::Eq, PrimType::I64, &[number, Operand::int(0)]);
            let final_one = this.build.op(Op::Eq, PrimType::I64, &[number, last]);
            let one = Operand::int(1);
            let before = this.build.op(Op::Sub, PrimType::I64, &[number, one]);
            let behind = this.build.op(Op::Sub, PrimType::I64, &[last, number]);
            let behind = this.build.op(Op::Sub, PrimType::I64, &[behind, one]);
            let l = this.build.cells_unless(first, &left, before, &operator.neutral);
            let r = this.build.cells_unless(final_one, &right, behind, &operator.neutral);
            let x: Vec<Operand> = cells.iter().map(|cell| Operand::Var(*cell)).collect();
            let seeds: Vec<Operand> = this.seeds(adjoints, operator);
            let z = applied(this.build, operator, &[l.clone(), x.clone()].concat());
            // Behind the last one nothing is combined.
            let h = this.handed_unless(final_one, &seeds, operator, &[z, r].concat());
            this.handed(operator, &[l, x].concat(), &h).split_off(count)
        });
        (mapped, right)
    }
    /// Whether a fold begins with something that has a derivative.
    fn begins_actively(&self, operator: &Operator) -> bool {
        mutated!(BeginsAlone, operator.neutral.iter().any(|start| matches!(start, Operand::Var(var) if self.active.has(*var))), false)
    }
    /// Adds to the adjoints of the neutral element of a fold what its operator hands on to it, with these values as right operands and these adjoints of
    /// the results; `none` where nothing is combined.
    fn hand_to_neutral(
        &mut self,
        operator: &Operator,
        width: &Size,
        none: Body,
        right: impl FnOnce(&mut Self) -> Vec<Operand>,
        seeds: impl FnOnce(&mut Self) -> Vec<Operand>,
    ) {
        let size = self.build.size(width);
        let empty = self.build.op(Op::Le, PrimType::I64, &[size, Operand::int(0)]);
        let els = self.scope(|this| {
            let (right, seeds) = (right(this), seeds(this));
            this.handed_left(operator, &[operator.neutral.clone(), right].concat(), &seeds)
        });
        let parts = self.build.either("adj", empty, none, els);
        for (start, part) in operator.neutral.iter().zip(parts) {
            self.contribute(*start, part);
        }
    }

    pub(super) fn scan(&mut self, soac: &Soac, operator: &Operator, results: &[Var], adjoints: &[Option<Operand>]) {
        let (width, count) = (&soac.width, operator.neutral.len());
        let adjoints: Vec<Var> = (results.iter().zip(adjoints))
            .map(|(var, adjoint)| {
                let value = adjoint.unwrap_or_else(|| self.build.zeros_like(*var));
                self.build.array(value)
            })
            .collect();
        let reversed: Vec<Var> = adjoints.iter().map(|adjoint| self.build.reversed(*adjoint)).collect();
        if simple(self.build.program, operator) == Some(Simple::Add) {
            let cell = self.build.program.ty(reversed[0]).cell(1);
            let plus = self.build.plus(&cell);
            let sums = self.build.scan(reversed, plus);
            let part = self.build.reversed(sums[0]);
            if self.begins_actively(operator) {
                let none = self.build.body(|build| vec![build.zeros(&cell)]);
                let seeds = |this: &mut Self| vec![this.build.cell(part, &[Operand::int(0)])];
                let first = |this: &mut Self| vec![this.build.cell(soac.inputs[0], &[Operand::int(0)])];
                self.hand_to_neutral(operator, width, none, first, seeds);
            }
            return self.contribute(Operand::Var(soac.inputs[0]), Operand::Var(part));
        }
        let numbers = self.build.iota(width);
        let last = self.build.size(&width.sub(&Size::constant(1)));
        let one = Operand::int(1);
        // What a complex operator hands on need not be a product: `re a + re b` hands on the real part.
        let product = |op: &Operator| operation(&op.lambda.body, op.lambda.params[0], op.lambda.params[1]) == Some(Op::Mul);
        let ty = self.build.program.ty(results[0]);
        let flowing = if count == 1 && ty.rank() == 1 && (!ty.elem.is_complex() || product(operator)) {
            self.linear(soac, operator, &Scanned { results, reversed: &reversed, last })
        } else {
            self.lifted(soac, operator, &Scanned { results, reversed: &reversed, last })
        };
        let flowing: Vec<Var> = flowing.into_iter().map(|array| self.build.reversed(array)).collect();
        let inputs: Vec<Var> = soac.inputs.iter().chain(&flowing).copied().chain([numbers]).collect();
        let mapped = self.adjoint_map(width, inputs, |this, cells| {
            let (x, rest) = cells.split_at(count);
            this.activate(&soac.inputs, x);
            let number = Operand::Var(rest[count]);
            let first = this.build.op(Op::Eq, PrimType::I64, &[number, Operand::int(0)]);
            let before = this.build.op(Op::Sub, PrimType::I64, &[number, one]);
            let l = this.build.cells_unless(first, results, before, &operator.neutral);
            let operands: Vec<Operand> = l.into_iter().chain(x.iter().map(|cell| Operand::Var(*cell))).collect();
            let h: Vec<Operand> = rest[..count].iter().map(|cell| Operand::Var(*cell)).collect();
            this.handed(operator, &operands, &h).split_off(count)
        });
        for (input, part) in soac.inputs.iter().zip(mapped) {
            self.contribute(Operand::Var(*input), Operand::Var(part));
        }
        if self.begins_actively(operator) {
            let types: Vec<Type> = operator.lambda.params[..count].iter().map(|param| self.build.program.ty(*param).clone()).collect();
            let none = self.build.body(|build| types.iter().map(|ty| build.zeros(ty)).collect());
            let cells = |this: &mut Self, arrays: &[Var]| arrays.iter().map(|array| this.build.cell(*array, &[Operand::int(0)])).collect();
            self.hand_to_neutral(operator, width, none, |this| cells(this, &soac.inputs), |this| cells(this, &flowing));
        }
    }
    /// What each result of a scan of numbers gets, from right to left: each gets the next one's times a factor.
    fn linear(&mut self, soac: &Soac, operator: &Operator, scanned: &Scanned) -> Vec<Var> {
        let (result, reversed, last) = (scanned.results[0], scanned.reversed[0], scanned.last);
        let prim = self.build.program.ty(result).elem;
        let (zero, unit) = (Build::number(prim, 0.0), Build::number(prim, 1.0));
        let numbers = self.build.iota(&soac.width);
        // Factor i, from the right: by what the result before it counts in the next one.
        let factors = self.apart(&soac.width, vec![numbers], |this, cells| {
            let number = Operand::Var(cells[0]);
            let first = this.build.op(Op::Eq, PrimType::I64, &[number, Operand::int(0)]);
            let at = this.build.op(Op::Sub, PrimType::I64, &[last, number]);
            let next = this.build.op(Op::Add, PrimType::I64, &[at, Operand::int(1)]);
            let then = Body { stms: Vec::new(), result: vec![unit] };
            let els = this.block(|this| {
                let (y, x) = (this.build.cell(result, &[at]), this.build.cell(soac.inputs[0], &[next]));
                vec![this.handed(operator, &[y, x], &[unit])[0]]
            });
            this.build.either("factor", first, then, els)
        });
        let names: Vec<Var> = ["h", "c", "k", "d"].map(|name| self.build.fresh(name.into(), Type::scalar(prim))).to_vec();
        let [h, c, k, d] = [0, 1, 2, 3].map(|at| Operand::Var(names[at]));
        let body = self.build.body(|build| {
            let carried = build.op(Op::Mul, prim, &[mutated!(FlowOfOther, d, c), h]);
            vec![build.op(Op::Add, prim, &[k, carried]), build.op(Op::Mul, prim, &[c, d])]
        });
        let operator = Operator { lambda: Lambda { params: names, body }, neutral: vec![zero, unit], commutative: false };
        vec![self.build.scan(vec![reversed, factors[0]], operator)[0]]
    }
    /// What each result of a scan with any operator gets: triples of a result, the next element and the adjoint.
    fn lifted(&mut self, soac: &Soac, operator: &Operator, scanned: &Scanned) -> Vec<Var> {
        let Scanned { results, reversed, last } = *scanned;
        let count = operator.neutral.len();
        let width = &soac.width;
        let numbers = self.build.iota(width);
        let ends = self.build.map(width, vec![numbers], |build, cells| {
            let at = build.op(Op::Sub, PrimType::I64, &[last, Operand::Var(cells[0])]);
            let next = build.op(Op::Add, PrimType::I64, &[at, Operand::int(1)]);
            let first = build.op(Op::Eq, PrimType::I64, &[Operand::Var(cells[0]), Operand::int(0)]);
            let mut out: Vec<Operand> = results.iter().map(|result| build.cell(*result, &[at])).collect();
            out.extend(build.cells_unless(first, &soac.inputs, next, &operator.neutral));
            // Whether there is a next element: without one nothing comes from the right.
            out.push(build.op(Op::Not, PrimType::Bool, &[first]));
            out
        });
        // The adjoint of a result is its own and what comes through the next element from the right. Composed functions of what comes from the right
        // are known by the first result, the elements combined, and what comes out of them for 0: they are linear.
        let types: Vec<Type> = operator.lambda.params[..count].iter().map(|param| self.build.program.ty(*param).clone()).collect();
        let mut params = Vec::new();
        for side in ["p", "q"] {
            for ty in types.iter().chain(&types).chain(&types) {
                params.push(self.build.fresh(side.into(), ty.clone()));
            }
            params.push(self.build.fresh("more".into(), Type::scalar(PrimType::Bool)));
        }
        let part = |from: usize| params[from..from + count].iter().map(|var| Operand::Var(*var)).collect::<Vec<_>>();
        let size = 3 * count + 1;
        let (a1, h1) = (part(count), part(2 * count));
        let (x2, a2, h2, more2) = (part(size), part(size + count), part(size + 2 * count), Operand::Var(params[size + 3 * count]));
        let more1 = Operand::Var(params[3 * count]);
        let body = self.scope(|this| {
            // The right operand stands further left in the array: what comes from its right goes through its elements.
            let handed = this.with_handed(more2, &h2, operator, &[x2.clone(), a2.clone()].concat(), &h1);
            let combined = applied(this.build, operator, &[a2, a1].concat());
            let more = this.build.op(Op::And, PrimType::Bool, &[more1, more2]);
            x2.into_iter().chain(combined).chain(handed).chain([more]).collect()
        });
        let zeros: Vec<Operand> = types.iter().map(|ty| self.build.zeros(ty)).collect();
        let neutral = [&operator.neutral[..], &operator.neutral[..], &zeros, &[Operand::Const(crate::base::Scalar::Bool(true))]].concat();
        let lifted = Operator { lambda: Lambda { params, body }, neutral, commutative: false };
        let inputs = ends[..2 * count].iter().chain(reversed).chain(&ends[2 * count..]).copied().collect();
        self.build.scan(inputs, lifted)[2 * count..3 * count].to_vec()
    }

    /// In order: what each bin holds when a value comes is kept, and handed back from the last value to the first.
    pub(super) fn hist(&mut self, width: &Size, inputs: &[Var], dests: &[Var], operator: &Operator, adjoints: &[Option<Operand>]) {
        let (indices, values) = (inputs[0], &inputs[1..]);
        let size = self.build.program.ty(dests[0]).shape[0].clone();
        let size = self.build.size(&size);
        if simple(self.build.program, operator) == Some(Simple::Add)
            && let Some(adjoint) = adjoints[0]
        {
            self.contribute(Operand::Var(dests[0]), adjoint);
            if self.active.has(values[0]) {
                let array = self.build.array(adjoint);
                let part = self.build.map(width, vec![indices], |build, cells| {
                    let at = Operand::Var(cells[0]);
                    let fits = build.in_bounds(at, size);
                    vec![build.cell_or_zeros(fits, array, at)]
                });
                self.contribute(Operand::Var(values[0]), Operand::Var(part[0]));
            }
            return;
        }
        self.hist_in_order(&Histogram { width, indices, values, dests, size }, operator, adjoints);
    }
    fn hist_in_order(&mut self, histogram: &Histogram, operator: &Operator, adjoints: &[Option<Operand>]) {
        let Histogram { width, indices, values, dests, size } = *histogram;
        let count = values.len();
        let length = self.build.size(width);
        let named = |build: &mut Build, arrays: &[Var]| -> Vec<Var> {
            arrays.iter().map(|array| build.fresh(build.program.vars[*array].name, build.program.ty(*array).clone())).collect()
        };
        // Forward, with the old contents.
        let logs: Vec<Operand> = values.iter().map(|value| self.build.zeros_like(*value)).collect();
        let inits: Vec<Operand> = dests.iter().map(|dest| Operand::Var(*dest)).chain(logs).collect();
        let all = [dests, values].concat();
        let (params, pat) = (named(self.build, &all), named(self.build, &all));
        let counter = self.build.fresh("i".into(), Type::scalar(PrimType::I64));
        let body = self.build.body(|build| {
            let at = build.cell(indices, &[Operand::Var(counter)]);
            let fits = build.in_bounds(at, size);
            let then = build.body(|build| {
                let old: Vec<Operand> = params[..count].iter().map(|bins| build.cell(*bins, &[at])).collect();
                let new: Vec<Operand> = values.iter().map(|value| build.cell(*value, &[Operand::Var(counter)])).collect();
                let combined = applied(build, operator, &[old.clone(), new].concat());
                let written = combined.into_iter().map(|value| (at, value)).chain(old.into_iter().map(|old| (Operand::Var(counter), old)));
                let written: Vec<(Operand, Operand)> = written.collect();
                params.iter().zip(written).map(|(array, (at, value))| Operand::Var(build.written(*array, at, value))).collect()
            });
            let els = Body { stms: Vec::new(), result: params.iter().map(|param| Operand::Var(*param)).collect() };
            build.either("next", fits, then, els)
        });
        let params = params.iter().copied().zip(inits).collect();
        self.build.push(pat.clone(), Exp::Loop { params, form: LoopForm::For(counter, length), body });
        let logs = &pat[count..];

        // And back.
        let free = self.active.free(&[&operator.lambda.body]);
        let bins: Vec<Operand> =
            (dests.iter().zip(adjoints)).map(|(dest, adjoint)| adjoint.unwrap_or_else(|| self.build.zeros_like(*dest))).collect();
        let parts: Vec<Operand> = values.iter().map(|value| self.build.zeros_like(*value)).collect();
        let frees: Vec<Operand> = free.iter().map(|var| self.taken_or_zeros(*var)).collect();
        let all = [dests, values, &free].concat();
        let (params, pat) = (named(self.build, &all), named(self.build, &all));
        let counter = self.build.fresh("i".into(), Type::scalar(PrimType::I64));
        let body = self.scope(|this| {
            let last = this.build.op(Op::Sub, PrimType::I64, &[length, Operand::int(1)]);
            let number =
                mutated!(BinsInOrder, this.build.op(Op::Sub, PrimType::I64, &[last, Operand::Var(counter)]), Operand::Var(counter));
            let at = this.build.cell(indices, &[number]);
            let fits = this.build.in_bounds(at, size);
            let then = this.block(|this| {
                let operands: Vec<Operand> = logs.iter().chain(values).map(|array| this.build.cell(*array, &[number])).collect();
                let seeds: Vec<Operand> = params[..count].iter().map(|bins| this.build.cell(*bins, &[at])).collect();
                for (var, param) in free.iter().zip(&params[2 * count..]) {
                    this.adjoints.set(*var, Operand::Var(*param));
                }
                let handed = this.handed(operator, &operands, &seeds);
                let places = std::iter::repeat_n(at, count).chain(std::iter::repeat_n(number, count));
                let written = params.iter().zip(places).zip(handed);
                let mut result: Vec<Operand> =
                    written.map(|((array, at), value)| Operand::Var(this.build.written(*array, at, value))).collect();
                result.extend(free.iter().map(|var| this.taken_or_zeros(*var)).collect::<Vec<_>>());
                result
            });
            let els = Body { stms: Vec::new(), result: params.iter().map(|param| Operand::Var(*param)).collect() };
            this.build.either("next", fits, then, els)
        });
        let inits = bins.into_iter().chain(parts).chain(frees);
        let params = params.iter().copied().zip(inits).collect();
        self.build.push(pat.clone(), Exp::Loop { params, form: LoopForm::For(counter, length), body });
        for (dest, part) in dests.iter().chain(values).zip(&pat) {
            self.contribute(Operand::Var(*dest), Operand::Var(*part));
        }
        for (var, sum) in free.iter().zip(&pat[2 * count..]) {
            self.adjoints.set(*var, Operand::Var(*sum));
        }
    }

    /// What an operator hands on to its operands for adjoints of its results. What it captured gets its part in the adjoints of the scope.
    fn handed(&mut self, operator: &Operator, operands: &[Operand], seeds: &[Operand]) -> Vec<Operand> {
        // Variables of its own for the operands: one of them may be given twice.
        let mut params = operator.lambda.params.clone();
        let mut subst = Subst::default();
        rebind_all(self.build.program, params.iter_mut(), &mut subst);
        for (param, operand) in params.iter().zip(operands) {
            self.build.push(vec![*param], Exp::Copy(*operand));
            self.active.add(self.build.program, *param);
        }
        self.wild.pass(self.build.program, operands.iter().copied(), params.iter().copied());
        let body = fresh_body(self.build.program, &operator.lambda.body, &mut subst);
        let seeds = seeds.iter().map(|seed| Some(*seed)).collect();
        self.body(body, |_| seeds);
        params.iter().map(|param| self.taken_or_zeros(*param)).collect()
    }
    /// The part of this for the left operands.
    fn handed_left(&mut self, operator: &Operator, operands: &[Operand], seeds: &[Operand]) -> Vec<Operand> {
        let mut handed = self.handed(operator, operands, seeds);
        handed.truncate(seeds.len());
        handed
    }
    /// These adjoints if the condition holds, else what an operator hands on to its left operands for them. Nothing is said of what it captured.
    fn handed_unless(&mut self, cond: Operand, seeds: &[Operand], operator: &Operator, operands: &[Operand]) -> Vec<Operand> {
        let els = self.scope(|this| this.handed_left(operator, operands, seeds));
        let then = Body { stms: Vec::new(), result: seeds.to_vec() };
        self.build.either("adj", cond, then, els)
    }
    /// These values and, if there is more, what an operator hands on to its left operand. Nothing is said of what it captured.
    fn with_handed(
        &mut self,
        more: Operand,
        values: &[Operand],
        operator: &Operator,
        operands: &[Operand],
        seeds: &[Operand],
    ) -> Vec<Operand> {
        let then = self.scope(|this| {
            let handed = this.handed(operator, operands, seeds);
            values.iter().zip(&handed).map(|(a, b)| this.build.add(*a, *b)).collect()
        });
        let els = Body { stms: Vec::new(), result: values.to_vec() };
        self.build.either("adj", more, then, els)
    }
    /// A map whose derivatives are values like others: adjoints of the scope stay.
    pub(super) fn apart(&mut self, width: &Size, inputs: Vec<Var>, make: impl FnOnce(&mut Self, &[Var]) -> Vec<Operand>) -> Vec<Var> {
        let params: Vec<Var> = inputs.iter().map(|input| self.build.param(*input)).collect();
        let body = self.scope(|this| make(this, &params));
        self.build.mapped(width, inputs, Lambda { params, body })
    }
    /// The operator with its operands exchanged.
    fn exchanged(&mut self, operator: &Operator) -> Operator {
        let mut copy = copied(self.build, operator);
        copy.lambda.params.rotate_left(mutated!(RightScanTurned, operator.neutral.len(), 0));
        copy
    }
    /// Cells of what is active are, and so are those of what may be infinite.
    pub(super) fn activate(&mut self, arrays: &[Var], cells: &[Var]) {
        for reached in [&mut self.active, &mut self.wild] {
            reached.pass(self.build.program, arrays.iter().map(|array| Operand::Var(*array)), cells.iter().copied());
        }
    }
    fn seeds(&mut self, adjoints: &[Option<Operand>], operator: &Operator) -> Vec<Operand> {
        let types: Vec<Type> = operator.lambda.params.iter().map(|param| self.build.program.ty(*param).clone()).collect();
        adjoints.iter().zip(types).map(|(adjoint, ty)| adjoint.unwrap_or_else(|| self.build.zeros(&ty))).collect()
    }
}

impl Build<'_> {
    /// An array with another cell.
    fn written(&mut self, array: Var, at: Operand, value: Operand) -> Var {
        let ty = self.program.ty(array).clone();
        self.bind("next", ty, Exp::Update { array, at: vec![at], value, checked: false })
    }
    /// The cells of arrays at an index, or these values if the condition holds.
    fn cells_unless(&mut self, cond: Operand, arrays: &[Var], at: Operand, values: &[Operand]) -> Vec<Operand> {
        let els = self.body(|build| arrays.iter().map(|array| build.cell(*array, &[at])).collect());
        let then = Body { stms: Vec::new(), result: values.to_vec() };
        self.either("x", cond, then, els)
    }
}
