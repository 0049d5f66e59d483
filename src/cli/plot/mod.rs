//! `remora plot FILE [-e ENTRY] [ARG...]`: results as pictures.

mod axis;
mod braille;
mod data;
mod draw;
mod raster;

use super::output::Console;
use super::run::{self, RunOptions};
use super::{Outcome, files};
use crate::base::Code;
use crate::diag::Diagnostic;
use crate::runtime::Value;
use crate::runtime::data::image;
use clap::{Args, ValueEnum};
use data::Plot;
use plotters_backend::DrawingErrorKind;
use raster::Raster;
use std::path::{Path, PathBuf};

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// Pixels of the longer pictures in files of text are made fewer.
const MOST_EMBEDDED: usize = 1 << 20;

/// Run an entry point and draw its result
#[derive(Debug, Args)]
#[command(
    after_help = "A vector is drawn as a line, several vectors as a line each; two vectors of one length, or an array [n][2] of numbers, as points;
an array [h][w], or [h][w][3] with red, green and blue, as an image. `--kind` draws another picture of them: `line` draws pairs as a line through
the points, and the rows of a matrix as a line each. Integers, floats and bools are drawn; values that are not finite are left out, with
a note. Without -o the plot is printed as text.

Examples:
  remora plot program.rem -e wave 100 -o wave.svg
  remora plot program.rem -e samples --kind histogram --title 'Samples' -o samples.png
  remora plot program.rem -e heat data.npy -o heat.png
  remora plot program.rem -e wave 100"
)]
pub(super) struct PlotArgs {
    #[command(flatten)]
    run: RunOptions,
    /// The file: .png or .svg
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    look: Look,
}

/// How a plot looks.
#[derive(Debug, Clone, Args)]
pub(super) struct Look {
    /// What is drawn (default: what fits the shape of the result)
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<Kind>,
    /// The title
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    title: String,
    /// What is written below the horizontal axis
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    x_label: String,
    /// What is written beside the vertical axis
    #[arg(long, default_value = "", hide_default_value = true, value_name = "TEXT")]
    y_label: String,
    /// The width in pixels
    #[arg(long, default_value = "800", value_name = "N", value_parser = clap::value_parser!(u32).range(160..=8000))]
    width: u32,
    /// The height in pixels
    #[arg(long, default_value = "600", value_name = "N", value_parser = clap::value_parser!(u32).range(120..=8000))]
    height: u32,
    /// The number of columns of a histogram
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4000))]
    bins: Option<u16>,
}

impl Default for Look {
    fn default() -> Look {
        let none = String::new;
        Look { kind: None, title: none(), x_label: none(), y_label: none(), width: 800, height: 600, bins: None }
    }
}

/// What is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// Lines
    Line,
    /// A dot for each value or pair
    Points,
    /// A pixel for each element
    Image,
    /// How many values lie in each of some columns
    Histogram,
}

impl Kind {
    fn shown(self) -> &'static str {
        match self {
            Kind::Line => "a line",
            Kind::Points => "points",
            Kind::Image => "an image",
            Kind::Histogram => "a histogram",
        }
    }
}

/// What is written around a plot.
struct Labels {
    title: String,
    x: String,
    y: String,
}

/// How large a plot is.
#[derive(Debug, Clone, Copy)]
struct Size {
    width: u32,
    height: u32,
}

/// The formats of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Png,
    Svg,
}

pub(super) fn run(args: &PlotArgs, console: &mut Console) -> Outcome {
    if let (Some(bins), false) = (args.look.bins, args.look.kind == Some(Kind::Histogram)) {
        let message = format!("`--bins {bins}` is for histograms, and none is drawn");
        return Err(Box::new(Diagnostic::bare(Code::OptionValue, message).help("add `--kind histogram`")));
    }
    let format = args.output.as_deref().map(format_of).transpose()?;
    if let Some(path) = &args.output {
        files::apart(path, args.run.file())?;
    }
    run::run_and(&args.run, console, &mut |result, console| match (&args.output, format) {
        (Some(path), Some(format)) => write(path, format, result, &args.look, console),
        _ => {
            let text = text(result, &args.look, console)?;
            console.print(text);
            Ok(())
        }
    })
}

