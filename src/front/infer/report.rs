//! Errors of inference in words.

use super::advice::{Advice, Unannotated};
use super::error::{
    AbbreviationArguments, AbbreviationParam, Claim, ConstructorFault, Difference, Error, ErrorKind, Fields, Labels, RankConflict, Source,
    TypeMismatch,
};
use super::reason::Kind;
use super::shown::Shown;
use crate::base::{Code, MAX_RANK, Symbol};
use crate::diag::{Diagnostic, closest};
use crate::rank::TooHard;

/// Most variables that are named.
const NAMED: usize = 6;

impl Error {
    /// The error in words.
    pub fn report(&self) -> Diagnostic {
        let error = |code, message: String| Diagnostic::error(code, self.at, message);
        match &self.kind {
            ErrorKind::TypeMismatch(mismatch) => self.type_mismatch(mismatch),
            ErrorKind::NotAFunction { name, ty, index, total, advice } => {
                let callee = callee(*name);
                let report = if *index == 0 {
                    error(Code::NotAFunction, format!("{callee} is not a function")).here(format!("`{ty}`"))
                } else {
                    let plural = if *index == 1 { "" } else { "s" };
                    error(Code::NotAFunction, format!("{callee} takes {index} argument{plural}, but {total} are given"))
                        .here(format!("after {index}, the result is `{ty}`"))
                };
                Diagnostic { help: advice.iter().map(|advice| advice.words()).collect(), ..report }
            }
            ErrorKind::TakesTuple { name, count } => {
                let applied = name.map_or("f".to_string(), |name| name.to_string());
                let arguments = ["a", "b", "c", "d"].iter().take(*count).copied().collect::<Vec<_>>().join(", ");
                let arguments = if *count > 4 { format!("{arguments}, ..") } else { arguments };
                let callee = callee(*name);
                error(Code::NotAFunction, format!("{callee} takes one tuple of {count} components, but {count} arguments are given"))
                    .here("takes 1 argument")
                    .help(format!("put the arguments into a tuple: `{applied} ({arguments})`"))
            }
            ErrorKind::CannotBeApplied => error(Code::NotAFunction, "this cannot be applied".into()),
            ErrorKind::Hole { wanted } => error(Code::Hole, "a hole is left in the program".into()).warning().here(match wanted {
                Some(ty) => format!("a value of type `{ty}` is wanted here"),
                None => "nothing determines the type that is wanted here".to_string(),
            }),
            ErrorKind::GrowingLoop { body } => error(Code::GrowingLoop, "this loop value is an i32 and may overflow".into())
                .warning()
                .here("an i32, as nothing determines another type")
                .label(*body, "here it grows")
                .help("give the number a suffix: `0i64`"),
            ErrorKind::WrongConstructor { name, ty, fault, source } => {
                let report = self.wrong_constructor(*name, ty, fault);
                match source {
                    Some(Source { at, role, expects }) => {
                        let what = if *expects { role.expected_label() } else { role.subject() };
                        report.label(*at, format!("{what}: `{ty}`"))
                    }
                    None => report,
                }
            }
            ErrorKind::ConstructorOfClass { name, class } => {
                let class = class.describe();
                error(Code::TypeMismatch, format!("`#{name}` makes a value of a sum type, but {class} is expected"))
            }
            ErrorKind::NoSuchField { field, ty, fields } => self.no_such_field(*field, ty, fields),
            ErrorKind::UnknownRecord { field } => {
                error(Code::UnknownRecord, format!("the type of the record with the field `{field}` is not known"))
                    .help("annotate the variable that is projected from, as in `(p: {x: f64, y: f64})`")
            }
            ErrorKind::UnknownSum { constructor, payload } => {
                let fields = " ..".repeat(*payload);
                error(Code::UnknownSum, format!("the sum type with the constructor `#{constructor}` is not known"))
                    .here("nothing says which other constructors there are")
                    .help(format!("annotate the type, as in `(e : #{constructor}{fields} | #other)`"))
            }
            ErrorKind::InfiniteType { source } => {
                error(Code::InfiniteType, "this type would contain itself".into()).label(source.at, source.role.expected_label())
            }
            ErrorKind::EscapingTypeParameter { name, declared } => {
                error(Code::EscapingTypeParameter, format!("the type parameter `'{name}` of a local function escapes from it"))
                    .label(*declared, format!("`'{name}` is declared here"))
            }
            ErrorKind::RankConflict(conflict) => rank_conflict(conflict),
            ErrorKind::RanksCannotAgree => error(Code::RankConflict, "the ranks in this definition cannot agree".into()),
            ErrorKind::TooManyDimensions { rank } => {
                error(Code::RankConflict, format!("an array of {rank} dimensions")).here(format!("at most {MAX_RANK} are possible"))
            }
            ErrorKind::Undecided { why, unannotated } => self.undecided(why, unannotated),
            ErrorKind::UnwrittenRecursion { unannotated, calls } => calls
                .iter()
                .fold(
                    error(Code::Undecided, "the ranks of this recursive function cannot be found without its type".into()),
                    |report, call| report.label(*call, "nothing is mapped or replicated here as long as the type is not known"),
                )
                .note("with the types of all parameters and of the result written, its own calls are applications like others")
                .help(match unannotated.names.is_empty() {
                    true => "write the type of the result".to_string(),
                    false => format!("write the types of the result and of {}", listed(&unannotated.names, "")),
                }),
            ErrorKind::EndlessRecursion { calls } => calls
                .iter()
                .fold(error(Code::EndlessRecursion, "this function never returns: it always applies itself".into()), |report, call| {
                    report.label(*call, "whatever the arguments are, this is computed")
                })
                .help("return without this call where the arguments are small enough: `if n == 0 then .. else ..`"),
            ErrorKind::TypeTooLarge => error(Code::TypeArguments, "type too large after its abbreviations are expanded".into()),
            ErrorKind::AbbreviationArguments(arguments) => self.abbreviation_arguments(arguments),
            ErrorKind::NoSuchMember { module, member } => error(Code::UnknownName, format!("`{module}` has no member `{member}`")),
        }
    }

