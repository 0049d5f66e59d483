//! Terms of core and their values; updates in place, failures, and programs too deep or too large.

use super::*;
use crate::base::{PrimType, Scalar};
use crate::ir::core::Shape;
use crate::ir::core::*;
use crate::runtime::Array;

// Abbreviations for writing core.
fn e(kind: ExprKind) -> Expr {
    Expr::new(kind, Span::default())
}
fn sym(name: &str) -> Symbol {
    Symbol::new(name)
}
fn v(name: &str) -> Expr {
    e(ExprKind::Var(sym(name)))
}
fn int(n: i64) -> Expr {
    e(ExprKind::Lit(Scalar::I64(n)))
}
fn num(x: f64) -> Expr {
    e(ExprKind::Lit(Scalar::F64(x)))
}
fn app(f: Expr, args: &[Expr]) -> Expr {
    e(ExprKind::App { fun: f, args: args.to_vec() })
}
fn call(f: &str, args: &[Expr]) -> Expr {
    app(v(f), args)
}
fn i64t() -> Type {
    Type::prim(PrimType::I64)
}
fn f64t() -> Type {
    Type::prim(PrimType::F64)
}
fn dim(name: &str) -> Dim {
    Dim::var(sym(name))
}
fn arr(prim: PrimType, dims: &[Dim]) -> Type {
    Type::new(Atom::Prim(prim), Shape::dims(dims.iter().cloned()))
}
fn fun(params: &[(&str, Type)], ret: Type, body: Expr) -> Expr {
    e(ExprKind::Fn { params: params.iter().map(|(n, t)| (sym(n), t.clone())).collect(), ret, body })
}
fn ifn(params: &[&str], body: Expr) -> Expr {
    e(ExprKind::IFn { params: params.iter().map(|n| sym(n)).collect(), body })
}
fn tfn(params: &[&str], body: Expr) -> Expr {
    e(ExprKind::TFn { params: params.iter().map(|n| sym(n)).collect(), body })
}
fn inst(f: Expr, types: &[Atom], indices: &[Index]) -> Expr {
    e(ExprKind::Inst { fun: f, types: types.to_vec(), indices: indices.to_vec() })
}
fn let_(name: &str, rhs: Expr, body: Expr) -> Expr {
    e(ExprKind::Let { name: sym(name), ty: None, rhs, body })
}
fn if_(cond: Expr, then: Expr, els: Expr) -> Expr {
    e(ExprKind::If { cond, then, els })
}
fn map(frame: &[Dim], args: &[(&str, Expr)], body: Expr) -> Expr {
    e(ExprKind::Map { frame: Shape::dims(frame.iter().cloned()), args: args.iter().map(|(n, a)| (sym(n), a.clone())).collect(), body })
}
fn for_(params: &[(&str, Type, Expr)], i: &str, n: Expr, body: Expr) -> Expr {
    let params = params.iter().map(|(n, t, init)| LoopParam { name: sym(n), ty: t.clone(), init: init.clone() }).collect();
    e(ExprKind::Loop { params, form: LoopForm::For(sym(i), n), body })
}
fn rep(n: i64, arg: Expr) -> Expr {
    e(ExprKind::Rep { frame: Shape::dims([Dim::constant(n)]), arg })
}
fn tuple(parts: &[Expr]) -> Expr {
    e(ExprKind::Tuple(parts.to_vec()))
}
fn def(name: &str, ty: Type, body: Expr) -> Define {
    Define { name: sym(name), ty, body, entry: true, recursive: false, span: Span::default() }
}
fn fun_type(params: &[Type], ret: Type) -> Type {
    Type::fun(params.iter().map(|ty| Param { name: None, ty: ty.clone() }).collect(), ret)
}
fn pi(names: &[&str], body: Type) -> Type {
    Type::scalar(Atom::Pi(names.iter().map(|n| sym(n)).collect(), body))
}
fn machine(defs: Vec<Define>) -> Machine {
    load(&Program { defs, ..Program::default() }, 2)
}
/// The value of a closed expression.
fn eval(expr: Expr) -> Result<Value, String> {
    machine(vec![def("main", i64t(), expr)]).call(sym("main"), Vec::new()).map_err(|f| format!("{} {}", f.code, f.message))
}
fn shown(expr: Expr) -> String {
    match eval(expr) {
        Ok(value) => format!("{value:?}"),
        Err(failure) => failure,
    }
}
fn vec_i64(items: &[i64]) -> Expr {
    let dims = vec![items.len() as u64];
    e(ExprKind::Array { dims, elem: PrimType::I64, items: items.iter().map(|n| Scalar::I64(*n)).collect() })
}
fn p(prim: PrimType) -> Atom {
    Atom::Prim(prim)
}
/// A primitive at elements of type `i64`.
fn at_i64(name: &str, sizes: &[i64]) -> Expr {
    let indices: Vec<Index> = sizes.iter().map(|n| Index::Dim(Dim::constant(*n))).chain([Index::Shape(Shape::default())]).collect();
    inst(v(name), &[p(PrimType::I64)], &indices)
}

