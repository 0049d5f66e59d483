//! Operators over a small constant number of cells become scalar code.
//!
//! Law: an operator over `w` cells is its lambda for each of them, its reductions the operator applied from the left to the neutral element
//! and the cells, its mapped results the stacks of what the lambda returns. Nothing is computed in another order.

use crate::base::mutation::mutated;
use crate::base::{Span, Symbol};
use crate::ir::soac::visit::Part;
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Operator, Program, Soac, Stm, Var, placed};

/// At most so many cells.
const CELLS: i64 = 4;
/// At most so many statements, inner ones included, after unrolling.
const STATEMENTS: usize = 96;

/// Unrolls the loops of a program with few iterations.
pub fn unroll(mut program: Program) -> Program {
    program.each_body(unroll_body);
    program
}

/// Whether there is something to unroll.
pub fn applies(program: &Program) -> bool {
    program.funs.iter().any(|(_, fun)| applies_to(program, &fun.body))
}
fn applies_to(program: &Program, body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = cells(program, stm).is_some();
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                found = found || applies_to(program, body);
            }
        });
        found
    })
}

fn unroll_body(program: &mut Program, body: &mut Body) {
    let mut out = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        stm.exp.bodies_mut(&mut |body| unroll_body(program, body));
        match cells(program, &stm) {
            Some(count) => unrolled(program, stm, count, &mut out),
            None => out.push(stm),
        }
    }
    body.stms = out;
}

/// How many cells the operator has, if it is to be unrolled.
fn cells(program: &Program, stm: &Stm) -> Option<i64> {
    let Exp::Soac(soac) = &stm.exp else { return None };
    let count = soac.width.as_constant().filter(|n| (1..=CELLS).contains(n))?;
    let operators: usize = soac.operators().map(|op| super::inline::statements(&op.lambda.body)).sum();
    let size = (super::inline::statements(&soac.lambda.body) + operators) * usize::try_from(count).ok()?;
    let combined = soac.combined();
    // Stacks of arrays would be copies.
    let scalars = soac.lambda.body.result.iter().skip(combined).all(|a| program.operand_ty(*a).rank() == 0);
    (size <= STATEMENTS && scalars && soac.scans.is_empty()).then_some(count)
}

fn unrolled(program: &mut Program, stm: Stm, count: i64, out: &mut Vec<Stm>) {
    let span = stm.span;
    let Exp::Soac(soac) = stm.exp else { return };
    let combined = soac.combined();
    let Soac { inputs, lambda, reduces, .. } = soac;
    let mut results: Vec<Vec<Operand>> = Vec::new();
    for k in 0..count {
        results.push(cell(program, &inputs, &lambda, mutated!(UnrollFirstCell, k, k.min(count - 2).max(0)), span, out));
    }
    for (operator, places) in placed(&reduces) {
        let mut sum = operator.neutral.clone();
        for result in &results {
            sum = combine(program, operator, &sum, &result[places.clone()], out);
        }
        let copies = stm.pat[places].iter().zip(sum);
        out.extend(copies.map(|(var, a)| Stm { pat: vec![*var], exp: Exp::Copy(a), span }));
    }
    for (k, var) in stm.pat.iter().enumerate().skip(combined) {
        let cells = results.iter().map(|result| result[k]).collect();
        out.push(Stm { pat: vec![*var], exp: Exp::Stack(cells), span });
    }
}

/// The lambda for cell `k`.
fn cell(program: &mut Program, inputs: &[Var], lambda: &Lambda, k: i64, span: Span, out: &mut Vec<Stm>) -> Vec<Operand> {
    let mut subst = Subst::default();
    for (param, input) in lambda.params.iter().zip(inputs) {
        let ty = program.vars[*input].ty.cell(1);
        let name: Symbol = program.vars[*param].name;
        let var = program.fresh(name, ty);
        out.push(Stm { pat: vec![var], exp: Exp::Index { array: *input, at: vec![Operand::int(k)], checked: false }, span });
        subst.operands.insert(*param, Operand::Var(var));
    }
    let body = fresh_body(program, &lambda.body, &mut subst);
    out.extend(body.stms);
    body.result
}

fn combine(program: &mut Program, operator: &Operator, a: &[Operand], b: &[Operand], out: &mut Vec<Stm>) -> Vec<Operand> {
    let mut subst = Subst::default();
    for (param, operand) in operator.lambda.params.iter().zip(mutated!(UnrollTurned, a.iter().chain(b), b.iter().chain(a))) {
        subst.operands.insert(*param, *operand);
    }
    let body = fresh_body(program, &operator.lambda.body, &mut subst);
    out.extend(body.stms);
    body.result
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::super::{dead, simplify};
    use super::unroll;

    #[test]
    fn a_dot_product_of_two_numbers() {
        body_becomes(
            &[unroll, simplify, dead],
            "([xs [f32 2]] [ys [f32 2]]) ([R f32] [S [f32 2]])",
            "(let ([r f32] [s [f32 2]]) (soac 2 ([x f32 xs] [y f32 ys])
               (let ([p f32]) (f32.* x y))
               (return p p)
               (reduce (0.0f32) ([a f32] [b f32]) (let ([t f32]) (f32.+ a b)) (return t))))
             (return r s)",
            "(let ([x.1 f32]) (index xs 0 unchecked))
             (let ([y.1 f32]) (index ys 0 unchecked))
             (let ([p.1 f32]) (f32.* x.1 y.1))
             (let ([x.2 f32]) (index xs 1 unchecked))
             (let ([y.2 f32]) (index ys 1 unchecked))
             (let ([p.2 f32]) (f32.* x.2 y.2))
             (let ([t.1 f32]) (f32.+ 0.0f32 p.1))
             (let ([t.2 f32]) (f32.+ t.1 p.2))
             (let ([s [f32 2]]) (stack p.1 p.2))
             (return t.2 s)",
        );
    }

    #[test]
    fn larger_ones_and_those_of_rows_stay() {
        stays(
            &[unroll],
            "([xs [f32 5]] [xss [f32 2 9]]) ([R [f32 5]] [S [f32 2 9]])",
            "(let ([r [f32 5]]) (soac 5 ([x f32 xs]) (let ([y f32]) (f32.* x x)) (return y)))
             (let ([s [f32 2 9]]) (soac 2 ([row [f32 9] xss])
               (let ([t [f32 9]]) (soac 9 ([x.1 f32 row]) (let ([z f32]) (f32.* x.1 x.1)) (return z)))
               (return t)))
             (return r s)",
        );
    }
}
