//! `remora literate FILE`: a program as a document, with what it computes.

mod page;
mod segments;

use super::native::{self, Options};
use super::output::Console;
use super::program::{Loaded, load_with};
use super::run::{Backend, find_entry};
use super::values::{self, Signature};
use super::{FAILURE, Outcome, SUCCESS, entries, files, plot};
use crate::base::{Code, FileId, SourceMap, Span, Symbol};
use crate::diag::{Diagnostic, Severity};
use crate::driver::{self, backends};
use crate::front::explicit::Printer;
use crate::front::syntax;
use crate::ice;
use crate::interp::entry::Shape;
use crate::ir::core::Define;
use crate::ir::surface::Ast;
use crate::ir::tables::DefId;
use crate::runtime::Value;
use crate::runtime::data::csv;
use backends::Runner;
use clap::Args;
use page::Block;
use segments::{Directive, How, Segment, UnknownWord, segments};
use std::path::{Path, PathBuf};

/// Write a program as a document: its comments as text, and what it computes
#[derive(Debug, Args)]
#[command(
    after_help = "Comments that begin a line are text, in Markdown; blocks of tests are left out. A line in them that begins with `-- >` is computed with all definitions of
the file, and shown:
  -- > f 10                 the value
  -- > :table g 10          a table: a matrix, or vectors side by side in a tuple or record (fields are the names of the columns)
  -- > :plot f 10           a picture that fits the shape of the value; :line, :points, :image, :histogram say which one
                           (Futhark's :plot2d and :img are :plot and :image)
  -- > :infer f             the definition with the maps and replications that were inserted
  -- > :type f              its type

Examples:
  remora literate waves.rem                  writes waves.md, and pictures in waves-pictures
  remora literate waves.rem -o waves.html    one page, with the pictures in it"
)]
pub(super) struct LiterateArgs {
    #[command(flatten)]
    source: super::SourceArg,
    /// The document: .md or .html (default: beside the program, as Markdown)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The back end that computes what is shown
    #[arg(long, value_enum, default_value = "auto", value_name = "BACKEND")]
    backend: Backend,
}

/// Longest value that is shown in full, in bytes of text.
const LONGEST: usize = 4_000;
/// Most rows of a table that are shown.
const MOST_ROWS: usize = 200;

/// Documents that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Markdown,
    Html,
}

pub(super) fn run(args: &LiterateArgs, console: &mut Console) -> Outcome {
    let source = &args.source.file;
    let output = match &args.output {
        Some(output) => output.clone(),
        None => beside(source)?,
    };
    let format = match output.extension().map(|end| end.to_string_lossy().to_lowercase()).as_deref() {
        Some("md") => Format::Markdown,
        Some("html") => Format::Html,
        _ => {
            let message = format!("`{}` cannot be written: the name must end in .md or .html", files::shown(&output).escape_debug());
            return Err(Box::new(Diagnostic::bare(Code::UnwritableResult, message)));
        }
    };
    files::apart(&output, source)?;
    let document = match Document::new(source)? {
        Ok(document) => document,
        Err((sources, diagnostics)) => {
            console.report_all(&sources, &diagnostics);
            return Ok(FAILURE);
        }
    };
    document.loaded.checked.diagnostics.iter().for_each(|diagnostic| document.report(diagnostic, console));
    if document.loaded.checked.failed() {
        return Ok(FAILURE);
    }
    let blocks = match document.blocks(args.backend, console) {
        Ok(blocks) => blocks,
        Err(diagnostics) => {
            diagnostics.iter().for_each(|diagnostic| document.report(diagnostic, console));
            return Ok(FAILURE);
        }
    };
    let stem = output.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    if format == Format::Html {
        files::write(&output, page::page(&document.title(&stem), &blocks).as_bytes())?;
        return Ok(SUCCESS);
    }
    let folder = format!("{stem}-pictures");
    let (text, pictures) = page::markdown(&blocks, &folder);
    let folder = output.with_file_name(folder);
    if !pictures.is_empty() {
        files::make_folder(&folder)?;
    }
    for (name, picture) in pictures {
        files::write(&folder.join(name), picture.as_bytes())?;
    }
    files::write(&output, (MARK.to_string() + &text).as_bytes())?;
    Ok(SUCCESS)
}

/// How documents in Markdown begin, by which they are known when they are written again.
const MARK: &str = "<!-- Written by remora literate. -->\n\n";

/// The document beside a program, which is not one that somebody wrote by hand.
fn beside(source: &Path) -> Result<PathBuf, Box<Diagnostic>> {
    let refused = |message: String| Err(Box::new(Diagnostic::bare(Code::OptionValue, message).help("name the document with `-o`")));
    if source == Path::new("-") {
        return refused("a program from standard input has no name for its document".into());
    }
    let output = source.with_extension("md");
    match output.exists().then(|| files::read(&output)) {
        Some(Ok(before)) if before.starts_with(MARK.as_bytes()) => Ok(output),
        Some(_) => refused(format!("`{}` is there already, and `remora literate` did not write it", files::shown(&output).escape_debug())),
        None => Ok(output),
    }
}

