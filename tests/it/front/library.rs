//! The libraries of core: the type of each name, values, failures.
//!
//! A line of a file in `tests/data/library` is `name : type`, `expression => value`, or `expression =! CODE message`, where the message is
//! the beginning of that of a failure or of the first diagnostic. Lines beginning with two blanks continue the line before.

use remora::base::{FileId, PrimType, SourceMap, Symbol, with_big_stack};
use remora::driver::{self, Checked};
use remora::front::remc::instantiate::{Equation, Problem, Unsolved, solve};
use remora::front::resolve::Loader;
use remora::ir::core::free::{FreeVars, Name};
use remora::ir::core::subst::{Replacement, Subst};
use remora::ir::core::{Atom, Dim, Shape, Type, equal, print, read};
use remora::runtime::data::notation;
use std::collections::BTreeSet;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str) -> Result<String, String> {
        Err(format!("there is no file {path}"))
    }
}

fn checked(sources: &mut SourceMap, library: &str, expr: &str) -> Checked {
    let root = sources.add("test.remc".to_string(), format!("(use {library})\n{expr}"));
    driver::check(sources, &NoFiles, root)
}

/// The type of an expression, or the first message about it.
fn ty(library: &str, expr: &str) -> String {
    let checked = checked(&mut SourceMap::default(), library, expr);
    if let Some(diagnostic) = checked.diagnostics.first() {
        return format!("{} {}", diagnostic.code, diagnostic.message);
    }
    let last = checked.remc.as_ref().and_then(|remc| remc.last).expect("an expression");
    let define = checked.core.defs.iter().find(|define| define.name == last).expect("a definition");
    print::ty(&define.ty).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The value of an expression, or what is wrong with it.
fn value(library: &str, expr: &str) -> String {
    let mut checked = checked(&mut SourceMap::default(), library, expr);
    if let Some(diagnostic) = checked.diagnostics.first() {
        return format!("{} {}", diagnostic.code, diagnostic.message);
    }
    if checked.reads_numbers() {
        checked.give_numbers(vec![3, 1, 4, 1, 5]);
    }
    let last = checked.remc.as_ref().and_then(|remc| remc.last).expect("an expression");
    match driver::run(&checked, last, Vec::new(), Some(1)) {
        Ok(value) => notation::write(&value),
        Err(diagnostic) => format!("{} {}", diagnostic.code, diagnostic.message),
    }
}

fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("  ") {
            Some(more) => lines.last_mut().expect("a line to continue").push_str(&format!(" {}", more.trim())),
            None if line.trim().is_empty() || line.starts_with(';') => {}
            None => lines.push(line.trim().to_string()),
        }
    }
    lines
}

