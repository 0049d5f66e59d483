//! Plots of characters, for terminals: each stands for two by four dots, or for a pixel of a picture.

use super::axis::number;
use super::data::{Content, Image, Series};
use super::draw::{axes, is_empty, resized};

/// Characters in a row and rows, without what is written beside them.
const COLUMNS: usize = 64;
const ROWS: usize = 16;
/// From dark to light.
const SHADES: [char; 10] = [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'];

/// The plot as lines of text.
pub(super) fn draw(content: &Content, title: &str) -> String {
    let mut out = String::new();
    if !title.is_empty() {
        out.push_str(&format!("{}\n", crate::diag::visible_name(title)));
    }
    if is_empty(content) {
        return out + "nothing to draw\n";
    }
    if let Content::Image(image) = content {
        return out + &shades(image);
    }
    let (x, y) = axes(content);
    let mut dots = Dots(vec![[false; COLUMNS * 2]; ROWS * 4]);
    let place = |(a, b): (f64, f64)| (x.place(a, 0, COLUMNS as i32 * 2 - 1), y.place(b, ROWS as i32 * 4 - 1, 0));
    let known = |series: &Series, i: usize| Some(series.point(i)).filter(|(a, b)| !a.is_nan() && !b.is_nan()).map(place);
    match content {
        Content::Lines(lines) => {
            for line in lines {
                let mut before = None;
                for i in 0..line.y.len() {
                    let point = known(line, i);
                    if let Some(to) = point {
                        dots.line(before.unwrap_or(to), to);
                    }
                    before = point;
                }
            }
        }
        Content::Points(points) => (0..points.y.len()).filter_map(|i| known(points, i)).for_each(|point| dots.set(point)),
        Content::Histogram { range, counts } => {
            let width = (range.to - range.from) / counts.len() as f64;
            for (index, count) in counts.iter().enumerate() {
                let (left, top) = place((range.from + width * index as f64, *count as f64));
                let (right, bottom) = place((range.from + width * (index + 1) as f64, 0.0));
                let rows = if *count == 0 { bottom + 1..=bottom } else { top..=bottom };
                rows.for_each(|row| (left..right.max(left + 1)).for_each(|column| dots.set((column, row))));
            }
        }
        Content::Image(_) => {}
    }
    let (low, high) = (number(y.from), number(y.to));
    let margin = low.chars().count().max(high.chars().count());
    for (row, text) in dots.rows().into_iter().enumerate() {
        let label = if row == 0 {
            &high
        } else if row == ROWS - 1 {
            &low
        } else {
            ""
        };
        out.push_str(&format!("{label:>margin$} |{}\n", text.trim_end_matches('\u{2800}')));
    }
    let (from, to) = (number(x.from), number(x.to));
    let gap = COLUMNS.saturating_sub(from.chars().count() + to.chars().count()).max(1);
    out.push_str(&format!("{:margin$} +{}\n{:margin$}  {from}{:gap$}{to}\n", "", "-".repeat(COLUMNS), "", ""));
    out
}

struct Dots(Vec<[bool; COLUMNS * 2]>);

impl Dots {
    fn set(&mut self, (x, y): (i32, i32)) {
        let dot = usize::try_from(y).ok().and_then(|y| self.0.get_mut(y)).zip(usize::try_from(x).ok());
        if let Some(dot) = dot.and_then(|(row, x)| row.get_mut(x)) {
            *dot = true;
        }
    }

    fn line(&mut self, from: (i32, i32), to: (i32, i32)) {
        let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).max(1);
        for step in 0..=steps {
            let part = f64::from(step) / f64::from(steps);
            let at = |a: i32, b: i32| (f64::from(a) + part * f64::from(b - a)).round() as i32;
            self.set((at(from.0, to.0), at(from.1, to.1)));
        }
    }

    /// The dots as Braille characters: the bits of dots 1, 2, 3, 7 are on the left, 4, 5, 6, 8 on the right (Unicode, block 2800).
    fn rows(&self) -> Vec<String> {
        const BITS: [[u32; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
        let character = |rows: &[[bool; COLUMNS * 2]], column: usize| {
            let dots = rows.iter().zip(BITS).flat_map(|(row, bits)| [(row[column * 2], bits[0]), (row[column * 2 + 1], bits[1])]);
            let bits: u32 = dots.filter(|(dot, _)| *dot).map(|(_, bit)| bit).sum();
            char::from_u32(0x2800 + bits).unwrap_or(' ')
        };
        self.0.chunks(4).map(|rows| (0..COLUMNS).map(|column| character(rows, column)).collect()).collect()
    }
}

/// A picture in shades. Characters are twice as high as wide.
fn shades(image: &Image) -> String {
    let width = image.width.min(COLUMNS);
    let height = (image.height * width).div_ceil(image.width * 2).clamp(1, ROWS * 2);
    let shade = |pixel: &[u8; 3]| {
        let light = pixel.iter().map(|part| usize::from(*part)).sum::<usize>() / 3;
        SHADES[light * (SHADES.len() - 1) / 255]
    };
    let mut out = String::new();
    for row in resized(image, width, height).chunks(width) {
        out.push_str(&format!("|{}|\n", row.iter().map(shade).collect::<String>()));
    }
    if let Some((low, high)) = image.scale {
        out.push_str(&format!("{:?} is {}, {:?} is {}\n", SHADES[0], number(low), SHADES[SHADES.len() - 1], number(high)));
    }
    out
}
