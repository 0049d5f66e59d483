//! What is printed infers to itself.

use super::support::check;

/// Programs that need insertions.
const PROGRAMS: &[&str] = &["def f [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = (a * v + s) / f64.sqrt (f64.sum (v * v))"];

#[test]
fn explicit_programs_are_fixed_points() {
    for text in PROGRAMS {
        let first = check(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        let printed = first.explicit();
        println!("{printed}\n");
        let second = check(&printed).unwrap_or_else(|e| panic!("{text}\n{printed}: {e:?}"));
        assert_eq!(second.cost(), 0, "{text}\n{printed}");
        assert_eq!(second.explicit(), printed, "{text}");
        assert_eq!(second.types(), first.types(), "{text}\n{printed}");
    }
}
