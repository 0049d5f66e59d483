//! The module language as text.

use super::types::TypeLevel;
use super::{Printer, string_literal};
use crate::ir::surface::Ident;
use crate::ir::surface::modules::{ModuleDecl, ModuleExpr, ModuleExprKind, ModuleParam, ModuleType, ModuleTypeKind, Spec};

/// `m.n`.
pub(super) fn path(path: &[Ident]) -> String {
    let names: Vec<&str> = path.iter().map(|ident| ident.name.as_str()).collect();
    names.join(".")
}

fn block(items: &[String]) -> String {
    if items.is_empty() {
        return "{}".to_string();
    }
    let lines: Vec<String> = items.iter().map(|item| format!("  {}\n", item.replace('\n', "\n  "))).collect();
    format!("{{\n{}}}", lines.concat())
}

impl Printer<'_> {
    /// The text of a module declaration.
    pub(super) fn module_decl(&self, decl: &ModuleDecl) -> String {
        let params: String = decl.params.iter().map(|param| format!(" {}", self.module_param(param))).collect();
        let sig = decl.sig.as_ref().map_or(String::new(), |sig| format!(" : {}", self.module_type(sig)));
        format!("module {}{params}{sig} = {}", decl.name.name, self.module(&decl.body))
    }
    fn module_param(&self, param: &ModuleParam) -> String {
        format!("({}: {})", param.name.name, self.module_type(&param.sig))
    }

    /// The text of a module expression.
    pub(super) fn module(&self, module: &ModuleExpr) -> String {
        match &module.kind {
            ModuleExprKind::Error => "{}".to_string(),
            ModuleExprKind::Name(name) => path(name),
            ModuleExprKind::Import(import) => format!("import {}", string_literal(import.path.as_str())),
            ModuleExprKind::Struct(decls) => block(&decls.iter().map(|decl| self.decl(decl)).collect::<Vec<_>>()),
            ModuleExprKind::Apply { fun, arg } => format!("{} {}", self.module(fun), self.module(arg)),
            ModuleExprKind::Ascribe { module, sig } => format!("{} : {}", self.module(module), self.module_type(sig)),
            ModuleExprKind::Lambda { param, sig, body } => {
                let sig = sig.as_ref().map_or(String::new(), |sig| format!(" : {}", self.module_type(sig)));
                format!("\\{}{sig} -> {}", self.module_param(param), self.module(body))
            }
            ModuleExprKind::Paren(inner) => format!("({})", self.module(inner)),
        }
    }

    /// The text of a module type.
    pub(super) fn module_type(&self, sig: &ModuleType) -> String {
        match &sig.kind {
            ModuleTypeKind::Error => "{}".to_string(),
            ModuleTypeKind::Name(name) => path(name),
            ModuleTypeKind::Specs(specs) => block(&specs.iter().map(|spec| self.spec(spec)).collect::<Vec<_>>()),
            ModuleTypeKind::With { sig, path: name, tparams, ty } => {
                let mut out = format!("{} with {}", self.module_type(sig), path(name));
                self.put_tparams(&mut out, tparams);
                out.push_str(" = ");
                self.put_type(&mut out, *ty, TypeLevel::Term);
                out
            }
            ModuleTypeKind::Arrow { param: Some(param), from, to } => {
                format!("({}: {}) -> {}", param.name, self.module_type(from), self.module_type(to))
            }
            ModuleTypeKind::Arrow { param: None, from, to } => format!("{} -> {}", self.module_type(from), self.module_type(to)),
            ModuleTypeKind::Paren(inner) => format!("({})", self.module_type(inner)),
        }
    }

    fn spec(&self, spec: &Spec) -> String {
        match spec {
            Spec::Val(val) => self.val(val),
            Spec::Type(ty) => self.type_decl(ty),
            Spec::Abstract(ty) => {
                let mut out = format!("type {}", ty.name.name);
                self.put_tparams(&mut out, &ty.tparams);
                out
            }
            Spec::Module(module) => format!("module {} : {}", module.name.name, self.module_type(&module.sig)),
            Spec::Include(sig) => format!("include {}", self.module_type(sig)),
            Spec::Error(_) => String::new(),
        }
    }
}
