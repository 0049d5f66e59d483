//! Core types in the notation of the surface language.

use crate::base::Symbol;
use crate::ir::core::{Atom, Dim, DimAtom, ShapeItem, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Nodes after which a type is cut.
const LIMIT: usize = 1000;

/// A type in surface notation, cut at 1,000 nodes.
pub fn show_type(ty: &Type) -> String {
    Names::default().ty(ty)
}

/// How the names of core are written for the user, the same in all parts of a message. Core gives things of one name different names by
/// a number, `n.1`, and calls the sizes that it hides itself `z.1`.
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
            Some(("z", number)) if is_number(number) => "k",
            Some((stem, number)) if is_number(number) => stem,
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
        write_type(&mut out, ty, false, &mut { LIMIT }, self);
        out
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
            let names: Vec<String> = monomial.iter().map(|a| self.atom(*a)).collect();
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

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn write_type(out: &mut String, ty: &Type, nested: bool, left: &mut usize, names: &mut Names) {
    if *left == 0 {
        out.push_str("...");
        return;
    }
    *left -= 1;
    for item in &ty.shape().items {
        match item {
            ShapeItem::Dim(d) => {
                let unknown = d.atoms().any(|a| matches!(a, DimAtom::Meta(_)));
                let _ = write!(out, "[{}]", if unknown { String::new() } else { names.dim(d).replace(' ', "") });
            }
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
            for p in params {
                match p.name {
                    Some(name) => {
                        let _ = write!(out, "({}: ", names.name(name));
                        write_type(out, &p.ty, false, left, names);
                        out.push(')');
                    }
                    None => write_type(out, &p.ty, true, left, names),
                }
                out.push_str(" -> ");
            }
            write_type(out, ret, false, left, names);
            out.push_str(if parens { ")" } else { "" });
        }
        Atom::Forall(_, t) | Atom::Pi(_, t) => write_type(out, t, nested, left, names),
        Atom::Sigma(vars, t) => {
            let parens = nested || array;
            out.push_str(if parens { "(" } else { "" });
            let vars: Vec<String> = vars.iter().map(|v: &Symbol| format!("[{}]", names.name(*v))).collect();
            let _ = write!(out, "?{}.", vars.concat());
            write_type(out, t, false, left, names);
            out.push_str(if parens { ")" } else { "" });
        }
        Atom::Tuple(parts) => {
            out.push('(');
            for (i, part) in parts.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write_type(out, part, false, left, names);
            }
            out.push(')');
        }
        Atom::Record(fields) => {
            out.push('{');
            for (i, (label, part)) in fields.iter().enumerate() {
                let _ = write!(out, "{}{label}: ", if i > 0 { ", " } else { "" });
                write_type(out, part, false, left, names);
            }
            out.push('}');
        }
        Atom::Sum(payloads) => {
            let parens = nested || array;
            out.push_str(if parens { "(" } else { "" });
            for (i, (label, payload)) in payloads.iter().enumerate() {
                let _ = write!(out, "{}#{label}", if i > 0 { " | " } else { "" });
                let Atom::Tuple(parts) = payload.atom() else { continue };
                for part in parts {
                    out.push(' ');
                    write_type(out, part, true, left, names);
                }
            }
            out.push_str(if parens { ")" } else { "" });
        }
    }
}
