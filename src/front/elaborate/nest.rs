//! Applications with insertions: nests of maps around exact applications.

use super::apply::{Arg, Head};
use super::error::{Context, Replicated};
use super::expr::Instance;
use super::scope::{cell_type, outer_dim};
use super::{Elab, Result, Typed, frame_shape};
use crate::base::{PrimType, Span, Symbol, scalar};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Type};
use crate::ir::surface::ExprId;
use crate::ir::tables::AppInfo;

impl Elab<'_> {
    /// An application with insertions, as a nest of maps around the exact application. The arguments are taken apart from
    /// the outside in: at each level those that take part give their cells, the others stay as they are.
    pub(super) fn apply_mapped(&mut self, head: Head, args: Vec<Arg>, info: &AppInfo, span: Span) -> Result<Typed> {
        let rank = info.frame() as usize;
        // The head takes part like an argument, in the first place.
        let mut parts: Vec<Part> = Vec::with_capacity(args.len() + 1);
        let (head, head_value) = match head {
            Head::Fun { value, instance } => (HeadRest::Fun(instance), Some(value)),
            Head::Index { array, ends } => (HeadRest::Index { array, ends }, None),
            Head::Project(field) => (HeadRest::Project(field), None),
            Head::Lambda(lambda) => (HeadRest::Lambda(lambda), None),
            Head::Constr(name, ty) => (HeadRest::Constr(name, ty), None),
        };
        let member = head_value.as_ref().and_then(|(value, _)| scalar_member(value));
        let head_depth = info.head_frame as usize;
        if let Some(value) = head_value {
            parts.push(Part { arg: Arg::Ready(value, span), depth: head_depth });
        }
        for ((arg, insertion), depth) in args.into_iter().zip(&info.args).zip(info.participation()) {
            let depth = depth as usize;
            let extra = insertion.reps - insertion.induced;
            let arg = if depth > 0 || extra > 0 {
                let (value, at) = self.ready(arg)?;
                let value = self.open_row(value);
                let value = if extra > 0 {
                    if depth == 0 {
                        let has = self.sizes.zonk_type(&value.1).shape().items.len();
                        let takes = has + extra as usize;
                        let function = self.called(&head).or(member);
                        self.claims.replicated.push(Replicated { at, function, has, takes });
                    }
                    self.replicate(value, extra, at)
                } else {
                    value
                };
                Arg::Ready(value, at)
            } else {
                arg
            };
            parts.push(Part { arg, depth });
        }
        self.nest(head, parts, rank, span)
    }
    /// What the head of an application is called, if it has a name.
    fn called(&self, head: &HeadRest) -> Option<Symbol> {
        match head {
            HeadRest::Fun(instance) => instance.as_ref().and_then(|instance| instance.def).map(|def| self.program.defs[def].name),
            HeadRest::Constr(name, _) => Some(Symbol::new(&format!("#{name}"))),
            HeadRest::Index { .. } | HeadRest::Project(_) | HeadRest::Lambda(_) => None,
        }
    }

    /// The maps over the arguments that take part, around the exact application.
    pub(super) fn nest(&mut self, mut head: HeadRest, mut parts: Vec<Part>, rank: usize, span: Span) -> Result<Typed> {
        if rank == 0 {
            let (head, args) = reassemble(head, parts);
            return self.apply_exact(head, args, span);
        }
        // Rows of ragged arrays are opened level by level.
        let level = if parts.iter().any(|part| self.has_hidden_levels(part)) { 1 } else { rank };
        let dims: Vec<Dim> = (0..level).map(|_| self.fresh_dim(span)).collect();
        self.one_frame(&mut parts, &dims, rank, span)?;
        for part in &mut parts {
            if let (Arg::Ready(value, _), true) = (&mut part.arg, part.depth < rank) {
                *value = self.shared(value.clone(), "t");
            }
        }
        let groups = if level == rank { self.cells(&mut parts, rank) } else { self.outer_cells(&mut parts, rank) };
        self.push_frame();
        for (name, ty, at) in groups.iter().flat_map(|g| &g.cells).map(|(n, _, t, s)| (*n, t.clone(), *s)) {
            self.bind_param(name, &ty, at);
        }
        let mut rows = false;
        for part in &mut parts {
            if let Arg::Ready(row, _) = &mut part.arg
                && super::ragged::is_box(&row.1)
            {
                rows = true;
                *row = self.open_row(row.clone());
            }
        }
        if rows && let (HeadRest::Fun(instance), Some(Part { arg: Arg::Ready(value, at), depth: 0 })) = (&mut head, parts.first()) {
            let at = *at;
            let own = self.for_each_row(Head::Fun { value: value.clone(), instance: instance.take() });
            if let Head::Fun { value, instance } = own {
                head = HeadRest::Fun(instance);
                parts[0].arg = Arg::Ready(value, at);
            }
        }
        let (body, ty) = if level == rank {
            let (head, args) = reassemble(head, parts);
            self.apply_exact(head, args, span)?
        } else {
            for part in &mut parts {
                part.depth = part.depth.min(rank - level);
            }
            self.nest(head, parts, rank - level, span)?
        };
        let (mut body, ty) = self.close_map(body, ty, span)?;
        let mut inner = level;
        for group in groups.into_iter().rev() {
            let frame = frame_shape(&dims[inner - group.depth..inner]);
            inner -= group.depth;
            let args = group.cells.into_iter().map(|(name, array, _, _)| (name, array)).collect();
            body = Expr::new(ExprKind::Map { frame, args, body }, span);
        }
        Ok((body, ty.framed(&frame_shape(&dims))))
    }

    /// Whether some of the dimensions over which an argument is mapped are those of rows of a ragged array.
    pub(super) fn has_hidden_levels(&self, part: &Part) -> bool {
        let Arg::Ready((_, ty), _) = &part.arg else { return false };
        matches!(ty.atom(), Atom::Sigma(..)) && self.sizes.zonk_type(ty).shape().items.len() < part.depth
    }

    /// The arguments that take part in the outermost maps have the sizes of their frame.
    pub(super) fn one_frame(&mut self, parts: &mut [Part], dims: &[Dim], rank: usize, span: Span) -> Result<()> {
        let mut before: Vec<(usize, Span)> = Vec::with_capacity(parts.len());
        for part in parts.iter_mut() {
            let Arg::Ready(value, at) = &mut part.arg else { continue };
            let outer = (rank - part.depth).min(dims.len());
            for (k, dim) in dims[outer..].iter().enumerate() {
                let own = cell_type(&value.1, k);
                let own = outer_dim(&own).ok_or_else(|| self.missing(*at))?;
                let Err(clash) = self.sizes.unify_dim(dim, &own, *at) else { continue };
                if let Some(checked) = self.rows_of_one_size(dim, k, value, *at) {
                    *value = checked;
                    continue;
                }
                // The axes of an argument that takes part in fewer maps are the inner ones.
                let other = before.iter().find(|(depth, at)| depth + k >= part.depth && *at != span);
                let meets = other.map(|(depth, at)| (depth + k - part.depth, *at)).filter(|(axis, _)| *axis != k);
                let axes = meets.map(|(axis, at)| (k, axis, at));
                return Err(self.clash(clash, *at).within(Context::MappedTogether { application: span, axes }).into());
            }
            before.push((part.depth, *at));
        }
        Ok(())
    }

    /// The cells of the arguments that take part in the outermost map.
    pub(super) fn outer_cells(&mut self, parts: &mut [Part], rank: usize) -> Vec<Group> {
        let mut cells = Vec::new();
        for part in parts.iter_mut().filter(|part| part.depth == rank) {
            cells.extend(self.cell(part, 1));
        }
        vec![Group { depth: 1, cells }]
    }

    /// Puts a cell in place of an argument.
    pub(super) fn cell(&mut self, part: &mut Part, levels: usize) -> Option<(Symbol, Expr, Type, Span)> {
        let Arg::Ready((value, ty), at) = &mut part.arg else { return None };
        let base = match value.kind() {
            ExprKind::Var(name) => *name,
            _ => Symbol::new("x"),
        };
        let name = self.fresh_name(base);
        let cell = cell_type(ty, levels);
        let array = std::mem::replace(value, Expr::new(ExprKind::Var(name), *at));
        *ty = cell.clone();
        Some((name, array, cell, *at))
    }

    /// Splits the nest into groups of levels with the same participants, outermost first, and replaces every participant
    /// by its innermost cell.
    pub(super) fn cells(&mut self, parts: &mut [Part], rank: usize) -> Vec<Group> {
        let mut depths: Vec<usize> = parts.iter().map(|p| p.depth).filter(|d| *d > 0).collect();
        depths.sort_unstable_by(|a, b| b.cmp(a));
        depths.dedup();
        debug_assert_eq!(depths.first(), Some(&rank));
        let mut groups = Vec::new();
        for (i, depth) in depths.iter().enumerate() {
            let next = depths.get(i + 1).copied().unwrap_or(0);
            let levels = depth - next;
            let mut cells = Vec::new();
            for part in parts.iter_mut().filter(|p| p.depth >= *depth) {
                cells.extend(self.cell(part, levels));
            }
            groups.push(Group { depth: levels, cells });
        }
        groups
    }
}

