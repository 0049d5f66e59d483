//! APL: programs with what they print, and what is refused.
//!
//! `tests/data/apl/cases.txt` has the programs; an interpreter that shares no code with the compiler wrote the texts (`tests/apl/oracle.py`). All are
//! evaluated; each sixteenth is compiled, some for the stand-in device, all with `REMORA_APL_COMPILED=1`.

use crate::support::shim;
use remora::base::{Code, SourceMap, with_big_stack};
use remora::cli::apl::shown;
use remora::diag::text;
use remora::driver::{self, Checked};
use remora::front::resolve::Loader;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Nothing;

impl Loader for Nothing {
    fn load(&self, _: &str) -> Result<String, String> {
        Err("not here".into())
    }
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/apl").join(name)
}

/// The cases of a file: name, program, expected text.
fn cases(text: &str) -> Vec<(String, String, String)> {
    let case = |part: &str| {
        let (name, rest) = part.split_once('\n').expect("a name");
        let (program, expected) = rest.split_once("\n--\n").expect("an expected text");
        (name.to_string(), format!("{program}\n"), expected.trim_end_matches('\n').to_string())
    };
    text.split("\n== ").skip(1).map(case).collect()
}

fn check(program: &str) -> (SourceMap, Checked) {
    let mut sources = SourceMap::default();
    let root = sources.add("case.apl", program);
    let checked = driver::check(&mut sources, &Nothing, root);
    (sources, checked)
}

fn messages(sources: &SourceMap, checked: &Checked) -> String {
    checked.diagnostics.iter().map(|d| text::render(sources, d, false)).collect()
}

/// What a program prints by the evaluator.
fn printed(program: &str) -> String {
    let (sources, checked) = check(program);
    if checked.failed() {
        return messages(&sources, &checked);
    }
    let Some(main) = checked.apl.as_ref().and_then(|apl| apl.main) else { return String::new() };
    match driver::run(&checked, main, Vec::new(), None) {
        Ok(value) => shown(&checked, main, &value).unwrap_or_else(|| format!("cannot be shown: {value:?}")),
        Err(d) => text::render(&sources, &d, false),
    }
}

#[test]
fn programs_print_what_the_oracle_says() {
    with_big_stack(|| {
        let text = std::fs::read_to_string(data("cases.txt")).expect("readable");
        let cases = cases(&text);
        assert!(cases.len() >= 250, "only {} cases", cases.len());
        let wrong: Vec<String> = cases
            .iter()
            .filter_map(|(name, program, expected)| {
                let got = printed(program);
                (got.trim_end_matches('\n') != expected).then(|| format!("{name}:\n{program}prints\n{got}expected\n{expected}\n"))
            })
            .collect();
        assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    });
}