/// Messages, with the texts that they are about.
type Wrong = (SourceMap, Vec<Diagnostic>);

/// A program with entry points behind it for what is shown.
struct Document {
    segments: Vec<Segment>,
    loaded: Loaded,
}

/// The name of the entry point for an expression.
fn name_of(number: usize) -> String {
    format!("literate_{number}")
}

impl Document {
    /// Reads and checks a program. The inner error is what is wrong with what is to be shown.
    fn new(source: &Path) -> Result<Result<Document, Wrong>, Box<Diagnostic>> {
        let mut found = Ok(Vec::new());
        let loaded = load_with(source, &mut |text, behind| {
            found = segments(text);
            let mut more = String::from("\n");
            for (number, directive) in found.iter().flatten().filter_map(computed).enumerate() {
                behind.entry(&mut more, &name_of(number), &directive.what, directive.at.clone());
            }
            more
        })?;
        let wrong: Vec<_> = found.iter().flatten().filter_map(computed).filter_map(|directive| not_one(directive, loaded.root)).collect();
        if !wrong.is_empty() {
            return Ok(Err((loaded.sources, wrong)));
        }
        Ok(match found {
            Ok(segments) => Ok(Document { segments, loaded }),
            Err(UnknownWord(word, at)) => {
                let words: Vec<&str> = How::WORDS.iter().map(|(word, _)| *word).collect();
                let span = Span::new(loaded.root, at.start, at.end);
                let message = format!("`:{}` shows nothing", word.escape_debug());
                let known = format!("what can be shown: {}", words.iter().map(|word| format!("`:{word}`")).collect::<Vec<_>>().join(", "));
                Err((loaded.sources, vec![Diagnostic::error(Code::TestBlock, span, message).help(known)]))
            }
        })
    }

    /// Says something about the program, or about an expression where it was written.
    fn report(&self, diagnostic: &Diagnostic, console: &mut Console) {
        console.report(&self.loaded.sources, &self.loaded.behind.moved(self.loaded.root, diagnostic));
    }

    /// The first heading.
    fn title(&self, otherwise: &str) -> String {
        let heading = |segment: &Segment| match segment {
            Segment::Text(text) => text.lines().find_map(|line| line.strip_prefix("# ").map(str::to_string)),
            Segment::Code(_) | Segment::Shown(_) => None,
        };
        self.segments.iter().find_map(heading).unwrap_or_else(|| otherwise.to_string())
    }

    /// What the document consists of, or everything that is wrong with what is to be shown.
    fn blocks(&self, backend: Backend, console: &mut Console) -> Result<Vec<Block>, Vec<Diagnostic>> {
        let defines: Vec<Result<&Define, _>> = (0..self.loaded.behind.places.len()).map(|number| self.entry(number)).collect();
        let sound: Vec<&Define> = defines.iter().filter_map(|define| define.as_ref().ok().copied()).collect();
        let mut values = match self.values(&sound, backend, console) {
            Ok(values) => values.into_iter(),
            Err(failure) => return Err(defines.into_iter().filter_map(Result::err).chain([failure]).map(|wrong| *wrong).collect()),
        };
        let mut defines = defines.into_iter();
        let mut blocks = Vec::with_capacity(self.segments.len());
        let mut wrong = Vec::new();
        for segment in &self.segments {
            let block = match segment {
                Segment::Text(text) => Ok(Block::Text(text.clone())),
                Segment::Code(code) => Ok(Block::Code(code.clone())),
                Segment::Shown(directive) => match computed(segment).and_then(|_| defines.next()) {
                    Some(Ok(define)) => values.next().transpose().and_then(|value| match value {
                        Some(value) => shown(directive, &value, console).map_err(|diagnostic| Box::new(diagnostic.label(define.span, ""))),
                        None => ice!(define.span, "there is no value of this"),
                    }),
                    Some(Err(refused)) => Err(refused),
                    None => self.looked_up(directive),
                },
            };
            match block {
                Ok(block) => blocks.push(block),
                Err(diagnostic) => wrong.push(*diagnostic),
            }
        }
        if wrong.is_empty() { Ok(blocks) } else { Err(wrong) }
    }

    /// The entry point of an expression, whose value can be shown.
    fn entry(&self, number: usize) -> Result<&Define, Box<Diagnostic>> {
        let define = find_entry(&self.loaded, &name_of(number))?;
        let refused = || {
            let error = Diagnostic::error(
                Code::NotRunnable,
                define.span,
                "this has no value that can be shown: it is, or has in it, a function or an array of boxes",
            );
            Box::new(error.help("show data: scalars, arrays, tuples, records or sums of these"))
        };
        let signature = Signature::of(&self.loaded.checked, define).map_err(|_| refused())?;
        if !signature.is_empty() || values::result_shapes(define).contains(&Shape::Other) {
            return Err(refused());
        }
        Ok(define)
    }

