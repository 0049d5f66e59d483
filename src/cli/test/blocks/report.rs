//! What is wrong with a test block, and in which words it is said.

use super::super::structure;
use super::PIPELINES;
use crate::base::{Code, Span};
use crate::diag::Diagnostic;

/// Something wrong, with its place.
#[derive(Debug)]
pub struct Error {
    /// The place.
    pub at: Span,
    /// What is wrong.
    pub mistake: ErrorKind,
}

/// What is wrong.
#[derive(Debug)]
pub enum ErrorKind {
    /// The name of a case is not closed.
    UnclosedName,
    /// Something else than a brace.
    NoBrace,
    /// A brace is not closed.
    UnclosedBrace,
    /// Words after which nothing follows.
    NoNames(Names),
    /// Something else than a regular expression.
    NoRegex(Box<regex::Error>),
    /// `error:` for the program after its cases.
    RefusedAfterCases,
    /// A case of a program that is refused.
    CaseOfRefused,
    /// `structure` of another pipeline than there are.
    NoPipeline(String),
    /// `structure` with a name that no statement has.
    NoStatement {
        /// The name.
        name: String,
        /// What may have been meant.
        near: Option<&'static str>,
    },
    /// `structure` with a name and nothing behind it.
    NoCount(String),
    /// `structure` with something else than a number behind a name.
    CountIsNoNumber,
    /// What comes out, without what goes in.
    OutputWithoutInput,
    /// Another keyword than `input`.
    InputWanted(String),
    /// A word that means nothing.
    UnknownWord {
        /// The word.
        word: String,
        /// What may have been meant.
        near: Option<&'static str>,
    },
    /// `auto` without `output`.
    AutoWithoutOutput,
    /// An input that is random and made by a script.
    RandomScript,
    /// A random input in a file.
    RandomFile,
    /// `@` without the name of a file.
    NoFile,
    /// A random array with something else than a size.
    NoSize,
    /// A size that does not end.
    NoBracket,
    /// A type of which there are no random values.
    NoRandom(String),
    /// Random values need more memory than there is.
    OutOfMemory,
}

/// What is followed by names.
#[derive(Debug, Clone, Copy)]
pub enum Names {
    /// `entry:`.
    Entry,
    /// `property:`.
    Property,
}

/// A mistake in words.
pub fn report(Error { at, mistake }: &Error) -> Diagnostic {
    let form = "a case is `[\"name\"] [tags] input { values }` and then `output { values }`, `error: regex` or nothing";
    let (message, help) = words(mistake);
    let diagnostic = Diagnostic::error(Code::TestBlock, *at, message);
    let diagnostic = if matches!(mistake, ErrorKind::OutOfMemory) { diagnostic } else { diagnostic.note(form) };
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

fn words(mistake: &ErrorKind) -> (String, Option<String>) {
    let meant = |near: &Option<&'static str>| near.map(|near| format!("did you mean `{near}`?"));
    let message = match mistake {
        ErrorKind::UnclosedName => "the name of this case has no closing quote".to_string(),
        ErrorKind::NoBrace => "`{` expected in this test block".to_string(),
        ErrorKind::UnclosedBrace => "this `{` is not closed in the test block".to_string(),
        ErrorKind::NoNames(Names::Entry) => "`entry:` is followed by the name of an entry point on the same line".to_string(),
        ErrorKind::NoNames(Names::Property) => "`property:` is followed by the name of a property on the same line".to_string(),
        ErrorKind::NoRegex(error) => {
            let last = error.to_string();
            let why = last.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("this is no regular expression: {why}")
        }
        ErrorKind::RefusedAfterCases => "`error:` without an input says that the program is refused, but this block runs it".to_string(),
        ErrorKind::CaseOfRefused => "a program that is refused cannot be run: `error:` stands before any input".to_string(),
        ErrorKind::NoPipeline(word) => format!("there is no pipeline `{}`: it is one of {}", word.escape_debug(), PIPELINES.join(", ")),
        ErrorKind::NoStatement { name, near } => {
            let others = || format!("the names are {}, and those of Futhark's operators", structure::OWN.join(", "));
            let message = format!("no statement is called `{}` in `structure`", name.escape_debug());
            return (message, meant(near).or_else(|| Some(others())));
        }
        ErrorKind::NoCount(name) => format!("how many `{}` there are must follow", name.escape_debug()),
        ErrorKind::CountIsNoNumber => "a number is expected here: `structure` lists names, each with how many there are".to_string(),
        ErrorKind::OutputWithoutInput => "there is no `input` before this".to_string(),
        ErrorKind::InputWanted(word) => format!("`input` is expected here, not `{word}`"),
        ErrorKind::UnknownWord { word, near } => return (format!("a test block has no `{}` here", word.escape_debug()), meant(near)),
        ErrorKind::AutoWithoutOutput => "`auto` is followed by `output`".to_string(),
        ErrorKind::RandomScript => "an input is either random or made by a script".to_string(),
        ErrorKind::RandomFile => "a random input is described here, not in a file".to_string(),
        ErrorKind::NoFile => "the name of a file must follow on the same line".to_string(),
        ErrorKind::NoSize => "a size is expected here: random arrays are of a type such as `[10][3]f32`".to_string(),
        ErrorKind::NoBracket => "`]` is expected here".to_string(),
        ErrorKind::NoRandom(word) => format!("no random value of the type `{}` can be made", word.escape_debug()),
        ErrorKind::OutOfMemory => "there is no memory for random values of this size".to_string(),
    };
    (message, None)
}
