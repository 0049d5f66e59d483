//! What core means, row by row: examples of the paper and the facts that its dynamic semantics and erasure rest on
//! (Slepak, Shivers, Manolios: The Semantics of Rank Polymorphism). Every row runs on both machines and both evaluators.

use crate::support::laws::{self, End};
use pretty_assertions::assert_eq;
use remora::base::FileId;
use remora::ir::core::{Expr, print, read};
use remora::runtime::block::Block;
use remora::theory::erased;
use remora::theory::step::{Rule, Step, typed};

fn parsed(text: &str) -> Expr {
    let (expr, diagnostics) = read::expr(FileId::default(), text);
    assert!(diagnostics.is_empty(), "{diagnostics:#?}\n{text}");
    expr.expect("an expression")
}

/// The value that an expression steps to, as text, with its type; or the code of the failure. All laws are checked on the way.
fn result(text: &str) -> String {
    let term = parsed(text);
    laws::unique_type(&term).unwrap();
    let walk = laws::lockstep(&term, true).unwrap();
    laws::agreement(&term, &walk).unwrap();
    match &walk.end {
        End::Value(value) => {
            let ty = laws::type_of(&term).unwrap();
            laws::canonical(value, &ty).unwrap();
            format!("{} : {}", print::expr(value), print::ty(&ty))
        }
        End::Stuck(stuck) => stuck.code.to_string(),
        End::Unfinished => "unfinished".to_string(),
    }
}

/// The rules of a run, in order.
fn rules(text: &str) -> Vec<Rule> {
    let mut state = parsed(text);
    let mut rules = Vec::new();
    while let Step::Next(next, rule) = typed::step(&state) {
        rules.push(rule);
        state = next;
    }
    rules
}

fn erasure(text: &str) -> String {
    erased::print::expr(&laws::erased(&parsed(text)).unwrap())
}

#[test]
fn splitting_and_replicating() {
    // Split_3 of (1 2 3 4 5 6) is ((1 2 3) (4 5 6)); a frame of cells is what it leaves.
    let cells = Block { dims: vec![2, 3], atoms: vec![parsed("1"); 6] }.cells(1).unwrap();
    assert_eq!(cells.iter().map(|cell| (cell.dims.clone(), cell.atoms.len())).collect::<Vec<_>>(), [(vec![3], 3), (vec![3], 3)]);
    // Rep_2 of (0 1) is (0 0 1 1).
    assert_eq!(result("(map [2] ([x (array [2] 0 1)]) (rep [2] x))"), "(array [2 2] 0i64 0i64 1i64 1i64) : [i64 2 2]");
    assert_eq!(result("(rep [2] (array [2] 0 1))"), "(array [2 2] 0i64 1i64 0i64 1i64) : [i64 2 2]");
}

#[test]
fn types_are_substituted_in_annotations() {
    let term = parsed("((t-fn (t) (fn ([x [t 3]]) : [t 3] x)){i64 |} (array [3] 1 2 3))");
    let Step::Next(next, Rule::TBeta) = typed::step(&term) else { panic!("t-beta") };
    assert_eq!(print::expr(&next), "((fn ([x [i64 3]]) : [i64 3] x) (array [3] 1i64 2i64 3i64))");
}

/// A function on one `s` and `n` by 4 numbers, which gives `n` by 4 by `k` numbers: the example of section 3.
const LIFTED: &str = "(i-fn (n k @s) (t-fn (s) (fn ([f (-> ([s @s] f64) [f64 k])] [a [s @s]] [xs [f64 n 4]]) : [f64 n 4 k]
    (map [n 4] ([x xs]) (f a x)))))";

