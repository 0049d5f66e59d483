//! Soacs with the maps around them.

use super::Flatten;
use super::context::{Context, cheap, needed, parallel, parallel_body};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::visit::mentioned;
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Seg, SegKind, Size, Soac, Stm, Type, Var, placed};
use crate::ir::tuning::Knob;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What is done in a kernel.
pub(super) struct Kernel {
    pub stms: Vec<Stm>,
    pub result: Vec<Operand>,
    pub kind: SegKind,
}

/// One scan or reduction of a soac: what is combined, and what it makes.
#[derive(Clone, Copy)]
struct Combined<'a> {
    operator: &'a Operator,
    scan: bool,
    width: &'a Size,
    given: &'a [Var],
    pat: &'a [Var],
    span: Span,
}

impl Flatten {
    /// A new index.
    fn index(&mut self) -> Var {
        self.program.fresh(Symbol::new("i"), Type::scalar(PrimType::I64))
    }

    /// Emits a kernel over the space of a context that binds `pat`. All that it binds is new.
    pub(super) fn kernel(&mut self, context: &Context, kernel: Kernel, pat: Vec<Var>, span: Span, out: &mut Vec<Stm>) {
        let Kernel { stms, result, kind } = kernel;
        let all = context.known.iter().cloned().chain(stms).collect();
        let stms = needed(&self.program, all, &result);
        let mut subst = Subst::default();
        let mut space = context.space.clone();
        rebind_all(&mut self.program, space.iter_mut(), &mut subst);
        let body = fresh_body(&mut self.program, &Body { stms, result }, &mut subst);
        let kind = match kind {
            SegKind::Map => SegKind::Map,
            SegKind::Reduce(operators) => SegKind::Reduce(self.fresh_operators(operators)),
            SegKind::Scan(operators) => SegKind::Scan(self.fresh_operators(operators)),
        };
        let seg = Seg { space, sizes: context.sizes.clone(), body, kind };
        out.push(Stm { pat, exp: Exp::Seg(Box::new(seg)), span });
    }
    fn fresh_operators(&mut self, operators: Vec<Operator>) -> Vec<Operator> {
        let fresh = |operator: Operator| {
            let mut subst = Subst::default();
            let mut params = operator.lambda.params;
            rebind_all(&mut self.program, params.iter_mut(), &mut subst);
            let body = fresh_body(&mut self.program, &operator.lambda.body, &mut subst);
            Operator { lambda: Lambda { params, body }, ..operator }
        };
        operators.into_iter().map(fresh).collect()
    }

    /// A soac in a context. `pat` are arrays of the whole space. Returns whether that is possible; if it is not, nothing that was emitted
    /// may be used.
    pub(super) fn nest(&mut self, context: &Context, soac: &Soac, pat: &[Var], span: Span, out: &mut Vec<Stm>) -> bool {
        let operators = || soac.operators();
        if !mutated!(IrregularWidth, context.regular(&soac.width), true)
            || !mutated!(VaryingOperator, operators().all(|op| context.invariant_operator(op)), true)
        {
            return false;
        }
        let on_arrays = operators().flat_map(|op| &op.neutral).any(|a| self.program.operand_ty(*a).rank() > 0);
        let both = !soac.scans.is_empty() && !soac.reduces.is_empty();
        if operators().next().is_some() && (on_arrays || both || parallel_body(&soac.lambda.body)) {
            return self.split(context, soac, pat, span, out);
        }
        let inner = self.enter(context, soac, span);
        let body = match operators().next() {
            None => Cow::Owned(self.rows_as_maps(&inner, &soac.lambda.body)),
            Some(_) => Cow::Borrowed(&soac.lambda.body),
        };
        let flat = Kernel {
            stms: body.stms.clone(),
            result: body.result.clone(),
            kind: match (soac.scans.is_empty(), soac.reduces.is_empty()) {
                (true, true) => SegKind::Map,
                (true, false) => SegKind::Reduce(soac.reduces.clone()),
                (false, _) => SegKind::Scan(soac.scans.clone()),
            },
        };
        if !parallel_body(&body) {
            self.kernel(&inner, flat, pat.to_vec(), span, out);
            return true;
        }
        self.versions(&inner, &body, flat, pat, span, out);
        true
    }

