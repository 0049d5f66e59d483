//! Definitions that use themselves.
//!
//! Type parameters are those of the definition itself in its own calls. Where all types of the parameters and of the result are written a
//! call is an application like others. Else its rank is not known before the body is, and a replication could pay for any shrinking rank:
//! nothing is inserted at its arguments.

use super::context::{Context, Judgement};
use super::error::{Error, ErrorKind};
use super::export::{Export, Inferred};
use super::reason::Kind;
use super::types::Ty;
use crate::base::Span;
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::view::{self, Head};
use crate::ir::surface::{DefDecl, ExprId, ExprKind, LoopForm, Pat, PatId, PatKind};
use crate::ir::tables::{DefId, DefKind, Program, Res, Tables};
use crate::rank::{self, Options, RankOutcome};
use rustc_hash::FxHashMap;

/// The definition that is inferred, as it sees itself.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// Its type.
    ty: Ty,
    /// Whether arguments of its calls may be mapped and replicated.
    inserts: bool,
    /// Where it is named.
    named: Vec<Span>,
}

impl Context<'_> {
    /// The type of a function that sees itself.
    pub(super) fn recursive_function(&mut self, decl: &DefDecl) -> Ty {
        let program = self.program;
        let written = decl.ret.is_some() && decl.params.iter().all(|param| is_written(program, *param));
        let params: Vec<Ty> = decl.params.iter().map(|param| self.pattern(*param)).collect();
        let (result, kind, from) = match decl.ret {
            Some(ret) => (self.annotation(ret), Kind::Return, program.ast.types[ret].span),
            None => (self.fresh(), Kind::Recursion, decl.name.span),
        };
        let ty = params.into_iter().rev().fold(result.clone(), |to, from| self.bases.arrow(from, to));
        let inserts = written || self.own.as_ref().is_some_and(|own| own.inserts);
        self.own = Some(Own { ty: ty.clone(), inserts, named: Vec::new() });
        let found = self.value(decl.body);
        let reason = self.reason(kind, from, self.span(decl.body));
        self.unify(&result, &found, reason);
        ty
    }
    /// The definition itself as a value.
    pub(super) fn own_name(&mut self, id: ExprId) -> Judgement {
        let span = self.span(id);
        match &mut self.own {
            Some(own) => {
                own.named.push(span);
                Judgement::plain(own.ty.clone())
            }
            None => Judgement::plain(self.error_type()),
        }
    }
    /// Whether an expression is the definition itself and its type is not written.
    pub(super) fn is_unwritten_self(&self, head: ExprId) -> bool {
        let names = &self.program.names.exprs;
        let itself = matches!(names.get(view::strip(self.ast(), head)), Some(Res::Global(def)) if *def == self.def);
        itself && self.own.as_ref().is_some_and(|own| !own.inserts)
    }
    /// Where the definition names itself.
    pub(super) fn own_calls(&self) -> Vec<Span> {
        self.own.as_ref().map(|own| own.named.clone()).unwrap_or_default()
    }
}

/// Whether the type of a parameter is written.
fn is_written(program: &Program, pat: PatId) -> bool {
    match &program.ast.pats[pat] {
        Pat { kind: PatKind::Ascribe(..), .. } => true,
        Pat { kind: PatKind::Paren(inner), .. } => is_written(program, *inner),
        Pat { kind: PatKind::Tuple(items), .. } => items.iter().all(|item| is_written(program, *item)),
        _ => false,
    }
}

/// Whether the ranks of a recursive definition whose type is not written would agree if there were insertions at its own calls.
pub(super) fn needs_insertions(program: &Program, tables: &Tables, def: DefId, options: &Options) -> bool {
    if !program.defs[def].recursive {
        return false;
    }
    let mut ctx = Context::new(program, tables, def, true);
    let ty = ctx.fresh();
    ctx.own = Some(Own { ty, inserts: true, named: Vec::new() });
    ctx.definition(def);
    ctx.reports.errors.is_empty()
        && matches!(rank::solve(&ctx.ranks.system, &Options { explain: false, ..options.clone() }), RankOutcome::Solved(_))
}