#[test]
fn shapes_without_cells() {
    let apply = |n: u32, xs: &str| {
        format!("({LIFTED}{{bool | {n} 2 []}} (fn ([b bool] [x f64]) : [f64 2] (if b (rep [2] x) (rep [2] 0.0))) true {xs})")
    };
    assert_eq!(result(&apply(0, "(array [0 4] f64)")), "(array [0 4 2] f64) : [f64 0 4 2]");
    let one = result(&apply(1, "(array [1 4] 1.0 2.0 3.0 4.0)"));
    assert_eq!(
        one,
        "(array [1 4 2]\n  1.0f64\n  1.0f64\n  2.0f64\n  2.0f64\n  3.0f64\n  3.0f64\n  4.0f64\n  4.0f64) : [f64 1 4 2]"
            .replace("\n  ", " ")
    );
    // The erased form keeps n, 4 and k; the binder of s stays without a use.
    assert_eq!(erasure(LIFTED), "(i-fn (n k @s) (i-fn (@s'1) (fn (f a xs) (map [n 4] : [k] ([x xs]) (f a x)))))");
}

#[test]
fn empty_frames_run_nothing() {
    // The body would fail: it is not run, the shape of the result comes from the type.
    let body = "(rep [4] (f64./ (index{f64 | 3 []} v 7) 0.0))";
    assert_eq!(result(&format!("(map [0] ([v (array [0 3] f64)]) {body})")), "(array [0 4] f64) : [f64 0 4]");
    assert_eq!(result(&format!("(map [1] ([v (array [1 3] 1.0 2.0 3.0)]) {body})")), "E0501");
    // Lifting a scalar to an empty frame.
    assert_eq!(result("(map [0] ([x (rep [0] 1)] [y (array [0] i64)]) (i64.+ x y))"), "(frame [0] : i64) : [i64 0]");
    // An array without functions, and one without boxes, have a shape like one without numbers.
    let empty = "(proj 0 (tuple (frame [0 2] : (-> (i64) i64)) 1))";
    assert_eq!(result(empty), "(frame [0 2] : (-> (i64) i64)) : [(-> (i64) i64) 0 2]");
    assert_eq!(erasure(empty), "(proj 0 (tuple (array [0 2]) 1i64))");
    assert_eq!(erasure("(array [0 2] f64)"), "(array [0 2])");
}

#[test]
fn sizes_of_arrays_that_cannot_be() {
    assert_eq!(result("(iota -1)"), "E0504");
    assert_eq!(result("(rep [-1] 0)"), "E0504");
    assert_eq!(result("(map [0] () (iota -1))"), "E0504");
    assert_eq!(result("(frame [0] : [i64 -2])"), "E0504");
}

#[test]
fn a_different_function_for_each_cell() {
    let text = "(map [2] ([f (frame [2] : (-> (i64 i64) i64) i64.+ i64.*)] [x (array [2] 10 20)] [y (array [2] 3 4)]) (f x y))";
    assert_eq!(result(text), "[13i64 80i64] : [i64 2]");
    assert_eq!(rules(text), [Rule::Map, Rule::Delta, Rule::Delta]);
}

#[test]
fn lifting_is_written_out() {
    // (+ 10 [1 2 3])
    assert_eq!(result("(map [3] ([x (rep [3] 10)] [y (array [3] 1 2 3)]) (i64.+ x y))"), "[11i64 12i64 13i64] : [i64 3]");
    // Prefix agreement: (+ [10 20] [[1 2 3] [4 5 6]]).
    let matrix = "(array [2 3] 1 2 3 4 5 6)";
    let prefix = format!("(map [2 3] ([x (map [2] ([x (array [2] 10 20)]) (rep [3] x))] [y {matrix}]) (i64.+ x y))");
    assert_eq!(result(&prefix), "(frame [2 3] : i64 11i64 12i64 13i64 24i64 25i64 26i64) : [i64 2 3]");
}

#[test]
fn cells_with_a_rank_collapse() {
    let text = "(frame [2] : [i64 2] (array [2] 1 2) (map [2] ([x (array [2] 3 4)]) (i64.+ x 1)))";
    assert_eq!(result(text), "(array [2 2] 1i64 2i64 4i64 5i64) : [i64 2 2]");
    assert_eq!(rules(text), [Rule::Map, Rule::Delta, Rule::Delta, Rule::Collapse]);
}

