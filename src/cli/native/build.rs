//! The C compiler, and the cache of what it and others made.
//!
//! An entry of the cache is a folder with the text, what was made of it (a library, or machine code for a device), and a line that says
//! which compiler with which options made something of which length and sum for which processor. What does not fit is made again. Folders
//! appear by renaming, so that programs that run at the same time do not see half an entry; [`sweep`](super::sweep) keeps
//! the cache small.

use super::sweep::{sweep, touch};
use crate::diag::Diagnostic;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

const STAMP: &str = "stamp";

/// The names of the files of an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Files {
    /// The text.
    pub text: &'static str,
    /// What was made of it.
    pub made: &'static str,
}

/// C, and a library.
const C: Files = Files { text: "program.c", made: "program.so" };

/// What was made of a text, in a file: an entry of the cache, or in a folder of its own that goes when this does.
#[derive(Debug)]
pub struct Library {
    path: PathBuf,
    temporary: Option<PathBuf>,
}

impl Library {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
    /// Removes it from the cache.
    pub fn discard(&self) {
        if let Some(folder) = self.path.parent() {
            std::fs::remove_dir_all(folder).ok();
        }
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            std::fs::remove_dir_all(folder).ok();
        }
    }
}

fn compiler() -> String {
    std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty()).unwrap_or_else(|| "cc".into())
}

/// The options of the compiler. Contraction and vector versions of functions change the last bits of results, reassociation is
/// only used where the program says that the order does not matter. The options in `REMORA_CFLAGS` come last.
fn flags(strict: bool) -> Vec<String> {
    let mut flags = vec!["-std=gnu11", "-O3", "-march=native", "-fopenmp-simd", "-pthread", "-fno-math-errno", "-fno-trapping-math", "-w"];
    // Half of the widest vector registers would lie idle otherwise.
    if cfg!(target_arch = "x86_64") {
        flags.push("-mprefer-vector-width=512");
    }
    flags.push(if strict { "-ffp-contract=off" } else { "-ffp-contract=fast" });
    flags.extend(["-fvisibility=hidden", "-fPIC", "-shared"]);
    let own = std::env::var("REMORA_CFLAGS").unwrap_or_default();
    flags.into_iter().chain(own.split_whitespace()).map(str::to_string).collect()
}

/// Options of GCC only: it would keep sums that are made side by side in memory, and move more out of loops than there are registers for.
const GCC: &[&str] = &["-fno-loop-unroll-and-jam", "-fira-loop-pressure"];
/// Options of Clang only: GCC is told in the program which functions have vector versions.
const CLANG: &[&str] = if cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) { &["-fveclib=libmvec"] } else { &[] };

/// What is tried when the compiler itself fails: GCC 12 does in some programs when it makes vectors of what is no loop.
const CAUTIOUS: &[&str] = &["-fno-tree-slp-vectorize"];

/// More options of a compiler, by what it says that it is.
fn own_flags(command: &mut Command, strict: bool) -> &'static [&'static str] {
    let said = command.arg("--version").output().map(|output| output.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    if said.contains("Free Software Foundation") {
        GCC
    } else if said.contains("clang") && !strict {
        CLANG
    } else {
        &[]
    }
}

/// What the processor can do that compilers for it make use of.
pub fn processor() -> String {
    let mut features = vec![std::env::consts::ARCH];
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! detect {
            ($($name:tt)*) => { $(if std::arch::is_x86_feature_detected!($name) { features.push($name); })* };
        }
        detect!("sse4.2" "popcnt" "lzcnt" "bmi1" "bmi2" "adx" "f16c" "avx" "avx2" "fma" "sha" "gfni" "vaes" "vpclmulqdq" "sse4a"
            "avx512f" "avx512cd" "avx512dq" "avx512bw" "avx512vl" "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vnni" "avx512bitalg"
            "avx512vpopcntdq" "avx512bf16");
    }
    features.sort_unstable();
    features.join(",")
}

/// Everything besides the text that a library depends on.
fn how(strict: bool) -> String {
    format!("{} {} {GCC:?} {CLANG:?} {}", compiler(), flags(strict).join(" "), processor())
}

/// A library from the text of a C program: from the cache where it is there, else from the C compiler or, if there is one, `given`, which
/// was made from the same text before.
pub fn library(text: &str, strict: bool, given: Option<&[u8]>) -> Result<Library, Box<Diagnostic>> {
    obtain(C, text, &how(strict), &|folder| match given {
        Some(library) => Ok(std::fs::write(folder.join(C.made), library)?),
        None => compile(&compiler(), strict, folder),
    })
}

