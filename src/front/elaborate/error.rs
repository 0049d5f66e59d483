//! Why a definition has no core, as data; [`report`](super::report) has the words.

use super::Natural;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::{Dim, Type};

/// Why a definition has no core.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// It is refused.
    Refused(Box<Error>),
    /// It has a part, at this place, that the parser could not read, and has reported.
    Unread(Span),
}

/// Why a definition is refused. Sizes and types are as they were known then, in terms of names that the user knows.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where.
    pub at: Span,
    /// What surrounds that place, from the inside out.
    pub context: Vec<Context>,
}

/// What is wrong with a definition.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorKind {
    /// Sizes contradict each other.
    Mismatch(Mismatch),
    /// An array would be irregular.
    Irregular(Irregular),
    /// Nothing determines a size.
    Undetermined(Undetermined),
    /// A size is negative.
    Negative(Negative),
    /// Types differ in more than sizes: excluded by inference.
    TypesDiffer { types: Option<Sides> },
    /// The type of a computed value is left open.
    OpenType(OpenType),
    /// A type is too large after its abbreviations are expanded.
    TypeTooLarge,
    /// A size in the type of an application has too many terms or factors.
    SizeTooLarge,
    /// An abbreviation is applied to the wrong arguments.
    AbbreviationArguments,
    /// An index is a negative literal.
    NegativeIndex,
    /// A literal is not a value of its type.
    NumberOutOfRange { ty: PrimType },
    /// A hole is left in the program.
    Hole,
}

/// Sizes that contradict each other.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum Mismatch {
    /// Two sizes that are never equal (`definite`), or not known to be equal; perhaps in types.
    Sizes { expected: Dim, found: Dim, definite: bool, origins: Vec<Origin>, types: Option<Sides> },
    /// A size that is known only after a call is used as a value.
    KnownAfterCall,
    /// A parameter of existential size stands in the type of a function.
    ExistentialParameter,
    /// The size of a parameter would have to be computed.
    ComputedParameter,
    /// The sizes of the values of a loop change without end.
    Loop,
}

/// Why an array would be irregular.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum Irregular {
    /// A size, in which `inner` occurs, would have to be known outside of the scope in which `inner` arises.
    Escape { size: Dim, inner: Dim, origins: Vec<Origin>, types: Option<Sides> },
    /// A value of existential size stands where a regular one is needed.
    Existential { types: Option<Sides> },
    /// The cells that a map makes have this size, which differs from cell to cell, or hide theirs.
    Cells { size: Option<(Dim, Vec<Origin>)> },
    /// The results of a function that is given to a definition differ in size; the definition needs one size there.
    Results { definition: Option<Symbol>, needed: Span },
    /// The results of a function that is given to a definition differ in size, and the result of that is an array of them.
    Argument { definition: Option<Symbol> },
}

/// An argument that is replicated because its function takes an array of a higher rank.
#[allow(missing_docs, reason = "the line above says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub struct Replicated {
    pub at: Span,
    /// What the function is called.
    pub function: Option<Symbol>,
    /// The rank of the argument.
    pub has: usize,
    /// The rank that the function takes.
    pub takes: usize,
}

/// What nothing determines.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum Undetermined {
    /// A size for which the definition that is used makes something.
    Made { size: Symbol },
    /// A size of a function to which the definition that is used is applied.
    Function { size: Symbol },
    /// A size that those of the definition's parameters are computed from.
    Computed { size: Symbol },
    /// The parts of a size.
    Parts { size: Dim },
    /// A declared size parameter.
    Parameter { size: Symbol },
    /// A size that a pattern binds.
    Pattern,
    /// How often something is replicated; why it is, unless that is written.
    Replication { inserted: Option<Replicated> },
    /// The sizes of what a recursive definition returns: no exit without a recursive call says them, or they change with what is assumed.
    Recursion { result: Option<Type> },
}

