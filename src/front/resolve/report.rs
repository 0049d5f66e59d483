//! Errors of resolution in words.

use super::error::{
    Bound, Callee, Error, ErrorKind, LoadProblem, Member, MemberAdvice, MemberTypeAdvice, Missing, ModuleAdvice, ModuleTypeAdvice,
    NameAdvice, Parameters, PrefixAdvice, TypeAdvice, Written,
};
use super::unused::Binder;
use super::walk::path_text;
use super::words;
use crate::base::{Code, Span, Symbol};
use crate::diag::{Change, Diagnostic};
use crate::front::syntax::precedence::is_symbolic;
use crate::ir::surface::Ident;

/// An error in words.
pub(super) fn report(error: &Error) -> Diagnostic {
    use ErrorKind as E;
    let at = error.at;
    match &error.kind {
        E::Recursion { name, defined, local } => recursion(at, *name, *defined, *local),
        E::MutualRecursion { name, later, own } => {
            Diagnostic::error(Code::Recursion, at, format!("`{}` and `{name}` use each other", own.name))
                .here(format!("`{name}` is defined later"))
                .label(*later, format!("it uses `{}`", own.name))
                .note("a definition sees those before it and itself")
                .help("make one function of both, with a parameter that says which of the two it is")
        }
        E::HidesByRecursion { name } => {
            Diagnostic::error(Code::HidesByRecursion, at, format!("`{name}` uses itself here, not the `{name}` that is visible before it"))
                .warning()
                .here("in its body the name is this function")
                .help("give one of them another name, so that nobody takes one for the other")
        }
        E::Unused { name, binder } => unused(at, *name, *binder),
        E::UnknownName { name, advice, implicit_start, also } => {
            let diagnostic = mentioned(unknown_name(at, *name, advice.as_ref()), also);
            start(in_all_places(diagnostic, also), *implicit_start)
        }
        E::UndeclaredSizes { names, also, head } => undeclared_sizes(at, names, also, head),
        E::UnknownPrefix { prefix, field, advice, implicit_start } => {
            start(unknown_prefix(at, *prefix, *field, advice.as_ref()), *implicit_start)
        }
        E::UnknownMember { module, member, advice } => unknown_member(at, &path_text(module), *member, advice.as_ref()),
        E::UnknownType { name, advice } => unknown_type(at, *name, advice.as_ref()),
        E::UnknownMemberType { module, name, advice } => unknown_member_type(at, &path_text(module), *name, advice.as_ref()),
        E::RecursiveType { own, path } => recursive_type(at, *own, path),
        E::UnusedSize { ty, size } => {
            Diagnostic::error(Code::TypeArguments, at, format!("the type `{ty}` does not mention its size `{size}`"))
                .here("this size would be lost")
                .help("leave it out, or make an array of this size part of the type")
        }
        E::ValueWithoutBody => Diagnostic::error(Code::ReservedName, at, "only the standard library declares values without defining them")
            .help("write `def` with a body; `???` stands for one that is still to be written"),
        E::FixedOperator(name) => Diagnostic::error(Code::ReservedName, at, format!("`{name}` cannot be redefined"))
            .here("its meaning is part of the language")
            .help("choose another operator"),
        E::EntryTwice { name, first } => Diagnostic::error(Code::BoundTwice, at, format!("there are two entry points `{name}`"))
            .here("defined again")
            .label(*first, "defined first")
            .help("give one of them another name; what is used in the program only is written with `def`"),
        E::BoundTwice { what, name, first } => bound_twice(at, *what, *name, *first),
        E::WrittenTwice { what, name, first } => written_twice(at, *what, *name, *first),
        E::UnknownModule { name, advice } => unknown_module(at, *name, advice.as_ref()),
        E::UnknownMemberModule { module, name } => {
            unknown(Code::UnknownModule, at, format!("the module `{}` has no module `{name}`", path_text(module)))
        }
        E::UnknownModuleType { name, advice } => unknown_module_type(at, *name, advice.as_ref()),
        E::UnknownMemberModuleType { module, name } => {
            unknown(Code::UnknownModule, at, format!("the module `{}` has no module type `{name}`", path_text(module)))
        }
        E::NotApplied { functor, declared, sig } => not_applied(at, *functor, *declared, *sig),
        E::NotParametric { callee, argument } => not_parametric(at, callee, *argument),
        E::ParametersWanted { sig } => {
            Diagnostic::error(Code::ModuleApplication, at, "the module has no parameters, but its module type asks for some")
                .here("not parametric")
                .label(*sig, "this module type is that of a parametric module")
        }
        E::TooManyCopies => {
            Diagnostic::error(Code::TooManyModuleInstances, at, "the applications of parametric modules make too many definitions")
                .here("at this application the limit is passed")
                .note("each application has its own copy of the module's definitions, and applications inside of them copy again")
        }
        E::NoAbstractType { name, sig, near, others } => no_abstract_type(at, &path_text(name), *sig, near.as_deref(), others),
        E::MissingMembers { first, others } => missing_members(at, first, others),
        E::GivenParameters { name, specified, given } => {
            let message = format!("`{}` has {}, but is given a meaning with {}", name.name, count(*specified), count(*given));
            Diagnostic::error(Code::MemberTypeParameters, at, message).here("given here").label(name.span, "specified here")
        }
        E::MemberParameters { name, found, defined, specified } => member_parameters(at, *name, *found, *defined, *specified),
        E::EmptyImport => Diagnostic::error(Code::UnreadableImport, at, "the path of the import is empty")
            .help("write the path of a file without its ending, such as \"lib/np\" or \"helpers\""),
        E::UnreadableImport { path, problems, near } => unreadable_import(at, *path, problems, near.as_deref()),
        E::CyclicImports { files, imports } => {
            let diagnostic = Diagnostic::error(Code::CyclicImports, at, format!("files import each other: {}", files.join(" -> ")))
                .here("this import closes the cycle")
                .help("move what both need into a third file");
            imports.iter().fold(diagnostic, |d, import| d.label(*import, "imported here"))
        }
    }
}

