//! Functions of programs, and calls of them.

use crate::arrays::{self, Borrowed};
use crate::device::{DeviceArray, Resident};
use crate::dtypes;
use crate::failures::{self, Kind};
use crate::interrupt;
use crate::values;
use pyo3::exceptions::{PyKeyboardInterrupt, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyList, PyTuple};
use remora::embed::{self, Backend, Failed, Form, Instance, Operand, Output, PrimType, Returned, Scalar, SizeError, Value};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLockWriteGuard};

/// What `before_fork` holds.
static HELD: Mutex<Option<Held>> = Mutex::new(None);

struct Held(#[allow(dead_code, reason = "held")] RwLockWriteGuard<'static, ()>);

// SAFETY: the guard is taken and dropped by the thread that forks, in the parent and in the child, where it is the only one.
unsafe impl Send for Held {}

/// Keeps all threads out of the compiler.
pub fn hold(py: Python<'_>) {
    let guard = py.detach(|| Held(embed::quiet()));
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(guard);
}

/// Lets them in again, in a process that was forked off (`child`) or in the one that it comes from.
pub fn let_go(child: bool) {
    if child {
        embed::forked();
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
}

/// Counts processes: what is known of threads is about one of them.
static FORKS: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// In which process this thread was looked at, and whether it is the one that handles signals.
    static MAIN: Cell<(u64, bool)> = const { Cell::new((0, false)) };
}

/// Whether this is the thread that handles signals.
fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let forks = FORKS.load(Ordering::Relaxed);
    let (seen, main) = MAIN.get();
    if seen == forks {
        return Ok(main);
    }
    let threading = py.import("threading")?;
    let first: u64 = threading.call_method0("main_thread")?.getattr("ident")?.extract()?;
    let main = threading.call_method0("get_ident")?.extract::<u64>()? == first;
    MAIN.set((forks, main));
    Ok(main)
}

/// How a function was used.
#[derive(Default)]
struct Stats {
    calls: AtomicU64,
    copies: AtomicU64,
    copied_bytes: AtomicU64,
}

/// For which ranks and types an instance was made: two bytes for each scalar or array.
type Key = Vec<u8>;

/// The instances that were made.
type Instances = Vec<(Key, Arc<Instance>)>;

/// A function of a program: what `remora.Function` is made of.
#[pyclass(frozen, subclass, module = "remora._remora", name = "FunctionBase")]
pub struct Function {
    program: Arc<embed::Program>,
    function: Arc<embed::Function>,
    instances: Arc<Mutex<Instances>>,
    stats: Arc<Stats>,
}

/// A scalar or array that was given.
enum Given<'py> {
    Scalar(Scalar),
    Array(Borrowed<'py>),
    /// On the device.
    Device(Resident<'py>),
}

/// What is given by name besides the arguments.
#[derive(Default)]
struct Options<'py> {
    /// Where the result is copied to.
    out: Option<Bound<'py, PyAny>>,
    /// Which conversions are made.
    casting: Option<Bound<'py, PyAny>>,
    /// Whether results stay on the device: where arguments are there if that is not said.
    device: Option<bool>,
}

/// An argument as the program takes it.
enum Argument<'py> {
    /// Scalars and arrays.
    Plain(Vec<Given<'py>>),
    /// A value of a sum type.
    Value(Value),
}

/// Operands for a call without the interpreter.
struct Operands<'a>(Vec<Operand<'a>>);

impl<'a> Operands<'a> {
    fn words(&self) -> &[Operand<'a>] {
        &self.0
    }
}

// SAFETY: the arrays that they point into are held by the thread that waits for the call.
unsafe impl Send for Operands<'_> {}
// SAFETY: as above.
unsafe impl Sync for Operands<'_> {}

