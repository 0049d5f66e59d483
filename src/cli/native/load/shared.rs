//! Compiled programs that any thread calls, and whose results belong to whoever asked for them: nothing is copied.

use super::{Program, Resident, Wrapper, message, missing};
use crate::base::{Code, PrimType, Scalar, Symbol};
use crate::cli::native::Built;
use crate::diag::Diagnostic;
use crate::ir::core::Define;
use crate::ir::soac::{Size, Var};
use crate::runtime::Value;
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// How often this process was forked off from the one that it began as.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Says that this process has just been forked off from another.
pub fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// A scalar that a program returned, or an array.
#[derive(Debug)]
pub enum Output {
    /// A scalar.
    Scalar(Scalar),
    /// An array, whose memory is given back when this is dropped.
    Array(Owned),
    /// An array that has stayed on the device.
    Device(OnDevice),
}

/// What a program for a device takes.
#[derive(Debug, Clone, Copy)]
pub enum Word<'a> {
    /// A size, or a part of a scalar.
    Plain(u64),
    /// The bytes of an array in the memory of the processor.
    Host(&'a [u8]),
    /// The address of an array on the device, and the stream (`CUstream`) in which somebody may still write to it.
    Device(*const u8, Option<u64>),
}

/// Why a call has no result.
#[derive(Debug)]
pub enum Ended {
    /// The program failed.
    Failed(Box<Diagnostic>),
    /// Somebody wanted it to end.
    Stopped,
}

/// An array that a program made and gave away.
#[derive(Debug)]
pub struct Owned {
    cell: Arc<Cell>,
    word: u64,
    prim: PrimType,
    dims: Vec<usize>,
}

impl Owned {
    /// Its elements in row-major order: whoever has this may write to them.
    pub fn data(&self) -> *mut u8 {
        // SAFETY: the word is a buffer of the program.
        unsafe { (self.cell.program.support.data)(self.word as *mut c_void).cast() }
    }
    /// The type of the elements.
    pub fn prim(&self) -> PrimType {
        self.prim
    }
    /// The sizes.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.cell.release(Given { word: self.word, lent: false });
    }
}

/// An array that a program made on a device and gave away.
#[derive(Debug)]
pub struct OnDevice {
    cell: Arc<Cell>,
    word: u64,
    prim: PrimType,
    dims: Vec<usize>,
    /// Whether others were told where it is: they may have launched what reads it.
    lent: AtomicBool,
}

impl OnDevice {
    /// The address of its elements on the device, in row-major order, for the program itself.
    pub fn place(&self) -> *mut u8 {
        // SAFETY: the word is a buffer of the program.
        self.cell.program.support.place.map_or(std::ptr::null_mut(), |place| unsafe { place(self.word as *mut c_void) }.cast())
    }
    /// The same for others, who may use it in any stream: the memory is not given back before all is done that was launched until then.
    pub fn lend(&self) -> *mut u8 {
        self.lent.store(true, Ordering::Relaxed);
        self.place()
    }
    /// The type of the elements.
    pub fn prim(&self) -> PrimType {
        self.prim
    }
    /// The sizes.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }
    /// The number of the device.
    pub fn number(&self) -> i32 {
        self.cell.program.device.as_ref().map_or(0, |device| device.number())
    }
    /// Copies the elements to the memory of the processor.
    ///
    /// # Errors
    /// E0810: the device fails, or belongs to the process that this one was forked off from.
    pub fn get(&self, to: &mut [u8]) -> Result<(), Box<Diagnostic>> {
        let refuse = |what: String| Box::new(Diagnostic::bare(Code::DeviceFailed, what));
        if self.cell.process != FORKS.load(Ordering::Relaxed) {
            return Err(refuse("the array is on the device of the process that this one was forked off from".into()));
        }
        let Some(device) = &self.cell.program.device else { return Err(refuse("the array is on no device".into())) };
        let bytes = (self.dims.iter().product::<usize>() * self.prim.bytes()).min(to.len());
        if bytes == 0 {
            return Ok(());
        }
        let _held = self.cell.enter();
        // Others may write to it, in their streams.
        let ready = !self.lent.load(Ordering::Relaxed) || device.finish();
        // SAFETY: the array has so many bytes, and there is room for them; the table is that of the device.
        let failed = unsafe {
            let table = &*device.table();
            !ready || (table.get)(table.this, to.as_mut_ptr().cast(), self.place().cast_const().cast(), bytes as i64) != 0
        };
        if failed { Err(refuse(message(device.as_ref()))) } else { Ok(()) }
    }
}

