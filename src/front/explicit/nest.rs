//! An application with its insertions as a nest of maps: which piece is mapped over at which depth.

use crate::base::Symbol;
use crate::ir::surface::view::{self, Application, Head};
use crate::ir::surface::{Ast, ExprId, ExprKind, IndexArg, Operator};
use crate::ir::tables::{AppInfo, Names, Tables};

/// What is applied in the innermost body.
#[derive(Debug, Clone, Copy)]
pub enum Form {
    /// The piece [`Nest::head`].
    Function,
    /// As in [`Head`].
    Head(Head),
    /// `(.x.y)`: the section is this expression.
    ProjectSection(ExprId),
    /// `(.[i, j])`: the indices are the arguments, the array is the missing head.
    IndexSection,
}

/// Something that goes into the nest: an argument, or the function.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// The expression; `None` for the missing operand of a section.
    pub expr: Option<ExprId>,
    /// Over how many of the innermost frame dimensions it is mapped.
    pub depth: u32,
    /// Replications that are not induced: written out around it.
    pub reps: u32,
}

/// An application or section, with its insertions.
#[derive(Debug, Clone)]
pub struct Nest {
    /// Its outermost node.
    pub node: ExprId,
    /// What is applied.
    pub form: Form,
    /// The node in which the head stands: resolution and types of operators are keyed by it.
    pub head_node: ExprId,
    /// Rank of the whole frame: the number of maps around the application.
    pub frame: u32,
    /// The function if it is an expression ([`Form::Function`]), or the array of an index expression or section.
    pub head: Option<Piece>,
    /// The arguments in order.
    pub args: Vec<Piece>,
    /// For `(.x.y)`: the fields, each with the number of maps around its projection.
    pub path: Vec<(Symbol, u32)>,
}

/// Whether `expr`, a projection, is a qualified name.
pub fn is_qualified(names: &Names, expr: ExprId) -> bool {
    names.exprs.get(expr).is_some()
}

/// The application that is rooted at `node` (no parentheses around it), unapplied sections included, with its arguments;
/// `None` for those that are missing.
pub fn application(ast: &Ast, names: &Names, node: ExprId) -> Option<(Form, Vec<Option<ExprId>>)> {
    let operator = |op: &Operator| match op.backtick {
        Some(function) => Form::Head(Head::Expr(function)),
        None => Form::Head(Head::Op(op.ident)),
    };
    match &ast.exprs[node].kind {
        ExprKind::Paren(_) | ExprKind::Attr { .. } => None,
        ExprKind::LeftSection { lhs, op } => Some((operator(op), vec![Some(*lhs)])),
        ExprKind::RightSection { op, rhs } => Some((operator(op), vec![None, Some(*rhs)])),
        ExprKind::ProjectSection(_) => Some((Form::ProjectSection(node), vec![None])),
        ExprKind::IndexSection(indices) => {
            let all: Option<Vec<_>> = indices.iter().map(|i| if let IndexArg::Index(e) = i { Some(Some(*e)) } else { None }).collect();
            Some((Form::IndexSection, all?))
        }
        _ => {
            let Application { head, args, .. } = view::application(ast, &|e| is_qualified(names, e), node)?;
            Some((Form::Head(head), args.into_iter().map(Some).collect()))
        }
    }
}

/// The nest of the application at `node`. Without an entry in the tables it has no insertions.
pub fn nest(ast: &Ast, names: &Names, tables: &Tables, node: ExprId) -> Option<Nest> {
    let (form, args) = application(ast, names, node)?;
    if let (Form::ProjectSection(_), ExprKind::ProjectSection(fields)) = (form, &ast.exprs[node].kind) {
        let maps = |i: usize| tables.apps.get(node).and_then(|info| info.args.get(i)).map_or(0, |a| a.maps);
        let path = fields.iter().enumerate().map(|(i, field)| (field.name, maps(i))).collect();
        let args = vec![Piece { expr: None, depth: 0, reps: 0 }];
        return Some(Nest { node, form, head_node: node, frame: 0, head: None, args, path });
    }
    let none = AppInfo { head_frame: 0, args: vec![Default::default(); args.len()] };
    let info = tables.apps.get(node).filter(|info| info.args.len() == args.len()).unwrap_or(&none);
    let (form, head) = match form {
        Form::Head(Head::Expr(e)) => (Form::Function, Some(Piece { expr: Some(e), depth: info.head_frame, reps: 0 })),
        Form::Head(Head::Index(e)) => (form, Some(Piece { expr: Some(e), depth: info.head_frame, reps: 0 })),
        Form::IndexSection => (form, Some(Piece { expr: None, depth: 0, reps: 0 })),
        _ => (form, None),
    };
    let args = args
        .into_iter()
        .zip(info.participation())
        .zip(&info.args)
        .map(|((expr, depth), insertion)| Piece { expr, depth, reps: insertion.reps.saturating_sub(insertion.induced) })
        .collect();
    Some(Nest { node, form, head_node: view::operator_node(ast, node), frame: info.frame(), head, args, path: Vec::new() })
}

impl Nest {
    /// Whether there is nothing to write out.
    pub fn is_plain(&self) -> bool {
        self.frame == 0 && self.args.iter().all(|a| a.reps == 0) && self.path.iter().all(|(_, maps)| *maps == 0)
    }

    /// All pieces: the head first if it is one, then the arguments.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.head.iter().chain(&self.args)
    }

    /// Whether an operand is missing: the whole is a function of it.
    pub fn missing(&self) -> bool {
        self.pieces().any(|a| a.expr.is_none())
    }
}