/// Draws a value into a file, as its name says.
///
/// # Errors
/// E0603, E0609.
pub(super) fn save(path: &Path, value: &Value, console: &mut Console) -> Result<()> {
    write(path, format_of(path)?, value, &Look::default(), console)
}

/// A value drawn with characters.
///
/// # Errors
/// E0603, E0609.
pub(super) fn shown(value: &Value, console: &mut Console) -> Result<String> {
    text(value, &Look::default(), console)
}

/// A value drawn as SVG; without a kind as what fits its shape.
///
/// # Errors
/// E0603, E0609.
pub(super) fn drawn(value: &Value, kind: Option<Kind>, console: &mut Console) -> Result<String> {
    let look = Look { kind, width: 640, height: 400, ..Look::default() };
    let plot = plot(value, &look, console)?;
    svg(&plot, &look).map_err(|why| Box::new(Diagnostic::bare(Code::UnwritableResult, format!("this cannot be drawn: {why}"))))
}

/// Whether a file of this name is a drawing, or may be one.
pub(super) fn is_picture(name: &str) -> bool {
    format_of(Path::new(name)).is_ok()
}

/// Whether a file of this name is a drawing of a sort that is not made.
pub(super) fn is_other_picture(name: &str) -> bool {
    let end = Path::new(name).extension().map(|end| end.to_string_lossy().to_lowercase());
    end.is_some_and(|end| ["gif", "jpg", "jpeg", "pdf", "bmp", "webp", "tif", "tiff", "ps", "eps"].contains(&end.as_str()))
}

fn format_of(path: &Path) -> Result<Format> {
    match path.extension().map(|end| end.to_string_lossy().to_lowercase()).as_deref() {
        Some("png") => Ok(Format::Png),
        Some("svg") => Ok(Format::Svg),
        _ => {
            let message = format!("`{}` cannot be written: the name must end in .png or .svg", files::shown(path).escape_debug());
            Err(Box::new(Diagnostic::bare(Code::UnwritableResult, message)))
        }
    }
}

fn text(value: &Value, look: &Look, console: &mut Console) -> Result<String> {
    let plot = plot(value, look, console)?;
    Ok(braille::draw(&plot.content, &look.title))
}

fn plot(value: &Value, look: &Look, console: &mut Console) -> Result<Plot> {
    let plot = data::plot(value, look.kind, look.bins.map(usize::from))?;
    if plot.missing > 0 {
        let Plot { missing, count, .. } = plot;
        console.progress(&format!("note: {missing} of {count} values are not finite, or larger than 1e300: they are not drawn"));
    }
    Ok(plot)
}

fn write(path: &Path, format: Format, value: &Value, look: &Look, console: &mut Console) -> Result<()> {
    let plot = plot(value, look, console)?;
    let bytes = match format {
        Format::Png => png(&plot, look),
        Format::Svg => svg(&plot, look).map(String::into_bytes),
    };
    let refuse = |why: String| {
        Box::new(Diagnostic::bare(Code::UnwritableResult, format!("`{}` cannot be written: {why}", files::shown(path).escape_debug())))
    };
    files::write(path, &bytes.map_err(refuse)?)
}

fn labels(look: &Look) -> Labels {
    // Characters that are none would make a file of text unreadable.
    let visible = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Labels { title: visible(&look.title), x: visible(&look.x_label), y: visible(&look.y_label) }
}

fn failed<E: std::error::Error + Send + Sync>(error: DrawingErrorKind<E>) -> String {
    error.to_string()
}

fn png(plot: &Plot, look: &Look) -> std::result::Result<Vec<u8>, String> {
    use plotters_backend::{BackendColor, DrawingBackend};
    let size = Size { width: look.width, height: look.height };
    let mut raster = Raster::new(size.width, size.height);
    if let Some((image, area)) = draw::draw(&mut raster, &plot.content, &labels(look), size).map_err(failed)? {
        let (width, height) = ((area.right - area.left).max(1), (area.bottom - area.top).max(1));
        for (at, [r, g, b]) in draw::resized(image, width as usize, height as usize).into_iter().enumerate() {
            let (x, y) = (area.left + at as i32 % width, area.top + at as i32 / width);
            raster.draw_pixel((x, y), BackendColor { alpha: 1.0, rgb: (r, g, b) }).map_err(failed)?;
        }
    }
    raster.png()
}

