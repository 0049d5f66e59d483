//! `remora build FILE --target python`: a package of Python's that has the program compiled, for several kinds of processors, and needs neither
//! remora nor a compiler.

use super::files;
use super::native::build::{self, Machine};
use super::program::Loaded;
use super::values::callable;
use crate::base::poly::Poly;
use crate::base::{Code, PrimType, Symbol};
use crate::diag::Diagnostic;
use crate::driver::outside::{Extent, Form, Plan, Returned, numpy_name};
use crate::driver::{self, Native};
use crate::ir::core::{Define, DimAtom};
use crate::ir::soac::{Fun, Var};
use crate::ir::tables::{Def, DefKind};
use rustc_hash::FxHashMap;
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::hash::Hash;
use std::path::Path;

/// What the package consists of besides the program: the same files as in the package `remora`.
const RUNTIME: [(&str, &str); 3] = [
    ("_errors.py", include_str!("../../python/remora/_errors.py")),
    ("_support.py", include_str!("../../python/remora/_support.py")),
    ("_shipped.py", include_str!("../../python/remora/_shipped.py")),
];

/// The variants of the library, each for all processors that can do as much.
const VARIANTS: &[(&str, Machine)] = if cfg!(target_arch = "x86_64") {
    &[
        ("baseline", Machine::Named("-march=x86-64")),
        ("avx2", Machine::Named("-march=x86-64-v3")),
        ("avx512", Machine::Named("-march=x86-64-v4")),
    ]
} else {
    &[("baseline", Machine::Any)]
};

/// Words that are no names in Python.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
    "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try",
    "while", "with", "yield",
];

fn is_name(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain && !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty() && !KEYWORDS.contains(&text)
}

/// Writes a package with these entry points to a folder that is called like it.
///
/// # Errors
/// E0603: it cannot be written; E0613: an entry point takes or returns what these packages cannot; E0801, E0615.
pub(super) fn package(folder: &Path, loaded: &Loaded, entries: &[Symbol], strict: bool) -> Result<(), Box<Diagnostic>> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if !is_name(&name) {
        let message = format!("`{}` is no name for a package of Python", name.escape_debug());
        return Err(Box::new(Diagnostic::bare(Code::UnwritableResult, message).help("name a folder with `-o`: letters, digits and `_`")));
    }
    let native = driver::compile(&loaded.sources, &loaded.checked, entries, strict)?;
    let described = entries.iter().map(|entry| function(loaded, &native, *entry)).collect::<Result<Vec<_>, _>>()?;
    let places: Vec<String> = native.places.iter().map(|place| shown(loaded, place)).collect();
    let description = json!({ "machine": std::env::consts::ARCH, "functions": described, "places": places });
    let inner = folder.join(&name);
    std::fs::create_dir_all(&inner).map_err(|error| {
        let message = format!("the folder `{}` cannot be made: {error}", files::shown(&inner).escape_debug());
        Box::new(Diagnostic::bare(Code::UnwritableResult, message))
    })?;
    for (variant, machine) in VARIANTS {
        let made = build::library_for(&native.text, strict, *machine)?;
        files::write(&inner.join(format!("_{variant}.so")), &files::read(made.path())?)?;
    }
    for (file, text) in RUNTIME {
        files::write(&inner.join(file), text.as_bytes())?;
    }
    files::write(&inner.join("_description.json"), description.to_string().as_bytes())?;
    files::write(&inner.join("__init__.py"), init(&described).as_bytes())?;
    files::write(&inner.join("__init__.pyi"), stubs(&described).as_bytes())?;
    files::write(&inner.join("py.typed"), b"")?;
    files::write(&folder.join("pyproject.toml"), project(&name).as_bytes())?;
    files::write(&folder.join("setup.py"), SETUP.as_bytes())
}

fn shown(loaded: &Loaded, place: &driver::FailurePlace) -> String {
    let span = place.own.unwrap_or(place.span);
    if span == Default::default() { String::new() } else { loaded.sources.place(span) }
}

