//! Static values, in the sense of binding times: data is a variable of the new program, everything else is known while it is made.

use super::sums::SumId;
use crate::base::scalar::{FoldOp, ScalarOp};
use crate::base::{PrimType, Symbol};
use crate::ir::core::names::Free;
use crate::ir::core::{self, Expr, Prim};
use crate::ir::soac::{Operand, Size, Var};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A value of core.
#[derive(Debug, Clone)]
pub enum Static {
    /// Scalars and arrays of scalars.
    Data(Operand),
    /// A tuple, or an array of tuples: then every component has the frame in front of its shape.
    Tuple(Rc<[Static]>),
    /// The same with labels, or a sum (see [`sums`](super::sums)).
    Record(Rc<[(Label, Static)]>),
    /// A function.
    Fun(Rc<Fun>),
    /// A box.
    Box(Rc<BoxValue>),
    /// An array of functions or boxes, see [`Lifted`].
    Lifted(Rc<Lifted>),
}

/// A box: the sizes that it hides and its content.
#[derive(Debug)]
pub struct BoxValue {
    /// What the hidden indices are.
    pub indices: Vec<IndexValue>,
    /// The content.
    pub value: Static,
    /// Its type.
    pub sigma: Rc<Sigma>,
}

/// An array along one dimension of values that are no data: functions, and boxes, whose sizes differ from cell to cell. Cell `i` is `elem`,
/// in which each of `vars` stands for cell `i` of the array with the same number, and each of `places` for an array that lies in `rows`.
#[derive(Debug, Clone)]
pub struct Lifted {
    /// The number of cells.
    pub width: Size,
    /// Variables that are bound nowhere else.
    pub vars: Vec<Var>,
    /// Arrays of what they stand for.
    pub arrays: Vec<Operand>,
    /// Variables for arrays whose sizes differ from cell to cell, in terms of those before; bound nowhere else.
    pub places: Vec<Var>,
    /// Where these arrays are.
    pub rows: Vec<Row>,
    /// A cell.
    pub elem: Static,
}

impl Lifted {
    /// So many times the same.
    pub fn same(width: Size, elem: Static) -> Lifted {
        Lifted { width, vars: Vec::new(), arrays: Vec::new(), places: Vec::new(), rows: Vec::new(), elem }
    }
}

/// Arrays of different sizes one after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Where that of a cell begins, in terms of the variables of the cell.
    pub start: Operand,
    /// The elements of all.
    pub data: Operand,
}

/// A function with the arguments that it has already.
#[derive(Debug)]
pub enum Fun {
    /// An abstraction over terms.
    Closure {
        /// The parameters with their types.
        params: Rc<[Symbol]>,
        /// The body.
        body: Expr,
        /// What the free names of the body are.
        env: Env,
        /// The first arguments.
        args: Vec<Static>,
    },
    /// An abstraction over indices or types (`i-fn`, `t-fn`).
    Poly {
        /// The abstraction.
        expr: Expr,
        /// What its free names are.
        env: Env,
    },
    /// A definition of the program that is a function or polymorphic.
    Global {
        /// Its name.
        name: Symbol,
        /// Index arguments.
        indices: Vec<IndexValue>,
        /// Type arguments.
        types: Vec<Atom>,
        /// The first arguments.
        args: Vec<Static>,
    },
    /// A primitive.
    Prim {
        /// Which.
        prim: Prim,
        /// Index arguments.
        indices: Vec<IndexValue>,
        /// Type arguments.
        types: Vec<Atom>,
        /// The first arguments.
        args: Vec<Static>,
    },
    /// A scalar operation.
    Op(ScalarOp, Vec<Static>),
    /// A fold over a vector.
    Fold(FoldOp),
    /// One of two functions, or what is computed later.
    Choice(Operand, Static, Static),
    /// What stands for a function where a constructor with another payload was used: a function that nothing is computed by.
    Absent {
        /// The type of the function that is not there.
        ty: core::Type,
        /// What the free names of the type are.
        env: Env,
    },
}

/// What index variables stand for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum IndexValue {
    /// A size.
    Dim(Size),
    /// A shape. Its rank is known.
    Shape(Vec<Size>),
}

/// A type without variables other than those of the new program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Type {
    /// The shape.
    pub shape: Vec<Size>,
    /// The type of the elements.
    pub atom: Atom,
}

/// An atom type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Atom {
    /// A scalar type.
    Prim(PrimType),
    /// A tuple.
    Tuple(Rc<[Type]>),
    /// A record, or a sum.
    Record(Rc<[(Label, Type)]>),
    /// Some function; functions are followed as values, not by their types.
    Fun,
    /// A box.
    Sigma(Rc<Sigma>),
}