#[pymethods]
impl Function {
    /// Another object for the same function.
    #[new]
    fn new(of: &Function) -> Function {
        Function { program: of.program.clone(), function: of.function.clone(), instances: of.instances.clone(), stats: of.stats.clone() }
    }
    #[getter]
    fn __name__(&self) -> &str {
        &self.function.name
    }
    /// The documentation comment.
    #[getter]
    fn comment(&self) -> Option<&str> {
        self.function.doc.as_deref()
    }
    /// The type in the notation of the language.
    #[getter]
    fn r#type(&self) -> &str {
        &self.function.ty
    }
    /// The names of the parameters, and what each looks like: nested tuples.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&str, Bound<'py, PyAny>)>> {
        self.function.params.iter().map(|param| Ok((param.name.as_str(), form(py, &param.form)?))).collect()
    }
    /// Whether the evaluator has to run the function for arguments that it was called with.
    fn evaluated(&self) -> bool {
        self.known().iter().any(|(_, instance)| !instance.is_compiled())
    }
    /// How often it was called, how many arguments were copied with how many bytes, and what was inserted for each instance.
    fn usage(&self) -> (u64, u64, u64, Vec<String>) {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let inserted = self.known().iter().map(|(_, instance)| instance.inserted.text.clone()).collect();
        (count(&self.stats.calls), count(&self.stats.copies), count(&self.stats.copied_bytes), inserted)
    }
    /// The most bytes that arrays of the program took in calls since this was last asked for, the largest over the instances.
    fn peak_bytes(&self) -> i64 {
        self.known().iter().filter_map(|(_, instance)| instance.peak_bytes()).max().unwrap_or(0)
    }
    /// Makes the instance for arguments with these types and ranks, one for each scalar and array, and says what was inserted.
    fn instance(&self, py: Python<'_>, given: Vec<Vec<(String, usize)>>) -> PyResult<(String, String)> {
        let prim = |(name, rank): &(String, usize)| {
            let prim = PrimType::ALL.into_iter().find(|prim| dtypes::name(*prim) == name || prim.name() == name);
            prim.map(|prim| (prim, *rank)).ok_or_else(|| failures::argument(py, &format!("there is no type `{name}` in the language")))
        };
        let given = given.iter().map(|given| given.iter().map(prim).collect()).collect::<PyResult<Vec<embed::Given>>>()?;
        if given.len() != self.function.params.len() {
            return Err(PyTypeError::new_err(self.arity(given.len())));
        }
        let key = given.iter().flatten().flat_map(|(prim, rank)| [dtypes::letter(*prim), *rank as u8]).collect();
        let inserted = self.instance_for(py, key, &given)?.inserted.clone();
        Ok((inserted.text, inserted.html))
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(&self, args: &Bound<'py, PyTuple>, kwargs: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        let py = args.py();
        self.stats.calls.fetch_add(1, Ordering::Relaxed);
        let Some(kwargs) = kwargs else {
            if args.len() != self.function.params.len() {
                return Err(PyTypeError::new_err(self.arity(args.len())));
            }
            let arguments = self.function.params.iter().zip(args.iter_borrowed());
            let arguments = arguments.map(|(param, value)| self.take(param, &value, None)).collect::<PyResult<Vec<_>>>()?;
            return self.run(py, arguments, None);
        };
        let (values, Options { out, casting, device }) = self.named(args, kwargs)?;
        if device.is_some() && self.program.settings().backend != Backend::Cuda {
            return Err(PyTypeError::new_err(format!("{}(): `device` is for programs with backend=\"cuda\"", self.function.name)));
        }
        let arguments = self.function.params.iter().zip(&values);
        let arguments = arguments.map(|(param, value)| self.take(param, value, casting.as_ref())).collect::<PyResult<Vec<_>>>()?;
        let result = self.run(py, arguments, device)?;
        match out {
            None => Ok(result),
            Some(out) => values::support(py, "store")?.call1((result, out, self.__name__())),
        }
    }
}

impl Function {
    /// The function of this name of a program.
    pub fn of(program: &Arc<embed::Program>, name: &str) -> Option<Function> {
        let function = program.functions().iter().find(|function| function.name == name)?.clone();
        Some(Function { program: program.clone(), function: Arc::new(function), instances: Arc::default(), stats: Arc::default() })
    }

