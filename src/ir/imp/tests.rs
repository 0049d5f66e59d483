//! The validator on programs that are right and on their smallest changes that are not, and the notation.

use super::variants::{Access, Product, Side, Variants, Vectors};
use super::{
    Expr, Fun, FunId, Handle, HandleInfo, Launch, Local, LocalInfo, Order, Parallel, Place, Program, Ptr, PtrInfo, Result, Scan, Stmt,
    Work, check, print,
};
use crate::base::{Arena, PrimType, Scalar, Span, Symbol};

/// A function with three locals, three pointers at `f32` and two handles.
fn program(body: Vec<Stmt>, results: Vec<Result>) -> Program {
    let mut fun = Fun {
        name: Symbol::new("f"),
        params: Vec::new(),
        body,
        results,
        entry: true,
        recursive: false,
        locals: Arena::default(),
        ptrs: Arena::default(),
        handles: Arena::default(),
        counts: Vec::new(),
        span: Span::default(),
    };
    for name in ["i", "j", "k"] {
        fun.locals.alloc(LocalInfo { name: Symbol::new(name), prim: PrimType::I64 });
    }
    for name in ["p", "q", "r"] {
        fun.ptrs.alloc(PtrInfo { name: Symbol::new(name), elem: PrimType::F32, stack: None });
    }
    for name in ["a", "b"] {
        fun.handles.alloc(HandleInfo { name: Symbol::new(name) });
    }
    let mut program = Program::default();
    program.funs.alloc(fun);
    program
}

fn local(k: usize) -> Local {
    Local::new(k)
}
fn set(k: usize, e: Expr) -> Stmt {
    Stmt::Set(local(k), e)
}
fn get(k: usize) -> Expr {
    Expr::Local(local(k))
}
fn alloc(handle: usize, ptr: usize) -> Stmt {
    Stmt::Alloc { handle: Handle::new(handle), ptr: Ptr::new(ptr), count: Expr::int(4), span: Span::default() }
}
fn release(handle: usize) -> Stmt {
    Stmt::Release(Handle::new(handle))
}
fn store(ptr: usize) -> Stmt {
    Stmt::Store(Ptr::new(ptr), Expr::int(0), Expr::Const(Scalar::F32(1.0)))
}
fn each(order: Order, body: Vec<Stmt>) -> Stmt {
    Stmt::For { var: local(1), from: Expr::int(0), to: Expr::int(3), order, body }
}
fn when(then: Vec<Stmt>, els: Vec<Stmt>) -> Stmt {
    Stmt::If(Expr::Const(Scalar::Bool(true)), then, els)
}
fn kernel(body: Vec<Stmt>) -> Stmt {
    launched(body, Variants::default())
}
/// A kernel with these variants.
fn launched(body: Vec<Stmt>, variants: Variants) -> Stmt {
    let work = Work::Map { width: Expr::int(3), index: local(1), body };
    let (name, span) = (Symbol::new("k"), Span::default());
    Stmt::Launch(Box::new(Launch { name, span, threads: None, heap: false, work, variants }))
}
fn parallel(body: Vec<Stmt>) -> Stmt {
    let [lo, hi, chunk] = [local(1); 3];
    Stmt::Parallel(Box::new(Parallel { width: Expr::int(3), chunks: Expr::int(1), lo, hi, chunk, body }))
}

/// A scan that adds up what `cell` leaves in the first local.
fn scan(cell: Vec<Stmt>, done: Vec<Stmt>) -> Vec<Stmt> {
    let add = crate::base::scalar::FoldOp { op: crate::base::scalar::Op::Add, prim: PrimType::I64 }.step();
    let (from, to) = (Expr::int(0), Expr::int(3));
    vec![set(0, Expr::int(0)), Stmt::Scan(Box::new(Scan { var: local(1), from, to, sums: vec![(local(0), add)], cell, done }))]
}

fn accepted(body: Vec<Stmt>, results: Vec<Result>) {
    let program = program(body, results);
    check::validate(&program).unwrap_or_else(|problem| panic!("{problem}\n{}", print::program(&program)));
}
fn refused(body: Vec<Stmt>, message: &str) {
    let program = program(body, Vec::new());
    let problem = check::validate(&program).expect_err(&print::program(&program));
    assert!(problem.contains(message), "{problem}");
}

