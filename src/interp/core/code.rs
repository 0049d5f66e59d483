//! What core expressions are compiled to: trees in which variables are slots of a frame.
//!
//! A frame belongs to one activation of a function: parameters first (indices, then types, then arguments), captured variables and local
//! variables after them. Every binder has a slot of its own. Index variables hold an `i64` or, for shapes, a vector of
//! `i64`; type variables hold a [`Layout`].

use crate::base::scalar::{FoldOp, ScalarOp};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::Prim;
use crate::runtime::Value;
use std::sync::Arc;

/// A place in a frame.
pub type Slot = u32;

/// An expression.
#[derive(Debug)]
pub enum Node {
    /// A value.
    Const(Value),
    /// A variable, and whether this is its last use, so that its value may be taken.
    Local(Slot, bool),
    /// A definition.
    Global(usize),
    /// A unary scalar operation.
    Op1(ScalarOp, Box<Node>, Span),
    /// A binary scalar operation.
    Op2(ScalarOp, Box<[Node; 2]>, Span),
    /// A ternary scalar operation.
    Op3(ScalarOp, Box<[Node; 3]>, Span),
    /// Condition and branches.
    If(Box<[Node; 3]>),
    /// Binds the first expression in the second.
    Let(Slot, Box<[Node; 2]>),
    /// A loop.
    Loop(Box<Loop>),
    /// A definition applied to as many arguments as it has parameters.
    Call(usize, Vec<Node>, Span),
    /// Any function applied to any number of arguments.
    Apply(Box<Node>, Vec<Node>, Span),
    /// A primitive applied to its arguments.
    Prim(Box<PrimCall>),
    /// A primitive as a value, with the indices it has.
    PrimValue(Prim, Vec<Node>),
    /// A primitive or fold as a value that still waits for this many indices and types.
    Generic(Box<Node>, usize, usize),
    /// A function with the values of the variables it captures.
    Closure(Arc<Function>, Vec<(Slot, bool)>),
    /// A map.
    Map(Box<Map>),
    /// `rep`.
    Rep(Vec<Item>, Box<Node>, Span),
    /// A tuple, or a record with its labels.
    Tuple(Option<Arc<[Symbol]>>, Vec<Node>),
    /// A component of a tuple or record.
    Proj(usize, Box<Node>),
    /// A value of a sum type.
    Inject(Symbol, Box<Node>),
    /// Whether a sum was made by a constructor.
    Is(Symbol, Box<Node>),
    /// The payload of a sum made by a constructor.
    Payload(Symbol, Box<Node>, Span),
    /// A box.
    Box(Vec<Node>, Box<Node>),
    /// Opens a box.
    Unbox(Box<Unbox>),
    /// The value of a size.
    Dim(Dim),
    /// A shape as a vector.
    Shape(Vec<Item>),
    /// A shape as a vector in a box that hides its rank.
    BoxedShape(Vec<Item>),
    /// The layout of a type.
    Type(Atom),
    /// Shows the value with what stands in front of it.
    Trace(Symbol, Box<Node>),
    /// A check of sizes.
    Coerce(Type, Box<Node>, Span),
    /// A check.
    Assert(Box<[Node; 2]>, Symbol, Span),
    /// An array of cells.
    Frame(Box<Frame>),
}

/// A primitive applied to its arguments.
#[derive(Debug)]
pub struct PrimCall {
    /// Which one.
    pub prim: Prim,
    /// The indices, for those that need them.
    pub indices: Vec<Node>,
    /// The arguments.
    pub args: Vec<Node>,
    /// Where.
    pub span: Span,
}

/// A loop.
#[derive(Debug)]
pub struct Loop {
    /// The parameters and their first values.
    pub params: Vec<(Slot, Node)>,
    /// Counter and bound of a `for` loop.
    pub count: Option<(Slot, Node)>,
    /// The condition of a `while` loop.
    pub cond: Option<Node>,
    /// The next values.
    pub body: Node,
}

