//! Which functions are loops: what is done with the result of their calls, and what becomes of their parameters.

use crate::base::Scalar;
use crate::base::scalar::{Op, ScalarOp};
use crate::ir::soac::{Body, Exp, FunId, Operand, Program, Stm, Var};

/// How a function becomes a loop.
#[derive(Debug)]
pub(super) struct Plan {
    pub ends: Ends,
    pub params: Vec<Parameter>,
}

/// What is done with the results of calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Ends {
    /// They are returned.
    Tail,
    /// This is done to them and another number.
    Accumulated(ScalarOp),
    /// They are put between other arrays.
    Joined,
}

/// What becomes of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    /// It is the same in all calls.
    Same,
    /// It is a slice of itself in each call.
    Window,
    /// It changes.
    Changes,
}

/// The last statement of a body, if the body returns just what it binds.
pub(super) fn last(body: &Body) -> Option<&Stm> {
    let stm = body.stms.last()?;
    let same = stm.pat.len() == body.result.len() && stm.pat.iter().zip(&body.result).all(|(var, a)| a.var() == Some(*var));
    same.then_some(stm)
}

/// The branches at the end of a body.
pub(super) fn branches(body: &Body) -> Option<(&Body, &Body)> {
    if let Exp::If { then, els, .. } = &last(body)?.exp { Some((then, els)) } else { None }
}

/// Whether a body calls a function.
pub(super) fn calls(body: &Body, id: FunId) -> bool {
    body.stms.iter().any(|stm| calls_in(stm, id))
}
fn calls_in(stm: &Stm, id: FunId) -> bool {
    let mut found = false;
    stm.calls(&mut |callee| found |= callee == id);
    found
}

/// The number of the statement that calls a function, of a body without branches at its end.
pub(super) fn call_in(body: &Body, id: FunId) -> Option<(usize, &[Operand])> {
    body.stms.iter().enumerate().find_map(|(at, stm)| {
        let Exp::Call(callee, args) = &stm.exp else { return None };
        (*callee == id).then_some((at, args.as_slice()))
    })
}

/// How a function becomes a loop; nothing if it does not.
pub(super) fn plan(program: &Program, id: FunId) -> Option<Plan> {
    let fun = &program.funs[id];
    if !fun.recursive {
        return None;
    }
    let mut found = Found { program, id, ends: Ends::Tail, calls: Vec::new() };
    found.body(&fun.body)?;
    let calls = found.calls;
    let ends = found.ends;
    let mut params: Vec<Parameter> = (0..fun.params.len()).map(|k| parameter(program, &fun.params, k, &calls)).collect();
    let same: Vec<Var> = fun.params.iter().zip(&params).filter(|(_, kind)| **kind == Parameter::Same).map(|(var, _)| *var).collect();
    for (var, kind) in fun.params.iter().zip(&mut params) {
        let inner = program.ty(*var).shape.iter().skip(1).flat_map(|size| size.vars());
        if *kind == Parameter::Window && inner.into_iter().any(|var| !same.contains(&var)) {
            *kind = Parameter::Changes;
        }
    }
    if ends == Ends::Joined {
        let [result] = fun.results.as_slice() else { return None };
        let shape = &program.ty(*result).shape;
        let known = shape.iter().flat_map(|size| size.vars()).all(|var| fun.params.contains(&var));
        let inner = shape.iter().skip(1).flat_map(|size| size.vars()).all(|var| same.contains(&var));
        if !known || !inner {
            return None;
        }
    }
    Some(Plan { ends, params })
}

/// A body without branches at its end that calls the function, and what it passes.
struct Call<'p> {
    body: &'p Body,
    args: &'p [Operand],
}

struct Found<'p> {
    program: &'p Program,
    id: FunId,
    ends: Ends,
    calls: Vec<Call<'p>>,
}

impl<'p> Found<'p> {
    /// Looks at a body; nothing if it is that of no loop.
    fn body(&mut self, body: &'p Body) -> Option<()> {
        if !calls(body, self.id) {
            return Some(());
        }
        if let Some((then, els)) = branches(body) {
            if body.stms[..body.stms.len() - 1].iter().any(|stm| calls_in(stm, self.id)) {
                return None;
            }
            self.body(then)?;
            return self.body(els);
        }
        let (at, args) = call_in(body, self.id)?;
        if body.stms.iter().enumerate().any(|(k, stm)| k != at && calls_in(stm, self.id)) {
            return None;
        }
        self.calls.push(Call { body, args });
        let ends = self.ends_of(body, at)?;
        match (self.ends, ends) {
            (known, new) if known == new => {}
            (_, Ends::Tail) => {}
            // Calls at the end accumulate nothing.
            (Ends::Tail, new) => self.ends = new,
            _ => return None,
        }
        Some(())
    }
    fn ends_of(&self, body: &'p Body, at: usize) -> Option<Ends> {
        if at + 1 == body.stms.len() && last(body).is_some() {
            return Some(Ends::Tail);
        }
        let ([r], [Operand::Var(result)]) = (body.stms[at].pat.as_slice(), body.result.as_slice()) else { return None };
        if self.program.ty(*r).rank() == 0 {
            return accumulated(self.program, body, *r, *result).map(|(op, _)| Ends::Accumulated(op));
        }
        parts(self.program, body, *r, *result).map(|_| Ends::Joined)
    }
}

