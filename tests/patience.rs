//! Checking takes as many steps as its task needs: programs made larger by a factor, each with its verdict, and how work may grow with them.
//!
//! Work is counted in allocations of the thread that checks, and memory in the bytes that it holds at most: both are the same on every machine,
//! seconds are not. Steps that allocate nothing, and those of the integer program solver, are not seen.

#![allow(unsafe_code, reason = "an allocator that counts")]

use remora::base::{SourceMap, with_big_stack};
use remora::driver;
use remora::front::resolve::Loader;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static MOST: Cell<i64> = const { Cell::new(0) };
}

struct Counting;

fn note(allocations: u64, bytes: i64) {
    COUNT.set(COUNT.get() + allocations);
    HELD.set(HELD.get() + bytes);
    MOST.set(MOST.get().max(HELD.get()));
}

// SAFETY: everything is left to the allocator of the system; the counters have neither destructors nor memory of their own.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(1, layout.size() as i64);
        // SAFETY: the caller keeps to the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        note(0, -(layout.size() as i64));
        // SAFETY: the caller keeps to the contract of `dealloc`, and all memory is of `System`.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        Err(format!("no file {path}"))
    }
}

/// What checking came to.
struct Measured {
    /// The code of the first error.
    code: Option<&'static str>,
    allocations: u64,
    bytes: i64,
}

/// Checks a program and then once more, which counts: names and what else is made once for all programs are there by then, whatever ran before.
fn measure(text: &str) -> Measured {
    check(text);
    check(text)
}

fn check(text: &str) -> Measured {
    with_big_stack(|| {
        let mut sources = SourceMap::default();
        let file = sources.add("patience.rem", text);
        let (before, held) = (COUNT.get(), HELD.get());
        MOST.set(held);
        let checked = driver::check(&mut sources, &NoFiles, file);
        let code = checked.diagnostics.first().map(|d| d.code.number());
        Measured { code, allocations: COUNT.get() - before, bytes: MOST.get() - held }
    })
}

/// Programs of one form.
struct Family {
    name: &'static str,
    /// The verdict: accepted, or the code of the first error.
    code: Option<&'static str>,
    /// Twice the size is at most `2^degree` times the work.
    degree: u32,
    /// The smallest factor that is measured; then twice and four times that.
    smallest: usize,
    program: fn(usize) -> String,
}

/// `f(0) .. f(n - 1)`, one after another.
fn lines(n: usize, f: impl Fn(usize) -> String) -> String {
    (0..n).map(f).collect()
}

/// The same with a separator.
fn list(n: usize, separator: &str, f: impl Fn(usize) -> String) -> String {
    (0..n).map(f).collect::<Vec<_>>().join(separator)
}

const LINEAR: u32 = 1;
const QUADRATIC: u32 = 2;

const fn accepted(name: &'static str, degree: u32, smallest: usize, program: fn(usize) -> String) -> Family {
    Family { name, code: None, degree, smallest, program }
}

const fn refused(name: &'static str, code: &'static str, degree: u32, smallest: usize, program: fn(usize) -> String) -> Family {
    Family { name, code: Some(code), degree, smallest, program }
}

