//! Applications: map nests and exact calls.

use super::error::{Context, Error, ErrorKind as Wrong, Failure, Irregular};
use super::expr::{Instance, call, prim_instance};
use super::report::would_be_negative;
use super::scope::{cell_type, outer_dim};
use super::{Elab, Result, Typed, frame_shape, types};
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

    fn ready(&mut self, arg: Arg) -> Result<(Typed, Span)> {
        match arg {
            Arg::Ready(value, span) => Ok((value, span)),
            Arg::Lambda(e) => Ok((self.expr(e)?, self.program.ast.exprs[e].span)),
        }
    }

    /// An application with insertions, as a nest of maps around the exact application. The arguments are taken apart from
    /// the outside in: at each level those that take part give their cells, the others stay as they are.
    pub(super) fn apply_mapped(&mut self, head: Head, args: Vec<Arg>, info: &AppInfo, span: Span) -> Result<Typed> {
        let rank = info.frame() as usize;
        // The head takes part like an argument, in the first place.
        let mut parts: Vec<Part> = Vec::with_capacity(args.len() + 1);
        let (head, head_value) = match head {
            Head::Fun { value, instance } => (HeadRest::Fun(instance), Some(value)),
            Head::Index { array, ends } => (HeadRest::Index { array, ends }, None),
            Head::Project(field) => (HeadRest::Project(field), None),
            Head::Lambda(lambda) => (HeadRest::Lambda(lambda), None),
            Head::Constr(name, ty) => (HeadRest::Constr(name, ty), None),
        };
        let head_depth = info.head_frame as usize;
        if let Some(value) = head_value {
            parts.push(Part { arg: Arg::Ready(value, span), depth: head_depth });
        }
        for ((arg, insertion), depth) in args.into_iter().zip(&info.args).zip(info.participation()) {
            let depth = depth as usize;
            let extra = insertion.reps - insertion.induced;
            let arg = if depth > 0 || extra > 0 {
                let (value, at) = self.ready(arg)?;
                let value = self.open_row(value);
                let value = if extra > 0 { self.replicate(value, extra, at) } else { value };
                Arg::Ready(value, at)
            } else {
                arg
            };
            parts.push(Part { arg, depth });
        }
        self.nest(head, parts, rank, span)
    }
    /// The maps over the arguments that take part, around the exact application.
    fn nest(&mut self, mut head: HeadRest, mut parts: Vec<Part>, rank: usize, span: Span) -> Result<Typed> {
        if rank == 0 {
            let (head, args) = reassemble(head, parts);
            return self.apply_exact(head, args, span);
        }
        // Rows of ragged arrays are opened level by level.
        let level = if parts.iter().any(|part| self.has_hidden_levels(part)) { 1 } else { rank };
        let dims: Vec<Dim> = (0..level).map(|_| self.fresh_dim(span)).collect();
        self.one_frame(&mut parts, &dims, rank, span)?;
        for part in &mut parts {
            if let (Arg::Ready(value, _), true) = (&mut part.arg, part.depth < rank) {
                *value = self.shared(value.clone(), "t");
            }
        }
        let groups = if level == rank { self.cells(&mut parts, rank) } else { self.outer_cells(&mut parts, rank) };
        self.push_frame();
        for (name, ty, at) in groups.iter().flat_map(|g| &g.cells).map(|(n, _, t, s)| (*n, t.clone(), *s)) {
            self.bind_param(name, &ty, at);
        }
        let mut rows = false;
        for part in &mut parts {
            if let Arg::Ready(row, _) = &mut part.arg
                && super::ragged::is_box(&row.1)
            {
                rows = true;
                *row = self.open_row(row.clone());
            }
        }
        if rows && let (HeadRest::Fun(instance), Some(Part { arg: Arg::Ready(value, at), depth: 0 })) = (&mut head, parts.first()) {
            let at = *at;
            let own = self.for_each_row(Head::Fun { value: value.clone(), instance: instance.take() });
            if let Head::Fun { value, instance } = own {
                head = HeadRest::Fun(instance);
                parts[0].arg = Arg::Ready(value, at);
            }
        }
        let (body, ty) = if level == rank {
            let (head, args) = reassemble(head, parts);
            self.apply_exact(head, args, span)?
        } else {
            for part in &mut parts {
                part.depth = part.depth.min(rank - level);
            }
            self.nest(head, parts, rank - level, span)?
        };
        let (mut body, ty) = self.close_map(body, ty, span)?;
        let mut inner = level;
        for group in groups.into_iter().rev() {
            let frame = frame_shape(&dims[inner - group.depth..inner]);
            inner -= group.depth;
            let args = group.cells.into_iter().map(|(name, array, _, _)| (name, array)).collect();
            body = Expr::new(ExprKind::Map { frame, args, body }, span);
        }
        Ok((body, ty.framed(&frame_shape(&dims))))
    }
    /// Whether some of the dimensions over which an argument is mapped are those of rows of a ragged array.
    fn has_hidden_levels(&self, part: &Part) -> bool {
        let Arg::Ready((_, ty), _) = &part.arg else { return false };
        matches!(ty.atom(), Atom::Sigma(..)) && self.sizes.zonk_type(ty).shape().items.len() < part.depth
    }
    /// The arguments that take part in the outermost maps have the sizes of their frame.
    fn one_frame(&mut self, parts: &mut [Part], dims: &[Dim], rank: usize, span: Span) -> Result<()> {
        let mut before: Vec<(usize, Span)> = Vec::with_capacity(parts.len());
        for part in parts.iter_mut() {
            let Arg::Ready(value, at) = &mut part.arg else { continue };
            let outer = (rank - part.depth).min(dims.len());
            for (k, dim) in dims[outer..].iter().enumerate() {
                let own = cell_type(&value.1, k);
                let own = outer_dim(&own).ok_or_else(|| self.missing(*at))?;
                let Err(clash) = self.sizes.unify_dim(dim, &own, *at) else { continue };
                if let Some(checked) = self.rows_of_one_size(dim, k, value, *at) {
                    *value = checked;
                    continue;
                }
                // The axes of an argument that takes part in fewer maps are the inner ones.
                let other = before.iter().find(|(depth, at)| depth + k >= part.depth && *at != span);
                let meets = other.map(|(depth, at)| (depth + k - part.depth, *at)).filter(|(axis, _)| *axis != k);
                let axes = meets.map(|(axis, at)| (k, axis, at));
                return Err(self.clash(clash, *at).within(Context::MappedTogether { application: span, axes }).into());
            }
            before.push((part.depth, *at));
        }
        Ok(())
    }
    /// The cells of the arguments that take part in the outermost map.
    fn outer_cells(&mut self, parts: &mut [Part], rank: usize) -> Vec<Group> {
        let mut cells = Vec::new();
        for part in parts.iter_mut().filter(|part| part.depth == rank) {
            cells.extend(self.cell(part, 1));
        }
        vec![Group { depth: 1, cells }]
    }
    /// Puts a cell in place of an argument.
    fn cell(&mut self, part: &mut Part, levels: usize) -> Option<(Symbol, Expr, Type, Span)> {
        let Arg::Ready((value, ty), at) = &mut part.arg else { return None };
        let base = match value.kind() {
            ExprKind::Var(name) => *name,
            _ => Symbol::new("x"),
        };
        let name = self.fresh_name(base);
        let cell = cell_type(ty, levels);
        let array = std::mem::replace(value, Expr::new(ExprKind::Var(name), *at));
        *ty = cell.clone();
        Some((name, array, cell, *at))
    }
    /// Splits the nest into groups of levels with the same participants, outermost first, and replaces every participant
    /// by its innermost cell.
    fn cells(&mut self, parts: &mut [Part], rank: usize) -> Vec<Group> {
        let mut depths: Vec<usize> = parts.iter().map(|p| p.depth).filter(|d| *d > 0).collect();
        depths.sort_unstable_by(|a, b| b.cmp(a));
        depths.dedup();
        debug_assert_eq!(depths.first(), Some(&rank));
        let mut groups = Vec::new();
        for (i, depth) in depths.iter().enumerate() {
            let next = depths.get(i + 1).copied().unwrap_or(0);
            let levels = depth - next;
            let mut cells = Vec::new();
            for part in parts.iter_mut().filter(|p| p.depth >= *depth) {
                cells.extend(self.cell(part, levels));
            }
            groups.push(Group { depth: levels, cells });
        }
        groups
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
    fn call(&mut self, value: Typed, mut instance: Option<Instance>, mut args: Vec<Arg>, span: Span) -> Result<Typed> {
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
            let (arg, arg_ty) = self.fitted(&params[i].ty, (arg, arg_ty), at)?;
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

    /// Whether a function with an existential result is given where one with a regular result is expected.
    fn is_existential_argument(&self, param: &Type, arg: &Type) -> bool {
        let (param, arg) = (self.sizes.zonk_type(param), self.sizes.zonk_type(arg));
        match (param.atom(), arg.atom()) {
            (Atom::Fun(ps, r), Atom::Fun(qs, s)) if ps.len() == qs.len() => {
                matches!(s.atom(), Atom::Sigma(..)) && s.shape().is_scalar() && !matches!(r.atom(), Atom::Sigma(..))
            }
            _ => false,
        }
    }
    /// A function that expects an array, given where one that expects a box is wanted: opens the box first.
    fn eta_existential(&mut self, param: &Type, arg: Typed, span: Span) -> Result<Typed> {
        let param = self.sizes.zonk_type(param);
        let (Atom::Fun(ps, _), Atom::Fun(qs, _)) = (param.atom(), arg.1.atom()) else { return Ok(arg) };
        let is_box = |t: &Type| matches!(t.atom(), Atom::Sigma(..)) && t.shape().is_scalar();
        if ps.len() > qs.len() || !ps.iter().zip(qs).any(|(p, q)| is_box(&p.ty) && !is_box(&q.ty)) {
            return Ok(arg);
        }
        let ps = ps.clone();
        self.push_frame();
        let arg = self.with_own_sizes(arg);
        let mut names = Vec::new();
        let mut cells = Vec::new();
        for p in &ps {
            let name = self.fresh_name(Symbol::new("b"));
            self.bind_param(name, &p.ty, span);
            names.push((name, p.ty.clone()));
            let opened = self.open_row((Expr::new(ExprKind::Var(name), span), p.ty.clone()));
            cells.push(Arg::Ready(opened, span));
        }
        let (body, ty) = self.call(arg, None, cells, span)?;
        let params: Vec<Symbol> = names.iter().map(|(n, _)| *n).collect();
        let (body, ret) = self.close_function(body, ty, &params, span)?;
        let ty = self.function_type(&names, &ret);
        Ok((Expr::new(ExprKind::Fn { params: names, ret, body }, span), ty))
    }
    /// An array of functions, given where a function on arrays is wanted: `[k](a -> b)` serves as `[k]a -> [k]b`.
    fn eta_lift(&mut self, param: &Type, arg: Typed, span: Span) -> Result<Typed> {
        let (param, arg_ty) = (self.sizes.zonk_type(param), self.sizes.zonk_type(&arg.1));
        let (Atom::Fun(ps, _), Atom::Fun(..), rank) = (param.atom(), arg_ty.atom(), arg_ty.shape().items.len()) else { return Ok(arg) };
        if rank == 0 || !param.shape().is_scalar() {
            return Ok(arg);
        }
        let functions = self.shared(arg, "fs");
        let params: Vec<(Symbol, Type)> = ps.iter().map(|p| (self.fresh_name(Symbol::new("x")), p.ty.clone())).collect();
        self.push_frame();
        let args = params.iter().map(|(name, ty)| Arg::Ready((Expr::new(ExprKind::Var(*name), span), ty.clone()), span)).collect();
        let (body, ret) = self.apply_exact(Head::Fun { value: functions, instance: None }, args, span)?;
        let names: Vec<Symbol> = params.iter().map(|(n, _)| *n).collect();
        let (body, ret) = self.close_function(body, ret, &names, span)?;
        let ty = self.function_type(&params, &ret);
        Ok((Expr::new(ExprKind::Fn { params, ret, body }, span), ty))
    }
    /// The instance of a function for an argument with an existential result: a type parameter that stands for the result
    /// becomes the type of boxes; a size parameter in it makes a variant of the function.
    fn existential_instance(&mut self, mut instance: Instance, param: usize, args: &[Arg], span: Span) -> Result<Instance> {
        let Arg::Ready((_, arg_ty), at) = &args[param] else { return Err(self.missing(span)) };
        let arg_ty = self.sizes.zonk_type(arg_ty);
        let Atom::Fun(_, boxed) = arg_ty.atom() else { return Err(self.missing(span)) };
        let scheme = instance.scheme.clone();
        let name = instance.def.map(|d| self.program.defs[d].name);
        let Atom::Fun(params, _) = scheme.ty.atom() else { return Err(self.missing(span)) };
        let Some(Atom::Fun(_, result)) = params.get(param).map(|p| p.ty.atom()) else {
            return Err(self.existential_argument(name, *at).into());
        };
        if let (Atom::Var(var), 1) = (result.atom(), result.shape().items.len()) {
            let position = scheme.types.iter().position(|t| t == var);
            if let Some(position) = position.filter(|_| !types::under_array(&scheme.ty, *var) || types::only_results(&scheme.ty, *var)) {
                instance.types[position] = (boxed.atom().clone(), Shape::default());
                return Ok(instance);
            }
            return Err(self.existential_argument(name, *at).into());
        }
        let sizes: Vec<usize> =
            super::sizes::free_atoms(result).iter().filter_map(|a| scheme.sizes.iter().position(|s| DimAtom::Var(*s) == *a)).collect();
        let (Some(def), false) = (instance.def, sizes.is_empty()) else { return Err(self.existential_argument(name, *at).into()) };
        // Sizes that occur in inputs as well are given; the others are found out by the call.
        let inputs: Vec<DimAtom> =
            params.iter().filter(|p| !matches!(p.ty.atom(), Atom::Fun(..))).flat_map(|p| super::sizes::free_atoms(&p.ty)).collect();
        let sizes: Vec<usize> = sizes.into_iter().filter(|i| !inputs.contains(&DimAtom::Var(scheme.sizes[*i]))).collect();
        if sizes.is_empty() {
            return Err(self.existential_argument(name, *at).into());
        }
        let (declared, unwritten): (Vec<usize>, Vec<usize>) = sizes.into_iter().partition(|i| self.is_declared_size(instance.def, *i));
        let unwritten = if unwritten.is_empty() { None } else { Some(super::UNWRITTEN) };
        let sizes: Vec<usize> = declared.into_iter().chain(unwritten).collect();
        if !self.schemes.variants.contains_key(&(def, sizes.clone())) {
            let made = super::elaborate_variant(self.program, self.tables, self.schemes, def, &sizes);
            self.defs.extend(made.map_err(|failure| match failure {
                // A size that is not written has to be the same for all results of the function that is given.
                Failure::Refused(why) if unwritten.is_some() => {
                    Error::new(Wrong::Irregular(Irregular::Results { definition: name, needed: why.at }), *at).into()
                }
                failure => failure,
            })?);
        }
        let variant = self.schemes.variants.get(&(def, sizes.clone())).cloned().ok_or_else(|| self.missing(span))?;
        // Where sizes that are not written change, the others of these are found out anew.
        let kept = |i: &usize| !sizes.contains(i) && (unwritten.is_none() || self.is_declared_size(instance.def, *i));
        instance.sizes = (0..instance.sizes.len()).filter(kept).map(|i| instance.sizes[i].clone()).collect();
        while instance.sizes.len() < variant.sizes.len() {
            let dim = self.fresh_dim(span);
            instance.sizes.push(dim);
        }
        instance.scheme = variant;
        Ok(instance)
    }
    pub(super) fn is_declared_size(&self, def: Option<crate::ir::tables::DefId>, position: usize) -> bool {
        self.declared_size(def, position).is_some()
    }
    /// Where a size parameter is declared.
    fn declared_size(&self, def: Option<crate::ir::tables::DefId>, position: usize) -> Option<Span> {
        let crate::ir::tables::DefKind::Def(decl) = &self.program.defs[def?].decl else { return None };
        let sizes = decl.tparams.iter().filter_map(|p| if let surface::TypeParam::Size(pat) = p { Some(*pat) } else { None });
        sizes.map(|pat| self.program.ast.pats[pat].span).nth(position)
    }

    /// An unapplied section.
    pub(super) fn section(&mut self, e: ExprId, span: Span) -> Result<Typed> {
        let program = self.program;
        let info = self.tables.apps.get(e).cloned();
        match &program.ast.exprs[e].kind {
            surface::ExprKind::LeftSection { lhs, op } => {
                let head = self.section_head(e, op)?;
                let args = self.arguments(&[*lhs])?;
                match info.filter(|i| i.cost() > 0 || i.head_frame > 0) {
                    Some(info) => self.apply_mapped(head, args, &info, span),
                    None => self.apply_exact(head, args, span),
                }
            }
            surface::ExprKind::RightSection { op, rhs } => {
                let head = self.section_head(e, op)?;
                let rhs_span = program.ast.exprs[*rhs].span;
                let rhs = self.expr(*rhs)?;
                let rhs = self.shared(rhs, "t");
                self.section_lambda(e, span, |elab, x| {
                    let args = vec![Arg::Ready(x, span), Arg::Ready(rhs, rhs_span)];
                    match info.filter(|i| i.args.iter().any(|a| a.maps > 0 || a.reps > 0) || i.head_frame > 0) {
                        Some(info) => elab.apply_mapped(head, args, &info, span),
                        None => elab.apply_exact(head, args, span),
                    }
                })
            }
            surface::ExprKind::ProjectSection(_) => self.project_section(e, None, span),
            _ => Err(self.missing(span)),
        }
    }
    /// `(.field)`, applied to what has this type where it is known.
    fn project_section(&mut self, e: ExprId, of: Option<Type>, span: Span) -> Result<Typed> {
        let info = self.tables.apps.get(e).cloned();
        let surface::ExprKind::ProjectSection(path) = &self.program.ast.exprs[e].kind else { return Err(self.missing(span)) };
        self.lambda_of(e, of, span, |elab, mut x| {
            for (i, field) in path.iter().enumerate() {
                let slot = info.as_ref().and_then(|info| info.args.get(i)).copied().unwrap_or_default();
                let info = AppInfo { head_frame: 0, args: vec![slot] };
                x = elab.apply_mapped(Head::Project(field.name), vec![Arg::Ready(x, span)], &info, span)?;
            }
            Ok(x)
        })
    }
    fn section_head(&mut self, e: ExprId, op: &surface::Operator) -> Result<Head> {
        match (op.backtick, self.program.names.exprs.get(e)) {
            (Some(function), _) => self.head(e, &view::Head::Expr(function)),
            (None, Some(res)) => {
                let (value, ty, instance) = self.resolved(*res, e, op.ident.span)?;
                Ok(Head::Fun { value: (value, ty), instance })
            }
            (None, None) => Ok(Head::Fun { value: self.operator(op.ident, e)?, instance: None }),
        }
    }
    /// `\x -> body x`, the type of `x` from the section's own type.
    pub(super) fn section_lambda(&mut self, e: ExprId, span: Span, body: impl FnOnce(&mut Self, Typed) -> Result<Typed>) -> Result<Typed> {
        self.lambda_of(e, None, span, body)
    }
    /// The same where the type of `x` may be known.
    fn lambda_of(
        &mut self,
        e: ExprId,
        known: Option<Type>,
        span: Span,
        body: impl FnOnce(&mut Self, Typed) -> Result<Typed>,
    ) -> Result<Typed> {
        let ty = self.tables.exprs.get(e).cloned().ok_or_else(|| self.missing(span))?;
        let crate::ir::tables::RBase::Arrow(from, _) = &*ty.base else { return Err(self.missing(span)) };
        self.push_frame();
        let ty = match known {
            Some(known) => known,
            None => self.fresh_type(from, span),
        };
        let name = self.fresh_name(Symbol::new("x"));
        self.bind_param(name, &ty, span);
        let (value, ret) = body(self, (Expr::new(ExprKind::Var(name), span), ty.clone()))?;
        let (value, ret) = self.close_function(value, ret, &[name], span)?;
        let fun_ty = self.function_type(&[(name, ty.clone())], &ret);
        Ok((Expr::new(ExprKind::Fn { params: vec![(name, ty)], ret, body: value }, span), fun_ty))
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

/// An argument (or the head) with the number of innermost frame dimensions over which it is mapped.
struct Part {
    arg: Arg,
    depth: usize,
}

/// Levels of a map nest with the same participants: cell name, array, type of the cell, place.
struct Group {
    depth: usize,
    cells: Vec<(Symbol, Expr, Type, Span)>,
}

enum HeadRest {
    Fun(Option<Instance>),
    Index { array: Typed, ends: Vec<Option<i64>> },
    Project(Symbol),
    Lambda(ExprId),
    Constr(Symbol, Type),
}

fn reassemble(head: HeadRest, parts: Vec<Part>) -> (Head, Vec<Arg>) {
    let mut args: Vec<Arg> = parts.into_iter().map(|p| p.arg).collect();
    match head {
        HeadRest::Fun(instance) => match args.remove(0) {
            Arg::Ready(value, _) => (Head::Fun { value, instance }, args),
            Arg::Lambda(_) => crate::ice!(Span::default(), "the head of an application is not elaborated before its arguments"),
        },
        HeadRest::Index { array, ends } => (Head::Index { array, ends }, args),
        HeadRest::Project(field) => (Head::Project(field), args),
        HeadRest::Lambda(lambda) => (Head::Lambda(lambda), args),
        HeadRest::Constr(name, ty) => (Head::Constr(name, ty), args),
    }
}
