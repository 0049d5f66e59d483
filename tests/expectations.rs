//! `remora test`: forms of blocks that are wrong or fail, what is printed, which back ends run, tags, folders, JSON.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests write files and start the program")]

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A folder with files, in which `remora test` is run.
struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            let path = place.0.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        place
    }
    /// The exit code, standard output and standard error.
    fn test(&self, args: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.env("REMORA_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("expectations-cache")).env("REMORA_CFLAGS", "-O0");
        command.env_remove("REMORA_DEVICE");
        let output = command.current_dir(self.0.path()).arg("test").args(args).output().expect("remora starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let (out, err) = (text(output.stdout), text(output.stderr));
        assert!(!err.contains("panicked"), "{args:?}\n{err}");
        (output.status.code(), out, err)
    }
    /// Runs tests that fail, with all of these texts in what is printed.
    #[track_caller]
    fn fails(&self, args: &[&str], texts: &[&str]) {
        let (code, out, err) = self.test(args);
        assert_eq!(code, Some(1), "{args:?}\n{out}{err}");
        for text in texts {
            assert!(out.contains(text) || err.contains(text), "{args:?}: no {text:?} in\n{out}{err}");
        }
    }
    /// Runs tests that pass; what is printed to standard output.
    #[track_caller]
    fn passes(&self, args: &[&str]) -> String {
        let (code, out, err) = self.test(args);
        assert_eq!(code, Some(0), "{args:?}\n{out}{err}");
        out
    }
}

#[test]
fn malformed_blocks_are_errors_with_places() {
    let program = "entry main (x: i32) : i32 = x\n";
    for (block, texts) in [
        ("-- input { 1", &["E0610", "a.rem:2:10", "is not closed"][..]),
        ("-- inptu { 1 }", &["a.rem:2:4", "did you mean `input`?"]),
        ("-- output { 1 }", &["a.rem:2:4", "there is no `input` before this"]),
        ("-- input { 1 } auto", &["a.rem:2:16", "`auto` is followed by `output`"]),
        ("-- input { 1 } error: (", &["a.rem:2:23", "no regular expression", "unclosed group"]),
        ("-- entry:\n-- input { 1 }", &["a.rem:2:4", "on the same line"]),
        ("-- random input { [x]i32 }", &["a.rem:2:20", "a size is expected"]),
        ("-- random input { i33 }", &["a.rem:2:19", "no random value of the type `i33`"]),
        ("-- random input @ file", &["a.rem:2:19", "described here"]),
        ("-- structure { map }", &["a.rem:2:16", "how many `map`"]),
        ("-- structure cpo { map 1 }", &["a.rem:2:14", "no pipeline `cpo`"]),
        ("-- error: x\n-- input { 1 }", &["a.rem:3:4", "cannot be run"]),
        ("-- \"name input { 1 }", &["a.rem:2:4", "no closing quote"]),
        ("-- input @", &["a.rem:2:10", "the name of a file"]),
        ("-- warning: [", &["a.rem:2:13", "no regular expression"]),
        ("-- property:", &["a.rem:2:4", "on the same line"]),
    ] {
        let text = format!("-- ==\n{block}\n{program}");
        Place::new(&[("a.rem", &text)]).fails(&["a.rem"], texts);
    }
    // A block that is wrong does not keep the others from running.
    let text = format!("-- ==\n-- input {{\n\n-- ==\n-- input {{ 1 }} output {{ 1 }}\n{program}");
    Place::new(&[("a.rem", &text)]).fails(&["a.rem"], &["E0610", "1 passed, 0 failed"]);
}

#[test]
fn inputs_that_cannot_be_made_fail() {
    let program = "entry total [n] (xs: [n]i32) : i32 = i32.sum xs\nentry half (x: f64) : f64 = x / 2\n\
                   entry upto (n: i64) : [n]i32 = map i32.i64 (iota n)\nentry pair (n: i64) : (i64, i64) = (n, n)\n";
    for (input, texts) in [
        ("script input { upto }", &["E0617", "takes 1 argument, 0 given", "a.rem:3:19"][..]),
        ("script input { nothing 1 }", &["E0611", "no entry point `nothing`", "a.rem:3:19"]),
        ("script input { (1, 2 }", &["E0617", "`)` is expected here"]),
        ("script input { 1.5 }", &["E0605", "expected []i32"]),
        ("script input { {a = 1} }", &["E0617", "found a record"]),
        ("script input { half 1 }", &["E0617", "expected []i32, found f64"]),
        ("script input { $loadimage \"x\" }", &["E0617", "$loaddata"]),
        ("script input { $loaddata \"none\" }", &["E0601", "none"]),
        ("script input { $loaddata 3 }", &["E0617", "the name of a file in quotes"]),
        ("script input { [1, 2] [3] }", &["E0617", "goes on here"]),
        ("script input { \"abc }", &["E0610", "is not closed"]),
        ("script input { let (a, b, c) = pair 2 in a }", &["E0617", "a tuple of 3"]),
        ("script input { upto (-1i64) }", &["E050"]),
        ("script input @ none.script", &["E0601"]),
        ("input @ none.in", &["E0601"]),
        ("input @ bad.gz", &["E0607", "damaged gzip file"]),
        ("input { 1 2 }", &["E0606", "expected []i32"]),
        ("input { [1] [2] }", &["E0607", "found more data"]),
        ("input { }", &["E0612"]),
        ("random input { [3]f32 }", &["E0605"]),
        ("random input { [3]i32 i32 }", &["E0607"]),
        ("random input { [99999999999]i32 }", &["E0610", "memory"]),
    ] {
        // An `error:` is about the program: what is wrong with its input is another matter.
        let text = format!("-- ==\n-- entry: total\n-- {input} error: .\n{program}");
        let place = Place::new(&[("a.rem", &text), ("bad.gz", "")]);
        std::fs::write(place.0.path().join("bad.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\x03nonsense").expect("written");
        place.fails(&["a.rem"], texts);
    }
}

#[test]
fn differences_are_described() {
    let text = "-- ==\n-- input { [1.0, 2.0, 3.0] } output { [1.0, 2.5, 4.0] 1 }\n-- input { [1.0] } output { [1.0, 1.0] 1 }\n\
                -- input { [1.0] } output { [1.0] 2 }\n-- input { [1.0] } output { [1.01] 1 }\n-- input { [1.0] } output { [1.0] }\n\
                entry main [n] (xs: [n]f64) : ([n]f64, i32) = (xs, 1)\n";
    let place = Place::new(&[("a.rem", text)]);
    let texts = [
        "a.rem: main #1 (a.rem:2:4)",
        "result 0 is 2 of 3 elements differ, the first at [1]: 2.0f64, expected 2.5f64",
        "the largest difference is 1.000e0, 2.50e-1 of the value, at [2]: 3.0f64, expected 4.0f64",
        "result 0 is [1]f64, expected [2]f64",
        "result 1 is 1i32, expected 2i32 (difference 1.000e0",
        "0 passed, 5 failed",
    ];
    place.fails(&["a.rem"], &texts);
    place.fails(&["a.rem", "--tolerance", "0.1"], &["1 passed, 4 failed"]);
    let (code, _, err) = place.test(&["a.rem", "--tolerance=-1"]);
    assert!(code == Some(2) && err.contains("not negative"), "{err}");
}

#[test]
fn back_ends_tags_and_entries() {
    let text = "-- ==\n-- tags { quick }\n-- input { 1 } output { 2 }\n-- compiled input { 2 } auto output\n-- slow input { 3 } output { 6 }\n\
                -- no_soac input { 4 } output { 8 }\n-- entry: other\n-- input { 1 } output { 1 }\n\
                entry main (x: i32) : i32 = 2 * x\nentry other (x: i32) : i32 = x\n";
    let off = format!("-- ==\n-- tags {{ disable }}\n{text}");
    let place = Place::new(&[("a.rem", text), ("off.rem", &off)]);
    let out = place.passes(&["a.rem"]);
    assert!(out.contains("skipped a.rem: main #2: `compiled` cases") && out.ends_with("4 passed, 0 failed, 1 skipped\n"), "{out}");
    let out = place.passes(&["a.rem", "--backend", "soac,cpu", "-v"]);
    assert!(out.contains("skipped a.rem: main #4 [soac]: it has the tag `no_soac`"), "{out}");
    assert!(out.contains("ok      a.rem: main #2 [cpu]") && out.ends_with("8 passed, 0 failed, 2 skipped\n"), "{out}");
    let out = place.passes(&["a.rem", "--backend", "all"]);
    assert!(out.contains("5 tests [cuda]: no CUDA driver") || out.ends_with("passed, 0 failed, 3 skipped\n"), "{out}");
    assert!(place.passes(&["a.rem", "--exclude", "slow"]).ends_with("3 passed, 0 failed, 1 skipped\n"));
    assert!(place.passes(&["a.rem", "--tag", "slow"]).ends_with("1 passed, 0 failed\n"));
    assert!(place.passes(&["a.rem", "--only", "quick", "--entry", "other"]).ends_with("1 passed, 0 failed\n"));
    let out = place.passes(&["off.rem"]);
    assert!(out.contains("skipped off.rem: all tests: the program has the tag `disable`"), "{out}");
    assert_eq!(place.test(&["a.rem", "--backend", "gpu"]).0, Some(2));
}

#[test]
fn structures_properties_and_warnings() {
    let text = "-- ==\n-- input { [1, 2] } output { 3 }\n-- structure { reduce 1 }\n-- structure { Screma 1 WithAcc 0 }\n-- structure { Screma 1 }\n\
                -- structure gpu { SegRed 1 }\n-- structure seq-mem { Alloc 0 }\nentry main [n] (xs: [n]i32) : i32 = i32.sum xs\n";
    let wrong = "-- ==\n-- structure { map 3 }\n-- structure { Screma 7 }\n-- warning: x\n-- warning: y\n-- property: p q r none main\n\
                 entry main [n] (xs: [n]i32) : i32 = i32.sum xs\nentry p [n] (xs: [n]i32) : bool = n < 3\n\
                 #[prop(gen(g), shrink(s))]\nentry q (x: i64) : bool = x < 10\nentry g (size: i64) (_: i64) : i64 = size\n\
                 entry s (x: i64) (_: i32) : i64 = x - 1\n#[prop(sise(3))]\nentry r (x: i64) : bool = true\n";
    let place = Place::new(&[("a.rem", text), ("wrong.rem", wrong)]);
    let out = place.passes(&["a.rem"]);
    assert!(out.contains("--structure compares them") && out.ends_with("2 passed, 0 failed, 4 skipped\n"), "{out}");
    let out = place.passes(&["a.rem", "--structure"]);
    assert!(out.contains("`WithAcc` has no counterpart here; the other numbers are right"), "{out}");
    assert!(out.contains("no pipeline like `seq-mem`") && out.ends_with("4 passed, 0 failed, 2 skipped\n"), "{out}");
    let texts = [
        "the optimised program has 0 `map`, expected 3",
        "no warning matches `x`; there is no warning at all",
        "`p` does not hold for\n        [",
        "`q` does not hold for\n        10i64",
        "`sise(3)` is none of gen(f), shrink(f) and size(n)",
        "no entry point `none`",
        "`main` is no property",
    ];
    place.fails(&["wrong.rem"], &texts);
    place.fails(&["wrong.rem", "--structure"], &["`Screma` (array operators of all kinds), expected 7"]);
}

#[test]
fn folders_jobs_and_json() {
    let good = |n: i32| format!("-- ==\n-- input {{ {n} }} output {{ {n} }}\nentry main (x: i32) : i32 = x\n");
    let files: Vec<(String, String)> =
        (0..12).map(|n| (format!("tests/{n:02}.{}", if n % 2 == 0 { "rem" } else { "fut" }), good(n))).collect();
    let mut all: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let bad = "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) : i32 = x\n";
    all.extend([("tests/deep/bad.rem", bad), ("tests/deep/none.rem", "def f = 1\n"), ("tests/notes.txt", "x"), ("empty/a.txt", "")]);
    let place = Place::new(&all);
    let (code, one, err) = place.test(&["tests", "-v", "--jobs", "1"]);
    assert!(code == Some(1) && one.ends_with("12 passed, 1 failed\n") && err.contains("1 programs have no test blocks"), "{one}{err}");
    // The order of what is printed does not depend on the number of jobs.
    let without_times = |text: &str| text.lines().map(|line| line.split(" (").next().unwrap_or("").to_string()).collect::<Vec<_>>();
    assert_eq!(without_times(&place.test(&["tests", "-v", "--jobs", "5"]).1), without_times(&one));
    let (code, out, _) = place.test(&["tests/deep/bad.rem", "tests/00.rem", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &json["passed"], &json["failed"]), (Some(1), &1.into(), &1.into()));
    assert_eq!(json["tests"][0]["verdict"], "failed");
    assert_eq!(json["tests"][0]["place"], "tests/deep/bad.rem:2:4");
    assert!(json["tests"][0]["message"].as_str().expect("text").contains("1i32, expected 2i32"));
    assert_eq!(json["tests"][1]["backend"], "interp");
    let (code, out, err) = place.test(&["empty"]);
    assert!(code == Some(0) && out == "0 passed, 0 failed\n" && err.contains("nothing was run"), "{out}{err}");
    place.fails(&["tests/none.rem"], &["E0601"]);
    // Broken programs are reported, those that follow are run.
    let place = Place::new(&[("a.rem", "def f = x\n"), ("b.rem", &good(1))]);
    place.fails(&["a.rem", "b.rem"], &["the program is refused", "E0201", "1 passed, 1 failed"]);
}
