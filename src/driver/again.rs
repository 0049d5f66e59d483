//! Checking a program again after a change of its main file: definitions whose text, and that of all that they depend on, says the same
//! as before keep what was found about them.
//!
//! The text is parsed and resolved as a whole. A definition is then compared with the one that had its name in core before: the same text,
//! the same tree, and names that mean the same things. What it uses must have been kept too, or have come out with the same
//! interface, which is all that a definition sees of those before it: its signature, its sized type, what it consumes, what it asks of its
//! instances. Definitions that anything was said about are always checked.
//!
//! Types and type parameters keep their numbers, so where one is added or removed nothing is kept. Nor is core: the program that comes out
//! is for answers about its text, not to be run.

use super::Checked;
use crate::base::{FileId, SourceMap, Span};
use crate::front::resolve::{self, Loader};
use crate::ir::surface::TypeParam;
use crate::ir::surface::children::{Node, children_of};
use crate::ir::tables::{Def, DefId, DefKind, Program, Res, Role};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::discriminant;

/// A program that was checked before.
#[derive(Clone, Copy)]
pub struct Previous<'a> {
    /// Its texts.
    pub sources: &'a SourceMap,
    /// Its main file.
    pub root: FileId,
    /// What was found.
    pub checked: &'a Checked,
}

/// Checks a program again after a change of its main file, for answers about its text: it has no core, and size errors come without
/// suggestions. `None` as soon as `stop` says so. The second result says whether [`check`](super::check) could say more.
pub fn recheck(
    sources: &mut SourceMap,
    loader: &dyn Loader,
    root: FileId,
    previous: Option<Previous>,
    stop: &dyn Fn() -> bool,
) -> Option<(Checked, bool)> {
    if super::is_core(&sources.file(root).name) {
        return Some((super::remc::check(sources, root), false));
    }
    if super::is_apl(&sources.file(root).name) {
        return Some((super::apl::check(sources, loader, root, None), false));
    }
    let mut errors = Vec::new();
    let checked = super::check_collecting(sources, loader, root, &mut errors, previous, stop)?;
    Some((checked, !errors.is_empty()))
}

/// What can be kept.
pub(super) struct Reuse<'a> {
    old: Previous<'a>,
    by_unique: FxHashMap<crate::base::Symbol, DefId>,
    /// Definitions whose interface is what it was.
    settled: FxHashSet<DefId>,
    /// How many definitions were kept.
    pub(super) kept: usize,
}

