//! Insertions written out, and maps that are written left out.

use super::Analysis;
use super::hints::explicit_application;
use super::rename::{apply, apply_from};
use crate::base::{Span, Symbol};
use crate::driver;
use crate::front::explicit::Printer;
use crate::front::format;
use crate::front::resolve::Loader;
use crate::ir::soac::print;
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::{ExprId, ExprKind, PatKind, view};
use crate::ir::tables::{DefId, DefKind, Res};

/// A rewriting of a part of the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewriting {
    /// What it does.
    pub title: String,
    /// The changes, in order.
    pub edits: Vec<(Span, String)>,
}

/// Writes the insertions of a selection out: of the application that is selected, or of the definitions in which it is.
pub fn explicit(analysis: &Analysis, selection: Span) -> Vec<Rewriting> {
    let mut out = Vec::new();
    if let Some((def, node)) = selected_application(analysis, selection) {
        let edits = vec![application_edit(analysis, def, node)];
        out.push(Rewriting { title: "make the insertions of this application explicit".into(), edits });
    }
    let (mut edits, mut changed) = (Vec::new(), 0);
    for def in analysis.ranked_within(selection) {
        let own = explicit_definition(analysis, def);
        changed += usize::from(!own.is_empty());
        edits.extend(own);
    }
    if !edits.is_empty() {
        let what = if changed == 1 { "this definition" } else { "these definitions" };
        out.push(Rewriting { title: format!("make the insertions of {what} explicit"), edits });
    }
    out
}

/// The changes that write the insertions of a definition out; none where it has none. Comments stay: those inside of applications that change
/// stand in front of them.
pub fn explicit_definition(analysis: &Analysis, def: DefId) -> Vec<(Span, String)> {
    let program = &analysis.checked.program;
    let span = program.defs[def].decl_span();
    let text = Printer::new(program, &analysis.sources).source(&analysis.checked.tables, def).trim_end().to_string();
    let before = analysis.sources.snippet(span);
    if text == before.trim_end() {
        return Vec::new();
    }
    let comments = lost(before, &text);
    if comments.is_empty() {
        return vec![(span, text)];
    }
    // What is between applications stays as it is.
    let edits: Vec<(Span, String)> = applications(analysis, def).into_iter().map(|node| application_edit(analysis, def, node)).collect();
    if bare(&apply_from(before, span.start, &edits)) == bare(&text) {
        return edits;
    }
    // More changes than the applications, such as the name of a variable: the comments follow the definition then.
    let mut whole = text;
    comments.iter().for_each(|comment| whole = format!("{whole}\n{comment}"));
    vec![(span, whole)]
}

/// What a text consists of besides comments, white space and parentheses.
fn bare(text: &str) -> String {
    without_comments(text).chars().filter(|c| !c.is_whitespace() && !matches!(c, '(' | ')')).collect()
}

/// An application with its insertions written out.
fn application_edit(analysis: &Analysis, def: DefId, node: ExprId) -> (Span, String) {
    let (_, edit) = explicit_application(analysis, def, node);
    (analysis.checked.program.ast.exprs[node].span, edit.new_text)
}

/// The outermost applications and updates of a definition with insertions in them, in order.
fn applications(analysis: &Analysis, def: DefId) -> Vec<ExprId> {
    let program = &analysis.checked.program;
    let DefKind::Def(decl) = &program.defs[def].decl else { return Vec::new() };
    let printer = Printer::new(program, &analysis.sources);
    let (mut found, mut nodes) = (Vec::new(), vec![Node::Expr(decl.body)]);
    while let Some(node) = nodes.pop() {
        if let Node::Expr(id) = node
            && analysis.checked.tables.apps.get(id).is_some()
        {
            // Also those that only contain insertions: their text tells.
            let text = printer.expression(&analysis.checked.tables, def, id);
            if without_space(&text) != without_space(&without_comments(analysis.sources.snippet(program.ast.exprs[id].span))) {
                found.push(id);
            }
            continue;
        }
        children_of(&program.ast, node, &mut nodes);
    }
    found.sort_by_key(|id| program.ast.exprs[*id].span.start);
    found
}

fn without_space(text: &str) -> String {
    text.split_whitespace().collect()
}

fn comments(text: &str) -> Vec<&str> {
    format::comments(text).into_iter().map(|place| &text[place]).collect()
}

fn without_comments(text: &str) -> String {
    let mut out = text.to_string();
    format::comments(text).into_iter().rev().for_each(|place| out.replace_range(place, ""));
    out
}

/// The comments of a text that another one lacks.
fn lost<'a>(before: &'a str, after: &str) -> Vec<&'a str> {
    let mut kept = comments(after);
    let mut all = comments(before);
    all.retain(|comment| match kept.iter().position(|other| other == comment) {
        Some(at) => {
            kept.remove(at);
            false
        }
        None => true,
    });
    all
}

