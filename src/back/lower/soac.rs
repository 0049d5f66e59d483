//! Maps, reductions and scans, as sequential loops; `chunks` has the parallel ones.

use super::chunks::Partial;
use super::destinations::Overlap;
use super::{Array, Loc, Lower, Mem, SharedSum, Site};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Span};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Local, Order, Place, Scan, Stmt};
use crate::ir::profile::{CopyReason, SequentialReason};
use crate::ir::soac::visit::{Part, mentioned};
use crate::ir::soac::{Body, Exp, Operand, Operator, Program, Soac, Type, Var, count_exp, placed, single_exp, view_exp};
use std::ops::Range;

/// A loop of fewer operations is not divided among threads.
const TINY: u64 = 4096;
/// A loop with more iterations than this has one for each thread of any machine.
const MOST_THREADS: i64 = 256;
/// A loop of this many iterations or fewer is not divided where it is inside of another one.
const DIVIDED_WIDTH: i64 = 1024;
/// How many iterations a loop of unknown length is taken to have.
const UNKNOWN_ITERATIONS: u64 = 64;

/// What an operator collects in.
pub(super) enum Collected {
    /// A scalar.
    Scalar(Local),
    /// An array, and the buffer for the next one unless it is updated in place. The two pointers are swapped.
    Array(Mem, Option<Mem>),
}

/// Where the elements of a mapped result go.
#[derive(Clone)]
pub(super) enum Out<'p> {
    /// Nowhere: it is collected.
    Nowhere,
    /// Into an array.
    Place(Mem),
    /// Each is combined with the element that is there.
    Add(Mem, &'p Operator),
}

impl Out<'_> {
    fn mem(&self) -> Option<&Mem> {
        if let Out::Place(mem) = self { Some(mem) } else { None }
    }
}

/// The operator on elements that an operator on vectors consists of.
fn elementwise<'p>(program: &Program, operator: &'p Operator) -> Option<&'p Soac> {
    let ([neutral], [a, b]) = (operator.neutral.as_slice(), operator.lambda.params.as_slice()) else { return None };
    let each = operator.as_map()?;
    let vectors = program.operand_ty(*neutral).rank() == 1;
    let both = each.inputs == [*a, *b] || each.inputs == [*b, *a];
    let simple = each.lambda.body.stms.iter().all(|stm| matches!(stm.exp, Exp::Scalar(..) | Exp::Copy(_)) && !stm.exp.may_fail());
    (vectors && both && simple).then_some(each)
}

