//! `⍕`: numbers as text.

use super::error::{Constant, Error, NotationError, Result, Role};
use super::machine::Machine;
use super::structure::product;
use super::value::{Arr, Kind, Val};
use crate::base::{Scalar, Span};
use crate::ir::core::{Dim, Expr};

impl Machine {
    /// `⍕`: numbers as they are printed.
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
            None if arr.kind <= Kind::Int && arr.rank() <= 2 => self.text_of(&arr, Kind::Int, "apl_text", Vec::new(), span),
            None if arr.kind == Kind::Double && arr.rank() <= 2 => {
                let digits = self.b.int(self.precision);
                self.text_of(&arr, Kind::Double, "apl_floats", vec![digits], span)
            }
            None => Err(Error::at(span, NotationError::Format(arr.shown()))),
        }
    }

    /// `width decimals⍕numbers`.
    pub fn format_fixed(&mut self, left: Val, right: Val, span: Span) -> Result<Val> {
        let places = left.simple(span, Role::Left('⍕'))?;
        let Some([width, decimals]) = places.constant_ints().and_then(|ints| <[i64; 2]>::try_from(ints).ok()) else {
            return Err(Error::at(span, Constant::Places { outside: None }));
        };
        if !(1..=500).contains(&width) || !(0..=300).contains(&decimals) {
            return Err(Error::at(span, Constant::Places { outside: Some((width, decimals)) }));
        }
        let arr = right.simple(span, Role::Right('⍕'))?;
        if arr.kind > Kind::Double || arr.rank() > 2 {
            return Err(Error::at(span, NotationError::Format(arr.shown())));
        }
        let table = self.table(&arr, Kind::Double, span)?;
        let width = Dim::constant(width);
        let columns = product(&[table.shape[1].clone(), width.clone()], span)?;
        let sizes = [table.shape[0].clone(), table.shape[1].clone(), width];
        let text = self.library_call("apl_fixed", &sizes, vec![self.b.int(decimals), table.expr]);
        let rows = self.b.named(Kind::Char, vec![sizes[0].clone(), columns], text);
        self.rows_of_text(&arr, rows)
    }

    /// The text of numbers, at most a matrix of them, whose width comes out of them.
    fn text_of(&mut self, arr: &Arr, kind: Kind, function: &'static str, mut given: Vec<Expr>, span: Span) -> Result<Val> {
        let table = self.table(arr, kind, span)?;
        given.push(table.expr);
        let text = self.library_call(function, &table.shape, given);
        let (text, width) = self.b.unbox(text, 1);
        let rows = self.b.named(Kind::Char, vec![table.shape[0].clone(), Dim::var(width[0])], text);
        self.rows_of_text(arr, rows)
    }

    /// Numbers, at most a matrix of them, as a matrix.
    fn table(&mut self, arr: &Arr, kind: Kind, span: Span) -> Result<Arr> {
        let numbers = self.b.convert(arr, kind)?;
        let ones = std::iter::repeat_n(Dim::constant(1), 2 - arr.rank());
        let sizes: Vec<Dim> = ones.chain(arr.shape.iter().cloned()).collect();
        self.reshaped(&sizes, &numbers, span)
    }

    /// The text of such a matrix: rows of characters, or one where the numbers had no rows.
    fn rows_of_text(&mut self, numbers: &Arr, rows: Arr) -> Result<Val> {
        if numbers.rank() == 2 {
            return Ok(Val::Arr(rows));
        }
        let first = self.b.int(0);
        self.cell_at(&rows, &[first]).map(Val::Arr)
    }
}
