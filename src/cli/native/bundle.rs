//! Programs in one file: this program with the sources, and the library that was compiled from them, behind it.
//!
//! ```text
//! remora | sources as JSON | library | length of the sources: u64 | length of the library: u64 | MAGIC
//! ```
//!
//! For a device the library is the host plan, with what reaches the device behind it, another library, and the machine code of the kernels
//! if there is some.
//!
//! When it starts, it checks the sources again (that takes milliseconds) and finds that what it would compile is there.

use super::super::program::Loaded;
use super::super::{entries, files};
use super::{Made, build, cuda};
use crate::base::{Code, SourceMap, Span, Symbol};
use crate::diag::Diagnostic;
use crate::driver;
use crate::front::resolve::Loader;
use crate::ir::tuning::Tuning;
use serde::{Deserialize, Serialize};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

const MAGIC: &[u8; 16] = b"remora-bundle-1\n";

/// What stands behind the program, but for the library.
#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    /// The name of the main file.
    root: String,
    /// Names and texts of all files.
    sources: Vec<(String, String)>,
    /// Their names in core.
    entries: Vec<String>,
    /// Their names in the sources.
    #[serde(default)]
    called: Vec<String>,
    strict: bool,
    /// What it was tuned to.
    #[serde(default)]
    tuning: String,
    /// What the processor must be able to do.
    processor: String,
    /// Whether it runs on a CUDA device.
    #[serde(default)]
    cuda: bool,
    /// How many of the bytes of the library are what reaches the device, which stands behind it,
    #[serde(default)]
    driver: usize,
    /// and how many are code of kernels, which stands behind that.
    #[serde(default)]
    image: usize,
}

/// What a program is made for.
#[derive(Debug, Clone, Copy)]
pub enum MadeFor<'a> {
    /// The processors of a machine like this one.
    Processor {
        /// Whether results are the same to the last bit as the evaluator's.
        strict: bool,
    },
    /// A CUDA device.
    Cuda {
        /// The architecture: `sm_90`, `compute_80`; PTX for all if it is not named.
        architecture: Option<&'a str>,
    },
}

/// A program that this one carries.
#[derive(Debug)]
pub struct Bundle {
    contents: Contents,
    library: Vec<u8>,
}

struct Memory<'a>(&'a [(String, String)]);

impl Loader for Memory<'_> {
    fn load(&self, path: &str) -> Result<String, String> {
        let found = self.0.iter().find(|(name, _)| name == path).map(|(_, text)| text.clone());
        found.ok_or_else(|| "it is not part of this program".to_string())
    }
}

/// The lengths of the sources and of the library behind a program.
fn trailer(file: &mut std::fs::File) -> Option<(u64, u64, u64)> {
    let end = file.seek(SeekFrom::End(0)).ok()?;
    let mut bytes = [0u8; 32];
    file.seek(SeekFrom::Start(end.checked_sub(32)?)).ok()?;
    file.read_exact(&mut bytes).ok()?;
    let number = |at: usize| bytes[at..at + 8].try_into().ok().map(u64::from_le_bytes);
    (bytes[16..] == MAGIC[..]).then_some(())?;
    let (sources, library) = (number(0)?, number(8)?);
    let start = end.checked_sub(32)?.checked_sub(sources)?.checked_sub(library)?;
    Some((start, sources, library))
}

/// The program that this one carries, if it does.
pub fn own() -> Option<Bundle> {
    let mut file = std::fs::File::open(std::env::current_exe().ok()?).ok()?;
    let (start, sources, library) = trailer(&mut file)?;
    let mut read = |at: u64, count: u64| {
        let mut bytes = vec![0u8; usize::try_from(count).ok()?];
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    };
    let contents = serde_json::from_slice(&read(start, sources)?).ok()?;
    Some(Bundle { contents, library: read(start + sources, library)? })
}

