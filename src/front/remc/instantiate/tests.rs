//! Unit tests, and comparison with brute force on small words.

use super::{Equation, Problem, Solution, Unsolved, shown, solve};
use crate::base::{FileId, Symbol};
use crate::ir::core::free::FreeVars;
use crate::ir::core::{Dim, Shape, ShapeItem, Type, equal, read};
use proptest::prelude::*;

fn ty(text: &str) -> Type {
    let (ty, diagnostics) = read::ty(FileId::default(), text);
    assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
    ty.expect("a type")
}

/// `unknowns` are sizes `n`, shapes `@s` and, after a bar, atom types; equations are cells with frames `@f0`, `@f1`, .. or, after `=`, exact.
fn problem(unknowns: &str, equations: &[(&str, &str)]) -> Problem {
    let (indices, atoms) = unknowns.split_once('|').unwrap_or((unknowns, ""));
    let names = |text: &str| text.split_whitespace().map(Symbol::new).collect::<Vec<_>>();
    let (shapes, dims) = names(indices).into_iter().partition(|name: &Symbol| name.as_str().starts_with('@'));
    let equation = |(at, (param, arg)): (usize, &(&str, &str))| match param.strip_prefix("= ") {
        Some(param) => Equation::Exact { param: ty(param), arg: ty(arg) },
        None => Equation::Cell { param: ty(param), arg: ty(arg), frame: Symbol::new(&format!("@f{at}")) },
    };
    let equations = equations.iter().enumerate().map(equation).collect();
    Problem { dims, shapes, atoms: names(atoms), frames: Vec::new(), equations }
}

/// The values of the unknowns and the frames, or the message.
fn show(problem: &Problem) -> String {
    match solve(problem) {
        Ok(solution) => {
            let frames = problem.equations.iter().filter_map(|e| match e {
                Equation::Cell { frame, .. } => Some(frame),
                Equation::Exact { .. } => None,
            });
            let names = problem.dims.iter().chain(&problem.shapes).chain(&problem.atoms).chain(frames);
            let parts: Vec<String> =
                names.map(|name| format!("{name}={}", solution.value(*name).map_or("?".into(), |value| shown(&value)))).collect();
            parts.join(" ")
        }
        Err(Unsolved::Contradiction { equation, reason }) => format!("{equation}: {reason}"),
        Err(other) => other.to_string(),
    }
}

#[track_caller]
fn check(unknowns: &str, equations: &[(&str, &str)], expected: &str) {
    assert_eq!(show(&problem(unknowns, equations)), expected);
}

#[test]
fn head_takes_the_whole_argument() {
    let head = |arg| show(&problem("d @s | t", &[("[t (+ 1 d) @s]", arg)]));
    assert_eq!(head("[i64 3 2]"), "d=2 @s=[2] t=i64 @f0=[]");
    assert_eq!(head("[i64 5 6 7]"), "d=4 @s=[6 7] t=i64 @f0=[]");
    assert_eq!(head("[f64 1]"), "d=0 @s=[] t=f64 @f0=[]");
    assert_eq!(head("[f64 (+ n 1) @r]"), "d=n @s=[@r] t=f64 @f0=[]");
    // Where the first size can be 0 the next one is taken.
    assert_eq!(head("[f64 0 3]"), "d=2 @s=[] t=f64 @f0=[0]");
    assert_eq!(head("[f64 n]"), "0: the size (+ d 1) cannot be n: `d` would be (+ n -1), which may be negative");
    assert_eq!(head("i64"), "0: an array of shape [] has no cells of shape [(+ d 1) @s]");
    assert_eq!(head("[f64 @r]"), "0: the shape [(+ d 1) @s] cannot be [@r]");
}

#[test]
fn parameters_share_unknowns() {
    let append = &["[t m @s]", "[t n @s]"];
    let append = |a, b| show(&problem("m n @s | t", &[(append[0], a), (append[1], b)]));
    assert_eq!(append("[i64 2]", "[i64 3]"), "m=2 n=3 @s=[] t=i64 @f0=[] @f1=[]");
    assert_eq!(append("[i64 2 4]", "[i64 3 4]"), "m=2 n=3 @s=[4] t=i64 @f0=[] @f1=[]");
    assert_eq!(append("[i64 2]", "[i64 2 5]"), "m=2 n=5 @s=[] t=i64 @f0=[] @f1=[2]");
    // Rows of different lengths: the rows are appended, pair by pair.
    assert_eq!(append("[i64 2 4]", "[i64 2 5]"), "m=4 n=5 @s=[] t=i64 @f0=[2] @f1=[2]");
    assert_eq!(append("[i64 2]", "[f64 2]"), "1: expected elements of type i64, found f64");
    assert_eq!(append("[i64 2 k]", "[i64 k k]"), "m=2 n=k @s=[k] t=i64 @f0=[] @f1=[]");
}

