//! `⍕`: numbers as text.

use super::error::{Error, NotationError, Result, Role};
use super::machine::Machine;
use super::value::{Kind, Val};
use crate::base::{Scalar, Span};
use crate::ir::core::Dim;

impl Machine {
    /// `⍕`: of characters, and of constants.
    pub fn format(&mut self, right: Val, span: Span) -> Result<Val> {
        let arr = right.simple(span, Role::Of('⍕'))?;
        if arr.kind == Kind::Char {
            return Ok(Val::Arr(arr));
        }
        match arr.constant_ints().filter(|_| arr.kind <= Kind::Int && arr.rank() <= 1) {
            Some(ints) => {
                let text = ints.iter().map(|n| n.to_string().replace('-', "¯")).collect::<Vec<_>>().join(" ");
                let items: Vec<Scalar> = text.chars().map(|c| Scalar::U32(c as u32)).collect();
                Ok(Val::Arr(self.b.literal(Kind::Char, &[items.len() as u64], items)))
            }
            None if arr.kind <= Kind::Int && arr.rank() <= 2 => {
                let rank = arr.rank();
                let numbers = self.b.convert(&arr, Kind::Int)?;
                let one = Dim::constant(1);
                let sizes: Vec<Dim> = std::iter::repeat_n(one, 2 - rank).chain(arr.shape.iter().cloned()).collect();
                let numbers = self.reshaped(&sizes, &numbers, span)?;
                let text = self.library_call("apl_text", &sizes, vec![numbers.expr]);
                let (text, width) = self.b.unbox(text, 1);
                let rows = self.b.named(Kind::Char, vec![sizes[0].clone(), Dim::var(width[0])], text);
                if rank == 2 {
                    return Ok(Val::Arr(rows));
                }
                let first = self.b.int(0);
                self.cell_at(&rows, &[first]).map(Val::Arr)
            }
            None => Err(Error::at(span, NotationError::Format(arr.shown()))),
        }
    }
}
