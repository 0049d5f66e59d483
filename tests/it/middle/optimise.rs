//! Random first-order programs compute the same after optimisation, with their updates done in place: the evaluator checks that no
//! memory is read after it was overwritten.

use remora::back::lower;
use remora::back::vectorise::vectorise_by;
use remora::base::{FileId, PrimType, Scalar, SourceMap, Symbol, with_big_stack};
use remora::interp::soac::{call, call_in_place};
use remora::interp::{self, imp::Plan};
use remora::ir::soac::{Program, check, print, read};
use remora::ir::{core, imp, soac::structure::Structure};
use remora::middle::flatten::{coalesce, flatten};
use remora::middle::optimise::{FOR_DEVICES, FOR_PROCESSORS, in_place, optimise, optimise_by, optimise_for_device};
use remora::runtime::{Array, Buffer, Value};
use std::fmt::Write;

/// How many programs are tried, unless `REMORA_PROGRAMS` says another number.
fn programs() -> u64 {
    std::env::var("REMORA_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }
    fn pick<'a>(&mut self, items: &'a [String]) -> &'a str {
        &items[self.below(items.len())]
    }
}

/// Variables in scope: numbers, vectors and matrices.
#[derive(Clone, Default)]
struct Scope {
    ints: Vec<String>,
    vecs: Vec<String>,
    mats: Vec<String>,
}

struct Generator {
    random: Random,
    names: usize,
    out: String,
}

impl Generator {
    fn name(&mut self, base: &str) -> String {
        self.names += 1;
        format!("{base}.{}", self.names)
    }
    fn bind(&mut self, base: &str, ty: &str, exp: &str) -> String {
        let name = self.name(base);
        let _ = writeln!(self.out, "(let ([{name} {ty}]) {exp})");
        name
    }
    fn int(&mut self, scope: &Scope) -> String {
        match self.random.below(4) {
            0 => self.random.below(5).to_string(),
            _ => self.random.pick(&scope.ints).to_owned(),
        }
    }
    /// An index that is in bounds.
    fn index(&mut self, scope: &Scope) -> String {
        let int = self.int(scope);
        self.bind("at", "i64", &format!("(i64.% {int} n)"))
    }
    /// Text that is made in another place.
    fn aside(&mut self, work: impl FnOnce(&mut Self)) -> String {
        let outer = std::mem::take(&mut self.out);
        work(self);
        std::mem::replace(&mut self.out, outer)
    }
    fn scalar(&mut self, scope: &mut Scope) {
        let exp = match self.random.below(4) {
            0 => {
                let (at, vec) = (self.index(scope), self.random.pick(&scope.vecs).to_owned());
                format!("(index {vec} {at})")
            }
            1 if !scope.mats.is_empty() => {
                let (i, j, mat) = (self.index(scope), self.index(scope), self.random.pick(&scope.mats).to_owned());
                format!("(index {mat} {i} {j})")
            }
            _ => {
                let (a, b) = (self.int(scope), self.int(scope));
                format!("(i64.{} {a} {b})", ["+", "-", "*", "min", "max"][self.random.below(5)])
            }
        };
        let name = self.bind("s", "i64", &exp);
        scope.ints.push(name);
    }
    fn scalars(&mut self, scope: &mut Scope) {
        for _ in 0..self.random.below(3) + 1 {
            self.scalar(scope);
        }
    }
    /// `+` as an operator.
    fn sum(&mut self, head: &str) -> String {
        let (a, b, c) = (self.name("a"), self.name("b"), self.name("c"));
        format!("({head} (0) ([{a} i64] [{b} i64]) (let ([{c} i64]) (i64.+ {a} {b})) (return {c}))")
    }

