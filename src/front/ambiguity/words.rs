//! What an application does in one reading, in words.

use crate::base::SourceMap;
use crate::front::explicit::nest::{Nest, nest};
use crate::front::explicit::{function_text, shorten};
use crate::ir::surface::{Dim, ExprId, ExprKind, PatId, PatKind, TypeId, TypeKind, view};
use crate::ir::tables::{AppInfo, DefKind, Insertion, Program, Res, Tables};

/// Describes what is inserted at `node`, at the arguments that `differ`. Empty where nothing is.
pub(super) fn describe(program: &Program, sources: &SourceMap, tables: &Tables, node: ExprId, differ: &[bool]) -> Vec<String> {
    if let (Some(value), true) = (program.ast.update_value(node), tables.spread(node) > 0) {
        let value = format!("`{}`", shorten(sources.snippet(program.ast.exprs[value].span)));
        return vec![replication(&value, tables.spread(node))];
    }
    let (Some(nest), Some(info)) = (nest(&program.ast, &program.names, tables, node), tables.apps.get(node)) else { return Vec::new() };
    let function = function_text(program, sources, &nest);
    let depths = info.participation();
    let mut phrases = Vec::new();
    for (index, insertion) in info.args.iter().enumerate() {
        if !differ.get(index).copied().unwrap_or(false) {
            continue;
        }
        let argument = match nest.args.get(index).and_then(|a| a.expr) {
            Some(expr) => format!("`{}`", shorten(sources.snippet(program.ast.exprs[expr].span))),
            None => "the operand of the section".to_string(),
        };
        phrases.extend(phrase(&function, &argument, insertion, info, depths[index]));
        if insertion.reps > insertion.induced && undetermined(program, &nest, index) {
            phrases.push("nothing determines how often".to_string());
        }
    }
    phrases
}

/// Whether something is replicated at `node`, and nothing determines how often.
pub(super) fn is_open(program: &Program, tables: &Tables, node: ExprId) -> bool {
    let (Some(nest), Some(info)) = (nest(&program.ast, &program.names, tables, node), tables.apps.get(node)) else { return false };
    info.args.iter().enumerate().any(|(index, insertion)| insertion.reps > insertion.induced && undetermined(program, &nest, index))
}

fn replication(argument: &str, reps: u32) -> String {
    match reps {
        1 => format!("replicates {argument}"),
        2 => format!("replicates {argument} twice"),
        reps => format!("replicates {argument} {reps} times"),
    }
}

fn phrase(function: &str, argument: &str, insertion: &Insertion, info: &AppInfo, depth: u32) -> Option<String> {
    let real = insertion.reps - insertion.induced;
    if insertion.maps > 0 {
        Some(format!(
            "maps `{function}` over {argument}{}",
            if insertion.maps > 1 { format!(", {} deep", insertion.maps) } else { String::new() }
        ))
    } else if real > 0 {
        Some(replication(argument, real))
    } else if info.frame() > 0 && depth == 0 {
        Some(format!("`{function}` takes all of {argument} each time"))
    } else if info.frame() > 0 {
        Some(format!("`{function}` takes the elements of {argument} one by one"))
    } else {
        None
    }
}

/// Whether nothing but the argument itself determines its outermost size: the parameter's size occurs in no other parameter and not
/// in the result. Unknown functions are taken to determine it.
fn undetermined(program: &Program, nest: &Nest, index: usize) -> bool {
    let node = match nest.head.and_then(|h| h.expr) {
        Some(expr) => view::strip(&program.ast, expr),
        None => nest.head_node,
    };
    match program.names.exprs.get(node) {
        // Of the members of scalar modules, only folds have an array as parameter.
        Some(Res::Scalar(..)) => true,
        Some(Res::Global(def)) => {
            let mut types: Vec<TypeId> = Vec::new();
            match &program.defs[*def].decl {
                DefKind::Def(decl) => {
                    let annotations: Option<Vec<TypeId>> = decl.params.iter().map(|p| annotation(program, *p)).collect();
                    let (Some(annotations), Some(ret)) = (annotations, decl.ret) else { return false };
                    types.extend(annotations);
                    spread(program, ret, &mut types);
                }
                DefKind::Val(decl) => spread(program, decl.ty, &mut types),
            }
            let Some(size) = types.get(index).and_then(|t| outer_size(program, *t)) else { return false };
            let elsewhere = types.iter().enumerate().filter(|(i, _)| *i != index).any(|(_, t)| mentions(program, *t, size));
            !elsewhere
        }
        _ => false,
    }
}

fn annotation(program: &Program, pat: PatId) -> Option<TypeId> {
    match &program.ast.pats[pat].kind {
        PatKind::Paren(inner) => annotation(program, *inner),
        PatKind::Ascribe(_, ty) => Some(*ty),
        _ => None,
    }
}

/// The parameters of a function type, and its result.
fn spread(program: &Program, ty: TypeId, types: &mut Vec<TypeId>) {
    match &program.ast.types[ty].kind {
        TypeKind::Arrow { from, to, .. } => {
            types.push(*from);
            spread(program, *to, types);
        }
        _ => types.push(ty),
    }
}

/// The name of the outermost size of an array type; `Some(None)` for an anonymous one.
fn outer_size(program: &Program, ty: TypeId) -> Option<Option<crate::base::Symbol>> {
    match &program.ast.types[ty].kind {
        TypeKind::Paren(inner) | TypeKind::Unique(inner) => outer_size(program, *inner),
        TypeKind::Array(Dim::Anon, _) => Some(None),
        TypeKind::Array(Dim::Expr(size), _) => match program.ast.exprs[*size].kind {
            ExprKind::Name(name) => Some(Some(name)),
            _ => None,
        },
        _ => None,
    }
}

fn mentions(program: &Program, ty: TypeId, size: Option<crate::base::Symbol>) -> bool {
    let Some(size) = size else { return false };
    let in_dim = |dim: &Dim| match dim {
        Dim::Anon => false,
        Dim::Expr(e) => expr_mentions(program, *e, size),
    };
    let some = |t: &TypeId| mentions(program, *t, Some(size));
    match &program.ast.types[ty].kind {
        TypeKind::Error => false,
        TypeKind::Name { args, .. } => args.iter().any(|arg| match arg {
            crate::ir::surface::TypeArg::Size(dim) => in_dim(dim),
            crate::ir::surface::TypeArg::Type(t) => some(t),
        }),
        TypeKind::Array(dim, element) => in_dim(dim) || some(element),
        TypeKind::Tuple(items) => items.iter().any(some),
        TypeKind::Record(fields) => fields.iter().any(|(_, t)| some(t)),
        TypeKind::Sum(cases) => cases.iter().any(|(_, items)| items.iter().any(some)),
        TypeKind::Arrow { from, to, .. } => some(from) || some(to),
        TypeKind::Exists(_, inner) | TypeKind::Unique(inner) | TypeKind::Paren(inner) => some(inner),
    }
}

fn expr_mentions(program: &Program, expr: ExprId, size: crate::base::Symbol) -> bool {
    matches!(program.ast.exprs[expr].kind, ExprKind::Name(name) if name == size)
        || crate::front::explicit::of_expr(&program.ast, expr).into_iter().any(|part| match part {
            crate::front::explicit::Part::Expr(e, _) | crate::front::explicit::Part::Pun(e) => expr_mentions(program, e, size),
            _ => false,
        })
}
