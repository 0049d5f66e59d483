//! Programs as C: the run-time support (`runtime.c`; `marks.c` says what a C compiler is told about loops), constant tables, a function for each function, a function for
//! the body of each parallel loop, and a door for each entry point.
//!
//! The door of entry point number `k` is `int remora_entry_k(remora_context *, const uint64_t *in, uint64_t *out)`: scalars in the low
//! bytes of a word, arrays as pointers to their elements; results that are arrays as pointers to buffers (`runtime.c` has
//! `remora_array_data` for them), which the caller frees. It returns 0, or 1 after a failure.

pub(in crate::back) mod expr;
mod handles;
mod library;
mod scope;

pub use handles::Interface;
pub(in crate::back) use library::{Device, Doors, door_names};
pub use library::{Library, Shown, library};

use super::cuda::Kernels;
use crate::base::mutation::{mutated, mutated_text};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{Code, PrimType, Span};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{
    Arg, Expr, Failure, Fun, FunId, Handle, Int, Local, Order, Parallel, Param, Place, Program, Ptr, Result, Scan, Stmt, Target,
};
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Also, Homes};
use std::fmt::Write;

/// What vector loops consist of, without programs: how loops are marked, and scalar operations.
pub const LOOPS: &str = concat!(include_str!("marks.c"), include_str!("scalars.c"), include_str!("reductions.c"));

const RUNTIME: &str = concat!(
    include_str!("sizes.c"),
    include_str!("marks.c"),
    include_str!("runtime.c"),
    include_str!("scalars.c"),
    include_str!("reductions.c"),
    "\n",
    include_str!("contexts.c"),
    include_str!("errors.c")
);

/// The text of a program, and the places that its failures name by their numbers.
pub fn emit(program: &Program, strict: bool) -> (String, Places) {
    let head = if strict { "#define REMORA_STRICT\n" } else { "" };
    let mut places = Places::default();
    (text(program, head, &mut places), places)
}

/// Places in the source that failures name by their numbers. Number 0 is no place.
#[derive(Debug, Clone)]
pub struct Places {
    list: Vec<Span>,
    numbers: FxHashMap<Span, usize>,
}

impl Default for Places {
    fn default() -> Places {
        Places { list: vec![Span::default()], numbers: FxHashMap::from_iter([(Span::default(), 0)]) }
    }
}

impl Places {
    fn number(&mut self, span: Span) -> usize {
        *self.numbers.entry(span).or_insert_with(|| {
            self.list.push(span);
            self.list.len() - 1
        })
    }
    /// The places in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.list.iter().copied()
    }
}

/// The text with `head` in front; places of failures are added to `places`.
fn text(program: &Program, head: &str, places: &mut Places) -> String {
    let mut out = head.to_string();
    out.push_str(mutated_text!(RUNTIME));
    for (k, table) in program.tables.iter().enumerate() {
        let items: Vec<String> = table.items.iter().map(|item| expr::constant(*item)).collect();
        let items = if items.is_empty() { "0".to_string() } else { items.join(", ") };
        let _ = writeln!(out, "static const {} remora_table_{k}[] = {{{items}}};", c_type(table.elem));
    }
    for (id, fun) in program.funs.iter() {
        let mut emitter = Emitter::new(program, fun, id.raw(), Mode::Processor, places);
        let text = emitter.function();
        out.push_str(&emitter.outlined);
        out.push_str(&text);
        if fun.entry {
            out.push_str(&emitter.door());
        }
    }
    out
}

/// The name of a type in C.
pub(in crate::back) fn c_type(prim: PrimType) -> &'static str {
    match prim {
        PrimType::I8 => "int8_t",
        PrimType::I16 => "int16_t",
        PrimType::I32 => "int32_t",
        PrimType::I64 => "int64_t",
        PrimType::U8 => "uint8_t",
        PrimType::U16 => "uint16_t",
        PrimType::U32 => "uint32_t",
        PrimType::U64 => "uint64_t",
        PrimType::F16 => "_Float16",
        PrimType::F32 => "float",
        PrimType::F64 => "double",
        PrimType::Bool => "bool",
    }
}

