//! Forms that any type has: bindings, branches, loops, eliminations, instantiations.

use super::{Gen, bool_ty, call, i64_ty, int, local, make, var, with_outer};
use remora::base::Symbol;
use remora::ir::core::free::Name;
use remora::ir::core::subst::{Replacement, Subst};
use remora::ir::core::{Atom, Dim, Expr, ExprKind, Index, LoopForm, LoopParam, Param, Shape, ShapeItem, Type};

impl Gen<'_> {
    /// One of the forms that have this type.
    pub fn form(&mut self, ty: &Type) -> Option<Expr> {
        match self.choose(26) {
            0..=6 => self.by_type(ty),
            7 => self.binding(ty),
            8 => {
                let (cond, then, els) = (self.expr(&bool_ty())?, self.expr(ty)?, self.expr(ty)?);
                Some(make(ExprKind::If { cond, then, els }))
            }
            9 | 10 => self.application(ty),
            11 => self.dependent(ty),
            12 => self.part(ty),
            13 | 14 => self.unboxed(ty),
            15 => {
                let cond = if self.one_in(4) { self.expr(&bool_ty())? } else { make(ExprKind::Lit(remora::base::Scalar::Bool(true))) };
                let expr = self.expr(ty)?;
                Some(make(ExprKind::Assert { cond, message: Symbol::new("asserted"), expr }))
            }
            16 => self.coercion(ty),
            17 => self.counting(ty),
            18 => self.waiting(ty),
            19 | 20 => self.polymorphic(ty),
            21 => self.element(ty),
            22 => self.reduction(ty),
            23 => self.taken_apart(ty),
            _ => self.used(ty),
        }
    }

    /// A form that is about the type.
    fn by_type(&mut self, ty: &Type) -> Option<Expr> {
        if !ty.shape().is_scalar() {
            return self.array(ty);
        }
        match ty.atom() {
            Atom::Prim(prim) => self.computed(*prim),
            Atom::Fun(params, ret) => {
                if self.choose(2) == 0 {
                    self.lambda(params, ret, true)
                } else {
                    self.function(params, ret)
                }
            }
            Atom::Tuple(types) => Some(make(ExprKind::Tuple(types.iter().map(|ty| self.expr(ty)).collect::<Option<_>>()?))),
            Atom::Record(fields) => {
                let fields = fields.iter().map(|(label, ty)| Some((*label, self.expr(ty)?))).collect::<Option<_>>()?;
                Some(make(ExprKind::Record(fields)))
            }
            Atom::Sum(payloads) => {
                let (label, payload) = payloads[self.choose(payloads.len())].clone();
                let payload = self.expr(&payload)?;
                Some(make(ExprKind::Inject { label, ty: ty.clone(), payload }))
            }
            Atom::Sigma(names, content) => {
                if self.choose(2) == 0 {
                    self.boxed(names, content, true)
                } else {
                    self.existential(names, content)
                }
            }
            Atom::Var(_) | Atom::Forall(..) | Atom::Pi(..) => None,
        }
    }

    fn binding(&mut self, ty: &Type) -> Option<Expr> {
        match self.choose(3) {
            0 => {
                let rhs = self.size_literal();
                let name = self.name("x");
                self.scope.terms.push((name, i64_ty()));
                self.scope.sizes.push(name);
                let body = self.expr(ty)?;
                Some(make(ExprKind::Let { name, ty: None, rhs, body }))
            }
            1 => {
                let bound = self.ty(2);
                let rhs = self.expr(&bound)?;
                let name = self.term_name();
                let annotation = (self.choose(2) == 0).then(|| bound.clone());
                self.scope.terms.push((name, bound));
                let body = self.expr(ty)?;
                Some(make(ExprKind::Let { name, ty: annotation, rhs, body }))
            }
            _ => {
                let bound = self.ty(1);
                let arg = self.expr(&bound)?;
                let name = self.term_name();
                self.scope.terms.push((name, bound));
                let body = self.expr(ty)?;
                Some(make(ExprKind::Map { frame: Shape::default(), args: vec![(name, arg)], body }))
            }
        }
    }

    fn application(&mut self, ty: &Type) -> Option<Expr> {
        let params: Vec<Param> = (0..=self.choose(2)).map(|_| Param { name: None, ty: self.ty(1) }).collect();
        let args = params.iter().map(|param| self.expr(&param.ty)).collect::<Option<Vec<_>>>()?;
        // A function type absorbs the parameters of its result.
        let fun = if self.choose(2) == 0 { self.lambda(&params, ty, true)? } else { self.expr(&Type::fun(params, ty.clone()))? };
        if self.choose(2) == 0 || args.len() < 2 {
            return Some(call(fun, args));
        }
        let (first, rest) = args.split_at(1);
        Some(call(call(fun, first.to_vec()), rest.to_vec()))
    }

    /// A function whose later parameters have a size that the first one says.
    fn dependent(&mut self, ty: &Type) -> Option<Expr> {
        let n = [2, 0, 1, 3][self.choose(4)];
        let element = self.ty(1);
        let arg = self.expr(&with_outer(&Dim::constant(n), &element))?;
        let (count, xs) = (self.name("n"), self.name("xs"));
        let array = with_outer(&Dim::size(count), &element);
        self.scope.terms.push((count, i64_ty()));
        self.scope.terms.push((xs, array.clone()));
        self.scope.sizes.push(count);
        let body = self.expr(ty)?;
        let fun = make(ExprKind::Fn { params: vec![(count, i64_ty()), (xs, array)], ret: ty.clone(), body });
        let first = if self.choose(2) == 0 { int(n) } else { call(var("i64.+"), vec![int(n - 1), int(1)]) };
        Some(if self.choose(2) == 0 { call(fun, vec![first, arg]) } else { call(call(fun, vec![first]), vec![arg]) })
    }

    fn part(&mut self, ty: &Type) -> Option<Expr> {
        let other = self.ty(1);
        if self.choose(2) == 0 {
            let at = self.choose(2);
            let mut types = vec![other, ty.clone()];
            types.rotate_left(1 - at);
            let tuple = self.expr(&Type::scalar(Atom::Tuple(types)))?;
            return Some(make(ExprKind::Proj(at, tuple)));
        }
        let fields = vec![(Symbol::new("a"), other), (Symbol::new("b"), ty.clone())];
        let record = self.expr(&Type::scalar(Atom::Record(fields)))?;
        Some(make(ExprKind::Field(Symbol::new("b"), record)))
    }

    /// Opens a box: one in scope or a new one.
    fn unboxed(&mut self, ty: &Type) -> Option<Expr> {
        let known: Vec<(Symbol, Type)> =
            self.scope.all().into_iter().filter(|(_, ty)| matches!(ty.atom(), Atom::Sigma(..)) && ty.shape().is_scalar()).collect();
        let opaque = self.choose(4) == 3;
        let (boxed, sigma) = match self.pick(&known) {
            Some((name, sigma)) => (local(name), sigma),
            None if !self.scope.shapes.is_empty() && self.choose(3) == 2 => {
                let (k, shapes) = (self.name("k"), self.scope.shapes.clone());
                let items = vec![ShapeItem::Dim(self.dim()), ShapeItem::Var(self.pick(&shapes)?)];
                let content = Type::new(Atom::Prim(remora::base::PrimType::I64), Shape::dims([Dim::var(k)]));
                (make(ExprKind::ReifyShape(Shape { items })), Type::scalar(Atom::Sigma(vec![k], content)))
            }
            None if self.choose(5) == 4 => {
                let (r, s) = (Dim::constant(self.choose(3) as i64), self.name("@s"));
                let sizes = self.leaf(&Type::new(Atom::Prim(remora::base::PrimType::I64), Shape::dims([r.clone()])))?;
                let fun = make(ExprKind::Inst { fun: var("lift_shape"), types: Vec::new(), indices: vec![Index::Dim(r)] });
                let content = Type::new(Atom::Tuple(Vec::new()), Shape::var(s));
                (call(fun, vec![sizes]), Type::scalar(Atom::Sigma(vec![s], content)))
            }
            None if opaque => {
                let k = self.name("k");
                let content = Type::new(Atom::Prim(remora::base::PrimType::I64), Shape::dims([Dim::var(k)]));
                (self.opaque_size()?, Type::scalar(Atom::Sigma(vec![k], content)))
            }
            None => {
                let sigma = Type::scalar(self.sigma(1));
                (self.expr(&sigma)?, sigma)
            }
        };
        let Atom::Sigma(names, content) = sigma.atom() else { return None };
        let mut subst = Subst::default();
        let mut indices = Vec::new();
        for name in names {
            if name.as_str().starts_with('@') {
                let opened = self.name("@o");
                subst.insert(Name::Index(*name), Replacement::Shape(Shape::var(opened)));
                self.scope.shapes.push(opened);
                indices.push(opened);
            } else {
                let opened = self.name("o");
                subst.insert(Name::Index(*name), Replacement::Dim(Dim::var(opened)));
                self.scope.indices.push(opened);
                indices.push(opened);
            }
        }
        let content = self.substituted(&subst, content);
        let value = self.term_name();
        self.scope.terms.push((value, content));
        let body = self.expr(ty)?;
        Some(make(ExprKind::Unbox { boxed, value, indices, body }))
    }

    /// A coercion, now and then one that fails.
    fn coercion(&mut self, ty: &Type) -> Option<Expr> {
        let mut items = ty.shape().items.clone();
        if let Some(ShapeItem::Dim(dim)) = items.first_mut() {
            match self.choose(4) {
                3 => *dim = dim.add(&Dim::constant(1)),
                2 => {
                    let known = self.scope.dims();
                    *dim = self.pick(&known).unwrap_or_else(|| dim.clone());
                }
                _ => {}
            }
        }
        let from = Type::new(ty.atom().clone(), Shape { items });
        let expr = self.expr(&from)?;
        Some(make(ExprKind::Coerce { ty: ty.clone(), expr }))
    }

    /// A `for` loop.
    fn counting(&mut self, ty: &Type) -> Option<Expr> {
        let counter = self.name("i");
        let bound = if self.choose(2) == 0 { self.size_literal() } else { self.small()? };
        let mut types = vec![ty.clone()];
        if self.choose(2) == 1 {
            types.push(self.ty(1));
        }
        let mut params = Vec::new();
        for ty in &types {
            let init = self.expr(ty)?;
            params.push(LoopParam { name: self.name("x"), ty: ty.clone(), init });
        }
        self.scope.terms.extend(params.iter().map(|param| (param.name, param.ty.clone())));
        self.scope.terms.push((counter, i64_ty()));
        self.scope.sizes.push(counter);
        let body = match types.as_slice() {
            [only] => self.expr(only)?,
            _ => self.expr(&Type::scalar(Atom::Tuple(types.clone())))?,
        };
        let whole = make(ExprKind::Loop { params, form: LoopForm::For(counter, bound), body });
        Some(if types.len() == 1 { whole } else { make(ExprKind::Proj(0, whole)) })
    }

    /// A `while` loop that counts down.
    fn waiting(&mut self, ty: &Type) -> Option<Expr> {
        let (left, x) = (self.name("x"), self.name("x"));
        let (count, init) = (self.size_literal(), self.expr(ty)?);
        self.scope.terms.push((left, i64_ty()));
        self.scope.terms.push((x, ty.clone()));
        let next = self.expr(ty)?;
        let body = make(ExprKind::Tuple(vec![call(var("i64.-"), vec![local(left), int(1)]), next]));
        let params = vec![LoopParam { name: left, ty: i64_ty(), init: count }, LoopParam { name: x, ty: ty.clone(), init }];
        let cond = call(var("i64.>"), vec![local(left), int(0)]);
        Some(make(ExprKind::Proj(1, make(ExprKind::Loop { params, form: LoopForm::While(cond), body }))))
    }

    /// A function that is polymorphic in the element type and the shape, or in a size as well, at this type.
    fn polymorphic(&mut self, ty: &Type) -> Option<Expr> {
        let arg = self.expr(ty)?;
        let (t, s) = (self.name("t"), self.name("@s"));
        let outer = match ty.shape().items.first() {
            Some(ShapeItem::Dim(dim)) if self.choose(2) == 0 => Some((self.name("n"), dim.clone())),
            _ => None,
        };
        let rest = Shape { items: ty.shape().items[usize::from(outer.is_some())..].to_vec() };
        let general = match &outer {
            Some((n, _)) => Type::new(Atom::Var(t), Shape::dims([Dim::var(*n)]).append(&Shape::var(s))),
            None => Type::new(Atom::Var(t), Shape::var(s)),
        };
        let mut indices: Vec<Index> = outer.iter().map(|(_, dim)| Index::Dim(dim.clone())).collect();
        indices.push(Index::Shape(rest));
        let names: Vec<Symbol> = outer.iter().map(|(n, _)| *n).chain([s]).collect();
        let before = self.scope.depth();
        self.scope.shapes.push(s);
        self.scope.indices.extend(outer.iter().map(|(n, _)| *n));
        let x = self.name("x");
        self.scope.terms.push((x, general.clone()));
        let body = self.expr(&general)?;
        self.scope.restore(before);
        let fun = make(ExprKind::Fn { params: vec![(x, general.clone())], ret: general, body });
        let fun = make(ExprKind::IFn { params: names, body: make(ExprKind::TFn { params: vec![t], body: fun }) });
        let types = vec![ty.atom().clone()];
        match self.choose(3) {
            0 => Some(call(make(ExprKind::Inst { fun, types, indices }), vec![arg])),
            1 => {
                let first = make(ExprKind::Inst { fun, types: Vec::new(), indices });
                Some(call(make(ExprKind::Inst { fun: first, types, indices: Vec::new() }), vec![arg]))
            }
            _ => {
                let name = self.name("f");
                let body = call(make(ExprKind::Inst { fun: local(name), types, indices }), vec![arg]);
                Some(make(ExprKind::Let { name, ty: None, rhs: fun, body }))
            }
        }
    }

    /// What a variable in scope holds: a component, an element, a result.
    fn used(&mut self, ty: &Type) -> Option<Expr> {
        let known = self.scope.all();
        let (name, found) = self.pick(&known)?;
        match found.atom() {
            Atom::Fun(params, ret) if found.shape().is_scalar() && ret == ty => {
                let args = params.iter().map(|param| self.expr(&param.ty)).collect::<Option<_>>()?;
                Some(call(local(name), args))
            }
            Atom::Tuple(types) if found.shape().is_scalar() => {
                let at = types.iter().position(|part| part == ty)?;
                Some(make(ExprKind::Proj(at, local(name))))
            }
            atom if atom == ty.atom() => {
                let (ShapeItem::Dim(n), rest) = found.shape().items.split_first()? else { return None };
                let fits = rest == ty.shape().items.as_slice();
                fits.then(|| call(super::inst("index", atom, std::slice::from_ref(n), ty.shape()), vec![local(name), int(0)]))
            }
            _ => None,
        }
    }
}
