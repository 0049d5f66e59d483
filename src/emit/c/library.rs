//! Libraries: the program with a function for each entry point, and a header that describes them.

use super::{Places, c_type, sanitized, text};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp;
use crate::ir::soac::{Fun, FunId, Program, Size, Type, Var};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is no name of a parameter: words of C and C++, and what the library itself names.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "char", "class", "code",
    "compl", "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "context", "continue", "co_await", "co_return",
    "co_yield", "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
    "float", "for", "friend", "goto", "if", "in", "inline", "int", "linux", "long", "mutable", "namespace", "new", "noexcept", "not",
    "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public", "register", "reinterpret_cast", "requires",
    "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union", "unix", "unsigned", "using", "virtual", "void",
    "volatile", "wchar_t", "while", "xor", "xor_eq",
];

/// The driver is told in which context its functions work, and gets back the one that the caller had.
const ENTER: &str = "  remora_gpu_enter(context->device->self);\n";
const LEAVE: &str = "  remora_gpu_leave();\n";

/// A library as text.
#[derive(Debug, Clone)]
pub struct Library {
    /// The C program.
    pub source: String,
    /// The header.
    pub header: String,
}

/// The type of a scalar as users of a library see it: not every compiler that reads the header knows halves.
fn outer_type(prim: PrimType) -> &'static str {
    if prim == PrimType::F16 { "uint16_t" } else { c_type(prim) }
}

/// The type of an array that is returned.
fn array_type(prefix: &str, ty: &Type) -> String {
    format!("{prefix}_{}_{}d", ty.elem, ty.rank())
}

/// A place in words.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// `FILE:LINE:COLUMN`, or nothing for no place.
    pub text: String,
    /// The innermost of it and of the calls through which it was reached that is not in the standard library, or nothing.
    pub own: String,
}

/// The library of a program; the names of its functions are `prefix` and those in `names`, one for each function of the program. `imp` was
/// made from `program`; `shown` names a place in the source.
pub fn library(
    program: &Program,
    imp: &imp::Program,
    (prefix, names): (&str, &[Symbol]),
    strict: bool,
    shown: &dyn Fn(Span) -> Shown,
) -> Library {
    let prefix = sanitized(prefix);
    let mut places = Places::default();
    let head = format!("#define REMORA_LIBRARY\n{}", if strict { "#define REMORA_STRICT\n" } else { "" });
    let mut source = text(imp, &head, &mut places);
    let doors = Doors { program, prefix: &prefix, names: door_names(program, names, &[]), device: None };
    source.push_str(&doors.text(&places, shown));
    Library { source, header: doors.header() }
}

/// Names of C for functions that are called so in the source. The functions that every library has, and those that this one has of its
/// `own`, keep their names, and so do functions that come earlier: `f'` and `f_` are the same in C.
pub(in crate::emit) fn door_names(program: &Program, names: &[Symbol], own: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(names.len());
    for (name, (_, fun)) in names.iter().zip(program.funs.iter()) {
        // Only entry points are seen.
        let mut name = if fun.entry { sanitized(name.as_str()) } else { String::new() };
        if ["new", "free", "error", "release", "context"].contains(&name.as_str()) || own.contains(&name.as_str()) {
            name.push_str("_entry");
        }
        while fun.entry && out.contains(&name) {
            name.push('_');
        }
        out.push(name);
    }
    out
}

fn quoted(text: &str) -> String {
    text.chars().map(|c| if c == '"' || c == '\\' || c.is_control() { '?' } else { c }).collect()
}

/// What a library has for others: its functions and the header.
pub(in crate::emit) struct Doors<'a> {
    pub program: &'a Program,
    pub prefix: &'a str,
    /// What the functions of the program are called, without the prefix ([`door_names`]).
    pub names: Vec<String>,
    /// Where arrays are on a device: how contexts are made there, and what the header says of it.
    pub device: Option<Device>,
}

