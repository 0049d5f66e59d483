//! The rank system of one definition, as it grows.

use super::context::SiteRef;
use super::reason::ReasonId;
use super::types::Ty;
use crate::rank::{LinExpr, System, Var, VarKind};
use rustc_hash::FxHashMap;

/// The two types whose ranks an equation equates, for explanations.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    pub(super) expected: Ty,
    pub(super) found: Ty,
}

/// The equations between ranks, and what follows from them at once.
pub(super) struct Ranks {
    /// Whether ranks that are known already decide applications on the spot. Without it, every argument becomes a site and every
    /// equation keeps its sides: for explanations.
    pub(super) local: bool,
    pub(super) system: System,
    /// Variables with a value that an equation gives them by itself.
    known: FxHashMap<Var, i64>,
    /// One for each equation of the system.
    pub(super) sides: Vec<Sides>,
    /// One for each site of the system.
    pub(super) sites: Vec<SiteRef>,
}

impl Ranks {
    /// No equations yet.
    pub(super) fn new(local: bool) -> Ranks {
        Ranks { local, system: System::new(), known: FxHashMap::default(), sides: Vec::new(), sites: Vec::new() }
    }
    /// An unknown rank.
    pub(super) fn var(&mut self) -> LinExpr {
        LinExpr::var(self.system.var(VarKind::Type))
    }
    /// A site for an argument under a frame: its maps and its reps.
    pub(super) fn site(&mut self, site: SiteRef, frame: LinExpr) -> (LinExpr, LinExpr) {
        let (maps, reps) = self.system.site(frame, self.sites.len() as u32);
        self.sites.push(site);
        (LinExpr::var(maps), LinExpr::var(reps))
    }
    /// A rank with the variables replaced that are known already, in normal form.
    pub(super) fn reduce(&self, rank: &LinExpr) -> LinExpr {
        if rank.terms.is_empty() {
            return LinExpr::constant(rank.constant);
        }
        let mut reduced = LinExpr::constant(rank.constant);
        for &(var, coefficient) in &rank.terms {
            match self.known.get(&var) {
                Some(value) => reduced.constant += coefficient * value,
                None => reduced.terms.push((var, coefficient)),
            }
        }
        reduced.normalise();
        reduced
    }
    /// Demands that two ranks are equal; the types say what the ranks belong to.
    pub(super) fn equate(&mut self, expected: &LinExpr, found: &LinExpr, reason: ReasonId, types: (&Ty, &Ty)) {
        let difference = self.reduce(&expected.clone().sub(found));
        if difference.terms.is_empty() && difference.constant == 0 && (self.local || expected == found) {
            return;
        }
        if self.local
            && let [(var, sign @ (1 | -1))] = difference.terms[..]
            && self.system.kinds.get(var.index()) == Some(&VarKind::Type)
        {
            let value = -difference.constant * sign;
            if value >= 0 {
                self.known.insert(var, value);
            }
        }
        self.sides.push(Sides { expected: types.0.clone(), found: types.1.clone() });
        self.system.equate(difference, LinExpr::zero(), reason.0);
    }
}
