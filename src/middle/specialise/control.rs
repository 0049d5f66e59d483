//! Branches and loops: what both branches, or two iterations, know in common stays static.

use super::carried::Cells;
use super::error::Limit;
use super::form::Form;
use super::types::restore;
use super::values::{Atom, BoxValue, Env, Fun, Lifted, Renaming, Row, Static};
use super::{Outcome, Specialiser};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::attributes::Attribute;
use crate::ir::core::{self, Expr, LoopParam};
use crate::ir::soac::{self, Body, Exp, LoopForm, Operand, Size, Stm, Var, same};
use std::rc::Rc;

/// Loops with more iterations than this are not written out.
pub(super) const MAX_UNROLLED: i64 = 256;

/// Parameters of loops that are functions of more kinds than this are a sign of functions that grow. Each kind may hold a choice of those
/// before it, so that the work doubles with each.
const MAX_KINDS: usize = 64;
/// The same for arrays of functions.
const MAX_ARRAYS: usize = 4;

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
                    return self.limit(span, Limit::BoxOfBranch);
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
            (Static::Lifted(x), Static::Lifted(y)) if let Some(ty) = self.common_rows(x, y) => {
                let mut vars = Vec::new();
                let value = self.symbolic(&ty, &[], Symbol::new("kept"), span, &mut vars)?;
                let of_then = self.at_end_of(joined, true, |this| this.leaves(a, span))?;
                let of_els = self.at_end_of(joined, false, |this| this.leaves(b, span))?;
                joined.results.extend(of_then.into_iter().zip(of_els).zip(vars).map(|((x, y), var)| (x, y, var)));
                value
            }
            (Static::Fun(x), Static::Fun(y)) if Rc::ptr_eq(x, y) => a.clone(),
            _ if a.is_function() && b.is_function() => {
                let a = self.exported(a, true, joined)?;
                let b = self.exported(b, false, joined)?;
                self.either(cond, a, b, span)?
            }
            _ => return self.broken(span, "branches of different forms"),
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
                Operand::Const(Scalar::from_i128(ty.elem, 0))
            } else {
                self.at_end_of(joined, !then, |this| {
                    this.bind("none", blank, Exp::Rep(Operand::Const(Scalar::from_i128(ty.elem, 0))), span)
                })?
            };
            if ty == soac::Type::scalar(PrimType::I64) {
                none.sizes.insert(var, Size::constant(0));
            }
            let (x, y) = if then { (Operand::Var(var), other) } else { (other, Operand::Var(var)) };
            let result = self.result(x, y, new, joined);
            self.stand_for(&mut map, var, result);
        }
        Ok(self.replaced(value, &map))
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
    fn round(
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
    fn unrolled(
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
    fn finish_loop(&mut self, inside: &[Static], state: State, form: LoopForm, body: Body, span: Span) -> Outcome<Vec<Static>> {
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
    fn loop_value(&mut self, init: &Static, name: Symbol, span: Span, state: &mut State, kinds: &mut Vec<Carried>) -> Outcome<Static> {
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

    /// Adds the kinds of functions that the body returns for a parameter and that are not known yet.
    fn new_kinds(&mut self, param: &Static, next: &Static, kinds: &mut [Carried], found: &mut Found) {
        match (param, next) {
            _ if self.rows_type(param).is_some() => {}
            _ if param.is_function() => {
                let at = found.at;
                found.at += 1;
                match &mut kinds[at] {
                    Carried::Whole(kinds) => self.add_kinds(param, next, kinds, found),
                    Carried::Cells(..) if next.is(param) => {}
                    Carried::Cells(width, kinds) => match self.add_cells(next, width, kinds) {
                        Cells::Known => {}
                        Cells::More => found.more = true,
                        Cells::Endless => found.endless = true,
                    },
                }
            }
            (Static::Tuple(xs), Static::Tuple(ys)) => xs.iter().zip(ys.iter()).for_each(|(x, y)| self.new_kinds(x, y, kinds, found)),
            (Static::Record(xs), Static::Record(ys)) => {
                xs.iter().zip(ys.iter()).for_each(|((_, x), (_, y))| self.new_kinds(x, y, kinds, found));
            }
            (Static::Box(x), Static::Box(y)) => self.new_kinds(&x.value, &y.value, kinds, found),
            _ => {}
        }
    }
    fn add_kinds(&self, param: &Static, next: &Static, kinds: &mut Kinds, found: &mut Found) {
        if next.is(param) || self.kind_of(next, kinds, self.block.depth()).is_some() {
            return;
        }
        if let Static::Fun(fun) = next
            && let Fun::Choice(_, a, b) = &**fun
        {
            self.add_kinds(param, a, kinds, found);
            self.add_kinds(param, b, kinds, found);
            return;
        }
        found.more = true;
        let is_array = matches!(next, Static::Lifted(_));
        let other = |kind: &Kind| {
            self.form(next, &self.holes(next, self.block.depth(), true))
                == self.form(&kind.value, &self.holes(&kind.value, self.block.depth(), true))
        };
        if is_array && let Some(kind) = kinds.iter_mut().find(|kind| !kind.arrays && other(kind)) {
            // The same cells in another order, or what they have captured.
            kind.holes = self.holes(&kind.value, self.block.depth(), true);
            kind.arrays = true;
            return;
        }
        // What holds the function of the iteration before would be another one in each iteration. In arrays it cannot be seen.
        found.endless |= kinds.len() >= if is_array { MAX_ARRAYS } else { MAX_KINDS } || kinds.len() > 1 && next.holds(param);
        kinds.push(Kind { value: next.clone(), holes: self.holes(next, self.block.depth(), false), arrays: false });
    }
    /// The variables in which functions of a kind differ: those that are bound deeper than `depth`, and with `arrays` those of an array of
    /// functions.
    fn holes(&self, value: &Static, depth: u32, arrays: bool) -> Vec<Var> {
        let mut holes = self.inner_vars_below(value, depth);
        if let (true, Static::Lifted(lifted)) = (arrays, value) {
            let own = lifted.arrays.iter().filter_map(|array| array.var());
            holes.extend(own.filter(|var| !holes.contains(var)).collect::<Vec<_>>());
        }
        holes
    }
    /// Of which kind a function is, and what is in its holes.
    pub(super) fn kind_of(&self, value: &Static, kinds: &[Kind], depth: u32) -> Option<(usize, Vec<Var>)> {
        let of_kind = |kind: &Kind| {
            let holes = self.holes(value, depth, kind.arrays);
            (self.form(value, &holes) == self.form(&kind.value, &kind.holes)).then_some(holes)
        };
        kinds.iter().enumerate().find_map(|(at, kind)| Some((at, of_kind(kind)?)))
    }
    /// What a function looks like, whatever is in its holes.
    fn form(&self, value: &Static, holes: &[Var]) -> Form {
        Form::of(value, holes, &self.out)
    }
    /// Variables for a function of one of these kinds: for each kind but the first whether it is of that kind, and what stands in its holes.
    pub(super) fn kind_vars(&mut self, kinds: &[Kind]) -> Vec<Var> {
        let mut vars: Vec<Var> = (1..kinds.len()).map(|_| self.fresh(Symbol::new("which"), soac::Type::scalar(PrimType::Bool))).collect();
        for kind in kinds {
            let mut map = Renaming::default();
            for hole in &kind.holes {
                let ty = self.out.ty(*hole);
                let ty = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
                let var = self.fresh(self.out.vars[*hole].name, ty);
                self.sizes.inherit_natural(var, *hole);
                self.stand_for(&mut map, *hole, Operand::Var(var));
                vars.push(var);
            }
        }
        vars
    }
    /// The function that these variables stand for.
    pub(super) fn one_of(&mut self, kinds: &[Kind], vars: &[Var], span: Span) -> Outcome<Static> {
        let (which, mut rest) = vars.split_at(kinds.len() - 1);
        let mut values = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let (own, others) = rest.split_at(kind.holes.len());
            rest = others;
            let mut map = Renaming::default();
            kind.holes.iter().zip(own).for_each(|(hole, var)| self.stand_for(&mut map, *hole, Operand::Var(*var)));
            values.push(self.replaced(&kind.value, &map));
        }
        let first = values.remove(0);
        values.into_iter().zip(which).try_fold(first, |others, (value, which)| self.either(Operand::Var(*which), value, others, span))
    }
    /// What the variables are for a function of this kind with these values in its holes. The holes of other kinds hold zeros.
    fn of_kind(&mut self, number: usize, values: &[Var], kinds: &Kinds, span: Span) -> Outcome<Vec<Operand>> {
        let mut out: Vec<Operand> = (1..kinds.len()).map(|k| Operand::Const(Scalar::Bool(k == number))).collect();
        for (k, kind) in kinds.iter().enumerate() {
            if k == number {
                out.extend(values.iter().map(|var| Operand::Var(*var)));
                continue;
            }
            let mut none = Renaming::default();
            for hole in &kind.holes {
                let ty = self.out.ty(*hole);
                let ty = soac::Type { elem: ty.elem, shape: none.shape(&ty.shape) };
                let blank = Operand::Const(Scalar::from_i128(ty.elem, 0));
                if ty == soac::Type::scalar(PrimType::I64) {
                    none.sizes.insert(*hole, Size::constant(0));
                }
                out.push(if ty.rank() == 0 { blank } else { self.bind("none", ty, Exp::Rep(blank), span)? });
            }
        }
        Ok(out)
    }
    /// What the variables are for the function that the body returns, at the end of the body. `param` is the one that the iteration began with.
    pub(super) fn next_kind(
        &mut self,
        param: Option<(&Static, &[Var])>,
        next: &Static,
        kinds: &Kinds,
        depth: u32,
        span: Span,
    ) -> Outcome<Vec<Operand>> {
        if let Some((param, vars)) = param
            && next.is(param)
        {
            return Ok(vars.iter().map(|var| Operand::Var(*var)).collect());
        }
        if let Some((number, holes)) = self.kind_of(next, kinds, depth) {
            return self.of_kind(number, &holes, kinds, span);
        }
        let Static::Fun(fun) = next else { return self.broken(span, "a function was expected") };
        let Fun::Choice(cond, a, b) = &**fun else { return self.broken(span, "a function of an unknown kind") };
        let (then, x) = self.in_block(|this| this.next_kind(param, a, kinds, depth, span))?;
        let (els, y) = self.in_block(|this| this.next_kind(param, b, kinds, depth, span))?;
        let pat = self.kind_vars(kinds);
        let result = pat.iter().map(|var| Operand::Var(*var)).collect();
        let exp = Exp::If { cond: *cond, then: Body { stms: then, result: x }, els: Body { stms: els, result: y } };
        self.push(pat, exp, span)?;
        Ok(result)
    }

    /// Adds what the body returns for a parameter. `functions` has the kinds of each function with its value and variables in the body.
    fn next_value<'k>(
        &mut self,
        param: &Static,
        next: &Static,
        span: Span,
        functions: &mut impl Iterator<Item = (&'k Carried, &'k (Static, Vec<Var>))>,
        out: &mut Vec<Operand>,
    ) -> Outcome<()> {
        match (param, next) {
            _ if self.rows_type(param).is_some() => out.extend(self.leaves(next, span)?),
            _ if param.is_function() => {
                let Some((kinds, (value, vars))) = functions.next() else { return self.broken(span, "a function was expected") };
                let depth = self.block.depth() - 1;
                out.extend(match kinds {
                    Carried::Cells(_, kinds) if !next.is(value) => self.arrays_of_cells(next, kinds, depth, span)?,
                    Carried::Whole(kinds) | Carried::Cells(_, kinds) => self.next_kind(Some((value, vars)), next, kinds, depth, span)?,
                });
            }
            (Static::Data(_), Static::Data(a)) => out.push(*a),
            (Static::Tuple(xs), Static::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|(x, y)| self.next_value(x, y, span, functions, out))?;
            }
            (Static::Record(xs), Static::Record(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).try_for_each(|((_, x), (_, y))| self.next_value(x, y, span, functions, out))?;
            }
            (Static::Box(x), Static::Box(y)) => {
                for index in &y.indices {
                    for size in index.sizes() {
                        out.push(self.operand(size, span)?);
                    }
                }
                self.next_value(&x.value, &y.value, span, functions, out)?;
            }
            _ => return self.broken(span, "a loop whose body returns values of another form"),
        }
        Ok(())
    }

    /// One of two functions, or of two arrays of functions.
    pub(super) fn either(&mut self, cond: Operand, a: Static, b: Static, span: Span) -> Outcome<Static> {
        Ok(match (&a, &b) {
            // The one that is not there is never applied.
            (_, Static::Fun(_)) if b.is_absent() => a,
            (Static::Fun(_), _) if a.is_absent() => b,
            (Static::Fun(_) | Static::Box(_), Static::Fun(_) | Static::Box(_)) => Static::Fun(Rc::new(Fun::Choice(cond, a, b))),
            (Static::Lifted(x), Static::Lifted(y)) => {
                let (x, y) = (self.refreshed(x), self.refreshed(y));
                let elem = self.either(cond, x.elem, y.elem, span)?;
                let (vars, arrays) = ([x.vars, y.vars].concat(), [x.arrays, y.arrays].concat());
                let (places, rows) = ([x.places, y.places].concat(), [x.rows, y.rows].concat());
                Static::Lifted(Rc::new(Lifted { width: x.width, vars, arrays, places, rows, elem }))
            }
            _ => return self.broken(span, "functions of different forms"),
        })
    }
    /// The same array of functions with variables of its own.
    pub(super) fn refreshed(&mut self, lifted: &Lifted) -> Lifted {
        let own = [&lifted.vars[..], &lifted.places].concat();
        let (mut vars, map) = self.renewed(&own, Self::placeholder);
        let places = vars.split_off(lifted.vars.len());
        let rows = lifted.rows.iter().map(|row| Row { start: map.operand(row.start), ..*row }).collect();
        let elem = self.replaced(&lifted.elem, &map);
        Lifted { width: lifted.width.clone(), vars, arrays: lifted.arrays.clone(), places, rows, elem }
    }
    /// Variables that `make` makes for others, with their names, and the renaming of these into them. Sizes among them are renamed in the
    /// types of those that follow.
    pub(super) fn renewed(&mut self, old: &[Var], make: fn(&mut Self, Symbol, soac::Type) -> Var) -> (Vec<Var>, Renaming) {
        let mut map = Renaming::default();
        let mut vars = Vec::with_capacity(old.len());
        for var in old {
            vars.push(self.renew(*var, &mut map, make));
        }
        (vars, map)
    }
    /// A variable that `make` makes for another one, with its name and its type renamed; the renaming gets it.
    pub(super) fn renew(&mut self, var: Var, map: &mut Renaming, make: fn(&mut Self, Symbol, soac::Type) -> Var) -> Var {
        let ty = self.out.ty(var);
        let ty = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
        let new = make(self, self.out.vars[var].name, ty);
        self.stand_for(map, var, Operand::Var(new));
        new
    }
}

