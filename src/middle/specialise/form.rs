//! The form of a static value: all but the values of variables. A loop that carries functions has a fixed point when their forms repeat.

use super::values::{Atom, Env, Fun, IndexValue, Label, Layout, Static};
use crate::base::scalar::{FoldOp, ScalarOp};
use crate::base::{PrimType, Scalar, Symbol};
use crate::ir::core::{Expr, ExprNode, Prim};
use crate::ir::soac::{Operand, Program, Size, Var};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a value looks like, whatever is in its holes: the parts that it is made of, from left to right.
#[derive(PartialEq)]
pub(super) struct Form(Vec<Part>);

#[derive(PartialEq)]
enum Part {
    Tuple,
    Record,
    Label(Label),
    Box,
    Lifted,
    Closure(*const ExprNode),
    Poly(*const ExprNode),
    Global(Symbol),
    Prim(Prim),
    Op(ScalarOp),
    Fold(FoldOp),
    Choice,
    Absent,
    /// That a list of so many parts follows.
    List(usize),
    /// That what a name of core stands for follows.
    Bound(Symbol),
    Constant(Constant),
    Variable(Name),
    /// The type of the elements of a variable.
    Elem(PrimType),
    /// A type but for its sizes.
    Layout(Layout),
    /// Monomials with their coefficients, sorted.
    Size(Vec<(Vec<Name>, i64)>),
}

/// What a variable is called in a form.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    /// The hole with this number.
    Hole(usize),
    /// A variable of an array of functions: how many of these are around it, and its number.
    Own(usize, usize),
    /// One that is bound outside.
    Outer(Var),
}

/// A number, compared bit by bit.
struct Constant(Scalar);

impl PartialEq for Constant {
    fn eq(&self, other: &Constant) -> bool {
        self.0.same_bits(other.0)
    }
}

impl Form {
    /// What a value looks like.
    pub fn of(value: &Static, holes: &[Var], program: &Program) -> Form {
        let mut writer = Writer { program, holes, own: Vec::new(), parts: Vec::new() };
        writer.value(value);
        Form(writer.parts)
    }
}

struct Writer<'a> {
    program: &'a Program,
    holes: &'a [Var],
    /// The variables of the arrays of functions around.
    own: Vec<&'a [Var]>,
    parts: Vec<Part>,
}

