//! What the texts for processors and for devices share, all of it C: names, literals and scalar expressions, statements, where variables are
//! declared, messages of failures, and the entry wrappers of libraries. `Emitter` prints what is the same everywhere; a `Dialect` says what
//! its text has in a way of its own.

mod emitter;
pub(in crate::back) mod expr;
mod failures;
mod handles;
mod names;
mod scope;
mod stmt;
mod wrappers;

pub(in crate::back) use emitter::{Dialect, Emitter, Text};
pub use failures::Places;
pub(in crate::back) use failures::message;
pub use handles::Interface;
pub(in crate::back) use names::{c_type, function_name, sanitized, variable_name};
pub use wrappers::Shown;
pub(in crate::back) use wrappers::{Device, Wrappers, wrapper_names};
