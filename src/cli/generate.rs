//! `remora completions SHELL`, `remora man DIR`, `remora new NAME`: files for those who use the command.

use super::output::Console;
use super::{Cli, FAILURE, Outcome, SUCCESS, files};
use crate::base::{Code, SourceMap};
use crate::diag::Diagnostic;
use crate::editor::rename::is_name;
use clap::{Args, CommandFactory};
use std::path::{Path, PathBuf};

/// Print what a shell needs to complete commands and options
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora completions bash > ~/.local/share/bash-completion/completions/remora
  remora completions zsh > ~/.zfunc/_remora
  remora completions fish > ~/.config/fish/completions/remora.fish")]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

pub(super) fn completions(args: &CompletionsArgs, console: &mut Console) -> Outcome {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "remora", &mut text);
    console.print(text);
    Ok(SUCCESS)
}

/// Write manual pages: one for remora and one for each command
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  remora man ~/.local/share/man/man1")]
pub(super) struct ManArgs {
    /// The folder, which is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn man(args: &ManArgs, console: &mut Console) -> Outcome {
    files::make_folder(&args.folder)?;
    let command = Cli::command();
    let mut pages = vec![("remora.1".to_string(), clap_mangen::Man::new(command.clone()))];
    for sub in command.get_subcommands() {
        let name = format!("remora-{}", sub.get_name());
        let page = sub.clone().display_name(name.clone()).bin_name(format!("remora {}", sub.get_name()));
        pages.push((format!("{name}.1"), clap_mangen::Man::new(page)));
    }
    for (name, page) in pages {
        let path = args.folder.join(&name);
        let mut text = Vec::new();
        page.render(&mut text).map_err(|error| unwritable(&path, &error))?;
        files::write(&path, &text)?;
        console.print(format!("{}\n", files::shown(&path)));
    }
    Ok(SUCCESS)
}

/// Make a folder with a program to begin with
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora new heat
  cd heat && remora test heat.rem && remora run heat.rem '[1, 2, 4]'")]
pub(super) struct NewArgs {
    /// The name of the program, and of the folder
    #[arg(value_name = "NAME")]
    name: PathBuf,
}

pub(super) fn new(args: &NewArgs, console: &mut Console) -> Outcome {
    let name = args.name.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if let Err(help) = fits(&name) {
        let message = format!("`{}` is no name for a program", files::shown(&args.name).escape_debug());
        return Err(Box::new(Diagnostic::bare(Code::OptionValue, message).help(help)));
    }
    if args.name.exists() {
        let message = format!("`{}` is there already", files::shown(&args.name).escape_debug());
        return Err(Box::new(Diagnostic::bare(Code::UnwritableResult, message)));
    }
    files::make_folder(&args.name)?;
    let program = args.name.join(format!("{name}.rem"));
    files::write(&program, PROGRAM.replace("NAME", &name).as_bytes())?;
    files::write(&args.name.join("README.md"), README.replace("NAME", &name).as_bytes())?;
    // What is not right now would surprise later.
    let loaded = super::program::load(&program)?;
    if loaded.checked.failed() {
        console.report_all(&loaded.sources, &loaded.checked.diagnostics);
        return Ok(FAILURE);
    }
    console.print(format!("{}\n", files::shown(&program)));
    console.report_all(&SourceMap::default(), &[]);
    Ok(SUCCESS)
}

/// Whether a program may be called so: as a definition or a module of it may, or one of C or Python.
///
/// # Errors
/// What to do instead.
fn fits(name: &str) -> Result<(), String> {
    let plain =
        |name: &str| name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let other: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let rule = "a name begins with a letter; letters, digits and `_` follow";
    match plain(name) {
        true if !is_name(name) => Err(format!("`{name}` is a word of the language; `{name}_` or `my_{name}` is none")),
        true => Ok(()),
        false if plain(&other) && is_name(&other) => Err(format!("{rule}, such as `{other}`")),
        false => Err(rule.to_string()),
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    let message = format!("`{}` cannot be written: {error}", files::shown(path).escape_debug());
    Box::new(Diagnostic::bare(Code::UnwritableResult, message))
}

const PROGRAM: &str = "\
-- NAME: what it computes.

-- | A vector scaled so that its length is 1. Written for one vector; arrays of vectors are mapped over.
def normalise [n] (v: [n]f64) : [n]f64 = v / f64.sqrt (f64.sum (v * v))

-- ==
-- entry: main
-- input { [3.0, 4.0] }
-- output { [0.6, 0.8] }

-- | The program: `remora run NAME.rem '[3, 4]'`.
entry main [n] (v: [n]f64) : [n]f64 = normalise v
";

const README: &str = "\
# NAME

```
remora test NAME.rem            # the expectations in the comments
remora run NAME.rem '[3, 4]'    # or .npy files: remora run NAME.rem v.npy -o result.npy
remora infer NAME.rem           # what was inserted
remora fmt NAME.rem
```
";
