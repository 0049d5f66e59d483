//! Loops that replace an array by one that is computed from it cell by cell.
//!
//! Law: an array whose cells are all replaced is the array of the new cells; and a cell that is copied before stays what it was. Written as
//! an update, with copies of single cells that all the others are computed from, the new cells can be written over the old ones: half the
//! memory, and half of what goes through the caches.

use crate::base::mutation::mutated;
use crate::ir::soac::cells::{reads_first, view_of};
use crate::ir::soac::visit::mentioned;
use crate::ir::soac::visit_mut::Subst;
use crate::ir::soac::{Body, Exp, Operand, Program, Soac, Stm, Var};
use rustc_hash::FxHashSet;

/// Rewrites such loops.
pub fn in_place_maps(mut program: Program) -> Program {
    program.each_body(visit);
    program
}

fn visit(program: &mut Program, body: &mut Body) {
    for stm in &mut body.stms {
        stm.exp.bodies_mut(&mut |body| visit(program, body));
        if let Exp::Loop { params, body, .. } = &mut stm.exp {
            let params: Vec<Var> = params.iter().map(|(param, _)| *param).collect();
            for (k, param) in params.into_iter().enumerate() {
                rewrite(program, body, k, param);
            }
        }
    }
}

fn mentions(stms: &[Stm], vars: &FxHashSet<Var>) -> bool {
    let mut found = false;
    stms.iter().for_each(|stm| mentioned(stm, &mut |var| found = found || vars.contains(&var)));
    found
}

/// Whether the statement at a place, whose result is copied, makes it cell by cell from the parameter.
fn fits_at(program: &Program, body: &Body, at: usize, param: Var, array: Var) -> bool {
    let Exp::Soac(soac) = &body.stms[at].exp else { return false };
    let mut direct = body.clone();
    direct.stms.retain(|stm| !matches!(stm.exp, Exp::Copy(Operand::Var(from)) if from == array));
    direct.result.push(Operand::Var(array));
    fits(program, &direct, at, soac, param, array).is_some()
}

/// Result number `k` of a loop, if it is made from the parameter cell by cell.
fn rewrite(program: &mut Program, body: &mut Body, k: usize, param: Var) {
    let Some(Operand::Var(mut result)) = body.result.get(k).copied() else { return };
    let made = |var: Var| body.stms.iter().position(|stm| stm.pat.as_slice() == [var]);
    let Some(mut at) = made(result) else { return };
    // A copy of what nothing else needs is the array itself.
    if let Exp::Copy(Operand::Var(array)) = body.stms[at].exp
        && body.uses(array) == 1
        && body.uses(result) == 1
        && let Some(before) = made(array)
        && fits_at(program, body, before, param, array)
    {
        body.stms.remove(at);
        body.result[k] = Operand::Var(array);
        (result, at) = (array, before);
    }
    let Exp::Soac(soac) = &body.stms[at].exp else { return };
    let Some(singles) = fits(program, body, at, soac, param, result) else { return };
    // Copies of the cells that all need.
    let span = body.stms[at].span;
    let mut new = Vec::new();
    for single in mutated!(OverWithoutCopies, singles, Vec::new()) {
        let info = program.vars[single].clone();
        let copy = program.fresh(info.name, info.ty);
        new.push(Stm { pat: vec![copy], exp: Exp::Copy(Operand::Var(single)), span });
        let mut subst = Subst::default();
        subst.operands.insert(single, Operand::Var(copy));
        subst.stm(&mut body.stms[at]);
    }
    let info = program.vars[param].clone();
    let (view, cells) = (program.fresh(info.name, info.ty.clone()), program.fresh(info.name, info.ty));
    let (start, step) = (Operand::int(0), Operand::int(1));
    new.push(Stm { pat: vec![view], exp: Exp::Slice { array: param, start, step, checked: false }, span });
    if let Exp::Soac(soac) = &mut body.stms[at].exp {
        soac.inputs.iter_mut().filter(|input| **input == param).for_each(|input| *input = view);
    }
    body.stms[at].pat = vec![cells];
    let exp = Exp::UpdateSlice { array: param, start, step, value: cells, checked: false };
    body.stms.insert(at + 1, Stm { pat: vec![result], exp, span });
    body.stms.splice(at..at, new);
}

