//! The type checker of core. It shares no code with inference: what it accepts is well typed whatever made it.
//!
//! # Contract
//!
//! A program that passes satisfies, for every definition in order:
//!
//! * its name is new; its type is closed and well formed; its body has that type; it mentions earlier definitions, primitives
//!   (`prims.remc`, scalar modules), what its binders bind and, if it is a function that is marked as recursive, itself, nothing else;
//! * **indices**: `n` is a size and `@s` a shape by the sigil; no size is left unknown; `(size x)` is of a variable of type `i64`;
//! * **types**: function types have parameters and are in their longest form; a parameter whose name is used has type `i64`;
//!   binders bind distinct names; labels of records ascend strictly;
//! * **equality** of types is up to names of bound variables, sizes and shapes by normal form ([`super::equal`]);
//! * **literals** have as many items as their shape says, all of the stated type;
//! * **application**: the function has rank 0 and at least as many parameters as there are arguments, one or more; each argument has exactly the
//!   type of its parameter; where a later parameter or the result mentions a parameter, its argument is a size expression
//!   ([`super::sizes`]), which takes its place;
//! * **instantiation** of a rank-0 Pi, then Forall: as many indices of the right sorts, as many types;
//! * bodies of `i-fn` and `t-fn` are **values**: abstractions, variables, literals, and of values: instantiations, partial applications, frames,
//!   `rep`, tuples, records and boxes;
//! * **let**: a variable bound to a size expression stands for that size in all types of the body; any other bound variable, and
//!   the cells of a map, may not occur in the type of the body ("irregular" for a map), nor may indices of an `unbox`;
//! * **map**: the shape of each array begins with the frame, the rest is the shape of the cell;
//! * both branches of an **if** have one type; the types of **loop** parameters are those of their first and of all later values;
//! * a **box** holds a value of its type with the hidden indices put in; **unbox** opens a rank-0 box;
//! * `reify-shape` of a shape without variables is a vector of `i64` of that length, else a box `(Sigma (n) [i64 n])`;
//! * **coerce** changes sizes only, outside functions, polymorphic values and boxes.
//!
//! Types are graphs; every question about them is answered once for each node. Inside, a binder that hides a name in scope is renamed, so that
//! a type always means the same variables.

mod apply;
mod bind;
mod error;
mod expr;
mod report;
mod scope;

pub use error::CoreError;

use super::equal::Equality;
use super::free::{FreeVars, Name};
use super::subst::Replacement;
use super::{ArrType, Define, Expr, ExprNode, Program, Type};
use crate::base::{Span, Symbol};
use error::{ErrorKind, Place};
use rustc_hash::{FxHashMap, FxHashSet};

/// For each `map` node the type of its body, in terms of the variables in scope there: the type of a cell when there is none.
///
/// The keys are valid as long as the program lives. Where the type needs a variable that is hidden by another of its name the entry is
/// missing, so names should be unique within a definition, as those of elaborated programs are.
pub type CellTypes = FxHashMap<*const ExprNode, Type>;

/// Checks a program; reports at least one error of each wrong definition.
pub fn check(program: &Program) -> Result<(), Vec<CoreError>> {
    annotate(program).map(drop)
}

/// The types of the cells of all maps, as far as the program is well typed.
pub fn map_cell_types(program: &Program) -> CellTypes {
    let mut checker = Checker::default();
    checker.program(program);
    checker.cells
}

/// For each `coerce` node the type of what it coerces, where it can be said as in [`CellTypes`], as far as the program is well typed.
pub fn coerced_types(program: &Program) -> CellTypes {
    let mut checker = Checker::default();
    checker.program(program);
    checker.coerced
}

/// [`check`] and [`map_cell_types`] at once.
pub fn annotate(program: &Program) -> Result<CellTypes, Vec<CoreError>> {
    let mut checker = Checker::default();
    checker.program(program);
    if checker.errors.is_empty() { Ok(checker.cells) } else { Err(checker.errors) }
}

/// What is in scope, for [`infer_type`].
#[derive(Default)]
pub struct TypeEnv {
    checker: Checker,
}

