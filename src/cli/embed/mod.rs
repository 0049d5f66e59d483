//! Programs inside of another process: what bindings to other languages use (`python/`).
//!
//! A [`Program`] is checked once. Each of its functions is called by way of an [`Instance`], which is made for the ranks and the types of
//! the elements that the function is called with: the declared ones, or those for which inference inserts maps ([`Program::instance`]).
//! Instances take arrays where they lie, and give away those that they made.
//!
//! Nothing here touches files or processes: the rest of [`cli`](crate::cli) does.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

mod instance;
mod report;
mod values;

pub use crate::base::{PrimType, Scalar, Symbol};
pub use crate::cli::native::{OnDevice, Output, Owned, fall_back_to_compiler, forked};
pub use crate::driver::backends::Backend;
pub use crate::driver::look_for_solver_in;
pub use crate::driver::outside::{Form, Given, Leaf, Named, Returned, Signature};
pub use crate::interp::entry::Shape;
pub use crate::runtime::{Cells, Sum, Value};
use instance::Made;
pub use instance::{Failed, Instance, Operand, SizeError};
pub use report::{Refused, Report};
pub use values::{bytes, copied, fetch};

use crate::base::{Code, SourceMap, ice, with_big_stack};
use crate::cli::files;
use crate::cli::native::{Built, Shared, notes};
use crate::cli::program::Loaded;
use crate::cli::values::callable;
use crate::diag::{Diagnostic, Severity};
use crate::driver;
use crate::driver::backends::{self, Facts, Runner};
pub use crate::front::explicit::html::STYLE;

use crate::front::explicit::{Printer, html};
use crate::front::resolve::Loader;
use crate::front::resolve::normalise;
use crate::ir::core::{Define, Type};
use crate::ir::tables::{Def, DefId, DefKind, Role};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What is held for reading while the compiler works: whoever forks the process holds it for writing, so that in the new process nobody
/// seems to be in the middle of something.
static AT_WORK: RwLock<()> = RwLock::new(());

/// Waits until the compiler does not work in this process, and keeps it from that as long as the guard lives.
pub fn quiet() -> RwLockWriteGuard<'static, ()> {
    AT_WORK.write().unwrap_or_else(PoisonError::into_inner)
}

fn at_work() -> RwLockReadGuard<'static, ()> {
    AT_WORK.read().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the compiler: on a stack that is deep enough, and with internal errors as what they are.
fn work<R: Send>(work: impl FnOnce() -> Result<R, Refused> + Send) -> Result<R, Refused> {
    let _working = at_work();
    with_big_stack(|| ice::catch(work)).unwrap_or_else(|bug| Err(Refused::one(&SourceMap::default(), &driver::internal(&bug))))
}

/// The command line with these arguments, the first of which is the name of the program; its exit code. `started` is what starts it again:
/// a command and its first arguments.
pub fn command(started: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    crate::cli::run_within(started, arguments)
}

/// The texts of a program: its own, and those that it imports, as they were when they were first read.
struct Texts {
    path: String,
    text: Arc<str>,
    imports: Mutex<BTreeMap<String, String>>,
}

impl Texts {
    fn imports(&self) -> BTreeMap<String, String> {
        self.imports.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Loader for Texts {
    fn load(&self, path: &str) -> Result<String, String> {
        if path == self.path {
            return Ok(self.text.to_string());
        }
        let mut imports = self.imports.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = imports.get(path) {
            return Ok(text.clone());
        }
        let text = files::read_import(Path::new(path)).map_err(|diagnostic| diagnostic.message)?;
        imports.insert(path.to_string(), text.clone());
        Ok(text)
    }
}

/// How instances are made and run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// The number of threads; 0 for one per processor.
    pub threads: usize,
    /// Whether floating-point results must be the same to the last bit as the evaluator's.
    pub strict: bool,
    /// What runs the functions. [`Backend::Auto`] compiles for processors what can be compiled, and the evaluator runs the rest; with
    /// [`Backend::Cpu`] and [`Backend::Cuda`] that is refused.
    pub backend: Backend,
}

/// A checked program.
pub struct Program {
    texts: Texts,
    loaded: Arc<Loaded>,
    settings: Settings,
    functions: Vec<Function>,
    /// What is to be said about the program although it is accepted.
    pub warnings: Vec<Report>,
}

/// A function that can be called from outside.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its documentation comment.
    pub doc: Option<String>,
    /// Its type in the notation of the language.
    pub ty: String,
    /// Whether it was declared with `entry`.
    pub entry: bool,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it takes and returns, if that are scalars and arrays whose sizes are plain names.
    pub signature: Option<Signature>,
    def: Option<DefId>,
    define: Symbol,
    /// Whether it can be compiled as it is: nothing of its type is open.
    closed: bool,
}

