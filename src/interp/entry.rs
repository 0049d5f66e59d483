//! Entry points: arguments from outside, whose sizes are measured.

use super::arrays::natural;
use super::{Failure, Outcome};
use crate::base::{Code, Span, Symbol};
use crate::ir::core::{ArrType, Atom, Dim, DimAtom, ShapeItem, Type, slots};
use crate::runtime::Value;
pub use crate::runtime::data::structured::Shape;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What a type looks like from outside.
pub fn shape_of(ty: &Type) -> Shape {
    let dims = ty.shape().items.iter().all(|item| matches!(item, ShapeItem::Dim(_)));
    match ty.atom() {
        Atom::Prim(prim) if dims => Shape::Array(*prim, ty.shape().items.len()),
        Atom::Tuple(parts) if ty.shape().is_scalar() => Shape::Tuple(None, parts.iter().map(shape_of).collect()),
        Atom::Record(fields) if ty.shape().is_scalar() => {
            let labels = fields.iter().map(|(label, _)| *label).collect();
            Shape::Tuple(Some(labels), fields.iter().map(|(_, ty)| shape_of(ty)).collect())
        }
        Atom::Sigma(_, content) if ty.shape().is_scalar() => shape_of(content),
        Atom::Sigma(_, content) if dims => match shape_of(content) {
            row if row.is_data() => Shape::Rows(ty.shape().items.len(), Box::new(row)),
            _ => Shape::Other,
        },
        Atom::Sum(payloads) if dims => {
            let sum =
                Shape::Sum(ty.shape().items.len(), payloads.iter().map(|(label, payload)| (*label, payload_shape(payload))).collect());
            if sum.is_data() { sum } else { Shape::Other }
        }
        Atom::Prim(_)
        | Atom::Var(_)
        | Atom::Fun(..)
        | Atom::Forall(..)
        | Atom::Pi(..)
        | Atom::Sigma(..)
        | Atom::Tuple(_)
        | Atom::Record(_)
        | Atom::Sum(_) => Shape::Other,
    }
}

/// Most scalars, arrays and sums that a function that is called from outside may take and return.
pub const MOST_PARTS: u64 = 1 << 16;

/// Whether a function of this type takes and returns more than [`MOST_PARTS`].
pub fn has_too_many_parts(ty: &Type) -> bool {
    // Types share their components: what is written in a few lines may have more parts than can be counted one by one.
    fn parts(ty: &Type, memo: &mut FxHashMap<*const ArrType, u64>) -> u64 {
        let key = Arc::as_ptr(&ty.0);
        if let Some(parts) = memo.get(&key) {
            return *parts;
        }
        let mut all = |types: &mut dyn Iterator<Item = &Type>| types.fold(1, |sum: u64, ty| sum.saturating_add(parts(ty, memo)));
        let count = match ty.atom() {
            Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => 1,
            Atom::Tuple(types) => all(&mut types.iter()),
            Atom::Record(fields) | Atom::Sum(fields) => all(&mut fields.iter().map(|(_, ty)| ty)),
            Atom::Sigma(_, content) => parts(content, memo),
        };
        memo.insert(key, count);
        count
    }
    let (params, ret) = ty.interface();
    let mut memo = FxHashMap::default();
    let types = params.iter().map(|param| &param.ty).chain([ret]);
    types.fold(0, |sum: u64, ty| sum.saturating_add(parts(ty, &mut memo))) > MOST_PARTS
}

/// What a payload looks like. Compiled programs return the sizes that it hides in an order of their own.
fn payload_shape(payload: &Type) -> Shape {
    if slots::leaves(payload).is_some() { shape_of(payload) } else { Shape::Other }
}

/// Sizes of the caller's values by the names they have in the types of the parameters.
#[derive(Default)]
struct Sizes {
    known: FxHashMap<DimAtom, (i64, String)>,
    /// Sizes in payloads: where no value says what they are, they are 0.
    optional: FxHashSet<DimAtom>,
    /// Sizes to be compared once everything is known.
    checks: Vec<(Dim, usize, String)>,
}

