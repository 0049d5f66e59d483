//! Text to trees of brackets: the words of a script, grouped by its brackets into statements. What a name is (array, function, operator)
//! is not known here.

use super::error::{Error, ErrorKind, LimitError, ReadError};
use super::glyph;
use crate::base::{FileId, Span};
use std::rc::Rc;

/// Brackets deeper than this are refused.
const MAX_DEPTH: usize = 200;

/// A word or a group.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub kind: Word,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of words and groups.
#[derive(Debug, Clone)]
pub enum Word {
    /// A truth value or a whole number.
    Int(i64),
    /// A number with a point, or a large one.
    Real(f64),
    /// A complex number.
    Complex(f64, f64),
    /// Characters; whether they are a vector even if there is only one.
    Text(Vec<char>, bool),
    /// A name; also `⍺`, `⍵`, `⍺⍺`, `⍵⍵`.
    Name(Rc<str>),
    /// `⎕NAME`, or `⎕` alone.
    Quad(Rc<str>),
    /// A function, an operator, `⍬`, `∇`, `←`.
    Glyph(char),
    /// `(..)`.
    Paren(Vec<Node>),
    /// `[..;..]`.
    Index(Vec<Vec<Node>>),
    /// `{..}`.
    Dfn(Rc<Dfn>),
}

