//! The command line as users meet it: exit codes, streams, formats, bad input.

use super::Place;
use serde_json::Value;
use std::process::{Command, Stdio};

const PROGRAM: &str = "\
def norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))
entry scale (x: i32) (y: i32) : i32 = x * y
entry total [n] (xs: [n]i64) : i64 = i64.sum xs
entry pairs [n] (xs: [n]f64) (s: f64) : ([n]f64, f64) = (xs * s, norm xs)
entry small (x: u8) : u8 = x
entry same [n] (a: [n]f64) (b: [n]f64) : [n]f64 = a + b
entry divide (x: i32) (y: i32) : i32 = x / y
entry main = scale 2 3
";

#[test]
fn help_versions_and_wrong_usage() {
    let place = Place::new(&[]);
    let list = place.ok(&["--help"]);
    let (_, list) = list.split_once("Commands:\n").expect("a list of commands");
    let names: Vec<&str> = list.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 20 && ["check", "tune", "man"].iter().all(|name| names.contains(name)), "{names:?}");
    for command in names.into_iter().filter(|name| *name != "help") {
        let text = place.ok(&[command, "--help"]);
        assert!(text.contains("Examples:\n") || text.contains("\nExamples:"), "{command}: {text}");
    }
    assert!(place.ok(&["--version"]).starts_with("remora 0."));
    for wrong in [&["frobnicate"][..], &["check"], &["run"], &["infer", "x.rem", "--format", "xml"], &[], &["explain", "E9999"]] {
        assert_eq!(place.run(wrong).code, Some(2), "{wrong:?}");
    }
    // What only the Python package can do.
    let port = place.run(&["port", "script.py"]);
    assert!(port.code == Some(2) && port.err.contains("python -m remora port script.py") && !port.err.contains("plot"), "{}", port.err);
}

#[test]
fn explain_lists_and_explains() {
    let place = Place::new(&[]);
    assert!(place.ok(&["explain"]).contains("E0402  Ambiguous\n"));
    let text = place.ok(&["explain", "e0402"]);
    assert!(text.starts_with("E0402: Ambiguous\n") && text.contains("    def f (xss: [][]i64)"), "{text}");
}

