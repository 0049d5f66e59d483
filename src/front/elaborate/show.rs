//! Core types in the notation of the surface language.

use super::sizes::{is_bound_name, is_number};
use crate::base::Symbol;
use crate::ir::core::{Atom, Dim, DimAtom, ShapeItem, Type};
use crate::ir::tables::{RBase, RType};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Nodes after which a type is cut.
const LIMIT: usize = 1000;

/// A type in surface notation, cut at 1,000 nodes.
pub fn show_type(ty: &Type) -> String {
    Names::default().ty(ty)
}

/// The same, where `written` is the type as inference knows it: its abstract types are written by name.
pub fn show_type_as(ty: &Type, written: &RType) -> String {
    let mut out = String::new();
    write_type(&mut out, ty, Some(written), false, &mut { LIMIT }, &mut Names::default());
    out
}

/// How the names of core are written for the user, the same in all parts of a message. Core gives things of one name different names by
/// a number, `n.1`, and has names of its own for the sizes that it hides itself.
#[derive(Debug, Default)]
pub(super) struct Names {
    shown: FxHashMap<Symbol, Symbol>,
    taken: FxHashSet<Symbol>,
}

impl Names {
    fn name(&mut self, name: Symbol) -> Symbol {
        if let Some(shown) = self.shown.get(&name) {
            return *shown;
        }
        let text = name.as_str();
        let stem = match text.split_once('.') {
            _ if is_bound_name(name) => "k",
            Some((stem, number)) if is_number(number) && !stem.contains(' ') => stem,
            _ => text,
        };
        let mut shown = Symbol::new(stem);
        while !self.taken.insert(shown) {
            shown = Symbol::new(&format!("{shown}'"));
        }
        self.shown.insert(name, shown);
        shown
    }

    /// A type, cut at 1,000 nodes.
    pub(super) fn ty(&mut self, ty: &Type) -> String {
        let mut out = String::new();
        write_type(&mut out, ty, None, false, &mut { LIMIT }, self);
        out
    }

    /// A size in a sentence.
    pub(super) fn size(&mut self, dim: &Dim) -> String {
        let text = self.dim(dim);
        let computed = dim.atoms().any(|atom| self.atom(atom).contains(' '));
        if computed { format!("`{text}`") } else { text }
    }

