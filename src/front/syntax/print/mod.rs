//! The tree back to source text, with as few parentheses as the grammar allows beside those that were written.
//!
//! [`Printer`] prints any node. Other modules can print some expressions differently (applications with their
//! insertions written out) by giving it a hook that is asked first for every expression.

mod modules;
mod types;

use super::precedence::{self, ASCRIBE, ATOM, Level, RANGE, UNARY, WITH, WITH_VALUE};
use crate::base::Symbol;
use crate::base::scalar::decimal;
use crate::ir::surface::{
    Access, Ast, Decl, DefDecl, ExprId, ExprKind, Ident, IndexArg, LoopForm, Operator, PatId, RangeKind, TypeDecl, TypeId, TypeParam,
    UnaryOp, ValDecl, section_operand,
};
use std::fmt::Write;
use types::TypeLevel;

/// Prints an expression in place of the printer: gets the expression and the level of its context, returns its text (with
/// parentheses where it binds less tightly than that), or `None` to leave it to the printer.
pub type Hook<'a> = dyn Fn(&Printer<'_>, ExprId, Level) -> Option<String> + 'a;

/// Prints nodes of one tree.
pub struct Printer<'a> {
    ast: &'a Ast,
    hook: Option<&'a Hook<'a>>,
}

impl<'a> Printer<'a> {
    /// A printer without a hook.
    pub fn new(ast: &'a Ast) -> Printer<'a> {
        Printer { ast, hook: None }
    }
    /// A printer that asks `hook` first.
    pub fn with_hook(ast: &'a Ast, hook: &'a Hook<'a>) -> Printer<'a> {
        Printer { ast, hook: Some(hook) }
    }
    /// The tree.
    pub fn ast(&self) -> &'a Ast {
        self.ast
    }

    /// The text of an expression that stands where only expressions of at least this level need no parentheses.
    pub fn expr(&self, expr: ExprId, level: Level) -> String {
        let mut out = String::new();
        self.put_expr(&mut out, expr, level);
        out
    }
    /// The text of a pattern; `param` says that a pattern with a type needs parentheses.
    pub fn pat(&self, pat: PatId, param: bool) -> String {
        let mut out = String::new();
        self.put_pat(&mut out, pat, param);
        out
    }
    /// The text of a type.
    pub fn ty(&self, ty: TypeId) -> String {
        let mut out = String::new();
        self.put_type(&mut out, ty, TypeLevel::Any);
        out
    }
    /// The text of a declaration, without its documentation comment.
    pub fn decl(&self, decl: &Decl) -> String {
        match decl {
            Decl::Def(def) => self.def(def),
            Decl::Val(val) => self.val(val),
            Decl::Type(ty) => self.type_decl(ty),
            Decl::Import(import) => format!("import {}", string_literal(import.path.as_str())),
            Decl::Local(inner) => format!("local {}", self.decl(inner)),
            Decl::Module(module) => self.module_decl(module),
            Decl::ModuleType(decl) => format!("module type {} = {}", decl.name.name, self.module_type(&decl.sig)),
            Decl::Open(open) => format!("open {}", self.module(&open.module)),
            Decl::Error(_) => String::new(),
        }
    }
    /// The text of a definition.
    pub fn def(&self, def: &DefDecl) -> String {
        let mut out = self.def_header(def);
        match self.starts_block(def.body) {
            true => out.push_str(" =\n  "),
            false => out.push_str(" = "),
        }
        let body = self.expr(def.body, ASCRIBE);
        out.push_str(&body.replace('\n', "\n  "));
        out
    }
    /// The text of a definition up to its `=`.
    pub fn def_header(&self, def: &DefDecl) -> String {
        let mut out = String::new();
        for attr in &def.attrs {
            let _ = writeln!(out, "#[{}]", attr.name);
        }
        out.push_str(if def.entry { "entry " } else { "def " });
        put_binding_name(&mut out, def.name.name.as_str());
        self.put_tparams(&mut out, &def.tparams);
        self.put_params(&mut out, &def.params);
        self.put_ret(&mut out, def.ret);
        out
    }
    fn val(&self, val: &ValDecl) -> String {
        let mut out = String::from("val ");
        put_binding_name(&mut out, val.name.name.as_str());
        self.put_tparams(&mut out, &val.tparams);
        out.push_str(" : ");
        self.put_type(&mut out, val.ty, TypeLevel::Any);
        out
    }
    fn type_decl(&self, decl: &TypeDecl) -> String {
        let mut out = format!("type {}", decl.name.name);
        self.put_tparams(&mut out, &decl.tparams);
        out.push_str(" = ");
        self.put_type(&mut out, decl.ty, TypeLevel::Any);
        out
    }

    fn starts_block(&self, expr: ExprId) -> bool {
        matches!(
            self.ast.exprs[expr].kind,
            ExprKind::Let { .. } | ExprKind::LetFun(_) | ExprKind::LetUpdate { .. } | ExprKind::Loop { .. } | ExprKind::Match { .. }
        )
    }

    fn put_tparams(&self, out: &mut String, tparams: &[TypeParam]) {
        for param in tparams {
            match param {
                TypeParam::Size(pat) => {
                    out.push_str(" [");
                    self.put_pat(out, *pat, true);
                    out.push(']');
                }
                TypeParam::Type(name) => {
                    let _ = write!(out, " '{}", name.name);
                }
            }
        }
    }
    fn put_params(&self, out: &mut String, params: &[PatId]) {
        for param in params {
            out.push(' ');
            self.put_pat(out, *param, true);
        }
    }
    fn put_ret(&self, out: &mut String, ret: Option<TypeId>) {
        if let Some(ret) = ret {
            out.push_str(" : ");
            self.put_type(out, ret, TypeLevel::Any);
        }
    }

    // Expressions.

    /// Adds the text of an expression.
    pub fn put_expr(&self, out: &mut String, expr: ExprId, level: Level) {
        if let Some(text) = self.hook.and_then(|hook| hook(self, expr, level)) {
            out.push_str(&text);
            return;
        }
        let kind = &self.ast.exprs[expr].kind;
        if precedence::of_expr(kind) < level {
            out.push('(');
            self.put_plain(out, kind);
            out.push(')');
        } else {
            self.put_plain(out, kind);
        }
    }

    /// The expression without parentheses around it.
    fn put_plain(&self, out: &mut String, kind: &ExprKind) {
        match kind {
            ExprKind::Error => out.push_str("???"),
            ExprKind::Hole => out.push_str("???"),
            ExprKind::Int { value, suffix } => {
                let _ = write!(out, "{value}{}", suffix.map_or("", |s| s.name()));
            }
            ExprKind::Float { value, odd, suffix } => put_float(out, (*value, *odd), suffix.map_or("", |s| s.name())),
            ExprKind::Imaginary { value, odd, suffix } => {
                put_float(out, (*value, *odd), &format!("j{}", suffix.map_or("", |s| s.name())));
            }
            ExprKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            ExprKind::Str(text) => out.push_str(&string_literal(text.as_str())),
            ExprKind::Name(name) if *name == section_operand() => {}
            ExprKind::Name(name) => put_binding_name(out, name.as_str()),
            ExprKind::OpFn(op) => {
                let _ = write!(out, "({})", op.name);
            }
            ExprKind::Paren(inner) => {
                out.push('(');
                match qualified_operator(self.ast, *inner) {
                    true => self.put_project(out, *inner),
                    false => self.put_expr(out, *inner, ASCRIBE),
                }
                out.push(')');
            }
            ExprKind::Tuple(items) => self.put_list(out, "(", items, ")"),
            ExprKind::Array(items) => self.put_list(out, "[", items, "]"),
            ExprKind::Record(fields) => self.put_record(out, fields),
            ExprKind::Constr { name, args } => {
                let _ = write!(out, "#{}", name.name);
                self.put_args(out, args);
            }
            ExprKind::Project { expr, field } => self.put_projection(out, *expr, field.name),
            ExprKind::Index { array, indices } => {
                self.put_head(out, *array);
                self.put_indices(out, indices);
            }
            ExprKind::Range { start, step, kind, end } => self.put_range(out, *start, *step, *kind, *end),
            ExprKind::Apply { fun, args } => {
                self.put_expr(out, *fun, ATOM);
                self.put_args(out, args);
            }
            ExprKind::Binary { op, lhs, rhs } => self.put_binary(out, op, *lhs, *rhs),
            ExprKind::Unary { op, expr, .. } => self.put_unary(out, *op, *expr),
            ExprKind::LeftSection { lhs, op } => self.put_left_section(out, *lhs, op),
            ExprKind::RightSection { op, rhs } => self.put_right_section(out, op, *rhs),
            ExprKind::ProjectSection(path) => {
                out.push('(');
                for field in path {
                    let _ = write!(out, ".{}", field.name);
                }
                out.push(')');
            }
            ExprKind::IndexSection(indices) => {
                out.push_str("(.");
                self.put_indices(out, indices);
                out.push(')');
            }
            ExprKind::Assert { cond, expr } => {
                out.push_str("assert");
                self.put_args(out, &[*cond, *expr]);
            }
            ExprKind::Ascribe { expr, ty } => self.put_typed(out, *expr, " : ", *ty),
            ExprKind::Coerce { expr, ty } => self.put_typed(out, *expr, " :> ", *ty),
            ExprKind::Attr { attr, expr } => {
                let _ = write!(out, "#[{}] ", attr.name);
                self.put_expr(out, *expr, ASCRIBE);
            }
            ExprKind::Open { module, expr } => {
                let _ = write!(out, "{}.", modules::path(module));
                self.put_expr(out, *expr, ATOM);
            }
            ExprKind::With { base, path, value } => {
                self.put_expr(out, *base, WITH);
                out.push_str(" with ");
                self.put_path(out, path, true);
                out.push_str(" = ");
                self.put_expr(out, *value, WITH_VALUE);
            }
            ExprKind::Lambda { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetFun(_)
            | ExprKind::LetUpdate { .. }
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Loop { .. } => self.put_keyword_form(out, kind),
        }
    }

    /// The steps of an update; `bare` says that no value stands in front of them.
    fn put_path(&self, out: &mut String, path: &[Access], bare: bool) {
        for (i, access) in path.iter().enumerate() {
            match access {
                Access::Field(field) => {
                    out.push_str(if bare && i == 0 { "" } else { "." });
                    out.push_str(field.name.as_str());
                }
                Access::Index(indices) => self.put_indices(out, indices),
            }
        }
    }

    fn put_projection(&self, out: &mut String, expr: ExprId, field: Symbol) {
        if precedence::is_symbolic(field.as_str()) {
            let _ = write!(out, "({}.{field})", self.expr(expr, ATOM));
            return;
        }
        self.put_head(out, expr);
        let _ = write!(out, ".{field}");
    }

    fn put_range(&self, out: &mut String, start: ExprId, step: Option<ExprId>, kind: RangeKind, end: ExprId) {
        self.put_expr(out, start, RANGE + 1);
        if let Some(step) = step {
            out.push_str("..");
            self.put_expr(out, step, RANGE + 1);
        }
        out.push_str(match kind {
            RangeKind::UpTo => "..<",
            RangeKind::DownTo => "..>",
            RangeKind::Through => "...",
        });
        self.put_expr(out, end, RANGE + 1);
    }

    fn put_unary(&self, out: &mut String, op: UnaryOp, expr: ExprId) {
        out.push(if op == UnaryOp::Neg { '-' } else { '!' });
        // Two operators in a row must not become one.
        if matches!(self.ast.exprs[expr].kind, ExprKind::Unary { .. }) {
            out.push(' ');
        }
        self.put_expr(out, expr, UNARY);
    }

    fn put_left_section(&self, out: &mut String, lhs: ExprId, op: &Operator) {
        out.push('(');
        let level = precedence::of_operator(op);
        self.put_expr(out, lhs, if precedence::groups_right(level) { level + 1 } else { level });
        out.push(' ');
        self.put_operator(out, op);
        out.push(')');
    }

    fn put_right_section(&self, out: &mut String, op: &Operator, rhs: ExprId) {
        out.push('(');
        self.put_operator(out, op);
        out.push(' ');
        self.put_expr(out, rhs, RANGE);
        out.push(')');
    }

    /// The forms that extend as far as possible to the right.
    fn put_keyword_form(&self, out: &mut String, kind: &ExprKind) {
        match kind {
            ExprKind::Lambda { params, body, .. } if self.ast.is_section(params) => {
                let text = self.expr(*body, ATOM);
                out.push_str(if text.starts_with('[') { "." } else { "" });
                out.push_str(&text);
            }
            ExprKind::Lambda { params, ret, body } => {
                out.push('\\');
                for (i, param) in params.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { " " });
                    self.put_pat(out, *param, true);
                }
                if let Some(ret) = ret {
                    out.push_str(" : ");
                    self.put_type(out, *ret, TypeLevel::Term);
                }
                out.push_str(" -> ");
                self.put_expr(out, *body, ASCRIBE);
            }
            ExprKind::Let { sizes, pat, rhs, body } => {
                out.push_str("let ");
                self.put_sizes(out, sizes, " ");
                self.put_pat(out, *pat, false);
                self.put_binding(out, *rhs, *body);
            }
            ExprKind::LetFun(fun) => {
                out.push_str("let ");
                self.put_pat(out, fun.binder, true);
                self.put_tparams(out, &fun.tparams);
                self.put_params(out, &fun.params);
                self.put_ret(out, fun.ret);
                self.put_binding(out, fun.rhs, fun.body);
            }
            ExprKind::LetUpdate { base, path, value, body, .. } => {
                out.push_str("let ");
                self.put_expr(out, *base, ATOM);
                self.put_path(out, path, false);
                self.put_binding(out, *value, *body);
            }
            ExprKind::If { cond, then, els } => {
                out.push_str("if ");
                self.put_expr(out, *cond, ASCRIBE);
                out.push_str(" then ");
                self.put_expr(out, *then, ASCRIBE);
                out.push_str(" else ");
                self.put_expr(out, *els, ASCRIBE);
            }
            ExprKind::Match { scrutinee, cases } => {
                out.push_str("match ");
                self.put_expr(out, *scrutinee, ASCRIBE);
                for (i, (pat, body)) in cases.iter().enumerate() {
                    out.push_str("\ncase ");
                    self.put_case_pat(out, *pat);
                    out.push_str(" -> ");
                    // A case would take over the cases that follow.
                    let last = i + 1 == cases.len();
                    self.put_expr(out, *body, if !last && self.ends_with_match(*body) { ATOM } else { ASCRIBE });
                }
            }
            ExprKind::Loop { sizes, pat, init, form, body } => {
                out.push_str("loop ");
                self.put_sizes(out, sizes, " ");
                self.put_pat(out, *pat, false);
                out.push_str(" = ");
                self.put_expr(out, *init, ASCRIBE);
                match form {
                    LoopForm::For { var, bound } => {
                        let _ = write!(out, " for {} < ", self.pat(*var, true));
                        self.put_expr(out, *bound, ASCRIBE);
                    }
                    LoopForm::ForIn { pat, array } => {
                        let _ = write!(out, " for {} in ", self.pat(*pat, false));
                        self.put_expr(out, *array, ASCRIBE);
                    }
                    LoopForm::While(cond) => {
                        out.push_str(" while ");
                        self.put_expr(out, *cond, ASCRIBE);
                    }
                }
                out.push_str(" do ");
                self.put_expr(out, *body, ASCRIBE);
            }
            _ => crate::ice!(crate::base::Span::default(), "an expression that begins with no keyword"),
        }
    }

