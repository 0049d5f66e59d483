//! Names of definitions outside of the program proper: in blocks of tests, in examples of documentation, and in `#[prop(..)]`.

use super::Analysis;
use crate::base::{Span, Symbol};
use crate::front::syntax;
use crate::ir::surface::{Ast, Decl, ExprKind, PatKind};
use crate::ir::tables::{Def, DefKind};
use std::ops::Range;

/// Where the document names one of these things there, if it does so by this name.
pub(super) fn mentions(analysis: &Analysis, things: &[Span], name: &str) -> Vec<Span> {
    let text = analysis.text();
    if !text.contains("--") && !text.contains("#[") {
        return Vec::new();
    }
    let named = |def: &&Def| def.name == Symbol::new(name) && def.is_plain() && !def.stdlib;
    let all: Vec<&Def> = analysis.checked.program.defs.iter().map(|(_, def)| def).filter(named).collect();
    let own = || all.iter().filter(|def| def.file == analysis.file);
    let is_entry = |def: &&&Def| matches!(&def.decl, DefKind::Def(decl) if decl.entry);
    let is_meant = |def: Option<&&Def>| def.is_some_and(|def| things.contains(&def.span));
    // As the tests find them: an entry point goes before what is none, and the last before the first.
    let entry = is_meant(own().rfind(is_entry).or_else(|| own().next_back()));
    let module = analysis.unit().is_some_and(|unit| unit.decls.iter().any(|decl| is_module(decl, things)));
    let value = module || is_meant(own().next_back().or(all.last()));
    if !entry && !value {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (place, mention) in found(text).into_iter().chain(properties(analysis)) {
        match mention {
            Mention::Entry if entry && text[place.clone()] == *name => out.push(place),
            Mention::Expression if value => out.extend(free(&text[place.clone()], name).into_iter().map(|at| {
                let start = place.start + at;
                start..start + name.len()
            })),
            Mention::Entry | Mention::Expression => {}
        }
    }
    out.sort_by_key(|place| place.start);
    out.dedup();
    out.into_iter().map(|place| Span::new(analysis.file, place.start, place.end)).collect()
}

fn is_module(decl: &Decl, things: &[Span]) -> bool {
    match decl {
        Decl::Module(module) => things.contains(&module.name.span),
        Decl::Local(inner) => is_module(inner, things),
        Decl::Def(_) | Decl::Val(_) | Decl::Type(_) | Decl::Import(_) | Decl::ModuleType(_) | Decl::Open(_) | Decl::Error(_) => false,
    }
}

/// How something is named.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mention {
    /// The name of an entry point.
    Entry,
    /// An expression with names in it.
    Expression,
}

/// Where an expression names this, unless it binds the name itself.
fn free(text: &str, name: &str) -> Vec<usize> {
    let mut ast = Ast::default();
    // `$loaddata` is a word of scripts only.
    syntax::parse_expr(&mut ast, Default::default(), &text.replace('$', " "));
    let symbol = Symbol::new(name);
    if ast.pats.iter().any(|(_, pat)| matches!(pat.kind, PatKind::Name(bound) if bound == symbol)) {
        return Vec::new();
    }
    let names = ast.exprs.iter().filter(|(_, expr)| matches!(expr.kind, ExprKind::Name(used) if used == symbol));
    let starts = names.map(|(_, expr)| expr.span.start as usize);
    starts.filter(|start| text.get(*start..).is_some_and(|rest| rest.starts_with(name))).collect()
}

/// The functions that `#[prop(gen(f), shrink(g))]` names.
fn properties(analysis: &Analysis) -> Vec<(Range<usize>, Mention)> {
    let mut out = Vec::new();
    for def in analysis.definitions() {
        let DefKind::Def(decl) = &analysis.checked.program.defs[def].decl else { continue };
        for attribute in &decl.attrs {
            let text = analysis.sources.snippet(attribute.span);
            if !text.starts_with("prop") {
                continue;
            }
            for word in ["gen(", "shrink("] {
                let Some(from) = text.find(word).map(|at| at + word.len()) else { continue };
                let Some(length) = text[from..].find(')') else { continue };
                let inner = &text[from..from + length];
                let start = attribute.span.start as usize + from + (inner.len() - inner.trim_start().len());
                out.push((start..start + inner.trim().len(), Mention::Entry));
            }
        }
    }
    out
}