/// What is needed to call a function.
fn function(loaded: &Loaded, native: &Native, entry: Symbol) -> Result<Json, Box<Diagnostic>> {
    let checked = &loaded.checked;
    let define = checked.core.defs.iter().rfind(|define| define.name == entry);
    let found = native.program.funs.iter().find(|(_, fun)| fun.entry && fun.name == entry);
    let (Some(define), Some((id, fun))) = (define, found) else {
        return Err(Box::new(Diagnostic::bare(Code::UnknownDefinition, format!("there is no definition `{entry}`"))));
    };
    callable(checked, define, "Python")?;
    let name = checked.source_name(entry);
    let (params, result) = define.ty.interface();
    let forms: Vec<Form> = params.iter().map(|param| Form::new(&param.ty, 0)).collect();
    let returned = Returned::new(result);
    if !is_name(name.as_str()) || !forms.iter().all(Form::is_plain) || !returned.is_plain() {
        let message = format!("`{name}` cannot be called from a package of Python");
        let help = "give it a name that is one in Python, and take and return scalars, arrays, tuples and records of these";
        return Err(Box::new(Diagnostic::error(Code::NotRunnable, define.span, message).help(help)));
    }
    let names = checked.parameter_names(entry);
    let called = |at: usize| names.get(at).copied().flatten().map_or_else(|| format!("argument_{}", at + 1), |name| name.to_string());
    let params: Vec<Json> = forms.iter().enumerate().map(|(at, form)| json!({ "name": called(at), "form": form_json(form) })).collect();
    let (doc, ty) = written(loaded, define);
    let plan = Plan::new(&define.ty);
    let mut prims = Vec::new();
    forms.iter().for_each(|form| leaves(form, &mut prims));
    let operand = |(taken, prim): (&driver::outside::Taken, &PrimType)| {
        let extents: Vec<Json> = taken.extents.iter().map(|extent| extent_json(extent, &plan.atoms)).collect();
        json!({ "dtype": numpy_name(*prim), "extents": extents, "value": taken.value })
    };
    let operands: Vec<Json> = plan.taken.iter().zip(&prims).map(operand).collect();
    Ok(json!({
        "name": name.as_str(), "doc": doc, "type": ty, "entry": id.raw(), "params": params, "operands": operands,
        "indices": plan.indices, "seen": plan.seen, "results": results(native, fun), "returned": returned_json(&returned),
    }))
}

/// The documentation of a definition, and its type.
fn written(loaded: &Loaded, define: &Define) -> (Option<String>, String) {
    let checked = &loaded.checked;
    let found = checked.program.defs.iter().filter(|(_, def)| def.unique == define.name).last();
    let doc = |def: &Def| match &def.decl {
        DefKind::Def(decl) => decl.doc.map(|doc| doc.to_string()),
        DefKind::Val(_) => None,
    };
    found.map_or((None, String::new()), |(id, def)| (doc(def), checked.type_of(id).unwrap_or_default()))
}

fn leaves(form: &Form, out: &mut Vec<PrimType>) {
    match form {
        Form::Leaf(leaf) => out.push(leaf.prim),
        Form::Tuple { parts, .. } => parts.iter().for_each(|part| leaves(part, out)),
        Form::Sum(_) | Form::Any { .. } => {}
    }
}

fn results(native: &Native, fun: &Fun) -> Vec<Json> {
    let mut next = 0;
    let mut place = |var: &Var| {
        let words = native.program.ty(*var).words();
        next += words;
        (*var, next - words)
    };
    let places: FxHashMap<Var, usize> = fun.params.iter().chain(&fun.results).map(&mut place).collect();
    let result = |var| {
        let ty = native.program.ty(var);
        let shape: Vec<Json> = ty.shape.iter().map(|size| terms(size, &places)).collect();
        json!({ "dtype": numpy_name(ty.elem), "shape": shape })
    };
    fun.results.iter().map(|var| result(*var)).collect()
}

/// A polynomial as a list of factors with the numbers of what they are multiplied by.
fn terms<A: Copy + Ord + Hash>(poly: &Poly<A>, numbers: &FxHashMap<A, usize>) -> Json {
    let term = |(atoms, factor): (&[A], i64)| {
        let atoms: Vec<usize> = atoms.iter().filter_map(|atom| numbers.get(atom).copied()).collect();
        json!([factor, atoms])
    };
    poly.terms().map(term).collect()
}

fn extent_json(extent: &Extent, atoms: &FxHashMap<DimAtom, usize>) -> Json {
    match extent {
        Extent::New(number) => json!(["new", number]),
        Extent::Known(number) => json!(["known", number]),
        Extent::Computed(dim) => json!(["computed", terms(dim, atoms)]),
    }
}

fn form_json(form: &Form) -> Json {
    match form {
        Form::Leaf(leaf) => json!(["array", numpy_name(leaf.prim), leaf.rank]),
        Form::Tuple { labels, rank, parts } => {
            json!(["tuple", labels_json(labels.as_deref()), rank, parts.iter().map(form_json).collect::<Vec<_>>()])
        }
        // Refused before.
        Form::Sum(_) | Form::Any { .. } => Json::Null,
    }
}

fn returned_json(returned: &Returned) -> Json {
    match returned {
        Returned::Leaf | Returned::Sum => json!("leaf"),
        Returned::Hidden(count, content) => json!(["hidden", count, returned_json(content)]),
        Returned::Tuple(labels, parts) => {
            json!(["tuple", labels_json(labels.as_deref()), parts.iter().map(returned_json).collect::<Vec<_>>()])
        }
    }
}

fn labels_json(labels: Option<&[Symbol]>) -> Option<Vec<&'static str>> {
    labels.map(|labels| labels.iter().map(|label| label.as_str()).collect())
}

