//! Evaluates expressions of imp: numbers that may be undefined, and elements, of which the memory knows whether they can be read.

use super::Machine;
use super::fault::{Run, fault};
use super::frame::Frame;
use super::memory::Val;
use crate::base::Scalar;
use crate::base::scalar::{Op, ScalarOp};
use crate::ir::imp::{Expr, Int};

/// Bytes of vector registers.
const REGISTERS: i64 = 32;

impl<'p> Machine<'p> {
    /// The value of an expression.
    pub fn expr(&mut self, e: &'p Expr, frame: &Frame<'p>) -> Run<Val> {
        Ok(match e {
            Expr::Const(value) => Some(*value),
            Expr::Local(local) => frame.local(*local),
            Expr::Load(ptr, index) => {
                let (buffer, start) = frame.address(*ptr)?;
                let index = self.index(index, frame)?;
                let Some(at) = start.checked_add(index) else { return fault("an index overflows") };
                self.memory.load(buffer, at)?
            }
            Expr::Op(op, args) => self.op(*op, args, frame)?,
            Expr::Int(op, a, b) => {
                let (a, b) = (self.operand(a, frame)?, self.operand(b, frame)?);
                int(*op, a, b)?
            }
            Expr::Select(cond, a, b) => {
                let cond = self.operand(cond, frame)?;
                let (a, b) = (self.operand(a, frame)?, self.operand(b, frame)?);
                match cond {
                    Some(cond) => {
                        if cond == Scalar::Bool(true) {
                            a
                        } else {
                            b
                        }
                    }
                    None => None,
                }
            }
            Expr::Blend(_, mask, a, b) => {
                let mask = self.operand(mask, frame)?;
                let (a, b) = (self.operand(a, frame)?, self.operand(b, frame)?);
                match mask.and_then(Scalar::as_i128) {
                    Some(0) => b,
                    Some(mask) if is_full(mask) => a,
                    Some(mask) => return fault(format!("a mask of {mask}")),
                    None => None,
                }
            }
            Expr::Quotient(prim, x, y, r) => {
                let (x, y) = (self.operand(x, frame)?, self.operand(y, frame)?);
                self.operand(r, frame)?;
                match (x, y) {
                    (Some(x), Some(y)) => apply(ScalarOp::new(Op::Div, *prim), &[x, y])?,
                    _ => None,
                }
            }
            Expr::Chunks { width, at_most_threads, .. } => {
                let width = self.index(width, frame)?;
                Some(Scalar::I64(self.chunks(width, *at_most_threads)))
            }
            Expr::Threads => Some(Scalar::I64(self.plan.threads)),
            Expr::Registers => Some(Scalar::I64(REGISTERS)),
            Expr::Thread => match frame.thread {
                Some(thread) => Some(Scalar::I64(thread)),
                None => return fault("the number of a thread outside of a kernel"),
            },
        })
    }
    /// The value of an operand, most of which are locals.
    #[inline]
    fn operand(&mut self, e: &'p Expr, frame: &Frame<'p>) -> Run<Val> {
        if let Expr::Local(local) = e { Ok(frame.local(*local)) } else { self.expr(e, frame) }
    }

    /// Into how many chunks a loop is divided.
    fn chunks(&self, width: i64, at_most_threads: bool) -> i64 {
        if self.divided || width <= 1 {
            return 1;
        }
        let most = if at_most_threads { self.plan.threads } else { 2 * self.plan.threads - 1 };
        most.min(width).max(1)
    }

    fn op(&mut self, op: ScalarOp, args: &'p [Expr], frame: &Frame<'p>) -> Run<Val> {
        let mut values = [Scalar::Bool(false); 3];
        let mut defined = true;
        for (value, arg) in values.iter_mut().zip(args) {
            match self.operand(arg, frame)? {
                Some(scalar) => *value = scalar,
                None => defined = false,
            }
        }
        if defined {
            return apply(op, &values[..args.len()]);
        }
        Ok(None)
    }

