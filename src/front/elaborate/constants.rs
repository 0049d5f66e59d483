//! Constants of the program that are sizes, and definitions without parameters that are functions.

use super::annotations::Place;
use super::expr::{call as call_of, number};
use super::scope::make_box;
use super::sizes::free_atoms;
use super::types::{Rewrite, Substitution, rewrite, unwitnessed};
use super::{Elab, Natural, Result, Scheme, abstracted, zonk};
use crate::base::scalar::Op;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::{self, Atom, Dim, DimAtom, Param, Type};
use crate::ir::surface::{ExprId, ExprKind, ValDecl, view};
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes sizes that mention constants, or size parameters that nothing else tells, variables of their own.
struct Measured<'a> {
    unknown: FxHashSet<DimAtom>,
    fresh: Vec<(Symbol, Dim)>,
    memo: FxHashMap<usize, (Type, Type)>,
    name: Box<dyn FnMut() -> Symbol + 'a>,
}

impl Rewrite for Measured<'_> {
    fn dim(&mut self, dim: &Dim) -> Option<Dim> {
        if !dim.atoms().any(|atom| self.unknown.contains(&atom)) {
            return None;
        }
        let name = (self.name)();
        self.fresh.push((name, dim.clone()));
        Some(Dim::var(name))
    }
    fn memo(&mut self) -> Option<&mut FxHashMap<usize, (Type, Type)>> {
        Some(&mut self.memo)
    }
}

/// Size parameters in terms of the sizes of arguments.
#[derive(Debug, Default)]
struct Solved {
    sizes: FxHashMap<DimAtom, Dim>,
    /// Sizes that are others divided by a number.
    quotients: Vec<(Symbol, Dim, i64)>,
    /// What must not be negative.
    checks: Vec<(Dim, Symbol)>,
}

impl Solved {
    /// A call with the bindings and checks that it needs around it.
    fn around(self, elab: &mut Elab<'_>, call: core::Expr, ret: Type, span: Span) -> (core::Expr, Type) {
        let mentioned = free_atoms(&ret);
        let mut hidden = Vec::new();
        let mut map = FxHashMap::default();
        for (name, ..) in self.quotients.iter().filter(|(name, ..)| mentioned.contains(&DimAtom::Size(*name))) {
            let fresh = elab.fresh_name(*name);
            map.insert(DimAtom::Size(*name), Dim::var(fresh));
            hidden.push((fresh, core::Index::Dim(Dim::size(*name))));
        }
        let (body, ret) = match hidden.is_empty() {
            true => (call, ret),
            false => make_box(hidden, rewrite(&ret, &mut Substitution::sizes(map)), call, span),
        };
        let body = self.checks.iter().rev().fold(body, |body, (size, name)| {
            let natural = Natural { name: *name, of: None, at: span, declared: None };
            elab.natural(body, size.clone(), natural)
        });
        let body = self.quotients.into_iter().rev().fold(body, |body, (name, size, by)| {
            let divide = core::Expr::op(Op::Div, PrimType::I64, span);
            let rhs = call_of(divide, vec![core::Expr::new(core::ExprKind::ReifyDim(size), span), number(by, span)], span);
            core::Expr::new(core::ExprKind::Let { name, ty: Some(Type::prim(PrimType::I64)), rhs, body }, span)
        });
        (body, ret)
    }
}

