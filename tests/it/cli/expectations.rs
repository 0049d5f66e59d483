//! `remora test`: forms of blocks that are wrong or fail, what is printed, which back ends run, tags, folders, JSON.

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
        "result 0 is different in 2 of 3 elements, the first at [1]: 2.0f64, expected 2.5f64",
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
fn errors_in_other_words_are_counted_apart() {
    let refused = "-- ==\n-- error: Causality check\nentry main (x: i32) : i32 = x + true\n";
    let failing = "-- ==\n-- input { 0 } error: Index \\[9\\]\n-- input { 0 } output { 1.0005f64 }\nentry main (i: i64) : f64 = [1.0][i]\n";
    let coded = "-- ==\n-- input { 9i64 } error: E0502\nentry main (i: i64) : f64 = [1.0][i]\n";
    let place = Place::new(&[("refused.rem", refused), ("failing.rem", failing), ("coded.rem", coded)]);
    assert_eq!(place.passes(&["refused.rem"]), "0 passed, 0 failed, 1 refused in other words\n");
    place.fails(&["refused.rem", "--exact"], &["0 passed, 1 failed", "does not match `Causality check`"]);
    // An error that does not come is none in other words, and numbers are compared as loosely as there.
    place.fails(&["failing.rem"], &["1 passed, 1 failed"]);
    place.fails(&["failing.rem", "--exact"], &["0 passed, 2 failed"]);
    place.fails(&["coded.rem"], &["0 passed, 1 failed"]);
    assert!(place.test(&["refused.rem", "--exact", "--tolerance", "1"]).0 == Some(2));
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
    place.fails(
        &["a.rem", "--entry", "othr"],
        &["E0611", "an entry point `othr`", "test blocks are for: main, other", "did you mean `other`?"],
    );
    place.fails(&["a.rem", "--entry", "main", "--entry", "zzz"], &["an entry point `zzz`", "3 passed, 0 failed"]);
    let out = place.passes(&["off.rem"]);
    assert!(out.contains("skipped off.rem: all tests: the program has the tag `disable`"), "{out}");
    assert_eq!(place.test(&["a.rem", "--backend", "gpu"]).0, Some(2));
}