/// What is different where arrays are on a device.
pub(in crate::emit) struct Device {
    /// Functions that make and free contexts.
    pub contexts: String,
    /// Their declarations, and what is to be said of functions that take arrays of the device.
    pub header: String,
    /// What the header says of the number of threads.
    pub threads: &'static str,
}

/// Where a function takes its arrays from and leaves its results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// In the memory of the caller.
    Host,
    /// In the memory of the device.
    Device,
}

impl Doors<'_> {
    /// Everything behind the program.
    pub fn text(&self, places: &Places, shown: &dyn Fn(Span) -> Shown) -> String {
        let mut out = String::from("\n/* ---- The library ---- */\n\n#define REMORA_DOOR __attribute__((visibility(\"default\")))\n");
        out.push_str(&self.types());
        out.push_str("static const struct {\n  const char *text, *own; /* of the place, and of the innermost that is not in a library */\n} remora_places[] = {\n");
        for place in places.iter().map(shown) {
            let _ = writeln!(out, "  {{\"{}\", \"{}\"}},", quoted(&place.text), quoted(&place.own));
        }
        out.push_str("};\n");
        out.push_str(&self.support());
        for (id, fun) in self.entries() {
            out.push_str(&self.function(id, fun, Side::Host));
            if self.device.is_some() {
                out.push_str(&self.function(id, fun, Side::Device));
            }
        }
        out
    }

    fn entries(&self) -> impl Iterator<Item = (FunId, &Fun)> {
        self.program.funs.iter().filter(|(_, fun)| fun.entry)
    }
    fn types(&self) -> String {
        let prefix = self.prefix;
        let mut out = format!("typedef struct remora_context {prefix}_context;\n");
        let results = self.entries().flat_map(|(_, fun)| &fun.results).map(|var| self.program.ty(*var)).filter(|ty| ty.rank() > 0);
        let arrays: BTreeSet<(PrimType, usize)> = results.map(|ty| (ty.elem, ty.rank())).collect();
        for (elem, rank) in arrays {
            let name = format!("{prefix}_{elem}_{rank}d");
            let _ = writeln!(out, "typedef struct {{\n  {} *data;\n  int64_t shape[{rank}];\n  void *owner;\n}} {name};", outer_type(elem));
        }
        out
    }

    /// The header.
    pub fn header(&self) -> String {
        let prefix = self.prefix;
        let guard = format!("{}_H", prefix.to_uppercase());
        let mut out = format!(
            "/* Made by remora. Arrays are in row-major order. Results belong to the caller, who gives them back with {prefix}_release
   before the context is freed. A context may be used by several threads; they take turns. */
#ifndef {guard}
#define {guard}

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern \"C\" {{
#endif

{}
/* {} */
{prefix}_context *{prefix}_new(int threads);
void {prefix}_free({prefix}_context *context);
/* The place in the source, the code and the message of what the last call of a function on this thread failed with; empty if it did
   not. The text stays as it is until the next call on this thread. */
const char *{prefix}_error({prefix}_context *context);
/* Gives back the memory of a result (its owner). */
void {prefix}_release({prefix}_context *context, void *owner);

/* Functions return 0, or the number of the error's code. Halves (f16) are passed as their bits. */
",
            self.types(),
            self.device
                .as_ref()
                .map_or("A context with so many threads, or one for each processor if that is 0. NULL if there is no memory.", |device| {
                    device.threads
                }),
        );
        for (id, fun) in self.entries() {
            let _ = writeln!(out, "{};", self.signature(id, fun, Side::Host));
        }
        if let Some(device) = &self.device {
            out.push_str(&device.header);
            for (id, fun) in self.entries() {
                let _ = writeln!(out, "{};", self.signature(id, fun, Side::Device));
            }
        }
        out.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
        out
    }

    fn support(&self) -> String {
        let prefix = self.prefix;
        let (contexts, enter, leave) = match &self.device {
            None => {
                let contexts = format!(
                    "static __thread char remora_text[2048];
REMORA_DOOR {prefix}_context *{prefix}_new(int threads) {{ return remora_context_new(threads); }}
REMORA_DOOR void {prefix}_free({prefix}_context *context) {{ remora_context_free(context); }}
"
                );
                (contexts, "", "")
            }
            Some(device) => (device.contexts.clone(), ENTER, LEAVE),
        };
        format!(
            "{contexts}REMORA_DOOR const char *{prefix}_error({prefix}_context *context) {{
  (void)context;
  return remora_text;
}}
/* Keeps the message of a failure for the thread that called, as long as the context is its own. */
static int remora_refuse(remora_context *context) {{
  const char *place = remora_places[context->place[0]].text, *own = \"\";
  for (int k = 0; k < context->places && !*own; k++) {{
    own = remora_places[context->place[k]].own;
  }}
  const int called = *own && strcmp(own, place);
  snprintf(remora_text, sizeof remora_text, \"%s%s%s%serror[%s]: %s\", place, called ? \" (called from \" : \"\", called ? own : \"\",
           called ? \"): \" : *place ? \": \" : \"\", context->code, context->message);
  return atoi(context->code + 1);
}}
REMORA_DOOR void {prefix}_release({prefix}_context *context, void *owner) {{
  pthread_mutex_lock(&context->in_use);
{enter}  remora_array_free(context, owner);
{leave}  pthread_mutex_unlock(&context->in_use);
}}
"
        )
    }

    fn name(&self, var: Var) -> String {
        format!("{}_{}", sanitized(self.program.vars[var].name.as_str()), var.raw())
    }
    /// The name of a parameter: its own where no other parameter has it.
    fn param(&self, fun: &Fun, var: Var) -> String {
        let name = self.program.vars[var].name;
        let twice = fun.params.iter().filter(|other| self.program.vars[**other].name == name).count() > 1;
        let text = sanitized(name.as_str());
        // Words of C, of C++ and of this header are no names.
        let taken = RESERVED.contains(&text.as_str()) || text.starts_with("out") || text.starts_with('_') || text.is_empty();
        if twice || taken { self.name(var) } else { text }
    }
    fn shape(&self, fun: &Fun, ty: &Type) -> String {
        let dims: Vec<String> = ty.shape.iter().map(|size| format!("[{}]", self.size(size, &|var| self.shown(fun, var)))).collect();
        dims.concat()
    }
    fn shown(&self, fun: &Fun, var: Var) -> String {
        match fun.results.iter().position(|result| *result == var) {
            _ if fun.params.contains(&var) => self.param(fun, var),
            Some(k) => format!("*out{k}"),
            None => "?".into(),
        }
    }
    fn size(&self, size: &Size, name: &dyn Fn(Var) -> String) -> String {
        let terms: Vec<String> = size
            .terms()
            .map(|(monomial, coefficient)| {
                let mut factors: Vec<String> = monomial.iter().map(|var| name(*var)).collect();
                if coefficient != 1 || factors.is_empty() {
                    factors.insert(0, coefficient.to_string());
                }
                factors.join(" * ")
            })
            .collect();
        if terms.is_empty() { "0".into() } else { terms.join(" + ") }
    }

    fn signature(&self, id: FunId, fun: &Fun, side: Side) -> String {
        let mut params = vec![format!("{}_context *context", self.prefix)];
        for var in &fun.params {
            let (ty, name) = (self.program.ty(*var), self.param(fun, *var));
            params.push(match ty.rank() {
                0 => format!("{} {name}", outer_type(ty.elem)),
                _ => format!("const {} *{name} /* {} */", outer_type(ty.elem), self.shape(fun, ty)),
            });
        }
        for (k, var) in fun.results.iter().enumerate() {
            let ty = self.program.ty(*var);
            params.push(match ty.rank() {
                0 => format!("{} *out{k}", outer_type(ty.elem)),
                _ => format!("{} *out{k} /* {} */", array_type(self.prefix, ty), self.shape(fun, ty)),
            });
        }
        format!("int {}_{}({})", self.prefix, self.door(id, side), params.join(", "))
    }
    /// The name of a function.
    fn door(&self, id: FunId, side: Side) -> String {
        let mut name = self.names[id.raw()].clone();
        if side == Side::Device {
            name.push_str("_on_device");
            while self.entries().any(|(other, _)| self.names[other.raw()] == name) {
                name.push('_');
            }
        }
        name
    }

    fn function(&self, id: FunId, fun: &Fun, side: Side) -> String {
        let (enter, leave, door, data) = match (&self.device, side) {
            (None, _) => ("", "", "entry", "remora_data"),
            (Some(_), Side::Host) => (ENTER, LEAVE, "entry", "remora_array_data"),
            (Some(_), Side::Device) => (ENTER, LEAVE, "resident", "remora_data"),
        };
        let mut out = format!("REMORA_DOOR {} {{\n", self.signature(id, fun, side));
        let _ = writeln!(out, "  uint64_t in[{}] = {{0}}, out[{}] = {{0}};", fun.params.len().max(1), fun.results.len().max(1));
        for (k, var) in fun.params.iter().enumerate() {
            let (ty, name) = (self.program.ty(*var), self.param(fun, *var));
            let _ = match ty.rank() {
                0 => writeln!(out, "  memcpy(&in[{k}], &{name}, sizeof {name});"),
                _ => writeln!(out, "  in[{k}] = (uint64_t)(uintptr_t){name};"),
            };
        }
        let _ = write!(out, "  remora_text[0] = 0;\n  pthread_mutex_lock(&context->in_use);\n{enter}");
        let sizes: BTreeSet<Var> = fun.params.iter().flat_map(|var| &self.program.ty(*var).shape).flat_map(Size::vars).collect();
        let mut bad = String::new();
        for var in sizes.iter().filter(|var| fun.params.contains(var)) {
            let name = self.param(fun, *var);
            let _ = write!(bad, "({name} < 0 && (context->failed = 0, remora_fail(&context->thread[0], \"E0504\", 0,");
            let _ = write!(bad, " \"an array cannot have the negative size %lld\", (long long){name}))) || ");
        }
        for var in fun.params.iter().filter(|_| side == Side::Device) {
            let (ty, name) = (self.program.ty(*var), self.param(fun, *var));
            let some: String = ty.shape.iter().map(|size| format!("({}) > 0 && ", self.size(size, &|var| self.param(fun, var)))).collect();
            if ty.rank() > 0 {
                let _ = write!(bad, "({some}remora_gpu_foreign(context->device->self, {name}) &&");
                let _ = write!(bad, " (context->failed = 0, remora_device_failed(&context->thread[0]))) || ");
            }
        }
        let _ = writeln!(out, "  if ({bad}remora_{door}_{}(context, in, out)) {{\n    const int code = remora_refuse(context);", id.raw());
        let _ = writeln!(out, "  {leave}    pthread_mutex_unlock(&context->in_use);\n    return code;\n  }}");
        let name = |var: Var| match fun.results.iter().position(|result| *result == var) {
            Some(k) => format!("(int64_t)out[{k}]"),
            None => self.param(fun, var),
        };
        for (k, var) in fun.results.iter().enumerate() {
            let ty = self.program.ty(*var);
            if ty.rank() == 0 {
                let _ = writeln!(out, "  memcpy(out{k}, &out[{k}], sizeof *out{k});");
                continue;
            }
            let _ = writeln!(out, "  out{k}->owner = (void *)(uintptr_t)out[{k}];\n  out{k}->data = {data}(out{k}->owner);");
            for (d, size) in ty.shape.iter().enumerate() {
                let _ = writeln!(out, "  out{k}->shape[{d}] = {};", self.size(size, &name));
            }
        }
        let _ = write!(out, "{leave}  pthread_mutex_unlock(&context->in_use);\n  return 0;\n}}\n");
        out
    }
}
