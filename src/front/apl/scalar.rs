//! Scalar functions: what they do with single elements.

use super::build::Build;
use super::error::{Error, KindError, Result};
use super::value::Kind;
use crate::base::scalar::Op;
use crate::base::{Complex, PrimType, Scalar, Span};
use crate::ir::core::{Expr, ExprKind, LoopForm, LoopParam};

const I: PrimType = PrimType::I64;
const D: PrimType = PrimType::F64;
const C: PrimType = PrimType::C128;
const B: PrimType = PrimType::Bool;

/// What is computed of two elements.
pub type Body2 = Box<dyn Fn(&mut Build, Expr, Expr) -> Expr>;
/// What is computed of an element.
pub type Body1 = Box<dyn Fn(&mut Build, Expr) -> Expr>;

/// What a scalar function does with elements: both are converted to `operand` first.
pub struct Dyad {
    /// The kind that it takes.
    pub operand: Kind,
    /// The kind of its results.
    pub result: Kind,
    /// The result for two elements.
    pub body: Body2,
}

/// What a scalar function does with one element.
pub struct Monad {
    /// The kind that it takes.
    pub operand: Kind,
    /// The kind of its results.
    pub result: Kind,
    /// The result for an element.
    pub body: Body1,
}

/// Whether a glyph is a scalar function of two arguments.
pub fn is_dyadic(glyph: char) -> bool {
    "+-×÷*⍟○|⌈⌊!<≤=≥>≠∧∨⍲⍱".contains(glyph)
}

/// Whether a glyph is a scalar function of one argument.
pub fn is_monadic(glyph: char) -> bool {
    "+-×÷*⍟○|⌈⌊!~".contains(glyph)
}

fn same(kind: Kind, op: Op) -> Dyad {
    Dyad { operand: kind, result: kind, body: Box::new(move |b, x, y| b.op2(op, kind.prim(), x, y)) }
}

fn compare(kind: Kind, op: Op) -> Dyad {
    Dyad { operand: kind, result: Kind::Bool, body: Box::new(move |b, x, y| b.op2(op, kind.prim(), x, y)) }
}

fn one(operand: Kind, result: Kind, body: impl Fn(&mut Build, Expr) -> Expr + 'static) -> Monad {
    Monad { operand, result, body: Box::new(body) }
}

fn undefined<T>(glyph: char, kind: Kind, span: Span) -> Result<T> {
    Err(Error::at(span, KindError::Undefined { glyph, kind }))
}

