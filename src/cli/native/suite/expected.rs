//! What the loops of the suite have to compute, with the integers of this language.

/// The made-up numbers and the sum over what is computed, for one case.
struct Case {
    state: u64,
    sum: u64,
}

/// As many elements as arrays have.
const N: usize = 203;

impl Case {
    fn new() -> Case {
        Case { state: 1, sum: 14_695_981_039_346_656_037 }
    }
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.state ^ (self.state >> 29)
    }
    fn see(&mut self, value: u64) {
        self.sum = (self.sum ^ value).wrapping_mul(1_099_511_628_211);
    }
}

/// The names of the cases with the sums over what they compute, in their order.
pub(super) fn expected() -> Vec<(String, u64)> {
    let mut out = Vec::new();
    i8::itself("i8", &mut out);
    i16::itself("i16", &mut out);
    i32::itself("i32", &mut out);
    i64::itself("i64", &mut out);
    u8::itself("u8", &mut out);
    i32::loops("i32", &mut out);
    i64::loops("i64", &mut out);
    u8::loops("u8", &mut out);
    out.push(("guards_u16".into(), guards()));
    f32::floats("f32", &mut out);
    f64::floats("f64", &mut out);
    out
}

/// What is divided and shifted under guards.
fn guards() -> u64 {
    let mut case = Case::new();
    let a: Vec<u16> = (0..N).map(|_| if case.next().is_multiple_of(8) { 0 } else { (case.next() % 23) as u16 }).collect();
    let y: Vec<f32> = (0..N).map(|_| ((case.next() % 512) as i64 - 256) as f32).collect();
    let guarded = |d: u16| if d == 0 { 3 } else { d };
    let shifted = |x: u16, by: u16| x.checked_shr(u32::from(by)).unwrap_or(0);
    for divides in [false, true] {
        case.see(0);
        a.iter().for_each(|x| case.see(u64::from(7 / guarded(*x) > 0)));
        for (x, y) in a.iter().zip(&y) {
            let by = guarded(10 * x);
            let shift = shifted(shifted(u16::MAX, *x), if divides { x / by } else { by });
            case.see(if 0.5 * y * y < 0.1 - y { 0 } else { u64::from(shift) });
        }
    }
    case.sum
}

type Out<'a> = &'a mut Vec<(String, u64)>;

/// Loops over integers.
trait Integers: Sized {
    /// Those that collect something with itself, and neighbours.
    fn itself(of: &str, out: Out);
    /// The others.
    fn loops(of: &str, out: Out);
}

/// The bits of an integer as C extends them.
#[allow(clippy::cast_lossless, clippy::unnecessary_cast, reason = "the same text for all types")]
mod integers {
    use super::{Case, Integers, N, Out};