#[test]
fn what_is_set_on_all_paths_can_be_read() {
    let both = || when(vec![set(0, Expr::int(1))], vec![set(0, Expr::int(2))]);
    accepted(vec![both()], vec![Result::Scalar(PrimType::I64, get(0))]);
    accepted(vec![set(0, Expr::int(0)), each(Order::Sequential, vec![set(0, get(0).plus(get(1)))])], Vec::new());
    refused(vec![when(vec![set(0, Expr::int(1))], Vec::new()), set(1, get(0))], "i.0 is read before it is set");
    // There may be no iteration.
    refused(vec![each(Order::Sequential, vec![set(0, Expr::int(1))]), set(1, get(0))], "i.0 is read before it is set");
    refused(vec![set(0, Expr::Const(Scalar::Bool(true)))], "i.0 is set to a value of type bool");
    refused(vec![set(0, Expr::Load(Ptr::new(0), Box::new(Expr::int(0))))], "&p.0 is used before it is set");
}

#[test]
fn iterations_in_any_order_do_not_see_each_other() {
    let sum = |order| vec![set(0, Expr::int(0)), each(order, vec![set(0, get(0).plus(get(1)))])];
    refused(sum(Order::Any), "i.0 is read before it is set");
    let add = crate::base::scalar::FoldOp { op: crate::base::scalar::Op::Add, prim: PrimType::I64 }.step();
    accepted(sum(Order::Reduce(vec![(local(0), add)])), vec![Result::Scalar(PrimType::I64, get(0))]);
    refused(vec![parallel(vec![set(0, Expr::int(1))]), set(1, get(0))], "i.0 is read before it is set");
}

#[test]
fn a_scan_hands_on_what_it_collects_and_nothing_else() {
    let add = || vec![set(0, get(0).plus(get(1)))];
    let kept = |index| vec![Stmt::Store(Ptr::new(0), index, Expr::Const(Scalar::F32(1.0)))];
    let with = |list: Vec<Stmt>| [vec![alloc(0, 0)], list, vec![release(0)]].concat();
    accepted(with(scan(add(), kept(get(0)))), Vec::new());
    refused(with(scan(Vec::new(), kept(get(0)))), "i.0 collects nothing");
    refused(with(scan(add(), add())), "i.0 is set where it is used");
    refused(with(scan(add(), vec![when(kept(get(0)), Vec::new())])), "a scan does more than set and store");
    refused(scan(add(), Vec::new())[1..].to_vec(), "i.0 is read before it is set");
    // What the first part of an iteration sets, the second does not see.
    let own = [add(), vec![set(2, get(1))]].concat();
    refused(with(scan(own, kept(get(2)))), "k.2 is read before it is set");
}

#[test]
fn memory_is_released_once() {
    accepted(vec![alloc(0, 0), store(0), release(0)], Vec::new());
    accepted(vec![alloc(0, 0)], vec![Result::Array(Ptr::new(0), Handle::new(0))]);
    refused(vec![alloc(0, 0)], "@a.0 is not released at the end");
    refused(vec![when(vec![alloc(0, 0)], Vec::new())], "@a.0 is not released at the end");
    refused(vec![alloc(0, 0), alloc(0, 1), release(0)], "@a.0 has memory already");
    refused(vec![each(Order::Sequential, vec![alloc(0, 0)]), release(0)], "@a.0 has memory already");
    refused(vec![parallel(vec![alloc(0, 0)])], "@a.0 is not released at the end of a piece");
    refused(vec![alloc(0, 0), parallel(vec![release(0)]), release(0)], "@a.0 belongs to the surroundings");
}