#[test]
fn structures_properties_and_warnings() {
    let text = "-- ==\n-- input { [1, 2] } output { 3 }\n-- structure { reduce 1 }\n-- structure { Screma 1 WithAcc 0 }\n-- structure { Screma 1 }\n\
                -- structure gpu { SegRed 1 }\n-- structure gpu { /Apply/f 1 }\n-- structure seq-mem { Alloc 0 }\nentry main [n] (xs: [n]i32) : i32 = i32.sum xs\n";
    let wrong = "-- ==\n-- structure { map 3 }\n-- structure { Screma 7 }\n-- warning: x\n-- warning: y\n-- property: p q r none main near\n\
                 entry main [n] (xs: [n]i32) : i32 = i32.sum xs\nentry p [n] (xs: [n]i32) : bool = n < 3\n\
                 #[prop(gen(g), shrink(s))]\nentry q (x: i64) : bool = x < 10\nentry g (size: i64) (_: i64) : i64 = size\n\
                 entry s (x: i64) (_: i32) : i64 = x - 1\n#[prop(sise(3))]\nentry r (x: i64) : bool = true\n\
                 entry near (x: i32) (y: (i64, []u8)) : bool = x < 37 || y.0 > -5\n";
    let place = Place::new(&[("a.rem", text), ("wrong.rem", wrong)]);
    let out = place.passes(&["a.rem"]);
    assert!(out.contains("--structure compares them") && out.ends_with("2 passed, 0 failed, 5 skipped\n"), "{out}");
    let out = place.passes(&["a.rem", "--structure"]);
    assert!(out.contains("`WithAcc` has no counterpart here; the other numbers are right"), "{out}");
    assert!(out.contains("no pipeline like `seq-mem`") && out.ends_with("4 passed, 0 failed, 3 skipped\n"), "{out}");
    let texts = [
        "the optimised program has 0 `map`, expected 3",
        "no warning matches `x`; there is no warning at all",
        "`p` does not hold for\n        [",
        "`q` does not hold for\n        10i64",
        "`sise(3)` is none of gen(f), shrink(f) and size(n)",
        "`near` does not hold for\n        37i32\n        -5i64\n        empty([0]u8)",
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
    assert!(code == Some(1) && one.ends_with("12 passed, 1 failed\n") && err.contains("1 program has no test blocks"), "{one}{err}");
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
    let (code, out, err) = place.test(&["tests/deep/none.rem"]);
    assert!(code == Some(0) && out == "0 passed, 0 failed\n" && err.contains("no tests: `tests/deep/none.rem`"), "{out}{err}");
    let (code, out, err) = place.test(&["empty"]);
    assert!(code == Some(0) && out == "0 passed, 0 failed\n" && err.contains("nothing was run"), "{out}{err}");
    place.fails(&["tests/none.rem"], &["E0601"]);
    // Broken programs are reported, those that follow are run.
    let place = Place::new(&[("a.rem", "def f = x\n"), ("b.rem", &good(1))]);
    place.fails(&["a.rem", "b.rem"], &["the program is refused", "E0201", "1 passed, 1 failed"]);
}

/// A C compiler that has an entry point do something else.
#[cfg(unix)]
fn crashing(place: &Place, entry: usize, instead: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = place.0.path().join("crashing");
    let script = format!(
        "#!/bin/sh\nfor last; do case \"$last\" in */program.c) sed -i 's/^REMORA_EXPORT int remora_entry_{entry}(.*{{/& {instead}/' \"$last\";; esac; done\n\
         exec cc \"$@\"\n"
    );
    std::fs::write(&path, script).expect("written");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
    path.display().to_string()
}

const THREE: &str =
    "-- ==\n-- entry: a b c\n-- input { 1i64 } output { 1i64 }\nentry a (x: i64) = x\nentry b (x: i64) = x\nentry c (x: i64) = x\n";

impl Place {
    fn test_with(&self, cc: &str, args: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.env("REMORA_CACHE", self.0.path().join("cache")).env("REMORA_CFLAGS", "-O0").env("CC", cc).env_remove("REMORA_DEVICE");
        let output = command.current_dir(self.0.path()).args(args).output().expect("remora starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}

/// What crashes is one case; the others of the program, and the other programs, are tested.
#[cfg(unix)]
#[test]
fn crashes_are_failures() {
    let place = Place::new(&[("1.rem", THREE), ("2.rem", THREE)]);
    let cc = crashing(&place, 1, "__builtin_trap();");
    for more in [&[][..], &["--jobs", "1"]] {
        let (code, out, err) = place.test_with(&cc, &[&["test", "1.rem", "2.rem", "--backend", "interp,cpu"], more].concat());
        assert_eq!(code, Some(1), "{out}{err}");
        assert!(out.ends_with("10 passed, 2 failed\n"), "{out}{err}");
        for file in ["1.rem", "2.rem"] {
            assert!(
                out.contains(&format!("FAILED  {file}: b #1 [cpu]\n        E0619: the process that ran it crashed (signal: 4")),
                "{out}"
            );
        }
    }
    let cc = crashing(&place, 0, "__builtin_trap();");
    let (code, out, err) = place.test_with(&cc, &["bench", "1.rem", "-e", "b", "1", "--seconds", "0"]);
    assert!(code == Some(1) && err.contains("error[E0619]: the process that ran `b` of `1.rem` crashed (signal: 4"), "{out}{err}");
}

/// What does not end is stopped.
#[cfg(unix)]
#[test]
fn cases_have_a_time_limit() {
    let place = Place::new(&[("1.rem", THREE)]);
    let cc = crashing(&place, 1, "for (;;) pause();");
    let (code, out, err) = place.test_with(&cc, &["test", "1.rem", "--backend", "cpu", "--time-limit", "10", "--verbose"]);
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(out.contains("FAILED  1.rem: b #1\n        it took longer than 10 s and was stopped (`--time-limit`)\n"), "{out}{err}");
    assert!(
        out.contains("ok      1.rem: a #1") && out.contains("ok      1.rem: c #1") && out.ends_with("2 passed, 1 failed\n"),
        "{out}{err}"
    );
    let endless = "-- ==\n-- input { 1i64 }\n-- input { 0i64 } output { 0i64 }\nentry main (x: i64) = loop x while x > 0 do x + 1 - 1\n";
    let place = Place::new(&[("1.rem", endless)]);
    place.fails(&["1.rem", "--time-limit", "3", "--jobs", "2"], &["it took longer than 3 s", "1 passed, 1 failed"]);
}

/// Input for which there is no memory fails its case, and no other.
#[cfg(unix)]
#[test]
fn cases_that_need_too_much_memory() {
    let text = "-- ==\n-- random input { [4294967296]i64 }\n-- input { [1i64] } output { 1i64 }\nentry main (xs: []i64) = i64.sum xs\n";
    let place = Place::new(&[("1.rem", text)]);
    let line = format!("ulimit -v 16000000; exec {} test 1.rem", env!("CARGO_BIN_EXE_remora"));
    let output = Command::new("sh").args(["-c", &line]).current_dir(place.0.path()).output().expect("it starts");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(1) && out.contains("memory") && out.ends_with("1 passed, 1 failed\n"), "{output:?}");
}

/// Names do nothing to a terminal, and do not look like messages.
#[cfg(unix)]
#[test]
fn names_are_shown_as_they_are() {
    let text = "-- ==\n-- \"red\u{1b}[31m\" input { 1i64 } output { 2i64 }\nentry main (x: i64) = x\n";
    let name = "a\u{1b}[2K\nerror: forged.rem";
    let place = Place::new(&[(name, text), ("b\nerror: other.rem", "def x = yy\n")]);
    for args in [&["test", "."][..], &["test", "--verbose", name], &["check", "b\nerror: other.rem"], &["test", "b\nerror: other.rem"]] {
        let (code, out, err) = place.test_with("cc", args);
        assert_eq!(code, Some(1), "{out}{err}");
        assert!(!(out + &err).contains('\u{1b}'), "{args:?}");
        let (_, out, err) = place.test_with("cc", args);
        assert!(!out.lines().chain(err.lines()).any(|line| line.starts_with("error: ")), "{args:?}\n{out}{err}");
    }
    place.fails(&[name], &["FAILED  a\\u{1b}[2K\\nerror: forged.rem: main red\\u{1b}[31m"]);
}

/// Blocks read files of the project, and of folders that were allowed.
#[cfg(unix)]
#[test]
fn blocks_read_what_is_theirs() {
    let case = |block: &str| format!("-- ==\n-- {block}\nentry main (x: i64) = x\nentry bytes (x: []u8) = length x\n");
    let place = Place::new(&[
        ("secret.in", "hidden"),
        ("5.in", "5"),
        ("p/own.in", "5"),
        ("p/own.rem", &case("input @ own.in output { 5i64 }")),
        ("p/deep/up.rem", &case("input @ ../own.in output { 5i64 }")),
        ("p/parent.rem", &case("input @ ../secret.in")),
        ("p/link.rem", &case("input @ link.in")),
        ("p/output.rem", &case("input { 5i64 } output @ ../secret.in")),
        ("p/script.rem", &case("script input @ ../secret.in")),
        ("p/none.rem", &case("input @ ../none.in")),
        ("p/five.rem", &case("input @ ../5.in output { 5i64 }")),
        ("p/bytes.rem", "-- ==\n-- entry: bytes\n-- script input { $loadbytes \"../secret.in\" }\nentry bytes (x: []u8) = length x\n"),
        ("p/root.rem", &case("input @ /etc/hostname")),
        ("p/pipe.rem", &case("input @ pipe.in")),
    ]);
    let at = |name: &str| place.0.path().join(name);
    std::os::unix::fs::symlink("../secret.in", at("p/link.in")).expect("a link");
    assert!(Command::new("mkfifo").arg(at("p/pipe.in")).status().expect("it starts").success());
    assert_eq!(place.test(&["p/own.rem"]).0, Some(0));
    for name in ["parent", "link", "output", "script", "none", "bytes", "root", "deep/up"] {
        let (code, out, err) = place.test(&[&format!("p/{name}.rem")]);
        assert!(code == Some(1) && out.contains("E0601") && out.contains("it is outside of the project"), "{name}: {out}{err}");
        assert!(out.contains("--allow-read") && !out.contains("hidden"), "{name}: {out}{err}");
    }
    place.fails(&["p/pipe.rem"], &["E0601", "it is no regular file"]);
    assert_eq!(place.test(&["p/five.rem", "--allow-read", "."]).0, Some(0));
    place.fails(&["p/parent.rem", "--allow-read", "."], &["hidden"]);
    place.fails(&["p/five.rem", "--allow-read", "p"], &["outside of the project"]);
    std::fs::write(at("p/.remora-project"), "").expect("written");
    assert_eq!(place.test(&["p/deep/up.rem"]).0, Some(0));
    std::fs::create_dir(at(".git")).expect("made");
    place.fails(&["p/five.rem"], &["outside of the project"]);
    std::fs::remove_file(at("p/.remora-project")).expect("removed");
    assert_eq!(place.test(&["p/five.rem"]).0, Some(0));
}

/// Nobody waits for an import that is no file.
#[cfg(unix)]
#[test]
fn imports_are_regular_files() {
    let place = Place::new(&[
        ("a.rem", "import \"pipe\"\n"),
        ("b.rem", "import \"folder\"\n"),
        ("folder.rem/x", ""),
        ("c.rem", "import \"long\"\n"),
    ]);
    let at = |name: &str| place.0.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe.rem")).status().expect("it starts").success());
    std::fs::File::create(at("long.rem")).and_then(|file| file.set_len(1 << 42)).expect("a file with nothing in it");
    for (name, why) in [("a", "it is no regular file"), ("b", "it is a directory"), ("c", "it is too long for a program")] {
        let (code, out, err) = place.test_with("cc", &["check", &format!("{name}.rem")]);
        assert!(code == Some(1) && err.contains(why), "{name}: {out}{err}");
    }
}

/// What the theory of core without types knows nothing of: sizes inside of tuples of which there are none, and that nothing depends on those of
/// empty tuples.
#[test]
fn tuples_without_cells_have_possible_sizes() {
    let text = "\
def pairs (a: i64) : [0]([a]i32, f64) = []

-- ==
-- entry: tuples
-- input { -1i64 } error: E0504
-- input { 3i64 } output { 0i64 }
entry tuples (x: i64) : i64 = length (pairs x)

-- ==
-- entry: mapped records
-- input { -1i64 0i64 } error: E0504
-- input { 2i64 0i64 } output { 0i64 }
entry mapped (x: i64) (k: i64) : i64 = length (map (\\i -> (replicate x i, 1i32)) (iota k))
entry records (x: i64) (k: i64) : i64 = length (map (\\i -> {a = replicate x i, b = (1i32, replicate x 2f64)}) (iota k))

def units (a: i64) : [0][a]() = []

-- ==
-- entry: unit unit_mapped
-- input { -1i64 } output { 0i64 }
entry unit (x: i64) : i64 = length (units x)
entry unit_mapped (x: i64) : i64 = length (map (\\_ -> replicate x ()) (iota 0))
";
    let place = Place::new(&[("none.rem", text)]);
    let said = place.passes(&["--backend", "interp,soac,kernel,imp,imp-device,cpu", "none.rem"]);
    assert!(said.contains("0 failed"), "{said}");
}
