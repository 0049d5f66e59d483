//! Erased core means what core means: every run that the corpus and the examples ask for has the same result, or fails with the same
//! code, when it is evaluated without types.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files")]

mod programs;

use libtest_mimic::{Arguments, Failed, Trial};
use remora::base::with_big_stack;
use remora::cli::program::load;
use remora::cli::test::runs;
use remora::erased_eval::{self, Index, Value};
use remora::ir::erased::validate;
use remora::{erase, eval};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn check(path: &Path) -> Result<(), Failed> {
    let says = |d: Box<remora::diag::Diagnostic>| Failed::from(d.message);
    let loaded = load(path).map_err(says)?;
    if loaded.checked.failed() {
        return Ok(());
    }
    let core = &loaded.checked.core;
    let erased = erase::program(core).map_err(|e| e.message)?;
    validate::validate(&erased)?;
    let typed = eval::load(core, 1);
    let untyped = erased_eval::load(&erased);
    for run in runs(path, &loaded).map_err(says)? {
        let what = format!("{} of {:?}", run.name, run.arguments);
        let expected = typed.call(run.name, run.arguments.clone());
        let found = typed.indices(run.name, &run.arguments).map_err(|f| f.code).and_then(|sizes| {
            let indices: Vec<Index> = sizes.into_iter().map(Index::Dim).collect();
            let args: Option<Vec<Value>> = run.arguments.iter().map(Value::from_runtime).collect();
            let value = untyped.call(run.name, &indices, args.ok_or("an argument")?);
            value.map(|value| value.opened()).map_err(|f| if f.code == "E0599" { panic!("{what}: {}", f.message) } else { f.code })
        });
        match (expected, found) {
            (Ok(expected), Ok(found)) => {
                let expected = Value::from_runtime(&expected).ok_or("a value")?;
                if !expected.agrees(&found) {
                    return Err(format!("{what}: with types {expected:?}, without {found:?}").into());
                }
            }
            (Err(expected), Err(found)) if expected.code == found => {}
            (expected, found) => return Err(format!("{what}: with types {expected:?}, without {found:?}").into()),
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = Vec::new();
    programs::programs(&root.join("tests/corpus"), &mut paths);
    programs::programs(&root.join("examples"), &mut paths);
    let trials = paths.into_iter().map(|path| {
        let name = path.strip_prefix(root).expect("inside the project").display().to_string();
        Trial::test(name, move || with_big_stack(|| check(&path)))
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}
