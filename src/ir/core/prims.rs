//! Primitives and their types: those declared in `prims.remc`, and the members of the scalar modules (`f64.sqrt : (-> (f64) f64)`,
//! `f64.pi : f64`, `f64.sum : (Pi (n) (-> ([f64 n]) f64))`).

use super::{Atom, Dim, Param, Shape, Type, read};
use crate::base::scalar::{self, Member, Op, ScalarOp};
use crate::base::{FileId, PrimType, Scalar, Span, Symbol};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

const DECLARATIONS: &str = include_str!("prims.remc");

/// What a name that is no variable and no definition stands for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Primitive {
    /// A member of a scalar module.
    Member(Member),
    /// A primitive of `prims.remc`.
    Prim(Prim),
}

/// A primitive of `prims.remc`.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prim {
    Index,
    Slice,
    SliceStep,
    Update,
    UpdateSlice,
    Iota,
    Range,
    RangeUpto,
    RangeDownto,
    RangeThrough,
    Reduce,
    ReduceComm,
    Scan,
    Filter,
    Scatter,
    Hist,
    ReduceByIndex,
    Transpose,
    Flatten,
    Unflatten,
    Concat,
    Reverse,
    Rotate,
    Equal,
    NotEqual,
    ShapeIota,
    Recycle,
    LiftShape,
    Subarray,
    ScatterNew,
    ReadNums,
    Jvp2,
    Vjp2,
    ValueAndGrad,
    WithVjp,
}

/// The primitives of `prims.remc` by name.
const NAMES: [(&str, Prim); 35] = [
    ("index", Prim::Index),
    ("slice", Prim::Slice),
    ("slice_step", Prim::SliceStep),
    ("update", Prim::Update),
    ("update_slice", Prim::UpdateSlice),
    ("iota", Prim::Iota),
    ("range", Prim::Range),
    ("range_upto", Prim::RangeUpto),
    ("range_downto", Prim::RangeDownto),
    ("range_through", Prim::RangeThrough),
    ("reduce", Prim::Reduce),
    ("reduce_comm", Prim::ReduceComm),
    ("scan", Prim::Scan),
    ("filter", Prim::Filter),
    ("scatter", Prim::Scatter),
    ("hist", Prim::Hist),
    ("reduce_by_index", Prim::ReduceByIndex),
    ("transpose", Prim::Transpose),
    ("flatten", Prim::Flatten),
    ("unflatten", Prim::Unflatten),
    ("concat", Prim::Concat),
    ("reverse", Prim::Reverse),
    ("rotate", Prim::Rotate),
    ("equal", Prim::Equal),
    ("notequal", Prim::NotEqual),
    ("shape_iota", Prim::ShapeIota),
    ("recycle", Prim::Recycle),
    ("lift_shape", Prim::LiftShape),
    ("subarray", Prim::Subarray),
    ("scatter_new", Prim::ScatterNew),
    ("read_nums", Prim::ReadNums),
    ("jvp2", Prim::Jvp2),
    ("vjp2", Prim::Vjp2),
    ("value_and_grad", Prim::ValueAndGrad),
    ("with_vjp", Prim::WithVjp),
];