#[test]
fn scalars_lets_and_branches() {
    assert_eq!(shown(call("i64.+", &[int(3), int(4)])), "7i64");
    assert_eq!(shown(let_("x", int(3), call("i64.*", &[v("x"), v("x")]))), "9i64");
    assert_eq!(shown(if_(call("i64.<", &[int(3), int(4)]), int(1), call("i64./", &[int(1), int(0)]))), "1i64");
    assert_eq!(shown(call("i64./", &[int(1), int(0)])), "E0505 division by zero: the operands are 1i64 and 0i64");
    assert_eq!(shown(v("f64.pi")), "3.141592653589793f64");
    assert_eq!(shown(v("nonsense")), "E0599 malformed core: `nonsense` is not defined");
    let assertion = ExprKind::Assert { cond: call("i64.<", &[int(1), int(0)]), message: sym("1 < 0"), expr: int(1) };
    assert_eq!(shown(e(assertion)), "E0506 assertion failed: 1 < 0");
}

#[test]
fn functions_and_partial_application() {
    let add = fun(&[("x", i64t()), ("y", i64t())], i64t(), call("i64.+", &[v("x"), call("i64.*", &[v("y"), int(2)])]));
    assert_eq!(
        shown(let_("f", add.clone(), let_("g", call("f", &[int(1)]), call("i64.+", &[call("g", &[int(5)]), call("g", &[int(6)])])))),
        "24i64"
    );
    let curried = fun(&[("x", i64t())], fun_type(&[i64t()], i64t()), fun(&[("y", i64t())], i64t(), call("i64.-", &[v("x"), v("y")])));
    assert_eq!(shown(app(curried, &[int(10), int(3)])), "7i64");
    assert_eq!(shown(app(call("i64.-", &[int(10)]), &[int(3)])), "7i64");
}

#[test]
fn maps() {
    let two = [Dim::constant(2)];
    let body = call("i64.+", &[v("x"), int(1)]);
    assert_eq!(shown(map(&two, &[("x", vec_i64(&[1, 2]))], body)), "[2i64, 3i64]");
    let outer =
        map(&two, &[("x", vec_i64(&[1, 2]))], map(&[Dim::constant(3)], &[("y", vec_i64(&[10, 20, 30]))], call("i64.+", &[v("x"), v("y")])));
    assert_eq!(shown(outer.clone()), "[[11i64, 21i64, 31i64], [12i64, 22i64, 32i64]]");
    assert_eq!(
        shown(map(&[Dim::constant(2), Dim::constant(3)], &[("x", outer)], call("i64.neg", &[v("x")]))),
        "[[-11i64, -21i64, -31i64], [-12i64, -22i64, -32i64]]"
    );
    assert_eq!(shown(map(&two, &[("x", vec_i64(&[1, 2]))], tuple(&[v("x"), num(0.5)]))), "[2] of [[1i64, 2i64], [0.5f64, 0.5f64]]");
    assert_eq!(shown(map(&two, &[], int(7))), "[7i64, 7i64]");
}