    /// Why ranks were not decided, and what to do.
    fn undecided(&self, why: &TooHard, unannotated: &Unannotated) -> Diagnostic {
        let error = |message: &str| Diagnostic::error(Code::Undecided, self.at, message.to_string());
        if let TooHard::NoSolver(said) = why {
            return error("the ranks in this definition were not decided: the solver CBC, which they need, cannot be loaded")
                .note(said.clone())
                .help("install it; on Debian: apt-get install coinor-libcbc-dev".to_string());
        }
        error("the ranks in this definition were not decided within the limits").note(why.to_string()).help(unannotated.advice())
    }

    fn type_mismatch(&self, mismatch: &TypeMismatch) -> Diagnostic {
        let TypeMismatch { role, expected: (expected, from), found, class, parts, difference, stands_for, advice } = mismatch;
        let subject = role.subject();
        let mut report = match class {
            Some(class) => {
                let class = class.describe();
                Diagnostic::error(Code::OperandType, self.at, format!("{subject} has the type `{found}`, but {class} is needed"))
            }
            None => {
                Diagnostic::error(Code::TypeMismatch, self.at, format!("{subject} has the type `{found}`, but `{expected}` is expected"))
            }
        };
        report = report.here(format!("`{found}`"));
        if *from != self.at {
            report = report.label(*from, format!("{}: `{expected}`", role.expected_label()));
        }
        if let Some((wanted, got)) = parts
            && (wanted, got) != (expected, found)
        {
            report = report.note(format!("`{got}` and `{wanted}` are different"));
        }
        if let Some((named, expanded)) = stands_for {
            report = report.note(format!("`{named}` is `{expanded}`"));
        }
        match difference {
            Difference::Fields(labels) => report.notes.extend(labels_only("field", "", labels)),
            Difference::Constructors(labels) => report.notes.extend(labels_only("constructor", "#", labels)),
            Difference::Tuples { expected, found } => {
                report = report.note(format!("a tuple of {expected} is expected, this is one of {found}"));
            }
            Difference::Prims { expected, found } => {
                // Of a whole number and a fraction, it is mostly the whole number that is meant to change.
                let operator = matches!(role, Kind::Argument { of: Some(name), .. } if !name.as_str().starts_with(char::is_alphanumeric));
                let help = if operator && expected.is_int() && found.is_float() {
                    format!("write `{found}.{expected} e` for the other operand, or `{expected}.{found} e` here, which drops the fraction")
                } else {
                    format!("write `{expected}.{found} e`")
                };
                report = report.help(format!("there are no implicit conversions: {help}")).fix_around(
                    format!("convert with `{expected}.{found}`"),
                    self.at,
                    format!("({expected}.{found} ("),
                    "))",
                );
            }
            Difference::Forms => {}
        }
        report.help.extend(advice.map(Advice::words));
        report
    }

