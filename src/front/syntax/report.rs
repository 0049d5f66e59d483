//! Errors of syntax in words.

use super::error::{Error, ErrorKind, Foreign, LoopAttribute, Meant, Misplaced, Named, Wanted};
use super::lexer::Tok;
use super::literal::LiteralError;
use crate::base::{Code, PrimType, Span};
use crate::diag::Diagnostic;
use crate::ice;
use crate::ir::attributes::Takes;

const CHOICE: &str = "a conditional is written `if c then a else b`";
const NO_FLOAT: &str = "write a decimal point or a float suffix for a float: `1e30`, `1.0e30f32`";
const ESCAPES: &str = "the escapes are \\n \\t \\r \\\\ \\\" \\' and decimal character numbers such as \\65";

/// An error in words. `text` is that of the file.
pub(super) fn report(error: &Error, text: &str) -> Diagnostic {
    use ErrorKind as E;
    let at = error.at;
    let here = text.get(at.start as usize..at.end as usize).unwrap_or("");
    let found = |tok: Tok| found(tok, here);
    match &error.kind {
        E::UnknownCharacters => unknown_characters(at, here),
        E::ForeignComment => Diagnostic::error(Code::UnknownCharacter, at, "the character `#` is not part of the language")
            .here("not understood")
            .help("comments start with `--`"),
        E::Literal(error) => literal(at, error, here),
        E::Expected { wanted, found, meant } => with(expected(at, *wanted, *found, here), meant_in_words(*meant)),
        E::InBracket { wanted, closer, found: tok, opened, meant } => {
            let wanted = match wanted {
                Wanted::NothingElse => format!("expected {}", token(*closer)),
                _ => format!("expected {} or {}", wanted_in_words(*wanted), token(*closer)),
            };
            let diagnostic = unexpected(at, format!("{wanted}, found {}", found(*tok)), &wanted);
            with(diagnostic.label(*opened, "in the bracket opened here"), meant_in_words(*meant))
        }
        E::UnclosedBracket { closer, found: tok, opened, meant } => {
            let wanted = format!("expected {}", token(*closer));
            let message = format!("a bracket is not closed: {wanted}, found {}", found(*tok));
            let diagnostic = Diagnostic::error(Code::UnmatchedBracket, at, message).here(wanted).label(*opened, "opened here");
            with(diagnostic, meant_in_words(*meant))
        }
        E::ClosesNothing => {
            Diagnostic::error(Code::UnmatchedBracket, at, format!("`{here}` closes nothing")).here("no bracket is open here")
        }
        E::UnclosedOperator { found: tok, opened } => {
            unexpected(at, format!("expected a backtick, found {}", found(*tok)), "expected a backtick")
                .label(*opened, "the operator starts here")
        }
        E::NamedType { found: tok, opened } => unexpected(at, format!("expected `->`, found {}", found(*tok)), "expected `->`")
            .label(*opened, "only the parameter of a function type has a name"),
        E::LetWithoutBody { found: tok, start, binding } => {
            Diagnostic::error(Code::LetWithoutBody, at, format!("expected `in` or another `let`, found {}", found(*tok)))
                .here("expected `in`")
                .label(*start, "this `let` needs an expression after its binding")
                .help(match binding {
                    true => "each name is bound by a `let` of its own: `let x = .. let y = .. in ..`",
                    false => "a chain of bindings ends with `in` and its result",
                })
        }
        E::RangeEnd { found: tok } => {
            unexpected(at, format!("a range does not end: found {}", found(*tok)), "expected `..<`, `..>` or `...`")
                .help("ranges look like `0..<n`, `1...n`, or with the second element `0..2..<n`")
        }
        E::NoDeclaration { found, equals } => no_declaration(at, *found, here, *equals),
        E::NoSpecification { found: tok } => {
            let message = format!("expected a specification, found {}", found(*tok));
            let diagnostic = unexpected(at, message, "expected a specification such as `val f : i32 -> i32`");
            match tok {
                Tok::Def | Tok::Let | Tok::Entry => diagnostic.help("a module type says types only: `val name : type`"),
                _ => diagnostic,
            }
        }
        E::Foreign(foreign) => foreign_in_words(at, *foreign),
        E::Misplaced(form) => misplaced(at, *form, here),
        E::Wrapped { becomes } => Diagnostic::error(Code::NumberOutOfRange, at, format!("`{here}` wraps around to {becomes}"))
            .warning()
            .help("write the number that is meant"),
        E::NoLoop(attribute) => {
            let (why, help) = match attribute {
                LoopAttribute::Unroll | LoopAttribute::Stripmine => ("this is not a loop", "write it in front of `loop`"),
                LoopAttribute::Bound => ("this is not a loop with `while`", "write it in front of `loop .. while ..`"),
            };
            let message = format!("`#[{here}]` has no effect: {why}");
            Diagnostic::error(Code::UnknownAttribute, at, message).warning().help(help)
        }
        E::AttributeOfNothing => {
            let message = format!("`#[{here}]` has no effect: this is neither an expression nor a definition");
            Diagnostic::error(Code::UnknownAttribute, at, message).warning().help("write it in front of `def`, or in a body")
        }
        E::UnknownAttribute { name, near } => {
            let message = format!("there is no attribute `{}`: it has no effect", name.escape_debug());
            let warning = Diagnostic::error(Code::UnknownAttribute, at, message).warning();
            match near {
                Some(near) if here == name => {
                    warning.help(format!("did you mean `#[{near}]`?")).fix(format!("change it to `{near}`"), at, *near)
                }
                Some(near) => warning.help(format!("did you mean `#[{near}]`?")),
                None => warning,
            }
        }
        E::AttributeArgument { argument, takes } => attribute_argument(at, here, argument, *takes).warning(),
    }
}

