//! Pixels that are drawn on: lines and circles with soft edges, and text from the glyphs of a font that were made into pixels before.

use super::draw::Style;
use crate::runtime::data::image;
use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind};
use std::convert::Infallible;

/// Rows of pixels with red, green and blue.
pub(super) struct Raster {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Raster {
    /// White.
    pub(super) fn new(width: u32, height: u32) -> Raster {
        Raster { width, height, pixels: vec![255; width as usize * height as usize * 3] }
    }

    /// A PNG file.
    pub(super) fn png(&self) -> Result<Vec<u8>, String> {
        image::encode(self.width as usize, self.height as usize, true, &self.pixels)
    }

    /// Draws over a pixel, if there is one.
    fn blend(&mut self, x: i32, y: i32, color: BackendColor) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let at = (y as usize * self.width as usize + x as usize) * 3;
        let new = [color.rgb.0, color.rgb.1, color.rgb.2];
        for (old, new) in self.pixels[at..at + 3].iter_mut().zip(new) {
            *old = (f64::from(*old) + (f64::from(new) - f64::from(*old)) * color.alpha.clamp(0.0, 1.0)).round() as u8;
        }
    }
}

/// How far a point is from the line between two others.
fn distance(x: f64, y: f64, (ax, ay): (f64, f64), (bx, by): (f64, f64)) -> f64 {
    let (dx, dy) = (bx - ax, by - ay);
    let length = dx * dx + dy * dy;
    let along = if length == 0.0 { 0.0 } else { (((x - ax) * dx + (y - ay) * dy) / length).clamp(0.0, 1.0) };
    ((x - ax - along * dx).powi(2) + (y - ay - along * dy).powi(2)).sqrt()
}

/// The pixels near a line, with how much of each it covers.
fn near(from: BackendCoord, to: BackendCoord, wide: f64, mut covers: impl FnMut(i32, i32, f64)) {
    let (a, b) = ((f64::from(from.0), f64::from(from.1)), (f64::from(to.0), f64::from(to.1)));
    let reach = (wide / 2.0 + 1.5).ceil() as i32;
    let steep = (b.1 - a.1).abs() > (b.0 - a.0).abs();
    let (first, last) = if steep { (from.1.min(to.1), from.1.max(to.1)) } else { (from.0.min(to.0), from.0.max(to.0)) };
    let slope = if steep { (b.0 - a.0) / (b.1 - a.1) } else { (b.1 - a.1) / (b.0 - a.0) };
    for main in first - reach..=last + reach {
        let middle = match (steep, slope.is_finite()) {
            (_, false) => a.1,
            (true, true) => a.0 + (f64::from(main) - a.1) * slope,
            (false, true) => a.1 + (f64::from(main) - a.0) * slope,
        };
        let middle = middle.round() as i32;
        for side in middle - reach * 2..=middle + reach * 2 {
            let (x, y) = if steep { (side, main) } else { (main, side) };
            let part = (wide / 2.0 + 0.5 - distance(f64::from(x), f64::from(y), a, b)).clamp(0.0, 1.0);
            if part > 0.0 {
                covers(x, y, part);
            }
        }
    }
}

