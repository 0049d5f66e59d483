//! Names in scope.

use crate::base::{PrimType, Span, Symbol, scalar};
use crate::ir::surface::PatId;
use crate::ir::surface::modules::{ModuleExpr, ModuleParam, ModuleType};
use crate::ir::tables::{DefId, RegionId, Res, TypeRes};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a file or a module offers, and what is visible at some place outside of definitions.
#[derive(Default, Clone)]
pub(super) struct Globals<'a> {
    pub terms: FxHashMap<Symbol, Res>,
    pub types: FxHashMap<Symbol, TypeRes>,
    pub modules: FxHashMap<Symbol, Module<'a>>,
    pub sigs: FxHashMap<Symbol, Sig<'a>>,
}

impl<'a> Globals<'a> {
    /// Takes over everything of another.
    pub fn extend(&mut self, other: &Globals<'a>) {
        self.terms.extend(other.terms.iter().map(|(name, res)| (*name, *res)));
        self.types.extend(other.types.iter().map(|(name, ty)| (*name, *ty)));
        self.modules.extend(other.modules.iter().map(|(name, module)| (*name, module.clone())));
        self.sigs.extend(other.sigs.iter().map(|(name, sig)| (*name, sig.clone())));
    }
}

/// A module.
#[derive(Clone)]
pub(super) enum Module<'a> {
    /// With members.
    Struct(Rc<Globals<'a>>),
    /// The module of a scalar type.
    Scalar(PrimType),
    /// Parametric.
    Functor(Rc<Functor<'a>>),
    /// With an error that was reported: whatever is asked of it means nothing, silently.
    Broken,
}

impl<'a> Module<'a> {
    pub fn term(&self, name: Symbol) -> Option<Res> {
        match self {
            Module::Struct(globals) => globals.terms.get(&name).copied(),
            Module::Scalar(prim) => scalar::member(*prim, name.as_str()).map(|_| Res::Scalar(*prim, name)),
            Module::Functor(_) | Module::Broken => None,
        }
    }
    pub fn ty(&self, name: Symbol) -> Option<TypeRes> {
        match self {
            Module::Struct(globals) => globals.types.get(&name).copied(),
            Module::Scalar(prim) => match name.as_str() {
                "t" => Some(TypeRes::Prim(*prim)),
                "int_t" => bits(*prim).map(TypeRes::Prim),
                "real" => prim.part().map(TypeRes::Prim),
                _ => None,
            },
            Module::Functor(_) | Module::Broken => None,
        }
    }
    pub fn module(&self, name: Symbol) -> Option<Module<'a>> {
        match self {
            Module::Struct(globals) => globals.modules.get(&name).cloned(),
            Module::Broken => Some(Module::Broken),
            Module::Scalar(_) | Module::Functor(_) => None,
        }
    }
    pub fn is_broken(&self) -> bool {
        matches!(self, Module::Broken)
    }
    /// The names of its values, for suggestions.
    pub fn term_names(&self) -> Vec<&'static str> {
        match self {
            Module::Struct(globals) => globals.terms.keys().map(|name| name.as_str()).collect(),
            Module::Scalar(prim) => scalar::members(*prim),
            Module::Functor(_) | Module::Broken => Vec::new(),
        }
    }
}

/// The unsigned integers with as many bits as a float type.
fn bits(prim: PrimType) -> Option<PrimType> {
    match prim {
        PrimType::F16 => Some(PrimType::U16),
        PrimType::F32 => Some(PrimType::U32),
        PrimType::F64 => Some(PrimType::U64),
        _ => None,
    }
}

/// All types of a scalar module.
pub(super) fn scalar_types(prim: PrimType) -> impl Iterator<Item = (Symbol, TypeRes)> {
    let own = (Symbol::new("t"), TypeRes::Prim(prim));
    let part = prim.part().map(|part| (Symbol::new("real"), TypeRes::Prim(part)));
    std::iter::once(own).chain(bits(prim).map(|bits| (Symbol::new("int_t"), TypeRes::Prim(bits)))).chain(part)
}

/// What is visible where something was written.
#[derive(Clone, Default)]
pub(super) struct Closure<'a> {
    pub prelude: Rc<Globals<'a>>,
    pub env: Rc<Globals<'a>>,
}