    /// The context inside of a soac.
    fn enter(&mut self, context: &Context, soac: &Soac, span: Span) -> Context {
        let index = self.index();
        let mut inner = context.with(index, &soac.width);
        for (input, param) in soac.inputs.iter().zip(&soac.lambda.params) {
            let exp = Exp::Index { array: *input, at: vec![Operand::Var(index)], checked: false };
            inner.know(Stm { pat: vec![*param], exp, span });
        }
        inner
    }

    /// A map with parallelism inside: one thread for each cell, or distributed.
    fn versions(&mut self, inner: &Context, body: &Body, flat: Kernel, pat: &[Var], span: Span, out: &mut Vec<Stm>) {
        let deep: Vec<Var> = pat.iter().map(|var| self.like(*var, self.ty(*var).clone())).collect();
        let mut distributed = Vec::new();
        if !self.distribute(inner, body, &deep, span, &mut distributed) {
            return self.kernel(inner, flat, pat.to_vec(), span, out);
        }
        // Where there is nothing but maps in the map, or if the threads are certainly few, there is no choice.
        let threads = Size::product(&inner.sizes);
        let mut inside = body.stms.iter().filter(|stm| !cheap(&stm.exp));
        let maps = |stm: &Stm| matches!(&stm.exp, Exp::Soac(soac) if soac.scans.is_empty() && soac.reduces.is_empty());
        let single = inside.all(maps);
        let enough = self.program.tuning.get(Knob::Threads);
        let known = threads.as_constant().map(|n| n >= enough);
        let own = self.own_rows(inner, body);
        let bind = |deep: Vec<Var>, stms: Vec<Stm>, out: &mut Vec<Stm>| {
            let mut subst = Subst::default();
            deep.iter().zip(pat).for_each(|(deep, var)| {
                subst.operands.insert(*deep, Operand::Var(*var));
            });
            for mut stm in stms {
                stm.pat.iter_mut().for_each(|var| *var = subst.array(*var));
                subst.stm(&mut stm);
                out.push(stm);
            }
        };
        if single || own || known == Some(false) {
            return bind(deep, distributed, out);
        }
        if known == Some(true) {
            return self.kernel(inner, flat, pat.to_vec(), span, out);
        }
        let outer: Vec<Var> = pat.iter().map(|var| self.like(*var, self.ty(*var).clone())).collect();
        let mut sequential = Vec::new();
        self.kernel(inner, flat, outer.clone(), span, &mut sequential);
        let cond = self.enough(threads, span, out);
        let body = |stms: Vec<Stm>, vars: Vec<Var>| Body { stms, result: vars.into_iter().map(Operand::Var).collect() };
        let exp = Exp::If { cond, then: body(sequential, outer), els: body(distributed, deep) };
        out.push(Stm { pat: pat.to_vec(), exp, span });
    }
    /// Whether all that is parallel in a body goes over rows that no other thread reads, as in sums of rows: what takes the time is reading
    /// them once. Segmented operators do that with neighbours in neighbouring threads however many segments there are and however long (the
    /// host plan divides them when it launches them); a thread for each row would need a copy that lies the other way round. What several
    /// threads read, as in products of matrices, comes from caches where each thread goes over it by itself.
    fn own_rows(&self, inner: &Context, body: &Body) -> bool {
        let mut depends: FxHashMap<Var, FxHashSet<Var>> = inner.space.iter().map(|var| (*var, FxHashSet::from_iter([*var]))).collect();
        let mut all = true;
        for stm in inner.known.iter().chain(&body.stms) {
            let mut found = FxHashSet::default();
            mentioned(stm, &mut |var| found.extend(depends.get(&var).into_iter().flatten().copied()));
            if parallel(&stm.exp) {
                let own = |soac: &Soac| soac.inputs.iter().any(|var| depends.get(var).is_some_and(|on| on.len() == inner.space.len()));
                all = all && matches!(&stm.exp, Exp::Soac(soac) if own(soac) && !parallel_body(&soac.lambda.body));
            }
            stm.pat.iter().for_each(|var| {
                depends.insert(*var, found.clone());
            });
        }
        all
    }
    /// Whether there are enough threads.
    fn enough(&mut self, threads: Size, span: Span, out: &mut Vec<Stm>) -> Operand {
        let count = self.program.fresh(Symbol::new("threads"), Type::scalar(PrimType::I64));
        out.push(Stm { pat: vec![count], exp: Exp::Size(threads), span });
        let cond = self.program.fresh(Symbol::new("enough"), Type::scalar(PrimType::Bool));
        out.push(Stm {
            pat: vec![cond],
            exp: Exp::Scalar(
                ScalarOp::new(Op::Ge, PrimType::I64),
                vec![Operand::Var(count), Operand::int(self.program.tuning.get(Knob::Threads))],
            ),
            span,
        });
        Operand::Var(cond)
    }

