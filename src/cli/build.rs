//! `remora build FILE [--target cpu|cuda|python] [-o PATH] [--lib] [--source]`.

use super::native::{self, build};
use super::output::Console;
use super::program::load_accepted;
use super::values::{self, Signature};
use super::{FAILURE, Outcome, SUCCESS, SourceArg, files};
use crate::base::{Code, Symbol};
use crate::diag::Diagnostic;
use crate::driver::{self, Checked};
use crate::ir::core::Define;
use crate::ir::tables::{Def, DefKind};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

/// Make an executable or a library
#[derive(Debug, Args)]
#[command(
    after_help = "The executable takes arguments and writes results like `remora run`. A library comes with a C header that describes its functions;
library and header are named after PATH.

With `--target cuda` the executable runs on the CUDA device of the machine on which it is started. Functions of the library take arrays in
host memory, or (NAME_on_device) pointers to device memory. Building needs neither CUDA nor a device; the driver is loaded at run time.
If NVRTC is found, the kernels are included as PTX for all devices, or as code for the architecture named by `--arch` (`sm_90`: machine
code; `compute_80`: PTX for that architecture and newer ones). Otherwise NVRTC compiles them when the program starts.

`--source` writes source code instead: NAME.c and NAME.h for a C compiler, and for CUDA the kernels in NAME.cu, for nvcc.

`--target python` makes a folder that `pip install` takes: a package whose functions take and return NumPy arrays, with the program compiled for any
processor of this architecture, for those with AVX2 and for those with AVX-512. Neither remora nor a compiler is needed where it is used.

Examples:
  remora build program.rem
  remora build program.rem --target python -o norms && pip install ./norms
  remora build program.rem -o norm && ./norm -e norm '[3.0, 4.0]'
  remora build program.rem --lib -o libnorm.so
  remora build program.rem --target cuda --lib -o libnorm.so
  remora build program.rem --target cuda --source -o norm && nvcc -fatbin -std=c++17 norm.cu"
)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    source: SourceArg,
    /// Output file (default: the name of the program without its extension; libNAME.so for a library)
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// Make a shared library and a C header
    #[arg(long)]
    lib: bool,
    /// The machine that runs it
    #[arg(long, value_enum, default_value = "cpu", value_name = "TARGET")]
    target: Target,
    /// Write the source code of the library, to be compiled elsewhere
    #[arg(long = "source")]
    text: bool,
    /// Compile the kernels for this CUDA architecture (`sm_90`, `compute_80`)
    #[arg(long, value_name = "ARCH", value_parser = architecture)]
    arch: Option<String>,
    /// Make results equal to the evaluator's to the last bit (on processors; except for cbrt, asinh, acosh, atanh, gamma, lgamma, erf
    /// and erfc, which the C library computes differently)
    #[arg(long, conflicts_with = "arch")]
    strict_fp: bool,
}

/// What a program runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Processors
    Cpu,
    /// A CUDA device
    Cuda,
    /// A package of Python's, which needs neither remora nor a compiler
    Python,
}

/// `sm_90` or `compute_90`, with a letter behind it or none.
fn architecture(text: &str) -> Result<String, String> {
    let number = text.strip_prefix("sm_").or_else(|| text.strip_prefix("compute_")).unwrap_or_default();
    let digits = number.strip_suffix(['a', 'f']).unwrap_or(number);
    let good = (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    good.then(|| text.to_string()).ok_or_else(|| "an architecture is written like sm_90 or compute_90".into())
}

pub(super) fn run(args: &BuildArgs, console: &mut Console) -> Outcome {
    let Some(loaded) = load_accepted(&args.source.file, console)? else { return Ok(FAILURE) };
    if loaded.checked.apl.as_ref().is_some_and(|apl| apl.printed == 0 && apl.forms.len() == apl.main.iter().len()) {
        let nothing = Diagnostic::bare(Code::UnknownDefinition, "the script prints nothing, and declares the types of no function");
        return Err(Box::new(
            nothing.help("write `⍝: name : [n]f64 -> f64` for a function that is to be called from outside (`_` for any result)"),
        ));
    }
    let made = match (args.target, args.lib || args.text) {
        (Target::Cpu, true) => library(args, &loaded),
        (Target::Cuda, true) => cuda_library(args, &loaded, console),
        (Target::Python, _) => python_package(args, &loaded),
        (Target::Cpu | Target::Cuda, false) => program(args, &loaded, console),
    };
    if args.target != Target::Cuda && args.arch.is_some() {
        console.progress("note: `--arch` is about CUDA devices: nothing here is made for one");
    }
    if args.target == Target::Cuda && args.strict_fp {
        console.progress(NOT_STRICT);
    }
    match made {
        Ok(()) => Ok(SUCCESS),
        Err(diagnostic) => {
            console.report(&loaded.sources, &diagnostic);
            Ok(FAILURE)
        }
    }
}

fn python_package(args: &BuildArgs, loaded: &super::program::Loaded) -> Result<(), Box<Diagnostic>> {
    let folder = args.output.clone().unwrap_or_else(|| PathBuf::from(stem(&args.source.file)));
    super::python::package(&folder, loaded, &entries_for_c(loaded)?, args.strict_fp)
}

/// What is said of `--strict-fp` where a device adds up.
pub(super) const NOT_STRICT: &str = "note: `--strict-fp` is for processors: a CUDA device adds floats up in an order of its own";

/// The entry points that the file declares; if it declares none, all its definitions that can be called from outside.
///
/// # Errors
/// E0611 if there is nothing to call, E0613 for what cannot be called from outside.
pub(super) fn entries(loaded: &super::program::Loaded) -> Result<Vec<Symbol>, Box<Diagnostic>> {
    entries_that(loaded, &|checked, define| Signature::of(checked, define).map(|_| ()))
}

/// Those that C can call.
fn entries_for_c(loaded: &super::program::Loaded) -> Result<Vec<Symbol>, Box<Diagnostic>> {
    entries_that(loaded, &values::callable_from_c)
}

/// Says why a definition is of no use to those who call it.
type Usable<'a> = &'a dyn Fn(&Checked, &Define) -> Result<(), Box<Diagnostic>>;

fn entries_that(loaded: &super::program::Loaded, check: Usable) -> Result<Vec<Symbol>, Box<Diagnostic>> {
    let checked = &loaded.checked;
    let declared = |def: &Def| matches!(&def.decl, DefKind::Def(decl) if decl.entry);
    let declared: Vec<Symbol> =
        checked.program.defs.iter().filter(|(_, def)| def.file == loaded.root && declared(def)).map(|(_, def)| def.unique).collect();
    let own = checked.core.defs.iter().filter(|define| define.entry && define.span.file == loaded.root);
    let mut entries: Vec<Symbol> = Vec::new();
    for define in own {
        let usable = check(checked, define);
        if declared.is_empty() && usable.is_ok() || declared.contains(&define.name) {
            usable?;
            // Definitions hide earlier ones of the same name.
            let called = checked.source_name(define.name);
            entries.retain(|other| checked.source_name(*other) != called);
            entries.push(define.name);
        }
    }
    if entries.is_empty() {
        let help = "declare what is to be called from outside with `entry`";
        return Err(Box::new(Diagnostic::bare(Code::UnknownDefinition, "the program has no entry points").help(help)));
    }
    Ok(entries)
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy().into_owned())
}

