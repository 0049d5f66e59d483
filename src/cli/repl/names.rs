//! The names that can be completed: those of definitions, and of the members that modules show.

use crate::base::{PrimType, scalar};
use crate::ir::surface::Decl;
use crate::ir::surface::modules::{ModuleDecl, ModuleExpr, ModuleExprKind, ModuleType, ModuleTypeKind, Spec};
use crate::ir::tables::Program;
use rustc_hash::FxHashMap;

/// Modules that are defined by each other are followed so far.
const DEPTH: usize = 16;

/// The modules and module types of a program, by name. Later ones hide earlier ones.
#[derive(Default)]
struct Modules<'a> {
    modules: FxHashMap<&'static str, &'a ModuleDecl>,
    types: FxHashMap<&'static str, &'a ModuleType>,
}

/// All names of a program, members as `m.x`. Modules may make their members only when these are used, so that trees say which there are.
pub fn all(program: &Program) -> Vec<String> {
    let mut found = Modules::default();
    let mut names = Vec::new();
    for decl in program.units.iter().flat_map(|unit| &unit.source.decls) {
        match decl {
            Decl::Def(def) => names.push(def.name.name.to_string()),
            Decl::Val(val) => names.push(val.name.name.to_string()),
            Decl::Module(module) => {
                found.modules.insert(module.name.name.as_str(), module);
            }
            Decl::ModuleType(decl) => {
                found.types.insert(decl.name.name.as_str(), &decl.sig);
            }
            Decl::Type(_) | Decl::Import(_) | Decl::Open(_) | Decl::Local(_) | Decl::Error(_) => {}
        }
    }
    for (name, module) in &found.modules {
        let mut members = Vec::new();
        found.of_decl(module, DEPTH, &mut members);
        if module.params.is_empty() {
            names.extend(members.iter().map(|member| format!("{name}.{member}")));
        }
        names.push((*name).to_string());
    }
    for prim in PrimType::ALL {
        names.extend(scalar::members(prim).into_iter().map(|member| format!("{prim}.{member}")));
    }
    names.retain(|name| name.chars().all(|c| c.is_alphanumeric() || "_'.".contains(c)));
    names
}

impl Modules<'_> {
    fn of_decl(&self, module: &ModuleDecl, depth: usize, out: &mut Vec<&'static str>) {
        match &module.sig {
            Some(sig) => self.of_type(sig, depth, out),
            None => self.of_module(&module.body, depth, out),
        }
    }

    fn of_module(&self, module: &ModuleExpr, depth: usize, out: &mut Vec<&'static str>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match &module.kind {
            ModuleExprKind::Struct(decls) => {
                for decl in decls {
                    match decl {
                        Decl::Def(def) => out.push(def.name.name.as_str()),
                        Decl::Open(open) => self.of_module(&open.module, depth, out),
                        Decl::Val(_)
                        | Decl::Type(_)
                        | Decl::Import(_)
                        | Decl::Module(_)
                        | Decl::ModuleType(_)
                        | Decl::Local(_)
                        | Decl::Error(_) => {}
                    }
                }
            }
            ModuleExprKind::Name(path) => {
                if let [name] = path.as_slice()
                    && let Some(module) = self.modules.get(name.name.as_str())
                {
                    self.of_decl(module, depth, out);
                }
            }
            ModuleExprKind::Apply { fun: inner, .. } | ModuleExprKind::Lambda { body: inner, .. } | ModuleExprKind::Paren(inner) => {
                self.of_module(inner, depth, out);
            }
            ModuleExprKind::Ascribe { sig, .. } => self.of_type(sig, depth, out),
            ModuleExprKind::Import(_) | ModuleExprKind::Error => {}
        }
    }

    fn of_type(&self, sig: &ModuleType, depth: usize, out: &mut Vec<&'static str>) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match &sig.kind {
            ModuleTypeKind::Name(path) => {
                if let [name] = path.as_slice()
                    && let Some(sig) = self.types.get(name.name.as_str())
                {
                    self.of_type(sig, depth, out);
                }
            }
            ModuleTypeKind::Specs(specs) => {
                for spec in specs {
                    match spec {
                        Spec::Val(val) => out.push(val.name.name.as_str()),
                        Spec::Include(inner) => self.of_type(inner, depth, out),
                        Spec::Type(_) | Spec::Abstract(_) | Spec::Module(_) | Spec::Error(_) => {}
                    }
                }
            }
            ModuleTypeKind::With { sig, .. } | ModuleTypeKind::Arrow { to: sig, .. } | ModuleTypeKind::Paren(sig) => {
                self.of_type(sig, depth, out);
            }
            ModuleTypeKind::Error => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::base::SourceMap;
    use crate::driver;

    #[test]
    fn members_of_modules_are_known_before_they_are_used() {
        struct Nothing;
        impl crate::front::resolve::Loader for Nothing {
            fn load(&self, _: &str) -> Result<String, String> {
                Err("not here".into())
            }
        }
        let mut sources = SourceMap::default();
        let root = sources.add("a.rem", "module m = { def x = 1 }\nmodule n = m\nimport \"lib/np\"\n");
        let names = all(&driver::check(&mut sources, &Nothing, root).program);
        for name in ["map", "f64.sqrt", "i32.max", "m.x", "n.x", "np_f32.mean", "m"] {
            assert!(names.iter().any(|known| known == name), "{name}");
        }
    }
}