    /// A soac whose operators must be apart from what they are given: first a map, then each scan and reduction by itself.
    fn split(&mut self, context: &Context, soac: &Soac, pat: &[Var], span: Span, out: &mut Vec<Stm>) -> bool {
        let combined = soac.combined();
        // If nothing is mapped but the inputs themselves, they are what is combined.
        let mut given: Vec<Var> = Vec::with_capacity(combined);
        let results = &soac.lambda.body.result;
        let plain = soac.lambda.body.stms.is_empty()
            && results.len() == combined
            && results.iter().all(|a| a.var().is_some_and(|var| soac.lambda.params.contains(&var)));
        let mut context = Cow::Borrowed(context);
        if plain {
            for result in results {
                match soac.lambda.params.iter().position(|param| Some(*param) == result.var()) {
                    Some(k) => given.push(soac.inputs[k]),
                    None => crate::ice!(span, "what is combined is no input"),
                }
            }
        } else {
            let lambda = soac.lambda.clone();
            let map = Soac { width: soac.width.clone(), inputs: soac.inputs.clone(), lambda, scans: Vec::new(), reduces: Vec::new() };
            let mut mapped = Vec::with_capacity(pat.len());
            for (k, result) in results.iter().enumerate() {
                if k >= combined {
                    mapped.push(pat[k]);
                    continue;
                }
                let cell = self.program.operand_ty(*result);
                if !context.regular_type(&cell) {
                    return false;
                }
                let frame: Vec<Size> = context.sizes.iter().chain([&soac.width]).cloned().collect();
                let array = self.program.fresh(Symbol::new("given"), cell.framed(&frame));
                mapped.push(array);
                if context.space.is_empty() {
                    given.push(array);
                } else {
                    let row = self.like(array, cell.framed(std::slice::from_ref(&soac.width)));
                    context.to_mut().know_cell(row, array, span);
                    given.push(row);
                }
            }
            if !self.nest(&context, &map, &mapped, span, out) {
                return false;
            }
        }
        for (operator, places) in placed(soac.operators()) {
            let scan = places.start < soac.scanned();
            let one = Combined { operator, scan, width: &soac.width, given: &given[places.clone()], pat: &pat[places], span };
            if !self.alone(&context, &one, out) {
                return false;
            }
        }
        true
    }

