//! The style: how the tokens of each form are spaced, and where lines may end.

mod forms;

use super::lines::{Begin, Break, Item, When};
use super::tokens::Piece;
use super::tree::{Part, Tag, Tree};
use crate::front::syntax::lexer::Tok;

/// Makes the items of a file.
pub(super) struct Layout<'a> {
    pieces: &'a [Piece],
    tree: &'a Tree,
    items: Vec<Item>,
    /// How many line ends are certain so far.
    forced: usize,
    /// The last token.
    last: Option<u32>,
    /// The token whose distance to the one before it has been decided.
    separated: Option<u32>,
    /// Whether operators stand without spaces, as in sizes and the bounds of slices.
    tight: bool,
    /// Whether a name in backticks has begun.
    ticked: bool,
    /// The break before the body of the last lambda.
    lambda: Option<u32>,
}

/// A break that is decided by the room there is.
const FILL: Break = Break { when: When::Fill, forced: false, offset: 2, hangs: false, space: true, blank: true, comments: 0, hug: None };
/// A break that goes with the others of its block, which has no indentation of its own.
const TOGETHER: Break = Break { when: When::Together, offset: 0, ..FILL };
/// The same where a line ends anyway.
const LINE: Break = Break { forced: true, ..TOGETHER };
/// A block that is indented as its line is.
const BLOCK: Begin = Begin { align: false, broken: false };
/// A block that is indented as far as it begins.
const ALIGNED: Begin = Begin { align: true, broken: false };

/// All items of a file.
pub(super) fn layout(pieces: &[Piece], tree: &Tree) -> Vec<Item> {
    let items = Vec::with_capacity(pieces.len() * 3);
    let mut layout = Layout { pieces, tree, items, forced: 0, last: None, separated: None, tight: false, ticked: false, lambda: None };
    for part in tree.parts(0) {
        if layout.last.is_some() {
            layout.items.push(Item::Break(LINE));
        }
        layout.part(part);
    }
    layout.items
}