fn unexpected(at: Span, message: impl Into<String>, here: &str) -> Diagnostic {
    Diagnostic::error(Code::Unexpected, at, message).here(here)
}

fn with(diagnostic: Diagnostic, help: Option<impl Into<String>>) -> Diagnostic {
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

// Expected and found.

/// What a token is called, of which this is the text.
fn found(tok: Tok, text: &str) -> String {
    match tok {
        Tok::Eof => "the end of the file".to_string(),
        Tok::UnclosedStr => "a string that is not closed".to_string(),
        _ => {
            let shown: String = text.chars().take(30).collect();
            if shown.len() < text.len() { format!("`{shown}..`") } else { format!("`{shown}`") }
        }
    }
}

fn expected(at: Span, wanted: Wanted, tok: Tok, text: &str) -> Diagnostic {
    if tok == Tok::UnclosedStr {
        return Diagnostic::error(Code::UnclosedString, at, "the string is not closed")
            .here("starts here")
            .help("close it with `\"` on the same line");
    }
    let what = format!("expected {}", wanted_in_words(wanted));
    let diagnostic = unexpected(at, format!("{what}, found {}", found(tok, text)), &what);
    match tok {
        Tok::Op if text.starts_with('=') => diagnostic.help("symbols written together are one operator: put a space after `=`"),
        Tok::Ident | Tok::Eof => diagnostic,
        _ if takes_name(wanted) && text.starts_with(|c: char| c.is_ascii_lowercase()) => diagnostic.help(format!("`{text}` is a keyword")),
        _ => diagnostic,
    }
}

/// Whether a name may stand there.
fn takes_name(wanted: Wanted) -> bool {
    matches!(wanted, Wanted::Name | Wanted::FieldName | Wanted::NameOf(_) | Wanted::Constructor | Wanted::Module | Wanted::ModuleType)
}

fn wanted_in_words(wanted: Wanted) -> &'static str {
    match wanted {
        Wanted::Token(tok) => token(tok),
        Wanted::Name => "a name",
        Wanted::FieldName => "a field name",
        Wanted::NameOf(named) => match named {
            Named::Definition => "the name of the definition",
            Named::Type => "the name of the type",
            Named::TypeParameter => "the name of a type parameter",
            Named::Size => "the name of a size",
            Named::Attribute => "the name of an attribute",
            Named::SomeModule => "the name of a module",
            Named::Module => "the name of the module",
            Named::ModuleType => "the name of the module type",
            Named::ModuleParameter => "the name of a module parameter",
        },
        Wanted::Expression => "an expression",
        Wanted::EndOfExpression => "the end of the expression",
        Wanted::Pattern => "a pattern",
        Wanted::Type => "a type",
        Wanted::Number => "a number",
        Wanted::Parameter => "a parameter",
        Wanted::Constructor => "a constructor such as `#name`",
        Wanted::Index => "an index",
        Wanted::IndexOrBracket => "an index or `]`",
        Wanted::Path => "a path in quotes, such as `\"lib/np\"`",
        Wanted::Module => "a module, such as a name, `{ .. }` or `import \"..\"`",
        Wanted::ModuleParameter => "a parameter such as `(m: numeric)`",
        Wanted::ModuleType => "a module type, such as a name or `{ val f : i32 -> i32 }`",
        Wanted::Ascription => "`:` and the module type",
        Wanted::ParameterAscription => "`:` and the module type of the parameter",
        Wanted::Declaration => "a declaration",
        Wanted::Specification => "a specification",
        Wanted::NextDeclaration => "an operator or the next declaration",
        Wanted::NextSpecification => "the next specification or `}`",
        Wanted::ForOrWhile => "`for` or `while`",
        Wanted::LessOrIn => "`<` or `in`",
        Wanted::CommaOrColon => "`,`, `:`",
        Wanted::OperatorOrComma => "an operator or `,`",
        Wanted::NothingElse => "nothing else",
    }
}