impl Drop for OnDevice {
    fn drop(&mut self) {
        self.cell.release(Given { word: self.word, lent: self.lent.load(Ordering::Relaxed) });
    }
}

/// A buffer that is given back.
#[derive(Debug, Clone, Copy)]
struct Given {
    word: u64,
    /// Whether others may have launched what reads it.
    lent: bool,
}

/// A compiled program with its context, in the process that made it.
struct Cell {
    process: u32,
    program: Program,
    wrapper: Wrapper,
    /// The same for arrays on the device, if there is one.
    resident: Option<Wrapper>,
    /// Held by whoever uses the context.
    busy: Mutex<()>,
    /// Buffers that were given back while the context was in use.
    waiting: Mutex<Vec<Given>>,
}

// SAFETY: the context, and the device if there is one, are only used by whoever holds `busy`; nothing else of the program changes.
unsafe impl Send for Cell {}
// SAFETY: as above.
unsafe impl Sync for Cell {}

impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cell").field("process", &self.process).finish_non_exhaustive()
    }
}

/// The context, for as long as this is kept: no other thread has it, and the device is this thread's.
struct Held<'a> {
    cell: &'a Cell,
    _busy: MutexGuard<'a, ()>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(device) = &self.cell.program.device {
            device.leave();
        }
    }
}

impl Cell {
    /// Waits for the context.
    fn enter(&self) -> Held<'_> {
        self.hold(self.busy.lock().unwrap_or_else(PoisonError::into_inner))
    }
    fn hold<'a>(&'a self, busy: MutexGuard<'a, ()>) -> Held<'a> {
        if let Some(device) = &self.program.device {
            device.enter();
        }
        Held { cell: self, _busy: busy }
    }
    /// Gives back a buffer, now or, where the context is in use, once it is not.
    fn release(&self, given: Given) {
        // Of a process that was forked off, this is a copy that nobody else has, in an unknown state.
        if self.process != FORKS.load(Ordering::Relaxed) {
            return;
        }
        match self.busy.try_lock() {
            Ok(busy) => self.hold(busy).free(given),
            Err(TryLockError::Poisoned(busy)) => self.hold(busy.into_inner()).free(given),
            Err(TryLockError::WouldBlock) => self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(given),
        }
    }
}

impl Held<'_> {
    /// Gives back a buffer.
    fn free(&self, given: Given) {
        let program = &self.cell.program;
        if let (true, Some(device)) = (given.lent, &program.device) {
            // Where the device has failed, it is said by whoever uses it next.
            device.finish();
        }
        // SAFETY: the buffer is one of this context, and ours.
        unsafe { (program.support.release)(program.context, given.word as *mut c_void) }
    }
    /// Gives back what waits.
    fn drain(&self) {
        let waiting = std::mem::take(&mut *self.cell.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(|given| self.free(given));
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        // The context and the device are given up by the thread that uses them, which leaves the device by that.
        if let Some(device) = &self.program.device {
            device.enter();
        }
    }
}

/// What a result looks like.
#[derive(Debug)]
struct Form {
    prim: PrimType,
    shape: Vec<Size>,
    /// The number of its first word among those that are returned, and how many it has.
    at: usize,
    words: usize,
}

/// An entry point of a compiled program that any thread may call; threads take turns. A process that is forked off has a context of its own.
pub struct Shared {
    built: Built,
    define: Define,
    threads: usize,
    results: Vec<Form>,
    /// Where the value of a variable is that sizes of results mention: among the parameters, and behind them the results.
    places: FxHashMap<Var, usize>,
    params: usize,
    /// How many words are returned.
    returned: usize,
    cell: AtomicPtr<Cell>,
}

impl Shared {
    /// The entry point `define` of a program that was compiled for it.
    ///
    /// # Errors
    /// E0616: the library cannot be loaded; E0507.
    pub fn new(built: Built, define: &Define, threads: usize) -> Result<Shared, Box<Diagnostic>> {
        let cell = Shared::open(&built, define, threads)?;
        let program = built.program();
        let fun = program.funs.iter().map(|(_, fun)| fun).find(|fun| fun.entry && fun.name == define.name);
        let fun = fun.ok_or_else(|| missing(define))?;
        let words = |var: &Var| program.ty(*var).words();
        let mut next = 0;
        let mut place = |var: &Var| {
            next += words(var);
            (*var, next - words(var))
        };
        let places: FxHashMap<Var, usize> = fun.params.iter().chain(&fun.results).map(&mut place).collect();
        let params: usize = fun.params.iter().map(words).sum();
        let form = |var: &Var| Form {
            prim: program.ty(*var).elem,
            shape: program.ty(*var).shape.clone(),
            at: places.get(var).copied().unwrap_or_default() - params,
            words: words(var),
        };
        let results = fun.results.iter().map(form).collect();
        let returned = fun.results.iter().map(words).sum();
        Ok(Shared { built, define: define.clone(), threads, results, places, params, returned, cell: AtomicPtr::new(raw(cell)) })
    }

