//! Application: lifting by prefix agreement of frames.

use super::error::{Argument, CallError, Framed};
use super::insertions::{Called, Insertion, Lifted, Operand, What};
use super::instance::{Instance, Open};
use super::instantiate::{Equation, Unsolved, solve};
use super::lift::Part;
use super::names::unit_type;
use super::scope::is_i64;
use super::{Elaborator, Typed};
use crate::base::{Span, Symbol};
use crate::ir::core::free::Name;
use crate::ir::core::index::{NoJoin, join};
use crate::ir::core::sexp::Sexp;
use crate::ir::core::sizes::{self, SizeOp};
use crate::ir::core::subst::{Replacement, Subst};
use crate::ir::core::{Atom, Dim, Expr, ExprKind, Param, Shape, Type};
use std::sync::Arc;

/// An application whose operands are typed.
struct Call {
    span: Span,
    fun: Instance,
    args: Vec<Instance>,
    /// The parameters for the arguments, and the type of the result.
    params: Vec<Type>,
    ret: Type,
    /// Whether there are fewer arguments than parameters.
    partial: bool,
}

impl Elaborator<'_> {
    pub(super) fn application(&mut self, span: Span, head: &Sexp, operands: &[Sexp], wanted: Option<&Type>) -> Option<Typed> {
        if let Some(ranked) = self.ranked(head) {
            return self.application_at_ranks(span, ranked?, operands, wanted);
        }
        let mut open = Open::default();
        let fun = self.instance_of(head, &mut open);
        let args: Vec<Option<Instance>> = operands.iter().map(|operand| self.instance_of(operand, &mut open)).collect();
        let args: Vec<Instance> = fun.is_some().then(|| args.into_iter().collect::<Option<_>>())??;
        self.apply(span, fun?, args, open, wanted)
    }

    /// The application of a function to arguments.
    pub(super) fn apply(
        &mut self,
        span: Span,
        mut fun: Instance,
        mut args: Vec<Instance>,
        mut open: Open,
        wanted: Option<&Type>,
    ) -> Option<Typed> {
        self.leave_open(&mut fun, &mut open)?;
        let Atom::Fun(params, ret) = fun.ty.atom().clone() else {
            return self.error(fun.span, CallError::NoFunction { called: fun.called, ty: fun.ty });
        };
        if args.is_empty() {
            args.push(self.unit_argument(span, &fun, &params)?);
        }
        if args.len() > params.len() {
            return self.error(span, CallError::ArgumentCount { called: fun.called, takes: params.len(), given: args.len() });
        }
        let (params, ret, partial) = self.parameters(&fun, params, ret, &args)?;
        for (param, arg) in params.iter().zip(&mut args) {
            // A polymorphic function where a function is expected is instantiated.
            if matches!(param.atom(), Atom::Fun(..)) && matches!(arg.ty.atom(), Atom::Pi(..) | Atom::Forall(..)) {
                self.leave_open(arg, &mut open)?;
            }
        }
        let mut call = Call { span, fun, args, params, ret, partial };
        let (subst, frames) =
            if open.is_empty() { (Subst::default(), self.frames_of(&call)?) } else { self.found(&mut call, open, wanted)? };
        self.lifted_call(call, &subst, frames)
    }

    /// The argument of a function without parameters.
    fn unit_argument(&mut self, span: Span, fun: &Instance, params: &[Param]) -> Option<Instance> {
        if params.len() != 1 || !self.equal(&params[0].ty, &unit_type()) {
            return self.error(span, CallError::ArgumentCount { called: fun.called, takes: params.len(), given: 0 });
        }
        let unit = Typed::new(Expr::new(ExprKind::Tuple(Vec::new()), span), unit_type());
        Some(Instance::plain(unit, Called::Unit))
    }

    /// The types of the parameters and of the result. Where they mention a parameter, its argument takes its place.
    fn parameters(&mut self, fun: &Instance, params: Vec<Param>, ret: Type, args: &[Instance]) -> Option<(Vec<Type>, Type, bool)> {
        let partial = args.len() < params.len();
        let rest = Type::fun(params[args.len()..].to_vec(), ret);
        let mut later = (*self.free.of(&rest)).clone();
        let mut needed = vec![false; args.len()];
        for (at, param) in params[..args.len()].iter().enumerate().rev() {
            needed[at] = param.name.is_some_and(|name| later.remove(&Name::Size(name)));
            later.extend(self.free.of(&param.ty).iter().copied());
        }
        let mut subst = Subst::default();
        let mut types = Vec::with_capacity(args.len());
        for (at, (param, arg)) in params.iter().zip(args).enumerate() {
            types.push(self.substituted(&subst, &param.ty, arg.span)?);
            let (Some(name), true) = (param.name, needed[at]) else { continue };
            let dim = arg.dim().filter(|_| is_i64(&arg.ty)).cloned();
            let Some(dim) = dim else {
                let operand = Argument { at, of: fun.called };
                return self.error(arg.span, CallError::UnknownSize { operand, scalar: arg.ty.shape().is_scalar() });
            };
            subst.insert(Name::Size(name), Replacement::Dim(dim));
        }
        let ret = self.substituted(&subst, &rest, fun.span)?;
        Some((types, ret, partial))
    }

    /// The frames of the arguments, where no types or indices are left out.
    fn frames_of(&mut self, call: &Call) -> Option<Vec<Shape>> {
        let mut frames = Vec::with_capacity(call.args.len());
        for (at, (param, arg)) in call.params.iter().zip(&call.args).enumerate() {
            let frame = self.frame_of(call, at, param, arg);
            frames.push(frame);
        }
        frames.into_iter().collect()
    }

    /// What is in front of the cells that the parameter takes.
    fn frame_of(&mut self, call: &Call, at: usize, param: &Type, arg: &Instance) -> Option<Shape> {
        let scalars = (Type::scalar(param.atom().clone()), Type::scalar(arg.ty.atom().clone()));
        let same_atoms = self.equal(&scalars.0, &scalars.1);
        let (cell, items) = (&param.shape().items, &arg.ty.shape().items);
        if same_atoms && items.ends_with(cell) {
            return Some(Shape { items: items[..items.len() - cell.len()].to_vec() });
        }
        let operand = Argument { at, of: call.fun.called };
        self.error(arg.span, CallError::Cells { operand, wanted: param.clone(), found: arg.ty.clone(), same_atoms })
    }

    /// Finds what was left out, and the frames.
    fn found(&mut self, call: &mut Call, mut open: Open, wanted: Option<&Type>) -> Option<(Subst, Vec<Shape>)> {
        let frame_name = |at: usize| Symbol::new(&format!("@frame?{}", at + 1));
        for (at, (param, arg)) in call.params.iter().zip(&call.args).enumerate() {
            let equation = Equation::Cell { param: param.clone(), arg: arg.ty.clone(), frame: frame_name(at) };
            open.problem.equations.push(equation);
        }
        if !call.fun.ty.shape().is_scalar() {
            open.problem.frames.push(call.fun.ty.shape().clone());
        }
        let mut result = solve(&open.problem);
        if let (Err(Unsolved::Undetermined { .. }), Some(wanted), false) = (&result, wanted, call.partial) {
            let mut more = open.problem.clone();
            let frame = frame_name(call.args.len());
            more.equations.push(Equation::Cell { param: call.ret.clone(), arg: wanted.clone(), frame });
            if let Ok(solution) = solve(&more) {
                result = Ok(solution);
            }
        }
        let solution = match result {
            Ok(solution) => solution,
            Err(unsolved) => {
                let place = |at: usize| Some((call.args.get(at)?, Argument { at, of: call.fun.called }));
                let instances: Vec<&Instance> = std::iter::once(&call.fun).chain(&call.args).collect();
                return self.unsolved(call.span, &open, &instances, unsolved, place);
            }
        };
        let subst = solution.subst();
        self.inferred(call.fun.span, &call.fun, &subst);
        for arg in &call.args {
            self.inferred(arg.span, arg, &subst);
        }
        let frames: Option<Vec<Shape>> = (0..call.args.len()).map(|at| solution.frame(frame_name(at)).cloned()).collect();
        call.ret = self.substituted(&subst, &call.ret, call.span)?;
        Some((subst, frames?))
    }

    /// The join of the frames.
    fn principal(&mut self, call: &Call, frames: &[Framed]) -> Option<Shape> {
        let NoJoin { left, right } = match join(frames.iter().map(|framed| &framed.frame)) {
            Ok(principal) => return Some(principal),
            Err(pair) => pair,
        };
        let (first, second) = (frames[left].clone(), frames[right].clone());
        self.error(call.span, CallError::Frames { called: call.fun.called, first, second })
    }

    /// The explicit application.
    fn lifted_call(&mut self, call: Call, subst: &Subst, frames: Vec<Shape>) -> Option<Typed> {
        let fun_shape = subst.shape(call.fun.ty.shape()).ok()?;
        let mut places = vec![Framed { operand: Operand::Functions, frame: fun_shape, at: call.fun.span }];
        let args = frames.into_iter().zip(&call.args).enumerate();
        places.extend(args.map(|(at, (frame, arg))| Framed { operand: Operand::Argument(at), frame, at: arg.span }));
        let principal = self.principal(&call, &places)?;
        let Call { span, fun, args, ret, partial, .. } = call;
        let dim = size_of_result(&fun, &args, &principal);
        if !principal.is_scalar() && self.libraries.inside.is_none() {
            let frames = places.iter().filter(|place| !place.frame.is_scalar()).map(|place| (place.operand, place.frame.clone()));
            let what = Lifted::Application(fun.called);
            let what = What::Lifted { what, frames: frames.collect(), principal: principal.clone() };
            self.insertions.push(Insertion { span, what });
        }
        let mut parts = Vec::with_capacity(args.len() + 1);
        for (instance, place) in std::iter::once(fun).chain(args).zip(places) {
            parts.push(Part { value: self.closed(instance, subst)?, frame: place.frame });
        }
        let expr = self.over(span, &principal, parts, |this, cells| {
            let mut cells = cells.into_iter();
            let fun = cells.next()?;
            let expr = Expr::new(ExprKind::App { fun, args: cells.collect() }, span);
            if partial {
                this.partial.insert(Arc::as_ptr(&expr.0));
            }
            Some(expr)
        })?;
        Some(Typed { expr, ty: ret.framed(&principal), dim })
    }
}

/// The size that the application is, if it is one of an operator that sizes have.
fn size_of_result(fun: &Instance, args: &[Instance], principal: &Shape) -> Option<Dim> {
    let ([a, b], true) = (args, principal.is_scalar()) else { return None };
    let (a, b) = (a.dim()?, b.dim()?);
    match SizeOp::named(fun.variable()?)? {
        SizeOp::Add => sizes::limited(a.add(b)),
        SizeOp::Sub => sizes::limited(a.sub(b)),
        SizeOp::Mul => sizes::product(a, b),
    }
}
