//! Arrays on CUDA devices: those that programs leave there, and those that others bring, by DLPack or `__cuda_array_interface__`.

use crate::failures::Kind;
use crate::{arrays, dlpack, dtypes, failures, values};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use remora::embed::{self, OnDevice, PrimType};
use std::sync::Arc;

/// An array on a CUDA device that a program made there. Programs loaded with `backend="cuda"` take it without copies; so do libraries that
/// take arrays by DLPack or by `__cuda_array_interface__` (CuPy, PyTorch, JAX, Numba). `get()` makes an array of NumPy's of it.
#[pyclass(frozen, module = "remora", name = "DeviceArray")]
pub struct DeviceArray(pub Arc<OnDevice>);

/// An array on a device as an argument.
pub struct Resident<'py> {
    pub prim: PrimType,
    pub dims: Vec<usize>,
    pub place: *const u8,
    /// The stream in which somebody may still write to it.
    pub stream: Option<u64>,
    /// What keeps it alive.
    _owner: Bound<'py, PyAny>,
}

/// The stream that all those wait for that were not made otherwise (`CU_STREAM_LEGACY`).
const DEFAULT_STREAM: u64 = 1;

impl<'py> Resident<'py> {
    /// The array, if `value` is one on a device. `what` names the argument, `prim` is the type that its elements must have.
    pub fn new(value: &Bound<'py, PyAny>, what: &str, prim: Option<PrimType>) -> PyResult<Option<Resident<'py>>> {
        let found = match value.cast_exact::<DeviceArray>() {
            Ok(array) => {
                let of = &array.get().0;
                let (place, dims, stream) = (of.place().cast_const(), of.dims().to_vec(), None);
                Some(Resident { prim: of.prim(), dims, place, stream, _owner: value.clone() })
            }
            Err(_) => match Resident::by_interface(value, what)? {
                Some(found) => Some(found),
                None => Resident::by_dlpack(value, what)?,
            },
        };
        match (&found, prim) {
            (Some(array), Some(prim)) if array.prim != prim => {
                let (expected, given) = (dtypes::name(prim), dtypes::name(array.prim));
                let text =
                    format!("{what}: expected {expected}, given an array of {given} on the device: convert it there, or pass `x.get()`");
                Err(failures::argument(value.py(), &text))
            }
            _ => Ok(found),
        }
    }

    fn by_interface(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Option<Resident<'py>>> {
        let Some(found) = value.getattr_opt("__cuda_array_interface__")? else { return Ok(None) };
        let read = values::support(value.py(), "device_interface")?.call1((found, what))?;
        let (place, dims, dtype, stream): (usize, Vec<usize>, String, Option<u64>) = read.extract()?;
        let prim = dtypes::of_name(&dtype).ok_or_else(|| unknown(value.py(), what, &dtype))?;
        Ok(Some(Resident { prim, dims, place: place as *const u8, stream, _owner: value.clone() }))
    }

    fn by_dlpack(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Option<Resident<'py>>> {
        let py = value.py();
        let Some(asked) = value.getattr_opt("__dlpack_device__")? else { return Ok(None) };
        let (kind, _): (i32, i32) = asked.call0()?.extract()?;
        if !dlpack::is_cuda(kind) {
            return Ok(None);
        }
        let wrong = |text: &str| failures::argument(py, &format!("{what} cannot be had by DLPack: {text}"));
        let options = PyDict::new(py);
        options.set_item("stream", DEFAULT_STREAM)?;
        options.set_item("max_version", (1, 0))?;
        let given = value.call_method("__dlpack__", (), Some(&options)).or_else(|error| {
            if !error.is_instance_of::<PyTypeError>(py) {
                return Err(error);
            }
            // Of before versions were asked for.
            options.del_item("max_version")?;
            value.call_method("__dlpack__", (), Some(&options))
        });
        let capsule = given.map_err(|error| wrong(&error.to_string()))?;
        let tensor = dlpack::read(&capsule)?.ok_or_else(|| wrong("there is no tensor"))?;
        let prim = tensor.prim.ok_or_else(|| unknown(py, what, &tensor.dtype))?;
        if !tensor.row_major {
            return Err(wrong("the elements are not in row-major order: make a copy that is, such as `cupy.ascontiguousarray(x)`"));
        }
        Ok(Some(Resident { prim, dims: tensor.dims, place: tensor.place, stream: Some(DEFAULT_STREAM), _owner: capsule }))
    }
}

fn unknown(py: Python<'_>, what: &str, dtype: &str) -> PyErr {
    failures::argument(py, &format!("{what} has elements of type {dtype}, which the language does not have"))
}

impl DeviceArray {
    fn host<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = &self.0;
        let bytes = array.dims().iter().product::<usize>() * array.prim().bytes();
        let made = arrays::uninitialised(py, array.prim(), array.dims())?;
        let place = arrays::place(&made) as usize;
        // SAFETY: nobody else has the new array, which has room for so many bytes.
        let copied = py.detach(|| embed::fetch(array, unsafe { std::slice::from_raw_parts_mut(place as *mut u8, bytes) }));
        copied.map_err(|refused| failures::refused(py, Kind::Run, "", &refused))?;
        Ok(made)
    }
    fn number(&self) -> i32 {
        self.0.number()
    }
}

