//! The definitions that contain a span.

use crate::base::{FileId, Span};
use crate::ir::tables::{DefId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where definitions stand.
pub(super) struct Places {
    /// Per file, the definitions by where they start.
    starts: FxHashMap<FileId, Vec<(Span, DefId)>>,
}

impl Places {
    pub(super) fn new(program: &Program) -> Places {
        let mut starts: FxHashMap<FileId, Vec<(Span, DefId)>> = FxHashMap::default();
        for (id, def) in program.defs.iter() {
            starts.entry(def.decl_span().file).or_default().push((def.decl_span(), id));
        }
        starts.values_mut().for_each(|list| list.sort());
        Places { starts }
    }

    /// The definitions around a place: one that was written, and its copies.
    fn at(&self, place: Span) -> &[(Span, DefId)] {
        let Some(list) = self.starts.get(&place.file) else { return &[] };
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
}
