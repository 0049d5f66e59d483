//! Constants of the program that are sizes, and definitions without parameters that are functions.

use super::types::{Rewrite, rewrite};
use super::{Elab, Scheme, abstracted, zonk};
use crate::base::{PrimType, Symbol};
use crate::ir::core::{self, Atom, Dim, DimAtom, Param, Type};
use crate::ir::surface::{ExprId, ExprKind, view};
use rustc_hash::FxHashMap;

/// Makes sizes that mention constants variables of their own.
struct Measured<'a> {
    constants: &'a [Symbol],
    fresh: Vec<Symbol>,
    memo: FxHashMap<usize, (Type, Type)>,
    name: Box<dyn FnMut() -> Symbol + 'a>,
}

impl Rewrite for Measured<'_> {
    fn dim(&mut self, dim: &Dim) -> Option<Dim> {
        if !dim.atoms().any(|atom| matches!(atom, DimAtom::Size(name) if self.constants.contains(&name))) {
            return None;
        }
        let name = (self.name)();
        self.fresh.push(name);
        Some(Dim::var(name))
    }
    fn memo(&mut self) -> Option<&mut FxHashMap<usize, (Type, Type)>> {
        Some(&mut self.memo)
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

    /// Adds the finished definition. Where the parameters of an entry point have constants as sizes, what is run from outside is a second
    /// definition, which measures the arguments and checks them against the constants.
    pub(super) fn add_definition(&mut self, define: core::Define, scheme: &mut Scheme) {
        let mentions =
            |ty: &Type| super::sizes::free_atoms(ty).iter().any(|atom| matches!(atom, DimAtom::Size(n) if self.sizes.globals.contains(n)));
        let (params, ret) = match scheme.ty.atom() {
            Atom::Fun(params, ret) if define.entry && scheme.types.is_empty() && scheme.ty.shape().is_scalar() => {
                (params.clone(), ret.clone())
            }
            _ => return self.defs.push(define),
        };
        if !params.iter().any(|param| mentions(&param.ty)) {
            return self.defs.push(define);
        }
        let mut inner = Symbol::new(&format!("{}.sized", define.name));
        while self.is_global(inner) {
            inner = Symbol::new(&format!("{inner}'"));
        }
        let (span, outer) = (define.span, define.name);
        self.defs.push(core::Define { name: inner, entry: false, ..define });
        let constants = self.sizes.globals.clone();
        let fresh_name = Box::new(|| self.fresh_name(Symbol::new("d")));
        let mut measured = Measured { constants: &constants, fresh: Vec::new(), memo: FxHashMap::default(), name: fresh_name };
        let types: Vec<Type> = params.iter().map(|param| rewrite(&param.ty, &mut measured)).collect();
        let fresh = std::mem::take(&mut measured.fresh);
        drop(measured);
        let names: Vec<Symbol> = params.iter().map(|param| param.name.unwrap_or_else(|| self.fresh_name(Symbol::new("x")))).collect();
        let indices: Vec<core::Index> = scheme.sizes.iter().map(|size| core::Index::Dim(Dim::var(*size))).collect();
        let mut fun = core::Expr::new(core::ExprKind::Var(inner), span);
        if !indices.is_empty() {
            fun = core::Expr::new(core::ExprKind::Inst { fun, types: Vec::new(), indices }, span);
        }
        let arg = |((name, param), ty): ((&Symbol, &Param), &Type)| {
            let value = core::Expr::new(core::ExprKind::Var(*name), span);
            if *ty == param.ty {
                return value;
            }
            core::Expr::new(core::ExprKind::Coerce { ty: param.ty.clone(), expr: value }, span)
        };
        let args = names.iter().zip(&params).zip(&types).map(arg).collect();
        let call = core::Expr::new(core::ExprKind::App { fun, args }, span);
        let kind = core::ExprKind::Fn { params: names.iter().copied().zip(types.iter().cloned()).collect(), ret: ret.clone(), body: call };
        let value = self.with_constants(core::Expr::new(kind, span));
        let measured_params = params.iter().zip(types).map(|(param, ty)| Param { name: param.name, ty }).collect();
        let mut sizes = scheme.sizes.clone();
        sizes.extend(fresh);
        let measured = Scheme { name: outer, sizes, types: Vec::new(), ty: Type::fun(measured_params, ret) };
        let body = abstracted(&measured, value, span);
        self.defs.push(core::Define { name: outer, ty: measured.core_type(), body, entry: true, span });
        scheme.name = inner;
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
