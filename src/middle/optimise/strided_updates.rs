//! Updates of one cell in each row of a matrix, and of a part of one row, write those cells only.
//!
//! Law: an array of which each row is updated at the same place is the array, seen as a vector of the cells of its rows, with every
//! so-manieth cell replaced:
//!
//! ```text
//! map (\row x -> row with [k] = f row x) a xs
//! ==>
//! let v = map (\row x -> f row x) a xs
//! in unflatten (flatten a with [k : : m] = v)
//! ```
//!
//! The left side makes all rows anew; the right side can be done in place, and where it may not, only one copy is made. In the same way an
//! array with a row of which a part is replaced, at places that are known to be in bounds, is the vector with that part replaced:
//!
//! ```text
//! let row = a[i]
//! in a with [i] = (row with [s :: t] = xs)
//! ==>
//! unflatten (flatten a with [i * m + s :: t] = xs)
//! ```

use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::ir::soac::cells::view_of;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Check, Exp, Operand, Program, Size, Soac, Stm, Type, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites such updates.
pub fn strided_updates(mut program: Program) -> Program {
    program.each_body(|program, body| {
        let mut known = Known::default();
        known.note(body);
        visit(program, body, &known);
    });
    program
}

/// What is known of the arrays of a function.
#[derive(Default)]
struct Known {
    /// Those that do not lie in a row by themselves.
    views: FxHashSet<Var>,
    /// Cells: of which array, and at which indices.
    cells: FxHashMap<Var, (Var, Vec<Operand>)>,
}

impl Known {
    fn note(&mut self, body: &Body) {
        for stm in &body.stms {
            let view = !matches!(stm.exp, Exp::Update { .. } | Exp::UpdateSlice { .. }) && view_of(&stm.exp).is_some();
            if view || matches!(stm.exp, Exp::Iota { .. } | Exp::Rotate { .. } | Exp::Rep(_)) {
                self.views.extend(&stm.pat);
            }
            if let (Exp::Index { array, at, .. }, [cell]) = (&stm.exp, stm.pat.as_slice()) {
                self.cells.insert(*cell, (*array, at.clone()));
            }
            stm.exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    self.note(body);
                }
            });
        }
    }
}

fn visit(program: &mut Program, body: &mut Body, known: &Known) {
    body.stms.iter_mut().for_each(|stm| stm.exp.bodies_mut(&mut |body| visit(program, body, known)));
    let mut at = 0;
    while at < body.stms.len() {
        at = match found(program, body, at, &known.views) {
            Some(column) => rewrite(program, body, column),
            None => part_of_row(program, body, at, known).unwrap_or(at) + 1,
        };
    }
}

/// Rewrites the update at this place if it puts back a row of which a part was replaced; returns the place of the last new statement.
fn part_of_row(program: &mut Program, body: &mut Body, at: usize, known: &Known) -> Option<usize> {
    let Stm { pat, exp: Exp::Update { array, at: indices, value: Operand::Var(new), checked: false }, span } = body.stms[at].clone() else {
        return None;
    };
    let replaced = body.stms[..at].iter().position(|stm| stm.pat.as_slice() == [new]).filter(|_| body.uses(new) == 1)?;
    let Exp::UpdateSlice { array: row, start, step, value, checked: false } = body.stms[replaced].exp else { return None };
    let (whole, place) = known.cells.get(&row)?;
    if known.views.contains(&array) || *whole != array || *place != indices {
        return None;
    }
    let ty = program.ty(array).clone();
    let (outer, cell) = ty.shape.split_at(indices.len() + 1);
    let places = indices.iter().chain([&start]).map(|index| index.as_size());
    let first =
        places.zip(outer).fold(Size::default(), |sum, (place, size)| mutated!(PartOfRowPlace, sum.mul(size), Size::default()).add(&place));
    let count = Size::product(outer);
    let flat_ty = Type { elem: ty.elem, shape: [count].into_iter().chain(cell.iter().cloned()).collect() };
    let name = program.vars[array].name;
    let (flat, written) = (program.fresh(name, flat_ty.clone()), program.fresh(name, flat_ty));
    let from = program.fresh(name, Type::scalar(PrimType::I64));
    let stm = |pat: Vec<Var>, exp: Exp| Stm { pat, exp, span };
    let update = Exp::UpdateSlice { array: flat, start: Operand::Var(from), step, value, checked: false };
    let new = [
        stm(vec![flat], Exp::Reshape(array)),
        stm(vec![from], Exp::Size(first)),
        stm(vec![written], update),
        stm(pat, Exp::Reshape(written)),
    ];
    body.stms.splice(at..=at, new);
    body.stms.remove(replaced);
    Some(at + 2)
}

/// An update of one cell in each of some rows.
struct Column {
    /// The statement that makes the new rows.
    at: usize,
    /// The statement that puts them into the array, if they are not all of its rows.
    put: Option<usize>,
    /// The array.
    array: Var,
    /// The first row, and the distance of two.
    start: Size,
    step: i64,
}

