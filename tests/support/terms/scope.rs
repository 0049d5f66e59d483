//! What is in scope while a term is made.

use remora::base::Symbol;
use remora::ir::core::equal::Equality;
use remora::ir::core::free::FreeVars;
use remora::ir::core::{Dim, Type};

#[derive(Default)]
pub struct Scope {
    /// Term variables; the last of a name hides the others.
    pub terms: Vec<(Symbol, Type)>,
    /// Those whose values are small sizes, so that types may mention them.
    pub sizes: Vec<Symbol>,
    /// Size variables.
    pub indices: Vec<Symbol>,
    /// Shape variables.
    pub shapes: Vec<Symbol>,
}

/// How much was in scope.
pub struct Depth(usize, usize, usize, usize);

impl Scope {
    pub fn depth(&self) -> Depth {
        Depth(self.terms.len(), self.sizes.len(), self.indices.len(), self.shapes.len())
    }
    pub fn restore(&mut self, depth: Depth) {
        self.terms.truncate(depth.0);
        self.sizes.truncate(depth.1);
        self.indices.truncate(depth.2);
        self.shapes.truncate(depth.3);
    }
    fn visible(&self) -> impl Iterator<Item = &(Symbol, Type)> {
        let terms = &self.terms;
        terms.iter().enumerate().filter(move |(at, (name, _))| terms[at + 1..].iter().all(|(other, _)| other != name)).map(|(_, term)| term)
    }
    /// Variables of a type.
    pub fn of_type(&self, free: &mut FreeVars, ty: &Type) -> Vec<Symbol> {
        let mut equality = Equality::default();
        self.visible().filter(|(_, found)| equality.equal(free, found, ty)).map(|(name, _)| *name).collect()
    }
    /// All variables that are not hidden.
    pub fn all(&self) -> Vec<(Symbol, Type)> {
        self.visible().cloned().collect()
    }
    /// Names that may be bound again: no type mentions them.
    pub fn hideable(&self) -> Vec<Symbol> {
        self.visible().map(|(name, _)| *name).filter(|name| !self.sizes.contains(name)).collect()
    }
    /// Sizes that are known by name.
    pub fn dims(&self) -> Vec<Dim> {
        self.indices.iter().map(|n| Dim::var(*n)).chain(self.sizes.iter().map(|x| Dim::size(*x))).collect()
    }
}
