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

use super::lexer::{Lexed, Tok, Token, lex};
use crate::base::{Code, FileId, Span, Symbol};
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
    diagnostics: Vec<Diagnostic>,
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
    pub(super) fn new(ast: &'a mut Ast, file: FileId, text: &'a str) -> Parser<'a> {
        let Lexed { tokens, docs, diagnostics } = lex(file, text);
        Parser { ast, file, text, tokens, docs, next_doc: 0, pos: 0, reach: 0, complained: None, open: Brackets::default(), diagnostics }
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
            self.expected("the end of the expression");
        }
        (expr, self.finish())
    }

    /// All diagnostics in order of place.
    fn finish(self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|d| d.labels.first().map_or(0, |l| l.span.start));
        diagnostics
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
    fn expect(&mut self, tok: Tok, what: &str) -> bool {
        let found = self.eat(tok);
        if !found {
            self.expected(what);
        }
        found
    }
    fn ident_of(&self, token: Token) -> Ident {
        Ident { name: Symbol::new(self.slice(token)), span: Span::between(self.file, token.start, token.end) }
    }
    /// Consumes an identifier, or complains and returns a name that nobody can write.
    fn ident(&mut self, what: &str) -> Ident {
        if self.at(Tok::Ident) {
            let token = self.bump();
            return self.ident_of(token);
        }
        self.expected(what);
        Ident { name: Symbol::new("?"), span: self.missing_span() }
    }
    /// The place of something that is missing here.
    fn missing_span(&mut self) -> Span {
        let start = self.start();
        self.reach = self.reach.max(start);
        Span::between(self.file, start, start)
    }

    // Complaining.

    /// What the current token is called in messages.
    fn found(&self) -> String {
        let token = self.token(0);
        match token.tok {
            Tok::Eof => "the end of the file".to_string(),
            Tok::UnclosedStr => "a string that is not closed".to_string(),
            _ => {
                let text = self.slice(token);
                let shown: String = text.chars().take(30).collect();
                if shown.len() < text.len() { format!("`{shown}..`") } else { format!("`{shown}`") }
            }
        }
    }
    /// Reports "expected .., found .." unless this token was complained about already.
    fn expected(&mut self, what: &str) {
        self.expected_with(what, None);
    }
    /// The same with what may have been meant.
    fn expected_with(&mut self, what: &str, meant: Option<&str>) {
        let message = format!("expected {what}, found {}", self.found());
        let diagnostic = Diagnostic::error(Code::Unexpected, self.span_here(), message).here(format!("expected {what}"));
        let diagnostic = match self.tok() {
            Tok::Op if self.slice(self.token(0)).starts_with('=') => {
                diagnostic.help("symbols written together are one operator: put a space after `=`")
            }
            Tok::UnclosedStr => Diagnostic::error(Code::UnclosedString, self.span_here(), "the string is not closed")
                .here("starts here")
                .help("close it with `\"` on the same line"),
            Tok::Ident | Tok::Eof => diagnostic,
            _ if what.contains("name") && self.slice(self.token(0)).starts_with(|c: char| c.is_ascii_lowercase()) => {
                diagnostic.help(format!("`{}` is a keyword", self.slice(self.token(0))))
            }
            _ => diagnostic,
        };
        self.complain(with_help(diagnostic, meant));
    }
    /// Reports an error about the current token unless it was complained about already.
    fn complain(&mut self, diagnostic: Diagnostic) {
        if self.complained != Some(self.pos) {
            self.complained = Some(self.pos);
            self.diagnostics.push(diagnostic);
        }
    }
    /// Reports an error about something that was understood.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
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
    fn close(&mut self, opening: Opening, what: &str) {
        if !self.at(opening.closer) {
            self.missing_closer(opening, what);
            self.skip_until(|tok| tok == opening.closer);
            self.complained = Some(self.pos);
        }
        self.open.pop();
        self.eat(opening.closer);
    }
    fn missing_closer(&mut self, opening: Opening, what: &str) {
        let closer = closer_text(opening.closer);
        let diagnostic = if self.at_decl() || is_closer(self.tok()) {
            Diagnostic::error(
                Code::UnmatchedBracket,
                self.span_here(),
                format!("a bracket is not closed: expected {closer}, found {}", self.found()),
            )
            .here(format!("expected {closer}"))
            .label(opening.span, "opened here")
        } else if self.at(Tok::UnclosedStr) {
            return self.expected(closer);
        } else {
            Diagnostic::error(Code::Unexpected, self.span_here(), format!("expected {what} or {closer}, found {}", self.found()))
                .here(format!("expected {what} or {closer}"))
                .label(opening.span, "in the bracket opened here")
        };
        self.complain(with_help(diagnostic, self.meant_in_bracket()));
    }
    /// Parses `item, item, ..` up to the closing bracket, which is not consumed. A comma may stand before the bracket.
    fn comma_list<T>(&mut self, opening: Opening, items: &mut Vec<T>, mut item: impl FnMut(&mut Self) -> T) {
        while !self.at(opening.closer) {
            let before = self.pos;
            items.push(item(self));
            if self.eat(Tok::Comma) || self.at(opening.closer) {
                continue;
            }
            self.missing_closer(opening, "`,`");
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

fn with_help(diagnostic: Diagnostic, help: Option<&str>) -> Diagnostic {
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
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

fn closer_text(tok: Tok) -> &'static str {
    match tok {
        Tok::RParen => "`)`",
        Tok::RBracket => "`]`",
        _ => "`}`",
    }
}