    /// One scan or reduction of arrays.
    fn alone(&mut self, context: &Context, one: &Combined, out: &mut Vec<Stm>) -> bool {
        let Combined { operator, scan, width, given, pat, span } = *one;
        let cells: Vec<Type> = operator.neutral.iter().map(|a| self.program.operand_ty(*a)).collect();
        if cells.iter().all(|cell| cell.rank() == 0) {
            let soac = self.identity(width, given, vec![operator.clone()], scan);
            return self.nest(context, &soac, pat, span, out);
        }
        match self.elementwise(operator) {
            Some((size, inner)) => self.interchanged(context, &size, inner, one, out),
            None if context.space.is_empty() => {
                let soac = self.identity(width, given, vec![operator.clone()], scan);
                self.one_by_one(soac, pat.to_vec(), span, out);
                true
            }
            None => false,
        }
    }
    /// A soac that scans or reduces arrays as they are.
    fn identity(&mut self, width: &Size, given: &[Var], operators: Vec<Operator>, scan: bool) -> Soac {
        let params: Vec<Var> = given.iter().map(|var| self.like(*var, self.ty(*var).cell(1))).collect();
        let result = params.iter().map(|var| Operand::Var(*var)).collect();
        let lambda = Lambda { params, body: Body { stms: Vec::new(), result } };
        let (scans, reduces) = if scan { (operators, Vec::new()) } else { (Vec::new(), operators) };
        Soac { width: width.clone(), inputs: given.to_vec(), lambda, scans, reduces }
    }

    /// An operator on arrays that combines their elements (or rows), one by one: how many there are, and the operator on them.
    fn elementwise(&self, operator: &Operator) -> Option<(Size, Operator)> {
        let soac = operator.as_map()?;
        // Each parameter of the operator is an input, once.
        let mut params = Vec::with_capacity(soac.inputs.len());
        for param in &operator.lambda.params {
            let k = soac.inputs.iter().position(|input| input == param)?;
            params.push(soac.lambda.params[k]);
        }
        if soac.inputs.len() != params.len() {
            return None;
        }
        let neutral: Option<Vec<Operand>> = operator.neutral.iter().map(|a| self.all_of(*a)).collect();
        let lambda = Lambda { params, body: soac.lambda.body.clone() };
        Some((soac.width.clone(), Operator { lambda, neutral: neutral?, commutative: operator.commutative }))
    }
    /// The scalar that an array consists of, one dimension less, if that is certain.
    fn all_of(&self, operand: Operand) -> Option<Operand> {
        let var = operand.var()?;
        self.reps.get(&var).copied().filter(|a| self.program.operand_ty(*a).rank() == 0 && self.ty(var).rank() == 1)
    }

    /// A reduction with an operator on elements: a map over the elements of reductions.
    fn interchanged(&mut self, context: &Context, size: &Size, inner: Operator, one: &Combined, out: &mut Vec<Stm>) -> bool {
        let Combined { scan, width, given, pat, span, .. } = *one;
        if !context.regular(size) {
            return false;
        }
        let mut context = context.clone();
        let mut turned = Vec::with_capacity(given.len());
        for array in given {
            let ty = self.ty(*array).clone();
            let mut perm: Vec<usize> = (0..ty.rank()).collect();
            perm.swap(0, 1);
            let shape = perm.iter().map(|k| ty.shape[*k].clone()).collect();
            let view = self.like(*array, Type { elem: ty.elem, shape });
            let stm = Stm { pat: vec![view], exp: Exp::Rearrange { array: *array, perm }, span };
            if context.space.is_empty() {
                out.push(stm)
            } else {
                context.know(stm)
            }
            turned.push(view);
        }
        let params: Vec<Var> = turned.iter().map(|var| self.like(*var, self.ty(*var).cell(1))).collect();
        let one = self.identity(width, &params, vec![inner], scan);
        let sums: Vec<Var> = one
            .lambda
            .body
            .result
            .iter()
            .map(|a| {
                let cell = self.program.operand_ty(*a);
                let ty = if scan { cell.framed(std::slice::from_ref(width)) } else { cell };
                self.program.fresh(Symbol::new("sum"), ty)
            })
            .collect();
        let result = sums.iter().map(|var| Operand::Var(*var)).collect();
        let body = Body { stms: vec![Stm { pat: sums, exp: Exp::Soac(one), span }], result };
        let map = Soac { width: size.clone(), inputs: turned, lambda: Lambda { params, body }, scans: Vec::new(), reduces: Vec::new() };
        if !scan {
            return self.nest(&context, &map, pat, span, out);
        }
        // Scans come out the wrong way round.
        let depth = context.space.len();
        let mut made = Vec::with_capacity(pat.len());
        for var in pat {
            let ty = self.ty(*var).clone();
            let mut shape = ty.shape.clone();
            shape.swap(depth, depth + 1);
            made.push(self.like(*var, Type { elem: ty.elem, shape }));
        }
        if !self.nest(&context, &map, &made, span, out) {
            return false;
        }
        for (var, array) in pat.iter().zip(made) {
            let mut perm: Vec<usize> = (0..self.ty(*var).rank()).collect();
            perm.swap(depth, depth + mutated!(ScansNotTurnedBack, 1, 0));
            out.push(Stm { pat: vec![*var], exp: Exp::Rearrange { array, perm }, span });
        }
        true
    }