/// What updates a row: the parameter for it, and the statement in the lambda.
fn updates_row(program: &Program, soac: &Soac) -> Option<(usize, usize)> {
    let [Operand::Var(result)] = soac.lambda.body.result.as_slice() else { return None };
    if !soac.scans.is_empty() || !soac.reduces.is_empty() {
        return None;
    }
    let stms = &soac.lambda.body.stms;
    let last = stms.len().checked_sub(1)?;
    let Exp::Update { array, at, .. } = &stms[last].exp else { return None };
    let row = soac.lambda.params.iter().position(|param| param == array)?;
    let mut own: FxHashSet<Var> = soac.lambda.params.iter().copied().collect();
    own.extend(stms.iter().flat_map(|stm| &stm.pat));
    let fixed = at.iter().all(|index| index.var().is_none_or(|var| !own.contains(&var)));
    (stms[last].pat.as_slice() == [*result] && fixed && program.ty(*array) == program.ty(*result)).then_some((row, last))
}

fn found(program: &Program, body: &Body, at: usize, views: &FxHashSet<Var>) -> Option<Column> {
    let Exp::Soac(soac) = &body.stms[at].exp else { return None };
    let [new] = body.stms[at].pat.as_slice() else { return None };
    let (row, _) = updates_row(program, soac)?;
    let rows = soac.inputs[row];
    // Where the new rows take their places, if they are needed for nothing else.
    let only = body.uses(*new) == 1;
    let put = |into: Var, from: Operand, by: Operand| {
        let later = body.stms[at + 1..].iter().position(|stm| {
            matches!(stm.exp, Exp::UpdateSlice { array, start, step, value, .. }
                if (array, start, step, value) == (into, from, by, *new))
        });
        later.filter(|_| only).map(|later| at + 1 + later)
    };
    if !views.contains(&rows) {
        let put = put(rows, Operand::int(0), Operand::int(1));
        return (program.ty(rows) == program.ty(*new)).then_some(Column { at, put, array: rows, start: Size::default(), step: 1 });
    }
    let part = body.stms[..at].iter().find(|stm| stm.pat.as_slice() == [rows])?;
    let Exp::Slice { array, start, step, .. } = part.exp else { return None };
    let Operand::Const(by) = step else { return None };
    let (put, by) = (put(array, start, step)?, i64::try_from(by.as_i128()?).ok()?);
    (!views.contains(&array)).then_some(Column { at, put: Some(put), array, start: start.as_size(), step: by })
}

