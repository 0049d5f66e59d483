//! The host plan: statements about memory of the device, launches, entry wrappers.

use super::Host;
use crate::back::text::{Dialect, Emitter, Text, c_type};
use crate::ir::imp::{Expr, Param, Place, Ptr, Result, Stmt};
use std::fmt::Write;

impl Dialect for Host {
    fn stmt(emitter: &mut Emitter<Self>, text: &mut Text, stmt: &Stmt) -> bool {
        emitter.host_stmt(text, stmt)
    }
    fn load(emitter: &Emitter<Self>, ptr: Ptr, index: &Expr) -> String {
        format!("REMORA_LOAD({}, {} + {})", emitter.elem(ptr), emitter.ptr(ptr), emitter.nested(index))
    }
    fn fill(text: &mut Text, buffer: &str, from: &str, count: &str, elem: &str) {
        text.line(&format!("  if (remora_copy(th, remora_data({buffer}), {from}, ({count}) * sizeof({elem}))) goto fail;"));
    }
}

impl Emitter<'_, Host> {
    /// Prints a statement of the host that is not what it is for a processor; returns whether it was one.
    fn host_stmt(&mut self, text: &mut Text, stmt: &Stmt) -> bool {
        // Looking at an element may fail anywhere.
        text.fails = true;
        match stmt {
            Stmt::Store(ptr, index, value) => {
                let (elem, ptr) = (self.elem(*ptr), self.ptr(*ptr));
                let (index, value) = (self.nested(index), self.expr(value));
                text.line("{");
                text.line(&format!("  {elem} value_ = {value};"));
                text.line(&format!("  if (remora_put(th, {ptr} + {index}, &value_, sizeof value_)) goto fail;"));
                text.line("}");
            }
            Stmt::Copy { to: (to, at), from: (from, start), count } => {
                let elem = self.elem(*to);
                let (to, from) =
                    (format!("{} + {}", self.ptr(*to), self.nested(at)), format!("{} + {}", self.ptr(*from), self.nested(start)));
                let count = self.nested(count);
                text.line(&format!("if (remora_copy(th, {to}, {from}, {count} * (int64_t)sizeof({elem}))) goto fail;"));
            }
            Stmt::Point(ptr, Place::Table(k)) => {
                let ptr = self.ptr(*ptr);
                text.line(&format!("{ptr} = remora_table(th, {k}, remora_table_{k}, sizeof remora_table_{k});"));
                text.line(&format!("if (!{ptr}) goto fail;"));
            }
            Stmt::Launch(launch) => self.launch(text, launch),
            Stmt::Comment(_)
            | Stmt::Set(..)
            | Stmt::Point(..)
            | Stmt::Alloc { .. }
            | Stmt::Stack(_)
            | Stmt::Move { .. }
            | Stmt::Transfer { .. }
            | Stmt::Release(_)
            | Stmt::Prefetch(..)
            | Stmt::For { .. }
            | Stmt::Scan(_)
            | Stmt::While(..)
            | Stmt::If(..)
            | Stmt::Check(..)
            | Stmt::Call { .. }
            | Stmt::Parallel(_)
            | Stmt::Atomic(_)
            | Stmt::Ghost(_)
            | Stmt::Probe(_) => return false,
        }
        true
    }

    /// The function that is called from outside: arguments go to the device, results come from there. If they are `resident`, they are
    /// there and stay there.
    pub fn device_wrapper(&self, resident: bool) -> String {
        let fun = self.fun;
        let name = if resident { "resident" } else { "entry" };
        let mut out = format!("\nREMORA_EXPORT int remora_{name}_{}(remora_context *c, const uint64_t *in, uint64_t *out) {{\n", self.id);
        out.push_str("  remora_thread *th = &c->thread[0];\n  int failed = 1;\n  (void)in;\n  (void)out;\n");
        let mut args = vec!["th".to_string()];
        let (mut arrays, mut stores, mut frees) = (String::new(), String::new(), String::new());
        for (k, (param, count)) in fun.params.iter().zip(&fun.counts).enumerate() {
            match param {
                Param::Local(local) => {
                    let (ty, name) = (c_type(fun.locals[*local].prim), self.local(*local));
                    let _ = writeln!(out, "  {ty} {name};\n  memcpy(&{name}, &in[{k}], sizeof {name});");
                    args.push(name);
                }
                Param::Ptr(_) if resident => args.push(format!("(void *)(uintptr_t)in[{k}]")),
                Param::Ptr(ptr) => {
                    let elem = self.elem(*ptr);
                    let _ = writeln!(out, "  remora_block *a{k} = NULL;");
                    let count = self.expr(count);
                    let _ = writeln!(arrays, "  a{k} = remora_argument(th, (const void *)(uintptr_t)in[{k}], {count}, sizeof({elem}));");
                    let _ = writeln!(arrays, "  if (!a{k}) goto done;");
                    let _ = writeln!(frees, "  remora_release(th, &a{k});");
                    args.push(format!("a{k}->data"));
                }
            }
        }
        for (k, result) in fun.results.iter().enumerate() {
            match result {
                Result::Scalar(prim, _) => {
                    let _ = writeln!(out, "  {} r{k};", c_type(*prim));
                    let _ = writeln!(stores, "  out[{k}] = 0;\n  memcpy(&out[{k}], &r{k}, sizeof r{k});");
                }
                Result::Array(..) => {
                    let _ = writeln!(out, "  remora_block *r{k} = NULL;");
                    if !resident {
                        let _ = writeln!(stores, "  if (remora_result(th, r{k})) goto done;");
                    }
                    let _ = writeln!(stores, "  out[{k}] = (uint64_t)(uintptr_t)r{k};");
                    let _ = writeln!(frees, "  if (failed) remora_release(th, &r{k});");
                }
            }
            args.push(format!("&r{k}"));
        }
        let _ = write!(
            out,
            "again:\n  if (remora_begin(c)) goto done;\n{arrays}  if ({}({}) || remora_look(th)) goto done;\n{stores}  failed = 0;\ndone:\n{frees}  \
             if (failed) remora_recover(c);\n  if (failed && remora_more_room(c)) goto again;\n  return failed;\n}}\n",
            self.name(),
            args.join(", ")
        );
        out
    }
}
