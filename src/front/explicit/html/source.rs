//! The source as written, with a mark where something is inserted; what is known of the place is shown when the pointer or the keyboard is on it.

use super::drawing::{brackets, words};
use super::escaped;
use crate::base::Span;
use crate::diag::frames::{Frames, Part};
use crate::front::explicit::children::{self, of_pat};
use crate::front::explicit::frames::{is_function, show};
use crate::front::explicit::insertions::nodes;
use crate::front::explicit::{Printer, of_expr, shorten};
use crate::ir::surface::{ExprId, PatId, PatKind};
use crate::ir::tables::{DefId, DefKind, InnerTypes, Tables};
use std::fmt::Write;

/// Longer functions are not part of the mark before them.
const LONGEST_HEAD: usize = 40;

/// Something in a text that is shown in another way.
#[derive(Debug, Clone, PartialEq)]
struct Spot {
    start: usize,
    end: usize,
    before: String,
    after: String,
}

/// A definition as written; `id` begins the names of its elements, as in those of the drawings, `ID-0` and so on.
pub(super) fn written(printer: &Printer, tables: &Tables, inner: &InnerTypes, def: DefId, frames: &[(ExprId, Frames)], id: &str) -> String {
    let span = printer.program.defs[def].decl_span();
    let text = printer.sources.snippet(span);
    let mut spots = Vec::new();
    for (number, (_, frames)) in frames.iter().enumerate() {
        insertions(&mut spots, frames, printer, &format!("{id}-{number}"));
    }
    for (number, pat) in variables(printer, def).into_iter().enumerate() {
        let place = printer.program.ast.pats[pat].span;
        let rough = tables.pats.get(pat);
        let ty = inner.pats.get(&pat).map(|sized| sized.text.clone()).or_else(|| Some(show(printer, tables, def, rough?)));
        let Some(ty) = ty else { continue };
        let rank = match rough {
            Some(ty) if is_function(ty) => "a function".to_string(),
            Some(ty) => format!("rank {}", ty.rank),
            None => String::new(),
        };
        let name = escaped(printer.sources.snippet(place));
        let tip = format!("<span><code>{name} : {}</code></span><span>{rank}</span>", escaped(&shorten(&ty)));
        let tip_id = format!("{id}-v{number}");
        let before = format!("<span class=\"remora-var\" tabindex=\"0\" role=\"term\" aria-describedby=\"{tip_id}\">");
        spots.push(spot(place, before, format!("{}</span>", tooltip(&tip_id, &tip))));
    }
    for spot in &mut spots {
        spot.start = spot.start.saturating_sub(span.start as usize);
        spot.end = spot.end.saturating_sub(span.start as usize);
    }
    interleaved(text, spots)
}

fn spot(place: Span, before: String, after: String) -> Spot {
    Spot { start: place.start as usize, end: place.end as usize, before, after }
}

fn tooltip(id: &str, content: &str) -> String {
    format!("<span class=\"remora-tip\" role=\"tooltip\" id=\"{id}\">{content}</span>")
}

/// The marks of an application: a `map` at its function, a `rep` at each argument that has one.
fn insertions(spots: &mut Vec<Spot>, frames: &Frames, printer: &Printer, id: &str) {
    let link = |class: &str, label: &str, tip: &str| {
        format!("<a class=\"remora-chip{class}\" href=\"#{id}\" aria-describedby=\"{id}-{tip}\">{label}")
    };
    let rank = frames.frame.len();
    if rank > 0 {
        let mut tip = format!("<span>frame <code>{}</code>, rank {rank}</span>", escaped(&brackets(&frames.frame)));
        frames.parts.iter().for_each(|part| tip.push_str(&about(frames, part)));
        if let Some(result) = &frames.result {
            let _ = write!(tip, "<span>result <code>{}</code></span>", escaped(&result.ty));
        }
        let label = format!("map{}", power(rank));
        let tip = format!("{}</a>", tooltip(&format!("{id}-t"), &tip));
        let head = printer.sources.snippet(frames.place);
        // An update has no function.
        let short = head.len() <= LONGEST_HEAD && !head.contains('\n');
        if short {
            spots.push(spot(frames.place, link("", &format!("{label} "), "t"), tip));
        } else {
            let place = Span { end: frames.place.start, ..frames.place };
            spots.push(spot(place, link(" remora-before", &label, "t"), tip));
        }
    }
    for (number, part) in frames.parts.iter().enumerate().filter(|(_, part)| part.replicated > 0) {
        let Some(place) = part.place else { continue };
        let name = format!("r{number}");
        let before = link(" remora-before remora-again", &format!("rep{}", power(part.replicated)), &name);
        let tip = tooltip(&format!("{id}-{name}"), &about(frames, part));
        spots.push(spot(Span { end: place.start, ..place }, before, format!("{tip}</a>")));
    }
}

