//! The command line: one file per command, and [`embed`] for other processes. The only place that touches files, processes and the
//! environment.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the layer that does input and output")]

pub mod apl;
pub mod embed;
pub mod entries;
pub mod files;
pub mod output;
pub mod program;
pub mod values;

mod bench;
mod build;
mod check;
mod core;
mod doc;
mod doctor;
mod dump;
mod explain;
mod fmt;
mod generate;
mod infer;
mod infer_core;
mod literate;
mod lsp;
#[cfg(feature = "mutations")]
mod mutations;
pub mod native;
mod plot;
mod profile;
mod progress;
mod python;
mod repl;
mod run;
pub mod test;
mod tune;
mod watch;

use crate::base::ice;
use crate::diag::Diagnostic;
use crate::driver;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use output::Console;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

/// All went well.
pub const SUCCESS: u8 = 0;
/// The user's program or data is at fault; diagnostics say how.
pub const FAILURE: u8 = 1;
/// The command line is at fault.
pub const USAGE: u8 = 2;
/// The compiler is at fault.
pub const INTERNAL: u8 = 3;

/// Compile and run array programs: inserts the `map`s that you leave out, and reports ambiguities.
#[derive(Debug, Parser)]
#[command(name = "remora", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  remora check program.rem
  remora infer program.rem --format source
  remora run program.rem -e norm '[3.0, 4.0]'
  remora explain E0402

Exit codes: 0 success, 1 an error in the program, its data or its run, 2 wrong usage, 3 an internal error of the compiler.
Colours: `--color`, and the variable NO_COLOR.";

/// Options of all commands.
#[derive(Debug, Clone, Copy, Args)]
struct Global {
    /// How diagnostics are written to standard error
    #[arg(long, global = true, value_enum, default_value = "text", value_name = "FORMAT")]
    message_format: MessageFormat,
    /// Colours in diagnostics
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    color: Color,
}

/// How diagnostics are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Text with excerpts of the source
    Text,
    /// One JSON object per diagnostic and line
    Json,
}

/// When diagnostics are coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// When standard error is a terminal and NO_COLOR is not set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::CheckArgs),
    Infer(infer::InferArgs),
    Run(run::RunArgs),
    Plot(plot::PlotArgs),
    Build(build::BuildArgs),
    Bench(bench::BenchArgs),
    Profile(profile::ProfileArgs),
    Tune(tune::TuneArgs),
    Test(test::TestArgs),
    Fmt(fmt::FmtArgs),
    Doc(doc::DocArgs),
    Literate(literate::LiterateArgs),
    Repl(repl::ReplArgs),
    Core(core::CoreArgs),
    Dump(dump::DumpArgs),
    Explain(explain::ExplainArgs),
    New(generate::NewArgs),
    Doctor(doctor::DoctorArgs),
    Completions(generate::CompletionsArgs),
    Man(generate::ManArgs),
    Lsp(lsp::LspArgs),
}

/// What a command comes to: an exit code, or a diagnostic that has not been written yet.
type Outcome = Result<u8, Box<Diagnostic>>;

/// Runs a command line (the first item is the program's name) on a thread with a large stack; the exit code is 0 on
/// success, 1 after diagnostics, 2 on wrong usage and 3 after an internal error.
pub fn run_command(args: Vec<OsString>) -> u8 {
    #[cfg(feature = "mutations")]
    if let Err(name) = mutations::from_environment() {
        eprintln!("there is no mutation {name}");
        return USAGE;
    }
    let bundle = native::bundle::own();
    crate::interp::core::trace::to(|line| eprintln!("{line}"));
    // A program that was built takes what `remora run` takes.
    let args = match (&bundle, args.split_first()) {
        (Some(_), Some((name, rest))) => {
            let head = [name.clone(), "run".into(), name.clone()];
            head.into_iter().chain(rest.iter().cloned()).collect()
        }
        _ => args,
    };
    let command = if bundle.is_some() { built_program(&args) } else { Cli::command() };
    let parsed = command.try_get_matches_from(shield_values(args)).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { USAGE } else { SUCCESS };
            let error = beside_python(error);
            return if error.print().is_ok() { code } else { FAILURE };
        }
    };
    quiet_panics();
    let code = crate::base::with_big_stack(|| dispatch(cli, bundle));
    #[cfg(feature = "mutations")]
    mutations::report();
    code
}

/// An error of the command line; for a command of the Python package, with where it is.
fn beside_python(mut error: clap::Error) -> clap::Error {
    let port = Some(&ContextValue::String("port".into()));
    if error.kind() == ErrorKind::InvalidSubcommand && error.get(ContextKind::InvalidSubcommand) == port {
        error.remove(ContextKind::SuggestedSubcommand);
        let where_it_is = "it belongs to the Python package: `python -m remora port script.py`".into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![where_it_is]));
    }
    error
}

/// How this program is started where it is not the file that runs: the command, and the arguments behind it.
static STARTED: OnceLock<(Vec<OsString>, Vec<OsString>)> = OnceLock::new();

/// [`run_command`] within the program of another, such as an interpreter, that starts it by `command`.
pub fn run_within(command: Vec<OsString>, args: Vec<OsString>) -> u8 {
    STARTED.get_or_init(|| (command, args.iter().skip(1).cloned().collect()));
    run_command(args)
}

