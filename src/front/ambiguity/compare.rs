//! Which optima of a component are the same program.

use super::cells::{CellId, Cells, Content};
use super::env::Env;
use super::form::Normal;
use super::normal::{Machine, OutOfSteps, Value};
use super::translate::Translator;
use crate::front::infer::{Inferred, Readings};
use crate::ir::surface::{ExprId, PatId};
use crate::ir::tables::{Program, RBase, RType, Tables};
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps that comparing all readings of a definition may take: so many, and so many more for each argument of an application. They
/// depend on nothing but the program.
const STEPS: usize = 2_000_000;
const STEPS_PER_ARGUMENT: usize = 2_000;
/// Where not all optima are known, so many are compared before the others are.
const FIRST_OPTIMA: usize = 4;

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
    /// Whether the groups are known to be different. Otherwise some may be the same, and comparing them took too many steps.
    pub(super) compared: bool,
}

impl Question {
    /// Whether the optima differ in meaning, or may.
    pub(super) fn open(&self) -> bool {
        self.groups.len() > 1 || !self.complete
    }

    /// Whether there are at least two different readings.
    pub(super) fn ambiguous(&self) -> bool {
        self.groups.len() > 1 && self.compared
    }
}

/// The components of a definition with more than one optimum.
pub(super) fn questions(program: &Program, inferred: &Inferred) -> Vec<Question> {
    let components = inferred.components();
    if components.is_empty() {
        return Vec::new();
    }
    let mut left = STEPS.saturating_add(STEPS_PER_ARGUMENT.saturating_mul(inferred.arguments()));
    let cells = Cells::new(program, inferred.def());
    let mut comparison = Comparison { program, cells: &cells, readings: Readings::new(inferred), scratch: Tables::default() };
    let mut questions = Vec::new();
    for (index, component) in components.iter().enumerate() {
        let mut nodes: Vec<ExprId> = component.sites.iter().filter_map(|s| inferred.sites().get(*s)).map(|s| s.node).collect();
        nodes.sort_by_key(|n| (program.ast.exprs[*n].span, *n));
        nodes.dedup();
        let Some(subterm) = cells.common(&nodes) else { continue };
        let mut groups = |most: usize| {
            comparison.readings.look_at(index, most);
            let (groups, steps) = comparison.groups(subterm, left);
            left = steps;
            groups
        };
        let all = component.optima.len();
        let mut found = groups(if component.complete { all } else { all.min(FIRST_OPTIMA) });
        if !component.complete && found.as_ref().is_ok_and(|groups| groups.len() == 1) {
            found = groups(all);
        }
        let compared = found.is_ok();
        let alone = |optimum| Group { optimum, members: vec![optimum] };
        let groups = found.unwrap_or_else(|OutOfSteps| (0..all).map(alone).collect());
        questions.push(Question { component: index, nodes, subterm, groups, complete: component.complete, compared });
    }
    questions
}

struct Comparison<'a> {
    program: &'a Program,
    cells: &'a Cells<'a>,
    readings: Readings<'a>,
    scratch: Tables,
}

/// The comparison of some readings.
struct Progress {
    machine: Machine,
    /// The smallest expression that contains the applications that differ.
    subterm: ExprId,
    /// By reading, the values of the variables that are not the same in all of them.
    envs: Vec<Env>,
    /// The cells to be compared, with what in them is not the same.
    waiting: BTreeMap<(u32, std::cmp::Reverse<u32>, CellId), Vec<ExprId>>,
    /// The variables that are not the same.
    different: FxHashSet<PatId>,
    /// Cells that were compared because their variables have different types.
    demanded: FxHashSet<CellId>,
    /// Whether it came to the whole expression.
    whole: bool,
}

/// What an expression is in each reading.
struct Meanings {
    values: Vec<Value>,
    normals: Vec<Normal>,
    /// The variables from outside whose types are not the same, except those that have values.
    strange: Vec<PatId>,
}