#[test]
fn functions_fix_the_cells() {
    let reduce = "(-> ([t @s] [t @s]) [t @s])";
    let plus = "(-> (i64 i64) i64)";
    let vectors = "(-> ([i64 3] [i64 3]) [i64 3])";
    let one = |f, init, xs| show(&problem("d @pad @s | t", &[(reduce, f), ("[t @s]", init), ("[t d @pad @s]", xs)]));
    assert_eq!(one(plus, "i64", "[i64 5]"), "d=5 @pad=[] @s=[] t=i64 @f0=[] @f1=[] @f2=[]");
    assert_eq!(one(plus, "i64", "[i64 5 7]"), "d=5 @pad=[7] @s=[] t=i64 @f0=[] @f1=[] @f2=[]");
    assert_eq!(one(vectors, "[i64 3]", "[i64 5 3]"), "d=5 @pad=[] @s=[3] t=i64 @f0=[] @f1=[] @f2=[]");
    assert_eq!(one(vectors, "[i64 2 3]", "[i64 5 3]"), "d=5 @pad=[] @s=[3] t=i64 @f0=[] @f1=[2] @f2=[]");
    assert_eq!(one("[(-> (i64 i64) i64) 2]", "i64", "[i64 2 5]"), "d=2 @pad=[5] @s=[] t=i64 @f0=[2] @f1=[] @f2=[]");
    assert_eq!(one(plus, "f64", "[i64 5]"), "1: expected elements of type i64, found f64");
    assert_eq!(one(vectors, "[i64 3]", "[i64 5 4]"), "2: the size 3 cannot be 4");
}

#[test]
fn folds_take_accumulators_of_any_type() {
    let fold = |f, init, xs| {
        let cells = [("(-> ([u @u] [t @s]) [u @u])", f), ("[u @u]", init), ("[t d @s]", xs)];
        show(&problem("d @u @s | t u", &cells))
    };
    assert_eq!(fold("(-> (f64 i64) f64)", "f64", "[i64 5 3]"), "d=3 @u=[] @s=[] t=i64 u=f64 @f0=[] @f1=[] @f2=[5]");
    assert_eq!(
        fold("(-> ([(Tup i64 [f64 2]) 7] [i64 3]) [(Tup i64 [f64 2]) 7])", "[(Tup i64 [f64 2]) 7]", "[i64 5 3]"),
        "d=5 @u=[7] @s=[3] t=i64 u=(Tup i64 [f64 2]) @f0=[] @f1=[] @f2=[]"
    );
    // A function that returns a function is a function of more parameters.
    assert_eq!(
        fold("(-> ((-> (i64) i64) i64 i64) i64)", "(-> (i64) i64)", "[i64 4]"),
        "d=4 @u=[] @s=[] t=i64 u=(-> (i64) i64) @f0=[] @f1=[] @f2=[]"
    );
}

#[test]
fn what_the_arguments_do_not_say_is_listed() {
    check("@s", &[], "the arguments do not say what `@s` is");
    check("@a @b | t", &[("[t @a @b]", "[i64 2]")], "the arguments do not say what `@a`, `@b` are: @a = [], @b = [2] or @a = [2], @b = []");
    check("d e | t", &[("[t (+ d e)]", "[i64 n]")], "the arguments do not say what `d`, `e` are");
    check("d e | t", &[("[t (+ d e)]", "[i64 5]")], "the arguments do not say what `d`, `e` are: d = 0, e = 5 or d = 1, e = 4");
    check("d | t u", &[("[t d]", "[i64 5]")], "the arguments do not say what `u` is");
    // Another argument decides.
    check("@a @b | t", &[("[t @a @b]", "[i64 2 3]"), ("[t @a]", "[i64 2]")], "@a=[2] @b=[3] t=i64 @f0=[] @f1=[]");
}