/// The text of a function or operator.
#[derive(Debug)]
pub struct Dfn {
    /// Its statements.
    pub body: Vec<Statement>,
    /// Whether it names `⍺⍺` or `⍵⍵`: it is an operator with one or two operands then.
    pub operands: usize,
    /// Whether it calls itself.
    pub recursive: bool,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Statement {
    /// In front of a colon.
    pub guard: Option<Vec<Node>>,
    /// The sentence.
    pub nodes: Vec<Node>,
    /// All of it.
    pub span: Span,
}

/// `⍝: name : type`, the types of an entry point.
#[derive(Debug)]
pub struct Signature {
    /// Behind the colon.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A script.
#[derive(Debug, Default)]
pub struct Script {
    /// Its statements.
    pub statements: Vec<Statement>,
    /// Types of entry points.
    pub signatures: Vec<Signature>,
    /// What could not be read.
    pub errors: Vec<Error>,
}

impl Script {
    /// The names of files that functions of the system read: texts behind `⎕Read..`.
    pub fn files(&self) -> Vec<String> {
        let mut out = Vec::new();
        self.statements.iter().for_each(|statement| statement.files(&mut out));
        out
    }
}

impl Statement {
    fn files(&self, out: &mut Vec<String>) {
        files_in(self.guard.as_deref().unwrap_or_default(), out);
        files_in(&self.nodes, out);
    }
}

fn files_in(nodes: &[Node], out: &mut Vec<String>) {
    for (at, node) in nodes.iter().enumerate() {
        match &node.kind {
            Word::Quad(name) if name.starts_with("Read") => {
                if let Some(Node { kind: Word::Text(chars, _), .. }) = nodes.get(at + 1) {
                    out.push(chars.iter().collect());
                }
            }
            Word::Paren(inner) => files_in(inner, out),
            Word::Index(parts) => parts.iter().for_each(|part| files_in(part, out)),
            Word::Dfn(dfn) => dfn.body.iter().for_each(|statement| statement.files(out)),
            _ => {}
        }
    }
}

struct Token {
    kind: Kind,
    span: Span,
}

enum Kind {
    Word(Word),
    Open(char),
    Close(char),
    /// `⋄` or the end of a line; whether it is the latter.
    End(bool),
    Colon,
    Semicolon,
}

/// Reads a script. Never fails: what cannot be read is left out, with an error.
pub fn read(file: FileId, text: &str) -> Script {
    let mut lexer = Lexer { file, text, at: 0, tokens: Vec::new(), script: Script::default() };
    lexer.all();
    let Lexer { tokens, mut script, .. } = lexer;
    let mut parser = Parser {
        tokens: tokens.into_iter().peekable(),
        errors: Vec::new(),
        depth: 0,
        lost: false,
        end: Span::new(file, text.len(), text.len()),
    };
    script.statements = parser.statements(None);
    script.errors.append(&mut parser.errors);
    script
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    script: Script,
}

fn starts_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '∆' || c == '⍙'
}

fn in_name(c: char) -> bool {
    starts_name(c) || c.is_ascii_digit()
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    fn span(&self, start: usize) -> Span {
        Span::new(self.file, start, self.at)
    }
    fn push(&mut self, start: usize, kind: Kind) {
        let span = self.span(start);
        self.tokens.push(Token { kind, span });
    }
    fn word(&mut self, start: usize, word: Word) {
        self.push(start, Kind::Word(word));
    }
    fn wrong(&mut self, start: usize, error: ReadError) {
        let span = self.span(start);
        self.script.errors.push(*Error::at(span, error));
    }
    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> String {
        let taken: String = self.rest().chars().take_while(|c| keep(*c)).collect();
        self.at += taken.len();
        taken
    }

    fn all(&mut self) {
        while let Some(c) = self.peek() {
            let start = self.at;
            self.at += c.len_utf8();
            self.one(start, c);
        }
        self.push(self.at, Kind::End(true));
    }

    fn one(&mut self, start: usize, c: char) {
        match c {
            '\n' => self.push(start, Kind::End(true)),
            ' ' | '\t' | '\r' | '\u{a0}' | '\u{feff}' => {}
            '(' | '[' | '{' => self.push(start, Kind::Open(c)),
            ')' | ']' | '}' => self.push(start, Kind::Close(c)),
            ':' => self.push(start, Kind::Colon),
            ';' => self.push(start, Kind::Semicolon),
            '\'' | '"' => self.text_literal(start, c),
            '`' => self.spelt(start),
            '#' if start == 0 && self.rest().starts_with('!') => drop(self.take_while(|c| c != '\n')),
            _ if c.is_ascii_digit() => self.number(start),
            '.' if self.peek().is_some_and(|next| next.is_ascii_digit()) => self.number(start),
            _ if starts_name(c) => {
                self.take_while(in_name);
                let name: Rc<str> = self.text[start..self.at].into();
                self.word(start, Word::Name(name));
            }
            _ => self.glyph(start, glyph::meant(c), c),
        }
    }

    fn spelt(&mut self, start: usize) {
        let name = self.take_while(|c| c.is_ascii_alphabetic());
        if name.is_empty() {
            self.at += self.peek().filter(|c| *c != '\n').map_or(0, char::len_utf8);
        }
        if let Some(glyph) = glyph::spelt(&self.text[start + 1..self.at]) {
            return self.glyph(start, glyph, glyph);
        }
        let word = self.text[start..self.at].to_string();
        self.wrong(start, ReadError::Spelling(word));
    }

    fn glyph(&mut self, start: usize, c: char, written: char) {
        match c {
            '⋄' => return self.push(start, Kind::End(false)),
            '⍝' => return self.comment(start),
            '¯' => return self.number(start),
            '⍺' | '⍵' => {
                let twice = self.peek().map(glyph::meant) == Some(c);
                if twice {
                    self.at += self.peek().filter(|c| *c != '\n').map_or(0, char::len_utf8);
                }
                let name: String = std::iter::repeat_n(c, if twice { 2 } else { 1 }).collect();
                return self.word(start, Word::Name(name.into()));
            }
            '⎕' => {
                let name = self.take_while(in_name);
                return self.word(start, Word::Quad(name.into()));
            }
            _ => {}
        }
        if glyph::GLYPHS.iter().any(|known| known.glyph == c) {
            return self.word(start, Word::Glyph(c));
        }
        let foreign = glyph::UNKNOWN.iter().any(|(known, ..)| *known == written);
        self.wrong(start, if foreign { ReadError::ForeignGlyph(written) } else { ReadError::Character(written) });
    }

    fn comment(&mut self, start: usize) {
        let text = self.take_while(|c| c != '\n');
        if let Some(signature) = text.strip_prefix(':') {
            let span = self.span(start);
            self.script.signatures.push(Signature { text: signature.trim().to_string(), span });
        }
    }

    fn text_literal(&mut self, start: usize, quote: char) {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                None | Some('\n') => {
                    return self.wrong(start, ReadError::UnclosedText { quote });
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    if c == quote {
                        if self.peek() != Some(quote) {
                            break;
                        }
                        self.at += 1;
                    }
                    items.push(c);
                }
            }
        }
        self.word(start, Word::Text(items, quote == '"'));
    }

    /// A number: real part, perhaps `J` and the imaginary part. Whatever letters and digits touch it belong to it.
    fn number(&mut self, start: usize) {
        self.take_while(|c| in_name(c) || c == '.' || c == '¯');
        let text: String = self.text[start..self.at].chars().map(|c| if c == '¯' { '-' } else { c }).collect();
        // `` `neg `` was read by its name.
        let text = match text.strip_prefix('`') {
            Some(_) => {
                let digits = self.text[start..self.at].trim_start_matches('`').trim_start_matches("neg").trim_start_matches('2');
                format!("-{}", digits.replace('¯', "-"))
            }
            None => text,
        };
        match number(&text) {
            Some(word) => self.word(start, word),
            None => {
                let word = self.text[start..self.at].to_string();
                self.wrong(start, ReadError::Number(word));
            }
        }
    }
}

