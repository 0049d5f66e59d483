//! Branches and loops.

use super::types::restore;
use super::values::{Atom, BoxValue, Env, Fun, Renaming, Static};
use super::{Outcome, Specialiser, zero};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{self, Expr, LoopParam};
use crate::ir::soac::{self, Body, Exp, LoopForm, Operand, Size, Stm, Var};
use std::rc::Rc;

/// A branch: its block and its value.
pub(super) type Branch = (Vec<Stm>, Static);

/// What two branches return.
struct Joined {
    then: Vec<Stm>,
    els: Vec<Stm>,
    results: Vec<(Operand, Operand, Var)>,
    span: Span,
}

impl Specialiser<'_> {
    pub(super) fn conditional(&mut self, cond: &Expr, then: &Expr, els: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let cond = self.eval(cond, env)?;
        let cond = self.scalar(&cond, span)?;
        if let Operand::Const(Scalar::Bool(truth)) = cond {
            return self.eval(if truth { then } else { els }, env);
        }
        let a = self.in_block(|this| this.knowing(cond, true, |this| this.eval(then, env)))?;
        let b = self.in_block(|this| this.knowing(cond, false, |this| this.eval(els, env)))?;
        let second = matches!(&b.1, Static::Data(Operand::Const(Scalar::Bool(false)))).then(|| a.1.clone());
        let value = self.merge(cond, a, b, span)?;
        if let Some(second) = second {
            self.both_hold(&value, cond, &second);
        }
        Ok(value)
    }

    /// The value of one of two branches.
    pub(super) fn merge(&mut self, cond: Operand, (then, a): Branch, (els, b): Branch, span: Span) -> Outcome<Static> {
        let mut joined = Joined { then, els, results: Vec::new(), span };
        let value = self.join(cond, &a, &b, &mut joined)?;
        let Joined { then, els, results, .. } = joined;
        if results.is_empty() && !then.iter().chain(&els).any(|stm| stm.exp.may_fail()) {
            return Ok(value);
        }
        let (mut pat, mut of_then, mut of_els) = (Vec::new(), Vec::new(), Vec::new());
        for (x, y, var) in results {
            pat.push(var);
            of_then.push(x);
            of_els.push(y);
        }
        let exp = Exp::If { cond, then: Body { stms: then, result: of_then }, els: Body { stms: els, result: of_els } };
        self.push(pat, exp, span)?;
        Ok(value)
    }

    fn join(&mut self, cond: Operand, a: &Static, b: &Static, joined: &mut Joined) -> Outcome<Static> {
        let span = joined.span;
        Ok(match (a, b) {
            (Static::Data(x), Static::Data(y)) => {
                let outer = x.var().is_none_or(|var| !self.is_inner(var));
                if outer && same(*x, *y) {
                    return Ok(a.clone());
                }
                let (tx, ty) = (self.ty(*x), self.ty(*y));
                let ty = if self.mentions_inner(&tx) { ty } else { tx };
                if self.mentions_inner(&ty) {
                    return self.broken(span, "a branch returns an array of a size of its own");
                }
                Static::Data(self.result(*x, *y, ty, joined))
            }
            (Static::Tuple(xs), Static::Tuple(ys)) if xs.len() == ys.len() => {
                Static::Tuple(xs.iter().zip(ys.iter()).map(|(x, y)| self.join(cond, x, y, joined)).collect::<Outcome<_>>()?)
            }
            (Static::Record(xs), Static::Record(ys)) if xs.len() == ys.len() => {
                let parts = xs.iter().zip(ys.iter()).map(|((label, x), (_, y))| Ok((*label, self.join(cond, x, y, joined)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            (Static::Box(x), Static::Box(y)) => self.join_boxes(x, y, joined)?,
            (Static::Fun(_), Static::Fun(_)) => {
                let a = self.exported(a, true, joined)?;
                let b = self.exported(b, false, joined)?;
                Static::Fun(Rc::new(Fun::Choice(cond, a, b)))
            }
            _ => return self.limit(span, "a branch between different arrays of functions is not compiled"),
        })
    }
    fn result(&mut self, x: Operand, y: Operand, ty: soac::Type, joined: &mut Joined) -> Operand {
        let name = [x, y].into_iter().find_map(|a| a.var()).map_or_else(|| Symbol::new("c"), |var| self.out.vars[var].name);
        let var = self.fresh(name, ty);
        joined.results.push((x, y, var));
        Operand::Var(var)
    }

    fn join_boxes(&mut self, x: &Rc<BoxValue>, y: &Rc<BoxValue>, joined: &mut Joined) -> Outcome<Static> {
        let span = joined.span;
        let mut vars = Vec::new();
        let ty = super::values::Type { shape: Vec::new(), atom: Atom::Sigma(x.sigma.clone()) };
        let value = self.symbolic(&ty, &[], Symbol::new("kept"), span, &mut vars)?;
        let of_then = self.at_end_of(joined, true, |this| this.leaves(&Static::Box(x.clone()), span))?;
        let of_els = self.at_end_of(joined, false, |this| this.leaves(&Static::Box(y.clone()), span))?;
        joined.results.extend(of_then.into_iter().zip(of_els).zip(vars).map(|((x, y), var)| (x, y, var)));
        Ok(value)
    }
    fn at_end_of<T>(&mut self, joined: &mut Joined, then: bool, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let block = if then { &mut joined.then } else { &mut joined.els };
        self.at_end(block, work)
    }

    /// The function of one branch with the variables of the branch made results; the other branch returns something in their places.
    fn exported(&mut self, value: &Static, then: bool, joined: &mut Joined) -> Outcome<Static> {
        let span = joined.span;
        let mut map = Renaming::default();
        let mut none = Renaming::default();
        for var in self.inner_vars(value) {
            let ty = self.out.ty(var).clone();
            let new = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
            // In the other branch sizes are 0.
            let blank = soac::Type { elem: ty.elem, shape: none.shape(&ty.shape) };
            let other = if ty.rank() == 0 {
                Operand::Const(zero(ty.elem))
            } else {
                self.at_end_of(joined, !then, |this| this.bind("none", blank, Exp::Rep(Operand::Const(zero(ty.elem))), span))?
            };
            if ty == soac::Type::scalar(PrimType::I64) {
                none.sizes.insert(var, Size::constant(0));
            }
            let (x, y) = if then { (Operand::Var(var), other) } else { (other, Operand::Var(var)) };
            let result = self.result(x, y, new, joined);
            self.stand_for(&mut map, var, result);
        }
        Ok(value.rename(&map))
    }

    pub(super) fn looping(
        &mut self,
        params: &[LoopParam],
        form: &core::LoopForm,
        body: &Expr,
        env: &mut Env,
        span: Span,
    ) -> Outcome<Static> {
        let mut inits = Vec::with_capacity(params.len());
        for param in params {
            inits.push(self.eval(&param.init, env)?);
        }
        let count = match form {
            core::LoopForm::For(_, n) => {
                let n = self.eval(n, env)?;
                Some(self.scalar(&n, span)?)
            }
            core::LoopForm::While(_) => None,
        };
        let mut state = State::default();
        // The parameters belong to the body, the results to the block around it.
        self.depth += 1;
        let inside =
            inits.iter().zip(params).map(|(init, param)| self.loop_value(init, param.name, span, &mut state)).collect::<Outcome<Vec<_>>>();
        self.depth -= 1;
        let inside = inside?;
        let names: Vec<Symbol> = params.iter().map(|param| param.name).collect();
        let mut bound: Vec<(Symbol, Static)> = names.iter().copied().zip(inside.iter().cloned()).collect();
        let form = match (form, count) {
            (core::LoopForm::For(i, _), Some(n)) => {
                self.depth += 1;
                let var = self.fresh(*i, soac::Type::scalar(PrimType::I64));
                self.depth -= 1;
                bound.push((*i, Static::Data(Operand::Var(var))));
                LoopForm::For(var, n)
            }
            (core::LoopForm::While(cond), _) => {
                let hidden = bound.iter().map(|(name, value)| (*name, env.terms.insert(*name, value.clone()))).collect();
                let result = self.in_block(|this| {
                    let cond = this.eval(cond, env)?;
                    this.scalar(&cond, span)
                });
                restore(&mut env.terms, hidden);
                let (stms, cond) = result?;
                LoopForm::While(Body { stms, result: vec![cond] })
            }
            _ => return self.broken(span, "a loop without a count"),
        };
        let hidden = bound.iter().map(|(name, value)| (*name, env.terms.insert(*name, value.clone()))).collect();
        let result = self.in_block(|this| {
            let next = this.eval(body, env)?;
            let next = match (params.len(), next) {
                (1, next) => vec![next],
                (_, Static::Tuple(parts)) => parts.to_vec(),
                _ => return this.broken(span, "a loop whose body is no tuple"),
            };
            let mut out = Vec::new();
            for (value, next) in inside.iter().zip(&next) {
                this.next_value(value, next, span, &mut out)?;
            }
            Ok(out)
        });
        restore(&mut env.terms, hidden);
        let (stms, next) = result?;
        self.finish_loop(&inside, state, form, Body { stms, result: next }, params.len(), span)
    }

    /// Binds the results of a loop: variables like the parameters.
    fn finish_loop(&mut self, inside: &[Static], state: State, form: LoopForm, body: Body, count: usize, span: Span) -> Outcome<Static> {
        let mut map = Renaming::default();
        let mut pat = Vec::with_capacity(state.vars.len());
        for &var in &state.vars {
            let ty = self.out.ty(var);
            let ty = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
            let name = self.out.vars[var].name;
            let result = self.fresh(name, ty);
            if self.naturals.contains(&var) {
                self.naturals.insert(result);
            }
            self.stand_for(&mut map, var, Operand::Var(result));
            pat.push(result);
        }
        let params = state.vars.into_iter().zip(state.inits).collect();
        self.push(pat, Exp::Loop { params, form, body }, span)?;
        let values: Vec<Static> = inside.iter().map(|value| value.rename(&map)).collect();
        Ok(match (count, values) {
            (1, mut values) => values.remove(0),
            (_, values) => Static::Tuple(values.into()),
        })
    }

    /// What a parameter is inside of the loop. Functions stay what they are.
    fn loop_value(&mut self, init: &Static, name: Symbol, span: Span, state: &mut State) -> Outcome<Static> {
        Ok(match init {
            Static::Data(a) => {
                let var = self.fresh(name, self.ty(*a));
                state.vars.push(var);
                state.inits.push(*a);
                Static::Data(Operand::Var(var))
            }
            Static::Tuple(parts) => {
                Static::Tuple(parts.iter().map(|part| self.loop_value(part, name, span, state)).collect::<Outcome<_>>()?)
            }
            Static::Record(parts) => {
                let parts = parts.iter().map(|(label, part)| Ok((*label, self.loop_value(part, name, span, state)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            Static::Box(boxed) => {
                let ty = super::values::Type { shape: Vec::new(), atom: Atom::Sigma(boxed.sigma.clone()) };
                self.depth -= 1;
                let inits = self.leaves(init, span);
                self.depth += 1;
                state.inits.extend(inits?);
                self.symbolic(&ty, &[], name, span, &mut state.vars)?
            }
            Static::Fun(_) | Static::Lifted(_) => init.clone(),
        })
    }

    /// Adds what the body returns for a parameter.
    fn next_value(&mut self, param: &Static, next: &Static, span: Span, out: &mut Vec<Operand>) -> Outcome<()> {
        match (param, next) {
            (Static::Data(_), Static::Data(a)) => out.push(*a),
            (Static::Tuple(xs), Static::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.next_value(x, y, span, out))?;
            }
            (Static::Record(xs), Static::Record(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|((_, x), (_, y))| self.next_value(x, y, span, out))?;
            }
            (Static::Box(x), Static::Box(y)) => {
                for index in &y.indices {
                    for size in index.sizes() {
                        out.push(self.operand(size, span)?);
                    }
                }
                self.next_value(&x.value, &y.value, span, out)?;
            }
            (Static::Fun(x), Static::Fun(y)) if Rc::ptr_eq(x, y) => {}
            (Static::Lifted(x), Static::Lifted(y)) if Rc::ptr_eq(x, y) => {}
            _ => return self.limit(span, "a loop that changes which function it carries is not compiled"),
        }
        Ok(())
    }
}

/// Parameters of a loop with their first values.
#[derive(Default)]
struct State {
    vars: Vec<Var>,
    inits: Vec<Operand>,
}

fn same(a: Operand, b: Operand) -> bool {
    match (a, b) {
        (Operand::Const(a), Operand::Const(b)) => a.same_bits(b),
        (Operand::Var(a), Operand::Var(b)) => a == b,
        _ => false,
    }
}