#[test]
fn sizes_are_linear_over_the_naturals() {
    check("d | t", &[("[t (+ 1 d)]", "[i64 5]")], "d=4 t=i64 @f0=[]");
    check("d | t", &[("[t (+ 1 d)]", "[i64 0]")], "0: the size (+ d 1) cannot be 0: `d` would be -1");
    check("d | t", &[("[t (+ d n)]", "[i64 (+ n n 2)]")], "d=(+ n 2) t=i64 @f0=[]");
    check("d | t", &[("[t (+ d n)]", "[i64 5]")], "0: the size (+ d n) cannot be 5: `d` would be (+ (* -1 n) 5), which may be negative");
    check("d | t", &[("[t (+ d d)]", "[i64 6]")], "d=3 t=i64 @f0=[]");
    check("d | t", &[("[t (+ d d)]", "[i64 5]")], "0: the size (* 2 d) cannot be 5: 2 times `d` would be 5");
    check("d | t", &[("[t d]", "[i64 (- (size b) (size a))]")], "d=(+ (* -1 (size a)) (size b)) t=i64 @f0=[]");
    check("d e | t", &[("[t (+ d e)]", "[i64 0]")], "d=0 e=0 t=i64 @f0=[]");
    check("d e | t", &[("[t (+ d d e e e)]", "[i64 5]")], "d=1 e=1 t=i64 @f0=[]");
    check("d e | t", &[("[t (+ d d d e e e e)]", "[i64 5]")], "0: the size (+ (* 3 d) (* 4 e)) cannot be 5 for any natural numbers");
    check("d e | t", &[("[t (+ d e) (+ d e e)]", "[i64 5 8]")], "d=2 e=3 t=i64 @f0=[]");
    check("d e | t", &[("[t (+ d e) (+ d e e)]", "[i64 n (+ n k)]")], SYMBOLIC);
    // Products wait until they are linear.
    check("d e | t", &[("[t (* d e)]", "[i64 12]"), ("[t d]", "[i64 3]")], "d=3 e=4 t=i64 @f0=[] @f1=[]");
    check("d e | t", &[("[t (* d e)]", "[i64 12]")], "the arguments do not say what `d`, `e` are");
}

const SYMBOLIC: &str = "0: the size (+ d (* 2 e)) cannot be (+ k n): `d` would be (+ (* -1 k) n), which may be negative";

#[test]
fn types_are_compared_by_structure() {
    check("n | t", &[("= (Sigma (k) [t k n])", "(Sigma (j) [i64 j 4])")], "n=4 t=i64");
    check(
        "n | t",
        &[("= (Sigma (k) [t k n])", "(Sigma (j) [i64 j j])")],
        "0: the size n cannot be k'1: `n` would have to mention `k'1`, which is bound inside of a type",
    );
    check(
        "@s",
        &[("= (Pi (k) (-> ([i64 @s]) i64))", "(Pi (j) (-> ([i64 j]) i64))")],
        "0: `@s` would have to mention `k'1`, which is bound inside of a type",
    );
    check("| t", &[("= (Forall (a) (-> ([t 2]) [a 2]))", "(Forall (b) (-> ([i64 2]) [b 2]))")], "t=i64");
    check(
        "| t",
        &[("= (Forall (a) (-> (t) a))", "(Forall (b) (-> (b) b))")],
        "0: `t` would have to mention `a'1`, which is bound inside of a type",
    );
    check("| t", &[("= (-> (t) t)", "(-> ((-> (i64) i64)) i64 )")], "0: expected elements of type (-> (i64) i64), found i64");
    check("| t", &[("= t", "(Tup i64 f64)"), ("= (Tup i64 t)", "(Tup i64 (Tup i64 f64))")], "t=(Tup i64 f64)");
    check("| t u", &[("= (Tup t u)", "(Tup u (Tup t))")], "0: `u` would have to contain itself");
    check("n", &[("= (-> ([k i64]) [i64 (size k) n])", "(-> ([j i64]) [i64 (size j) 3])")], "n=3");
    check(
        "n",
        &[("= (-> ([k i64]) [i64 n])", "(-> ([j i64]) [i64 (size j)])")],
        "0: the size n cannot be (size k'1): `n` would have to mention `k'1`, which is bound inside of a type",
    );
    check("n", &[("= (Rec (a [i64 n]))", "(Rec (a [i64 3]))")], "n=3");
    check("n", &[("= (Rec (a [i64 n]))", "(Rec (b [i64 3]))")], "0: expected elements of type (Rec (a [i64 n])), found (Rec (b [i64 3]))");
}

#[test]
fn arguments_may_have_unknowns_of_their_own() {
    // (reduce append ..): both sides are to be found.
    let c = "(-> ([t @c] [t @c]) [t @c])";
    check("m n @c @s | t u", &[(c, "(-> ([u m @s] [u m @s]) [u m @s])"), ("[t @c]", "[i64 4 2]")], UNIFIED);
    check("@a @b", &[("= [i64 @a 3]", "[i64 3 @b]")], "the arguments do not say what `@a`, `@b` are");
}

const UNIFIED: &str = "the arguments do not say what `n` is";

