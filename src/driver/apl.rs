//! APL scripts: their core, and the functions of the library that they use.

use super::{Checked, check_plain, validate_core};
use crate::base::{FileId, SourceMap, Symbol};
use crate::front::apl::{self, Request};
use crate::front::resolve::Loader;
use crate::ir::core::{Define, Expr, ExprKind};
use std::time::Instant;

/// Whether a file of this name is APL.
pub fn is_apl(name: &str) -> bool {
    name.ends_with(".apl")
}

/// Makes a script explicit.
pub(super) fn check(sources: &mut SourceMap, loader: &dyn Loader, root: FileId, request: Option<&Request>) -> Checked {
    let start = Instant::now();
    let mut elaborated = super::step("apl", || apl::program(sources, loader, root, request));
    let made = start.elapsed();
    let mut checked = library(sources, loader, &elaborated);
    let core = std::mem::take(&mut elaborated.program);
    checked.core.defs.iter_mut().for_each(|define| define.entry = false);
    checked.core.defs.extend(core.defs);
    checked.diagnostics.extend(std::mem::take(&mut elaborated.diagnostics));
    checked.apl = Some(elaborated);
    checked.stats.times.elaborate += made;
    validate_core(sources, &checked);
    checked
}

/// What a script uses of the library, checked as a program of the surface language.
fn library(sources: &mut SourceMap, loader: &dyn Loader, elaborated: &apl::Elaborated) -> Checked {
    if elaborated.library.is_empty() {
        return Checked::default();
    }
    let mut lines: Vec<&str> = Vec::new();
    let texts = apl::LIBRARY.iter().filter(|(name, _)| elaborated.library.contains(name)).map(|(_, text)| *text);
    texts.flat_map(str::lines).for_each(|line| {
        if !lines.contains(&line) {
            lines.push(line);
        }
    });
    let (imports, definitions): (Vec<&str>, Vec<&str>) = lines.into_iter().partition(|line| line.starts_with("import"));
    let text = [imports, definitions].concat().join("\n") + "\n";
    let file = sources.add("<the library of APL>", text);
    let mut checked = check_plain(sources, loader, file);
    // Names in core are unique, those of the library may have been changed.
    let mut aliases = Vec::new();
    for name in &elaborated.library {
        let wanted = Symbol::new(name);
        let made = checked.core.defs.iter().find(|define| checked.source_name(define.name) == wanted && define.span.file == file);
        if let Some(made) = made.filter(|made| made.name != wanted) {
            let body = Expr::new(ExprKind::Var(made.name), made.span);
            aliases.push(Define { name: wanted, ty: made.ty.clone(), body, entry: false, recursive: false, span: made.span });
        }
    }
    checked.core.defs.extend(aliases);
    checked
}

impl Checked {
    /// Whether a definition of core is one of an APL script.
    pub(super) fn is_apl_definition(&self, core_name: Symbol) -> bool {
        self.apl.as_ref().is_some_and(|apl| apl.forms.contains_key(&core_name))
    }
}
