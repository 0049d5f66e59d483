//! Core written by hand: `.remc` files to explicit core.
//!
//! # The language
//!
//! A file is definitions and, last, an expression. Both notations of the papers are read, and everything that the printer of core writes
//! (`docs/remc.md` is the notation on a page). What distinguishes it from explicit core:
//!
//! * an application **lifts** by prefix agreement (Slepak, Shivers, Manolios: The Semantics of Rank Polymorphism, figure 7): the shape of
//!   each argument is a frame followed by the cell that the parameter takes, the frames must be prefixes of the longest one, and
//!   the function is applied cell by cell. So do arrays of functions, instantiation and `unbox`;
//! * type and index **arguments may be left out** where they follow from the other arguments ([`instantiate`]);
//! * scalars are written bare, `[e ..]` is a frame, arrays of functions are literals, names come from a **library** of core ([`library`]).
//!
//! # The pass
//!
//! Each form is typed and made explicit in one walk over the s-expressions: the result of [`program()`] has `map`s with frames and no other
//! lifting. Arguments are evaluated once, the function first, then from left to right. Frames that are proper prefixes of the
//! principal frame become outer maps around inner ones, so nothing is replicated.
//!
//! A definition with an error is left out, and uses of it say nothing; everything else is checked.

mod apply;
mod boxes;
mod data;
mod error;
mod expr;
mod functions;
mod insertions;
mod instance;
pub mod instantiate;
pub mod library;
mod lift;
mod local;
mod names;
mod program;
mod report;
mod reshape;
mod scope;

pub use insertions::{Insertion, What, render};
pub use library::defined_at;
pub use program::{Elaborated, program};

use crate::base::{Span, Symbol};
use crate::ir::core::equal::Equality;
use crate::ir::core::free::FreeVars;
use crate::ir::core::read::{self, Reader};
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::subst::Subst;
use crate::ir::core::value::computes_nothing;
use crate::ir::core::{Define, Dim, Expr, ExprNode, Type, is_shape};
use error::{Binding, Error, ErrorKind, FormError, Place, TypeError};
use library::Library;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::{Bound, Scope};
use std::sync::Arc;

/// More errors than this in one program help nobody.
const MAX_ERRORS: usize = 100;

/// An explicit expression with its type and, for a size expression, its size.
#[derive(Debug, Clone)]
struct Typed {
    expr: Expr,
    ty: Type,
    dim: Option<Dim>,
}

impl Typed {
    fn new(expr: Expr, ty: Type) -> Typed {
        Typed { expr, ty, dim: None }
    }
    fn span(&self) -> Span {
        self.expr.span()
    }
}

/// A definition that can be named.
#[derive(Debug, Clone)]
struct Global {
    /// Its name in the explicit program; a primitive where the definition is only another name of one.
    inner: Symbol,
    /// Its type; none if that is not known because of errors.
    ty: Option<Type>,
    /// Whether it has errors or uses what has.
    broken: bool,
}

/// The libraries, and what was used of them.
struct Libraries<'a> {
    all: &'a Library,
    /// Definitions that were used, by library; none while one is being made explicit.
    known: FxHashMap<(usize, Symbol), Option<Global>>,
    /// The library a definition of which is being made explicit.
    inside: Option<usize>,
    /// The scopes of the definitions that wait for one of a library.
    suspended: Vec<Scope>,
    /// What was used, made explicit.
    defs: Vec<Define>,
}

/// Everything that is known while a program is made explicit. `None` as a result says that an error was reported.
struct Elaborator<'a> {
    libraries: Libraries<'a>,
    /// Definitions of the file so far.
    globals: FxHashMap<Symbol, Global>,
    /// All definitions of the file with their places.
    all: FxHashMap<Symbol, Span>,
    /// Names of definitions in the explicit program.
    taken: FxHashSet<Symbol>,
    scope: Scope,
    free: FreeVars,
    equality: Equality,
    defs: Vec<Define>,
    insertions: Vec<Insertion>,
    /// Applications with fewer arguments than parameters in the present definition.
    partial: FxHashSet<*const ExprNode>,
    /// Whether the present definition uses one with errors.
    broken: bool,
    reads_numbers: bool,
    errors: Vec<Error>,
}