const FAMILIES: &[Family] = &[
    accepted("pairs of pairs", LINEAR, 20, |n| {
        format!("def t x0 =\n{}  in x{n}\n", lines(n, |i| format!("  let x{} = (x{i}, x{i})\n", i + 1)))
    }),
    refused("an entry point of pairs of pairs", "E0613", LINEAR, 20, |n| {
        let types = lines(n, |i| format!("type p{} = (p{i}, p{i})\n", i + 1));
        format!("type p0 = i64\n{types}entry t (x: p{n}) = x\n")
    }),
    accepted("records of records", LINEAR, 20, |n| {
        format!("def t x0 =\n{}  in x{n}\n", lines(n, |i| format!("  let x{} = {{a = x{i}, b = x{i}}}\n", i + 1)))
    }),
    accepted("nested tuples", LINEAR, 20, |n| format!("def t x = {}x{}\n", "(1, ".repeat(n), ")".repeat(n))),
    accepted("a long tuple", LINEAR, 20, |n| {
        format!("def t {} = ({})\n", list(n, " ", |i| format!("a{i}")), list(n, ", ", |i| format!("a{i} + a{}", (i + 1) % n)))
    }),
    accepted("nested parentheses", LINEAR, 100, |n| format!("def t (x: i64) = {}x{}\n", "(".repeat(n), ")".repeat(n))),
    accepted("applications in applications", LINEAR, 25, |n| format!("def t f x = {}x{}\n", "f (".repeat(n), ")".repeat(n))),
    accepted("identities", LINEAR, 20, |n| format!("def t x = {}x{}\n", "id (".repeat(n), ")".repeat(n))),
    accepted("identities of identities", QUADRATIC, 20, |n| format!("def t x = {}x\n", "id ".repeat(n))),
    accepted("functions of functions", LINEAR, 15, |n| {
        let chain = lines(n, |i| format!("  let f{} = \\a -> f{i} a\n", i + 1));
        format!("def t x =\n  let f0 = \\a -> a\n{chain}  in f{n} x\n")
    }),
    accepted("applied twice, in a chain", LINEAR, 10, |n| {
        let chain = lines(n, |i| format!("  let s{} = tw s{i}\n", i + 1));
        format!("def t x =\n  let tw = \\f x -> f (f x)\n  let s0 = \\y -> y + 1\n{chain}  in s{n} x\n")
    }),
    refused("a pair of itself", "E0304", LINEAR, 8, |n| {
        let chain = lines(n, |i| format!("  let f{} = \\a -> f{i} (f{i} a)\n", i + 1));
        format!("def t x =\n  let f0 = \\a -> (a, a)\n{chain}  in f{n} x\n")
    }),
    accepted("nested functions", QUADRATIC, 20, |n| {
        format!("def t = {}{}\n", lines(n, |i| format!("\\x{i} -> ")), list(n, " + ", |i| format!("x{i}")))
    }),
    accepted("nested conditionals", LINEAR, 40, |n| {
        format!("def t (c: bool) x =\n{}  x\n", lines(n, |i| format!("  if c then x + {i} else\n")))
    }),
    accepted("nested loops", LINEAR, 15, |n| {
        let loops = lines(n, |i| format!("  loop y{} = y{i} for i{i} < 3 do\n", i + 1));
        format!("def t (y0: i64) =\n{loops}  y{n} + 1\n")
    }),
    accepted("nested maps", QUADRATIC, 8, |n| format!("def t f x = {}f{} x\n", "map (".repeat(n), ")".repeat(n))),
    accepted("a pipeline of maps", LINEAR, 20, |n| format!("def t xs = xs {}\n", " |> map (\\x -> x + 1)".repeat(n))),
    accepted("sections", LINEAR, 15, |n| format!("def t xs = {}xs{}\n", "map (+ 1) (".repeat(n), ")".repeat(n))),
    accepted("compositions", LINEAR, 15, |n| format!("def t (m: [][]i64) = ({}) m\n", list(n, " >-> ", |_| "(\\x -> x + 1)".into()))),
    accepted("folds", LINEAR, 10, |n| format!("def t xs = {}\n", list(n, " + ", |i| format!("reduce (+) 0 (map (\\x -> x * {i}) xs)")))),
    accepted("scans", LINEAR, 8, |n| {
        format!("def t xs = {}\n", list(n, " + ", |i| format!("i64.sum (scan (+) 0 (map (\\x -> x + {i}) xs))")))
    }),
    accepted("sums of elements", LINEAR, 15, |n| format!("def t a i = {}\n", list(n, " + ", |k| format!("a[i + {k}]")))),
    accepted("many parameters", LINEAR, 10, |n| {
        let xs = list(n, " ", |i| format!("x{i}"));
        format!("def t f {xs} = f {xs}\n")
    }),
    accepted("a large array", LINEAR, 500, |n| format!("def t = [{}]\n", list(n, ", ", |i| i.to_string()))),
    accepted("chained open functions", LINEAR, 25, |n| {
        let chain = lines(n, |i| format!("  let g{} = \\a -> g{i} a * 2\n", i + 1));
        format!("def t (m: [][]f64) =\n  let g0 = \\a -> a + 1\n{chain}  in g{n} m\n")
    }),
    accepted("choices of two readings", LINEAR, 50, |n| {
        let chain = lines(n, |i| format!("  let h{i} = \\p -> p + a\n  let x{} = h{i} v + x{i}\n", i + 1));
        format!("def t (a: []i64) (v: []i64) (x0: []i64) =\n{chain}  in x{n}\n")
    }),
    accepted("a large match", QUADRATIC, 36, |n| {
        let cases = lines(n, |k| format!("  case (#a {}, #b {}) -> {k}\n", k / 12, k % 12));
        format!("def t (x: #a i64 | #b i64 | #c) (y: #a i64 | #b i64 | #c) = match (x, y)\n{cases}  case _ -> 0\n")
    }),
    accepted("a wide match", QUADRATIC, 6, |n| {
        let row = |k: usize| list(n, ", ", |j| if j == k { "true".into() } else { "_".into() });
        let cases = lines(n, |i| format!("  case ({}) -> {i}\n", row(i)));
        let (params, subject) = (list(n, " ", |i| format!("(x{i}: bool)")), list(n, ", ", |i| format!("x{i}")));
        format!("def t {params} = match ({subject})\n{cases}  case _ -> 99\n")
    }),
    accepted("concatenations with themselves", LINEAR, 4, |n| {
        let chain = lines(n, |i| format!("  let y{} = concat y{i} y{i}\n", i + 1));
        format!("def t [n] (y0: [n]i64) =\n{chain}  in y{n}\n")
    }),
    accepted("concatenations with others", QUADRATIC, 5, |n| {
        let chain = lines(n, |i| format!("  let y{} = concat y{i} (concat z y{i})\n", i + 1));
        format!("def t [n][m] (y0: [n]i64) (z: [m]i64) =\n{chain}  in y{n}\n")
    }),
    refused("products of sizes with themselves", "E0309", LINEAR, 8, |n| {
        let chain = lines(n, |i| format!("  let y{} = flatten (replicate (length y{i}) y{i})\n", i + 1));
        format!("def t [n][m] (x: [n][m]i64) =\n  let y0 = flatten x\n{chain}  in y{n}\n")
    }),
    accepted("applied modules", LINEAR, 10, |n| {
        let apply = |i: usize| {
            let body = "type t = x.t def z = x.z def f a b = x.f (x.f a b) b";
            format!("module p{i} (x: s) = {{ {body} }}\nmodule m{} = p{i} m{i}\n", i + 1)
        };
        let first = "module type s = { type t val z: t val f: t -> t -> t }\nmodule m0 = { type t = i64 def z = 0i64 def f (a: i64) (b: i64) = a + b }\n";
        format!("{first}{}def t (a: m{n}.t) = m{n}.f a a\n", lines(n, apply))
    }),
];

