//! `remora infer FILE`.

use super::output::Console;
use super::program::{Loaded, load};
use super::{FAILURE, Outcome, SUCCESS, SourceArg, files};
use crate::base::{Code, Span, Symbol};
use crate::diag::Diagnostic;
use crate::driver::Stats;
use crate::editor::{Analysis, rename, rewrite};
use crate::front::explicit::html::Page;
use crate::front::explicit::{self, ApplicationReport, Printer};
use crate::ir::surface::Decl;
use crate::ir::tables::{Def, DefId, DefKind};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;

/// Show the program with every inserted `map` and `rep`
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora infer program.rem
  remora infer program.rem --def norm --def mean
  remora infer program.rem --format source > explicit.rem
  remora infer program.rem --format html -o program.html
  remora infer program.rem --format json | jq .stats")]
pub(super) struct InferArgs {
    #[command(flatten)]
    source: SourceArg,
    /// Show only this definition (may be repeated)
    #[arg(long, value_name = "NAME")]
    def: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value = "pretty", value_name = "FORMAT")]
    format: Format,
    /// Write it to this file instead of standard output; a page also where the program has errors
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show it again whenever the program, or what it imports, changes
    #[arg(long)]
    watch: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Each definition with its type and its insertions
    Pretty,
    /// One JSON object: types, costs, insertions and solver statistics
    Json,
    /// The fully explicit program, which is valid input
    Source,
    /// A page for a browser: the source with what was inserted marked, drawings of frames and cells, the readings of what is ambiguous
    Html,
}

#[derive(Serialize)]
struct Report<'a> {
    definitions: Vec<Definition>,
    stats: &'a Stats,
}

#[derive(Serialize)]
struct Definition {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    cost: u32,
    source: String,
    applications: Vec<ApplicationReport>,
}

pub(super) fn run(args: &InferArgs, console: &mut Console) -> Outcome {
    if args.watch {
        return super::watch::run(std::slice::from_ref(&args.source.file), console, |console| once(args, console));
    }
    once(args, console)
}

fn once(args: &InferArgs, console: &mut Console) -> Outcome {
    let Some(path) = &args.output else { return shown_once(args, console) };
    files::apart(path, &args.source.file)?;
    console.collect();
    let outcome = shown_once(args, console);
    let text = console.collected();
    if outcome.is_ok() {
        files::write(path, &text)?;
    }
    outcome
}

fn shown_once(args: &InferArgs, console: &mut Console) -> Outcome {
    let loaded = load(&args.source.file)?;
    let Loaded { sources, checked, .. } = &loaded;
    console.report_all(sources, &checked.diagnostics);
    if let Some(apl) = &checked.apl {
        super::apl::infer(&loaded, apl, &args.def, args.format, console)?;
        return Ok(if checked.failed() { FAILURE } else { SUCCESS });
    }
    if let Some(remc) = &checked.remc {
        super::infer_core::show(&loaded, remc, &args.def, args.format, console)?;
        return Ok(if checked.failed() { FAILURE } else { SUCCESS });
    }
    let defs = wanted(&loaded, &args.def, console)?;
    match args.format {
        Format::Json => print_json(&loaded, &defs, console),
        Format::Pretty => {
            let printer = Printer::new(&checked.program, sources);
            for (i, def) in defs.iter().enumerate() {
                let gap = if i > 0 { "\n" } else { "" };
                let ty = checked.type_of(*def);
                console.print(format!("{gap}{}", printer.pretty(&checked.tables, *def, ty.as_deref())));
            }
        }
        Format::Source => {
            let code = if checked.failed() { FAILURE } else { SUCCESS };
            console.print(source(loaded, &defs));
            return Ok(code);
        }
        Format::Html => console.print(page(&loaded, &defs, args.def.is_empty())),
    }
    Ok(if checked.failed() { FAILURE } else { SUCCESS })
}

/// The definitions of the file itself whose insertions are known: all, or those asked for by name.
fn wanted(loaded: &Loaded, names: &[String], console: &mut Console) -> Result<Vec<DefId>, Box<Diagnostic>> {
    let checked = &loaded.checked;
    let own: Vec<DefId> = shown(loaded).collect();
    for name in names {
        if !own.iter().any(|id| checked.program.defs[*id].name == Symbol::new(name)) {
            let known = own.iter().map(|id| checked.program.defs[*id].name.as_str());
            return Err(Box::new(super::entries::unknown(Code::UnknownDefinition, "definition", name, known)));
        }
    }
    let asked = |id: &DefId| names.is_empty() || names.iter().any(|name| checked.program.defs[*id].name == Symbol::new(name));
    let (accepted, refused): (Vec<DefId>, Vec<DefId>) = own.into_iter().filter(asked).partition(|id| checked.ranked(*id));
    for def in &refused {
        console.progress(&format!("note: `{}` has errors and is not shown", checked.program.defs[*def].name));
    }
    Ok(accepted)
}