    /// Whether the last token of the expression belongs to a `match`.
    fn ends_with_match(&self, mut expr: ExprId) -> bool {
        loop {
            expr = match &self.ast.exprs[expr].kind {
                ExprKind::Match { .. } => return true,
                ExprKind::Let { body, .. }
                | ExprKind::LetUpdate { body, .. }
                | ExprKind::Lambda { body, .. }
                | ExprKind::Loop { body, .. }
                | ExprKind::If { els: body, .. }
                | ExprKind::Attr { expr: body, .. } => *body,
                ExprKind::LetFun(fun) => fun.body,
                ExprKind::Binary { rhs, .. } | ExprKind::Unary { expr: rhs, .. } | ExprKind::Range { end: rhs, .. } => *rhs,
                ExprKind::With { value, .. } => *value,
                _ => return false,
            };
        }
    }

    /// ` = rhs` and the rest of a `let`.
    fn put_binding(&self, out: &mut String, rhs: ExprId, body: ExprId) {
        out.push_str(" = ");
        self.put_expr(out, rhs, ASCRIBE);
        match self.ast.exprs[body].kind {
            ExprKind::Let { .. } | ExprKind::LetFun(_) | ExprKind::LetUpdate { .. } => out.push('\n'),
            _ => out.push_str("\nin "),
        }
        self.put_expr(out, body, ASCRIBE);
    }

