//! Whether the cells of an array may be overwritten by those that are computed from them.

use super::visit::mentioned;
use super::{Body, Exp, Lambda, Operand, Program, Stm, Var, count_exp, made_exp, parallel_exp, view_exp};
use rustc_hash::FxHashSet;

/// The array whose memory a statement's result is in, if it is a view or an update.
pub fn view_of(exp: &Exp) -> Option<Var> {
    match exp {
        Exp::Index { array, .. }
        | Exp::Slice { array, .. }
        | Exp::Rearrange { array, .. }
        | Exp::Reshape(array)
        | Exp::Coerce(array)
        | Exp::Update { array, .. }
        | Exp::UpdateSlice { array, .. }
        | Exp::Rep(Operand::Var(array)) => Some(*array),
        Exp::Rep(Operand::Const(_))
        | Exp::Copy(_)
        | Exp::Scalar(..)
        | Exp::Size(_)
        | Exp::Literal(_)
        | Exp::Stack(_)
        | Exp::Rotate { .. }
        | Exp::Iota { .. }
        | Exp::Concat(_)
        | Exp::Check(_)
        | Exp::If { .. }
        | Exp::Loop { .. }
        | Exp::Call(..)
        | parallel_exp!()
        | count_exp!() => None,
    }
}

/// How a result comes to be in its memory: by a statement of the body, followed by updates and other shapes of the whole.
struct Made<'b> {
    /// The place of the first statement that writes.
    begin: usize,
    /// That statement, unless it is an update of a cell which is given, to be copied first.
    by: Option<&'b Exp>,
    /// What the statements that follow are about.
    versions: FxHashSet<Var>,
}

fn made(body: &Body, result: Var, param: Var) -> Option<Made<'_>> {
    let (mut var, mut begin, mut versions) = (result, None, FxHashSet::default());
    loop {
        let Some((k, stm)) = body.stms.iter().enumerate().rev().find(|(_, stm)| stm.pat.contains(&var)) else {
            return begin.filter(|_| var == param).map(|begin| Made { begin, by: None, versions });
        };
        var = match &stm.exp {
            Exp::Update { array, .. } | Exp::UpdateSlice { array, .. } => {
                begin = Some(k);
                *array
            }
            Exp::Coerce(array) | Exp::Reshape(array) => *array,
            by @ (Exp::Copy(_)
            | Exp::Scalar(..)
            | Exp::Size(_)
            | Exp::Index { .. }
            | Exp::Slice { .. }
            | Exp::Rearrange { .. }
            | Exp::Check(_)
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..)
            | made_exp!()
            | count_exp!()
            | parallel_exp!()) => return Some(Made { begin: k, by: Some(by), versions }),
        };
        versions.extend(&stm.pat);
    }
}

/// Whether an array is all of a cell, perhaps in another shape.
fn is_whole(body: &Body, mut var: Var, param: Var) -> bool {
    while var != param {
        let Some(stm) = body.stms.iter().find(|stm| stm.pat.contains(&var)) else { return false };
        let (Exp::Coerce(array) | Exp::Reshape(array)) = &stm.exp else { return false };
        var = *array;
    }
    true
}

/// Whether a lambda, given a cell, has read it when it begins to write its only result, or reads each element before it writes it: the
/// result may then be written over the cell.
pub fn reads_first(program: &Program, lambda: &Lambda, param: Var) -> bool {
    let body = &lambda.body;
    let [result] = body.result.as_slice() else { return false };
    if program.ty(param).rank() == 0 {
        return true;
    }
    let Some(Made { begin, by, versions }) = result.var().and_then(|var| made(body, var, param)) else { return false };
    let mut derived: FxHashSet<Var> = [param].into_iter().collect();
    for stm in &body.stms {
        if view_of(&stm.exp).is_some_and(|array| derived.contains(&array)) {
            // A scalar has been read.
            derived.extend(stm.pat.iter().filter(|var| program.ty(**var).rank() > 0 && !versions.contains(var)));
        }
    }
    let reads = |stms: &[Stm]| {
        let mut found = false;
        stms.iter().for_each(|stm| mentioned(stm, &mut |var| found = found || derived.contains(&var)));
        found
    };
    if reads(&body.stms[begin + 1..]) {
        return false;
    }
    let Some(by) = by else { return true };
    match by {
        Exp::Copy(Operand::Var(from)) => is_whole(body, *from, param),
        Exp::Soac(soac) => {
            let scalars = soac.lambda.params.iter().all(|param| program.ty(*param).rank() == 0);
            let direct = soac.inputs.iter().all(|input| *input == param || !derived.contains(input));
            let plain = soac.scans.is_empty() && soac.reduces.is_empty() && body.stms[begin].pat.len() == 1;
            scalars && direct && plain && !reads(&soac.lambda.body.stms)
        }
        Exp::Copy(Operand::Const(_))
        | Exp::Scalar(..)
        | Exp::Size(_)
        | Exp::Index { .. }
        | Exp::Update { .. }
        | Exp::UpdateSlice { .. }
        | Exp::Check(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. }
        | Exp::Scatter { .. }
        | Exp::Hist { .. }
        | Exp::If { .. }
        | Exp::Loop { .. }
        | Exp::Call(..)
        | view_exp!()
        | made_exp!()
        | count_exp!() => false,
    }
}
