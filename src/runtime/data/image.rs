//! PNG images as `[height][width]u8` (grey) or `[height][width][3]u8` (red, green, blue).

use super::{At, Expected, Place, Result};
use crate::base::{Code, PrimType};
use crate::runtime::{Array, Buffer, Value, buffer::vector};

/// The first bytes of every PNG file.
pub const MAGIC: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Reads an image; colours become grey or grey becomes colours as the expected rank asks, transparency is dropped.
pub(super) fn read(source: &str, bytes: &[u8], expected: &Expected) -> Result<Value> {
    let place = Place { source, at: At::Byte(0) };
    let bad = |error: &dyn std::fmt::Display| place.problem(Code::DataLength, expected, format!("the PNG image cannot be read: {error}"));
    if expected.prim != PrimType::U8 || !(2..=3).contains(&expected.rank) {
        return Err(place.problem(
            Code::ElementType,
            expected,
            format!("expected {}, found an image: [][]u8 or [][][]u8", expected.shown()),
        ));
    }
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|e| bad(&e))?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let size = reader.output_buffer_size().ok_or_else(|| bad(&"it is too large"))?;
    // Deflate packs at most about 1032 to 1.
    if size / 1100 > bytes.len() {
        return Err(bad(&format!("{width} by {height} pixels cannot come from {} bytes", bytes.len())));
    }
    let mut pixels = vector::<u8>(size).map_err(|s| place.shortage(expected, s))?;
    pixels.resize(size, 0);
    let info = reader.next_frame(&mut pixels).map_err(|e| bad(&e))?;
    pixels.truncate(info.buffer_size());
    let channels = info.color_type.samples();
    let mut out = vector::<u8>(width * height * if expected.rank == 3 { 3 } else { 1 }).map_err(|s| place.shortage(expected, s))?;
    for pixel in pixels.chunks_exact(channels) {
        let (r, g, b) = match *pixel {
            [r, g, b] | [r, g, b, _] => (r, g, b),
            [grey, ..] => (grey, grey, grey),
            [] => (0, 0, 0),
        };
        match expected.rank {
            3 => out.extend([r, g, b]),
            // Rec. 601 weights in 1/1000, rounded.
            _ => out.push(((299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) + 500) / 1000) as u8),
        }
    }
    let shape = [height, width, 3];
    Array::new(&shape[..expected.rank], Buffer::new(out)).map(Value::Array).ok_or_else(|| bad(&"it is incomplete"))
}

/// A PNG file; the reason why not for values that are not images.
pub fn write(value: &Value) -> std::result::Result<Vec<u8>, String> {
    let shape = value.dims();
    let (height, width, colours) = match *shape {
        [height, width] => (height, width, false),
        [height, width, 3] => (height, width, true),
        _ => return Err(format!("a value of shape {shape:?} is no image: [height][width]u8 or [height][width][3]u8 is needed")),
    };
    let Some(pixels) = value.as_array().and_then(|array| array.items::<u8>()) else {
        return Err("the pixels of an image must have type u8".to_string());
    };
    encode(width, height, colours, pixels)
}

/// A PNG file of so many bytes by rows: one for each pixel, or red, green and blue.
///
/// # Errors
/// The picture has no pixels or too many.
pub fn encode(width: usize, height: usize, colours: bool, pixels: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let (Ok(w), Ok(h)) = (u32::try_from(width), u32::try_from(height)) else {
        return Err(format!("{width} by {height} pixels are too many"));
    };
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, w, h);
    encoder.set_color(if colours { png::ColorType::Rgb } else { png::ColorType::Grayscale });
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(pixels));
    written.map_err(|error| error.to_string())?;
    Ok(out)
}
