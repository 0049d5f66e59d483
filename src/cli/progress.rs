//! A sign of life on the terminal while something takes long.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// What takes less is not worth a word.
const PATIENCE: Duration = Duration::from_millis(700);

static ALLOWED: AtomicBool = AtomicBool::new(false);

/// Says whether people read standard error.
pub fn allow(allowed: bool) {
    ALLOWED.store(allowed, Ordering::Relaxed);
}

/// A line on the terminal that says what is being done, and for how long, until it is dropped. Nothing where standard error is no terminal.
pub struct Spinner {
    end: Option<Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Spinner {
    pub fn new(what: &'static str) -> Spinner {
        if !ALLOWED.load(Ordering::Relaxed) || !std::io::stderr().is_terminal() {
            return Spinner { end: None, thread: None };
        }
        let (end, ended) = channel();
        let show = move || {
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_message(what);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} ({elapsed})") {
                bar.set_style(style);
            }
            while ended.recv_timeout(Duration::from_millis(100)) == Err(RecvTimeoutError::Timeout) {
                bar.tick();
            }
            bar.finish_and_clear();
        };
        let thread = std::thread::Builder::new().name("progress".into()).spawn(show).ok();
        Spinner { end: Some(end), thread }
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}
