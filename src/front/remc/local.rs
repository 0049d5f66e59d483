//! Bodies with definitions of their own, and functions whose parameters have ranks instead of types.

use super::error::{CallError, FormError, Place};
use super::insertions::Called;
use super::instance::{Instance, Open};
use super::{Elaborator, Typed};
use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::{Expr, ExprKind, Shape, ShapeItem, Type};

/// Whether these forms are a body: definitions, then one expression.
pub(super) fn is_body(items: &[Sexp]) -> bool {
    let defines = |item: &Sexp| matches!(&item.kind, SexpKind::Paren(parts) if parts.first().and_then(Sexp::keyword) == Some("define"));
    items.split_last().is_some_and(|(_, definitions)| definitions.iter().all(defines))
}

/// How many axes of an argument a parameter takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rank {
    /// All of them.
    All,
    /// So many of the last ones.
    Last(usize),
    /// All but so many of the first ones.
    AllBut(usize),
}

/// A function whose parameters have ranks.
pub(super) enum Ranked<'s> {
    /// `~(r ..)f`.
    Of(Vec<Rank>, &'s Sexp),
    /// `(fn ((x r) ..) e)`.
    Function(Vec<(Symbol, Rank)>, &'s [Sexp]),
}

fn rank(item: &Sexp) -> Option<Rank> {
    match item.kind {
        SexpKind::Scalar(Scalar::I64(rank)) => {
            let size = usize::try_from(rank.unsigned_abs()).unwrap_or(usize::MAX);
            Some(if rank < 0 { Rank::AllBut(size) } else { Rank::Last(size) })
        }
        _ => (item.keyword() == Some("all")).then_some(Rank::All),
    }
}

impl Elaborator<'_> {
    /// The keyword that a word is another notation of. A word that a program gives a meaning keeps it.
    pub(super) fn canonical(&self, word: &'static str) -> &'static str {
        let canonical = match word {
            "λ" | "\\" => return "fn",
            "Iλ" | "I\\" => return "i-fn",
            "Tλ" | "T\\" => return "t-fn",
            "I-λ" => "i-fn",
            "T-λ" => "t-fn",
            "I-APP" => "i-app",
            "T-APP" => "t-app",
            "PACK" => "box",
            "UNPACK" => "unbox",
            "A" => "#A",
            _ => return word,
        };
        let name = Symbol::new(word);
        let own = self.scope.term(name).is_some() || self.libraries.inside.is_none() && self.globals.contains_key(&name);
        if own { word } else { canonical }
    }

    /// Definitions, each seen by what follows it, then an expression.
    pub(super) fn body(&mut self, items: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        let (first, rest) = items.split_first()?;
        if rest.is_empty() {
            return self.expr(first, wanted);
        }
        let parts = self.definition_parts(first)?;
        let (value, declared) = self.defined_value(&parts);
        self.bound_in(first.span, parts.name, declared, value, |this| this.body(rest, wanted))
    }

    /// A body of exactly this type.
    pub(super) fn exactly_body(&mut self, items: &[Sexp], wanted: &Type, place: Place) -> Option<Typed> {
        let value = self.body(items, Some(wanted))?;
        self.expect(wanted, &value, place)?;
        Some(value)
    }

    /// What a function with ranks consists of; `None` if the form is none, or an error in it.
    pub(super) fn ranked<'s>(&mut self, head: &'s Sexp) -> Option<Option<Ranked<'s>>> {
        let SexpKind::Paren(parts) = &head.kind else { return None };
        let word = parts.first().and_then(Sexp::keyword)?;
        match (self.canonical(word), &parts[1..]) {
            ("#r", [ranks, function]) => Some(self.ranks(ranks).map(|ranks| Ranked::Of(ranks, function))),
            ("fn", [params, body @ ..]) if is_body(body) => {
                let (SexpKind::Paren(params) | SexpKind::Bracket(params)) = &params.kind else { return None };
                let ranked = params.iter().map(|param| match &param.kind {
                    SexpKind::Paren(pair) | SexpKind::Bracket(pair) => match pair.as_slice() {
                        [name, of] => Some((name, rank(of)?)),
                        _ => None,
                    },
                    _ => None,
                });
                let ranked: Vec<(&Sexp, Rank)> = ranked.collect::<Option<_>>()?;
                if ranked.is_empty() {
                    return None;
                }
                let named: Vec<Option<(Symbol, Rank)>> = ranked.into_iter().map(|(name, rank)| Some((self.name(name)?, rank))).collect();
                Some(named.into_iter().collect::<Option<_>>().map(|named| Ranked::Function(named, body)))
            }
            _ => None,
        }
    }

    fn ranks(&mut self, item: &Sexp) -> Option<Vec<Rank>> {
        let items = self.list(item, "ranks (r ..)")?;
        let ranks: Vec<Option<Rank>> = items
            .iter()
            .map(|item| match rank(item) {
                Some(rank) => Some(rank),
                None => self.error(item.span, FormError::NotARank),
            })
            .collect();
        ranks.into_iter().collect()
    }

    /// The application of a function with ranks, as in the untyped language of the paper's authors: its parameters have the types of the
    /// cells of these ranks that the arguments consist of, and it is lifted like any other.
    pub(super) fn application_at_ranks(
        &mut self,
        span: Span,
        function: Ranked<'_>,
        operands: &[Sexp],
        wanted: Option<&Type>,
    ) -> Option<Typed> {
        let (names, ranks): (Vec<Symbol>, Vec<Rank>) = match &function {
            Ranked::Of(_, _) if operands.is_empty() => return self.error(span, FormError::RanksWithoutArguments),
            Ranked::Of(ranks, _) => (0..ranks.len()).map(|at| Symbol::new(&format!("argument {} of ~", at + 1))).zip(ranks.clone()).unzip(),
            Ranked::Function(params, _) => params.iter().copied().unzip(),
        };
        let args: Vec<Option<Typed>> = operands.iter().map(|operand| self.expr(operand, None)).collect();
        let args: Vec<Typed> = args.into_iter().collect::<Option<_>>()?;
        if args.len() != ranks.len() {
            return self.error(span, CallError::RankCount { ranks: ranks.len(), arguments: args.len() });
        }
        self.distinct_names(span, &names)?;
        let cells: Vec<Option<Type>> = ranks.iter().zip(&args).map(|(rank, arg)| self.cell_of_rank(*rank, arg)).collect();
        let cells: Vec<Type> = cells.into_iter().collect::<Option<_>>()?;
        let is_written = matches!(function, Ranked::Function(..));
        let params = names.iter().copied().zip(cells).collect();
        let fun = self.function_of(span, params, is_written, |this| match function {
            Ranked::Of(_, function) => {
                let operands: Vec<Sexp> =
                    names.iter().zip(operands).map(|(name, item)| Sexp { kind: SexpKind::Quoted(*name), span: item.span }).collect();
                this.application(span, function, &operands, None)
            }
            Ranked::Function(_, body) => this.body(body, None),
        })?;
        let args = args.into_iter().map(|arg| Instance::plain(arg, Called::Argument)).collect();
        self.apply(span, Instance::plain(fun, Called::Function), args, Open::default(), wanted)
    }

    /// The type of the cells of this rank of an array. A rank that the array does not have means all of it.
    fn cell_of_rank(&mut self, rank: Rank, arg: &Typed) -> Option<Type> {
        let items = &arg.ty.shape().items;
        let is_size = |item: &ShapeItem| matches!(item, ShapeItem::Dim(_));
        let (from, known) = match rank {
            Rank::All => (0, true),
            Rank::Last(rank) => {
                let from = items.len().saturating_sub(rank);
                (from, items[from..].iter().all(is_size))
            }
            Rank::AllBut(rank) => {
                let from = items.len().min(rank);
                (from, items[..from].iter().all(is_size))
            }
        };
        if !known {
            return self.error(arg.span(), CallError::UnknownRank(arg.ty.shape().clone()));
        }
        Some(Type::new(arg.ty.atom().clone(), Shape { items: items[from..].to_vec() }))
    }

    /// A function of parameters with these names and types. Names that are not written in the program are `x` in the explicit one.
    fn function_of(
        &mut self,
        span: Span,
        params: Vec<(Symbol, Type)>,
        are_written: bool,
        body: impl FnOnce(&mut Self) -> Option<Typed>,
    ) -> Option<Typed> {
        let mut bound = Vec::with_capacity(params.len());
        let mut list = Vec::with_capacity(params.len());
        for (name, ty) in params {
            let inner = self.fresh(if are_written { name } else { Symbol::new("x") });
            bound.push(self.scope.bind_term(name, inner, Some(ty.clone()), None));
            list.push((inner, ty));
        }
        let body = body(self);
        self.scope.unbind(bound);
        let body = body?;
        let ty = self.function_type(&list, &body.ty);
        Some(Typed::new(Expr::new(ExprKind::Fn { params: list, ret: body.ty.clone(), body: body.expr }, span), ty))
    }
}
