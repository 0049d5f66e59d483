//! Applications: map nests and exact calls.

use super::error::{Context, Error, ErrorKind as Wrong};
use super::expr::{Instance, call, prim_instance};
use super::report::would_be_negative;
use super::scope::{cell_type, outer_dim};
use super::{Elab, Result, Typed, types};
use crate::base::scalar::Op;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::{self, Atom, Dim, DimAtom, Expr, ExprKind, Index, Param, Prim, Shape, ShapeItem, Type};
use crate::ir::surface::view::{self, Application};
use crate::ir::surface::{self, ExprId};
use crate::ir::tables::{AppInfo, Insertion};

/// What is applied.
#[derive(Debug, Clone)]
pub(super) enum Head {
    /// A function value.
    Fun { value: Typed, instance: Option<Instance> },
    /// The elements of an array; the array is not an argument. Of each index that counts from the end, how far from it: its value is not used.
    Index { array: Typed, ends: Vec<Option<i64>> },
    /// A field.
    Project(Symbol),
    /// A lambda, to be elaborated when the sizes of its arguments are known.
    Lambda(ExprId),
    /// A constructor of a sum type.
    Constr(Symbol, Type),
}

/// An argument.
#[derive(Debug, Clone)]
pub(super) enum Arg {
    /// Elaborated.
    Ready(Typed, Span),
    /// A lambda or `(.field)`, to be elaborated when the sizes of its parameters are known.
    Lambda(ExprId),
}

