//! What module expressions mean.
//!
//! A parametric module is checked once, as a *template*: its parameters have the members that their module types promise, of types of
//! which nothing else is known. Each application copies its definitions. In the copies the types of the parameters have something behind
//! them, but the copy itself may not know it ([`Hiding::Inside`]): so inference finds in a copy what it found in the template, and
//! every copy of an accepted template is accepted.

use super::build::{Builder, Place};
use super::error::{Callee, Error, ErrorKind};
use super::scope::{Closure, Functor, FunctorKind, Globals, Module};
use crate::base::{Span, Symbol};
use crate::ir::surface::modules::{ModuleExpr, ModuleExprKind, ModuleType};
use crate::ir::tables::{Hiding, RegionKind};
use std::rc::Rc;

impl<'a> Builder<'_, 'a> {
    /// The module that an expression denotes. Reports what is wrong with it.
    pub(super) fn module(&mut self, module: &'a ModuleExpr) -> Module<'a> {
        match &module.kind {
            ModuleExprKind::Error => Module::Broken,
            ModuleExprKind::Paren(inner) => self.module(inner),
            ModuleExprKind::Name(path) => self.walk(module.span.file).module_path(path).unwrap_or(Module::Broken),
            ModuleExprKind::Import(import) => {
                let file = self.files.imports.get(&import.path_span);
                file.and_then(|file| self.files.exports.get(file)).map_or(Module::Broken, |offered| Module::Struct(offered.clone()))
            }
            ModuleExprKind::Struct(decls) => {
                let outer = self.scope.visible.clone();
                let later = self.file.later.clone();
                self.file.later.add(decls);
                let mut offered = Globals::default();
                self.decls(decls, &mut offered);
                self.scope.visible = outer;
                self.file.later = later;
                Module::Struct(Rc::new(offered))
            }
            ModuleExprKind::Apply { fun, arg } => {
                let callee = self.module(fun);
                let functor = match callee {
                    Module::Functor(functor) => Some(functor),
                    Module::Broken => None,
                    Module::Struct(_) | Module::Scalar(_) => {
                        let callee = match &fun.kind {
                            ModuleExprKind::Name(path) => Callee::Named(path.clone()),
                            ModuleExprKind::Apply { .. } => Callee::Applied,
                            _ => Callee::Other,
                        };
                        self.error(fun.span, ErrorKind::NotParametric { callee, argument: arg.span });
                        None
                    }
                };
                let outer = self.at.path.clone();
                if let Some(functor) = &functor {
                    self.at.path.extend(parameter_name(functor));
                }
                let arg = self.module(arg);
                self.at.path = outer;
                functor.map_or(Module::Broken, |functor| self.apply(&functor, arg, module.span))
            }
            ModuleExprKind::Ascribe { module, sig } => {
                let module = self.module(module);
                self.seal(module, sig)
            }
            ModuleExprKind::Lambda { param, sig, body } => {
                let kind = FunctorKind::Written { params: std::slice::from_ref(&**param), sig: sig.as_ref(), body };
                let closure = self.scope.visible.clone();
                let name = self.at.path.last().copied().unwrap_or_else(|| Symbol::new("module"));
                let functor = Functor { kind, closure, region: self.at.region, declared: module.span, name };
                self.check_functor(functor)
            }
        }
    }

    /// Checks the body of a parametric module for all applications. The result is the module, if it can be applied at all.
    pub(super) fn check_functor(&mut self, functor: Functor<'a>) -> Module<'a> {
        let FunctorKind::Written { params, sig, body } = functor.kind else { return Module::Broken };
        // Those of the library are looked at where they are applied.
        if self.copying() || self.files.library.contains(&functor.declared.file) {
            return Module::Functor(Rc::new(functor));
        }
        let mut broken = false;
        let outer = (self.at.clone(), self.scope.visible.clone());
        let region = self.new_region(self.at.region, RegionKind::Template);
        self.at = Place { region: Some(region), template: true, ..outer.0.clone() };
        for param in params {
            let shown = self.unknown_module(param.name.name, &param.sig);
            broken |= shown.is_broken();
            self.scope.globals().modules.insert(param.name.name, shown);
        }
        let module = self.module(body);
        if let Some(sig) = sig {
            self.seal(module, sig);
        }
        (self.at, self.scope.visible) = outer;
        if broken { Module::Broken } else { Module::Functor(Rc::new(functor)) }
    }

    /// A module of which only the type is known.
    pub(super) fn unknown_module(&mut self, name: Symbol, sig: &'a ModuleType) -> Module<'a> {
        let outer = self.scope.visible.clone();
        self.at.path.push(name);
        let module = self.view_as(sig, None, Hiding::Unknown, sig.span);
        self.at.path.pop();
        self.scope.visible = outer;
        module
    }

    /// A module as its module type shows it: abstract types are equal to themselves only.
    pub(super) fn seal(&mut self, module: Module<'a>, sig: &'a ModuleType) -> Module<'a> {
        if module.is_broken() {
            return Module::Broken;
        }
        let outer = (self.at.region, self.scope.visible.clone());
        let region = self.new_region(self.at.region, RegionKind::Sealing);
        self.at.region = Some(region);
        let shown = self.view_as(sig, Some(module), Hiding::Outside(region), sig.span);
        (self.at.region, self.scope.visible) = outer;
        shown
    }

    /// The result of an application.
    pub(super) fn apply(&mut self, functor: &Rc<Functor<'a>>, arg: Module<'a>, span: Span) -> Module<'a> {
        if arg.is_broken() || self.too_many_copies(span) {
            return Module::Broken;
        }
        let at = self.at.application.unwrap_or(span);
        let region = self.new_region(functor.region, RegionKind::Application { at, declared: functor.declared });
        match &functor.kind {
            FunctorKind::Written { params, sig, body } => {
                let Some((param, rest)) = params.split_first() else { return Module::Broken };
                let arg = self.argument(functor, &param.sig, param.name.name, arg, Hiding::Inside(region), span);
                let mut closure = functor.closure.clone();
                Rc::make_mut(&mut closure.env).modules.insert(param.name.name, arg.clone());
                if arg.is_broken() {
                    return Module::Broken;
                }
                if !rest.is_empty() {
                    let kind = FunctorKind::Written { params: rest, sig: *sig, body };
                    return Module::Functor(Rc::new(Functor {
                        kind,
                        closure,
                        region: Some(region),
                        declared: functor.declared,
                        name: functor.name,
                    }));
                }
                self.copied(functor, closure, region, at, |this| {
                    let module = this.module(body);
                    match sig {
                        Some(sig) => this.seal(module, sig),
                        None => module,
                    }
                })
            }
            FunctorKind::Unknown { from, to, param } => {
                let name = param.unwrap_or(functor.name);
                let arg = self.argument(functor, from, name, arg, Hiding::Inside(region), span);
                let mut closure = functor.closure.clone();
                if let Some(param) = param {
                    Rc::make_mut(&mut closure.env).modules.insert(*param, arg.clone());
                }
                let outer = std::mem::replace(&mut self.scope.visible, closure);
                let result = if arg.is_broken() { Module::Broken } else { self.view_as(to, None, Hiding::Unknown, span) };
                self.scope.visible = outer;
                result
            }
            FunctorKind::Shown { inner, from, to, param } => {
                let name = param.unwrap_or(functor.name);
                let arg = self.argument(functor, from, name, arg, Hiding::Inside(region), span);
                let result = self.apply(inner, arg.clone(), span);
                if result.is_broken() {
                    return Module::Broken;
                }
                let mut closure = functor.closure.clone();
                if let Some(param) = param {
                    Rc::make_mut(&mut closure.env).modules.insert(*param, arg);
                }
                let outer = (self.at.region, std::mem::replace(&mut self.scope.visible, closure));
                let region = self.new_region(self.at.region, RegionKind::Sealing);
                self.at.region = Some(region);
                let shown = self.view_as(to, Some(result), Hiding::Outside(region), span);
                (self.at.region, self.scope.visible) = outer;
                shown
            }
        }
    }

    /// The argument of a parametric module as the parameter's module type shows it.
    fn argument(
        &mut self,
        functor: &Functor<'a>,
        sig: &'a ModuleType,
        name: Symbol,
        arg: Module<'a>,
        hiding: Hiding,
        span: Span,
    ) -> Module<'a> {
        let outer = std::mem::replace(&mut self.scope.visible, functor.closure.clone());
        self.at.path.push(name);
        let shown = self.view_as(sig, Some(arg), hiding, span);
        self.at.path.pop();
        self.scope.visible = outer;
        shown
    }

    /// Does something for a copy of a parametric module.
    fn copied(
        &mut self,
        functor: &Functor<'a>,
        closure: Closure<'a>,
        region: crate::ir::tables::RegionId,
        at: Span,
        make: impl FnOnce(&mut Self) -> Module<'a>,
    ) -> Module<'a> {
        let outer = (self.at.clone(), std::mem::replace(&mut self.scope.visible, closure));
        if self.at.path.is_empty() {
            self.at.path.push(functor.name);
        }
        self.at.region = Some(region);
        self.at.application = Some(at);
        let module = make(self);
        (self.at, self.scope.visible) = outer;
        module
    }

    /// Whether applications have made more definitions than is sensible, which is reported once.
    pub(super) fn too_many_copies(&mut self, span: Span) -> bool {
        let too_many = self.copies.made > super::build::MOST_COPIES;
        if too_many && !self.copies.complained {
            self.copies.complained = true;
            let at = self.at.application.unwrap_or(span);
            self.errors.push(Error { at, kind: ErrorKind::TooManyCopies });
        }
        too_many
    }
}

fn parameter_name(functor: &Functor<'_>) -> Option<Symbol> {
    match &functor.kind {
        FunctorKind::Written { params, .. } => params.first().map(|param| param.name.name),
        FunctorKind::Unknown { param, .. } | FunctorKind::Shown { param, .. } => *param,
    }
}
