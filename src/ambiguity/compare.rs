//! Which optima of a component are the same program.

use super::normal::{Normal, normalise, same};
use super::translate::Translator;
use crate::explicit::nest::{Form, nest};
use crate::explicit::{Part as SourcePart, of_expr};
use crate::infer::{Inferred, Part};
use crate::ir::surface::{ExprId, PatId, view};
use crate::ir::tables::{DefKind, Program, RBase, RType, Res, Tables};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Steps that normalising one reading may take; without a normal form a reading is taken to differ from all others.
const STEPS: usize = 50_000;

/// Readings of a component that are the same program.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// The optimum that stands for all of them.
    pub(super) optimum: usize,
    /// All of them, in order.
    pub(super) members: Vec<usize>,
}

/// A component with several optima, by what they mean.
#[derive(Debug, Clone)]
pub(super) struct Question {
    /// Its index.
    pub(super) component: usize,
    /// The applications that differ, in source order.
    pub(super) nodes: Vec<ExprId>,
    /// The smallest expression that contains them.
    pub(super) subterm: ExprId,
    /// The different readings, by their first optimum.
    pub(super) groups: Vec<Group>,
    /// Whether all optima are known.
    pub(super) complete: bool,
}

impl Question {
    /// Whether the optima differ in meaning, or are too many to be listed.
    pub(super) fn open(&self) -> bool {
        self.groups.len() > 1 || !self.complete
    }
}

/// The components of a definition with more than one optimum.
pub(super) fn questions(program: &Program, inferred: &Inferred) -> Vec<Question> {
    let components = inferred.components();
    if components.is_empty() {
        return Vec::new();
    }
    let tree = Tree::new(program, inferred);
    let mut scratch = Tables::default();
    let mut questions = Vec::new();
    for (index, component) in components.iter().enumerate() {
        let mut nodes: Vec<ExprId> = component.sites.iter().filter_map(|s| inferred.sites().get(*s)).map(|s| s.node).collect();
        nodes.sort_by_key(|n| (program.ast.exprs[*n].span, *n));
        nodes.dedup();
        let Some(subterm) = tree.common(&nodes) else { continue };
        let comparison = Comparison { program, inferred, outer: tree.outer_names(program, subterm), subterm };
        let groups = match component.complete {
            true => comparison.groups(index, component.optima.len(), &mut scratch),
            false => vec![Group { optimum: 0, members: vec![0] }],
        };
        questions.push(Question { component: index, nodes, subterm, groups, complete: component.complete });
    }
    questions
}

struct Comparison<'a> {
    program: &'a Program,
    inferred: &'a Inferred,
    subterm: ExprId,
    /// Uses of variables that are bound outside of the subterm.
    outer: Vec<ExprId>,
}

/// A reading, as far as others are compared with it.
struct Reading {
    group: Group,
    /// The type of the subterm, of the variables that it takes from outside, and of the definition.
    types: Vec<RType>,
    normal: Option<Normal>,
}

impl Comparison<'_> {
    fn groups(&self, index: usize, optima: usize, scratch: &mut Tables) -> Vec<Group> {
        let mut readings: Vec<Reading> = Vec::new();
        for optimum in 0..optima {
            let reading = self.reading(index, optimum, scratch);
            let known = readings.iter_mut().find(|other| {
                let same_types = other.types.iter().zip(&reading.types).all(|(a, b)| same_type(a, b, &mut FxHashSet::default()));
                other.types.len() == reading.types.len()
                    && same_types
                    && matches!((&other.normal, &reading.normal), (Some(a), Some(b)) if same(a, b))
            });
            match known {
                Some(known) => known.group.members.push(optimum),
                None => readings.push(reading),
            }
        }
        readings.into_iter().map(|reading| reading.group).collect()
    }

    fn reading(&self, component: usize, optimum: usize, scratch: &mut Tables) -> Reading {
        let values = self.inferred.values(&[(component, optimum)]);
        let place = self.program.ast.exprs[self.subterm].span;
        self.inferred.fill_part(self.program, Part::Within(place), &values, scratch);
        let mut types: Vec<RType> = scratch.exprs.get(self.subterm).cloned().into_iter().collect();
        types.extend(self.outer.iter().filter_map(|e| scratch.exprs.get(*e).cloned()));
        types.extend(scratch.defs.get(self.inferred.def()).map(|signature| signature.ty.clone()));
        let term = Translator::new(self.program, scratch).expr(self.subterm);
        Reading { group: Group { optimum, members: vec![optimum] }, types, normal: normalise(&term, STEPS) }
    }
}

