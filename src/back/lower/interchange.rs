//! Loop interchange for maps of reductions whose inputs are stored along the other dimension: `map (\column -> reduce (+) 0 (zip row column)) columns` runs along the columns of a
//! matrix that is stored by rows. The loops are interchanged: the sums of many columns are made together, a row at a time, in the
//! memory of the results, which stays in the cache; the inner loop runs along the rows and can be vectorised. The sums are made in
//! the same order as before. Where that is the whole body of a further map (a matrix product), several of its cells are done at a time, so
//! that what is read is used several times.

use super::soac::Out;
use super::{Array, Loc, Lower, Mem};
use crate::base::mutation::mutated;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Int, Order, Stmt};
use crate::ir::profile::{Case, Role, UntiledReason};
use crate::ir::soac::{Body, Exp, Operand, Program, Size, Soac, Stm, Var, count_exp, made_exp, parallel_exp, view_exp};
use std::ops::Range;

/// Sums that are made together.
const BLOCK: i64 = 1024;
/// Elements that are added to a sum at a time.
const TERMS: i64 = 4;
/// Cells of an outer map that are done at a time.
const ROWS: usize = 4;

/// A map of reductions, and of scalars that are computed from the sums.
#[derive(Clone, Copy)]
pub(super) struct Nest<'p> {
    pub(super) map: &'p Soac,
    pub(super) reduce: &'p Soac,
    /// The place of the reduction in the lambda of the map. All other statements there are of scalars, and none of them is needed for it.
    at: usize,
}

impl<'p> Nest<'p> {
    /// The sum.
    fn total(&self) -> Var {
        self.map.lambda.body.stms[self.at].pat[0]
    }
    /// Whether the sums are the only results.
    pub(super) fn is_plain(&self) -> bool {
        self.map.lambda.body.result == [Operand::Var(self.total())]
    }
    /// What is computed beside the sum, and from it.
    fn others(&self) -> impl Iterator<Item = &'p Stm> + use<'p> {
        let (before, rest) = self.map.lambda.body.stms.split_at(self.at);
        before.iter().chain(&rest[1..])
    }
}

/// How the arrays lie that both loops of a nest run over.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// One at least is stored along the other dimension than that of the sums, and none along the sums: interchanging the loops pays.
    Across,
    /// One at least is stored along the sums. The loops are right as they are, unless copies are made for tiles.
    Along,
    /// Of none it is known.
    Unknown,
}

/// A cell of the map around a nest.
struct Context {
    /// What the parameters of that map are.
    bound: Vec<(Var, Loc)>,
    /// Where the results of the nest go.
    outs: Vec<Mem>,
    /// Where the sums of the block are collected; without it as the only result.
    sums: Option<Mem>,
}

impl Context {
    fn sums(&self) -> &Mem {
        self.sums.as_ref().unwrap_or(&self.outs[0])
    }
}

/// The statement that is the whole body and makes its results.
fn whole(body: &Body) -> Option<&Soac> {
    let [stm] = body.stms.as_slice() else { return None };
    let Exp::Soac(soac) = &stm.exp else { return None };
    let results = stm.pat.len() == body.result.len() && stm.pat.iter().zip(&body.result).all(|(var, result)| result.var() == Some(*var));
    results.then_some(soac)
}

/// Whether a statement is of scalars only, and cannot fail.
fn of_scalars(program: &Program, stm: &Stm) -> bool {
    let scalars = |body: &Body| body.stms.iter().all(|stm| of_scalars(program, stm));
    let form = match &stm.exp {
        Exp::Scalar(..) | Exp::Copy(_) | Exp::Size(_) | Exp::Index { .. } => true,
        Exp::If { then, els, .. } => scalars(then) && scalars(els),
        Exp::Update { .. }
        | Exp::UpdateSlice { .. }
        | Exp::Check(_)
        | Exp::Loop { .. }
        | Exp::Call(..)
        | parallel_exp!()
        | view_exp!()
        | made_exp!()
        | count_exp!() => false,
    };
    form && !stm.exp.may_fail() && stm.pat.iter().all(|var| program.ty(*var).rank() == 0)
}