impl Sizes {
    /// Measures a value; its first `outer` dimensions belong to the array of tuples that it is a component of.
    fn measure(&mut self, ty: &Type, value: &Value, outer: usize, what: &str, span: Span) -> Outcome<()> {
        let rank = outer + ty.shape().items.len();
        let mismatch = || {
            let wanted = match ty.atom() {
                Atom::Prim(prim) => format!("{}{prim}", "[]".repeat(rank)),
                Atom::Tuple(_) | Atom::Record(_) => format!("{} tuples of other parts", "[]".repeat(rank)),
                Atom::Sum(_) => "a value of another sum type".to_string(),
                Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) => "a value that is no data".to_string(),
            };
            let found = match value {
                Value::Scalar(scalar) => scalar.prim().to_string(),
                Value::Array(array) => format!("{}{}", "[]".repeat(array.dims().len()), array.prim()),
                Value::Tuple(_) | Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => "another kind of value".to_string(),
            };
            Failure::new(Code::ElementType, span, format!("{what}: expected {wanted}, found {found}"))
        };
        if value.dims().len() != rank || ty.shape().items.iter().any(|item| matches!(item, ShapeItem::Var(_))) {
            return Err(mismatch());
        }
        let parts: Vec<&Type> = match (ty.atom(), value) {
            (Atom::Prim(prim), Value::Scalar(scalar)) if scalar.prim() == *prim => Vec::new(),
            (Atom::Prim(prim), Value::Array(array)) if array.prim() == *prim => Vec::new(),
            (Atom::Tuple(parts), Value::Tuple(tuple)) if parts.len() == tuple.parts.len() => parts.iter().collect(),
            (Atom::Record(fields), Value::Tuple(tuple)) if fields.len() == tuple.parts.len() => fields.iter().map(|(_, ty)| ty).collect(),
            (Atom::Sum(_), Value::Sum(_) | Value::Cells(_)) => Vec::new(),
            (Atom::Sigma(..), Value::Cells(_)) => Vec::new(),
            _ => return Err(mismatch()),
        };
        for (item, &size) in ty.shape().items.iter().zip(&value.dims()[outer..]) {
            natural(i64::try_from(size).unwrap_or(i64::MAX), span)?;
            let ShapeItem::Dim(dim) = item else { continue };
            match dim.as_atom() {
                Some(atom @ DimAtom::Var(_)) if !self.known.contains_key(&atom) => {
                    self.known.insert(atom, (size as i64, what.to_string()));
                }
                _ => self.checks.push((dim.clone(), size, what.to_string())),
            }
        }
        if let Value::Tuple(tuple) = value {
            for (ty, part) in parts.into_iter().zip(&tuple.parts) {
                self.measure(ty, part, rank, what, span)?;
            }
        }
        if let (Atom::Sigma(names, content), Value::Cells(cells)) = (ty.atom(), value) {
            return self.measure_rows(names, content, cells.items(), what, span);
        }
        if let Atom::Sum(payloads) = ty.atom() {
            for (_, payload) in payloads {
                self.optional.extend(payload_sizes(payload));
            }
            let cells = match value {
                Value::Cells(cells) => cells.items(),
                value @ (Value::Scalar(_) | Value::Array(_) | Value::Tuple(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_)) => {
                    std::slice::from_ref(value)
                }
            };
            for cell in cells {
                let Value::Sum(sum) = cell else { return Err(mismatch()) };
                let (_, payload) = payloads.iter().find(|(label, _)| *label == sum.label).ok_or_else(mismatch)?;
                self.measure(payload, &sum.payload, 0, what, span)?;
            }
        }
        Ok(())
    }
    /// Measures rows: what they hide is known in one of them only.
    fn measure_rows(&mut self, names: &[Symbol], content: &Type, rows: &[Value], what: &str, span: Span) -> Outcome<()> {
        let hidden: Vec<DimAtom> = names.iter().map(|name| DimAtom::Var(*name)).collect();
        let outer = std::mem::take(&mut self.checks);
        self.optional.extend(content_sizes(content).into_iter().filter(|atom| !hidden.contains(atom)));
        for row in rows {
            let row = if let Value::Box(boxed) = row { &boxed.value } else { row };
            self.measure(content, row, 0, what, span)?;
            let own = |dim: &Dim| dim.atoms().any(|atom| hidden.contains(&atom));
            let (own, others) = std::mem::take(&mut self.checks).into_iter().partition(|(dim, ..)| own(dim));
            self.checks = own;
            self.check(span)?;
            self.checks = others;
            hidden.iter().for_each(|atom| drop(self.known.remove(atom)));
        }
        self.checks.extend(outer);
        self.checks.dedup();
        Ok(())
    }
    fn value(&self, dim: &Dim) -> Option<i64> {
        dim.evaluate(&mut |atom| self.known.get(&atom).map(|(size, _)| *size))
    }
    fn check(&self, span: Span) -> Outcome<()> {
        for (dim, size, what) in &self.checks {
            let wanted = self.value(dim);
            if wanted != Some(*size as i64) {
                let wanted = wanted.map_or_else(|| "an unknown size".to_string(), |n| n.to_string());
                let from = match dim.as_atom().and_then(|atom| self.known.get(&atom)) {
                    Some((_, other)) if other != what => format!(", the size that {other} has"),
                    _ => String::new(),
                };
                return Err(Failure::new(Code::SizesDiffer, span, format!("{what} has size {size} where {wanted} is needed{from}")));
            }
        }
        Ok(())
    }
}

/// The sizes that the types of rows mention.
fn content_sizes(content: &Type) -> Vec<DimAtom> {
    let mut out = FxHashSet::default();
    sizes_alone(content, &mut out);
    out.into_iter().collect()
}

/// The sizes that a payload mentions.
fn payload_sizes(payload: &Type) -> Vec<DimAtom> {
    let leaves = slots::leaves(payload).unwrap_or_default();
    leaves.iter().flat_map(|leaf| &leaf.shape).flat_map(|dim| dim.terms()).flat_map(|(atoms, _)| atoms.iter().copied()).collect()
}

/// The sizes of arguments from outside.
pub struct MeasuredSizes(Sizes);

