//! Core expressions to [`Node`]: names become slots, primitives are looked up, the types that empty arrays need are worked out.
//!
//! Types are trusted: core has been checked. Ill-formed core gives a failure with code E0599, never a panic.

use super::code::{Callee, Function, Loop, Map, Node, PrimCall, Slot, Unbox};
use super::scope::{Scope, Space, UNKNOWN, is_scalar};
use super::types::{Names, Replace, replace, replace_atom, replace_dim, replace_shape};
use super::{Failure, Outcome, code, live};
use crate::base::scalar::{Member, Op, ScalarOp};
use crate::base::{Code, PrimType, Scalar, Span, Symbol};
use crate::interp::arrays::natural;
use crate::ir::core::prims::{self, Primitive};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, ExprKind, Index, LoopForm, LoopParam, Shape, ShapeItem, Type, is_shape};
use crate::runtime::{Array, Buffer, Cells, Value};
use std::sync::Arc;

/// What the compiler asks about definitions.
pub trait Globals {
    /// Number and type of a definition.
    fn find(&self, name: Symbol) -> Option<(usize, &Type)>;
    /// The number of parameters of a definition.
    fn arity(&self, id: usize) -> usize;
    /// What stands in front of the values of an expression, if they are shown.
    fn trace(&self, span: Span) -> Option<Symbol>;
    /// Whether the first branch of a conditional at a place is for compiled programs on processors only.
    fn is_on_processors(&self, span: Span) -> bool;
}

/// An expression with its type and, where it is a size expression, its size.
pub struct Typed {
    code: Node,
    ty: Type,
    dim: Option<Dim>,
}

/// Slots outside of a function whose values it takes along, and whether for the last time.
type Captures = Vec<(Slot, bool)>;

/// Compiles one definition.
pub struct Compiler<'a> {
    globals: &'a dyn Globals,
    scope: Scope,
    /// The place that is shown already.
    traced: Option<Span>,
}

/// The number of parameters of a definition or function: indices, types and arguments of the abstractions that stand directly
/// inside each other.
pub fn arity(mut body: &Expr) -> usize {
    let mut count = 0;
    loop {
        if let ExprKind::IFn { params, body: inner } | ExprKind::TFn { params, body: inner } = body.kind() {
            count += params.len();
            body = inner;
        } else if let ExprKind::Fn { params, .. } = body.kind() {
            return count + params.len();
        } else {
            return count;
        }
    }
}

/// The code of a definition: a function, possibly without parameters.
pub fn define(globals: &dyn Globals, body: &Expr) -> Outcome<Function> {
    let mut compiler = Compiler { globals, scope: Scope::default(), traced: None };
    let (function, ..) = compiler.function(body)?;
    Ok(function)
}

fn malformed(span: Span, message: impl Into<String>) -> Box<Failure> {
    Failure::new(Code::MalformedCore, span, format!("malformed core: {}", message.into()))
}

fn typed(code: Node, ty: Type) -> Typed {
    Typed { code, ty, dim: None }
}

