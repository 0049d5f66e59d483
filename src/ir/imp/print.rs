//! The notation: one statement a line, inner bodies indented.
//!
//! ```text
//! entry f(n.0: i64, &xs.0: f32 of n.0) -> (&r.1 of @r.0)
//!   alloc @r.0 -> &r.1: f32 of n.0
//!   for i.2 from 0 to n.0, any
//!     x.3 = &xs.0[i.2]
//!     &r.1[i.2] = f32.*(x.3, 2.0f32)
//! ```
//!
//! A local is written `x.3`, a pointer `&x.3`, a handle `@x.3`, each with its number, since names are not unique.

use super::ghost::{Ghost, Name, Origin, View};
use super::variants::{Access, Product, Variants};
use super::{
    Arg, Atomic, Combine, Expr, Failure, Fun, Handle, Hist, Int, Local, Order, Param, Place, Probe, Program, Ptr, Receiver, Result,
    Segments, Stmt, Work,
};
use crate::base::Symbol;
use crate::ir::core::sexp::scalar_text;
use std::fmt::Display;

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for (k, table) in program.tables.iter().enumerate() {
        let items: Vec<String> = table.items.iter().map(|item| scalar_text(*item)).collect();
        out.push_str(&format!("table {k}: {} = {}\n", table.elem, items.join(" ")));
    }
    for (id, fun) in program.funs.iter() {
        if id.raw() > 0 || !program.tables.is_empty() {
            out.push('\n');
        }
        let mut printer = Printer { program, fun, out: std::mem::take(&mut out), indent: 0 };
        printer.fun(id.raw());
        out = printer.out;
    }
    out
}

/// The first line of a statement, for messages.
pub fn stmt(program: &Program, fun: &Fun, stmt: &Stmt) -> String {
    let mut printer = Printer { program, fun, out: String::new(), indent: 0 };
    printer.stmt(stmt);
    printer.out.lines().next().unwrap_or_default().to_owned()
}

struct Printer<'p> {
    program: &'p Program,
    fun: &'p Fun,
    out: String,
    indent: usize,
}

/// Items with commas.
fn list<T>(items: &[T], mut show: impl FnMut(&T) -> String) -> String {
    items.iter().map(&mut show).collect::<Vec<_>>().join(", ")
}

fn numbered(sigil: &str, name: Symbol, number: usize) -> String {
    format!("{sigil}{name}.{number}")
}

