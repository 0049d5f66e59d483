//! Which programs are accepted, which are refused, and what is said about them.

use crate::base::Code;
use crate::diag::Diagnostic;
use crate::front::explicit::tests::support::{check, check_sized};
use crate::ir::tables::Tables;

const FREE: &str = "
def scal (x: i32) : i32 = x + 1
def cos (x: f32) : f32 = f32.cos x
def sum [m] (v: [m]i32) : i32 = i32.sum v
def pair2 'b (u: i32) (v: b) : (i32, b) = (u, v)
def xmat [n] 'a (a: [n]a) : [n][n]bool = replicate n (replicate n true)
";
const PARAMS: &str = "[n] (xs: [n]i32) (ys: [n]i32) (zs: [n]i32) (xss: [n][n]i32) (yss: [n][n]i32) (x: i32) (y: i32) (c: i32) \
                      (is: [n]i64) (b: bool)";

/// Refused, with the number of readings.
const AMBIGUOUS: &[(&str, usize)] = &[
    ("def t [n] (xss: [n][n]i32) = i64.sum (length xss)", 2),
    ("def t PARAMS = pair2 xs ys", 2),
    ("def t a b = sum (a * b)", 4),
    ("def t PARAMS = \\a b -> sum (a * b)", 4),
    ("def t PARAMS = (\\a b -> sum (a * b)) xss ys", 2),
    ("def t a = xmat a == (a != 0i32) |> flatten |> and", 2),
];

/// Accepted, although several optima exist.
const ACCEPTED: &[&str] = &[
    "def t PARAMS = (\\p q -> p + q) xs y",
    "def t PARAMS = map scal xss",
    "def t PARAMS = let h = \\p -> p + y in h xs",
    "def t PARAMS = let h p = p + y in h xss",
    "def t PARAMS = xs |> scal",
    "def t PARAMS = xs |> (+1) |> (+1) |> (+1)",
    "def t PARAMS = (+1) xs",
    "def t PARAMS = let k = \\p q r -> p + q * r in k xs y ys",
    "def t PARAMS = let h = scal >-> scal in h xs",
    "def t PARAMS = let f = \\(p, q) -> p + q in f (xs[0], y)",
];

fn text(program: &str) -> String {
    format!("{FREE}\n{}", program.replace("PARAMS", PARAMS))
}

fn refusal(program: &str) -> Vec<Diagnostic> {
    check(&text(program)).err().unwrap_or_else(|| panic!("accepted: {program}"))
}

#[test]
fn verdicts() {
    let mut failures = String::new();
    for program in ACCEPTED {
        if let Err(e) = check(&text(program)) {
            failures += &format!("refused: {program}: {e:?}\n");
        }
    }
    for (program, readings) in AMBIGUOUS {
        match check(&text(program)) {
            Ok(_) => failures += &format!("accepted: {program}\n"),
            Err(e) => {
                if e[0].code != Code::Ambiguous || e[0].readings.len() != *readings {
                    failures += &format!("{program}: {e:?}\n");
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn readings_select_themselves() {
    for (program, _) in AMBIGUOUS {
        for reading in &refusal(program)[0].readings {
            let checked = check(&format!("{FREE}\n{}", reading.source)).unwrap_or_else(|e| panic!("{program}\n{}: {e:?}", reading.source));
            let printed = checked.explicit();
            assert!(printed.ends_with(&reading.source), "{printed}\n{}", reading.source);
        }
    }
}

#[test]
fn sizes_decide() {
    // Only readings without `rep` are well sized.
    let no_rep = |tables: &Tables| tables.apps.iter().all(|(_, info)| info.args.iter().all(|a| a.reps == a.induced));
    let program = "def t [n] (xss: [n][n]i32) = i64.sum (length xss) + i64.sum (length xss)";
    let checked = check_sized(&text(program), &no_rep).unwrap_or_else(|e| panic!("{e:?}"));
    assert!(checked.explicit().ends_with("i64.sum (map length xss) + i64.sum (map length xss)"), "{}", checked.explicit());
    // Neither reading is: sizes are reported later.
    assert!(check_sized(&text(program), &|_| false).is_ok());
    // All are.
    assert_eq!(check_sized(&text(program), &|_| true).err().map(|e| e.len()), Some(2));
}

#[test]
fn many_ambiguities() {
    let lines: Vec<String> = (0..400).map(|i| format!("  let _s{i} = i64.sum (length xss)")).collect();
    let program = format!("def t [n] (xss: [n][n]i32) =\n{}\n  in _s0", lines.join("\n"));
    let errors = refusal(&program);
    assert_eq!(errors.len(), 10);
    assert_eq!(errors[9].notes.last().map(String::as_str), Some("390 more ambiguous applications in `t`"));
}

#[test]
fn readings_in_words() {
    let words = |program: &str| -> Vec<(String, String)> {
        refusal(program)[0].readings.iter().map(|r| (r.fragment.clone(), r.note.clone())).collect()
    };
    let found = words("def t [n] (xss: [n][n]i32) = i64.sum (length xss)");
    assert_eq!(found[0], ("i64.sum (map length xss)".into(), "maps `length` over `xss`".into()));
    assert_eq!(found[1], ("i64.sum (rep (length xss))".into(), "replicates `(length xss)`; nothing determines how often".into()));
    let found = words("def t PARAMS = pair2 xs ys");
    assert_eq!(found[0], ("map2 pair2 xs ys".into(), "`pair2` takes the elements of `ys` one by one".into()));
    assert_eq!(found[1], ("map (\\x -> pair2 x ys) xs".into(), "`pair2` takes all of `ys` each time".into()));
}