/// A negative size.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum Negative {
    /// It follows from others.
    Solved { natural: Natural, size: i64 },
    /// It is written.
    Written { size: i64 },
}

/// A computed value whose type is left open.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenType {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
    /// What computes it.
    pub body: Span,
    /// Sizes that are open.
    pub sizes: Vec<Symbol>,
    /// Types that are open.
    pub types: Vec<Symbol>,
}

/// Two types that should be the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Sides {
    /// The one that is needed.
    pub expected: Type,
    /// The one that is there.
    pub found: Type,
}

/// Where a size comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The size; `None` if it is not written.
    pub size: Option<Dim>,
    /// Whether it is a parameter of what is called at the place.
    pub call: bool,
    /// The place.
    pub at: Span,
}

/// What surrounds the place of an error.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum Context {
    /// An application at which maps were inserted.
    InsertedMaps(Span),
    /// An array literal, of which it is an element.
    Elements(Span),
    /// An application of `map`, of which it is an array.
    Map(Span),
    /// An application that is mapped over it and other arguments. Where its axes do not meet those of the same numbers: the number of the
    /// axis, and that of the axis which meets it and belongs to the argument at that place.
    MappedTogether { application: Span, axes: Option<(usize, usize, Span)> },
    /// A call of this definition.
    Call(Symbol),
    /// A function with this name, which is mapped.
    Function(Symbol),
    /// A type with sizes to be checked at run time, which cannot be done here.
    Unchecked,
}

impl Error {
    /// The error at a place of which nothing else is known.
    pub(super) fn new(kind: ErrorKind, at: Span) -> Error {
        Error { kind, at, context: Vec::new() }
    }
    /// The error within something else.
    pub(super) fn within(mut self, context: Context) -> Error {
        self.context.push(context);
        self
    }
    /// Whether sizes contradict each other, so that the definition has no meaning whatever else is known.
    pub fn is_contradiction(&self) -> bool {
        matches!(self.kind, ErrorKind::Mismatch(_) | ErrorKind::Irregular(_))
    }
    /// The smallest place around that of the error which has to do with it; itself, if there is none.
    pub fn application(&self) -> Span {
        let around = self.places().filter(|place| place.contains(self.at) && *place != self.at);
        around.min_by_key(|place| place.end - place.start).unwrap_or(self.at)
    }
    fn places(&self) -> impl Iterator<Item = Span> {
        let origins = match &self.kind {
            ErrorKind::Mismatch(Mismatch::Sizes { origins, .. })
            | ErrorKind::Irregular(Irregular::Escape { origins, .. } | Irregular::Cells { size: Some((_, origins)) }) => origins.as_slice(),
            _ => &[],
        };
        let needed = match self.kind {
            ErrorKind::Irregular(Irregular::Results { needed, .. }) => Some(needed),
            _ => None,
        };
        let context = self.context.iter().flat_map(|context| match *context {
            Context::InsertedMaps(at) | Context::Elements(at) | Context::Map(at) => [Some(at), None],
            Context::MappedTogether { application, axes } => [Some(application), axes.map(|(_, _, at)| at)],
            Context::Call(_) | Context::Function(_) | Context::Unchecked => [None, None],
        });
        origins.iter().map(|origin| origin.at).chain(needed).chain(context.flatten())
    }
}

impl Failure {
    /// The error within something else.
    pub(super) fn within(self, context: Context) -> Failure {
        match self {
            Failure::Refused(error) => Failure::Refused(Box::new(error.within(context))),
            Failure::Unread(at) => Failure::Unread(at),
        }
    }
    /// What it is refused for.
    pub fn kind(&self) -> Option<&ErrorKind> {
        match self {
            Failure::Refused(error) => Some(&error.kind),
            Failure::Unread(_) => None,
        }
    }
    /// The main place.
    pub fn span(&self) -> Span {
        match self {
            Failure::Refused(error) => error.at,
            Failure::Unread(at) => *at,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Refused(Box::new(error))
    }
}
