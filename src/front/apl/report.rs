//! What is wrong with a script in words.

mod arrays;

use super::error::{
    Applied, Arity, Error, ErrorKind, LimitError, NameClass, NameError, NotationError, OperandError, ReadError, RecursionError,
    SentenceError, Side, SignatureError, StateError, SystemError, TargetError,
};
use super::glyph;
use crate::base::{Code, Span};
use crate::diag::Diagnostic;

impl Error {
    /// The error in words.
    pub fn report(&self) -> Diagnostic {
        let at = self.at;
        match &self.kind {
            ErrorKind::Silent => Diagnostic::error(Code::AplNotation, at, "this sentence is not supported"),
            ErrorKind::Read(error) => read(at, error),
            ErrorKind::Sentence(error) => sentence(at, error),
            ErrorKind::Name(error) => name(at, error),
            ErrorKind::Target(error) => target(at, error),
            ErrorKind::Operand(error) => operand(at, error),
            ErrorKind::Kind(error) => arrays::kind(at, error),
            ErrorKind::Mixture(error) => arrays::mixture(at, error),
            ErrorKind::Length(error) => arrays::length(at, error),
            ErrorKind::Rank(error) => arrays::rank(at, error),
            ErrorKind::Static(error) => arrays::unknown(at, error),
            ErrorKind::Index(error) => arrays::index(at, error),
            ErrorKind::Nesting(error) => arrays::nesting(at, error),
            ErrorKind::State(error) => state(at, error),
            ErrorKind::Recursion(error) => recursion(at, error),
            ErrorKind::Limit(error) => limit(at, error),
            ErrorKind::Notation(error) => notation(at, error),
            ErrorKind::System(error) => system(at, error),
            ErrorKind::Signature(error) => signature(at, error),
        }
    }
}

/// With advice, if there is any.
fn with(diagnostic: Diagnostic, help: Option<impl Into<String>>) -> Diagnostic {
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// An operator as it is written.
fn operator(glyph: char) -> String {
    if glyph == '⍁' { "∘.".to_string() } else { glyph.to_string() }
}

// Words and sentences.

fn read(at: Span, error: &ReadError) -> Diagnostic {
    let unclosed = |message: String| Diagnostic::error(Code::AplUnclosed, at, message);
    let notation = |message: String| Diagnostic::error(Code::AplNotation, at, message);
    let sentence = |message: &str| Diagnostic::error(Code::AplSentence, at, message);
    match error {
        ReadError::Character(c) => {
            let message = format!("`{}` (U+{:04X}) has no meaning in APL", c.escape_debug(), u32::from(*c));
            Diagnostic::error(Code::AplCharacter, at, message).help("text stands in quotes, comments behind `⍝`")
        }
        ReadError::ForeignGlyph(c) => {
            let known = glyph::UNKNOWN.iter().find(|(known, ..)| known == c);
            let meaning = known.map_or(String::new(), |(_, meaning, _)| format!(" ({meaning})"));
            with(notation(format!("`{c}`{meaning} is not part of this language")), known.map(|(_, _, instead)| *instead))
        }
        ReadError::Spelling(word) => {
            Diagnostic::error(Code::AplSpelling, at, format!("`{word}` spells no glyph")).help("`docs/apl.md` has the names of all glyphs")
        }
        ReadError::Number(word) => Diagnostic::error(Code::AplNumber, at, format!("`{word}` is not a number"))
            .help("numbers look like `3`, `¯1.5`, `2E¯3` or `1J2`"),
        ReadError::UnclosedText { quote } => {
            unclosed("the text is not closed on its line".to_string()).help(format!("write `{quote}` at its end"))
        }
        ReadError::Unclosed { open, line } => {
            let place = if *line { " on its line" } else { "" };
            let diagnostic = unclosed(format!("this `{open}` is not closed{place}"));
            match (open, line) {
                ('{', _) => diagnostic.help("write `}` at the end of the function"),
                ('(', true) => diagnostic.help("write `)`, or give its parts names"),
                ('(', false) => diagnostic.help("write `)`"),
                (_, true) => diagnostic.help("write `]`, or give its parts names"),
                (_, false) => diagnostic.help("write `]`"),
            }
        }
        ReadError::NotOpen { close } => {
            unclosed(format!("nothing is open that this `{close}` closes")).help("remove it, or open a bracket in front of it")
        }
        ReadError::EndInBrackets => sentence("a statement cannot end within parentheses or brackets").help("close them first"),
        ReadError::Semicolon => sentence("`;` separates indices in brackets only").help("statements are separated by `⋄`"),
        ReadError::Colon => notation("this colon is not behind the condition of a guard".to_string())
            .help("control structures such as `:If` are not part of the language; write `condition: result` in a dfn"),
        ReadError::GuardWithoutResult => sentence("there is no result behind the colon").help("a guard is `condition: result`"),
        ReadError::GuardOutside => {
            notation("a guard stands in a dfn only".to_string()).help("write `{condition: result ⋄ otherwise} argument`")
        }
    }
}

fn sentence(at: Span, error: &SentenceError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::AplSentence, at, message);
    match error {
        SentenceError::Empty => wrong("the sentence is empty").help("write an array, or a function with its arguments"),
        SentenceError::EmptyParentheses => wrong("there is nothing in the parentheses").help("the empty vector is `⍬`"),
        SentenceError::CannotEnd => wrong("the sentence cannot end here").help("give the operator its operands, the arrow a value"),
        SentenceError::NoPlace { assigned } => wrong("this has no place in the sentence").help(if *assigned {
            "an assignment to several names is `(a b c)←1 2 3`, with parentheses"
        } else {
            "is there a function missing?"
        }),
        SentenceError::NothingIndexed => wrong("there is nothing in front of the index").help("write the array in front of `[`"),
        SentenceError::LostBrackets => wrong("an index stands behind an array, an axis behind a function").help("remove it"),
        SentenceError::AxisForm => wrong("an axis is one number in brackets").help("write `[1]`"),
        SentenceError::NoTarget => wrong("there is no name in front of the arrow").help("write `name←value`"),
        SentenceError::TrainEnd => wrong("a train ends with a function").help("write `⊢` where the argument itself is meant"),
        SentenceError::TrainArray => wrong("the function behind this array has no right argument")
            .help("write one; in a train an array is in front of two functions: `2+⊢`"),
        SentenceError::TrainPart => wrong("this cannot stand in a train").help("put it into a dfn"),
        SentenceError::Arguments { function, takes } => arguments(at, *function, *takes),
        SentenceError::DelOutside => Diagnostic::error(Code::AplNotation, at, "`∇` stands in a dfn only, where it means the dfn")
            .help("functions are written `name←{..}`"),
        SentenceError::NamedOperator(c) => {
            Diagnostic::error(Code::AplNotation, at, format!("the operator `{c}` cannot be given a name")).help("write a dfn with `⍺⍺`")
        }
    }
}

