//! Makes the loop.

use super::analysis::{Ends, Parameter, Plan, accumulated, branches, call_in, calls, neutral, parts, slices};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Check, Exp, FunId, LoopForm, Operand, Program, Size, Stm, Type, Var};

/// The variables of the loop, in one of the places where there is a set of them.
#[derive(Clone)]
struct State {
    /// Whether there is another iteration.
    going: Var,
    /// The parameters that change, and the offsets of windows; by the number of the parameter.
    params: Vec<(usize, Var)>,
    /// What was accumulated.
    sum: Option<Var>,
    /// The result, and where what the next call returns begins.
    joined: Option<(Var, Var)>,
}

impl State {
    fn vars(&self) -> Vec<Var> {
        let joined = self.joined.into_iter().flat_map(|(dest, at)| [dest, at]);
        [self.going].into_iter().chain(self.params.iter().map(|(_, var)| *var)).chain(self.sum).chain(joined).collect()
    }
    /// The state with these variables, in the order of [`State::vars`].
    fn with(&self, vars: &[Var]) -> State {
        let mut vars = vars.iter().copied();
        let mut next = |old: Var| vars.next().unwrap_or(old);
        State {
            going: next(self.going),
            params: self.params.iter().map(|(k, var)| (*k, next(*var))).collect(),
            sum: self.sum.map(&mut next),
            joined: self.joined.map(|(dest, at)| (next(dest), next(at))),
        }
    }
}

struct Rewrite<'a> {
    program: &'a mut Program,
    id: FunId,
    plan: &'a Plan,
    span: Span,
}

/// The body of a function with a loop in the place of its calls of itself.
pub(super) fn looped(program: &mut Program, id: FunId, plan: &Plan) -> Body {
    let (span, params, original) = (program.funs[id].span, program.funs[id].params.clone(), program.funs[id].body.clone());
    let mut rewrite = Rewrite { program, id, plan, span };
    let mut stms = Vec::new();
    let (state, inits) = rewrite.first(&params, &mut stms);
    let body = rewrite.iteration(&params, &original, &state);
    let mut after = state.vars();
    rebind_all(rewrite.program, after.iter_mut(), &mut Subst::default());
    let inits = state.vars().into_iter().zip(inits).collect();
    let cond = Body { stms: Vec::new(), result: vec![Operand::Var(state.going)] };
    stms.push(Stm { pat: after.clone(), exp: Exp::Loop { params: inits, form: LoopForm::While(cond), body }, span });
    let after = state.with(&after);
    if let Some((dest, _)) = after.joined {
        return Body { stms, result: vec![Operand::Var(dest)] };
    }
    let (views, mut subst) = rewrite.views(&params, &after);
    stms.extend(views);
    let copy = fresh_body(rewrite.program, &original, &mut subst);
    let last = rewrite.exit(copy, after.sum);
    stms.extend(last.stms);
    Body { stms, result: last.result }
}

