//! Histograms: a kernel for the bins of the result, and one for bins in the shared memory of blocks that are then combined with those.

use super::Host;
use super::kernel::Kernel;
use super::thread::{Functor, atomic_name};
use crate::back::text::{Emitter, c_type};
use crate::ir::imp::visit::Mention;
use crate::ir::imp::{Atomic, Expr, Hist, Local};
use rustc_hash::FxHashSet;
use std::fmt::Write;

impl Emitter<'_, Host> {
    /// Writes the kernels of a histogram. Returns the call that launches them, without its last arguments.
    pub(super) fn histogram(&mut self, kernel: &Kernel, acc: &str, work: &Hist) -> String {
        let Kernel { name, params, outside, launch, .. } = kernel;
        // Several components that depend on each other need a lock.
        let locked = work.each.is_none() && work.sum.len() > 1;
        let cheap = work.each.as_ref().is_some_and(|each| each.iter().all(Atomic::in_hardware));
        let (shared, sizes) = (format!("{name}_shared"), format!("{}, {}", self.expr(&work.width), self.expr(&work.bins)));
        let mut params = params.to_vec();
        params.extend(["int64_t width", "int64_t bins"].map(String::from));
        self.begin_kernel(name, &params, launch);
        let functors = self.dialect.text.len();
        self.histogram_functors(acc, work, outside);
        let functors = self.dialect.text[functors..].to_string();
        let _ = writeln!(self.dialect.text, "  remora_hist<{acc}>(width, bins, cell, update);");
        self.end_kernel(name);
        params.extend(["int64_t first", "int64_t here", "int64_t copies"].map(String::from));
        self.begin_kernel(&shared, &params, launch);
        self.dialect.text.push_str(&functors);
        self.operator_functor(acc, &work.combine, outside);
        self.own_functor(acc, work, locked);
        let _ = writeln!(
            self.dialect.text,
            "  remora_hist_shared<{acc}, {locked}>(width, first, here, copies, neutral, cell, own, op, update);"
        );
        self.end_kernel(&shared);
        let (locked, cheap) = (i32::from(locked), i32::from(cheap));
        format!("remora_launch_hist(th, \"{name}\", \"{shared}\", {sizes}, sizeof({acc}), {locked}, {cheap}")
    }

    /// What a cell is, and what is done with a bin of the result.
    fn histogram_functors(&mut self, acc: &str, work: &Hist, outside: &FxHashSet<Mention>) {
        let thread = self.thread();
        let (neutral, bin, values) = (thread.list(&work.neutral), thread.expr(&work.bin), thread.list(&work.values));
        let _ = writeln!(self.dialect.text, "  const {acc} neutral = {{{neutral}}};");
        let with = |locals: &[Local]| outside.iter().copied().chain(locals.iter().map(|local| Mention::Set(*local))).collect();
        let (index, place) = (self.local(work.index), self.local(work.place));
        let also: Vec<Expr> = work.values.iter().chain([&work.bin]).cloned().collect();
        let last = format!("bin_ = {bin};\n    return {acc}{{{values}}};");
        self.functor(Functor {
            head: format!("auto cell = [&](int64_t {index}, int64_t &bin_) -> {acc}"),
            first: Vec::new(),
            outside: with(&[work.index]),
            elements: &[],
            body: &work.cell,
            also: &also,
            last: Some(last),
            exit: "return neutral;",
            order: index.clone(),
        });
        let own: Vec<Local> = work.sum.iter().copied().chain([work.place]).collect();
        self.functor(Functor {
            head: format!("auto update = [&](int64_t {place}, {acc} sum_)"),
            first: self.components(&work.sum, "sum_"),
            outside: with(&own),
            elements: &[],
            body: &work.update,
            also: &[],
            last: None,
            exit: "return;",
            order: "INT64_MAX".into(),
        });
    }

    /// What is done with a bin in shared memory.
    fn own_functor(&mut self, acc: &str, work: &Hist, locked: bool) {
        let types: Vec<&str> = work.sum.iter().map(|local| c_type(self.fun.locals[*local].prim)).collect();
        let ty = types[0];
        let out = &mut self.dialect.text;
        let _ = writeln!(out, "  auto own = [&]({acc} *bin_, uint32_t *lock_, const {acc} &value_) {{");
        match &work.each {
            Some(each) => {
                for (k, (op, ty)) in each.iter().zip(types).enumerate() {
                    let _ = if Atomic::in_hardware(op) {
                        writeln!(out, "    remora_atomic_{}(&bin_->v{k}, value_.v{k});", atomic_name(*op))
                    } else {
                        writeln!(
                            out,
                            "    remora_update(&bin_->v{k}, value_.v{k}, [&]({ty} a_, {ty} b_) -> {ty} {{ {acc} x_ = neutral, y_ = neutral; x_.v{k} = a_; y_.v{k} = b_; return op(x_, y_).v{k}; }});"
                        )
                    };
                }
            }
            None if locked => {
                let _ = writeln!(out, "    remora_locked(lock_, 0, [&] {{ *bin_ = op(*bin_, value_); }});");
            }
            None => {
                let _ = writeln!(
                    out,
                    "    remora_update(&bin_->v0, value_.v0, [&]({ty} a_, {ty} b_) -> {ty} {{ return op({acc}{{a_}}, {acc}{{b_}}).v0; }});"
                );
            }
        }
        out.push_str("  };\n");
    }
}
