//! Types and indices of core in terms of the new program.

use super::error::Limit;
use super::values::{Atom, Env, IndexValue, Label, Renaming, Sigma, Static, Type};
use super::{Outcome, Specialiser, values};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core;
use crate::ir::core::{DimAtom, ShapeItem, is_shape};
use crate::ir::soac::{self, Operand, Size, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Specialiser<'_> {
    /// A size.
    pub(super) fn dim(&mut self, dim: &core::Dim, env: &Env, span: Span) -> Outcome<Size> {
        let mut sum = Size::default();
        for (monomial, coefficient) in dim.terms() {
            let mut product = Size::constant(coefficient);
            for atom in monomial {
                let factor = match atom {
                    DimAtom::Var(name) => match env.indices.get(name) {
                        Some(IndexValue::Dim(size)) => size.clone(),
                        _ => return self.limit(span, Limit::HiddenSize(*name)),
                    },
                    DimAtom::Size(name) => match env.terms.get(name) {
                        Some(Static::Data(operand)) => self.size_of(*operand),
                        _ => match self.global(*name, span)? {
                            Static::Data(operand) => self.size_of(operand),
                            Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                                return self.broken(span, &format!("the size of `{name}` is not known"));
                            }
                        },
                    },
                    DimAtom::Meta(_) => return self.broken(span, "an unknown size"),
                };
                product = product.mul(&factor);
            }
            sum = sum.add(&product);
        }
        Ok(sum)
    }
    /// A shape.
    pub(super) fn shape(&mut self, shape: &core::Shape, env: &Env, span: Span) -> Outcome<Vec<Size>> {
        let mut out = Vec::with_capacity(shape.items.len());
        for item in &shape.items {
            match item {
                ShapeItem::Dim(dim) => out.push(self.dim(dim, env, span)?),
                ShapeItem::Var(name) => match env.indices.get(name) {
                    Some(IndexValue::Shape(sizes)) => out.extend_from_slice(sizes),
                    _ => return self.limit(span, Limit::HiddenShape(*name)),
                },
            }
        }
        Ok(out)
    }
    pub(super) fn index(&mut self, index: &core::Index, env: &Env, span: Span) -> Outcome<IndexValue> {
        Ok(match index {
            core::Index::Dim(dim) => IndexValue::Dim(self.dim(dim, env, span)?),
            core::Index::Shape(shape) => IndexValue::Shape(self.shape(shape, env, span)?),
        })
    }
    /// A type.
    pub(super) fn resolve(&mut self, ty: &core::Type, env: &mut Env, span: Span) -> Outcome<Type> {
        Ok(Type { shape: self.shape(ty.shape(), env, span)?, atom: self.atom(ty.atom(), env, span)? })
    }
    /// An atom type.
    pub(super) fn atom(&mut self, atom: &core::Atom, env: &mut Env, span: Span) -> Outcome<Atom> {
        Ok(match atom {
            core::Atom::Prim(prim) => Atom::Prim(*prim),
            core::Atom::Var(name) => match env.types.get(name) {
                Some(atom) => atom.clone(),
                None => return self.limit(span, Limit::HiddenType(*name)),
            },
            core::Atom::Fun(..) | core::Atom::Forall(..) | core::Atom::Pi(..) => Atom::Fun,
            core::Atom::Tuple(parts) => Atom::Tuple(parts.iter().map(|part| self.resolve(part, env, span)).collect::<Outcome<_>>()?),
            core::Atom::Record(parts) => {
                let field = |(label, part): &(Symbol, core::Type)| Ok((Label::Field(*label), self.resolve(part, env, span)?));
                Atom::Record(parts.iter().map(field).collect::<Outcome<_>>()?)
            }
            core::Atom::Sum(payloads) => self.sum_type(payloads, env, span)?,
            core::Atom::Sigma(names, body) => {
                let mut params = Vec::with_capacity(names.len());
                let mut hidden = Vec::with_capacity(names.len());
                for name in names {
                    if is_shape(*name) {
                        return self.limit(span, Limit::UnknownRank);
                    }
                    let var = self.placeholder(*name, soac::Type::scalar(PrimType::I64));
                    params.push(var);
                    hidden.push((*name, env.indices.insert(*name, IndexValue::Dim(Size::var(var)))));
                }
                let body = self.resolve(body, env, span);
                restore(&mut env.indices, hidden);
                Atom::Sigma(Rc::new(Sigma { params, body: body? }))
            }
        })
    }

    /// The content type of a box with these sizes.
    pub(super) fn opened(&self, sigma: &Sigma, sizes: &[Size]) -> Type {
        let map = Renaming { sizes: sigma.params.iter().copied().zip(sizes.iter().cloned()).collect(), ..Renaming::default() };
        sigma.body.rename(&map)
    }

    /// A value of the type made of new variables, which are added to `vars`. `frame` stands in front of the shape.
    pub(super) fn symbolic(&mut self, ty: &Type, frame: &[Size], name: Symbol, span: Span, vars: &mut Vec<Var>) -> Outcome<Static> {
        let shape = [frame, &ty.shape].concat();
        Ok(match &ty.atom {
            Atom::Prim(prim) => {
                let var = self.fresh(name, soac::Type { elem: *prim, shape });
                vars.push(var);
                Static::Data(Operand::Var(var))
            }
            Atom::Tuple(parts) => {
                Static::Tuple(parts.iter().map(|part| self.symbolic(part, &shape, name, span, vars)).collect::<Outcome<_>>()?)
            }
            Atom::Record(parts) => {
                let field = |(label, part): &(Label, Type)| Ok((*label, self.symbolic(part, &shape, name, span, vars)?));
                Static::Record(parts.iter().map(field).collect::<Outcome<_>>()?)
            }
            Atom::Sigma(sigma) if shape.is_empty() => {
                let mut sizes = Vec::with_capacity(sigma.params.len());
                for param in &sigma.params {
                    let var = self.fresh(self.out.vars[*param].name, soac::Type::scalar(PrimType::I64));
                    self.sizes.add_natural(var);
                    vars.push(var);
                    sizes.push(Size::var(var));
                }
                let content = self.opened(sigma, &sizes);
                let value = self.symbolic(&content, &[], name, span, vars)?;
                let indices = sizes.into_iter().map(IndexValue::Dim).collect();
                Static::Box(Rc::new(values::BoxValue { indices, value, sigma: sigma.clone() }))
            }
            Atom::Sigma(_) => self.symbolic_rows(&Type { shape, atom: ty.atom.clone() }, name, span, vars)?,
            Atom::Fun => return self.limit(span, Limit::UnknownFunction),
        })
    }

    /// Makes a box of sizes and content.
    pub(super) fn boxed(&self, sizes: Vec<Size>, value: Static, ty: &Type, span: Span) -> Outcome<Static> {
        match &ty.atom {
            Atom::Sigma(sigma) => {
                let indices = sizes.into_iter().map(IndexValue::Dim).collect();
                Ok(Static::Box(Rc::new(values::BoxValue { indices, value, sigma: sigma.clone() })))
            }
            Atom::Prim(_) | Atom::Tuple(_) | Atom::Record(_) | Atom::Fun => self.broken(span, "a box without the type of one"),
        }
    }
}

/// Undoes bindings, the last one first.
pub(super) fn restore<V>(table: &mut FxHashMap<Symbol, V>, hidden: Vec<(Symbol, Option<V>)>) {
    for (name, old) in hidden.into_iter().rev() {
        match old {
            Some(value) => table.insert(name, value),
            None => table.remove(&name),
        };
    }
}