/// What is to be said of a definition that cannot return without applying itself.
pub(super) fn endless(program: &Program, inferred: &Inferred) -> Option<Error> {
    let def = inferred.def;
    let DefKind::Def(decl) = &program.defs[def].decl else { return None };
    if !program.defs[def].recursive {
        return None;
    }
    let export = Export::new(inferred, &inferred.solution.values);
    let mapped = inferred.found.apps.iter().filter_map(|(node, spine)| {
        let info = export.spine(spine);
        (info.head_frame > 0 || info.args.iter().any(|arg| arg.maps > 0)).then_some((*node, ()))
    });
    let strict = Strict { program, def, arity: decl.params.len(), mapped: mapped.collect() };
    let mut calls = Vec::new();
    if !strict.calls(decl.body, &mut calls) {
        return None;
    }
    Some(Error { at: program.defs[def].span, kind: ErrorKind::EndlessRecursion { calls } })
}

/// What is computed whatever happens.
struct Strict<'a> {
    program: &'a Program,
    def: DefId,
    arity: usize,
    /// Applications that are mapped over arrays, which may be empty.
    mapped: FxHashMap<ExprId, ()>,
}

impl Strict<'_> {
    /// Whether an expression cannot be evaluated without a call of the definition; adds such calls.
    fn calls(&self, id: ExprId, calls: &mut Vec<Span>) -> bool {
        let ast = &self.program.ast;
        match &ast.exprs[id].kind {
            ExprKind::Lambda { .. } => false,
            ExprKind::LetFun(fun) => self.calls(fun.body, calls),
            ExprKind::If { cond, then, els } => self.calls(*cond, calls) || self.all([*then, *els].into_iter(), calls),
            ExprKind::Match { scrutinee, cases } => self.calls(*scrutinee, calls) || self.all(cases.iter().map(|(_, body)| *body), calls),
            ExprKind::Loop { init, form, .. } => {
                self.calls(*init, calls)
                    || match form {
                        LoopForm::For { bound: inner, .. } | LoopForm::ForIn { array: inner, .. } | LoopForm::While(inner) => {
                            self.calls(*inner, calls)
                        }
                    }
            }
            ExprKind::Binary { op, lhs, .. } if matches!(op.ident.name.as_str(), "&&" | "||") => self.calls(*lhs, calls),
            _ => self.is_call(id, calls) || self.parts(id).into_iter().any(|part| self.calls(part, calls)),
        }
    }
    /// Whether none of these can be evaluated without a call; there is at least one.
    fn all(&self, mut exprs: impl Iterator<Item = ExprId>, calls: &mut Vec<Span>) -> bool {
        let before = calls.len();
        let all = exprs.all(|expr| self.calls(expr, calls));
        if !all {
            calls.truncate(before);
        }
        all
    }
    fn is_call(&self, id: ExprId, calls: &mut Vec<Span>) -> bool {
        let names = &self.program.names.exprs;
        let qualified = |expr: ExprId| names.get(expr).is_some();
        let applied = matches!(self.program.ast.exprs[id].kind, ExprKind::Apply { .. } | ExprKind::Binary { .. });
        let Some(app) = applied.then(|| view::application(&self.program.ast, &qualified, id)).flatten() else { return false };
        let head = match app.head {
            Head::Expr(head) => view::strip(&self.program.ast, head),
            Head::Op(_) => view::operator_node(&self.program.ast, app.node),
            _ => return false,
        };
        let itself = matches!(names.get(head), Some(Res::Global(def)) if *def == self.def);
        let call = itself && app.args.len() >= self.arity && !self.mapped.contains_key(&app.node);
        if call {
            calls.push(self.program.ast.exprs[id].span);
        }
        call
    }
    /// The expressions in an expression, in its patterns and types not included.
    fn parts(&self, id: ExprId) -> Vec<ExprId> {
        let mut nodes = Vec::new();
        children_of(&self.program.ast, Node::Expr(id), &mut nodes);
        nodes.into_iter().filter_map(|node| if let Node::Expr(expr) = node { Some(expr) } else { None }).collect()
    }
}
