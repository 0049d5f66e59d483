//! Primitives whose results have shapes that are only known at run time.

use super::primitives::{ints, sized};
use super::run::Run;
use super::{Failure, Outcome};
use crate::base::{Code, MAX_RANK, Scalar, Span};
use crate::interp::arrays::{gather, missing, natural};
use crate::interp::failure::{broken, out_of_bounds};
use crate::runtime::buffer::vector;
use crate::runtime::dims::{Dims, count};
use crate::runtime::{Array, Boxed, Buffer, Value};
use std::sync::Arc;

/// The sizes in a vector, none of which may be negative; their product can be counted.
fn shape(value: Option<&Value>, span: Span) -> Outcome<Vec<usize>> {
    let items = ints(value.ok_or_else(|| broken("a primitive without its shapes"))?)?;
    if items.len() > MAX_RANK {
        return Err(Failure::new(
            Code::ImpossibleSize,
            span,
            format!("an array cannot have {} dimensions, {MAX_RANK} are the most", items.len()),
        ));
    }
    let sizes = items.iter().map(|n| natural(*n, span));
    let sizes = sizes.collect::<Outcome<Vec<usize>>>()?;
    let product = sizes.iter().try_fold(1i64, |product, n| product.checked_mul(i64::try_from(*n).ok()?));
    if product.is_none() && !sizes.contains(&0) {
        let message = format!("an array of shape {} has more elements than can be counted", Dims::new(&sizes));
        return Err(Failure::new(Code::ImpossibleSize, span, message));
    }
    Ok(sizes)
}

/// `0, 1, ..` in row-major order.
pub fn shape_iota(indices: &[Value], span: Span) -> Outcome<Value> {
    let dims = shape(indices.first(), span)?;
    let size = count(&dims);
    let mut items = vector::<i64>(size).map_err(|s| Failure::shortage(s, span))?;
    items.extend(0..size as i64);
    if dims.is_empty() {
        return Ok(Value::Scalar(Scalar::I64(0)));
    }
    Array::new(&dims, Buffer::new(items)).map(Value::Array).ok_or_else(missing)
}

/// The elements in row-major order in another shape, from the beginning again when they are used up.
pub fn recycle(indices: &[Value], value: &Value, span: Span) -> Outcome<Value> {
    let dims = shape(indices.get(1), span)?;
    let (rank, size) = (value.dims().len(), count(value.dims()));
    let wanted = count(&dims);
    if size == wanted {
        return if rank == 0 && dims.is_empty() { Ok(value.clone()) } else { value.reframed(rank, &dims).ok_or_else(missing) };
    }
    if size == 0 {
        let (from, to) = (Dims::new(value.dims()), Dims::new(&dims));
        return Err(Failure::new(Code::SizesDiffer, span, format!("an array of shape {from} has no elements to make one of shape {to}")));
    }
    let flat = value.reframed(rank, &[size]).ok_or_else(missing)?;
    gather(&flat, wanted, (0..wanted).map(move |i| i % size), span)?.reframed(1, &dims).ok_or_else(missing)
}

/// A box that hides the shape whose sizes these are.
pub fn lift_shape(value: &Value, span: Span) -> Outcome<Value> {
    let dims = shape(Some(value), span)?;
    Ok(Value::Box(Arc::new(Boxed { indices: vec![value.clone()], value: Value::tuples(dims, None, Vec::new()) })))
}

/// As many consecutive cells as the result has, beginning at an index.
pub fn subarray(indices: &[Value], value: &Value, at: &Value, span: Span) -> Outcome<Value> {
    let (from, to) = (shape(indices.first(), span)?, shape(indices.get(1), span)?);
    let at = ints(at)?;
    if at.len() != from.len() {
        let message = format!("an index of {} numbers does not belong to an array of shape {}", at.len(), Dims::new(&from));
        return Err(Failure::new(Code::SizesDiffer, span, message));
    }
    let (size, wanted) = (count(&from), count(&to));
    let flat = if from.is_empty() { value.replicated(&[1]).map_err(|s| Failure::shortage(s, span))? } else { value.clone() };
    let flat = flat.reframed(from.len().max(1), &[size]).ok_or_else(missing)?;
    if wanted == 0 {
        return flat.slice(0, 0).and_then(|none| none.reframed(1, &to)).ok_or_else(missing);
    }
    let mut start = 0usize;
    for (&i, &n) in at.iter().zip(&from) {
        let position = usize::try_from(i).ok().filter(|i| *i < n).ok_or_else(|| out_of_bounds(i, n, span))?;
        start = start.saturating_mul(n).saturating_add(position);
    }
    let cells = start.checked_add(wanted).and_then(|end| flat.slice(start, end));
    let cells = cells.ok_or_else(|| {
        let message = format!("an array of shape {} has fewer than {wanted} cells from index {at:?} on", Dims::new(&from));
        Failure::new(Code::OutOfBounds, span, message)
    })?;
    cells.reframed(1, &to).ok_or_else(missing)
}