/// What a scalar function of two arguments does with elements of these kinds. `exponent` is the right argument where it is one constant.
pub fn dyad(glyph: char, a: Kind, b: Kind, exponent: Option<i64>, span: Span) -> Result<Dyad> {
    if matches!(glyph, '=' | '≠') {
        let op = if glyph == '=' { Op::Eq } else { Op::Ne };
        return Ok(match a.join(b) {
            Some(kind) => compare(kind, op),
            None => Dyad { operand: Kind::Bool, result: Kind::Bool, body: Box::new(move |b, _, _| b.lit(Scalar::Bool(op == Op::Ne))) },
        });
    }
    for kind in [a, b] {
        if kind == Kind::Char {
            return undefined(glyph, kind, span);
        }
    }
    let joined = a.max(b);
    let number = joined.max(Kind::Int);
    let real = |kind: Kind| {
        if kind == Kind::Complex { undefined(glyph, kind, span) } else { Ok(()) }
    };
    Ok(match glyph {
        '+' => same(number, Op::Add),
        '-' => same(number, Op::Sub),
        '×' if joined == Kind::Bool => same(Kind::Bool, Op::And),
        '×' => same(number, Op::Mul),
        '÷' => same(number.max(Kind::Double), Op::Div),
        '*' if number == Kind::Int && exponent.is_some_and(|e| e >= 0) => {
            Dyad { operand: Kind::Int, result: Kind::Int, body: Box::new(|b, x, y| power(b, Kind::Int, x, y)) }
        }
        '*' => {
            let kind = number.max(Kind::Double);
            Dyad { operand: kind, result: kind, body: Box::new(move |b, x, y| power(b, kind, x, y)) }
        }
        '⍟' => {
            let kind = number.max(Kind::Double);
            let p = kind.prim();
            Dyad {
                operand: kind,
                result: kind,
                body: Box::new(move |b, x, y| {
                    let (x, y) = (b.op1(Op::Log, p, x), b.op1(Op::Log, p, y));
                    b.op2(Op::Div, p, y, x)
                }),
            }
        }
        '⌈' | '⌊' => {
            real(joined)?;
            match (joined, glyph) {
                (Kind::Bool, '⌈') => same(Kind::Bool, Op::Or),
                (Kind::Bool, _) => same(Kind::Bool, Op::And),
                (kind, '⌈') => same(kind, Op::Max),
                (kind, _) => same(kind, Op::Min),
            }
        }
        '|' => {
            real(joined)?;
            residue(number)
        }
        '<' | '≤' | '≥' | '>' => {
            real(joined)?;
            let op = match glyph {
                '<' => Op::Lt,
                '≤' => Op::Le,
                '≥' => Op::Ge,
                _ => Op::Gt,
            };
            compare(number, op)
        }
        '∧' | '∨' | '⍲' | '⍱' => match (joined, glyph) {
            (Kind::Bool, '∧') => same(Kind::Bool, Op::And),
            (Kind::Bool, '∨') => same(Kind::Bool, Op::Or),
            (Kind::Bool, '⍲') => negated(Op::And),
            (Kind::Bool, _) => negated(Op::Or),
            (Kind::Int, '∨') => Dyad { operand: Kind::Int, result: Kind::Int, body: Box::new(gcd) },
            (Kind::Int, '∧') => Dyad { operand: Kind::Int, result: Kind::Int, body: Box::new(lcm) },
            (kind, _) => return undefined(glyph, kind, span),
        },
        '!' => {
            real(joined)?;
            if number == Kind::Int {
                Dyad { operand: Kind::Int, result: Kind::Double, body: Box::new(binomial) }
            } else {
                Dyad { operand: Kind::Double, result: Kind::Double, body: Box::new(binomial_of_floats) }
            }
        }
        _ => return Err(Error::at(span, KindError::NotOfPairs(glyph))),
    })
}

fn negated(op: Op) -> Dyad {
    Dyad {
        operand: Kind::Bool,
        result: Kind::Bool,
        body: Box::new(move |b, x, y| {
            let made = b.op2(op, B, x, y);
            b.op1(Op::Not, B, made)
        }),
    }
}

/// `a|b`: `b` where `a` is 0, else the remainder, which has the sign of `a`.
fn residue(kind: Kind) -> Dyad {
    let p = kind.prim();
    let zero = Scalar::from_i128(p, 0);
    Dyad {
        operand: kind,
        result: kind,
        body: Box::new(move |b, x, y| {
            if let ExprKind::Lit(value) = x.kind() {
                return if *value == zero { y } else { remainder(b, kind, y, x.clone()) };
            }
            let is_zero = b.op2(Op::Eq, p, x.clone(), b.lit(zero));
            let divisor = b.choose(is_zero.clone(), b.lit(Scalar::from_i128(p, 1)), x);
            let divisor = b.bind(divisor);
            let rest = remainder(b, kind, y.clone(), divisor);
            b.choose(is_zero, y, rest)
        }),
    }
}

fn remainder(b: &mut Build, kind: Kind, y: Expr, x: Expr) -> Expr {
    if kind == Kind::Int {
        return b.op2(Op::Mod, I, y, x);
    }
    // y - x × ⌊y÷x, and never x itself where the quotient was rounded.
    let quotient = b.op2(Op::Div, D, y.clone(), x.clone());
    let whole = b.op1(Op::Floor, D, quotient);
    let product = b.op2(Op::Mul, D, x, whole);
    b.op2(Op::Sub, D, y, product)
}

/// A loop over whole numbers: states, a condition, next states.
fn loop_of(
    b: &mut Build,
    init: Vec<Expr>,
    form: impl FnOnce(&mut Build, &[Expr]) -> LoopForm,
    kinds: &[PrimType],
    body: impl FnOnce(&mut Build, &[Expr]) -> Vec<Expr>,
) -> Expr {
    use crate::ir::core::Type;
    let names: Vec<_> = init.iter().map(|_| b.fresh("s")).collect();
    let vars: Vec<Expr> = names.iter().map(|name| b.var(*name)).collect();
    let params =
        names.iter().zip(init).zip(kinds).map(|((name, init), prim)| LoopParam { name: *name, ty: Type::prim(*prim), init }).collect();
    let form = form(b, &vars);
    b.open();
    let mut next = body(b, &vars);
    let next = if next.len() == 1 { next.remove(0) } else { b.node(ExprKind::Tuple(next)) };
    let body = b.close(next);
    b.node(ExprKind::Loop { params, form, body })
}

