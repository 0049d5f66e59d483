//! Errors of elaboration in words.

use super::Natural;
use super::error::{Context, Error, ErrorKind, Irregular, Mismatch, Negative, OpenType, Origin, Replicated, Sides, Undetermined};
use super::show::Names;
use crate::base::{Code, PrimType, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::core::sizes::{MAX_DEGREE, MAX_TERMS};
use crate::ir::core::{Dim, Shape, ShapeItem, Type};

const SAME_SIZES: &str = "all cells of an array have the same sizes";

impl Error {
    /// The error in words.
    pub fn report(&self) -> Diagnostic {
        let mut words = Words { at: self.at, names: Names::default() };
        let report = words.kind(&self.kind);
        self.context.iter().fold(report, with_context)
    }
}

impl Error {
    /// The size that is needed, where the other one is put together of sizes and may be equal to it. Sizes that have names are meant to differ.
    pub fn undecided(&self) -> Option<String> {
        match &self.kind {
            ErrorKind::Mismatch(Mismatch::Sizes { expected, found, definite: false, .. })
                if expected.as_atom().is_none() || found.as_atom().is_none() =>
            {
                Some(Names::default().dim(expected))
            }
            _ => None,
        }
    }
}

/// What would happen at run time if a size turned out to be negative.
pub(super) fn would_be_negative(natural: &Natural) -> String {
    format!("the size {} would be negative", called(natural))
}

/// How a size is called that follows from others.
fn called(natural: &Natural) -> String {
    match natural.of {
        Some(definition) => format!("`{}` of `{definition}`", natural.name),
        None => format!("`{}`", natural.name),
    }
}

fn with_context(report: Diagnostic, context: &Context) -> Diagnostic {
    match context {
        Context::InsertedMaps(at) => report.label(*at, "maps were inserted at this application"),
        Context::Elements(at) => report
            .label(*at, "all elements of an array have the same sizes")
            .note("an array whose rows have different sizes would be irregular"),
        Context::Map(at) => report.label(*at, "arrays that are mapped over together have the same sizes"),
        Context::MappedTogether { application, axes } => {
            let report = report
                .label(*application, "mapped over these arguments together")
                .note("arrays that are mapped over together have the same sizes");
            match axes {
                Some((axis, other, at)) => report
                    .label(*at, format!("axis {other} of this meets axis {axis} of the other"))
                    .note("the axes of an array of lower rank meet the last axes of the others, as in NumPy"),
                None => report,
            }
        }
        Context::Call(name) => report.note(format!("in a call of `{name}`")),
        Context::Function(name) => report
            .note(format!("the size of what `{name}` returns is known only after each call, and `map` makes one array of all results")),
        Context::Unchecked => {
            Diagnostic { help: Vec::new(), ..report }.note("the sizes in the type of a function or of a sum cannot be checked at run time")
        }
    }
}

/// The largest finite number of a type of floats, or part of one of a complex type.
fn largest(prim: PrimType) -> f64 {
    match prim {
        PrimType::F16 => 65504.0,
        PrimType::F32 | PrimType::C64 => 3.402_823_5e38,
        _ => f64::MAX,
    }
}

/// The words for one error, in which names are written alike everywhere.
struct Words {
    at: Span,
    names: Names,
}

impl Words {
    fn error(&self, code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.at, message)
    }

    fn kind(&mut self, kind: &ErrorKind) -> Diagnostic {
        match kind {
            ErrorKind::Mismatch(mismatch) => self.mismatch(mismatch),
            ErrorKind::Irregular(irregular) => self.irregular(irregular),
            ErrorKind::Undetermined(undetermined) => self.undetermined(undetermined),
            ErrorKind::Negative(Negative::Solved { natural, size }) => {
                let out = self
                    .error(Code::NegativeSize, format!("the size {} would be {size}", called(natural)))
                    .here(format!("the sizes of what is given here fit only if it is {size}"))
                    .note("no array has fewer than 0 elements in a dimension");
                match natural.declared {
                    Some(declared) => out.label(declared, "declared here"),
                    None => out,
                }
            }
            ErrorKind::Negative(Negative::Written { size }) => {
                self.error(Code::NegativeSize, format!("a size of {size}")).here("no array has fewer than 0 elements in a dimension")
            }
            ErrorKind::TypesDiffer { types } => {
                let types = self.sides(types.as_ref());
                with_types(self.error(Code::NotAFunction, "the types differ"), types)
            }
            ErrorKind::OpenType(open) => self.open_type(open),
            ErrorKind::TypeTooLarge => self
                .error(Code::TypeArguments, "type too large after its abbreviations are expanded")
                .help("name the sizes: `[n]` instead of `[]`; arrays without a written size each have one of their own"),
            ErrorKind::SizeTooLarge => {
                let message = format!(
                    "a size in the type of this is too large: it has more than {MAX_TERMS} terms, or a product of more than {MAX_DEGREE} sizes"
                );
                self.error(Code::TypeArguments, message)
                    .help("a function with the result type `?[n].[n]t` gives its result a size with a name")
            }
            ErrorKind::AbbreviationArguments => self.error(Code::WrongFields, "wrong arguments for this type abbreviation"),
            ErrorKind::NegativeIndex => self
                .error(Code::OutOfBounds, "this index is negative: it is before the first element of any array")
                .here("no element has this index")
                .help("where the step is negative or computed, negative bounds do not count from the end: the last element is `xs[n - 1]`; `xs[::-1]` begins with it"),
            ErrorKind::NumberOutOfRange { ty } if ty.is_float() => self
                .error(Code::NumberOutOfRange, format!("this number is too large for {ty}"))
                .here(format!("the largest {ty} is {:e}", largest(*ty)))
                .help(format!("use a wider type, or write `{ty}.inf`")),
            ErrorKind::NumberOutOfRange { ty } if ty.is_complex() => self
                .error(Code::NumberOutOfRange, format!("this number is too large for a part of {ty}"))
                .here(format!("the largest part is {:e}", largest(*ty)))
                .help("use a wider type"),
            ErrorKind::NumberOutOfRange { ty } => self
                .error(Code::NumberOutOfRange, format!("this number is not a value of type {ty}"))
                .here(format!("{ty} has {} bits", ty.bytes() * 8))
                .help("use a wider type, or write the wrapped-around value"),
            ErrorKind::Hole => self
                .error(Code::Hole, "the type of this hole is not determined")
                .here("a value of any type would do")
                .help("annotate the hole with a type, `(??? : t)`"),
        }
    }

    fn mismatch(&mut self, mismatch: &Mismatch) -> Diagnostic {
        match mismatch {
            Mismatch::Sizes { expected, found, definite, origins, types } => {
                let sides = types.as_ref();
                let types = self.sides(sides);
                let (l, r) = (self.names.size(expected), self.names.size(found));
                let verb = if *definite { "never" } else { "not known to be" };
                let out = self
                    .error(Code::SizeMismatch, format!("sizes {l} and {r} are {verb} equal"))
                    .here(format!("size {r} here, {l} is needed"));
                let mut out = self.with_origins(out, origins);
                if let (false, Some(sides)) = (definite, sides) {
                    let checked = self.names.ty(&at_run_time(sides, expected));
                    out = out.help(format!("if they are always equal, check it at run time: `e :> {checked}`"));
                }
                with_types(out, types)
            }
            Mismatch::KnownAfterCall => {
                self.error(Code::SizeMismatch, "this size is known only after the call, so it cannot be used as a value")
            }
            Mismatch::ExistentialParameter => self
                .error(Code::SizeMismatch, "a parameter of existential size in the type of a function")
                .here("the caller chooses this size: it has a name of its own")
                .help("leave the size out: `[]t`"),
            Mismatch::ComputedParameter => self
                .error(Code::SizeMismatch, "the size of a parameter cannot be computed before it")
                .here("this is no sum, difference or product of sizes, or a very large one")
                .help("write `[]` here, and check the size where the parameter is used: `x :> [..]t`")
                .fix("write `[]`", self.at, ""),
            Mismatch::Loop => self.error(
                Code::SizeMismatch,
                "the sizes of the loop's values change from one iteration to the next in a way that no type describes",
            ),
        }
    }

    fn irregular(&mut self, irregular: &Irregular) -> Diagnostic {
        let code = Code::IrregularRows;
        match irregular {
            Irregular::Escape { size, inner, origins, types } => {
                let types = self.sides(types.as_ref());
                let inner = self.names.size(inner);
                let size = self.names.size(size);
                let out = self
                    .error(code, format!("an array would be irregular: its size {size} differs from cell to cell"))
                    .here(format!("the size {inner} arises inside, where it may differ each time"))
                    .note(SAME_SIZES);
                with_types(self.with_origins(out, origins), types)
            }
            Irregular::Existential { types: Some(Sides { expected, found }) } if super::ragged::is_ragged(found) => {
                let (wanted, written) = (self.names.ty(expected), self.names.ty(found));
                self.error(code, "a ragged array stands where a regular one is needed")
                    .here("the rows of this array may have different sizes")
                    .note(format!("expected {wanted}"))
                    .note(format!("     got {written}"))
                    .help("if the rows have one size, let that be checked at run time: `e :> [n][m]t`")
                    .help("or declare the parameter as ragged: `[n](?[k].[k]t)`")
            }
            Irregular::Existential { types } => {
                let types = self.sides(types.as_ref());
                let message = "an array would be irregular: the function's result has a size that is known only afterwards";
                let out = self
                    .error(code, message)
                    .here("the size of each result is existential")
                    .note(SAME_SIZES)
                    .help("reduce each cell to a regular result inside the function, such as a sum or a length");
                with_types(out, types)
            }
            Irregular::Cells { size } => {
                let what = match size {
                    Some((size, _)) => format!("its cells have the size {}, which differs from cell to cell", self.names.size(size)),
                    None => "the sizes of its cells are known only after each is computed".to_string(),
                };
                let out = self
                    .error(code, format!("an array would be irregular: {what}"))
                    .here("mapped here")
                    .note(SAME_SIZES)
                    .help("reduce each cell to a regular result inside the map, such as a sum or a length");
                match size {
                    Some((_, origins)) => self.with_origins(out, origins),
                    None => out,
                }
            }
            Irregular::Results { definition, needed } => {
                let which = definition.map_or("the definition".to_string(), |name| format!("`{name}`"));
                self.error(code, format!("the results of this function differ in size, but {which} needs results of one size"))
                    .here("the size of each result is known only after it is computed")
                    .label(*needed, "the sizes have to be known here")
            }
            Irregular::Argument { definition } => {
                let which = definition.map_or(String::new(), |name| format!(" of `{name}`"));
                let message = format!(
                    "an array would be irregular: the results of this function differ in size, and the result{which} is an array of them"
                );
                self.error(code, message)
                    .here("the size of each result is known only after it is computed")
                    .note(SAME_SIZES)
                    .help("reduce each cell to a regular result inside the function, such as a sum or a length")
            }
        }
    }

    fn undetermined(&mut self, undetermined: &Undetermined) -> Diagnostic {
        let code = Code::UndeterminedSize;
        match undetermined {
            Undetermined::Made { size } => self
                .error(code, format!("nothing determines the size `{size}` of what is made here"))
                .here(format!("nothing here determines `{size}`"))
                .help("annotate it with a type whose size is known, `(e : [n]t)`"),
            Undetermined::Function { size } => self
                .error(code, format!("nothing determines the size `{size}` of this function"))
                .here(format!("`{size}` is the size of none of the arrays that it is applied to"))
                .help("annotate the function that is its argument with a size that is known"),
            Undetermined::Computed { size } => self
                .error(code, format!("nothing determines the size `{size}`"))
                .here(format!(
                    "sizes of its parameters are computed from `{size}`, and no argument has a size that is known to be computed like that"
                ))
                .help("annotate the argument with the size as it is written in the parameter, `(xs :> [2 ** n]t)`"),
            Undetermined::Parts { size } => {
                let size = self.names.size(size);
                self.error(code, format!("nothing determines the parts of the size {size}"))
                    .here(format!("this has the size {size}, but each part of it is needed separately"))
                    .help("annotate what is made of it with the sizes that it is to have, `let (a: [n]t, b) = ..`")
            }
            Undetermined::Parameter { size } => self
                .error(code, format!("nothing determines the size `{size}`"))
                .here("no parameter has this size")
                .help(format!("make it the size of a parameter, `(xs: [{size}]t)`, or a parameter: `({size}: i64)`")),
            Undetermined::Pattern => self
                .error(code, "this size is not determined by the pattern's type")
                .here("nothing says what it is")
                .help("use it alone as the size of an array in the pattern: `[n]t`"),
            Undetermined::Recursion { result: None } => self
                .error(code, "nothing determines the sizes of what this recursive function returns")
                .here("no branch without a recursive call determines them")
                .help("write the type of the result with its sizes, `: [n]t`, or `: ?[k].[k]t` for a size that only the result knows"),
            Undetermined::Recursion { result: Some(result) } => {
                let result = self.names.ty(result);
                self.error(code, "the sizes of what this recursive function returns change with each call")
                    .here(format!("when the calls return what was found, it is `{result}`"))
                    .help("write the type of the result with its sizes, `: [n]t`, or `: ?[k].[k]t` for a size that only the result knows")
            }
            Undetermined::Replication { inserted: None } => self
                .error(code, "nothing determines how often this is replicated")
                .here("the length of this `rep` is not known")
                .help("use `replicate n x`, or annotate the type of the result"),
            Undetermined::Replication { inserted: Some(inserted) } => self.replicated(code, inserted),
        }
    }

    /// An argument whose rank is lower than what the function takes: most often there is something wrong with it.
    fn replicated(&mut self, code: Code, inserted: &Replicated) -> Diagnostic {
        let (has, takes) = (inserted.has, inserted.takes);
        let what = |rank: usize| match rank {
            0 => "a single value".to_string(),
            1 => "an array of rank 1".to_string(),
            rank => format!("an array of rank {rank}"),
        };
        let function = inserted.function.map_or("the function".to_string(), |name| format!("`{name}`"));
        let message = match has {
            0 => format!("{function} takes {}, and this is {}: nothing says how many copies of it are meant", what(takes), what(has)),
            _ => format!("{function} takes {}, and this has rank {has}: nothing says how many copies of it are meant", what(takes)),
        };
        let brackets = |text: &str| format!("{}{text}{}", "[".repeat(takes - has), "]".repeat(takes - has));
        self.error(code, message).here(format!("rank {has}, where rank {takes} is needed")).help(format!(
            "give it {}: `{}` has one such value in it, `replicate n x` has `n`",
            what(takes),
            brackets("x")
        ))
    }

    fn open_type(&mut self, open: &OpenType) -> Diagnostic {
        let name = open.name;
        let (what, names): (&str, &[Symbol]) = if open.types.is_empty() { ("size", &open.sizes) } else { ("type", &open.types) };
        let shown = names.iter().take(3).map(|name| format!("the {what} `{name}`")).collect::<Vec<_>>().join(", ");
        let more = if names.len() > 3 { ", .." } else { "" };
        let verb = if names.len() > 1 { "are" } else { "is" };
        let ty = self.names.ty(&open.ty);
        self.error(Code::UndeterminedType, format!("the type of `{name}` is not determined"))
            .here(format!("its type is {ty}"))
            .label(open.body, format!("this is computed once, and nothing here says what {shown}{more} {verb}"))
            .note("only functions and values that need no computation can have many types")
            .help(format!("annotate `{name}` with a type, or define it as a function with parameters"))
    }

    fn sides(&mut self, types: Option<&Sides>) -> Option<(String, String)> {
        types.map(|Sides { expected, found }| (self.names.ty(expected), self.names.ty(found)))
    }
    fn with_origins(&mut self, report: Diagnostic, origins: &[Origin]) -> Diagnostic {
        origins.iter().fold(report, |report, origin| report.label(origin.at, self.origin(origin.size.as_ref(), origin.call)))
    }
    fn origin(&mut self, size: Option<&Dim>, call: bool) -> String {
        match size {
            Some(size) if call => format!("the size {} of this call", self.names.size(size)),
            Some(size) => format!("{} comes from here", self.names.size(size)),
            None => "the size _, which is not written, comes from here".to_string(),
        }
    }
}

fn with_types(report: Diagnostic, types: Option<(String, String)>) -> Diagnostic {
    match types {
        Some((expected, found)) if expected != found => report.note(format!("expected {expected}")).note(format!("     got {found}")),
        Some(_) | None => report,
    }
}

/// The type for a check at run time: of the sizes that are needed only the one that is not known is taken, since others may have names that only the function knows which
/// is called.
fn at_run_time(Sides { expected, found }: &Sides, size: &Dim) -> Type {
    let (needed, there) = (&expected.shape().items, &found.shape().items);
    let size = ShapeItem::Dim(size.clone());
    if expected.atom() != found.atom() || needed.len() != there.len() || !needed.contains(&size) {
        return expected.clone();
    }
    let items = needed.iter().zip(there).map(|(needed, there)| if *needed == size { needed.clone() } else { there.clone() });
    Type::new(expected.atom().clone(), Shape { items: items.collect() })
}
