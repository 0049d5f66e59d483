//! From results to what is drawn of them.

use super::Kind;
use super::axis::Axis;
use crate::base::{Code, PrimType, Scalar};
use crate::diag::Diagnostic;
use crate::runtime::buffer::vector;
use crate::runtime::{Array, Value, data};

/// Larger numbers are drawn no more than infinite ones.
const LARGEST: f64 = 1e300;
/// Columns of a histogram at most, unless somebody asks for more.
const MOST_BINS: usize = 60;

type Result<T> = std::result::Result<T, Box<Diagnostic>>;

/// What is drawn.
#[derive(Debug, PartialEq)]
pub(super) struct Plot {
    pub(super) content: Content,
    /// How many values are no numbers or too large: they are left out.
    pub(super) missing: usize,
    /// How many values there are.
    pub(super) count: usize,
}

/// Numbers that are not finite are NaN.
#[derive(Debug, PartialEq)]
pub(super) enum Content {
    /// Each a line through these points.
    Lines(Vec<Series>),
    /// Points of their own.
    Points(Series),
    /// A picture.
    Image(Image),
    /// How many values lie in each of the columns of one width that the range is cut into.
    Histogram { range: Axis, counts: Vec<u64> },
}

/// Points in the order in which they come.
#[derive(Debug, PartialEq)]
pub(super) struct Series {
    /// Without them the numbers of the places, from 0.
    pub(super) x: Option<Vec<f64>>,
    pub(super) y: Vec<f64>,
}

impl Series {
    /// The point at a place.
    pub(super) fn point(&self, i: usize) -> (f64, f64) {
        (self.x.as_ref().map_or(i as f64, |x| x[i]), self.y[i])
    }
}

/// A picture, by rows from above.
#[derive(Debug, PartialEq)]
pub(super) struct Image {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Red, green and blue of each pixel.
    pub(super) pixels: Vec<[u8; 3]>,
    /// The values of black and white, if it is grey.
    pub(super) scale: Option<(f64, f64)>,
}

/// What stands for a number that is not finite in a picture.
pub(super) const MISSING: [u8; 3] = [213, 94, 0];

/// What is drawn of a value, by its shape unless a kind is asked for.
///
/// # Errors
/// E0603: nothing can be drawn of it, or not of that kind. E0609.
pub(super) fn plot(value: &Value, kind: Option<Kind>, bins: Option<usize>) -> Result<Plot> {
    let results = data::results(value);
    let arrays: Vec<&Array> = results.iter().filter_map(Value::as_array).collect();
    let known = |array: &&Array| scalar(array.prim());
    if arrays.len() != results.len() || arrays.is_empty() || !arrays.iter().all(known) {
        return Err(refused(value, kind));
    }
    let dims: Vec<&[usize]> = arrays.iter().map(|array| array.dims()).collect();
    let kind = match kind.or_else(|| usual(&arrays, &dims)) {
        Some(kind) => kind,
        None => return Err(refused(value, None)),
    };
    let mut missing = 0;
    let mut count = 0;
    let mut numbers = |array: &Array| -> Result<Vec<f64>> {
        let numbers = numbers(array)?;
        count += numbers.len();
        missing += numbers.iter().filter(|number| number.is_nan()).count();
        Ok(numbers)
    };
    let content = match (kind, &arrays[..], &dims[..]) {
        (Kind::Histogram, all, _) => {
            let mut values = Vec::new();
            for array in all {
                values.append(&mut numbers(array)?);
            }
            histogram(&values, bins)
        }
        (Kind::Line | Kind::Points, [x, y], [[n], [m]]) if n == m => {
            let series = Series { x: Some(numbers(x)?), y: numbers(y)? };
            if kind == Kind::Line { Content::Lines(vec![series]) } else { Content::Points(series) }
        }
        (Kind::Line | Kind::Points, [pairs], [[_, 2]]) => {
            let pairs = numbers(pairs)?;
            let part = |at: usize| pairs.iter().skip(at).step_by(2).copied().collect();
            let series = Series { x: Some(part(0)), y: part(1) };
            if kind == Kind::Line { Content::Lines(vec![series]) } else { Content::Points(series) }
        }
        (Kind::Points, [y], [[_]]) => Content::Points(Series { x: None, y: numbers(y)? }),
        (Kind::Line, [rows], [[_, width]]) => {
            let values = numbers(rows)?;
            let rows = values.chunks(*width.max(&1)).map(|row| Series { x: None, y: row.to_vec() });
            Content::Lines(rows.collect())
        }
        (Kind::Line, all, dims) if dims.iter().all(|dims| dims.len() == 1) => {
            Content::Lines(all.iter().map(|array| Ok(Series { x: None, y: numbers(array)? })).collect::<Result<_>>()?)
        }
        (Kind::Image, [array], [[height, width]]) => Content::Image(grey(&numbers(array)?, *width, *height, array.prim())?),
        (Kind::Image, [array], [[height, width, 3]]) => Content::Image(colours(&numbers(array)?, *width, *height, array.prim())?),
        _ => return Err(refused(value, Some(kind))),
    };
    Ok(Plot { content, missing, count })
}

