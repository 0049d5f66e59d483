//! Literals, tuples, records, and what sizes are as values.

use super::error::{Data, DataError, Empty, Place, TypeError};
use super::expr::literal;
use super::{Elaborator, Typed};
use crate::base::{MAX_RANK, PrimType, Scalar, Span, Symbol};
use crate::ir::core::read::{self, Wanted, is_type};
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Shape, ShapeItem, Type};

/// What came of a form that may be one of data.
pub(super) enum DataForm {
    /// It is another form.
    NotData,
    /// It is wrong, which was reported.
    Failed,
    /// What it makes.
    Typed(Typed),
}

impl Elaborator<'_> {
    /// A string is the vector of its bytes.
    pub(super) fn string(&mut self, text: &str, span: Span) -> Typed {
        let items: Vec<Scalar> = text.bytes().map(Scalar::U8).collect();
        let shape = Shape::dims([Dim::constant(items.len() as i64)]);
        let kind = ExprKind::Array { dims: vec![items.len() as u64], elem: PrimType::U8, items };
        Typed::new(Expr::new(kind, span), Type::new(Atom::Prim(PrimType::U8), shape))
    }

    /// `[e ..]`.
    pub(super) fn vector(&mut self, span: Span, cells: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        if cells.is_empty() {
            return self.error(span, DataError::UntypedEmpty(Empty::Vector));
        }
        self.cells(span, &[cells.len() as u64], cells, inner(wanted, 1).as_ref())
    }

    /// A literal with these cells, in row-major order. There is at least one.
    fn cells(&mut self, span: Span, dims: &[u64], items: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        let mut cells: Vec<Typed> = Vec::with_capacity(items.len());
        let mut complete = true;
        let mut wanted = wanted.cloned();
        for item in items {
            let Some(cell) = self.expr(item, wanted.as_ref()) else {
                complete = false;
                continue;
            };
            if let Some(first) = cells.first() {
                let (ty, at) = (first.ty.clone(), cells.len() + 1);
                complete &= self.expect(&ty, &cell, Place::Cell(at)).is_some();
            } else {
                wanted = Some(cell.ty.clone());
            }
            cells.push(cell);
        }
        let frame = self.count(span, dims, items.len());
        if !complete {
            return None;
        }
        let rank = dims.len() + cells.first().map_or(0, |cell| cell.ty.shape().items.len());
        if rank > MAX_RANK {
            return self.error(span, DataError::Rank(rank));
        }
        // Nested brackets are one literal; what is written as several arrays stays several.
        let nested = items.iter().all(|item| matches!(item.kind, SexpKind::Scalar(_) | SexpKind::Bracket(_) | SexpKind::Text(_)));
        frame.map(|frame| framed_literal(span, dims, &frame, cells, nested))
    }

    fn literal_dims(&mut self, item: &Sexp) -> Option<Vec<u64>> {
        let mut dims = Vec::new();
        for part in self.list(item, "the shape of the literal, [n ..]")? {
            match part.kind {
                SexpKind::Scalar(Scalar::I64(n)) if n >= 0 => dims.push(n.unsigned_abs()),
                _ => return self.error(part.span, read::ErrorKind::LiteralShape),
            }
        }
        Some(dims)
    }

    /// `(array [n ..] a ..)` and `(array [n ..] t)`.
    pub(super) fn array(&mut self, span: Span, dims: &Sexp, items: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        let dims = self.literal_dims(dims)?;
        self.not_only_type(span, &dims, items)?;
        if let (true, [elem]) = (dims.contains(&0), items) {
            let atom = self.read(|reader| reader.atom(elem))?;
            return self.empty(span, dims, Type::scalar(atom));
        }
        if items.is_empty() {
            return self.error(span, DataError::UntypedEmpty(Empty::Array));
        }
        let literal = self.cells(span, &dims, items, inner(wanted, dims.len()).as_ref())?;
        if literal.ty.shape().items.len() != dims.len() {
            return self.error(span, DataError::ArraysInArray(cell_shape(&literal.ty, dims.len())));
        }
        Some(literal)
    }

    /// `(frame [n ..] e ..)`, `(frame [n ..] T)` and `(frame [n ..] : T e ..)`.
    pub(super) fn frame(&mut self, span: Span, dims: &Sexp, cells: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        let dims = self.literal_dims(dims)?;
        let (cell, cells) = match cells {
            [colon, ty, cells @ ..] if colon.keyword() == Some(":") => (Some(self.ty(ty)?), cells),
            [ty] if dims.contains(&0) => (Some(self.ty(ty)?), &[][..]),
            _ => (None, cells),
        };
        self.framed_cells(span, dims, cell, cells, wanted)
    }

    /// `#A(n ..)(e ..)`, `(A (n ..) (e ..))` and `(A T (n ..) (e ..))`: a frame, with the type of its cells.
    pub(super) fn tagged_array(
        &mut self,
        span: Span,
        cell: Option<&Sexp>,
        dims: &Sexp,
        cells: &Sexp,
        wanted: Option<&Type>,
    ) -> Option<Typed> {
        let cell = match cell {
            Some(cell) => Some(self.ty(cell)?),
            None => None,
        };
        let dims = self.literal_dims(dims)?;
        let cells = self.list(cells, "the cells of the literal, (e ..)")?;
        self.framed_cells(span, dims, cell, cells, wanted)
    }

    fn framed_cells(&mut self, span: Span, dims: Vec<u64>, cell: Option<Type>, cells: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        self.not_only_type(span, &dims, cells)?;
        match (cell, cells) {
            (Some(cell), []) => self.empty(span, dims, cell),
            (None, []) => self.error(span, DataError::UntypedEmpty(Empty::Frame)),
            (Some(cell), cells) => {
                let literal = self.cells(span, &dims, cells, Some(&cell))?;
                let found = Type::new(literal.ty.atom().clone(), cell_shape(&literal.ty, dims.len()));
                let found = Typed { ty: found, ..literal.clone() };
                self.expect(&cell, &found, Place::FrameCells)?;
                Some(literal)
            }
            (None, cells) => self.cells(span, &dims, cells, inner(wanted, dims.len()).as_ref()),
        }
    }

    /// A literal of a shape without a 0 is not described by a type.
    fn not_only_type(&mut self, span: Span, dims: &[u64], items: &[Sexp]) -> Option<()> {
        match items {
            [only] if !dims.contains(&0) && is_type(only) => self.count(span, dims, 0).map(drop),
            _ => Some(()),
        }
    }

    fn empty(&mut self, span: Span, dims: Vec<u64>, cell: Type) -> Option<Typed> {
        let frame = self.count(span, &dims, 0)?;
        let ty = cell.framed(&frame);
        let kind = match (cell.atom(), cell.shape().is_scalar()) {
            (Atom::Prim(elem), true) => ExprKind::Array { dims, elem: *elem, items: Vec::new() },
            _ => ExprKind::Frame { dims, cell, cells: Vec::new() },
        };
        Some(Typed::new(Expr::new(kind, span), ty))
    }

    /// The forms that make and take apart data.
    pub(super) fn data_form(&mut self, span: Span, word: &'static str, operands: &[Sexp], wanted: Option<&Type>) -> DataForm {
        let typed = match (word, operands) {
            ("tuple", parts) => self.tuple(span, parts),
            ("proj", [at, tuple]) => self.projection(span, at, tuple),
            ("rec", fields) => self.record(span, fields),
            ("field", [label, record]) => self.field(span, label, record),
            ("inject", [label, ty, payload]) => self.injection(span, label, ty, payload),
            ("is", [label, sum]) => self.is_constructor(span, label, sum),
            ("payload", [label, sum]) => self.payload(span, label, sum),
            ("reify-dimension", [dim]) => self.read(|reader| reader.dim(dim)).map(|dim| {
                let expr = Expr::new(ExprKind::ReifyDim(dim.clone()), span);
                Typed { expr, ty: Type::prim(PrimType::I64), dim: Some(dim) }
            }),
            ("reify-shape", [shape]) => self.read(|reader| reader.shape(shape)).map(|shape| reified(span, shape)),
            ("coerce", [ty, value]) => self.coercion(span, ty, value),
            ("assert", [cond, message, value]) => self.assertion(span, cond, message, value, wanted),
            _ => return DataForm::NotData,
        };
        typed.map_or(DataForm::Failed, DataForm::Typed)
    }

    fn tuple(&mut self, span: Span, parts: &[Sexp]) -> Option<Typed> {
        let parts: Vec<Option<Typed>> = parts.iter().map(|part| self.expr(part, None)).collect();
        let parts: Vec<Typed> = parts.into_iter().collect::<Option<_>>()?;
        let (exprs, types) = parts.into_iter().map(|part| (part.expr, part.ty)).unzip();
        Some(Typed::new(Expr::new(ExprKind::Tuple(exprs), span), Type::scalar(Atom::Tuple(types))))
    }

    fn projection(&mut self, span: Span, at: &Sexp, tuple: &Sexp) -> Option<Typed> {
        let k = match at.kind {
            SexpKind::Scalar(Scalar::I64(k)) => usize::try_from(k).ok(),
            _ => None,
        };
        let Some(k) = k else { return self.wanted(at.span, Wanted::Component) };
        let tuple = self.expr(tuple, None)?;
        self.for_each_cell(span, tuple, 0, "proj", |this, tuple| {
            let ty = match tuple.ty.atom() {
                Atom::Tuple(types) => match types.get(k) {
                    Some(ty) => ty.clone(),
                    None => return this.error(span, DataError::NoComponent { at: k, of: types.len() }),
                },
                _ => return this.error(tuple.span(), DataError::NotOf { wanted: Data::Tuple, found: tuple.ty }),
            };
            Some(Typed::new(Expr::new(ExprKind::Proj(k, tuple.expr), span), ty))
        })
    }

    /// Labels may stand in any order; the values are computed in the order in which they are written.
    fn record(&mut self, span: Span, fields: &[Sexp]) -> Option<Typed> {
        let mut read: Vec<(Symbol, Typed)> = Vec::new();
        for field in fields {
            match self.list(field, "a field (label e)")? {
                [label, value] => read.push((self.name(label)?, self.expr(value, None)?)),
                _ => return self.expected(field.span, "a field (label e)"),
            }
        }
        let labels: Vec<Symbol> = read.iter().map(|(label, _)| *label).collect();
        self.distinct_names(span, &labels)?;
        let mut types: Vec<(Symbol, Type)> = read.iter().map(|(label, value)| (*label, value.ty.clone())).collect();
        types.sort_by_key(|(label, _)| *label);
        let ty = Type::scalar(Atom::Record(types));
        if labels.is_sorted() {
            let fields = read.into_iter().map(|(label, value)| (label, value.expr)).collect();
            return Some(Typed::new(Expr::new(ExprKind::Record(fields), span), ty));
        }
        let values: Vec<(Symbol, Symbol, Typed)> = read.into_iter().map(|(label, value)| (label, self.fresh(label), value)).collect();
        let mut fields: Vec<(Symbol, Expr)> =
            values.iter().map(|(label, inner, _)| (*label, Expr::new(ExprKind::Var(*inner), span))).collect();
        fields.sort_by_key(|(label, _)| *label);
        let record = Expr::new(ExprKind::Record(fields), span);
        let expr = values
            .into_iter()
            .rev()
            .fold(record, |body, (_, name, value)| Expr::new(ExprKind::Let { name, ty: Some(value.ty), rhs: value.expr, body }, span));
        Some(Typed::new(expr, ty))
    }

    fn field(&mut self, span: Span, label: &Sexp, record: &Sexp) -> Option<Typed> {
        let label = self.name(label)?;
        let record = self.expr(record, None)?;
        self.for_each_cell(span, record, 0, "field", |this, record| {
            let ty = match record.ty.atom() {
                Atom::Record(fields) => match fields.iter().find(|(name, _)| *name == label) {
                    Some((_, ty)) => ty.clone(),
                    None => return this.error(span, DataError::NoField { label, ty: record.ty }),
                },
                _ => return this.error(record.span(), DataError::NotOf { wanted: Data::Record, found: record.ty }),
            };
            Some(Typed::new(Expr::new(ExprKind::Field(label, record.expr), span), ty))
        })
    }

    fn injection(&mut self, span: Span, label: &Sexp, ty: &Sexp, payload: &Sexp) -> Option<Typed> {
        let label = self.name(label)?;
        let ty = self.ty(ty)?;
        let wanted = self.payload_type(span, label, &ty)?;
        let payload = self.expr(payload, Some(&wanted))?;
        if !self.equality.equal(&mut self.free, &wanted, &payload.ty) {
            return self.error(payload.span(), DataError::Payload { label, wanted, found: payload.ty });
        }
        Some(Typed::new(Expr::new(ExprKind::Inject { label, ty: ty.clone(), payload: payload.expr }, span), ty))
    }

    fn is_constructor(&mut self, span: Span, label: &Sexp, sum: &Sexp) -> Option<Typed> {
        self.taken_apart(span, label, sum, "is", &|label, sum, _| (ExprKind::Is(label, sum), Type::prim(PrimType::Bool)))
    }
    fn payload(&mut self, span: Span, label: &Sexp, sum: &Sexp) -> Option<Typed> {
        self.taken_apart(span, label, sum, "payload", &|label, sum, payload| (ExprKind::Payload(label, sum), payload))
    }
    /// What `make` makes of a constructor, a sum and the type of the constructor's payload.
    fn taken_apart(
        &mut self,
        span: Span,
        label: &Sexp,
        sum: &Sexp,
        form: &'static str,
        make: &dyn Fn(Symbol, Expr, Type) -> (ExprKind, Type),
    ) -> Option<Typed> {
        let label = self.name(label)?;
        let sum = self.expr(sum, None)?;
        self.for_each_cell(span, sum, 0, form, |this, sum| {
            let payload = this.payload_type(sum.span(), label, &sum.ty)?;
            let (kind, ty) = make(label, sum.expr, payload);
            Some(Typed::new(Expr::new(kind, span), ty))
        })
    }

    fn payload_type(&mut self, span: Span, label: Symbol, ty: &Type) -> Option<Type> {
        match ty.atom() {
            Atom::Sum(payloads) => match payloads.iter().find(|(name, _)| *name == label) {
                Some((_, ty)) => Some(ty.clone()),
                None => self.error(span, DataError::NoConstructor { label, ty: ty.clone() }),
            },
            _ => self.error(span, DataError::NotOf { wanted: Data::Sum, found: ty.clone() }),
        }
    }

    fn coercion(&mut self, span: Span, ty: &Sexp, value: &Sexp) -> Option<Typed> {
        let ty = self.ty(ty)?;
        let value = self.expr(value, None)?;
        if !self.equality.equal_up_to_sizes(&mut self.free, &ty, &value.ty) {
            return self.error(span, TypeError::Coercion { from: value.ty, to: ty });
        }
        Some(Typed::new(Expr::new(ExprKind::Coerce { ty: ty.clone(), expr: value.expr }, span), ty))
    }

    fn assertion(&mut self, span: Span, cond: &Sexp, message: &Sexp, value: &Sexp, wanted: Option<&Type>) -> Option<Typed> {
        let cond = self.condition(cond);
        let SexpKind::Text(text) = &message.kind else { return self.wanted(message.span, Wanted::Text) };
        let value = self.expr(value, wanted);
        let (cond, value) = (cond?, value?);
        let kind = ExprKind::Assert { cond: cond.expr, message: Symbol::new(text), expr: value.expr };
        Some(Typed::new(Expr::new(kind, span), value.ty))
    }
}

