//! Gathers what an error in types or ranks says before it is put into words: both types, the reasons of the constraints.

use super::advice::Advice;
use super::context::Context;
use super::error::{Claim, ConstructorFault, Difference, Error, ErrorKind, Fields, Labels, OtherClaim, RankConflict, Source, TypeMismatch};
use super::reason::{Kind, Reason, ReasonId};
use super::types::{Base, Node, Ty};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::surface::{Ast, ExprId, ExprKind, Ident};
use crate::rank::{self, Options, RankOutcome};
use rustc_hash::FxHashSet;

/// How many errors before one are looked at for being the same.
const RECENT: usize = 16;
/// Places shown for a rank conflict besides the two that disagree.
const MORE_PLACES: usize = 3;

/// Errors of a definition for which advice is sought in the whole tree.
const MOST_ADVICE: usize = 10;

impl Context<'_> {
    /// Adds an error.
    pub(super) fn error(&mut self, at: Span, kind: ErrorKind) {
        let error = Error { at, kind };
        if !self.reports.errors.iter().rev().take(RECENT).any(|before| error.repeats(before)) {
            self.reports.errors.push(error);
        }
    }

    /// Reports two types whose bases cannot be equal, once per reason.
    pub(super) fn mismatch(&mut self, expected: &Ty, found: &Ty, left: Base, right: Base, id: ReasonId) {
        if !self.reports.reasons.insert(id.0) {
            return;
        }
        if self.contains_itself(expected) || self.contains_itself(found) {
            // That is what is wrong, and is reported at the end.
            return;
        }
        let Reason { kind: role, expected: from, found: at } = self.reasons[id.0 as usize];
        let nodes = (self.bases.node(left), self.bases.node(right));
        let class = if let Node::Var(class) = nodes.0 { Some(class) } else { None };
        let known = class.is_none() && !matches!(nodes.1, Node::Var(_));
        let parts = known.then(|| (self.show(&Ty::cell(left), None), self.show(&Ty::cell(right), None)));
        let stands_for = if known { None } else { self.stands_for(found) };
        let advice = match role {
            _ if self.reports.errors.len() >= MOST_ADVICE => None,
            Kind::Function => self.spoken_operator(at).or_else(|| self.open_lambda(at)),
            _ if matches!(nodes.1, Node::Arrow(_)) => {
                self.difference(from).or_else(|| self.missing_argument(at)).or_else(|| self.nested(at))
            }
            Kind::Argument { number: 1, of: Some(name) } if let Node::Tuple(parts) = &nodes.1 => {
                self.separated(name, at, expected, &parts.clone())
            }
            Kind::Argument { .. } if matches!(nodes.0, Node::Prim(PrimType::Bool)) => self.comparison_chain(from),
            _ if matches!(nodes.1, Node::Prim(PrimType::Bool)) => self.mask(at),
            Kind::Argument { number: 1, of: Some(name) } if matches!(nodes.0, Node::Arrow(_)) => self.function_first(name, at),
            Kind::Argument { .. } => match (&nodes.0, &nodes.1) {
                (Node::Prim(wanted), Node::Var(class)) if wanted.is_int() && class.is_inexact() => Some(Advice::Fraction(*wanted)),
                (Node::Prim(_), Node::Prim(found)) => {
                    self.other_module(from, *found).or_else(|| self.other_variant(from, *found)).or_else(|| self.float_operator(from))
                }
                _ => self.float_operator(from),
            },
            _ => self.float_operator(from),
        };
        if advice == Some(Advice::ComparisonChain) && self.is_spoken(from) {
            return;
        }
        let advice = advice.or_else(|| self.float_index(at, &nodes.1));
        let mismatch = TypeMismatch {
            role,
            expected: (self.show(expected, None), from),
            found: self.show(found, None),
            class,
            parts,
            difference: difference(&nodes.0, &nodes.1),
            stands_for,
            advice,
        };
        self.error(at, ErrorKind::TypeMismatch(Box::new(mismatch)));
    }

    /// An abbreviation that is written for the type, and what it stands for.
    fn stands_for(&mut self, ty: &Ty) -> Option<(super::Shown, super::Shown)> {
        let cell = Ty::cell(ty.base);
        let (named, expanded) = (self.show(&cell, None), self.show_expanded(&cell));
        (named != expanded).then_some((named, expanded))
    }

    /// Reports an application of something that is no function.
    pub(super) fn not_a_function(&mut self, function: &Ty, index: usize, total: usize, name: Option<Symbol>, span: Span) {
        let nested = |error: &Error| match &error.kind {
            ErrorKind::TypeMismatch(mismatch) => mismatch.expected.1 == span && matches!(mismatch.advice, Some(Advice::Nested { .. })),
            _ => false,
        };
        if self.reports.errors.iter().rev().take(RECENT).any(nested) {
            // Its arguments are those of its argument.
            return;
        }
        let few = self.reports.errors.len() < MOST_ADVICE;
        let advice = if few { self.spoken_operator(span).or_else(|| self.open_lambda(span)) } else { None };
        let ty = self.show(function, None);
        self.error(span, ErrorKind::NotAFunction { name, ty, index, total, advice });
    }

    /// Reports the holes with the types that are wanted there.
    pub(super) fn report_holes(&mut self, values: Option<&[u32]>) {
        for (span, ty) in std::mem::take(&mut self.holes) {
            let known = match self.bases.node(ty.base) {
                Node::Var(class) => !class.is_any(),
                node => !matches!(node, Node::Error),
            };
            let wanted = known.then(|| self.show(&ty, values));
            self.error(span, ErrorKind::Hole { wanted });
        }
    }

    /// Reports a constructor that its type does not have, or not with as many values.
    pub(super) fn wrong_constructor(&mut self, node: &Node, base: Base, name: Ident, given: usize, source: ReasonId) {
        let fault = match node {
            Node::Sum(constructors) => match constructors.iter().find(|(label, _)| *label == name.name) {
                Some((_, payload)) => ConstructorFault::Payload { declared: payload.iter().map(|ty| self.show(ty, None)).collect(), given },
                None => ConstructorFault::Unknown { constructors: constructors.iter().map(|(label, _)| *label).collect() },
            },
            _ => {
                let root = self.bases.find(base);
                if !self.reports.no_sums.insert(root) {
                    return;
                }
                ConstructorFault::NoSum
            }
        };
        let ty = self.show(&Ty::cell(base), None);
        let Reason { kind: role, expected, found } = self.reasons[source.0 as usize];
        let expects = !expected.contains(name.span);
        let source = Source { at: if expects { expected } else { found }, role, expects };
        let source = (!source.at.contains(name.span)).then_some(source);
        self.error(name.span, ErrorKind::WrongConstructor { name: name.name, ty, fault, source });
    }

    /// Reports a projection from a type without this field.
    pub(super) fn no_such_field(&mut self, node: &Node, record: Base, field: Ident) {
        let fields = match node {
            Node::Error => return,
            Node::Tuple(parts) => Fields::Tuple(parts.len()),
            Node::Record(fields) => Fields::Record(fields.iter().map(|(label, _)| *label).collect()),
            _ => Fields::None,
        };
        let few = self.reports.errors.len() < MOST_ADVICE;
        let whole = if few && fields == Fields::None { self.projected(field.span) } else { None };
        let ty = self.show(&whole.unwrap_or(Ty::cell(record)), None);
        self.error(field.span, ErrorKind::NoSuchField { field: field.name, ty, fields });
    }
}

