//! The nodes directly below a node or a declaration.

use super::modules::{ModuleExpr, ModuleExprKind, ModuleType, ModuleTypeKind, Spec};
use super::{
    Ast, Decl, Dim, ExprId, ExprKind, IndexArg, LoopForm, Operator, PatId, PatKind, TypeArg, TypeId, TypeKind, TypeParam, path_indices,
};

/// A node of any sort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// An expression.
    Expr(ExprId),
    /// A pattern.
    Pat(PatId),
    /// A type.
    Type(TypeId),
}

/// Adds the nodes of a declaration to `out`.
pub fn decl_children(decl: &Decl, out: &mut Vec<Node>) {
    match decl {
        Decl::Def(def) => {
            sizes(&def.tparams, out);
            pats(&def.params, out);
            out.extend(def.ret.map(Node::Type));
            out.push(Node::Expr(def.body));
        }
        Decl::Val(val) => {
            sizes(&val.tparams, out);
            out.push(Node::Type(val.ty));
        }
        Decl::Type(ty) => {
            sizes(&ty.tparams, out);
            out.push(Node::Type(ty.ty));
        }
        Decl::Local(inner) => decl_children(inner, out),
        Decl::Module(module) => {
            module.params.iter().for_each(|param| module_type_children(&param.sig, out));
            module.sig.iter().for_each(|sig| module_type_children(sig, out));
            module_children(&module.body, out);
        }
        Decl::ModuleType(decl) => module_type_children(&decl.sig, out),
        Decl::Open(open) => module_children(&open.module, out),
        Decl::Import(_) | Decl::Error(_) => {}
    }
}

/// Adds the nodes in a module expression to `out`.
pub fn module_children(module: &ModuleExpr, out: &mut Vec<Node>) {
    match &module.kind {
        ModuleExprKind::Error | ModuleExprKind::Name(_) | ModuleExprKind::Import(_) => {}
        ModuleExprKind::Struct(decls) => decls.iter().for_each(|decl| decl_children(decl, out)),
        ModuleExprKind::Apply { fun, arg } => {
            module_children(fun, out);
            module_children(arg, out);
        }
        ModuleExprKind::Ascribe { module, sig } => {
            module_children(module, out);
            module_type_children(sig, out);
        }
        ModuleExprKind::Lambda { param, sig, body } => {
            module_type_children(&param.sig, out);
            sig.iter().for_each(|sig| module_type_children(sig, out));
            module_children(body, out);
        }
        ModuleExprKind::Paren(inner) => module_children(inner, out),
    }
}

/// Adds the nodes in a module type to `out`.
pub fn module_type_children(sig: &ModuleType, out: &mut Vec<Node>) {
    match &sig.kind {
        ModuleTypeKind::Error | ModuleTypeKind::Name(_) => {}
        ModuleTypeKind::Specs(specs) => specs.iter().for_each(|spec| spec_children(spec, out)),
        ModuleTypeKind::With { sig, tparams, ty, .. } => {
            module_type_children(sig, out);
            sizes(tparams, out);
            out.push(Node::Type(*ty));
        }
        ModuleTypeKind::Arrow { from, to, .. } => {
            module_type_children(from, out);
            module_type_children(to, out);
        }
        ModuleTypeKind::Paren(inner) => module_type_children(inner, out),
    }
}

fn spec_children(spec: &Spec, out: &mut Vec<Node>) {
    match spec {
        Spec::Val(val) => {
            sizes(&val.tparams, out);
            out.push(Node::Type(val.ty));
        }
        Spec::Type(ty) => {
            sizes(&ty.tparams, out);
            out.push(Node::Type(ty.ty));
        }
        Spec::Abstract(ty) => sizes(&ty.tparams, out),
        Spec::Module(module) => module_type_children(&module.sig, out),
        Spec::Include(sig) => module_type_children(sig, out),
        Spec::Error(_) => {}
    }
}

fn sizes(tparams: &[TypeParam], out: &mut Vec<Node>) {
    out.extend(tparams.iter().filter_map(|p| match p {
        TypeParam::Size(pat) => Some(Node::Pat(*pat)),
        TypeParam::Type(_) => None,
    }));
}

/// Adds the children of a node to `out`, in source order as far as they are written once.
pub fn children_of(ast: &Ast, node: Node, out: &mut Vec<Node>) {
    match node {
        Node::Expr(id) => expr_children(&ast.exprs[id].kind, out),
        Node::Pat(id) => pat_children(&ast.pats[id].kind, out),
        Node::Type(id) => type_children(&ast.types[id].kind, out),
    }
}

fn exprs(ids: &[ExprId], out: &mut Vec<Node>) {
    out.extend(ids.iter().map(|e| Node::Expr(*e)));
}

fn pats(ids: &[PatId], out: &mut Vec<Node>) {
    out.extend(ids.iter().map(|p| Node::Pat(*p)));
}

fn operator(op: &Operator, out: &mut Vec<Node>) {
    out.extend(op.backtick.map(Node::Expr));
}

fn index_args<'a>(args: impl IntoIterator<Item = &'a IndexArg>, out: &mut Vec<Node>) {
    for arg in args {
        match arg {
            IndexArg::Index(e) => out.push(Node::Expr(*e)),
            IndexArg::Slice { start, end, step, .. } => out.extend([start, end, step].into_iter().flatten().map(|e| Node::Expr(*e))),
        }
    }
}

