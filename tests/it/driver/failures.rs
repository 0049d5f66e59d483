//! Failures of running programs as users see them: with the values, the place, and the call that led there.

use remora::base::{Scalar, SourceMap, Symbol};
use remora::front::resolve::Loader;
use remora::runtime::{Array, Buffer, Value};
use remora::{diag, driver};

struct Alone;

impl Loader for Alone {
    fn load(&self, _: &str) -> Result<String, String> {
        Err("there is no such file".into())
    }
}

fn floats(count: usize) -> Value {
    Value::Array(Array::new(&[count], Buffer::filled(Scalar::F64(1.0), count).unwrap()).unwrap())
}

/// What running `main` of a program on these arguments reports.
fn failure(program: &str, arguments: &[Value]) -> String {
    report(program, arguments, false)
}

/// The same for one of the evaluators.
fn report(program: &str, arguments: &[Value], first_order: bool) -> String {
    let mut sources = SourceMap::default();
    let root = sources.add("main.rem", program);
    let checked = driver::check(&mut sources, &Alone, root);
    assert_eq!(checked.diagnostics, [], "{program}");
    let main = Symbol::new("main");
    let result = match first_order {
        true => driver::run_soac(&sources, &checked, main, arguments.to_vec()),
        false => driver::run(&checked, main, arguments.to_vec(), Some(2)),
    };
    diag::text::render(&sources, &result.expect_err("it fails"), false)
}

fn fails(program: &str, arguments: &[Value], expected: &str) {
    let found = failure(program, arguments);
    assert_eq!(found.trim_end(), expected.trim_start_matches('\n').trim_end(), "{program}");
}

#[test]
fn a_failure_in_the_library_names_the_call() {
    let head = include_str!("../../../stdlib/prelude.rem").lines().position(|line| line.starts_with("def head ")).expect("it is there") + 1;
    let expected = "
error[E0501]: index 0 is out of bounds for an array of size 0
   --> stdlib/prelude.rem:HEAD:34
    |
HEAD | def head 'a [n] (xs: [n]a) : a = xs[0]
    |                                  ^^^^^
    |
   ::: main.rem:1:54
    |
  1 | entry main [n] (xs: [n]f64) = map (\\k -> f64.i64 k + head xs[0:k]) (iota 2)
    |                                                      ------------ called from here
";
    let program = "entry main [n] (xs: [n]f64) = map (\\k -> f64.i64 k + head xs[0:k]) (iota 2)\n";
    fails(program, &[floats(3)], &expected.replace("HEAD", &head.to_string()));
}

#[test]
fn indices_that_count_from_the_end_are_named_as_they_are_written() {
    for (index, message) in [
        ("xs[-20]", "index -17 is out of bounds"),
        ("xs[-20:1][0]", "slice [-17:1] is out of bounds"),
        ("(xs with [-20] = 0)[0]", "index -17 is out of bounds"),
    ] {
        for first_order in [false, true] {
            let found = report(&format!("entry main (xs: []f64) = {index}\n"), &[floats(3)], first_order);
            assert!(found.contains(message) && found.contains("= note: a literal index such as `-20` counts from the end"), "{found}");
        }
    }
    let computed = failure("entry main (xs: []f64) = xs[length xs - 20]\n", &[floats(3)]);
    assert!(computed.contains("index -17 is out of bounds") && !computed.contains("note"), "{computed}");
}

#[test]
fn the_innermost_call_of_the_user_is_named() {
    let program = "def first (xs: []f64) = take 5 xs\ndef second (xs: []f64) = (first xs)[0]\nentry main (xs: []f64) = second xs\n";
    let found = failure(program, &[floats(3)]);
    assert!(found.contains("::: main.rem:1:25"), "{}", found);
    assert!(!found.contains("main.rem:2") && !found.contains("main.rem:3"), "{}", found);
}

