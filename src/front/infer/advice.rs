//! Advice about mistakes that are habits of other languages.

use super::context::Context;
use super::error::{Error, ErrorKind};
use super::export::Inferred;
use super::types::{Base, Node, Ty};
use crate::base::{PrimType, Span, Symbol, scalar};
use crate::ir::surface::modules::{ModuleExpr, ModuleExprKind};
use crate::ir::surface::{Ast, Decl, Expr, ExprId, ExprKind, IndexArg, PatId, PatKind, path_indices, view};
use crate::ir::tables::{DefId, DefKind, Program, Res};

/// What may be behind a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// `and` is written for `&&`.
    And,
    /// `or` is written for `||`.
    Or,
    /// `range` has one argument, as in Python.
    Range,
    /// The function of two numbers of a scalar module is applied to an array.
    Fold {
        /// The module.
        module: Symbol,
        /// The function, `max` or `min`.
        member: Symbol,
    },
    /// An argument is missing.
    MissingArgument,
    /// `^` is written for a power.
    ExclusiveOr,
    /// `//` is applied to floats.
    IntegerDivision,
    /// Truth values are an index, which chooses elements in NumPy.
    Mask,
    /// The array stands before the function that is given to this function.
    FunctionFirst(Symbol),
    /// A tuple is written where a function takes several arguments, or a shape where it takes one number.
    Separated {
        /// The function.
        name: Symbol,
        /// Whether it takes more than one argument.
        several: bool,
    },
    /// `f x -1` is a difference.
    Difference,
    /// The function of another scalar module is meant.
    OtherModule {
        /// That of the argument's type.
        module: PrimType,
        /// The function.
        member: Symbol,
    },
    /// The function of a library's module for another type is meant.
    OtherVariant {
        /// The type of the argument.
        prim: PrimType,
        /// The library's module for it.
        module: Symbol,
        /// The function.
        member: Symbol,
    },
    /// A number with a fraction meets integers of this type.
    Fraction(PrimType),
    /// `a < b < c`.
    ComparisonChain,
    /// A lambda without parentheses takes the arguments behind it.
    OpenLambda,
    /// `f g x` for `f (g x)`.
    Nested {
        /// The function that is applied.
        outer: Symbol,
        /// Its argument, a function.
        inner: Symbol,
    },
    /// A float of this type is an index.
    FloatIndex(PrimType),
}