/// A module type and what its names mean.
#[derive(Clone)]
pub(super) struct Sig<'a> {
    pub sig: &'a ModuleType,
    pub closure: Closure<'a>,
}

/// A parametric module.
pub(super) struct Functor<'a> {
    pub kind: FunctorKind<'a>,
    pub closure: Closure<'a>,
    /// The region in which it was declared.
    pub region: Option<RegionId>,
    /// Where its name, or the function without a name, stands.
    pub declared: Span,
    /// Its name, for the names of what applications without a name make.
    pub name: Symbol,
}

pub(super) enum FunctorKind<'a> {
    /// At least one parameter.
    Written { params: &'a [ModuleParam], sig: Option<&'a ModuleType>, body: &'a ModuleExpr },
    /// A parameter of a parametric module: only its type is known.
    Unknown { from: &'a ModuleType, to: &'a ModuleType, param: Option<Symbol> },
    /// Another one, as the type of a parameter shows it.
    Shown { inner: Rc<Functor<'a>>, from: &'a ModuleType, to: &'a ModuleType, param: Option<Symbol> },
}

/// A place to go back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    terms: usize,
    types: usize,
    modules: usize,
}

/// Everything that is visible at one place: definitions, and local names with a log of what they hid, so that leaving a scope
/// restores it.
#[derive(Default)]
pub(super) struct Scope<'a> {
    /// Definitions: imported ones and earlier ones of the file and the modules around.
    pub visible: Closure<'a>,
    locals: FxHashMap<Symbol, Res>,
    /// The function whose body sees itself.
    itself: Option<DefId>,
    local_types: FxHashMap<Symbol, TypeRes>,
    local_modules: FxHashMap<Symbol, Module<'a>>,
    hidden_terms: Vec<(Symbol, Option<Res>)>,
    hidden_types: Vec<(Symbol, Option<TypeRes>)>,
    hidden_modules: Vec<(Symbol, Option<Module<'a>>)>,
}

fn restore<V>(map: &mut FxHashMap<Symbol, V>, hidden: &mut Vec<(Symbol, Option<V>)>, mark: usize) {
    for (name, hidden) in hidden.drain(mark..).rev() {
        match hidden {
            Some(value) => map.insert(name, value),
            None => map.remove(&name),
        };
    }
}

impl<'a> Scope<'a> {
    pub fn mark(&self) -> Mark {
        Mark { terms: self.hidden_terms.len(), types: self.hidden_types.len(), modules: self.hidden_modules.len() }
    }

    /// Forgets all locals bound since the mark.
    pub fn leave(&mut self, mark: Mark) {
        restore(&mut self.locals, &mut self.hidden_terms, mark.terms);
        restore(&mut self.local_types, &mut self.hidden_types, mark.types);
        restore(&mut self.local_modules, &mut self.hidden_modules, mark.modules);
    }

