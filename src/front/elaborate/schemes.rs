//! The sized types of definitions: what elaboration keeps between them.

use super::inner::Seen;
use super::{computed, shape_var, sizes, unit};
use crate::base::Symbol;
use crate::ir::core::{self, Atom, DimAtom, Param, Type};
use crate::ir::tables::{DefId, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;

/// The sized type of a definition: `Pi (sizes.. @types..) (Forall (types..) ty)`.
#[derive(Debug, Clone)]
pub struct Scheme {
    /// Its name in core.
    pub name: Symbol,
    /// Size parameters, declared ones first.
    pub sizes: Vec<Symbol>,
    /// Type parameters.
    pub types: Vec<Symbol>,
    /// The type in terms of these.
    pub ty: Type,
    /// Whether it has no parameters but sizes and types, on which a computation depends: in core it is a function of `()`.
    pub computed: bool,
    /// What computes sizes that results of functions in the type hide, by their names.
    pub hidden: Vec<(Symbol, core::Expr)>,
    /// Sizes that parameters which are functions are applied to.
    pub arguments: Vec<computed::ArgumentSize>,
}

impl Scheme {
    pub(super) fn index_params(&self) -> Vec<Symbol> {
        self.sizes.iter().copied().chain(self.types.iter().map(|t| shape_var(*t))).collect()
    }
    /// The type as one core type.
    pub fn core_type(&self) -> Type {
        let own = without_idle_names(&self.ty);
        let ty = if self.computed { Type::fun(vec![Param { name: None, ty: unit() }], own) } else { own };
        let inner = if self.types.is_empty() { ty } else { Type::scalar(Atom::Forall(self.types.clone(), ty)) };
        let indices = self.index_params();
        if indices.is_empty() { inner } else { Type::scalar(Atom::Pi(indices, inner)) }
    }
}

/// The type of a function with the names of those parameters only that it mentions. Sizes that it hides may be computed from others.
pub(super) fn without_idle_names(ty: &Type) -> Type {
    let Atom::Fun(params, ret) = ty.atom() else { return ty.clone() };
    if params.iter().all(|param| param.name.is_none()) {
        return ty.clone();
    }
    let mut used = sizes::free_atoms(ret);
    let mut params = params.clone();
    for param in params.iter_mut().rev() {
        param.name = param.name.filter(|name| used.contains(&DimAtom::Size(*name)));
        used.extend(sizes::free_atoms(&param.ty));
    }
    Type::new(Atom::Fun(params, ret.clone()), ty.shape().clone())
}

/// What elaboration keeps between definitions.
#[derive(Debug, Default, Clone)]
pub struct Schemes {
    pub(super) defs: FxHashMap<DefId, Scheme>,
    pub(super) variants: FxHashMap<(DefId, Vec<usize>), Scheme>,
    /// The variants that the elaboration of the present definition has added: they go with it if it fails.
    pub(super) added: Vec<(DefId, Vec<usize>)>,
    /// Time spent on sizes so far.
    pub size_time: Duration,
    /// Names of all definitions in core.
    pub(super) taken: FxHashSet<Symbol>,
    /// Constants that are others by another name: the same sizes.
    pub(super) constants: FxHashMap<Symbol, Symbol>,
    /// The constants that are sizes in the type of a definition.
    pub(super) mentioned: FxHashMap<DefId, Vec<Symbol>>,
    /// The definition whose inner types are kept, and what they are.
    pub(super) watched: Option<DefId>,
    pub(super) seen: Seen,
}

impl Schemes {
    /// For a program of which nothing has been elaborated yet.
    pub fn new(program: &Program) -> Schemes {
        Schemes { taken: program.defs.iter().map(|(_, d)| d.unique).collect(), ..Schemes::default() }
    }
    /// Takes over what is known about a definition, or what it was before in another version of the program.
    pub fn adopt(&mut self, def: DefId, from: &Schemes, old: DefId) {
        let Some(scheme) = from.defs.get(&old) else { return };
        self.constants.extend(from.constants.get(&scheme.name).map(|first| (scheme.name, *first)));
        from.mentioned.get(&old).into_iter().for_each(|names| drop(self.mentioned.insert(def, names.clone())));
        for ((_, sizes), variant) in from.variants.iter().filter(|((of, _), _)| *of == old) {
            self.variants.insert((def, sizes.clone()), variant.clone());
        }
        self.defs.insert(def, scheme.clone());
    }
    /// Whether others see no difference between a definition and what it was before.
    pub fn agrees(&self, def: DefId, before: &Schemes, old: DefId) -> bool {
        let (Some(a), Some(b)) = (self.defs.get(&def), before.defs.get(&old)) else { return false };
        let varied = |schemes: &Schemes, def: DefId| schemes.variants.keys().any(|(of, _)| *of == def);
        (a.name, &a.sizes, &a.types, &a.ty, a.computed) == (b.name, &b.sizes, &b.types, &b.ty, b.computed)
            && a.hidden.is_empty()
            && b.hidden.is_empty()
            && a.arguments.is_empty()
            && b.arguments.is_empty()
            && self.mentioned.get(&def) == before.mentioned.get(&old)
            && self.constants.get(&a.name) == before.constants.get(&b.name)
            && !varied(self, def)
            && !varied(before, old)
    }
    /// Whether there are names of definitions in core that nobody wrote: sizes that constants hide.
    pub fn names_more_than(&self, program: &Program) -> bool {
        self.taken.len() > program.defs.len()
    }
    /// The constant that a constant of type `i64` is another name of; itself, if of none.
    pub(super) fn constant(&self, name: Symbol) -> Symbol {
        self.constants.get(&name).copied().unwrap_or(name)
    }
    /// The sized type of a definition that has been elaborated.
    pub fn get(&self, def: DefId) -> Option<&Scheme> {
        self.defs.get(&def)
    }
}
