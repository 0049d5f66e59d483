//! Module types: what they promise, and whether a module has it.
//!
//! A module is *seen through* a module type: for each value of the type there is a definition with the type that is written there and
//! the module's value as its body ([`Role::Shown`]), so that checking it is checking the promise; for each abstract type there is a type of its own
//! with the module's type behind it. Without a module there is nothing behind either: that is what a parametric module knows of its
//! parameter.

use super::build::Builder;
use super::error::{ErrorKind, Member, Missing, ModuleTypeAdvice, Parameters};
use super::scope::{Closure, Functor, FunctorKind, Globals, Module, Sig};
use super::suggest;
use super::walk::path_text;
use crate::base::scalar;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::surface::modules::{AbstractType, ModuleType, ModuleTypeKind, Spec};
use crate::ir::surface::{
    DefDecl, Dim, Expr, ExprKind, Ident, Pat, PatKind, TypeArg, TypeDecl, TypeExpr, TypeId, TypeKind, TypeParam, ValDecl,
};
use crate::ir::tables::{DefId, DefKind, Hiding, Matching, RegionKind, Res, Role, TypeRes};
use std::rc::Rc;
use std::sync::Arc;

/// `with t = ..`, to be put in where `t` is specified.
struct Refinement<'a> {
    /// The modules around the type, from the outside of the module type.
    path: Vec<Symbol>,
    tparams: &'a [TypeParam],
    ty: TypeId,
    closure: Closure<'a>,
    used: bool,
}

/// A module type that is being gone through.
struct View<'a> {
    hiding: Hiding,
    /// The ascription or the application.
    at: Span,
    refinements: Vec<Refinement<'a>>,
    /// The modules around the current specification.
    prefix: Vec<Symbol>,
    /// The abstract types that were met, with the modules around them.
    abstract_types: Vec<String>,
    failed: bool,
    /// What the module lacks.
    missing: Vec<Missing>,
}

