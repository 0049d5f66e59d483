//! Which definitions use which, and in which order they are to be checked.

use crate::base::{FileId, Span};
use crate::ir::tables::{DefId, Program, Res};
use rustc_hash::{FxHashMap, FxHashSet};

/// The definitions that each definition names.
pub(super) struct Uses {
    named: FxHashMap<DefId, Vec<DefId>>,
    /// Per file, the definitions by where they start.
    places: FxHashMap<FileId, Vec<(Span, DefId)>>,
}

impl Uses {
    pub(super) fn new(program: &Program) -> Uses {
        let mut places: FxHashMap<FileId, Vec<(Span, DefId)>> = FxHashMap::default();
        for (id, def) in program.defs.iter() {
            places.entry(def.file).or_default().push((def.decl_span(), id));
        }
        places.values_mut().for_each(|list| list.sort());
        let mut uses = Uses { named: FxHashMap::default(), places };
        for (expr, res) in program.names.exprs.iter() {
            if let Res::Global(used) = res
                && let Some(user) = uses.at(program.ast.exprs[expr].span)
            {
                uses.named.entry(user).or_default().push(*used);
            }
        }
        uses
    }

    /// The definition around a place.
    fn at(&self, place: Span) -> Option<DefId> {
        let list = self.places.get(&place.file)?;
        let before = list.partition_point(|(span, _)| span.start <= place.start);
        let (span, def) = list.get(before.checked_sub(1)?)?;
        (place.start < span.end || span.contains(place)).then_some(*def)
    }

    /// The definitions around places.
    pub(super) fn around(&self, places: &[Span]) -> FxHashSet<DefId> {
        places.iter().filter_map(|place| self.at(*place)).collect()
    }

    /// What a definition names, with repetitions.
    pub(super) fn of(&self, def: DefId) -> impl Iterator<Item = DefId> {
        self.named.get(&def).into_iter().flatten().copied()
    }

    /// All definitions outside of the standard library and those of the library that they need, used ones first.
    pub(super) fn order(&self, program: &Program) -> Vec<DefId> {
        let mut needed: FxHashSet<DefId> = program.defs.iter().filter(|(_, def)| !def.stdlib).map(|(id, _)| id).collect();
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
