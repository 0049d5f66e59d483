//! A plot with its title, its axes and what is written beside them, on whatever can be drawn on.

use super::axis::{Axis, number};
use super::data::{Content, Image, MISSING, Series};
use super::{Labels, Size};
use plotters_backend::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontFamily, FontTransform,
};
use rustc_hash::FxHashSet;
use std::convert::Infallible;

/// The width of a character, and the height of a line.
const CHARACTER: i32 = 8;
const LINE: i32 = 18;
/// Colours that people with any sight can tell apart (Okabe and Ito, "Color universal design", 2008); the lightest is left out.
const COLORS: [(u8, u8, u8); 7] = [(0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (180, 120, 0), (86, 180, 233), (0, 0, 0)];
const INK: (u8, u8, u8) = (34, 34, 34);
const GRID: (u8, u8, u8) = (222, 222, 222);
/// The width of the scale beside a grey picture.
const SCALE: i32 = 14;

/// How something is drawn.
#[derive(Clone, Copy)]
pub(super) struct Style {
    rgb: (u8, u8, u8),
    stroke: u32,
    size: f64,
    pos: (HPos, VPos),
    upright: bool,
}

impl Style {
    /// Sizes of text.
    pub(super) const NORMAL: f64 = 16.0;
    pub(super) const TITLE: f64 = 20.0;

    fn line(rgb: (u8, u8, u8), stroke: u32) -> Style {
        Style { rgb, stroke, ..Style::text(Style::NORMAL, HPos::Left, VPos::Top) }
    }

    /// Text of a size, with the place that it is put at.
    pub(super) fn text(size: f64, horizontal: HPos, vertical: VPos) -> Style {
        Style { rgb: INK, stroke: 1, size, pos: (horizontal, vertical), upright: false }
    }

    /// The same from below to above.
    pub(super) fn upright(self) -> Style {
        Style { upright: true, ..self }
    }
}

impl BackendStyle for Style {
    fn color(&self) -> BackendColor {
        BackendColor { alpha: 1.0, rgb: self.rgb }
    }
    fn stroke_width(&self) -> u32 {
        self.stroke
    }
}

impl BackendTextStyle for Style {
    type FontError = Infallible;
    fn color(&self) -> BackendColor {
        BackendColor { alpha: 1.0, rgb: self.rgb }
    }
    fn size(&self) -> f64 {
        self.size
    }
    fn transform(&self) -> FontTransform {
        if self.upright { FontTransform::Rotate270 } else { FontTransform::None }
    }
    fn anchor(&self) -> Pos {
        Pos::new(self.pos.0, self.pos.1)
    }
    fn family(&self) -> FontFamily<'_> {
        FontFamily::Monospace
    }
    fn layout_box(&self, text: &str) -> Result<((i32, i32), (i32, i32)), Infallible> {
        Ok(((0, 0), (text.chars().count() as i32 * CHARACTER, LINE)))
    }
    fn draw<E, F: FnMut(i32, i32, BackendColor) -> Result<(), E>>(
        &self,
        _: &str,
        _: BackendCoord,
        _: F,
    ) -> Result<Result<(), E>, Infallible> {
        // What is drawn on has glyphs of its own.
        Ok(Ok(()))
    }
}

/// The part of a picture in which data are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) left: i32,
    pub(super) top: i32,
    pub(super) right: i32,
    pub(super) bottom: i32,
}

/// A picture whose pixels are not drawn yet, and where they belong.
pub(super) type Pixels<'a> = (&'a Image, Area);

type Drawn<B, T = ()> = Result<T, DrawingErrorKind<<B as DrawingBackend>::ErrorType>>;

struct Canvas<'a, B: DrawingBackend> {
    backend: &'a mut B,
    area: Area,
    x: Axis,
    y: Axis,
    /// Whether values grow downwards, as the numbers of rows do.
    down: bool,
}

