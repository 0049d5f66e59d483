//! What is wrong with names, modules and imports, as data. [`super::report`] puts it into words.

use super::unused::Binder;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::surface::{Ident, TypeParam};

/// Something wrong, with its place.
pub(super) struct Error {
    pub at: Span,
    pub kind: ErrorKind,
}

/// What is wrong.
pub(super) enum ErrorKind {
    // Values.
    /// A constant, or a function in a `let`, uses itself.
    Recursion {
        name: Symbol,
        defined: Span,
        local: bool,
    },
    /// A function uses one that comes later and uses it.
    MutualRecursion {
        name: Symbol,
        later: Span,
        own: Ident,
    },
    /// A function uses itself by a name that meant something else before: a warning.
    HidesByRecursion {
        name: Symbol,
    },
    /// A local name that nothing uses: a warning.
    Unused {
        name: Symbol,
        binder: Binder,
    },
    /// A name or an operator that means nothing, with the other places where the definition mentions it. With `implicit_start`, where a loop
    /// without `=` takes its start from variables before it.
    UnknownName {
        name: Symbol,
        advice: Option<NameAdvice>,
        implicit_start: bool,
        also: Vec<Span>,
    },
    /// Sizes that a definition or an abbreviation does not declare, with all places where it mentions them; the head of a declaration that has them.
    UndeclaredSizes {
        names: Vec<Symbol>,
        also: Vec<Span>,
        head: String,
    },
    /// `prefix.field`, where the prefix is neither a variable nor a module.
    UnknownPrefix {
        prefix: Symbol,
        field: Symbol,
        advice: Option<PrefixAdvice>,
        implicit_start: bool,
    },
    /// `module.member`, where the module has no such value.
    UnknownMember {
        module: Vec<Ident>,
        member: Symbol,
        advice: Option<MemberAdvice>,
    },
    // Types.
    UnknownType {
        name: Symbol,
        advice: Option<TypeAdvice>,
    },
    /// `module.name`, where the module has no such type.
    UnknownMemberType {
        module: Vec<Ident>,
        name: Symbol,
        advice: Option<MemberTypeAdvice>,
    },
    /// An abbreviation that leads to itself through those of `path`.
    RecursiveType {
        own: Ident,
        path: Vec<Symbol>,
    },
    /// An abbreviation does not mention one of its sizes.
    UnusedSize {
        ty: Symbol,
        size: Symbol,
    },
    // Declarations.
    /// `val` outside of the standard library.
    ValueWithoutBody,
    /// An operator whose meaning is part of the language is defined.
    FixedOperator(Symbol),
    /// Two entry points of one name.
    EntryTwice {
        name: Symbol,
        first: Span,
    },
    /// Two parameters or variables of one name are bound together.
    BoundTwice {
        what: Bound,
        name: Symbol,
        first: Span,
    },
    /// Two fields or constructors of one name.
    WrittenTwice {
        what: Written,
        name: Symbol,
        first: Span,
    },
    // Modules.
    UnknownModule {
        name: Symbol,
        advice: Option<ModuleAdvice>,
    },
    /// `module.name`, where the module has no such module.
    UnknownMemberModule {
        module: Vec<Ident>,
        name: Symbol,
    },
    UnknownModuleType {
        name: Symbol,
        advice: Option<ModuleTypeAdvice>,
    },
    /// `module.name`, where the module has no such module type.
    UnknownMemberModuleType {
        module: Vec<Ident>,
        name: Symbol,
    },
    /// A parametric module where one with members is wanted; `sig` is the module type that wants it.
    NotApplied {
        functor: Symbol,
        declared: Span,
        sig: Option<Span>,
    },
    /// A module without parameters is applied.
    NotParametric {
        callee: Callee,
        argument: Span,
    },
    /// A module without parameters where its module type asks for some.
    ParametersWanted {
        sig: Span,
    },
    /// Applications make too many definitions.
    TooManyCopies,
    /// `with` names a type that the module type `sig` does not leave open. The others that it leaves open, and the one that may have been meant.
    NoAbstractType {
        name: Vec<Ident>,
        sig: Span,
        near: Option<String>,
        others: Vec<String>,
    },
    /// What a module lacks of its module type.
    MissingMembers {
        first: Missing,
        others: Vec<Missing>,
    },
    /// `with` gives a meaning to a type with other parameters than were specified.
    GivenParameters {
        name: Ident,
        specified: Parameters,
        given: Parameters,
    },
    /// A type of a module has other parameters than its module type says.
    MemberParameters {
        name: Ident,
        found: Parameters,
        defined: Option<Span>,
        specified: Parameters,
    },
    // Files.
    EmptyImport,
    UnreadableImport {
        path: Symbol,
        problems: Vec<LoadProblem>,
        near: Option<String>,
    },
    /// Files import each other, each the next; the last one is the first again. Where the others of the cycle are imported.
    CyclicImports {
        files: Vec<String>,
        imports: Vec<Span>,
    },
}

