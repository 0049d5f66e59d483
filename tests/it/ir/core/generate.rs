//! Generators of sizes, shapes, types and programs; the programs are seldom well typed.

use proptest::prelude::*;
use remora::base::{Complex, PrimType, Scalar, Span, Symbol};
use remora::ir::core::{Atom, Define, Dim, DimAtom, Expr, ExprKind, Index, LoopForm, LoopParam, Param, Program, Shape, ShapeItem, Type};

/// Words that mean something to the reader.
pub fn token() -> impl Strategy<Value = String> {
    let words = "( ( ( ( ) ) ) ) [ [ ] ] { } | : array frame t-app i-app unbox box let fn t-fn i-fn if loop for while map rep tuple proj rec field \
                 coerce assert reify-dimension reify-shape x y n @s t i64 f64 0 1 2.5 true \"text\" size + * - -> Forall Pi Sigma Tup Rec Arr";
    let words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
    prop::sample::select(words)
}

fn name() -> impl Strategy<Value = Symbol> {
    let names =
        ["x", "y", "map", "a b", "||", "|", "true", "1", "@s", "nanf64", "-", "f64", ":", "", "x'1", "?3", "λ", "...", "#|", "i64", "\"\\"];
    prop::sample::select(names.to_vec()).prop_map(Symbol::new)
}

fn index_name() -> impl Strategy<Value = Symbol> + Clone {
    prop::sample::select(vec!["n", "m", "k", "i64", "a|b", "?", "size", "12", ":"]).prop_map(Symbol::new)
}

fn shape_name() -> impl Strategy<Value = Symbol> {
    prop::sample::select(vec!["@s", "@r", "@", "@a b"]).prop_map(Symbol::new)
}

/// A size.
pub fn dim() -> impl Strategy<Value = Dim> {
    let atom = prop_oneof![
        4 => index_name().prop_map(DimAtom::Var),
        2 => name().prop_map(DimAtom::Size),
        1 => (0u32..9).prop_map(DimAtom::Meta),
    ];
    let monomial = (-3i64..4, prop::collection::vec(atom, 0..3))
        .prop_map(|(coefficient, atoms)| atoms.into_iter().fold(Dim::constant(coefficient), |product, atom| product.mul(&Dim::atom(atom))));
    prop::collection::vec(monomial, 0..4).prop_map(|terms| terms.iter().fold(Dim::default(), |sum, term| sum.add(term)))
}

/// Some natural number for each indeterminate.
pub fn assignment() -> impl Fn(DimAtom) -> Option<Dim> {
    |atom| {
        let text = format!("{atom:?}");
        Some(Dim::constant(text.bytes().fold(7i64, |hash, byte| (hash * 31 + i64::from(byte)) % 101)))
    }
}

/// A shape.
pub fn shape() -> impl Strategy<Value = Shape> {
    let item = prop_oneof![dim().prop_map(ShapeItem::Dim), shape_name().prop_map(ShapeItem::Var)];
    prop::collection::vec(item, 0..3).prop_map(|items| Shape { items })
}

fn index() -> impl Strategy<Value = Index> {
    prop_oneof![dim().prop_map(Index::Dim), shape().prop_map(Index::Shape)]
}

fn prim() -> impl Strategy<Value = PrimType> {
    prop::sample::select(PrimType::ALL.to_vec())
}

fn type_name() -> impl Strategy<Value = Symbol> {
    prop::sample::select(vec!["t", "u", "f32", "int", "->", "..", "a|b", "9"]).prop_map(Symbol::new)
}

fn ty() -> impl Strategy<Value = Type> {
    let leaf = prop_oneof![prim().prop_map(Atom::Prim), type_name().prop_map(Atom::Var)];
    let leaf = (leaf, shape()).prop_map(|(atom, shape)| Type::new(atom, shape)).boxed();
    leaf.prop_recursive(3, 12, 3, |ty| {
        let types = || prop::collection::vec(ty.clone(), 0..3);
        let param = (prop::option::of(name()), ty.clone()).prop_map(|(name, ty)| Param { name, ty });
        let names = prop::collection::vec(index_name(), 0..3);
        let type_names = prop::collection::vec(type_name(), 0..3);
        let fields = prop::collection::vec((name(), ty.clone()), 0..3);
        let payloads = prop::collection::vec((name(), ty.clone()), 0..3);
        let function = (prop::collection::vec(param, 1..3), ty.clone()).prop_map(|(params, ret)| Type::fun(params, ret).atom().clone());
        let atom = prop_oneof![
            function,
            (type_names, ty.clone()).prop_map(|(names, ty)| Atom::Forall(names, ty)),
            (names.clone(), ty.clone()).prop_map(|(names, ty)| Atom::Pi(names, ty)),
            (names, ty.clone()).prop_map(|(names, ty)| Atom::Sigma(names, ty)),
            types().prop_map(Atom::Tuple),
            fields.prop_map(Atom::Record),
            payloads.prop_map(Atom::Sum),
        ];
        (atom, shape()).prop_map(|(atom, shape)| Type::new(atom, shape))
    })
}

fn scalar() -> impl Strategy<Value = Scalar> {
    let bits = (prim(), any::<u64>()).prop_map(|(prim, bits)| match prim {
        PrimType::F16 => Scalar::F16(half::f16::from_bits(bits as u16)),
        PrimType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
        PrimType::F64 => Scalar::F64(f64::from_bits(bits)),
        PrimType::Bool => Scalar::Bool(bits & 1 == 1),
        PrimType::C64 => Scalar::C64(Complex { re: f32::from_bits(bits as u32), im: f32::from_bits((bits >> 32) as u32) }),
        PrimType::C128 => Scalar::C128(Complex { re: f64::from_bits(bits), im: f64::from_bits(bits.rotate_left(29)) }),
        _ => Scalar::from_i128(prim, i128::from(bits)),
    });
    prop_oneof![bits, any::<f64>().prop_map(Scalar::F64), (0i64..9).prop_map(Scalar::I64)]
}

