//! From files to a program whose names are known.
//!
//! [`load`] parses the standard library, the files of the user and everything they import, in order of dependency, and
//! finds out what every name stands for. Rules:
//!
//! - A definition is visible from the one after it to the end of its file; a later one of the same name hides it. So
//!   there is no recursion.
//! - A file sees the standard library, the definitions of the files it imports itself (except `local` ones) and its own.
//! - Local variables hide definitions; variables and definitions hide the scalar modules (`f32.sqrt`).
//! - Types have their own names; scalar types come last.
//! - A parameter's names are visible in the types of the parameters after it, in the result type and in the body.

mod depend;
mod files;
mod scope;
mod walk;

pub use crate::diag::closest;
use crate::diag::suggest;
pub use depend::{dependencies, reachable};
pub use files::Loader;

use crate::base::{FileId, SourceMap, Symbol};
use crate::diag::Diagnostic;
use crate::ir::surface::Decl;
use crate::ir::tables::{Program, TypeRes};
use rustc_hash::FxHashMap;

/// What a file offers to those that import it, and to what comes after it in itself.
#[derive(Default)]
struct Globals {
    terms: FxHashMap<Symbol, crate::ir::tables::DefId>,
    types: FxHashMap<Symbol, TypeRes>,
}

/// Loads and resolves a program: the standard library, the given files, and all that they import.
///
/// Resolution goes on after errors, so that one run reports all of them; names that mean nothing have no entry.
pub fn load(sources: &mut SourceMap, loader: &dyn Loader, roots: &[FileId]) -> (Program, Vec<Diagnostic>) {
    let mut program = Program::default();
    let loaded = files::load_all(&mut program, sources, loader, roots);
    let mut diagnostics = loaded.diagnostics;
    let mut exports: FxHashMap<FileId, Globals> = FxHashMap::default();
    let mut uniques = scope::Uniques::default();
    let prelude_file = program.units.first().map(|u| u.source.file);
    let mut prelude = Globals::default();
    for index in 0..program.units.len() {
        let file = program.units[index].source.file;
        let imports = loaded.imports.get(&file).map_or(&[][..], Vec::as_slice);
        let context = walk::Context { prelude: &prelude, exports: &exports, imports };
        let offered = walk::unit(&mut program, index, &context, &mut uniques, &mut diagnostics);
        if Some(file) == prelude_file {
            prelude = offered;
        } else {
            exports.insert(file, offered);
        }
    }
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