/// An argument in words.
fn about(frames: &Frames, part: &Part) -> String {
    let cell = part.replicated + part.cell.len();
    let cell = match cell {
        0 => "cell: rank 0".to_string(),
        rank => format!("cell <code>{}{}</code>, rank {rank}", "[]".repeat(part.replicated), escaped(&brackets(&part.cell))),
    };
    let ty = if part.ty.is_empty() { String::new() } else { format!(" : {}", escaped(&part.ty)) };
    format!(
        "<span><code>{}{ty}</code>, rank {}: {}; {cell}</span>",
        escaped(&part.text),
        part.mapped + part.cell.len(),
        words(frames, part)
    )
}

/// A number in superscript, from 2.
fn power(number: usize) -> String {
    if number == 1 { String::new() } else { format!("<sup>{number}</sup>") }
}

/// The variables that a definition binds, as far as they are written.
fn variables(printer: &Printer, def: DefId) -> Vec<PatId> {
    let ast = &printer.program.ast;
    let DefKind::Def(decl) = &printer.program.defs[def].decl else { return Vec::new() };
    let mut work = decl.params.clone();
    for node in nodes(printer.program, def) {
        let parts = of_expr(ast, node).into_iter();
        work.extend(parts.filter_map(|part| if let children::Part::Pat(pat) = part { Some(pat) } else { None }));
    }
    let mut found = Vec::new();
    while let Some(pat) = work.pop() {
        if let PatKind::Name(name) = ast.pats[pat].kind
            && printer.sources.snippet(ast.pats[pat].span) == name.as_str()
        {
            found.push(pat);
        }
        let parts = of_pat(ast, pat).into_iter();
        work.extend(parts.filter_map(|part| if let children::Part::Pat(pat) = part { Some(pat) } else { None }));
    }
    found.sort_by_key(|pat| (ast.pats[*pat].span, *pat));
    found.dedup_by_key(|pat| ast.pats[*pat].span);
    found
}

/// A text with what stands at its spots. A spot that has others within it becomes one in front of them.
fn interleaved(text: &str, mut spots: Vec<Spot>) -> String {
    spots.sort_by_key(|spot| (spot.start, spot.end));
    let starts: Vec<usize> = spots.iter().map(|spot| spot.start).collect();
    for (index, spot) in spots.iter_mut().enumerate() {
        if starts.get(index + 1).is_some_and(|next| *next < spot.end) {
            spot.end = spot.start;
        }
    }
    spots.sort_by_key(|spot| (spot.start, spot.end));
    let (mut out, mut at) = (String::new(), 0);
    for spot in spots {
        let (Some(between), Some(inside)) = (text.get(at..spot.start), text.get(spot.start..spot.end)) else { continue };
        out.push_str(&escaped(between));
        out.push_str(&spot.before);
        out.push_str(&escaped(inside));
        out.push_str(&spot.after);
        at = spot.end;
    }
    out.push_str(&escaped(text.get(at..).unwrap_or_default()));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spots_do_not_overlap() {
        let spot = |start, end, name: &str| Spot { start, end, before: format!("({name} "), after: ")".into() };
        assert_eq!(interleaved("a < b", vec![spot(2, 3, "op"), spot(0, 1, "x")]), "(x a) (op &lt;) b");
        assert_eq!(interleaved("f x y", vec![spot(0, 5, "all"), spot(2, 3, "x")]), "(all )f (x x) y");
        assert_eq!(interleaved("v", vec![spot(0, 1, "var"), spot(0, 0, "rep")]), "(rep )(var v)");
        assert_eq!(interleaved("é", vec![spot(1, 2, "within a character")]), "é");
    }
}
