//! Queries for types with sizes: of definitions and of what they make.

use super::Checked;
use crate::front::elaborate;
use crate::ir::core;
use crate::ir::tables::{DefId, InnerTypes, RBase};

impl Checked {
    /// The types of the expressions and variables of accepted definitions, sizes included.
    pub fn inner_types(&self, defs: &[DefId]) -> Vec<InnerTypes> {
        elaborate::inner_types(&self.program, &self.tables, &self.schemes, defs)
    }
    /// The type of what an accepted definition makes of its parameters, sizes included.
    pub fn result_type_of(&self, def: DefId, parameters: usize) -> Option<String> {
        let (mut written, scheme) = (&self.tables.defs.get(def)?.ty, self.schemes.get(def)?);
        for _ in 0..parameters {
            let RBase::Arrow(_, to) = &*written.base else { return None };
            written = to;
        }
        let sized = match scheme.ty.atom() {
            _ if parameters == 0 => scheme.ty.clone(),
            core::Atom::Fun(params, ret) if params.len() >= parameters => core::Type::fun(params[parameters..].to_vec(), ret.clone()),
            core::Atom::Fun(..)
            | core::Atom::Prim(_)
            | core::Atom::Var(_)
            | core::Atom::Forall(..)
            | core::Atom::Pi(..)
            | core::Atom::Sigma(..)
            | core::Atom::Tuple(_)
            | core::Atom::Record(_)
            | core::Atom::Sum(_) => return None,
        };
        Some(elaborate::show_type_as(&sized, written))
    }
}
