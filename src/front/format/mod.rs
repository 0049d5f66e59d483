//! One style for the text of programs: what `remora fmt` and editors apply.
//!
//! The text of the result is made of the tokens and comments of the source, in their order, so that literals, parentheses and comments are what the
//! author wrote; only white space is new, but for an `in` before another `let` and a comma before a closing bracket, which are left out.
//! `tree` arranges the tokens as the parser's tree does (its spans say how), `layout` says for each form where lines may end and how far they
//! are indented, `lines` decides which of these breaks are taken.
//!
//! A line end that the author wrote where the style may break is kept; further ones are added where a line would be longer than
//! `lines::WIDTH`. That is why neither the printer of trees (`syntax::print`, which knows no comments) nor the combinators of `pretty` are used:
//! in those a forced line end breaks every group around it, which here it must not. A lossless tree of its own would repeat what spans say.
//!
//! What comes out is read again, and has to have the same tokens, comments and tree before anybody gets it.

mod layout;
mod lines;
mod same;
mod tokens;
mod tree;

use crate::base::FileId;
use crate::diag::{Diagnostic, Severity};
use crate::front::syntax;
use crate::ir::surface::{Ast, SourceUnit};
use lines::Placed;
use std::ops::Range;
use tokens::Piece;

/// A replacement of bytes of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced: whole lines.
    pub range: Range<usize>,
    /// What stands there instead.
    pub text: String,
}

/// The text in the style. `futhark` says that it is that of a `.fut` file.
///
/// Recurses as deeply as the source nests: call it under [`with_big_stack`](crate::base::with_big_stack).
///
/// # Errors
/// What keeps the text from being read. Nothing is formatted then.
pub fn format(file: FileId, text: &str, futhark: bool) -> Result<String, Vec<Diagnostic>> {
    Ok(Formatted::new(file, text, futhark)?.text)
}

/// The edits that bring a text into the style, in order. Each is of whole lines that begin with the same token, or a comment before it, before and after; `lines` (numbers from 0, the end
/// exclusive) leaves out those that touch none of these lines.
///
/// # Errors
/// What keeps the text from being read.
pub fn edits(file: FileId, text: &str, futhark: bool, lines: Option<Range<usize>>) -> Result<Vec<Edit>, Vec<Diagnostic>> {
    let formatted = Formatted::new(file, text, futhark)?;
    let wanted = lines.map(|lines| line_start(text, lines.start)..line_start(text, lines.end.max(lines.start + 1)));
    let mut edits = Vec::new();
    for (old, new) in formatted.segments(text) {
        let touched = wanted.as_ref().is_none_or(|wanted| old.start < wanted.end && (wanted.start < old.end || old.is_empty()));
        if touched && text[old.clone()] != formatted.text[new.clone()] {
            edits.push(Edit { range: old, text: formatted.text[new].to_string() });
        }
    }
    if wanted.is_some() {
        let applied = apply(text, &edits);
        same::check(file, text, &applied, futhark);
    }
    Ok(edits)
}

/// The places of the comments of a text, in order.
pub fn comments(text: &str) -> Vec<Range<usize>> {
    let pieces = tokens::pieces(text);
    let mut found: Vec<Range<usize>> = pieces.iter().flat_map(same::comments).map(|(start, end)| start as usize..end as usize).collect();
    found.sort_by_key(|comment| comment.start);
    found
}

/// A text with edits made.
pub fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(&text[at..edit.range.start]);
        out.push_str(&edit.text);
        at = edit.range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The first byte of a line.
fn line_start(text: &str, line: usize) -> usize {
    match line.checked_sub(1) {
        None => 0,
        Some(before) => text.match_indices('\n').nth(before).map_or(text.len(), |(at, _)| at + 1),
    }
}

/// Reads a text; the pieces are as they were written.
fn read(file: FileId, text: &str, futhark: bool) -> Result<(Ast, SourceUnit, Vec<Piece>), Vec<Diagnostic>> {
    let mut ast = Ast::default();
    let parse = if futhark { syntax::parse_futhark } else { syntax::parse };
    let (unit, diagnostics) = parse(&mut ast, file, text);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(diagnostics);
    }
    Ok((ast, unit, tokens::pieces(text)))
}

struct Formatted {
    text: String,
    pieces: Vec<Piece>,
    placed: Vec<Placed>,
}

impl Formatted {
    fn new(file: FileId, text: &str, futhark: bool) -> Result<Formatted, Vec<Diagnostic>> {
        let (ast, unit, mut pieces) = read(file, text, futhark)?;
        let tree = tree::Tree::new(&ast, &unit, &pieces);
        let drop = layout::superfluous(&pieces, &tree);
        let essence = same::Essence::new(text, &pieces, &tree, &drop);
        tokens::tidy(&mut pieces, &drop);
        let items = layout::layout(&pieces, &tree);
        let line_end = if crlf(text) { "\r\n" } else { "\n" };
        let (mut out, placed) = lines::Writer::write(text, line_end, &pieces, &items);
        out.truncate(out.trim_end().len());
        if !out.is_empty() {
            out.push_str(line_end);
        }
        if out != text {
            same::check_from(&essence, file, &out, futhark);
        }
        Ok(Formatted { text: out, pieces, placed })
    }

    /// Ranges of the text before and after that hold the same tokens, as short as whole lines allow.
    fn segments(&self, text: &str) -> Vec<(Range<usize>, Range<usize>)> {
        let mut segments = Vec::new();
        let (mut old, mut new) = (0, 0);
        for placed in &self.placed {
            let piece = &self.pieces[placed.token as usize];
            let before = self.pieces[..placed.token as usize].last();
            let (Some(line), Some(before)) = (placed.line, before) else { continue };
            // A comment that a comma has overtaken stands in front of it in the text.
            let ends = before.trailing.map_or(before.end, |comment| comment.end.max(before.end)) as usize;
            let starts = piece.leading.first().map_or(piece.start, |comment| comment.start.min(piece.start)) as usize;
            let Some(end) = text.get(ends..starts).and_then(|gap| gap.find('\n')) else { continue };
            let start = ends + end + 1;
            if start <= old || line > self.text.len() {
                continue;
            }
            segments.push((old..start, new..line));
            (old, new) = (start, line);
        }
        segments.push((old..text.len(), new..self.text.len()));
        segments
    }
}

/// Whether lines end as on Windows: as the first one does.
fn crlf(text: &str) -> bool {
    text.find('\n').is_some_and(|at| text[..at].ends_with('\r'))
}
