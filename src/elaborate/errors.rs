//! Messages about sizes.

use super::sizes::Clash;
use super::{Elab, Result, Scheme};
use crate::base::Span;
use crate::diag::Diagnostic;
use crate::ir::core::{Dim, DimAtom, Type};
use crate::ir::surface::DefDecl;

impl Elab<'_> {
    /// Makes two types equal or says at this place why they are not.
    pub(super) fn unify_at(&mut self, expected: &Type, actual: &Type, span: Span) -> Result<()> {
        self.sizes.unify(expected, actual, span).map_err(|clash| self.clash_types(clash, span, Some((expected, actual))))
    }
    pub(super) fn unify_literal(&mut self, cell: &Type, actual: &Type, item: Span, whole: Span) -> Result<()> {
        self.sizes.unify(cell, actual, item).map_err(|clash| {
            self.clash_types(clash, item, Some((cell, actual)))
                .label(whole, "all elements of an array have the same sizes")
                .note("an array whose rows have different sizes would be irregular")
        })
    }
    pub(super) fn clash(&self, clash: Clash, span: Span) -> Diagnostic {
        self.clash_types(clash, span, None)
    }
    pub(super) fn clash_types(&self, clash: Clash, span: Span, types: Option<(&Type, &Type)>) -> Diagnostic {
        let types = types.map(|(a, b)| (self.show_type(a), self.show_type(b)));
        let mut out = match clash {
            Clash::Sizes { left, right, definite } => {
                let (l, r) = (self.show_dim(&left), self.show_dim(&right));
                let mut out = if definite {
                    Diagnostic::error("E0403", span, format!("sizes {l} and {r} are never equal"))
                        .here(format!("size {r} here, {l} is needed"))
                } else {
                    Diagnostic::error("E0403", span, format!("sizes {l} and {r} are not known to be equal"))
                        .here(format!("size {r} here, {l} is needed"))
                };
                out = self.with_origins(out, &[left.clone(), right]);
                if let (false, Some((wanted, _))) = (definite, &types) {
                    out = out.help(format!("if they are always equal, check it at run time: `e :> {wanted}`"));
                }
                out
            }
            Clash::Escape { size, atom } => {
                let shown = self.show_dim(&Dim::atom(atom));
                let out = Diagnostic::error(
                    "E0404",
                    span,
                    format!("an array would be irregular: its size {} differs from cell to cell", self.show_dim(&size)),
                )
                .here(format!("the size {shown} arises inside, where it may differ each time"))
                .note("all cells of an array have the same sizes");
                self.with_origins(out, &[Dim::atom(atom)])
            }
            Clash::Irregular => Diagnostic::error(
                "E0404",
                span,
                "an array would be irregular: the function's result has a size that is known only afterwards",
            )
            .here("the size of each result is existential")
            .note("all cells of an array have the same sizes")
            .help("reduce each cell to a regular result inside the function, such as a sum or a length"),
            Clash::Shape => Diagnostic::error("E0302", span, "the types differ").here(""),
        };
        if let Some((expected, actual)) = types
            && expected != actual
        {
            out = out.note(format!("expected {expected}")).note(format!("     got {actual}"));
        }
        if let Some(node) = self.context.last()
            && *node != span
            && node.contains(span)
        {
            out = out.label(*node, "maps were inserted at this application");
        }
        out
    }
    fn with_origins(&self, mut out: Diagnostic, dims: &[Dim]) -> Diagnostic {
        let mut seen = Vec::new();
        for atom in dims.iter().flat_map(Dim::atoms) {
            if seen.contains(&atom) {
                continue;
            }
            seen.push(atom);
            if let DimAtom::Meta(meta) = atom {
                out = out.label(self.sizes.meta_span(meta), "the size _, which is not written, comes from here");
            } else if let Some(origin) = self.sizes.origin(atom) {
                out = out.label(origin, format!("{} comes from here", self.show_dim(&Dim::atom(atom))));
            }
        }
        out
    }
    pub(super) fn show_dim(&self, dim: &Dim) -> String {
        self.shown.borrow_mut().dim(&self.sizes.zonk(dim))
    }
    fn show_type(&self, ty: &Type) -> String {
        self.shown.borrow_mut().ty(&self.sizes.zonk_type(ty))
    }
    /// An array whose cells differ in size.
    pub(super) fn irregular(&self, atom: Option<DimAtom>, span: Span) -> Diagnostic {
        let what = match atom {
            Some(atom) => format!("its cells have the size {}, which differs from cell to cell", self.show_dim(&Dim::atom(atom))),
            None => "the sizes of its cells are known only after each is computed".to_string(),
        };
        let out = Diagnostic::error("E0404", span, format!("an array would be irregular: {what}"))
            .here("mapped here")
            .note("all cells of an array have the same sizes")
            .help("reduce each cell to a regular result inside the map, such as a sum or a length");
        match atom {
            Some(atom) => self.with_origins(out, &[Dim::atom(atom)]),
            None => out,
        }
    }
    pub(super) fn undetermined(&self, span: Span) -> Diagnostic {
        Diagnostic::error("E0405", span, "nothing determines how often this is replicated")
            .here("the length of this `rep` is not known")
            .help("use `replicate n x`, or annotate the type of the result")
    }
    /// A computed value whose type is left open.
    pub(super) fn open_type(&self, scheme: &Scheme, decl: &DefDecl) -> Diagnostic {
        let (name, body) = (decl.name.name, self.program.ast.exprs[decl.body].span);
        let open: Vec<String> = match scheme.types.as_slice() {
            [] => scheme.sizes.iter().map(|size| format!("the size `{size}`")).collect(),
            types => types.iter().map(|ty| format!("the type `{ty}`")).collect(),
        };
        let shown = open.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let more = if open.len() > 3 { ", .." } else { "" };
        Diagnostic::error("E0311", decl.name.span, format!("the type of `{name}` stays open"))
            .here(format!("its type is {}", self.show_type(&scheme.ty)))
            .label(
                body,
                format!("this is computed once, and nothing here says what {shown}{more} {}", if open.len() > 1 { "are" } else { "is" }),
            )
            .note("only functions and values that need no computation can have many types")
            .help(format!("annotate `{name}` with a type, or define it as a function with parameters"))
    }
    /// Inference promised an entry that is not there: a mistake of ours, reported instead of a crash.
    pub(super) fn missing(&self, span: Span) -> Diagnostic {
        Diagnostic::error("E0399", span, "internal: inference left this expression without a type")
    }
}