#[pymethods]
impl DeviceArray {
    /// The sizes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.dims())
    }
    /// The type of the elements, as NumPy's.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("numpy")?.call_method1("dtype", (dtypes::name(self.0.prim()),))
    }
    /// The number of dimensions.
    #[getter]
    fn ndim(&self) -> usize {
        self.0.dims().len()
    }
    /// The number of elements.
    #[getter]
    fn size(&self) -> usize {
        self.0.dims().iter().product()
    }
    /// The number of bytes of all elements.
    #[getter]
    fn nbytes(&self) -> usize {
        self.size() * self.0.prim().bytes()
    }
    /// The elements as an array of NumPy's: a copy.
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.host(py)
    }
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(&self, py: Python<'py>, dtype: Option<Bound<'py, PyAny>>, copy: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("the array is on a device: it cannot be had without a copy"));
        }
        let made = self.host(py)?;
        match dtype {
            None => Ok(made),
            Some(dtype) => {
                let options = PyDict::new(py);
                options.set_item("copy", false)?;
                made.call_method("astype", (dtype,), Some(&options))
            }
        }
    }
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let made = PyDict::new(py);
        made.set_item("shape", self.shape(py)?)?;
        made.set_item("typestr", self.dtype(py)?.getattr("str")?)?;
        made.set_item("data", (self.0.lend() as usize, false))?;
        made.set_item("strides", py.None())?;
        // All is done when the program returns: there is nothing to wait for.
        made.set_item("stream", py.None())?;
        made.set_item("version", 3)?;
        Ok(made)
    }
    fn __dlpack_device__(&self) -> (i32, i32) {
        (dlpack::CUDA, self.number())
    }
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // All is done when the program returns, whatever stream asks.
        drop(stream);
        match dl_device {
            Some((dlpack::PROCESSOR, _)) if copy != Some(false) => {
                let options = PyDict::new(py);
                options.set_item("max_version", max_version)?;
                return self.host(py)?.call_method("__dlpack__", (), Some(&options));
            }
            Some(device) if device != self.__dlpack_device__() => {
                return Err(PyBufferError::new_err("the array is on another device, and is not copied from one to the other"));
            }
            _ => {}
        }
        if copy == Some(true) {
            return Err(PyBufferError::new_err("the array is not copied on the device: copy what you get"));
        }
        dlpack::lend(py, self.0.clone(), max_version.is_some_and(|(major, _)| major >= 1))
    }
    fn __len__(&self) -> PyResult<usize> {
        self.0.dims().first().copied().ok_or_else(|| PyTypeError::new_err("the array has no dimensions"))
    }
    fn __repr__(&self) -> String {
        let dims: Vec<String> = self.0.dims().iter().map(usize::to_string).collect();
        format!("<remora array {}[{}] on device {}>", dtypes::name(self.0.prim()), dims.join(", "), self.number())
    }
}
