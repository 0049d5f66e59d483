//! Inlining of functions that are small or called once.
//!
//! Law: a call is its function's body with the arguments for the parameters. A body is copied in more than one place only if it is small
//! after its own calls were inlined, so the program grows at most by a constant factor.

use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, FunId, Program, Stm};
use rustc_hash::FxHashMap;

/// Bodies of up to this many statements are copied wherever they are called.
const SMALL: usize = 40;

/// Inlines calls.
pub fn inline(mut program: Program) -> Program {
    let mut calls: FxHashMap<FunId, usize> = FxHashMap::default();
    for (_, fun) in program.funs.iter() {
        count_calls(&fun.body, &mut calls);
    }
    if calls.is_empty() {
        return program;
    }
    // Functions call earlier ones only, whose own calls are inlined by then.
    let mut inlined: Vec<bool> = Vec::new();
    for id in program.fun_ids() {
        let mut body = std::mem::take(&mut program.funs[id].body);
        let mut subst = Subst::default();
        inline_body(&mut program, &mut body, &inlined, &mut subst);
        subst.body(&mut body);
        program.funs[id].body = body;
        if !subst.is_empty() {
            subst.types(&mut program);
        }
        let once = calls.get(&id) == Some(&1);
        inlined.push(once || statements(&program.funs[id].body) <= SMALL);
    }
    drop_uncalled(&mut program);
    program
}

fn inline_body(program: &mut Program, body: &mut Body, inlined: &[bool], results: &mut Subst) {
    let stms = std::mem::take(&mut body.stms);
    for mut stm in stms {
        stm.exp.bodies_mut(&mut |body| inline_body(program, body, inlined, results));
        match stm.exp {
            Exp::Call(id, args) if inlined[id.raw()] => {
                let params = program.funs[id].params.clone();
                let mut subst = Subst::default();
                for (param, arg) in params.iter().zip(&args) {
                    subst.operands.insert(*param, *arg);
                }
                let callee = program.funs[id].body.clone();
                let copy = fresh_body(program, &callee, &mut subst);
                body.stms.extend(copy.stms);
                // Results are bound by copies: what they become is known when everything is.
                for (var, result) in stm.pat.iter().zip(copy.result) {
                    results.operands.insert(*var, result);
                }
            }
            exp => body.stms.push(Stm { pat: stm.pat, exp, span: stm.span }),
        }
    }
}

fn count_calls(body: &Body, calls: &mut FxHashMap<FunId, usize>) {
    for stm in &body.stms {
        if let Exp::Call(id, _) = stm.exp {
            *calls.entry(id).or_default() += 1;
        }
        inner(&stm.exp, &mut |body| count_calls(body, calls));
    }
}

/// How many statements a body has, inner ones included.
pub fn statements(body: &Body) -> usize {
    let mut count = body.stms.len();
    body.stms.iter().for_each(|stm| inner(&stm.exp, &mut |body| count += statements(body)));
    count
}

fn inner(exp: &Exp, see: &mut dyn FnMut(&Body)) {
    exp.parts(&mut |part| {
        if let crate::ir::soac::visit::Part::Body(_, body) = part {
            see(body);
        }
    });
}

/// Removes functions that are no entry points and that nothing calls.
pub fn drop_uncalled(program: &mut Program) {
    let mut needed = vec![false; program.funs.len()];
    let ids: Vec<FunId> = program.fun_ids().collect();
    for &id in ids.iter().rev() {
        needed[id.raw()] |= program.funs[id].entry;
        if needed[id.raw()] {
            let mut calls = FxHashMap::default();
            count_calls(&program.funs[id].body, &mut calls);
            calls.into_keys().for_each(|callee| needed[callee.raw()] = true);
        }
    }
    if needed.iter().all(|needed| *needed) {
        return;
    }
    let mut new = vec![None; needed.len()];
    let mut funs = crate::base::Arena::default();
    for &id in &ids {
        if needed[id.raw()] {
            let mut fun = program.funs[id].clone();
            renumber_calls(&mut fun.body, &new);
            new[id.raw()] = Some(funs.alloc(fun));
        }
    }
    program.funs = funs;
}

fn renumber_calls(body: &mut Body, new: &[Option<FunId>]) {
    for stm in &mut body.stms {
        if let Exp::Call(id, _) = &mut stm.exp
            && let Some(Some(to)) = new.get(id.raw())
        {
            *id = *to;
        }
        stm.exp.bodies_mut(&mut |body| renumber_calls(body, new));
    }
}
