//! Entry wrappers: what a library has for others, a function for each entry point, and the header that describes them.

use super::handles::{Form, Interface};
use super::{Places, c_type, sanitized, variable_name};
use crate::base::{Code, MAX_SIZE, PrimType, Span, Symbol};
use crate::ir::soac::{Fun, FunId, Program, Size, Var};
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
    "typeof", "typeof_unqual", "I", "assert", "errno", "stderr", "stdin", "stdout",
    "blank", "failed", "free", "memcpy", "pthread_mutex_lock", "pthread_mutex_unlock",
];

/// What every library has, without its prefix.
pub(super) const STANDARD: &[&str] = &["new", "free", "error", "release", "context"];

/// Whether a word is no name of a parameter in C: others have it, or may have it in what they include. Macros have no small letters.
fn is_taken(name: &str, prefix: &str) -> bool {
    let starts = ["out", "made", "remora_", "_"].into_iter().any(|start| name.starts_with(start));
    let is_macro = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    let is_type = name.ends_with("_t") || name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('_'));
    RESERVED.contains(&name) || starts || is_macro || is_type || name.is_empty()
}

/// Whether the header has an array type of this name without the prefix ([`array_type`]).
pub(super) fn is_array_type(name: &str) -> bool {
    let rank =
        |(_, rank): (&str, &str)| rank.strip_suffix('d').is_some_and(|rank| !rank.is_empty() && rank.bytes().all(|b| b.is_ascii_digit()));
    name.split_once('_').filter(|(elem, _)| PrimType::from_name(elem).is_some()).is_some_and(rank)
}

/// The driver is told in which context its functions work, and gets back the one that the caller had.
const ENTER: &str = "  remora_gpu_enter(context->device->self);\n";
const LEAVE: &str = "  remora_gpu_leave();\n";

/// The type of a scalar as users of a library see it: not every compiler that reads the header knows halves, and complex numbers are
/// structures, which C and C++ pass alike.
pub(super) fn outer_type(prim: PrimType) -> &'static str {
    match prim {
        PrimType::F16 => "uint16_t",
        PrimType::C64 => "remora_c64",
        PrimType::C128 => "remora_c128",
        PrimType::I8
        | PrimType::I16
        | PrimType::I32
        | PrimType::I64
        | PrimType::U8
        | PrimType::U16
        | PrimType::U32
        | PrimType::U64
        | PrimType::F32
        | PrimType::F64
        | PrimType::Bool => c_type(prim),
    }
}

/// A scalar goes into its words, the parts of a complex number into one each.
fn into_words(prim: PrimType, at: usize, name: &str) -> String {
    match prim.part() {
        Some(_) => format!("  memcpy(&in[{at}], &{name}.re, sizeof {name}.re);\n  memcpy(&in[{}], &{name}.im, sizeof {name}.im);", at + 1),
        None => format!("  memcpy(&in[{at}], &{name}, sizeof {name});"),
    }
}
/// A scalar comes out of its words.
fn from_words(prim: PrimType, at: usize, name: &str) -> String {
    match prim.part() {
        Some(_) => {
            format!("  memcpy(&{name}->re, &out[{at}], sizeof {name}->re);\n  memcpy(&{name}->im, &out[{}], sizeof {name}->im);", at + 1)
        }
        None => format!("  memcpy({name}, &out[{at}], sizeof *{name});"),
    }
}

/// The types of complex numbers, which several headers may define: those of C99 and C++ lie in memory like them.
const COMPLEX_TYPES: &str = "#ifndef REMORA_COMPLEX
#define REMORA_COMPLEX
/* Complex numbers; arrays of them are arrays of `float complex` and `double complex`, of `std::complex`, and of NumPy's complex64 and complex128. */
typedef struct { float re, im; } remora_c64;
typedef struct { double re, im; } remora_c128;
#endif
";

/// The type of an array that is returned.
pub(super) fn array_type(prefix: &str, elem: PrimType, rank: usize) -> String {
    format!("{prefix}_{elem}_{rank}d")
}

/// A place in words.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// `FILE:LINE:COLUMN`, or nothing for no place.
    pub text: String,
    /// The innermost of it and of the calls through which it was reached that is not in the standard library, or nothing.
    pub own: String,
}

