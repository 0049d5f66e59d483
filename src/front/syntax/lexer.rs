//! Source text to tokens.
//!
//! Tokens are kinds with byte ranges; their text is looked up in the source. Comments are dropped, except that a
//! documentation comment (`-- |` and the comment lines that follow it) is attached to the next token. The last token is
//! always [`Tok::Eof`], so that looking at the current token never fails.

use super::error::{Error, ErrorKind};
use super::report::report;
use crate::base::{FileId, Span, Symbol};
use crate::diag::Diagnostic;
use logos::Logos;

/// The kind of a token.
#[derive(Logos, Debug, Clone, Copy, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0B\x0C]+")]
#[logos(skip "\u{FEFF}")]
#[allow(missing_docs)]
pub enum Tok {
    #[regex(r"[a-zA-Z][a-zA-Z0-9_']*|_[a-zA-Z0-9][a-zA-Z0-9_']*")]
    Ident,
    #[token("_")]
    Under,
    /// A number, possibly malformed: anything that starts with a digit.
    #[regex(r"[0-9][0-9_]*(\.[0-9][0-9_]*)?([eE][+\-]?[0-9][0-9_]*)?[a-zA-Z0-9_]*")]
    #[regex(r"0[xX][0-9a-fA-F][0-9a-fA-F_]*\.[0-9a-fA-F][0-9a-fA-F_]*([pP][+\-]?[0-9][0-9_]*)?[a-zA-Z0-9_]*", priority = 50)]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Str,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
    UnclosedStr,
    #[regex(r"'([^'\\\n]|\\[^0-9\n]|\\[0-9]+)'")]
    Char,
    #[regex(r"#[a-zA-Z][a-zA-Z0-9_']*|#_[a-zA-Z0-9][a-zA-Z0-9_']*")]
    Constr,
    #[regex(r"--[^\n]*", priority = 100, allow_greedy = true)]
    Comment,
    /// A comment of another language, reported as such.
    #[regex(r"#[ \t#!][^\n]*", allow_greedy = true)]
    ForeignComment,

    #[token("assert")]
    Assert,
    #[token("case")]
    Case,
    #[token("def")]
    Def,
    #[token("do")]
    Do,
    #[token("else")]
    Else,
    #[token("entry")]
    Entry,
    #[token("false")]
    False,
    #[token("for")]
    For,
    #[token("if")]
    If,
    #[token("import")]
    Import,
    #[token("in")]
    In,
    #[token("include")]
    Include,
    #[token("let")]
    Let,
    #[token("local")]
    Local,
    #[token("loop")]
    Loop,
    #[token("match")]
    Match,
    #[token("module")]
    Module,
    #[token("open")]
    Open,
    #[token("then")]
    Then,
    #[token("true")]
    True,
    #[token("type")]
    Type,
    #[token("val")]
    Val,
    #[token("while")]
    While,
    #[token("with")]
    With,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("#[")]
    AttrOpen,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("..<")]
    DotDotLt,
    #[token("..>")]
    DotDotGt,
    #[token("...")]
    DotDotDot,
    #[token(":")]
    Colon,
    #[token(":>")]
    ColonGt,
    #[token("'")]
    Quote,
    #[token("`")]
    Backtick,
    #[token("\\")]
    Backslash,
    #[token("?")]
    Question,
    #[token("???")]
    Hole,
    #[token("~")]
    Tilde,
    #[token("->", priority = 20)]
    Arrow,
    #[token("=", priority = 20)]
    Eq,
    #[token("-", priority = 20)]
    Minus,
    #[token("!", priority = 20)]
    Bang,
    #[token("*", priority = 20)]
    Star,
    #[token("|", priority = 20)]
    Pipe,
    #[token("^", priority = 20)]
    Caret,
    #[token("<", priority = 20)]
    Lt,
    /// Any other operator.
    #[regex(r"[+\-*/%=!><|&^][+\-*/%=!><|&^.]*", priority = 3)]
    Op,

    /// Text that is no token; reported already.
    Bad,
    /// The end of the file.
    Eof,
}

impl Tok {
    /// Whether it can stand between two operands (`!` and backticks not counted).
    pub fn is_operator(self) -> bool {
        matches!(self, Tok::Minus | Tok::Star | Tok::Pipe | Tok::Caret | Tok::Lt | Tok::Op)
    }
    /// Whether it always starts a declaration.
    pub fn starts_decl(self) -> bool {
        matches!(
            self,
            Tok::Def | Tok::Entry | Tok::Type | Tok::Val | Tok::Import | Tok::Local | Tok::Module | Tok::Open | Tok::Include | Tok::Eof
        )
    }
}

