//! Completion.
//!
//! The text is half written where it is asked for, so what may stand there is read off the characters in front; what there is comes from the
//! program as it is, and from the last one in which the definition had types.

use super::Analysis;
use super::members::{Items, add};
use super::places::Meaning;
use crate::front::resolve;
use lsp_types::{CompletionItem, CompletionItemKind, Position};

/// Words of the language.
const KEYWORDS: [&str; 24] = [
    "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in", "include", "let", "local", "loop", "match",
    "module", "open", "then", "true", "type", "val", "while", "with",
];

/// What could stand at the place. `known` is the last program whose types are known; `files` are the names of source files in a folder
/// relative to that of the document.
pub fn complete(
    analysis: &Analysis,
    known: Option<&Analysis>,
    position: Position,
    files: &dyn Fn(&str) -> Vec<String>,
) -> Vec<CompletionItem> {
    let offset = analysis.offset(position);
    let text = analysis.text();
    let line = &text[text[..offset].rfind('\n').map_or(0, |at| at + 1)..offset];
    if analysis.is_apl() {
        return super::apl::complete(analysis, position);
    }
    let mut items = Items::new();
    if analysis.is_core() {
        core(analysis, &mut items);
    } else if let Some(path) = import_path(line) {
        imports(path, files, &mut items);
    } else if in_comment_or_string(line) {
        return Vec::new();
    } else {
        let word = line.rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\'')).map_or(line, |at| &line[at..]);
        match word.chars().next() {
            Some('.') => {
                let path = path_before(&line[..line.len() - word.len()]);
                after_dot(analysis, known, path, &mut items);
            }
            Some('#') => constructors(analysis, &mut items),
            _ => {
                KEYWORDS.iter().for_each(|word| add(&mut items, word, CompletionItemKind::KEYWORD, None, None));
                analysis.globals(offset as u32, &mut items);
                analysis.locals(offset as u32, &mut items);
            }
        }
    }
    items.into_values().collect()
}

/// What is written of the path of an import.
fn import_path(line: &str) -> Option<&str> {
    let (before, path) = line.rsplit_once('"')?;
    let opening = before.matches('"').count() % 2 == 0;
    (opening && before.trim_end().ends_with("import")).then_some(path)
}

fn in_comment_or_string(line: &str) -> bool {
    let mut inside = false;
    let mut rest = line.char_indices();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => inside = !inside,
            '\\' if inside => drop(rest.next()),
            '-' if !inside && line[at..].starts_with("--") => return true,
            _ => {}
        }
    }
    inside
}

/// The names with dots between them at the end of a text.
fn path_before(text: &str) -> &str {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
    text.rfind(|c| !part(c)).map_or(text, |at| &text[at + text[at..].chars().next().map_or(1, char::len_utf8)..])
}

fn after_dot(analysis: &Analysis, known: Option<&Analysis>, path: &str, items: &mut Items) {
    let last = path.rsplit('.').next().unwrap_or(path);
    let programs = [known, Some(analysis)];
    for program in programs.into_iter().flatten() {
        if !path.contains('.') {
            program.fields_of(path, items);
        }
    }
    if !items.is_empty() {
        return;
    }
    analysis.members(path, items);
    if items.is_empty() && !last.is_empty() {
        // The type is not known: any field that occurs.
        for occurrence in analysis.occurrences().iter().filter(|o| o.meaning == Meaning::Field && o.name.as_str() != last) {
            add(items, occurrence.name.as_str(), CompletionItemKind::FIELD, None, None);
        }
    }
}

fn constructors(analysis: &Analysis, items: &mut Items) {
    for occurrence in analysis.occurrences().iter().filter(|o| o.meaning == Meaning::Constructor) {
        add(items, occurrence.name.as_str().trim_start_matches('#'), CompletionItemKind::ENUM_MEMBER, None, None);
    }
}

fn imports(path: &str, files: &dyn Fn(&str) -> Vec<String>, items: &mut Items) {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let library = resolve::library_paths().filter_map(|name| match folder {
        "" => Some(name),
        _ => name.strip_prefix(folder).and_then(|name| name.strip_prefix('/')),
    });
    library.for_each(|name| add(items, name, CompletionItemKind::FILE, Some("the standard library".to_string()), None));
    for name in files(folder) {
        add(items, &name, CompletionItemKind::FILE, None, None);
    }
}

fn core(analysis: &Analysis, items: &mut Items) {
    for word in ["define", "entry", "use", "fn", "let", "if", "map", "rep", "frame", "array", "box", "unbox", "loop"] {
        add(items, word, CompletionItemKind::KEYWORD, None, None);
    }
    for define in &analysis.checked.core.defs {
        let name = analysis.checked.source_name(define.name);
        add(items, name.as_str(), CompletionItemKind::FUNCTION, Some(crate::ir::core::print::ty(&define.ty)), None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_in_front() {
        assert_eq!(import_path("import \"lib/"), Some("lib/"));
        assert_eq!(import_path("import \"lib/np\""), None);
        assert_eq!(path_before("f (a.b"), "a.b");
        assert_eq!(path_before("λ"), "λ");
        assert!(in_comment_or_string("x -- y") && in_comment_or_string("x \"a\\\"") && !in_comment_or_string("\"--\" "));
    }
}