#[test]
fn released_memory_is_not_used() {
    let view = || Stmt::Point(Ptr::new(1), Place::Ptr(Ptr::new(0), Expr::int(2)));
    refused(vec![alloc(0, 0), view(), release(0), store(1)], "&q.1 is used before it is set or after its memory is released");
    let moved = || Stmt::Move { to: Handle::new(1), from: Handle::new(0) };
    accepted(vec![alloc(0, 0), view(), moved(), store(1), release(1)], Vec::new());
    refused(vec![alloc(0, 0), view(), moved(), release(1), store(1)], "&q.1 is used");
    refused(vec![alloc(0, 0), alloc(1, 1), Stmt::Move { to: Handle::new(0), from: Handle::new(1) }, store(0), release(0)], "&p.0 is used");
    // Two buffers that change places in each iteration.
    let swap = vec![
        alloc(1, 2),
        store(0),
        Stmt::Move { to: Handle::new(0), from: Handle::new(1) },
        Stmt::Point(Ptr::new(0), Place::Ptr(Ptr::new(2), Expr::int(0))),
    ];
    accepted(vec![alloc(0, 0), each(Order::Sequential, swap), store(0), release(0)], Vec::new());
}

#[test]
fn kernels_keep_to_what_they_may_do() {
    accepted(vec![alloc(0, 0), kernel(vec![set(0, Expr::Thread), store(0)]), release(0)], Vec::new());
    refused(vec![kernel(vec![alloc(0, 0), release(0)])], "a kernel cannot do this");
    refused(vec![kernel(vec![parallel(Vec::new())])], "a kernel cannot do this");
    refused(vec![set(0, Expr::Thread)], "outside of a kernel");
    refused(vec![kernel(vec![set(0, Expr::int(1))]), set(1, get(0))], "i.0 is read before it is set");
    refused(vec![Stmt::Call { fun: FunId::new(0), args: Vec::new(), results: Vec::new(), span: Span::default() }], "comes later");
}

/// A kernel that adds 1 to each element of `q` into `p`, and a variant in vectors that reads and writes so.
fn with_vectors(change: impl FnOnce(&mut Vectors)) -> Vec<Stmt> {
    let add = crate::base::scalar::FoldOp { op: crate::base::scalar::Op::Add, prim: PrimType::F32 }.step();
    let value = Expr::Op(add, vec![Expr::Load(Ptr::new(1), Box::new(get(1))), Expr::Const(Scalar::F32(1.0))]);
    let access = |ptr: usize, loaded: bool| Access { ptr: Ptr::new(ptr), index: get(1), base: Vec::new(), loaded };
    let mut vectors = Vectors { each: 4, reads: vec![access(1, true)], writes: vec![access(0, false)] };
    change(&mut vectors);
    let kernel = launched(vec![Stmt::Store(Ptr::new(0), get(1), value)], Variants { vectors: Some(vectors), ..Variants::default() });
    vec![alloc(0, 0), alloc(1, 1), kernel, release(0), release(1)]
}

#[test]
fn vectors_are_what_cells_read_and_write() {
    accepted(with_vectors(|_| {}), Vec::new());
    refused(with_vectors(|vectors| vectors.each = 3), "threads with 3 cells");
    refused(with_vectors(|vectors| vectors.writes[0].loaded = true), "an access is said to read what it does not");
    refused(with_vectors(|vectors| vectors.reads[0].index = get(1).plus(Expr::int(1))), "an access is said to read what it does not");
    refused(with_vectors(|vectors| vectors.writes[0].index = Expr::int(0)), "something is written that is not in a vector");
    // The host has no number of a cell.
    refused(with_vectors(|vectors| vectors.reads[0].base = vec![get(1)]), "j.1 is read before it is set");
}

