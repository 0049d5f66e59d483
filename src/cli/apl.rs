//! APL scripts on the command line: how results are printed, and what `infer` shows.

use super::files;
use super::infer::Format;
use super::output::Console;
use super::program::{Loaded, load_apl};
use crate::base::scalar::convert;
use crate::base::{Code, Scalar, Symbol};
use crate::diag::Diagnostic;
use crate::driver::Checked;
use crate::front::apl::{Elaborated, Form, Kind, Note, Parameter, Request, declared_parameters};
use crate::front::explicit::html;
use crate::ir::core::{Atom, Define, print};
use crate::runtime::data::apl::{self, Nesting};
use crate::runtime::{Value, data::Stream};
use serde::Serialize;
use std::path::Path;

/// A result as APL prints it; nothing if the program is not APL.
pub fn shown(checked: &Checked, name: Symbol, value: &Value) -> Option<String> {
    let elaborated = checked.apl.as_ref()?;
    let form = elaborated.forms.get(&name)?;
    let main = elaborated.main == Some(name);
    let printed = if main { elaborated.printed } else { 1 };
    match form {
        Form::Tup(parts) if printed != 1 => {
            let mut leaves = apl::leaves(value).into_iter();
            let mut out = String::new();
            for (part, digits) in parts.iter().zip(&elaborated.digits) {
                let count = count(part);
                let own: Vec<Value> = leaves.by_ref().take(count).collect();
                out.push_str(&apl::write(&Value::tuple(own), &nesting(part), *digits)?);
            }
            Some(out)
        }
        form => {
            let digits = elaborated.digits.first().filter(|_| main).copied().unwrap_or(elaborated.precision);
            apl::write(value, &nesting(form), digits)
        }
    }
}

fn count(form: &Form) -> usize {
    match form {
        Form::Arr { .. } => 1,
        Form::Tup(parts) => parts.iter().map(count).sum(),
        Form::Rag { .. } => 2,
    }
}

fn nesting(form: &Form) -> Nesting {
    match form {
        Form::Arr { levels, .. } => Nesting::Array(levels.clone()),
        Form::Tup(parts) => Nesting::Tuple(parts.iter().map(nesting).collect()),
        Form::Rag { .. } => Nesting::Rows,
    }
}

/// What was found out about a glyph, for tools.
#[derive(Serialize)]
struct Found<'a> {
    line: usize,
    column: usize,
    source: &'a str,
    found: &'a str,
}

/// What can be run, for tools.
#[derive(Serialize)]
struct Definition {
    name: String,
    #[serde(rename = "type")]
    ty: String,
}

impl Definition {
    fn line(&self) -> String {
        format!("⍝ {} : {}\n", self.name, self.ty)
    }
}

#[derive(Serialize)]
struct Report<'a> {
    definitions: Vec<Definition>,
    glyphs: Vec<Found<'a>>,
}

/// `remora infer FILE.apl`: each line with what was found out about its glyphs, then the types of what can be run; of these names only the types.
///
/// # Errors
/// Where there is nothing of such a name.
pub(super) fn infer(
    loaded: &Loaded,
    elaborated: &Elaborated,
    names: &[String],
    format: Format,
    console: &mut Console,
) -> Result<(), Box<Diagnostic>> {
    let own = || loaded.checked.core.defs.iter().filter(|define| define.span.file == loaded.root);
    for name in names {
        if !own().any(|define| define.name == Symbol::new(name)) {
            let known = own().map(|define| define.name.as_str());
            return Err(Box::new(super::entries::unknown(Code::UnknownDefinition, "definition", name, known)));
        }
    }
    let asked = |define: &&Define| names.is_empty() || names.iter().any(|name| define.name == Symbol::new(name));
    let definitions =
        own().filter(asked).map(|define| Definition { name: define.name.to_string(), ty: print::ty(&define.ty) }).collect::<Vec<_>>();
    match format {
        Format::Pretty if !names.is_empty() => definitions.iter().for_each(|define| console.print(define.line())),
        Format::Source => {
            console.print("(use core)\n");
            for define in &loaded.checked.core.defs {
                console.print(format!("\n{}", print::define(define)));
            }
        }
        Format::Pretty => console.print(annotated(loaded, elaborated, &definitions)),
        Format::Html => {
            let text = html::text(&annotated(loaded, elaborated, &definitions));
            let mut page = html::Page::new(&loaded.sources.file(loaded.root).name);
            page.diagnostics(&loaded.sources, &loaded.checked.diagnostics);
            page.html(&text);
            console.print(page.finish());
        }
        Format::Json => {
            let glyphs = elaborated.notes.iter().map(|note: &Note| {
                let (line, column) = loaded.sources.line_column(note.span);
                Found { line, column, source: loaded.sources.snippet(note.span), found: &note.text }
            });
            match serde_json::to_string(&Report { glyphs: glyphs.collect(), definitions }) {
                Ok(text) => console.print(format!("{text}\n")),
                Err(error) => console.progress(&format!("error: {error}")),
            }
        }
    }
    Ok(())
}