/// A token that the parser asks for.
fn token(tok: Tok) -> &'static str {
    match tok {
        Tok::RParen => "`)`",
        Tok::LBracket => "`[`",
        Tok::RBracket => "`]`",
        Tok::RBrace => "`}`",
        Tok::Comma => "`,`",
        Tok::Colon => "`:`",
        Tok::Dot => "`.`",
        Tok::Eq => "`=`",
        Tok::Arrow => "`->`",
        Tok::Then => "`then`",
        Tok::Else => "`else`",
        Tok::Do => "`do`",
        Tok::Case => "`case`",
        Tok::With => "`with`",
        _ => ice!(Span::default(), "the parser never asks for {tok:?}"),
    }
}

fn meant_in_words(meant: Option<Meant>) -> Option<&'static str> {
    Some(match meant? {
        Meant::Membership => "`in` belongs to `let`; whether x is an element of xs is `any (== x) xs`",
        Meant::Lambda => "a function is written `\\x -> e`",
        Meant::Equality => "equality is written `==`; an array with another element is `a with [i] = v`",
        Meant::Binding => "a name is bound by `let`, and what it is used for follows `in`: `let y = e in ..`",
        Meant::NamedArgument => {
            "arguments have no names and are separated by spaces, `f a b`; along the last axis of a matrix `f64.sum a` sums, along the first \
             one `f64.sum (transpose a)`; equality is written `==`"
        }
        Meant::Assignment => "a variable is not changed: a new one of the same name is bound, `let x = x + y in ..`",
        Meant::Choice => CHOICE,
        Meant::Comprehension => "an array of results is `map (\\x -> e) xs`; `filter (\\x -> c) xs` has the elements for which c holds",
        Meant::ResultType => "the type of the result follows a colon: `def f (x: t) : t = ..`",
        Meant::Body => "the body of a definition follows `=`: `def f x = ..`",
        Meant::Parameters => "parameters stand side by side and the body follows `=`: `def f x y = ..`",
        Meant::TuplePattern => "several names are bound by a tuple pattern in parentheses: `(a, b) = ..`",
        Meant::Hole => "`_` is a pattern; for an expression still to be written use `???`",
        Meant::Character => "a character is written `'a'`, one between the quotes; a string is written `\"text\"`",
        Meant::TypeParameter => "type parameters are declared with a quote, `def f 'a`, and used without: `(x: a)`",
        Meant::NumPy => "the library for NumPy users is `import \"lib/np\"`; its names have no prefix",
    })
}