impl Context<'_> {
    /// Advice where `and` or `or` are written as in Python: in the application at this place, or of what stands there.
    pub(super) fn spoken_operator(&self, at: Span) -> Option<Advice> {
        let ast = self.ast();
        let word = |id: &ExprId| match ast.exprs[*id].kind {
            ExprKind::Name(name) => Some(name.as_str()),
            _ => None,
        };
        let applied = ast.exprs.iter().filter(|(_, expr)| expr.span.contains(at)).filter_map(|(_, expr)| match &expr.kind {
            ExprKind::Apply { fun, args } if expr.span == at || ast.exprs[*fun].span == at => Some(args),
            _ => None,
        });
        applied.flatten().filter_map(word).find_map(|word| match word {
            "and" => Some(Advice::And),
            "or" => Some(Advice::Or),
            _ => None,
        })
    }

    /// Whether it was said that `and` or `or` are no operators here, in an operand of this operator: its other operand is none then.
    pub(super) fn is_spoken(&self, operator: Span) -> bool {
        let spoken = self.reports.errors.iter().filter_map(|error| match &error.kind {
            ErrorKind::TypeMismatch(mismatch) => mismatch.advice.map(|advice| (error.at, advice)),
            ErrorKind::NotAFunction { advice, .. } => advice.map(|advice| (error.at, advice)),
            _ => None,
        });
        let places: Vec<Span> = spoken.filter(|(_, advice)| matches!(advice, Advice::And | Advice::Or)).map(|(at, _)| at).collect();
        let around = |expr: &Expr| matches!(&expr.kind, ExprKind::Binary { op, .. } if op.ident.span == operator);
        !places.is_empty() && self.ast().exprs.iter().any(|(_, expr)| around(expr) && places.iter().any(|place| expr.span.contains(*place)))
    }

    /// Advice where a function stands as an argument and what it is applied to stands behind it: `f g x` for `f (g x)`.
    pub(super) fn nested(&self, at: Span) -> Option<Advice> {
        let ast = self.ast();
        ast.exprs.iter().find_map(|(_, expr)| match &expr.kind {
            ExprKind::Apply { fun, args } => {
                let (_, before) = args.split_last()?;
                let inner = before.iter().find(|arg| ast.exprs[**arg].span == at)?;
                Some(Advice::Nested { outer: self.written_name(*fun)?, inner: self.written_name(*inner)? })
            }
            _ => None,
        })
    }

    /// A name as it is written, with the module in front of it.
    fn written_name(&self, expr: ExprId) -> Option<Symbol> {
        match self.ast().exprs[expr].kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Project { expr, field } => match self.ast().exprs[expr].kind {
                ExprKind::Name(module) => Some(Symbol::new(&format!("{module}.{}", field.name))),
                _ => None,
            },
            _ => None,
        }
    }

    /// Advice where a function is given because it waits for another argument.
    pub(super) fn missing_argument(&self, at: Span) -> Option<Advice> {
        let ast = self.ast();
        let fun = ast.exprs.iter().filter(|(_, expr)| expr.span == at).find_map(|(id, _)| match &ast.exprs[view::strip(ast, id)].kind {
            ExprKind::Apply { fun, .. } => Some(*fun),
            _ => None,
        })?;
        match &ast.exprs[fun].kind {
            ExprKind::Project { expr, field } => match ast.exprs[*expr].kind {
                ExprKind::Name(module) if matches!(field.name.as_str(), "max" | "min") => Some(Advice::Fold { module, member: field.name }),
                ExprKind::Name(_) => Some(Advice::MissingArgument),
                _ => None,
            },
            ExprKind::Name(name) if name.as_str() == "range" => Some(Advice::Range),
            _ => Some(Advice::MissingArgument),
        }
    }

    /// Advice where a tuple is given as the first argument of a function that takes something else.
    pub(super) fn separated(&mut self, name: Symbol, at: Span, wanted: &Ty, parts: &[Ty]) -> Option<Advice> {
        let ast = self.ast();
        let fun = ast.exprs.iter().find_map(|(_, expr)| match &expr.kind {
            ExprKind::Apply { fun, args } if args.first().is_some_and(|first| ast.exprs[*first].span == at) => Some((*fun, args.len())),
            _ => None,
        });
        let (fun, given) = fun?;
        let tuple = ast.exprs.iter().any(|(_, expr)| expr.span == at && matches!(expr.kind, ExprKind::Tuple(_)));
        let function = self.found.exprs.iter().rev().find(|(id, _)| *id == fun).map(|(_, ty)| ty.base)?;
        let several = self.arity(function) > 1;
        let rank = self.ranks.reduce(&wanted.rank);
        let shape = rank.terms.is_empty() && rank.constant == 0 && parts.iter().chain([wanted]).all(|part| self.is_number(part));
        (tuple && given == 1 && (several || shape)).then_some(Advice::Separated { name, several })
    }

    /// Whether a type may be that of a size.
    fn is_number(&mut self, ty: &Ty) -> bool {
        match self.bases.node(ty.base) {
            Node::Prim(prim) => prim.is_int(),
            Node::Var(class) => !class.is_inexact(),
            _ => false,
        }
    }

    /// The type of what is projected from, with its rank, where the field stands at this place.
    pub(super) fn projected(&self, field: Span) -> Option<Ty> {
        let ast = self.ast();
        let record = ast.exprs.iter().find_map(|(_, expr)| match &expr.kind {
            ExprKind::Project { expr, field: name } if name.span == field => Some(*expr),
            _ => None,
        })?;
        self.found.exprs.iter().rev().find(|(id, _)| *id == record).map(|(_, ty)| ty.clone())
    }

    /// How many arguments a function takes.
    fn arity(&mut self, mut base: Base) -> usize {
        let mut count = 0;
        while let Node::Arrow(parts) = self.bases.node(base) {
            count += 1;
            base = parts.1.base;
        }
        count
    }

    /// Advice where the function of a scalar module is applied to numbers of another type that has the function, too.
    pub(super) fn other_module(&self, function: Span, found: PrimType) -> Option<Advice> {
        let ast = self.ast();
        ast.exprs.iter().find_map(|(_, expr)| match expr.kind {
            ExprKind::Project { expr: module, field } if expr.span == function => match ast.exprs[module].kind {
                ExprKind::Name(name) if PrimType::from_name(name.as_str()).is_some() => {
                    scalar::member(found, field.name.as_str()).map(|_| Advice::OtherModule { module: found, member: field.name })
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// Advice where a function of a library is applied to numbers of another type for which the library has the function, too.
    pub(super) fn other_variant(&self, function: Span, found: PrimType) -> Option<Advice> {
        let program = self.program;
        let written = |expr: &ExprKind| matches!(expr, ExprKind::Name(_) | ExprKind::Project { .. });
        let (id, _) = self.ast().exprs.iter().find(|(_, expr)| expr.span == function && written(&expr.kind))?;
        let Some(Res::Global(def)) = program.names.exprs.get(id) else { return None };
        let def = &program.defs[*def];
        let (module, member) = def.name.as_str().rsplit_once('.')?;
        let unit = program.units.iter().find(|unit| unit.stdlib && unit.source.file == def.span.file)?;
        // The modules of a library are called `np_f64`, `np_f32`, ..; that for f64 may have no suffix.
        let family =
            module.rsplit_once('_').filter(|(_, suffix)| PrimType::from_name(suffix).is_some()).map_or(module, |(family, _)| family);
        let names = [format!("{family}_{found}"), family.to_string()];
        let fitting = if found == PrimType::F64 { &names[..] } else { &names[..1] };
        let other = fitting.iter().find(|name| offers(&unit.source.decls, name, member, 0))?;
        Some(Advice::OtherVariant { prim: found, module: Symbol::new(other), member: Symbol::new(member) })
    }

    /// Advice where what is applied stands in a lambda without parentheses around it.
    pub(super) fn open_lambda(&self, at: Span) -> Option<Advice> {
        let ast = self.ast();
        let around = |expr: &ExprId| matches!(ast.exprs[*expr].kind, ExprKind::Lambda { .. }) && ast.exprs[*expr].span.contains(at);
        let open = ast.exprs.iter().any(|(_, expr)| matches!(&expr.kind, ExprKind::Apply { args, .. } if args.last().is_some_and(around)));
        open.then_some(Advice::OpenLambda)
    }

    /// Advice where the result of a comparison is compared with a number.
    pub(super) fn comparison_chain(&self, operator: Span) -> Option<Advice> {
        let ast = self.ast();
        let comparison = |name: Symbol| matches!(name.as_str(), "<" | "<=" | ">" | ">=" | "==" | "!=");
        let chained = ast.exprs.iter().any(|(_, expr)| match &expr.kind {
            ExprKind::Binary { op, lhs, .. } if op.ident.span == operator && comparison(op.ident.name) => {
                matches!(&ast.exprs[*lhs].kind, ExprKind::Binary { op, .. } if comparison(op.ident.name))
            }
            _ => false,
        });
        chained.then_some(Advice::ComparisonChain)
    }

    /// Advice where a minus sign that belongs to an argument is taken for a difference.
    pub(super) fn difference(&self, operator: Span) -> Option<Advice> {
        let ast = self.ast();
        let written = ast.exprs.iter().any(|(_, expr)| match &expr.kind {
            ExprKind::Binary { op, lhs, rhs } if op.ident.span == operator && op.ident.name.as_str() == "-" => {
                ast.exprs[*rhs].span.start == operator.end && ast.exprs[*lhs].span.end < operator.start
            }
            _ => false,
        });
        written.then_some(Advice::Difference)
    }

    /// Advice where an operator on integers is applied to floats.
    pub(super) fn float_operator(&self, operator: Span) -> Option<Advice> {
        let name = self.ast().exprs.iter().find_map(|(_, expr)| match &expr.kind {
            ExprKind::Binary { op, .. } if op.ident.span == operator => Some(op.ident.name.as_str()),
            _ => None,
        });
        match name? {
            "^" => Some(Advice::ExclusiveOr),
            "//" => Some(Advice::IntegerDivision),
            _ => None,
        }
    }

    /// Advice where an array of truth values is an index, which chooses elements in NumPy.
    pub(super) fn mask(&self, at: Span) -> Option<Advice> {
        self.is_index(at).then_some(Advice::Mask)
    }

    /// Advice where a float is an index.
    pub(super) fn float_index(&self, at: Span, found: &Node) -> Option<Advice> {
        let prim = match found {
            Node::Prim(prim) if prim.is_float() => *prim,
            Node::Var(class) if class.is_inexact() => PrimType::F64,
            _ => return None,
        };
        self.is_index(at).then_some(Advice::FloatIndex(prim))
    }

    /// Whether an index stands at this place.
    fn is_index(&self, at: Span) -> bool {
        let ast = self.ast();
        let index = |index: &IndexArg| matches!(index, IndexArg::Index(expr) if ast.exprs[*expr].span == at);
        ast.exprs.iter().any(|(_, expr)| match &expr.kind {
            ExprKind::Index { indices, .. } => indices.iter().any(index),
            ExprKind::With { path, .. } | ExprKind::LetUpdate { path, .. } => path_indices(path).any(index),
            _ => false,
        })
    }

    /// Advice where something else stands before the function that is wanted first.
    pub(super) fn function_first(&self, name: Symbol, at: Span) -> Option<Advice> {
        let ast = self.ast();
        let behind = ast.exprs.iter().any(|(_, expr)| match &expr.kind {
            ExprKind::Apply { args, .. } => args.split_first().is_some_and(|(first, rest)| {
                let lambda = |arg: &ExprId| matches!(ast.exprs[view::strip(ast, *arg)].kind, ExprKind::Lambda { .. } | ExprKind::OpFn(_));
                ast.exprs[*first].span == at && rest.iter().any(lambda)
            }),
            _ => false,
        });
        behind.then_some(Advice::FunctionFirst(name))
    }
}

/// Modules of modules are followed so far.
const MOST_NESTED: usize = 16;

/// Whether a module among declarations has a member.
fn offers(decls: &[Decl], module: &str, member: &str, depth: usize) -> bool {
    decls.iter().any(|decl| match unwrapped(decl) {
        Decl::Module(found) => depth < MOST_NESTED && found.name.name.as_str() == module && has(decls, &found.body, member, depth + 1),
        _ => false,
    })
}

/// Whether a module has a member, where `decls` are declared around it.
fn has(decls: &[Decl], module: &ModuleExpr, member: &str, depth: usize) -> bool {
    match &module.kind {
        ModuleExprKind::Struct(inner) => inner.iter().any(|decl| match decl {
            Decl::Def(def) => def.name.name.as_str() == member,
            Decl::Open(open) => has(decls, &open.module, member, depth),
            _ => false,
        }),
        ModuleExprKind::Apply { fun: inner, .. } | ModuleExprKind::Ascribe { module: inner, .. } | ModuleExprKind::Paren(inner) => {
            has(decls, inner, member, depth)
        }
        ModuleExprKind::Name(path) => path.last().is_some_and(|name| offers(decls, name.name.as_str(), member, depth)),
        ModuleExprKind::Error | ModuleExprKind::Import(_) | ModuleExprKind::Lambda { .. } => false,
    }
}

/// The declaration without `local`.
fn unwrapped(decl: &Decl) -> &Decl {
    match decl {
        Decl::Local(inner) => unwrapped(inner),
        other => other,
    }
}

/// The loops of a definition whose values are i32 because nothing says otherwise, and grow: one warning for each.
pub(super) fn growing_loops(program: &Program, inferred: &Inferred) -> Vec<Error> {
    let ast = &program.ast;
    let mut loops: Vec<(ExprId, ExprId)> = Vec::new();
    for (id, _) in &inferred.found.exprs {
        if let ExprKind::Loop { init, body, .. } = &ast.exprs[*id].kind {
            loops.push((*init, tail(ast, *body)));
        }
    }
    let parts = |expr: ExprId| match &ast.exprs[view::strip(ast, expr)].kind {
        ExprKind::Tuple(items) => items.clone(),
        _ => vec![expr],
    };
    let mut warnings = Vec::new();
    for (init, body) in loops {
        let (first, next) = (parts(init), parts(body));
        let growing = |(first, next): (&ExprId, &ExprId)| {
            let literal = view::strip(ast, *first);
            let open = matches!(ast.exprs[literal].kind, ExprKind::Int { suffix: None, .. });
            let body = growth(ast, *next).filter(|_| open && inferred.is_i32_by_default(literal))?;
            Some(Error { at: ast.exprs[literal].span, kind: ErrorKind::GrowingLoop { body } })
        };
        if first.len() == next.len() {
            warnings.extend(first.iter().zip(&next).find_map(growing));
        }
    }
    warnings
}

/// The expression below the bindings in front of it.
fn tail(ast: &Ast, mut expr: ExprId) -> ExprId {
    loop {
        expr = view::strip(ast, expr);
        match &ast.exprs[expr].kind {
            ExprKind::Let { body, .. } | ExprKind::LetUpdate { body, .. } => expr = *body,
            ExprKind::LetFun(fun) => expr = fun.body,
            _ => return expr,
        }
    }
}

/// Where an expression adds or multiplies, if it does. What only counts does not grow far.
fn growth(ast: &Ast, expr: ExprId) -> Option<Span> {
    let literal = |expr: ExprId| matches!(ast.exprs[view::strip(ast, expr)].kind, ExprKind::Int { .. });
    let expr = tail(ast, expr);
    match &ast.exprs[expr].kind {
        ExprKind::Binary { op, lhs, rhs } => {
            let grows = match op.ident.name.as_str() {
                "*" | "**" | "<<" => true,
                "+" => !literal(*lhs) && !literal(*rhs),
                _ => false,
            };
            grows.then_some(ast.exprs[expr].span)
        }
        ExprKind::If { then, els, .. } => growth(ast, *then).or_else(|| growth(ast, *els)),
        _ => None,
    }
}

/// The parameters of a definition, and of functions in it, whose types are not written: where a limit was reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unannotated {
    /// Their names, each once.
    pub names: Vec<Symbol>,
}

/// The parameters of a definition whose types are not written.
pub(crate) fn unannotated(program: &Program, def: DefId) -> Unannotated {
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
    Unannotated { names }
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
