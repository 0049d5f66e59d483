//! Maps of maps of reductions, as in a product of matrices: `map (\row -> map (\column -> reduce op e (map f row column)) columns) rows`.
//!
//! The sums of some rows and some columns are made at a time, in registers: an element of a row is used for all those columns, an element
//! of a column for all those rows. Stretches of the columns are copied, so that what is used together lies together, and stay in the cache
//! while the rows pass by (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34(3), 2008, section 4).
//! Each sum is made in the same order as before.

use super::interchange::Nest;
use super::{Array, Loc, Lower, Mem};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Int, Local, Order, Ptr, Stmt};
use crate::ir::soac::{Soac, Var};

/// Rows of a tile.
const ROWS: i64 = 8;
/// Bytes of a row of a tile: two of the widest vector registers.
const BYTES: i64 = 128;
/// Elements of a stretch of a column.
const DEPTH: i64 = 256;
/// Fewer rows or columns are not worth the copies.
const FEW: i64 = 4;

/// What the parts of a tile share.
struct Tile<'p> {
    nest: Nest<'p>,
    outer: &'p Soac,
    columns: i64,
    /// The inputs of the reduction, their parameters, and whether they are columns.
    inputs: Vec<(Var, Var, bool)>,
    /// The rows, and how many columns there are.
    lo: Expr,
    hi: Expr,
    width: Expr,
    out: Mem,
    elem: PrimType,
}

/// Where a stretch begins and how long it is.
struct Stretch {
    from: Expr,
    count: Expr,
}

