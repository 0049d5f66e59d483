//! A matrix that one operator maps over by rows, and another by columns to reduce each, is read once.
//!
//! Law: reducing each column is reducing the rows, element by element: cell `j` of both is `op (.. (op neutral (f a[0, j])) ..) (f a[n-1, j])`,
//! in this order. As an operator over the rows it can be fused with others over the rows, and with what makes what it reads beside them.
//!
//! The sums of a whole row are then collected side by side. That suits processors whose caches hold a row; where sums should stay in
//! registers (on devices) columns are better reduced one by one.

use crate::base::Symbol;
use crate::base::mutation::mutated;
use crate::ir::soac::visit::mentioned;
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Operator, Program, Soac, Stm, Type, Var};
use rustc_hash::FxHashMap;

/// Rewrites reductions of columns, where another operator runs over the rows.
pub fn row_column_fusion(mut program: Program) -> Program {
    program.each_body(visit);
    program
}

/// Whether there may be such reductions.
pub fn applies(program: &Program) -> bool {
    fn body(b: &Body) -> bool {
        b.stms.iter().any(|stm| {
            let mut found = matches!(&stm.exp, Exp::Rearrange { perm, .. } if perm.as_slice() == [1, 0]);
            stm.exp.parts(&mut |part| {
                if let crate::ir::soac::visit::Part::Body(_, inner) = part {
                    found = found || body(inner);
                }
            });
            found
        })
    }
    program.funs.iter().any(|(_, fun)| body(&fun.body))
}

fn visit(program: &mut Program, body: &mut Body) {
    let mut turned: FxHashMap<Var, Var> = FxHashMap::default();
    let mut out: Vec<Stm> = Vec::with_capacity(body.stms.len());
    let stms = std::mem::take(&mut body.stms);
    for (k, stm) in stms.iter().enumerate() {
        if let (Exp::Rearrange { array, perm }, [view]) = (&stm.exp, stm.pat.as_slice())
            && perm.as_slice() == [1, 0]
        {
            turned.insert(*view, *array);
        }
        let others = || stms[..k].iter().chain(&stms[k + 1..]);
        match columns(program, stm, &turned) {
            Some(columns) if others().any(|other| runs_over(&other.exp, columns.matrix, &columns.reduce.width)) => {
                by_rows(program, stm, &columns, &turned, &mut out);
            }
            _ => {
                let mut stm = stm.clone();
                stm.exp.bodies_mut(&mut |body| visit(program, body));
                out.push(stm);
            }
        }
    }
    body.stms = out;
}

fn runs_over(exp: &Exp, matrix: Var, width: &crate::ir::soac::Size) -> bool {
    matches!(exp, Exp::Soac(soac) if soac.inputs.contains(&matrix) && soac.width == *width && soac.scans.is_empty())
}

/// A map over the columns of a matrix that reduces each.
struct Columns<'a> {
    map: &'a Soac,
    reduce: &'a Soac,
    matrix: Var,
}

fn columns<'a>(program: &Program, stm: &'a Stm, turned: &FxHashMap<Var, Var>) -> Option<Columns<'a>> {
    let Exp::Soac(map) = &stm.exp else { return None };
    let ([inner], [result]) = (map.lambda.body.stms.as_slice(), map.lambda.body.result.as_slice()) else { return None };
    let (Exp::Soac(reduce), true) = (&inner.exp, inner.pat.len() == 1 && result.var() == inner.pat.first().copied()) else { return None };
    let [operator] = reduce.reduces.as_slice() else { return None };
    let plain = map.scans.is_empty() && map.reduces.is_empty() && reduce.scans.is_empty() && stm.pat.len() == 1;
    let scalars = |body: &Body| body.stms.iter().all(|stm| matches!(stm.exp, Exp::Scalar(..) | Exp::Copy(_)) && !stm.exp.may_fail());
    let simple =
        matches!(operator.neutral.as_slice(), [Operand::Const(_)]) && scalars(&reduce.lambda.body) && scalars(&operator.lambda.body);
    let vectors = reduce.inputs.iter().all(|input| program.ty(*input).rank() == 1);
    // What belongs to a column: parts of it, or numbers that are the same for all of it.
    let mut matrix = None;
    for (param, array) in map.lambda.params.iter().zip(&map.inputs) {
        if program.ty(*param).rank() == 0 {
            continue;
        }
        let base = turned.get(array).filter(|base| program.ty(**base).rank() == 2)?;
        matrix = matrix.or(Some(*base));
        let mut elsewhere = false;
        for stm in reduce.lambda.body.stms.iter().chain(&operator.lambda.body.stms) {
            mentioned(stm, &mut |var| elsewhere = elsewhere || var == *param);
        }
        if elsewhere {
            return None;
        }
    }
    (plain && simple && vectors).then_some(())?;
    Some(Columns { map, reduce, matrix: matrix? })
}

