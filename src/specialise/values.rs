//! What expressions are while a program is specialised: data is variables of the new program, everything else is known now.

use crate::base::scalar::{FoldOp, ScalarOp};
use crate::base::{PrimType, Symbol};
use crate::ir::core::Expr;
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
    /// The same with labels.
    Record(Rc<[(Symbol, Static)]>),
    /// A function.
    Fun(Rc<Fun>),
    /// A box.
    Box(Rc<BoxValue>),
    /// An array of functions, see [`Lifted`].
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

/// An array along one dimension of values that are no data. Cell `i` is `elem`, in which each of `vars` stands for cell `i`
/// of the array with the same number.
#[derive(Debug)]
pub struct Lifted {
    /// The number of cells.
    pub width: Size,
    /// Variables that are bound nowhere else.
    pub vars: Vec<Var>,
    /// Arrays of what they stand for.
    pub arrays: Vec<Operand>,
    /// A cell.
    pub elem: Static,
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
        /// Its name.
        name: Symbol,
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
    /// One of two functions.
    Choice(Operand, Static, Static),
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
    /// A record.
    Record(Rc<[(Symbol, Type)]>),
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
                lifted.elem.walk(see, size);
            }
            Static::Fun(fun) => match &**fun {
                Fun::Closure { env, args, .. } => {
                    env.walk(see, size);
                    args.iter().for_each(|arg| arg.walk(see, size));
                }
                Fun::Poly { env, .. } => env.walk(see, size),
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
    /// The value with variables replaced, in sizes too.
    pub fn rename(&self, map: &Renaming) -> Static {
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
                vars: lifted.vars.clone(),
                arrays: lifted.arrays.iter().map(|a| map.operand(*a)).collect(),
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
                Fun::Prim { name, indices, types, args } => Fun::Prim {
                    name: *name,
                    indices: indices.iter().map(|index| index.rename(map)).collect(),
                    types: types.iter().map(|atom| atom.rename(map)).collect(),
                    args: renamed(args, map),
                },
                Fun::Op(op, args) => Fun::Op(*op, renamed(args, map)),
                Fun::Fold(fold) => Fun::Fold(*fold),
                Fun::Choice(cond, a, b) => Fun::Choice(map.operand(*cond), a.rename(map), b.rename(map)),
            })),
        }
    }
}

fn renamed(values: &[Static], map: &Renaming) -> Vec<Static> {
    values.iter().map(|value| value.rename(map)).collect()
}

/// Operands for variables.
#[derive(Debug, Default)]
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
            Atom::Sigma(sigma) => self.shape.is_empty() && sigma.body.is_data(),
        }
    }
    /// Calls `see` with all sizes in it.
    pub fn sizes(&self, see: &mut dyn FnMut(&Size)) {
        self.shape.iter().for_each(&mut *see);
        self.atom.sizes(see);
    }
    /// The type with variables replaced.
    pub fn rename(&self, map: &Renaming) -> Type {
        Type { shape: map.shape(&self.shape), atom: self.atom.rename(map) }
    }
    /// What it looks like apart from its sizes: equal for types whose values have the same components of the same ranks.
    pub fn layout(&self, out: &mut String) {
        out.push_str(&"[]".repeat(self.shape.len()));
        match &self.atom {
            Atom::Prim(prim) => out.push_str(prim.name()),
            Atom::Fun => out.push_str("fun"),
            Atom::Tuple(parts) => {
                out.push('(');
                parts.iter().for_each(|part| {
                    part.layout(out);
                    out.push(',');
                });
                out.push(')');
            }
            Atom::Record(parts) => {
                out.push('{');
                parts.iter().for_each(|(label, part)| {
                    out.push_str(label.as_str());
                    out.push(':');
                    part.layout(out);
                    out.push(',');
                });
                out.push('}');
            }
            Atom::Sigma(sigma) => {
                out.push_str(&format!("?{}.", sigma.params.len()));
                sigma.body.layout(out);
            }
        }
    }
}

impl Atom {
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
