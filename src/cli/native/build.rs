//! The C compiler, and the cache of what it made.
//!
//! An entry of the cache is a folder with the text, the library, and a line that says which compiler with which options made a library of
//! which length and sum. What does not fit is made again. Folders appear by renaming, so that programs that run at the same time do not
//! see half an entry.

use crate::diag::Diagnostic;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

const TEXT: &str = "program.c";
const LIBRARY: &str = "program.so";
const STAMP: &str = "stamp";

fn compiler() -> String {
    std::env::var("CC").ok().filter(|cc| !cc.trim().is_empty()).unwrap_or_else(|| "cc".into())
}

/// The options of the compiler. Contraction and vector versions of functions change the last bits of results, reassociation is
/// only used where the program says that the order does not matter.
fn flags(strict: bool) -> Vec<&'static str> {
    let mut flags = vec!["-std=gnu11", "-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-w"];
    flags.push(if strict { "-ffp-contract=off" } else { "-ffp-contract=fast" });
    flags.extend(["-fvisibility=hidden", "-fPIC", "-shared"]);
    flags
}

/// A library from the text of a C program, from the cache where it is there.
pub fn library(text: &str, strict: bool) -> Result<PathBuf, Box<Diagnostic>> {
    let cc = compiler();
    let flags = flags(strict);
    let how = format!("{cc} {}", flags.join(" "));
    let name = name(text, &how);
    let cache = cache_folder();
    if let Some(folder) = cache.as_ref().map(|cache| cache.join(&name))
        && is_good(&folder, text, &how)
    {
        return Ok(folder.join(LIBRARY));
    }
    // Where the cache cannot be written, the library is made elsewhere, and used once.
    let places = cache.into_iter().chain([std::env::temp_dir().join("remora")]);
    let mut problem = None;
    for place in places {
        let temporary = place.join(format!("{name}.{}.{}", std::process::id(), unique()));
        match std::fs::create_dir_all(&temporary).and_then(|()| std::fs::write(temporary.join(TEXT), text)) {
            Ok(()) => {}
            Err(error) => {
                std::fs::remove_dir_all(&temporary).ok();
                problem = Some(format!("`{}`: {error}", place.display()));
                continue;
            }
        }
        let made = compile(&cc, &flags, &temporary);
        if let Err(diagnostic) = made {
            std::fs::remove_dir_all(&temporary).ok();
            return Err(diagnostic);
        }
        return Ok(keep(&temporary, &place.join(&name), &how));
    }
    let message = format!("the compiled program cannot be written: {}", problem.unwrap_or_default());
    Err(Box::new(Diagnostic::bare("E0616", message).help("set REMORA_CACHE to a folder with free space that can be written")))
}

/// Puts a library that was made from the text into the cache, unless there is one. Where that fails the compiler will be asked.
pub fn provide(text: &str, strict: bool, library: &[u8]) {
    let how = format!("{} {}", compiler(), flags(strict).join(" "));
    let Some(cache) = cache_folder() else { return };
    let name = name(text, &how);
    if is_good(&cache.join(&name), text, &how) {
        return;
    }
    let temporary = cache.join(format!("{name}.{}.{}", std::process::id(), unique()));
    let put = |file: &str, bytes: &[u8]| std::fs::write(temporary.join(file), bytes);
    let written = std::fs::create_dir_all(&temporary).and_then(|()| put(TEXT, text.as_bytes())).and_then(|()| put(LIBRARY, library));
    if written.is_ok() {
        keep(&temporary, &cache.join(&name), &how);
    } else {
        std::fs::remove_dir_all(&temporary).ok();
    }
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

fn is_good(folder: &Path, text: &str, how: &str) -> bool {
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let (Some(source), Some(library), Some(found)) = (read(TEXT), read(LIBRARY), read(STAMP)) else { return false };
    source == text.as_bytes() && found == stamp(&library, how).as_bytes()
}

/// Gives an entry its name. Where that fails, somebody else was faster or something damaged is in the way.
fn keep(temporary: &Path, folder: &Path, how: &str) -> PathBuf {
    let library = temporary.join(LIBRARY);
    if let Ok(bytes) = std::fs::read(&library) {
        std::fs::write(temporary.join(STAMP), stamp(&bytes, how)).ok();
    }
    if std::fs::rename(temporary, folder).is_ok() {
        return folder.join(LIBRARY);
    }
    std::fs::remove_dir_all(folder).ok();
    if std::fs::rename(temporary, folder).is_ok() { folder.join(LIBRARY) } else { library }
}

fn compile(cc: &str, flags: &[&str], folder: &Path) -> Result<(), Box<Diagnostic>> {
    let mut words = cc.split_whitespace();
    let program = words.next().unwrap_or("cc");
    let mut command = Command::new(program);
    command.args(words).args(flags).arg("-o").arg(folder.join(LIBRARY)).arg(folder.join(TEXT)).arg("-lm");
    let output = command.output().map_err(|error| {
        let message = format!("the C compiler `{program}` cannot be started: {error}");
        let help = "install one (`apt-get install gcc`), name one in CC, or use `--backend interp`, the evaluator";
        Box::new(Diagnostic::bare("E0615", message).help(help))
    })?;
    if output.status.success() && folder.join(LIBRARY).is_file() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = text.lines().take(12).collect();
    let mut diagnostic = Diagnostic::bare("E0615", format!("the C compiler `{cc}` failed: {}", output.status));
    if !first.is_empty() {
        diagnostic = diagnostic.note(first.join("\n"));
    }
    Err(Box::new(diagnostic.help("`--backend interp` runs the program without it")))
}