/// Names of C for functions that are called so in the source. The functions that every library has, and those that this one has of its
/// `own`, keep their names, and so do functions that come earlier: `f'` and `f_` are the same in C.
pub(in crate::back) fn wrapper_names(program: &Program, interface: &Interface, names: &[Symbol], own: &[&str]) -> Vec<String> {
    let mut out: Vec<String> = Vec::with_capacity(names.len());
    for (name, (_, fun)) in names.iter().zip(program.funs.iter()) {
        // Only entry points are seen.
        let mut name = if fun.entry { sanitized(name.as_str()) } else { String::new() };
        if STANDARD.contains(&name.as_str()) || own.contains(&name.as_str()) || is_array_type(&name) || interface.names(&name) {
            name.push_str("_entry");
        }
        while fun.entry && (out.contains(&name) || interface.names(&name)) {
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
pub(in crate::back) struct Wrappers<'a> {
    pub program: &'a Program,
    pub interface: &'a Interface,
    pub prefix: &'a str,
    /// What the functions of the program are called, without the prefix ([`wrapper_names`]).
    pub names: Vec<String>,
    /// Where arrays are on a device: how contexts are made there, and what the header says of it.
    pub device: Option<Device>,
}

/// What is different where arrays are on a device.
pub(in crate::back) struct Device {
    /// Functions that make and free contexts.
    pub contexts: String,
    /// Their declarations, and what is to be said of functions that take arrays of the device.
    pub header: String,
    /// What the header says of the number of threads.
    pub threads: &'static str,
}

/// What a function takes or returns by itself: a scalar, an array, or a value of a sum type.
#[derive(Clone)]
struct Passed<'a> {
    name: String,
    form: Form,
    /// Its parts.
    vars: &'a [Var],
    /// The number of the first of their words.
    at: usize,
}

/// Where a function takes its arrays from and leaves its results.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// In the memory of the caller.
    Host,
    /// In the memory of the device.
    Device,
}

