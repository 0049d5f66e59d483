//! A parser by recursive descent that recovers.
//!
//! Every function consumes what it understands and returns a node; none fails. An error is reported once per token (a second complaint about the
//! same token is dropped), the node becomes an error node, and the nearest enclosing construct that knows where it ends
//! (a bracket, a binding, a declaration) skips to there.
//!
//! Spans: a node ends at [`Parser::reach`], the end of all that was consumed, so that children lie inside their parents
//! even where tokens are missing.

mod atom;
mod decl;
mod expr;
mod foreign;
mod module;
mod pat;
mod types;

use super::error::{Error, ErrorKind, Meant, Wanted};
use super::lexer::{Lexed, Tok, Token, lex};
use super::report::report;
use crate::base::{FileId, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::surface::{Ast, Expr, ExprId, ExprKind, Ident, Pat, PatId, PatKind, SourceUnit, TypeExpr, TypeId, TypeKind};

/// The state of parsing one file.
pub(super) struct Parser<'a> {
    ast: &'a mut Ast,
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    docs: Vec<(usize, Symbol)>,
    next_doc: usize,
    pos: usize,
    /// The end of everything consumed so far.
    reach: u32,
    /// Token of the last error; one complaint per token.
    complained: Option<usize>,
    /// The open brackets around the current token: how each would be closed.
    open: Brackets,
    errors: Vec<Error>,
    /// Whether numbers that do not fit into their types wrap around, with a warning, as in `.fut` files.
    wraps: bool,
}

/// A stack of brackets that are open, by the tokens that close them.
#[derive(Default)]
struct Brackets {
    stack: Vec<Tok>,
    /// How many there are of each kind, so that asking costs nothing.
    counts: [usize; 3],
}

impl Brackets {
    fn slot(tok: Tok) -> usize {
        match tok {
            Tok::RParen => 0,
            Tok::RBracket => 1,
            _ => 2,
        }
    }
    fn has(&self, closer: Tok) -> bool {
        self.counts[Brackets::slot(closer)] > 0
    }
    fn push(&mut self, closer: Tok) {
        self.counts[Brackets::slot(closer)] += 1;
        self.stack.push(closer);
    }
    fn pop(&mut self) -> Option<Tok> {
        let closer = self.stack.pop()?;
        self.counts[Brackets::slot(closer)] -= 1;
        Some(closer)
    }
    /// Closes the innermost bracket that `closer` closes, and all inside it; false where there is none.
    fn pop_to(&mut self, closer: Tok) -> bool {
        let found = self.has(closer);
        while found && self.pop() != Some(closer) {}
        found
    }
}

/// An opening bracket.
#[derive(Clone, Copy)]
struct Opening {
    span: Span,
    closer: Tok,
}

