//! Arrays of functions and of boxes: what is done with them is done with the arrays of what differs from cell to cell ([`Lifted`]), and where
//! two of them come together a truth value says for each cell which it is from.

use super::error::Limit;
use super::values::{Label, Lifted, Static};
use super::{Outcome, Specialiser};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::{self, Body, Exp, Lambda, Operand, Size, Soac, Var};
use std::rc::Rc;

/// Makes an array of an array.
type Change<'a, S> = dyn FnMut(&mut S, Operand) -> Outcome<Operand> + 'a;

/// Makes a value of values that are neither tuples nor records.
type Whole<'a, S> = dyn FnMut(&mut S, &[&Static]) -> Outcome<Static> + 'a;

impl Specialiser<'_> {
    /// The value with each of its arrays changed so that it has `width` cells, each of which is a cell of the array before.
    pub(super) fn on_arrays(&mut self, value: &Static, width: &Size, span: Span, change: &mut Change<'_, Self>) -> Outcome<Static> {
        Ok(match value {
            Static::Data(a) => Static::Data(change(self, *a)?),
            Static::Tuple(parts) => {
                Static::Tuple(parts.iter().map(|part| self.on_arrays(part, width, span, change)).collect::<Outcome<_>>()?)
            }
            Static::Record(parts) => {
                let part = |(label, part): &(Label, Static)| Ok((*label, self.on_arrays(part, width, span, change)?));
                Static::Record(parts.iter().map(part).collect::<Outcome<_>>()?)
            }
            Static::Lifted(lifted) => {
                let arrays = lifted.arrays.iter().map(|a| change(self, *a)).collect::<Outcome<_>>()?;
                Static::Lifted(Rc::new(Lifted { width: width.clone(), arrays, ..Lifted::clone(lifted) }))
            }
            Static::Fun(_) if value.is_absent() => value.clone(),
            Static::Fun(_) | Static::Box(_) => return self.broken(span, "an array was expected"),
        })
    }

    /// Does something for each component of tuples and records of the same form.
    pub(super) fn by_components(&mut self, args: &[&Static], work: &mut Whole<'_, Self>) -> Outcome<Static> {
        let part = |k: usize| {
            let part = |arg: &&Static| match arg {
                Static::Tuple(parts) => parts.get(k).cloned(),
                Static::Record(parts) => parts.get(k).map(|(_, part)| part.clone()),
                Static::Data(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => None,
            };
            args.iter().filter_map(part).collect::<Vec<Static>>()
        };
        let mut each = |this: &mut Self, k: usize| this.by_components(&part(k).iter().collect::<Vec<_>>(), work);
        match args[0] {
            Static::Tuple(parts) => Ok(Static::Tuple((0..parts.len()).map(|k| each(self, k)).collect::<Outcome<_>>()?)),
            Static::Record(parts) => {
                let parts = parts.iter().enumerate().map(|(k, (label, _))| Ok((*label, each(self, k)?)));
                Ok(Static::Record(parts.collect::<Outcome<_>>()?))
            }
            Static::Data(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => work(self, args),
        }
    }

    /// Truth values that are all the same.
    fn truths(&mut self, truth: bool, width: &Size, span: Span) -> Outcome<Operand> {
        let ty = soac::Type { elem: PrimType::Bool, shape: vec![width.clone()] };
        self.bind("which", ty, Exp::Rep(Operand::Const(Scalar::Bool(truth))), span)
    }
    /// An array of so many zeros with cells like those of another.
    fn zeros_like(&mut self, array: Operand, width: &Size, span: Span) -> Outcome<Operand> {
        let ty = self.ty(array).cell(1).framed(std::slice::from_ref(width));
        self.bind("none", ty.clone(), Exp::Rep(Operand::Const(Scalar::from_i128(ty.elem, 0))), span)
    }
    pub(super) fn array(&self, operand: Operand, span: Span) -> Outcome<Var> {
        operand.var().map_or_else(|| self.broken(span, "an array was expected"), Ok)
    }
    /// Cells of two arrays with `width` cells, of the first where `which` says so.
    fn of_two(&mut self, which: Operand, width: &Size, x: Lifted, y: Lifted, span: Span) -> Outcome<Static> {
        let var = self.placeholder(Symbol::new("which"), soac::Type::scalar(PrimType::Bool));
        let elem = self.either(Operand::Var(var), x.elem, y.elem, span)?;
        let vars = [&[var], &x.vars[..], &y.vars].concat();
        let arrays = [&[which], &x.arrays[..], &y.arrays].concat();
        let (places, rows) = ([x.places, y.places].concat(), [x.rows, y.rows].concat());
        Ok(Static::Lifted(Rc::new(Lifted { width: width.clone(), vars, arrays, places, rows, elem })))
    }

    /// The array with another cell.
    pub(super) fn other_cell(&mut self, array: &Lifted, at: Operand, value: Static, span: Span) -> Outcome<Static> {
        let none = self.truths(false, &array.width, span)?;
        let (ty, var) = (self.ty(none), self.array(none, span)?);
        let value = Lifted::same(array.width.clone(), value);
        let update = Exp::Update { array: var, at: vec![at], value: Operand::Const(Scalar::Bool(true)), checked: true };
        let which = self.bind("which", ty, update, span)?;
        let array = self.refreshed(array);
        self.of_two(which, &array.width.clone(), value, array, span)
    }
    /// The array with other cells, `step` apart.
    pub(super) fn other_cells(&mut self, old: &Lifted, new: &Lifted, start: Operand, step: Operand, span: Span) -> Outcome<Static> {
        let (old, mut new) = (self.refreshed(old), self.refreshed(new));
        let width = old.width.clone();
        let write = |this: &mut Self, into: Operand, value: Operand| {
            let (ty, array, value) = (this.ty(into), this.array(into, span)?, this.array(value, span)?);
            this.bind("updated", ty, Exp::UpdateSlice { array, start, step, value, checked: true }, span)
        };
        let (none, all) = (self.truths(false, &width, span)?, self.truths(true, &new.width, span)?);
        let which = write(self, none, all)?;
        for array in &mut new.arrays {
            let none = self.zeros_like(*array, &width, span)?;
            *array = write(self, none, *array)?;
        }
        self.of_two(which, &width, new, old, span)
    }
    /// The array with other cells where the indices say. An array of numbers says for each cell which of the new ones it is, or -1.
    pub(super) fn scattered_functions(&mut self, old: &Lifted, indices: &Static, new: &Lifted, span: Span) -> Outcome<Static> {
        let (old, mut new) = (self.refreshed(old), self.refreshed(new));
        let (n, m) = (old.width.clone(), new.width.clone());
        let numbers = |width: &Size| soac::Type { elem: PrimType::I64, shape: vec![width.clone()] };
        let none = self.bind("none", numbers(&n), Exp::Rep(Operand::int(-1)), span)?;
        let all = self.bind("iota", numbers(&m), Exp::Iota { start: Operand::int(0), step: Operand::int(1) }, span)?;
        let indices = self.scalar(indices, span)?;
        let inputs = vec![self.array(indices, span)?, self.array(all, span)?];
        let params: Vec<Var> = inputs.iter().map(|_| self.fresh(Symbol::new("w"), soac::Type::scalar(PrimType::I64))).collect();
        let result = params.iter().map(|param| Operand::Var(*param)).collect();
        let lambda = Lambda { params, body: Body { stms: Vec::new(), result } };
        let dests = vec![self.array(none, span)?];
        let from = self.bind("from", numbers(&n), Exp::Scatter { width: m, inputs, lambda, dests }, span)?;
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let (stms, result) = self.in_block(|this| {
            let from = this.cells(&Static::Data(from), Symbol::new("from"), &mut inputs, &mut params, span)?;
            let from = this.scalar(&from, span)?;
            let below = ScalarOp::new(Op::Le, PrimType::I64);
            let given = this.scalar_op(below, vec![Operand::int(0), from], span)?;
            let cell = |this: &mut Self, array: Operand| {
                let (ty, array) = (this.ty(array).cell(1), this.array(array, span)?);
                this.bind("cell", ty, Exp::Index { array, at: vec![from], checked: true }, span)
            };
            let blank = |this: &mut Self, array: Operand| {
                let ty = this.ty(array).cell(1);
                let zero = Operand::Const(Scalar::from_i128(ty.elem, 0));
                if ty.rank() == 0 { Ok(zero) } else { this.bind("none", ty, Exp::Rep(zero), span) }
            };
            let cells = this.in_block(|this| {
                let cells = new.arrays.iter().map(|array| Ok(Static::Data(cell(this, *array)?))).collect::<Outcome<_>>()?;
                Ok(Static::Tuple(cells))
            })?;
            let blanks = this.in_block(|this| {
                let cells = new.arrays.iter().map(|array| Ok(Static::Data(blank(this, *array)?))).collect::<Outcome<_>>()?;
                Ok(Static::Tuple(cells))
            })?;
            let cells = this.merge(given, cells, blanks, span)?;
            let mut result = vec![given];
            result.extend(this.leaves(&cells, span)?);
            Ok(result)
        })?;
        let frame = std::slice::from_ref(&n);
        let mut pat = vec![self.fresh(Symbol::new("which"), soac::Type::scalar(PrimType::Bool).framed(frame))];
        for array in &mut new.arrays {
            let gathered = self.fresh(Symbol::new("cells"), self.ty(*array).cell(1).framed(frame));
            *array = Operand::Var(gathered);
            pat.push(gathered);
        }
        let which = Operand::Var(pat[0]);
        let lambda = Lambda { params, body: Body { stms, result } };
        self.push(pat, Exp::Soac(Soac { width: n.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() }), span)?;
        self.of_two(which, &n, new, old, span)
    }
    /// One array after the other.
    pub(super) fn joined_functions(&mut self, x: &Lifted, y: &Lifted, span: Span) -> Outcome<Static> {
        let (mut x, mut y) = (self.refreshed(x), self.refreshed(y));
        let (n, m) = (x.width.clone(), y.width.clone());
        let join = |this: &mut Self, a: Operand, b: Operand| {
            let mut ty = this.ty(a);
            ty.shape[0] = n.add(&m);
            let parts = vec![this.array(a, span)?, this.array(b, span)?];
            this.bind("joined", ty, Exp::Concat(parts), span)
        };
        let (of_x, of_y) = (self.truths(true, &n, span)?, self.truths(false, &m, span)?);
        let which = join(self, of_x, of_y)?;
        for array in &mut x.arrays {
            let none = self.zeros_like(*array, &m, span)?;
            *array = join(self, *array, none)?;
        }
        for array in &mut y.arrays {
            let none = self.zeros_like(*array, &n, span)?;
            *array = join(self, none, *array)?;
        }
        self.of_two(which, &n.add(&m), x, y, span)
    }

    /// An array of rows with variables of its own, its rows, and which of its arrays the arrays of rows are cells of.
    fn rows(&mut self, rows: &Lifted, span: Span) -> Outcome<(Lifted, Lifted, Vec<Option<usize>>)> {
        let rows = self.refreshed(rows);
        let Static::Lifted(row) = &rows.elem else {
            return self.limit(span, Limit::LateRows);
        };
        if !rows.rows.is_empty() {
            return self.limit(span, Limit::LateRows);
        }
        let row = self.refreshed(row);
        let from = row.arrays.iter().map(|array| rows.vars.iter().position(|var| array.var() == Some(*var))).collect();
        Ok((rows, row, from))
    }
    /// Rows and columns change places.
    pub(super) fn transposed_functions(&mut self, rows: &Lifted, span: Span) -> Outcome<Static> {
        let (rows, row, from) = self.rows(rows, span)?;
        let (mut vars, mut arrays) = (Vec::new(), Vec::new());
        let (mut inner_vars, mut inner_arrays) = (rows.vars.clone(), rows.arrays.clone());
        for ((var, array), from) in row.vars.iter().zip(&row.arrays).zip(from) {
            let Some(from) = from else {
                // The same array in each row.
                vars.push(*var);
                arrays.push(*array);
                continue;
            };
            let whole = self.array(rows.arrays[from], span)?;
            let mut ty = self.out.ty(whole).clone();
            ty.shape.swap(0, 1);
            let perm = [1, 0].into_iter().chain(2..ty.rank()).collect();
            let column = self.placeholder(self.out.vars[*var].name, ty.cell(1));
            arrays.push(self.bind("view", ty, Exp::Rearrange { array: whole, perm }, span)?);
            vars.push(column);
            inner_vars.push(*var);
            inner_arrays.push(Operand::Var(column));
        }
        let (places, own) = (row.places, row.rows);
        let column = Lifted { width: rows.width, vars: inner_vars, arrays: inner_arrays, places, rows: own, elem: row.elem };
        Ok(Static::Lifted(Rc::new(Lifted { vars, arrays, ..Lifted::same(row.width, Static::Lifted(Rc::new(column))) })))
    }
    /// All rows one after the other.
    pub(super) fn flat_functions(&mut self, rows: &Lifted, span: Span) -> Outcome<Static> {
        let (rows, row, from) = self.rows(rows, span)?;
        let (n, m) = (rows.width.clone(), row.width.clone());
        let width = n.mul(&m);
        let flat = |this: &mut Self, array: Operand| {
            let ty = this.ty(array).cell(2).framed(std::slice::from_ref(&width));
            let array = this.array(array, span)?;
            this.bind("flat", ty, Exp::Reshape(array), span)
        };
        let (mut vars, mut arrays) = (rows.vars.clone(), Vec::new());
        for array in &rows.arrays {
            // Each cell as often as there are columns.
            let many = self.ty(*array).framed(std::slice::from_ref(&m));
            let columns = self.bind("rep", many.clone(), Exp::Rep(*array), span)?;
            let mut ty = many;
            ty.shape.swap(0, 1);
            let perm = [1, 0].into_iter().chain(2..ty.rank()).collect();
            let array = self.array(columns, span)?;
            let cells = self.bind("view", ty, Exp::Rearrange { array, perm }, span)?;
            arrays.push(flat(self, cells)?);
        }
        for ((var, array), from) in row.vars.iter().zip(&row.arrays).zip(from) {
            let whole = match from {
                Some(from) => rows.arrays[from],
                None => {
                    let ty = self.ty(*array).framed(std::slice::from_ref(&n));
                    self.bind("rep", ty, Exp::Rep(*array), span)?
                }
            };
            vars.push(*var);
            arrays.push(flat(self, whole)?);
        }
        Ok(Static::Lifted(Rc::new(Lifted { width, vars, arrays, places: row.places, rows: row.rows, elem: row.elem })))
    }
    /// The cells in `n` rows of `m`.
    pub(super) fn functions_in_rows(&mut self, cells: &Lifted, n: &Size, m: &Size, span: Span) -> Outcome<Static> {
        let cells = self.refreshed(cells);
        let (mut vars, mut arrays) = (Vec::new(), Vec::new());
        for array in cells.arrays.iter() {
            let ty = self.ty(*array).cell(1).framed(&[n.clone(), m.clone()]);
            let row = self.placeholder(Symbol::new("row"), ty.cell(1));
            let array = self.array(*array, span)?;
            arrays.push(self.bind("rows", ty, Exp::Reshape(array), span)?);
            vars.push(row);
        }
        let rows = vars.iter().map(|var| Operand::Var(*var)).collect();
        let row = Lifted { width: m.clone(), arrays: rows, ..cells };
        Ok(Static::Lifted(Rc::new(Lifted { vars, arrays, ..Lifted::same(n.clone(), Static::Lifted(Rc::new(row))) })))
    }
}