/// How arrays of these shapes are drawn where nobody says how. Two columns of bools are no coordinates.
fn usual(arrays: &[&Array], dims: &[&[usize]]) -> Option<Kind> {
    let bools = || arrays.iter().all(|array| array.prim() == PrimType::Bool);
    match dims {
        [[n], [m]] if n == m => Some(Kind::Points),
        [[_, 2]] if !bools() => Some(Kind::Points),
        [[_, _]] | [[_, _, 3]] => Some(Kind::Image),
        all if all.iter().all(|dims| dims.len() == 1) => Some(Kind::Line),
        _ => None,
    }
}

fn refused(value: &Value, kind: Option<Kind>) -> Box<Diagnostic> {
    let results = data::results(value);
    let shapes = results.iter().map(|result| match result.as_array() {
        Some(array) => format!("{}{}", array.dims().iter().map(|n| format!("[{n}]")).collect::<String>(), array.prim()),
        None => match result {
            Value::Scalar(scalar) => scalar.prim().to_string(),
            _ => "a value that is no array of numbers".to_string(),
        },
    });
    let shapes: Vec<String> = shapes.take(8).collect();
    let what = if shapes.is_empty() { "()".to_string() } else { shapes.join(", ") };
    let message = match kind {
        Some(kind) => format!("the result cannot be drawn as {}: it is {what}", kind.shown()),
        None => format!("the result cannot be drawn: it is {what}"),
    };
    Box::new(Diagnostic::bare(Code::UnwritableResult, message).help(
        "vectors are drawn as lines, [n][2] or two vectors of one length as points, [h][w] and [h][w][3] as images, and arrays of any rank as \
         histograms (`--kind histogram`); the elements are integers, floats or bools",
    ))
}

/// Whether a type is of single numbers.
fn scalar(prim: PrimType) -> bool {
    prim.part().is_none()
}

fn numbers(array: &Array) -> Result<Vec<f64>> {
    let count = array.count();
    let mut out = vector::<f64>(count).map_err(|_| too_large(count))?;
    if let Some(items) = array.items::<f64>() {
        out.extend(items.iter().map(|value| drawable(*value)));
        return Ok(out);
    }
    out.extend((0..count).map(|i| array.at(i).and_then(number).map_or(f64::NAN, drawable)));
    Ok(out)
}

fn too_large(count: usize) -> Box<Diagnostic> {
    Box::new(Diagnostic::bare(Code::DataTooLarge, format!("there is no memory to draw {count} values")))
}

fn drawable(value: f64) -> f64 {
    if value.abs() <= LARGEST { value } else { f64::NAN }
}

fn number(scalar: Scalar) -> Option<f64> {
    Some(match scalar {
        Scalar::I8(v) => v.into(),
        Scalar::I16(v) => v.into(),
        Scalar::I32(v) => v.into(),
        Scalar::I64(v) => v as f64,
        Scalar::U8(v) => v.into(),
        Scalar::U16(v) => v.into(),
        Scalar::U32(v) => v.into(),
        Scalar::U64(v) => v as f64,
        Scalar::F16(v) => v.into(),
        Scalar::F32(v) => v.into(),
        Scalar::F64(v) => v,
        Scalar::Bool(v) => v.into(),
        Scalar::C64(_) | Scalar::C128(_) => return None,
    })
}

fn histogram(values: &[f64], bins: Option<usize>) -> Content {
    let finite = || values.iter().copied().filter(|value| !value.is_nan());
    let range = Axis::over(finite());
    let count = finite().count();
    let bins = bins.unwrap_or_else(|| ((count as f64).sqrt().ceil() as usize).clamp(1, MOST_BINS));
    let mut counts = vec![0; bins];
    for value in finite() {
        let part = (value - range.from) / (range.to - range.from);
        // The largest value belongs to the last column.
        counts[((part * bins as f64) as usize).min(bins - 1)] += 1;
    }
    Content::Histogram { range, counts }
}

/// Black is the smallest value and white the largest; bytes are what they are, and so are bools.
fn grey(values: &[f64], width: usize, height: usize, prim: PrimType) -> Result<Image> {
    let range = match prim {
        PrimType::U8 => Axis { from: 0.0, to: 255.0 },
        PrimType::Bool => Axis { from: 0.0, to: 1.0 },
        _ => Axis::over(values.iter().copied()),
    };
    let mut pixels = vector::<[u8; 3]>(values.len()).map_err(|_| too_large(values.len()))?;
    pixels.extend(
        values.iter().map(|value| if value.is_nan() { MISSING } else { [level((value - range.from) / (range.to - range.from)); 3] }),
    );
    Ok(Image { width, height, pixels, scale: Some((range.from, range.to)) })
}

