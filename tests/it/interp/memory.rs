//! The evaluator of programs with memory finds what is put into them: places that are moved, memory that is released early or not at all, buffers
//! that do not change places, iterations that write the same cell.

use remora::back::lower::{Options, lower, with_ghosts};
use remora::base::{FileId, Idx, PrimType, Scalar, SourceMap, Symbol, with_big_stack};
use remora::interp::imp::{Plan, call};
use remora::ir::core;
use remora::ir::imp::{Expr, Int, Place, Program, Stmt, check, ghost, print, visit};
use remora::ir::soac::{self, read};
use remora::runtime::{Array, Buffer, Value};

const OPTIONS: Options = Options { strict: false, device: false };

/// Two vectors, the second of which is made of the first; both are used at the end.
const TWO: &str = "(entry f ([n i64] [xs [i64 n]]) ([R [i64 n]])
  (let ([a [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x 2)) (return y)))
  (let ([b [i64 n]]) (rotate a 1))
  (let ([r [i64 n]]) (soac n ([u i64 a] [v i64 b]) (let ([w i64]) (i64.+ u v)) (return w)))
  (return r))";
/// The same without iterations that read what others have.
const APART: &str = "(entry f ([n i64] [xs [i64 n]]) ([R [i64 n]])
  (let ([a [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x 2)) (return y)))
  (let ([b [i64 n]]) (soac n ([p i64 a]) (let ([q i64]) (i64.+ p 5)) (return q)))
  (let ([r [i64 n]]) (soac n ([u i64 a] [v i64 b]) (let ([w i64]) (i64.* u v)) (return w)))
  (return r))";
/// A loop whose vectors go from buffer to buffer.
const LOOP: &str = "(entry f ([n i64] [xs [i64 n]]) ([R [i64 n]])
  (let ([r [i64 n]] [s [i64 n]]) (loop ([p [i64 n] xs] [q [i64 n] xs]) (for i 5)
    (let ([v [i64 n]]) (soac n ([x i64 p] [y i64 q]) (let ([z i64]) (i64.+ x y)) (return z)))
    (return v p)))
  (return r))";