#[test]
fn empty_maps_have_shapes() {
    let n = || Dim::size(sym("n"));
    let inner = map(&[n().add(&Dim::constant(1))], &[], tuple(&[v("x"), call("i64.f64", &[num(1.0)])]));
    let program = let_("n", int(4), map(&[Dim::constant(0)], &[("x", vec_i64(&[]))], inner));
    let value = eval(program).unwrap();
    let Value::Tuple(tuple) = &value else { panic!("{value:?}") };
    assert_eq!(tuple.frame, [0, 5]);
    assert_eq!(tuple.parts[1], Value::Array(Array::empty(&[0, 5], PrimType::I64).unwrap()));
    // A polymorphic map learns its element type from the instantiation.
    let cell = |a: &str, s: &str| Type::new(Atom::Var(sym(a)), Shape::var(sym(s)));
    let vector = |a: &str, s: &str| cell(a, s).framed(&Shape::dims([dim("n")]));
    let body = fun(
        &[("f", fun_type(&[cell("a", "@a")], cell("b", "@b"))), ("xs", vector("a", "@a"))],
        vector("b", "@b"),
        map(&[dim("n")], &[("x", v("xs"))], call("f", &[v("x")])),
    );
    let ty = pi(
        &["n", "@a", "@b"],
        Type::scalar(Atom::Forall(
            vec![sym("a"), sym("b")],
            fun_type(&[fun_type(&[cell("a", "@a")], cell("b", "@b")), vector("a", "@a")], vector("b", "@b")),
        )),
    );
    let mapped = |n: i64, xs: Expr| {
        let f = fun(&[("x", i64t())], arr(PrimType::F64, &[Dim::constant(2)]), map(&[Dim::constant(2)], &[], call("f64.i64", &[v("x")])));
        let indices = [Index::Dim(Dim::constant(n)), Index::Shape(Shape::default()), Index::Shape(Shape::dims([Dim::constant(2)]))];
        app(inst(v("mymap"), &[p(PrimType::I64), p(PrimType::F64)], &indices), &[f, xs])
    };
    let mymap = def("mymap", ty, ifn(&["n", "@a", "@b"], tfn(&["a", "b"], body)));
    let run = |expr| format!("{:?}", machine(vec![mymap.clone(), def("main", i64t(), expr)]).call(sym("main"), vec![]).unwrap());
    assert_eq!(run(mapped(2, vec_i64(&[1, 2]))), "[[1.0f64, 1.0f64], [2.0f64, 2.0f64]]");
    assert_eq!(run(mapped(0, vec_i64(&[]))), "empty([0][2]f64)");
}

#[test]
fn loops() {
    let sum = for_(&[("s", i64t(), int(0))], "i", int(10), call("i64.+", &[v("s"), v("i")]));
    assert_eq!(shown(sum), "45i64");
    let fib = for_(&[("a", i64t(), int(0)), ("b", i64t(), int(1))], "i", int(10), tuple(&[v("b"), call("i64.+", &[v("a"), v("b")])]));
    assert_eq!(shown(fib), "(55i64, 89i64)");
    let param = LoopParam { name: sym("x"), ty: i64t(), init: int(1) };
    let form = LoopForm::While(call("i64.<", &[v("x"), int(100)]));
    assert_eq!(shown(e(ExprKind::Loop { params: vec![param], form, body: call("i64.*", &[v("x"), int(3)]) })), "243i64");
}

#[test]
fn updates_happen_in_place() {
    let n = 200_000;
    let start = rep(n, int(0));
    let ty = arr(PrimType::I64, &[Dim::constant(n)]);
    let body = app(at_i64("update", &[n]), &[v("xs"), v("i"), call("i64.+", &[app(at_i64("index", &[n]), &[v("xs"), v("i")]), v("i")])]);
    let program = for_(&[("xs", ty, start)], "i", int(n), body);
    let begin = std::time::Instant::now();
    let value = eval(program).unwrap();
    assert_eq!(value.cell(777), Some(Value::Scalar(Scalar::I64(777))));
    // Copies would move 320 GB.
    println!("{:?}", begin.elapsed());
    // An array that is still needed is not changed.
    let xs = let_("xs", vec_i64(&[1, 2]), let_("ys", app(at_i64("update", &[2]), &[v("xs"), int(0), int(9)]), tuple(&[v("xs"), v("ys")])));
    assert_eq!(shown(xs), "([1i64, 2i64], [9i64, 2i64])");
}

