//! Items in a row become lines.
//!
//! A break that is not forced becomes a line end only where what follows, up to the next place that may end a line, does not fit: so outer blocks
//! are broken before what is inside of them, and a text that was laid out is laid out again in the same way (compare Oppen, "Prettyprinting",
//! 1980, whose blocks, consistent and inconsistent breaks these are).

use super::tokens::{Comment, Piece};
use crate::front::syntax::lexer::Tok;

/// The most columns of a line, as far as there are places to break it.
pub(super) const WIDTH: usize = 100;

/// What a layout consists of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    /// A token, with the comments around it.
    Tok(u32),
    Space,
    Break(Break),
    Begin(Begin),
    End,
}

/// When a break becomes a line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// Where the next piece does not fit.
    Fill,
    /// Together with all such breaks of its block, if the block does not fit.
    Together,
    /// Where the next piece does not fit, or the block has several lines already.
    After,
}

/// A place where a line may end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Break {
    pub when: When,
    pub forced: bool,
    /// How far the next line is indented against the block.
    pub offset: usize,
    /// Nothing is added to the indentation where the block begins its line.
    pub hangs: bool,
    /// Whether a space stands here where the line goes on.
    pub space: bool,
    /// Whether an empty line is kept here.
    pub blank: bool,
    /// Comments before the next token are indented more by this.
    pub comments: usize,
    /// The break that counts as the end of the next piece, if it lies within.
    pub hug: Option<u32>,
}

/// The beginning of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Begin {
    /// Whether it is indented as far as it begins; else as far as its line, or the block around it.
    pub align: bool,
    /// Whether its breaks of kind [`When::Together`] are line ends anyway.
    pub broken: bool,
}

struct Block {
    base: usize,
    broken: bool,
    /// Whether the block begins where it is indented to.
    at_base: bool,
    /// How many lines there were when it began.
    lines: usize,
}

/// Where a token came to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed {
    pub token: u32,
    /// The first byte of its line, or of that of the first comment in front of it, if it begins a line.
    pub line: Option<usize>,
}

/// Lays items out.
pub(super) struct Writer<'a> {
    text: &'a str,
    line_end: &'a str,
    pieces: &'a [Piece],
    items: &'a [Item],
    out: String,
    /// Columns of the line so far.
    column: usize,
    /// The indentation of the line.
    indent: usize,
    /// Whether nothing but indentation stands on the line.
    fresh: bool,
    space: bool,
    /// How many columns comments are moved to the right at the beginning of this line.
    comments: usize,
    blank: bool,
    lines: usize,
    blocks: Vec<Block>,
    placed: Vec<Placed>,
}

impl<'a> Writer<'a> {
    /// The text, and where its tokens are.
    pub fn write(text: &'a str, line_end: &'a str, pieces: &'a [Piece], items: &'a [Item]) -> (String, Vec<Placed>) {
        let outermost = Block { base: 0, broken: true, at_base: true, lines: 0 };
        let mut writer = Writer {
            text,
            line_end,
            pieces,
            items,
            out: String::with_capacity(text.len() + text.len() / 16),
            column: 0,
            indent: 0,
            fresh: true,
            space: false,
            comments: 0,
            blank: false,
            lines: 0,
            blocks: vec![outermost],
            placed: Vec::with_capacity(pieces.len()),
        };
        for at in 0..items.len() {
            writer.item(at);
        }
        (writer.out, writer.placed)
    }

    fn item(&mut self, at: usize) {
        match self.items[at] {
            Item::Space => self.space = true,
            Item::Tok(token) => self.token(token),
            Item::Break(found) => self.may_break(at, found),
            Item::End => {
                self.blocks.pop();
            }
            Item::Begin(begin) => {
                let column = self.column + usize::from(self.space);
                let outer = self.blocks.last().map_or(0, |block| block.base);
                let base = if begin.align { column } else { outer.max(self.indent) };
                let broken = begin.broken || !self.fits(at);
                self.blocks.push(Block { base, broken, at_base: base == column, lines: self.lines });
            }
        }
    }

    fn may_break(&mut self, at: usize, found: Break) {
        let Some(block) = self.blocks.last() else { return };
        let offset = if found.hangs && block.at_base { 0 } else { found.offset };
        let indent = block.base + offset;
        let wanted = match found.when {
            When::Together => block.broken,
            When::After => self.lines > block.lines || !self.fits(at),
            When::Fill => !self.fits(at),
        };
        // Nothing is gained where the next line would not begin further to the left.
        if found.forced || (wanted && (found.when == When::Together || indent < self.column)) {
            self.new_line(indent);
            self.comments = found.comments;
            self.blank = found.blank;
        } else {
            self.space |= found.space;
        }
    }

    fn new_line(&mut self, indent: usize) {
        self.out.push_str(self.line_end);
        self.lines += 1;
        self.space = false;
        self.fresh = true;
        (self.column, self.indent) = (indent, indent);
    }

    fn indent_by(&mut self, columns: usize) {
        self.out.extend(std::iter::repeat_n(' ', columns));
    }

    fn token(&mut self, token: u32) {
        let pieces = self.pieces;
        let piece = &pieces[token as usize];
        let text = &self.text[piece.start as usize..piece.end as usize];
        let line = self.fresh.then_some(self.out.len());
        self.placed.push(Placed { token, line });
        for (i, comment) in piece.leading.iter().enumerate() {
            if comment.blank && (self.blank || i > 0) {
                self.out.push_str(self.line_end);
            }
            self.blank = true;
            self.indent_by(self.indent + self.comments);
            self.out.push_str(&self.text[comment.start as usize..comment.end as usize]);
            self.out.push_str(self.line_end);
        }
        if piece.tok == Tok::Eof {
            return;
        }
        if self.fresh {
            if piece.blank && self.blank {
                self.out.push_str(self.line_end);
            }
            self.indent_by(self.indent);
        } else if self.space {
            self.out.push(' ');
            self.column += 1;
        }
        (self.fresh, self.space, self.blank, self.comments) = (false, false, false, 0);
        self.out.push_str(text);
        self.column += width(text);
        if let Some(Comment { start, end, gap, .. }) = piece.trailing {
            self.indent_by(gap as usize);
            self.out.push_str(&self.text[start as usize..end as usize]);
        }
    }

    /// Whether what follows the item fits into the line: up to the next break of its block or of one around it, or to a line end inside.
    fn fits(&self, at: usize) -> bool {
        let mut column = self.column + usize::from(self.space);
        let mut depth = 0i32;
        let hug = match self.items[at] {
            Item::Break(found) => {
                column += usize::from(found.space && !self.space);
                found.hug
            }
            Item::Begin(_) => {
                depth = 1;
                None
            }
            Item::Tok(_) | Item::Space | Item::End => None,
        };
        for (ahead, item) in self.items.iter().enumerate().skip(at + 1) {
            match *item {
                Item::Tok(token) => {
                    let piece = &self.pieces[token as usize];
                    column += width(&self.text[piece.start as usize..piece.end as usize]);
                }
                Item::Space => column += 1,
                Item::Begin(_) => depth += 1,
                Item::End => depth -= 1,
                Item::Break(found) => {
                    if depth <= 0 || found.forced || hug == Some(ahead as u32) {
                        return column <= WIDTH;
                    }
                    column += usize::from(found.space);
                }
            }
            if column > WIDTH {
                return false;
            }
        }
        true
    }
}

/// The columns that a text takes.
fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().count() }
}
