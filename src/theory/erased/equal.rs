//! Equality of erased expressions: up to names of bound variables, with indices compared in normal form.
//!
//! A variable that a `let` binds to a size expression stands for that size, as in core: `(let [x 5] .. (size x) ..)` is equal to
//! `(let [x 5] .. 5 ..)`. Checks of a coercion that compare a shape with itself are no difference.

use super::{Expr, ExprKind, LoopForm};
use crate::base::{Scalar, Symbol};
use crate::ir::core::sizes::{SizeOp, product};
use crate::ir::core::{Dim, DimAtom, Index, Shape, ShapeItem, is_shape};

/// Whether two expressions are equal.
pub fn equal(a: &Expr, b: &Expr) -> bool {
    Comparison::default().exprs(a, b)
}

/// The variables of one side, innermost last, with what they are compared as.
#[derive(Default)]
struct Side {
    /// Term variables: a number and the size they stand for.
    terms: Vec<(Symbol, u32, Dim)>,
    /// Index variables: a number.
    indices: Vec<(Symbol, u32)>,
}

#[derive(Default)]
struct Comparison {
    left: Side,
    right: Side,
    next: u32,
}

/// Sizes, and shape variables: numbers of bound ones, names of others.
type Sizes = Vec<Result<Dim, (Option<u32>, Symbol)>>;

fn number(n: u32) -> Dim {
    Dim::atom(DimAtom::Meta(n))
}

impl Side {
    fn term(&self, name: Symbol) -> Option<&(Symbol, u32, Dim)> {
        self.terms.iter().rev().find(|(bound, ..)| *bound == name)
    }
    fn index(&self, name: Symbol) -> Option<u32> {
        self.indices.iter().rev().find(|(bound, _)| *bound == name).map(|(_, n)| *n)
    }
    fn dim(&self, dim: &Dim) -> Dim {
        dim.subst(&mut |atom| match atom {
            DimAtom::Var(name) => self.index(name).map(number),
            DimAtom::Size(name) => self.term(name).map(|(.., dim)| dim.clone()),
            DimAtom::Meta(_) => None,
        })
    }
    /// The checks that can fail: components of a type variable are equal whatever it stands for.
    fn checks(&self, checks: &[(Shape, Shape)]) -> Vec<(Sizes, Sizes)> {
        checks.iter().map(|(from, to)| (self.shape(from), self.shape(to))).filter(|(from, to)| from != to).collect()
    }
    fn shape(&self, shape: &Shape) -> Sizes {
        let item = |item: &ShapeItem| match item {
            ShapeItem::Dim(dim) => Ok(self.dim(dim)),
            ShapeItem::Var(name) => match self.index(*name) {
                Some(n) => Err((Some(n), Symbol::new(""))),
                None => Err((None, *name)),
            },
        };
        shape.items.iter().map(item).collect()
    }
    /// The size that an expression denotes, if it is a size expression.
    fn size_of(&self, expr: &Expr) -> Option<Dim> {
        match expr.kind() {
            ExprKind::Lit(Scalar::I64(value)) => Some(Dim::constant(*value)),
            ExprKind::Var(name) => self.term(*name).map(|(.., dim)| dim.clone()),
            ExprKind::ReifyDim(dim) => Some(self.dim(dim)),
            ExprKind::App { fun, args } => {
                let (ExprKind::Var(name), [a, b]) = (fun.kind(), args.as_slice()) else { return None };
                let op = SizeOp::named(*name).filter(|_| self.term(*name).is_none())?;
                let (a, b) = (self.size_of(a)?, self.size_of(b)?);
                match op {
                    SizeOp::Add => Some(a.add(&b)),
                    SizeOp::Sub => Some(a.sub(&b)),
                    SizeOp::Mul => product(&a, &b),
                }
            }
            _ => None,
        }
    }
}

