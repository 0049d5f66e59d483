//! What scalar operations cost: one table for every decision that depends on it. The numbers are round; they compare operations of one
//! kind of machine with each other and are no measurements.

use super::{Op, ScalarOp};

/// What an operation costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cost {
    /// Additions that take about as long; decides whether a loop is worth several threads, and both sides of a branch worth computing.
    pub work: u64,
    /// Cycles until the result can be used, on a processor.
    pub latency: u32,
    /// Takes about as long as reading a number, so that computing it again is no worse than keeping its result.
    pub cheap: bool,
    /// A function that takes long on a processor and that vector registers speed up.
    pub vectorises: bool,
    /// A call on a GPU, which takes many registers.
    pub gpu_call: bool,
}

impl ScalarOp {
    /// What the operation costs.
    pub fn cost(self) -> Cost {
        // Integer division and powers are neither functions of a vector library nor calls on a GPU.
        let float = self.prim.is_float();
        let row = |work, latency, cheap, vectorises, gpu_call| Cost { work, latency, cheap, vectorises, gpu_call };
        if self.prim.is_complex() {
            return complex(self.op);
        }
        match self.op {
            //              work latency cheap vectorises gpu_call
            Op::Add | Op::Sub | Op::Mul | Op::Neg | Op::Abs | Op::Min | Op::Max | Op::ZeroOr => row(1, 4, true, false, false),
            Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge => row(1, 4, true, false, false),
            Op::And | Op::Or | Op::Xor | Op::Not | Op::Shl | Op::Shr | Op::UShr | Op::Convert(_) => row(12, 4, true, false, false),
            Op::IsNan => row(12, 4, true, false, float),
            Op::Fma => row(12, 4, false, false, false),
            Op::Mod => row(4, 4, false, false, float),
            Op::Div | Op::Sqrt => row(4, 16, false, false, float),
            Op::Exp | Op::Exp2 | Op::Expm1 | Op::Log | Op::Log2 | Op::Log10 | Op::Log1p | Op::Pow => row(12, 4, false, float, float),
            Op::Sin | Op::Cos | Op::Tan | Op::Tanh | Op::Erf => row(12, 4, false, float, float),
            Op::Quot | Op::Rem | Op::MulHi | Op::MadHi | Op::Mad | Op::Lerp => row(12, 4, false, false, float),
            Op::Popc | Op::Clz | Op::Ctz | Op::GetBit | Op::SetBit | Op::ToBits | Op::FromBits => row(12, 4, false, false, float),
            Op::IsInf | Op::CopySign | Op::NextAfter | Op::Ldexp | Op::Sgn => row(12, 4, false, false, float),
            Op::Floor | Op::Ceil | Op::Round | Op::Trunc | Op::ToI64 | Op::ToF64 | Op::FromFraction => row(12, 4, false, false, float),
            Op::Atan2 | Op::Atan2Pi | Op::Hypot | Op::Rsqrt | Op::Recip | Op::Cbrt | Op::Exp10 => row(12, 4, false, false, float),
            Op::Asin | Op::Acos | Op::Atan | Op::Sinh | Op::Cosh | Op::Asinh | Op::Acosh | Op::Atanh => row(12, 4, false, false, float),
            Op::SinPi | Op::CosPi | Op::TanPi | Op::AsinPi | Op::AcosPi | Op::AtanPi => row(12, 4, false, false, float),
            Op::Complex | Op::Polar | Op::Conj | Op::Re | Op::Im | Op::Arg | Op::Norm => row(1, 4, true, false, false),
            Op::Gamma | Op::Lgamma | Op::Erfc => row(12, 4, false, false, float),
        }
    }
}

/// What an operation on complex numbers costs: that of the operations on their parts.
fn complex(op: Op) -> Cost {
    let row = |work, latency, cheap| Cost { work, latency, cheap, vectorises: work >= 50, gpu_call: work >= 50 };
    match op {
        Op::Complex | Op::Re | Op::Im | Op::Conj | Op::Neg | Op::Convert(_) => row(1, 1, true),
        Op::Add | Op::Sub | Op::Eq | Op::Ne | Op::IsNan | Op::IsInf => row(2, 4, true),
        Op::Norm => row(3, 8, true),
        Op::Mul => row(6, 8, true),
        Op::Div | Op::Recip => row(24, 40, false),
        Op::Abs | Op::Sgn => row(14, 30, false),
        // Calls of one to four functions of floats, or two roots; powers are products besides.
        _ => row(if op == Op::Pow { 200 } else { 60 }, 60, false),
    }
}
