//! Type annotations and patterns.

use super::context::{ANNOTATION_BUDGET, Context, Judgement};
use super::reason::Kind;
use super::types::{Node, Ty};
use crate::base::{PrimType, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::surface::{Dim, Ident, PatId, PatKind, TypeArg, TypeId, TypeKind, TypeParam};
use crate::ir::tables::{TypeDefId, TypeParamId, TypeRes};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The arguments of the abbreviations around a type.
type Args = FxHashMap<TypeParamId, Ty>;

impl Context<'_> {
    /// The type that an annotation says. Sizes are checked to be of type `i64` and otherwise ignored.
    pub(super) fn annotation(&mut self, ty: TypeId) -> Ty {
        self.annotation_in(ty, &Args::default())
    }

    fn annotation_in(&mut self, id: TypeId, args: &Args) -> Ty {
        let ast = self.ast();
        let ty = &ast.types[id];
        self.annotation_nodes += 1;
        if self.annotation_nodes >= ANNOTATION_BUDGET {
            if self.annotation_nodes == ANNOTATION_BUDGET {
                self.error(Diagnostic::error("E0309", ty.span, "type too large after its abbreviations are expanded"));
            }
            return self.error_type();
        }
        match &ty.kind {
            TypeKind::Error => self.error_type(),
            TypeKind::Name { args: given, .. } => self.named_type(id, given, args, ty.span),
            TypeKind::Array(dim, element) => {
                self.dim(*dim);
                let element = self.annotation_in(*element, args);
                Ty::new(element.rank.plus(1), element.base)
            }
            TypeKind::Tuple(parts) => {
                let parts: Arc<[Ty]> = parts.iter().map(|part| self.annotation_in(*part, args)).collect();
                Ty::cell(self.base(Node::Tuple(parts)))
            }
            TypeKind::Record(fields) => {
                let fields: Vec<(Ident, Ty)> = fields.iter().map(|(label, part)| (*label, self.annotation_in(*part, args))).collect();
                self.record_type(fields)
            }
            TypeKind::Sum(clauses) => {
                let clauses: Vec<(Ident, Arc<[Ty]>)> = clauses
                    .iter()
                    .map(|(label, payload)| (*label, payload.iter().map(|part| self.annotation_in(*part, args)).collect()))
                    .collect();
                self.sum_type(clauses)
            }
            TypeKind::Arrow { param, from, to } => {
                let from = self.annotation_in(*from, args);
                if let Some(param) = param {
                    self.bind_pattern(*param, Judgement::plain(from.clone()));
                }
                let to = self.annotation_in(*to, args);
                self.arrow(from, to)
            }
            TypeKind::Exists(sizes, inner) => {
                self.bind_sizes(sizes);
                self.annotation_in(*inner, args)
            }
            TypeKind::Unique(inner) | TypeKind::Paren(inner) => self.annotation_in(*inner, args),
        }
    }

    fn named_type(&mut self, id: TypeId, given: &[TypeArg], args: &Args, span: Span) -> Ty {
        match self.program.names.types.get(id) {
            Some(TypeRes::Prim(prim)) => self.prim(*prim),
            Some(TypeRes::Param(param)) => match args.get(param) {
                Some(ty) => ty.clone(),
                None => self.param(*param),
            },
            Some(TypeRes::Abbreviation(def)) => self.abbreviation(*def, given, args, span),
            None => self.error_type(),
        }
    }

    fn abbreviation(&mut self, def: TypeDefId, given: &[TypeArg], args: &Args, span: Span) -> Ty {
        let decl = self.program.types[def].decl.clone();
        let mut types = Vec::new();
        for arg in given {
            match arg {
                TypeArg::Size(dim) => self.dim(*dim),
                TypeArg::Type(ty) => types.push(self.annotation_in(*ty, args)),
            }
        }
        let params: Vec<&Ident> =
            decl.tparams.iter().filter_map(|p| if let TypeParam::Type(ident) = p { Some(ident) } else { None }).collect();
        if params.len() != types.len() {
            let message = format!("`{}` takes {} type arguments, but {} are given", decl.name.name, params.len(), types.len());
            self.error(Diagnostic::error("E0309", span, message));
            return self.error_type();
        }
        let closed = types.is_empty();
        if closed && let Some(ty) = self.abbreviations.get(&def) {
            return ty.clone();
        }
        let names = &self.program.names;
        let inner: Args = params.iter().zip(types).filter_map(|(p, ty)| Some((*names.declared.get(&p.span)?, ty))).collect();
        self.bind_tparams(&decl.tparams);
        let ty = self.annotation_in(decl.ty, &inner);
        if closed {
            self.abbreviations.insert(def, ty.clone());
        }
        ty
    }

    fn dim(&mut self, dim: Dim) {
        if let Dim::Expr(expr) = dim {
            self.scalar_operand(expr, PrimType::I64, Kind::Size);
        }
    }

    /// A record type; reports labels that occur twice.
    pub(super) fn record_type(&mut self, mut fields: Vec<(Ident, Ty)>) -> Ty {
        fields.sort_by_key(|(label, _)| (label.name, label.span));
        for pair in fields.windows(2) {
            if pair[0].0.name == pair[1].0.name {
                let message = format!("the field `{}` occurs twice", pair[1].0.name);
                let error = Diagnostic::error("E0306", pair[1].0.span, message).label(pair[0].0.span, "first here");
                self.diagnostics.push(error);
            }
        }
        fields.dedup_by(|next, kept| next.0.name == kept.0.name);
        let fields: Arc<[(Symbol, Ty)]> = fields.into_iter().map(|(label, ty)| (label.name, ty)).collect();
        Ty::cell(self.base(Node::Record(fields)))
    }

    /// A sum type; reports constructors that occur twice.
    fn sum_type(&mut self, mut clauses: Vec<(Ident, Arc<[Ty]>)>) -> Ty {
        clauses.sort_by_key(|(label, _)| (label.name, label.span));
        for pair in clauses.windows(2) {
            if pair[0].0.name == pair[1].0.name {
                let message = format!("the constructor `#{}` occurs twice", pair[1].0.name);
                let error = Diagnostic::error("E0312", pair[1].0.span, message).label(pair[0].0.span, "first here");
                self.diagnostics.push(error);
            }
        }
        clauses.dedup_by(|next, kept| next.0.name == kept.0.name);
        let clauses: Arc<[(Symbol, Arc<[Ty]>)]> = clauses.into_iter().map(|(label, payload)| (label.name, payload)).collect();
        Ty::cell(self.base(Node::Sum(clauses)))
    }

    /// The type of a pattern on its own; binds its variables.
    pub(super) fn pattern(&mut self, id: PatId) -> Ty {
        let ast = self.ast();
        let ty = match &ast.pats[id].kind {
            PatKind::Error => self.error_type(),
            PatKind::Name(_) => {
                let ty = self.fresh();
                self.bind_var(id, Judgement::plain(ty.clone()));
                return ty;
            }
            PatKind::Wild => self.fresh(),
            PatKind::Paren(inner) => self.pattern(*inner),
            PatKind::Tuple(parts) => {
                let parts: Arc<[Ty]> = parts.iter().map(|part| self.pattern(*part)).collect();
                Ty::cell(self.base(Node::Tuple(parts)))
            }
            PatKind::Record(fields) => {
                let fields: Vec<(Ident, Ty)> = fields.iter().map(|(label, part)| (*label, self.pattern(*part))).collect();
                self.record_type(fields)
            }
            PatKind::Ascribe(inner, ty) => {
                let annotated = self.annotation(*ty);
                self.bind_pattern(*inner, Judgement::plain(annotated.clone()));
                annotated
            }
            PatKind::Lit(literal) => self.value(*literal),
            PatKind::Constr(name, args) => {
                let payload: Arc<[Ty]> = args.iter().map(|arg| self.pattern(*arg)).collect();
                self.constructor(*name, payload)
            }
        };
        self.pats.push((id, ty.clone()));
        ty
    }

    /// Matches a pattern with what it binds. A single variable keeps the frame.
    pub(super) fn bind_pattern(&mut self, id: PatId, judgement: Judgement) {
        self.bind_pattern_from(id, judgement, self.ast().pats[id].span);
    }

    /// The same, where the value comes from the place `source`.
    pub(super) fn bind_pattern_from(&mut self, id: PatId, judgement: Judgement, source: Span) {
        let ast = self.ast();
        let pat = &ast.pats[id];
        match &pat.kind {
            PatKind::Name(_) => return self.bind_var(id, judgement),
            PatKind::Paren(inner) => {
                self.pats.push((id, judgement.clone().merged()));
                return self.bind_pattern_from(*inner, judgement, source);
            }
            PatKind::Wild => {
                self.pats.push((id, judgement.merged()));
                return;
            }
            PatKind::Tuple(parts) => {
                let ty = judgement.clone().merged();
                let rank = self.reduce(&ty.rank);
                if let Node::Tuple(known) = self.node(ty.base)
                    && known.len() == parts.len()
                    && rank.terms.is_empty()
                    && rank.constant == 0
                {
                    self.pats.push((id, ty));
                    for (part, ty) in parts.iter().zip(known.iter()) {
                        self.bind_pattern_from(*part, Judgement::plain(ty.clone()), source);
                    }
                    return;
                }
            }
            PatKind::Constr(name, args) => {
                let ty = judgement.clone().merged();
                let rank = self.reduce(&ty.rank);
                if let Node::Sum(known) = self.node(ty.base)
                    && let Some((_, payload)) = known.iter().find(|(label, _)| *label == name.name)
                    && payload.len() == args.len()
                    && rank.terms.is_empty()
                    && rank.constant == 0
                {
                    self.pats.push((id, ty));
                    for (arg, ty) in args.iter().zip(payload.iter()) {
                        self.bind_pattern_from(*arg, Judgement::plain(ty.clone()), source);
                    }
                    return;
                }
            }
            PatKind::Error | PatKind::Record(_) | PatKind::Ascribe(..) | PatKind::Lit(_) => {}
        }
        let ty = self.pattern(id);
        let reason = self.reason(Kind::Pattern, pat.span, source);
        self.unify(&ty, &judgement.merged(), reason);
    }
}
