//! Imports go one way: `base` <- `diag`, `ir` <- passes <- `driver` <- `cli` <- `cli/embed`.

use remora::base::Code;
use std::path::{Path, PathBuf};

/// The layers whose modules have rules of their own.
const LAYERS: &[&str] = &["front", "middle", "back", "interp", "theory"];

/// Each module of the crate with the other modules that it may name; a layer stands for all modules in it. A module of a module is named
/// where it has rules that the rest of it has not.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("diag", &["base"]),
    ("ir", &["base", "diag"]),
    ("rank", &["base"]),
    ("runtime", &["base", "diag", "ir"]),
    ("front/syntax", &["base", "diag", "ir"]),
    ("front/resolve", &["base", "diag", "ir", "front/syntax"]),
    ("front/infer", &["base", "diag", "ir", "rank"]),
    ("front/ambiguity", &["base", "diag", "ir", "rank", "front/explicit", "front/infer"]),
    ("front/elaborate", &["base", "diag", "ir"]),
    ("front/consume", &["base", "diag", "ir"]),
    ("front/derive", &["base", "diag", "ir", "front/elaborate"]),
    ("front/folds", &["base", "diag", "ir"]),
    ("front/explicit", &["base", "diag", "ir"]),
    ("front/format", &["base", "diag", "ir", "front/syntax"]),
    ("front/remc", &["base", "diag", "ir", "front/resolve"]),
    ("front/apl", &["base", "diag", "ir", "front/resolve"]),
    ("middle/optimise", &["base", "ir"]),
    ("middle/differentiate", &["base", "ir", "middle/optimise"]),
    ("middle/specialise", &["base", "diag", "ir", "middle/differentiate"]),
    ("middle/flatten", &["base", "ir"]),
    ("back/lower", &["base", "ir"]),
    ("back/vectorise", &["base", "ir"]),
    ("back/variants", &["base", "ir"]),
    ("back/text", &["base", "ir"]),
    ("back/c", &["base", "ir", "back/text"]),
    ("back/cuda", &["base", "ir", "back/text"]),
    ("interp/arrays", &["base", "ir", "runtime", "interp/failure"]),
    ("interp/components", &["base", "ir", "runtime", "interp/entry", "interp/failure"]),
    ("interp/entry", &["base", "ir", "runtime", "interp/arrays", "interp/failure"]),
    ("interp/failure", &["base", "diag", "runtime"]),
    ("interp/interrupt", &["base", "interp/failure"]),
    ("interp/core", &["base", "diag", "ir", "runtime", "interp/arrays", "interp/entry", "interp/failure", "interp/interrupt"]),
    ("interp/soac", &["base", "ir", "runtime", "interp/arrays", "interp/components", "interp/failure"]),
    ("interp/imp", &["base", "ir", "runtime", "interp/components", "interp/failure"]),
    ("theory/erased", &["base", "ir"]),
    ("theory/erase", &["base", "ir", "theory/erased"]),
    ("theory/eval", &["base", "ir", "runtime", "theory/erased"]),
    ("theory/step", &["base", "ir", "runtime", "theory/erased"]),
    ("driver", &["base", "diag", "ir", "rank", "runtime", "front", "middle", "back", "interp"]),
    (
        "editor",
        &[
            "base",
            "diag",
            "ir",
            "driver",
            "front/syntax",
            "front/resolve",
            "front/infer",
            "front/explicit",
            "front/elaborate",
            "front/format",
            "front/remc",
            "front/apl",
        ],
    ),
    ("cli/embed", &["base", "diag", "ir", "runtime", "interp", "driver", "front/elaborate", "front/explicit", "front/resolve", "cli"]),
    (
        "cli",
        &[
            "base",
            "diag",
            "ir",
            "rank",
            "runtime",
            "driver",
            "editor",
            "interp",
            "front/syntax",
            "front/resolve",
            "front/infer",
            "front/ambiguity",
            "front/explicit",
            "front/elaborate",
            "front/format",
            "front/remc",
            "front/apl",
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

/// The modules that a file names outside of comments and tests; `module` is its own path.
fn named(module: &[&str], text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(""));
    lines.flat_map(|line| modules_of_line(module, line)).collect()
}

/// `crate::a::b` names `a`, or `a/b` where `a` is a layer; `crate::{a::b, c}` names `a` and `c`; `super::` goes up from the file's module.
fn modules_of_line(module: &[&str], line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, start) in line.match_indices("crate::").chain(line.match_indices("super::")) {
        if start == "crate::" {
            paths(&[], &line[at + start.len()..], &mut found);
        } else if !line[..at].ends_with("super::") {
            let ups = (1..).take_while(|ups| line[at..].starts_with(&start.repeat(*ups))).count();
            let kept = module.len().saturating_sub(ups);
            paths(&module[..kept], &line[at + ups * start.len()..], &mut found);
        }
    }
    found
}

