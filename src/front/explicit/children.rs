//! The parts of a node in the order of the text, with what each place can hold.

use crate::base::Span;
use crate::ir::surface::{
    Ast, Dim, ExprId, ExprKind, IndexArg, LetFun, LoopForm, PatId, PatKind, TypeArg, TypeId, TypeKind, TypeParam, path_indices,
};

/// How tightly bound an expression must be to stand in a place without parentheses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `let`, `if`, lambdas and the like, which extend as far to the right as they can.
    Low,
    /// Operators.
    Operator,
    /// Applications.
    Apply,
    /// Anything that can be an argument.
    Atom,
}

/// A part of a node.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// An expression, with the level below which a rewritten one needs parentheses.
    Expr(ExprId, Level),
    /// A pattern.
    Pat(PatId),
    /// A type.
    Type(TypeId),
    /// `{x}` with the variable `x`: the expression that is not written.
    Pun(ExprId),
    /// `{x}` in a pattern.
    PatPun(PatId),
}

impl Part {
    /// The place of the part.
    pub fn span(self, ast: &Ast) -> Span {
        match self {
            Part::Expr(e, _) | Part::Pun(e) => ast.exprs[e].span,
            Part::Pat(p) | Part::PatPun(p) => ast.pats[p].span,
            Part::Type(t) => ast.types[t].span,
        }
    }
}

/// The parts of an expression in textual order. Parts that share their text with an earlier one (the initial value of
/// `loop x for ..`) come after it.
pub fn of_expr(ast: &Ast, expr: ExprId) -> Vec<Part> {
    use Level::{Apply, Atom, Low};
    let mut parts = Vec::new();
    let mut add = |expr: ExprId, level: Level| parts.push(Part::Expr(expr, level));
    match &ast.exprs[expr].kind {
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
        ExprKind::Paren(inner) => add(*inner, Low),
        ExprKind::Tuple(items) | ExprKind::Array(items) => items.iter().for_each(|&e| add(e, Low)),
        ExprKind::Record(fields) => {
            for (name, value) in fields {
                parts.push(if ast.exprs[*value].span == name.span { Part::Pun(*value) } else { Part::Expr(*value, Low) });
            }
        }
        ExprKind::Constr { args, .. } => args.iter().for_each(|&e| add(e, Atom)),
        ExprKind::Project { expr, .. } => add(*expr, Atom),
        ExprKind::Index { array, indices } => {
            add(*array, Atom);
            index_parts(indices, &mut parts);
        }
        ExprKind::Range { start, step, end, .. } => {
            add(*start, Apply);
            step.iter().for_each(|&e| add(e, Apply));
            add(*end, Apply);
        }
        ExprKind::Apply { fun, args } => {
            add(*fun, Atom);
            args.iter().for_each(|&e| add(e, Atom));
        }
        ExprKind::Binary { op, lhs, rhs } => {
            add(*lhs, Apply);
            op.backtick.iter().for_each(|&e| add(e, Atom));
            add(*rhs, Apply);
        }
        ExprKind::Unary { expr, .. } => add(*expr, Atom),
        ExprKind::LeftSection { lhs, op } => {
            add(*lhs, Apply);
            op.backtick.iter().for_each(|&e| add(e, Atom));
        }
        ExprKind::RightSection { op, rhs } => {
            op.backtick.iter().for_each(|&e| add(e, Atom));
            add(*rhs, Apply);
        }
        ExprKind::IndexSection(indices) => index_parts(indices, &mut parts),
        ExprKind::With { base, path, value } => {
            add(*base, Atom);
            index_parts(path_indices(path), &mut parts);
            parts.push(Part::Expr(*value, Apply));
        }
        ExprKind::Ascribe { expr, ty } | ExprKind::Coerce { expr, ty } => parts.extend([Part::Expr(*expr, Apply), Part::Type(*ty)]),
        ExprKind::Assert { cond, expr } => {
            add(*cond, Atom);
            add(*expr, Atom);
        }
        ExprKind::Attr { expr, .. } => add(*expr, Apply),
        ExprKind::Open { expr, .. } => add(*expr, Atom),
        ExprKind::Lambda { params, ret, body } => {
            parts.extend(params.iter().map(|&p| Part::Pat(p)));
            parts.extend(ret.iter().map(|&t| Part::Type(t)));
            parts.push(Part::Expr(*body, Low));
        }
        ExprKind::Let { sizes, pat, rhs, body } => {
            parts.extend(sizes.iter().map(|&p| Part::Pat(p)));
            parts.extend([Part::Pat(*pat), Part::Expr(*rhs, Low), Part::Expr(*body, Low)]);
        }
        ExprKind::LetFun(fun) => let_fun_parts(fun, &mut parts),
        ExprKind::LetUpdate { base, binder, path, value, body } => {
            parts.extend([Part::Pat(*binder), Part::Expr(*base, Atom)]);
            index_parts(path_indices(path), &mut parts);
            parts.extend([Part::Expr(*value, Low), Part::Expr(*body, Low)]);
        }
        ExprKind::If { cond, then, els } => [cond, then, els].iter().for_each(|&&e| add(e, Low)),
        ExprKind::Match { scrutinee, cases } => {
            add(*scrutinee, Apply);
            parts.extend(cases.iter().flat_map(|&(pat, body)| [Part::Pat(pat), Part::Expr(body, Low)]));
        }
        ExprKind::Loop { sizes, pat, init, form, body } => {
            parts.extend(sizes.iter().map(|&p| Part::Pat(p)));
            parts.extend([Part::Pat(*pat), Part::Expr(*init, Apply)]);
            loop_form_parts(*form, &mut parts);
            parts.push(Part::Expr(*body, Low));
        }
    }
    parts
}

