//! The examples of the paper, and laws on generated indices.

use super::theory::{Assignment, NoJoin, join};
use super::{Dim, DimAtom, Shape, ShapeItem};
use crate::base::{FileId, Symbol};
use crate::ir::core::{equal, print, read};
use proptest::prelude::*;

fn shape(text: &str) -> Shape {
    let (ty, diagnostics) = read::ty(FileId::default(), &format!("(Arr i64 {text})"));
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    ty.expect("a type").shape().clone()
}

fn dim(text: &str) -> Dim {
    match shape(&format!("[{text}]")).items.as_slice() {
        [ShapeItem::Dim(dim)] => dim.clone(),
        _ => panic!("{text} is no size"),
    }
}

#[test]
fn differences_of_shapes() {
    assert_eq!(shape("[3 4 5 6]").without_prefix(&shape("[3 4]")), Some(shape("[5 6]")));
    assert_eq!(shape("[3 4 5 6]").without_prefix(&shape("[4]")), None);
    assert_eq!(shape("[3 4 5 6]").without_suffix(&shape("[5 6]")), Some(shape("[3 4]")));
    assert_eq!(shape("[3 4]").without_prefix(&shape("[3 4 5]")), None);
    assert_eq!(shape("[@s n 2]").without_prefix(&shape("[@s]")), Some(shape("[n 2]")));
    assert_eq!(shape("[@s (+ n 1)]").without_suffix(&shape("[(+ 1 n)]")), Some(shape("[@s]")));
    // A size is no shape variable, though some values of it are sizes.
    assert_eq!(shape("[2 3]").without_prefix(&shape("[@s]")), None);
}

#[test]
fn equations_of_sizes() {
    assert_eq!(dim("(+ x y 5 x)"), dim("(+ (+ x x) 5 y)"));
    assert_ne!(dim("(+ x y 5 x)"), dim("(+ (+ x q) 5 y)"));
    let found = dim("(+ x y 5 x)").difference(&dim("(+ (+ x q) 5 y)")).expect("they differ");
    assert_ne!(dim("(+ x y 5 x)").value(&found), dim("(+ (+ x q) 5 y)").value(&found));
    // Products are an extension of the paper's theory.
    assert_eq!(dim("(* (+ n 1) (+ n 1))"), dim("(+ (* n n) (* 2 n) 1)"));
}

#[test]
fn normal_form_of_a_shape() {
    let left = shape("(++ (Shp 2 (+ x 5 x)) (++ @d (Shp 3)))");
    assert_eq!(left, shape("(++ (Shp 2) (Shp (+ x x 5)) @d (Shp 3))"));
    assert_eq!(print::shape(&left), "[2 (+ (* 2 x) 5) @d 3]");
}

#[test]
fn equal_types() {
    let ty = |text: &str| read::ty(FileId::default(), text).0.expect("a type");
    assert!(equal::equal(&ty("(Arr Char (Shp 6))".replace("Char", "u8").as_str()), &ty("(Arr u8 (Shp (+ 1 5)))")));
    assert!(equal::equal(&ty("(Arr i64 (++ (Shp 3) (Shp 4)))"), &ty("(Arr i64 (Shp 3 4))")));
    assert!(!equal::equal(&ty("(Arr i64 (++ (Shp 3) @s))"), &ty("(Arr i64 (Shp 3 4))")));
}

#[test]
fn prefixes_and_joins() {
    assert!(shape("[2 3 2]").has_prefix(&shape("[2 3]")));
    assert!(!shape("[6 3 2]").has_prefix(&shape("[2 3]")));
    let join_of = |texts: &[&str]| join(&texts.iter().map(|text| shape(text)).collect::<Vec<_>>());
    assert_eq!(join_of(&[]), Ok(shape("[]")));
    assert_eq!(join_of(&["[2]", "[]", "[2 @s 3]", "[2 @s]"]), Ok(shape("[2 @s 3]")));
    assert_eq!(join_of(&["[]", "[3]", "[2 3]"]), Err(NoJoin { left: 1, right: 2 }));
    assert_eq!(join_of(&["[@s]", "[2]"]), Err(NoJoin { left: 0, right: 1 }));
}

