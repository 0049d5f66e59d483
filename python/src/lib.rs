//! The extension module of the Python package `remora`: programs, their functions, calls. What can be in Python is there (`remora/`).

mod arrays;
mod call;
mod device;
mod dlpack;
mod dtypes;
mod failures;
mod gufunc;
mod interrupt;
mod program;
mod values;

use pyo3::prelude::*;

/// What the package is made of that is not Python.
#[pymodule]
mod _remora {
    use super::*;

    #[pymodule_export]
    use super::call::Function;
    #[pymodule_export]
    use super::device::DeviceArray;
    #[pymodule_export]
    use super::program::Program;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        only_once()?;
        module.add("STYLE", remora::embed::STYLE)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// Refuses interpreters within the process other than the first: objects of one would be used by another.
    #[pyfunction]
    fn only_once() -> PyResult<()> {
        // SAFETY: the interpreter is held.
        let number = unsafe { pyo3::ffi::PyInterpreterState_GetID(pyo3::ffi::PyInterpreterState_Get()) };
        match number {
            0 => Ok(()),
            _ => Err(pyo3::exceptions::PyImportError::new_err(
                "remora does not work in sub-interpreters, as NumPy does not: use threads or processes",
            )),
        }
    }

    /// Names the C compiler that is used where `CC` names none and there is no `cc`.
    #[pyfunction]
    fn fall_back_to_compiler(command: &str) {
        remora::embed::fall_back_to_compiler(command);
    }

    /// Names a folder where the solver's library is looked for before the system's.
    #[pyfunction]
    fn look_for_solver_in(folder: std::path::PathBuf) {
        remora::embed::look_for_solver_in(&folder);
    }

    /// The command line, with these arguments, where `started` starts it again; returns the exit code.
    #[pyfunction]
    fn command(py: Python<'_>, started: Vec<std::ffi::OsString>, arguments: Vec<std::ffi::OsString>) -> u8 {
        py.detach(|| remora::embed::command(started, arguments))
    }

    /// A `numpy.ufunc` that calls a function, with its signature for NumPy.
    #[pyfunction]
    fn gufunc<'py>(py: Python<'py>, function: &super::call::Function) -> PyResult<Bound<'py, PyAny>> {
        super::gufunc::make(py, function)
    }

    /// Waits until no thread is in the compiler, and keeps them out of it until `after_fork`.
    #[pyfunction]
    fn before_fork(py: Python<'_>) {
        super::call::hold(py);
    }

    /// Lets threads into the compiler again, in the child and in its parent.
    #[pyfunction]
    fn after_fork(child: bool) {
        super::call::let_go(child);
    }
}
