//! The block that is being made: statements are added at its end, and blocks inside of it are made one at a time.

use super::error::Limit;
use super::{Outcome, Specialiser};
use crate::base::{Chain, Span, Symbol};
use crate::ir::attributes::Attribute;
use crate::ir::soac::{self, Exp, Operand, Size, Stm, Var};

/// More statements than this are a sign of code that doubles at every level.
const MAX_STATEMENTS: usize = 4_000_000;

/// The block that is being made. Only the functions of this file change it.
#[derive(Default)]
pub(super) struct Block {
    stms: Vec<Stm>,
    /// How deep it is, and in which depth each variable was bound.
    depth: u32,
    depths: Vec<u32>,
    /// The number of statements of all blocks.
    statements: usize,
    place: Place,
}

/// What holds for the statements that are made for an expression.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Whether the expression has attributes. What is inlined there belongs to it.
    attributed: bool,
    /// Whether nothing is checked there.
    unchecked: bool,
    /// The calls that lead to it.
    via: Chain,
}

impl Block {
    /// How deep the block is.
    pub fn depth(&self) -> u32 {
        self.depth
    }
    /// Whether statements are made for an expression with attributes.
    pub fn is_attributed(&self) -> bool {
        self.place.attributed
    }
    /// The last statement.
    pub fn last(&self) -> Option<&Stm> {
        self.stms.last()
    }
    /// In which depth a variable was bound.
    pub fn depth_of(&self, var: Var) -> u32 {
        self.depths[var.raw()]
    }
}

impl Specialiser<'_> {
    pub(super) fn fresh(&mut self, name: Symbol, ty: soac::Type) -> Var {
        let var = self.out.fresh(name, ty);
        self.block.depths.push(self.block.depth);
        var
    }
    /// A variable that stands for something that is bound elsewhere.
    pub(super) fn placeholder(&mut self, name: Symbol, ty: soac::Type) -> Var {
        self.at_depth(0, |this| this.fresh(name, ty))
    }
    /// Runs `work`, whose variables stand for something that is bound elsewhere.
    pub(super) fn nowhere<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.at_depth(0, work)
    }
    /// Says that the variables which were made elsewhere belong to no block that is being made.
    pub(super) fn made_elsewhere(&mut self) {
        self.block.depths.resize(self.out.vars.len(), self.block.depth + 1);
    }
    /// Adds a statement.
    pub(super) fn push(&mut self, pat: Vec<Var>, mut exp: Exp, span: Span) -> Outcome<()> {
        self.block.statements += 1;
        if self.block.statements > MAX_STATEMENTS {
            return self.limit(span, Limit::TooLarge);
        }
        if self.block.place.unchecked {
            if let Exp::Check(_) = exp {
                return Ok(());
            }
            if let Exp::Index { checked, .. }
            | Exp::Slice { checked, .. }
            | Exp::Update { checked, .. }
            | Exp::UpdateSlice { checked, .. } = &mut exp
            {
                *checked = false;
            }
        }
        let span = Span { via: self.block.place.via, ..span };
        self.block.stms.push(Stm { pat, exp, span });
        Ok(())
    }
    /// Binds an expression to a new variable.
    pub(super) fn bind(&mut self, name: &str, ty: soac::Type, exp: Exp, span: Span) -> Outcome<Operand> {
        let var = self.fresh(Symbol::new(name), ty);
        self.push(vec![var], exp, span)?;
        Ok(Operand::Var(var))
    }

    /// Runs `work`, which makes the statements of what is called at a place.
    pub(super) fn in_call<T>(&mut self, call: Span, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let via = self.out.chains.into_call(Span { via: self.block.place.via, ..call });
        self.at_place(Place { via, ..self.block.place }, work)
    }
    /// Runs `work`, which makes the statements of an expression with these attributes.
    pub(super) fn in_attributes<T>(
        &mut self,
        attributes: impl Iterator<Item = Attribute>,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        let mut place = self.block.place;
        for attribute in attributes {
            place.attributed = true;
            place.unchecked |= attribute == Attribute::Unsafe;
        }
        self.at_place(place, work)
    }
    fn at_place<T>(&mut self, place: Place, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.block.place, place);
        let result = work(self);
        self.block.place = outer;
        result
    }
    fn at_depth<T>(&mut self, depth: u32, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.block.depth, depth);
        let result = work(self);
        self.block.depth = outer;
        result
    }

    /// Runs `work`, whose variables belong to a block inside of this one that is yet to be made.
    pub(super) fn inside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.at_depth(self.block.depth + 1, work)
    }
    /// Runs `work`, whose variables belong to this block after all: the reverse of [`Self::inside`].
    pub(super) fn outside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.at_depth(self.block.depth - 1, work)
    }
    /// Runs `work` in a block of its own.
    pub(super) fn in_block<T>(&mut self, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<(Vec<Stm>, T)> {
        let mut block = Vec::new();
        let result = self.at_end(&mut block, work)?;
        Ok((block, result))
    }
    /// Runs `work` at the end of a block that was made by [`Self::in_block`].
    pub(super) fn at_end<T>(&mut self, block: &mut Vec<Stm>, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        std::mem::swap(&mut self.block.stms, block);
        let result = self.inside(work);
        std::mem::swap(&mut self.block.stms, block);
        result
    }
    /// Runs `work` in a block that has nothing to do with the one that is being made, nor with the constants that are known in it.
    pub(super) fn apart<T>(&mut self, depth: u32, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<(Vec<Stm>, T)> {
        let (outer, local) = (std::mem::take(&mut self.block.stms), self.constants.hide_local());
        let result = self.at_place(Place::default(), |this| this.at_depth(depth, work));
        self.constants.show_local(local);
        let block = std::mem::replace(&mut self.block.stms, outer);
        Ok((block, result?))
    }

    /// Whether a variable is bound in a block that is closed.
    pub(super) fn is_inner(&self, var: Var) -> bool {
        self.block.depth_of(var) > self.block.depth
    }
    pub(super) fn mentions_inner(&self, ty: &soac::Type) -> bool {
        ty.shape.iter().flat_map(Size::vars).any(|var| self.is_inner(var))
    }
}