#[test]
fn differences_are_shown() {
    let found = |a: &str, b: &str| shape(a).same(&shape(b)).map_err(|difference| (difference.at, difference.to_string()));
    assert_eq!(found("[n (+ m 1)]", "[n (+ 1 m)]"), Ok(()));
    assert_eq!(found("[n 2]", "[n 3]"), Err((1, "for n = 0 they are [0 2] and [0 3]".into())));
    assert_eq!(found("[2]", "[3]"), Err((0, "they are [2] and [3]".into())));
    assert_eq!(found("[n]", "[m]"), Err((0, "for m = 0, n = 1 they are [1] and [0]".into())));
    assert_eq!(found("[@s 2]", "[2 @s]"), Err((0, "for @s = [3] they are [3 2] and [2 3]".into())));
    assert_eq!(found("[@s]", "[@t]"), Err((0, "for @s = [1], @t = [2] they are [1] and [2]".into())));
    assert_eq!(found("[@s]", "[@s @t]"), Err((1, "for @s = [], @t = [1] they are [] and [1]".into())));
    assert_eq!(found("[@s]", "[@s @t n]"), Err((1, "for n = 0, @s = [], @t = [] they are [] and [0]".into())));
    assert_eq!(found("[(- n 1)]", "[(- n 2)]"), Err((0, "for n = 2 they are [1] and [0]".into())));
    assert_eq!(found("[(size k)]", "[n]").map_err(|(at, _)| at), Err(0));
}

/// A size as written, before it is brought into normal form.
#[derive(Debug, Clone)]
enum Term {
    Number(i64),
    Var(usize),
    Sum(Box<Term>, Box<Term>),
    Product(Box<Term>, Box<Term>),
}

const NAMES: [&str; 3] = ["x", "y", "z"];
const SHAPES: [&str; 2] = ["@s", "@t"];

impl Term {
    fn dim(&self) -> Dim {
        match self {
            Term::Number(n) => Dim::constant(*n),
            Term::Var(at) => Dim::var(Symbol::new(NAMES[*at])),
            Term::Sum(a, b) => a.dim().add(&b.dim()),
            Term::Product(a, b) => a.dim().mul(&b.dim()),
        }
    }
    fn value(&self, values: &[i64; 3]) -> i64 {
        match self {
            Term::Number(n) => *n,
            Term::Var(at) => values[*at],
            Term::Sum(a, b) => a.value(values) + b.value(values),
            Term::Product(a, b) => a.value(values) * b.value(values),
        }
    }
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![(0i64..4).prop_map(Term::Number), (0usize..3).prop_map(Term::Var)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        let sum = (inner.clone(), inner.clone()).prop_map(|(a, b)| Term::Sum(a.into(), b.into()));
        let product = (inner.clone(), inner).prop_map(|(a, b)| Term::Product(a.into(), b.into()));
        prop_oneof![3 => sum, 1 => product]
    })
}

/// A shape as written: items that are sizes, variables or shapes.
#[derive(Debug, Clone)]
enum Word {
    Dim(Term),
    Var(usize),
    Many(Vec<Word>),
}

impl Word {
    fn shape(&self) -> Shape {
        match self {
            Word::Dim(term) => Shape::dims([term.dim()]),
            Word::Var(at) => Shape::var(Symbol::new(SHAPES[*at])),
            Word::Many(words) => words.iter().fold(Shape::default(), |shape, word| shape.append(&word.shape())),
        }
    }
    fn value(&self, values: &[i64; 3], shapes: &[Vec<i64>; 2]) -> Vec<i64> {
        match self {
            Word::Dim(term) => vec![term.value(values)],
            Word::Var(at) => shapes[*at].clone(),
            Word::Many(words) => words.iter().flat_map(|word| word.value(values, shapes)).collect(),
        }
    }
}

fn word() -> impl Strategy<Value = Word> {
    let leaf = prop_oneof![term().prop_map(Word::Dim), (0usize..2).prop_map(Word::Var)];
    leaf.prop_recursive(2, 6, 3, |inner| prop::collection::vec(inner, 0..4).prop_map(Word::Many))
}

