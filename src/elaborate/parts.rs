//! Sums and products of sizes, as they were put together.
//!
//! A function with size parameters that occur in a sum or a product only, as in `split : [n+m]a -> ..` and `unflatten : [n*m]a -> ..`, needs to
//! know which part of its argument's size is which. Where nothing else determines that, the parts are taken in the order in which
//! they were written: sizes remember it ([`Dim::parts`](crate::base::poly::Poly::parts)) from where they are written to where they are used.

use super::sizes::Sizes;
use crate::base::Span;
use crate::base::poly::Operation;
use crate::ir::core::{Dim, DimAtom};

/// The parts of a sum or product, in order; parts that are put together in the same way are taken apart too.
fn flat(operation: Operation, dim: &Dim) -> Vec<Dim> {
    match dim.parts() {
        Some((own, left, right)) if own == operation => [flat(operation, left), flat(operation, right)].concat(),
        _ => vec![dim.clone()],
    }
}

/// The parts of a size that was written as a sum or product of which some are unknown.
fn unknown_parts(dim: &Dim) -> Option<(Operation, Vec<Dim>)> {
    let (operation, ..) = dim.parts()?;
    let parts = flat(operation, dim);
    parts.iter().any(is_unknown).then_some((operation, parts))
}

fn is_unknown(dim: &Dim) -> bool {
    dim.as_atom().is_some_and(|atom| is_meta(&atom))
}

fn is_known(dim: &Dim) -> bool {
    !dim.atoms().any(|atom| is_meta(&atom))
}

fn is_meta(atom: &DimAtom) -> bool {
    matches!(atom, DimAtom::Meta(_))
}

impl Sizes {
    /// Notes an equation in which one side is a sum or product with unknown parts.
    pub(super) fn want_parts(&mut self, left: &Dim, right: &Dim, span: Span) {
        for (unknown, size) in [(left, right), (right, left)] {
            if unknown_parts(unknown).is_some() {
                self.wanted.push((unknown.clone(), size.clone(), span));
            }
        }
    }
    /// Gives unknowns of which a sum or product is known, and nothing else, its parts in order: those of this level and of deeper ones,
    /// whose scopes end.
    pub(super) fn match_parts(&mut self, level: u32) {
        // Parts may be put together themselves.
        while self.match_parts_once(level) {}
    }
    /// Whether an equation was replaced by ones between parts.
    fn match_parts_once(&mut self, level: u32) -> bool {
        let mut replaced = false;
        for (unknown, size, span) in std::mem::take(&mut self.wanted) {
            let Some((operation, unknowns)) = unknown_parts(&unknown) else { continue };
            let open: Vec<DimAtom> = unknowns.iter().flat_map(|part| self.zonk(part).atoms().filter(is_meta).collect::<Vec<_>>()).collect();
            if open.is_empty() {
                continue;
            }
            let parts = flat(operation, &self.zonk(&size));
            if parts.len() != unknowns.len() || open.iter().all(|atom| self.level(*atom) < level) {
                self.wanted.push((unknown, size, span));
                continue;
            }
            let before = self.snapshot();
            match unknowns.iter().zip(&parts).all(|(unknown, part)| self.unify_dim(unknown, part, span).is_ok()) {
                true => replaced = true,
                false => self.rollback(before),
            }
        }
        replaced
    }
    /// The first size that is wanted in parts and for which there is no order of parts, with the place where they are wanted.
    pub(super) fn without_parts(&self) -> Option<(Dim, Span)> {
        self.wanted.iter().find_map(|(unknown, size, span)| {
            let (_, unknowns) = unknown_parts(unknown)?;
            let size = self.zonk(size);
            let solved = unknowns.iter().all(|part| is_known(&self.zonk(part)));
            // Nothing has no parts but nothing.
            let open = unknowns.iter().all(is_unknown) && !solved && is_known(&size) && size.as_constant() != Some(0);
            open.then_some((size, *span))
        })
    }
}
