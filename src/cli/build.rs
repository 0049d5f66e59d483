//! `remora build FILE [-o PATH] [--lib]`.

use super::native::{self, build};
use super::output::Console;
use super::program::load_accepted;
use super::values::Signature;
use super::{FAILURE, Outcome, SUCCESS, SourceArg, files};
use crate::base::Symbol;
use crate::diag::Diagnostic;
use crate::driver;
use crate::ir::tables::{Def, DefKind};
use clap::Args;
use std::path::{Path, PathBuf};

/// Make a program or a library
#[derive(Debug, Args)]
#[command(after_help = "A program takes arguments and writes results like `remora run`. A library comes with a header that describes
its functions; its name and that of the header are those of PATH.

Examples:
  remora build program.rem
  remora build program.rem -o norm && ./norm -e norm '[3.0, 4.0]'
  remora build program.rem --lib -o libnorm.so")]
pub(super) struct BuildArgs {
    #[command(flatten)]
    source: SourceArg,
    /// What to make (default: the name of the program without its ending; libNAME.so for a library)
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    /// A shared library with a C header
    #[arg(long)]
    lib: bool,
    /// Results that are the same to the last bit as the evaluator's
    #[arg(long)]
    strict_fp: bool,
}

pub(super) fn run(args: &BuildArgs, console: &mut Console) -> Outcome {
    let Some(loaded) = load_accepted(&args.source.file, console)? else { return Ok(FAILURE) };
    let made = if args.lib { library(args, &loaded) } else { program(args, &loaded) };
    match made {
        Ok(()) => Ok(SUCCESS),
        Err(diagnostic) => {
            console.report(&loaded.sources, &diagnostic);
            Ok(FAILURE)
        }
    }
}

/// The entry points that the file declares; if it declares none, all its definitions that can be called from outside.
///
/// # Errors
/// E0611 if there is nothing to call, E0613 for what cannot be called from outside.
pub(super) fn entries(loaded: &super::program::Loaded) -> Result<Vec<Symbol>, Box<Diagnostic>> {
    let checked = &loaded.checked;
    let declared = |def: &Def| matches!(&def.decl, DefKind::Def(decl) if decl.entry);
    let declared: Vec<Symbol> =
        checked.program.defs.iter().filter(|(_, def)| def.file == loaded.root && declared(def)).map(|(_, def)| def.unique).collect();
    let own = checked.core.defs.iter().filter(|define| define.entry && define.span.file == loaded.root);
    let mut entries = Vec::new();
    for define in own {
        let signature = Signature::new(define, &checked.parameter_names(define.name));
        if declared.is_empty() && signature.is_ok() || declared.contains(&define.name) {
            entries.push(signature?.name());
        }
    }
    if entries.is_empty() {
        let help = "declare what is to be called from outside with `entry`";
        return Err(Box::new(Diagnostic::bare("E0611", "the program has no entry points").help(help)));
    }
    Ok(entries)
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| "program".into(), |stem| stem.to_string_lossy().into_owned())
}

fn library(args: &BuildArgs, loaded: &super::program::Loaded) -> Result<(), Box<Diagnostic>> {
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(format!("lib{}.so", stem(&args.source.file))));
    let name = stem(&path);
    let name = name.strip_prefix("lib").filter(|rest| !rest.is_empty()).unwrap_or(&name).to_string();
    let made = driver::library(&loaded.sources, &loaded.checked, &entries(loaded)?, &name, args.strict_fp)?;
    let built = build::library(&made.source, args.strict_fp, None)?;
    files::write(&path, &files::read(built.path())?)?;
    files::write(&path.with_file_name(format!("{name}.h")), made.header.as_bytes())
}

fn program(args: &BuildArgs, loaded: &super::program::Loaded) -> Result<(), Box<Diagnostic>> {
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(stem(&args.source.file)));
    native::bundle::write(&path, loaded, &entries(loaded)?, args.strict_fp)
}