#[test]
fn primitives() {
    let xs = || vec_i64(&[5, 3, 8, 1]);
    let on = |name: &str, before: &[Expr], after: &[Expr]| shown(app(at_i64(name, &[4]), &[before, &[xs()], after].concat()));
    let plus = || v("i64.+");
    assert_eq!(on("index", &[], &[int(2)]), "8i64");
    assert_eq!(on("index", &[], &[int(4)]), "E0501 index 4 is out of bounds for an array of size 4");
    assert_eq!(on("index", &[], &[int(-1)]), "E0501 index -1 is out of bounds for an array of size 4");
    assert_eq!(on("slice", &[], &[int(1), int(3)]), "[3i64, 8i64]");
    assert_eq!(on("slice", &[], &[int(3), int(1)]), "E0501 slice [3:1] is out of bounds for an array of size 4");
    assert_eq!(on("slice_step", &[], &[int(3), int(-1), int(-2)]), "[1i64, 3i64]");
    assert_eq!(on("slice_step", &[], &[int(0), int(4), int(3)]), "[5i64, 1i64]");
    assert_eq!(on("slice_step", &[], &[int(0), int(4), int(0)]), "E0501 slice [0:4:0] is out of bounds for an array of size 4");
    assert_eq!(on("update", &[], &[int(0), int(7)]), "[7i64, 3i64, 8i64, 1i64]");
    assert_eq!(on("update_slice", &[], &[int(1), int(2), vec_i64(&[0, 0])]), "[5i64, 0i64, 8i64, 0i64]");
    assert_eq!(on("reduce", &[plus(), int(0)], &[]), "17i64");
    assert_eq!(on("scan", &[plus(), int(0)], &[]), "[5i64, 8i64, 16i64, 17i64]");
    let minus = || fun(&[("a", i64t()), ("b", i64t())], i64t(), call("i64.-", &[v("b"), v("a")]));
    assert_eq!(on("reduce", &[minus(), int(0)], &[]), "-9i64");
    assert_eq!(on("scan", &[minus(), int(0)], &[]), "[5i64, -2i64, 10i64, -9i64]");
    let small = fun(&[("x", i64t())], Type::prim(PrimType::Bool), call("i64.<", &[v("x"), int(4)]));
    assert_eq!(on("filter", &[small], &[]), "[3i64, 1i64]");
    assert_eq!(on("scatter", &[], &[vec_i64(&[3, 9, 0]), vec_i64(&[10, 20, 30])]), "[30i64, 3i64, 8i64, 10i64]");
    assert_eq!(on("hist", &[plus(), int(0), int(2), vec_i64(&[0, 1, 0, 7])], &[]), "[13i64, 3i64]");
    assert_eq!(on("reduce_by_index", &[vec_i64(&[100, 200]), plus(), int(0), vec_i64(&[0, 1, 0, 7])], &[]), "[113i64, 203i64]");
    assert_eq!(on("concat", &[], &[vec_i64(&[4])]), "[5i64, 3i64, 8i64, 1i64, 4i64]");
    assert_eq!(on("reverse", &[], &[]), "[1i64, 8i64, 3i64, 5i64]");
    assert_eq!(on("rotate", &[int(1)], &[]), "[3i64, 8i64, 1i64, 5i64]");
    assert_eq!(on("rotate", &[int(-1)], &[]), "[1i64, 5i64, 3i64, 8i64]");
    assert_eq!(on("i64.maximum", &[], &[]), "8i64");
    let matrix = || app(at_i64("unflatten", &[2, 2]), &[xs()]);
    assert_eq!(shown(matrix()), "[[5i64, 3i64], [8i64, 1i64]]");
    assert_eq!(shown(app(at_i64("transpose", &[2, 2]), &[matrix()])), "[[5i64, 8i64], [3i64, 1i64]]");
    assert_eq!(shown(app(at_i64("flatten", &[2, 2]), &[matrix()])), "[5i64, 3i64, 8i64, 1i64]");
    assert_eq!(shown(app(at_i64("unflatten", &[3, 2]), &[xs()])), "E0503 an array of size 4 does not make 3 rows of 2");
    assert_eq!(shown(call("iota", &[int(3)])), "[0i64, 1i64, 2i64]");
    assert_eq!(shown(call("iota", &[int(-3)])), "E0504 an array cannot have the negative size -3");
    assert_eq!(shown(call("range", &[int(2), int(5)])), "[2i64, 3i64, 4i64]");
    assert_eq!(shown(app(at_i64("equal", &[]), &[int(2), int(2)])), "true");
}

