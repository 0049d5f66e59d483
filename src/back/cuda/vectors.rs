//! Threads that take several neighbouring cells at a time and read and write for them in vectors.

use super::Host;
use super::thread::{Element, Functor};
use crate::back::text::{Emitter, c_type};
use crate::ir::imp::variants::{Access, Vectors};
use crate::ir::imp::visit::Mention;
use crate::ir::imp::{Local, Stmt};
use rustc_hash::FxHashSet;
use std::fmt::Write;

impl Emitter<'_, Host> {
    /// Writes the functor for several cells at a time, behind that for one. Returns the condition of the kernel for it.
    pub(super) fn vectors(&mut self, vectors: &Vectors, index: Local, body: &[Stmt], outside: &FxHashSet<Mention>) -> String {
        let Vectors { each, reads, writes } = vectors;
        let (mut before, mut after, mut elements) = (String::new(), String::new(), Vec::new());
        let mut element = |access: &Access, place: String| elements.push(Element { ptr: access.ptr, index: access.index.clone(), place });
        for (k, access) in reads.iter().enumerate() {
            let from = self.neighbours(access);
            let _ = writeln!(before, "    const auto in{k}_ = remora_take<{each}>({from} + first_);");
            element(access, format!("in{k}_.value[k_]"));
        }
        for (k, access) in writes.iter().enumerate() {
            let (elem, to) = (c_type(self.fun.ptrs[access.ptr].elem), self.neighbours(access));
            let _ = writeln!(before, "    remora_vector<{elem}, {each}> out{k}_;");
            let _ = writeln!(after, "    remora_give<{each}>({to} + first_, out{k}_);");
            // What is read where it is written is what was there before.
            if access.loaded {
                let _ = writeln!(before, "    out{k}_ = remora_take<{each}>({to} + first_);");
            }
            element(access, format!("out{k}_.value[k_]"));
        }
        let _ = write!(
            self.dialect.text,
            "  auto wide = [&](int64_t first_) {{\n{before}#pragma unroll\n    for (int k_ = 0; k_ < {each}; k_++) {{\n"
        );
        self.functor(Functor {
            head: format!("auto one = [&](int64_t {})", self.local(index)),
            first: Vec::new(),
            outside: outside.iter().copied().chain([Mention::Set(index)]).collect(),
            elements: &elements,
            body,
            also: &[],
            last: None,
            exit: "return;",
            order: self.local(index),
        });
        let _ = write!(self.dialect.text, "      one(first_ + k_);\n    }}\n{after}  }};\n");
        let aligned: Vec<String> =
            reads.iter().chain(writes).map(|access| format!("remora_aligned<{each}>({})", self.neighbours(access))).collect();
        aligned.join(" && ")
    }
    /// Where the elements of the cell with number 0 are.
    fn neighbours(&mut self, access: &Access) -> String {
        let thread = self.thread();
        let mut out = thread.ptr(access.ptr);
        for term in &access.base {
            let _ = write!(out, " + {}", thread.nested_subscript(term));
        }
        out
    }
}