    fn vector(&mut self, scope: &mut Scope, depth: usize) {
        let vec = self.random.pick(&scope.vecs).to_owned();
        let ty = "[i64 n]";
        let exp = match self.random.below(13) {
            0 | 1 => {
                let (at, int) = (self.index(scope), self.int(scope));
                format!("(update {vec} ({at}) {int})")
            }
            2 => {
                let last = self.bind("last", "i64", "(i64.- n 1)");
                format!("(slice {vec} {last} -1 unchecked)")
            }
            3 => format!("(rep {})", self.int(scope)),
            4 => "(iota 3 2)".to_owned(),
            5 => format!("(rotate {vec} {})", self.int(scope)),
            6 if !scope.mats.is_empty() => {
                let (at, mat) = (self.index(scope), self.random.pick(&scope.mats).to_owned());
                format!("(index {mat} {at})")
            }
            7 if depth > 0 => {
                let cond = self.int(scope);
                let cond = self.bind("cond", "bool", &format!("(i64.> {cond} 2)"));
                let branch = |this: &mut Self| {
                    this.aside(|this| {
                        let mut inner = scope.clone();
                        this.statements(&mut inner, depth - 1, 2);
                        let result = this.random.pick(&inner.vecs).to_owned();
                        let _ = write!(this.out, "(return {result})");
                    })
                };
                let (then, els) = (branch(self), branch(self));
                format!("(if {cond} (then {then}) (else {els}))")
            }
            8 | 9 if depth > 0 => return self.looping(scope, depth),
            10 => {
                let (other, i, x) = (self.random.pick(&scope.vecs).to_owned(), self.name("i"), self.name("x"));
                format!("(scatter ({vec}) n ([{i} i64 {other}] [{x} i64 {vec}]) (return {i} {x}))")
            }
            11 => {
                let (x, scan) = (self.name("x"), self.sum("scan"));
                format!("(soac n ([{x} i64 {vec}]) (return {x}) {scan})")
            }
            _ => {
                let (other, x, y) = (self.random.pick(&scope.vecs).to_owned(), self.name("x"), self.name("y"));
                let body = self.aside(|this| {
                    let mut inner = scope.clone();
                    inner.ints.extend([x.clone(), y.clone()]);
                    this.scalars(&mut inner);
                    let _ = write!(this.out, "(return {})", inner.ints.last().expect("there is one"));
                });
                format!("(soac n ([{x} i64 {vec}] [{y} i64 {other}]) {body})")
            }
        };
        let name = self.bind("v", ty, &exp);
        scope.vecs.push(name);
    }
    fn looping(&mut self, scope: &mut Scope, depth: usize) {
        let (a, b, i) = (self.name("p"), self.name("q"), self.name("i"));
        let (x, y) = (self.random.pick(&scope.vecs).to_owned(), self.random.pick(&scope.vecs).to_owned());
        let body = self.aside(|this| {
            let mut inner = scope.clone();
            inner.ints.push(i.clone());
            // Parameters are used more often than what is outside.
            inner.vecs.extend([&a, &b, &a, &b].map(String::clone));
            this.statements(&mut inner, depth - 1, 3);
            let (r, s) = (this.random.pick(&inner.vecs).to_owned(), this.random.pick(&inner.vecs).to_owned());
            let _ = write!(this.out, "(return {r} {s})");
        });
        let (r, s) = (self.name("r"), self.name("r"));
        let params = format!("([{a} [i64 n] {x}] [{b} [i64 n] {y}])");
        let _ = writeln!(self.out, "(let ([{r} [i64 n]] [{s} [i64 n]]) (loop {params} (for {i} n) {body}))");
        scope.vecs.extend([r, s]);
    }
    fn matrix(&mut self, scope: &mut Scope, depth: usize) {
        let mat = self.random.pick(&scope.mats).to_owned();
        let exp = match self.random.below(4) {
            0 => {
                let (at, vec) = (self.index(scope), self.random.pick(&scope.vecs).to_owned());
                format!("(update {mat} ({at}) {vec})")
            }
            1 => {
                let (i, j, int) = (self.index(scope), self.index(scope), self.int(scope));
                format!("(update {mat} ({i} {j}) {int})")
            }
            2 => format!("(rearrange {mat} 1 0)"),
            _ => {
                let (row, x, vec) = (self.name("row"), self.name("x"), self.random.pick(&scope.vecs).to_owned());
                let body = self.aside(|this| {
                    let mut inner = scope.clone();
                    inner.vecs.extend([row.clone(), row.clone()]);
                    inner.ints.push(x.clone());
                    this.statements(&mut inner, depth.saturating_sub(1), 2);
                    let result = this.random.pick(&inner.vecs).to_owned();
                    let _ = write!(this.out, "(return {result})");
                });
                format!("(soac n ([{row} [i64 n] {mat}] [{x} i64 {vec}]) {body})")
            }
        };
        let name = self.bind("m", "[i64 n n]", &exp);
        scope.mats.push(name);
    }
    fn statements(&mut self, scope: &mut Scope, depth: usize, count: usize) {
        for _ in 0..self.random.below(count) + 1 {
            match self.random.below(8) {
                0 => self.scalar(scope),
                1 => {
                    let (vec, x, sum) = (self.random.pick(&scope.vecs).to_owned(), self.name("x"), self.sum("reduce"));
                    let total = self.bind("t", "i64", &format!("(soac n ([{x} i64 {vec}]) (return {x}) {sum})"));
                    scope.ints.push(total);
                }
                2 | 3 => self.matrix(scope, depth),
                _ => self.vector(scope, depth),
            }
        }
    }
}

