//! Compiled programs in this process: their functions are called with the arrays of this one.

#![allow(unsafe_code, reason = "calls of the compiled program")]

use super::table::{NO_MEMORY, Table};
use crate::base::{Code, PrimType, Scalar, Span, Symbol};
use crate::diag::Diagnostic;
use crate::driver::pipeline::Times;
use crate::driver::{self, CudaProgram, FailurePlace, Native};
use crate::interp;
use crate::interp::components::{operands, result};
use crate::ir::core::Define;
use crate::ir::soac::{self, Fun, FunId, Var};
use crate::runtime::{Array, Buffer, Value};
use crate::{each_buffer, each_prim};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::time::{Duration, Instant};

mod measured;
mod shared;

pub use shared::{Ended, OnDevice, Output, Owned, Shared, Word, forked};

type Context = *mut c_void;
type Wrapper = unsafe extern "C" fn(Context, *const u64, *mut u64) -> c_int;

/// What the run-time support of every program has.
struct Support {
    free: unsafe extern "C" fn(Context),
    data: unsafe extern "C" fn(*mut c_void) -> *mut c_void,
    release: unsafe extern "C" fn(Context, *mut c_void),
    code: unsafe extern "C" fn(Context) -> *const c_char,
    message: unsafe extern "C" fn(Context) -> *const c_char,
    places: unsafe extern "C" fn(Context, *mut *const i32) -> i32,
    peak: unsafe extern "C" fn(Context) -> i64,
    /// The address on the device of a result that stays there; only on devices.
    place: Option<unsafe extern "C" fn(*mut c_void) -> *mut c_void>,
    /// Names what ends a call early; not on devices.
    stop: Option<unsafe extern "C" fn(Context, *const c_int)>,
}

/// What runs kernels: CUDA's driver, or what plays it in tests.
pub trait Device {
    /// Its functions, a [`Table`], which stays where it is as long as this lives.
    fn table(&self) -> *const Table;
    /// What it is, for people.
    fn name(&self) -> String;

    // What follows is for programs that several threads call, with arrays on the device that are not the program's own. A device that
    // knows neither threads nor streams is ready at all times, and has no memory but what its table gives. Those that return whether
    // something succeeded leave the reason in the message of the table.

    /// Its number among those of the machine.
    fn number(&self) -> i32 {
        0
    }
    /// Makes this thread the one that uses the device.
    fn enter(&self) {}
    /// The thread does not use the device any more.
    fn leave(&self) {}
    /// Whether the device can read this address.
    fn reaches(&self, _place: *const u8) -> bool {
        true
    }
    /// What is launched from now on runs behind what is in a stream (`CUstream`) at the moment.
    fn wait_for(&self, _stream: u64) -> bool {
        true
    }
    /// Waits for all that anybody has launched on the device.
    fn finish(&self) -> bool {
        true
    }
}

/// What went wrong last on a device.
fn message(device: &dyn Device) -> String {
    // SAFETY: the table is that of the device, and the message a text.
    unsafe {
        let table = &*device.table();
        CStr::from_ptr((table.message)(table.this)).to_string_lossy().into_owned()
    }
}

/// A compiled program with a context of its own.
pub struct Program {
    context: Context,
    support: Support,
    program: soac::Program,
    /// The places that failures name by their numbers.
    places: Vec<FailurePlace>,
    /// How long the steps between core and text took.
    times: Times,
    /// Where its kernels run, if it has some. Lives as long as the context.
    device: Option<Box<dyn Device>>,
    /// Outlives the context, whose threads run what is in it.
    library: libloading::Library,
}

/// What is known of a program whose text became a library.
struct Compiled {
    program: soac::Program,
    places: Vec<FailurePlace>,
    times: Times,
}

/// Arguments as the compiled program takes them.
pub struct Prepared<'p> {
    program: &'p Program,
    fun: &'p Fun,
    wrapper: Wrapper,
    /// The same with arguments and results that stay on the device, and the words for it once they are needed.
    resident: Option<Wrapper>,
    on_device: OnceCell<Resident>,
    words: Vec<u64>,
    /// What the words point into.
    values: Vec<Value>,
}

/// A library in memory.
pub struct LoadedLibrary {
    library: libloading::Library,
    name: String,
}

impl LoadedLibrary {
    /// Loads a library that was made from the text of a program.
    pub fn load(file: &super::build::CompiledLibrary) -> Result<LoadedLibrary, Box<Diagnostic>> {
        let name = file.path().display().to_string();
        // SAFETY: the library was made by the C compiler from our text; it has no initialisers.
        match unsafe { libloading::Library::new(file.path()) } {
            Ok(library) => Ok(LoadedLibrary { library, name }),
            Err(error) => Err(broken(&name, &error.to_string())),
        }
    }