/// Parameters of a loop with their first values.
#[derive(Default)]
struct State {
    vars: Vec<Var>,
    inits: Vec<Operand>,
    /// The functions among the parameters, with the variables that say which they are.
    functions: Vec<(Static, Vec<Var>)>,
}

/// Functions that differ in the values of variables only, which are its holes.
pub(super) struct Kind {
    pub value: Static,
    pub holes: Vec<Var>,
    /// Whether the arrays of an array of functions are among the holes, wherever they are bound.
    pub arrays: bool,
}

/// The kinds of functions that a parameter of a loop may be.
pub(super) type Kinds = Vec<Kind>;

/// The functions that a parameter of a loop may be.
enum Carried {
    /// A function, or an array of functions as a whole, of one of these kinds.
    Whole(Kinds),
    /// An array of so many functions, each of one of these kinds.
    Cells(Size, Kinds),
}

/// What is known of the functions that the body of a loop returns.
struct Found {
    /// The number of the next function.
    at: usize,
    /// Whether there are new kinds.
    more: bool,
    /// Whether there will always be more.
    endless: bool,
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
fn together(mut values: Vec<Static>) -> Static {
    if values.len() == 1 { values.remove(0) } else { Static::Tuple(values.into()) }
}

/// What became of a loop.
enum Round {
    /// Its values.
    Done(Vec<Static>),
    /// There are more kinds of functions than there seemed to be.
    More,
    /// There are more in each iteration.
    Endless,
}