    fn put_typed(&self, out: &mut String, expr: ExprId, sign: &str, ty: TypeId) {
        // What extends to the right would swallow the type; another ascription on the left would not.
        let level = match self.ast.exprs[expr].kind {
            ExprKind::Ascribe { .. } | ExprKind::Coerce { .. } => ASCRIBE,
            _ => RANGE,
        };
        self.put_expr(out, expr, level);
        out.push_str(sign);
        self.put_type(out, ty, TypeLevel::Any);
    }

    fn put_binary(&self, out: &mut String, op: &Operator, lhs: ExprId, rhs: ExprId) {
        let level = precedence::of_operator(op);
        let right = precedence::groups_right(level);
        self.put_expr(out, lhs, if right { level + 1 } else { level });
        out.push(' ');
        self.put_operator(out, op);
        out.push(' ');
        self.put_expr(out, rhs, if right { level } else { level + 1 });
    }

    /// An operator between operands or in a section.
    pub fn put_operator(&self, out: &mut String, op: &Operator) {
        match op.backtick {
            Some(function) if precedence::is_symbolic(op.ident.name.as_str()) => self.put_project(out, function),
            Some(function) => {
                let _ = write!(out, "`{}`", self.expr(function, ATOM));
            }
            None => out.push_str(op.ident.name.as_str()),
        }
    }

