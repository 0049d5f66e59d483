//! The code of threads.

use crate::back::text::{Dialect, Emitter, Text, expr, message};
use crate::base::Span;
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::weight::heavy;
use crate::ir::imp::{Atomic, Expr, Int, Local, Order, Ptr, Stmt};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// A functor that is being written: variables that it has from elsewhere, and how it begins and ends.
pub(super) struct Functor<'a> {
    pub head: String,
    pub first: Vec<String>,
    pub outside: FxHashSet<Mention>,
    pub body: &'a [Stmt],
    pub also: &'a [Expr],
    pub last: Option<String>,
    pub exit: &'a str,
    /// The number of the cell among all.
    pub order: String,
    /// Elements that are at hand.
    pub elements: &'a [Element],
}

/// An element that a thread has at hand, and where.
pub(super) struct Element {
    pub ptr: Ptr,
    pub index: Expr,
    pub place: String,
}

/// The text for a thread of a device.
pub(super) struct Thread<'k> {
    /// How a thread gives up.
    pub exit: String,
    /// The number of the cell that is computed.
    pub order: String,
    /// Whether threads make buffers.
    pub heap: bool,
    /// Elements that the thread has at hand.
    pub elements: &'k [Element],
    /// What the host does about failures.
    pub failures: &'k mut Vec<String>,
}

impl Dialect for Thread<'_> {
    fn stmt(emitter: &mut Emitter<Self>, text: &mut Text, stmt: &Stmt) -> bool {
        emitter.thread_stmt(text, stmt)
    }
    fn element(emitter: &Emitter<Self>, ptr: Ptr, index: &Expr) -> String {
        let at_hand = emitter.dialect.elements.iter().find(|element| element.ptr == ptr && element.index == *index);
        at_hand.map_or_else(|| emitter.plain_element(ptr, index), |element| element.place.clone())
    }
    fn int(emitter: &Emitter<Self>, op: Int, a: &Expr, b: &Expr) -> String {
        if matches!(op, Int::Div | Int::Rem) {
            let quotient = format!("remora_quotient({}, {})", emitter.expr(a), emitter.expr(b));
            let (a, b) = (emitter.nested(a), emitter.nested(b));
            return if op == Int::Div { quotient } else { format!("(int64_t)((uint64_t){a} - (uint64_t){quotient} * (uint64_t){b})") };
        }
        // The compilers of kernels take signed arithmetic for free of overflow, and cannot be told otherwise.
        match expr::signed(op) {
            Some(sign) => format!("(int64_t)((uint64_t){} {sign} (uint64_t){})", emitter.nested(a), emitter.nested(b)),
            None => emitter.plain_int(op, a, b),
        }
    }
    fn loop_mark(_: &Emitter<Self>, _: &Text, _: Local, _: &Order, body: &[Stmt]) -> Option<String> {
        heavy(body).then(|| "#pragma unroll 1".into())
    }
    fn thread(_: &Emitter<Self>) -> String {
        "((int64_t)blockIdx.x * REMORA_BLOCK + threadIdx.x)".into()
    }
    fn give_up(&self) -> &str {
        &self.exit
    }
    fn owns_buffers(&self) -> bool {
        self.heap
    }
    // What a thread owns lasts until its cell is done.
    fn end(_: &Emitter<Self>, _: &mut Text) {}
}