#[test]
fn ranges() {
    let range = |name: &str, a: i64, s: i64, b: i64| shown(app(at_i64(name, &[]), &[int(a), int(s), int(b)]));
    assert_eq!(range("range_upto", 0, 2, 5), "[0i64, 2i64, 4i64]");
    assert_eq!(range("range_downto", 5, -2, 0), "[5i64, 3i64, 1i64]");
    assert_eq!(range("range_through", 1, 2, 5), "[1i64, 3i64, 5i64]");
    assert_eq!(range("range_through", 5, -4, 1), "[5i64, 1i64]");
    assert_eq!(range("range_upto", 0, 1, 0), "empty([0]i64)");
    assert_eq!(range("range_upto", 0, 0, 5), "E0504 the range 0..0..<5 does not lead to its end");
    assert_eq!(range("range_downto", 0, -1, 5), "E0504 the range 0..-1..>5 does not lead to its end");
}

#[test]
fn boxes_and_sizes() {
    let odd = fun(&[("x", i64t())], Type::prim(PrimType::Bool), call("i64.!=", &[call("i64.%", &[v("x"), int(2)]), int(0)]));
    let filtered = app(at_i64("filter", &[3]), &[odd, vec_i64(&[1, 2, 3])]);
    let unbox = |boxed, body| e(ExprKind::Unbox { boxed, value: sym("ys"), indices: vec![sym("k")], body });
    assert_eq!(shown(unbox(filtered.clone(), e(ExprKind::ReifyDim(dim("k").scale(10))))), "20i64");
    let content = arr(PrimType::I64, &[dim("m")]);
    let doubled = map(&[dim("k")], &[("y", v("ys"))], call("i64.*", &[v("y"), int(2)]));
    let rebox = e(ExprKind::Box { indices: vec![(sym("m"), Index::Dim(dim("k")))], ty: content, body: doubled });
    assert_eq!(shown(unbox(filtered.clone(), rebox)), "[2i64, 6i64]");
    let boxes = map(&[Dim::constant(2)], &[("x", vec_i64(&[1, 2]))], filtered);
    let value = eval(boxes).unwrap();
    assert!(matches!(&value, Value::Cells(cells) if cells.dims() == [2]), "{value:?}");
    let coerce = |n: i64| e(ExprKind::Coerce { ty: arr(PrimType::I64, &[Dim::constant(n)]), expr: vec_i64(&[1, 2]) });
    assert_eq!(shown(coerce(2)), "[1i64, 2i64]");
    assert_eq!(shown(coerce(3)), "E0503 the value has shape [2], the type says [3]");
    assert_eq!(shown(e(ExprKind::ReifyShape(Shape::dims([Dim::constant(3), Dim::constant(4)])))), "[3i64, 4i64]");
}

