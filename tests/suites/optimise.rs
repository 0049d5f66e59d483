//! First-order programs as texts: every program of the corpus and every example is read back as it was printed, before and after optimisation,
//! and the optimised examples are what they were (`tests/data/optimise/*.soac`; `REMORA_BLESS=1` rewrites them) and have this structure.

use crate::support::programs::{ALL, Source, accepted};
use libtest_mimic::{Failed, Trial};
use remora::base::{SourceMap, Symbol, with_big_stack};
use remora::ir::soac::structure::Structure;
use remora::ir::soac::{Program, print, read};
use std::path::Path;
use std::process::Command;

/// What the main entry points of the examples consist of: in all, and outside of lambdas, loops and branches.
const STRUCTURES: &[(&str, &str, &str)] = &[
    ("atax", "map 1 reduce 2", "reduce 1"),
    ("blackscholes", "map 1", "map 1"),
    ("chain", "map 1", "map 1"),
    ("conv2d", "map 2 reduce 2 check 3", "map 1 check 2"),
    ("floyd", "map 2 loop 1 copy 2", "loop 1 copy 1"),
    ("histogram", "hist 1 copy 1", "hist 1 copy 1"),
    ("jacobi", "map 2 loop 1 check 1", "loop 1"),
    ("kmeans", "map 4 reduce 2 hist 2 copy 2", "map 2 hist 2 copy 2"),
    ("logistic", "reduce 2", "reduce 1"),
    ("lu", "map 2 loop 1 copy 2", "loop 1 copy 1"),
    ("mandelbrot", "map 3 loop 1 check 1", "map 2 check 1"),
    ("matmul", "map 2 reduce 1", "map 1"),
    ("meanvar", "reduce 2", "reduce 2"),
    ("mriq", "map 2 reduce 1", "map 2"),
    ("nbody", "map 1 reduce 1", "map 1"),
    ("prefix", "scan 1", "scan 1"),
    ("softmax", "map 2 reduce 2", "map 1"),
    ("spmv", "map 2 reduce 2 check 3", "map 1"),
];

fn remora(args: &[&str]) -> Result<String, Failed> {
    let output = Command::new(env!("CARGO_BIN_EXE_remora")).current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output()?;
    if output.status.success() {
        return Ok(String::from_utf8(output.stdout)?);
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}

fn parse(text: &str) -> Result<Program, Failed> {
    let mut sources = SourceMap::default();
    let file = sources.add("test.soac", text.to_owned());
    let program = with_big_stack(|| read::program(file, text));
    program.map_err(|all| format!("{}\n{text}", all.first().map_or("", |d| &d.message)).into())
}

/// The text without the numbers of variables.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '.' {
            while chars.next_if(char::is_ascii_digit).is_some() {}
        }
    }
    out
}

/// Whether a refusal has this code.
fn starts_with(refusal: &Failed, code: &str) -> bool {
    refusal.message().is_some_and(|text| text.starts_with(&format!("error[{code}]")))
}

fn round_trip(name: &str) -> Result<(), Failed> {
    let specialised = match remora(&["dump", "--stage", "specialised", name]) {
        // Programs that have nothing to call from outside, and functions that cannot be compiled on their own.
        Err(refusal) if ["E0611", "E0613", "E0801"].iter().any(|code| starts_with(&refusal, code)) => return Ok(()),
        other => other?,
    };
    let again = print::program(&parse(&specialised)?);
    if without_numbers(&again) != without_numbers(&specialised) {
        return Err(format!("it is read as something else:\n{again}").into());
    }
    for text in [again, remora(&["dump", "--stage", "soac", name])?] {
        let again = print::program(&parse(&text)?);
        if again != text {
            return Err(format!("it is read as something else:\n{again}").into());
        }
    }
    Ok(())
}

fn example(name: &str, all: &str, outer: &str) -> Result<(), Failed> {
    let text = remora(&["dump", "--stage", "soac", &format!("examples/{name}/{name}.rem")])?;
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/optimise").join(format!("{name}.soac"));
    let program = parse(&text)?;
    let structure =
        |of: fn(&Program, Symbol) -> Option<Structure>| of(&program, Symbol::new(name)).map(|s| s.to_string()).unwrap_or_default();
    let found = (structure(Structure::of), structure(Structure::outer));
    if found != (all.to_owned(), outer.to_owned()) {
        return Err(format!("found {found:?}, expected {:?}\n{text}", (all, outer)).into());
    }
    if std::env::var_os("REMORA_BLESS").is_some() {
        std::fs::write(golden, text)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(&golden)?;
    if text != expected {
        return Err(format!("{} is another, REMORA_BLESS=1 rewrites it:\n{text}", golden.display()).into());
    }
    Ok(())
}

pub fn trials() -> Vec<Trial> {
    let read = |Source { name, .. }| Trial::test(format!("optimise::read {name}"), move || round_trip(&name));
    let mut trials: Vec<Trial> = accepted(ALL).into_iter().map(read).collect();
    trials.extend(
        STRUCTURES.iter().map(|(name, all, outer)| Trial::test(format!("optimise::optimised {name}"), || example(name, all, outer))),
    );
    trials
}