impl Elab<'_> {
    /// Binds the constants of the program that are sizes in a value where it is evaluated: a size is a variable of the scope.
    pub(super) fn with_constants(&self, value: core::Expr) -> core::Expr {
        if self.sizes.globals.is_empty() {
            return value;
        }
        let used = zonk::mentioned_sizes(&value);
        let constants: Vec<Symbol> = self.sizes.globals.iter().copied().filter(|name| used.contains(name)).collect();
        let bind = |body: core::Expr| {
            constants.iter().rev().fold(body, |body, name| {
                let rhs = core::Expr::new(core::ExprKind::Var(*name), body.span());
                let span = body.span();
                core::Expr::new(core::ExprKind::Let { name: *name, ty: Some(Type::prim(PrimType::I64)), rhs, body }, span)
            })
        };
        match value.kind() {
            _ if constants.is_empty() => value,
            core::ExprKind::Fn { params, ret, body } => {
                let kind = core::ExprKind::Fn { params: params.clone(), ret: ret.clone(), body: bind(body.clone()) };
                core::Expr::new(kind, value.span())
            }
            _ => bind(value),
        }
    }

    /// Adds the finished definition. Where the parameters of an entry point have constants as sizes, or sizes from which size parameters
    /// follow by an equation, what is run from outside is a second definition, which measures the arguments and checks them.
    pub(super) fn add_definition(&mut self, define: core::Define, scheme: &mut Scheme) {
        let (params, ret) = match scheme.ty.atom() {
            Atom::Fun(params, ret) if define.entry && scheme.types.is_empty() && scheme.ty.shape().is_scalar() => {
                (params.clone(), ret.clone())
            }
            _ => return self.defs.push(define),
        };
        let hidden: Vec<Symbol> = unwitnessed(&scheme.sizes, &scheme.ty).into_iter().map(|i| scheme.sizes[i]).collect();
        let constants = self.sizes.globals.iter().map(|name| DimAtom::Size(*name));
        let unknown: FxHashSet<DimAtom> = constants.chain(hidden.iter().map(|name| DimAtom::Var(*name))).collect();
        if !params.iter().any(|param| free_atoms(&param.ty).iter().any(|atom| unknown.contains(atom))) {
            return self.defs.push(define);
        }
        let (span, outer) = (define.span, define.name);
        let fresh_name = Box::new(|| self.fresh_name(Symbol::new("d")));
        let mut measured = Measured { unknown, fresh: Vec::new(), memo: FxHashMap::default(), name: fresh_name };
        let types: Vec<Type> = params.iter().map(|param| rewrite(&param.ty, &mut measured)).collect();
        let fresh = std::mem::take(&mut measured.fresh);
        drop(measured);
        let Some(solved) = self.solved(&hidden, &fresh) else { return self.defs.push(define) };
        let mut inner = Symbol::new(&format!("{outer}.sized"));
        while self.is_global(inner) {
            inner = Symbol::new(&format!("{inner}'"));
        }
        self.defs.push(core::Define { name: inner, entry: false, ..define });
        let names: Vec<Symbol> = params.iter().map(|param| param.name.unwrap_or_else(|| self.fresh_name(Symbol::new("x")))).collect();
        let size = |name: &Symbol| solved.sizes.get(&DimAtom::Var(*name)).cloned().unwrap_or_else(|| Dim::var(*name));
        let indices: Vec<core::Index> = scheme.sizes.iter().map(|name| core::Index::Dim(size(name))).collect();
        let mut fun = core::Expr::new(core::ExprKind::Var(inner), span);
        if !indices.is_empty() {
            fun = core::Expr::new(core::ExprKind::Inst { fun, types: Vec::new(), indices }, span);
        }
        let mut known = Substitution::sizes(solved.sizes.clone());
        let mut args = Vec::with_capacity(params.len());
        for ((name, param), ty) in names.iter().zip(&params).zip(&types) {
            let value = core::Expr::new(core::ExprKind::Var(*name), span);
            let wanted = rewrite(&param.ty, &mut known);
            args.push(if *ty == wanted { value } else { core::Expr::new(core::ExprKind::Coerce { ty: wanted, expr: value }, span) });
        }
        let call = core::Expr::new(core::ExprKind::App { fun, args }, span);
        let (body, ret) = solved.around(self, call, rewrite(&ret, &mut known), span);
        let kind = core::ExprKind::Fn { params: names.iter().copied().zip(types.iter().cloned()).collect(), ret: ret.clone(), body };
        let value = self.with_constants(core::Expr::new(kind, span));
        let measured_params = params.iter().zip(types).map(|(param, ty)| Param { name: param.name, ty }).collect();
        let mut sizes: Vec<Symbol> = scheme.sizes.iter().copied().filter(|name| !hidden.contains(name)).collect();
        sizes.extend(fresh.iter().map(|(name, _)| *name));
        let measured = Scheme {
            name: outer,
            sizes,
            types: Vec::new(),
            ty: Type::fun(measured_params, ret),
            computed: false,
            hidden: Vec::new(),
            arguments: Vec::new(),
        };
        let body = abstracted(&measured, value, span);
        self.defs.push(core::Define { name: outer, ty: measured.core_type(), body, entry: true, recursive: false, span });
        scheme.name = inner;
    }
    /// What size parameters are, each from an equation that is linear in it; nothing if one has none.
    fn solved(&mut self, hidden: &[Symbol], fresh: &[(Symbol, Dim)]) -> Option<Solved> {
        let mut solved = Solved::default();
        let mut left = hidden.to_vec();
        while !left.is_empty() {
            let before = left.len();
            left.retain(|name| !self.solve_parameter(*name, hidden, fresh, &mut solved));
            if left.len() == before {
                return None;
            }
        }
        Some(solved)
    }
    /// Finds an equation for a size parameter in which all others are known.
    fn solve_parameter(&mut self, name: Symbol, hidden: &[Symbol], fresh: &[(Symbol, Dim)], solved: &mut Solved) -> bool {
        let own = DimAtom::Var(name);
        let open = |atom: DimAtom| matches!(atom, DimAtom::Var(other) if hidden.contains(&other) && !solved.sizes.contains_key(&atom));
        let equation = fresh.iter().find_map(|(measure, dim)| {
            let coefficient = dim.terms().find(|(monomial, _)| *monomial == [own]).map(|(_, coefficient)| coefficient)?;
            let once = dim.atoms().filter(|atom| *atom == own).count() == 1;
            (once && dim.atoms().all(|atom| atom == own || !open(atom))).then_some((*measure, coefficient, dim))
        });
        let Some((measure, coefficient, dim)) = equation else { return false };
        let rest = dim.sub(&Dim::atom(own).scale(coefficient)).subst(&mut |atom| solved.sizes.get(&atom).cloned());
        let mut size = Dim::var(measure).sub(&rest).scale(coefficient.signum());
        if coefficient.unsigned_abs() != 1 {
            let bound = self.fresh_name(name);
            solved.quotients.push((bound, size, coefficient.saturating_abs()));
            size = Dim::size(bound);
        }
        solved.checks.push((size.clone(), name));
        solved.sizes.insert(own, size);
        true
    }
    /// The sizes that the value of a constant hides, and its type in terms of them.
    pub(super) fn hidden_sizes(&self, scheme: &Scheme) -> Option<(Vec<Vec<Symbol>>, Type)> {
        if !scheme.index_params().is_empty() {
            return None;
        }
        let (mut hidden, mut ty) = (Vec::new(), scheme.ty.clone());
        while let (Atom::Sigma(vars, inner), true) = (ty.atom(), ty.shape().is_scalar()) {
            hidden.push(vars.clone());
            ty = inner.clone();
        }
        let atoms: Vec<DimAtom> = hidden.iter().flatten().map(|var| DimAtom::Var(*var)).collect();
        (!hidden.is_empty() && checkable(&ty, &atoms)).then_some((hidden, ty))
    }
    /// What a module type says about a value. Sizes that are not written are the caller's in parameters and hidden in a result; those of a
    /// constant are constants.
    pub(super) fn specified(&mut self, decl: &ValDecl) -> Result<Scheme> {
        let types = self.type_params(self.def);
        let sizes = self.size_params(&decl.tparams, &[]);
        self.push_frame();
        let ty = self.reading_with(|reading| &mut reading.place, Place::Function, |elab| elab.annotation(decl.ty)).0?;
        let ty = self.open_parameters(ty, decl.span);
        let mut scheme = self.generalise(sizes, ty, 0);
        self.pop_frame();
        (scheme.name, scheme.types) = (self.program.defs[self.def].unique, types);
        scheme.ty = self.sizes.zonk_type(&scheme.ty);
        let (params, ret) = match scheme.ty.atom() {
            Atom::Fun(params, ret) if scheme.ty.shape().is_scalar() => (params.clone(), ret.clone()),
            _ => (Vec::new(), scheme.ty.clone()),
        };
        let ret = self.hide_unknown(&ret);
        scheme.ty = Type::fun(params, ret);
        if let Some((hidden, ty)) = self.hidden_sizes(&scheme) {
            let sizes = self.size_constants(scheme.name, &hidden, decl.span);
            scheme.ty = rewrite(&ty, &mut Substitution::sizes(sizes.into_iter().map(|(var, name)| (var, Dim::size(name))).collect()));
        }
        Ok(scheme)
    }
    /// Constants for the hidden sizes of a constant.
    fn size_constants(&mut self, of: Symbol, hidden: &[Vec<Symbol>], span: Span) -> Vec<(DimAtom, Symbol)> {
        let mut out = Vec::new();
        for var in hidden.iter().flatten() {
            let name = self.global_name(&format!("{of}.{}", var.as_str().split('.').next().unwrap_or("k")));
            self.sizes.bind_global(name, span);
            out.push((DimAtom::Var(*var), name));
        }
        out
    }
    /// Adds a constant that hides sizes. They are the same wherever it is used, so each becomes a constant of its own, and what uses the
    /// constant gets a second definition, whose type mentions them.
    pub(super) fn add_opened(&mut self, boxed: core::Define, scheme: &mut Scheme, (hidden, ty): (Vec<Vec<Symbol>>, Type)) {
        let (span, outer) = (boxed.span, boxed.name);
        self.defs.push(boxed);
        let (mut value, mut unboxings) = (core::Expr::new(core::ExprKind::Var(outer), span), Vec::new());
        for indices in &hidden {
            let name = self.fresh_name(Symbol::new("v"));
            unboxings.push((name, indices.clone(), std::mem::replace(&mut value, core::Expr::new(core::ExprKind::Var(name), span))));
        }
        let opened = |body: core::Expr| {
            unboxings.iter().rev().fold(body, |body, (value, indices, boxed)| {
                let kind = core::ExprKind::Unbox { boxed: boxed.clone(), value: *value, indices: indices.clone(), body };
                core::Expr::new(kind, span)
            })
        };
        let sizes = self.size_constants(outer, &hidden, span);
        for (var, name) in &sizes {
            let body = opened(core::Expr::new(core::ExprKind::ReifyDim(Dim::atom(*var)), span));
            self.defs.push(core::Define { name: *name, ty: Type::prim(PrimType::I64), body, entry: false, recursive: false, span });
        }
        scheme.ty = rewrite(&ty, &mut Substitution::sizes(sizes.into_iter().map(|(var, name)| (var, Dim::size(name))).collect()));
        scheme.name = self.global_name(&format!("{outer}.opened"));
        let body = opened(core::Expr::new(core::ExprKind::Coerce { ty: scheme.ty.clone(), expr: value }, span));
        let body = self.with_constants(body);
        self.defs.push(core::Define { name: scheme.name, ty: scheme.ty.clone(), body, entry: false, recursive: false, span });
    }
    /// A name for a definition in core that no other has.
    fn global_name(&mut self, base: &str) -> Symbol {
        let mut name = Symbol::new(base);
        while self.is_global(name) {
            name = Symbol::new(&format!("{name}'"));
        }
        self.schemes.taken.insert(name);
        name
    }
    /// A partial application as the function that it is: its arguments are evaluated at each call, so that it needs no computation and can
    /// have many types.
    pub(super) fn expanded(&mut self, value: core::Expr, ty: &Type, body: ExprId) -> Option<core::Expr> {
        let ast = &self.program.ast;
        let partial = matches!(
            ast.exprs[view::strip(ast, body)].kind,
            ExprKind::Apply { .. } | ExprKind::Binary { .. } | ExprKind::LeftSection { .. } | ExprKind::RightSection { .. }
        );
        let (Atom::Fun(params, ret), true, true) = (ty.atom(), ty.shape().is_scalar(), partial) else { return None };
        let span = value.span();
        let named = |this: &mut Self, param: &Param| (param.name.unwrap_or_else(|| this.fresh_name(Symbol::new("x"))), param.ty.clone());
        let params: Vec<(Symbol, Type)> = params.iter().map(|param| named(self, param)).collect();
        let args = params.iter().map(|(name, _)| core::Expr::new(core::ExprKind::Var(*name), span)).collect();
        let call = core::Expr::new(core::ExprKind::App { fun: value, args }, span);
        Some(core::Expr::new(core::ExprKind::Fn { params, ret: ret.clone(), body: call }, span))
    }
}

/// Whether a check at run time can tell all arrays of these sizes in a type.
fn checkable(ty: &Type, sizes: &[DimAtom]) -> bool {
    match ty.atom() {
        Atom::Prim(_) | Atom::Var(_) => true,
        Atom::Tuple(parts) => parts.iter().all(|part| checkable(part, sizes)),
        Atom::Record(fields) => fields.iter().all(|(_, part)| checkable(part, sizes)),
        Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) | Atom::Sum(_) => {
            !free_atoms(ty).iter().any(|atom| sizes.contains(atom))
        }
    }
}