fn no_declaration(at: Span, tok: Tok, text: &str, equals: bool) -> Diagnostic {
    let message = format!("expected a declaration, found {}", found(tok, text));
    let diagnostic = unexpected(at, message, "expected a declaration such as `def f x = ..`");
    match tok {
        Tok::Constr => diagnostic.help("comments start with `--`"),
        Tok::Ident => diagnostic.help(match text {
            "fun" | "fn" | "function" | "let" | "func" => "definitions start with `def`: `def f x = ..`",
            _ if equals => "definitions start with `def`: `def x = ..`",
            _ => "a program is a list of definitions: `def f x = ..`",
        }),
        _ => diagnostic,
    }
}

fn foreign_in_words(at: Span, foreign: Foreign) -> Diagnostic {
    let (message, help) = match foreign {
        Foreign::For => (
            "expected an expression, found `for`",
            "a loop has a value that it starts with: `loop x = start for i < n do ..`; an array of results is `map (\\i -> ..) (0..<n)`",
        ),
        Foreign::While => {
            ("expected an expression, found `while`", "a loop has a value that it starts with: `loop x = start while c do ..`")
        }
        Foreign::ChoiceBehind => ("a conditional begins with `if`", CHOICE),
        Foreign::ChoiceWithColons => ("expected `then` after the condition", CHOICE),
    };
    unexpected(at, message, "not understood").help(help)
}

// Forms.

fn misplaced(at: Span, form: Misplaced, text: &str) -> Diagnostic {
    let moved = |message: &str| Diagnostic::error(Code::MisplacedForm, at, message);
    let bare = |message: String| Diagnostic::error(Code::NeedsParentheses, at, message);
    match form {
        Misplaced::Include => unexpected(at, "expected a declaration, found `include`", "only module types include others")
            .help("`open m` makes what is in a module part of the module around it"),
        Misplaced::OneComponentPattern => moved("a tuple pattern has at least two components, or none"),
        Misplaced::OneComponentTuple => bare("a tuple has at least two components, or none".into()).here("nothing follows"),
        Misplaced::LateSizeParameter => moved("size parameters come before the other parameters")
            .here("too late for a size parameter")
            .help("write `f [n] (xs: [n]t) ..`; an array parameter is written in parentheses with its type"),
        Misplaced::PatternDefinition => moved("a top-level definition binds one name")
            .here("a pattern")
            .help("bind a name, and take the value apart in further definitions"),
        Misplaced::QualifiedDefinition => moved("a qualified name cannot be defined").here("this name belongs to a module"),
        Misplaced::LoopWithoutStart => moved("a loop needs initial values")
            .here("this is not the name of a variable")
            .help("write the initial value: `loop pattern = value for ..`"),
        Misplaced::FieldName => unexpected(at, format!("expected a field name, found `{text}`"), "expected a field name"),
        Misplaced::LongRange => {
            unexpected(at, "a range has at most three parts", "a fourth part").help("put one of the ranges in parentheses")
        }
        Misplaced::OpensNoModule => bare("only a module can be opened for an expression".into())
            .here("this is no name of a module")
            .help("`m.(e)` is the expression e with the names of the module m"),
        Misplaced::BareArgument(tok) => {
            let what = match tok {
                Tok::Bang => "a negation",
                _ => "this expression",
            };
            bare(format!("{what} cannot be an argument without parentheses"))
                .here("needs parentheses")
                .help("write `f (..)`, or `f <| ..` for the last argument")
        }
        Misplaced::SectionOfNot => {
            bare("`!` is no infix operator and has no section".into()).help("write `\\x -> !x`, or the function `not`")
        }
        Misplaced::LooseOperand { section, operand } => {
            bare(format!("the section of `{section}` has an operand that binds less tightly")).label(operand, "put this in parentheses")
        }
    }
}