/// The script with what was found out below each line.
fn annotated(loaded: &Loaded, elaborated: &Elaborated, definitions: &[Definition]) -> String {
    let text = &loaded.sources.file(loaded.root).text;
    let mut out = String::new();
    let mut notes = elaborated.notes.iter().peekable();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        out.push_str(&format!("{}\n", line.trim_end()));
        let mut seen: Vec<String> = Vec::new();
        while let Some(note) = notes.next_if(|note| (note.span.start as usize) < end) {
            let column = text[start..note.span.start as usize].chars().count() + 1;
            let glyph: String = loaded.sources.snippet(note.span).lines().next().unwrap_or("").chars().take(12).collect();
            let shown = format!("⍝ {column}: {glyph} {}\n", note.text);
            // A function that is called often is shown once for each type.
            if !seen.contains(&shown) {
                out.push_str(&shown);
                seen.push(shown);
            }
        }
        start = end;
    }
    definitions.iter().for_each(|define| out.push_str(&define.line()));
    out
}

/// Reads a script with its function `name` as an entry point for these words, and the words as literals; nothing after errors.
pub(super) fn load(
    path: &Path,
    name: &str,
    words: &[&str],
    console: &mut Console,
) -> Result<Option<(Loaded, Vec<String>)>, Box<Diagnostic>> {
    let declared = declared_parameters(&files::read_source(path)?, name).filter(|declared| declared.len() == words.len());
    let fitting: Option<Vec<String>> = match &declared {
        Some(declared) => {
            words.iter().zip(declared).enumerate().map(|(at, (word, wanted))| fitted(word, at, wanted)).collect::<Result<_, _>>()?
        }
        None => None,
    };
    let (parameters, literals) = match (declared, fitting) {
        (Some(declared), Some(literals)) => (declared, literals),
        _ => words.iter().enumerate().map(|(at, word)| argument(word, at)).collect::<Result<Vec<_>, _>>()?.into_iter().unzip(),
    };
    let loaded = load_apl(path, &Request { name: name.to_string(), parameters })?;
    console.report_all(&loaded.sources, &loaded.checked.diagnostics);
    Ok(if loaded.checked.failed() { None } else { Some((loaded, literals)) })
}

/// The words for an entry point of a script, as literals of the surface language where they are written as in APL.
pub(super) fn literals(entry: &Define, words: &[String]) -> Vec<String> {
    let (params, _) = entry.ty.interface();
    let literal = |at: usize, word: &String| {
        let ty = &params.get(at)?.ty;
        let Atom::Prim(prim) = ty.atom() else { return None };
        let sizes = ty.shape().items.iter().map(|_| Err(String::new())).collect();
        let wanted = Parameter { kind: Kind::of(*prim)?, sizes };
        fitted(word, at, &wanted).ok().flatten()
    };
    words.iter().enumerate().map(|(at, word)| literal(at, word).unwrap_or_else(|| word.clone())).collect()
}