/// How many statements of a body mention a variable, in types too.
fn mentions(program: &Program, body: &Body, var: Var) -> usize {
    let mention = |stm: &&Stm| {
        let mut found = false;
        program.mentioned(stm, &mut |other| found |= other == var);
        found
    };
    body.stms.iter().filter(mention).count()
}

/// The operation by which a body makes its result of that of its call, and the other operand.
pub(super) fn accumulated(program: &Program, body: &Body, r: Var, result: Var) -> Option<(ScalarOp, Operand)> {
    let stm = body.stms.iter().find(|stm| stm.pat == [result])?;
    let Exp::Scalar(op, args) = &stm.exp else { return None };
    let [a, b] = args.as_slice() else { return None };
    let other = match (a.var() == Some(r), b.var() == Some(r)) {
        (true, false) => *b,
        (false, true) => *a,
        _ => return None,
    };
    let alone = mentions(program, body, r) == 1 && mentions(program, body, result) == 0;
    (neutral(*op).is_some() && alone).then_some((*op, other))
}

/// The neutral element of an operation that may be done in any order.
pub(super) fn neutral(op: ScalarOp) -> Option<i128> {
    if !op.result.is_int() {
        return None;
    }
    [(Op::Add, 0), (Op::Mul, 1)].into_iter().find(|(known, _)| *known == op.op).map(|(_, neutral)| neutral)
}

/// The arrays that a body puts one after the other for its result: those before the result of its call, and those behind it.
pub(super) fn parts(program: &Program, body: &Body, r: Var, result: Var) -> Option<(Vec<Var>, Vec<Var>)> {
    let mut all = Vec::new();
    // What is made of the result of the call is not made, so that nothing else may look at it.
    let alone = flatten(program, body, r, result, &mut all) && mentions(program, body, result) == 0;
    let at = all.iter().position(|part| *part == r)?;
    let known = all.iter().filter(|part| **part == r).count() == 1;
    let sized = all.iter().all(|part| program.ty(*part).rank() > 0);
    (alone && known && sized).then(|| (all[..at].to_vec(), all[at + 1..].to_vec()))
}
/// Adds the arrays of which one consists; returns whether those on the way to `r` are mentioned there only.
fn flatten(program: &Program, body: &Body, r: Var, var: Var, all: &mut Vec<Var>) -> bool {
    let made = body.stms.iter().find(|stm| stm.pat == [var]);
    let before = all.len();
    match made.map(|stm| &stm.exp) {
        Some(Exp::Concat(arrays)) if var != r => {
            let mut alone = true;
            for array in arrays {
                let start = all.len();
                alone &= flatten(program, body, r, *array, all);
                alone &= !all[start..].contains(&r) || mentions(program, body, *array) == 1;
            }
            // Without the result of the call in it, it is a part like others.
            if !all[before..].contains(&r) {
                all.truncate(before);
                all.push(var);
            }
            alone
        }
        _ => {
            all.push(var);
            true
        }
    }
}

fn parameter(program: &Program, params: &[Var], k: usize, calls: &[Call]) -> Parameter {
    let own = params[k];
    if calls.iter().all(|call| call.args.get(k).and_then(|a| a.var()) == Some(own)) {
        return Parameter::Same;
    }
    let window = |call: &Call| call.args.get(k).and_then(|a| a.var()).is_some_and(|var| slices(call.body, var, own).is_some());
    if program.ty(own).rank() > 0 && calls.iter().all(window) { Parameter::Window } else { Parameter::Changes }
}

/// Where the slices begin that make one array of another, the first one first.
pub(super) fn slices(body: &Body, var: Var, of: Var) -> Option<Vec<Operand>> {
    if var == of {
        return Some(Vec::new());
    }
    let stm = body.stms.iter().find(|stm| stm.pat == [var])?;
    let Exp::Slice { array, start, step: Operand::Const(step), .. } = &stm.exp else { return None };
    if !matches!(step, Scalar::I64(1)) {
        return None;
    }
    let mut starts = slices(body, *array, of)?;
    starts.push(*start);
    Some(starts)
}
