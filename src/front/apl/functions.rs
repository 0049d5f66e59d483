//! Functions as values of the compiler: glyphs, dfns, derived functions, trains.

use super::machine::Frame;
use super::tree::Dfn;
use super::value::Val;
use crate::base::Span;
use std::rc::Rc;

/// A function and where it is written.
#[derive(Clone)]
pub struct Func {
    /// The function.
    pub fun: Fun,
    /// Where the sentence names it.
    pub span: Span,
}

/// A function.
#[derive(Clone)]
pub enum Fun {
    /// A glyph, perhaps with an axis.
    Prim(char, Option<Val>),
    /// `⎕NAME`.
    System(&'static str),
    /// A dfn with what it closes over and, for operators, its operands.
    Dfn(Rc<Closure>),
    /// An operator that is a glyph with its operands; `⍁` stands for the outer product.
    Derived(Rc<Derived>),
    /// `f g`.
    Atop(Rc<(Func, Func)>),
    /// `f g h`, or an array for `f`.
    Fork(Rc<(Operand, Func, Func)>),
}

/// An operator with its operands.
#[derive(Clone)]
pub struct Derived {
    /// The operator.
    pub op: char,
    /// The left operand.
    pub left: Operand,
    /// The right operand.
    pub right: Option<Operand>,
    /// The axis, for `/` and the like.
    pub axis: Option<Val>,
}

/// An operand.
#[derive(Clone)]
pub enum Operand {
    /// A function.
    Fun(Func),
    /// An array.
    Val(Val),
}

/// A dfn in its surroundings.
#[derive(Clone)]
pub struct Closure {
    /// Its text.
    pub dfn: Rc<Dfn>,
    /// The names that it sees.
    pub frame: Rc<Frame>,
    /// `⍺⍺`.
    pub left: Option<Operand>,
    /// `⍵⍵`.
    pub right: Option<Operand>,
    /// Where it is written.
    pub span: Span,
}

impl Func {
    /// A glyph as a function.
    pub fn prim(glyph: char, span: Span) -> Func {
        Func { fun: Fun::Prim(glyph, None), span }
    }
    /// An operator with its operands.
    pub fn derived(op: char, left: Operand, right: Option<Operand>, span: Span) -> Func {
        Func { fun: Fun::Derived(Rc::new(Derived { op, left, right, axis: None })), span }
    }
    /// The function along an axis; nothing if it has none.
    pub fn with_axis(self, axis: Val) -> Option<Func> {
        let fun = match self.fun {
            Fun::Prim(glyph, _) => Fun::Prim(glyph, Some(axis)),
            Fun::Derived(derived) if "/⌿\\⍀".contains(derived.op) => {
                Fun::Derived(Rc::new(Derived { axis: Some(axis), ..(*derived).clone() }))
            }
            Fun::Derived(_) | Fun::System(_) | Fun::Dfn(_) | Fun::Atop(_) | Fun::Fork(_) => return None,
        };
        Some(Func { fun, span: self.span })
    }
    /// The glyph that it is; also of a dfn that only applies one to its arguments.
    pub fn glyph(&self) -> Option<char> {
        match &self.fun {
            Fun::Prim(glyph, None) => Some(*glyph),
            Fun::Dfn(closure) => {
                use super::tree::Word;
                let [statement] = closure.dfn.body.as_slice() else { return None };
                let [a, f, w] = statement.nodes.as_slice() else { return None };
                match (&a.kind, &f.kind, &w.kind, &statement.guard) {
                    (Word::Name(a), Word::Glyph(f), Word::Name(w), None) if &**a == "⍺" && &**w == "⍵" => Some(*f),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
