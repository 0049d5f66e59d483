//! Erased core: explicit core without types (Slepak, Shivers, Manolios: The Semantics of Rank Polymorphism, section 3).
//!
//! # Meaning
//!
//! Expressions denote arrays and are evaluated as those of [core](crate::ir::core): strictly, from left to right, by value. What
//! is gone is everything that says *what kind of atoms* an array has: element types, kinds and sorts, types of parameters and results,
//! the types written on boxes. What stays of a type is its *index residue*, the shape: it decides the shape of a result when
//! there is no cell to look at.
//!
//! * An **array** is a shape and that many atoms in row-major order; `(array [n ..] a ..)`. Atoms are rank-0 expressions: scalars, functions,
//!   tuples, records, sums, boxes. An array without atoms is its shape alone, the same for numbers, functions and boxes.
//! * A **frame** `(frame [n ..] : I e ..)` joins cells of shape `I`, which is never `[]` (such a frame is an array).
//! * A **map** carries the shape of its cells, `(map [i ..] : I ([x e] ..) body)`: the shape of the result is frame ++ `I`, also
//!   when nothing is evaluated. Applications carry nothing: core never lifts them, its maps do.
//! * **Type abstractions** are index abstractions whose parameters nothing mentions: in core type variables stand for atoms, whose
//!   residue is `[]`, and shapes that go with them are index parameters of their own. So instantiation of types takes a
//!   step, as it does in core. An instantiation with indices and types is two.
//! * A **box** keeps its indices, `(box (i ..) e)`; `unbox` binds them by position.
//! * **`reify-shape`** of a shape with variables is a box with the rank as its index, of one without them a vector. Putting indices in
//!   the place of variables makes the box explicit.
//! * A **coercion** compares indices, not values: `(coerce ((I J) ..) e)` fails unless each pair of shapes is equal. They are the shapes of the
//!   type that `e` has and of the one it is coerced to, those of components of tuples and records included.
//! * **Primitives** have the names they have in core, and are instantiated with indices where they are there.
//!
//! Shapes and sizes are those of [`crate::ir::core::index`]; `(size x)` is the value of the term variable `x`.

pub mod equal;
pub mod print;
pub mod subst;
pub mod validate;

use crate::base::{Scalar, Span, Symbol};
use crate::ir::core::{Dim, Index, Shape};
use std::sync::Arc;

/// A program: definitions in order of dependency.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The definitions.
    pub defs: Vec<Define>,
}

/// `(define name e)`, `(define-rec name e)`.
#[derive(Debug, Clone)]
pub struct Define {
    /// Globally unique name.
    pub name: Symbol,
    /// Its meaning.
    pub body: Expr,
    /// Whether it sees itself.
    pub recursive: bool,
    /// Where it was written.
    pub span: Span,
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
    /// `(array [n ..] a ..)`: rank-0 expressions in row-major order.
    Array { dims: Vec<u64>, atoms: Vec<Expr> },
    /// `(frame [n ..] : I e ..)`: cells of shape `cell` in row-major order; made by [`Expr::frame`], so that `cell` is not `[]`.
    Frame { dims: Vec<u64>, cell: Shape, cells: Vec<Expr> },
    /// `(f e ..)`.
    App { fun: Expr, args: Vec<Expr> },
    /// `e{i ..}`.
    Inst { fun: Expr, indices: Vec<Index> },
    /// `(fn (x ..) body)`.
    Fn { params: Vec<Symbol>, body: Expr },
    /// `(i-fn (n @s ..) v)`.
    IFn { params: Vec<Symbol>, body: Expr },
    /// `(let [x e] body)`.
    Let { name: Symbol, rhs: Expr, body: Expr },
    /// `(if c a b)`.
    If { cond: Expr, then: Expr, els: Expr },
    /// `(loop ([x e] ..) (for i n) body)` or `(while c)`: as in core.
    Loop { params: Vec<(Symbol, Expr)>, form: LoopForm, body: Expr },
    /// `(map [i ..] : I ([x e] ..) body)`: cells of shape `cell`.
    Map { frame: Shape, args: Vec<(Symbol, Expr)>, body: Expr, cell: Shape },
    /// `(rep [i ..] e)`.
    Rep { frame: Shape, arg: Expr },
    /// `(tuple e ..)`.
    Tuple(Vec<Expr>),
    /// `(proj k e)`.
    Proj(usize, Expr),
    /// `(rec (l e) ..)`, labels in ascending order.
    Record(Vec<(Symbol, Expr)>),
    /// `(field l e)`.
    Field(Symbol, Expr),
    /// `(inject l e)`.
    Inject(Symbol, Expr),
    /// `(is l e)`.
    Is(Symbol, Expr),
    /// `(payload l e)`.
    Payload(Symbol, Expr),
    /// `(box (i ..) e)`.
    Box { indices: Vec<Index>, body: Expr },
    /// `(unbox e (x n ..) body)`.
    Unbox { boxed: Expr, value: Symbol, indices: Vec<Symbol>, body: Expr },
    /// `(reify-dimension d)`.
    ReifyDim(Dim),
    /// `(reify-shape s)`.
    ReifyShape(Shape),
    /// `(coerce ((I J) ..) e)`.
    Coerce { checks: Vec<(Shape, Shape)>, expr: Expr },
    /// `(assert c "text" e)`.
    Assert { cond: Expr, message: Symbol, expr: Expr },
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
    /// A frame, or an array where the cells are atoms.
    pub fn frame(dims: Vec<u64>, cell: Shape, cells: Vec<Expr>, span: Span) -> Expr {
        let kind = if cell.is_scalar() { ExprKind::Array { dims, atoms: cells } } else { ExprKind::Frame { dims, cell, cells } };
        Expr::new(kind, span)
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