#[test]
fn records_and_arrays_of_tuples() {
    let pairs = map(&[Dim::constant(3)], &[("x", vec_i64(&[1, 2, 3]))], tuple(&[v("x"), call("i64.*", &[v("x"), v("x")])]));
    let sums =
        map(&[Dim::constant(3)], &[("p", pairs.clone())], call("i64.+", &[e(ExprKind::Proj(0, v("p"))), e(ExprKind::Proj(1, v("p")))]));
    assert_eq!(shown(sums), "[2i64, 6i64, 12i64]");
    let pair = Atom::Tuple(vec![i64t(), i64t()]);
    let index = |i: i64| {
        app(
            inst(v("index"), std::slice::from_ref(&pair), &[Index::Dim(Dim::constant(3)), Index::Shape(Shape::default())]),
            &[pairs.clone(), int(i)],
        )
    };
    assert_eq!(shown(index(2)), "(3i64, 9i64)");
    let reversed = app(
        inst(v("reverse"), std::slice::from_ref(&pair), &[Index::Dim(Dim::constant(3)), Index::Shape(Shape::default())]),
        std::slice::from_ref(&pairs),
    );
    assert_eq!(shown(reversed), "[3] of [[3i64, 2i64, 1i64], [9i64, 4i64, 1i64]]");
    let record = e(ExprKind::Record(vec![(sym("a"), int(1)), (sym("b"), num(2.0))]));
    assert_eq!(shown(e(ExprKind::Field(sym("b"), record))), "2.0f64");
}

#[test]
fn entries_measure_their_arguments() {
    let n = || dim("n");
    let vector = || arr(PrimType::F64, &[n()]);
    let dot = ifn(
        &["n"],
        fun(
            &[("a", vector()), ("b", vector())],
            f64t(),
            app(
                inst(v("f64.sum"), &[], &[Index::Dim(n())]),
                &[map(&[n()], &[("x", v("a")), ("y", v("b"))], call("f64.*", &[v("x"), v("y")]))],
            ),
        ),
    );
    let machine = machine(vec![def("dot", pi(&["n"], fun_type(&[vector(), vector()], f64t())), dot)]);
    let run = |args: Vec<Value>| match machine.call(sym("dot"), args) {
        Ok(value) => format!("{value:?}"),
        Err(failure) => format!("{} {}", failure.code, failure.message),
    };
    let (a, b) = (Value::vector(vec![1.0, 2.0, 3.0]), Value::vector(vec![10.0, 20.0]));
    assert_eq!(run(vec![a.clone(), a.clone()]), "14.0f64");
    assert_eq!(run(vec![a.clone(), b]), "E0503 argument 2 has size 2 where 3 is needed, the size that argument 1 has");
    assert_eq!(run(vec![a.clone()]), "E0508 `dot` takes 2 arguments, 1 were given");
    assert_eq!(run(vec![a, Value::Scalar(Scalar::F64(1.0))]), "E0605 argument 2: expected []f64, found f64");
}

#[test]
fn parallel_maps_equal_sequential_ones() {
    let n = 20_000;
    let body = for_(&[("s", i64t(), v("x"))], "i", int(100), call("i64.^", &[call("i64.*", &[v("s"), int(31)]), v("i")]));
    let program = map(&[Dim::constant(n)], &[("x", call("iota", &[int(n)]))], body.clone());
    let failing = map(
        &[Dim::constant(n)],
        &[("x", call("iota", &[int(n)]))],
        let_("y", body, call("i64./", &[v("y"), call("i64.-", &[call("i64.%", &[v("x"), int(7000)]), int(6000)])])),
    );
    let run = |expr: &Expr, threads| {
        load(&Program { defs: vec![def("main", i64t(), expr.clone())], ..Program::default() }, threads).call(sym("main"), vec![])
    };
    assert_eq!(run(&program, 1).unwrap(), run(&program, 4).unwrap());
    assert_eq!(run(&failing, 1).unwrap_err(), run(&failing, 4).unwrap_err());
}

#[test]
fn huge_sizes_are_refused() {
    for program in [call("iota", &[int(1 << 48)]), rep(1 << 48, int(0))] {
        assert!(shown(program).starts_with("E0507 out of memory: 2251799813685248 bytes"), "memory");
    }
    for program in [call("iota", &[int(1 << 60)]), rep(1 << 60, int(0))] {
        assert!(shown(program).starts_with("E0504"), "a size");
    }
}