fn file() -> FileId {
    SourceMap::default().add("test", String::new())
}
fn source(text: &str) -> soac::Program {
    read::program(file(), text).unwrap_or_else(|all| panic!("{}", all[0].message))
}
fn vector(n: usize) -> Value {
    let mut data = Buffer::with_capacity(PrimType::I64, n).expect("memory");
    (0..n as i64).for_each(|k| {
        data.push(Scalar::I64(k * k + 1));
    });
    Value::Array(Array::new(&[n], data).expect("as many elements as the shape says"))
}
/// What comes of a program: nothing, or its failure.
fn outcome(source: &soac::Program, program: &Program, backwards: bool) -> Option<String> {
    let (ty, _) = core::read::ty(file(), "(Pi (n) (-> ([i64 n]) [i64 n]))");
    let plan = Plan { pass: "a hand", threads: 3, backwards, most: u64::MAX };
    let result = call(program, source, plan, &ty.expect("a type"), Symbol::new("f"), &[vector(9)], &[]);
    result.err().map(|failure| format!("{}: {}", failure.code, failure.message))
}
/// The program with each list of statements changed.
fn edited(mut program: Program, edit: &mut (dyn FnMut(&mut Vec<Stmt>) + Send)) -> Program {
    fn lists(mut list: Vec<Stmt>, edit: &mut (dyn FnMut(&mut Vec<Stmt>) + Send)) -> Vec<Stmt> {
        edit(&mut list);
        list.into_iter().map(|stmt| visit::inside(stmt, &mut |inner| lists(inner, edit))).collect()
    }
    let fun = &mut program.funs[Idx::new(0)];
    fun.body = lists(std::mem::take(&mut fun.body), edit);
    program
}
/// The fault that an edit of a program leads to.
fn planted(text: &str, edit: &mut (dyn FnMut(&mut Vec<Stmt>) + Send)) -> String {
    let source = source(text);
    let program = with_ghosts(&source, OPTIONS);
    assert_eq!(outcome(&source, &program, false), None, "{}", print::program(&program));
    assert_eq!(outcome(&source, &program, true), None);
    let program = edited(program, edit);
    let shown = print::program(&program);
    outcome(&source, &program, false).unwrap_or_else(|| panic!("nothing was found in\n{shown}"))
}
fn found(text: &str, edit: &mut (dyn FnMut(&mut Vec<Stmt>) + Send), parts: &[&str]) {
    with_big_stack(|| {
        let message = planted(text, edit);
        assert!(message.starts_with("E0599: the program that `a hand` made is wrong"), "{message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    });
}
/// Whether a statement points one pointer where another one points.
fn points(stmt: &Stmt, to: &str, from: &str, program: &soac::Program) -> bool {
    let lowered = lower(program, OPTIONS);
    let name = |ptr| lowered.funs[Idx::new(0)].ptrs[ptr].name;
    matches!(stmt, Stmt::Point(a, Place::Ptr(b, _)) if name(*a).as_str() == to && name(*b).as_str() == from)
}

#[test]
fn ghosts_change_nothing() {
    with_big_stack(|| {
        for text in [TWO, APART, LOOP] {
            let source = source(text);
            let (ghosts, plain) = (with_ghosts(&source, OPTIONS), lower(&source, OPTIONS));
            assert_eq!(check::validate(&ghosts), Ok(()));
            assert!(print::program(&ghosts).contains("ghost"));
            assert_eq!(print::program(&ghost::without(ghosts)), print::program(&plain));
        }
    });
}

#[test]
fn buffers_that_do_not_change_places() {
    let program = source(LOOP);
    found(
        LOOP,
        &mut |list| list.retain(|stmt| !points(stmt, "next", "free", &program)),
        &["the array `p` is used after element 0", "overwritten by `&"],
    );
    found(
        LOOP,
        &mut |list| list.retain(|stmt| !points(stmt, "p", "next", &program)),
        &["the array `v` has element", "where it was moved to"],
    );
}

#[test]
fn memory_that_is_released_early() {
    let mut first = true;
    let release = &mut |list: &mut Vec<Stmt>| {
        let at = list.iter().position(|stmt| matches!(stmt, Stmt::Parallel(_)));
        let owner = list.iter().find_map(|stmt| if let Stmt::Alloc { handle, .. } = stmt { Some(*handle) } else { None });
        if let (true, Some(at), Some(owner)) = (first, at, owner) {
            first = false;
            list.insert(at + 1, Stmt::Release(owner));
        }
    };
    found(TWO, release, &["after the buffer was released"]);
}

#[test]
fn memory_that_is_not_released() {
    found(TWO, &mut |list| list.retain(|stmt| !matches!(stmt, Stmt::Release(_))), &["a leak"]);
}

#[test]
fn places_that_are_moved() {
    let further = |e: &Expr| e.clone().plus(Expr::int(1));
    let shift = &mut |list: &mut Vec<Stmt>| {
        for stmt in list {
            if let Stmt::Store(_, index, _) = stmt {
                *index = further(index);
            }
        }
    };
    found(TWO, shift, &["which has 9 elements, is written"]);
}

#[test]
fn memory_that_is_never_written() {
    let mut loops = 0;
    let drop = &mut |list: &mut Vec<Stmt>| {
        list.retain(|stmt| {
            loops += usize::from(matches!(stmt, Stmt::Parallel(_)));
            !matches!(stmt, Stmt::Parallel(_)) || loops != 2
        });
    };
    found(TWO, drop, &["never written"]);
}

#[test]
fn iterations_that_write_the_same_cell() {
    let same = &mut |list: &mut Vec<Stmt>| {
        for stmt in list {
            if let Stmt::Store(_, index, _) = stmt {
                *index = Expr::arith(Int::Rem, index.clone(), Expr::int(4));
            }
        }
    };
    found(TWO, same, &["a race", "is written, and another iteration writes it"]);
}

/// New memory that is written over what is still needed: the first vector's.
#[test]
fn results_over_what_is_needed() {
    let mut over = None;
    let alias = &mut |list: &mut Vec<Stmt>| {
        for stmt in list {
            if let Stmt::Alloc { ptr, .. } = stmt {
                match over {
                    None => over = Some(*ptr),
                    Some(first) => *stmt = Stmt::Point(*ptr, Place::Ptr(first, Expr::int(0))),
                }
            }
        }
    };
    found(APART, alias, &["the array `a` is used after element 0", "overwritten by `&"]);
}