/// A name of the program as one of C.
pub(in crate::back) fn sanitized(name: &str) -> String {
    let out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if out.starts_with(|c: char| c.is_ascii_digit()) { format!("v{out}") } else { out }
}

/// Who runs what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::back) enum Mode {
    /// A processor, which also has the arrays.
    Processor,
    /// The host of a device that has the arrays.
    Host,
    /// A thread of a device.
    Thread,
}

pub(in crate::back) struct Emitter<'p> {
    pub program: &'p Program,
    pub fun: &'p Fun,
    pub id: usize,
    pieces: usize,
    /// Functions for the bodies of parallel loops.
    outlined: String,
    /// Where failures come from.
    pub places: &'p mut Places,
    pub mode: Mode,
    /// What has been written for the device.
    pub kernels: Kernels,
}

/// What is written at the moment: one function of C.
pub(in crate::back) struct Text {
    pub out: String,
    pub indent: usize,
    homes: Homes,
    block: usize,
    pub fails: bool,
}

impl Text {
    pub fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }
}

impl<'p> Emitter<'p> {
    pub fn new(program: &'p Program, fun: &'p Fun, id: usize, mode: Mode, places: &'p mut Places) -> Self {
        Emitter { program, fun, id, pieces: 0, outlined: String::new(), places, mode, kernels: Kernels::default() }
    }
}

