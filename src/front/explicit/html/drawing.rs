//! Drawings of applications: a table with a column for each dimension, and a picture of each argument as cells in a frame.

use super::escaped;
use crate::diag::frames::{Frames, Part};
use std::fmt::Write;

/// Arrays of more dimensions have no picture.
const MOST_AXES: usize = 4;
/// So many pieces stand for a dimension of unknown size; more are drawn of none.
const PIECES: usize = 3;

/// What happens to a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The function is applied for each place in it.
    Mapped,
    /// The array does not have it: it is the same for each place in it.
    Repeated,
    /// The function gets all of it.
    Consumed,
}

impl Fate {
    fn class(self) -> &'static str {
        match self {
            Fate::Mapped => "remora-mapped",
            Fate::Repeated => "remora-repeated",
            Fate::Consumed => "remora-consumed",
        }
    }
}

/// The drawing of an application; `line` is where it stands, from 1, and `id` what links to it name.
pub(super) fn application(frames: &Frames, line: usize, column: usize, id: &str) -> String {
    let rank = frames.frame.len();
    let cells = frames.parts.iter().chain(&frames.result).map(|part| part.replicated + part.cell.len()).max().unwrap_or(0);
    let id = if id.is_empty() { String::new() } else { format!(" id=\"{id}\" tabindex=\"-1\"") };
    let mut out =
        format!("<div class=\"remora-frames\"{id}>\n<table>\n<caption><code>{}</code> at {line}:{column}", escaped(&frames.function));
    if rank > 0 {
        let _ = write!(out, ", for each place in a frame <code>{}</code>", escaped(&brackets(&frames.frame)));
    }
    out.push_str(
        "</caption>\n<tr><th scope=\"col\">array</th><th class=\"remora-ty\" scope=\"col\">type</th><th scope=\"col\">picture</th>",
    );
    let mut group = |count: usize, name: &str| {
        if count > 0 {
            let _ = write!(out, "<th scope=\"colgroup\" colspan=\"{count}\">{name}</th>");
        }
    };
    group(rank, "frame");
    group(cells.max(1), "cell");
    out.push_str("<th scope=\"col\">in words</th></tr>\n");
    for part in &frames.parts {
        row(&mut out, frames, part, cells, &words(frames, part));
    }
    if let Some(result) = &frames.result {
        row(&mut out, frames, result, cells, if rank > 0 { "a cell for each place in the frame" } else { "what the function makes" });
    }
    out.push_str("</table>\n</div>\n");
    out
}

fn row(out: &mut String, frames: &Frames, part: &Part, cells: usize, words: &str) {
    let _ = write!(
        out,
        "<tr><th scope=\"row\"><code>{}</code></th><td class=\"remora-ty\"><code>{}</code></td><td>{}</td>",
        escaped(&part.text),
        escaped(&part.ty),
        picture(frames, part)
    );
    let fates = fates(frames, part);
    let (frame, cell) = fates.split_at(frames.frame.len());
    let mut axis = |(fate, size): &(Fate, &str)| {
        let said = match fate {
            Fate::Mapped => "mapped",
            Fate::Repeated => "replicated",
            Fate::Consumed => "consumed",
        };
        let _ = write!(out, "<td class=\"remora-axis {}\"><code>[{}]</code>{said}</td>", fate.class(), escaped(size));
    };
    frame.iter().for_each(&mut axis);
    cell.iter().for_each(&mut axis);
    if cell.is_empty() {
        out.push_str("<td class=\"remora-axis\">rank 0</td>");
    }
    (cell.len().max(1)..cells.max(1)).for_each(|_| out.push_str("<td></td>"));
    let _ = writeln!(out, "<td class=\"remora-words\">{words}</td></tr>");
}

/// The dimensions of a part, those that it is the same for included: of the frame, then of its cell.
fn fates<'a>(frames: &'a Frames, part: &'a Part) -> Vec<(Fate, &'a str)> {
    let outer = frames.frame.len().saturating_sub(part.mapped);
    let frame = frames.frame.iter().enumerate().map(|(i, size)| (if i < outer { Fate::Repeated } else { Fate::Mapped }, size.as_str()));
    let again = std::iter::repeat_n((Fate::Repeated, ""), part.replicated);
    frame.chain(again).chain(part.cell.iter().map(|size| (Fate::Consumed, size.as_str()))).collect()
}

/// What happens to an argument.
pub(super) fn words(frames: &Frames, part: &Part) -> String {
    let count = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let mut said = Vec::new();
    if part.mapped > 0 {
        said.push(format!("mapped over {}", count(part.mapped, "dimension")));
    }
    if part.replicated > 0 {
        said.push(format!("replicated {}", count(part.replicated, "time")));
    }
    let same = frames.frame.len().saturating_sub(part.mapped);
    if same > 0 {
        said.push(format!("the same for {} that other arguments have", count(same, "dimension")));
    }
    if said.is_empty() { "as it is".into() } else { said.join(", ") }
}

/// `[n][m]`.
pub(super) fn brackets(sizes: &[String]) -> String {
    sizes.iter().map(|size| format!("[{size}]")).collect()
}

