//! Arrays: maps, frames, replication, primitives.

use super::atoms::constants;
use super::{Gen, call, i64_ty, inst, int, local, make, shape, var, with_outer};
use remora::base::{PrimType, Scalar, Symbol};
use remora::ir::core::{Atom, Dim, Expr, ExprKind, Index, Param, Shape, ShapeItem, Type};

/// A binary function type.
fn binary(ty: &Type) -> [Param; 2] {
    [0, 1].map(|_| Param { name: None, ty: ty.clone() })
}

/// The type of an array that is to be made, and its parts.
struct Wanted<'t> {
    ty: &'t Type,
    n: Dim,
    rest: Shape,
    cell: Type,
    atom: Atom,
}

impl Gen<'_> {
    /// An array of this type, which has a rank.
    pub fn array(&mut self, ty: &Type) -> Option<Expr> {
        if *ty.atom() == Atom::Prim(PrimType::I64)
            && let (ShapeItem::Dim(n), 3) = (&ty.shape().items[0], self.choose(4))
        {
            return self.counted(ty, n);
        }
        match self.choose(10) {
            0..=3 => self.map(ty),
            4 => {
                let (frame, cell) = self.split(ty);
                let arg = self.expr(&cell)?;
                Some(make(ExprKind::Rep { frame, arg }))
            }
            5 => self.frame(ty),
            _ => self.made(ty),
        }
    }

    /// Divides a shape into a frame, not empty, and the type of its cells.
    fn split(&mut self, ty: &Type) -> (Shape, Type) {
        let items = &ty.shape().items;
        let at = 1 + self.choose(items.len());
        (shape(&items[..at]), Type::new(ty.atom().clone(), shape(&items[at..])))
    }

    fn map(&mut self, ty: &Type) -> Option<Expr> {
        let (frame, cell) = self.split(ty);
        let mut args: Vec<(Symbol, Expr)> = Vec::new();
        let mut bound = Vec::new();
        for _ in 0..self.choose(3) {
            let element = self.ty(1);
            let array = self.expr(&element.framed(&frame))?;
            let name = self.term_name();
            if args.iter().all(|(other, _)| *other != name) {
                args.push((name, array));
                bound.push((name, element));
            }
        }
        self.scope.terms.extend(bound);
        let body = self.expr(&cell)?;
        Some(make(ExprKind::Map { frame, args, body }))
    }

    fn frame(&mut self, ty: &Type) -> Option<Expr> {
        let (frame, cell) = self.split(ty);
        let dims = constants(&frame)?;
        let count: u64 = dims.iter().product();
        if count > 6 {
            return None;
        }
        let cells = (0..count).map(|_| self.expr(&cell)).collect::<Option<_>>()?;
        Some(make(ExprKind::Frame { dims, cell, cells }))
    }

    /// An array that a primitive makes.
    fn made(&mut self, ty: &Type) -> Option<Expr> {
        let (ShapeItem::Dim(n), rest) = ty.shape().items.split_first()? else { return None };
        let (n, rest) = (n.clone(), shape(rest));
        let cell = Type::new(ty.atom().clone(), rest.clone());
        let wanted = Wanted { ty, n, rest, cell, atom: ty.atom().clone() };
        match self.choose(17) {
            way @ (1 | 2 | 8..=11 | 13 | 15) => self.rearranged(way, wanted),
            way @ (0 | 3..=7 | 12 | 14) => self.put_together(way, wanted),
            _ => self.counted(ty, &wanted.n),
        }
    }

    /// The elements of one array in another order.
    fn rearranged(&mut self, way: usize, wanted: Wanted) -> Option<Expr> {
        let Wanted { ty, n, rest, cell, atom } = wanted;
        match way {
            1 => {
                let xs = self.expr(ty)?;
                Some(call(inst("reverse", &atom, &[n], &rest), vec![xs]))
            }
            2 => {
                let (by, xs) = (self.expr(&i64_ty())?, self.expr(ty)?);
                Some(call(inst("rotate", &atom, &[n], &rest), vec![by, xs]))
            }
            8 => {
                let Some((ShapeItem::Dim(m), inner)) = rest.items.split_first() else { return None };
                let (m, inner) = (m.clone(), shape(inner));
                let turned = Type::new(atom.clone(), Shape::dims([m.clone(), n.clone()]).append(&inner));
                let xs = self.expr(&turned)?;
                Some(call(inst("transpose", &atom, &[m, n], &inner), vec![xs]))
            }
            9 => {
                let one = Dim::constant(1);
                let xs = self.expr(&Type::new(atom.clone(), Shape::dims([n.clone(), one.clone()]).append(&rest)))?;
                Some(call(inst("flatten", &atom, &[n, one], &rest), vec![xs]))
            }
            10 => {
                let Some((ShapeItem::Dim(m), inner)) = rest.items.split_first() else { return None };
                let (m, inner) = (m.clone(), shape(inner));
                let xs = self.expr(&Type::new(atom.clone(), Shape::dims([n.mul(&m)]).append(&inner)))?;
                Some(call(inst("unflatten", &atom, &[n, m], &inner), vec![xs]))
            }
            11 => {
                let size = n.as_constant()?;
                let start = self.choose(2) as i64;
                let xs = self.expr(&with_outer(&Dim::constant(size + 1), &cell))?;
                let args = vec![xs, int(start), int(start + size)];
                Some(call(inst("slice", &atom, &[Dim::constant(size + 1)], &rest), args))
            }
            13 => {
                let shape = self.shape(2);
                let xs = self.expr(&Type::new(atom.clone(), shape.clone()))?;
                let indices = vec![Index::Shape(shape), Index::Shape(ty.shape().clone())];
                let fun = make(ExprKind::Inst { fun: var("recycle"), types: vec![atom], indices });
                Some(call(fun, vec![xs]))
            }
            15 => {
                let to = Index::Shape(Shape::dims([n]));
                let from = Shape::dims([Dim::constant(2), self.dim()]);
                let indices = vec![Index::Shape(from.clone()), to, Index::Shape(rest.clone()), Index::Dim(Dim::constant(2))];
                let xs = self.expr(&cell.framed(&from))?;
                let at = make(ExprKind::Array {
                    dims: vec![2],
                    elem: PrimType::I64,
                    items: vec![Scalar::I64(self.choose(2) as i64), Scalar::I64(0)],
                });
                let fun = make(ExprKind::Inst { fun: var("subarray"), types: vec![atom], indices });
                Some(call(fun, vec![xs, at]))
            }
            _ => unreachable!("the caller has the others"),
        }
    }

    /// An array of several, or of an array and what is done with it.
    fn put_together(&mut self, way: usize, wanted: Wanted) -> Option<Expr> {
        let Wanted { ty, n, rest, cell, atom } = wanted;
        match way {
            0 => {
                let a = Dim::constant(self.choose(2) as i64);
                let b = n.sub(&a);
                if b.as_constant().is_some_and(|b| b < 0) || (a.as_constant() == Some(1) && b.as_constant().is_none()) {
                    return None;
                }
                let (xs, ys) = (self.expr(&with_outer(&a, &cell))?, self.expr(&with_outer(&b, &cell))?);
                Some(call(inst("concat", &atom, &[a, b], &rest), vec![xs, ys]))
            }
            3 => {
                let f = self.lambda(&binary(&cell), &cell, true)?;
                let (init, xs) = (self.expr(&cell)?, self.expr(ty)?);
                Some(call(inst("scan", &atom, &[n], &rest), vec![f, init, xs]))
            }
            4 => {
                let (xs, i, x) = (self.expr(ty)?, self.position()?, self.expr(&cell)?);
                Some(call(inst("update", &atom, &[n], &rest), vec![xs, i, x]))
            }
            5 => {
                let k = Dim::constant(self.choose(3) as i64);
                let is = Type::new(Atom::Prim(PrimType::I64), Shape::dims([k.clone()]));
                let (xs, is, ys) = (self.expr(ty)?, self.expr(&is)?, self.expr(&with_outer(&k, &cell))?);
                Some(call(inst("scatter", &atom, &[n, k], &rest), vec![xs, is, ys]))
            }
            6 => {
                let k = Dim::constant(self.choose(4) as i64);
                let is = Type::new(Atom::Prim(PrimType::I64), Shape::dims([k.clone()]));
                let (bins, f, init) = (self.expr(ty)?, self.lambda(&binary(&cell), &cell, true)?, self.expr(&cell)?);
                let (is, xs) = (self.expr(&is)?, self.expr(&with_outer(&k, &cell))?);
                Some(call(inst("reduce_by_index", &atom, &[n, k], &rest), vec![bins, f, init, is, xs]))
            }
            7 => {
                let size = n.as_constant()?;
                let k = Dim::constant(self.choose(4) as i64);
                let is = Type::new(Atom::Prim(PrimType::I64), Shape::dims([k.clone()]));
                let (f, init) = (self.lambda(&binary(&cell), &cell, true)?, self.expr(&cell)?);
                let (is, xs) = (self.expr(&is)?, self.expr(&with_outer(&k, &cell))?);
                Some(call(inst("hist", &atom, &[k], &rest), vec![f, init, int(size), is, xs]))
            }
            12 => {
                let k = Dim::constant(self.choose(3) as i64);
                let (xs, ys) = (self.expr(ty)?, self.expr(&with_outer(&k, &cell))?);
                let args = vec![xs, int(0), int([1, 0, 2][self.choose(3)]), ys];
                Some(call(inst("update_slice", &atom, &[n, k], &rest), args))
            }
            14 => {
                let k = Dim::constant(1 + self.choose(3) as i64);
                let is = Type::new(Atom::Prim(PrimType::I64), Shape::dims([k.clone()]));
                let positions = if self.choose(2) == 0 { call(var("iota"), vec![int(k.as_constant()?)]) } else { self.expr(&is)? };
                let xs = self.expr(&with_outer(&k, &cell))?;
                Some(call(inst("scatter_new", &atom, &[k, n], &rest), vec![positions, xs]))
            }
            _ => unreachable!("the caller has the others"),
        }
    }

    /// Vectors of numbers.
    fn counted(&mut self, ty: &Type, n: &Dim) -> Option<Expr> {
        if *ty.atom() != Atom::Prim(PrimType::I64) {
            return None;
        }
        if ty.shape().items.len() != 1 || self.choose(3) == 2 {
            let indices = vec![Index::Shape(ty.shape().clone())];
            return Some(make(ExprKind::Inst { fun: var("shape_iota"), types: Vec::new(), indices }));
        }
        let size = match (n.as_constant(), n.as_atom()) {
            (Some(n), _) => int(n),
            (_, Some(remora::ir::core::DimAtom::Size(x))) => local(x),
            _ => make(ExprKind::ReifyDim(n.clone())),
        };
        match self.choose(2) {
            0 => Some(call(var("iota"), vec![size])),
            _ => Some(call(var("range"), vec![int(2), call(var("i64.+"), vec![size, int(2)])])),
        }
    }

    /// A position in an array, more often than not one that is there.
    fn position(&mut self) -> Option<Expr> {
        match self.choose(6) {
            0..=4 => Some(int(0)),
            _ => self.expr(&i64_ty()),
        }
    }

    /// An element of an array.
    pub fn element(&mut self, ty: &Type) -> Option<Expr> {
        let n = Dim::constant(1 + self.choose(3) as i64);
        let xs = self.expr(&with_outer(&n, ty))?;
        let i = self.position()?;
        Some(call(inst("index", ty.atom(), &[n], ty.shape()), vec![xs, i]))
    }

    /// A fold of an array.
    pub fn reduction(&mut self, ty: &Type) -> Option<Expr> {
        let n = self.dim();
        let f = self.lambda(&binary(ty), ty, true)?;
        let (init, xs) = (self.expr(ty)?, self.expr(&with_outer(&n, ty))?);
        let name = ["reduce", "reduce_comm"][self.choose(2)];
        Some(call(inst(name, ty.atom(), &[n], ty.shape()), vec![f, init, xs]))
    }

    /// A literal that is small enough to be a size.
    pub fn size_literal(&mut self) -> Expr {
        let n = [2, 1, 0, 3][self.choose(4)];
        make(ExprKind::Lit(Scalar::I64(n)))
    }
}
