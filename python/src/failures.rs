//! Python exceptions. The classes are in `remora/_errors.py`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use remora::embed::{Refused, Report};

static MAKE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// What goes wrong.
#[derive(Clone, Copy)]
pub enum Kind {
    /// The program, or the call of a function of it, is refused.
    Compile,
    /// There is no way to apply a function to arguments of these ranks, or there are several.
    Rank,
    /// A program failed while it ran.
    Run,
    /// An argument does not fit.
    Argument,
}

impl Kind {
    fn class(self) -> &'static str {
        match self {
            Kind::Compile => "CompileError",
            Kind::Rank => "RankError",
            Kind::Run => "RunTimeError",
            Kind::Argument => "ArgumentError",
        }
    }
}

fn raise(py: Python<'_>, kind: Kind, text: &str, reports: &[Report]) -> PyErr {
    let make = || -> PyResult<Py<PyAny>> { Ok(py.import("remora._errors")?.getattr("make")?.unbind()) };
    let json: Vec<&str> = reports.iter().map(|report| report.json.as_str()).collect();
    let made = MAKE.get_or_try_init(py, make).and_then(|make| make.call1(py, (kind.class(), text, json)));
    match made {
        Ok(error) => PyErr::from_value(error.into_bound(py)),
        Err(error) => error,
    }
}

/// The exception for what the compiler or a program refuses; `head` stands in front.
pub fn refused(py: Python<'_>, kind: Kind, head: &str, refused: &Refused) -> PyErr {
    // What went wrong inside of the compiler is neither the program's nor the caller's fault.
    let text = if head.is_empty() { refused.text() } else { format!("{head}\n\n{}", refused.text()) };
    raise(py, kind, &text, &refused.reports)
}

/// The exception for an argument that does not fit.
pub fn argument(py: Python<'_>, text: &str) -> PyErr {
    raise(py, Kind::Argument, text, &[])
}
