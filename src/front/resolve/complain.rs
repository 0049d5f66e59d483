//! Complaints about names that mean nothing, with what may have been meant.

use super::files::import_with;
use super::scope::Module;
use super::suggest;
use super::walk::{Walk, not_applied, path_text};
use crate::base::{Code, PrimType, Symbol, scalar};
use crate::diag::Diagnostic;
use crate::front::syntax::precedence::is_symbolic;
use crate::ir::surface::Ident;
use crate::ir::surface::view::is_builtin_operator;

/// Errors beyond this number get no suggestion: searching for one takes time.
const SUGGESTIONS: usize = 100;

impl<'a> Walk<'_, 'a> {
    pub(super) fn may_suggest(&mut self) -> bool {
        *self.suggested += 1;
        *self.suggested <= SUGGESTIONS
    }

    pub(super) fn unknown(&mut self, name: Ident) {
        let text = name.name.as_str();
        if text == "?" {
            return;
        }
        if let Some(defined) = self.defining.iter().rev().find(|d| d.name == name.name) {
            let diagnostic = Diagnostic::error(Code::Recursion, name.span, format!("`{text}` is used in its own definition"))
                .here("recursive use")
                .label(defined.span, "defined here")
                .note("functions are not recursive, so that every program ends up as array operations and loops")
                .help("repeat with `loop x = start for i < n do ..` or `loop x = start while condition do ..`");
            self.diagnostics.push(diagnostic);
            return;
        }
        let what = if is_symbolic(text) { "operator" } else { "name" };
        let diagnostic = Diagnostic::error(Code::UnknownName, name.span, format!("unknown {what} `{text}`")).here("not known");
        let word = foreign_word(text).filter(|_| !self.later.terms.contains_key(&name.name));
        let diagnostic = match word {
            Some(help) => {
                self.foreign.insert(name.span);
                diagnostic.help(help)
            }
            None => self.advice(diagnostic, text, name),
        };
        self.diagnostics.push(diagnostic);
    }

    /// The names that are not known since so many diagnostics are those of a loop that says nothing of how it begins.
    pub(super) fn no_start(&mut self, before: usize) {
        for diagnostic in self.diagnostics[before..].iter_mut().filter(|diagnostic| diagnostic.code == Code::UnknownName) {
            let help = "a loop without `=` begins with what its names are before it; write `loop name = start ..` for another start";
            diagnostic.help.push(help.into());
        }
    }

    fn advice(&mut self, diagnostic: Diagnostic, text: &str, name: Ident) -> Diagnostic {
        if let Some(place) = self.later.terms.get(&name.name) {
            return diagnostic.label(*place, "defined here").help("a definition is visible after it: move it up");
        }
        if is_symbolic(text)
            && let Some(glued) = glued(text)
        {
            return diagnostic.help(glued);
        }
        if PrimType::from_name(text).is_some() {
            return diagnostic.help(format!("`{text}` is a type; a conversion names both types, such as `{text}.i64 x` or `{text}.f64 x`"));
        }
        if let Some(help) = reduction(text) {
            return diagnostic.help(help);
        }
        if let Some(path) = import_with(text) {
            let library = if path == "lib/np" { "the library for NumPy users" } else { "a library" };
            return diagnostic.help(format!("`{text}` is in {library}: write `import \"{path}\"` at the top"));
        }
        let modules = [PrimType::F64, PrimType::I64, PrimType::Bool];
        if let Some(prim) = modules.into_iter().find(|prim| scalar::member(*prim, text).is_some()) {
            return diagnostic.help(format!("scalar functions are in the module of their type: `{prim}.{text}`"));
        }
        if let Some(help) = common(text) {
            return diagnostic.help(help);
        }
        let symbolic = is_symbolic(text);
        let near = self.may_suggest().then(|| {
            let names = self.scope.term_names().filter(|n| is_symbolic(n) == symbolic);
            suggest::closest(text, names)
        });
        if let Some(near) = near.flatten() {
            return diagnostic.help(format!("did you mean `{near}`?"));
        }
        if self.in_dim {
            return diagnostic.help(format!("a size is declared in brackets after the name of the definition: `def f [{text}] ..`"));
        }
        diagnostic
    }

    pub(super) fn unknown_module(&mut self, module: Ident, field: Ident) {
        let text = module.name.as_str();
        if text == "?" {
            return;
        }
        if self.modules.contains(&module.name) && !self.later.terms.contains_key(&module.name) {
            let diagnostic = self.no_module(module);
            return self.diagnostics.push(diagnostic);
        }
        if self.defining.iter().any(|d| d.name == module.name) || self.later.terms.contains_key(&module.name) {
            return self.unknown(module);
        }
        let diagnostic = Diagnostic::error(Code::UnknownName, module.span, format!("there is neither a variable nor a module `{text}`"))
            .here("not known");
        let diagnostic = match text {
            "np" | "numpy" | "jnp" => diagnostic.help(numpy(field.name.as_str())),
            "math" => diagnostic.help(format!("mathematical functions are in scalar modules: `f64.{}`", field.name)),
            _ => {
                let prims = PrimType::ALL.iter().map(|p| p.name());
                let near = self.may_suggest().then(|| suggest::closest(text, self.scope.term_names().chain(prims)));
                match near.flatten() {
                    Some(near) => diagnostic.help(format!("did you mean `{near}.{}`?", field.name)),
                    None => diagnostic,
                }
            }
        };
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn unknown_member(&mut self, path: &[Ident], module: &Module<'a>, field: Ident) -> Diagnostic {
        let (shown, text) = (path_text(path), field.name.as_str());
        let diagnostic =
            Diagnostic::error(Code::UnknownMember, field.span, format!("the module `{shown}` has no member `{text}`")).here("not known");
        match module {
            Module::Functor(functor) => return not_applied(field.span, functor),
            Module::Scalar(_) => {
                let others: Vec<&str> = PrimType::ALL.iter().filter(|p| scalar::member(**p, text).is_some()).map(|p| p.name()).collect();
                if !others.is_empty() {
                    return diagnostic.note(format!("it is in the modules {}", others.join(", ")));
                }
            }
            Module::Struct(globals) => {
                if globals.types.contains_key(&field.name) {
                    return diagnostic.help(format!("`{shown}.{text}` is a type"));
                }
                if globals.modules.contains_key(&field.name) {
                    return diagnostic.help(format!("`{shown}.{text}` is a module"));
                }
            }
            Module::Broken => {}
        }
        let near = self.may_suggest().then(|| suggest::closest(text, module.term_names()));
        match near.flatten() {
            Some(near) => diagnostic.help(format!("did you mean `{shown}.{near}`?")),
            None => match import_with(text).filter(|_| matches!(module, Module::Scalar(_))) {
                Some(path) => diagnostic.help(format!("`{text}` is in a library: `import \"{path}\"`, then `{text}` without a prefix")),
                None => diagnostic,
            },
        }
    }
}

