//! Scripts in APL: what their words are, and what was found out about them when they were executed without their numbers.
//!
//! A name means the value that it was given last in front of the place where it stands, in the text; a script has no other declarations.

use super::Analysis;
use super::hints::{Kinds, plain};
use super::tokens::Sort as TokenSort;
use crate::base::Span;
use crate::front::apl::words::{Given, Shown, Sort, called, known, words};
use crate::front::apl::{Class, GLYPHS};
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, InlayHint, InlayHintKind, Position, Range, SymbolKind, TextEdit};
use std::collections::BTreeSet;

/// So many types of a function that was applied to different ones are shown.
const MOST: usize = 5;

fn all(analysis: &Analysis) -> Vec<Shown> {
    words(analysis.file, analysis.text())
}

/// The word at a place; of two that touch the one behind it.
fn at(words: &[Shown], offset: usize) -> Option<&Shown> {
    words.iter().rev().find(|word| word.span.start as usize <= offset && offset <= word.span.end as usize)
}

/// What was found out about a word, each only once.
fn found(analysis: &Analysis, span: Span) -> Vec<&str> {
    let Some(apl) = &analysis.checked.apl else { return Vec::new() };
    let mut out: Vec<&str> = Vec::new();
    for note in apl.notes.iter().filter(|note| note.span == span) {
        if !out.contains(&note.text.as_str()) {
            out.push(&note.text);
        }
    }
    out
}

/// What is shown of the word at a place: how a glyph is written, and the types that were found.
pub(super) fn hover(analysis: &Analysis, offset: usize) -> Option<(Span, String)> {
    let words = all(analysis);
    let word = at(&words, offset)?;
    let mut parts = Vec::new();
    if let Sort::Glyph(c) = word.sort
        && let Some(glyph) = known(c)
    {
        let key = if glyph.key == ' ' { String::new() } else { format!(", `` `{} ``", glyph.key) };
        parts.push(format!("`{c}` {}: written `` `{} ``{key}", called(glyph.class), glyph.name));
    }
    // The type of a name is known where it gets its value.
    let place = match &word.sort {
        Sort::Name { name, given: None } => declaration(&words, name, word.span).map_or(word.span, |word| word.span),
        _ => word.span,
    };
    let mut types = found(analysis, word.span);
    if place != word.span {
        types.extend(found(analysis, place));
    }
    if !types.is_empty() {
        let more = if types.len() > MOST { "\n.." } else { "" };
        types.truncate(MOST);
        parts.push(format!("```\n{}{more}\n```", types.join("\n")));
    }
    (!parts.is_empty()).then(|| (word.span, parts.join("\n\n")))
}

/// Where a name got the value that it has at a place.
fn declaration<'w>(words: &'w [Shown], wanted: &str, place: Span) -> Option<&'w Shown> {
    let gets = |word: &&Shown| matches!(&word.sort, Sort::Name { name, given: Some(_) } if name == wanted);
    // A function may use what is defined behind it.
    words.iter().rev().filter(gets).find(|word| word.span.start <= place.start).or_else(|| words.iter().find(gets))
}

/// Where the name at a place got its value.
pub(super) fn definition(analysis: &Analysis, offset: usize) -> Option<Span> {
    let words = all(analysis);
    let word = at(&words, offset)?;
    let Sort::Name { name, .. } = &word.sort else { return None };
    declaration(&words, name, word.span).map(|word| word.span)
}

/// All places of the name at a place, and whether it gets a value there.
pub(super) fn uses(analysis: &Analysis, offset: usize) -> Vec<(Span, bool)> {
    let words = all(analysis);
    let Some(Shown { sort: Sort::Name { name: wanted, .. }, .. }) = at(&words, offset) else { return Vec::new() };
    let same = |word: &Shown| match &word.sort {
        Sort::Name { name, given } if name == wanted => Some((word.span, given.is_some())),
        _ => None,
    };
    words.iter().filter_map(same).collect()
}