#[test]
fn deep_lets_do_not_overflow() {
    crate::base::with_big_stack(|| {
        let mut body = v("x0");
        for i in (0..50_000).rev() {
            body = let_(
                &format!("x{i}"),
                if i == 0 { int(1) } else { call("i64.+", &[v(&format!("x{}", i - 1)), int(1)]) },
                if i == 49_999 { v("x49999") } else { body },
            );
        }
        assert_eq!(shown(body), "50000i64");
        let mut sum = int(0);
        for _ in 0..200_000 {
            sum = call("i64.+", &[sum, int(1)]);
        }
        assert_eq!(shown(sum), "200000i64");
    });
}

/// Time that this thread has had a processor, which other load does not change.
#[allow(clippy::disallowed_methods, reason = "only for measuring")]
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// Prints speeds on one thread: `REMORA_SPEED=1 cargo test --release --lib eval::tests::speed -- --nocapture`.
#[test]
#[allow(clippy::disallowed_methods, reason = "asks whether to measure")]
fn speed() {
    if std::env::var_os("REMORA_SPEED").is_none() {
        return;
    }
    let timed = |name: &str, operations: f64, expr: Expr| {
        let machine = load(&Program { defs: vec![def("main", i64t(), expr)], ..Program::default() }, 1);
        let begin = processor_seconds();
        machine.call(sym("main"), vec![]).unwrap();
        println!("{name}: {:.1} million operations per second", operations / (processor_seconds() - begin) / 1e6);
    };
    let n = 3_000_000;
    let body = call("f64.+", &[call("f64.*", &[v("s"), num(0.5)]), call("f64.i64", &[v("i")])]);
    timed("scalar loop", 3.0 * n as f64, for_(&[("s", f64t(), num(0.0))], "i", int(n), body));
    let escape = {
        let z = |a: &str, b: &str| call("f64.*", &[v(a), v(b)]);
        let body = if_(
            call("f64.<", &[call("f64.+", &[z("x", "x"), z("y", "y")]), num(4.0)]),
            tuple(&[
                call("f64.+", &[call("f64.-", &[z("x", "x"), z("y", "y")]), v("c")]),
                call("f64.+", &[call("f64.*", &[num(2.0), z("x", "y")]), num(0.1)]),
                call("i64.+", &[v("k"), int(1)]),
            ]),
            tuple(&[v("x"), v("y"), v("k")]),
        );
        let params = [("x", f64t(), num(0.0)), ("y", f64t(), num(0.0)), ("k", i64t(), int(0))];
        e(ExprKind::Proj(2, for_(&params, "i", int(50), body)))
    };
    let c = call("f64./", &[call("f64.i64", &[v("q")]), num(1e6)]);
    timed(
        "mandelbrot map",
        14.0 * 50.0 * 40_000.0,
        map(&[Dim::constant(40_000)], &[("q", call("iota", &[int(40_000)]))], let_("c", c, escape)),
    );
    let d = |n: i64| Dim::constant(n);
    let iota2 = |n: i64, m: i64| {
        map(
            &[d(n)],
            &[("a", call("iota", &[int(n)]))],
            map(&[d(m)], &[("b", call("iota", &[int(m)]))], call("f64.i64", &[call("i64.*", &[v("a"), v("b")])])),
        )
    };
    let sum = |n: i64, x: Expr| app(inst(v("f64.sum"), &[], &[Index::Dim(d(n))]), &[x]);
    let square = call("f64.*", &[call("f64.-", &[v("x"), v("y")]), call("f64.-", &[v("x"), v("y")])]);
    let distance = sum(32, map(&[d(32)], &[("x", v("p")), ("y", v("c"))], square));
    let nest = map(&[d(2000)], &[("p", iota2(2000, 32))], map(&[d(16)], &[("c", iota2(16, 32))], distance));
    timed("distances", 4.0 * 2000.0 * 16.0 * 32.0, let_("z", int(0), nest));
    let big = map(&[d(2_000_000)], &[("x", call("iota", &[int(2_000_000)]))], call("i64.+", &[v("x"), int(1)]));
    timed("flat map", 2e6, big);
}