/// An argument (or the head) with the number of innermost frame dimensions over which it is mapped.
pub(super) struct Part {
    arg: Arg,
    depth: usize,
}

/// Levels of a map nest with the same participants: cell name, array, type of the cell, place.
pub(super) struct Group {
    depth: usize,
    cells: Vec<(Symbol, Expr, Type, Span)>,
}

pub(super) enum HeadRest {
    Fun(Option<Instance>),
    Index { array: Typed, ends: Vec<Option<i64>> },
    Project(Symbol),
    Lambda(ExprId),
    Constr(Symbol, Type),
}

pub(super) fn reassemble(head: HeadRest, parts: Vec<Part>) -> (Head, Vec<Arg>) {
    let mut args: Vec<Arg> = parts.into_iter().map(|p| p.arg).collect();
    match head {
        HeadRest::Fun(instance) => match args.remove(0) {
            Arg::Ready(value, _) => (Head::Fun { value, instance }, args),
            Arg::Lambda(_) => crate::ice!(Span::default(), "the head of an application is not elaborated before its arguments"),
        },
        HeadRest::Index { array, ends } => (Head::Index { array, ends }, args),
        HeadRest::Project(field) => (Head::Project(field), args),
        HeadRest::Lambda(lambda) => (Head::Lambda(lambda), args),
        HeadRest::Constr(name, ty) => (Head::Constr(name, ty), args),
    }
}

/// The name of a member of the module of a scalar type, which is no definition: `f64.sum`.
fn scalar_member(value: &Expr) -> Option<Symbol> {
    let name = match value.kind() {
        ExprKind::Var(name) => *name,
        ExprKind::Inst { fun, .. } => return scalar_member(fun),
        _ => return None,
    };
    let (module, member) = name.as_str().split_once('.')?;
    PrimType::from_name(module).and_then(|prim| scalar::member(prim, member)).map(|_| name)
}
