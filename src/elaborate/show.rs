//! Core types in the notation of the surface language.

use crate::base::Symbol;
use crate::ir::core::{Atom, Dim, DimAtom, ShapeItem, Type};
use std::fmt::Write;

/// Nodes after which a type is cut.
const LIMIT: usize = 1000;

/// A type in surface notation, cut at 1,000 nodes.
pub fn show_type(ty: &Type) -> String {
    let mut out = String::new();
    let mut left = LIMIT;
    write_type(&mut out, ty, false, &mut left);
    out
}

/// A size in surface notation.
pub(super) fn show_dim(dim: &Dim) -> String {
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
        let names: Vec<String> = monomial.iter().map(|a| show_atom(*a)).collect();
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

fn show_atom(atom: DimAtom) -> String {
    match atom {
        DimAtom::Var(name) | DimAtom::Size(name) => name.to_string(),
        DimAtom::Meta(_) => "_".to_string(),
    }
}

fn write_type(out: &mut String, ty: &Type, nested: bool, left: &mut usize) {
    if *left == 0 {
        out.push_str("...");
        return;
    }
    *left -= 1;
    for item in &ty.shape().items {
        match item {
            ShapeItem::Dim(d) => {
                let unknown = d.atoms().any(|a| matches!(a, DimAtom::Meta(_)));
                let _ = write!(out, "[{}]", if unknown { String::new() } else { show_dim(d).replace(' ', "") });
            }
            // The shape variable of a type variable is part of its name.
            ShapeItem::Var(_) => {}
        }
    }
    let array = !ty.shape().is_scalar();
    match ty.atom() {
        Atom::Prim(p) => out.push_str(p.name()),
        Atom::Var(v) => {
            let _ = write!(out, "{v}");
        }
        Atom::Fun(params, ret) => {
            let parens = nested || array;
            out.push_str(if parens { "(" } else { "" });
            for p in params {
                match p.name {
                    Some(name) => {
                        let _ = write!(out, "({name}: ");
                        write_type(out, &p.ty, false, left);
                        out.push(')');
                    }
                    None => write_type(out, &p.ty, true, left),
                }
                out.push_str(" -> ");
            }
            write_type(out, ret, false, left);
            out.push_str(if parens { ")" } else { "" });
        }
        Atom::Forall(_, t) | Atom::Pi(_, t) => write_type(out, t, nested, left),
        Atom::Sigma(vars, t) => {
            let parens = nested || array;
            out.push_str(if parens { "(" } else { "" });
            let vars: Vec<String> = vars.iter().map(|v: &Symbol| format!("[{v}]")).collect();
            let _ = write!(out, "?{}.", vars.concat());
            write_type(out, t, false, left);
            out.push_str(if parens { ")" } else { "" });
        }
        Atom::Tuple(parts) => {
            out.push('(');
            for (i, part) in parts.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                write_type(out, part, false, left);
            }
            out.push(')');
        }
        Atom::Record(fields) => {
            out.push('{');
            for (i, (label, part)) in fields.iter().enumerate() {
                let _ = write!(out, "{}{label}: ", if i > 0 { ", " } else { "" });
                write_type(out, part, false, left);
            }
            out.push('}');
        }
    }
}