impl<'a> Writer<'a> {
    fn name(&self, var: Var) -> Name {
        let at = |vars: &[Var]| vars.iter().position(|own| *own == var);
        let own = self.own.iter().enumerate().rev().find_map(|(level, vars)| Some(Name::Own(level, at(vars)?)));
        own.or_else(|| at(self.holes).map(Name::Hole)).unwrap_or(Name::Outer(var))
    }
    fn size(&mut self, size: &Size) {
        let term = |(monomial, coefficient): (&[Var], i64)| {
            let mut names: Vec<Name> = monomial.iter().map(|var| self.name(*var)).collect();
            names.sort_unstable();
            (names, coefficient)
        };
        let mut terms: Vec<(Vec<Name>, i64)> = size.terms().map(term).collect();
        terms.sort_unstable();
        self.parts.push(Part::Size(terms));
    }
    fn sizes(&mut self, sizes: &[Size]) {
        self.parts.push(Part::List(sizes.len()));
        sizes.iter().for_each(|size| self.size(size));
    }
    fn operand(&mut self, operand: Operand) {
        let var = match operand {
            Operand::Const(scalar) => return self.parts.push(Part::Constant(Constant(scalar))),
            Operand::Var(var) => var,
        };
        let name = self.name(var);
        self.parts.push(Part::Variable(name));
        if !matches!(name, Name::Own(..)) {
            let ty = self.program.ty(var);
            self.parts.push(Part::Elem(ty.elem));
            self.sizes(&ty.shape);
        }
    }
    fn values(&mut self, values: &'a [Static]) {
        self.parts.push(Part::List(values.len()));
        values.iter().for_each(|value| self.value(value));
    }
    fn indices(&mut self, indices: &'a [IndexValue]) {
        self.parts.push(Part::List(indices.len()));
        indices.iter().for_each(|index| self.index(index));
    }
    fn index(&mut self, index: &IndexValue) {
        match index {
            IndexValue::Dim(size) => self.size(size),
            IndexValue::Shape(sizes) => self.sizes(sizes),
        }
    }
    fn atom(&mut self, atom: &Atom) {
        self.parts.push(Part::Layout(atom.layout(0)));
        atom.sizes(&mut |size| self.size(size));
    }
    /// What the names are, in the order of their texts.
    fn table<T>(&mut self, table: &'a FxHashMap<Symbol, T>, mut write: impl FnMut(&mut Self, &'a T)) {
        let mut names: Vec<_> = table.iter().collect();
        names.sort_unstable_by_key(|(name, _)| **name);
        self.parts.push(Part::List(names.len()));
        for (name, what) in names {
            self.parts.push(Part::Bound(*name));
            write(self, what);
        }
    }
    fn env(&mut self, env: &'a Env) {
        self.table(&env.terms, Self::value);
        self.table(&env.indices, |this, index| this.index(index));
        self.table(&env.types, |this, atom| this.atom(atom));
    }

    fn value(&mut self, value: &'a Static) {
        match value {
            Static::Data(a) => self.operand(*a),
            Static::Tuple(parts) => {
                self.parts.push(Part::Tuple);
                self.values(parts);
            }
            Static::Record(parts) => {
                self.parts.extend([Part::Record, Part::List(parts.len())]);
                for (label, part) in parts.iter() {
                    self.parts.push(Part::Label(*label));
                    self.value(part);
                }
            }
            Static::Box(boxed) => {
                self.parts.push(Part::Box);
                self.indices(&boxed.indices);
                self.value(&boxed.value);
            }
            Static::Lifted(lifted) => {
                self.parts.extend([Part::Lifted, Part::List(lifted.arrays.len())]);
                self.size(&lifted.width);
                lifted.arrays.iter().for_each(|a| self.operand(*a));
                self.parts.push(Part::List(lifted.rows.len()));
                self.own.push(&lifted.vars);
                lifted.rows.iter().for_each(|row| {
                    self.operand(row.start);
                    self.operand(row.data);
                });
                self.own.push(&lifted.places);
                self.value(&lifted.elem);
                self.own.truncate(self.own.len() - 2);
            }
            Static::Fun(fun) => self.fun(fun),
        }
    }
    fn fun(&mut self, fun: &'a Fun) {
        let code = |expr: &Expr| Arc::as_ptr(&expr.0);
        match fun {
            Fun::Closure { body, env, args, .. } => {
                self.parts.push(Part::Closure(code(body)));
                self.env(env);
                self.values(args);
            }
            Fun::Poly { expr, env } => {
                self.parts.push(Part::Poly(code(expr)));
                self.env(env);
            }
            Fun::Global { name, indices, types, args } => {
                self.parts.push(Part::Global(*name));
                self.instance(indices, types, args);
            }
            Fun::Prim { prim, indices, types, args } => {
                self.parts.push(Part::Prim(*prim));
                self.instance(indices, types, args);
            }
            Fun::Op(op, args) => {
                self.parts.push(Part::Op(*op));
                self.values(args);
            }
            Fun::Fold(fold) => self.parts.push(Part::Fold(*fold)),
            Fun::Choice(cond, a, b) => {
                self.parts.push(Part::Choice);
                self.operand(*cond);
                self.value(a);
                self.value(b);
            }
            Fun::Absent { env, .. } => {
                self.parts.push(Part::Absent);
                self.env(env);
            }
        }
    }
    fn instance(&mut self, indices: &'a [IndexValue], types: &'a [Atom], args: &'a [Static]) {
        self.indices(indices);
        self.parts.push(Part::List(types.len()));
        types.iter().for_each(|atom| self.atom(atom));
        self.values(args);
    }
}