#[test]
fn compiled_programs_print_the_same() {
    let text = std::fs::read_to_string(data("cases.txt")).expect("readable");
    let all = std::env::var_os("REMORA_APL_COMPILED").is_some();
    let folder = std::env::temp_dir().join(format!("remora-apl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, program, expected) in cases(&text).into_iter().step_by(if all { 1 } else { 16 }) {
        let path = folder.join("case.apl");
        std::fs::write(&path, &program).expect("writable");
        for threads in ["1", "2", "7"].into_iter().take(if all { 3 } else { 1 }) {
            let run = Command::new(env!("CARGO_BIN_EXE_remora"))
                .args(["run", "--backend", "cpu", "--threads", threads])
                .arg(&path)
                .output()
                .expect("remora runs");
            let got = String::from_utf8_lossy(&run.stdout).into_owned();
            let errors = String::from_utf8_lossy(&run.stderr);
            assert_eq!(got.trim_end_matches('\n'), expected, "{name} with {threads} threads: {errors}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("removable");
}

/// Some programs on the stand-in device; all with `REMORA_APL_COMPILED=1`.
#[test]
fn programs_print_the_same_on_the_stand_in_device() {
    let text = std::fs::read_to_string(data("cases.txt")).expect("readable");
    let all = std::env::var_os("REMORA_APL_COMPILED").is_some();
    let folder = std::env::temp_dir().join(format!("remora-apl-device-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (library, device) = (shim::runtime().expect("a library"), shim::device().expect("a device"));
    for (name, program, expected) in cases(&text).into_iter().skip(if all { 0 } else { 7 }).step_by(if all { 1 } else { 80 }) {
        let path = folder.join("case.apl");
        std::fs::write(&path, &program).expect("writable");
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.env("REMORA_CFLAGS", "-O0").env("REMORA_DEVICE", &device).env("REMORA_SHIM_LIBRARY", &library);
        command.env("REMORA_SHIM_FOLDER", Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim"));
        command.env("REMORA_SHIM_HEADER", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/shim/shim.h"));
        command.env("REMORA_SHIM_SEED", "7").env("REMORA_SHIM_CFLAGS", "-O0");
        let run = command.args(["run", "--backend", "cuda"]).arg(&path).output().expect("remora runs");
        let errors = String::from_utf8_lossy(&run.stderr);
        // Devices run no calls, and say so.
        if name.starts_with("recursion-") && errors.contains("error[E0801]") && errors.contains("devices do not run it") {
            continue;
        }
        assert_eq!(String::from_utf8_lossy(&run.stdout).trim_end_matches('\n'), expected, "{name}: {errors}");
    }
    std::fs::remove_dir_all(&folder).expect("removable");
}

/// Programs that are refused, with their messages; `REMORA_BLESS=1` writes these.
#[test]
fn refusals() {
    with_big_stack(|| {
        let path = data("refusals.txt");
        let text = std::fs::read_to_string(&path).expect("readable");
        let head = text.split("\n== ").next().unwrap_or("");
        let mut made = head.to_string();
        for (name, program, _) in cases(&text) {
            let (sources, checked) = check(&program);
            assert!(checked.failed(), "{name} is accepted:\n{program}");
            let apl = checked.diagnostics.iter().all(|d| d.code.number().starts_with("E10"));
            assert!(apl, "{name}: {}", messages(&sources, &checked));
            made.push_str(&format!("\n== {name}\n{program}--\n{}", messages(&sources, &checked)));
        }
        if std::env::var_os("REMORA_BLESS").is_some() {
            std::fs::write(&path, &made).expect("writable");
            return;
        }
        assert_eq!(made, text, "set REMORA_BLESS=1 to accept the new messages");
    });
}

/// Failures that only the data decide keep their codes.
#[test]
fn failures_while_running() {
    with_big_stack(|| {
        let cases = [
            ("x←?5⍴1\n(x/⍳5)+1 2 3", Code::SizesDiffer),
            ("x←⍳20\nx[+/⍳20]", Code::OutOfBounds),
            ("x←⍳20\n((x-5)×x>3)⍸x", Code::AssertionFailed),
            ("x←⍳20\n⍸x-5", Code::AssertionFailed),
            ("x←⍳20\n(x>5)\\x", Code::AssertionFailed),
            ("x←⍳20\n(x-3)⊂x", Code::AssertionFailed),
            ("x←⍳20\n⌹((x>19)/x)∘.+x", Code::AssertionFailed),
            ("x←⍳20\n1 2⌹(x>17)⌿x∘.*0 1", Code::SizesDiffer),
            ("x←⍳20\n((x>5)⊂x)+x", Code::SizesDiffer),
            ("x←⍳20\n((x>5)⊂x)[+/x]", Code::OutOfBounds),
            ("x←⍳20\n(+/x)⊃(x>5)⊂x", Code::OutOfBounds),
        ];
        for (program, code) in cases {
            let (sources, checked) = check(program);
            assert!(!checked.failed(), "{}", messages(&sources, &checked));
            let main = checked.apl.as_ref().and_then(|apl| apl.main).expect("it prints");
            match driver::run(&checked, main, Vec::new(), None) {
                Ok(value) => panic!("{program} gives {value:?}"),
                Err(d) => assert_eq!(d.code, code, "{program}: {}", text::render(&sources, &d, false)),
            }
        }
    });
}

/// The examples print what the oracle says (`NAME.out` beside them).
#[test]
fn examples_print_what_the_oracle_says() {
    with_big_stack(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/apl");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.extension().is_none_or(|ending| ending != "apl") {
                continue;
            }
            count += 1;
            let program = std::fs::read_to_string(&path).expect("readable");
            let expected = std::fs::read_to_string(path.with_extension("out")).expect("an expected text");
            assert_eq!(printed(&program), expected, "{}", path.display());
        }
        assert!(count >= 15, "{count} examples");
    });
}

/// What programs consist of after optimisation is what their ports in the surface language consist of: what is fused there is fused here.
#[test]
fn what_is_fused_there_is_fused_here() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/apl");
    let counts = |path: &Path| {
        let run = Command::new(env!("CARGO_BIN_EXE_remora")).args(["dump", "--stage", "soac"]).arg(path).output().expect("remora runs");
        assert!(run.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&run.stderr));
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        let passes = ["soac", "reduce", "scan", "filter", "scatter", "hist", "loop", "for", "while"];
        let moves = ["concat", "slice", "rotate", "reverse", "rearrange", "copy", "replicate", "iota", "update"];
        let mut out = std::collections::BTreeMap::new();
        for word in text.split('(').skip(1).filter_map(|part| part.split([' ', ')', '\n']).next()) {
            if passes.contains(&word) || moves.contains(&word) {
                *out.entry(word.to_string()).or_insert(0) += 1;
            }
        }
        out
    };
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("readable") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|ending| ending == "apl") {
            count += 1;
            let here = counts(&path);
            assert!(here.contains_key("soac"), "{}: {here:?}", path.display());
            assert_eq!(here, counts(&path.with_extension("rem")), "{}", path.display());
        }
    }
    assert!(count >= 10, "{count} programs");
}

/// Functions as entry points, with words and files as arguments.
#[test]
fn entry_points() {
    let folder = std::env::temp_dir().join(format!("remora-apl-entries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("entry.apl");
    std::fs::write(&path, "main←{⍺+⍵}\nmean←+/÷≢\nsize←{≢⍵}\nthree←{(a b c)←⍵ ⋄ a+b×c}\n⍝: mean : [n]f64 -> f64\n").expect("writable");
    let command = |before: &[&str], words: &[&str]| {
        let run = Command::new(env!("CARGO_BIN_EXE_remora")).args(before).args(words).current_dir(&folder).output().expect("remora runs");
        format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr))
    };
    let run = |words: &[&str]| command(&["run", "--backend", "interp", "entry.apl"], words);
    assert_eq!(run(&["1 2 ¯3", "10"]), "11 12 7\n");
    assert_eq!(run(&["-e", "mean", "1.5 2.5"]), "2\n");
    assert_eq!(run(&["-e", "size", "'text'"]), "4\n");
    assert_eq!(run(&["-e", "three", "1", "2", "0.5"]), "2\n");
    assert_eq!(run(&["1 2 3", "1", "-o", "out.npy"]), "");
    assert_eq!(run(&["out.npy", "out.npy"]), "4 6 8\n");
    assert_eq!(run(&["--values", "1 2", "0.5"]), "[1.5f64, 2.5f64]\n");
    assert_eq!(run(&["⍬", "1.5"]), "\n");
    assert_eq!(run(&["-e", "size", "⍬"]), "0\n");
    assert!(run(&["-e", "nothing", "1"]).contains("E1011"));
    // A declared type says what words are.
    assert_eq!(run(&["-e", "mean", "3"]), "3\n");
    assert_eq!(run(&["-e", "size", "3"]), "1\n");
    assert_eq!(command(&["build", "entry.apl", "-o", "built"], &[]), "");
    let built = |words: &[&str]| {
        let run = Command::new(folder.join("built")).args(words).current_dir(&folder).output().expect("the program runs");
        format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr))
    };
    assert_eq!(built(&["-e", "mean", "1.5 ¯2.5"]), "¯0.5\n");
    assert_eq!(built(&["-e", "mean", "[1.5, 2.5]"]), "2\n");
    assert_eq!(built(&["-e", "mean", "3"]), "3\n");
    assert_eq!(built(&["-e", "mean", "⍬"]), "NaN\n");
    std::fs::write(folder.join("undeclared.apl"), "main←{+/⍵}\n").expect("writable");
    assert!(command(&["build", "undeclared.apl"], &[]).contains("E0611"));
    assert!(run(&["x y", "1"]).contains("E0604"));
    let found: serde_json::Value = serde_json::from_str(&command(&["infer", "entry.apl", "--format", "json"], &[])).expect("JSON");
    assert_eq!(found["definitions"][1]["name"], "mean", "{found}");
    // Files that a script names are constants of it.
    std::fs::write(folder.join("numbers.txt"), "3 ¯1 4\n").expect("writable");
    std::fs::write(folder.join("files.apl"), "+/⎕ReadIntVecFile 'numbers.txt'\n≢⎕ReadFile 'numbers.txt'\n").expect("writable");
    assert_eq!(command(&["run", "--backend", "interp", "files.apl"], &[]), "6\n7\n");
    std::fs::write(folder.join("missing.apl"), "⎕ReadFile 'missing.txt'\n").expect("writable");
    assert!(command(&["check", "missing.apl"], &[]).contains("E1041"));
    std::fs::remove_dir_all(&folder).expect("removable");
}
