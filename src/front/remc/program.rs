//! Files and definitions.

use super::error::{Error, NameError, Place, TypeError};
use super::library::{self, Library};
use super::local::is_body;
use super::report::report;
use super::scope::{Bound, Scope};
use super::{Elaborator, Global, Insertion, Libraries, Typed, names};
use crate::base::{FileId, SourceMap, Span, Symbol};
use crate::diag::Diagnostic;
use crate::front::resolve::closest;
use crate::ir::core::equal::Equality;
use crate::ir::core::free::FreeVars;
use crate::ir::core::read::{self, Binder, BinderKind, TypeVariable};
use crate::ir::core::sexp::{self, Sexp, SexpKind};
use crate::ir::core::{Atom, Define, Expr, ExprKind, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Facts about types remembered before the memory is given back.
const MAX_REMEMBERED: usize = 10_000;

/// A file made explicit.
#[derive(Debug, Default)]
pub struct Elaborated {
    /// Explicit core: what was used of the library, then the accepted definitions of the file.
    pub program: Program,
    /// What is wrong, in order of place.
    pub diagnostics: Vec<Diagnostic>,
    /// The last expression of the file as a definition.
    pub last: Option<Symbol>,
    /// Names in the program of the definitions of the file with their names in the file.
    pub names: FxHashMap<Symbol, Symbol>,
    /// What was lifted and inferred in the definitions of the file, in order of place.
    pub insertions: Vec<Insertion>,
    /// Whether the program uses the numbers on standard input.
    pub reads_numbers: bool,
}

/// Makes a file explicit. Definitions with errors are left out.
pub fn program(sources: &mut SourceMap, root: FileId) -> Elaborated {
    let text = sources.file(root).text.clone();
    let (items, errors) = sexp::parse(root, &text);
    let mut errors: Vec<Error> = errors.into_iter().map(Error::from).collect();
    let (used, items) = used_library(&items, &mut errors);
    let (library, more) = Library::load(sources, used).unwrap_or_default();
    errors.extend(more.into_iter().map(Error::from));
    let mut elaborator = Elaborator {
        libraries: Libraries { all: &library, known: FxHashMap::default(), inside: None, suspended: Vec::new(), defs: Vec::new() },
        globals: FxHashMap::default(),
        all: FxHashMap::default(),
        taken: FxHashSet::default(),
        scope: Scope::default(),
        free: FreeVars::default(),
        equality: Equality::default(),
        defs: Vec::new(),
        insertions: Vec::new(),
        partial: FxHashSet::default(),
        broken: false,
        reads_numbers: false,
        errors,
    };
    let last = elaborator.file(items);
    elaborator.finish(root, last)
}

/// The library that a file uses, and its other forms.
fn used_library<'s>(items: &'s [Sexp], errors: &mut Vec<Error>) -> (&'static str, &'s [Sexp]) {
    let Some((first, rest)) = items.split_first() else { return ("default", items) };
    let SexpKind::Paren(parts) = &first.kind else { return ("default", items) };
    if parts.first().and_then(Sexp::keyword) != Some("use") {
        return ("default", items);
    }
    let name = match parts.as_slice() {
        [_, name] => name.name(),
        _ => None,
    };
    let Some(name) = name else {
        errors.push(Error { at: first.span, kind: read::ErrorKind::Expected("(use LIBRARY)").into() });
        return ("default", rest);
    };
    if let Some(known) = library::known().find(|known| *known == name.as_str()) {
        return (known, rest);
    }
    let near = closest(name.as_str(), library::known());
    errors.push(Error { at: first.span, kind: NameError::UnknownLibrary { name, near }.into() });
    ("default", rest)
}

/// The parts of `(define HEAD [: T] BODY ..)`.
pub(super) struct Parts<'s> {
    pub(super) name: Symbol,
    types: &'s [Sexp],
    indices: &'s [Sexp],
    /// For the form with parameters.
    params: Option<&'s [Sexp]>,
    ty: Option<&'s Sexp>,
    /// Definitions and an expression.
    body: &'s [Sexp],
}

impl Parts<'_> {
    fn span(&self) -> Span {
        self.body.last().map_or_else(Span::default, |last| last.span)
    }
}

