//! Programs as C: the run-time support (`runtime.c`; `marks.c` says what a C compiler is told about loops), constant tables, a function for each function, a function for
//! the body of each parallel loop, and an entry wrapper for each entry point.
//!
//! The entry wrapper of entry point number `k` is `int remora_entry_k(remora_context *, const uint64_t *in, uint64_t *out)`: scalars in the
//! low bytes of a word, arrays as pointers to their elements; results that are arrays as pointers to buffers (`runtime.c` has
//! `remora_array_data` for them), which the caller frees. It returns 0, or 1 after a failure.

mod library;
mod marks;
mod parallel;
mod probes;
mod scan;

pub use library::{LibraryText, library};

use crate::back::text::{Dialect, Emitter, Places, Text, c_type, expr};
use crate::base::PrimType;
use crate::base::mutation::mutated_text;
use crate::ir::imp::{Local, Order, Param, Program, Result, Stmt, leaf_stmt};
use crate::ir::tuning::On;
use std::fmt::Write;

/// What vector loops consist of, without programs: how loops are marked, and scalar operations.
pub const LOOPS: &str = concat!(include_str!("marks.c"), include_str!("../text/scalars.c"), include_str!("reductions.c"));

const RUNTIME: &str = concat!(
    include_str!("../text/sizes.c"),
    include_str!("marks.c"),
    include_str!("runtime.c"),
    include_str!("../text/scalars.c"),
    include_str!("reductions.c"),
    "\n",
    include_str!("contexts.c"),
    include_str!("../text/errors.c")
);

/// What programs that are profiled have besides.
const PROFILE: &str = include_str!("profile.c");

/// The text of a program, and the places that its failures name by their numbers.
pub fn emit(program: &Program, strict: bool) -> (String, Places) {
    let head = if strict { "#define REMORA_STRICT\n" } else { "" };
    let mut places = Places::default();
    (text(program, head, &mut places), places)
}

/// What of a text is made of the program, behind the run-time system.
pub fn own_part(text: &str) -> &str {
    text.split_once(RUNTIME).map_or(text, |(_, own)| own)
}

/// The text with `head` in front; places of failures are added to `places`.
fn text(program: &Program, head: &str, places: &mut Places) -> String {
    let mut out = head.to_string();
    out.push_str(&program.tuning.constants(On::Processors));
    if program.funs.iter().any(|(_, fun)| fun.recursive) {
        out.push_str("#define REMORA_RECURSIVE\n");
    }
    if let Some(profile) = &program.profile {
        let _ = writeln!(out, "#define REMORA_PROFILE {}", profile.sites.len());
    }
    out.push_str(mutated_text!(RUNTIME));
    if program.profile.is_some() {
        out.push_str(PROFILE);
    }
    for (k, table) in program.tables.iter().enumerate() {
        let items: Vec<String> = table.items.iter().map(|item| expr::constant(*item)).collect();
        let items = if items.is_empty() { "0".to_string() } else { items.join(", ") };
        let _ = writeln!(out, "static const {} remora_table_{k}[] = {{{items}}};", c_type(table.elem));
    }
    for (id, fun) in program.funs.iter() {
        let mut emitter = Emitter { program, fun, id: id.raw(), places, dialect: Processor::default() };
        let text = emitter.function();
        out.push_str(&emitter.dialect.outlined);
        out.push_str(&text);
        if fun.entry {
            out.push_str(&emitter.entry_wrapper());
        }
    }
    out
}

/// The text for a processor, which also has the arrays.
#[derive(Default)]
struct Processor {
    /// How many bodies of parallel loops the function has.
    chunks: usize,
    /// Functions for the bodies of parallel loops.
    outlined: String,
    /// Whether the text is that of such a function: a piece of a loop, which is not long.
    in_piece: bool,
}

impl Dialect for Processor {
    fn stmt(emitter: &mut Emitter<Self>, text: &mut Text, stmt: &Stmt) -> bool {
        if let Stmt::Probe(probe) = stmt {
            emitter.probe(text, probe);
            return true;
        }
        match stmt {
            Stmt::Parallel(par) => emitter.parallel(text, par),
            Stmt::Scan(scan) => return emitter.marked_scan(text, scan),
            Stmt::Set(..)
            | Stmt::Store(..)
            | Stmt::For { .. }
            | Stmt::While(..)
            | Stmt::If(..)
            | Stmt::Launch(_)
            | Stmt::Atomic(_)
            | leaf_stmt!() => return false,
        }
        true
    }
    fn choice(prim: PrimType) -> Option<&'static str> {
        // GCC computes the choice in vector registers, and the conversion of a truth value to a float one by one.
        (prim == PrimType::F64 || prim == PrimType::F32).then(|| c_type(prim))
    }
    fn source(from: &str) -> String {
        format!("remora_source({from})")
    }
    fn breath(&self) -> Option<&'static str> {
        (!self.in_piece).then_some("if (REMORA_STOPPED(th->context)) goto fail;")
    }
    fn loop_mark(emitter: &Emitter<Self>, text: &Text, var: Local, order: &Order, body: &[Stmt]) -> Option<String> {
        emitter.pragma(text, var, order, body)
    }
}

impl Emitter<'_, Processor> {
    /// The function that is called from outside.
    fn entry_wrapper(&self) -> String {
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
            "  (void)in;\n  (void)out;\n  remora_fresh(c);\n  REMORA_MEASURE(&c->thread[0]);\n  if ({}({})) return 1;\n{stores}  return 0;\n}}\n",
            self.name(),
            args.join(", ")
        );
        out
    }
}