    /// A reduction or scan on the host: a loop in which each cell is combined by kernels.
    pub(super) fn one_by_one(&mut self, soac: Soac, pat: Vec<Var>, span: Span, out: &mut Vec<Stm>) {
        let (scanned, combined) = (soac.scanned(), soac.combined());
        let i = self.index();
        let mut stms = Vec::new();
        for (input, param) in soac.inputs.iter().zip(&soac.lambda.params) {
            let exp = Exp::Index { array: *input, at: vec![Operand::Var(i)], checked: false };
            stms.push(Stm { pat: vec![*param], exp, span });
        }
        stms.extend(soac.lambda.body.stms);
        // The loop carries the sums and the arrays that are filled.
        let (mut params, mut results, mut finals) = (Vec::new(), Vec::new(), vec![None; pat.len()]);
        let mut filled: Vec<(usize, Operand)> = Vec::new();
        for (operator, places) in placed(soac.scans.iter().chain(&soac.reduces)) {
            let at = places.start;
            let mut subst = Subst::default();
            let (left, right) = operator.lambda.params.split_at(operator.neutral.len());
            let (left, right) = mutated!(OneByOneTurned, (left, right), (right, left));
            for (j, (a, b)) in left.iter().zip(right).enumerate() {
                let sum = self.like(*a, self.ty(*a).clone());
                params.push((sum, operator.neutral[j]));
                subst.operands.insert(*a, Operand::Var(sum));
                subst.operands.insert(*b, soac.lambda.body.result[at + j]);
            }
            let body = fresh_body(&mut self.program, &operator.lambda.body, &mut subst);
            stms.extend(body.stms);
            for (j, result) in body.result.into_iter().enumerate() {
                if at < scanned {
                    filled.push((at + j, result));
                } else {
                    finals[at + j] = Some(params.len() - operator.neutral.len() + j);
                }
                results.push(result);
            }
        }
        filled.extend(soac.lambda.body.result.iter().copied().enumerate().skip(combined));
        let mut zeros = Vec::new();
        for (k, value) in filled {
            let ty = self.ty(pat[k]).clone();
            let empty = self.like(pat[k], ty.clone());
            zeros.push(Stm { pat: vec![empty], exp: Exp::Rep(Operand::Const(Scalar::from_i128(ty.elem, 0))), span });
            let (array, next) = (self.like(pat[k], ty.clone()), self.like(pat[k], ty));
            let exp = Exp::Update { array, at: vec![Operand::Var(i)], value, checked: false };
            stms.push(Stm { pat: vec![next], exp, span });
            finals[k] = Some(params.len());
            params.push((array, Operand::Var(empty)));
            results.push(Operand::Var(next));
        }
        out.extend(zeros);
        let count = self.program.fresh(Symbol::new("count"), Type::scalar(PrimType::I64));
        out.push(Stm { pat: vec![count], exp: Exp::Size(soac.width), span });
        // Sums that nobody asked for are dropped.
        let bound: Vec<Var> = params
            .iter()
            .enumerate()
            .map(|(k, (var, _))| {
                let wanted = finals.iter().position(|f| *f == Some(k));
                wanted.map_or_else(|| self.like(*var, self.ty(*var).clone()), |k| pat[k])
            })
            .collect();
        let body = self.host_body(Body { stms, result: results });
        let exp = Exp::Loop { params, form: LoopForm::For(i, Operand::Var(count)), body };
        out.push(Stm { pat: bound, exp, span });
    }
}
