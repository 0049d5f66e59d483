//! Applications seen as one head and all its arguments.
//!
//! Prefix application, binary and unary operators, applied pipes, applied sections, backticks, field projection,
//! constructors with payloads and indexing are all "a head applied to arguments in order", possibly nested through parentheses. Inference,
//! elaboration and the source printer share this view, so that they agree on what one application is. The rewriting of
//! pipes and sections is the one of AUTOMAP's rules: `x |> f`, `f <| x`, `(op e) x`, `(e op) x` with their arguments
//! present are the direct applications `f x`, `x op e`, `e op x`.

#![expect(clippy::wildcard_enum_match_arm, reason = "some forms are looked through; the others are what is found")]

use super::{Ast, ExprId, ExprKind, Ident, IndexArg, Operator, UnaryOp, path_indices};
use crate::base::{Span, Symbol};

/// What is applied.
#[derive(Debug, Clone, Copy)]
pub enum Head {
    /// Any function expression (not itself an application).
    Expr(ExprId),
    /// A binary operator, possibly with one argument only (`(+) x`) or none.
    Op(Ident),
    /// A prefix operator.
    Unary(UnaryOp, Span),
    /// `e.x`: one argument.
    Project(Ident),
    /// `a[i1, .., ik]` without slices: the arguments are the index expressions; the array is not one of them.
    Index(ExprId),
    /// `#c e ..`: a constructor with its payload.
    Constr(Ident),
}

/// An application: `node` is its outermost node.
#[derive(Debug, Clone)]
pub struct Application {
    /// The outermost node: the key of everything that is known about this application.
    pub node: ExprId,
    /// What is applied.
    pub head: Head,
    /// Its arguments in the order of application, at least one.
    pub args: Vec<ExprId>,
}

/// The `k` of an index that is a literal `-k`: it counts from the end. Computed values never do.
pub fn distance_from_end(ast: &Ast, index: ExprId) -> Option<i64> {
    let ExprKind::Unary { op: UnaryOp::Neg, op_span, expr } = &ast.exprs[strip(ast, index)].kind else { return None };
    match ast.exprs[strip(ast, *expr)].kind {
        // A number in base 16 with a suffix is a pattern of bits: no sign is written.
        ExprKind::Int { value, suffix } if op_span.start < op_span.end && suffix.is_none_or(|prim| prim.is_signed()) => {
            i64::try_from(value).ok().filter(|count| *count > 0)
        }
        _ => None,
    }
}

/// The first `k` of the literals `-k` among the indices of an expression, if it is an index, a slice or an update.
pub fn counts_from_end(ast: &Ast, expr: ExprId) -> Option<i64> {
    let of = |index: &IndexArg| match index {
        IndexArg::Index(index) => distance_from_end(ast, *index),
        IndexArg::Slice { start, end, .. } => [start, end].into_iter().flatten().find_map(|bound| distance_from_end(ast, *bound)),
    };
    match &ast.exprs[expr].kind {
        ExprKind::Index { indices, .. } | ExprKind::IndexSection(indices) => indices.iter().find_map(of),
        ExprKind::With { path, .. } | ExprKind::LetUpdate { path, .. } => path_indices(path).find_map(of),
        _ => None,
    }
}

/// The expression without parentheses and attributes around it.
pub fn strip(ast: &Ast, mut expr: ExprId) -> ExprId {
    loop {
        match ast.exprs[expr].kind {
            ExprKind::Paren(inner) | ExprKind::Attr { expr: inner, .. } => expr = inner,
            _ => return expr,
        }
    }
}

/// The application that `expr` is, if it is one. `qualified` says of a [`ExprKind::Project`] whether it is a qualified
/// name (`f32.sqrt`), which is no application. Looks through parentheses; `&&` and `||` are no applications (they are
/// conditionals, but see [`Head::Op`] for `(&&)` as a function: lifting them elementwise is an application, so they are
/// included here and the caller decides).
pub fn application(ast: &Ast, qualified: &dyn Fn(ExprId) -> bool, expr: ExprId) -> Option<Application> {
    let node = strip(ast, expr);
    let mut args = Vec::new();
    let head = spine(ast, qualified, node, &mut args)?;
    (!args.is_empty()).then_some(Application { node, head, args })
}