/// The names and expressions in the comments of a text: those in blocks of tests, read as `remora test` does, and examples.
fn found(text: &str) -> Vec<(Range<usize>, Mention)> {
    let mut out = Vec::new();
    let (mut block, mut documentation): (Option<(usize, String)>, bool) = (None, false);
    let mut at = 0;
    for line in text.split_inclusive('\n').chain([""]) {
        let comment = line.trim_start().strip_prefix("--");
        let said = comment.map(str::trim);
        let (begins, documents) = (said == Some("=="), said.is_some_and(|said| said.starts_with('|')));
        if (comment.is_none() || begins || documents)
            && let Some((start, region)) = block.take()
        {
            in_block(&region, start, &mut out);
        }
        documentation = comment.is_some() && !begins && (documents || documentation);
        match (comment, &mut block) {
            (Some(_), None) if begins => block = Some((at + line.len(), String::new())),
            (Some(rest), Some((_, region))) => {
                region.push_str(&" ".repeat(line.len() - rest.len()));
                region.push_str(rest);
            }
            (Some(rest), None) if documentation => {
                let bare = rest.trim_start();
                let bare = bare.strip_prefix('|').map_or(bare, str::trim_start);
                if let Some(expression) = bare.strip_prefix("> ") {
                    let start = at + line.len() - expression.len();
                    out.push((start..start + expression.trim_end().len(), Mention::Expression));
                }
            }
            (Some(_) | None, _) => {}
        }
        at += line.len();
    }
    out
}

/// What a block names, which stands at `base`.
fn in_block(text: &str, base: usize, out: &mut Vec<(Range<usize>, Mention)>) {
    let mut at = 0;
    let (mut script, mut shape) = (false, false);
    while let Some(next) = text[at..].find(|c: char| !c.is_whitespace()) {
        at += next;
        let rest = &text[at..];
        let line = rest.find('\n').unwrap_or(rest.len());
        if rest.starts_with('{') {
            let length = braces(rest);
            if script {
                out.push((base + at + 1..base + at + length - usize::from(rest[..length].ends_with('}')), Mention::Expression));
            }
            if shape {
                // Calls of a function are counted by its name.
                for (call, _) in rest[..length].match_indices("Apply/") {
                    let name = &rest[call + "Apply/".len()..length];
                    let name = &name[..name.find(|c: char| c.is_whitespace() || "/{}".contains(c)).unwrap_or(name.len())];
                    let start = base + at + call + "Apply/".len();
                    out.push((start..start + name.len(), Mention::Expression));
                }
            }
            (script, shape) = (false, false);
            at += length;
        } else if rest.starts_with('"') {
            at += quoted(rest);
        } else {
            let length = rest.find(|c: char| c.is_whitespace() || c == '{').unwrap_or(rest.len());
            let word = &rest[..length];
            script = word == "script" || script && word == "input";
            shape = word == "structure" || shape;
            match word {
                "entry:" | "property:" => {
                    for name in rest[length..line].split_whitespace() {
                        let start = base + at + (name.as_ptr() as usize - rest.as_ptr() as usize);
                        out.push((start..start + name.len(), Mention::Entry));
                    }
                    at += line;
                }
                "error:" | "warning:" => at += line,
                _ => at += length.max(1),
            }
        }
    }
}

/// How long something in braces is, with strings in it.
fn braces(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' => {
                at += quoted(&text[at..]);
                continue;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        at += c.len_utf8();
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// How long a text in quotes is.
fn quoted(text: &str) -> usize {
    let mut inner = text.char_indices().skip(1);
    while let Some((at, c)) = inner.next() {
        match c {
            '"' => return at + 1,
            '\\' => drop(inner.next()),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_examples_name_definitions() {
        let text = "-- entry: no\n-- ==\n-- entry: f g\n-- \"entry: x\" script input { (f {g = 1} \"}\", m.g) } output { h 1 } error: entry: y\n\
                    --  property: p\n-- structure gpu { /Apply/g 1 If 0 }\n-- | Doc.\n-- > f 1 + g\n-- 2\ndef f = 1\n-- > no\n";
        let words: Vec<(&str, Mention)> = found(text).into_iter().map(|(place, mention)| (&text[place], mention)).collect();
        let expected = [
            ("f", Mention::Entry),
            ("g", Mention::Entry),
            (" (f {g = 1} \"}\", m.g) ", Mention::Expression),
            ("p", Mention::Entry),
            ("g", Mention::Expression),
            ("f 1 + g", Mention::Expression),
        ];
        assert_eq!(words, expected);
        assert_eq!(free("f {f = 1} f.f + m.f \"f\"", "f"), [0, 10]);
        assert_eq!(free("let f = 1 in f", "f"), [0usize; 0]);
        assert_eq!(free("$loaddata \"f\" f", "f"), [14]);
        for text in ["-- ==\n-- script input {", "-- ==\n-- \"", "-- ==\n-- é{\"", "-- ==\n--script input }{ä"] {
            found(text);
        }
    }
}
