//! Prints expressions of imp as those of C, with the parentheses that they need: scalar operations, index arithmetic, elements.

use super::{Dialect, Emitter, c_type};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span};
use crate::ir::imp::{Expr, Int};

/// A scalar as C reads it.
pub fn scalar(value: Scalar) -> String {
    match value {
        Scalar::Bool(truth) => truth.to_string(),
        Scalar::I64(i64::MIN) => "INT64_MIN".into(),
        Scalar::I64(n) => format!("INT64_C({n})"),
        Scalar::U64(n) => format!("UINT64_C({n})"),
        Scalar::I32(i32::MIN) => "INT32_MIN".into(),
        Scalar::I32(n) => n.to_string(),
        Scalar::U32(n) => format!("{n}u"),
        Scalar::I8(n) => n.to_string(),
        Scalar::I16(n) => n.to_string(),
        Scalar::U8(n) => n.to_string(),
        Scalar::U16(n) => n.to_string(),
        Scalar::F16(x) => format!("remora_from_bits__Float16({})", x.to_bits()),
        Scalar::F32(x) if x.is_finite() => format!("{}f", decimal(f64::from(x), format!("{x:e}"))),
        Scalar::F32(x) => format!("remora_from_bits_float({}u)", x.to_bits()),
        Scalar::F64(x) if x.is_finite() => decimal(x, format!("{x:e}")),
        Scalar::F64(x) => format!("remora_from_bits_double(UINT64_C({}))", x.to_bits()),
        Scalar::C64(_) | Scalar::C128(_) => crate::ice!(Span::default(), "the complex number {value} has not been split"),
    }
}

/// A scalar where C wants a constant expression: infinities, NaNs and half precision floats are no calls there.
pub fn constant(value: Scalar) -> String {
    let special = |x: f64, suffix: &str, payload: u64| {
        let sign = if x.is_sign_negative() { "-" } else { "" };
        if x.is_nan() { format!("{sign}__builtin_nan{suffix}(\"{payload:#x}\")") } else { format!("{sign}__builtin_inf{suffix}()") }
    };
    match value {
        Scalar::F64(x) if !x.is_finite() => special(x, "", x.to_bits() & ((1 << 51) - 1)),
        Scalar::F32(x) if !x.is_finite() => special(f64::from(x), "f", u64::from(x.to_bits() & ((1 << 22) - 1))),
        Scalar::F16(x) => format!("((_Float16){})", constant(Scalar::F32(x.to_f32()))),
        Scalar::I8(_)
        | Scalar::I16(_)
        | Scalar::I32(_)
        | Scalar::I64(_)
        | Scalar::U8(_)
        | Scalar::U16(_)
        | Scalar::U32(_)
        | Scalar::U64(_)
        | Scalar::F32(_)
        | Scalar::F64(_)
        | Scalar::C64(_)
        | Scalar::C128(_)
        | Scalar::Bool(_) => scalar(value),
    }
}

/// The shortest text that is read back as the number, with a point or an exponent.
fn decimal(x: f64, text: String) -> String {
    if x == x.trunc() && x.abs() < 1e15 { format!("{x:.1}") } else { text }
}

/// The type in which integers of a type are added without overflow.
fn unsigned(prim: PrimType) -> &'static str {
    if prim.bytes() == 8 { "uint64_t" } else { "uint32_t" }
}

/// The clause of a vector loop for a reduction with this operation.
pub fn sign(op: ScalarOp) -> Option<&'static str> {
    Some(match (op.op, op.prim) {
        (Op::Add, prim) if prim.is_float() => "remora_add",
        (Op::Min, prim) if prim.is_float() => "remora_min",
        (Op::Max, prim) if prim.is_float() => "remora_max",
        (Op::Add, _) => "+",
        (Op::Mul, _) => "*",
        (Op::Min, _) => "min",
        (Op::Max, _) => "max",
        (Op::And, PrimType::Bool) => "&&",
        (Op::Or, PrimType::Bool) => "||",
        (Op::And, _) => "&",
        (Op::Or, _) => "|",
        (Op::Xor, _) => "^",
        _ => return None,
    })
}

/// Whether results that are too large for a signed type wrap around.
pub fn wraps(op: ScalarOp) -> bool {
    matches!(op.op, Op::Add | Op::Mul) && op.prim.is_int() && op.prim.is_signed()
}