impl Compiler<'_> {
    /// A function with all its directly nested abstractions, what it captures, and, for a polymorphic value that is no function, its type.
    fn function(&mut self, whole: &Expr) -> Outcome<(Function, Captures, Option<Type>)> {
        self.scope.enter();
        let (mut indices, mut types, mut terms) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = whole;
        let body = loop {
            if let ExprKind::IFn { params, body } = at.kind() {
                for name in params {
                    self.scope.bind(Space::Index, *name, None, None);
                    indices.push(*name);
                }
                at = body;
            } else if let ExprKind::TFn { params, body } = at.kind() {
                for name in params {
                    self.scope.bind(Space::Type, *name, None, None);
                    types.push(*name);
                }
                at = body;
            } else if let ExprKind::Fn { params, body, .. } = at.kind() {
                for (name, ty) in params {
                    let ty = replace(ty, &self.scope);
                    self.scope.bind(Space::Term, *name, Some(ty), None);
                    terms.push(*name);
                }
                break body;
            } else {
                break at;
            }
        };
        let arity = indices.len() + types.len() + terms.len();
        let mut result = self.expr(body)?;
        let ty = terms.is_empty().then(|| self.polymorphic(whole, &result.ty));
        indices.iter().for_each(|name| self.scope.unbind(Space::Index, *name));
        types.iter().for_each(|name| self.scope.unbind(Space::Type, *name));
        terms.iter().for_each(|name| self.scope.unbind(Space::Term, *name));
        let frame = self.scope.leave();
        live::mark(&mut result.code, &frame.depths);
        let captures = frame.captures.iter().map(|(_, inner)| *inner).collect();
        let outside = frame.captures.iter().map(|(outer, _)| (*outer, false)).collect();
        let function = Function { arity, captures, frame: frame.depths.len(), body: result.code };
        Ok((function, outside, ty))
    }
    /// The type of abstractions whose body, in whose scope we are, has this type.
    #[expect(clippy::wildcard_enum_match_arm, reason = "abstractions over indices and types; anything else is the body")]
    fn polymorphic(&self, whole: &Expr, body: &Type) -> Type {
        match whole.kind() {
            ExprKind::IFn { params, body: inner } => {
                let mut ty = self.polymorphic(inner, body);
                let names = params.iter().map(|name| match self.scope.dim(DimAtom::Var(*name)).and_then(|dim| dim.as_atom()) {
                    // In types inside the variable is a number; the binder needs a name that no program has.
                    Some(DimAtom::Meta(uid)) if !is_shape(*name) => {
                        let bound = Symbol::new(&format!("%{uid}"));
                        ty = replace(&ty, &Bound { uid, by: Dim::var(bound) });
                        bound
                    }
                    _ => match self.scope.shape(*name).as_ref().and_then(|shape| shape.items.first()) {
                        Some(ShapeItem::Var(unique)) => *unique,
                        _ => *name,
                    },
                });
                let names = names.collect();
                Type::scalar(Atom::Pi(names, ty))
            }
            ExprKind::TFn { params, body: inner } => {
                let names = params.iter().map(|name| match self.scope.atom(*name) {
                    Some(Atom::Var(unique)) => unique,
                    _ => *name,
                });
                Type::scalar(Atom::Forall(names.collect(), self.polymorphic(inner, body)))
            }
            _ => body.clone(),
        }
    }
    /// A function as a value.
    #[expect(clippy::wildcard_enum_match_arm, reason = "two forms have a shortcut")]
    fn closure(&mut self, whole: &Expr) -> Outcome<Typed> {
        let declared = replace(&function_type(whole), &self.scope);
        let (function, captures, found) = self.function(whole)?;
        let ty = found.unwrap_or(declared);
        let local = |code: &Node, slot: Slot| matches!(code, Node::Local(s, _) if *s == slot);
        let code = match &function.body {
            Node::Op2(op, operands, _) if function.arity == 2 && local(&operands[0], 0) && local(&operands[1], 1) => {
                Node::Const(Callee::Op(*op).value())
            }
            Node::Op1(op, operand, _) if function.arity == 1 && local(operand, 0) => Node::Const(Callee::Op(*op).value()),
            _ if captures.is_empty() && function.arity > 0 => Node::Const(Callee::Function(Arc::new(function), Vec::new()).value()),
            _ => Node::Closure(Arc::new(function), captures),
        };
        Ok(typed(code, ty))
    }
    fn exprs(&mut self, exprs: &[Expr]) -> Outcome<Vec<Typed>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }
    fn expr(&mut self, expr: &Expr) -> Outcome<Typed> {
        let span = expr.span();
        // Several expressions of core may stand for the same of the source: the outermost has its value.
        let place = self.globals.trace(span).filter(|_| self.traced != Some(span));
        let Some(place) = place else { return self.expr_here(expr) };
        let before = self.traced.replace(span);
        let inner = self.expr_here(expr);
        self.traced = before;
        let inner = inner?;
        Ok(Typed { code: Node::Trace(place, Box::new(inner.code)), ..inner })
    }

    fn expr_here(&mut self, expr: &Expr) -> Outcome<Typed> {
        let span = expr.span();
        match expr.kind() {
            ExprKind::Var(name) => Ok(generic(self.var(*name, span)?)),
            ExprKind::Lit(scalar) => {
                let dim = if let Scalar::I64(n) = scalar { Some(Dim::constant(*n)) } else { None };
                Ok(Typed { code: Node::Const(Value::Scalar(*scalar)), ty: Type::prim(scalar.prim()), dim })
            }
            ExprKind::Array { dims, elem, items } => self.array(dims, *elem, items, span),
            ExprKind::Frame { dims, cell, cells } => self.frame(dims, cell, cells, span),
            ExprKind::App { .. } | ExprKind::Inst { .. } => self.application(expr),
            ExprKind::Fn { .. } | ExprKind::IFn { .. } | ExprKind::TFn { .. } => self.closure(expr),
            ExprKind::Let { name, ty, rhs, body } => {
                let rhs = self.expr(rhs)?;
                let ty = ty.as_ref().map_or(rhs.ty, |ty| replace(ty, &self.scope));
                self.bind_in(*name, ty, rhs.dim, rhs.code, body)
            }
            ExprKind::If { els, .. } if self.globals.is_on_processors(span) => self.expr(els),
            ExprKind::If { cond, then, els } => {
                let (cond, then, els) = (self.expr(cond)?, self.expr(then)?, self.expr(els)?);
                Ok(typed(Node::If(Box::new([cond.code, then.code, els.code])), then.ty))
            }
            ExprKind::Loop { params, form, body } => self.repeat(params, form, body),
            ExprKind::Map { frame, args, body } => self.map(frame, args, body, span),
            ExprKind::Rep { frame, arg } => {
                let frame = replace_shape(frame, &self.scope);
                let arg = self.expr(arg)?;
                Ok(typed(Node::Rep(self.scope.shape_code(&frame), Box::new(arg.code), span), arg.ty.framed(&frame)))
            }
            ExprKind::Tuple(parts) => {
                let (codes, types) = self.exprs(parts)?.into_iter().map(|part| (part.code, part.ty)).unzip();
                Ok(typed(Node::Tuple(None, codes), Type::scalar(Atom::Tuple(types))))
            }
            ExprKind::Proj(k, tuple) => {
                let tuple = self.expr(tuple)?;
                let ty = if let Atom::Tuple(parts) = tuple.ty.atom() { parts.get(*k).cloned() } else { None };
                let ty = ty.ok_or_else(|| malformed(span, format!("no component {k}")))?;
                Ok(typed(Node::Proj(*k, Box::new(tuple.code)), ty))
            }
            ExprKind::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                let parts = fields.iter().map(|(_, e)| self.expr(e)).collect::<Outcome<Vec<_>>>()?;
                let types = fields.iter().zip(&parts).map(|((label, _), part)| (*label, part.ty.clone())).collect();
                let codes = parts.into_iter().map(|part| part.code).collect();
                Ok(typed(Node::Tuple(Some(labels), codes), Type::scalar(Atom::Record(types))))
            }
            ExprKind::Field(label, record) => {
                let record = self.expr(record)?;
                let fields = if let Atom::Record(fields) = record.ty.atom() { fields.as_slice() } else { &[] };
                let found = fields.iter().position(|(l, _)| l == label).map(|k| (k, fields[k].1.clone()));
                let (k, ty) = found.ok_or_else(|| malformed(span, format!("no field {label}")))?;
                Ok(typed(Node::Proj(k, Box::new(record.code)), ty))
            }
            ExprKind::Inject { label, ty, payload } => {
                let ty = replace(ty, &self.scope);
                Ok(typed(Node::Inject(*label, Box::new(self.expr(payload)?.code)), ty))
            }
            ExprKind::Is(label, sum) => Ok(typed(Node::Is(*label, Box::new(self.expr(sum)?.code)), Type::prim(PrimType::Bool))),
            ExprKind::Payload(label, sum) => {
                let sum = self.expr(sum)?;
                let payloads = if let Atom::Sum(payloads) = sum.ty.atom() { payloads.as_slice() } else { &[] };
                let ty = payloads
                    .iter()
                    .find(|(l, _)| l == label)
                    .map(|(_, ty)| ty.clone())
                    .ok_or_else(|| malformed(span, format!("no constructor {label}")))?;
                Ok(typed(Node::Payload(*label, Box::new(sum.code), span), ty))
            }
            ExprKind::Box { indices, ty, body } => {
                let names = indices.iter().map(|(name, _)| *name).collect();
                let sigma = replace(&Type::scalar(Atom::Sigma(names, ty.clone())), &self.scope);
                let indices = indices.iter().map(|(_, index)| self.index(index).0).collect();
                Ok(typed(Node::Box(indices, Box::new(self.expr(body)?.code)), sigma))
            }
            ExprKind::Unbox { boxed, value, indices, body } => self.unbox(boxed, *value, indices, body, span),
            ExprKind::ReifyDim(dim) => {
                let dim = replace_dim(dim, &self.scope);
                Ok(Typed { code: Node::Dim(self.scope.dim_code(&dim)), ty: Type::prim(PrimType::I64), dim: Some(dim) })
            }
            ExprKind::ReifyShape(shape) => Ok(self.reified(shape)),
            ExprKind::Coerce { ty, expr } => {
                let ty = replace(ty, &self.scope);
                let inner = self.expr(expr)?;
                Ok(typed(Node::Coerce(self.scope.type_code(&ty), Box::new(inner.code), span), ty))
            }
            ExprKind::Assert { cond, message, expr } => {
                let (cond, inner) = (self.expr(cond)?, self.expr(expr)?);
                let code = Node::Assert(Box::new([cond.code, inner.code]), *message, span);
                Ok(Typed { code, ..inner_type(inner.ty, inner.dim) })
            }
        }
    }
    /// A shape as a vector of its sizes, in a box where its rank is not known.
    fn reified(&mut self, shape: &Shape) -> Typed {
        let shape = replace_shape(shape, &self.scope);
        let fixed = shape.items.iter().all(|item| matches!(item, ShapeItem::Dim(_)));
        let rank = Dim::constant(shape.items.len() as i64);
        let ty = Type::new(Atom::Prim(PrimType::I64), Shape::dims([rank]));
        let items = self.scope.shape_code(&shape);
        if fixed {
            return typed(Node::Shape(items), ty);
        }
        let n = Symbol::new("n");
        let content = Type::new(Atom::Prim(PrimType::I64), Shape::dims([Dim::var(n)]));
        typed(Node::BoxedShape(items), Type::scalar(Atom::Sigma(vec![n], content)))
    }
    fn var(&mut self, name: Symbol, span: Span) -> Outcome<Typed> {
        if let Some((uid, variable)) = self.scope.term(name) {
            let ty = variable.ty.clone().ok_or_else(|| malformed(span, format!("variable {name} has no type")))?;
            let dim = if is_scalar(&ty, PrimType::I64) { self.scope.size_of(name) } else { None };
            let slot = self.scope.slot(uid).ok_or_else(|| malformed(span, format!("variable {name} has no place")))?;
            return Ok(Typed { code: Node::Local(slot, false), ty, dim });
        }
        if let Some((id, ty)) = self.globals.find(name) {
            return Ok(typed(Node::Global(id), ty.clone()));
        }
        let ty = prims::type_of(name).ok_or_else(|| malformed(span, format!("`{name}` is not defined")))?;
        match Primitive::find(name) {
            Some(Primitive::Member(member)) => Ok(match member {
                Member::Constant(scalar) => {
                    let dim = if let Scalar::I64(n) = scalar { Some(Dim::constant(n)) } else { None };
                    Typed { code: Node::Const(Value::Scalar(scalar)), ty, dim }
                }
                Member::Op(op) => typed(Node::Const(Callee::Op(op).value()), ty),
                Member::Fold(fold) => typed(Node::Const(Callee::Fold(fold).value()), ty),
            }),
            Some(Primitive::Prim(prim)) => Ok(typed(Node::PrimValue(prim, Vec::new()), ty)),
            None => Err(malformed(span, format!("the primitive `{name}` is not known"))),
        }
    }
    fn array(&mut self, dims: &[u64], elem: PrimType, items: &[Scalar], span: Span) -> Outcome<Typed> {
        let ty = Type::new(Atom::Prim(elem), Shape::dims(dims.iter().map(|&n| Dim::constant(n as i64))));
        let mut buffer = Buffer::with_capacity(elem, items.len()).map_err(|s| Failure::shortage(s, span))?;
        let fits = items.iter().all(|item| buffer.push(*item));
        let value = match dims {
            [] => items.first().copied().map(Value::Scalar),
            _ => Array::new(&sizes(dims), buffer).map(Value::Array),
        };
        let value = value.filter(|_| fits).ok_or_else(|| malformed(span, "array literal of the wrong size or type"))?;
        Ok(typed(Node::Const(value), ty))
    }
    fn frame(&mut self, dims: &[u64], cell: &Type, cells: &[Expr], span: Span) -> Outcome<Typed> {
        let cell = replace(cell, &self.scope);
        let ty = cell.framed(&Shape::dims(dims.iter().map(|&n| Dim::constant(n as i64))));
        let cells = self.exprs(cells)?.into_iter().map(|cell| cell.code).collect();
        let cell = self.scope.type_code(&cell);
        Ok(typed(Node::Frame(Box::new(code::Frame { dims: sizes(dims), cells, cell, span })), ty))
    }
    fn bind_in(&mut self, name: Symbol, ty: Type, dim: Option<Dim>, rhs: Node, body: &Expr) -> Outcome<Typed> {
        let slot = self.scope.bind(Space::Term, name, Some(ty), dim);
        let body = self.expr(body)?;
        self.scope.unbind(Space::Term, name);
        Ok(Typed { code: Node::Let(slot, Box::new([rhs, body.code])), ..inner_type(body.ty, body.dim) })
    }
    fn repeat(&mut self, params: &[LoopParam], form: &LoopForm, body: &Expr) -> Outcome<Typed> {
        let inits = params.iter().map(|p| self.expr(&p.init)).collect::<Outcome<Vec<_>>>()?;
        let bound = match form {
            LoopForm::For(name, bound) => Some((*name, self.expr(bound)?.code)),
            LoopForm::While(_) => None,
        };
        self.scope.frame().depth += 1;
        let types: Vec<Type> = params.iter().map(|p| replace(&p.ty, &self.scope)).collect();
        let bind = |scope: &mut Scope, name, ty: &Type| scope.bind(Space::Term, name, Some(ty.clone()), None);
        let params_code: Vec<(Slot, Node)> =
            params.iter().zip(inits).zip(&types).map(|((p, init), ty)| (bind(&mut self.scope, p.name, ty), init.code)).collect();
        let cond = match form {
            LoopForm::While(cond) => Some(self.expr(cond)?.code),
            LoopForm::For(..) => None,
        };
        let count = bound.map(|(name, bound)| (bind(&mut self.scope, name, &Type::prim(PrimType::I64)), bound));
        let body = self.expr(body)?;
        if let LoopForm::For(name, _) = form {
            self.scope.unbind(Space::Term, *name);
        }
        params.iter().for_each(|p| self.scope.unbind(Space::Term, p.name));
        self.scope.frame().depth -= 1;
        let ty = match <[Type; 1]>::try_from(types) {
            Ok([only]) => only,
            Err(several) => Type::scalar(Atom::Tuple(several)),
        };
        Ok(typed(Node::Loop(Box::new(Loop { params: params_code, count, cond, body: body.code })), ty))
    }
    fn map(&mut self, frame: &Shape, args: &[(Symbol, Expr)], body: &Expr, span: Span) -> Outcome<Typed> {
        let frame = replace_shape(frame, &self.scope);
        let values = args.iter().map(|(_, e)| self.expr(e)).collect::<Outcome<Vec<_>>>()?;
        let frame_code = self.scope.shape_code(&frame);
        let depth = u32::from(!frame.is_scalar());
        self.scope.frame().depth += depth;
        let mut bound = Vec::with_capacity(args.len());
        for ((name, _), value) in args.iter().zip(values) {
            let items = value.ty.shape().items.get(frame.items.len()..).unwrap_or(&[]).to_vec();
            let cell = Type::new(value.ty.atom().clone(), Shape { items });
            let dim = if frame.is_scalar() { value.dim } else { None };
            bound.push((self.scope.bind(Space::Term, *name, Some(cell), dim), value.code));
        }
        let body = self.expr(body)?;
        args.iter().for_each(|(name, _)| self.scope.unbind(Space::Term, *name));
        self.scope.frame().depth -= depth;
        let scalar = if let (Atom::Prim(prim), true) = (body.ty.atom(), body.ty.shape().is_scalar()) { Some(*prim) } else { None };
        let cell = self.scope.type_code(&body.ty);
        let ty = body.ty.framed(&frame);
        Ok(typed(Node::Map(Box::new(Map { frame: frame_code, args: bound, body: body.code, cell, scalar, span })), ty))
    }
    fn unbox(&mut self, boxed: &Expr, value: Symbol, names: &[Symbol], body: &Expr, span: Span) -> Outcome<Typed> {
        let boxed = self.expr(boxed)?;
        let Atom::Sigma(hidden, content) = boxed.ty.atom() else { return Err(malformed(span, "unbox of what is no box")) };
        let slots = names.iter().map(|name| self.scope.bind(Space::Index, *name, None, None)).collect();
        let indices = hidden.iter().zip(names).map(|(hidden, name)| {
            let index = if is_shape(*name) {
                Index::Shape(replace_shape(&Shape::var(*name), &self.scope))
            } else {
                Index::Dim(replace_dim(&Dim::var(*name), &self.scope))
            };
            (*hidden, index)
        });
        let content = replace(content, &Names { indices: indices.collect(), ..Names::default() });
        let slot = self.scope.bind(Space::Term, value, Some(content), None);
        let body = self.expr(body)?;
        self.scope.unbind(Space::Term, value);
        names.iter().for_each(|name| self.scope.unbind(Space::Index, *name));
        let code = Unbox { boxed: boxed.code, value: slot, indices: slots, body: body.code };
        Ok(typed(Node::Unbox(Box::new(code)), body.ty))
    }
    fn index(&mut self, index: &Index) -> (Node, Index) {
        match index {
            Index::Dim(dim) => {
                let dim = replace_dim(dim, &self.scope);
                (Node::Dim(self.scope.dim_code(&dim)), Index::Dim(dim))
            }
            Index::Shape(shape) => {
                let shape = replace_shape(shape, &self.scope);
                (Node::Shape(self.scope.shape_code(&shape)), Index::Shape(shape))
            }
        }
    }
    /// A function with everything it is instantiated with and applied to.
    fn application(&mut self, expr: &Expr) -> Outcome<Typed> {
        enum Layer<'e> {
            Inst(&'e [Atom], &'e [Index]),
            App(&'e [Expr]),
        }
        let mut layers = Vec::new();
        let mut head = expr;
        loop {
            if let ExprKind::App { fun, args } = head.kind() {
                layers.push(Layer::App(args));
                head = fun;
            } else if let ExprKind::Inst { fun, types, indices } = head.kind() {
                layers.push(Layer::Inst(types, indices));
                head = fun;
            } else {
                break;
            }
        }
        let span = expr.span();
        let function = if let ExprKind::Var(name) = head.kind() { self.var(*name, head.span())? } else { self.expr(head)? };
        let mut ty = function.ty;
        let (mut indices, mut args, mut dims) = (Vec::new(), Vec::new(), Vec::new());
        let erased =
            matches!(&function.code, Node::PrimValue(..)) || matches!(callee(&function.code), Some(Callee::Op(_) | Callee::Fold(_)));
        for layer in layers.into_iter().rev() {
            match layer {
                Layer::Inst(atoms, given) => {
                    let (codes, given): (Vec<_>, Vec<_>) = given.iter().map(|index| self.index(index)).unzip();
                    let atoms: Vec<Atom> = atoms.iter().map(|atom| replace_atom(atom, &self.scope)).collect();
                    ty = instantiate(&ty, &given, &atoms);
                    if erased {
                        indices.extend(codes);
                    } else {
                        args.extend(codes);
                        args.extend(atoms.iter().map(|atom| Node::Type(self.scope.atom_code(atom))));
                    }
                }
                Layer::App(given) => {
                    for arg in given {
                        let arg = self.expr(arg)?;
                        ty = apply(&ty, arg.dim.clone()).ok_or_else(|| malformed(span, "too many arguments"))?;
                        dims.push(arg.dim);
                        args.push(arg.code);
                    }
                }
            }
        }
        let dim = member(&function.code).and_then(|op| size_expression(op, &dims));
        let code = self.call(function.code, indices, args, span);
        Ok(generic(Typed { code, ty, dim }))
    }
    fn call(&mut self, function: Node, indices: Vec<Node>, mut args: Vec<Node>, span: Span) -> Node {
        let rest = |code: Node, more: Vec<Node>| if more.is_empty() { code } else { Node::Apply(Box::new(code), more, span) };
        if let Some(op) = member(&function) {
            return match <[Node; 1]>::try_from(args) {
                Ok([a]) if op.params.len() == 1 => Node::Op1(op, Box::new(a), span),
                Ok([a]) => rest(function, vec![a]),
                Err(args) => match <[Node; 2]>::try_from(args) {
                    Ok(two) if op.params.len() == 2 => Node::Op2(op, Box::new(two), span),
                    Ok(two) => rest(function, two.into()),
                    Err(args) => match <[Node; 3]>::try_from(args) {
                        Ok(three) => Node::Op3(op, Box::new(three), span),
                        Err(args) => rest(function, args),
                    },
                },
            };
        }
        if let Node::PrimValue(prim, _) = function {
            let indices = if prim.needs_indices() { indices } else { Vec::new() };
            if args.len() < prim.arity() {
                return rest(Node::PrimValue(prim, indices), args);
            }
            let more = args.split_off(prim.arity());
            return rest(Node::Prim(Box::new(PrimCall { prim, indices, args, span })), more);
        }
        if let Node::Global(id) = function {
            let arity = self.globals.arity(id);
            if arity == 0 || args.len() < arity {
                return rest(Node::Global(id), args);
            }
            let more = args.split_off(arity);
            return rest(Node::Call(id, args, span), more);
        }
        rest(function, args)
    }
}