fn unknown(code: Code, at: Span, message: String) -> Diagnostic {
    Diagnostic::error(code, at, message).here("not known")
}

// Values and types.

fn unused(at: Span, name: Symbol, binder: Binder) -> Diagnostic {
    let found = Diagnostic::error(Code::UnusedName, at, format!("nothing uses `{name}`")).warning();
    match binder {
        Binder::Pattern => {
            let found = found.here("its value is not needed").help("leave it out, or write `_` for a value that is not needed");
            found.fix("write `_`", at, "_")
        }
        Binder::Field => {
            let found = found.here("its value is not needed").help(format!("write `{name} = _` for a field that is not needed"));
            found.fix(format!("write `{name} = _`"), at, format!("{name} = _"))
        }
        Binder::Function => {
            found.here("it is never called").help(format!("leave it out; a name that begins with `_` may be unused: `_{name}`"))
        }
        Binder::Update => found
            .here("the array that this makes is not needed")
            .note("an update makes another array with this name, and leaves the one before as it was")
            .help(format!("leave it out, or use `{name}` below it")),
    }
}

fn recursion(at: Span, name: Symbol, defined: Span, local: bool) -> Diagnostic {
    let report = Diagnostic::error(Code::Recursion, at, format!("`{name}` is used in its own definition"))
        .here("recursive use")
        .label(defined, "defined here");
    if local {
        let note = "a function in a `let` does not see itself: only definitions with parameters, outside of others, are recursive";
        let help = format!("make `{name}` a definition of its own, with what it takes from around it as parameters, or write a loop");
        report.note(note).help(help)
    } else {
        let note = "it has no parameters: it is computed once, before anything that could use it";
        report.note(note).help(format!("give it parameters, `def {name} x = ..`, or write a loop"))
    }
}

fn start(diagnostic: Diagnostic, implicit: bool) -> Diagnostic {
    match implicit {
        true => {
            diagnostic.help("`loop name` without `=` starts with the value that `name` has before the loop; write `loop name = start ..`")
        }
        false => diagnostic,
    }
}