impl<'p> Lower<'_, 'p> {
    pub(super) fn soac(&mut self, soac: &'p Soac, pat: &[Var], span: Span) {
        let width = self.size(&soac.width);
        let width = self.atom("width", width);
        let scanned = soac.scanned();
        // Memory of what is returned as arrays of this width.
        let mut outs = Vec::with_capacity(pat.len());
        for (k, &var) in pat.iter().enumerate() {
            let collected = (scanned..soac.combined()).contains(&k);
            outs.push(match self.shared.arrays.remove(&var) {
                _ if collected => Out::Nowhere,
                Some((mem, operator)) => Out::Add(mem, operator),
                None => Out::Place(self.alloc_var(var, span)),
            });
        }
        self.note_product(soac);
        let cost = cost(&soac.lambda.body);
        let tiny = width.as_int().is_some_and(|n| (n.max(0) as u64).saturating_mul(cost) < TINY);
        let scalar_scans = soac.scans.iter().all(|op| self.is_scalar(op));
        let ordered = soac.operators().any(|op| self.ordered(op));
        let sequential = !self.options.device && self.program.is_outer_sequential(span);
        if self.is_parallel() && !tiny && scalar_scans && !ordered && !sequential {
            if has_parallel(&soac.lambda.body) && soac.scans.is_empty() && soac.reduces.is_empty() {
                self.two_versions(soac, width, cost, &outs, span);
            } else {
                self.soac_in_chunks(soac, width, cost, &outs, pat, span);
            }
        } else {
            self.alone(match (tiny, scalar_scans, ordered) {
                (true, ..) => SequentialReason::Few,
                (_, false, _) => SequentialReason::ArraysScanned,
                (_, _, true) => SequentialReason::Strict,
                (false, true, false) => SequentialReason::Attribute,
            });
            let site = if tiny { Site::Sequential } else { self.site };
            let sums = self.at_site(site, |this| {
                let sums = match this.shared_sum(soac, pat) {
                    Some(sum) => vec![Collected::Scalar(sum)],
                    None => this.start(soac.operators(), span),
                };
                this.soac_loop(soac, Expr::int(0), width, &outs, &sums, span);
                sums
            });
            self.bind_sums(soac, sums, pat);
        }
        for (&var, out) in pat.iter().zip(outs) {
            match out {
                Out::Nowhere => {}
                Out::Place(mem) => self.bind_mem(var, mem),
                Out::Add(mem, _) => {
                    self.shared.done.insert(var);
                    self.locs.insert(var, Loc::Array(Array::Mem(mem)));
                }
            }
        }
    }

    /// Whether cells must be combined in order: sums of floats depend on it, and strict results are the evaluator's to the last bit.
    pub(super) fn ordered(&self, operator: &Operator) -> bool {
        let floats = operator.neutral.iter().any(|a| self.program.operand_ty(*a).elem.is_inexact());
        let choice = matches!(simple(operator), Some(ScalarOp { op: Op::Min | Op::Max, .. }));
        self.options.strict && floats && !choice
    }
    /// Whether an operator combines scalars.
    pub(super) fn is_scalar(&self, operator: &Operator) -> bool {
        operator.neutral.iter().all(|a| self.program.operand_ty(*a).rank() == 0)
    }

    /// The accumulator of an enclosing reduction, if an inner one may use it: all that is done with the inner result is to add it there.
    fn shared_sum(&mut self, soac: &Soac, pat: &[Var]) -> Option<Local> {
        let ([var], [operator], false) = (pat, soac.reduces.as_slice(), self.is_parallel()) else { return None };
        let SharedSum { local, op, neutral } = self.shared.sums.remove(var)?;
        let same = mutated!(SharedSumAnyNeutral, simple(operator) == Some(op) && operator.neutral.as_slice() == [neutral], true)
            && soac.scans.is_empty();
        same.then(|| {
            self.shared.done.insert(*var);
            local
        })
    }
    /// Lets a reduction in a lambda use the accumulator of the reduction around it.
    fn share_sums(&mut self, soac: &Soac, sums: &[Collected]) {
        for (operator, places) in placed(soac.operators()).skip(soac.scans.len()) {
            let at = places.start;
            let result = soac.lambda.body.result[at].var();
            let uses = soac.lambda.body.result.iter().filter(|a| a.var() == result).count();
            if let (Some(op), &[neutral @ Operand::Const(_)], &Collected::Scalar(local), Some(var)) =
                (simple(operator), operator.neutral.as_slice(), &sums[at], result)
                && !self.ordered(operator)
                && uses == 1
                && let Some((last, before)) = soac.lambda.body.stms.split_last()
                && last.pat.as_slice() == [var]
                && !before.iter().any(|stm| stm.pat.contains(&var))
            {
                self.shared.sums.insert(var, SharedSum { local, op, neutral });
            }
        }
    }

    /// Lets a map in a lambda whose result is added to an accumulated array add each element as it is computed.
    fn share_arrays(&mut self, soac: &'p Soac, sums: &[Collected]) {
        for (operator, places) in placed(soac.operators()).skip(soac.scans.len()) {
            let at = places.start;
            if let (Collected::Array(current, None), Some(var)) = (&sums[at], soac.lambda.body.result[at].var())
                && made_once(&soac.lambda.body, var)
            {
                self.shared.arrays.insert(var, (current.clone(), operator));
            }
        }
    }
    /// Combines an element of an array with a value.
    fn add(&mut self, operator: &'p Operator, array: &Mem, i: &Expr, value: Expr) {
        let Some(each) = elementwise(self.program, operator) else {
            crate::ice!(Span::default(), "an operator that is applied to elements does not consist of one on elements")
        };
        let elem = self.program.operand_ty(operator.neutral[0]).elem;
        let old = self.element(&Array::Mem(array.clone()), std::slice::from_ref(i), elem);
        for (input, param) in each.inputs.iter().zip(&each.lambda.params) {
            let value = if *input == operator.lambda.params[0] { old.clone() } else { value.clone() };
            self.set_scalar(*param, value);
        }
        let Some(Loc::Scalar(e)) = self.body(&each.lambda.body, &[]).into_iter().next() else {
            crate::ice!(Span::default(), "an operator on elements has no scalar as result")
        };
        let at = self.at(array, std::slice::from_ref(i));
        self.emit(Stmt::Store(array.ptr, at, e));
    }

    /// A parallel loop, and where it has fewer iterations than there are threads a sequential one with parallel loops inside.
    fn two_versions(&mut self, soac: &'p Soac, width: Expr, cost: u64, outs: &[Out<'p>], span: Span) {
        // Copies are made for each chunk.
        let at_most_threads = self.nest_in(soac).is_some();
        let (outer, ()) = self.block(|this| {
            this.parallel(width.clone(), cost, at_most_threads, &mut |this, lo, hi, _| this.soac_loop(soac, lo, hi, outs, &[], span));
        });
        if width.as_int().is_some_and(|n| n > MOST_THREADS) {
            self.out.code.extend(outer);
            return;
        }
        let (inner, ()) = self.block(|this| this.soac_loop(soac, Expr::int(0), width.clone(), outs, &[], span));
        self.emit(Stmt::If(width.less(Expr::Threads), inner, outer));
    }

    /// Accumulators for operators, set to the neutral elements.
    pub(super) fn start<'o>(&mut self, operators: impl IntoIterator<Item = &'o Operator>, span: Span) -> Vec<Collected> {
        let operators: Vec<&Operator> = operators.into_iter().collect();
        let neutral = operators.iter().flat_map(|op| &op.neutral).map(|operand| self.loc(*operand)).collect();
        self.start_with(operators, neutral, span)
    }
    /// Accumulators for operators, set to given values.
    pub(super) fn start_with<'o>(
        &mut self,
        operators: impl IntoIterator<Item = &'o Operator>,
        first: Vec<Loc>,
        span: Span,
    ) -> Vec<Collected> {
        let program = self.program;
        let types: Vec<(Type, bool)> = operators
            .into_iter()
            .flat_map(|op| {
                let over = elementwise(program, op).is_some();
                op.neutral.iter().map(move |operand| (program.operand_ty(*operand), over))
            })
            .collect();
        let mut out = Vec::with_capacity(types.len());
        for ((ty, over), first) in types.into_iter().zip(first) {
            out.push(match first {
                Loc::Scalar(e) => {
                    let local = self.local("sum", ty.elem);
                    self.emit(Stmt::Set(local, e));
                    Collected::Scalar(local)
                }
                Loc::Array(first) => {
                    let name = crate::base::Symbol::new("sum");
                    let current = self.alloc(name, &ty, span);
                    if over {
                        self.copy_into(&current, &ty.shape, &first, CopyReason::Collected);
                        out.push(Collected::Array(current, None));
                        continue;
                    }
                    let buffers = [current, self.alloc(name, &ty, span)];
                    self.copy_into(&buffers[0], &ty.shape, &first, CopyReason::Collected);
                    // Separate pointers, which are swapped.
                    let [current, next] = buffers.map(|mem| {
                        let ptr = self.ptr(name, ty.elem, None);
                        self.emit(Stmt::Point(ptr, Place::Ptr(mem.ptr, mem.offset.clone())));
                        Mem { ptr, offset: Expr::int(0), ..mem }
                    });
                    Collected::Array(current, Some(next))
                }
            });
        }
        out
    }
    /// Combines the sums with new values.
    pub(super) fn combine(&mut self, operator: &'p Operator, sums: &[Collected], values: &[Loc]) {
        let count = sums.len();
        if let ([Collected::Array(current, None)], [Loc::Array(value)]) = (sums, values) {
            return self.add_all(operator, current, value);
        }
        let (left, right) = operator.lambda.params.split_at(count);
        for ((sum, value), (a, b)) in sums.iter().zip(values).zip(left.iter().zip(right)) {
            let loc = match sum {
                Collected::Scalar(local) => Loc::Scalar(Expr::Local(*local)),
                Collected::Array(current, _) => Loc::Array(Array::Mem(current.clone())),
            };
            self.locs.insert(*a, loc);
            self.locs.insert(*b, value.clone());
        }
        let dests: Vec<Option<Mem>> =
            sums.iter().map(|sum| if let Collected::Array(_, next) = sum { next.clone() } else { None }).collect();
        let results = self.body(&operator.lambda.body, &dests);
        // All new values are computed before an old one is replaced.
        let mut new = Vec::with_capacity(results.len());
        for (sum, result) in sums.iter().zip(results) {
            match (sum, result) {
                (Collected::Scalar(local), Loc::Scalar(e)) => {
                    let e = if mutated!(SumsOneAfterOther, count == 1 || matches!(e, Expr::Const(_)), true) {
                        e
                    } else {
                        let copy = self.local("new", self.out.locals[*local].prim);
                        self.emit(Stmt::Set(copy, e));
                        Expr::Local(copy)
                    };
                    new.push((*local, e));
                }
                // The body wrote it to its destination.
                (Collected::Array(..), Loc::Array(_)) => {}
                (Collected::Scalar(_), Loc::Array(_)) | (Collected::Array(..), Loc::Scalar(_)) => {
                    crate::ice!(Span::default(), "a sum and the new value are not of the same rank")
                }
            }
        }
        new.into_iter().for_each(|(local, e)| self.emit(Stmt::Set(local, e)));
        for sum in sums {
            if let Collected::Array(current, Some(next)) = sum {
                let swap = self.ptr(crate::base::Symbol::new("swap"), self.out.ptrs[current.ptr].elem, None);
                self.emit(Stmt::Point(swap, Place::Ptr(current.ptr, Expr::int(0))));
                self.emit(Stmt::Point(current.ptr, Place::Ptr(mutated!(SumsWithoutSwap, next.ptr, current.ptr), Expr::int(0))));
                self.emit(Stmt::Point(next.ptr, Place::Ptr(swap, Expr::int(0))));
            }
        }
    }
    /// Combines an array with the elements of another.
    fn add_all(&mut self, operator: &'p Operator, current: &Mem, value: &Array) {
        let ty = self.program.operand_ty(operator.neutral[0]);
        let width = self.size(&ty.shape[0]);
        let width = self.atom("width", width);
        let j = self.local("j", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let value = this.element(value, &[Expr::Local(j)], ty.elem);
            this.add(operator, current, &Expr::Local(j), value);
        });
        self.emit(Stmt::For { var: j, from: Expr::int(0), to: width, order: Order::Any, body });
    }
    fn bind_sums(&mut self, soac: &'p Soac, sums: Vec<Collected>, pat: &[Var]) {
        let scanned = soac.scanned();
        let sums: Vec<Collected> = sums.into_iter().skip(scanned).collect();
        self.bind_collected(sums, &pat[scanned..]);
    }
    pub(super) fn bind_collected(&mut self, sums: Vec<Collected>, pat: &[Var]) {
        for (sum, &var) in sums.into_iter().zip(pat) {
            match sum {
                Collected::Scalar(local) => {
                    self.locs.insert(var, Loc::Scalar(Expr::Local(local)));
                }
                Collected::Array(current, next) => {
                    let keep: Vec<_> = current.keep.iter().chain(next.iter().flat_map(|next| next.keep.iter())).copied().collect();
                    let mem = Mem { keep: keep.into(), ..current };
                    let mem = match self.destinations.mems.get(&var).cloned() {
                        Some(dest) => {
                            self.copy_into(&dest, &self.program.ty(var).shape, &Array::Mem(mem), CopyReason::Moved);
                            dest
                        }
                        None => mem,
                    };
                    self.bind_mem(var, mem);
                }
            }
        }
    }

    /// How the iterations of a loop that collects depend on each other.
    pub(super) fn order<'o>(&self, operators: impl Iterator<Item = &'o Operator>, sums: &[Collected]) -> Order {
        let mut out = Vec::new();
        for (operator, places) in placed(operators) {
            let [Collected::Scalar(local)] = &sums[places] else { return Order::Sequential };
            match simple(operator) {
                Some(op) if !(self.options.strict && op.prim.is_inexact()) => out.push((*local, op)),
                _ => return Order::Sequential,
            }
        }
        if out.is_empty() { Order::Any } else { Order::Reduce(out) }
    }

    /// What a scan collects, if it is bound by the latency of floating-point operations, and its iterations consist otherwise of what vector
    /// registers can do.
    fn vector_scan(&self, soac: &Soac, sums: &[Collected], cell: &[Stmt], done: &[Stmt]) -> Option<Vec<(Local, ScalarOp)>> {
        let (false, true) = (soac.scans.is_empty(), soac.reduces.is_empty()) else { return None };
        let Order::Reduce(sums) = self.order(soac.scans.iter(), sums) else { return None };
        let waits = |op: &ScalarOp| matches!(op.prim, PrimType::F32 | PrimType::F64 | PrimType::C64 | PrimType::C128);
        let plain =
            |list: &[Stmt]| list.iter().all(|stmt| matches!(stmt, Stmt::Comment(_) | Stmt::Ghost(_) | Stmt::Set(..) | Stmt::Store(..)));
        let mut apart = true;
        visit::stmts(done, &mut |mention| {
            if let Mention::Read(local) = mention {
                let set = cell.iter().any(|stmt| matches!(stmt, Stmt::Set(set, _) if *set == local));
                apart = apart && (!set || sums.iter().any(|(sum, _)| *sum == local));
            }
        });
        (apart && sums.iter().all(|(_, op)| waits(op)) && plain(cell) && plain(done)).then_some(sums)
    }

    /// Whether an array is in just this memory.
    fn is_in(&self, array: Var, place: &Mem) -> bool {
        matches!(self.locs.get(&array), Some(Loc::Array(Array::Mem(mem))) if super::same_place(mem, place))
    }
    /// The results of the lambda for one cell.
    pub(super) fn lambda(&mut self, soac: &'p Soac, i: Expr, dests: &[Option<Mem>]) -> Vec<Loc> {
        self.bind_cells(&soac.inputs, &soac.lambda.params, &i);
        self.body(&soac.lambda.body, dests)
    }
    /// Binds parameters to the cells with this number.
    pub(super) fn bind_cells(&mut self, inputs: &[Var], params: &[Var], i: &Expr) {
        for (input, param) in inputs.iter().zip(params) {
            let array = self.array(*input);
            match self.cell(&array, std::slice::from_ref(i), self.program.ty(*input)) {
                Loc::Scalar(e) => {
                    self.ghost_read(*input, &e);
                    self.set_scalar(*param, e);
                }
                cell => {
                    self.locs.insert(*param, cell);
                    self.ghost_of(*param, *input);
                }
            }
        }
    }

    /// The iterations from `lo` to `hi`, one after the other.
    pub(super) fn soac_loop(&mut self, soac: &'p Soac, lo: Expr, hi: Expr, outs: &[Out<'p>], sums: &[Collected], span: Span) {
        let places: Vec<Mem> = outs.iter().filter_map(|out| out.mem().cloned()).collect();
        if places.len() == outs.len() && sums.is_empty() && !self.is_parallel() && !self.options.device {
            if let Some(nest) = self.nest_of(soac) {
                return self.interchanged(nest, lo, hi, places, span);
            }
            if self.tiled(soac, lo.clone(), hi.clone(), &places, span) {
                return;
            }
        }
        self.plain_loop(soac, lo..hi, outs, sums);
    }
    /// `soac_loop` whatever its body is.
    pub(super) fn plain_loop(&mut self, soac: &'p Soac, cells: Range<Expr>, outs: &[Out<'p>], sums: &[Collected]) {
        let var = self.local("i", PrimType::I64);
        let scanned = soac.scanned();
        let order = if soac.scans.is_empty() { self.order(soac.reduces.iter(), sums) } else { Order::Sequential };
        let (cell, done) = self.scoped_block(|this| {
            let i = Expr::Local(var);
            this.bind_cells(&soac.inputs, &soac.lambda.params, &i);
            // Arrays that each iteration makes are made at their destinations.
            let mut dests = Vec::with_capacity(outs.len());
            let mut overlap = Overlap::None;
            for (k, (out, operand)) in outs.iter().zip(&soac.lambda.body.result).enumerate() {
                let rank = this.program.operand_ty(*operand).rank();
                let over = out.mem().and_then(|out| soac.inputs.iter().position(|input| this.is_in(*input, out)));
                if over.is_some() {
                    overlap = Overlap::Inputs;
                }
                let dest = match out.mem() {
                    // A destination that holds a cell of an input.
                    Some(_)
                        if rank > 0
                            && let Some(k) = over =>
                    {
                        super::destinations::cell_of(this.locs.get(&soac.lambda.params[k]))
                    }
                    Some(mem) if rank > 0 && k >= scanned => {
                        let offset = this.at(mem, std::slice::from_ref(&i));
                        let offset = this.atom("row", offset);
                        Some(Mem { ptr: mem.ptr, offset, strides: mem.strides[1..].into(), keep: [].into() })
                    }
                    _ => None,
                };
                dests.push(dest);
            }
            this.share_sums(soac, sums);
            this.share_arrays(soac, sums);
            let results = this.body_with(&soac.lambda.body, &dests, overlap);
            for var in soac.lambda.body.result.iter().filter_map(|a| a.var()) {
                this.shared.sums.remove(&var);
                this.shared.arrays.remove(&var);
            }
            for (operator, places) in placed(soac.operators()) {
                let var = soac.lambda.body.result[places.start].var();
                if var.is_none_or(|var| !this.shared.done.remove(&var)) {
                    this.combine(operator, &sums[places.clone()], &results[places]);
                }
            }
            for (k, result) in results.iter().enumerate().skip(soac.combined()) {
                match (result, &outs[k]) {
                    (Loc::Scalar(e), Out::Place(out)) => {
                        let position = this.at(out, std::slice::from_ref(&i));
                        this.emit(Stmt::Store(out.ptr, position, e.clone()));
                    }
                    (Loc::Scalar(e), Out::Add(out, operator)) => this.add(operator, out, &i, e.clone()),
                    (Loc::Array(_), _) | (_, Out::Nowhere) => {}
                }
            }
            let (done, ()) = this.block(|this| {
                for (k, (sum, out)) in sums.iter().zip(outs).enumerate().take(scanned) {
                    if let Out::Place(out) = out {
                        let ty = this.program.operand_ty(soac.lambda.body.result[k]);
                        this.store_partial(sum, &Partial { mem: out.clone(), ty }, &i);
                    }
                }
            });
            done
        });
        if let Some(sums) = self.vector_scan(soac, sums, &cell, &done) {
            self.emit(Stmt::Scan(Box::new(Scan { var, from: cells.start, to: cells.end, sums, cell, done })));
            return;
        }
        let body = cell.into_iter().chain(done).collect();
        self.emit(Stmt::For { var, from: cells.start, to: cells.end, order, body });
    }
}