fn arguments(at: Span, function: Applied, takes: Arity) -> Diagnostic {
    let (code, what, help) = match function {
        Applied::Glyph(glyph) => (Code::AplSentence, format!("`{glyph}`"), None),
        Applied::System(name) => (Code::AplNotation, format!("`⎕{name}`"), None),
        Applied::Scan => (Code::AplNotation, "a scan".to_string(), Some("`n f/` reduces windows of n elements")),
        Applied::InnerProduct => (Code::AplNotation, "an inner product".to_string(), Some("determinants are not part of the language")),
        Applied::OuterProduct => (Code::AplLeft, "an outer product".to_string(), None),
        Applied::Bound => (Code::AplOperand, "a function with a bound argument".to_string(), None),
    };
    let (count, general) = match takes {
        Arity::One => ("one argument", "remove the array in front of it"),
        Arity::Two => ("two arguments", "write an array in front of it"),
    };
    Diagnostic::error(code, at, format!("{what} takes {count} (SYNTAX ERROR)")).help(help.unwrap_or(general))
}

// Names.

fn name(at: Span, error: &NameError) -> Diagnostic {
    let no_value = |message: String| Diagnostic::error(Code::AplNoValue, at, message);
    let class = |message: String| Diagnostic::error(Code::AplClass, at, message);
    match error {
        NameError::NoValue { name, near } => {
            let diagnostic = no_value(format!("`{name}` has no value (VALUE ERROR)"));
            match near {
                Some(near) => diagnostic.did_you_mean(name, near, at),
                None => diagnostic,
            }
        }
        NameError::NoFunction { name, other } => with(
            no_value(format!("there is no function `{name}` in the script")),
            other.as_ref().map(|other| format!("`{other}` is a function")),
        ),
        NameError::UsesBroken => no_value("what the function uses has errors".to_string()),
        NameError::ArgumentOutside(name) => {
            no_value(format!("`{name}` stands for an argument, and this is not in a dfn")).help("write a dfn, `{..}`")
        }
        NameError::NoResult => no_value("the function has no result".to_string()).help("end it with a sentence that is not assigned"),
        NameError::NoLeft => Diagnostic::error(Code::AplLeft, at, "the function was called without a left argument")
            .help("call it with one, or begin it with `⍺←` and a default value"),
        NameError::TailLeft { given: true } => {
            Diagnostic::error(Code::AplLeft, at, "the function calls itself with a left argument, and has none").help("write `∇argument`")
        }
        NameError::TailLeft { given: false } => {
            Diagnostic::error(Code::AplLeft, at, "the function calls itself without the left argument that it has")
                .help("write `⍺∇argument`")
        }
        NameError::FunctionForArray { name } => {
            let what = name.as_ref().map_or("this".to_string(), |name| format!("`{name}`"));
            class(format!("an array is needed here, and {what} is a function")).help("apply it to an argument")
        }
        NameError::FunctionForResult => {
            class("the result of a dfn is an array, and this is a function".to_string()).help("apply it to an argument")
        }
        NameError::AssignsArgument(name) => class(format!("`{name}` is an argument and cannot be assigned")).help("choose another name"),
        NameError::ClassChange { name, was } => {
            let was = match was {
                NameClass::Array => "an array",
                NameClass::Function => "a function",
            };
            class(format!("`{name}` is {was} already, and a name keeps its class")).help("choose another name")
        }
        NameError::Outer(name) => {
            Diagnostic::error(Code::AplOuter, at, format!("`{name}` is a name outside of this dfn, which cannot change it"))
                .help("return the new value, and assign it outside")
        }
    }
}

