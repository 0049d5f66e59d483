//! Complex numbers become their parts: a local two locals, a buffer one of twice as many floats (the parts of a number lie one behind the other),
//! an operation those of [`scalar::complex`](crate::base::scalar::complex) on the parts. Nothing behind this has complex numbers.

mod work;

use crate::base::scalar::complex::{Floats, Number, expand};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::imp::ghost::{Ghost, View};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Arg, Expr, Fun, FunId, Int, Local, LocalInfo, Order, Param, Probe, Program, Ptr, Receiver, Result, Scan, Stmt};
use crate::ir::soac::visit::Part;
use crate::ir::soac::{self, Exp, Stm, Var};
use rustc_hash::FxHashMap;

/// The program without complex numbers.
pub(super) fn split(mut program: Program) -> Program {
    for k in 0..program.funs.len() {
        Split::new(&mut program.funs[FunId::new(k)]).fun();
    }
    for table in &mut program.tables {
        if let Some(part) = table.elem.part() {
            table.elem = part;
            table.items = table.items.iter().filter_map(|item| item.parts()).flat_map(|(re, im)| [re, im]).collect();
        }
    }
    program
}

/// Whether there are complex numbers in a program.
pub(super) fn occur(program: &soac::Program) -> bool {
    fn computed(stms: &[Stm]) -> bool {
        stms.iter().any(|stm| {
            let mut found = matches!(&stm.exp, Exp::Scalar(op, _) if op.prim.is_complex());
            stm.exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    found = found || computed(&body.stms);
                }
            });
            found
        })
    }
    let named = (0..program.vars.len()).any(|k| program.ty(Var::new(k)).elem.is_complex());
    named || computed(&program.consts) || program.funs.iter().any(|(_, fun)| computed(&fun.body.stms))
}

/// Real and imaginary part.
type Pair = (Expr, Expr);

struct Split<'f> {
    fun: &'f mut Fun,
    /// The types that the elements of pointers had.
    elems: Vec<PrimType>,
    /// What became of complex locals.
    locals: FxHashMap<Local, (Local, Local)>,
}

/// Emits what is computed; values are variables and numbers.
struct Emit<'s, 'f> {
    split: &'s mut Split<'f>,
    out: Vec<(Local, Expr)>,
    /// Masks of conditions, where choices are made by them: C compilers would put the calls of a function that computes both sides behind jumps,
    /// and could not vectorise it any more.
    masks: Option<FxHashMap<Local, Expr>>,
}

impl Floats for Emit<'_, '_> {
    type Value = Expr;
    fn constant(&mut self, scalar: Scalar) -> Expr {
        Expr::Const(scalar)
    }
    fn op(&mut self, op: ScalarOp, args: Vec<Expr>) -> Expr {
        let numbers: Option<Vec<Scalar>> =
            args.iter().map(|arg| if let Expr::Const(scalar) = arg { Some(*scalar) } else { None }).collect();
        match numbers.and_then(|numbers| op.apply(&numbers).ok()) {
            Some(scalar) => Expr::Const(scalar),
            None => self.bind(op.result, Expr::Op(op, args)),
        }
    }
    fn select(&mut self, condition: Expr, then: Expr, otherwise: Expr) -> Expr {
        if let Expr::Const(known) = condition {
            return if known == Scalar::Bool(true) { then } else { otherwise };
        }
        let prim = self.split.prim(&then);
        if let Some(mask) = self.mask(&condition, prim) {
            return self.bind(prim, Expr::Blend(prim, Box::new(mask), Box::new(then), Box::new(otherwise)));
        }
        self.bind(prim, Expr::Select(Box::new(condition), Box::new(then), Box::new(otherwise)))
    }
}

