//! Ragged arrays: arrays whose rows have sizes of their own. In core they are arrays of boxes.
//!
//! A map whose cells have sizes that are known inside only puts each cell in a box; a row is opened where it is the
//! cell of a map, is indexed or is bound by a pattern. A regular array becomes ragged where a ragged type is written, and where
//! the other branch is ragged; a ragged one becomes regular by `:>` only.

use super::apply::Head;
use super::expr::Instance;
use super::scope::{Binding, cell_type, make_box, outer_dim};
use super::{Elab, MetaKind, Result, Typed, frame_shape, shape_var, types};
use crate::base::{Span, Symbol};
use crate::ir::core::{Atom, Dim, DimAtom, Expr, ExprKind, Index, Shape, ShapeItem, Type};
use crate::ir::surface::{self, ExprId, view};
use crate::ir::tables::TypeRes;
use rustc_hash::FxHashMap;

/// Whether values of the type are boxes.
pub(super) fn is_box(ty: &Type) -> bool {
    matches!(ty.atom(), Atom::Sigma(..)) && ty.shape().is_scalar()
}

/// Whether values of the type are ragged arrays: arrays of boxes.
pub(super) fn is_ragged(ty: &Type) -> bool {
    matches!(ty.atom(), Atom::Sigma(..)) && !ty.shape().is_scalar()
}

/// Whether a type has a ragged array in it that is part of a tuple or record.
fn has_ragged(ty: &Type) -> bool {
    is_ragged(ty)
        || match ty.atom() {
            Atom::Tuple(parts) => parts.iter().any(has_ragged),
            Atom::Record(fields) => fields.iter().any(|(_, part)| has_ragged(part)),
            Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) | Atom::Sum(_) => false,
        }
}

