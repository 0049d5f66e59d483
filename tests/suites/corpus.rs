//! Programs with their expectations in them: every `.rem` file under `tests/data/corpus` and the examples passes `remora test` on every back end.
//! Compiled programs run on 1 and 7 threads; those with floats also on 2, compiled so that the order of additions is kept, with the
//! evaluator's results to the last bit (but for functions that the evaluator does not take from the C library: `tags { library }`).

use crate::support::programs::{self, ALL, Source};
use libtest_mimic::Trial;
use std::path::Path;
use std::process::Command;

/// What a trial is called, how its programs are compiled, and with which options it runs `remora test`.
const RUNS: &[(&str, &str, &[&[&str]])] = &[
    ("evaluators", "", &[&["--backend", "interp,soac,kernel,imp,imp-device"]]),
    ("cpu", "-O1", &[&["--backend", "cpu", "--threads", "1"], &["--backend", "cpu", "--threads", "7"]]),
    // The order of additions is that of the C code: it takes no optimisation by the C compiler.
    ("strict", "-O0", &[&["--backend", "cpu", "--threads", "2", "--strict-fp", "--exclude", "library"]]),
];

/// Programs with so many threads that the evaluator of kernels takes a minute for them; the other evaluators run their kernels, too.
const MANY_THREADS: [&str; 2] = ["tests/data/corpus/compiled/failures.rem", "tests/data/corpus/compiled/logs_in_pieces.rem"];

/// Whether floats may be in a program: their types, numbers with a fraction or an exponent, other files.
fn mentions_floats(text: &str) -> bool {
    let digit = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
    let fraction =
        |three: &[u8]| digit(three.first()) && [b'.', b'e', b'E'].contains(&three[1]) && (digit(three.last()) || three[2] == b'-');
    ["f16", "f32", "f64", "import", "open"].into_iter().any(|word| text.contains(word)) || text.as_bytes().windows(3).any(fraction)
}

pub fn trials() -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut trials = Vec::new();
    for Source { name, path } in programs::programs(ALL) {
        let floats = std::fs::read_to_string(path).map_or(true, |text| mentions_floats(&text));
        for &(kind, level, runs) in RUNS {
            if kind == "strict" && (programs::is_explicit(&name) || !floats) {
                continue;
            }
            let name = name.clone();
            trials.push(Trial::test(format!("corpus::{kind} {name}"), move || {
                for options in runs {
                    let fewer = kind == "evaluators" && MANY_THREADS.contains(&name.as_str());
                    let options = if fewer { &["--backend", "interp,soac,imp,imp-device"] } else { *options };
                    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
                    // A cache of their own, and a C compiler that does not take long.
                    command.env("REMORA_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("corpus-cache")).env("REMORA_CFLAGS", level);
                    let output = command.current_dir(root).arg("test").args(options).arg(&name).output()?;
                    if !output.status.success() {
                        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                        return Err(format!("{options:?}: {}\n{out}{err}", output.status).into());
                    }
                }
                Ok(())
            }));
        }
    }
    trials
}