impl ErrorKind {
    /// Whether it is about the name of a value or type that is not known.
    pub fn is_unknown_name(&self) -> bool {
        use ErrorKind::{UndeclaredSizes, UnknownMemberType, UnknownName, UnknownPrefix, UnknownType};
        matches!(self, UnknownName { .. } | UndeclaredSizes { .. } | UnknownPrefix { .. } | UnknownType { .. } | UnknownMemberType { .. })
    }
}

/// What may have been meant by an unknown name.
pub(super) enum NameAdvice {
    /// What is written here for a word of another language.
    OtherLanguage(&'static str),
    /// What is defined further down.
    DefinedLater(Span),
    /// `op=`, which changes a variable in other languages.
    Assignment { op: Symbol },
    /// Two operators, of which this is the second.
    TwoOperators { second: char },
    /// A conversion to the scalar type of this name.
    Conversion,
    /// The larger or smaller of two numbers, or of all.
    Extremum(Extremum),
    /// A definition of a library.
    Library(&'static str),
    /// A function of scalar modules such as this one.
    ScalarMember(PrimType),
    /// A visible name of almost the same letters.
    Similar(&'static str),
    /// A size that is not declared.
    UndeclaredSize,
}

/// Functions that NumPy calls like the operation on two numbers.
#[derive(Clone, Copy)]
pub(super) enum Extremum {
    Max,
    Min,
}

/// What may have been meant by an unknown prefix.
pub(super) enum PrefixAdvice {
    NumPy,
    Math,
    /// The library with this path has a module of this name.
    Library(&'static str),
    Similar(&'static str),
}

/// What may have been meant by an unknown member.
pub(super) enum MemberAdvice {
    /// Other scalar modules have it.
    OfScalars(Vec<PrimType>),
    IsType,
    IsModule,
    Similar(&'static str),
    Library(&'static str),
    /// A conversion of complex numbers to numbers of another kind.
    PartsOf(PrimType),
}

/// What may have been meant by an unknown type.
pub(super) enum TypeAdvice {
    DefinedLater(Span),
    /// What is written here for a type of other languages.
    OtherLanguage(&'static str),
    Similar(&'static str),
    UndeclaredParameter,
}

/// What may have been meant by an unknown type of a module.
pub(super) enum MemberTypeAdvice {
    Similar(&'static str),
    /// The module is that of a scalar type.
    OfScalar,
}

/// What may have been meant by an unknown module.
pub(super) enum ModuleAdvice {
    IsModuleType,
    IsValue,
    /// The module around.
    Enclosing,
    Similar(&'static str),
}

/// What may have been meant by an unknown module type.
pub(super) enum ModuleTypeAdvice {
    Similar(&'static str),
    IsModule,
}

/// What binds a name.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    TypeParameter,
    Variable,
}

/// What has a name in a record or sum.
#[derive(Clone, Copy)]
pub(super) enum Written {
    Field,
    Constructor,
}

/// How a module that is applied is written.
pub(super) enum Callee {
    Named(Vec<Ident>),
    /// It is an application itself.
    Applied,
    Other,
}

/// Something that a module lacks.
pub(super) struct Missing {
    pub what: Member,
    /// Its name, with those of the inner modules around it.
    pub path: Vec<Symbol>,
    /// Where it is specified.
    pub place: Span,
    /// What there is that may have been meant.
    pub instead: Option<(Member, Symbol)>,
}

/// What a module has.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Member {
    Value,
    Type,
    Module,
}

/// How many parameters a type has.
#[derive(Clone, Copy)]
pub(super) struct Parameters {
    pub types: usize,
    pub sizes: usize,
}

impl Parameters {
    pub fn of(tparams: &[TypeParam]) -> Parameters {
        let sizes = tparams.iter().filter(|param| matches!(param, TypeParam::Size(_))).count();
        Parameters { types: tparams.len() - sizes, sizes }
    }
}

/// Why a file cannot be had.
pub(super) enum LoadProblem {
    /// What the loader says.
    Loader(String),
    TooLarge(String),
}
