//! What is wrong with a text, as data. [`super::report`] puts it into words.

use super::lexer::Tok;
use super::literal::LiteralError;
use crate::base::{Span, Symbol};
use crate::ir::attributes::Takes;

/// Something wrong, with its place. Where it is about a token that was found, the place is that of the token.
#[derive(Debug)]
pub(super) struct Error {
    pub at: Span,
    pub kind: ErrorKind,
}

/// What is wrong.
#[derive(Debug)]
pub(super) enum ErrorKind {
    // Characters.
    /// Text that is no token.
    UnknownCharacters,
    /// The `#` of a comment of another language.
    ForeignComment,
    Literal(LiteralError),
    // Something else was expected.
    Expected {
        wanted: Wanted,
        found: Tok,
        meant: Option<Meant>,
    },
    /// Something else than what continues or closes a bracket.
    InBracket {
        wanted: Wanted,
        closer: Tok,
        found: Tok,
        opened: Span,
        meant: Option<Meant>,
    },
    /// Where a bracket has to be closed at the latest.
    UnclosedBracket {
        closer: Tok,
        found: Tok,
        opened: Span,
        meant: Option<Meant>,
    },
    /// A closing bracket where none is open.
    ClosesNothing,
    /// An operator between backticks does not end.
    UnclosedOperator {
        found: Tok,
        opened: Span,
    },
    /// `(x: t)` that is no parameter of a function type.
    NamedType {
        found: Tok,
        opened: Span,
    },
    /// A `let` without `in`. With `binding`, `y = e` follows without a `let`.
    LetWithoutBody {
        found: Tok,
        start: Span,
        binding: bool,
    },
    RangeEnd {
        found: Tok,
    },
    /// With `equals`, a name that is followed by `=`.
    NoDeclaration {
        found: Tok,
        equals: bool,
    },
    NoSpecification {
        found: Tok,
    },
    /// What is written otherwise here.
    Foreign(Foreign),
    Misplaced(Misplaced),
    // Warnings.
    /// A number that does not fit into its type, in a language where it wraps around; what it becomes.
    Wrapped {
        becomes: i128,
    },
    /// An attribute that is about loops, at something else.
    NoLoop(LoopAttribute),
    /// An attribute in front of what is neither an expression nor a definition.
    AttributeOfNothing,
    /// An attribute that is not known, and the one that may have been meant.
    UnknownAttribute {
        name: String,
        near: Option<&'static str>,
    },
    /// An attribute with this in parentheses, and what it takes instead.
    AttributeArgument {
        argument: String,
        takes: Takes,
    },
}

/// An attribute that is about loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoopAttribute {
    /// `unroll`.
    Unroll,
    /// `stripmine(k)`.
    Stripmine,
    /// `bound(n)`, which is about loops with a condition.
    Bound,
}

/// What stands where it must not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Misplaced {
    /// `include` outside of a module type.
    Include,
    /// `(p,)`.
    OneComponentPattern,
    /// `(e,)`.
    OneComponentTuple,
    /// A size parameter after other parameters.
    LateSizeParameter,
    /// A definition of a pattern at the top.
    PatternDefinition,
    /// A definition of a name of a module.
    QualifiedDefinition,
    /// No name and no number behind the dot.
    FieldName,
    /// More than three parts of a range.
    LongRange,
    /// `m.(e)` where `m` is no name.
    OpensNoModule,
    /// An argument that needs parentheses and starts with this.
    BareArgument(Tok),
    /// `(!)`.
    SectionOfNot,
    /// `(a + b *)`: the operator and the operand.
    LooseOperand { section: Symbol, operand: Span },
    /// A loop pattern that is not made of names, without `=`.
    LoopWithoutStart,
}

/// What is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Wanted {
    Token(Tok),
    Name,
    FieldName,
    /// Of a definition, a type, a size, ..
    NameOf(Named),
    Expression,
    EndOfExpression,
    Pattern,
    Type,
    Number,
    Parameter,
    Constructor,
    Index,
    IndexOrBracket,
    Path,
    Module,
    ModuleParameter,
    ModuleType,
    /// `:` and the module type.
    Ascription,
    /// `:` and the module type of the parameter.
    ParameterAscription,
    Declaration,
    Specification,
    NextDeclaration,
    NextSpecification,
    ForOrWhile,
    LessOrIn,
    CommaOrColon,
    OperatorOrComma,
    /// Only the closing bracket.
    NothingElse,
}

/// What has a name that is expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Named {
    Definition,
    Type,
    TypeParameter,
    Size,
    Attribute,
    SomeModule,
    Module,
    ModuleType,
    ModuleParameter,
}

/// What may have been meant by a token that was not expected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meant {
    /// `x in xs`.
    Membership,
    /// `x -> e`.
    Lambda,
    /// `a = b`.
    Equality,
    /// `f(a, axis=0)`.
    NamedArgument,
    /// `y = e` at the beginning of a line.
    Binding,
    /// `let x += e`.
    Assignment,
    /// `c ? a : b`.
    Choice,
    /// `[e for x in xs]`.
    Comprehension,
    /// `def f(x: t) -> t`.
    ResultType,
    /// `def f(x) {`.
    Body,
    /// `def f(x: t, y: t)`.
    Parameters,
    /// `a, b = ..`.
    TuplePattern,
    /// `_` as an expression.
    Hole,
    /// `'` as an expression.
    Character,
    /// `'a` as a type.
    TypeParameter,
    /// `import numpy`.
    NumPy,
}

/// Notation of other languages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Foreign {
    /// `for ..` as an expression.
    For,
    /// `while ..` as an expression.
    While,
    /// `a if c else b`.
    ChoiceBehind,
    /// `if c: a else: b`.
    ChoiceWithColons,
}