/// A primitive of a polymorphic type, which takes indices and types as arguments when it is used as a value.
fn generic(function: Typed) -> Typed {
    let (mut indices, mut types) = (0, 0);
    let mut ty = &function.ty;
    loop {
        match ty.atom() {
            Atom::Pi(names, body) => (indices, ty) = (indices + names.len(), body),
            Atom::Forall(names, body) => (types, ty) = (types + names.len(), body),
            Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Sigma(..) | Atom::Tuple(_) | Atom::Record(_) | Atom::Sum(_) => break,
        }
    }
    let erased = matches!(&function.code, Node::PrimValue(..)) || matches!(callee(&function.code), Some(Callee::Fold(_)));
    if indices + types == 0 || !erased {
        return function;
    }
    Typed { code: Node::Generic(Box::new(function.code), indices, types), ..function }
}

/// What a function is, where it is known while compiling.
fn callee(function: &Node) -> Option<&Callee> {
    let Node::Const(Value::Opaque(opaque)) = function else { return None };
    opaque.downcast_ref::<code::Closure>().map(|closure| &closure.callee)
}

/// The scalar operation that a function is.
fn member(function: &Node) -> Option<ScalarOp> {
    if let Some(Callee::Op(op)) = callee(function) { Some(*op) } else { None }
}

