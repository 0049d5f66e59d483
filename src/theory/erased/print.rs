//! The printer of erased core: the notation of [core's](crate::ir::core::print) without types. It is for people and tests; nothing
//! reads it back.

use super::{Expr, ExprKind, LoopForm, Program};
use crate::base::Symbol;
use crate::ir::core::{Index, Shape, print};
use std::fmt::Write;

/// The whole program, a definition per line.
pub fn program(program: &Program) -> String {
    let word = |recursive: bool| if recursive { "define-rec" } else { "define" };
    program.defs.iter().map(|define| format!("({} {} {})\n", word(define.recursive), define.name, expr(&define.body))).collect()
}

/// An expression on one line.
pub fn expr(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr);
    out
}

fn spaced<T>(out: &mut String, items: &[T], mut each: impl FnMut(&mut String, &T)) {
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        each(out, item);
    }
}

/// `(head a b ..)`.
fn form(out: &mut String, head: &str, parts: &[&Expr]) {
    let _ = write!(out, "({head}");
    for part in parts {
        out.push(' ');
        write_expr(out, part);
    }
    out.push(')');
}

fn names(out: &mut String, names: &[Symbol]) {
    out.push('(');
    spaced(out, names, |out, name| out.push_str(name.as_str()));
    out.push(')');
}

fn bindings(out: &mut String, bindings: &[(Symbol, Expr)]) {
    out.push('(');
    spaced(out, bindings, |out, (name, expr)| {
        let _ = write!(out, "[{name} ");
        write_expr(out, expr);
        out.push(']');
    });
    out.push(')');
}

fn write_indices(out: &mut String, indices: &[Index]) {
    spaced(out, indices, |out, index| out.push_str(&print::index(index)));
}

fn write_dims(dims: &[u64]) -> String {
    format!("[{}]", dims.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
}

fn write_expr(out: &mut String, expr: &Expr) {
    match expr.kind() {
        ExprKind::Var(name) => out.push_str(name.as_str()),
        ExprKind::Lit(scalar) => {
            let _ = write!(out, "{scalar}");
        }
        ExprKind::Array { dims, atoms } => form(out, &format!("array {}", write_dims(dims)), &atoms.iter().collect::<Vec<_>>()),
        ExprKind::Frame { dims, cell, cells } => {
            let head = format!("frame {} : {}", write_dims(dims), print::shape(cell));
            form(out, &head, &cells.iter().collect::<Vec<_>>());
        }
        ExprKind::App { fun, args } => {
            out.push('(');
            write_expr(out, fun);
            for arg in args {
                out.push(' ');
                write_expr(out, arg);
            }
            out.push(')');
        }
        ExprKind::Inst { fun, indices } => {
            write_expr(out, fun);
            out.push('{');
            write_indices(out, indices);
            out.push('}');
        }
        ExprKind::Fn { params, body } | ExprKind::IFn { params, body } => {
            out.push_str(if matches!(expr.kind(), ExprKind::Fn { .. }) { "(fn " } else { "(i-fn " });
            names(out, params);
            out.push(' ');
            write_expr(out, body);
            out.push(')');
        }
        ExprKind::Let { name, rhs, body } => {
            let _ = write!(out, "(let [{name} ");
            write_expr(out, rhs);
            out.push_str("] ");
            write_expr(out, body);
            out.push(')');
        }
        ExprKind::If { cond, then, els } => form(out, "if", &[cond, then, els]),
        ExprKind::Loop { params, form, body } => write_loop(out, params, form, body),
        ExprKind::Map { frame, args, body, cell } => {
            let _ = write!(out, "(map {} : {} ", print::shape(frame), print::shape(cell));
            bindings(out, args);
            out.push(' ');
            write_expr(out, body);
            out.push(')');
        }
        ExprKind::Rep { frame, arg } => form(out, &format!("rep {}", print::shape(frame)), &[arg]),
        ExprKind::Tuple(parts) => form(out, "tuple", &parts.iter().collect::<Vec<_>>()),
        ExprKind::Proj(at, tuple) => form(out, &format!("proj {at}"), &[tuple]),
        ExprKind::Record(fields) => {
            out.push_str("(rec");
            for (label, field) in fields {
                out.push(' ');
                form(out, label.as_str(), &[field]);
            }
            out.push(')');
        }
        ExprKind::Field(label, record) => form(out, &format!("field {label}"), &[record]),
        ExprKind::Inject(label, payload) => form(out, &format!("inject {label}"), &[payload]),
        ExprKind::Is(label, sum) => form(out, &format!("is {label}"), &[sum]),
        ExprKind::Payload(label, sum) => form(out, &format!("payload {label}"), &[sum]),
        ExprKind::Box { indices, body } => {
            out.push_str("(box (");
            write_indices(out, indices);
            out.push_str(") ");
            write_expr(out, body);
            out.push(')');
        }
        ExprKind::Unbox { boxed, value, indices, body } => {
            out.push_str("(unbox ");
            write_expr(out, boxed);
            out.push(' ');
            names(out, &[&[*value], indices.as_slice()].concat());
            out.push(' ');
            write_expr(out, body);
            out.push(')');
        }
        ExprKind::ReifyDim(dim) => {
            let _ = write!(out, "(reify-dimension {})", print::dim(dim));
        }
        ExprKind::ReifyShape(shape) => {
            let _ = write!(out, "(reify-shape {})", print::shape(shape));
        }
        ExprKind::Coerce { checks, expr } => write_coercion(out, checks, expr),
        ExprKind::Assert { cond, message, expr } => {
            out.push_str("(assert ");
            write_expr(out, cond);
            let _ = write!(out, " {:?} ", message.as_str());
            write_expr(out, expr);
            out.push(')');
        }
    }
}

fn write_coercion(out: &mut String, checks: &[(Shape, Shape)], expr: &Expr) {
    out.push_str("(coerce (");
    let pair = |out: &mut String, (from, to): &(Shape, Shape)| {
        let _ = write!(out, "({} {})", print::shape(from), print::shape(to));
    };
    spaced(out, checks, pair);
    out.push_str(") ");
    write_expr(out, expr);
    out.push(')');
}

fn write_loop(out: &mut String, params: &[(Symbol, Expr)], form: &LoopForm, body: &Expr) {
    out.push_str("(loop ");
    bindings(out, params);
    let inner = match form {
        LoopForm::For(counter, bound) => {
            let _ = write!(out, " (for {counter} ");
            bound
        }
        LoopForm::While(cond) => {
            out.push_str(" (while ");
            cond
        }
    };
    write_expr(out, inner);
    out.push_str(") ");
    write_expr(out, body);
    out.push(')');
}