    macro_rules! integers {
        ($($t:ident $wide:ident)*) => { $(
            impl Integers for $t {
                fn itself(of: &str, out: Out) {
                    type T = $t;
                    let mut run = |name: &str, work: &dyn Fn(&mut Case, Vec<T>, Vec<T>)| {
                        let mut case = Case::new();
                        let a = (0..N).map(|_| case.next() as T).collect();
                        let b = (0..N).map(|_| (case.next() % 7) as T).collect();
                        work(&mut case, a, b);
                        out.push((format!("{name}_{of}"), case.sum));
                    };
                    let power = |s: T, n: usize| (0..n).fold(s, |s, _| s.wrapping_mul(s));
                    run("power", &|case, a, _| (0..16).for_each(|k| case.see(power(a[k], 9 - k % 2) as u64)));
                    run("product_of_itself", &|case, a, _| {
                        for x in &a[..16] {
                            case.see((0..9).fold(*x, |s, _| s.wrapping_mul(3).wrapping_mul(s)) as u64);
                            case.see(x.wrapping_mul(8) as u64);
                        }
                    });
                    run("square_until", &|case, a, b| {
                        for k in 0..16 {
                            case.see(power(a[k], 64) as u64);
                            case.see(power((k + 2) as T, b[k] as usize) as u64);
                        }
                    });
                    run("carried", &|case, mut a, b| {
                        let (mut s, mut t) = (a[0], 1 as T);
                        for x in &b {
                            (s, t) = (t, x.wrapping_sub(s.wrapping_add(t)));
                        }
                        case.see(t as u64);
                        (1..N).for_each(|i| a[i] = a[i - 1].wrapping_mul(3).wrapping_add(b[i]));
                        (0..N - 1).for_each(|i| a[i] = a[i + 1] ^ b[i]);
                        (0..N - 4).for_each(|i| a[i + 4] = a[i].wrapping_add(b[i]));
                        a.iter().for_each(|x| case.see(*x as u64));
                    });
                    run("squares", &|case, a, _| a.iter().for_each(|x| case.see(power(*x, 5) as u64)));
                }

                fn loops(of: &str, out: Out) {
                    type T = $t;
                    let mut run = |name: &str, work: &dyn Fn(&mut Case, &[T], &[T])| {
                        let mut case = Case::new();
                        let a: Vec<T> = (0..N).map(|_| case.next() as T).collect();
                        let b: Vec<T> = (0..N).map(|_| (case.next() % 7) as T).collect();
                        work(&mut case, &a, &b);
                        out.push((format!("{name}_{of}"), case.sum));
                    };
                    run("reduce", &|case, a, b| {
                        let pairs = || a.iter().zip(b);
                        case.see(a.iter().fold(1 as T, |s, x| s.wrapping_add(*x)) as u64);
                        case.see(a.iter().fold(1 as T, |s, x| s.wrapping_mul(*x | 1)) as u64);
                        case.see(pairs().filter(|(_, b)| **b > 2).fold(0 as T, |s, (x, _)| s.wrapping_add(*x)) as u64);
                        let (least, most) = a.iter().fold((T::MAX, T::MIN), |(l, m), x| (l.min(*x), m.max(*x)));
                        case.see(least as u64);
                        case.see(most as u64);
                        case.see(a.iter().fold(a[0], |s, x| s & *x) as u64);
                        case.see(a.iter().fold(a[0], |s, x| s | *x) as u64);
                        case.see(a[1..].iter().fold(a[0], |s, x| s ^ *x) as u64);
                        case.see(a.iter().position(|x| *x == most).unwrap_or(N) as u64);
                        let count = pairs().filter(|(a, b)| a < b || **a & 1 != 0).count() as u64;
                        case.see(count * 4 + u64::from(b.iter().all(|x| *x < 6)) * 2 + u64::from(b.contains(&3)));
                    });
                    run("lanes", &|case, a, b| {
                        for x in &a[..192] {
                            let step = |s: T, x: &T| if s > *x { s.wrapping_sub(*x) } else { s.wrapping_mul(5) };
                            case.see(b.iter().fold(*x, step) as u64);
                        }
                    });
                    run("moved", &|case, a, b| {
                        for i in 0..N {
                            case.see(a[N - 1 - i] as u64);
                            case.see(a[b[i] as usize * 29] as u64);
                        }
                    });
                    run("shifts", &|case, a, b| {
                        for (a, b) in a.iter().zip(b) {
                            let by = b.wrapping_mul(11).wrapping_sub(1) as $wide as i128;
                            let within = (0..i128::from(T::BITS)).contains(&by);
                            let left = if within { a << by } else { 0 };
                            let right = if within { a >> by } else if *a < 0 as T { T::MAX.wrapping_mul(2).wrapping_add(1) } else { 0 };
                            let mask = T::MAX.wrapping_mul(2).wrapping_add(1) as u64;
                            let bits = (*a as u64) & (u64::MAX >> (64 - T::BITS)) & mask;
                            case.see((left ^ right ^ (bits >> *b) as T) as u64);
                        }
                    });
                    run("arithmetic", &|case, a, b| {
                        for (a, b) in a.iter().zip(b) {
                            let (a, by) = (*a as i128, *b as i128 + 2);
                            case.see((a.div_euclid(by) as T).wrapping_add((a % by).wrapping_mul(3) as T) as u64);
                        }
                        for (i, x) in a.iter().enumerate() {
                            let high = ((*x as i128 * a[N - 1 - i] as i128) >> T::BITS) as T;
                            let size = (*x as i128).unsigned_abs().wrapping_mul(2) as T;
                            case.see(high.wrapping_add(x.count_ones() as T).wrapping_add(size) as u64);
                        }
                    });
                    run("converted", &|case, a, _| {
                        a.iter().for_each(|x| case.see(*x as i8 as u64));
                        a.iter().for_each(|x| case.see(*x as i16 as u64));
                        a.iter().for_each(|x| case.see(*x as i32 as u64));
                        a.iter().for_each(|x| case.see(*x as i64 as u64));
                    });
                }
            }
        )* };
    }
    integers!(i8 i8 i16 i16 i32 i32 i64 i64 u8 i32);
}