impl TypeEnv {
    /// Adds a definition.
    pub fn define(&mut self, name: Symbol, ty: Type) {
        self.checker.globals.insert(name, ty);
    }
    /// Adds a term variable; its type may mention what was added before.
    pub fn variable(&mut self, name: Symbol, ty: Type) {
        self.checker.bind(Name::Size(name), Some(ty), None);
    }
    /// Adds an index variable, `n` or `@s`.
    pub fn index(&mut self, name: Symbol) {
        self.checker.bind(Name::Index(name), None, None);
    }
    /// Adds a type variable.
    pub fn type_variable(&mut self, name: Symbol) {
        self.checker.bind(Name::Type(name), None, None);
    }
}

/// The type of an expression.
pub fn infer_type(env: &mut TypeEnv, expr: &Expr) -> Result<Type, CoreError> {
    let checker = &mut env.checker;
    checker.errors.clear();
    let ty = checker.infer(expr)?;
    match checker.errors.pop() {
        None => Ok(ty),
        Some(error) => Err(error),
    }
}

/// Whether evaluating the expression computes nothing, so that it may stand under `i-fn` and `t-fn`. Fails if it is not well typed.
pub fn is_value(env: &mut TypeEnv, expr: &Expr) -> Result<bool, CoreError> {
    infer_type(env, expr)?;
    Ok(env.checker.is_value(expr))
}

/// Types remembered before the memory is given back.
const MAX_REMEMBERED: usize = 10_000;

type Result<T, E = CoreError> = std::result::Result<T, E>;

/// A variable in scope.
#[derive(Debug, Clone)]
struct Entry {
    /// What types call it.
    internal: Name,
    /// Its type, for term variables.
    ty: Option<Type>,
}

#[derive(Default)]
struct Checker {
    globals: FxHashMap<Symbol, Type>,
    prims: FxHashMap<Symbol, Option<Type>>,
    /// Variables in scope by their names in the program; term variables are `Name::Size`.
    scope: FxHashMap<Name, Entry>,
    /// What names in annotations stand for, where that is not the variable of the same name.
    meanings: FxHashMap<Name, Replacement>,
    /// Internal names in scope.
    used: FxHashSet<Name>,
    /// For renamed variables, their names in the program.
    origins: FxHashMap<Name, Name>,
    fresh: FxHashMap<Symbol, u64>,
    free: FreeVars,
    equality: Equality,
    /// Types that are well formed; kept alive by `free`.
    well_formed: FxHashSet<*const ArrType>,
    /// Applications with fewer arguments than parameters.
    partial: FxHashSet<*const ExprNode>,
    cells: CellTypes,
    coerced: CellTypes,
    errors: Vec<CoreError>,
    def: Option<Symbol>,
}

impl Checker {
    fn error<T>(&self, span: Span, kind: impl Into<ErrorKind>) -> Result<T> {
        Err(CoreError { kind: kind.into(), span, def: self.def })
    }

    fn program(&mut self, program: &Program) {
        for define in &program.defs {
            self.def = Some(define.name);
            if let Err(error) = self.define(define) {
                self.errors.push(error);
            }
            self.globals.entry(define.name).or_insert_with(|| define.ty.clone());
            if self.free.len() + self.equality.len() > MAX_REMEMBERED {
                self.free = FreeVars::default();
                self.equality = Equality::default();
                self.well_formed.clear();
            }
            self.partial.clear();
        }
    }

    fn define(&mut self, define: &Define) -> Result<()> {
        let Define { name, ty, body, entry: _, recursive, span } = define;
        self.scope.clear();
        self.meanings.clear();
        self.used.clear();
        self.origins.clear();
        if self.globals.contains_key(name) {
            return self.error(*span, ErrorKind::DefinedTwice(*name));
        }
        let declared = self.annotation(ty, *span)?;
        if *recursive {
            if define.is_constant() {
                return self.error(*span, ErrorKind::RecursiveConstant(*name));
            }
            self.globals.insert(*name, ty.clone());
        }
        let found = self.infer(body)?;
        self.expect(&declared, &found, body.span(), Place::BodyOf(*name))
    }

    /// Both types are the same.
    fn expect(&mut self, expected: &Type, found: &Type, span: Span, place: Place) -> Result<()> {
        if self.equality.equal(&mut self.free, expected, found) {
            return Ok(());
        }
        self.error(span, ErrorKind::Mismatch { place, expected: expected.clone(), found: found.clone() })
    }
}
