//! Reports as users see them: every `tests/data/reports/NAME.rem` or `NAME.remc` is checked, and the rendered answer must equal `NAME.txt`.
//!
//! * The first line of a program, `-- expect: E0402 readings 2` or `-- expect: accepted cost 3`, says the verdict; it holds
//!   however the golden file was made. In core it is a comment of core, `; expect: E0707`.
//! * Accepted programs show what was inserted (`remora infer`).
//! * Each reading of an ambiguity, pasted back in the place of the definition, must be accepted with nothing inserted and be
//!   the definition's explicit form.
//!
//! `REMORA_BLESS=1` rewrites the golden files.

use libtest_mimic::{Failed, Trial};
use remora::base::Code;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn trials() -> Vec<Trial> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/reports");
    let mut programs: Vec<PathBuf> = std::fs::read_dir(&dir)
        .expect("tests/data/reports is there")
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "rem" || e == "remc"))
        .collect();
    programs.sort();
    let name = |path: &Path| format!("reports::{}", path.file_stem().expect("a file").to_string_lossy());
    let mut trials: Vec<Trial> =
        programs.iter().cloned().map(|path| Trial::test(name(&path), move || report(&path).map_err(Failed::from))).collect();
    trials.push(Trial::test("reports::every golden file has a program", move || no_orphans(&dir).map_err(Failed::from)));
    trials
}

fn no_orphans(dir: &Path) -> Result<(), String> {
    for entry in std::fs::read_dir(dir).map_err(|e| e.to_string())? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.extension().is_some_and(|e| e == "txt") && !["rem", "remc"].iter().any(|e| path.with_extension(e).exists()) {
            return Err(format!("{} has no program", path.display()));
        }
    }
    Ok(())
}

fn remora(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remora")).current_dir(dir).args(args).output().expect("remora starts")
}

/// What the first line of a program promises.
struct Promise {
    /// The code of the refusal, if it is one.
    code: Option<String>,
    readings: Option<usize>,
    cost: Option<u64>,
}

fn promise(text: &str) -> Result<Promise, String> {
    let mark = |line: &'_ str| line.strip_prefix("-- expect: ").or(line.strip_prefix("; expect: ")).map(str::to_string);
    let line = text.lines().next().and_then(mark).ok_or("the first line is no `-- expect: ..`")?;
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |word: &str| words.iter().position(|w| *w == word).and_then(|i| words.get(i + 1)).and_then(|w| w.parse().ok());
    let code = words.first().filter(|w| w.starts_with('E')).map(|w| w.to_string());
    if code.is_none() && words.first() != Some(&"accepted") {
        return Err(format!("no verdict: {line}"));
    }
    Ok(Promise { code, readings: after("readings").map(|n| n as usize), cost: after("cost") })
}

fn report(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let promise = promise(&text)?;
    let (dir, file) = (path.parent().expect("in a folder"), path.file_name().expect("a file").to_string_lossy().into_owned());
    let check = remora(dir, &["check", "--color", "never", &file]);
    let mut got = format!("$ remora check {file}\n{}", String::from_utf8_lossy(&check.stderr));
    if check.status.code() == Some(0) {
        let infer = remora(dir, &["infer", "--color", "never", &file]);
        got.push_str(&format!("$ remora infer {file}\n{}", String::from_utf8_lossy(&infer.stdout)));
    }
    compare(&path.with_extension("txt"), &got)?;
    match &promise.code {
        None if check.status.code() != Some(0) => Err(format!("refused:\n{got}")),
        None if file.ends_with(".remc") => Ok(()),
        None => accepted(dir, &file, &promise),
        Some(_) if check.status.code() != Some(1) => Err(format!("not refused (exit code {:?}):\n{got}", check.status.code())),
        Some(code) => refused(dir, &file, &text, code, &promise),
    }
}

fn compare(golden: &Path, got: &str) -> Result<(), String> {
    if std::env::var_os("REMORA_BLESS").is_some() {
        return std::fs::write(golden, got).map_err(|e| e.to_string());
    }
    let want = std::fs::read_to_string(golden).map_err(|e| format!("{}: {e} (REMORA_BLESS=1 makes it)", golden.display()))?;
    if want == got { Ok(()) } else { Err(format!("differs from {}\n--- want\n{want}\n--- got\n{got}", golden.display())) }
}