impl<D: Dialect> Emitter<'_, D> {
    /// An expression as an operand.
    pub fn nested(&self, e: &Expr) -> String {
        match e {
            Expr::Const(value) => {
                let text = scalar(*value);
                if text.starts_with('-') { format!("({text})") } else { text }
            }
            Expr::Local(_)
            | Expr::Load(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => self.expr(e),
            Expr::Op(..) | Expr::Int(..) | Expr::Select(..) => format!("({})", self.expr(e)),
        }
    }

    /// Where an element is in its array, for a subscript: nothing overflows on the way to it, so that sums and products are signed there.
    pub fn subscript(&self, e: &Expr) -> String {
        if let Expr::Int(op, a, b) = e
            && let Some(sign) = signed(*op)
        {
            return format!("{} {sign} {}", self.nested_subscript(a), self.nested_subscript(b));
        }
        self.expr(e)
    }
    /// [`subscript`](Self::subscript) as an operand.
    pub fn nested_subscript(&self, e: &Expr) -> String {
        if matches!(e, Expr::Int(op, ..) if signed(*op).is_some()) { format!("({})", self.subscript(e)) } else { self.nested(e) }
    }
    /// An expression.
    pub fn expr(&self, e: &Expr) -> String {
        match e {
            Expr::Const(value) => scalar(*value),
            Expr::Local(local) => self.local(*local),
            Expr::Load(ptr, index) => D::load(self, *ptr, index),
            Expr::Op(op, args) => self.op(*op, args),
            Expr::Int(op, a, b) => D::int(self, *op, a, b),
            Expr::Select(cond, a, b) => format!("{} ? {} : {}", self.nested(cond), self.nested(a), self.nested(b)),
            Expr::Blend(prim, mask, a, b) => {
                format!("remora_blend_{}({}, {}, {})", c_type(*prim), self.expr(mask), self.expr(a), self.expr(b))
            }
            Expr::Quotient(prim, x, y, r) => {
                format!("remora_quotient_{}({}, {}, {})", c_type(*prim), self.expr(x), self.expr(y), self.expr(r))
            }
            Expr::Chunks { width, cost, at_most_threads } => {
                let cost = (*cost).min(1 << 40);
                format!("remora_pieces(th, {}, INT64_C({cost}), {})", self.expr(width), u8::from(*at_most_threads))
            }
            Expr::Thread => D::thread(self),
            Expr::Threads => "(int64_t)th->context->threads".into(),
            Expr::Registers => "REMORA_REGISTERS".into(),
        }
    }

    /// Index arithmetic of which it is known that nothing overflows.
    pub fn plain_int(&self, op: Int, a: &Expr, b: &Expr) -> String {
        let (a, b) = if op == Int::Count { (self.expr(a), self.expr(b)) } else { (self.nested(a), self.nested(b)) };
        match op {
            Int::Add => format!("{a} + {b}"),
            Int::Sub => format!("{a} - {b}"),
            Int::Mul => format!("{a} * {b}"),
            Int::Count => format!("remora_count({a}, {b})"),
            Int::Div => format!("{a} / {b}"),
            Int::Rem => format!("{a} % {b}"),
            Int::Min => format!("{a} < {b} ? {a} : {b}"),
            Int::Lt => format!("{a} < {b}"),
            Int::Le => format!("{a} <= {b}"),
            Int::Eq => format!("{a} == {b}"),
            Int::Ne => format!("{a} != {b}"),
            // Operands have no effects. Without jumps there is more that can be vectorised.
            Int::And => format!("{a} & {b}"),
            Int::Or => format!("{a} | {b}"),
        }
    }

    fn op(&self, op: ScalarOp, args: &[Expr]) -> String {
        if let (Op::Pow, [x, Expr::Const(power @ (Scalar::F32(_) | Scalar::F64(_)))]) = (op.op, args)
            && let Some(twice) = few_factors(*power)
        {
            return format!("remora_power_{}({}, {twice})", c_type(op.prim), self.expr(x));
        }
        let args: Vec<String> = args.iter().map(|arg| self.nested(arg)).collect();
        if let (Op::Convert(PrimType::Bool), [x], Some(name)) = (op.op, args.as_slice(), D::choice(op.prim)) {
            return format!("{x} ? ({name})1 : ({name})0");
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        match (op.prim, args.as_slice()) {
            (PrimType::F16, args) => half(op, args),
            (prim, args) if prim.is_float() => float(op, args),
            (PrimType::Bool, args) => boolean(op, args),
            (_, args) => integer(op, args),
        }
    }
}

/// The sign of an operation that may overflow.
pub fn signed(op: Int) -> Option<&'static str> {
    match op {
        Int::Add => Some("+"),
        Int::Sub => Some("-"),
        Int::Mul => Some("*"),
        Int::Count | Int::Div | Int::Rem | Int::Min | Int::Lt | Int::Le | Int::Eq | Int::Ne | Int::And | Int::Or => None,
    }
}

