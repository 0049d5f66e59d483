//! The tokens of a file with the comments around them: nothing of a source but white space is left out.

use crate::front::syntax::lexer::Tok;
use logos::Logos;

/// A comment: its text without white space at its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Comment {
    pub start: u32,
    pub end: u32,
    /// Whether an empty line stands before it.
    pub blank: bool,
    /// How many columns separate it from code on its line.
    pub gap: u32,
}

/// A token.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub tok: Tok,
    pub start: u32,
    pub end: u32,
    /// Comments on lines of their own before it.
    pub leading: Vec<Comment>,
    /// The comment behind it on its line.
    pub trailing: Option<Comment>,
    /// Whether a line ends between it and the token before it.
    pub newline: bool,
    /// Whether an empty line stands right before it.
    pub blank: bool,
    /// Whether the style leaves it out.
    pub dropped: bool,
}

/// The tokens of a text, the last one [`Tok::Eof`]. An attribute is one token, [`Tok::AttrOpen`], from `#[` to `]`.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut reading = Reading { text, pieces: Vec::with_capacity(text.len() / 4 + 1), waiting: Vec::new(), end: 0 };
    let mut lexer = Tok::lexer(text);
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        match token {
            Ok(Tok::Comment) => reading.comment(range.start, range.end),
            Ok(Tok::AttrOpen) => {
                let mut end = range.end;
                while let Some(token) = lexer.next() {
                    end = lexer.span().end;
                    if matches!(token, Ok(Tok::RBracket)) {
                        break;
                    }
                }
                reading.token(Tok::AttrOpen, range.start, end);
            }
            Ok(tok) => reading.token(tok, range.start, range.end),
            Err(()) => reading.token(Tok::Bad, range.start, range.end),
        }
    }
    reading.token(Tok::Eof, text.len(), text.len());
    reading.pieces
}

struct Reading<'a> {
    text: &'a str,
    pieces: Vec<Piece>,
    /// Comments that belong to the next token.
    waiting: Vec<Comment>,
    /// The end of the last token or comment.
    end: usize,
}

impl Reading<'_> {
    /// The line ends in what separates a place from what was read before it.
    fn lines_before(&self, start: usize) -> usize {
        self.text.as_bytes()[self.end..start].iter().filter(|byte| **byte == b'\n').count()
    }

    fn comment(&mut self, start: usize, end: usize) {
        let lines = self.lines_before(start);
        let gap = self.text[self.end..start].chars().map(|c| if c == '\t' { 2 } else { 1 }).sum::<u32>().max(1);
        let kept = self.text[start..end].trim_end().len();
        let comment = Comment { start: start as u32, end: (start + kept) as u32, blank: lines > 1, gap };
        match self.pieces.last_mut() {
            Some(last) if lines == 0 && self.waiting.is_empty() => last.trailing = Some(comment),
            _ => self.waiting.push(comment),
        }
        self.end = end;
    }

    fn token(&mut self, tok: Tok, start: usize, end: usize) {
        let lines = self.lines_before(start);
        let after_comment = !self.waiting.is_empty() || self.pieces.last().is_some_and(|last| last.trailing.is_some());
        self.pieces.push(Piece {
            tok,
            start: start as u32,
            end: end as u32,
            leading: std::mem::take(&mut self.waiting),
            trailing: None,
            newline: lines > 0 || after_comment,
            blank: lines > 1,
            dropped: false,
        });
        self.end = end;
    }
}

/// Marks what the style leaves out, and gives the comments around it to its neighbours: commas before a closing bracket, and an `in` before
/// another `let`. Commas that lead lines are set to end the line before.
pub(super) fn tidy(pieces: &mut [Piece], drop: &[u32]) {
    for at in drop.iter().map(|at| *at as usize) {
        pieces[at].dropped = true;
        let (leading, trailing) = (std::mem::take(&mut pieces[at].leading), pieces[at].trailing.take());
        let newline = pieces[at].newline;
        pieces[at + 1].newline |= newline;
        match (trailing, &mut pieces[at - 1].trailing) {
            (Some(comment), before @ None) if leading.is_empty() => *before = Some(comment),
            (trailing, _) => lead(&mut pieces[at + 1], leading.into_iter().chain(trailing)),
        }
    }
    for at in 1..pieces.len() {
        let leads = pieces[at].newline && !pieces[at].dropped;
        if pieces[at].tok != Tok::Comma || !leads || at + 1 == pieces.len() {
            continue;
        }
        let before = pieces[at - 1].trailing.take();
        let (leading, own) = (std::mem::take(&mut pieces[at].leading), pieces[at].trailing.take());
        // Comments keep their order.
        let (now, late) = if before.is_none() && leading.is_empty() { (own, None) } else { (before, own) };
        pieces[at].trailing = now;
        pieces[at].newline = false;
        pieces[at + 1].newline = true;
        lead(&mut pieces[at + 1], leading.into_iter().chain(late));
    }
}

/// Puts comments in front of those that lead a token.
fn lead(piece: &mut Piece, comments: impl Iterator<Item = Comment>) {
    let mut all: Vec<Comment> = comments.collect();
    piece.newline |= !all.is_empty();
    all.append(&mut piece.leading);
    piece.leading = all;
}
