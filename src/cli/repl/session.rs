//! What has been entered so far, and the programs that expressions are evaluated in.
//!
//! Definitions are kept as text. An expression becomes the body of an entry point behind them; the variables that it names are its parameters,
//! with the types and sizes of their values. So a session knows no more than a file that was written in the same way.

use super::input::defined;
use super::written;
use crate::base::{Code, FileId, SourceMap, Span, Symbol};
use crate::cli::files;
use crate::cli::run::find_entry_in;
use crate::diag::Diagnostic;
use crate::driver::{self, Checked};
use crate::front::resolve::Loader;
use crate::front::syntax::lexer::{Tok, lex};
use crate::ir::core::Define;
use crate::ir::tables::DefId;
use crate::runtime::Value;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The entry point that an expression becomes.
pub const IT: &str = "it";

/// A variable with its value.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: String,
    pub value: Value,
    /// The type of the value, with its sizes.
    pub ty: String,
}

/// Something that was entered.
#[derive(Debug, Clone)]
pub struct Input {
    /// Its number.
    pub number: usize,
    pub text: String,
    /// The values that it names, as definitions in front of it.
    pub values: String,
}

impl Input {
    pub fn new(number: usize, text: &str) -> Input {
        Input { number, text: text.to_string(), values: String::new() }
    }
}

/// Everything that was entered.
#[derive(Default)]
pub struct Session {
    /// Programs whose definitions are visible.
    pub loaded: Vec<PathBuf>,
    pub definitions: Vec<Input>,
    pub variables: Vec<Variable>,
    files: Files,
}

/// Files that programs import, as they were when they were first read.
#[derive(Default)]
pub struct Files {
    texts: RefCell<FxHashMap<String, String>>,
}

impl Loader for Files {
    fn load(&self, path: &str) -> Result<String, String> {
        if let Some(text) = self.texts.borrow().get(path) {
            return Ok(text.clone());
        }
        let text = files::read_import(Path::new(path)).map_err(|diagnostic| diagnostic.message)?;
        self.texts.borrow_mut().insert(path.to_string(), text.clone());
        Ok(text)
    }
}

/// A text that is part of a program, and where it begins in it.
struct Piece {
    start: usize,
    input: Input,
}

/// A program that was made of what was entered, checked.
pub struct Made {
    pub sources: SourceMap,
    pub root: FileId,
    pub checked: Checked,
    /// The variables that are its arguments.
    pub arguments: Vec<Value>,
    pieces: Vec<Piece>,
    /// What is shown in place of the program: what was entered, each input a file.
    shown: SourceMap,
    numbers: Vec<FileId>,
}

impl Session {
    /// Forgets what files looked like.
    pub fn reload(&mut self) {
        self.files.texts.borrow_mut().clear();
    }

    /// The session's program with one more input: definitions, or the expression that `it` stands for.
    pub fn make(&self, input: &Input, expression: bool) -> Made {
        let mut text = String::new();
        for path in &self.loaded {
            let path = path.with_extension("").display().to_string();
            text.push_str(&format!("import {}\n", crate::front::syntax::print::string_literal(&path)));
        }
        let mut pieces = Vec::new();
        for definition in &self.definitions {
            text.push_str(&definition.values);
            pieces.push(Piece { start: text.len(), input: definition.clone() });
            text.push_str(&definition.text);
            text.push('\n');
        }
        let mut arguments = Vec::new();
        if expression {
            let used = names(&input.text);
            let wanted = self.variables.iter().filter(|variable| used.contains(&variable.name));
            text.push_str(&format!("entry {IT}"));
            for Variable { name, value, ty } in wanted {
                text.push_str(&format!(" ({name}: {ty})"));
                arguments.push(value.clone());
            }
            text.push_str(" =\n");
        }
        text.push_str(&input.values);
        pieces.push(Piece { start: text.len(), input: input.clone() });
        text.push_str(&input.text);
        text.push('\n');
        let mut sources = SourceMap::default();
        let here = std::env::current_dir().unwrap_or_default();
        let root = sources.add(here.join("input").display().to_string(), text);
        let checked = driver::check(&mut sources, &self.files, root);
        let mut shown = SourceMap::default();
        for (_, file) in sources.files() {
            shown.add(file.name.clone(), file.text.clone());
        }
        let name = |piece: &Piece| format!("input {}", piece.input.number);
        let numbers = pieces.iter().map(|piece| shown.add(name(piece), piece.input.text.clone() + "\n")).collect();
        Made { sources, root, checked, arguments, pieces, shown, numbers }
    }

    /// Definitions that are entered, with the values that they name: as these are now, whatever the names mean later.
    pub fn with_values(&self, mut input: Input) -> Input {
        let used = names(&input.text);
        for Variable { name, value, ty } in self.variables.iter().filter(|variable| used.contains(&variable.name)) {
            if let Some(value) = written::source(value) {
                input.values.push_str(&format!("def {name} : {ty} = {value}\n"));
            }
        }
        input
    }

    /// A kept value that a definition names and cannot know, although something that was defined before has its name: it would mean that.
    pub fn misread(&self, text: &str) -> Option<String> {
        let used = names(text);
        let defines =
            |input: &Input, name: &str| defined(&format!("{}{}", input.values, input.text)).iter().any(|other| other.as_str() == name);
        let named = self.variables.iter().filter(|variable| used.contains(&variable.name) && written::source(&variable.value).is_none());
        named.map(|variable| &variable.name).find(|name| self.definitions.iter().any(|input| defines(input, name))).cloned()
    }