impl<'a> Parser<'a> {
    pub(super) fn new(ast: &'a mut Ast, file: FileId, text: &'a str, wraps: bool) -> Parser<'a> {
        let Lexed { tokens, docs, errors } = lex(file, text);
        Parser { ast, file, text, tokens, docs, next_doc: 0, pos: 0, reach: 0, complained: None, open: Brackets::default(), errors, wraps }
    }

    /// Parses the whole file.
    pub(super) fn file(mut self) -> (SourceUnit, Vec<Diagnostic>) {
        let decls = self.decls();
        (SourceUnit { file: self.file, decls }, self.finish())
    }

    /// Parses one expression and expects the end.
    pub(super) fn only_expr(mut self) -> (ExprId, Vec<Diagnostic>) {
        let expr = self.exp();
        if !self.at(Tok::Eof) {
            self.expected(Wanted::EndOfExpression);
        }
        (expr, self.finish())
    }

    /// All errors in words, in order of place.
    fn finish(self) -> Vec<Diagnostic> {
        let mut errors = self.errors;
        errors.sort_by_key(|error| error.at.start);
        errors.iter().map(|error| report(error, self.text)).collect()
    }

    // Looking at tokens.

    fn tok(&self) -> Tok {
        self.tokens[self.pos].tok
    }
    fn token(&self, ahead: usize) -> Token {
        self.tokens[(self.pos + ahead).min(self.tokens.len() - 1)]
    }
    fn nth(&self, ahead: usize) -> Tok {
        self.token(ahead).tok
    }
    fn at(&self, tok: Tok) -> bool {
        self.tok() == tok
    }
    fn start(&self) -> u32 {
        self.tokens[self.pos].start
    }
    /// Whether the token `ahead` begins right where the one before it ends.
    fn adjacent(&self, ahead: usize) -> bool {
        let at = self.pos + ahead;
        at > 0 && at < self.tokens.len() && self.tokens[at].start == self.tokens[at - 1].end
    }
    fn span_here(&self) -> Span {
        let token = self.token(0);
        Span::between(self.file, token.start, token.end)
    }
    fn span_from(&self, start: u32) -> Span {
        Span::between(self.file, start, self.reach.max(start))
    }
    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }
    /// Whether the token is at the beginning of a line: there a `let` starts a declaration when recovering.
    fn at_line_start(&self, token: Token) -> bool {
        token.start == 0 || self.text.as_bytes().get(token.start as usize - 1) == Some(&b'\n')
    }
    /// Whether recovery stops here at the latest.
    fn at_decl(&self) -> bool {
        self.decl_at(0)
    }
    fn decl_at(&self, ahead: usize) -> bool {
        let token = self.token(ahead);
        token.tok.starts_decl() || (matches!(token.tok, Tok::Let | Tok::AttrOpen) && self.at_line_start(token))
    }

    // Consuming tokens.

    fn bump(&mut self) -> Token {
        let token = self.tokens[self.pos];
        if token.tok != Tok::Eof {
            self.pos += 1;
            self.reach = self.reach.max(token.end);
        }
        token
    }
    fn eat(&mut self, tok: Tok) -> bool {
        let found = self.at(tok);
        if found {
            self.bump();
        }
        found
    }
    /// Consumes `tok` or complains that it is missing.
    fn expect(&mut self, tok: Tok) -> bool {
        self.expect_as(tok, Wanted::Token(tok))
    }
    /// `expect`, where the complaint is about more than the token.
    fn expect_as(&mut self, tok: Tok, wanted: Wanted) -> bool {
        let found = self.eat(tok);
        if !found {
            self.expected(wanted);
        }
        found
    }
    fn ident_of(&self, token: Token) -> Ident {
        Ident { name: Symbol::new(self.slice(token)), span: Span::between(self.file, token.start, token.end) }
    }
    /// Consumes an identifier, or complains and returns a name that nobody can write.
    fn ident(&mut self, wanted: Wanted) -> Ident {
        if self.at(Tok::Ident) {
            let token = self.bump();
            return self.ident_of(token);
        }
        self.expected(wanted);
        Ident::missing(self.missing_span())
    }
    /// The place of something that is missing here.
    fn missing_span(&mut self) -> Span {
        let start = self.start();
        self.reach = self.reach.max(start);
        Span::between(self.file, start, start)
    }

    // Complaining.

    /// Reports that something else was expected than the current token, unless that was complained about already.
    fn expected(&mut self, wanted: Wanted) {
        self.expected_with(wanted, None);
    }
    /// `expected` with what may have been meant.
    fn expected_with(&mut self, wanted: Wanted, meant: Option<Meant>) {
        self.complain(ErrorKind::Expected { wanted, found: self.tok(), meant });
    }
    /// Reports an error about the current token unless it was complained about already.
    fn complain(&mut self, kind: ErrorKind) {
        self.complain_at(self.span_here(), kind);
    }
    /// Reports an error that was noticed at the current token unless that was complained about already.
    fn complain_at(&mut self, at: Span, kind: ErrorKind) {
        if self.complained != Some(self.pos) {
            self.complained = Some(self.pos);
            self.report(at, kind);
        }
    }
    /// Reports an error about something that was understood.
    fn report(&mut self, at: Span, kind: ErrorKind) {
        self.errors.push(Error { at, kind });
    }

    // Recovering.

    /// Skips to a token for which `stop` holds, to the end of the innermost bracket, or to the next declaration. Brackets
    /// opened on the way are skipped as a whole.
    fn skip_until(&mut self, stop: impl Fn(Tok) -> bool) {
        let mut inner = Brackets::default();
        loop {
            let tok = self.tok();
            if self.at_decl() || (inner.stack.is_empty() && stop(tok)) {
                return;
            }
            if let Some(closer) = closer_of(tok) {
                inner.push(closer);
            } else if is_closer(tok) && !inner.pop_to(tok) && self.open.has(tok) {
                return;
            }
            self.bump();
        }
    }

    /// Consumes an opening bracket.
    fn open(&mut self) -> Opening {
        let span = self.span_here();
        let closer = closer_of(self.tok()).unwrap_or(Tok::Eof);
        self.bump();
        self.open.push(closer);
        Opening { span, closer }
    }
    /// Consumes the closing bracket; where it is missing, complains with the place of the opening one and skips to it.
    fn close(&mut self, opening: Opening, wanted: Wanted) {
        if !self.at(opening.closer) {
            self.missing_closer(opening, wanted);
            self.skip_until(|tok| tok == opening.closer);
            self.complained = Some(self.pos);
        }
        self.open.pop();
        self.eat(opening.closer);
    }
    fn missing_closer(&mut self, opening: Opening, wanted: Wanted) {
        let Opening { span: opened, closer } = opening;
        let (found, meant) = (self.tok(), self.meant_in_bracket());
        self.complain(if self.at_decl() || is_closer(found) {
            ErrorKind::UnclosedBracket { closer, found, opened, meant }
        } else if found == Tok::UnclosedStr {
            ErrorKind::Expected { wanted: Wanted::Token(closer), found, meant: None }
        } else {
            ErrorKind::InBracket { wanted, closer, found, opened, meant }
        });
    }
    /// Parses `item, item, ..` up to the closing bracket, which is not consumed. A comma may stand before the bracket.
    fn comma_list<T>(&mut self, opening: Opening, items: &mut Vec<T>, mut item: impl FnMut(&mut Self) -> T) {
        while !self.at(opening.closer) {
            let before = self.pos;
            items.push(item(self));
            if self.eat(Tok::Comma) || self.at(opening.closer) {
                continue;
            }
            self.missing_closer(opening, Wanted::Token(Tok::Comma));
            self.skip_until(|tok| tok == Tok::Comma || tok == opening.closer);
            if !self.eat(Tok::Comma) || self.pos == before {
                self.complained = Some(self.pos);
                return;
            }
        }
    }

    // Making nodes.

    fn expr(&mut self, kind: ExprKind, start: u32) -> ExprId {
        let span = self.span_from(start);
        self.ast.exprs.alloc(Expr { kind, span })
    }
    fn pat(&mut self, kind: PatKind, start: u32) -> PatId {
        let span = self.span_from(start);
        self.ast.pats.alloc(Pat { kind, span })
    }
    fn ty(&mut self, kind: TypeKind, start: u32) -> TypeId {
        let span = self.span_from(start);
        self.ast.types.alloc(TypeExpr { kind, span })
    }
    fn name_expr(&mut self, ident: Ident) -> ExprId {
        self.ast.exprs.alloc(Expr { kind: ExprKind::Name(ident.name), span: ident.span })
    }
    fn name_pat(&mut self, ident: Ident) -> PatId {
        self.ast.pats.alloc(Pat { kind: PatKind::Name(ident.name), span: ident.span })
    }
    fn missing_expr(&mut self) -> ExprId {
        let span = self.missing_span();
        self.ast.exprs.alloc(Expr { kind: ExprKind::Error, span })
    }
    fn expr_start(&self, expr: ExprId) -> u32 {
        self.ast.exprs[expr].span.start
    }
}

fn closer_of(tok: Tok) -> Option<Tok> {
    match tok {
        Tok::LParen => Some(Tok::RParen),
        Tok::LBracket | Tok::AttrOpen => Some(Tok::RBracket),
        Tok::LBrace => Some(Tok::RBrace),
        _ => None,
    }
}

fn is_closer(tok: Tok) -> bool {
    matches!(tok, Tok::RParen | Tok::RBracket | Tok::RBrace)
}