fn number(text: &str) -> Option<Word> {
    if let Some((re, im)) = text.split_once(['J', 'j']) {
        return Some(match (real(re)?, real(im)?) {
            (_, 0.0) => number(text.split_once(['J', 'j'])?.0)?,
            (re, im) => Word::Complex(re, im),
        });
    }
    let value = real(text)?;
    let whole = !text.contains('.') && value.abs() < 9.0e15 && value.fract() == 0.0;
    match text.parse::<i64>() {
        Ok(int) => Some(Word::Int(int)),
        Err(_) if whole => Some(Word::Int(value as i64)),
        Err(_) => Some(Word::Real(value)),
    }
}

fn real(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let ok = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') && digits.contains(|c: char| c.is_ascii_digit());
    let chars = text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | 'e' | 'E'));
    if ok && chars { text.parse().ok().filter(|value: &f64| value.is_finite()) } else { None }
}

struct Parser<I: Iterator<Item = Token>> {
    tokens: std::iter::Peekable<I>,
    errors: Vec<Error>,
    depth: usize,
    /// Whether the rest is not read.
    lost: bool,
    end: Span,
}

impl<I: Iterator<Item = Token>> Parser<I> {
    fn wrong(&mut self, span: Span, error: impl Into<ErrorKind>) {
        if !self.lost {
            self.errors.push(*Error::at(span, error));
        }
    }

    /// Statements up to a brace, or to the end of the text.
    fn statements(&mut self, open: Option<Span>) -> Vec<Statement> {
        let (mut out, mut nodes, mut guard) = (Vec::new(), Vec::new(), None);
        let mut colons = 0;
        loop {
            let Some(token) = self.tokens.next() else {
                self.flush(&mut out, &mut nodes, &mut guard);
                if let Some(open) = open {
                    self.wrong(open, ReadError::Unclosed { open: '{', line: false });
                }
                name_themselves(&mut out);
                return out;
            };
            match token.kind {
                Kind::End(_) => {
                    self.flush(&mut out, &mut nodes, &mut guard);
                    colons = 0;
                }
                Kind::Close('}') if open.is_some() => {
                    self.flush(&mut out, &mut nodes, &mut guard);
                    name_themselves(&mut out);
                    return out;
                }
                Kind::Colon if colons == 0 && !nodes.is_empty() => {
                    guard = Some(std::mem::take(&mut nodes));
                    colons = 1;
                }
                Kind::Colon => {
                    self.wrong(token.span, ReadError::Colon);
                }
                _ => nodes.extend(self.node(token)),
            }
        }
    }

    fn flush(&mut self, out: &mut Vec<Statement>, nodes: &mut Vec<Node>, guard: &mut Option<Vec<Node>>) {
        let (guard, nodes) = (guard.take(), std::mem::take(nodes));
        let first = guard.as_ref().and_then(|guard| guard.first()).or(nodes.first());
        let last = nodes.last().or(guard.as_ref().and_then(|guard| guard.last()));
        if let (Some(first), Some(last)) = (first, last) {
            let span = first.span.to(last.span);
            if nodes.is_empty() {
                return self.wrong(span, ReadError::GuardWithoutResult);
            }
            out.push(Statement { guard, nodes, span });
        }
    }

    fn node(&mut self, token: Token) -> Option<Node> {
        let span = token.span;
        match token.kind {
            Kind::Word(kind) => Some(Node { kind, span }),
            Kind::Open(c) => {
                self.depth += 1;
                let made = if self.depth > MAX_DEPTH {
                    if self.depth == MAX_DEPTH + 1 {
                        self.wrong(span, LimitError::Brackets { most: MAX_DEPTH });
                        self.lost = true;
                    }
                    None
                } else {
                    self.group(c, span)
                };
                self.depth -= 1;
                made
            }
            Kind::Close(c) => {
                self.wrong(span, ReadError::NotOpen { close: c });
                None
            }
            Kind::Semicolon => {
                self.wrong(span, ReadError::Semicolon);
                None
            }
            Kind::End(_) | Kind::Colon => {
                self.wrong(span, ReadError::EndInBrackets);
                None
            }
        }
    }