fn unknown_name(at: Span, name: Symbol, advice: Option<&NameAdvice>) -> Diagnostic {
    let text = name.as_str();
    let what = if is_symbolic(text) { "operator" } else { "name" };
    let diagnostic = unknown(Code::UnknownName, at, format!("unknown {what} `{text}`"));
    let Some(advice) = advice else { return diagnostic };
    match advice {
        NameAdvice::DefinedLater(place) => diagnostic.label(*place, "defined here").help("a definition is visible after it: move it up"),
        NameAdvice::OtherLanguage(help) => diagnostic.help(*help),
        NameAdvice::Assignment { op } => diagnostic
            .help(format!("variables do not change: bind a new value, `let x = x {op} y in ..`, or write `a with [i] = a[i] {op} y`")),
        NameAdvice::TwoOperators { second } => {
            diagnostic.help(format!("symbols written together are one operator: put a space before `{second}`"))
        }
        NameAdvice::Conversion => {
            diagnostic.help(format!("`{text}` is a type; a conversion names both types, such as `{text}.i64 x` or `{text}.f64 x`"))
        }
        NameAdvice::Extremum(extremum) => diagnostic.help(words::of_extremum(*extremum)),
        NameAdvice::Library(path) => {
            let library = if *path == "lib/np" { "the library for NumPy users" } else { "a library" };
            let top = Span { start: 0, end: 0, ..at };
            let line = format!("import \"{path}\"\n");
            diagnostic.help(format!("`{text}` is in {library}: write `import \"{path}\"` at the top")).fix(
                format!("import \"{path}\""),
                top,
                line,
            )
        }
        NameAdvice::ScalarMember(prim) => diagnostic
            .help(format!("scalar functions are in the module of their type: `{prim}.{text}`"))
            .fix(format!("write `{prim}.{text}`"), at, format!("{prim}.{text}")),
        NameAdvice::Similar(near) => near_name(diagnostic, at, near),
        NameAdvice::UndeclaredSize => diagnostic.help("declare the size in brackets after the name, `name [n]`, or before it is used"),
    }
}

/// Most places that are shown of a name besides the first.
const MOST_PLACES: usize = 7;

/// A similar name, for one that stands alone at a place.
fn near_name(diagnostic: Diagnostic, at: Span, near: &str) -> Diagnostic {
    near_part(diagnostic, at, near, near)
}

/// A similar name, for a part of a name with dots.
fn near_part(diagnostic: Diagnostic, at: Span, whole: &str, near: &str) -> Diagnostic {
    diagnostic.help(format!("did you mean `{whole}`?")).fix(format!("change it to `{whole}`"), at, near)
}

/// A change of a name is one of all places where it is mentioned.
fn in_all_places(mut diagnostic: Diagnostic, also: &[Span]) -> Diagnostic {
    for fix in &mut diagnostic.fixes {
        if let Change::Replace(edits) = &mut fix.change
            && let [(at, text)] = edits.as_slice()
            && at.end > at.start
        {
            let text = text.clone();
            edits.extend(also.iter().map(|place| (*place, text.clone())));
        }
    }
    diagnostic
}

/// The other places where a name is mentioned.
fn mentioned(diagnostic: Diagnostic, also: &[Span]) -> Diagnostic {
    let diagnostic = also.iter().take(MOST_PLACES).fold(diagnostic, |d, place| d.label(*place, ""));
    match also.len().saturating_sub(MOST_PLACES) {
        0 => diagnostic,
        1 => diagnostic.note("it is mentioned at 1 more place"),
        more => diagnostic.note(format!("it is mentioned at {more} more places")),
    }
}

fn undeclared_sizes(at: Span, names: &[Symbol], also: &[Span], head: &str) -> Diagnostic {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = match quoted.as_slice() {
        [one] => format!("the size {one} is not declared"),
        [most @ .., last] => format!("the sizes {} and {last} are not declared", most.join(", ")),
        [] => crate::ice!(at, "an error about no size"),
    };
    mentioned(unknown(Code::UnknownName, at, message), also).help(format!("sizes are declared in brackets after the name: `{head}`"))
}