impl Printer<'_> {
    fn line(&mut self, text: impl Display) {
        self.out.push_str(&format!("{:1$}{text}\n", "", 2 * self.indent));
    }
    fn inner(&mut self, body: &[Stmt]) {
        self.indent += 1;
        body.iter().for_each(|stmt| self.stmt(stmt));
        self.indent -= 1;
    }

    fn local(&self, local: Local) -> String {
        numbered("", self.fun.locals[local].name, local.raw())
    }
    fn typed(&self, local: Local) -> String {
        format!("{}: {}", self.local(local), self.fun.locals[local].prim)
    }
    fn ptr(&self, ptr: Ptr) -> String {
        numbered("&", self.fun.ptrs[ptr].name, ptr.raw())
    }
    fn handle(&self, handle: Handle) -> String {
        numbered("@", self.fun.handles[handle].name, handle.raw())
    }
    /// A pointer some elements further on.
    fn at(&self, ptr: Ptr, offset: &Expr) -> String {
        if offset.as_int() == Some(0) { self.ptr(ptr) } else { format!("{} + {}", self.ptr(ptr), self.operand(offset)) }
    }

    fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(value) => value_text(*value),
            Expr::Local(local) => self.local(*local),
            Expr::Load(ptr, index) => format!("{}[{}]", self.ptr(*ptr), self.expr(index)),
            Expr::Op(op, args) => format!("{}({})", op.name(), list(args, |arg| self.expr(arg))),
            Expr::Int(Int::Min, a, b) => format!("min({}, {})", self.expr(a), self.expr(b)),
            Expr::Int(Int::Count, a, b) => format!("count({}, {})", self.expr(a), self.expr(b)),
            Expr::Int(op, a, b) => {
                let sign = match op {
                    Int::Add => "+",
                    Int::Sub => "-",
                    Int::Mul | Int::Count => "*",
                    Int::Div => "/",
                    Int::Rem => "%",
                    Int::Min | Int::Lt => "<",
                    Int::Le => "<=",
                    Int::Eq => "==",
                    Int::Ne => "!=",
                    Int::And => "&&",
                    Int::Or => "||",
                };
                format!("{} {sign} {}", self.operand(a), self.operand(b))
            }
            Expr::Select(cond, a, b) => format!("select({}, {}, {})", self.expr(cond), self.expr(a), self.expr(b)),
            Expr::Blend(_, mask, a, b) => format!("blend({}, {}, {})", self.expr(mask), self.expr(a), self.expr(b)),
            Expr::Quotient(_, x, y, r) => format!("quotient({}, {}, {})", self.expr(x), self.expr(y), self.expr(r)),
            Expr::Chunks { width, cost, at_most_threads } => {
                format!("pieces({}, {cost}{})", self.expr(width), if *at_most_threads { ", one each" } else { "" })
            }
            Expr::Threads => "threads".into(),
            Expr::Registers => "registers".into(),
            Expr::Thread => "thread".into(),
        }
    }
    fn operand(&self, e: &Expr) -> String {
        let text = self.expr(e);
        if matches!(e, Expr::Int(op, ..) if !matches!(op, Int::Min | Int::Count)) { format!("({text})") } else { text }
    }

    fn fun(&mut self, number: usize) {
        let fun = self.fun;
        let params = fun.params.iter().enumerate().map(|(k, param)| match param {
            Param::Local(local) => self.typed(*local),
            Param::Ptr(ptr) => {
                let count = fun.counts.get(k).map_or_else(String::new, |count| format!(" of {}", self.operand(count)));
                format!("{}: {}{count}", self.ptr(*ptr), fun.ptrs[*ptr].elem)
            }
        });
        let params: Vec<String> = params.collect();
        let results = list(&fun.results, |result| match result {
            Result::Scalar(prim, e) => format!("{}: {prim}", self.expr(e)),
            Result::Array(ptr, handle) => format!("{} of {}", self.ptr(*ptr), self.handle(*handle)),
        });
        let kind = if fun.entry { "entry" } else { "function" };
        self.line(format!("{kind} {}({}) -> ({results})", numbered("", fun.name, number), params.join(", ")));
        self.inner(&fun.body);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => self.line(format!("-- {text}")),
            Stmt::Ghost(ghost) => self.ghost(ghost),
            Stmt::Probe(probe) => self.probe(probe),
            Stmt::Set(local, e) => self.line(format!("{} = {}", self.local(*local), self.expr(e))),
            Stmt::Point(ptr, Place::Ptr(base, offset)) => self.line(format!("{} = {}", self.ptr(*ptr), self.at(*base, offset))),
            Stmt::Point(ptr, Place::Table(k)) => self.line(format!("{} = table {k}", self.ptr(*ptr))),
            Stmt::Alloc { handle, ptr, count, .. } => {
                let elem = self.fun.ptrs[*ptr].elem;
                self.line(format!("alloc {} -> {}: {elem} of {}", self.handle(*handle), self.ptr(*ptr), self.expr(count)));
            }
            Stmt::Stack(ptr) => {
                let info = &self.fun.ptrs[*ptr];
                // Broken programs are printed, too: that is how the validator shows what is wrong.
                let count = info.stack.map_or("nothing".to_string(), |count| count.to_string());
                self.line(format!("stack {}: {} of {count}", self.ptr(*ptr), info.elem));
            }
            Stmt::Move { to, from } => self.line(format!("{} = move {}", self.handle(*to), self.handle(*from))),
            Stmt::Transfer { to, ptr, from, count, .. } => {
                let owners = list(from, |handle| self.handle(*handle));
                self.line(format!("give {} -> {} of {} from ({owners})", self.handle(*to), self.ptr(*ptr), self.expr(count)));
            }
            Stmt::Release(handle) => self.line(format!("release {}", self.handle(*handle))),
            Stmt::Store(ptr, index, value) => {
                self.line(format!("{}[{}] = {}", self.ptr(*ptr), self.expr(index), self.expr(value)));
            }
            Stmt::Prefetch(ptr, index) => self.line(format!("prefetch {}", self.at(*ptr, index))),
            Stmt::Copy { to: (to, at), from: (from, start), count } => {
                self.line(format!("copy {} <- {}, {}", self.at(*to, at), self.at(*from, start), self.expr(count)));
            }
            Stmt::For { var, from, to, order, body } => {
                let order = match order {
                    Order::Sequential => String::new(),
                    Order::Any => ", any".into(),
                    Order::Reduce(sums) => {
                        format!(", reduce {}", list(sums, |(local, op)| format!("{} by {}", self.local(*local), op.name())))
                    }
                };
                self.line(format!("for {} from {} to {}{order}", self.local(*var), self.expr(from), self.expr(to)));
                self.inner(body);
            }
            Stmt::Scan(scan) => {
                let sums = list(&scan.sums, |(local, op)| format!("{} by {}", self.local(*local), op.name()));
                self.line(format!("scan {} from {} to {}, {sums}", self.local(scan.var), self.expr(&scan.from), self.expr(&scan.to)));
                self.inner(&scan.cell);
                self.line("done");
                self.inner(&scan.done);
            }
            Stmt::While(first, cond, second) => {
                self.line("repeat");
                self.inner(first);
                self.line(format!("while {}", self.expr(cond)));
                self.inner(second);
            }
            Stmt::If(cond, then, els) => {
                self.line(format!("if {}", self.expr(cond)));
                self.inner(then);
                if !els.is_empty() {
                    self.line("else");
                    self.inner(els);
                }
            }
            Stmt::Check(cond, failure) => self.check(cond, failure),
            Stmt::Call { fun, args, results, .. } => {
                let args = list(args, |arg| match arg {
                    Arg::Scalar(e) => self.expr(e),
                    Arg::Array(ptr, offset) => self.at(*ptr, offset),
                });
                let targets = list(results, |target| match target {
                    Receiver::Local(local) => self.local(*local),
                    Receiver::Array(ptr, handle) => format!("{} of {}", self.ptr(*ptr), self.handle(*handle)),
                });
                let name = numbered("", self.program.funs[*fun].name, fun.raw());
                self.line(format!("{targets} = call {name}({args})"));
            }
            Stmt::Parallel(par) => {
                let names = format!("{} to {} of piece {}", self.local(par.lo), self.local(par.hi), self.local(par.chunk));
                self.line(format!("parallel {names}, {} in {} pieces", self.expr(&par.width), self.expr(&par.chunks)));
                self.inner(&par.body);
            }
            Stmt::Launch(launch) => {
                let threads = launch.threads.map_or_else(String::new, |local| format!(", at most {} threads", self.local(local)));
                let heap = if launch.heap { ", with buffers of their own" } else { "" };
                self.line(format!("launch {}{threads}{heap}", launch.name));
                self.indent += 1;
                self.work(&launch.work);
                self.variants(&launch.variants);
                self.indent -= 1;
            }
            Stmt::Atomic(atomic) => self.atomic(atomic),
        }
    }

    fn probe(&mut self, probe: &Probe) {
        let line = match probe {
            Probe::Begin(site, _) => format!("begin {}", site.raw()),
            Probe::End(site, _) => format!("end {}", site.raw()),
            Probe::Count(site, count, bytes) => format!("count {}: {} of {bytes} bytes", site.raw(), self.expr(count)),
            Probe::CountUnless(site, count, bytes, ptr, owners) => {
                let owners = list(owners, |handle| self.handle(*handle));
                format!("count {}: {} of {bytes} bytes, unless {} is of ({owners})", site.raw(), self.expr(count), self.ptr(*ptr))
            }
        };
        self.line(format!("probe {line}"));
    }

    fn ghost(&mut self, ghost: &Ghost) {
        let name = |name: &Name| format!("{}#{}", name.name, name.number);
        let view = |view: &View| {
            let dims = list(&view.dims, |(n, stride)| format!("{} by {}", self.expr(n), self.expr(stride)));
            format!("{} ({dims})", self.at(view.ptr, &view.offset))
        };
        let text = match ghost {
            Ghost::Array(array, cells, origin) => {
                let origin = match origin {
                    Origin::New => String::new(),
                    Origin::Of(other) => format!(", part of {}", name(other)),
                    Origin::Same(other) => format!(", the same as {}", name(other)),
                };
                format!("{} in {}{origin}", name(array), view(cells))
            }
            Ghost::Forget(array) => format!("{} nowhere", name(array)),
            Ghost::Use(arrays, _) => format!("use {}", list(arrays, name)),
            Ghost::UseRest(array, cells, _) => format!("use {} but {}", name(array), view(cells)),
            Ghost::Read(array, ptr, index) => format!("read {} at {}", name(array), self.at(*ptr, index)),
        };
        self.line(format!("ghost {text}"));
    }
    fn check(&mut self, cond: &Expr, failure: &Failure) {
        let args: String = failure.args.iter().map(|(_, arg)| format!(", {}", self.expr(arg))).collect();
        self.line(format!("check {} else {} {:?}{args}", self.expr(cond), failure.code, failure.message));
    }

    fn work(&mut self, work: &Work) {
        match work {
            Work::Map { width, index, body } => {
                self.line(format!("map {} below {}", self.local(*index), self.expr(width)));
                self.inner(body);
            }
            Work::Reduce(segments) => self.segments("reduce", segments),
            Work::Scan(segments) => self.segments("scan", segments),
            Work::Hist(hist) => self.hist(hist),
            Work::Transpose(work) => {
                let (planes, rows, columns) = (self.expr(&work.planes), self.expr(&work.rows), self.expr(&work.columns));
                let [from, to] = [&work.from, &work.to].map(|(ptr, offset)| format!("{}[{}..]", self.ptr(*ptr), self.expr(offset)));
                self.line(format!("transpose {from} to {to}: {planes} planes of {rows} rows and {columns} columns"));
            }
        }
    }
    fn variants(&mut self, variants: &Variants) {
        let Variants { product, vectors, columns } = variants;
        if let Some(product) = product {
            self.product(product);
        }
        if let Some(vectors) = vectors {
            self.line(format!("variant in vectors of {} cells", vectors.each));
            self.indent += 1;
            vectors.reads.iter().for_each(|access| self.access("read", access));
            vectors.writes.iter().for_each(|access| self.access(if access.loaded { "update" } else { "write" }, access));
            self.indent -= 1;
        }
        if *columns {
            self.line("variant by columns");
        }
    }
    fn access(&mut self, what: &str, access: &Access) {
        let base: String = access.base.iter().map(|term| format!(" + {}", self.operand(term))).collect();
        self.line(format!("{what} {}[{}]: {}{base} and on", self.ptr(access.ptr), self.expr(&access.index), self.ptr(access.ptr)));
    }
    fn product(&mut self, product: &Product) {
        let Product { planes, row, column, columns, step, depth, totals, left, right, combine, done } = product;
        let (plane, rows) = planes.as_ref().map_or_else(Default::default, |planes| {
            let rows = format!(" below {} ({} among all)", self.expr(&planes.rows), self.local(planes.all));
            (format!("plane {}, ", self.local(planes.plane)), rows)
        });
        let (row, column, step) = (self.local(*row), self.local(*column), self.local(*step));
        let (columns, depth) = (self.expr(columns), self.expr(depth));
        self.line(format!("variant in tiles: {plane}row {row}{rows}, column {column} below {columns}, step {step} below {depth}"));
        self.indent += 1;
        self.line(format!("totals {}", list(totals, |(local, e)| format!("{} from {}", self.local(*local), self.expr(e)))));
        for (what, side) in [("left", left), ("right", right)] {
            let along = if side.along { ", along the depth" } else { "" };
            self.line(format!("{what} {}{along}", list(&side.values, |local| self.local(*local))));
            self.inner(&side.body);
        }
        self.line("combine");
        self.inner(combine);
        self.line("done");
        self.inner(done);
        self.indent -= 1;
    }
    fn hist(&mut self, h: &Hist) {
        self.line(format!("histogram {} below {}, {} bins", self.local(h.index), self.expr(&h.width), self.expr(&h.bins)));
        self.inner(&h.cell);
        let (values, neutral) = (list(&h.values, |e| self.expr(e)), list(&h.neutral, |e| self.expr(e)));
        self.line(format!("values {values} for bin {} neutral {neutral}", self.expr(&h.bin)));
        self.combine(&h.combine);
        self.line(format!("update {} with {}", self.local(h.place), list(&h.sum, |local| self.local(*local))));
        self.inner(&h.update);
    }
    fn segments(&mut self, kind: &str, s: &Segments) {
        let order = if s.commutative { ", commutative" } else { "" };
        let (segments, width) = (self.expr(&s.segments), self.expr(&s.width));
        self.line(format!("{kind} {} below {segments}, {} below {width}{order}", self.local(s.segment), self.local(s.index)));
        self.inner(&s.cell);
        self.line(format!("values {} neutral {}", list(&s.values, |e| self.expr(e)), list(&s.neutral, |e| self.expr(e))));
        self.combine(&s.combine);
        self.line(format!("done {}", list(&s.sum, |local| self.local(*local))));
        self.inner(&s.done);
    }
    fn combine(&mut self, combine: &Combine) {
        let side = |locals: &[Local]| list(locals, |local| self.local(*local));
        let head = format!("combine ({}) ({})", side(&combine.left), side(&combine.right));
        self.line(head);
        self.inner(&combine.body);
        self.indent += 1;
        self.line(format!("return {}", list(&combine.results, |e| self.expr(e))));
        self.indent -= 1;
    }
    fn atomic(&mut self, atomic: &Atomic) {
        match atomic {
            Atomic::Op(op, ptr, index, value) => {
                self.line(format!("atomic {}[{}] by {} {}", self.ptr(*ptr), self.expr(index), op.name(), self.expr(value)));
            }
            Atomic::Combine(combine, ptr, index, value) => {
                self.line(format!("atomic {}[{}] with {}", self.ptr(*ptr), self.expr(index), self.expr(value)));
                self.combine(combine);
            }
            Atomic::Locked(locks, number, body) => {
                self.line(format!("locked {}[{}]", self.ptr(*locks), self.expr(number)));
                self.inner(body);
            }
        }
    }
}

/// A scalar; indices are written without their type.
fn value_text(value: crate::base::Scalar) -> String {
    if let crate::base::Scalar::I64(n) = value { n.to_string() } else { scalar_text(value) }
}
