//! Type annotations and patterns.

use super::context::{ANNOTATION_BUDGET, Context, Judgement, View};
use super::error::{AbbreviationArguments, AbbreviationParam, ErrorKind};
use super::reason::Kind;
use super::types::{Node, Ty};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::surface::{Dim, Ident, PatId, PatKind, TypeArg, TypeDecl, TypeId, TypeKind, TypeParam};
use crate::ir::tables::{Hiding, TypeDefId, TypeParamId, TypeRes};
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
        self.annotated.nodes += 1;
        if self.annotated.nodes >= ANNOTATION_BUDGET {
            if self.annotated.nodes == ANNOTATION_BUDGET {
                self.error(ty.span, ErrorKind::TypeTooLarge);
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
                Ty::cell(self.bases.add(Node::Tuple(parts)))
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
                self.bases.arrow(from, to)
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
            Some(TypeRes::Prim(prim)) => self.bases.prim(*prim),
            Some(TypeRes::Param(param)) => match args.get(param) {
                Some(ty) => ty.clone(),
                None => self.bases.param(*param),
            },
            Some(TypeRes::Abbreviation(def)) => self.abbreviation(*def, given, args, span),
            None => self.error_type(),
        }
    }

    fn abbreviation(&mut self, def: TypeDefId, given: &[TypeArg], args: &Args, span: Span) -> Ty {
        let program = self.program;
        let decl = &program.types[def].decl;
        let given = program.ast.type_arguments(decl, given);
        let mut types = Vec::new();
        for arg in &given {
            match arg {
                TypeArg::Size(dim) => self.dim(*dim),
                TypeArg::Type(ty) => types.push(self.annotation_in(*ty, args)),
            }
        }
        if !self.right_arguments(decl, &given, span) {
            return self.error_type();
        }
        self.applied_type(def, types)
    }

    /// An abbreviation or an abstract type with as many arguments as it has parameters.
    pub(super) fn applied_type(&mut self, def: TypeDefId, types: Vec<Ty>) -> Ty {
        let program = self.program;
        let known = &program.types[def];
        if known.hiding != Hiding::Shown && (self.annotated.view.outside || self.program.hides(def, self.def)) {
            if known.hiding != Hiding::Unknown && !self.annotated.view.outside && self.annotated.hidden.insert(def) {
                // Nothing is known of the type, but elaboration needs the sizes that are written behind it.
                self.behind(&known.decl, &types);
            }
            return Ty::cell(self.bases.add(Node::Abstract(def, known.name, types.into())));
        }
        let closed = types.is_empty();
        if closed && let Some(ty) = self.annotated.view.expanded.get(&def) {
            return ty.clone();
        }
        let ty = self.behind(&known.decl, &types);
        if ty.rank.terms.is_empty() && ty.rank.constant == 0 {
            self.annotated.abbreviations.push((ty.base, def, types));
        }
        if closed {
            self.annotated.view.expanded.insert(def, ty.clone());
        }
        ty
    }

    /// What an abbreviation stands for.
    fn behind(&mut self, decl: &TypeDecl, types: &[Ty]) -> Ty {
        let params = decl.tparams.iter().filter_map(|p| if let TypeParam::Type(ident) = p { Some(ident) } else { None });
        let names = &self.program.names;
        let inner: Args = params.zip(types).filter_map(|(p, ty)| Some((*names.declared.get(&p.span)?, ty.clone()))).collect();
        self.bind_tparams(&decl.tparams);
        self.annotation_in(decl.ty, &inner)
    }

    /// The type that a module type gives a value, as others see it.
    pub(super) fn shown_type(&mut self, ty: TypeId) -> Ty {
        let view = std::mem::replace(&mut self.annotated.view, View { outside: true, ..View::default() });
        let shown = self.annotation(ty);
        self.annotated.view = view;
        shown
    }

    /// Whether an abbreviation has got sizes and types in the order of its parameters.
    fn right_arguments(&mut self, decl: &TypeDecl, given: &[TypeArg], span: Span) -> bool {
        let fits = |(param, arg): (&TypeParam, &TypeArg)| {
            matches!((param, arg), (TypeParam::Size(_), TypeArg::Size(_)) | (TypeParam::Type(_), TypeArg::Type(_)))
        };
        if decl.tparams.len() == given.len() && decl.tparams.iter().zip(given).all(fits) {
            return true;
        }
        let params = decl.tparams.iter().map(|param| match param {
            TypeParam::Size(pat) => AbbreviationParam::Size(match self.ast().pats[*pat].kind {
                PatKind::Name(size) => Some(size),
                _ => None,
            }),
            TypeParam::Type(ident) => AbbreviationParam::Type(ident.name),
        });
        let arguments = AbbreviationArguments {
            name: decl.name.name,
            declared: decl.name.span,
            params: params.collect(),
            sizes: given.iter().map(|arg| matches!(arg, TypeArg::Size(_))).collect(),
        };
        self.error(span, ErrorKind::AbbreviationArguments(arguments));
        false
    }

    fn dim(&mut self, dim: Dim) {
        if let Dim::Expr(expr) = dim {
            self.scalar_operand(expr, PrimType::I64, Kind::Size);
        }
    }

    /// A record type. That a field occurs twice was reported when names were resolved.
    pub(super) fn record_type(&mut self, mut fields: Vec<(Ident, Ty)>) -> Ty {
        fields.sort_by_key(|(label, _)| (label.name, label.span));
        fields.dedup_by(|next, kept| next.0.name == kept.0.name);
        let fields: Arc<[(Symbol, Ty)]> = fields.into_iter().map(|(label, ty)| (label.name, ty)).collect();
        Ty::cell(self.bases.add(Node::Record(fields)))
    }

    /// A sum type. That a constructor occurs twice was reported when names were resolved.
    fn sum_type(&mut self, mut clauses: Vec<(Ident, Arc<[Ty]>)>) -> Ty {
        clauses.sort_by_key(|(label, _)| (label.name, label.span));
        clauses.dedup_by(|next, kept| next.0.name == kept.0.name);
        let clauses: Arc<[(Symbol, Arc<[Ty]>)]> = clauses.into_iter().map(|(label, payload)| (label.name, payload)).collect();
        Ty::cell(self.bases.add(Node::Sum(clauses)))
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
                Ty::cell(self.bases.add(Node::Tuple(parts)))
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
                let payload: Arc<[(Ty, Span)]> = args.iter().map(|arg| (self.pattern(*arg), ast.pats[*arg].span)).collect();
                self.constructor(*name, payload)
            }
        };
        self.found.pats.push((id, ty.clone()));
        ty
    }

    /// Matches a pattern with what it binds. A single variable keeps the frame.
    pub(super) fn bind_pattern(&mut self, id: PatId, judgement: Judgement) {
        self.bind_pattern_from(id, judgement, self.ast().pats[id].span);
    }

    /// `bind_pattern`, where the value comes from the place `source`.
    pub(super) fn bind_pattern_from(&mut self, id: PatId, judgement: Judgement, source: Span) {
        let ast = self.ast();
        let pat = &ast.pats[id];
        match &pat.kind {
            PatKind::Name(_) => return self.bind_var(id, judgement),
            PatKind::Paren(inner) => {
                self.found.pats.push((id, judgement.clone().merged()));
                return self.bind_pattern_from(*inner, judgement, source);
            }
            PatKind::Wild => {
                self.found.pats.push((id, judgement.merged()));
                return;
            }
            PatKind::Tuple(parts) => {
                let ty = judgement.clone().merged();
                let rank = self.ranks.reduce(&ty.rank);
                if let Node::Tuple(known) = self.bases.node(ty.base)
                    && known.len() == parts.len()
                    && rank.terms.is_empty()
                    && rank.constant == 0
                {
                    self.found.pats.push((id, ty));
                    for (part, ty) in parts.iter().zip(known.iter()) {
                        self.bind_pattern_from(*part, Judgement::plain(ty.clone()), source);
                    }
                    return;
                }
            }
            PatKind::Constr(name, args) => {
                let ty = judgement.clone().merged();
                let rank = self.ranks.reduce(&ty.rank);
                if let Node::Sum(known) = self.bases.node(ty.base)
                    && let Some((_, payload)) = known.iter().find(|(label, _)| *label == name.name)
                    && payload.len() == args.len()
                    && rank.terms.is_empty()
                    && rank.constant == 0
                {
                    self.found.pats.push((id, ty));
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