    /// What is said of a name that definitions do not know, if there is a value of that name.
    pub fn unknown(&self, name: &str) -> Option<String> {
        let variable = self.variables.iter().find(|variable| variable.name == name)?;
        let (name, ty) = (&variable.name, &variable.ty);
        let most = written::MOST;
        Some(format!(
            "definitions know kept values of real numbers, at most {most} of them; make `({name}: {ty})` a parameter, and give it `{name}`"
        ))
    }

    /// Binds a variable; a definition of the same name is hidden by it in expressions.
    pub fn bind(&mut self, name: &str, value: Value) -> Result<(), String> {
        let ty = type_of(&value, 0).ok_or("its value is, or has in it, a function, a sum or a box")?;
        self.variables.retain(|variable| variable.name != name);
        self.variables.push(Variable { name: name.to_string(), value, ty });
        Ok(())
    }

    /// Adds definitions that were accepted. They hide variables of the same names.
    pub fn define(&mut self, input: Input, names: &[Symbol]) {
        self.variables.retain(|variable| !names.iter().any(|name| name.as_str() == variable.name));
        self.definitions.push(input);
    }
}

impl Made {
    /// The entry point of the expression.
    pub fn entry(&self) -> Result<&Define, Box<Diagnostic>> {
        find_entry_in(&self.checked, self.root, IT)
    }

    /// A message with its places in what was entered.
    pub fn shown(&self, mut diagnostic: Diagnostic) -> (Diagnostic, &SourceMap) {
        for label in &mut diagnostic.labels {
            label.span = self.place(label.span);
        }
        (diagnostic, &self.shown)
    }

    fn place(&self, span: Span) -> Span {
        if span.file != self.root {
            return span;
        }
        let after = self.pieces.partition_point(|piece| piece.start <= span.start as usize);
        // What was written around an expression is the beginning of the expression.
        let at = after.saturating_sub(1);
        let (piece, file) = (&self.pieces[at], self.numbers[at]);
        let end = piece.input.text.len() + 1;
        let moved = |byte: u32| (byte as usize).saturating_sub(piece.start).min(end);
        if span.start as usize > piece.start + end {
            let (next, file) = (self.pieces.get(after).unwrap_or(piece), self.numbers.get(after).copied().unwrap_or(file));
            return Span::new(file, 0, next.input.text.len().min(1));
        }
        Span::new(file, moved(span.start), moved(span.end))
    }

    /// How many lines stand before the input in which something is.
    pub fn lines_before(&self, place: Span) -> usize {
        let at = self.pieces.iter().rev().find(|piece| piece.start <= place.end as usize).or(self.pieces.last());
        self.sources.file(self.root).text[..at.map_or(0, |piece| piece.start)].matches('\n').count()
    }

    /// The definition of this name that was entered last.
    pub fn definition(&self, name: Symbol) -> Option<DefId> {
        let defs = self.checked.program.defs.iter();
        defs.filter(|(_, def)| def.file == self.root && def.name == name).map(|(id, _)| id).last()
    }

    /// A failure that is no fault of what was entered.
    pub fn is_interrupt(diagnostic: &Diagnostic) -> bool {
        diagnostic.code == Code::Interrupted
    }
}

/// All names in a text.
fn names(text: &str) -> Vec<String> {
    let lexed = lex(FileId(0), text);
    let named = lexed.tokens.iter().filter(|token| token.tok == Tok::Ident);
    named.map(|token| text[token.start as usize..token.end as usize].to_string()).collect()
}

/// The type of a value without its first `frame` dimensions; `None` for what has no type that can be written for certain.
fn type_of(value: &Value, frame: usize) -> Option<String> {
    let dims = |dims: &[usize]| dims.iter().skip(frame).map(|n| format!("[{n}]")).collect::<String>();
    match value {
        Value::Scalar(scalar) => Some(scalar.prim().to_string()),
        Value::Array(array) => Some(format!("{}{}", dims(array.dims()), array.prim())),
        Value::Tuple(tuple) => {
            let parts: Option<Vec<String>> = tuple.parts.iter().map(|part| type_of(part, tuple.frame.len())).collect();
            let parts = parts?;
            let inner = match &tuple.labels {
                None => format!("({})", parts.join(", ")),
                Some(labels) => {
                    let fields: Vec<String> = labels.iter().zip(parts).map(|(label, part)| format!("{label}: {part}")).collect();
                    format!("{{{}}}", fields.join(", "))
                }
            };
            Some(dims(&tuple.frame) + &inner)
        }
        Value::Cells(_) | Value::Box(_) | Value::Sum(_) | Value::Opaque(_) => None,
    }
}

/// The values of a data file: one, or a tuple of several.
pub fn read_data(path: &str) -> Result<Value, Box<Diagnostic>> {
    use crate::runtime::data::{Expected, Stream};
    let source = format!("`{path}`");
    let bytes = files::read_data(Path::new(path))?;
    let mut stream = Stream::new(&source, &bytes);
    let mut values = Vec::new();
    while values.is_empty() || !stream.at_end() {
        let Some((prim, rank)) = stream.kind() else {
            let message = format!("{source} holds no value that can be read without its type");
            return Err(Box::new(Diagnostic::bare(Code::MalformedData, message)));
        };
        values.push(stream.next(&Expected::new(format!("the value in {source}"), prim, rank))?);
    }
    Ok(if values.len() == 1 { values.remove(0) } else { Value::tuple(values) })
}
