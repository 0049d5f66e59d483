//! Literals.

use super::{Elab, Error, ErrorKind, Failure, Result, Typed};
use crate::base::{Complex, PrimType, Scalar, Span};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Shape, Type};
use crate::ir::surface::{self, ExprId, view};
use crate::ir::tables::RBase;

/// Whether a whole number is a value of the type (floats take the nearest; unsigned types take small negative numbers,
/// which wrap around as `-x` does).
fn fits(prim: PrimType, value: i128) -> bool {
    let bits = prim.bytes() as u32 * 8;
    !prim.is_int() || (-(1i128 << (bits - 1))..if prim.is_signed() { 1i128 << (bits - 1) } else { 1i128 << bits }).contains(&value)
}

/// The value of a literal that its type has; literals are never infinite.
fn finite(scalar: Scalar) -> Option<Scalar> {
    let infinite = match scalar {
        Scalar::F16(value) => value.is_infinite(),
        Scalar::F32(value) => value.is_infinite(),
        Scalar::F64(value) => value.is_infinite(),
        Scalar::C64(value) => value.re.is_infinite() || value.im.is_infinite(),
        Scalar::C128(value) => value.re.is_infinite() || value.im.is_infinite(),
        _ => false,
    };
    (!infinite).then_some(scalar)
}

impl Elab<'_> {
    /// A literal that does not fit its type.
    pub(super) fn unfit(&self, e: ExprId, span: Span) -> Failure {
        match self.tables.exprs.get(e).map(|t| &*t.base) {
            Some(RBase::Prim(prim)) if prim.is_numeric() => Error::new(ErrorKind::NumberOutOfRange { ty: *prim }, span).into(),
            _ => self.missing(span),
        }
    }
    /// The scalar that a number literal denotes at its inferred type.
    pub(super) fn scalar(&self, e: ExprId) -> Option<Scalar> {
        let prim = match self.tables.exprs.get(e).map(|t| &*t.base) {
            Some(RBase::Prim(p)) => Some(*p),
            _ => None,
        };
        match self.program.ast.exprs[e].kind {
            surface::ExprKind::Int { value, suffix } => {
                let prim = suffix.or(prim)?;
                fits(prim, i128::from(value)).then(|| Scalar::from_i128(prim, i128::from(value))).and_then(finite)
            }
            surface::ExprKind::Float { value, odd, suffix } => {
                let prim = suffix.or(prim)?;
                finite(Scalar::from_f64(prim, if matches!(prim, PrimType::F64 | PrimType::C128) { value } else { odd }))
            }
            surface::ExprKind::Imaginary { value, odd, suffix } => {
                let part = suffix.or(prim)?.part()?;
                let im = Scalar::from_f64(part, if part == PrimType::F64 { value } else { odd });
                finite(Scalar::complex(Scalar::from_f64(part, 0.0), im)?)
            }
            surface::ExprKind::Bool(b) => Some(Scalar::Bool(b)),
            surface::ExprKind::Paren(_) => self.scalar(view::strip(&self.program.ast, e)),
            surface::ExprKind::Unary { op: surface::UnaryOp::Neg, expr, .. } => {
                let inner = view::strip(&self.program.ast, expr);
                // A minus before a minus is computed.
                if matches!(self.program.ast.exprs[inner].kind, surface::ExprKind::Unary { .. }) {
                    return None;
                }
                if let (surface::ExprKind::Int { value, suffix }, Some(prim)) = (&self.program.ast.exprs[inner].kind, prim)
                    && !prim.is_complex()
                {
                    let value = -i128::from(*value);
                    return (suffix.is_none_or(|s| s == prim) && fits(prim, value)).then(|| Scalar::from_i128(prim, value));
                }
                let scalar = match self.scalar(inner)? {
                    Scalar::F16(v) => Scalar::F16(-v),
                    Scalar::F32(v) => Scalar::F32(-v),
                    Scalar::F64(v) => Scalar::F64(-v),
                    Scalar::C64(v) => Scalar::C64(Complex { re: -v.re, im: -v.im }),
                    Scalar::C128(v) => Scalar::C128(Complex { re: -v.re, im: -v.im }),
                    other => Scalar::from_i128(other.prim(), -other.as_i128()?),
                };
                (scalar.prim() != PrimType::Bool).then_some(scalar)
            }
            _ => None,
        }
    }
    /// `[a, b, ..]`. An array of scalar literals is one literal.
    pub(super) fn array(&mut self, e: ExprId, items: &[ExprId], span: Span) -> Result<Typed> {
        let ast = &self.program.ast;
        let negated = |e: ExprId| matches!(ast.exprs[view::strip(ast, e)].kind, surface::ExprKind::Unary { .. });
        let scalars: Option<Vec<Scalar>> = items
            .iter()
            .map(|i| self.scalar(*i).filter(|_| !negated(*i) || self.tables.apps.get(view::strip(ast, *i)).is_none_or(|a| a.cost() == 0)))
            .collect();
        if let Some(scalars) = scalars.filter(|s| s.first().is_some_and(|first| s.iter().all(|x| x.prim() == first.prim()))) {
            let elem = scalars[0].prim();
            let n = scalars.len() as u64;
            let ty = Type::prim(elem).framed(&Shape::dims([Dim::constant(n as i64)]));
            return Ok((Expr::new(ExprKind::Array { dims: vec![n], elem, items: scalars }, span), ty));
        }
        let mut cells = Vec::with_capacity(items.len());
        let mut cell: Option<Type> = None;
        for item in items {
            let (value, ty) = self.expr(*item)?;
            match &cell {
                Some(cell) => self.unify_literal(cell, &ty, ast.exprs[*item].span, span)?,
                None => cell = Some(ty),
            }
            cells.push(value);
        }
        let cell = match cell {
            Some(cell) => cell,
            None => {
                let whole = self.tables.exprs.get(e).cloned().ok_or_else(|| self.missing(span))?;
                self.fresh_type(&whole.with_rank(whole.rank.saturating_sub(1)), span)
            }
        };
        let n = cells.len() as u64;
        let ty = cell.framed(&Shape::dims([Dim::constant(n as i64)]));
        if let (Atom::Prim(elem), true, 0) = (cell.atom(), cell.shape().is_scalar(), n) {
            return Ok((Expr::new(ExprKind::Array { dims: vec![0], elem: *elem, items: Vec::new() }, span), ty));
        }
        Ok((Expr::new(ExprKind::Frame { dims: vec![n], cell, cells }, span), ty))
    }
}
