//! The notation and the checker of core: round trips, a corpus of wrong programs, hostile input.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use remora::base::{FileId, SourceMap, Span, Symbol, with_big_stack};
use remora::ir::core::free::{FreeVars, Name};
use remora::ir::core::subst::{Replacement, Subst};
use remora::ir::core::{Dim, Program, Type, check, equal, print, read};

mod generate;

use crate::support::structure::structure;

/// Reads a program that has no errors.
fn parsed(text: &str) -> Program {
    let (program, diagnostics) = read::program(FileId::default(), text);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}\n{text}");
    program
}

fn round_trip(program: &Program) {
    let text = print::program(program);
    let again = parsed(&text);
    assert_eq!(structure(program), structure(&again), "{text}");
    assert_eq!(text, print::program(&again));
}

#[test]
fn all_forms_check_and_round_trip() {
    let program = parsed(include_str!("../../../data/core/forms.remc"));
    if let Err(errors) = check::check(&program) {
        panic!("{errors:#?}");
    }
    round_trip(&program);
    let text = print::program(&program);
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    check::check(&parsed(&text)).unwrap();
}

#[test]
fn layout() {
    let text = "\
(define mean : (Pi (n) (-> ([f64 n]) f64))
  (i-fn (n) (fn ([xs [f64 n]]) : f64 (f64./ (f64.sum{| n} xs) (f64.i64 (reify-dimension n))))))

(entry pairs : (Pi (n m @s)
    (Forall (t) (-> ([t n @s] [k i64]) [t (+ (* m n) (* 2 n) (size k) -1) @s])))
  (i-fn (n m @s)
    (t-fn (t)
      (fn ([xs [t n @s]] [k i64]) : [t (+ (* m n) (* 2 n) (size k) -1) @s]
        (let [first-of-the-bindings : [i64 (size k)] (iota k)]
        (let [another-binding (loop ([acc i64 0i64]) (for i k) (i64.+ acc i))]
        (coerce [t (+ (* m n) (* 2 n) (size k) -1) @s] xs)))))))
";
    assert_eq!(print::program(&parsed(text)), text);
}

#[test]
fn aliases_are_read() {
    let text = "(define f : (Π (n) (∀ (t) (→ ((Arr t (shape n)) int) (Arr t (++ [n] [2])))))
      (Iλ (n) (Tλ (t) (λ ([x [t n]] [i int]) : [t n 2] (map [n] ([y x]) (rep [2] y))))))
      (define g : [float 2 2] ((t-app (i-app f 2) float) (array [2] 1.0 2.) 3))";
    let program = parsed(text);
    check::check(&program).unwrap();
    round_trip(&program);
    assert!(print::program(&program).contains("f{| 2}{f64 |}"));
}

/// What the reader or else the checker says about a program, a line for each message.
fn messages(source: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("", source);
    let (program, diagnostics) = read::program(file, source);
    let mut found: Vec<(Span, String)> = diagnostics.into_iter().map(|d| (d.labels[0].span, d.message)).collect();
    if found.is_empty() {
        found.extend(check::check(&program).err().unwrap_or_default().into_iter().map(|e| (e.span, e.message())));
    }
    found.into_iter().map(|(span, message)| format!(";! {} {message}\n", &sources.place(span)[1..])).collect()
}

#[test]
fn wrong_programs() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/core/wrong.remc");
    let golden = std::fs::read_to_string(path).unwrap();
    let mut blocks = golden.split("\n\n");
    let mut out = blocks.next().unwrap_or_default().to_string() + "\n";
    let mut count = 0;
    for block in blocks {
        let source: String = block.lines().filter(|line| !line.starts_with(";!")).map(|line| format!("{line}\n")).collect();
        let messages = messages(&source);
        assert!(!messages.is_empty(), "accepted: {source}");
        out += &format!("\n{source}{messages}");
        count += 1;
    }
    assert!(count >= 40);
    if std::env::var_os("REMORA_BLESS").is_some() {
        std::fs::write(path, out).unwrap();
    } else {
        assert_eq!(golden, out);
    }
}