fn unknown_prefix(at: Span, prefix: Symbol, field: Symbol, advice: Option<&PrefixAdvice>) -> Diagnostic {
    let diagnostic = unknown(Code::UnknownName, at, format!("there is neither a variable nor a module `{prefix}`"));
    match advice {
        Some(PrefixAdvice::NumPy) => diagnostic.help(words::numpy(field.as_str())),
        Some(PrefixAdvice::Library(path)) => {
            let top = Span { start: 0, end: 0, ..at };
            let import = format!("import \"{path}\"");
            let line = format!("{import}\n");
            diagnostic.help(format!("`{prefix}` is a module of a library: write `{import}` at the top")).fix(import, top, line)
        }
        Some(PrefixAdvice::Math) => diagnostic.help(format!("mathematical functions are in scalar modules: `f64.{field}`")),
        Some(PrefixAdvice::Similar(near)) => near_part(diagnostic, at, &format!("{near}.{field}"), near),
        None => diagnostic,
    }
}

fn unknown_member(at: Span, module: &str, member: Symbol, advice: Option<&MemberAdvice>) -> Diagnostic {
    let diagnostic = unknown(Code::UnknownMember, at, format!("the module `{module}` has no member `{member}`"));
    let Some(advice) = advice else { return diagnostic };
    match advice {
        MemberAdvice::OfScalars(prims) => {
            let modules: Vec<&str> = prims.iter().map(|prim| prim.name()).collect();
            diagnostic.note(format!("it is in the modules {}", modules.join(", ")))
        }
        MemberAdvice::PartsOf(prim) => diagnostic
            .help(format!("a complex number has two parts: take one of them, `{prim}.re` or `{prim}.im`, or its magnitude, `{prim}.abs`")),
        MemberAdvice::IsType => diagnostic.help(format!("`{module}.{member}` is a type")),
        MemberAdvice::IsModule => diagnostic.help(format!("`{module}.{member}` is a module")),
        MemberAdvice::Similar(near) => near_part(diagnostic, at, &format!("{module}.{near}"), near),
        MemberAdvice::Library(path) => {
            diagnostic.help(format!("`{member}` is in a library: `import \"{path}\"`, then `{member}` without a prefix"))
        }
    }
}

fn unknown_type(at: Span, name: Symbol, advice: Option<&TypeAdvice>) -> Diagnostic {
    let diagnostic = unknown(Code::UnknownType, at, format!("unknown type `{name}`"));
    match advice {
        Some(TypeAdvice::DefinedLater(place)) => {
            diagnostic.label(*place, "defined here").help("a type is visible after its definition: move the definition up")
        }
        Some(TypeAdvice::OtherLanguage(known)) => diagnostic.help(format!("write `{known}`")).fix(format!("write `{known}`"), at, *known),
        Some(TypeAdvice::Similar(near)) => near_name(diagnostic, at, near),
        Some(TypeAdvice::UndeclaredParameter) => {
            diagnostic.help(format!("a type parameter is declared with a quote: `'{name}` after the name of the definition"))
        }
        None => diagnostic,
    }
}

fn unknown_member_type(at: Span, module: &str, name: Symbol, advice: Option<&MemberTypeAdvice>) -> Diagnostic {
    let diagnostic = unknown(Code::UnknownType, at, format!("the module `{module}` has no type `{name}`"));
    match advice {
        Some(MemberTypeAdvice::Similar(near)) => near_part(diagnostic, at, &format!("{module}.{near}"), near),
        Some(MemberTypeAdvice::OfScalar) => diagnostic.help(format!("the type of a scalar module is `{module}.t`")),
        None => diagnostic,
    }
}

