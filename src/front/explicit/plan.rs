//! What a nest of maps is printed with: the names of its parameters, and what is bound outside of it.

use super::names::{by_rank, element, pick, words};
use super::nest::{Form, Nest, Piece};
use super::write::Writer;
use crate::base::Symbol;
use crate::ir::surface::{ExprId, ExprKind, IndexArg, view};
use crate::ir::tables::RBase;

/// Above this length the text of a piece is not searched for names: all names of the definition are avoided.
const SMALL_TEXT: usize = 400;
/// How deep [`Writer::cheap`] looks.
const CHEAP_DEPTH: u32 = 16;

/// How a piece is written under the parameters of the maps that do not go over it.
#[derive(Debug)]
pub(super) enum Inline {
    /// Itself.
    Expr(ExprId),
    /// A variable.
    Name(String),
}

/// A piece with everything that is needed to write it.
#[derive(Debug)]
pub(super) struct Slot {
    /// Over how many of the innermost frame dimensions it is mapped.
    pub(super) depth: u32,
    /// Replications written out around it.
    pub(super) reps: u32,
    /// Its text outside of its own maps.
    pub(super) inline: Inline,
    /// The parameter that stands for it in the body of the map at depth `i + 1` (1 is innermost).
    pub(super) params: Vec<String>,
}

/// Everything that is decided before a nest is written.
#[derive(Debug)]
pub(super) struct Plan {
    /// Rank of the frame.
    pub(super) frame: u32,
    /// What is applied.
    pub(super) form: Form,
    /// Whether the first slot is the head.
    pub(super) has_head: bool,
    /// The pieces: the head if there is one, then the arguments.
    pub(super) slots: Vec<Slot>,
    /// Variables bound before the nest, with what they stand for.
    pub(super) hoists: Vec<(String, ExprId)>,
    /// The parameter that stands for the missing operand of a section, unless the maps themselves are that function.
    pub(super) lambda: Option<String>,
    /// Whether the outermost map is that function: it goes over the missing operand alone.
    pub(super) partial: bool,
    /// How many of the arguments of an index expression are indices; the others are arguments of its elements.
    pub(super) indices: usize,
    /// For `(.x.y)`: the fields, each with the number of maps around its projection.
    pub(super) path: Vec<(Symbol, u32)>,
}

impl Plan {
    /// Plans a nest.
    pub(super) fn new(writer: &Writer, nest: &Nest) -> Plan {
        let mut hoists: Vec<(String, ExprId)> = Vec::new();
        let mut inlined: Vec<ExprId> = Vec::new();
        for piece in nest.pieces() {
            let Some(expr) = piece.expr else { continue };
            if writer.must_hoist(nest, piece) {
                let taken = |name: &str| writer.words.contains(name) || writer.is_operand(name) || hoists.iter().any(|(n, _)| n == name);
                let name = pick(["t", "u", "v", "t1", "t2", "t3", "t4", "t5"], &taken);
                hoists.push((name, expr));
            } else if piece.depth < nest.frame || nest.missing() {
                inlined.push(expr);
            }
        }
        let texts: Vec<&str> = inlined.iter().map(|&e| writer.snippet(e)).collect();
        let small = texts.iter().map(|t| t.len()).sum::<usize>() <= SMALL_TEXT;
        let near: rustc_hash::FxHashSet<&str> = if small { texts.iter().flat_map(|t| words(t)).collect() } else { Default::default() };
        let mut chosen: Vec<String> = hoists.iter().map(|(name, _)| name.clone()).collect();
        let mut fresh = |candidates: &[&str]| {
            let taken = |name: &str| {
                chosen.iter().any(|c| c == name)
                    || writer.is_operand(name)
                    || if small { near.contains(name) } else { writer.words.contains(name) }
            };
            let name = pick(candidates.iter().copied(), &taken);
            chosen.push(name.clone());
            name
        };
        let mut slots: Vec<Slot> = Vec::new();
        let mut missing = None;
        for (index, piece) in nest.pieces().enumerate() {
            let inline = match piece.expr {
                Some(expr) => match hoists.iter().find(|(_, e)| *e == expr) {
                    Some((name, _)) => Inline::Name(name.clone()),
                    None => Inline::Expr(expr),
                },
                None => {
                    missing = Some(index);
                    Inline::Name(fresh(by_rank(writer.missing_rank(nest.node), false)))
                }
            };
            let mut params: Vec<String> = (1..=piece.depth).rev().map(|level| writer.param_name(piece, level, &mut fresh)).collect();
            params.reverse();
            slots.push(Slot { depth: piece.depth, reps: piece.reps, inline, params });
        }
        let indices = match &writer.ast().exprs[nest.head_node].kind {
            ExprKind::Index { indices, .. } | ExprKind::IndexSection(indices) => indices.len(),
            _ => 0,
        };
        let (frame, form, has_head) = (nest.frame, nest.form, nest.head.is_some());
        let mut plan = Plan { frame, form, has_head, slots, hoists, lambda: None, partial: false, indices, path: nest.path.clone() };
        if let Some(index) = missing {
            plan.partial = plan.path.len() == 1 || frame > 0 && plan.participants(frame) == [index];
            if let (false, Inline::Name(name)) = (plan.partial, &plan.slots[index].inline) {
                plan.lambda = Some(name.clone());
            }
        }
        plan
    }

