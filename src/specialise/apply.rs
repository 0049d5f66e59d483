//! Application and instantiation of functions.

use super::types::restore;
use super::values::{Atom, Fun, IndexValue, Lifted, Renaming, Static};
use super::{Outcome, Specialiser};
use crate::base::scalar::{FoldOp, Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{ExprKind, prims};
use crate::ir::soac::{self, Body, Exp, Lambda, Operand, Operator, Size, Soac, Var};
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
                let result = self.eval(body, &mut env)?;
                self.apply(result, new.collect(), span)
            }
            Fun::Poly { .. } => self.broken(span, "a polymorphic function without its type arguments"),
            Fun::Global { name, indices, types, args } => {
                let args = args.iter().cloned().chain(new).collect();
                self.apply_global(*name, indices, types, args, span)
            }
            Fun::Prim { name, indices, types, args } => {
                let mut args: Vec<Static> = args.clone();
                let arity = self.prim_arity(*name, span)?;
                let missing = arity.saturating_sub(args.len());
                let mut new = new.into_iter();
                args.extend(new.by_ref().take(missing));
                if args.len() < arity {
                    let fun = Fun::Prim { name: *name, indices: indices.clone(), types: types.clone(), args };
                    return Ok(Static::Fun(Rc::new(fun)));
                }
                let result = self.prim(*name, indices, types, args, span)?;
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
                let (then, x) = self.in_block(|this| this.apply(a, new.clone(), span))?;
                let (els, y) = self.in_block(|this| this.apply(b, new, span))?;
                self.merge(cond, (then, x), (els, y), span)
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
                Fun::Prim { name, indices: i0, types: t0, args } if args.is_empty() => {
                    let (indices, types) = ([i0, &indices[..]].concat(), [t0, &types[..]].concat());
                    Ok(Static::Fun(Rc::new(Fun::Prim { name: *name, indices, types, args: Vec::new() })))
                }
                Fun::Fold(fold) => Ok(Static::Fun(Rc::new(Fun::Fold(*fold)))),
                Fun::Poly { expr, env } => {
                    let (mut env, mut expr) = (env.clone(), expr.clone());
                    let (mut indices, mut types) = (indices.into_iter(), types.into_iter());
                    loop {
                        let next = match expr.kind() {
                            ExprKind::IFn { params, body } if indices.len() > 0 => {
                                env.indices.extend(params.iter().copied().zip(indices.by_ref()));
                                body.clone()
                            }
                            ExprKind::TFn { params, body } if types.len() > 0 => {
                                env.types.extend(params.iter().copied().zip(types.by_ref()));
                                body.clone()
                            }
                            _ => break,
                        };
                        expr = next;
                    }
                    let result = self.eval(&expr, &mut env)?;
                    if indices.len() + types.len() > 0 {
                        return self.instantiate(result, types.collect(), indices.collect(), span);
                    }
                    Ok(result)
                }
                Fun::Choice(cond, a, b) => {
                    let (a, b) = (a.clone(), b.clone());
                    let a = self.instantiate(a, types.clone(), indices.clone(), span)?;
                    let b = self.instantiate(b, types, indices, span)?;
                    match (&a, &b) {
                        (Static::Fun(_), Static::Fun(_)) => Ok(Static::Fun(Rc::new(Fun::Choice(*cond, a, b)))),
                        _ => self.limit(span, "a choice of polymorphic values that are no functions is not compiled"),
                    }
                }
                _ => self.broken(span, "a polymorphic function was expected"),
            },
            _ => self.broken(span, "a polymorphic function was expected"),
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
            self.sizes.insert(var, size);
        }
        Ok(result)
    }

    /// The operation of this type with this name.
    pub(super) fn op(&self, prim: PrimType, name: &str, span: Span) -> Outcome<ScalarOp> {
        match crate::base::scalar::member(prim, name) {
            Some(crate::base::scalar::Member::Op(op)) => Ok(op),
            _ => self.broken(span, &format!("{prim} has no {name}")),
        }
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
        Ok(match array {
            Static::Data(Operand::Var(var)) if self.out.ty(*var).rank() > 0 => {
                let ty = self.out.ty(*var).cell(1);
                let param = self.fresh(name, ty);
                inputs.push(*var);
                params.push(param);
                Static::Data(Operand::Var(param))
            }
            Static::Tuple(parts) => {
                Static::Tuple(parts.iter().map(|part| self.cells(part, name, inputs, params, span)).collect::<Outcome<_>>()?)
            }
            Static::Record(parts) => {
                let parts = parts.iter().map(|(label, part)| Ok((*label, self.cells(part, name, inputs, params, span)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            Static::Lifted(lifted) => {
                let mut map = Renaming::default();
                for (var, array) in lifted.vars.iter().zip(&lifted.arrays) {
                    let cell = self.cells(&Static::Data(*array), self.out.vars[*var].name, inputs, params, span)?;
                    self.stand_for(&mut map, *var, self.scalar(&cell, span)?);
                }
                lifted.elem.rename(&map)
            }
            Static::Data(_) | Static::Fun(_) | Static::Box(_) => return self.broken(span, "an array was expected"),
        })
    }

    /// Lets an operand take the place of a variable.
    pub(super) fn stand_for(&self, map: &mut Renaming, var: Var, operand: Operand) {
        map.operands.insert(var, operand);
        if self.out.ty(var) == &soac::Type::scalar(PrimType::I64) {
            map.sizes.insert(var, self.size_of(operand));
        }
    }

    /// The results of a soac that maps something to `value` for each of `width` cells.
    pub(super) fn lift(&mut self, value: &Static, width: &Size, outs: &mut Vec<(Operand, Var)>, span: Span) -> Outcome<Static> {
        let frame = std::slice::from_ref(width);
        Ok(match value {
            Static::Data(a) => {
                let ty = self.ty(*a);
                if self.mentions_inner(&ty) {
                    return self.limit(span, "the cells of this map have different sizes; that is not compiled yet");
                }
                match a.var() {
                    Some(var) if self.is_inner(var) => Static::Data(Operand::Var(self.lift_var(*a, &ty, width, outs))),
                    // The same for all cells.
                    _ => Static::Data(self.bind("rep", ty.framed(frame), Exp::Rep(*a), span)?),
                }
            }
            Static::Tuple(parts) => Static::Tuple(parts.iter().map(|part| self.lift(part, width, outs, span)).collect::<Outcome<_>>()?),
            Static::Record(parts) => {
                let parts = parts.iter().map(|(label, part)| Ok((*label, self.lift(part, width, outs, span)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            Static::Fun(_) | Static::Lifted(_) => {
                let vars = self.inner_vars(value);
                let (mut arrays, mut places, mut map) = (Vec::new(), Vec::new(), Renaming::default());
                for &var in &vars {
                    let ty = self.out.ty(var).clone();
                    if self.mentions_inner(&ty) {
                        return self.limit(span, "a function in an array holds arrays of different sizes; that is not compiled yet");
                    }
                    arrays.push(Operand::Var(self.lift_var(Operand::Var(var), &ty, width, outs)));
                    let place = self.placeholder(self.out.vars[var].name, ty);
                    self.stand_for(&mut map, var, Operand::Var(place));
                    places.push(place);
                }
                Static::Lifted(Rc::new(Lifted { width: width.clone(), vars: places, arrays, elem: value.rename(&map) }))
            }
            Static::Box(_) => return self.limit(span, "an array of boxes (arrays of different sizes) is not compiled yet"),
        })
    }
    fn lift_var(&mut self, operand: Operand, ty: &soac::Type, width: &Size, outs: &mut Vec<(Operand, Var)>) -> Var {
        let name = operand.var().map_or_else(|| Symbol::new("c"), |var| self.out.vars[var].name);
        let array = self.fresh(name, ty.framed(std::slice::from_ref(width)));
        outs.push((operand, array));
        array
    }

    /// The variables of closed blocks that a value mentions, sizes first.
    pub(super) fn inner_vars(&self, value: &Static) -> Vec<Var> {
        let mut seen = std::cell::RefCell::new(Vec::new());
        let see = |var: Var| {
            if self.is_inner(var) && !seen.borrow().contains(&var) {
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

    /// A map along one dimension.
    fn map_level(&mut self, frame: &[Size], cells: Vec<(Symbol, Static)>, run: &mut CellWork<'_, Self>, span: Span) -> Outcome<Static> {
        let Some((width, inner)) = frame.split_first() else { return run(self, cells) };
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let (stms, value) = self.in_block(|this| {
            let mut arguments = Vec::with_capacity(cells.len());
            for (name, array) in &cells {
                let base = Symbol::new(name.as_str().split('.').next().unwrap_or("x"));
                arguments.push((*name, this.cells(array, base, &mut inputs, &mut params, span)?));
            }
            this.map_level(inner, arguments, run, span)
        })?;
        let mut outs = Vec::new();
        let value = self.lift(&value, width, &mut outs, span)?;
        let (result, pat): (Vec<Operand>, Vec<Var>) = outs.into_iter().unzip();
        if pat.is_empty() && !stms.iter().any(|stm| stm.exp.may_fail()) {
            return Ok(value);
        }
        let lambda = Lambda { params, body: Body { stms, result } };
        let soac = Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        self.push(pat, Exp::Soac(soac), span)?;
        Ok(value)
    }

    /// A map over a frame; the body sees the cells under their names.
    pub(super) fn map(
        &mut self,
        frame: &[Size],
        cells: Vec<(Symbol, Static)>,
        body: &crate::ir::core::Expr,
        env: &mut super::values::Env,
        span: Span,
    ) -> Outcome<Static> {
        self.map_level(
            frame,
            cells,
            &mut |this, cells| {
                let hidden = cells.into_iter().map(|(name, cell)| (name, env.terms.insert(name, cell))).collect();
                let result = this.eval(body, env);
                restore(&mut env.terms, hidden);
                result
            },
            span,
        )
    }

    /// `sum`, `product`, `maximum`, `minimum` of a vector.
    fn fold(&mut self, fold: FoldOp, vector: &Static, span: Span) -> Outcome<Static> {
        let (step, neutral) = (fold.step(), fold.identity());
        let fun = Static::Fun(Rc::new(Fun::Op(step, Vec::new())));
        let neutral = Static::Data(Operand::Const(neutral));
        let operator = self.operator(&fun, &neutral, true, span)?;
        self.reduction(operator, &neutral, vector, span)
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

    pub(super) fn prim_arity(&self, name: Symbol, span: Span) -> Outcome<usize> {
        use crate::ir::core::Atom as A;
        let Some(mut ty) = prims::type_of(name) else { return self.broken(span, &format!("`{name}` is not known")) };
        loop {
            let next = match ty.atom() {
                A::Pi(_, body) | A::Forall(_, body) => body.clone(),
                A::Fun(params, _) => return Ok(params.len()),
                _ => return Ok(0),
            };
            ty = next;
        }
    }
}

/// What is done with named cells.
type CellWork<'a, S> = dyn FnMut(&mut S, Vec<(Symbol, Static)>) -> Outcome<Static> + 'a;

/// Whether an operator is one scalar operation that is known to be commutative.
fn is_commutative(lambda: &Lambda) -> bool {
    match (lambda.body.stms.as_slice(), lambda.params.as_slice()) {
        ([stm], [a, b]) => match &stm.exp {
            Exp::Scalar(op, args) => {
                let commutes = matches!(op.op, Op::Add | Op::Mul | Op::Min | Op::Max | Op::And | Op::Or | Op::Xor);
                let both = *args == [Operand::Var(*a), Operand::Var(*b)] || *args == [Operand::Var(*b), Operand::Var(*a)];
                commutes && both
            }
            _ => false,
        },
        _ => false,
    }
}
