//! Operations that have no result for some operands.

use super::{Op, ScalarOp};
use std::fmt;

/// Why an operation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpError {
    /// `/`, `%`, `//` or `%%` on integers with divisor 0.
    DivisionByZero,
    /// `**` on integers with a negative exponent.
    NegativeExponent,
    /// The operands do not have the parameters' types; never happens in checked programs.
    Operands,
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OpError::DivisionByZero => "division by zero",
            OpError::NegativeExponent => "negative exponent of an integer power",
            OpError::Operands => "operands of the wrong type",
        })
    }
}

/// What must hold of the second operand of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// A divisor is not 0.
    NotZero,
    /// An exponent is not negative.
    NotNegative,
}

impl Condition {
    /// Whether it holds of this number.
    pub fn holds(self, operand: i128) -> bool {
        match self {
            Condition::NotZero => operand != 0,
            Condition::NotNegative => operand >= 0,
        }
    }
    /// What happens where it does not.
    pub fn error(self) -> OpError {
        match self {
            Condition::NotZero => OpError::DivisionByZero,
            Condition::NotNegative => OpError::NegativeExponent,
        }
    }
}

impl ScalarOp {
    /// The condition under which the operation has a result; `None` where it always has one.
    pub fn condition(self) -> Option<Condition> {
        match self.op {
            Op::Div | Op::Mod | Op::Quot | Op::Rem if self.prim.is_int() => Some(Condition::NotZero),
            Op::Pow if self.prim.is_signed() => Some(Condition::NotNegative),
            _ => None,
        }
    }
}