impl Comparison<'_> {
    /// The readings by what they mean, and the steps that are left.
    fn groups(&mut self, subterm: ExprId, steps: usize) -> (Result<Vec<Group>, OutOfSteps>, usize) {
        let mut progress = Progress {
            machine: Machine::new(steps),
            subterm,
            envs: vec![Env::default(); self.readings.count()],
            waiting: BTreeMap::new(),
            different: FxHashSet::default(),
            demanded: FxHashSet::default(),
            whole: false,
        };
        let groups = self.propagate(&mut progress).and_then(|()| self.partition(&mut progress));
        (groups, progress.machine.left())
    }

    /// Compares the cells with applications that differ, and on from those that are not the same, until all that are left are, or it
    /// comes to the whole expression.
    fn propagate(&mut self, progress: &mut Progress) -> Result<(), OutOfSteps> {
        progress.whole = !self.readings.agree_on_signature();
        for node in self.readings.differing() {
            self.wait(progress, node);
        }
        while !progress.whole
            && let Some(((_, _, cell), marks)) = progress.waiting.pop_first()
        {
            self.compare(cell, &marks, progress)?;
        }
        Ok(())
    }

    /// The cell of an expression is to be compared, because of this expression.
    fn wait(&self, progress: &mut Progress, node: ExprId) {
        match self.cells.cell_of(node).filter(|cell| self.cells.within(*cell, progress.subterm)) {
            Some(cell) => progress.waiting.entry(self.cells.order(cell)).or_default().push(node),
            None => progress.whole = true,
        }
    }

    fn compare(&mut self, id: CellId, marks: &[ExprId], progress: &mut Progress) -> Result<(), OutOfSteps> {
        let cell = self.cells.cell(id);
        if let Some(part) = self.cells.common(marks)
            && cell.content != Content::Expr(part)
            && self.same(Content::Expr(part), progress)?.is_none()
        {
            return Ok(());
        }
        let Some(meanings) = self.same(cell.content, progress)? else { return Ok(()) };
        let demanded: Vec<CellId> = meanings.strange.iter().filter_map(|var| self.cells.binder(*var)).collect();
        let mut again = false;
        for binder in demanded.into_iter().filter(|binder| self.cells.within(*binder, progress.subterm)) {
            if progress.demanded.insert(binder) {
                progress.waiting.entry(self.cells.order(binder)).or_default();
                again = true;
            }
        }
        if again {
            progress.waiting.entry(self.cells.order(id)).or_default().extend(marks);
            return Ok(());
        }
        match cell.binds {
            Some(binding) => self.bind(id, binding, &meanings, progress),
            None => {
                if let Content::Expr(expr) = cell.content {
                    // The cell around it has to be compared.
                    match cell.outer.filter(|outer| self.cells.within(*outer, progress.subterm)) {
                        Some(outer) => progress.waiting.entry(self.cells.order(outer)).or_default().push(expr),
                        None => progress.whole = true,
                    }
                }
                Ok(())
            }
        }
    }

    /// `None` if something is the same in all readings: its meaning, its type and the types of what it takes from outside.
    fn same(&mut self, content: Content, progress: &mut Progress) -> Result<Option<Meanings>, OutOfSteps> {
        let meanings = self.meanings(content, progress)?;
        let types = match content {
            Content::Expr(expr) => self.readings.agree_on(expr),
            Content::Function(binding) | Content::Update(binding) => {
                self.cells.bound_by(binding).iter().all(|var| self.readings.agree_on_var(*var))
            }
        };
        let (first, rest) = meanings.normals.split_at(1);
        let forms = &progress.machine.forms;
        let same = types && meanings.strange.is_empty() && rest.iter().all(|normal| forms.same(first[0], *normal));
        Ok((!same).then_some(meanings))
    }

    fn meanings(&mut self, content: Content, progress: &mut Progress) -> Result<Meanings, OutOfSteps> {
        let inside = self.cells.inside(content);
        progress.machine.take(inside.nodes.len())?;
        let (mut values, mut normals) = (Vec::new(), Vec::new());
        for reading in 0..self.readings.count() {
            for &node in &inside.nodes {
                if let Some(info) = self.readings.app(reading, node) {
                    self.scratch.apps.insert(node, info);
                }
            }
            let term = Translator::new(self.program, &self.scratch).content(content);
            let value = progress.machine.eval(&term, &progress.envs[reading])?;
            normals.push(progress.machine.read_back(&value)?);
            values.push(value);
        }
        let mut strange = inside.outer;
        strange.retain(|var| !progress.different.contains(var) && !self.readings.agree_on_var(*var));
        Ok(Meanings { values, normals, strange })
    }

    /// The variables of a cell that is not the same have a value for each reading; all cells that use them are to be compared.
    fn bind(&mut self, id: CellId, binding: ExprId, meanings: &Meanings, progress: &mut Progress) -> Result<(), OutOfSteps> {
        let bound = self.cells.bound(id);
        for (env, value) in progress.envs.iter_mut().zip(&meanings.values) {
            for (var, part) in Translator::new(self.program, &self.scratch).parts(binding, &bound) {
                let value = progress.machine.eval(&part, &env.with(Translator::VALUE, value.clone()))?;
                *env = env.with(var, value);
            }
        }
        for &var in &bound {
            progress.different.insert(var);
            self.cells.uses(var).iter().for_each(|node| self.wait(progress, *node));
        }
        Ok(())
    }

    /// The readings by the meaning and the type of the whole expression.
    fn partition(&mut self, progress: &mut Progress) -> Result<Vec<Group>, OutOfSteps> {
        let count = self.readings.count();
        if !progress.whole {
            return Ok(vec![Group { optimum: 0, members: (0..count).collect() }]);
        }
        progress.envs.fill(Env::default());
        progress.different.clear();
        let subterm = progress.subterm;
        let Meanings { normals, strange, .. } = self.meanings(Content::Expr(subterm), progress)?;
        let types: Vec<Vec<i128>> = (0..count).map(|reading| self.readings.ranks(reading, subterm, &strange)).collect();
        let same = |a: usize, b: usize| types[a] == types[b] && progress.machine.forms.same(normals[a], normals[b]);
        let mut groups: Vec<Group> = Vec::new();
        for optimum in 0..count {
            match groups.iter_mut().find(|group| same(group.optimum, optimum)) {
                Some(group) => group.members.push(optimum),
                None => groups.push(Group { optimum, members: vec![optimum] }),
            }
        }
        Ok(groups)
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
