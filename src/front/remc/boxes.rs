//! Boxes: `box`, `boxes`, `unbox`, `lift`.

use super::error::{Binding, BoxError, Place};
use super::local::is_body;
use super::names::unit_type;
use super::scope::{Bound, index_variable};
use super::{Elaborator, Typed};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::read::{self, Binder, BinderKind};
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, Prim, ShapeItem, Type, is_shape};

/// Whether a form is a list of pairs, the hidden indices of `(box ((n i) ..) T e)`.
fn is_index_list(item: &Sexp) -> bool {
    let (SexpKind::Paren(pairs) | SexpKind::Bracket(pairs)) = &item.kind else { return false };
    pairs.iter().all(
        |pair| matches!(&pair.kind, SexpKind::Paren(parts) | SexpKind::Bracket(parts) if parts.len() == 2 && parts[0].name().is_some()),
    ) && !matches!(pairs.first().and_then(Sexp::keyword), Some("Shp" | "shape" | "++" | "+"))
}

impl Elaborator<'_> {
    /// `(box ((n i) ..) T e)` or, in the notation of the paper, `(box i .. e T)`.
    pub(super) fn boxed(&mut self, span: Span, operands: &[Sexp]) -> Option<Typed> {
        if let [indices, ty, body @ ..] = operands
            && is_index_list(indices)
            && is_body(body)
        {
            return self.box_of_pairs(span, indices, ty, body);
        }
        let [indices @ .., body, sigma] = operands else {
            return self.expected(span, "(box ((n i) ..) T e) or (box i .. e T)");
        };
        let sigma_type = self.ty(sigma)?;
        let (Atom::Sigma(names, inner), true) = (sigma_type.atom(), sigma_type.shape().is_scalar()) else {
            return self.error(sigma.span, BoxError::NoBoxType(sigma_type));
        };
        let read: Vec<Option<Index>> = indices.iter().map(|index| self.read(|reader| reader.index(index))).collect();
        let read: Vec<Index> = read.into_iter().collect::<Option<_>>()?;
        self.one_box(span, names, inner, read, std::slice::from_ref(body))
    }

    fn box_of_pairs(&mut self, span: Span, indices: &Sexp, ty: &Sexp, body: &[Sexp]) -> Option<Typed> {
        let mut binders = Vec::new();
        let mut read = Vec::new();
        for pair in self.list(indices, "hidden indices ((n i) ..)")? {
            let [name, index] = self.list(pair, "a hidden index (n i)")? else {
                return self.expected(pair.span, "a hidden index (n i)");
            };
            let name = self.read(|reader| reader.variable(name))?;
            binders.push(Binder { name, large: is_shape(name), span: pair.span });
            read.push(self.read(|reader| reader.index(index))?);
        }
        let (names, inner) = self.under_indices(&binders, |this| this.ty(ty))?;
        self.one_box(span, &names, &inner, read, body)
    }

    /// What is read where these index variables are in scope, with their names in the explicit program.
    fn under_indices<T>(&mut self, binders: &[Binder], read: impl FnOnce(&mut Self) -> Option<T>) -> Option<(Vec<Symbol>, T)> {
        self.read(|reader| reader.distinct(binders))?;
        let mut bound: Vec<Bound> = Vec::new();
        let mut names = Vec::with_capacity(binders.len());
        for binder in binders {
            // Nothing but the type that is read sees these names.
            let wanted = binder.with_sigil();
            let inner = if self.scope.is_live(Name::Index(wanted)) { self.fresh(wanted) } else { wanted };
            bound.push(self.scope.bind_index(binder.name, inner));
            names.push(inner);
        }
        let out = read(self);
        self.scope.unbind(bound);
        Some((names, out?))
    }

    /// A box with hidden indices `names`, which `inner` mentions.
    fn one_box(&mut self, span: Span, names: &[Symbol], inner: &Type, indices: Vec<Index>, body: &[Sexp]) -> Option<Typed> {
        let subst = self.hidden(span, names, &indices)?;
        let wanted = self.substituted(&subst, inner, span)?;
        let body = self.exactly_body(body, &wanted, Place::BoxContent)?;
        let indices = names.iter().copied().zip(indices).collect();
        let expr = Expr::new(ExprKind::Box { indices, ty: inner.clone(), body: body.expr }, span);
        Some(Typed::new(expr, Type::scalar(Atom::Sigma(names.to_vec(), inner.clone()))))
    }

    /// The hidden indices for the names of a box: as many, of the same sorts.
    fn hidden(&mut self, span: Span, names: &[Symbol], indices: &[Index]) -> Option<Subst> {
        if names.len() != indices.len() {
            return self.error(span, BoxError::HiddenCount { wanted: names.len(), given: indices.len() });
        }
        let mut subst = Subst::default();
        for (name, index) in names.iter().zip(indices) {
            match (is_shape(*name), index) {
                (true, Index::Shape(_)) | (false, Index::Dim(_)) => subst.insert(Name::Index(*name), Replacement::from(index.clone())),
                (true, Index::Dim(_)) | (false, Index::Shape(_)) => {
                    return self.error(span, BoxError::HiddenSort { name: *name, given: index.clone() });
                }
            }
        }
        Some(subst)
    }

    /// `(boxes (n ..) T [k ..] ((i ..) e) ..)`: an array of boxes.
    pub(super) fn boxes(&mut self, span: Span, names: &Sexp, ty: &Sexp, dims: &Sexp, cells: &[Sexp]) -> Option<Typed> {
        let binders = self.read(|reader| reader.index_binders(names))?;
        let (names, inner) = self.under_indices(&binders, |this| this.ty(ty))?;
        let sigma = Type::scalar(Atom::Sigma(names.clone(), inner.clone()));
        let mut sizes = Vec::new();
        for part in self.list(dims, "the shape of the array of boxes, [n ..]")? {
            match part.kind {
                SexpKind::Scalar(Scalar::I64(n)) if n >= 0 => sizes.push(n.unsigned_abs()),
                _ => return self.error(part.span, read::ErrorKind::LiteralShape),
            }
        }
        let frame = self.count(span, &sizes, cells.len());
        let boxes: Vec<Option<Expr>> = cells.iter().map(|cell| self.cell_box(cell, &names, &inner)).collect();
        let boxes: Vec<Expr> = boxes.into_iter().collect::<Option<_>>()?;
        let ty = sigma.framed(&frame?);
        if sizes.is_empty() {
            return boxes.into_iter().next().map(|expr| Typed::new(expr, ty));
        }
        Some(Typed::new(Expr::new(ExprKind::Frame { dims: sizes, cell: sigma, cells: boxes }, span), ty))
    }

    fn cell_box(&mut self, cell: &Sexp, names: &[Symbol], inner: &Type) -> Option<Expr> {
        let (indices, body) = match self.list(cell, "a box ((i ..) e)")? {
            [indices, body @ ..] if is_body(body) => (indices, body),
            _ => return self.expected(cell.span, "a box ((i ..) e)"),
        };
        let items = self.list(indices, "hidden indices (i ..)")?;
        let read: Vec<Option<Index>> = items.iter().map(|index| self.read(|reader| reader.index(index))).collect();
        let read: Vec<Index> = read.into_iter().collect::<Option<_>>()?;
        self.one_box(cell.span, names, inner, read, body).map(|boxed| boxed.expr)
    }

    /// `(unbox e (x n ..) body)` or, in the notations of the papers, `(unbox (n .. x e) body)` and `(UNPACK ([n .. x] ⇐ e) body)`.
    pub(super) fn unbox(&mut self, span: Span, first: &Sexp, operands: &[Sexp]) -> Option<Typed> {
        const FORMS: &str = "(unbox e (x n ..) body) or (unbox (n .. x e) body)";
        let (boxed, value, indices, body) = match operands {
            [_, body @ ..] if is_body(body) => match self.list(first, "(n .. x e)")? {
                [names, arrow, boxed] if arrow.keyword() == Some("⇐") => match self.list(names, "names [n .. x]")? {
                    [indices @ .., value] => (boxed, value, indices, body),
                    [] => return self.expected(names.span, "names [n .. x]"),
                },
                [indices @ .., value, boxed] => (boxed, value, indices, body),
                _ => return self.expected(span, FORMS),
            },
            [boxed, names, body @ ..] if is_body(body) => match self.list(names, "names (x n ..)")? {
                [value, indices @ ..] => (boxed, value, indices, body),
                [] => return self.expected(names.span, "names (x n ..)"),
            },
            _ => return self.expected(span, FORMS),
        };
        let boxed = self.expr(boxed, None);
        let value = self.name(value);
        let binders = self.read(|reader| {
            let binders: Vec<Option<Binder>> = indices.iter().map(|item| reader.binder(item, BinderKind::Index)).collect();
            let binders: Vec<Binder> = binders.into_iter().collect::<Option<_>>()?;
            reader.distinct(&binders)?;
            Some(binders)
        });
        let (boxed, value, binders) = (boxed?, value?, binders?);
        if !matches!(boxed.ty.atom(), Atom::Sigma(..)) {
            return self.error(boxed.span(), BoxError::NoBox(boxed.ty));
        }
        self.for_each_cell(span, boxed, 0, "unbox", |this, boxed| this.open_box(span, boxed, value, &binders, body))
    }

    fn open_box(&mut self, span: Span, boxed: Typed, value: Symbol, binders: &[Binder], body: &[Sexp]) -> Option<Typed> {
        let Atom::Sigma(names, inner) = boxed.ty.atom() else { return None };
        // A name of an index needs no sigil here: the box says what it is.
        let fits = |(name, binder): (&Symbol, &Binder)| !binder.large || is_shape(*name);
        if names.len() != binders.len() || !names.iter().zip(binders).all(fits) {
            let names = binders.iter().map(|binder| binder.name).collect();
            return self.error(span, BoxError::HiddenNames { names, ty: boxed.ty.clone() });
        }
        let mut bound = Vec::new();
        let mut subst = Subst::default();
        let mut indices = Vec::new();
        for (name, binder) in names.iter().zip(binders) {
            let inner = self.bind_index(Binder { large: is_shape(*name), ..*binder }, &mut bound);
            subst.insert(Name::Index(*name), Replacement::from(index_variable(inner)));
            indices.push(inner);
        }
        let content = self.substituted(&subst, inner, span);
        let (inner, binding) = self.bind(value, content, None);
        bound.push(binding);
        let body = self.body(body, None);
        self.scope.unbind(bound.clone());
        let body = body?;
        self.stays_inside(&body.ty, &bound, body.span(), Binding::Unbox)?;
        let kind = ExprKind::Unbox { boxed: boxed.expr, value: inner, indices, body: body.expr };
        Some(Typed::new(Expr::new(kind, span), body.ty))
    }

    /// `(lift [n e] body)`: the numbers of `e` become sizes; each body goes into a box that hides its size. `(lift [@s e] body)`
    /// makes shapes of vectors.
    pub(super) fn lifted_index(&mut self, span: Span, binding: &Sexp, body: &[Sexp]) -> Option<Typed> {
        let [name, value] = self.list(binding, "(lift [n e] body)")? else {
            return self.expected(binding.span, "(lift [n e] body) or (lift [@s e] body)");
        };
        let binder = self.read(|reader| reader.binder(name, BinderKind::Index))?;
        let value = self.expr(value, None)?;
        if !matches!(value.ty.atom(), Atom::Prim(PrimType::I64)) {
            return self.error(value.span(), BoxError::NoSizes(value.ty));
        }
        if !binder.large {
            return self.for_each_cell(span, value, 0, "lift", |this, value| this.lift_size(span, binder, value, body));
        }
        let Some(ShapeItem::Dim(rank)) = value.ty.shape().items.last().cloned() else {
            return self.error(value.span(), BoxError::NoVector(value.ty));
        };
        self.for_each_cell(span, value, 1, "lift", |this, vector| {
            let lift = Expr::prim(Prim::LiftShape, span);
            let lift = Expr::new(ExprKind::Inst { fun: lift, types: Vec::new(), indices: vec![Index::Dim(rank)] }, span);
            let witness = ExprKind::App { fun: lift, args: vec![vector.expr] };
            this.in_lifted_box(span, binder, Expr::new(witness, span), body)
        })
    }

    fn lift_size(&mut self, span: Span, binder: Binder, number: Typed, body: &[Sexp]) -> Option<Typed> {
        // To make an index of a number, a box that holds nothing but it is opened.
        let name = self.fresh(Symbol::new("n"));
        let size = Index::Dim(number.dim.clone().unwrap_or_else(|| Dim::size(name)));
        let unit = Expr::new(ExprKind::Tuple(Vec::new()), span);
        let witness = ExprKind::Box { indices: vec![(Symbol::new("n"), size)], ty: unit_type(), body: unit };
        let inner = self.in_lifted_box(span, binder, Expr::new(witness, span), body)?;
        let at_least = Expr::op(Op::Ge, PrimType::I64, span);
        let args = vec![Expr::new(ExprKind::Var(name), span), Expr::new(ExprKind::Lit(Scalar::I64(0)), span)];
        let cond = Expr::new(ExprKind::App { fun: at_least, args }, span);
        let checked = ExprKind::Assert { cond, message: Symbol::new("a size is not negative"), expr: inner.expr };
        let ty = Some(Type::prim(PrimType::I64));
        let kind = ExprKind::Let { name, ty, rhs: number.expr, body: Expr::new(checked, span) };
        Some(Typed::new(Expr::new(kind, span), inner.ty))
    }

    /// `body` in a box that hides `binder`, which is the index that the box `witness` hides.
    fn in_lifted_box(&mut self, span: Span, binder: Binder, witness: Expr, body: &[Sexp]) -> Option<Typed> {
        let mut bound = Vec::new();
        let index = self.bind_index(binder, &mut bound);
        let body = self.body(body, None);
        self.scope.unbind(bound);
        let body = body?;
        let outer = self.fresh(index);
        let mut hide = Subst::default();
        hide.insert(Name::Index(index), Replacement::from(index_variable(outer)));
        let hidden = self.substituted(&hide, &body.ty, span)?;
        let result = Type::scalar(Atom::Sigma(vec![outer], hidden.clone()));
        let content = ExprKind::Box { indices: vec![(outer, index_variable(index))], ty: hidden, body: body.expr };
        let value = self.fresh(Symbol::new("u"));
        let open = ExprKind::Unbox { boxed: witness, value, indices: vec![index], body: Expr::new(content, span) };
        Some(Typed::new(Expr::new(open, span), result))
    }
}