    /// The values of all expressions, compiled as one program, or why one has none.
    fn values(
        &self,
        defines: &[&Define],
        backend: Backend,
        console: &mut Console,
    ) -> Result<Vec<Result<Value, Box<Diagnostic>>>, Box<Diagnostic>> {
        let Loaded { checked, .. } = &self.loaded;
        let names: Vec<Symbol> = defines.iter().map(|define| define.name).collect();
        let options = Options { threads: 0, strict: false };
        let program = match (backend, names.is_empty()) {
            (Backend::Interp, _) | (_, true) => None,
            (Backend::Cuda, false) => Some(native::prepare_on(&self.loaded, &names, None, native::Made::default())?),
            (Backend::Cpu | Backend::Auto, false) => match native::prepare(&self.loaded, &names, &options, None) {
                Ok(program) => Some(program),
                Err(failure) => match backends::next(backend, Runner::Processors, &failure) {
                    Some((_, note)) => {
                        console.progress(&note);
                        None
                    }
                    None => return Err(failure),
                },
            },
        };
        let run = |define: &&Define| match &program {
            Some(program) => program.call(define, &[], Vec::new()),
            None => driver::run(checked, define.name, Vec::new(), None),
        };
        Ok(defines.iter().map(run).collect())
    }

    /// What is known of a definition.
    fn looked_up(&self, directive: &Directive) -> Result<Block, Box<Diagnostic>> {
        let Loaded { sources, checked, root, behind } = &self.loaded;
        let own = || {
            checked
                .program
                .defs
                .iter()
                .filter(|(_, def)| def.span.file == *root && (def.span.end as usize) <= behind.length && def.is_written())
        };
        // Operators may be in parentheses; of several definitions the last one is what expressions see.
        let name = directive.what.trim_start_matches('(').trim_end_matches(')').trim();
        let named: Option<DefId> = own().filter(|(_, def)| def.name.as_str() == name).last().map(|(id, _)| id);
        let Some(def) = named else {
            let known = own().map(|(_, def)| def.name.as_str());
            let unknown = entries::unknown(Code::UnknownDefinition, "definition", name, known);
            return Err(Box::new(unknown.label(Span::new(*root, directive.at.start, directive.at.end), "")));
        };
        let ty = checked.type_of(def).unwrap_or_default();
        let answer = match directive.how {
            How::Infer => Printer::new(&checked.program, sources).pretty(&checked.tables, def, Some(&ty)),
            _ => format!("{} : {ty}", directive.what),
        };
        Ok(Block::Answer { question: directive.what.clone(), answer })
    }
}

/// What is wrong with something that is no expression, or more than one.
fn not_one(directive: &Directive, root: FileId) -> Option<Diagnostic> {
    let mut wrong = syntax::parse_expr(&mut Ast::default(), root, &directive.what).1.into_iter().find(|d| d.severity == Severity::Error)?;
    for label in &mut wrong.labels {
        let moved = |at: u32| (directive.at.start + at as usize).min(directive.at.end);
        label.span = Span::new(root, moved(label.span.start), moved(label.span.end));
    }
    wrong.fixes.clear();
    Some(wrong)
}

/// What is computed, of a segment.
fn computed(segment: &Segment) -> Option<&Directive> {
    match segment {
        Segment::Shown(directive) if !matches!(directive.how, How::Infer | How::Type) => Some(directive),
        Segment::Shown(_) | Segment::Text(_) | Segment::Code(_) => None,
    }
}

/// A value as it is asked for.
fn shown(directive: &Directive, value: &Value, console: &mut Console) -> Result<Block, Box<Diagnostic>> {
    let question = directive.what.clone();
    let kind = match directive.how {
        How::Value | How::Infer | How::Type => {
            let (text, cut) = values::show_beginning(value, LONGEST);
            let answer = if cut { text + " .." } else { text.trim_end().to_string() };
            return Ok(Block::Answer { question, answer });
        }
        How::Table => return table(question, value),
        How::Plot => None,
        How::Line => Some(plot::Kind::Line),
        How::Points => Some(plot::Kind::Points),
        How::Image => Some(plot::Kind::Image),
        How::Histogram => Some(plot::Kind::Histogram),
    };
    Ok(Block::Picture { question, svg: plot::drawn(value, kind, console)? })
}

fn table(question: String, value: &Value) -> Result<Block, Box<Diagnostic>> {
    let refuse = |why: String| Box::new(Diagnostic::bare(Code::UnwritableResult, format!("this is no table: {why}")));
    let (mut rows, named) = csv::rows(value).map_err(refuse)?;
    if rows.len() == usize::from(named) {
        return Ok(Block::Answer { question, answer: "no rows".into() });
    }
    let all = rows.len();
    if all > MOST_ROWS {
        rows.truncate(MOST_ROWS);
        let width = rows.first().map_or(0, Vec::len);
        rows.push((0..width).map(|k| if k == 0 { format!("({} more)", all - MOST_ROWS) } else { String::new() }).collect());
    }
    Ok(Block::Table { question, rows, named })
}
