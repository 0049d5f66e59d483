//! Which modules of the library a program asks for. Nobody looks into the others, so that importing a library costs little beyond reading it.

use super::peel;
use crate::base::{FileId, SourceMap, Symbol};
use crate::ir::surface::Decl;
use crate::ir::tables::Unit;
use rustc_hash::FxHashSet;

/// The modules that stand at the top of library files, have no parameters and are named nowhere: not as a word in a file of the user, and in no library
/// in front of a dot or where modules are opened and applied.
pub(super) fn idle_modules(units: &[Unit], sources: &SourceMap) -> FxHashSet<(FileId, Symbol)> {
    let mut modules = Vec::new();
    for unit in units.iter().filter(|unit| unit.stdlib) {
        for decl in &unit.source.decls {
            if let (Decl::Module(module), _) = peel(decl)
                && module.params.is_empty()
            {
                modules.push((unit.source.file, module.name.name));
            }
        }
    }
    let mut named = FxHashSet::default();
    for unit in units.iter().filter(|unit| unit.stdlib) {
        sources.file(unit.source.file).text.lines().for_each(|line| named_in_library(line, &mut named));
    }
    let mut idle: FxHashSet<(FileId, Symbol)> = modules.into_iter().filter(|(_, name)| !named.contains(name.as_str())).collect();
    // Mostly there is nothing left to look for.
    if !idle.is_empty() {
        for unit in units.iter().filter(|unit| !unit.stdlib) {
            let text = &*sources.file(unit.source.file).text;
            let found: FxHashSet<&str> = without_paths(text).flat_map(words).map(|(word, _)| word).collect();
            idle.retain(|(_, name)| !found.contains(name.as_str()));
        }
    }
    idle
}

/// Adds the words of a line of a library that may name modules.
fn named_in_library<'t>(line: &'t str, named: &mut FxHashSet<&'t str>) {
    let line = line.trim_start();
    if line.starts_with("--") || line.starts_with("import ") {
        return;
    }
    let declaration = line.strip_prefix("local ").unwrap_or(line);
    if let Some(rest) = declaration.strip_prefix("module ") {
        // The first word is the name that is declared.
        named.extend(words(rest).skip(1).map(|(word, _)| word));
    } else if let Some(rest) = declaration.strip_prefix("open ") {
        named.extend(words(rest).map(|(word, _)| word));
    } else {
        named.extend(words(line).filter(|(_, next)| *next == Some('.')).map(|(word, _)| word));
    }
}

/// The text without the paths of imports, which have the names of modules in them.
fn without_paths(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split("import \"").enumerate();
    pieces.map(|(number, piece)| if number == 0 { piece } else { piece.split_once('"').map_or("", |(_, rest)| rest) })
}

/// The words of a text, each with the character behind it.
fn words(text: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let start = rest.find(inside)?;
        let tail = &rest[start..];
        let end = tail.find(|c| !inside(c)).unwrap_or(tail.len());
        rest = &tail[end..];
        Some((&tail[..end], rest.chars().next()))
    })
}