/// Twice a power that a few multiplications and a square root make.
fn few_factors(power: Scalar) -> Option<i64> {
    let (Scalar::F32(_) | Scalar::F64(_)) = power else { return None };
    let twice = 2.0 * power.as_f64()?;
    (twice == twice.trunc() && twice.abs() <= 8.0).then_some(mutated!(FoldedPower, twice as i64, twice as i64 & !1))
}

fn comparison(op: Op) -> Option<&'static str> {
    let signs = [(Op::Eq, "=="), (Op::Ne, "!="), (Op::Lt, "<"), (Op::Le, "<="), (Op::Gt, ">"), (Op::Ge, ">=")];
    signs.into_iter().find_map(|(comparison, sign)| (comparison == op).then_some(sign))
}

fn convert(to: PrimType, from: PrimType, x: &str) -> String {
    match (to, from) {
        (PrimType::Bool, _) => format!("{x} != 0"),
        (to, from) if from.is_float() && to.is_int() => format!("remora_to_{}({x})", c_type(to)),
        (PrimType::F16, _) => format!("(_Float16){x}"),
        _ => format!("({}){x}", c_type(to)),
    }
}

/// What is left of the operations when all others are written: the comparisons.
fn compared(op: ScalarOp, args: &[&str]) -> String {
    match (comparison(op.op), args) {
        (Some(sign), [a, b]) => format!("{a} {sign} {b}"),
        _ => crate::ice!(Span::default(), "`{}` of {} operands cannot be written", op.name(), args.len()),
    }
}

fn boolean(op: ScalarOp, args: &[&str]) -> String {
    match (op.op, args) {
        (Op::Convert(from), [x]) => convert(PrimType::Bool, from, x),
        (Op::And, [a, b]) => format!("{a} & {b}"),
        (Op::Or, [a, b]) => format!("{a} | {b}"),
        (Op::Not, [a]) => format!("!{a}"),
        _ => compared(op, args),
    }
}

fn integer(op: ScalarOp, args: &[&str]) -> String {
    let (ty, wide) = (c_type(op.prim), unsigned(op.prim));
    let arith = |sign: &str, a: &str, b: &str| format!("({ty})(({wide}){a} {sign} ({wide}){b})");
    let call = |name: &str| format!("remora_{name}_{ty}({})", args.join(", "));
    match (op.op, args) {
        (Op::Convert(from), [x]) => convert(op.prim, from, x),
        (Op::ToI64, [x]) => format!("(int64_t){x}"),
        (Op::ToF64, [x]) => format!("(double){x}"),
        (Op::Add, [a, b]) => mutated!(SignedOverflow, arith("+", a, b), format!("({ty})({a} + {b})")),
        (Op::Sub, [a, b]) => arith("-", a, b),
        (Op::Mul, [a, b]) => arith("*", a, b),
        (Op::And, [a, b]) => format!("({ty})({a} & {b})"),
        (Op::Or, [a, b]) => format!("({ty})({a} | {b})"),
        (Op::Xor, [a, b]) => format!("({ty})({a} ^ {b})"),
        (Op::Neg, [a]) => arith("-", "0", a),
        (Op::Not, [a]) => format!("({ty})~{a}"),
        (Op::Div, _) => call("div"),
        (Op::Mod, _) => call("mod"),
        (Op::Quot, _) => call("quot"),
        (Op::Rem, _) => call("rem"),
        (Op::Pow, _) => call("pow"),
        (Op::Shl, _) => call("shl"),
        (Op::Shr, _) => call("shr"),
        (Op::UShr, _) => call("ushr"),
        (Op::Min, _) => call("min"),
        (Op::Max, _) => call("max"),
        (Op::MulHi, _) => call("mul_hi"),
        (Op::MadHi, [a, b, c]) => arith("+", &format!("remora_mul_hi_{ty}({a}, {b})"), c),
        (Op::Abs, _) => call("abs"),
        (Op::Sgn, _) => call("sgn"),
        (Op::Popc, _) => call("popc"),
        (Op::Clz, _) => call("clz"),
        (Op::Ctz, _) => call("ctz"),
        (Op::GetBit, _) => call("get_bit"),
        (Op::SetBit, _) => call("set_bit"),
        _ => compared(op, args),
    }
}

