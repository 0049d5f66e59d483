//! Explicit typed Remora core: the meeting point of all front ends and of everything after them.
//!
//! # Meaning
//!
//! Every expression denotes an array; a scalar is an array of shape `[]`. Elements ("atoms") are scalars, functions,
//! tuples, records, sums and boxes. Evaluation is strict, left to right, call by value; there are no effects but failure
//! (index, size, division, assertion, a payload that is not there), and a failing expression fails the whole program.
//!
//! * **Types** `[t i..]` pair an atom type with a shape. `(-> (T ..) U)` is curried: `(-> (A) [(-> (B) C)])` and
//!   `(-> (A B) C)` are the same type ([`Type::fun`] keeps the longest form), and an application may give fewer
//!   arguments than there are parameters. A parameter may be named, `(-> ([n i64]) [i64 (size n)])`; its name stands in
//!   later parameters and in the result for the value of the argument.
//! * **Sizes** ([`Dim`]) are polynomials with integer coefficients over index variables `n` (bound by Pi, Sigma or
//!   `unbox`) and term variables `(size x)` (`x : i64`). A shape is a word of sizes and shape variables `@s`.
//! * **`Map`** is the explicit lift: `(map [n] ([x xs]) body)` evaluates `body` once for each cell of the frame `[n]`, `x`
//!   bound to the cell of `xs`; the result has shape frame ++ shape of `body`. `(map [] ..)` is a `let`. With an empty
//!   frame nothing is evaluated, the shape of the result comes from the type. A map may have no arrays at all: then it
//!   evaluates its body for each index of the frame. The body must not be a box (an array of boxes is made with
//!   [`ExprKind::Map`] over a body whose type is a scalar box, `[(Sigma ..) ]`; it is an array with a box per cell).
//! * **`Rep`** `(rep [n] e)` is an array of frame `[n]` all of whose cells are `e`.
//! * **Sums** `(Sum (l T) ..)` have one payload type per constructor (a tuple where there are several or none). `(inject l T e)` makes the
//!   rank-0 value of the constructor `l` of the sum type `T`, `e` of the payload type of `l` in `T`. `(is l e)` says whether the
//!   rank-0 sum `e` was made by `l`, and `(payload l e)`, of the payload type of `l`, is what it was made of; it fails where `e` was made by
//!   another constructor. A `match` is a chain of conditionals on `is` whose branches take payloads. Sizes in payloads are those of
//!   the sum's type: all values of an array of sums have payloads of the same shapes.
//! * **Boxes** `(box ((n I)) T e)` hide sizes: type `(Sigma (n) T)`. `(unbox e (x n) body)` opens a rank-0 box (lifting
//!   over arrays of boxes is written as a map). The indices must not occur in the type of `body`.
//! * **Polymorphism**: `(i-fn (n @s) (t-fn (t) e))`, instantiated with `e{t | n @s}`. The type parameter `'a` of the ML-style
//!   language is an atom variable and a shape variable; for a definition with sizes `n1 .. nk` and type parameters
//!   `'t1 .. 'tj` the index parameters are `n1 .. nk @t1 .. @tj` and the type parameters `t1 .. tj`, in this order.
//! * **Scope**: term, index and type variables are three name spaces; inner binders shadow outer ones.
//!   Definitions see only earlier definitions; those that are marked as recursive, which are functions, also themselves.
//! * **Constants** are definitions that are no functions; when they are computed is said in [`constants`].
//! * **Calling conventions of primitives** are types written in core, in `prims.remc` beside this file. Scalar operations are named
//!   like the members of the scalar modules: `i32.+`, `f32.sqrt`, `f32.i64` (conversion to `f32` from `i64`), `bool.!`.
//!
//! Terms and types are shared graphs ([`Arc`]); passes keep sharing and remember what they have visited.

pub mod check;
pub mod closing;
pub mod constants;
pub mod equal;
pub mod free;
pub mod index;
pub mod names;
pub mod prims;
pub mod print;
pub mod read;
pub mod sexp;
pub mod sizes;
pub mod slots;
pub mod subst;
pub mod value;

pub use index::{Dim, DimAtom, Index, Shape, ShapeItem, is_shape};
pub use prims::{Prim, Primitive};

use super::attributes::Attributes;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use std::sync::Arc;

/// A program: definitions in order of dependency.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The definitions.
    pub defs: Vec<Define>,
    /// Hints for places of the source. They are no part of the text of core.
    pub attributes: Attributes,
}