fn attribute_argument(at: Span, text: &str, argument: &str, takes: Takes) -> Diagnostic {
    let wanted = match takes {
        Takes::Nothing => "nothing".to_string(),
        Takes::Anything => "anything".to_string(),
        Takes::Word(words) => words.join(" or "),
        Takes::Number(from, i64::MAX) => format!("a number of at least {from}"),
        Takes::Number(from, to) => format!("a number from {from} to {to}"),
    };
    let why = match (takes, argument) {
        (Takes::Nothing, _) => "this attribute takes nothing in parentheses".to_string(),
        (_, "") => format!("it takes {wanted} in parentheses"),
        _ => format!("it takes {wanted} in parentheses, not `{}`", argument.escape_debug()),
    };
    Diagnostic::error(Code::UnknownAttribute, at, format!("`#[{text}]` has no effect: {why}"))
}

// Characters and literals.

fn unknown_characters(at: Span, found: &str) -> Diagnostic {
    let shown: String = found.chars().take(12).collect();
    let message = match found.chars().count() {
        1 => format!("the character `{}` is not part of the language", shown.escape_debug()),
        _ => format!("the characters `{}` are not part of the language", shown.escape_debug()),
    };
    let diagnostic = Diagnostic::error(Code::UnknownCharacter, at, message).here("not understood");
    let help = match found.chars().next() {
        Some('#') => "comments start with `--`",
        Some(';') => "declarations and bindings need no separator",
        Some('“' | '”' | '„') => "string literals are written with plain quotes: \"text\"",
        Some('−' | '–' | '—') => "minus is written with the plain character `-`",
        Some('λ') => "functions are written with a backslash: `\\x -> e`",
        Some('×' | '·') => "multiplication is written `*`",
        Some('≤' | '≥' | '≠') => "comparisons are written `<=`, `>=`, `!=`",
        Some('@') => "`@` has no meaning here; matrix multiplication is the function `matmul`, the inner product of two vectors `dot`",
        _ => return diagnostic,
    };
    diagnostic.help(help)
}

fn literal(at: Span, error: &LiteralError, text: &str) -> Diagnostic {
    // Without the marks between groups of digits, as the value is read.
    let number: String = text.chars().filter(|c| *c != '_').collect();
    let short = if number.len() <= 40 { number.clone() } else { format!("{}..", number.chars().take(38).collect::<String>()) };
    let suffixes = |bad: char| bad.is_alphabetic().then_some("the suffixes of numbers are i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64");
    let (message, help) = match error {
        LiteralError::NoDigits => (format!("the number `{number}` has no digits"), None),
        LiteralError::Digit { found, base } => {
            let base = match base {
                2 => "binary",
                8 => "octal",
                _ => "hexadecimal",
            };
            (format!("`{found}` is not a {base} digit"), suffixes(*found))
        }
        LiteralError::Suffix(tail) => {
            let shown = if tail.len() <= 40 { tail.clone() } else { format!("{}..", tail.chars().take(38).collect::<String>()) };
            (format!("`{shown}` is not a suffix of a number"), tail.chars().next().and_then(suffixes))
        }
        LiteralError::TooLarge(prim) => (format!("the number `{short}` is too large for {prim}"), None),
        LiteralError::TooLargeWithoutSuffix => (format!("the number `{short}` is too large for {}", PrimType::U64), Some(NO_FLOAT)),
        LiteralError::Fraction(prim) => {
            (format!("the number `{number}` has a fraction or an exponent but the integer suffix {prim}"), None)
        }
        LiteralError::HexadecimalFloat => (format!("the number `{short}` is malformed"), Some("hexadecimal floats look like `0x1.8p3`")),
        LiteralError::Roman => (format!("the number `{short}` is malformed"), None),
        LiteralError::EmptyCharacter => ("the character literal is empty".to_string(), None),
        LiteralError::NoCharacter(value) => (format!("there is no character with the number {value}"), None),
        LiteralError::Escape(found) => {
            let shown: String = found.iter().collect();
            (format!("`\\{}` is not an escape", shown.escape_debug()), Some(ESCAPES))
        }
    };
    with(Diagnostic::error(Code::MalformedNumber, at, message), help)
}
