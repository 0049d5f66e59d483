//! Statements without bodies: scalars, checks, sizes of ranges and slices, views.

use super::memory::in_bounds;
use super::{Array, Cells, Loc, Lower, Site, same_place};
use crate::base::mutation::mutated;
use crate::base::scalar::{Condition, Op, ScalarOp};
use crate::base::{Code, MAX_SIZE, PrimType, Scalar, Span, Symbol};
use crate::ir::imp::{Arg, Expr, Failure, Int, Place, Receiver, Stmt, Table};
use crate::ir::profile::CopyReason;
use crate::ir::soac::{Check, Exp, Operand, RangeKind, Size, Stm, Type, Var, parallel_exp, single_exp};

impl<'p> Lower<'_, 'p> {
    pub(super) fn stm(&mut self, stm: &'p Stm) {
        self.ghosts_before(stm);
        // A device has no other way to run what is not in kernels.
        let sequential = !self.options.device && self.program.is_sequential(stm.span);
        let site = if sequential { Site::Sequential } else { self.site };
        let begun = self.begin(stm);
        self.at_site(site, |this| this.exp(stm));
        self.end(begun);
        self.ghosts_after(stm);
    }
    fn exp(&mut self, stm: &'p Stm) {
        let span = stm.span;
        match &stm.exp {
            Exp::Check(check) => self.check(check, span),
            Exp::Soac(soac) => self.soac(soac, &stm.pat, span),
            Exp::Seg(seg) => self.seg(seg, &stm.pat, span),
            Exp::Filter { width, inputs, lambda } => self.filter(width, Cells { inputs, lambda, span }, &stm.pat),
            Exp::Rows { width, inputs, lambda } => self.ragged(width, Cells { inputs, lambda, span }, &stm.pat),
            Exp::Scatter { width, inputs, lambda, dests } => self.scatter(width, Cells { inputs, lambda, span }, dests, &stm.pat),
            Exp::Hist { width, inputs, lambda, dests, operator } => {
                self.hist(width, Cells { inputs, lambda, span }, dests, operator, &stm.pat);
            }
            Exp::If { cond, then, els } => self.conditional(*cond, then, els, &stm.pat, span),
            Exp::Loop { params, form, body } => self.looping(params, form, body, &stm.pat, span),
            Exp::Call(fun, args) => self.call(*fun, args, &stm.pat, span),
            exp @ (single_exp!()) => {
                let [var] = stm.pat.as_slice() else {
                    crate::ice!(span, "an expression with one value is bound to {} variables", stm.pat.len())
                };
                self.single(*var, exp, span);
            }
        }
    }

    pub(super) fn ty(&self, var: Var) -> &'p Type {
        self.program.ty(var)
    }

    fn single(&mut self, var: Var, exp: &'p Exp, span: Span) {
        let ty = self.ty(var);
        match exp {
            Exp::Copy(a) => match self.loc(*a) {
                Loc::Scalar(e) => self.set_scalar(var, e),
                Loc::Array(array) => {
                    let mem = self.alloc_var(var, span);
                    if !matches!(&array, Array::Mem(from) if same_place(from, &mem)) {
                        let why = self.why_copied(a.var(), span);
                        self.copy_into(&mem, &ty.shape, &array, why);
                    }
                    self.bind_mem(var, mem);
                }
            },
            Exp::Scalar(op, args) => {
                let args: Vec<Expr> = args.iter().map(|a| self.int(*a)).collect();
                self.check_op(*op, &args, span);
                self.set_scalar(var, Expr::Op(*op, args));
            }
            Exp::Size(size) => {
                let e = self.size(size);
                self.set_scalar(var, e);
            }
            Exp::Literal(items) => {
                let ptr = self.ptr(Symbol::new("table"), ty.elem, None);
                self.tables.push(Table { elem: ty.elem, items: items.clone() });
                self.emit(Stmt::Point(ptr, Place::Table(self.tables.len() - 1)));
                let mem = self.dense(ptr, Expr::int(0), &ty.shape, &[]);
                self.bind_mem(var, mem);
            }
            Exp::Stack(cells) => self.stack(var, cells, span),
            Exp::Index { array, at, checked } => self.index(var, *array, at, *checked, span),
            Exp::Slice { array, start, step, checked } => self.slice(var, *array, *start, *step, *checked, span),
            Exp::Rotate { array, by } => self.rotate(var, *array, *by, span),
            Exp::Rearrange { array, perm } => self.rearrange(var, *array, perm),
            Exp::Reshape(array) => self.reshape(var, *array, span),
            Exp::Coerce(array) => self.coerce(var, *array),
            Exp::Rep(cell) => self.rep(var, *cell, span),
            Exp::Iota { start, step } => {
                let loc = Array::Iota(self.int(*start), self.int(*step));
                self.locs.insert(var, Loc::Array(loc));
            }
            Exp::Concat(arrays) => self.concat(var, arrays, span),
            Exp::Update { array, at, value, checked } => self.update(var, *array, at, *value, *checked, span),
            Exp::UpdateSlice { array, start, step, value, checked } => {
                let (start, step) = (self.int(*start), self.int(*step));
                if *checked {
                    self.check_update(start.clone(), step.clone(), &self.ty(*value).shape[0], &ty.shape[0], span);
                }
                self.update_slice(var, *array, start, step, *value, span);
            }
            Exp::RangeCount { kind, start, step, end } => self.range_count(var, *kind, *start, *step, *end, span),
            Exp::SliceCount { start, end, step, size } => self.slice_count(var, *start, *end, *step, size, span),
            Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) | parallel_exp!() => {
                crate::ice!(span, "`{}` is no expression with one value", self.program.vars[var].name)
            }
        }
    }

    fn call(&mut self, fun: crate::ir::soac::FunId, args: &[Operand], pat: &[Var], span: Span) {
        let mut out = Vec::with_capacity(args.len());
        for a in args {
            out.push(match self.loc(*a) {
                Loc::Scalar(e) => Arg::Scalar(e),
                Loc::Array(array) => {
                    let ty = self.program.operand_ty(*a);
                    let mem = self.in_rows(&array, &ty, (CopyReason::Passed, span));
                    Arg::Array(mem.ptr, mem.offset)
                }
            });
        }
        let mut results = Vec::with_capacity(pat.len());
        let mut arrays = Vec::new();
        for &var in pat {
            let ty = self.ty(var);
            if ty.rank() == 0 {
                let local = self.local_of(var);
                self.locs.insert(var, Loc::Scalar(Expr::Local(local)));
                results.push(Receiver::Local(local));
            } else {
                let ptr = self.ptr(self.program.vars[var].name, ty.elem, None);
                let handle = self.scoped_handle("result");
                results.push(Receiver::Array(ptr, handle));
                arrays.push((var, ptr, handle));
            }
        }
        self.emit(Stmt::Call { fun: crate::ir::imp::FunId::new(fun.raw()), args: out, results, span });
        for (var, ptr, handle) in arrays {
            let mem = self.dense(ptr, Expr::int(0), &self.ty(var).shape, &[handle]);
            self.bind_mem(var, mem);
        }
    }

    /// Fails unless the condition holds.
    pub(super) fn require(&mut self, cond: Expr, code: Code, message: &str, args: Vec<Expr>, span: Span) {
        let args = args.into_iter().map(|arg| (PrimType::I64, arg)).collect();
        self.emit(Stmt::Check(cond, Box::new(Failure { code, message: message.to_string(), args, span })));
    }
    pub(super) fn check_index(&mut self, i: Expr, n: &Size, span: Span) {
        let n = self.size(n);
        let n = self.atom("n", n);
        self.require(
            in_bounds(i.clone(), n.clone()),
            Code::OutOfBounds,
            "index {} is out of bounds for an array of size {}",
            vec![i, n],
            span,
        );
    }
    pub(super) fn check_natural(&mut self, n: Expr, span: Span) {
        let n = self.atom("n", n);
        let natural = Expr::arith(Int::Le, Expr::int(0), n.clone());
        self.require(natural, Code::ImpossibleSize, "an array cannot have the negative size {}", vec![n.clone()], span);
        self.check_size(n, span);
    }
    /// Checks that a natural number is no more than an array can have of cells.
    fn check_size(&mut self, n: Expr, span: Span) {
        let most = Expr::int(MAX_SIZE);
        let message = "the result would have more than {} rows, which no array can have";
        self.require(Expr::arith(Int::Le, n, most.clone()), Code::ImpossibleSize, message, vec![most], span);
    }
    fn check_range(&mut self, a: Expr, b: Expr, span: Span) {
        let count = self.atom("n", wrapping(Op::Sub, b.clone(), a.clone()));
        let message = "an array cannot have the negative size {}";
        let select = |c: Expr, a: Expr, b: Expr| Expr::Select(Box::new(c), Box::new(a), Box::new(b));
        let lacking = select(count.clone().less(Expr::int(0)), count.clone(), Expr::int(i64::MIN));
        self.require(Expr::arith(Int::Le, a, b), Code::ImpossibleSize, message, vec![lacking], span);
        // More than 2^63 look like less than 0.
        let count = self.atom("n", select(count.clone().less(Expr::int(0)), Expr::int(i64::MAX), count));
        self.check_size(count, span);
    }
    /// Whether all cells that an update writes are there: the first one is, and it is not more steps to the last than to the end. They are
    /// written in any order, so that they must be different ones.
    pub(super) fn check_update(&mut self, start: Expr, step: Expr, count: &Size, n: &Size, span: Span) {
        let (k, n) = (self.size(count), self.size(n));
        let (k, n) = (self.atom("k", k), self.atom("n", n));
        let le = |a: Expr, b: Expr| Expr::arith(Int::Le, a, b);
        let select = |c: Expr, a: Expr, b: Expr| Expr::Select(Box::new(c), Box::new(a), Box::new(b));
        let good = if step.as_int() == Some(1) {
            // Where nothing is written, it does not matter where.
            let low = select(Expr::arith(Int::Eq, k.clone(), Expr::int(0)), Expr::int(0), start.clone());
            let low = self.atom("low", low);
            le(Expr::int(0), low.clone()).and(le(low, n.clone().minus(k.clone())))
        } else {
            if step.as_int().is_none_or(|step| step == 0) {
                let moves = Expr::arith(Int::Ne, step.clone(), Expr::int(0));
                let message = "updating {} elements from {} in steps of 0 writes one place";
                let different = Expr::arith(Int::Or, moves, le(k.clone(), Expr::int(1)));
                self.require(different, Code::OutOfBounds, message, vec![k.clone(), start.clone()], span);
            }
            let up = Expr::int(0).less(step.clone());
            let behind = wrapping(Op::Sub, n.clone().minus(Expr::int(1)), start.clone());
            let room = self.atom("room", select(up.clone(), behind, start.clone()));
            let still = Expr::arith(Int::Eq, step.clone(), Expr::int(0));
            let distance = select(up, step.clone(), wrapping(Op::Sub, Expr::int(0), step.clone()));
            let distance = self.atom("distance", select(still.clone(), Expr::int(1), distance));
            let reached = le(k.clone().minus(Expr::int(1)), Expr::arith(Int::Div, room, distance));
            let inside = in_bounds(start.clone(), n.clone()).and(Expr::arith(Int::Or, still, reached));
            Expr::arith(Int::Or, Expr::arith(Int::Eq, k.clone(), Expr::int(0)), inside)
        };
        let message = "updating {} elements from {} in steps of {} leaves the bounds of an array of size {}";
        self.require(good, Code::OutOfBounds, message, vec![k, start, step, n], span);
    }

    fn check(&mut self, check: &Check, span: Span) {
        match check {
            Check::Bounds(i, n) => {
                let i = self.int(*i);
                self.check_index(i, n, span);
            }
            Check::NonNegative(n) => {
                let n = self.size(n);
                self.check_natural(n, span);
            }
            Check::Coerce(found, wanted) => {
                let (found, wanted) = (self.dims(found), self.dims(wanted));
                let good = found
                    .iter()
                    .zip(&wanted)
                    .map(|(a, b)| Expr::arith(Int::Eq, a.clone(), b.clone()))
                    .reduce(Expr::and)
                    .unwrap_or(Expr::Const(Scalar::Bool(true)));
                let message = format!("the value has shape {}, the type says {}", "[{}]".repeat(found.len()), "[{}]".repeat(wanted.len()));
                self.require(good, Code::SizesDiffer, &message, found.into_iter().chain(wanted).collect(), span);
            }
            Check::Range(a, b) => {
                let (a, b) = (self.int(*a), self.int(*b));
                self.check_range(a, b, span);
            }
            Check::Product(n, m) => {
                let dims = self.dims(&[n.clone(), m.clone()]);
                let product = self.atom("n", Expr::arith(Int::Count, dims[0].clone(), dims[1].clone()));
                self.check_size(product, span);
            }
            Check::Unflatten(found, n, m) => {
                let dims = self.dims(&[found.clone(), n.clone(), m.clone()]);
                let [found, n, m] = [dims[0].clone(), dims[1].clone(), dims[2].clone()];
                for size in [&found, &n, &m] {
                    self.check_natural(size.clone(), span);
                }
                let good = Expr::arith(Int::Eq, Expr::arith(Int::Count, n.clone(), m.clone()), found.clone());
                self.require(good, Code::SizesDiffer, "an array of size {} does not make {} rows of {}", vec![found, n, m], span);
            }
            Check::Assert(cond, message) => {
                let cond = self.int(*cond);
                let text = format!("assertion failed: {}", message.as_str().replace('{', "{{").replace('}', "}}"));
                self.require(cond, Code::AssertionFailed, &text, Vec::new(), span);
            }
        }
    }

    /// Checks the condition under which an operation has a result.
    fn check_op(&mut self, op: ScalarOp, args: &[Expr], span: Span) {
        let Some(condition) = op.condition() else { return };
        let Some(second) = args.get(1).filter(|_| mutated!(DivisionUnchecked, true, op.prim.bytes() > 2)) else { return };
        if let Expr::Const(scalar) = second {
            let value = scalar.as_i128().unwrap_or_else(|| crate::ice!(span, "{scalar:?} is no integer"));
            if condition.holds(value) {
                return;
            }
        }
        let (what, compare) = match condition {
            Condition::NotZero => ("division by zero: the operands are {} and {}", Op::Ne),
            Condition::NotNegative => ("a power with a negative exponent: the operands are {} and {}", Op::Ge),
        };
        let good = Expr::Op(ScalarOp::new(compare, op.prim), vec![second.clone(), zero(op.prim)]);
        let args = args.iter().map(|arg| (op.prim, arg.clone())).collect();
        self.emit(Stmt::Check(good, Box::new(Failure { code: Code::UndefinedOperation, message: what.into(), args, span })));
    }

    /// In 64 bits, distances and steps without a sign.
    fn range_count(&mut self, var: Var, kind: RangeKind, start: Operand, step: Operand, end: Operand, span: Span) {
        let prim = self.program.operand_ty(start).elem;
        let [a, s, b] = [start, step, end].map(|operand| {
            let e = self.int(operand);
            let e = self.widened(e, prim);
            self.atom("bound", e)
        });
        let wrapped = self.local("step", PrimType::I64);
        self.emit(Stmt::Set(wrapped, s));
        if !prim.is_signed() && prim.bytes() < 8 {
            // Unsigned steps downwards arrive wrapped around.
            let down = match kind {
                RangeKind::Upto => None,
                RangeKind::Downto => Some(Expr::Const(Scalar::Bool(true))),
                RangeKind::Through => Some(b.clone().less(a.clone())),
            };
            if let Some(down) = down {
                let positive = Expr::int(0).less(Expr::Local(wrapped));
                let less = Expr::Local(wrapped).minus(Expr::int(1i64 << (prim.bytes() * 8)));
                let step = Expr::Select(Box::new(down.and(positive)), Box::new(less), Box::new(Expr::Local(wrapped)));
                self.emit(Stmt::Set(wrapped, step));
            }
        }
        let s = Expr::Local(wrapped);
        let select = |c: Expr, a: Expr, b: Expr| Expr::Select(Box::new(c), Box::new(a), Box::new(b));
        // Numbers of 64 bits without a sign are kept as those bits.
        let wide = prim == PrimType::U64;
        let bits = |e: Expr| Expr::Op(ScalarOp::new(Op::Convert(PrimType::I64), PrimType::U64), vec![e]);
        let less = |a: Expr, b: Expr| match wide {
            true => Expr::Op(ScalarOp::new(Op::Lt, PrimType::U64), vec![bits(a), bits(b)]),
            false => a.less(b),
        };
        let not = |e: Expr| Expr::Op(ScalarOp::new(Op::Not, PrimType::Bool), vec![e]);
        let second = self.atom("second", wrapping(Op::Add, a.clone(), s.clone()));
        // The step wraps around if the numbers are far apart: it goes down if the second number is less (`range_steps` of the evaluators).
        let is_less = less(second.clone(), a.clone());
        let down = match kind {
            RangeKind::Downto => Expr::arith(Int::Or, is_less, Expr::arith(Int::Eq, s.clone(), Expr::int(-1))),
            RangeKind::Upto | RangeKind::Through => is_less.and(Expr::arith(Int::Ne, s.clone(), Expr::int(1))),
        };
        let down = self.atom_bool("down", down);
        let distance = select(down.clone(), wrapping(Op::Sub, a.clone(), b.clone()), wrapping(Op::Sub, b.clone(), a.clone()));
        let distance = self.atom("distance", distance);
        let beyond = select(down.clone(), less(a.clone(), b.clone()), less(b.clone(), a.clone()));
        let step = select(down.clone(), wrapping(Op::Sub, Expr::int(0), s.clone()), s.clone());
        let step = self.atom("step", step);
        let moves = Expr::arith(Int::Ne, s, Expr::int(0));
        let fits = match kind {
            RangeKind::Upto => moves.and(not(down)),
            RangeKind::Downto => down,
            RangeKind::Through => moves,
        };
        let good = fits.and(not(beyond));
        let limit = match kind {
            RangeKind::Upto => "..<",
            RangeKind::Downto => "..>",
            RangeKind::Through => "...",
        };
        let message = format!("the range {{}}..{{}}{limit}{{}} does not lead to its end");
        let shown = |e: Expr| if wide { (PrimType::U64, bits(e)) } else { (PrimType::I64, e) };
        let args = [a, second, b].map(shown).to_vec();
        self.emit(Stmt::Check(good, Box::new(Failure { code: Code::ImpossibleSize, message, args, span })));
        let count = self.steps_in(distance, step, kind == RangeKind::Through, span);
        self.set_scalar(var, count);
    }
    /// How many numbers there are at such steps in a distance, both without a sign; with `through` its end is one of them.
    fn steps_in(&mut self, distance: Expr, step: Expr, through: bool, span: Span) -> Expr {
        let unsigned = ScalarOp::new(Op::Convert(PrimType::I64), PrimType::U64);
        let signed = ScalarOp::new(Op::Convert(PrimType::U64), PrimType::I64);
        let quotient = ScalarOp::new(Op::Quot, PrimType::U64);
        let none = if through { Expr::Const(Scalar::Bool(false)) } else { Expr::arith(Int::Eq, distance.clone(), Expr::int(0)) };
        let last = if through { distance } else { wrapping(Op::Sub, distance, Expr::int(1)) };
        let bits = |e: Expr| Expr::Op(unsigned, vec![e]);
        let last = Expr::Op(signed, vec![Expr::Op(quotient, vec![bits(last), bits(step)])]);
        let last = self.atom("last", last);
        let few = in_bounds(last.clone(), Expr::int(MAX_SIZE));
        let message = "the result would have more than {} rows, which no array can have";
        self.require(Expr::arith(Int::Or, none.clone(), few), Code::ImpossibleSize, message, vec![Expr::int(MAX_SIZE)], span);
        Expr::Select(Box::new(none), Box::new(Expr::int(0)), Box::new(wrapping(Op::Add, last, Expr::int(1))))
    }
    fn widened(&self, e: Expr, prim: PrimType) -> Expr {
        if prim == PrimType::I64 {
            return e;
        }
        Expr::Op(ScalarOp::new(Op::Convert(prim), PrimType::I64), vec![e])
    }

    fn slice_count(&mut self, var: Var, start: Operand, end: Operand, step: Operand, n: &Size, span: Span) {
        let (i, j, s) = (self.int(start), self.int(end), self.int(step));
        let n = self.size(n);
        let n = self.atom("n", n);
        let le = |a: Expr, b: Expr| Expr::arith(Int::Le, a, b);
        let select = |c: Expr, a: Expr, b: Expr| Expr::Select(Box::new(c), Box::new(a), Box::new(b));
        let up = Expr::int(0).less(s.clone());
        let forward = le(Expr::int(0), i.clone()).and(le(i.clone(), j.clone())).and(le(j.clone(), n.clone()));
        let start = Expr::arith(Int::Or, i.clone().less(n.clone()), Expr::arith(Int::Eq, i.clone(), j.clone()));
        let backward = le(Expr::int(-1), j.clone()).and(le(j.clone(), i.clone())).and(start);
        let good = Expr::arith(Int::Ne, s.clone(), Expr::int(0)).and(select(up.clone(), forward, backward));
        let message = "slice [{}:{}:{}] is out of bounds for an array of size {}";
        self.require(good, Code::OutOfBounds, message, vec![i.clone(), j.clone(), s.clone(), n], span);
        let distance = select(up.clone(), j.clone().minus(i.clone()), i.minus(j));
        let distance = self.atom("distance", distance);
        let step = select(up, s.clone(), wrapping(Op::Sub, Expr::int(0), s));
        let step = self.atom("step", step);
        self.set_scalar(var, steps(distance, step));
    }
}