impl Wrappers<'_> {
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
        let (enter, leave) = if self.device.is_some() { (ENTER, LEAVE) } else { ("", "") };
        out.push_str(&self.interface.source(self.prefix, enter, leave));
        for (id, fun) in self.entries() {
            out.push_str(&self.function(id, fun, Side::Host));
            if self.has_side(fun, Side::Device) {
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
        let passed = self.entries().flat_map(|(_, fun)| fun.params.iter().chain(&fun.results));
        if passed.into_iter().any(|var| self.program.ty(*var).elem.is_complex()) {
            out.push_str(COMPLEX_TYPES);
        }
        let results = self.entries().flat_map(|(_, fun)| &fun.results).map(|var| self.program.ty(*var)).filter(|ty| ty.rank() > 0);
        let mut arrays: BTreeSet<(PrimType, usize)> = results.map(|ty| (ty.elem, ty.rank())).collect();
        self.interface.arrays(&mut arrays);
        for (elem, rank) in arrays {
            let name = array_type(prefix, elem, rank);
            let _ = writeln!(out, "typedef struct {{\n  {} *data;\n  int64_t shape[{rank}];\n  void *owner;\n}} {name};", outer_type(elem));
        }
        out.push_str(&self.interface.types(prefix));
        out
    }
    /// Whether a function can be called with arrays there: values of sum types are never on a device by themselves.
    fn has_side(&self, fun: &Fun, side: Side) -> bool {
        let plain = || [self.params(fun), self.results(fun)].concat().iter().all(|passed| matches!(passed.form, Form::Plain(..)));
        side == Side::Host || self.device.is_some() && plain()
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

/* Functions return 0, or the number of the error's code. Halves (f16) are passed as their bits.
   Sizes come first, then the parts of the arguments: each component of a tuple, each field of a record, each array of an array of those. */
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
        out.push_str(&self.interface.header(prefix));
        if let Some(device) = &self.device {
            out.push_str(&device.header);
            for (id, fun) in self.entries().filter(|(_, fun)| self.has_side(fun, Side::Device)) {
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

    /// What a function takes.
    fn params<'f>(&self, fun: &'f Fun) -> Vec<Passed<'f>> {
        let items = self.interface.entry(fun.name).map_or(&[][..], |entry| &entry.params);
        let width: usize = items.iter().map(|item| self.interface.width(item.form)).sum();
        let sizes = fun.params.len().saturating_sub(width);
        let mut out: Vec<Passed> = (0..sizes).map(|at| self.plain(&fun.params, at)).collect();
        let mut at = sizes;
        let word = |at: usize| self.words(&fun.params[..at]);
        for item in items {
            let width = self.interface.width(item.form);
            let base = sanitized(self.program.vars[fun.params[at]].name.as_str());
            out.push(Passed { name: format!("{base}{}", item.path), form: item.form, vars: &fun.params[at..at + width], at: word(at) });
            at += width;
        }
        // Words of C, of C++ and of this header are no names.
        let names: Vec<String> = out.iter().map(|passed| passed.name.clone()).collect();
        for (k, passed) in out.iter_mut().enumerate() {
            let name = &names[k];
            if is_taken(name, self.prefix) || names.iter().filter(|other| *other == name).count() > 1 {
                // Those that are renamed differ by their numbers.
                passed.name = variable_name(Symbol::new(name), passed.vars[0].raw());
                while names.contains(&passed.name) {
                    passed.name.push('_');
                }
            }
        }
        out
    }
    /// What a function returns.
    fn results<'f>(&self, fun: &'f Fun) -> Vec<Passed<'f>> {
        let items = self.interface.entry(fun.name).map_or(&[][..], |entry| &entry.results);
        let (mut out, mut at) = (Vec::with_capacity(fun.results.len()), 0);
        for item in items {
            let width = self.interface.width(item.form);
            out.push(Passed {
                name: String::new(),
                form: item.form,
                vars: &fun.results[at..at + width],
                at: self.words(&fun.results[..at]),
            });
            at += width;
        }
        // Sizes that the type mentions and that were computed.
        out.extend((at..fun.results.len()).map(|at| self.plain(&fun.results, at)));
        for (k, passed) in out.iter_mut().enumerate() {
            passed.name = format!("out{k}");
        }
        out
    }
    fn plain<'f>(&self, vars: &'f [Var], at: usize) -> Passed<'f> {
        let ty = self.program.ty(vars[at]);
        let name = sanitized(self.program.vars[vars[at]].name.as_str());
        Passed { name, form: Form::Plain(ty.elem, ty.rank()), vars: &vars[at..=at], at: self.words(&vars[..at]) }
    }
    /// How many words stand for variables.
    fn words(&self, vars: &[Var]) -> usize {
        vars.iter().map(|var| self.program.ty(*var).words()).sum()
    }
    /// The name of a parameter that is a scalar.
    fn param(&self, fun: &Fun, var: Var) -> String {
        match self.params(fun).into_iter().find(|passed| passed.vars == [var]) {
            Some(passed) => passed.name,
            None => crate::ice!(fun.span, "a size that is no parameter of `{}`", fun.name),
        }
    }
    fn shape(&self, fun: &Fun, dims: &[Size]) -> String {
        let dims: Vec<String> = dims.iter().map(|size| format!("[{}]", self.size(size, &|var| self.shown(fun, var)))).collect();
        dims.concat()
    }
    fn shown(&self, fun: &Fun, var: Var) -> String {
        match self.results(fun).iter().find(|passed| passed.vars == [var]) {
            _ if fun.params.contains(&var) => self.param(fun, var),
            Some(passed) => format!("*{}", passed.name),
            None => crate::ice!(fun.span, "a size that `{}` neither takes nor returns", fun.name),
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
        let prefix = self.prefix;
        let mut params = vec![format!("{prefix}_context *context")];
        for Passed { name, form, vars, .. } in self.params(fun) {
            let shape = &self.program.ty(vars[0]).shape;
            params.push(match form {
                Form::Plain(elem, 0) => format!("{} {name}", outer_type(elem)),
                Form::Plain(elem, _) => format!("const {} *{name} /* {} */", outer_type(elem), self.shape(fun, shape)),
                Form::Handle(number) => {
                    let handle = &self.interface.handles[number];
                    let dims = if handle.rank > 0 { format!(" /* {} */", self.shape(fun, shape)) } else { String::new() };
                    format!("const {prefix}_{} *{name}{dims}", handle.name)
                }
            });
        }
        for Passed { name, form, vars, .. } in self.results(fun) {
            let shape = &self.program.ty(vars[0]).shape;
            params.push(match form {
                Form::Plain(elem, 0) => format!("{} *{name}", outer_type(elem)),
                Form::Plain(elem, rank) => format!("{} *{name} /* {} */", array_type(prefix, elem, rank), self.shape(fun, shape)),
                Form::Handle(number) => {
                    let handle = &self.interface.handles[number];
                    let dims = if handle.rank > 0 { format!(" /* {} */", self.shape(fun, shape)) } else { String::new() };
                    format!("{prefix}_{} **{name}{dims}", handle.name)
                }
            });
        }
        format!("int {prefix}_{}({})", self.wrapper(id, side), params.join(", "))
    }
    /// The name of a function.
    fn wrapper(&self, id: FunId, side: Side) -> String {
        let mut name = self.names[id.raw()].clone();
        if side == Side::Device {
            name.push_str("_on_device");
            while self.interface.names(&name) || self.entries().any(|(other, _)| self.names[other.raw()] == name) {
                name.push('_');
            }
        }
        name
    }

    fn function(&self, id: FunId, fun: &Fun, side: Side) -> String {
        let (enter, leave, entry, data) = match (&self.device, side) {
            (None, _) => ("", "", "entry", "remora_data"),
            (Some(_), Side::Host) => (ENTER, LEAVE, "entry", "remora_array_data"),
            (Some(_), Side::Device) => (ENTER, LEAVE, "resident", "remora_data"),
        };
        let (params, results) = (self.params(fun), self.results(fun));
        let mut out = format!("REMORA_DOOR {} {{\n", self.signature(id, fun, side));
        let _ =
            writeln!(out, "  uint64_t in[{}] = {{0}}, out[{}] = {{0}};", self.words(&fun.params).max(1), self.words(&fun.results).max(1));
        for Passed { name, form, at, .. } in &params {
            let _ = match form {
                Form::Plain(prim, 0) => writeln!(out, "{}", into_words(*prim, *at, name)),
                Form::Plain(..) => writeln!(out, "  in[{at}] = (uint64_t)(uintptr_t){name};"),
                Form::Handle(_) => Ok(()),
            };
        }
        let handles = self.handles(fun, &params, &results);
        out.push_str(&handles.declared);
        let _ = write!(out, "  remora_text[0] = 0;\n  pthread_mutex_lock(&context->in_use);\n{enter}");
        let bad = self.refusals(fun, &params, side) + &handles.work;
        let _ =
            writeln!(out, "  const int failed = {bad}remora_{entry}_{}(context, in, out);\n{}  if (failed) {{", id.raw(), handles.after);
        let _ = writeln!(out, "    const int code = remora_refuse(context);\n{}", handles.undo);
        let _ = writeln!(out, "  {leave}    pthread_mutex_unlock(&context->in_use);\n    return code;\n  }}");
        let name = |var: Var| match fun.results.iter().position(|result| *result == var) {
            Some(k) => format!("(int64_t)out[{}]", self.words(&fun.results[..k])),
            None => self.param(fun, var),
        };
        for (k, Passed { name: own, form, vars, at }) in results.iter().enumerate() {
            let sizes = |out: &mut String, part: &str, var: Var| {
                for (d, size) in self.program.ty(var).shape.iter().enumerate() {
                    let _ = writeln!(out, "  {part}shape[{d}] = {};", self.size(size, &name));
                }
            };
            match form {
                Form::Plain(prim, 0) => {
                    let _ = writeln!(out, "{}", from_words(*prim, *at, own));
                }
                Form::Plain(..) => {
                    let _ = writeln!(out, "  {own}->owner = (void *)(uintptr_t)out[{at}];\n  {own}->data = {data}({own}->owner);");
                    sizes(&mut out, &format!("{own}->"), vars[0]);
                }
                Form::Handle(number) => {
                    let handle = &self.interface.handles[*number];
                    for (j, (var, (_, rank))) in vars.iter().zip(&handle.parts).enumerate() {
                        let part = format!("made{k}->part[{j}].");
                        let word = at + self.words(&vars[..j]);
                        let from = format!("out[{word}]");
                        let _ = match rank {
                            0 => {
                                (0..self.program.ty(*var).words()).try_for_each(|k| writeln!(out, "  {part}bits[{k}] = out[{}];", word + k))
                            }
                            _ => writeln!(
                                out,
                                "  {part}owner = (void *)(uintptr_t){from};\n  {part}data = {data}({part}owner);\n  {part}known = true;"
                            ),
                        };
                        sizes(&mut out, &part, *var);
                    }
                    let _ = writeln!(out, "  *{own} = ({}_{} *)made{k};", self.prefix, handle.name);
                }
            }
        }
        let _ = write!(out, "{leave}  pthread_mutex_unlock(&context->in_use);\n  return 0;\n}}\n");
        out
    }

    /// Conditions under which a function is not called: negative sizes, and pointers that are not of the device.
    fn refusals(&self, fun: &Fun, params: &[Passed], side: Side) -> String {
        let sizes: BTreeSet<Var> = fun.params.iter().flat_map(|var| &self.program.ty(*var).shape).flat_map(Size::vars).collect();
        let (mut bad, code) = (String::new(), Code::ImpossibleSize);
        for var in sizes.iter().filter(|var| fun.params.contains(var)) {
            let name = self.param(fun, *var);
            let _ = write!(bad, "({name} < 0 && (remora_fresh(context), remora_fail(&context->thread[0], \"{code}\", 0,");
            let _ = write!(bad, " \"an array cannot have the negative size %lld\", (long long){name}))) || ");
            let _ = write!(bad, "({name} > INT64_C({MAX_SIZE}) && (remora_fresh(context), remora_fail(&context->thread[0], \"{code}\", 0,");
            let _ = write!(bad, " \"an array cannot have the size %lld\", (long long){name}))) || ");
        }
        for Passed { name, form, vars, .. } in params.iter().filter(|_| side == Side::Device) {
            let shape = &self.program.ty(vars[0]).shape;
            let some: String = shape.iter().map(|size| format!("({}) > 0 && ", self.size(size, &|var| self.param(fun, var)))).collect();
            if matches!(form, Form::Plain(_, rank) if *rank > 0) {
                let _ = write!(bad, "({some}remora_gpu_foreign(context->device->self, {name}) &&");
                let _ = write!(bad, " (remora_fresh(context), remora_device_failed(&context->thread[0]))) || ");
            }
        }
        bad
    }

    /// How a function takes and returns values of sum types.
    fn handles(&self, fun: &Fun, params: &[Passed], results: &[Passed]) -> Handles {
        let (mut handles, mut blanks) = (Handles::default(), 0);
        for Passed { name, form, vars, at } in params {
            let Form::Handle(_) = form else { continue };
            for (j, var) in vars.iter().enumerate() {
                let ty = self.program.ty(*var);
                let sizes: Vec<String> = ty.shape.iter().map(|size| self.size(size, &|var| self.param(fun, var))).collect();
                let (shape, blank) = match sizes.as_slice() {
                    [] => ("NULL".into(), "NULL".into()),
                    sizes => (format!("(const int64_t[]){{{}}}", sizes.join(", ")), format!("&blank[{blanks}]")),
                };
                blanks += usize::from(!sizes.is_empty());
                let part = at + self.words(&vars[..j]);
                let _ = write!(
                    handles.work,
                    "remora_sum_fit(context, (const remora_sum *){name}, {j}, {shape}, {blank}, &in[{part}]) ||\n    "
                );
            }
        }
        if blanks > 0 {
            let _ = writeln!(handles.declared, "  void *blank[{blanks}] = {{0}};");
            let _ = writeln!(handles.after, "  for (int k = 0; k < {blanks}; k++) {{\n    free(blank[k]);\n  }}");
        }
        for (k, passed) in results.iter().enumerate() {
            let Form::Handle(number) = passed.form else { continue };
            let _ = writeln!(handles.declared, "  remora_sum *made{k} = NULL;");
            let _ = write!(handles.work, "(!(made{k} = remora_sum_new(&remora_form_{number})) && remora_sum_memory(context)) ||\n    ");
            let _ = writeln!(handles.undo, "    remora_sum_free(context, made{k});");
        }
        handles
    }
}

/// Parts of a function that takes or returns values of sum types.
#[derive(Default)]
struct Handles {
    declared: String,
    /// Conditions in front of the call, which prepare it and hold where that failed.
    work: String,
    after: String,
    undo: String,
}
