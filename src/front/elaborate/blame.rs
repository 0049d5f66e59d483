//! Gathers what a size error says before it is put into words: both sizes, where they come from, what surrounds the place.

use super::error::{Context, Error, ErrorKind, Failure, Irregular, Mismatch, Negative, OpenType, Origin, Sides, Undetermined};
use super::sizes::Clash;
use super::{Elab, Natural, Need, Needed, Result, Scheme};
use crate::base::{Span, Symbol};
use crate::ir::core::{Dim, DimAtom, Type};
use crate::ir::surface::{DefDecl, TypeParam};

/// Numbers that tell unknowns of one name apart; larger than any that core gives to a name.
const NAMED: u64 = 1 << 40;

impl Elab<'_> {
    /// Makes two types equal or says at this place why they are not.
    pub(super) fn unify_at(&mut self, expected: &Type, actual: &Type, span: Span) -> Result<()> {
        Ok(self.sizes.unify(expected, actual, span).map_err(|clash| self.clash_types(clash, span, Some((expected, actual))))?)
    }
    pub(super) fn unify_literal(&mut self, cell: &Type, actual: &Type, item: Span, whole: Span) -> Result<()> {
        Ok(self
            .sizes
            .unify(cell, actual, item)
            .map_err(|clash| self.clash_types(clash, item, Some((cell, actual))).within(Context::Elements(whole)))?)
    }
    pub(super) fn clash(&self, clash: Clash, span: Span) -> Error {
        self.clash_types(clash, span, None)
    }
    pub(super) fn clash_types(&self, clash: Clash, span: Span, types: Option<(&Type, &Type)>) -> Error {
        let types = types.map(|(expected, found)| Sides { expected: self.readable_type(expected), found: self.readable_type(found) });
        let kind = match clash {
            Clash::Sizes { left, right, definite } => {
                let (expected, found) = (self.readable(&left), self.readable(&right));
                ErrorKind::Mismatch(Mismatch::Sizes { expected, found, definite, origins: self.origins(&[left, right]), types })
            }
            Clash::Escape { size, atom } => {
                let inner = Dim::atom(atom);
                let origins = self.origins(std::slice::from_ref(&inner));
                ErrorKind::Irregular(Irregular::Escape { size: self.readable(&size), inner: self.readable(&inner), origins, types })
            }
            Clash::Irregular => ErrorKind::Irregular(Irregular::Existential { types }),
            Clash::Shape => ErrorKind::TypesDiffer { types },
        };
        let error = Error::new(kind, span);
        match self.applications.last() {
            Some(node) if *node != span && node.contains(span) => error.within(Context::InsertedMaps(*node)),
            Some(_) | None => error,
        }
    }
    fn origins(&self, dims: &[Dim]) -> Vec<Origin> {
        let mut seen = Vec::new();
        let mut origins = Vec::new();
        for atom in dims.iter().flat_map(Dim::atoms) {
            if seen.contains(&atom) {
                continue;
            }
            seen.push(atom);
            let size = self.readable(&Dim::atom(atom));
            if let DimAtom::Meta(meta) = atom {
                let named = self.sizes.unknown_name(meta).is_some();
                origins.push(Origin { size: named.then_some(size), call: named, at: self.sizes.meta_span(meta) });
            } else if let Some(at) = self.sizes.origin(atom) {
                origins.push(Origin { size: Some(size), call: false, at });
            }
        }
        origins
    }
    /// A size as it is known now, in terms of names.
    pub(super) fn readable(&self, dim: &Dim) -> Dim {
        self.sizes.zonk(dim).subst(&mut |atom| self.named(atom))
    }
    /// A type as it is known now, in terms of names.
    fn readable_type(&self, ty: &Type) -> Type {
        let ty = self.sizes.zonk_type(ty);
        let unknown = super::sizes::free_atoms(&ty).into_iter().filter_map(|atom| Some((atom, self.named(atom)?)));
        super::types::rewrite(&ty, &mut super::types::Substitution::sizes(unknown.collect()))
    }
    /// An unknown size as the parameter of the definition in which it has a name, a computed one as what computes it, `f n`.
    fn named(&self, atom: DimAtom) -> Option<Dim> {
        match atom {
            DimAtom::Meta(meta) => {
                let name = self.sizes.unknown_name(meta)?;
                Some(Dim::var(Symbol::new(&format!("{}.{}", super::written(name), NAMED + u64::from(meta)))))
            }
            DimAtom::Size(name) => Some(Dim::var(Symbol::new(&self.computed_as_written(name)?))),
            DimAtom::Var(_) => None,
        }
    }
    /// A size that is that of no array, only one that a function is ready for, or one that a value is computed for.
    pub(super) fn undetermined_size(&self, needed: &Needed) -> Error {
        let size = super::written(needed.name);
        let undetermined = match needed.kind {
            Need::Made => Undetermined::Made { size },
            Need::Function => Undetermined::Function { size },
            Need::Computed => Undetermined::Computed { size },
        };
        Error::new(ErrorKind::Undetermined(undetermined), needed.at)
    }
    /// Of a size only the sum or the product is known.
    pub(super) fn undetermined_parts(&self, size: &Dim, span: Span) -> Error {
        Error::new(ErrorKind::Undetermined(Undetermined::Parts { size: self.readable(size) }), span)
    }
    /// A declared size parameter has to be in the type: nothing else says what it is.
    pub(super) fn no_unused_size(&self, tparams: &[TypeParam], scheme: &Scheme, from_outside: bool) -> Result<()> {
        let declared = tparams.iter().filter_map(|param| if let TypeParam::Size(pat) = param { Some(*pat) } else { None });
        let mut mentioned = super::sizes::free_atoms(&scheme.ty);
        // Where such a function is used, the sizes that are given for computed ones say what it is; data from outside says nothing.
        if !from_outside {
            mentioned.extend(self.made_from(&scheme.arguments));
        }
        let mut unused = declared.zip(&scheme.sizes).filter(|(_, name)| !mentioned.contains(&DimAtom::Var(**name)));
        let Some((pat, name)) = unused.next() else { return Ok(()) };
        let unused = Undetermined::Parameter { size: super::written(*name) };
        Err(Error::new(ErrorKind::Undetermined(unused), self.program.ast.pats[pat].span).into())
    }
    /// A size parameter that would be negative.
    pub(super) fn negative(&self, natural: &Natural, size: i64) -> Error {
        Error::new(ErrorKind::Negative(Negative::Solved { natural: natural.clone(), size }), natural.at)
    }
    /// An array whose cells differ in size.
    pub(super) fn irregular(&self, atom: Option<DimAtom>, span: Span) -> Error {
        let size = atom.map(|atom| {
            let size = Dim::atom(atom);
            (self.readable(&size), self.origins(&[size]))
        });
        Error::new(ErrorKind::Irregular(Irregular::Cells { size }), span)
    }
    pub(super) fn existential_argument(&self, definition: Option<Symbol>, span: Span) -> Error {
        Error::new(ErrorKind::Irregular(Irregular::Argument { definition }), span)
    }
    /// A computed value whose type is left open.
    pub(super) fn open_type(&self, scheme: &Scheme, decl: &DefDecl) -> Error {
        let open = OpenType {
            name: decl.name.name,
            ty: self.readable_type(&scheme.ty),
            body: self.program.ast.exprs[decl.body].span,
            sizes: scheme.sizes.clone(),
            types: scheme.types.clone(),
        };
        Error::new(ErrorKind::OpenType(open), decl.name.span)
    }
    /// What inference says about each expression is not there for this one: the parser could not read it.
    pub(super) fn missing(&self, span: Span) -> Failure {
        Failure::Unread(span)
    }
}
