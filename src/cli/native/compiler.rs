//! The C compiler: which one, with which options, and what is done where it fails or is wrong.
//!
//! [`LADDER`] has the options, the fastest first. A compiler begins on the first step on which it compiles the loops of [`suite`](super::suite)
//! so that they compute what they should; where it fails to compile a program, the next steps are tried. A note says so.

use super::build::{Machine, Problem, processor};
use super::{notes, suite};
use crate::base::Code;
use crate::diag::Diagnostic;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Who made a compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gcc,
    Clang,
    /// Clang that brings its own C library, without vector versions of functions.
    Zig,
    Other,
}

/// Options, for all compilers and for some.
struct Step {
    /// For people.
    name: &'static str,
    all: &'static [&'static str],
    x86: &'static [&'static str],
    gcc: &'static [&'static str],
    clang: &'static [&'static str],
}

/// From fast to careful. Compilers vectorise loops that are marked in the program, and no others (`marks.c`): GCC 11 and 12 take
/// `s = s * s` for a sum of products. With `-fno-tree-loop-vectorize` GCC would not look at marks either. Its propagation of value ranges
/// (VRP) is off: GCC 12.2 loses guards of divisors and of counts of shifts, `d == 0 ? 3 : d`, where a sibling of `d` was compared with 0
/// before.
const LADDER: [Step; 4] = [
    Step {
        name: "-O3",
        // Sizes and indices are computed modulo 2^64 (`ir::imp::Int`).
        all: &["-O3", "-march=native", "-fopenmp-simd", "-fwrapv"],
        // Half of the widest vector registers would lie idle otherwise.
        x86: &["-mprefer-vector-width=512"],
        // GCC would keep sums that are made side by side in memory, and move more out of loops than there are registers for.
        gcc: &["-fno-tree-vectorize", "-fno-tree-vrp", "-fno-loop-unroll-and-jam", "-fira-loop-pressure"],
        clang: &["-fno-vectorize"],
    },
    Step {
        name: "-O2 without vectors",
        all: &["-O2", "-march=native", "-DREMORA_PLAIN", "-fwrapv"],
        x86: &[],
        gcc: &["-fno-tree-vectorize", "-fno-tree-vrp"],
        clang: &["-fno-vectorize", "-fno-slp-vectorize"],
    },
    Step {
        name: "-O1",
        all: &["-O1", "-DREMORA_PLAIN", "-fno-strict-aliasing", "-fwrapv"],
        x86: &[],
        gcc: &["-fno-tree-vectorize"],
        clang: &["-fno-vectorize", "-fno-slp-vectorize"],
    },
    Step { name: "-O0", all: &["-O0", "-DREMORA_PLAIN", "-fno-strict-aliasing", "-fwrapv"], x86: &[], gcc: &[], clang: &[] },
];

/// The option that makes code for the processor of this machine.
const NATIVE: &str = "-march=native";

/// How many steps there are.
pub(super) const STEPS: usize = LADDER.len();

/// For people.
pub(super) fn name_of(step: usize) -> &'static str {
    LADDER.get(step).map_or("", |step| step.name)
}

/// Clang knows of vector versions of functions by an option; GCC is told in the program.
const FUNCTIONS: &[&str] =
    if cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) { &["-fveclib=libmvec"] } else { &[] };

/// The compiler that is used where nobody names one and there is no `cc`.
static FALLBACK: OnceLock<String> = OnceLock::new();

/// Names the compiler that is used where `CC` names none and there is no `cc`: a command with its first arguments. The first name counts.
pub fn fall_back(command: &str) {
    FALLBACK.get_or_init(|| command.to_string());
}

/// GCC 12.2 contracts vectors of differences and sums that alternate, as products of complex numbers have, whatever it is told: it must not have
/// the instructions.
const APART: &[&str] = &["-mno-fma", "-mno-avx512f"];

/// The command of the compiler: `CC`, or `cc`.
fn command() -> String {
    let named = std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty());
    let other = || FALLBACK.get().filter(|_| found("cc").is_none()).cloned();
    named.or_else(other).unwrap_or_else(|| "cc".into())
}

