//! Whether the cells of an array may be overwritten by those that are computed from them.

#![expect(clippy::wildcard_enum_match_arm, reason = "cells are overwritten where one form or another says so, never else")]

use super::visit::mentioned;
use super::{Body, Exp, Lambda, Operand, Program, Stm, Var, parallel_exp};
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
        | Exp::RangeCount { .. }
        | Exp::SliceCount { .. }
        | Exp::Check(_)
        | Exp::If { .. }
        | Exp::Loop { .. }
        | Exp::Call(..)
        | parallel_exp!() => None,
    }
}

/// The statement that makes the memory that an array of a body is in, where all that follows are updates.
fn maker(body: &Body, mut var: Var) -> Option<(usize, &Stm)> {
    loop {
        let (k, stm) = body.stms.iter().enumerate().rev().find(|(_, stm)| stm.pat.contains(&var))?;
        match &stm.exp {
            Exp::Update { array, .. } | Exp::UpdateSlice { array, .. } | Exp::Coerce(array) => var = *array,
            _ => return Some((k, stm)),
        }
    }
}

/// Whether a lambda, given a cell, has read it when it begins to write its only result, or reads each element before it writes it: the
/// result may then be written over the cell.
pub fn reads_first(program: &Program, lambda: &Lambda, param: Var) -> bool {
    let body = &lambda.body;
    let [result] = body.result.as_slice() else { return false };
    if program.ty(param).rank() == 0 {
        return true;
    }
    let Some((begin, made)) = result.var().and_then(|var| maker(body, var)) else { return false };
    let mut derived: FxHashSet<Var> = [param].into_iter().collect();
    for stm in &body.stms {
        if view_of(&stm.exp).is_some_and(|array| derived.contains(&array)) {
            // A scalar has been read.
            derived.extend(stm.pat.iter().filter(|var| program.ty(**var).rank() > 0));
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
    match &made.exp {
        Exp::Copy(Operand::Var(from)) => *from == param,
        Exp::Soac(soac) => {
            let scalars = soac.lambda.params.iter().all(|param| program.ty(*param).rank() == 0);
            let direct = soac.inputs.iter().all(|input| *input == param || !derived.contains(input));
            let plain = soac.scans.is_empty() && soac.reduces.is_empty() && made.pat.len() == 1;
            scalars && direct && plain && !reads(&soac.lambda.body.stms)
        }
        _ => false,
    }
}
