//! What is recorded of a program that is profiled: sites, probes at them, and why code is as it is. Without a profile nothing here does anything, and
//! the same statements are made.
//!
//! Time is taken around statements that are not in a parallel loop, in loops that are no such statements themselves: nothing is measured in a
//! nest, but for buffers and copies of rows, which are no loops for vector registers anyway.

use super::{Array, Lower, Mem};
use crate::base::{Arena, Span, Symbol};
use crate::ir::imp::{Expr, Handle, Probe, Ptr, Stmt, leaf_stmt};
use crate::ir::profile::{Case, CopyReason, Nest, Note, Profile, Remark, Role, SequentialReason, Site, SiteId, SiteKind};
use crate::ir::soac::{Exp, Fun, Program, Size, Soac, Stm, Var, count_exp, view_exp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Loops with a constant count of up to so many iterations are not worth two looks at the clock.
const SHORT: i64 = 64;

/// What is recorded of a whole program.
#[derive(Default)]
pub(super) struct Recorder {
    sites: Arena<Site>,
    numbers: FxHashMap<Site, SiteId>,
    remarks: Vec<Remark>,
    said: FxHashSet<Remark>,
}

impl Recorder {
    /// What was recorded.
    pub(super) fn profile(self) -> Profile {
        Profile { sites: self.sites, remarks: self.remarks }
    }
    /// The number of a site. What is lowered in several versions is one site.
    fn site(&mut self, site: Site) -> SiteId {
        *self.numbers.entry(site).or_insert_with(|| self.sites.alloc(site))
    }
    fn remark(&mut self, remark: Remark) {
        if self.said.insert(remark) {
            self.remarks.push(remark);
        }
    }
}

/// Where lowering is in a function of a program that is profiled.
pub(super) struct Measure<'a> {
    recorder: &'a mut Recorder,
    function: Symbol,
    /// Whether the function is called by others.
    called: bool,
    at: At,
}

/// A place in a function.
#[derive(Clone, Copy)]
struct At {
    /// The statement.
    span: Span,
    /// The site that is timed around it.
    around: Option<SiteId>,
    /// The site that the statement is, if it is timed itself.
    own: Option<SiteId>,
    /// Whether nothing more is timed here.
    nested: bool,
}

/// A statement that has begun.
pub(super) struct Begun {
    before: At,
    /// Its site, and where its first probe is, if it has one.
    site: Option<(SiteId, usize)>,
}

impl<'a> Measure<'a> {
    /// At the beginning of a function.
    pub(super) fn new(recorder: &'a mut Recorder, fun: &Fun) -> Measure<'a> {
        // A site that has begun does not begin again before it has ended.
        let at = At { span: fun.span, around: None, own: None, nested: fun.recursive };
        Measure { recorder, function: fun.name, called: !fun.entry, at }
    }
    fn site(&mut self, what: SiteKind, span: Span) -> SiteId {
        self.recorder.site(Site { function: self.function, span, parent: self.at.around, what })
    }
}

impl<'p> Lower<'_, 'p> {
    /// A statement begins.
    pub(super) fn begin(&mut self, stm: &Stm) -> Option<Begun> {
        let measure = self.profile.as_mut()?;
        let before = measure.at;
        measure.at = At { span: stm.span, own: None, ..before };
        let nest = if before.nested { None } else { nest(self.program, &stm.exp) };
        let Some(nest) = nest else { return Some(Begun { before, site: None }) };
        let span = product_in(&stm.exp).unwrap_or(stm.span);
        let site = measure.site(SiteKind::Nest(nest), span);
        measure.at = At { span, around: Some(site), own: Some(site), nested: nest != Nest::Loop };
        let at = self.out.code.len();
        self.emit(Stmt::Probe(Box::new(Probe::Begin(site, false))));
        Some(Begun { before, site: Some((site, at)) })
    }
    /// It ends. Where it is next to nothing it is not timed.
    pub(super) fn end(&mut self, begun: Option<Begun>) {
        let (Some(measure), Some(Begun { before, site })) = (self.profile.as_mut(), begun) else { return };
        measure.at = before;
        let Some((site, at)) = site else { return };
        let code = &self.out.code[at + 1..];
        if !code.iter().any(takes_time) {
            self.out.code.remove(at);
            return;
        }
        if matches!(measure.recorder.sites[site].what, SiteKind::Nest(Nest::Loop)) && !begins(code) {
            let span = measure.recorder.sites[site].span;
            measure.recorder.remark(Remark { span, site: Some(site), note: Note::OneThread(SequentialReason::Iterations) });
        }
        let leaf = !times(&self.out.code[at + 1..]);
        self.out.code[at] = Stmt::Probe(Box::new(Probe::Begin(site, leaf)));
        self.emit(Stmt::Probe(Box::new(Probe::End(site, leaf))));
    }

