//! Whether two texts are the same program: the same tokens, comments and tree, but for what the style leaves out.

use super::layout::superfluous;
use super::read;
use super::tokens::Piece;
use super::tree::{Tag, Tree};
use crate::base::{FileId, Span};

/// What is compared of a program.
pub(super) struct Essence<'a> {
    tokens: Vec<&'a str>,
    comments: Vec<&'a str>,
    /// Nodes with their ranges of the tokens that are kept.
    nodes: Vec<(Tag, u32, u32)>,
}

/// Makes sure that a text was changed in white space only.
///
/// # Panics
/// By an internal error, where it was not.
pub(super) fn check(file: FileId, before: &str, after: &str, futhark: bool) {
    if before == after {
        return;
    }
    match read(file, before, futhark) {
        Ok((ast, unit, pieces)) => {
            let tree = Tree::new(&ast, &unit, &pieces);
            check_from(&Essence::new(before, &pieces, &tree, &superfluous(&pieces, &tree)), file, after, futhark);
        }
        Err(_) => unreadable(),
    }
}

fn unreadable() -> ! {
    crate::ice!(Span::default(), "what was formatted cannot be read any more")
}

/// `check`, where the text before has been read already.
pub(super) fn check_from(old: &Essence<'_>, file: FileId, after: &str, futhark: bool) {
    let Ok((ast, unit, pieces)) = read(file, after, futhark) else { unreadable() };
    let tree = Tree::new(&ast, &unit, &pieces);
    let new = Essence::new(after, &pieces, &tree, &superfluous(&pieces, &tree));
    let what = if old.tokens != new.tokens {
        "tokens"
    } else if old.comments != new.comments {
        "comments"
    } else if old.nodes != new.nodes {
        "the structure"
    } else {
        return;
    };
    crate::ice!(Span::default(), "formatting would change {what} of the program")
}

impl<'a> Essence<'a> {
    /// That of a text as it was read; `dropped` are the tokens that the style leaves out.
    pub(super) fn new(text: &'a str, pieces: &[Piece], tree: &Tree, dropped: &[u32]) -> Essence<'a> {
        let mut dropped = dropped.iter().copied().peekable();
        let mut essence =
            Essence { tokens: Vec::with_capacity(pieces.len()), comments: Vec::new(), nodes: Vec::with_capacity(tree.nodes.len()) };
        // The number of each token among those that are kept.
        let mut numbers = Vec::with_capacity(pieces.len() + 1);
        for (at, piece) in pieces.iter().enumerate() {
            numbers.push(essence.tokens.len() as u32);
            essence.comments.extend(comments(piece).map(|(start, end)| &text[start as usize..end as usize]));
            if dropped.next_if_eq(&(at as u32)).is_none() {
                essence.tokens.push(&text[piece.start as usize..piece.end as usize]);
            }
        }
        numbers.push(essence.tokens.len() as u32);
        let number = |at: u32| numbers[at as usize];
        essence.nodes.extend(tree.nodes.iter().map(|node| (node.tag, number(node.first), number(node.end))));
        essence
    }
}

/// The places of the comments around a token.
pub(super) fn comments(piece: &Piece) -> impl Iterator<Item = (u32, u32)> + '_ {
    piece.leading.iter().chain(&piece.trailing).map(|comment| (comment.start, comment.end))
}