impl Elaborator<'_> {
    fn report(&mut self, error: Error) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn error<T>(&mut self, at: Span, kind: impl Into<ErrorKind>) -> Option<T> {
        self.report(Error { at, kind: kind.into() });
        None
    }

    /// Something else than a form of this notation.
    fn expected<T>(&mut self, at: Span, notation: &'static str) -> Option<T> {
        self.error(at, read::ErrorKind::Expected(notation))
    }

    /// Something else than this.
    fn wanted<T>(&mut self, at: Span, wanted: read::Wanted) -> Option<T> {
        self.error(at, read::ErrorKind::Wanted(wanted))
    }

    /// Reads indices and types in the present scope.
    fn read<T>(&mut self, read: impl FnOnce(&mut Reader<'_>) -> Option<T>) -> Option<T> {
        let mut reader = Reader::new(Some(&*self));
        let out = read(&mut reader);
        let errors = std::mem::take(&mut reader.errors);
        drop(reader);
        errors.into_iter().for_each(|error| self.report(error.into()));
        out
    }

    fn ty(&mut self, item: &Sexp) -> Option<Type> {
        self.read(|reader| reader.ty(item))
    }

    /// The items of a list in parentheses; brackets will do.
    fn list<'s>(&mut self, item: &'s Sexp, notation: &'static str) -> Option<&'s [Sexp]> {
        match &item.kind {
            SexpKind::Paren(parts) | SexpKind::Bracket(parts) => Some(parts),
            _ => self.expected(item.span, notation),
        }
    }

    fn name(&mut self, item: &Sexp) -> Option<Symbol> {
        match &item.kind {
            SexpKind::Symbol(name) if is_shape(*name) => self.error(item.span, FormError::ShapeForValue(*name)),
            _ => self.read(|reader| reader.term_name(item)),
        }
    }

    /// A new name, like this one, in the explicit program.
    fn fresh(&mut self, wanted: Symbol) -> Symbol {
        let Elaborator { scope, taken, .. } = self;
        scope.fresh(wanted, |name| taken.contains(&name) || names::is_primitive(name))
    }

    fn bind(&mut self, name: Symbol, ty: Option<Type>, dim: Option<Dim>) -> (Symbol, Bound) {
        let inner = self.fresh(name);
        (inner, self.scope.bind_term(name, inner, ty, dim))
    }

    fn substituted(&mut self, subst: &Subst, ty: &Type, span: Span) -> Option<Type> {
        match subst.ty(&mut self.free, ty) {
            Ok(ty) => Some(ty),
            Err(_) => self.error(span, TypeError::SizeTooLarge),
        }
    }

    /// Whether evaluating the expression computes nothing.
    fn is_value(&self, expr: &Expr) -> bool {
        computes_nothing(expr, &|call| self.partial.contains(&Arc::as_ptr(&call.0)))
    }

    fn equal(&mut self, a: &Type, b: &Type) -> bool {
        self.equality.equal(&mut self.free, a, b)
    }

    /// The type is the one that is wanted.
    fn expect(&mut self, wanted: &Type, found: &Typed, place: Place) -> Option<()> {
        if self.equal(wanted, &found.ty) {
            return Some(());
        }
        self.error(found.span(), TypeError::Mismatch { place, wanted: wanted.clone(), found: found.ty.clone() })
    }

    /// No variable occurs in the type that leaves its scope.
    fn stays_inside(&mut self, ty: &Type, bound: &[Bound], span: Span, from: Binding) -> Option<()> {
        let names = self.free.of(ty);
        let Some(bound) = bound.iter().find(|bound| bound.inner().any(|name| names.contains(&name))) else { return Some(()) };
        self.error(span, TypeError::Escape { name: bound.name(), from, ty: ty.clone() })
    }
}