fn values() -> impl Strategy<Value = [i64; 3]> {
    [0i64..7, 0i64..7, 0i64..7]
}

fn shape_values() -> impl Strategy<Value = [Vec<i64>; 2]> {
    let one = || prop::collection::vec(0i64..4, 0..3);
    [one(), one()]
}

fn assignment(values: &[i64; 3], shapes: &[Vec<i64>; 2]) -> Assignment {
    let mut assignment = Assignment::default();
    for (name, value) in NAMES.iter().zip(values) {
        assignment.dims.insert(DimAtom::Var(Symbol::new(name)), *value);
    }
    for (name, value) in SHAPES.iter().zip(shapes) {
        assignment.shapes.insert(Symbol::new(name), value.clone());
    }
    assignment
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Normal forms have the values of what was written: equal ones are equal under every assignment.
    #[test]
    fn normal_forms_keep_the_value(term in term(), word in word(), values in values(), shapes in shape_values()) {
        let assignment = assignment(&values, &shapes);
        prop_assert_eq!(term.dim().value(&assignment), term.value(&values));
        prop_assert_eq!(word.shape().value(&assignment), word.value(&values, &shapes));
    }

    /// Different ones differ under the assignment that is given.
    #[test]
    fn different_normal_forms_differ(a in word(), b in word()) {
        let (left, right) = (a.shape(), b.shape());
        match left.same(&right) {
            Ok(()) => prop_assert_eq!(left, right),
            Err(found) => {
                prop_assert_ne!(&left, &right);
                prop_assert_eq!(&left.items[..found.at], &right.items[..found.at]);
                prop_assert_ne!(left.items.get(found.at), right.items.get(found.at));
                prop_assert_eq!(&found.left, &left.value(&found.assignment));
                prop_assert_eq!(&found.right, &right.value(&found.assignment));
                prop_assert_ne!(found.left, found.right);
            }
        }
    }

    #[test]
    fn different_sizes_differ(a in term(), b in term()) {
        let (a, b) = (a.dim(), b.dim());
        match a.difference(&b) {
            None => prop_assert_eq!(a, b),
            Some(found) => {
                prop_assert_ne!(a.value(&found), b.value(&found));
                prop_assert!(found.dims.values().all(|value| *value >= 0));
            }
        }
    }

    #[test]
    fn shapes_are_a_cancellative_monoid(a in word(), b in word(), c in word()) {
        let (a, b, c) = (a.shape(), b.shape(), c.shape());
        prop_assert_eq!(a.append(&b).append(&c), a.append(&b.append(&c)));
        prop_assert_eq!(a.append(&Shape::default()), a.clone());
        prop_assert_eq!(Shape::default().append(&a), a.clone());
        prop_assert_eq!(a.append(&b).without_prefix(&a), Some(b.clone()));
        prop_assert_eq!(a.append(&b).without_suffix(&b), Some(a.clone()));
        prop_assert_eq!(a.append(&b) == a.append(&c), b == c);
        prop_assert_eq!(b.append(&a) == c.append(&a), b == c);
    }

    /// Equidivisibility: of two beginnings of one word one is a beginning of the other.
    #[test]
    fn beginnings_of_a_word_have_a_join(word in word(), i in 0usize..9, j in 0usize..9) {
        let word = word.shape();
        let cut = |at: usize| Shape { items: word.items[..at.min(word.items.len())].to_vec() };
        let (a, b) = (cut(i), cut(j));
        prop_assert_eq!(join([&a, &b]), Ok(cut(i.max(j))));
    }

    #[test]
    fn joins_are_least_upper_bounds(words in prop::collection::vec(word(), 0..4)) {
        let frames: Vec<Shape> = words.iter().map(Word::shape).collect();
        match join(&frames) {
            Ok(principal) => {
                prop_assert!(frames.iter().all(|frame| principal.has_prefix(frame)));
                prop_assert!(principal.is_scalar() || frames.contains(&principal));
            }
            Err(NoJoin { left, right }) => {
                prop_assert!(!frames[left].has_prefix(&frames[right]) && !frames[right].has_prefix(&frames[left]));
            }
        }
    }
}
