//! Loop interchange for maps of reductions whose inputs are stored along the other dimension: `map (\column -> reduce (+) 0 (zip row column)) columns` runs along the columns of a
//! matrix that is stored by rows. The loops are interchanged: the sums of many columns are made together, a row at a time, in the
//! memory of the results, which stays in the cache; the inner loop runs along the rows and can be vectorised. The sums are made in
//! the same order as before. Where that is the whole body of a further map (a matrix product), several of its cells are done at a time, so
//! that what is read is used several times.

use super::{Array, Loc, Lower, Mem};
use crate::base::mutation::mutated;
use crate::base::{PrimType, Span};
use crate::ir::imp::{Expr, Int, Order, Stmt};
use crate::ir::soac::{Body, Exp, Soac, Var};
use std::ops::Range;

/// Sums that are made together.
const BLOCK: i64 = 1024;
/// Elements that are added to a sum at a time.
const TERMS: i64 = 4;
/// Cells of an outer map that are done at a time.
const ROWS: usize = 4;

/// A map of reductions.
#[derive(Clone, Copy)]
pub(super) struct Nest<'p> {
    pub(super) map: &'p Soac,
    pub(super) reduce: &'p Soac,
}

/// A cell of the map around a nest.
struct Context {
    /// What the parameters of that map are.
    bound: Vec<(Var, Loc)>,
    /// Where the results of the nest go.
    out: Mem,
}

/// The statement that is the whole body and makes its only result.
pub(super) fn only(body: &Body) -> Option<&Soac> {
    let ([stm], [result]) = (body.stms.as_slice(), body.result.as_slice()) else { return None };
    let Exp::Soac(soac) = &stm.exp else { return None };
    (stm.pat.len() == 1 && result.var() == Some(stm.pat[0])).then_some(soac)
}