/// What stands for a name of NumPy.
fn numpy(name: &str) -> String {
    let known = || reduction(name).or_else(|| common(name).map(String::from));
    match import_with(name) {
        Some("lib/np") => format!("names of a library have no prefix: `import \"lib/np\"`, then `{name}`"),
        _ if scalar::member(PrimType::F64, name).is_some() => format!("functions of numbers are in the module of their type: `f64.{name}`"),
        _ => known().unwrap_or_else(|| {
            "names of a library have no prefix: `import \"lib/np\"`; elementwise functions are in scalar modules: `f64.sqrt`".into()
        }),
    }
}

/// Advice for symbols that were meant as two operators.
fn glued(text: &str) -> Option<String> {
    if let Some(op) = text.strip_suffix('=').filter(|op| is_builtin_operator(Symbol::new(op))) {
        return Some(format!("nothing is changed: bind a new value, `let x = x {op} y in ..`, or write `a with [i] = a[i] {op} y`"));
    }
    let (first, last) = text.split_at_checked(text.len() - 1)?;
    (matches!(last, "-" | "!") && is_builtin_operator(Symbol::new(first)))
        .then(|| format!("symbols written together are one operator: put a space before `{last}`"))
}

/// Advice for names that NumPy uses for reductions and scalar modules for functions of two numbers.
fn reduction(text: &str) -> Option<String> {
    let (full, which) = match text {
        "max" | "amax" => ("maximum", "larger"),
        "min" | "amin" => ("minimum", "smaller"),
        _ => return None,
    };
    let short = &full[..3];
    Some(format!("of two numbers `f64.{short} x y` is the {which}; of all elements of an array `f64.{full} xs`"))
}

/// Advice for words by which other languages say what this one has signs for: what stands around them is not understood either.
fn foreign_word(text: &str) -> Option<&'static str> {
    Some(match text {
        "lambda" | "fn" | "fun" => "a function is written `\\x -> e`",
        "return" => "the value of a definition is its body: there is no `return`",
        "elif" | "elsif" | "elseif" => "write `else if`: `if a then x else if b then y else z`",
        _ => return None,
    })
}

/// Advice for names of other languages.
fn common(text: &str) -> Option<&'static str> {
    Some(match text {
        "len" | "size" => "the length of an array is `length xs`",
        "arange" => "`0..<n` is the array of the numbers below n",
        "zeros" | "ones" | "full" => "`replicate n x` is an array of n copies of x",
        "True" => "write `true`",
        "False" => "write `false`",
        "print" => "programs print nothing: their results are printed",
        "is" => "equality is written `==`",
        "None" | "newaxis" => {
            "an axis of length 1 is not written: for `x[:, None] - y`, the operation is mapped over x, `map (\\x -> x - y) x`; where `None` is \
             the absence of a value, a sum type has one: `type maybe = #none | #some f64`"
        }
        "null" | "nil" => "there is no value for nothing; a sum type has one: `type maybe = #none | #some f64`",
        "enumerate" => "`zip (indices xs) xs` has the elements with their indices",
        "append" => "`xs ++ [x]` is xs with x behind it",
        "int" => "conversions are in scalar modules and name both types: `i64.f64 x`",
        "float" => "conversions are in scalar modules and name both types: `f64.i64 x`",
        "sorted" => "`sort` is in the library for NumPy users: write `import \"lib/np\"` at the top",
        _ => return None,
    })
}
