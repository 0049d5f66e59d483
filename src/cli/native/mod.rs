//! Compiled programs: made by the C compiler and by NVRTC, kept in the cache, loaded, run.

pub mod build;
pub mod bundle;
pub mod choice;
mod compiler;
mod cuda;
pub mod doctor;
mod load;
pub mod notes;
mod standin;
mod suite;
mod sweep;
mod table;
mod trust;

pub use compiler::fall_back as fall_back_to_compiler;

use super::program::Loaded;
use crate::base::{Code, Symbol};
use crate::diag::Diagnostic;
use crate::driver;
use crate::driver::profile::Recorded;
use crate::ir::soac;
use load::Device;
use load::LoadedLibrary;
pub use load::{Ended, OnDevice, Output, Owned, Prepared, Program, Shared, Word, forked};

/// The user's cache folder, if it is of use: it is there, and nobody else may write to it.
pub fn cache() -> Option<std::path::PathBuf> {
    build::cache_folder().filter(|folder| trust::folder(folder).is_ok())
}

/// How programs are compiled and run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The number of threads; 0 for one per processor.
    pub threads: usize,
    /// Whether floating-point results must be the same to the last bit as the evaluator's.
    pub strict: bool,
}

/// What was made before from a program for a device.
#[derive(Debug, Clone, Copy, Default)]
pub struct Made<'a> {
    /// The host plan, as a library.
    pub library: Option<&'a [u8]>,
    /// What reaches the device, as a library.
    pub driver: Option<&'a [u8]>,
    /// Machine code or PTX of the kernels, ending with a zero.
    pub image: Option<&'a [u8]>,
}

/// Compiles a program for some entry points, or finds it in the cache, and loads it. `given` is a library that was made before from the
/// same program.
pub fn prepare(loaded: &Loaded, entries: &[Symbol], options: &Options, given: Option<&[u8]>) -> Result<Program, Box<Diagnostic>> {
    finish(driver::compile(&loaded.sources, &loaded.checked, entries, options.strict)?, options, given)
}

/// [`prepare`] for a program that measures itself, and what it measures.
///
/// # Errors
/// Those of [`prepare`].
pub fn prepare_profiled(loaded: &Loaded, entries: &[Symbol], options: &Options) -> Result<(Program, Recorded), Box<Diagnostic>> {
    let (native, recorded) = driver::profile::compile_profiled(&loaded.sources, &loaded.checked, entries, options.strict)?;
    Ok((finish(native, options, None)?, recorded))
}

/// A program that is compiled, to be loaded as often as one likes.
pub enum Built {
    /// For processors.
    Processors {
        /// The program.
        native: Box<driver::Native>,
        /// Its library.
        file: build::CompiledLibrary,
        /// How it was compiled.
        strict: bool,
    },
    /// For the CUDA device of this machine, or for what the environment names instead of one.
    Device(Box<driver::CudaProgram>),
}

impl Built {
    /// Compiles a program for some entry points, or finds it in the cache.
    ///
    /// # Errors
    /// Those of [`driver::compile`], of the C compiler and of the cache.
    pub fn new(loaded: &Loaded, entries: &[Symbol], strict: bool) -> Result<Built, Box<Diagnostic>> {
        let native = driver::compile(&loaded.sources, &loaded.checked, entries, strict)?;
        let mut file = build::library(&native.text, strict, None)?;
        // Something is wrong with the entry of the cache, or another program has just replaced it.
        if LoadedLibrary::load(&file).is_err() {
            file.discard();
            file = build::library(&native.text, strict, None)?;
        }
        Ok(Built::Processors { native: Box::new(native), file, strict })
    }

    /// Compiles a program for some entry points for a device, as far as that is possible without it.
    ///
    /// # Errors
    /// E0803: no driver; E0801: what cannot be compiled.
    pub fn for_device(loaded: &Loaded, entries: &[Symbol]) -> Result<Built, Box<Diagnostic>> {
        if !standin::wanted() {
            cuda::Device::look()?;
        }
        Ok(Built::Device(Box::new(driver::compile_cuda(&loaded.sources, &loaded.checked, entries)?)))
    }