/// Options of the user, which come last.
fn own() -> String {
    std::env::var("REMORA_CFLAGS").unwrap_or_default()
}

/// The options of a step. Contraction and vector versions of functions change the last bits of results, reassociation is only used where the
/// program says that the order does not matter.
fn flags(kind: Kind, step: usize, strict: bool) -> Vec<String> {
    let Some(step) = LADDER.get(step) else { return Vec::new() };
    let mut flags = vec!["-std=gnu11"];
    flags.extend(step.all);
    flags.extend(["-pthread", "-fno-math-errno", "-fno-trapping-math", "-w"]);
    flags.extend(if cfg!(target_arch = "x86_64") { step.x86 } else { &[] });
    flags.extend(match kind {
        Kind::Gcc => step.gcc,
        Kind::Clang | Kind::Zig => step.clang,
        Kind::Other => &[],
    });
    if kind == Kind::Clang && !strict {
        flags.extend(FUNCTIONS);
    }
    flags.push(if strict { "-ffp-contract=off" } else { "-ffp-contract=fast" });
    if kind == Kind::Gcc && strict && cfg!(target_arch = "x86_64") {
        flags.extend(APART);
    }
    flags.extend(["-fvisibility=hidden", "-fPIC"]);
    flags.into_iter().map(str::to_string).collect()
}

/// Everything besides the text that a library depends on and that is known without the compiler.
pub(super) fn how(strict: bool) -> String {
    let all = |kind| (0..STEPS).map(|step| flags(kind, step, strict).join(" ")).collect::<Vec<_>>().join("; ");
    // What differs for the other kinds is in these, or follows from the command.
    let (gcc, clang) = (all(Kind::Gcc), all(Kind::Clang));
    format!("{} {gcc} {clang} {} {} suite {:x}", command(), own(), processor(), suite::number())
}

/// A compiler that is there.
pub(super) struct Compiler {
    words: Vec<String>,
    kind: Kind,
    said: String,
    strict: bool,
}

impl Compiler {
    /// The compiler of this machine.
    ///
    /// # Errors
    /// E0615: it cannot be started.
    pub fn find(strict: bool) -> Result<Compiler, Box<Diagnostic>> {
        let words: Vec<String> = command().split_whitespace().map(str::to_string).collect();
        let mut compiler = Compiler { words, kind: Kind::Other, said: String::new(), strict };
        let output = compiler.run(&["--version".into()])?;
        compiler.said = String::from_utf8_lossy(&output.stdout).into_owned();
        compiler.kind = match &compiler.said {
            said if said.contains("Free Software Foundation") => Kind::Gcc,
            said if said.contains("clang") && compiler.words.first().is_some_and(|word| word.ends_with("zig")) => Kind::Zig,
            said if said.contains("clang") => Kind::Clang,
            _ => Kind::Other,
        };
        Ok(compiler)
    }

    fn program(&self) -> &str {
        self.words.first().map_or("cc", String::as_str)
    }

    /// The first line of what it says of itself.
    pub fn version(&self) -> &str {
        self.said.lines().next().unwrap_or_default()
    }

    /// What tells it from others: the file with its length and time, what it says that it is, the options, the processor.
    pub fn identity(&self) -> String {
        let path = found(self.program()).unwrap_or_default();
        let file = std::fs::metadata(&path).map(|data| format!("{} {:?}", data.len(), data.modified().ok()));
        format!("{} {} {}\n{}", path.display(), file.unwrap_or_default(), how(self.strict), self.said)
    }

    /// Makes a program of a C file, to be run here, with the options of a step.
    pub fn program_of(&self, step: usize, source: &Path, made: &Path) -> Result<Output, Box<Diagnostic>> {
        self.compile(step, Machine::Native, &[], source, made)
    }

