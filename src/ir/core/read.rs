//! The reader of core: text to [`Program`], in two stages, [`super::sexp`] and then the forms of core (the grammar is what
//! [`super::print`] writes, with the aliases noted there and in the design of the notation: `->`/`→`, `Forall`/`∀`, `Pi`/`Π`, `Sigma`/`Σ`,
//! `fn`/`λ`, `t-fn`/`Tλ`, `i-fn`/`Iλ`, `int`, `float`, `(Arr t s)`, `(t-app e t ..)`, `(i-app e i ..)`).
//!
//! Any text is read: what is not core becomes diagnostics. A definition with an error in it is left out, later ones are read.
//!
//! Indices and types ([`Reader::ty`]) are read in the same way wherever they stand. A reader that is given a scope ([`Names`]) finds out
//! what their variables mean and reports those that mean nothing; one without takes every name for a variable.

mod expr;
mod types;

pub use types::{ARRAY_SIGIL, Binder, TypeArgument, TypeVariable, is_type};

use super::free::Name;
use super::sexp::{self, Sexp, SexpKind};
use super::{Define, Dim, Index, Program, Type};
use crate::base::{Code, FileId, Span, Symbol};
use crate::diag::Diagnostic;
use rustc_hash::FxHashMap;

/// Reads a program: definitions `(define f : T e)` and `(entry f : T e)`; a leading `(use core)` says nothing new.
pub fn program(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    let (items, diagnostics) = sexp::parse(file, text);
    let mut reader = Reader { diagnostics, ..Reader::new(None) };
    let rest = if items.first().is_some_and(is_use_core) { &items[1..] } else { &items[..] };
    let defs = rest.iter().filter_map(|item| reader.define(item)).collect();
    (Program { defs, ..Program::default() }, reader.diagnostics)
}

/// Whether a form is `(use core)`.
fn is_use_core(item: &Sexp) -> bool {
    match &item.kind {
        SexpKind::Paren(parts) => {
            matches!(parts.as_slice(), [head, name] if head.keyword() == Some("use") && name.keyword() == Some("core"))
        }
        _ => false,
    }
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
    let mut reader = Reader { diagnostics, ..Reader::new(None) };
    let signatures = items.iter().filter_map(|item| reader.signature(item)).collect();
    (signatures, reader.diagnostics)
}

fn one<T>(file: FileId, text: &str, read: impl FnOnce(&mut Reader<'static>, &Sexp) -> Option<T>) -> (Option<T>, Vec<Diagnostic>) {
    let (items, diagnostics) = sexp::parse(file, text);
    let mut reader = Reader { diagnostics, ..Reader::new(None) };
    let result = match items.as_slice() {
        [item] => read(&mut reader, item),
        [_, second, ..] => reader.error(second.span, "only one form is expected here"),
        [] => reader.error(Span::new(file, 0, text.len()), "a form is expected here"),
    };
    (result, reader.diagnostics)
}

/// What names mean that a type or index mentions and does not bind itself.
pub trait Names {
    /// An index variable; its name need not have the sigil of its sort.
    fn index(&self, name: Symbol) -> Option<Index>;
    /// The size that the value of a term variable is; none if the variable is not there or not an `i64`.
    fn size(&self, name: Symbol) -> Option<Dim>;
    /// A type variable.
    fn type_variable(&self, name: Symbol) -> Option<TypeVariable>;
    /// Whether the indices and types that these functions return may mention a variable of this name.
    fn is_taken(&self, name: Name) -> bool;
    /// The message about a name that means nothing.
    fn unknown(&self, name: Name, span: Span) -> Diagnostic;
}

/// Reads types and indices and, without a scope, expressions and definitions.
pub struct Reader<'n> {
    /// What was wrong so far.
    pub diagnostics: Vec<Diagnostic>,
    names: Option<&'n dyn Names>,
    /// What the binders around the present place bind, by the names in the text; the innermost last.
    bound: FxHashMap<(types::Space, Symbol), Vec<types::Meaning>>,
    /// The names in the result of what is bound, with the names in the text.
    inner: FxHashMap<Name, Vec<Symbol>>,
}

/// More messages than this about one text help nobody.
const MAX_DIAGNOSTICS: usize = 100;

impl<'n> Reader<'n> {
    /// A reader in this scope, or one that takes every name for a variable.
    pub fn new(names: Option<&'n dyn Names>) -> Reader<'n> {
        Reader { diagnostics: Vec::new(), names, bound: FxHashMap::default(), inner: FxHashMap::default() }
    }

    fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Option<T> {
        self.report(Diagnostic::error(Code::CoreForm, span, message))
    }

    fn report<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
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
    pub fn term_name(&mut self, item: &Sexp) -> Option<Symbol> {
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