    /// The program and the function in it.
    pub fn parts(&self) -> (Arc<embed::Program>, Arc<embed::Function>) {
        (self.program.clone(), self.function.clone())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Instances> {
        self.instances.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cold]
    fn arity(&self, given: usize) -> String {
        let names: Vec<&str> = self.function.params.iter().map(|param| param.name.as_str()).collect();
        let takes = match names.len() {
            0 => "no arguments".to_string(),
            1 => format!("1 argument ({})", names[0]),
            count => format!("{count} arguments ({})", names.join(", ")),
        };
        format!("{}() takes {takes}, {given} {} given", self.function.name, if given == 1 { "was" } else { "were" })
    }

    /// The values of all parameters, and what else is given by name.
    fn named<'py>(&self, args: &Bound<'py, PyTuple>, kwargs: &Bound<'py, PyDict>) -> PyResult<(Vec<Bound<'py, PyAny>>, Options<'py>)> {
        let params = &self.function.params;
        let wrong = |text: String| Err(PyTypeError::new_err(format!("{}() {text}", self.function.name)));
        if args.len() > params.len() {
            return Err(PyTypeError::new_err(self.arity(args.len())));
        }
        let mut values: Vec<Option<Bound<'py, PyAny>>> = args.iter().map(Some).collect();
        values.resize(params.len(), None);
        let mut options = Options::default();
        for (key, value) in kwargs.iter() {
            let key: String = key.extract()?;
            match params.iter().position(|param| param.name == key) {
                Some(at) if values[at].is_some() => return wrong(format!("got two values for the argument `{key}`")),
                Some(at) => values[at] = Some(value),
                None if key == "out" => options.out = Some(value).filter(|value| !value.is_none()),
                None if key == "casting" => options.casting = Some(value),
                None if key == "device" => options.device = value.extract()?,
                None => return wrong(format!("has no argument `{key}`")),
            }
        }
        let missing: Vec<&str> = params.iter().zip(&values).filter(|(_, value)| value.is_none()).map(|(p, _)| p.name.as_str()).collect();
        if !missing.is_empty() {
            return wrong(format!("needs a value for `{}`", missing.join("`, `")));
        }
        Ok((values.into_iter().flatten().collect(), options))
    }

    /// An argument as the program takes it.
    fn take<'py>(&self, param: &embed::Param, value: &Bound<'py, PyAny>, casting: Option<&Bound<'py, PyAny>>) -> PyResult<Argument<'py>> {
        let mut given = Vec::with_capacity(1);
        match &param.form {
            Form::Sum(shape) => {
                let what = self.what(&param.name);
                return Ok(Argument::Value(values::sum(value, shape, &what)?));
            }
            form => self.collect(form, value, &param.name, casting, &mut given)?,
        }
        Ok(Argument::Plain(given))
    }

    #[cold]
    fn what(&self, name: &str) -> String {
        format!("{}(): argument `{name}`", self.function.name)
    }

