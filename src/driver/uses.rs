//! Which definitions use which, and in which order they are to be checked.

use crate::base::{FileId, Span};
use crate::ir::tables::{DefId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// The definitions that each definition names, and where definitions stand.
pub(super) struct Uses<'p> {
    program: &'p Program,
    /// Per file, the definitions by where they start.
    places: FxHashMap<FileId, Vec<(Span, DefId)>>,
}

impl<'p> Uses<'p> {
    pub(super) fn new(program: &'p Program) -> Uses<'p> {
        let mut places: FxHashMap<FileId, Vec<(Span, DefId)>> = FxHashMap::default();
        for (id, def) in program.defs.iter() {
            places.entry(def.decl_span().file).or_default().push((def.decl_span(), id));
        }
        places.values_mut().for_each(|list| list.sort());
        Uses { program, places }
    }

    /// The definitions around a place: one that was written, and its copies.
    fn at(&self, place: Span) -> &[(Span, DefId)] {
        let Some(list) = self.places.get(&place.file) else { return &[] };
        let after = list.partition_point(|(span, _)| span.start <= place.start);
        let Some((last, _)) = after.checked_sub(1).and_then(|at| list.get(at)) else { return &[] };
        if !(place.start < last.end || last.contains(place)) {
            return &[];
        }
        let first = list.partition_point(|(span, _)| span.start < last.start);
        list.get(first..after).unwrap_or_default()
    }

    /// The definitions around places.
    pub(super) fn around(&self, places: &[Span]) -> FxHashSet<DefId> {
        places.iter().flat_map(|place| self.at(*place)).map(|(_, def)| *def).collect()
    }

    /// What a definition names, with repetitions.
    pub(super) fn of(&self, def: DefId) -> impl Iterator<Item = DefId> {
        self.program.uses.get(def).into_iter().flatten().copied()
    }

    /// All definitions that are needed and those that they need, used ones first.
    pub(super) fn order(&self) -> Vec<DefId> {
        let mut needed: FxHashSet<DefId> = self.program.defs.iter().filter(|(_, def)| def.needed).map(|(id, _)| id).collect();
        let mut work: Vec<DefId> = needed.iter().copied().collect();
        while let Some(def) = work.pop() {
            work.extend(self.of(def).filter(|used| needed.insert(*used)));
        }
        // A definition refers only to earlier ones.
        let mut order: Vec<DefId> = needed.into_iter().collect();
        order.sort_unstable();
        order
    }
}
