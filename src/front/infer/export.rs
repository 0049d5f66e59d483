//! What inference found for a definition, and the tables that are made of it.

use super::context::{Found, SiteRef, Spine};
use super::error::{Error, ErrorKind};
use super::types::{Base, Node, Ty};
use crate::base::{MAX_RANK, PrimType, Span};
use crate::ir::surface::ExprId;
use crate::ir::tables::{AppInfo, DefId, Insertion, Program, RBase, RType, Signature, Tables, TypeParamId};
use crate::rank::{Component, LinExpr, Solution};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Duration;

/// What inference found for one definition: types with ranks that still are expressions, and the solved rank system. Tables can be
/// made for every assignment of values to the rank variables.
#[derive(Debug)]
pub struct Inferred {
    pub(super) def: DefId,
    pub(super) nodes: Vec<Node>,
    pub(super) tparams: Vec<TypeParamId>,
    pub(super) generalised: FxHashMap<Base, TypeParamId>,
    pub(super) ty: Ty,
    pub(super) found: Found,
    pub(super) sites: Vec<SiteRef>,
    pub(super) solution: Solution,
    pub(super) rank_time: Duration,
    pub(super) warnings: Vec<Error>,
}

impl Inferred {
    /// The definition.
    pub fn def(&self) -> DefId {
        self.def
    }
    /// The canonical solution of the rank system. Sites are indices into [`Inferred::sites`].
    pub fn solution(&self) -> &Solution {
        &self.solution
    }
    /// The independent questions that have several cheapest answers.
    pub fn components(&self) -> &[Component] {
        &self.solution.components
    }
    /// The arguments that the rank system decided, by site index. All others were decided on the spot.
    pub fn sites(&self) -> &[SiteRef] {
        &self.sites
    }
    /// What is to be said of the definition although it is accepted.
    pub fn warnings(&self) -> &[Error] {
        &self.warnings
    }
    /// Whether an expression is a number that has the type i32 because nothing says otherwise.
    pub(super) fn is_i32_by_default(&self, expr: ExprId) -> bool {
        let Some((_, ty)) = self.found.exprs.iter().find(|(id, _)| *id == expr) else { return false };
        let mut root = ty.base;
        while let Node::Link(next) = self.nodes[root.0 as usize] {
            root = next;
        }
        let open = matches!(self.nodes[root.0 as usize], Node::Var(class) if class.default() == PrimType::I32);
        open && !self.generalised.contains_key(&root)
    }
    /// How long solving the rank system took.
    pub fn rank_time(&self) -> Duration {
        self.rank_time
    }
    /// Number of arguments of applications, however they were decided.
    pub fn arguments(&self) -> usize {
        self.found.arguments()
    }
    /// The values of the rank variables when some components take another optimum than their canonical one. The pairs are
    /// component and optimum.
    pub fn values(&self, picks: &[(usize, usize)]) -> Vec<u32> {
        let mut values = self.solution.values.clone();
        for &(component, optimum) in picks {
            let chosen = self.solution.components.get(component).and_then(|c| c.values.get(optimum));
            for &(var, value) in chosen.into_iter().flatten() {
                if let Some(slot) = values.get_mut(var.index()) {
                    *slot = value;
                }
            }
        }
        values
    }
    /// Writes everything about the definition into tables, for these values of the rank variables.
    pub fn fill(&self, values: &[u32], tables: &mut Tables) {
        let mut export = Export::new(self, values);
        for (id, ty) in &self.found.exprs {
            tables.exprs.insert(*id, export.ty(ty));
        }
        for (id, ty) in &self.found.pats {
            tables.pats.insert(*id, export.ty(ty));
        }
        for (id, types) in &self.found.insts {
            tables.insts.insert(*id, types.iter().map(|ty| export.ty(ty)).collect());
        }
        for (id, ty) in &self.found.ops {
            tables.ops.insert(*id, export.ty(ty));
        }
        for (id, spine) in &self.found.apps {
            tables.apps.insert(*id, export.spine(spine));
        }
        for (id, tparams) in &self.found.locals {
            tables.locals.insert(*id, tparams.clone());
        }
        let ty = export.ty(&self.ty);
        tables.defs.insert(self.def, Signature { tparams: self.tparams.clone(), ty });
    }
    /// Whether an operator may take arrays: `==` and `!=` where they compare them as a whole.
    pub(super) fn may_compare_whole(&self) -> bool {
        self.found.ops.iter().any(|(_, ty)| ty.rank.constant != 0 || !ty.rank.terms.is_empty())
    }
    /// Whether there are insertions.
    pub(super) fn inserts(&self) -> bool {
        let export = Export::new(self, &self.solution.values);
        self.found.apps.iter().any(|(_, spine)| export.spine(spine).cost() > 0)
    }
    /// An array of more dimensions than can be handled: every type would be written out in full.
    pub(super) fn too_deep(&self, program: &Program) -> Option<Error> {
        let rank = |ty: &Ty| ty.rank.eval(&self.solution.values).map_or(i128::MAX, i128::from);
        let exprs = self.found.exprs.iter().map(|(id, ty)| (rank(ty), program.ast.exprs[*id].span));
        let pats = self.found.pats.iter().map(|(id, ty)| (rank(ty), program.ast.pats[*id].span));
        let (rank, at) = exprs.chain(pats).find(|(rank, _)| *rank > MAX_RANK as i128)?;
        Some(Error { at, kind: ErrorKind::TooManyDimensions { rank } })
    }
    /// The tables of this definition alone.
    pub fn tables(&self, values: &[u32]) -> Tables {
        let mut tables = Tables::default();
        self.fill(values, &mut tables);
        tables
    }
}

