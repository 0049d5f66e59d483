//! Imports go one way: `base` <- `diag`, `ir` <- passes <- `driver` <- `cli`.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

use std::path::{Path, PathBuf};

/// Each module of the crate with the other modules that it may name.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("diag", &["base"]),
    ("ir", &["base", "diag"]),
    ("syntax", &["base", "diag", "ir"]),
    ("resolve", &["base", "diag", "ir", "syntax"]),
    ("rank", &["base"]),
    ("ambiguity", &["base", "diag", "explicit", "infer", "ir", "rank"]),
    ("infer", &["base", "diag", "ir", "rank"]),
    ("explicit", &["base", "diag", "ir"]),
    ("consume", &["base", "diag", "ir"]),
    ("elaborate", &["base", "diag", "ir"]),
    ("runtime", &["base", "diag", "ir"]),
    ("specialise", &["base", "diag", "ir"]),
    ("lower", &["base", "ir"]),
    ("emit", &["base", "ir"]),
    ("vectorise", &["base", "ir"]),
    ("optimise", &["base", "ir"]),
    ("flatten", &["base", "ir"]),
    ("eval", &["base", "diag", "ir", "runtime"]),
    ("remc", &["base", "diag", "ir", "resolve"]),
    ("erase", &["base", "ir"]),
    ("erased_eval", &["base", "ir", "runtime"]),
    ("step", &["base", "ir", "runtime"]),
    (
        "driver",
        &[
            "base",
            "diag",
            "ir",
            "syntax",
            "resolve",
            "rank",
            "infer",
            "ambiguity",
            "explicit",
            "consume",
            "elaborate",
            "remc",
            "specialise",
            "lower",
            "vectorise",
            "emit",
            "optimise",
            "flatten",
            "runtime",
            "eval",
        ],
    ),
    (
        "cli",
        &[
            "base",
            "diag",
            "ir",
            "syntax",
            "resolve",
            "rank",
            "infer",
            "ambiguity",
            "explicit",
            "elaborate",
            "remc",
            "runtime",
            "eval",
            "driver",
        ],
    ),
];

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir).expect("src is there").map(|e| e.expect("readable").path()).collect();
    entries.sort();
    for path in entries {
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The modules of this crate that a file names outside of comments and tests.
fn named(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.flat_map(modules_of_line).collect()
}

/// `crate::a::b` names `a`; `crate::{a::b, c}` names `a` and `c`.
fn modules_of_line(line: &str) -> Vec<String> {
    let word = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    line.split("crate::")
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix('{') {
            None => vec![word(rest)],
            Some(list) => {
                let mut depth = 0;
                let separators = |c: char| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    c == ',' && depth == 0
                };
                list.split(separators).map(word).collect()
            }
        })
        .collect()
}

#[test]
fn imports_go_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for path in files {
        let relative = path.strip_prefix(&root).expect("inside src");
        let first = relative.components().next().expect("a file").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs");
        let tests = relative.components().any(|c| matches!(c.as_os_str().to_str(), Some("tests" | "tests.rs")));
        if tests || matches!(module, "lib" | "main") {
            continue;
        }
        let Some((_, allowed)) = MAY_NAME.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{}: the module `{module}` is not in the table", relative.display()));
            continue;
        };
        for name in named(&std::fs::read_to_string(&path).expect("readable")) {
            if name != module && MAY_NAME.iter().any(|(known, _)| *known == name) && !allowed.contains(&name.as_str()) {
                wrong.push(format!("{}: `{module}` must not name `{name}`", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The mistakes that tests put into the compiler are in what is built for these tests alone.
#[cfg(not(feature = "mutations"))]
#[test]
fn what_is_built_without_them_knows_no_mutations() {
    let program = std::fs::read(env!("CARGO_BIN_EXE_remora")).expect("the program is built");
    for word in ["REMORA_MUTATION", "LoseReshapeAlias"] {
        assert!(!program.windows(word.len()).any(|window| window == word.as_bytes()), "the program knows {word}");
    }
}

/// Nothing asks for the feature but tests: builds without options are without it.
#[test]
fn nothing_builds_with_mutations_unasked() {
    let manifest = include_str!("../Cargo.toml");
    assert!(manifest.contains("\nmutations = []\n"), "the feature is called otherwise");
    assert!(!manifest.lines().any(|line| line.trim_start().starts_with("default")), "no feature is on by default");
    for line in include_str!("../Makefile").lines().filter(|line| line.contains("cargo build")) {
        assert!(!line.contains("mutations"), "{line}");
    }
}

#[test]
fn the_scan_finds_imports() {
    assert_eq!(named("use crate::base::{Span};\n// crate::cli\nfn f() { crate::diag::x(); crate::ir::y() }"), ["base", "diag", "ir"]);
    assert_eq!(named("use crate::{base::{A, B}, eval};"), ["base", "eval"]);
    assert_eq!(named("#[cfg(test)]\nmod tests { use crate::cli; }"), Vec::<String>::new());
}