#[test]
fn boxes() {
    // The sum of the numbers below n, also for n = 0.
    let sum = "(fn ([n i64]) : i64 (unbox (box ((k (size n))) [i64 k] (iota n)) (v k) (reduce{i64 | k []} i64.+ 0 v)))";
    for (n, total) in [(0, 0), (1, 0), (5, 10)] {
        assert_eq!(result(&format!("({sum} {n})")), format!("{total}i64 : i64"));
    }
    // A vector of boxes of different sizes, and what is in them.
    let ragged = "(map [2] ([n (array [2] 3 1)]) (box ((k (size n))) [i64 k] (iota n)))";
    assert_eq!(result(&format!("(map [2] ([b {ragged}]) (unbox b (v k) (reify-dimension k)))")), "[3i64 1i64] : [i64 2]");
    assert_eq!(
        result("(filter{i64 | 3 []} (i64.< 1) (array [3] 1 2 3))"),
        "(box ((k 2)) [i64 k] (array [2] 2i64 3i64)) : (Sigma (k) [i64 k])"
    );
}

#[test]
fn reified_shapes_keep_their_type() {
    // With a shape variable the shape is in a box, also once the variable is known.
    let text = "((i-fn (@s) (t-fn (t) (fn ([x [t 2 @s]]) : i64 (unbox (reify-shape [2 @s]) (v k) (i64.sum{| k} v))))){f64 | [3 4]} (rep [2 3 4] 1.0))";
    assert_eq!(result(text), "9i64 : i64");
    assert_eq!(result("(i-fn (@s) (reify-shape [2 @s])){| [3]}"), "(box ((n 2)) [i64 n] (array [2] 2i64 3i64)) : (Sigma (n) [i64 n])");
    assert_eq!(result("(reify-shape [2 3])"), "(array [2] 2i64 3i64) : [i64 2]");
}

#[test]
fn partial_operations() {
    for (text, code) in [
        ("(i64./ 1 0)", "E0505"),
        ("(i64.** 2 -1)", "E0505"),
        ("(map [2] ([x (array [2] 1 0)]) (i64.% 1 x))", "E0505"),
        ("(index{i64 | 2 []} (array [2] 1 2) 2)", "E0501"),
        ("(assert false \"no\" 1)", "E0506"),
        ("(let [n (i64.+ 1 2)] (coerce [i64 2] (iota n)))", "E0503"),
        ("(unflatten{i64 | 2 2 []} (coerce [i64 4] (iota 5)))", "E0503"),
        ("(range_upto{i64 | []} 0 0 1)", "E0504"),
    ] {
        assert_eq!(result(text), code, "{text}");
    }
    // What is not reached does not fail.
    assert_eq!(result("(if true 1 (i64./ 1 0))"), "1i64 : i64");
    assert_eq!(result("(let [f (fn ([x i64]) : i64 (i64./ x 0))] 2)"), "2i64 : i64");
}

#[test]
fn a_function_has_a_shape_of_its_own() {
    let near = "(fn ([p [f64 3]]) : bool (f64.< (f64.sum{| 3} (map [3] ([x p]) (f64.* x x))) 1.0))";
    let ty = laws::type_of(&parsed(near)).unwrap();
    assert!(ty.shape().is_scalar(), "{}", print::ty(&ty));
    assert_eq!(result(&format!("({near} (array [3] 0.5 0.5 0.5))")), "true : bool");
}

#[test]
fn functions_that_primitives_take_are_applied_in_order() {
    assert_eq!(result("(reduce{i64 | 3 []} i64.- 10 (array [3] 1 2 3))"), "4i64 : i64");
    let Step::Next(next, Rule::Delta) = typed::step(&parsed("(reduce{i64 | 3 []} i64.- 10 (array [3] 1 2 3))")) else { panic!("delta") };
    assert_eq!(print::expr(&next), "(i64.- (i64.- (i64.- 10i64 1i64) 2i64) 3i64)");
    assert_eq!(result("(scan{i64 | 3 []} i64.- 0 (array [3] 1 2 3))"), "[-1i64 -3i64 -6i64] : [i64 3]");
    // The first failure is that of the first cell.
    let fails = "(fn ([a i64] [b i64]) : i64 (if (i64.== b 1) (i64./ a 0) (index{i64 | 1 []} (array [1] 0) b)))";
    assert_eq!(result(&format!("(reduce{{i64 | 2 []}} {fails} 0 (array [2] 1 2))")), "E0505");
    assert_eq!(result(&format!("(scan{{i64 | 2 []}} {fails} 0 (array [2] 2 1))")), "E0501");
    assert_eq!(result("(hist{i64 | 4 []} i64.+ 0 2 (array [4] 0 1 5 0) (array [4] 1 2 3 4))"), "(array [2] 5i64 2i64) : [i64 2]");
    assert_eq!(result("(hist{i64 | 0 []} i64.+ 0 -1 (array [0] i64) (array [0] i64))"), "E0504");
}

