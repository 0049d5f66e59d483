//! `remora repl`, driven by lines of standard input.

use super::{Place, Ran};

fn session(place: &Place, lines: &str) -> Ran {
    place.run_with(&["repl"], lines.as_bytes())
}

/// What is printed for inputs that are accepted.
#[track_caller]
fn check(lines: &str, expected: &str) {
    let ran = session(&Place::new(&[]), lines);
    assert_eq!(ran.err, "");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), expected));
}

#[test]
fn definitions_expressions_and_variables() {
    check("1 + 2\n", "3i32\n");
    check("def f (x: i64) = x * x\nf 7\n", "49i64\n");
    check("def f (x: i64) = 1i64\ndef f (x: i64) = 2i64\nf 7\n", "2i64\n");
    check("let x = [1.0, 2.0]\nx + 1\nlet (a, {b}) = (x[0], {b = true})\n(b, a)\n", "[2.0f64, 3.0f64]\ntrue\n1.0f64\n");
    check("let x = 1i64\nlet x = x + 1\nx\ndef x = true\nx\n", "2i64\ntrue\n");
    // Sizes of variables are known.
    check("let x = iota 3\nlet y = iota 3\nx + y\n", "[0i64, 2i64, 4i64]\n");
    check("\\x -> x + 1i64\n", "a value of the type i64 -> i64, which is, or has in it, a function\n");
    check("1\n:quit\n2\n", "1i32\n");
}

#[test]
fn inputs_of_several_lines() {
    check("def f (x: i64) =\n  let y = x + 1\n  in y * y\n\nf 2\n", "9i64\n");
    check("[1,\n 2]\n3", "[1i32, 2i32]\n3i32\n");
    check("match 2i64\ncase 1 -> false\ncase _ -> true\n\n", "true\n");
    check("def f (x: i64) =\n  x", "");
    // A command ends what stands before it; other lines with a colon do not.
    check("def f (x: i64) =\n  x + 1\n:type f\nf 1\n", "i64 -> i64\n2i64\n");
    check("def f (x: i64)\n: i64 =\n  x + 1\n\nf 1\n", "2i64\n");
}

#[test]
fn commands() {
    check("let x = [1i64, 2]\n:type x\n:type i64.sum\n:list\n:clear\n:list\n", "[2]i64\n[d]i64 -> i64\nx : [2]i64\n");
    check(":infer f64.sum\n", "[d]f64 -> f64\nf64.sum\n-- nothing inserted\n");
    check("let x = [1i64, 2]\n:infer x + 1\n", "[2]i64\nmap (\\x -> x + 1) x\n-- 1 map: + at 1:3 (1 map)\n");
    let ran = session(&Place::new(&[]), "def f (x: i64) = x + 1\n:infer f [1, 2]\n:core 1 + 2i64\n:time f 1\n:help\n");
    for text in ["map f [1, 2]", "f at 1:1 (1 map)", "(entry it", "2i64\nchecked in ", ":reload"] {
        assert!(ran.out.contains(text), "no {text:?} in\n{}", ran.out);
    }
}

#[test]
fn definitions_are_looked_at_without_being_kept() {
    let typed = ":infer def f (x: []i64) = x + 1\n:type def g (x: i64) = x\ndef h = 1i64\nlet k = 2i64\n:infer def f (x: [3]i64) = x + k\n";
    let shown = "f : [d]i64 -> [d]i64\ndef f (x: []i64) = map (\\x -> x + 1) x\n-- 1 map: + at 1:22 (1 map)\ng : i64 -> i64\n\
                 f : [3]i64 -> [3]i64\ndef f (x: [3]i64) = map (\\x -> x + k) x\n-- 1 map: + at 1:23 (1 map)\n";
    check(typed, shown);
    let ran = session(&Place::new(&[]), ":core def f (x: i64) = x\nf 1\ndef g (x: []i64) = x + 1\n:infer g\n");
    assert!(
        ran.out.starts_with("(") && ran.out.ends_with("at 1:22 (1 map)\n") && ran.err.contains("unknown name `f`"),
        "{} {}",
        ran.out,
        ran.err
    );
}

#[test]
fn programs_are_loaded_and_read_again() {
    let place = Place::new(&[("a.rem", "def f (x: i64) = x + 1\n"), ("bad.rem", "def f = y\n")]);
    let ran = place.run_with(&["repl", "a.rem"], b"f 1\n:load a.rem\nf 2\n:list\n");
    assert!(ran.out.starts_with("2i64\n3i64\n:load /"), "{}{}", ran.out, ran.err);
    let ran = session(&place, ":load bad.rem\n:load\n:load a.txt\n:load none.rem\n1\n:lod a.rem\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "1i32\n"));
    for text in ["E0201", "bad.rem:1:9", "`:load` needs", "a.txt", "none.rem", "did you mean `:load`?"] {
        assert!(ran.err.contains(text), "no {text:?} in\n{}", ran.err);
    }
}

#[test]
fn values_of_files() {
    let place = Place::new(&[("a.rem", "entry main : [2][3]f64 = [[0, 1, 2], [3, 4, 5]]\n"), ("d.txt", "[1i64, 2i64] true")]);
    place.ok(&["run", "--backend", "interp", "a.rem", "-o", "a.npy"]);
    let ran =
        session(&place, "let x = $loadnpy \"a.npy\"\nx[1]\n:type x\nf64.sum $loadnpy \"a.npy\"\nlet (i, b) = $loaddata \"d.txt\"\ni\n");
    assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)));
    assert_eq!(ran.out, "[3.0f64, 4.0f64, 5.0f64]\n[2][3]f64\n[3.0f64, 12.0f64]\n[1i64, 2i64]\n");
    let ran = session(&place, "$loadnpy \"b.npy\"\n$loadnpy \"a.rem\"\ndef f = $loadnpy \"a.npy\"\n$other \"x\"\n");
    for text in ["E0601", "b.npy", "E0604", "definitions do not know", "E0101"] {
        assert!(ran.err.contains(text), "no {text:?} in\n{}", ran.err);
    }
}

