//! Type and index arguments: given, or left out and found ([`super::instantiate`]).

use super::errors::counted;
use super::instantiate::{Equation, Problem, Solution, Unsolved, solve};
use super::lift::Part;
use super::report::{Insertion, What};
use super::{Elaborator, Typed};
use crate::base::{Code, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::core::free::Name;
use crate::ir::core::read::{ARRAY_SIGIL, TypeArgument};
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, Shape, Type, is_shape, print};

/// Arguments for one Pi or Forall.
#[derive(Debug, Clone)]
enum Step {
    Indices(Vec<Index>),
    Types(Vec<Atom>),
}

/// A value with the type and index arguments that it has so far; they may mention unknowns.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    base: Typed,
    steps: Vec<Step>,
    /// The type of the instance.
    pub(super) ty: Type,
    /// What messages call it.
    pub(super) called: String,
    /// Whether some of the arguments were left out.
    open: bool,
    pub(super) span: Span,
}

/// An argument that was left out.
#[derive(Debug)]
struct Unknown {
    name: Symbol,
    /// Its name in the type of what it is left out of, and what messages call that.
    shown: Symbol,
    of: String,
}

/// What is to be found for one application.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) problem: Problem,
    unknowns: Vec<Unknown>,
}

impl Open {
    pub(super) fn is_empty(&self) -> bool {
        self.unknowns.is_empty()
    }
}

impl Instance {
    pub(super) fn plain(value: Typed, called: String) -> Instance {
        let (ty, span) = (value.ty.clone(), value.span());
        Instance { base: value, steps: Vec::new(), ty, called, open: false, span }
    }
    /// Whether messages call it by a name.
    pub(super) fn is_named(&self) -> bool {
        self.called.starts_with('`')
    }
    /// The name, if it is a variable of the explicit program.
    pub(super) fn variable(&self) -> Option<Symbol> {
        match self.base.expr.kind() {
            ExprKind::Var(name) if self.steps.is_empty() => Some(*name),
            _ => None,
        }
    }
    /// Where it is known to be a size.
    pub(super) fn dim(&self) -> Option<&Dim> {
        self.base.dim.as_ref().filter(|_| self.steps.is_empty())
    }
}

/// What messages call an expression.
fn called(item: &Sexp) -> String {
    match &item.kind {
        SexpKind::Symbol(name) | SexpKind::Quoted(name) => format!("`{name}`"),
        SexpKind::Inst { base, .. } => called(base),
        SexpKind::Paren(parts) => match (parts.first().and_then(Sexp::keyword), parts.get(1)) {
            (Some("t-app" | "i-app" | "T-APP" | "I-APP"), Some(base)) => called(base),
            _ => "this function".into(),
        },
        _ => "this function".into(),
    }
}

/// A Pi that belongs to a type variable of kind Array.
fn is_array_variable(names: &[Symbol], body: &Type) -> bool {
    matches!(names, [name] if name.as_str().starts_with(ARRAY_SIGIL))
        && matches!(body.atom(), Atom::Forall(atoms, _) if atoms.len() == 1)
        && body.shape().is_scalar()
}