impl Emitter<'_> {
    pub fn local(&self, local: Local) -> String {
        format!("{}_{}", sanitized(self.fun.locals[local].name.as_str()), local.raw())
    }
    pub fn ptr(&self, ptr: Ptr) -> String {
        format!("{}_p{}", sanitized(self.fun.ptrs[ptr].name.as_str()), ptr.raw())
    }
    pub fn handle(&self, handle: Handle) -> String {
        format!("{}_h{}", sanitized(self.fun.handles[handle].name.as_str()), handle.raw())
    }
    pub fn elem(&self, ptr: Ptr) -> &'static str {
        c_type(self.fun.ptrs[ptr].elem)
    }
    pub fn name(&self) -> String {
        format!("remora_{}_{}", sanitized(self.fun.name.as_str()), self.id)
    }

    pub fn function(&mut self) -> String {
        let fun = self.fun;
        let mut params = vec!["remora_thread *th".to_string()];
        let mut outside: FxHashSet<Mention> = FxHashSet::default();
        for param in &fun.params {
            match param {
                Param::Local(local) => {
                    params.push(format!("{} {}", c_type(fun.locals[*local].prim), self.local(*local)));
                    outside.insert(Mention::Set(*local));
                }
                Param::Ptr(ptr) => {
                    params.push(format!("{} *{}", self.elem(*ptr), self.ptr(*ptr)));
                    outside.insert(Mention::Point(*ptr));
                }
            }
        }
        for (k, result) in fun.results.iter().enumerate() {
            match result {
                Result::Scalar(prim, _) => params.push(format!("{} *out_{k}", c_type(*prim))),
                Result::Array(..) => params.push(format!("remora_block **out_{k}")),
            }
        }
        let mut text = self.open(&fun.body, &outside, &|see| {
            for result in &fun.results {
                match result {
                    Result::Scalar(_, e) => visit::expr(e, see),
                    Result::Array(ptr, handle) => {
                        see(Mention::Use(*ptr));
                        see(Mention::Handle(*handle));
                    }
                }
            }
        });
        self.stmts(&mut text, &fun.body);
        for (k, result) in fun.results.iter().enumerate() {
            let value = match result {
                Result::Scalar(_, e) => self.expr(e),
                Result::Array(_, handle) => self.handle(*handle),
            };
            text.line(&format!("*out_{k} = {value};"));
            if let Result::Array(_, handle) = result {
                text.line(&format!("{} = NULL;", self.handle(*handle)));
            }
        }
        let body = self.close(text);
        format!("\n/* {} */\nstatic int {}({}) {{\n{body}}}\n", fun.name.as_str().replace("*/", ""), self.name(), params.join(", "))
    }

    /// Starts the text of a function of C whose variables other than those in `outside` are its own.
    pub fn open(&self, body: &[Stmt], outside: &FxHashSet<Mention>, also: &Also) -> Text {
        let homes = Homes::new(body, outside, also);
        let mut text = Text { out: String::new(), indent: 1, homes, block: 0, fails: false };
        for handle in text.homes.handles.clone().into_iter().filter(|_| self.mode != Mode::Thread || self.kernels.heap) {
            text.line(&format!("remora_block *{} = NULL;", self.handle(handle)));
        }
        self.declare(&mut text);
        text
    }
    /// Declares the variables of the block that is begun.
    fn declare(&self, text: &mut Text) {
        let (locals, ptrs) = text.homes.take(text.block);
        for ptr in ptrs {
            match self.fun.ptrs[ptr].stack {
                Some(count) => text.line(&format!("{} {}[{count}];", self.elem(ptr), self.ptr(ptr))),
                None => text.line(&format!("{} *{};", self.elem(ptr), self.ptr(ptr))),
            }
        }
        for local in locals {
            text.line(&format!("{} {};", c_type(self.fun.locals[local].prim), self.local(local)));
        }
    }
    /// Ends a function of C.
    pub fn close(&self, mut text: Text) -> String {
        let handles = text.homes.handles.clone();
        if self.mode == Mode::Thread {
            return text.out;
        }
        text.line("return 0;");
        if text.fails {
            text.out.push_str("fail:\n");
            for handle in handles {
                text.line(&format!("remora_release(th, &{});", self.handle(handle)));
            }
            text.line("return 1;");
        }
        text.out
    }

    pub fn stmts(&mut self, text: &mut Text, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(text, stmt);
        }
    }
    /// Statements in braces of their own.
    fn inner(&mut self, text: &mut Text, stmts: &[Stmt]) {
        let outer = text.block;
        text.block = text.homes.next_block();
        text.indent += 1;
        self.declare(text);
        self.stmts(text, stmts);
        text.indent -= 1;
        text.block = outer;
    }

    fn stmt(&mut self, text: &mut Text, stmt: &Stmt) {
        let done = match self.mode {
            Mode::Processor => false,
            Mode::Host => self.host_stmt(text, stmt),
            Mode::Thread => self.thread_stmt(text, stmt),
        };
        if done {
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
            Stmt::Transfer { to, ptr, from, count, span } => self.give(text, (*to, *ptr), from, count, *span),
            Stmt::Release(handle) => {
                let line = format!("remora_release(th, &{});", self.handle(*handle));
                text.line(&line);
            }
            Stmt::Store(ptr, index, value) => {
                let line = format!("{}[{}] = {};", self.ptr(*ptr), self.subscript(index), self.expr(value));
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
                let line = format!("memmove({to}, {from}, (size_t){} * sizeof({size}));", self.nested(count));
                text.line(&line);
            }
            Stmt::For { var, from, to, order, body } => self.for_loop(text, *var, (from, to), order, body),
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
            Stmt::Parallel(par) => self.parallel(text, par),
            // Only programs for devices have these, and there the modes above write them.
            Stmt::Launch(launch) => crate::ice!(launch.span, "a kernel is launched where there is no device"),
            Stmt::Atomic(_) => crate::ice!(self.fun.span, "a change of memory that other threads see, outside of kernels"),
        }
    }

    fn alloc(&mut self, text: &mut Text, handle: Handle, ptr: Ptr, count: &Expr, span: Span) {
        text.fails = true;
        let (handle, elem) = (self.handle(handle), self.elem(ptr));
        let place = self.place(span);
        let count = self.expr(count);
        text.line(&format!("{handle} = remora_alloc(th, {count}, sizeof({elem}), {place});"));
        let exit = self.gives_up();
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
        self.stmts(text, first);
        let line = format!("if (!{}) break;", self.nested(cond));
        text.line(&line);
        self.stmts(text, second);
        text.indent -= 1;
        text.block = outer;
        text.line("}");
    }
    /// A call of a function of the program. Where it fails, so does this one.
    fn call(&mut self, text: &mut Text, fun: FunId, args: &[Arg], results: &[Target], span: Span) {
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
                Target::Local(local) => format!("&{}", self.local(*local)),
                Target::Array(_, handle) => format!("&{}", self.handle(*handle)),
            });
        }
        text.line(&format!("if (remora_{}_{}({})) {{", sanitized(callee.name.as_str()), fun.raw(), list.join(", ")));
        let place = self.place(span);
        text.line(&format!("  remora_leave(th, {place});"));
        text.line("  goto fail;");
        text.line("}");
        for target in results {
            if let Target::Array(ptr, handle) = target {
                let line = format!("{} = remora_data({});", self.ptr(*ptr), self.handle(*handle));
                text.line(&line);
            }
        }
    }

    fn give(&mut self, text: &mut Text, (to, ptr): (Handle, Ptr), from: &[Handle], count: &Expr, span: Span) {
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
        let exit = self.gives_up();
        text.line(&format!("  if (!{to}) {exit}"));
        match self.mode {
            Mode::Host => text.line(&format!("  if (remora_copy(th, remora_data({to}), {p}, ({count}) * sizeof({elem}))) goto fail;")),
            // An empty array may be given as no place at all, which `memcpy` must not be given.
            Mode::Processor | Mode::Thread => {
                text.line(&format!("  if (({count}) > 0) memcpy(remora_data({to}), {p}, (size_t)({count}) * sizeof({elem}));"))
            }
        }
        text.line(&format!("  {p} = ({elem} *)remora_data({to});"));
        text.line("}");
    }

    /// What is done where there is no memory.
    fn gives_up(&self) -> &str {
        if self.mode == Mode::Thread { &self.kernels.exit } else { "goto fail;" }
    }

    fn for_loop(&mut self, text: &mut Text, var: Local, (from, to): (&Expr, &Expr), order: &Order, body: &[Stmt]) {
        if self.mode == Mode::Thread && super::cuda::heavy(body) {
            text.line("#pragma unroll 1");
        }
        if let Some(pragma) = self.pragma(text, var, order, body).filter(|_| self.mode == Mode::Processor) {
            text.line(&pragma);
        }
        let (var, from, to) = (self.local(var), self.expr(from), self.nested(to));
        text.line(&format!("for (int64_t {var} = {from}; {var} < {to}; {var}++) {{"));
        self.inner(text, body);
        text.line("}");
    }
    /// A loop that collects and uses what it has collected, in two blocks. Minima and maxima of floats are collected as the integers that are in
    /// the same order: for those GCC has a prefix operation, and OpenMP's own for floats knows neither NaN nor the signs of zeros.
    fn scan(&mut self, text: &mut Text, scan: &Scan) {
        let (mut clauses, mut names, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
        for (local, op) in &scan.sums {
            let name = self.local(*local);
            let order = [(Op::Min, "min"), (Op::Max, "max")].into_iter().find(|(of, _)| *of == op.op && op.prim.is_float());
            let (sum, sign) = match order {
                Some((_, sign)) => (format!("rank_{name}"), Some(sign)),
                None => (name.clone(), expr::sign(*op)),
            };
            let Some(sign) = sign else { continue };
            if order.is_some() {
                ranks.push((c_type(op.prim), sign, name, sum.clone()));
            }
            clauses.push(format!("reduction(inscan, {sign} : {sum})"));
            names.push(sum);
        }
        // Only the text for processors has marks.
        let known = self.mode == Mode::Processor && clauses.len() == scan.sums.len();
        if !known {
            ranks.clear();
        }
        for (ty, sign, name, rank) in &ranks {
            text.line(&format!("remora_rank_{ty} {rank} = remora_rank_{sign}_{ty}({name});"));
        }
        if known {
            text.line(&format!("REMORA_PREFIX(\"omp simd {}\")", clauses.join(" ")));
        }
        let (var, from, to) = (self.local(scan.var), self.expr(&scan.from), self.nested(&scan.to));
        let begin = |text: &mut Text| {
            text.line("{");
            for (ty, _, name, rank) in &ranks {
                text.line(&format!("  {ty} {name} = remora_of_rank_{ty}({rank});"));
            }
        };
        text.line(&format!("for (int64_t {var} = {from}; {var} < {to}; {var}++) {{"));
        begin(text);
        self.inner(text, &scan.cell);
        for (ty, sign, name, rank) in &ranks {
            text.line(&format!("  {rank} = remora_rank_{sign}_{ty}({name});"));
        }
        text.line("}");
        if known {
            text.line(&format!("REMORA_PREFIX(\"omp scan inclusive({})\")", names.join(", ")));
        }
        begin(text);
        self.inner(text, &scan.done);
        text.line("}");
        text.line("}");
        for (ty, _, name, rank) in &ranks {
            text.line(&format!("{name} = remora_of_rank_{ty}({rank});"));
        }
    }
    /// What the C compiler is told about a loop. Jumps out of it and calls cannot be vectorised.
    fn pragma(&self, text: &Text, var: Local, order: &Order, body: &[Stmt]) -> Option<String> {
        // Arrays in the frame that iterations share are written by all of them, unless each has an element of its own.
        let mut shared = false;
        writes(body, &mut |ptr, index| {
            let last: &Expr = if let Expr::Int(Int::Add, _, last) = index { last } else { index };
            let own = *last == Expr::Local(var);
            shared = shared || (!own && self.fun.ptrs[ptr].stack.is_some() && !text.homes.belongs_to_next(ptr));
        });
        // The neighbours in vector registers are those of the innermost loop; `vectorise` has taken the others.
        if shared || !body.iter().all(few) {
            return None;
        }
        if checked(body) {
            return Some("REMORA_SEVERAL".into());
        }
        // What is collected is seen by nothing else: `s = s * s` is no sum of products.
        if matches!(order, Order::Reduce(sums) if !sums.iter().all(|(local, _)| reads(body, *local) == 1)) {
            return None;
        }
        match order {
            Order::Any if straight(body) => Some("REMORA_ANY_ORDER".into()),
            Order::Sequential if mutated!(AnyOrderAlways, false, straight(body)) => Some("REMORA_ANY_ORDER".into()),
            // Sums of signed integers wrap around, which partial sums that the compiler adds up for a clause may not. Integers need none,
            // and what a clause adds up at the end of a loop is a loop of its own, which nobody marks.
            Order::Reduce(sums) if straight(body) && (sums.iter().any(|(_, op)| expr::wraps(*op)) || whole(sums)) => {
                Some("REMORA_ANY_ORDER".into())
            }
            Order::Reduce(sums) if straight(body) => {
                let clauses: Vec<String> = sums
                    .iter()
                    .filter_map(|(local, op)| Some(format!("reduction({} : {})", expr::sign(*op)?, self.local(*local))))
                    .collect();
                (clauses.len() == sums.len()).then(|| format!("#pragma omp simd {}", clauses.join(" ")))
            }
            Order::Sequential | Order::Any | Order::Reduce(_) => None,
        }
    }

    /// The number of a place in the source.
    pub fn place(&mut self, span: Span) -> usize {
        self.places.number(span)
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

    /// A parallel loop: its body becomes a function, what that sees of the surroundings a structure.
    fn parallel(&mut self, text: &mut Text, par: &Parallel) {
        text.fails = true;
        let name = format!("{}_piece_{}", self.name(), self.pieces);
        self.pieces += 1;
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
        let mut head = Text { out: String::new(), indent: 1, homes: Homes::default(), block: 0, fails: false };
        if loads.is_empty() {
            head.line("(void)data;");
        } else {
            head.line(&format!("struct {name} *env = data;"));
        }
        loads.iter().for_each(|load| head.line(load));
        let [lo, hi, piece] = [par.lo, par.hi, par.chunk].map(|local| self.local(local));
        head.line(&format!("(void){piece};"));
        self.stmts(&mut inner, &par.body);
        let body = self.close(inner);
        if !loads.is_empty() {
            let _ = write!(self.outlined, "\nstruct {name} {{\n{fields}}};");
        }
        let _ = write!(
            self.outlined,
            "\nstatic int {name}(remora_thread *th, void *data, int64_t {lo}, int64_t {hi}, int64_t {piece}) {{\n{}{body}}}\n",
            head.out
        );
        let (width, pieces) = (self.expr(&par.width), self.expr(&par.chunks));
        if values.is_empty() {
            text.line(&format!("if (remora_parallel(th, {name}, NULL, {width}, {pieces})) goto fail;"));
        } else {
            text.line("{");
            text.line(&format!("  struct {name} env = {{{}}};", values.join(", ")));
            text.line(&format!("  if (remora_parallel(th, {name}, &env, {width}, {pieces})) goto fail;"));
            text.line("}");
        }
    }

    /// The function that is called from outside.
    fn door(&self) -> String {
        let fun = self.fun;
        let mut out = format!("\nREMORA_EXPORT int remora_entry_{}(remora_context *c, const uint64_t *in, uint64_t *out) {{\n", self.id);
        let mut args = vec!["&c->thread[0]".to_string()];
        for (k, param) in fun.params.iter().enumerate() {
            match param {
                Param::Local(local) => {
                    let ty = c_type(fun.locals[*local].prim);
                    let _ = writeln!(out, "  {ty} a{k};\n  memcpy(&a{k}, &in[{k}], sizeof a{k});");
                    args.push(format!("a{k}"));
                }
                Param::Ptr(ptr) => args.push(format!("({} *)(uintptr_t)in[{k}]", self.elem(*ptr))),
            }
        }
        let mut stores = String::new();
        for (k, result) in fun.results.iter().enumerate() {
            match result {
                Result::Scalar(prim, _) => {
                    let _ = writeln!(out, "  {} r{k};", c_type(*prim));
                    let _ = writeln!(stores, "  out[{k}] = 0;\n  memcpy(&out[{k}], &r{k}, sizeof r{k});");
                }
                Result::Array(..) => {
                    let _ = writeln!(out, "  remora_block *r{k} = NULL;");
                    let _ = writeln!(stores, "  out[{k}] = (uint64_t)(uintptr_t)r{k};");
                }
            }
            args.push(format!("&r{k}"));
        }
        let _ = write!(
            out,
            "  (void)in;\n  (void)out;\n  remora_fresh(c);\n  if ({}({})) return 1;\n{stores}  return 0;\n}}\n",
            self.name(),
            args.join(", ")
        );
        out
    }
}

/// The message of a failure as a format of C without its quotes, and its arguments with the types that the format wants.
pub(in crate::back) fn message(failure: &Failure) -> (String, Vec<(&'static str, &Expr)>) {
    let (mut format, mut args) = (String::new(), Vec::new());
    let mut pending = failure.args.iter();
    let mut rest = failure.message.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '{' | '}' if rest.peek() == Some(&c) => {
                rest.next();
                format.push(c);
            }
            '{' => {
                rest.next();
                if let Some((prim, arg)) = pending.next() {
                    let (conversion, cast) = if prim.is_signed() { ("%lld", "long long") } else { ("%llu", "unsigned long long") };
                    format.push_str(conversion);
                    if *prim != PrimType::I64 || failure.code == Code::UndefinedOperation {
                        format.push_str(prim.name());
                    }
                    args.push((cast, arg));
                }
            }
            '%' => format.push_str("%%"),
            '"' => format.push_str("\\\""),
            '\\' => format.push_str("\\\\"),
            '\n' => format.push_str("\\n"),
            c if c.is_ascii() && !c.is_ascii_control() => format.push(c),
            c => c.to_string().bytes().for_each(|byte| {
                let _ = write!(format, "\\{byte:03o}");
            }),
        }
    }
    (format, args)
}