#[test]
fn several_errors_are_reported() {
    let program = parsed("(define a : i64 true) (define b : i64 a) (define c : i64 (let [x : f64 1] (f64.+ x true)))");
    let errors = check::check(&program).unwrap_err();
    let defs: Vec<&str> = errors.iter().filter_map(|e| e.def).map(Symbol::as_str).collect();
    assert_eq!(defs, ["a", "c", "c"]);
}

/// `x1 = (x0, x0)`, `x2 = (x1, x1)`, ..: types with 2^depth leaves.
fn doubling(depth: usize, prefix: &str, body: &str) -> String {
    let lets: String = (1..=depth).map(|i| format!("(let [{prefix}{i} (tuple {prefix}{0} {prefix}{0})]\n", i - 1)).collect();
    format!("(let [{prefix}0 1.0] {lets} {body} {}", ")".repeat(depth + 1))
}

#[test]
fn doubling_types_check_at_once() {
    let start = std::time::Instant::now();
    let inner = doubling(40, "y", "(let [f (if true x40 y40)] (let [z (map [] ([a x40]) (tuple a y40 (rep [3] x40)))] 0.0))");
    let program = parsed(&format!("(define f : f64 {})", doubling(40, "x", &inner)));
    check::check(&program).unwrap();
    let wrong = parsed(&format!("(define f : f64 {})", doubling(25, "x", "(f64.+ x25 1.0)")));
    let errors = check::check(&wrong).unwrap_err();
    assert!(errors[0].message().contains("...") && errors[0].message().len() < 20_000, "{}", errors[0].message().len());
    println!("{:?}", start.elapsed());
}

#[test]
fn sharing_under_binders() {
    let start = std::time::Instant::now();
    let chain = |p: &str, v: &str, w: &str| {
        let step = |i: usize| format!("(let [{p}{i} (tuple (i-fn ({v}{i}) {p}{0}) (i-fn ({w}{i}) {p}{0}))]\n", i - 1);
        format!("(let [{p}0 (fn ([u [f64 n]]) : f64 0.0)]{}", (1..=30).map(step).collect::<String>())
    };
    let (a, b) = (chain("a", "k", "l"), chain("b", "p", "q"));
    let text = format!(
        "(define f : (Pi (n) (-> ([f64 n]) f64)) (i-fn (n) (fn ([u [f64 n]]) : f64 {a}{b}(if true (a0 u) (let [c (if true a30 b30)] 0.0)){})))",
        ")".repeat(62)
    );
    let program = parsed(&text);
    check::check(&program).unwrap();
    let generic = text.replace(
        "(define f : (Pi (n)",
        "(define g : (Pi (n) (-> ([f64 n]) f64)) (i-fn (n) (fn ([u [f64 n]]) : f64 0.0))) (define f : (Pi (n)",
    );
    let program = parsed(&generic.replace("(let [c (if true a30 b30)] 0.0)", "(g{| n} u)"));
    check::check(&program).unwrap();
    println!("{:?}", start.elapsed());
}

#[test]
fn deep_nesting() {
    with_big_stack(|| {
        let depth = 100_000;
        let (_, diagnostics) = read::program(FileId::default(), &"(".repeat(depth));
        assert!(!diagnostics.is_empty());
        let (_, diagnostics) = read::program(FileId::default(), &"x{".repeat(depth));
        assert!(!diagnostics.is_empty());
        let sum = format!("(define f : i64 {}1{})", "(i64.+ 1 ".repeat(depth), ")".repeat(depth));
        let program = parsed(&sum);
        check::check(&program).unwrap();
        assert!(print::program(&program).len() < 12_000_000);
        let lets =
            format!("(define f : (-> (i64) i64) (fn ([x i64]) : i64 {}x{}))", "(let [x (i64.* x 3)] ".repeat(20_000), ")".repeat(20_000));
        let program = parsed(&lets);
        check::check(&program).unwrap();
        let text = print::program(&program);
        assert!(text.len() < 2_000_000, "{}", text.len());
        parsed(&text);
        let ty = format!("(define f : {}i64{} 1)", "(Tup ".repeat(depth), ")".repeat(depth));
        assert!(check::check(&parsed(&ty)).is_err());
    });
}