    /// Adds the scalars and arrays of an argument.
    fn collect<'py>(
        &self,
        form: &Form,
        value: &Bound<'py, PyAny>,
        name: &str,
        casting: Option<&Bound<'py, PyAny>>,
        out: &mut Vec<Given<'py>>,
    ) -> PyResult<()> {
        match form {
            Form::Leaf(leaf) => {
                let given = match quick(value, leaf.prim)? {
                    Some(given) => given,
                    None => self.converted(value, name, Some(leaf.prim), casting)?,
                };
                out.push(given);
            }
            Form::Any { data: true } => {
                let given = match Borrowed::new(value)?.filter(|array| !array.dims().is_empty()) {
                    Some(array) => Given::Array(array),
                    None => self.converted(value, name, None, casting)?,
                };
                out.push(given);
            }
            Form::Any { data: false } => {
                let text = format!("{} is a function or another kind of value that cannot come from Python", self.what(name));
                return Err(failures::argument(value.py(), &text));
            }
            Form::Tuple { labels, parts, .. } => {
                let labels: Option<Vec<&str>> = labels.as_ref().map(|labels| labels.iter().map(|label| label.as_str()).collect());
                let call = values::support(value.py(), "parts")?;
                let found: Vec<Bound<'py, PyAny>> = call.call1((value, self.what(name), labels.clone(), parts.len()))?.extract()?;
                for (at, (part, value)) in parts.iter().zip(&found).enumerate() {
                    let label = labels.as_ref().and_then(|labels| labels.get(at)).map_or(at.to_string(), |label| (*label).to_string());
                    self.collect(part, value, &format!("{name}.{label}"), casting, out)?;
                }
            }
            Form::Sum(_) => {
                let text = format!("{}: a value of a sum type in a tuple cannot come from Python", self.what(name));
                return Err(failures::argument(value.py(), &text));
            }
        }
        Ok(())
    }

    /// An argument that is not simply read where it lies: NumPy makes an array of it, or says why not.
    #[cold]
    fn converted<'py>(
        &self,
        value: &Bound<'py, PyAny>,
        name: &str,
        prim: Option<PrimType>,
        casting: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Given<'py>> {
        let py = value.py();
        let what = self.what(name);
        if self.program.settings().backend == Backend::Cuda
            && let Some(array) = Resident::new(value, &what, prim)?
        {
            return Ok(Given::Device(array));
        }
        let made = values::support(py, "leaf")?.call1((value, &what, prim.map(dtypes::name), casting))?;
        let (array, copied): (Bound<'py, PyAny>, usize) = made.extract()?;
        if copied > 0 {
            self.stats.copies.fetch_add(1, Ordering::Relaxed);
            self.stats.copied_bytes.fetch_add(copied as u64, Ordering::Relaxed);
        }
        let borrowed = Borrowed::new(&array)?.ok_or_else(|| failures::argument(py, &format!("{what} is no array")))?;
        let scalar = if borrowed.dims().is_empty() { borrowed.scalar() } else { None };
        Ok(scalar.map_or(Given::Array(borrowed), Given::Scalar))
    }

    /// The instance for arguments with this key.
    fn instance_for(&self, py: Python<'_>, key: Key, given: &[embed::Given]) -> PyResult<Arc<Instance>> {
        let find = || self.known().iter().find(|(other, _)| *other == key).map(|(_, instance)| instance.clone());
        if let Some(instance) = find() {
            return Ok(instance);
        }
        let made = py.detach(|| self.program.instance(&self.function, given));
        let made = made.map_err(|refused| {
            let declared = self.function.params.iter().zip(given).all(|(param, given)| param.form.is_declared(given));
            if declared {
                return failures::refused(py, Kind::Compile, "", &refused);
            }
            failures::refused(py, Kind::Rank, &self.called_with(given), &refused)
        })?;
        if !made.notes.is_empty() {
            values::support(py, "notes")?.call1((self.__name__(), PyList::new(py, &made.notes)?))?;
        }
        let made = Arc::new(made);
        // Another thread may have been faster.
        if let Some(instance) = find() {
            return Ok(instance);
        }
        self.known().push((key, made.clone()));
        Ok(made)
    }

    /// What was given, and what the parameters are.
    #[cold]
    fn called_with(&self, given: &[embed::Given]) -> String {
        let shown = |(prim, rank): &(PrimType, usize)| match rank {
            0 => dtypes::name(*prim).to_string(),
            rank => format!("{}[{}]", dtypes::name(*prim), vec![":"; *rank].join(", ")),
        };
        let all = |given: &embed::Given| given.iter().map(shown).collect::<Vec<_>>().join(", ");
        let args: Vec<String> = given.iter().map(all).collect();
        format!("{}({}) is not possible; {} : {}", self.function.name, args.join(", "), self.function.name, self.function.ty)
    }

    /// Calls the function. Results stay on the device if `device` says so, or arguments are there.
    fn run<'py>(&self, py: Python<'py>, arguments: Vec<Argument<'py>>, device: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        let mut key = Vec::with_capacity(2 * arguments.len());
        for argument in &arguments {
            let Argument::Plain(given) = argument else { continue };
            for given in given {
                let (prim, rank) = given.kind();
                key.extend([dtypes::letter(prim), rank as u8]);
            }
        }
        let known = self.known().iter().find(|(other, _)| *other == key).map(|(_, instance)| instance.clone());
        let instance = match known {
            Some(instance) => instance,
            None => {
                let kinds = |argument: &Argument| match argument {
                    Argument::Plain(given) => given.iter().map(Given::kind).collect(),
                    Argument::Value(_) => Vec::new(),
                };
                let given: Vec<embed::Given> = arguments.iter().map(kinds).collect();
                self.instance_for(py, key, &given)?
            }
        };
        if !instance.is_direct() {
            return self.run_values(py, &instance, arguments, device);
        }
        let mut operands = Vec::with_capacity(instance.operands());
        for argument in &arguments {
            let Argument::Plain(given) = argument else { continue };
            operands.extend(given.iter().map(|given| match given {
                Given::Scalar(scalar) => Operand::Scalar(*scalar),
                Given::Array(array) => Operand::Array(array.data(), array.dims()),
                Given::Device(array) => Operand::Device(array.place, &array.dims, array.stream),
            }));
        }
        let there = operands.iter().any(|operand| matches!(operand, Operand::Device(..)));
        let operands = Operands(operands);
        if there || device == Some(true) {
            let (called, operands) = (&instance, &operands);
            // SAFETY: as below; whoever has brought arrays on the device says what they are.
            let outputs = py.detach(move || unsafe { called.call_resident(operands.words()) });
            let outputs = outputs.map_err(|failed| self.failed(py, &failed, operands.words()))?;
            let result = returned(py, &instance.returned, &mut outputs.into_iter())?;
            return if device == Some(false) { values::support(py, "fetched")?.call1((result,)) } else { Ok(result) };
        }
        // Signals are handled by the main thread.
        let main = is_main_thread(py)?;
        loop {
            let stop = if main { interrupt::watch() } else { None };
            let (instance, operands) = (&instance, &operands);
            // SAFETY: the instance was made for arguments of these types and ranks; the arrays are held until it returns.
            match py.detach(move || unsafe { instance.call(operands.words(), stop) }) {
                Ok(outputs) => return returned(py, &instance.returned, &mut outputs.into_iter()),
                // Where nothing is raised the call goes on: it begins anew, as it has changed nothing.
                Err(Failed::Stopped) => interrupt::check(py)?,
                Err(failed) => return Err(self.failed(py, &failed, operands.words())),
            }
        }
    }

    /// The exception for a call without a result.
    #[cold]
    fn failed(&self, py: Python<'_>, failed: &Failed, operands: &[Operand]) -> PyErr {
        match failed {
            Failed::Size(error) => failures::argument(py, &self.size_error(error, operands)),
            Failed::Run(refused) => failures::refused(py, Kind::Run, "", refused),
            Failed::Stopped => PyKeyboardInterrupt::new_err(()),
        }
    }

    /// Calls the function with copies of the arguments.
    fn run_values<'py>(
        &self,
        py: Python<'py>,
        instance: &Arc<Instance>,
        arguments: Vec<Argument<'py>>,
        device: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let missing = || failures::argument(py, "an argument is too large to be copied");
        let value = |given: &Given| match given {
            Given::Scalar(scalar) => Some(Value::Scalar(*scalar)),
            Given::Array(array) => values::array(array),
            Given::Device(_) => None,
        };
        let there = |argument: &Argument| matches!(argument, Argument::Plain(given) if given.iter().any(|g| matches!(g, Given::Device(_))));
        if device == Some(true) || arguments.iter().any(there) {
            let text = format!("{}() takes or returns values that are copied, none on a device: pass `x.get()`", self.function.name);
            return Err(failures::argument(py, &text));
        }
        let mut args = Vec::with_capacity(arguments.len());
        for (argument, form) in arguments.into_iter().zip(&instance.params) {
            args.push(match argument {
                Argument::Value(value) => value,
                Argument::Plain(given) => {
                    let mut leaves = given.iter().map(value);
                    assembled(form, 0, &mut leaves).ok_or_else(missing)?
                }
            });
        }
        let result = py.detach(|| instance.call_values(args));
        let result = result.map_err(|refused| {
            // Sizes that do not fit are found there as well.
            let argument = refused.reports.first().filter(|report| report.message.starts_with("argument"));
            match argument {
                Some(report) => failures::argument(py, &format!("{}(): {}", self.function.name, report.message)),
                None => failures::refused(py, Kind::Run, "", &refused),
            }
        })?;
        values::python(py, &result)
    }

    /// The names of the scalars and arrays.
    fn operand_names(&self) -> Vec<String> {
        fn add(form: &Form, name: String, out: &mut Vec<String>) {
            match form {
                Form::Leaf(_) | Form::Any { .. } | Form::Sum(_) => out.push(name),
                Form::Tuple { labels, parts, .. } => {
                    for (at, part) in parts.iter().enumerate() {
                        let label = labels.as_ref().and_then(|labels| labels.get(at)).map_or(at.to_string(), |label| label.to_string());
                        add(part, format!("{name}.{label}"), out);
                    }
                }
            }
        }
        let mut out = Vec::new();
        self.function.params.iter().for_each(|param| add(&param.form, param.name.clone(), &mut out));
        out
    }

    #[cold]
    fn size_error(&self, error: &SizeError, given: &[Operand]) -> String {
        let names = self.operand_names();
        let name = |at: usize| names.get(at).map_or("?", String::as_str);
        let head = format!("{}, dimension {}: the size is {}", self.what(name(error.operand)), error.axis, error.found);
        match (error.wanted, error.from) {
            (None, _) => format!("{head}, which no array of a program can have"),
            (Some(wanted), Some((operand, axis))) => {
                // A parameter that is a number may have been given an array.
                let source = if matches!(given.get(operand), Some(Operand::Scalar(_))) {
                    format!("the value of `{}`", name(operand))
                } else {
                    format!("the size of `{}` in dimension {axis}", name(operand))
                };
                format!("{head}, but {wanted} is needed, {source}; {} : {}", self.function.name, self.function.ty)
            }
            (Some(wanted), None) => {
                format!("{head}, but {wanted} is needed, which follows from other sizes; {} : {}", self.function.name, self.function.ty)
            }
        }
    }
}