#[test]
fn check_says_nothing_when_all_is_well() {
    let place = Place::new(&[("a.rem", PROGRAM), ("empty.rem", ""), ("bad.rem", "def f = g\ndef h = (1\n")]);
    let ran = place.run(&["check", "a.rem", "empty.rem"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    assert!(place.ok(&["check", "--stats", "a.rem"]).contains("solver runs"));
    let ran = place.run(&["check", "bad.rem", "a.rem", "--message-format", "json"]);
    assert_eq!(ran.code, Some(1));
    for line in ran.err.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        assert!(value["code"].as_str().is_some_and(|code| code.starts_with("E01") || code.starts_with("E02")), "{line}");
        assert_eq!(value["spans"][0]["file"], "bad.rem");
    }
}

#[test]
fn sources_that_cannot_be_read() {
    let place = Place::new(&[]);
    std::fs::write(place.path().join("latin.rem"), b"def f = 1\n-- \xe4\n").expect("written");
    std::fs::create_dir(place.path().join("folder.rem")).expect("made");
    place.refused(&["check", "missing.rem"], &["E0601", "missing.rem", "no such file"]);
    place.refused(&["check", "folder.rem"], &["E0601", "directory"]);
    place.refused(&["check", "latin.rem"], &["E0602", "latin.rem:2:4", "0xE4"]);
}

#[test]
fn arguments_are_literals_with_the_parameters_types() {
    let place = Place::new(&[("a.rem", PROGRAM)]);
    assert_eq!(place.ok(&["run", "a.rem"]), "6i32\n");
    assert_eq!(place.ok(&["run", "a.rem", "-e", "scale", "-3", "4"]), "-12i32\n");
    assert_eq!(place.ok(&["run", "a.rem", "-3", "4i32", "--entry", "scale"]), "-12i32\n");
    assert_eq!(place.ok(&["run", "-e", "scale", "a.rem", "-3", "4", "--threads", "2"]), "-12i32\n");
    assert_eq!(place.ok(&["run", "a.rem", "-e", "total", "[1, 2, -3]"]), "0i64\n");
    assert_eq!(place.ok(&["run", "a.rem", "-e", "pairs", "[3, 4]", "2"]), "[6.0f64, 8.0f64]\n5.0f64\n");
    let ran = place.run_with(&["run", "a.rem", "-e", "pairs"], b"[3.0, 4.0]\n2.0f64\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "[6.0f64, 8.0f64]\n5.0f64\n"), "{}", ran.err);
}

#[test]
fn arguments_and_results_in_files() {
    let place = Place::new(&[("a.rem", PROGRAM), ("values.txt", "[1i64, 2i64]")]);
    assert_eq!(place.ok(&["run", "a.rem", "-e", "total", "values.txt"]), "3i64\n");
    assert_eq!(place.ok(&["run", "a.rem", "-e", "pairs", "[3, 4]", "2", "-o", "r.npy"]), "");
    assert_eq!(place.ok(&["run", "a.rem", "-e", "pairs", "r.0.npy", "r.1.npy"]), "[30.0f64, 40.0f64]\n10.0f64\n");
    let binary = Command::new(env!("CARGO_BIN_EXE_remora"))
        .current_dir(place.path())
        .args(["run", "a.rem", "-e", "scale", "2", "3", "--binary"])
        .output()
        .expect("remora starts");
    assert_eq!(&binary.stdout[..3], b"b\x02\x00");
    std::fs::write(place.path().join("n.bin"), &binary.stdout).expect("written");
    assert_eq!(place.ok(&["run", "a.rem", "-e", "scale", "n.bin", "2"]), "12i32\n");
    place.refused(&["run", "a.rem", "-e", "scale", "1", "2", "-o", "x.jpg"], &["E0603", ".npy"]);
    place.refused(&["build", "a.rem", "--lib", "-o", "libremora.so"], &["E0603", "is not named `remora`"]);
    place.refused(&["run", "a.rem", "-e", "scale", "1", "2", "-o", "no/such/x.npy"], &["E0603", "no such file"]);
}

const PRICES: &str = "\
type prices [n] = {close: [n]f64, volume: [n]i64}
entry traded [n] (p: prices [n]) (k: f64) : {worth: [n]f64, volume: [n]i64} = {worth = p.close * f64.i64 p.volume * k, volume = p.volume}
entry total [n] (xs: [n]f64) : f64 = f64.sum xs
entry sums [n] [m] (a: [n][m]f64) : [n]f64 = f64.sum a
";

#[test]
fn tables_are_records_columns_and_matrices() {
    let place = Place::new(&[
        ("one.rem", "entry sum [n] (t: {x: [n]f64}) = f64.sum t.x"),
        ("c:d.csv", "a:b,x\n3,4\n"),
        ("p.rem", PRICES),
        ("p.csv", "volume,close,day\n2,1.5,1\n4,2,2\n"),
        ("m.tsv", "1\t2\n3\t4\n"),
    ]);
    assert_eq!(place.ok(&["run", "p.rem", "-e", "traded", "p.csv", "2", "-o", "w.csv"]), "");
    let written = std::fs::read_to_string(place.path().join("w.csv")).expect("it was written");
    assert_eq!(written, "volume,worth\n2,6.0\n4,16.0\n");
    assert_eq!(place.ok(&["run", "p.rem", "-e", "total", "p.csv:close"]), "3.5f64\n");
    assert_eq!(place.ok(&["run", "p.rem", "-e", "sums", "m.tsv"]), "[3.0f64, 7.0f64]\n");
    assert_eq!(place.ok(&["run", "p.rem", "-e", "traded", "p.csv:close", "[3, 4]", "1"]), "[3i64, 4i64]\n[4.5f64, 8.0f64]\n");
    place.refused(
        &["run", "p.rem", "-e", "total", "p.csv"],
        &["E0606", "choose one of the columns `volume`, `close`, `day`", "p.csv:volume"],
    );
    place.refused(&["run", "p.rem", "-e", "total", "p.csv:open"], &["E0606", "no column `open`"]);
    place.refused(&["run", "p.rem", "-e", "traded", "c:d.csv", "2"], &["E0606", "argument `p`: there is no column `close`"]);
    // Arrays of an archive are read one by one.
    std::fs::write(place.path().join("q.npz"), b"PK\x03\x04\0\0").expect("written");
    place.refused(&["run", "p.rem", "-e", "total", "q.npz"], &["E0604", "found an archive", "numpy.save"]);
    place.refused(&["run", "q.npz"], &["E0602", "`q.npz` is not a program: it is an archive"]);
    place.refused(&["run", "p.rem", "-e", "total", "none.csv"], &["E0601", "none.csv"]);
    place.refused(&["run", "p.rem", "-e", "traded", "p.csv"], &["E0612", "takes 3 arguments, 1 given"]);
    place.refused(&["run", "p.rem", "-e", "sums", "[[1]]", "-o", "no/such/x.csv"], &["E0603"]);
    assert_eq!(place.ok(&["run", "one.rem", "c:d.csv"]), "4.0f64\n");
    assert_eq!(place.ok(&["run", "one.rem", "c:d.csv:a:b"]), "3.0f64\n");
    assert_eq!(place.ok(&["run", "one.rem", "[5, 6]"]), "11.0f64\n");
}

#[test]
fn the_only_entry_point_needs_no_name() {
    let place = Place::new(&[("one.rem", "entry double (x: i32) : i32 = 2 * x\ndef other (x: i32) : i32 = x"), ("two.rem", PROGRAM)]);
    assert_eq!(place.ok(&["run", "one.rem", "4"]), "8i32\n");
    assert_eq!(place.ok(&["run", "two.rem"]), "6i32\n");
    place.ok(&["build", "one.rem", "-o", "one"]);
    // The evaluator does not hand out functions either.
    let place =
        Place::new(&[("fun.rem", "entry f (x: i64) = (\\(y: i64) -> x + y, x)\n"), ("one.rem", "entry double (x: i32) : i32 = 2 * x")]);
    let ran = place.run(&["build", "fun.rem", "-o", "fun"]);
    assert!(
        ran.code == Some(1) && ran.err.contains("E0801") && ran.err.contains("return data") && !ran.err.contains("interp"),
        "{}",
        ran.err
    );
    assert!(place.ok(&["bench", "one.rem", "4", "--runs", "1", "--seconds", "0"]).contains("(1 run, "));
}

#[test]
fn what_is_wrong_with_arguments() {
    let place = Place::new(&[("a.rem", PROGRAM), ("cut.npy", "\u{1}NUMPY")]);
    place.refused(&["run", "a.rem", "-e", "scale", "1"], &["E0612", "2 arguments", "1 given", "i32"]);
    place.refused(&["run", "a.rem", "-e", "scale", "1", "2", "3"], &["E0612", "3 given"]);
    place.refused(&["run", "a.rem", "-e", "scale", "1.5", "2"], &["E0605", "`x`"]);
    place.refused(&["run", "a.rem", "-e", "scale", "[1]", "2"], &["E0606"]);
    place.refused(&["run", "a.rem", "-e", "small", "300"], &["E0605", "300"]);
    place.refused(&["run", "a.rem", "-e", "total", "[[1], [2, 3]]"], &["E06"]);
    place.refused(&["run", "a.rem", "-e", "total", "missing.npy"], &["E0601", "missing.npy"]);
    place.refused(&["run", "a.rem", "-e", "total", "cut.npy"], &["E06", "cut.npy"]);
    place.refused(&["run", "a.rem", "-e", "same", "[1, 2]", "[1]"], &["E0503", "size 1 where 2 is needed"]);
    place.refused(&["run", "a.rem", "-e", "scael"], &["E0611", "did you mean `scale`", "total"]);
    let ran = place.run_with(&["run", "a.rem", "-e", "scale"], b"1");
    assert!(ran.code == Some(1) && ran.err.contains("E0612"), "{}", ran.err);
    let ran = place.run_with(&["run", "a.rem", "-e", "total"], b"\xff\xfe\x00");
    assert_eq!(ran.code, Some(1), "{}", ran.err);
}

/// Values of sum types are read and written as text; C has no type for them.
#[test]
fn sums_come_from_outside_and_go_there() {
    let types = "type t = #a i32 | #b f64 | #c\ndef make (x: i32) : t = #a x\ndef size (x: t) : i32 = match x case #a n -> n case _ -> 0\n";
    let inside = format!("{types}entry main (x: i32) : i32 = size (make x)\n");
    let outside = format!("{types}entry main (x: t) (ys: []t) : (i32, []t) = (size x, ys)\nentry none : t = #c\n");
    let place = Place::new(&[("inside.rem", &inside), ("outside.rem", &outside), ("x.in", "#b 2")]);
    for backend in ["interp", "cpu"] {
        assert_eq!(place.ok(&["run", "inside.rem", "--backend", backend, "3"]), "3i32\n");
        let shown = "3i32\n[#b -1.5f64, #c, #a 7i32]\n";
        assert_eq!(place.ok(&["run", "outside.rem", "--backend", backend, "#a 3", "[#b -1.5, #c, (#a 7)]"]), shown);
        assert_eq!(place.ok(&["run", "outside.rem", "--backend", backend, "x.in", "[]"]), "0i32\n[]\n");
        assert_eq!(place.ok(&["run", "outside.rem", "--backend", backend, "-e", "none"]), "#c\n");
        place.refused(&["run", "outside.rem", "--backend", backend, "#d 3", "[]"], &["E0604", "expected `#a` or `#b` or `#c`, found `#d`"]);
        place.refused(&["run", "outside.rem", "--backend", backend, "#a", "[]"], &["E0604", "argument `x`"]);
        place.refused(&["run", "outside.rem", "--backend", backend, "#a 1 2", "[]"], &["E0607"]);
        place.refused(
            &["run", "outside.rem", "--backend", backend, "#c", "[#a 1"],
            &["E0604", "expected `,` or `]`, found the end of the data"],
        );
        place.refused(&["run", "outside.rem", "--backend", backend, "#c"], &["E0612", "ys`: [](#a i32 | #b f64 | #c)"]);
        place.refused(&["run", "outside.rem", "--backend", backend, "-e", "none", "--binary"], &["E0603"]);
    }
    place.ok(&["build", "outside.rem", "-o", "outside"]);
    place.ok(&["build", "inside.rem", "--lib", "-o", "libinside.so"]);
    let header = std::fs::read_to_string(place.path().join("inside.h")).expect("a header");
    assert!(header.contains("inside_main(") && !header.contains("inside_size("), "{header}");
    place.ok(&["build", "outside.rem", "--lib", "-o", "liboutside.so"]);
    let header = std::fs::read_to_string(place.path().join("outside.h")).expect("a header");
    assert!(header.contains("outside_a_i32_b_f64_c_new_b(outside_context *context, double v"), "{header}");
}

#[test]
fn arrays_of_sums_are_written_like_others() {
    let program = "type t = #none | #some i64\n\
                   entry rows [n] [m] (xss: [n][m]t) = (n, m)\n\
                   entry sum [n] (xs: [n]t) = i64.sum (map (\\x -> match x case #none -> 0 case #some k -> k) xs)\n";
    let place = Place::new(&[("s.rem", program)]);
    assert_eq!(place.ok(&["run", "s.rem", "-e", "sum", "[#some 1, #none, #some 4,]"]), "5i64\n");
    for (text, shown) in [
        ("empty([0][3](#none | #some i64))", "0i64\n3i64\n"),
        ("empty( [2] [0]#none|#some i64 )", "2i64\n0i64\n"),
        ("[[#none,],]", "1i64\n1i64\n"),
    ] {
        assert_eq!(place.ok(&["run", "s.rem", "-e", "rows", text]), shown, "{text}");
    }
    place.refused(&["run", "s.rem", "-e", "sum", "empty([0][3](#none | #some i64))"], &["E0606", "rank 1"]);
    place.refused(&["run", "s.rem", "-e", "rows", "empty([1][3](#none | #some i64))"], &["E0604", "size that is 0"]);
    place.refused(&["run", "s.rem", "-e", "sum", "empty([0]i32)"], &["E0604", "#none | #some i64"]);
    place.refused(&["run", "s.rem", "-e", "sum", "[#none #none]"], &["E0604", "`,` or `]`"]);
}

#[test]
fn results_that_are_no_data_are_refused() {
    let program = "entry pair (x: i64) = (x, \\y -> y + x)\nentry rows (xs: []i64) = map (\\x y -> x + y) xs\n";
    let place = Place::new(&[("f.rem", program)]);
    for backend in ["interp", "cpu", "auto"] {
        place.refused(&["run", "f.rem", "-e", "pair", "3", "--backend", backend], &["E0613", "`pair`", "function"]);
        place.refused(&["run", "f.rem", "-e", "rows", "[3]", "--backend", backend], &["E0613", "`rows`"]);
    }
}

#[test]
fn options_without_a_meaning_are_refused() {
    let place = Place::new(&[("f.rem", "entry main (x: i64) = x\n")]);
    for seconds in ["nan", "inf", "-inf", "-1", "1e9"] {
        place.refused(&["bench", "f.rem", "1", "--seconds", seconds], &["E0618", "--seconds"]);
    }
    assert_eq!(place.run(&["bench", "f.rem", "1", "--seconds", "soon"]).code, Some(2));
}

#[test]
fn arrays_of_numpy_of_another_type() {
    let place = Place::new(&[("f.rem", "entry main (xs: []f64) = f64.sum xs\nentry single (xs: []f32) = xs\n")]);
    place.ok(&["run", "f.rem", "-e", "single", "[1.0, 2.0]", "-o", "a.npy"]);
    place.refused(&["run", "f.rem", "a.npy"], &["E0605", "a.astype(np.float64)", "`[]f32`"]);
}

#[test]
fn failures_name_the_place() {
    let place = Place::new(&[("a.rem", PROGRAM)]);
    place.refused(&["run", "a.rem", "-e", "divide", "1", "0"], &["E05", "a.rem:7:"]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new(&[("a.rem", "entry main : []i64 = iota 1000000\n")]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_remora"))
        .current_dir(place.path())
        .args(["run", "a.rem"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("remora starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("remora ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_full_disk_is_an_error() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let place = Place::new(&[("a.rem", PROGRAM)]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    let output = command.current_dir(place.path()).args(["run", "a.rem"]).stdout(full).output().expect("remora starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("E0603"));
}

const ISSUE: &str = "def f [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = (a * v + s) / f64.sqrt (f64.sum (v * v))\n";

#[test]
fn infer_in_three_formats() {
    let place = Place::new(&[("f.rem", ISSUE)]);
    assert!(place.ok(&["infer", "f.rem"]).contains("map"));
    let json: Value = serde_json::from_str(&place.ok(&["infer", "f.rem", "--format", "json"])).expect("JSON");
    let definition = &json["definitions"][0];
    assert_eq!(definition["name"], "f");
    assert_eq!(definition["cost"], 7, "{definition:#}");
    for key in ["function", "line", "column", "maps", "reps", "induced"] {
        assert!(!definition["applications"][0][key].is_null(), "{key}");
    }
    for key in ["parse", "infer", "rank", "sizes", "elaborate", "consume"] {
        assert!(json["stats"]["milliseconds"][key].is_number(), "{key}");
    }
    for key in ["applications", "undecided", "variables", "constraints", "components", "ilp_solves"] {
        assert!(json["stats"][key].is_u64(), "{key}");
    }
    let explicit = place.ok(&["infer", "f.rem", "--format", "source"]);
    std::fs::write(place.path().join("explicit.rem"), &explicit).expect("written");
    let json: Value = serde_json::from_str(&place.ok(&["infer", "explicit.rem", "--format", "json"])).expect("JSON");
    assert_eq!(json["definitions"][0]["cost"], 0, "{explicit}");
    assert_eq!(json["definitions"][0]["applications"], serde_json::json!([]), "{explicit}");
    assert_eq!(place.ok(&["infer", "explicit.rem", "--format", "source"]), explicit);
    // Comments stay, also where a variable gets another name.
    let commented = "def f [n] (xs: [n]f64) = -- one\n  let s = xs + 1 -- two\n  -- three\n  in (s * -- four\n      2)\n\
                     def g [n] (map: [n]f64) = -- five\n  map + -- six\n  1\n";
    std::fs::write(place.path().join("commented.rem"), commented).expect("written");
    let explicit = place.ok(&["infer", "commented.rem", "--format", "source"]);
    assert!(["one", "two", "three", "four", "five", "six"].iter().all(|word| explicit.matches(word).count() == 1), "{explicit}");
    std::fs::write(place.path().join("commented.rem"), &explicit).expect("written");
    assert_eq!(place.ok(&["infer", "commented.rem", "--format", "source"]), explicit, "nothing is left to insert");
    let args = ["[[1, 2], [3, 4]]", "[3, 4]", "1"];
    let run = |file| place.ok(&[&["run", file, "-e", "f"][..], &args].concat());
    assert_eq!(run("f.rem"), run("explicit.rem"));
    place.refused(&["infer", "f.rem", "--def", "g"], &["E0611"]);
}

#[test]
fn tests_in_comments() {
    let good = "-- ==\n-- entry: f g\n-- input { [1, 2] } output { [2, 4] }\n-- random input { [7]i32 }\n\
                entry f [n] (xs: [n]i32) : [n]i32 = xs + xs\nentry g [n] (xs: [n]i32) : [n]i32 = xs * 2\n\
                -- ==\n-- entry: h\n-- \"zero\" input { 0 } error: division\nentry h (x: i32) : i32 = 1 / x\n";
    let refused = "-- ==\n-- error: E0402\ndef f (xss: [][]i64) = i64.sum (length xss)\n";
    let bad = "-- ==\n-- input { 1.0 2.0 } output { 3.5 }\n-- input { 1.0 2.0 } error: x\n-- input { 1.0 } output { 1.0 }\n\
               entry main (x: f64) (y: f64) : f64 = x + y\n";
    let place = Place::new(&[("good.rem", good), ("refused.rem", refused), ("bad.rem", bad), ("broken.rem", "-- ==\n-- inptu { }\n")]);
    assert_eq!(place.ok(&["test", "good.rem", "refused.rem"]), "6 passed, 0 failed\n");
    assert!(place.ok(&["test", "-v", "good.rem"]).contains("ok      good.rem: h zero"));
    let ran = place.run(&["test", "bad.rem"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.out.contains("3.0f64, expected 3.5f64") && ran.out.contains("bad.rem:2:") && ran.out.ends_with("0 passed, 3 failed\n"),
        "{}",
        ran.out
    );
    assert_eq!(place.run(&["test", "broken.rem"]).code, Some(1));
}

#[test]
fn attributes_have_effects() {
    let traced = "def f (x: i32) : i32 = #[trace(f)] x * 2\n\
                  entry main [n] (xs: [n]i32) : i32 = #[trace] i32.sum (map f (#[trace(xs)] xs))\n\
                  entry failing [n] (xs: [n]i32) : i32 = (#[trace(before)] xs)[n]\n";
    let loops = "entry all (n: i64) : i64 = #[sequential] i64.sum (map (\\i -> i * i) (iota n))\n\
                 entry outer [n] [m] (xss: [n][m]f32) : [n]f32 = #[sequential_outer] map (\\xs -> f32.sum xs) xss\n\
                 entry inner [n] [m] (xss: [n][m]f32) : [n]f32 = #[sequential_inner] map (\\xs -> f32.sum xs) xss\n\
                 entry none [n] [m] (xss: [n][m]f32) : [n]f32 = map (\\xs -> f32.sum xs) xss\n";
    let unknown = "#[unsave]\ndef f (x: i32) : i32 = x\nentry main (x: i32) : i32 = f x\n";
    let place = Place::new(&[("traced.rem", traced), ("unknown.rem", unknown)]);
    let ran = place.run(&["run", "traced.rem", "[1, 2]", "--backend", "interp", "--threads", "1"]);
    let lines = "traced.rem:2:64 xs: [1i32, 2i32]\ntraced.rem:1:26 f: 2i32\ntraced.rem:1:26 f: 4i32\ntraced.rem:2:39: 6i32\n";
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "6i32\n", lines));
    // Where nothing was asked for, the evaluator runs programs that show values.
    let ran = place.run(&["run", "traced.rem", "[1, 2]"]);
    assert!(ran.out == "6i32\n" && ran.err.contains("#[trace]") && ran.err.contains("f: 4i32"), "{}", ran.err);
    let ran = place.run(&["run", "traced.rem", "-e", "failing", "[1, 2]"]);
    assert!(ran.code == Some(1) && ran.err.contains("before: [1i32, 2i32]") && ran.err.contains("E0501"), "{}", ran.err);
    // A warning is no error, and what it is about is checked all the same.
    for command in ["check", "infer"] {
        let ran = place.run(&[command, "unknown.rem"]);
        assert!(ran.code == Some(0) && ran.err.contains("warning[E0109]") && ran.err.contains("did you mean `#[unsafe]`?"), "{}", ran.err);
    }
    // Compiled: which loops are parallel.
    for (line, inner, outer) in [(0, false, false), (1, true, false), (2, false, true), (3, true, true)] {
        let text = loops.lines().nth(line).expect("a definition");
        std::fs::write(place.path().join("loop.rem"), format!("{text}\n")).expect("written");
        let imp = place.ok(&["dump", "--stage", "imp", "loop.rem"]);
        let parallel: Vec<&str> = imp.lines().filter(|l| l.trim_start().starts_with("parallel ")).collect();
        assert_eq!(parallel.len(), usize::from(inner) + usize::from(outer), "{text}{imp}");
    }
    // What a conditional with a branch for processors means is its second branch.
    let place = Place::new(&[("choice.rem", "entry main (x: i32) : i32 = #[on_processors] if true then x + 1 else x + 2\n")]);
    assert_eq!(place.ok(&["run", "choice.rem", "1", "--backend", "interp"]), "3i32\n");
    for (stage, added) in [("soac", "1i32"), ("kernel", "2i32")] {
        let text = place.ok(&["dump", "--stage", stage, "choice.rem"]);
        assert!(text.contains(&format!("x.0 {added}")) && !text.contains("(if "), "{text}");
    }
}

#[test]
fn core_and_dumps() {
    let place = Place::new(&[("f.rem", ISSUE)]);
    assert!(place.ok(&["core", "f.rem"]).starts_with("(use core)\n\n(entry f : "));
    assert!(place.ok(&["dump", "--stage", "tokens", "f.rem"]).starts_with("1:1\tDef\tdef\n"));
    assert!(place.ok(&["dump", "--stage", "surface", "f.rem"]).starts_with("def f [n] [m]"));
    assert!(place.ok(&["dump", "--stage", "core", "f.rem"]).contains("(entry f : "));
    place.ok(&["dump", "--stage", "rank", "f.rem"]);
}

#[test]
fn core_written_by_hand() {
    let means = "(define (mean{| n} [xs [float n]]) (/. (reduce-init +. 0.0 xs) (int->float (length xs))))\n\
                 (define (add [x int]) (+ x 1))\n(mean [[1.0 2.0] [3.0 5.0]])\n";
    let sum = "(unbox (read-nums) (xs n) (tuple (reduce-init + 0 xs) (box ((m n)) [int m] xs)))\n";
    let place = Place::new(&[("means.remc", means), ("sum.remc", sum), ("wrong.remc", "(+ [1 2] [1 2 3])"), ("f.rem", PROGRAM)]);
    assert_eq!(place.ok(&["check", "means.remc"]), "");
    assert_eq!(place.ok(&["run", "means.remc"]), "[1.5 4.0]\n");
    assert_eq!(place.ok(&["run", "means.remc", "-e", "mean", "[1.0, 2.0, 6.0]"]), "3.0\n");
    assert_eq!(place.ok(&["run", "means.remc", "-e", "add", "41"]), "42\n");
    place.refused(&["run", "means.remc", "-e", "meann"], &["E0611", "did you mean `mean`?"]);
    place.refused(&["check", "wrong.remc"], &["E0707", "[2] and [3]", "wrong.remc:1:1"]);
    place.refused(&["dump", "--stage", "rank", "means.remc"], &["E0718"]);
    let inferred = place.ok(&["infer", "means.remc", "--def", "main"]);
    assert!(inferred.starts_with("; 3:1 mean is lifted over [2]") && inferred.contains("(map [2] ("), "{inferred}");
    let json: Value = serde_json::from_str(&place.ok(&["infer", "means.remc", "--format", "json"])).expect("JSON");
    assert_eq!(json["definitions"][0]["name"], "mean");
    assert_eq!(json["definitions"][0]["type"], "(Pi (n) (-> ([f64 n]) f64))");
    // Explicit core is core.
    for (args, file) in [(vec!["infer", "means.remc", "--format", "source"], "a.remc"), (vec!["core", "means.remc"], "b.remc")] {
        std::fs::write(place.path().join(file), place.ok(&args)).expect("written");
        assert_eq!(place.ok(&["run", file]), "[1.5 4.0]\n");
    }
    std::fs::write(place.path().join("f.remc"), place.ok(&["core", "f.rem"])).expect("written");
    for args in [&["-e", "total", "[1, 2, 3]"][..], &["-e", "scale", "6", "7"], &["-e", "norm", "[3.0, 4.0]"]] {
        let run = |file| place.ok(&[&["run", file, "--binary"][..], args].concat());
        assert_eq!(run("f.rem"), run("f.remc"), "{args:?}");
    }
    let tests = "; ==\n; entry: f\n; input { 1 } output { 2 }\n; input { 2 } output { 3 }\n(define (f [x int]) (+ x 1))\n";
    std::fs::write(place.path().join("tests.remc"), tests).expect("written");
    assert_eq!(place.ok(&["test", "tests.remc"]), "2 passed, 0 failed\n");
    let ran = place.run_with(&["run", "sum.remc"], b"3 4\n5");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "(tuple 12 (box 3 [3 4 5]))\n"), "{}", ran.err);
    let ran = place.run_with(&["run", "sum.remc"], b"3 four");
    assert!(ran.code == Some(1) && ran.err.contains("word 2, `four`"), "{}", ran.err);
}

#[test]
fn deep_and_large_input() {
    let nested = format!("def f = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let chain = format!("def f (x: i64) = x{}\n", " + x".repeat(200_000));
    let lets: String = (0..20_000).map(|i| format!("  let x{} = x{i} + 1\n", i + 1)).collect();
    let lets = format!("def f (x0: i64) =\n{lets}  in x20000\n");
    let doubling: String = (0..25).map(|i| format!("  let p{} = (p{i}, p{i})\n", i + 1)).collect();
    let doubling = format!("def f (p0: i64) =\n{doubling}  in p25\n");
    let core_chain = format!("{}1{}", "(+ 1 ".repeat(20_000), ")".repeat(20_000));
    let core_lets = format!("(define (f [x int]) {}x{})", "(let [x (* x x)] ".repeat(5_000), ")".repeat(5_000));
    let core_types = format!("(define (f [x {}[int n]{}]) 1)", "(Pi (n) ".repeat(20_000), ")".repeat(20_000));
    let files = [
        ("nested.rem", nested),
        ("chain.rem", chain),
        ("lets.rem", lets),
        ("doubling.rem", doubling),
        ("chain.remc", core_chain),
        ("lets.remc", core_lets),
        ("types.remc", core_types),
    ];
    let place = Place::new(&files.iter().map(|(name, text)| (*name, text.as_str())).collect::<Vec<_>>());
    for (name, _) in &files {
        place.ok(&["check", name]);
        assert!(place.ok(&["infer", "--format", "json", name]).len() < 20_000_000, "{name}");
    }
    let unclosed = "(".repeat(100_000);
    std::fs::write(place.path().join("unclosed.rem"), format!("def f = {unclosed}")).expect("written");
    place.refused(&["check", "unclosed.rem"], &["E01"]);
    std::fs::write(place.path().join("unclosed.remc"), &unclosed).expect("written");
    place.refused(&["check", "unclosed.remc"], &["E0182"]);
    std::fs::write(place.path().join("ranks.remc"), format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000))).expect("written");
    place.refused(&["check", "ranks.remc"], &["E0705", "at most 255 dimensions"]);
}

/// A program with everything in it that might tempt someone to run or read something, a C compiler that leaves a trace, and a data file
/// that cannot be read to its end: a pipe to which nobody writes.
#[cfg(unix)]
fn tempting() -> Place {
    use std::os::unix::fs::PermissionsExt;
    let program = "-- ==\n-- entry: main\n-- input @ pipe.in\n-- output @ pipe.in\n-- script input { $loadbytes \"pipe.in\" }\n\
        -- ==\n-- structure cpu { map 1 }\n\
        import \"beside\"\ndef failing : i64 = 1 // (beside - beside)\n#[trace] def shown (x: i64) : i64 = #[trace] x\n\
        def endless (x: i64) : i64 = loop y = x while true do y + 1\n\
        entry main (x: i64) : i64 = shown failing + endless x\nentry quick (x: i64) : i64 = x + 1\n";
    let compiler = "#!/bin/sh\ntouch \"$TRACE\"\nexit 1\n";
    let place = Place::new(&[("main.rem", program), ("beside.rem", "def beside : i64 = 2\n"), ("cc", compiler), ("other.rem", "def def")]);
    let script = place.path().join("cc");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let made = Command::new("mkfifo").arg(place.path().join("pipe.in")).status().expect("mkfifo starts");
    assert!(made.success());
    place
}

/// Runs a command in that place with that compiler in front of all others; says whether it ended within a minute, with which code, and
/// whether something was started or kept.
#[cfg(unix)]
fn tempted(place: &Place, args: &[&str]) -> (Option<i32>, bool) {
    let (trace, cache) = (place.path().join("trace"), place.path().join("cache"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    let path = format!("{}:{}", place.path().display(), std::env::var("PATH").unwrap_or_default());
    command.current_dir(place.path()).env("PATH", path).env("CC", place.path().join("cc")).env("TRACE", &trace).env("REMORA_CACHE", &cache);
    command.env("XDG_CACHE_HOME", &cache).env("HOME", &cache).args(args);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("remora starts");
    let start = std::time::Instant::now();
    let status = loop {
        match child.try_wait().expect("known") {
            Some(status) => break Some(status),
            None if start.elapsed().as_secs() < 60 => std::thread::sleep(std::time::Duration::from_millis(20)),
            None => break None,
        }
    };
    if status.is_none() {
        child.kill().and_then(|()| child.wait()).expect("ended");
    }
    (status.and_then(|status| status.code()), trace.exists() || cache.exists())
}

#[cfg(unix)]
#[test]
fn looking_at_a_program_runs_nothing_and_reads_only_what_is_imported() {
    let place = tempting();
    for args in [
        &["check", "main.rem"][..],
        &["check", "--stats", "main.rem"],
        &["infer", "main.rem"],
        &["infer", "--format", "source", "main.rem"],
        &["core", "main.rem"],
        &["dump", "--stage", "soac", "main.rem"],
        &["dump", "--stage", "c", "main.rem"],
        &["explain", "E0401"],
    ] {
        assert_eq!(tempted(&place, args), (Some(0), false), "{args:?}");
    }
    // What does run programs starts the compiler and leaves that trace.
    let (code, touched) = tempted(&place, &["run", "--backend", "cpu", "main.rem", "-e", "quick", "1"]);
    assert!(code != Some(0) && touched);
}
