//! What is wrong with core written by hand, as data. [`super::report`] puts it into words.

use super::insertions::{Arguments, Called, Operand};
use super::instantiate::Reason;
use crate::base::{Span, Symbol};
use crate::ir::core::read::{self, BinderKind};
use crate::ir::core::subst::Replacement;
use crate::ir::core::{Index, Shape, Type, sexp};

/// Something wrong, with its place.
pub(super) struct Error {
    pub at: Span,
    pub kind: ErrorKind,
}

/// What is wrong.
pub(super) enum ErrorKind {
    /// What any text of core can have wrong.
    Read(read::ErrorKind),
    Form(FormError),
    Name(NameError),
    Type(TypeError),
    Data(DataError),
    Box(BoxError),
    Call(CallError),
    Instance(InstanceError),
}

/// A form that does not look as it should.
pub(super) enum FormError {
    /// It has this keyword.
    Keyword(&'static str),
    /// `(i-fn () e)`, `(t-fn () e)`.
    NoVariables(BinderKind),
    /// The name of a shape where one of a value is wanted.
    ShapeForValue(Symbol),
    /// A name twice in one form.
    BoundTwice(Symbol),
    /// `~(r ..)f` that is not applied where it stands.
    RanksNotApplied,
    /// `~(r ..)f` applied to nothing.
    RanksWithoutArguments,
    /// Something else than a rank.
    NotARank,
}

/// What is wrong with definitions and names.
pub(super) enum NameError {
    /// `(use x)`, and the library that may have been meant.
    UnknownLibrary {
        name: Symbol,
        near: Option<&'static str>,
    },
    /// `(use x)` after the beginning.
    LateUse,
    DefinedTwice {
        name: Symbol,
        first: Span,
    },
    /// An expression that is not the last form of the file.
    LostExpression,
    Unknown {
        name: Symbol,
        advice: Option<Advice>,
    },
}

/// What may have been meant by an unknown name.
pub(super) enum Advice {
    DefinedLater(Span),
    IsSize,
    Similar(&'static str),
}

/// What is wrong with types.
pub(super) enum TypeError {
    /// A value has another type than its place.
    Mismatch {
        place: Place,
        wanted: Type,
        found: Type,
    },
    /// The condition of an `if` or a loop is an array.
    ArrayCondition(Shape),
    /// A size in a type cannot be written out.
    SizeTooLarge,
    /// The type of an expression mentions a variable of which nothing is known there.
    Escape {
        name: Symbol,
        from: Binding,
        ty: Type,
    },
    /// The body of an abstraction computes something.
    NoValue,
    UntypedParameter,
    /// `coerce` between types that differ in more than sizes.
    Coercion {
        from: Type,
        to: Type,
    },
    /// `reshape` between shapes that may have other numbers of elements.
    Reshape {
        from: Shape,
        to: Shape,
    },
    /// The array for a variable of a map does not begin with its frame.
    NoFrame {
        name: Symbol,
        found: Shape,
        frame: Shape,
    },
}

/// The place of a value whose type is known.
#[derive(Clone, Copy)]
pub(super) enum Place {
    ValueOf(Symbol),
    Value,
    FunctionBody,
    SecondBranch,
    Condition,
    FirstValueOf(Symbol),
    Iterations,
    LoopBody,
    BoxContent,
    /// A cell of a literal, from 1, that has another type than the first.
    Cell(usize),
    FrameCells,
}

/// What binds a variable.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Let,
    Map,
    Unbox,
}

/// What is wrong with literals, tuples, records and sums.
pub(super) enum DataError {
    UntypedEmpty(Empty),
    /// An array of more than [`MAX_RANK`](crate::base::MAX_RANK) dimensions.
    Rank(usize),
    /// Elements of `array` that are arrays of this shape.
    ArraysInArray(Shape),
    /// A literal with too many or too few items.
    Count {
        dims: Vec<u64>,
        items: usize,
    },
    NotOf {
        wanted: Data,
        found: Type,
    },
    NoComponent {
        at: usize,
        of: usize,
    },
    NoField {
        label: Symbol,
        ty: Type,
    },
    NoConstructor {
        label: Symbol,
        ty: Type,
    },
    Payload {
        label: Symbol,
        wanted: Type,
        found: Type,
    },
}

/// A literal without items.
#[derive(Clone, Copy)]
pub(super) enum Empty {
    Vector,
    Array,
    Frame,
}

/// Values that are taken apart.
#[derive(Clone, Copy)]
pub(super) enum Data {
    Tuple,
    Record,
    Sum,
}

/// What is wrong with boxes.
pub(super) enum BoxError {
    /// The type of a box is none.
    NoBoxType(Type),
    NoBox(Type),
    HiddenCount {
        wanted: usize,
        given: usize,
    },
    /// A hidden index of another sort than its name.
    HiddenSort {
        name: Symbol,
        given: Index,
    },
    /// The names of an `unbox` do not fit the box.
    HiddenNames {
        names: Vec<Symbol>,
        ty: Type,
    },
    /// `lift` of something else than sizes.
    NoSizes(Type),
    /// `lift` of something else than a vector to a shape.
    NoVector(Type),
}

/// What is wrong with applications.
pub(super) enum CallError {
    NoFunction {
        called: Called,
        ty: Type,
    },
    ArgumentCount {
        called: Called,
        takes: usize,
        given: usize,
    },
    RankCount {
        ranks: usize,
        arguments: usize,
    },
    /// The rank of an argument for a parameter of some rank is not known.
    UnknownRank(Shape),
    /// An argument that appears in a type is no size. `scalar` says that it is a single number.
    UnknownSize {
        operand: Argument,
        scalar: bool,
    },
    /// The argument does not consist of such cells.
    Cells {
        operand: Argument,
        wanted: Type,
        found: Type,
        same_atoms: bool,
    },
    /// Two frames neither of which is a prefix of the other.
    Frames {
        called: Called,
        first: Framed,
        second: Framed,
    },
}

/// An argument, counted from 0, of what is called so.
#[derive(Clone, Copy)]
pub(super) struct Argument {
    pub at: usize,
    pub of: Called,
}

/// An operand with its frame.
#[derive(Clone)]
pub(super) struct Framed {
    pub operand: Operand,
    pub frame: Shape,
    pub at: Span,
}

/// What is wrong with type and index arguments.
pub(super) enum InstanceError {
    TakesNoIndices {
        called: Called,
        ty: Type,
    },
    IndexCount {
        called: Called,
        names: Vec<Symbol>,
        given: usize,
    },
    IndexSort {
        called: Called,
        name: Symbol,
        given: Index,
    },
    NegativeSize(i64),
    TakesNoTypes {
        called: Called,
        ty: Type,
    },
    TypeCount {
        called: Called,
        takes: usize,
        given: usize,
    },
    ArrayForAtom {
        called: Called,
        ty: Type,
    },
    /// Whatever was left out, it does not fit. The operand for which it does not, with its type; none if an instance stands alone.
    Contradiction {
        operand: Option<(Argument, Type)>,
        reason: Reason,
    },
    TooManyChoices,
    Undetermined(Undetermined),
}

/// Arguments that were left out and do not follow from others.
pub(super) struct Undetermined {
    /// Their names, and what they are left out of.
    pub missing: Vec<(Symbol, Called)>,
    /// What they may be.
    pub possible: Vec<Vec<(Symbol, Replacement)>>,
    /// How the instances could be written.
    pub written: Vec<(Called, Arguments)>,
}

families!(
    Read(read::ErrorKind),
    Form(FormError),
    Name(NameError),
    Type(TypeError),
    Data(DataError),
    Box(BoxError),
    Call(CallError),
    Instance(InstanceError)
);

impl From<read::Error> for Error {
    fn from(error: read::Error) -> Error {
        Error { at: error.at, kind: ErrorKind::Read(error.kind) }
    }
}
impl From<sexp::Error> for Error {
    fn from(error: sexp::Error) -> Error {
        read::Error::from(error).into()
    }
}
