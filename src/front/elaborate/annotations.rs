//! Core types from written types and from inferred ones.

use super::error::{Error, ErrorKind as Wrong, Mismatch, Negative};
use super::{Elab, Result, shape_var, types};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, Param, Shape, ShapeItem, Type};
use crate::ir::surface::{self, ExprId, PatId, PatKind, TypeArg, TypeId, TypeKind, TypeParam};
use crate::ir::tables::{Hiding, RBase, RType, TypeDefId, TypeParamId, TypeRes};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most unknown sizes in one type.
const MOST_SIZES: u64 = 1_000;

/// Type annotations may expand to this many nodes in one definition.
const ANNOTATION_BUDGET: usize = 1 << 17;

/// How many array dimensions a type has when it is written out.
fn unknown_sizes(ty: &RType, memo: &mut FxHashMap<usize, u64>) -> u64 {
    let key = std::sync::Arc::as_ptr(&ty.base) as usize;
    let inside = match memo.get(&key) {
        Some(count) => *count,
        None => {
            let mut sum = |parts: &mut dyn Iterator<Item = &RType>| parts.map(|t| unknown_sizes(t, memo)).fold(0, u64::saturating_add);
            let count = match &*ty.base {
                RBase::Prim(_) | RBase::Param(_) => 0,
                RBase::Arrow(from, to) => sum(&mut [from, to].into_iter()),
                RBase::Tuple(parts) => sum(&mut parts.iter()),
                RBase::Record(fields) => sum(&mut fields.iter().map(|(_, t)| t)),
                RBase::Abstract { args, .. } => sum(&mut args.iter()),
                RBase::Sum(constructors) => sum(&mut constructors.iter().flat_map(|(_, payload)| payload)),
            };
            memo.insert(key, count);
            count
        }
    };
    inside.saturating_add(u64::from(ty.rank))
}

/// An argument of an abbreviation.
enum Given {
    Size(Dim),
    Type(Type),
}

/// A size of a parameter that is an unknown for the caller, and the expression that it has to be equal to.
#[derive(Debug, Clone)]
pub(super) struct LateSize {
    pub(super) meta: DimAtom,
    pub(super) expr: Expr,
}

/// Whose type is being read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// That of a value or of the result of a definition: what its sizes are computed from is bound in the body.
    #[default]
    Value,
    /// That of a parameter: its sizes cannot be bound in the body.
    Parameter,
    /// That of a function that is there already, or of a member of a module type: sizes that are computed for its parameters may be any.
    Function,
}

impl Place {
    /// In the type of a parameter of what is at this place.
    pub(super) fn parameter(self) -> Place {
        if self == Place::Value { Place::Parameter } else { self }
    }
    /// In the result of a function type at this place.
    fn function(self) -> Place {
        if self == Place::Value { Place::Function } else { self }
    }
}

/// How written types are read, and what was read.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) place: Place,
    /// In the type of a parameter of a function: sizes that are computed from the parameters before it.
    pub(super) late_sizes: Option<Vec<LateSize>>,
    /// In the type of a parameter that is a function: sizes of what it is applied to that are computed from the parameters before it.
    pub(super) argument_sizes: Option<Vec<LateSize>>,
    /// In the result of a function type: the sizes in it that are computed from the parameters, and hidden.
    pub(super) computed_sizes: Option<Vec<Symbol>>,
    /// Whether in this result sizes `[]` are existential.
    open_result: bool,
    /// Whether this is what an abbreviation stands for.
    abbreviated: bool,
    /// What abbreviations without parameters stand for, where that is the same at each use.
    abbreviations: FxHashMap<TypeDefId, Type>,
    /// Nodes that were read; at most [`ANNOTATION_BUDGET`].
    nodes: usize,
}

