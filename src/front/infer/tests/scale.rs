//! Large and deep inputs.

use super::infer;

fn timed(name: &str, text: &str) -> super::Checked {
    let checked = infer(text).unwrap_or_else(|e| panic!("{name}: {:?}", e.first()));
    let stats = checked.last.solution().stats;
    eprintln!("{name}: {:?}, {} arguments; {stats:?}", checked.time, checked.last.arguments());
    checked
}

#[test]
fn empty() {
    timed("empty", "def t = 1");
}

#[test]
fn doubling_types() {
    let mut text = String::from("def t x0 =\n");
    for i in 0..25 {
        text += &format!("let x{} = (x{i}, x{i})\n", i + 1);
    }
    text += "let f a b = if true then a else b in f x25 x25";
    timed("doubling", &text);
}

#[test]
fn doubling_pairs_of_pairs() {
    let mut text = String::from("def t x0 y0 =\n");
    for i in 0..25 {
        text += &format!("let x{} = (x{i}, x{i}) let y{} = (y{i}, y{i})\n", i + 1, i + 1);
    }
    text += "in if true then x25 else y25";
    timed("doubling twice", &text);
}

#[test]
fn many_arithmetic_applications() {
    let mut text = String::from("def t (x0: f64) (v: []f64) =\n");
    for i in 0..1250 {
        text += &format!("let x{} = (x{i} + v) * x{i} - 2 / x{i}\n", i + 1);
    }
    text += "in x1250";
    timed("5,000 applications", &text);
}

#[test]
fn chained_operators() {
    let text = format!("def t (x: i32) = {}", vec!["x"; 200_000].join(" + "));
    timed("200,000 operators", &text);
}

#[test]
fn chained_operators_without_annotation() {
    let text = format!("def t x = {}", vec!["x"; 2_000].join(" + "));
    timed("2,000 operators, no annotation", &text);
}

#[test]
fn nested_lets() {
    let mut text = String::from("def t (x0: i32) =\n");
    for i in 0..20_000 {
        text += &format!("let x{} = x{i} + 1\n", i + 1);
    }
    text += "in x20000";
    timed("20,000 lets", &text);
}

#[test]
fn large_literal() {
    let text = format!("def t = [{}]", vec!["1"; 100_000].join(", "));
    let checked = timed("array of 100,000", &text);
    assert!(checked.last.solution().values.len() < 10);
}

#[test]
fn lambdas_at_several_ranks() {
    let mut text = String::from("def t (x: f64) (v: []f64) (m: [][]f64) =\n");
    let mut last = "x".to_string();
    for i in 0..400 {
        text += &format!("let f{i} = \\a b -> a * b + 2\nlet y{i} = f{i} v {last}\nlet z{i} = f{i} m v + y{i}\nlet w{i} = z{i} * 2 - v\n");
        last = "v".into();
    }
    text += "in w399";
    timed("1,600 lets, a quarter lambdas", &text);
}

#[test]
fn independent_choices() {
    let mut text = String::from("def t (m: [][]i64) =\n");
    for i in 0..400 {
        text += &format!("let y{i} = i64.sum (length m)\n");
    }
    text += "in y399";
    let checked = timed("400 choices", &text);
    assert_eq!(checked.last.components().len(), 400);
}

#[test]
fn conflict_in_a_large_definition() {
    let mut text = String::from("def t (x0: f64) (v: []f64) : f64 =\n");
    for i in 0..1250 {
        text += &format!("let x{} = (x{i} + v) * x{i} - 2 / x{i}\n", i + 1);
    }
    text += "in x1250";
    let start = std::time::Instant::now();
    let errors = super::errors(&text);
    eprintln!("conflict among 5,000 applications: {:?}\n{errors}", start.elapsed());
    assert!(errors.starts_with("E0401"));
}