/// What is made of a text: from the cache where it is there, else by `make`, which finds the text in a folder and writes its file there.
/// `how` is everything besides the text that the result depends on.
pub(super) fn obtain(files: Files, text: &str, how: &str, make: &Make) -> Result<Library, Box<Diagnostic>> {
    let name = name(text, how);
    let cache = cache_folder();
    if let Some(folder) = cache.as_ref().map(|cache| cache.join(&name))
        && is_good(files, &folder, text, how)
    {
        touch(&folder.join(STAMP));
        return Ok(Library { path: folder.join(files.made), temporary: None });
    }
    let fill = |folder: &Path| {
        std::fs::write(folder.join(files.text), text)?;
        make(folder)
    };
    let mut problem = String::new();
    if let Some(cache) = cache {
        let temporary = cache.join(format!("{name}.{}.{}", std::process::id(), unique()));
        match std::fs::create_dir_all(&temporary).map_err(Problem::from).and_then(|()| fill(&temporary)) {
            Ok(()) => {
                sweep(&cache, STAMP);
                return Ok(keep(files, temporary, &cache.join(&name), text, how));
            }
            Err(Problem::Compiler(diagnostic)) => {
                std::fs::remove_dir_all(&temporary).ok();
                return Err(diagnostic);
            }
            Err(Problem::Space(why)) => {
                std::fs::remove_dir_all(&temporary).ok();
                problem = format!("`{}`: {why}; ", cache.display());
            }
        }
    }
    // Where the cache cannot be written, the library is made elsewhere, and used once. Nobody else may write there.
    let place = std::env::temp_dir();
    let temporary = place.join(format!("remora-{name}.{}.{}", std::process::id(), unique()));
    match private(&temporary).map_err(Problem::from).and_then(|()| fill(&temporary)) {
        Ok(()) => Ok(Library { path: temporary.join(files.made), temporary: Some(temporary) }),
        Err(why) => {
            std::fs::remove_dir_all(&temporary).ok();
            match why {
                Problem::Compiler(diagnostic) => Err(diagnostic),
                Problem::Space(why) => {
                    let message = format!("the compiled program cannot be written: {problem}`{}`: {why}", place.display());
                    Err(Box::new(
                        Diagnostic::bare("E0616", message).help("set REMORA_CACHE to a folder with free space that can be written"),
                    ))
                }
            }
        }
    }
}

/// Makes the file of an entry in a folder.
pub(super) type Make<'a> = dyn Fn(&Path) -> Result<(), Problem> + 'a;

/// Why there is no library.
pub(super) enum Problem {
    /// It cannot be written here.
    Space(String),
    /// It cannot be written anywhere.
    Compiler(Box<Diagnostic>),
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Problem {
        Problem::Space(error.to_string())
    }
}

/// Makes a folder that only its owner may use, and that was not there before.
fn private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn name(text: &str, how: &str) -> String {
    let mut hasher = rustc_hash::FxHasher::default();
    (text, how).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

fn unique() -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// `REMORA_CACHE`, or the user's cache folder.
fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("REMORA_CACHE").or_else(|| Some(set("XDG_CACHE_HOME")?.join("remora"))).or_else(|| Some(set("HOME")?.join(".cache/remora")))
}

/// A sum over the bytes of a file, to find damage.
fn sum(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn stamp(library: &[u8], how: &str) -> String {
    format!("{} {:016x} {how}\n", library.len(), sum(library))
}

fn is_good(files: Files, folder: &Path, text: &str, how: &str) -> bool {
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let (Some(source), Some(library), Some(found)) = (read(files.text), read(files.made), read(STAMP)) else { return false };
    source == text.as_bytes() && found == stamp(&library, how).as_bytes()
}

/// Gives an entry its name. Where that fails, somebody else was faster or something damaged is in the way.
fn keep(files: Files, temporary: PathBuf, folder: &Path, text: &str, how: &str) -> Library {
    if let Ok(bytes) = std::fs::read(temporary.join(files.made)) {
        std::fs::write(temporary.join(STAMP), stamp(&bytes, how)).ok();
    }
    let kept = Library { path: folder.join(files.made), temporary: None };
    if std::fs::rename(&temporary, folder).is_ok() {
        return kept;
    }
    if is_good(files, folder, text, how) {
        std::fs::remove_dir_all(&temporary).ok();
        return kept;
    }
    let damaged = temporary.with_extension("damaged");
    std::fs::rename(folder, &damaged).ok();
    std::fs::remove_dir_all(&damaged).or_else(|_| std::fs::remove_file(&damaged)).ok();
    if std::fs::rename(&temporary, folder).is_ok() {
        return kept;
    }
    Library { path: temporary.join(files.made), temporary: Some(temporary) }
}

fn compile(cc: &str, strict: bool, folder: &Path) -> Result<(), Problem> {
    let mut words = cc.split_whitespace();
    let program = words.next().unwrap_or("cc");
    let own = own_flags(Command::new(program).args(words.clone()), strict);
    let run = |more: &[&str]| {
        let mut command = Command::new(program);
        command.args(words.clone()).args(own).args(flags(strict)).args(more);
        command.arg("-o").arg(folder.join(C.made)).arg(folder.join(C.text)).args(["-lm", "-ldl"]);
        command.output().map_err(|error| {
            let message = format!("the C compiler `{program}` cannot be started: {error}");
            let help = "install one (`apt-get install gcc`), name one in CC, or use `--backend interp`, the evaluator";
            Problem::Compiler(Box::new(Diagnostic::bare("E0615", message).help(help)))
        })
    };
    let mut output = run(&[])?;
    if !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("internal compiler error") {
        output = run(CAUTIOUS)?;
    }
    if output.status.success() && folder.join(C.made).is_file() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    if let Some(line) = text.lines().find(|line| line.contains("No space left on device") || line.contains("Disk quota exceeded")) {
        return Err(Problem::Space(line.to_string()));
    }
    let first: Vec<&str> = text.lines().take(12).collect();
    let mut diagnostic = Diagnostic::bare("E0615", format!("the C compiler `{cc}` failed: {}", output.status));
    if !first.is_empty() {
        diagnostic = diagnostic.note(first.join("\n"));
    }
    Err(Problem::Compiler(Box::new(diagnostic.help("`--backend interp` runs the program without it"))))
}