/// A parameter of a function.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name, or `argument_1` for the first without one.
    pub name: String,
    /// What it looks like.
    pub form: Form,
}

/// What was inserted, as text and for a browser.
#[derive(Debug, Clone)]
pub struct Inserted {
    /// The text of `remora infer`.
    pub text: String,
    /// The same as HTML.
    pub html: String,
}

/// The file that stands for a program whose own name is no part of an `import`.
const ALIAS: &str = "remora_program.rem";

impl Program {
    /// Reads a program and checks it.
    ///
    /// # Errors
    /// What is wrong with the file, or with the program.
    pub fn load(path: &Path, settings: Settings) -> Result<Program, Refused> {
        let text = files::read_source(path).map_err(|diagnostic| Refused::one(&SourceMap::default(), &diagnostic))?;
        Program::new(&files::shown(path), &text, BTreeMap::new(), settings)
    }

    /// Checks the program with this text. What it imports is read from files, unless `imports` has it; `path` says where it would stand.
    ///
    /// # Errors
    /// What is wrong with the program.
    pub fn new(path: &str, text: &str, imports: BTreeMap<String, String>, settings: Settings) -> Result<Program, Refused> {
        let texts = Texts { path: normalise(path), text: text.into(), imports: Mutex::new(imports) };
        work(move || {
            let loaded = check(&texts, &texts.path, text)?;
            let warnings = loaded.checked.diagnostics.iter().filter(|d| d.severity == Severity::Warning);
            let warnings = warnings.map(|diagnostic| Report::new(&loaded.sources, diagnostic)).collect();
            let functions = functions(&loaded);
            Ok(Program { texts, loaded: Arc::new(loaded), settings, functions, warnings })
        })
    }

    /// The path.
    pub fn path(&self) -> &str {
        &self.texts.path
    }
    /// The text.
    pub fn text(&self) -> &str {
        &self.texts.text
    }
    /// The texts of what it imports, by their paths.
    pub fn imports(&self) -> BTreeMap<String, String> {
        self.texts.imports()
    }
    /// How instances are made and run.
    pub fn settings(&self) -> Settings {
        self.settings
    }
    /// The functions: those that are declared with `entry`, or all if there are none.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// A definition with its type and what was inserted in it, as `remora infer` shows it; all of them without a name.
    pub fn infer(&self, name: Option<&str>) -> String {
        let checked = &self.loaded.checked;
        let printer = Printer::new(&checked.program, &self.loaded.sources);
        let pretty = |id| printer.pretty(&checked.tables, id, checked.type_of(id).as_deref());
        self.shown(name).map(pretty).collect::<Vec<_>>().join("\n")
    }

    /// The definitions of the file itself, or those of this name.
    fn shown<'a>(&'a self, name: Option<&'a str>) -> impl Iterator<Item = DefId> + 'a {
        let own = self.loaded.checked.program.defs.iter().filter(move |(id, def)| {
            let named = name.is_none_or(|name| def.name.as_str() == name);
            let written = def.file == self.loaded.root && def.is_written() && matches!(def.decl, DefKind::Def(_));
            named && written && self.loaded.checked.ranked(*id)
        });
        own.map(|(id, _)| id)
    }

    /// The definition of this name with everything that was inserted, as source.
    pub fn explicit(&self, name: &str) -> Option<String> {
        let function = self.functions.iter().find(|function| function.name == name)?;
        let printer = Printer::new(&self.loaded.checked.program, &self.loaded.sources);
        Some(printer.source(&self.loaded.checked.tables, function.def?))
    }

    /// A definition with what was inserted marked, for a browser; all of them without a name. [`STYLE`] says how it looks.
    pub fn html(&self, name: Option<&str>) -> String {
        let checked = &self.loaded.checked;
        let printer = Printer::new(&checked.program, &self.loaded.sources);
        let shown: Vec<DefId> = self.shown(name).collect();
        let inner = checked.inner_types(&shown);
        let definition = |(id, inner)| html::definition(&printer, &checked.tables, id, checked.type_of(id).as_deref(), inner);
        shown.into_iter().zip(&inner).map(definition).collect()
    }