impl<'a> Reuse<'a> {
    /// Compares the programs as a whole; nothing where too much has changed.
    pub(super) fn new(old: Previous<'a>, sources: &SourceMap, root: FileId, program: &mut Program) -> Option<Reuse<'a>> {
        let before = &old.checked.program;
        let same_files = old.root == root
            && old.sources.files().count() == sources.files().count()
            && old.sources.files().zip(sources.files()).all(|((id, a), (_, b))| a.name == b.name && (id == root || a.text == b.text));
        let declared = old.checked.state.declared_tparams;
        let same_tparams =
            program.tparams.len() == declared && before.tparams.iter().zip(program.tparams.iter()).all(|((_, a), (_, b))| a.name == b.name);
        let text = |sources: &SourceMap, span: Span| sources.snippet(span).to_string();
        let same_types = before.types.len() == program.types.len()
            && before.regions.len() == program.regions.len()
            && before.types.iter().zip(program.types.iter()).all(|((_, a), (_, b))| {
                a.name == b.name && a.hiding == b.hiding && text(old.sources, a.decl.span) == text(sources, b.decl.span)
            });
        if !(same_files && same_tparams && same_types) || old.checked.schemes.names_more_than(before) || old.checked.remc.is_some() {
            return None;
        }
        // Those that generalisation found keep their numbers, too.
        for (_, info) in before.tparams.iter().skip(declared) {
            program.tparams.alloc(*info);
        }
        let by_unique = before.defs.iter().map(|(id, def)| (def.unique, id)).collect();
        Some(Reuse { old, by_unique, settled: FxHashSet::default(), kept: 0 })
    }

    fn before(&self, program: &Program, def: DefId) -> Option<DefId> {
        self.by_unique.get(&program.defs[def].unique).copied()
    }

    /// Takes over what was found about a definition, if it still holds.
    pub(super) fn keep(&mut self, sources: &SourceMap, checked: &mut Checked, def: DefId) -> bool {
        let Some(old) = self.before(&checked.program, def).filter(|old| self.old.checked.state.clean.contains(old)) else { return false };
        let template = super::modules::template(checked, def);
        let uses = resolve::dependencies(&checked.program, def).into_iter().chain(template);
        // One that is recursive uses itself.
        if !uses.into_iter().all(|used| used == def || self.settled.contains(&used)) {
            return false;
        }
        let Some(pairs) = self.pairs(sources, &checked.program, old, def) else { return false };
        self.adopt(checked, old, def, &pairs);
        self.settled.insert(def);
        self.kept += 1;
        true
    }

    /// Notes a definition that was checked again: whether others see a difference.
    pub(super) fn checked(&mut self, checked: &Checked, def: DefId) {
        let Some(old) = self.before(&checked.program, def) else { return };
        let (was, is) = (&self.old.checked.program.defs[old], &checked.program.defs[def]);
        let function = |def: &Def| matches!(&def.decl, DefKind::Def(decl) if !decl.params.is_empty());
        let declared = |id: &crate::ir::tables::TypeParamId| id.raw() < checked.state.declared_tparams;
        let signatures = match (self.old.checked.tables.defs.get(old), checked.tables.defs.get(def)) {
            (Some(a), Some(b)) => a.ty == b.ty && a.tparams == b.tparams && a.tparams.iter().all(declared),
            (Some(_), None) | (None, Some(_)) | (None, None) => false,
        };
        let same = signatures
            && function(was)
            && function(is)
            && self.old.checked.accepted(old)
            && was.name == is.name
            && was.region == is.region
            && checked.schemes.agrees(def, &self.old.checked.schemes, old)
            && checked.state.modes.agrees(def, &self.old.checked.state.modes, old)
            && checked.state.demands.agrees(is.unique, &self.old.checked.state.demands)
            && !self.old.checked.state.folds.depends_on(was.unique);
        if same {
            self.settled.insert(def);
        }
    }

    fn adopt(&self, checked: &mut Checked, old: DefId, def: DefId, pairs: &[(Node, Node)]) {
        let from = self.old.checked;
        let (tables, before) = (&mut checked.tables, &from.tables);
        for pair in pairs {
            match *pair {
                (Node::Expr(a), Node::Expr(b)) => {
                    before.exprs.get(a).into_iter().for_each(|ty| drop(tables.exprs.insert(b, ty.clone())));
                    before.insts.get(a).into_iter().for_each(|types| drop(tables.insts.insert(b, types.clone())));
                    before.apps.get(a).into_iter().for_each(|info| drop(tables.apps.insert(b, info.clone())));
                    before.ops.get(a).into_iter().for_each(|ty| drop(tables.ops.insert(b, ty.clone())));
                }
                (Node::Pat(a), Node::Pat(b)) => {
                    before.pats.get(a).into_iter().for_each(|ty| drop(tables.pats.insert(b, ty.clone())));
                    before.locals.get(a).into_iter().for_each(|params| drop(tables.locals.insert(b, params.clone())));
                }
                (Node::Expr(_) | Node::Pat(_) | Node::Type(_), _) => {}
            }
        }
        before.defs.get(old).into_iter().for_each(|signature| drop(tables.defs.insert(def, signature.clone())));
        checked.schemes.adopt(def, &from.schemes, old);
        checked.state.modes.adopt(def, &from.state.modes, old);
        checked.state.demands.adopt(checked.program.defs[def].unique, &from.state.demands);
        checked.state.folds.adopt(checked.program.defs[def].unique, &from.state.folds);
        checked.state.ranked.insert(def);
        checked.state.clean.insert(def);
    }

    /// The nodes of a definition with those that stand in their places now, if both have the same text, tree and meaning.
    fn pairs(&self, sources: &SourceMap, program: &Program, old: DefId, def: DefId) -> Option<Vec<(Node, Node)>> {
        let before = &self.old.checked.program;
        let (was, is) = (&before.defs[old], &program.defs[def]);
        let (a, b) = (was.decl_span(), is.decl_span());
        let alike = a.file == b.file
            && was.name == is.name
            && was.stdlib == is.stdlib
            && was.region == is.region
            && self.same_role(program, was, is)
            && self.old.sources.snippet(a) == sources.snippet(b);
        if !alike {
            return None;
        }
        let compare = Compare { old: before, new: program, starts: (a.start, b.start) };
        let (mut left, mut right) = (roots(was), roots(is));
        let mut pairs = Vec::new();
        loop {
            if left.len() != right.len() {
                return None;
            }
            let (Some(x), Some(y)) = (left.pop(), right.pop()) else { return Some(pairs) };
            if !compare.same(x, y) {
                return None;
            }
            pairs.push((x, y));
            children_of(&before.ast, x, &mut left);
            children_of(&program.ast, y, &mut right);
        }
    }

    fn same_role(&self, program: &Program, was: &Def, is: &Def) -> bool {
        let elsewhere = |span: Span| span.file != self.old.root;
        match (was.role, is.role) {
            (Role::Plain, Role::Plain) | (Role::Member, Role::Member) => true,
            (Role::Copy { template: a }, Role::Copy { template: b }) => {
                let unique = |program: &Program, template: Option<DefId>| template.map(|id| program.defs[id].unique);
                unique(&self.old.checked.program, a) == unique(program, b)
            }
            (Role::Shown(a), Role::Shown(b)) | (Role::SameType(a), Role::SameType(b)) => {
                a == b && elsewhere(a.spec) && elsewhere(a.at) && a.member.is_none_or(elsewhere)
            }
            (Role::Plain | Role::Member | Role::Copy { .. } | Role::Shown(_) | Role::SameType(_), _) => false,
        }
    }
}

/// The outermost nodes of a definition.
fn roots(def: &Def) -> Vec<Node> {
    let sizes = |tparams: &[TypeParam]| -> Vec<Node> {
        tparams.iter().filter_map(|param| if let TypeParam::Size(pat) = param { Some(Node::Pat(*pat)) } else { None }).collect()
    };
    match &def.decl {
        DefKind::Def(decl) => {
            let mut nodes = sizes(&decl.tparams);
            nodes.extend(decl.params.iter().map(|pat| Node::Pat(*pat)));
            nodes.extend(decl.ret.map(Node::Type));
            nodes.push(Node::Expr(decl.body));
            nodes
        }
        DefKind::Val(decl) => {
            let mut nodes = sizes(&decl.tparams);
            nodes.push(Node::Type(decl.ty));
            nodes
        }
    }
}

struct Compare<'a> {
    old: &'a Program,
    new: &'a Program,
    starts: (u32, u32),
}