/// A token: its kind and its bytes.
#[derive(Debug, Clone, Copy)]
pub struct Token {
    /// The kind.
    pub tok: Tok,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The tokens of a file.
#[derive(Debug)]
pub struct Lexed {
    /// All tokens; the last is [`Tok::Eof`].
    pub tokens: Vec<Token>,
    /// Documentation comments: the index of the token they stand before, and their text without markers.
    pub docs: Vec<(usize, Symbol)>,
    /// What is wrong on this level.
    pub(super) errors: Vec<Error>,
}

impl Lexed {
    /// What is wrong on this level, for the text of the file.
    pub fn diagnostics(&self, text: &str) -> Vec<Diagnostic> {
        self.errors.iter().map(|error| report(error, text)).collect()
    }
}

/// Splits a text into tokens.
pub fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexed = Lexed { tokens: Vec::with_capacity(text.len() / 4 + 1), docs: Vec::new(), errors: Vec::new() };
    let mut doc = DocCollector::default();
    let mut lexer = Tok::lexer(text);
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        let tok = match token {
            Ok(Tok::Comment) => {
                doc.comment(lexer.slice(), text, range.start);
                continue;
            }
            Ok(tok) => tok,
            Err(()) => Tok::Bad,
        };
        let tok = if tok == Tok::ForeignComment { Tok::Bad } else { tok };
        if let Some(text) = doc.finish() {
            lexed.docs.push((lexed.tokens.len(), text));
        }
        match tok {
            Tok::Bad => bad_text(&mut lexed, range),
            _ => lexed.tokens.push(Token { tok, start: range.start as u32, end: range.end as u32 }),
        }
    }
    lexed.tokens.push(Token { tok: Tok::Eof, start: text.len() as u32, end: text.len() as u32 });
    report_bad(&mut lexed, file, text);
    lexed
}

/// Adds bytes that are no token, joined with such bytes just before.
fn bad_text(lexed: &mut Lexed, range: std::ops::Range<usize>) {
    match lexed.tokens.last_mut() {
        Some(last) if last.tok == Tok::Bad && last.end as usize == range.start => last.end = range.end as u32,
        _ => lexed.tokens.push(Token { tok: Tok::Bad, start: range.start as u32, end: range.end as u32 }),
    }
}

/// Reports all text that is no token. The parser never sees it: it is removed, so that one stray character is one error.
fn report_bad(lexed: &mut Lexed, file: FileId, text: &str) {
    if lexed.tokens.iter().all(|t| t.tok != Tok::Bad) {
        return;
    }
    let mut index = 0;
    let mut removed = 0;
    let mut docs = lexed.docs.iter_mut().peekable();
    let errors = &mut lexed.errors;
    lexed.tokens.retain(|token| {
        while let Some(doc) = docs.next_if(|d| d.0 == index) {
            doc.0 -= removed;
        }
        index += 1;
        if token.tok != Tok::Bad {
            return true;
        }
        removed += 1;
        let found = &text[token.start as usize..token.end as usize];
        // The place of a comment is its sign.
        errors.push(match found.starts_with('#') && found.chars().count() > 1 {
            true => Error { at: Span::between(file, token.start, token.start + 1), kind: ErrorKind::ForeignComment },
            false => Error { at: Span::between(file, token.start, token.end), kind: ErrorKind::UnknownCharacters },
        });
        false
    });
}

/// Puts the lines of a documentation comment together.
#[derive(Default)]
struct DocCollector {
    lines: Option<Vec<String>>,
    end: usize,
}

impl DocCollector {
    fn comment(&mut self, comment: &str, text: &str, start: usize) {
        let body = &comment[2..];
        let adjacent = text.get(self.end..start).is_some_and(|gap| gap.bytes().filter(|b| *b == b'\n').count() <= 1);
        if let Some(first) = body.strip_prefix(" |") {
            self.lines = Some(vec![first.trim().to_string()]);
        } else if let Some(lines) = &mut self.lines
            && adjacent
        {
            lines.push(body.strip_prefix(' ').unwrap_or(body).trim_end().to_string());
        } else {
            self.lines = None;
        }
        self.end = start + comment.len();
    }
    fn finish(&mut self) -> Option<Symbol> {
        self.lines.take().map(|lines| Symbol::new(lines.join("\n").trim()))
    }
}