/// The types of the names that get values.
pub(super) fn hints(analysis: &Analysis, span: Span, kinds: Kinds) -> Vec<InlayHint> {
    let mut out = Vec::new();
    for word in all(analysis).iter().filter(|word| kinds.types && span.start <= word.span.start && word.span.start <= span.end) {
        let Sort::Name { given: Some(_), .. } = word.sort else { continue };
        if let [one] = found(analysis, word.span)[..]
            && let Some((_, ty)) = one.split_once(" : ")
        {
            out.push(plain(analysis.range(word.span).end, format!(": {ty}"), Some(InlayHintKind::TYPE)));
        }
    }
    out
}

/// The names that get values outside of functions: the first place of each, what belongs to it, and its type.
pub(super) fn symbols(analysis: &Analysis) -> Vec<(String, SymbolKind, Span, Span, Option<String>)> {
    let (mut seen, mut inside) = (BTreeSet::new(), 0);
    let mut out = Vec::new();
    for word in all(analysis) {
        let Sort::Name { name, given: Some(given) } = word.sort else { continue };
        if word.span.start < inside || !seen.insert(name.clone()) {
            continue;
        }
        let (kind, whole) = match given {
            Given::Function(body) => {
                inside = body.end;
                (SymbolKind::FUNCTION, word.span.to(body))
            }
            Given::Value => (SymbolKind::VARIABLE, word.span),
        };
        let ty = found(analysis, word.span).first().and_then(|text| text.split_once(" : ")).map(|(_, ty)| ty.to_string());
        out.push((name, kind, word.span, whole, ty));
    }
    out
}

/// Functions of several lines.
pub(super) fn folding(analysis: &Analysis) -> Vec<Span> {
    symbols(analysis).into_iter().map(|(.., whole, _)| whole).collect()
}

/// The words with the names of their sorts, and whether a name gets a value.
pub(super) fn tokens(analysis: &Analysis) -> Vec<(Span, TokenSort, bool)> {
    let words = all(analysis);
    let functions: BTreeSet<&str> = words
        .iter()
        .filter_map(|word| match &word.sort {
            Sort::Name { name, given: Some(Given::Function(_)) } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let sort_of = |word: &Shown| match &word.sort {
        Sort::Number => (TokenSort::Number, false),
        Sort::Text => (TokenSort::String, false),
        Sort::Quad => (TokenSort::Property, false),
        Sort::Name { name, given } => {
            (if functions.contains(name.as_str()) { TokenSort::Function } else { TokenSort::Variable }, given.is_some())
        }
        Sort::Glyph(c) => (
            match known(*c).map_or(Class::Other, |glyph| glyph.class) {
                Class::Function | Class::Slash => TokenSort::Function,
                Class::Monadic | Class::Dyadic => TokenSort::Operator,
                Class::Other => TokenSort::Keyword,
            },
            false,
        ),
    };
    let each = words.iter().map(|word| {
        let (sort, declares) = sort_of(word);
        (word.span, sort, declares)
    });
    each.collect()
}

/// What could stand at the place: behind a backtick the glyphs by their names, elsewhere the names of the script.
pub(super) fn complete(analysis: &Analysis, position: Position) -> Vec<CompletionItem> {
    let offset = analysis.offset(position);
    let text = analysis.text();
    let line = &text[text[..offset].rfind('\n').map_or(0, |at| at + 1)..offset];
    let word = line.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(line, |at| &line[at..]);
    if let Some(typed) = word.strip_prefix('`') {
        let start = analysis.lines(analysis.file).position(text, offset - typed.len() - 1);
        let range = Range { start, end: position };
        let item = |glyph: &crate::front::apl::Glyph| CompletionItem {
            label: format!("{} {}", glyph.glyph, glyph.name),
            kind: Some(CompletionItemKind::OPERATOR),
            detail: Some(called(glyph.class).to_string()),
            filter_text: Some(format!("`{}", glyph.name)),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: glyph.glyph.to_string() })),
            ..CompletionItem::default()
        };
        return GLYPHS.iter().filter(|glyph| glyph.name.starts_with(typed)).map(item).collect();
    }
    let names = symbols(analysis).into_iter().map(|(name, kind, _, _, ty)| CompletionItem {
        label: name,
        kind: Some(if kind == SymbolKind::FUNCTION { CompletionItemKind::FUNCTION } else { CompletionItemKind::VARIABLE }),
        detail: ty,
        ..CompletionItem::default()
    });
    names.collect()
}