/// Draws everything but the pixels of a picture, which are returned.
pub(super) fn draw<'a, B: DrawingBackend>(
    backend: &mut B,
    content: &'a Content,
    labels: &Labels,
    size: Size,
) -> Drawn<B, Option<Pixels<'a>>> {
    let (x, y) = axes(content);
    let (width, height) = (size.width as i32, size.height as i32);
    backend.draw_rect((0, 0), (width, height), &Style::line((255, 255, 255), 1), true)?;
    let ticks = y.ticks((height / 60).clamp(2, 10) as usize);
    let longest = ticks.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as i32;
    let scale = match content {
        Content::Image(Image { scale: Some((low, high)), .. }) => Some((number(*low), number(*high))),
        _ => None,
    };
    let beside = scale.as_ref().map_or(0, |(low, high)| SCALE + 14 + low.len().max(high.len()) as i32 * CHARACTER);
    let area = Area {
        left: 12 + longest * CHARACTER + if labels.y.is_empty() { 0 } else { LINE + 4 },
        top: if labels.title.is_empty() { 14 } else { 34 },
        right: width - 18 - beside,
        bottom: height - 10 - LINE - if labels.x.is_empty() { 0 } else { LINE + 2 },
    };
    // There is a picture, however small.
    let area = Area { left: area.left.min(width / 2), right: area.right.max(width / 2 + 20), ..area };
    let area = match content {
        Content::Image(image) => fitted(image, area),
        Content::Lines(_) | Content::Points(_) | Content::Histogram { .. } => area,
    };
    let mut canvas = Canvas { backend, area, x, y, down: matches!(content, Content::Image(_)) };
    canvas.labels(labels, size, &ticks)?;
    if is_empty(content) {
        let middle = ((area.left + area.right) / 2, (area.top + area.bottom) / 2);
        canvas.backend.draw_text("nothing to draw", &Style::text(Style::NORMAL, HPos::Center, VPos::Center), middle)?;
        return Ok(None);
    }
    match content {
        Content::Lines(lines) => canvas.lines(lines)?,
        Content::Points(points) => canvas.points(points)?,
        Content::Histogram { range, counts } => canvas.columns(*range, counts)?,
        Content::Image(image) => {
            if let Some(scale) = scale {
                canvas.scale(&scale)?;
            }
            return Ok(Some((image, area)));
        }
    }
    Ok(None)
}

/// Whether there is nothing in it.
pub(super) fn is_empty(content: &Content) -> bool {
    let none = |series: &Series| (0..series.y.len()).all(|i| is_missing(series.point(i)));
    match content {
        Content::Lines(lines) => lines.iter().all(none),
        Content::Points(points) => none(points),
        Content::Image(image) => image.pixels.is_empty(),
        Content::Histogram { counts, .. } => counts.iter().all(|count| *count == 0),
    }
}

fn is_missing((x, y): (f64, f64)) -> bool {
    x.is_nan() || y.is_nan()
}

/// The ranges of a plot.
pub(super) fn axes(content: &Content) -> (Axis, Axis) {
    let over = |all: &[Series]| {
        let points = || all.iter().flat_map(|series| (0..series.y.len()).map(|i| series.point(i))).filter(|point| !is_missing(*point));
        (Axis::over(points().map(|point| point.0)), Axis::over(points().map(|point| point.1)).wider(0.04))
    };
    match content {
        Content::Lines(lines) => over(lines),
        Content::Points(points) => {
            let (x, y) = over(std::slice::from_ref(points));
            (x.wider(0.04), y)
        }
        Content::Image(Image { width, height, .. }) => {
            (Axis { from: 0.0, to: (*width).max(1) as f64 }, Axis { from: 0.0, to: (*height).max(1) as f64 })
        }
        Content::Histogram { range, counts } => {
            let most = counts.iter().copied().max().unwrap_or(0).max(1);
            (*range, Axis { from: 0.0, to: most as f64 * 1.05 })
        }
    }
}

/// The largest part of an area that has the form of the picture.
fn fitted(image: &Image, area: Area) -> Area {
    let (width, height) = (image.width.max(1) as f64, image.height.max(1) as f64);
    let (wide, high) = (f64::from(area.right - area.left), f64::from(area.bottom - area.top));
    let factor = (wide / width).min(high / height);
    let side = |pixels: f64| (pixels * factor).round().max(1.0) as i32;
    Area { right: area.left + side(width), bottom: area.top + side(height), ..area }
}