/// `(define name : T e)`, `(define-rec name : T e)`. Polymorphic definitions have `i-fn`/`t-fn` abstractions as their bodies.
#[derive(Debug, Clone)]
pub struct Define {
    /// Globally unique name.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
    /// Its meaning.
    pub body: Expr,
    /// Whether it can be run from outside under its name.
    pub entry: bool,
    /// Whether it is a function that sees itself, at any index and type arguments.
    pub recursive: bool,
    /// Where it was written.
    pub span: Span,
}

/// An array type `[atom shape..]`. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Type(pub Arc<ArrType>);

/// The parts of an array type.
#[derive(Debug, PartialEq)]
pub struct ArrType {
    /// Type of the elements.
    pub atom: Atom,
    /// Shape.
    pub shape: Shape,
}

/// An atom type.
#[derive(Debug, Clone, PartialEq)]
pub enum Atom {
    /// A scalar type.
    Prim(PrimType),
    /// A type variable of kind atom.
    Var(Symbol),
    /// `(-> (T ..) U)`: at least one parameter; the result is never a rank-0 function (see [`Type::fun`]).
    Fun(Vec<Param>, Type),
    /// `(Forall (t ..) T)`.
    Forall(Vec<Symbol>, Type),
    /// `(Pi (n @s ..) T)`.
    Pi(Vec<Symbol>, Type),
    /// `(Sigma (n ..) T)`.
    Sigma(Vec<Symbol>, Type),
    /// `(Tup T ..)`; `(Tup)` is the unit type.
    Tuple(Vec<Type>),
    /// `(Rec (l T) ..)`, labels in ascending order.
    Record(Vec<(Symbol, Type)>),
    /// `(Sum (l T) ..)`, labels in ascending order, at least one: the payload of each constructor.
    Sum(Vec<(Symbol, Type)>),
}

/// A parameter of a function type; the name, if any, is bound in the later parameters and the result.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// The name, for parameters that sizes mention.
    pub name: Option<Symbol>,
    /// The type.
    pub ty: Type,
}

impl PartialEq for Type {
    /// Syntactic equality (no renaming of bound variables); see the checker for equivalence.
    fn eq(&self, other: &Type) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Type {
    /// `[atom shape..]`.
    pub fn new(atom: Atom, shape: Shape) -> Type {
        Type(Arc::new(ArrType { atom, shape }))
    }
    /// A rank-0 array of `atom`.
    pub fn scalar(atom: Atom) -> Type {
        Type::new(atom, Shape::default())
    }
    /// A rank-0 scalar type.
    pub fn prim(prim: PrimType) -> Type {
        Type::scalar(Atom::Prim(prim))
    }
    /// The rank-0 function type, in its longest form: where `ret` is a rank-0 function type its parameters are joined.
    pub fn fun(params: Vec<Param>, ret: Type) -> Type {
        if params.is_empty() {
            return ret;
        }
        if let Atom::Fun(more, last) = ret.atom()
            && ret.shape().is_scalar()
        {
            let params = params.into_iter().chain(more.iter().cloned()).collect();
            return Type::scalar(Atom::Fun(params, last.clone()));
        }
        Type::scalar(Atom::Fun(params, ret))
    }
    /// What a definition of this type takes and returns, its index and type parameters aside.
    pub fn interface(&self) -> (&[Param], &Type) {
        let mut ty = self;
        while let Atom::Pi(_, inner) | Atom::Forall(_, inner) = ty.atom() {
            ty = inner;
        }
        if let Atom::Fun(params, ret) = ty.atom()
            && ty.shape().is_scalar()
        {
            return (params, ret);
        }
        (&[], ty)
    }
    /// The atom type.
    pub fn atom(&self) -> &Atom {
        &self.0.atom
    }
    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.0.shape
    }
    /// The type with `frame` put in front of its shape.
    pub fn framed(&self, frame: &Shape) -> Type {
        if frame.is_scalar() { self.clone() } else { Type::new(self.atom().clone(), frame.append(self.shape())) }
    }
}

/// An expression. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Expr(pub Arc<ExprNode>);

/// The parts of an expression.
#[derive(Debug)]
pub struct ExprNode {
    /// What it is.
    pub kind: ExprKind,
    /// Where it comes from; run-time failures name this place.
    pub span: Span,
}