    /// A function of the library.
    ///
    /// # Safety
    /// It has this type.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> Result<F, Box<Diagnostic>> {
        // SAFETY: see above.
        let found = unsafe { self.library.get(name.to_bytes_with_nul()) };
        found.map(|function| *function).map_err(|error| broken(&self.name, &error.to_string()))
    }
}

fn broken(name: &str, what: &str) -> Box<Diagnostic> {
    Box::new(Diagnostic::bare(Code::CompiledProgram, format!("`{name}` cannot be loaded: {what}")).help("remove it, it is made again"))
}

impl Program {
    /// The program in a library that was made from `native`, with a context of its own.
    pub fn new(library: LoadedLibrary, native: Native, threads: usize) -> Result<Program, Box<Diagnostic>> {
        // SAFETY: the run-time support declares the function with this type; any number of threads is allowed.
        let context = unsafe {
            let new = library.function::<unsafe extern "C" fn(c_int) -> Context>(c"remora_context_new")?;
            new(c_int::try_from(threads).unwrap_or(0))
        };
        Program::with(library, Compiled { program: native.program, places: native.places, times: native.times }, None, context)
    }

    /// The host plan in a library that was made from a program, which runs kernels on a device.
    pub fn on_device(library: LoadedLibrary, made: CudaProgram, device: Box<dyn Device>) -> Result<Program, Box<Diagnostic>> {
        // SAFETY: the host plan declares the function with this type; the table is that of the device, which lives as long as the program.
        let context = unsafe {
            let new = library.function::<unsafe extern "C" fn(*const Table) -> Context>(c"remora_context_new_device")?;
            new(device.table())
        };
        Program::with(library, Compiled { program: made.program, places: made.places, times: made.times }, Some(device), context)
    }

    fn with(
        library: LoadedLibrary,
        compiled: Compiled,
        device: Option<Box<dyn Device>>,
        context: Context,
    ) -> Result<Program, Box<Diagnostic>> {
        if context.is_null() {
            let message = device.map_or_else(|| "out of memory".into(), |device| message(device.as_ref()));
            return Err(Box::new(Diagnostic::bare(Code::OutOfMemory, message)));
        }
        // SAFETY: the run-time support declares the functions with these types.
        let support = unsafe {
            Support {
                free: library.function(c"remora_context_free")?,
                data: library.function(c"remora_array_data")?,
                release: library.function(c"remora_array_free")?,
                code: library.function(c"remora_error_code")?,
                message: library.function(c"remora_error_message")?,
                places: library.function(c"remora_error_places")?,
                peak: library.function(c"remora_peak_bytes")?,
                place: if device.is_some() { Some(library.function(c"remora_array_place")?) } else { None },
                stop: if device.is_none() { Some(library.function(c"remora_context_stop")?) } else { None },
            }
        };
        let Compiled { program, places, times } = compiled;
        Ok(Program { context, support, program, places, times, device, library: library.library })
    }

    /// Runs an entry point whose parameters have these names.
    pub fn call(&self, define: &Define, called: &[Option<Symbol>], args: Vec<Value>) -> Result<Value, Box<Diagnostic>> {
        let fail = |failure: Box<interp::Failure>| Box::new(crate::driver::failed(&failure));
        let (operands, measured) = operands(&define.ty, define.name, &args, called, define.span).map_err(fail)?;
        let prepared = self.prepare(define, operands)?;
        let (results, _) = prepared.run()?;
        result(&define.ty, &mut results.into_iter(), &measured).map_err(fail)
    }

