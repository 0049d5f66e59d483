//! Expressions of core as static values, with the statements that compute their data.

use super::error::Limit;
use super::types::restore;
use super::values::{Atom, Env, Fun, IndexValue, Label, Lifted, Sigma, Static, Type};
use super::{Outcome, Specialiser, stem, values};
use crate::base::scalar::Member;
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{self, Expr, ExprKind, Primitive, ShapeItem};
use crate::ir::soac::{self, Check, Exp, Operand, Size};
use std::rc::Rc;

impl Specialiser<'_> {
    /// The value of an expression; what depends on data is added to the block.
    pub(super) fn eval(&mut self, expr: &Expr, env: &mut Env) -> Outcome<Static> {
        let attributes = self.plan.attributes();
        if attributes.regions.is_empty() {
            return self.eval_here(expr, env);
        }
        self.in_attributes(attributes.around(expr.span()), |this| this.eval_here(expr, env))
    }

    fn eval_here(&mut self, expr: &Expr, env: &mut Env) -> Outcome<Static> {
        let span = expr.span();
        match expr.kind() {
            ExprKind::Var(name) => self.variable(*name, env, span),
            ExprKind::Lit(value) => Ok(Static::Data(Operand::Const(*value))),
            ExprKind::Array { dims, elem, items } => self.literal(dims, *elem, items, span),
            ExprKind::Frame { dims, cell, cells } => self.frame(dims, cell, cells, env, span),
            ExprKind::App { fun, args } => {
                let fun = self.eval(fun, env)?;
                let args = args.iter().map(|arg| self.eval(arg, env)).collect::<Outcome<_>>()?;
                self.apply(fun, args, span)
            }
            ExprKind::Inst { fun, types, indices } => {
                let fun = self.eval(fun, env)?;
                let types = types.iter().map(|atom| self.atom(atom, env, span)).collect::<Outcome<Vec<_>>>()?;
                let indices = indices.iter().map(|index| self.index(index, env, span)).collect::<Outcome<Vec<_>>>()?;
                self.instantiate(fun, types, indices, span)
            }
            ExprKind::Fn { params, body, .. } => {
                let env = self.captured(expr, env);
                let params = params.iter().map(|(name, _)| *name).collect();
                Ok(Static::Fun(Rc::new(Fun::Closure { params, body: body.clone(), env, args: Vec::new() })))
            }
            ExprKind::IFn { .. } | ExprKind::TFn { .. } => {
                let env = self.captured(expr, env);
                Ok(Static::Fun(Rc::new(Fun::Poly { expr: expr.clone(), env })))
            }
            ExprKind::Let { name, rhs, body, .. } => {
                let rhs = self.eval(rhs, env)?;
                let rhs = self.named(rhs, *name);
                let hidden = vec![(*name, env.terms.insert(*name, rhs))];
                let result = self.eval(body, env);
                restore(&mut env.terms, hidden);
                result
            }
            ExprKind::If { cond, then, els } => self.conditional(cond, then, els, env, span),
            ExprKind::Loop { params, form, body } => self.looping(params, form, body, env, span),
            ExprKind::Map { frame, args, body } => {
                let mut cells = Vec::with_capacity(args.len());
                let (args, body) = self.with_rows_inside(args, body);
                for (name, arg) in &args {
                    cells.push((*name, self.eval(arg, env)?));
                }
                let frame = self.shape(frame, env, span)?;
                if cells.is_empty() {
                    frame.iter().try_for_each(|size| self.check_natural(size, span))?;
                }
                self.map(&frame, cells, &body, env, span)
            }
            ExprKind::Rep { frame, arg } => {
                let arg = self.eval(arg, env)?;
                let frame = self.shape(frame, env, span)?;
                frame.iter().try_for_each(|size| self.check_natural(size, span))?;
                self.replicate(&frame, arg, span)
            }
            ExprKind::Tuple(parts) => Ok(Static::Tuple(parts.iter().map(|part| self.eval(part, env)).collect::<Outcome<_>>()?)),
            ExprKind::Record(fields) => {
                let field = |(label, part): &(Symbol, Expr)| Ok((Label::Field(*label), self.eval(part, env)?));
                Ok(Static::Record(fields.iter().map(field).collect::<Outcome<_>>()?))
            }
            ExprKind::Proj(k, inner) => match self.eval(inner, env)? {
                Static::Tuple(parts) if *k < parts.len() => Ok(parts[*k].clone()),
                Static::Data(_) | Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                    self.broken(span, "a tuple was expected")
                }
            },
            ExprKind::Field(label, inner) => match self.eval(inner, env)? {
                Static::Record(fields) => match fields.iter().find(|(name, _)| *name == Label::Field(*label)) {
                    Some((_, value)) => Ok(value.clone()),
                    None => self.broken(span, "a record without this field"),
                },
                Static::Data(_) | Static::Tuple(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                    self.broken(span, "a record was expected")
                }
            },
            ExprKind::Inject { label, ty, payload } => self.injection(*label, ty, payload, env, span),
            ExprKind::Is(label, sum) => self.is_made_by(*label, sum, env, span),
            ExprKind::Payload(label, sum) => self.payload(*label, sum, env, span),
            ExprKind::Box { indices, ty, body } => self.box_up(indices, ty, body, env, span),
            ExprKind::Unbox { boxed, value, indices, body } => self.unbox(boxed, *value, indices, body, env, span),
            ExprKind::ReifyDim(dim) => {
                let size = self.dim(dim, env, span)?;
                Ok(Static::Data(self.operand(&size, span)?))
            }
            ExprKind::ReifyShape(shape) => self.reify_shape(shape, env, span),
            ExprKind::Coerce { ty, expr: inner } => self.coercion(expr, ty, inner, env),
            ExprKind::Assert { cond, message, expr } => {
                let cond = self.eval(cond, env)?;
                let cond = self.scalar(&cond, span)?;
                if cond != Operand::Const(Scalar::Bool(true)) {
                    self.push(Vec::new(), Exp::Check(Check::Assert(cond, *message)), span)?;
                }
                self.eval(expr, env)
            }
        }
    }

    /// A coercion of `inner`, which is `expr` as a whole.
    fn coercion(&mut self, expr: &Expr, ty: &core::Type, inner: &Expr, env: &mut Env) -> Outcome<Static> {
        let span = expr.span();
        let value = self.eval(inner, env)?;
        let ty = self.resolve(ty, env, span)?;
        if ty.has_hollow(false) {
            let found = match self.free.coerced(expr).cloned() {
                Some(found) => self.resolve(&found, env, span)?,
                None => return self.limit(span, Limit::Hollow),
            };
            self.coerce_hollow(&found, &ty, (&[], &[]), span)?;
        }
        self.coerce(&value, &ty, &[], span)
    }

    /// The environment of a closure: what its free names are.
    pub(super) fn captured(&mut self, expr: &Expr, env: &Env) -> Env {
        env.only(&self.free.of(expr))
    }

    /// Gives the variable that was just bound the name that the program has for it.
    fn named(&mut self, value: Static, name: Symbol) -> Static {
        if let Static::Data(Operand::Var(var)) = value
            && self.block.last().is_some_and(|stm| stm.pat == [var])
        {
            self.out.vars[var].name = stem(name);
        }
        value
    }

    fn variable(&mut self, name: Symbol, env: &Env, span: Span) -> Outcome<Static> {
        if let Some(value) = env.terms.get(&name) {
            return Ok(value.clone());
        }
        if self.plan.find(name).is_some() {
            return self.global(name, span);
        }
        let fun = match Primitive::find(name) {
            Some(Primitive::Member(Member::Constant(value))) => return Ok(Static::Data(Operand::Const(value))),
            Some(Primitive::Member(Member::Op(op))) => Fun::Op(op, Vec::new()),
            Some(Primitive::Member(Member::Fold(fold))) => Fun::Fold(fold),
            Some(Primitive::Prim(prim)) => Fun::Prim { prim, indices: Vec::new(), types: Vec::new(), args: Vec::new() },
            None => return self.broken(span, &format!("`{name}` is not known")),
        };
        Ok(Static::Fun(Rc::new(fun)))
    }

    fn literal(&mut self, dims: &[u64], elem: PrimType, items: &[Scalar], span: Span) -> Outcome<Static> {
        if let ([], [item]) = (dims, items) {
            return Ok(Static::Data(Operand::Const(*item)));
        }
        let shape = dims.iter().map(|n| Size::constant(*n as i64)).collect();
        let array = self.bind("literal", soac::Type { elem, shape }, Exp::Literal(items.to_vec()), span)?;
        Ok(Static::Data(array))
    }

    fn frame(&mut self, dims: &[u64], cell: &core::Type, cells: &[Expr], env: &mut Env, span: Span) -> Outcome<Static> {
        let cells = cells.iter().map(|cell| self.eval(cell, env)).collect::<Outcome<Vec<_>>>()?;
        let shape: Vec<Size> = dims.iter().map(|n| Size::constant(*n as i64)).collect();
        if cells.is_empty() {
            let ty = self.resolve(cell, env, span)?;
            self.check_sizes(&ty, span)?;
            if !ty.is_data() {
                let none = self.nothing(cell, env, span)?;
                return self.replicate(&shape, none, span);
            }
            return self.empty(&ty, &shape, span);
        }
        self.stack(&shape, &cells, span)
    }

    /// Checks that there can be arrays of all sizes in a type: where there is no cell, nothing has found that out. Nothing depends on those of
    /// arrays without elements.
    fn check_sizes(&mut self, ty: &Type, span: Span) -> Outcome<()> {
        if !has_leaves(ty) {
            return Ok(());
        }
        ty.shape.iter().try_for_each(|size| self.check_natural(size, span))?;
        match &ty.atom {
            Atom::Tuple(parts) => parts.iter().try_for_each(|part| self.check_sizes(part, span)),
            Atom::Record(parts) => parts.iter().try_for_each(|(_, part)| self.check_sizes(part, span)),
            Atom::Prim(_) | Atom::Sigma(_) | Atom::Fun => Ok(()),
        }
    }

    /// The array of this type with `frame` in front of its shape, which has a 0 in it.
    fn empty(&mut self, ty: &Type, frame: &[Size], span: Span) -> Outcome<Static> {
        let shape = [frame, &ty.shape].concat();
        Ok(match &ty.atom {
            Atom::Prim(elem) => Static::Data(self.bind("empty", soac::Type { elem: *elem, shape }, Exp::Literal(Vec::new()), span)?),
            Atom::Tuple(parts) => Static::Tuple(parts.iter().map(|part| self.empty(part, &shape, span)).collect::<Outcome<_>>()?),
            Atom::Record(parts) => {
                let field = |(label, part): &(Label, Type)| Ok((*label, self.empty(part, &shape, span)?));
                Static::Record(parts.iter().map(field).collect::<Outcome<_>>()?)
            }
            Atom::Sigma(_) => {
                let cell = self.blank(&Type { shape: Vec::new(), atom: ty.atom.clone() }, &[], span)?;
                self.replicate(&shape, cell, span)?
            }
            Atom::Fun => return self.limit(span, Limit::NoFunctions),
        })
    }

    /// The array of these cells; at least one.
    pub(super) fn stack(&mut self, frame: &[Size], cells: &[Static], span: Span) -> Outcome<Static> {
        if frame.is_empty() {
            return Ok(cells[0].clone());
        }
        let function = cells.iter().find(|cell| matches!(cell, Static::Fun(_) | Static::Lifted(_) | Static::Box(_)));
        Ok(match function.unwrap_or(&cells[0]) {
            Static::Data(first) => {
                let mut operands = Vec::with_capacity(cells.len());
                for cell in cells {
                    match cell {
                        Static::Data(a) => operands.push(*a),
                        Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                            return self.broken(span, "cells of different kinds");
                        }
                    }
                }
                let ty = self.ty(*first).framed(frame);
                let constants: Option<Vec<Scalar>> =
                    operands.iter().map(|a| if let Operand::Const(scalar) = a { Some(*scalar) } else { None }).collect();
                let exp = constants.map_or_else(|| Exp::Stack(operands), Exp::Literal);
                Static::Data(self.bind("stack", ty, exp, span)?)
            }
            Static::Tuple(parts) => {
                let parts = (0..parts.len()).map(|k| {
                    let part = cells.iter().map(|cell| match cell {
                        Static::Tuple(parts) if k < parts.len() => Ok(parts[k].clone()),
                        Static::Data(_) | Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                            self.broken(span, "cells of different kinds")
                        }
                    });
                    let part = part.collect::<Outcome<Vec<_>>>()?;
                    self.stack(frame, &part, span)
                });
                Static::Tuple(parts.collect::<Outcome<_>>()?)
            }
            Static::Record(parts) => {
                let parts = (0..parts.len()).map(|k| {
                    let part = cells.iter().map(|cell| match cell {
                        Static::Record(parts) if k < parts.len() => Ok(parts[k].1.clone()),
                        Static::Data(_) | Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                            self.broken(span, "cells of different kinds")
                        }
                    });
                    let part = part.collect::<Outcome<Vec<_>>>()?;
                    Ok((parts[k].0, self.stack(frame, &part, span)?))
                });
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            Static::Fun(_) | Static::Lifted(_) | Static::Box(_) => self.stack_functions(frame, cells, span)?,
        })
    }

    /// Functions or boxes in an array literal: a choice by the index, in halves.
    fn stack_functions(&mut self, frame: &[Size], cells: &[Static], span: Span) -> Outcome<Static> {
        let (Some(width), inner) = (frame[0].as_constant().and_then(|n| usize::try_from(n).ok()), &frame[1..]) else {
            return self.broken(span, "a frame of unknown size");
        };
        let rows = cells.chunks(cells.len() / width.max(1)).map(|row| self.stack(inner, row, span)).collect::<Outcome<Vec<_>>>()?;
        let ty = soac::Type::scalar(PrimType::I64);
        let mut arrays = Vec::new();
        let mut vars = Vec::new();
        // One array of truth values for each choice: whether the cell is in the upper half of what is left.
        let elem = self.choose(&rows, (0, width), span, &mut |this: &mut Self, middle| {
            let items = (0..width).map(|i| Scalar::Bool(i < middle)).collect();
            let bools = soac::Type { elem: PrimType::Bool, shape: vec![Size::constant(width as i64)] };
            arrays.push(this.bind("which", bools, Exp::Literal(items), span)?);
            let var = this.placeholder(Symbol::new("which"), soac::Type { elem: PrimType::Bool, ..ty.clone() });
            vars.push(var);
            Ok(Operand::Var(var))
        })?;
        Ok(Static::Lifted(Rc::new(Lifted { vars, arrays, ..Lifted::same(frame[0].clone(), elem) })))
    }
    fn choose(
        &mut self,
        rows: &[Static],
        (from, to): (usize, usize),
        span: Span,
        below: &mut dyn FnMut(&mut Self, usize) -> Outcome<Operand>,
    ) -> Outcome<Static> {
        if to - from == 1 {
            return Ok(rows[from].clone());
        }
        let middle = from.midpoint(to);
        let cond = below(self, middle)?;
        let (low, high) = (self.choose(rows, (from, middle), span, below)?, self.choose(rows, (middle, to), span, below)?);
        self.either(cond, low, high, span)
    }

    /// An array all of whose cells are the value.
    pub(super) fn replicate(&mut self, frame: &[Size], value: Static, span: Span) -> Outcome<Static> {
        if frame.is_empty() {
            return Ok(value);
        }
        match value {
            Static::Fun(_) | Static::Lifted(_) | Static::Box(_) => {
                let elem = self.replicate(&frame[1..], value, span)?;
                Ok(Static::Lifted(Rc::new(Lifted::same(frame[0].clone(), elem))))
            }
            Static::Tuple(parts) => {
                Ok(Static::Tuple(parts.iter().map(|part| self.replicate(frame, part.clone(), span)).collect::<Outcome<_>>()?))
            }
            Static::Record(parts) => {
                let part = |(label, part): &(Label, Static)| Ok((*label, self.replicate(frame, part.clone(), span)?));
                Ok(Static::Record(parts.iter().map(part).collect::<Outcome<_>>()?))
            }
            Static::Data(a) => {
                let ty = self.ty(a).framed(frame);
                Ok(Static::Data(self.bind("rep", ty, Exp::Rep(a), span)?))
            }
        }
    }

    fn box_up(&mut self, indices: &[(Symbol, core::Index)], ty: &core::Type, body: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let mut sizes = Vec::with_capacity(indices.len());
        for (_, index) in indices {
            match self.index(index, env, span)? {
                IndexValue::Dim(size) => sizes.push(size),
                IndexValue::Shape(_) => return self.limit(span, Limit::UnknownRank),
            }
        }
        let names = indices.iter().map(|(name, _)| *name).collect();
        let sigma = core::Type::scalar(core::Atom::Sigma(names, ty.clone()));
        let sigma = self.resolve(&sigma, env, span)?;
        let value = self.eval(body, env)?;
        self.boxed(sizes, value, &sigma, span)
    }

    fn unbox(&mut self, boxed: &Expr, value: Symbol, indices: &[Symbol], body: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let Static::Box(content) = self.eval(boxed, env)? else { return self.broken(span, "a box was expected") };
        let hidden_terms = vec![(value, env.terms.insert(value, content.value.clone()))];
        let mut hidden = Vec::with_capacity(indices.len());
        for (name, index) in indices.iter().zip(&content.indices) {
            hidden.push((*name, env.indices.insert(*name, index.clone())));
        }
        let result = self.eval(body, env);
        restore(&mut env.indices, hidden);
        restore(&mut env.terms, hidden_terms);
        result
    }

    fn reify_shape(&mut self, shape: &core::Shape, env: &mut Env, span: Span) -> Outcome<Static> {
        let open = shape.items.iter().any(|item| matches!(item, ShapeItem::Var(_)));
        let sizes = self.shape(shape, env, span)?;
        let rank = Size::constant(sizes.len() as i64);
        let operands = sizes.iter().map(|size| self.operand(size, span)).collect::<Outcome<Vec<_>>>()?;
        let ty = soac::Type { elem: PrimType::I64, shape: vec![rank.clone()] };
        let exp = if operands.is_empty() { Exp::Literal(Vec::new()) } else { Exp::Stack(operands) };
        let vector = Static::Data(self.bind("shape", ty, exp, span)?);
        if !open {
            return Ok(vector);
        }
        let param = self.placeholder(Symbol::new("n"), soac::Type::scalar(PrimType::I64));
        let body = Type { shape: vec![Size::var(param)], atom: Atom::Prim(PrimType::I64) };
        let sigma = Rc::new(Sigma { params: vec![param], body });
        let indices = vec![IndexValue::Dim(rank)];
        Ok(Static::Box(Rc::new(values::BoxValue { indices, value: vector, sigma })))
    }

    /// Compares the sizes of arrays of empty tuples and records, which have no components that could tell their sizes, by their types. `frames`
    /// stand in front of the shapes.
    fn coerce_hollow(&mut self, found: &Type, wanted: &Type, frames: (&[Size], &[Size]), span: Span) -> Outcome<()> {
        let (outer, inner) = ((frames.0, frames.1), (&found.shape[..], &wanted.shape[..]));
        let (from, to) = ([outer.0, inner.0].concat(), [outer.1, inner.1].concat());
        let pairs: Vec<(&Type, &Type)> = match (&found.atom, &wanted.atom) {
            (Atom::Tuple(xs), Atom::Tuple(ys)) if xs.len() == ys.len() => xs.iter().zip(ys.iter()).collect(),
            (Atom::Record(xs), Atom::Record(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys.iter()).map(|((_, x), (_, y))| (x, y)).collect()
            }
            (Atom::Sigma(_), Atom::Sigma(sigma)) if sigma.body.has_hollow(!to.is_empty()) => return self.limit(span, Limit::Hollow),
            (Atom::Prim(_), Atom::Prim(_)) | (Atom::Fun, Atom::Fun) | (Atom::Sigma(_), Atom::Sigma(_)) => return Ok(()),
            _ => return self.broken(span, "a coercion to another type"),
        };
        if pairs.is_empty() {
            for (found, wanted) in [outer, inner] {
                if found != wanted {
                    self.push(Vec::new(), Exp::Check(Check::Coerce(found.to_vec(), wanted.to_vec())), span)?;
                }
            }
        }
        pairs.into_iter().try_for_each(|(x, y)| self.coerce_hollow(x, y, (&from, &to), span))
    }

    /// The value with the sizes of the type, which are compared with its own where they are not the same by themselves.
    fn coerce(&mut self, value: &Static, ty: &Type, frame: &[Size], span: Span) -> Outcome<Static> {
        let shape = [frame, &ty.shape].concat();
        Ok(match (value, &ty.atom) {
            (Static::Data(a), Atom::Prim(elem)) => {
                let found = self.ty(*a).shape;
                if found == shape || found.len() != shape.len() {
                    return Ok(value.clone());
                }
                let (outer, inner) = found.split_at(frame.len());
                for (found, wanted) in [(outer, frame), (inner, &ty.shape)] {
                    if found != wanted {
                        self.push(Vec::new(), Exp::Check(Check::Coerce(found.to_vec(), wanted.to_vec())), span)?;
                    }
                }
                let Operand::Var(var) = a else { return Ok(value.clone()) };
                Static::Data(self.bind("coerced", soac::Type { elem: *elem, shape }, Exp::Coerce(*var), span)?)
            }
            (Static::Tuple(parts), Atom::Tuple(types)) if parts.len() == types.len() => {
                let parts = parts.iter().zip(types.iter()).map(|(part, ty)| self.coerce(part, ty, &shape, span));
                Static::Tuple(parts.collect::<Outcome<_>>()?)
            }
            (Static::Record(parts), Atom::Record(types)) if parts.len() == types.len() => {
                let parts =
                    parts.iter().zip(types.iter()).map(|((label, part), (_, ty))| Ok((*label, self.coerce(part, ty, &shape, span)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            (Static::Lifted(lifted), _) if shape.len() == 1 => {
                if lifted.width == shape[0] {
                    return Ok(value.clone());
                }
                self.push(Vec::new(), Exp::Check(Check::Coerce(vec![lifted.width.clone()], shape.clone())), span)?;
                self.on_arrays(value, &shape[0], span, &mut |this, a| {
                    let mut ty = this.ty(a);
                    ty.shape[0] = shape[0].clone();
                    let array = this.array(a, span)?;
                    this.bind("coerced", ty, Exp::Coerce(array), span)
                })?
            }
            (Static::Lifted(rows), _) if let ([n, m], Static::Lifted(row)) = (shape.as_slice(), &rows.elem) => {
                let found = vec![rows.width.clone(), row.width.clone()];
                if found == shape {
                    return Ok(value.clone());
                }
                self.push(Vec::new(), Exp::Check(Check::Coerce(found, shape.clone())), span)?;
                let cells = self.flat_functions(rows, span)?;
                let width = n.mul(m);
                let cells = self.on_arrays(&cells, &width, span, &mut |this, a| {
                    let mut ty = this.ty(a);
                    ty.shape[0] = width.clone();
                    let array = this.array(a, span)?;
                    this.bind("coerced", ty, Exp::Coerce(array), span)
                })?;
                let Static::Lifted(cells) = &cells else { return self.broken(span, "an array of functions was expected") };
                self.functions_in_rows(cells, n, m, span)?
            }
            (Static::Lifted(_), _) => {
                return self.limit(span, Limit::FunctionsOfSize);
            }
            _ => value.clone(),
        })
    }

    /// A value that is a scalar.
    pub(super) fn scalar(&self, value: &Static, span: Span) -> Outcome<Operand> {
        match value {
            Static::Data(operand) => Ok(*operand),
            Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                self.broken(span, "a scalar was expected")
            }
        }
    }
}

/// Whether there is anything in values of a type.
fn has_leaves(ty: &Type) -> bool {
    match &ty.atom {
        Atom::Prim(_) | Atom::Sigma(_) | Atom::Fun => true,
        Atom::Tuple(parts) => parts.iter().any(has_leaves),
        Atom::Record(parts) => parts.iter().any(|(_, part)| has_leaves(part)),
    }
}