    /// The slots that the map at this depth goes over.
    pub(super) fn participants(&self, level: u32) -> Vec<usize> {
        (0..self.slots.len()).filter(|&i| self.slots[i].depth >= level).collect()
    }

    /// The slots of the arguments.
    pub(super) fn args(&self) -> std::ops::Range<usize> {
        usize::from(self.has_head)..self.slots.len()
    }
}

impl Writer<'_> {
    /// Whether the piece is bound by `let` before the nest: it would otherwise be evaluated again for each element.
    pub(super) fn must_hoist(&self, nest: &Nest, piece: &Piece) -> bool {
        let inside = piece.depth < nest.frame || nest.missing();
        inside && piece.expr.is_some_and(|e| !self.cheap(e, CHEAP_DEPTH))
    }

    /// Whether evaluating the expression is no work, so that it may stand inside of a map over something else.
    fn cheap(&self, expr: ExprId, fuel: u32) -> bool {
        let ast = self.ast();
        let expr = view::strip(ast, expr);
        if fuel == 0 {
            return false;
        }
        if let Some(nest) = self.rewritten(expr) {
            // A section becomes a function.
            return nest.missing() && nest.pieces().filter_map(|p| p.expr).all(|e| self.cheap(e, fuel - 1));
        }
        let cheap = |e: &ExprId| self.cheap(*e, fuel - 1);
        match &ast.exprs[expr].kind {
            ExprKind::Int { .. }
            | ExprKind::Float { .. }
            | ExprKind::Imaginary { .. }
            | ExprKind::Bool(_)
            | ExprKind::Name(_)
            | ExprKind::OpFn(_)
            | ExprKind::ProjectSection(_)
            | ExprKind::Lambda { .. } => true,
            ExprKind::Project { expr, .. } | ExprKind::Ascribe { expr, .. } => cheap(expr),
            ExprKind::Unary { expr, .. } => {
                matches!(ast.exprs[*expr].kind, ExprKind::Int { .. } | ExprKind::Float { .. } | ExprKind::Imaginary { .. })
            }
            ExprKind::LeftSection { lhs, .. } => cheap(lhs),
            ExprKind::RightSection { rhs, .. } => cheap(rhs),
            ExprKind::IndexSection(indices) => indices.iter().all(|i| matches!(i, IndexArg::Index(e) if cheap(e))),
            ExprKind::Tuple(items) => items.len() <= 4 && items.iter().all(cheap),
            ExprKind::Apply { fun, args } => self.is_function(expr) && cheap(fun) && args.len() <= 4 && args.iter().all(cheap),
            _ => false,
        }
    }

    /// Whether the expression is a function value, as far as is known.
    fn is_function(&self, expr: ExprId) -> bool {
        self.tables.exprs.get(expr).is_some_and(|t| t.rank == 0 && matches!(*t.base, RBase::Arrow(..)))
    }

    /// Rank of the parameter of an unapplied section.
    fn missing_rank(&self, node: ExprId) -> u32 {
        match self.tables.exprs.get(node).map(|t| &*t.base) {
            Some(RBase::Arrow(from, _)) => from.rank,
            _ => 0,
        }
    }

    /// A name for the elements of the piece at this depth.
    fn param_name(&self, piece: &Piece, level: u32, fresh: &mut dyn FnMut(&[&str]) -> String) -> String {
        let consumed = piece.depth - level + 1;
        let stripped = piece.expr.map(|e| view::strip(self.ast(), e));
        let ty = piece.expr.and_then(|e| self.tables.exprs.get(e).or_else(|| self.tables.exprs.get(stripped?)));
        let rank = ty.map_or(level - 1, |t| t.rank.saturating_sub(consumed));
        let function = ty.is_some_and(|t| matches!(*t.base, RBase::Arrow(..)));
        let own: Option<Symbol> = stripped.and_then(|e| match self.ast().exprs[e].kind {
            ExprKind::Name(name) if name.as_str().starts_with(char::is_alphabetic) => Some(name),
            _ => None,
        });
        let primed = own.map(|name| format!("{name}'")).filter(|_| function);
        let mut candidates: Vec<&str> = own.and_then(|name| element(name.as_str(), consumed)).into_iter().collect();
        candidates.extend(primed.as_deref());
        candidates.extend(by_rank(rank, function));
        fresh(&candidates)
    }
}
