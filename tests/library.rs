//! The libraries of core: the type of each name, values, failures.
//!
//! A line of a file in `tests/library` is `name : type`, `expression => value`, or `expression =! CODE message`, where the message is
//! the beginning of that of a failure or of the first diagnostic. Lines beginning with two blanks continue the line before.

#![allow(clippy::disallowed_methods, reason = "tests read files")]

use remora::base::{SourceMap, with_big_stack};
use remora::driver::{self, Checked};
use remora::ir::core::print;
use remora::resolve::Loader;
use remora::runtime::data::notation;
use std::collections::BTreeSet;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        Err(format!("there is no file {path}"))
    }
}

fn checked(sources: &mut SourceMap, library: &str, expr: &str) -> Checked {
    let root = sources.add("test.remc".to_string(), format!("(use {library})\n{expr}"));
    driver::check(sources, &NoFiles, root)
}

/// The type of an expression, or the first message about it.
fn ty(library: &str, expr: &str) -> String {
    let checked = checked(&mut SourceMap::default(), library, expr);
    if let Some(diagnostic) = checked.diagnostics.first() {
        return format!("{} {}", diagnostic.code, diagnostic.message);
    }
    let last = checked.remc.as_ref().and_then(|remc| remc.last).expect("an expression");
    let define = checked.core.defs.iter().find(|define| define.name == last).expect("a definition");
    print::ty(&define.ty).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The value of an expression, or what is wrong with it.
fn value(library: &str, expr: &str) -> String {
    let mut checked = checked(&mut SourceMap::default(), library, expr);
    if let Some(diagnostic) = checked.diagnostics.first() {
        return format!("{} {}", diagnostic.code, diagnostic.message);
    }
    if checked.reads_numbers() {
        checked.give_numbers(vec![3, 1, 4, 1, 5]);
    }
    let last = checked.remc.as_ref().and_then(|remc| remc.last).expect("an expression");
    match driver::run(&checked, last, Vec::new(), Some(1)) {
        Ok(value) => notation::write(&value),
        Err(diagnostic) => format!("{} {}", diagnostic.code, diagnostic.message),
    }
}

fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("  ") {
            Some(more) => lines.last_mut().expect("a line to continue").push_str(&format!(" {}", more.trim())),
            None if line.trim().is_empty() || line.starts_with(';') => {}
            None => lines.push(line.trim().to_string()),
        }
    }
    lines
}

/// Checks a file; the names whose types it gives, each with how many values.
fn corpus(library: &str) -> Vec<(String, usize)> {
    let path = format!("{}/tests/library/{library}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let mut names: Vec<(String, usize)> = Vec::new();
    let mut wrong = Vec::new();
    for line in lines(&text) {
        let (found, wanted, fits) = if let Some((expr, wanted)) = line.split_once(" =! ") {
            let found = value(library, expr);
            let fits = found.starts_with(wanted);
            (found, wanted, fits)
        } else if let Some((expr, wanted)) = line.split_once(" => ") {
            let found = value(library, expr);
            let fits = found == wanted;
            if let Some((_, count)) = names.last_mut() {
                *count += 1;
            }
            (found, wanted, fits)
        } else {
            let (name, wanted) = line.split_once(" : ").expect("a type, a value or a message");
            names.push((name.to_string(), 0));
            let found = ty(library, name);
            let fits = found == wanted;
            (found, wanted, fits)
        };
        if !fits {
            wrong.push(format!("{line}\n    found  {found}\n    wanted {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines of {path} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    names
}

fn complete(library: &str) {
    let names = corpus(library);
    let few: Vec<&String> = names.iter().filter(|(_, count)| *count < 3).map(|(name, _)| name).collect();
    assert!(few.is_empty(), "fewer than three values: {few:?}");
    let tested: BTreeSet<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let path = format!("{}/stdlib/core/{library}.remc", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the library is there");
    let heads = text.lines().filter_map(|line| line.strip_prefix("(define "));
    let defined = heads.filter_map(|head| head.trim_start_matches('(').split([' ', '{']).next());
    let missing: Vec<&str> = defined.filter(|name| !tested.contains(name)).collect();
    assert!(missing.is_empty(), "without tests: {missing:?}");
}

#[test]
fn the_default_library() {
    with_big_stack(|| complete("default"));
}

#[test]
fn the_library_of_the_paper() {
    with_big_stack(|| complete("semantics"));
}
