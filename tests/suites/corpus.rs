//! Programs with their expectations in them: every `.rem` file under `tests/data/corpus` and the examples passes `remora test` on every back end.
//! Compiled programs run on 1 and 7 threads with the address and undefined-behaviour sanitizers (those that are about memory and compiled code
//! optimised by the C compiler, too); those with floats also on 2 without, compiled so that the order of additions is kept, with the
//! evaluator's results to the last bit (but for functions that the evaluator does not take from the C library, `tags { library }`,
//! and derivatives, which the evaluator computes by other formulas, `tags { derivatives }`). Derivatives and programs with complex numbers run as users
//! get them, too.

use crate::support::programs::{self, ALL, Source};
use crate::support::sanitizers;
use libtest_mimic::{Failed, Trial};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How the programs of a trial are compiled, and with which options they are tested.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Evaluators,
    /// With the sanitizers.
    Sanitized,
    /// The order of additions is that of the C code: it takes no optimisation by the C compiler.
    Strict,
    /// As users get them, with all optimisations by the C compiler.
    Plain,
}

use Kind::{Evaluators, Plain, Sanitized, Strict};

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Evaluators => "evaluators",
            Sanitized => "sanitized",
            Strict => "strict",
            Plain => "plain",
        }
    }

    /// The options of the run.
    fn options(self) -> &'static [&'static str] {
        match self {
            Evaluators => &["--backend", "interp,soac,kernel,imp,imp-device"],
            Sanitized => &["--backend", "cpu", "--threads", "1,7"],
            Strict => &["--backend", "cpu", "--threads", "2", "--strict-fp", "--exclude", "library", "--exclude", "derivatives"],
            Plain => &["--backend", "cpu", "--threads", "2"],
        }
    }
}

/// Programs with so many threads that the evaluator of kernels takes a minute for them; the other evaluators run their kernels, too.
const MANY_THREADS: [&str; 2] = ["tests/data/corpus/compiled/failures.rem", "tests/data/corpus/compiled/logs_in_pieces.rem"];

/// The programs whose sanitized code is optimised by the C compiler. For the others it is not: what we say wrongly in C is found all the same,
/// and compiling takes a third of the time.
const OPTIMISED: [&str; 3] = ["tests/data/corpus/compiled/", "tests/data/corpus/traps/", "tests/data/corpus/updates/"];

/// The programs of derivatives whose memory sanitizers look at: those that write. The others are formulas, which take minutes to compile for them.
const DERIVATIVES: &str = "tests/data/corpus/derivatives/";
const DERIVATIVES_THAT_WRITE: [&str; 6] = ["combinations", "differences", "histograms", "loops", "scatters", "updates"];

/// The programs that are also compiled as users get them: loops over pairs and over what derivatives make are such as the other kinds of code are
/// not optimised for. Some take the C compiler too long.
fn is_plain(name: &str) -> bool {
    let long = ["combinations.rem", "differences.rem", "whole.rem"];
    name.starts_with("tests/data/corpus/complex/") || name.strip_prefix(DERIVATIVES).is_some_and(|file| !long.contains(&file))
}

/// Whether sanitizers look at a program. Of the programs that take derivatives of whole models they look at a few.
fn is_sanitized(name: &str) -> bool {
    let models = ["flow", "greeks", "heat", "kmeans-newton", "kmeans-sparse", "logreg", "lookup", "pendulum", "perceptron", "raymarcher"];
    match name.strip_prefix(DERIVATIVES) {
        Some(file) => DERIVATIVES_THAT_WRITE.iter().any(|stem| file.strip_suffix(".rem") == Some(stem)),
        None => !models.iter().any(|model| name.starts_with(&format!("examples/programs/{model}/"))),
    }
}

/// Whether floats may be in a program: their types, numbers with a fraction or an exponent, other files.
fn mentions_floats(text: &str) -> bool {
    let digit = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
    let fraction =
        |three: &[u8]| digit(three.first()) && [b'.', b'e', b'E'].contains(&three[1]) && (digit(three.last()) || three[2] == b'-');
    ["f16", "f32", "f64", "c64", "c128", "import", "open"].into_iter().any(|word| text.contains(word))
        || text.as_bytes().windows(3).any(fraction)
}

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![Trial::test("corpus::sanitizers_are_there", sanitizers_are_there)];
    for source in programs::programs(ALL) {
        let floats = std::fs::read_to_string(&source.path).map_or(true, |text| mentions_floats(&text));
        for kind in [Evaluators, Sanitized, Strict, Plain] {
            // With maps written out, programs have nearly the same core; `programs_of_size` compiles both.
            if kind != Evaluators && programs::is_explicit(&source.name) || kind == Strict && !floats {
                continue;
            }
            // Comparisons to the last bit leave out derivatives, which are all of those programs.
            if kind == Plain && !is_plain(&source.name) {
                continue;
            }
            if kind == Sanitized && !is_sanitized(&source.name) || kind == Strict && source.name.starts_with(DERIVATIVES) {
                continue;
            }
            let source = source.clone();
            trials.push(Trial::test(format!("corpus::{} {}", kind.name(), source.name), move || {
                let fewer = kind == Evaluators && MANY_THREADS.contains(&source.name.as_str());
                let options = if fewer { &["--backend", "interp,soac,imp,imp-device"] } else { kind.options() };
                test(kind, &cache(kind.name()), options, &source)
            }));
        }
    }
    trials
}

/// The cache of compiled programs.
fn cache(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("corpus-{kind}"))
}

/// Runs `remora test` with a program.
fn test(kind: Kind, cache: &Path, options: &[&str], Source { name, path }: &Source) -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    command.env("REMORA_CACHE", cache).current_dir(root).arg("test").arg("--exact").args(options);
    match kind {
        Evaluators | Plain => _ = command.arg(name),
        Strict => _ = command.env("REMORA_CFLAGS", "-O0").arg(name),
        Sanitized => {
            let optimised = OPTIMISED.iter().any(|folder| name.starts_with(folder));
            sanitizers::prepare(&mut command, if optimised { "-O1" } else { "-O0" })?;
            // A program from standard input is tested in the process itself, which looks for leaks at its end.
            match path.parent().filter(|_| name.ends_with(".rem")) {
                Some(folder) => _ = command.current_dir(folder).arg("-").stdin(Stdio::from(File::open(path)?)),
                None => _ = command.arg(name),
            }
        }
    }
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("{options:?}: {}\n{out}{err}", output.status).into())
}

/// Whether programs are compiled with both sanitizers: what one of them became calls what reports.
fn sanitizers_are_there() -> Result<(), Failed> {
    let name = "tests/data/corpus/traps/pieces.rem".to_string();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&name);
    let cache = cache("sanitizers-are-there");
    test(Sanitized, &cache, Sanitized.options(), &Source { name, path })?;
    let mut made = Vec::new();
    below(&cache, &mut made);
    made.retain(|path| path.file_name().is_some_and(|name| name == "program.so"));
    for path in &made {
        let code = std::fs::read(path)?;
        let calls = |what: &str| code.windows(what.len()).any(|bytes| bytes == what.as_bytes());
        if !calls("__asan_load") || !calls("__ubsan_handle") {
            return Err(format!("{} was made without sanitizers", path.display()).into());
        }
    }
    if made.is_empty() { Err("nothing was compiled".into()) } else { Ok(()) }
}

fn below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { below(&path, out) } else { out.push(path) }
    }
}