/// What a body mentions of its surroundings: locals and pointers that it does not set first. Loop counters and what is declared in it are
/// its own.
fn captured(body: &[Stmt], own: &[Local]) -> Vec<Mention> {
    free(own, |see| visit::stmts(body, see))
}

/// The same for whatever a walk sees.
pub(in crate::back) fn free(own: &[Local], walk: impl FnOnce(&mut dyn FnMut(Mention))) -> Vec<Mention> {
    let (mut set, mut seen, mut out) = (FxHashSet::default(), FxHashSet::default(), Vec::new());
    own.iter().for_each(|local| {
        set.insert(Mention::Set(*local));
    });
    walk(&mut |mention| match mention {
        Mention::Set(_) | Mention::Point(_) => {
            set.insert(mention);
        }
        Mention::Read(local) => {
            let key = Mention::Set(local);
            if !set.contains(&key) && seen.insert(key) {
                out.push(key);
            }
        }
        Mention::Use(ptr) => {
            let key = Mention::Point(ptr);
            if !set.contains(&key) && seen.insert(key) {
                out.push(key);
            }
        }
        Mention::Handle(_) => {}
    });
    out
}

/// Whether a statement has no loops in it but some that the C compiler unrolls.
fn few(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { from, to, body, .. } => {
            let count = from.as_int().zip(to.as_int()).and_then(|(from, to)| to.checked_sub(from));
            count.is_some_and(|count| count <= 8) && body.iter().all(few)
        }
        Stmt::If(_, then, els) => then.iter().chain(els).all(few),
        Stmt::While(..) => false,
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
        | Stmt::Copy { .. }
        | Stmt::Scan(_)
        | Stmt::Check(..)
        | Stmt::Call { .. }
        | Stmt::Parallel(_)
        | Stmt::Launch(_)
        | Stmt::Atomic(_)
        | Stmt::Ghost(_) => true,
    }
}

