//! Messages about sizes.

use super::sizes::Clash;
use super::{Elab, Failure, Result, Scheme};
use crate::base::{Code, Span, Symbol};
use crate::diag::Diagnostic;
use crate::ir::core::{Dim, DimAtom, Type};
use crate::ir::surface::{DefDecl, TypeParam};

/// Numbers that tell unknowns of one name apart; larger than any that core gives to a name.
const NAMED: u64 = 1 << 40;

impl Elab<'_> {
    /// Makes two types equal or says at this place why they are not.
    pub(super) fn unify_at(&mut self, expected: &Type, actual: &Type, span: Span) -> Result<()> {
        Ok(self.sizes.unify(expected, actual, span).map_err(|clash| self.clash_types(clash, span, Some((expected, actual))))?)
    }
    pub(super) fn unify_literal(&mut self, cell: &Type, actual: &Type, item: Span, whole: Span) -> Result<()> {
        Ok(self.sizes.unify(cell, actual, item).map_err(|clash| {
            self.clash_types(clash, item, Some((cell, actual)))
                .label(whole, "all elements of an array have the same sizes")
                .note("an array whose rows have different sizes would be irregular")
        })?)
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
                    Diagnostic::error(Code::SizeMismatch, span, format!("sizes {l} and {r} are never equal"))
                        .here(format!("size {r} here, {l} is needed"))
                } else {
                    Diagnostic::error(Code::SizeMismatch, span, format!("sizes {l} and {r} are not known to be equal"))
                        .here(format!("size {r} here, {l} is needed"))
                };
                out = self.with_origins(out, &[left, right]);
                if let (false, Some((wanted, _))) = (definite, &types) {
                    out = out.help(format!("if they are always equal, check it at run time: `e :> {wanted}`"));
                }
                out
            }
            Clash::Escape { size, atom } => {
                let shown = self.show_dim(&Dim::atom(atom));
                let out = Diagnostic::error(
                    Code::IrregularRows,
                    span,
                    format!("an array would be irregular: its size {} differs from cell to cell", self.show_dim(&size)),
                )
                .here(format!("the size {shown} arises inside, where it may differ each time"))
                .note("all cells of an array have the same sizes");
                self.with_origins(out, &[Dim::atom(atom)])
            }
            Clash::Irregular => Diagnostic::error(
                Code::IrregularRows,
                span,
                "an array would be irregular: the function's result has a size that is known only afterwards",
            )
            .here("the size of each result is existential")
            .note("all cells of an array have the same sizes")
            .help("reduce each cell to a regular result inside the function, such as a sum or a length"),
            Clash::Shape => Diagnostic::error(Code::NotAFunction, span, "the types differ").here(""),
        };
        if let Some((expected, actual)) = types
            && expected != actual
        {
            out = out.note(format!("expected {expected}")).note(format!("     got {actual}"));
        }
        if let Some(node) = self.messages.applications.last()
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
                let whose = match self.sizes.unknown_name(meta) {
                    Some(_) => format!("the size {} of this call", self.show_dim(&Dim::atom(atom))),
                    None => "the size _, which is not written, comes from here".to_string(),
                };
                out = out.label(self.sizes.meta_span(meta), whose);
            } else if let Some(origin) = self.sizes.origin(atom) {
                out = out.label(origin, format!("{} comes from here", self.show_dim(&Dim::atom(atom))));
            }
        }
        out
    }
    pub(super) fn show_dim(&self, dim: &Dim) -> String {
        let named = self.sizes.zonk(dim).subst(&mut |atom| self.named_unknown(atom));
        self.messages.shown.borrow_mut().dim(&named)
    }
    fn show_type(&self, ty: &Type) -> String {
        let ty = self.sizes.zonk_type(ty);
        let unknown = super::sizes::free_atoms(&ty).into_iter().filter_map(|atom| Some((atom, self.named_unknown(atom)?)));
        let named = super::types::rewrite(&ty, &mut super::types::Substitution::sizes(unknown.collect()));
        self.messages.shown.borrow_mut().ty(&named)
    }
    /// An unknown size as the parameter of the definition in which it has a name.
    fn named_unknown(&self, atom: DimAtom) -> Option<Dim> {
        let DimAtom::Meta(meta) = atom else { return None };
        let name = self.sizes.unknown_name(meta)?;
        Some(Dim::var(Symbol::new(&format!("{}.{}", super::written(name), NAMED + u64::from(meta)))))
    }
    /// A size that is that of no array, only one that a function is ready for, or one that a value is computed for.
    pub(super) fn undetermined_size(&self, needed: &super::Needed) -> Diagnostic {
        let (name, span) = (super::written(needed.name), needed.at);
        if needed.made {
            return Diagnostic::error(Code::UndeterminedSize, span, format!("nothing determines the size `{name}` of what is made here"))
                .here(format!("made for a size `{name}` that nothing says"))
                .help("annotate what is made with a type of a size that is known, `(e : [n]t)`");
        }
        Diagnostic::error(Code::UndeterminedSize, span, format!("nothing determines the size `{name}` of this function"))
            .here(format!("`{name}` is the size of none of the arrays that it is applied to"))
            .help("annotate the function that is its argument with a size that is known")
    }
    /// Of a size only the sum or the product is known.
    pub(super) fn undetermined_parts(&self, size: &Dim, span: Span) -> Diagnostic {
        let size = self.show_dim(size);
        Diagnostic::error(Code::UndeterminedSize, span, format!("nothing determines the parts of the size {size}"))
            .here(format!("this has the size {size}, which is wanted in parts"))
            .help("annotate what is made of it with the sizes that it is to have, `let (a: [n]t, b) = ..`")
    }
    /// A declared size parameter has to be in the type: nothing else says what it is.
    pub(super) fn no_unused_size(&self, tparams: &[TypeParam], scheme: &Scheme) -> Result<()> {
        let declared = tparams.iter().filter_map(|param| if let TypeParam::Size(pat) = param { Some(*pat) } else { None });
        let mentioned = super::sizes::free_atoms(&scheme.ty);
        let mut unused = declared.zip(&scheme.sizes).filter(|(_, name)| !mentioned.contains(&DimAtom::Var(**name)));
        let Some((pat, name)) = unused.next() else { return Ok(()) };
        let (name, span) = (super::written(*name), self.program.ast.pats[pat].span);
        Err(Diagnostic::error(Code::UndeterminedSize, span, format!("nothing determines the size `{name}`"))
            .here("no parameter has this size")
            .help(format!("make it the size of a parameter, `(xs: [{name}]t)`, or a parameter: `({name}: i64)`"))
            .into())
    }
    /// A size parameter that would be negative.
    pub(super) fn negative(&self, natural: &super::Natural, size: i64) -> Diagnostic {
        let super::Natural { name, at, declared } = natural;
        let out = Diagnostic::error(Code::NegativeSize, *at, format!("the size {name} would be {size}"))
            .here(format!("the sizes of what is given here fit only if it is {size}"))
            .note("no array has fewer than 0 elements in a dimension");
        match declared {
            Some(declared) => out.label(*declared, "declared here"),
            None => out,
        }
    }
    /// An array whose cells differ in size.
    pub(super) fn irregular(&self, atom: Option<DimAtom>, span: Span) -> Diagnostic {
        let what = match atom {
            Some(atom) => format!("its cells have the size {}, which differs from cell to cell", self.show_dim(&Dim::atom(atom))),
            None => "the sizes of its cells are known only after each is computed".to_string(),
        };
        let out = Diagnostic::error(Code::IrregularRows, span, format!("an array would be irregular: {what}"))
            .here("mapped here")
            .note("all cells of an array have the same sizes")
            .help("reduce each cell to a regular result inside the map, such as a sum or a length");
        match atom {
            Some(atom) => self.with_origins(out, &[Dim::atom(atom)]),
            None => out,
        }
    }
    pub(super) fn undetermined(&self, span: Span) -> Diagnostic {
        Diagnostic::error(Code::UndeterminedSize, span, "nothing determines how often this is replicated")
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
        Diagnostic::error(Code::UndeterminedType, decl.name.span, format!("the type of `{name}` stays open"))
            .here(format!("its type is {}", self.show_type(&scheme.ty)))
            .label(
                body,
                format!("this is computed once, and nothing here says what {shown}{more} {}", if open.len() > 1 { "are" } else { "is" }),
            )
            .note("only functions and values that need no computation can have many types")
            .help(format!("annotate `{name}` with a type, or define it as a function with parameters"))
    }
    /// What inference says about each expression is not there for this one: the parser could not read it.
    pub(super) fn missing(&self, span: Span) -> Failure {
        Failure::Unread(span)
    }
}