/// How two bases differ that cannot be equal.
fn difference(expected: &Node, found: &Node) -> Difference {
    let labels = |expected: Vec<Symbol>, found: Vec<Symbol>| {
        let only = |these: &[Symbol], those: &[Symbol]| these.iter().filter(|label| !those.contains(label)).copied().collect();
        Labels { missing: only(&expected, &found), extra: only(&found, &expected) }
    };
    match (expected, found) {
        (Node::Record(a), Node::Record(b)) => {
            Difference::Fields(labels(a.iter().map(|field| field.0).collect(), b.iter().map(|field| field.0).collect()))
        }
        (Node::Sum(a), Node::Sum(b)) => {
            Difference::Constructors(labels(a.iter().map(|sum| sum.0).collect(), b.iter().map(|sum| sum.0).collect()))
        }
        (Node::Tuple(a), Node::Tuple(b)) => Difference::Tuples { expected: a.len(), found: b.len() },
        (Node::Prim(expected), Node::Prim(found)) if expected != found => Difference::Prims { expected: *expected, found: *found },
        _ => Difference::Forms,
    }
}

/// The error for equations that cannot all hold. Without the last of them the others can; under their solution its two sides have
/// different ranks: these are the two places that the message names.
/// With `all`, every equation matters and the applications among them are shown too.
pub(super) fn rank_conflict(ctx: &mut Context, equations: &[usize], all: bool) -> Error {
    let Some((&last, rest)) = equations.split_last() else {
        crate::ice!(Span::default(), "a conflict between no ranks");
    };
    let reason = ctx.reasons[ctx.ranks.system.equations[last].tag as usize];
    let mut system = ctx.ranks.system.clone();
    system.equations = rest.iter().map(|i| ctx.ranks.system.equations[*i].clone()).collect();
    let values = match rank::solve(&system, &Options { explain: false, ..Options::default() }) {
        RankOutcome::Solved(solution) => solution.values,
        _ => vec![0; system.kinds.len()],
    };
    let sides = ctx.ranks.sides[last].clone();
    let expected = claim(ctx, reason.expected, &sides.expected, &values);
    let found = claim(ctx, reason.found, &sides.found, &values);
    let others = if all { other_claims(ctx, rest, &values, [expected.at, found.at]) } else { Vec::new() };
    Error { at: found.at, kind: ErrorKind::RankConflict(Box::new(RankConflict { role: reason.kind, expected, found, others })) }
}

