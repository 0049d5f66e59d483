//! What to write instead, where the elaboration of least cost has a size error, or the ranks of an application cannot agree.
//!
//! The elaboration is shown as source, where there is one. Other nestings of the same application are tried by putting them into the text and
//! checking it again, so that nothing is suggested that does not check.

use super::{Checked, check_plain};
use crate::base::{FileId, SourceMap, Span, Symbol};
use crate::front::explicit::Printer;
use crate::front::resolve::Loader;
use crate::ir::surface::view::{self, Head};
use crate::ir::surface::{Ast, Expr, ExprId, PatId, PatKind, TypeId};
use crate::ir::tables::{DefId, DefKind, Tables};

/// Longest text that is checked again for the sake of a suggestion, in bytes.
const LONGEST_TEXT: usize = 50_000;
/// Most errors of a program that get suggestions.
const MOST_ERRORS: usize = 5;
/// Most parameters of a definition by whose rows it is checked again.
const MOST_PARAMETERS: usize = 3;

/// An error of sizes or ranks with what is needed to suggest something.
pub(super) struct Misfit {
    /// Its position in the program's diagnostics.
    pub(super) diagnostic: usize,
    /// The application that has it, or the argument if nothing is known about that.
    pub(super) place: Span,
    /// The definition in which it arises.
    pub(super) def: DefId,
    /// The reading that has the error; `None` if it is about ranks, so that there is no reading.
    pub(super) reading: Option<Reading>,
}

/// The elaboration that has a size error.
pub(super) struct Reading {
    /// The size that is needed, where the other may be equal to it.
    pub(super) undecided: Option<String>,
    /// The definition's tables in the reading that was elaborated.
    pub(super) tables: Tables,
}

/// Adds to each error the elaboration that has it, and a nesting of maps that has none.
pub(super) fn explain(
    sources: &SourceMap,
    loader: &dyn Loader,
    root: FileId,
    checked: &mut Checked,
    errors: Vec<Misfit>,
    stop: &dyn Fn() -> bool,
) {
    for error in errors.into_iter().take(MOST_ERRORS).take_while(|_| !stop()) {
        let (note, help) = match &error.reading {
            Some(reading) => sized(sources, loader, root, checked, (&error, reading)),
            None => {
                let node = application_at(checked, error.place);
                let other = node.and_then(|node| well_sized_alternative(sources, loader, root, checked, (error.def, false), node));
                (None, other.map(|other| format!("`{other}` has ranks that agree")))
            }
        };
        let diagnostic = &mut checked.diagnostics[error.diagnostic];
        diagnostic.notes.extend(note);
        diagnostic.help.extend(help);
    }
}

/// The note and the help for an error of sizes.
fn sized(
    sources: &SourceMap,
    loader: &dyn Loader,
    root: FileId,
    checked: &Checked,
    (error, reading): (&Misfit, &Reading),
) -> (Option<String>, Option<String>) {
    let agree = |other: String| format!("`{other}` has sizes that agree");
    let Some(node) = application_around(checked, &reading.tables, error.place) else {
        return (None, mapped_alternative(sources, loader, root, checked, (error, reading)).map(agree));
    };
    let explicit = Printer::new(&checked.program, sources).expression(&reading.tables, error.def, node);
    let note = format!("with the insertions written out, this is `{explicit}`");
    // Where both arguments are mapped over together and may well have the same sizes, no other nesting is meant.
    let together = reading.tables.apps.get(node).is_some_and(|info| info.participation().iter().all(|depth| *depth == info.frame()));
    let help = match reading.undecided.as_ref().filter(|_| together) {
        Some(size) => Some(format!("if they are always equal, check it at run time: `e :> [{size}]t`")),
        None => well_sized_alternative(sources, loader, root, checked, (error.def, true), node)
            .or_else(|| by_rows(sources, loader, root, checked, error.def))
            .map(agree),
    };
    (Some(note), help)
}

/// The expression that stands just at this place.
fn application_at(checked: &Checked, place: Span) -> Option<ExprId> {
    checked.program.ast.exprs.iter().find(|(_, e)| e.span == place).map(|(node, _)| node)
}

/// The smallest application with insertions around a place.
fn application_around(checked: &Checked, tables: &Tables, place: Span) -> Option<ExprId> {
    let span = |node: &ExprId| -> Span {
        let node: &Expr = &checked.program.ast.exprs[*node];
        node.span
    };
    let around = tables.apps.iter().filter(|(_, app)| app.frame() > 0 || app.cost() > 0).map(|(node, _)| node);
    around.filter(|node| span(node).contains(place)).min_by_key(|node| span(node).end - span(node).start)
}

/// Another nesting of an application to two arguments with which the definition checks, one over both arguments together only if `zipped`.
fn well_sized_alternative(
    sources: &SourceMap,
    loader: &dyn Loader,
    root: FileId,
    checked: &Checked,
    (def, zipped): (DefId, bool),
    node: ExprId,
) -> Option<String> {
    let program = &checked.program;
    let place = program.ast.exprs[node].span;
    let text = &sources.file(root).text;
    if place.file != root || text.len() > LONGEST_TEXT {
        return None;
    }
    let app = view::application(&program.ast, &|e| program.names.exprs.get(e).is_some(), node)?;
    let [a, b] = app.args.as_slice() else { return None };
    let (a, b) = (operand(sources, checked, *a), operand(sources, checked, *b));
    let call = |x: &str, y: &str| match app.head {
        Head::Op(op) => Some(format!("{x} {} {y}", op.name)),
        Head::Expr(f) => Some(format!("{} {x} {y}", operand(sources, checked, f))),
        Head::Unary(..) | Head::Project(_) | Head::Index(_) | Head::Constr(_) => None,
    };
    let (x, y) = fresh_names(text);
    let nested = [format!("map (\\{x} -> {}) {a}", call(&x, &b)?), format!("map (\\{y} -> {}) {b}", call(&a, &y)?)];
    let together = Some(format!("map2 (\\{x} {y} -> {}) {a} {b}", call(&x, &y)?)).filter(|_| zipped);
    // One that does not add a dimension first.
    together.into_iter().chain(nested).find(|candidate| checks(sources, loader, root, checked, (def, place), candidate))
}

