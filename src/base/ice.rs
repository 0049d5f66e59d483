//! Internal errors: what cannot be, unless the compiler is wrong.
//!
//! A pass that meets such a state stops with [`ice!`](crate::ice). That unwinds, as any panic does, to the one place that
//! [catches](catch) it and tells the user which pass it was. Nothing falls back because of an internal error.

use super::Span;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A mistake of the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bug {
    /// The pass that found it: the step of the pipeline that ran.
    pub pass: &'static str,
    /// The place in the user's program that it worked on; the default span where it is not known.
    pub span: Span,
    /// That place in words, `file:line:column`, where a step of the pipeline could tell.
    pub place: Option<String>,
    /// What is wrong.
    pub what: String,
}

thread_local! {
    /// The step of the pipeline that runs on this thread.
    static PASS: Cell<&'static str> = const { Cell::new("no pass") };
    /// What stopped it, while it unwinds.
    static STOPPED: RefCell<Option<Bug>> = const { RefCell::new(None) };
}

/// Stops with an internal error: `ice!(span, "what is wrong: {}", detail)`. The first argument is the place in the user's program,
/// `Span::default()` where there is none.
#[macro_export]
macro_rules! ice {
    ($span:expr, $($what:tt)+) => {
        $crate::base::ice::stop($span, format!($($what)+))
    };
}

/// What [`ice!`](crate::ice) does.
#[track_caller]
pub fn stop(span: Span, what: String) -> ! {
    let pass = PASS.get();
    STOPPED.set(Some(Bug { pass, span, place: None, what: what.clone() }));
    panic!("{}{what}", begins(pass));
}

/// How messages of internal errors begin.
fn begins(pass: &str) -> String {
    format!("internal error in the pass `{pass}`: ")
}

/// Runs a part of a step under a name of its own, which is blamed for what stops in it.
pub fn named<R>(pass: &'static str, work: impl FnOnce() -> R) -> R {
    let outer = PASS.replace(pass);
    let result = work();
    // Where it stops the name stays, for who catches that.
    PASS.set(outer);
    result
}

/// The step that runs on this thread, for threads that work for it ([`named`]).
pub fn running() -> &'static str {
    PASS.get()
}

/// Runs a step of the pipeline under its name. If it stops with an internal error, `place` says where in the program that was.
pub fn in_pass<R>(pass: &'static str, place: impl Fn(Span) -> String, work: impl FnOnce() -> R) -> R {
    let outer = PASS.replace(pass);
    let result = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        let mut bug = taken(payload.as_ref());
        if bug.place.is_none() && !bug.span.is_none() {
            bug.place = Some(place(bug.span));
        }
        STOPPED.set(Some(bug));
        resume_unwind(payload)
    });
    PASS.set(outer);
    result
}

/// Runs `work`; an internal error in it, or any other panic, is the result.
pub fn catch<R>(work: impl FnOnce() -> R) -> Result<R, Bug> {
    let outer = PASS.get();
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let bug = taken(payload.as_ref());
        PASS.set(outer);
        bug
    })
}

/// The internal error that unwinds with this payload.
fn taken(payload: &(dyn Any + Send)) -> Bug {
    STOPPED.take().unwrap_or_else(|| {
        let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
        let (pass, text) = (PASS.get(), text.unwrap_or("a panic without a message"));
        // What stopped on another thread that works for the step says so in its message only.
        let what = text.strip_prefix(&begins(pass)).unwrap_or(text).to_string();
        Bug { pass, span: Span::default(), place: None, what }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::FileId;

    #[test]
    fn the_innermost_pass_is_blamed() {
        let span = Span::new(FileId::default(), 3, 4);
        let place = |_: Span| "here".to_string();
        let inner = || in_pass("inner", place, || ice!(span, "the {} is missing", "sea"));
        let bug = catch(|| in_pass("outer", |_| "there".to_string(), inner)).expect_err("it stops");
        assert_eq!(bug, Bug { pass: "inner", span, place: Some("here".into()), what: "the sea is missing".into() });
    }

    #[test]
    fn parts_of_a_pass_and_threads_that_work_for_it_are_blamed() {
        let part = || named("part", || ice!(Span::default(), "the {} is missing", "sea"));
        assert_eq!(catch(|| in_pass("whole", |_| String::new(), part)).expect_err("it stops").pass, "part");
        assert_eq!(named("part", running), "part");
        let thread = || {
            let pass = running();
            let work = move || named(pass, || ice!(Span::default(), "the sea is missing"));
            std::panic::resume_unwind(std::thread::spawn(work).join().expect_err("it stops"))
        };
        let bug = catch(|| in_pass("whole", |_| String::new(), || named("part", thread))).expect_err("it stops");
        assert_eq!((bug.pass, bug.what.as_str()), ("part", "the sea is missing"));
    }

    #[test]
    fn other_panics_are_blamed_on_the_pass_that_ran() {
        let empty: [i64; 0] = std::hint::black_box([]);
        let bug = catch(|| in_pass("fuse", |_| String::new(), || empty[std::hint::black_box(2)])).expect_err("it stops");
        assert!(bug.pass == "fuse" && bug.what.contains("index out of bounds") && bug.place.is_none(), "{bug:?}");
        // What comes after it has nothing to do with it.
        assert_eq!(in_pass("flatten", |_| String::new(), || 7), 7);
        assert_eq!(catch(|| ice!(Span::default(), "later")).expect_err("it stops").pass, "no pass");
    }
}
