//! The reader of core: text to [`Program`], in two stages, [`super::sexp`] and then the forms of core (the grammar is what
//! [`super::print`] writes, with the aliases noted there and in the design of the notation: `->`/`→`, `Forall`/`∀`, `Pi`/`Π`, `Sigma`/`Σ`,
//! `fn`/`λ`, `t-fn`/`Tλ`, `i-fn`/`Iλ`, `int`, `float`, `(Arr t s)`, `(t-app e t ..)`, `(i-app e i ..)`).
//!
//! Any text is read: what is not core becomes diagnostics. A definition with an error in it is left out, later ones are read.
//!
//! Indices and types ([`Reader::ty`]) are read in the same way wherever they stand. A reader that is given a scope ([`Names`]) finds out
//! what their variables mean and reports those that mean nothing; one without takes every name for a variable.

#![expect(clippy::wildcard_enum_match_arm, reason = "what is none of the forms that may stand there is a mistake of the text")]

mod error;
mod expr;
mod report;
mod types;

pub use error::{Advice, BinderKind, Error, ErrorKind, Wanted};
pub use report::report;
pub use types::{ARRAY_SIGIL, Binder, TypeArgument, TypeVariable, is_type};

use super::free::Name;
use super::sexp::{self, Sexp, SexpKind};
use super::{Define, Dim, Index, Program, Type};
use crate::base::{FileId, Span, Symbol};
use crate::diag::Diagnostic;
use rustc_hash::FxHashMap;

/// Reads a program: definitions `(define f : T e)` and `(entry f : T e)`; a leading `(use core)` says nothing new.
pub fn program(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    let (items, mut reader) = reader_of(file, text);
    let rest = if items.first().is_some_and(is_use_core) { &items[1..] } else { &items[..] };
    let defs = rest.iter().filter_map(|item| reader.define(item)).collect();
    (Program { defs, ..Program::default() }, reader.diagnostics())
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
    let (items, mut reader) = reader_of(file, text);
    let signatures = items.iter().filter_map(|item| reader.signature(item)).collect();
    (signatures, reader.diagnostics())
}

/// The forms of a text, and a reader for them without a scope.
fn reader_of(file: FileId, text: &str) -> (Vec<Sexp>, Reader<'static>) {
    let (items, errors) = sexp::parse(file, text);
    let errors = errors.into_iter().map(Error::from).collect();
    (items, Reader { errors, ..Reader::new(None) })
}

fn one<T>(file: FileId, text: &str, read: impl FnOnce(&mut Reader<'static>, &Sexp) -> Option<T>) -> (Option<T>, Vec<Diagnostic>) {
    let (items, mut reader) = reader_of(file, text);
    let result = match items.as_slice() {
        [item] => read(&mut reader, item),
        [_, second, ..] => reader.error(second.span, ErrorKind::SecondForm),
        [] => reader.error(Span::new(file, 0, text.len()), ErrorKind::Wanted(Wanted::Form)),
    };
    (result, reader.diagnostics())
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
    /// What is wrong with a name that means nothing.
    fn unknown(&self, name: Name) -> ErrorKind;
}

/// Reads types and indices and, without a scope, expressions and definitions.
pub struct Reader<'n> {
    /// What was wrong so far.
    pub errors: Vec<Error>,
    names: Option<&'n dyn Names>,
    /// What the binders around the present place bind, by the names in the text; the innermost last.
    bound: FxHashMap<(types::Space, Symbol), Vec<types::Meaning>>,
    /// The names in the result of what is bound, with the names in the text.
    inner: FxHashMap<Name, Vec<Symbol>>,
}

/// More errors than this about one text help nobody.
const MAX_ERRORS: usize = 100;

impl<'n> Reader<'n> {
    /// A reader in this scope, or one that takes every name for a variable.
    pub fn new(names: Option<&'n dyn Names>) -> Reader<'n> {
        Reader { errors: Vec::new(), names, bound: FxHashMap::default(), inner: FxHashMap::default() }
    }

    fn error<T>(&mut self, at: Span, kind: ErrorKind) -> Option<T> {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(Error { at, kind });
        }
        None
    }

    fn wanted<T>(&mut self, at: Span, wanted: Wanted) -> Option<T> {
        self.error(at, ErrorKind::Wanted(wanted))
    }

    fn expected<T>(&mut self, at: Span, notation: &'static str) -> Option<T> {
        self.error(at, ErrorKind::Expected(notation))
    }

    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.errors.iter().map(report).collect()
    }

    fn define(&mut self, item: &Sexp) -> Option<Define> {
        const FORM: &str = "(define NAME : TYPE EXPRESSION) or (entry NAME : TYPE EXPRESSION)";
        let SexpKind::Paren(parts) = &item.kind else { return self.expected(item.span, FORM) };
        let [head, name, colon, ty, body] = parts.as_slice() else { return self.expected(item.span, FORM) };
        let (entry, recursive) = match head.keyword() {
            Some("define") => (false, false),
            Some("define-rec") => (false, true),
            Some("entry") => (true, false),
            Some("entry-rec") => (true, true),
            _ => return self.expected(head.span, FORM),
        };
        if colon.keyword() != Some(":") {
            return self.expected(colon.span, FORM);
        }
        let name = self.term_name(name);
        let ty = self.ty(ty);
        let body = self.expr(body);
        Some(Define { name: name?, ty: ty?, body: body?, entry, recursive, span: item.span })
    }

    fn signature(&mut self, item: &Sexp) -> Option<(Symbol, Type)> {
        const FORM: &str = "(val NAME : TYPE)";
        let SexpKind::Paren(parts) = &item.kind else { return self.expected(item.span, FORM) };
        match parts.as_slice() {
            [head, name, colon, ty] if head.keyword() == Some("val") && colon.keyword() == Some(":") => {
                Some((self.term_name(name)?, self.ty(ty)?))
            }
            _ => self.expected(item.span, FORM),
        }
    }

    /// A term variable, definition or label.
    pub fn term_name(&mut self, item: &Sexp) -> Option<Symbol> {
        match item.name() {
            Some(name) => Some(name),
            None => self.wanted(item.span, Wanted::Name),
        }
    }

    fn parens<'s>(&mut self, item: &'s Sexp, what: &'static str) -> Option<&'s [Sexp]> {
        match &item.kind {
            SexpKind::Paren(parts) => Some(parts),
            _ => self.expected(item.span, what),
        }
    }

    fn brackets<'s>(&mut self, item: &'s Sexp, what: &'static str) -> Option<&'s [Sexp]> {
        match &item.kind {
            SexpKind::Bracket(parts) => Some(parts),
            _ => self.expected(item.span, what),
        }
    }
}