/// A power; squares, square roots and reciprocals are what they are elsewhere.
fn power(b: &mut Build, kind: Kind, x: Expr, y: Expr) -> Expr {
    let constant = if let ExprKind::Lit(constant) = y.kind() { Some(*constant) } else { None };
    match (kind, constant) {
        (Kind::Int, Some(Scalar::I64(2))) => b.op2(Op::Mul, I, x.clone(), x),
        (Kind::Double, Some(Scalar::F64(2.0))) => b.op2(Op::Mul, D, x.clone(), x),
        // The sum makes 0 of a negative zero, as the power does.
        (Kind::Double, Some(Scalar::F64(0.5))) => {
            let root = b.op1(Op::Sqrt, D, x);
            b.op2(Op::Add, D, root, b.lit(Scalar::F64(0.0)))
        }
        (Kind::Double, Some(Scalar::F64(-1.0))) => b.op2(Op::Div, D, b.lit(Scalar::F64(1.0)), x),
        _ => b.op2(Op::Pow, kind.prim(), x, y),
    }
}

fn gcd(b: &mut Build, x: Expr, y: Expr) -> Expr {
    let (x, y) = (b.op1(Op::Abs, I, x), b.op1(Op::Abs, I, y));
    let cond = |b: &mut Build, v: &[Expr]| LoopForm::While(b.op2(Op::Ne, I, v[1].clone(), b.int(0)));
    let made = loop_of(b, vec![x, y], cond, &[I, I], |b, v| vec![v[1].clone(), b.op2(Op::Mod, I, v[0].clone(), v[1].clone())]);
    let made = b.bind(made);
    b.node(ExprKind::Proj(0, made))
}

fn lcm(b: &mut Build, x: Expr, y: Expr) -> Expr {
    let common = gcd(b, x.clone(), y.clone());
    let common = b.bind(common);
    let none = b.op2(Op::Eq, I, common.clone(), b.int(0));
    let divisor = b.choose(none, b.int(1), common);
    let part = b.op2(Op::Div, I, x, divisor);
    b.op2(Op::Mul, I, part, y)
}

/// `k!n` of floats: n! / (k! (n-k)!).
fn binomial_of_floats(b: &mut Build, k: Expr, n: Expr) -> Expr {
    let difference = b.op2(Op::Sub, D, n.clone(), k.clone());
    let [n, k, rest] = [n, k, difference].map(|x| factorial_of_float(b, x));
    let below = b.op2(Op::Mul, D, k, rest);
    b.op2(Op::Div, D, n, below)
}