fn recursive_type(at: Span, own: Ident, path: &[Symbol]) -> Diagnostic {
    let message = match path {
        [one] if *one == own.name => format!("the type `{}` is used in its own definition", own.name),
        _ => {
            let path: Vec<&str> = path.iter().map(|name| name.as_str()).collect();
            format!("the type `{0}` is used in its own definition: {0} -> {1} -> {0}", own.name, path.join(" -> "))
        }
    };
    Diagnostic::error(Code::Recursion, at, message)
        .here("recursive use")
        .label(own.span, "defined here")
        .note("a type is an abbreviation of what it stands for, so it cannot contain itself")
        .help("lists are arrays, `[]t`; a tree is an array of nodes that name others by their indices, such as `[]{value: t, parent: i64}`")
}

// Declarations.

fn bound_twice(at: Span, what: Bound, name: Symbol, first: Span) -> Diagnostic {
    let what = match what {
        Bound::TypeParameter => "type parameter",
        Bound::Variable => "name",
    };
    Diagnostic::error(Code::BoundTwice, at, format!("the {what} `{name}` is bound twice"))
        .here("bound again")
        .label(first, "bound first")
        .help("give one of them another name, or write `_` for a value that is not used")
}

fn written_twice(at: Span, what: Written, name: Symbol, first: Span) -> Diagnostic {
    let what = match what {
        Written::Field => "field",
        Written::Constructor => "constructor",
    };
    Diagnostic::error(Code::BoundTwice, at, format!("the {what} `{name}` is written twice"))
        .here("written again")
        .label(first, "written first")
}

// Modules.

fn unknown_module(at: Span, name: Symbol, advice: Option<&ModuleAdvice>) -> Diagnostic {
    let diagnostic = unknown(Code::UnknownModule, at, format!("unknown module `{name}`"));
    match advice {
        Some(ModuleAdvice::IsModuleType) => diagnostic.help(format!("`{name}` is a module type, not a module")),
        Some(ModuleAdvice::IsValue) => {
            diagnostic.help(format!("`{name}` is a value, not a module: its parts are `{name}.field`, or named by a pattern"))
        }
        Some(ModuleAdvice::Enclosing) => diagnostic.note("a module is visible after its declaration, not inside of itself"),
        Some(ModuleAdvice::Similar(near)) => near_name(diagnostic, at, near),
        None => diagnostic,
    }
}

fn unknown_module_type(at: Span, name: Symbol, advice: Option<&ModuleTypeAdvice>) -> Diagnostic {
    let diagnostic = unknown(Code::UnknownModule, at, format!("unknown module type `{name}`"));
    match advice {
        Some(ModuleTypeAdvice::Similar(near)) => near_name(diagnostic, at, near),
        Some(ModuleTypeAdvice::IsModule) => diagnostic.help(format!("`{name}` is a module; a module type says what is in one")),
        None => diagnostic.help("a module type is declared with `module type s = { .. }`, before it is used"),
    }
}

fn not_applied(at: Span, functor: Symbol, declared: Span, sig: Option<Span>) -> Diagnostic {
    let message = format!("the parametric module `{functor}` has no members before it is applied");
    let diagnostic = Diagnostic::error(Code::ModuleApplication, at, message)
        .here("a module with members is wanted")
        .label(declared, "declared here, with parameters")
        .help(format!("apply it: `module m = {functor} ..`"));
    match sig {
        Some(sig) => diagnostic.label(sig, "this module type"),
        None => diagnostic,
    }
}

fn not_parametric(at: Span, callee: &Callee, argument: Span) -> Diagnostic {
    let message = match callee {
        Callee::Named(path) => format!("the module `{}` has no parameters", path_text(path)),
        Callee::Applied => "the module is applied to more arguments than it has parameters".to_string(),
        Callee::Other => "this module has no parameters".to_string(),
    };
    Diagnostic::error(Code::ModuleApplication, at, message).here("not parametric").label(argument, "applied to this")
}

// Module types.

