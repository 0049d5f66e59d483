//! What inference finds wrong, as data; [`report`](super::report) has the words.

use super::advice::{Advice, Unannotated};
use super::reason::Kind;
use super::shown::Shown;
use super::types::Class;
use crate::base::{PrimType, Span, Symbol};
use crate::rank::TooHard;

/// Something that is wrong with the types or ranks of a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// Where.
    pub at: Span,
    /// What.
    pub kind: ErrorKind,
}

/// What is wrong with the types or ranks of a definition.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorKind {
    /// Two types that have to be equal differ.
    TypeMismatch(Box<TypeMismatch>),
    /// Something is applied, to so many arguments, that is no function, or no function any more after `index` of them.
    NotAFunction { name: Option<Symbol>, ty: Shown, index: usize, total: usize, advice: Option<Advice> },
    /// A function of one tuple of so many components is applied to as many arguments.
    TakesTuple { name: Option<Symbol>, count: usize },
    /// A form that is no application stands as one.
    CannotBeApplied,
    /// A hole, with the type that is wanted there if something is known about it.
    Hole { wanted: Option<Shown> },
    /// A type does not have this constructor. Something else says that it is this type, if that stands elsewhere.
    WrongConstructor { name: Symbol, ty: Shown, fault: ConstructorFault, source: Option<Source> },
    /// A constructor stands where a type of this class is needed.
    ConstructorOfClass { name: Symbol, class: Class },
    /// A type does not have this field.
    NoSuchField { field: Symbol, ty: Shown, fields: Fields },
    /// Nothing says of which type this is a field.
    UnknownRecord { field: Symbol },
    /// Nothing says of which type this is a constructor, which is applied to so many values.
    UnknownSum { constructor: Symbol, payload: usize },
    /// A type contains itself.
    InfiniteType { source: Source },
    /// A type parameter of a local function, declared there, occurs outside of it.
    EscapingTypeParameter { name: Symbol, declared: Span },
    /// Ranks that have to be equal differ.
    RankConflict(Box<RankConflict>),
    /// The ranks of a definition cannot agree, but no two places are known that say so.
    RanksCannotAgree,
    /// An array has more dimensions than can be.
    TooManyDimensions { rank: i128 },
    /// The rank system was not decided, for this reason of the solver.
    Undecided { why: TooHard, unannotated: Unannotated },
    /// A type is too large after its abbreviations are expanded.
    TypeTooLarge,
    /// An abbreviation is applied to the wrong arguments.
    AbbreviationArguments(AbbreviationArguments),
    /// A loop begins with a number that is an i32 because nothing says otherwise, and adds or multiplies: a warning.
    GrowingLoop { body: Span },
    /// The ranks of a recursive definition whose type is not written agree with insertions at its own calls only.
    UnwrittenRecursion { unannotated: Unannotated, calls: Vec<Span> },
    /// However a function is applied, it applies itself.
    EndlessRecursion { calls: Vec<Span> },
    /// A scalar module does not have this member.
    NoSuchMember { module: PrimType, member: Symbol },
}

/// Two types that have to be equal and differ.
#[derive(Debug, Clone, PartialEq)]
pub struct TypeMismatch {
    /// The rule that asks for it.
    pub role: Kind,
    /// The type that is expected, and where that comes from.
    pub expected: (Shown, Span),
    /// The type that is there.
    pub found: Shown,
    /// Of what is expected only the class is known.
    pub class: Option<Class>,
    /// The parts of the types that differ, the expected one first, if both are known.
    pub parts: Option<(Shown, Shown)>,
    /// How the parts differ.
    pub difference: Difference,
    /// For an abbreviation of which nothing but the class of what is expected is known: it and what it stands for.
    pub stands_for: Option<(Shown, Shown)>,
    /// What may be behind it.
    pub advice: Option<Advice>,
}

/// How two types differ.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum Difference {
    /// Records with other fields.
    Fields(Labels),
    /// Sums with other constructors.
    Constructors(Labels),
    /// Tuples of so many components.
    Tuples { expected: usize, found: usize },
    /// Scalars.
    Prims { expected: PrimType, found: PrimType },
    /// In their forms.
    Forms,
}

/// Labels that only one of two types has.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// Those of the expected type.
    pub missing: Vec<Symbol>,
    /// Those of the type that is there.
    pub extra: Vec<Symbol>,
}

/// A place that says something about a type.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Source {
    /// The place.
    pub at: Span,
    /// The rule by which it does.
    pub role: Kind,
    /// Whether it is the side of the rule that expects something.
    pub expects: bool,
}

/// Why a constructor is none of a type.
#[allow(missing_docs, reason = "the line above each variant says what its fields are")]
#[derive(Debug, Clone, PartialEq)]
pub enum ConstructorFault {
    /// It is applied to another number of values than it is declared with.
    Payload { declared: Vec<Shown>, given: usize },
    /// The type has other constructors.
    Unknown { constructors: Vec<Symbol> },
    /// The type is no sum.
    NoSum,
}

/// The fields that a type has.
#[derive(Debug, Clone, PartialEq)]
pub enum Fields {
    /// So many, by number.
    Tuple(usize),
    /// These.
    Record(Vec<Symbol>),
    /// None.
    None,
}

/// Two places that ask for different ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct RankConflict {
    /// The rule that asks for equal ranks.
    pub role: Kind,
    /// What is expected.
    pub expected: Claim,
    /// What is there.
    pub found: Claim,
    /// Applications that take part.
    pub others: Vec<OtherClaim>,
}

/// One side of an equation between ranks that does not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// Where it comes from.
    pub at: Span,
    /// Its rank.
    pub rank: i128,
    /// Its type.
    pub ty: Shown,
}

/// An application that takes part in a conflict of ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherClaim {
    /// Where it stands.
    pub at: Span,
    /// The rule by which it takes part.
    pub role: Kind,
    /// The rank that is expected.
    pub expected: i128,
    /// The rank that is there.
    pub found: i128,
}

/// An abbreviation that is applied to the wrong arguments.
#[derive(Debug, Clone, PartialEq)]
pub struct AbbreviationArguments {
    /// Its name.
    pub name: Symbol,
    /// Where it is declared.
    pub declared: Span,
    /// What it is declared with.
    pub params: Vec<AbbreviationParam>,
    /// For each argument, whether it is a size.
    pub sizes: Vec<bool>,
}

/// A parameter of an abbreviation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AbbreviationParam {
    /// A size, which may have a name.
    Size(Option<Symbol>),
    /// A type.
    Type(Symbol),
}

impl Error {
    /// Whether it says what another one said before: what the parser writes out, as for `r with x[i] = v`, has the same place twice.
    pub(super) fn repeats(&self, before: &Error) -> bool {
        let same = match (&self.kind, &before.kind) {
            (ErrorKind::TypeMismatch(new), ErrorKind::TypeMismatch(old)) => {
                let expected = new.class.is_some() || new.expected.0 == old.expected.0;
                new.role == old.role && new.class == old.class && expected && new.found == old.found
            }
            (
                ErrorKind::WrongConstructor { name, ty, fault, source: _ },
                ErrorKind::WrongConstructor { name: old_name, ty: old_ty, fault: old_fault, source: _ },
            ) => (name, ty, fault) == (old_name, old_ty, old_fault),
            (new, old) => new == old,
        };
        self.at == before.at && same
    }
}