    /// The statement, if it is timed, is run by one thread: for this reason, or because nothing is parallel here at all.
    pub(super) fn alone(&mut self, why: SequentialReason) {
        let parallel = self.is_parallel();
        let Some(measure) = &mut self.profile else { return };
        let Some(site) = measure.at.own else { return };
        let why = match parallel {
            true => why,
            false if why == SequentialReason::Few => why,
            false if measure.called => SequentialReason::Called,
            false => SequentialReason::Attribute,
        };
        let span = measure.at.span;
        measure.recorder.remark(Remark { span, site: Some(site), note: Note::OneThread(why) });
    }
    /// An array is updated where it is.
    pub(super) fn in_place_here(&mut self, array: Var) {
        let name = self.program.vars[array].name;
        self.remark(Note::InPlace(name));
    }
    /// Says something of the statement.
    pub(super) fn remark(&mut self, note: Note) {
        if let Some(measure) = &mut self.profile {
            let At { span, around, .. } = measure.at;
            measure.recorder.remark(Remark { span, site: around, note });
        }
    }

    /// Counts what a buffer holds. It has just been made.
    pub(super) fn made(&mut self, ptr: Ptr, count: &Expr, role: Role, span: Span) {
        let (name, elem) = (self.out.ptrs[ptr].name, self.out.ptrs[ptr].elem);
        let Some(measure) = &mut self.profile else { return };
        let span = if span.is_none() || measure.at.own.is_some() { measure.at.span } else { span };
        let site = measure.site(SiteKind::Array { name, elem, role }, span);
        self.emit(Stmt::Probe(Box::new(Probe::Count(site, count.clone(), elem.bytes() as u64))));
    }
    /// Counts elements that are copied. `straight` says that a single statement copies them, which no vector loop contains; loops that copy are
    /// counted where they are not in iterations of others.
    pub(super) fn copies(&mut self, to: &Mem, from: Option<Ptr>, count: Expr, why: CopyReason, straight: bool) {
        let named = from.unwrap_or(to.ptr);
        let (name, bytes) = (self.out.ptrs[named].name, self.out.ptrs[to.ptr].elem.bytes() as u64);
        let Some(measure) = &mut self.profile else { return };
        let moves = |site: SiteId| measure.recorder.sites[site].what == SiteKind::Nest(Nest::Move);
        let counted = straight || !measure.at.nested || measure.at.own.is_some_and(moves);
        if counted {
            let span = measure.at.span;
            let site = measure.site(SiteKind::Copy { array: name, why }, span);
            self.emit(Stmt::Probe(Box::new(Probe::Count(site, count, bytes))));
        } else {
            self.remark(Note::CopiedInside(name, why));
        }
    }
    /// Counts elements that are copied one by one, if they may be many.
    pub(super) fn copies_one_by_one(&mut self, to: &Mem, shape: &[Size], from: &Array, why: CopyReason) {
        if self.profile.is_none() {
            return;
        }
        let count = self.count(shape);
        let (from, why) = match from {
            Array::Mem(mem) => (Some(mem.ptr), why),
            Array::Iota(..) | Array::Fill(_) => (None, CopyReason::Filled),
        };
        if count.as_int().is_none_or(|count| count > SHORT) {
            self.copies(to, from, count, why, false);
        }
    }
    /// Counts elements that are copied unless one of the handles has their buffer.
    pub(super) fn copies_unless(&mut self, ptr: Ptr, array: Symbol, owners: &[Handle], count: &Expr, span: Span) {
        let bytes = self.out.ptrs[ptr].elem.bytes() as u64;
        let Some(measure) = &mut self.profile else { return };
        let site = measure.site(SiteKind::Copy { array, why: CopyReason::Lent }, span);
        let probe = Probe::CountUnless(site, count.clone(), bytes, ptr, owners.to_vec());
        self.emit(Stmt::Probe(Box::new(probe)));
    }
    /// Why an array is copied before it is updated.
    pub(super) fn why_copied(&self, array: Option<Var>, span: Span) -> CopyReason {
        let name = array.map(|var| self.program.vars[var].name);
        let found = self.program.copies.iter().find(|(at, of, _)| *at == span && Some(*of) == name);
        found.map_or(CopyReason::Asked, |(_, _, why)| *why)
    }

    /// The statements of a case, with a probe that counts it.
    pub(super) fn in_case(&mut self, case: Case, mut stmts: Vec<Stmt>) -> Vec<Stmt> {
        if let Some(measure) = &mut self.profile {
            let span = measure.at.span;
            let site = measure.site(SiteKind::Case(case), span);
            stmts.insert(0, Stmt::Probe(Box::new(Probe::Count(site, Expr::int(1), 0))));
        }
        stmts
    }
    /// Says why a product is not computed in tiles, if it is one.
    pub(super) fn note_product(&mut self, soac: &'p Soac) {
        if self.profile.is_none() || product_of(soac).is_none() {
            return;
        }
        // The variables of statements that are not kept are not kept either.
        let before = (self.out.locals.clone(), self.out.ptrs.clone());
        if self.nest_in(soac).is_none() {
            let why = self.why_no_tiles(soac);
            self.remark(Note::NoTiles(why));
        }
        (self.out.locals, self.out.ptrs) = before;
    }
}

