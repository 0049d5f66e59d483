//! What a text that was entered is, and whether it is complete.

use crate::base::FileId;
use crate::diag::Diagnostic;
use crate::front::syntax::lexer::{Tok, lex};
use crate::front::syntax::{self, lexer::Token};
use crate::ir::surface::{Ast, Decl, ExprKind, PatId, PatKind};

/// A text that was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entered {
    /// `:name argument`.
    Command(String, String),
    /// Declarations.
    Definitions,
    /// `let p = e`: the variables of the pattern, and the text of an expression that has their values.
    Bindings(Vec<String>, String),
    Expression,
    Nothing,
}

/// Whether a text may go on, so that its end is no mistake yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    Complete,
    Unfinished,
}

fn tokens(text: &str) -> Vec<Token> {
    lex(FileId(0), text).tokens
}

/// What a text is.
pub fn classify(text: &str) -> Entered {
    if let Some(command) = text.trim_start().strip_prefix(':') {
        let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
        return Entered::Command(name.to_string(), argument.trim().to_string());
    }
    match tokens(text)[0].tok {
        Tok::Eof => Entered::Nothing,
        Tok::Let => bindings(text).unwrap_or_else(|| if is_expression(text) { Entered::Expression } else { Entered::Definitions }),
        tok if tok.starts_decl() => Entered::Definitions,
        Tok::AttrOpen if !is_expression(text) => Entered::Definitions,
        _ => Entered::Expression,
    }
}

fn is_expression(text: &str) -> bool {
    let mut ast = Ast::default();
    syntax::parse_expr(&mut ast, FileId(0), text).1.is_empty()
}

/// `let p = e` without a body. A local function is a definition.
fn bindings(text: &str) -> Option<Entered> {
    let whole = format!("{text}\nin ()");
    let mut ast = Ast::default();
    let (expr, diagnostics) = syntax::parse_expr(&mut ast, FileId(0), &whole);
    if !diagnostics.is_empty() {
        return None;
    }
    let (mut names, mut expr) = (Vec::new(), expr);
    loop {
        match &ast.exprs[expr].kind {
            ExprKind::Let { pat, body, .. } => {
                variables(&ast, *pat, &mut names);
                expr = *body;
            }
            ExprKind::Tuple(parts) if parts.is_empty() && !names.is_empty() => break,
            _ => return None,
        }
    }
    let body = if names.len() == 1 { names[0].clone() } else { format!("({})", names.join(", ")) };
    Some(Entered::Bindings(names, format!("{text}\nin {body}")))
}

fn variables(ast: &Ast, pat: PatId, out: &mut Vec<String>) {
    match &ast.pats[pat].kind {
        PatKind::Name(name) => {
            out.retain(|other| other != name.as_str());
            out.push(name.to_string());
        }
        PatKind::Paren(inner) | PatKind::Ascribe(inner, _) => variables(ast, *inner, out),
        PatKind::Tuple(items) | PatKind::Constr(_, items) => items.iter().for_each(|item| variables(ast, *item, out)),
        PatKind::Record(fields) => fields.iter().for_each(|(_, field)| variables(ast, *field, out)),
        PatKind::Error | PatKind::Wild | PatKind::Lit(_) => {}
    }
}

/// Whether more has to follow: what is wrong with the text, if anything, is wrong at its end. A text of several lines whose first one is
/// complete but for what an open bracket holds ends with that bracket; else an empty line ends it.
pub fn progress(text: &str) -> Progress {
    if text.ends_with("\n\n") || text.trim().is_empty() {
        return Progress::Complete;
    }
    if let Some(argument) = argument(text) {
        return if argument.trim().is_empty() { Progress::Complete } else { progress(argument) };
    }
    if ends_too_early(text) {
        return Progress::Unfinished;
    }
    match text.trim_end_matches('\n').split_once('\n') {
        Some((first, _)) if !is_open(first) && ends_too_early(first) => Progress::Unfinished,
        _ => Progress::Complete,
    }
}

/// Whether a line begins with a command, in the first column.
pub fn begins_command(line: &str) -> bool {
    let name = line.strip_prefix(':').and_then(|rest| rest.split(char::is_whitespace).next());
    name.is_some_and(super::is_command)
}

/// What stands behind the name of a command that takes an expression or definitions.
fn argument(text: &str) -> Option<&str> {
    let command = text.trim_start().strip_prefix(':')?;
    let (name, argument) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    Some(if super::takes_text(name) { argument } else { "" })
}