    /// A qualified name without parentheses.
    fn put_project(&self, out: &mut String, expr: ExprId) {
        match &self.ast.exprs[expr].kind {
            ExprKind::Project { expr, field } => {
                self.put_project(out, *expr);
                let _ = write!(out, ".{}", field.name);
            }
            _ => self.put_expr(out, expr, ATOM),
        }
    }

    /// What a projection or an index is applied to. A number needs parentheses: `1.0` is another number.
    fn put_head(&self, out: &mut String, expr: ExprId) {
        if matches!(self.ast.exprs[expr].kind, ExprKind::Int { .. } | ExprKind::Float { .. } | ExprKind::Imaginary { .. }) {
            let _ = write!(out, "({})", self.expr(expr, ASCRIBE));
        } else {
            self.put_expr(out, expr, ATOM);
        }
    }

    fn put_args(&self, out: &mut String, args: &[ExprId]) {
        for arg in args {
            out.push(' ');
            self.put_expr(out, *arg, ATOM);
        }
    }
    fn put_list(&self, out: &mut String, open: &str, items: &[ExprId], close: &str) {
        out.push_str(open);
        for (i, item) in items.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { ", " });
            self.put_expr(out, *item, ASCRIBE);
        }
        out.push_str(close);
    }
    fn put_record(&self, out: &mut String, fields: &[(Ident, ExprId)]) {
        out.push('{');
        for (i, (field, value)) in fields.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { ", " });
            out.push_str(field.name.as_str());
            let text = self.expr(*value, ASCRIBE);
            if text != field.name.as_str() {
                let _ = write!(out, " = {text}");
            }
        }
        out.push('}');
    }
    fn put_indices(&self, out: &mut String, indices: &[IndexArg]) {
        out.push('[');
        for (i, index) in indices.iter().enumerate() {
            out.push_str(if i == 0 { "" } else { ", " });
            match index {
                IndexArg::Index(e) => self.put_expr(out, *e, RANGE),
                IndexArg::Slice { start, end, step, .. } => {
                    start.iter().for_each(|e| self.put_slice_part(out, *e));
                    out.push(':');
                    end.iter().for_each(|e| self.put_slice_part(out, *e));
                    if let Some(step) = step {
                        out.push(':');
                        self.put_slice_part(out, *step);
                    }
                }
            }
        }
        out.push(']');
    }
    /// A part of a slice: what extends to the right would swallow the colon.
    fn put_slice_part(&self, out: &mut String, expr: ExprId) {
        self.put_expr(out, expr, if self.ends_open(expr) { ATOM } else { RANGE });
    }
    /// Whether the expression ends with a form that takes everything that follows.
    fn ends_open(&self, mut expr: ExprId) -> bool {
        loop {
            expr = match &self.ast.exprs[expr].kind {
                ExprKind::Binary { rhs, .. } | ExprKind::Unary { expr: rhs, .. } | ExprKind::Range { end: rhs, .. } => *rhs,
                ExprKind::With { value, .. } => *value,
                kind => return precedence::of_expr(kind) == ASCRIBE,
            };
        }
    }
    fn put_sizes(&self, out: &mut String, sizes: &[PatId], end: &str) {
        for size in sizes {
            let _ = write!(out, "[{}]", self.pat(*size, true));
        }
        out.push_str(if sizes.is_empty() { "" } else { end });
    }
}