impl Compare<'_> {
    /// Whether two nodes are of one form, at the same place in their definitions, and name the same thing.
    fn same(&self, a: Node, b: Node) -> bool {
        match (a, b) {
            (Node::Expr(a), Node::Expr(b)) => {
                let (x, y) = (&self.old.ast.exprs[a], &self.new.ast.exprs[b]);
                let (old, new) = (self.old.names.exprs.get(a), self.new.names.exprs.get(b));
                discriminant(&x.kind) == discriminant(&y.kind) && self.same_place(x.span, y.span) && self.same_name(old, new)
            }
            (Node::Pat(a), Node::Pat(b)) => {
                let (x, y) = (&self.old.ast.pats[a], &self.new.ast.pats[b]);
                discriminant(&x.kind) == discriminant(&y.kind) && self.same_place(x.span, y.span)
            }
            (Node::Type(a), Node::Type(b)) => {
                let (x, y) = (&self.old.ast.types[a], &self.new.ast.types[b]);
                let same = self.old.names.types.get(a) == self.new.names.types.get(b);
                discriminant(&x.kind) == discriminant(&y.kind) && self.same_place(x.span, y.span) && same
            }
            (Node::Expr(_) | Node::Pat(_) | Node::Type(_), _) => false,
        }
    }

    fn same_place(&self, a: Span, b: Span) -> bool {
        let (old, new) = self.starts;
        a.file == b.file && a.start.wrapping_sub(old) == b.start.wrapping_sub(new) && a.end.wrapping_sub(old) == b.end.wrapping_sub(new)
    }

    fn same_name(&self, a: Option<&Res>, b: Option<&Res>) -> bool {
        match (a, b) {
            (None, None) => true,
            (Some(Res::Local(a)), Some(Res::Local(b))) => self.same_place(self.old.ast.pats[*a].span, self.new.ast.pats[*b].span),
            (Some(Res::Global(a)), Some(Res::Global(b))) => self.old.defs[*a].unique == self.new.defs[*b].unique,
            (Some(Res::Scalar(..)), Some(Res::Scalar(..))) => a == b,
            (Some(Res::Local(_) | Res::Global(_) | Res::Scalar(..)) | None, _) => false,
        }
    }
}
