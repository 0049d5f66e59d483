//! `remora dump --stage STAGE FILE`.

use super::output::Console;
use super::program::load_accepted;
use super::{FAILURE, Outcome, SUCCESS, SourceArg, files};
use crate::base::{Code, SourceMap, Span, Symbol};
use crate::diag::{Diagnostic, Severity};
use crate::driver;
use crate::front::syntax::{self, lexer, print::Printer};
use crate::ir::surface::Ast;
use crate::ir::{core, imp, soac};
use clap::{Args, ValueEnum};

/// Print an intermediate stage
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  remora dump --stage tokens program.rem\n  remora dump --stage rank program.rem")]
pub(super) struct DumpArgs {
    #[command(flatten)]
    source: SourceArg,
    /// The stage to print
    #[arg(long, value_enum, value_name = "STAGE")]
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Tokens: position, kind and text
    Tokens,
    /// The syntax tree, printed as source
    Surface,
    /// The rank system of each definition, in the solver's text format
    Rank,
    /// The explicit core of the file and of all definitions that it uses
    Core,
    /// The first-order program for the entry points of the file
    Specialised,
    /// The optimised first-order program
    Soac,
    /// The program after flattening, with its parallelism in kernels
    Kernel,
    /// The program with explicit loops and memory, for processors
    Imp,
    /// The C program
    C,
    /// The program with explicit loops and memory, for a CUDA device
    CudaImp,
    /// The kernels in CUDA C++
    Cuda,
    /// The host code for CUDA, in C
    CudaHost,
}

pub(super) fn run(args: &DumpArgs, console: &mut Console) -> Outcome {
    let name = files::shown(&args.source.file);
    if (driver::is_core(&name) || driver::is_apl(&name)) && matches!(args.stage, Stage::Tokens | Stage::Surface | Stage::Rank) {
        let what = if driver::is_apl(&name) { "APL" } else { "core" };
        let message = format!("`{}` is {what}, which has no such stage", name.escape_debug());
        return Err(Box::new(Diagnostic::bare(Code::CoreStage, message).help("`remora dump --stage core` prints its explicit form")));
    }
    let print: Print = match args.stage {
        Stage::Tokens => return tokens(args, console),
        Stage::Surface => return surface(args, console),
        Stage::Rank => return rank(args, console),
        Stage::Core => return explicit(args, console),
        Stage::Specialised => |s, c, entries| driver::specialise(s, c, entries).map(|program| soac::print::program(&program)),
        Stage::Soac => |s, c, entries| driver::optimise(s, c, entries).map(|program| soac::print::program(&program)),
        Stage::Kernel => |s, c, entries| driver::kernels(s, c, entries).map(|program| soac::print::program(&program)),
        Stage::Imp => |s, c, entries| driver::memory(s, c, entries).map(|program| imp::print::program(&program)),
        Stage::C => |s, c, entries| driver::compile(s, c, entries, false).map(|native| native.text),
        Stage::CudaImp => |s, c, entries| driver::launches(s, c, entries).map(|program| imp::print::program(&program)),
        Stage::Cuda => |s, c, entries| driver::compile_cuda(s, c, entries).map(|cuda| cuda.text.kernels),
        Stage::CudaHost => |s, c, entries| driver::compile_cuda(s, c, entries).map(|cuda| cuda.text.host),
    };
    let Some(loaded) = load_accepted(&args.source.file, console)? else { return Ok(FAILURE) };
    match super::build::entries(&loaded).and_then(|entries| print(&loaded.sources, &loaded.checked, &entries)) {
        Ok(text) => console.print(text),
        Err(diagnostic) => {
            console.report(&loaded.sources, &diagnostic);
            return Ok(FAILURE);
        }
    }
    Ok(SUCCESS)
}

/// From a checked program and its entry points to the text of a stage.
type Print = fn(&SourceMap, &driver::Checked, &[Symbol]) -> Result<String, Box<Diagnostic>>;

fn explicit(args: &DumpArgs, console: &mut Console) -> Outcome {
    let Some(loaded) = load_accepted(&args.source.file, console)? else { return Ok(FAILURE) };
    console.print(format!("(use core)\n\n{}", core::print::program(&loaded.checked.core)));
    Ok(SUCCESS)
}

fn tokens(args: &DumpArgs, console: &mut Console) -> Outcome {
    let mut sources = SourceMap::default();
    let file = sources.add(files::shown(&args.source.file), files::read_source(&args.source.file)?);
    let lexed = lexer::lex(file, &sources.file(file).text);
    for token in &lexed.tokens {
        let span = Span::between(file, token.start, token.end);
        let (line, column) = sources.line_column(span);
        console.print(format!("{line}:{column}\t{:?}\t{}\n", token.tok, sources.snippet(span)));
    }
    let diagnostics = lexed.diagnostics(&sources.file(file).text);
    console.report_all(&sources, &diagnostics);
    Ok(if diagnostics.is_empty() { SUCCESS } else { FAILURE })
}

fn surface(args: &DumpArgs, console: &mut Console) -> Outcome {
    let mut sources = SourceMap::default();
    let file = sources.add(files::shown(&args.source.file), files::read_source(&args.source.file)?);
    let mut ast = Ast::default();
    let (unit, diagnostics) = syntax::parse(&mut ast, file, &sources.file(file).text);
    let printer = Printer::new(&ast);
    for decl in &unit.decls {
        console.print(format!("{}\n", printer.decl(decl).trim_end()));
    }
    console.report_all(&sources, &diagnostics);
    Ok(if diagnostics.iter().any(|d| d.severity == Severity::Error) { FAILURE } else { SUCCESS })
}

/// Also for definitions that are refused: that is when one wants to see it.
fn rank(args: &DumpArgs, console: &mut Console) -> Outcome {
    let loaded = super::program::load(&args.source.file)?;
    console.report_all(&loaded.sources, &loaded.checked.diagnostics);
    for (name, system) in crate::driver::rank_systems(&loaded.sources, &loaded.checked, loaded.root) {
        console.print(format!("# {name}\n{system}\n"));
    }
    Ok(if loaded.checked.failed() { FAILURE } else { SUCCESS })
}
