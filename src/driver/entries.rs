//! What is said of entry points that cannot be called as they are.

use crate::base::{Code, Span, Symbol};
use crate::diag::Diagnostic;
use crate::interp;
use crate::ir::core::Define;
use crate::ir::surface::{PatKind, TypeParam};
use crate::ir::tables::{DefId, DefKind, Program};

/// An error where an entry point takes or returns more than can be, and a warning for each size of an entry point that its arguments cannot tell: `[n]` and `[m]` where only `[n*m]` is measured.
pub(super) fn interface(program: &Program, def: DefId, defines: &[Define]) -> Vec<Diagnostic> {
    let DefKind::Def(decl) = &program.defs[def].decl else { return Vec::new() };
    let Some(define) = defines.iter().rfind(|define| define.entry).filter(|_| decl.entry) else { return Vec::new() };
    if interp::entry::has_too_many_parts(&define.ty) {
        return vec![too_many_parts(decl.name.name, decl.name.span)];
    }
    let unmeasured = interp::entry::unmeasured(&define.ty);
    let sizes = decl.tparams.iter().filter_map(|param| match param {
        TypeParam::Size(pat) => Some(&program.ast.pats[*pat]),
        TypeParam::Type(_) => None,
    });
    let sizes = sizes.filter_map(|pat| match pat.kind {
        PatKind::Name(name) if unmeasured.contains(&name) => Some((name, pat.span)),
        _ => None,
    });
    let warning = |(name, span)| {
        Diagnostic::error(
            Code::UndeterminedSize,
            span,
            format!("no argument of the entry point `{}` determines the size `{name}`", decl.name.name),
        )
        .here("only in sums or products with other sizes")
        .note("arguments are measured: the parts of a sum or product of sizes do not follow from it, so the entry point cannot be run")
        .help(format!("make it a parameter, `({name}: i64)`, or the size of an array, `[{name}]t`"))
        .warning()
    };
    sizes.map(warning).collect()
}

/// What is said of a function that cannot be called from outside for the size of its type.
pub(crate) fn too_many_parts(called: Symbol, span: Span) -> Diagnostic {
    let message =
        format!("`{called}` cannot be run from outside: it takes and returns more than {} scalars and arrays", interp::entry::MOST_PARTS);
    Diagnostic::error(Code::NotRunnable, span, message).help("take and return arrays in place of tuples of tuples")
}
