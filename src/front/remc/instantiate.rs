//! Index and type arguments that were left out, found from the types of the arguments of an application.
//!
//! An application `(head xs)` of a polymorphic function leads to a [`Problem`]: the sizes, shapes and atom types to be found, and
//! for each argument an equation between the type of the parameter and that of the argument. A parameter takes *cells*: the
//! shape of the argument is a frame followed by the shape of the parameter ([`Equation::Cell`]; Slepak, Shivers, Manolios: The
//! Semantics of Rank Polymorphism, figure 7, rule App; the paper leaves inference out, so what follows is ours).
//!
//! # What is an answer
//!
//! A *solution* gives each unknown a term such that all equations hold for all values of the variables of the program: unknown
//! shapes are words over the items (sizes and shape variables) of the given types, unknown sizes are terms that are natural
//! numbers whatever their variables are. Frames that neither is a beginning of the other are no solution, unless nothing else
//! is (then the caller reports them).
//!
//! Many applications have several solutions: `(head xs)` of a matrix can take the first row (the cell is the matrix, the frame
//! is `[]`) or the first element of each row. **The smallest frame** decides: if there is a solution in which every frame is
//! at most as long as in any other solution, its frames are chosen. So a cell takes the whole argument unless another equation says
//! otherwise. With these frames fixed the rest must be unique; if it is not, or if there are no smallest frames, the
//! answer is [`Unsolved::Undetermined`].
//!
//! # How it is found, and the limits
//!
//! 1. Types are compared by structure, which gives the atom types and equations between words and between sizes. Names of bound
//!    variables do not matter; no unknown may stand for a term with a bound variable in it.
//! 2. Word equations are simplified (`words.rs`): items at both ends are paired, a lone unknown is bound. What is left and has no
//!    unknowns on one side is solved by trying all ways to cut that side, independent groups of unknowns one after the other. This is complete:
//!    every solution of such equations is a cut. Equations with unknown shapes on both sides that simplification does not
//!    solve are left alone: their unknowns are undetermined.
//! 3. Size equations are linear over the natural numbers (`sizes.rs`); products with unknowns in them wait until they are linear.
//! 4. After [`MAX_STEPS`] cuts the search ends with [`Unsolved::TooManyChoices`].

mod report;
mod sizes;
#[cfg(test)]
mod tests;
mod unify;
mod words;

pub use report::shown;

use crate::base::Symbol;
use crate::ir::core::free::Name;
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Dim, Shape, Type};
use rustc_hash::FxHashMap;

/// How many cuts of words the search tries.
pub const MAX_STEPS: usize = 20_000;

/// Unknowns with equations that they should satisfy. Unknowns are variables with names that occur nowhere else.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// Unknown sizes.
    pub dims: Vec<Symbol>,
    /// Unknown shapes; the names begin with `@`. Frames of [`Equation::Cell`] are not listed.
    pub shapes: Vec<Symbol>,
    /// Unknown atom types.
    pub atoms: Vec<Symbol>,
    /// Frames that are known beforehand, such as that of an array of functions.
    pub frames: Vec<Shape>,
    /// What should hold.
    pub equations: Vec<Equation>,
}

/// An equation between types.
#[derive(Debug, Clone)]
pub enum Equation {
    /// The types are equal.
    Exact {
        /// The type with unknowns.
        param: Type,
        /// The type that was found.
        arg: Type,
    },
    /// The atom types are equal, and the shape of `arg` is `frame` followed by the shape of `param`.
    Cell {
        /// The type of the cells.
        param: Type,
        /// The type that was found.
        arg: Type,
        /// A fresh name for the frame, beginning with `@`.
        frame: Symbol,
    },
}

/// What the unknowns stand for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solution {
    /// Sizes.
    pub dims: FxHashMap<Symbol, Dim>,
    /// Shapes, with the frames.
    pub shapes: FxHashMap<Symbol, Shape>,
    /// Atom types.
    pub atoms: FxHashMap<Symbol, Atom>,
}

