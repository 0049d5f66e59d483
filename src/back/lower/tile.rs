//! Maps of maps of reductions, as in a product of matrices: `map (\row -> map (\column -> reduce op e (map f row column)) columns) rows`.
//!
//! Register blocking: the sums of a tile of rows and columns are kept in registers, and each element of a row is used for all columns of the
//! tile, each element of a column for all its rows. Blocks of the columns are packed into contiguous panels, which stay in the cache while
//! the rows pass by (Goto and van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34(3), 2008, section 4).
//! Each sum is made in the same order as before.

use super::interchange::Nest;
use super::{Array, Loc, Lower, Mem, Stride};
use crate::base::mutation::mutated;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Int, Local, Order, Ptr, Stmt};
use crate::ir::profile::Role;
use crate::ir::soac::{Size, Soac, Var};
use crate::ir::tuning::Knob;
use std::ops::Range;

/// The size of a tile.
#[derive(Clone, Copy)]
struct Shape {
    /// How many rows it has.
    height: i64,
    /// How many bytes of each.
    bytes: i64,
}
/// Sums that fit 32 vector registers of 64 bytes, with room for what they are made of.
const WIDE: Shape = Shape { height: 8, bytes: 128 };
/// Sums that fit 16 vector registers of 32 bytes.
const NARROW: Shape = Shape { height: 5, bytes: 64 };
/// Tiles whose rows are packed together: a panel of columns stays in the first-level cache for all of them.
const GROUP: i64 = 4;
/// Fewer rows or columns are not worth the copies.
const FEW: i64 = 4;

/// An input of the reduction.
struct Input {
    array: Var,
    /// The parameter that stands for its elements.
    param: Var,
    /// Whether it is a column, of which all tiles of a panel read the same elements; else it is a row.
    is_column: bool,
}

/// What the parts of a tile share.
struct Tile<'p> {
    nest: Nest<'p>,
    outer: &'p Soac,
    /// Rows and columns of a tile.
    height: i64,
    columns: i64,
    /// The inputs of the reduction.
    inputs: Vec<Input>,
    /// The numbers of the rows, and how many columns there are.
    cells: Range<Expr>,
    width: Expr,
    depth: Expr,
    outs: Vec<Mem>,
    elem: PrimType,
    /// Where sums are kept between blocks: where the results go, or in memory of their own.
    kept: Kept,
}

/// Where sums are kept.
enum Kept {
    /// As the only result.
    Result,
    /// Until something is computed from them: with a place for each sum, or where there is one block only for each sum of a tile.
    Own { ptr: Ptr, single: Expr, stride: Expr },
}

/// Where a block begins and how long it is.
struct Block {
    from: Expr,
    count: Expr,
}

/// A tile of a group.
struct Position {
    /// Its number in the group.
    number: Expr,
    /// Its first row.
    row: Expr,
}

/// Where the sums of a tile go.
struct TileSums<'a> {
    /// The first row.
    row: &'a Expr,
    /// How many columns there are: the last tile of a row may be wider than what is left.
    columns: Expr,
    /// The memory of the sums, from the first row and column on.
    kept: Mem,
}

/// What is done with the sums of a tile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transfer {
    /// They go on from what is in memory.
    Load,
    /// They are written there.
    Store,
}