#[test]
fn errors_have_their_places_and_the_session_goes_on() {
    let place = Place::new(&[]);
    let ran = session(&place, "def f (x: i64) =\n  x + tru\n\nlet x = [1i64]\nx + [[true]]\n  x[3]\n1 + 1\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "2i32\n"));
    for text in [" --> input 1:2:7", "E0201", " --> input 3:1:", "E0501", " --> input 4:1:3"] {
        assert!(ran.err.contains(text), "no {text:?} in\n{}", ran.err);
    }
    let ran = session(&place, "let f = \\x -> x + 1i64\n");
    assert!(ran.err.contains("def f = .."), "{}", ran.err);
}

#[test]
fn definitions_know_values_that_were_kept() {
    check("let x = 2.5\ndef f y = x + y\nlet x = 10.0\nf 1\ndef g y = x + y\ng 1\n", "3.5f64\n11.0f64\n");
    // A definition that is hidden by a value is hidden in later definitions too.
    check("def x = true\nlet x = [1i64, -2]\ndef f [n] (y: [n]i64) = x ++ y\nf x\n:list\n:infer f\n", KNOWN);
    let odd =
        "let (a, {b, c}) = ([-f64.inf, f64.nan], {b = [] : [0][3]i8, c = (true, [(1u8, {z = -0.5f32})])})\ndef all = (a, b, c)\nall\n";
    check(odd, "[-f64.inf, f64.nan]\nempty([0][3]i8)\ntrue\n[1u8]\n[-0.5f32]\n");
    // What is too large, and what has no literals, is named.
    let ran =
        session(&Place::new(&[]), "let x = iota 5000\ndef f (i: i64) = x[i]\nlet z = 1 + 2j\ndef g = z\ndef h (x: []i64) = x[0]\nh x\n");
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "0i64\n"));
    for text in ["unknown name `x`", "make `(x: [5000]i64)` a parameter", " --> input 2:1:18", "make `(z: c128)` a parameter"] {
        assert!(ran.err.contains(text), "no {text:?} in\n{}", ran.err);
    }
    let ran = session(&Place::new(&[]), "let x = 1i64\ndef f = x\nlet x = iota 5000\ndef g = x\n");
    assert!(ran.err.contains("`x` would not mean the value that was kept last"), "{}", ran.err);
    let ran = session(&Place::new(&[]), "let x = 1i64\ndef f (y: i64) =\n  x + tru\n\n");
    assert!(ran.err.contains(" --> input 2:2:7"), "{}", ran.err);
}

const KNOWN: &str = "\
[1i64, -2i64, 1i64, -2i64]
def x = true
def f [n] (y: [n]i64) = x ++ y
x : [2]i64
f : [n]i64 -> [n+2]i64
def f [n] (y: [n]i64) = x ++ y
-- nothing inserted
";

/// Ctrl-C on a terminal stops the evaluation and not the session (`script` makes a terminal).
#[cfg(unix)]
#[test]
fn an_evaluation_is_interrupted() {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};
    use std::time::Duration;
    let mut command = Command::new("script");
    let remora = format!("{} repl", env!("CARGO_BIN_EXE_remora"));
    let place = Place::new(&[]);
    command
        .args(["-qfec", &remora, "/dev/null"])
        .current_dir(place.path())
        .env("TERM", "xterm")
        .env("REMORA_HISTORY", place.path().join("history"));
    let Ok(mut child) = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        println!("there is no `script` here: not tested");
        return;
    };
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    let read = std::thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).ok();
        text
    });
    let mut send = |text: &str, wait: u64| {
        input.write_all(text.as_bytes()).expect("written");
        input.flush().expect("written");
        std::thread::sleep(Duration::from_millis(wait));
    };
    std::thread::sleep(Duration::from_millis(1500));
    send("loop x = 0i64 while x >= 0 do x\r", 1500);
    send("\x03", 1000);
    send("40 + 2\r", 1000);
    send(":quit\r", 500);
    drop(input);
    child.wait().expect("it ends");
    let text = read.join().expect("read");
    assert!(text.contains("interrupted") && text.contains("42i32"), "{text}");
    assert!(std::fs::read_to_string(place.path().join("history")).expect("a history").contains("40 + 2"));
}