/// What a statement is, if it is timed.
fn nest(program: &Program, exp: &Exp) -> Option<Nest> {
    Some(match exp {
        Exp::Soac(soac) if !soac.scans.is_empty() => Nest::Scan,
        Exp::Soac(soac) if !soac.reduces.is_empty() => Nest::Reduce,
        Exp::Soac(_) if product_in(exp).is_some() => Nest::Product,
        Exp::Soac(_) | Exp::Seg(_) => Nest::Map,
        Exp::Filter { .. } => Nest::Filter,
        Exp::Rows { .. } => Nest::Rows,
        Exp::Scatter { .. } => Nest::Scatter,
        Exp::Hist { .. } => Nest::Histogram,
        Exp::Loop { .. } => Nest::Loop,
        Exp::Call(fun, _) => Nest::Call(program.funs[*fun].name),
        Exp::Copy(_)
        | Exp::Stack(_)
        | Exp::Rotate { .. }
        | Exp::Concat(_)
        | Exp::Rep(_)
        | Exp::Update { .. }
        | Exp::UpdateSlice { .. }
        | view_exp!() => Nest::Move,
        Exp::Scalar(..) | Exp::Size(_) | Exp::Literal(_) | Exp::Index { .. } | Exp::Iota { .. } | Exp::Check(_) | Exp::If { .. } => {
            return None;
        }
        count_exp!() => return None,
    })
}

/// If a statement is a product: the place of what combines a row with all columns. Products that ran together for a while have one each.
fn product_in(exp: &Exp) -> Option<Span> {
    if let Exp::Soac(soac) = exp { product_of(soac) } else { None }
}
/// The same for an operator: it combines rows of its inputs with rows of others, each with each.
fn product_of(outer: &Soac) -> Option<Span> {
    let product = outer.lambda.body.stms.iter().find(|stm| {
        let Exp::Soac(inner) = &stm.exp else { return false };
        let own = |var: &Var| inner.lambda.params.contains(var);
        let outside = |var: &Var| outer.lambda.params.contains(var) || outer.lambda.body.stms.iter().any(|stm| stm.pat.contains(var));
        let combines = |stm: &Stm| {
            let Exp::Soac(sum) = &stm.exp else { return false };
            !sum.reduces.is_empty() && sum.inputs.iter().any(own) && sum.inputs.iter().any(outside)
        };
        inner.scans.is_empty() && inner.lambda.body.stms.iter().any(combines)
    });
    product.map(|stm| stm.span)
}

/// Whether a statement may take longer than a look at the clock.
fn takes_time(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { from, to, body, .. } => {
            let count = from.as_int().zip(to.as_int()).map(|(from, to)| to.saturating_sub(from));
            count.is_none_or(|count| count > SHORT) || body.iter().any(takes_time)
        }
        Stmt::If(_, then, els) => then.iter().chain(els).any(takes_time),
        Stmt::While(..)
        | Stmt::Scan(_)
        | Stmt::Parallel(_)
        | Stmt::Launch(_)
        | Stmt::Copy { .. }
        | Stmt::Alloc { .. }
        | Stmt::Transfer { .. }
        | Stmt::Call { .. } => true,
        Stmt::Comment(_)
        | Stmt::Set(..)
        | Stmt::Point(..)
        | Stmt::Stack(_)
        | Stmt::Move { .. }
        | Stmt::Release(_)
        | Stmt::Store(..)
        | Stmt::Prefetch(..)
        | Stmt::Check(..)
        | Stmt::Atomic(_)
        | Stmt::Ghost(_)
        | Stmt::Probe(_) => false,
    }
}

/// Whether something may be timed in statements, or in what they call.
fn times(list: &[Stmt]) -> bool {
    any(list, &|stmt| matches!(stmt, Stmt::Call { .. }) || is_begin(stmt))
}
/// Whether something is timed in statements themselves.
fn begins(list: &[Stmt]) -> bool {
    any(list, &is_begin)
}
fn is_begin(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Probe(probe) if matches!(probe.as_ref(), Probe::Begin(..)))
}
/// Whether a statement without others inside is such a one.
fn any(list: &[Stmt], is: &dyn Fn(&Stmt) -> bool) -> bool {
    list.iter().any(|stmt| match stmt {
        Stmt::For { body, .. } => any(body, is),
        Stmt::While(first, _, second) | Stmt::If(_, first, second) => any(first, is) || any(second, is),
        Stmt::Parallel(parallel) => any(&parallel.body, is),
        Stmt::Set(..) | Stmt::Store(..) | Stmt::Scan(_) | Stmt::Launch(_) | Stmt::Atomic(_) => false,
        leaf_stmt!() => is(stmt),
    })
}
