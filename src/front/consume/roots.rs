//! Memory: roots and what may share with what.
//!
//! A **root** stands for some memory that comes into being at one place of a definition. It has parents: memory that it may be, or be a part
//! of. Two roots may share memory if they have an ancestor in common (themselves included). Giving a root away therefore takes all its
//! ancestors with it, and whatever comes from one of these. Each root dies once, so that all of this is linear in the definition, but
//! for branches, after which the dead of one branch live again in the next.

use crate::base::Span;
use crate::base::Symbol;
use crate::ir::surface::PatId;
use crate::ir::tables::DefId;

/// Some memory. Roots are numbered in the order in which the checker meets them, so that those from before a function or loop have
/// smaller numbers than those made in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Root(u32);

impl Root {
    /// Its number.
    pub(super) fn raw(self) -> usize {
        self.0 as usize
    }
}

/// A function with a name that did not promise new memory, and where it was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lender {
    /// Where it was applied.
    pub at: Span,
    /// Its name.
    pub name: Symbol,
    /// Whether it is one of the library.
    pub library: bool,
}

/// Where memory comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Made here, or made of other memory.
    Made,
    /// What a function, perhaps one of the library, returned at this place that did not promise new memory.
    Returned { at: Span, name: Option<Symbol>, library: bool },
    /// A parameter that was transferred to this function, or a loop variable with `*`.
    Given,
    /// A parameter that the caller keeps.
    Kept(PatId),
    /// A parameter or loop variable without annotation: consumed if this function consumes it.
    Open(PatId),
    /// A constant of the program.
    Global(DefId),
}

impl Origin {
    /// The function that returned the memory, if it has a name.
    pub(super) fn lender(self) -> Option<Lender> {
        if let Origin::Returned { at, name: Some(name), library } = self { Some(Lender { at, name, library }) } else { None }
    }
}

/// A number for something that was consumed.
pub(super) type GiftId = u32;

#[derive(Debug)]
struct Info {
    parents: Vec<Root>,
    children: Vec<Root>,
    origin: Origin,
    /// What consumed it.
    dead: Option<GiftId>,
    /// The last search that came by.
    seen: u32,
}

/// All roots of a definition.
#[derive(Debug, Default)]
pub(super) struct Roots {
    infos: Vec<Info>,
    /// Those that died, in this order.
    trail: Vec<Root>,
    searches: u32,
}

impl Roots {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.infos.len()
    }
    /// New memory, or memory that may be that of its parents.
    pub(super) fn make(&mut self, origin: Origin, parents: &[Root]) -> Root {
        let root = Root(self.infos.len() as u32);
        let mut dead = None;
        for parent in parents {
            let info = &mut self.infos[parent.raw()];
            info.children.push(root);
            dead = dead.or(info.dead);
        }
        self.infos.push(Info { parents: parents.to_vec(), children: Vec::new(), origin, dead, seen: 0 });
        if dead.is_some() {
            self.trail.push(root);
        }
        root
    }
    /// Memory that may be any of these; `None` if there are none.
    pub(super) fn join(&mut self, mut roots: Vec<Root>) -> Option<Root> {
        roots.sort_unstable();
        roots.dedup();
        match roots.as_slice() {
            [] => None,
            [root] => Some(*root),
            several => Some(self.make(Origin::Made, several)),
        }
    }
    /// From now on the memory may also be that of others.
    pub(super) fn share(&mut self, root: Root, parents: &[Root]) {
        for parent in parents {
            self.infos[root.raw()].parents.push(*parent);
            self.infos[parent.raw()].children.push(root);
        }
    }
    /// Where it comes from.
    pub(super) fn origin(&self, root: Root) -> Origin {
        self.infos[root.raw()].origin
    }
    /// What consumed it.
    pub(super) fn dead(&self, root: Root) -> Option<GiftId> {
        self.infos[root.raw()].dead
    }

    /// All memory that it may be, itself first, those from before `floor` included but not what they come from.
    pub(super) fn ancestors(&mut self, root: Root, floor: usize) -> Vec<Root> {
        self.search(vec![root], |info, at| if at.raw() >= floor { &info.parents } else { &[] })
    }
    /// Everything that may share memory with these, which are all ancestors of what is consumed, dies.
    pub(super) fn kill(&mut self, ancestors: Vec<Root>, gift: GiftId) {
        for root in self.search(ancestors, |info, _| &info.children) {
            let info = &mut self.infos[root.raw()];
            if info.dead.is_none() {
                info.dead = Some(gift);
                self.trail.push(root);
            }
        }
    }
    fn search(&mut self, start: Vec<Root>, next: impl Fn(&Info, Root) -> &[Root]) -> Vec<Root> {
        self.searches += 1;
        let stamp = self.searches;
        let mut found = start;
        found.iter().for_each(|root| self.infos[root.raw()].seen = stamp);
        let mut at = 0;
        while let Some(root) = found.get(at).copied() {
            at += 1;
            for k in 0..next(&self.infos[root.raw()], root).len() {
                let other = next(&self.infos[root.raw()], root)[k];
                if self.infos[other.raw()].seen != stamp {
                    self.infos[other.raw()].seen = stamp;
                    found.push(other);
                }
            }
        }
        found
    }

    /// A moment to go back to.
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }
    /// Those that died since then live again; returns them with what consumed them.
    pub(super) fn revive(&mut self, mark: usize) -> Vec<(Root, GiftId)> {
        let back = self.trail.split_off(mark);
        back.into_iter().filter_map(|root| Some((root, self.infos[root.raw()].dead.take()?))).collect()
    }
    /// They die again.
    pub(super) fn bury(&mut self, dead: Vec<(Root, GiftId)>) {
        for (root, gift) in dead {
            let info = &mut self.infos[root.raw()];
            if info.dead.is_none() {
                info.dead = Some(gift);
                self.trail.push(root);
            }
        }
    }
}