/// How many steps begin before a distance is covered; nothing in it overflows.
fn steps(distance: Expr, step: Expr) -> Expr {
    let none = Expr::arith(Int::Eq, distance.clone(), Expr::int(0));
    let some = Expr::arith(Int::Div, distance.minus(Expr::int(1)), step).plus(Expr::int(mutated!(StepsRoundDown, 1, 0)));
    Expr::Select(Box::new(none), Box::new(Expr::int(0)), Box::new(some))
}

/// Arithmetic of `i64` with what the program gives: it may overflow.
pub(super) fn wrapping(op: Op, a: Expr, b: Expr) -> Expr {
    Expr::Op(ScalarOp::new(op, PrimType::I64), vec![a, b])
}

/// The indices of a cell with this number in row-major order.
pub(super) fn unravelled(number: i64, sizes: &[i64]) -> Vec<Expr> {
    let mut rest = number;
    let mut indices = vec![Expr::int(0); sizes.len()];
    for (index, n) in indices.iter_mut().zip(sizes).rev() {
        *index = Expr::int(rest % n.max(&1));
        rest /= n.max(&1);
    }
    indices
}
/// The 0 of a type.
pub(super) fn zero(prim: PrimType) -> Expr {
    Expr::Const(Scalar::from_i128(prim, 0))
}