impl Elab<'_> {
    /// An application, elaborated as the solver says.
    pub(super) fn application(&mut self, app: &Application) -> Result<Typed> {
        let (value, ty) = self.applied(app)?;
        let sizes = ty.shape().items.iter().filter_map(|item| if let ShapeItem::Dim(dim) = item { Some(dim) } else { None });
        // Products of sizes double their degree with each application: they are refused before they are made out.
        if sizes.map(|dim| self.sizes.zonk(dim)).any(|dim| core::sizes::limited(dim).is_none()) {
            return Err(Error::new(Wrong::SizeTooLarge, self.program.ast.exprs[app.node].span).into());
        }
        Ok((value, ty))
    }

    fn applied(&mut self, app: &Application) -> Result<Typed> {
        let info = self.tables.apps.get(app.node).cloned().ok_or_else(|| self.missing(self.program.ast.exprs[app.node].span))?;
        let span = self.program.ast.exprs[app.node].span;
        let plain = info.head_frame == 0 && info.args.iter().all(|a| a.maps == 0 && a.reps == 0);
        if plain && let Some(done) = self.special(app, span)? {
            return Ok(done);
        }
        let head = match self.lambda_head(&app.head) {
            Some(lambda) => Head::Lambda(lambda),
            None => self.head(app.node, &app.head)?,
        };
        let args = self.arguments(&app.args)?;
        if plain {
            return self.apply_exact(head, args, span);
        }
        self.applications.push(span);
        let out = self.apply_mapped(head, args, &info, span);
        self.applications.pop();
        match (out, &app.head) {
            (Err(error), view::Head::Expr(f)) if matches!(error.kind(), Some(Wrong::Irregular(_))) => Err(self.within_function(error, *f)),
            (out, _) => out,
        }
    }
    /// The lambda or `(.field)` that is applied on the spot, if it is one.
    fn lambda_head(&self, head: &view::Head) -> Option<ExprId> {
        let view::Head::Expr(e) = head else { return None };
        let at = view::strip(&self.program.ast, *e);
        self.is_late(at).then_some(at)
    }
    /// Whether a function is elaborated when the types of its arguments are known.
    fn is_late(&self, e: ExprId) -> bool {
        matches!(self.program.ast.exprs[e].kind, surface::ExprKind::Lambda { .. } | surface::ExprKind::ProjectSection(_))
    }
    /// The function itself, for parameters of these types.
    fn late(&mut self, e: ExprId, hint: &[Param], span: Span) -> Result<Typed> {
        match &self.program.ast.exprs[e].kind {
            surface::ExprKind::Lambda { params, ret, body } => self.function(params, *ret, *body, hint, span),
            surface::ExprKind::ProjectSection(_) => self.project_section(e, hint.first().map(|param| param.ty.clone()), span),
            _ => Err(self.missing(span)),
        }
    }
    /// Elaborates arguments; lambdas wait for the sizes of the others.
    pub(super) fn arguments(&mut self, args: &[ExprId]) -> Result<Vec<Arg>> {
        let ast = &self.program.ast;
        args.iter()
            .map(|a| {
                let at = view::strip(ast, *a);
                if self.is_late(at) {
                    return Ok(Arg::Lambda(at));
                }
                Ok(Arg::Ready(self.expr(*a)?, ast.exprs[*a].span))
            })
            .collect()
    }
    /// The head of an application.
    pub(super) fn head(&mut self, node: ExprId, head: &view::Head) -> Result<Head> {
        match head {
            view::Head::Expr(e) => {
                let at = view::strip(&self.program.ast, *e);
                let span = self.program.ast.exprs[at].span;
                let name = matches!(
                    self.program.ast.exprs[at].kind,
                    surface::ExprKind::Name(_) | surface::ExprKind::Project { .. } | surface::ExprKind::OpFn(_)
                );
                if name && self.application_of(at).is_none() {
                    let (value, ty, instance) = self.function_value(at, span)?;
                    return Ok(Head::Fun { value: self.open((value, ty)), instance });
                }
                Ok(Head::Fun { value: self.expr(*e)?, instance: None })
            }
            view::Head::Op(op) => {
                let at = self.operator_node(node);
                match self.program.names.exprs.get(at) {
                    Some(res) => {
                        let (value, ty, instance) = self.resolved(*res, at, op.span)?;
                        Ok(Head::Fun { value: (value, ty), instance })
                    }
                    None => Ok(Head::Fun { value: self.operator(*op, at)?, instance: None }),
                }
            }
            view::Head::Unary(op, span) => {
                let at = self.operator_node(node);
                Ok(Head::Fun { value: self.unary(*op, *span, at)?, instance: None })
            }
            view::Head::Project(field) => Ok(Head::Project(field.name)),
            view::Head::Constr(name) => {
                let span = self.program.ast.exprs[node].span;
                Ok(Head::Constr(name.name, self.sum_type(node, span)?))
            }
            view::Head::Index(array) => {
                let array = self.expr(*array)?;
                let surface::ExprKind::Index { indices, .. } = &self.program.ast.exprs[self.operator_node(node)].kind else {
                    return Err(self.missing(self.program.ast.exprs[node].span));
                };
                Ok(Head::Index { array: self.shared(array, "a"), ends: self.ends(indices) })
            }
        }
    }
    /// The node in which the operator of an application stands.
    pub(super) fn operator_node(&self, node: ExprId) -> ExprId {
        view::operator_node(&self.program.ast, node)
    }

    pub(super) fn ready(&mut self, arg: Arg) -> Result<(Typed, Span)> {
        match arg {
            Arg::Ready(value, span) => Ok((value, span)),
            Arg::Lambda(e) => Ok((self.expr(e)?, self.program.ast.exprs[e].span)),
        }
    }

    /// An application whose arguments have the parameters' types. The result is opened if it is a box.
    pub(super) fn apply_exact(&mut self, head: Head, args: Vec<Arg>, span: Span) -> Result<Typed> {
        match head {
            Head::Project(field) => {
                let mut args = args.into_iter();
                let Some(Arg::Ready(value, _)) = args.next() else { return Err(self.missing(span)) };
                let out = self.project(value, field, span)?;
                let value = self.open(out);
                match args.len() {
                    0 => Ok(value),
                    _ => self.apply_exact(Head::Fun { value, instance: None }, args.collect(), span),
                }
            }
            Head::Index { array: (mut array, mut ty), ends } => {
                let mut args = args;
                let rest = args.split_off(args.len().min(ends.len()));
                for (arg, end) in args.into_iter().zip(ends) {
                    let (index, _) = self.ready(arg)?;
                    let (index, _) = match (end, outer_dim(&ty)) {
                        (Some(count), Some(n)) => (Expr::new(ExprKind::ReifyDim(n.sub(&Dim::constant(count))), span), index.1),
                        (Some(_), None) => return Err(self.missing(span)),
                        (None, _) => self.as_index(index),
                    };
                    self.no_negative(&index)?;
                    let cell = self.index((array, ty), index, span)?;
                    (array, ty) = self.open_row(cell);
                }
                match rest.len() {
                    0 => Ok((array, ty)),
                    _ => self.apply_exact(Head::Fun { value: (array, ty), instance: None }, rest, span),
                }
            }
            Head::Lambda(lambda) => {
                let known = |arg: &Arg| if let Arg::Ready((_, ty), _) = arg { Some(self.sizes.zonk_type(ty)) } else { None };
                let hint: Vec<Param> = args.iter().map_while(known).map(|ty| Param { name: None, ty }).collect();
                let at = self.program.ast.exprs[lambda].span;
                let value = self.late(lambda, &hint, at)?;
                self.apply_exact(Head::Fun { value, instance: None }, args, span)
            }
            Head::Constr(name, ty) => {
                let mut parts = Vec::with_capacity(args.len());
                for arg in args {
                    parts.push(self.ready(arg)?);
                }
                self.injection(name, ty, parts, span)
            }
            Head::Fun { mut value, mut instance } => {
                let mut args = args;
                loop {
                    let ty = self.sizes.zonk_type(&value.1);
                    let Atom::Fun(params, _) = ty.atom() else { return Err(self.missing(span)) };
                    if !ty.shape().is_scalar() {
                        return self.apply_functions(value, args, span);
                    }
                    let rest = args.split_off(args.len().min(params.len()));
                    value = self.call(value, instance.take(), args, span)?;
                    if rest.is_empty() {
                        return Ok(value);
                    }
                    args = rest;
                }
            }
        }
    }
    /// An array of functions applied to arrays: function by function. Arguments with fewer dimensions stay the same.
    fn apply_functions(&mut self, functions: Typed, args: Vec<Arg>, span: Span) -> Result<Typed> {
        let rank = functions.1.shape().items.len() as u32;
        let slot = |arg: &Arg| {
            let own = match arg {
                Arg::Ready((_, ty), _) => ty.shape().items.len() as u32,
                Arg::Lambda(_) => 0,
            };
            let reps = rank.saturating_sub(own);
            Insertion { maps: 0, reps, induced: reps }
        };
        let info = AppInfo { head_frame: rank, args: args.iter().map(slot).collect() };
        self.apply_mapped(Head::Fun { value: functions, instance: None }, args, &info, span)
    }
    /// `a[i]` of an array.
    pub(super) fn index(&mut self, (array, ty): Typed, index: Expr, span: Span) -> Result<Typed> {
        let n = outer_dim(&ty).ok_or_else(|| self.missing(span))?;
        let cell = cell_type(&ty, 1);
        let (atom, shape) = Self::split(&cell);
        let fun = prim_instance(Prim::Index, vec![atom], vec![Index::Dim(n), Index::Shape(shape)], span);
        Ok((call(fun, vec![array, index], span), cell))
    }

    /// A call with at most as many arguments as parameters.
    pub(super) fn call(&mut self, value: Typed, mut instance: Option<Instance>, mut args: Vec<Arg>, span: Span) -> Result<Typed> {
        let mut value = value;
        loop {
            match self.try_call(&value, instance.as_ref(), &mut args, span)? {
                Attempt::Done(expr, ty) => return Ok(self.open((expr, ty))),
                Attempt::Existential { argument } => {
                    let Some(old) = instance.take() else { return Err(self.existential_argument(None, span).into()) };
                    let new = self.existential_instance(old, argument, &args, span)?;
                    value = self.instance_value(&new);
                    instance = Some(new);
                }
                Attempt::Rows(rows) => {
                    let Some(mut own) = instance.take() else { return Err(self.existential_argument(None, span).into()) };
                    for (at, row) in rows {
                        own.types[at] = row;
                    }
                    value = self.instance_value(&own);
                    instance = Some(own);
                }
            }
        }
    }
    fn try_call(&mut self, value: &Typed, instance: Option<&Instance>, args: &mut [Arg], span: Span) -> Result<Attempt> {
        let ty = self.sizes.zonk_type(&value.1);
        let Atom::Fun(params, ret) = ty.atom() else { return Err(self.missing(span)) };
        let mut params: Vec<Param> = params.clone();
        let mut ret = ret.clone();
        let mut values: Vec<Option<Expr>> = vec![None; args.len()];
        for i in 0..args.len() {
            let Arg::Ready((arg, arg_ty), at) = &args[i] else { continue };
            let (arg, arg_ty, at) = (arg.clone(), arg_ty.clone(), *at);
            let hiding = if instance.is_some() { self.hide_dependent(&params[i].ty, (arg.clone(), arg_ty.clone()), at)? } else { None };
            if let Some(hiding) = &hiding {
                args[i] = Arg::Ready(hiding.clone(), at);
            }
            let (arg, arg_ty) = hiding.unwrap_or((arg, arg_ty));
            if let Some(instance) = instance {
                let mut rows = self.row_types(instance, i, &arg_ty);
                rows.extend(self.dependent_types(instance, i, &arg_ty));
                if !rows.is_empty() {
                    return Ok(Attempt::Rows(rows));
                }
            }
            if self.is_existential_argument(&params[i].ty, &arg_ty) {
                return Ok(Attempt::Existential { argument: i });
            }
            let fitted = self.fitted(&params[i].ty, (arg, arg_ty), at)?;
            // A type parameter may stand for an abstract type, and that for a box: the argument was opened where it was bound.
            let (arg, arg_ty) = self.as_row(&params[i].ty, fitted)?;
            let arg = self.eta_lift(&params[i].ty, (arg, arg_ty), at)?;
            let (arg, arg_ty) = self.eta_existential(&params[i].ty, arg, at)?;
            let fitted = self.fit_function(&params[i].ty, (arg.clone(), arg_ty.clone()), at)?;
            let (mut arg, arg_ty) = fitted.unwrap_or((arg, arg_ty));
            self.unify_argument(&params[i].ty, &arg_ty, at, instance)?;
            if let Some(name) = params[i].name {
                let mentions = |ty: &Type| self.sizes.dependencies(ty).contains(&DimAtom::Size(name));
                let used = params[i + 1..].iter().any(|p| mentions(&p.ty)) || mentions(&ret);
                if used {
                    let dim = self.size_or_bind(&arg);
                    arg = self.sized(&arg);
                    for p in &mut params[i + 1..] {
                        p.ty = self.renamed(&p.ty, DimAtom::Size(name), dim.clone());
                    }
                    ret = self.renamed(&ret, DimAtom::Size(name), dim);
                }
            }
            values[i] = Some(arg);
        }
        for i in 0..args.len() {
            let Arg::Lambda(e) = &args[i] else { continue };
            let (e, at) = (*e, self.program.ast.exprs[*e].span);
            let expected = self.sizes.zonk_type(&params[i].ty);
            let hint: &[Param] = match expected.atom() {
                Atom::Fun(ps, _) => ps,
                _ => &[],
            };
            let (arg, arg_ty) = self.late(e, hint, at)?;
            let hiding = if instance.is_some() { self.hide_dependent(&expected, (arg.clone(), arg_ty.clone()), at)? } else { None };
            let (arg, arg_ty) = hiding.unwrap_or((arg, arg_ty));
            args[i] = Arg::Ready((arg.clone(), arg_ty.clone()), at);
            let own = instance.map(|instance| self.dependent_types(instance, i, &arg_ty)).unwrap_or_default();
            if !own.is_empty() {
                return Ok(Attempt::Rows(own));
            }
            if self.is_existential_argument(&expected, &arg_ty) {
                return Ok(Attempt::Existential { argument: i });
            }
            let (arg, arg_ty) = self.eta_existential(&expected, (arg, arg_ty), at)?;
            let fitted = self.fit_function(&expected, (arg.clone(), arg_ty.clone()), at)?;
            let (arg, arg_ty) = fitted.unwrap_or((arg, arg_ty));
            self.unify_argument(&expected, &arg_ty, at, instance)?;
            values[i] = Some(arg);
        }
        if let Some(instance) = instance {
            self.choose_argument_sizes(instance, &values, span)?;
        }
        let rest = params.split_off(args.len());
        let ty = Type::fun(rest, ret);
        let values: Option<Vec<Expr>> = values.into_iter().collect();
        let values = values.ok_or_else(|| self.missing(span))?;
        let done = call(value.0.clone(), values, span);
        Ok(Attempt::Done(self.naturally(done, instance), ty))
    }
    /// The use of a definition of which some size parameters are the size of no array by themselves, with a check that they are sizes.
    pub(super) fn naturally(&mut self, value: Expr, instance: Option<&Instance>) -> Expr {
        let Some(instance) = instance else { return value };
        let hidden = types::unwitnessed(&instance.scheme.sizes, &instance.scheme.ty);
        let mut out = value;
        for i in hidden {
            let Some(size) = instance.sizes.get(i) else { continue };
            let of = instance.def.map(|def| self.program.defs[def].name);
            let name = super::written(instance.scheme.sizes[i]);
            let (at, declared) = (out.span(), self.declared_size(instance.def, i));
            out = self.natural(out, size.clone(), super::Natural { name, of, at, declared });
        }
        out
    }
    /// An expression after a check that a size is not negative.
    pub(super) fn natural(&mut self, expr: Expr, size: Dim, natural: super::Natural) -> Expr {
        let span = expr.span();
        let message = Symbol::new(&would_be_negative(&natural));
        self.claims.naturals.push((size.clone(), natural));
        let zero = super::expr::number(0, span);
        let cond = call(Expr::op(Op::Ge, PrimType::I64, span), vec![Expr::new(ExprKind::ReifyDim(size), span), zero], span);
        Expr::new(ExprKind::Assert { cond, message, expr }, span)
    }
    fn unify_argument(&mut self, param: &Type, arg: &Type, at: Span, instance: Option<&Instance>) -> Result<()> {
        let clash = match self.sizes.unify(param, arg, at) {
            Ok(()) => return Ok(()),
            Err(clash) => clash,
        };
        let error = self.clash_types(clash, at, Some((param, arg)));
        Err(match instance.and_then(|i| i.def) {
            Some(def) => error.within(Context::Call(self.program.defs[def].name)).into(),
            None => error.into(),
        })
    }
}

enum Attempt {
    Done(Expr, Type),
    /// This argument has an existential result.
    Existential {
        argument: usize,
    },
    /// These type parameters stand for rows of ragged arrays.
    Rows(Vec<(usize, (Atom, Shape))>),
}