    /// The function, as it is called with such arguments.
    ///
    /// # Errors
    /// What is wrong with the call: there may be no way to insert maps, or several.
    pub fn instance(&self, function: &Function, given: &[Given]) -> Result<Instance, Refused> {
        let as_declared = function.params.iter().zip(given).all(|(param, given)| param.form.is_declared(given));
        work(move || {
            let explicit = self.loaded.checked.remc.is_some() || self.loaded.checked.apl.is_some();
            let direct = function.closed && (as_declared || explicit);
            let (loaded, define, inserted) = match direct {
                true => {
                    let inserted = Inserted { text: self.infer(Some(&function.name)), html: self.html(Some(&function.name)) };
                    (self.loaded.clone(), function.define, inserted)
                }
                false => {
                    let (loaded, define, inserted) = self.call(function, given)?;
                    (Arc::new(loaded), define, inserted)
                }
            };
            let define = find(&loaded, define).ok_or_else(|| Refused::said(Code::UnknownDefinition, "the definition is not there"))?;
            let instance = self.finish(loaded, &define, inserted)?;
            // What is called is called with just these.
            match instance.params.len() == given.len() && instance.params.iter().zip(given).all(|(form, given)| form.is_declared(given)) {
                true => Ok(instance),
                false => Err(Refused::said(Code::UnfitArguments, "the parts of an array of tuples are arrays, all of them")),
            }
        })
    }

    /// The program that calls a function with such arguments, what calls it there, and what was inserted.
    fn call(&self, function: &Function, given: &[Given]) -> Result<(Loaded, Symbol, Inserted), Refused> {
        let folder = self.path().rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let base = self.path().rsplit('/').next().unwrap_or_default();
        let plain = base.strip_suffix(".rem").is_some_and(|stem| {
            !stem.is_empty() && stem.chars().all(|c| c.is_alphanumeric() || "_-. ".contains(c)) && !stem.starts_with('.')
        });
        // Only text that is the program's own, in its own folder, is found by that name.
        let own = Texts {
            path: if plain { self.path().to_string() } else { format!("{folder}{ALIAS}") },
            text: self.texts.text.clone(),
            imports: Mutex::new(self.imports()),
        };
        let import = own.path.rsplit('/').next().unwrap_or_default().trim_end_matches(".rem").to_string();
        let text = format!("import \"{import}\"\n{}\n", calling(function, given));
        let loaded = check(&own, &format!("{folder}<call of {}>", function.name), &text)?;
        let name = Symbol::new(CALL);
        let def = loaded.checked.program.defs.iter().filter(|(_, def)| def.file == loaded.root && def.name == name).last();
        let (id, def) = def.ok_or_else(|| Refused::said(Code::UnknownDefinition, "the call is not there"))?;
        let printer = Printer::new(&loaded.checked.program, &loaded.sources);
        let ty = loaded.checked.type_of(id);
        let text = printer.pretty(&loaded.checked.tables, id, ty.as_deref());
        let inner = loaded.checked.inner_types(&[id]).pop().unwrap_or_default();
        let html = html::definition(&printer, &loaded.checked.tables, id, ty.as_deref(), &inner);
        let unique = def.unique;
        Ok((loaded, unique, Inserted { text, html }))
    }

    /// Compiles a definition; the evaluator runs what cannot be compiled.
    fn finish(&self, loaded: Arc<Loaded>, define: &Define, inserted: Inserted) -> Result<Instance, Refused> {
        let refuse = |diagnostic: Box<Diagnostic>| Refused::one(&loaded.sources, &diagnostic);
        callable(&loaded.checked, define, "Python").map_err(refuse)?;
        let names = loaded.checked.parameter_names(define.name);
        let traced = loaded.checked.core.attributes.traces.iter().any(|(span, _)| span.file == loaded.root);
        let backend = self.settings.backend;
        let facts = Facts { shows_boxes: false, traced, built: None };
        let (runner, note) = backends::first(backend, facts);
        let mut said: Vec<String> = note.map(str::to_string).into_iter().collect();
        let compiled = match runner {
            Runner::Evaluator => None,
            Runner::Device => Some(on_device(&loaded, define).map_err(|failure| refuse(for_python(failure)))?),
            // A device is only used where it is asked for.
            Runner::Processors | Runner::Fastest => match compiled(&loaded, define, self.settings) {
                Ok(shared) => Some(shared),
                Err(failure) => {
                    let (_, note) = backends::next(backend, Runner::Processors, &failure).ok_or_else(|| refuse(failure))?;
                    said.push(note);
                    None
                }
            },
        };
        said.extend(notes::take());
        let sources = Arc::new(loaded.sources.clone());
        let loaded = if compiled.is_some() { None } else { Some(loaded) };
        let made = Made { names, compiled, loaded, sources, settings: self.settings, inserted, notes: said };
        Ok(Instance::new(define, made))
    }
}