impl MeasuredSizes {
    /// The value of a size of the type that was measured.
    pub fn value(&self, dim: &Dim) -> Option<i64> {
        self.0.value(dim)
    }
}

/// Compares arguments from outside with the type of a definition; what its index parameters are for them. Messages call the arguments
/// by these names, where they have names.
///
/// # Errors
/// E0503, E0508 and E0605: sizes that contradict each other, the wrong number or kinds of arguments.
pub fn measured(mut ty: &Type, name: Symbol, args: &[Value], called: &[Option<Symbol>], span: Span) -> Outcome<(Vec<i64>, MeasuredSizes)> {
    let mut names = Vec::new();
    loop {
        match ty.atom() {
            Atom::Pi(params, body) => {
                names.extend_from_slice(params);
                ty = body;
            }
            Atom::Forall(..) => {
                return Err(Failure::new(Code::UnfitArguments, span, format!("`{name}` is polymorphic: it cannot be run on data")));
            }
            Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Sigma(..) | Atom::Tuple(_) | Atom::Record(_) | Atom::Sum(_) => break,
        }
    }
    let params = match ty.atom() {
        Atom::Fun(params, _) if ty.shape().is_scalar() => &params[..],
        Atom::Prim(_)
        | Atom::Var(_)
        | Atom::Fun(..)
        | Atom::Forall(..)
        | Atom::Pi(..)
        | Atom::Sigma(..)
        | Atom::Tuple(_)
        | Atom::Record(_)
        | Atom::Sum(_) => &[],
    };
    if params.len() != args.len() {
        let plural = if params.len() == 1 { "argument" } else { "arguments" };
        return Err(Failure::new(
            Code::UnfitArguments,
            span,
            format!("`{name}` takes {} {plural}, {} were given", params.len(), args.len()),
        ));
    }
    let mut sizes = Sizes::default();
    for (i, (param, value)) in params.iter().zip(args).enumerate() {
        let what = match called.get(i) {
            Some(Some(name)) => format!("argument `{name}`"),
            _ => format!("argument {}", i + 1),
        };
        sizes.measure(&param.ty, value, 0, &what, span)?;
        if let (Some(name), Some(n)) = (param.name, value.as_i64()) {
            sizes.known.insert(DimAtom::Size(name), (n, what));
        }
    }
    for name in &names {
        let atom = DimAtom::Var(*name);
        if sizes.optional.contains(&atom) && !sizes.known.contains_key(&atom) {
            sizes.known.insert(atom, (0, "no argument".into()));
        }
    }
    let mut indices = Vec::with_capacity(names.len());
    for name in names {
        match sizes.known.get(&DimAtom::Var(name)) {
            Some((size, _)) => indices.push(*size),
            None => return Err(Failure::new(Code::UnfitArguments, span, format!("the size `{name}` does not follow from the arguments"))),
        }
    }
    sizes.check(span)?;
    Ok((indices, MeasuredSizes(sizes)))
}

/// The index parameters of a definition of this type that do not follow from its arguments, because they stand in sums and products of
/// sizes only. None where arguments cannot come from outside.
pub fn unmeasured(mut ty: &Type) -> Vec<Symbol> {
    let mut names = Vec::new();
    while let Atom::Pi(params, body) = ty.atom() {
        names.extend_from_slice(params);
        ty = body;
    }
    let Atom::Fun(params, _) = ty.atom() else { return Vec::new() };
    if has_too_many_parts(ty) || params.iter().any(|param| !shape_of(&param.ty).is_data()) {
        return Vec::new();
    }
    let mut alone = FxHashSet::default();
    params.iter().for_each(|param| sizes_alone(&param.ty, &mut alone));
    names.retain(|name| !alone.contains(&DimAtom::Var(*name)));
    names
}

/// The sizes that are measured in a value of this type.
fn sizes_alone(ty: &Type, out: &mut FxHashSet<DimAtom>) {
    let dims = ty.shape().items.iter().filter_map(|item| if let ShapeItem::Dim(dim) = item { dim.as_atom() } else { None });
    out.extend(dims);
    match ty.atom() {
        Atom::Tuple(parts) => parts.iter().for_each(|part| sizes_alone(part, out)),
        Atom::Record(fields) => fields.iter().for_each(|(_, part)| sizes_alone(part, out)),
        Atom::Sum(payloads) => payloads.iter().for_each(|(_, payload)| out.extend(payload_sizes(payload))),
        Atom::Sigma(names, content) => {
            sizes_alone(content, out);
            out.retain(|atom| !names.iter().any(|name| *atom == DimAtom::Var(*name)));
        }
        Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => {}
    }
}

/// The value with boxes opened, but for arrays of boxes.
pub(super) fn opened(value: Value) -> Value {
    match value {
        Value::Box(boxed) => opened(boxed.value.clone()),
        Value::Tuple(tuple) if tuple.frame.is_empty() => {
            Value::tuples(Vec::new(), tuple.labels.clone(), tuple.parts.iter().cloned().map(opened).collect())
        }
        other @ (Value::Scalar(_) | Value::Array(_) | Value::Tuple(_) | Value::Cells(_) | Value::Sum(_) | Value::Opaque(_)) => other,
    }
}
