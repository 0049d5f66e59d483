//! Local names that nothing uses: what `let` binds, functions and updates included. Parameters, and names of loops, cases and lambdas, have
//! their places given from outside, and stand for nothing that was computed in vain.

use super::error::ErrorKind;
use super::walk::Walk;
use crate::base::Symbol;
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::{Ast, ExprId, ExprKind, PatId, PatKind, is_missing};
use crate::ir::tables::Res;
use rustc_hash::FxHashSet;

/// How an unused name was bound, which decides what to write instead.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Binder {
    /// By a pattern.
    Pattern,
    /// As a field in a pattern, without another name: `{x, y}`.
    Field,
    /// As a function in a `let`.
    Function,
    /// As the array that `let a[i] = x` makes.
    Update,
}

impl Walk<'_, '_> {
    /// Warns of the names that `let` binds in a body and nothing uses, but for those that begin with `_`.
    pub(super) fn unused(&mut self, body: ExprId) {
        let ast = self.ast;
        let (mut bound, mut used) = (Vec::new(), FxHashSet::default());
        let mut nodes = vec![Node::Expr(body)];
        while let Some(node) = nodes.pop() {
            if let Node::Expr(expr) = node {
                if let Some(Res::Local(pat)) = self.names.exprs.get(expr) {
                    used.insert(*pat);
                }
                match &ast.exprs[expr].kind {
                    // A pattern that says what sizes are may have a name for that alone.
                    ExprKind::Let { sizes, pat, .. } if sizes.is_empty() => names(ast, *pat, &mut bound),
                    ExprKind::LetFun(fun) => bound.push((fun.binder, Binder::Function)),
                    ExprKind::LetUpdate { binder, .. } => bound.push((*binder, Binder::Update)),
                    _ => {}
                }
            }
            children_of(ast, node, &mut nodes);
        }
        for (pat, binder) in bound {
            if let PatKind::Name(name) = ast.pats[pat].kind
                && !used.contains(&pat)
                && may_be_unused(name)
            {
                self.error(ast.pats[pat].span, ErrorKind::Unused { name, binder });
            }
        }
    }
}

/// Whether something is to be said about a name that nothing uses.
fn may_be_unused(name: Symbol) -> bool {
    !name.as_str().starts_with('_') && !is_missing(name)
}

/// The names of a pattern.
fn names(ast: &Ast, pat: PatId, out: &mut Vec<(PatId, Binder)>) {
    match &ast.pats[pat].kind {
        PatKind::Name(_) => out.push((pat, Binder::Pattern)),
        PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => names(ast, *inner, out),
        PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().for_each(|item| names(ast, *item, out)),
        PatKind::Record(fields) => {
            for (field, item) in fields {
                if ast.pats[*item].span == field.span { out.push((*item, Binder::Field)) } else { names(ast, *item, out) }
            }
        }
        PatKind::Wild | PatKind::Lit(_) | PatKind::Error => {}
    }
}
