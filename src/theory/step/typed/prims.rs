//! The delta rules of core.

use super::Spine;
use super::values::{block_of, from_block, lit};
use crate::base::scalar::Member;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, Shape, Type};
use crate::ir::core::{Prim, Primitive};
use crate::runtime::block::{self, Atomic, Block, Fault, Made};
use crate::theory::step::Stuck;
use crate::theory::step::sizes::{closed, size};

/// What a primitive with all its arguments becomes.
pub(super) fn delta(spine: &Spine, span: Span) -> Result<Expr, Stuck> {
    let fault = |fault: Fault| Stuck::at(fault, span);
    match &spine.primitive {
        Primitive::Member(Member::Constant(value)) => Ok(lit(*value, span)),
        Primitive::Member(Member::Op(op)) => {
            let operands: Vec<Scalar> = spine.args.iter().filter_map(Atomic::scalar).collect();
            let result = op.apply(&operands).map_err(|error| fault(Fault::operation(*op, error, &operands)))?;
            Ok(lit(result, span))
        }
        Primitive::Member(Member::Fold(fold)) => {
            let vector = spine.args.first().map(block_of).ok_or_else(|| Stuck::malformed("a vector was expected", span))?;
            Ok(lit(vector.fold(*fold).map_err(fault)?, span))
        }
        Primitive::Prim(prim) if block::higher_order(*prim) => Higher { spine, span }.delta(*prim),
        Primitive::Prim(prim) => {
            let indices = spine.indices.iter().map(|index| closed(index, span)).collect::<Result<Vec<_>, _>>()?;
            let blocks: Vec<Block<Expr>> = spine.args.iter().map(block_of).collect();
            let made = block::delta(*prim, &indices, &blocks.iter().collect::<Vec<_>>()).map_err(fault)?;
            // Ranges of i64 and comparisons have no type parameter or a result of another type; the latter is of rank 0.
            let i64s = Atom::Prim(PrimType::I64);
            let atom = spine.types.first().unwrap_or(&i64s);
            match made {
                Made::Array(block) => Ok(from_block(block, atom, span)),
                Made::Boxed(block) => Ok(sized(block, atom, span)),
                Made::Lifted(block) => Ok(lifted(block, span)),
            }
        }
    }
}

/// The box that hides the outermost size of an array.
fn sized(block: Block<Expr>, atom: &Atom, span: Span) -> Expr {
    let k = Symbol::new("k");
    let outer = size(block.dims.first().copied().unwrap_or(0));
    let inner = block.dims.get(1..).unwrap_or(&[]).iter().map(|n| size(*n));
    let ty = Type::new(atom.clone(), Shape::dims([Dim::var(k)].into_iter().chain(inner)));
    let body = from_block(block, atom, span);
    Expr::new(ExprKind::Box { indices: vec![(k, Index::Dim(outer))], ty, body }, span)
}

/// The box that hides the whole shape of an array of tuples without components.
fn lifted(block: Block<Expr>, span: Span) -> Expr {
    let (s, unit) = (Symbol::new("@s"), Atom::Tuple(Vec::new()));
    let shape = Shape::dims(block.dims.iter().map(|n| size(*n)));
    let ty = Type::new(unit.clone(), Shape::var(s));
    Expr::new(ExprKind::Box { indices: vec![(s, Index::Shape(shape))], ty, body: from_block(block, &unit, span) }, span)
}

/// Primitives that take functions.
struct Higher<'s> {
    spine: &'s Spine,
    span: Span,
}

