//! The primitives besides scalar operations: names, numbers of parameters, types.

use crate::base::scalar::{self, Member};
use crate::base::{PrimType, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Param, Shape, ShapeItem, Type};

/// A primitive.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    Rep,
    Reduce,
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
}

impl Prim {
    /// The primitive of this name.
    pub fn from_name(name: &str) -> Option<Prim> {
        Some(match name {
            "index" => Prim::Index,
            "slice" => Prim::Slice,
            "slice_step" => Prim::SliceStep,
            "update" => Prim::Update,
            "update_slice" => Prim::UpdateSlice,
            "iota" => Prim::Iota,
            "range" => Prim::Range,
            "range_upto" => Prim::RangeUpto,
            "range_downto" => Prim::RangeDownto,
            "range_through" => Prim::RangeThrough,
            "rep" => Prim::Rep,
            "reduce" | "reduce_comm" => Prim::Reduce,
            "scan" => Prim::Scan,
            "filter" => Prim::Filter,
            "scatter" => Prim::Scatter,
            "hist" => Prim::Hist,
            "reduce_by_index" => Prim::ReduceByIndex,
            "transpose" => Prim::Transpose,
            "flatten" => Prim::Flatten,
            "unflatten" => Prim::Unflatten,
            "concat" => Prim::Concat,
            "reverse" => Prim::Reverse,
            "rotate" => Prim::Rotate,
            "equal" => Prim::Equal,
            "notequal" => Prim::NotEqual,
            _ => return None,
        })
    }
    /// The number of its arguments.
    pub fn arity(self) -> usize {
        match self {
            Prim::Iota | Prim::Rep | Prim::Transpose | Prim::Flatten | Prim::Unflatten | Prim::Reverse => 1,
            Prim::Index | Prim::Range | Prim::Filter | Prim::Concat | Prim::Rotate | Prim::Equal | Prim::NotEqual => 2,
            Prim::Slice
            | Prim::Update
            | Prim::RangeUpto
            | Prim::RangeDownto
            | Prim::RangeThrough
            | Prim::Reduce
            | Prim::Scan
            | Prim::Scatter => 3,
            Prim::SliceStep | Prim::UpdateSlice => 4,
            Prim::Hist | Prim::ReduceByIndex => 5,
        }
    }
    /// Whether its indices matter at run time; those of the others follow from the arguments.
    pub fn needs_indices(self) -> bool {
        matches!(self, Prim::Unflatten | Prim::Rep)
    }
    /// Its type, as far as the evaluator needs it.
    pub fn ty(self) -> Type {
        let t = Types::new();
        let (n, m, k) = (t.n, t.m, t.k);
        let (a, i64s) = (|sizes: &[Symbol]| t.array(sizes), |sizes: &[Symbol]| t.ints(sizes));
        let int = || i64s(&[]);
        let step = || Type::fun(vec![t.param(a(&[])), t.param(a(&[]))], a(&[]));
        let named = |name: &str| (Some(Symbol::new(name)), int());
        let plain = |ty: Type| (None, ty);
        let size = |name: &str| Dim::size(Symbol::new(name));
        match self {
            Prim::Index => t.poly(&[n], vec![plain(a(&[n])), plain(int())], a(&[])),
            Prim::Slice => t.poly(&[n], vec![plain(a(&[n])), named("i"), named("j")], t.sized(&[size("j").sub(&size("i"))])),
            Prim::SliceStep => t.poly(&[n], vec![plain(a(&[n])), plain(int()), plain(int()), plain(int())], t.hidden(t.array(&[k]))),
            Prim::Update => t.poly(&[n], vec![plain(a(&[n])), plain(int()), plain(a(&[]))], a(&[n])),
            Prim::UpdateSlice => t.poly(&[n, k], vec![plain(a(&[n])), plain(int()), plain(int()), plain(a(&[k]))], a(&[n])),
            Prim::Iota => Type::fun(t.params(vec![named("n")]), Type::new(Atom::Prim(PrimType::I64), Shape::dims([size("n")]))),
            Prim::Range => {
                let ret = Type::new(Atom::Prim(PrimType::I64), Shape::dims([size("b").sub(&size("a"))]));
                Type::fun(t.params(vec![named("a"), named("b")]), ret)
            }
            Prim::RangeUpto | Prim::RangeDownto | Prim::RangeThrough => {
                let scalar = || Type::scalar(Atom::Var(t.a));
                let ret = t.hidden(Type::new(Atom::Var(t.a), Shape::dims([Dim::var(k)])));
                let fun = Type::fun(t.params(vec![plain(scalar()), plain(scalar()), plain(scalar())]), ret);
                Type::scalar(Atom::Pi(vec![t.s], Type::scalar(Atom::Forall(vec![t.a], fun))))
            }
            Prim::Rep => t.poly(&[n], vec![plain(a(&[]))], a(&[n])),
            Prim::Reduce => t.poly(&[n], vec![plain(step()), plain(a(&[])), plain(a(&[n]))], a(&[])),
            Prim::Scan => t.poly(&[n], vec![plain(step()), plain(a(&[])), plain(a(&[n]))], a(&[n])),
            Prim::Filter => {
                let test = Type::fun(vec![t.param(a(&[]))], Type::prim(PrimType::Bool));
                t.poly(&[n], vec![plain(test), plain(a(&[n]))], t.hidden(t.array(&[k])))
            }
            Prim::Scatter => t.poly(&[n, k], vec![plain(a(&[n])), plain(i64s(&[k])), plain(a(&[k]))], a(&[n])),
            Prim::Hist => {
                let args = vec![plain(step()), plain(a(&[])), named("k"), plain(i64s(&[n])), plain(a(&[n]))];
                t.poly(&[n], args, t.sized(&[size("k")]))
            }
            Prim::ReduceByIndex => {
                let args = vec![plain(a(&[k])), plain(step()), plain(a(&[])), plain(i64s(&[n])), plain(a(&[n]))];
                t.poly(&[k, n], args, a(&[k]))
            }
            Prim::Transpose => t.poly(&[n, m], vec![plain(a(&[n, m]))], a(&[m, n])),
            Prim::Flatten => t.poly(&[n, m], vec![plain(a(&[n, m]))], t.sized(&[Dim::var(n).mul(&Dim::var(m))])),
            Prim::Unflatten => t.poly(&[n, m], vec![plain(t.sized(&[Dim::var(n).mul(&Dim::var(m))]))], a(&[n, m])),
            Prim::Concat => t.poly(&[n, m], vec![plain(a(&[n])), plain(a(&[m]))], t.sized(&[Dim::var(n).add(&Dim::var(m))])),
            Prim::Reverse => t.poly(&[n], vec![plain(a(&[n]))], a(&[n])),
            Prim::Rotate => t.poly(&[n], vec![plain(int()), plain(a(&[n]))], a(&[n])),
            Prim::Equal | Prim::NotEqual => t.poly(&[], vec![plain(a(&[])), plain(a(&[]))], Type::prim(PrimType::Bool)),
        }
    }
}