impl<'p> Lower<'_, 'p> {
    /// The nest that a map is, if interchanging its loops pays.
    pub(super) fn nest_of(&self, map: &'p Soac) -> Option<Nest<'p>> {
        let nest = self.shape_of(map)?;
        (self.columns_lie(nest) == Columns::Across).then_some(nest)
    }
    /// How the arrays lie that both loops run over.
    fn columns_lie(&self, nest: Nest<'p>) -> Columns {
        let mut columns = Columns::Unknown;
        for input in &nest.reduce.inputs {
            let Some(k) = nest.map.lambda.params.iter().position(|param| param == input) else { continue };
            let Array::Mem(mem) = self.array(nest.map.inputs[k]) else { continue };
            let [along, across] = [0, 1].map(|k| mem.strides.get(k).and_then(|stride| stride.size.as_constant()));
            if across == Some(1) {
                return Columns::Along;
            }
            if along == Some(1) {
                columns = Columns::Across;
            }
        }
        columns
    }
    /// The nest that a map is, wherever its inputs lie.
    fn shape_of(&self, map: &'p Soac) -> Option<Nest<'p>> {
        let program = self.program;
        let body = &map.lambda.body;
        let at = body.stms.iter().position(|stm| matches!(stm.exp, Exp::Soac(_)))?;
        let Exp::Soac(reduce) = &body.stms[at].exp else { return None };
        let nest = Nest { map, reduce, at };
        let plain = map.scans.is_empty() && map.reduces.is_empty() && reduce.scans.is_empty() && body.stms[at].pat.len() == 1;
        let [operator] = reduce.reduces.as_slice() else { return None };
        let scalars = |body: &Body| body.stms.iter().all(|stm| matches!(stm.exp, Exp::Scalar(..) | Exp::Copy(_)) && !stm.exp.may_fail());
        let simple = operator.neutral.len() == 1
            && program.operand_ty(operator.neutral[0]).rank() == 0
            && scalars(&reduce.lambda.body)
            && scalars(&operator.lambda.body);
        let cells = reduce.inputs.iter().all(|input| program.ty(*input).rank() == 1);
        if !(plain && simple && cells && nest.others().all(|stm| of_scalars(program, stm))) {
            return None;
        }
        // What the reduction is made of is the same for all cells of the map, but for its inputs.
        let own: Vec<Var> = map.lambda.params.iter().copied().chain(nest.others().flat_map(|stm| stm.pat.iter().copied())).collect();
        let bodies = [&reduce.lambda.body, &operator.lambda.body];
        let operands = bodies.iter().flat_map(|body| &body.result).chain(&operator.neutral);
        let mut free = !operands.filter_map(|a| a.var()).any(|var| own.contains(&var));
        for stm in bodies.iter().flat_map(|body| &body.stms) {
            crate::ir::soac::visit::mentioned(stm, &mut |var| free = free && !own.contains(&var));
        }
        free = free && !reduce.width.vars().any(|var| own.contains(&var));
        // Beside it cells are read that are scalars.
        let mut flat = true;
        nest.others().for_each(|stm| {
            crate::ir::soac::visit::mentioned(stm, &mut |var| {
                flat = flat && (program.ty(var).rank() == 0 || !map.lambda.params.contains(&var));
            });
        });
        let results = body.result.iter().all(|a| program.operand_ty(*a).rank() == 0);
        (flat && results && mutated!(InterchangeAnyLambda, free, true)).then_some(nest)
    }

    /// The cells from `lo` to `hi` of the map, written to `outs`.
    pub(super) fn interchanged(&mut self, nest: Nest<'p>, lo: Expr, hi: Expr, outs: Vec<Mem>, span: Span) {
        self.side_by_side(nest, lo, hi, vec![Context { bound: Vec::new(), outs, sums: None }], span);
    }

    /// The nest that is the whole body of a map, if it is the same for all cells.
    pub(super) fn nest_in(&mut self, outer: &'p Soac) -> Option<Nest<'p>> {
        let map = whole(&outer.lambda.body)?;
        if !(outer.scans.is_empty() && outer.reduces.is_empty()) {
            return None;
        }
        // What the nest looks like is seen when the parameters are bound.
        let saved = self.locs.clone();
        let (_, ()) = self.block(|this| this.bind_cells(&outer.inputs, &outer.lambda.params, &Expr::int(0)));
        let nest = self.shape_of(map).filter(|nest| self.columns_lie(*nest) != Columns::Unknown);
        self.locs = saved;
        nest.filter(|nest| {
            let of_reduce = |param: &Var| nest.reduce.inputs.contains(param);
            let columns = map.inputs.iter().zip(&map.lambda.params).filter(|(_, param)| of_reduce(param));
            let widths = map.width.vars().chain(nest.reduce.width.vars());
            !columns.map(|(input, _)| *input).chain(widths).any(|var| outer.lambda.params.contains(&var))
        })
    }
    /// Why a product, which is no such nest, is none.
    pub(super) fn why_no_tiles(&mut self, outer: &'p Soac) -> UntiledReason {
        if !(outer.scans.is_empty() && outer.reduces.is_empty()) {
            return UntiledReason::Collected;
        }
        let Some(map) = whole(&outer.lambda.body) else { return UntiledReason::NotAlone };
        let saved = self.locs.clone();
        let (_, ()) = self.block(|this| this.bind_cells(&outer.inputs, &outer.lambda.params, &Expr::int(0)));
        let why = match self.shape_of(map) {
            None if self.is_scalar_nest(map) => UntiledReason::Differs,
            None => UntiledReason::NotScalar,
            Some(nest) if self.columns_lie(nest) == Columns::Unknown => UntiledReason::AlongNone,
            Some(_) => UntiledReason::OwnColumns,
        };
        self.locs = saved;
        why
    }
    /// Whether a map is one of a reduction of scalars, and all beside that is of scalars.
    fn is_scalar_nest(&self, map: &Soac) -> bool {
        let scalars = |body: &Body| body.stms.iter().all(|stm| of_scalars(self.program, stm));
        map.lambda.body.stms.iter().all(|stm| {
            let Exp::Soac(sum) = &stm.exp else { return of_scalars(self.program, stm) };
            scalars(&sum.lambda.body) && sum.reduces.len() == 1 && sum.reduces.iter().all(|operator| scalars(&operator.lambda.body))
        })
    }
    /// A map whose whole body is such a nest, several cells at a time.
    pub(super) fn tiled(&mut self, outer: &'p Soac, lo: Expr, hi: Expr, outs: &[Mem], span: Span) -> bool {
        let Some(nest) = self.nest_in(outer) else { return false };
        let enough = self.enough(nest, &lo, &hi);
        let (tiles, ()) = self.block(|this| this.tiles(nest, outer, lo.clone()..hi.clone(), outs, span));
        let (rows, ()) = self.block(|this| match this.columns_lie(nest) {
            Columns::Across | Columns::Unknown => this.some_rows(nest, outer, lo..hi, outs, span),
            Columns::Along => {
                let outs: Vec<Out> = outs.iter().cloned().map(Out::Place).collect();
                this.plain_loop(outer, lo..hi, &outs, &[]);
            }
        });
        let (tiles, rows) = (self.in_case(Case::Tiles, tiles), self.in_case(Case::FewForTiles, rows));
        self.emit(Stmt::If(enough, tiles, rows));
        true
    }
    /// Some rows at a time.
    fn some_rows(&mut self, nest: Nest<'p>, outer: &'p Soac, cells: Range<Expr>, outs: &[Mem], span: Span) {
        let Range { start: lo, end: hi } = cells;
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
            this.rows(nest, outer, &cells, &width, outs, span);
        });
        self.emit(Stmt::For { var: block, from: Expr::int(0), to: blocks.clone(), order: Order::Sequential, body });
        let rest = lo.plus(blocks.times(rows));
        let rest = self.atom("rest", rest);
        let row = self.local("i", PrimType::I64);
        let (body, ()) = self.block(|this| this.rows(nest, outer, &[Expr::Local(row)], &width, outs, span));
        self.emit(Stmt::For { var: row, from: rest, to: hi, order: Order::Sequential, body });
    }
    /// Some cells of the outer map.
    fn rows(&mut self, nest: Nest<'p>, outer: &'p Soac, cells: &[Expr], width: &Expr, outs: &[Mem], span: Span) {
        let mut contexts = Vec::with_capacity(cells.len());
        for i in cells {
            let i = self.atom("i", i.clone());
            self.bind_cells(&outer.inputs, &outer.lambda.params, &i);
            let bound = self.bound(&outer.lambda.params);
            contexts.push(Context {
                bound,
                outs: outs.iter().map(|out| self.cell_in(out, std::slice::from_ref(&i))).collect(),
                sums: None,
            });
        }
        self.side_by_side(nest, Expr::int(0), width.clone(), contexts, span);
    }
    /// What parameters are.
    pub(super) fn bound(&self, params: &[Var]) -> Vec<(Var, Loc)> {
        params.iter().filter_map(|param| Some((*param, self.locs.get(param)?.clone()))).collect()
    }

    /// The sums from `lo` to `hi` in each context.
    fn side_by_side(&mut self, nest: Nest<'p>, lo: Expr, hi: Expr, mut contexts: Vec<Context>, span: Span) {
        let operator = &nest.reduce.reduces[0];
        let elem = self.program.operand_ty(operator.neutral[0]).elem;
        let depth = self.size(&nest.reduce.width);
        let depth = self.atom("depth", depth);
        let size = Expr::int(BLOCK);
        let blocks = hi.clone().minus(lo.clone()).plus(Expr::int(mutated!(InterchangeBlocks, BLOCK - 1, 0)));
        let blocks = self.atom("blocks", Expr::arith(Int::Div, blocks, size.clone()));
        let block = self.local("block", PrimType::I64);
        // The results may lie over what they are computed from, so that sums which are not the results have memory of their own.
        let own = (!nest.is_plain()).then(|| {
            let (handle, ptr) = (self.handle("sums"), self.ptr(Symbol::new("sums"), elem, None));
            let count = Expr::int(BLOCK * contexts.len() as i64);
            self.emit_alloc(handle, ptr, count, Role::Sums, span);
            (handle, ptr)
        });
        let (body, ()) = self.block(|this| {
            let from = lo.clone().plus(Expr::Local(block).times(size.clone()));
            let from = this.atom("from", from);
            let end = this.atom("end", from.clone().plus(size.clone()));
            let to = this.atom("to", Expr::arith(Int::Min, end, hi.clone()));
            if let Some((_, ptr)) = own {
                for (k, context) in contexts.iter_mut().enumerate() {
                    let start = Expr::int(BLOCK * k as i64).minus(from.clone());
                    context.sums = Some(this.dense(ptr, start, &[Size::constant(BLOCK)], &[]));
                }
            }
            this.block_of_sums(nest, &depth, &(from..to), &contexts);
        });
        self.emit(Stmt::For { var: block, from: Expr::int(0), to: blocks, order: Order::Sequential, body });
        if let Some((handle, _)) = own {
            self.release(&[handle]);
        }
    }
    /// The sums of a range in each context.
    fn block_of_sums(&mut self, nest: Nest<'p>, depth: &Expr, range: &Range<Expr>, contexts: &[Context]) {
        let operator = &nest.reduce.reduces[0];
        let elem = self.program.operand_ty(operator.neutral[0]).elem;
        let j = self.local("j", PrimType::I64);
        let (init, ()) = self.block(|this| {
            for context in contexts {
                // Each cell of the outer map may have a neutral element of its own.
                this.locs.extend(context.bound.iter().cloned());
                let neutral = this.int(operator.neutral[0]);
                let at = this.at(context.sums(), &[Expr::Local(j)]);
                this.emit(Stmt::Store(context.sums().ptr, at, neutral));
            }
        });
        self.emit(Stmt::For { var: j, from: range.start.clone(), to: range.end.clone(), order: Order::Any, body: init });
        // Several elements at a time: a sum is loaded and stored once for them.
        let step = if contexts.len() == 1 { TERMS } else { 1 };
        let groups = self.atom("groups", Expr::arith(Int::Div, depth.clone(), Expr::int(step)));
        let [group, k] = ["group", "k"].map(|name| self.local(name, PrimType::I64));
        let (rows, ()) = self.block(|this| {
            let first = this.atom("first", Expr::Local(group).times(Expr::int(step)));
            let terms: Vec<Expr> = (0..step).map(|t| first.clone().plus(Expr::int(t))).collect();
            this.add_rows(nest, &terms, range, contexts, elem);
        });
        self.emit(Stmt::For { var: group, from: Expr::int(0), to: groups.clone(), order: Order::Sequential, body: rows });
        if step > mutated!(InterchangeRest, 1, TERMS) {
            let (row, ()) = self.block(|this| this.add_rows(nest, &[Expr::Local(k)], range, contexts, elem));
            let rest = self.atom("rest", groups.times(Expr::int(step)));
            self.emit(Stmt::For { var: k, from: rest, to: depth.clone(), order: Order::Sequential, body: row });
        }
        if nest.is_plain() {
            return;
        }
        for context in contexts {
            let j = self.local("j", PrimType::I64);
            let (cell, ()) = self.block(|this| {
                this.locs.extend(context.bound.iter().cloned());
                let sum = this.element(&Array::Mem(context.sums().clone()), &[Expr::Local(j)], elem);
                this.finish(nest, &Expr::Local(j), sum, &context.outs);
            });
            self.emit(Stmt::For { var: j, from: range.start.clone(), to: range.end.clone(), order: Order::Any, body: cell });
        }
    }
    /// What becomes of the sum for cell `j`.
    pub(super) fn finish(&mut self, nest: Nest<'p>, j: &Expr, sum: Expr, outs: &[Mem]) {
        let map = nest.map;
        for (input, param) in map.inputs.iter().zip(&map.lambda.params) {
            let ty = self.program.ty(*param);
            if ty.rank() == 0 {
                let array = self.array(*input);
                let value = self.element(&array, std::slice::from_ref(j), ty.elem);
                self.set_scalar(*param, value);
            }
        }
        self.set_scalar(nest.total(), sum);
        nest.others().for_each(|stm| self.stm(stm));
        let values: Vec<Expr> = map.lambda.body.result.iter().map(|result| self.int(*result)).collect();
        for (out, value) in outs.iter().zip(values) {
            let at = self.at(out, std::slice::from_ref(j));
            self.emit(Stmt::Store(out.ptr, at, value));
        }
    }
    /// Adds some elements of each cell in a range to its sum.
    fn add_rows(&mut self, nest: Nest<'p>, terms: &[Expr], range: &Range<Expr>, contexts: &[Context], elem: PrimType) {
        let j = self.local("j", PrimType::I64);
        let mut atoms = Vec::with_capacity(terms.len());
        for term in terms {
            atoms.push(self.atom("k", term.clone()));
        }
        let (cell, ()) = self.block(|this| {
            for context in contexts {
                this.locs.extend(context.bound.iter().cloned());
                this.add_up(nest, &Expr::Local(j), &atoms, context.sums(), elem);
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