/// A text in place of another, with the comments that it lacks in front, each on a line of its own; `column` is where it begins.
pub(super) fn with_comments(before: &str, after: &str, column: usize) -> String {
    let indent = " ".repeat(column);
    lost(before, after).iter().map(|comment| format!("{comment}\n{indent}")).collect::<String>() + after
}

/// The smallest application with insertions in which a selection is.
fn selected_application(analysis: &Analysis, selection: Span) -> Option<(DefId, ExprId)> {
    let checked = &analysis.checked;
    let def = analysis.definition_around(selection).filter(|def| checked.ranked(*def))?;
    let nodes = analysis.path_at(selection.start as usize).into_iter().rev();
    let node = nodes.filter_map(|node| if let Node::Expr(id) = node { Some(id) } else { None }).find(|id| {
        let inserted = checked.tables.apps.get(*id).is_some_and(|info| info.frame() + info.cost() > 0);
        // An update's insertion is written at its value.
        inserted && checked.program.ast.update_value(*id).is_none() && checked.program.ast.exprs[*id].span.contains(selection)
    })?;
    Some((def, node))
}

/// Most maps that are tried in one definition.
const MOST_MAPS: usize = 40;

/// Whether there are maps in a selection that might be left out, as [`implicit`] finds out.
pub fn has_maps(analysis: &Analysis, selection: Span) -> bool {
    let Some(def) = analysis.definition_around(selection) else { return false };
    let whole = selection.start == selection.end;
    let within = if whole { analysis.checked.program.defs[def].decl_span() } else { selection };
    !candidates(analysis, def, within).is_empty()
}

/// Leaves out the maps of a selection that the compiler inserts itself: those without which the definition has the same type and compiles
/// to the same program.
pub fn implicit(analysis: &Analysis, selection: Span, loader: &dyn Loader) -> Option<Rewriting> {
    // What was kept from former checks has no core.
    let analysis = &Analysis::new(&analysis.sources.file(analysis.root).name, analysis.text(), loader);
    let checked = &analysis.checked;
    let def = analysis.definition_around(selection).filter(|def| checked.accepted(*def))?;
    let before = compiled(analysis, def)?;
    let name = checked.program.defs[def].name;
    let decl = checked.program.defs[def].decl_span();
    let mut text = analysis.sources.snippet(decl).to_string();
    // Relative to the declaration.
    let mut span = Span { start: selection.start - decl.start, end: selection.end.saturating_sub(decl.start), ..decl };
    // A selection of nothing is the whole definition.
    let whole = selection.start == selection.end;
    let mut changed = false;
    let mut skipped = 0;
    for _ in 0..MOST_MAPS {
        let tried = with(analysis, decl, &text, loader);
        let id = definition_of(&tried, name, decl.start)?;
        let own = tried.checked.program.defs[id].decl_span();
        let within = if whole { own } else { Span { start: own.start + span.start, end: (own.start + span.end).min(own.end), ..own } };
        let Some((place, new)) = candidates(&tried, id, within).into_iter().nth(skipped) else { break };
        let place = Span { start: place.start - own.start, end: place.end - own.start, ..place };
        let shorter = apply(&text, &[(place, new)]);
        let after = with(analysis, decl, &shorter, loader);
        if definition_of(&after, name, decl.start).and_then(|id| compiled(&after, id)).as_ref() == Some(&before) {
            span.end = (span.end + shorter.len() as u32).saturating_sub(text.len() as u32);
            text = shorter;
            changed = true;
        } else {
            skipped += 1;
        }
    }
    changed.then(|| Rewriting { title: "leave out the maps that are inserted anyway".into(), edits: vec![(decl, text)] })
}

/// The document with another text for a declaration.
fn with(analysis: &Analysis, decl: Span, text: &str, loader: &dyn Loader) -> Analysis {
    let text = apply(analysis.text(), &[(decl, text.to_string())]);
    Analysis::new(&analysis.sources.file(analysis.file).name, &text, loader)
}

/// The definition of this name that begins here.
fn definition_of(analysis: &Analysis, name: Symbol, start: u32) -> Option<DefId> {
    let defs = &analysis.checked.program.defs;
    analysis.definitions().find(|id| defs[*id].name == name && defs[*id].decl_span().start == start)
}

/// The type of a definition, and what it compiles to, up to names; nothing if that is not known, as for functions of functions.
pub fn compiled(analysis: &Analysis, def: DefId) -> Option<(String, String)> {
    let checked = &analysis.checked;
    let ty = checked.type_of(def)?;
    let program = driver::optimise(&analysis.sources, checked, &[checked.program.defs[def].unique]).ok()?;
    Some((ty, nameless(&print::program(&program))))
}

