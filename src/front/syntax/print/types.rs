//! Patterns and types.

use super::{Printer, put_binding_name};
use crate::front::syntax::precedence::{ASCRIBE, ATOM, UNARY};
use crate::ir::surface::{Dim, ExprKind, PatId, PatKind, TypeArg, TypeId, TypeKind};
use std::fmt::Write;

/// The levels of types.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(super) enum TypeLevel {
    /// Arrows, `?[n].t`.
    Any,
    /// Everything that may stand left of an arrow.
    Term,
    /// An argument of a type, or a part of a constructor.
    Atom,
}

impl Printer<'_> {
    // Patterns.

    pub(super) fn put_pat(&self, out: &mut String, pat: PatId, param: bool) {
        match &self.ast.pats[pat].kind {
            PatKind::Error => out.push('_'),
            PatKind::Name(name) => put_binding_name(out, name.as_str()),
            PatKind::Wild => out.push('_'),
            PatKind::Paren(inner) => {
                out.push('(');
                self.put_pat(out, *inner, false);
                out.push(')');
            }
            PatKind::Tuple(items) => {
                out.push('(');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    self.put_pat(out, *item, false);
                }
                out.push(')');
            }
            PatKind::Record(fields) => {
                out.push('{');
                for (i, (field, item)) in fields.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    out.push_str(field.name.as_str());
                    if !matches!(self.ast.pats[*item].kind, PatKind::Name(name) if name == field.name) {
                        let _ = write!(out, " = {}", self.pat(*item, false));
                    }
                }
                out.push('}');
            }
            PatKind::Ascribe(inner, ty) => {
                out.push_str(if param { "(" } else { "" });
                self.put_pat(out, *inner, true);
                out.push_str(": ");
                self.put_type(out, *ty, TypeLevel::Any);
                out.push_str(if param { ")" } else { "" });
            }
            PatKind::Lit(lit) => {
                let negative = param && matches!(self.ast.exprs[*lit].kind, ExprKind::Unary { .. });
                self.put_expr(out, *lit, if negative { ATOM } else { UNARY });
            }
            PatKind::Constr(name, args) => {
                let parens = param && !args.is_empty();
                let _ = write!(out, "{}#{}", if parens { "(" } else { "" }, name.name);
                self.put_params(out, args);
                out.push_str(if parens { ")" } else { "" });
            }
        }
    }
    /// The pattern of a case: the arrow after it must not become part of its type.
    pub(super) fn put_case_pat(&self, out: &mut String, pat: PatId) {
        match &self.ast.pats[pat].kind {
            PatKind::Ascribe(inner, ty) => {
                self.put_pat(out, *inner, true);
                out.push_str(": ");
                self.put_type(out, *ty, TypeLevel::Term);
            }
            _ => self.put_pat(out, pat, false),
        }
    }

    // Types.

    pub(super) fn put_type(&self, out: &mut String, ty: TypeId, level: TypeLevel) {
        let kind = &self.ast.types[ty].kind;
        let own = match kind {
            TypeKind::Arrow { .. } | TypeKind::Exists(..) => TypeLevel::Any,
            TypeKind::Unique(_) | TypeKind::Sum(_) => TypeLevel::Term,
            TypeKind::Name { args, .. } if !args.is_empty() => TypeLevel::Term,
            // `t [n]u` would be `t` applied to a size and a type.
            TypeKind::Array(..) => TypeLevel::Term,
            _ => TypeLevel::Atom,
        };
        let parens = own < level;
        out.push_str(if parens { "(" } else { "" });
        self.put_plain_type(out, kind);
        out.push_str(if parens { ")" } else { "" });
    }
    fn put_plain_type(&self, out: &mut String, kind: &TypeKind) {
        match kind {
            TypeKind::Error => out.push_str("()"),
            TypeKind::Name { path, args } => {
                let path: Vec<&str> = path.iter().map(|p| p.name.as_str()).collect();
                out.push_str(&path.join("."));
                for arg in args {
                    out.push(' ');
                    match arg {
                        TypeArg::Size(dim) => self.put_dim(out, dim),
                        TypeArg::Type(ty) => self.put_type(out, *ty, TypeLevel::Atom),
                    }
                }
            }
            TypeKind::Array(dim, element) => {
                self.put_dim(out, dim);
                self.put_type(out, *element, TypeLevel::Term);
            }
            TypeKind::Tuple(items) => {
                out.push('(');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    self.put_type(out, *item, TypeLevel::Any);
                }
                out.push(')');
            }
            TypeKind::Record(fields) => {
                out.push('{');
                for (i, (field, item)) in fields.iter().enumerate() {
                    let _ = write!(out, "{}{}: ", if i == 0 { "" } else { ", " }, field.name);
                    self.put_type(out, *item, TypeLevel::Any);
                }
                out.push('}');
            }
            TypeKind::Sum(clauses) => {
                for (i, (name, payload)) in clauses.iter().enumerate() {
                    let _ = write!(out, "{}#{}", if i == 0 { "" } else { " | " }, name.name);
                    for part in payload {
                        out.push(' ');
                        self.put_type(out, *part, TypeLevel::Atom);
                    }
                }
            }
            TypeKind::Arrow { param, from, to } => {
                match param {
                    Some(param) => {
                        let _ = write!(out, "({}: ", self.pat(*param, true));
                        self.put_type(out, *from, TypeLevel::Any);
                        out.push(')');
                    }
                    None => self.put_type(out, *from, TypeLevel::Term),
                }
                out.push_str(" -> ");
                self.put_type(out, *to, TypeLevel::Any);
            }
            TypeKind::Exists(sizes, inner) => {
                out.push('?');
                self.put_sizes(out, sizes, ".");
                self.put_type(out, *inner, TypeLevel::Any);
            }
            TypeKind::Unique(inner) => {
                out.push('*');
                self.put_type(out, *inner, TypeLevel::Term);
            }
            TypeKind::Paren(inner) => {
                out.push('(');
                self.put_type(out, *inner, TypeLevel::Any);
                out.push(')');
            }
        }
    }
    fn put_dim(&self, out: &mut String, dim: &Dim) {
        out.push('[');
        match dim {
            Dim::Anon => {}
            Dim::Expr(e) => self.put_expr(out, *e, ASCRIBE),
        }
        out.push(']');
    }
}