/// A map.
#[derive(Debug)]
pub struct Map {
    /// The frame.
    pub frame: Vec<Item>,
    /// The arrays and the slots of their cells.
    pub args: Vec<(Slot, Node)>,
    /// Computes a cell.
    pub body: Node,
    /// The type of a cell.
    pub cell: Type,
    /// The type of a cell that is a scalar.
    pub scalar: Option<PrimType>,
    /// Where.
    pub span: Span,
}

/// Opens a box.
#[derive(Debug)]
pub struct Unbox {
    /// The box.
    pub boxed: Node,
    /// The slot of the content.
    pub value: Slot,
    /// The slots of the hidden indices.
    pub indices: Vec<Slot>,
    /// What is done with them.
    pub body: Node,
}

/// An array of cells.
#[derive(Debug)]
pub struct Frame {
    /// Its outer shape.
    pub dims: Vec<usize>,
    /// The cells.
    pub cells: Vec<Node>,
    /// The type of a cell.
    pub cell: Type,
    /// Where.
    pub span: Span,
}

/// A function.
#[derive(Debug)]
pub struct Function {
    /// The number of its parameters, which have the first slots.
    pub arity: usize,
    /// The slots of captured variables.
    pub captures: Vec<Slot>,
    /// The number of slots.
    pub frame: usize,
    /// What it computes.
    pub body: Node,
}

/// A size.
#[derive(Debug, Clone, PartialEq)]
pub enum Dim {
    /// A number.
    Const(i64),
    /// The value of an index or term variable.
    Slot(Slot),
    /// A sum of products with coefficients.
    Sum(Vec<(i64, Vec<Slot>)>),
}

/// A part of a shape.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A size.
    Dim(Dim),
    /// A shape variable.
    Shape(Slot),
}

/// A type as far as empty arrays and coercions need it.
#[derive(Debug, Clone, PartialEq)]
pub struct Type {
    /// The elements.
    pub atom: Atom,
    /// The shape.
    pub shape: Vec<Item>,
}

/// An element type.
#[derive(Debug, Clone, PartialEq)]
pub enum Atom {
    /// A scalar type.
    Prim(PrimType),
    /// A type variable.
    Var(Slot),
    /// A tuple or record.
    Tuple(Option<Arc<[Symbol]>>, Vec<Type>),
    /// Functions, boxes and sums.
    Opaque,
}

/// The value of an element type: how an array of such elements is laid out.
#[derive(Debug, Clone, PartialEq)]
pub enum Layout {
    /// Scalars.
    Prim(PrimType),
    /// Tuples or records of components with these layouts and shapes.
    Tuple(Option<Arc<[Symbol]>>, Vec<(Layout, Vec<i64>)>),
    /// Functions or boxes.
    Opaque,
}

/// A function value: something to call and the arguments it already has.
#[derive(Debug, Clone)]
pub struct Closure {
    /// What is called.
    pub callee: Callee,
    /// Its first arguments.
    pub args: Vec<Value>,
}

/// Something to call.
#[derive(Debug, Clone)]
pub enum Callee {
    /// A function with its captured values.
    Function(Arc<Function>, Vec<Value>),
    /// A definition.
    Global(usize, usize),
    /// A scalar operation.
    Op(ScalarOp),
    /// A fold.
    Fold(FoldOp),
    /// A primitive and its indices.
    Prim(Prim, Vec<Value>),
    /// Something that still waits for this many indices and types.
    Generic(Box<Callee>, usize, usize),
}

impl Callee {
    /// The number of arguments it waits for.
    pub fn arity(&self) -> usize {
        match self {
            Callee::Function(function, _) => function.arity,
            Callee::Global(_, arity) => *arity,
            Callee::Op(op) => op.params.len(),
            Callee::Fold(_) => 1,
            Callee::Prim(prim, _) => prim.arity(),
            Callee::Generic(callee, indices, types) => indices + types + callee.arity(),
        }
    }
    /// As a value.
    pub fn value(self) -> Value {
        Value::Opaque(Arc::new(Closure { callee: self, args: Vec::new() }))
    }
}
