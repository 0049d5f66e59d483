//! The same program with more, or less, written out.

use crate::support::batch::{Batch, Verdict};
use crate::support::generate::{Case, Expr, Form, Param, Printed};
use remora::base::{Code, Span};
use remora::ir::surface::{Expr as Node, ExprKind, view};
use remora::ir::tables::Res;

/// What was done, and what it should cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Everything is written out: the text is its own explicit form.
    Explicit,
    /// One inferred map or rep was written out; the program costs this much now.
    Added(u32),
    /// One inferred map was written out, and its result, an array of functions, was given a name.
    AddedNamed(u32),
    /// One inferred rep was written out that an earlier map of the same application induces.
    AddedInduced(u32),
    /// One explicit map was removed from a program without insertions.
    RemovedMap,
    /// One explicit rep was replaced by `id` in a program without insertions.
    RemovedRep,
    /// A reading of the definition with this position was pasted.
    Reading(usize),
}

/// The suffix of the names of a text.
pub fn suffix(at: usize) -> String {
    format!("__{at}z")
}

/// The same text with other names.
pub fn renamed(text: &str, at: usize, variant: usize) -> String {
    text.replace(&suffix(at), &format!("__{at}z{variant}_"))
}

/// Every program that differs by one insertion that is written out (paper, figure 4.15).
pub fn added(batch: &Batch, at: usize, case: &Case, printed: &Printed) -> Vec<(Case, Kind)> {
    let cost = batch.cost(at);
    let mut found = Vec::new();
    let body = &case.entry().body;
    for (place, _, info) in batch.insertions(at) {
        let Some(number) = (0..printed.places.len()).find(|&n| printed.places[n] == (place.start, place.end)) else { continue };
        let Some(node) = body.node(number) else { continue };
        let Some((head, args)) = spine(node) else { continue };
        if args.len() != info.args.len() {
            continue;
        }
        for (index, insertion) in info.args.iter().enumerate() {
            let mut all = args.clone();
            if insertion.maps > 0 {
                // (map (f a .. b)) c d ..
                let function = if index == 0 { head.clone() } else { Expr::apply(head.clone(), all.drain(..index).collect()) };
                let rest = all.split_off(1);
                let mut new = Expr::call("map", std::iter::once(function).chain(all).collect());
                let mut kind = Kind::Added(cost - 1);
                if !rest.is_empty() {
                    kind = Kind::AddedNamed(cost - 1);
                    // The result is an array of functions: it has to have a name to be applied.
                    let name = Param { name: "lifted".into(), ty: None };
                    new = Expr::new(Form::Let(name), vec![new, Expr::call("lifted", rest)]);
                }
                found.push((case.with_body(body.replaced(number, &new)), kind));
            } else if insertion.reps > 0 {
                all[index] = Expr::call("rep", vec![all[index].clone()]);
                let new = Expr::apply(head.clone(), all);
                let kind = if insertion.reps == insertion.induced { Kind::AddedInduced(cost) } else { Kind::Added(cost - 1) };
                found.push((case.with_body(body.replaced(number, &new)), kind));
            }
        }
    }
    found
}

/// An application as a function and its arguments in order; `None` for forms that have no function that can be named.
fn spine(node: &Expr) -> Option<(Expr, Vec<Expr>)> {
    let operator = |op: &String| Expr::new(Form::Operator(op.clone()), Vec::new());
    match &node.form {
        Form::Apply => {
            let (function, args) = node.parts.split_first()?;
            let mut args = args.to_vec();
            Some(match &function.form {
                Form::LeftSection(op) => {
                    args.insert(0, function.parts[0].clone());
                    (operator(op), args)
                }
                Form::RightSection(op) => {
                    args.insert(1, function.parts[0].clone());
                    (operator(op), args)
                }
                Form::Apply => return None,
                _ => (function.clone(), args),
            })
        }
        Form::Binary(op) if op != ">->" => Some((operator(op), node.parts.clone())),
        Form::Pipe => match &node.parts[1].form {
            Form::LeftSection(op) => Some((operator(op), vec![node.parts[1].parts[0].clone(), node.parts[0].clone()])),
            Form::RightSection(op) => Some((operator(op), vec![node.parts[0].clone(), node.parts[1].parts[0].clone()])),
            _ => Some((node.parts[1].clone(), vec![node.parts[0].clone()])),
        },
        _ => None,
    }
}