/// The object that `remora infer --format json` prints for a program.
fn inferred(dir: &Path, file: &str, undetermined: bool) -> Result<Value, String> {
    let output = remora(dir, &["infer", "--format", "json", "--color", "never", file]);
    // A reading may replicate something to a length that nothing determines: then only that is left to say.
    let messages = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = messages.lines().filter(|line| line.starts_with("error")).collect();
    if output.status.code() != Some(0) && !errors.iter().all(|line| undetermined && line.starts_with("error[E0405]")) {
        return Err(format!("not accepted:\n{messages}"));
    }
    serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())
}

/// The entry of a definition in what `infer` printed.
fn definition<'a>(inferred: &'a Value, name: &str) -> Result<&'a Value, String> {
    let all = inferred["definitions"].as_array().ok_or("no definitions")?;
    all.iter().find(|d| d["name"] == name).ok_or(format!("no definition `{name}`"))
}

fn accepted(dir: &Path, file: &str, promise: &Promise) -> Result<(), String> {
    let inferred = inferred(dir, file, false)?;
    let cost = definition(&inferred, "t")?["cost"].as_u64();
    match promise.cost {
        Some(want) if cost != Some(want) => Err(format!("cost {cost:?} instead of {want}")),
        _ => Ok(()),
    }
}

fn refused(dir: &Path, file: &str, text: &str, code: &str, promise: &Promise) -> Result<(), String> {
    let output = remora(dir, &["check", "--message-format", "json", file]);
    let lines = String::from_utf8_lossy(&output.stderr).into_owned();
    let diagnostics: Vec<Value> =
        lines.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(|e| format!("not JSON: {e}\n{lines}"))?;
    let diagnostic = diagnostics.first().ok_or("no diagnostic")?;
    if diagnostics.iter().any(|d| d["code"] != code) {
        return Err(format!("not all of the diagnostics are {code}:\n{lines}"));
    }
    if diagnostic["spans"][0]["line"].as_u64().is_none() {
        return Err("the diagnostic has no place".into());
    }
    if code != Code::Ambiguous.number() {
        return Ok(());
    }
    let readings = diagnostic["readings"].as_array().ok_or("no readings")?;
    if readings.len() < 2 || promise.readings.is_some_and(|want| want != readings.len()) {
        return Err(format!("{} readings instead of {:?}", readings.len(), promise.readings));
    }
    let mut seen = Vec::new();
    for reading in readings {
        let source = reading["source"].as_str().ok_or("a reading without source")?;
        if seen.contains(&source) {
            return Err(format!("two readings are the same source:\n{source}"));
        }
        seen.push(source);
        let note = reading["note"].as_str().unwrap_or_default();
        paste(text, source, note).map_err(|e| format!("{e}\nfor the reading\n{source}"))?;
    }
    Ok(())
}

/// Checks that a reading, in the place of the definition that it is a reading of, is accepted as it stands. A reading that
/// replicates may be selected and yet lack a length: then it is refused for that, with `E0405` and nothing else.
fn paste(text: &str, source: &str, note: &str) -> Result<(), String> {
    let name = source.split_whitespace().nth(1).ok_or("the reading is no definition")?;
    let pasted = replace_definition(text, name, source).ok_or(format!("no definition `{name}` to replace"))?;
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(dir.path().join("pasted.rem"), &pasted).map_err(|e| e.to_string())?;
    let inferred = inferred(dir.path(), "pasted.rem", note.contains("replicates")).map_err(|e| {
        format!(
            "{e}
in
{pasted}"
        )
    })?;
    let definition = definition(&inferred, name)?;
    if definition["cost"] != 0 || definition["applications"].as_array().is_none_or(|a| !a.is_empty()) {
        return Err(format!("something is still inserted: {definition}"));
    }
    let again = definition["source"].as_str().unwrap_or_default();
    if again.trim() == source.trim() { Ok(()) } else { Err(format!("its explicit form is another:\n{again}")) }
}

/// The text with a top-level definition replaced. A definition ends where the next line starts at the margin.
fn replace_definition(text: &str, name: &str, source: &str) -> Option<String> {
    let is_start = |line: &str| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("def" | "entry" | "let")) && words.next() == Some(name)
    };
    let lines: Vec<&str> = text.lines().collect();
    let start = lines.iter().position(|line| is_start(line))?;
    let length = lines[start + 1..].iter().take_while(|line| line.starts_with(' ') || line.is_empty()).count();
    Some([&lines[..start], &[source.trim_end()], &lines[start + 1 + length..], &[""]].concat().join("\n"))
}
