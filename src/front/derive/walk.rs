//! The walk over core.

use super::error::{Error, ErrorKind, Part};
use super::{Demands, Need, Needs, Wants, of_primitive};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Expr, ExprKind, ExprNode, Index, LoopForm, ShapeItem, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What is asked of a type variable in scope.
#[derive(Debug, Clone, PartialEq)]
struct Asked {
    variable: Symbol,
    /// The shape variable that goes with it, where that matters.
    shape: Option<Symbol>,
    wants: Wants,
    /// The differentiated function, if it is a variable.
    function: Option<Symbol>,
}

/// A walk over a definition.
pub(super) struct Walk<'a> {
    demands: &'a Demands,
    /// What is asked of type variables around the place.
    asked: Vec<Asked>,
    /// Local variables, with what they ask of their instances.
    locals: FxHashMap<Symbol, Vec<Needs>>,
    /// Expressions are shared.
    seen: FxHashSet<*const ExprNode>,
    pub errors: Vec<Error>,
}

/// An instantiation: of what, by what, where.
struct Instance {
    name: Symbol,
    types: Vec<Atom>,
    indices: Vec<Index>,
    span: Span,
}

impl<'a> Walk<'a> {
    pub fn new(demands: &'a Demands) -> Walk<'a> {
        Walk { demands, asked: Vec::new(), locals: FxHashMap::default(), seen: FxHashSet::default(), errors: Vec::new() }
    }

    fn needs(&self, name: Symbol) -> Needs {
        if let Some(local) = self.locals.get(&name).and_then(|bindings| bindings.last()) {
            return local.clone();
        }
        self.demands.known.get(&name).cloned().unwrap_or_else(|| of_primitive(name))
    }
    fn bind(&mut self, name: Symbol, needs: Needs) {
        self.locals.entry(name).or_default().push(needs);
    }
    fn unbind(&mut self, name: Symbol) {
        if let Some(bindings) = self.locals.get_mut(&name) {
            bindings.pop();
            if bindings.is_empty() {
                self.locals.remove(&name);
            }
        }
    }
    /// Walks over `body` with local variables that ask for nothing.
    fn under(&mut self, names: &[Symbol], body: &[&Expr]) {
        names.iter().for_each(|name| self.bind(*name, Needs::default()));
        body.iter().for_each(|part| self.expr(part));
        names.iter().for_each(|name| self.unbind(*name));
    }

    /// Walks over what may be a polymorphic function; returns what that asks of its instances.
    pub fn abstraction(&mut self, whole: &Expr) -> Needs {
        let (mut indices, mut types, mut terms) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = whole;
        let body = loop {
            if let ExprKind::IFn { params, body } = at.kind() {
                indices.extend(params.iter().copied());
                at = body;
            } else if let ExprKind::TFn { params, body } = at.kind() {
                types.extend(params.iter().copied());
                at = body;
            } else if let ExprKind::Fn { params, body, .. } = at.kind() {
                terms.extend(params.iter().map(|(name, _)| *name));
                break body;
            } else {
                break at;
            }
        };
        if types.is_empty() && terms.is_empty() && indices.is_empty() {
            self.expr(whole);
            // Another name of a function.
            return if let ExprKind::Var(name) = whole.kind() { self.needs(*name) } else { Needs::default() };
        }
        let before = self.asked.len();
        self.under(&terms, &[body]);
        let inside = self.asked.split_off(before);
        let place = |names: &[Symbol], name: Symbol| names.iter().rposition(|other| *other == name);
        let mut needs = Needs::default();
        for asked in inside {
            let Some(ty) = place(&types, asked.variable) else {
                self.ask(asked);
                continue;
            };
            let shape = asked.shape.and_then(|shape| place(&indices, shape));
            let function = asked.function.and_then(|function| place(&terms, function));
            let need = Need { ty, shape, wants: asked.wants, function };
            if !needs.needs.contains(&need) {
                needs.needs.push(need);
            }
        }
        needs
    }
    fn ask(&mut self, asked: Asked) {
        if !self.asked.contains(&asked) {
            self.asked.push(asked);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if !self.seen.insert(Arc::as_ptr(&expr.0)) {
            return;
        }
        match expr.kind() {
            ExprKind::Var(_) | ExprKind::Lit(_) | ExprKind::Array { .. } | ExprKind::ReifyDim(_) | ExprKind::ReifyShape(_) => {}
            ExprKind::Frame { cells: parts, .. } | ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.expr(part)),
            ExprKind::App { fun, args } => {
                match instance(fun) {
                    Some(instance) => self.instance(&instance, args),
                    None => self.expr(fun),
                }
                args.iter().for_each(|arg| self.expr(arg));
            }
            ExprKind::Inst { fun, .. } => match instance(expr) {
                Some(instance) => self.instance(&instance, &[]),
                None => self.expr(fun),
            },
            ExprKind::Fn { .. } | ExprKind::IFn { .. } | ExprKind::TFn { .. } => _ = self.abstraction(expr),
            ExprKind::Let { name, rhs, body, .. } => {
                let needs = self.abstraction(rhs);
                self.bind(*name, needs);
                self.expr(body);
                self.unbind(*name);
            }
            ExprKind::If { cond, then, els } => [cond, then, els].into_iter().for_each(|part| self.expr(part)),
            ExprKind::Loop { params, form, body } => {
                params.iter().for_each(|param| self.expr(&param.init));
                let mut names: Vec<Symbol> = params.iter().map(|param| param.name).collect();
                match form {
                    LoopForm::For(counter, bound) => {
                        self.expr(bound);
                        names.push(*counter);
                        self.under(&names, &[body]);
                    }
                    LoopForm::While(cond) => self.under(&names, &[cond, body]),
                }
            }
            ExprKind::Map { args, body, .. } => {
                args.iter().for_each(|(_, arg)| self.expr(arg));
                let names: Vec<Symbol> = args.iter().map(|(name, _)| *name).collect();
                self.under(&names, &[body]);
            }
            ExprKind::Record(fields) => fields.iter().for_each(|(_, field)| self.expr(field)),
            ExprKind::Unbox { boxed, value, body, .. } => {
                self.expr(boxed);
                self.under(&[*value], &[body]);
            }
            ExprKind::Assert { cond, expr, .. } => [cond, expr].into_iter().for_each(|part| self.expr(part)),
            ExprKind::Rep { arg: part, .. }
            | ExprKind::Proj(_, part)
            | ExprKind::Field(_, part)
            | ExprKind::Inject { payload: part, .. }
            | ExprKind::Is(_, part)
            | ExprKind::Payload(_, part)
            | ExprKind::Box { body: part, .. }
            | ExprKind::Coerce { expr: part, .. } => self.expr(part),
        }
    }

    /// What a function asks of an instance of it.
    fn instance(&mut self, instance: &Instance, args: &[Expr]) {
        for need in self.needs(instance.name).needs {
            let Some(atom) = instance.types.get(need.ty) else { continue };
            // The shapes of type parameters are the last index parameters.
            let last = (instance.indices.len() + need.ty).checked_sub(instance.types.len());
            let shape = need.shape.or(last).and_then(|shape| match instance.indices.get(shape) {
                Some(Index::Shape(shape)) => Some(shape.clone()),
                Some(Index::Dim(_)) | None => None,
            });
            let differentiated = need.function.and_then(|function| args.get(function));
            let function = differentiated.and_then(|arg| if let ExprKind::Var(name) = arg.kind() { Some(*name) } else { None });
            let ty = Type::new(atom.clone(), shape.unwrap_or_default());
            let part = if let Wants::Numbers(part) = need.wants { part } else { Part::Result };
            let fault = match need.wants {
                Wants::Numbers(_) => self.numbers(atom, need.wants, function),
                Wants::Float => self.float(&ty, function),
            };
            if let Some(fault) = fault {
                let at = differentiated.map_or(instance.span, Expr::span);
                self.errors.push(Error { operator: instance.name, at, part, ty, fault });
                return;
            }
        }
    }

    /// Asks for what consists of numbers.
    fn numbers(&mut self, atom: &Atom, wants: Wants, function: Option<Symbol>) -> Option<ErrorKind> {
        match atom {
            Atom::Prim(_) => None,
            Atom::Var(variable) => {
                self.ask(Asked { variable: *variable, shape: None, wants, function });
                None
            }
            Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => Some(ErrorKind::Functions),
            Atom::Sigma(..) => Some(ErrorKind::HiddenSizes),
            Atom::Tuple(parts) => parts.iter().find_map(|part| self.numbers(part.atom(), wants, function)),
            Atom::Record(fields) => fields.iter().find_map(|(_, field)| self.numbers(field.atom(), wants, function)),
            Atom::Sum(payloads) => match payloads.as_slice() {
                [(_, payload)] => self.numbers(payload.atom(), wants, function),
                _ => Some(ErrorKind::Sums),
            },
        }
    }

    /// Asks for a single float.
    fn float(&mut self, ty: &Type, function: Option<Symbol>) -> Option<ErrorKind> {
        let shape = match ty.shape().items.as_slice() {
            [] => None,
            [ShapeItem::Var(shape)] => Some(*shape),
            _ => return Some(ErrorKind::NoFloat),
        };
        match ty.atom() {
            Atom::Prim(prim) if prim.is_float() && shape.is_none() => None,
            Atom::Var(variable) => {
                self.ask(Asked { variable: *variable, shape, wants: Wants::Float, function });
                None
            }
            // Numbers whose shape is not known yet.
            Atom::Prim(prim) if prim.is_float() => None,
            Atom::Prim(_)
            | Atom::Fun(..)
            | Atom::Forall(..)
            | Atom::Pi(..)
            | Atom::Sigma(..)
            | Atom::Tuple(_)
            | Atom::Record(_)
            | Atom::Sum(_) => Some(ErrorKind::NoFloat),
        }
    }
}

/// The instance of a variable that an expression is.
fn instance(mut expr: &Expr) -> Option<Instance> {
    let span = expr.span();
    let (mut all_types, mut all_indices): (Vec<&[Atom]>, Vec<&[Index]>) = (Vec::new(), Vec::new());
    while let ExprKind::Inst { fun, types, indices } = expr.kind() {
        all_types.push(types);
        all_indices.push(indices);
        expr = fun;
    }
    let ExprKind::Var(name) = expr.kind() else { return None };
    let types = all_types.into_iter().rev().flatten().cloned().collect();
    let indices = all_indices.into_iter().rev().flatten().cloned().collect();
    Some(Instance { name: *name, types, indices, span })
}