    fn group(&mut self, open: char, start: Span) -> Option<Node> {
        if open == '{' {
            let body = self.statements(Some(start));
            let last = body.last().map_or(start, |statement| statement.span);
            let mut names = Names::default();
            body.iter().for_each(|statement| names.statement(statement));
            let operands = if names.right_operand { 2 } else { usize::from(names.left_operand) };
            let dfn = Dfn { body, operands, recursive: names.del };
            return Some(Node { kind: Word::Dfn(Rc::new(dfn)), span: start.to(last) });
        }
        let close = if open == '(' { ')' } else { ']' };
        let mut parts = vec![Vec::new()];
        loop {
            match self.tokens.next() {
                Some(Token { kind: Kind::Close(c), span }) if c == close => {
                    let span = start.to(span);
                    let kind = match open {
                        '(' => Word::Paren(parts.pop().unwrap_or_default()),
                        _ => Word::Index(parts),
                    };
                    return Some(Node { kind, span });
                }
                Some(Token { kind: Kind::Semicolon, .. }) if open == '[' => parts.push(Vec::new()),
                Some(Token { kind: Kind::End(true), .. }) => {
                    self.wrong(start, ReadError::Unclosed { open, line: true });
                    return None;
                }
                Some(Token { kind: Kind::Close('}'), .. }) | None => {
                    let at = if self.depth > 0 { start } else { self.end };
                    self.wrong(at, ReadError::Unclosed { open, line: false });
                    return None;
                }
                Some(token) => {
                    let node = self.node(token);
                    if let Some(last) = parts.last_mut() {
                        last.extend(node);
                    }
                }
            }
        }
    }
}

/// Functions that call themselves by the name that they are given: it is `∇` there, unless it is given twice.
fn name_themselves(statements: &mut [Statement]) {
    let assigned = |statement: &Statement| match statement.nodes.as_slice() {
        [Node { kind: Word::Name(name), .. }, Node { kind: Word::Glyph('←'), .. }, ..] => Some(name.clone()),
        _ => None,
    };
    let names: Vec<Rc<str>> = statements.iter().filter_map(assigned).collect();
    for statement in statements {
        let Some(name) = assigned(statement).filter(|name| names.iter().filter(|other| *other == name).count() == 1) else { continue };
        if let [_, _, Node { kind: Word::Dfn(dfn), .. }] = statement.nodes.as_mut_slice()
            && let Some(dfn) = Rc::get_mut(dfn)
            && dfn.operands == 0
            && !dfn.body.iter().any(|statement| assigned(statement).is_some_and(|other| other == name))
        {
            let nodes = dfn.body.iter_mut().flat_map(|statement| statement.guard.iter_mut().flatten().chain(&mut statement.nodes));
            for node in nodes {
                dfn.recursive |= becomes_del(node, &name);
            }
        }
    }
}

/// Puts `∇` for a name, not within other functions; whether the name was there.
fn becomes_del(node: &mut Node, name: &str) -> bool {
    let inner: Vec<&mut Node> = match &mut node.kind {
        Word::Name(other) if &**other == name => {
            node.kind = Word::Glyph('∇');
            return true;
        }
        Word::Paren(nodes) => nodes.iter_mut().collect(),
        Word::Index(parts) => parts.iter_mut().flatten().collect(),
        _ => return false,
    };
    let mut any = false;
    for node in inner {
        any |= becomes_del(node, name);
    }
    any
}

/// Which special names a body uses, those of functions inside it aside.
#[derive(Default)]
struct Names {
    left_operand: bool,
    right_operand: bool,
    del: bool,
}

impl Names {
    fn statement(&mut self, statement: &Statement) {
        statement.guard.iter().flatten().chain(&statement.nodes).for_each(|node| self.node(node));
    }
    fn node(&mut self, node: &Node) {
        match &node.kind {
            Word::Name(name) => match &**name {
                "⍺⍺" => self.left_operand = true,
                "⍵⍵" => self.right_operand = true,
                _ => {}
            },
            Word::Glyph('∇') => self.del = true,
            Word::Paren(nodes) => nodes.iter().for_each(|node| self.node(node)),
            Word::Index(parts) => parts.iter().flatten().for_each(|node| self.node(node)),
            _ => {}
        }
    }
}