    fn compile(&self, step: usize, machine: Machine, more: &[&str], source: &Path, made: &Path) -> Result<Output, Box<Diagnostic>> {
        let mut args = flags(self.kind, step, self.strict);
        match machine {
            Machine::Native => {}
            Machine::Any => args.retain(|flag| flag != NATIVE),
            Machine::Named(option) => args.iter_mut().filter(|flag| *flag == NATIVE).for_each(|flag| *flag = option.into()),
        }
        args.extend(more.iter().map(|flag| (*flag).to_string()));
        args.extend(own().split_whitespace().map(str::to_string));
        let path = |path: &Path| path.to_string_lossy().into_owned();
        args.extend(["-o".into(), path(made), path(source), "-lm".into(), "-ldl".into()]);
        self.run(&args)
    }

    fn run(&self, args: &[String]) -> Result<Output, Box<Diagnostic>> {
        let mut command = Command::new(self.program());
        command.args(self.words.get(1..).unwrap_or_default()).args(args).stdin(std::process::Stdio::null());
        command.output().map_err(|error| {
            let message = format!("the C compiler `{}` cannot be started: {error}", self.program());
            let help = "install one (`apt-get install gcc`), name one in CC, or use `--backend interp`, the evaluator";
            Box::new(Diagnostic::bare(Code::CCompiler, message).help(help))
        })
    }

    /// Makes a library of a C file, on the first step from `first` on which that is possible.
    pub fn library_of(&self, first: usize, machine: Machine, source: &Path, made: &Path) -> Result<(), Problem> {
        let mut failure: Option<Output> = None;
        for step in first..STEPS {
            let output = self.compile(step, machine, &["-shared"], source, made).map_err(Problem::Compiler)?;
            let text = String::from_utf8_lossy(&output.stderr);
            if let Some(line) = text.lines().find(|line| line.contains("No space left on device") || line.contains("Disk quota exceeded")) {
                return Err(Problem::Space(line.to_string()));
            }
            if output.status.success() && made.is_file() {
                if let Some(failure) = failure {
                    let (cc, fast, slow) = (self.words.join(" "), name_of(first), name_of(step));
                    let why = first_line(&failure);
                    notes::keep(format!("note: the C compiler `{cc}` fails with {fast} ({why}); this program is compiled with {slow}"));
                }
                return Ok(());
            }
            failure.get_or_insert(output);
        }
        Err(Problem::Compiler(Box::new(self.failed(failure.as_ref()))))
    }

    fn failed(&self, output: Option<&Output>) -> Diagnostic {
        let status = output.map_or_else(|| "nothing is left to try".to_string(), |output| output.status.to_string());
        let mut diagnostic = Diagnostic::bare(Code::CCompiler, format!("the C compiler `{}` failed: {status}", self.words.join(" ")));
        let text = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned()).unwrap_or_default();
        let first: Vec<&str> = text.lines().take(12).collect();
        if !first.is_empty() {
            diagnostic = diagnostic.note(first.join("\n"));
        }
        diagnostic.help("`--backend interp` runs the program without it")
    }

    /// The error where the compiler is wrong on all steps.
    pub fn wrong(&self, cases: &[String]) -> Box<Diagnostic> {
        let message = format!("the C compiler `{}` makes wrong programs", self.words.join(" "));
        let said = self.said.lines().next().unwrap_or_default();
        let mut diagnostic =
            Diagnostic::bare(Code::CCompiler, message).note(format!("it says that it is `{said}`; even without optimisation:"));
        diagnostic.notes.extend(cases.iter().cloned());
        if !own().trim().is_empty() {
            diagnostic = diagnostic.help(format!("do without REMORA_CFLAGS (`{}`)", own()));
        }
        Box::new(diagnostic.help("name another in CC, or use `--backend interp`, the evaluator"))
    }

    /// How the compiler was called.
    pub fn called(&self) -> String {
        self.words.join(" ")
    }
}

/// The first line of what a compiler complains about that says something.
pub(super) fn first_line(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| line.contains("error")).or_else(|| text.lines().next());
    line.map_or_else(|| output.status.to_string(), |line| line.chars().take(160).collect())
}

/// Where a command is, by the search path.
fn found(command: &str) -> Option<PathBuf> {
    let path = Path::new(command);
    if command.contains('/') {
        return std::fs::canonicalize(path).ok();
    }
    let folders = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file())?;
    std::fs::canonicalize(found).ok()
}
