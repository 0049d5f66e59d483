//! The graph of bases: union-find, and the nodes that are made once.

use super::reason::ReasonId;
use super::types::{Base, Class, Node, Ty};
use crate::base::PrimType;
use crate::ir::tables::TypeParamId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The bases of one definition.
#[derive(Default)]
pub(super) struct Bases {
    nodes: Vec<Node>,
    prims: FxHashMap<PrimType, Base>,
    params: FxHashMap<TypeParamId, Base>,
    /// Structures that were searched for functions already.
    pub(super) function_free: FxHashSet<Base>,
    /// Structures that variables were bound to, with the reason: where a cycle may have been closed.
    pub(super) bound: Vec<(Base, ReasonId)>,
}

impl Bases {
    /// A new base.
    pub(super) fn add(&mut self, node: Node) -> Base {
        let base = Base(self.nodes.len() as u32);
        self.nodes.push(node);
        base
    }
    /// An unknown base of a class.
    pub(super) fn var(&mut self, class: Class) -> Base {
        self.add(Node::Var(class))
    }
    /// The function type `from -> to`.
    pub(super) fn arrow(&mut self, from: Ty, to: Ty) -> Ty {
        Ty::cell(self.add(Node::Arrow(Arc::new((from, to)))))
    }
    /// A scalar type.
    pub(super) fn prim(&mut self, prim: PrimType) -> Ty {
        if let Some(base) = self.prims.get(&prim) {
            return Ty::cell(*base);
        }
        let base = self.add(Node::Prim(prim));
        self.prims.insert(prim, base);
        Ty::cell(base)
    }
    /// A rigid type parameter.
    pub(super) fn param(&mut self, param: TypeParamId) -> Ty {
        if let Some(base) = self.params.get(&param) {
            return Ty::cell(*base);
        }
        let base = self.add(Node::Param(param));
        self.params.insert(param, base);
        Ty::cell(base)
    }
    /// The representative of a base.
    pub(super) fn find(&mut self, base: Base) -> Base {
        let mut root = base;
        while let Node::Link(next) = self.nodes[root.0 as usize] {
            root = next;
        }
        let mut at = base;
        while let Node::Link(next) = self.nodes[at.0 as usize] {
            self.nodes[at.0 as usize] = Node::Link(root);
            at = next;
        }
        root
    }
    /// What a base is; never a link.
    pub(super) fn node(&mut self, base: Base) -> Node {
        let root = self.find(base);
        self.nodes[root.0 as usize].clone()
    }
    /// Makes a representative something else; returns what it was.
    pub(super) fn replace(&mut self, root: Base, node: Node) -> Node {
        std::mem::replace(&mut self.nodes[root.0 as usize], node)
    }
    /// Binds a variable to another representative; returns whether something is known about it now.
    pub(super) fn bind(&mut self, var: Base, target: Base, reason: ReasonId) -> bool {
        self.replace(var, Node::Link(target));
        let known = !matches!(self.nodes[target.0 as usize], Node::Var(_));
        if known {
            self.bound.push((target, reason));
        }
        known
    }
    /// All nodes, by the number of their base.
    pub(super) fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }
}
