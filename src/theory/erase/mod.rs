//! Erasure: core to erased core (Slepak, Shivers, Manolios: The Semantics of Rank Polymorphism, section 3, figure 13).
//!
//! The pass computes the type of every expression on its way, because some forms keep the shape of a type that core does not
//! write down: the cells of a map, what a coercion starts from. It trusts its input: core has been checked. Ill-formed
//! core gives [`Malformed`], never a panic.

mod expr;
mod scope;

use crate::base::{Span, Symbol};
use crate::ir::core::free::FreeVars;
use crate::ir::core::subst::Replacement;
use crate::ir::core::{self, Shape, Type};
use crate::theory::erased;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Entry;

/// Core that the checker would have refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where.
    pub span: Span,
}

type Result<T> = std::result::Result<T, Malformed>;

/// Erases a program.
pub fn program(program: &core::Program) -> Result<erased::Program> {
    let mut eraser = Eraser::default();
    let mut defs = Vec::with_capacity(program.defs.len());
    for define in &program.defs {
        eraser.reset();
        if define.recursive {
            eraser.globals.insert(define.name, define.ty.clone());
        }
        let (body, _) = eraser.expr(&define.body)?;
        eraser.globals.insert(define.name, define.ty.clone());
        defs.push(erased::Define { name: define.name, body, span: define.span });
    }
    Ok(erased::Program { defs })
}

/// Erases a closed expression.
pub fn expr(expr: &core::Expr) -> Result<erased::Expr> {
    Eraser::default().expr(expr).map(|(erased, _)| erased)
}

/// Erases a closed expression and computes its type, independently of the checker.
pub fn with_type(expr: &core::Expr) -> Result<(erased::Expr, Type)> {
    Eraser::default().expr(expr)
}

/// Erases an expression whose free term variables have these types.
pub fn open_expr(variables: &[(Symbol, Type)], expr: &core::Expr) -> Result<erased::Expr> {
    let mut eraser = Eraser::default();
    for (name, ty) in variables {
        eraser.bind(core::free::Name::Size(*name), Some(ty.clone()), None);
    }
    eraser.expr(expr).map(|(erased, _)| erased)
}

/// The index residue of a type: its shape.
pub fn residue(ty: &Type) -> Shape {
    ty.shape().clone()
}

/// Erases one expression after the other and remembers what it found out about types on the way.
#[derive(Default)]
pub struct Eraser {
    globals: FxHashMap<Symbol, Type>,
    /// Variables in scope by their names in the program; term variables are `Name::Size`.
    scope: FxHashMap<core::free::Name, Entry>,
    /// What names in annotations stand for, where that is not the variable of the same name.
    meanings: FxHashMap<core::free::Name, Replacement>,
    /// Names that binders of the result in scope here have.
    used: FxHashSet<core::free::Name>,
    fresh: FxHashMap<Symbol, u64>,
    free: FreeVars,
}

/// Types remembered before the memory is given back.
const MAX_REMEMBERED: usize = 10_000;

impl Eraser {
    /// Erases a closed expression.
    pub fn closed(&mut self, expr: &core::Expr) -> Result<erased::Expr> {
        self.reset();
        self.expr(expr).map(|(erased, _)| erased)
    }

    fn reset(&mut self) {
        self.scope.clear();
        self.meanings.clear();
        self.used.clear();
        if self.free.len() > MAX_REMEMBERED {
            self.free = FreeVars::default();
        }
    }
}

fn malformed<T>(span: Span, message: impl Into<String>) -> Result<T> {
    Err(Malformed { message: message.into(), span })
}