impl Prim {
    /// Its name.
    pub fn name(self) -> Symbol {
        match NAMES.iter().find(|(_, prim)| *prim == self) {
            Some((name, _)) => Symbol::new(name),
            None => crate::ice!(Span::default(), "the primitive {self:?} has no name"),
        }
    }
    /// Its type.
    pub fn ty(self) -> Type {
        match type_of(self.name()) {
            Some(ty) => ty,
            None => crate::ice!(Span::default(), "the primitive {self:?} is not declared"),
        }
    }
    /// The number of its arguments.
    pub fn arity(self) -> usize {
        match self {
            Prim::ShapeIota => 0,
            Prim::Iota | Prim::Transpose | Prim::Flatten | Prim::Unflatten | Prim::Reverse => 1,
            Prim::Recycle | Prim::LiftShape | Prim::ReadNums => 1,
            Prim::Index | Prim::Range | Prim::Filter | Prim::Concat | Prim::Rotate | Prim::Equal | Prim::NotEqual => 2,
            Prim::Subarray | Prim::ScatterNew | Prim::ValueAndGrad => 2,
            Prim::Slice
            | Prim::Update
            | Prim::RangeUpto
            | Prim::RangeDownto
            | Prim::RangeThrough
            | Prim::Reduce
            | Prim::ReduceComm
            | Prim::Scan
            | Prim::Scatter
            | Prim::Jvp2
            | Prim::Vjp2
            | Prim::WithVjp => 3,
            Prim::SliceStep | Prim::UpdateSlice => 4,
            Prim::Hist | Prim::ReduceByIndex => 5,
        }
    }
    /// Whether its indices matter at run time; those of the others follow from the arguments.
    pub fn needs_indices(self) -> bool {
        matches!(self, Prim::Unflatten | Prim::ShapeIota | Prim::Recycle | Prim::Subarray | Prim::ScatterNew)
    }
}

impl Primitive {
    /// The primitive of this name.
    pub fn find(name: Symbol) -> Option<Primitive> {
        table().primitives.get(&name).copied()
    }
}

/// The scalar operation of this name.
pub fn scalar_op(name: Symbol) -> Option<ScalarOp> {
    match Primitive::find(name)? {
        Primitive::Member(Member::Op(op)) => Some(op),
        Primitive::Member(Member::Constant(_) | Member::Fold(_)) | Primitive::Prim(_) => None,
    }
}

/// The operation of type `i64` of this name.
pub fn int_op(name: Symbol) -> Option<Op> {
    scalar_op(name).filter(|op| op.prim == PrimType::I64).map(|op| op.op)
}

/// The primitives of `prims.remc` with their types, in its order.
pub fn declared() -> &'static [(Symbol, Type)] {
    &table().declared
}

/// The type of a primitive.
pub fn type_of(name: Symbol) -> Option<Type> {
    match Primitive::find(name)? {
        Primitive::Member(member) => Some(member_type(member)),
        Primitive::Prim(_) => table().types.get(&name).cloned(),
    }
}

/// The size that a constant of type `i64` is, such as `i64.highest`.
pub fn constant_size(name: Symbol) -> Option<Dim> {
    match Primitive::find(name) {
        Some(Primitive::Member(Member::Constant(Scalar::I64(value)))) => Some(Dim::constant(value)),
        _ => None,
    }
}

/// What is known of primitives, by name.
struct Table {
    primitives: FxHashMap<Symbol, Primitive>,
    /// The primitives of `prims.remc` in its order, and by name.
    declared: Vec<(Symbol, Type)>,
    types: FxHashMap<Symbol, Type>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        // A test makes sure that the file is read without a message.
        let (declared, _) = read::signatures(FileId::default(), DECLARATIONS);
        let types = declared.iter().cloned().collect();
        let mut primitives: FxHashMap<Symbol, Primitive> = FxHashMap::default();
        for prim in PrimType::ALL {
            for name in scalar::members(prim) {
                if let Some(member) = scalar::member(prim, name) {
                    primitives.insert(Symbol::new(&format!("{prim}.{name}")), Primitive::Member(member));
                }
            }
        }
        primitives.extend(NAMES.iter().map(|(name, prim)| (Symbol::new(name), Primitive::Prim(*prim))));
        Table { primitives, declared, types }
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
    fn declared_primitives_have_names_and_arities() {
        assert_eq!(declared().len(), NAMES.len());
        for (name, ty) in declared() {
            let Some(Primitive::Prim(prim)) = Primitive::find(*name) else { panic!("`{name}` is declared only") };
            assert_eq!((prim.name(), prim.arity()), (*name, ty.interface().0.len()), "{name}");
        }
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
