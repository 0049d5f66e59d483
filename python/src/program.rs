//! Programs.

use crate::call::Function;
use crate::failures::{self, Kind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use remora::embed::{self, Backend, Refused, Settings};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What may run the functions of a program.
const BACKENDS: [(&str, Backend); 4] =
    [("auto", Backend::Auto), ("interp", Backend::Interp), ("cpu", Backend::Cpu), ("cuda", Backend::Cuda)];

/// A checked program: what `remora.Program` is made of.
#[pyclass(frozen, subclass, module = "remora._remora", name = "ProgramBase")]
pub struct Program(pub Arc<embed::Program>);

#[pymethods]
impl Program {
    /// The program with this text, or, without one, in this file. What it imports is read from files, unless `imports` has it.
    #[new]
    #[pyo3(signature = (path, text=None, imports=None, threads=0, strict=false, backend="auto"))]
    fn new(
        py: Python<'_>,
        path: &str,
        text: Option<String>,
        imports: Option<BTreeMap<String, String>>,
        threads: usize,
        strict: bool,
        backend: &str,
    ) -> PyResult<Program> {
        let Some((_, backend)) = BACKENDS.iter().find(|(name, _)| *name == backend) else {
            let names: Vec<String> = BACKENDS.iter().map(|(name, _)| format!("'{name}'")).collect();
            return Err(PyValueError::new_err(format!("there is no back end '{backend}': it is one of {}", names.join(", "))));
        };
        let settings = Settings { threads, strict, backend: *backend };
        let make = || -> Result<embed::Program, Refused> {
            match text {
                Some(text) => embed::Program::new(path, &text, imports.unwrap_or_default(), settings),
                None => embed::Program::load(Path::new(path), settings),
            }
        };
        let made = py.detach(make).map_err(|refused| failures::refused(py, Kind::Compile, "", &refused))?;
        Ok(Program(Arc::new(made)))
    }
    /// Where the program stands.
    #[getter]
    fn path(&self) -> &str {
        self.0.path()
    }
    /// Its text.
    #[getter]
    fn text(&self) -> &str {
        self.0.text()
    }
    /// The texts of the files that it imports.
    fn imports(&self) -> BTreeMap<String, String> {
        self.0.imports()
    }
    /// The number of threads, whether results are the evaluator's to the last bit, and the back end.
    #[getter]
    fn settings(&self) -> (usize, bool, &'static str) {
        let Settings { threads, strict, backend } = self.0.settings();
        (threads, strict, BACKENDS.iter().find(|(_, other)| *other == backend).map_or("auto", |(name, _)| name))
    }
    /// What is to be said of the program although it is accepted.
    #[getter]
    fn warnings(&self) -> Vec<&str> {
        self.0.warnings.iter().map(|report| report.text.as_str()).collect()
    }
    /// The names of the functions that can be called.
    fn names(&self) -> Vec<&str> {
        self.0.functions().iter().map(|function| function.name.as_str()).collect()
    }
    /// Definitions with their types and what was inserted in them.
    #[pyo3(signature = (name=None))]
    fn infer(&self, name: Option<&str>) -> String {
        self.0.infer(name)
    }
    /// The same for a browser.
    #[pyo3(signature = (name=None))]
    fn html(&self, name: Option<&str>) -> String {
        self.0.html(name)
    }
    /// A definition with everything that was inserted, as source.
    fn explicit(&self, name: &str) -> Option<String> {
        self.0.explicit(name)
    }
    /// What functions are made of: the argument of `FunctionBase`.
    fn _function(&self, name: &str) -> Option<Function> {
        Function::of(&self.0, name)
    }
}
