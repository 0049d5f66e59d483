//! APL: `.apl` files to explicit core.
//!
//! A script is executed without its numbers: a value is a kind of elements, a shape of symbolic sizes, and the core that computes it. Kinds
//! and ranks are always known, so every glyph means one function, dfns are made anew for the types of each call, and nothing is inferred
//! backwards. What is not known, sizes that depend on data, has names in core and is checked there. `docs/apl.md` is the language.
//!
//! `tree` reads words and brackets, `sentence` finds out which words are functions and what belongs to what, `machine` and `loops` execute: names,
//! calls, guards, loops. What the glyphs mean is in `prims` and the modules that it names; `build` puts core together; `program` has files and
//! entry points. What is wrong is data, `error`, until `report` puts it into words.

mod build;
mod error;
mod functions;
mod glyph;
mod groups;
mod index;
mod join;
mod library;
mod lift;
mod lookup;
mod loops;
mod machine;
mod operators;
mod parts;
mod prims;
mod program;
mod ragged;
mod recursion;
mod reduce;
mod report;
mod scalar;
mod search;
mod sentence;
mod structure;
mod system;
mod text;
mod tree;
mod value;
pub mod words;

pub use build::Form;
pub use glyph::{Class, GLYPHS, Glyph};
pub use library::LIBRARY;
pub use machine::Note;
pub use program::{Elaborated, Parameter, Request, declared_parameters, program};
pub use value::Kind;
