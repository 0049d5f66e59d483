//! Expressions other than applications and control.

use super::error::{Context, Error, ErrorKind as Wrong, Mismatch};
use super::{Elab, Local, MetaKind, Result, Scheme, Typed, abstracted, shape_var, types};
use crate::base::scalar::{self, Member, Op};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::core::{self, Atom, Dim, DimAtom, Expr, ExprKind, Index, Param, Prim, Shape, Type};
use crate::ir::surface::{self, ExprId, Ident, LetFun, TypeId, view};
use crate::ir::tables::{DefId, RBase, RType, Res};
use rustc_hash::{FxHashMap, FxHashSet};

/// Chains of more operators than this are not elaborated by recursion.
const LONG_CHAIN: usize = 64;

/// A use of a polymorphic definition.
#[derive(Debug, Clone)]
pub(super) struct Instance {
    pub(super) scheme: Scheme,
    pub(super) def: Option<DefId>,
    pub(super) sizes: Vec<Dim>,
    pub(super) types: Vec<(Atom, Shape)>,
    pub(super) span: Span,
}

impl Elab<'_> {
    /// Elaborates an expression; bindings that it needs are added to the current scope.
    pub(super) fn expr(&mut self, e: ExprId) -> Result<Typed> {
        let done = self.elaborated(e)?;
        if let Some(seen) = &mut self.done.seen {
            seen.exprs.insert(view::strip(&self.program.ast, e), done.1.clone());
        }
        Ok(done)
    }
    fn elaborated(&mut self, e: ExprId) -> Result<Typed> {
        let program = self.program;
        // All parentheses at once: looking through them again at every level would be quadratic.
        let e = view::strip(&program.ast, e);
        if let Some(done) = self.done.ready.remove(&e) {
            return Ok(done);
        }
        for inner in self.chain(e).into_iter().rev() {
            let done = self.expr(inner)?;
            self.done.ready.insert(inner, done);
        }
        let node = &program.ast.exprs[e];
        let span = node.span;
        if let Some(app) = self.application_of(e) {
            return self.application(&app);
        }
        match &node.kind {
            surface::ExprKind::Paren(inner) | surface::ExprKind::Attr { expr: inner, .. } | surface::ExprKind::Open { expr: inner, .. } => {
                self.expr(*inner)
            }
            surface::ExprKind::Int { .. }
            | surface::ExprKind::Float { .. }
            | surface::ExprKind::Imaginary { .. }
            | surface::ExprKind::Bool(_) => {
                let scalar = self.scalar(e).ok_or_else(|| self.unfit(e, span))?;
                Ok((Expr::new(ExprKind::Lit(scalar), span), Type::prim(scalar.prim())))
            }
            surface::ExprKind::Str(text) => {
                let items: Vec<Scalar> = text.as_str().bytes().map(Scalar::U8).collect();
                let ty = Type::prim(PrimType::U8).framed(&Shape::dims([Dim::constant(items.len() as i64)]));
                let kind = ExprKind::Array { dims: vec![items.len() as u64], elem: PrimType::U8, items };
                Ok((Expr::new(kind, span), ty))
            }
            surface::ExprKind::Name(_) | surface::ExprKind::Project { .. } | surface::ExprKind::OpFn(_) => {
                let (value, ty, instance) = self.function_value(e, span)?;
                let value = self.naturally(value, instance.as_ref());
                Ok(self.open((value, ty)))
            }
            surface::ExprKind::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.expr(*p)).collect::<Result<Vec<_>>>()?;
                let (values, tys) = parts.into_iter().unzip();
                Ok((Expr::new(ExprKind::Tuple(values), span), Type::scalar(Atom::Tuple(tys))))
            }
            surface::ExprKind::Record(fields) => self.record(fields, span),
            surface::ExprKind::Array(items) => self.array(e, items, span),
            surface::ExprKind::Index { array, indices } => self.slice(*array, indices, span),
            surface::ExprKind::Range { start, step, kind, end } => self.range(*start, *step, *kind, *end, span),
            surface::ExprKind::Lambda { params, ret, body } => self.function(params, *ret, *body, &[], span),
            surface::ExprKind::LeftSection { .. } | surface::ExprKind::RightSection { .. } | surface::ExprKind::ProjectSection(_) => {
                self.section(e, span)
            }
            surface::ExprKind::IndexSection(indices) => self.index_section(e, indices, span),
            surface::ExprKind::Let { sizes, pat, rhs, body } => {
                let rhs = self.expr(*rhs)?;
                self.bind_pattern(sizes, *pat, rhs, span)?;
                self.expr(*body)
            }
            surface::ExprKind::LetFun(fun) => {
                self.local_function(fun)?;
                self.expr(fun.body)
            }
            surface::ExprKind::LetUpdate { base, binder, path, value, body } => {
                let updated = self.update(e, *base, path, *value)?;
                self.bind_pattern(&[], *binder, updated, span)?;
                self.expr(*body)
            }
            surface::ExprKind::If { cond, then, els } => match self.exits.branches.get(&e).copied() {
                Some(exit) => self.expr(exit),
                None => self.conditional(*cond, *then, *els, span),
            },
            surface::ExprKind::Loop { sizes, pat, init, form, body } => self.loop_(e, (sizes, *pat), *init, *form, *body),
            surface::ExprKind::With { base, path, value } => self.update(e, *base, path, *value),
            surface::ExprKind::Ascribe { expr, ty } => self.ascribed(*expr, *ty, span),
            surface::ExprKind::Coerce { expr, ty } => {
                let value = self.expr(*expr)?;
                let declared = self.open_annotation(*ty)?;
                self.coerce(value, declared, span)
            }
            surface::ExprKind::Assert { cond, expr } => self.asserted(*cond, *expr, span),
            surface::ExprKind::Match { scrutinee, cases } => match self.exits.branches.get(&e).copied() {
                Some(exit) => {
                    let cases: Vec<_> = cases.iter().copied().filter(|(_, body)| *body == exit).collect();
                    self.match_(*scrutinee, &cases, span)
                }
                None => self.match_(*scrutinee, cases, span),
            },
            surface::ExprKind::Constr { name, .. } => {
                let ty = self.sum_type(e, span)?;
                self.injection(name.name, ty, Vec::new(), span)
            }
            surface::ExprKind::Hole => self.hole(e, span),
            surface::ExprKind::Error => Err(self.missing(span)),
            surface::ExprKind::Apply { .. } | surface::ExprKind::Binary { .. } | surface::ExprKind::Unary { .. } => Err(self.missing(span)),
        }
    }
    /// `expr: ty`. The rows of a literal may be of different lengths where the type says so.
    fn ascribed(&mut self, expr: ExprId, ty: TypeId, span: Span) -> Result<Typed> {
        let literal = view::strip(&self.program.ast, expr);
        let ((value, actual), declared) = match self.program.ast.exprs[literal].kind {
            surface::ExprKind::Array(_) => {
                let declared = self.open_annotation(ty)?;
                let ragged = self.ragged_literal(literal, &declared, span)?;
                (ragged.map_or_else(|| self.expr(expr), Ok)?, declared)
            }
            _ => (self.expr(expr)?, self.open_annotation(ty)?),
        };
        let (value, actual) = self.fitted(&declared, (value, actual), span)?;
        self.unify_at(&declared, &actual, span)?;
        Ok((value, declared))
    }
    /// `assert cond expr`.
    fn asserted(&mut self, cond: ExprId, expr: ExprId, span: Span) -> Result<Typed> {
        let (cond, _) = self.expr(cond)?;
        let (expr, ty) = self.scoped_value(expr)?;
        let message = Symbol::new("the condition is false");
        let checked = Expr::new(ExprKind::Assert { cond, message, expr: expr.clone() }, span);
        // What is known of a size is known of it after the check.
        if self.size_of(&expr).is_some() {
            self.bind_let(Symbol::new("checked"), checked, ty.clone(), span);
            return Ok((expr, ty));
        }
        Ok(self.open((checked, ty)))
    }
    /// The operator applications down the left edge of a long chain `a + b + c + ..`, outermost first: elaborated from the inside
    /// out, they need no deep recursion.
    fn chain(&self, e: ExprId) -> Vec<ExprId> {
        let ast = &self.program.ast;
        let operator = |at: ExprId| match &ast.exprs[at].kind {
            surface::ExprKind::Binary { op, lhs, .. } if view::pipe(op).is_none() && !matches!(op.ident.name.as_str(), ">->" | "<-<") => {
                Some(view::strip(ast, *lhs))
            }
            _ => None,
        };
        let mut chain = Vec::new();
        let mut at = e;
        while let Some(lhs) = operator(at) {
            if self.done.ready.contains_key(&lhs) || operator(lhs).is_none() {
                break;
            }
            chain.push(lhs);
            at = lhs;
        }
        if chain.len() < LONG_CHAIN { Vec::new() } else { chain }
    }
    /// `???`: a failure. Core has no expression of every type, so there is a value that is not reached.
    fn hole(&mut self, e: ExprId, span: Span) -> Result<Typed> {
        let ty = self.tables.exprs.get(e).cloned().ok_or_else(|| self.missing(span))?;
        let ty = self.fresh_type(&ty, span);
        match self.unreached(&ty, span) {
            Some(value) => Ok((value, ty)),
            None => Err(Error::new(Wrong::Hole, span).into()),
        }
    }
    /// A value of a type, behind a failure; nothing for types that may be any.
    fn unreached(&mut self, ty: &Type, span: Span) -> Option<Expr> {
        if let (Atom::Fun(params, ret), true) = (ty.atom(), ty.shape().is_scalar()) {
            let params: Vec<(Symbol, Type)> =
                params.iter().map(|p| (p.name.unwrap_or_else(|| self.fresh_name(Symbol::new("x"))), p.ty.clone())).collect();
            let body = self.unreached(ret, span)?;
            return Some(Expr::new(ExprKind::Fn { params, ret: ret.clone(), body }, span));
        }
        let expr = self.some_value(ty, span)?;
        let cond = Expr::new(ExprKind::Lit(Scalar::Bool(false)), span);
        Some(Expr::new(ExprKind::Assert { cond, message: Symbol::new("a hole, `???`, is reached"), expr }, span))
    }
    fn some_value(&mut self, ty: &Type, span: Span) -> Option<Expr> {
        let cell = Type::scalar(ty.atom().clone());
        let value = match ty.atom() {
            Atom::Prim(prim) => Expr::new(ExprKind::Lit(zero(*prim)), span),
            Atom::Tuple(parts) => {
                Expr::new(ExprKind::Tuple(parts.iter().map(|part| self.some_value(part, span)).collect::<Option<_>>()?), span)
            }
            Atom::Record(fields) => {
                let fields = fields.iter().map(|(label, part)| Some((*label, self.some_value(part, span)?)));
                Expr::new(ExprKind::Record(fields.collect::<Option<_>>()?), span)
            }
            Atom::Sum(payloads) => {
                let (label, payload) = payloads.first()?;
                let Atom::Tuple(types) = payload.atom() else { return None };
                let parts = types.iter().map(|ty| Some(((self.some_value(ty, span)?, ty.clone()), span))).collect::<Option<_>>()?;
                self.injection(*label, cell, parts, span).ok()?.0
            }
            Atom::Fun(..) => self.unreached(&cell, span)?,
            Atom::Var(_) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) => return None,
        };
        if ty.shape().is_scalar() { Some(value) } else { Some(Expr::new(ExprKind::Rep { frame: ty.shape().clone(), arg: value }, span)) }
    }
    /// An expression in a scope of its own, as a value of the enclosing scope.
    pub(super) fn scoped_value(&mut self, e: ExprId) -> Result<Typed> {
        self.push_frame();
        let (value, ty) = self.expr(e)?;
        self.close_function(value, ty, &[], self.program.ast.exprs[e].span)
    }
    pub(super) fn application_of(&self, e: ExprId) -> Option<view::Application> {
        let names = &self.program.names.exprs;
        let app = view::application(&self.program.ast, &|p| names.get(p).is_some(), e)?;
        self.tables.apps.get(app.node).is_some().then_some(app)
    }

    /// A name or operator as a value.
    pub(super) fn function_value(&mut self, e: ExprId, span: Span) -> Result<(Expr, Type, Option<Instance>)> {
        let program = self.program;
        match program.names.exprs.get(e) {
            Some(res) => self.resolved(*res, e, span),
            None => match &program.ast.exprs[e].kind {
                surface::ExprKind::OpFn(op) => self.operator(*op, e).map(|(v, t)| (v, t, None)),
                _ => Err(self.missing(span)),
            },
        }
    }
    /// What a name stands for; `node` is where its instantiation is recorded.
    pub(super) fn resolved(&mut self, res: Res, node: ExprId, span: Span) -> Result<(Expr, Type, Option<Instance>)> {
        let var = |name: Symbol| Expr::new(ExprKind::Var(name), span);
        match res {
            Res::Local(pat) if self.variant.existential.contains(&pat) => {
                Err(Error::new(Wrong::Mismatch(Mismatch::KnownAfterCall), span).into())
            }
            Res::Local(pat) => match self.names.locals.get(&pat).cloned() {
                Some(Local::Size(dim)) => Ok((Expr::new(ExprKind::ReifyDim(dim), span), Type::prim(PrimType::I64), None)),
                Some(Local::Var { name, ty }) => Ok((var(name), ty, None)),
                Some(Local::Poly(scheme)) => self.instance(scheme, None, node, span),
                None => Err(self.missing(span)),
            },
            Res::Global(def) => {
                let mut scheme = self.schemes.get(def).cloned().ok_or_else(|| self.missing(span))?;
                if scheme.sizes.is_empty() && super::is_i64(&scheme.ty) {
                    // A constant is a size, the same one under all its names.
                    scheme.name = self.schemes.constant(scheme.name);
                    self.sizes.bind_global(scheme.name, span);
                }
                for size in self.schemes.mentioned.get(&def).into_iter().flatten() {
                    self.sizes.bind_global(*size, span);
                }
                self.instance(scheme, Some(def), node, span)
            }
            Res::Scalar(prim, member) => match scalar::member(prim, member.as_str()) {
                Some(Member::Constant(value)) => Ok((Expr::new(ExprKind::Lit(value), span), Type::prim(value.prim()), None)),
                Some(Member::Op(op)) => {
                    let params = op.params.iter().map(|p| Param { name: None, ty: Type::prim(*p) }).collect();
                    let name = Symbol::new(&format!("{prim}.{member}"));
                    Ok((var(name), Type::fun(params, Type::prim(op.result)), None))
                }
                Some(Member::Fold(_)) => {
                    let n = self.fresh_dim(span);
                    let vector = Type::prim(prim).framed(&Shape::dims([n.clone()]));
                    let ty = Type::fun(vec![Param { name: None, ty: vector }], Type::prim(prim));
                    let fun = var(Symbol::new(&format!("{prim}.{member}")));
                    let kind = ExprKind::Inst { fun, types: Vec::new(), indices: vec![Index::Dim(n)] };
                    Ok((Expr::new(kind, span), ty, None))
                }
                None => Err(self.missing(span)),
            },
        }
    }
    fn instance(&mut self, scheme: Scheme, def: Option<DefId>, node: ExprId, span: Span) -> Result<(Expr, Type, Option<Instance>)> {
        let is_rep = def.is_some_and(|def| self.program.defs[def].stdlib && self.program.defs[def].name.as_str() == "rep");
        let (kind, level) = (if is_rep { MetaKind::Rep } else { MetaKind::Anonymous }, self.level());
        let mut sizes = Vec::with_capacity(scheme.sizes.len());
        for (i, name) in scheme.sizes.iter().enumerate() {
            let size = self.sizes.fresh(level, kind, span);
            if !is_rep && self.is_declared_size(def, i) {
                self.sizes.name_unknown(&size, *name);
            }
            sizes.push(size);
        }
        let rtypes: Vec<RType> = match def {
            Some(def) if def == self.def => self.own_types(),
            _ => self.tables.insts.get(node).cloned().unwrap_or_default(),
        };
        if rtypes.len() != scheme.types.len() {
            return Err(self.missing(span));
        }
        let types = rtypes.iter().map(|t| Self::split(&self.fresh_type(t, span))).collect();
        let instance = Instance { scheme, def, sizes, types, span };
        for i in types::only_in_functions(&instance.scheme.sizes, &instance.scheme.ty) {
            if self.is_declared_size(def, i) {
                self.needs(&instance, i, super::Need::Function);
            }
        }
        let made = match (instance.scheme.computed, is_rep) {
            (true, _) => (0..instance.sizes.len()).collect(),
            (false, true) => Vec::new(),
            (false, false) => types::only_in_result(&instance.scheme.sizes, &instance.scheme.ty),
        };
        for i in made {
            if self.is_declared_size(def, i) {
                let computed = !instance.scheme.computed
                    && !super::sizes::free_atoms(&instance.scheme.ty).contains(&DimAtom::Var(instance.scheme.sizes[i]));
                self.needs(&instance, i, if computed { super::Need::Computed } else { super::Need::Made });
            }
        }
        let (expr, ty) = self.instance_value(&instance);
        if is_rep {
            let (function, ty) = self.rep_function(&ty, &instance.sizes, span)?;
            return Ok((function, ty, None));
        }
        Ok((expr, ty, Some(instance)))
    }
    /// Something must say what a size of an instance is.
    fn needs(&mut self, instance: &Instance, position: usize, kind: super::Need) {
        let (size, name) = (instance.sizes[position].clone(), instance.scheme.sizes[position]);
        self.claims.needed.push(super::Needed { size, name, at: instance.span, kind });
    }
    /// `rep` as a function: core has a form for it, but no function.
    fn rep_function(&mut self, ty: &Type, sizes: &[Dim], span: Span) -> Result<Typed> {
        let Atom::Fun(params, ret) = ty.atom() else { return Err(self.missing(span)) };
        let [param] = params.as_slice() else { return Err(self.missing(span)) };
        let name = self.fresh_name(Symbol::new("x"));
        let arg = Expr::new(ExprKind::Var(name), span);
        let body = Expr::new(ExprKind::Rep { frame: super::frame_shape(sizes), arg }, span);
        let kind = ExprKind::Fn { params: vec![(name, param.ty.clone())], ret: ret.clone(), body };
        Ok((Expr::new(kind, span), ty.clone()))
    }
    /// An instance as core and its type. Names bound in the type are made new: what is put in must not be captured.
    pub(super) fn instance_value(&mut self, instance: &Instance) -> Typed {
        let Instance { scheme, sizes, types, span, .. } = instance;
        let fun = Expr::new(ExprKind::Var(scheme.name), *span);
        let mut subst = types::Substitution::default();
        for (name, dim) in scheme.sizes.iter().zip(sizes) {
            subst.atoms.insert(DimAtom::Var(*name), dim.clone());
        }
        for (name, (atom, shape)) in scheme.types.iter().zip(types) {
            subst.types.insert(*name, atom.clone());
            subst.shapes.insert(shape_var(*name), shape.clone());
        }
        for (name, size) in types::binders(&scheme.ty) {
            let new = self.sizes.bound_name();
            subst.binders.insert(name, new);
            let (old, dim) = if size { (DimAtom::Size(name), Dim::size(new)) } else { (DimAtom::Var(name), Dim::var(new)) };
            subst.atoms.insert(old, dim);
        }
        let ty = types::rewrite(&scheme.ty, &mut subst);
        self.sizes.instantiate_computed(&scheme.hidden, &subst);
        if sizes.is_empty() && types.is_empty() {
            return (fun, ty);
        }
        let indices = sizes.iter().map(|d| Index::Dim(d.clone())).chain(types.iter().map(|(_, s)| Index::Shape(s.clone()))).collect();
        let types = types.iter().map(|(a, _)| a.clone()).collect();
        let value = Expr::new(ExprKind::Inst { fun, types, indices }, *span);
        (if scheme.computed { call(value, vec![Expr::new(ExprKind::Tuple(Vec::new()), *span)], *span) } else { value }, ty)
    }
    /// A built-in operator as a function, at the type found for it.
    pub(super) fn operator(&mut self, op: Ident, node: ExprId) -> Result<Typed> {
        let at = self.tables.ops.get(node).cloned().ok_or_else(|| self.missing(op.span))?;
        let comparison = matches!(op.name.as_str(), "==" | "!=" | "<" | "<=" | ">" | ">=");
        let operand = self.fresh_type(&at, op.span);
        let result = if comparison { Type::prim(PrimType::Bool) } else { operand.clone() };
        let param = |ty: &Type| Param { name: None, ty: ty.clone() };
        let ty = Type::fun(vec![param(&operand), param(&operand)], result);
        let expr = match &*at.base {
            RBase::Prim(prim) if at.rank == 0 => Expr::new(ExprKind::Var(Symbol::new(&format!("{prim}.{}", op.name))), op.span),
            _ => {
                let prim = if op.name.as_str() == "==" { Prim::Equal } else { Prim::NotEqual };
                let (atom, shape) = Self::split(&operand);
                prim_instance(prim, vec![atom], vec![Index::Shape(shape)], op.span)
            }
        };
        Ok((expr, ty))
    }
    pub(super) fn unary(&mut self, op: surface::UnaryOp, span: Span, node: ExprId) -> Result<Typed> {
        let at = self.tables.ops.get(node).cloned().ok_or_else(|| self.missing(span))?;
        let RBase::Prim(prim) = &*at.base else { return Err(self.missing(span)) };
        let op = match op {
            surface::UnaryOp::Neg => Op::Neg,
            surface::UnaryOp::Not => Op::Not,
        };
        let ty = Type::fun(vec![Param { name: None, ty: Type::prim(*prim) }], Type::prim(*prim));
        Ok((Expr::op(op, *prim, span), ty))
    }

    fn record(&mut self, fields: &[(Ident, ExprId)], span: Span) -> Result<Typed> {
        let mut parts = fields.iter().map(|(l, e)| Ok((l.name, self.expr(*e)?))).collect::<Result<Vec<_>>>()?;
        parts.sort_by_key(|(l, _)| *l);
        let ty = Type::scalar(Atom::Record(parts.iter().map(|(l, (_, t))| (*l, t.clone())).collect()));
        Ok((Expr::new(ExprKind::Record(parts.into_iter().map(|(l, (v, _))| (l, v)).collect()), span), ty))
    }
    /// A field of a rank-0 record or tuple.
    pub(super) fn project(&mut self, (value, ty): Typed, field: Symbol, span: Span) -> Result<Typed> {
        match ty.atom() {
            Atom::Tuple(parts) => {
                let k: usize = field.as_str().parse().map_err(|_| self.missing(span))?;
                let part = parts.get(k).cloned().ok_or_else(|| self.missing(span))?;
                Ok((Expr::new(ExprKind::Proj(k, value), span), part))
            }
            Atom::Record(fields) => {
                let part = fields.iter().find(|(l, _)| *l == field).map(|(_, t)| t.clone()).ok_or_else(|| self.missing(span))?;
                Ok((Expr::new(ExprKind::Field(field, value), span), part))
            }
            _ => Err(self.missing(span)),
        }
    }
    /// A record with another field.
    pub(super) fn with_field(&mut self, record: Typed, field: Ident, (new, new_ty): Typed, span: Span) -> Result<Typed> {
        let ty = self.sizes.zonk_type(&record.1);
        match ty.atom() {
            Atom::Record(fields) => {
                let mut values = Vec::new();
                let mut tys = Vec::new();
                for (label, old) in fields {
                    let (value, part) = if *label == field.name {
                        (new.clone(), new_ty.clone())
                    } else {
                        (Expr::new(ExprKind::Field(*label, record.0.clone()), span), old.clone())
                    };
                    values.push((*label, value));
                    tys.push((*label, part));
                }
                Ok((Expr::new(ExprKind::Record(values), span), Type::scalar(Atom::Record(tys))))
            }
            Atom::Tuple(parts) => {
                let mut values = Vec::new();
                let mut tys = Vec::new();
                for (i, old) in parts.iter().enumerate() {
                    let hit = i.to_string() == field.name.as_str();
                    values.push(if hit { new.clone() } else { Expr::new(ExprKind::Proj(i, record.0.clone()), span) });
                    tys.push(if hit { new_ty.clone() } else { old.clone() });
                }
                Ok((Expr::new(ExprKind::Tuple(values), span), Type::scalar(Atom::Tuple(tys))))
            }
            _ => Err(self.missing(span)),
        }
    }

    /// `e :> t`: sizes that are not known to be equal are checked at run time.
    pub(super) fn coerce(&mut self, (value, ty): Typed, declared: Type, span: Span) -> Result<Typed> {
        let value = match self.made_regular(&declared, &(value.clone(), ty.clone()), span)? {
            Some(regular) => regular,
            None => self.fitted(&declared, (value, ty), span)?,
        };
        let (value, ty) = value;
        self.sizes.match_parts_in(&[&ty]);
        let before = self.sizes.snapshot();
        self.sizes.rigid_parameters = true;
        let known = self.sizes.unify(&declared, &ty, span).is_ok() && self.sizes.same_deferred(&before);
        if !known {
            self.sizes.rollback(before);
            self.sizes.unify_loosely(&declared, &ty, span);
        }
        self.sizes.rigid_parameters = false;
        if known {
            return Ok((value, declared));
        }
        self.unify_uncheckable(&declared, &ty, span)?;
        Ok((Expr::new(ExprKind::Coerce { ty: declared.clone(), expr: value }, span), declared))
    }

    /// Makes equal what a check at run time cannot look into: the types of functions and of boxes.
    pub(super) fn unify_uncheckable(&mut self, declared: &Type, actual: &Type, span: Span) -> Result<()> {
        let mut pairs = vec![(declared.clone(), actual.clone())];
        let mut seen = FxHashSet::default();
        while let Some((declared, actual)) = pairs.pop() {
            if !seen.insert((std::sync::Arc::as_ptr(&declared.0), std::sync::Arc::as_ptr(&actual.0))) {
                continue;
            }
            match (declared.atom(), actual.atom()) {
                (Atom::Prim(_) | Atom::Var(_), _) => {}
                (Atom::Tuple(xs), Atom::Tuple(ys)) => pairs.extend(xs.iter().cloned().zip(ys.iter().cloned())),
                (Atom::Record(xs), Atom::Record(ys)) => pairs.extend(xs.iter().zip(ys).map(|((_, x), (_, y))| (x.clone(), y.clone()))),
                _ => {
                    let cell = |ty: &Type| Type::scalar(ty.atom().clone());
                    self.unify_at(&cell(&declared), &cell(&actual), span).map_err(|failure| failure.within(Context::Unchecked))?;
                }
            }
        }
        Ok(())
    }

    /// `let f [n] x y = ..`: generalised over its own sizes.
    fn local_function(&mut self, fun: &LetFun) -> Result<()> {
        let outer = self.level();
        let span = self.program.ast.pats[fun.binder].span;
        self.push_frame();
        self.frame().abstraction = true;
        let type_params = self.tables.locals.get(fun.binder).cloned().unwrap_or_default();
        let type_params: Vec<Symbol> = type_params.into_iter().map(|p| self.type_param(p)).collect();
        let size_params = self.size_params(&fun.tparams, &[]);
        let (value, ty) = self.function(&fun.params, fun.ret, fun.rhs, &[], span)?;
        self.sizes.retry(false).map_err(|(clash, span)| self.clash(clash, span))?;
        let mut scheme = self.generalise(size_params, ty, outer);
        scheme.types = type_params;
        scheme.ty = self.sizes.zonk_type(&scheme.ty);
        self.no_unused_size(&fun.tparams, &scheme, false)?;
        let frame = self.pop_frame();
        self.frame().bindings.extend(frame.bindings);
        self.sizes.lower(&scheme.ty, outer);
        let name = self.fresh_name(self.pat_name(fun.binder));
        scheme.name = name;
        let value = abstracted(&scheme, value, span);
        self.bind_let_as(name, value, scheme.core_type(), span);
        let local =
            if scheme.sizes.is_empty() && scheme.types.is_empty() { Local::Var { name, ty: scheme.ty } } else { Local::Poly(scheme) };
        self.names.locals.insert(fun.binder, local);
        Ok(())
    }

    /// A type with a size for an indeterminate, in what it hides too.
    pub(super) fn renamed(&mut self, ty: &Type, from: DimAtom, to: Dim) -> Type {
        self.sizes.put_in(ty, &mut types::Substitution::sizes(FxHashMap::from_iter([(from, to)])))
    }

    /// `rep x`, of unknown length.
    pub(super) fn replicate(&mut self, (value, ty): Typed, count: u32, span: Span) -> Typed {
        let level = self.level();
        let dims: Vec<Dim> = (0..count).map(|_| self.sizes.fresh(level, MetaKind::Rep, span)).collect();
        let frame = super::frame_shape(&dims);
        let ty = ty.framed(&frame);
        (Expr::new(ExprKind::Rep { frame, arg: value }, span), ty)
    }
}

/// `prim{types | indices}`.
pub(super) fn prim_instance(prim: Prim, types: Vec<Atom>, indices: Vec<Index>, span: Span) -> Expr {
    let fun = Expr::prim(prim, span);
    if types.is_empty() && indices.is_empty() { fun } else { Expr::new(ExprKind::Inst { fun, types, indices }, span) }
}

/// `(f args..)`.
pub(super) fn call(fun: Expr, args: Vec<Expr>, span: Span) -> Expr {
    Expr::new(ExprKind::App { fun, args }, span)
}

/// Renames indeterminates in a type.
/// The number 0 of a scalar type, or `false`.
fn zero(prim: PrimType) -> Scalar {
    if prim == PrimType::Bool { Scalar::Bool(false) } else { Scalar::from_i128(prim, 0) }
}

/// An `i64` constant.
pub(super) fn number(value: i64, span: Span) -> Expr {
    Expr::new(core::ExprKind::Lit(Scalar::I64(value)), span)
}