/// The forms of expressions; each variant documents its fields.
#[allow(missing_docs)]
#[derive(Debug)]
pub enum ExprKind {
    /// A local variable, a definition or a primitive, found in this order.
    Var(Symbol),
    /// A rank-0 scalar literal.
    Lit(Scalar),
    /// `(array [n ..] a ..)`: scalar literals in row-major order; `elem` is needed when there are none.
    Array { dims: Vec<u64>, elem: PrimType, items: Vec<Scalar> },
    /// `(frame [n ..] e ..)`: cells in row-major order, all of type `cell`.
    Frame { dims: Vec<u64>, cell: Type, cells: Vec<Expr> },
    /// `(f e ..)`: `f` is a rank-0 function; arguments have exactly the parameters' types.
    App { fun: Expr, args: Vec<Expr> },
    /// `e{t .. | i ..}`: instantiates Pi, then Forall. One of the two lists may be empty.
    Inst { fun: Expr, types: Vec<Atom>, indices: Vec<Index> },
    /// `(fn ([x T] ..) : U body)`: at least one parameter.
    Fn { params: Vec<(Symbol, Type)>, ret: Type, body: Expr },
    /// `(i-fn (n @s ..) v)`: evaluating `v` computes nothing (see [`check::is_value`]).
    IFn { params: Vec<Symbol>, body: Expr },
    /// `(t-fn (t ..) v)`.
    TFn { params: Vec<Symbol>, body: Expr },
    /// `(let [x : T e] body)`; where `e` is a size expression (see [`index`]), `(size x)` is that size in `body`.
    Let { name: Symbol, ty: Option<Type>, rhs: Expr, body: Expr },
    /// `(if c a b)`: only one branch is evaluated; both have the same type.
    If { cond: Expr, then: Expr, els: Expr },
    /// `(loop ([x T e] ..) (for i n) body)` or `(while c)`: with one parameter the body returns its next value, with
    /// several a tuple of them. The result has the same form as the body's. Parameter types are fixed for all iterations (sizes
    /// that change are boxed). `i : i64` counts from 0; `n : i64` is evaluated once. `c` sees the parameters.
    Loop { params: Vec<LoopParam>, form: LoopForm, body: Expr },
    /// `(map [i ..] ([x e] ..) body)`.
    Map { frame: Shape, args: Vec<(Symbol, Expr)>, body: Expr },
    /// `(rep [i ..] e)`.
    Rep { frame: Shape, arg: Expr },
    /// `(tuple e ..)`.
    Tuple(Vec<Expr>),
    /// `(proj k e)`, `e` a rank-0 tuple.
    Proj(usize, Expr),
    /// `(rec (l e) ..)`, labels in ascending order.
    Record(Vec<(Symbol, Expr)>),
    /// `(field l e)`, `e` a rank-0 record.
    Field(Symbol, Expr),
    /// `(inject l T e)`: a value of the rank-0 sum type `T`.
    Inject { label: Symbol, ty: Type, payload: Expr },
    /// `(is l e)`: whether the rank-0 sum `e` was made by the constructor `l`.
    Is(Symbol, Expr),
    /// `(payload l e)`: what the rank-0 sum `e` was made of; fails if another constructor made it.
    Payload(Symbol, Expr),
    /// `(box ((n I) ..) T e)`: `T` may mention the `n`s; its type is the rank-0 `(Sigma (n ..) T)`.
    Box { indices: Vec<(Symbol, Index)>, ty: Type, body: Expr },
    /// `(unbox e (x n ..) body)`.
    Unbox { boxed: Expr, value: Symbol, indices: Vec<Symbol>, body: Expr },
    /// `(reify-dimension d)`: the size as an `i64`.
    ReifyDim(Dim),
    /// `(reify-shape s)`: the shape as a vector of `i64`; with shape variables in `s` a box of one, `(Sigma (n) [i64 n])`.
    ReifyShape(Shape),
    /// `(coerce T e)`: `e` with its sizes checked at run time to be those of `T` (same atom type and rank).
    Coerce { ty: Type, expr: Expr },
    /// `(assert c "text" e)`.
    Assert { cond: Expr, message: Symbol, expr: Expr },
}

/// A loop parameter with its type and initial value.
#[derive(Debug, Clone)]
pub struct LoopParam {
    /// The variable.
    pub name: Symbol,
    /// Its type in every iteration.
    pub ty: Type,
    /// Its first value.
    pub init: Expr,
}

/// How a loop goes on.
#[derive(Debug, Clone)]
pub enum LoopForm {
    /// `(for i n)`.
    For(Symbol, Expr),
    /// `(while c)`.
    While(Expr),
}

impl Expr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        Expr(Arc::new(ExprNode { kind, span }))
    }
    /// A scalar operation as a function.
    pub fn op(op: Op, prim: PrimType, span: Span) -> Expr {
        Expr::new(ExprKind::Var(Symbol::new(&ScalarOp::new(op, prim).name())), span)
    }
    /// A primitive as a function.
    pub fn prim(prim: Prim, span: Span) -> Expr {
        Expr::new(ExprKind::Var(prim.name()), span)
    }
    /// What it is.
    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }
    /// Where it comes from.
    pub fn span(&self) -> Span {
        self.0.span
    }
}