/// Rewrites an update; returns where to go on.
fn rewrite(program: &mut Program, body: &mut Body, column: Column) -> usize {
    let Column { at, put, array, start, step } = column;
    let info = program.vars[body.stms[at].pat[0]].clone();
    let Exp::Soac(soac) = &mut body.stms[at].exp else { return at + 1 };
    let Some((_, last)) = updates_row(program, soac) else { return at + 1 };
    let lambda = &mut soac.lambda.body;
    let Exp::Update { array: row, at: indices, value, checked } = lambda.stms[last].exp.clone() else { return at + 1 };
    let (row_ty, ty) = (program.ty(row).clone(), program.ty(array).clone());
    // The new cells are what the lambda returns.
    let span = lambda.stms[last].span;
    let bounds = indices.iter().zip(&row_ty.shape).filter(|_| checked);
    let checks: Vec<Stm> =
        bounds.map(|(index, size)| Stm { pat: Vec::new(), exp: Exp::Check(Check::Bounds(*index, size.clone())), span }).collect();
    lambda.stms.splice(last.., checks);
    lambda.result = vec![value];
    let width = soac.width.clone();
    let cells =
        program.fresh(info.name, Type { elem: info.ty.elem, shape: [width].into_iter().chain(row_ty.cell(indices.len()).shape).collect() });
    // Where they go in the vector of all cells.
    let count = Size::product(&row_ty.shape[..indices.len()]);
    let within = indices.iter().zip(&row_ty.shape).fold(Size::default(), |sum, (index, size)| sum.mul(size).add(&index.as_size()));
    let flat_ty = Type { elem: ty.elem, shape: [ty.shape[0].mul(&count)].into_iter().chain(row_ty.cell(indices.len()).shape).collect() };
    let name = program.vars[array].name;
    let (flat, written) = (program.fresh(name, flat_ty.clone()), program.fresh(name, flat_ty));
    let result = put.map_or_else(|| body.stms[at].pat[0], |put| body.stms[put].pat[0]);
    let span = put.map_or(body.stms[at].span, |put| body.stms[put].span);
    let mut new = vec![Stm { pat: vec![flat], exp: Exp::Reshape(array), span }];
    let mut operand = |size: Size| {
        size.as_operand().unwrap_or_else(|| {
            let var = program.fresh(name, Type::scalar(PrimType::I64));
            new.push(Stm { pat: vec![var], exp: Exp::Size(size), span });
            Operand::Var(var)
        })
    };
    let (start, step) =
        (operand(start.mul(&count).add(&within)), operand(count.scale(step).sub(&Size::constant(mutated!(ColumnStride, 0, 1)))));
    new.push(Stm { pat: vec![written], exp: Exp::UpdateSlice { array: flat, start, step, value: cells, checked: false }, span });
    new.push(Stm { pat: vec![result], exp: Exp::Reshape(written), span });
    body.stms[at].pat = vec![cells];
    let place = put.unwrap_or(at);
    match put {
        Some(put) => body.stms.splice(put..=put, new),
        None => body.stms.splice(at + 1..at + 1, new),
    };
    place + 1
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::strided_updates;

    #[test]
    fn a_column() {
        body_becomes(
            &[strided_updates],
            "([n i64] [m i64] [k i64] [a [f32 n m]]) ([R [f32 n m]])",
            "(let ([r [f32 n m]]) (soac n ([row [f32 m] a])
               (let ([x f32]) (index row k unchecked))
               (let ([t f32]) (f32.* x x))
               (let ([new [f32 m]]) (update row (k) t unchecked))
               (return new)))
             (return r)",
            "(let ([r.1 [f32 n]]) (soac n ([row [f32 m] a])
               (let ([x f32]) (index row k unchecked))
               (let ([t f32]) (f32.* x x))
               (return t)))
             (let ([a.1 [f32 (* m n)]]) (reshape a))
             (let ([a.2 [f32 (* m n)]]) (update-slice a.1 k m r.1 unchecked))
             (let ([r [f32 n m]]) (reshape a.2))
             (return r)",
        );
    }

    #[test]
    fn a_part_of_a_column() {
        body_becomes(
            &[strided_updates],
            "([n i64] [m i64] [k i64] [a [f32 (+ n 2) m 3]] [vs [f32 n]]) ([R [f32 (+ n 2) m 3]])",
            "(let ([part [f32 n m 3]]) (slice a 1 1 unchecked))
             (let ([new [f32 n m 3]]) (soac n ([row [f32 m 3] part] [v f32 vs])
               (let ([one [f32 m 3]]) (update row (k 2) v))
               (return one)))
             (let ([r [f32 (+ n 2) m 3]]) (update-slice a 1 1 new unchecked))
             (return r)",
            "(let ([part [f32 n m 3]]) (slice a 1 1 unchecked))
             (let ([new [f32 n]]) (soac n ([row [f32 m 3] part] [v f32 vs])
               (let () (check bounds k m))
               (let () (check bounds 2i64 3))
               (return v)))
             (let ([a.1 [f32 (+ (* 3 m n) (* 6 m))]]) (reshape a))
             (let ([a.2 i64]) (size (+ 2 (* 3 k) (* 3 m))))
             (let ([a.3 i64]) (size (* 3 m)))
             (let ([a.4 [f32 (+ (* 3 m n) (* 6 m))]]) (update-slice a.1 a.2 a.3 new unchecked))
             (let ([r [f32 (+ n 2) m 3]]) (reshape a.4))
             (return r)",
        );
    }

    #[test]
    fn a_part_of_a_row() {
        body_becomes(
            &[strided_updates],
            "([n i64] [m i64] [i i64] [k i64] [a [f32 n m 3]] [vs [f32 k 3]]) ([R [f32 n m 3]])",
            "(let ([row [f32 m 3]]) (index a i))
             (let ([new [f32 m 3]]) (update-slice row 1 2 vs unchecked))
             (let ([r [f32 n m 3]]) (update a (i) new unchecked))
             (return r)",
            "(let ([row [f32 m 3]]) (index a i))
             (let ([a.1 [f32 (* m n) 3]]) (reshape a))
             (let ([a.2 i64]) (size (+ 1 (* i m))))
             (let ([a.3 [f32 (* m n) 3]]) (update-slice a.1 a.2 2 vs unchecked))
             (let ([r [f32 n m 3]]) (reshape a.3))
             (return r)",
        );
    }

    #[test]
    fn rows_that_are_needed_or_of_other_arrays_stay() {
        stays(
            &[strided_updates],
            "([n i64] [m i64] [i i64] [k i64] [a [f32 n m]] [b [f32 n m]] [vs [f32 k]]) ([R [f32 m]] [S [f32 n m]] [T [f32 n m]])",
            "(let ([row [f32 m]]) (index a i unchecked))
             (let ([new [f32 m]]) (update-slice row 1 1 vs unchecked))
             (let ([r [f32 n m]]) (update a (i) new unchecked))
             (let ([other [f32 m]]) (index b i unchecked))
             (let ([part [f32 m]]) (update-slice other 1 1 vs unchecked))
             (let ([s [f32 n m]]) (update a (i) part unchecked))
             (return new r s)",
        );
    }

    #[test]
    fn places_that_differ_stay() {
        stays(
            &[strided_updates],
            "([n i64] [m i64] [ks [i64 n]] [a [f32 n m]]) ([R [f32 n m]])",
            "(let ([r [f32 n m]]) (soac n ([row [f32 m] a] [k i64 ks])
               (let ([new [f32 m]]) (update row (k) 1.0f32))
               (return new)))
             (return r)",
        );
    }
}
