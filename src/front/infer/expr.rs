//! Constraints of expressions other than applications.

use super::context::{Context, Judgement, SiteRef, Slot, Spine};
use super::error::ErrorKind;
use super::reason::Kind;
use super::types::{Class, Node, Ty};
use crate::base::{PrimType, Span};
use crate::ir::surface::{Access, ExprId, ExprKind, Ident, IndexArg, LetFun, LoopForm, PatId, TypeId, view};
use crate::ir::tables::Res;
use crate::rank::LinExpr;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Chains of more operators than this are not judged by recursion.
const LONG_CHAIN: usize = 64;

impl Context<'_> {
    /// The judgement of an expression; notes its whole type.
    pub(super) fn expr(&mut self, id: ExprId) -> Judgement {
        if let Some(judgement) = self.ready.remove(&id) {
            return judgement;
        }
        for inner in self.chain(id).into_iter().rev() {
            let judgement = self.expr(inner);
            self.ready.insert(inner, judgement);
        }
        let judgement = self.judge(id);
        self.found.exprs.push((id, judgement.clone().merged()));
        judgement
    }

    /// The operator applications down the left edge of a long chain `a + b + c + ..`, outermost first: judged from the inside out,
    /// they need no deep recursion.
    fn chain(&self, id: ExprId) -> Vec<ExprId> {
        let ast = self.ast();
        let operator = |at: ExprId| match &ast.exprs[at].kind {
            ExprKind::Binary { op, lhs, .. } if view::pipe(op).is_none() => Some(*lhs),
            _ => None,
        };
        let mut chain = Vec::new();
        let mut at = id;
        while let Some(lhs) = operator(at) {
            if self.ready.contains_key(&lhs) || operator(lhs).is_none() {
                break;
            }
            chain.push(lhs);
            at = lhs;
        }
        if chain.len() < LONG_CHAIN { Vec::new() } else { chain }
    }

    /// The whole type of an expression, frame included.
    pub(super) fn value(&mut self, id: ExprId) -> Ty {
        self.expr(id).merged()
    }

    /// An expression that has to be a scalar of a given type, without insertions.
    pub(super) fn scalar_operand(&mut self, id: ExprId, prim: PrimType, kind: Kind) {
        let expected = self.bases.prim(prim);
        self.equal(id, &expected, kind, self.span(id));
    }

    /// An expression whose type has to be `expected`.
    fn equal(&mut self, id: ExprId, expected: &Ty, kind: Kind, from: Span) {
        let found = self.value(id);
        let reason = self.reason(kind, from, self.span(self.tail(id)));
        self.unify(expected, &found, reason);
    }

    /// The expression whose value is the value of `id`: below the bindings in front of it.
    fn tail(&self, mut id: ExprId) -> ExprId {
        loop {
            match &self.ast().exprs[id].kind {
                ExprKind::Let { body, .. } | ExprKind::LetUpdate { body, .. } => id = *body,
                ExprKind::LetFun(fun) => id = fun.body,
                _ => return id,
            }
        }
    }

    fn judge(&mut self, id: ExprId) -> Judgement {
        let ast = self.ast();
        let expr = &ast.exprs[id];
        match &expr.kind {
            ExprKind::Paren(inner) | ExprKind::Attr { expr: inner, .. } | ExprKind::Open { expr: inner, .. } => return self.expr(*inner),
            ExprKind::Name(_) | ExprKind::OpFn(_) => return self.name(id),
            ExprKind::Project { .. } if self.program.names.exprs.get(id).is_some() => return self.name(id),
            ExprKind::Let { sizes, pat, rhs, body } => return self.let_in(sizes, *pat, *rhs, *body),
            ExprKind::LetFun(fun) => {
                self.let_fun(fun, expr.span);
                return self.expr(fun.body);
            }
            ExprKind::LetUpdate { base, binder, path, value, body } => {
                let ty = self.update(id, *base, path, *value);
                self.bind_var(*binder, Judgement::plain(ty));
                return self.expr(*body);
            }
            ExprKind::Apply { .. } | ExprKind::Binary { .. } | ExprKind::Unary { .. } | ExprKind::Project { .. } => {
                return self.application(id);
            }
            ExprKind::Constr { args, .. } if !args.is_empty() => return self.application(id),
            ExprKind::Index { indices, .. } if indices.iter().all(|i| matches!(i, IndexArg::Index(_))) => return self.application(id),
            ExprKind::LeftSection { lhs, op } => return self.left_section(id, *lhs, op),
            ExprKind::RightSection { op, rhs } => return self.right_section(id, op, *rhs),
            ExprKind::ProjectSection(path) => return self.project_section(id, path),
            ExprKind::IndexSection(indices) => return self.index_section(id, indices),
            _ => {}
        }
        Judgement::plain(self.plain(id))
    }

    /// Forms whose value has no frame of its own.
    fn plain(&mut self, id: ExprId) -> Ty {
        let ast = self.ast();
        let expr = &ast.exprs[id];
        match &expr.kind {
            ExprKind::Int { suffix, .. } => self.literal(*suffix, Class::numeric()),
            ExprKind::Float { suffix, .. } => self.literal(*suffix, Class::inexact()),
            ExprKind::Imaginary { suffix, .. } => self.literal(*suffix, Class::complex()),
            ExprKind::Bool(_) => self.bases.prim(PrimType::Bool),
            ExprKind::Str(_) => {
                let byte = self.bases.prim(PrimType::U8);
                Ty::new(LinExpr::constant(1), byte.base)
            }
            ExprKind::Tuple(parts) => {
                let parts: Arc<[Ty]> = parts.iter().map(|part| self.value(*part)).collect();
                Ty::cell(self.bases.add(Node::Tuple(parts)))
            }
            ExprKind::Record(fields) => {
                let fields: Vec<(Ident, Ty)> = fields.iter().map(|(label, part)| (*label, self.value(*part))).collect();
                self.record_type(fields)
            }
            ExprKind::Array(elements) => self.array(elements),
            ExprKind::Index { array, indices } => {
                let array_ty = self.value(*array);
                let (_, slice) = self.selection(&array_ty, indices, self.span(*array), expr.span);
                slice
            }
            ExprKind::Range { start, step, end, .. } => self.range(*start, *step, *end),
            ExprKind::Lambda { params, ret, body } => self.lambda(params, *ret, *body),
            ExprKind::If { cond, then, els } => {
                self.scalar_operand(*cond, PrimType::Bool, Kind::Choice);
                let ty = self.value(*then);
                self.equal(*els, &ty, Kind::Branch, self.span(*then));
                ty
            }
            ExprKind::Loop { sizes, pat, init, form, body } => {
                self.bind_sizes(sizes);
                self.loop_(*pat, *init, form, *body)
            }
            ExprKind::With { base, path, value } => self.update(id, *base, path, *value),
            ExprKind::Ascribe { expr: inner, ty } | ExprKind::Coerce { expr: inner, ty } => {
                let annotated = self.annotation(*ty);
                self.equal(*inner, &annotated, Kind::Ascription, ast.types[*ty].span);
                annotated
            }
            ExprKind::Assert { cond, expr: inner } => {
                self.scalar_operand(*cond, PrimType::Bool, Kind::Condition);
                self.value(*inner)
            }
            ExprKind::Constr { name, .. } => self.constructor(*name, Arc::default()),
            ExprKind::Match { scrutinee, cases } => self.match_(*scrutinee, cases),
            ExprKind::Hole => {
                let ty = self.fresh();
                self.holes.push((expr.span, ty.clone()));
                ty
            }
            // Errors, and the forms that `judge` sees to.
            ExprKind::Error
            | ExprKind::Paren(_)
            | ExprKind::Attr { .. }
            | ExprKind::Open { .. }
            | ExprKind::Name(_)
            | ExprKind::OpFn(_)
            | ExprKind::Project { .. }
            | ExprKind::Let { .. }
            | ExprKind::LetFun(_)
            | ExprKind::LetUpdate { .. }
            | ExprKind::Apply { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Unary { .. }
            | ExprKind::LeftSection { .. }
            | ExprKind::RightSection { .. }
            | ExprKind::ProjectSection(_)
            | ExprKind::IndexSection(_) => self.error_type(),
        }
    }

    /// All cases have the type of the first.
    fn match_(&mut self, scrutinee: ExprId, cases: &[(PatId, ExprId)]) -> Ty {
        let ty = self.value(scrutinee);
        let mut result: Option<(Ty, Span)> = None;
        for (pat, body) in cases {
            self.bind_pattern_from(*pat, Judgement::plain(ty.clone()), self.span(scrutinee));
            match &result {
                Some((first, span)) => self.equal(*body, &first.clone(), Kind::Case, *span),
                None => result = Some((self.value(*body), self.span(*body))),
            }
        }
        result.map_or_else(|| self.error_type(), |(ty, _)| ty)
    }

    /// A name or an operator in prefix position that is not applied.
    fn name(&mut self, id: ExprId) -> Judgement {
        if let (None, ExprKind::OpFn(op)) = (self.program.names.exprs.get(id), &self.ast().exprs[id].kind) {
            return Judgement::plain(self.builtin(id, op.name));
        }
        self.resolved(id)
    }

    /// What a naming node stands for, instantiated.
    pub(super) fn resolved(&mut self, id: ExprId) -> Judgement {
        match self.program.names.exprs.get(id).copied() {
            Some(Res::Local(pat)) => self.local_variable(id, pat),
            Some(Res::Global(def)) if def == self.def => self.own_name(id),
            Some(Res::Global(def)) => {
                let tables = self.tables;
                match tables.defs.get(def) {
                    Some(signature) => {
                        let (fresh, ty) = self.instantiate(&signature.tparams, &signature.ty);
                        self.found.insts.push((id, fresh));
                        Judgement::plain(ty)
                    }
                    None => Judgement::plain(self.error_type()),
                }
            }
            Some(Res::Scalar(prim, name)) => {
                self.found.insts.push((id, Vec::new()));
                Judgement::plain(self.scalar_member(id, prim, name))
            }
            None => Judgement::plain(self.error_type()),
        }
    }

    fn local_variable(&mut self, id: ExprId, pat: PatId) -> Judgement {
        let Some(binding) = self.scope.env.get(&pat).cloned() else {
            return Judgement::plain(self.error_type());
        };
        if binding.tparams.is_empty() {
            return binding.judgement;
        }
        let fresh: Vec<Ty> = binding.tparams.iter().map(|_| self.fresh()).collect();
        let map = binding.tparams.iter().copied().zip(fresh.iter().cloned()).collect();
        let ty = self.substitute(&binding.judgement.ty, &map, &mut FxHashMap::default());
        self.found.insts.push((id, fresh));
        Judgement { frame: binding.judgement.frame, ty }
    }

    fn let_in(&mut self, sizes: &[PatId], pat: PatId, rhs: ExprId, body: ExprId) -> Judgement {
        self.bind_sizes(sizes);
        let judgement = self.expr(rhs);
        self.bind_pattern_from(pat, judgement, self.span(rhs));
        self.expr(body)
    }

    fn let_fun(&mut self, fun: &LetFun, span: Span) {
        let tparams = self.bind_tparams(&fun.tparams);
        let ty = self.lambda(&fun.params, fun.ret, fun.rhs);
        if !tparams.is_empty() {
            // The function's extent ends before the body of the `let`.
            let extent = Span { end: self.span(fun.body).start.max(span.start), ..span };
            self.scope.local_params.extend(tparams.iter().map(|p| (*p, extent)));
            self.found.locals.push((fun.binder, tparams.clone()));
        }
        self.bind_var(fun.binder, Judgement::plain(ty));
        if let Some(binding) = self.scope.env.get_mut(&fun.binder) {
            binding.tparams = tparams.into();
        }
    }

    /// The type of a function with these parameters.
    pub(super) fn lambda(&mut self, params: &[PatId], ret: Option<TypeId>, body: ExprId) -> Ty {
        let params: Vec<Ty> = params.iter().map(|param| self.pattern(*param)).collect();
        let mut ty = match ret {
            Some(ret) => {
                let annotated = self.annotation(ret);
                self.equal(body, &annotated, Kind::Return, self.ast().types[ret].span);
                annotated
            }
            None => self.value(body),
        };
        for param in params.into_iter().rev() {
            ty = self.bases.arrow(param, ty);
        }
        ty
    }

    /// All elements share one type: a literal costs no variable per element.
    fn array(&mut self, elements: &[ExprId]) -> Ty {
        let Some((first, rest)) = elements.split_first() else {
            let element = self.fresh();
            return Ty::new(element.rank.plus(1), element.base);
        };
        let element = self.value(*first);
        for other in rest {
            self.equal(*other, &element, Kind::Element, self.span(*first));
        }
        Ty::new(element.rank.plus(1), element.base)
    }

    fn range(&mut self, start: ExprId, step: Option<ExprId>, end: ExprId) -> Ty {
        let number = Ty::cell(self.bases.var(Class::integral()));
        for part in [Some(start), step, Some(end)].into_iter().flatten() {
            self.equal(part, &number, Kind::Range, self.span(start));
        }
        Ty::new(LinExpr::constant(1), number.base)
    }

    fn loop_(&mut self, pat: PatId, init: ExprId, form: &LoopForm, body: ExprId) -> Ty {
        let ty = self.value(init);
        self.bind_pattern_from(pat, Judgement::plain(ty.clone()), self.span(init));
        match *form {
            LoopForm::For { var, bound } => {
                let number = Ty::cell(self.bases.var(Class::integral().prefer_i64()));
                self.equal(bound, &number, Kind::Bound, self.ast().pats[var].span);
                self.bind_pattern(var, Judgement::plain(number));
            }
            LoopForm::ForIn { pat, array } => {
                let ty = self.value(array);
                let span = self.ast().pats[pat].span;
                let rank = self.cells(&ty, 1, Kind::LoopArray, span, self.span(array));
                self.bind_pattern_from(pat, Judgement::plain(Ty::new(rank, ty.base)), self.span(array));
            }
            LoopForm::While(cond) => self.scalar_operand(cond, PrimType::Bool, Kind::Condition),
        }
        self.equal(body, &ty, Kind::LoopBody, self.ast().pats[pat].span);
        ty
    }

    /// The rank of the cells of an array below `dims` dimensions.
    pub(super) fn cells(&mut self, array: &Ty, dims: usize, kind: Kind, place: Span, found: Span) -> LinExpr {
        let dims = dims as i64;
        let rank = self.ranks.reduce(&array.rank);
        if self.ranks.local && rank.constant >= dims && rank.terms.iter().all(|(_, c)| *c >= 0) {
            return rank.plus(-dims);
        }
        let cells = self.ranks.var();
        let reason = self.reason(kind, place, found);
        let expected = Ty::new(cells.clone().plus(dims), array.base);
        self.ranks.equate(&expected.rank, &array.rank, reason, (&expected, array));
        cells
    }

    /// What indices and slices select from an array: the element type below all of them, and the type of the selection.
    pub(super) fn selection(&mut self, array: &Ty, indices: &[IndexArg], array_span: Span, span: Span) -> (Ty, Ty) {
        let mut slices = 0;
        for index in indices {
            match index {
                IndexArg::Index(index) => {
                    let expected = self.index_type();
                    self.equal(*index, &expected, Kind::Slice, self.span(*index));
                }
                IndexArg::Slice { start, end, step, .. } => {
                    slices += 1;
                    for part in [start, end, step].into_iter().flatten() {
                        self.scalar_operand(*part, PrimType::I64, Kind::Slice);
                    }
                }
            }
        }
        let rank = self.cells(array, indices.len(), Kind::Indexed, span, array_span);
        (Ty::new(rank.clone(), array.base), Ty::new(rank.plus(slices), array.base))
    }

    /// An update: the type of what is updated. A value of too low a rank for the place that an index or slice selects is replicated, as the
    /// argument of a function would be; nothing is mapped.
    fn update(&mut self, node: ExprId, base: ExprId, path: &[Access], value: ExprId) -> Ty {
        let ty = self.value(base);
        let (mut at, mut source, mut place) = (ty.clone(), self.span(base), self.span(base));
        for access in path {
            match access {
                Access::Field(field) => {
                    let reason = self.reason(Kind::Field, field.span, source);
                    let cell = Ty::cell(at.base);
                    self.ranks.equate(&LinExpr::zero(), &at.rank, reason, (&cell, &at));
                    at = self.field(at.base, *field, reason);
                    place = field.span;
                }
                Access::Index(indices) => {
                    place = indices.iter().map(|index| self.index_span(index)).reduce(Span::to).unwrap_or(place);
                    at = self.selection(&at, indices, source, place).1;
                }
            }
            source = place;
        }
        match path.last() {
            Some(Access::Index(_)) => self.spread(node, value, &at, place),
            Some(Access::Field(_)) | None => self.equal(value, &at, Kind::Update, place),
        }
        ty
    }

    /// Demands that a value, after replications, has the type of the place to which it is assigned.
    fn spread(&mut self, node: ExprId, value: ExprId, place: &Ty, at: Span) {
        let found = self.value(value);
        let missing = self.ranks.reduce(&place.rank.clone().sub(&found.rank));
        let reps = if self.ranks.local && missing.terms.is_empty() {
            LinExpr::constant(missing.constant.max(0))
        } else {
            let (maps, reps) = self.ranks.site(SiteRef { node, argument: 0 }, LinExpr::zero());
            let reason = self.reason(Kind::Update, at, self.span(self.tail(value)));
            self.ranks.equate(&LinExpr::zero(), &maps, reason, (place, &found));
            reps
        };
        let reason = self.reason(Kind::Update, at, self.span(self.tail(value)));
        let slot = Slot { maps: LinExpr::zero(), reps: reps.clone(), frame: LinExpr::zero() };
        self.found.apps.push((node, Spine { head_frame: LinExpr::zero(), slots: vec![slot] }));
        self.unify(place, &Ty::new(found.rank.add(&reps), found.base), reason);
    }

    fn index_span(&self, index: &IndexArg) -> Span {
        match index {
            IndexArg::Index(index) => self.span(*index),
            IndexArg::Slice { span, .. } => *span,
        }
    }

    /// The application that a node is.
    fn application(&mut self, id: ExprId) -> Judgement {
        let names = &self.program.names;
        let qualified = |expr: ExprId| names.exprs.get(expr).is_some();
        match view::application(self.ast(), &qualified, id) {
            Some(app) => self.apply(&app),
            None => {
                self.error(self.span(id), ErrorKind::CannotBeApplied);
                Judgement::plain(self.error_type())
            }
        }
    }
}