impl Elaborator<'_> {
    /// An expression that stands alone and is an instantiation.
    pub(super) fn instance(&mut self, item: &Sexp, wanted: Option<&Type>) -> Option<Typed> {
        let mut open = Open::default();
        let mut instance = self.instance_of(item, &mut open)?;
        let mut subst = Subst::default();
        if !open.is_empty() {
            // The types behind indices that were left out may have been given.
            if wanted.is_some_and(|wanted| !matches!(wanted.atom(), Atom::Pi(..) | Atom::Forall(..))) {
                self.leave_open(&mut instance, &mut open);
            }
            if let Some(wanted) = wanted {
                open.problem.equations.push(Equation::Exact { param: instance.ty.clone(), arg: wanted.clone() });
            }
            match solve(&open.problem) {
                Ok(solution) => subst = solution.subst(),
                Err(unsolved) => return self.unsolved(item.span, &open, &[&instance], unsolved, |_| None),
            }
            self.inferred(item.span, &instance, &subst);
        }
        self.closed(instance, &subst)
    }

    /// An operator or operand with the type and index arguments that are written.
    pub(super) fn instance_of(&mut self, item: &Sexp, open: &mut Open) -> Option<Instance> {
        let (base, types, indices) = match &item.kind {
            SexpKind::Inst { base, types, indices } => (&**base, types.as_slice(), indices.as_slice()),
            SexpKind::Paren(parts) => match (parts.first().and_then(Sexp::keyword), parts.as_slice()) {
                (Some("t-app" | "T-APP"), [_, base, types @ ..]) => (base, types, &[][..]),
                (Some("i-app" | "I-APP"), [_, base, indices @ ..]) => (base, &[][..], indices),
                _ => return self.expr(item, None).map(|value| Instance::plain(value, called(item))),
            },
            _ => return self.expr(item, None).map(|value| Instance::plain(value, called(item))),
        };
        let mut instance = self.instance_of(base, open)?;
        instance.span = item.span;
        self.give_indices(item.span, &mut instance, indices)?;
        self.give_types(item.span, &mut instance, types, open)?;
        Some(instance)
    }

    fn give_indices(&mut self, span: Span, instance: &mut Instance, items: &[Sexp]) -> Option<()> {
        if items.is_empty() {
            return Some(());
        }
        let given: Vec<Option<Index>> = items.iter().map(|item| self.read(|reader| reader.index(item))).collect();
        let given: Vec<Index> = given.into_iter().collect::<Option<_>>()?;
        let names = match instance.ty.atom() {
            Atom::Pi(names, _) => names.clone(),
            _ => {
                let message = format!("{} takes no indices, its type is {}", instance.called, print::type_brief(&instance.ty));
                return self.error(Code::CoreTypeApplication, span, message);
            }
        };
        if names.len() != given.len() {
            let list: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            let message = format!("{} takes {}, not {}", instance.called, counted(names.len(), "index argument"), given.len());
            return self.report(Diagnostic::error(Code::CoreTypeApplication, span, message).note(format!("they are: {}", list.join(" "))));
        }
        for ((name, index), item) in names.iter().zip(&given).zip(items) {
            match (is_shape(*name), index) {
                (true, Index::Dim(dim)) => {
                    let message = format!("`{name}` of {} is a shape, {} is a size", instance.called, print::dim(dim));
                    let help = format!("the shape of one dimension is [{}]", print::dim(dim));
                    return self.report(Diagnostic::error(Code::CoreSort, item.span, message).help(help));
                }
                (false, Index::Shape(shape)) => {
                    let message = format!("`{name}` of {} is a size, {} is a shape", instance.called, print::shape(shape));
                    return self.error(Code::CoreSort, item.span, message);
                }
                _ => {}
            }
            if let Some(size) = index.negative_size() {
                return self.error(Code::CoreTypeApplication, item.span, format!("a size is not negative, {size} is"));
            }
        }
        self.push(instance, Step::Indices(given))
    }

    /// Types for all Foralls in front; indices before them that were left out become unknown.
    fn give_types(&mut self, span: Span, instance: &mut Instance, items: &[Sexp], open: &mut Open) -> Option<()> {
        let given: Vec<Option<TypeArgument>> = items.iter().map(|item| self.read(|reader| reader.type_argument(item))).collect();
        let given: Vec<TypeArgument> = given.into_iter().collect::<Option<_>>()?;
        let mut rest: Vec<(TypeArgument, Span)> = given.into_iter().zip(items.iter().map(|item| item.span)).rev().collect();
        let total = rest.len();
        while !rest.is_empty() {
            match instance.ty.atom().clone() {
                Atom::Pi(names, body) if is_array_variable(&names, &body) => {
                    let ty = match rest.pop() {
                        Some((TypeArgument::Array(ty), _)) => ty,
                        Some((TypeArgument::Atom(atom), _)) => Type::scalar(atom),
                        None => return Some(()),
                    };
                    self.push(instance, Step::Indices(vec![Index::Shape(ty.shape().clone())]))?;
                    self.push(instance, Step::Types(vec![ty.atom().clone()]))?;
                }
                Atom::Pi(names, _) => self.open_indices(instance, &names, open)?,
                Atom::Forall(names, _) if names.len() <= rest.len() => {
                    let mut atoms = Vec::new();
                    for _ in &names {
                        match rest.pop() {
                            Some((TypeArgument::Atom(atom), _)) => atoms.push(atom),
                            Some((TypeArgument::Array(ty), at)) => {
                                let message =
                                    format!("{} takes an atom type here, {} is an array type", instance.called, print::type_brief(&ty));
                                return self.error(Code::CoreKind, at, message);
                            }
                            None => return Some(()),
                        }
                    }
                    self.push(instance, Step::Types(atoms))?;
                }
                Atom::Forall(names, _) => {
                    let more = total - rest.len() + names.len();
                    let message = format!("{} takes {}, not {total}", instance.called, counted(more, "type argument"));
                    return self.error(Code::CoreTypeApplication, span, message);
                }
                _ if rest.len() == total => {
                    let message = format!("{} takes no types, its type is {}", instance.called, print::type_brief(&instance.ty));
                    return self.error(Code::CoreTypeApplication, span, message);
                }
                _ => {
                    let message = format!("{} takes {}, not {total}", instance.called, counted(total - rest.len(), "type argument"));
                    return self.error(Code::CoreTypeApplication, span, message);
                }
            }
        }
        Some(())
    }

    /// Adds arguments; they are as many as the Pi or Forall has variables.
    fn push(&mut self, instance: &mut Instance, step: Step) -> Option<()> {
        let (subst, body) = match (instance.ty.atom(), &step) {
            (Atom::Pi(names, body), Step::Indices(indices)) => (indices_for(names, indices), body),
            (Atom::Forall(names, body), Step::Types(types)) => (types_for(names, types), body),
            _ => return None,
        };
        let body = self.substituted(&subst, body, instance.span)?;
        instance.ty = body.framed(instance.ty.shape());
        instance.steps.push(step);
        Some(())
    }

    /// Takes unknowns for all arguments that are left.
    pub(super) fn leave_open(&mut self, instance: &mut Instance, open: &mut Open) -> Option<()> {
        loop {
            match instance.ty.atom().clone() {
                Atom::Pi(names, _) => self.open_indices(instance, &names, open)?,
                Atom::Forall(names, _) => {
                    let unknowns: Vec<Symbol> = names.iter().map(|name| self.unknown(*name, instance, open)).collect();
                    open.problem.atoms.extend(&unknowns);
                    instance.open = true;
                    self.push(instance, Step::Types(unknowns.into_iter().map(Atom::Var).collect()))?;
                }
                _ => return Some(()),
            }
        }
    }

    fn open_indices(&mut self, instance: &mut Instance, names: &[Symbol], open: &mut Open) -> Option<()> {
        let mut indices = Vec::with_capacity(names.len());
        for name in names {
            let unknown = self.unknown(*name, instance, open);
            let list = if is_shape(*name) { &mut open.problem.shapes } else { &mut open.problem.dims };
            list.push(unknown);
            indices.push(super::scope::index_variable(unknown));
        }
        instance.open = true;
        self.push(instance, Step::Indices(indices))
    }

    /// A new unknown: `n?` for the variable `n`.
    fn unknown(&mut self, shown: Symbol, instance: &Instance, open: &mut Open) -> Symbol {
        let text = shown.as_str();
        let stem = text.split('?').next().unwrap_or(text);
        let mut name = Symbol::new(&format!("{stem}?"));
        let mut count = 1;
        while open.unknowns.iter().any(|unknown| unknown.name == name) || self.scope.is_used(name) {
            count += 1;
            name = Symbol::new(&format!("{stem}?{count}"));
        }
        open.unknowns.push(Unknown { name, shown, of: instance.called.clone() });
        name
    }

    /// The instance as an expression, with what was found for the unknowns.
    pub(super) fn closed(&mut self, instance: Instance, subst: &Subst) -> Option<Typed> {
        let Instance { base, steps, called, span, .. } = instance;
        let mut value = base;
        let mut steps = steps.into_iter().peekable();
        while let Some(step) = steps.next() {
            let (mut types, mut indices) = (Vec::new(), Vec::new());
            let before = value.ty.clone();
            let mut ty = self.taken_step(&before, step, subst, span, &mut types, &mut indices)?;
            // Indices and types together are one instantiation.
            if let (Some(Step::Types(_)), true, false) = (steps.peek(), ty.shape() == before.shape(), indices.is_empty())
                && let Some(next) = steps.next()
            {
                ty = self.taken_step(&ty, next, subst, span, &mut types, &mut indices)?;
            }
            let frame = before.shape().clone();
            let build = |fun: Expr| Expr::new(ExprKind::Inst { fun, types, indices }, span);
            let expr = if frame.is_scalar() {
                build(value.expr)
            } else {
                self.lifted(span, &called, &frame);
                let part = Part { value, frame: frame.clone() };
                self.over(span, &frame, vec![part], |_, cells| cells.into_iter().next().map(build))?
            };
            value = Typed::new(expr, ty);
        }
        Some(value)
    }

    /// The type after one step; its arguments without unknowns are added to the lists.
    fn taken_step(
        &mut self,
        ty: &Type,
        step: Step,
        subst: &Subst,
        span: Span,
        types: &mut Vec<Atom>,
        indices: &mut Vec<Index>,
    ) -> Option<Type> {
        let (by, body) = match (ty.atom(), step) {
            (Atom::Pi(names, body), Step::Indices(given)) => {
                let found: Option<Vec<Index>> = given.iter().map(|index| subst.index(index).ok()).collect();
                indices.extend(found?);
                (indices_for(names, indices), body)
            }
            (Atom::Forall(names, body), Step::Types(given)) => {
                let found: Option<Vec<Atom>> = given.iter().map(|atom| subst.atom(&mut self.free, atom).ok()).collect();
                types.extend(found?);
                (types_for(names, types), body)
            }
            _ => return None,
        };
        Some(self.substituted(&by, body, span)?.framed(ty.shape()))
    }

    /// Notes the arguments that were found.
    pub(super) fn inferred(&mut self, span: Span, instance: &Instance, subst: &Subst) {
        if !instance.open || self.libraries.inside.is_some() {
            return;
        }
        let arguments = self.arguments(instance, subst);
        let what = What::Inferred { what: instance.called.trim_matches('`').into(), arguments };
        self.insertions.push(Insertion { span, what });
    }

    /// `{i64 | 3 []}`: the arguments as they could have been written.
    fn arguments(&mut self, instance: &Instance, subst: &Subst) -> String {
        let (mut types, mut indices) = (String::new(), String::new());
        let mut ty = instance.base.ty.clone();
        // The shape of a type variable of kind Array belongs to its type.
        let mut shape: Option<Shape> = None;
        for step in &instance.steps {
            let body = match (ty.atom(), step) {
                (Atom::Pi(names, body), Step::Indices(given)) => {
                    let given: Vec<Index> = given.iter().map(|index| subst.index(index).unwrap_or_else(|_| index.clone())).collect();
                    match given.as_slice() {
                        [Index::Shape(of)] if is_array_variable(names, body) => shape = Some(of.clone()),
                        _ => given.iter().for_each(|index| indices.push_str(&format!(" {}", print::index(index)))),
                    }
                    body.clone()
                }
                (Atom::Forall(_, body), Step::Types(given)) => {
                    for atom in given {
                        let atom = subst.atom(&mut self.free, atom).unwrap_or_else(|_| atom.clone());
                        let ty = Type::new(atom, shape.take().unwrap_or_default());
                        types.push_str(&format!("{} ", print::type_brief(&ty)));
                    }
                    body.clone()
                }
                _ => break,
            };
            ty = body;
        }
        format!("{{{types}|{indices}}}")
    }

    /// Reports why arguments that were left out were not found. `place` is the operand that an equation is about, with what messages call it.
    pub(super) fn unsolved<T>(
        &mut self,
        span: Span,
        open: &Open,
        instances: &[&Instance],
        unsolved: Unsolved,
        place: impl Fn(usize) -> Option<(Span, String, Type)>,
    ) -> Option<T> {
        let diagnostic = match unsolved {
            Unsolved::Contradiction { equation, reason } => match place(equation) {
                Some((at, what, ty)) => {
                    let diagnostic = Diagnostic::error(Code::CoreCells, at, format!("{what} does not fit: {reason}"));
                    box_help(diagnostic.here(format!("this has type {}", print::type_brief(&ty))), &ty)
                }
                None => Diagnostic::error(Code::CoreCells, span, format!("the type arguments do not fit their place: {reason}")),
            },
            Unsolved::TooManyChoices { .. } => {
                let message = "there are too many ways to read the shapes of the arguments";
                Diagnostic::error(Code::CoreOmittedArguments, span, message).help("write the type and index arguments: f{t .. | i ..}")
            }
            Unsolved::Undetermined { unknowns, candidates } => self.undetermined(span, open, instances, &unknowns, &candidates),
        };
        self.report(diagnostic)
    }

    /// Names every argument that is missing and shows how to write it.
    fn undetermined(
        &mut self,
        span: Span,
        open: &Open,
        instances: &[&Instance],
        unknowns: &[Symbol],
        candidates: &[Solution],
    ) -> Diagnostic {
        let missing: Vec<&Unknown> = open.unknowns.iter().filter(|unknown| unknowns.contains(&unknown.name)).collect();
        let mut functions: Vec<&str> = missing.iter().map(|unknown| unknown.of.as_str()).collect();
        functions.dedup();
        let names: Vec<String> = missing.iter().map(|unknown| format!("`{}`", unknown.shown)).collect();
        let message = if missing.is_empty() {
            "the frames of the arguments do not follow from their types".to_string()
        } else {
            format!("{} of {} do not follow from the arguments", names.join(", "), functions.join(" and "))
        };
        let message = if missing.len() == 1 { message.replace(" do not ", " does not ") } else { message };
        let mut diagnostic = Diagnostic::error(Code::CoreOmittedArguments, span, message);
        let shown = |candidate: &Solution| {
            let parts = missing.iter().filter_map(|unknown| Some(format!("{} = {}", unknown.shown, candidate.show(unknown.name)?)));
            parts.collect::<Vec<_>>().join(", ")
        };
        let possible: Vec<String> = candidates.iter().map(shown).filter(|text| !text.is_empty()).collect();
        if possible.len() > 1 {
            diagnostic = diagnostic.note(format!("possible are: {}", possible.join("; or ")));
        }
        // Unknowns that have no value are written by their names.
        let mut subst = candidates.first().map(Solution::subst).unwrap_or_default();
        for unknown in &open.unknowns {
            if candidates.first().is_none_or(|candidate| candidate.show(unknown.name).is_none()) {
                let plain = match unknown.name {
                    name if open.problem.atoms.contains(&name) => (Name::Type(name), Replacement::Atom(Atom::Var(unknown.shown))),
                    name => (Name::Index(name), Replacement::from(super::scope::index_variable(unknown.shown))),
                };
                subst.insert(plain.0, plain.1);
            }
        }
        for instance in instances.iter().filter(|instance| functions.contains(&instance.called.as_str())) {
            let written = self.arguments(instance, &subst);
            diagnostic = diagnostic.help(format!("write them: `{}{written}`", instance.called.trim_matches('`')));
        }
        diagnostic
    }
}

/// Adds what to do with a box that is no argument.
pub(super) fn box_help(diagnostic: Diagnostic, found: &Type) -> Diagnostic {
    match found.atom() {
        Atom::Sigma(names, _) => {
            let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
            diagnostic.help(format!("a box is opened first: (unbox e (x {}) ..)", names.join(" ")))
        }
        _ => diagnostic,
    }
}

fn indices_for(names: &[Symbol], indices: &[Index]) -> Subst {
    let mut subst = Subst::default();
    for (name, index) in names.iter().zip(indices) {
        subst.insert(Name::Index(*name), Replacement::from(index.clone()));
    }
    subst
}

fn types_for(names: &[Symbol], types: &[Atom]) -> Subst {
    let mut subst = Subst::default();
    for (name, atom) in names.iter().zip(types) {
        subst.insert(Name::Type(*name), Replacement::Atom(atom.clone()));
    }
    subst
}
