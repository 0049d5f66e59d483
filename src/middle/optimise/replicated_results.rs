//! Maps that replicate a number for each cell return the number: derivatives of sums of rows are such maps.
//!
//! Law: mapping a replication of a number is replicating the mapped numbers along inner dimensions.
//!
//! ```text
//! map (\x -> let s = f x in rep m s) xs
//! ==>
//! let ss = map f xs
//! in rearrange (rep m ss) 1 0
//! ```
//!
//! What is left is a view, of which operators that read it know the numbers. Only maps that are statements of functions and loops are rewritten:
//! inside of others the numbers would be an array for each cell.

use crate::ir::soac::{Exp, Operand, Program, Stm, Type, Var};

/// Rewrites such maps.
pub fn replicated_results(mut program: Program) -> Program {
    program.each_body(|program, body| visit(program, &mut body.stms));
    program
}

fn visit(program: &mut Program, stms: &mut Vec<Stm>) {
    let mut at = 0;
    while at < stms.len() {
        if let Exp::Loop { body, .. } = &mut stms[at].exp {
            visit(program, &mut body.stms);
        }
        let views = numbers(program, &mut stms[at]);
        let count = views.len();
        stms.splice(at + 1..at + 1, views);
        at += 1 + count;
    }
}

/// Makes a map return numbers. What its results were is in the statements that are returned.
fn numbers(program: &mut Program, stm: &mut Stm) -> Vec<Stm> {
    let span = stm.span;
    let Exp::Soac(soac) = &mut stm.exp else { return Vec::new() };
    let mut views = Vec::new();
    for k in soac.combined()..stm.pat.len() {
        let Some(number) = soac.lambda.body.result[k].var().and_then(|result| replicated(program, &soac.lambda.body.stms, result)) else {
            continue;
        };
        let old = stm.pat[k];
        let info = program.vars[old].clone();
        let (width, inner) = (info.ty.shape[0].clone(), &info.ty.shape[1..]);
        let numbers = program.fresh(info.name, Type { elem: info.ty.elem, shape: vec![width.clone()] });
        let shape = inner.iter().cloned().chain([width]).collect();
        let copies = program.fresh(info.name, Type { elem: info.ty.elem, shape });
        soac.lambda.body.result[k] = number;
        stm.pat[k] = numbers;
        let perm = [inner.len()].into_iter().chain(0..inner.len()).collect();
        views.push(Stm { pat: vec![copies], exp: Exp::Rep(Operand::Var(numbers)), span });
        views.push(Stm { pat: vec![old], exp: Exp::Rearrange { array: copies, perm }, span });
    }
    views
}

/// The number of which an array of the body of a map is a replication.
fn replicated(program: &Program, stms: &[Stm], array: Var) -> Option<Operand> {
    let stm = stms.iter().find(|stm| stm.pat.as_slice() == [array])?;
    let Exp::Rep(number) = stm.exp else { return None };
    (program.operand_ty(number).rank() == 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::replicated_results;

    #[test]
    fn numbers_leave_the_map() {
        body_becomes(
            &[replicated_results],
            "([n i64] [m i64] [k i64] [xs [f64 n]]) ([R [f64 n m k]] [S [f64 n]])",
            "(let ([r [f64 n m k]] [s [f64 n]]) (soac n ([x f64 xs])
               (let ([y f64]) (f64.* x x))
               (let ([q [f64 m k]]) (rep y))
               (return q x)))
             (return r s)",
            "(let ([r.1 [f64 n]] [s [f64 n]]) (soac n ([x f64 xs])
               (let ([y f64]) (f64.* x x))
               (let ([q [f64 m k]]) (rep y))
               (return y x)))
             (let ([r.2 [f64 m k n]]) (rep r.1))
             (let ([r [f64 n m k]]) (rearrange r.2 2 0 1))
             (return r s)",
        );
    }

    #[test]
    fn rows_and_inner_maps_stay() {
        stays(
            &[replicated_results],
            "([n i64] [m i64] [k i64] [xs [f64 n]] [ys [f64 k]]) ([R [f64 n m k]] [S [f64 n k m]])",
            "(let ([r [f64 n m k]] [s [f64 n k m]]) (soac n ([x f64 xs])
               (let ([q [f64 m k]]) (rep ys))
               (let ([p [f64 k m]]) (soac k ([y f64 ys])
                 (let ([z f64]) (f64.* x y))
                 (let ([o [f64 m]]) (rep z))
                 (return o)))
               (return q p)))
             (return r s)",
        );
    }
}
