//! Entry points that cannot be called as they are.

use crate::base::{Code, Span, Symbol};
use crate::diag::Diagnostic;
use crate::interp;
use crate::ir::core::Define;
use crate::ir::surface::{PatKind, TypeParam};
use crate::ir::tables::{DefId, DefKind, Program};

/// What is wrong with an entry point.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Error {
    /// It takes or returns more than can be.
    TooManyParts {
        /// Its name.
        entry: Symbol,
        /// Where it is declared.
        at: Span,
    },
    /// Its arguments cannot tell a size: `[n]` and `[m]` where only `[n*m]` is measured. It may still be used by others.
    Unmeasured {
        /// Its name.
        entry: Symbol,
        /// The size.
        size: Symbol,
        /// Where the size is declared.
        at: Span,
    },
}

/// What is wrong with a definition as an entry point.
pub(super) fn check(program: &Program, def: DefId, defines: &[Define]) -> Vec<Error> {
    let DefKind::Def(decl) = &program.defs[def].decl else { return Vec::new() };
    let Some(define) = defines.iter().rfind(|define| define.entry).filter(|_| decl.entry) else { return Vec::new() };
    let entry = decl.name.name;
    if interp::entry::has_too_many_parts(&define.ty) {
        return vec![Error::TooManyParts { entry, at: decl.name.span }];
    }
    let unmeasured = interp::entry::unmeasured(&define.ty);
    let sizes = decl.tparams.iter().filter_map(|param| match param {
        TypeParam::Size(pat) => Some(&program.ast.pats[*pat]),
        TypeParam::Type(_) => None,
    });
    let unmeasured = sizes.filter_map(|pat| {
        let PatKind::Name(size) = pat.kind else { return None };
        unmeasured.contains(&size).then_some(Error::Unmeasured { entry, size, at: pat.span })
    });
    unmeasured.collect()
}

impl Error {
    /// The error, or the warning, in words.
    pub(super) fn report(&self) -> Diagnostic {
        match *self {
            Error::TooManyParts { entry, at } => too_many_parts(entry, at),
            Error::Unmeasured { entry, size, at } => Diagnostic::error(
                Code::UndeterminedSize,
                at,
                format!("no argument of the entry point `{entry}` determines the size `{size}`"),
            )
            .here("only in sums or products with other sizes")
            .note("arguments are measured: the parts of a sum or product of sizes do not follow from it, so the entry point cannot be run")
            .help(format!("make it a parameter, `({size}: i64)`, or the size of an array, `[{size}]t`"))
            .warning(),
        }
    }
}

/// What is said of a function that cannot be called from outside for the size of its type.
pub(crate) fn too_many_parts(called: Symbol, span: Span) -> Diagnostic {
    let message =
        format!("`{called}` cannot be run from outside: it takes and returns more than {} scalars and arrays", interp::entry::MOST_PARTS);
    Diagnostic::error(Code::NotRunnable, span, message).help("take and return arrays in place of tuples of tuples")
}