/// Something with a width and a height that is drawn at a place.
struct Drawn {
    width: u32,
    height: u32,
    /// Rectangles: place, extent, class.
    boxes: Vec<(u32, u32, u32, u32, &'static str)>,
}

/// An array as its cells in its frame: the last dimension goes to the right, the one before it down, and so on.
fn picture(frames: &Frames, part: &Part) -> String {
    let fates = fates(frames, part);
    let replicated = frames.frame.len().saturating_sub(part.mapped) + part.replicated;
    let label = format!("{} mapped, {replicated} replicated, {} consumed", part.mapped, part.cell.len());
    if fates.len() > MOST_AXES {
        return format!(
            "<svg width=\"10\" height=\"10\" role=\"img\" aria-label=\"{label}\"><rect class=\"remora-consumed\" x=\"1\" y=\"1\" width=\"8\" height=\"8\"/></svg>"
        );
    }
    let mut drawn = Drawn { width: 9, height: 9, boxes: vec![(0, 0, 9, 9, "remora-consumed")] };
    for (index, (fate, size)) in fates.iter().rev().enumerate() {
        drawn = repeated(&drawn, *fate, pieces(size), index % 2 == 0);
    }
    let mut out = format!("<svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"{label}\">", drawn.width + 2, drawn.height + 2);
    for (x, y, width, height, class) in &drawn.boxes {
        let _ = write!(out, "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\"/>", x + 1, y + 1);
    }
    out.push_str("</svg>");
    out
}

/// How many pieces a dimension of this size has in a picture.
fn pieces(size: &str) -> usize {
    size.parse().map_or(PIECES, |size: usize| size.clamp(1, PIECES))
}

/// Pieces of a dimension side by side: apart in a box where the function is applied to each, close together in a cell. Of what is the same
/// everywhere the first is drawn, and where the others would be.
fn repeated(one: &Drawn, fate: Fate, count: usize, across: bool) -> Drawn {
    let (gap, rim) = if fate == Fate::Consumed { (0, 0) } else { (3, 3) };
    let extent = if across { one.width } else { one.height };
    let step = extent + gap;
    let total = count as u32 * step - gap + 2 * rim;
    let (width, height) = if across { (total, one.height + 2 * rim) } else { (one.width + 2 * rim, total) };
    let mut boxes = Vec::new();
    if fate != Fate::Consumed {
        boxes.push((0, 0, width, height, fate.class()));
    }
    for place in 0..count as u32 {
        let (dx, dy) = if across { (rim + place * step, rim) } else { (rim, rim + place * step) };
        if fate == Fate::Repeated && place > 0 {
            boxes.push((dx, dy, one.width, one.height, fate.class()));
        } else {
            boxes.extend(one.boxes.iter().map(|(x, y, w, h, class)| (x + dx, y + dy, *w, *h, *class)));
        }
    }
    Drawn { width, height, boxes }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(frame: &[&str], mapped: usize, replicated: usize, cell: &[&str]) -> (Frames, Part) {
        let texts = |sizes: &[&str]| sizes.iter().map(|size| (*size).to_string()).collect::<Vec<_>>();
        let part = Part { text: "x".into(), place: None, ty: "t".into(), mapped, replicated, cell: texts(cell) };
        let place = crate::base::Span::default();
        (Frames { function: "f".into(), place, frame: texts(frame), parts: vec![part.clone()], result: None }, part)
    }

    #[test]
    fn each_dimension_has_a_fate() {
        let (whole, part) = frames(&["n", "m"], 1, 0, &["k"]);
        assert_eq!(fates(&whole, &part), [(Fate::Repeated, "n"), (Fate::Mapped, "m"), (Fate::Consumed, "k")]);
        assert_eq!(words(&whole, &part), "mapped over 1 dimension, the same for 1 dimension that other arguments have");
        let (whole, part) = frames(&[], 0, 2, &["k"]);
        assert_eq!(fates(&whole, &part), [(Fate::Repeated, ""), (Fate::Repeated, ""), (Fate::Consumed, "k")]);
    }

    #[test]
    fn pictures_have_a_piece_for_each_place() {
        // A frame of 2 by 3 with a cell each, in a box for each row and one around all.
        let (whole, part) = frames(&["2", "n"], 2, 0, &[]);
        assert_eq!(picture(&whole, &part).matches("<rect").count(), 1 + 2 * (1 + 3));
        // Of what is the same for all rows only one is drawn.
        let (whole, part) = frames(&["2", "n"], 1, 0, &[]);
        assert_eq!(picture(&whole, &part).matches("remora-repeated").count(), 2);
        let (whole, part) = frames(&["a", "b", "c", "d", "e"], 5, 0, &[]);
        assert_eq!(picture(&whole, &part).matches("<rect").count(), 1);
    }

    #[test]
    fn sizes_and_names_are_escaped() {
        let (mut whole, _) = frames(&["<n>"], 1, 0, &["<k>"]);
        whole.parts[0].text = "<script>".into();
        whole.parts[0].ty = "<b>".into();
        whole.function = "<i>".into();
        let out = application(&whole, 1, 2, "");
        assert!(!out.contains("<script>") && !out.contains("<n>") && !out.contains("<k>") && !out.contains("<b>") && !out.contains("<i>"));
    }
}