impl Emit<'_, '_> {
    /// The mask of a condition for floats of a type, if choices are made by masks.
    fn mask(&mut self, condition: &Expr, prim: PrimType) -> Option<Expr> {
        let Expr::Local(local) = condition else { return None };
        if let Some(known) = self.masks.as_ref()?.get(local) {
            return Some(known.clone());
        }
        let word = if prim == PrimType::F32 { PrimType::I32 } else { PrimType::I64 };
        let one = Expr::Op(ScalarOp::new(Op::Convert(PrimType::Bool), word), vec![condition.clone()]);
        let mask = self.bind(word, Expr::Op(ScalarOp::new(Op::Neg, word), vec![one]));
        if let Some(masks) = &mut self.masks {
            masks.insert(*local, mask.clone());
        }
        Some(mask)
    }
    fn bind(&mut self, prim: PrimType, e: Expr) -> Expr {
        let local = self.split.local(Symbol::new("part"), prim);
        self.out.push((local, e));
        Expr::Local(local)
    }
    /// What of the statements is needed for the results; what is only a result stands in its place.
    fn finish(self, results: &mut [&mut Expr], out: &mut Vec<Stmt>) {
        let mut uses: FxHashMap<Local, usize> = FxHashMap::default();
        let count = |e: &Expr, uses: &mut FxHashMap<Local, usize>| {
            visit::expr(e, &mut |mention| {
                if let Mention::Read(local) = mention {
                    *uses.entry(local).or_insert(0) += 1;
                }
            });
        };
        results.iter().for_each(|e| count(e, &mut uses));
        let mut kept = Vec::with_capacity(self.out.len());
        for (local, e) in self.out.into_iter().rev() {
            let Some(used) = uses.get(&local) else { continue };
            let place = results.iter_mut().find(|place| ***place == Expr::Local(local)).filter(|_| *used == 1);
            count(&e, &mut uses);
            match place {
                Some(place) => **place = e,
                None => kept.push(Stmt::Set(local, e)),
            }
        }
        out.extend(kept.into_iter().rev());
    }
}