    /// A size.
    pub(super) fn dim(&mut self, dim: &Dim) -> String {
        let mut out = String::new();
        let mut constant = 0;
        for (monomial, coefficient) in dim.terms() {
            if monomial.is_empty() {
                constant = coefficient;
                continue;
            }
            let sign = match (coefficient < 0, out.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            out.push_str(sign);
            let factor = coefficient.unsigned_abs();
            let alone = factor == 1 && monomial.len() == 1;
            let factor_of = |name: String| if alone || !name.contains(' ') { name } else { format!("({name})") };
            let names: Vec<String> = monomial.iter().map(|a| factor_of(self.atom(*a))).collect();
            if factor == 1 {
                out.push_str(&names.join("*"));
            } else {
                let _ = write!(out, "{factor}*{}", names.join("*"));
            }
        }
        match (constant, out.is_empty()) {
            (c, true) => c.to_string(),
            (0, false) => out,
            (c, false) if c < 0 => format!("{out} - {}", c.unsigned_abs()),
            (c, false) => format!("{out} + {c}"),
        }
    }

    fn atom(&mut self, atom: DimAtom) -> String {
        match atom {
            DimAtom::Var(name) | DimAtom::Size(name) => self.name(name).to_string(),
            DimAtom::Meta(_) => "_".to_string(),
        }
    }
}

/// An abstract type by name, with the sizes of the arrays around it.
fn write_abstract(out: &mut String, ty: &Type, written: &RType, nested: bool, names: &mut Names) -> bool {
    let RBase::Abstract { name, args, .. } = &*written.base else { return false };
    for item in ty.shape().items.iter().take(written.rank as usize) {
        if let ShapeItem::Dim(d) = item {
            write_dim(out, d, names);
        }
    }
    let parens = !args.is_empty() && (nested || written.rank > 0);
    out.push_str(if parens { "(" } else { "" });
    out.push_str(name.as_str());
    for arg in args {
        out.push(' ');
        write_argument(out, arg);
    }
    out.push_str(if parens { ")" } else { "" });
    true
}

/// An argument of an abstract type; its sizes are not known.
fn write_argument(out: &mut String, arg: &RType) {
    (0..arg.rank).for_each(|_| out.push_str("[]"));
    match &*arg.base {
        RBase::Prim(prim) => out.push_str(prim.name()),
        RBase::Abstract { name, args, .. } => {
            out.push_str(if args.is_empty() { "" } else { "(" });
            out.push_str(name.as_str());
            for arg in args {
                out.push(' ');
                write_argument(out, arg);
            }
            out.push_str(if args.is_empty() { "" } else { ")" });
        }
        _ => out.push('_'),
    }
}

fn write_dim(out: &mut String, d: &Dim, names: &mut Names) {
    let unknown = d.atoms().any(|a| matches!(a, DimAtom::Meta(_)));
    let _ = write!(out, "[{}]", if unknown { String::new() } else { names.dim(d).replace(" + ", "+").replace(" - ", "-") });
}

fn write_type(out: &mut String, ty: &Type, written: Option<&RType>, nested: bool, left: &mut usize, names: &mut Names) {
    if *left == 0 {
        out.push_str("...");
        return;
    }
    *left -= 1;
    if let Some(written) = written
        && write_abstract(out, ty, written, nested, names)
    {
        return;
    }
    let mut base = written.map(|written| &*written.base);
    for item in &ty.shape().items {
        match item {
            ShapeItem::Dim(d) => write_dim(out, d, names),
            // The shape variable of a type variable is part of its name.
            ShapeItem::Var(_) => {}
        }
    }
    let array = !ty.shape().is_scalar();
    match ty.atom() {
        Atom::Prim(p) => out.push_str(p.name()),
        Atom::Var(v) => {
            let _ = write!(out, "{}", names.name(*v));
        }
        Atom::Fun(params, ret) => {
            let parens = nested || array;
            out.push_str(if parens { "(" } else { "" });
            let mut result = None;
            for p in params {
                // Inference takes one parameter at a time.
                let from = match base {
                    Some(RBase::Arrow(from, to)) => {
                        result = Some(to);
                        base = (to.rank == 0).then_some(&*to.base);
                        Some(from)
                    }
                    _ => None,
                };
                match p.name {
                    Some(name) => {
                        let _ = write!(out, "({}: ", names.name(name));
                        write_type(out, &p.ty, from, false, left, names);
                        out.push(')');
                    }
                    None => write_type(out, &p.ty, from, true, left, names),
                }
                out.push_str(" -> ");
            }
            write_type(out, ret, result, false, left, names);
            out.push_str(if parens { ")" } else { "" });
        }
        Atom::Forall(_, t) | Atom::Pi(_, t) => write_type(out, t, written, nested, left, names),
        Atom::Sigma(vars, t) => {
            let parens = nested || array;
            out.push_str(if parens { "(" } else { "" });
            let vars: Vec<String> = vars.iter().map(|v: &Symbol| format!("[{}]", names.name(*v))).collect();
            let _ = write!(out, "?{}.", vars.concat());
            write_type(out, t, written, false, left, names);
            out.push_str(if parens { ")" } else { "" });
        }
        Atom::Tuple(parts) => {
            out.push('(');
            for (i, part) in parts.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                let written = if let Some(RBase::Tuple(parts)) = base { parts.get(i) } else { None };
                write_type(out, part, written, false, left, names);
            }
            out.push(')');
        }
        Atom::Record(fields) => {
            out.push('{');
            for (i, (label, part)) in fields.iter().enumerate() {
                let _ = write!(out, "{}{label}: ", if i > 0 { ", " } else { "" });
                let written = if let Some(RBase::Record(parts)) = base { parts.get(i).map(|(_, part)| part) } else { None };
                write_type(out, part, written, false, left, names);
            }
            out.push('}');
        }
        Atom::Sum(payloads) => {
            let parens = nested || array;
            out.push_str(if parens { "(" } else { "" });
            for (i, (label, payload)) in payloads.iter().enumerate() {
                let _ = write!(out, "{}#{label}", if i > 0 { " | " } else { "" });
                let Atom::Tuple(parts) = payload.atom() else { continue };
                let written = if let Some(RBase::Sum(payloads)) = base { payloads.get(i).map(|(_, parts)| parts) } else { None };
                for (j, part) in parts.iter().enumerate() {
                    out.push(' ');
                    write_type(out, part, written.and_then(|parts| parts.get(j)), true, left, names);
                }
            }
            out.push_str(if parens { ")" } else { "" });
        }
    }
}
