//! Decimal texts as floats of any width, rounded once.
//!
//! A text is read as the double nearest to it. Where that lies exactly between two neighbours of a narrower type, the text itself decides which
//! of them is nearer: then the double *rounded to odd* is used instead, the one beside it on the side of the text, whose last bit is 1 (Boldo and
//! Melquiond, 2008, "Emulation of FMA and correctly rounded sums", section III).

use std::cmp::Ordering;

/// Bits of a double behind the last one that decides how it is rounded to a single.
const BELOW: u32 = 28;

/// The double to round to a narrower type, of a text whose nearest double is `near`: a number without sign, in digits with at most one point
/// and an exponent.
pub fn to_odd(text: &str, near: f64) -> f64 {
    if !near.is_finite() || near == 0.0 || near.to_bits() & ((1 << BELOW) - 1) != 0 {
        return near;
    }
    let digits = digits_of(text);
    match compare_short(&digits, near).unwrap_or_else(|| compare(&digits, &exact(near))) {
        Ordering::Equal => near,
        Ordering::Less => f64::from_bits(near.to_bits() - 1),
        Ordering::Greater => f64::from_bits(near.to_bits() + 1),
    }
}

/// A text whose nearest double is `near`, and which [`to_odd`] rounds to `odd`.
pub fn text_beside(near: f64, odd: f64) -> String {
    let (mut digits, point) = exact(near);
    // Far less than half of the last place of a double.
    digits.resize(digits.len().max(20), b'0');
    digits.push(if odd > near { b'1' } else { b'0' });
    if odd < near {
        for digit in digits.iter_mut().rev() {
            if *digit > b'0' {
                *digit -= 1;
                break;
            }
            *digit = b'9';
        }
    }
    let digits: String = digits.into_iter().map(char::from).collect();
    format!("0.{digits}e{point}")
}

/// Significant digits, and the exponent of `0.digits`.
type Digits = (Vec<u8>, i64);

fn exact(value: f64) -> Digits {
    // No double has more significant digits.
    digits_of(&format!("{value:.770e}"))
}

fn digits_of(text: &str) -> Digits {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
    let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
    let leading = all.iter().take_while(|digit| **digit == b'0').count();
    let end = all.iter().rposition(|digit| *digit != b'0').map_or(leading, |last| last + 1);
    (all[leading..end].to_vec(), exponent.saturating_add(whole.len() as i64 - leading as i64))
}

fn compare((a, a_point): &Digits, (b, b_point): &Digits) -> Ordering {
    a_point.cmp(b_point).then_with(|| a.cmp(b))
}

/// [`compare`] of a text and the double nearest to it, where the digits are an integer divided by a power of ten and both are doubles: the sign of
/// the difference is that of a fused multiplication and addition.
fn compare_short((digits, point): &Digits, near: f64) -> Option<Ordering> {
    let places = i32::try_from(digits.len() as i64 - point).ok().filter(|places| (0..=22).contains(places) && digits.len() <= 15)?;
    let integer = digits.iter().fold(0u64, |integer, digit| 10 * integer + u64::from(digit - b'0'));
    near.mul_add(10f64.powi(places), -(integer as f64)).partial_cmp(&0.0).map(Ordering::reverse)
}

#[cfg(test)]
mod tests {
    use super::super::half_of;
    use super::*;
    use half::f16;

    fn odd(text: &str) -> f64 {
        to_odd(text, text.parse().expect("a number"))
    }

    #[test]
    fn singles_are_those_that_the_text_is_nearest_to() {
        let texts = [
            "1.00000017881393432617187499",
            "1.000000178813934326171875",
            "1.00000017881393432617187501",
            "3.4028235677973366e38",
            "3.4028235677973365e38",
            "16777217.00000000000000000000001",
            "16777217",
            "1.40129846432481707092372958328991613128026194187651577175706828388979108268586060148663818836212158203125e-45",
            "7.006492321624085354618e-46",
            "0.1",
            "00012.5000e-3",
        ];
        for text in texts {
            assert_eq!((odd(text) as f32).to_bits(), text.parse::<f32>().expect("a number").to_bits(), "{text}");
        }
    }

    #[test]
    fn halves_are_rounded_once() {
        // 1 + 2^-11 lies between 1 and the next half.
        let cases = [("1.00048828125", 1.0), ("1.00048828125000000000001", 1.000_976_6), ("1.00048828124999999999999", 1.0)];
        for (text, expected) in cases {
            assert_eq!(half_of(odd(text)), f16::from_f32(expected), "{text}");
        }
        assert_eq!(half_of(odd("1.00146484374999999999999")), f16::from_f32(1.000_976_6));
    }

    #[test]
    fn short_texts_are_compared_as_long_ones_are() {
        let mut decided = 0;
        for whole in [0u64, 1, 3, 16_777_217, 33_554_433, 999_999_999] {
            for fraction in ["", "0", "5", "25", "1", "3", "0009765625", "00048828125", "999999", "50000000000001"] {
                for exponent in ["", "e-3", "e2", "e-12"] {
                    let text = format!("{whole}.{fraction}{exponent}");
                    let near: f64 = text.parse().expect("a number");
                    let digits = digits_of(&text);
                    if near != 0.0
                        && let Some(short) = compare_short(&digits, near)
                    {
                        assert_eq!(short, compare(&digits, &exact(near)), "{text}");
                        decided += 1;
                    }
                }
            }
        }
        assert!(decided > 100, "{decided}");
    }

    #[test]
    fn texts_beside_are_read_as_what_they_were_made_of() {
        for (text, near) in [("1.00048828125000000000001", 1.000_488_281_25), ("1.00048828124999999999999", 1.000_488_281_25)] {
            let beside = text_beside(near, odd(text));
            assert_eq!((beside.parse::<f64>(), odd(&beside)), (Ok(near), odd(text)), "{beside}");
        }
    }
}