/// Floats are parts of full brightness, from 0 to 1; integers are from 0 to 255.
fn colours(values: &[f64], width: usize, height: usize, prim: PrimType) -> Result<Image> {
    let full = if matches!(prim, PrimType::F16 | PrimType::F32 | PrimType::F64 | PrimType::Bool) { 1.0 } else { 255.0 };
    let mut pixels = vector::<[u8; 3]>(values.len() / 3).map_err(|_| too_large(values.len()))?;
    let pixel = |channels: &[f64]| match channels {
        [r, g, b] if !channels.iter().any(|value| value.is_nan()) => [level(r / full), level(g / full), level(b / full)],
        _ => MISSING,
    };
    pixels.extend(values.chunks_exact(3).map(pixel));
    Ok(Image { width, height, pixels, scale: None })
}

/// A brightness from 0 to 1 as a byte.
fn level(part: f64) -> u8 {
    (part.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Buffer;

    fn array<T: crate::runtime::Element>(dims: &[usize], items: Vec<T>) -> Value {
        Value::Array(Array::new(dims, Buffer::new(items)).expect("as many as there are"))
    }

    fn content(value: &Value, kind: Option<Kind>) -> Content {
        plot(value, kind, None).expect("drawn").content
    }

    #[test]
    fn shapes_say_how() {
        let vector = array(&[3], vec![1i32, 2, 3]);
        let line = |y: &[f64]| Series { x: None, y: y.to_vec() };
        assert_eq!(content(&vector, None), Content::Lines(vec![line(&[1.0, 2.0, 3.0])]));
        let pair = Value::tuple(vec![vector.clone(), array(&[3], vec![4.0f64, 5.0, 6.0])]);
        let points = Series { x: Some(vec![1.0, 2.0, 3.0]), y: vec![4.0, 5.0, 6.0] };
        assert_eq!(content(&pair, None), Content::Points(points));
        let pairs = array(&[2, 2], vec![1.0f32, 2.0, 3.0, 4.0]);
        assert_eq!(content(&pairs, None), Content::Points(Series { x: Some(vec![1.0, 3.0]), y: vec![2.0, 4.0] }));
        assert!(matches!(content(&pairs, Some(Kind::Image)), Content::Image(_)));
        assert!(matches!(content(&array(&[2, 2], vec![true, false, false, true]), None), Content::Image(_)));
        let rows = array(&[2, 3], vec![1i64, 2, 3, 4, 5, 6]);
        assert!(matches!(content(&rows, None), Content::Image(_)));
        assert_eq!(content(&rows, Some(Kind::Line)), Content::Lines(vec![line(&[1.0, 2.0, 3.0]), line(&[4.0, 5.0, 6.0])]));
        let three = Value::tuple(vec![vector.clone(), vector.clone(), vector]);
        assert!(matches!(content(&three, None), Content::Lines(lines) if lines.len() == 3));
        for (value, kind) in [
            (Value::Scalar(Scalar::I64(1)), None),
            (Value::unit(), None),
            (array(&[1, 1, 1, 1], vec![1u8]), None),
            (array(&[1, 1], vec![1u8]), Some(Kind::Points)),
            (array(&[1], vec![1u8]), Some(Kind::Image)),
            (array(&[1], vec![crate::base::Complex { re: 0f64, im: 0f64 }]), Some(Kind::Histogram)),
        ] {
            assert_eq!(plot(&value, kind, None).expect_err("refused").code, Code::UnwritableResult);
        }
    }

    #[test]
    fn what_is_no_number_is_left_out() {
        let odd = array(&[5], vec![f64::NAN, f64::INFINITY, 1.0, 1e305, 2.0]);
        let plot = plot(&odd, Some(Kind::Histogram), Some(2)).expect("drawn");
        assert_eq!((plot.missing, plot.count), (3, 5));
        assert_eq!(plot.content, Content::Histogram { range: Axis { from: 1.0, to: 2.0 }, counts: vec![1, 1] });
        let Content::Image(image) = content(&array(&[1, 3], vec![f32::NAN, 0.0, 10.0]), None) else { panic!("an image") };
        assert_eq!((image.pixels, image.scale), (vec![MISSING, [0; 3], [255; 3]], Some((0.0, 10.0))));
        let Content::Image(image) = content(&array(&[1, 1, 3], vec![0.5f64, 2.0, -1.0]), None) else { panic!("an image") };
        assert_eq!(image.pixels, [[128, 255, 0]]);
        let Content::Image(image) = content(&array(&[0, 4], Vec::<u8>::new()), None) else { panic!("an image") };
        assert_eq!((image.width, image.height, image.pixels.len()), (4, 0, 0));
        assert_eq!(
            content(&array(&[0], Vec::<f64>::new()), Some(Kind::Histogram)),
            Content::Histogram { range: Axis { from: 0.0, to: 1.0 }, counts: vec![0] }
        );
    }
}
