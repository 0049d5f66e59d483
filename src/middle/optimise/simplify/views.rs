//! Index, slice and the other views: through what is known of the array they reach the one below.

use super::{At, Simplifier, Step};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar};
use crate::ir::soac::{Exp, Operand, Size, Type, Var, count_exp, parallel_exp, same, single_exp};

impl Simplifier<'_> {
    pub(super) fn view(&mut self, exp: &mut Exp, ty: &Type, at: &mut At) -> Step {
        match exp {
            Exp::Index { array, at: indices, checked } => {
                let (array, indices, was) = (*array, indices.clone(), *checked);
                if let Some(step) = self.index(exp, array, indices.clone(), was, ty, at) {
                    return step;
                }
                if let Exp::Index { checked, .. } = exp
                    && *checked
                    && self.all_in_bounds(array, &indices)
                {
                    *checked = false;
                }
                Step::Keep
            }
            Exp::Update { array, at: indices, value, checked } => {
                let (array, indices) = (*array, indices.clone());
                if let Some((inner, new, was)) = self.updated_cell(array, &indices, *value) {
                    let at = indices.into_iter().chain(inner).collect();
                    *exp = Exp::Update { array, at, value: new, checked: *checked || was };
                    return Step::Again;
                }
                if *checked && self.all_in_bounds(array, &indices) {
                    *checked = false;
                }
                Step::Keep
            }
            Exp::UpdateSlice { array, start, step, value, checked } => {
                if *checked && same(*step, Operand::int(1)) {
                    let (n, k) = (self.dim(*array), self.dim(*value));
                    *checked = !self.is_part_of(*start, &k, &n);
                }
                Step::Keep
            }
            Exp::Slice { .. } => self.slice(exp, ty, at),
            Exp::Rearrange { array, perm } => {
                let array = *array;
                if perm.iter().enumerate().all(|(k, dim)| k == *dim) {
                    return Step::known(Operand::Var(array));
                }
                match self.defs.get(&array) {
                    Some(Exp::Rearrange { array: base, perm: inner }) => {
                        let composed = perm.iter().map(|k| mutated!(PermuteOnce, inner[*k], *k)).collect();
                        *exp = Exp::Rearrange { array: *base, perm: composed };
                        Step::Again
                    }
                    Some(Exp::Rep(a)) if self.program.operand_ty(*a).rank() == 0 => {
                        *exp = Exp::Rep(*a);
                        Step::Again
                    }
                    _ => Step::Keep,
                }
            }
            Exp::Reshape(array) | Exp::Coerce(array) => {
                let array = *array;
                if self.ty(array) == *ty {
                    return Step::known(Operand::Var(array));
                }
                let reshape = matches!(exp, Exp::Reshape(_));
                match self.defs.get(&array) {
                    Some(Exp::Rep(a)) if self.program.operand_ty(*a).rank() == 0 => *exp = Exp::Rep(*a),
                    Some(Exp::Reshape(base)) if reshape => *exp = Exp::Reshape(*base),
                    _ => return Step::Keep,
                }
                Step::Again
            }
            Exp::Rep(a) => match self.definition(*a) {
                _ if self.program.operand_ty(*a).rank() == ty.rank() => Step::known(*a),
                Some(Exp::Rep(inner)) => {
                    *exp = Exp::Rep(*inner);
                    Step::Again
                }
                _ => Step::Keep,
            },
            Exp::Stack(_) => self.stacked(exp, ty),
            Exp::Concat(parts) => {
                let empty = Size::constant(0);
                let arrays = parts.clone();
                let full: Vec<Var> = arrays.iter().copied().filter(|part| self.dim(*part) != empty).collect();
                match full.as_slice() {
                    [single] => return Step::known(Operand::Var(*single)),
                    [] => {}
                    _ => *parts = full,
                }
                Step::Keep
            }
            Exp::Rotate { array, by } if same(*by, Operand::int(0)) => Step::known(Operand::Var(*array)),
            Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Literal(_)
            | Exp::Rotate { .. }
            | Exp::Iota { .. }
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..)
            | parallel_exp!()
            | count_exp!() => Step::Keep,
        }
    }

    fn stacked(&self, exp: &mut Exp, ty: &Type) -> Step {
        let Exp::Stack(cells) = exp else { return Step::Keep };
        let constants: Option<Vec<Scalar>> =
            cells.iter().map(|a| if let Operand::Const(scalar) = a { Some(*scalar) } else { None }).collect();
        if let Some(constants) = constants {
            *exp = Exp::Literal(constants);
        } else if cells.iter().all(|cell| same(*cell, cells[0])) {
            *exp = Exp::Rep(cells[0]);
        } else if let Some(array) = self.unstacked(cells, ty) {
            return Step::known(Operand::Var(array));
        }
        Step::Keep
    }
    pub(in crate::middle::optimise) fn all_in_bounds(&self, array: Var, indices: &[Operand]) -> bool {
        let shape = self.ty(array).shape;
        indices.iter().zip(&shape).all(|(i, n)| self.in_bounds(*i, n))
    }
    /// The checks of an index as statements.
    fn check_all(&mut self, array: Var, indices: &[Operand], checked: bool, at: &mut At) {
        if checked {
            let shape = self.ty(array).shape;
            indices.iter().zip(&shape).for_each(|(i, n)| self.emit_bounds(*i, n, at));
        }
    }

    /// The array of which these are all cells in order.
    fn unstacked(&self, cells: &[Operand], ty: &Type) -> Option<Var> {
        let mut base = None;
        for (k, cell) in cells.iter().enumerate() {
            match self.definition(*cell)? {
                Exp::Index { array, at, .. }
                    if base.is_none_or(|b| b == *array) && at.len() == 1 && same(at[0], Operand::int(k as i64)) =>
                {
                    base = Some(*array);
                }
                single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => return None,
            }
        }
        base.filter(|base| self.ty(*base) == *ty)
    }

    /// An index of an array that is known.
    fn index(&mut self, exp: &mut Exp, array: Var, indices: Vec<Operand>, checked: bool, ty: &Type, at: &mut At) -> Option<Step> {
        if indices.is_empty() {
            return Some(Step::known(Operand::Var(array)));
        }
        let rank = self.program.vars[array].ty.rank();
        match self.defs.get(&array)?.clone() {
            Exp::Index { array: base, at: outer, .. } => {
                *exp = Exp::Index { array: base, at: outer.into_iter().chain(indices).collect(), checked };
                Some(Step::Again)
            }
            Exp::Iota { start, step } => {
                self.check_all(array, &indices, checked, at);
                let [i] = indices.as_slice() else { return None };
                let elem = ty.elem;
                let i = if elem == PrimType::I64 {
                    *i
                } else {
                    self.emit(Exp::Scalar(ScalarOp::new(Op::Convert(PrimType::I64), elem), vec![*i]), ty.clone(), "t", at)
                };
                let product = self.mul(i, step, elem, at);
                Some(Step::known(self.add(start, product, elem, at)))
            }
            Exp::Rep(a) => {
                self.check_all(array, &indices, checked, at);
                let depth = rank - self.program.operand_ty(a).rank();
                *exp = match a {
                    _ if indices.len() == depth => return Some(Step::known(a)),
                    Operand::Var(inner) if indices.len() > depth => {
                        Exp::Index { array: inner, at: indices[depth..].to_vec(), checked: false }
                    }
                    Operand::Const(_) | Operand::Var(_) => Exp::Rep(a),
                };
                Some(Step::Again)
            }
            Exp::Literal(items) if indices.len() == rank => {
                let k = self.constant_position(array, &indices)?;
                items.get(k).map(|item| Step::known(Operand::Const(*item)))
            }
            Exp::Stack(cells) => {
                let depth = rank - self.program.operand_ty(*cells.first()?).rank();
                let k = self.constant_position(array, indices.get(..depth)?)?;
                let cell = *cells.get(k)?;
                let rest = indices[depth..].to_vec();
                if rest.is_empty() {
                    return Some(Step::known(cell));
                }
                *exp = Exp::Index { array: cell.var()?, at: rest, checked };
                Some(Step::Again)
            }
            Exp::Rearrange { array: base, perm } => self.index_rearranged(exp, base, &perm, &indices, checked, at),
            Exp::Slice { array: base, start, step, .. } => {
                self.check_all(array, &indices, checked, at);
                *exp = Exp::Index { array: base, at: self.in_slice(start, step, &indices, at), checked: false };
                Some(Step::Again)
            }
            Exp::Coerce(base) => {
                self.check_all(array, &indices, checked, at);
                let below = indices.len();
                let index = Exp::Index { array: base, at: indices, checked: false };
                if below == rank {
                    *exp = index;
                    return Some(Step::Again);
                }
                // A row keeps the sizes that the array was given.
                let cell = self.ty(base).cell(below);
                *exp = Exp::Coerce(self.emit(index, cell, "row", at).var()?);
                Some(Step::Again)
            }
            Exp::Reshape(base) if self.program.vars[base].ty.rank() == 1 && indices.len() == rank => {
                self.check_all(array, &indices, checked, at);
                *exp = Exp::Index { array: base, at: vec![self.flat(array, &indices, at)], checked: false };
                Some(Step::Again)
            }
            Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Literal(_)
            | Exp::Rotate { .. }
            | Exp::Reshape(_)
            | Exp::Concat(_)
            | Exp::Update { .. }
            | Exp::UpdateSlice { .. }
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..)
            | parallel_exp!()
            | count_exp!() => None,
        }
    }

    /// An index of an array with its dimensions in another order: of the array below, where the indices name its outermost dimensions.
    fn index_rearranged(
        &mut self,
        exp: &mut Exp,
        base: Var,
        perm: &[usize],
        indices: &[Operand],
        checked: bool,
        at: &mut At,
    ) -> Option<Step> {
        let depth = indices.len();
        let (outer, inner) = perm.split_at(depth);
        if outer.iter().any(|dim| *dim >= depth) {
            return None;
        }
        let mut moved = indices.to_vec();
        outer.iter().zip(indices).for_each(|(dim, i)| moved[*dim] = *i);
        let index = Exp::Index { array: base, at: moved, checked };
        if inner.is_empty() {
            *exp = index;
            return Some(Step::Again);
        }
        let cell = self.ty(base).cell(depth);
        let cell = self.emit(index, cell, "row", at).var()?;
        *exp = Exp::Rearrange { array: cell, perm: inner.iter().map(|dim| dim - depth).collect() };
        Some(Step::Again)
    }

    /// The indices in an array of a cell of a slice of it.
    fn in_slice(&mut self, start: Operand, step: Operand, indices: &[Operand], at: &mut At) -> Vec<Operand> {
        let moved = self.mul(indices[0], step, PrimType::I64, at);
        let moved = self.add(mutated!(SliceForgetsStart, start, Operand::int(0)), moved, PrimType::I64, at);
        std::iter::once(moved).chain(indices[1..].iter().copied()).collect()
    }
    /// The position of an element in row-major order.
    fn flat(&mut self, array: Var, indices: &[Operand], at: &mut At) -> Operand {
        let shape = self.ty(array).shape;
        let mut flat = indices[0];
        for (i, n) in indices[1..].iter().zip(&shape[1..]) {
            let n = self.emit(Exp::Size(n.clone()), Type::scalar(PrimType::I64), "size", at);
            let row = self.mul(mutated!(FlatRowForgotten, flat, Operand::int(0)), n, PrimType::I64, at);
            flat = self.add(row, *i, PrimType::I64, at);
        }
        flat
    }
    /// The position in row-major order of constant indices that are in bounds.
    fn constant_position(&self, array: Var, indices: &[Operand]) -> Option<usize> {
        let shape = self.ty(array).shape;
        let mut position = 0usize;
        for (i, n) in indices.iter().zip(&shape) {
            let (Operand::Const(i), Some(n)) = (i, n.as_constant()) else { return None };
            let (i, n) = (usize::try_from(i.as_i128()?).ok()?, usize::try_from(n).ok()?);
            if i >= n {
                return None;
            }
            position = position.checked_mul(n)?.checked_add(i)?;
        }
        Some(position)
    }

    /// If a value is the cell of an array at these indices, with a part of it replaced: the indices of the part in the cell, what it is
    /// replaced by, and whether bounds are checked. `a with [i] = (a[i] with [j] = x)` is `a with [i, j] = x`.
    fn updated_cell(&self, array: Var, at: &[Operand], value: Operand) -> Option<(Vec<Operand>, Operand, bool)> {
        let Operand::Var(value) = value else { return None };
        let Some(Exp::Update { array: cell, at: inner, value: new, checked }) = self.defs.get(&value) else { return None };
        let (root, path) = self.path(*cell);
        let (own_root, own_path) = self.path(array);
        let whole = own_path.len() + at.len() == path.len() && own_path.iter().chain(at).zip(path).all(|(a, b)| same(*a, *b));
        (root == own_root && mutated!(UpdateWholeCell, whole, true)).then(|| (inner.clone(), *new, *checked))
    }
    /// The array that an array is a cell of, with the indices; the array itself, if it is none.
    fn path(&self, array: Var) -> (Var, &[Operand]) {
        match self.defs.get(&array) {
            Some(Exp::Index { array: root, at, .. }) => (*root, at),
            _ => (array, &[]),
        }
    }

    fn slice(&mut self, exp: &mut Exp, ty: &Type, at: &mut At) -> Step {
        let Exp::Slice { array, start, step, checked } = exp else { return Step::Keep };
        let (array, start, step) = (*array, *start, *step);
        let (count, n) = (ty.shape.first().cloned().unwrap_or_default(), self.dim(array));
        let one = Operand::int(1);
        if same(step, one) {
            if *checked {
                *checked = !self.is_part_of(start, &count, &n);
            }
            if same(start, Operand::int(0)) && count == n {
                return Step::known(Operand::Var(array));
            }
        }
        // Only slices that are known to be inside are moved to the array below: that one may be larger.
        if *checked {
            return Step::Keep;
        }
        match self.defs.get(&array).cloned() {
            Some(Exp::Iota { start: first, step: distance }) if ty.elem == PrimType::I64 => {
                let moved = self.mul(start, distance, PrimType::I64, at);
                let start = self.add(first, moved, PrimType::I64, at);
                let step = self.mul(step, distance, PrimType::I64, at);
                *exp = Exp::Iota { start, step };
                Step::Again
            }
            Some(Exp::Rep(a)) => {
                *exp = Exp::Rep(a);
                Step::Again
            }
            Some(Exp::Slice { array: base, start: first, step: distance, .. }) => {
                let by = mutated!(SliceOfSliceForgetsStep, distance, Operand::int(1));
                let moved = self.mul(start, by, PrimType::I64, at);
                let start = self.add(first, moved, PrimType::I64, at);
                let step = self.mul(step, distance, PrimType::I64, at);
                *exp = Exp::Slice { array: base, start, step, checked: false };
                Step::Again
            }
            _ => Step::Keep,
        }
    }
}