/// The name of a library, which its functions begin with, and the file that is made: a library, or the text of one.
fn names(args: &BuildArgs) -> Result<(String, PathBuf), Box<Diagnostic>> {
    let stem_of = stem(&args.source.file);
    let default = if args.text { PathBuf::from(stem_of) } else { PathBuf::from(format!("lib{stem_of}.so")) };
    let path = args.output.clone().unwrap_or(default);
    let name = stem(&path);
    let name = if args.text { &name } else { name.strip_prefix("lib").filter(|rest| !rest.is_empty()).unwrap_or(&name) };
    if name == "remora" {
        let message = "a library is not named `remora`: its functions would have the names of those that it is made of";
        return Err(Box::new(Diagnostic::bare(Code::UnwritableResult, message).help("give it another name with `-o`")));
    }
    Ok((name.to_string(), path))
}

/// Writes what was made, unless that is where the program is.
fn put(args: &BuildArgs, path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    files::apart(path, &args.source.file)?;
    files::write(path, bytes)
}

fn library(args: &BuildArgs, loaded: &super::program::Loaded) -> Result<(), Box<Diagnostic>> {
    let (name, path) = names(args)?;
    let made = driver::library(&loaded.sources, &loaded.checked, &entries_for_c(loaded)?, &name, args.strict_fp)?;
    if args.text {
        put(args, &path.with_file_name(format!("{name}.c")), made.source.as_bytes())?;
    } else {
        let built = build::library(&made.source, args.strict_fp, None)?;
        put(args, &path, &files::read(built.path())?)?;
    }
    put(args, &path.with_file_name(format!("{name}.h")), made.header.as_bytes())
}

fn cuda_library(args: &BuildArgs, loaded: &super::program::Loaded, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    let (name, path) = names(args)?;
    let made = driver::cuda_library(&loaded.sources, &loaded.checked, &entries_for_c(loaded)?, &name)?;
    // Text is for people and compilers, which have no use for code unless it is asked for.
    let image = match args.text && args.arch.is_none() {
        true => None,
        false => match native::image_for(&made.kernels, args.arch.as_deref())? {
            Ok(image) => Some(image),
            Err(why) => {
                console.progress(&without_code(&why));
                None
            }
        },
    };
    let source = made.source(image.as_deref());
    if args.text {
        put(args, &path.with_file_name(format!("{name}.c")), source.as_bytes())?;
        put(args, &path.with_file_name(format!("{name}.cu")), made.kernel_file().as_bytes())?;
    } else {
        put(args, &path, &files::read(build::library(&source, false, None)?.path())?)?;
    }
    put(args, &path.with_file_name(format!("{name}.h")), made.header.as_bytes())
}

/// What is said where NVRTC could not be asked.
fn without_code(why: &Diagnostic) -> String {
    format!("note: the kernels are compiled by NVRTC where they run: {} ({})", why.message, why.code)
}

fn program(args: &BuildArgs, loaded: &super::program::Loaded, console: &mut Console) -> Result<(), Box<Diagnostic>> {
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(stem(&args.source.file)));
    files::apart(&path, &args.source.file)?;
    let target = match args.target {
        Target::Cpu | Target::Python => native::bundle::MadeFor::Processor { strict: args.strict_fp },
        Target::Cuda => native::bundle::MadeFor::Cuda { architecture: args.arch.as_deref() },
    };
    if let Some(why) = native::bundle::write(&path, loaded, &entries(loaded)?, target)? {
        console.progress(&without_code(&why));
    }
    Ok(())
}