/// Whether a body is a few sets, stores and checks, so that what it costs is mostly the loop.
fn checked(body: &[Stmt]) -> bool {
    let plain = |stmt: &Stmt| matches!(stmt, Stmt::Comment(_) | Stmt::Set(..) | Stmt::Store(..) | Stmt::Check(..));
    body.len() <= 8 && body.iter().all(plain) && body.iter().any(|stmt| matches!(stmt, Stmt::Check(..)))
}

/// Whether all that is collected is integers.
fn whole(sums: &[(Local, ScalarOp)]) -> bool {
    sums.iter().all(|(_, op)| op.prim.is_int())
}

/// How often a body reads a local.
fn reads(body: &[Stmt], local: Local) -> usize {
    let mut count = 0;
    visit::stmts(body, &mut |mention| count += usize::from(mention == Mention::Read(local)));
    count
}

/// The pointers through which a body writes, and where.
fn writes(body: &[Stmt], see: &mut dyn FnMut(Ptr, &Expr)) {
    for stmt in body {
        match stmt {
            Stmt::Store(ptr, index, _) => see(*ptr, index),
            Stmt::If(_, then, els) => {
                writes(then, see);
                writes(els, see);
            }
            Stmt::For { body, .. } => writes(body, see),
            Stmt::Comment(_)
            | Stmt::Set(..)
            | Stmt::Point(..)
            | Stmt::Alloc { .. }
            | Stmt::Stack(_)
            | Stmt::Move { .. }
            | Stmt::Transfer { .. }
            | Stmt::Release(_)
            | Stmt::Prefetch(..)
            | Stmt::Copy { .. }
            | Stmt::Scan(_)
            | Stmt::While(..)
            | Stmt::Check(..)
            | Stmt::Call { .. }
            | Stmt::Parallel(_)
            | Stmt::Launch(_)
            | Stmt::Atomic(_)
            | Stmt::Ghost(_) => {}
        }
    }
}

/// Whether a body has no way out of it and calls nothing.
fn straight(body: &[Stmt]) -> bool {
    body.iter().all(|stmt| match stmt {
        Stmt::Comment(_) | Stmt::Set(..) | Stmt::Point(..) | Stmt::Stack(_) | Stmt::Store(..) => true,
        Stmt::If(_, then, els) => straight(then) && straight(els),
        Stmt::For { body, .. } => straight(body),
        Stmt::Alloc { .. }
        | Stmt::Move { .. }
        | Stmt::Transfer { .. }
        | Stmt::Release(_)
        | Stmt::Prefetch(..)
        | Stmt::Copy { .. }
        | Stmt::Scan(_)
        | Stmt::While(..)
        | Stmt::Check(..)
        | Stmt::Call { .. }
        | Stmt::Parallel(_)
        | Stmt::Launch(_)
        | Stmt::Atomic(_)
        | Stmt::Ghost(_) => false,
    })
}