/// Replaces the number of a variable by a name.
struct Bound {
    uid: u32,
    by: Dim,
}

impl Replace for Bound {
    fn dim(&self, atom: DimAtom) -> Option<Dim> {
        (atom == DimAtom::Meta(self.uid)).then(|| self.by.clone())
    }
    fn shape(&self, _: Symbol) -> Option<Shape> {
        None
    }
    fn atom(&self, _: Symbol) -> Option<Atom> {
        None
    }
}

fn inner_type(ty: Type, dim: Option<Dim>) -> Typed {
    Typed { code: Node::Const(Value::Scalar(Scalar::Bool(false))), ty, dim }
}

fn sizes(dims: &[u64]) -> Vec<usize> {
    dims.iter().map(|&n| usize::try_from(n).unwrap_or(usize::MAX)).collect()
}

fn size_expression(op: ScalarOp, operands: &[Option<Dim>]) -> Option<Dim> {
    let [Some(a), Some(b)] = operands else { return None };
    match (op.prim, op.op) {
        (PrimType::I64, Op::Add) => Some(a.add(b)),
        (PrimType::I64, Op::Sub) => Some(a.sub(b)),
        (PrimType::I64, Op::Mul) => Some(a.mul(b)),
        _ => None,
    }
}

/// The type that an abstraction says it has.
fn function_type(function: &Expr) -> Type {
    if let ExprKind::IFn { params, body } = function.kind() {
        Type::scalar(Atom::Pi(params.clone(), function_type(body)))
    } else if let ExprKind::TFn { params, body } = function.kind() {
        Type::scalar(Atom::Forall(params.clone(), function_type(body)))
    } else if let ExprKind::Fn { params, ret, .. } = function.kind() {
        let params = params.iter().map(|(name, ty)| crate::ir::core::Param { name: Some(*name), ty: ty.clone() }).collect();
        Type::fun(params, ret.clone())
    } else {
        // A polymorphic value that is no function has the type of its body.
        Type::scalar(Atom::Tuple(Vec::new()))
    }
}