/// The text of a program with numbers in place of names, `x.3`, which are numbered already.
fn nameless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    for c in text.chars().chain(std::iter::once('\n')) {
        if c.is_alphanumeric() || matches!(c, '_' | '\'' | '.') {
            word.push(c);
            continue;
        }
        match word.rsplit_once('.') {
            Some((stem, number)) if stem.starts_with(char::is_alphabetic) && number.bytes().all(|b| b.is_ascii_digit()) => {
                out.push_str("_.");
                out.push_str(number);
            }
            _ => out.push_str(&word),
        }
        word.clear();
        out.push(c);
    }
    out
}

/// Maps that are written and may be left out: their places, with what stands there instead. Outer ones first.
fn candidates(analysis: &Analysis, def: DefId, within: Span) -> Vec<(Span, String)> {
    let program = &analysis.checked.program;
    let DefKind::Def(decl) = &program.defs[def].decl else { return Vec::new() };
    let mut out = Vec::new();
    let mut nodes = vec![Node::Expr(decl.body)];
    while let Some(node) = nodes.pop() {
        if let Node::Expr(id) = node {
            let span = program.ast.exprs[id].span;
            if within.contains(span)
                && let Some(new) = without_map(analysis, id)
            {
                let column = analysis.range(span).start.character as usize;
                out.push((span, with_comments(analysis.sources.snippet(span), &new, column)));
            }
        }
        children_of(&program.ast, node, &mut nodes);
    }
    out.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
    out
}

/// `map f xs` as `f xs`, `map2 (+) xs ys` as `xs + ys`, `map (\x -> e) xs` as `e` with `xs` in place of `x`, `rep e` as `e`.
fn without_map(analysis: &Analysis, node: ExprId) -> Option<String> {
    let ast = &analysis.checked.program.ast;
    let (head, args) = analysis.application_parts(node)?;
    let name = library_name(analysis, head)?;
    let text = |e: ExprId| analysis.sources.snippet(ast.exprs[e].span);
    if name == "rep" {
        let [value] = args.as_slice() else { return None };
        return Some(text(*value).to_string());
    }
    let arity: usize = match name {
        "map" => 1,
        _ => name.strip_prefix("map")?.parse().ok()?,
    };
    let (function, arrays) = args.split_first().filter(|(_, arrays)| arrays.len() == arity)?;
    let function = view::strip(ast, *function);
    match (&ast.exprs[function].kind, arrays) {
        (ExprKind::OpFn(op), [a, b]) if op.name.as_str().starts_with(|c: char| !c.is_alphanumeric() && c != '_') => {
            Some(format!("({} {} {})", text(*a), op.name, text(*b)))
        }
        (ExprKind::Lambda { params, body, .. }, _) if params.len() == arrays.len() => {
            let mut named = Vec::new();
            for (param, array) in params.iter().zip(arrays) {
                let PatKind::Name(_) = ast.pats[*param].kind else { return None };
                named.push((*param, text(*array)));
            }
            Some(format!("({})", substituted(analysis, *body, &named)))
        }
        (ExprKind::Name(_) | ExprKind::Project { .. } | ExprKind::Apply { .. } | ExprKind::OpFn(_), _) => {
            let arrays: Vec<&str> = arrays.iter().map(|array| text(*array)).collect();
            let function_text = text(function);
            Some(format!("({function_text} {})", arrays.join(" ")))
        }
        (ExprKind::LeftSection { lhs, op }, [a]) if op.backtick.is_none() => {
            Some(format!("({} {} {})", text(*lhs), op.ident.name, text(*a)))
        }
        (ExprKind::RightSection { rhs, op }, [a]) if op.backtick.is_none() => {
            Some(format!("({} {} {})", text(*a), op.ident.name, text(*rhs)))
        }
        _ => None,
    }
}

fn library_name(analysis: &Analysis, head: ExprId) -> Option<&'static str> {
    let Some(Res::Global(def)) = analysis.resolution(view::strip(&analysis.checked.program.ast, head)) else { return None };
    let def = &analysis.checked.program.defs[def];
    (def.stdlib && def.is_plain()).then(|| def.name.as_str())
}

/// The text of an expression with other text in place of variables.
fn substituted(analysis: &Analysis, body: ExprId, named: &[(crate::ir::surface::PatId, &str)]) -> String {
    let ast = &analysis.checked.program.ast;
    let whole = ast.exprs[body].span;
    let mut edits = Vec::new();
    let mut nodes = vec![Node::Expr(body)];
    while let Some(node) = nodes.pop() {
        if let Node::Expr(id) = node
            && let Some(Res::Local(pat)) = analysis.resolution(id)
            && let Some((_, text)) = named.iter().find(|(param, _)| *param == pat)
        {
            edits.push((ast.exprs[id].span, (*text).to_string()));
        }
        children_of(ast, node, &mut nodes);
    }
    edits.sort_by_key(|(span, _)| span.start);
    edits.dedup();
    apply_from(analysis.sources.snippet(whole), whole.start, &edits)
}