/// Abbreviations for writing types: one type parameter `'a`, that is an atom `a` and a shape `@a`.
struct Types {
    a: Symbol,
    s: Symbol,
    n: Symbol,
    m: Symbol,
    k: Symbol,
}

impl Types {
    fn new() -> Types {
        let [a, s, n, m, k] = ["a", "@a", "n", "m", "k"].map(Symbol::new);
        Types { a, s, n, m, k }
    }
    fn sized(&self, dims: &[Dim]) -> Type {
        let items = dims.iter().cloned().map(ShapeItem::Dim).chain([ShapeItem::Var(self.s)]).collect();
        Type::new(Atom::Var(self.a), Shape { items })
    }
    fn array(&self, sizes: &[Symbol]) -> Type {
        self.sized(&sizes.iter().map(|n| Dim::var(*n)).collect::<Vec<_>>())
    }
    fn ints(&self, sizes: &[Symbol]) -> Type {
        Type::new(Atom::Prim(PrimType::I64), Shape::dims(sizes.iter().map(|n| Dim::var(*n))))
    }
    fn hidden(&self, ty: Type) -> Type {
        Type::scalar(Atom::Sigma(vec![self.k], ty))
    }
    fn param(&self, ty: Type) -> Param {
        Param { name: None, ty }
    }
    fn params(&self, params: Vec<(Option<Symbol>, Type)>) -> Vec<Param> {
        params.into_iter().map(|(name, ty)| Param { name, ty }).collect()
    }
    fn poly(&self, sizes: &[Symbol], params: Vec<(Option<Symbol>, Type)>, ret: Type) -> Type {
        let fun = Type::fun(self.params(params), ret);
        let indices = sizes.iter().copied().chain([self.s]).collect();
        Type::scalar(Atom::Pi(indices, Type::scalar(Atom::Forall(vec![self.a], fun))))
    }
}

/// The type of a member of a scalar module.
pub fn member_type(member: Member) -> Type {
    match member {
        Member::Constant(scalar) => Type::prim(scalar.prim()),
        Member::Op(op) => {
            let params = op.params.iter().map(|p| Param { name: None, ty: Type::prim(*p) }).collect();
            Type::fun(params, Type::prim(op.result))
        }
        Member::Fold(fold) => {
            let n = Symbol::new("n");
            let vector = Type::new(Atom::Prim(fold.prim), Shape::dims([Dim::atom(DimAtom::Var(n))]));
            let fun = Type::fun(vec![Param { name: None, ty: vector }], Type::prim(fold.prim));
            Type::scalar(Atom::Pi(vec![n], fun))
        }
    }
}

/// What a name that is no variable and no definition stands for.
pub enum Primitive {
    /// A member of a scalar module.
    Member(Member),
    /// Another primitive.
    Prim(Prim),
}

/// The primitive of this name.
pub fn lookup(name: Symbol) -> Option<Primitive> {
    let text = name.as_str();
    Prim::from_name(text).map(Primitive::Prim).or_else(|| scalar::qualified(text).map(Primitive::Member))
}