    fn wrong_constructor(&self, name: Symbol, ty: &Shown, fault: &ConstructorFault) -> Diagnostic {
        match fault {
            ConstructorFault::Payload { declared, given } => {
                let values = if declared.len() == 1 { "1 value".to_string() } else { format!("{} values", declared.len()) };
                let verb = if *given == 1 { "is" } else { "are" };
                let given = if *given == 0 { "none".to_string() } else { given.to_string() };
                let written: String = declared.iter().map(|ty| format!(" {ty}")).collect();
                Diagnostic::error(Code::WrongConstructor, self.at, format!("`#{name}` has {values}, but {given} {verb} given"))
                    .note(format!("in `{ty}` it is `#{name}{written}`"))
            }
            ConstructorFault::Unknown { constructors } => {
                let report = Diagnostic::error(Code::WrongConstructor, self.at, format!("`{ty}` has no constructor `#{name}`"));
                match closest(name.as_str(), constructors.iter().map(|label| label.as_str())) {
                    Some(close) => report.help(format!("a constructor with a similar name is `#{close}`")),
                    None => report.help(format!("its constructors are {}", listed(constructors, "#"))),
                }
            }
            ConstructorFault::NoSum => {
                Diagnostic::error(Code::TypeMismatch, self.at, format!("`#{name}` makes a value of a sum type, but `{ty}` is expected"))
            }
        }
    }

    fn no_such_field(&self, field: Symbol, ty: &Shown, fields: &Fields) -> Diagnostic {
        let report = Diagnostic::error(Code::WrongFields, self.at, format!("`{ty}` has no field `{field}`"));
        let report = match fields {
            Fields::Record(fields) => return report.help(format!("its fields are {}", listed(fields, ""))),
            Fields::Tuple(count) => report.help(format!("the fields of a tuple of {count} are `0` to `{}`", count.saturating_sub(1))),
            Fields::None => report,
        };
        let advice = match field.as_str() {
            "T" | "transpose" => "arrays have no fields: the transposed array is `transpose a`",
            "shape" | "size" | "ndim" => "arrays have no fields: the size of the outermost dimension is `length a`",
            "sum" | "max" | "min" | "prod" | "mean" | "std" => {
                "arrays have no methods: functions are applied to them, `f64.sum a`, `f64.maximum a`, `mean a`"
            }
            "reshape" => "arrays have no methods: functions are applied to them, `flatten a`, `unflatten a`",
            "astype" => "arrays have no methods: `f32.f64 a` converts to f32 from f64, element by element",
            _ => return report,
        };
        report.help(advice)
    }