impl<'p> Lower<'_, 'p> {
    /// Elements of a block of a column.
    fn block_depth(&self) -> i64 {
        self.program.tuning.get(Knob::ProductDepth)
    }
    /// Such cells of such a map, written to `outs`, with tiles that suit the processor.
    pub(super) fn tiles(&mut self, nest: Nest<'p>, outer: &'p Soac, cells: Range<Expr>, outs: &[Mem], span: Span) {
        let [wide, narrow] = [WIDE, NARROW].map(|shape| self.block(|this| this.tiles_of(shape, nest, outer, cells.clone(), outs, span)).0);
        self.emit(Stmt::If(Expr::int(63).less(Expr::Registers), wide, narrow));
    }
    fn tiles_of(&mut self, shape: Shape, nest: Nest<'p>, outer: &'p Soac, cells: Range<Expr>, outs: &[Mem], span: Span) {
        let Shape { height, bytes } = shape;
        let operator = &nest.reduce.reduces[0];
        let elem = self.program.operand_ty(operator.neutral[0]).elem;
        let inputs = nest.reduce.inputs.iter().zip(&nest.reduce.lambda.params);
        let is_column = |input: &Var| nest.map.lambda.params.contains(input);
        let inputs = inputs.map(|(array, param)| Input { array: *array, param: *param, is_column: is_column(array) }).collect();
        let width = self.size(&nest.map.width);
        let width = self.atom("width", width);
        let depth = self.size(&nest.reduce.width);
        let depth = self.atom("depth", depth);
        let columns = bytes / elem.bytes() as i64;
        let mut handles = Vec::new();
        let kept = match nest.is_plain() {
            true => Kept::Result,
            false => {
                let (handle, ptr) = (self.handle("sums"), self.ptr(Symbol::new("sums"), elem, None));
                let rows = cells.end.clone().minus(cells.start.clone());
                let single = self.atom_bool("single", depth.clone().less(Expr::int(self.block_depth() + 1)));
                let select = |few: Expr, many: Expr| Expr::Select(Box::new(single.clone()), Box::new(few), Box::new(many));
                let count = select(Expr::int(height * columns), Expr::arith(Int::Count, rows, width.clone()));
                let stride = self.atom("stride", select(Expr::int(columns), width.clone()));
                self.emit_alloc(handle, ptr, count, Role::Sums, span);
                handles.push(handle);
                Kept::Own { ptr, single, stride }
            }
        };
        let tile = Tile { nest, outer, height, columns, inputs, cells, width, depth: depth.clone(), outs: outs.to_vec(), elem, kept };
        let panels = self.ceiling(&tile.width, columns);
        // Copies: of the columns in panels, of the rows of some tiles.
        let mut copies: Vec<Ptr> = Vec::new();
        for input in &tile.inputs {
            let elem = self.program.ty(input.param).elem;
            if input.is_column {
                let ptr = self.ptr(Symbol::new("columns"), elem, None);
                let handle = self.handle("columns");
                let count = Expr::arith(Int::Count, panels.clone(), Expr::int(columns * self.block_depth()));
                self.emit_alloc(handle, ptr, count, Role::Packed, span);
                handles.push(handle);
                copies.push(ptr);
            } else {
                let ptr = self.ptr(Symbol::new("rows"), elem, Some((GROUP * height * self.block_depth()) as u64));
                self.emit(Stmt::Stack(ptr));
                copies.push(ptr);
            }
        }
        // There is at least one block: without elements there are sums all the same.
        let blocks =
            self.ceiling(&mutated!(TileBlocks, depth.clone(), depth.clone().minus(Expr::int(self.block_depth() - 1))), self.block_depth());
        let none = Expr::arith(Int::Eq, blocks.clone(), Expr::int(0));
        let blocks = Expr::Select(Box::new(none), Box::new(Expr::int(1)), Box::new(blocks));
        let blocks = self.atom("stretches", blocks);
        let all = tile.cells.end.clone().minus(tile.cells.start.clone());
        let all = self.atom("rows", all);
        let all = self.ceiling(&all, height);
        let groups = self.ceiling(&all, GROUP);
        let s = self.local("stretch", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let from = this.atom("from", Expr::Local(s).times(Expr::int(this.block_depth())));
            let rest = this.atom("rest", depth.clone().minus(from.clone()));
            let count = this.atom("count", Expr::arith(Int::Min, rest, Expr::int(this.block_depth())));
            let block = Block { from, count };
            this.copy_columns(&tile, &block, &panels, &copies);
            let g = this.local("group", PrimType::I64);
            let (body, ()) = this.block(|this| {
                let start = this.atom("start", Expr::Local(g).times(Expr::int(GROUP)));
                let rest = this.atom("rest", all.clone().minus(start.clone()));
                let tiles = this.atom("tiles", Expr::arith(Int::Min, rest, Expr::int(GROUP)));
                this.of_each(&tile, &start, &tiles, |this, position| this.copy_rows(&tile, &block, position, &copies));
                let j = this.local("panel", PrimType::I64);
                let (body, ()) = this.block(|this| {
                    this.of_each(&tile, &start, &tiles, |this, position| this.tile(&tile, &block, position, j, &copies));
                });
                this.emit(Stmt::For { var: j, from: Expr::int(0), to: panels.clone(), order: Order::Sequential, body });
            });
            this.emit(Stmt::For { var: g, from: Expr::int(0), to: groups.clone(), order: Order::Sequential, body });
        });
        self.emit(Stmt::For { var: s, from: Expr::int(0), to: blocks, order: Order::Sequential, body });
        self.release(&handles);
    }
    /// Does something for each of some tiles of a group.
    fn of_each(&mut self, tile: &Tile<'p>, start: &Expr, tiles: &Expr, mut each: impl FnMut(&mut Self, &Position)) {
        let t = self.local("tile", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let number = start.clone().plus(Expr::Local(t));
            let row = this.atom("first", tile.cells.start.clone().plus(number.times(Expr::int(tile.height))));
            each(this, &Position { number: Expr::Local(t), row });
        });
        self.emit(Stmt::For { var: t, from: Expr::int(0), to: tiles.clone(), order: Order::Sequential, body });
    }
    /// How many parts of this size cover a length.
    fn ceiling(&mut self, length: &Expr, part: i64) -> Expr {
        let all = length.clone().plus(Expr::int(part - 1));
        self.atom("pieces", Expr::arith(Int::Div, all, Expr::int(part)))
    }
    /// Whether there are enough rows and columns for tiles.
    pub(super) fn enough(&mut self, nest: Nest<'p>, lo: &Expr, hi: &Expr) -> Expr {
        let width = self.size(&nest.map.width);
        let rows = hi.clone().minus(lo.clone());
        Expr::int(FEW - 1).less(rows).and(Expr::int(4 * FEW - 1).less(width))
    }

    /// Copies a block of all columns; beyond the last one it is repeated.
    fn copy_columns(&mut self, tile: &Tile<'p>, block: &Block, panels: &Expr, copies: &[Ptr]) {
        let [panel, k, l] = ["panel", "k", "l"].map(|name| self.local(name, PrimType::I64));
        let size = Expr::int(tile.columns);
        let last = self.atom("last", tile.width.clone().minus(Expr::int(mutated!(TileReadsBeyond, 1, 0))));
        let (body, ()) = self.block(|this| {
            let start = this.atom("start", Expr::Local(panel).times(size.clone()));
            let (row, ()) = this.block(|this| {
                let (cell, ()) = this.block(|this| {
                    let j = this.atom("j", start.clone().plus(Expr::Local(l)));
                    let j = this.atom("j", Expr::arith(Int::Min, j, last.clone()));
                    let at = block.from.clone().plus(Expr::Local(k));
                    for (input, copy) in tile.inputs.iter().zip(copies) {
                        let Some(q) = tile.nest.map.lambda.params.iter().position(|param| *param == input.array) else { continue };
                        let array = this.array(tile.nest.map.inputs[q]);
                        let value = this.element(&array, &[j.clone(), at.clone()], this.program.ty(input.param).elem);
                        let place = start.clone().times(Expr::int(this.block_depth())).plus(Expr::Local(k).times(size.clone()));
                        this.emit(Stmt::Store(*copy, place.plus(Expr::Local(l)), value));
                    }
                });
                this.emit(Stmt::For { var: l, from: Expr::int(0), to: size.clone(), order: Order::Any, body: cell });
            });
            this.emit(Stmt::For { var: k, from: Expr::int(0), to: block.count.clone(), order: Order::Any, body: row });
        });
        self.emit(Stmt::For { var: panel, from: Expr::int(0), to: panels.clone(), order: Order::Any, body });
    }

    /// What the parameters of the outer map are for each row of a tile, the last one repeated beyond it.
    fn contexts(&mut self, tile: &Tile<'p>, first: &Expr) -> Vec<Vec<(Var, Loc)>> {
        let last = self.atom("last", tile.cells.end.clone().minus(Expr::int(1)));
        let mut contexts = Vec::new();
        for r in 0..tile.height {
            let i = self.atom("i", first.clone().plus(Expr::int(r)));
            let i = self.atom("i", Expr::arith(Int::Min, i, last.clone()));
            self.bind_cells(&tile.outer.inputs, &tile.outer.lambda.params, &i);
            contexts.push(self.bound(&tile.outer.lambda.params));
        }
        contexts
    }
    /// Where element `k` of row `r` of tile number `t` of its group is copied to.
    fn row_place(&self, tile: &Tile<'p>, t: &Expr, k: Local, r: i64) -> Expr {
        let start = t.clone().times(Expr::int(tile.height * self.block_depth()));
        start.plus(Expr::Local(k).times(Expr::int(tile.height))).plus(Expr::int(r))
    }
    /// Copies a block of the rows of a tile. All rows advance together: neighbours in memory may be those of a row or of a column.
    fn copy_rows(&mut self, tile: &Tile<'p>, block: &Block, position: &Position, copies: &[Ptr]) {
        let contexts = self.contexts(tile, &position.row);
        let k = self.local("k", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let at = block.from.clone().plus(Expr::Local(k));
            for (r, context) in contexts.into_iter().enumerate() {
                this.locs.extend(context);
                for (input, copy) in tile.inputs.iter().zip(copies).filter(|(input, _)| !input.is_column) {
                    let array = this.array(input.array);
                    let value = this.element(&array, std::slice::from_ref(&at), this.program.ty(input.param).elem);
                    this.emit(Stmt::Store(*copy, this.row_place(tile, &position.number, k, r as i64), value));
                }
            }
        });
        self.emit(Stmt::For { var: k, from: Expr::int(0), to: block.count.clone(), order: Order::Any, body });
    }

    /// The sums of a tile for a block.
    fn tile(&mut self, tile: &Tile<'p>, block: &Block, position: &Position, panel: Local, copies: &[Ptr]) {
        let contexts = self.contexts(tile, &position.row);
        let start = self.atom("start", Expr::Local(panel).times(Expr::int(tile.columns)));
        let rest = self.atom("rest", tile.width.clone().minus(start.clone()));
        let valid = self.atom("valid", Expr::arith(Int::Min, rest, Expr::int(tile.columns)));
        let sums: Vec<Ptr> = (0..tile.height).map(|_| self.ptr(Symbol::new("sum"), tile.elem, Some(tile.columns as u64))).collect();
        sums.iter().for_each(|sum| self.emit(Stmt::Stack(*sum)));
        let l = self.local("l", PrimType::I64);
        let mut body = Vec::with_capacity(sums.len());
        for (context, sum) in contexts.iter().zip(&sums) {
            // Each row may have a neutral element of its own.
            self.locs.extend(context.iter().cloned());
            body.push(Stmt::Store(*sum, Expr::Local(l), self.int(tile.nest.reduce.reduces[0].neutral[0])));
        }
        self.emit(Stmt::For { var: l, from: Expr::int(0), to: Expr::int(tile.columns), order: Order::Any, body });
        let kept = self.kept(tile, &position.row, &start);
        let target = TileSums { row: &position.row, columns: valid, kept };
        let (load, ()) = self.block(|this| this.move_sums(tile, &target, &sums, Transfer::Load));
        self.emit(Stmt::If(Expr::int(0).less(block.from.clone()), load, Vec::new()));

        let k = self.local("k", PrimType::I64);
        let base = self.atom("base", start.clone().times(Expr::int(self.block_depth())));
        let (row, ()) = self.block(|this| {
            let base = this.atom("base", base.plus(Expr::Local(k).times(Expr::int(tile.columns))));
            let l = this.local("l", PrimType::I64);
            let (cell, ()) = this.block(|this| {
                for (input, copy) in tile.inputs.iter().zip(copies).filter(|(input, _)| input.is_column) {
                    let at = base.clone().plus(Expr::Local(l));
                    this.set_scalar(input.param, Expr::Load(*copy, Box::new(at)));
                }
                for (r, (context, sum)) in contexts.into_iter().zip(&sums).enumerate() {
                    this.locs.extend(context);
                    for (input, copy) in tile.inputs.iter().zip(copies).filter(|(input, _)| !input.is_column) {
                        let at = this.row_place(tile, &position.number, k, r as i64);
                        this.set_scalar(input.param, Expr::Load(*copy, Box::new(at)));
                    }
                    this.add_to(tile.nest, *sum, &Expr::Local(l));
                }
            });
            this.emit(Stmt::For { var: l, from: Expr::int(0), to: Expr::int(tile.columns), order: Order::Any, body: cell });
        });
        self.emit(Stmt::For { var: k, from: Expr::int(0), to: block.count.clone(), order: Order::Sequential, body: row });
        self.move_sums(tile, &target, &sums, Transfer::Store);
        if !tile.nest.is_plain() {
            let (finish, ()) = self.block(|this| this.finish_rows(tile, &target, &start));
            let more = block.from.clone().plus(block.count.clone()).less(tile.depth.clone());
            self.emit(Stmt::If(more, Vec::new(), finish));
        }
    }
    /// Where the sums of a tile are kept: row by row from its first one on.
    fn kept(&mut self, tile: &Tile<'p>, row: &Expr, column: &Expr) -> Mem {
        let one = Stride { size: Size::constant(1), expr: Expr::int(1) };
        match &tile.kept {
            Kept::Result => {
                let out = &tile.outs[0];
                let offset = self.at(out, &[row.clone(), column.clone()]);
                Mem { offset: self.atom("offset", offset), ..out.clone() }
            }
            Kept::Own { ptr, single, stride } => {
                let place = row.clone().minus(tile.cells.start.clone()).times(stride.clone()).plus(column.clone());
                let place = Expr::Select(Box::new(single.clone()), Box::new(Expr::int(0)), Box::new(place));
                let offset = self.atom("offset", place);
                let rows = Stride { size: Size::default(), expr: stride.clone() };
                Mem { ptr: *ptr, offset, strides: [rows, one].into(), keep: [].into() }
            }
        }
    }
    /// The results for the sums of a tile.
    fn finish_rows(&mut self, tile: &Tile<'p>, target: &TileSums, column: &Expr) {
        let rest = self.atom("rest", tile.cells.end.clone().minus(target.row.clone()));
        let rows = self.atom("rows", Expr::arith(Int::Min, rest, Expr::int(tile.height)));
        let [r, l] = ["r", "l"].map(|name| self.local(name, PrimType::I64));
        let (row, ()) = self.block(|this| {
            let i = this.atom("i", target.row.clone().plus(Expr::Local(r)));
            this.bind_cells(&tile.outer.inputs, &tile.outer.lambda.params, &i);
            let outs: Vec<Mem> = tile.outs.iter().map(|out| this.cell_in(out, std::slice::from_ref(&i))).collect();
            let sums = this.cell_in(&target.kept, &[Expr::Local(r)]);
            let (cell, ()) = this.block(|this| {
                let j = this.atom("j", column.clone().plus(Expr::Local(l)));
                let sum = this.element(&Array::Mem(sums), &[Expr::Local(l)], tile.elem);
                this.finish(tile.nest, &j, sum, &outs);
            });
            this.emit(Stmt::For { var: l, from: Expr::int(0), to: target.columns.clone(), order: Order::Any, body: cell });
        });
        self.emit(Stmt::For { var: r, from: Expr::int(0), to: rows, order: Order::Sequential, body: row });
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
    /// Loads the sums of a tile from where they are kept, or stores them there.
    fn move_sums(&mut self, tile: &Tile<'p>, target: &TileSums, sums: &[Ptr], transfer: Transfer) {
        for (r, sum) in sums.iter().enumerate() {
            let i = self.atom("i", target.row.clone().plus(Expr::int(r as i64)));
            let inside = i.less(tile.cells.end.clone());
            let (then, ()) = self.block(|this| {
                let to = this.cell_in(&target.kept, &[Expr::int(r as i64)]);
                let l = this.local("l", PrimType::I64);
                let at = this.at(&to, &[Expr::Local(l)]);
                let element = this.element(&Array::Mem(to.clone()), &[Expr::Local(l)], tile.elem);
                let body = vec![match transfer {
                    Transfer::Load => Stmt::Store(*sum, Expr::Local(l), element),
                    Transfer::Store => Stmt::Store(to.ptr, at, Expr::Load(*sum, Box::new(Expr::Local(l)))),
                }];
                this.emit(Stmt::For { var: l, from: Expr::int(0), to: target.columns.clone(), order: Order::Any, body });
            });
            self.emit(Stmt::If(inside, then, Vec::new()));
        }
    }
}
