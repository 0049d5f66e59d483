//! What is kept from a check of a former text is what a check of the new text finds.

use lsp_types::{Position, Range};
use remora::base::with_big_stack;
use remora::editor::hints::{Kinds, hints};
use remora::editor::{Analysis, diagnostics};
use remora::front::resolve::Loader;
use std::path::Path;

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(path)).map_err(|error| error.to_string())
    }
}

/// Everything that an editor shows.
fn shown(analysis: &Analysis) -> String {
    let whole = Range::new(Position::new(0, 0), Position::new(u32::MAX, 0));
    let found = diagnostics::diagnostics(analysis, &|_| None);
    let hints = hints(analysis, whole, Kinds::default());
    let types: Vec<_> = analysis.definitions().map(|def| analysis.checked.type_of(def)).collect();
    format!("{found:#?}\n{hints:#?}\n{types:#?}")
}

fn again(text: &str, before: Option<&Analysis>) -> Analysis {
    Analysis::again(("main.rem", text), &Disk, before, &|| false).expect("not given up").0
}

/// Checks each text after the one before it; how many definitions were kept in all.
fn compare(texts: &[String]) -> usize {
    let mut before: Option<Analysis> = None;
    let mut kept = 0;
    for text in texts {
        let analysis = again(text, before.as_ref());
        let (quick, whole) = (shown(&analysis), shown(&again(text, None)));
        assert!(quick == whole, "{}\n{text}", pretty_assertions::StrComparison::new(&whole, &quick));
        kept += analysis.checked.stats.kept;
        before = Some(analysis);
    }
    kept
}

const PROGRAM: &str = "import \"lib/np\"
type pair = (f64, f64)
def n = 3i64
def one [k] (xs: [k]f64) = f64.sum xs / f64.i64 k
def two (xs: [n]f64) = (one xs, mean xs)
def id x = x
module type shape = { type t val area: t -> f64 }
module square: shape = { type t = f64 def area (s: t) = s * s }
module twice (p: shape) = { def f (x: p.t) = p.area x * 2 }
module double = twice square
def take (a: *[n]f64) = a with [0] = 1
def three (a: [n]f64) = one (take (copy a)) + (two a).0
def four (p: pair) (xss: [][]f64) = p.0 + xss * id p.1
def five (xss: [][]f64) = four (1, 2) xss
entry main (xss: [][]f64) = one (five xss)
";

#[test]
fn what_is_kept_is_what_would_be_found() {
    with_big_stack(|| {
        let change = |text: &str, from: &str, to: &str| text.replacen(from, to, 1);
        let start = PROGRAM.to_string();
        let mut texts = vec![start.clone(), start.clone()];
        // Bodies, interfaces, mistakes and their mending, constants, types, modules, names, new definitions, imports.
        for (from, to) in [
            ("f64.sum xs / f64.i64 k", "f64.sum (xs + 1) / f64.i64 k"),
            ("f64.sum xs / f64.i64 k", "xs / f64.i64 k"),
            ("f64.sum xs / f64.i64 k", "f64.sum xs / k"),
            ("n = 3i64", "n = 4i64"),
            ("n = 3i64", "n = m + 4i64"),
            ("n = 3i64", "n = 4.0f64"),
            ("pair = (f64, f64)", "pair = (f64, f32)"),
            ("pair = (f64, f64)", "pair = (f64, f64, f64)"),
            ("id x = x", "id x = x + 1"),
            ("id x = x", "id 'a (x: a) = x"),
            ("s * s", "s * s * s"),
            ("type t = f64", "type t = i64"),
            ("p.area x * 2", "p.area x * 2 * x"),
            ("*[n]f64", "[n]f64"),
            ("take (copy a)", "take a"),
            ("def four", "def six = 6i64\ndef four"),
            ("def four", "def (one) = 6i64\ndef four"),
            ("import \"lib/np\"", ""),
            ("import \"lib/np\"", "import \"lib/np\"\nimport \"lib/fft\""),
            ("one (five xss)", "one (five xss) +"),
            ("one (five xss)", "length (five xss)"),
            ("def five", "-- a comment, ä\n\ndef five"),
            ("xss * id", "xss + id"),
            ("(xss: [][]f64) = four (1, 2)", "(xss: [][][]f64) = four (1, 2)"),
        ] {
            texts.push(change(&start, from, to));
            texts.push(start.clone());
        }
        let kept = compare(&texts);
        // Most of it, in most texts.
        assert!(kept > 10 * texts.len(), "{kept} definitions kept in {} texts", texts.len());
    });
}

#[test]
fn texts_that_grow_and_shrink() {
    with_big_stack(|| {
        let ends: Vec<usize> = (0..PROGRAM.len()).filter(|end| PROGRAM.is_char_boundary(*end)).step_by(41).collect();
        let mut texts: Vec<String> = ends.iter().map(|end| PROGRAM[..*end].to_string()).collect();
        texts.extend(ends.iter().map(|end| PROGRAM[*end..].to_string()));
        // One character is missing.
        texts.extend(ends.iter().map(|end| format!("{}{}", &PROGRAM[..*end], &PROGRAM[end + 1..])));
        compare(&texts);
    });
}
