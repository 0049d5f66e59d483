//! Several solutions of a definition's rank system side by side, looked at in parts: what differs between them is found without
//! writing out the tables of the whole definition.

use super::export::{Export, Inferred};
use super::types::{Base, Node, Ty};
use crate::ir::surface::{ExprId, PatId};
use crate::ir::tables::AppInfo;
use crate::rank::Var;
use rustc_hash::{FxHashMap, FxHashSet};

/// Optima of one component, the other components being at their canonical one.
#[derive(Debug)]
pub struct Readings<'a> {
    inferred: &'a Inferred,
    exprs: FxHashMap<ExprId, usize>,
    pats: FxHashMap<PatId, usize>,
    apps: FxHashMap<ExprId, usize>,
    /// The applications whose insertions mention a variable that differs between optima.
    mentions: FxHashMap<Var, Vec<usize>>,
    /// Values of the rank variables by reading, the first `count` of which are in use.
    values: Vec<Vec<u32>>,
    count: usize,
    component: usize,
}

impl<'a> Readings<'a> {
    /// No readings yet. Linear in the size of the definition.
    pub fn new(inferred: &'a Inferred) -> Readings<'a> {
        let assigned = inferred.components().iter().flat_map(|component| component.values.iter().flatten());
        let varying: FxHashSet<Var> = assigned.map(|(var, _)| *var).collect();
        let mut mentions: FxHashMap<Var, Vec<usize>> = FxHashMap::default();
        for (at, (_, spine)) in inferred.found.apps.iter().enumerate() {
            let slots = spine.slots.iter().flat_map(|slot| [&slot.maps, &slot.reps, &slot.frame]);
            for (var, _) in slots.chain([&spine.head_frame]).flat_map(|rank| &rank.terms).filter(|(var, _)| varying.contains(var)) {
                mentions.entry(*var).or_default().push(at);
            }
        }
        Readings {
            inferred,
            exprs: inferred.found.exprs.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect(),
            pats: inferred.found.pats.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect(),
            apps: inferred.found.apps.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect(),
            mentions,
            values: Vec::new(),
            count: 0,
            component: 0,
        }
    }

    /// Looks at the first optima of a component, at most so many.
    pub fn look_at(&mut self, component: usize, most: usize) {
        self.reset();
        let Some(optima) = self.inferred.components().get(component).map(|c| &c.values) else { return };
        (self.component, self.count) = (component, optima.len().min(most));
        while self.values.len() < self.count {
            self.values.push(self.inferred.solution().values.clone());
        }
        for (values, optimum) in self.values.iter_mut().zip(&optima[..self.count]) {
            optimum.iter().for_each(|(var, value)| values[var.index()] = *value);
        }
    }

    fn reset(&mut self) {
        let canonical = &self.inferred.solution().values;
        let optima = self.inferred.components().get(self.component).map_or(&[][..], |c| &c.values);
        for (values, optimum) in self.values[..self.count].iter_mut().zip(optima) {
            optimum.iter().for_each(|(var, _)| values[var.index()] = canonical[var.index()]);
        }
        self.count = 0;
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The applications whose insertions are not the same in all of them, in the order of inference.
    pub fn differing(&self) -> Vec<ExprId> {
        let assigned = self.inferred.components().get(self.component).and_then(|c| c.values.first());
        let mut found: Vec<usize> =
            assigned.into_iter().flatten().filter_map(|(var, _)| self.mentions.get(var)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        let differs = |at: &usize| (1..self.count).any(|reading| self.spine(reading, *at) != self.spine(0, *at));
        found.into_iter().filter(differs).map(|at| self.inferred.found.apps[at].0).collect()
    }

    fn spine(&self, reading: usize, at: usize) -> AppInfo {
        Export::new(self.inferred, &self.values[reading]).spine(&self.inferred.found.apps[at].1)
    }

    /// The insertions of an application in one of them.
    pub fn app(&self, reading: usize, node: ExprId) -> Option<AppInfo> {
        self.apps.get(&node).map(|at| self.spine(reading, *at))
    }

    /// Whether an expression has the same type in all of them.
    pub fn agree_on(&self, expr: ExprId) -> bool {
        self.exprs.get(&expr).is_some_and(|at| self.agree(&self.inferred.found.exprs[*at].1))
    }

    /// Whether a variable has the same type in all of them.
    pub fn agree_on_var(&self, pat: PatId) -> bool {
        self.pats.get(&pat).is_some_and(|at| self.agree(&self.inferred.found.pats[*at].1))
    }

    /// Whether the definition has the same type in all of them.
    pub fn agree_on_signature(&self) -> bool {
        self.agree(&self.inferred.ty)
    }

    /// The ranks in the types of the definition, of an expression and of variables: the same for two of them if and only if the types are.
    pub fn ranks(&self, reading: usize, expr: ExprId, vars: &[PatId]) -> Vec<i128> {
        let expr = self.exprs.get(&expr).map(|at| &self.inferred.found.exprs[*at].1);
        let vars = vars.iter().filter_map(|var| self.pats.get(var)).map(|at| &self.inferred.found.pats[*at].1);
        let mut ranks = Vec::new();
        for ty in std::iter::once(&self.inferred.ty).chain(expr).chain(vars) {
            self.visit(ty, &mut |part| {
                ranks.push(part.rank.eval(&self.values[reading]).unwrap_or(-1));
                true
            });
        }
        ranks
    }

    fn agree(&self, ty: &Ty) -> bool {
        self.visit(ty, &mut |part| {
            let rank = |reading: usize| part.rank.eval(&self.values[reading]);
            part.rank.terms.is_empty() || (1..self.count).all(|reading| rank(reading) == rank(0))
        })
    }

    /// Visits the parts of a type, as long as `f` returns true; each base once.
    fn visit(&self, ty: &Ty, f: &mut dyn FnMut(&Ty) -> bool) -> bool {
        let mut seen: FxHashSet<Base> = FxHashSet::default();
        let mut work = vec![ty.clone()];
        while let Some(part) = work.pop() {
            if !f(&part) {
                return false;
            }
            let mut root = part.base;
            while let Node::Link(next) = self.inferred.nodes[root.0 as usize] {
                root = next;
            }
            if seen.insert(root) {
                work.extend(self.inferred.nodes[root.0 as usize].parts().cloned());
            }
        }
        true
    }
}
