//! Parallel loops: a function for the body, which is called for each chunk of the iterations.

use super::Processor;
use crate::back::text::{Emitter, Text, c_type};
use crate::ir::imp::Parallel;
use crate::ir::imp::visit::{Mention, captured};
use std::fmt::Write;

impl Emitter<'_, Processor> {
    /// A parallel loop: its body becomes a function, what that sees of the surroundings a structure.
    pub(super) fn parallel(&mut self, text: &mut Text, par: &Parallel) {
        text.fails = true;
        let name = format!("{}_piece_{}", self.name(), self.dialect.chunks);
        self.dialect.chunks += 1;
        let captured = captured(&par.body, &[par.lo, par.hi, par.chunk]);
        let mut fields = String::new();
        let mut values = Vec::new();
        let mut loads = Vec::new();
        for mention in &captured {
            let (ty, id) = match mention {
                Mention::Set(local) => (c_type(self.fun.locals[*local].prim).to_string(), self.local(*local)),
                Mention::Point(ptr) => (format!("{} *", self.elem(*ptr)), self.ptr(*ptr)),
                Mention::Read(_) | Mention::Use(_) | Mention::Handle(_) => continue,
            };
            let _ = writeln!(fields, "  {ty} {id};");
            loads.push(format!("{ty} {id} = env->{id};"));
            values.push(format!(".{id} = {id}"));
        }
        let outside = captured.iter().copied().chain([par.lo, par.hi, par.chunk].map(Mention::Set)).collect();
        let mut inner = self.open(&par.body, &outside, &|_| {});
        let mut head = Text::lines();
        if loads.is_empty() {
            head.line("(void)data;");
        } else {
            head.line(&format!("struct {name} *env = data;"));
        }
        loads.iter().for_each(|load| head.line(load));
        let [lo, hi, chunk] = [par.lo, par.hi, par.chunk].map(|local| self.local(local));
        head.line(&format!("(void){chunk};"));
        let outer = std::mem::replace(&mut self.dialect.in_piece, true);
        self.stmts(&mut inner, &par.body);
        self.dialect.in_piece = outer;
        let body = self.close(inner);
        if !loads.is_empty() {
            let _ = write!(self.dialect.outlined, "\nstruct {name} {{\n{fields}}};");
        }
        let _ = write!(
            self.dialect.outlined,
            "\nstatic int {name}(remora_thread *th, void *data, int64_t {lo}, int64_t {hi}, int64_t {chunk}) {{\n{}{body}}}\n",
            head.out
        );
        let (width, chunks) = (self.expr(&par.width), self.expr(&par.chunks));
        if values.is_empty() {
            text.line(&format!("if (remora_parallel(th, {name}, NULL, {width}, {chunks})) goto fail;"));
        } else {
            text.line("{");
            text.line(&format!("  struct {name} env = {{{}}};", values.join(", ")));
            text.line(&format!("  if (remora_parallel(th, {name}, &env, {width}, {chunks})) goto fail;"));
            text.line("}");
        }
    }
}
