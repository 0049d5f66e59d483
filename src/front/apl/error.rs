//! What is wrong with a script, as data. [`super::report`] puts it into words.
//!
//! Families also say what may still be tried: a dfn that is refused for ranks is applied to cells, a map that is refused for nesting is written out.

mod arrays;

pub use arrays::{
    Agreement, Axis, Computed, Constant, IndexError, Items, KindError, LengthError, MixtureError, NestingError, Origin, RankError, Role,
    StaticError, Wanted,
};

use super::tree::Dfn;
use super::value::Kind;
use crate::base::{Span, Symbol};
use std::rc::Rc;

/// A result, or what is wrong.
pub type Result<T> = std::result::Result<T, Box<Error>>;

/// Something wrong, with its place.
#[derive(Debug)]
pub struct Error {
    pub at: Span,
    pub kind: ErrorKind,
}

impl Error {
    /// Something wrong there.
    pub fn at(at: Span, kind: impl Into<ErrorKind>) -> Box<Error> {
        Box::new(Error { at, kind: kind.into() })
    }
}

/// What is wrong.
#[derive(Debug)]
pub enum ErrorKind {
    /// What is reported elsewhere, or must not come about: shown only where nothing else is.
    Silent,
    /// Words and brackets that cannot be read.
    Read(ReadError),
    /// The order of words.
    Sentence(SentenceError),
    /// What names stand for.
    Name(NameError),
    /// What is assigned to.
    Target(TargetError),
    /// Operands.
    Operand(OperandError),
    /// Kinds of elements.
    Kind(KindError),
    /// Vectors of items that differ in kind or shape.
    Mixture(MixtureError),
    /// Lengths that do not go together.
    Length(LengthError),
    /// Ranks.
    Rank(RankError),
    /// What has to be known before the program runs.
    Static(StaticError),
    /// Impossible indices, axes and sizes.
    Index(IndexError),
    /// Nested arrays.
    Nesting(NestingError),
    /// What is different where ways of the program meet.
    State(StateError),
    /// Recursion that cannot be made explicit.
    Recursion(RecursionError),
    /// More than there may be.
    Limit(LimitError),
    /// What is not supported.
    Notation(NotationError),
    /// Names of the system, and files.
    System(SystemError),
    /// Types of entry points.
    Signature(SignatureError),
}

/// What cannot be read.
#[derive(Debug)]
pub enum ReadError {
    /// A character that is no glyph and no part of a word.
    Character(char),
    /// A glyph of other systems.
    ForeignGlyph(char),
    /// A backtick with something behind it that is no name of a glyph.
    Spelling(String),
    /// A word that begins as a number and is none.
    Number(String),
    /// Text that is open at the end of its line.
    UnclosedText { quote: char },
    /// A bracket that is open at the end of the text, or of its line.
    Unclosed { open: char, line: bool },
    /// A closing bracket where none is open.
    NotOpen { close: char },
    /// `⋄` or `:` between parentheses or brackets.
    EndInBrackets,
    /// `;` outside of brackets.
    Semicolon,
    /// A colon that is not behind the condition of a guard.
    Colon,
    /// A guard with nothing behind its colon.
    GuardWithoutResult,
    /// A guard outside of dfns.
    GuardOutside,
}

/// What is wrong with the order of the words of a sentence.
#[derive(Debug)]
pub enum SentenceError {
    /// A sentence without words.
    Empty,
    /// `()`.
    EmptyParentheses,
    /// It ends with an operator, an arrow or a bracket.
    CannotEnd,
    /// Something between arrays and functions that is neither; it may stand in front of an assignment.
    NoPlace { assigned: bool },
    /// `[..]` with nothing in front of it.
    NothingIndexed,
    /// `[..]` behind what is neither an array nor a function.
    LostBrackets,
    /// An axis that is not one sentence.
    AxisForm,
    /// An arrow without a name in front of it.
    NoTarget,
    /// A train whose last part is no function.
    TrainEnd,
    /// An array at the wrong place of a train.
    TrainArray,
    /// An operator or an arrow in a train.
    TrainPart,
    /// A function with more or fewer arguments than it takes.
    Arguments { function: Applied, takes: Arity },
    /// `∇` outside of dfns.
    DelOutside,
    /// `name←operator`.
    NamedOperator(char),
}

