//! Applications with a form of their own in core: conditionals, `map`, `rep`, `length`, composition.

use super::apply::{Arg, Head};
use super::error::{Context, Failure};
use super::scope::{cell_type, outer_dim};
use super::{Elab, Result, Typed, frame_shape};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{Dim, Expr, ExprKind, Type};
use crate::ir::surface::view::{self, Application};
use crate::ir::surface::{self, ExprId};
use crate::ir::tables::Res;

impl Elab<'_> {
    /// The application, if it has a form of its own. Nothing is inserted at it.
    pub(super) fn special(&mut self, app: &Application, span: Span) -> Result<Option<Typed>> {
        match &app.head {
            view::Head::Op(op) if self.program.names.exprs.get(self.operator_node(app.node)).is_none() => {
                match (op.name.as_str(), app.args.as_slice()) {
                    ("&&", [a, b]) => self.lazy(*a, *b, true, span).map(Some),
                    ("||", [a, b]) => self.lazy(*a, *b, false, span).map(Some),
                    _ => Ok(None),
                }
            }
            view::Head::Op(_) => match (self.stdlib_name(self.operator_node(app.node)), app.args.as_slice()) {
                (Some(">->"), [f, g, rest @ ..]) => self.composition(*f, *g, rest, span),
                (Some("<-<"), [g, f, rest @ ..]) => self.composition(*f, *g, rest, span),
                _ => Ok(None),
            },
            view::Head::Expr(e) => {
                let at = view::strip(&self.program.ast, *e);
                match (self.stdlib_name(at), app.args.as_slice()) {
                    (Some("map"), [f, xs]) => self.map(*f, &[*xs], span).map(Some),
                    (Some("map2"), [f, xs @ ..]) if xs.len() == 2 => self.map(*f, xs, span).map(Some),
                    (Some("map3"), [f, xs @ ..]) if xs.len() == 3 => self.map(*f, xs, span).map(Some),
                    (Some("map4"), [f, xs @ ..]) if xs.len() == 4 => self.map(*f, xs, span).map(Some),
                    (Some("map5"), [f, xs @ ..]) if xs.len() == 5 => self.map(*f, xs, span).map(Some),
                    (Some("rep"), [x]) => {
                        let x = self.expr(*x)?;
                        Ok(Some(self.replicate(x, 1, span)))
                    }
                    (Some("length"), [x]) => {
                        let value = self.expr(*x)?;
                        // The array is still evaluated: it may fail.
                        let (_, ty) = self.shared(value, "xs");
                        let n = outer_dim(&ty).ok_or_else(|| self.missing(span))?;
                        Ok(Some((Expr::new(ExprKind::ReifyDim(n), span), Type::prim(PrimType::I64))))
                    }
                    _ => Ok(None),
                }
            }
            view::Head::Unary(surface::UnaryOp::Neg, _) if app.args.len() == 1 => Ok(self.scalar(app.node).map(|value| {
                let ty = Type::prim(value.prim());
                (Expr::new(ExprKind::Lit(value), span), ty)
            })),
            view::Head::Unary(..) | view::Head::Project(_) | view::Head::Index(_) | view::Head::Constr(_) => Ok(None),
        }
    }
    /// The name, if the node names a definition of the standard library.
    fn stdlib_name(&self, node: ExprId) -> Option<&'static str> {
        match self.program.names.exprs.get(node)? {
            Res::Global(def) if self.program.defs[*def].stdlib => Some(self.program.defs[*def].name.as_str()),
            _ => None,
        }
    }
    /// `a && b` and `a || b`: the second operand is evaluated only if it matters.
    fn lazy(&mut self, a: ExprId, b: ExprId, and: bool, span: Span) -> Result<Typed> {
        let (cond, _) = self.expr(a)?;
        let (other, ty) = self.scoped_value(b)?;
        let (other, _) = match ty.shape().is_scalar() {
            true => (other, ty),
            false => return Err(self.missing(span)),
        };
        let literal = Expr::new(ExprKind::Lit(Scalar::Bool(!and)), span);
        let (then, els) = if and { (other, literal) } else { (literal, other) };
        Ok((Expr::new(ExprKind::If { cond, then, els }, span), Type::prim(PrimType::Bool)))
    }
    /// `f >-> g`, possibly applied: sizes pass through as in `\x -> g (f x)`.
    fn composition(&mut self, f: ExprId, g: ExprId, rest: &[ExprId], span: Span) -> Result<Option<Typed>> {
        let f = self.callee(f)?;
        let g = self.callee(g)?;
        if let Some((x, more)) = rest.split_first() {
            let x = self.arguments(&[*x])?;
            let middle = self.apply_exact(f, x, span)?;
            let mut args = vec![Arg::Ready(middle, span)];
            args.extend(self.arguments(more)?);
            return self.apply_exact(g, args, span).map(Some);
        }
        let Head::Fun { value, .. } = &f else { return Ok(None) };
        let ty = self.sizes.zonk_type(&value.1);
        let crate::ir::core::Atom::Fun(params, _) = ty.atom() else { return Ok(None) };
        let ty = params[0].ty.clone();
        self.push_frame();
        let name = self.fresh_name(Symbol::new("x"));
        self.bind_param(name, &ty, span);
        let x = Arg::Ready((Expr::new(ExprKind::Var(name), span), ty.clone()), span);
        let middle = self.apply_exact(f, vec![x], span)?;
        let (value, ret) = self.apply_exact(g, vec![Arg::Ready(middle, span)], span)?;
        let (value, ret) = self.close_function(value, ret, &[name], span)?;
        let fun_ty = self.function_type(&[(name, ty.clone())], &ret);
        Ok(Some((Expr::new(ExprKind::Fn { params: vec![(name, ty)], ret, body: value }, span), fun_ty)))
    }
    /// Names the function whose results have different sizes.
    pub(super) fn within_function(&self, failure: Failure, function: ExprId) -> Failure {
        match self.function_name(function) {
            Some(name) => failure.within(Context::Function(name)),
            None => failure,
        }
    }
    /// The name of a function, or of the one that is partially applied.
    fn function_name(&self, e: ExprId) -> Option<Symbol> {
        let ast = &self.program.ast;
        match &ast.exprs[view::strip(ast, e)].kind {
            surface::ExprKind::Name(name) => Some(*name),
            surface::ExprKind::Project { field, .. } => Some(field.name),
            surface::ExprKind::Apply { fun, .. } => self.function_name(*fun),
            _ => None,
        }
    }
    /// A function expression as a head; evaluated once.
    fn callee(&mut self, f: ExprId) -> Result<Head> {
        let head = self.head(f, &view::Head::Expr(f))?;
        Ok(match head {
            Head::Fun { value, instance } => Head::Fun { value: self.shared(value, "f"), instance },
            other => other,
        })
    }

    /// `map f xs ..`, written as a map whose body is `f`'s.
    fn map(&mut self, f: ExprId, arrays: &[ExprId], span: Span) -> Result<Typed> {
        let mut values = Vec::with_capacity(arrays.len());
        for array in arrays {
            values.push((self.expr(*array)?, self.program.ast.exprs[*array].span));
        }
        self.map_over(f, values, span)
    }
    /// `map` over these arrays.
    fn map_over(&mut self, f: ExprId, arrays: Vec<(Typed, Span)>, span: Span) -> Result<Typed> {
        let n = self.fresh_dim(span);
        let mut values = Vec::with_capacity(arrays.len());
        for ((value, ty), at) in arrays {
            let own = outer_dim(&ty).ok_or_else(|| self.missing(at))?;
            let (value, ty) = match self.sizes.unify_dim(&n, &own, at) {
                Ok(()) => (value, ty),
                Err(clash) => match self.rows_of_one_size(&n, 0, &(value, ty), at) {
                    Some(checked) => checked,
                    None => return Err(self.clash(clash, at).within(Context::Map(span)).into()),
                },
            };
            values.push((value, ty, at));
        }
        let at = view::strip(&self.program.ast, f);
        let lambda = match &self.program.ast.exprs[at].kind {
            surface::ExprKind::Lambda { params, ret, body } if params.len() >= values.len() => Some((params.clone(), *ret, *body)),
            _ => None,
        };
        let rows = values.iter().any(|(_, ty, _)| super::ragged::is_ragged(&self.sizes.zonk_type(ty)));
        // A function of rows has sizes that differ from row to row, and a lambda waits for the sizes of its arguments.
        let inner = self.partial_map(f).filter(|g| rows || self.is_lambda_in_maps(*g));
        let later = lambda.is_some() || inner.is_some() || (rows && self.is_cheap_function(f));
        let callee = if later { None } else { Some(self.callee(f)?) };
        self.push_frame();
        let mut args = Vec::with_capacity(values.len());
        let mut cells = Vec::with_capacity(values.len());
        for (i, (value, ty, at)) in values.into_iter().enumerate() {
            let cell = cell_type(&ty, 1);
            let base = match (&lambda, value.kind()) {
                (Some((params, ..)), _) => self.pat_name(params[i]),
                (None, ExprKind::Var(name)) => *name,
                _ => Symbol::new("x"),
            };
            let name = self.fresh_name(base);
            self.bind_param(name, &cell, at);
            args.push((name, value));
            let row = self.open_row((Expr::new(ExprKind::Var(name), at), cell));
            cells.push((row, at));
        }
        let (body, ty) = match (lambda, callee) {
            (None, _) if let Some(inner) = inner => self.map_over(inner, cells, self.program.ast.exprs[f].span)?,
            (Some((params, ret, body)), _) => self.mapped_lambda(&params, ret, body, cells, self.program.ast.exprs[f].span)?,
            (None, callee) => {
                let head = match callee {
                    Some(head) if rows => self.for_each_row(head),
                    Some(head) => head,
                    None => self.callee(f)?,
                };
                let cells = cells.into_iter().map(|(cell, at)| Arg::Ready(cell, at));
                self.apply_exact(head, cells.collect(), span)?
            }
        };
        let (body, ty) = self.close_map(body, ty, span).map_err(|failure| self.within_function(failure, f))?;
        let frame = frame_shape(std::slice::from_ref::<Dim>(&n));
        Ok((Expr::new(ExprKind::Map { frame: frame.clone(), args, body }, span), ty.framed(&frame)))
    }

    /// Whether a function is a lambda, or `map` of one, `map (map ..)` of one, ..
    fn is_lambda_in_maps(&self, f: ExprId) -> bool {
        let mut inner = f;
        while let Some(g) = self.partial_map(inner) {
            inner = g;
        }
        matches!(self.program.ast.exprs[view::strip(&self.program.ast, inner)].kind, surface::ExprKind::Lambda { .. })
    }

    /// The `g` of a function `map g` whose evaluation costs nothing.
    fn partial_map(&self, f: ExprId) -> Option<ExprId> {
        let ast = &self.program.ast;
        let at = view::strip(ast, f);
        let surface::ExprKind::Apply { fun, args } = &ast.exprs[at].kind else { return None };
        let ([g], Some("map")) = (args.as_slice(), self.stdlib_name(view::strip(ast, *fun))) else { return None };
        let info = self.tables.apps.get(at)?;
        let plain = info.head_frame == 0 && info.args.iter().all(|arg| arg.maps == 0 && arg.reps == 0);
        let g_is_cheap = self.is_cheap_function(*g);
        (plain && g_is_cheap).then_some(*g)
    }

    /// The body of a lambda for these cells. A lambda with more parameters than there are cells gives functions of the others.
    fn mapped_lambda(
        &mut self,
        params: &[surface::PatId],
        ret: Option<surface::TypeId>,
        body: ExprId,
        cells: Vec<(Typed, Span)>,
        span: Span,
    ) -> Result<Typed> {
        let rest = &params[cells.len()..];
        for (pat, ((cell, ty), at)) in params.iter().zip(cells) {
            self.pattern_agrees(*pat, &ty)?;
            let ExprKind::Var(name) = cell.kind() else { return Err(self.missing(at)) };
            self.bind_pattern_var(*pat, *name, &ty)?;
        }
        if !rest.is_empty() {
            return self.function(rest, ret, body, &[], span);
        }
        let declared = ret.map(|ret| self.annotation(ret)).transpose()?;
        let (value, ty) = self.expr(body)?;
        let at = self.program.ast.exprs[body].span;
        let (value, ty) = self.ascribe_result(value, ty, declared, at)?;
        Ok(self.open((value, ty)))
    }
}
