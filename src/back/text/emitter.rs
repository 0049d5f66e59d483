//! The printer of one function, and what dialects decide.

use super::scope::{Also, Homes};
use super::{Places, c_type, function_name, variable_name};
use crate::base::{Code, PrimType, Span};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Fun, Handle, Int, Local, Order, Param, Program, Ptr, Result, Stmt};
use rustc_hash::FxHashSet;

/// What one kind of text prints in a way of its own: that for a processor, for the host of a device, for a thread of a device.
pub(in crate::back) trait Dialect: Sized {
    /// Prints a statement that this text has in a way of its own; returns whether it is one.
    fn stmt(emitter: &mut Emitter<Self>, text: &mut Text, stmt: &Stmt) -> bool;

    /// An element that is written, or read by who has the array.
    fn element(emitter: &Emitter<Self>, ptr: Ptr, index: &Expr) -> String {
        emitter.plain_element(ptr, index)
    }
    /// An element that is read.
    fn load(emitter: &Emitter<Self>, ptr: Ptr, index: &Expr) -> String {
        Self::element(emitter, ptr, index)
    }
    /// Index arithmetic.
    fn int(emitter: &Emitter<Self>, op: Int, a: &Expr, b: &Expr) -> String {
        emitter.plain_int(op, a, b)
    }
    /// The type, where a truth value becomes a number of it by a choice between 1 and 0 rather than by a cast.
    fn choice(_: PrimType) -> Option<&'static str> {
        None
    }
    /// The number of the thread that runs this. Only kernels have one.
    fn thread(emitter: &Emitter<Self>) -> String {
        crate::ice!(emitter.fun.span, "the number of a thread outside of kernels")
    }
    /// Copies elements to the beginning of a buffer.
    fn fill(text: &mut Text, buffer: &str, from: &str, count: &str, elem: &str) {
        // An empty array may be given as no place at all, which `memcpy` must not be given.
        text.line(&format!(
            "  if (({count}) > 0) memcpy(remora_data({buffer}), {from}, (size_t)({count}) * sizeof({elem}));",
            from = Self::source(from)
        ));
    }
    /// A place from which elements are copied.
    fn source(from: &str) -> String {
        from.into()
    }
    /// What stands in front of a loop.
    fn loop_mark(_: &Emitter<Self>, _: &Text, _: Local, _: &Order, _: &[Stmt]) -> Option<String> {
        None
    }
    /// What stands at the beginning of each iteration of a loop that may take long: whether somebody wants the program to end.
    fn breath(&self) -> Option<&'static str> {
        None
    }
    /// What is done where there is no memory.
    fn give_up(&self) -> &str {
        "goto fail;"
    }
    /// Whether functions own buffers.
    fn owns_buffers(&self) -> bool {
        true
    }
    /// Ends a function: returns, and releases what it owns where it fails.
    fn end(emitter: &Emitter<Self>, text: &mut Text) {
        text.line("return 0;");
        if text.fails {
            text.out.push_str("fail:\n");
            for handle in text.handles() {
                text.line(&format!("remora_release(th, &{});", emitter.handle(handle)));
            }
            text.line("return 1;");
        }
    }
}

/// Prints one function.
pub(in crate::back) struct Emitter<'p, D> {
    pub program: &'p Program,
    pub fun: &'p Fun,
    pub id: usize,
    /// Where failures come from.
    pub places: &'p mut Places,
    pub dialect: D,
}

/// What is written at the moment: one function of C.
pub(in crate::back) struct Text {
    pub out: String,
    pub indent: usize,
    pub(super) homes: Homes,
    pub(super) block: usize,
    pub fails: bool,
}

impl Text {
    /// Nothing yet, with these places of variables.
    pub(super) fn new(homes: Homes) -> Text {
        Text { out: String::new(), indent: 1, homes, block: 0, fails: false }
    }
    /// Lines without variables of their own.
    pub fn lines() -> Text {
        Text::new(Homes::default())
    }
    pub fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }
    /// The buffers that the function owns.
    pub fn handles(&self) -> Vec<Handle> {
        self.homes.handles.clone()
    }
    /// Whether a pointer is declared in the block that begins next, or in one inside of it.
    pub fn belongs_to_next(&self, ptr: Ptr) -> bool {
        self.homes.belongs_to_next(ptr)
    }
}

impl<D: Dialect> Emitter<'_, D> {
    /// An element where its array is.
    pub fn plain_element(&self, ptr: Ptr, index: &Expr) -> String {
        format!("{}[{}]", self.ptr(ptr), self.subscript(index))
    }
    pub fn local(&self, local: Local) -> String {
        variable_name(self.fun.locals[local].name, local.raw())
    }
    pub fn ptr(&self, ptr: Ptr) -> String {
        variable_name(self.fun.ptrs[ptr].name, format_args!("p{}", ptr.raw()))
    }
    pub fn handle(&self, handle: Handle) -> String {
        variable_name(self.fun.handles[handle].name, format_args!("h{}", handle.raw()))
    }
    pub fn elem(&self, ptr: Ptr) -> &'static str {
        c_type(self.fun.ptrs[ptr].elem)
    }
    pub fn name(&self) -> String {
        function_name(self.fun.name, self.id)
    }
    /// The number of a place in the source.
    pub fn place(&mut self, span: Span) -> usize {
        self.places.number(span)
    }

    /// A function of the program.
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
                Result::Scalar(prim, _) => params.push(format!("{} *out{k}", c_type(*prim))),
                Result::Array(..) => params.push(format!("remora_block **out{k}")),
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
        if fun.recursive {
            let name = fun.name.as_str().split('.').next().unwrap_or_default().replace(['"', '\\', '%'], "");
            let place = self.place(fun.span);
            text.line("if (REMORA_STOPPED(th->context)) return 1;");
            text.line(&format!(
                "if (remora_is_deep(th)) return remora_fail(th, \"{}\", {place}, \"`{name}` calls itself too deep: the stack is full\");",
                Code::TooDeep
            ));
        }
        self.stmts(&mut text, &fun.body);
        for (k, result) in fun.results.iter().enumerate() {
            let value = match result {
                Result::Scalar(_, e) => self.expr(e),
                Result::Array(_, handle) => self.handle(*handle),
            };
            text.line(&format!("*out{k} = {value};"));
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
        let mut text = Text::new(homes);
        let owned = if self.dialect.owns_buffers() { text.handles() } else { Vec::new() };
        for handle in owned {
            text.line(&format!("remora_block *{} = NULL;", self.handle(handle)));
        }
        self.declare(&mut text);
        text
    }
    /// Declares the variables of the block that is begun.
    pub(super) fn declare(&self, text: &mut Text) {
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
        D::end(self, &mut text);
        text.out
    }
}