/// A function of the C library that has the same meaning.
fn library(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Mod => "fmod",
        Op::Pow => "pow",
        Op::Atan2 => "atan2",
        Op::Hypot => "hypot",
        Op::CopySign => "copysign",
        Op::NextAfter => "nextafter",
        Op::Abs => "fabs",
        Op::Sqrt => "sqrt",
        Op::Cbrt => "cbrt",
        Op::Exp => "exp",
        Op::Exp2 => "exp2",
        Op::Expm1 => "expm1",
        Op::Log => "log",
        Op::Log2 => "log2",
        Op::Log10 => "log10",
        Op::Log1p => "log1p",
        Op::Sin => "sin",
        Op::Cos => "cos",
        Op::Tan => "tan",
        Op::Asin => "asin",
        Op::Acos => "acos",
        Op::Atan => "atan",
        Op::Sinh => "sinh",
        Op::Cosh => "cosh",
        Op::Tanh => "tanh",
        Op::Asinh => "asinh",
        Op::Acosh => "acosh",
        Op::Atanh => "atanh",
        Op::Floor => "floor",
        Op::Ceil => "ceil",
        Op::Round => "rint",
        Op::Trunc => "trunc",
        Op::Gamma => "tgamma",
        Op::Lgamma => "lgamma",
        Op::Erf => "erf",
        Op::Erfc => "erfc",
        Op::Fma => "fma",
        Op::Ldexp => "ldexp",
        Op::Add
        | Op::Sub
        | Op::Mul
        | Op::Div
        | Op::Quot
        | Op::Rem
        | Op::And
        | Op::Or
        | Op::Xor
        | Op::Shl
        | Op::Shr
        | Op::UShr
        | Op::Min
        | Op::Max
        | Op::MulHi
        | Op::Atan2Pi
        | Op::ZeroOr
        | Op::Complex
        | Op::Polar
        | Op::Conj
        | Op::Re
        | Op::Im
        | Op::Arg
        | Op::Norm
        | Op::Eq
        | Op::Ne
        | Op::Lt
        | Op::Le
        | Op::Gt
        | Op::Ge
        | Op::Neg
        | Op::Not
        | Op::Sgn
        | Op::Rsqrt
        | Op::Recip
        | Op::Exp10
        | Op::SinPi
        | Op::CosPi
        | Op::TanPi
        | Op::AsinPi
        | Op::AcosPi
        | Op::AtanPi
        | Op::IsNan
        | Op::IsInf
        | Op::Popc
        | Op::Clz
        | Op::Ctz
        | Op::ToBits
        | Op::FromBits
        | Op::Convert(_)
        | Op::ToI64
        | Op::ToF64
        | Op::FromFraction
        | Op::GetBit
        | Op::Mad
        | Op::Lerp
        | Op::MadHi
        | Op::SetBit => return None,
    })
}