fn svg(plot: &Plot, look: &Look) -> std::result::Result<String, String> {
    let size = Size { width: look.width, height: look.height };
    let mut out = String::new();
    let labels = labels(look);
    let mut backend = plotters_svg::SVGBackend::with_string(&mut out, (size.width, size.height));
    let pixels = draw::draw(&mut backend, &plot.content, &labels, size).map_err(failed)?;
    // It ends the text.
    drop(backend);
    if let Some((image, area)) = pixels {
        let (mut width, mut height) = (image.width, image.height);
        if width * height > MOST_EMBEDDED {
            (width, height) = ((area.right - area.left).max(1) as usize, (area.bottom - area.top).max(1) as usize);
        }
        let bytes: Vec<u8> = draw::resized(image, width, height).into_iter().flatten().collect();
        let element = format!(
            "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" style=\"image-rendering: pixelated\" \
             href=\"data:image/png;base64,{}\"/>\n",
            area.left,
            area.top,
            area.right - area.left,
            area.bottom - area.top,
            base64(&image::encode(width, height, true, &bytes)?)
        );
        let end = out.rfind("</svg>").unwrap_or(out.len());
        out.insert_str(end, &element);
    }
    let title = if labels.title.is_empty() { "A plot" } else { &labels.title };
    if let Some(start) = out.find('>') {
        let title = title.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        out.insert_str(start + 1, &format!("\n<title>{title}</title>"));
        out.insert_str(start, " role=\"img\"");
    }
    Ok(out)
}

/// Bytes as text (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= three.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Scalar;
    use crate::runtime::{Array, Buffer};

    #[test]
    fn bytes_as_text() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    /// Everything that can be drawn is drawn in all formats and the smallest and narrowest sizes.
    #[test]
    fn any_numbers_are_drawn() {
        let array =
            |dims: &[usize], items: &[f64]| Value::Array(Array::new(dims, Buffer::new(items.to_vec())).expect("as many as there are"));
        let odd = [f64::NAN, 1e300, -1e300, 0.0, 5e-324, f64::INFINITY];
        let many: Vec<f64> = (0..600).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let values = [
            array(&[0], &[]),
            array(&[1], &[5.0]),
            array(&[6], &odd),
            array(&[4], &[7.0; 4]),
            array(&[600], &many),
            array(&[0, 2], &[]),
            array(&[3, 2], &odd),
            array(&[2, 3], &odd),
            array(&[20, 30], &many),
            array(&[1, 2, 3], &odd),
            array(&[0, 5, 3], &[]),
            array(&[5, 0], &[]),
        ];
        for value in &values {
            for kind in [None, Some(Kind::Line), Some(Kind::Points), Some(Kind::Image), Some(Kind::Histogram)] {
                for (width, height) in [(160, 120), (240, 160)] {
                    let look =
                        Look {
                            kind, width, height, title: "<title> & ünïcödé 語\u{0}".repeat(9), y_label: "y".into(), ..Look::default()
                        };
                    let Ok(plot) = data::plot(value, kind, None) else { continue };
                    let png = png(&plot, &look).expect("a picture");
                    assert!(png.starts_with(image::MAGIC));
                    let svg = svg(&plot, &look).expect("a picture");
                    assert!(
                        svg.starts_with("<svg")
                            && svg.trim_end().ends_with("</svg>")
                            && !svg.contains("<title> &")
                            && !svg.contains('\u{0}'),
                        "{svg}"
                    );
                    assert!(!svg.contains("NaN") && !svg.contains("inf"));
                    assert!(braille::draw(&plot.content, &look.title).lines().all(|line| line.chars().count() < 400));
                }
            }
        }
    }

    #[test]
    fn plots_of_characters() {
        let vector = Value::vector(vec![0i64, 1, 2, 3]);
        let plot = data::plot(&vector, None, None).expect("a line");
        let text = braille::draw(&plot.content, "four");
        assert!(text.starts_with("four\n") && text.contains(" 3.12 |") && text.trim_end().ends_with('3'), "{text}");
        assert_eq!(data::plot(&Value::Scalar(Scalar::I64(3)), None, None).expect_err("refused").code, Code::UnwritableResult);
    }
}