    /// Arguments ready to be used several times: the sizes and components that the entry point takes.
    pub fn prepare(&self, define: &Define, values: Vec<Value>) -> Result<Prepared<'_>, Box<Diagnostic>> {
        let (id, fun) = self.entry(define)?;
        let wrapper = self.wrapper(define)?;
        let words = values.iter().flat_map(words).collect();
        let resident = self.resident(id);
        Ok(Prepared { program: self, fun, wrapper, resident, on_device: OnceCell::new(), words, values })
    }

    /// An entry point of the first-order program.
    fn entry(&self, define: &Define) -> Result<(FunId, &Fun), Box<Diagnostic>> {
        let found = self.program.funs.iter().find(|(_, fun)| fun.entry && fun.name == define.name);
        found.ok_or_else(|| missing(define))
    }

    /// The function that is called for an entry point with arguments and for results that stay on the device, if there is one.
    fn resident(&self, id: FunId) -> Option<Wrapper> {
        let name = format!("remora_resident_{}\0", id.raw());
        // SAFETY: programs for devices have these, of the same type as the others.
        self.device.as_ref().and_then(|_| unsafe { self.library.get::<Wrapper>(name.as_bytes()) }.ok()).map(|wrapper| *wrapper)
    }

    /// The function that is called for an entry point.
    fn wrapper(&self, define: &Define) -> Result<Wrapper, Box<Diagnostic>> {
        let name = format!("remora_entry_{}\0", self.entry(define)?.0.raw());
        // SAFETY: entry points have this type.
        unsafe { self.library.get::<Wrapper>(name.as_bytes()) }.map(|wrapper| *wrapper).map_err(|_| missing(define))
    }

    /// The most bytes that arrays took since the last call.
    pub fn peak_bytes(&self) -> i64 {
        // SAFETY: the context is that of the library.
        unsafe { (self.support.peak)(self.context) }
    }

    /// What runs its kernels, if it has some.
    pub fn device(&self) -> Option<String> {
        self.device.as_ref().map(|device| device.name())
    }

    /// How long the steps between core and text took.
    pub fn times(&self) -> &Times {
        &self.times
    }

    fn failure(&self) -> Box<Diagnostic> {
        let mut numbers = std::ptr::null();
        // SAFETY: the texts and the numbers live in the context, which is not changed while they are read.
        let (code, message, numbers) = unsafe {
            let count = (self.support.places)(self.context, &mut numbers);
            let numbers = std::slice::from_raw_parts(numbers, count as usize);
            let text = |pointer: *const c_char| CStr::from_ptr(pointer).to_string_lossy().into_owned();
            (text((self.support.code)(self.context)), text((self.support.message)(self.context)), numbers)
        };
        let code = Code::of_number(&code).unwrap_or(Code::MalformedCore);
        let places: Vec<FailurePlace> = numbers.iter().filter_map(|number| self.places.get(*number as usize)).copied().collect();
        Box::new(driver::compiled_failure(code, message, &places))
    }
}

fn missing(define: &Define) -> Box<Diagnostic> {
    Box::new(Diagnostic::bare(Code::UnfitArguments, format!("there is no definition `{}`", define.name)))
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: nothing uses the context after this.
        unsafe { (self.support.free)(self.context) }
    }
}

/// The words that stand for a value: those of a scalar, or a pointer to the elements of an array.
fn words(value: &Value) -> impl Iterator<Item = u64> {
    let scalar = value.as_scalar().map(Scalar::words);
    let pointer = if scalar.is_none() { Some(pointer(value)) } else { None };
    scalar.into_iter().flatten().chain(pointer)
}

fn pointer(value: &Value) -> u64 {
    let Value::Array(array) = value else { crate::ice!(Span::default(), "compiled code takes scalars and arrays of scalars only") };
    let (buffer, offset) = array.raw();
    let bytes = offset * array.prim().bytes();
    each_buffer!(buffer, v => v.as_ptr() as u64 + bytes as u64)
}

/// Arguments on a device.
struct Resident {
    table: Table,
    words: Vec<u64>,
    /// Places and sizes of what was allocated.
    arrays: Vec<(*mut c_void, i64)>,
}

impl Resident {
    fn new(device: &dyn Device, values: &[Value]) -> Result<Resident, Box<Diagnostic>> {
        // SAFETY: the table lives as long as the device.
        let table = unsafe { *device.table() };
        let mut resident = Resident { table, words: Vec::new(), arrays: Vec::new() };
        for value in values {
            match value {
                // SAFETY: the array has so many bytes, which live as long as the values.
                Value::Array(array) => resident.put(device, unsafe {
                    std::slice::from_raw_parts(pointer(value) as *const u8, array.count() * array.prim().bytes())
                })?,
                _ => resident.words.extend(words(value)),
            }
        }
        Ok(resident)
    }

    /// Adds an array that is brought to the device with this.
    fn put(&mut self, device: &dyn Device, elements: &[u8]) -> Result<(), Box<Diagnostic>> {
        let (table, bytes) = (self.table, elements.len() as i64);
        let mut place = std::ptr::null_mut();
        // SAFETY: what is allocated has room for the bytes.
        let failed = unsafe {
            match (table.alloc)(table.this, bytes, &mut place) {
                0 => {
                    self.arrays.push((place, bytes));
                    if bytes > 0 { (table.put)(table.this, place, elements.as_ptr().cast(), bytes) } else { 0 }
                }
                failed => failed,
            }
        };
        if failed != 0 {
            let code = if failed == NO_MEMORY { Code::OutOfMemory } else { Code::DeviceFailed };
            return Err(Box::new(Diagnostic::bare(code, message(device))));
        }
        self.words.push(place as u64);
        Ok(())
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        for (place, bytes) in &self.arrays {
            // SAFETY: the memory is that of the device, which the program keeps.
            unsafe { (self.table.release)(self.table.this, *place, *bytes) }
        }
    }
}

