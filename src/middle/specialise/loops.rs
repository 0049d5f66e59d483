//! Loops: what two iterations know in common stays static; counted loops over functions may be written out.

use super::error::Limit;
use super::kinds::{Carried, Found, Kind};
use super::types::restore;
use super::values::{Atom, Env, Renaming, Static};
use super::{Outcome, Specialiser};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::attributes::Attribute;
use crate::ir::core::{self, Expr, LoopParam};
use crate::ir::soac::{self, Body, Exp, LoopForm, Operand, Var};

impl Specialiser<'_> {
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
        if let (core::LoopForm::For(i, _), Some(Operand::Const(Scalar::I64(n)))) = (form, count)
            && (0..=MAX_UNROLLED).contains(&n)
            && self.plan.attributes().at(span, Attribute::Unroll)
        {
            return self.unrolled(params, inits, (*i, n), body, env, span);
        }
        let names: Vec<Symbol> = params.iter().map(|param| param.name).collect();
        let (counter, n) = match (form, count) {
            (core::LoopForm::For(i, _), n) => (Some(*i), n),
            (core::LoopForm::While(_), _) => (None, None),
        };
        let mut run = |this: &mut Self, part: Part, state: &[Static], i: Option<Operand>| {
            let counted = counter.zip(i).map(|(name, i)| (name, Static::Data(i)));
            let bound = names.iter().copied().zip(state.iter().cloned()).chain(counted);
            let hidden = bound.map(|(name, value)| (name, env.terms.insert(name, value))).collect();
            let result = match (part, form) {
                (Part::Cond, core::LoopForm::While(cond)) => this.eval(cond, env),
                _ => this.eval(body, env),
            };
            restore(&mut env.terms, hidden);
            match (part, names.len(), result?) {
                (Part::Cond, _, next) | (_, 1, next) => Ok(vec![next]),
                (_, _, Static::Tuple(parts)) => Ok(parts.to_vec()),
                _ => this.broken(span, "a loop whose body is no tuple"),
            }
        };
        let values = match self.repeated(&names, &inits, counter.zip(n), &mut run, span)? {
            Some(values) => values,
            None => match (form, count) {
                (core::LoopForm::For(i, _), Some(Operand::Const(Scalar::I64(n)))) if (0..=MAX_UNROLLED).contains(&n) => {
                    return self.unrolled(params, inits, (*i, n), body, env, span);
                }
                _ => return self.endless(span),
            },
        };
        Ok(together(values))
    }

    /// Functions that are made of those of the iteration before, and so on.
    pub(super) fn endless<T>(&self, span: Span) -> Outcome<T> {
        self.limit(span, Limit::EndlessFunctions)
    }

    /// A loop whose parameters have these names and first values, run so often (with the name of the counter) or as long as the condition holds; its values, or nothing if
    /// it makes ever new functions.
    pub(super) fn repeated(
        &mut self,
        names: &[Symbol],
        inits: &[Static],
        count: Option<(Symbol, Operand)>,
        run: &mut LoopWork<'_, Self>,
        span: Span,
    ) -> Outcome<Option<Vec<Static>>> {
        let mut kinds = Vec::new();
        loop {
            match self.round(names, inits, count, &mut kinds, run, span)? {
                Round::Done(values) => return Ok(Some(values)),
                Round::More => {}
                Round::Endless => return Ok(None),
            }
        }
    }

    /// A loop whose functions are of these kinds; where the body returns functions of other kinds, those are added.
    pub(super) fn round(
        &mut self,
        names: &[Symbol],
        inits: &[Static],
        count: Option<(Symbol, Operand)>,
        kinds: &mut Vec<Carried>,
        run: &mut LoopWork<'_, Self>,
        span: Span,
    ) -> Outcome<Round> {
        let mut state = State::default();
        // The parameters belong to the body, the results to the block around it.
        let (inside, counter) = self.inside(|this| {
            let values = inits.iter().zip(names).map(|(init, name)| this.loop_value(init, *name, span, &mut state, kinds));
            let values = values.collect::<Outcome<Vec<_>>>();
            (values, count.map(|(name, _)| this.fresh(name, soac::Type::scalar(PrimType::I64))))
        });
        let inside = inside?;
        let form = match count.zip(counter) {
            Some(((_, n), i)) => LoopForm::For(i, n),
            None => {
                let (stms, cond) = self.in_block(|this| {
                    let cond = run(this, Part::Cond, &inside, None)?;
                    this.scalar(&together(cond), span)
                })?;
                LoopForm::While(Body { stms, result: vec![cond] })
            }
        };
        let (mut stms, next) = self.in_block(|this| run(this, Part::Body, &inside, counter.map(Operand::Var)))?;
        let mut found = Found { at: 0, more: false, endless: false };
        for (value, next) in inside.iter().zip(&next) {
            self.new_kinds(value, next, kinds, &mut found);
        }
        if found.endless {
            return Ok(Round::Endless);
        }
        if found.more {
            return Ok(Round::More);
        }
        let result = self.at_end(&mut stms, |this| {
            let mut out = Vec::new();
            let mut functions = kinds.iter().zip(&state.functions);
            for (value, next) in inside.iter().zip(&next) {
                this.next_value(value, next, span, &mut functions, &mut out)?;
            }
            Ok(out)
        })?;
        self.finish_loop(&inside, state, form, Body { stms, result }, span).map(Round::Done)
    }

    /// The bodies of a loop one after the other.
    pub(super) fn unrolled(
        &mut self,
        params: &[LoopParam],
        mut values: Vec<Static>,
        (counter, n): (Symbol, i64),
        body: &Expr,
        env: &mut Env,
        span: Span,
    ) -> Outcome<Static> {
        for k in 0..n {
            let mut bound: Vec<(Symbol, Static)> = params.iter().map(|param| param.name).zip(values).collect();
            bound.push((counter, Static::Data(Operand::Const(Scalar::I64(k)))));
            let hidden = bound.into_iter().map(|(name, value)| (name, env.terms.insert(name, value))).collect();
            let next = self.eval(body, env);
            restore(&mut env.terms, hidden);
            values = match (params.len(), next?) {
                (1, next) => vec![next],
                (_, Static::Tuple(parts)) => parts.to_vec(),
                _ => return self.broken(span, "a loop whose body is no tuple"),
            };
        }
        Ok(together(values))
    }

    /// Binds the results of a loop: variables like the parameters.
    pub(super) fn finish_loop(&mut self, inside: &[Static], state: State, form: LoopForm, body: Body, span: Span) -> Outcome<Vec<Static>> {
        let mut map = Renaming::default();
        let mut pat = Vec::with_capacity(state.vars.len());
        for &var in &state.vars {
            let ty = self.out.ty(var);
            let ty = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
            let name = self.out.vars[var].name;
            let result = self.fresh(name, ty);
            self.sizes.inherit_natural(result, var);
            self.stand_for(&mut map, var, Operand::Var(result));
            pat.push(result);
        }
        let params = state.vars.into_iter().zip(state.inits).collect();
        self.push(pat, Exp::Loop { params, form, body }, span)?;
        Ok(inside.iter().map(|value| self.replaced(value, &map)).collect())
    }

    /// What a parameter is inside of the loop. Functions stay what they are as long as there is one kind of them.
    pub(super) fn loop_value(
        &mut self,
        init: &Static,
        name: Symbol,
        span: Span,
        state: &mut State,
        kinds: &mut Vec<Carried>,
    ) -> Outcome<Static> {
        if let Some(ty) = self.rows_type(init) {
            state.inits.extend(self.outside(|this| this.leaves(init, span))?);
            return self.symbolic(&ty, &[], name, span, &mut state.vars);
        }
        if init.is_function() {
            let at = state.functions.len();
            state.inits.extend(self.outside(|this| {
                if kinds.len() == at {
                    let whole = || Carried::Whole(vec![Kind { value: init.clone(), holes: Vec::new(), arrays: false }]);
                    kinds.push(this.kinds_of_cells(init).map_or_else(whole, |(width, kinds)| Carried::Cells(width, kinds)));
                }
                let depth = this.block.depth();
                match &kinds[at] {
                    Carried::Whole(kinds) => {
                        let holes = this.holes(init, depth, kinds[0].arrays);
                        this.of_kind(0, &holes, kinds, span)
                    }
                    Carried::Cells(_, kinds) => this.arrays_of_cells(init, kinds, depth, span),
                }
            })?);
            let (value, vars) = match &kinds[at] {
                Carried::Whole(kinds) => {
                    let vars = self.kind_vars(kinds);
                    (self.one_of(kinds, &vars, span)?, vars)
                }
                Carried::Cells(width, kinds) => self.array_of_kinds(width, kinds, span)?,
            };
            state.vars.extend(&vars);
            state.functions.push((value.clone(), vars));
            return Ok(value);
        }
        Ok(match init {
            Static::Data(a) => {
                let var = self.fresh(name, self.ty(*a));
                state.vars.push(var);
                state.inits.push(*a);
                Static::Data(Operand::Var(var))
            }
            Static::Tuple(parts) => {
                Static::Tuple(parts.iter().map(|part| self.loop_value(part, name, span, state, kinds)).collect::<Outcome<_>>()?)
            }
            Static::Record(parts) => {
                let parts = parts.iter().map(|(label, part)| Ok((*label, self.loop_value(part, name, span, state, kinds)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            Static::Box(boxed) => {
                let ty = super::values::Type { shape: Vec::new(), atom: Atom::Sigma(boxed.sigma.clone()) };
                state.inits.extend(self.outside(|this| this.leaves(init, span))?);
                self.symbolic(&ty, &[], name, span, &mut state.vars)?
            }
            Static::Fun(_) | Static::Lifted(_) => init.clone(),
        })
    }
}

/// Loops with more iterations than this are not written out.
pub(super) const MAX_UNROLLED: i64 = 256;

/// Parameters of a loop with their first values.
#[derive(Default)]
pub(super) struct State {
    vars: Vec<Var>,
    inits: Vec<Operand>,
    /// The functions among the parameters, with the variables that say which they are.
    functions: Vec<(Static, Vec<Var>)>,
}

/// The parts of a loop that are run again and again.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// The condition of a loop that is not counted.
    Cond,
    /// The body.
    Body,
}

/// Runs a part of a loop on the values of its parameters and the number of the iteration, if that is counted.
pub(super) type LoopWork<'a, S> = dyn FnMut(&mut S, Part, &[Static], Option<Operand>) -> Outcome<Vec<Static>> + 'a;

/// What a loop with these values returns.
pub(super) fn together(mut values: Vec<Static>) -> Static {
    if values.len() == 1 { values.remove(0) } else { Static::Tuple(values.into()) }
}

/// What became of a loop.
pub(super) enum Round {
    /// Its values.
    Done(Vec<Static>),
    /// There are more kinds of functions than there seemed to be.
    More,
    /// There are more in each iteration.
    Endless,
}
