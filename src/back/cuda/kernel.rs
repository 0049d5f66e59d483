//! Kernels and their launches.

use super::Host;
use super::product::Choice;
use super::thread::{Functor, Thread};
use crate::back::text::{Emitter, Text, c_type, sanitized};
use crate::ir::imp::visit::{self, Mention, free};
use crate::ir::imp::weight::heavy;
use crate::ir::imp::{Combine, Expr, Hist, Launch, Local, Segments, Stmt, Transpose, Work};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Blocks that are to fit on a multiprocessor: threads may have 128 registers. If nothing is said, NVIDIA's assembler prefers more threads, and
/// saves some of what is in registers; with four, kernels with large bodies do not fit.
const BLOCKS: u32 = 2;

/// Arguments that the functions of the host plan that launch kernels add, at most (`remora_launch_reduce` by columns).
const MOST_MORE: usize = 6;

/// A kernel that is being written.
pub(super) struct Kernel<'a> {
    pub number: usize,
    pub name: String,
    /// Its parameters that all kinds of kernels have.
    pub params: Vec<String>,
    /// How many arguments the host has for these.
    pub args: usize,
    /// What its text mentions of the host's variables.
    pub outside: FxHashSet<Mention>,
    /// The number of threads, or 0 if that is left to the launch.
    pub threads: String,
    /// What the host does when a launch fails.
    pub give_up: &'static str,
    pub launch: &'a Launch,
}

