//! `remora`: a compiler for array programs written without `map`.
//!
//! The layers, in the order in which a program goes through them:
//!
//! ```text
//!  text --front--> core --middle--> soac, kernels --back--> C, CUDA
//!                    |                 |
//!                    +---- interp -----+        what each of these languages means
//! ```
//!
//! [`ir`] has the languages, [`driver`] the order of the passes, [`cli`] the commands; [`embed`] is what bindings to other languages use.

#![cfg_attr(not(test), deny(clippy::too_many_lines))]

pub mod back;
pub mod base;
pub mod cli;
pub mod diag;
pub mod driver;
pub mod editor;
pub mod front;
pub mod interp;
pub mod ir;
pub mod middle;
pub mod rank;
pub mod runtime;
pub mod theory;

pub use cli::embed;