    /// The value of an expression that must be defined.
    pub fn defined(&mut self, e: &'p Expr, frame: &Frame<'p>, what: &str) -> Run<Scalar> {
        match self.expr(e, frame)? {
            Some(value) => Ok(value),
            None => fault(format!(
                "{what} depends on memory that was never written, on a variable that was never set, or on a quotient that overflows"
            )),
        }
    }
    /// An index or a count.
    pub fn index(&mut self, e: &'p Expr, frame: &Frame<'p>) -> Run<i64> {
        if let Some(n) = self.quick_number(e, frame) {
            return Ok(n);
        }
        let value = self.defined(e, frame, "an index or a size")?;
        if let Scalar::I64(n) = value { Ok(n) } else { fault(format!("an index of type {}", value.prim())) }
    }
    /// The value of a condition.
    pub fn truth(&mut self, e: &'p Expr, frame: &Frame<'p>) -> Run<bool> {
        if let Some(truth) = self.quick_truth(e, frame) {
            return Ok(truth);
        }
        let value = self.defined(e, frame, "a condition")?;
        if let Scalar::Bool(truth) = value { Ok(truth) } else { fault(format!("a condition of type {}", value.prim())) }
    }
}

/// Whether all bits of a mask of some type are set.
fn is_full(mask: i128) -> bool {
    [-1, 0xff, 0xffff, 0xffff_ffff, 0xffff_ffff_ffff_ffff].contains(&mask)
}

/// Applies an operation. What may fail is checked before.
pub(super) fn apply(op: ScalarOp, args: &[Scalar]) -> Run<Val> {
    match op.apply(args) {
        Ok(value) => Ok(Some(value)),
        Err(error) => fault(format!("{} of {args:?}: {error}", op.name())),
    }
}

/// Whether a value decides a conjunction or disjunction by itself.
fn decides(op: Int, value: Val) -> bool {
    matches!((op, value), (Int::And, Some(Scalar::Bool(false))) | (Int::Or, Some(Scalar::Bool(true))))
}

/// Index arithmetic, modulo 2^64. The quotient that overflows is undefined.
fn int(op: Int, a: Val, b: Val) -> Run<Val> {
    if decides(op, a) || decides(op, b) {
        return Ok(Some(Scalar::Bool(op == Int::Or)));
    }
    let (Some(a), Some(b)) = (a, b) else { return Ok(None) };
    let number = |n: Option<i64>| n.map(Scalar::I64);
    Ok(match (op, a, b) {
        (Int::And, Scalar::Bool(a), Scalar::Bool(b)) => Some(Scalar::Bool(a && b)),
        (Int::Or, Scalar::Bool(a), Scalar::Bool(b)) => Some(Scalar::Bool(a || b)),
        (op, Scalar::I64(a), Scalar::I64(b)) => match op {
            Int::Add => Some(Scalar::I64(a.wrapping_add(b))),
            Int::Sub => Some(Scalar::I64(a.wrapping_sub(b))),
            Int::Mul => Some(Scalar::I64(a.wrapping_mul(b))),
            Int::Count => Some(Scalar::I64(crate::ir::imp::count(a, b))),
            Int::Div | Int::Rem if b == 0 => return fault(format!("{a} divided by 0")),
            Int::Div => number(a.checked_div(b)),
            Int::Rem => number(a.checked_rem(b)),
            Int::Min => Some(Scalar::I64(a.min(b))),
            Int::Lt => Some(Scalar::Bool(a < b)),
            Int::Le => Some(Scalar::Bool(a <= b)),
            Int::Eq => Some(Scalar::Bool(a == b)),
            Int::Ne => Some(Scalar::Bool(a != b)),
            Int::And | Int::Or => return fault("a conjunction of numbers"),
        },
        _ => return fault(format!("index arithmetic with {a:?} and {b:?}")),
    })
}
