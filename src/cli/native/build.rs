//! The cache of what the C compiler and others made.
//!
//! An entry of the cache is a folder with the text, what was made of it (a library, or machine code for a device), and a line that says
//! which compiler with which options made something of which length and sum for which processor. What does not fit is made again. Folders
//! appear by renaming, so that programs that run at the same time do not see half an entry; `sweep` keeps
//! the cache small.

use super::compiler::{self, Compiler};
use super::sweep::{sweep, touch};
use super::{notes, suite, trust};
use crate::base::Code;
use crate::diag::Diagnostic;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
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
pub struct CompiledLibrary {
    path: PathBuf,
    temporary: Option<PathBuf>,
}

impl CompiledLibrary {
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

impl Drop for CompiledLibrary {
    fn drop(&mut self) {
        if let Some(folder) = &self.temporary {
            std::fs::remove_dir_all(folder).ok();
        }
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

/// A library from the text of a C program: from the cache where it is there, else from the C compiler or, if there is one, `given`, which
/// was made from the same text before.
pub fn library(text: &str, strict: bool, given: Option<&[u8]>) -> Result<CompiledLibrary, Box<Diagnostic>> {
    obtain(C, text, &compiler::how(strict), &|folder| match given {
        Some(library) => Ok(std::fs::write(folder.join(C.made), library)?),
        None => compile(strict, Machine::Native, folder),
    })
}

/// The processors that code is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// That of this machine.
    Native,
    /// Any of this architecture.
    Any,
    /// Those that this option of the compiler names.
    Named(&'static str),
}

/// A library for other processors.
pub fn library_for(text: &str, strict: bool, machine: Machine) -> Result<CompiledLibrary, Box<Diagnostic>> {
    obtain(C, text, &format!("{} for {machine:?}", compiler::how(strict)), &|folder| compile(strict, machine, folder))
}

/// What is made of a text: from the cache where it is there, else by `make`, which finds the text in a folder and writes its file there.
/// `how` is everything besides the text that the result depends on.
pub(super) fn obtain(files: Files, text: &str, how: &str, make: &Make) -> Result<CompiledLibrary, Box<Diagnostic>> {
    let name = name(text, how);
    let mut problem = String::new();
    let cache = cache_folder().filter(|cache| match trust::folder(cache) {
        Ok(()) => true,
        Err(why) => {
            problem = format!("`{}`: {why}; ", cache.display());
            // A folder that cannot be made says nothing: there is none.
            if cache.is_dir() {
                notes::keep(format!("note: the cache `{}` is not used: {why}", cache.display()));
            }
            false
        }
    });
    if let Some(folder) = cache.as_ref().map(|cache| cache.join(&name))
        && is_good(files, &folder, text, how)
    {
        touch(&folder.join(STAMP));
        return Ok(CompiledLibrary { path: folder.join(files.made), temporary: None });
    }
    let fill = |folder: &Path| {
        std::fs::write(folder.join(files.text), text)?;
        make(folder)
    };
    if let Some(cache) = cache {
        let temporary = cache.join(format!("{name}.{}.{}", std::process::id(), unique()));
        match private(&temporary).map_err(Problem::from).and_then(|()| fill(&temporary)) {
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
        Ok(()) => Ok(CompiledLibrary { path: temporary.join(files.made), temporary: Some(temporary) }),
        Err(why) => {
            std::fs::remove_dir_all(&temporary).ok();
            match why {
                Problem::Compiler(diagnostic) => Err(diagnostic),
                Problem::Space(why) => {
                    let message = format!("the compiled program cannot be written: {problem}`{}`: {why}", place.display());
                    Err(Box::new(
                        Diagnostic::bare(Code::CompiledProgram, message)
                            .help("set REMORA_CACHE to a folder with free space that can be written"),
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
pub(super) fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("REMORA_CACHE").or_else(|| Some(set("XDG_CACHE_HOME")?.join("remora"))).or_else(|| Some(set("HOME")?.join(".cache/remora")))
}

/// The folder of the cache with the number of its entries and the bytes of their files; `None` where there is no place for one.
pub fn cache() -> Option<(PathBuf, usize, u64)> {
    let folder = cache_folder()?;
    let entries: Vec<PathBuf> =
        std::fs::read_dir(&folder).map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect()).unwrap_or_default();
    let files = entries.iter().filter_map(|entry| std::fs::read_dir(entry).ok()).flatten();
    let bytes = files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len())).sum();
    Some((folder, entries.len(), bytes))
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
    let read = |name: &str| Some(folder.join(name)).filter(|path| trust::is_own(path)).and_then(|path| std::fs::read(path).ok());
    if !trust::is_own(folder) {
        return false;
    }
    let (Some(source), Some(library), Some(found)) = (read(files.text), read(files.made), read(STAMP)) else { return false };
    source == text.as_bytes() && found == stamp(&library, how).as_bytes()
}

/// Gives an entry its name. Where that fails, somebody else was faster or something damaged is in the way.
fn keep(files: Files, temporary: PathBuf, folder: &Path, text: &str, how: &str) -> CompiledLibrary {
    if let Ok(bytes) = std::fs::read(temporary.join(files.made)) {
        std::fs::write(temporary.join(STAMP), stamp(&bytes, how)).ok();
    }
    let kept = CompiledLibrary { path: folder.join(files.made), temporary: None };
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
    CompiledLibrary { path: temporary.join(files.made), temporary: Some(temporary) }
}

fn compile(strict: bool, machine: Machine, folder: &Path) -> Result<(), Problem> {
    let compiler = Compiler::find(strict).map_err(Problem::Compiler)?;
    let step = suite::first_step(&compiler).map_err(Problem::Compiler)?;
    let _shown = crate::cli::progress::Spinner::new("compiling");
    compiler.library_of(step, machine, &folder.join(C.text), &folder.join(C.made))
}
