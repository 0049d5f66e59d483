//! From files to a program whose names are known.
//!
//! [`load`] parses the standard library, the files of the user and everything they import, in order of dependency, and
//! finds out what every name stands for. Rules:
//!
//! - A definition is visible from the one after it to the end of its file; a later one of the same name hides it. A
//!   definition with parameters sees itself (`docs/recursion.md`).
//! - A file sees the standard library, the definitions of the files it imports itself (except `local` ones) and its own. `import` makes
//!   the definitions of a file visible; `open import` also offers them to others.
//! - Local variables hide definitions and modules; later definitions hide earlier ones, modules hide values of the standard library, and
//!   the scalar modules (`f32.sqrt`) come last.
//! - Modules do not outlive this pass: `m.x` is a definition like any other (`modules`, `signature`).
//! - Types have their own names; scalar types come last.
//! - A parameter's names are visible in the types of the parameters after it, in the result type and in the body.

mod asked;
mod build;
mod complain;
mod consequences;
mod depend;
mod error;
mod files;
mod modules;
mod report;
mod scope;
mod signature;
mod unused;
mod walk;
mod words;

pub use crate::diag::closest;
use crate::diag::suggest;
pub use depend::{dependencies, reachable};
pub use files::{Loader, library_paths, normalise};

use crate::base::{FileId, SourceMap};
use crate::diag::Diagnostic;
use crate::ir::surface::Decl;
use crate::ir::tables::Program;
use std::rc::Rc;

/// Loads and resolves a program: the standard library, the given files, and all that they import.
///
/// Resolution goes on after errors, so that one run reports all of them; names that mean nothing have no entry.
pub fn load(sources: &mut SourceMap, loader: &dyn Loader, roots: &[FileId]) -> (Program, Vec<Diagnostic>) {
    let mut program = Program::default();
    let loaded = files::load_all(&mut program, sources, loader, roots);
    let units = std::mem::take(&mut program.units);
    let idle = asked::idle_modules(&units, sources);
    let mut builder = build::Builder::new(&mut program, loaded.imports, idle);
    let prelude = units.first().map(|unit| unit.source.file);
    for unit in &units {
        let offered = Rc::new(builder.unit(unit));
        if Some(unit.source.file) == prelude {
            builder.prelude_types(&offered);
            builder.files.prelude = offered;
        } else {
            builder.files.exports.insert(unit.source.file, offered);
        }
    }
    let (names, foreign) = (std::mem::take(&mut builder.errors), std::mem::take(&mut builder.foreign));
    let diagnostics = consequences::without(&units, loaded.problems, names, &foreign);
    program.units = units;
    (program, diagnostics)
}

/// The declaration under any number of `local`s, and whether there was one.
fn peel(mut decl: &Decl) -> (&Decl, bool) {
    let mut local = false;
    while let Decl::Local(inner) = decl {
        decl = inner;
        local = true;
    }
    (decl, local)
}
