//! Arrays that are read at the number of the cell become inputs.
//!
//! Law: mapping over `0, 1, ..` and taking element `i` of an array of the same size is mapping over the array. As an input it can be fused
//! with what makes it.

use crate::base::mutation::mutated;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, Lambda, Operand, Program, Size, Soac, Var, parallel_exp, single_exp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Whether the program makes ragged arrays, whose elements may be read one after the other.
pub fn of_rows(program: &Program) -> bool {
    program.funs.iter().any(|(_, fun)| makes_rows(&fun.body))
}
fn makes_rows(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(stm.exp, Exp::Rows { .. });
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                found = found || makes_rows(body);
            }
        });
        found
    })
}

/// Makes inputs of arrays.
pub fn index_to_input(mut program: Program) -> Program {
    let mut ranges = FxHashSet::default();
    for stm in &program.consts {
        note_range(&stm.pat, &stm.exp, &mut ranges);
    }
    program.each_body(|program, body| visit(program, body, &mut ranges));
    program
}

/// Ranges that start at 0 and go on by 1.
fn note_range(pat: &[Var], exp: &Exp, ranges: &mut FxHashSet<Var>) {
    if let Exp::Iota { start: Operand::Const(start), step: Operand::Const(step) } = exp
        && (mutated!(InputFromAnywhere, start.as_i128(), Some(0)), step.as_i128()) == (Some(0), Some(1))
    {
        ranges.extend(pat);
    }
}

fn visit(program: &mut Program, body: &mut Body, ranges: &mut FxHashSet<Var>) {
    for stm in &mut body.stms {
        note_range(&stm.pat, &stm.exp, ranges);
        match &mut stm.exp {
            Exp::Soac(Soac { width, inputs, lambda, .. })
            | Exp::Filter { width, inputs, lambda }
            | Exp::Rows { width, inputs, lambda }
            | Exp::Scatter { width, inputs, lambda, .. }
            | Exp::Hist { width, inputs, lambda, .. } => {
                let counter = inputs.iter().position(|input| ranges.contains(input)).map(|k| lambda.params[k]);
                if let Some(counter) = counter {
                    add_inputs(program, counter, width, inputs, lambda);
                }
            }
            single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => {}
        }
        stm.exp.bodies_mut(&mut |body| visit(program, body, ranges));
    }
}

fn add_inputs(program: &mut Program, counter: Var, width: &Size, inputs: &mut Vec<Var>, lambda: &mut Lambda) {
    let mut inside: FxHashSet<Var> = lambda.params.iter().copied().collect();
    let mut read = Vec::new();
    find(program, &lambda.body, counter, width, &mut inside, &mut read);
    let mut cells: FxHashMap<Var, Var> = FxHashMap::default();
    for array in read {
        if inside.contains(&array) || cells.contains_key(&array) {
            continue;
        }
        let info = &program.vars[array];
        let (name, ty) = (info.name, info.ty.cell(1));
        let cell = program.fresh(name, ty);
        cells.insert(array, cell);
        inputs.push(array);
        lambda.params.push(cell);
    }
    if !cells.is_empty() {
        replace(&mut lambda.body, counter, &cells);
    }
}

/// Arrays of this size that are read at the counter; and what is bound in the body.
fn find(program: &Program, body: &Body, counter: Var, width: &Size, inside: &mut FxHashSet<Var>, read: &mut Vec<Var>) {
    for stm in &body.stms {
        inside.extend(&stm.pat);
        match &stm.exp {
            Exp::Index { array, at, checked: false }
                if at.first() == Some(&Operand::Var(counter)) && program.vars[*array].ty.shape.first() == Some(width) =>
            {
                read.push(*array);
            }
            Exp::Loop { params, .. } => inside.extend(params.iter().map(|(param, _)| *param)),
            single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Call(..) => {}
        }
        stm.exp.parts(&mut |part| {
            if let Part::Body(params, body) = part {
                inside.extend(params);
                find(program, body, counter, width, inside, read);
            }
        });
    }
}

fn replace(body: &mut Body, counter: Var, cells: &FxHashMap<Var, Var>) {
    for stm in &mut body.stms {
        if let Exp::Index { array, at, checked: false } = &stm.exp
            && at.first() == Some(&Operand::Var(counter))
            && let Some(&cell) = cells.get(array)
        {
            stm.exp = match at.get(1..) {
                Some(rest) if !rest.is_empty() => Exp::Index { array: cell, at: rest.to_vec(), checked: false },
                _ => Exp::Copy(Operand::Var(cell)),
            };
        }
        stm.exp.bodies_mut(&mut |body| replace(body, counter, cells));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::super::{dead, simplify};
    use super::index_to_input;

    #[test]
    fn a_table_of_sums_is_a_map() {
        body_becomes(
            &[simplify, index_to_input, simplify, dead],
            "([n i64] [xs [f32 n]] [yss [f32 n n]]) ([R [f32 n n]])",
            "(let ([is [i64 n]]) (iota 0 1))
             (let ([r [f32 n n]]) (soac n ([i i64 is])
               (let ([s [f32 n]]) (soac n ([j i64 is])
                 (let ([x f32]) (index xs j))
                 (let ([y f32]) (index yss i j))
                 (let ([z f32]) (f32.+ x y))
                 (return z)))
               (return s)))
             (return r)",
            "(let ([r [f32 n n]]) (soac n ([yss.1 [f32 n] yss])
               (let ([s [f32 n]]) (soac n ([xs.2 f32 xs] [yss.2 f32 yss.1])
                 (let ([z f32]) (f32.+ xs.2 yss.2))
                 (return z)))
               (return s)))
             (return r)",
        );
    }

    #[test]
    fn other_sizes_and_other_places_stay() {
        stays(
            &[index_to_input],
            "([n i64] [m i64] [xs [f32 m]] [ys [f32 n]]) ([R [f32 n]])",
            "(let ([is [i64 n]]) (iota 0 1))
             (let ([js [i64 n]]) (iota 1 1))
             (let ([r [f32 n]]) (soac n ([i i64 is] [j i64 js])
               (let () (check bounds i m))
               (let () (check bounds j n))
               (let ([x f32]) (index xs i unchecked))
               (let ([y f32]) (index ys j unchecked))
               (let ([z f32]) (f32.+ x y))
               (return z)))
             (return r)",
        );
    }
}