/// What an item of a description says as text.
fn text<'a>(of: &'a Json, key: &str) -> &'a str {
    of[key].as_str().unwrap_or_default()
}

fn init(functions: &[Json]) -> String {
    let mut out = String::from(
        "\"\"\"Made by `remora build --target python`. The functions take and return NumPy arrays.\"\"\"\n\nimport os as _os\n\n\
         from ._errors import ArgumentError, OutOfMemory, RemoraError, RunTimeError\nfrom ._shipped import functions as _functions\n\n\
         _library, _all = _functions(_os.path.dirname(_os.path.abspath(__file__)))\n\n",
    );
    for function in functions {
        let name = text(function, "name");
        let _ = writeln!(out, "# {name} : {}\n{name} = _all[\"{name}\"]", text(function, "type"));
    }
    let names: Vec<String> = functions.iter().map(|function| format!("\"{}\"", text(function, "name"))).collect();
    let _ = writeln!(out, "\n__all__ = [{}, \"ArgumentError\", \"OutOfMemory\", \"RemoraError\", \"RunTimeError\"]", names.join(", "));
    out
}

/// The types of the functions for those who check.
fn stubs(functions: &[Json]) -> String {
    let mut out = String::from(
        "\"\"\"Made by `remora build --target python`.\"\"\"\n\nfrom typing import Any\n\nimport numpy as np\nimport numpy.typing as npt\n\n\
         from ._errors import ArgumentError as ArgumentError, OutOfMemory as OutOfMemory\n\
         from ._errors import RemoraError as RemoraError, RunTimeError as RunTimeError\n\n",
    );
    for function in functions {
        let params = function["params"].as_array().into_iter().flatten();
        let param = |(at, param): (usize, &Json)| {
            let name = Some(text(param, "name")).filter(|name| is_name(name)).map_or_else(|| format!("argument_{at}"), str::to_string);
            let ty = match (param["form"][0].as_str(), param["form"][1].as_str(), param["form"][2].as_u64()) {
                (Some("array"), Some("bool"), Some(0)) => "bool | np.bool",
                (Some("array"), Some(dtype), Some(0)) if dtype.starts_with("float") => "float | np.floating[Any] | npt.NDArray[Any]",
                (Some("array"), Some(dtype), Some(0)) if dtype.starts_with("complex") => "complex | np.inexact[Any] | npt.NDArray[Any]",
                (Some("array"), _, Some(0)) => "int | np.integer[Any] | npt.NDArray[Any]",
                (Some("array"), ..) => "npt.ArrayLike",
                _ => "Any",
            };
            format!("{name}: {ty}, ")
        };
        let params: String = params.enumerate().map(param).collect();
        let mut leaves = function["results"].as_array().into_iter().flatten();
        let result = result_stub(&function["returned"], &mut leaves);
        let _ = writeln!(
            out,
            "def {}({params}*, out: Any = None, casting: str | None = None) -> {result}:\n    \"\"\"{}\"\"\"",
            text(function, "name"),
            text(function, "type")
        );
    }
    out
}

fn result_stub(returned: &Json, leaves: &mut dyn Iterator<Item = &Json>) -> String {
    let leaf = |of: Option<&Json>| {
        of.map_or_else(
            || "Any".into(),
            |of| {
                let dtype = if text(of, "dtype") == "bool" { "np.bool".into() } else { format!("np.{}", text(of, "dtype")) };
                if of["shape"].as_array().is_some_and(|shape| !shape.is_empty()) { format!("npt.NDArray[{dtype}]") } else { dtype }
            },
        )
    };
    match returned[0].as_str() {
        Some("hidden") => {
            let hidden = returned[1].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
            for _ in 0..hidden {
                leaves.next();
            }
            result_stub(&returned[2], leaves)
        }
        Some("tuple") => {
            let parts: Vec<String> = returned[2].as_array().into_iter().flatten().map(|part| result_stub(part, leaves)).collect();
            // Records are named tuples of a class that is made when it is needed.
            if returned[1].is_null() && !parts.is_empty() { format!("tuple[{}]", parts.join(", ")) } else { "Any".into() }
        }
        _ => leaf(leaves.next()),
    }
}

fn project(name: &str) -> String {
    format!(
        "[build-system]\nrequires = [\"setuptools>=70.1\"]\nbuild-backend = \"setuptools.build_meta\"\n\n[project]\nname = \"{name}\"\n\
         version = \"0.1.0\"\nrequires-python = \">=3.10\"\ndependencies = [\"numpy>=1.24\"]\n\n[tool.setuptools]\npackages = [\"{name}\"]\n\n\
         [tool.setuptools.package-data]\n\"*\" = [\"*.so\", \"*.json\", \"*.pyi\", \"py.typed\"]\n"
    )
}

/// The wheel is for one kind of machine, and for any version of Python.
const SETUP: &str = "\
from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return \"py3\", \"none\", super().get_tag()[2]


setup(cmdclass={\"bdist_wheel\": Wheel})
";
