//! Deciding applications on the spot changes nothing: the tables of both modes are the same, on real programs.
#![expect(clippy::disallowed_methods, reason = "these tests read the examples")]

use super::load;
use crate::base::with_big_stack;
use crate::front::infer::infer_def::infer_in_mode;
use crate::ir::tables::{Program, Tables};
use crate::rank::Options;
use std::path::{Path, PathBuf};

fn examples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found = Vec::new();
    for dir in std::fs::read_dir(root).into_iter().flatten().flatten() {
        let files = std::fs::read_dir(dir.path()).into_iter().flatten().flatten().map(|f| f.path());
        found.extend(files.filter(|f| f.extension().is_some_and(|e| e == "rem")));
    }
    found.sort();
    found
}

fn tables(program: &Program, local: bool) -> Result<String, String> {
    let mut program = program.clone();
    let mut tables = Tables::default();
    let mut choices = String::new();
    let defs: Vec<_> = program.defs.iter().map(|(id, _)| id).collect();
    for def in defs {
        let inferred = infer_in_mode(&mut program, &tables, def, &Options::default(), local)
            .map_err(|errors| format!("{}: {errors:#?}", program.defs[def].name))?;
        for component in inferred.components() {
            choices += &format!("{}: {} readings\n", program.defs[def].name, component.optima.len());
        }
        inferred.fill(&inferred.solution().values, &mut tables);
    }
    Ok(format!("{choices}{tables:?}"))
}

#[test]
fn agree_on_real_programs() {
    let mut failures = String::new();
    for path in examples() {
        let text = std::fs::read_to_string(&path).expect("readable");
        with_big_stack(|| {
            let program = load(&text);
            match (tables(&program, true), tables(&program, false)) {
                (Ok(a), Ok(b)) if a == b => {}
                (Ok(a), Ok(b)) => {
                    let differing = a.lines().zip(b.lines()).find(|(a, b)| a != b);
                    failures += &format!("{}: modes differ: {:.3000?}\n", path.display(), differing);
                }
                (a, b) => failures += &format!("{}: {:?} {:?}\n", path.display(), a.err(), b.err()),
            }
        });
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Inference meets any tree that the parser and the resolver let through: words of real programs are dropped, doubled or swapped.
#[test]
fn damaged_programs_never_panic() {
    let mut state = 1u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below.max(1)
    };
    for path in examples() {
        let text = std::fs::read_to_string(&path).expect("readable");
        for _ in 0..6 {
            let mut words: Vec<&str> = text.split_inclusive([' ', '\n', '(', ')']).collect();
            for _ in 0..1 + random(3) {
                let (at, other) = (random(words.len()), random(words.len()));
                match random(3) {
                    0 => words[at] = "",
                    1 => words[at] = words[other],
                    _ => words.swap(at, other),
                }
            }
            let text = words.concat();
            with_big_stack(|| {
                let (mut program, _) = super::load_anyway(&text);
                let mut tables = Tables::default();
                let defs: Vec<_> = program.defs.iter().map(|(id, _)| id).collect();
                for def in defs {
                    if let Ok(inferred) = infer_in_mode(&mut program, &tables, def, &Options::default(), true) {
                        inferred.fill(&inferred.solution().values, &mut tables);
                    }
                }
            });
        }
    }
}