impl Given<'_> {
    fn kind(&self) -> (PrimType, usize) {
        match self {
            Given::Scalar(scalar) => (scalar.prim(), 0),
            Given::Array(array) => (array.prim, array.dims().len()),
            Given::Device(array) => (array.prim, array.dims.len()),
        }
    }
}

/// What needs no conversion: arrays in row-major order of just this type, and Python's own numbers.
fn quick<'py>(value: &Bound<'py, PyAny>, prim: PrimType) -> PyResult<Option<Given<'py>>> {
    if let Some(array) = Borrowed::new(value)? {
        return Ok(match (array.prim == prim, array.dims().is_empty()) {
            (true, true) => array.scalar().map(Given::Scalar),
            (true, false) => Some(Given::Array(array)),
            (false, _) => None,
        });
    }
    let scalar = if let Ok(float) = value.cast_exact::<PyFloat>() {
        match prim {
            PrimType::F64 => Some(Scalar::F64(float.value())),
            PrimType::F32 => Some(Scalar::F32(float.value() as f32)),
            _ => None,
        }
    } else if let Ok(int) = value.cast_exact::<PyInt>() {
        match (prim, int.extract::<i64>()) {
            (PrimType::I64, Ok(int)) => Some(Scalar::I64(int)),
            (PrimType::F64, Ok(int)) => Some(Scalar::F64(int as f64)),
            _ => None,
        }
    } else if let Ok(truth) = value.cast_exact::<PyBool>() {
        (prim == PrimType::Bool).then(|| Scalar::Bool(truth.is_true()))
    } else if let Ok(complex) = value.cast_exact::<PyComplex>() {
        let (re, im) = (complex.real(), complex.imag());
        match prim {
            PrimType::C128 => Scalar::of_words(&[re.to_bits(), im.to_bits()], prim),
            PrimType::C64 => Scalar::of_words(&[re as f32, im as f32].map(|part| u64::from(part.to_bits())), prim),
            _ => None,
        }
    } else {
        None
    };
    Ok(scalar.map(Given::Scalar))
}

