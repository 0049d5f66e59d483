//! APL scripts on the command line: how results are printed, and what `infer` shows.

use super::files;
use super::infer::Format;
use super::output::Console;
use super::program::{Loaded, load_apl};
use crate::base::{Code, PrimType, Symbol};
use crate::diag::Diagnostic;
use crate::driver::Checked;
use crate::front::apl::{Elaborated, Form, Kind, Note, Parameter, Request};
use crate::front::explicit::html;
use crate::ir::core::{Define, print};
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
    let mut parameters = Vec::new();
    let mut literals = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (parameter, literal) = argument(word, at)?;
        parameters.push(parameter);
        literals.push(literal);
    }
    let loaded = load_apl(path, &Request { name: name.to_string(), parameters })?;
    console.report_all(&loaded.sources, &loaded.checked.diagnostics);
    Ok(if loaded.checked.failed() { None } else { Some((loaded, literals)) })
}

/// The type of an argument, and how the surface language writes it: a file of data, or a word as APL writes it.
fn argument(word: &str, at: usize) -> Result<(Parameter, String), Box<Diagnostic>> {
    let malformed = |why: &str| Diagnostic::bare(Code::MalformedData, format!("argument {}: {why}", at + 1));
    let refuse = |why: &str| Box::new(malformed(why).help("write `3`, `1 2.5 ¯3`, `'text'`, or name a .npy file"));
    let sizes = |rank: usize| (0..rank).map(|axis| Err(format!("n{}_{axis}", at + 1))).collect();
    if word.ends_with(".npy") || word.ends_with(".npy.gz") {
        let bytes = files::read_data(Path::new(word))?;
        let (prim, rank) = Stream::new(word, &bytes).kind().ok_or_else(|| refuse("the file is not in the format .npy"))?;
        let kind = Kind::of(prim).ok_or_else(|| {
            let why = format!("elements of type {prim} have no kind in APL: there are bool, i64, f64, c128 and u32 for characters");
            Box::new(malformed(&why).help("convert the array, `a.astype(numpy.float64)`"))
        })?;
        return Ok((Parameter { kind, sizes: sizes(rank) }, word.to_string()));
    }
    if let Some(text) = word.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        let codes: Vec<String> = text.replace("''", "'").chars().map(|c| format!("{}u32", c as u32)).collect();
        return Ok((Parameter { kind: Kind::Char, sizes: sizes(1) }, literal(&codes, "u32", false)));
    }
    let text = word.replace('¯', "-");
    let numbers: Vec<&str> = text.split_whitespace().collect();
    let whole = numbers.iter().all(|number| number.parse::<i64>().is_ok());
    if numbers.is_empty() || !whole && numbers.iter().any(|number| number.parse::<f64>().is_err()) {
        return Err(refuse(&format!("`{}` is no number", crate::diag::visible_name(word))));
    }
    let (kind, prim) = if whole { (Kind::Int, PrimType::I64) } else { (Kind::Double, PrimType::F64) };
    let items: Vec<String> = numbers
        .iter()
        .map(|number| if whole { format!("{number}i64") } else { format!("{:?}f64", number.parse::<f64>().unwrap_or_default()) })
        .collect();
    let single = items.len() == 1;
    Ok((Parameter { kind, sizes: sizes(usize::from(!single)) }, literal(&items, prim.name(), single)))
}

fn literal(items: &[String], prim: &str, scalar: bool) -> String {
    match (scalar, items) {
        (true, [one]) => one.clone(),
        (_, []) => format!("empty([0]{prim})"),
        _ => format!("[{}]", items.join(", ")),
    }
}