impl Higher<'_> {
    fn make(&self, kind: ExprKind) -> Expr {
        Expr::new(kind, self.span)
    }
    fn call(&self, fun: &Expr, args: Vec<Expr>) -> Expr {
        self.make(ExprKind::App { fun: fun.clone(), args })
    }
    fn fault(&self) -> impl Fn(Fault) -> Stuck {
        let span = self.span;
        move |fault| Stuck::at(fault, span)
    }
    /// A primitive at the element type of this one and at these sizes.
    fn prim(&self, name: &str, sizes: Vec<Dim>) -> Expr {
        let fun = self.make(ExprKind::Var(Symbol::new(name)));
        let shape = self.spine.indices.last().cloned();
        let indices = sizes.into_iter().map(Index::Dim).chain(shape).collect();
        self.make(ExprKind::Inst { fun, types: self.spine.types.clone(), indices })
    }
    fn atom(&self) -> Result<&Atom, Stuck> {
        self.spine.types.first().ok_or_else(|| Stuck::malformed("a primitive without its type", self.span))
    }
    /// The cells of an array and their shape.
    fn cells(&self, xs: &Expr) -> Result<(Vec<Expr>, Vec<usize>), Stuck> {
        let block = block_of(xs);
        let atom = self.atom()?;
        let cells = block.cells(1).map_err(self.fault())?;
        let inner = block.dims.get(1..).unwrap_or(&[]).to_vec();
        Ok((cells.into_iter().map(|cell| from_block(cell, atom, self.span)).collect(), inner))
    }
    /// The array without its first cell.
    fn rest(&self, xs: &Expr) -> Result<Expr, Stuck> {
        let block = block_of(xs);
        let inner = block.dims.get(1..).unwrap_or(&[]).to_vec();
        let cells = block.cells(1).map_err(self.fault())?;
        let rest = Block::collapsed(&[cells.len().saturating_sub(1)], &inner, cells.into_iter().skip(1)).map_err(self.fault())?;
        Ok(from_block(rest, self.atom()?, self.span))
    }

    fn delta(&self, prim: Prim) -> Result<Expr, Stuck> {
        match (prim, self.spine.args.as_slice()) {
            (Prim::Reduce | Prim::ReduceComm, [f, init, xs]) => {
                let (cells, _) = self.cells(xs)?;
                Ok(cells.into_iter().fold(init.clone(), |sum, x| self.call(f, vec![sum, x])))
            }
            (Prim::Scan, [f, init, xs]) => self.scan(f, init, xs),
            (Prim::Filter, [p, xs]) => self.filter(p, xs),
            (Prim::Hist, [f, init, k, is, xs]) => {
                let k = block_of(k).int().map_err(self.fault())?;
                block::sizes(&[k]).map_err(self.fault())?;
                let k = Dim::constant(k);
                let bins = self.make(ExprKind::Rep { frame: Shape::dims([k.clone()]), arg: init.clone() });
                let by_index = self.prim("reduce_by_index", vec![k, size(block_of(is).atoms.len())]);
                Ok(self.call(&by_index, vec![bins, f.clone(), init.clone(), is.clone(), xs.clone()]))
            }
            (Prim::ReduceByIndex, [bins, f, init, is, xs]) => self.by_index(bins, f, init, is, xs),
            (prim, args) => Err(Stuck::malformed(format!("{prim:?} with {} arguments", args.len()), self.span)),
        }
    }

    fn scan(&self, f: &Expr, init: &Expr, xs: &Expr) -> Result<Expr, Stuck> {
        let (cells, inner) = self.cells(xs)?;
        if cells.is_empty() {
            return Ok(xs.clone());
        }
        let ty = Type::new(self.atom()?.clone(), Shape::dims(inner.iter().map(|n| size(*n))));
        let name = |i: usize| Symbol::new(&format!("s{}", i + 1));
        let var = |i: usize| self.make(ExprKind::Var(name(i)));
        let sums = (0..cells.len()).map(var).collect();
        let all = self.make(ExprKind::Frame { dims: vec![cells.len() as u64], cell: ty.clone(), cells: sums });
        Ok(cells.into_iter().enumerate().rev().fold(all, |body, (i, x)| {
            let before = if i == 0 { init.clone() } else { var(i - 1) };
            self.make(ExprKind::Let { name: name(i), ty: Some(ty.clone()), rhs: self.call(f, vec![before, x]), body })
        }))
    }

    fn filter(&self, p: &Expr, xs: &Expr) -> Result<Expr, Stuck> {
        let (cells, inner) = self.cells(xs)?;
        let atom = self.atom()?;
        let Some(first) = cells.first() else { return Ok(sized(block_of(xs), atom, self.span)) };
        let rest = self.call(&self.prim("filter", vec![size(cells.len() - 1)]), vec![p.clone(), self.rest(xs)?]);
        let (k, ys) = (Symbol::new("k"), Symbol::new("ys"));
        let mut alone = block_of(first);
        alone.dims.insert(0, 1);
        let alone = from_block(alone, atom, self.span);
        let joined = self.call(&self.prim("concat", vec![size(1), Dim::var(k)]), vec![alone, self.make(ExprKind::Var(ys))]);
        let ty = Type::new(atom.clone(), Shape::dims([Dim::var(k)].into_iter().chain(inner.iter().map(|n| size(*n)))));
        let more = self.make(ExprKind::Box { indices: vec![(k, Index::Dim(Dim::var(k).add(&size(1))))], ty, body: joined });
        let then = self.make(ExprKind::Unbox { boxed: rest.clone(), value: ys, indices: vec![k], body: more });
        Ok(self.make(ExprKind::If { cond: self.call(p, vec![first.clone()]), then, els: rest }))
    }

    fn by_index(&self, bins: &Expr, f: &Expr, init: &Expr, is: &Expr, xs: &Expr) -> Result<Expr, Stuck> {
        let indices = block_of(is);
        let (Some(first), (cells, _)) = (indices.atoms.first(), self.cells(xs)?) else { return Ok(bins.clone()) };
        let x = cells.first().ok_or_else(|| Stuck::malformed("an element is missing", self.span))?;
        let k = block_of(bins).outer().map_err(self.fault())?;
        let i = Block::atom(first.clone()).int().map_err(self.fault())?;
        let bins = if usize::try_from(i).is_ok_and(|i| i < k) {
            let old = self.call(&self.prim("index", vec![size(k)]), vec![bins.clone(), first.clone()]);
            let sum = self.call(f, vec![old, x.clone()]);
            self.call(&self.prim("update", vec![size(k)]), vec![bins.clone(), first.clone(), sum])
        } else {
            bins.clone()
        };
        let items = indices.atoms.iter().skip(1).filter_map(Atomic::scalar).collect();
        let left = indices.atoms.len() - 1;
        let is = self.make(ExprKind::Array { dims: vec![left as u64], elem: PrimType::I64, items });
        let again = self.prim("reduce_by_index", vec![size(k), size(left)]);
        Ok(self.call(&again, vec![bins, f.clone(), init.clone(), is, self.rest(xs)?]))
    }
}
