//! Which definitions a definition needs.

use crate::base::IdxMap;
use crate::ir::tables::{Def, DefId, Program};

/// The definitions that a definition names, each once, in order of definition. Those named by the types it uses are included.
pub fn dependencies(program: &Program, def: DefId) -> Vec<DefId> {
    let mut found = program.uses.get(def).cloned().unwrap_or_default();
    found.sort_unstable();
    found.dedup();
    found
}

/// The given definitions and all that they need, directly or not, in order of definition.
pub fn reachable(program: &Program, roots: impl IntoIterator<Item = DefId>) -> Vec<DefId> {
    let mut seen: IdxMap<Def, ()> = IdxMap::default();
    let mut work: Vec<DefId> = roots.into_iter().collect();
    while let Some(def) = work.pop() {
        if seen.insert(def, ()).is_none() {
            work.extend(dependencies(program, def));
        }
    }
    seen.iter().map(|(def, ())| def).collect()
}