#[test]
fn large_sizes_are_refused_or_opaque() {
    let squares: String = (0..40).map(|_| "(let [n (i64.* n n)] ").collect();
    let text = format!("(define f : (-> (i64 i64) i64) (fn ([n i64] [m i64]) : i64 (let [n (i64.+ n m)] {squares} n{}))", ")".repeat(41));
    check::check(&parsed(&text)).unwrap();
    let product = "(* ".repeat(40) + &"(+ a b)".repeat(2) + &" (+ a b))".repeat(40);
    let (_, diagnostics) = read::program(FileId::default(), &format!("(define f : [i64 {product}] 1)"));
    assert_eq!(diagnostics[0].message, "this size is too large to write out");
}

#[test]
fn cell_types() {
    let text = "(define f : (Pi (n m) (-> ([f64 n m] [k i64]) [f64 n (size k)]))
      (i-fn (n m) (fn ([a [f64 n m]] [k i64]) : [f64 n (size k)] (map [n] ([row a]) (rep [(size k)] (f64.sum{| m} row))))))";
    let program = parsed(text);
    let cells = check::map_cell_types(&program);
    let shown: Vec<String> = cells.values().map(print::ty).collect();
    assert_eq!(shown, ["[f64 (size k)]"]);
}

fn ty(text: &str) -> Type {
    let (ty, diagnostics) = read::ty(FileId::default(), text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    ty.unwrap()
}

#[test]
fn equivalence() {
    let same = |a: &str, b: &str| equal::equal(&ty(a), &ty(b));
    assert!(same("(Pi (n @s) (-> ([f64 n @s]) f64))", "(Pi (m @r) (-> ([f64 m @r]) f64))"));
    assert!(!same("(Pi (n m) [f64 n m])", "(Pi (n m) [f64 m n])"));
    assert!(!same("(Pi (n) (Pi (n) [f64 n]))", "(Pi (n) (Pi (m) [f64 n]))"));
    assert!(same("(Pi (n) (Pi (n) [f64 n]))", "(Pi (m) (Pi (n) [f64 n]))"));
    assert!(!same("(Pi (n) [f64 n])", "(Pi (@n) [f64 @n])"));
    assert!(!same("(Pi (n) [f64 m])", "(Pi (m) [f64 m])"));
    assert!(same("(-> ([n i64]) [f64 (+ (size n) m)])", "(-> ([k i64]) [f64 (+ m (size k))])"));
    assert!(same("(-> ([n i64]) f64)", "(-> (i64) f64)"));
    assert!(!same("(-> ([n i64]) [f64 (size n)])", "(-> (i64) [f64 (size n)])"));
    assert!(same("(-> (i64) (-> (f64) bool))", "(-> (i64 f64) bool)"));
    assert!(same("(Forall (t) (Forall (u) [t 3]))", "(Forall (u) (Forall (t) [u 3]))"));
    assert!(!same("(Sigma (n) [f64 n])", "(Pi (n) [f64 n])"));
}

#[test]
fn substitution_does_not_capture() {
    let put = |name: Name, by: Replacement, into: &str| {
        let mut subst = Subst::default();
        subst.insert(name, by);
        print::ty(&subst.ty(&mut FreeVars::default(), &ty(into)).unwrap())
    };
    let n = Name::Index(Symbol::new("n"));
    let dim = |text: &str| Replacement::Dim(Dim::var(Symbol::new(text)));
    assert_eq!(put(n, dim("m"), "(Pi (m) [f64 n m])"), "(Pi (m'1) [f64 m m'1])");
    assert_eq!(put(n, dim("m"), "(Pi (n) [f64 n])"), "(Pi (n) [f64 n])");
    assert_eq!(put(n, dim("m"), "(Sigma (@s) [f64 n n @s])"), "(Sigma (@s) [f64 m m @s])");
    let size = Replacement::Dim(Dim::size(Symbol::new("k")));
    assert_eq!(
        put(n, size, "(-> ([k i64] [f64 n]) [f64 (size k)])"),
        "(-> ([k'1 i64] [f64 k]) [f64 (size k'1)])".replace(" k]", " (size k)]")
    );
    let function = Replacement::Atom(ty("(-> (i64) [t 2])").atom().clone());
    let t = Name::Type(Symbol::new("t"));
    assert_eq!(put(t, function.clone(), "(-> (f64) t)"), "(-> (f64 i64) [t 2])");
    assert_eq!(put(t, function, "(Forall (t) (-> (f64) t))"), "(Forall (t) (-> (f64) t))");
    let shared = ty("(Tup f64 [i64 m])");
    assert!(Subst::default().ty(&mut FreeVars::default(), &shared).is_ok_and(|same| std::sync::Arc::ptr_eq(&same.0, &shared.0)));
}

#[test]
fn types_of_expressions() {
    let mut env = check::TypeEnv::default();
    env.index(Symbol::new("n"));
    env.variable(Symbol::new("k"), read::ty(FileId::default(), "i64").0.unwrap());
    env.variable(Symbol::new("xs"), read::ty(FileId::default(), "[f64 n (size k)]").0.unwrap());
    let (expr, _) = read::expr(
        FileId::default(),
        "(let [m (i64.* 2 k)] (map [n] ([x xs]) (concat{f64 | (size k) (size m) []} x (rep [(size m)] 1.0))))",
    );
    let ty = check::infer_type(&mut env, &expr.unwrap()).unwrap();
    assert_eq!(print::ty(&ty), "[f64 n (* 3 (size k))]");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_read(text in "[()\\[\\]{}|@#\";a-z0-9 .:+-]{0,200}") {
        let (program, _) = read::program(FileId::default(), &text);
        let _ = check::check(&program);
    }

    #[test]
    fn any_form_is_read(text in prop::collection::vec(generate::token(), 0..60)) {
        let text = format!("(define f : i64 {})", text.join(" "));
        let (program, _) = read::program(FileId::default(), &text);
        let _ = check::check(&program);
        round_trip(&program);
    }

    #[test]
    fn generated_programs_round_trip(program in generate::program()) {
        round_trip(&program);
        let _ = check::check(&program);
    }

    #[test]
    fn sizes_are_a_commutative_ring(a in generate::dim(), b in generate::dim(), c in generate::dim()) {
        prop_assert_eq!(a.add(&b), b.add(&a));
        prop_assert_eq!(a.add(&b).add(&c), a.add(&b.add(&c)));
        prop_assert_eq!(a.mul(&b), b.mul(&a));
        prop_assert_eq!(a.mul(&b).mul(&c), a.mul(&b.mul(&c)));
        prop_assert_eq!(a.mul(&b.add(&c)), a.mul(&b).add(&a.mul(&c)));
        prop_assert_eq!(a.sub(&a).as_constant(), Some(0));
        let values = generate::assignment();
        let at = |d: &remora::ir::core::Dim| d.subst(&mut |atom| values(atom)).as_constant();
        prop_assert_eq!(at(&a.mul(&b)), at(&a).zip(at(&b)).map(|(x, y)| x.wrapping_mul(y)));
        if a.never_equal(&b) {
            prop_assert_ne!(at(&a), at(&b));
        }
    }

    #[test]
    fn sizes_round_trip(a in generate::dim()) {
        let text = format!("[i64 {}]", print::dim(&a));
        let ty = read::ty(FileId::default(), &text).0.unwrap();
        prop_assert_eq!(ty.shape(), &remora::ir::core::Shape::dims([a]));
    }
}
