//! Compiled programs that any thread calls, and whose results belong to whoever asked for them: nothing is copied.

use super::{Program, Wrapper, missing};
use crate::base::{Code, PrimType, Scalar, Symbol};
use crate::cli::native::Built;
use crate::diag::Diagnostic;
use crate::ir::core::Define;
use crate::ir::soac::{Size, Var};
use crate::runtime::Value;
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU32, Ordering};
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
        self.cell.release(self.word);
    }
}

/// A compiled program with its context, in the process that made it.
struct Cell {
    process: u32,
    program: Program,
    wrapper: Wrapper,
    /// Held by whoever uses the context.
    busy: Mutex<()>,
    /// Buffers that were given back while the context was in use.
    waiting: Mutex<Vec<u64>>,
}

// SAFETY: the context is only used by whoever holds `busy`; there is no device, and nothing else of the program changes.
unsafe impl Send for Cell {}
// SAFETY: as above.
unsafe impl Sync for Cell {}

impl std::fmt::Debug for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cell").field("process", &self.process).finish_non_exhaustive()
    }
}

impl Cell {
    fn enter(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Gives back a buffer, now or, where the context is in use, once it is not.
    fn release(&self, word: u64) {
        // Of a process that was forked off, this is a copy that nobody else has, in an unknown state.
        if self.process != FORKS.load(Ordering::Relaxed) {
            return;
        }
        match self.busy.try_lock() {
            Ok(_held) => self.free(word),
            Err(TryLockError::Poisoned(_)) => self.free(word),
            Err(TryLockError::WouldBlock) => self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(word),
        }
    }
    /// Gives back a buffer; the caller has the context.
    fn free(&self, word: u64) {
        // SAFETY: the buffer is one of this context, and ours.
        unsafe { (self.program.support.release)(self.program.context, word as *mut c_void) }
    }
    /// Gives back what waits; the caller has the context.
    fn drain(&self) {
        let words = std::mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        words.into_iter().for_each(|word| self.free(word));
    }
}

/// What a result looks like.
#[derive(Debug)]
struct Form {
    prim: PrimType,
    shape: Vec<Size>,
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
    cell: AtomicPtr<Cell>,
}

impl Shared {
    /// The entry point `define` of a program that was compiled for it.
    ///
    /// # Errors
    /// E0616: the library cannot be loaded; E0507.
    pub fn new(built: Built, define: &Define, threads: usize) -> Result<Shared, Box<Diagnostic>> {
        let cell = Shared::open(&built, define, threads)?;
        let program = &built.native.program;
        let fun = program.funs.iter().map(|(_, fun)| fun).find(|fun| fun.entry && fun.name == define.name);
        let fun = fun.ok_or_else(|| missing(define))?;
        let places = fun.params.iter().chain(&fun.results).enumerate().map(|(at, var)| (*var, at)).collect();
        let form = |var: &Var| Form { prim: program.ty(*var).elem, shape: program.ty(*var).shape.clone() };
        let (results, params) = (fun.results.iter().map(form).collect(), fun.params.len());
        Ok(Shared { built, define: define.clone(), threads, results, places, params, cell: AtomicPtr::new(raw(cell)) })
    }

    /// A context of its own.
    fn open(built: &Built, define: &Define, threads: usize) -> Result<Cell, Box<Diagnostic>> {
        let program = built.load(threads)?;
        let wrapper = program.wrapper(define)?;
        Ok(Cell { process: FORKS.load(Ordering::Relaxed), program, wrapper, busy: Mutex::default(), waiting: Mutex::default() })
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
        let mut out = vec![0u64; self.results.len().max(1)];
        {
            let _held = cell.enter();
            cell.drain();
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
        self.outputs(&cell, words, &out).map_err(Ended::Failed)
    }

    fn outputs(&self, cell: &Arc<Cell>, words: &[u64], out: &[u64]) -> Result<Vec<Output>, Box<Diagnostic>> {
        // What is owned is given back even if something is wrong with the sizes of another.
        let outputs: Vec<Output> = self
            .results
            .iter()
            .zip(out)
            .map(|(form, word)| match form.shape.is_empty() {
                true => Output::Scalar(Scalar::of_word(*word, form.prim)),
                false => Output::Array(Owned { cell: cell.clone(), word: *word, prim: form.prim, dims: Vec::new() }),
            })
            .collect();
        let value = |var: Var| {
            let at = *self.places.get(&var)?;
            words.get(at).or_else(|| out.get(at - self.params)).map(|word| *word as i64)
        };
        let sized = |(output, form): (Output, &Form)| match output {
            Output::Array(mut owned) => {
                let size = |size: &Size| size.evaluate(&mut |var| value(var)).and_then(|n| usize::try_from(n).ok());
                owned.dims = form.shape.iter().map(size).collect::<Option<_>>()?;
                Some(Output::Array(owned))
            }
            scalar @ Output::Scalar(_) => Some(scalar),
        };
        let sized = outputs.into_iter().zip(&self.results).map(sized).collect::<Option<_>>();
        sized.ok_or_else(|| Box::new(Diagnostic::bare(Code::MalformedCore, "a result has no shape")))
    }

    /// Calls the entry point with values, and returns one: everything is copied. Messages call the arguments by these names.
    ///
    /// # Errors
    /// Those of [`Program::call`].
    pub fn call_values(&self, called: &[Option<Symbol>], args: Vec<Value>) -> Result<Value, Box<Diagnostic>> {
        let cell = self.cell()?;
        let _held = cell.enter();
        cell.drain();
        if let Some(name) = cell.program.support.stop {
            // SAFETY: the context is that of the program.
            unsafe { name(cell.program.context, std::ptr::null()) }
        }
        cell.program.call(&self.define, called, args)
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