/// A value of a parameter made of its scalars and arrays; `outer` sizes stand in front of its own.
fn assembled(form: &Form, outer: usize, leaves: &mut dyn Iterator<Item = Option<Value>>) -> Option<Value> {
    match form {
        Form::Leaf(_) | Form::Any { .. } | Form::Sum(_) => leaves.next()?,
        Form::Tuple { labels, rank, parts } => {
            let outer = outer + rank;
            let parts = parts.iter().map(|part| assembled(part, outer, leaves)).collect::<Option<Vec<_>>>()?;
            // All parts of an array of tuples begin with its sizes.
            let frame = parts.first().map_or(Some(&[][..]), |part| part.dims().get(..outer))?.to_vec();
            let labels = labels.as_ref().map(|labels| labels.iter().copied().collect());
            Some(Value::tuples(frame, labels, parts))
        }
    }
}

/// The result for Python.
fn returned<'py>(py: Python<'py>, form: &Returned, outputs: &mut dyn Iterator<Item = Output>) -> PyResult<Bound<'py, PyAny>> {
    let missing = || failures::argument(py, "a result is missing");
    match form {
        Returned::Leaf => match outputs.next().ok_or_else(missing)? {
            Output::Scalar(scalar) => arrays::scalar(py, scalar),
            Output::Array(array) => arrays::owned(py, array),
            Output::Device(array) => Ok(Bound::new(py, DeviceArray(Arc::new(array)))?.into_any()),
        },
        Returned::Hidden(count, content) => {
            for _ in 0..*count {
                outputs.next().ok_or_else(missing)?;
            }
            returned(py, content, outputs)
        }
        Returned::Tuple(labels, parts) => {
            let parts = parts.iter().map(|part| returned(py, part, outputs)).collect::<PyResult<Vec<_>>>()?;
            let labels = labels.as_ref().map(|labels| labels.iter().map(|label| label.as_str()).collect());
            values::tupled(py, labels, parts)
        }
        Returned::Sum => Err(missing()),
    }
}

/// What a parameter looks like, for Python: `("array", dtype, rank)`, `("tuple", labels, rank, parts)`, `("sum", text)`, `("any",)`.
fn form<'py>(py: Python<'py>, of: &Form) -> PyResult<Bound<'py, PyAny>> {
    Ok(match of {
        Form::Leaf(leaf) => ("array", dtypes::name(leaf.prim), leaf.rank).into_pyobject(py)?.into_any(),
        Form::Tuple { labels, rank, parts } => {
            let labels: Option<Vec<&str>> = labels.as_ref().map(|labels| labels.iter().map(|label| label.as_str()).collect());
            let parts = parts.iter().map(|part| form(py, part)).collect::<PyResult<Vec<_>>>()?;
            ("tuple", labels, *rank, parts).into_pyobject(py)?.into_any()
        }
        Form::Sum(shape) => ("sum", shape.shown()).into_pyobject(py)?.into_any(),
        Form::Any { data } => ("any", *data).into_pyobject(py)?.into_any(),
    })
}
