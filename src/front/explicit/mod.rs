//! Surface and tables to source text in which every inserted `map` and `rep` is written out.
//!
//! The text is valid input with the same meaning that infers to itself: nothing is inserted when it is read again. What
//! needs no insertion is copied as the user wrote it, comments and layout included. An application with insertions
//! becomes a nest of `map` to `map5` (more arrays are zipped) and `rep`, by the rules of AUTOMAP:
//!
//! - maps needed by later arguments go outside; a replication that an earlier map of the same application induces
//!   vanishes, its argument is simply constant over those dimensions;
//! - a constant argument that is work to evaluate is bound by `let` in front of the nest, so that it is evaluated once and
//!   its size is known outside;
//! - bound names never hide a name that is used under them. Local variables called `map` or the like get a prime; where
//!   a definition of the user hides such a name, another map of the library is used to the same effect.

mod children;
mod emit;
mod frames;
pub mod html;
mod insertions;
mod names;
pub mod nest;
mod plan;
#[cfg(test)]
pub(crate) mod tests;
mod types;
mod write;

pub use children::{Level, Part, of_expr};
pub use frames::{frames, frames_of};
pub use insertions::{ApplicationReport, applications, function_text, head_span, shorten};
pub use types::{namer, show_type};

use crate::base::SourceMap;
use crate::ir::surface::ExprId;
use crate::ir::tables::{DefId, DefKind, Program, Tables};
use std::ops::Range;

/// Prints definitions of one program.
pub struct Printer<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    hidden: names::Hidden,
}

impl<'a> Printer<'a> {
    /// Prepares for a program.
    pub fn new(program: &'a Program, sources: &'a SourceMap) -> Printer<'a> {
        Printer { program, sources, hidden: names::Hidden::new(program) }
    }

    /// The fully explicit definition.
    pub fn source(&self, tables: &Tables, def: DefId) -> String {
        self.marked(tables, def).0
    }

    /// The fully explicit definition, and where the names of maps and `rep`s that were inserted stand in it.
    pub fn marked(&self, tables: &Tables, def: DefId) -> (String, Vec<Range<usize>>) {
        match &self.program.defs[def].decl {
            DefKind::Def(decl) => write::Writer::new(self, tables, def, None).declaration(decl),
            DefKind::Val(decl) => (self.sources.snippet(decl.span).to_string(), Vec::new()),
        }
    }

    /// An expression of `def`, fully explicit.
    pub fn expression(&self, tables: &Tables, def: DefId, expr: ExprId) -> String {
        write::Writer::new(self, tables, def, Some(expr)).whole(expr)
    }

    /// What people read: the definition's type, what was inserted and where, and the fully explicit definition. The type is
    /// printed from the tables, without sizes, unless the caller has a better text.
    pub fn pretty(&self, tables: &Tables, def: DefId, ty: Option<&str>) -> String {
        insertions::pretty(self, tables, def, ty)
    }

    /// The type of a definition as text; empty before inference.
    pub fn type_of(&self, tables: &Tables, def: DefId) -> String {
        match tables.defs.get(def) {
            Some(signature) => show_type(&signature.ty, &namer(self.program, signature)),
            None => String::new(),
        }
    }

    /// Names of the library that must be written out in some definition but cannot be named there, because a definition
    /// of the user has the name: `rep` has no substitute.
    pub fn unspeakable(&self, def: DefId) -> bool {
        self.hidden.spell("rep", def).is_none()
    }
}