/// Every text that differs from an accepted one by a `map` that is removed (`map f x` to `f x`), or a `rep` (`rep x` to `id x`; paper,
/// figure 4.14). An `f` that is an application and gives an array of functions gets a name, as arrays of functions have to.
pub fn removed(batch: &Batch, at: usize) -> Vec<(String, Kind)> {
    let range = &batch.ranges[at];
    let text = &batch.sources.file(batch.file).text[range.clone()];
    let program = &batch.checked.program;
    let inside = |span: Span| span.file == batch.file && range.contains(&(span.start as usize));
    let mut edits: Vec<(Span, Kind, Option<Span>)> = Vec::new();
    for (_, node) in program.ast.exprs.iter() {
        let node: &Node = node;
        let ExprKind::Apply { fun, args } = &node.kind else { continue };
        let head = view::strip(&program.ast, *fun);
        let span = program.ast.exprs[head].span;
        let Some(Res::Global(def)) = program.names.exprs.get(head) else { continue };
        if !inside(span) || !program.defs[*def].stdlib {
            continue;
        }
        let arity = match program.defs[*def].name.as_str() {
            "rep" => 1,
            "map" => 2,
            "map2" => 3,
            "map3" => 4,
            _ => continue,
        };
        if args.len() < arity {
            continue;
        }
        let function = view::strip(&program.ast, args[0]);
        let applied = view::application(&program.ast, &|e| program.names.exprs.get(e).is_some(), function).is_some();
        let many = batch.checked.tables.exprs.get(function).is_some_and(|ty| ty.rank > 0);
        let named = (arity > 1 && applied && many).then(|| program.ast.exprs[args[0]].span);
        edits.push((span, if arity == 1 { Kind::RemovedRep } else { Kind::RemovedMap }, named));
    }
    edits.sort_by_key(|(span, ..)| *span);
    let edit = |(span, kind, named): (Span, Kind, Option<Span>)| {
        let place = |span: Span| (span.start as usize - range.start, span.end as usize - range.start);
        let (from, to) = place(span);
        if let Some(function) = named {
            let (start, end) = place(function);
            let named = format!("(let lifted = {} in lifted)", &text[start..end]);
            return (format!("{}{}{named}{}", &text[..from], &text[to..start], &text[end..]), kind);
        }
        let by = if kind == Kind::RemovedRep { "id" } else { "" };
        (format!("{}{by}{}", &text[..from], &text[to..]), kind)
    };
    edits.into_iter().map(edit).collect()
}

/// Every reading of an ambiguous text, pasted back.
pub fn readings(batch: &Batch, at: usize) -> Vec<(String, Kind, String)> {
    if batch.verdict(at) != Verdict::Ambiguous {
        return Vec::new();
    }
    let range = &batch.ranges[at];
    let text = &batch.sources.file(batch.file).text[range.clone()];
    let mut found = Vec::new();
    for error in batch.errors(at).filter(|error| error.code == Code::Ambiguous) {
        let Some(place) = error.labels.first().map(|label| label.span) else { continue };
        let Some(position) = batch.defs[at].iter().position(|id| batch.def(*id).decl_span().contains(place)) else { continue };
        let span = batch.def(batch.defs[at][position]).decl_span();
        let (from, to) = (span.start as usize - range.start, span.end as usize - range.start);
        for reading in &error.readings {
            let pasted = format!("{}{}{}", &text[..from], reading.source, &text[to..]);
            found.push((pasted, Kind::Reading(position), reading.note.clone()));
        }
    }
    found
}