impl Elab<'_> {
    /// Reads with another value in a field of [`Reading`], which is put back afterwards; returns also what it has become.
    pub(super) fn reading_with<F, T>(
        &mut self,
        field: impl Fn(&mut Reading) -> &mut F,
        value: F,
        read: impl FnOnce(&mut Self) -> T,
    ) -> (T, F) {
        let outer = std::mem::replace(field(&mut self.reading), value);
        let result = read(self);
        (result, std::mem::replace(field(&mut self.reading), outer))
    }

    /// A type with these ranks and unknown sizes.
    ///
    /// Every array in it gets sizes of its own. In a type that is small only because it is shared, and has more than
    /// [`MOST_SIZES`] when written out, occurrences of one node have the same sizes: they came from one value.
    pub(super) fn fresh_type(&mut self, ty: &RType, span: Span) -> Type {
        let shared = unknown_sizes(ty, &mut FxHashMap::default()) > MOST_SIZES;
        self.fresh_shared(ty, span, shared, &mut FxHashMap::default())
    }
    // Types are graphs; two occurrences of one node without arrays inside may share, others have sizes of their own.
    fn fresh_shared(&mut self, ty: &RType, span: Span, shared: bool, memo: &mut FxHashMap<(u32, usize), Option<Type>>) -> Type {
        let key = (ty.rank, std::sync::Arc::as_ptr(&ty.base) as usize);
        if let Some(Some(done)) = memo.get(&key) {
            return done.clone();
        }
        let dims: Vec<Dim> = (0..ty.rank).map(|_| self.fresh_dim(span)).collect();
        let mut shape = Shape::dims(dims);
        let before = self.sizes.count();
        let atom = match &*ty.base {
            RBase::Prim(p) => Atom::Prim(*p),
            RBase::Param(id) => {
                let name = self.type_name(*id);
                shape.items.push(ShapeItem::Var(shape_var(name)));
                Atom::Var(name)
            }
            RBase::Arrow(from, to) => {
                // All parameters at once: joining them one by one would be quadratic.
                let mut params = vec![Param { name: None, ty: self.fresh_shared(from, span, shared, memo) }];
                let mut to = to;
                while let (0, RBase::Arrow(from, next)) = (to.rank, &*to.base) {
                    params.push(Param { name: None, ty: self.fresh_shared(from, span, shared, memo) });
                    to = next;
                }
                let to = self.fresh_shared(to, span, shared, memo);
                Type::fun(params, to).atom().clone()
            }
            RBase::Tuple(parts) => Atom::Tuple(parts.iter().map(|p| self.fresh_shared(p, span, shared, memo)).collect()),
            RBase::Record(fields) => Atom::Record(fields.iter().map(|(l, t)| (*l, self.fresh_shared(t, span, shared, memo))).collect()),
            RBase::Abstract { ty: def, args, .. } => {
                let args = args.iter().map(|arg| self.fresh_shared(arg, span, shared, memo)).collect();
                let (atom, inner) = Self::split(&self.behind(*def, args, span));
                shape.items.extend(inner.items);
                atom
            }
            RBase::Sum(constructors) => {
                let mut payloads = Vec::with_capacity(constructors.len());
                for (label, payload) in constructors {
                    let parts = payload.iter().map(|t| self.fresh_shared(t, span, shared, memo)).collect();
                    payloads.push((*label, Type::scalar(Atom::Tuple(parts))));
                }
                Atom::Sum(payloads)
            }
        };
        let out = Type::new(atom, shape);
        let closed = ty.rank == 0 && self.sizes.count() == before;
        memo.insert(key, (closed || shared).then(|| out.clone()));
        out
    }

    /// The atom and shape that stand for a type variable instantiated with this type.
    pub(super) fn split(ty: &Type) -> (Atom, Shape) {
        (ty.atom().clone(), ty.shape().clone())
    }

    /// A written type. Anonymous sizes are unknowns.
    pub(super) fn annotation(&mut self, ty: TypeId) -> Result<Type> {
        let program = self.program;
        let node = &program.ast.types[ty];
        let span = node.span;
        self.reading.nodes += 1;
        if self.reading.nodes > ANNOTATION_BUDGET {
            return Err(Error::new(Wrong::TypeTooLarge, span).into());
        }
        match &node.kind {
            TypeKind::Error => Err(self.missing(span)),
            TypeKind::Paren(t) | TypeKind::Unique(t) => self.annotation(*t),
            TypeKind::Name { args, .. } => self.named_type(ty, args),
            TypeKind::Array(dim, elem) => {
                let elem = self.annotation(*elem)?;
                let dim = self.annotation_dim(*dim, span)?;
                Ok(elem.framed(&Shape::dims([dim])))
            }
            TypeKind::Tuple(parts) => {
                let mut hidden = Vec::new();
                let parts = parts.iter().map(|t| self.component(*t, &mut hidden)).collect::<Result<_>>()?;
                Ok(hiding(hidden, Atom::Tuple(parts)))
            }
            TypeKind::Record(fields) => {
                let mut hidden = Vec::new();
                let mut out = fields.iter().map(|(l, t)| Ok((l.name, self.component(*t, &mut hidden)?))).collect::<Result<Vec<_>>>()?;
                out.sort_by_key(|(l, _)| *l);
                // A field that occurs twice was reported.
                out.dedup_by_key(|(l, _)| *l);
                Ok(hiding(hidden, Atom::Record(out)))
            }
            TypeKind::Sum(clauses) => self.sum(clauses),
            TypeKind::Arrow { param, from, to } => self.arrow(*param, *from, *to),
            // The sizes that the type of a parameter hides are unknowns, as those that are not written; a function cannot be applied to
            // what hides sizes.
            TypeKind::Exists(..)
                if self.reading.place != Place::Value && !self.reading.abbreviated && self.reading.late_sizes.is_none() =>
            {
                Err(Error::new(Wrong::Mismatch(Mismatch::ExistentialParameter), span).into())
            }
            TypeKind::Exists(sizes, inner) => {
                let mut vars: Vec<Symbol> = sizes.iter().map(|p| self.bound_size(*p)).collect();
                let inner = self.component(*inner, &mut vars)?;
                Ok(Type::scalar(Atom::Sigma(vars, inner)))
            }
        }
    }
    /// A sum type: each constructor has a tuple of what it is applied to.
    fn sum(&mut self, clauses: &[(surface::Ident, Vec<TypeId>)]) -> Result<Type> {
        let mut payloads = Vec::with_capacity(clauses.len());
        let mut hidden = Vec::new();
        for (label, payload) in clauses {
            let parts = payload.iter().map(|t| self.component(*t, &mut hidden)).collect::<Result<_>>()?;
            payloads.push((label.name, Type::scalar(Atom::Tuple(parts))));
        }
        payloads.sort_by_key(|(label, _)| *label);
        // A constructor that occurs twice was reported.
        payloads.dedup_by_key(|(label, _)| *label);
        Ok(hiding(hidden, Atom::Sum(payloads)))
    }
    /// A component of a type. Sizes that it hides are hidden by the whole: they are added under names of their own.
    fn component(&mut self, ty: TypeId, hidden: &mut Vec<Symbol>) -> Result<Type> {
        let ty = self.annotation(ty)?;
        Ok(self.hoisted(&ty, hidden))
    }
    fn hoisted(&mut self, ty: &Type, hidden: &mut Vec<Symbol>) -> Type {
        let (Atom::Sigma(vars, inner), true) = (ty.atom(), ty.shape().is_scalar()) else { return ty.clone() };
        let mut map = FxHashMap::default();
        for var in vars {
            let name = self.fresh_name(*var);
            map.insert(DimAtom::Var(*var), Dim::var(name));
            hidden.push(name);
        }
        types::rewrite(inner, &mut types::Substitution::sizes(map))
    }
    /// A type into which types that hide sizes were put: the whole hides the sizes that its components hide.
    fn hoist(&mut self, ty: &Type) -> Type {
        if !ty.shape().is_scalar() {
            return ty.clone();
        }
        let mut hidden = Vec::new();
        let mut part = |this: &mut Self, ty: &Type| {
            let ty = this.hoist(ty);
            this.hoisted(&ty, &mut hidden)
        };
        let atom = match ty.atom() {
            Atom::Tuple(parts) => Atom::Tuple(parts.iter().map(|ty| part(self, ty)).collect()),
            Atom::Record(fields) => Atom::Record(fields.iter().map(|(label, ty)| (*label, part(self, ty))).collect()),
            Atom::Sum(payloads) => Atom::Sum(payloads.iter().map(|(label, ty)| (*label, part(self, ty))).collect()),
            Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) => return ty.clone(),
        };
        hiding(hidden, atom)
    }
    /// A written type whose hidden sizes are those of the value that it is about: unknowns.
    pub(super) fn open_annotation(&mut self, ty: TypeId) -> Result<Type> {
        let span = self.program.ast.types[ty].span;
        let ty = self.annotation(ty)?;
        Ok(self.opened_type(&ty, span))
    }
    fn bound_size(&mut self, pat: PatId) -> Symbol {
        let name = self.fresh_name(self.pat_name(pat));
        self.names.locals.insert(pat, super::Local::Size(Dim::var(name)));
        name
    }
    /// A function type, all parameters at once: joining them one by one would be quadratic.
    fn arrow(&mut self, param: Option<PatId>, from: TypeId, to: TypeId) -> Result<Type> {
        // Nothing in the type of a function can be checked.
        let parts = |elab: &mut Self| -> Result<(Vec<Param>, Type)> {
            let mut params = vec![elab.arrow_parameter(param, from)?];
            let place = elab.reading.place.function();
            let (to, _) = elab.reading_with(|reading| &mut reading.place, place, |elab| elab.arrow_rest(&mut params, to));
            Ok((params, elab.existential_result(to?)))
        };
        let (mut params, to) = self.reading_with(|reading| &mut reading.late_sizes, None, parts).0?;
        if params.iter().any(|param| param.name.is_some()) {
            let mut later: FxHashSet<DimAtom> = self.sizes.dependencies(&to).into_iter().collect();
            for param in params.iter_mut().rev() {
                param.name = param.name.filter(|name| later.contains(&DimAtom::Size(*name)));
                later.extend(self.sizes.dependencies(&param.ty));
            }
        }
        Ok(Type::fun(params, to))
    }
    fn arrow_parameter(&mut self, param: Option<PatId>, from: TypeId) -> Result<Param> {
        let read = |elab: &mut Self| elab.reading_with(|reading| &mut reading.computed_sizes, None, |elab| elab.annotation(from)).0;
        let ty = self.reading_with(|reading| &mut reading.open_result, false, read).0?;
        let mut name = None;
        if let Some(pat) = param.filter(|p| matches!(self.program.ast.pats[*p].kind, PatKind::Name(_))) {
            let fresh = self.fresh_name(self.pat_name(pat));
            if super::is_i64(&ty) {
                self.names.locals.insert(pat, super::Local::Size(Dim::size(fresh)));
                name = Some(fresh);
            } else {
                self.names.locals.insert(pat, super::Local::Var { name: fresh, ty: ty.clone() });
            }
        }
        Ok(Param { name, ty })
    }
    /// Adds the parameters of the function type that is the result of a function type, if it is one, and returns the last result.
    fn arrow_rest(&mut self, params: &mut Vec<Param>, mut to: TypeId) -> Result<Type> {
        let program = self.program;
        loop {
            match &program.ast.types[to].kind {
                TypeKind::Exists(sizes, inner) => {
                    let mut vars: Vec<Symbol> = sizes.iter().map(|p| self.bound_size(*p)).collect();
                    let inner = self.component(*inner, &mut vars)?;
                    return Ok(Type::scalar(Atom::Sigma(vars, inner)));
                }
                // In a variant the result of each function may hide sizes.
                TypeKind::Arrow { param, from, to: next } if self.variant.existential.is_empty() => {
                    let param = self.arrow_parameter(*param, *from)?;
                    params.push(param);
                    to = *next;
                }
                _ => {
                    let open = self.variant.open_results && self.reading.place != Place::Value;
                    let read = |elab: &mut Self| {
                        elab.reading_with(|reading| &mut reading.computed_sizes, Some(Vec::new()), |elab| elab.annotation(to))
                    };
                    let (result, hidden) = self.reading_with(|reading| &mut reading.open_result, open, read).0;
                    let hidden = hidden.unwrap_or_default();
                    return result.map(|ty| if hidden.is_empty() { ty } else { Type::scalar(Atom::Sigma(hidden, ty)) });
                }
            }
        }
    }
    /// What a type parameter in sight is called in core.
    fn type_name(&self, id: TypeParamId) -> Symbol {
        match self.names.types.get(&id) {
            Some(name) => *name,
            None => crate::ice!(Span::default(), "the type parameter {id:?} has no name"),
        }
    }
    /// A size that is existential in the variant being made.
    fn existential_size(&mut self, name: Symbol) -> Dim {
        let name = Symbol::new(&format!("existential.{name}"));
        self.variant.hidden.insert(name);
        Dim::var(name)
    }
    /// The existential sizes in a type.
    fn existential_sizes(&self, ty: &Type) -> Vec<Symbol> {
        let existential = |atom: DimAtom| match atom {
            DimAtom::Var(name) => self.variant.hidden.contains(&name).then_some(name),
            DimAtom::Size(_) | DimAtom::Meta(_) => None,
        };
        super::sizes::free_atoms(ty).into_iter().filter_map(existential).collect()
    }
    /// In a variant of a definition some sizes of a function parameter's result are existential.
    fn existential_result(&self, to: Type) -> Type {
        let vars = self.existential_sizes(&to);
        if vars.is_empty() { to } else { Type::scalar(Atom::Sigma(vars, to)) }
    }
    /// In a variant, a declared result may have any size where it mentions an existential one.
    pub(super) fn open_existential_sizes(&mut self, ty: Type) -> Type {
        let mut map = FxHashMap::default();
        for name in self.existential_sizes(&ty) {
            let any = self.fresh_dim(Span::default());
            map.insert(DimAtom::Var(name), any);
        }
        types::rewrite(&ty, &mut types::Substitution::sizes(map))
    }

    fn named_type(&mut self, ty: TypeId, args: &[TypeArg]) -> Result<Type> {
        let program = self.program;
        let span = program.ast.types[ty].span;
        match program.names.types.get(ty) {
            Some(TypeRes::Prim(p)) => Ok(Type::prim(*p)),
            Some(TypeRes::Param(id)) => {
                let name = self.type_name(*id);
                Ok(Type::new(Atom::Var(name), Shape::var(shape_var(name))))
            }
            Some(TypeRes::Abbreviation(def)) => {
                let args = program.ast.type_arguments(&program.types[*def].decl, args);
                let given = args.into_iter().map(|arg| match arg {
                    TypeArg::Size(dim) => Ok(Given::Size(self.annotation_dim(dim, span)?)),
                    TypeArg::Type(arg) => Ok(Given::Type(self.annotation(arg)?)),
                });
                let given = given.collect::<Result<Vec<_>>>()?;
                self.abbreviation(*def, given, span)
            }
            None => Err(self.missing(span)),
        }
    }

    /// What stands behind an abstract type, with sizes that are not known. Nothing stands behind the types of a parametric module's
    /// parameters.
    fn behind(&mut self, def: TypeDefId, types: Vec<Type>, span: Span) -> Type {
        let program = self.program;
        let decl = &program.types[def].decl;
        let mut types = types.into_iter();
        let mut given = Vec::with_capacity(decl.tparams.len());
        for param in &decl.tparams {
            match param {
                TypeParam::Size(_) => given.push(Given::Size(self.fresh_dim(span))),
                TypeParam::Type(_) => given.extend(types.next().map(Given::Type)),
            }
        }
        // What is written behind the type is checked where it is written.
        self.abbreviation(def, given, span).unwrap_or_else(|_| self.unknown_type(def))
    }
    fn unknown_type(&self, def: TypeDefId) -> Type {
        let name = self.program.types[def].name;
        Type::new(Atom::Var(name), Shape::var(shape_var(name)))
    }

    /// A type behind which there is nothing, with its arguments beside it: two are the same if the arguments are, so that its sizes are
    /// known from one value to the next.
    fn unknown_applied(&mut self, def: TypeDefId, given: Vec<Given>) -> Type {
        let unknown = self.unknown_type(def);
        if given.is_empty() {
            return unknown;
        }
        let argument = |given: Given| match given {
            Given::Size(dim) => super::unit().framed(&Shape::dims([dim])),
            Given::Type(ty) => ty,
        };
        let parts = std::iter::once(unknown).chain(given.into_iter().map(argument)).collect();
        self.hoist(&Type::scalar(Atom::Tuple(parts)))
    }

    /// An abbreviation or abstract type with its arguments.
    fn abbreviation(&mut self, def: TypeDefId, given: Vec<Given>, span: Span) -> Result<Type> {
        let program = self.program;
        if program.types[def].hiding == Hiding::Unknown {
            return Ok(self.unknown_applied(def, given));
        }
        let decl = &program.types[def].decl;
        if let Some(known) = self.reading.abbreviations.get(&def) {
            return Ok(known.clone());
        }
        let before = self.sizes.count();
        let mut substitution = types::Substitution::default();
        let hides = given.iter().any(|given| matches!(given, Given::Type(ty) if matches!(ty.atom(), Atom::Sigma(..))));
        let mut given = given.into_iter();
        for param in &decl.tparams {
            match (param, given.next()) {
                (TypeParam::Size(pat), Some(Given::Size(dim))) => {
                    self.names.locals.insert(*pat, super::Local::Size(dim));
                }
                (TypeParam::Type(ident), Some(Given::Type(arg))) => {
                    let (atom, shape) = Self::split(&arg);
                    let param = program.names.declared.get(&ident.span).copied();
                    let name = match param.and_then(|p| self.names.types.get(&p).copied()) {
                        Some(name) => name,
                        None => {
                            let name = self.fresh_name(ident.name);
                            if let Some(param) = param {
                                self.names.types.insert(param, name);
                            }
                            name
                        }
                    };
                    substitution.types.insert(name, atom);
                    substitution.shapes.insert(shape_var(name), shape);
                }
                _ => return Err(Error::new(Wrong::AbbreviationArguments, span).into()),
            }
        }
        let body = self.reading_with(|reading| &mut reading.abbreviated, true, |elab| elab.annotation(decl.ty)).0?;
        let body = if decl.tparams.is_empty() { body } else { types::rewrite(&body, &mut substitution) };
        let body = if hides { self.hoist(&body) } else { body };
        // Where each use means the same, all uses share it: abbreviations of abbreviations grow fast.
        if decl.tparams.is_empty() && self.sizes.count() == before && super::sizes::free_atoms(&body).is_empty() {
            self.reading.abbreviations.insert(def, body.clone());
        }
        Ok(body)
    }

    fn annotation_dim(&mut self, dim: surface::Dim, span: Span) -> Result<Dim> {
        match dim {
            surface::Dim::Anon if self.reading.open_result => {
                let name = self.sizes.bound_name();
                Ok(self.existential_size(name))
            }
            surface::Dim::Anon => Ok(self.fresh_dim(span)),
            surface::Dim::Expr(e) => {
                let dim = self.size_expression(e)?;
                match self.sizes.zonk(&dim).as_constant() {
                    Some(size) if size < 0 => {
                        Err(Error::new(Wrong::Negative(Negative::Written { size }), self.program.ast.exprs[e].span).into())
                    }
                    _ => Ok(dim),
                }
            }
        }
    }
    /// The size that a written size expression denotes.
    pub(super) fn size_expression(&mut self, e: ExprId) -> Result<Dim> {
        let at = surface::view::strip(&self.program.ast, e);
        if let Some(crate::ir::tables::Res::Local(pat)) = self.program.names.exprs.get(at)
            && self.variant.existential.contains(pat)
        {
            return Ok(self.existential_size(self.pat_name(*pat)));
        }
        let (expr, _) = self.expr(e)?;
        if self.reading.place != Place::Value && !self.is_known_size(&expr) {
            let span = self.program.ast.exprs[e].span;
            if let Some(size) = self.computed_result(&expr) {
                return Ok(size);
            }
            let unknown = self.fresh_dim(span);
            if self.reading.place == Place::Function {
                return Ok(unknown);
            }
            let late = self.reading.late_sizes.as_mut().or(self.reading.argument_sizes.as_mut());
            if let (Some(late), Some(meta)) = (late, unknown.as_atom()) {
                late.push(LateSize { meta, expr });
                return Ok(unknown);
            }
            return Err(Error::new(Wrong::Mismatch(Mismatch::ComputedParameter), span).into());
        }
        Ok(self.size_or_bind(&expr))
    }

    /// The type of a pattern: what is annotated in it, unknown sizes elsewhere.
    pub(super) fn pattern_type(&mut self, pat: PatId) -> Result<Type> {
        let program = self.program;
        let node = &program.ast.pats[pat];
        match &node.kind {
            PatKind::Paren(p) => self.pattern_type(*p),
            PatKind::Ascribe(inner, ty) => {
                let ty = self.open_annotation(*ty)?;
                if !matches!(program.ast.pats[*inner].kind, PatKind::Name(_) | PatKind::Wild) {
                    let inner = self.pattern_type(*inner)?;
                    self.unify_at(&ty, &inner, node.span)?;
                }
                Ok(ty)
            }
            PatKind::Tuple(parts) => {
                let parts = parts.iter().map(|p| self.pattern_type(*p)).collect::<Result<_>>()?;
                Ok(Type::scalar(Atom::Tuple(parts)))
            }
            PatKind::Record(fields) => {
                let mut out = fields.iter().map(|(l, p)| Ok((l.name, self.pattern_type(*p)?))).collect::<Result<Vec<_>>>()?;
                out.sort_by_key(|(l, _)| *l);
                Ok(Type::scalar(Atom::Record(out)))
            }
            PatKind::Name(_) | PatKind::Wild | PatKind::Error | PatKind::Lit(_) | PatKind::Constr(..) => {
                let ty = self.tables.pats.get(pat).cloned().ok_or_else(|| self.missing(node.span))?;
                let ty = self.fresh_type(&ty, node.span);
                self.pattern_agrees(pat, &ty)?;
                Ok(ty)
            }
        }
    }
    /// A name for what a pattern binds.
    pub(super) fn pat_name(&self, pat: PatId) -> Symbol {
        match &self.program.ast.pats[pat].kind {
            PatKind::Name(name) => *name,
            PatKind::Paren(p) | PatKind::Ascribe(p, _) => self.pat_name(*p),
            PatKind::Wild => Symbol::new("_"),
            _ => Symbol::new("p"),
        }
    }
}

/// A type that hides sizes, if there are any.
fn hiding(hidden: Vec<Symbol>, atom: Atom) -> Type {
    let ty = Type::scalar(atom);
    if hidden.is_empty() { ty } else { Type::scalar(Atom::Sigma(hidden, ty)) }
}
