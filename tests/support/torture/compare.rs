//! When two outcomes are the same.

use super::evaluate::Outcome;

/// Whether two ways to run a program agree. Which of several failures counts is not fixed; sums of floats depend on the order.
pub fn agree(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::Value(a), Outcome::Value(b)) => a == b || close(a, b),
        (Outcome::Failed(_), Outcome::Failed(_)) => true,
        _ => false,
    }
}

/// The same for a program that takes derivatives, whose zeros may have any sign: the evaluator adds nothing to the tangents of a sum, and compiled programs add 0 to them.
pub fn agree_but_for_zeros(a: &Outcome, b: &Outcome) -> bool {
    let plus = |outcome: &Outcome| match outcome {
        Outcome::Value(text) => Outcome::Value(without_negative_zeros(text)),
        other => other.clone(),
    };
    agree(a, b) || agree(&plus(a), &plus(b))
}

fn without_negative_zeros(text: &str) -> String {
    let zero = regex::Regex::new(r"(^|[\[\](){}, ])-0\.0(f|[+-])").expect("a pattern");
    let text = zero.replace_all(text, "${1}0.0$2");
    regex::Regex::new(r"-0\.0jc").expect("a pattern").replace_all(&text, "+0.0jc").into_owned()
}

/// Whether two texts are the same but for rounding.
pub fn close(a: &str, b: &str) -> bool {
    let separators = [' ', ',', '[', ']', '(', ')', '{', '}'];
    let (mut left, mut right) = (a.split(separators), b.split(separators));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(x), Some(y)) if x == y || near(x, y) => (),
            _ => return false,
        }
    }
}

fn near(a: &str, b: &str) -> bool {
    // Complex numbers by their parts.
    let parts = |text: &str| {
        let text = text.strip_suffix("jc128")?;
        let at = text.char_indices().skip(1).find(|(at, c)| matches!(c, '+' | '-') && !text[..*at].ends_with('e'))?.0;
        Some((format!("{}f64", &text[..at]), format!("{}f64", text[at..].trim_start_matches('+'))))
    };
    if let (Some((x, y)), Some((u, v))) = (parts(a), parts(b)) {
        return (x == u || near(&x, &u)) && (y == v || near(&y, &v));
    }
    let number = |text: &str, suffix: &str| text.strip_suffix(suffix)?.parse::<f64>().ok();
    [("f32", 1e-5), ("f64", 1e-12)].iter().any(|(suffix, relative)| match (number(a, suffix), number(b, suffix)) {
        (Some(x), Some(y)) if x == 0.0 && y == 0.0 => x.is_sign_negative() == y.is_sign_negative(),
        (Some(x), Some(y)) => (x - y).abs() <= relative * x.abs().max(y.abs()),
        _ => false,
    })
}