impl Elaborator<'_> {
    /// All forms of a file; the name of its last expression.
    fn file(&mut self, items: &[Sexp]) -> Option<Symbol> {
        for item in items {
            let Some(name) = library::defined(item) else { continue };
            if let Some(first) = self.all.get(&name).copied() {
                self.error::<()>(item.span, NameError::DefinedTwice { name, first });
            }
            self.all.insert(name, item.span);
        }
        let mut last = None;
        let mut lost = false;
        for (at, item) in items.iter().enumerate() {
            let head = match &item.kind {
                SexpKind::Paren(parts) => parts.first().and_then(Sexp::keyword),
                _ => None,
            };
            match head {
                Some("define") => self.user_definition(item, false, false),
                Some("entry") => self.user_definition(item, true, false),
                Some("define-rec") => self.user_definition(item, false, true),
                Some("entry-rec") => self.user_definition(item, true, true),
                Some("use") => {
                    self.error::<()>(item.span, NameError::LateUse);
                }
                _ if at + 1 < items.len() => {
                    // A text that is no core would give a message for every word.
                    if !std::mem::replace(&mut lost, true) {
                        self.error::<()>(item.span, NameError::LostExpression);
                    }
                    if matches!(item.kind, SexpKind::Paren(_)) {
                        self.scope = Scope::default();
                        self.expr(item, None);
                    }
                }
                _ => last = self.last_expression(item),
            }
        }
        last
    }

    fn last_expression(&mut self, item: &Sexp) -> Option<Symbol> {
        self.scope = Scope::default();
        self.broken = false;
        let Typed { expr, ty, .. } = self.expr(item, None)?;
        if self.broken {
            return None;
        }
        let name = self.global_name(Symbol::new("main"));
        self.defs.push(Define { name, ty, body: expr, entry: true, recursive: false, span: item.span });
        Some(name)
    }

    /// A recursive definition, `(define-rec f : T e)`, is known in its body, with its type.
    fn user_definition(&mut self, item: &Sexp, entry: bool, recursive: bool) {
        let Some(parts) = self.definition_parts(item) else {
            // What uses it should not be told that it is not there.
            if let Some(name) = library::defined(item) {
                self.globals.insert(name, Global { inner: name, ty: None, broken: true });
            }
            return;
        };
        self.scope = Scope::default();
        self.partial.clear();
        self.broken = false;
        let known = recursive.then(|| {
            let inner = self.global_name(parts.name);
            let ty = self.recursive_type(item, &parts);
            self.globals.insert(parts.name, Global { inner, broken: ty.is_none(), ty });
            inner
        });
        let (body, declared) = self.defined_value(&parts);
        let inner = known.unwrap_or_else(|| self.global_name(parts.name));
        let broken = self.broken || body.is_none();
        let ty = body.as_ref().map(|body| body.ty.clone());
        if let (Some(Typed { expr, ty, .. }), false) = (body, broken) {
            let define = Define { name: inner, ty, body: expr, entry, recursive, span: item.span };
            if recursive && define.is_constant() {
                self.expected::<()>(item.span, "a function: only functions are recursive");
            } else {
                self.defs.push(define);
            }
        }
        self.globals.insert(parts.name, Global { inner, ty: ty.or(declared), broken });
        if self.free.len() + self.equality.len() > MAX_REMEMBERED {
            self.free = FreeVars::default();
            self.equality = Equality::default();
        }
    }

    /// The type that a recursive definition writes.
    fn recursive_type(&mut self, item: &Sexp, parts: &Parts<'_>) -> Option<Type> {
        match (parts.ty, parts.params, parts.types, parts.indices) {
            (Some(ty), None, [], []) => self.ty(ty),
            _ => {
                self.broken = true;
                self.expected(item.span, "(define-rec f : T e) or (entry-rec f : T e)")
            }
        }
    }

    /// A name that no other definition, no primitive and no variable that is in scope where a library is used has.
    fn global_name(&mut self, wanted: Symbol) -> Symbol {
        let local = |name: Symbol| self.libraries.suspended.iter().any(|scope| scope.is_used(name));
        let free = |name: Symbol| !self.taken.contains(&name) && !names::is_primitive(name) && !local(name);
        let own = self.libraries.inside.is_none() || !self.all.contains_key(&wanted);
        let mut name = wanted;
        let mut count = 0;
        while !(free(name) && (own || name != wanted)) {
            count += 1;
            name = Symbol::new(&format!("{wanted}'{count}"));
        }
        self.taken.insert(name);
        name
    }

    pub(super) fn definition_parts<'s>(&mut self, item: &'s Sexp) -> Option<Parts<'s>> {
        const FORMS: &str = "(define x [: T] e) or (define (f [x T] ..) [: T] e)";
        let SexpKind::Paren(all) = &item.kind else { return self.expected(item.span, FORMS) };
        let (head, ty, body) = match all.as_slice() {
            [_, head, colon, ty, body @ ..] if colon.keyword() == Some(":") && is_body(body) => (head, Some(ty), body),
            [_, head, body @ ..] if is_body(body) => (head, None, body),
            _ => return self.expected(item.span, FORMS),
        };
        let (head, params) = match &head.kind {
            SexpKind::Paren(parts) => match parts.split_first() {
                Some((head, params)) => (head, Some(params)),
                None => return self.expected(head.span, FORMS),
            },
            _ => (head, None),
        };
        let (name, types, indices) = match &head.kind {
            SexpKind::Inst { base, types, indices } => (&**base, types.as_slice(), indices.as_slice()),
            _ => (head, &[][..], &[][..]),
        };
        Some(Parts { name: self.name(name)?, types, indices, params, ty, body })
    }

    /// The value of a definition, and the type that it declares, for the case that the value has errors.
    pub(super) fn defined_value(&mut self, parts: &Parts<'_>) -> (Option<Typed>, Option<Type>) {
        let mut declared = None;
        let value = self.abstraction(parts.indices, parts.types, |this| match parts.params {
            Some(params) => this.function(parts.span(), params, parts.ty, parts.body, &mut declared),
            None => {
                let wanted = match parts.ty {
                    Some(ty) => Some(this.ty(ty)?),
                    None => None,
                };
                declared = wanted.clone();
                let value = this.body(parts.body, wanted.as_ref())?;
                if let Some(wanted) = wanted {
                    this.expect(&wanted, &value, Place::ValueOf(parts.name))?;
                }
                Some(value)
            }
        });
        // A declared type inside of binders would need them around it.
        let declared = declared.filter(|_| parts.types.is_empty() && parts.indices.is_empty());
        (value, declared)
    }

    /// `i-fn` around `t-fn` around a value; either list may be empty.
    pub(super) fn abstraction(
        &mut self,
        indices: &[Sexp],
        types: &[Sexp],
        value: impl FnOnce(&mut Self) -> Option<Typed>,
    ) -> Option<Typed> {
        let indices = self.read_binders(indices, BinderKind::Index)?;
        let types = self.read_binders(types, BinderKind::Type)?;
        let mut bound = Vec::new();
        let indices: Vec<Symbol> = indices.into_iter().map(|binder| self.bind_index(binder, &mut bound)).collect();
        let types: Vec<TypeVariable> = types.into_iter().map(|binder| self.bind_type(binder, &mut bound)).collect();
        let value = value(self);
        self.scope.unbind(bound);
        let value = value?;
        if (!indices.is_empty() || !types.is_empty()) && !self.is_value(&value.expr) {
            return self.error(value.span(), TypeError::NoValue);
        }
        Some(abstracted(&indices, &types, value))
    }

    fn read_binders(&mut self, items: &[Sexp], kind: BinderKind) -> Option<Vec<Binder>> {
        self.read(|reader| {
            let binders: Vec<Option<Binder>> = items.iter().map(|item| reader.binder(item, kind)).collect();
            let binders: Vec<Binder> = binders.into_iter().collect::<Option<_>>()?;
            reader.distinct(&binders)?;
            Some(binders)
        })
    }

    /// Brings an index variable into scope; its name in the explicit program.
    pub(super) fn bind_index(&mut self, binder: Binder, bound: &mut Vec<Bound>) -> Symbol {
        let inner = self.fresh(binder.with_sigil());
        bound.push(self.scope.bind_index(binder.name, inner));
        inner
    }

    fn bind_type(&mut self, binder: Binder, bound: &mut Vec<Bound>) -> TypeVariable {
        let variable = if binder.large {
            let (atom, shape) = binder.array_names();
            TypeVariable::Array { atom: self.fresh(atom), shape: self.fresh(shape) }
        } else {
            TypeVariable::Atom(self.fresh(binder.name))
        };
        bound.push(self.scope.bind_type(binder.name, variable));
        variable
    }

    /// A definition of the library, made explicit when it is first used.
    pub(super) fn library_definition(&mut self, name: Symbol) -> Option<Global> {
        let library = self.libraries.all;
        for layer in self.libraries.inside.unwrap_or(0)..library.layers() {
            let Some(item) = library.definition(layer, name) else { continue };
            match self.libraries.known.get(&(layer, name)) {
                Some(Some(global)) => return Some(global.clone()),
                // Inside of a definition its name means what it hides.
                Some(None) => continue,
                None => {}
            }
            self.libraries.known.insert((layer, name), None);
            self.libraries.suspended.push(std::mem::take(&mut self.scope));
            let partial = std::mem::take(&mut self.partial);
            let outside = self.libraries.inside.replace(layer);
            let insertions = self.insertions.len();
            let broken = std::mem::take(&mut self.broken);
            let global = self.used_definition(item, name);
            self.insertions.truncate(insertions);
            self.broken = broken || global.broken;
            self.libraries.inside = outside;
            self.scope = self.libraries.suspended.pop().unwrap_or_default();
            self.partial = partial;
            self.libraries.known.insert((layer, name), Some(global.clone()));
            return Some(global);
        }
        None
    }

    fn used_definition(&mut self, item: &Sexp, name: Symbol) -> Global {
        let nothing = Global { inner: name, ty: None, broken: true };
        let Some(parts) = self.definition_parts(item) else { return nothing };
        let alias = parts.params.is_none() && parts.ty.is_none() && parts.types.is_empty() && parts.indices.is_empty();
        if alias
            && let [only] = parts.body
            && let Some(other) = only.name()
        {
            return match self.variable(only.span, other) {
                Some(Typed { expr, ty, .. }) => match expr.kind() {
                    ExprKind::Var(inner) => Global { inner: *inner, ty: Some(ty), broken: self.broken },
                    _ => nothing,
                },
                None => nothing,
            };
        }
        let Some(Typed { expr, ty, .. }) = self.defined_value(&parts).0 else { return nothing };
        let inner = self.global_name(name);
        self.libraries.defs.push(Define { name: inner, ty: ty.clone(), body: expr, entry: false, recursive: false, span: item.span });
        Global { inner, ty: Some(ty), broken: self.broken }
    }

    fn finish(mut self, root: FileId, last: Option<Symbol>) -> Elaborated {
        self.errors.sort_by_key(|error| error.at);
        let mut diagnostics: Vec<Diagnostic> = self.errors.iter().map(report).collect();
        diagnostics.dedup();
        self.insertions.sort_by_key(|insertion| (insertion.span.start, std::cmp::Reverse(insertion.span.end)));
        let names = self.globals.iter().map(|(name, global)| (global.inner, *name)).collect();
        debug_assert!(self.defs.iter().all(|define| define.span.file == root));
        let mut program = Program { defs: self.libraries.defs, ..Program::default() };
        program.defs.append(&mut self.defs);
        Elaborated { program, diagnostics, last, names, insertions: self.insertions, reads_numbers: self.reads_numbers }
    }
}

