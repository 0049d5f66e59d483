//! Files: what a script prints, and its functions as entry points.

use super::build::{Form, Layout};
use super::error::{Error, ErrorKind, NameError, Result, SignatureError};
use super::functions::{Fun, Func};
use super::machine::{Binding, Files, Frame, Machine, Note};
use super::tree::{self, Script, Signature};
use super::value::{Kind, Val};
use crate::base::{FileId, SourceMap, Span, Symbol};
use crate::diag::Diagnostic;
use crate::front::resolve::Loader;
use crate::ir::core::{Atom, Define, Dim, Expr, ExprKind, Param, Program, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is asked of a script besides what it says itself: an entry point for these arguments.
#[derive(Debug, Clone)]
pub struct Request {
    /// The function.
    pub name: String,
    /// The kinds and ranks of its arguments.
    pub parameters: Vec<Parameter>,
}

/// The type of an argument.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// The kind of its elements.
    pub kind: Kind,
    /// Its sizes: constants or names.
    pub sizes: Vec<std::result::Result<i64, String>>,
}

/// A script made explicit.
#[derive(Debug, Default)]
pub struct Elaborated {
    /// What prints, as `main`, and entry points.
    pub program: Program,
    /// What is wrong, in order of place.
    pub diagnostics: Vec<Diagnostic>,
    /// The definition that prints, if anything does.
    pub main: Option<Symbol>,
    /// The form of the result of each definition: of `main`, a tuple of what it prints if that is not one value.
    pub forms: BTreeMap<Symbol, Form>,
    /// How many values `main` prints.
    pub printed: usize,
    /// The digits of floats in what `main` prints, value by value.
    pub digits: Vec<usize>,
    /// The digits of floats in what other definitions return.
    pub precision: usize,
    /// Functions of the library that are used.
    pub library: BTreeSet<&'static str>,
    /// What was found out, in order of place.
    pub notes: Vec<Note>,
}

/// Makes a script explicit, and the entry point that is asked for.
pub fn program(sources: &SourceMap, loader: &dyn Loader, root: FileId, request: Option<&Request>) -> Elaborated {
    let text = sources.file(root).text.clone();
    let start = Span::new(root, 0, 0);
    let mut script = tree::read(root, &text);
    let mut out = Elaborated { precision: 10, ..Elaborated::default() };
    let mut errors = std::mem::take(&mut script.errors);
    let folder = sources.file(root).name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let read = |name: String| {
        let text = loader.load(&if name.starts_with('/') { name.clone() } else { format!("{folder}{name}") });
        (name, text)
    };
    let files: Rc<Files> = Rc::new(script.files().into_iter().map(read).collect());
    if errors.is_empty() {
        errors = printing(&script, &files, start, &mut out);
    }
    if errors.is_empty() {
        for signature in &script.signatures {
            errors.extend(declared(&script, &files, signature, &mut out).err().map(|error| *error));
        }
        if let Some(request) = request {
            errors.extend(entry((&script, &files), &request.name, &request.parameters, start, &mut out).err().map(|error| *error));
        }
    }
    errors.sort_by_key(|error| (error.at.start, error.at.end));
    out.diagnostics = errors.iter().map(Error::report).collect();
    out
}

/// What the script prints.
fn printing(script: &Script, files: &Rc<Files>, start: Span, out: &mut Elaborated) -> Vec<Error> {
    let frame = Frame::new(None);
    let mut machine = Machine::new(start);
    machine.files = files.clone();
    let mut errors = machine.script(&script.statements, &frame);
    out.notes = std::mem::take(&mut machine.found.notes);
    out.notes.sort_by_key(|note| (note.span.start, note.span.end));
    out.precision = machine.precision as usize;
    out.digits = machine.found.outputs.iter().map(|output| output.digits).collect();
    if !errors.is_empty() {
        return errors;
    }
    let outputs: Vec<Val> = machine.found.outputs.iter().map(|output| output.value.clone()).collect();
    out.printed = outputs.len();
    let whole = script.statements.first().map_or(start, |first| first.span.to(script.statements[script.statements.len() - 1].span));
    let value = if outputs.len() == 1 { outputs[0].clone() } else { Val::Tup(Rc::new(outputs)) };
    let name = Symbol::new("main");
    match finished(&mut machine, &value, whole) {
        Ok((body, layout)) => {
            out.program.defs.append(&mut machine.functions.definitions);
            out.program.defs.push(Define { name, ty: layout.ty(), body, entry: true, recursive: false, span: whole });
            out.forms.insert(name, layout.form);
            out.main = Some(name);
        }
        Err(error) => errors.push(*error),
    }
    out.library.extend(machine.found.library);
    errors
}

/// The body of a definition: its result with what sizes were found out hidden.
fn finished(machine: &mut Machine, value: &Val, span: Span) -> Result<(Expr, Layout)> {
    let form = machine.b.form_within(value, machine.b.depth() - 1);
    machine.b.at = span;
    let layout = machine.joined(&[form], span)?;
    let packed = machine.b.pack(value, &layout)?;
    Ok((machine.b.close(packed), layout))
}

/// The parameters that a script declares for one of its functions, `⍝: name : type`.
pub fn declared_parameters(text: &str, name: &str) -> Option<Vec<Parameter>> {
    let script = tree::read(FileId::default(), text);
    let found = script.signatures.iter().rev().find_map(|signature| signature.parts().filter(|(known, ..)| *known == name));
    found.map(|(_, parameters, _)| parameters)
}

