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
    panic!("internal error in the pass `{pass}`: {what}");
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
        Bug { pass: PASS.get(), span: Span::default(), place: None, what: text.unwrap_or("a panic without a message").to_string() }
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
    fn other_panics_are_blamed_on_the_pass_that_ran() {
        let empty: [i64; 0] = std::hint::black_box([]);
        let bug = catch(|| in_pass("fuse", |_| String::new(), || empty[std::hint::black_box(2)])).expect_err("it stops");
        assert!(bug.pass == "fuse" && bug.what.contains("index out of bounds") && bug.place.is_none(), "{bug:?}");
        // What comes after it has nothing to do with it.
        assert_eq!(in_pass("flatten", |_| String::new(), || 7), 7);
        assert_eq!(catch(|| ice!(Span::default(), "later")).expect_err("it stops").pass, "no pass");
    }
}
