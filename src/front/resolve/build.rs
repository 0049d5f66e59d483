//! Declarations in order: what is defined, and what the following ones see.

use super::error::{Error, ErrorKind};
use super::peel;
use super::scope::{Closure, Functor, FunctorKind, Globals, Module, Scope, Sig, Uniques, scalar_types};
use super::walk::{Later, Walk, not_applied};
use crate::base::{FileId, Span, Symbol};
use crate::ir::surface::modules::ModuleDecl;
use crate::ir::surface::view::is_builtin_operator;
use crate::ir::surface::{Decl, DefDecl, Ident, TypeArg, TypeDecl, TypeKind, TypeParam};
use crate::ir::tables::{Def, DefId, DefKind, Hiding, Program, Region, RegionId, RegionKind, Res, Role, TypeDef, TypeRes, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// Most definitions that applications of parametric modules may make: modules of modules grow fast.
pub(super) const MOST_COPIES: usize = 1 << 15;

/// Resolution of a whole program.
pub(super) struct Builder<'p, 'a> {
    pub program: &'p mut Program,
    pub files: Files<'a>,
    pub file: PerFile,
    pub scope: Scope<'a>,
    pub at: Place,
    pub copies: Copies,
    pub uniques: Uniques,
    pub errors: Vec<Error>,
    /// The places of words of other languages.
    pub foreign: FxHashSet<Span>,
}

/// What is known of the files of the program.
pub(super) struct Files<'a> {
    /// What each import names, by the place of its path.
    pub imports: FxHashMap<Span, FileId>,
    /// What the files before this one offer.
    pub exports: FxHashMap<FileId, Rc<Globals<'a>>>,
    /// The files of the standard library.
    pub library: FxHashSet<FileId>,
    /// The modules of library files that nobody names.
    pub idle: FxHashSet<(FileId, Symbol)>,
    pub prelude: Rc<Globals<'a>>,
}

/// What belongs to the present file only.
#[derive(Default)]
pub(super) struct PerFile {
    pub later: Later,
    /// Errors for which a suggestion was looked for.
    suggested: usize,
    /// The entry points so far, with their places.
    entries: FxHashMap<Symbol, Span>,
}

/// Definitions that applications of parametric modules copy.
#[derive(Default)]
pub(super) struct Copies {
    /// The members of parametric modules, by the place of their names.
    templates: FxHashMap<Span, DefId>,
    pub made: usize,
    /// Whether too many copies were reported.
    pub complained: bool,
    /// Errors of copies, which repeat those of what was copied.
    repeated: Vec<Error>,
}

/// Where in the program the builder is.
#[derive(Default, Clone)]
pub(super) struct Place {
    /// The names of the modules around.
    pub path: Vec<Symbol>,
    pub region: Option<RegionId>,
    /// Whether what is defined is checked but never run.
    pub template: bool,
    /// The application of a parametric module, written outside of any, for which its definitions are being copied.
    pub application: Option<Span>,
}

impl<'p, 'a> Builder<'p, 'a> {
    /// A builder that has seen nothing.
    pub fn new(program: &'p mut Program, imports: FxHashMap<Span, FileId>, idle: FxHashSet<(FileId, Symbol)>) -> Self {
        Builder {
            program,
            files: Files { imports, exports: FxHashMap::default(), library: FxHashSet::default(), idle, prelude: Rc::default() },
            file: PerFile::default(),
            scope: Scope::default(),
            at: Place::default(),
            copies: Copies::default(),
            uniques: Uniques::default(),
            errors: Vec::new(),
            foreign: FxHashSet::default(),
        }
    }