/// A program that takes a vector and a matrix to a vector.
fn generated(seed: u64) -> String {
    let mut generator = Generator { random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1), names: 0, out: String::new() };
    generator.random.below(2);
    let mut scope = Scope { ints: vec!["n".into()], vecs: vec!["xs".into()], mats: vec!["yss".into()] };
    generator.statements(&mut scope, 3, 6);
    generator.statements(&mut scope, 3, 6);
    // The result depends on the last vector, another one and the last matrix.
    let (v, w, m) =
        (scope.vecs[scope.vecs.len() - 1].clone(), generator.random.pick(&scope.vecs).to_owned(), scope.mats[scope.mats.len() - 1].clone());
    let out = generator.out;
    format!(
        "(entry f ([n i64] [xs [i64 n]] [yss [i64 n n]]) ([R [i64 n]])\n{out}
         (let ([last [i64 n]]) (soac n ([x i64 {v}] [y i64 {w}] [row [i64 n] {m}])
           (let ([t i64]) (soac n ([z i64 row]) (return z) (reduce (0) ([a i64] [b i64]) (let ([c i64]) (i64.+ a b)) (return c))))
           (let ([u i64]) (i64.+ x t))
           (let ([w i64]) (i64.* u 3))
           (let ([q i64]) (i64.- w y))
           (return q)))
         (return last))"
    )
}

fn file() -> FileId {
    SourceMap::default().add("test", String::new())
}
fn array(dims: &[usize], from: i64) -> Value {
    let count: usize = dims.iter().product();
    let mut data = Buffer::with_capacity(PrimType::I64, count).expect("memory");
    for k in 0..count as i64 {
        data.push(Scalar::I64((from + k * 7) % 11));
    }
    Value::Array(Array::new(dims, data).expect("as many elements as the shape says"))
}
fn result(program: &Program, in_place: bool, n: usize) -> Result<String, String> {
    let (ty, _) = core::read::ty(file(), "(Pi (n) (-> ([i64 n] [i64 n n]) [i64 n]))");
    let call = if in_place { call_in_place } else { call };
    let value = call(program, &ty.expect("a type"), Symbol::new("f"), vec![array(&[n], 3), array(&[n, n], 5)], &[]);
    value.map(|value| format!("{value:?}")).map_err(|failure| format!("{} {}", failure.code, failure.message))
}