/// Writes a program with its sources and its library. Returns why it has no code of kernels, if it should.
pub fn write(path: &Path, loaded: &Loaded, names: &[Symbol], target: MadeFor) -> Result<Option<Box<Diagnostic>>, Box<Diagnostic>> {
    if crate::cli::STARTED.get().is_some() {
        let message = "this remora is part of a package of Python, which makes no executables";
        return Err(Box::new(
            Diagnostic::bare(Code::UnwritableResult, message).help("make a library with `--lib`, or a package with `--target python`"),
        ));
    }
    let strict = matches!(target, MadeFor::Processor { strict: true });
    let (mut driver, mut image, mut problem) = (Vec::new(), Vec::new(), None);
    let text = match target {
        MadeFor::Processor { strict } => driver::compile(&loaded.sources, &loaded.checked, names, strict)?.text,
        MadeFor::Cuda { architecture } => {
            let made = driver::compile_cuda(&loaded.sources, &loaded.checked, names)?.text;
            match super::image_for(&made.kernels, architecture)? {
                Ok(code) => image = code,
                Err(why) => problem = Some(why),
            }
            driver = files::read(cuda::library(None)?.path())?;
            made.host
        }
    };
    let mut library = files::read(build::library(&text, strict, None)?.path())?;
    library.extend_from_slice(&driver);
    library.extend_from_slice(&image);
    let unknown =
        |error: std::io::Error| Box::new(Diagnostic::bare(Code::UnwritableResult, format!("this program cannot be copied: {error}")));
    let exe = std::env::current_exe().map_err(unknown)?;
    let mut program = files::read(&exe)?;
    if let Some((start, ..)) = std::fs::File::open(&exe).ok().as_mut().and_then(trailer) {
        program.truncate(usize::try_from(start).unwrap_or(usize::MAX));
    }
    let sources = loaded.sources.files().map(|(_, file)| (file.name.clone(), file.text.to_string())).collect();
    let root = loaded.sources.file(loaded.root).name.clone();
    let entries = names.iter().map(|name| name.as_str().to_string()).collect();
    let called = names.iter().map(|name| loaded.checked.source_name(*name).as_str().to_string()).collect();
    let (cuda, driver, image) = (matches!(target, MadeFor::Cuda { .. }), driver.len(), image.len());
    let tuning = loaded.checked.tuning.text();
    let contents = Contents { root, sources, entries, called, strict, tuning, processor: build::processor(), cuda, driver, image };
    let contents = serde_json::to_vec(&contents).unwrap_or_else(|error| crate::ice!(Span::default(), "no JSON of a program: {error}"));
    program.extend_from_slice(&contents);
    program.extend_from_slice(&library);
    program.extend_from_slice(&(contents.len() as u64).to_le_bytes());
    program.extend_from_slice(&(library.len() as u64).to_le_bytes());
    program.extend_from_slice(MAGIC);
    files::write(path, &program)?;
    executable(path)?;
    Ok(problem)
}

#[cfg(unix)]
fn executable(path: &Path) -> Result<(), Box<Diagnostic>> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).map_err(|error| {
        Box::new(Diagnostic::bare(Code::UnwritableResult, format!("`{}` cannot be made executable: {error}", path.display())))
    })
}

#[cfg(not(unix))]
fn executable(_: &Path) -> Result<(), Box<Diagnostic>> {
    Ok(())
}

/// Bytes, without so many at the end, and those.
fn split_end(bytes: &[u8], count: usize) -> Option<(&[u8], &[u8])> {
    bytes.split_at_checked(bytes.len().checked_sub(count)?)
}

impl Bundle {
    /// The checked program.
    pub fn load(&self) -> Loaded {
        let Contents { root, sources, .. } = &self.contents;
        let mut map = SourceMap::default();
        let Some((_, text)) = sources.iter().find(|(name, _)| name == root) else {
            crate::ice!(Span::default(), "this program was written without its source `{root}`")
        };
        let file = map.add(root.as_str(), text.as_str());
        let mut checked = driver::check(&mut map, &Memory(sources), file);
        checked.tuning = Tuning::read(&self.contents.tuning)
            .unwrap_or_else(|_| crate::ice!(Span::default(), "this program was written with numbers that cannot be read"));
        Loaded { sources: map, root: file, checked, behind: super::super::program::Behind::default() }
    }
    /// What was compiled, as far as this processor can run it.
    pub fn made(&self) -> Option<Made<'_>> {
        let (rest, image) = split_end(&self.library, self.contents.image)?;
        let (plan, driver) = split_end(rest, self.contents.driver)?;
        let here = build::processor();
        let fits = self.contents.processor.split(',').all(|feature| here.split(',').any(|found| found == feature));
        let library = |part| Some(part).filter(|part: &&[u8]| fits && !part.is_empty());
        Some(Made { library: library(plan), driver: library(driver), image: Some(image).filter(|image| !image.is_empty()) })
    }
    /// Whether it runs on a CUDA device.
    pub fn cuda(&self) -> bool {
        self.contents.cuda
    }
    /// How the program is compiled and what it was compiled for.
    pub fn entries(&self) -> Vec<Symbol> {
        self.contents.entries.iter().map(|name| Symbol::new(name)).collect()
    }
    /// Whether results are the same to the last bit as the evaluator's.
    pub fn strict(&self) -> bool {
        self.contents.strict
    }
    /// The error for an entry point that the program does not have.
    pub fn unknown(&self, name: &str) -> Box<Diagnostic> {
        Box::new(entries::unknown(Code::UnknownDefinition, "entry point", name, self.contents.called.iter().map(String::as_str)))
    }
}