/// Whether the new cells may be written over the old ones, and what must be copied for that.
fn fits(program: &Program, body: &Body, at: usize, soac: &Soac, param: Var, result: Var) -> Option<Vec<Var>> {
    let k = soac.inputs.iter().position(|input| *input == param)?;
    let once = soac.inputs.iter().filter(|input| **input == param).count() == 1;
    let plain = soac.scans.is_empty() && soac.reduces.is_empty() && program.ty(param) == program.ty(result);
    let result_once = body.result.iter().filter(|a| a.var() == Some(result)).count() == 1;
    let elsewhere = body.result.iter().any(|a| a.var() == Some(param));
    if !once || !plain || !result_once || elsewhere || !reads_first(program, &soac.lambda, soac.lambda.params[k]) {
        return None;
    }
    // What lies in the memory of the parameter.
    let mut derived: FxHashSet<Var> = [param].into_iter().collect();
    for stm in &body.stms[..at] {
        match view_of(&stm.exp) {
            Some(array) if derived.contains(&array) => derived.extend(&stm.pat),
            Some(_) => {}
            None => {
                let whole = matches!(stm.exp, Exp::If { .. } | Exp::Loop { .. });
                if whole && mentions(std::slice::from_ref(stm), &derived) {
                    return None;
                }
            }
        }
    }
    let later: FxHashSet<Var> = derived.iter().copied().chain([result]).collect();
    if mentions(&body.stms[at + 1..], &later) || mentions(&soac.lambda.body.stms, &[param].into_iter().collect()) {
        return None;
    }
    let mut singles = Vec::new();
    mentioned(&body.stms[at], &mut |var| {
        if var != param && derived.contains(&var) && program.ty(var).rank() > 0 && !singles.contains(&var) {
            singles.push(var);
        }
    });
    // Only single cells cost little to copy.
    singles.iter().all(|var| program.ty(*var).rank() < program.ty(param).rank()).then_some(singles)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::in_place_maps;

    #[test]
    fn a_row_that_all_rows_need_is_copied() {
        body_becomes(
            &[in_place_maps],
            "([n i64] [a [f32 n n]]) ([R [f32 n n]])",
            "(let ([r [f32 n n]]) (loop ([x [f32 n n] a]) (for k n)
               (let ([p [f32 n]]) (index x k unchecked))
               (let ([y [f32 n n]]) (soac n ([row [f32 n] x])
                 (let ([z [f32 n]]) (soac n ([u f32 row] [v f32 p])
                   (let ([t f32]) (f32.+ u v))
                   (return t)))
                 (return z)))
               (return y)))
             (return r)",
            "(let ([r [f32 n n]]) (loop ([x [f32 n n] a]) (for k n)
               (let ([p [f32 n]]) (index x k unchecked))
               (let ([p.1 [f32 n]]) (copy p))
               (let ([x.1 [f32 n n]]) (slice x 0 1 unchecked))
               (let ([x.2 [f32 n n]]) (soac n ([row [f32 n] x.1])
                 (let ([z [f32 n]]) (soac n ([u f32 row] [v f32 p.1])
                   (let ([t f32]) (f32.+ u v))
                   (return t)))
                 (return z)))
               (let ([y [f32 n n]]) (update-slice x 0 1 x.2 unchecked))
               (return y)))
             (return r)",
        );
    }

    #[test]
    fn cells_that_need_their_neighbours_stay() {
        stays(
            &[in_place_maps],
            "([n i64] [a [f32 n]]) ([R [f32 n]])",
            "(let ([r [f32 n]]) (loop ([x [f32 n] a]) (for k n)
               (let ([b [f32 n]]) (rotate x 1))
               (let ([c [f32 n]]) (slice x 0 1 unchecked))
               (let ([y [f32 n]]) (soac n ([u f32 x] [v f32 c])
                 (let ([t f32]) (f32.+ u v))
                 (return t)))
               (return y)))
             (return r)",
        );
    }
}