fn expr_children(kind: &ExprKind, out: &mut Vec<Node>) {
    match kind {
        ExprKind::Error
        | ExprKind::Int { .. }
        | ExprKind::Float { .. }
        | ExprKind::Imaginary { .. }
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::OpFn(_)
        | ExprKind::ProjectSection(_)
        | ExprKind::Hole => {}
        ExprKind::Paren(e) | ExprKind::Project { expr: e, .. } | ExprKind::Unary { expr: e, .. } => out.push(Node::Expr(*e)),
        ExprKind::Attr { expr: e, .. } | ExprKind::Open { expr: e, .. } => {
            out.push(Node::Expr(*e));
        }
        ExprKind::Tuple(items) | ExprKind::Array(items) | ExprKind::Constr { args: items, .. } => exprs(items, out),
        ExprKind::Record(fields) => out.extend(fields.iter().map(|(_, e)| Node::Expr(*e))),
        ExprKind::Index { array, indices } => {
            out.push(Node::Expr(*array));
            index_args(indices, out);
        }
        ExprKind::Range { start, step, end, .. } => out.extend([Some(*start), *step, Some(*end)].into_iter().flatten().map(Node::Expr)),
        ExprKind::Apply { fun, args } => {
            out.push(Node::Expr(*fun));
            exprs(args, out);
        }
        ExprKind::Binary { op, lhs, rhs } => {
            out.push(Node::Expr(*lhs));
            operator(op, out);
            out.push(Node::Expr(*rhs));
        }
        ExprKind::Lambda { params, ret, body } => {
            pats(params, out);
            out.extend(ret.map(Node::Type));
            out.push(Node::Expr(*body));
        }
        ExprKind::LeftSection { lhs: e, op } | ExprKind::RightSection { op, rhs: e } => {
            operator(op, out);
            out.push(Node::Expr(*e));
        }
        ExprKind::IndexSection(indices) => index_args(indices, out),
        ExprKind::Let { sizes: binders, pat, rhs, body } => {
            pats(binders, out);
            out.push(Node::Pat(*pat));
            exprs(&[*rhs, *body], out);
        }
        ExprKind::LetFun(fun) => {
            out.push(Node::Pat(fun.binder));
            sizes(&fun.tparams, out);
            pats(&fun.params, out);
            out.extend(fun.ret.map(Node::Type));
            exprs(&[fun.rhs, fun.body], out);
        }
        ExprKind::LetUpdate { base, binder, path, value, body } => {
            out.push(Node::Expr(*base));
            out.push(Node::Pat(*binder));
            index_args(path_indices(path), out);
            exprs(&[*value, *body], out);
        }
        ExprKind::If { cond, then, els } => exprs(&[*cond, *then, *els], out),
        ExprKind::Match { scrutinee, cases } => {
            out.push(Node::Expr(*scrutinee));
            out.extend(cases.iter().flat_map(|(p, e)| [Node::Pat(*p), Node::Expr(*e)]));
        }
        ExprKind::Loop { sizes: binders, pat, init, form, body } => {
            pats(binders, out);
            out.push(Node::Pat(*pat));
            out.push(Node::Expr(*init));
            match form {
                LoopForm::For { var, bound } => out.extend([Node::Pat(*var), Node::Expr(*bound)]),
                LoopForm::ForIn { pat, array } => out.extend([Node::Pat(*pat), Node::Expr(*array)]),
                LoopForm::While(cond) => out.push(Node::Expr(*cond)),
            }
            out.push(Node::Expr(*body));
        }
        ExprKind::With { base, path, value } => {
            out.push(Node::Expr(*base));
            index_args(path_indices(path), out);
            out.push(Node::Expr(*value));
        }
        ExprKind::Ascribe { expr, ty } | ExprKind::Coerce { expr, ty } => out.extend([Node::Expr(*expr), Node::Type(*ty)]),
        ExprKind::Assert { cond, expr } => exprs(&[*cond, *expr], out),
    }
}

fn pat_children(kind: &PatKind, out: &mut Vec<Node>) {
    match kind {
        PatKind::Error | PatKind::Name(_) | PatKind::Wild => {}
        PatKind::Paren(p) => out.push(Node::Pat(*p)),
        PatKind::Tuple(items) | PatKind::Constr(_, items) => pats(items, out),
        PatKind::Record(fields) => out.extend(fields.iter().map(|(_, p)| Node::Pat(*p))),
        PatKind::Ascribe(p, t) => out.extend([Node::Pat(*p), Node::Type(*t)]),
        PatKind::Lit(e) => out.push(Node::Expr(*e)),
    }
}

fn dim(dim: &Dim, out: &mut Vec<Node>) {
    match dim {
        Dim::Anon => {}
        Dim::Expr(e) => out.push(Node::Expr(*e)),
    }
}

fn type_children(kind: &TypeKind, out: &mut Vec<Node>) {
    match kind {
        TypeKind::Error => {}
        TypeKind::Name { args, .. } => {
            for arg in args {
                match arg {
                    TypeArg::Size(d) => dim(d, out),
                    TypeArg::Type(t) => out.push(Node::Type(*t)),
                }
            }
        }
        TypeKind::Array(d, t) => {
            dim(d, out);
            out.push(Node::Type(*t));
        }
        TypeKind::Tuple(items) => out.extend(items.iter().map(|t| Node::Type(*t))),
        TypeKind::Record(fields) => out.extend(fields.iter().map(|(_, t)| Node::Type(*t))),
        TypeKind::Sum(clauses) => out.extend(clauses.iter().flat_map(|(_, ts)| ts.iter().map(|t| Node::Type(*t)))),
        TypeKind::Arrow { param, from, to } => {
            out.extend(param.map(Node::Pat));
            out.extend([Node::Type(*from), Node::Type(*to)]);
        }
        TypeKind::Exists(binders, t) => {
            pats(binders, out);
            out.push(Node::Type(*t));
        }
        TypeKind::Unique(t) | TypeKind::Paren(t) => out.push(Node::Type(*t)),
    }
}