    /// The program with a context of its own for so many threads, or on the device.
    ///
    /// # Errors
    /// E0616: the library cannot be loaded; E0507; for devices, those of [`prepare_cuda`].
    pub fn load(&self, threads: usize) -> Result<Program, Box<Diagnostic>> {
        match self {
            Built::Processors { native, file, strict } => {
                let library = match LoadedLibrary::load(file) {
                    Ok(library) => library,
                    // Another program has replaced the entry of the cache meanwhile.
                    Err(_) => load_made(&|| build::library(&native.text, *strict, None))?,
                };
                Program::new(library, (**native).clone(), threads)
            }
            Built::Device(program) => load_on(device(None, None)?, (**program).clone(), Made::default()),
        }
    }

    /// The first-order program.
    fn program(&self) -> &soac::Program {
        match self {
            Built::Processors { native, .. } => &native.program,
            Built::Device(program) => &program.program,
        }
    }
}

/// The program that is compiled from a text for processors.
fn finish(native: driver::Native, options: &Options, given: Option<&[u8]>) -> Result<Program, Box<Diagnostic>> {
    let library = load_made(&|| build::library(&native.text, options.strict, given))?;
    Program::new(library, native, options.threads)
}

/// Loads what is made, or was made before.
fn load_made(make: &dyn Fn() -> Result<build::CompiledLibrary, Box<Diagnostic>>) -> Result<LoadedLibrary, Box<Diagnostic>> {
    let file = make()?;
    match LoadedLibrary::load(&file) {
        Ok(library) => Ok(library),
        // Something is wrong with the entry of the cache, or another program has just replaced it.
        Err(_) => {
            file.discard();
            LoadedLibrary::load(&make()?)
        }
    }
}

/// Compiles a program for some entry points for the CUDA device of this machine (or for what the environment names instead of one), or
/// finds it in the cache, and loads it.
///
/// # Errors
/// E0803: no driver, E0804: too old a driver, E0805: no device, E0806: no NVRTC, E0807: NVRTC refuses the kernels, E0810: the device fails;
/// E0801: what cannot be compiled; and those of the C compiler and the cache.
pub fn prepare_cuda(loaded: &Loaded, entries: &[Symbol]) -> Result<Program, Box<Diagnostic>> {
    prepare_on(loaded, entries, None, Made::default())
}

/// [`prepare_cuda`] for the device with this number (or that which the environment names, or the first), with what was made of the program before.
pub fn prepare_on(loaded: &Loaded, entries: &[Symbol], number: Option<u32>, made: Made) -> Result<Program, Box<Diagnostic>> {
    // What is missing on the machine is said before anything is compiled.
    let found = device(number, made.driver)?;
    load_on(found, driver::compile_cuda(&loaded.sources, &loaded.checked, entries)?, made)
}

/// The CUDA device with this number, or none where the environment names something else instead.
fn device(number: Option<u32>, driver: Option<&[u8]>) -> Result<Option<cuda::Device>, Box<Diagnostic>> {
    if standin::wanted() { Ok(None) } else { cuda::Device::open(number, driver).map(Some) }
}

/// A program on a device, or on what the environment names instead of one.
fn load_on(found: Option<cuda::Device>, program: driver::CudaProgram, made: Made) -> Result<Program, Box<Diagnostic>> {
    let device: Box<dyn Device> = match found {
        None => standin::open(&program.text.kernels)?,
        Some(device) => cuda::load(device, &program.text.kernels, made.image)?,
    };
    let library = load_made(&|| build::library(&program.text.host, false, made.library))?;
    Program::on_device(library, program, device)
}

/// The kernels of a text as code for other machines: see `cuda::image`. Where there is no NVRTC and no architecture is named, the text is
/// compiled where it runs, and what is returned says why.
pub fn image_for(kernels: &str, architecture: Option<&str>) -> Result<Result<Vec<u8>, Box<Diagnostic>>, Box<Diagnostic>> {
    match cuda::image(kernels, architecture) {
        Ok(image) => Ok(Ok(image)),
        Err(diagnostic) if diagnostic.code == Code::NoNvrtc && architecture.is_none() => Ok(Err(diagnostic)),
        Err(diagnostic) => Err(diagnostic),
    }
}
