//! Prints statements of imp as those of C, where processors and devices have the same: loops, branches, buffers, checks, calls.

use super::{Dialect, Emitter, Text, function_name, message};
use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::imp::{Arg, Expr, Failure, FunId, Handle, Local, Order, Place, Ptr, Receiver, Scan, Stmt};

impl<D: Dialect> Emitter<'_, D> {
    /// Statements, one after the other.
    pub fn stmts(&mut self, text: &mut Text, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(text, stmt);
        }
    }
    /// Statements in braces of their own.
    pub fn inner(&mut self, text: &mut Text, stmts: &[Stmt]) {
        let outer = text.block;
        text.block = text.homes.next_block();
        text.indent += 1;
        self.declare(text);
        self.stmts(text, stmts);
        text.indent -= 1;
        text.block = outer;
    }

    fn stmt(&mut self, text: &mut Text, stmt: &Stmt) {
        if D::stmt(self, text, stmt) {
            return;
        }
        match stmt {
            Stmt::Ghost(_) => {}
            Stmt::Comment(line) => text.line(&format!("/* {} */", line.replace("*/", ""))),
            Stmt::Set(local, e) => {
                let line = format!("{} = {};", self.local(*local), self.expr(e));
                text.line(&line);
            }
            Stmt::Point(ptr, place) => {
                let place = match place {
                    Place::Ptr(base, offset) if offset.as_int() == Some(0) => self.ptr(*base),
                    Place::Ptr(base, offset) => format!("{} + {}", self.ptr(*base), self.nested_subscript(offset)),
                    Place::Table(k) => format!("({} *)remora_table_{k}", self.elem(*ptr)),
                };
                let line = format!("{} = {place};", self.ptr(*ptr));
                text.line(&line);
            }
            Stmt::Alloc { handle, ptr, count, span } => self.alloc(text, *handle, *ptr, count, *span),
            Stmt::Stack(_) => {}
            Stmt::Move { to, from } => {
                let (to, from) = (self.handle(*to), self.handle(*from));
                text.line(&mutated!(MoveForgets, format!("remora_release(th, &{to});"), String::new()));
                text.line(&format!("{to} = {from};"));
                text.line(&format!("{from} = NULL;"));
            }
            Stmt::Transfer { to, ptr, from, count, span } => self.transfer(text, *to, *ptr, from, count, *span),
            Stmt::Release(handle) => {
                let line = format!("remora_release(th, &{});", self.handle(*handle));
                text.line(&line);
            }
            Stmt::Store(ptr, index, value) => {
                let line = format!("{} = {};", D::element(self, *ptr, index), self.expr(value));
                text.line(&line);
            }
            Stmt::Prefetch(ptr, index) => {
                let line = format!("__builtin_prefetch({} + {});", self.ptr(*ptr), self.nested(index));
                text.line(&line);
            }
            Stmt::Copy { to: (to, at), from: (from, start), count } => {
                let size = self.elem(*to);
                let (to, from) =
                    (format!("{} + {}", self.ptr(*to), self.nested(at)), format!("{} + {}", self.ptr(*from), self.nested(start)));
                let line = format!(
                    "memmove({to}, {from}, (size_t){count} * sizeof({size}));",
                    from = D::source(&from),
                    count = self.nested(count)
                );
                text.line(&line);
            }
            Stmt::For { var, from, to, order, body } => self.for_loop(text, *var, from, to, order, body),
            Stmt::Scan(scan) => self.scan(text, scan),
            Stmt::While(first, cond, second) => self.while_loop(text, first, cond, second),
            Stmt::If(cond, then, els) => {
                let line = format!("if ({}) {{", self.expr(cond));
                text.line(&line);
                self.inner(text, then);
                if els.is_empty() {
                    text.homes.next_block();
                } else {
                    text.line("} else {");
                    self.inner(text, els);
                }
                text.line("}");
            }
            Stmt::Check(cond, failure) => self.check(text, cond, failure),
            Stmt::Call { fun, args, results, span } => self.call(text, *fun, args, results, *span),
            // Only some texts have these, and their dialects print them.
            Stmt::Parallel(_) => crate::ice!(self.fun.span, "a parallel loop on a device"),
            Stmt::Launch(launch) => crate::ice!(launch.span, "a kernel is launched where there is no device"),
            Stmt::Atomic(_) => crate::ice!(self.fun.span, "a change of memory that other threads see, outside of kernels"),
            Stmt::Probe(_) => crate::ice!(self.fun.span, "a program for a device is profiled"),
        }
    }

    fn alloc(&mut self, text: &mut Text, handle: Handle, ptr: Ptr, count: &Expr, span: Span) {
        text.fails = true;
        let (handle, elem) = (self.handle(handle), self.elem(ptr));
        let place = self.place(span);
        let count = self.expr(count);
        text.line(&format!("{handle} = remora_alloc(th, {count}, sizeof({elem}), {place});"));
        let exit = self.dialect.give_up();
        text.line(&format!("if (!{handle}) {exit}"));
        let line = format!("{} = ({elem} *)remora_data({handle});", self.ptr(ptr));
        text.line(&line);
    }
    fn while_loop(&mut self, text: &mut Text, first: &[Stmt], cond: &Expr, second: &[Stmt]) {
        text.line("for (;;) {");
        let outer = text.block;
        text.block = text.homes.next_block();
        text.indent += 1;
        self.declare(text);
        self.breath(text);
        self.stmts(text, first);
        let line = format!("if (!{}) break;", self.nested(cond));
        text.line(&line);
        self.stmts(text, second);
        text.indent -= 1;
        text.block = outer;
        text.line("}");
    }
    /// A call of a function of the program. Where it fails, so does this one.
    fn call(&mut self, text: &mut Text, fun: FunId, args: &[Arg], results: &[Receiver], span: Span) {
        text.fails = true;
        let callee = &self.program.funs[fun];
        let mut list = vec!["th".to_string()];
        for arg in args {
            list.push(match arg {
                Arg::Scalar(e) => self.expr(e),
                Arg::Array(ptr, offset) if offset.as_int() == Some(0) => self.ptr(*ptr),
                Arg::Array(ptr, offset) => format!("{} + {}", self.ptr(*ptr), self.nested_subscript(offset)),
            });
        }
        for target in results {
            list.push(match target {
                Receiver::Local(local) => format!("&{}", self.local(*local)),
                Receiver::Array(_, handle) => format!("&{}", self.handle(*handle)),
            });
        }
        text.line(&format!("if ({}({})) {{", function_name(callee.name, fun.raw()), list.join(", ")));
        let place = self.place(span);
        text.line(&format!("  remora_leave(th, {place});"));
        text.line("  goto fail;");
        text.line("}");
        for target in results {
            if let Receiver::Array(ptr, handle) = target {
                let line = format!("{} = remora_data({});", self.ptr(*ptr), self.handle(*handle));
                text.line(&line);
            }
        }
    }

    fn transfer(&mut self, text: &mut Text, to: Handle, ptr: Ptr, from: &[Handle], count: &Expr, span: Span) {
        text.fails = true;
        let (to, elem, p) = (self.handle(to), self.elem(ptr), self.ptr(ptr));
        let mut prefix = "";
        for owner in from {
            let owner = self.handle(*owner);
            text.line(&format!("{prefix}if ({owner} && (void *){p} == remora_data({owner})) {{"));
            text.line(&format!("  {to} = {owner};"));
            text.line(&mutated!(GiveTwice, format!("  {owner} = NULL;"), String::new()));
            prefix = "} else ";
        }
        text.line(&format!("{prefix}{{"));
        let (count, place) = (self.expr(count), self.place(span));
        text.line(&format!("  {to} = remora_alloc(th, {count}, sizeof({elem}), {place});"));
        let exit = self.dialect.give_up();
        text.line(&format!("  if (!{to}) {exit}"));
        D::fill(text, &to, &p, &count, elem);
        text.line(&format!("  {p} = ({elem} *)remora_data({to});"));
        text.line("}");
    }

    fn for_loop(&mut self, text: &mut Text, var: Local, from: &Expr, to: &Expr, order: &Order, body: &[Stmt]) {
        let mark = D::loop_mark(self, text, var, order, body);
        if let Some(mark) = &mark {
            text.line(mark);
        }
        let (var, from, to) = (self.local(var), self.expr(from), self.nested(to));
        text.line(&format!("for (int64_t {var} = {from}; {var} < {to}; {var}++) {{"));
        if mark.is_none() && matches!(order, Order::Sequential) {
            text.indent += 1;
            self.breath(text);
            text.indent -= 1;
        }
        self.inner(text, body);
        text.line("}");
    }
    fn breath(&self, text: &mut Text) {
        if let Some(line) = self.dialect.breath() {
            text.fails = true;
            text.line(line);
        }
    }
    /// A loop that collects and uses what it has collected, in two blocks.
    fn scan(&mut self, text: &mut Text, scan: &Scan) {
        let (var, from, to) = (self.local(scan.var), self.expr(&scan.from), self.nested(&scan.to));
        text.line(&format!("for (int64_t {var} = {from}; {var} < {to}; {var}++) {{"));
        for body in [&scan.cell, &scan.done] {
            text.line("{");
            self.inner(text, body);
            text.line("}");
        }
        text.line("}");
    }

    fn check(&mut self, text: &mut Text, cond: &Expr, failure: &Failure) {
        text.fails = true;
        let cond = self.expr(cond);
        let (format, args) = message(failure);
        let args: String = args.iter().map(|(cast, arg)| format!(", ({cast}){}", self.nested(arg))).collect();
        text.line(&format!("if (!REMORA_LIKELY({cond})) {{"));
        let place = self.place(failure.span);
        text.line(&format!("  remora_fail(th, \"{}\", {place}, \"{format}\"{args});", failure.code));
        text.line("  goto fail;");
        text.line("}");
    }
}
