//! `remora infer FILE.remc`: the explicit form of core written by hand.

use super::infer::Format;
use super::output::Console;
use super::program::Loaded;
use crate::base::{Code, SourceMap, Symbol};
use crate::diag::Diagnostic;
use crate::driver::Stats;
use crate::front::explicit::html;
use crate::front::remc::{Elaborated, Insertion, render};
use crate::ir::core::{Define, print};
use serde::Serialize;

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
    source: String,
    insertions: Vec<String>,
}

/// Prints the definitions of the file, all or those with these names.
pub(super) fn show(
    loaded: &Loaded,
    remc: &Elaborated,
    names: &[String],
    format: Format,
    console: &mut Console,
) -> Result<(), Box<Diagnostic>> {
    let checked = &loaded.checked;
    let own: Vec<&Define> = checked.core.defs.iter().filter(|define| define.span.file == loaded.root).collect();
    let named = |define: &Define, name: &String| checked.source_name(define.name) == Symbol::new(name);
    if let Some(name) = names.iter().find(|name| !own.iter().any(|define| named(define, name))) {
        let known = own.iter().map(|define| checked.source_name(define.name).as_str());
        return Err(Box::new(super::entries::unknown(Code::UnknownDefinition, "definition", name, known)));
    }
    let asked: Vec<&Define> = own.into_iter().filter(|define| names.is_empty() || names.iter().any(|name| named(define, name))).collect();
    match format {
        Format::Source => {
            console.print("(use core)\n");
            for define in &checked.core.defs {
                let library = define.span.file != loaded.root;
                if library || asked.iter().any(|asked| asked.name == define.name) {
                    console.print(format!("\n{}", print::define(define)));
                }
            }
        }
        Format::Html => {
            let text = |define: &Define| html::text(&format!("{}{}", insertions(&loaded.sources, remc, define), print::define(define)));
            let mut page = html::Page::new(&loaded.sources.file(loaded.root).name);
            page.diagnostics(&loaded.sources, &checked.diagnostics);
            asked.iter().for_each(|define| page.html(&text(define)));
            console.print(page.finish());
        }
        Format::Pretty => {
            for (at, define) in asked.iter().enumerate() {
                let gap = if at > 0 { "\n" } else { "" };
                console.print(format!("{gap}{}{}", insertions(&loaded.sources, remc, define), print::define(define)));
            }
        }
        Format::Json => {
            let definitions = asked.iter().map(|define| Definition {
                name: checked.source_name(define.name).to_string(),
                ty: print::ty(&define.ty),
                source: print::define(define),
                insertions: insertions(&loaded.sources, remc, define)
                    .lines()
                    .map(|line| line.trim_start_matches("; ").to_string())
                    .collect(),
            });
            let report = Report { definitions: definitions.collect(), stats: &checked.stats };
            match serde_json::to_string(&report) {
                Ok(text) => console.print(format!("{text}\n")),
                Err(error) => console.progress(&format!("error: {error}")),
            }
        }
    }
    Ok(())
}

/// What was inserted in a definition, a comment each.
fn insertions(sources: &SourceMap, remc: &Elaborated, define: &Define) -> String {
    let inside: Vec<&Insertion> = remc.insertions.iter().filter(|insertion| define.span.contains(insertion.span)).collect();
    render(sources, &inside)
}