#[test]
fn optimised_programs_compute_the_same() {
    with_big_stack(|| {
        let (mut changed, mut copies, mut in_place) = (0, 0, 0);
        for seed in 0..programs() {
            let text = generated(seed);
            let program = read::program(file(), &text).unwrap_or_else(|all| panic!("{}\n{text}", all[0].message));
            let optimised = optimise(program.clone());
            for n in [1, 3] {
                let (expected, found) = (result(&program, false, n), result(&optimised, true, n));
                assert_eq!(found, expected, "seed {seed}\n{text}\n{}", print::program(&optimised));
            }
            let structure = |program: &Program| Structure::of(program, Symbol::new("f")).expect("there is one");
            let (before, after) = (structure(&program), structure(&optimised));
            changed += usize::from(before.maps > after.maps);
            copies += after.copies;
            in_place += print::program(&optimised).matches("(update ").count();
        }
        // The programs are not trivial.
        assert!(changed > programs() as usize / 4, "{changed} lost maps");
        assert!(copies > programs() as usize / 4 && in_place > copies / 2, "{copies} copies, {in_place} updates");
    });
}

#[test]
fn every_pass_keeps_the_meaning() {
    with_big_stack(|| {
        for seed in 1_000_000..1_000_060 {
            let text = generated(seed);
            let program = read::program(file(), &text).unwrap_or_else(|all| panic!("{}\n{text}", all[0].message));
            let expected = result(&program, false, 3);
            for steps in [FOR_PROCESSORS, FOR_DEVICES] {
                optimise_by(steps, program.clone(), &mut |name, program| {
                    assert_eq!(check::validate(program), Ok(()), "{name}, seed {seed}\n{text}");
                    assert_eq!(result(program, false, 3), expected, "{name}, seed {seed}\n{text}\n{}", print::program(program));
                });
            }
        }
    });
}

/// What a program with memory computes, from the first to the last and the other way round.
fn with_memory(source: &Program, program: &imp::Program, pass: &str, n: usize) -> [Result<String, String>; 2] {
    let (ty, _) = core::read::ty(file(), "(Pi (n) (-> ([i64 n] [i64 n n]) [i64 n]))");
    let ty = ty.expect("a type");
    [false, true].map(|backwards| {
        let plan = Plan { pass, threads: 3, backwards, most: u64::MAX };
        let value = interp::imp::call(program, source, plan, &ty, Symbol::new("f"), &[array(&[n], 3), array(&[n, n], 5)], &[]);
        value.map(|value| format!("{value:?}")).map_err(|failure| format!("{} {}", failure.code, failure.message))
    })
}

#[test]
fn lowered_programs_keep_arrays_apart() {
    with_big_stack(|| {
        for seed in 2_000_000..2_000_000 + programs() / 3 {
            let text = generated(seed);
            let program = read::program(file(), &text).unwrap_or_else(|all| panic!("{}\n{text}", all[0].message));
            let expected = [1, 3].map(|n| result(&program, false, n));
            let compare = |source: &Program, lowered: &imp::Program, pass: &str| {
                for (n, expected) in [1, 3].into_iter().zip(&expected) {
                    for found in with_memory(source, lowered, pass, n) {
                        assert_eq!(&found, expected, "{pass}, seed {seed}\n{text}\n{}", imp::print::program(lowered));
                    }
                }
            };
            let optimised = optimise(program.clone());
            let options = lower::Options { strict: false, device: false };
            compare(&optimised, &lower::with_ghosts(&optimised, options), "lower");
            vectorise_by(lower::lower(&optimised, options), &mut |pass, lowered| compare(&optimised, lowered, pass));
            let kernels = coalesce(in_place(flatten(optimise_for_device(program))));
            compare(&kernels, &lower::with_ghosts(&kernels, lower::Options { device: true, ..options }), "lower kernels");
        }
    });
}