impl Solution {
    /// A frame; none if there is no such frame or unknown shape.
    pub fn frame(&self, name: Symbol) -> Option<&Shape> {
        self.shapes.get(&name)
    }
    /// The solution as a substitution.
    pub fn subst(&self) -> Subst {
        let mut subst = Subst::default();
        for (name, dim) in &self.dims {
            subst.insert(Name::Index(*name), Replacement::Dim(dim.clone()));
        }
        for (name, shape) in &self.shapes {
            subst.insert(Name::Index(*name), Replacement::Shape(shape.clone()));
        }
        for (name, atom) in &self.atoms {
            subst.insert(Name::Type(*name), Replacement::Atom(atom.clone()));
        }
        subst
    }
    /// What an unknown stands for.
    pub fn value(&self, unknown: Symbol) -> Option<Replacement> {
        let dim = self.dims.get(&unknown).cloned().map(Replacement::Dim);
        let shape = || self.shapes.get(&unknown).cloned().map(Replacement::Shape);
        dim.or_else(shape).or_else(|| self.atoms.get(&unknown).cloned().map(Replacement::Atom))
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Unsolved {
    /// There is no solution.
    Contradiction {
        /// The position of the equation that fails, where the frames are the smallest possible.
        equation: usize,
        /// What is wrong.
        reason: Reason,
    },
    /// There are several solutions, or more than what is decided here.
    Undetermined {
        /// The unknowns that could be one thing or another, in the order of the problem, frames last.
        unknowns: Vec<Symbol>,
        /// Up to three solutions that differ in them, if some were found. Unknowns without a value may be anything.
        candidates: Vec<Solution>,
    },
    /// The search was given up.
    TooManyChoices {
        /// The equation that can be read in many ways.
        equation: usize,
    },
}

/// Why an equation has no solution.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// The types are not equal, and have no unknowns.
    Types {
        /// That of the parameter.
        expected: Type,
        /// That of the argument.
        found: Type,
    },
    /// Nor are these types of elements.
    Elements {
        /// That of the parameter.
        expected: Atom,
        /// That of the argument.
        found: Atom,
    },
    /// One type binds other variables than the other.
    Binders(Type, Type),
    /// This unknown would contain itself.
    Infinite(Symbol),
    /// An unknown would mention a variable that is bound inside of a type.
    Bound {
        /// The unknown.
        name: Symbol,
        /// The variable.
        bound: Symbol,
    },
    /// The shapes are not equal.
    Shapes {
        /// That of the parameter.
        expected: Shape,
        /// That of the argument.
        found: Shape,
    },
    /// No end of a shape is that of a cell.
    NoCells {
        /// That of the argument.
        array: Shape,
        /// That of the parameter.
        cell: Shape,
    },
    /// The sizes are not equal.
    Sizes {
        /// That of the parameter.
        expected: Dim,
        /// That of the argument.
        found: Dim,
        /// What would follow.
        why: Why,
    },
    /// A size cannot be written out.
    TooLarge,
}

/// What would follow if sizes were equal that are not.
#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// They have no unknowns.
    Different,
    /// No natural numbers make them equal.
    NoNaturals,
    /// A multiple of an unknown would be no multiple.
    Multiple {
        /// The unknown.
        name: Symbol,
        /// How often it is taken.
        factor: i64,
        /// What that would be.
        of: Dim,
    },
    /// An unknown would mention a variable that is bound inside of a type.
    Bound {
        /// The unknown.
        name: Symbol,
        /// The variable.
        bound: Symbol,
    },
    /// An unknown would be no natural number for some values of its variables.
    Negative {
        /// The unknown.
        name: Symbol,
        /// Its value.
        value: Dim,
    },
}

/// Finds the answer, or why there is none.
pub fn solve(problem: &Problem) -> Result<Solution, Unsolved> {
    let (context, state, atoms) = unify::unify(problem)?;
    let (mut solution, mut unclear) = words::solve(&context, state, &problem.frames)?;
    let (resolved, open) = unify::resolve(&context, &atoms, &solution)?;
    solution.atoms = resolved;
    let frames = problem.equations.iter().filter_map(|equation| match equation {
        Equation::Cell { frame, .. } => Some(*frame),
        Equation::Exact { .. } => None,
    });
    let known = |name: &Symbol| solution.dims.contains_key(name) || solution.shapes.contains_key(name) || solution.atoms.contains_key(name);
    let all = problem.dims.iter().chain(&problem.shapes).chain(&problem.atoms).copied().chain(frames);
    let unknowns: Vec<Symbol> = all.filter(|name| !known(name) || open.contains(name) || unclear.unknowns.contains(name)).collect();
    if unknowns.is_empty() {
        return Ok(solution);
    }
    for candidate in &mut unclear.candidates {
        candidate.atoms = solution.atoms.clone();
    }
    if unclear.candidates.is_empty() {
        unclear.candidates.push(solution);
    }
    Err(Unsolved::Undetermined { unknowns, candidates: unclear.candidates })
}
