//! The reader of core: text to [`Program`], in two stages, [`super::sexp`] and then the forms of core (the grammar is what
//! [`super::print`] writes, with the aliases noted there and in the design of the notation: `->`/`→`, `Forall`/`∀`, `Pi`/`Π`, `Sigma`/`Σ`,
//! `fn`/`λ`, `t-fn`/`Tλ`, `i-fn`/`Iλ`, `int`, `float`, `(Arr t s)`, `(t-app e t ..)`, `(i-app e i ..)`).
//!
//! Any text is read: what is not core becomes diagnostics. A definition with an error in it is left out, later ones are read.

mod expr;
mod types;

use super::sexp::{self, E_FORM, Sexp, SexpKind};
use super::{Define, Program, Type};
use crate::base::{FileId, Span, Symbol};
use crate::diag::Diagnostic;

/// Reads a program: definitions `(define f : T e)` and `(entry f : T e)`.
pub fn program(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    let (items, diagnostics) = sexp::parse(file, text);
    let mut reader = Reader { diagnostics };
    let defs = items.iter().filter_map(|item| reader.define(item)).collect();
    (Program { defs }, reader.diagnostics)
}

/// Reads one expression.
pub fn expr(file: FileId, text: &str) -> (Option<super::Expr>, Vec<Diagnostic>) {
    one(file, text, Reader::expr)
}

/// Reads one type.
pub fn ty(file: FileId, text: &str) -> (Option<Type>, Vec<Diagnostic>) {
    one(file, text, Reader::ty)
}

/// Reads signatures, `(val f : T)`.
pub fn signatures(file: FileId, text: &str) -> (Vec<(Symbol, Type)>, Vec<Diagnostic>) {
    let (items, diagnostics) = sexp::parse(file, text);
    let mut reader = Reader { diagnostics };
    let signatures = items.iter().filter_map(|item| reader.signature(item)).collect();
    (signatures, reader.diagnostics)
}

fn one<T>(file: FileId, text: &str, read: impl FnOnce(&mut Reader, &Sexp) -> Option<T>) -> (Option<T>, Vec<Diagnostic>) {
    let (items, diagnostics) = sexp::parse(file, text);
    let mut reader = Reader { diagnostics };
    let result = match items.as_slice() {
        [item] => read(&mut reader, item),
        [_, second, ..] => reader.error(second.span, "only one form is expected here"),
        [] => reader.error(Span::new(file, 0, text.len()), "a form is expected here"),
    };
    (result, reader.diagnostics)
}

struct Reader {
    diagnostics: Vec<Diagnostic>,
}

/// More messages than this about one text help nobody.
const MAX_DIAGNOSTICS: usize = 100;

impl Reader {
    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic::error(E_FORM, span, message));
        }
        None
    }

    fn define(&mut self, item: &Sexp) -> Option<Define> {
        const FORM: &str = "expected (define NAME : TYPE EXPRESSION) or (entry NAME : TYPE EXPRESSION)";
        let SexpKind::Paren(parts) = &item.kind else { return self.error(item.span, FORM) };
        let [head, name, colon, ty, body] = parts.as_slice() else { return self.error(item.span, FORM) };
        let entry = match head.keyword() {
            Some("define") => false,
            Some("entry") => true,
            _ => return self.error(head.span, FORM),
        };
        if colon.keyword() != Some(":") {
            return self.error(colon.span, FORM);
        }
        let name = self.term_name(name);
        let ty = self.ty(ty);
        let body = self.expr(body);
        Some(Define { name: name?, ty: ty?, body: body?, entry, span: item.span })
    }

    fn signature(&mut self, item: &Sexp) -> Option<(Symbol, Type)> {
        const FORM: &str = "expected (val NAME : TYPE)";
        let SexpKind::Paren(parts) = &item.kind else { return self.error(item.span, FORM) };
        match parts.as_slice() {
            [head, name, colon, ty] if head.keyword() == Some("val") && colon.keyword() == Some(":") => {
                Some((self.term_name(name)?, self.ty(ty)?))
            }
            _ => self.error(item.span, FORM),
        }
    }

    /// A term variable, definition or label.
    fn term_name(&mut self, item: &Sexp) -> Option<Symbol> {
        match item.name() {
            Some(name) => Some(name),
            None => self.error(item.span, "a name is expected here"),
        }
    }

    fn parens<'s>(&mut self, item: &'s Sexp, what: &str) -> Option<&'s [Sexp]> {
        match &item.kind {
            SexpKind::Paren(parts) => Some(parts),
            _ => self.error(item.span, format!("expected {what}")),
        }
    }

    fn brackets<'s>(&mut self, item: &'s Sexp, what: &str) -> Option<&'s [Sexp]> {
        match &item.kind {
            SexpKind::Bracket(parts) => Some(parts),
            _ => self.error(item.span, format!("expected {what}")),
        }
    }
}
