//! Values of sum types in libraries: handles, with functions that make them, say by which constructor they were made, and take their payloads.
//!
//! A handle holds the parts of a value, its tag and its [`slots`], in memory of its own or as a function returned them. The fields of a
//! payload are its parts that are neither tuples nor records.

use super::sanitized;
use super::wrappers::{STANDARD, array_type, is_array_type, outer_type};
use crate::base::{Code, PrimType, Span, Symbol};
use crate::ir::core::slots::{self, Layout};
use crate::ir::core::{self, Atom};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the entry points of a library take and return, as the program declares it.
#[derive(Debug, Default)]
pub struct Interface {
    entries: FxHashMap<Symbol, Entry>,
    pub(super) handles: Vec<Handle>,
}

/// What an entry point takes, without the sizes in front, and what it returns.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub params: Vec<Item>,
    pub results: Vec<Item>,
}

/// A value that a function takes or returns by itself.
#[derive(Debug)]
pub(super) struct Item {
    /// Where in the argument or payload it is: `_0_x`.
    pub path: String,
    pub form: Form,
}

/// How a value is passed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// A scalar, or an array of scalars of this rank.
    Plain(PrimType, usize),
    /// The handle with this number.
    Handle(usize),
}

/// A sum type, or arrays of one of some rank.
#[derive(Debug)]
pub(super) struct Handle {
    /// Its name without the prefix of the library.
    pub name: String,
    /// The type as it is written, sizes left out.
    text: String,
    /// The dimensions of the array.
    pub rank: usize,
    /// The type and the number of dimensions of each part.
    pub parts: Vec<(PrimType, usize)>,
    constructors: Vec<Constructor>,
}

#[derive(Debug)]
struct Constructor {
    label: String,
    fields: Vec<Item>,
    /// The slots of the leaves of the fields.
    places: Vec<usize>,
}

impl Constructor {
    /// Tells the numbers of the parts of the fields, one after the other; the first part of a value says which constructor it has.
    fn parts(&self) -> impl FnMut() -> usize {
        let mut places = self.places.iter();
        move || match places.next() {
            Some(place) => place + 1,
            None => crate::ice!(Span::default(), "`{}` has more parts than places", self.label),
        }
    }
}

