//! What is looked at once when all constraints of a definition are there: types that stay unknown, that contain themselves, or that
//! leave the scope of their parameters; and which are left open.

use super::context::Context;
use super::error::{Error, ErrorKind, Source};
use super::types::{Base, Node, Ty};
use super::unify::Wanted;
use crate::base::Span;
use crate::ir::surface::PatId;
use crate::ir::tables::TypeParamId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Context<'_> {
    /// Reports projections from types that never became known.
    pub(super) fn unsettled_fields(&mut self) {
        let mut sums = FxHashSet::default();
        for pending in std::mem::take(&mut self.delayed.all) {
            let Node::Var(class) = self.bases.node(pending.base) else { continue };
            if pending.done {
                continue;
            }
            match pending.wanted {
                Wanted::Constructor(name, _) if !class.allows(&Node::Sum(Arc::default())) => {
                    self.error(name.span, ErrorKind::ConstructorOfClass { name: name.name, class });
                }
                Wanted::Field(field, _) => {
                    self.error(field.span, ErrorKind::UnknownRecord { field: field.name });
                }
                // One type may have many constructors. After other errors it may well have been known.
                Wanted::Constructor(name, payload) => {
                    let unknown = |error: &Error| matches!(error.kind, ErrorKind::UnknownSum { .. });
                    if self.reports.errors.iter().all(unknown) && sums.insert(self.bases.find(pending.base)) {
                        self.error(name.span, ErrorKind::UnknownSum { constructor: name.name, payload: payload.len() });
                    }
                }
            }
        }
    }

    /// Reports types that contain themselves. Unification does not look for them: one search at the end is linear.
    pub(super) fn check_cycles(&mut self) {
        let mut state = FxHashMap::default();
        for (base, reason) in std::mem::take(&mut self.bases.bound) {
            if self.cyclic(base, &mut state) {
                let reason = self.reasons[reason.0 as usize];
                let source = Source { at: reason.expected, role: reason.kind, expects: true };
                self.error(reason.found, ErrorKind::InfiniteType { source });
                return;
            }
        }
    }

    /// Whether a type contains itself.
    pub(super) fn contains_itself(&mut self, ty: &Ty) -> bool {
        self.cyclic(ty.base, &mut FxHashMap::default())
    }

    /// Depth-first search; `state` is false while a base is on the path and true afterwards.
    fn cyclic(&mut self, base: Base, state: &mut FxHashMap<Base, bool>) -> bool {
        let root = self.bases.find(base);
        match state.get(&root) {
            Some(done) => return !done,
            None => state.insert(root, false),
        };
        let found = self.bases.node(root).parts().any(|part| self.cyclic(part.base, state));
        if !found {
            state.insert(root, true);
        }
        found
    }

    /// Reports type parameters of local functions in types outside of these functions.
    pub(super) fn check_escapes(&mut self, ty: &Ty) {
        if self.scope.local_params.is_empty() || !self.reports.errors.is_empty() {
            return;
        }
        let extents: FxHashMap<TypeParamId, Span> = self.scope.local_params.iter().copied().collect();
        let binders: FxHashSet<PatId> = self.found.locals.iter().map(|(id, _)| *id).collect();
        let program = self.program;
        let pats = self.found.pats.iter().filter(|(id, _)| !binders.contains(id)).map(|(id, ty)| (ty.base, program.ast.pats[*id].span));
        let exprs = self.found.exprs.iter().map(|(id, ty)| (ty.base, program.ast.exprs[*id].span));
        let mut places: Vec<(Base, Span)> = pats.chain(exprs).collect();
        places.push((ty.base, Span::default()));
        let mut memo = FxHashMap::default();
        for (base, span) in places {
            let mentioned = self.mentioned(base, &extents, &mut memo);
            let Some((param, extent)) = mentioned.iter().filter_map(|p| Some((*p, *extents.get(p)?))).find(|(_, e)| !e.contains(span))
            else {
                continue;
            };
            let place = if span.is_none() { extent } else { span };
            let name = self.program.tparams[param].name;
            self.error(place, ErrorKind::EscapingTypeParameter { name, declared: extent });
            return;
        }
    }

    /// The type parameters of local functions in a type.
    fn mentioned(
        &mut self,
        base: Base,
        local: &FxHashMap<TypeParamId, Span>,
        memo: &mut FxHashMap<Base, Arc<[TypeParamId]>>,
    ) -> Arc<[TypeParamId]> {
        let root = self.bases.find(base);
        if let Some(known) = memo.get(&root) {
            return known.clone();
        }
        let node = self.bases.node(root);
        let mut all: Vec<TypeParamId> = node.parts().flat_map(|part| self.mentioned(part.base, local, memo).to_vec()).collect();
        if let Node::Param(p) = node
            && local.contains_key(&p)
        {
            all.push(p);
        }
        all.sort_unstable();
        all.dedup();
        let all: Arc<[TypeParamId]> = all.into();
        memo.insert(root, all.clone());
        all
    }

    /// The unknown bases of a type that may stand for anything, in the order of their occurrence: those to generalise.
    pub(super) fn free_bases(&mut self, ty: &Ty) -> Vec<Base> {
        let (mut free, mut seen) = (Vec::new(), FxHashSet::default());
        self.collect_free(ty.base, &mut free, &mut seen);
        free
    }

    fn collect_free(&mut self, base: Base, free: &mut Vec<Base>, seen: &mut FxHashSet<Base>) {
        let root = self.bases.find(base);
        if !seen.insert(root) {
            return;
        }
        let node = self.bases.node(root);
        if matches!(node, Node::Var(class) if class.is_any()) {
            free.push(root);
        }
        node.parts().for_each(|part| self.collect_free(part.base, free, seen));
    }
}