impl DrawingBackend for Raster {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.blend(point.0, point.1, color);
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        let (width, height) = (self.width as i32, self.height as i32);
        // Where parts of a path meet, they are no darker than elsewhere.
        let mut covered = vec![0u8; self.width as usize * self.height as usize];
        let mut before: Option<BackendCoord> = None;
        for point in path {
            let from = before.unwrap_or(point);
            near(from, point, f64::from(style.stroke_width()), |x, y, part| {
                if (0..width).contains(&x) && (0..height).contains(&y) {
                    let old = &mut covered[(y * width + x) as usize];
                    *old = (*old).max((part * 255.0) as u8);
                }
            });
            before = Some(point);
        }
        let color = style.color();
        for (at, part) in covered.iter().enumerate().filter(|(_, part)| **part > 0) {
            let (x, y) = (at as i32 % width, at as i32 / width);
            self.blend(x, y, BackendColor { alpha: color.alpha * f64::from(*part) / 255.0, rgb: color.rgb });
        }
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(&mut self, center: BackendCoord, radius: u32, style: &S, _fill: bool) -> Drawn {
        let reach = radius as i32 + 1;
        for (dx, dy) in (-reach..=reach).flat_map(|dx| (-reach..=reach).map(move |dy| (dx, dy))) {
            let part = f64::from(radius) + 0.5 - f64::from(dx * dx + dy * dy).sqrt();
            let color = style.color();
            let alpha = color.alpha * part.clamp(0.0, 1.0);
            self.blend(center.0 + dx, center.1 + dy, BackendColor { alpha, rgb: color.rgb });
        }
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, pos: BackendCoord) -> Drawn {
        let size = raster_size(style.size());
        let (step, line) = (get_raster_width(FontWeight::Regular, size) as i32, size.val() as i32);
        let width = step * text.chars().count() as i32;
        let dx = match style.anchor().h_pos {
            HPos::Left => 0,
            HPos::Right => -width,
            HPos::Center => -width / 2,
        };
        let dy = match style.anchor().v_pos {
            VPos::Top => 0,
            VPos::Center => -line / 2,
            VPos::Bottom => -line,
        };
        let (turn, color) = (style.transform(), style.color());
        for (number, c) in text.chars().enumerate() {
            let glyph = get_raster(c, FontWeight::Regular, size).or_else(|| get_raster('?', FontWeight::Regular, size));
            for (y, row) in glyph.iter().flat_map(|glyph| glyph.rows()).enumerate() {
                for (x, part) in row.iter().enumerate().filter(|(_, part)| **part > 0) {
                    let (x, y) = turn.transform(dx + number as i32 * step + x as i32, dy + y as i32);
                    self.blend(pos.0 + x, pos.1 + y, BackendColor { alpha: color.alpha * f64::from(*part) / 255.0, rgb: color.rgb });
                }
            }
        }
        Ok(())
    }
}

fn raster_size(size: f64) -> RasterHeight {
    if size >= Style::TITLE { RasterHeight::Size20 } else { RasterHeight::Size16 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dark(raster: &Raster) -> usize {
        raster.pixels.chunks(3).filter(|pixel| pixel[0] < 128).count()
    }

    #[test]
    fn lines_go_from_end_to_end() {
        let black = BackendColor { alpha: 1.0, rgb: (0, 0, 0) };
        for (from, to) in [((2, 2), (17, 2)), ((2, 2), (2, 17)), ((2, 2), (17, 17)), ((17, 3), (2, 16)), ((5, 2), (9, 17))] {
            let mut raster = Raster::new(20, 20);
            raster.draw_path([from, to], &black).expect("drawn");
            assert!((15..=24).contains(&dark(&raster)), "{from:?} {to:?}: {}", dark(&raster));
        }
        let mut raster = Raster::new(20, 20);
        raster.draw_path([(3, 3)], &black).expect("drawn");
        raster.draw_path([(-50, 10), (50, 10)], &black).expect("drawn");
        raster.draw_path([], &black).expect("drawn");
        assert_eq!(dark(&raster), 21);
    }

    #[test]
    fn text_is_drawn_where_it_belongs() {
        let style = Style::text(Style::NORMAL, HPos::Center, VPos::Center);
        let mut raster = Raster::new(60, 40);
        raster.draw_text("mm", &style, (30, 20)).expect("drawn");
        let rows: Vec<usize> = (0..40).filter(|y| raster.pixels[y * 180..(y + 1) * 180].iter().any(|part| *part < 128)).collect();
        assert!(rows.first().is_some_and(|y| *y > 10) && rows.last().is_some_and(|y| *y < 30), "{rows:?}");
        // Characters without a glyph are something as well, and text may be larger than the picture.
        let before = dark(&raster);
        raster.draw_text("語", &style, (10, 20)).expect("drawn");
        raster.draw_text(&"x".repeat(100), &style.upright(), (0, 0)).expect("drawn");
        assert!(dark(&raster) > before);
    }
}
