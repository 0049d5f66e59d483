//! Semantic tokens: what each word of the document is.

use super::Analysis;
use super::places::Meaning;
use crate::base::Span;
use crate::front::explicit::head_span;
use crate::front::explicit::nest::nest;
use crate::front::syntax::lexer::{Tok, lex};
use crate::ir::tables::DefKind;
use lsp_types::SemanticToken;
use rustc_hash::{FxHashMap, FxHashSet};

/// The sorts of words, with the names that the protocol has for them.
macro_rules! sorts {
    ($($sort:ident $name:literal,)*) => {
        /// The sort of a word.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum Sort {
            $($sort,)*
        }

        /// The names of the sorts of words, in the order of their numbers.
        pub const TYPES: &[&str] = &[$($name,)*];
    };
}

sorts! {
    Keyword "keyword",
    Number "number",
    String "string",
    Comment "comment",
    Operator "operator",
    Function "function",
    Variable "variable",
    Parameter "parameter",
    Type "type",
    TypeParameter "typeParameter",
    Namespace "namespace",
    Property "property",
    EnumMember "enumMember",
}

/// What else is said of them, in the order of their bits: `mapped` is a function or operator at which something was inserted.
pub const MODIFIERS: [&str; 3] = ["declaration", "defaultLibrary", "mapped"];

const DECLARATION: u32 = 1;
const LIBRARY: u32 = 2;
const MAPPED: u32 = 4;

/// The tokens of a part of the document, each relative to the one before it.
pub fn tokens(analysis: &Analysis, part: Option<Span>) -> Vec<SemanticToken> {
    if analysis.is_core() {
        return Vec::new();
    }
    let part = part.unwrap_or(Span::new(analysis.file, 0, analysis.text().len()));
    let mut found: Vec<(u32, u32, u32, u32)> = Vec::new();
    if analysis.is_apl() {
        for (span, sort, declares) in super::apl::tokens(analysis) {
            found.push((span.start, span.end, sort as u32, u32::from(declares) * DECLARATION));
        }
        found.retain(|(start, end, ..)| *start < part.end && part.start < *end);
        return relative(analysis, &found);
    }
    let text = analysis.text();
    let meanings = meanings(analysis);
    let mut end = 0;
    for token in lex(analysis.file, text).tokens {
        comments(text, end, token.start, &mut found);
        end = token.end;
        let known = meanings.get(&(token.start, token.end)).copied();
        let sort = known.or_else(|| plain(token.tok).map(|sort| (sort as u32, 0)));
        if let Some((sort, modifiers)) = sort {
            found.push((token.start, token.end, sort, modifiers));
        }
    }
    found.retain(|(start, end, ..)| *start < part.end && part.start < *end);
    relative(analysis, &found)
}

fn plain(tok: Tok) -> Option<Sort> {
    match tok {
        Tok::Number | Tok::True | Tok::False => Some(Sort::Number),
        Tok::Str | Tok::UnclosedStr | Tok::Char => Some(Sort::String),
        Tok::Constr => Some(Sort::EnumMember),
        Tok::Minus | Tok::Star | Tok::Pipe | Tok::Caret | Tok::Lt | Tok::Op | Tok::Bang => Some(Sort::Operator),
        Tok::Ident => Some(Sort::Variable),
        tok if KEYWORDS.contains(&tok) => Some(Sort::Keyword),
        _ => None,
    }
}

const KEYWORDS: [Tok; 22] = [
    Tok::Assert,
    Tok::Case,
    Tok::Def,
    Tok::Do,
    Tok::Else,
    Tok::Entry,
    Tok::For,
    Tok::If,
    Tok::Import,
    Tok::In,
    Tok::Include,
    Tok::Let,
    Tok::Local,
    Tok::Loop,
    Tok::Match,
    Tok::Module,
    Tok::Open,
    Tok::Then,
    Tok::Type,
    Tok::Val,
    Tok::While,
    Tok::With,
];

/// The comments between two tokens.
fn comments(text: &str, start: u32, end: u32, found: &mut Vec<(u32, u32, u32, u32)>) {
    let mut at = start as usize;
    while let Some(begin) = text.get(at..end as usize).and_then(|gap| gap.find("--")) {
        let begin = at + begin;
        let length = text[begin..].find('\n').unwrap_or(text.len() - begin);
        let shown = text[begin..begin + length].trim_end_matches('\r').len();
        found.push((begin as u32, (begin + shown) as u32, Sort::Comment as u32, 0));
        at = begin + length;
    }
}

