//! The types of primitives: those declared in `prims.remc`, and the members of the scalar modules (`f64.sqrt : (-> (f64) f64)`,
//! `f64.pi : f64`, `f64.sum : (Pi (n) (-> ([f64 n]) f64))`).

use super::{Atom, Dim, Param, Shape, Type, read};
use crate::base::scalar::{self, Member};
use crate::base::{FileId, PrimType, Scalar, Symbol};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

const DECLARATIONS: &str = include_str!("prims.remc");

/// The primitives of `prims.remc` with their types, in its order.
pub fn declared() -> &'static [(Symbol, Type)] {
    &table().0
}

/// The type of a primitive.
pub fn type_of(name: Symbol) -> Option<Type> {
    if let Some(ty) = table().1.get(&name) {
        return Some(ty.clone());
    }
    scalar::qualified(name.as_str()).map(member_type)
}

/// The size that a constant of type `i64` is, such as `i64.highest`.
pub fn constant_size(name: Symbol) -> Option<Dim> {
    match scalar::qualified(name.as_str()) {
        Some(Member::Constant(Scalar::I64(value))) => Some(Dim::constant(value)),
        _ => None,
    }
}

type Table = (Vec<(Symbol, Type)>, FxHashMap<Symbol, Type>);

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        // A test makes sure that the file is read without a message.
        let (signatures, _) = read::signatures(FileId::default(), DECLARATIONS);
        let by_name = signatures.iter().cloned().collect();
        (signatures, by_name)
    })
}

fn member_type(member: Member) -> Type {
    let unnamed = |prim: PrimType| Param { name: None, ty: Type::prim(prim) };
    match member {
        Member::Constant(value) => Type::prim(value.prim()),
        Member::Op(op) => Type::fun(op.params.iter().map(|prim| unnamed(*prim)).collect(), Type::prim(op.result)),
        Member::Fold(fold) => {
            let n = Symbol::new("n");
            let vector = Type::new(Atom::Prim(fold.prim), Shape::dims([Dim::var(n)]));
            let fun = Type::fun(vec![Param { name: None, ty: vector }], Type::prim(fold.prim));
            Type::scalar(Atom::Pi(vec![n], fun))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_read() {
        let (signatures, diagnostics) = read::signatures(FileId::default(), DECLARATIONS);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!(signatures.len(), DECLARATIONS.matches("(val ").count());
    }

    #[test]
    fn scalar_members_have_types() {
        let shown = |name: &str| type_of(Symbol::new(name)).map(|ty| super::super::print::ty(&ty));
        assert_eq!(shown("i32.+").as_deref(), Some("(-> (i32 i32) i32)"));
        assert_eq!(shown("f32.i64").as_deref(), Some("(-> (i64) f32)"));
        assert_eq!(shown("f64.sum").as_deref(), Some("(Pi (n) (-> ([f64 n]) f64))"));
        assert_eq!(shown("f64.pi").as_deref(), Some("f64"));
        assert_eq!(shown("f64.nothing"), None);
    }
}