impl Elab<'_> {
    /// Opens a row of a ragged array: its sizes become sizes of the current scope, and may be compared with those of other rows at run time.
    pub(super) fn open_row(&mut self, row: Typed) -> Typed {
        if !is_box(&row.1) {
            return row;
        }
        let before = self.frame().bindings.len();
        let opened = self.open(row);
        let new = self.frame().bindings[before..].iter().flat_map(|binding| match binding {
            Binding::Unbox { indices, .. } => indices.clone(),
            Binding::Let { .. } => Vec::new(),
        });
        let new: Vec<Symbol> = new.collect();
        self.claims.rows.extend(new);
        opened
    }
    /// Binds a pattern to a row, which is opened.
    pub(super) fn bind_row(&mut self, pat: surface::PatId, name: Symbol, ty: &Type) -> Result<()> {
        let span = self.program.ast.pats[pat].span;
        let (row, ty) = self.open_row((Expr::new(ExprKind::Var(name), span), ty.clone()));
        let ExprKind::Var(name) = row.kind() else { return Err(self.missing(span)) };
        self.pattern_agrees(pat, &ty)?;
        self.bind_pattern_var(pat, *name, &ty)
    }
    /// A size of a row.
    fn is_row_size(&self, dim: &Dim) -> bool {
        matches!(self.sizes.zonk(dim).as_atom(), Some(DimAtom::Var(name)) if self.claims.rows.contains(&name))
    }
    /// Two rows that are mapped over together: the second with its size compared with that of the first. Nothing if their sizes are not those
    /// of rows.
    pub(super) fn rows_of_one_size(&mut self, wanted: &Dim, axis: usize, (value, ty): &Typed, span: Span) -> Option<Typed> {
        let found = outer_dim(&cell_type(ty, axis))?;
        if !self.is_row_size(wanted) || !self.is_row_size(&found) {
            return None;
        }
        let mut items = ty.shape().items.clone();
        items[axis] = ShapeItem::Dim(self.sizes.zonk(wanted));
        let ty = Type::new(ty.atom().clone(), Shape { items });
        let checked = Expr::new(ExprKind::Coerce { ty: ty.clone(), expr: value.clone() }, span);
        let name = self.bind_let(Symbol::new("row"), checked, ty.clone(), span);
        Some((Expr::new(ExprKind::Var(name), span), ty))
    }

    /// The value, as one of a declared type that is ragged where its own type is regular.
    pub(super) fn fitted(&mut self, declared: &Type, value: Typed, span: Span) -> Result<Typed> {
        Ok(self.fit_ragged(declared, &value, span)?.unwrap_or(value))
    }
    /// `fitted`; nothing where nothing changes.
    fn fit_ragged(&mut self, declared: &Type, (value, ty): &Typed, span: Span) -> Result<Option<Typed>> {
        if !has_ragged(declared) {
            return Ok(None);
        }
        let (declared, ty) = (self.sizes.zonk_type(declared), self.sizes.zonk_type(ty));
        match (declared.atom(), ty.atom()) {
            (Atom::Sigma(..), _) if is_ragged(&declared) => {
                let (wanted, found) = (declared.shape().items.len(), ty.shape().items.len());
                let regular = found > wanted || (found == wanted && !matches!(ty.atom(), Atom::Sigma(..)));
                if !regular { Ok(None) } else { self.boxed_rows(&declared, (value.clone(), ty), span).map(Some) }
            }
            (Atom::Tuple(wanted), Atom::Tuple(found)) if declared.shape().is_scalar() && wanted.len() == found.len() => {
                let (value, _) = self.shared((value.clone(), ty.clone()), "t");
                let mut parts = Vec::with_capacity(wanted.len());
                for (i, (wanted, found)) in wanted.iter().zip(found).enumerate() {
                    let part = match value.kind() {
                        ExprKind::Tuple(parts) => parts[i].clone(),
                        _ => Expr::new(ExprKind::Proj(i, value.clone()), span),
                    };
                    let part = (part, found.clone());
                    parts.push(self.fitted(wanted, part, span)?);
                }
                let (values, types) = parts.into_iter().unzip();
                Ok(Some((Expr::new(ExprKind::Tuple(values), span), Type::scalar(Atom::Tuple(types)))))
            }
            _ => Ok(None),
        }
    }
    /// A regular array as a ragged one of this type.
    fn boxed_rows(&mut self, declared: &Type, (array, ty): Typed, span: Span) -> Result<Typed> {
        let Atom::Sigma(vars, inner) = declared.atom() else { return Err(self.missing(span)) };
        let depth = declared.shape().items.len();
        let frame = Shape { items: ty.shape().items[..depth].to_vec() };
        self.each_cell(frame, (array, ty), span, |elab, row| elab.box_as(vars, inner, row, span))
    }
    /// A map over the cells of an array in a frame, which are opened if they are boxes; what `work` makes of one hides nothing.
    fn each_cell(
        &mut self,
        frame: Shape,
        (array, ty): Typed,
        span: Span,
        work: impl FnOnce(&mut Self, Typed) -> Result<Typed>,
    ) -> Result<Typed> {
        let cell = cell_type(&ty, frame.items.len());
        self.push_frame();
        let name = self.fresh_name(Symbol::new("row"));
        self.bind_param(name, &cell, span);
        let row = self.open_row((Expr::new(ExprKind::Var(name), span), cell));
        let (body, cell) = work(self, row)?;
        let bindings = self.pop_frame();
        let outer = self.level();
        self.sizes.lower(&cell, outer);
        let body = super::scope::wrap(bindings, body);
        let map = Expr::new(ExprKind::Map { frame: frame.clone(), args: vec![(name, array)], body }, span);
        Ok((map, cell.framed(&frame)))
    }
    /// A value in a box of this type.
    fn box_as(&mut self, vars: &[Symbol], inner: &Type, value: Typed, span: Span) -> Result<Typed> {
        let mut map = FxHashMap::default();
        let mut witnesses = Vec::with_capacity(vars.len());
        for var in vars {
            let witness = self.fresh_dim(span);
            map.insert(DimAtom::Var(*var), witness.clone());
            witnesses.push((*var, Index::Dim(witness)));
        }
        let opened = types::rewrite(inner, &mut types::Substitution::sizes(map));
        let (value, ty) = self.fitted(&opened, value, span)?;
        self.unify_at(&opened, &ty, span)?;
        Ok(make_box(witnesses, inner.clone(), value, span))
    }
    /// A cell that is put in an array whose cells have this type: in a box where the array is ragged.
    pub(super) fn as_row(&mut self, cell: &Type, value: Typed) -> Result<Typed> {
        let cell = self.sizes.zonk_type(cell);
        match cell.atom() {
            Atom::Sigma(vars, inner) if is_box(&cell) && !is_box(&value.1) => {
                let span = value.0.span();
                self.box_as(vars, inner, value, span)
            }
            _ => Ok(value),
        }
    }
    /// An array literal whose rows have sizes of their own, of a declared type that says so. Nothing if it is not of this kind.
    pub(super) fn ragged_literal(&mut self, e: ExprId, declared: &Type, span: Span) -> Result<Option<Typed>> {
        let program = self.program;
        let surface::ExprKind::Array(items) = &program.ast.exprs[view::strip(&program.ast, e)].kind else { return Ok(None) };
        let (Atom::Sigma(vars, inner), 1, false) = (declared.atom(), declared.shape().items.len(), items.is_empty()) else {
            return Ok(None);
        };
        let mut cells = Vec::with_capacity(items.len());
        for item in items {
            let at = program.ast.exprs[*item].span;
            self.push_frame();
            let value = match self.ragged_literal(*item, inner, at)? {
                Some(value) => value,
                None => self.expr(*item)?,
            };
            let (value, _) = self.box_as(vars, inner, value, at)?;
            let frame = self.pop_frame();
            cells.push(super::scope::wrap(frame, value));
        }
        let n = cells.len() as u64;
        let cell = Type::scalar(declared.atom().clone());
        let ty = cell.framed(&Shape::dims([Dim::constant(n as i64)]));
        Ok(Some((Expr::new(ExprKind::Frame { dims: vec![n], cell, cells }, span), ty)))
    }
    /// A ragged array as a regular one of a declared type: the sizes of its rows are checked. Nothing if it is not of this kind.
    pub(super) fn made_regular(&mut self, declared: &Type, (value, ty): &Typed, span: Span) -> Result<Option<Typed>> {
        let ty = self.sizes.zonk_type(ty);
        let depth = ty.shape().items.len();
        if !is_ragged(&ty) || is_ragged(declared) || declared.shape().items.len() < depth {
            return Ok(None);
        }
        let (frame, wanted) = (ty.shape().clone(), cell_type(declared, depth));
        self.each_cell(frame, (value.clone(), ty), span, |elab, row| elab.coerce(row, wanted, span)).map(Some)
    }

    /// What type parameters of a definition stand for where it is applied to ragged arrays: rows, which are boxes. `param` is the type of a
    /// parameter as it is declared.
    pub(super) fn row_types(&self, instance: &Instance, param: usize, arg: &Type) -> Vec<(usize, (Atom, Shape))> {
        let mut found = Vec::new();
        if let Atom::Fun(params, _) = instance.scheme.ty.atom()
            && let Some(param) = params.get(param)
        {
            let arg = self.sizes.zonk_type(arg);
            walk_rows(&param.ty, &arg, &mut found);
            found.extend(rows_of_results(&param.ty, &arg).filter(|(name, _)| stands_for_results(&instance.scheme.ty, *name)));
        }
        let new = found.into_iter().filter_map(|(name, row)| Some((type_parameter(instance, name)?, row)));
        new.filter(|(at, _)| !matches!(instance.types[*at].0, Atom::Sigma(..))).collect()
    }
    /// What type parameters of a definition stand for where it is applied to data with functions in it whose sizes depend on their arguments: just
    /// this data. What inference knows of it has no sizes.
    pub(super) fn dependent_types(&self, instance: &Instance, param: usize, arg: &Type) -> Vec<(usize, (Atom, Shape))> {
        let mut found = Vec::new();
        if let Atom::Fun(params, _) = instance.scheme.ty.atom()
            && let Some(param) = params.get(param)
        {
            // Of a function that is the whole argument the sizes are hidden.
            if !matches!((param.ty.atom(), arg.atom()), (Atom::Var(_), Atom::Fun(..))) {
                self.walk_dependent(&param.ty, &self.sizes.zonk_type(arg), &mut found);
            }
        }
        let new = found.into_iter().filter_map(|(name, own)| Some((type_parameter(instance, name)?, own)));
        let known = |(atom, _): &(Atom, Shape)| self.is_dependent(&Type::scalar(atom.clone()));
        new.filter(|(at, _)| !known(&instance.types[*at])).collect()
    }
    fn walk_dependent(&self, param: &Type, arg: &Type, found: &mut Vec<(Symbol, (Atom, Shape))>) {
        match (param.atom(), arg.atom()) {
            (Atom::Var(name), _) if param.shape().items.len() == 1 && arg.shape().is_scalar() && self.is_dependent(arg) => {
                found.push((*name, (arg.atom().clone(), Shape::default())));
            }
            (Atom::Tuple(xs), Atom::Tuple(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).for_each(|(x, y)| self.walk_dependent(x, y, found));
            }
            (Atom::Record(xs), Atom::Record(ys)) | (Atom::Sum(xs), Atom::Sum(ys)) if xs.len() == ys.len() => {
                xs.iter().zip(ys).for_each(|((_, x), (_, y))| self.walk_dependent(x, y, found));
            }
            (Atom::Fun(ps, x), Atom::Fun(qs, y)) if ps.len() <= qs.len() => {
                self.walk_dependent(x, &Type::fun(qs[ps.len()..].to_vec(), y.clone()), found);
            }
            _ => {}
        }
    }
    /// Whether a function, or one in some data, has sizes in its type that depend on its arguments.
    fn is_dependent(&self, ty: &Type) -> bool {
        match ty.atom() {
            Atom::Fun(params, result) => params.iter().enumerate().any(|(i, param)| {
                let mentions = |ty: &Type, name| self.sizes.dependencies(ty).contains(&DimAtom::Size(name));
                param.name.is_some_and(|name| mentions(result, name) || params[i + 1..].iter().any(|later| mentions(&later.ty, name)))
            }),
            Atom::Tuple(parts) => parts.iter().any(|part| self.is_dependent(part)),
            Atom::Record(fields) | Atom::Sum(fields) => fields.iter().any(|(_, part)| self.is_dependent(part)),
            _ => false,
        }
    }
    /// An instance of a definition, or a function that was made of one, with sizes of its own in the current scope: where it is applied to
    /// rows its sizes differ from row to row.
    pub(super) fn for_each_row(&mut self, head: Head) -> Head {
        let Head::Fun { value, instance } = head else { return head };
        let Some(mut instance) = instance else {
            let value = self.with_own_sizes(value);
            return Head::Fun { value, instance: None };
        };
        let mut fresh = types::Substitution::default();
        for size in &instance.sizes {
            self.own_size(size, instance.span, &mut fresh);
        }
        for (atom, shape) in &instance.types {
            for free in super::sizes::free_atoms(&self.sizes.zonk_type(&Type::new(atom.clone(), shape.clone()))) {
                self.own_size(&Dim::atom(free), instance.span, &mut fresh);
            }
        }
        let unit = |dims: Vec<Dim>| super::unit().framed(&frame_shape(&dims));
        let sizes = types::rewrite(&self.sizes.zonk_type(&unit(instance.sizes.clone())), &mut fresh);
        instance.sizes =
            sizes.shape().items.iter().filter_map(|item| if let ShapeItem::Dim(dim) = item { Some(dim.clone()) } else { None }).collect();
        for needed in &mut self.claims.needed {
            if let Some(new) = needed.size.as_atom().and_then(|atom| fresh.atoms.get(&atom)) {
                needed.size = new.clone();
            }
        }
        let types = std::mem::take(&mut instance.types);
        for (atom, shape) in types {
            let ty = types::rewrite(&self.sizes.zonk_type(&Type::new(atom, shape)), &mut fresh);
            instance.types.push(Self::split(&ty));
        }
        let value = self.instance_value(&instance);
        Head::Fun { value, instance: Some(instance) }
    }
    fn own_size(&mut self, size: &Dim, span: Span, fresh: &mut types::Substitution) {
        let Some(atom @ DimAtom::Meta(meta)) = self.sizes.zonk(size).as_atom() else { return };
        if self.sizes.is_solved(meta) || fresh.atoms.contains_key(&atom) {
            return;
        }
        let level = self.level();
        let own = self.sizes.fresh(level, MetaKind::Anonymous, span);
        fresh.atoms.insert(atom, own);
    }
    /// A definition that was instantiated, with sizes of its own.
    pub(super) fn with_own_sizes(&mut self, (value, ty): Typed) -> Typed {
        let ExprKind::Inst { fun, types, indices } = value.kind() else { return (value, ty) };
        let span = value.span();
        let ty = self.sizes.zonk_type(&ty);
        let mut fresh = types::Substitution::default();
        for free in super::sizes::free_atoms(&ty) {
            self.own_size(&Dim::atom(free), span, &mut fresh);
        }
        let atom_of = |elab: &mut Self, atom: &Atom, fresh: &mut types::Substitution| {
            types::rewrite(&elab.sizes.zonk_type(&Type::scalar(atom.clone())), fresh).atom().clone()
        };
        let types = types.iter().map(|atom| atom_of(self, atom, &mut fresh)).collect();
        let indices = indices.iter().map(|index| match index {
            Index::Dim(dim) => {
                let dim = self.sizes.zonk(dim);
                Index::Dim(dim.subst(&mut |atom| fresh.atoms.get(&atom).cloned()))
            }
            Index::Shape(shape) => {
                let whole = Type::new(super::unit().atom().clone(), self.sizes.zonk_shape(shape));
                Index::Shape(types::rewrite(&whole, &mut fresh).shape().clone())
            }
        });
        let indices = indices.collect();
        let ty = types::rewrite(&ty, &mut fresh);
        (Expr::new(ExprKind::Inst { fun: fun.clone(), types, indices }, span), ty)
    }
    /// Whether a written type may be that of a ragged array: an array of what hides sizes.
    pub(super) fn writes_ragged(&self, ty: surface::TypeId) -> bool {
        let program = self.program;
        match &program.ast.types[ty].kind {
            surface::TypeKind::Paren(inner) | surface::TypeKind::Unique(inner) => self.writes_ragged(*inner),
            surface::TypeKind::Array(_, element) => self.hides_sizes(*element) || self.writes_ragged(*element),
            surface::TypeKind::Name { .. } => {
                matches!(program.names.types.get(ty), Some(TypeRes::Abbreviation(def)) if self.writes_ragged(program.types[*def].decl.ty))
            }
            _ => false,
        }
    }
    fn hides_sizes(&self, ty: surface::TypeId) -> bool {
        let program = self.program;
        match &program.ast.types[ty].kind {
            surface::TypeKind::Exists(..) => true,
            surface::TypeKind::Paren(inner) | surface::TypeKind::Unique(inner) => self.hides_sizes(*inner),
            surface::TypeKind::Name { .. } => {
                matches!(program.names.types.get(ty), Some(TypeRes::Abbreviation(def)) if self.hides_sizes(program.types[*def].decl.ty))
            }
            _ => false,
        }
    }
    /// Whether evaluating a function for each row costs nothing.
    pub(super) fn is_cheap_function(&self, f: ExprId) -> bool {
        let ast = &self.program.ast;
        match &ast.exprs[view::strip(ast, f)].kind {
            surface::ExprKind::Name(_)
            | surface::ExprKind::Project { .. }
            | surface::ExprKind::OpFn(_)
            | surface::ExprKind::Lambda { .. }
            | surface::ExprKind::Int { .. }
            | surface::ExprKind::Float { .. }
            | surface::ExprKind::Bool(_) => true,
            surface::ExprKind::Apply { fun, args } => self.is_cheap_function(*fun) && args.iter().all(|arg| self.is_cheap_function(*arg)),
            surface::ExprKind::LeftSection { lhs: part, .. } | surface::ExprKind::RightSection { rhs: part, .. } => {
                self.is_cheap_function(*part)
            }
            _ => false,
        }
    }
}