/// Whether the expression is `m.+`.
fn qualified_operator(ast: &Ast, expr: ExprId) -> bool {
    matches!(&ast.exprs[expr].kind, ExprKind::Project { field, .. } if precedence::is_symbolic(field.name.as_str()))
}

/// A name where it is bound or used as a function: operators in parentheses.
fn put_binding_name(out: &mut String, name: &str) {
    if precedence::is_symbolic(name) {
        let _ = write!(out, "({name})");
    } else {
        out.push_str(name);
    }
}

/// A finite float that reads back as the same value.
fn put_float(out: &mut String, (value, odd): (f64, f64), suffix: &str) {
    let text = if odd == value { format!("{value:?}") } else { decimal::text_beside(value, odd) };
    let _ = write!(out, "{text}{}{suffix}", if text.contains(['.', 'e']) { "" } else { ".0" });
}

/// A string in quotes.
pub fn string_literal(text: &str) -> String {
    let mut out = String::from("\"");
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                // A digit after a numeric escape would be part of it.
                let _ = write!(out, "\\{}", u32::from(c));
                if let Some(next) = chars.peek().copied().filter(char::is_ascii_digit) {
                    let _ = write!(out, "\\{}", u32::from(next));
                    chars.next();
                    while let Some(next) = chars.peek().copied().filter(char::is_ascii_digit) {
                        let _ = write!(out, "\\{}", u32::from(next));
                        chars.next();
                    }
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
