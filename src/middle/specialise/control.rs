//! Branches: what both know in common stays static.

use super::error::Limit;
use super::values::{Atom, BoxValue, Env, Fun, Lifted, Renaming, Row, Static};
use super::{Outcome, Specialiser};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::attributes::Attribute;
use crate::ir::core::Expr;
use crate::ir::soac::{self, Body, Exp, Operand, Size, Stm, Var, same};
use std::rc::Rc;

/// A branch: its block and its value.
pub(super) type Branch = (Vec<Stm>, Static);

/// What two branches return.
struct Joined {
    then: Vec<Stm>,
    els: Vec<Stm>,
    results: Vec<(Operand, Operand, Var)>,
    span: Span,
}

impl Specialiser<'_> {
    pub(super) fn conditional(&mut self, cond: &Expr, then: &Expr, els: &Expr, env: &mut Env, span: Span) -> Outcome<Static> {
        let cond = self.eval(cond, env)?;
        let cond = self.scalar(&cond, span)?;
        if let Operand::Const(Scalar::Bool(truth)) = cond
            && !self.plan.attributes().at(span, Attribute::OnProcessors)
        {
            return self.eval(if truth { then } else { els }, env);
        }
        let a = self.in_block(|this| this.knowing(cond, true, |this| this.eval(then, env)))?;
        let b = self.in_block(|this| this.knowing(cond, false, |this| this.eval(els, env)))?;
        let second = matches!(&b.1, Static::Data(Operand::Const(Scalar::Bool(false)))).then(|| a.1.clone());
        let value = self.merge(cond, a, b, span)?;
        if let Some(second) = second {
            self.both_hold(&value, cond, &second);
        }
        Ok(value)
    }

    /// The value of one of two branches.
    pub(super) fn merge(&mut self, cond: Operand, (then, a): Branch, (els, b): Branch, span: Span) -> Outcome<Static> {
        let mut joined = Joined { then, els, results: Vec::new(), span };
        let value = self.join(cond, &a, &b, &mut joined)?;
        let Joined { then, els, results, .. } = joined;
        if results.is_empty() && !then.iter().chain(&els).any(|stm| stm.exp.may_fail()) {
            return Ok(value);
        }
        let (mut pat, mut of_then, mut of_els) = (Vec::new(), Vec::new(), Vec::new());
        for (x, y, var) in results {
            pat.push(var);
            of_then.push(x);
            of_els.push(y);
        }
        let exp = Exp::If { cond, then: Body { stms: then, result: of_then }, els: Body { stms: els, result: of_els } };
        self.push(pat, exp, span)?;
        Ok(value)
    }

    fn join(&mut self, cond: Operand, a: &Static, b: &Static, joined: &mut Joined) -> Outcome<Static> {
        let span = joined.span;
        Ok(match (a, b) {
            (Static::Data(x), Static::Data(y)) => {
                let outer = x.var().is_none_or(|var| !self.is_inner(var));
                if outer && same(*x, *y) {
                    return Ok(a.clone());
                }
                let (tx, ty) = (self.ty(*x), self.ty(*y));
                let ty = if self.mentions_inner(&tx) { ty } else { tx };
                if self.mentions_inner(&ty) {
                    return self.limit(span, Limit::BoxOfBranch);
                }
                Static::Data(self.result(*x, *y, ty, joined))
            }
            (Static::Tuple(xs), Static::Tuple(ys)) if xs.len() == ys.len() => {
                Static::Tuple(xs.iter().zip(ys.iter()).map(|(x, y)| self.join(cond, x, y, joined)).collect::<Outcome<_>>()?)
            }
            (Static::Record(xs), Static::Record(ys)) if xs.len() == ys.len() => {
                let parts = xs.iter().zip(ys.iter()).map(|((label, x), (_, y))| Ok((*label, self.join(cond, x, y, joined)?)));
                Static::Record(parts.collect::<Outcome<_>>()?)
            }
            (Static::Box(x), Static::Box(y)) => self.join_boxes(x, y, joined)?,
            (Static::Lifted(x), Static::Lifted(y)) if let Some(ty) = self.common_rows(x, y) => {
                let mut vars = Vec::new();
                let value = self.symbolic(&ty, &[], Symbol::new("kept"), span, &mut vars)?;
                let of_then = self.at_end_of(joined, true, |this| this.leaves(a, span))?;
                let of_els = self.at_end_of(joined, false, |this| this.leaves(b, span))?;
                joined.results.extend(of_then.into_iter().zip(of_els).zip(vars).map(|((x, y), var)| (x, y, var)));
                value
            }
            (Static::Fun(x), Static::Fun(y)) if Rc::ptr_eq(x, y) => a.clone(),
            _ if a.is_function() && b.is_function() => {
                let a = self.exported(a, true, joined)?;
                let b = self.exported(b, false, joined)?;
                self.either(cond, a, b, span)?
            }
            _ => return self.broken(span, "branches of different forms"),
        })
    }
    fn result(&mut self, x: Operand, y: Operand, ty: soac::Type, joined: &mut Joined) -> Operand {
        let name = [x, y].into_iter().find_map(|a| a.var()).map_or_else(|| Symbol::new("c"), |var| self.out.vars[var].name);
        let var = self.fresh(name, ty);
        joined.results.push((x, y, var));
        Operand::Var(var)
    }

    fn join_boxes(&mut self, x: &Rc<BoxValue>, y: &Rc<BoxValue>, joined: &mut Joined) -> Outcome<Static> {
        let span = joined.span;
        let mut vars = Vec::new();
        let ty = super::values::Type { shape: Vec::new(), atom: Atom::Sigma(x.sigma.clone()) };
        let value = self.symbolic(&ty, &[], Symbol::new("kept"), span, &mut vars)?;
        let of_then = self.at_end_of(joined, true, |this| this.leaves(&Static::Box(x.clone()), span))?;
        let of_els = self.at_end_of(joined, false, |this| this.leaves(&Static::Box(y.clone()), span))?;
        joined.results.extend(of_then.into_iter().zip(of_els).zip(vars).map(|((x, y), var)| (x, y, var)));
        Ok(value)
    }
    fn at_end_of<T>(&mut self, joined: &mut Joined, then: bool, work: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        let block = if then { &mut joined.then } else { &mut joined.els };
        self.at_end(block, work)
    }

    /// The function of one branch with the variables of the branch made results; the other branch returns something in their places.
    fn exported(&mut self, value: &Static, then: bool, joined: &mut Joined) -> Outcome<Static> {
        let span = joined.span;
        let mut map = Renaming::default();
        let mut none = Renaming::default();
        for var in self.inner_vars(value) {
            let ty = self.out.ty(var).clone();
            let new = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
            // In the other branch sizes are 0.
            let blank = soac::Type { elem: ty.elem, shape: none.shape(&ty.shape) };
            let other = if ty.rank() == 0 {
                Operand::Const(Scalar::from_i128(ty.elem, 0))
            } else {
                self.at_end_of(joined, !then, |this| {
                    this.bind("none", blank, Exp::Rep(Operand::Const(Scalar::from_i128(ty.elem, 0))), span)
                })?
            };
            if ty == soac::Type::scalar(PrimType::I64) {
                none.sizes.insert(var, Size::constant(0));
            }
            let (x, y) = if then { (Operand::Var(var), other) } else { (other, Operand::Var(var)) };
            let result = self.result(x, y, new, joined);
            self.stand_for(&mut map, var, result);
        }
        Ok(self.replaced(value, &map))
    }

    /// One of two functions, or of two arrays of functions.
    pub(super) fn either(&mut self, cond: Operand, a: Static, b: Static, span: Span) -> Outcome<Static> {
        Ok(match (&a, &b) {
            // The one that is not there is never applied.
            (_, Static::Fun(_)) if b.is_absent() => a,
            (Static::Fun(_), _) if a.is_absent() => b,
            (Static::Fun(_) | Static::Box(_), Static::Fun(_) | Static::Box(_)) => Static::Fun(Rc::new(Fun::Choice(cond, a, b))),
            (Static::Lifted(x), Static::Lifted(y)) => {
                let (x, y) = (self.refreshed(x), self.refreshed(y));
                let elem = self.either(cond, x.elem, y.elem, span)?;
                let (vars, arrays) = ([x.vars, y.vars].concat(), [x.arrays, y.arrays].concat());
                let (places, rows) = ([x.places, y.places].concat(), [x.rows, y.rows].concat());
                Static::Lifted(Rc::new(Lifted { width: x.width, vars, arrays, places, rows, elem }))
            }
            _ => return self.broken(span, "functions of different forms"),
        })
    }
    /// The same array of functions with variables of its own.
    pub(super) fn refreshed(&mut self, lifted: &Lifted) -> Lifted {
        let own = [&lifted.vars[..], &lifted.places].concat();
        let (mut vars, map) = self.renewed(&own, Self::placeholder);
        let places = vars.split_off(lifted.vars.len());
        let rows = lifted.rows.iter().map(|row| Row { start: map.operand(row.start), ..*row }).collect();
        let elem = self.replaced(&lifted.elem, &map);
        Lifted { width: lifted.width.clone(), vars, arrays: lifted.arrays.clone(), places, rows, elem }
    }
    /// Variables that `make` makes for others, with their names, and the renaming of these into them. Sizes among them are renamed in the
    /// types of those that follow.
    pub(super) fn renewed(&mut self, old: &[Var], make: fn(&mut Self, Symbol, soac::Type) -> Var) -> (Vec<Var>, Renaming) {
        let mut map = Renaming::default();
        let mut vars = Vec::with_capacity(old.len());
        for var in old {
            vars.push(self.renew(*var, &mut map, make));
        }
        (vars, map)
    }
    /// A variable that `make` makes for another one, with its name and its type renamed; the renaming gets it.
    pub(super) fn renew(&mut self, var: Var, map: &mut Renaming, make: fn(&mut Self, Symbol, soac::Type) -> Var) -> Var {
        let ty = self.out.ty(var);
        let ty = soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) };
        let new = make(self, self.out.vars[var].name, ty);
        self.stand_for(map, var, Operand::Var(new));
        new
    }
}