/// `k!n` of whole numbers: the product of (n-k+i)÷i, 0 outside of the triangle.
fn binomial(b: &mut Build, k: Expr, n: Expr) -> Expr {
    let (k, n) = (b.bind(k), b.bind(n));
    // Of a negative number it is, but for the sign, that of other numbers: n over k is (-1)^k times (k - n - 1) over k, and for a negative k
    // (-1)^(n - k) times (-k - 1) over (n - k).
    let (under, below) = (b.op2(Op::Lt, I, n.clone(), b.int(0)), b.op2(Op::Lt, I, k.clone(), b.int(0)));
    let (under, below) = (b.bind(under), b.bind(below));
    let between = b.op2(Op::Sub, I, n.clone(), k.clone());
    let between = b.bind(between);
    let (away, other) = (b.op2(Op::Sub, I, b.int(-1), between.clone()), b.op2(Op::Sub, I, b.int(-1), k.clone()));
    let (turned_k, turned_n) = (b.choose(below.clone(), between, k.clone()), b.choose(below, other, away));
    let (k, n) = (b.choose(under.clone(), turned_k, k), b.choose(under.clone(), turned_n, n));
    let (k, n) = (b.bind(k), b.bind(n));
    let odd = b.op2(Op::And, I, k.clone(), b.int(1));
    let odd = b.op2(Op::Eq, I, odd, b.int(1));
    let turned = b.op2(Op::And, B, under, odd);
    let turned = b.bind(turned);
    let low = b.op2(Op::Lt, I, k.clone(), b.int(0));
    let high = b.op2(Op::Gt, I, k.clone(), n.clone());
    let outside = b.op2(Op::Or, B, low, high);
    let count = b.choose(outside.clone(), b.int(0), k.clone());
    let base = b.op2(Op::Sub, I, n, k);
    let base = b.bind(base);
    let name = b.fresh("i");
    let index = b.var(name);
    let one = b.choose(turned, b.lit(Scalar::F64(-1.0)), b.lit(Scalar::F64(1.0)));
    let made = loop_of(
        b,
        vec![one],
        |_, _| LoopForm::For(name, count),
        &[D],
        |b, v| {
            let i = b.op2(Op::Add, I, index.clone(), b.int(1));
            let i = b.bind(i);
            let above = b.op2(Op::Add, I, base.clone(), i.clone());
            let (above, i) = (b.converted(Kind::Int, Kind::Double, above), b.converted(Kind::Int, Kind::Double, i));
            let product = b.op2(Op::Mul, D, v[0].clone(), above);
            vec![b.op2(Op::Div, D, product, i)]
        },
    );
    b.choose(outside, b.lit(Scalar::F64(0.0)), made)
}

/// `!n` of a whole number, as a float: exact up to 22. Of a negative one it is what it is of the float: the function has poles there.
fn factorial(b: &mut Build, n: Expr) -> Expr {
    let n = b.bind(n);
    let negative = b.op2(Op::Lt, I, n.clone(), b.int(0));
    let pole = b.converted(Kind::Int, Kind::Double, n.clone());
    let pole = factorial_of_float(b, pole);
    let whole = factorial_of_whole(b, n);
    b.choose(negative, pole, whole)
}
fn factorial_of_float(b: &mut Build, x: Expr) -> Expr {
    let next = b.op2(Op::Add, D, x, b.lit(Scalar::F64(1.0)));
    b.op1(Op::Gamma, D, next)
}
fn factorial_of_whole(b: &mut Build, n: Expr) -> Expr {
    let name = b.fresh("i");
    let index = b.var(name);
    let one = b.lit(Scalar::F64(1.0));
    loop_of(
        b,
        vec![one],
        |_, _| LoopForm::For(name, n),
        &[D],
        |b, v| {
            let i = b.op2(Op::Add, I, index.clone(), b.int(1));
            let i = b.converted(Kind::Int, Kind::Double, i);
            vec![b.op2(Op::Mul, D, v[0].clone(), i)]
        },
    )
}

/// What a scalar function of one argument does.
pub fn monad(glyph: char, kind: Kind, span: Span) -> Result<Monad> {
    if kind == Kind::Char {
        return undefined(glyph, kind, span);
    }
    let number = kind.max(Kind::Int);
    let float = kind.max(Kind::Double);
    Ok(match (glyph, kind) {
        ('+', Kind::Complex) => one(kind, kind, |b, x| b.op1(Op::Conj, C, x)),
        ('+', _) => one(kind, kind, |_, x| x),
        ('-', _) => one(number, number, move |b, x| b.op1(Op::Neg, number.prim(), x)),
        ('×', Kind::Bool) => one(kind, kind, |_, x| x),
        ('×', Kind::Complex) => one(kind, kind, |b, x| {
            let size = complex_size(b, x.clone());
            let size = b.bind(size);
            let none = b.op2(Op::Eq, D, size.clone(), b.lit(Scalar::F64(0.0)));
            let size = b.converted(Kind::Double, Kind::Complex, size);
            let quotient = b.op2(Op::Div, C, x.clone(), size);
            b.choose(none, x, quotient)
        }),
        ('×', Kind::Double) => one(kind, Kind::Int, |b, x| {
            let sign = b.op1(Op::Sgn, D, x);
            b.op1(Op::Convert(D), I, sign)
        }),
        ('×', _) => one(kind, kind, |b, x| b.op1(Op::Sgn, I, x)),
        ('÷', _) => one(float, float, move |b, x| b.op2(Op::Div, float.prim(), b.lit(Scalar::from_f64(float.prim(), 1.0)), x)),
        ('*', _) => one(float, float, move |b, x| b.op1(Op::Exp, float.prim(), x)),
        ('⍟', _) => one(float, float, move |b, x| b.op1(Op::Log, float.prim(), x)),
        ('○', _) => {
            one(float, float, move |b, x| b.op2(Op::Mul, float.prim(), b.lit(Scalar::from_f64(float.prim(), std::f64::consts::PI)), x))
        }
        ('|', Kind::Bool) => one(kind, kind, |_, x| x),
        ('|', Kind::Complex) => one(kind, Kind::Double, complex_size),
        ('|', _) => one(kind, kind, move |b, x| b.op1(Op::Abs, kind.prim(), x)),
        ('⌈' | '⌊', Kind::Double) => {
            let op = if glyph == '⌈' { Op::Ceil } else { Op::Floor };
            one(kind, Kind::Int, move |b, x| {
                let whole = b.op1(op, D, x);
                b.op1(Op::Convert(D), I, whole)
            })
        }
        ('⌈' | '⌊', Kind::Complex) => return undefined(glyph, kind, span),
        ('⌈' | '⌊', _) => one(kind, kind, |_, x| x),
        ('!', Kind::Bool | Kind::Int) => one(Kind::Int, Kind::Double, factorial),
        ('!', Kind::Double) => one(kind, kind, factorial_of_float),
        ('~', Kind::Bool) => one(kind, kind, |b, x| b.op1(Op::Not, B, x)),
        _ => return undefined(glyph, kind, span),
    })
}