/// No definition holds more.
const BYTES: i64 = 512 << 20;

/// Whether work grows faster from one size to its double, with a quarter left for what has to be sorted and for tables that grow in steps.
fn too_fast(work: &[u64], degree: u32) -> bool {
    work.windows(2).any(|pair| pair[1] * 4 > (pair[0] * 5) << degree)
}

/// What is wrong with a family.
fn fault(family: &Family, nothing: u64) -> Option<String> {
    let sizes = [1, 2, 4].map(|times| times * family.smallest);
    let measured = sizes.map(|n| measure(&(family.program)(n)));
    let work = measured.each_ref().map(|m| m.allocations.saturating_sub(nothing));
    println!("{}: factors {sizes:?}, allocations {work:?}, {} bytes", family.name, measured[2].bytes);
    if let Some(other) = measured.iter().find(|m| m.code != family.code) {
        return Some(format!("{}: {:?} instead of {:?}", family.name, other.code, family.code));
    }
    if let Some(large) = measured.iter().find(|m| m.bytes > BYTES) {
        return Some(format!("{}: holds {} bytes", family.name, large.bytes));
    }
    too_fast(&work, family.degree).then(|| format!("{}: {work:?} allocations at {sizes:?}, degree {}", family.name, family.degree))
}

#[test]
fn work_grows_with_the_program() {
    let nothing = measure("def t = 1\n").allocations;
    let faults: Vec<String> = FAMILIES.iter().filter_map(|family| fault(family, nothing)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn growth_is_told_apart() {
    assert!(!too_fast(&[100, 200, 400], LINEAR) && !too_fast(&[100, 400, 1600], QUADRATIC));
    assert!(too_fast(&[100, 400, 1600], LINEAR) && too_fast(&[100, 800, 6400], QUADRATIC));
}

#[test]
fn allocations_are_counted() {
    let (small, large) = (measure("def t = 1\n"), measure(&format!("def t = [{}]\n", list(1000, ", ", |i| i.to_string()))));
    assert!(large.allocations >= small.allocations + 1000 && large.bytes > small.bytes);
}