impl<'p> Lower<'_, 'p> {
    /// The nest that a map is, if interchanging its loops pays.
    pub(super) fn nest_of(&self, map: &'p Soac) -> Option<Nest<'p>> {
        let reduce = only(&map.lambda.body)?;
        let plain = map.scans.is_empty() && map.reduces.is_empty() && reduce.scans.is_empty();
        let [operator] = reduce.reduces.as_slice() else { return None };
        let scalars = |body: &Body| body.stms.iter().all(|stm| matches!(stm.exp, Exp::Scalar(..) | Exp::Copy(_)) && !stm.exp.may_fail());
        let simple = operator.neutral.len() == 1
            && self.program.operand_ty(operator.neutral[0]).rank() == 0
            && scalars(&reduce.lambda.body)
            && scalars(&operator.lambda.body);
        let cells = reduce.inputs.iter().all(|input| self.program.ty(*input).rank() == 1);
        // Of the arrays that both loops run over one at least must be stored along the other dimension, and none along this one.
        let mut wrong = false;
        for input in &reduce.inputs {
            let Some(k) = map.lambda.params.iter().position(|param| param == input) else { continue };
            let Array::Mem(mem) = self.array(map.inputs[k]) else { continue };
            let [along, across] = [0, 1].map(|k| mem.strides.get(k).and_then(|stride| stride.size.as_constant()));
            if across == Some(1) {
                return None;
            }
            wrong = wrong || along == Some(1);
        }
        let lambda_own = |var: Var| map.lambda.params.contains(&var);
        let bodies = [&reduce.lambda.body, &operator.lambda.body];
        let operands = bodies.iter().flat_map(|body| &body.result).chain(&operator.neutral);
        let mut free = !operands.filter_map(|a| a.var()).any(lambda_own);
        for stm in bodies.iter().flat_map(|body| &body.stms) {
            crate::ir::soac::visit::mentioned(stm, &mut |var| free = free && !lambda_own(var));
        }
        (plain && simple && cells && wrong && mutated!(InterchangeAnyLambda, free, true)).then_some(Nest { map, reduce })
    }

    /// The cells from `lo` to `hi` of the map, written to `out`.
    pub(super) fn interchanged(&mut self, nest: Nest<'p>, lo: Expr, hi: Expr, out: &Mem) {
        self.side_by_side(nest, lo, hi, &[Context { bound: Vec::new(), out: out.clone() }]);
    }

    /// The nest that is the whole body of a map, if it is the same for all cells.
    pub(super) fn nest_in(&mut self, outer: &'p Soac) -> Option<Nest<'p>> {
        let map = only(&outer.lambda.body)?;
        if !(outer.scans.is_empty() && outer.reduces.is_empty()) {
            return None;
        }
        // What the nest looks like is seen when the parameters are bound.
        let saved = self.locs.clone();
        let (_, ()) = self.block(|this| this.bind_cells(&outer.inputs, &outer.lambda.params, &Expr::int(0)));
        let nest = self.nest_of(map);
        let varies = map.inputs.iter().any(|input| outer.lambda.params.contains(input));
        self.locs = saved;
        nest.filter(|_| !varies)
    }
    /// A map whose whole body is such a nest, several cells at a time.
    pub(super) fn tiled(&mut self, outer: &'p Soac, lo: Expr, hi: Expr, out: &Mem, span: Span) -> bool {
        let Some(nest) = self.nest_in(outer) else { return false };
        let enough = self.enough(nest, &lo, &hi);
        let (tiles, ()) = self.block(|this| this.tiles(nest, outer, lo.clone()..hi.clone(), out, span));
        let (rows, ()) = self.block(|this| this.some_rows(nest, outer, lo, hi, out));
        self.emit(Stmt::If(enough, tiles, rows));
        true
    }
    /// Some rows at a time.
    fn some_rows(&mut self, nest: Nest<'p>, outer: &'p Soac, lo: Expr, hi: Expr, out: &Mem) {
        let map = nest.map;
        let width = self.size(&map.width);
        let width = self.atom("width", width);
        let rows = Expr::int(ROWS as i64);
        let blocks = Expr::arith(Int::Div, hi.clone().minus(lo.clone()), rows.clone());
        let blocks = self.atom("blocks", blocks);
        let block = self.local("block", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let first = lo.clone().plus(Expr::Local(block).times(rows.clone()));
            let first = this.atom("first", first);
            let cells: Vec<Expr> = (0..ROWS as i64).map(|k| first.clone().plus(Expr::int(k))).collect();
            this.rows(nest, outer, &cells, &width, out);
        });
        self.emit(Stmt::For { var: block, from: Expr::int(0), to: blocks.clone(), order: Order::Sequential, body });
        let rest = lo.plus(blocks.times(rows));
        let rest = self.atom("rest", rest);
        let row = self.local("i", PrimType::I64);
        let (body, ()) = self.block(|this| this.rows(nest, outer, &[Expr::Local(row)], &width, out));
        self.emit(Stmt::For { var: row, from: rest, to: hi, order: Order::Sequential, body });
    }
    /// Some cells of the outer map.
    fn rows(&mut self, nest: Nest<'p>, outer: &'p Soac, cells: &[Expr], width: &Expr, out: &Mem) {
        let mut contexts = Vec::with_capacity(cells.len());
        for i in cells {
            let i = self.atom("i", i.clone());
            self.bind_cells(&outer.inputs, &outer.lambda.params, &i);
            let bound = self.bound(&outer.lambda.params);
            let offset = self.at(out, std::slice::from_ref(&i));
            let offset = self.atom("row", offset);
            contexts.push(Context { bound, out: Mem { offset, strides: out.strides[1..].into(), ..out.clone() } });
        }
        self.side_by_side(nest, Expr::int(0), width.clone(), &contexts);
    }

    /// What parameters are.
    pub(super) fn bound(&self, params: &[Var]) -> Vec<(Var, Loc)> {
        params.iter().filter_map(|param| Some((*param, self.locs.get(param)?.clone()))).collect()
    }

    /// The sums from `lo` to `hi` in each context.
    fn side_by_side(&mut self, nest: Nest<'p>, lo: Expr, hi: Expr, contexts: &[Context]) {
        let operator = &nest.reduce.reduces[0];
        let elem = self.program.operand_ty(operator.neutral[0]).elem;
        let depth = self.size(&nest.reduce.width);
        let depth = self.atom("depth", depth);
        let size = Expr::int(BLOCK);
        let blocks = hi.clone().minus(lo.clone()).plus(Expr::int(mutated!(InterchangeBlocks, BLOCK - 1, 0)));
        let blocks = self.atom("blocks", Expr::arith(Int::Div, blocks, size.clone()));
        let block = self.local("block", PrimType::I64);
        let (body, ()) = self.block(|this| {
            let from = lo.clone().plus(Expr::Local(block).times(size.clone()));
            let from = this.atom("from", from);
            let end = this.atom("end", from.clone().plus(size.clone()));
            let to = this.atom("to", Expr::arith(Int::Min, end, hi.clone()));
            let j = this.local("j", PrimType::I64);
            let (init, ()) = this.block(|this| {
                for Context { bound, out } in contexts {
                    // Each cell of the outer map may have a neutral element of its own.
                    this.locs.extend(bound.iter().cloned());
                    let neutral = this.int(operator.neutral[0]);
                    let at = this.at(out, &[Expr::Local(j)]);
                    this.emit(Stmt::Store(out.ptr, at, neutral));
                }
            });
            this.emit(Stmt::For { var: j, from: from.clone(), to: to.clone(), order: Order::Any, body: init });
            // Several elements at a time: a sum is loaded and stored once for them.
            let step = if contexts.len() == 1 { TERMS } else { 1 };
            let groups = this.atom("groups", Expr::arith(Int::Div, depth.clone(), Expr::int(step)));
            let [group, k] = ["group", "k"].map(|name| this.local(name, PrimType::I64));
            let range = from..to;
            let (rows, ()) = this.block(|this| {
                let first = this.atom("first", Expr::Local(group).times(Expr::int(step)));
                let terms: Vec<Expr> = (0..step).map(|t| first.clone().plus(Expr::int(t))).collect();
                this.add_rows(nest, &terms, &range, contexts, elem);
            });
            this.emit(Stmt::For { var: group, from: Expr::int(0), to: groups.clone(), order: Order::Sequential, body: rows });
            if step > mutated!(InterchangeRest, 1, TERMS) {
                let (row, ()) = this.block(|this| this.add_rows(nest, &[Expr::Local(k)], &range, contexts, elem));
                let rest = this.atom("rest", groups.times(Expr::int(step)));
                this.emit(Stmt::For { var: k, from: rest, to: depth, order: Order::Sequential, body: row });
            }
        });
        self.emit(Stmt::For { var: block, from: Expr::int(0), to: blocks, order: Order::Sequential, body });
    }
    /// Adds some elements of each cell in a range to its sum.
    fn add_rows(&mut self, nest: Nest<'p>, terms: &[Expr], range: &Range<Expr>, contexts: &[Context], elem: PrimType) {
        let j = self.local("j", PrimType::I64);
        let mut atoms = Vec::with_capacity(terms.len());
        for term in terms {
            atoms.push(self.atom("k", term.clone()));
        }
        let (cell, ()) = self.block(|this| {
            for Context { bound, out } in contexts {
                this.locs.extend(bound.iter().cloned());
                this.add_up(nest, &Expr::Local(j), &atoms, out, elem);
            }
        });
        self.emit(Stmt::For { var: j, from: range.start.clone(), to: range.end.clone(), order: Order::Any, body: cell });
    }

    /// Adds these elements of cell `j` to the sum of cell `j`, in their order.
    fn add_up(&mut self, nest: Nest<'p>, j: &Expr, terms: &[Expr], out: &Mem, elem: PrimType) {
        let program = self.program;
        // All are read before the sum is written: the compiler does not know that they lie elsewhere.
        let mut found = Vec::with_capacity(terms.len());
        for k in terms {
            for (input, param) in nest.reduce.inputs.iter().zip(&nest.reduce.lambda.params) {
                let ty = program.ty(*param).elem;
                let value = match nest.map.lambda.params.iter().position(|p| p == input) {
                    Some(q) => {
                        let array = self.array(nest.map.inputs[q]);
                        self.element(&array, &[j.clone(), k.clone()], ty)
                    }
                    None => {
                        let array = self.array(*input);
                        self.element(&array, std::slice::from_ref(k), ty)
                    }
                };
                self.set_scalar(*param, value);
            }
            found.extend(self.body(&nest.reduce.lambda.body, &[]).into_iter().next());
        }
        let operator = &nest.reduce.reduces[0];
        let [a, b] = operator.lambda.params.as_slice() else { return };
        let mut sum = self.element(&Array::Mem(out.clone()), std::slice::from_ref(j), elem);
        for term in found {
            self.set_scalar(*a, sum.clone());
            self.locs.insert(*b, term);
            if let Some(Loc::Scalar(e)) = self.body(&operator.lambda.body, &[]).into_iter().next() {
                sum = e;
            }
        }
        let at = self.at(out, std::slice::from_ref(j));
        self.emit(Stmt::Store(out.ptr, at, sum));
    }
}