impl Emitter<'_, Host> {
    /// Writes a kernel, and its launch by the host.
    pub fn launch(&mut self, text: &mut Text, launch: &Launch) {
        let number = self.dialect.count;
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
                Mention::Read(_) | Mention::Use(_) | Mention::Handle(_) => {}
            }
        }
        let outside: FxHashSet<Mention> = captured.into_iter().collect();
        self.dialect.heap = launch.heap;
        let mut threads = launch.threads.map_or("0".to_string(), |local| self.local(local));
        let mut give_up = "goto fail;";
        text.line("{");
        if launch.heap {
            params.extend(["char *room", "int64_t room_bytes"].map(String::from));
            args.extend(["&room_->data", "&th->context->room"].map(String::from));
            let width = self.cells(&launch.work);
            text.line("  remora_block *room_ = NULL;");
            text.line("  int failed_ = 0;");
            text.line(&format!("  int64_t threads_ = remora_room(th, {width}, &room_);"));
            text.line("  if (threads_ == 0) goto fail;");
            (threads, give_up) = ("threads_".into(), "failed_ = 1;");
        }
        let count = args.len();
        text.line(&format!("  void *args_[{}] = {{{}}};", count + MOST_MORE, args.join(", ")));
        let kernel = Kernel { number, name, params, args: count, outside, threads, give_up, launch };
        match &launch.work {
            Work::Map { width, index, body } => self.map_kernel(text, kernel, width, *index, body),
            Work::Reduce(work) => self.reduce_kernel(text, kernel, work),
            Work::Scan(work) => self.scan_kernel(text, kernel, work),
            Work::Transpose(work) => self.transpose_kernel(text, kernel, work),
            Work::Hist(work) => self.hist_kernel(text, kernel, work),
        }
        if launch.heap {
            text.line("  remora_release(th, &room_);");
            text.line("  if (failed_) goto fail;");
        }
        self.dialect.heap = false;
        text.line("}");
    }
    fn map_kernel(&mut self, text: &mut Text, kernel: Kernel, width: &Expr, index: Local, body: &[Stmt]) {
        let product = kernel.launch.variants.product.as_ref().map(|product| self.product(&kernel, product, width, index));
        let Kernel { name, mut params, args, outside, threads, give_up, launch, .. } = kernel;
        let width = self.expr(width);
        if let Some(Choice { pays, launch }) = product {
            text.line(&format!("  if ({pays}) {{"));
            text.line(&format!("    if ({launch}, args_, {args})) {give_up}"));
            text.line("  } else");
        }
        params.push("int64_t width".into());
        self.begin_kernel(&name, &params, launch);
        let head = format!("auto cell = [&](int64_t {})", self.local(index));
        let inside = outside.iter().copied().chain([Mention::Set(index)]).collect();
        self.functor(Functor {
            head,
            first: Vec::new(),
            outside: inside,
            elements: &[],
            body,
            also: &[],
            last: None,
            exit: "return;",
            order: self.local(index),
        });
        let each = launch.variants.vectors.as_ref().map_or(1, |vectors| vectors.each);
        if let Some(vectors) = &launch.variants.vectors {
            let aligned = self.vectors(vectors, index, body, &outside);
            let _ = writeln!(self.dialect.text, "  remora_for_each_wide<{each}>(width, {aligned}, cell, wide);");
        } else {
            self.dialect.text.push_str("  remora_for_each(width, cell);\n");
        }
        self.end_kernel(&name);
        text.line(&format!("  if (remora_launch_map(th, \"{name}\", {width}, {each}, {threads}, args_, {args})) {give_up}"));
    }
    fn reduce_kernel(&mut self, text: &mut Text, kernel: Kernel, work: &Segments) {
        let Kernel { number, name, mut params, args, outside, threads, give_up, launch } = kernel;
        let acc = self.value_type(number, &work.sum);
        let sizes = format!("{}, {}", self.expr(&work.segments), self.expr(&work.width));
        let small = format!("{name}_small");
        let columns = launch.variants.columns.then(|| format!("{name}_columns"));
        let named = columns.as_ref().map_or("NULL".to_string(), |name| format!("\"{name}\""));
        text.line(&format!(
            "  if (remora_launch_reduce(th, \"{name}\", \"{small}\", {named}, {sizes}, {threads}, sizeof({acc}), args_, {args})) {give_up}"
        ));
        params.extend(["int64_t segments", "int64_t width", "int64_t parts"].map(String::from));
        params.extend([format!("{acc} *partial"), "uint32_t *counter".into()]);
        let commutes = work.commutative;
        let heavy = heavy(&work.cell);
        self.begin_kernel(&name, &params, launch);
        let functors = self.dialect.text.len();
        self.segment_functors(&acc, work, &outside, false);
        let functors = self.dialect.text[functors..].to_string();
        let _ = writeln!(
            self.dialect.text,
            "  remora_reduce<{acc}, {commutes}, {heavy}>(segments, width, parts, neutral, partial, counter, cell, op, done);"
        );
        self.end_kernel(&name);
        self.begin_kernel(&small, &params, launch);
        self.dialect.text.push_str(&functors);
        let _ = writeln!(
            self.dialect.text,
            "  remora_reduce_small<{acc}, {commutes}, {heavy}>(segments, width, parts, neutral, cell, op, done);"
        );
        self.end_kernel(&small);
        if let Some(columns) = columns {
            params.push("int64_t across".into());
            self.begin_kernel(&columns, &params, launch);
            self.dialect.text.push_str(&functors);
            let _ = writeln!(
                self.dialect.text,
                "  remora_reduce_columns<{acc}, {commutes}, {heavy}>(segments, width, parts, across, neutral, partial, counter, cell, op, done);"
            );
            self.end_kernel(&columns);
        }
    }
    fn scan_kernel(&mut self, text: &mut Text, kernel: Kernel, work: &Segments) {
        let Kernel { number, name, mut params, args, outside, threads, give_up, launch } = kernel;
        let acc = self.value_type(number, &work.sum);
        let sizes = format!("{}, {}", self.expr(&work.segments), self.expr(&work.width));
        text.line(&format!("  if (remora_launch_scan(th, \"{name}\", {sizes}, {threads}, sizeof({acc}), args_, {args})) {give_up}"));
        params.extend(["int64_t segments", "int64_t width"].map(String::from));
        params.extend([format!("remora_tile<{acc}> *state"), "uint32_t *ticket".into()]);
        self.begin_kernel(&name, &params, launch);
        self.segment_functors(&acc, work, &outside, true);
        let _ = writeln!(self.dialect.text, "  remora_scan<{acc}>(segments, width, neutral, state, ticket, cell, op, done);");
        self.end_kernel(&name);
    }
    fn transpose_kernel(&mut self, text: &mut Text, kernel: Kernel, work: &Transpose) {
        let Kernel { name, mut params, args, give_up, launch, .. } = kernel;
        let [planes, rows, columns] = [&work.planes, &work.rows, &work.columns].map(|e| self.expr(e));
        text.line(&format!("  if (remora_launch_transpose(th, \"{name}\", {planes}, {rows}, {columns}, args_, {args})) {give_up}"));
        params.extend(["int64_t planes", "int64_t rows", "int64_t columns"].map(String::from));
        self.begin_kernel(&name, &params, launch);
        let elem = self.elem(work.from.0);
        let thread = self.thread();
        let [from, to] = [&work.from, &work.to].map(|(ptr, offset)| format!("{} + {}", thread.ptr(*ptr), thread.nested(offset)));
        let _ = writeln!(self.dialect.text, "  remora_transpose<{elem}>(planes, rows, columns, {from}, {to});");
        self.end_kernel(&name);
    }
    fn hist_kernel(&mut self, text: &mut Text, kernel: Kernel, work: &Hist) {
        let acc = self.value_type(kernel.number, &work.sum);
        let call = self.histogram(&kernel, &acc, work);
        let Kernel { args, threads, give_up, .. } = kernel;
        text.line(&format!("  if ({call}, {threads}, args_, {args})) {give_up}"));
    }
    /// How many cells a kernel has.
    fn cells(&self, work: &Work) -> String {
        match work {
            Work::Map { width, .. } | Work::Hist(Hist { width, .. }) => self.expr(width),
            Work::Transpose(_) => "0".into(),
            Work::Reduce(work) | Work::Scan(work) => format!("remora_count({}, {})", self.expr(&work.segments), self.expr(&work.width)),
        }
    }

    pub(super) fn begin_kernel(&mut self, name: &str, params: &[String], launch: &Launch) {
        let definition = launch.name.as_str().replace("*/", "");
        let params = params.join(", ");
        let _ = write!(
            self.dialect.text,
            "\n/* {definition} */\nextern \"C\" __global__ void __launch_bounds__(REMORA_BLOCK, {BLOCKS}) {name}({params}) {{\n  REMORA_KERNEL\n"
        );
        self.dialect.count += 1;
    }
    pub(super) fn end_kernel(&mut self, name: &str) {
        let _ = writeln!(self.dialect.text, "}}\nREMORA_ENTRY({name})");
    }

    /// The type of what a reduction or scan combines.
    fn value_type(&mut self, number: usize, sum: &[Local]) -> String {
        let fields: Vec<String> =
            sum.iter().enumerate().map(|(k, local)| format!("  {} v{k};\n", c_type(self.fun.locals[*local].prim))).collect();
        let name = format!("remora_value_{number}");
        let _ = write!(self.dialect.types, "\ntypedef struct {name} {{\n{}}} {name};\n", fields.concat());
        name
    }

    fn segment_functors(&mut self, acc: &str, work: &Segments, outside: &FxHashSet<Mention>, scan: bool) {
        let neutral = self.thread().list(&work.neutral);
        let values = self.thread().list(&work.values);
        let _ = writeln!(self.dialect.text, "  const {acc} neutral = {{{neutral}}};");
        let (segment, index) = (self.local(work.segment), self.local(work.index));
        let with = |locals: &[Local]| outside.iter().copied().chain(locals.iter().map(|local| Mention::Set(*local))).collect();
        self.functor(Functor {
            head: format!("auto cell = [&](int64_t {segment}, int64_t {index}) -> {acc}"),
            first: Vec::new(),
            outside: with(&[work.segment, work.index]),
            elements: &[],
            body: &work.cell,
            also: &work.values,
            last: Some(format!("return {acc}{{{values}}};")),
            exit: "return neutral;",
            order: format!("{segment} * width + {index}"),
        });
        self.operator_functor(acc, &work.combine, outside);
        let place = if scan { format!("int64_t {segment}, int64_t {index}") } else { format!("int64_t {segment}") };
        let own: Vec<Local> = work.sum.iter().copied().chain([work.segment, work.index]).collect();
        self.functor(Functor {
            head: format!("auto done = [&]({place}, {acc} sum_)"),
            first: self.components(&work.sum, "sum_"),
            outside: with(&own),
            elements: &[],
            body: &work.done,
            also: &[],
            last: None,
            exit: "return;",
            order: if scan { format!("{segment} * width + {index}") } else { segment.clone() },
        });
    }

    /// Lines that take a value apart.
    pub(super) fn components(&self, locals: &[Local], from: &str) -> Vec<String> {
        let each = locals.iter().enumerate();
        each.map(|(k, local)| format!("const {} {} = {from}.v{k};", c_type(self.fun.locals[*local].prim), self.local(*local))).collect()
    }
    /// What combines two values.
    pub(super) fn operator_functor(&mut self, acc: &str, combine: &Combine, outside: &FxHashSet<Mention>) {
        let Combine { left, right, body, results } = combine;
        let mut first = self.components(left, "a_");
        first.extend(self.components(right, "b_"));
        let last = Some(format!("return {acc}{{{}}};", self.thread().list(results)));
        self.functor(Functor {
            head: format!("auto op = [&]({acc} a_, {acc} b_) -> {acc}"),
            first,
            outside: outside.iter().copied().chain(left.iter().chain(right).map(|local| Mention::Set(*local))).collect(),
            elements: &[],
            body,
            also: results,
            last,
            exit: "return neutral;",
            order: "INT64_MAX".into(),
        });
    }

    /// Writes a functor.
    pub(super) fn functor(&mut self, functor: Functor) {
        let text = self.thread().functor(functor);
        self.dialect.text.push_str(&text);
    }
    /// What prints the code of a thread.
    pub(super) fn thread(&mut self) -> Emitter<'_, Thread<'_>> {
        let Host { heap, failures, .. } = &mut self.dialect;
        let dialect = Thread { exit: String::new(), order: String::new(), heap: *heap, elements: &[], failures };
        Emitter { program: self.program, fun: self.fun, id: self.id, places: self.places, dialect }
    }
}
