//! The words of a script, for those who show it.

use super::glyph::{Class, GLYPHS, Glyph};
use super::tree::{self, Node, Statement, Word};
use crate::base::{FileId, Span};

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub sort: Sort,
}

/// What a word is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sort {
    /// A number.
    Number,
    /// Characters.
    Text,
    /// A name.
    Name {
        /// The name.
        name: String,
        /// What it is given here, if it gets a value.
        given: Option<Given>,
    },
    /// A name of the system.
    Quad,
    /// A glyph, however it is written.
    Glyph(char),
}

/// What a name is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// A function or operator in braces, which ends there.
    Function(Span),
    /// Something else.
    Value,
}

/// The words of a script in the order of their places, as far as it can be read, without brackets and comments.
pub fn words(file: FileId, text: &str) -> Vec<Shown> {
    let mut out = Vec::new();
    tree::read(file, text).statements.iter().for_each(|statement| of_statement(statement, &mut out));
    out.sort_by_key(|word| (word.span.start, word.span.end));
    out
}

/// What is known of a glyph.
pub fn known(c: char) -> Option<&'static Glyph> {
    GLYPHS.iter().find(|glyph| glyph.glyph == c)
}

/// The kind of word that a glyph is, in words.
pub fn called(class: Class) -> &'static str {
    match class {
        Class::Function => "function",
        Class::Monadic => "operator with one operand",
        Class::Dyadic => "operator with two operands",
        Class::Slash => "reduction, scan or replication",
        Class::Other => "syntax",
    }
}

fn of_statement(statement: &Statement, out: &mut Vec<Shown>) {
    of_nodes(statement.guard.as_deref().unwrap_or_default(), out);
    of_nodes(&statement.nodes, out);
}

fn of_nodes(nodes: &[Node], out: &mut Vec<Shown>) {
    for (at, node) in nodes.iter().enumerate() {
        let sort = match &node.kind {
            Word::Int(_) | Word::Real(_) | Word::Complex(..) => Sort::Number,
            Word::Text(..) => Sort::Text,
            Word::Quad(_) => Sort::Quad,
            Word::Glyph(c) => Sort::Glyph(*c),
            Word::Name(name) => {
                let assigned = matches!(nodes.get(at + 1), Some(Node { kind: Word::Glyph('←'), .. }));
                let given = match nodes.get(at + 2) {
                    Some(Node { kind: Word::Dfn(_), span }) if assigned && at + 3 == nodes.len() => Some(Given::Function(*span)),
                    _ if assigned => Some(Given::Value),
                    _ => None,
                };
                Sort::Name { name: name.to_string(), given }
            }
            Word::Paren(inner) => {
                of_nodes(inner, out);
                continue;
            }
            Word::Index(parts) => {
                parts.iter().for_each(|part| of_nodes(part, out));
                continue;
            }
            Word::Dfn(dfn) => {
                dfn.body.iter().for_each(|statement| of_statement(statement, out));
                continue;
            }
        };
        out.push(Shown { span: node.span, sort });
    }
}