fn let_fun_parts(fun: &LetFun, parts: &mut Vec<Part>) {
    parts.push(Part::Pat(fun.binder));
    tparam_parts(&fun.tparams, parts);
    parts.extend(fun.params.iter().map(|&p| Part::Pat(p)));
    parts.extend(fun.ret.iter().map(|&t| Part::Type(t)));
    parts.extend([Part::Expr(fun.rhs, Level::Low), Part::Expr(fun.body, Level::Low)]);
}

fn loop_form_parts(form: LoopForm, parts: &mut Vec<Part>) {
    match form {
        LoopForm::For { var, bound } => parts.extend([Part::Pat(var), Part::Expr(bound, Level::Apply)]),
        LoopForm::ForIn { pat, array } => parts.extend([Part::Pat(pat), Part::Expr(array, Level::Apply)]),
        LoopForm::While(cond) => parts.push(Part::Expr(cond, Level::Apply)),
    }
}

fn index_parts<'a>(indices: impl IntoIterator<Item = &'a IndexArg>, parts: &mut Vec<Part>) {
    for index in indices {
        match *index {
            IndexArg::Index(e) => parts.push(Part::Expr(e, Level::Low)),
            IndexArg::Slice { start, end, step, .. } => {
                parts.extend([start, end, step].into_iter().flatten().map(|e| Part::Expr(e, Level::Apply)));
            }
        }
    }
}

/// The parts of type and size parameters.
pub(super) fn tparam_parts(tparams: &[TypeParam], parts: &mut Vec<Part>) {
    for tparam in tparams {
        if let TypeParam::Size(pat) = *tparam {
            parts.push(Part::Pat(pat));
        }
    }
}

/// The parts of a pattern.
pub(super) fn of_pat(ast: &Ast, pat: PatId) -> Vec<Part> {
    match &ast.pats[pat].kind {
        PatKind::Error | PatKind::Name(_) | PatKind::Wild => Vec::new(),
        PatKind::Paren(inner) => vec![Part::Pat(*inner)],
        PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().map(|&p| Part::Pat(p)).collect(),
        PatKind::Record(fields) => fields
            .iter()
            .map(|(name, value)| if ast.pats[*value].span == name.span { Part::PatPun(*value) } else { Part::Pat(*value) })
            .collect(),
        PatKind::Ascribe(inner, ty) => vec![Part::Pat(*inner), Part::Type(*ty)],
        PatKind::Lit(expr) => vec![Part::Expr(*expr, Level::Low)],
    }
}

/// The parts of a type.
pub(super) fn of_type(ast: &Ast, ty: TypeId) -> Vec<Part> {
    let dim = |dim: Dim| match dim {
        Dim::Anon => None,
        Dim::Expr(e) => Some(Part::Expr(e, Level::Low)),
    };
    match &ast.types[ty].kind {
        TypeKind::Error => Vec::new(),
        TypeKind::Name { args, .. } => args
            .iter()
            .filter_map(|arg| match *arg {
                TypeArg::Size(d) => dim(d),
                TypeArg::Type(t) => Some(Part::Type(t)),
            })
            .collect(),
        TypeKind::Array(d, element) => dim(*d).into_iter().chain([Part::Type(*element)]).collect(),
        TypeKind::Tuple(items) => items.iter().map(|&t| Part::Type(t)).collect(),
        TypeKind::Record(fields) => fields.iter().map(|&(_, t)| Part::Type(t)).collect(),
        TypeKind::Sum(cases) => cases.iter().flat_map(|(_, items)| items.iter().map(|&t| Part::Type(t))).collect(),
        TypeKind::Arrow { param, from, to } => param.iter().map(|&p| Part::Pat(p)).chain([Part::Type(*from), Part::Type(*to)]).collect(),
        TypeKind::Exists(sizes, inner) => sizes.iter().map(|&p| Part::Pat(p)).chain([Part::Type(*inner)]).collect(),
        TypeKind::Unique(inner) | TypeKind::Paren(inner) => vec![Part::Type(*inner)],
    }
}
