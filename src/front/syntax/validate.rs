//! The contract of a parsed tree:
//!
//! - every child that a node names exists;
//! - the span of a child lies inside the span of its parent;
//! - `Apply` has at least one argument, and its function is not itself an `Apply` written without parentheses;
//! - tuples have no or at least two components; local functions have parameters unless that was reported.

use crate::base::Span;
use crate::ir::surface::children::{Node, children_of, decl_children};
use crate::ir::surface::{Ast, Decl, Expr, ExprKind, SourceUnit};

/// Checks the tree of a file; returns what is wrong with it, if anything.
pub fn validate(ast: &Ast, unit: &SourceUnit) -> Result<(), String> {
    let mut work: Vec<(Span, Node)> = Vec::new();
    for decl in &unit.decls {
        decl_roots(decl, &mut work);
    }
    let mut children = Vec::new();
    while let Some((parent, node)) = work.pop() {
        let span = span_of(ast, node)?;
        if !parent.contains(span) || span.start > span.end {
            return Err(format!("{node:?} at {}..{} is not inside its parent at {}..{}", span.start, span.end, parent.start, parent.end));
        }
        if let Node::Expr(id) = node {
            check_shape(ast, &ast.exprs[id])?;
        }
        children.clear();
        children_of(ast, node, &mut children);
        work.extend(children.iter().map(|child| (span, *child)));
    }
    Ok(())
}

fn span_of(ast: &Ast, node: Node) -> Result<Span, String> {
    let (exists, span) = match node {
        Node::Expr(id) if id.raw() < ast.exprs.len() => (true, ast.exprs[id].span),
        Node::Pat(id) if id.raw() < ast.pats.len() => (true, ast.pats[id].span),
        Node::Type(id) if id.raw() < ast.types.len() => (true, ast.types[id].span),
        _ => (false, Span::default()),
    };
    if exists { Ok(span) } else { Err(format!("{node:?} does not exist")) }
}

fn check_shape(ast: &Ast, expr: &Expr) -> Result<(), String> {
    match &expr.kind {
        ExprKind::Apply { args, .. } if args.is_empty() => Err("an application without arguments".into()),
        ExprKind::Apply { fun, .. } if matches!(ast.exprs[*fun].kind, ExprKind::Apply { .. }) => Err("a nested application".into()),
        ExprKind::Tuple(items) if items.len() == 1 => Err("a tuple with one component".into()),
        _ => Ok(()),
    }
}

fn decl_roots(decl: &Decl, roots: &mut Vec<(Span, Node)>) {
    let span = match decl {
        Decl::Def(def) => def.span,
        Decl::Val(val) => val.span,
        Decl::Type(ty) => ty.span,
        Decl::Local(inner) => return decl_roots(inner, roots),
        Decl::Module(module) => module.span,
        Decl::ModuleType(decl) => decl.span,
        Decl::Open(open) => open.span,
        Decl::Import(_) | Decl::Error(_) => return,
    };
    let mut nodes = Vec::new();
    decl_children(decl, &mut nodes);
    roots.extend(nodes.into_iter().map(|node| (span, node)));
}