/// A word as a literal of this type, if it is one: kinds are widened, and one number may be a vector.
fn fitted(word: &str, at: usize, wanted: &Parameter) -> Result<Option<String>, Box<Diagnostic>> {
    let Word { kind, rank, items } = read_word(word, at)?;
    let rank_fits = rank == wanted.sizes.len() || rank == 0 && wanted.sizes.len() == 1;
    let Some(items) = items else {
        // A file says what it holds.
        return Ok((kind == wanted.kind && rank_fits).then(|| word.to_string()));
    };
    let narrower = kind > wanted.kind && !items.is_empty();
    if !rank_fits || narrower || kind.is_number() != wanted.kind.is_number() {
        return Ok(None);
    }
    Ok(Some(literal(&items, wanted.kind, wanted.sizes.is_empty())))
}

/// An argument: a file of data, or a word as APL writes it.
struct Word {
    kind: Kind,
    rank: usize,
    /// Its elements, where they are written.
    items: Option<Vec<Scalar>>,
}

/// The type of an argument, and how the surface language writes it.
fn argument(word: &str, at: usize) -> Result<(Parameter, String), Box<Diagnostic>> {
    let Word { kind, rank, items } = read_word(word, at)?;
    let sizes = (0..rank).map(|axis| Err(format!("n{}_{axis}", at + 1))).collect();
    let text = items.map_or(word.to_string(), |items| literal(&items, kind, rank == 0));
    Ok((Parameter { kind, sizes }, text))
}

fn read_word(word: &str, at: usize) -> Result<Word, Box<Diagnostic>> {
    let malformed = |why: &str| Diagnostic::bare(Code::MalformedData, format!("argument {}: {why}", at + 1));
    let refuse = |why: &str| Box::new(malformed(why).help("write `3`, `1 2.5 ¯3`, `⍬`, `'text'`, or name a .npy file"));
    if word.ends_with(".npy") || word.ends_with(".npy.gz") {
        let bytes = files::read_data(Path::new(word))?;
        let (prim, rank) = Stream::new(word, &bytes).kind().ok_or_else(|| refuse("the file is not in the format .npy"))?;
        let kind = Kind::of(prim).ok_or_else(|| {
            let why = format!("elements of type {prim} have no kind in APL: there are bool, i64, f64, c128 and u32 for characters");
            Box::new(malformed(&why).help("convert the array, `a.astype(numpy.float64)`"))
        })?;
        return Ok(Word { kind, rank, items: None });
    }
    if let Some(text) = word.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        let items = text.replace("''", "'").chars().map(|c| Scalar::U32(c as u32)).collect();
        return Ok(Word { kind: Kind::Char, rank: 1, items: Some(items) });
    }
    if word.trim() == "⍬" {
        return Ok(Word { kind: Kind::Int, rank: 1, items: Some(Vec::new()) });
    }
    let text = word.replace('¯', "-");
    let numbers: Vec<&str> = text.split_whitespace().collect();
    let whole: Option<Vec<Scalar>> = numbers.iter().map(|number| number.parse().ok().map(Scalar::I64)).collect();
    let floats: Option<Vec<Scalar>> = numbers.iter().map(|number| number.parse().ok().map(Scalar::F64)).collect();
    let (kind, items) = match (whole, floats) {
        (Some(whole), _) if !whole.is_empty() => (Kind::Int, whole),
        (None, Some(floats)) => (Kind::Double, floats),
        _ => return Err(refuse(&format!("`{}` is no number", crate::diag::visible_name(word)))),
    };
    Ok(Word { kind, rank: usize::from(items.len() != 1), items: Some(items) })
}

/// Elements in the notation of the surface language.
fn literal(items: &[Scalar], kind: Kind, scalar: bool) -> String {
    let prim = kind.prim();
    let items: Vec<String> = items.iter().map(|item| convert(prim, *item).to_string()).collect();
    match (scalar, items.as_slice()) {
        (true, [one]) => one.clone(),
        (_, []) => format!("empty([0]{})", prim.name()),
        _ => format!("[{}]", items.join(", ")),
    }
}