/// The operation that an operator consists of, if it is a single commutative and associative one.
pub(super) fn simple(operator: &Operator) -> Option<ScalarOp> {
    let ([stm], [a, b]) = (operator.lambda.body.stms.as_slice(), operator.lambda.params.as_slice()) else { return None };
    let Exp::Scalar(op, args) = &stm.exp else { return None };
    let both = *args == [Operand::Var(*a), Operand::Var(*b)] || *args == [Operand::Var(*b), Operand::Var(*a)];
    let fits = matches!(op.op, Op::Add | Op::Mul | Op::Min | Op::Max | Op::And | Op::Or | Op::Xor) && op.prim != PrimType::F16;
    // Nothing is neutral beside every complex number in a product: 1 makes a NaN of an infinity beside 0.
    let fits = fits && !(op.op == Op::Mul && op.prim.is_complex());
    let returned = operator.lambda.body.result.first().and_then(|a| a.var()) == stm.pat.first().copied();
    (both && fits && returned).then_some(*op)
}

/// Whether a body makes an array by a map, and then only returns it.
fn made_once(body: &Body, var: Var) -> bool {
    let maps = body.stms.iter().any(|stm| {
        let Exp::Soac(soac) = &stm.exp else { return false };
        let collected = soac.combined();
        stm.pat[collected.min(stm.pat.len())..].contains(&var)
    });
    let mut elsewhere = false;
    body.stms.iter().for_each(|stm| mentioned(stm, &mut |other| elsewhere = elsewhere || other == var));
    maps && !elsewhere && body.result.iter().filter(|a| a.var() == Some(var)).count() == 1
}