/// What is applied to one argument or to two.
#[derive(Debug, Clone, Copy)]
pub enum Applied {
    /// A function that is a glyph.
    Glyph(char),
    /// `⎕NAME`.
    System(&'static str),
    /// `f\\`.
    Scan,
    /// `f.g`.
    InnerProduct,
    /// `∘.f`.
    OuterProduct,
    /// `f∘array`, `array∘f`.
    Bound,
}

/// How many arguments something takes.
#[derive(Debug, Clone, Copy)]
pub enum Arity {
    /// One.
    One,
    /// Two, or one with another meaning.
    Two,
}

/// What is wrong with what names stand for.
#[derive(Debug)]
pub enum NameError {
    /// A name without a value, and the one that may have been meant.
    NoValue { name: Rc<str>, near: Option<String> },
    /// An entry point that is no function of the script, and a name that is one.
    NoFunction { name: String, other: Option<Rc<str>> },
    /// An entry point that uses what has errors.
    UsesBroken,
    /// `⍵` and the like outside of dfns.
    ArgumentOutside(Rc<str>),
    /// A dfn whose sentences are all assigned.
    NoResult,
    /// `⍺` in a call without a left argument.
    NoLeft,
    /// A tail call with a left argument where there is none, or, if there is one, without.
    TailLeft { given: bool },
    /// A function for an array; its name, if it is one.
    FunctionForArray { name: Option<Rc<str>> },
    /// A function for the result of a dfn.
    FunctionForResult,
    /// `⍵←..` and the like.
    AssignsArgument(Rc<str>),
    /// An array is assigned to the name of a function, or the other way round.
    ClassChange { name: Rc<str>, was: NameClass },
    /// A change of a name that belongs to what is around the dfn.
    Outer(Rc<str>),
}

/// What a name is.
#[derive(Debug, Clone, Copy)]
pub enum NameClass {
    /// An array.
    Array,
    /// A function or an operator.
    Function,
}

/// What cannot stand in front of an arrow.
#[derive(Debug)]
pub enum TargetError {
    /// `(a b[1])←..`.
    Strand,
    /// `(a b)[1]←..`.
    Indexed,
    /// `f←..` without a name.
    Modified,
    /// `(f array)←..`.
    Selection,
}

/// What is wrong with operands.
#[derive(Debug)]
pub enum OperandError {
    /// An operator without an operand on one side; its glyph, if it is one.
    Missing { operator: Option<char>, side: Side },
    /// An array as an operand that is a function.
    NoFunction { operator: char },
    /// `⌺` with other operands than a function and sizes, or with a left argument.
    Stencil,
}

/// A side of an operator.
#[derive(Debug, Clone, Copy)]
pub enum Side {
    /// In front of it.
    Left,
    /// Behind it.
    Right,
}

/// What is different where ways of the program meet.
#[derive(Debug)]
pub enum StateError {
    /// Vectors of different items with other items.
    Structures,
    /// One and an array.
    StructureAndArray,
    /// A vector of vectors of computed lengths and another value.
    Rows,
    /// Arrays of these ranks.
    Ranks(usize, usize),
    /// Arrays that are nested differently.
    Levels,
    /// Arrays of these kinds.
    Kinds(Kind, Kind),
    /// The types of a loop change with each pass.
    Unsettled,
}

/// Recursion that cannot be made explicit.
#[derive(Debug)]
pub enum RecursionError {
    /// Calls within calls.
    Deep { most: usize, of: *const Dfn },
    /// A guard of a function that calls itself depends on values.
    Values { of: *const Dfn },
    /// A function that would be written out too long.
    Long { of: *const Dfn },
    /// A function that calls itself whatever happens.
    Endless,
    /// Functions whose definitions would need each other.
    Mutual,
    /// The result of a call of the function in itself, before anything is known of it.
    Unknown,
    /// A call of the function in itself whose arguments its parameters do not hold.
    Wider,
    /// A name of the surroundings whose type is not known.
    Outside(Symbol),
}

/// More than there may be.
#[derive(Debug)]
pub enum LimitError {
    /// Brackets in brackets.
    Brackets { most: usize },
    /// Functions that are applied.
    Calls { most: usize },
    /// Arrays of which a value consists.
    Parts { most: usize },
    /// Axes of an array.
    Axes { most: usize },
    /// A size, or the formula of one.
    Size,
    /// Cells that `\` makes by constant counts.
    Expanded { most: u64 },
}

/// What is not supported.
#[derive(Debug)]
pub enum NotationError {
    /// `f[axis]`.
    Axis(char),
    /// An axis of a function that is no glyph.
    AxisOfFunction,
    /// An operator that is a glyph.
    Operator(char),
    /// `f⍣¯1`.
    Inverse,
    /// `order⍋array`.
    CharacterOrder(char),
    /// `⍕` of this.
    Format(String),
    /// Random numbers in a loop.
    Random,
    /// What is printed in a loop or a branch.
    Output,
}

/// What is wrong with names of the system and files.
#[derive(Debug)]
pub enum SystemError {
    /// `⎕` as a value.
    Input,
    /// `⎕TS` and others.
    Clock(String),
    /// A name without a value.
    Unknown(String),
    /// One that keeps its value.
    Assigned(String),
    /// `⎕CT←..`.
    Tolerance,
    /// A file that cannot be read.
    File { path: String, why: String },
    /// A word of a file of numbers.
    Word { word: String, path: String, kind: Kind },
}

/// What is wrong with types of entry points.
#[derive(Debug)]
pub enum SignatureError {
    /// What is no type of a function.
    Form,
    /// A result of another type than it is declared to have.
    Result { name: String, declared: String },
}

families!(
    Read(ReadError),
    Sentence(SentenceError),
    Name(NameError),
    Target(TargetError),
    Operand(OperandError),
    Kind(KindError),
    Mixture(MixtureError),
    Length(LengthError),
    Rank(RankError),
    Static(StaticError),
    Index(IndexError),
    Nesting(NestingError),
    State(StateError),
    Recursion(RecursionError),
    Limit(LimitError),
    Notation(NotationError),
    System(SystemError),
    Signature(SignatureError)
);
impl From<Constant> for ErrorKind {
    fn from(what: Constant) -> ErrorKind {
        ErrorKind::Static(StaticError::Constant(what))
    }
}
