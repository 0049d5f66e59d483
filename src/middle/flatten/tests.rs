//! What nests become.

use super::{coalesce, flatten, sink};
use crate::base::{SourceMap, with_big_stack};
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, Program, SegKind, print, read};
use crate::ir::{kernel, soac};

/// The flattened program.
fn flattened(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("test.soac", text.to_owned());
    let program = read::program(file, text).unwrap_or_else(|errors| panic!("{}", errors[0].message));
    soac::check::validate(&program).unwrap_or_else(|problem| panic!("{problem}"));
    let program = flatten(program);
    kernel::validate(&program).unwrap_or_else(|problem| panic!("{problem}\n{}", print::program(&program)));
    program
}

/// The host's statements with parallelism or control in them, as words: `map2` is a map over two dimensions, `if(..|..)` a choice.
fn shape(body: &Body) -> String {
    let words: Vec<String> = body
        .stms
        .iter()
        .filter_map(|stm| match &stm.exp {
            Exp::Seg(seg) => {
                let kind = match seg.kind {
                    SegKind::Map => "map",
                    SegKind::Reduce(_) => "reduce",
                    SegKind::Scan(_) => "scan",
                };
                let inner = if has_soac(&seg.body) { "*" } else { "" };
                Some(format!("{kind}{}{inner}", seg.sizes.len()))
            }
            Exp::If { then, els, .. } => Some(format!("if({}|{})", shape(then), shape(els))),
            Exp::Loop { body, .. } => Some(format!("loop({})", shape(body))),
            Exp::Filter { .. } => Some("filter".into()),
            Exp::Hist { .. } => Some("hist".into()),
            _ => None,
        })
        .collect();
    words.join(" ")
}

fn has_soac(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut inside = matches!(stm.exp, Exp::Soac(_));
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                inside = inside || has_soac(body);
            }
        });
        inside
    })
}

/// `*` marks kernels whose threads have loops that were soacs.
fn becomes(text: &str, expected: &str) {
    with_big_stack(|| {
        let program = flattened(text);
        let (_, fun) = program.funs.iter().last().unwrap_or_else(|| panic!("no function"));
        assert_eq!(shape(&fun.body), expected, "{}", print::program(&program));
    });
}

const SUM: &str = "(reduce commutative (0.0f32) ([a f32] [b f32]) (let ([c f32]) (f32.+ a b)) (return c))";

#[test]
fn maps_in_maps_are_one_space() {
    becomes(
        "(entry f ([n i64] [m i64] [xss [f32 n m]]) ([R [f32 n m]])
           (let ([r [f32 n m]]) (soac n ([xs [f32 m] xss])
             (let ([ys [f32 m]]) (soac m ([x f32 xs]) (let ([y f32]) (f32.* x x)) (return y)))
             (return ys)))
           (return r))",
        "map2",
    );
}

#[test]
fn inner_reductions_are_segmented_where_threads_are_few() {
    // Each thread would go over the same numbers.
    becomes(
        &format!(
            "(entry f ([n i64] [m i64] [xs [f32 n]] [ys [f32 m]]) ([R [f32 n]])
               (let ([r [f32 n]]) (soac n ([x f32 xs])
                 (let ([s f32]) (soac m ([y f32 ys]) (let ([z f32]) (f32.* x y)) (return z) {SUM}))
                 (return s)))
               (return r))"
        ),
        "if(map1*|reduce2)",
    );
    // With known sizes there is nothing to choose.
    let of = |n: usize, m: usize| {
        format!(
            "(entry f ([xs [f32 {n}]] [ys [f32 {m}]]) ([R [f32 {n}]])
               (let ([r [f32 {n}]]) (soac {n} ([x f32 xs])
                 (let ([s f32]) (soac {m} ([y f32 ys]) (let ([z f32]) (f32.* x y)) (return z) {SUM}))
                 (return s)))
               (return r))"
        )
    };
    becomes(&of(100, 1000), "reduce2");
    becomes(&of(100_000, 1000), "map1*");
    becomes(&of(100, 3), "map1*");
}