/// Equality of types that are shared graphs.
pub(super) fn same_type(a: &RType, b: &RType, seen: &mut FxHashSet<(usize, usize)>) -> bool {
    if a.rank != b.rank {
        return false;
    }
    if Arc::ptr_eq(&a.base, &b.base) || !seen.insert((Arc::as_ptr(&a.base) as usize, Arc::as_ptr(&b.base) as usize)) {
        return true;
    }
    match (&*a.base, &*b.base) {
        (RBase::Prim(a), RBase::Prim(b)) => a == b,
        (RBase::Param(a), RBase::Param(b)) => a == b,
        (RBase::Arrow(a, x), RBase::Arrow(b, y)) => same_type(a, b, seen) && same_type(x, y, seen),
        (RBase::Abstract { ty: t, args: a, .. }, RBase::Abstract { ty: u, args: b, .. }) => {
            t == u && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_type(a, b, seen))
        }
        (RBase::Tuple(a), RBase::Tuple(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_type(a, b, seen)),
        (RBase::Record(a), RBase::Record(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((l, a), (m, b))| l == m && same_type(a, b, seen))
        }
        (RBase::Sum(a), RBase::Sum(b)) => {
            let payloads =
                |a: &[RType], b: &[RType], seen: &mut _| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_type(a, b, seen));
            a.len() == b.len() && a.iter().zip(b).all(|((l, a), (m, b))| l == m && payloads(a, b, seen))
        }
        _ => false,
    }
}

/// The tree of a definition as inference sees it: the parts of an application are its head and its arguments.
struct Tree {
    /// Parent and depth.
    parents: FxHashMap<ExprId, (ExprId, u32)>,
    empty: Tables,
}

impl Tree {
    fn new(program: &Program, inferred: &Inferred) -> Tree {
        let mut tree = Tree { parents: FxHashMap::default(), empty: Tables::default() };
        if let DefKind::Def(decl) = &program.defs[inferred.def()].decl {
            let root = view::strip(&program.ast, decl.body);
            tree.parents.insert(root, (root, 0));
            let mut work = vec![(root, 0)];
            while let Some((node, depth)) = work.pop() {
                for part in tree.parts(program, node) {
                    tree.parents.insert(part, (node, depth + 1));
                    work.push((part, depth + 1));
                }
            }
        }
        tree
    }

    fn parts(&self, program: &Program, node: ExprId) -> Vec<ExprId> {
        let parts: Vec<ExprId> = match nest(&program.ast, &program.names, &self.empty, node) {
            Some(nest) => {
                let head = if let Form::Head(view::Head::Expr(e)) = nest.form { Some(e) } else { None };
                nest.pieces().filter_map(|p| p.expr).chain(head).collect()
            }
            None => of_expr(&program.ast, node)
                .into_iter()
                .filter_map(|part| match part {
                    SourcePart::Expr(e, _) | SourcePart::Pun(e) => Some(e),
                    _ => None,
                })
                .collect(),
        };
        parts.into_iter().map(|e| view::strip(&program.ast, e)).collect()
    }

    /// The smallest expression that contains all of these.
    fn common(&self, nodes: &[ExprId]) -> Option<ExprId> {
        let mut common = *nodes.first()?;
        for &node in nodes {
            let (mut a, mut b) = (common, node);
            while a != b {
                let (&(above_a, depth_a), &(above_b, depth_b)) = (self.parents.get(&a)?, self.parents.get(&b)?);
                if depth_a >= depth_b {
                    a = above_a;
                }
                if depth_b >= depth_a {
                    b = above_b;
                }
            }
            common = a;
        }
        self.parents.get(&common).map(|_| common)
    }

    /// Uses of local variables inside of an expression that are bound outside of it.
    fn outer_names(&self, program: &Program, root: ExprId) -> Vec<ExprId> {
        let place = program.ast.exprs[root].span;
        let mut seen: FxHashSet<PatId> = FxHashSet::default();
        let (mut found, mut work) = (Vec::new(), vec![root]);
        while let Some(node) = work.pop() {
            if let Some(Res::Local(pat)) = program.names.exprs.get(node)
                && !place.contains(program.ast.pats[*pat].span)
                && seen.insert(*pat)
            {
                found.push(node);
            }
            work.extend(self.parts(program, node));
        }
        found
    }
}