/// The reduction of rows in the place of that of columns.
fn by_rows(program: &mut Program, stm: &Stm, Columns { map, reduce, .. }: &Columns, turned: &FxHashMap<Var, Var>, out: &mut Vec<Stm>) {
    let span = stm.span;
    let operator = &reduce.reduces[0];
    let elem = program.operand_ty(operator.neutral[0]).elem;
    let row_ty = Type { elem, shape: vec![map.width.clone()] };
    // Over the rows: rows and single numbers. In a row: its elements, and the numbers of each column.
    let (mut inputs, mut params) = (Vec::new(), Vec::new());
    let (mut cells, mut elements) = (Vec::new(), Vec::new());
    let mut subst = Subst::default();
    for (input, param) in reduce.inputs.iter().zip(&reduce.lambda.params) {
        let info = program.vars[*param].clone();
        match map.lambda.params.iter().position(|p| p == input) {
            Some(k) => {
                let base = turned.get(&map.inputs[k]).copied().unwrap_or(map.inputs[k]);
                let row = program.fresh(info.name, info.ty.framed(std::slice::from_ref(&map.width)));
                let element = program.fresh(info.name, info.ty);
                inputs.push(base);
                params.push(row);
                cells.push(row);
                elements.push(element);
                subst.operands.insert(*param, Operand::Var(element));
            }
            None => {
                let number = program.fresh(info.name, info.ty);
                inputs.push(*input);
                params.push(number);
                subst.operands.insert(*param, Operand::Var(number));
            }
        }
    }
    for (param, array) in map.lambda.params.iter().zip(&map.inputs).filter(|(param, _)| !reduce.inputs.contains(param)) {
        let info = program.vars[*param].clone();
        let number = program.fresh(info.name, info.ty);
        cells.push(*array);
        elements.push(number);
        subst.operands.insert(*param, Operand::Var(number));
    }
    let body = fresh_body(program, &reduce.lambda.body, &mut subst);
    let element =
        Soac { width: map.width.clone(), inputs: cells, lambda: Lambda { params: elements, body }, scans: Vec::new(), reduces: Vec::new() };
    let name = Symbol::new("sums");
    let [neutral, left, right, both, new] = [(); 5].map(|()| program.fresh(name, row_ty.clone()));
    // The operator, element by element.
    let mut subst = Subst::default();
    let mut one = operator.lambda.clone();
    rebind_all(program, one.params.iter_mut(), &mut subst);
    one.body = fresh_body(program, &operator.lambda.body, &mut subst);
    let each = Soac {
        width: map.width.clone(),
        inputs: mutated!(BothWaysTurned, vec![left, right], vec![right, left]),
        lambda: one,
        scans: Vec::new(),
        reduces: Vec::new(),
    };
    let each = Body { stms: vec![Stm { pat: vec![both], exp: Exp::Soac(each), span }], result: vec![Operand::Var(both)] };
    let rows = Operator {
        lambda: Lambda { params: vec![left, right], body: each },
        neutral: vec![Operand::Var(neutral)],
        commutative: operator.commutative,
    };
    out.push(Stm { pat: vec![neutral], exp: Exp::Rep(operator.neutral[0]), span });
    let body = Body { stms: vec![Stm { pat: vec![new], exp: Exp::Soac(element), span }], result: vec![Operand::Var(new)] };
    let soac = Soac { width: reduce.width.clone(), inputs, lambda: Lambda { params, body }, scans: Vec::new(), reduces: vec![rows] };
    out.push(Stm { pat: stm.pat.clone(), exp: Exp::Soac(soac), span });
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::super::{cse, dead, fuse, simplify};
    use super::row_column_fusion;

    const SUM: &str = "(reduce commutative (0.0f32) ([a f32] [b f32]) (let ([c f32]) (f32.+ a b)) (return c))";
    const OTHER: &str = "(reduce commutative (0.0f32) ([a2 f32] [b2 f32]) (let ([c2 f32]) (f32.+ a2 b2)) (return c2))";

    #[test]
    fn sums_of_rows_and_columns_in_one_pass() {
        let before = format!(
            "(let ([s [f32 n]]) (soac n ([row [f32 m] x])
               (let ([t f32]) (soac m ([e f32 row]) (return e) {SUM}))
               (return t)))
             (let ([y [f32 m n]]) (rearrange x 1 0))
             (let ([r [f32 m]]) (soac m ([column [f32 n] y])
               (let ([u f32]) (soac n ([g f32 column] [w f32 v]) (let ([p f32]) (f32.* g w)) (return p) {OTHER}))
               (return u)))
             (return s r)"
        );
        body_becomes(
            &[row_column_fusion, fuse, simplify, cse, fuse, simplify, dead],
            "([n i64] [m i64] [x [f32 n m]] [v [f32 n]]) ([R [f32 n]] [S [f32 m]])",
            &before,
            "(let ([sums [f32 m]]) (rep 0.0f32))
             (let ([r [f32 m]] [s [f32 n]]) (soac n ([row [f32 m] x] [w f32 v])
               (let ([t f32] [sums.1 [f32 m]]) (soac m ([e f32 row])
                 (let ([p f32]) (f32.* e w))
                 (return e p)
                 (reduce commutative (0.0f32) ([a f32] [b f32]) (let ([c f32]) (f32.+ a b)) (return c))))
               (return sums.1 t)
               (reduce commutative (sums) ([sums.2 [f32 m]] [sums.3 [f32 m]])
                 (let ([sums.4 [f32 m]]) (soac m ([a2 f32 sums.2] [b2 f32 sums.3]) (let ([c2 f32]) (f32.+ a2 b2)) (return c2)))
                 (return sums.4))))
             (return s r)",
        );
    }

    #[test]
    fn columns_alone_stay() {
        let body = format!(
            "(let ([y [f32 m n]]) (rearrange x 1 0))
             (let ([r [f32 m]]) (soac m ([column [f32 n] y])
               (let ([t f32]) (soac n ([e f32 column]) (return e) {SUM}))
               (return t)))
             (return r)"
        );
        stays(&[row_column_fusion], "([n i64] [m i64] [x [f32 n m]]) ([S [f32 m]])", &body);
    }
}