/// The modules that a path, or a list of paths, within another names.
fn paths(within: &[&str], text: &str, found: &mut Vec<String>) {
    let word = |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let Some(list) = text.strip_prefix('{') else {
        let first = word(text);
        let path: Vec<&str> = within.iter().copied().chain([first.as_str()]).collect();
        match (path.as_slice(), text.strip_prefix(&format!("{first}::"))) {
            ([layer], Some(rest)) if LAYERS.contains(layer) => paths(&[layer], rest, found),
            ([layer, module, ..], _) if LAYERS.contains(layer) => found.push(format!("{layer}/{module}")),
            ([module, inner, ..], _) if has_rules(module, inner) => found.push(format!("{module}/{inner}")),
            ([module], Some(rest)) if has_rules(module, &word(rest)) => found.push(format!("{module}/{}", word(rest))),
            ([module, ..], _) => found.push((*module).to_string()),
            ([], _) => {}
        }
        return;
    };
    let mut depth = 0;
    let separators = |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    };
    for part in list.split(separators) {
        paths(within, part.trim(), found);
    }
}

/// Whether the table has this module of a module.
fn has_rules(module: &str, inner: &str) -> bool {
    MAY_NAME.iter().any(|(name, _)| name.split_once('/') == Some((module, inner)))
}

/// The path of a file's module: `back/c/mod.rs` is `back`, `c`.
fn module_of(relative: &Path) -> Vec<String> {
    let parts = relative.with_extension("");
    let parts = parts.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    parts.filter(|part| part != "mod").collect()
}

#[test]
fn imports_go_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for path in files {
        let relative = path.strip_prefix(&root).expect("inside src");
        let own = module_of(relative);
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        let tests = own.contains(&"tests");
        let [first, ..] = own.as_slice() else { continue };
        if tests || matches!(*first, "lib" | "main") || own.len() == 1 && LAYERS.contains(first) {
            continue;
        }
        let module = match own.as_slice() {
            [layer, inner, ..] if LAYERS.contains(layer) || has_rules(layer, inner) => format!("{layer}/{inner}"),
            _ => (*first).to_string(),
        };
        let Some((_, allowed)) = MAY_NAME.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{}: the module `{module}` is not in the table", relative.display()));
            continue;
        };
        for name in named(&own, &std::fs::read_to_string(&path).expect("readable")) {
            let layer = name.split('/').next().unwrap_or_default();
            let known = MAY_NAME.iter().any(|(known, _)| *known == name);
            if name != module && known && !allowed.contains(&name.as_str()) && !allowed.contains(&layer) {
                wrong.push(format!("{}: `{module}` must not name `{name}`", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The numbers of codes in a text.
fn codes_in(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.len() == 5 && word.starts_with('E') && word[1..].bytes().all(|byte| byte.is_ascii_digit()))
}

/// Errors are data: outside of the table of codes nothing knows a code by its number, but for examples in the help of commands. C texts have no
/// table: their numbers are those of codes.
#[test]
fn codes_are_compared_by_their_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut wrong = Vec::new();
    for path in files.into_iter().filter(|path| !path.ends_with("base/code.rs")) {
        let text = std::fs::read_to_string(&path).expect("readable");
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(&text);
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//") && !line.contains("remora explain "));
        wrong.extend(lines.flat_map(codes_in).map(|code| format!("{}: {code}", path.display())));
    }
    for folder in ["back/text", "back/c", "back/cuda"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("readable").path();
            if path.extension().is_some_and(|extension| extension == "c" || extension == "cu") {
                let text = std::fs::read_to_string(&path).expect("readable");
                let unknown = codes_in(&text).filter(|code| Code::of_number(code).is_none());
                wrong.extend(unknown.map(|code| format!("{}: {code} is no code", path.display())));
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
    let manifest = include_str!("../../Cargo.toml");
    assert!(manifest.contains("\nmutations = []\n"), "the feature is called otherwise");
    assert!(!manifest.lines().any(|line| line.trim_start().starts_with("default =")), "no feature is on by default");
    for line in include_str!("../../Makefile").lines().filter(|line| line.contains("cargo build")) {
        assert!(!line.contains("mutations"), "{line}");
    }
}

#[test]
fn the_scan_finds_imports() {
    let named = |text| named(&["back", "c", "expr"], text);
    assert_eq!(named("use crate::base::{Span};\n// crate::cli\nfn f() { crate::diag::x(); crate::ir::y() }"), ["base", "diag", "ir"]);
    assert_eq!(named("use crate::{base::{A, B}, front::infer::x};"), ["base", "front/infer"]);
    assert_eq!(named("use crate::front::{infer, resolve::{A}};"), ["front/infer", "front/resolve"]);
    assert_eq!(named("use super::x; use super::super::lower::y;"), ["back/c", "back/lower"]);
    assert_eq!(named("use crate::cli::embed::x; use crate::cli::files;"), ["cli/embed", "cli"]);
    assert_eq!(named("#[cfg(test)]\nmod tests { use crate::cli; }"), Vec::<String>::new());
}
