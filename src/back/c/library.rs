//! Libraries for processors: the program with its entry wrappers, and a header that describes them.

use super::text;
use crate::back::text::{Interface, Places, Shown, Wrappers, sanitized, wrapper_names};
use crate::base::{Span, Symbol};
use crate::ir::imp;
use crate::ir::soac::Program;

/// A library as text.
#[derive(Debug, Clone)]
pub struct LibraryText {
    /// The C program.
    pub source: String,
    /// The header.
    pub header: String,
}

/// The library of a program, whose entry points take and return what `interface` says; the names of its functions are `prefix` and those in
/// `names`, one for each function of the program. `imp` was made from `program`; `shown` names a place in the source.
pub fn library(
    program: &Program,
    interface: &Interface,
    imp: &imp::Program,
    prefix: &str,
    names: &[Symbol],
    strict: bool,
    shown: &dyn Fn(Span) -> Shown,
) -> LibraryText {
    let prefix = sanitized(prefix);
    let mut places = Places::default();
    let head = format!("#define REMORA_LIBRARY\n{}", if strict { "#define REMORA_STRICT\n" } else { "" });
    let mut source = text(imp, &head, &mut places);
    let wrappers = Wrappers { program, interface, prefix: &prefix, names: wrapper_names(program, interface, names, &[]), device: None };
    source.push_str(&wrappers.text(&places, shown));
    LibraryText { source, header: wrappers.header() }
}
