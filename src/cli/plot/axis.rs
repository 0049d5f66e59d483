//! Ranges of values, and the round numbers that are written beside them.

/// Numbers beside an axis at most.
const MOST_TICKS: i64 = 24;
/// A range that is narrower than this part of its values is made wider: its ticks could not be told apart.
const NARROWEST: f64 = 1e-9;

/// A range of values, in the direction in which it is drawn. Both ends are finite, and differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    pub(super) from: f64,
    pub(super) to: f64,
}

impl Axis {
    /// The range of these values, those aside that are no numbers. Without any it is 0 to 1; around one value it is made wider.
    pub(super) fn over(values: impl Iterator<Item = f64>) -> Axis {
        let ends = values.filter(|value| value.is_finite()).fold(None, |ends: Option<(f64, f64)>, value| {
            Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        });
        let Some((low, high)) = ends else { return Axis { from: 0.0, to: 1.0 } };
        let largest = low.abs().max(high.abs());
        if high - low > largest * NARROWEST {
            return Axis { from: low, to: high };
        }
        let more = if largest == 0.0 { 1.0 } else { (largest * 0.1).max(f64::MIN_POSITIVE) };
        Axis { from: low - more, to: high + more }
    }

    /// The same with this part of it added at both ends.
    pub(super) fn wider(self, part: f64) -> Axis {
        let more = (self.to - self.from) * part;
        Axis { from: self.from - more, to: self.to + more }
    }

    /// Where a value lies between two pixels.
    pub(super) fn place(self, value: f64, first: i32, last: i32) -> i32 {
        let part = (value - self.from) / (self.to - self.from);
        let place = f64::from(first) + part * f64::from(last - first);
        // Far outside is outside.
        place.round().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i32
    }

    /// Round numbers in the range, about so many, with their texts.
    pub(super) fn ticks(self, about: usize) -> Vec<(f64, String)> {
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let rough = (high - low) / about.max(1) as f64;
        let power = rough.log10().floor().clamp(-300.0, 300.0);
        let unit = 10f64.powi(power as i32);
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * unit).find(|step| *step >= rough * 0.999).unwrap_or(10.0 * unit);
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        if !(first.is_finite() && last.is_finite()) || last - first > MOST_TICKS as f64 {
            return Vec::new();
        }
        let largest = low.abs().max(high.abs());
        (first as i64..=last as i64).map(|i| i as f64 * step).map(|value| (value, label(value, step, largest))).collect()
    }
}

/// A number on an axis with this step between numbers.
fn label(value: f64, step: f64, largest: f64) -> String {
    // What rounding leaves of zero.
    let value = if value.abs() < step * 1e-6 { 0.0 } else { value };
    if (1e-4..1e6).contains(&largest) {
        let digits = (-(step * 1.001).log10().floor()).clamp(0.0, 12.0) as usize;
        return format!("{value:.digits$}");
    }
    if value == 0.0 {
        return "0".into();
    }
    let digits = (value.abs() / step).log10().ceil().clamp(0.0, 12.0) as usize;
    let text = format!("{value:.digits$e}");
    let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
    let number = if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number };
    format!("{number}e{power}")
}

/// A number by itself.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 || (1e-4..1e6).contains(&value.abs()) {
        let text = format!("{value:.4}");
        return text.trim_end_matches('0').trim_end_matches('.').to_string();
    }
    format!("{value:.3e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(from: f64, to: f64) -> Vec<String> {
        Axis { from, to }.ticks(5).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(texts(-3.0, 7.0), ["-2", "0", "2", "4", "6"]);
        assert_eq!(texts(10.0, 0.0), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(0.0, 3e9), ["0", "1e9", "2e9", "3e9"]);
        assert_eq!(texts(1e16, 1.5e16), ["1e16", "1.1e16", "1.2e16", "1.3e16", "1.4e16", "1.5e16"]);
        assert_eq!(texts(0.0, 3e-7), ["0", "1e-7", "2e-7", "3e-7"]);
    }

    #[test]
    fn any_range_has_a_picture() {
        assert_eq!(Axis::over([].into_iter()), Axis { from: 0.0, to: 1.0 });
        assert_eq!(Axis::over([f64::NAN, 5.0, f64::INFINITY].into_iter()), Axis { from: 4.5, to: 5.5 });
        assert_eq!(Axis::over([0.0].into_iter()), Axis { from: -1.0, to: 1.0 });
        let small = f64::from_bits(1);
        let ends = [0.0, 1.0, -1e300, 1e300, small, -small, f64::MIN_POSITIVE, 1e-300, 1e16, 1e16 + 2.0, 3.0, 1e9, 1e9 + 1e-3];
        for a in ends {
            for b in ends {
                let axis = Axis::over([a, b].into_iter()).wider(0.04);
                assert!(axis.from < axis.to && axis.from.is_finite() && axis.to.is_finite(), "{a} {b}: {axis:?}");
                assert!(axis.ticks(6).len() as i64 <= MOST_TICKS + 1, "{a} {b}");
                for value in [a, b] {
                    assert!((0..=1000).contains(&axis.place(value, 0, 1000)), "{a} {b}: {axis:?}");
                }
            }
        }
    }
}