/// The product of the matrices `p` and `q` of 3 rows and columns into `r`, as a map over their cells.
fn with_product(change: impl FnOnce(&mut Product)) -> Program {
    let [row, column, step, left, right] = [3, 4, 5, 6, 7];
    let total = 2;
    let load = |ptr: usize, a: usize, b: usize| Expr::Load(Ptr::new(ptr), Box::new(get(a).times(Expr::int(3)).plus(get(b))));
    let (sides, combine) =
        ([set(left, load(0, row, step)), set(right, load(1, step, column))], set(total, get(total).plus(get(left).times(get(right)))));
    let done = Stmt::Store(Ptr::new(2), get(1), get(total));
    let cell = vec![
        set(row, Expr::arith(super::Int::Div, get(1), Expr::int(3))),
        set(column, Expr::arith(super::Int::Rem, get(1), Expr::int(3))),
        set(total, Expr::int(0)),
        Stmt::For {
            var: local(step),
            from: Expr::int(0),
            to: Expr::int(3),
            order: Order::Sequential,
            body: [&sides[..], std::slice::from_ref(&combine)].concat(),
        },
        done.clone(),
    ];
    let [left, right] =
        [(0, left), (1, right)].map(|(k, value)| Side { body: vec![sides[k].clone()], values: vec![local(value)], along: k == 0 });
    let mut product = Product {
        planes: None,
        row: local(row),
        column: local(column),
        columns: Expr::int(3),
        step: local(step),
        depth: Expr::int(3),
        totals: vec![(local(total), Expr::int(0))],
        left,
        right,
        combine: vec![combine],
        done: vec![done],
    };
    change(&mut product);
    let kernel = launched(cell, Variants { product: Some(Box::new(product)), ..Variants::default() });
    let buffers = |each: fn(usize) -> Stmt| (0..3).map(each).collect::<Vec<_>>();
    let mut program = program([buffers(|k| alloc(k, k)), vec![kernel], buffers(release)].concat(), Vec::new());
    let fun = &mut program.funs[FunId::new(0)];
    for name in ["row", "column", "step", "left", "right"] {
        fun.locals.alloc(LocalInfo { name: Symbol::new(name), prim: PrimType::I64 });
    }
    fun.handles.alloc(HandleInfo { name: Symbol::new("c") });
    (0..3).for_each(|k| fun.ptrs[Ptr::new(k)].elem = PrimType::I64);
    program
}

#[test]
fn the_sides_of_a_product_are_read_apart() {
    let refused = |change: fn(&mut Product), message: &str| {
        let program = with_product(change);
        let problem = check::validate(&program).expect_err(&print::program(&program));
        assert!(problem.contains(message), "{problem}");
    };
    let program = with_product(|_| {});
    check::validate(&program).unwrap_or_else(|problem| panic!("{problem}\n{}", print::program(&program)));
    let text = print::program(&program);
    assert!(text.contains("variant in tiles: row row.3, column column.4 below 3, step step.5 below 3\n"), "{text}");
    refused(|product| std::mem::swap(&mut product.left.body, &mut product.right.body), "column.4 is read before it is set");
    refused(|product| product.left.body.clear(), "a side reads nothing");
    refused(|product| product.right.values = vec![local(6)], "left.6 is read before it is set");
    refused(|product| product.combine = product.left.body.clone(), "row.3 is read before it is set");
    refused(|product| product.combine.insert(0, store(2)), "a step does more than set");
    refused(|product| product.columns = get(4), "column.4 is read before it is set");
    refused(|product| product.column = product.row, "the row is the column");
}

#[test]
fn only_reductions_are_done_by_columns() {
    refused(vec![launched(Vec::new(), Variants { columns: true, ..Variants::default() })], "columns of what is no reduction");
}

#[test]
fn the_notation() {
    let body = vec![
        alloc(0, 0),
        each(Order::Any, vec![Stmt::Store(Ptr::new(0), get(1).plus(Expr::int(1)).times(Expr::int(2)), Expr::Const(Scalar::F32(1.0)))]),
        when(vec![store(0)], vec![Stmt::Comment("nothing".into())]),
    ];
    let body = [body, scan(vec![set(0, get(0).plus(get(1)))], vec![store(0)])].concat();
    let text = print::program(&program(body, vec![Result::Array(Ptr::new(0), Handle::new(0))]));
    let expected = "entry f.0() -> (&p.0 of @a.0)
  alloc @a.0 -> &p.0: f32 of 4
  for j.1 from 0 to 3, any
    &p.0[(j.1 + 1) * 2] = 1.0f32
  if true
    &p.0[0] = 1.0f32
  else
    -- nothing
  i.0 = 0
  scan j.1 from 0 to 3, i.0 by i64.+
    i.0 = i.0 + j.1
  done
    &p.0[0] = 1.0f32
";
    assert_eq!(text, expected);
}
