//! Binding of patterns.

use super::error::{Error, ErrorKind as Wrong, Undetermined};
use super::loops::tuple_pattern;
use super::scope::is_trivial;
use super::{Elab, Local, Natural, Result, Typed, sizes};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Expr, ExprKind, Type};
use crate::ir::surface::{PatId, PatKind};

impl Elab<'_> {
    /// Binds a pattern to a variable of this type in the current scope.
    pub(super) fn bind_pattern_var(&mut self, pat: PatId, name: Symbol, ty: &Type) -> Result<()> {
        let program = self.program;
        let node = &program.ast.pats[pat];
        let span = node.span;
        match &node.kind {
            PatKind::Name(_) => {
                let (row, ty) = self.open_row((Expr::new(ExprKind::Var(name), span), ty.clone()));
                let name = if let ExprKind::Var(row) = row.kind() { *row } else { name };
                self.names.locals.insert(pat, Local::Var { name, ty });
                Ok(())
            }
            PatKind::Wild | PatKind::Lit(_) => Ok(()),
            PatKind::Paren(p) | PatKind::Ascribe(p, _) => self.bind_pattern_var(*p, name, ty),
            PatKind::Tuple(parts) => {
                let whole = self.sizes.zonk_type(ty);
                let Atom::Tuple(types) = whole.atom() else { return Err(self.missing(span)) };
                for (i, (part, ty)) in parts.iter().zip(types.clone()).enumerate() {
                    let value = Expr::new(ExprKind::Proj(i, Expr::new(ExprKind::Var(name), span)), span);
                    self.bind_part(*part, (value, ty))?;
                }
                Ok(())
            }
            PatKind::Record(fields) => {
                let whole = self.sizes.zonk_type(ty);
                let Atom::Record(types) = whole.atom() else { return Err(self.missing(span)) };
                for (label, part) in fields {
                    let Some((_, ty)) = types.iter().find(|(l, _)| *l == label.name) else { return Err(self.missing(span)) };
                    let value = Expr::new(ExprKind::Field(label.name, Expr::new(ExprKind::Var(name), span)), span);
                    self.bind_part(*part, (value, ty.clone()))?;
                }
                Ok(())
            }
            PatKind::Constr(label, args) => {
                let parts = self.payload_parts(&(Expr::new(ExprKind::Var(name), span), ty.clone()), label.name, span)?;
                args.iter().zip(parts).try_for_each(|(arg, part)| self.bind_part(*arg, part))
            }
            PatKind::Error => Err(self.missing(span)),
        }
    }
    fn bind_part(&mut self, pat: PatId, (value, ty): Typed) -> Result<()> {
        let wild = matches!(self.program.ast.pats[pat].kind, PatKind::Wild | PatKind::Lit(_));
        if wild {
            return Ok(());
        }
        let span = self.program.ast.pats[pat].span;
        let name = self.bind_let(self.pat_name(pat), value, ty.clone(), span);
        self.bind_pattern_var(pat, name, &ty)
    }
    /// `let pat = value`: binds the value in the current scope, with the sizes that the pattern names.
    pub(super) fn bind_pattern(&mut self, size_binders: &[PatId], pat: PatId, (value, ty): Typed, span: Span) -> Result<()> {
        let (program, mut unknown) = (self.program, Vec::new());
        for binder in size_binders {
            let dim = self.fresh_dim(self.program.ast.pats[*binder].span);
            self.sizes.name_unknown(&dim, self.pat_name(*binder));
            unknown.push((*binder, dim.clone(), dim.as_atom()));
            self.names.locals.insert(*binder, Local::Size(dim));
        }
        let (value, ty) = self.fit_pattern(pat, (value, ty))?;
        self.pattern_agrees(pat, &ty)?;
        let mut value = value;
        for (binder, dim, own) in unknown {
            let dim = self.sizes.zonk(&dim);
            // The size of what is bound may be found out later.
            if dim.as_atom() == own {
                let span = self.program.ast.pats[binder].span;
                return Err(Error::new(Wrong::Undetermined(Undetermined::Pattern), span).into());
            }
            let natural = Natural {
                name: self.pat_name(binder),
                of: None,
                at: program.ast.pats[pat].span,
                declared: Some(program.ast.pats[binder].span),
            };
            match dim.as_constant() {
                Some(size) if size < 0 => return Err(self.negative(&natural, size).into()),
                _ if sizes::evidently_natural(&dim) || dim.as_atom().is_some() => {}
                _ => value = self.natural(value, dim.clone(), natural),
            }
            self.names.locals.insert(binder, Local::Size(dim));
        }
        // What is known of the components of a tuple stays known: the size that one of them is, say.
        if let (ExprKind::Tuple(parts), Some(pats), Atom::Tuple(types)) = (value.kind(), tuple_pattern(program, pat), ty.atom())
            && parts.len() == pats.len()
            && parts.iter().all(is_trivial)
        {
            return pats
                .into_iter()
                .zip(parts.iter().cloned().zip(types.iter().cloned()))
                .try_for_each(|(pat, part)| self.bind_part(pat, part));
        }
        // A value with sizes of its own keeps its type: the declared one equals it.
        let name = match value.kind() {
            ExprKind::Var(name) => *name,
            _ => self.bind_let(self.pat_name(pat), value, ty.clone(), span),
        };
        self.bind_pattern_var(pat, name, &ty)
    }
    /// The value that a pattern is bound to: a ragged array where the pattern says so.
    fn fit_pattern(&mut self, pat: PatId, (value, ty): Typed) -> Result<Typed> {
        let program = self.program;
        let node = &program.ast.pats[pat];
        match &node.kind {
            PatKind::Paren(inner) => self.fit_pattern(*inner, (value, ty)),
            PatKind::Ascribe(_, annotation) if self.writes_ragged(*annotation) => {
                let declared = self.open_annotation(*annotation)?;
                self.fitted(&declared, (value, ty), node.span)
            }
            _ => Ok((value, ty)),
        }
    }
    /// Gives the types annotated in a pattern the sizes of the value that it is bound to.
    pub(super) fn pattern_agrees(&mut self, pat: PatId, ty: &Type) -> Result<()> {
        let program = self.program;
        let node = &program.ast.pats[pat];
        match &node.kind {
            PatKind::Name(_) | PatKind::Wild | PatKind::Error | PatKind::Lit(_) => Ok(()),
            PatKind::Constr(label, args) => {
                let parts = self.payload_types(ty, label.name, node.span)?;
                args.iter().zip(&parts).try_for_each(|(arg, ty)| self.pattern_agrees(*arg, ty))
            }
            PatKind::Paren(p) => self.pattern_agrees(*p, ty),
            PatKind::Ascribe(p, annotation) => {
                let declared = self.open_annotation(*annotation)?;
                self.unify_at(&declared, ty, node.span)?;
                self.pattern_agrees(*p, ty)
            }
            PatKind::Tuple(parts) => {
                let Atom::Tuple(types) = ty.atom() else { return Err(self.missing(node.span)) };
                parts.iter().zip(types).try_for_each(|(part, ty)| self.pattern_agrees(*part, ty))
            }
            PatKind::Record(fields) => {
                let Atom::Record(types) = ty.atom() else { return Err(self.missing(node.span)) };
                fields.iter().try_for_each(|(label, part)| match types.iter().find(|(l, _)| *l == label.name) {
                    Some((_, ty)) => self.pattern_agrees(*part, ty),
                    None => Err(self.missing(node.span)),
                })
            }
        }
    }
}
