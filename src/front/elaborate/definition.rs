//! Definitions: what is generalised, and what becomes of sizes that nothing determines.

use super::{Elab, Error, ErrorKind, Result, Scheme, UNWRITTEN, Undetermined, core_name, is_i64, recursive, scope, sizes, unit, zonk};
use crate::base::{Span, Symbol};
use crate::ir::core::check::{self, TypeEnv};
use crate::ir::core::{self, Atom, Dim, DimAtom, Type};
use crate::ir::surface::DefDecl;

impl Elab<'_> {
    pub(super) fn definition(&mut self, decl: &DefDecl, existential: &[usize]) -> Result<Scheme> {
        self.push_frame();
        self.frame().abstraction = true;
        let mut types = self.type_params(self.def);
        let sizes = self.size_params(&decl.tparams, existential);
        self.variant.open_results = existential.contains(&UNWRITTEN);
        let (value, ty) = self.function(&decl.params, decl.ret, decl.body, &[], decl.name.span)?;
        self.sizes.retry(false).map_err(|(clash, span)| self.clash(clash, span))?;
        let mut scheme = self.generalise(sizes, ty, 0);
        self.finish_metas()?;
        let frame = self.pop_frame();
        let value = scope::wrap(frame, value);
        scheme.types.append(&mut types);
        scheme.name = recursive::variant_name(core_name(self.program, self.def), existential);
        scheme.ty = self.sizes.zonk_type(&scheme.ty);
        let from_outside = existential.is_empty() && self.sizes_from_outside(decl, &scheme)?;
        self.keep_seen(existential);
        let mut value = zonk::expr(self, &value);
        if decl.params.is_empty()
            && let Err(open) = self.closed_or_value(&scheme, &value, decl)
        {
            value = match self.expanded(value.clone(), &scheme.ty, decl.body) {
                Some(function) => function,
                None if self.declares_all(&scheme, decl) => {
                    scheme.computed = true;
                    let params = vec![(self.fresh_name(Symbol::new("u")), unit())];
                    core::Expr::new(core::ExprKind::Fn { params, ret: scheme.ty.clone(), body: value }, decl.span)
                }
                None => return Err(open),
            };
        }
        if let (true, Some(other)) = (is_i64(&scheme.ty), constant_size(&value).filter(|name| self.schemes.taken.contains(name))) {
            let first = self.schemes.constant(other);
            self.schemes.constants.insert(scheme.name, first);
        }
        let value = self.with_constants(value);
        let body = abstracted(&scheme, value, decl.span);
        let entry = from_outside && !scheme.computed && self.is_entry(decl);
        let recursive = self.program.defs[self.def].recursive;
        let define = core::Define { name: scheme.name, ty: scheme.core_type(), body, entry, recursive, span: decl.name.span };
        match self.hidden_sizes(&scheme) {
            Some(hidden) => self.add_opened(define, &mut scheme, hidden),
            None => self.add_definition(define, &mut scheme),
        }
        Ok(scheme)
    }

    /// The value restriction: what is computed when the program starts has one type, only values are polymorphic.
    pub(super) fn closed_or_value(&self, scheme: &Scheme, value: &core::Expr, decl: &DefDecl) -> Result<()> {
        let indices = scheme.index_params();
        if indices.is_empty() {
            return Ok(());
        }
        let mut env = TypeEnv::default();
        for known in self.schemes.defs.values().chain(self.schemes.variants.values()) {
            env.define(known.name, known.core_type());
        }
        indices.into_iter().for_each(|name| env.index(name));
        scheme.types.iter().for_each(|name| env.type_variable(*name));
        // What is not well typed is for the validator to report, as an error of ours.
        match check::is_value(&mut env, value) {
            Ok(false) => Err(self.open_type(scheme, decl).into()),
            Ok(true) | Err(_) => Ok(()),
        }
    }

    /// Whether all that the type of a definition leaves open is a parameter that was written: then it is computed at each use.
    pub(super) fn declares_all(&self, scheme: &Scheme, decl: &DefDecl) -> bool {
        !decl.entry && decl.tparams.len() == scheme.sizes.len() + scheme.types.len() && self.hidden_sizes(scheme).is_none()
    }

    /// Whether data from outside says what the declared sizes are; one of them may be there for other definitions only.
    fn sizes_from_outside(&self, decl: &DefDecl, scheme: &Scheme) -> Result<bool> {
        match self.no_unused_size(&decl.tparams, scheme, true) {
            Ok(()) => Ok(true),
            Err(unused) if decl.entry => Err(unused),
            Err(_) => self.no_unused_size(&decl.tparams, scheme, false).map(|()| false),
        }
    }

    /// Every definition of the user's files that is not polymorphic in types can be run; those in modules cannot.
    pub(super) fn is_entry(&self, decl: &DefDecl) -> bool {
        let def = &self.program.defs[self.def];
        def.is_plain() && (decl.entry || !def.stdlib)
    }

    /// Turns the unknowns of a function's type that belong to no outer scope into size parameters.
    pub(super) fn generalise(&mut self, mut params: Vec<Symbol>, ty: Type, level: u32) -> Scheme {
        let ty = self.sizes.zonk_type(&ty);
        let inputs: Vec<DimAtom> = match ty.atom() {
            Atom::Fun(ps, _) if ty.shape().is_scalar() => ps.iter().flat_map(|p| sizes::free_atoms(&p.ty)).collect(),
            _ => Vec::new(),
        };
        for atom in inputs {
            let DimAtom::Meta(meta) = atom else { continue };
            if self.sizes.level(atom) <= level || self.sizes.zonk(&Dim::atom(atom)) != Dim::atom(atom) || self.sizes.is_deferred(meta) {
                continue;
            }
            let name = self.fresh_name(Symbol::new("d"));
            self.sizes.bind_atom(DimAtom::Var(name), level, self.sizes.meta_span(meta));
            self.sizes.solve(meta, Dim::var(name));
            params.push(name);
        }
        let hidden = self.computed_in(&ty);
        let arguments = self.argument_sizes_of(&params);
        Scheme { name: Symbol::new(""), sizes: params, types: Vec::new(), ty, computed: false, hidden, arguments }
    }

    /// Settles what is still unknown at the end: a `rep` of unknown length is an error; any other size that nothing
    /// determines belongs to no value that is ever made, or to an empty one.
    pub(super) fn finish_metas(&mut self) -> Result<()> {
        self.sizes.match_parts(0);
        let open = self.sizes.without_parts();
        if let Some(span) = self.sizes.undetermined_rep() {
            let inserted = self.claims.replicated.iter().rfind(|replicated| replicated.at == span).cloned();
            return Err(Error::new(ErrorKind::Undetermined(Undetermined::Replication { inserted }), span).into());
        }
        for needed in &self.claims.needed {
            let size = self.sizes.zonk(&needed.size);
            let unknown = |atom| matches!(atom, DimAtom::Meta(_));
            if size.as_atom().is_some_and(unknown) || needed.kind != super::Need::Function && size.atoms().any(unknown) {
                return Err(self.undetermined_size(needed).into());
            }
        }
        if let Some((size, span)) = open {
            return Err(self.undetermined_parts(&size, span).into());
        }
        let before = self.sizes.snapshot();
        let settled = self.settle_unknowns();
        if let Err((clash, span)) = settled {
            // The message is about the sizes as they were known before.
            let put_off = before.put_off(span).cloned();
            self.sizes.rollback(before);
            let (left, right) = match put_off {
                Some(equation) => (self.sizes.zonk(&equation.left), self.sizes.zonk(&equation.right)),
                None => return Err(self.clash(clash, span).into()),
            };
            return Err(self.clash(sizes::Clash::Sizes { left, right, definite: false }, span).into());
        }
        for (dim, natural) in &self.claims.naturals {
            if let Some(size) = self.sizes.zonk(dim).as_constant().filter(|size| *size < 0) {
                return Err(self.negative(natural, size).into());
            }
        }
        Ok(())
    }

    pub(super) fn settle_unknowns(&mut self) -> Result<(), (sizes::Clash, Span)> {
        for meta in self.sizes.unsolved() {
            if self.sizes.is_solved(meta) {
                continue;
            }
            self.sizes.solve(meta, Dim::constant(0));
            // Equations that were put off may fix others.
            self.sizes.retry(false)?;
        }
        self.sizes.retry(true)
    }
}

/// The value under the abstractions of its scheme.
pub(super) fn abstracted(scheme: &Scheme, value: core::Expr, span: Span) -> core::Expr {
    let mut out = value;
    if !scheme.types.is_empty() {
        out = core::Expr::new(core::ExprKind::TFn { params: scheme.types.clone(), body: out }, span);
    }
    let indices = scheme.index_params();
    if !indices.is_empty() {
        out = core::Expr::new(core::ExprKind::IFn { params: indices, body: out }, span);
    }
    out
}

/// The name whose value, a size, is that of the expression.
pub(super) fn constant_size(value: &core::Expr) -> Option<Symbol> {
    match value.kind() {
        core::ExprKind::Var(name) => Some(*name),
        core::ExprKind::ReifyDim(dim) => match dim.as_atom() {
            Some(DimAtom::Size(name)) => Some(name),
            _ => None,
        },
        _ => None,
    }
}
