//! A definition from its declaration to its tables.

use super::context::{Context, Found, SiteRef, Spine};
use super::error::{Error, ErrorKind, Source};
use super::types::{Base, Node, Ty};
use super::unify::Wanted;
use super::{advice, blame};
use crate::base::{MAX_RANK, PrimType, Span, Symbol};
use crate::ir::surface::{ExprId, PatId};
use crate::ir::tables::{
    AppInfo, Def, DefId, DefKind, Insertion, Program, RBase, RType, Role, Signature, Tables, TypeParamId, TypeParamInfo,
};
use crate::rank::{self, Component, LinExpr, Options, Outcome, Solution, System};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Rank conflicts reported for one definition.
const MAX_CONFLICTS: usize = 5;
/// Definitions with more arguments than this get no irreducible conflict, only the first equation that cannot hold.
const EXPLAINED_ARGUMENTS: usize = 100;

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
    fn may_compare_whole(&self) -> bool {
        self.found.ops.iter().any(|(_, ty)| ty.rank.constant != 0 || !ty.rank.terms.is_empty())
    }
    /// Whether there are insertions.
    fn inserts(&self) -> bool {
        let export = Export::new(self, &self.solution.values);
        self.found.apps.iter().any(|(_, spine)| export.spine(spine).cost() > 0)
    }
    /// An array of more dimensions than can be handled: every type would be written out in full.
    fn too_deep(&self, program: &Program) -> Option<Error> {
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
            Node::Link(_) | Node::Error => crate::ice!(Span::default(), "a definition whose types are not known has tables"),
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

/// Infers one definition, given the tables of those that it uses. Type parameters that generalisation finds are added to the
/// program.
pub fn infer_def(program: &mut Program, tables: &Tables, def: DefId) -> Result<Inferred, Vec<Error>> {
    infer_with(program, tables, def, &Options::default())
}

/// The same with options for the rank solver.
pub fn infer_with(program: &mut Program, tables: &Tables, def: DefId, options: &Options) -> Result<Inferred, Vec<Error>> {
    infer_in_mode(program, tables, def, options, true)
}

/// The rank system of a definition, with every argument as a site, as it is before it is solved: to be looked at.
pub fn rank_system(program: &Program, tables: &Tables, def: DefId) -> (System, Vec<SiteRef>) {
    let mut ctx = Context::new(program, tables, def, false);
    ctx.definition(def);
    (ctx.ranks.system, ctx.ranks.sites)
}

/// `local` says whether ranks that are known decide applications on the spot; the result is the same without.
pub(super) fn infer_in_mode(
    program: &mut Program,
    tables: &Tables,
    def: DefId,
    options: &Options,
    local: bool,
) -> Result<Inferred, Vec<Error>> {
    let futhark = program.ast.futhark.contains(&program.defs[def].span.file);
    let mut found = read(program, tables, def, options, Mode { local, whole: futhark });
    // A program of Futhark as it was before AUTOMAP needs no insertions. Where there are some, `==` goes through arrays like other operators.
    let plain = |(inferred, _): &(Inferred, Vec<Base>)| !inferred.may_compare_whole() || !inferred.inserts();
    if futhark && !found.as_ref().is_ok_and(plain) {
        found = read(program, tables, def, options, Mode { local, whole: false }).or(found);
    }
    let (inferred, free) = found?;
    let mut inferred = generalise(program, inferred, &free);
    let growing = advice::growing_loops(program, &inferred);
    inferred.warnings.extend(growing);
    Ok(inferred)
}

/// How a definition is read.
#[derive(Debug, Clone, Copy)]
struct Mode {
    /// Whether ranks that are known decide applications on the spot.
    local: bool,
    /// Whether `==` and `!=` may compare arrays as a whole.
    whole: bool,
}

/// What is found for a definition that is read in one way, and the bases that are left open.
fn read(program: &Program, tables: &Tables, def: DefId, options: &Options, mode: Mode) -> Result<(Inferred, Vec<Base>), Vec<Error>> {
    let mut ctx = Context::new(program, tables, def, mode.local);
    ctx.whole = mode.whole;
    let (declared, ty) = ctx.definition(def);
    if !ctx.reports.errors.is_empty() {
        ctx.report_holes(None);
        return Err(ctx.reports.errors);
    }
    let start = Instant::now();
    let solution = match rank::solve(&ctx.ranks.system, &Options { explain: false, ..options.clone() }) {
        Outcome::Solved(solution) => solution,
        Outcome::Infeasible(_) if super::recursion::needs_insertions(program, tables, def, options) => {
            let kind = ErrorKind::UnwrittenRecursion { unannotated: advice::unannotated(program, def), calls: ctx.own_calls() };
            return Err(vec![Error { at: program.defs[def].span, kind }]);
        }
        Outcome::Infeasible(_) => {
            let arguments = ctx.found.arguments();
            let mut errors = conflicts(program, tables, def, options, (arguments, mode.whole));
            ctx.report_holes(None);
            errors.append(&mut ctx.reports.errors);
            return Err(errors);
        }
        Outcome::TooHard(why) => {
            let kind = ErrorKind::Undecided { why, unannotated: advice::unannotated(program, def) };
            return Err(vec![Error { at: program.defs[def].span, kind }]);
        }
    };
    let rank_time = start.elapsed();
    ctx.report_holes(Some(&solution.values));
    let warnings = std::mem::take(&mut ctx.reports.errors);
    let free = ctx.free_bases(&ty);
    let inferred = ctx.into_inferred(def, declared, ty, solution);
    if let Some(deep) = inferred.too_deep(program) {
        return Err(vec![deep]);
    }
    if let Some(endless) = super::recursion::endless(program, &inferred) {
        return Err(vec![endless]);
    }
    Ok((Inferred { rank_time, warnings, ..inferred }, free))
}

/// Explains why ranks cannot agree. In small definitions every argument becomes a site and every equation is tagged, so that an
/// irreducible conflict can be found; in large ones the first equation that contradicts those before it is named.
fn conflicts(program: &Program, tables: &Tables, def: DefId, options: &Options, (arguments, whole): (usize, bool)) -> Vec<Error> {
    let small = arguments <= EXPLAINED_ARGUMENTS;
    let mut ctx = Context::new(program, tables, def, !small);
    ctx.whole = whole;
    ctx.definition(def);
    let mut found = Vec::new();
    // Indices of the equations that are not explained yet.
    let mut kept: Vec<usize> = (0..ctx.ranks.system.equations.len()).collect();
    while found.len() < MAX_CONFLICTS {
        let Some(conflict) = (if small { irreducible(&ctx, &kept, options) } else { first_contradiction(&ctx, &kept, options) }) else {
            break;
        };
        found.push(blame::rank_conflict(&mut ctx, &conflict, small));
        let dropped: FxHashSet<usize> = if small { conflict.into_iter().collect() } else { conflict.last().copied().into_iter().collect() };
        kept.retain(|equation| !dropped.contains(equation));
    }
    if found.is_empty() {
        found.push(Error { at: program.defs[def].span, kind: ErrorKind::RanksCannotAgree });
    }
    found
}

/// The system with some of its equations only.
fn restricted(system: &System, equations: &[usize]) -> System {
    System {
        kinds: system.kinds.clone(),
        names: Vec::new(),
        equations: equations.iter().map(|i| system.equations[*i].clone()).collect(),
        sites: system.sites.clone(),
    }
}

/// Equations that cannot all hold, and of which none can be spared.
fn irreducible(ctx: &Context, equations: &[usize], options: &Options) -> Option<Vec<usize>> {
    let system = restricted(&ctx.ranks.system, equations);
    match rank::solve(&system, &Options { explain: true, ..options.clone() }) {
        Outcome::Infeasible(conflict) => {
            let mut chosen: Vec<usize> = conflict.equations.iter().filter_map(|i| equations.get(*i).copied()).collect();
            chosen.sort_unstable();
            (!chosen.is_empty()).then_some(chosen)
        }
        Outcome::Solved(_) | Outcome::TooHard(_) => None,
    }
}

/// The shortest beginning of the equations that cannot hold, found by bisection.
fn first_contradiction(ctx: &Context, equations: &[usize], options: &Options) -> Option<Vec<usize>> {
    let options = Options { explain: false, ..options.clone() };
    let fails = |count: usize| {
        let system = restricted(&ctx.ranks.system, &equations[..count]);
        matches!(rank::solve(&system, &options), Outcome::Infeasible(_))
    };
    if !fails(equations.len()) {
        return None;
    }
    let (mut holds, mut broken) = (0, equations.len());
    while broken - holds > 1 {
        let middle = holds + (broken - holds) / 2;
        if fails(middle) {
            broken = middle;
        } else {
            holds = middle;
        }
    }
    Some(equations[..broken].to_vec())
}

/// Names the type parameters that generalisation adds.
fn generalise(program: &mut Program, mut inferred: Inferred, free: &[Base]) -> Inferred {
    let mut taken: FxHashSet<Symbol> = inferred.tparams.iter().map(|p| program.tparams[*p].name).collect();
    let span = program.defs[inferred.def].span;
    let mut counter = 0usize;
    for base in free {
        let name = loop {
            let letter = char::from(b'a' + (counter % 26) as u8);
            let text = if counter < 26 { letter.to_string() } else { format!("{letter}{}", counter / 26) };
            counter += 1;
            let name = Symbol::new(&text);
            if taken.insert(name) {
                break name;
            }
        };
        let param = program.tparams.alloc(TypeParamInfo { name, span });
        inferred.tparams.push(param);
        inferred.generalised.insert(*base, param);
    }
    inferred
}

impl Context<'_> {
    /// Generates all constraints of a definition; returns its declared type parameters and its type.
    pub(super) fn definition(&mut self, def: DefId) -> (Vec<TypeParamId>, Ty) {
        let program = self.program;
        let Def { decl, role, .. } = &program.defs[def];
        let (declared, ty) = match decl {
            DefKind::Def(decl) => {
                let declared = self.bind_tparams(&decl.tparams);
                let ty = match program.defs[def].recursive {
                    true => self.recursive_function(decl),
                    false => self.lambda(&decl.params, decl.ret, decl.body),
                };
                let ty = match (role, decl.ret) {
                    (Role::Shown(_), Some(ret)) => self.shown_type(ret),
                    _ => ty,
                };
                (declared, ty)
            }
            DefKind::Val(decl) => {
                let declared = self.bind_tparams(&decl.tparams);
                (declared, self.annotation(decl.ty))
            }
        };
        self.unsettled_fields();
        self.check_cycles();
        self.check_escapes(&ty);
        (declared, ty)
    }

    /// Reports projections from types that never became known.
    fn unsettled_fields(&mut self) {
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
    fn check_cycles(&mut self) {
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
        let found = match self.bases.node(root) {
            Node::Arrow(parts) => self.cyclic(parts.0.base, state) || self.cyclic(parts.1.base, state),
            Node::Tuple(parts) => parts.iter().any(|part| self.cyclic(part.base, state)),
            Node::Record(fields) => fields.iter().any(|(_, part)| self.cyclic(part.base, state)),
            Node::Abstract(_, _, args) => args.iter().any(|arg| self.cyclic(arg.base, state)),
            Node::Sum(constructors) => {
                constructors.iter().flat_map(|(_, payload)| payload.iter()).any(|part| self.cyclic(part.base, state))
            }
            Node::Var(_) | Node::Link(_) | Node::Prim(_) | Node::Param(_) | Node::Error => false,
        };
        if !found {
            state.insert(root, true);
        }
        found
    }

    /// Reports type parameters of local functions in types outside of these functions.
    fn check_escapes(&mut self, ty: &Ty) {
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
            let place = if span == Span::default() { extent } else { span };
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
        let parts: Vec<Base> = match self.bases.node(root) {
            Node::Param(p) if local.contains_key(&p) => {
                let this: Arc<[TypeParamId]> = Arc::from([p]);
                memo.insert(root, this.clone());
                return this;
            }
            Node::Arrow(parts) => vec![parts.0.base, parts.1.base],
            Node::Tuple(parts) => parts.iter().map(|part| part.base).collect(),
            Node::Record(fields) => fields.iter().map(|(_, part)| part.base).collect(),
            Node::Abstract(_, _, args) => args.iter().map(|arg| arg.base).collect(),
            Node::Sum(constructors) => constructors.iter().flat_map(|(_, payload)| payload.iter().map(|part| part.base)).collect(),
            Node::Var(_) | Node::Link(_) | Node::Prim(_) | Node::Param(_) | Node::Error => Vec::new(),
        };
        let mut all: Vec<TypeParamId> = parts.iter().flat_map(|part| self.mentioned(*part, local, memo).to_vec()).collect();
        all.sort_unstable();
        all.dedup();
        let all: Arc<[TypeParamId]> = all.into();
        memo.insert(root, all.clone());
        all
    }

    /// The unknown bases of a type that may stand for anything, in the order of their occurrence: those to generalise.
    fn free_bases(&mut self, ty: &Ty) -> Vec<Base> {
        let (mut free, mut seen) = (Vec::new(), FxHashSet::default());
        self.collect_free(ty.base, &mut free, &mut seen);
        free
    }

    fn collect_free(&mut self, base: Base, free: &mut Vec<Base>, seen: &mut FxHashSet<Base>) {
        let root = self.bases.find(base);
        if !seen.insert(root) {
            return;
        }
        match self.bases.node(root) {
            Node::Var(class) if class.is_any() => free.push(root),
            Node::Arrow(parts) => {
                self.collect_free(parts.0.base, free, seen);
                self.collect_free(parts.1.base, free, seen);
            }
            Node::Tuple(parts) => parts.iter().for_each(|part| self.collect_free(part.base, free, seen)),
            Node::Record(fields) => fields.iter().for_each(|(_, part)| self.collect_free(part.base, free, seen)),
            Node::Abstract(_, _, args) => args.iter().for_each(|arg| self.collect_free(arg.base, free, seen)),
            Node::Sum(constructors) => {
                constructors.iter().flat_map(|(_, payload)| payload.iter()).for_each(|part| self.collect_free(part.base, free, seen));
            }
            Node::Var(_) | Node::Link(_) | Node::Prim(_) | Node::Param(_) | Node::Error => {}
        }
    }

    fn into_inferred(self, def: DefId, tparams: Vec<TypeParamId>, ty: Ty, solution: Solution) -> Inferred {
        Inferred {
            def,
            nodes: self.bases.into_nodes(),
            tparams,
            generalised: FxHashMap::default(),
            ty,
            found: self.found,
            sites: self.ranks.sites,
            solution,
            rank_time: Duration::ZERO,
            warnings: Vec::new(),
        }
    }
}
