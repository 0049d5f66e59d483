//! Generated programs as trees. An expression is a text with places in it where others stand; its type is known, so that failing programs
//! can be made smaller without knowing what the forms mean.

use super::data::Input;
use super::types::Ty;
use std::fmt::Write;

/// A piece of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// Another expression, in parentheses unless it is atomic.
    Operand(Node),
    /// Another expression that needs no parentheses.
    Body(Node),
}

/// What is known about an expression besides its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name.
    Name,
    /// `let` with the names that it binds; its last piece is the body.
    Let(Vec<String>),
    /// A tuple, its parts being the pieces.
    Tuple,
    /// Its value is new memory.
    Fresh,
    Other,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub ty: Ty,
    pub kind: Kind,
    pub pieces: Vec<Piece>,
    /// Whether it needs no parentheses as an operand.
    pub atomic: bool,
}

impl Node {
    /// A word or literal.
    pub fn atom(ty: &Ty, text: impl Into<String>) -> Node {
        Node { ty: ty.clone(), kind: Kind::Other, pieces: vec![Piece::Text(text.into())], atomic: true }
    }
    pub fn name(ty: &Ty, name: &str) -> Node {
        Node { kind: Kind::Name, ..Node::atom(ty, name) }
    }
    /// A text in which `$` stands for an operand and `~` for a body.
    pub fn new(ty: &Ty, template: &str, parts: Vec<Node>) -> Node {
        let mut parts = parts.into_iter();
        let (mut pieces, mut text) = (Vec::new(), String::new());
        for c in template.chars() {
            match c {
                '$' | '~' => {
                    if !text.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                    }
                    let part = parts.next().unwrap_or_else(|| panic!("`{template}` has more places than parts"));
                    pieces.push(if c == '$' { Piece::Operand(part) } else { Piece::Body(part) });
                }
                c => text.push(c),
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        assert!(parts.next().is_none(), "`{template}` has fewer places than parts");
        let bracketed = template.starts_with('(') && template.ends_with(')') && closes_last(template);
        let array = template.starts_with('[') && template.ends_with(']') && closes_last(template);
        Node { ty: ty.clone(), kind: Kind::Other, pieces, atomic: bracketed || array }
    }
    /// The same with new memory for its value.
    pub fn fresh(self) -> Node {
        Node { kind: Kind::Fresh, ..self }
    }
    /// `let PATTERN = VALUE in BODY`.
    pub fn bind(names: Vec<String>, template: &str, mut parts: Vec<Node>, body: Node) -> Node {
        let ty = body.ty.clone();
        parts.push(body);
        Node { kind: Kind::Let(names), ..Node::new(&ty, &format!("{template}\n  in ~"), parts) }
    }
    /// A tuple; the part itself where there is only one.
    pub fn tuple(mut parts: Vec<Node>) -> Node {
        if parts.len() == 1 {
            return parts.remove(0);
        }
        let ty = Ty::tuple(parts.iter().map(|part| part.ty.clone()).collect());
        let template = format!("({})", vec!["~"; parts.len()].join(", "));
        Node { kind: Kind::Tuple, ..Node::new(&ty, &template, parts) }
    }

    /// The expressions in it, outermost ones only.
    pub fn parts(&self) -> impl Iterator<Item = &Node> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Operand(node) | Piece::Body(node) => Some(node),
        })
    }
    /// The same for writing.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = &mut Node> {
        self.pieces.iter_mut().filter_map(|piece| match piece {
            Piece::Text(_) => None,
            Piece::Operand(node) | Piece::Body(node) => Some(node),
        })
    }
    /// Number of expressions.
    pub fn size(&self) -> usize {
        1 + self.parts().map(Node::size).sum::<usize>()
    }
    /// The expression with a number, in order of first visit; 0 is the root.
    pub fn at(&self, number: usize) -> Option<&Node> {
        let Some(mut rest) = number.checked_sub(1) else { return Some(self) };
        for part in self.parts() {
            let size = part.size();
            if rest < size {
                return part.at(rest);
            }
            rest -= size;
        }
        None
    }
    /// Puts another expression in place of the one with a number.
    pub fn put(&mut self, number: usize, by: Node) {
        let Some(mut rest) = number.checked_sub(1) else {
            *self = by;
            return;
        };
        for part in self.parts_mut() {
            let size = part.size();
            if rest < size {
                return part.put(rest, by);
            }
            rest -= size;
        }
    }
    /// The whole text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        self.print(&mut out);
        out
    }
    fn print(&self, out: &mut String) {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Operand(node) if !node.atomic => {
                    out.push('(');
                    node.print(out);
                    out.push(')');
                }
                Piece::Operand(node) | Piece::Body(node) => node.print(out),
            }
        }
    }
    /// Whether a name stands somewhere in it.
    pub fn mentions(&self, name: &str) -> bool {
        words(&self.text()).any(|word| word == name)
    }
    /// All words in it.
    pub fn words(&self) -> Vec<String> {
        words(&self.text()).map(str::to_string).collect()
    }
}

/// The words of a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether the bracket at the beginning of a text is closed at its end.
fn closes_last(text: &str) -> bool {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => (),
        }
        if depth == 0 {
            return at + 1 == text.len();
        }
    }
    false
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: String,
    pub ty: Ty,
    /// Whether the argument is consumed.
    pub star: bool,
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    pub name: String,
    /// Between the name and the parameters.
    pub binders: String,
    pub params: Vec<Param>,
    pub result: Option<String>,
    pub body: Node,
}

/// Functions, an entry point that may use them, and inputs for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub seed: u64,
    pub defs: Vec<Definition>,
    pub entry: Definition,
    pub inputs: Vec<Input>,
    /// What is in it, for counting.
    pub features: Vec<&'static str>,
}

impl Definition {
    fn print(&self, keyword: &str, rename: &dyn Fn(&str) -> String, out: &mut String) {
        let mut params = String::new();
        for param in &self.params {
            let star = if param.star { "*" } else { "" };
            write!(params, " ({}: {star}{})", param.name, param.ty).expect("strings take everything");
        }
        let binders = if self.binders.is_empty() { String::new() } else { format!(" {}", self.binders) };
        let result = self.result.as_ref().map_or(String::new(), |ty| format!(" : {ty}"));
        writeln!(out, "{keyword} {}{binders}{params}{result} =\n  {}", rename(&self.name), renamed(&self.body.text(), rename))
            .expect("strings take everything");
    }
}

/// A text with every word that has another name under that name.
pub fn renamed(text: &str, rename: &dyn Fn(&str) -> String) -> String {
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.chars().chain(std::iter::once(' ')) {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            out.push_str(&rename(&word));
            word.clear();
            out.push(c);
        }
    }
    out.pop();
    out
}

impl Program {
    /// The text, every name of a definition with the suffix.
    pub fn text(&self, suffix: &str) -> String {
        let names: Vec<&str> = self.defs.iter().map(|def| def.name.as_str()).collect();
        let rename =
            |word: &str| if names.contains(&word) || word == self.entry.name { format!("{word}{suffix}") } else { word.to_string() };
        let mut out = String::new();
        self.defs.iter().for_each(|def| def.print("def", &rename, &mut out));
        self.entry.print("entry", &rename, &mut out);
        out
    }
    /// How large it is, for making it smaller.
    pub fn size(&self) -> usize {
        let of = |def: &Definition| def.body.size() + def.params.len() + 1;
        let data: usize = self.inputs.iter().map(Input::size).sum();
        1000 * (self.defs.iter().map(of).sum::<usize>() + of(&self.entry)) + data
    }
}
