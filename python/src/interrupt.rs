//! Interrupts from the keyboard: a call ends early, and Python does what it does with them.
//!
//! Python's own handler leaves a mark and returns to what was interrupted. During calls on the main thread another stands in front of it, which
//! also sets what compiled programs look at.

use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// What compiled programs look at.
static STOP: AtomicI32 = AtomicI32::new(0);
/// The handler that was there before, as a number.
static BEFORE: AtomicUsize = AtomicUsize::new(0);
/// The flags of that.
static FLAGS: AtomicI32 = AtomicI32::new(0);

/// For so long after a look nobody is expected to have named another handler.
const TRUSTED: Duration = Duration::from_millis(1);

thread_local! {
    /// When it was last looked whether the handler is still ours, and it was.
    static SEEN: Cell<Option<Instant>> = const { Cell::new(None) };
}

type Plain = extern "C" fn(libc::c_int);
type Informed = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    STOP.store(1, Ordering::Relaxed);
    let before = BEFORE.load(Ordering::Relaxed);
    if before == libc::SIG_DFL || before == libc::SIG_IGN {
        return;
    }
    // SAFETY: that is the handler which stood here, called as the system would.
    unsafe {
        if FLAGS.load(Ordering::Relaxed) & libc::SA_SIGINFO != 0 {
            std::mem::transmute::<usize, Informed>(before)(signal, info, context);
        } else {
            std::mem::transmute::<usize, Plain>(before)(signal);
        }
    }
}

/// Sees to it that interrupts end calls of compiled programs that look at what this returns. Where nobody handles them, nothing is changed.
pub fn watch() -> Option<&'static AtomicI32> {
    if SEEN.get().is_some_and(|seen| seen.elapsed() < TRUSTED) {
        STOP.store(0, Ordering::Relaxed);
        return Some(&STOP);
    }
    let mut found = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: the system fills in what it is given.
    let found = unsafe {
        if libc::sigaction(libc::SIGINT, std::ptr::null(), found.as_mut_ptr()) != 0 {
            return None;
        }
        found.assume_init()
    };
    STOP.store(0, Ordering::Relaxed);
    let own = handle as *const () as usize;
    if found.sa_sigaction == own {
        SEEN.set(Some(Instant::now()));
        return Some(&STOP);
    }
    if found.sa_sigaction == libc::SIG_DFL || found.sa_sigaction == libc::SIG_IGN {
        return None;
    }
    BEFORE.store(found.sa_sigaction, Ordering::Relaxed);
    FLAGS.store(found.sa_flags, Ordering::Relaxed);
    let mut ours = found;
    ours.sa_sigaction = own;
    ours.sa_flags |= libc::SA_SIGINFO;
    // SAFETY: the handler does nothing but to set a number and to call the one before.
    (unsafe { libc::sigaction(libc::SIGINT, &ours, std::ptr::null_mut()) } == 0).then_some(&STOP)
}

/// What Python does after a call that ended early: raises `KeyboardInterrupt`, as a rule.
pub fn check(_: Python<'_>) -> PyResult<()> {
    // SAFETY: the interpreter is held.
    match unsafe { ffi::PyErr_CheckSignals() } {
        0 => Ok(()),
        _ => Err(Python::attach(PyErr::fetch)),
    }
}
