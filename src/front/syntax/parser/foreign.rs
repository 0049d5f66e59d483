//! Notation of other languages: it is refused in any case, and the report says what is written instead.

use super::{Parser, closer_of, is_closer};
use crate::front::syntax::error::{ErrorKind, Foreign, Meant};
use crate::front::syntax::lexer::Tok;
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
            Tok::Eq if self.named_argument() => Some(Meant::NamedArgument),
            Tok::Eq => Some(Meant::Equality),
            Tok::Question => Some(Meant::Choice),
            Tok::For => Some(Meant::Comprehension),
            _ => None,
        }
    }

    /// Whether the `=` here stands behind a name that begins an element of a bracket.
    fn named_argument(&self) -> bool {
        let before = |count: usize| self.pos.checked_sub(count).and_then(|at| self.tokens.get(at)).map(|token| token.tok);
        let first = before(2) == Some(Tok::LParen) && before(3) == Some(Tok::Ident);
        before(1) == Some(Tok::Ident) && (first || before(2) == Some(Tok::Comma))
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
