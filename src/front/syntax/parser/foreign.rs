//! Notation of other languages: it is refused in any case, and the report says what is written instead.

use super::{Parser, closer_of, is_closer};
use crate::front::syntax::error::{ErrorKind, Foreign, Meant};
use crate::front::syntax::lexer::{Tok, Token};
use crate::ir::surface::{ExprId, ExprKind};

/// How many tokens are looked at for what another language would have there.
const REACH: usize = 256;

impl Parser<'_> {
    /// Reports what begins at the current token and skips the rest of the declaration, or of the bracket around it: nothing that could be
    /// said of that would be of use.
    fn foreign(&mut self, foreign: Foreign) -> ExprId {
        let start = self.start();
        self.complain(ErrorKind::Foreign(foreign));
        self.skip_until(|_| false);
        self.complained = Some(self.pos);
        self.expr(ExprKind::Error, start)
    }

    /// `for` and `while` where an expression is expected.
    pub(super) fn foreign_loop(&mut self) -> Option<ExprId> {
        match self.tok() {
            Tok::For => Some(self.foreign(Foreign::For)),
            Tok::While => Some(self.foreign(Foreign::While)),
            _ => None,
        }
    }

    /// `a if c else b`, at the `if`.
    pub(super) fn choice_behind(&mut self) -> Option<ExprId> {
        (self.at(Tok::If) && self.first_of(1, &[Tok::Then, Tok::Else]) == Some(Tok::Else)).then(|| self.foreign(Foreign::ChoiceBehind))
    }

    /// `if c: a else: b`, at the `if`.
    pub(super) fn choice_with_colons(&mut self) -> Option<ExprId> {
        let colon = self.first_of(1, &[Tok::Then, Tok::Else, Tok::Colon]) == Some(Tok::Colon);
        // Of what is too far away nothing is known.
        let missing = self.first_within(1, &[Tok::Then, Tok::Else]).is_some_and(|found| found != Some(Tok::Then));
        (colon && missing).then(|| self.foreign(Foreign::ChoiceWithColons))
    }

    /// What may have been meant by the token at which a declaration should end.
    pub(super) fn meant_at_end(&self) -> Option<Meant> {
        self.meant_in_bracket().or(match self.tok() {
            Tok::In => Some(Meant::Membership),
            Tok::Arrow => Some(Meant::Lambda),
            _ => None,
        })
    }

    /// What may have been meant by the token at which an element or a bracket should end.
    pub(super) fn meant_in_bracket(&self) -> Option<Meant> {
        match self.tok() {
            Tok::Eq if self.statement() => Some(Meant::Binding),
            Tok::Eq if self.named_argument() => Some(Meant::NamedArgument),
            Tok::Eq => Some(Meant::Equality),
            Tok::Question => Some(Meant::Choice),
            Tok::For => Some(Meant::Comprehension),
            _ => None,
        }
    }

    /// The token so many before the current one.
    fn before(&self, count: usize) -> Option<Token> {
        self.pos.checked_sub(count).and_then(|at| self.tokens.get(at)).copied()
    }

    /// Whether the `=` here stands behind a name that begins a line.
    fn statement(&self) -> bool {
        self.before(1).is_some_and(|name| name.tok == Tok::Ident && self.is_first_of_line(name)) && self.open.stack.is_empty()
    }

    /// Whether the `=` here stands behind a name that begins an element of a bracket, or that is an argument without spaces around `=`.
    fn named_argument(&self) -> bool {
        let before = |count: usize| self.before(count).map(|token| token.tok);
        let first = before(2) == Some(Tok::LParen) && before(3) == Some(Tok::Ident);
        let glued = self.adjacent(0) && self.adjacent(1) && before(2).is_some_and(ends_operand);
        before(1) == Some(Tok::Ident) && (first || glued || before(2) == Some(Tok::Comma))
    }

    /// Where the result of bindings probably begins, if `in` is missing before it: the first token of a line that is indented no more than
    /// the `let` at this place and could not continue the line before.
    pub(super) fn result_of_let(&self, start: u32) -> Option<usize> {
        let most = self.column(start);
        let first = self.tokens[..self.pos].partition_point(|token| token.start <= start);
        // Nothing is looked for where it would not be reported.
        let last = if self.complained == Some(self.pos) { first } else { self.pos.min(first + 16 * REACH) };
        (first.max(1)..last).find(|at| {
            let token = self.tokens[*at];
            let continues = token.tok.is_operator() || is_closer(token.tok) || token.tok == Tok::Dot;
            self.is_first_of_line(token) && self.column(token.start) <= most && ends_operand(self.tokens[at - 1].tok) && !continues
        })
    }

    /// How many bytes stand before this place in its line.
    fn column(&self, at: u32) -> usize {
        self.text[..at as usize].bytes().rev().take_while(|byte| *byte != b'\n').count()
    }

    /// Whether nothing but spaces stands before the token in its line.
    fn is_first_of_line(&self, token: Token) -> bool {
        self.text[..token.start as usize].bytes().rev().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| byte == b'\n')
    }

    /// Whether the token at this place is the last one of its line.
    pub(super) fn ends_line(&self, end: u32) -> bool {
        self.text[end as usize..].bytes().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r')).is_none_or(|byte| byte == b'\n')
    }

    /// What may have been meant where the `=` of a definition should stand. `typed` says that a result type was read.
    pub(super) fn meant_for_equals(&self, typed: bool) -> Option<Meant> {
        match self.tok() {
            Tok::Arrow => Some(Meant::ResultType),
            Tok::LBrace => Some(Meant::Body),
            tok if tok.is_operator() && self.slice(self.token(0)).ends_with('=') => Some(Meant::Assignment),
            _ if typed => Some(Meant::Parameters),
            _ => None,
        }
    }

    /// The first of these tokens at this nesting of brackets, from the token `ahead`, before the declaration or the bracket ends.
    fn first_of(&self, ahead: usize, wanted: &[Tok]) -> Option<Tok> {
        self.first_within(ahead, wanted).flatten()
    }
    /// `first_of`; `None` where all that is looked at is neither one of them nor the end.
    fn first_within(&self, ahead: usize, wanted: &[Tok]) -> Option<Option<Tok>> {
        let mut depth = 0usize;
        for at in ahead..=REACH {
            let tok = self.nth(at);
            if tok == Tok::Eof || self.decl_at(at) {
                return Some(None);
            }
            if depth == 0 && wanted.contains(&tok) {
                return Some(Some(tok));
            }
            if closer_of(tok).is_some() {
                depth += 1;
            } else if is_closer(tok) {
                match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Some(None),
                }
            }
        }
        None
    }
}

/// Whether an operand can end with this token.
fn ends_operand(tok: Tok) -> bool {
    matches!(tok, Tok::Ident | Tok::Number | Tok::Str | Tok::Char | Tok::Constr | Tok::True | Tok::False | Tok::Hole) || is_closer(tok)
}