impl<'f> Split<'f> {
    fn new(fun: &'f mut Fun) -> Split<'f> {
        let mut elems = Vec::with_capacity(fun.ptrs.len());
        for k in 0..fun.ptrs.len() {
            let info = &mut fun.ptrs[Ptr::new(k)];
            elems.push(info.elem);
            if let Some(part) = info.elem.part() {
                info.elem = part;
                info.stack = info.stack.map(|count| 2 * count);
            }
        }
        let mut split = Split { fun, elems, locals: FxHashMap::default() };
        for k in 0..split.fun.locals.len() {
            let local = Local::new(k);
            let LocalInfo { name, prim } = split.fun.locals[local].clone();
            if let Some(part) = prim.part() {
                let [re, im] = ["re", "im"].map(|which| split.local(Symbol::new(&format!("{name}_{which}")), part));
                split.locals.insert(local, (re, im));
            }
        }
        split
    }
    fn local(&mut self, name: Symbol, prim: PrimType) -> Local {
        self.fun.locals.alloc(LocalInfo { name, prim })
    }
    fn is_complex(&self, ptr: Ptr) -> bool {
        self.elems[ptr.raw()].is_complex()
    }
    /// The type of an expression of the program as it was, and of one as it is.
    fn prim(&self, e: &Expr) -> PrimType {
        match e {
            Expr::Const(scalar) => scalar.prim(),
            Expr::Local(local) => self.fun.locals[*local].prim,
            Expr::Load(ptr, _) => self.elems[ptr.raw()],
            Expr::Op(op, _) => op.result,
            Expr::Select(_, then, _) => self.prim(then),
            Expr::Blend(prim, ..) | Expr::Quotient(prim, ..) => *prim,
            Expr::Int(op, ..) => match op {
                Int::Lt | Int::Le | Int::Eq | Int::Ne | Int::And | Int::Or => PrimType::Bool,
                Int::Add | Int::Sub | Int::Mul | Int::Count | Int::Div | Int::Rem | Int::Min => PrimType::I64,
            },
            Expr::Chunks { .. } | Expr::Threads | Expr::Registers | Expr::Thread => PrimType::I64,
        }
    }

    fn fun(mut self) {
        let (params, counts) = (std::mem::take(&mut self.fun.params), std::mem::take(&mut self.fun.counts));
        for (param, count) in params.into_iter().zip(counts) {
            match param {
                Param::Local(local) => {
                    let parts = self.locals.get(&local).copied();
                    let all = parts.map_or_else(|| vec![local], |(re, im)| vec![re, im]);
                    for local in all {
                        self.fun.params.push(Param::Local(local));
                        self.fun.counts.push(count.clone());
                    }
                }
                Param::Ptr(ptr) => {
                    self.fun.params.push(param);
                    let count = self.room(ptr, count);
                    self.fun.counts.push(count);
                }
            }
        }
        let body = std::mem::take(&mut self.fun.body);
        let mut body = self.stmts(body);
        for result in std::mem::take(&mut self.fun.results) {
            match result {
                Result::Scalar(prim, e) => match prim.part() {
                    Some(part) => {
                        let (re, im) = self.pair(&e, &mut body);
                        self.fun.results.extend([Result::Scalar(part, re), Result::Scalar(part, im)]);
                    }
                    None => {
                        let e = self.real(&e, &mut body);
                        self.fun.results.push(Result::Scalar(prim, e));
                    }
                },
                Result::Array(..) => self.fun.results.push(result),
            }
        }
        self.fun.body = body;
    }

    // Indices

    /// The number of floats of so many elements, for which room is made.
    fn room(&self, ptr: Ptr, count: Expr) -> Expr {
        if self.is_complex(ptr) { Expr::arith(Int::Count, count, Expr::int(2)) } else { count }
    }
    /// The number of the first part of an element.
    fn at(&self, ptr: Ptr, index: Expr) -> Expr {
        if self.is_complex(ptr) { index.times(Expr::int(2)) } else { index }
    }

    // Expressions

    /// An expression that is no complex number. What has to be computed for it goes to `out`.
    fn real(&mut self, e: &Expr, out: &mut Vec<Stmt>) -> Expr {
        if let Expr::Op(op, args) = e
            && op.prim.is_complex()
        {
            let (number, emitted) = self.operation(*op, args, out);
            let Number::Real(mut e) = number else { crate::ice!(Span::default(), "{op:?} is no complex number") };
            Emit { split: self, out: emitted, masks: None }.finish(&mut [&mut e], out);
            return e;
        }
        e.with_parts(&mut |part| self.real(part, out))
    }
    /// The parts of a complex number; each may be used once.
    fn pair(&mut self, e: &Expr, out: &mut Vec<Stmt>) -> Pair {
        match e {
            Expr::Const(scalar) => match scalar.parts() {
                Some((re, im)) => (Expr::Const(re), Expr::Const(im)),
                None => crate::ice!(Span::default(), "{scalar} is no complex number"),
            },
            Expr::Local(local) => match self.locals.get(local) {
                Some((re, im)) => (Expr::Local(*re), Expr::Local(*im)),
                None => crate::ice!(Span::default(), "a local that is no complex number"),
            },
            Expr::Load(ptr, index) => {
                let index = self.real(index, out).times(Expr::int(2));
                (Expr::Load(*ptr, Box::new(index.clone())), Expr::Load(*ptr, Box::new(index.plus(Expr::int(1)))))
            }
            Expr::Op(op, args) => {
                let (number, emitted) = self.operation(*op, args, out);
                let Number::Complex(mut re, mut im) = number else { crate::ice!(Span::default(), "{op:?} is a complex number") };
                Emit { split: self, out: emitted, masks: None }.finish(&mut [&mut re, &mut im], out);
                (re, im)
            }
            Expr::Select(cond, a, b) => {
                let cond = self.real(cond, out);
                let cond = self.atom(cond, out);
                let ((ax, ay), (bx, by)) = (self.pair(a, out), self.pair(b, out));
                let select = |a: Expr, b: Expr| Expr::Select(Box::new(cond.clone()), Box::new(a), Box::new(b));
                (select(ax, bx), select(ay, by))
            }
            Expr::Int(..) | Expr::Blend(..) | Expr::Quotient(..) | Expr::Chunks { .. } | Expr::Threads | Expr::Registers | Expr::Thread => {
                crate::ice!(Span::default(), "an expression that is no complex number")
            }
        }
    }
    /// The result of an operation in variables, and what sets them.
    fn operation(&mut self, op: ScalarOp, args: &[Expr], out: &mut Vec<Stmt>) -> (Number<Expr>, Vec<(Local, Expr)>) {
        let mut operands = Vec::with_capacity(args.len());
        for (arg, prim) in args.iter().zip(op.params) {
            operands.push(if prim.is_complex() {
                let (re, im) = self.pair(arg, out);
                Number::Complex(self.atom(re, out), self.atom(im, out))
            } else {
                let e = self.real(arg, out);
                Number::Real(self.atom(e, out))
            });
        }
        let masks = op.cost().vectorises.then(FxHashMap::default);
        let mut emit = Emit { split: self, out: Vec::new(), masks };
        match expand(&mut emit, op, operands) {
            Some(number) => (number, emit.out),
            None => crate::ice!(Span::default(), "there is no operation {op:?}"),
        }
    }
    fn atom(&mut self, e: Expr, out: &mut Vec<Stmt>) -> Expr {
        if e.is_atom() { e } else { self.bound(e, out) }
    }
    /// A variable with this value.
    fn bound(&mut self, e: Expr, out: &mut Vec<Stmt>) -> Expr {
        let prim = self.part_prim(&e);
        let local = self.local(Symbol::new("part"), prim);
        out.push(Stmt::Set(local, e));
        Expr::Local(local)
    }
    /// The type of an expression as it is now.
    fn part_prim(&self, e: &Expr) -> PrimType {
        let prim = self.prim(e);
        prim.part().unwrap_or(prim)
    }
    fn reals(&mut self, all: &[Expr], out: &mut Vec<Stmt>) -> Vec<Expr> {
        let mut parts = Vec::with_capacity(all.len());
        for e in all {
            if self.prim(e).is_complex() {
                let (re, im) = self.pair(e, out);
                parts.extend([re, im]);
            } else {
                parts.push(self.real(e, out));
            }
        }
        parts
    }
    fn parts_of(&self, locals: &[Local]) -> Vec<Local> {
        let parts = |local: &Local| self.locals.get(local).map_or_else(|| vec![*local], |(re, im)| vec![*re, *im]);
        locals.iter().flat_map(parts).collect()
    }

    // Statements

    fn stmts(&mut self, list: Vec<Stmt>) -> Vec<Stmt> {
        let mut out = Vec::with_capacity(list.len());
        list.into_iter().for_each(|stmt| self.stmt(stmt, &mut out));
        out
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        let stmt = match stmt {
            Stmt::Comment(_) | Stmt::Stack(_) | Stmt::Move { .. } | Stmt::Release(_) => stmt,
            Stmt::Set(local, e) => return self.set(local, &e, out),
            Stmt::Point(ptr, place) => Stmt::Point(ptr, self.place(place, out)),
            Stmt::Alloc { handle, ptr, count, span } => {
                let count = self.real(&count, out);
                Stmt::Alloc { handle, ptr, count: self.room(ptr, count), span }
            }
            Stmt::Transfer { to, ptr, from, count, span } => {
                let count = self.real(&count, out);
                Stmt::Transfer { to, ptr, from, count: self.room(ptr, count), span }
            }
            Stmt::Store(ptr, index, value) => return self.store(ptr, &index, &value, out),
            Stmt::Prefetch(ptr, index) => {
                let index = self.real(&index, out);
                Stmt::Prefetch(ptr, self.at(ptr, index))
            }
            Stmt::Copy { to: (to, at), from: (from, start), count } => {
                let [at, start, count] = [&at, &start, &count].map(|e| {
                    let e = self.real(e, out);
                    self.at(to, e)
                });
                Stmt::Copy { to: (to, at), from: (from, start), count }
            }
            Stmt::For { var, from, to, order, body } => {
                let (from, to) = (self.real(&from, out), self.real(&to, out));
                let body = self.stmts(body);
                Stmt::For { var, from, to, order: self.order(order), body }
            }
            Stmt::Scan(scan) => self.scan(*scan, out),
            Stmt::While(first, cond, second) => {
                let mut first = self.stmts(first);
                let cond = self.real(&cond, &mut first);
                Stmt::While(first, cond, self.stmts(second))
            }
            Stmt::If(cond, then, els) => {
                let cond = self.real(&cond, out);
                Stmt::If(cond, self.stmts(then), self.stmts(els))
            }
            Stmt::Check(cond, mut failure) => {
                let cond = self.real(&cond, out);
                for (_, arg) in &mut failure.args {
                    *arg = self.real(arg, out);
                }
                Stmt::Check(cond, failure)
            }
            Stmt::Call { fun, args, results, span } => {
                let (args, results) = self.call(args, &results, out);
                Stmt::Call { fun, args, results, span }
            }
            Stmt::Parallel(mut parallel) => {
                parallel.width = self.real(&parallel.width, out);
                parallel.chunks = self.real(&parallel.chunks, out);
                parallel.body = self.stmts(std::mem::take(&mut parallel.body));
                Stmt::Parallel(parallel)
            }
            Stmt::Launch(mut launch) => {
                launch.work = self.work(launch.work, out);
                Stmt::Launch(launch)
            }
            Stmt::Atomic(atomic) => return self.atomic(*atomic, out),
            Stmt::Ghost(ghost) => return self.ghost(*ghost, out),
            // Elements are counted, not their parts.
            Stmt::Probe(mut probe) => {
                if let Probe::Count(_, count, _) | Probe::CountUnless(_, count, ..) = probe.as_mut() {
                    *count = self.real(count, out);
                }
                Stmt::Probe(probe)
            }
        };
        out.push(stmt);
    }

    fn set(&mut self, local: Local, e: &Expr, out: &mut Vec<Stmt>) {
        let Some((re, im)) = self.locals.get(&local).copied() else {
            let e = self.real(e, out);
            return out.push(Stmt::Set(local, e));
        };
        let (x, mut y) = self.pair(e, out);
        // The second part may still need what the first one was.
        let mut needed = false;
        visit::expr(&y, &mut |mention| needed |= mention == Mention::Read(re));
        if needed {
            y = self.bound(y, out);
        }
        out.extend([Stmt::Set(re, x), Stmt::Set(im, y)]);
    }
    fn store(&mut self, ptr: Ptr, index: &Expr, value: &Expr, out: &mut Vec<Stmt>) {
        let index = self.real(index, out);
        if !self.is_complex(ptr) {
            let value = self.real(value, out);
            return out.push(Stmt::Store(ptr, index, value));
        }
        let (re, mut im) = self.pair(value, out);
        // The second part may be read where the first one goes.
        if im.has_loads() {
            im = self.bound(im, out);
        }
        if index.has_loads() {
            crate::ice!(Span::default(), "an index that is read from memory in a store of a complex number");
        }
        let first = index.times(Expr::int(2));
        let second = first.clone().plus(Expr::int(1));
        out.extend([Stmt::Store(ptr, first, re), Stmt::Store(ptr, second, im)]);
    }

    /// How iterations depend on each other.
    fn order(&self, order: Order) -> Order {
        match order {
            Order::Reduce(sums) => Order::Reduce(self.collected(&sums)),
            Order::Sequential | Order::Any => order,
        }
    }
    fn collected(&self, sums: &[(Local, ScalarOp)]) -> Vec<(Local, ScalarOp)> {
        let mut out = Vec::with_capacity(sums.len());
        for (local, op) in sums {
            match self.locals.get(local) {
                Some((re, im)) => out.extend([(*re, part_op(*op)), (*im, part_op(*op))]),
                None => out.push((*local, *op)),
            }
        }
        out
    }
    fn scan(&mut self, scan: Scan, out: &mut Vec<Stmt>) -> Stmt {
        let Scan { var, from, to, sums, cell, done } = scan;
        let (from, to) = (self.real(&from, out), self.real(&to, out));
        let (cell, done) = (self.stmts(cell), self.stmts(done));
        Stmt::Scan(Box::new(Scan { var, from, to, sums: self.collected(&sums), cell, done }))
    }

    fn call(&mut self, args: Vec<Arg>, results: &[Receiver], out: &mut Vec<Stmt>) -> (Vec<Arg>, Vec<Receiver>) {
        let mut passed = Vec::with_capacity(args.len());
        for arg in args {
            match arg {
                Arg::Scalar(e) => passed.extend(self.reals(&[e], out).into_iter().map(Arg::Scalar)),
                Arg::Array(ptr, offset) => {
                    let offset = self.real(&offset, out);
                    passed.push(Arg::Array(ptr, self.at(ptr, offset)));
                }
            }
        }
        let mut targets = Vec::with_capacity(results.len());
        for target in results {
            match target {
                Receiver::Local(local) => targets.extend(self.parts_of(&[*local]).into_iter().map(Receiver::Local)),
                Receiver::Array(..) => targets.push(*target),
            }
        }
        (passed, targets)
    }

    // Ghosts

    fn ghost(&mut self, ghost: Ghost, out: &mut Vec<Stmt>) {
        let ghost = match ghost {
            Ghost::Array(name, view, origin) => Ghost::Array(name, self.view(view, out), origin),
            Ghost::UseRest(name, view, span) => Ghost::UseRest(name, self.view(view, out), span),
            Ghost::Read(name, ptr, index) => {
                let index = self.real(&index, out);
                let first = self.at(ptr, index);
                if self.is_complex(ptr) {
                    out.push(Stmt::Ghost(Box::new(Ghost::Read(name, ptr, first.clone().plus(Expr::int(1))))));
                }
                Ghost::Read(name, ptr, first)
            }
            Ghost::Forget(_) | Ghost::Use(..) => ghost,
        };
        out.push(Stmt::Ghost(Box::new(ghost)));
    }
    fn view(&mut self, view: View, out: &mut Vec<Stmt>) -> View {
        let View { ptr, offset, dims } = view;
        let offset = self.real(&offset, out);
        let mut own = Vec::with_capacity(dims.len() + 1);
        for (n, stride) in &dims {
            let (n, stride) = (self.real(n, out), self.real(stride, out));
            own.push((n, self.at(ptr, stride)));
        }
        if self.is_complex(ptr) {
            own.push((Expr::int(2), Expr::int(1)));
        }
        View { ptr, offset: self.at(ptr, offset), dims: own }
    }
}

/// The operation on each part that is an operation on complex numbers. Only sums are collected part by part: products mix the parts.
fn part_op(op: ScalarOp) -> ScalarOp {
    match (op.op, op.prim.part()) {
        (Op::Add, Some(part)) => ScalarOp::new(op.op, part),
        _ => crate::ice!(Span::default(), "{op:?} is not done part by part"),
    }
}
