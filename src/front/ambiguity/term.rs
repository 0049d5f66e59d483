//! What a part of a program means, without types: the terms that readings are compared as.

use crate::base::{PrimType, Symbol};
use crate::ir::surface::{ExprId, PatId, UnaryOp};
use crate::ir::tables::DefId;
use std::rc::Rc;

/// A shared term.
pub type TermRef = Rc<Term>;

/// A variable: of the source, or made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// A variable of the source.
    Local(PatId),
    /// A fresh one.
    Fresh(u32),
}

/// A term. Readings are translated from the same tree, so that a syntactic form is identified by its node.
#[derive(Debug)]
pub enum Term {
    /// A variable.
    Var(Var),
    /// A constant.
    Const(Const),
    /// `\x -> e`.
    Lam(Var, TermRef),
    /// `f a b`.
    App(TermRef, Vec<TermRef>),
    /// `mapN f a b`; `f` is curried.
    Map(TermRef, Vec<TermRef>),
    /// `rep e`.
    Rep(TermRef),
    /// `let x = e1 in e2`.
    Let(Var, TermRef, TermRef),
    /// Any other form.
    Node(Tag, Vec<TermRef>),
}

/// A constant.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Const {
    /// A definition.
    Global(DefId),
    /// A member of a scalar module.
    Scalar(PrimType, Symbol),
    /// A built-in operator.
    Operator(Symbol),
    /// A prefix operator.
    Unary(UnaryKey),
    /// An integer literal.
    Int {
        /// Its value.
        value: u64,
        /// The type that is written after it.
        suffix: Option<PrimType>,
    },
    /// A float literal, as bits.
    Float {
        /// Its value.
        bits: u64,
        /// The type that is written after it.
        suffix: Option<PrimType>,
    },
    /// An imaginary literal, as bits.
    Imaginary {
        /// Its value.
        bits: u64,
        /// The type that is written after it.
        suffix: Option<PrimType>,
    },
    /// A truth value.
    Bool(bool),
    /// A string.
    Str(Symbol),
}

/// [`UnaryOp`], hashable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryKey {
    /// `-`.
    Neg,
    /// `!`.
    Not,
}

impl From<UnaryOp> for UnaryKey {
    fn from(op: UnaryOp) -> UnaryKey {
        match op {
            UnaryOp::Neg => UnaryKey::Neg,
            UnaryOp::Not => UnaryKey::Not,
        }
    }
}

/// A syntactic form with parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Tag {
    /// A tuple.
    Tuple,
    /// A record with these labels.
    Record(Vec<Symbol>),
    /// A projection.
    Field(Symbol),
    /// An array literal.
    Array,
    /// `a[i, j]`: the array, then the indices.
    Index,
    /// `if`.
    If,
    /// A constructor.
    Constr(Symbol),
    /// The value of a size variable, which depends on the parts.
    Size(PatId),
    /// A form that is opaque but for its parts.
    Syntax(ExprId),
}

/// Constructors.
impl Term {
    /// A variable.
    pub fn var(var: Var) -> TermRef {
        Rc::new(Term::Var(var))
    }
    /// A constant.
    pub fn constant(constant: Const) -> TermRef {
        Rc::new(Term::Const(constant))
    }
    /// A function of several parameters.
    pub fn lams(vars: &[Var], body: TermRef) -> TermRef {
        vars.iter().rev().fold(body, |body, &var| Rc::new(Term::Lam(var, body)))
    }
    /// An application; without arguments the function itself.
    pub fn app(fun: TermRef, args: Vec<TermRef>) -> TermRef {
        if args.is_empty() { fun } else { Rc::new(Term::App(fun, args)) }
    }
    /// A form.
    pub fn node(tag: Tag, parts: Vec<TermRef>) -> TermRef {
        Rc::new(Term::Node(tag, parts))
    }
}
