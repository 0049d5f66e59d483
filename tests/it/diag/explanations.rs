//! Every code has an explanation, and the examples in it do what it says.

use remora::base::{Code, SourceMap, Symbol, with_big_stack};
use remora::diag::explain::{self, Role};
use remora::diag::text;
use remora::driver::{self, Checked};
use remora::front::resolve::Loader;
use std::collections::BTreeSet;
use std::path::Path;

/// Nothing can be imported.
struct Nothing;

impl Loader for Nothing {
    fn load(&self, _: &str) -> Result<String, String> {
        Err("not here".into())
    }
}

/// Adds the codes that the files of a folder raise: variants of [`Code`] in Rust, numbers in texts for compiled programs.
fn codes_in(dir: &Path, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(dir).expect("src is there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            codes_in(&path, codes);
        } else if path.extension().is_some_and(|e| e == "rs" || e == "c" || e == "cu") {
            let text = std::fs::read_to_string(&path).expect("readable");
            let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
            // Codes of compiled programs are quoted in text.
            let quoted = text.replace("\\\"", "\"");
            let numbers = quoted.split("\"E").skip(1).filter_map(|rest| rest.split_once('"'));
            let numbers = numbers.filter(|(digits, _)| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()));
            if !path.ends_with("base/code.rs") {
                codes.extend(numbers.map(|(digits, _)| format!("E{digits}")));
            }
            let raised = Code::ALL.iter().filter(|code| text.contains(&format!("Code::{code:?}")));
            codes.extend(raised.map(|code| code.number().to_string()));
        }
    }
}

#[test]
fn every_code_has_an_explanation_and_every_explanation_a_code() {
    let mut used = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    let explained: BTreeSet<String> = explain::all().iter().map(|e| e.code.to_string()).collect();
    assert_eq!(used.difference(&explained).collect::<Vec<_>>(), Vec::<&String>::new(), "codes without an explanation");
    assert_eq!(explained.difference(&used).collect::<Vec<_>>(), Vec::<&String>::new(), "explanations of codes that do not occur");
}

fn check(ending: &str, source: &str) -> (SourceMap, Checked) {
    let mut sources = SourceMap::default();
    let root = sources.add(format!("example.{ending}"), source);
    let checked = driver::check(&mut sources, &Nothing, root);
    (sources, checked)
}

/// What is wrong with an example, if anything.
fn problem(code: Code, explain::Example { role, ending, source }: explain::Example) -> Option<String> {
    let (sources, checked) = check(ending, source);
    let messages: String = checked.diagnostics.iter().map(|d| text::render(&sources, d, false)).collect();
    let codes: BTreeSet<Code> = checked.diagnostics.iter().map(|d| d.code).collect();
    match role {
        Role::Right => checked.failed().then(|| format!("is refused:\n{messages}")),
        Role::Wrong => (codes != BTreeSet::from([code])).then(|| format!("does not give just {code}:\n{messages}")),
        Role::WrongCompile if checked.failed() => Some(format!("is refused:\n{messages}")),
        Role::WrongCompile => match driver::specialise(&sources, &checked, &[Symbol::new("main")]) {
            Ok(_) => Some("is compiled".into()),
            Err(d) => (d.code != code).then(|| format!("does not give {code}:\n{}", text::render(&sources, &d, false))),
        },
        Role::WrongRun if checked.failed() => Some(format!("is refused:\n{messages}")),
        Role::WrongRun => {
            let main = checked.core.defs.iter().rev().find(|define| checked.source_name(define.name).as_str() == "main");
            match main.map(|main| driver::run(&checked, main.name, Vec::new(), None)) {
                None => Some("has no `main`".into()),
                Some(Ok(value)) => Some(format!("gives {value:?}")),
                Some(Err(d)) => (d.code != code).then(|| format!("does not give {code}:\n{}", text::render(&sources, &d, false))),
            }
        }
    }
}

#[test]
fn examples_do_what_they_say() {
    let problems: Vec<String> = with_big_stack(|| {
        let examples = explain::all().into_iter().flat_map(|e| e.examples().into_iter().map(move |example| (e.code, example)));
        let problem = |(code, example): (Code, explain::Example)| {
            let attempt = std::panic::catch_unwind(|| problem(code, example));
            let text = attempt.unwrap_or_else(|_| Some("makes the compiler panic".into()))?;
            Some(format!("{code}, the {:?} example\n{}\n{text}", example.role, example.source))
        };
        examples.filter_map(problem).collect()
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