/// Which type parameter of a definition has a name.
fn type_parameter(instance: &Instance, name: Symbol) -> Option<usize> {
    instance.scheme.types.iter().position(|own| *own == name)
}

/// Whether a type parameter may stand for a box that a function returns: no array of it is given.
pub(super) fn stands_for_results(scheme: &Type, name: Symbol) -> bool {
    !types::under_array(scheme, name) || types::only_results(scheme, name)
}

/// The type parameter that stands for the result of a function, if that is an array of boxes: `map f`, where the results of `f` have sizes of
/// their own.
fn rows_of_results(param: &Type, arg: &Type) -> Option<(Symbol, (Atom, Shape))> {
    let (Atom::Fun(ps, wanted), Atom::Fun(qs, given)) = (param.atom(), arg.atom()) else { return None };
    let Atom::Var(name) = wanted.atom() else { return None };
    let variable = matches!(&wanted.shape().items[..], [ShapeItem::Var(var)] if *var == shape_var(*name));
    let boxes = matches!(given.atom(), Atom::Sigma(..)) && !given.shape().is_scalar();
    (variable && boxes && ps.len() == qs.len()).then(|| (*name, (given.atom().clone(), given.shape().clone())))
}

/// Finds type parameters in the type of a parameter that stand for boxes in an argument.
fn walk_rows(param: &Type, arg: &Type, found: &mut Vec<(Symbol, (Atom, Shape))>) {
    let (own, given) = (&param.shape().items, &arg.shape().items);
    match (param.atom(), arg.atom()) {
        (Atom::Var(name), Atom::Sigma(..)) => {
            let outer = own.len().saturating_sub(1);
            let variable = matches!(own.last(), Some(ShapeItem::Var(var)) if *var == shape_var(*name));
            if variable && given.len() >= outer {
                found.push((*name, (arg.atom().clone(), Shape { items: given[outer..].to_vec() })));
            }
        }
        (Atom::Tuple(xs), Atom::Tuple(ys)) if xs.len() == ys.len() => xs.iter().zip(ys).for_each(|(x, y)| walk_rows(x, y, found)),
        (Atom::Record(xs), Atom::Record(ys)) | (Atom::Sum(xs), Atom::Sum(ys)) if xs.len() == ys.len() => {
            xs.iter().zip(ys).for_each(|((_, x), (_, y))| walk_rows(x, y, found));
        }
        _ => {}
    }
}