#[test]
fn frames_that_are_known_decide() {
    let mut problem = problem("@a @b | t", &[("[t @a]", "[i64 2 3]"), ("[t 3]", "[i64 4 3]")]);
    problem.equations.push(Equation::Exact { param: ty("[i64 @a]"), arg: ty("[i64 3]") });
    assert!(matches!(solve(&problem), Err(Unsolved::Undetermined { .. })));
    problem.shapes.pop();
    let solution = solve(&problem).expect("a solution");
    assert_eq!(solution.value(Symbol::new("@f0")).map(|value| shown(&value)).as_deref(), Some("[2]"));
    assert_eq!(solution.value(Symbol::new("@f1")).map(|value| shown(&value)).as_deref(), Some("[4]"));
}

#[test]
fn too_many_choices_are_given_up() {
    let dims = "2 ".repeat(60);
    let arg = format!("[i64 {dims}]");
    let found = solve(&problem("@a @b @c @d @e | t", &[("[t @a @b @c @d @e]", &arg)]));
    assert_eq!(found, Err(Unsolved::TooManyChoices { equation: 0 }));
    // The parameters of the libraries have three pieces at most.
    let arg = format!("[i64 {}]", "2 ".repeat(100));
    assert!(solve(&problem("d @pad @c | t", &[("[t d @pad @c]", &arg), ("[t @c]", "i64")])).is_ok());
    // Independent arguments do not multiply.
    let params: Vec<String> = (0..12).map(|at| format!("[t d{at} @s{at}]")).collect();
    let unknowns: Vec<String> = (0..12).map(|at| format!("d{at} @s{at}")).collect();
    let equations: Vec<(&str, &str)> = params.iter().map(|param| (param.as_str(), "[i64 2 3 4 5 6 7]")).collect();
    assert!(solve(&problem(&(unknowns.join(" ") + " | t"), &equations)).is_ok());
}

/// A small problem: parameters are words over two unknown shapes, an unknown size and numbers.
#[derive(Debug, Clone)]
struct Small {
    params: Vec<Vec<u8>>,
    args: Vec<Vec<u8>>,
    exact: Vec<bool>,
}

fn small() -> impl Strategy<Value = Small> {
    let param = prop::collection::vec(0u8..7, 0..4);
    let arg = prop::collection::vec(0u8..4, 0..4);
    prop::collection::vec((param, arg, prop::bool::weighted(0.25)), 1..4).prop_map(|all| Small {
        params: all.iter().map(|(p, _, _)| p.clone()).collect(),
        args: all.iter().map(|(_, a, _)| a.clone()).collect(),
        exact: all.iter().map(|(_, _, e)| *e).collect(),
    })
}

const PARAM_ITEMS: [&str; 7] = ["@a", "@b", "d", "(+ d 1)", "2", "n", "@a"];
const ARG_ITEMS: [&str; 4] = ["1", "2", "n", "@r"];

impl Small {
    fn problem(&self) -> Problem {
        let text = |word: &[u8], items: &[&str]| {
            let items: Vec<&str> = word.iter().map(|item| items[usize::from(*item)]).collect();
            format!("[i64 {}]", items.join(" "))
        };
        let params: Vec<String> = self
            .params
            .iter()
            .zip(&self.exact)
            .map(|(p, e)| {
                let param = text(p, &PARAM_ITEMS);
                if *e { format!("= {param}") } else { param }
            })
            .collect();
        let args: Vec<String> = self.args.iter().map(|a| text(a, &ARG_ITEMS)).collect();
        let equations: Vec<(&str, &str)> = params.iter().zip(&args).map(|(p, a)| (p.as_str(), a.as_str())).collect();
        let mut problem = problem("d @a @b", &equations);
        let used = |item: &[u8]| self.params.iter().flatten().any(|i| item.contains(i));
        if !used(&[0, 6]) {
            problem.shapes.retain(|name| name.as_str() != "@a");
        }
        if !used(&[1]) {
            problem.shapes.retain(|name| name.as_str() != "@b");
        }
        if !used(&[2, 3]) {
            problem.dims.clear();
        }
        problem
    }
}

/// All words of at most three items over the items of the arguments.
fn all_words() -> Vec<Shape> {
    let sizes = [Dim::constant(1), Dim::constant(2), Dim::var(Symbol::new("n"))];
    let items: Vec<ShapeItem> = sizes.into_iter().map(ShapeItem::Dim).chain([ShapeItem::Var(Symbol::new("@r"))]).collect();
    let mut words = vec![Shape::default()];
    let mut last = words.clone();
    for _ in 0..3 {
        last = last.iter().flat_map(|word| items.iter().map(|item| word.append(&Shape { items: vec![item.clone()] }))).collect();
        words.extend(last.clone());
    }
    words
}