/// The table of `docs/core-library.md` has a row for each name with its type.
fn documented(lines: &[String]) {
    let path = format!("{}/docs/core-library.md", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the documentation is there");
    let types = lines.iter().filter(|line| !line.contains(" => ") && !line.contains(" =! "));
    for (name, ty) in types.filter_map(|line| line.split_once(" : ")) {
        assert!(text.contains(&format!("\n| `{name}` | `{ty}` |")), "{path} has no row for `{name}` : `{ty}`");
    }
}

/// Checks a file; the names whose types it gives, each with how many values.
fn corpus(library: &str) -> Vec<(String, usize)> {
    let path = format!("{}/tests/data/library/{library}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the file is there");
    let mut names: Vec<(String, usize)> = Vec::new();
    let mut wrong = Vec::new();
    let all = lines(&text);
    documented(&all);
    for line in all {
        let (found, wanted, fits) = if let Some((expr, wanted)) = line.split_once(" =! ") {
            let found = value(library, expr);
            let fits = found.starts_with(wanted);
            (found, wanted, fits)
        } else if let Some((expr, wanted)) = line.split_once(" => ") {
            let found = value(library, expr);
            let fits = found == wanted;
            if let Some((_, count)) = names.last_mut() {
                *count += 1;
            }
            (found, wanted, fits)
        } else {
            let (name, wanted) = line.split_once(" : ").expect("a type, a value or a message");
            names.push((name.to_string(), 0));
            let found = ty(library, name);
            let fits = found == wanted;
            (found, wanted, fits)
        };
        if !fits {
            wrong.push(format!("{line}\n    found  {found}\n    wanted {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines of {path} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    names
}

fn complete(library: &str) {
    let names = corpus(library);
    let few: Vec<&String> = names.iter().filter(|(_, count)| *count < 3).map(|(name, _)| name).collect();
    assert!(few.is_empty(), "fewer than three values: {few:?}");
    let tested: BTreeSet<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let path = format!("{}/stdlib/core/{library}.remc", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the library is there");
    let heads = text.lines().filter_map(|line| line.strip_prefix("(define "));
    let defined = heads.filter_map(|head| head.trim_start_matches('(').split([' ', '{']).next());
    let missing: Vec<&str> = defined.filter(|name| !tested.contains(name)).collect();
    assert!(missing.is_empty(), "without tests: {missing:?}");
    inferred_again(library, &names);
}

/// Index arguments that no argument mentions, or that the shapes of arguments alone do not give.
const GIVEN: [&str; 6] = ["iota/s", "replicate", "contiguous-subarray", "index", "subvector", "scatter"];

/// A variable that the type of a library function binds.
#[derive(Debug, Clone, Copy)]
enum Bound {
    Index(Symbol),
    Atom(Symbol),
}

/// The variables of a polymorphic function, its parameters and its result.
fn parts(ty: &Type) -> Option<(Vec<Bound>, Vec<Type>, Type)> {
    let mut bound = Vec::new();
    let mut ty = ty.clone();
    loop {
        let (names, inner): (Vec<Bound>, Type) = match ty.atom() {
            Atom::Pi(names, inner) => (names.iter().copied().map(Bound::Index).collect(), inner.clone()),
            Atom::Forall(names, inner) => (names.iter().copied().map(Bound::Atom).collect(), inner.clone()),
            Atom::Fun(params, ret) if !bound.is_empty() => {
                return Some((bound, params.iter().map(|param| param.ty.clone()).collect(), ret.clone()));
            }
            _ => return None,
        };
        bound.extend(names);
        ty = inner;
    }
}

/// Numbers that look random; the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }
    fn dim(&mut self) -> Dim {
        match self.below(5) {
            4 => Dim::var(Symbol::new("rigid")),
            n => Dim::constant(n as i64),
        }
    }
    fn shape(&mut self) -> Shape {
        let mut shape = Shape::default();
        for _ in 0..self.below(3) {
            let item = if self.below(4) == 0 { Shape::var(Symbol::new("@rigid")) } else { Shape::dims([self.dim()]) };
            shape = shape.append(&item);
        }
        shape
    }
    fn atom(&mut self) -> Atom {
        let prims = [PrimType::I64, PrimType::F64, PrimType::Bool];
        let prim = Atom::Prim(prims[self.below(3)]);
        if self.below(4) == 0 { Atom::Tuple(vec![Type::scalar(prim), Type::prim(PrimType::I64)]) } else { prim }
    }
    fn replacement(&mut self, bound: Bound) -> (Name, Replacement) {
        match bound {
            Bound::Atom(name) => (Name::Type(name), Replacement::Atom(self.atom())),
            Bound::Index(name) if name.as_str().starts_with('@') => (Name::Index(name), Replacement::Shape(self.shape())),
            Bound::Index(name) => (Name::Index(name), Replacement::Dim(self.dim())),
        }
    }
}

/// For whatever a function of the library is instantiated with, that is what is found for arguments that are single cells.
fn inferred_again(library: &str, names: &[(String, usize)]) {
    let mut numbers = Numbers(1);
    let free = &mut FreeVars::default();
    for (name, _) in names {
        let text = ty(library, name);
        let (read, _) = read::ty(FileId::default(), &text);
        let Some((bound, params, _)) = parts(&read.expect("a type")) else { continue };
        for _ in 0..100 {
            let mut arguments = Subst::default();
            let mut problem = Problem::default();
            for variable in &bound {
                let (name, by) = numbers.replacement(*variable);
                arguments.insert(name, by);
                match variable {
                    Bound::Atom(name) => problem.atoms.push(*name),
                    Bound::Index(name) if name.as_str().starts_with('@') => problem.shapes.push(*name),
                    Bound::Index(name) => problem.dims.push(*name),
                }
            }
            for (at, param) in params.iter().enumerate() {
                let arg = arguments.ty(free, param).expect("small sizes");
                problem.equations.push(Equation::Cell { param: param.clone(), arg, frame: Symbol::new(&format!("@frame{at}")) });
            }
            let solution = match solve(&problem) {
                Ok(solution) => solution,
                Err(Unsolved::Undetermined { .. }) if GIVEN.contains(&name.as_str()) => continue,
                Err(unsolved) => panic!("{name}: {problem:?}: {unsolved}"),
            };
            assert!(name == "index" || name == "contiguous-subarray" || !GIVEN.contains(&name.as_str()), "{name} need not be given");
            let found = solution.subst();
            for param in &params {
                let (wanted, found) = (arguments.ty(free, param).expect("small"), found.ty(free, param).expect("small"));
                assert!(equal::equal(&wanted, &found), "{name}: {} is not {}", print::ty(&found), print::ty(&wanted));
            }
            assert!((0..params.len()).all(|at| solution.frame(Symbol::new(&format!("@frame{at}"))) == Some(&Shape::default())));
        }
    }
}

#[test]
fn the_default_library() {
    with_big_stack(|| complete("default"));
}

#[test]
fn the_library_of_the_paper() {
    with_big_stack(|| complete("semantics"));
}