/// A text that is not wider than this.
fn cut(text: &str, width: i32, character: i32) -> String {
    let most = (width / character).max(3) as usize;
    if text.chars().count() <= most { text.to_string() } else { text.chars().take(most - 2).chain("..".chars()).collect() }
}

impl<B: DrawingBackend> Canvas<'_, B> {
    /// What is written around the data, and the lines behind them.
    fn labels(&mut self, labels: &Labels, size: Size, ticks: &[(f64, String)]) -> Drawn<B> {
        let Area { left, top, right, bottom } = self.area;
        let (middle, width, height) = ((left + right) / 2, size.width as i32, size.height as i32);
        let grid = Style::line(GRID, 1);
        let text = Style::text(Style::NORMAL, HPos::Right, VPos::Center);
        for (value, tick) in ticks {
            let y = self.row(*value);
            self.backend.draw_line((left, y), (right, y), &grid)?;
            self.backend.draw_text(tick, &text, (left - 6, y))?;
        }
        let across = self.x.ticks(((right - left) / 90).clamp(1, 12) as usize);
        let text = Style::text(Style::NORMAL, HPos::Center, VPos::Top);
        for (value, tick) in &across {
            let x = self.x.place(*value, left, right);
            self.backend.draw_line((x, top), (x, bottom), &grid)?;
            self.backend.draw_text(tick, &text, (x, bottom + 4))?;
        }
        self.backend.draw_rect((left, top), (right, bottom), &Style::line(INK, 1), false)?;
        if !labels.title.is_empty() {
            let text = Style::text(Style::TITLE, HPos::Center, VPos::Top);
            self.backend.draw_text(&cut(&labels.title, width - 16, 11), &text, (width / 2, 8))?;
        }
        if !labels.x.is_empty() {
            let text = Style::text(Style::NORMAL, HPos::Center, VPos::Bottom);
            let place = (middle, (bottom + 6 + 2 * LINE).min(height - 2));
            self.backend.draw_text(&cut(&labels.x, width - 16, CHARACTER), &text, place)?;
        }
        if !labels.y.is_empty() {
            let text = Style::text(Style::NORMAL, HPos::Center, VPos::Top).upright();
            self.backend.draw_text(&cut(&labels.y, bottom - top, CHARACTER), &text, (6, (top + bottom) / 2))?;
        }
        Ok(())
    }

    fn row(&self, value: f64) -> i32 {
        match self.down {
            true => self.y.place(value, self.area.top, self.area.bottom),
            false => self.y.place(value, self.area.bottom, self.area.top),
        }
    }

    fn place(&self, (x, y): (f64, f64)) -> BackendCoord {
        (self.x.place(x, self.area.left, self.area.right), self.row(y))
    }

    fn lines(&mut self, lines: &[Series]) -> Drawn<B> {
        for (index, line) in lines.iter().enumerate() {
            let style = Style::line(COLORS[index % COLORS.len()], 2);
            for piece in self.pieces(line) {
                match piece[..] {
                    // A value between others that are missing.
                    [point] => self.backend.draw_circle(point, 2, &style, true)?,
                    _ => self.backend.draw_path(piece, &style)?,
                }
            }
        }
        if (2..=COLORS.len()).contains(&lines.len()) {
            let text = Style::text(Style::NORMAL, HPos::Right, VPos::Top);
            for (index, color) in COLORS.iter().enumerate().take(lines.len()) {
                let (x, y) = (self.area.right - 8, self.area.top + 6 + index as i32 * LINE);
                self.backend.draw_line((x - 44, y + 8), (x - 20, y + 8), &Style::line(*color, 2))?;
                self.backend.draw_text(&index.to_string(), &text, (x, y))?;
            }
        }
        Ok(())
    }

    /// A line as pieces without missing values. Of points one after the other in one column of pixels the ends and the extremes are kept.
    fn pieces(&self, line: &Series) -> Vec<Vec<BackendCoord>> {
        let mut pieces: Vec<Vec<BackendCoord>> = vec![Vec::new()];
        let mut column: Vec<BackendCoord> = Vec::new();
        let flush = |column: &mut Vec<BackendCoord>, pieces: &mut Vec<Vec<BackendCoord>>| {
            if let Some(piece) = pieces.last_mut() {
                piece.append(column);
                piece.dedup();
            }
        };
        for i in 0..line.y.len() {
            let point = line.point(i);
            if is_missing(point) {
                flush(&mut column, &mut pieces);
                pieces.push(Vec::new());
                continue;
            }
            let point = self.place(point);
            match column[..] {
                [first, low, high, _] if first.0 == point.0 => {
                    let lower = if point.1 < low.1 { point } else { low };
                    let higher = if point.1 > high.1 { point } else { high };
                    column = vec![first, lower, higher, point];
                }
                _ => {
                    flush(&mut column, &mut pieces);
                    column = vec![point; 4];
                }
            }
        }
        flush(&mut column, &mut pieces);
        pieces.retain(|piece| !piece.is_empty());
        pieces
    }

    fn points(&mut self, points: &Series) -> Drawn<B> {
        let style = Style::line(COLORS[0], 1);
        let radius = match points.y.len() {
            0..300 => 3,
            300..3000 => 2,
            _ => 1,
        };
        let mut seen = FxHashSet::default();
        for point in (0..points.y.len()).map(|i| points.point(i)).filter(|point| !is_missing(*point)) {
            let place = self.place(point);
            if seen.insert(place) {
                self.backend.draw_circle(place, radius, &style, true)?;
            }
        }
        Ok(())
    }

    fn columns(&mut self, range: Axis, counts: &[u64]) -> Drawn<B> {
        let width = (range.to - range.from) / counts.len() as f64;
        let style = Style::line(COLORS[0], 1);
        for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (left, top) = self.place((range.from + width * index as f64, *count as f64));
            let (right, bottom) = self.place((range.from + width * (index + 1) as f64, 0.0));
            let gap = i32::from(right - left > 3);
            self.backend.draw_rect((left + gap, top), ((right - gap).max(left + gap), bottom), &style, true)?;
        }
        Ok(())
    }

    /// The values of black and white beside a picture.
    fn scale(&mut self, (low, high): &(String, String)) -> Drawn<B> {
        let Area { top, right, bottom, .. } = self.area;
        let left = right + 10;
        for y in top..=bottom {
            let part = f64::from(bottom - y) / f64::from((bottom - top).max(1));
            let level = (part * 255.0).round() as u8;
            self.backend.draw_line((left, y), (left + SCALE, y), &Style::line((level, level, level), 1))?;
        }
        self.backend.draw_rect((left, top), (left + SCALE, bottom), &Style::line(INK, 1), false)?;
        self.backend.draw_text(high, &Style::text(Style::NORMAL, HPos::Left, VPos::Top), (left + SCALE + 4, top))?;
        self.backend.draw_text(low, &Style::text(Style::NORMAL, HPos::Left, VPos::Bottom), (left + SCALE + 4, bottom.max(top + 2 * LINE)))
    }
}

/// A picture with as many pixels as an area: those of smaller ones are repeated, of larger ones there are means. What is missing stays so.
pub(super) fn resized(image: &Image, width: usize, height: usize) -> Vec<[u8; 3]> {
    let range = |at: usize, of: usize, from: usize| {
        let first = at * from / of;
        first..((at + 1) * from).div_ceil(of).max(first + 1).min(from.max(first + 1))
    };
    let mut out = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut count) = ([0u64; 3], 0u64);
            let (rows, columns) = (range(y, height, image.height), range(x, width, image.width));
            // A pixel that lies in several of a smaller picture takes one of them.
            let rows = if image.height <= height { rows.start..rows.start + 1 } else { rows };
            let columns = if image.width <= width { columns.start..columns.start + 1 } else { columns };
            let mut missing = false;
            for row in rows {
                for pixel in &image.pixels[row * image.width + columns.start..row * image.width + columns.end] {
                    missing |= *pixel == MISSING && image.scale.is_some();
                    sum.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u64::from(*part));
                    count += 1;
                }
            }
            out.push(if missing { MISSING } else { sum.map(|sum| (sum / count.max(1)) as u8) });
        }
    }
    out
}