fn ends_too_early(text: &str) -> bool {
    let mut ast = Ast::default();
    let mut wrong = |expression: bool, text: &str| -> Vec<Diagnostic> {
        if expression { syntax::parse_expr(&mut ast, FileId(0), text).1 } else { syntax::parse(&mut ast, FileId(0), text).1 }
    };
    let diagnostics = match classify(text) {
        Entered::Definitions => wrong(false, text),
        Entered::Expression => wrong(true, text),
        Entered::Command(..) | Entered::Bindings(..) | Entered::Nothing => return false,
    };
    let end = text.trim_end().len() as u32;
    diagnostics.first().is_some_and(|first| first.labels.first().is_some_and(|label| label.span.start >= end) || is_open(text))
}

/// Whether a bracket is open.
fn is_open(text: &str) -> bool {
    let depth = tokens(text).iter().fold(0i64, |depth, token| match token.tok {
        Tok::LParen | Tok::LBracket | Tok::LBrace | Tok::AttrOpen => depth + 1,
        Tok::RParen | Tok::RBracket | Tok::RBrace => depth - 1,
        _ => depth,
    });
    depth > 0
}

/// The names that declarations bind.
pub fn defined(text: &str) -> Vec<crate::base::Symbol> {
    let mut ast = Ast::default();
    let (unit, _) = syntax::parse(&mut ast, FileId(0), text);
    let name = |decl: &Decl| match decl {
        Decl::Def(def) => Some(def.name.name),
        Decl::Module(module) => Some(module.name.name),
        Decl::Val(_) | Decl::Type(_) | Decl::Import(_) | Decl::ModuleType(_) | Decl::Open(_) | Decl::Local(_) | Decl::Error(_) => None,
    };
    unit.decls.iter().filter_map(name).collect()
}

/// Places in the notes of `infer`, such as `at 3:4`, with that many lines fewer.
pub fn moved_up(text: &str, lines: usize) -> String {
    let place = |word: &str| -> Option<String> {
        let (line, column) = word.split_once(':')?;
        let line = line.parse::<usize>().ok()?.checked_sub(lines)?;
        Some(format!("{line}:{column}"))
    };
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        if !line.starts_with("-- ") {
            out.push_str(line);
            continue;
        }
        let mut words = line.split(' ').peekable();
        let mut after_at = false;
        while let Some(word) = words.next() {
            out.push_str(&Some(word).filter(|_| after_at).and_then(place).unwrap_or_else(|| word.to_string()));
            out.push_str(if words.peek().is_some() { " " } else { "" });
            after_at = word == "at";
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        assert_eq!(classify(" :type 1 + 2 "), Entered::Command("type".into(), "1 + 2".into()));
        assert_eq!(classify("-- nothing"), Entered::Nothing);
        assert_eq!(classify("def f x = x"), Entered::Definitions);
        assert_eq!(classify("let f x = x"), Entered::Definitions);
        assert_eq!(classify("let x = 1 in x"), Entered::Expression);
        assert_eq!(classify("#[inline] def f x = x"), Entered::Definitions);
        assert_eq!(classify("#[unroll] loop x = 0 for i < 3 do x"), Entered::Expression);
        assert_eq!(classify("let x = 1"), Entered::Bindings(vec!["x".into()], "let x = 1\nin x".into()));
        let pair = Entered::Bindings(vec!["a".into(), "b".into()], "let (a, {x = b}) = y\nin (a, b)".into());
        assert_eq!(classify("let (a, {x = b}) = y"), pair);
    }

    #[test]
    fn more_is_asked_for_where_the_end_is_the_mistake() {
        for unfinished in [
            "def f x =",
            "1 +",
            "[1,",
            "let x =",
            "match 1",
            "def f x =\n  let y = x\n",
            "match 1\ncase 1 -> 2\n",
            "(1 +\n2",
            ":type (1,",
            ":infer def f x =",
            ":plot a.png map (\\x ->",
        ] {
            assert_eq!(progress(unfinished), Progress::Unfinished, "{unfinished:?}");
        }
        let complete = [
            "1",
            "def f x = x",
            "let x = 1",
            "[1,\n2]",
            "1 + ) 2",
            ":type",
            ":type (1,\n2)",
            ":load (",
            ":type def f x =\n  x\n\n",
            "match 1\ncase 1 -> 2\n\n",
            "def f x =\n  x\n\n",
            "",
        ];
        for complete in complete {
            assert_eq!(progress(complete), Progress::Complete, "{complete:?}");
        }
    }
}
