//! Functions: parameters with their sizes, those that are computed from other parameters among them, and the body.

use super::returned::Given;
use super::{Elab, Error, ErrorKind, Result, Typed, annotations, apply, error, is_i64, ragged, recursive, sizes, types};
use crate::base::{Span, Symbol};
use crate::ir::core::{self, Atom, Dim, DimAtom, Param, Type};
use crate::ir::surface::{ExprId, ExprKind, PatId, PatKind, TypeId, view};
use rustc_hash::{FxHashMap, FxHashSet};

impl Elab<'_> {
    /// A function of these parameters, or the body itself if there are none. A body that is again a function gives its parameters
    /// to this one: nested one by one, each of their types would be written out with all that follow. `hint` has the parameters that
    /// are expected, as far as they are known.
    pub(super) fn function(
        &mut self,
        params: &[PatId],
        mut ret: Option<TypeId>,
        mut body: ExprId,
        hint: &[Param],
        span: Span,
    ) -> Result<Typed> {
        let program = self.program;
        let mut params = params.to_vec();
        let hint = hint.to_vec();
        while !params.is_empty()
            && ret.is_none()
            && let ExprKind::Lambda { params: more, ret: inner, body: next } = &program.ast.exprs[view::strip(&program.ast, body)].kind
        {
            params.extend(more);
            (ret, body) = (*inner, *next);
        }
        let (given, ret) = self.all_parameters(&params, ret);
        self.push_frame();
        self.frame().abstraction = params.is_empty();
        let core_params = self.bind_parameters(&given, hint, span)?;
        let returned = self.returned_arguments(&given);
        let declared = ret.map(|ret| self.annotation(ret)).transpose()?.map(|ty| self.open_existential_sizes(ty));
        let declared = declared.map(|ty| self.open_parameters(ty, span));
        let body_span = self.program.ast.exprs[body].span;
        let exit = match std::mem::take(&mut self.exits.wanted) {
            true => self.first_exit(body, declared.as_ref())?,
            false => recursive::Exit::Value(self.applied_body(body, returned)?),
        };
        let (value, ty) = match exit {
            recursive::Exit::Value((value, ty)) => self.ascribe_result(value, ty, declared, body_span)?,
            recursive::Exit::Declared(ty) => (core::Expr::new(core::ExprKind::Tuple(Vec::new()), body_span), ty),
        };
        let names: Vec<Symbol> = core_params.iter().map(|(n, _)| *n).collect();
        let (value, ty) = self.close_function(value, ty, &names, body_span)?;
        if core_params.is_empty() {
            return Ok((value, ty));
        }
        let fun_ty = self.function_type(&core_params, &ty);
        let outer = self.level();
        self.sizes.lower(&fun_ty, outer);
        let kind = core::ExprKind::Fn { params: core_params, ret: ty, body: value };
        Ok((core::Expr::new(kind, span), fun_ty))
    }

    /// Binds the parameters of a function, and checks the sizes in their types that are computed from parameters.
    fn bind_parameters(&mut self, given: &[Given], mut hint: Vec<Param>, span: Span) -> Result<Vec<(Symbol, Type)>> {
        let mut core_params = Vec::with_capacity(given.len());
        let mut late_sizes: Vec<(Vec<annotations::LateSize>, Vec<annotations::LateSize>)> = Vec::with_capacity(given.len());
        for (i, given) in given.iter().enumerate() {
            let first = self.sizes.count();
            let place = self.reading.place.parameter();
            let expected = hint.get(i).map(|p| &p.ty);
            let read =
                |elab: &mut Self| elab.reading_with(|reading| &mut reading.place, place, |elab| elab.given_type(*given, expected, span)).0;
            let read = |elab: &mut Self| elab.reading_with(|reading| &mut reading.argument_sizes, Some(Vec::new()), read);
            let ((ty, arguments), late) = self.reading_with(|reading| &mut reading.late_sizes, Some(Vec::new()), read);
            late_sizes.push((late.unwrap_or_default(), arguments.unwrap_or_default()));
            let ty = ty?;
            self.sizes.close_parameter(first);
            let name = self.fresh_name(self.given_name(*given));
            let ty = match expected.filter(|expected| ragged::is_box(&self.sizes.zonk_type(expected)) && !ragged::is_box(&ty)) {
                Some(row) => row.clone(),
                None => ty,
            };
            self.bind_param(name, &ty, self.given_span(*given));
            match given {
                Given::Pattern(pat) if ragged::is_box(&ty) => self.bind_row(*pat, name, &ty)?,
                Given::Pattern(_) | Given::Returned(..) => self.bind_given(*given, name, &ty)?,
            }
            if let Some(expected) = hint.get(i).and_then(|p| p.name) {
                for later in &mut hint[i + 1..] {
                    later.ty = self.renamed(&later.ty, DimAtom::Size(expected), Dim::size(name));
                }
            }
            core_params.push((name, ty));
        }
        self.join_late_sizes(&late_sizes, span)?;
        if late_sizes.iter().all(|(late, arguments)| late.is_empty() && arguments.is_empty()) {
            return Ok(core_params);
        }
        let params: Vec<Symbol> = core_params.iter().map(|(name, _)| *name).collect();
        for ((given, (name, ty)), (late, arguments)) in given.iter().zip(&core_params).zip(late_sizes) {
            self.remember_argument_sizes(&late, &params, true);
            if !arguments.is_empty() {
                self.remember_argument_sizes(&arguments, &params, false);
                self.check_argument_sizes(*given, *name, ty, &arguments)?;
            }
            self.check_late_sizes(*given, *name, ty, late)?;
        }
        Ok(core_params)
    }

    /// Checks the sizes of a parameter that are computed from the parameters: the caller cannot know them. In the body the
    /// parameter has these sizes.
    fn check_late_sizes(&mut self, given: Given, name: Symbol, ty: &Type, late: Vec<annotations::LateSize>) -> Result<()> {
        let mut map = FxHashMap::default();
        for annotations::LateSize { meta, expr } in late {
            if in_sum(ty, meta) {
                return Err(Error::new(ErrorKind::Mismatch(error::Mismatch::ComputedParameter), expr.span()).into());
            }
            let size = self.size_or_bind(&expr);
            map.insert(meta, size);
        }
        if map.is_empty() {
            return Ok(());
        }
        let span = self.given_span(given);
        // Before it is looked at what became of the unknowns: what is known of them may be another size.
        let ty = self.sizes.zonk_type(&types::rewrite(ty, &mut types::Substitution::sizes(map)));
        let expr = core::Expr::new(core::ExprKind::Var(name), span);
        let checked = core::Expr::new(core::ExprKind::Coerce { ty: ty.clone(), expr }, span);
        let name = self.bind_let(name, checked, ty.clone(), span);
        self.bind_given(given, name, &ty)
    }

    /// Sizes of parameters that are computed alike are one size for the caller, if one of them is that of what a function is applied to.
    fn join_late_sizes(&mut self, late: &[(Vec<annotations::LateSize>, Vec<annotations::LateSize>)], span: Span) -> Result<()> {
        for argument in late.iter().flat_map(|(_, arguments)| arguments) {
            let Some(wanted) = self.comparable(&argument.expr) else { continue };
            for other in late.iter().flat_map(|(late, arguments)| late.iter().chain(arguments)) {
                if self.comparable(&other.expr).is_some_and(|other| self.sizes.same(&wanted, &other)) {
                    let (one, two) = (Dim::atom(argument.meta), Dim::atom(other.meta));
                    self.sizes.unify_dim(&one, &two, span).map_err(|clash| self.clash(clash, span))?;
                }
            }
        }
        Ok(())
    }

    /// A parameter that is a function, with sizes of its arguments that are computed from the parameters: the caller cannot know them. In the
    /// body it is a function that is applied to arrays of these sizes, and looks whether they are those that the caller had in mind.
    fn check_argument_sizes(&mut self, given: Given, name: Symbol, ty: &Type, sizes: &[annotations::LateSize]) -> Result<()> {
        let span = self.given_span(given);
        let computed = || Error::new(ErrorKind::Mismatch(error::Mismatch::ComputedParameter), sizes[0].expr.span());
        let map: FxHashMap<DimAtom, Dim> = sizes.iter().map(|size| (size.meta, self.size_or_bind(&size.expr))).collect();
        let mentions = |ty: &Type| sizes::free_atoms(ty).iter().any(|atom| map.contains_key(atom));
        let (Atom::Fun(params, ret), true) = (ty.atom(), ty.shape().is_scalar()) else { return Err(computed().into()) };
        // Only the sizes of arrays can be looked at.
        let inside = |ty: &Type| mentions(&Type::scalar(ty.atom().clone()));
        if mentions(ret) || params.iter().any(|param| inside(&param.ty)) {
            return Err(computed().into());
        }
        self.push_frame();
        let mut names = Vec::with_capacity(params.len());
        let mut args = Vec::with_capacity(params.len());
        for param in params {
            let given = types::rewrite(&param.ty, &mut types::Substitution::sizes(map.clone()));
            let own = param.name.unwrap_or_else(|| self.fresh_name(Symbol::new("x")));
            self.bind_param(own, &given, span);
            let mut value = core::Expr::new(core::ExprKind::Var(own), span);
            if mentions(&param.ty) {
                value = core::Expr::new(core::ExprKind::Coerce { ty: param.ty.clone(), expr: value }, span);
            }
            args.push(apply::Arg::Ready((value, param.ty.clone()), span));
            names.push((own, given));
        }
        let function = (core::Expr::new(core::ExprKind::Var(name), span), ty.clone());
        let (body, actual) = self.apply_exact(apply::Head::Fun { value: function, instance: None }, args, span)?;
        let (body, actual) = self.ascribe_result(body, actual, Some(ret.clone()), span)?;
        let own: Vec<Symbol> = names.iter().map(|(name, _)| *name).collect();
        let (body, ret) = self.close_function(body, actual, &own, span)?;
        let ty = self.function_type(&names, &ret);
        let checked = core::Expr::new(core::ExprKind::Fn { params: names, ret, body }, span);
        let name = self.bind_let(name, checked, ty.clone(), span);
        self.bind_given(given, name, &ty)
    }

    /// The type of a parameter: the expected one where nothing is annotated.
    pub(super) fn parameter_type(&mut self, pat: PatId, expected: Option<&Type>, span: Span) -> Result<Type> {
        let inferred = self.tables.pats.get(pat);
        let Some(expected) = expected else { return self.pattern_type(pat) };
        let name = matches!(self.program.ast.pats[pat].kind, PatKind::Name(_) | PatKind::Wild);
        let data = !matches!(expected.atom(), Atom::Sigma(..) | Atom::Fun(..));
        let dims = expected.shape().items.iter().filter(|i| matches!(i, core::ShapeItem::Dim(_))).count();
        if name && data && inferred.is_some_and(|t| t.rank as usize == dims) {
            return Ok(expected.clone());
        }
        let ty = self.pattern_type(pat)?;
        // A clash is reported by the application, which knows both sides.
        let _ = self.sizes.unify(expected, &ty, span);
        Ok(ty)
    }

    /// The type of a function: parameters that later types mention keep their names.
    pub(super) fn function_type(&self, params: &[(Symbol, Type)], ret: &Type) -> Type {
        let ret = self.sizes.zonk_type(ret);
        let mut used: FxHashSet<DimAtom> = self.sizes.dependencies(&ret).into_iter().collect();
        let mut out = Vec::with_capacity(params.len());
        for (name, ty) in params.iter().rev() {
            let ty = self.sizes.zonk_type(ty);
            let named = used.contains(&DimAtom::Size(*name)) && is_i64(&ty);
            used.extend(self.sizes.dependencies(&ty));
            out.push(Param { name: named.then_some(*name), ty });
        }
        out.reverse();
        Type::fun(out, ret)
    }
}

/// Whether a size is that of an array in a sum, where nothing can look at it.
fn in_sum(ty: &Type, size: DimAtom) -> bool {
    match ty.atom() {
        Atom::Sum(payloads) => payloads.iter().any(|(_, payload)| sizes::free_atoms(payload).contains(&size)),
        Atom::Tuple(parts) => parts.iter().any(|part| in_sum(part, size)),
        Atom::Record(fields) => fields.iter().any(|(_, part)| in_sum(part, size)),
        Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) => false,
    }
}