/// The file for a browser: all of it, or only these definitions.
fn page(loaded: &Loaded, defs: &[DefId], whole: bool) -> String {
    let Loaded { sources, checked, root, .. } = loaded;
    let printer = Printer::new(&checked.program, sources);
    let mut page = Page::new(&sources.file(*root).name);
    page.diagnostics(sources, &checked.diagnostics);
    let place = |def: DefId| checked.program.defs[def].decl_span();
    let mut defs = defs.to_vec();
    defs.sort_by_key(|def| place(*def));
    let inner = checked.inner_types(&defs);
    let mut at = 0;
    for (def, inner) in defs.into_iter().zip(&inner) {
        let span = place(def);
        if whole && at < span.start {
            page.between(sources, *root, at, span.start);
        }
        page.definition(&printer, &checked.tables, def, checked.type_of(def).as_deref(), inner);
        at = at.max(span.end);
    }
    if whole {
        page.refused(shown(loaded).filter(|def| !checked.ranked(*def)).count());
        page.between(sources, *root, at, sources.file(*root).text.len() as u32);
    }
    page.finish()
}

fn print_json(loaded: &Loaded, defs: &[DefId], console: &mut Console) {
    let Loaded { sources, checked, .. } = loaded;
    let printer = Printer::new(&checked.program, sources);
    let definitions = defs.iter().map(|def| {
        let applications = explicit::applications(&checked.program, sources, &checked.tables, *def);
        Definition {
            name: checked.program.defs[*def].name.to_string(),
            ty: checked.type_of(*def).unwrap_or_else(|| printer.type_of(&checked.tables, *def)),
            cost: applications.iter().map(|a| a.maps + a.reps - a.induced).sum(),
            source: printer.source(&checked.tables, *def),
            applications,
        }
    });
    let mut definitions: Vec<Definition> = definitions.collect();
    // The sources together are a program: what they need of other files comes first.
    if let Some(first) = definitions.first_mut() {
        let imports = absolute_imports(loaded).into_iter().map(|(_, path)| format!("import \"{path}\"\n"));
        first.source.insert_str(0, &imports.collect::<String>());
    }
    let report = Report { definitions, stats: &checked.stats };
    match serde_json::to_string(&report) {
        Ok(text) => console.print(format!("{text}\n")),
        Err(error) => console.progress(&format!("error: {error}")),
    }
}

/// The definitions of the file itself as they were written.
fn shown(loaded: &Loaded) -> impl Iterator<Item = DefId> {
    let written = |def: &Def| def.file == loaded.root && def.is_written() && matches!(def.decl, DefKind::Def(_));
    loaded.checked.program.defs.iter().filter(move |(_, def)| written(def)).map(|(id, _)| id)
}

/// The explicit program: the file with its definitions replaced, everything between them as written.
fn source(loaded: Loaded, defs: &[DefId]) -> String {
    let all = shown(&loaded).count();
    let imports = absolute_imports(&loaded).into_iter().map(|(span, path)| (span, format!("\"{path}\"")));
    let imports: Vec<(Span, String)> = imports.collect();
    let analysis = Analysis::of(loaded.sources, loaded.root, loaded.checked);
    if defs.len() < all {
        let own = |def: &DefId| {
            let at = analysis.checked.program.defs[*def].decl_span();
            let edits = rewrite::explicit_definition(&analysis, *def);
            rename::apply_from(analysis.sources.snippet(at), at.start, &edits).trim_end().to_string() + "\n"
        };
        return defs.iter().map(own).collect();
    }
    let mut edits: Vec<(Span, String)> = defs.iter().flat_map(|def| rewrite::explicit_definition(&analysis, *def)).chain(imports).collect();
    edits.sort_by_key(|(span, _)| span.start);
    rename::apply(analysis.text(), &edits)
}

/// The imports of the file itself, with paths that hold wherever the explicit program is put. Parts of the standard library keep
/// their names.
fn absolute_imports(loaded: &Loaded) -> Vec<(Span, String)> {
    let Loaded { sources, checked, root, .. } = loaded;
    let Some(unit) = checked.program.units.iter().find(|unit| unit.source.file == *root) else { return Vec::new() };
    let folder = std::path::Path::new(&sources.file(*root).name).parent().unwrap_or(std::path::Path::new("")).to_path_buf();
    let mut out = Vec::new();
    for decl in &unit.source.decls {
        let mut decl = decl;
        while let Decl::Local(inner) = decl {
            decl = inner;
        }
        let Decl::Import(import) = decl else { continue };
        let path = import.path.as_str();
        let file = ["", ".rem", ".fut"].iter().map(|ending| folder.join(format!("{path}{ending}"))).find(|file| file.is_file());
        let absolute = file.and_then(|file| std::path::absolute(file).ok());
        let shown = absolute.map_or(path.to_string(), |file| file.with_extension("").display().to_string());
        out.push((import.path_span, shown));
    }
    out
}
