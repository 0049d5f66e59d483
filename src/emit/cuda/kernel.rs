//! Kernels and their launches.

use crate::base::scalar::Op;
use crate::emit::c::{Emitter, Mode, Text, c_type, free, message, sanitized};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Atomic, Combine, Expr, Launch, Local, Ptr, Segments, Stmt, Work};
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
}

impl Emitter<'_> {
    /// Writes a kernel, and its launch by the host.
    pub fn launch(&mut self, text: &mut Text, launch: &Launch) {
        let number = self.kernels.names.len();
        // Types and tables of the program end in other ways.
        let name = format!("remora_{}_k{number}", sanitized(launch.name.as_str()));
        let captured = free(&[], |see| visit::kernel(launch, see));
        let mut params = vec!["remora_failure *failure".to_string(), "int64_t launch".to_string()];
        let mut args = vec!["&th->context->failure".to_string(), "&th->context->launches".to_string()];
        for mention in &captured {
            match mention {
                Mention::Set(local) => {
                    params.push(format!("{} {}", c_type(self.fun.locals[*local].prim), self.local(*local)));
                    args.push(format!("&{}", self.local(*local)));
                }
                Mention::Point(ptr) => {
                    params.push(format!("{} *{}", self.elem(*ptr), self.ptr(*ptr)));
                    args.push(format!("&{}", self.ptr(*ptr)));
                }
                _ => {}
            }
        }
        let outside: FxHashSet<Mention> = captured.into_iter().collect();
        let count = args.len();
        let threads = launch.threads.map_or("0".to_string(), |local| self.local(local));
        text.line("{");
        text.line(&format!("  void *args_[{}] = {{{}}};", count + 5, args.join(", ")));
        match &launch.work {
            Work::Map { width, index, body } => {
                let product = self.product(&name, &params, launch, &outside);
                let width = self.expr(width);
                if let Some((pays, launch)) = product {
                    text.line(&format!("  if ({pays}) {{"));
                    text.line(&format!("    if ({launch}, args_, {count})) goto fail;"));
                    text.line("  } else");
                }
                text.line(&format!("  if (remora_launch_map(th, \"{name}\", {width}, {threads}, args_, {count})) goto fail;"));
                params.push("int64_t width".into());
                self.begin_kernel(&name, &params, launch);
                let head = format!("auto cell = [&](int64_t {})", self.local(*index));
                let outside = outside.iter().copied().chain([Mention::Set(*index)]).collect();
                self.functor(Functor {
                    head,
                    first: Vec::new(),
                    outside,
                    body,
                    also: &[],
                    last: None,
                    exit: "return;",
                    order: self.local(*index),
                });
                self.kernels.text.push_str("  remora_for_each(width, cell);\n");
                self.end_kernel(&name);
            }
            Work::Reduce(work) => {
                let acc = self.value_type(number, work);
                let sizes = format!("{}, {}", self.expr(&work.segments), self.expr(&work.width));
                let small = format!("{name}_small");
                text.line(&format!(
                    "  if (remora_launch_reduce(th, \"{name}\", \"{small}\", {sizes}, {threads}, sizeof({acc}), args_, {count})) goto fail;"
                ));
                params.extend(["int64_t segments", "int64_t width", "int64_t parts"].map(String::from));
                params.extend([format!("{acc} *partial"), "uint32_t *counter".into()]);
                let commutes = work.commutative;
                let heavy = heavy(&work.cell);
                for small_one in [false, true] {
                    let name = if small_one { &small } else { &name };
                    self.begin_kernel(name, &params, launch);
                    self.segment_functors(&acc, work, &outside, false);
                    self.kernels.text.push_str(&match small_one {
                        false => format!(
                            "  remora_reduce<{acc}, {commutes}, {heavy}>(segments, width, parts, neutral, partial, counter, cell, op, done);\n"
                        ),
                        true => format!("  remora_reduce_small<{acc}, 32, {commutes}>(segments, width, neutral, cell, op, done);\n"),
                    });
                    self.end_kernel(name);
                }
            }
            Work::Scan(work) => {
                let acc = self.value_type(number, work);
                let sizes = format!("{}, {}", self.expr(&work.segments), self.expr(&work.width));
                text.line(&format!(
                    "  if (remora_launch_scan(th, \"{name}\", {sizes}, {threads}, sizeof({acc}), args_, {count})) goto fail;"
                ));
                params.extend(["int64_t segments", "int64_t width"].map(String::from));
                params.extend([format!("remora_tile<{acc}> *state"), "uint32_t *ticket".into()]);
                self.begin_kernel(&name, &params, launch);
                self.segment_functors(&acc, work, &outside, true);
                let _ = writeln!(self.kernels.text, "  remora_scan<{acc}>(segments, width, neutral, state, ticket, cell, op, done);");
                self.end_kernel(&name);
            }
        }
        text.line("}");
    }

    pub(super) fn begin_kernel(&mut self, name: &str, params: &[String], launch: &Launch) {
        let definition = launch.name.as_str().replace("*/", "");
        let params = params.join(", ");
        let _ = write!(
            self.kernels.text,
            "\n/* {definition} */\nextern \"C\" __global__ void __launch_bounds__(REMORA_BLOCK) {name}({params}) {{\n  REMORA_LAUNCH\n"
        );
        self.kernels.names.push(name.to_string());
    }
    pub(super) fn end_kernel(&mut self, name: &str) {
        let _ = writeln!(self.kernels.text, "}}\nREMORA_ENTRY({name})");
    }

    /// The type of what a reduction or scan combines.
    fn value_type(&mut self, number: usize, work: &Segments) -> String {
        let fields: Vec<String> =
            work.sum.iter().enumerate().map(|(k, local)| format!("  {} v{k};\n", c_type(self.fun.locals[*local].prim))).collect();
        let name = format!("remora_value_{number}");
        let _ = write!(self.kernels.types, "\ntypedef struct {name} {{\n{}}} {name};\n", fields.concat());
        name
    }

    fn segment_functors(&mut self, acc: &str, work: &Segments, outside: &FxHashSet<Mention>, scan: bool) {
        let list = |this: &Self, values: &[Expr]| values.iter().map(|e| this.expr(e)).collect::<Vec<_>>().join(", ");
        let mode = std::mem::replace(&mut self.mode, Mode::Thread);
        let neutral = list(self, &work.neutral);
        let _ = writeln!(self.kernels.text, "  const {acc} neutral = {{{neutral}}};");
        let (segment, index) = (self.local(work.segment), self.local(work.index));
        let with = |locals: &[Local]| outside.iter().copied().chain(locals.iter().map(|local| Mention::Set(*local))).collect();
        self.functor(Functor {
            head: format!("auto cell = [&](int64_t {segment}, int64_t {index}) -> {acc}"),
            first: Vec::new(),
            outside: with(&[work.segment, work.index]),
            body: &work.cell,
            also: &work.values,
            last: Some(format!("return {acc}{{{}}};", list(self, &work.values))),
            exit: "return neutral;",
            order: format!("{segment} * width + {index}"),
        });
        let Combine { left, right, body, results } = &work.combine;
        let parts = |this: &Self, locals: &[Local], from: &str| -> Vec<String> {
            let each = locals.iter().enumerate();
            each.map(|(k, local)| format!("const {} {} = {from}.v{k};", c_type(this.fun.locals[*local].prim), this.local(*local))).collect()
        };
        let mut first = parts(self, left, "a_");
        first.extend(parts(self, right, "b_"));
        let operands: Vec<Local> = left.iter().chain(right).copied().collect();
        self.functor(Functor {
            head: format!("auto op = [&]({acc} a_, {acc} b_) -> {acc}"),
            first,
            outside: with(&operands),
            body,
            also: results,
            last: Some(format!("return {acc}{{{}}};", list(self, results))),
            exit: "return neutral;",
            order: "INT64_MAX".into(),
        });
        let place = if scan { format!("int64_t {segment}, int64_t {index}") } else { format!("int64_t {segment}") };
        let own: Vec<Local> = work.sum.iter().copied().chain([work.segment, work.index]).collect();
        self.functor(Functor {
            head: format!("auto done = [&]({place}, {acc} sum_)"),
            first: parts(self, &work.sum, "sum_"),
            outside: with(&own),
            body: &work.done,
            also: &[],
            last: None,
            exit: "return;",
            order: if scan { format!("{segment} * width + {index}") } else { segment.clone() },
        });
        self.mode = mode;
    }

    pub(super) fn functor(&mut self, functor: Functor) {
        let mode = std::mem::replace(&mut self.mode, Mode::Thread);
        self.kernels.exit = functor.exit.to_string();
        self.kernels.order = functor.order;
        let mut inner = self.open(functor.body, &functor.outside, &|see| functor.also.iter().for_each(|e| visit::expr(e, see)));
        let declared = std::mem::take(&mut inner.out);
        inner.indent = 2;
        self.stmts(&mut inner, functor.body);
        let body = self.close(inner);
        let out = &mut self.kernels.text;
        let _ = writeln!(out, "  {} {{", functor.head);
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
        self.mode = mode;
    }

    /// Writes a statement of a thread that is not what it is for a processor; returns whether it was one.
    pub fn thread_stmt(&mut self, text: &mut Text, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Check(cond, failure) => {
                let (format, args) = message(failure);
                let cond = self.expr(cond);
                let values: String = args.iter().map(|(_, arg)| format!(", (int64_t){}", self.nested(arg))).collect();
                let number = self.kernels.failures.len();
                text.line(&format!("if (!REMORA_LIKELY({cond})) {{"));
                text.line(&format!("  remora_fail_in_order(failure, launch, {}, {number}{values});", self.kernels.order));
                text.line(&format!("  {}", self.kernels.exit));
                text.line("}");
                let read: String = args.iter().enumerate().map(|(k, (cast, _))| format!(", ({cast})failure->args[{k}]")).collect();
                let place = self.place(failure.span);
                self.kernels.failures.push(format!("remora_fail(th, \"{}\", {place}, \"{format}\"{read});", failure.code));
            }
            Stmt::Copy((to, at), (from, start), count) => {
                let (to, from) =
                    (format!("{} + {}", self.ptr(*to), self.nested(at)), format!("{} + {}", self.ptr(*from), self.nested(start)));
                let count = self.expr(count);
                text.line(&format!("remora_move({to}, {from}, {count});"));
            }
            Stmt::Release(_) => {}
            Stmt::Atomic(atomic) => self.atomic(text, atomic),
            _ => return false,
        }
        true
    }

    fn atomic(&mut self, text: &mut Text, atomic: &Atomic) {
        let place = |this: &Self, ptr: Ptr, index: &Expr| format!("&{}[{}]", this.ptr(ptr), this.expr(index));
        match atomic {
            Atomic::Op(op, ptr, index, value) => {
                let name = match op.op {
                    Op::Min => "min",
                    Op::Max => "max",
                    Op::And => "and",
                    Op::Or => "or",
                    Op::Xor => "xor",
                    _ => "add",
                };
                let line = format!("remora_atomic_{name}({}, {});", place(self, *ptr, index), self.expr(value));
                text.line(&line);
            }
            Atomic::Combine(combine, ptr, index, value) => {
                let ty = self.elem(*ptr);
                let (place, value) = (place(self, *ptr, index), self.expr(value));
                let [a, b] = [&combine.left, &combine.right].map(|locals| locals.first().map_or(String::new(), |local| self.local(*local)));
                text.line(&format!("remora_update({place}, ({ty}){value}, [&]({ty} {a}, {ty} {b}) -> {ty} {{"));
                let exit = std::mem::replace(&mut self.kernels.exit, format!("return {a};"));
                self.braces(text, &combine.body);
                self.kernels.exit = exit;
                let result = combine.results.first().map_or(String::new(), |e| self.expr(e));
                text.line(&format!("  return {result};"));
                text.line("});");
            }
            Atomic::Locked(ptr, bin, body) => {
                let line = format!("remora_locked({}, {}, [&] {{", self.ptr(*ptr), self.expr(bin));
                text.line(&line);
                let exit = std::mem::replace(&mut self.kernels.exit, "return;".to_string());
                self.braces(text, body);
                self.kernels.exit = exit;
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

/// Whether there are floating-point operations that take many registers: calls on a GPU.
pub fn heavy(stmts: &[Stmt]) -> bool {
    fn is(e: &Expr) -> bool {
        match e {
            Expr::Op(op, args) => {
                let light = matches!(op.op, Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Min | Op::Max | Op::Abs | Op::Convert(_) | Op::Fma);
                let compares = matches!(op.op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge);
                (op.prim.is_float() && !light && !compares) || args.iter().any(is)
            }
            Expr::Load(_, index) => is(index),
            Expr::Select(a, b, c) => is(a) || is(b) || is(c),
            _ => false,
        }
    }
    stmts.iter().any(|stmt| match stmt {
        Stmt::Set(_, e) | Stmt::Store(_, _, e) => is(e),
        Stmt::For { body, .. } => heavy(body),
        Stmt::If(_, then, els) => heavy(then) || heavy(els),
        Stmt::While(first, _, second) => heavy(first) || heavy(second),
        _ => false,
    })
}
