//! The laws of normal forms, each on the smallest terms.

use crate::base::Symbol;
use crate::front::ambiguity::normal::{Machine, OutOfSteps};
use crate::front::ambiguity::term::{Const, Tag, Term, TermRef, Var};

/// A free name.
fn k(name: &str) -> TermRef {
    Term::constant(Const::Operator(Symbol::new(name)))
}
fn v(n: u32) -> TermRef {
    Term::var(Var::Fresh(n))
}
fn lam(params: &[u32], body: TermRef) -> TermRef {
    let vars: Vec<Var> = params.iter().map(|n| Var::Fresh(*n)).collect();
    Term::lams(&vars, body)
}
fn app(fun: TermRef, args: &[&TermRef]) -> TermRef {
    Term::app(fun, args.iter().map(|a| (*a).clone()).collect())
}
fn map(fun: TermRef, args: &[&TermRef]) -> TermRef {
    Term::Map(fun, args.iter().map(|a| (*a).clone()).collect()).into()
}
fn rep(inner: TermRef) -> TermRef {
    Term::Rep(inner).into()
}
/// Whether two terms have the same normal form, and the normal forms.
fn compared(a: &TermRef, b: &TermRef) -> (bool, String) {
    let mut machine = Machine::new(10_000);
    let (a, b) = (machine.normalise(a).expect("few steps"), machine.normalise(b).expect("few steps"));
    (machine.forms.same(a, b), format!("{a:?} {b:?} {:?}", machine.forms))
}
#[track_caller]
fn equal(a: TermRef, b: TermRef) {
    let (same, forms) = compared(&a, &b);
    assert!(same, "{forms}");
}
#[track_caller]
fn different(a: TermRef, b: TermRef) {
    let (same, forms) = compared(&a, &b);
    assert!(!same, "{forms}");
}

#[test]
fn functions() {
    let (f, x) = (k("f"), k("x"));
    equal(app(lam(&[1], app(f.clone(), &[&v(1)])), &[&x]), app(f.clone(), &[&x]));
    equal(lam(&[1], app(f.clone(), &[&v(1)])), f.clone());
    equal(lam(&[1, 2], app(f.clone(), &[&v(1), &v(2)])), f.clone());
    different(lam(&[1, 2], app(f.clone(), &[&v(2), &v(1)])), f.clone());
    different(lam(&[1], app(f.clone(), &[&v(1), &v(1)])), f);
    equal(lam(&[1], v(1)), lam(&[2], v(2)));
    different(lam(&[1, 2], v(1)), lam(&[1, 2], v(2)));
}

#[test]
fn maps() {
    let (f, g, xs, ys) = (k("f"), k("g"), k("xs"), k("ys"));
    equal(map(lam(&[1], v(1)), &[&xs]), xs.clone());
    equal(map(f.clone(), &[&map(g.clone(), &[&xs])]), map(lam(&[1], app(f.clone(), &[&app(g.clone(), &[&v(1)])])), &[&xs]));
    equal(
        map(f.clone(), &[&map(g.clone(), &[&xs, &ys]), &ys]),
        map(lam(&[1, 2], app(f.clone(), &[&app(g.clone(), &[&v(1), &v(2)]), &v(2)])), &[&xs, &ys]),
    );
    equal(map(f.clone(), &[&xs, &xs]), map(lam(&[1], app(f.clone(), &[&v(1), &v(1)])), &[&xs]));
    equal(map(lam(&[1, 2], app(f.clone(), &[&v(2), &v(1)])), &[&ys, &xs]), map(f.clone(), &[&xs, &ys]));
    different(map(f.clone(), &[&xs, &ys]), map(f.clone(), &[&ys, &xs]));
    different(map(f.clone(), &[&xs]), app(f, &[&xs]));
}

#[test]
fn replications() {
    let (f, x, xs) = (k("f"), k("x"), k("xs"));
    equal(map(f.clone(), &[&rep(x.clone())]), rep(app(f.clone(), &[&x])));
    equal(map(f.clone(), &[&rep(x.clone()), &xs]), map(app(f.clone(), &[&x]), &[&xs]));
    equal(app(rep(f.clone()), &[&xs]), map(f.clone(), &[&xs]));
    equal(app(map(f.clone(), &[&xs]), &[&x]), map(f.clone(), &[&xs, &x]));
    different(rep(x.clone()), x.clone());
    different(app(f.clone(), &[&rep(x.clone())]), app(f, &[&x]));
}

#[test]
fn bindings_and_components() {
    let (f, x, y) = (k("f"), k("x"), k("y"));
    equal(Term::Let(Var::Fresh(1), x.clone(), app(f.clone(), &[&v(1), &v(1)])).into(), app(f, &[&x, &x]));
    let pair = Term::node(Tag::Tuple, vec![x.clone(), y]);
    equal(Term::node(Tag::Field(Symbol::new("0")), vec![pair.clone()]), x.clone());
    different(Term::node(Tag::Field(Symbol::new("1")), vec![pair]), x);
}

#[test]
fn what_is_shared_is_read_once() {
    // Each binding doubles the text of the term.
    let double = |n: u32, inner: TermRef| TermRef::new(Term::Let(Var::Fresh(n + 1), Term::node(Tag::Tuple, vec![v(n), v(n)]), inner));
    let term = (0..40).rev().fold(v(40), |inner, n| double(n, inner));
    assert!(Machine::new(1_000).normalise(&term).is_ok());
    equal((0..40).rev().fold(v(40), |inner, n| double(n, inner)), term);
}

#[test]
fn fused_maps_are_read_once() {
    // `let x1 = map2 f x0 x0 let x2 = map2 f x1 x1 ..`, with functions from one row to the next.
    let chain = |rows: bool| {
        let f = if rows { lam(&[1, 2], map(k("f"), &[&v(1), &v(2)])) } else { k("f") };
        (0..30).fold(k("xs"), |xs, n| TermRef::new(Term::Let(Var::Fresh(n + 9), xs, map(f.clone(), &[&v(n + 9), &v(n + 9)]))))
    };
    equal(chain(true), chain(true));
    different(chain(true), chain(false));
}

#[test]
fn gives_up() {
    // Each function calls the one before it twice.
    let twice = |n: u32, inner: TermRef| {
        let body = lam(&[100], app(v(n), &[&app(v(n), &[&v(100)])]));
        TermRef::new(Term::Let(Var::Fresh(n + 1), body, inner))
    };
    let term = (0..40).rev().fold(app(v(40), &[&k("x")]), |inner, n| twice(n, inner));
    assert_eq!(Machine::new(50_000).normalise(&term), Err(OutOfSteps));
}