/// The type of a box.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sigma {
    /// Variables that stand for the hidden sizes; bound nowhere else.
    pub params: Vec<Var>,
    /// The type of the content.
    pub body: Type,
}

/// What a component of a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Label {
    /// A field of the program.
    Field(Symbol),
    /// The tag of a sum that is laid out like this.
    Tag(SumId),
    /// A slot of a sum.
    Slot(usize),
}

/// What a type looks like apart from its sizes: equal for types whose values have the same components of the same ranks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    rank: usize,
    atom: AtomLayout,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum AtomLayout {
    Prim(PrimType),
    Fun,
    Tuple(Vec<Layout>),
    Record(Vec<(Label, Layout)>),
    /// A box with the number of sizes that it hides.
    Sigma(usize, Box<Layout>),
}

/// What names of core stand for.
#[derive(Debug, Clone, Default)]
pub struct Env {
    /// Term variables.
    pub terms: FxHashMap<Symbol, Static>,
    /// Index variables.
    pub indices: FxHashMap<Symbol, IndexValue>,
    /// Type variables.
    pub types: FxHashMap<Symbol, Atom>,
}

impl Static {
    /// Whether it consists of scalars and arrays of them.
    pub fn is_plain(&self) -> bool {
        match self {
            Static::Data(_) => true,
            Static::Tuple(parts) => parts.iter().all(Static::is_plain),
            Static::Record(parts) => parts.iter().all(|(_, part)| part.is_plain()),
            Static::Fun(_) | Static::Lifted(_) | Static::Box(_) => false,
        }
    }
    /// Whether it is computed where it is used.
    pub fn is_later(&self) -> bool {
        match self {
            Static::Fun(fun) => match &**fun {
                Fun::Choice(_, a, b) => [a, b].iter().any(|value| value.is_later() || matches!(value, Static::Box(_))),
                Fun::Closure { .. }
                | Fun::Poly { .. }
                | Fun::Global { .. }
                | Fun::Prim { .. }
                | Fun::Op(..)
                | Fun::Fold(_)
                | Fun::Absent { .. } => false,
            },
            Static::Data(_) | Static::Tuple(_) | Static::Record(_) | Static::Box(_) | Static::Lifted(_) => false,
        }
    }
    /// Whether it is a function or an array of functions.
    pub fn is_function(&self) -> bool {
        matches!(self, Static::Fun(_) | Static::Lifted(_))
    }
    /// Whether it is a function that nothing is computed by.
    pub fn is_absent(&self) -> bool {
        matches!(self, Static::Fun(fun) if matches!(**fun, Fun::Absent { .. }))
    }
    /// Calls `see` with all operands that it holds, captured ones and placeholders included, and `size` with the sizes besides those of
    /// their types.
    pub fn walk(&self, see: &mut dyn FnMut(Operand), size: &mut dyn FnMut(&Size)) {
        match self {
            Static::Data(a) => see(*a),
            Static::Tuple(parts) => parts.iter().for_each(|part| part.walk(see, size)),
            Static::Record(parts) => parts.iter().for_each(|(_, part)| part.walk(see, size)),
            Static::Box(boxed) => {
                boxed.indices.iter().for_each(|index| index.sizes().for_each(&mut *size));
                boxed.value.walk(see, size);
            }
            Static::Lifted(lifted) => {
                size(&lifted.width);
                lifted.arrays.iter().for_each(|a| see(*a));
                lifted.rows.iter().for_each(|row| {
                    see(row.start);
                    see(row.data);
                });
                lifted.elem.walk(see, size);
            }
            Static::Fun(fun) => match &**fun {
                Fun::Closure { env, args, .. } => {
                    env.walk(see, size);
                    args.iter().for_each(|arg| arg.walk(see, size));
                }
                Fun::Poly { env, .. } | Fun::Absent { env, .. } => env.walk(see, size),
                Fun::Global { args, indices, types, .. } | Fun::Prim { args, indices, types, .. } => {
                    indices.iter().for_each(|index| index.sizes().for_each(&mut *size));
                    types.iter().for_each(|atom| atom.sizes(size));
                    args.iter().for_each(|arg| arg.walk(see, size));
                }
                Fun::Op(_, args) => args.iter().for_each(|arg| arg.walk(see, size)),
                Fun::Fold(_) => {}
                Fun::Choice(cond, a, b) => {
                    see(*cond);
                    a.walk(see, size);
                    b.walk(see, size);
                }
            },
        }
    }
    /// Calls `see` with all arrays of functions and boxes in it, those of outer dimensions first.
    pub fn each_lifted(&self, see: &mut dyn FnMut(&Lifted)) {
        match self {
            Static::Data(_) => {}
            Static::Tuple(parts) => parts.iter().for_each(|part| part.each_lifted(see)),
            Static::Record(parts) => parts.iter().for_each(|(_, part)| part.each_lifted(see)),
            Static::Box(boxed) => boxed.value.each_lifted(see),
            Static::Lifted(lifted) => {
                see(lifted);
                lifted.elem.each_lifted(see);
            }
            Static::Fun(fun) => match &**fun {
                Fun::Closure { env, args, .. } => env.terms.values().chain(args).for_each(|value| value.each_lifted(see)),
                Fun::Poly { env, .. } | Fun::Absent { env, .. } => env.terms.values().for_each(|value| value.each_lifted(see)),
                Fun::Global { args, .. } | Fun::Prim { args, .. } | Fun::Op(_, args) => args.iter().for_each(|arg| arg.each_lifted(see)),
                Fun::Fold(_) => {}
                Fun::Choice(_, a, b) => {
                    a.each_lifted(see);
                    b.each_lifted(see);
                }
            },
        }
    }
    /// Whether two functions, or arrays of functions, are one and the same.
    pub fn is(&self, other: &Static) -> bool {
        match (self, other) {
            (Static::Fun(a), Static::Fun(b)) => Rc::ptr_eq(a, b),
            (Static::Lifted(a), Static::Lifted(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
    /// Whether a function, or an array of functions, is this one or has captured it.
    pub fn holds(&self, other: &Static) -> bool {
        let any = |values: &[Static]| values.iter().any(|value| value.holds(other));
        self.is(other)
            || match self {
                Static::Data(_) => false,
                Static::Tuple(parts) => any(parts),
                Static::Record(parts) => parts.iter().any(|(_, part)| part.holds(other)),
                Static::Box(boxed) => boxed.value.holds(other),
                Static::Lifted(lifted) => lifted.elem.holds(other),
                Static::Fun(fun) => match &**fun {
                    Fun::Closure { env, args, .. } => any(args) || env.terms.values().any(|value| value.holds(other)),
                    Fun::Poly { env, .. } | Fun::Absent { env, .. } => env.terms.values().any(|value| value.holds(other)),
                    Fun::Global { args, .. } | Fun::Prim { args, .. } | Fun::Op(_, args) => any(args),
                    Fun::Fold(_) => false,
                    Fun::Choice(_, a, b) => a.holds(other) || b.holds(other),
                },
            }
    }
    /// Whether a renaming would change it.
    fn mentions(&self, map: &Renaming) -> bool {
        let found = std::cell::Cell::new(false);
        self.walk(&mut |a| found.set(found.get() || map.operand(a) != a), &mut |size| {
            found.set(found.get() || size.vars().any(|var| map.sizes.contains_key(&var)));
        });
        found.get()
    }
    /// The value with variables replaced, in sizes too, but not in the types of the variables that stand for cells of arrays
    /// ([`replaced`](super::Specialiser::replaced) replaces those).
    pub fn rename(&self, map: &Renaming) -> Static {
        // A function in which nothing changes stays the one that it is: loops ask whether they have met it before.
        if self.is_function() && !self.mentions(map) {
            return self.clone();
        }
        match self {
            Static::Data(a) => Static::Data(map.operand(*a)),
            Static::Tuple(parts) => Static::Tuple(parts.iter().map(|part| part.rename(map)).collect()),
            Static::Record(parts) => Static::Record(parts.iter().map(|(label, part)| (*label, part.rename(map))).collect()),
            Static::Box(boxed) => Static::Box(Rc::new(BoxValue {
                indices: boxed.indices.iter().map(|index| index.rename(map)).collect(),
                value: boxed.value.rename(map),
                sigma: Rc::new(boxed.sigma.rename(map)),
            })),
            Static::Lifted(lifted) => Static::Lifted(Rc::new(Lifted {
                width: map.size(&lifted.width),
                vars: lifted.vars.iter().map(|var| map.place(*var)).collect(),
                arrays: lifted.arrays.iter().map(|a| map.operand(*a)).collect(),
                places: lifted.places.iter().map(|place| map.place(*place)).collect(),
                rows: lifted.rows.iter().map(|row| Row { start: map.operand(row.start), data: map.operand(row.data) }).collect(),
                elem: lifted.elem.rename(map),
            })),
            Static::Fun(fun) => Static::Fun(Rc::new(match &**fun {
                Fun::Closure { params, body, env, args } => {
                    Fun::Closure { params: params.clone(), body: body.clone(), env: env.rename(map), args: renamed(args, map) }
                }
                Fun::Poly { expr, env } => Fun::Poly { expr: expr.clone(), env: env.rename(map) },
                Fun::Global { name, indices, types, args } => Fun::Global {
                    name: *name,
                    indices: indices.iter().map(|index| index.rename(map)).collect(),
                    types: types.iter().map(|atom| atom.rename(map)).collect(),
                    args: renamed(args, map),
                },
                Fun::Prim { prim, indices, types, args } => Fun::Prim {
                    prim: *prim,
                    indices: indices.iter().map(|index| index.rename(map)).collect(),
                    types: types.iter().map(|atom| atom.rename(map)).collect(),
                    args: renamed(args, map),
                },
                Fun::Op(op, args) => Fun::Op(*op, renamed(args, map)),
                Fun::Fold(fold) => Fun::Fold(*fold),
                Fun::Choice(cond, a, b) => Fun::Choice(map.operand(*cond), a.rename(map), b.rename(map)),
                Fun::Absent { ty, env } => Fun::Absent { ty: ty.clone(), env: env.rename(map) },
            })),
        }
    }
}

fn renamed(values: &[Static], map: &Renaming) -> Vec<Static> {
    values.iter().map(|value| value.rename(map)).collect()
}

/// Operands for variables.
#[derive(Debug, Clone, Default)]
pub struct Renaming {
    /// What variables become.
    pub operands: FxHashMap<Var, Operand>,
    /// What they become in sizes.
    pub sizes: FxHashMap<Var, Size>,
}

impl Renaming {
    /// The operand in place of another.
    pub fn operand(&self, operand: Operand) -> Operand {
        operand.var().and_then(|var| self.operands.get(&var)).copied().unwrap_or(operand)
    }
    /// The variable in place of one that stands for cells.
    fn place(&self, var: Var) -> Var {
        self.operand(Operand::Var(var)).var().unwrap_or(var)
    }
    /// A size with its variables replaced.
    pub fn size(&self, size: &Size) -> Size {
        size.subst(&mut |var| self.sizes.get(&var).cloned())
    }
    /// Sizes with their variables replaced.
    pub fn shape(&self, shape: &[Size]) -> Vec<Size> {
        shape.iter().map(|size| self.size(size)).collect()
    }
}

impl IndexValue {
    /// The sizes in it.
    pub fn sizes(&self) -> impl Iterator<Item = &Size> {
        match self {
            IndexValue::Dim(size) => std::slice::from_ref(size).iter(),
            IndexValue::Shape(sizes) => sizes.iter(),
        }
    }
    fn rename(&self, map: &Renaming) -> IndexValue {
        match self {
            IndexValue::Dim(size) => IndexValue::Dim(map.size(size)),
            IndexValue::Shape(sizes) => IndexValue::Shape(map.shape(sizes)),
        }
    }
}

impl Type {
    /// Whether values of the type are data or boxes of data.
    pub fn is_data(&self) -> bool {
        match &self.atom {
            Atom::Prim(_) => true,
            Atom::Fun => false,
            Atom::Tuple(parts) => parts.iter().all(Type::is_data),
            Atom::Record(parts) => parts.iter().all(|(_, part)| part.is_data()),
            Atom::Sigma(sigma) => sigma.body.is_data(),
        }
    }
    /// Whether there are arrays of empty tuples or records in it, or empty tuples or records if it is `framed`.
    pub fn has_hollow(&self, framed: bool) -> bool {
        let framed = framed || !self.shape.is_empty();
        match &self.atom {
            Atom::Prim(_) | Atom::Fun => false,
            Atom::Tuple(parts) => (framed && parts.is_empty()) || parts.iter().any(|part| part.has_hollow(framed)),
            Atom::Record(parts) => (framed && parts.is_empty()) || parts.iter().any(|(_, part)| part.has_hollow(framed)),
            Atom::Sigma(sigma) => sigma.body.has_hollow(framed),
        }
    }
    /// Calls `see` with all sizes in it.
    pub fn sizes(&self, see: &mut dyn FnMut(&Size)) {
        self.shape.iter().for_each(&mut *see);
        self.atom.sizes(see);
    }
    /// Calls `see` with all variables in its sizes that boxes in it do not hide.
    pub fn free_sizes(&self, see: &mut dyn FnMut(Var)) {
        fn walk(ty: &Type, hidden: &mut Vec<Var>, see: &mut dyn FnMut(Var)) {
            for var in ty.shape.iter().flat_map(Size::vars) {
                if !hidden.contains(&var) {
                    see(var);
                }
            }
            match &ty.atom {
                Atom::Prim(_) | Atom::Fun => {}
                Atom::Tuple(parts) => parts.iter().for_each(|part| walk(part, hidden, see)),
                Atom::Record(parts) => parts.iter().for_each(|(_, part)| walk(part, hidden, see)),
                Atom::Sigma(sigma) => {
                    let depth = hidden.len();
                    hidden.extend(&sigma.params);
                    walk(&sigma.body, hidden, see);
                    hidden.truncate(depth);
                }
            }
        }
        walk(self, &mut Vec::new(), see);
    }
    /// The type with variables replaced.
    pub fn rename(&self, map: &Renaming) -> Type {
        Type { shape: map.shape(&self.shape), atom: self.atom.rename(map) }
    }
    /// What it looks like apart from its sizes.
    pub fn layout(&self) -> Layout {
        self.atom.layout(self.shape.len())
    }
}

impl Atom {
    /// What an array of this rank of it looks like apart from its sizes.
    pub fn layout(&self, rank: usize) -> Layout {
        let atom = match self {
            Atom::Prim(prim) => AtomLayout::Prim(*prim),
            Atom::Fun => AtomLayout::Fun,
            Atom::Tuple(parts) => AtomLayout::Tuple(parts.iter().map(Type::layout).collect()),
            Atom::Record(parts) => AtomLayout::Record(parts.iter().map(|(label, part)| (*label, part.layout())).collect()),
            Atom::Sigma(sigma) => AtomLayout::Sigma(sigma.params.len(), Box::new(sigma.body.layout())),
        };
        Layout { rank, atom }
    }
    /// Calls `see` with all sizes in it.
    pub fn sizes(&self, see: &mut dyn FnMut(&Size)) {
        match self {
            Atom::Prim(_) | Atom::Fun => {}
            Atom::Tuple(parts) => parts.iter().for_each(|part| part.sizes(see)),
            Atom::Record(parts) => parts.iter().for_each(|(_, part)| part.sizes(see)),
            Atom::Sigma(sigma) => sigma.body.sizes(see),
        }
    }
    /// The type with variables replaced.
    pub fn rename(&self, map: &Renaming) -> Atom {
        match self {
            Atom::Prim(_) | Atom::Fun => self.clone(),
            Atom::Tuple(parts) => Atom::Tuple(parts.iter().map(|part| part.rename(map)).collect()),
            Atom::Record(parts) => Atom::Record(parts.iter().map(|(label, part)| (*label, part.rename(map))).collect()),
            Atom::Sigma(sigma) => Atom::Sigma(Rc::new(sigma.rename(map))),
        }
    }
}

impl Sigma {
    /// The type with variables replaced; its own are bound nowhere else, so nothing is captured.
    pub fn rename(&self, map: &Renaming) -> Sigma {
        Sigma { params: self.params.clone(), body: self.body.rename(map) }
    }
}

impl Env {
    /// What these names are.
    pub(super) fn only(&self, free: &Free) -> Env {
        Env {
            terms: free.terms.iter().filter_map(|name| Some((*name, self.terms.get(name)?.clone()))).collect(),
            indices: free.indices.iter().filter_map(|name| Some((*name, self.indices.get(name)?.clone()))).collect(),
            types: free.types.iter().filter_map(|name| Some((*name, self.types.get(name)?.clone()))).collect(),
        }
    }
    fn walk(&self, see: &mut dyn FnMut(Operand), size: &mut dyn FnMut(&Size)) {
        // Tables of hashes have no order of their own; results must not depend on one.
        let mut terms: Vec<_> = self.terms.iter().collect();
        terms.sort_by_key(|(name, _)| name.as_str());
        terms.into_iter().for_each(|(_, value)| value.walk(see, size));
        let mut indices: Vec<_> = self.indices.iter().collect();
        indices.sort_by_key(|(name, _)| name.as_str());
        indices.into_iter().for_each(|(_, index)| index.sizes().for_each(&mut *size));
        let mut types: Vec<_> = self.types.iter().collect();
        types.sort_by_key(|(name, _)| name.as_str());
        types.into_iter().for_each(|(_, atom)| atom.sizes(size));
    }
    fn rename(&self, map: &Renaming) -> Env {
        Env {
            terms: self.terms.iter().map(|(name, value)| (*name, value.rename(map))).collect(),
            indices: self.indices.iter().map(|(name, index)| (*name, index.rename(map))).collect(),
            types: self.types.iter().map(|(name, atom)| (*name, atom.rename(map))).collect(),
        }
    }
}