/// `(reify-shape s)`: a box if the rank is not known.
fn reified(span: Span, shape: Shape) -> Typed {
    let i64s = |dim| Type::new(Atom::Prim(PrimType::I64), Shape::dims([dim]));
    let known = shape.items.iter().all(|item| matches!(item, ShapeItem::Dim(_)));
    let ty = if known {
        i64s(Dim::constant(shape.items.len() as i64))
    } else {
        let n = Symbol::new("n");
        Type::scalar(Atom::Sigma(vec![n], i64s(Dim::var(n))))
    };
    Typed::new(Expr::new(ExprKind::ReifyShape(shape), span), ty)
}

/// The part of a shape behind `rank` items.
fn cell_shape(ty: &Type, rank: usize) -> Shape {
    Shape { items: ty.shape().items.get(rank..).unwrap_or_default().to_vec() }
}

/// The type of the cells behind `rank` dimensions.
fn inner(wanted: Option<&Type>, rank: usize) -> Option<Type> {
    let wanted = wanted?;
    let items = wanted.shape().items.get(rank..)?.to_vec();
    Some(Type::new(wanted.atom().clone(), Shape { items }))
}

/// A literal of these cells, all of one type: flat where all are literals of scalars and it may be.
fn framed_literal(span: Span, dims: &[u64], frame: &Shape, cells: Vec<Typed>, nested: bool) -> Typed {
    let Some(first) = cells.first() else { return literal(Scalar::Bool(false), span) };
    let cell = first.ty.clone();
    let ty = cell.framed(frame);
    if dims.is_empty() {
        return cells.into_iter().next().unwrap_or_else(|| literal(Scalar::Bool(false), span));
    }
    let flat = |cell: &Typed| match cell.expr.kind() {
        ExprKind::Lit(value) => Some((Vec::new(), value.prim(), vec![*value])),
        ExprKind::Array { dims, elem, items } => Some((dims.clone(), *elem, items.clone())),
        _ => None,
    };
    let all_flat = nested && cells.iter().all(|cell| matches!(cell.expr.kind(), ExprKind::Lit(_) | ExprKind::Array { .. }));
    if all_flat && let Some((inner, elem, _)) = flat(first) {
        let items = cells.iter().filter_map(flat).flat_map(|(.., items)| items).collect();
        let dims = dims.iter().copied().chain(inner).collect();
        return Typed::new(Expr::new(ExprKind::Array { dims, elem, items }, span), ty);
    }
    let cells = cells.into_iter().map(|cell| cell.expr).collect();
    Typed::new(Expr::new(ExprKind::Frame { dims: dims.to_vec(), cell, cells }, span), ty)
}
