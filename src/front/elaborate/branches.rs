//! Conditionals. Where the sizes of branches differ, the result is existential.

use super::scope::{Frame, make_box, wrap};
use super::{Elab, Result, Typed};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, ExprKind, Index, Shape, ShapeItem, Type};
use crate::ir::surface::ExprId;

/// A branch: its value, its type, and the bindings to put around it.
pub(super) type Branch = (Expr, Type, Frame);

/// Sizes at which two types differ, in order of occurrence, with a name for each pair.
#[derive(Debug, Default)]
struct Differences {
    pairs: Vec<(Dim, Dim, Symbol)>,
}

impl Elab<'_> {
    pub(super) fn conditional(&mut self, cond: ExprId, then: ExprId, els: ExprId, span: Span) -> Result<Typed> {
        let (cond, _) = self.expr(cond)?;
        let a = self.branch(|elab| elab.expr(then))?;
        let b = self.branch(|elab| elab.expr(els))?;
        let chosen = self.choice(cond, a, b, span)?;
        Ok(self.open(chosen))
    }
    /// A conditional between two branches, not opened yet.
    pub(super) fn choice(&mut self, cond: Expr, a: Branch, b: Branch, span: Span) -> Result<Typed> {
        let (a, b) = self.both_ragged(a, b, span)?;
        let ((a, a_ty, a_frame), (b, b_ty, b_frame)) = (a, b);
        self.sizes.retry(false).map_err(|(clash, span)| self.clash(clash, span))?;
        self.sizes.match_parts_in(&[&a_ty, &b_ty]);
        let mut differences = Differences::default();
        let ty = self.common(&a_ty, &b_ty, &mut differences, span)?;
        let (then, els, ty) = if differences.pairs.is_empty() {
            (wrap(a_frame, a), wrap(b_frame, b), ty)
        } else {
            let side = |first: bool| {
                differences.pairs.iter().map(|(l, r, k)| (*k, Index::Dim(if first { l.clone() } else { r.clone() }))).collect::<Vec<_>>()
            };
            let (a, boxed) = make_box(side(true), ty.clone(), a, span);
            let (b, _) = make_box(side(false), ty, b, span);
            (wrap(a_frame, a), wrap(b_frame, b), boxed)
        };
        Ok((Expr::new(ExprKind::If { cond, then, els }, span), ty))
    }
    /// Branches of which one is ragged and the other is not: both are made ragged.
    fn both_ragged(&mut self, a: Branch, b: Branch, span: Span) -> Result<(Branch, Branch)> {
        let ((a, a_ty, a_frame), (b, b_ty, b_frame)) = (a, b);
        let fit = |elab: &mut Self, wanted: &Type, value: Expr, ty: &Type, frame: Frame| -> Result<Branch> {
            elab.frames.push(frame);
            let fitted = elab.fitted(wanted, (value, ty.clone()), span);
            let frame = elab.pop_frame();
            let (value, ty) = fitted?;
            Ok((value, ty, frame))
        };
        let first = fit(self, &b_ty, a, &a_ty, a_frame)?;
        let second = fit(self, &first.1, b, &b_ty, b_frame)?;
        Ok((first, second))
    }
    /// A branch in a scope of its own.
    pub(super) fn branch(&mut self, work: impl FnOnce(&mut Self) -> Result<Typed>) -> Result<Branch> {
        self.push_frame();
        let (value, ty) = work(self)?;
        let ty = self.sizes.zonk_type(&ty);
        let inner = self.level();
        // Sizes of the branch are compared below as sizes of a deeper scope: they are never those of the other branch.
        let frame = self.pop_frame();
        self.sizes.lower(&ty, inner - 1);
        Ok((value, ty, frame))
    }
    /// The type that two values have in common; sizes in which they differ become variables.
    fn common(&mut self, a: &Type, b: &Type, out: &mut Differences, span: Span) -> Result<Type> {
        if a == b && !self.mentions_deeper(a) {
            return Ok(a.clone());
        }
        if a.shape().items.len() != b.shape().items.len() {
            return Err(self.clash_types(super::sizes::Clash::Irregular, span, Some((a, b))).into());
        }
        let mut items = Vec::new();
        for (x, y) in a.shape().items.iter().zip(&b.shape().items) {
            items.push(match (x, y) {
                (ShapeItem::Dim(x), ShapeItem::Dim(y)) => ShapeItem::Dim(self.common_dim(x, y, out, span)),
                (ShapeItem::Dim(_), ShapeItem::Var(_)) | (ShapeItem::Var(_), ShapeItem::Dim(_) | ShapeItem::Var(_)) => x.clone(),
            });
        }
        let atom = match (a.atom(), b.atom()) {
            (Atom::Tuple(xs), Atom::Tuple(ys)) if xs.len() == ys.len() => {
                Atom::Tuple(xs.iter().zip(ys).map(|(x, y)| self.common(x, y, out, span)).collect::<Result<_>>()?)
            }
            (Atom::Record(xs), Atom::Record(ys)) if xs.len() == ys.len() => {
                let fields = xs.iter().zip(ys).map(|((l, x), (_, y))| Ok((*l, self.common(x, y, out, span)?)));
                Atom::Record(fields.collect::<Result<_>>()?)
            }
            (Atom::Sum(xs), Atom::Sum(ys)) if xs.len() == ys.len() => {
                let payloads = xs.iter().zip(ys).map(|((l, x), (_, y))| Ok((*l, self.common(x, y, out, span)?)));
                Atom::Sum(payloads.collect::<Result<_>>()?)
            }
            (Atom::Fun(..), Atom::Fun(..)) | (Atom::Sigma(..), Atom::Sigma(..)) => {
                let scalar = |t: &Type| Type::scalar(t.atom().clone());
                self.unify_at(&scalar(a), &scalar(b), span)?;
                a.atom().clone()
            }
            // No sizes to differ in.
            (x @ (Atom::Prim(_) | Atom::Var(_) | Atom::Forall(..) | Atom::Pi(..)), _) => x.clone(),
            // Inference has made them the same but for sizes.
            (x @ (Atom::Tuple(_) | Atom::Record(_) | Atom::Sum(_) | Atom::Fun(..) | Atom::Sigma(..)), _) => x.clone(),
        };
        Ok(Type::new(atom, Shape { items }))
    }
    fn common_dim(&mut self, x: &Dim, y: &Dim, out: &mut Differences, span: Span) -> Dim {
        let (x, y) = (self.sizes.zonk(x), self.sizes.zonk(y));
        if let Some((.., k)) = out.pairs.iter().find(|(l, r, _)| (l, r) == (&x, &y)) {
            return Dim::var(*k);
        }
        let deeper = |d: &Dim| d.atoms().any(|a| !matches!(a, DimAtom::Meta(_)) && self.sizes.level(a) > self.level());
        let local = deeper(&x) || deeper(&y);
        if !local && self.settle_equal(&x, &y, span) {
            return self.sizes.zonk(&x);
        }
        let k = self.fresh_name(Symbol::new("k"));
        out.pairs.push((x, y, k));
        Dim::var(k)
    }
    /// Whether two sizes are equal, or become equal by an unknown that is free: a caller chooses the sizes of parameters, so
    /// those stay as they are.
    pub(super) fn settle_equal(&mut self, x: &Dim, y: &Dim, span: Span) -> bool {
        let before = self.sizes.snapshot();
        self.sizes.rigid_parameters = self.apart;
        let equal = self.sizes.unify_dim(x, y, span).is_ok() && self.sizes.same_deferred(&before);
        self.sizes.rigid_parameters = false;
        if !equal {
            self.sizes.rollback(before);
        }
        equal
    }
    fn mentions_deeper(&self, ty: &Type) -> bool {
        let deeper = |a: &DimAtom| !matches!(a, DimAtom::Meta(_)) && (self.level() + 1..u32::MAX).contains(&self.sizes.level(*a));
        super::sizes::free_atoms(ty).iter().any(deeper)
    }
}
