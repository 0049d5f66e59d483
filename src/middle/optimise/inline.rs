//! Inlining of functions that are small or called once, and do not call themselves.
//!
//! Law: a call is its function's body with the arguments for the parameters. A body is copied in more than one place only if it is small
//! after its own calls were inlined, so the program grows at most by a constant factor. A failure names the same place and the same calls.

use crate::base::{Chains, Span};
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, FunId, Program, Stm, parallel_exp, single_exp};
use rustc_hash::FxHashMap;

/// Bodies of up to this many statements are copied wherever they are called.
const SMALL: usize = 40;

/// Inlines calls where that does not make the program much larger.
pub fn inline(program: Program) -> Program {
    inline_up_to(program, SMALL)
}

/// Inlines all calls.
pub fn inline_all(program: Program) -> Program {
    inline_up_to(program, usize::MAX)
}

/// Inlines calls of functions with up to so many statements, and of those that are called once, but for those that are to be called.
fn inline_up_to(mut program: Program, most: usize) -> Program {
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
        inline_calls_of(&mut program, id, &inlined);
        let once = calls.get(&id) == Some(&1);
        let called = most < usize::MAX && program.called.contains(&program.funs[id].span);
        inlined.push(!called && !program.funs[id].recursive && (once || statements(&program.funs[id].body) <= most));
    }
    drop_uncalled(&mut program);
    program
}

/// Inlines all calls in a function, and in what that puts there, but for those of some functions.
pub fn inline_into(program: &mut Program, id: FunId, keep: &dyn Fn(FunId) -> bool) {
    let inlined: Vec<bool> = program.fun_ids().map(|callee| !keep(callee) && !program.funs[callee].recursive).collect();
    loop {
        let mut calls = FxHashMap::default();
        count_calls(&program.funs[id].body, &mut calls);
        if calls.keys().all(|callee| !inlined[callee.raw()]) {
            return;
        }
        inline_calls_of(program, id, &inlined);
    }
}

/// Inlines the calls in a function of the functions for which this is true.
fn inline_calls_of(program: &mut Program, id: FunId, inlined: &[bool]) {
    let mut body = std::mem::take(&mut program.funs[id].body);
    let mut subst = Subst::default();
    inline_body(program, &mut body, inlined, &mut subst);
    subst.body(&mut body);
    program.funs[id].body = body;
    if !subst.is_empty() {
        subst.types(program);
    }
}

fn inline_body(program: &mut Program, body: &mut Body, inlined: &[bool], results: &mut Subst) {
    let stms = std::mem::take(&mut body.stms);
    for mut stm in stms {
        stm.exp.bodies_mut(&mut |body| inline_body(program, body, inlined, results));
        match stm.exp {
            Exp::Call(id, args) if inlined.get(id.raw()) == Some(&true) => {
                let params = program.funs[id].params.clone();
                let mut subst = Subst::default();
                for (param, arg) in params.iter().zip(&args) {
                    subst.operands.insert(*param, *arg);
                }
                let callee = program.funs[id].body.clone();
                let mut copy = fresh_body(program, &callee, &mut subst);
                called_at(&mut program.chains, &mut copy, stm.span);
                body.stms.extend(copy.stms);
                // Results are bound by copies: what they become is known when everything is.
                for (var, result) in stm.pat.iter().zip(copy.result) {
                    results.operands.insert(*var, result);
                }
            }
            exp @ (single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..)) => {
                body.stms.push(Stm { pat: stm.pat, exp, span: stm.span })
            }
        }
    }
}

/// Says of all statements through which call they are reached.
fn called_at(chains: &mut Chains, body: &mut Body, call: Span) {
    for stm in &mut body.stms {
        stm.span = chains.within(stm.span, call);
        stm.exp.bodies_mut(&mut |body| called_at(chains, body, call));
    }
}

fn count_calls(body: &Body, calls: &mut FxHashMap<FunId, usize>) {
    body.calls(&mut |callee| *calls.entry(callee).or_default() += 1);
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
            new[id.raw()] = Some(FunId::new(funs.len()));
            renumber_calls(&mut fun.body, &new);
            funs.alloc(fun);
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

#[cfg(test)]
mod tests {
    use super::super::testing::becomes;
    use super::{Program, Span, inline, statements};
    use crate::base::FileId;

    #[test]
    fn calls_become_bodies() {
        becomes(
            &[inline],
            "(fun g ([n i64] [xs [f32 n]]) ([K i64] [R [f32 K]])
               (let ([k i64] [ys [f32 k]]) (filter n ([x f32 xs]) (let ([c bool]) (f32.> x 0.0f32)) (return c x)))
               (return k ys))
             (entry f ([m i64] [zs [f32 m]]) ([J i64] [S [f32 J]])
               (let ([j.1 i64] [us [f32 j.1]]) (call g.0 m zs))
               (let ([j.2 i64] [vs [f32 j.2]]) (call g.0 j.1 us))
               (return j.2 vs))",
            "(entry f ([m i64] [zs [f32 m]]) ([J i64] [S [f32 J]])
               (let ([k.1 i64] [ys.1 [f32 k.1]]) (filter m ([x.1 f32 zs]) (let ([c.1 bool]) (f32.> x.1 0.0f32)) (return c.1 x.1)))
               (let ([k.2 i64] [ys.2 [f32 k.2]]) (filter k.1 ([x.2 f32 ys.1]) (let ([c.2 bool]) (f32.> x.2 0.0f32)) (return c.2 x.2)))
               (return k.2 ys.2))",
        );
    }

    #[test]
    fn statements_know_through_which_calls_they_are_reached() {
        let at = |start: usize| Span::new(FileId(0), start, start + 1);
        let text = "(fun f ([x.0 i64]) ([R.0 i64]) (let ([y.0 i64]) (i64./ 1 x.0)) (return y.0))
            (fun g ([x.1 i64]) ([R.1 i64]) (let ([y.1 i64]) (call f.0 x.1)) (return y.1))
            (entry h ([x.2 i64]) ([R.2 i64]) (let ([y.2 i64]) (call g.1 x.2)) (return y.2))";
        let mut program = crate::ir::soac::read::program(FileId(0), text).expect("it is well formed");
        for (k, id) in program.fun_ids().enumerate() {
            program.funs[id].body.stms[0].span = at(k);
        }
        let program = inline(program);
        let [stm] = program.entry("h".into()).expect("it is there").body.stms.as_slice() else { panic!("one statement") };
        assert_eq!(stm.span.bare(), at(0));
        assert_eq!(program.chains.calls(stm.span).map(Span::bare).collect::<Vec<_>>(), [at(1), at(2)]);
    }

    #[test]
    fn towers_of_calls_do_not_explode() {
        // Each function calls the one before twice: 2^40 additions if all were inlined.
        let mut text = "(fun f ([x.0 i64]) ([R.0 i64]) (let ([y.0 i64]) (i64.* x.0 3)) (return y.0))".to_owned();
        for k in 1..=40 {
            let (word, below) = (if k == 40 { "entry" } else { "fun" }, k - 1);
            text += &format!(
                "({word} f ([x.{k} i64]) ([R.{k} i64]) (let ([a.{k} i64]) (call f.{below} x.{k})) (let ([b.{k} i64]) (call f.{below} a.{k})) (return b.{k}))"
            );
        }
        let program: Program = super::super::testing::after(&[inline], &text);
        let total: usize = program.funs.iter().map(|(_, fun)| statements(&fun.body)).sum();
        assert!(total < 40 * 100, "{total}");
    }
}
