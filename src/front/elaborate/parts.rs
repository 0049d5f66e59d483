//! Sums and products of sizes, as they were put together.
//!
//! A function with size parameters that occur in a sum or a product only, as in `split : [n+m]a -> ..` and `unflatten : [n*m]a -> ..`, needs to
//! know which part of its argument's size is which. Where nothing else determines that, the parts are taken in the order in which
//! they were written. Branches, loops and coercions determine nothing: what reaches them has the parts that were written, as in Futhark, where an
//! application decides. Sizes remember their parts ([`Dim::parts`](crate::base::poly::Poly::parts)) from where they are written to where they are used.

use super::sizes::{SizeEquation, Sizes, free_atoms};
use crate::base::Span;
use crate::base::poly::Operation;
use crate::ir::core::{Dim, DimAtom, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The two halves of what was put together in this way.
fn halves(operation: Operation, dim: &Dim) -> Option<(&Dim, &Dim)> {
    dim.parts().filter(|(own, ..)| *own == operation).map(|(_, left, right)| (left, right))
}

/// The parts of a sum or product, in the order of their first places; parts that are put together in the same way are taken apart too.
/// Halves may be shared, so that all parts are exponentially many: what is shared is gone through once.
fn distinct(operation: Operation, dim: &Dim) -> Vec<&Dim> {
    fn walk<'a>(operation: Operation, dim: &'a Dim, seen: &mut FxHashSet<usize>, out: &mut Vec<&'a Dim>) {
        match halves(operation, dim) {
            Some(_) if dim.parts_id().is_some_and(|id| !seen.insert(id)) => {}
            Some((left, right)) => {
                walk(operation, left, seen, out);
                walk(operation, right, seen, out);
            }
            None => out.push(dim),
        }
    }
    let mut out = Vec::new();
    walk(operation, dim, &mut FxHashSet::default(), &mut out);
    out
}

/// How many parts a sum or product has; `u128::MAX` stands for more.
fn count(operation: Operation, dim: &Dim, met: &mut FxHashMap<usize, u128>) -> u128 {
    let Some((left, right)) = halves(operation, dim) else { return 1 };
    let id = dim.parts_id();
    if let Some(&known) = id.and_then(|id| met.get(&id)) {
        return known;
    }
    let parts = count(operation, left, met).saturating_add(count(operation, right, met));
    met.extend(id.map(|id| (id, parts)));
    parts
}

/// All parts, in order.
fn flat<'a>(operation: Operation, dim: &'a Dim, out: &mut Vec<&'a Dim>) {
    match halves(operation, dim) {
        Some((left, right)) => {
            flat(operation, left, out);
            flat(operation, right, out);
        }
        None => out.push(dim),
    }
}

/// The parts of two sums or products, side by side. Those that have equally many are paired one by one; where the right side has more, as it was
/// put together, a half with a half: `a + b + c` is `a + b` and `c`. Halves that were met side by side are not taken apart again.
fn pairs<'a>(operation: Operation, left: &'a Dim, right: &'a Dim) -> Option<Vec<(&'a Dim, &'a Dim)>> {
    let mut met = FxHashMap::default();
    let (parts, others) = (count(operation, left, &mut met), count(operation, right, &mut met));
    if parts == u128::MAX || parts > others {
        return None;
    }
    if parts < others {
        let mut out = Vec::new();
        return by_halves(operation, left, right, &mut out).then_some(out);
    }
    let (mut out, mut seen, mut work) = (Vec::new(), FxHashSet::default(), vec![(left, right)]);
    while let Some((left, right)) = work.pop() {
        let ids = left.parts_id().zip(right.parts_id());
        if ids.is_some_and(|ids| !seen.insert(ids)) {
            continue;
        }
        match halves(operation, left).zip(halves(operation, right)) {
            Some(((a, b), (c, d))) if count(operation, a, &mut met) == count(operation, c, &mut met) => work.extend([(b, d), (a, c)]),
            _ => {
                let (mut lefts, mut rights) = (Vec::new(), Vec::new());
                flat(operation, left, &mut lefts);
                flat(operation, right, &mut rights);
                out.extend(lefts.into_iter().zip(rights));
            }
        }
    }
    Some(out)
}

