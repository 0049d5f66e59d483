//! Application and instantiation of functions.

use super::error::Limit;
use super::loops::Part;
use super::rows::Pending;
use super::types::restore;
use super::values::{Atom, Env, Fun, IndexValue, Label, Lifted, Renaming, Static};
use super::{Outcome, Specialiser, stem};
use crate::base::scalar::{FoldOp, Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{self, Expr, ExprKind};
use crate::ir::soac::{self, Body, Exp, Lambda, Operand, Operator, Size, Soac, Stm, Var};
use std::rc::Rc;

impl Specialiser<'_> {
    /// Applies a function to one or more arguments.
    pub(super) fn apply(&mut self, fun: Static, new: Vec<Static>, span: Span) -> Outcome<Static> {
        if new.is_empty() {
            return Ok(fun);
        }
        let Static::Fun(fun) = fun else { return self.broken(span, "a function was expected") };
        match &*fun {
            Fun::Closure { params, body, env, args } => {
                let mut args = args.clone();
                let missing = params.len() - args.len();
                let mut new = new.into_iter();
                args.extend(new.by_ref().take(missing));
                if args.len() < params.len() {
                    let fun = Fun::Closure { params: params.clone(), body: body.clone(), env: env.clone(), args };
                    return Ok(Static::Fun(Rc::new(fun)));
                }
                let mut env = env.clone();
                env.terms.extend(params.iter().copied().zip(args));
                let result = self.in_call(span, |this| this.eval(body, &mut env))?;
                self.apply(result, new.collect(), span)
            }
            Fun::Poly { .. } => self.broken(span, "a polymorphic function without its type arguments"),
            Fun::Global { name, indices, types, args } => {
                let args = args.iter().cloned().chain(new).collect();
                self.apply_global(*name, indices, types, args, span)
            }
            Fun::Prim { prim, indices, types, args } => {
                let mut args: Vec<Static> = args.clone();
                let arity = prim.arity();
                let missing = arity.saturating_sub(args.len());
                let mut new = new.into_iter();
                args.extend(new.by_ref().take(missing));
                if args.len() < arity {
                    let fun = Fun::Prim { prim: *prim, indices: indices.clone(), types: types.clone(), args };
                    return Ok(Static::Fun(Rc::new(fun)));
                }
                let result = self.prim(*prim, indices, types, args, span)?;
                self.apply(result, new.collect(), span)
            }
            Fun::Op(op, args) => {
                let args: Vec<Static> = args.iter().cloned().chain(new).collect();
                if args.len() < op.params.len() {
                    return Ok(Static::Fun(Rc::new(Fun::Op(*op, args))));
                }
                let args = args.iter().map(|arg| self.scalar(arg, span)).collect::<Outcome<Vec<_>>>()?;
                Ok(Static::Data(self.scalar_op(*op, args, span)?))
            }
            Fun::Fold(fold) => match new.as_slice() {
                [vector] => self.fold(*fold, vector, span),
                _ => self.broken(span, "a fold takes one vector"),
            },
            Fun::Choice(cond, a, b) => {
                let (cond, a, b) = (*cond, a.clone(), b.clone());
                let then = self.in_block(|this| this.apply(a, new.clone(), span))?;
                let els = self.in_block(|this| this.apply(b, new, span))?;
                self.merge(cond, then, els, span)
            }
            Fun::Absent { ty, env } => {
                let core::Atom::Fun(params, ret) = ty.atom() else { return self.limit(span, Limit::UnknownFunction) };
                let mut env = env.clone();
                let (mut given, mut new) = (params.len(), new.into_iter());
                for (i, param) in params.iter().enumerate() {
                    let Some(arg) = new.next() else {
                        given = i;
                        break;
                    };
                    if let Some(name) = param.name {
                        env.terms.insert(name, arg);
                    }
                }
                let ty = core::Type::fun(params[given..].to_vec(), ret.clone());
                let result = self.nothing(&ty, &mut env, span)?;
                self.apply(result, new.collect(), span)
            }
        }
    }

    /// Gives index and type arguments to a polymorphic function.
    pub(super) fn instantiate(&mut self, fun: Static, types: Vec<Atom>, indices: Vec<IndexValue>, span: Span) -> Outcome<Static> {
        match fun {
            Static::Fun(fun) => match &*fun {
                Fun::Global { name, indices: i0, types: t0, args } if args.is_empty() => {
                    let fun = Fun::Global {
                        name: *name,
                        indices: [i0, &indices[..]].concat(),
                        types: [t0, &types[..]].concat(),
                        args: Vec::new(),
                    };
                    self.saturated(fun)
                }
                Fun::Prim { prim, indices: i0, types: t0, args } if args.is_empty() => {
                    let (indices, types) = ([i0, &indices[..]].concat(), [t0, &types[..]].concat());
                    if prim.arity() == 0 {
                        return self.prim(*prim, &indices, &types, Vec::new(), span);
                    }
                    Ok(Static::Fun(Rc::new(Fun::Prim { prim: *prim, indices, types, args: Vec::new() })))
                }
                Fun::Fold(fold) => Ok(Static::Fun(Rc::new(Fun::Fold(*fold)))),
                Fun::Poly { expr, env } => {
                    let (mut env, mut expr) = (env.clone(), expr.clone());
                    let (mut indices, mut types) = (indices.into_iter(), types.into_iter());
                    loop {
                        if let ExprKind::IFn { params, body } = expr.kind()
                            && indices.len() > 0
                        {
                            env.indices.extend(params.iter().copied().zip(indices.by_ref()));
                            expr = body.clone();
                        } else if let ExprKind::TFn { params, body } = expr.kind()
                            && types.len() > 0
                        {
                            env.types.extend(params.iter().copied().zip(types.by_ref()));
                            expr = body.clone();
                        } else {
                            break;
                        }
                    }
                    let result = self.eval(&expr, &mut env)?;
                    if indices.len() + types.len() > 0 {
                        return self.instantiate(result, types.collect(), indices.collect(), span);
                    }
                    Ok(result)
                }
                Fun::Choice(cond, a, b) => {
                    let (a, b) = (a.clone(), b.clone());
                    let then = self.in_block(|this| this.instantiate(a, types.clone(), indices.clone(), span))?;
                    let els = self.in_block(|this| this.instantiate(b, types, indices, span))?;
                    self.merge(*cond, then, els, span)
                }
                Fun::Closure { .. } | Fun::Global { .. } | Fun::Prim { .. } | Fun::Op(..) | Fun::Absent { .. } => {
                    self.broken(span, "a polymorphic function was expected")
                }
            },
            Static::Data(_) | Static::Tuple(_) | Static::Record(_) | Static::Box(_) | Static::Lifted(_) => {
                self.broken(span, "a polymorphic function was expected")
            }
        }
    }

    /// A scalar operation; on constants it is done now, if it does not fail.
    pub(super) fn scalar_op(&mut self, op: ScalarOp, args: Vec<Operand>, span: Span) -> Outcome<Operand> {
        let constants: Option<Vec<Scalar>> =
            args.iter().map(|a| if let Operand::Const(scalar) = a { Some(*scalar) } else { None }).collect();
        if let Some(constants) = constants
            && let Ok(value) = op.apply(&constants)
        {
            return Ok(Operand::Const(value));
        }
        let size = match (op.prim, op.op, args.as_slice()) {
            (PrimType::I64, Op::Add, [a, b]) => Some(self.size_of(*a).add(&self.size_of(*b))),
            (PrimType::I64, Op::Sub, [a, b]) => Some(self.size_of(*a).sub(&self.size_of(*b))),
            (PrimType::I64, Op::Mul, [a, b]) => Some(self.size_of(*a).mul(&self.size_of(*b))),
            _ => None,
        };
        let result = self.bind("t", soac::Type::scalar(op.result), Exp::Scalar(op, args), span)?;
        // Sizes that grow without bound are opaque.
        if let (Some(size), Operand::Var(var)) = (size, result)
            && size.extent().0 <= 64
            && size.extent().1 <= 32
        {
            self.sizes.define(var, size);
        }
        Ok(result)
    }

    /// A value of the same form made of new variables, which are added to `vars`.
    pub(super) fn like(&mut self, value: &Static, name: &str, span: Span, vars: &mut Vec<Var>) -> Outcome<Static> {
        let name = Symbol::new(name);
        self.each_leaf(value, span, &mut |this, a| {
            let ty = this.ty(a);
            let var = this.fresh(name, ty);
            vars.push(var);
            Ok(Operand::Var(var))
        })
    }

    /// An operator on values like the neutral element.
    pub(super) fn operator(&mut self, f: &Static, neutral: &Static, commutative: bool, span: Span) -> Outcome<Operator> {
        let neutral_leaves = self.leaves(neutral, span)?;
        let mut params = Vec::new();
        let (stms, result) = self.in_block(|this| {
            let a = this.like(neutral, "a", span, &mut params)?;
            let b = this.like(neutral, "b", span, &mut params)?;
            let result = this.apply(f.clone(), vec![a, b], span)?;
            this.leaves(&result, span)
        })?;
        let lambda = Lambda { params, body: Body { stms, result } };
        if neutral_leaves.is_empty() && lambda.body.may_fail() {
            // There is nothing that a reduction could be made of, and it would be forgotten.
            return self.limit(span, Limit::HollowOperator);
        }
        let commutative = commutative || is_commutative(&lambda);
        Ok(Operator { lambda, neutral: neutral_leaves, commutative })
    }

    /// The cells of an array along its outermost dimension as parameters of a lambda. Arrays and parameters are added to the lists.
    pub(super) fn cells(
        &mut self,
        array: &Static,
        name: Symbol,
        inputs: &mut Vec<Var>,
        params: &mut Vec<Var>,
        span: Span,
    ) -> Outcome<Static> {
        let cell = self.waiting_cells(array, name, inputs, params, span)?;
        self.forced(cell, span)
    }
    /// `cells`, but what is computed later is not computed yet.
    fn waiting_cells(&mut self, array: &Static, name: Symbol, inputs: &mut Vec<Var>, params: &mut Vec<Var>, span: Span) -> Outcome<Static> {
        Ok(match array {
            Static::Data(Operand::Var(var)) if self.out.ty(*var).rank() > 0 => {
                let ty = self.out.ty(*var).cell(1);
                let param = self.fresh(name, ty);
                inputs.push(*var);
                params.push(param);
                Static::Data(Operand::Var(param))
            }
            Static::Tuple(parts) => {
                Static::Tuple(parts.iter().map(|part| self.waiting_cells(part, name, inputs, params, span)).collect::<Outcome<_>>()?)
            }
            Static::Record(parts) => {
                let parts = parts.iter().map(|(label, part)| Ok((*label, self.waiting_cells(part, name, inputs, params, span)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            Static::Lifted(lifted) => {
                let mut map = Renaming::default();
                for (var, array) in lifted.vars.iter().zip(&lifted.arrays) {
                    let cell = self.waiting_cells(&Static::Data(*array), self.out.vars[*var].name, inputs, params, span)?;
                    self.stand_for(&mut map, *var, self.scalar(&cell, span)?);
                }
                self.take_rows(lifted, &mut map, span)?;
                self.replaced(&lifted.elem, &map)
            }
            Static::Fun(_) if array.is_absent() => array.clone(),
            Static::Data(_) | Static::Fun(_) | Static::Box(_) => return self.broken(span, "an array was expected"),
        })
    }

    /// Computes what waits for it.
    pub(super) fn forced(&mut self, value: Static, span: Span) -> Outcome<Static> {
        Ok(match &value {
            Static::Tuple(parts) => Static::Tuple(parts.iter().map(|part| self.forced(part.clone(), span)).collect::<Outcome<_>>()?),
            Static::Record(parts) => {
                let part = |(label, part): &(Label, Static)| Ok((*label, self.forced(part.clone(), span)?));
                Static::Record(parts.iter().map(part).collect::<Outcome<_>>()?)
            }
            Static::Fun(fun) if value.is_later() => match &**fun {
                Fun::Choice(cond, a, b) => {
                    let then = self.in_block(|this| this.forced(a.clone(), span))?;
                    let els = self.in_block(|this| this.forced(b.clone(), span))?;
                    self.merge(*cond, then, els, span)?
                }
                Fun::Closure { .. }
                | Fun::Poly { .. }
                | Fun::Global { .. }
                | Fun::Prim { .. }
                | Fun::Op(..)
                | Fun::Fold(_)
                | Fun::Absent { .. } => value,
            },
            Static::Data(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => value,
        })
    }

    /// Lets an operand take the place of a variable.
    pub(super) fn stand_for(&self, map: &mut Renaming, var: Var, operand: Operand) {
        map.operands.insert(var, operand);
        if self.out.ty(var) == &soac::Type::scalar(PrimType::I64) {
            map.sizes.insert(var, self.size_of(operand));
        }
    }

    /// The value with variables replaced, in sizes too, also in the types of the variables that stand for cells of arrays in it.
    pub(super) fn replaced(&mut self, value: &Static, map: &Renaming) -> Static {
        let mut own = Vec::new();
        value.each_lifted(&mut |lifted| own.extend(lifted.vars.iter().chain(&lifted.places).copied()));
        own.retain(|var| self.out.ty(*var).shape.iter().flat_map(Size::vars).any(|size| map.sizes.contains_key(&size)));
        if own.is_empty() {
            return value.rename(map);
        }
        let mut all = map.clone();
        for var in own {
            if !all.operands.contains_key(&var) {
                self.renew(var, &mut all, Self::placeholder);
            }
        }
        value.rename(&all)
    }

    /// The results of a soac that maps something to `value` for each of `width` cells.
    fn lift(
        &mut self,
        value: &Static,
        width: &Size,
        outs: &mut Vec<(Operand, Var)>,
        rows: &mut Option<Differing<'_>>,
        path: &mut Vec<usize>,
        span: Span,
    ) -> Outcome<Static> {
        let frame = std::slice::from_ref(width);
        let mut part = |this: &mut Self, at: usize, part: &Static, outs: &mut Vec<(Operand, Var)>| {
            path.push(at);
            let result = this.lift(part, width, outs, rows, path, span);
            path.pop();
            result
        };
        Ok(match value {
            Static::Data(a) if !self.mentions_inner(&self.ty(*a)) => {
                let ty = self.ty(*a);
                match a.var() {
                    Some(var) if self.is_inner(var) => Static::Data(Operand::Var(self.lift_var(*a, &ty, width, outs))),
                    // The same for all cells.
                    _ => Static::Data(self.bind("rep", ty.framed(frame), Exp::Rep(*a), span)?),
                }
            }
            Static::Tuple(parts) => {
                let parts = parts.iter().enumerate().map(|(at, value)| part(self, at, value, outs));
                Static::Tuple(parts.collect::<Outcome<_>>()?)
            }
            Static::Record(parts) => {
                let parts = parts.iter().enumerate().map(|(at, (label, value))| Ok((*label, part(self, at, value, outs)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            Static::Data(_) | Static::Fun(_) | Static::Lifted(_) | Static::Box(_) => {
                let mut lifted = Lifted::same(width.clone(), value.clone());
                let mut map = Renaming::default();
                let (mut differing, inner) = (Vec::new(), self.inner_vars(value));
                for var in &inner {
                    let ty = self.out.ty(*var).clone();
                    if self.mentions_inner(&ty) {
                        differing.push(*var);
                        continue;
                    }
                    lifted.arrays.push(Operand::Var(self.lift_var(Operand::Var(*var), &ty, width, outs)));
                    let place = self.placeholder(self.out.vars[*var].name, ty);
                    self.stand_for(&mut map, *var, Operand::Var(place));
                    lifted.vars.push(place);
                }
                if !differing.is_empty() {
                    let Some(Differing { pending, stms }) = rows else { return self.limit(span, Limit::BoxesFromOutside) };
                    self.shared_rows(&mut lifted, &mut differing, &mut map, stms, outs);
                    if differing.is_empty() {
                        lifted.elem = self.replaced(value, &map);
                        return Ok(Static::Lifted(Rc::new(lifted)));
                    }
                    pending.push(self.rows_of(&mut lifted, differing, &mut map, path.clone(), value.clone()));
                }
                lifted.elem = self.replaced(value, &map);
                Static::Lifted(Rc::new(lifted))
            }
        })
    }
    pub(super) fn lift_var(&mut self, operand: Operand, ty: &soac::Type, width: &Size, outs: &mut Vec<(Operand, Var)>) -> Var {
        let name = operand.var().map_or_else(|| Symbol::new("c"), |var| self.out.vars[var].name);
        let array = self.fresh(name, ty.framed(std::slice::from_ref(width)));
        outs.push((operand, array));
        array
    }

    /// The variables of closed blocks that a value mentions, sizes first.
    pub(super) fn inner_vars(&self, value: &Static) -> Vec<Var> {
        self.inner_vars_below(value, self.block.depth())
    }
    /// `inner_vars` for blocks deeper than this.
    pub(super) fn inner_vars_below(&self, value: &Static, depth: u32) -> Vec<Var> {
        let mut seen = std::cell::RefCell::new(Vec::new());
        let see = |var: Var| {
            if self.block.depth_of(var) > depth && !seen.borrow().contains(&var) {
                seen.borrow_mut().push(var);
            }
        };
        value.walk(
            &mut |a| {
                if let Operand::Var(var) = a {
                    see(var);
                    self.out.ty(var).shape.iter().flat_map(Size::vars).for_each(see);
                }
            },
            &mut |size| size.vars().for_each(see),
        );
        let mut vars = std::mem::take(seen.get_mut());
        // A stable sort: sizes first, else in the order of the walk.
        vars.sort_by_key(|var| self.out.ty(*var) != &soac::Type::scalar(PrimType::I64));
        vars
    }

    /// A map over a frame, one dimension after the other; the body sees the cells under their names.
    pub(super) fn map(&mut self, frame: &[Size], cells: Vec<(Symbol, Static)>, body: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let Some((width, inner)) = frame.split_first() else {
            let mut named = Vec::with_capacity(cells.len());
            for (name, cell) in cells {
                named.push((name, self.forced(cell, span)?));
            }
            let hidden = named.into_iter().map(|(name, cell)| (name, env.terms.insert(name, cell))).collect();
            let result = self.eval(body, env);
            restore(&mut env.terms, hidden);
            return result;
        };
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let (stms, value) = self.in_block(|this| {
            let mut arguments = Vec::with_capacity(cells.len());
            for (name, array) in &cells {
                let base = stem(*name);
                arguments.push((*name, this.waiting_cells(array, base, &mut inputs, &mut params, span)?));
            }
            this.map(inner, arguments, body, env, span)
        })?;
        let mut outs = Vec::new();
        let mut pending = Vec::new();
        let mut rows = Some(Differing { pending: &mut pending, stms: &stms });
        let value = self.lift(&value, width, &mut outs, &mut rows, &mut Vec::new(), span)?;
        let (result, pat): (Vec<Operand>, Vec<Var>) = outs.into_iter().unzip();
        if pat.is_empty() && pending.is_empty() && !stms.iter().any(|stm| stm.exp.may_fail()) {
            return Ok(value);
        }
        let stms = if pending.is_empty() { stms } else { self.without_rows(stms, &result) };
        let lambda = Lambda { params, body: Body { stms, result } };
        let soac = Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        // Where there is no cell, nothing has found out that there can be one.
        let mut sizes: Vec<Size> = pat.iter().flat_map(|var| self.out.ty(*var).cell(1).shape).collect();
        self.push(pat, Exp::Soac(soac), span)?;
        sizes.sort();
        sizes.dedup();
        sizes.iter().try_for_each(|size| self.check_natural(size, span))?;
        for rows in pending {
            self.make_rows(rows, width, span, &mut |this, inputs, params| {
                let mut arguments = Vec::with_capacity(cells.len());
                for (name, array) in &cells {
                    arguments.push((*name, this.waiting_cells(array, stem(*name), inputs, params, span)?));
                }
                this.map(inner, arguments, body, env, span)
            })?;
        }
        Ok(value)
    }

    /// `sum`, `product`, `maximum`, `minimum` of a vector.
    fn fold(&mut self, fold: FoldOp, vector: &Static, span: Span) -> Outcome<Static> {
        let (step, neutral) = (fold.step(), fold.identity());
        let fun = Static::Fun(Rc::new(Fun::Op(step, Vec::new())));
        let neutral = Static::Data(Operand::Const(neutral));
        let operator = self.operator(&fun, &neutral, true, span)?;
        self.reduction(operator, &neutral, vector, span)
    }

    /// Combines the cells of an array whose cells are no data, one after the other; as functions are followed, that is a loop or written out.
    pub(super) fn combined(&mut self, f: &Static, init: &Static, xs: &Static, width: &Size, span: Span) -> Outcome<Static> {
        let count = self.operand(width, span)?;
        self.first_combined(f, init, xs, (width, count), span)
    }
    /// Combines the first `count` cells of an array of size `width`.
    fn first_combined(&mut self, f: &Static, init: &Static, xs: &Static, (width, count): (&Size, Operand), span: Span) -> Outcome<Static> {
        let step = |this: &mut Self, total: Static, i: Operand| {
            let cell = this.element(xs, i, width, span)?;
            this.apply(f.clone(), vec![total, cell], span)
        };
        let mut run = |this: &mut Self, _: Part, state: &[Static], i: Option<Operand>| match (state, i) {
            ([total], Some(i)) => Ok(vec![step(this, total.clone(), i)?]),
            _ => this.broken(span, "a loop of another form"),
        };
        match (
            self.repeated(&[Symbol::new("total")], std::slice::from_ref(init), Some((Symbol::new("i"), count)), &mut run, span)?,
            self.size_of(count).as_constant(),
        ) {
            (Some(mut values), _) => Ok(values.remove(0)),
            (None, Some(n)) if (0..=super::loops::MAX_UNROLLED).contains(&n) => {
                (0..n).try_fold(init.clone(), |total, i| step(self, total, Operand::int(i)))
            }
            (None, _) => self.endless(span),
        }
    }

    /// What combining the cells of an array whose cells are no data comes to after each of them. Where their number is not known, each is
    /// combined anew.
    pub(super) fn combined_so_far(&mut self, f: &Static, init: &Static, xs: &Static, width: &Size, span: Span) -> Outcome<Static> {
        if let Some(n) = width.as_constant()
            && (1..=super::loops::MAX_UNROLLED).contains(&n)
        {
            let mut cells = vec![init.clone()];
            for i in 0..n {
                let cell = self.element(xs, Operand::int(i), width, span)?;
                let next = self.apply(f.clone(), vec![cells[cells.len() - 1].clone(), cell], span)?;
                cells.push(next);
            }
            return self.stack(std::slice::from_ref(width), &cells[1..], span);
        }
        let numbers = soac::Type { elem: PrimType::I64, shape: vec![width.clone()] };
        let numbers = self.bind("iota", numbers, Exp::Iota { start: Operand::int(1), step: Operand::int(1) }, span)?;
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let (stms, value) = self.in_block(|this| {
            let count = this.cells(&Static::Data(numbers), Symbol::new("count"), &mut inputs, &mut params, span)?;
            let count = this.scalar(&count, span)?;
            this.first_combined(f, init, xs, (width, count), span)
        })?;
        let mut outs = Vec::new();
        let value = self.lift(&value, width, &mut outs, &mut None, &mut Vec::new(), span)?;
        let (result, pat): (Vec<Operand>, Vec<Var>) = outs.into_iter().unzip();
        let lambda = Lambda { params, body: Body { stms, result } };
        let soac = Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        self.push(pat, Exp::Soac(soac), span)?;
        Ok(value)
    }

    /// Combines the cells of an array.
    pub(super) fn reduction(&mut self, operator: Operator, neutral: &Static, array: &Static, span: Span) -> Outcome<Static> {
        let (mut inputs, mut params, mut pat) = (Vec::new(), Vec::new(), Vec::new());
        let (stms, cell) = self.in_block(|this| {
            let cell = this.cells(array, Symbol::new("x"), &mut inputs, &mut params, span)?;
            this.leaves(&cell, span)
        })?;
        let result = self.like(neutral, "total", span, &mut pat)?;
        let Some(width) = inputs.first().map(|var| self.out.ty(*var).shape[0].clone()) else { return Ok(result) };
        let lambda = Lambda { params, body: Body { stms, result: cell } };
        let soac = Soac { width, inputs, lambda, scans: Vec::new(), reduces: vec![operator] };
        self.push(pat, Exp::Soac(soac), span)?;
        Ok(result)
    }
}

/// Where cells of different sizes are noted, and what makes them.
struct Differing<'a> {
    pending: &'a mut Vec<Pending>,
    stms: &'a [Stm],
}

/// Whether an operator is one scalar operation that is known to be commutative.
fn is_commutative(lambda: &Lambda) -> bool {
    match (lambda.body.stms.as_slice(), lambda.params.as_slice()) {
        ([Stm { exp: Exp::Scalar(op, args), .. }], [a, b]) => {
            let commutes = matches!(op.op, Op::Add | Op::Mul | Op::Min | Op::Max | Op::And | Op::Or | Op::Xor);
            let both = *args == [Operand::Var(*a), Operand::Var(*b)] || *args == [Operand::Var(*b), Operand::Var(*a)];
            commutes && both
        }
        _ => false,
    }
}