impl Comparison {
    fn exprs(&mut self, a: &Expr, b: &Expr) -> bool {
        match (a.kind(), b.kind()) {
            (ExprKind::Var(x), ExprKind::Var(y)) => match (self.left.term(*x), self.right.term(*y)) {
                (Some((_, m, _)), Some((_, n, _))) => m == n,
                (None, None) => x == y,
                _ => false,
            },
            (ExprKind::Lit(x), ExprKind::Lit(y)) => x.same_bits(*y),
            (ExprKind::Array { dims: d, atoms: a }, ExprKind::Array { dims: e, atoms: b }) => d == e && self.lists(a, b),
            (ExprKind::Frame { dims: d, cell: s, cells: a }, ExprKind::Frame { dims: e, cell: t, cells: b }) => {
                d == e && self.shapes(s, t) && self.lists(a, b)
            }
            (ExprKind::App { fun: f, args: a }, ExprKind::App { fun: g, args: b }) => self.exprs(f, g) && self.lists(a, b),
            (ExprKind::Inst { fun: f, indices: a }, ExprKind::Inst { fun: g, indices: b }) => self.exprs(f, g) && self.indices(a, b),
            (ExprKind::Fn { params: x, body: a }, ExprKind::Fn { params: y, body: b }) => self.below((x, y), (&[], &[]), |c| c.exprs(a, b)),
            (ExprKind::IFn { params: x, body: a }, ExprKind::IFn { params: y, body: b }) => {
                self.below((&[], &[]), (x, y), |c| c.exprs(a, b))
            }
            (ExprKind::Let { name: x, rhs: r, body: a }, ExprKind::Let { name: y, rhs: s, body: b }) => {
                self.exprs(r, s) && self.lets((*x, r, a), (*y, s, b))
            }
            (ExprKind::If { cond: a, then: b, els: c }, ExprKind::If { cond: x, then: y, els: z }) => {
                self.exprs(a, x) && self.exprs(b, y) && self.exprs(c, z)
            }
            (ExprKind::Loop { params: p, form: f, body: a }, ExprKind::Loop { params: q, form: g, body: b }) => {
                self.loops((p, f, a), (q, g, b))
            }
            (ExprKind::Map { frame: i, args: p, body: a, cell: s }, ExprKind::Map { frame: j, args: q, body: b, cell: t }) => {
                let (x, y) = (names(p), names(q));
                self.shapes(i, j)
                    && self.shapes(s, t)
                    && p.len() == q.len()
                    && p.iter().zip(q).all(|((_, a), (_, b))| self.exprs(a, b))
                    && self.below((&x, &y), (&[], &[]), |c| c.exprs(a, b))
            }
            (ExprKind::Rep { frame: i, arg: a }, ExprKind::Rep { frame: j, arg: b }) => self.shapes(i, j) && self.exprs(a, b),
            (ExprKind::Tuple(a), ExprKind::Tuple(b)) => self.lists(a, b),
            (ExprKind::Proj(i, a), ExprKind::Proj(j, b)) => i == j && self.exprs(a, b),
            (ExprKind::Record(a), ExprKind::Record(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && self.exprs(a, b))
            }
            (ExprKind::Field(k, a), ExprKind::Field(l, b))
            | (ExprKind::Inject(k, a), ExprKind::Inject(l, b))
            | (ExprKind::Is(k, a), ExprKind::Is(l, b))
            | (ExprKind::Payload(k, a), ExprKind::Payload(l, b)) => k == l && self.exprs(a, b),
            (ExprKind::Box { indices: i, body: a }, ExprKind::Box { indices: j, body: b }) => self.indices(i, j) && self.exprs(a, b),
            (ExprKind::Unbox { boxed: a, value: x, indices: i, body: c }, ExprKind::Unbox { boxed: b, value: y, indices: j, body: d }) => {
                self.exprs(a, b) && self.below((&[*x], &[*y]), (i, j), |this| this.exprs(c, d))
            }
            (ExprKind::ReifyDim(d), ExprKind::ReifyDim(e)) => self.left.dim(d) == self.right.dim(e),
            (ExprKind::ReifyShape(s), ExprKind::ReifyShape(t)) => self.shapes(s, t),
            (ExprKind::Coerce { checks: p, expr: a }, ExprKind::Coerce { checks: q, expr: b }) => {
                self.left.checks(p) == self.right.checks(q) && self.exprs(a, b)
            }
            (ExprKind::Assert { cond: c, message: m, expr: a }, ExprKind::Assert { cond: d, message: n, expr: b }) => {
                m == n && self.exprs(c, d) && self.exprs(a, b)
            }
            _ => false,
        }
    }