/// Checks a text with what it imports.
fn check(texts: &Texts, path: &str, text: &str) -> Result<Loaded, Refused> {
    let mut sources = SourceMap::default();
    let root = sources.add(path, text);
    let checked = driver::check(&mut sources, texts, root);
    if checked.failed() {
        Err(Refused::new(&sources, &checked.diagnostics))
    } else {
        Ok(Loaded { sources, root, checked, behind: Default::default() })
    }
}

/// The functions of a program that can be called from outside.
fn functions(loaded: &Loaded) -> Vec<Function> {
    let all: Vec<Function> =
        if loaded.checked.remc.is_some() || loaded.checked.apl.is_some() { core_functions(loaded) } else { written_functions(loaded) };
    let declared = all.iter().any(|function| function.entry);
    let mut out: Vec<Function> = Vec::new();
    for function in all {
        // Definitions hide earlier ones of the same name, but not entry points.
        let is_hidden = |other: &Function| other.name == function.name;
        if !declared || function.entry {
            out.retain(|other| !is_hidden(other));
            out.push(function);
        }
    }
    out
}

fn written_functions(loaded: &Loaded) -> Vec<Function> {
    let checked = &loaded.checked;
    let own = checked.program.defs.iter().filter(|(_, def)| def.file == loaded.root && def.role == Role::Plain);
    let function = |(id, def): (DefId, &Def)| {
        let (DefKind::Def(decl), Some(scheme)) = (&def.decl, checked.schemes.get(id)) else { return None };
        let params = parameters(scheme.ty.interface().0.iter().map(|param| &param.ty), &checked.parameter_names(def.unique));
        let open = |param: &Param| matches!(param.form, Form::Any { .. });
        let closed = scheme.types.is_empty() && !params.iter().any(open);
        Some(Function {
            name: def.name.to_string(),
            doc: decl.doc.map(|doc| doc.to_string()),
            ty: checked.type_of(id).unwrap_or_default(),
            entry: decl.entry,
            params,
            signature: Signature::of(&scheme.ty),
            def: Some(id),
            define: def.unique,
            closed,
        })
    };
    own.filter_map(function).collect()
}

fn core_functions(loaded: &Loaded) -> Vec<Function> {
    let checked = &loaded.checked;
    let own = checked.core.defs.iter().filter(|define| define.span.file == loaded.root);
    let function = |define: &Define| Function {
        name: checked.source_name(define.name).to_string(),
        doc: None,
        ty: crate::front::elaborate::show_type(&define.ty),
        entry: false,
        signature: None,
        params: parameters(define.ty.interface().0.iter().map(|param| &param.ty), &checked.parameter_names(define.name)),
        def: None,
        define: define.name,
        closed: true,
    };
    own.map(function).collect()
}

fn parameters<'a>(types: impl Iterator<Item = &'a Type>, names: &[Option<Symbol>]) -> Vec<Param> {
    let param = |(at, ty): (usize, &Type)| Param {
        name: names.get(at).copied().flatten().map_or_else(|| format!("argument_{}", at + 1), |name| name.to_string()),
        form: Form::new(ty, 0),
    };
    types.enumerate().map(param).collect()
}

/// The definition of this name in core.
fn find(loaded: &Loaded, name: Symbol) -> Option<Define> {
    loaded.checked.core.defs.iter().rfind(|define| define.name == name).cloned()
}

/// What a function is called by where inference finds out how.
const CALL: &str = "call";

/// An entry point that calls a function with arguments of certain types.
fn calling(function: &Function, given: &[Given]) -> String {
    let (mut params, mut args) = (String::new(), String::new());
    for (at, (param, given)) in function.params.iter().zip(given).enumerate() {
        // A parameter that is called like the function would hide it.
        let named = param.name != function.name && function.params.iter().filter(|other| other.name == param.name).count() == 1;
        let name = if named { param.name.clone() } else { format!("{}_{}", param.name, at + 1) };
        let _ = write!(params, " ({name}: {})", param.form.annotation(given));
        let _ = write!(args, " {name}");
    }
    format!("entry {CALL}{params} = {}{args}", function.name)
}

fn on_device(loaded: &Loaded, define: &Define) -> Result<Shared, Box<Diagnostic>> {
    Shared::new(Built::for_device(loaded, &[define.name])?, define, 0)
}

/// What a diagnostic says of options, as those of Python.
fn for_python(mut diagnostic: Box<Diagnostic>) -> Box<Diagnostic> {
    for help in &mut diagnostic.help {
        *help = help.replace("--backend cpu", "backend=\"cpu\"").replace("--backend interp", "backend=\"interp\"");
    }
    diagnostic
}

fn compiled(loaded: &Loaded, define: &Define, settings: Settings) -> Result<Shared, Box<Diagnostic>> {
    Shared::new(Built::new(loaded, &[define.name], settings.strict)?, define, settings.threads)
}