/// Longest body of a definition that is shown within a suggestion, in characters.
const LONGEST_BODY: usize = 60;

/// `map (\x -> body) x`, for a parameter `x` with whose rows the definition checks: it may have been written for one of them.
fn by_rows(sources: &SourceMap, loader: &dyn Loader, root: FileId, checked: &Checked, def: DefId) -> Option<String> {
    let program = &checked.program;
    let DefKind::Def(decl) = &program.defs[def].decl else { return None };
    let place = program.ast.exprs[decl.body].span;
    if place.file != root || sources.file(root).text.len() > LONGEST_TEXT {
        return None;
    }
    let body = sources.snippet(place);
    let shown = if body.chars().count() <= LONGEST_BODY && !body.contains('\n') { body } else { ".." };
    let names = decl.params.iter().filter_map(|param| named(&program.ast, *param));
    names.take(MOST_PARAMETERS).find_map(|(x, ty)| {
        // The type of a row is that of the parameter without its first dimension.
        let row =
            ty.and_then(|ty| sources.snippet(program.ast.types[ty].span).split_once(']')).map(|(_, row)| format!("({x}: {})", row.trim()));
        let mapped = |parameter: &str, body: &str| format!("map (\\{parameter} -> {body}) {x}");
        let fits = |parameter: &String| checks(sources, loader, root, checked, (def, place), &mapped(parameter, body));
        let parameter = [Some(x.to_string()), row].into_iter().flatten().find(fits)?;
        Some(mapped(&parameter, shown))
    })
}

/// The name that a parameter binds, if it is one, and its type.
fn named(ast: &Ast, pat: PatId) -> Option<(Symbol, Option<TypeId>)> {
    match &ast.pats[pat].kind {
        PatKind::Name(name) => Some((*name, None)),
        PatKind::Paren(inner) => named(ast, *inner),
        PatKind::Ascribe(inner, ty) => named(ast, *inner).map(|(name, _)| (name, Some(*ty))),
        PatKind::Error | PatKind::Wild | PatKind::Tuple(_) | PatKind::Record(_) | PatKind::Lit(_) | PatKind::Constr(..) => None,
    }
}

/// `map f x` where `f x` has a size error, and nothing was inserted: an inner axis may be meant.
fn mapped_alternative(
    sources: &SourceMap,
    loader: &dyn Loader,
    root: FileId,
    checked: &Checked,
    (error, reading): (&Misfit, &Reading),
) -> Option<String> {
    let program = &checked.program;
    let ast = &program.ast;
    let apps = reading.tables.apps.iter().map(|(node, _)| node).filter(|node| {
        let span = ast.exprs[*node].span;
        span.contains(error.place)
    });
    let node = apps.min_by_key(|node| ast.exprs[*node].span.end - ast.exprs[*node].span.start)?;
    let place = ast.exprs[node].span;
    if place.file != root || sources.file(root).text.len() > LONGEST_TEXT {
        return None;
    }
    let app = view::application(ast, &|e| program.names.exprs.get(e).is_some(), node)?;
    let (Head::Expr(f), [argument]) = (app.head, app.args.as_slice()) else { return None };
    let candidate = format!("map {} {}", operand(sources, checked, f), operand(sources, checked, *argument));
    checks(sources, loader, root, checked, (error.def, place), &candidate).then_some(candidate)
}

/// Whether the definition checks with other text at this place.
fn checks(sources: &SourceMap, loader: &dyn Loader, root: FileId, checked: &Checked, (def, place): (DefId, Span), candidate: &str) -> bool {
    let (program, text) = (&checked.program, &sources.file(root).text);
    let name = program.defs[def].name;
    let new = format!("{}({candidate}){}", &text[..place.start as usize], &text[place.end as usize..]);
    let mut sources = SourceMap::default();
    let file = sources.add(sources_name(name.as_str()), new);
    let again = check_plain(&mut sources, loader, file);
    let same = |d: &crate::ir::tables::Def| d.file == file && d.span == Span { file, ..program.defs[def].span };
    again.program.defs.iter().any(|(id, d)| same(d) && again.accepted(id))
}

fn sources_name(def: &str) -> String {
    format!("suggestion for {def}")
}

/// The text of an expression, in parentheses unless it is a name.
fn operand(sources: &SourceMap, checked: &Checked, e: ExprId) -> String {
    let text = sources.snippet(checked.program.ast.exprs[e].span).trim();
    let simple = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\''));
    if simple || text.starts_with('(') && text.ends_with(')') { text.to_string() } else { format!("({text})") }
}

/// Two names that do not occur in the text.
fn fresh_names(text: &str) -> (String, String) {
    let words: std::collections::HashSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'').collect();
    let mut free = ["x", "y", "u", "v", "p", "q"]
        .into_iter()
        .map(str::to_string)
        .chain((1..).map(|i| format!("x{i}")))
        .filter(|n| !words.contains(n.as_str()));
    (free.next().unwrap_or_default(), free.next().unwrap_or_default())
}
