//! Sizes: what numbers are as sizes, and which of them arrays can have.

use super::{Outcome, Specialiser};
use crate::base::{MAX_SIZE, PrimType, Span};
use crate::ir::soac::{self, Check, Exp, Operand, Size, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of variables of type `i64`.
#[derive(Default)]
pub(super) struct Sizes {
    /// What they are as sizes.
    values: FxHashMap<Var, Size>,
    /// Those that are sizes of something, hence not negative.
    naturals: FxHashSet<Var>,
}

impl Sizes {
    /// Lets a variable be a size.
    pub fn define(&mut self, var: Var, size: Size) {
        self.values.insert(var, size);
    }
    /// Remembers that a variable is a size of something.
    pub fn add_natural(&mut self, var: Var) {
        self.naturals.insert(var);
    }
    /// Remembers it if another variable, of which this one takes the place, is one.
    pub fn inherit_natural(&mut self, var: Var, from: Var) {
        if self.naturals.contains(&from) {
            self.naturals.insert(var);
        }
    }
    /// An operand of type `i64` as a size.
    pub fn of(&self, operand: Operand) -> Size {
        let known = operand.var().and_then(|var| self.values.get(&var).cloned());
        known.unwrap_or_else(|| operand.as_size())
    }
    /// Whether an array is known to be able to have a size: that of another one, or a few more.
    fn is_natural(&self, size: &Size) -> bool {
        size.terms().all(|(monomial, coefficient)| match monomial {
            [] => (0..1 << 10).contains(&coefficient) || ((0..=MAX_SIZE).contains(&coefficient) && size.as_constant().is_some()),
            [var] => {
                coefficient == 1
                    && self.naturals.contains(var)
                    && size.extent().0 <= 1 + usize::from(size.terms().any(|(m, _)| m.is_empty()))
            }
            _ => false,
        })
    }
}

impl Specialiser<'_> {
    /// An operand of type `i64` as a size.
    pub(super) fn size_of(&self, operand: Operand) -> Size {
        self.sizes.of(operand)
    }
    /// A size as an operand of type `i64`.
    pub(super) fn operand(&mut self, size: &Size, span: Span) -> Outcome<Operand> {
        if let Some(operand) = size.as_operand() {
            return Ok(operand);
        }
        let operand = self.bind("size", soac::Type::scalar(PrimType::I64), Exp::Size(size.clone()), span)?;
        operand.var().into_iter().for_each(|var| self.sizes.define(var, size.clone()));
        Ok(operand)
    }
    /// Whether an array is known to be able to have a size: that of another one, or a few more.
    pub(super) fn is_natural(&self, size: &Size) -> bool {
        self.sizes.is_natural(size)
    }
    /// Checks that there can be an array of this size.
    pub(super) fn check_natural(&mut self, size: &Size, span: Span) -> Outcome<()> {
        if self.is_natural(size) {
            return Ok(());
        }
        self.push(Vec::new(), Exp::Check(Check::NonNegative(size.clone())), span)
    }
}