    /// The definitions, to be added to.
    pub fn globals(&mut self) -> &mut Globals<'a> {
        Rc::make_mut(&mut self.visible.env)
    }

    pub fn bind(&mut self, name: Symbol, pat: PatId) {
        self.bind_res(name, Res::Local(pat));
    }
    /// Makes a definition visible as locals are, in its own body.
    pub fn bind_definition(&mut self, name: Symbol, def: DefId) {
        self.itself = Some(def);
        self.bind_res(name, Res::Global(def));
    }
    fn bind_res(&mut self, name: Symbol, res: Res) {
        let hidden = self.locals.insert(name, res);
        self.hidden_terms.push((name, hidden));
    }
    pub fn bind_type(&mut self, name: Symbol, ty: TypeRes) {
        let hidden = self.local_types.insert(name, ty);
        self.hidden_types.push((name, hidden));
    }

    /// Makes the members of a module visible, in front of everything else.
    pub fn open(&mut self, module: &Module<'a>) {
        match module {
            Module::Struct(globals) => {
                globals.terms.iter().for_each(|(name, res)| self.bind_res(*name, *res));
                globals.types.iter().for_each(|(name, ty)| self.bind_type(*name, *ty));
                for (name, module) in &globals.modules {
                    let hidden = self.local_modules.insert(*name, module.clone());
                    self.hidden_modules.push((*name, hidden));
                }
            }
            Module::Scalar(prim) => {
                for name in scalar::members(*prim) {
                    let name = Symbol::new(name);
                    // `re`, `im`, `mk`: good names for variables, which stay what they are.
                    let variable = prim.is_complex() && matches!(self.locals.get(&name), Some(Res::Local(_)));
                    if !variable {
                        self.bind_res(name, Res::Scalar(*prim, name));
                    }
                }
                scalar_types(*prim).for_each(|(name, ty)| self.bind_type(name, ty));
            }
            Module::Functor(_) | Module::Broken => {}
        }
    }

    pub fn term(&self, name: Symbol) -> Option<Res> {
        let known = self.locals.get(&name).or_else(|| self.visible.env.terms.get(&name));
        known.or_else(|| self.visible.prelude.terms.get(&name)).copied()
    }
    /// Whether `name.x` is a field of a variable rather than a member of a module.
    pub fn hides_module(&self, name: Symbol) -> bool {
        // The conversions of an opened scalar module are called like scalar modules, and have no fields.
        if matches!(self.term(name), Some(Res::Scalar(..))) && PrimType::from_name(name.as_str()).is_some() {
            return false;
        }
        let env = &self.visible.env;
        match self.locals.get(&name) {
            // A function has no fields.
            Some(Res::Global(def)) if self.itself == Some(*def) => false,
            Some(_) => true,
            None if self.local_modules.contains_key(&name) || env.modules.contains_key(&name) => false,
            None if env.terms.contains_key(&name) => true,
            None => !self.visible.prelude.modules.contains_key(&name) && self.visible.prelude.terms.contains_key(&name),
        }
    }

    pub fn ty(&self, name: Symbol) -> Option<TypeRes> {
        let known = self.local_types.get(&name).or_else(|| self.visible.env.types.get(&name));
        known.or_else(|| self.visible.prelude.types.get(&name)).copied()
    }

    /// The module of this name; scalar modules come last.
    pub fn module(&self, name: Symbol) -> Option<Module<'a>> {
        let known = self.local_modules.get(&name).or_else(|| self.visible.env.modules.get(&name));
        let known = known.or_else(|| self.visible.prelude.modules.get(&name)).cloned();
        known.or_else(|| PrimType::from_name(name.as_str()).map(Module::Scalar))
    }
    pub fn sig(&self, name: Symbol) -> Option<Sig<'a>> {
        self.visible.env.sigs.get(&name).or_else(|| self.visible.prelude.sigs.get(&name)).cloned()
    }

    fn layers(&self) -> [&Globals<'a>; 2] {
        [&self.visible.env, &self.visible.prelude]
    }
    /// All visible names of variables and definitions.
    pub fn term_names(&self) -> impl Iterator<Item = &'static str> {
        self.locals.keys().chain(self.layers().into_iter().flat_map(|layer| layer.terms.keys())).map(|name| name.as_str())
    }
    /// All visible names of types but the scalar ones.
    pub fn type_names(&self) -> impl Iterator<Item = &'static str> {
        self.local_types.keys().chain(self.layers().into_iter().flat_map(|layer| layer.types.keys())).map(|name| name.as_str())
    }
    /// All visible names of modules but the scalar ones.
    pub fn module_names(&self) -> impl Iterator<Item = &'static str> {
        self.local_modules.keys().chain(self.layers().into_iter().flat_map(|layer| layer.modules.keys())).map(|name| name.as_str())
    }
    /// All visible names of module types.
    pub fn sig_names(&self) -> impl Iterator<Item = &'static str> {
        self.layers().into_iter().flat_map(|layer| layer.sigs.keys()).map(|name| name.as_str())
    }
}

/// Hands out names that are unique in the program.
#[derive(Default)]
pub(super) struct Uniques {
    used: FxHashMap<Symbol, u32>,
}

impl Uniques {
    /// The name itself the first time, then `f.1`, `f.2`, ..: no name of the language looks so. Names of scalar operations are taken.
    pub fn next(&mut self, name: Symbol) -> Symbol {
        let count = self.used.entry(name).or_insert_with(|| u32::from(scalar::qualified(name.as_str()).is_some()));
        *count += 1;
        match *count {
            1 => name,
            n => Symbol::new(&format!("{name}.{}", n - 1)),
        }
    }
}
