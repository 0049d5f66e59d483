//! Indices and conditions in registers: what most expressions of a loop are. An answer is given only where everything is defined and
//! nothing is at fault; whoever gets none evaluates the expression as any other, which says what is wrong.

use super::Machine;
use super::frame::Frame;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar};
use crate::ir::imp::{Expr, Int};

impl<'p> Machine<'p> {
    /// The value of an expression of type `i64`.
    pub(super) fn quick_number(&mut self, e: &'p Expr, frame: &Frame<'p>) -> Option<i64> {
        match e {
            Expr::Const(Scalar::I64(n)) => Some(*n),
            Expr::Local(local) => match frame.local(*local) {
                Some(Scalar::I64(n)) => Some(n),
                _ => None,
            },
            Expr::Int(op, a, b) => {
                let arithmetic: fn(i64, i64) -> i64 = match op {
                    Int::Add => i64::wrapping_add,
                    Int::Sub => i64::wrapping_sub,
                    Int::Mul => i64::wrapping_mul,
                    Int::Min => i64::min,
                    Int::Div | Int::Rem | Int::Count | Int::Lt | Int::Le | Int::Eq | Int::Ne | Int::And | Int::Or => return None,
                };
                let (a, b) = self.quick_numbers(a, b, frame)?;
                Some(arithmetic(a, b))
            }
            Expr::Op(ScalarOp { op, prim: PrimType::I64, .. }, args) => {
                #[expect(clippy::wildcard_enum_match_arm, reason = "three operations have a shortcut")]
                let arithmetic: fn(i64, i64) -> i64 = match op {
                    Op::Add => i64::wrapping_add,
                    Op::Sub => i64::wrapping_sub,
                    Op::Mul => i64::wrapping_mul,
                    _ => return None,
                };
                let [a, b] = args.as_slice() else { return None };
                let (a, b) = self.quick_numbers(a, b, frame)?;
                Some(arithmetic(a, b))
            }
            Expr::Load(ptr, index) => {
                let (buffer, start) = frame.address(*ptr).ok()?;
                let index = self.quick_number(index, frame)?;
                match self.memory.load(buffer, start.checked_add(index)?) {
                    Ok(Some(Scalar::I64(n))) => Some(n),
                    _ => None,
                }
            }
            Expr::Const(_)
            | Expr::Op(..)
            | Expr::Select(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => None,
        }
    }

    fn quick_numbers(&mut self, a: &'p Expr, b: &'p Expr, frame: &Frame<'p>) -> Option<(i64, i64)> {
        Some((self.quick_number(a, frame)?, self.quick_number(b, frame)?))
    }

    /// The value of a condition.
    pub(super) fn quick_truth(&mut self, e: &'p Expr, frame: &Frame<'p>) -> Option<bool> {
        match e {
            Expr::Local(local) => match frame.local(*local) {
                Some(Scalar::Bool(truth)) => Some(truth),
                _ => None,
            },
            Expr::Int(op, a, b) => {
                let compare: fn(&i64, &i64) -> bool = match op {
                    Int::Lt => i64::lt,
                    Int::Le => i64::le,
                    Int::Eq => i64::eq,
                    Int::Ne => i64::ne,
                    Int::And => return Some(self.quick_truth(a, frame)? & self.quick_truth(b, frame)?),
                    Int::Or => return Some(self.quick_truth(a, frame)? | self.quick_truth(b, frame)?),
                    Int::Add | Int::Sub | Int::Mul | Int::Min | Int::Div | Int::Rem | Int::Count => return None,
                };
                let (a, b) = self.quick_numbers(a, b, frame)?;
                Some(compare(&a, &b))
            }
            Expr::Const(_)
            | Expr::Load(..)
            | Expr::Op(..)
            | Expr::Select(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => None,
        }
    }
}
