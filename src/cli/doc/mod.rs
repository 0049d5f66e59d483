//! `remora doc FILE...`: pages about programs and libraries, from their documentation comments.

mod page;

use super::output::Console;
use super::program::{self, Disk, Loaded};
use super::{FAILURE, Outcome, SUCCESS, files};
use crate::base::{Code, SourceMap};
use crate::diag::Diagnostic;
use crate::driver;
use crate::editor::Analysis;
use crate::editor::document::{self, Item, Part};
use crate::front::resolve::library_paths;
use clap::Args;
use std::path::{Path, PathBuf};

/// Write pages about programs and libraries: types, documentation comments, sources
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora doc geometry.rem                writes doc/index.html, and a page for the file
  remora doc geometry.rem shapes.rem -o build/doc
  remora doc --library                   the prelude and the whole library
  remora doc lib/np lib/stats            some of it

A comment that begins with `-- |` documents what follows it. A line `-- > expression` in it is an example, the lines after it up to an empty one are its
results; `remora test --examples geometry.rem` tests them. Words in `backquotes` are code. The first comment of a file is about the file.

The pages need nothing but each other: no network, no server.")]
pub(super) struct DocArgs {
    /// Programs, or parts of the library: `lib/np`, `prelude`
    #[arg(value_name = "FILE", required_unless_present = "library")]
    files: Vec<String>,
    /// The prelude and the whole library
    #[arg(long)]
    library: bool,
    /// The folder for the pages
    #[arg(short, long, value_name = "DIR", default_value = "doc")]
    output: PathBuf,
}

/// A file with what it documents.
struct File {
    /// How it is imported, or its name.
    name: String,
    /// The name of its page.
    page: String,
    about: Vec<Part>,
    items: Vec<Item>,
}

pub(super) fn run(args: &DocArgs, console: &mut Console) -> Outcome {
    let library = args.library.then(|| std::iter::once("prelude").chain(library_paths())).into_iter().flatten();
    let mut found: Vec<File> = Vec::new();
    let mut code = SUCCESS;
    for name in library.map(str::to_string).chain(args.files.iter().cloned()) {
        if found.iter().any(|file| file.name == name) {
            continue;
        }
        let analysis = if name == "prelude" || library_paths().any(|path| path == name) {
            Some(of_library(&name))
        } else {
            let Loaded { sources, root, checked, .. } = program::load(Path::new(&name))?;
            console.report_all(&sources, &checked.diagnostics);
            (!checked.failed()).then(|| Analysis::of(sources, root, checked))
        };
        let Some(analysis) = analysis else {
            code = FAILURE;
            continue;
        };
        if analysis.is_core() {
            let message = format!("`{}` is core, which has no documentation comments", files::shown(Path::new(&name)));
            return Err(Box::new(Diagnostic::bare(Code::OptionValue, message)));
        }
        let page = page_of(&name, &found);
        found.push(File { name, page, about: document::about(analysis.text()), items: document::items(&analysis) });
    }
    if found.is_empty() {
        return Ok(code);
    }
    files::make_folder(&args.output)?;
    let names = page::Names::of(&found);
    for file in &found {
        files::write(&args.output.join(&file.page), page::page(file, &names).as_bytes())?;
    }
    files::write(&args.output.join("index.html"), page::index(&found).as_bytes())?;
    files::write(&args.output.join("search.js"), page::search(&found).as_bytes())?;
    files::write(&args.output.join("style.css"), page::STYLE.as_bytes())?;
    console.progress(&format!("{} pages in {}", found.len() + 1, files::shown(&args.output)));
    Ok(code)
}

/// A part of the library.
fn of_library(name: &str) -> Analysis {
    let mut sources = SourceMap::default();
    let text = if name == "prelude" { String::new() } else { format!("import \"{name}\"\n") };
    let root = sources.add("library", text);
    let checked = driver::check(&mut sources, &Disk, root);
    let file = format!("stdlib/{name}.rem");
    match Analysis::of(sources, root, checked).about(&file) {
        Some(analysis) => analysis,
        None => crate::ice!(crate::base::Span::default(), "the library has no {file}"),
    }
}

/// The name of a page that no other file has.
fn page_of(name: &str, others: &[File]) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let stem: String = name.trim_end_matches(".rem").trim_end_matches(".fut").trim_start_matches("./").chars().map(plain).collect();
    let taken = |page: &str| page == "index.html" || others.iter().any(|other| other.page == page);
    let first = format!("{stem}.html");
    if !taken(&first) {
        return first;
    }
    (2..).map(|n| format!("{stem}-{n}.html")).find(|page| !taken(page)).unwrap_or(first)
}
