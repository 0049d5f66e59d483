//! Arrays of functions that loops carry, by closure conversion: each cell is a tag, which of a finite number of functions it is, and what it
//! has captured.

use super::kinds::{Kind, Kinds};
use super::values::{Fun, Lifted, Static};
use super::{Outcome, Specialiser};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::soac::{self, Body, Exp, Lambda, Operand, Size, Soac, Var};
use std::rc::Rc;

/// Cells of more kinds than this are a sign of functions that grow. Each kind may hold a choice of those before it, so that the work doubles
/// with each.
const MAX_CELLS: usize = 12;

/// What became of the kinds of cells.
pub(super) enum Cells {
    /// All were known.
    Known,
    /// There were new ones.
    More,
    /// There is no end to them, or they cannot be told apart.
    Endless,
}

/// The functions that a choice may come to.
fn alternatives(value: &Static, out: &mut Vec<Static>) {
    match value {
        Static::Fun(fun) if let Fun::Choice(_, a, b) = &**fun => {
            alternatives(a, out);
            alternatives(b, out);
        }
        Static::Data(_) | Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
            out.push(value.clone())
        }
    }
}

impl Specialiser<'_> {
    /// A cell of an array in terms of new variables.
    fn cell_of(&mut self, array: &Lifted) -> (Vec<Var>, Static) {
        let (params, map) = self.renewed(&array.vars, Self::fresh);
        let cell = self.replaced(&array.elem, &map);
        (params, cell)
    }

    /// The width and the kinds of the cells of an array, where they can be told apart: what they have captured has the same sizes in all.
    pub(super) fn kinds_of_cells(&mut self, array: &Static) -> Option<(Size, Kinds)> {
        let Static::Lifted(lifted) = array else { return None };
        let mut kinds = Vec::new();
        match self.add_cells(array, &lifted.width, &mut kinds) {
            Cells::Endless => None,
            Cells::Known | Cells::More => Some((lifted.width.clone(), kinds)),
        }
    }
    /// Adds the kinds of the cells of an array that are not known yet.
    pub(super) fn add_cells(&mut self, array: &Static, width: &Size, kinds: &mut Kinds) -> Cells {
        let Static::Lifted(lifted) = array else { return Cells::Endless };
        if lifted.width != *width || !lifted.rows.is_empty() {
            return Cells::Endless;
        }
        let depth = self.block.depth();
        let (_, cell) = self.inside(|this| this.cell_of(lifted));
        let mut leaves = Vec::new();
        alternatives(&cell, &mut leaves);
        let mut found = Cells::Known;
        for leaf in leaves {
            if self.kind_of(&leaf, kinds, depth).is_some() {
                continue;
            }
            let holes = self.inner_vars_below(&leaf, depth);
            let regular = holes.iter().all(|hole| !self.out.ty(*hole).shape.iter().flat_map(Size::vars).any(|var| self.is_inner(var)));
            if !matches!(leaf, Static::Fun(_)) || !regular || kinds.len() >= MAX_CELLS {
                return Cells::Endless;
            }
            kinds.push(Kind { value: leaf, holes, arrays: false });
            found = Cells::More;
        }
        found
    }

    /// The types of what says of which kind a cell is, and of what it has captured.
    fn cell_types(&self, kinds: &Kinds) -> Vec<(Symbol, soac::Type)> {
        let which = (1..kinds.len()).map(|_| (Symbol::new("which"), soac::Type::scalar(PrimType::Bool)));
        let holes = kinds.iter().flat_map(|kind| &kind.holes).map(|hole| (self.out.vars[*hole].name, self.out.ty(*hole).clone()));
        which.chain(holes).collect()
    }
    /// Variables for an array whose cells are of these kinds, and the array.
    pub(super) fn array_of_kinds(&mut self, width: &Size, kinds: &Kinds, span: Span) -> Outcome<(Static, Vec<Var>)> {
        let (mut vars, mut places) = (Vec::new(), Vec::new());
        for (name, ty) in self.cell_types(kinds) {
            vars.push(self.fresh(name, ty.framed(std::slice::from_ref(width))));
            places.push(self.placeholder(name, ty));
        }
        let elem = self.one_of(kinds, &places, span)?;
        let arrays = vars.iter().map(|var| Operand::Var(*var)).collect();
        Ok((Static::Lifted(Rc::new(Lifted { vars: places, arrays, ..Lifted::same(width.clone(), elem) })), vars))
    }
    /// What these variables are for an array whose cells are of these kinds. `depth` is that of the loop.
    pub(super) fn arrays_of_cells(&mut self, array: &Static, kinds: &Kinds, depth: u32, span: Span) -> Outcome<Vec<Operand>> {
        let Static::Lifted(lifted) = array else { return self.broken(span, "an array of functions was expected") };
        let (stms, (params, result)) = self.in_block(|this| {
            let (params, cell) = this.cell_of(lifted);
            let result = this.next_kind(None, &cell, kinds, depth, span)?;
            Ok((params, result))
        })?;
        let inputs = lifted.arrays.iter().map(|array| self.array(*array, span)).collect::<Outcome<Vec<_>>>()?;
        let frame = std::slice::from_ref(&lifted.width);
        let pat: Vec<Var> = self.cell_types(kinds).into_iter().map(|(name, ty)| self.fresh(name, ty.framed(frame))).collect();
        if pat.is_empty() {
            return Ok(Vec::new());
        }
        let out = pat.iter().map(|var| Operand::Var(*var)).collect();
        let lambda = Lambda { params, body: Body { stms, result } };
        let soac = Soac { width: lifted.width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        self.push(pat, Exp::Soac(soac), span)?;
        Ok(out)
    }
}