#[test]
fn loops() {
    assert_eq!(result("(loop ([x i64 1]) (for i 4) (i64.+ (i64.* x 2) i))"), "27i64 : i64");
    assert_eq!(result("(loop ([x i64 1]) (for i -3) (i64./ x 0))"), "1i64 : i64");
    assert_eq!(
        result("(loop ([x i64 27] [n i64 0]) (while (i64.> x 0)) (tuple (i64./ x 2) (i64.+ n 1)))"),
        "(tuple 0i64 5i64) : (Tup i64 i64)"
    );
}

#[test]
fn fewer_and_more_arguments() {
    let two = "(fn ([n i64] [xs [f64 (size n)]]) : [f64 (size n)] xs)";
    let Step::Next(next, Rule::Beta) = typed::step(&parsed(&format!("({two} 2)"))) else { panic!("beta") };
    assert_eq!(print::expr(&next), "(fn ([xs [f64 2]]) : [f64 2] xs)");
    assert_eq!(result(&format!("(({two} 2) (array [2] 1.0 2.0))")), "(array [2] 1.0f64 2.0f64) : [f64 2]");
    assert_eq!(result("((i64.+ 1) 2)"), "3i64 : i64");
    assert_eq!(result("((fn ([x i64]) : (-> (i64) i64) (i64.+ x)) 1 2)"), "3i64 : i64");
}

#[test]
fn constants_are_sizes() {
    assert_eq!(result("(iota (i64.- i64.highest i64.highest))"), "(array [0] i64) : [i64 0]");
}

/// The inner function needs the shape of `x` for nothing but an empty frame; the coercion after it needs it still.
#[test]
fn shapes_outlive_functions_that_mention_them() {
    let text = "((i-fn (@s) (t-fn (t) (fn ([x [t @s]]) : [t 1 @s]
        (coerce [t 1 @s]
          (reduce{t | 1 [1 @s]} (fn ([p [t 1 @s]] [q [t 1 @s]]) : [t 1 @s] (map [1] () x)) (rep [1] x) (rep [1 1] x)))))){i64 | [2]}
      (array [2] 1 2))";
    assert_eq!(result(text), "(array [1 2] 1i64 2i64) : [i64 1 2]");
}

#[test]
fn shapes_from_data() {
    assert_eq!(result("shape_iota{| [2 2]}"), "(array [2 2] 0i64 1i64 2i64 3i64) : [i64 2 2]");
    assert_eq!(result("(recycle{i64 | [5] [3 2]} (array [5] 1 2 3 4 5))"), "(array [3 2] 1i64 2i64 3i64 4i64 5i64 1i64) : [i64 3 2]");
    assert_eq!(result("(recycle{i64 | [0] [2]} (array [0] i64))"), "E0503");
    assert_eq!(
        result("(unbox (lift_shape{| 2} (array [2] 2 3)) (w @s) (unbox (reify-shape [@s]) (v k) (i64.product{| k} v)))"),
        "6i64 : i64"
    );
    assert_eq!(result("(lift_shape{| 1} (array [1] -1))"), "E0504");
    assert_eq!(result("(subarray{i64 | [3] [2] [] 1} (array [3] 1 2 3) (array [1] 1))"), "(array [2] 2i64 3i64) : [i64 2]");
    assert_eq!(result("(subarray{i64 | [3] [2] [] 1} (array [3] 1 2 3) (array [1] 2))"), "E0501");
    assert_eq!(result("(scatter_new{i64 | 3 2 []} (array [3] 1 -1 0) (array [3] 7 8 9))"), "(array [2] 9i64 7i64) : [i64 2]");
    assert_eq!(result("(read_nums (tuple))"), "E0508");
}
