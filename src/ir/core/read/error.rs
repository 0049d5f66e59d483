//! What is wrong with a text of core, as data. [`super::report()`] puts it into words.

use crate::base::{Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::sexp;

/// Something wrong, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// The place.
    pub at: Span,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorKind {
    /// With the notation of s-expressions.
    Notation(sexp::ErrorKind),
    /// Something else than a form of this notation.
    Expected(&'static str),
    /// Something else than a form with this keyword looks like.
    Form(&'static str),
    /// Something else than this.
    Wanted(Wanted),
    /// More than one form.
    SecondForm,
    // Expressions.
    /// A shape variable as an expression.
    ShapeAsExpression(Symbol),
    /// A string as an expression.
    TextAsExpression,
    /// `[e ..]` of cells whose types are not evident.
    UntypedCells,
    /// `[]`.
    EmptyVector,
    /// `(array [0])`.
    EmptyArray,
    /// `(array [n ..] t)` of a type that is no scalar type.
    ArrayOfNoScalars,
    /// `(array [n ..] e ..)` with something else than literals.
    ArrayOfNoLiterals,
    /// The shape of a literal has something else than numbers.
    LiteralShape,
    // Indices.
    /// A word that is no index.
    NotAnIndex(Symbol),
    /// A size where a shape is wanted.
    SizeForShape,
    /// A shape where a size is wanted.
    ShapeForSize,
    /// A size that is too large to be written out.
    SizeTooLarge,
    /// `(size x)` of a parameter that is no `i64`.
    ParameterIsNoSize(Symbol),
    // Types.
    /// A word that is no type.
    NotAType(Symbol),
    /// An array type where an atom type is wanted.
    ArrayForAtom,
    /// An array type is written like this.
    ArrayType(&'static str),
    /// `Uniq` of none or several types.
    UniqueType,
    /// A label occurs twice.
    LabelTwice(Symbol),
    // Binders.
    /// `Forall` or `Pi` without variables.
    BindsNothing(&'static str),
    /// Something else than a variable with its kind or sort.
    Binder(BinderKind),
    /// A word that is neither kind or sort.
    BinderWord(BinderKind),
    /// The name has the sigil of the other kind or sort than is written.
    BinderSigil {
        /// The name.
        name: Symbol,
        /// What it is a variable for.
        kind: BinderKind,
    },
    /// A name twice.
    BoundTwice {
        /// The name.
        name: Symbol,
        /// Where it is bound first.
        first: Span,
    },
    /// A type variable of kind Array where one of kind Atom is wanted.
    NotAnAtomVariable(Symbol),
    // Scopes.
    /// A name that is not in scope.
    Unknown {
        /// The name.
        name: Name,
        /// What may have been meant.
        advice: Option<Advice>,
    },
    /// `(size x)` of a variable that is no `i64`.
    VariableIsNoSize(Symbol),
}

/// What is wanted somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Any form.
    Form,
    /// The name of a definition, variable or label.
    Name,
    /// The name of a variable that is bound.
    Variable,
    /// An expression.
    Expression,
    /// The number of a component.
    Component,
    /// A string.
    Text,
    /// A size or a shape.
    Index,
    /// A size or a shape in parentheses.
    IndexForm,
    /// A type.
    Type,
    /// A type in parentheses.
    TypeForm,
}

/// What may have been meant by a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// A name of almost the same letters.
    Similar(&'static str),
    /// The size that a variable is.
    SizeOf(Symbol),
}

/// What variables stand for, which have a sort or a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinderKind {
    /// Sizes and shapes.
    Index,
    /// Atom types and array types.
    Type,
}

impl BinderKind {
    /// The words for the small and the large sort or kind.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            BinderKind::Index => ("Dim", "Shape"),
            BinderKind::Type => ("Atom", "Array"),
        }
    }
}

impl From<sexp::Error> for Error {
    fn from(error: sexp::Error) -> Error {
        Error { at: error.at, kind: ErrorKind::Notation(error.kind) }
    }
}
