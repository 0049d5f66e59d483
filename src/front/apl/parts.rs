//! `↑` and `↓` with numbers: parts of arrays, filled where there is nothing.

use super::build::SizeKey;
use super::error::{Computed, Error, IndexError, LengthError, MixtureError, NestingError, Result, Role, StaticError};
use super::machine::Machine;
use super::structure::{APL_MAX_RANK, filled, is_natural};
use super::value::{Arr, Kind, Val};
use crate::base::scalar::Op;
use crate::base::{MAX_SIZE, PrimType, Scalar, Span};
use crate::ir::core::{Dim, Prim};
use std::rc::Rc;

const I: PrimType = PrimType::I64;
const B: PrimType = PrimType::Bool;

impl Machine {
    /// `n↑` along an axis.
    fn take_axis(&mut self, arr: &Arr, axis: usize, n: &Arr) -> Result<Arr> {
        let kind = arr.kind;
        let have = arr.shape[axis].clone();
        if let (Some(n), Some(d)) = (n.constant_int(), have.as_constant())
            && n.saturating_abs() <= d
        {
            let from = if n < 0 { d + n } else { 0 };
            return self.along(arr, axis, Dim::constant(n.saturating_abs()), &mut |b, row| {
                let (from, to) = (b.int(from), b.int(from + n.saturating_abs()));
                Ok(b.prim(Prim::Slice, kind, &[row.len], &row.cell, vec![row.expr, from, to]))
            });
        }
        let number = n.expr.clone();
        let len = match n.constant_int() {
            Some(n) => Dim::constant(n.saturating_abs()),
            None => match n.known.as_ref().map(|known| known[0].clone()).filter(is_natural) {
                Some(dim) => dim,
                None => {
                    let size = self.b.op1(Op::Abs, I, number.clone());
                    let size = self.b.bind(size);
                    self.b.size_of(size)
                }
            },
        };
        if len == have && n.constant_int().is_none_or(|n| n >= 0) && n.known.as_ref().is_some_and(|known| is_natural(&known[0])) {
            return Ok(arr.clone());
        }
        // Where the elements begin: 0, or what is missing in front.
        let (size, count) = (self.b.size(&have), self.b.size(&len));
        let back = self.b.op2(Op::Sub, I, size.clone(), count);
        let negative = self.b.op2(Op::Lt, I, number, self.b.int(0));
        let shift = self.b.choose(negative, back, self.b.int(0));
        let shift = self.b.bind(shift);
        let size = self.b.bind(size);
        let to = len.clone();
        self.along(arr, axis, len, &mut |b, row| {
            b.tabulate(std::slice::from_ref(&to), &mut |b, at| {
                let source = b.op2(Op::Add, I, at[0].clone(), shift.clone());
                let source = b.bind(source);
                let low = b.op2(Op::Ge, I, source.clone(), b.int(0));
                let high = b.op2(Op::Lt, I, source.clone(), size.clone());
                let inside = b.op2(Op::And, B, low, high);
                let shape: Vec<Dim> = std::iter::once(row.len.clone()).chain(row.cell.iter().cloned()).collect();
                let found = b.index(kind, &shape, row.expr.clone(), &[source]);
                let fill = filled(b, kind, &row.cell);
                Ok(b.choose(inside, found, fill))
            })
        })
    }
    /// `n↓` along an axis.
    fn drop_axis(&mut self, arr: &Arr, axis: usize, n: &Arr) -> Result<Arr> {
        let kind = arr.kind;
        let have = arr.shape[axis].clone();
        let number = n.expr.clone();
        let len = match (n.constant_int(), have.as_constant()) {
            (Some(n), Some(d)) => Dim::constant((d - n.saturating_abs()).max(0)),
            (Some(0), None) => return Ok(arr.clone()),
            // As many as there surely are.
            (Some(n), None) if is_natural(&have.sub(&Dim::constant(n.saturating_abs()))) => have.sub(&Dim::constant(n.saturating_abs())),
            _ => {
                let away = match n.constant_int() {
                    Some(n) => Ok(n.saturating_abs()),
                    None => Err(n.expr.clone()),
                };
                let key = match &away {
                    Ok(n) => SizeKey::Drop(*n, have.clone()),
                    Err(expr) => SizeKey::DropComputed(format!("{:?}", expr.kind()), have.clone()),
                };
                let have = have.clone();
                self.b.memo(key, |b| {
                    let away = match away {
                        Ok(n) => b.int(n),
                        Err(expr) => b.op1(Op::Abs, I, expr),
                    };
                    let size = b.size(&have);
                    let left = b.op2(Op::Sub, I, size, away);
                    let made = b.op2(Op::Max, I, left, b.int(0));
                    b.bind(made)
                })
            }
        };
        let gone = have.sub(&len);
        let negative = self.b.op2(Op::Lt, I, number, self.b.int(0));
        let gone = self.b.size(&gone);
        let from = self.b.choose(negative, self.b.int(0), gone);
        let from = self.b.bind(from);
        let count = self.b.size(&len);
        let to = self.b.op2(Op::Add, I, from.clone(), count);
        let to = self.b.bind(to);
        self.along(arr, axis, len, &mut |b, row| {
            Ok(b.prim(Prim::Slice, kind, &[row.len], &row.cell, vec![row.expr, from.clone(), to.clone()]))
        })
    }
    /// `n↑` and `n↓`.
    pub fn take_drop(&mut self, take: bool, left: Val, right: Val, axis: Option<&Val>, span: Span) -> Result<Val> {
        let role = Role::Left(if take { '↑' } else { '↓' });
        let counts = left.simple(span, role)?;
        let counts = self.whole(counts, span, role)?;
        let right = match right {
            Val::Rag(rag) => {
                let len = rag.lengths.shape[0].clone();
                let numbers = self.b.iota(&len);
                let numbers = self.b.named(Kind::Int, vec![len], numbers);
                if take {
                    return Val::Rag(rag).arr(span, Role::Of('↑')).map(Val::Arr);
                }
                let at = self.take_drop(false, Val::Arr(counts), Val::Arr(numbers), None, span)?.arr(span, Role::Of('↓'))?;
                return self.rows_at(&rag, &at);
            }
            Val::Tup(items) => {
                let Some(n) = counts.constant_int().filter(|_| counts.count() == Some(1)) else {
                    return Err(Error::at(span, MixtureError::Computed(Computed::Cut)));
                };
                let (len, n_abs) = (items.len(), (n.unsigned_abs() as usize).min(items.len()));
                if take && n.unsigned_abs() as usize > len {
                    return Err(Error::at(span, NestingError::Short { items: len }));
                }
                let kept = match (take, n >= 0) {
                    (true, true) => items[..n_abs].to_vec(),
                    (true, false) => items[len - n_abs..].to_vec(),
                    (false, true) => items[n_abs..].to_vec(),
                    (false, false) => items[..len - n_abs].to_vec(),
                };
                return self.strand(kept);
            }
            Val::Arr(arr) => arr,
        };
        if let Some(size) = counts.constant_ints().and_then(|ints| ints.into_iter().find(|n| n.saturating_abs() > MAX_SIZE)) {
            return Err(Error::at(span, IndexError::TooLarge { role, size }));
        }
        let Some(count) = counts.count().filter(|_| counts.shape.len() <= 1) else {
            return Err(Error::at(span, StaticError::Length { role, found: counts.shown(), most: None }));
        };
        let mut arr = right;
        if arr.rank() == 0 {
            let ones = vec![Dim::constant(1); (count as usize).min(APL_MAX_RANK)];
            arr = self.reshaped(&ones, &arr, span)?;
        }
        if count as usize > arr.rank() {
            return Err(Error::at(span, LengthError::Axes { numbers: count, rank: arr.rank() }));
        }
        let constant = arr.lits().filter(|_| arr.rank() == 1 && arr.is_simple() && count == 1);
        if let (Some(lit), Some(n)) = (constant, counts.constant_int().filter(|n| n.saturating_abs() <= 4096)) {
            return Ok(Val::Arr(self.take_literal(take, arr.kind, &lit, n)));
        }
        for at in 0..count as usize {
            let axis = match axis {
                Some(axis) => self.axis_number(axis, arr.rank(), span)?,
                None => at,
            };
            let n = if counts.shape.is_empty() {
                counts.clone()
            } else {
                let index = self.b.int(at as i64);
                self.cell_at(&counts, &[index])?
            };
            let known = arr.known.clone().filter(|_| arr.shape.len() == 1);
            arr = if take { self.take_axis(&arr, axis, &n)? } else { self.drop_axis(&arr, axis, &n)? };
            if let (Some(known), Some(n)) = (known, n.constant_int()) {
                let (len, k) = (known.len(), n.unsigned_abs() as usize);
                let kept = match (take, n >= 0) {
                    (true, _) if k > len => None,
                    (true, true) => Some(&known[..k]),
                    (true, false) => Some(&known[len - k..]),
                    (false, true) => Some(&known[k.min(len)..]),
                    (false, false) => Some(&known[..len - k.min(len)]),
                };
                arr.known = kept.map(|kept| Rc::new(kept.to_vec()));
            }
        }
        Ok(Val::Arr(arr))
    }
    fn take_literal(&mut self, take: bool, kind: Kind, lit: &[Scalar], n: i64) -> Arr {
        let (len, k) = (lit.len(), n.unsigned_abs() as usize);
        let items: Vec<Scalar> = match (take, n >= 0) {
            (true, true) => (0..k).map(|at| lit.get(at).copied().unwrap_or(kind.fill())).collect(),
            (true, false) => (0..k).map(|at| (at + len).checked_sub(k).map_or(kind.fill(), |at| lit[at])).collect(),
            (false, true) => lit[k.min(len)..].to_vec(),
            (false, false) => lit[..len - k.min(len)].to_vec(),
        };
        self.b.literal(kind, &[items.len() as u64], items)
    }
}