impl Interface {
    /// Of entry points with these names and types, which consist of data of known rank.
    pub fn new<'t>(entries: impl Iterator<Item = (Symbol, &'t core::Type)>) -> Interface {
        let mut interface = Interface::default();
        for (name, ty) in entries {
            let (params, ret) = ty.interface();
            let mut entry = Entry::default();
            params.iter().for_each(|param| interface.items(&param.ty, "", 0, &mut entry.params));
            interface.items(ret, "", 0, &mut entry.results);
            interface.entries.insert(name, entry);
        }
        interface
    }

    pub(super) fn entry(&self, name: Symbol) -> Option<&Entry> {
        self.entries.get(&name)
    }
    /// How many parts a value has.
    pub(super) fn width(&self, form: Form) -> usize {
        match form {
            Form::Plain(..) => 1,
            Form::Handle(number) => self.handles[number].parts.len(),
        }
    }

    /// What a value of a type is passed as; `frame` dimensions stand in front of its own.
    fn items(&mut self, ty: &core::Type, path: &str, frame: usize, out: &mut Vec<Item>) {
        let rank = frame + ty.shape().items.len();
        match ty.atom() {
            Atom::Prim(prim) => out.push(Item { path: path.into(), form: Form::Plain(*prim, rank) }),
            Atom::Tuple(parts) => {
                parts.iter().enumerate().for_each(|(k, part)| self.items(part, &format!("{path}_{k}"), rank, out));
            }
            Atom::Record(fields) => {
                let name = |label: &Symbol| format!("{path}_{}", sanitized(label.as_str()));
                fields.iter().for_each(|(label, part)| self.items(part, &name(label), rank, out));
            }
            Atom::Sum(payloads) => {
                if let Some(number) = self.handle(payloads, rank) {
                    out.push(Item { path: path.into(), form: Form::Handle(number) });
                }
            }
            Atom::Sigma(names, content) => {
                out.extend(names.iter().map(|_| Item { path: String::new(), form: Form::Plain(PrimType::I64, 0) }));
                self.items(content, path, rank, out);
            }
            Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => {}
        }
    }

    /// The number of the handle of a sum type, or of arrays of it. Types that differ in sizes only have one handle.
    fn handle(&mut self, payloads: &[(Symbol, core::Type)], rank: usize) -> Option<usize> {
        let layout = slots::layout(payloads)?;
        let text = shown(&core::Type::scalar(Atom::Sum(payloads.to_vec())));
        if let Some(at) = self.handles.iter().position(|handle| handle.rank == rank && handle.text == text) {
            return Some(at);
        }
        let tag = (slots::tag(payloads.len()), rank);
        let parts = std::iter::once(tag).chain(layout.slots.iter().map(|slot| (slot.prim, rank + slot.shape.len()))).collect();
        let constructors = if rank == 0 { self.constructors(layout) } else { Vec::new() };
        if rank > 0 {
            self.handle(payloads, 0);
        }
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        let dims = if rank > 0 { format!("_{rank}d") } else { String::new() };
        let mut name = sanitized(&(words.join("_") + &dims));
        while STANDARD.contains(&name.as_str()) || is_array_type(&name) || self.handles.iter().any(|other| other.name == name) {
            name.push('_');
        }
        self.handles.push(Handle { name, text, rank, parts, constructors });
        Some(self.handles.len() - 1)
    }
    fn constructors(&mut self, layout: Layout) -> Vec<Constructor> {
        let mut out: Vec<Constructor> = Vec::with_capacity(layout.constructors.len());
        for (label, payload, places) in layout.constructors {
            let mut fields = Vec::new();
            self.items(&payload, "", 0, &mut fields);
            let mut label = sanitized(label.as_str());
            while out.iter().any(|other| other.label == label) {
                label.push('_');
            }
            out.push(Constructor { label, fields, places });
        }
        out
    }
    /// The cells of an array.
    fn cell<'h>(&'h self, array: &'h Handle) -> &'h Handle {
        self.handles.iter().find(|handle| handle.rank == 0 && handle.text == array.text).unwrap_or(array)
    }

    /// The types of arrays that payloads have.
    pub(super) fn arrays(&self, out: &mut BTreeSet<(PrimType, usize)>) {
        let fields = self.handles.iter().flat_map(|handle| &handle.constructors).flat_map(|constructor| &constructor.fields);
        for field in fields {
            if let Form::Plain(prim, rank) = field.form
                && rank > 0
            {
                out.insert((prim, rank));
            }
        }
    }
    /// Whether a handle, one of its functions or one of its numbers is called so, without the prefix of the library.
    pub(super) fn names(&self, name: &str) -> bool {
        let of_constructor = |rest: &str, made: &Constructor| {
            ["is", "new", "get"]
                .into_iter()
                .any(|what| rest.strip_prefix(what).and_then(|rest| rest.strip_prefix('_')) == Some(&made.label))
        };
        self.handles.iter().any(|handle| match name.strip_prefix(handle.name.as_str()) {
            Some("" | "_free" | "_variant" | "_new" | "_get" | "_shape") => true,
            Some(rest) => rest.strip_prefix('_').is_some_and(|rest| handle.constructors.iter().any(|made| of_constructor(rest, made))),
            None => false,
        })
    }
    /// The types of handles.
    pub(super) fn types(&self, prefix: &str) -> String {
        let mut out = String::new();
        for handle in &self.handles {
            let name = format!("{prefix}_{}", handle.name);
            let dims = if handle.rank > 0 { format!("arrays of rank {} of ", handle.rank) } else { String::new() };
            let _ = writeln!(out, "/* {dims}{} */\ntypedef struct {name} {name};", handle.text);
            let variants: Vec<String> =
                handle.constructors.iter().enumerate().map(|(k, made)| format!("{name}_is_{} = {k}", made.label)).collect();
            if !variants.is_empty() {
                let _ = writeln!(out, "enum {{ {} }};", variants.join(", "));
            }
        }
        out
    }
    /// The declarations of the functions of handles.
    pub(super) fn header(&self, prefix: &str) -> String {
        if self.handles.is_empty() {
            return String::new();
        }
        let mut out = format!(
            "
/* Values of sum types. T_variant is the number of the constructor (T_is_C). T_new_C makes a value of a payload, which it copies; the shape of
   an array stands behind it. T_get_C takes the payload of a value that was made by C (else it fails): its arrays belong to the value and are
   not released, its sums are values of their own. For arrays of values, T_new copies as many values as the shape says, T_get is value number
   i in row-major order, and T_shape belongs to the array. Every value is given back with T_free before the context is. Functions leave the
   values that they take as they are. {prefix}_error says why a function failed. */
"
        );
        for handle in &self.handles {
            self.functions(handle, prefix).into_iter().for_each(|(signature, _)| {
                let _ = writeln!(out, "{signature};");
            });
        }
        out
    }
    /// The functions of handles.
    pub(super) fn source(&self, prefix: &str, enter: &str, leave: &str) -> String {
        if self.handles.is_empty() {
            return String::new();
        }
        let mut out = String::from(include_str!("handles.c"));
        let _ = write!(
            out,
            "static void remora_sum_enter(remora_context *context) {{\n  remora_text[0] = 0;\n  pthread_mutex_lock(&context->in_use);\n{enter}}}\n\
             static void remora_sum_leave(remora_context *context) {{\n{leave}  pthread_mutex_unlock(&context->in_use);\n}}\n"
        );
        for (number, handle) in self.handles.iter().enumerate() {
            let parts: Vec<String> = handle
                .parts
                .iter()
                .map(|(prim, rank)| format!("{{sizeof({}), {rank}, {}}}", outer_type(*prim), if prim.is_complex() { 2 } else { 1 }))
                .collect();
            let count = parts.len();
            let _ = writeln!(out, "static const remora_part_form remora_parts_{number}[] = {{{}}};", parts.join(", "));
            let _ =
                writeln!(out, "static const remora_sum_form remora_form_{number} = {{{count}, {}, remora_parts_{number}}};", handle.rank);
        }
        for handle in &self.handles {
            for (signature, body) in self.functions(handle, prefix) {
                let _ = writeln!(out, "REMORA_DOOR {signature} {{\n{body}}}");
            }
        }
        out
    }

    fn number(&self, handle: &Handle) -> usize {
        let found = self.handles.iter().position(|other| other.name == handle.name);
        found.unwrap_or_else(|| crate::ice!(Span::default(), "`{}` is no handle of the interface", handle.name))
    }
    /// Signatures and bodies of what there is for a handle.
    fn functions(&self, handle: &Handle, prefix: &str) -> Vec<(String, String)> {
        let name = format!("{prefix}_{}", handle.name);
        let free = format!("void {name}_free({prefix}_context *context, {name} *value)");
        let freeing = "  remora_sum_enter(context);\n  remora_sum_free(context, (remora_sum *)value);\n  remora_sum_leave(context);\n";
        let mut out = vec![(free, freeing.into())];
        if handle.rank > 0 {
            self.of_arrays(handle, &name, prefix, &mut out);
            return out;
        }
        let variant = format!("int {name}_variant(const {name} *value)");
        out.push((variant, "  return remora_sum_variant((const remora_sum *)value);\n".into()));
        for (number, constructor) in handle.constructors.iter().enumerate() {
            out.push(self.maker(handle, &name, constructor, number, prefix));
            if !constructor.fields.is_empty() {
                out.push(self.getter(&name, constructor, number, prefix));
            }
        }
        out
    }
    fn of_arrays(&self, handle: &Handle, name: &str, prefix: &str, out: &mut Vec<(String, String)>) {
        let (cell, rank) = (self.cell(handle), handle.rank);
        let of_cells = format!("{prefix}_{}", cell.name);
        let shape = format!("const int64_t *{name}_shape(const {name} *values)");
        out.push((shape, "  return ((const remora_sum *)values)->part[0].shape;\n".into()));
        let new = format!(
            "int {name}_new({prefix}_context *context, const int64_t shape[{rank}], const {of_cells} *const *values, {name} **out)"
        );
        out.push((
            new,
            making(self.number(handle), "remora_sum_gather(context, made, shape, (const remora_sum *const *)values)".to_string()),
        ));
        let get = format!("int {name}_get({prefix}_context *context, const {name} *values, int64_t i, {of_cells} **out)");
        out.push((get, making(self.number(cell), "remora_sum_cell(context, (const remora_sum *)values, i, made)".to_string())));
    }
    fn maker(&self, handle: &Handle, name: &str, constructor: &Constructor, number: usize, prefix: &str) -> (String, String) {
        let mut params = vec![format!("{prefix}_context *context")];
        let tag = outer_type(handle.parts[0].0);
        let mut work = vec![format!("remora_sum_put(context, made, 0, &({tag}){{{number}}}, NULL)")];
        let mut part = constructor.parts();
        for field in &constructor.fields {
            let own = format!("v{}", field.path);
            match field.form {
                Form::Plain(prim, 0) => {
                    params.push(format!("{} {own}", outer_type(prim)));
                    let at = part();
                    work.push(format!("remora_sum_put(context, made, {at}, &{own}, NULL)"));
                }
                Form::Plain(prim, rank) => {
                    params.push(format!("const {} *{own}", outer_type(prim)));
                    params.push(format!("const int64_t {own}_shape[{rank}]"));
                    let at = part();
                    work.push(format!("remora_sum_put(context, made, {at}, {own}, {own}_shape)"));
                }
                Form::Handle(inner) => {
                    params.push(format!("const {prefix}_{} *{own}", self.handles[inner].name));
                    for from in 0..self.handles[inner].parts.len() {
                        let at = part();
                        work.push(format!("remora_sum_copy(context, made, {at}, (const remora_sum *){own}, {from})"));
                    }
                }
            }
        }
        params.push(format!("{name} **out"));
        let signature = format!("int {name}_new_{}({})", constructor.label, params.join(", "));
        (signature, making(self.number(handle), work.join(" ||\n    ")))
    }
    fn getter(&self, name: &str, constructor: &Constructor, number: usize, prefix: &str) -> (String, String) {
        let mut params = vec![format!("{prefix}_context *context"), format!("const {name} *value")];
        let mut body = format!(
            "  const remora_sum *sum = (const remora_sum *)value;\n  int failed = 0;\n  remora_sum_enter(context);\n  \
             if (remora_sum_variant(sum) != {number}) {{\n    \
             failed = remora_sum_refuse(context, \"{}\", \"the value was not made by `#{}`\");\n  }}\n",
            Code::ForeignValue,
            constructor.label
        );
        let (mut taken, mut undo) = (String::new(), String::new());
        let mut part = constructor.parts();
        for field in &constructor.fields {
            let own = format!("v{}", field.path);
            match field.form {
                Form::Plain(prim, 0) => {
                    params.push(format!("{} *{own}", outer_type(prim)));
                    let at = part();
                    let _ = writeln!(taken, "    remora_sum_scalar(sum->form->part[{at}], {own}, sum->part[{at}].bits);");
                }
                Form::Plain(prim, rank) => {
                    params.push(format!("{} *{own}", array_type(prefix, prim, rank)));
                    let at = part();
                    let _ = write!(taken, "    {own}->owner = NULL;\n    {own}->data = sum->part[{at}].data;\n");
                    let _ = writeln!(taken, "    memcpy({own}->shape, sum->part[{at}].shape, sizeof {own}->shape);");
                }
                Form::Handle(inner) => {
                    params.push(format!("{prefix}_{} **{own}", self.handles[inner].name));
                    let _ = writeln!(body, "  remora_sum *made{} = NULL;", field.path);
                    let made = format!("made{}", field.path);
                    let mut copies = vec![format!("(!({made} = remora_sum_new(&remora_form_{inner})) && remora_sum_memory(context))")];
                    for to in 0..self.handles[inner].parts.len() {
                        let at = part();
                        copies.push(format!("remora_sum_copy(context, {made}, {to}, sum, {at})"));
                    }
                    let _ = writeln!(body, "  failed = failed || {};", copies.join(" ||\n    "));
                    let _ = writeln!(taken, "    *{own} = ({prefix}_{} *){made};", self.handles[inner].name);
                    let _ = writeln!(undo, "    remora_sum_free(context, {made});\n    *{own} = NULL;");
                }
            }
        }
        let _ = write!(
            body,
            "  int code = 0;\n  if (failed) {{\n    code = remora_refuse(context);\n{undo}  }} else {{\n{taken}  }}\n  remora_sum_leave(context);\n  return code;\n"
        );
        (format!("int {name}_get_{}({})", constructor.label, params.join(", ")), body)
    }
}