/// Loops over floats.
trait Floats: Sized {
    /// All of them.
    fn floats(of: &str, out: Out);
}

#[allow(clippy::cast_lossless, reason = "the same text for both types")]
mod floats {
    use super::{Case, Floats, N, Out};

    macro_rules! floats {
        ($($t:ident $bits:ident)*) => { $(
            impl Floats for $t {
                fn floats(of: &str, out: Out) {
                    type T = $t;
                    let bits = |x: T| if x.is_nan() { 1 } else { x.to_bits() as $bits as u64 };
                    let mut run = |name: &str, work: &dyn Fn(&mut Case, &[T], &[T])| {
                        let mut case = Case::new();
                        let a: Vec<T> = (0..N).map(|_| ((case.next() % 512) as i64 - 256) as T).collect();
                        let b: Vec<T> = (0..N).map(|_| (case.next() % 7) as T).collect();
                        work(&mut case, &a, &b);
                        out.push((format!("{name}_{of}"), case.sum));
                    };
                    run("power", &|case, a, _| {
                        a[..8].iter().for_each(|x| case.see(bits((0..6).fold(1.0 + x / 1024.0, |s, _| s * s))));
                        case.see(bits(a.iter().fold(0.0, |s, x| (s + x) / 3.0)));
                    });
                    run("reduce", &|case, a, b| {
                        case.see(bits(a.iter().zip(b).map(|(a, b)| a * b).sum()));
                        case.see(bits(a.iter().copied().fold(a[0], T::max)));
                        case.see(bits(a.iter().copied().fold(a[0], T::min)));
                    });
                    run("scan", &|case, a, _| {
                        let mut s = 0.0;
                        for x in a {
                            s += x;
                            case.see(bits(s));
                        }
                        let mut most = T::NAN;
                        for x in a {
                            most = most.max(*x);
                            case.see(bits(most));
                        }
                        (0..N).for_each(|_| case.see(bits(-T::INFINITY)));
                    });
                    run("map", &|case, a, b| {
                        let x = |i: usize| a[i] / b[i];
                        let y = |i: usize| {
                            if b[i] < 5.0 { a[i].abs().sqrt() } else { (a[i] / 8.0).floor() + (0.5 as T).copysign(a[i]) }
                        };
                        (0..N).for_each(|i| case.see(bits(x(i).max(y(i)) - y(i).min(b[i]))));
                        (0..N).for_each(|i| case.see(((a[i] / 4.0) as i64 + i64::from(x(i) < y(i) || x(i).is_nan())) as u64));
                    });
                    run("functions", &|case, _, _| case.see(0));
                }
            }
        )* };
    }
    floats!(f32 i32 f64 i64);
}