fn instantiate(ty: &Type, indices: &[Index], types: &[Atom]) -> Type {
    let mut ty = ty.clone();
    if !indices.is_empty()
        && let Atom::Pi(names, body) = ty.atom()
    {
        let indices = names.iter().copied().zip(indices.iter().cloned()).collect();
        ty = replace(body, &Names { indices, ..Names::default() });
    }
    if !types.is_empty()
        && let Atom::Forall(names, body) = ty.atom()
    {
        let types = names.iter().copied().zip(types.iter().cloned()).collect();
        ty = replace(body, &Names { types, ..Names::default() });
    }
    ty
}

/// The type of a function applied to one argument of this size.
fn apply(ty: &Type, dim: Option<Dim>) -> Option<Type> {
    let Atom::Fun(params, ret) = ty.atom() else { return None };
    let (first, rest) = params.split_first()?;
    let result = Type::fun(rest.to_vec(), ret.clone());
    Some(match first.name {
        None => result,
        Some(name) => {
            let dim = dim.unwrap_or_else(|| Dim::atom(DimAtom::Meta(UNKNOWN)));
            replace(&result, &Names { sizes: vec![(name, dim)], ..Names::default() })
        }
    })
}

/// The array of shape `frame` without cells of this layout and shape; none if it is too large. Sizes of cells may not be negative, unless
/// these are without elements: nothing depends on them.
pub fn empty_array(layout: &code::Layout, frame: &[usize], cell: &[i64], span: Span) -> Outcome<Option<Value>> {
    let size = |n: &i64| if has_leaves(layout) { natural(*n, span) } else { Ok(usize::try_from(*n).unwrap_or(0)) };
    let dims = [frame, &cell.iter().map(size).collect::<Outcome<Vec<_>>>()?].concat();
    Ok(match layout {
        code::Layout::Prim(prim) => Array::empty(&dims, *prim).map(Value::Array),
        code::Layout::Opaque => Cells::new(&dims, Vec::new()).map(Value::Cells),
        code::Layout::Tuple(labels, parts) => {
            let parts = parts.iter().map(|(layout, inner)| empty_array(layout, &dims, inner, span)).collect::<Outcome<Option<_>>>()?;
            parts.map(|parts| Value::tuples(dims, labels.clone(), parts))
        }
    })
}

/// Whether there is anything in values of this layout.
fn has_leaves(layout: &code::Layout) -> bool {
    match layout {
        code::Layout::Prim(_) | code::Layout::Opaque => true,
        code::Layout::Tuple(_, parts) => parts.iter().any(|(layout, _)| has_leaves(layout)),
    }
}