impl<'a> Builder<'_, 'a> {
    /// Checks a module type where it is declared.
    pub(super) fn check_sig(&mut self, name: Ident, sig: &'a ModuleType) {
        let outer = self.at.clone();
        let region = self.new_region(self.at.region, RegionKind::Template);
        (self.at.region, self.at.template) = (Some(region), true);
        self.unknown_module(name.name, sig);
        self.at = outer;
    }

    /// A module as a module type shows it; without a module, one of which nothing else is known. The names in the type are looked up
    /// where the builder is.
    pub(super) fn view_as(&mut self, sig: &'a ModuleType, actual: Option<Module<'a>>, hiding: Hiding, at: Span) -> Module<'a> {
        let mut view = View {
            hiding,
            at,
            refinements: Vec::new(),
            prefix: Vec::new(),
            abstract_types: Vec::new(),
            failed: false,
            missing: Vec::new(),
        };
        let module = self.view(sig, &mut view, actual);
        let failed = view.failed;
        self.report_missing(view);
        if failed { Module::Broken } else { module }
    }

    fn view(&mut self, sig: &'a ModuleType, view: &mut View<'a>, actual: Option<Module<'a>>) -> Module<'a> {
        let actual = match actual {
            Some(Module::Broken) => return Module::Broken,
            actual => actual,
        };
        match &sig.kind {
            ModuleTypeKind::Error => {
                view.failed = true;
                Module::Broken
            }
            ModuleTypeKind::Paren(inner) => self.view(inner, view, actual),
            ModuleTypeKind::Name(path) => {
                let Some(named) = self.sig_path(path) else {
                    view.failed = true;
                    return Module::Broken;
                };
                let outer = std::mem::replace(&mut self.scope.visible, named.closure);
                let module = self.view(named.sig, view, actual);
                self.scope.visible = outer;
                module
            }
            ModuleTypeKind::With { sig: inner, path, tparams, ty } => {
                let closure = self.scope.visible.clone();
                let full = view.prefix.iter().copied().chain(path.iter().map(|ident| ident.name)).collect();
                view.refinements.push(Refinement { path: full, tparams, ty: *ty, closure, used: false });
                let module = self.view(inner, view, actual);
                let used = view.refinements.pop().is_some_and(|refinement| refinement.used);
                if !used && !view.failed {
                    let span = path.first().map_or(sig.span, |first| path.last().map_or(first.span, |last| first.span.to(last.span)));
                    let near = suggest::closest(&path_text(path), view.abstract_types.iter().map(String::as_str)).map(String::from);
                    let others = view.abstract_types.clone();
                    self.error(span, ErrorKind::NoAbstractType { name: path.clone(), sig: inner.span, near, others });
                    view.failed = true;
                }
                module
            }
            ModuleTypeKind::Arrow { param, from, to } => self.view_functor(param.map(|p| p.name), from, to, sig.span, view, actual),
            ModuleTypeKind::Specs(specs) => {
                if let Some(Module::Functor(functor)) = &actual {
                    let kind = ErrorKind::NotApplied { functor: functor.name, declared: functor.declared, sig: Some(sig.span) };
                    self.error(view.at, kind);
                    view.failed = true;
                    return Module::Broken;
                }
                let mut shown = Globals::default();
                for spec in specs {
                    self.spec(spec, view, actual.as_ref(), &mut shown);
                }
                Module::Struct(Rc::new(shown))
            }
        }
    }

    fn view_functor(
        &mut self,
        param: Option<Symbol>,
        from: &'a ModuleType,
        to: &'a ModuleType,
        span: Span,
        view: &mut View<'a>,
        actual: Option<Module<'a>>,
    ) -> Module<'a> {
        let closure = self.scope.visible.clone();
        let name = self.at.path.last().copied().unwrap_or_else(|| Symbol::new("module"));
        let kind = match actual {
            None => FunctorKind::Unknown { from, to, param },
            Some(Module::Functor(inner)) => FunctorKind::Shown { inner, from, to, param },
            Some(_) => {
                self.error(view.at, ErrorKind::ParametersWanted { sig: span });
                view.failed = true;
                return Module::Broken;
            }
        };
        let checked = matches!(kind, FunctorKind::Shown { .. }) && !self.copying();
        let functor = Rc::new(Functor { kind, closure, region: self.at.region, declared: span, name });
        if checked {
            // Applied to anything of the parameter's type it has to give what is promised.
            let outer = (self.at.clone(), self.scope.visible.clone());
            let region = self.new_region(self.at.region, RegionKind::Template);
            (self.at.region, self.at.template) = (Some(region), true);
            let arg = self.unknown_module(param.unwrap_or(name), from);
            view.failed |= self.apply(&functor, arg, view.at).is_broken();
            (self.at, self.scope.visible) = outer;
        }
        Module::Functor(functor)
    }

    /// The module type of this qualified name; reports what is not known.
    fn sig_path(&mut self, path: &[Ident]) -> Option<Sig<'a>> {
        let (name, modules) = path.split_last()?;
        if modules.is_empty() {
            let known = self.scope.sig(name.name);
            if known.is_none() && !name.is_missing() {
                let advice = match suggest::closest(name.name.as_str(), self.scope.sig_names()) {
                    Some(near) => Some(ModuleTypeAdvice::Similar(near)),
                    None => self.scope.module(name.name).map(|_| ModuleTypeAdvice::IsModule),
                };
                self.error(name.span, ErrorKind::UnknownModuleType { name: name.name, advice });
            }
            return known;
        }
        let module = self.walk(name.span.file).module_path(modules)?;
        let known = match &module {
            Module::Struct(globals) => globals.sigs.get(&name.name).cloned(),
            Module::Scalar(_) | Module::Functor(_) | Module::Broken => None,
        };
        if known.is_none() && !module.is_broken() {
            self.error(name.span, ErrorKind::UnknownMemberModuleType { module: modules.to_vec(), name: name.name });
        }
        known
    }

    fn spec(&mut self, spec: &'a Spec, view: &mut View<'a>, actual: Option<&Module<'a>>, shown: &mut Globals<'a>) {
        match spec {
            Spec::Val(val) => {
                if let Some(res) = self.value_spec(val, view, actual) {
                    self.scope.globals().terms.insert(val.name.name, res);
                    shown.terms.insert(val.name.name, res);
                }
            }
            Spec::Type(decl) => {
                let decl = Arc::new(self.program.ast.copy_type_decl(decl));
                let mut walk = self.walk(decl.name.span.file);
                walk.type_decl(&decl);
                let uses = walk.uses;
                let res = self.define_type(decl.clone(), Hiding::Shown, uses);
                self.require_same_type(decl.name, &decl.tparams, decl.span, res, view, actual);
                self.bind_type(decl.name.name, res, shown);
            }
            Spec::Abstract(ty) => {
                let res = match self.abstract_spec(ty, view, actual) {
                    Some(res) => res,
                    // What is wrong was said: later specifications may name the type.
                    None => self.unknown_type(ty),
                };
                self.bind_type(ty.name.name, res, shown);
            }
            Spec::Module(spec) => {
                let inner = match actual {
                    None => None,
                    Some(module) => match module.module(spec.name.name) {
                        Some(inner) => Some(inner),
                        None => return self.report_lack(Member::Module, spec.name, view, module),
                    },
                };
                view.prefix.push(spec.name.name);
                self.at.path.push(spec.name.name);
                let outer = self.scope.visible.clone();
                let module = self.view(&spec.sig, view, inner);
                self.scope.visible = outer;
                self.at.path.pop();
                view.prefix.pop();
                self.scope.globals().modules.insert(spec.name.name, module.clone());
                shown.modules.insert(spec.name.name, module);
            }
            Spec::Include(sig) => {
                let outer = self.scope.visible.clone();
                let module = self.view(sig, view, actual.cloned());
                self.scope.visible = outer;
                if let Module::Struct(globals) = &module {
                    self.scope.globals().extend(globals);
                    shown.extend(globals);
                }
            }
            Spec::Error(_) => view.failed = true,
        }
    }

    fn bind_type(&mut self, name: Symbol, res: TypeRes, shown: &mut Globals<'a>) {
        self.scope.globals().types.insert(name, res);
        shown.types.insert(name, res);
    }

    /// Notes that the module does not have what the module type asks for.
    fn report_lack(&mut self, what: Member, name: Ident, view: &mut View<'a>, actual: &Module<'a>) {
        view.failed = true;
        // A name that could not be read was reported.
        if actual.is_broken() || name.is_missing() {
            return;
        }
        let others = [
            (Member::Value, actual.term(name.name).is_some()),
            (Member::Type, actual.ty(name.name).is_some()),
            (Member::Module, actual.module(name.name).is_some()),
        ];
        let instead = match others.iter().find(|(_, there)| *there) {
            Some((other, _)) => Some((*other, name.name)),
            None if what == Member::Value => {
                suggest::closest(name.name.as_str(), actual.term_names()).map(|near| (Member::Value, Symbol::new(near)))
            }
            None => None,
        };
        let path = view.prefix.iter().copied().chain([name.name]).collect();
        view.missing.push(Missing { what, path, place: name.span, instead });
    }

    fn report_missing(&mut self, view: View<'a>) {
        let mut missing = view.missing.into_iter();
        if let Some(first) = missing.next() {
            self.error(view.at, ErrorKind::MissingMembers { first, others: missing.collect() });
        }
    }

    // Values.

    fn value_spec(&mut self, val: &'a ValDecl, view: &mut View<'a>, actual: Option<&Module<'a>>) -> Option<Res> {
        let res = match actual {
            None => None,
            Some(module) => match module.term(val.name.name) {
                Some(res) => Some(res),
                None => {
                    self.report_lack(Member::Value, val.name, view, module);
                    return None;
                }
            },
        };
        let val = self.program.ast.copy_val(val);
        let mut walk = self.walk(val.name.span.file);
        let mark = walk.scope.mark();
        walk.function(&val.tparams, &[], Some(val.ty));
        walk.scope.leave(mark);
        let mut uses = walk.uses;
        let Some(res) = res else {
            let def = self.define(val.name, DefKind::Val(Arc::new(val)), uses, None, true);
            return Some(Res::Global(def));
        };
        let member = match res {
            Res::Global(def) => {
                uses.push(def);
                Some(self.program.defs[def].span)
            }
            Res::Local(_) | Res::Scalar(..) => None,
        };
        let matching = Matching { spec: val.span, member, at: view.at };
        let sure = matches!(res, Res::Scalar(prim, name) if self.is_scalar_member(prim, name, val.ty));
        let body = self.program.ast.exprs.alloc(Expr { kind: ExprKind::Name(val.name.name), span: view.at });
        self.program.names.exprs.insert(body, res);
        let ValDecl { name, tparams, ty, doc, span } = val;
        let decl = DefDecl { entry: false, name, tparams, params: Vec::new(), ret: Some(ty), body, attrs: Vec::new(), doc, span };
        let def = self.define(name, DefKind::Def(Arc::new(decl)), uses, Some(Role::Shown(matching)), !sure && !view.failed);
        Some(Res::Global(def))
    }

    /// Whether a member of a scalar module has the type that is written.
    fn is_scalar_member(&self, prim: PrimType, name: Symbol, ty: TypeId) -> bool {
        let Some(member) = scalar::member(prim, name.as_str()) else { return false };
        match member {
            scalar::Member::Constant(value) => self.scalar_type(ty) == Some(value.prim()),
            scalar::Member::Op(op) => {
                let mut at = ty;
                for param in op.params {
                    let TypeKind::Arrow { from, to, .. } = &self.program.ast.types[at].kind else { return false };
                    if self.scalar_type(*from) != Some(*param) {
                        return false;
                    }
                    at = *to;
                }
                self.scalar_type(at) == Some(op.result)
            }
            scalar::Member::Fold(fold) => match &self.program.ast.types[ty].kind {
                TypeKind::Arrow { from, to, .. } => match &self.program.ast.types[*from].kind {
                    TypeKind::Array(_, element) => {
                        self.scalar_type(*element) == Some(fold.prim) && self.scalar_type(*to) == Some(fold.prim)
                    }
                    _ => false,
                },
                _ => false,
            },
        }
    }
    /// The scalar type that a type is, also behind abbreviations and abstract types.
    fn scalar_type(&self, ty: TypeId) -> Option<PrimType> {
        match &self.program.ast.types[ty].kind {
            TypeKind::Paren(inner) | TypeKind::Unique(inner) => self.scalar_type(*inner),
            TypeKind::Name { .. } => match self.program.names.types.get(ty)? {
                TypeRes::Prim(prim) => Some(*prim),
                TypeRes::Abbreviation(def) => self.scalar_type(self.program.types[*def].decl.ty),
                TypeRes::Param(_) => None,
            },
            _ => None,
        }
    }

    // Types.

    fn abstract_spec(&mut self, ty: &'a AbstractType, view: &mut View<'a>, actual: Option<&Module<'a>>) -> Option<TypeRes> {
        let path: Vec<Symbol> = view.prefix.iter().copied().chain([ty.name.name]).collect();
        view.abstract_types.push(path.iter().map(|part| part.as_str()).collect::<Vec<_>>().join("."));
        if let Some(index) = view.refinements.iter().rposition(|refinement| refinement.path == path) {
            return self.refined(ty, index, view, actual);
        }
        let Some(module) = actual else { return Some(self.unknown_type(ty)) };
        let Some(res) = module.ty(ty.name.name) else {
            self.report_lack(Member::Type, ty.name, view, module);
            return None;
        };
        let tparams = self.program.ast.copy_tparams(&ty.tparams);
        if !self.require_arity(ty.name, &tparams, res, view) {
            return None;
        }
        self.declare_tparams(&tparams, ty.span);
        let behind = self.type_reference(ty.name, &tparams, res);
        let uses = self.type_uses(res);
        let decl = TypeDecl { name: ty.name, tparams, ty: behind, doc: ty.doc, span: ty.span };
        Some(self.define_type(Arc::new(decl), view.hiding, uses))
    }

    /// An abstract type behind which there is nothing.
    fn unknown_type(&mut self, ty: &AbstractType) -> TypeRes {
        let tparams = self.program.ast.copy_tparams(&ty.tparams);
        self.declare_tparams(&tparams, ty.span);
        let behind = self.program.ast.types.alloc(TypeExpr { kind: TypeKind::Error, span: ty.span });
        let decl = TypeDecl { name: ty.name, tparams, ty: behind, doc: ty.doc, span: ty.span };
        self.define_type(Arc::new(decl), Hiding::Unknown, Vec::new())
    }

    /// An abstract type that a `with` gives a meaning.
    fn refined(&mut self, ty: &'a AbstractType, index: usize, view: &mut View<'a>, actual: Option<&Module<'a>>) -> Option<TypeRes> {
        let refinement = &mut view.refinements[index];
        refinement.used = true;
        let (closure, written) = (refinement.closure.clone(), refinement.ty);
        let tparams = self.program.ast.copy_tparams(refinement.tparams);
        let span = self.program.ast.types[written].span;
        if kinds(&tparams) != kinds(&ty.tparams) {
            let (specified, given) = (Parameters::of(&ty.tparams), Parameters::of(&tparams));
            self.error(span, ErrorKind::GivenParameters { name: ty.name, specified, given });
            view.failed = true;
            return None;
        }
        let decl = TypeDecl { name: ty.name, tparams, ty: self.program.ast.copy_type(written), doc: ty.doc, span };
        let outer = std::mem::replace(&mut self.scope.visible, closure);
        let mut walk = self.walk(span.file);
        walk.type_decl(&decl);
        let uses = walk.uses;
        self.scope.visible = outer;
        let decl = Arc::new(decl);
        let res = self.define_type(decl.clone(), Hiding::Shown, uses);
        self.require_same_type(decl.name, &decl.tparams, span, res, view, actual);
        Some(res)
    }

    /// Adds the check that a type of the module is the one that the module type says.
    fn require_same_type(
        &mut self,
        name: Ident,
        tparams: &[TypeParam],
        spec: Span,
        wanted: TypeRes,
        view: &mut View<'a>,
        actual: Option<&Module<'a>>,
    ) {
        let Some(module) = actual else { return };
        let Some(found) = module.ty(name.name) else { return self.report_lack(Member::Type, name, view, module) };
        if !self.require_arity(name, tparams, found, view) || self.behind(found, view) == self.behind(wanted, view) {
            return;
        }
        let tparams = self.program.ast.copy_tparams(tparams);
        self.declare_tparams(&tparams, spec);
        let (from, to) = (self.type_reference(name, &tparams, found), self.type_reference(name, &tparams, wanted));
        let x = Symbol::new("x");
        let var = self.program.ast.pats.alloc(Pat { kind: PatKind::Name(x), span: view.at });
        let param = self.program.ast.pats.alloc(Pat { kind: PatKind::Ascribe(var, from), span: view.at });
        let body = self.program.ast.exprs.alloc(Expr { kind: ExprKind::Name(x), span: view.at });
        self.program.names.exprs.insert(body, Res::Local(var));
        let mut uses = self.type_uses(found);
        uses.extend(self.type_uses(wanted));
        let attrs = Vec::new();
        let decl = DefDecl { entry: false, name, tparams, params: vec![param], ret: Some(to), body, attrs, doc: None, span: spec };
        let member = match found {
            TypeRes::Abbreviation(def) => Some(self.program.types[def].decl.span),
            TypeRes::Prim(_) | TypeRes::Param(_) => None,
        };
        let role = Role::SameType(Matching { spec, member, at: view.at });
        self.define(name, DefKind::Def(Arc::new(decl)), uses, Some(role), true);
    }

    /// The type that a plain name for a type leads to, as far as the module type may know.
    fn behind(&self, mut res: TypeRes, view: &View<'a>) -> TypeRes {
        while let TypeRes::Abbreviation(def) = res {
            let def = &self.program.types[def];
            let known = def.hiding == Hiding::Shown || (def.hiding == view.hiding && def.hiding != Hiding::Unknown);
            let next = match &self.program.ast.types[def.decl.ty].kind {
                TypeKind::Name { args, .. } if known && args.is_empty() && def.decl.tparams.is_empty() => {
                    self.program.names.types.get(def.decl.ty)
                }
                _ => None,
            };
            match next {
                Some(next) => res = *next,
                None => break,
            }
        }
        res
    }

    fn type_uses(&self, res: TypeRes) -> Vec<DefId> {
        match res {
            TypeRes::Abbreviation(def) => self.program.types[def].uses.clone(),
            TypeRes::Prim(_) | TypeRes::Param(_) => Vec::new(),
        }
    }

    fn declare_tparams(&mut self, tparams: &[TypeParam], span: Span) {
        let mut walk = self.walk(span.file);
        let mark = walk.scope.mark();
        walk.function(tparams, &[], None);
        walk.scope.leave(mark);
    }

    /// Whether a type of the module has the parameters that the module type says; reports where not.
    fn require_arity(&mut self, name: Ident, tparams: &[TypeParam], found: TypeRes, view: &mut View<'a>) -> bool {
        let (own, place) = match found {
            TypeRes::Abbreviation(def) => (self.program.types[def].decl.tparams.clone(), Some(self.program.types[def].decl.name.span)),
            TypeRes::Prim(_) | TypeRes::Param(_) => (Vec::new(), None),
        };
        if kinds(&own) == kinds(tparams) {
            return true;
        }
        let (found, specified) = (Parameters::of(&own), Parameters::of(tparams));
        self.error(view.at, ErrorKind::MemberParameters { name, found, defined: place, specified });
        view.failed = true;
        false
    }

    /// `t a [n]` for these declared parameters, where `t` means `res`.
    fn type_reference(&mut self, name: Ident, tparams: &[TypeParam], res: TypeRes) -> TypeId {
        let span = name.span;
        let mut args = Vec::with_capacity(tparams.len());
        for param in tparams {
            args.push(match param {
                TypeParam::Size(pat) => {
                    let PatKind::Name(size) = self.program.ast.pats[*pat].kind else {
                        crate::ice!(span, "a size parameter that is no name")
                    };
                    let expr = self.program.ast.exprs.alloc(Expr { kind: ExprKind::Name(size), span });
                    self.program.names.exprs.insert(expr, Res::Local(*pat));
                    TypeArg::Size(Dim::Expr(expr))
                }
                TypeParam::Type(ident) => {
                    let ty = self.program.ast.types.alloc(TypeExpr { kind: TypeKind::Name { path: vec![*ident], args: Vec::new() }, span });
                    if let Some(param) = self.program.names.declared.get(&ident.span) {
                        self.program.names.types.insert(ty, TypeRes::Param(*param));
                    }
                    TypeArg::Type(ty)
                }
            });
        }
        let ty = self.program.ast.types.alloc(TypeExpr { kind: TypeKind::Name { path: vec![name], args }, span });
        self.program.names.types.insert(ty, res);
        ty
    }
}

/// Which parameters are sizes.
fn kinds(tparams: &[TypeParam]) -> Vec<bool> {
    tparams.iter().map(|param| matches!(param, TypeParam::Size(_))).collect()
}