/// Whether a body contains loops that are divided among threads where they are not inside of one that is: scatters write in order.
fn has_parallel(body: &Body) -> bool {
    body.stms.iter().any(|stm| match &stm.exp {
        Exp::Soac(soac) => soac.width.as_constant().is_none_or(|n| n > DIVIDED_WIDTH),
        Exp::Filter { .. } | Exp::Rows { .. } | Exp::Hist { .. } => true,
        Exp::If { .. } | Exp::Loop { .. } => {
            let mut inner = false;
            stm.exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    inner = inner || has_parallel(body);
                }
            });
            inner
        }
        Exp::Seg(_) | Exp::Scatter { .. } | Exp::Check(_) | Exp::Call(..) | single_exp!() => false,
    })
}

/// About how many operations a body takes; loops of unknown length count as [`UNKNOWN_ITERATIONS`].
pub(super) fn cost(body: &Body) -> u64 {
    body.stms.iter().fold(1u64, |sum, stm| {
        let mut inner = 0u64;
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                inner = inner.saturating_add(cost(body));
            }
        });
        let here = match &stm.exp {
            Exp::Soac(soac) => inner.saturating_mul(soac.width.as_constant().map_or(UNKNOWN_ITERATIONS, |n| n.max(1) as u64)),
            Exp::Filter { .. } | Exp::Rows { .. } | Exp::Scatter { .. } | Exp::Hist { .. } | Exp::Loop { .. } => {
                inner.saturating_mul(UNKNOWN_ITERATIONS)
            }
            Exp::Concat(_) | Exp::Rotate { .. } | Exp::Call(..) => UNKNOWN_ITERATIONS,
            Exp::Copy(Operand::Var(_)) => 2,
            Exp::Scalar(op, _) => op.cost().work,
            Exp::Copy(_)
            | Exp::Size(_)
            | Exp::Literal(_)
            | Exp::Stack(_)
            | Exp::Index { .. }
            | Exp::Rep(_)
            | Exp::Iota { .. }
            | Exp::Update { .. }
            | Exp::UpdateSlice { .. }
            | Exp::Check(_)
            | Exp::Seg(_)
            | Exp::If { .. }
            | view_exp!()
            | count_exp!() => inner.max(1),
        };
        sum.saturating_add(here)
    })
}