/// Turns types of inference into finished types.
pub(super) struct Export<'a> {
    inferred: &'a Inferred,
    values: &'a [u32],
    memo: FxHashMap<Base, Arc<RBase>>,
}

impl<'a> Export<'a> {
    pub(super) fn new(inferred: &'a Inferred, values: &'a [u32]) -> Export<'a> {
        Export { inferred, values, memo: FxHashMap::default() }
    }
    fn rank(&self, rank: &LinExpr) -> u32 {
        match rank.eval(self.values).map(u32::try_from) {
            Some(Ok(rank)) => rank,
            Some(Err(_)) => crate::ice!(Span::default(), "a rank that is negative or too large: {rank:?}"),
            None => crate::ice!(Span::default(), "a rank that the solution does not give: {rank:?}"),
        }
    }
    fn ty(&mut self, ty: &Ty) -> RType {
        RType { rank: self.rank(&ty.rank), base: self.base(ty.base) }
    }
    fn base(&mut self, base: Base) -> Arc<RBase> {
        if let Some(done) = self.memo.get(&base) {
            return done.clone();
        }
        let inferred = self.inferred;
        let mut root = base;
        while let Node::Link(next) = inferred.nodes[root.0 as usize] {
            root = next;
            if let Some(done) = self.memo.get(&root).cloned() {
                self.remember_links(base, root, &done);
                return done;
            }
        }
        let done = Arc::new(match &inferred.nodes[root.0 as usize] {
            Node::Prim(prim) => RBase::Prim(*prim),
            Node::Param(param) => RBase::Param(*param),
            Node::Arrow(parts) => RBase::Arrow(self.ty(&parts.0), self.ty(&parts.1)),
            Node::Tuple(parts) => RBase::Tuple(parts.iter().map(|part| self.ty(part)).collect()),
            Node::Record(fields) => RBase::Record(fields.iter().map(|(label, part)| (*label, self.ty(part))).collect()),
            Node::Abstract(ty, name, args) => {
                let args = args.iter().map(|arg| self.ty(arg)).collect();
                RBase::Abstract { ty: *ty, name: *name, args }
            }
            Node::Sum(constructors) => {
                let payload = |payload: &[Ty], this: &mut Self| payload.iter().map(|part| this.ty(part)).collect();
                RBase::Sum(constructors.iter().map(|(label, parts)| (*label, payload(parts, self))).collect())
            }
            Node::Var(class) => match inferred.generalised.get(&root) {
                Some(param) => RBase::Param(*param),
                None => RBase::Prim(class.default()),
            },
            Node::Link(_) => crate::ice!(Span::default(), "a link that was not followed"),
            // A name that means nothing because something else in its module could not be read, which alone was reported: the tables are for
            // editors, and elaboration refuses the definition.
            Node::Error => RBase::Prim(PrimType::I32),
        });
        self.memo.insert(root, done.clone());
        self.remember_links(base, root, &done);
        done
    }
    /// Long chains of links are walked once.
    fn remember_links(&mut self, from: Base, to: Base, done: &Arc<RBase>) {
        let mut at = from;
        while at != to
            && let Node::Link(next) = self.inferred.nodes[at.0 as usize]
        {
            self.memo.insert(at, done.clone());
            at = next;
        }
    }
    pub(super) fn spine(&self, spine: &Spine) -> AppInfo {
        let args = spine.slots.iter().map(|slot| {
            let reps = self.rank(&slot.reps);
            Insertion { maps: self.rank(&slot.maps), reps, induced: reps.min(self.rank(&slot.frame)) }
        });
        AppInfo { head_frame: self.rank(&spine.head_frame), args: args.collect() }
    }
}