/// Leaves out the conflicts between branches of an `if` whose condition is no truth value: it was to choose for each element.
pub(super) fn without_branches(ast: &Ast, errors: &mut Vec<Error>) {
    let of = |role: Kind| {
        move |error: &Error| match &error.kind {
            ErrorKind::RankConflict(conflict) if conflict.role == role => Some((conflict.expected.at, error.at)),
            _ => None,
        }
    };
    let conditions: Vec<Span> = errors.iter().filter_map(of(Kind::Choice)).map(|(_, at)| at).collect();
    let chosen = |first: Span, second: Span| {
        ast.exprs.iter().any(|(_, expr)| match expr.kind {
            ExprKind::If { cond, then, els } => {
                let within = |id: ExprId, place: Span| ast.exprs[id].span.contains(place);
                within(then, first) && within(els, second) && conditions.iter().any(|place| within(cond, *place))
            }
            _ => false,
        })
    };
    if !conditions.is_empty() {
        errors.retain(|error| of(Kind::Branch)(error).is_none_or(|(first, second)| !chosen(first, second)));
    }
}

fn claim(ctx: &mut Context, at: Span, ty: &Ty, values: &[u32]) -> Claim {
    let rank = ty.rank.eval(values).unwrap_or(0);
    Claim { at, rank, ty: ctx.show(ty, Some(values)) }
}

/// The applications among the other equations of a conflict, at places other than its two sides.
fn other_claims(ctx: &Context, equations: &[usize], values: &[u32], sides: [Span; 2]) -> Vec<OtherClaim> {
    let mut shown: FxHashSet<Span> = sides.into_iter().collect();
    let mut others = Vec::new();
    for &equation in equations.iter().rev() {
        let reason = ctx.reasons[ctx.ranks.system.equations[equation].tag as usize];
        if others.len() == MORE_PLACES || !shown.insert(reason.found) {
            continue;
        }
        let sides = &ctx.ranks.sides[equation];
        let rank = |ty: &Ty| ty.rank.eval(values).unwrap_or(0);
        others.push(OtherClaim { at: reason.found, role: reason.kind, expected: rank(&sides.expected), found: rank(&sides.found) });
    }
    others
}