fn float(op: ScalarOp, args: &[&str]) -> String {
    let (ty, suffix) = if op.prim == PrimType::F32 { ("float", "f") } else { ("double", "") };
    let pi = if op.prim == PrimType::F32 { "(float)REMORA_PI" } else { "REMORA_PI" };
    let call = |name: &str| format!("remora_{name}_{ty}({})", args.join(", "));
    let bits = if op.prim == PrimType::F32 { "uint32_t" } else { "uint64_t" };
    match (op.op, args) {
        (Op::Convert(from), [x]) => convert(op.prim, from, x),
        (Op::ToI64, [x]) => format!("remora_to_int64_t({x})"),
        (Op::ToF64, [x]) => format!("(double){x}"),
        (Op::Add, [a, b]) => format!("{a} + {b}"),
        (Op::Sub, [a, b]) => format!("{a} - {b}"),
        (Op::Mul, [a, b]) => format!("{a} * {b}"),
        (Op::Div, [a, b]) => format!("{a} / {b}"),
        (Op::Neg, [a]) => format!("-{a}"),
        (Op::Min, _) => call("min"),
        (Op::Max, _) => call("max"),
        (Op::Sgn, _) => call("sgn"),
        (Op::ZeroOr, _) => call("zero_or"),
        (Op::Rsqrt, [a]) => format!("1 / sqrt{suffix}({a})"),
        (Op::Recip, [a]) => format!("1 / {a}"),
        (Op::Exp10, _) => call("exp10"),
        (Op::SinPi, _) => call("sinpi"),
        (Op::CosPi, _) => call("cospi"),
        (Op::TanPi, [a]) => format!("remora_sinpi_{ty}({a}) / remora_cospi_{ty}({a})"),
        (Op::AsinPi, [a]) => format!("asin{suffix}({a}) / {pi}"),
        (Op::AcosPi, [a]) => format!("acos{suffix}({a}) / {pi}"),
        (Op::AtanPi, [a]) => format!("atan{suffix}({a}) / {pi}"),
        (Op::Atan2Pi, [a, b]) => format!("atan2{suffix}({a}, {b}) / {pi}"),
        (Op::Mad, [a, b, c]) => format!("{a} * {b} + {c}"),
        (Op::Lerp, [a, b, c]) => format!("{a} + ({b} - {a}) * {c}"),
        (Op::IsNan, [a]) => format!("{a} != {a}"),
        (Op::IsInf, [a]) => format!("isinf({a}) != 0"),
        (Op::ToBits, _) => format!("remora_bits_{ty}({})", args.join(", ")),
        (Op::FromBits, _) => format!("remora_from_bits_{ty}({})", args.join(", ")),
        (Op::FromFraction, [a, b]) => format!("({ty}){a} / ({ty}){b}"),
        (Op::GetBit, [i, x]) => format!("remora_get_bit_{bits}({i}, remora_bits_{ty}({x}))"),
        (Op::SetBit, [i, x, bit]) => format!("remora_from_bits_{ty}(remora_set_bit_{bits}({i}, remora_bits_{ty}({x}), {bit}))"),
        (what, _) => match library(what) {
            Some(name) => format!("{name}{suffix}({})", args.join(", ")),
            None => compared(op, args),
        },
    }
}

/// Halves are computed as floats and rounded.
fn half(op: ScalarOp, args: &[&str]) -> String {
    let wide = ScalarOp { prim: PrimType::F32, ..op };
    let widened: Vec<String> = args.iter().map(|arg| format!("(float){arg}")).collect();
    let widened: Vec<String> = widened.iter().map(|arg| format!("({arg})")).collect();
    let of_floats: Vec<&str> = widened.iter().map(String::as_str).collect();
    match (op.op, args) {
        (Op::Convert(from), [x]) => convert(PrimType::F16, from, x),
        (Op::ToBits, [x]) => format!("remora_bits__Float16({x})"),
        (Op::FromBits, [x]) => format!("remora_from_bits__Float16({x})"),
        (Op::NextAfter, [a, b]) => format!("remora_next_after_half({a}, {b})"),
        (Op::GetBit, [i, x]) => format!("remora_get_bit_uint16_t({i}, remora_bits__Float16({x}))"),
        (Op::SetBit, [i, x, bit]) => format!("remora_from_bits__Float16(remora_set_bit_uint16_t({i}, remora_bits__Float16({x}), {bit}))"),
        (Op::Fma, [a, b, c]) => format!("(_Float16)((double){a} * (double){b} + (double){c})"),
        (Op::Mad, [a, b, c]) => format!("(_Float16)((float)(_Float16)((float){a} * (float){b}) + (float){c})"),
        (Op::Lerp, [a, b, c]) => {
            let distance = format!("(float)(_Float16)((float){b} - (float){a})");
            format!("(_Float16)((float){a} + (float)(_Float16)({distance} * (float){c}))")
        }
        (Op::Ldexp, [x, e]) => format!("(_Float16)ldexp((double){x}, {e})"),
        (Op::FromFraction, [a, b]) => format!("(_Float16)((double){a} / (double){b})"),
        (Op::ToI64 | Op::ToF64 | Op::IsNan | Op::IsInf, _) => float(wide, &of_floats),
        (op, _) if comparison(op).is_some() => float(wide, &of_floats),
        _ => format!("(_Float16)({})", float(wide, &of_floats)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::scalar::{Member, member, members};

    #[test]
    fn all_operations_can_be_written() {
        for prim in PrimType::ALL {
            for name in members(prim) {
                let Some(Member::Op(op)) = member(prim, name) else { continue };
                let args = &["x", "y", "z"][..op.params.len()];
                let text = match prim {
                    // They are split into operations on their parts.
                    _ if prim.is_complex() => continue,
                    PrimType::F16 => half(op, args),
                    _ if prim.is_float() => float(op, args),
                    PrimType::Bool => boolean(op, args),
                    _ => integer(op, args),
                };
                assert!(args.iter().all(|arg| text.contains(arg)), "{prim}.{name}: {text}");
            }
        }
    }
}