/// A value under abstractions.
fn abstracted(indices: &[Symbol], types: &[TypeVariable], value: Typed) -> Typed {
    let span = value.span();
    let Typed { mut expr, mut ty, .. } = value;
    let mut atoms: Vec<Symbol> = Vec::new();
    fn close(atoms: &mut Vec<Symbol>, expr: &mut Expr, ty: &mut Type, span: Span) {
        if !atoms.is_empty() {
            atoms.reverse();
            let params = std::mem::take(atoms);
            *expr = Expr::new(ExprKind::TFn { params: params.clone(), body: expr.clone() }, span);
            *ty = Type::scalar(Atom::Forall(params, ty.clone()));
        }
    }
    for variable in types.iter().rev() {
        match variable {
            TypeVariable::Atom(atom) => atoms.push(*atom),
            TypeVariable::Array { atom, shape } => {
                close(&mut atoms, &mut expr, &mut ty, span);
                atoms.push(*atom);
                close(&mut atoms, &mut expr, &mut ty, span);
                expr = Expr::new(ExprKind::IFn { params: vec![*shape], body: expr }, span);
                ty = Type::scalar(Atom::Pi(vec![*shape], ty));
            }
        }
    }
    close(&mut atoms, &mut expr, &mut ty, span);
    if !indices.is_empty() {
        expr = Expr::new(ExprKind::IFn { params: indices.to_vec(), body: expr }, span);
        ty = Type::scalar(Atom::Pi(indices.to_vec(), ty));
    }
    Typed::new(expr, ty)
}