impl Prepared<'_> {
    /// Runs the entry point; its results, and how long it took without their conversion.
    pub fn run(&self) -> Result<(Vec<Value>, Duration), Box<Diagnostic>> {
        let (words, seconds) = self.words()?;
        let results = self.results(&words);
        self.free(&words);
        Ok((results?, seconds))
    }
    /// Runs the entry point and forgets its results; how long it took. On a device, arguments and results stay there.
    pub fn time(&self) -> Result<Duration, Box<Diagnostic>> {
        let (words, seconds) = match (self.resident, &self.program.device) {
            (Some(wrapper), Some(device)) => {
                if self.on_device.get().is_none() {
                    self.on_device.set(Resident::new(device.as_ref(), &self.values)?).ok();
                }
                self.enter(wrapper, self.on_device.get().map_or(&[], |resident| &resident.words))?
            }
            _ => self.words()?,
        };
        self.free(&words);
        Ok(seconds)
    }
    /// Runs the entry point; the number of bytes of its arguments and results.
    pub fn measure_bytes(&self) -> Result<u64, Box<Diagnostic>> {
        let count = |value: &Value| match value {
            Value::Array(array) => (array.count() * array.prim().bytes()) as u64,
            Value::Scalar(scalar) => scalar.prim().bytes() as u64,
            _ => crate::ice!(Span::default(), "compiled code takes and returns scalars and arrays of scalars only"),
        };
        let (results, _) = self.run()?;
        Ok(self.values.iter().chain(&results).map(count).sum())
    }

    fn words(&self) -> Result<(Vec<u64>, Duration), Box<Diagnostic>> {
        self.enter(self.wrapper, &self.words)
    }
    fn enter(&self, wrapper: Wrapper, words: &[u64]) -> Result<(Vec<u64>, Duration), Box<Diagnostic>> {
        let count: usize = self.fun.results.iter().map(|var| self.program.program.ty(*var).words()).sum();
        let mut out = vec![0u64; count.max(1)];
        let start = Instant::now();
        // SAFETY: the words are those that the wrapper takes, by the types of the function; the arrays that they point into are alive.
        let failed = unsafe { wrapper(self.program.context, words.as_ptr(), out.as_mut_ptr()) } != 0;
        let seconds = start.elapsed();
        if failed { Err(self.program.failure()) } else { Ok((out, seconds)) }
    }
    /// Variables with the first word of each.
    fn each<'w>(&'w self, vars: &'w [Var], words: &'w [u64]) -> impl Iterator<Item = (Var, u64)> {
        let mut at = 0;
        vars.iter().map_while(move |var| {
            let word = words.get(at).copied()?;
            at += self.program.program.ty(*var).words();
            Some((*var, word))
        })
    }
    fn is_array(&self, var: Var) -> bool {
        self.program.program.ty(var).rank() > 0
    }
    fn free(&self, words: &[u64]) {
        for (var, word) in self.each(&self.fun.results, words) {
            if self.is_array(var) {
                // SAFETY: the result is a buffer that is ours since the wrapper gave it to us.
                unsafe { (self.program.support.release)(self.program.context, word as *mut c_void) }
            }
        }
    }
    fn results(&self, words: &[u64]) -> Result<Vec<Value>, Box<Diagnostic>> {
        let program = &self.program.program;
        let mut sizes: FxHashMap<Var, i64> = FxHashMap::default();
        for (var, word) in self.each(&self.fun.params, &self.words).chain(self.each(&self.fun.results, words)) {
            if program.ty(var) == &soac::Type::scalar(PrimType::I64) {
                sizes.insert(var, word as i64);
            }
        }
        let wrong = || Box::new(Diagnostic::bare(Code::MalformedCore, "a result has no shape"));
        let mut out = Vec::with_capacity(words.len());
        let mut at = 0;
        for var in &self.fun.results {
            let ty = program.ty(*var);
            let own = words.get(at..at + ty.words()).ok_or_else(wrong)?;
            at += ty.words();
            if ty.rank() == 0 {
                out.push(Value::Scalar(Scalar::of_words(own, ty.elem).ok_or_else(wrong)?));
                continue;
            }
            let &[word] = own else { return Err(wrong()) };
            let shape = ty.shape.iter().map(|size| size.evaluate(&mut |v| sizes.get(&v).copied()).and_then(|n| usize::try_from(n).ok()));
            let shape = shape.collect::<Option<Vec<usize>>>().ok_or_else(wrong)?;
            let count: usize = shape.iter().product();
            // SAFETY: the buffer has as many elements as the type says.
            let data = unsafe { (self.program.support.data)(word as *mut c_void) };
            let buffer = each_prim!(ty.elem, T => Buffer::new(unsafe { std::slice::from_raw_parts(data as *const T, count) }.to_vec()));
            out.push(Value::Array(Array::new(&shape, buffer).ok_or_else(wrong)?));
        }
        Ok(out)
    }
}
