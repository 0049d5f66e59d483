//! Notation of other languages: it is refused in any case, and the message says what is written instead.

use super::{Parser, closer_of, is_closer};
use crate::base::Code;
use crate::diag::Diagnostic;
use crate::front::syntax::lexer::Tok;
use crate::ir::surface::{ExprId, ExprKind};

/// How many tokens are looked at for what another language would have there.
const REACH: usize = 256;

const CHOICE: &str = "a choice is written `if c then a else b`";

impl Parser<'_> {
    /// Reports what begins at the current token and skips the rest of the declaration, or of the bracket around it: nothing that could be
    /// said of that would be of use.
    fn foreign(&mut self, message: &str, help: &str) -> ExprId {
        let start = self.start();
        self.complain(Diagnostic::error(Code::Unexpected, self.span_here(), message).here("not understood").help(help));
        self.skip_until(|_| false);
        self.complained = Some(self.pos);
        self.expr(ExprKind::Error, start)
    }

    /// `for` and `while` where an expression is expected.
    pub(super) fn foreign_loop(&mut self) -> Option<ExprId> {
        match self.tok() {
            Tok::For => Some(self.foreign(
                "expected an expression, found `for`",
                "a loop has a value that it starts with: `loop x = start for i < n do ..`; an array of results is `map (\\i -> ..) (0..<n)`",
            )),
            Tok::While => Some(self.foreign(
                "expected an expression, found `while`",
                "a loop has a value that it starts with: `loop x = start while c do ..`",
            )),
            _ => None,
        }
    }

    /// `a if c else b`, at the `if`.
    pub(super) fn choice_behind(&mut self) -> Option<ExprId> {
        (self.at(Tok::If) && self.first_of(1, &[Tok::Then, Tok::Else]) == Some(Tok::Else))
            .then(|| self.foreign("a choice does not stand behind its first value", CHOICE))
    }

    /// `if c: a else: b`, at the `if`.
    pub(super) fn choice_with_colons(&mut self) -> Option<ExprId> {
        let colon = self.first_of(1, &[Tok::Then, Tok::Else, Tok::Colon]) == Some(Tok::Colon);
        (colon && self.first_of(1, &[Tok::Then, Tok::Else]) != Some(Tok::Then))
            .then(|| self.foreign("expected `then` after the condition", CHOICE))
    }

    /// What may have been meant by the token at which a declaration should end.
    pub(super) fn meant_at_end(&self) -> Option<&'static str> {
        self.meant_in_bracket().or(match self.tok() {
            Tok::In => Some("`in` belongs to `let`; whether x is an element of xs is `any (== x) xs`"),
            Tok::Arrow => Some("a function is written `\\x -> e`"),
            _ => None,
        })
    }

    /// What may have been meant by the token at which an element or a bracket should end.
    pub(super) fn meant_in_bracket(&self) -> Option<&'static str> {
        match self.tok() {
            Tok::Eq => Some("equality is written `==`; an array with another element is `a with [i] = v`"),
            Tok::Question => Some(CHOICE),
            Tok::For => Some("an array of results is `map (\\x -> e) xs`; `filter (\\x -> c) xs` has the elements for which c holds"),
            _ => None,
        }
    }

    /// What may have been meant where the `=` of a definition should stand. `typed` says that a result type was read.
    pub(super) fn meant_for_equals(&self, typed: bool) -> Option<&'static str> {
        match self.tok() {
            Tok::Arrow => Some("the type of the result follows a colon: `def f (x: t) : t = ..`"),
            Tok::LBrace => Some("the body of a definition follows `=`: `def f x = ..`"),
            _ if typed => Some("parameters stand side by side and the body follows `=`: `def f x y = ..`"),
            _ => None,
        }
    }

    /// The first of these tokens at this nesting of brackets, from the token `ahead`, before the declaration or the bracket ends.
    fn first_of(&self, ahead: usize, wanted: &[Tok]) -> Option<Tok> {
        let (mut at, mut depth) = (ahead, 0usize);
        loop {
            let tok = self.nth(at);
            if tok == Tok::Eof || at > REACH || self.decl_at(at) {
                return None;
            }
            if depth == 0 && wanted.contains(&tok) {
                return Some(tok);
            }
            if closer_of(tok).is_some() {
                depth += 1;
            } else if is_closer(tok) {
                depth = depth.checked_sub(1)?;
            }
            at += 1;
        }
    }
}