/// The body of a function that makes a value, by work that fills it.
fn making(number: usize, work: String) -> String {
    format!(
        "  remora_sum_enter(context);\n  remora_sum *made = remora_sum_new(&remora_form_{number});\n  \
         const int failed = made ? {work} : remora_sum_memory(context);\n  void *left = NULL;\n  \
         const int code = remora_sum_done(context, made, failed, &left);\n  *out = left;\n  remora_sum_leave(context);\n  return code;\n"
    )
}

/// A type of data as it is written, sizes left out.
fn shown(ty: &core::Type) -> String {
    let dims = "[]".repeat(ty.shape().items.len());
    let many = |parts: Vec<String>| parts.join(", ");
    let atom = match ty.atom() {
        Atom::Prim(prim) => prim.to_string(),
        Atom::Tuple(parts) => format!("({})", many(parts.iter().map(shown).collect())),
        Atom::Record(fields) => format!("{{{}}}", many(fields.iter().map(|(label, part)| format!("{label}: {}", shown(part))).collect())),
        Atom::Sum(payloads) => {
            let made = payloads.iter().map(|(label, payload)| {
                if let (Atom::Tuple(parts), true) = (payload.atom(), payload.shape().is_scalar()) {
                    return parts.iter().fold(format!("#{label}"), |text, part| format!("{text} {}", in_payload(part)));
                }
                format!("#{label} {}", in_payload(payload))
            });
            made.collect::<Vec<_>>().join(" | ")
        }
        Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) => {
            crate::ice!(Span::default(), "a sum with a payload that C cannot have")
        }
    };
    if dims.is_empty() || !matches!(ty.atom(), Atom::Sum(_)) { format!("{dims}{atom}") } else { format!("{dims}({atom})") }
}
fn in_payload(ty: &core::Type) -> String {
    if matches!(ty.atom(), Atom::Sum(_)) && ty.shape().is_scalar() { format!("({})", shown(ty)) } else { shown(ty) }
}