    /// A context of its own.
    fn open(built: &Built, define: &Define, threads: usize) -> Result<Cell, Box<Diagnostic>> {
        let program = built.load(threads)?;
        let (wrapper, resident) = (program.wrapper(define)?, program.resident(program.entry(define)?.0));
        if let Some(device) = &program.device {
            device.leave();
        }
        let process = FORKS.load(Ordering::Relaxed);
        Ok(Cell { process, program, wrapper, resident, busy: Mutex::default(), waiting: Mutex::default() })
    }

    /// The context of this process.
    fn cell(&self) -> Result<Arc<Cell>, Box<Diagnostic>> {
        let found = self.cell.load(Ordering::Acquire);
        // SAFETY: the pointer came from an `Arc`, one reference of which is kept for as long as this lives.
        let cell = unsafe {
            Arc::increment_strong_count(found);
            Arc::from_raw(found.cast_const())
        };
        if cell.process == FORKS.load(Ordering::Relaxed) {
            return Ok(cell);
        }
        // A thread that is not there any more may have held its locks: nothing of it is used again, and nothing is freed.
        std::mem::forget(cell);
        let fresh = raw(Shared::open(&self.built, &self.define, self.threads)?);
        if self.cell.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire).is_err() {
            // SAFETY: the pointer was made above, and nobody else has it.
            drop(unsafe { Arc::from_raw(fresh.cast_const()) });
        }
        self.cell()
    }

    /// The number of words that [`Shared::call`] takes.
    pub fn params(&self) -> usize {
        self.params
    }

    /// Calls the entry point with the values of its sizes, then the components of its arguments: scalars in the low bytes of a word,
    /// arrays as addresses of their elements.
    ///
    /// # Safety
    /// The words are those that the entry point takes: [`Shared::params`] many, and arrays are as large as the sizes say.
    ///
    /// Between parts of its work the program looks at `stop`, and ends where that is not 0.
    ///
    /// # Errors
    /// What the program fails with.
    pub unsafe fn call(&self, words: &[u64], stop: Option<&'static AtomicI32>) -> Result<Vec<Output>, Ended> {
        let cell = self.cell().map_err(Ended::Failed)?;
        let mut out = vec![0u64; self.returned.max(1)];
        {
            let held = cell.enter();
            held.drain();
            let flag = stop.map_or(std::ptr::null(), |stop| stop.as_ptr().cast_const());
            // SAFETY: the flag lives as long as the process. The caller has seen to it that the words are those of the entry point, and
            // there is room for its results.
            let failed = unsafe {
                if let Some(name) = cell.program.support.stop {
                    name(cell.program.context, flag);
                }
                (cell.wrapper)(cell.program.context, words.as_ptr(), out.as_mut_ptr()) != 0
            };
            if failed {
                let stopped = stop.is_some_and(|stop| stop.load(Ordering::Relaxed) != 0);
                return Err(if stopped { Ended::Stopped } else { Ended::Failed(cell.program.failure()) });
            }
        }
        self.outputs(&cell, words, &out, false).map_err(Ended::Failed)
    }

    /// Calls the entry point of a program for a device: arrays may be on the device, and results stay there.
    ///
    /// # Safety
    /// As for [`Shared::call`]; what stands for arrays on the device are addresses of as many elements there as the sizes say, and streams.
    ///
    /// # Errors
    /// E0810: an array is where the device does not reach it, and what else the program fails with.
    pub unsafe fn call_resident(&self, given: &[Word]) -> Result<Vec<Output>, Box<Diagnostic>> {
        let cell = self.cell()?;
        let nowhere = || Box::new(Diagnostic::bare(Code::DeviceFailed, "the program is for processors"));
        let (Some(device), Some(resident)) = (&cell.program.device, cell.resident) else { return Err(nowhere()) };
        let mut out = vec![0u64; self.returned.max(1)];
        let words = {
            let held = cell.enter();
            held.drain();
            let failed = || Box::new(Diagnostic::bare(Code::DeviceFailed, message(device.as_ref())));
            // SAFETY: the table lives as long as the device.
            let mut made = Resident { table: unsafe { *device.table() }, words: Vec::with_capacity(given.len()), arrays: Vec::new() };
            for word in given {
                match *word {
                    Word::Plain(word) => made.words.push(word),
                    Word::Host(bytes) => made.put(device.as_ref(), bytes)?,
                    Word::Device(place, stream) => {
                        if !(place.is_null() || device.reaches(place)) || !stream.is_none_or(|stream| device.wait_for(stream)) {
                            return Err(failed());
                        }
                        made.words.push(place as u64);
                    }
                }
            }
            // SAFETY: the caller has seen to it that the words are those of the entry point, and there is room for its results.
            if unsafe { resident(cell.program.context, made.words.as_ptr(), out.as_mut_ptr()) } != 0 {
                return Err(cell.program.failure());
            }
            std::mem::take(&mut made.words)
        };
        self.outputs(&cell, &words, &out, true)
    }

    /// What a call has returned; arrays `stay` on the device.
    fn outputs(&self, cell: &Arc<Cell>, words: &[u64], out: &[u64], stay: bool) -> Result<Vec<Output>, Box<Diagnostic>> {
        // What is owned is given back even if something is wrong with the sizes of another.
        let wrong = || Box::new(Diagnostic::bare(Code::MalformedCore, "a result has no shape"));
        let output = |form: &Form| {
            let words = out.get(form.at..form.at + form.words)?;
            Some(match form.shape.is_empty() {
                true => Output::Scalar(Scalar::of_words(words, form.prim)?),
                false if stay => {
                    let lent = AtomicBool::new(false);
                    Output::Device(OnDevice { cell: cell.clone(), word: words[0], prim: form.prim, dims: Vec::new(), lent })
                }
                false => Output::Array(Owned { cell: cell.clone(), word: words[0], prim: form.prim, dims: Vec::new() }),
            })
        };
        let outputs: Vec<Output> = self.results.iter().map(output).collect::<Option<_>>().ok_or_else(wrong)?;
        let value = |var: Var| {
            let at = *self.places.get(&var)?;
            words.get(at).or_else(|| out.get(at - self.params)).map(|word| *word as i64)
        };
        let dims = |form: &Form| -> Option<Vec<usize>> {
            let size = |size: &Size| size.evaluate(&mut |var| value(var)).and_then(|n| usize::try_from(n).ok());
            form.shape.iter().map(size).collect()
        };
        let sized = |(mut output, form): (Output, &Form)| {
            match &mut output {
                Output::Array(array) => array.dims = dims(form)?,
                Output::Device(array) => array.dims = dims(form)?,
                Output::Scalar(_) => {}
            }
            Some(output)
        };
        let sized = outputs.into_iter().zip(&self.results).map(sized).collect::<Option<_>>();
        sized.ok_or_else(wrong)
    }

    /// Calls the entry point with values, and returns one: everything is copied. Messages call the arguments by these names.
    ///
    /// # Errors
    /// Those of [`Program::call`].
    pub fn call_values(&self, called: &[Option<Symbol>], args: Vec<Value>) -> Result<Value, Box<Diagnostic>> {
        let cell = self.cell()?;
        let held = cell.enter();
        held.drain();
        if let Some(name) = cell.program.support.stop {
            // SAFETY: the context is that of the program.
            unsafe { name(cell.program.context, std::ptr::null()) }
        }
        cell.program.call(&self.define, called, args)
    }

    /// Whether the program is for a device.
    pub fn is_on_device(&self) -> bool {
        matches!(self.built, Built::Device(_))
    }

    /// The most bytes that arrays took since the last call; nothing while the program runs.
    pub fn peak_bytes(&self) -> Option<i64> {
        let cell = self.cell().ok()?;
        let _held = cell.busy.try_lock().ok()?;
        Some(cell.program.peak_bytes())
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let cell = self.cell.load(Ordering::Acquire);
        // SAFETY: the pointer came from an `Arc`, and this is the reference that was kept.
        let cell = unsafe { Arc::from_raw(cell.cast_const()) };
        if cell.process != FORKS.load(Ordering::Relaxed) {
            std::mem::forget(cell);
        }
    }
}

fn raw(cell: Cell) -> *mut Cell {
    Arc::into_raw(Arc::new(cell)).cast_mut()
}