    /// Resolves a file; returns what it offers to files that import it.
    pub fn unit(&mut self, unit: &'a Unit) -> Globals<'a> {
        if unit.stdlib {
            self.files.library.insert(unit.source.file);
        }
        self.scope = Scope::default();
        self.scope.visible = Closure { prelude: self.files.prelude.clone(), env: Rc::default() };
        self.file = PerFile::default();
        self.file.later.add(&unit.source.decls);
        let mut offered = Globals::default();
        self.decls(&unit.source.decls, &mut offered);
        offered
    }

    /// Types that the prelude opens its modules for have the names that users write.
    pub fn prelude_types(&mut self, prelude: &Globals<'a>) {
        for (name, ty) in &prelude.types {
            if let TypeRes::Abbreviation(id) = ty {
                self.program.types[*id].name = *name;
            }
        }
    }

    /// Whether copies are being made, whose errors were reported for what is copied.
    pub fn copying(&self) -> bool {
        self.at.application.is_some()
    }

    pub fn error(&mut self, at: Span, kind: ErrorKind) {
        self.report(Error { at, kind });
    }
    pub fn report(&mut self, error: Error) {
        if !self.copying() {
            self.errors.push(error);
        }
    }

    /// A walk over a declaration that stands in a file.
    pub fn walk(&mut self, file: FileId) -> Walk<'_, 'a> {
        let stdlib = self.files.library.contains(&file);
        let copying = self.copying();
        Walk {
            ast: &self.program.ast,
            names: &mut self.program.names,
            tparams: &mut self.program.tparams,
            types: &self.program.types,
            scope: &mut self.scope,
            errors: if copying { &mut self.copies.repeated } else { &mut self.errors },
            defining: Vec::new(),
            abbreviation: None,
            later: &self.file.later,
            modules: &self.at.path,
            in_dim: false,
            stdlib,
            suggested: &mut self.file.suggested,
            foreign: &mut self.foreign,
            uses: Vec::new(),
        }
    }

    /// The name with those of the modules around.
    pub fn full_name(&self, name: Symbol) -> Symbol {
        if self.at.path.is_empty() {
            return name;
        }
        let mut text = String::new();
        for part in &self.at.path {
            text.push_str(part.as_str());
            text.push('.');
        }
        text.push_str(name.as_str());
        Symbol::new(&text)
    }

    /// Adds a definition.
    pub fn define(&mut self, name: Ident, decl: DefKind, uses: Vec<DefId>, role: Option<Role>, needed: bool) -> DefId {
        // What a module type makes belongs to where it is used.
        let file = match role {
            Some(Role::Shown(matching) | Role::SameType(matching)) => matching.at.file,
            _ => name.span.file,
        };
        let stdlib = self.files.library.contains(&file);
        let role = role.unwrap_or_else(|| match (self.copying(), self.at.path.is_empty()) {
            (true, _) => Role::Copy { template: self.copies.templates.get(&name.span).copied() },
            (false, true) => Role::Plain,
            (false, false) => Role::Member,
        });
        let shown = self.full_name(name.name);
        let unique = self.uniques.next(shown);
        let needed = needed && !stdlib && !self.copying();
        let region = self.at.region;
        let def = Def { decl, name: shown, unique, span: name.span, file, stdlib, needed, role, region, recursive: false };
        let id = self.program.defs.alloc(def);
        if self.copying() {
            self.copies.made += 1;
        } else if self.at.template {
            self.copies.templates.insert(name.span, id);
        }
        self.program.uses.insert(id, uses);
        id
    }

    /// Adds a type.
    pub fn define_type(&mut self, decl: Arc<TypeDecl>, hiding: Hiding, uses: Vec<DefId>) -> TypeRes {
        let name = self.full_name(decl.name.name);
        let file = decl.name.span.file;
        TypeRes::Abbreviation(self.program.types.alloc(TypeDef { decl, file, name, hiding, uses }))
    }

    /// The type that `type own 't = other t` is another name for, if the other one takes an array type apart (`Ast::type_arguments`): it
    /// would have nothing to take apart in the abbreviation itself.
    fn renamed_type(&self, decl: &TypeDecl) -> Option<TypeRes> {
        let ([TypeParam::Type(param)], TypeKind::Name { args, .. }) = (decl.tparams.as_slice(), &self.program.ast.types[decl.ty].kind)
        else {
            return None;
        };
        let ([TypeArg::Type(arg)], Some(res @ TypeRes::Abbreviation(other))) =
            (args.as_slice(), self.program.names.types.get(decl.ty).copied())
        else {
            return None;
        };
        let own = matches!(self.program.names.types.get(*arg), Some(TypeRes::Param(id)) if self.program.names.declared.get(&param.span) == Some(id));
        let others = &self.program.types[other].decl.tparams;
        (own && matches!(others.as_slice(), [TypeParam::Size(_), .., TypeParam::Type(_)])).then_some(res)
    }

    /// Adds a region inside of `parent`.
    pub fn new_region(&mut self, parent: Option<RegionId>, kind: RegionKind) -> RegionId {
        self.program.regions.alloc(Region { parent, kind, template: self.at.template || kind == RegionKind::Template })
    }

    /// Declarations in order; those that are not local are added to `offered`.
    pub fn decls(&mut self, decls: &'a [Decl], offered: &mut Globals<'a>) {
        for decl in decls {
            if self.at.application.is_some_and(|at| self.too_many_copies(at)) {
                return;
            }
            let (decl, local) = peel(decl);
            let mut nowhere = Globals::default();
            self.decl(decl, if local { &mut nowhere } else { offered });
        }
    }

    fn decl(&mut self, decl: &'a Decl, offered: &mut Globals<'a>) {
        match decl {
            Decl::Def(def) => {
                self.one_entry(def);
                let def = Arc::new(if self.copying() { self.program.ast.copy_def(def) } else { def.clone() });
                let own = self.sees_itself(&def).then(|| DefId::new(self.program.defs.len()));
                let mut walk = self.walk(def.name.span.file);
                let recursive = walk.def(&def, own);
                let uses = walk.uses;
                let id = self.define(def.name, DefKind::Def(def.clone()), uses, None, true);
                self.program.defs[id].recursive = recursive;
                self.bind_term(def.name.name, id, offered);
            }
            Decl::Val(val) => {
                let val = Arc::new(if self.copying() { self.program.ast.copy_val(val) } else { val.clone() });
                let mut walk = self.walk(val.name.span.file);
                walk.val(&val);
                let uses = walk.uses;
                let id = self.define(val.name, DefKind::Val(val.clone()), uses, None, true);
                self.bind_term(val.name.name, id, offered);
            }
            Decl::Type(ty) => {
                let ty = Arc::new(if self.copying() { self.program.ast.copy_type_decl(ty) } else { ty.clone() });
                let mut walk = self.walk(ty.name.span.file);
                walk.type_decl(&ty);
                let uses = walk.uses;
                let res = self.renamed_type(&ty).unwrap_or_else(|| self.define_type(ty.clone(), Hiding::Shown, uses));
                self.scope.globals().types.insert(ty.name.name, res);
                offered.types.insert(ty.name.name, res);
            }
            Decl::Import(import) => {
                if let Some(imported) = self.files.imports.get(&import.path_span).and_then(|file| self.files.exports.get(file)).cloned() {
                    self.scope.globals().extend(&imported);
                }
            }
            Decl::Module(module) => {
                let idle = self.at.path.is_empty() && self.files.idle.contains(&(module.name.span.file, module.name.name));
                let value = if idle { Module::Broken } else { self.module_decl(module) };
                self.scope.globals().modules.insert(module.name.name, value.clone());
                offered.modules.insert(module.name.name, value);
            }
            Decl::ModuleType(decl) => {
                let sig = Sig { sig: &decl.sig, closure: self.scope.visible.clone() };
                if !self.copying() && !self.files.library.contains(&decl.name.span.file) {
                    self.check_sig(decl.name, &decl.sig);
                }
                self.scope.globals().sigs.insert(decl.name.name, sig.clone());
                offered.sigs.insert(decl.name.name, sig);
            }
            Decl::Open(open) => {
                let path = self.at.path.clone();
                let module = self.module(&open.module);
                self.at.path = path;
                self.open(&module, open.module.span, offered);
            }
            Decl::Local(_) | Decl::Error(_) => {}
        }
    }

    /// Whether the name of a definition is itself in its body: it has parameters, and the name is not that of a definition before it in
    /// the same file or module, which it replaces. The library and operators of the language are never hidden by what uses them.
    fn sees_itself(&self, def: &DefDecl) -> bool {
        if def.params.is_empty() || is_builtin_operator(def.name.name) {
            return false;
        }
        match self.scope.term(def.name.name) {
            Some(Res::Global(earlier)) => {
                let earlier = &self.program.defs[earlier];
                let here = earlier.file == def.name.span.file && earlier.name == self.full_name(def.name.name);
                !here && !self.files.library.contains(&def.name.span.file)
            }
            Some(Res::Local(_) | Res::Scalar(..)) | None => true,
        }
    }

    /// Entry points are called by their names, so that a file has one of each name.
    fn one_entry(&mut self, def: &DefDecl) {
        // Those of modules are definitions like others.
        if !def.entry || !self.at.path.is_empty() || self.at.region.is_some() {
            return;
        }
        let Ident { name, span } = def.name;
        if let Some(first) = self.file.entries.insert(name, span) {
            self.error(span, ErrorKind::EntryTwice { name, first });
        }
    }

    fn bind_term(&mut self, name: Symbol, def: DefId, offered: &mut Globals<'a>) {
        let res = crate::ir::tables::Res::Global(def);
        self.scope.globals().terms.insert(name, res);
        offered.terms.insert(name, res);
    }

    /// Makes what is in a module visible, and part of what is offered.
    fn open(&mut self, module: &Module<'a>, span: Span, offered: &mut Globals<'a>) {
        let globals = match module {
            Module::Struct(globals) => globals.clone(),
            Module::Scalar(prim) => {
                let mut globals = Globals::default();
                for name in crate::base::scalar::members(*prim) {
                    let name = Symbol::new(name);
                    globals.terms.insert(name, crate::ir::tables::Res::Scalar(*prim, name));
                }
                globals.types.extend(scalar_types(*prim));
                Rc::new(globals)
            }
            Module::Functor(functor) => return self.report(not_applied(span, functor)),
            Module::Broken => return,
        };
        self.scope.globals().extend(&globals);
        offered.extend(&globals);
    }

    fn module_decl(&mut self, decl: &'a ModuleDecl) -> Module<'a> {
        let outer = self.at.path.clone();
        self.at.path.push(decl.name.name);
        let module = if decl.params.is_empty() {
            let module = self.module(&decl.body);
            match &decl.sig {
                Some(sig) => self.seal(module, sig),
                None => module,
            }
        } else {
            let kind = FunctorKind::Written { params: &decl.params, sig: decl.sig.as_ref(), body: &decl.body };
            let closure = self.scope.visible.clone();
            let functor = Functor { kind, closure, region: self.at.region, declared: decl.name.span, name: decl.name.name };
            self.check_functor(functor)
        };
        self.at.path = outer;
        module
    }
}
