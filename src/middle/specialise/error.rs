//! What the specialiser cannot do: limits of this compiler. The program is right, and the evaluator of core runs it.

use crate::base::{Span, Symbol};
use crate::ir::core::Prim;

/// A limit that was met at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Error {
    /// The place.
    pub at: Span,
    /// What is not compiled.
    pub limit: Limit,
}

/// What is not compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// More statements than are made of any program.
    TooLarge,
    /// An entry point has type parameters.
    Polymorphic(Symbol),
    /// An entry point has parameters of any shape.
    AnyRank(Symbol),
    /// A parameter of an entry point, counted from 1, is a function.
    FunctionArgument { entry: Symbol, number: usize },
    /// An entry point returns a function.
    FunctionResult,
    /// An entry point returns an array of functions, or of boxes of different sizes.
    LiftedResult,
    /// A function that is not followed to where it is made.
    UnknownFunction,
    /// A function where data is needed.
    FunctionAsData,
    /// An array of functions, or of boxes of different sizes, where data is needed.
    LiftedAsData,
    /// An operation on arrays of functions.
    FunctionsInArrays,
    /// An array literal of functions without elements.
    NoFunctions,
    /// Functions are compared.
    ComparedFunctions,
    /// The size of an array of functions is checked.
    FunctionsOfSize,
    /// A loop makes a function of that of the iteration before.
    EndlessFunctions,
    /// A function that calls itself takes or returns what is neither data nor a function whose code is known.
    RecursionOverFunctions,
    /// A function that calls itself with other functions again and again.
    EndlessInstances,
    /// Two functions that call each other: one calls the other in a function that it is given.
    MutualRecursion,
    /// The derivative of a function that calls itself.
    DerivativeOfRecursion,
    /// Cells of an array of functions or boxes that are computed where they are used.
    LateRows,
    /// A size that only the inside of the program knows.
    HiddenSize(Symbol),
    /// The same of a shape.
    HiddenShape(Symbol),
    /// The same of a type.
    HiddenType(Symbol),
    /// An array of unknown rank.
    UnknownRank,
    /// An array of boxes.
    Boxes,
    /// The cells of a map have hidden sizes that come from outside of it.
    BoxesFromOutside,
    /// A branch returns an array whose size is hidden.
    BoxOfBranch,
    /// The size of an array of empty tuples or records is checked.
    Hollow,
    /// An operator on empty tuples or records that may fail.
    HollowOperator,
    /// A primitive.
    Primitive(Prim),
    /// The result of a function that is differentiated has sizes that only the function knows.
    DerivativeOfHiddenSizes,
    /// The function that is differentiated makes a ragged array.
    DerivativeOfRows,
    /// The gradient of what returns no single float.
    GradientOfNoFloat,
    /// A loop whose arrays change their size is differentiated in reverse.
    AdjointOfGrowingLoop,
}
