//! What names mean: variables, definitions of the file, definitions of the library, primitives, in this order.

use super::error::{Advice, NameError};
use super::scope::is_i64;
use super::{Elaborator, Global, Typed};
use crate::base::{Span, Symbol};
use crate::front::resolve::closest;
use crate::ir::core::free::Name;
use crate::ir::core::read::{self, Names, TypeVariable};
use crate::ir::core::{Dim, Expr, ExprKind, Index, Prim, Primitive, Type, prims, print};

/// Whether there is a primitive of this name.
pub(super) fn is_primitive(name: Symbol) -> bool {
    Primitive::find(name).is_some()
}

impl Elaborator<'_> {
    /// A variable as an expression.
    pub(super) fn variable(&mut self, span: Span, name: Symbol) -> Option<Typed> {
        if let Some(term) = self.scope.term(name) {
            let (inner, dim) = (term.inner, term.dim.clone());
            let ty = term.ty.clone()?;
            return Some(Typed { expr: Expr::new(ExprKind::Var(inner), span), ty, dim });
        }
        let global = match self.definition(name) {
            Some(global) => global,
            None => match prims::type_of(name) {
                Some(ty) => {
                    self.reads_numbers |= Primitive::find(name) == Some(Primitive::Prim(Prim::ReadNums));
                    Global { inner: name, ty: Some(ty), broken: false }
                }
                None => return self.unknown_term(name, span),
            },
        };
        self.broken |= global.broken;
        let ty = global.ty?;
        let dim = is_i64(&ty).then(|| Dim::size(global.inner));
        Some(Typed { expr: Expr::new(ExprKind::Var(global.inner), span), ty, dim })
    }

    /// A definition of the file or of the library.
    fn definition(&mut self, name: Symbol) -> Option<Global> {
        if self.libraries.inside.is_none()
            && let Some(global) = self.globals.get(&name)
        {
            return Some(global.clone());
        }
        self.library_definition(name)
    }

    fn unknown_term<T>(&mut self, name: Symbol, span: Span) -> Option<T> {
        let later = self.all.get(&name).filter(|_| self.libraries.inside.is_none());
        let advice = match later {
            Some(place) => Some(Advice::DefinedLater(*place)),
            None if self.scope.index(name).is_some() => Some(Advice::IsSize),
            None => self.similar(name).map(Advice::Similar),
        };
        self.error(span, NameError::Unknown { name, advice })
    }

    /// The visible name that is closest to this one.
    fn similar(&self, name: Symbol) -> Option<&'static str> {
        let locals = self.scope.names(Name::Size(name));
        let mut globals: Vec<Symbol> = self.globals.keys().copied().collect();
        globals.sort_unstable();
        let known = locals.iter().chain(&globals).map(|name| name.as_str());
        let known = known.chain(self.libraries.all.names()).chain(prims::declared().iter().map(|(name, _)| name.as_str()));
        closest(name.as_str(), known.chain(print::keywords().iter().copied()))
    }
}

impl Names for Elaborator<'_> {
    fn index(&self, name: Symbol) -> Option<Index> {
        self.scope.index(name).cloned()
    }

    fn size(&self, name: Symbol) -> Option<Dim> {
        match self.scope.term(name) {
            Some(term) => term.dim.clone(),
            None => {
                let global = self.globals.get(&name).filter(|_| self.libraries.inside.is_none());
                let (inner, ty) = match global {
                    Some(global) => (global.inner, global.ty.clone()),
                    None => (name, prims::type_of(name)),
                };
                ty.filter(is_i64).map(|_| Dim::size(inner))
            }
        }
    }

    fn type_variable(&self, name: Symbol) -> Option<TypeVariable> {
        self.scope.type_variable(name)
    }

    fn is_taken(&self, name: Name) -> bool {
        let global = matches!(name, Name::Size(name) if self.taken.contains(&name) || is_primitive(name));
        global || self.scope.is_live(name)
    }

    fn unknown(&self, name: Name) -> read::ErrorKind {
        if let Name::Size(x) = name
            && (self.scope.term(x).is_some() || self.globals.contains_key(&x))
        {
            return read::ErrorKind::VariableIsNoSize(x);
        }
        let known = self.scope.names(name);
        let words: &[&str] = if matches!(name, Name::Type(_)) { &["int", "float", "bool", "char"] } else { &[] };
        let known = known.iter().map(|name| name.as_str()).chain(words.iter().copied());
        let advice = match (closest(name.symbol().as_str(), known), name) {
            (Some(near), _) => Some(read::Advice::Similar(near)),
            (None, Name::Index(x)) if self.scope.term(x).is_some_and(|term| term.dim.is_some()) => Some(read::Advice::SizeOf(x)),
            (None, _) => None,
        };
        read::ErrorKind::Unknown { name, advice }
    }
}

/// The type of the unit tuple, the parameter of functions without parameters.
pub(super) fn unit_type() -> Type {
    Type::scalar(crate::ir::core::Atom::Tuple(Vec::new()))
}