#[test]
fn rows_that_only_one_thread_would_read_are_segments() {
    let of = |n: &str, m: &str, sizes: &str| {
        format!(
            "(entry f ({sizes} [xss [f32 {n} {m}]] [ys [f32 {m}]]) ([R [f32 {n}]])
               (let ([r [f32 {n}]]) (soac {n} ([xs [f32 {m}] xss])
                 (let ([s f32]) (soac {m} ([x f32 xs] [y f32 ys]) (let ([z f32]) (f32.* x y)) (return z) {SUM}))
                 (return s)))
               (return r))"
        )
    };
    becomes(&of("n", "m", "[n i64] [m i64]"), "reduce2");
    becomes(&of("100000", "1000", ""), "reduce2");
    becomes(&of("100", "3", ""), "map1*");
}

#[test]
fn statements_become_maps_of_their_own() {
    // A sum, something that takes time, and a map that needs both.
    becomes(
        &format!(
            "(entry f ([n i64] [m i64] [xss [f32 n m]]) ([R [f32 n m]])
               (let ([r [f32 n m]]) (soac n ([xs [f32 m] xss])
                 (let ([s f32]) (soac m ([x f32 xs]) (return x) {SUM}))
                 (let ([t f32]) (loop ([u f32 s]) (for i 10i64) (let ([v f32]) (f32.sqrt u)) (return v)))
                 (let ([ys [f32 m]]) (soac m ([z f32 xs]) (let ([w f32]) (f32./ z t)) (return w)))
                 (return ys)))
               (return r))"
        ),
        "reduce2 map1 map2",
    );
}

#[test]
fn loops_change_places_with_maps() {
    let text = |count: &str| {
        format!(
            "(entry f ([n i64] [m i64] [k i64] [ks [i64 n]] [xss [f32 n m]]) ([R [f32 n m]])
               (let ([r [f32 n m]]) (soac n ([xs [f32 m] xss] [own i64 ks])
                 (let ([zs [f32 m]]) (loop ([ys [f32 m] xs]) (for i {count})
                   (let ([next [f32 m]]) (soac m ([y f32 ys]) (let ([z f32]) (f32.sqrt y)) (return z)))
                   (return next)))
                 (return zs)))
               (return r))"
        )
    };
    becomes(&text("k"), "if(map1*|map1 loop(map2))");
    // A count of its own for each cell keeps the loop in its thread.
    becomes(&text("own"), "map1*");
}

#[test]
fn sizes_that_differ_stay_in_threads() {
    becomes(
        &format!(
            "(entry f ([n i64] [ks [i64 n]]) ([R [i64 n]])
               (let ([r [i64 n]]) (soac n ([k i64 ks])
                 (let ([is [i64 k]]) (iota 0i64 1i64))
                 (let ([s i64]) (soac k ([i i64 is]) (return i) {}))
                 (return s)))
               (return r))",
            SUM.replace("f32", "i64").replace("0.0i64", "0i64")
        ),
        "map1*",
    );
}

#[test]
fn operators_on_arrays() {
    // The sum of the rows is the sum of each column.
    let text = |operator: &str| {
        format!(
            "(entry f ([n i64] [m i64] [xss [f32 n m]]) ([R [f32 m]])
               (let ([zeros [f32 m]]) (rep 0.0f32))
               (let ([r [f32 m]]) (soac n ([xs [f32 m] xss]) (return xs)
                 (reduce (zeros) ([as [f32 m]] [bs [f32 m]]) {operator})))
               (return r))"
        )
    };
    let add = "(let ([cs [f32 m]]) (soac m ([a f32 as] [b f32 bs]) (let ([c f32]) (f32.+ a b)) (return c))) (return cs)";
    becomes(&text(add), "reduce2");
    // One that is no map: each row by kernels of its own.
    let turned = "(let ([ds [f32 m]]) (rotate bs 1i64))
                  (let ([cs [f32 m]]) (soac m ([a f32 as] [d f32 ds]) (let ([c f32]) (f32.+ a d)) (return c))) (return cs)";
    becomes(&text(turned), "loop(map1)");
}