/// The cells at new positions, each of which must be given. Cells for negative positions are left out.
pub fn scatter_new(indices: &[Value], positions: &Value, value: &Value, span: Span) -> Outcome<Value> {
    let size = indices.get(1).and_then(Value::as_i64).ok_or_else(|| broken("scatter_new without its sizes"))?;
    let size = natural(size, span)?;
    let mut sources: Vec<Option<usize>> = vector(size).map_err(|s| Failure::shortage(s, span))?;
    sources.resize(size, None);
    for (source, &position) in ints(positions)?.iter().enumerate().filter(|(_, position)| **position >= 0) {
        match usize::try_from(position).ok().and_then(|position| sources.get_mut(position)) {
            Some(place) => *place = Some(source),
            None => return Err(out_of_bounds(position, size, span)),
        }
    }
    if let Some(empty) = sources.iter().position(Option::is_none) {
        return Err(Failure::new(Code::OutOfBounds, span, format!("no cell is scattered to position {empty} of {size}")));
    }
    gather(value, size, sources.into_iter().flatten(), span)
}

impl Run<'_> {
    /// The numbers that the program was given to read.
    pub fn read_nums(&self, span: Span) -> Outcome<Value> {
        match self.machine.input() {
            Some(numbers) => sized(numbers.clone()),
            None => Err(Failure::new(Code::UnfitArguments, span, "the program reads numbers, and none were given to it")),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{FileId, Symbol};
    use crate::interp::core::load;
    use crate::ir::core::{check, read};

    /// The value of `main` in a program that has been checked, or the failure.
    fn run(text: &str) -> String {
        let (program, diagnostics) = read::program(FileId::default(), text);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        check::check(&program).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        match load(&program, 1).with_input(vec![3, 1, 4]).call(Symbol::new("main"), Vec::new()) {
            Ok(value) => format!("{value:?}"),
            Err(failure) => format!("{} {}", failure.code, failure.message),
        }
    }

    fn value(ty: &str, expr: &str) -> String {
        run(&format!("(define main : {ty} {expr})"))
    }

    #[test]
    fn shape_iota_counts_in_row_major_order() {
        assert_eq!(value("[i64 2 3]", "shape_iota{| [2 3]}"), "[[0i64, 1i64, 2i64], [3i64, 4i64, 5i64]]");
        assert_eq!(value("i64", "shape_iota{| []}"), "0i64");
        assert_eq!(value("[i64 2 0]", "shape_iota{| [2 0]}"), "empty([2][0]i64)");
        let huge = "shape_iota{| [4294967296 4294967296]}";
        let message = "E0504 an array of shape [4294967296][4294967296] has more elements than can be counted";
        assert_eq!(value("[i64 4294967296 4294967296]", huge), message);
        let large = value("[i64 281474976710656]", "shape_iota{| [281474976710656]}");
        assert_eq!(large, "E0507 out of memory: 2251799813685248 bytes were requested");
        let larger = value("[i64 281474976710657]", "shape_iota{| [281474976710657]}");
        assert_eq!(larger, "E0504 the result would have more than 281474976710656 rows, which no array can have");
    }

    #[test]
    fn recycle_takes_elements_again() {
        let of = |ty: &str, to: &str, from: &str, xs: &str| value(ty, &format!("(recycle{{i64 | {from} {to}}} {xs})"));
        assert_eq!(of("[i64 3 2]", "[3 2]", "[5]", "(array [5] 1 2 3 4 5)"), "[[1i64, 2i64], [3i64, 4i64], [5i64, 1i64]]");
        assert_eq!(of("[i64 2]", "[2]", "[2 2]", "(array [2 2] 1 2 3 4)"), "[1i64, 2i64]");
        assert_eq!(of("[i64 4]", "[4]", "[2 2]", "(array [2 2] 1 2 3 4)"), "[1i64, 2i64, 3i64, 4i64]");
        assert_eq!(of("[i64 2 2]", "[2 2]", "[]", "7"), "[[7i64, 7i64], [7i64, 7i64]]");
        assert_eq!(of("i64", "[]", "[2]", "(array [2] 7 8)"), "7i64");
        assert_eq!(of("i64", "[]", "[]", "7"), "7i64");
        assert_eq!(of("[i64 0 3]", "[0 3]", "[2]", "(array [2] 7 8)"), "empty([0][3]i64)");
        assert_eq!(of("[i64 0]", "[0]", "[3 0]", "(array [3 0] i64)"), "empty([0]i64)");
        let none = of("[i64 2]", "[2]", "[0]", "(array [0] i64)");
        assert_eq!(none, "E0503 an array of shape [0] has no elements to make one of shape [2]");
        let boxes = "(recycle{(Sigma (n) [i64 n]) | [] [2]} (box ((n 1)) [i64 n] (array [1] 5)))";
        assert_eq!(value("[(Sigma (n) [i64 n]) 2]", boxes), "[box([1i64], [5i64]), box([1i64], [5i64])]");
        let pairs = "(recycle{(Tup i64 bool) | [] [1 2]} (tuple 3 true))";
        assert_eq!(value("[(Tup i64 bool) 1 2]", pairs), value("[(Tup i64 bool) 1 2]", "(rep [1 2] (tuple 3 true))"));
    }

    #[test]
    fn lift_shape_hides_a_shape() {
        let of = |sizes: &str, r: usize| {
            let body = format!("(unbox (lift_shape{{| {r}}} {sizes}) (w @s) (box ((@t @s)) [i64 @t] shape_iota{{| @s}}))");
            value("(Sigma (@t) [i64 @t])", &body)
        };
        assert_eq!(of("(array [2] 2 2)", 2), "[[0i64, 1i64], [2i64, 3i64]]");
        assert_eq!(of("(array [0] i64)", 0), "0i64");
        assert_eq!(of("(array [3] 1 0 2)", 3), "empty([1][0][2]i64)");
        assert_eq!(of("(array [2] 2 -1)", 2), "E0504 an array cannot have the negative size -1");
        let ranks = value("(Sigma (@t) [(Tup) @t])", "(lift_shape{| 256} (rep [256] 1))");
        assert_eq!(ranks, "E0504 an array cannot have 256 dimensions, 255 are the most");
    }

    #[test]
    fn subarray_takes_consecutive_cells() {
        let of = |ty: &str, to: &str, c: &str, r: usize, from: &str, at: &str| {
            let xs = "(array [2 3] 0 1 2 3 4 5)";
            value(ty, &format!("(subarray{{i64 | {from} {to} {c} {r}}} {xs} {at})"))
        };
        assert_eq!(of("i64", "[]", "[]", 2, "[2 3]", "(array [2] 1 2)"), "5i64");
        assert_eq!(of("[i64 3]", "[]", "[3]", 1, "[2]", "(array [1] 1)"), "[3i64, 4i64, 5i64]");
        assert_eq!(of("[i64 2 2]", "[2 2]", "[]", 2, "[2 3]", "(array [2] 0 2)"), "[[2i64, 3i64], [4i64, 5i64]]");
        assert_eq!(of("[i64 0 3]", "[0]", "[3]", 1, "[2]", "(array [1] 9)"), "empty([0][3]i64)");
        assert_eq!(of("[i64 2 3]", "[]", "[2 3]", 0, "[]", "(array [0] i64)"), "[[0i64, 1i64, 2i64], [3i64, 4i64, 5i64]]");
        assert_eq!(of("i64", "[]", "[]", 2, "[2 3]", "(array [2] 1 3)"), "E0501 index 3 is out of bounds for an array of size 3");
        assert_eq!(of("i64", "[]", "[]", 2, "[2 3]", "(array [2] -1 0)"), "E0501 index -1 is out of bounds for an array of size 2");
        let few = of("[i64 2 2]", "[2 2]", "[]", 2, "[2 3]", "(array [2] 1 0)");
        assert_eq!(few, "E0501 an array of shape [2][3] has fewer than 4 cells from index [1, 0] on");
        let rank = of("i64", "[]", "[]", 1, "[2 3]", "(array [1] 1)");
        assert_eq!(rank, "E0503 an index of 1 numbers does not belong to an array of shape [2][3]");
    }

    #[test]
    fn scatter_new_fills_every_position() {
        let of = |k: usize, at: &str| value(&format!("[i64 {k}]"), &format!("(scatter_new{{i64 | 3 {k} []}} {at} (array [3] 7 8 9))"));
        assert_eq!(of(3, "(array [3] 2 0 1)"), "[8i64, 9i64, 7i64]");
        assert_eq!(of(2, "(array [3] -1 1 0)"), "[9i64, 8i64]");
        assert_eq!(of(0, "(array [3] -1 -1 -1)"), "empty([0]i64)");
        assert_eq!(of(2, "(array [3] 0 1 0)"), "[9i64, 8i64]");
        assert_eq!(of(2, "(array [3] 0 1 2)"), "E0501 index 2 is out of bounds for an array of size 2");
        assert_eq!(of(3, "(array [3] 0 -1 2)"), "E0501 no cell is scattered to position 1 of 3");
    }

    #[test]
    fn numbers_are_read() {
        assert_eq!(value("(Sigma (k) [i64 k])", "(read_nums (tuple))"), "[3i64, 1i64, 4i64]");
        let (program, _) = read::program(FileId::default(), "(define main : (Sigma (k) [i64 k]) (read_nums (tuple)))");
        let failure = load(&program, 1).call(Symbol::new("main"), Vec::new()).map_err(|failure| failure.code);
        assert_eq!(failure.err(), Some(crate::base::Code::UnfitArguments));
    }

    #[test]
    fn shapes_with_variables_are_reified_in_boxes() {
        let define = "(define f : (Pi (@s) (-> ([i64 @s]) (Sigma (n) [i64 n]))) (i-fn (@s) (fn ([x [i64 @s]]) : (Sigma (n) [i64 n]) (reify-shape [4 @s]))))";
        let main = "(define main : i64 (unbox (f{| [2 3]} (rep [2 3] 0)) (v n) (i64.sum{| n} v)))";
        assert_eq!(run(&format!("{define}{main}")), "9i64");
    }

    #[test]
    fn polymorphic_primitives_are_values() {
        let of = |main: &str| value("[i64 3]", main);
        assert_eq!(of("(let [f reverse] (f{i64 | 3 []} (array [3] 1 2 3)))"), "[3i64, 2i64, 1i64]");
        assert_eq!(of("(let [f (i-app reverse 3 [])] ((t-app f i64) (array [3] 1 2 3)))"), "[3i64, 2i64, 1i64]");
        assert_eq!(of("(let [f unflatten] (index{i64 | 1 [3]} (f{i64 | 1 3 []} (array [3] 1 2 3)) 0))"), "[1i64, 2i64, 3i64]");
        assert_eq!(of("(let [f shape_iota] f{| [3]})"), "[0i64, 1i64, 2i64]");
        assert_eq!(of("(let [f i64.sum] (rep [3] (f{| 2} (array [2] 1 2))))"), "[3i64, 3i64, 3i64]");
        assert_eq!(of("(let [f (i-app reverse 3 [])] (let [g (t-app f i64)] (g (array [3] 1 2 3))))"), "[3i64, 2i64, 1i64]");
    }

    #[test]
    fn definitions_see_earlier_ones_only() {
        let reverse = "(define reverse : (-> ([i64 3]) [i64 3]) (fn ([xs [i64 3]]) : [i64 3] (reverse{i64 | 3 []} xs)))";
        let first = "(define first : [i64 3] (reverse{i64 | 3 []} (array [3] 1 2 3)))";
        let main = "(define main : [i64 3] (reverse first))";
        assert_eq!(run(&format!("{first}{reverse}{main}")), "[1i64, 2i64, 3i64]");
    }
    #[test]
    fn functions_that_capture_shapes_do_not_take_them() {
        let add = "(fn ([x [i64 @s]] [y [i64 @s]]) : [i64 @s] (map [@s] ([a x] [b y]) (i64.+ a b)))";
        let ty = "(-> (i64 [i64 2 @s]) [i64 @s])";
        let body = format!("(fn ([x i64] [xs [i64 2 @s]]) : [i64 @s] (reduce{{i64 | 2 [@s]}} {add} (rep [@s] x) xs))");
        let define = format!("(define f : (Pi (@s) {ty}) (i-fn (@s) {body}))");
        let main = "(define main : [i64 2] (f{| [2]} 1 (array [2 2] 1 2 3 4)))";
        assert_eq!(run(&format!("{define}{main}")), "[5i64, 7i64]");
    }
}