fn complex_size(b: &mut Build, x: Expr) -> Expr {
    let (re, im) = (b.op1(Op::Re, C, x.clone()), b.op1(Op::Im, C, x));
    b.op2(Op::Hypot, D, re, im)
}

/// `k○`.
pub fn circle(k: i64, kind: Kind, span: Span) -> Result<Monad> {
    let f = kind.max(Kind::Double);
    let p = f.prim();
    let unit = Scalar::from_f64(p, 1.0);
    let function = |op: Op| one(f, f, move |b, x| b.op1(op, p, x));
    let root = move |sign: bool, less: bool| {
        one(f, f, move |b, x| {
            let square = b.op2(Op::Mul, p, x.clone(), x);
            let (one, add) = (b.lit(unit), if sign { Op::Add } else { Op::Sub });
            let sum = if less { b.op2(Op::Sub, p, square, one) } else { b.op2(add, p, one, square) };
            b.op1(Op::Sqrt, p, sum)
        })
    };
    Ok(match k {
        0 => root(false, false),
        1 => function(Op::Sin),
        2 => function(Op::Cos),
        3 => function(Op::Tan),
        4 => root(true, false),
        5 => function(Op::Sinh),
        6 => function(Op::Cosh),
        7 => function(Op::Tanh),
        -1 => function(Op::Asin),
        -2 => function(Op::Acos),
        -3 => function(Op::Atan),
        -4 => root(false, true),
        -5 => function(Op::Asinh),
        -6 => function(Op::Acosh),
        -7 => function(Op::Atanh),
        9 if kind == Kind::Complex => one(kind, Kind::Double, |b, x| b.op1(Op::Re, C, x)),
        9 => one(kind, kind, |_, x| x),
        10 => monad('|', kind, span)?,
        11 if kind == Kind::Complex => one(kind, Kind::Double, |b, x| b.op1(Op::Im, C, x)),
        11 => one(kind, Kind::Bool, |b, _| b.lit(Scalar::Bool(false))),
        12 => one(Kind::Complex, Kind::Double, |b, x| b.op1(Op::Arg, C, x)),
        -9 => one(kind, kind, |_, x| x),
        -10 => monad('+', kind, span)?,
        -11 => one(Kind::Complex, Kind::Complex, |b, x| b.op2(Op::Mul, C, b.lit(Scalar::C128(Complex { re: 0.0, im: 1.0 })), x)),
        -12 => one(Kind::Complex, Kind::Complex, |b, x| {
            let turned = b.op2(Op::Mul, C, b.lit(Scalar::C128(Complex { re: 0.0, im: 1.0 })), x);
            b.op1(Op::Exp, C, turned)
        }),
        _ => return Err(Error::at(span, KindError::Circle(k))),
    })
}
