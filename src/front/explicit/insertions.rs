//! What was inserted, as data and as a summary.

use super::Printer;
use super::nest::{Form, Nest, nest};
use crate::base::{SourceMap, Span};
use crate::ir::surface::view::Head;
use crate::ir::surface::{ExprId, UnaryOp};
use crate::ir::tables::{DefId, DefKind, Program, Tables};
use serde::Serialize;

/// Longest text of a function that is shown as it is.
const MAX_TEXT: usize = 60;

/// One argument at which something was inserted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApplicationReport {
    /// The function or operator, as written.
    pub function: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// Maps.
    pub maps: u32,
    /// Replications, induced ones included.
    pub reps: u32,
    /// Replications that cost nothing, because earlier maps of the same application induce them.
    pub induced: u32,
}

/// Every argument of the definition at which something was inserted, in the order of the functions' places.
pub fn applications(program: &Program, sources: &SourceMap, tables: &Tables, def: DefId) -> Vec<ApplicationReport> {
    let mut found = Vec::new();
    for node in nodes(program, def) {
        let Some(info) = tables.apps.get(node).filter(|info| info.args.iter().any(|a| a.maps + a.reps > 0)) else { continue };
        let (span, function) = match nest(&program.ast, &program.names, tables, node) {
            Some(nest) => (head_span(program, &nest), function_text(program, sources, &nest)),
            None => match program.ast.update_value(node) {
                Some(value) => (program.ast.exprs[value].span, "with".to_string()),
                None => continue,
            },
        };
        let (line, column) = sources.line_column(span);
        for arg in info.args.iter().filter(|a| a.maps + a.reps > 0) {
            let function = function.clone();
            found.push((span, ApplicationReport { function, line, column, maps: arg.maps, reps: arg.reps, induced: arg.induced }));
        }
    }
    found.sort_by_key(|(span, _)| *span);
    found.into_iter().map(|(_, report)| report).collect()
}

/// The expressions of a definition, parents first.
pub(super) fn nodes(program: &Program, def: DefId) -> Vec<ExprId> {
    let DefKind::Def(decl) = &program.defs[def].decl else { return Vec::new() };
    let mut nodes = vec![decl.body];
    let mut next = 0;
    while let Some(&expr) = nodes.get(next) {
        next += 1;
        for part in super::of_expr(&program.ast, expr) {
            if let super::Part::Expr(e, _) | super::Part::Pun(e) = part {
                nodes.push(e);
            }
        }
    }
    nodes
}

/// Where the function of an application stands.
pub fn head_span(program: &Program, nest: &Nest) -> Span {
    let span = |e: ExprId| program.ast.exprs[e].span;
    match nest.form {
        Form::Function => nest.head.and_then(|h| h.expr).map_or(span(nest.node), span),
        Form::Head(Head::Expr(e)) | Form::Head(Head::Index(e)) | Form::ProjectSection(e) => span(e),
        Form::Head(Head::Op(ident) | Head::Project(ident) | Head::Constr(ident)) => ident.span,
        Form::Head(Head::Unary(_, span)) => span,
        Form::IndexSection => span(nest.node),
    }
}

/// The function of an application, as written.
pub fn function_text(program: &Program, sources: &SourceMap, nest: &Nest) -> String {
    let text = |e: ExprId| shorten(sources.snippet(program.ast.exprs[e].span));
    match nest.form {
        Form::Head(Head::Op(ident)) => ident.name.to_string(),
        Form::Head(Head::Project(ident)) => format!(".{ident}", ident = ident.name),
        Form::Head(Head::Constr(ident)) => format!("#{ident}", ident = ident.name),
        Form::Head(Head::Unary(UnaryOp::Neg, _)) => "-".to_string(),
        Form::Head(Head::Unary(UnaryOp::Not, _)) => "!".to_string(),
        Form::Head(Head::Index(array)) => format!("{}[]", text(array)),
        Form::Head(Head::Expr(e)) | Form::ProjectSection(e) => text(e),
        Form::Function => nest.head.and_then(|h| h.expr).map_or_else(|| text(nest.node), text),
        Form::IndexSection => "(.[])".to_string(),
    }
}

/// A text on one line, cut where it is long.
pub fn shorten(text: &str) -> String {
    if text.len() <= MAX_TEXT && !text.contains(['\n', '\t']) {
        return text.to_string();
    }
    let mut line = String::new();
    for word in text.lines().map(|l| l.split("--").next().unwrap_or(l)).flat_map(str::split_whitespace) {
        if line.chars().count() + word.chars().count() >= MAX_TEXT {
            line.extend(word.chars().take(MAX_TEXT.saturating_sub(line.chars().count())));
            line.push_str("...");
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// `3 maps, 1 rep`.
pub(super) fn count_text(maps: u32, reps: u32) -> String {
    let count = |n: u32, word: &str| (n > 0).then(|| format!("{n} {word}{}", if n == 1 { "" } else { "s" }));
    let both: Vec<String> = [count(maps, "map"), count(reps, "rep")].into_iter().flatten().collect();
    if both.is_empty() { "nothing inserted".to_string() } else { both.join(", ") }
}

pub(super) fn pretty(printer: &Printer, tables: &Tables, def: DefId, ty: Option<&str>) -> String {
    let (program, sources) = (printer.program, printer.sources);
    let name = program.defs[def].name;
    let name = if name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_') { name.to_string() } else { format!("({name})") };
    let ty = ty.map_or_else(|| printer.type_of(tables, def), str::to_string);
    let mut text = format!("{name} : {ty}\n{}\n", printer.source(tables, def));
    let all = applications(program, sources, tables, def);
    let maps = all.iter().map(|a| a.maps).sum();
    let reps = all.iter().map(|a| a.reps - a.induced).sum();
    text.push_str(&format!("-- {}", count_text(maps, reps)));
    let mut at: Vec<(String, usize, usize, u32, u32)> = Vec::new();
    for a in all {
        let reps = a.reps - a.induced;
        match at.last_mut() {
            Some(last) if (last.1, last.2) == (a.line, a.column) => {
                last.3 += a.maps;
                last.4 += reps;
            }
            _ => at.push((a.function, a.line, a.column, a.maps, reps)),
        }
    }
    let places: Vec<String> = at
        .iter()
        .filter(|a| a.3 + a.4 > 0)
        .map(|(function, line, column, maps, reps)| format!("{function} at {line}:{column} ({})", count_text(*maps, *reps)))
        .collect();
    if !places.is_empty() {
        text.push_str(": ");
        text.push_str(&places.join(", "));
    }
    text.push('\n');
    text
}
