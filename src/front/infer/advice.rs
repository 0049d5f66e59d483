//! Advice about mistakes that are habits of other languages.

use super::context::Context;
use crate::base::{Span, Symbol};
use crate::ir::surface::{Ast, ExprId, ExprKind, IndexArg, PatId, PatKind, view};
use crate::ir::tables::{DefId, DefKind, Program};

impl Context<'_> {
    /// Advice where `and`, `or` or `not` are written as in Python: in the application at this place, or of what stands there.
    pub(super) fn spoken_operator(&self, at: Span) -> Option<String> {
        let ast = self.ast();
        let word = |id: &ExprId| match ast.exprs[*id].kind {
            ExprKind::Name(name) => Some(name.as_str()),
            _ => None,
        };
        let applied = ast.exprs.iter().filter(|(_, expr)| expr.span.contains(at)).filter_map(|(_, expr)| match &expr.kind {
            ExprKind::Apply { fun, args } if expr.span == at || ast.exprs[*fun].span == at => Some(args),
            _ => None,
        });
        let operator = applied.flatten().filter_map(word).find_map(|word| match word {
            "and" => Some("&&"),
            "or" => Some("||"),
            _ => None,
        })?;
        Some(format!("the operators on truth values are `&&`, `||` and `!`: `a {operator} b`"))
    }

    /// Advice where a function is given because it waits for another argument.
    pub(super) fn missing_argument(&self, at: Span) -> Option<String> {
        let ast = self.ast();
        let fun = ast.exprs.iter().filter(|(_, expr)| expr.span == at).find_map(|(id, _)| match &ast.exprs[view::strip(ast, id)].kind {
            ExprKind::Apply { fun, .. } => Some(*fun),
            _ => None,
        })?;
        let (module, member) = match &ast.exprs[fun].kind {
            ExprKind::Project { expr, field } => match ast.exprs[*expr].kind {
                ExprKind::Name(module) => (module, field.name.as_str()),
                _ => return None,
            },
            ExprKind::Name(name) if name.as_str() == "range" => {
                return Some("`range a b` has the numbers from a on below b; those below n are `0..<n`".into());
            }
            _ => return Some("this is a function: it takes another argument".into()),
        };
        match member {
            "max" | "min" => {
                Some(format!("`{module}.{member}` takes two numbers; of all elements of an array it is `{module}.{member}imum xs`"))
            }
            _ => Some("this is a function: it takes another argument".into()),
        }
    }

    /// Advice where an operator on integers is applied to floats.
    pub(super) fn float_operator(&self, operator: Span) -> Option<String> {
        let name = self.ast().exprs.iter().find_map(|(_, expr)| match &expr.kind {
            ExprKind::Binary { op, .. } if op.ident.span == operator => Some(op.ident.name.as_str()),
            _ => None,
        });
        let help = match name? {
            "^" => "`^` is the exclusive or of bits; powers are written `x ** y`",
            "//" => "`//` divides integers; of floats, the whole part of the quotient is `f64.floor (x / y)`",
            _ => return None,
        };
        Some(help.into())
    }

    /// Advice where an array of truth values is an index, which chooses elements in NumPy.
    pub(super) fn mask(&self, at: Span) -> Option<String> {
        let ast = self.ast();
        let index = |index: &IndexArg| matches!(index, IndexArg::Index(expr) if ast.exprs[*expr].span == at);
        let masked = ast.exprs.iter().any(|(_, expr)| match &expr.kind {
            ExprKind::Index { indices, .. } | ExprKind::WithIndex { indices, .. } | ExprKind::LetUpdate { indices, .. } => {
                indices.iter().any(index)
            }
            _ => false,
        });
        masked.then(|| {
            "elements are not chosen by truth values: `filter (\\x -> c) xs` has those for which a condition holds, \
             `map (\\x -> if c then v else x) xs` changes them"
                .into()
        })
    }

    /// Advice where something else stands before the function that is wanted first.
    pub(super) fn function_first(&self, name: Symbol, at: Span) -> Option<String> {
        let ast = self.ast();
        let behind = ast.exprs.iter().any(|(_, expr)| match &expr.kind {
            ExprKind::Apply { args, .. } => args.split_first().is_some_and(|(first, rest)| {
                let lambda = |arg: &ExprId| matches!(ast.exprs[view::strip(ast, *arg)].kind, ExprKind::Lambda { .. } | ExprKind::OpFn(_));
                ast.exprs[*first].span == at && rest.iter().any(lambda)
            }),
            _ => false,
        });
        behind.then(|| format!("the function comes first, the arrays come behind it: `{name} f xs`"))
    }
}

/// Most variables that are named.
const NAMED: usize = 6;

/// Advice where a limit was reached: the parameters of a definition, and of functions in it, whose types are not written.
pub(crate) fn unannotated(program: &Program, def: DefId) -> String {
    let ast = &program.ast;
    let (own, place) = match &program.defs[def].decl {
        DefKind::Def(decl) => (decl.params.clone(), ast.exprs[decl.body].span),
        DefKind::Val(_) => (Vec::new(), program.defs[def].span),
    };
    let inner = ast.exprs.iter().filter(|(_, expr)| place.contains(expr.span)).flat_map(|(_, expr)| match &expr.kind {
        ExprKind::Lambda { params, .. } => params.clone(),
        ExprKind::LetFun(fun) => fun.params.clone(),
        _ => Vec::new(),
    });
    let mut names: Vec<Symbol> = Vec::new();
    own.into_iter().chain(inner).for_each(|param| open_names(ast, param, &mut names));
    let mut seen = std::collections::HashSet::new();
    names.retain(|name| seen.insert(*name));
    let listed: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    match (listed.len(), names.len() > NAMED) {
        (0, _) => "annotate the types of some variables, or split the definition".to_string(),
        (_, false) => format!("annotate the type of {}", listed.join(", ")),
        (_, true) => format!("annotate the types of some variables: {}, ..", listed.join(", ")),
    }
}

/// The variables of a pattern that have no annotation.
fn open_names(ast: &Ast, pat: PatId, names: &mut Vec<Symbol>) {
    match &ast.pats[pat].kind {
        PatKind::Name(name) => names.push(*name),
        PatKind::Paren(inner) => open_names(ast, *inner, names),
        PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().for_each(|item| open_names(ast, *item, names)),
        PatKind::Record(fields) => fields.iter().for_each(|(_, item)| open_names(ast, *item, names)),
        PatKind::Ascribe(..) | PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
    }
}