/// What names are, by their places.
fn meanings(analysis: &Analysis) -> FxHashMap<(u32, u32), (u32, u32)> {
    let program = &analysis.checked.program;
    let mapped = mapped(analysis);
    let params = parameters(analysis);
    let mut out = FxHashMap::default();
    for o in analysis.occurrences().iter() {
        let (sort, mut modifiers) = match o.meaning {
            Meaning::Global(def) => {
                let value = matches!(&program.defs[def].decl, DefKind::Def(decl) if decl.params.is_empty());
                let library = if program.defs[def].stdlib { LIBRARY } else { 0 };
                let operator = !o.name.as_str().starts_with(|c: char| c.is_alphanumeric() || c == '_');
                (
                    if operator {
                        Sort::Operator
                    } else if value {
                        Sort::Variable
                    } else {
                        Sort::Function
                    },
                    library,
                )
            }
            Meaning::Local(_) if o.declared.is_some_and(|span| params.contains(&span)) => (Sort::Parameter, 0),
            Meaning::Local(_) => (Sort::Variable, 0),
            Meaning::Scalar(..) => (Sort::Function, LIBRARY),
            Meaning::Operator(_) => (Sort::Operator, 0),
            Meaning::Prim(_) => (Sort::Type, LIBRARY),
            Meaning::Type => (Sort::Type, 0),
            Meaning::TypeParam => (Sort::TypeParameter, 0),
            Meaning::Module => (Sort::Namespace, 0),
            Meaning::ScalarModule(_) => (Sort::Namespace, LIBRARY),
            Meaning::Field => (Sort::Property, 0),
            Meaning::Constructor => (Sort::EnumMember, 0),
        };
        if o.declares() {
            modifiers |= DECLARATION;
        }
        if mapped.contains(&o.span) {
            modifiers |= MAPPED;
        }
        out.insert((o.span.start, o.span.end), (sort as u32, modifiers));
    }
    out
}

/// The places of functions and operators at which something was inserted.
fn mapped(analysis: &Analysis) -> FxHashSet<Span> {
    let checked = &analysis.checked;
    let program = &checked.program;
    let inserted = checked.tables.apps.iter().filter(|(_, info)| info.args.iter().any(|arg| arg.maps + arg.reps > 0));
    let own = inserted.filter(|(node, _)| program.ast.exprs[*node].span.file == analysis.file);
    own.filter_map(|(node, _)| Some(last_part(head_span(program, &nest(&program.ast, &program.names, &checked.tables, node)?), analysis)))
        .collect()
}

/// Of a qualified name the last part.
fn last_part(span: Span, analysis: &Analysis) -> Span {
    let text = analysis.sources.snippet(span);
    match text.rfind('.').filter(|_| text.starts_with(char::is_alphabetic)) {
        Some(dot) => Span { start: span.start + dot as u32 + 1, ..span },
        None => span,
    }
}

/// Where parameters of definitions are declared.
fn parameters(analysis: &Analysis) -> FxHashSet<Span> {
    use crate::ir::surface::children::{Node, children_of};
    let program = &analysis.checked.program;
    let mut out = FxHashSet::default();
    for def in analysis.definitions() {
        let DefKind::Def(decl) = &program.defs[def].decl else { continue };
        let mut nodes: Vec<Node> = decl.params.iter().map(|pat| Node::Pat(*pat)).collect();
        while let Some(node) = nodes.pop() {
            if let Node::Pat(pat) = node {
                out.insert(program.ast.pats[pat].span);
                children_of(&program.ast, node, &mut nodes);
            }
        }
    }
    out
}

fn relative(analysis: &Analysis, found: &[(u32, u32, u32, u32)]) -> Vec<SemanticToken> {
    let lines = analysis.lines(analysis.file);
    let text = analysis.text();
    let (mut line, mut character) = (0, 0);
    let mut out = Vec::with_capacity(found.len());
    for (start, end, sort, modifiers) in found {
        let (from, to) = (lines.position(text, *start as usize), lines.position(text, *end as usize));
        if from.line != to.line {
            continue;
        }
        let delta_start = if from.line == line { from.character - character } else { from.character };
        out.push(SemanticToken {
            delta_line: from.line - line,
            delta_start,
            length: to.character - from.character,
            token_type: *sort,
            token_modifiers_bitset: *modifiers,
        });
        (line, character) = (from.line, from.character);
    }
    out
}