    fn lists(&mut self, a: &[Expr], b: &[Expr]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.exprs(a, b))
    }

    fn shapes(&self, a: &Shape, b: &Shape) -> bool {
        self.left.shape(a) == self.right.shape(b)
    }

    fn indices(&self, a: &[Index], b: &[Index]) -> bool {
        let same = |(a, b): (&Index, &Index)| match (a, b) {
            (Index::Dim(a), Index::Dim(b)) => self.left.dim(a) == self.right.dim(b),
            (Index::Shape(a), Index::Shape(b)) => self.shapes(a, b),
            _ => false,
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// Compares below binders of as many variables on both sides.
    fn below(
        &mut self,
        (x, y): (&[Symbol], &[Symbol]),
        (i, j): (&[Symbol], &[Symbol]),
        compare: impl FnOnce(&mut Comparison) -> bool,
    ) -> bool {
        let sorts = |names: &[Symbol]| names.iter().copied().map(is_shape).collect::<Vec<_>>();
        if x.len() != y.len() || sorts(i) != sorts(j) {
            return false;
        }
        let depths = (self.left.terms.len(), self.left.indices.len(), self.right.terms.len(), self.right.indices.len());
        for (x, y) in x.iter().zip(y) {
            let n = self.fresh();
            self.left.terms.push((*x, n, number(n)));
            self.right.terms.push((*y, n, number(n)));
        }
        for (i, j) in i.iter().zip(j) {
            let n = self.fresh();
            self.left.indices.push((*i, n));
            self.right.indices.push((*j, n));
        }
        let same = compare(self);
        self.left.terms.truncate(depths.0);
        self.left.indices.truncate(depths.1);
        self.right.terms.truncate(depths.2);
        self.right.indices.truncate(depths.3);
        same
    }

    fn lets(&mut self, (x, r, a): (Symbol, &Expr, &Expr), (y, s, b): (Symbol, &Expr, &Expr)) -> bool {
        let n = self.fresh();
        let (left, right) = (self.left.size_of(r), self.right.size_of(s));
        self.left.terms.push((x, n, left.unwrap_or_else(|| number(n))));
        self.right.terms.push((y, n, right.unwrap_or_else(|| number(n))));
        let same = self.exprs(a, b);
        self.left.terms.pop();
        self.right.terms.pop();
        same
    }

    fn loops(&mut self, (p, f, a): (&[(Symbol, Expr)], &LoopForm, &Expr), (q, g, b): (&[(Symbol, Expr)], &LoopForm, &Expr)) -> bool {
        if p.len() != q.len() || !p.iter().zip(q).all(|((_, a), (_, b))| self.exprs(a, b)) {
            return false;
        }
        let (mut x, mut y) = (names(p), names(q));
        match (f, g) {
            (LoopForm::For(i, m), LoopForm::For(j, n)) => {
                x.push(*i);
                y.push(*j);
                self.exprs(m, n) && self.below((&x, &y), (&[], &[]), |this| this.exprs(a, b))
            }
            (LoopForm::While(c), LoopForm::While(d)) => self.below((&x, &y), (&[], &[]), |this| this.exprs(c, d) && this.exprs(a, b)),
            _ => false,
        }
    }
}

fn names(params: &[(Symbol, Expr)]) -> Vec<Symbol> {
    params.iter().map(|(name, _)| *name).collect()
}
