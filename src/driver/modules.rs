//! Errors in what module types and applications of parametric modules make, said in terms of what was written.

use super::Checked;
use crate::base::{Code, PrimType, SourceMap, Symbol, scalar};
use crate::diag::Diagnostic;
use crate::ir::surface::{DefDecl, TypeParam};
use crate::ir::tables::{DefId, DefKind, Matching, Res, Role};

/// Values of one module of which it is reported that they do not fit its module type.
const MOST_VALUES: usize = 3;

/// What was reported of one module and its module type.
#[derive(Debug, Default, Clone)]
pub(super) struct Misfits {
    /// The number of values that do not fit.
    values: usize,
    /// Whether a type does not fit.
    types: bool,
}

/// What to report for the errors of a definition, which were found by a pass that knows nothing of modules.
pub(super) fn explain(sources: &SourceMap, checked: &mut Checked, def: DefId, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // Where a type is another one, or several values do not fit, the rest says nothing new.
    let enough = |misfits: &Misfits| misfits.types || misfits.values >= MOST_VALUES;
    match checked.program.defs[def].role {
        Role::Plain | Role::Member => errors,
        Role::Shown(matching) => {
            let misfits = checked.state.misfits.entry(matching.at).or_default();
            if enough(misfits) {
                return Vec::new();
            }
            misfits.values += 1;
            vec![value(sources, checked, def, matching, &errors)]
        }
        Role::SameType(matching) => {
            let misfits = checked.state.misfits.entry(matching.at).or_default();
            if enough(misfits) {
                return Vec::new();
            }
            misfits.types = true;
            vec![same_type(sources, checked, def, matching)]
        }
        Role::Copy { .. } => {
            let Some((at, declared)) = checked.program.application_of(def) else { return errors };
            let add = |error: Diagnostic| {
                error
                    .label(at, "in this application of a parametric module")
                    .label(declared, "declared here")
                    .note("the parametric module was accepted for parameters of which only the module type is known")
            };
            errors.into_iter().map(add).collect()
        }
    }
}

/// The declaration that resolution makes of a member that is to fit a module type.
fn declaration(checked: &Checked, def: DefId) -> &DefDecl {
    let shown = &checked.program.defs[def];
    match &shown.decl {
        DefKind::Def(decl) => decl,
        DefKind::Val(_) => crate::ice!(shown.span, "a member of a module without a value"),
    }
}

/// A value whose type is not the one that the module type gives it.
fn value(sources: &SourceMap, checked: &Checked, def: DefId, matching: Matching, errors: &[Diagnostic]) -> Diagnostic {
    let decl = declaration(checked, def);
    let name = decl.name.name;
    let mut wanted = String::new();
    for param in &decl.tparams {
        match param {
            TypeParam::Type(ident) => wanted += &format!("'{} ", ident.name),
            TypeParam::Size(pat) => wanted += &format!("[{}] ", sources.snippet(checked.program.ast.pats[*pat].span)),
        }
    }
    if !wanted.is_empty() {
        wanted += ": ";
    }
    wanted += decl.ret.map_or("", |ret| sources.snippet(checked.program.ast.types[ret].span));
    let found = match checked.program.names.exprs.get(decl.body) {
        Some(Res::Global(member)) => checked.type_of(*member),
        Some(Res::Scalar(prim, member)) => scalar_type(*prim, *member),
        Some(Res::Local(_)) | None => None,
    };
    let mut diagnostic = Diagnostic::error(
        Code::MemberType,
        matching.at,
        format!("the value `{name}` does not have the type that the module type gives it"),
    )
    .here(format!("the `{name}` of this module"))
    .label(matching.spec, format!("the module type says `{}`", one_line(&wanted)));
    match (found, matching.member) {
        (Some(found), Some(member)) => diagnostic = diagnostic.label(member, format!("its type is `{found}`")),
        (Some(found), None) => diagnostic = diagnostic.note(format!("its type is `{found}`")),
        (None, Some(member)) => diagnostic = diagnostic.label(member, "defined here"),
        (None, None) => {}
    }
    match errors.first() {
        Some(error) => diagnostic.note(one_line(&error.message)),
        None => diagnostic,
    }
}

/// A type that is not the one that the module type says.
fn same_type(sources: &SourceMap, checked: &Checked, def: DefId, matching: Matching) -> Diagnostic {
    let name = declaration(checked, def).name.name;
    let mut diagnostic =
        Diagnostic::error(Code::MemberType, matching.at, format!("the type `{name}` is not the one that the module type says"))
            .here(format!("the `{name}` of this module"))
            .label(matching.spec, format!("the module type says `{}`", one_line(sources.snippet(matching.spec))));
    if let Some(member) = matching.member {
        diagnostic = diagnostic.label(member, format!("it is `{}`", one_line(sources.snippet(member))));
    }
    diagnostic
}

/// A text without line breaks, cut where it is long.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line,
    }
}

/// The type of a member of a scalar module.
pub(crate) fn scalar_type(prim: PrimType, member: Symbol) -> Option<String> {
    Some(match scalar::member(prim, member.as_str())? {
        scalar::Member::Constant(value) => value.prim().to_string(),
        scalar::Member::Op(op) => {
            let params: String = op.params.iter().map(|param| format!("{param} -> ")).collect();
            format!("{params}{}", op.result)
        }
        scalar::Member::Fold(fold) => format!("[n]{} -> {}", fold.prim, fold.prim),
    })
}

/// The member of a parametric module of which a definition is a copy.
pub(super) fn template(checked: &Checked, def: DefId) -> Option<DefId> {
    match checked.program.defs[def].role {
        Role::Copy { template } => template,
        Role::Plain | Role::Member | Role::Shown(_) | Role::SameType(_) => None,
    }
}
