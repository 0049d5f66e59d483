//! The return sweep of views: what is added to some cells of a view is added to the cells of the array that they are.
//!
//! A slice that each iteration of a map takes of an array from outside shows few of its cells. Its adjoint is added to those alone: an
//! adjoint of the whole array for each iteration would cost n * m where the map costs n.

use super::adjoints::{Adjoint, Part, Sparse};
use super::reverse::Reverse;
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::{Exp, Lambda, Operand, Size, Stm, Type, Var};
use rustc_hash::FxHashMap;

/// Which map of the return sweep a variable belongs to, and what it shows.
#[derive(Debug, Default)]
pub(super) struct Origins {
    /// How many maps of the return sweep are around what is being made.
    level: usize,
    /// The level at which a variable was bound; 0 for others.
    levels: FxHashMap<Var, usize>,
    /// The array that a view shows.
    shown: FxHashMap<Var, Var>,
}

impl Origins {
    /// Goes into a map with these parameters.
    pub fn enter(&mut self, params: &[Var]) {
        self.level += 1;
        self.levels.extend(params.iter().map(|param| (*param, self.level)));
    }
    /// Goes out of it again.
    pub fn exit(&mut self) {
        self.level -= 1;
    }
    /// Whether a map is being made.
    pub fn is_inside(&self) -> bool {
        self.level > 0
    }
    /// Takes note of a statement of the forward sweep.
    pub fn bind(&mut self, stm: &Stm) {
        if self.level > 0 {
            self.levels.extend(stm.pat.iter().map(|var| (*var, self.level)));
        }
        if let Exp::Index { array, .. } | Exp::Slice { array, .. } | Exp::Rearrange { array, .. } | Exp::Coerce(array) = &stm.exp {
            self.shown.extend(stm.pat.iter().map(|var| (*var, *array)));
        }
    }
    /// Whether a variable may have other values in other iterations of a map.
    pub fn varies(&self, var: Var) -> bool {
        self.levels.contains_key(&var)
    }
    /// Whether a variable shows an array that is the same in all iterations of the innermost map: they must not each make its adjoint.
    pub fn is_from_outside(&self, var: Var) -> bool {
        let mut root = var;
        while let Some(array) = self.shown.get(&root) {
            root = *array;
        }
        self.levels.get(&root).copied().unwrap_or(0) < self.level
    }
}