impl<'p> Lower<'_, 'p> {
    /// The cells from `lo` to `hi` of such a map, written to `out`.
    pub(super) fn tiles(&mut self, nest: Nest<'p>, outer: &'p Soac, (lo, hi): (Expr, Expr), out: &Mem, span: Span) {
        let operator = &nest.reduce.reduces[0];
        let elem = self.program.operand_ty(operator.neutral[0]).elem;
        let inputs = nest.reduce.inputs.iter().zip(&nest.reduce.lambda.params);
        let inputs = inputs.map(|(input, param)| (*input, *param, nest.map.lambda.params.contains(input))).collect();
        let width = self.size(&nest.map.width);
        let width = self.atom("width", width);
        let depth = self.size(&nest.reduce.width);
        let depth = self.atom("depth", depth);
        let columns = BYTES / elem.bytes() as i64;
        let tile = Tile { nest, outer, columns, inputs, lo, hi, width, out: out.clone(), elem };
        let panels = self.ceiling(&tile.width, columns);
        // Copies: of the columns in panels, of the rows of one tile.
        let mut handles = Vec::new();
        let mut copies: Vec<Ptr> = Vec::new();
        for (_, param, column) in &tile.inputs {
            let elem = self.program.ty(*param).elem;
            if *column {
                let ptr = self.ptr(Symbol::new("columns"), elem, None);
                let handle = self.handle("columns");
                let count = Expr::arith(Int::Count, panels.clone(), Expr::int(columns * DEPTH));
                self.emit(Stmt::Alloc { handle, ptr, count, span });
                handles.push(handle);
                copies.push(ptr);
            } else {
                let ptr = self.ptr(Symbol::new("rows"), elem, Some((ROWS * DEPTH) as u64));
                self.emit(Stmt::Stack(ptr));
                copies.push(ptr);
            }
        }
        // Without elements there are sums all the same.
        let stretches = self.ceiling(&depth, DEPTH);
        let none = Expr::arith(Int::Eq, stretches.clone(), Expr::int(0));
        let stretches = Expr::Select(Box::new(none), Box::new(Expr::int(1)), Box::new(stretches));
        let stretches = self.atom("stretches", stretches);
        let s = self.local("stretch", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let from = this.atom("from", Expr::Local(s).times(Expr::int(DEPTH)));
            let rest = this.atom("rest", depth.clone().minus(from.clone()));
            let count = this.atom("count", Expr::arith(Int::Min, rest, Expr::int(DEPTH)));
            let stretch = Stretch { from, count };
            this.copy_columns(&tile, &stretch, &panels, &copies);
            let blocks = tile.hi.clone().minus(tile.lo.clone());
            let blocks = this.atom("rows", blocks);
            let blocks = this.ceiling(&blocks, ROWS);
            let b = this.local("block", PrimType::I64);
            let (body, ()) = this.block(|this| {
                let first = tile.lo.clone().plus(Expr::Local(b).times(Expr::int(ROWS)));
                let first = this.atom("first", first);
                let contexts = this.copy_rows(&tile, &stretch, &first, &copies);
                let j = this.local("panel", PrimType::I64);
                let (body, ()) = this.block(|this| this.tile(&tile, &stretch, (&first, j), &contexts, &copies));
                this.emit(Stmt::For { var: j, from: Expr::int(0), to: panels.clone(), order: Order::Sequential, body });
            });
            this.emit(Stmt::For { var: b, from: Expr::int(0), to: blocks, order: Order::Sequential, body });
        });
        self.emit(Stmt::For { var: s, from: Expr::int(0), to: stretches, order: Order::Sequential, body });
        self.release(&handles);
    }
    /// How many pieces of this length cover a length.
    fn ceiling(&mut self, length: &Expr, piece: i64) -> Expr {
        let all = length.clone().plus(Expr::int(piece - 1));
        self.atom("pieces", Expr::arith(Int::Div, all, Expr::int(piece)))
    }
    /// Whether there are enough rows and columns for tiles.
    pub(super) fn enough(&mut self, nest: Nest<'p>, lo: &Expr, hi: &Expr) -> Expr {
        let width = self.size(&nest.map.width);
        let rows = hi.clone().minus(lo.clone());
        Expr::int(FEW - 1).less(rows).and(Expr::int(4 * FEW - 1).less(width))
    }

    /// Copies a stretch of all columns; beyond the last one it is repeated.
    fn copy_columns(&mut self, tile: &Tile<'p>, stretch: &Stretch, panels: &Expr, copies: &[Ptr]) {
        let [panel, k, l] = ["panel", "k", "l"].map(|name| self.local(name, PrimType::I64));
        let size = Expr::int(tile.columns);
        let last = self.atom("last", tile.width.clone().minus(Expr::int(1)));
        let (body, ()) = self.block(|this| {
            let start = this.atom("start", Expr::Local(panel).times(size.clone()));
            let (row, ()) = this.block(|this| {
                let (cell, ()) = this.block(|this| {
                    let j = this.atom("j", start.clone().plus(Expr::Local(l)));
                    let j = this.atom("j", Expr::arith(Int::Min, j, last.clone()));
                    let at = stretch.from.clone().plus(Expr::Local(k));
                    for ((input, param, column), copy) in tile.inputs.iter().zip(copies) {
                        let Some(q) = tile.nest.map.lambda.params.iter().position(|p| p == input) else { continue };
                        if *column {
                            let array = this.array(tile.nest.map.inputs[q]);
                            let value = this.element(&array, &[j.clone(), at.clone()], this.program.ty(*param).elem);
                            let place = start.clone().times(Expr::int(DEPTH)).plus(Expr::Local(k).times(size.clone()));
                            this.emit(Stmt::Store(*copy, place.plus(Expr::Local(l)), value));
                        }
                    }
                });
                this.emit(Stmt::For { var: l, from: Expr::int(0), to: size.clone(), order: Order::Any, body: cell });
            });
            this.emit(Stmt::For { var: k, from: Expr::int(0), to: stretch.count.clone(), order: Order::Any, body: row });
        });
        self.emit(Stmt::For { var: panel, from: Expr::int(0), to: panels.clone(), order: Order::Any, body });
    }

    /// Copies a stretch of some rows, the last one repeated beyond it; what the parameters of the outer map are for each.
    fn copy_rows(&mut self, tile: &Tile<'p>, stretch: &Stretch, first: &Expr, copies: &[Ptr]) -> Vec<Vec<(Var, Loc)>> {
        let last = self.atom("last", tile.hi.clone().minus(Expr::int(1)));
        let mut contexts = Vec::new();
        for r in 0..ROWS {
            let i = self.atom("i", first.clone().plus(Expr::int(r)));
            let i = self.atom("i", Expr::arith(Int::Min, i, last.clone()));
            self.bind_cells(&tile.outer.inputs, &tile.outer.lambda.params, &i);
            let bound = tile.outer.lambda.params.iter().filter_map(|param| Some((*param, self.locs.get(param)?.clone()))).collect();
            let k = self.local("k", PrimType::I64);
            let (body, ()) = self.block(|this| {
                let at = stretch.from.clone().plus(Expr::Local(k));
                for ((input, param, column), copy) in tile.inputs.iter().zip(copies) {
                    if !column {
                        let array = this.array(*input);
                        let value = this.element(&array, std::slice::from_ref(&at), this.program.ty(*param).elem);
                        let place = Expr::Local(k).times(Expr::int(ROWS)).plus(Expr::int(r));
                        this.emit(Stmt::Store(*copy, place, value));
                    }
                }
            });
            self.emit(Stmt::For { var: k, from: Expr::int(0), to: stretch.count.clone(), order: Order::Any, body });
            contexts.push(bound);
        }
        contexts
    }

    /// The sums of a tile for a stretch.
    fn tile(&mut self, tile: &Tile<'p>, stretch: &Stretch, (first, panel): (&Expr, Local), contexts: &[Vec<(Var, Loc)>], copies: &[Ptr]) {
        let start = self.atom("start", Expr::Local(panel).times(Expr::int(tile.columns)));
        let rest = self.atom("rest", tile.width.clone().minus(start.clone()));
        let valid = self.atom("valid", Expr::arith(Int::Min, rest, Expr::int(tile.columns)));
        let sums: Vec<Ptr> = (0..ROWS).map(|_| self.ptr(Symbol::new("sum"), tile.elem, Some(tile.columns as u64))).collect();
        sums.iter().for_each(|sum| self.emit(Stmt::Stack(*sum)));
        let neutral = self.int(tile.nest.reduce.reduces[0].neutral[0]);
        let l = self.local("l", PrimType::I64);
        let body = sums.iter().map(|sum| Stmt::Store(*sum, Expr::Local(l), neutral.clone())).collect();
        self.emit(Stmt::For { var: l, from: Expr::int(0), to: Expr::int(tile.columns), order: Order::Any, body });
        let (load, ()) = self.block(|this| this.move_sums(tile, (first, &start, &valid), &sums, true));
        self.emit(Stmt::If(Expr::int(0).less(stretch.from.clone()), load, Vec::new()));

        let [k, l] = ["k", "l"].map(|name| self.local(name, PrimType::I64));
        let base = self.atom("base", start.clone().times(Expr::int(DEPTH)));
        let (row, ()) = self.block(|this| {
            let base = this.atom("base", base.plus(Expr::Local(k).times(Expr::int(tile.columns))));
            let (cell, ()) = this.block(|this| {
                for ((_, param, column), copy) in tile.inputs.iter().zip(copies) {
                    if *column {
                        let at = base.clone().plus(Expr::Local(l));
                        this.set_scalar(*param, Expr::Load(*copy, Box::new(at)));
                    }
                }
                for (r, (context, sum)) in contexts.iter().zip(&sums).enumerate() {
                    this.locs.extend(context.iter().cloned());
                    for ((_, param, column), copy) in tile.inputs.iter().zip(copies) {
                        if !column {
                            let at = Expr::Local(k).times(Expr::int(ROWS)).plus(Expr::int(r as i64));
                            this.set_scalar(*param, Expr::Load(*copy, Box::new(at)));
                        }
                    }
                    this.add_to(tile.nest, *sum, &Expr::Local(l));
                }
            });
            this.emit(Stmt::For { var: l, from: Expr::int(0), to: Expr::int(tile.columns), order: Order::Any, body: cell });
        });
        self.emit(Stmt::For { var: k, from: Expr::int(0), to: stretch.count.clone(), order: Order::Sequential, body: row });
        self.move_sums(tile, (first, &start, &valid), &sums, false);
    }
    /// Adds what the reduction's lambda makes of its parameters to a sum.
    fn add_to(&mut self, nest: Nest<'p>, sum: Ptr, l: &Expr) {
        let found = self.body(&nest.reduce.lambda.body, &[]);
        let operator = &nest.reduce.reduces[0];
        let [a, b] = operator.lambda.params.as_slice() else { return };
        self.set_scalar(*a, Expr::Load(sum, Box::new(l.clone())));
        if let Some(found) = found.into_iter().next() {
            self.locs.insert(*b, found);
        }
        if let Some(Loc::Scalar(e)) = self.body(&operator.lambda.body, &[]).into_iter().next() {
            self.emit(Stmt::Store(sum, l.clone(), e));
        }
    }
    /// Loads the sums of a tile from where they go, or stores them there.
    fn move_sums(&mut self, tile: &Tile<'p>, (first, start, valid): (&Expr, &Expr, &Expr), sums: &[Ptr], load: bool) {
        for (r, sum) in sums.iter().enumerate() {
            let i = self.atom("i", first.clone().plus(Expr::int(r as i64)));
            let inside = i.clone().less(tile.hi.clone());
            let (then, ()) = self.block(|this| {
                let offset = this.at(&tile.out, &[i, start.clone()]);
                let offset = this.atom("offset", offset);
                let to = Mem { offset, strides: tile.out.strides[1..].into(), ..tile.out.clone() };
                let l = this.local("l", PrimType::I64);
                let at = this.at(&to, &[Expr::Local(l)]);
                let element = this.element(&Array::Mem(to.clone()), &[Expr::Local(l)], tile.elem);
                let body = vec![if load {
                    Stmt::Store(*sum, Expr::Local(l), element)
                } else {
                    Stmt::Store(to.ptr, at, Expr::Load(*sum, Box::new(Expr::Local(l))))
                }];
                this.emit(Stmt::For { var: l, from: Expr::int(0), to: valid.clone(), order: Order::Any, body });
            });
            self.emit(Stmt::If(inside, then, Vec::new()));
        }
    }
}
