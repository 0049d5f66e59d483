//! Names that mean nothing, with what may have been meant.

use super::error::{Error, ErrorKind, MemberAdvice, ModuleAdvice, NameAdvice, PrefixAdvice, TypeAdvice};
use super::files::{import_with, import_with_module};
use super::scope::Module;
use super::suggest;
use super::walk::{Walk, not_applied};
use super::words;
use crate::base::{PrimType, Span, Symbol, scalar};
use crate::front::syntax::precedence::is_symbolic;
use crate::ir::surface::children::{Node, children_of};
use crate::ir::surface::view::is_builtin_operator;
use crate::ir::surface::{ExprId, ExprKind, Ident, PatKind, TypeKind, TypeParam};
use rustc_hash::{FxHashMap, FxHashSet};

/// Errors beyond this number get no suggestion: searching for one takes time.
const SUGGESTIONS: usize = 100;

impl<'a> Walk<'_, 'a> {
    fn may_suggest(&mut self) -> bool {
        *self.suggested += 1;
        *self.suggested <= SUGGESTIONS
    }

    /// The visible name that is closest to `name`, unless too many were looked for.
    fn similar(&mut self, name: Symbol, names: impl FnOnce(&Self) -> Vec<&'static str>) -> Option<&'static str> {
        self.may_suggest().then(|| suggest::closest(name.as_str(), names(self))).flatten()
    }

    pub(super) fn unknown(&mut self, name: Ident) {
        let text = name.name.as_str();
        if name.is_missing() {
            return;
        }
        if let Some(depth) = self.defining.iter().rposition(|d| d.name == name.name) {
            let kind = ErrorKind::Recursion { name: name.name, defined: self.defining[depth].span, local: depth > 0 };
            return self.error(name.span, kind);
        }
        if let Some(kind) = self.mutual(name.name) {
            return self.error(name.span, kind);
        }
        let word = words::foreign_word(text).filter(|_| !self.later.terms.contains_key(&name.name));
        let advice = match word {
            Some(help) => {
                self.foreign.insert(name.span);
                Some(NameAdvice::OtherLanguage(help))
            }
            None => self.advice(name.name),
        };
        self.error(name.span, ErrorKind::UnknownName { name: name.name, advice, implicit_start: false, also: Vec::new() });
    }

    /// A function that comes later and uses the one that is being defined.
    fn mutual(&self, name: Symbol) -> Option<ErrorKind> {
        let own = self.defining.first()?;
        let (at, body) = (self.later.terms.get(&name)?, self.later.bodies.get(&name)?);
        let mut work = vec![Node::Expr(*body)];
        while let Some(node) = work.pop() {
            if let Node::Expr(expr) = node
                && matches!(self.ast.exprs[expr].kind, ExprKind::Name(used) if used == own.name)
            {
                return Some(ErrorKind::MutualRecursion { name, later: *at, own: *own });
            }
            children_of(self.ast, node, &mut work);
        }
        None
    }

    /// Of the errors of a declaration since so many, one for each name that is not known, and one for all sizes that it does not declare.
    pub(super) fn once(&mut self, before: usize, name: Ident, tparams: &[TypeParam]) {
        let mut found = self.errors.split_off(before);
        self.without_assigned(&mut found);
        let size = |error: &Error| match error.kind {
            ErrorKind::UnknownName { name, advice: Some(NameAdvice::UndeclaredSize), .. } => Some(name),
            _ => None,
        };
        let mut sizes: Vec<Symbol> = Vec::new();
        for name in found.iter().filter_map(size) {
            if !sizes.contains(&name) {
                sizes.push(name);
            }
        }
        let mut places: FxHashMap<Symbol, usize> = FxHashMap::default();
        let mut undeclared: Option<usize> = None;
        for error in found {
            let ErrorKind::UnknownName { name: unknown, .. } = error.kind else {
                self.errors.push(error);
                continue;
            };
            let first = if sizes.contains(&unknown) { undeclared } else { places.get(&unknown).copied() };
            let known = first.and_then(|at| self.errors.get_mut(at)).map(|error| &mut error.kind);
            if let Some(ErrorKind::UnknownName { also, .. } | ErrorKind::UndeclaredSizes { also, .. }) = known {
                also.push(error.at);
                continue;
            }
            let at = self.errors.len();
            if sizes.contains(&unknown) {
                undeclared = Some(at);
                let head = self.head(name, tparams, &sizes);
                let kind = ErrorKind::UndeclaredSizes { names: sizes.clone(), also: Vec::new(), head };
                self.errors.push(Error { at: error.at, kind });
            } else {
                places.insert(unknown, at);
                self.errors.push(error);
            }
        }
    }

    /// Leaves out that the name on the left of `+=` is not known: it was to be that of a variable, whose `let` has no `in` before it.
    fn without_assigned(&self, errors: &mut Vec<Error>) {
        let assignment = |error: &Error| match error.kind {
            ErrorKind::UnknownName { advice: Some(NameAdvice::Assignment { .. }), .. } => Some(error.at),
            _ => None,
        };
        let operators: Vec<Span> = errors.iter().filter_map(assignment).collect();
        if operators.is_empty() {
            return;
        }
        // What stands before the operator, without what it is an argument of.
        let target = |lhs: ExprId| match &self.ast.exprs[lhs].kind {
            ExprKind::Apply { args, .. } => args.last().map_or(lhs, |last| *last),
            _ => lhs,
        };
        let targets = self.ast.exprs.iter().filter_map(|(_, expr)| match &expr.kind {
            ExprKind::Binary { op, lhs, .. } if operators.contains(&op.ident.span) => Some(self.ast.exprs[target(*lhs)].span),
            _ => None,
        });
        let targets: Vec<Span> = targets.collect();
        errors.retain(|error| !error.kind.is_unknown_name() || !targets.iter().any(|target| target.contains(error.at)));
    }

    /// The head of a declaration with more sizes.
    fn head(&self, name: Ident, tparams: &[TypeParam], sizes: &[Symbol]) -> String {
        let declared = tparams.iter().filter_map(|param| match param {
            TypeParam::Size(pat) => match self.ast.pats[*pat].kind {
                PatKind::Name(size) => Some(format!("[{size}]")),
                _ => None,
            },
            TypeParam::Type(ident) => Some(format!(" '{} ", ident.name)),
        });
        let all: String = declared.chain(sizes.iter().map(|size| format!("[{size}]"))).collect();
        format!("{} {}", name.name, all.trim())
    }

    /// The names that are not known since so many errors are those of a loop that says nothing of how it begins.
    pub(super) fn no_start(&mut self, before: usize) {
        for error in &mut self.errors[before..] {
            if let ErrorKind::UnknownName { implicit_start, .. } | ErrorKind::UnknownPrefix { implicit_start, .. } = &mut error.kind {
                *implicit_start = true;
            }
        }
    }

    fn advice(&mut self, name: Symbol) -> Option<NameAdvice> {
        let text = name.as_str();
        if let Some(place) = self.later.terms.get(&name) {
            return Some(NameAdvice::DefinedLater(*place));
        }
        let symbolic = is_symbolic(text);
        if symbolic && let Some(glued) = glued(text) {
            return Some(glued);
        }
        if PrimType::from_name(text).is_some() {
            return Some(NameAdvice::Conversion);
        }
        if let Some(extremum) = words::extremum(text) {
            return Some(NameAdvice::Extremum(extremum));
        }
        if let Some(path) = import_with(text) {
            return Some(NameAdvice::Library(path));
        }
        let modules = [PrimType::F64, PrimType::I64, PrimType::Bool];
        if let Some(prim) = modules.into_iter().find(|prim| scalar::member(*prim, text).is_some()) {
            return Some(NameAdvice::ScalarMember(prim));
        }
        if let Some(help) = words::idiom(text) {
            return Some(NameAdvice::OtherLanguage(help));
        }
        let near = self.similar(name, |this| this.scope.term_names().filter(|n| is_symbolic(n) == symbolic).collect());
        near.map(NameAdvice::Similar).or_else(|| self.in_dim.then_some(NameAdvice::UndeclaredSize))
    }

    /// `prefix.field`, where the prefix is no variable and no module.
    pub(super) fn unknown_prefix(&mut self, prefix: Ident, field: Ident) {
        let text = prefix.name.as_str();
        if prefix.is_missing() {
            return;
        }
        if self.modules.contains(&prefix.name) && !self.later.terms.contains_key(&prefix.name) {
            return self.unknown_module(prefix);
        }
        if self.defining.iter().any(|d| d.name == prefix.name) || self.later.terms.contains_key(&prefix.name) {
            return self.unknown(prefix);
        }
        let advice = match text {
            "np" | "numpy" | "jnp" => Some(PrefixAdvice::NumPy),
            "math" => Some(PrefixAdvice::Math),
            _ if let Some(path) = import_with_module(text) => Some(PrefixAdvice::Library(path)),
            _ => {
                let near =
                    self.similar(prefix.name, |this| this.scope.term_names().chain(this.scope.module_names()).chain(prims()).collect());
                near.map(PrefixAdvice::Similar)
            }
        };
        let kind = ErrorKind::UnknownPrefix { prefix: prefix.name, field: field.name, advice, implicit_start: false };
        self.error(prefix.span, kind);
    }

    pub(super) fn unknown_member(&mut self, path: &[Ident], module: &Module<'a>, field: Ident) {
        let text = field.name.as_str();
        let known = match module {
            Module::Functor(functor) => return self.errors.push(not_applied(field.span, functor)),
            Module::Scalar(prim) if !prim.is_complex() && PrimType::from_name(text).is_some_and(PrimType::is_complex) => {
                PrimType::from_name(text).map(MemberAdvice::PartsOf)
            }
            Module::Scalar(_) => {
                let others: Vec<PrimType> = PrimType::ALL.into_iter().filter(|p| scalar::member(*p, text).is_some()).collect();
                (!others.is_empty()).then_some(MemberAdvice::OfScalars(others))
            }
            Module::Struct(globals) if globals.types.contains_key(&field.name) => Some(MemberAdvice::IsType),
            Module::Struct(globals) if globals.modules.contains_key(&field.name) => Some(MemberAdvice::IsModule),
            Module::Struct(_) | Module::Broken => None,
        };
        let advice = known.or_else(|| match self.similar(field.name, |_| module.term_names()) {
            Some(near) => Some(MemberAdvice::Similar(near)),
            None => import_with(text).filter(|_| matches!(module, Module::Scalar(_))).map(MemberAdvice::Library),
        });
        self.error(field.span, ErrorKind::UnknownMember { module: path.to_vec(), member: field.name, advice });
    }

    pub(super) fn unknown_module(&mut self, name: Ident) {
        let advice = if self.scope.sig(name.name).is_some() {
            Some(ModuleAdvice::IsModuleType)
        } else if self.scope.term(name.name).is_some() {
            Some(ModuleAdvice::IsValue)
        } else if self.modules.contains(&name.name) {
            Some(ModuleAdvice::Enclosing)
        } else {
            self.similar(name.name, |this| this.scope.module_names().chain(prims()).collect()).map(ModuleAdvice::Similar)
        };
        self.error(name.span, ErrorKind::UnknownModule { name: name.name, advice });
    }

    pub(super) fn unknown_type(&mut self, name: Ident) {
        if let Some(own) = self.abbreviation
            && let Some(path) = self.way_back(name.name, own.name)
        {
            return self.error(name.span, ErrorKind::RecursiveType { own, path });
        }
        let advice = if let Some((place, _)) = self.later.types.get(&name.name) {
            Some(TypeAdvice::DefinedLater(*place))
        } else if let Some(known) = words::foreign_type(name.name.as_str()) {
            Some(TypeAdvice::OtherLanguage(known))
        } else {
            let near = self.similar(name.name, |this| this.scope.type_names().chain(prims()).collect());
            let short = name.name.as_str().len() <= 2;
            near.map(TypeAdvice::Similar).or_else(|| short.then_some(TypeAdvice::UndeclaredParameter))
        };
        self.error(name.span, ErrorKind::UnknownType { name: name.name, advice });
    }

    /// The abbreviations through which one that comes later, or the one being defined, leads to `own`: itself first, `own` not among them
    /// unless it is the beginning.
    fn way_back(&self, from: Symbol, own: Symbol) -> Option<Vec<Symbol>> {
        if from == own {
            return Some(vec![own]);
        }
        let mut seen = FxHashSet::default();
        let mut paths = vec![vec![from]];
        while let Some(path) = paths.pop() {
            let last = path[path.len() - 1];
            let Some((_, ty)) = self.later.types.get(&last).filter(|_| seen.insert(last)) else { continue };
            let mut nodes = vec![Node::Type(*ty)];
            while let Some(node) = nodes.pop() {
                if let Node::Type(ty) = node
                    && let TypeKind::Name { path: named, .. } = &self.ast.types[ty].kind
                    && let [named] = named.as_slice()
                {
                    if named.name == own {
                        return Some(path);
                    }
                    paths.push(path.iter().copied().chain([named.name]).collect());
                }
                children_of(self.ast, node, &mut nodes);
            }
        }
        None
    }
}

fn prims() -> impl Iterator<Item = &'static str> {
    PrimType::ALL.iter().map(|prim| prim.name())
}

/// Symbols that were meant as two operators.
fn glued(text: &str) -> Option<NameAdvice> {
    if let Some(op) = text.strip_suffix('=').map(Symbol::new).filter(|op| is_builtin_operator(*op)) {
        return Some(NameAdvice::Assignment { op });
    }
    let (first, last) = text.split_at_checked(text.len() - 1)?;
    let second = last.chars().next().filter(|last| matches!(last, '-' | '!'))?;
    is_builtin_operator(Symbol::new(first)).then_some(NameAdvice::TwoOperators { second })
}
