//! Renaming.
//!
//! Names are replaced where they stand, and the text is resolved again: the change is refused unless every name in it means what it meant
//! before. So nothing is captured, and nothing is hidden.

use super::Analysis;
use super::mentions::mentions;
use super::navigate::named;
use super::places::{Meaning, Occurrence};
use crate::base::Span;
use crate::front::resolve::Loader;
use crate::front::syntax::lexer::{Tok, lex};
use lsp_types::{Position, Range, TextEdit};
use std::mem::discriminant;

/// The name under the pointer with its place, if it can be renamed.
///
/// # Errors
/// Why it cannot, in words.
pub fn prepare(analysis: &Analysis, position: Position) -> Result<(Range, String), String> {
    if analysis.is_apl() {
        return Err("names of scripts in APL are not renamed: which of them are the same is known only when they are run".to_string());
    }
    let names = analysis.names_at(analysis.offset(position));
    let Some(name) = names.iter().find(|name| name.meaning != Meaning::Field).or(names.first()) else {
        return Err("there is no name here".to_string());
    };
    let own = |span: Span| !analysis.sources.file(span.file).name.starts_with("stdlib/");
    match name.meaning {
        Meaning::Field => Err("a field is part of types, which may be written anywhere: it is not renamed".to_string()),
        Meaning::Constructor => Err("a constructor is part of types, which may be written anywhere: it is not renamed".to_string()),
        _ if !name.declared.is_some_and(own) => Err(format!("`{}` is part of the language or of its library", name.name)),
        _ => Ok((analysis.range(name.span), name.name.to_string())),
    }
}

/// Which sort of word a name is.
fn sort(name: &str) -> Option<Tok> {
    let tokens = lex(Default::default(), name).tokens;
    match tokens.as_slice() {
        [only, _] if (only.end as usize) == name.len() && only.start == 0 => Some(only.tok),
        _ => None,
    }
}

/// Whether a name can stand where the other one stands.
///
/// # Errors
/// Why not, in words.
pub fn fits(old: &str, new: &str) -> Result<(), String> {
    match (sort(old), sort(new)) {
        (Some(Tok::Ident), Some(Tok::Ident)) => Ok(()),
        (Some(Tok::Ident), _) => Err(format!("`{new}` is no name")),
        (_, Some(tok)) if tok.is_operator() && sort(old).is_some_and(Tok::is_operator) => Ok(()),
        (_, _) => Err(format!("`{new}` is no operator")),
    }
}

/// The changes of the document that give the things declared at these places another name, in tests and examples too.
pub fn edits(analysis: &Analysis, things: &[Span], old: &str, new: &str) -> Vec<(Span, String)> {
    let all = analysis.occurrences();
    let mut out: Vec<(Span, String)> = Vec::new();
    for occurrence in named(&all, things) {
        let pun = all.iter().any(|o| o.span == occurrence.span && o.pun);
        let text = if pun { format!("{} = {new}", occurrence.name) } else { new.to_string() };
        if out.last().is_none_or(|(span, _)| *span != occurrence.span) {
            out.push((occurrence.span, text));
        }
    }
    out.extend(mentions(analysis, things, old).into_iter().map(|span| (span, new.to_string())));
    out.sort_by_key(|(span, _)| *span);
    out
}

/// Whether a text is a name that a program may give: an identifier, and no word of the language.
pub fn is_name(text: &str) -> bool {
    sort(text) == Some(Tok::Ident)
}

/// A text with changes, which are in order and do not overlap.
pub fn apply(text: &str, edits: &[(Span, String)]) -> String {
    apply_from(text, 0, edits)
}

/// [`apply`] for a part of a document that begins at `start`.
pub fn apply_from(text: &str, start: u32, edits: &[(Span, String)]) -> String {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (span, new) in edits {
        out.push_str(text.get(at..(span.start - start) as usize).unwrap_or(""));
        out.push_str(new);
        at = (span.end - start) as usize;
    }
    out + text.get(at..).unwrap_or("")
}

/// Whether every name of the document means the same with the changes. `loader` has the changed texts of other files.
///
/// # Errors
/// What would change, in words.
pub fn keeps_meaning(analysis: &Analysis, edits: &[(Span, String)], new: &str, loader: &dyn Loader) -> Result<(), String> {
    let name = &analysis.sources.file(analysis.file).name;
    let after = Analysis::new(name, &apply(analysis.text(), edits), loader);
    let (old_names, new_names) = (analysis.occurrences(), after.occurrences());
    let places = Places { edits, old: analysis, new: &after };
    let same = old_names.len() == new_names.len() && old_names.iter().zip(new_names.iter()).all(|(a, b)| places.same(a, b));
    if !same {
        let changed = old_names.iter().zip(new_names.iter()).find(|(a, b)| !places.same(a, b));
        let (line, _) = analysis.sources.line_column(changed.map_or(Span::new(analysis.file, 0, 0), |(a, _)| a.span));
        return Err(format!("with the name `{new}` the name in line {line} would mean something else"));
    }
    let errors = |analysis: &Analysis| analysis.checked.diagnostics.len();
    if errors(analysis) != errors(&after) {
        return Err(format!("with the name `{new}` the program would have other errors"));
    }
    Ok(())
}

struct Places<'a> {
    edits: &'a [(Span, String)],
    old: &'a Analysis,
    new: &'a Analysis,
}

impl Places<'_> {
    /// Where a place of the document is afterwards.
    fn moved(&self, offset: u32) -> u32 {
        let before = self.edits.iter().take_while(|(span, _)| span.end <= offset);
        let shift: i64 = before.map(|(span, text)| text.len() as i64 - i64::from(span.end - span.start)).sum();
        (i64::from(offset) + shift) as u32
    }

    fn same(&self, old: &Occurrence, new: &Occurrence) -> bool {
        let declared = |of: &Analysis, o: &Occurrence| {
            o.declared.map(|span| (span.file == of.file, of.sources.file(span.file).name.clone(), span.start))
        };
        let was = declared(self.old, old).map(|(own, name, at)| if own { (own, name, self.start(at)) } else { (own, name, at) });
        let is = declared(self.new, new);
        // What is declared in other files may have moved there, by a change of its name.
        let other = |place: &Option<(bool, String, u32)>| place.as_ref().is_some_and(|(own, ..)| !own);
        let places = was == is || other(&was) && other(&is) && was.map(|p| p.1) == is.map(|p| p.1);
        discriminant(&old.meaning) == discriminant(&new.meaning) && places
    }

    /// Where something that begins here begins afterwards; of `{x}` what is declared stands behind the field then.
    fn start(&self, at: u32) -> u32 {
        let pun = self.edits.iter().find(|(span, text)| span.start == at && text.contains(" = "));
        self.moved(at) + pun.map_or(0, |(_, text)| text.find(" = ").map_or(0, |place| place as u32 + 3))
    }
}

/// Changes as the protocol has them.
pub fn text_edits(analysis: &Analysis, edits: &[(Span, String)]) -> Vec<TextEdit> {
    edits.iter().map(|(span, text)| TextEdit { range: analysis.range(*span), new_text: text.clone() }).collect()
}