/// The host's statements after layouts were chosen: copies are `copy`.
fn laid_out(text: &str, expected: &str) {
    with_big_stack(|| {
        let program = coalesce(flattened(text));
        kernel::validate(&program).unwrap_or_else(|problem| panic!("{problem}\n{}", print::program(&program)));
        let (_, fun) = program.funs.iter().last().unwrap_or_else(|| panic!("no function"));
        assert_eq!(words(&fun.body), expected, "{}", print::program(&program));
    });
}
fn words(body: &Body) -> String {
    let word = |stm: &crate::ir::soac::Stm| match &stm.exp {
        Exp::Copy(_) => Some("copy".to_string()),
        Exp::Seg(_) => Some("seg".into()),
        Exp::If { then, els, .. } => Some(format!("if({}|{})", words(then), words(els))),
        Exp::Loop { body, .. } => Some(format!("loop({})", words(body))),
        _ => None,
    };
    body.stms.iter().filter_map(word).collect::<Vec<_>>().join(" ")
}

/// A thread for each row or column, which goes over it in order.
fn along(what: &str, cell: &str, inside: &str) -> String {
    format!(
        "(entry f ([n i64] [m i64] [xss [f32 n m]]) ([R [f32 n]])
           {what}
           (let ([r [f32 n]]) (soac n ([xs {cell} given] [i i64 is])
             (let ([s f32]) (loop ([a f32 0.0f32]) (for k 10i64) {inside}))
             (return s)))
           (return r))"
    )
}
const GIVEN: &str = "(let ([is [i64 n]]) (iota 0i64 1i64)) (let ([given [f32 n m]]) (coerce xss))";

#[test]
fn rows_of_threads_are_turned() {
    let one = "(let ([x f32]) (index xs k)) (let ([b f32]) (f32.+ a x)) (return b)";
    laid_out(&along(GIVEN, "[f32 m]", one), "copy seg");
    // Of the same array, an element in the other direction.
    let other = "(let ([x f32]) (index xs k)) (let ([y f32]) (index xss 0i64 i)) (let ([b f32]) (f32.+ y x)) (return b)";
    laid_out(&along("(let ([is [i64 n]]) (iota 0i64 1i64)) (let ([given [f32 n m]]) (coerce xss))", "[f32 m]", other), "copy seg");
    let both = "(let ([x f32]) (index xs k)) (let ([y f32]) (index given 0i64 i)) (let ([b f32]) (f32.+ y x)) (return b)";
    laid_out(&along(GIVEN, "[f32 m]", both), "seg");
}

#[test]
fn columns_and_short_rows_stay() {
    let one = "(let ([x f32]) (index xs k)) (let ([b f32]) (f32.+ a x)) (return b)";
    let columns = along("(let ([is [i64 n]]) (iota 0i64 1i64)) (let ([given [f32 n m]]) (rearrange xss 1 0))", "[f32 m]", one);
    laid_out(&columns.replace("[xss [f32 n m]]", "[xss [f32 m n]]"), "seg");
    laid_out(&along(GIVEN, "[f32 m]", one).replace("[m i64] ", "").replace("n m]", "n 8]").replace("[f32 m]", "[f32 8]"), "seg");
    // What neighbours read at places of their own may be anywhere.
    let gathered = "(let ([x f32]) (index xss j k)) (let ([b f32]) (f32.+ a x)) (return b)";
    let text = along("(let ([is [i64 n]]) (iota 0i64 1i64)) (let ([given [f32 n m]]) (coerce xss))", "[f32 m]", gathered);
    laid_out(&text.replace("(let ([s f32])", "(let ([j i64]) (i64.* i 2i64)) (let ([s f32])"), "seg");
}