impl Signature {
    /// The name, the parameters and the result as it is written.
    fn parts(&self) -> Option<(&str, Vec<Parameter>, &str)> {
        let (name, ty) = self.text.split_once(':')?;
        let mut parts: Vec<&str> = ty.split("->").map(str::trim).collect();
        let result = parts.pop().filter(|_| (1..=2).contains(&parts.len()))?;
        let parameters = parts.into_iter().map(parameter).collect::<Option<Vec<_>>>()?;
        Some((name.trim(), parameters, result))
    }
}

/// An entry point with a signature.
fn declared(script: &Script, files: &Rc<Files>, signature: &Signature, out: &mut Elaborated) -> Result<()> {
    let wrong = || Error::at(signature.span, SignatureError::Form);
    let (name, parameters, result) = signature.parts().ok_or_else(wrong)?;
    entry((script, files), name, &parameters, signature.span, out)?;
    if result == "_" {
        return Ok(());
    }
    let wanted = parameter(result).ok_or_else(wrong)?;
    let made = out.forms.get(&Symbol::new(name));
    let fits = matches!(made, Some(Form::Arr { kind, shape, .. }) if *kind <= wanted.kind && (kind.is_number() == wanted.kind.is_number()) && shape.len() == wanted.sizes.len());
    if fits {
        return Ok(());
    }
    Err(Error::at(signature.span, SignatureError::Result { name: name.to_string(), declared: result.to_string() }))
}

fn parameter(text: &str) -> Option<Parameter> {
    let mut rest = text.trim();
    let mut sizes = Vec::new();
    while let Some(inner) = rest.strip_prefix('[') {
        let (size, after) = inner.split_once(']')?;
        let size = size.trim();
        sizes.push(match size.parse::<i64>() {
            Ok(number) if number >= 0 => Ok(number),
            _ if !size.is_empty()
                && size.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                && !size.starts_with(|c: char| c.is_ascii_digit()) =>
            {
                Err(size.to_string())
            }
            _ => return None,
        });
        rest = after.trim();
    }
    let kinds = [Kind::Bool, Kind::Int, Kind::Double, Kind::Complex, Kind::Char];
    let kind = kinds.into_iter().find(|kind| kind.name() == rest)?;
    Some(Parameter { kind, sizes })
}

/// A function of the script as a definition of core, for arguments of these types.
fn entry((script, files): (&Script, &Rc<Files>), name: &str, parameters: &[Parameter], span: Span, out: &mut Elaborated) -> Result<()> {
    let frame = Frame::new(None);
    let mut machine = Machine::new(span);
    machine.prints = false;
    machine.functions.defined = out.program.defs.len();
    machine.files = files.clone();
    if let Some(error) = machine.script(&script.statements, &frame).into_iter().next() {
        return Err(Box::new(error));
    }
    let func = match frame.find(name) {
        Some(Binding::Fun(func)) => func,
        _ => {
            let other = frame.names().into_iter().find(|known| matches!(frame.find(known), Some(Binding::Fun(_))));
            return Err(Error::at(span, NameError::NoFunction { name: name.to_string(), other }));
        }
    };
    let mut indices: Vec<Symbol> = Vec::new();
    let mut params = Vec::new();
    let mut values = Vec::new();
    for (at, parameter) in parameters.iter().enumerate() {
        let mut shape = Vec::new();
        for size in &parameter.sizes {
            shape.push(match size {
                Ok(number) => Dim::constant(*number),
                Err(name) => {
                    let name = Symbol::new(name);
                    if !indices.contains(&name) {
                        indices.push(name);
                    }
                    Dim::var(name)
                }
            });
        }
        let known = match (parameters.len(), at) {
            (2, 0) => "alpha".to_string(),
            (1 | 2, _) => "omega".to_string(),
            _ => format!("omega{}", at + 1),
        };
        let param = Symbol::new(&known);
        machine.b.own([param]);
        let ty = super::build::Build::ty(parameter.kind, &shape);
        let expr = machine.b.var(param);
        values.push(Val::Arr(machine.b.named(parameter.kind, shape, expr)));
        params.push((param, ty));
    }
    let (left, right) = match values.len() {
        1 => (None, values.remove(0)),
        2 => (Some(values.remove(0)), values.remove(0)),
        _ => (None, Val::Tup(Rc::new(values))),
    };
    let at = func.written();
    let func = Func { fun: func.fun, span: at };
    let value = machine.call(&func, left, right).map_err(|error| match error.kind {
        ErrorKind::Silent => Error::at(span, NameError::UsesBroken),
        _ => error,
    })?;
    let (body, layout) = finished(&mut machine, &value, span)?;
    let ret = layout.ty();
    let types = params.iter().map(|(_, ty)| Param { name: None, ty: ty.clone() }).collect();
    let ty = Type::fun(types, ret.clone());
    let body = Expr::new(ExprKind::Fn { params, ret, body }, span);
    let (ty, body) = match indices.is_empty() {
        true => (ty, body),
        false => (Type::scalar(Atom::Pi(indices.clone(), ty)), Expr::new(ExprKind::IFn { params: indices, body }, span)),
    };
    let name = Symbol::new(name);
    out.program.defs.retain(|define| define.name != name);
    out.program.defs.append(&mut machine.functions.definitions);
    out.program.defs.push(Define { name, ty, body, entry: true, recursive: false, span });
    out.forms.insert(name, layout.form);
    if out.main == Some(name) {
        out.main = None;
    }
    out.library.extend(machine.found.library);
    Ok(())
}

impl Func {
    /// Where it is written.
    fn written(&self) -> Span {
        match &self.fun {
            Fun::Dfn(closure) => closure.span,
            _ => self.span,
        }
    }
}