fn target(at: Span, error: &TargetError) -> Diagnostic {
    let (message, help) = match error {
        TargetError::Strand => ("only names are assigned side by side", "assign one after the other"),
        TargetError::Indexed => ("only a name with indices is assigned", "give the array a name"),
        TargetError::Modified => ("`f←` changes a name, perhaps with indices", "write `name f←value`"),
        TargetError::Selection => (
            "a part of an array that a function selects is assigned, which is not supported",
            "write `name[indices]←value`, or use the operator `@`",
        ),
    };
    Diagnostic::error(Code::AplSelective, at, message).help(help)
}

fn operand(at: Span, error: &OperandError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplOperand, at, message);
    match error {
        OperandError::Missing { operator: glyph, side } => {
            let what = glyph.map_or("this operator".to_string(), |glyph| format!("the operator `{glyph}`"));
            match side {
                Side::Left => wrong(format!("{what} has no operand on its left")).help("write the function in front of it"),
                Side::Right => wrong(format!("{what} has no operand on its right")).help("write the operand behind it"),
            }
        }
        OperandError::NoFunction { operator: glyph } => {
            wrong(format!("an operand of `{}` is an array, and must be a function", operator(*glyph))).help("write a function, or a dfn")
        }
        OperandError::Stencil => {
            wrong("`⌺` takes a function and the sizes of windows, and is applied to one argument".to_string()).help("write `f⌺3 3⊢array`")
        }
    }
}

// Branches, loops, recursion.

fn state(at: Span, error: &StateError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::AplState, at, message);
    let meet = |what: String| {
        wrong(&format!("branches, the passes of a loop, or the items of a scan are {what}"))
            .help("all of them must have the same rank, kind (numbers or characters) and nesting")
    };
    match error {
        StateError::Structures => meet("nested vectors of different structure".to_string()),
        StateError::StructureAndArray => meet("a nested vector and an array".to_string()),
        StateError::Rows => meet("a vector of vectors and another value".to_string()),
        StateError::Ranks(first, second) => meet(format!("arrays of ranks {first} and {second}")),
        StateError::Levels => meet("arrays that are nested in different ways".to_string()),
        StateError::Kinds(first, second) => meet(format!("{} and {}", first.words(), second.words())),
        StateError::Unsettled => wrong("the types of the loop do not settle").help("keep the rank and kind of its state"),
    }
}

fn recursion(at: Span, error: &RecursionError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::AplRecursion, at, message);
    match error {
        RecursionError::Deep { most, .. } => {
            wrong(&format!("functions call each other more than {most} deep while the program is made explicit"))
                .help("give them guards that depend on their arguments, or write the loop with `⍣` or a reduction")
        }
        RecursionError::Endless => wrong("the function calls itself for ever").help("give it a guard with a result"),
        RecursionError::Mutual => wrong("two functions that call themselves call each other, too")
            .help("write one function with an argument that says which of the two is meant"),
        RecursionError::Outside(name) => {
            wrong(&format!("a function that calls itself uses a value outside, `{name}`, in a way that is not supported"))
                .help("give it the value as an argument")
        }
        RecursionError::Values { .. } | RecursionError::Long { .. } | RecursionError::Unknown | RecursionError::Wider => {
            wrong("the calls of a function in itself are not understood here").help("write the loop with `⍣` or a reduction")
        }
    }
}

