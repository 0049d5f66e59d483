//! Rules that core breaks, as data. [`super::report`] puts them into words.

use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::{Index, Shape, Type};

/// A rule that a program breaks.
#[derive(Debug, Clone, PartialEq)]
pub struct CoreError {
    /// Which, with what breaks it.
    pub(super) kind: ErrorKind,
    /// Where.
    pub span: Span,
    /// The definition, if it is in one.
    pub def: Option<Symbol>,
}

/// Which rule is broken.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ErrorKind {
    /// One of the form of types, indices and binders, or of scopes.
    Form(FormError),
    DefinedTwice(Symbol),
    /// A definition that is marked as recursive is no function.
    RecursiveConstant(Symbol),
    UnknownVariable(Symbol),
    /// A value has another type than its place.
    Mismatch {
        place: Place,
        expected: Type,
        found: Type,
    },
    /// A value is not of this form, or of another rank than 0.
    NotOf {
        wanted: Wanted,
        found: Type,
    },
    // Literals and data.
    /// The shape of a literal is too large.
    LiteralShape,
    LiteralCount {
        shape: Shape,
        items: usize,
    },
    ItemType {
        elem: PrimType,
        found: PrimType,
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
    Coercion {
        from: Type,
        to: Type,
    },
    // Functions.
    /// A function without parameters.
    NoParameters,
    /// An application without arguments.
    NoArguments,
    /// An instantiation without types and indices.
    NoInstance,
    Count {
        called: Called,
        takes: usize,
        what: Arguments,
        given: usize,
    },
    /// An argument that appears in a type is no size expression.
    NoSize {
        argument: usize,
        called: Called,
    },
    TakesNo {
        called: Called,
        what: Arguments,
        ty: Type,
    },
    /// An index of another sort than its name.
    IndexSort {
        name: Symbol,
        given: Index,
    },
    /// The body of an abstraction computes something.
    NoValue(Binder),
    // Forms that bind.
    /// The type of an expression mentions a variable of which nothing is known there.
    Escape {
        name: Symbol,
        from: Binding,
    },
    /// The array for a variable of a map does not begin with its frame.
    NoFrame {
        name: Symbol,
        found: Shape,
        frame: Shape,
    },
    /// The names of an `unbox` do not fit the box.
    HiddenNames(Type),
}

/// Rules of types, indices and binders that do not depend on expressions.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FormError {
    /// A variable of a type that is not in scope.
    NotInScope(Name),
    /// `(size x)` of a variable that is no `i64`.
    VariableIsNoSize(Symbol),
    /// `(size x)` of a parameter that is no `i64`.
    ParameterIsNoSize(Symbol),
    SizeWanted,
    ShapeWanted,
    /// A size that cannot be written out.
    TooLarge,
    /// An unknown that inference left.
    UnknownSize(u32),
    ShapeForSize(Symbol),
    SizeForShape(Symbol),
    ShapeForType(Symbol),
    /// The name of a shape for a type variable.
    ShapeSigil(Symbol),
    /// A function type without parameters.
    NoParameters,
    /// A function type whose result is a function.
    NotJoined,
    EmptySum,
    BindsNothing(Binder),
    BoundTwice(Symbol),
    /// A label that does not come after the one before it.
    LabelOrder(Symbol),
}

impl From<FormError> for ErrorKind {
    fn from(error: FormError) -> ErrorKind {
        ErrorKind::Form(error)
    }
}

/// The place of a value whose type is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Place {
    BodyOf(Symbol),
    ValueOf(Symbol),
    FunctionBody,
    SecondBranch,
    Condition,
    FirstValueOf(Symbol),
    Iterations,
    LoopBody,
    BoxContent,
    /// A cell of a frame, from 0.
    Cell(usize),
    Payload(Symbol),
    /// An argument, from 0.
    Argument {
        at: usize,
        of: Called,
    },
}

/// What a function is called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Called {
    Name(Symbol),
    Function,
}

/// Kinds of arguments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Arguments {
    Values,
    Indices,
    Types,
}

/// Forms of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    Function,
    Tuple,
    Record,
    Sum,
    Box,
}

/// What binds type or index variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binder {
    Forall,
    Pi,
    IFn,
    TFn,
}

/// What binds variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Binding {
    Let,
    Map,
    Unbox,
}
