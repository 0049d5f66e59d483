//! The style: how the tokens of each form are spaced, and where lines may end.

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
        if !(tight || mark || typed || self.glued(before, next_tok)) {
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

    // Forms.

    /// A part that was separated from what is before it.
    fn part(&mut self, part: Part) {
        self.separated = Some(self.tree.first(part));
        match part {
            Part::Tok(at) => self.token(at),
            Part::Node(id) => self.node_in(id, false),
        }
    }

    /// A node; `bracketed` says that a pattern stands between brackets, where its type follows without a space.
    fn node_in(&mut self, id: u32, bracketed: bool) {
        let tag = self.tree.node(id).tag;
        let parts = self.tree.parts(id);
        if let [Part::Node(only)] = parts.as_slice() {
            return self.node_in(*only, bracketed);
        }
        let tight = std::mem::replace(&mut self.tight, false);
        match tag {
            Tag::Decl => self.decl(&parts),
            Tag::Struct => self.structure(&parts),
            Tag::Paren => self.paren(&parts),
            Tag::List => self.list(&parts),
            Tag::Apply => self.apply(&parts),
            Tag::Binary(level) => {
                self.tight = tight && self.simple(Part::Node(id));
                self.chain(id, level);
            }
            Tag::Unary => self.unary(&parts),
            Tag::Lambda => self.lambda(&parts),
            Tag::Let | Tag::LetUpdate => self.lets(id),
            Tag::If => self.choice(id),
            Tag::Match => self.cases(&parts),
            Tag::Loop => self.repetition(&parts),
            Tag::Attr => self.attribute(&parts),
            Tag::Arrow => self.arrow(id),
            Tag::Sum => self.sum(&parts),
            Tag::With => self.with(&parts),
            Tag::Tight | Tag::Slice | Tag::TypeName => self.sizes(tag, &parts),
            Tag::PatAscribe => self.row(tag, &parts, i32::from(bracketed)),
            Tag::Module => self.module(&parts),
            Tag::File | Tag::Local | Tag::Atom | Tag::Glued | Tag::Ascribe | Tag::Pat | Tag::Other => self.row(tag, &parts, 0),
        }
        self.tight = tight;
    }

    /// Whether the form ends in lines of its own, so that it begins on a new one if it has several.
    fn is_block(&self, part: Part) -> bool {
        let Part::Node(mut id) = part else { return false };
        loop {
            let node = self.tree.node(id);
            match node.tag {
                Tag::Let | Tag::LetUpdate | Tag::If | Tag::Match | Tag::Loop => return true,
                Tag::Attr => match node.kids.last() {
                    Some(inner) => id = *inner,
                    None => return false,
                },
                _ => return false,
            }
        }
    }

    /// What a `=`, `->`, `then` or `do` introduces: on the same line, or on lines of its own.
    fn body(&mut self, part: Part, kind: Break) -> usize {
        let authors = self.newline(self.tree.first(part));
        let at = self.may_break(Break { blank: false, ..kind }, authors);
        let before = self.forced;
        self.part(part);
        if self.forced > before && self.is_block(part) {
            self.force(at);
        }
        at
    }

    fn decl(&mut self, parts: &[Part]) {
        self.begin(BLOCK);
        let attributes = parts.iter().take_while(|part| self.is(**part, Tok::AttrOpen)).count();
        for (i, part) in parts[..attributes].iter().enumerate() {
            if i > 0 {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(Break { offset: 0, ..FILL }, authors);
            }
            self.part(*part);
        }
        let parts = &parts[attributes..];
        if attributes > 0 && !parts.is_empty() {
            let authors = self.newline(self.tree.first(parts[0]));
            self.may_break(Break { offset: 0, ..FILL }, authors);
        }
        match self.position(parts, Tok::Eq) {
            Some(equals) => {
                self.header(Tag::Decl, &parts[..equals]);
                self.space();
                self.part(parts[equals]);
                if let Some(body) = parts.get(equals + 1) {
                    self.definition(*body);
                }
            }
            None => self.header(Tag::Decl, parts),
        }
        self.end();
    }

    /// What a declaration stands for.
    fn definition(&mut self, part: Part) {
        if self.tok_of(self.tree.first(part)) == Tok::LBrace && matches!(self.tree.tag(part), Some(Tag::Struct)) {
            self.space();
            self.part(part);
        } else {
            self.body(part, Break { when: When::After, ..FILL });
        }
    }

    /// Name, type parameters, parameters and result type.
    fn header(&mut self, tag: Tag, parts: &[Part]) {
        let mut depth = 0;
        for (i, part) in parts.iter().enumerate() {
            let named = i > 1 && !parts[i - 1..i].iter().any(|before| self.is(*before, Tok::LBracket) || self.is(*before, Tok::Colon));
            let parameter = matches!(self.tree.tag(*part), Some(Tag::List | Tag::Pat | Tag::Other)) && depth == 0;
            if named && parameter {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(Break { offset: 4, ..FILL }, authors);
            }
            self.row(tag, &[*part], depth);
            depth += i32::from(self.is(*part, Tok::LParen)) - i32::from(self.is(*part, Tok::RParen));
        }
    }

    fn structure(&mut self, parts: &[Part]) {
        let [open, inner @ .., close] = parts else { return self.row(Tag::Other, parts, 0) };
        let forced = self.forced;
        let begin = self.begin(BLOCK);
        self.part(*open);
        let mut lines = 0;
        for (i, part) in inner.iter().enumerate() {
            let authors = self.newline(self.tree.first(*part));
            self.may_break(Break { offset: 2, blank: i > 0, ..TOGETHER }, authors);
            lines += usize::from(authors);
            self.part(*part);
        }
        let commented = self.tree.first(*close);
        if !inner.is_empty() || !self.pieces[commented as usize].leading.is_empty() {
            let authors = lines > 0 || (self.newline(commented) && !inner.is_empty());
            self.may_break(Break { blank: false, comments: 2, ..TOGETHER }, authors);
        }
        self.part(*close);
        self.settle(begin, forced);
        self.end();
    }

    fn module(&mut self, parts: &[Part]) {
        let mut depth = 0;
        for part in parts {
            if self.is(*part, Tok::With) {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(Break { offset: 4, ..FILL }, authors);
            }
            self.row(Tag::Module, &[*part], depth);
            depth += i32::from(self.is(*part, Tok::LParen)) - i32::from(self.is(*part, Tok::RParen));
        }
    }

    fn paren(&mut self, parts: &[Part]) {
        let [open, inner @ .., close] = parts else { return self.row(Tag::Other, parts, 0) };
        self.part(*open);
        let hugs = matches!(inner, [one] if self.tree.tag(*one) == Some(Tag::Lambda));
        if !hugs {
            self.begin(ALIGNED);
        }
        self.row(Tag::Glued, inner, 0);
        if !hugs {
            self.end();
        }
        self.part(*close);
    }

    fn list(&mut self, parts: &[Part]) {
        let [open, inner @ .., close] = parts else { return self.row(Tag::Other, parts, 0) };
        self.part(*open);
        self.begin(ALIGNED);
        let mut after_comma = false;
        for part in inner {
            if matches!(*part, Part::Tok(at) if self.pieces[at as usize].dropped) {
                continue;
            }
            if after_comma {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(Break { offset: 0, ..FILL }, authors);
            }
            after_comma = self.is(*part, Tok::Comma);
            self.row(Tag::List, &[*part], 1);
        }
        self.end();
        self.part(*close);
    }

    fn apply(&mut self, parts: &[Part]) {
        self.begin(BLOCK);
        self.part(parts[0]);
        for part in &parts[1..] {
            let authors = self.newline(self.tree.first(*part));
            let at = self.may_break(FILL, authors);
            self.lambda = None;
            self.part(*part);
            if self.is_lambda(*part)
                && let Item::Break(found) = &mut self.items[at]
            {
                found.hug = self.lambda;
            }
        }
        self.end();
    }

    /// Whether an argument is a lambda, in parentheses or without.
    fn is_lambda(&self, part: Part) -> bool {
        let Part::Node(id) = part else { return false };
        let node = self.tree.node(id);
        match (node.tag, node.kids.as_slice()) {
            (Tag::Lambda, _) => true,
            (Tag::Paren, [inner]) => self.tree.node(*inner).tag == Tag::Lambda,
            _ => false,
        }
    }

    /// Operands, and operators of one level between them.
    fn chain(&mut self, id: u32, level: u8) {
        let (mut links, mut head) = (Vec::new(), id);
        // Operators group to the left, but for `<|`.
        loop {
            let parts = self.tree.parts(head);
            let (Some(first), Some(last)) = (parts.first().copied(), parts.last().copied()) else { break };
            let operator = parts[1..parts.len() - 1].to_vec();
            links.push((operator, last));
            match first {
                Part::Node(inner) if self.tree.node(inner).tag == Tag::Binary(level) => head = inner,
                _ => {
                    links.push((Vec::new(), first));
                    break;
                }
            }
        }
        links.reverse();
        let tight = self.tight;
        self.begin(BLOCK);
        for (i, (operator, operand)) in links.iter().enumerate() {
            if i > 0 {
                let start = operator.first().map_or_else(|| self.tree.first(*operand), |part| self.tree.first(*part));
                let authors = self.newline(start) || self.newline(self.tree.first(*operand));
                let space = !tight;
                self.may_break(Break { hangs: true, space, ..FILL }, authors && !tight);
                self.row(Tag::Glued, operator, 0);
                if !tight {
                    self.space();
                }
            }
            self.tight = tight;
            self.part(*operand);
        }
        self.end();
    }

    /// Whether operators around it may stand without spaces: names, numbers, and operators of such.
    fn simple(&self, part: Part) -> bool {
        let Part::Node(id) = part else { return false };
        let node = self.tree.node(id);
        match node.tag {
            Tag::Atom => true,
            Tag::Glued => (node.first..node.end).all(|at| matches!(self.tok_of(at), Tok::Ident | Tok::Dot | Tok::Number)),
            Tag::Binary(_) => {
                let parts = self.tree.parts(id);
                matches!(parts.as_slice(), [left, Part::Tok(_), right] if self.simple(*left) && self.simple(*right))
            }
            _ => false,
        }
    }

    fn unary(&mut self, parts: &[Part]) {
        self.part(parts[0]);
        for part in &parts[1..] {
            // Two operators in a row must not become one.
            let next = self.tok_of(self.tree.first(*part));
            if next.is_operator() || next == Tok::Bang {
                self.space();
            }
            self.part(*part);
        }
    }

    fn lambda(&mut self, parts: &[Part]) {
        self.begin(BLOCK);
        let arrow = self.position(parts, Tok::Arrow).unwrap_or(parts.len() - 1);
        self.row(Tag::Lambda, &parts[..=arrow], 0);
        if let Some(body) = parts.get(arrow + 1) {
            let at = self.body(*body, FILL);
            self.lambda = Some(at as u32);
        }
        self.end();
    }

    /// `let`s in a row, and what they are for.
    fn lets(&mut self, id: u32) {
        let forced = self.forced;
        let begin = self.begin(ALIGNED);
        let (mut node, mut count) = (id, 0);
        loop {
            count += 1;
            let parts = self.tree.parts(node);
            let tag = self.tree.node(node).tag;
            let Some(equals) = self.position(&parts, Tok::Eq) else { break self.row(tag, &parts, 0) };
            self.begin(BLOCK);
            self.header(tag, &parts[..equals]);
            self.space();
            self.part(parts[equals]);
            self.body(parts[equals + 1], Break { when: When::After, ..FILL });
            self.end();
            let (Some(body), [.., before, _]) = (parts.last().copied(), parts.as_slice()) else { break };
            match body {
                Part::Node(next) if is_let(self.tree.tag(body)) => {
                    self.may_break(TOGETHER, true);
                    node = next;
                }
                _ => {
                    let within = self.tree.first(*before);
                    let authors = self.newline(within) || self.newline(self.tree.first(body));
                    self.may_break(TOGETHER, authors);
                    self.part(*before);
                    self.space();
                    self.begin(ALIGNED);
                    self.part(body);
                    self.end();
                    break;
                }
            }
        }
        self.forced += usize::from(count > 1);
        self.settle(begin, forced);
        self.end();
    }

    /// `if`, with all `else if` that follow.
    fn choice(&mut self, id: u32) {
        let forced = self.forced;
        let begin = self.begin(ALIGNED);
        let mut parts = self.tree.parts(id);
        loop {
            let (Some(then), Some(els)) = (self.position(&parts, Tok::Then), self.position(&parts, Tok::Else)) else {
                break self.row(Tag::If, &parts, 0);
            };
            self.row(Tag::If, &parts[..=then], 0);
            self.body(parts[then + 1], FILL);
            let authors = self.newline(self.tree.first(parts[els]));
            self.may_break(TOGETHER, authors);
            self.part(parts[els]);
            let Some(last) = parts.last().copied() else { break };
            match last {
                Part::Node(next) if self.tree.tag(last) == Some(Tag::If) => {
                    self.space();
                    parts = self.tree.parts(next);
                }
                _ => {
                    self.body(last, FILL);
                    break;
                }
            }
        }
        self.settle(begin, forced);
        self.end();
    }

    fn cases(&mut self, parts: &[Part]) {
        let forced = self.forced;
        let begin = self.begin(ALIGNED);
        let mut introduced = false;
        for part in parts {
            if self.is(*part, Tok::Case) {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(TOGETHER, authors);
            }
            if introduced {
                self.body(*part, FILL);
            } else {
                self.row(Tag::Match, &[*part], 0);
            }
            introduced = self.is(*part, Tok::Arrow);
        }
        self.settle(begin, forced);
        self.end();
    }

    fn repetition(&mut self, parts: &[Part]) {
        self.begin(ALIGNED);
        let mut after_equals = false;
        let until = self.position(parts, Tok::Do).unwrap_or(parts.len() - 1);
        for part in &parts[..=until] {
            if self.is(*part, Tok::For) || self.is(*part, Tok::While) {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(Break { offset: 4, ..FILL }, authors);
            }
            if after_equals {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(Break { offset: 4, blank: false, ..FILL }, authors);
            }
            after_equals = self.is(*part, Tok::Eq);
            self.row(Tag::Loop, &[*part], 0);
        }
        if let Some(body) = parts.get(until + 1) {
            self.body(*body, Break { when: When::After, ..FILL });
        }
        self.end();
    }

    fn attribute(&mut self, parts: &[Part]) {
        self.begin(ALIGNED);
        self.part(parts[0]);
        for part in &parts[1..] {
            let authors = self.newline(self.tree.first(*part));
            self.may_break(Break { offset: 0, ..FILL }, authors);
            self.part(*part);
        }
        self.end();
    }

    fn with(&mut self, parts: &[Part]) {
        self.begin(BLOCK);
        for part in parts {
            if self.is(*part, Tok::With) {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(FILL, authors);
            }
            self.row(Tag::With, &[*part], 0);
        }
        self.end();
    }

    fn arrow(&mut self, id: u32) {
        self.begin(BLOCK);
        let mut parts = self.tree.parts(id);
        loop {
            let Some(at) = self.position(&parts, Tok::Arrow) else { break self.row(Tag::Arrow, &parts, 0) };
            self.row(Tag::Arrow, &parts[..at], 0);
            let (arrow, to) = (parts[at], parts.get(at + 1).copied());
            let authors = self.newline(self.tree.first(arrow)) || to.is_some_and(|to| self.newline(self.tree.first(to)));
            self.may_break(Break { offset: 4, ..FILL }, authors);
            self.part(arrow);
            self.space();
            match to {
                Some(Part::Node(next)) if self.tree.node(next).tag == Tag::Arrow => parts = self.tree.parts(next),
                Some(to) => break self.part(to),
                None => break,
            }
        }
        self.end();
    }

    fn sum(&mut self, parts: &[Part]) {
        let forced = self.forced;
        let begin = self.begin(BLOCK);
        for part in parts {
            if self.is(*part, Tok::Pipe) {
                let authors = self.newline(self.tree.first(*part));
                self.may_break(Break { offset: 2, hangs: true, ..TOGETHER }, authors);
            }
            self.row(Tag::Sum, &[*part], 0);
        }
        self.settle(begin, forced);
        self.end();
    }

    /// Sizes between brackets, and the bounds of slices and ranges.
    fn sizes(&mut self, tag: Tag, parts: &[Part]) {
        for part in parts {
            self.tight = true;
            self.row(tag, &[*part], 0);
        }
        self.tight = false;
    }
}