impl Rewrite<'_> {
    fn fresh(&mut self, name: &str, ty: Type) -> Var {
        self.program.fresh(Symbol::new(name), ty)
    }
    fn bind(&mut self, name: &str, ty: Type, exp: Exp, stms: &mut Vec<Stm>) -> Operand {
        let var = self.fresh(name, ty);
        stms.push(Stm { pat: vec![var], exp, span: self.span });
        Operand::Var(var)
    }
    fn add(&mut self, a: Operand, b: Operand, stms: &mut Vec<Stm>) -> Operand {
        let op = ScalarOp::new(Op::Add, PrimType::I64);
        self.bind("at", Type::scalar(PrimType::I64), Exp::Scalar(op, vec![a, b]), stms)
    }
    fn size(&mut self, size: &Size, stms: &mut Vec<Stm>) -> Operand {
        let simple = size.as_operand();
        simple.unwrap_or_else(|| self.bind("size", Type::scalar(PrimType::I64), Exp::Size(size.clone()), stms))
    }

    /// The variables of the loop, and their first values.
    fn first(&mut self, params: &[Var], stms: &mut Vec<Stm>) -> (State, Vec<Operand>) {
        let i64 = Type::scalar(PrimType::I64);
        let going = self.fresh("going", Type::scalar(PrimType::Bool));
        let mut inits = vec![Operand::Const(Scalar::Bool(true))];
        let mut changing: Vec<Var> = Vec::new();
        for (var, kind) in params.iter().zip(&self.plan.params) {
            if *kind == Parameter::Changes {
                changing.push(*var);
            }
        }
        let mut new = changing.clone();
        rebind_all(self.program, new.iter_mut(), &mut Subst::default());
        let mut kept = Vec::new();
        for (k, (var, kind)) in params.iter().zip(&self.plan.params.clone()).enumerate() {
            match kind {
                Parameter::Same => {}
                Parameter::Changes => {
                    let at = changing.iter().position(|other| other == var).map_or(*var, |at| new[at]);
                    kept.push((k, at));
                    inits.push(Operand::Var(*var));
                }
                Parameter::Window => {
                    kept.push((k, self.fresh("from", i64.clone())));
                    inits.push(Operand::int(0));
                }
            }
        }
        let sum = match self.plan.ends {
            Ends::Accumulated(op) => {
                let Some(neutral) = neutral(op) else { crate::ice!(Span::default(), "{op:?} has no neutral element") };
                inits.push(Operand::Const(Scalar::from_i128(op.result, neutral)));
                Some(self.fresh("sum", Type::scalar(op.result)))
            }
            Ends::Tail | Ends::Joined => None,
        };
        let joined = (self.plan.ends == Ends::Joined).then(|| {
            let ty = self.program.ty(self.program.funs[self.id].results[0]).clone();
            let zero = Operand::Const(Scalar::from_i128(ty.elem, 0));
            ty.shape.iter().for_each(|size| self.check_size(size, stms));
            let space = self.bind("space", ty.clone(), Exp::Rep(zero), stms);
            inits.push(space);
            inits.push(Operand::int(0));
            (self.fresh("joined", ty), self.fresh("place", i64.clone()))
        });
        (State { going, params: kept, sum, joined }, inits)
    }

    /// Views for the windows, and what parameters are in terms of the variables of the loop.
    fn views(&mut self, params: &[Var], state: &State) -> (Vec<Stm>, Subst) {
        let mut subst = Subst::default();
        for (k, var) in &state.params {
            if self.plan.params[*k] == Parameter::Changes {
                subst.operands.insert(params[*k], Operand::Var(*var));
            }
        }
        let mut stms = Vec::new();
        for (k, from) in &state.params {
            if self.plan.params[*k] == Parameter::Window {
                let ty = subst.ty(self.program.ty(params[*k]));
                let (start, step) = (Operand::Var(*from), Operand::int(1));
                let view = self.bind("window", ty, Exp::Slice { array: params[*k], start, step, checked: false }, &mut stms);
                subst.operands.insert(params[*k], view);
            }
        }
        (stms, subst)
    }

    /// One iteration: the next values of the variables of the loop.
    fn iteration(&mut self, params: &[Var], original: &Body, state: &State) -> Body {
        let (mut stms, mut subst) = self.views(params, state);
        let copy = fresh_body(self.program, original, &mut subst);
        let own: Vec<Operand> = params.iter().map(|param| subst.var(*param)).collect();
        let next = self.down(copy, &own, state);
        stms.extend(next.stms);
        Body { stms, result: next.result }
    }
    /// `own` is what the parameters are.
    fn down(&mut self, mut body: Body, own: &[Operand], state: &State) -> Body {
        if !calls(&body, self.id) {
            return self.stop(body, state);
        }
        if branches(&body).is_some()
            && let Some(Stm { exp: Exp::If { cond, then, els }, span, .. }) = body.stms.pop()
        {
            let (then, els) = (self.down(then, own, state), self.down(els, own, state));
            let mut pat = state.vars();
            rebind_all(self.program, pat.iter_mut(), &mut Subst::default());
            let result = pat.iter().map(|var| Operand::Var(*var)).collect();
            body.stms.push(Stm { pat, exp: Exp::If { cond, then, els }, span });
            return Body { stms: body.stms, result };
        }
        self.go_on(body, own, state)
    }
    /// There is no further call.
    fn stop(&mut self, body: Body, state: &State) -> Body {
        let mut vars: Vec<Operand> = state.vars().into_iter().map(Operand::Var).collect();
        vars[0] = Operand::Const(Scalar::Bool(false));
        let (Some((dest, at)), [Operand::Var(value)]) = (state.joined, body.result.as_slice()) else {
            // What is returned is computed after the loop.
            return Body { stms: Vec::new(), result: vars };
        };
        let value = *value;
        let mut stms = body.stms;
        let written = self.write(dest, Operand::Var(at), value, &mut stms);
        let place = vars.len() - 2;
        vars[place] = Operand::Var(written);
        Body { stms, result: vars }
    }
    fn write(&mut self, dest: Var, start: Operand, value: Var, stms: &mut Vec<Stm>) -> Var {
        let ty = self.program.ty(dest).clone();
        let var = self.fresh("joined", ty);
        let exp = Exp::UpdateSlice { array: dest, start, step: Operand::int(1), value, checked: false };
        stms.push(Stm { pat: vec![var], exp, span: self.span });
        var
    }
    /// The call becomes the next iteration.
    fn go_on(&mut self, body: Body, own: &[Operand], state: &State) -> Body {
        let Some((at, args)) = call_in(&body, self.id) else {
            crate::ice!(self.span, "a body that calls its function somewhere else");
        };
        let (args, pat) = (args.to_vec(), body.stms[at].pat.clone());
        let result = body.result.first().and_then(|a| a.var());
        let (mut sum, mut pieces) = (None, None);
        if let ([r], Some(result)) = (pat.as_slice(), result)
            && result != *r
        {
            sum = accumulated(self.program, &body, *r, result);
            pieces = parts(self.program, &body, *r, result).map(|(before, behind)| (before, *r, behind));
        }
        let mut starts = Vec::new();
        for (k, _) in &state.params {
            let windows = (self.plan.params[*k], own[*k].var(), args[*k].var());
            starts.push(match windows {
                (Parameter::Window, Some(own), Some(arg)) => slices(&body, arg, own).unwrap_or_default(),
                _ => Vec::new(),
            });
        }
        // What is made of the result of the call is not made.
        let mut made: Vec<Var> = pat.clone();
        let mut stms: Vec<Stm> = Vec::with_capacity(body.stms.len());
        for (number, stm) in body.stms.into_iter().enumerate() {
            let mut mentions = number == at;
            self.program.mentioned(&stm, &mut |var| mentions |= made.contains(&var));
            match mentions {
                true => made.extend(&stm.pat),
                false => stms.push(stm),
            }
        }
        let mut next = vec![Operand::Const(Scalar::Bool(true))];
        for ((k, var), starts) in state.params.iter().zip(starts) {
            next.push(match self.plan.params[*k] {
                Parameter::Window => starts.into_iter().fold(Operand::Var(*var), |from, start| self.add(from, start, &mut stms)),
                Parameter::Changes | Parameter::Same => args[*k],
            });
        }
        if let Some(before) = state.sum {
            next.push(match sum {
                Some((op, a)) => self.bind("sum", Type::scalar(op.result), Exp::Scalar(op, vec![Operand::Var(before), a]), &mut stms),
                None => Operand::Var(before),
            });
        }
        if let Some((dest, place)) = state.joined {
            let (before, r, behind) = pieces.unwrap_or_else(|| (Vec::new(), pat[0], Vec::new()));
            next.extend(self.pieces((dest, Operand::Var(place)), &before, r, &behind, &mut stms));
        }
        Body { stms, result: next }
    }
    fn check_size(&mut self, size: &Size, stms: &mut Vec<Stm>) {
        stms.push(Stm { pat: Vec::new(), exp: Exp::Check(Check::NonNegative(size.clone())), span: self.span });
    }
    /// Writes parts to their places; the result then, and where what is between them begins.
    fn pieces(&mut self, (mut dest, mut at): (Var, Operand), before: &[Var], r: Var, behind: &[Var], stms: &mut Vec<Stm>) -> [Operand; 2] {
        // Where recursion misses its end the place that is left becomes less than nothing.
        let left = self.program.ty(r).shape[0].clone();
        self.check_size(&left, stms);
        let mut inner = at;
        for (k, part) in before.iter().chain([&r]).chain(behind).enumerate() {
            if k == before.len() {
                inner = at;
            } else {
                dest = self.write(dest, at, *part, stms);
            }
            let outer = self.program.ty(*part).shape[0].clone();
            let size = self.size(&outer, stms);
            at = self.add(at, size, stms);
        }
        [Operand::Var(dest), inner]
    }

    /// What is returned where there is no further call. Branches with a call are not taken: they return anything.
    fn exit(&mut self, mut body: Body, sum: Option<Var>) -> Body {
        if !calls(&body, self.id) {
            if let (Some(sum), Ends::Accumulated(op), [value]) = (sum, self.plan.ends, body.result.as_slice()) {
                let args = vec![Operand::Var(sum), *value];
                let total = self.bind("total", Type::scalar(op.result), Exp::Scalar(op, args), &mut body.stms);
                body.result = vec![total];
            }
            return body;
        }
        if branches(&body).is_some()
            && let Some(Stm { pat, exp: Exp::If { cond, then, els }, span }) = body.stms.pop()
        {
            let (then, els) = (self.exit(then, sum), self.exit(els, sum));
            body.stms.push(Stm { pat, exp: Exp::If { cond, then, els }, span });
            return body;
        }
        if let Some((at, _)) = call_in(&body, self.id) {
            let Stm { pat, span, .. } = body.stms.remove(at);
            let nothing = pat.into_iter().map(|var| {
                let ty = self.program.ty(var);
                let zero = Operand::Const(Scalar::from_i128(ty.elem, 0));
                Stm { pat: vec![var], exp: if ty.rank() == 0 { Exp::Copy(zero) } else { Exp::Rep(zero) }, span }
            });
            body.stms.splice(at..at, nothing);
        }
        body
    }
}