/// [`run_command`] for the main function of a program.
pub fn main(args: Vec<OsString>) -> ExitCode {
    ExitCode::from(run_command(args))
}

/// The command line of a program that `remora build` made: that of `remora run`, without the file.
fn built_program(args: &[OsString]) -> clap::Command {
    let name = args.first().map_or_else(|| "program".into(), |name| files::shown(Path::new(name)));
    let name = name.rsplit('/').next().unwrap_or_default().to_string();
    let usage = format!("{name} [OPTIONS] [ARG]...");
    Cli::command().mut_subcommand("run", |run| {
        run.about("Run an entry point of this program, which `remora build` made")
            .override_usage(usage)
            .after_help(run::BUILT_HELP)
            .mut_arg("file", |file| file.hide(true))
            // What is changed moves to the end.
            .mut_arg("args", |args| args)
    })
}

/// Internal errors are reported where they are caught; before that, only those who ask for a backtrace see more.
fn quiet_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::env::var_os("RUST_BACKTRACE").is_some() {
            usual(panic);
        }
    }));
}

fn dispatch(cli: Cli, bundle: Option<native::bundle::Bundle>) -> u8 {
    let mut console = Console::new(cli.global.message_format, cli.global.color);
    progress::allow(cli.global.message_format == MessageFormat::Text);
    let outcome = ice::catch(|| command(cli.command, bundle, &mut console));
    let code = match outcome {
        Ok(Ok(code)) => code,
        Ok(Err(diagnostic)) => {
            console.report(&Default::default(), &diagnostic);
            FAILURE
        }
        Err(bug) => {
            console.report(&Default::default(), &driver::internal(&bug));
            INTERNAL
        }
    };
    console.finish(code)
}

fn command(command: Command, bundle: Option<native::bundle::Bundle>, console: &mut Console) -> Outcome {
    match command {
        Command::Check(args) => check::run(&args, console),
        Command::Infer(args) => infer::run(&args, console),
        Command::Run(args) => match bundle {
            Some(bundle) => run::run_bundle(&args, &bundle, console),
            None => run::run(&args, console),
        },
        Command::Plot(args) => plot::run(&args, console),
        Command::Build(args) => build::run(&args, console),
        Command::Bench(args) => bench::run(&args, console),
        Command::Profile(args) => profile::run(&args, console),
        Command::Tune(args) => tune::run(&args, console),
        Command::Test(args) => test::run(&args, console),
        Command::Doc(args) => doc::run(&args, console),
        Command::Literate(args) => literate::run(&args, console),
        Command::Fmt(args) => fmt::run(&args, console),
        Command::Repl(args) => repl::run(&args, console),
        Command::Core(args) => core::run(&args, console),
        Command::Dump(args) => dump::run(&args, console),
        Command::Explain(args) => explain::run(&args, console),
        Command::New(args) => generate::new(&args, console),
        Command::Doctor(args) => doctor::run(&args, console),
        Command::Completions(args) => generate::completions(&args, console),
        Command::Man(args) => generate::man(&args, console),
        Command::Lsp(args) => lsp::run(&args),
    }
}

/// Stands in front of an argument of a command that takes values where it starts with a minus but is a value, so that it is not taken for an
/// option.
const SHIELD: char = '\u{E000}';

/// Marks the arguments of commands that take values that are negative numbers: `-3`, `-0.5f32`, `-f64.inf`.
fn shield_values(args: Vec<OsString>) -> Vec<OsString> {
    let is_value = |arg: &OsString| arg.to_str().is_some_and(is_negative_number);
    if !args.iter().any(is_value) || !takes_values(&args) {
        return args;
    }
    args.into_iter()
        .map(|arg| match arg.to_str() {
            Some(text) if is_negative_number(text) => OsString::from(format!("{SHIELD}{text}")),
            _ => arg,
        })
        .collect()
}

/// Whether the command of a command line takes values: it has the arguments of [`run::Subject`].
fn takes_values(args: &[OsString]) -> bool {
    let Some(name) = args.iter().skip(1).find(|a| !a.to_string_lossy().starts_with('-')) else { return false };
    let cli = Cli::command();
    cli.find_subcommand(name).is_some_and(|command| command.get_positionals().any(|arg| arg.get_id() == "args"))
}

fn is_negative_number(arg: &str) -> bool {
    let Some(rest) = arg.strip_prefix('-') else { return false };
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    digits.starts_with(|c: char| c.is_ascii_digit()) || ["f16.", "f32.", "f64."].iter().any(|prefix| rest.starts_with(prefix))
}

/// Undoes [`shield_values`] for one argument.
fn unshield(arg: &str) -> &str {
    arg.strip_prefix(SHIELD).unwrap_or(arg)
}

/// A source file given on the command line.
#[derive(Debug, Clone, Args)]
struct SourceArg {
    /// The program (`-` for standard input)
    #[arg(value_name = "FILE", value_parser = OsStringValueParser::new().map(source_path))]
    file: PathBuf,
}

/// The path of a program, which may look like a value.
fn source_path(given: OsString) -> PathBuf {
    given.to_str().map_or_else(|| PathBuf::from(&given), |text| PathBuf::from(unshield(text)))
}