/// The node in which the operator of an application stands: the application itself, or the end of the pipes and applications around it.
pub fn operator_node(ast: &Ast, node: ExprId) -> ExprId {
    let mut at = strip(ast, node);
    loop {
        let next = match &ast.exprs[at].kind {
            ExprKind::Apply { fun, .. } => *fun,
            ExprKind::Binary { op, lhs, rhs } => match pipe(op) {
                Some(Pipe::Forward) => *rhs,
                Some(Pipe::Backward) => *lhs,
                None => return at,
            },
            _ => return at,
        };
        at = strip(ast, next);
    }
}

/// Adds the arguments of the application `expr` to `args` (in order) and returns its head; `None` where `expr` is a
/// projection of a module or a slice, or no application and no function-like thing at all and `args` is empty.
fn spine(ast: &Ast, qualified: &dyn Fn(ExprId) -> bool, expr: ExprId, args: &mut Vec<ExprId>) -> Option<Head> {
    // The spine is followed from the outside in; `pending` holds argument lists innermost last.
    let mut pending: Vec<Vec<ExprId>> = Vec::new();
    let mut at = strip(ast, expr);
    let head = loop {
        match &ast.exprs[at].kind {
            ExprKind::Apply { fun, args } => {
                pending.push(args.clone());
                at = strip(ast, *fun);
            }
            ExprKind::Binary { op, lhs, rhs } => match pipe(op) {
                Some(Pipe::Forward) => {
                    pending.push(vec![*lhs]);
                    at = strip(ast, *rhs);
                }
                Some(Pipe::Backward) => {
                    pending.push(vec![*rhs]);
                    at = strip(ast, *lhs);
                }
                None => {
                    pending.push(vec![*lhs, *rhs]);
                    break operator_head(op);
                }
            },
            ExprKind::Unary { op, op_span, expr } => {
                pending.push(vec![*expr]);
                break Head::Unary(*op, *op_span);
            }
            ExprKind::Project { expr, field } if !qualified(at) => {
                pending.push(vec![*expr]);
                break Head::Project(*field);
            }
            ExprKind::Index { array, indices } => {
                let all: Option<Vec<ExprId>> = indices.iter().map(|i| if let IndexArg::Index(e) = i { Some(*e) } else { None }).collect();
                match all {
                    Some(all) => {
                        pending.push(all);
                        break Head::Index(*array);
                    }
                    None => break Head::Expr(at),
                }
            }
            ExprKind::Constr { name, args } if pending.is_empty() => {
                pending.push(args.clone());
                break Head::Constr(*name);
            }
            ExprKind::OpFn(ident) if !pending.is_empty() => break Head::Op(*ident),
            ExprKind::LeftSection { lhs, op } if !pending.is_empty() && pipe(op).is_none() => {
                pending.push(vec![*lhs]);
                break operator_head(op);
            }
            ExprKind::RightSection { op, rhs } if !pending.is_empty() && pipe(op).is_none() => {
                // `(op e) x ..` is `x op e ..`: the first pending argument goes before `e`.
                let first = pending.last_mut().expect("checked: not empty");
                first.insert(1, *rhs);
                break operator_head(op);
            }
            _ => break Head::Expr(at),
        }
    };
    args.extend(pending.into_iter().rev().flatten());
    if args.is_empty() { None } else { Some(head) }
}

/// An operator that stands for an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipe {
    /// `x |> f`
    Forward,
    /// `f <| x`
    Backward,
}

/// Which pipe an operator is, if it is one.
pub fn pipe(op: &Operator) -> Option<Pipe> {
    if op.backtick.is_some() {
        return None;
    }
    match op.ident.name.as_str() {
        "|>" => Some(Pipe::Forward),
        "<|" => Some(Pipe::Backward),
        _ => None,
    }
}

fn operator_head(op: &Operator) -> Head {
    match op.backtick {
        Some(function) => Head::Expr(function),
        None => Head::Op(op.ident),
    }
}

/// Whether the operator is one of the built-in arithmetic, comparison or bit operators on scalars, which are overloaded.
pub fn is_builtin_operator(op: Symbol) -> bool {
    matches!(
        op.as_str(),
        "+" | "-"
            | "*"
            | "/"
            | "%"
            | "//"
            | "%%"
            | "**"
            | "<<"
            | ">>"
            | ">>>"
            | "&"
            | "|"
            | "^"
            | "=="
            | "!="
            | "<"
            | "<="
            | ">"
            | ">="
            | "&&"
            | "||"
    )
}