impl Reverse<'_, '_> {
    /// Hands what was added to some cells of a view on to the array that it shows, if that can be said by indices; the adjoint itself
    /// where it cannot.
    pub fn through_view(&mut self, exp: &Exp, adjoint: Adjoint) -> Option<Adjoint> {
        if adjoint.dense.is_some() {
            return Some(adjoint);
        }
        let (Exp::Copy(Operand::Var(array))
        | Exp::Coerce(array)
        | Exp::Index { array, .. }
        | Exp::Slice { array, .. }
        | Exp::Rearrange { array, .. }) = exp
        else {
            return Some(adjoint);
        };
        let same = matches!(exp, Exp::Copy(_) | Exp::Coerce(_));
        let outside = self.origins.is_from_outside(*array);
        // Added up within the map, what is added to many cells costs less.
        let passes = |sparse: &Sparse| same || ((outside || sparse.frame.is_empty()) && shows(exp, sparse.at.len()));
        let sliced = same || matches!(exp, Exp::Slice { .. }) || (outside && matches!(exp, Exp::Index { .. }));
        if !adjoint.sparse.iter().all(passes) || (!adjoint.parts.is_empty() && !sliced) {
            return Some(adjoint);
        }
        if !self.active.has(*array) {
            return None;
        }
        for sparse in adjoint.sparse {
            let sparse = self.shown(exp, sparse);
            self.adjoints.add_sparse(*array, sparse);
        }
        for part in adjoint.parts {
            if let Exp::Slice { start, step, .. } = exp {
                let start = self.cell_of_slice([*start, *step], part.start);
                let step = self.build.op(Op::Mul, PrimType::I64, &[*step, part.step]);
                self.adjoints.add_part(*array, Part { start, step, ..part });
            } else if let Exp::Index { .. } = exp {
                let sparse = self.build.cells_of(part);
                let sparse = self.shown(exp, sparse);
                self.adjoints.add_sparse(*array, sparse);
            } else {
                self.adjoints.add_part(*array, part);
            }
        }
        None
    }
    /// What is added to cells of a view, as what is added to cells of the array. Indices that are -1, for nothing, stay so.
    fn shown(&mut self, exp: &Exp, sparse: Sparse) -> Sparse {
        let Sparse { frame, mut at, value, guarded, within } = sparse;
        if let Exp::Index { at: outer, .. } = exp {
            let guard = guarded.then(|| at[0]);
            let prefix: Vec<Operand> = outer.iter().map(|index| self.number(*index, &frame, guard)).collect();
            at.splice(0..0, prefix);
        } else if let Exp::Slice { start, step, .. } = exp {
            at[0] = self.over(&frame, &[at[0]], &mut |this, index| {
                let cell = this.cell_of_slice([*start, *step], index[0]);
                if guarded { this.if_somewhere(index[0], cell) } else { cell }
            });
        } else if let Exp::Rearrange { perm, .. } = exp {
            let guard = at[0];
            let shown = at.clone();
            shown.iter().zip(perm).for_each(|(index, from)| at[*from] = *index);
            if guarded && perm[0] != 0 {
                at[0] = self.over(&frame, &[at[0], guard], &mut |this, index| this.if_somewhere(index[1], index[0]));
            }
        }
        Sparse { frame, at, value, guarded, within }
    }
    /// Which cell of an array a cell of a slice is.
    fn cell_of_slice(&mut self, [start, step]: [Operand; 2], index: Operand) -> Operand {
        let plain = mutated!(AdjointsInSteps, step == Operand::int(1), true);
        let steps = if plain { index } else { self.build.op(Op::Mul, PrimType::I64, &[index, step]) };
        if mutated!(AdjointsFromStart, start == Operand::int(0), true) {
            steps
        } else {
            self.build.op(Op::Add, PrimType::I64, &[start, steps])
        }
    }
    /// A number, or -1 where an index is that.
    fn if_somewhere(&mut self, index: Operand, number: Operand) -> Operand {
        let some = self.build.op(Op::Ge, PrimType::I64, &[index, Operand::int(0)]);
        mutated!(AddedSomewhere, self.build.select(some, number, Operand::int(-1)), number)
    }
    /// A number computed for each cell of a frame from numbers there.
    fn over(&mut self, frame: &[Size], numbers: &[Operand], compute: &mut dyn FnMut(&mut Self, &[Operand]) -> Operand) -> Operand {
        let [outer, inner @ ..] = frame else { return compute(self, numbers) };
        let arrays: Vec<Var> = numbers.iter().map(|array| self.build.array(*array)).collect();
        let params: Vec<Var> = arrays.iter().map(|array| self.build.param(*array)).collect();
        let body = self.block(|this| {
            let cells: Vec<Operand> = params.iter().map(|param| Operand::Var(*param)).collect();
            vec![this.over(inner, &cells, compute)]
        });
        Operand::Var(self.build.mapped(outer, arrays, Lambda { params, body })[0])
    }
    /// A number for each cell of a frame: -1 where the index is.
    pub fn number(&mut self, number: Operand, frame: &[Size], guard: Option<Operand>) -> Operand {
        match guard {
            None if frame.is_empty() => number,
            None => {
                let ty = Type { elem: PrimType::I64, shape: frame.to_vec() };
                Operand::Var(self.build.bind("number", ty, Exp::Rep(number)))
            }
            Some(guard) => self.over(frame, &[guard], &mut |this, at| this.if_somewhere(at[0], number)),
        }
    }
}

/// Whether cells of a view at so many indices are whole cells of the array, at indices that follow from these.
fn shows(exp: &Exp, indices: usize) -> bool {
    let Exp::Rearrange { perm, .. } = exp else { return true };
    perm.iter().enumerate().all(|(k, from)| if k < indices { *from < indices } else { *from == k })
}