/// Pairs halves with halves, down to what is one part on the left; whether everything on the left has a partner. The left side is short, as it is
/// written in the type of a function.
fn by_halves<'a>(operation: Operation, left: &'a Dim, right: &'a Dim, out: &mut Vec<(&'a Dim, &'a Dim)>) -> bool {
    match (halves(operation, left), halves(operation, right)) {
        (Some((a, b)), Some((c, d))) => by_halves(operation, a, c, out) && by_halves(operation, b, d, out),
        (Some(_), None) => false,
        (None, _) => {
            out.push((left, right));
            true
        }
    }
}

/// The operation by which a size was written of which some parts are unknown, with its different parts.
fn unknown_parts(dim: &Dim) -> Option<(Operation, Vec<&Dim>)> {
    let (operation, ..) = dim.parts()?;
    let parts = distinct(operation, dim);
    parts.iter().any(|part| is_unknown(part)).then_some((operation, parts))
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
                self.wanted.push(SizeEquation { left: unknown.clone(), right: size.clone(), span });
            }
        }
    }
    /// Gives unknowns of which a sum or product is known, and nothing else, its parts in order: those of this level and of deeper ones,
    /// whose scopes end.
    pub(super) fn match_parts(&mut self, level: u32) {
        // Parts may be put together themselves.
        while self.match_parts_once(&|sizes, open| open.iter().any(|atom| sizes.level(*atom) >= level)) {}
    }
    /// The same for unknowns in these types, whatever their level.
    pub(super) fn match_parts_in(&mut self, types: &[&Type]) {
        if self.wanted.is_empty() {
            return;
        }
        while {
            let mentioned: FxHashSet<DimAtom> = types.iter().flat_map(|ty| free_atoms(&self.zonk_type(ty))).filter(is_meta).collect();
            !mentioned.is_empty() && self.match_parts_once(&|_, open| open.iter().any(|atom| mentioned.contains(atom)))
        } {}
    }
    /// Whether an equation was replaced by ones between parts; of those whose unknowns are chosen.
    fn match_parts_once(&mut self, chosen: &dyn Fn(&Sizes, &[DimAtom]) -> bool) -> bool {
        let mut replaced = false;
        for SizeEquation { left: unknown, right: size, span } in std::mem::take(&mut self.wanted) {
            let Some((operation, unknowns)) = unknown_parts(&unknown) else { continue };
            let open: Vec<DimAtom> = unknowns.iter().flat_map(|part| self.zonk(part).atoms().filter(is_meta).collect::<Vec<_>>()).collect();
            if open.is_empty() {
                continue;
            }
            let size_known = self.zonk(&size);
            let pairs = pairs(operation, &unknown, &size_known);
            if pairs.is_none() || !chosen(self, &open) {
                self.wanted.push(SizeEquation { left: unknown, right: size, span });
                continue;
            }
            let before = self.snapshot();
            match pairs.iter().flatten().all(|(unknown, part)| self.unify_dim(unknown, part, span).is_ok()) {
                true => replaced = true,
                false => {
                    self.rollback(before);
                    self.wanted.push(SizeEquation { left: unknown, right: size, span });
                }
            }
        }
        replaced
    }
    /// The first size that is wanted in parts and for which there is no order of parts, with the place where they are wanted.
    pub(super) fn without_parts(&self) -> Option<(Dim, Span)> {
        self.wanted.iter().find_map(|SizeEquation { left: unknown, right: size, span }| {
            let (_, unknowns) = unknown_parts(unknown)?;
            let size = self.zonk(size);
            let solved = unknowns.iter().all(|part| is_known(&self.zonk(part)));
            // Nothing has no parts but nothing.
            let open = unknowns.iter().all(|part| is_unknown(part)) && !solved && is_known(&size) && size.as_constant() != Some(0);
            open.then_some((size, *span))
        })
    }
}