impl<'k> Emitter<'_, Thread<'k>> {
    /// Expressions with commas.
    pub fn list(&self, values: &[Expr]) -> String {
        values.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }
    /// A functor.
    pub fn functor(mut self, functor: Functor<'k>) -> String {
        self.dialect.exit = functor.exit.to_string();
        self.dialect.order = functor.order;
        self.dialect.elements = functor.elements;
        let mut inner = self.open(functor.body, &functor.outside, &|see| functor.also.iter().for_each(|e| visit::expr(e, see)));
        let declared = std::mem::take(&mut inner.out);
        inner.indent = 2;
        self.stmts(&mut inner, functor.body);
        let body = self.close(inner);
        let mut out = format!("  {} {{\n", functor.head);
        if self.dialect.heap {
            out.push_str("    remora_heap heap_ = remora_heap_of(room, room_bytes, failure, launch), *const th = &heap_;\n");
        }
        functor.first.iter().for_each(|line| {
            let _ = writeln!(out, "    {line}");
        });
        declared.lines().for_each(|line| {
            let _ = writeln!(out, "  {line}");
        });
        out.push_str(&body);
        if let Some(last) = functor.last {
            let _ = writeln!(out, "    {last}");
        }
        out.push_str("  };\n");
        out
    }

    /// Prints a statement of a thread that is not what it is for a processor; returns whether it was one.
    fn thread_stmt(&mut self, text: &mut Text, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Check(cond, failure) => {
                let (format, args) = message(failure);
                let cond = self.expr(cond);
                let values: String = args.iter().map(|(_, arg)| format!(", (int64_t){}", self.nested(arg))).collect();
                let number = self.dialect.failures.len();
                text.line(&format!("if (!REMORA_LIKELY({cond})) {{"));
                text.line(&format!(
                    "  remora_fail(failure, launch, {}({}), {number}{values});",
                    mutated!(KernelLastFailure, "", "-"),
                    self.dialect.order
                ));
                text.line(&format!("  {}", self.dialect.exit));
                text.line("}");
                let read: String = args.iter().enumerate().map(|(k, (cast, _))| format!(", ({cast})failure->args[{k}]")).collect();
                let place = self.place(failure.span);
                self.dialect.failures.push(format!("remora_fail(th, \"{}\", {place}, \"{format}\"{read});", failure.code));
            }
            Stmt::Copy { to: (to, at), from: (from, start), count } => {
                let (to, from) = (
                    format!("{} + {}", self.ptr(*to), self.nested_subscript(at)),
                    format!("{} + {}", self.ptr(*from), self.nested_subscript(start)),
                );
                let count = self.expr(count);
                text.line(&format!("remora_move({to}, {from}, {count});"));
            }
            Stmt::Atomic(atomic) => self.atomic(text, atomic),
            Stmt::Comment(_)
            | Stmt::Set(..)
            | Stmt::Point(..)
            | Stmt::Alloc { .. }
            | Stmt::Stack(_)
            | Stmt::Move { .. }
            | Stmt::Transfer { .. }
            | Stmt::Release(_)
            | Stmt::Store(..)
            | Stmt::Prefetch(..)
            | Stmt::For { .. }
            | Stmt::Scan(_)
            | Stmt::While(..)
            | Stmt::If(..)
            | Stmt::Call { .. }
            | Stmt::Parallel(_)
            | Stmt::Launch(_)
            | Stmt::Ghost(_)
            | Stmt::Probe(_) => return false,
        }
        true
    }

    fn atomic(&mut self, text: &mut Text, atomic: &Atomic) {
        let place = |this: &Self, ptr: Ptr, index: &Expr| format!("&{}[{}]", this.ptr(ptr), this.subscript(index));
        match atomic {
            Atomic::Op(op, ptr, index, value) => {
                let name = atomic_name(*op);
                let line = format!("remora_atomic_{name}({}, {});", place(self, *ptr, index), self.expr(value));
                text.line(&line);
            }
            Atomic::Combine(combine, ptr, index, value) => {
                let ty = self.elem(*ptr);
                let (place, value) = (place(self, *ptr, index), self.expr(value));
                let [a, b] = [&combine.left, &combine.right].map(|locals| locals.first().map_or(String::new(), |local| self.local(*local)));
                text.line(&format!("remora_update({place}, ({ty}){value}, [&]({ty} {a}, {ty} {b}) -> {ty} {{"));
                let exit = std::mem::replace(&mut self.dialect.exit, format!("return {a};"));
                self.braces(text, &combine.body);
                self.dialect.exit = exit;
                let result = combine.results.first().map_or(String::new(), |e| self.expr(e));
                text.line(&format!("  return {result};"));
                text.line("});");
            }
            Atomic::Locked(ptr, bin, body) => {
                let line = format!("remora_locked({}, {}, [&] {{", self.ptr(*ptr), self.expr(bin));
                text.line(&line);
                let exit = std::mem::replace(&mut self.dialect.exit, "return;".to_string());
                self.braces(text, body);
                self.dialect.exit = exit;
                text.line("});");
            }
        }
    }
    /// Statements one step further in; their variables belong to the functor around.
    fn braces(&mut self, text: &mut Text, body: &[Stmt]) {
        text.indent += 1;
        self.stmts(text, body);
        text.indent -= 1;
    }
}

/// What the device library calls an operation on memory.
pub(super) fn atomic_name(op: ScalarOp) -> &'static str {
    let names = [(Op::Add, "add"), (Op::Min, "min"), (Op::Max, "max"), (Op::And, "and"), (Op::Or, "or"), (Op::Xor, "xor")];
    let found = names.into_iter().find_map(|(known, name)| (known == op.op).then_some(name));
    found.unwrap_or_else(|| crate::ice!(Span::default(), "memory cannot do `{}` by itself", op.name()))
}