/// All solutions: values of `@a`, `@b`, `d` with the frames.
fn brute(problem: &Problem, words: &[Shape]) -> Vec<(Solution, Vec<Shape>)> {
    let one = [Shape::default()];
    let has = |name: &str| problem.shapes.contains(&Symbol::new(name));
    let (a, b) = (if has("@a") { words } else { &one[..] }, if has("@b") { words } else { &one[..] });
    let n = || Dim::var(Symbol::new("n"));
    let dims = if problem.dims.is_empty() { vec![Dim::default()] } else { vec![Dim::constant(0), Dim::constant(1), Dim::constant(2), n()] };
    // Values of the wrong lengths cannot hold; leaving them out saves most of the time.
    let fits = |a: &Shape, b: &Shape| {
        problem.equations.iter().all(|e| {
            let (Equation::Exact { param, arg } | Equation::Cell { param, arg, .. }) = e;
            let count = |name: &str| param.shape().items.iter().filter(|i| **i == ShapeItem::Var(Symbol::new(name))).count();
            let (of_a, of_b) = (count("@a"), count("@b"));
            let length = param.shape().items.len() - of_a - of_b + of_a * a.items.len() + of_b * b.items.len();
            length == arg.shape().items.len() || (matches!(e, Equation::Cell { .. }) && length < arg.shape().items.len())
        })
    };
    let mut found = Vec::new();
    for a in a {
        for b in b.iter().filter(|b| fits(a, b)) {
            for dim in &dims {
                let mut solution = Solution::default();
                solution.shapes.insert(Symbol::new("@a"), a.clone());
                solution.shapes.insert(Symbol::new("@b"), b.clone());
                solution.dims.insert(Symbol::new("d"), dim.clone());
                if let Some(frames) = holds(problem, &solution) {
                    found.push((solution, frames));
                }
            }
        }
    }
    found
}

/// The frames with which a solution satisfies all equations.
fn holds(problem: &Problem, solution: &Solution) -> Option<Vec<Shape>> {
    let mut frames = Vec::new();
    for equation in &problem.equations {
        let (Equation::Exact { param, arg } | Equation::Cell { param, arg, .. }) = equation;
        let param = solution.subst().ty(&mut FreeVars::default(), param).expect("small");
        let count = arg.shape().items.len().checked_sub(param.shape().items.len())?;
        let (frame, cell) = arg.shape().items.split_at(count);
        let exact = matches!(equation, Equation::Exact { .. });
        if (exact && count > 0) || !equal::equal(&Type::new(arg.atom().clone(), Shape { items: cell.to_vec() }), &param) {
            return None;
        }
        if !exact {
            frames.push(Shape { items: frame.to_vec() });
        }
    }
    Some(frames)
}

fn agree(frames: &[Shape]) -> bool {
    frames.iter().all(|a| frames.iter().all(|b| a.items.starts_with(&b.items) || b.items.starts_with(&a.items)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_brute_force(small in small()) {
        let problem = small.problem();
        let mut all = brute(&problem, &all_words());
        if all.iter().any(|(_, frames)| agree(frames)) {
            all.retain(|(_, frames)| agree(frames));
        }
        let lengths = |frames: &[Shape]| frames.iter().map(|f| f.items.len()).collect::<Vec<_>>();
        let count = all.first().map_or(0, |(_, frames)| frames.len());
        let least: Vec<usize> = (0..count).map(|at| all.iter().map(|(_, f)| f[at].items.len()).min().unwrap_or(0)).collect();
        let best: Vec<_> = all.iter().filter(|(_, frames)| lengths(frames) == least).collect();
        match solve(&problem) {
            Ok(solution) => {
                prop_assert_eq!(best.len(), 1, "{:?}", best);
                let (expected, frames) = best[0];
                for name in problem.dims.iter().chain(&problem.shapes) {
                    prop_assert_eq!(solution.value(*name), expected.value(*name));
                }
                let mut found = problem.equations.iter().filter_map(|e| match e {
                    Equation::Cell { frame, .. } => solution.frame(*frame).cloned(),
                    Equation::Exact { .. } => None,
                });
                prop_assert!(frames.iter().all(|frame| found.next().as_ref() == Some(frame)));
            }
            Err(Unsolved::Contradiction { .. }) => prop_assert!(all.is_empty(), "{:?}", all),
            Err(Unsolved::Undetermined { unknowns, .. }) => prop_assert!(best.len() != 1 && !all.is_empty(), "{:?} {:?}", unknowns, best),
            Err(Unsolved::TooManyChoices { .. }) => prop_assert!(false, "given up"),
        }
    }
}