#[test]
fn copies_come_before_loops() {
    laid_out(
        "(entry f ([n i64] [m i64] [xss [f32 n m]] [vs [f32 n]]) ([R [f32 n]])
           (let ([z [f32 n]]) (loop ([ys [f32 n] vs]) (for t 5i64)
             (let ([next [f32 n]]) (soac n ([xs [f32 m] xss] [y f32 ys])
               (let ([s f32]) (loop ([a f32 y]) (for k m) (let ([x f32]) (index xs k)) (let ([b f32]) (f32.* a x)) (return b)))
               (return s)))
             (return next)))
           (return z))",
        "copy loop(seg)",
    );
}

#[test]
fn rows_are_written_by_cells() {
    // What the map makes is computed where it goes: there is one kernel.
    becomes(
        "(entry f ([n i64] [m i64] [xss [f32 n m]]) ([R [f32 n (* 2 m)]])
           (let ([r [f32 n (* 2 m)]]) (soac n ([xs [f32 m] xss])
             (let ([ys [f32 m]]) (soac m ([x f32 xs]) (let ([y f32]) (f32.* x x)) (return y)))
             (let ([zs [f32 (* 2 m)]]) (concat xs ys))
             (return zs)))
           (return r))",
        "map2",
    );
    becomes(
        "(entry f ([n i64] [m i64] [xss [f32 n (+ 1 m)]]) ([R [f32 n m]])
           (let ([r [f32 n m]]) (soac n ([xs [f32 (+ 1 m)] xss])
             (let ([ys [f32 m]]) (slice xs 1i64 1i64 unchecked))
             (return ys)))
           (return r))",
        "map2",
    );
    // A row of a few cells stays with its thread.
    becomes(
        "(entry f ([n i64] [xss [f32 n 4]]) ([R [f32 n 3]])
           (let ([r [f32 n 3]]) (soac n ([xs [f32 4] xss])
             (let ([ys [f32 3]]) (slice xs 1i64 1i64 unchecked))
             (return ys)))
           (return r))",
        "map1",
    );
}

/// The host's statements in the first loop, after elements are read in kernels.
fn in_the_loop(text: &str) -> String {
    let program = sink(flattened(text));
    kernel::validate(&program).unwrap_or_else(|problem| panic!("{problem}\n{}", print::program(&program)));
    let (_, fun) = program.funs.iter().next().expect("a function");
    let inside = fun.body.stms.iter().find_map(|stm| if let Exp::Loop { body, .. } = &stm.exp { Some(body) } else { None });
    let names = inside.expect("a loop").stms.iter().map(|stm| program.vars[stm.pat[0]].name.to_string());
    names.collect::<Vec<_>>().join(" ")
}

#[test]
fn kernels_read_what_only_they_need() {
    let of = |before: &str, after: &str| {
        format!(
            "(entry main ([n i64] [a [f64 n]]) ([r [f64 n]])
               (let ([e [f64 n]]) (loop ([b [f64 n] a]) (for k n)
                 (let ([p f64]) (index b k unchecked))
                 (let ([q f64]) (f64.* p 2f64))
                 {before}
                 (let ([c [f64 n]]) (soac n ([x f64 b]) (let ([y f64]) (f64.- x q)) (return y)))
                 {after}))
               (return e))"
        )
    };
    with_big_stack(|| {
        assert_eq!(in_the_loop(&of("", "(return c)")), "c");
        // The host needs it.
        assert_eq!(in_the_loop(&of("", "(let ([d [f64 n]]) (update c (0i64) q unchecked)) (return d)")), "p q c d");
        // The update might have had the memory.
        assert_eq!(in_the_loop(&of("(let ([d [f64 n]]) (update b (0i64) 1f64 unchecked))", "(return d)")), "p q d c");
    });
}