    fn abbreviation_arguments(&self, arguments: &AbbreviationArguments) -> Diagnostic {
        let AbbreviationArguments { name, declared, params, sizes } = arguments;
        let form: String = params
            .iter()
            .map(|param| match param {
                AbbreviationParam::Size(Some(size)) => format!(" [{size}]"),
                AbbreviationParam::Size(None) => " []".to_string(),
                AbbreviationParam::Type(ty) => format!(" {ty}"),
            })
            .collect();
        let count = |what: &str, count: usize| match count {
            0 => String::new(),
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let listed = |sizes: usize, all: usize| {
            let parts: Vec<String> =
                [count("size", sizes), count("type", all - sizes)].into_iter().filter(|part| !part.is_empty()).collect();
            if parts.is_empty() { "no arguments".to_string() } else { parts.join(" and ") }
        };
        let wanted = (params.iter().filter(|param| matches!(param, AbbreviationParam::Size(_))).count(), params.len());
        let given = (sizes.iter().filter(|size| **size).count(), sizes.len());
        let message = if wanted == given {
            format!("the arguments of `{name}` are in another order")
        } else {
            let verb = if given.1 == 1 { "is" } else { "are" };
            format!("`{name}` takes {}, but {} {verb} given", listed(wanted.0, wanted.1), listed(given.0, given.1))
        };
        Diagnostic::error(Code::TypeArguments, self.at, message)
            .here(format!("`{name}{form}` is expected"))
            .label(*declared, "declared here")
    }
}

fn callee(name: Option<Symbol>) -> String {
    name.map_or("this".to_string(), |name| format!("`{name}`"))
}

fn listed(labels: &[Symbol], mark: &str) -> String {
    labels.iter().map(|label| format!("`{mark}{label}`")).collect::<Vec<_>>().join(", ")
}

/// Which fields or constructors only one of two types has.
fn labels_only(what: &str, mark: &str, labels: &Labels) -> Vec<String> {
    let note = |only: &[Symbol], place: &str| {
        let (plural, verb) = if only.len() == 1 { ("", "is") } else { ("s", "are") };
        (!only.is_empty()).then(|| format!("the {what}{plural} {} {verb} only in the type {place}", listed(only, mark)))
    };
    note(&labels.missing, "that is expected").into_iter().chain(note(&labels.extra, "found")).collect()
}

fn rank_conflict(conflict: &RankConflict) -> Diagnostic {
    let RankConflict { role, expected, found, others } = conflict;
    let (what, wanted) = (role.subject(), role.expected_label());
    let verb = match role {
        Kind::Argument { .. } => "cannot be made to fit",
        _ => "does not fit",
    };
    let message = match role {
        Kind::Condition | Kind::Choice => {
            format!("ranks cannot agree: a condition is one truth value, this one is an array of rank {}", found.rank)
        }
        _ => format!("ranks cannot agree: {what} of rank {} {verb} {wanted} of rank {}", found.rank, expected.rank),
    };
    let claim = |claim: &Claim| format!("rank {}: `{}`", claim.rank, claim.ty);
    let mut report = Diagnostic::error(Code::RankConflict, found.at, message).here(claim(found));
    if expected.at != found.at {
        report = report.label(expected.at, format!("{wanted}, {}", claim(expected)));
    }
    for other in others {
        let text = format!("{} has rank {}, {} rank {}", other.role.subject(), other.found, other.role.expected_label(), other.expected);
        report = report.label(other.at, text);
    }
    match role {
        Kind::Branch | Kind::Element => report.help("only applications are mapped or replicated, and this is none: `id e` is one"),
        Kind::Slice if found.rank > expected.rank => report.help(
            "beside a slice an index is one number; an array of indices chooses rows, `a[is]`, and columns by `map (\\row -> row[is]) a`",
        ),
        Kind::Choice => {
            let report = match found.rank {
                1 => {
                    report.help("`and (..)` says whether all of them are true, `or (..)` whether one of them is; nothing is inserted here")
                }
                _ => report.help("nothing is inserted here"),
            };
            report.help("a choice for each element is `map (\\x -> if c then v else w) xs`, or `where cs v w` of `import \"lib/np\"`")
        }
        Kind::Condition if found.rank == 1 => {
            report.help("`and (..)` says whether all of them are true, `or (..)` whether one of them is; nothing is inserted here")
        }
        Kind::Condition => report.help("nothing is inserted here"),
        Kind::Update if found.rank < expected.rank => {
            report.help("nothing is inserted where a field is replaced, which may change its sizes: `replicate n e` is n copies of `e`")
        }
        Kind::Pattern | Kind::Return | Kind::Ascription if found.rank < expected.rank => {
            report.help("nothing is inserted at an annotation: `rep e` has as many copies of `e` as the type says")
        }
        _ => report,
    }
}

impl Advice {
    /// The advice in words.
    fn words(self) -> String {
        match self {
            Advice::And => "the operators on truth values are `&&`, `||` and `!`: `a && b`".into(),
            Advice::Or => "the operators on truth values are `&&`, `||` and `!`: `a || b`".into(),
            Advice::Range => "`range a b` has the numbers from a on below b; those below n are `0..<n`".into(),
            Advice::Fold { module, member } => {
                format!("`{module}.{member}` takes two numbers; of all elements of an array it is `{module}.{member}imum xs`")
            }
            Advice::MissingArgument => "this is a function: it takes another argument".into(),
            Advice::ExclusiveOr => "`^` is the exclusive or of bits; powers are written `x ** y`".into(),
            Advice::IntegerDivision => "`//` divides integers; of floats, the whole part of the quotient is `f64.floor (x / y)`".into(),
            Advice::Mask => "elements are not chosen by truth values: `filter (\\x -> c) xs` has those for which a condition holds, \
                             `map (\\x -> if c then v else x) xs` changes them"
                .into(),
            Advice::FunctionFirst(name) => format!("the function comes first, the arrays come behind it: `{name} f xs`"),
            Advice::Separated { name, several: true } => format!("arguments are separated by spaces: `{name} a b`"),
            Advice::Separated { name, several: false } => {
                format!("`{name}` takes one argument, not a shape: `rep ({name} n) :> [m][n]t` is an array of m of its results")
            }
            Advice::Difference => "this is a difference: a negative number as an argument needs parentheses, `f x (-1)`".into(),
            Advice::OtherModule { module, member } => format!("for {module} it is `{module}.{member}`"),
            Advice::OtherVariant { prim, module, member } => format!("for {prim} it is `{module}.{member}`"),
            Advice::Fraction(prim) => format!("a number with a fraction is no {prim}: `f64.{prim} e` makes f64 of {prim}"),
            Advice::OpenLambda => "a lambda without parentheses takes everything behind it: `f (\\x -> e) xs`".into(),
            Advice::Nested { outer, inner } => format!("an argument that is an application needs parentheses: `{outer} ({inner} ..)`"),
            Advice::FloatIndex(prim) => format!("an index is an integer: `i64.{prim} x` is x without its fraction"),
            Advice::ComparisonChain => "comparisons are not chained: `a < b && b < c`".into(),
        }
    }
}

impl Unannotated {
    /// What to do about a limit.
    pub(crate) fn advice(&self) -> String {
        let listed: Vec<String> = self.names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        match (listed.len(), self.names.len() > NAMED) {
            (0, _) => "annotate the types of some variables, or split the definition".to_string(),
            (_, false) => format!("annotate the type of {}", listed.join(", ")),
            (_, true) => format!("annotate the types of some variables: {}, ..", listed.join(", ")),
        }
    }
}

impl Kind {
    /// What stands at the place of the expected type.
    pub(super) fn expected_label(self) -> String {
        match self {
            Kind::Argument { of: Some(name), .. } => format!("parameter of `{name}`"),
            Kind::Argument { of: None, .. } => "parameter of this function".into(),
            Kind::Function => "applied here".into(),
            Kind::Element => "first element".into(),
            Kind::Branch => "first branch".into(),
            Kind::Condition | Kind::Choice => "condition".into(),
            Kind::LoopBody => "loop pattern".into(),
            Kind::Bound => "loop counter".into(),
            Kind::LoopArray => "loop pattern".into(),
            Kind::Pattern => "pattern".into(),
            Kind::Return => "declared result".into(),
            Kind::Recursion => "result of its own calls".into(),
            Kind::Ascription => "annotation".into(),
            Kind::Indexed => "index".into(),
            Kind::Slice => "slice".into(),
            Kind::Range => "start of the range".into(),
            Kind::Update => "place that is updated".into(),
            Kind::Field => "field".into(),
            Kind::Size => "size".into(),
            Kind::Payload(name) => format!("`#{name}` of this type"),
            Kind::Case => "first case".into(),
        }
    }
    /// What stands at the place of the type found, as the subject of a sentence.
    pub(super) fn subject(self) -> String {
        match self {
            Kind::Argument { number, of: Some(name) } => format!("argument {number} of `{name}`"),
            Kind::Argument { number, of: None } => format!("argument {number}"),
            Kind::Function => "what is applied".into(),
            Kind::Element => "array element".into(),
            Kind::Branch => "second branch".into(),
            Kind::Condition | Kind::Choice => "condition".into(),
            Kind::LoopBody => "loop body".into(),
            Kind::Bound => "loop bound".into(),
            Kind::LoopArray => "loop array".into(),
            Kind::Pattern => "value of the pattern".into(),
            Kind::Return | Kind::Recursion => "result".into(),
            Kind::Ascription => "annotated expression".into(),
            Kind::Indexed => "indexed expression".into(),
            Kind::Slice => "index of a slice".into(),
            Kind::Range => "part of the range".into(),
            Kind::Update => "new value".into(),
            Kind::Field => "field".into(),
            Kind::Size => "size".into(),
            Kind::Payload(name) => format!("payload of `#{name}`"),
            Kind::Case => "this case".into(),
        }
    }
}