fn no_abstract_type(at: Span, name: &str, sig: Span, near: Option<&str>, others: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::ModuleTypeWith, at, format!("the module type has no abstract type `{name}`"))
        .here("cannot be given a meaning here")
        .label(sig, "this module type");
    match (near, others) {
        (Some(near), _) => near_name(diagnostic, at, near),
        (None, []) => diagnostic,
        (None, [one]) => diagnostic.help(format!("its abstract type is `{one}`")),
        (None, all) => {
            let shown: Vec<String> = all.iter().take(4).map(|name| format!("`{name}`")).collect();
            let more = if all.len() > 4 { ", .." } else { "" };
            diagnostic.help(format!("its abstract types are {}{more}", shown.join(", ")))
        }
    }
}

fn missing_members(at: Span, first: &Missing, others: &[Missing]) -> Diagnostic {
    if others.is_empty() {
        let (what, name) = (of_member(first.what), qualified(&first.path));
        let message = format!("the module has no {what} `{name}`, which its module type asks for");
        let diagnostic = Diagnostic::error(Code::MissingMember, at, message)
            .here(format!("has no {what} `{name}`"))
            .label(first.place, "asked for here");
        return match first.instead {
            Some((what, name)) => diagnostic.note(format!("it has a {} `{name}`", of_member(what))),
            None => diagnostic,
        };
    }
    let missing = || std::iter::once(first).chain(others);
    let count = 1 + others.len();
    let names: Vec<String> = missing().take(4).map(|missing| format!("`{}`", qualified(&missing.path))).collect();
    let more = if count > 4 { format!(" and {} more", count - 4) } else { String::new() };
    let message = format!("the module lacks {count} members that its module type asks for");
    let diagnostic = Diagnostic::error(Code::MissingMember, at, message)
        .here(format!("lacks {}{more}", names.join(", ")))
        .label(first.place, "the first of them is asked for here");
    let notes = missing().filter_map(|missing| Some((missing, missing.instead?)));
    notes.take(3).fold(diagnostic, |d, (missing, (what, name))| {
        d.note(format!("for `{}`, it has a {} `{name}`", qualified(&missing.path), of_member(what)))
    })
}

fn of_member(member: Member) -> &'static str {
    match member {
        Member::Value => "value",
        Member::Type => "type",
        Member::Module => "module",
    }
}

fn qualified(path: &[Symbol]) -> String {
    let names: Vec<&str> = path.iter().map(|name| name.as_str()).collect();
    names.join(".")
}

fn member_parameters(at: Span, name: Ident, found: Parameters, defined: Option<Span>, specified: Parameters) -> Diagnostic {
    let (found, specified) = (count(found), count(specified));
    let message = format!("the type `{}` of the module has {found}, but its module type asks for {specified}", name.name);
    let diagnostic = Diagnostic::error(Code::MemberTypeParameters, at, message).here("does not fit").label(name.span, "asked for here");
    match defined {
        Some(place) => diagnostic.label(place, "the type of the module"),
        None => diagnostic,
    }
}

fn count(parameters: Parameters) -> String {
    let part = |count: usize, what: &str| match count {
        1 => format!("1 {what} parameter"),
        _ => format!("{count} {what} parameters"),
    };
    match parameters {
        Parameters { types: 0, sizes: 0 } => "no parameters".to_string(),
        Parameters { types, sizes: 0 } => part(types, "type"),
        Parameters { types: 0, sizes } => part(sizes, "size"),
        Parameters { types, sizes } => format!("{} and {}", part(types, "type"), part(sizes, "size")),
    }
}

// Files.

fn unreadable_import(at: Span, path: Symbol, problems: &[LoadProblem], near: Option<&str>) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::UnreadableImport, at, format!("the import `{path}` cannot be read")).here("imported here");
    let diagnostic = problems.iter().fold(diagnostic, |d, problem| match problem {
        LoadProblem::Loader(problem) => d.note(problem.clone()),
        LoadProblem::TooLarge(path) => d.note(format!("{path} is larger than 4 GiB")),
    });
    match near {
        Some(near) => diagnostic.help(format!("there is `import \"{near}\"`")).fix(
            format!("import \"{near}\""),
            at,
            crate::front::syntax::print::string_literal(near),
        ),
        None => diagnostic.help("paths are relative to the importing file, and are written without `.rem` or `.fut`"),
    }
}