fn made(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}

fn array() -> impl Strategy<Value = ExprKind> {
    let dims = || prop::collection::vec(0u64..4, 0..3);
    prop_oneof![
        (dims(), prim()).prop_map(|(dims, elem)| ExprKind::Array { dims, elem, items: Vec::new() }),
        (dims(), prop::collection::vec(scalar(), 1..5)).prop_map(|(dims, items)| ExprKind::Array { dims, elem: items[0].prim(), items }),
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        name().prop_map(ExprKind::Var),
        scalar().prop_map(ExprKind::Lit),
        array(),
        dim().prop_map(ExprKind::ReifyDim),
        shape().prop_map(ExprKind::ReifyShape),
    ];
    leaf.prop_map(made).boxed().prop_recursive(4, 24, 3, |e| prop_oneof![plain(e.clone()), binding(e)].prop_map(made))
}

/// Forms without binders.
fn plain(e: BoxedStrategy<Expr>) -> BoxedStrategy<ExprKind> {
    let some = || prop::collection::vec(e.clone(), 0..3);
    let vector = prop::collection::vec(scalar().prop_map(|value| made(ExprKind::Lit(value))), 1..3).prop_map(|cells| {
        let ExprKind::Lit(first) = cells[0].kind() else { unreachable!() };
        ExprKind::Frame { dims: vec![cells.len() as u64], cell: Type::prim(first.prim()), cells }
    });
    prop_oneof![
        (e.clone(), some()).prop_map(|(fun, args)| ExprKind::App { fun, args }),
        vector,
        (prop::collection::vec(0u64..3, 0..3), ty(), some()).prop_map(|(dims, cell, cells)| ExprKind::Frame { dims, cell, cells }),
        (e.clone(), prop::collection::vec(ty(), 0..2), prop::collection::vec(index(), 0..3)).prop_map(|(fun, types, indices)| {
            ExprKind::Inst { fun, types: types.iter().map(|ty| ty.atom().clone()).collect(), indices }
        }),
        (e.clone(), e.clone(), e.clone()).prop_map(|(cond, then, els)| ExprKind::If { cond, then, els }),
        (shape(), e.clone()).prop_map(|(frame, arg)| ExprKind::Rep { frame, arg }),
        some().prop_map(ExprKind::Tuple),
        (0usize..9, e.clone()).prop_map(|(at, tuple)| ExprKind::Proj(at, tuple)),
        prop::collection::vec((name(), e.clone()), 0..3).prop_map(ExprKind::Record),
        (name(), e.clone()).prop_map(|(label, record)| ExprKind::Field(label, record)),
        (name(), ty(), e.clone()).prop_map(|(label, ty, payload)| ExprKind::Inject { label, ty, payload }),
        (name(), e.clone()).prop_map(|(label, sum)| ExprKind::Is(label, sum)),
        (name(), e.clone()).prop_map(|(label, sum)| ExprKind::Payload(label, sum)),
        (ty(), e.clone()).prop_map(|(ty, expr)| ExprKind::Coerce { ty, expr }),
        (e.clone(), name(), e.clone()).prop_map(|(cond, message, expr)| ExprKind::Assert { cond, message, expr }),
    ]
    .boxed()
}

/// Forms that bind variables.
fn binding(e: BoxedStrategy<Expr>) -> BoxedStrategy<ExprKind> {
    let params = prop::collection::vec((name(), ty()), 0..3);
    let indices = prop::collection::vec(index_name(), 0..3);
    let loop_params = prop::collection::vec((name(), ty(), e.clone()), 0..3);
    let form = prop_oneof![(name(), e.clone()).prop_map(|(name, count)| LoopForm::For(name, count)), e.clone().prop_map(LoopForm::While),];
    prop_oneof![
        (params, ty(), e.clone()).prop_map(|(params, ret, body)| ExprKind::Fn { params, ret, body }),
        (indices.clone(), e.clone()).prop_map(|(params, body)| ExprKind::IFn { params, body }),
        (prop::collection::vec(type_name(), 0..3), e.clone()).prop_map(|(params, body)| ExprKind::TFn { params, body }),
        (name(), prop::option::of(ty()), e.clone(), e.clone()).prop_map(|(name, ty, rhs, body)| ExprKind::Let { name, ty, rhs, body }),
        (loop_params, form, e.clone()).prop_map(|(params, form, body)| {
            let params = params.into_iter().map(|(name, ty, init)| LoopParam { name, ty, init }).collect();
            ExprKind::Loop { params, form, body }
        }),
        (shape(), prop::collection::vec((name(), e.clone()), 0..3), e.clone()).prop_map(|(frame, args, body)| ExprKind::Map {
            frame,
            args,
            body
        }),
        (prop::collection::vec((index_name(), index()), 0..3), ty(), e.clone()).prop_map(|(indices, ty, body)| ExprKind::Box {
            indices,
            ty,
            body
        }),
        (e.clone(), name(), indices, e.clone()).prop_map(|(boxed, value, indices, body)| ExprKind::Unbox { boxed, value, indices, body }),
    ]
    .boxed()
}

/// A program.
pub fn program() -> impl Strategy<Value = Program> {
    let define = (name(), ty(), expr(), any::<[bool; 2]>()).prop_map(|(name, ty, body, [entry, recursive])| Define {
        name,
        ty,
        body,
        entry,
        recursive,
        span: Span::default(),
    });
    prop::collection::vec(define, 0..3).prop_map(|defs| Program { defs, ..Program::default() })
}