fn limit(at: Span, error: &LimitError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::AplLimit, at, message);
    match error {
        LimitError::Brackets { most } => wrong(&format!("brackets are nested more than {most} deep")).help("give parts names"),
        LimitError::Calls { most } => wrong(&format!("more than {most} functions are applied while the program is made explicit"))
            .help("recursion and `⍣` over constants are written out; make the count an argument"),
        LimitError::Parts { most } => wrong(&format!("a nested vector has more than {most} parts that differ in kind or shape"))
            .help("recursion over constants is written out, and makes its values grow here; make the count an argument"),
        LimitError::Axes { most } => wrong(&format!("an array has {most} axes at most")).help("use fewer sizes"),
        LimitError::Size => {
            wrong("an array here has a size that is too large, or too long a formula").help("use smaller arrays, or compute the size")
        }
        LimitError::Expanded { most } => wrong(&format!("constant counts make {most} cells at most")).help("compute the counts"),
    }
}

// What is not supported, the system, entry points.

fn notation(at: Span, error: &NotationError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplNotation, at, message);
    match error {
        NotationError::AxisOfFunction => wrong("a dfn, a train or what an operator makes has no axis".to_string())
            .help("apply it to cells with `⍤`, or bring the axis to its place with `⍉`"),
        NotationError::Axis(glyph) => wrong(format!("`{glyph}` with an axis is not supported")).help("use `⍤` or `⍉`"),
        NotationError::Operator(glyph) => wrong(format!("the operator `{}` is not supported", operator(*glyph))).help("write a dfn"),
        NotationError::Inverse => {
            wrong("a function is inverted by a negative power, which is not supported".to_string()).help("write the inverse")
        }
        NotationError::CharacterOrder(glyph) => {
            wrong(format!("`{glyph}` with an order of characters is not supported")).help("sort the positions: `x[⍋order⍳x]`")
        }
        NotationError::Format(found) => Diagnostic::error(
            Code::AplFormat,
            at,
            format!("`⍕` makes text of numbers that are not complex, up to rank 2, and this is {found}"),
        )
        .help("print it by itself: results are formatted when they are printed"),
        NotationError::Random => wrong("random numbers within a loop, a reduction or `¨` would be the same in each pass".to_string())
            .help("make all of them at once outside, as in `?n⍴0`, and take a part in each pass"),
        NotationError::Output => {
            let message = "what is printed here would be printed for each pass of a loop, or only in one branch";
            Diagnostic::error(Code::AplOutput, at, message).help("return the value, and print it outside")
        }
    }
}

fn system(at: Span, error: &SystemError) -> Diagnostic {
    let wrong = |message: String| Diagnostic::error(Code::AplNotation, at, message);
    match error {
        SystemError::Input => {
            wrong("`⎕` asks for input, which is not supported".to_string()).help("take arguments: `remora run FILE.apl VALUE`")
        }
        SystemError::Clock(name) => {
            wrong(format!("`⎕{name}` asks for the time, and the result of a program depends on its arguments only"))
                .help("measure with `remora bench`")
        }
        SystemError::Unknown(name) if name == "RL" => wrong("`⎕RL` can be assigned, and not read".to_string()),
        SystemError::Unknown(name) => wrong(format!("`⎕{name}` is not supported")).help(
            "there are ⎕A ⎕D ⎕IO ⎕CT ⎕PP ⎕UCS ⎕ReadFile ⎕ReadIntVecFile ⎕ReadDoubleVecFile; data come as arguments, too: `remora run FILE.apl data.npy`",
        ),
        SystemError::Assigned(name) => wrong(format!("`⎕{name}` cannot be assigned")).help("⎕IO, ⎕PP and ⎕RL can, with constants"),
        SystemError::Tolerance => wrong("comparison is exact: ⎕CT is 0".to_string()).help("compare differences: `1E¯9>|a-b`"),
        SystemError::File { path, why } => {
            wrong(format!("the file `{path}` cannot be read")).note(why.as_str()).help("paths are relative to the script")
        }
        SystemError::Word { word, path, kind } => {
            let message = format!("`{}` in `{path}` is not a number of {}", word.escape_debug(), kind.words());
            Diagnostic::error(Code::AplNumber, at, message)
        }
    }
}

fn signature(at: Span, error: &SignatureError) -> Diagnostic {
    let wrong = |message: &str| Diagnostic::error(Code::AplSignature, at, message);
    match error {
        SignatureError::Form => wrong("this is not the type of an entry point").help(
            "write `⍝: name : [n]f64 -> [n][3]i64 -> f64`: kinds are bool, i64, f64, c128 and char; the last type is that of the result and may \
             be left out as `_`",
        ),
        SignatureError::Result { name, declared } => {
            wrong(&format!("the result of `{name}` is not a {declared}")).help("write the type that it has, or `_`")
        }
    }
}