/// The tokens that the style leaves out: commas before a closing bracket, and an `in` before another `let`.
pub(super) fn superfluous(pieces: &[Piece], tree: &Tree) -> Vec<u32> {
    let mut found = Vec::new();
    for node in &tree.nodes {
        match node.tag {
            Tag::List => {
                let last = node.end.saturating_sub(2);
                let more = node.end - node.first > 3;
                let within = node.kids.last().is_none_or(|kid| tree.node(*kid).end <= last);
                if more && within && pieces[last as usize].tok == Tok::Comma {
                    found.push(last);
                }
            }
            Tag::Let | Tag::LetUpdate => {
                if let Some(body) = node.kids.last().map(|kid| tree.node(*kid))
                    && is_let(Some(body.tag))
                    && pieces[body.first as usize - 1].tok == Tok::In
                {
                    found.push(body.first - 1);
                }
            }
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn is_let(tag: Option<Tag>) -> bool {
    matches!(tag, Some(Tag::Let | Tag::LetUpdate))
}

impl Layout<'_> {
    fn tok_of(&self, at: u32) -> Tok {
        self.pieces[at as usize].tok
    }
    fn newline(&self, at: u32) -> bool {
        self.pieces[at as usize].newline
    }
    fn is(&self, part: Part, tok: Tok) -> bool {
        matches!(part, Part::Tok(at) if self.tok_of(at) == tok)
    }
    fn position(&self, parts: &[Part], tok: Tok) -> Option<usize> {
        parts.iter().position(|part| self.is(*part, tok))
    }

    // Items.

    /// A token. Comments before it, and a comment behind the one before it, take a line end.
    fn token(&mut self, at: u32) {
        let pieces = self.pieces;
        let piece = &pieces[at as usize];
        if piece.dropped {
            return;
        }
        let commented = self.last.is_some_and(|last| pieces[last as usize].trailing.is_some());
        if commented || (!piece.leading.is_empty() && self.last.is_some()) {
            self.end_line();
        }
        if piece.tok == Tok::Backtick {
            self.ticked = !self.ticked;
        }
        self.items.push(Item::Tok(at));
        self.last = Some(at);
    }

    /// A line end before the next token.
    fn end_line(&mut self) {
        let begins = self.items.iter().rev().take_while(|item| matches!(item, Item::Begin(_))).count();
        let before = self.items.len() - begins;
        match before.checked_sub(1).map(|at| (at, self.items[at])) {
            Some((at, Item::Break(_))) => self.force(at),
            Some((at, Item::Space)) => {
                self.items[at] = Item::Break(FILL);
                self.force(at);
            }
            _ => {
                self.items.push(Item::Break(Break { offset: if begins > 0 { 0 } else { 2 }, ..FILL }));
                self.force(self.items.len() - 1);
            }
        }
    }

    fn force(&mut self, at: usize) {
        if let Item::Break(found) = &mut self.items[at]
            && !found.forced
        {
            found.forced = true;
            self.forced += 1;
        }
    }

    /// A break before a token; forced where the author ended the line there, or at another token.
    fn may_break(&mut self, kind: Break, authors: bool) -> usize {
        let at = self.items.len();
        self.items.push(Item::Break(kind));
        if authors {
            self.force(at);
        }
        at
    }

    fn begin(&mut self, begin: Begin) -> usize {
        self.items.push(Item::Begin(begin));
        self.items.len() - 1
    }
    fn end(&mut self) {
        self.items.push(Item::End);
    }
    /// Sets all breaks of a block that go together to line ends if there is a line end in it.
    fn settle(&mut self, begin: usize, forced: usize) {
        if self.forced > forced
            && let Item::Begin(found) = &mut self.items[begin]
        {
            found.broken = true;
        }
    }

    /// A space, unless something separates already or nothing should.
    fn space(&mut self) {
        let before = self.items.iter().rev().find(|item| !matches!(item, Item::Begin(_)));
        if !matches!(before, None | Some(Item::Space | Item::Break(_))) {
            self.items.push(Item::Space);
        }
    }

    // Spaces.

    /// Whether two tokens in a row stand without a space, whatever they are in.
    fn glued(&self, before: Tok, next: Tok) -> bool {
        let opens = matches!(before, Tok::LParen | Tok::LBracket | Tok::LBrace | Tok::Dot | Tok::Backslash | Tok::Quote | Tok::Question);
        let closes = matches!(next, Tok::RParen | Tok::RBracket | Tok::RBrace | Tok::Comma | Tok::Dot);
        opens || closes || (before == Tok::Backtick && self.ticked) || (next == Tok::Backtick && self.ticked)
    }

    /// Separates the next token from the last as the form asks.
    fn separate(&mut self, tag: Tag, next: u32, depth: i32) {
        if self.separated.replace(next) == Some(next) {
            return;
        }
        let Some(last) = self.last else { return };
        let (before, next_tok) = (self.tok_of(last), self.tok_of(next));
        let bracket = next_tok == Tok::LBracket;
        let tight = match tag {
            Tag::Glued | Tag::Tight => before != Tok::Comma && before != Tok::AttrOpen,
            Tag::Slice => true,
            Tag::With | Tag::LetUpdate if bracket => !matches!(before, Tok::With | Tok::Let),
            _ => false,
        };
        // `type^ t`, `'^a`.
        let mark = matches!(next_tok, Tok::Caret | Tok::Tilde) && before == Tok::Type
            || matches!(before, Tok::Caret | Tok::Tilde) && last > 0 && self.tok_of(last - 1) == Tok::Quote && tag != Tag::Binary(0);
        let typed = next_tok == Tok::Colon && depth > 0;
        // `1 .0` is a part of 1, and `1.0` a number.
        let number = before == Tok::Number
            && next_tok == Tok::Dot
            && self.pieces.get(next as usize + 1).is_some_and(|piece| piece.tok == Tok::Number);
        // `* *[n]t` is unique twice, and `**` a power.
        let joins = before.is_operator() && next_tok.is_operator();
        if number || joins || !(tight || mark || typed || self.glued(before, next_tok)) {
            self.space();
        }
    }

    /// Parts in a row.
    fn row(&mut self, tag: Tag, parts: &[Part], mut depth: i32) {
        for part in parts {
            let first = self.tree.first(*part);
            if matches!(*part, Part::Tok(at) if self.pieces[at as usize].dropped) {
                continue;
            }
            self.separate(tag, first, depth);
            match *part {
                Part::Tok(at) => {
                    match self.tok_of(at) {
                        Tok::LParen | Tok::LBrace => depth += 1,
                        Tok::RParen | Tok::RBrace => depth -= 1,
                        _ => {}
                    }
                    self.token(at);
                }
                Part::Node(id) => self.node_in(id, depth > 0),
            }
        }
    }
}
