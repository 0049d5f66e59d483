//! `remora fmt FILE...`.

use super::output::Console;
use super::{FAILURE, Outcome, SUCCESS, files};
use crate::base::{Code, FileId, SourceMap};
use crate::diag::Diagnostic;
use crate::front::format;
use clap::Args;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Format programs in the one style: white space, line ends and indentation; comments stay
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora fmt program.rem
  remora fmt .                          all .rem and .fut files in a folder and below
  remora fmt --check src                lists what is not formatted; exit code 1 if anything is not
  remora fmt --diff program.rem         shows what would change, and changes nothing; exit code 1 if anything would
  remora fmt --lines 10:20 program.rem  these lines only
  remora fmt - < program.rem            standard input to standard output

A file with syntax errors stays as it is. Lines are at most 100 columns long, where there is a place to break them; line ends of the author are
kept at such places. docs/fmt.md describes the style.")]
pub(super) struct FmtArgs {
    /// Programs, and folders with programs (`-` for standard input)
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; list the files that are not formatted, and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Change nothing; print the differences, and exit with 1 if there are any
    #[arg(long)]
    diff: bool,
    /// Format only the lines from A to B of a file (from 1)
    #[arg(long, value_name = "A:B", value_parser = line_range)]
    lines: Option<Range<usize>>,
}

/// `A:B`, from 1 and both included, as lines from 0 with an exclusive end.
fn line_range(text: &str) -> Result<Range<usize>, String> {
    let (from, to) = text.split_once(':').ok_or("two line numbers are needed, as in `10:20`")?;
    let number = |part: &str| part.trim().parse::<usize>().map_err(|_| format!("`{part}` is no line number"));
    let (from, to) = (number(from)?, number(to)?);
    if from == 0 || to < from {
        return Err("lines are counted from 1, and the first comes first".into());
    }
    Ok(from - 1..to)
}

pub(super) fn run(args: &FmtArgs, console: &mut Console) -> Outcome {
    let mut code = SUCCESS;
    let mut paths = Vec::new();
    for file in &args.files {
        if let Err(diagnostic) = programs(file, true, &mut paths) {
            console.report(&SourceMap::default(), &diagnostic);
            code = FAILURE;
        }
    }
    if args.lines.is_some() && paths.len() != 1 {
        let message = format!("`--lines` is about one file, and there are {}", paths.len());
        return Err(Box::new(Diagnostic::bare(Code::OptionValue, message)));
    }
    for path in &paths {
        code = code.max(one(args, path, console));
    }
    Ok(code)
}

/// The programs that a path stands for. Links in folders are not followed, and what is hidden is left alone.
fn programs(path: &Path, named: bool, out: &mut Vec<PathBuf>) -> Result<(), Box<Diagnostic>> {
    if path != Path::new("-") && path.is_dir() {
        let mut entries = files::entries(path)?;
        entries.sort();
        for entry in entries {
            let hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
            if !hidden && !entry.is_symlink() {
                programs(&entry, false, out)?;
            }
        }
        return Ok(());
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().into_owned());
    match ending.as_deref() {
        Some("rem" | "fut") => out.push(path.to_path_buf()),
        None if path == Path::new("-") => out.push(path.to_path_buf()),
        _ if named => return Err(Box::new(not_formatted(path, ending.as_deref()))),
        _ => {}
    }
    Ok(())
}

fn not_formatted(path: &Path, ending: Option<&str>) -> Diagnostic {
    let name = files::shown(path);
    let message = format!("`{}` is not formatted: its name ends neither in `.rem` nor in `.fut`", name.escape_debug());
    let help = match ending {
        Some("remc") => "Remora core has no style; `remora core` prints core",
        _ => "for a text without such a name, use standard input: `remora fmt - < FILE`",
    };
    Diagnostic::bare(Code::NotFormatted, message).help(help)
}

/// Formats one file.
fn one(args: &FmtArgs, path: &Path, console: &mut Console) -> u8 {
    let mut sources = SourceMap::default();
    let failed = |console: &mut Console, diagnostic: Diagnostic| {
        console.report(&SourceMap::default(), &diagnostic);
        FAILURE
    };
    let text = match files::read_source(path) {
        Ok(text) => text,
        Err(diagnostic) => return failed(console, *diagnostic),
    };
    let file = sources.add(files::shown(path), text.clone());
    let formatted = match formatted(args, path, file, &text) {
        Ok(formatted) => formatted,
        Err(diagnostics) => {
            console.report_all(&sources, &diagnostics);
            return FAILURE;
        }
    };
    let changed = formatted != text;
    if args.diff && changed {
        console.print(difference(path, &text, &formatted));
    }
    if args.check && changed && !args.diff {
        console.print(format!("{}\n", files::shown(path)));
    }
    if args.check || args.diff {
        return if changed { FAILURE } else { SUCCESS };
    }
    if path == Path::new("-") {
        console.print(formatted);
    } else if changed && let Err(diagnostic) = files::write(path, formatted.as_bytes()) {
        return failed(console, *diagnostic);
    }
    SUCCESS
}

/// The text in the style. What comes from standard input may be of either language: numbers that wrap around in `.fut` files are accepted.
fn formatted(args: &FmtArgs, path: &Path, file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let futhark = path.extension().is_none_or(|ending| ending == "fut");
    match &args.lines {
        None => format::format(file, text, futhark),
        Some(lines) => {
            let count = text.lines().count().max(1);
            if lines.start >= count {
                let (from, to, name) = (lines.start + 1, lines.end, files::shown(path));
                let plural = if count == 1 { "" } else { "s" };
                let message = format!("`--lines {from}:{to}`: `{}` has {count} line{plural}", name.escape_debug());
                return Err(vec![Diagnostic::bare(Code::OptionValue, message)]);
            }
            let edits = format::edits(file, text, futhark, Some(lines.clone()))?;
            Ok(format::apply(text, &edits))
        }
    }
}

fn difference(path: &Path, before: &str, after: &str) -> String {
    let name = files::shown(path);
    let diff = similar::TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(3).header(&name, &format!("{name} (formatted)")).to_string()
}
