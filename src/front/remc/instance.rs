//! Type and index arguments: given, or left out and found ([`super::instantiate`]).

use super::error::{Argument, InstanceError, Undetermined};
use super::insertions::{Arguments, Called, Insertion, Lifted, What};
use super::instantiate::{Equation, Problem, Solution, Unsolved, solve};
use super::lift::Part;
use super::{Elaborator, Typed};
use crate::base::{Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::read::{ARRAY_SIGIL, TypeArgument};
use crate::ir::core::sexp::{Sexp, SexpKind};
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Index, Shape, Type, is_shape};

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
    pub(super) called: Called,
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
    of: Called,
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
    pub(super) fn plain(value: Typed, called: Called) -> Instance {
        let (ty, span) = (value.ty.clone(), value.span());
        Instance { base: value, steps: Vec::new(), ty, called, open: false, span }
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
fn called(item: &Sexp) -> Called {
    match &item.kind {
        SexpKind::Symbol(name) | SexpKind::Quoted(name) => Called::Name(*name),
        SexpKind::Inst { base, .. } => called(base),
        SexpKind::Paren(parts) => match (parts.first().and_then(Sexp::keyword), parts.get(1)) {
            (Some("t-app" | "i-app" | "T-APP" | "I-APP"), Some(base)) => called(base),
            _ => Called::Function,
        },
        _ => Called::Function,
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
        let called = instance.called;
        let Atom::Pi(names, _) = instance.ty.atom() else {
            return self.error(span, InstanceError::TakesNoIndices { called, ty: instance.ty.clone() });
        };
        let names = names.clone();
        if names.len() != given.len() {
            return self.error(span, InstanceError::IndexCount { called, names, given: given.len() });
        }
        for ((name, index), item) in names.iter().zip(&given).zip(items) {
            if is_shape(*name) != matches!(index, Index::Shape(_)) {
                return self.error(item.span, InstanceError::IndexSort { called, name: *name, given: index.clone() });
            }
            if let Some(size) = index.negative_size() {
                return self.error(item.span, InstanceError::NegativeSize(size));
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
                                return self.error(at, InstanceError::ArrayForAtom { called: instance.called, ty });
                            }
                            None => return Some(()),
                        }
                    }
                    self.push(instance, Step::Types(atoms))?;
                }
                Atom::Forall(names, _) => {
                    let takes = total - rest.len() + names.len();
                    return self.error(span, InstanceError::TypeCount { called: instance.called, takes, given: total });
                }
                _ if rest.len() == total => {
                    return self.error(span, InstanceError::TakesNoTypes { called: instance.called, ty: instance.ty.clone() });
                }
                _ => {
                    let takes = total - rest.len();
                    return self.error(span, InstanceError::TypeCount { called: instance.called, takes, given: total });
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
        open.unknowns.push(Unknown { name, shown, of: instance.called });
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
                self.lifted(span, Lifted::Instance(called), &frame);
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
        let what = What::Inferred { what: instance.called, arguments };
        self.insertions.push(Insertion { span, what });
    }

    /// The arguments as they could have been written.
    fn arguments(&mut self, instance: &Instance, subst: &Subst) -> Arguments {
        let mut arguments = Arguments::default();
        let mut ty = instance.base.ty.clone();
        // The shape of a type variable of kind Array belongs to its type.
        let mut shape: Option<Shape> = None;
        for step in &instance.steps {
            let body = match (ty.atom(), step) {
                (Atom::Pi(names, body), Step::Indices(given)) => {
                    let given: Vec<Index> = given.iter().map(|index| subst.index(index).unwrap_or_else(|_| index.clone())).collect();
                    match given.as_slice() {
                        [Index::Shape(of)] if is_array_variable(names, body) => shape = Some(of.clone()),
                        _ => arguments.indices.extend(given),
                    }
                    body.clone()
                }
                (Atom::Forall(_, body), Step::Types(given)) => {
                    for atom in given {
                        let atom = subst.atom(&mut self.free, atom).unwrap_or_else(|_| atom.clone());
                        arguments.types.push(Type::new(atom, shape.take().unwrap_or_default()));
                    }
                    body.clone()
                }
                _ => break,
            };
            ty = body;
        }
        arguments
    }

    /// Reports why arguments that were left out were not found. `place` is the operand that an equation is about.
    pub(super) fn unsolved<'i, T>(
        &mut self,
        span: Span,
        open: &Open,
        instances: &[&Instance],
        unsolved: Unsolved,
        place: impl Fn(usize) -> Option<(&'i Instance, Argument)>,
    ) -> Option<T> {
        match unsolved {
            Unsolved::Contradiction { equation, reason } => {
                let place = place(equation);
                let at = place.map_or(span, |(instance, _)| instance.span);
                let operand = place.map(|(instance, argument)| (argument, instance.ty.clone()));
                self.error(at, InstanceError::Contradiction { operand, reason })
            }
            Unsolved::TooManyChoices { .. } => self.error(span, InstanceError::TooManyChoices),
            Unsolved::Undetermined { unknowns, candidates } => {
                let undetermined = self.undetermined(open, instances, &unknowns, &candidates);
                self.error(span, InstanceError::Undetermined(undetermined))
            }
        }
    }

    fn undetermined(&mut self, open: &Open, instances: &[&Instance], unknowns: &[Symbol], candidates: &[Solution]) -> Undetermined {
        let unknowns: Vec<&Unknown> = open.unknowns.iter().filter(|unknown| unknowns.contains(&unknown.name)).collect();
        let missing: Vec<(Symbol, Called)> = unknowns.iter().map(|unknown| (unknown.shown, unknown.of)).collect();
        let values = |candidate: &Solution| -> Vec<(Symbol, Replacement)> {
            unknowns.iter().filter_map(|unknown| Some((unknown.shown, candidate.value(unknown.name)?))).collect()
        };
        let possible = candidates.iter().map(values).filter(|values| !values.is_empty()).collect();
        // Unknowns that have no value are written by their names.
        let mut subst = candidates.first().map(Solution::subst).unwrap_or_default();
        for unknown in &open.unknowns {
            if candidates.first().is_none_or(|candidate| candidate.value(unknown.name).is_none()) {
                let plain = match unknown.name {
                    name if open.problem.atoms.contains(&name) => (Name::Type(name), Replacement::Atom(Atom::Var(unknown.shown))),
                    name => (Name::Index(name), Replacement::from(super::scope::index_variable(unknown.shown))),
                };
                subst.insert(plain.0, plain.1);
            }
        }
        let incomplete = instances.iter().filter(|instance| missing.iter().any(|(_, of)| *of == instance.called));
        let written = incomplete.map(|instance| (instance.called, self.arguments(instance, &subst))).collect();
        Undetermined { missing, possible, written }
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