#[test]
fn a_function_of_the_user_fails_at_its_own_place() {
    let program = "entry main (xs: []f64) = foldl (\\a (b: f64) -> a / i64.f64 (b - b)) 1i64 xs\n";
    let found = failure(program, &[floats(3)]);
    assert!(found.contains("--> main.rem:1:48") && !found.contains("called from"), "{}", found);
}

#[test]
fn arguments_are_called_by_their_names() {
    let program = "entry main [n] (xs: [n]f64) (ys: [n]f64) ((a, b): ([n]f64, i64)) = xs + ys + a + f64.i64 b\n";
    let pair = Value::tuple(vec![floats(3), Value::Scalar(Scalar::I64(1))]);
    for first_order in [false, true] {
        let found = report(program, &[floats(3), floats(2), pair.clone()], first_order);
        assert!(found.contains("argument `ys` has size 2 where 3 is needed, the size that argument `xs` has"), "{found}");
    }
    let pair = Value::tuple(vec![floats(4), Value::Scalar(Scalar::I64(1))]);
    for first_order in [false, true] {
        let found = report(program, &[floats(3), floats(3), pair.clone()], first_order);
        assert!(found.contains("argument 3 has size 4 where 3 is needed, the size that argument `xs` has"), "{found}");
    }
}

#[test]
fn results_that_no_array_can_be() {
    let huge = Value::Scalar(Scalar::I64(i64::MAX));
    for (program, code) in [
        ("entry main (n: i64) : [][]i32 = let xs : [][]i32 = replicate n [] in xs ++ xs\n", "E0504"),
        ("entry main (n: i64) = length (flatten (replicate n (replicate n (replicate 0 1i32))))\n", "E0504"),
        ("entry main (n: i64) = length ((-n)..<n)\n", "E0504"),
        ("entry main (n: i64) = iota n\n", "E0504"),
    ] {
        let found = failure(program, std::slice::from_ref(&huge));
        assert!(found.contains(code), "{program}{}", found);
    }
}

/// What the command prints where an entry point of the program fails on this back end.
fn command(folder: &std::path::Path, backend: &str, entry: &str, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_remora"));
    command.current_dir(folder).args(["run", "main.rem", "--backend", backend, "-e", entry]).args(arguments);
    let output = command.env("REMORA_CACHE", folder.join("cache")).env("REMORA_CFLAGS", "-O0").output().expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

#[test]
fn compiled_programs_name_the_call_as_the_evaluator_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "\
#[noinline] def first (xs: []i64) : i64 = head xs + i64.sum xs
#[noinline] def upto (xs: []i64) (k: i64) : i64 = first xs[0:k] + 1
entry inlined (xs: []i64) : i64 = head xs[0:0]
entry cells (xs: []i64) : []i64 = map (\\k -> k + head xs[0:k]) (iota 2)
entry called (xs: []i64) : i64 = upto xs 0
entry own (xs: []i64) : i64 = foldl (\\a b -> a / (b - b)) 1 xs
entry attributed (xs: []i64) : []i64 = #[sequential] map (\\k -> k + last xs[0:k]) (iota 2)
entry kept (xs: []i64) : i64 = last (filter (> 7) xs)
";
    std::fs::write(folder.path().join("main.rem"), program).expect("written");
    for (entry, call) in [
        ("inlined", Some("3:35")),
        ("cells", Some("4:50")),
        ("called", Some("1:43")),
        ("own", None),
        ("attributed", Some("7:69")),
        ("kept", Some("8:32")),
    ] {
        let found = command(folder.path(), "cpu", entry, &["[1, 2, 3]"]);
        assert_eq!(found, command(folder.path(), "interp", entry, &["[1, 2, 3]"]));
        assert_eq!(found.contains("called from here"), call.is_some(), "{found}");
        assert!(call.is_none_or(|place| found.contains(&format!("::: main.rem:{place}\n"))), "{found}");
    }
}
