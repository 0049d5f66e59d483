//! What arguments and results look like from outside.

use super::Given;
use crate::base::{PrimType, Symbol};
use crate::interp::entry::{Shape, shape_of};
use crate::ir::core::{Atom, DimAtom, ShapeItem, Type};
use std::fmt::Write;

/// A scalar, or an array of scalars, that a value consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// Its type, or that of its elements.
    pub prim: PrimType,
    /// Its rank, with the frames of the arrays of tuples that it is part of.
    pub rank: usize,
}

/// What a parameter looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// A scalar or an array of scalars.
    Leaf(Leaf),
    /// A tuple, a record with its labels, or an array of this rank of them: its parts side by side.
    Tuple {
        /// The labels of a record.
        labels: Option<Vec<Symbol>>,
        /// The rank of an array of tuples.
        rank: usize,
        /// The parts.
        parts: Vec<Form>,
    },
    /// A value of a sum type, or an array of them.
    Sum(Shape),
    /// What type variables stand for: any one array. Functions and the like are no data.
    Any {
        /// Whether data can stand for it.
        data: bool,
    },
}

impl Form {
    /// Of a type, with `frame` sizes in front of its own.
    pub fn new(ty: &Type, frame: usize) -> Form {
        let items = &ty.shape().items;
        let rank = items.len();
        if items.iter().any(|item| matches!(item, ShapeItem::Var(_))) {
            return Form::Any { data: true };
        }
        match ty.atom() {
            Atom::Prim(prim) => Form::Leaf(Leaf { prim: *prim, rank: frame + rank }),
            Atom::Tuple(parts) => {
                let parts = parts.iter().map(|part| Form::new(part, frame + rank)).collect();
                Form::Tuple { labels: None, rank, parts }
            }
            Atom::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                let parts = fields.iter().map(|(_, part)| Form::new(part, frame + rank)).collect();
                Form::Tuple { labels: Some(labels), rank, parts }
            }
            Atom::Sum(_) => match shape_of(ty) {
                Shape::Sum(rank, constructors) => Form::Sum(Shape::Sum(frame + rank, constructors)),
                Shape::Array(..) | Shape::Tuple(..) | Shape::Rows(..) | Shape::Other => Form::Any { data: false },
            },
            Atom::Var(_) => Form::Any { data: true },
            Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) => Form::Any { data: false },
        }
    }

    /// Whether it has no values of sum types, so that it consists of scalars and arrays.
    pub fn is_plain(&self) -> bool {
        match self {
            Form::Leaf(_) => true,
            Form::Tuple { parts, .. } => parts.iter().all(Form::is_plain),
            Form::Sum(_) | Form::Any { .. } => false,
        }
    }

    fn leaves(&self, out: &mut Vec<Option<Leaf>>) {
        match self {
            Form::Leaf(leaf) => out.push(Some(*leaf)),
            Form::Tuple { parts, .. } => parts.iter().for_each(|part| part.leaves(out)),
            Form::Sum(_) => {}
            Form::Any { .. } => out.push(None),
        }
    }

    /// How many words of a compiled program an argument is: two for a complex number, one for other scalars and for arrays.
    pub fn words(&self) -> usize {
        match self {
            Form::Leaf(leaf) => 1 + usize::from(leaf.rank == 0 && leaf.prim.is_complex()),
            Form::Tuple { parts, .. } => parts.iter().map(Form::words).sum(),
            Form::Sum(_) | Form::Any { .. } => 0,
        }
    }

    /// Whether such an argument has the declared ranks and types.
    pub fn is_declared(&self, given: &Given) -> bool {
        let mut leaves = Vec::new();
        self.leaves(&mut leaves);
        leaves.len() == given.len()
            && leaves.iter().zip(given).all(|(leaf, (prim, rank))| leaf.is_some_and(|leaf| leaf.prim == *prim && leaf.rank == *rank))
    }

    /// The type of such an argument in the notation of the language, without the names of its sizes.
    pub fn annotation(&self, given: &Given) -> String {
        let mut given = given.iter().copied();
        self.written(0, &mut given)
    }

    /// `frame` is the number of sizes that are written around it.
    fn written(&self, frame: usize, given: &mut dyn Iterator<Item = (PrimType, usize)>) -> String {
        let array = |rank: usize| "[]".repeat(rank);
        match self {
            Form::Leaf(Leaf { prim, rank }) => {
                let (prim, rank) = given.next().unwrap_or((*prim, *rank));
                format!("{}{prim}", array(rank.saturating_sub(frame)))
            }
            Form::Any { .. } => given.next().map_or("()".into(), |(prim, rank)| format!("{}{prim}", array(rank.saturating_sub(frame)))),
            Form::Sum(Shape::Sum(rank, constructors)) => {
                format!("{}({})", array(rank.saturating_sub(frame)), Shape::Sum(0, constructors.clone()).shown())
            }
            Form::Sum(shape) => shape.shown(),
            Form::Tuple { labels, rank, parts } => {
                // Where all parts have as many sizes more than was declared, it is an array of tuples.
                let mut leaves = Vec::new();
                self.leaves(&mut leaves);
                let given: Vec<(PrimType, usize)> = given.take(leaves.len()).collect();
                let more = |(leaf, (_, rank)): (&Option<Leaf>, &(PrimType, usize))| Some(rank.checked_sub((*leaf)?.rank)).flatten();
                let mut more = leaves.iter().zip(&given).map(more);
                let first = more.next().flatten().unwrap_or(0);
                let lifted = if more.all(|other| other == Some(first)) { first } else { 0 };
                let frame = frame + rank + lifted;
                let mut given = given.into_iter();
                let parts: Vec<String> = parts.iter().map(|part| part.written(frame, &mut given)).collect();
                let mut out = array(rank + lifted);
                match labels {
                    None => {
                        let _ = write!(out, "({})", parts.join(", "));
                    }
                    Some(labels) => {
                        let fields: Vec<String> = labels.iter().zip(parts).map(|(label, part)| format!("{label}: {part}")).collect();
                        let _ = write!(out, "{{{}}}", fields.join(", "));
                    }
                }
                out
            }
        }
    }
}

/// How a result is put together from what a program returns.
#[derive(Debug, Clone, PartialEq)]
pub enum Returned {
    /// The next scalar or array.
    Leaf,
    /// A tuple, or a record with its labels: its parts side by side, if it is an array of them.
    Tuple(Option<Vec<Symbol>>, Vec<Returned>),
    /// So many scalars, sizes that the type hides, then the content.
    Hidden(usize, Box<Returned>),
    /// A value of a sum type.
    Sum,
}

impl Returned {
    /// Of a type.
    pub fn new(ty: &Type) -> Returned {
        match ty.atom() {
            Atom::Tuple(parts) => Returned::Tuple(None, parts.iter().map(Returned::new).collect()),
            Atom::Record(fields) => {
                let labels = fields.iter().map(|(label, _)| *label).collect();
                Returned::Tuple(Some(labels), fields.iter().map(|(_, part)| Returned::new(part)).collect())
            }
            Atom::Sigma(names, content) => Returned::Hidden(names.len(), Box::new(Returned::new(content))),
            Atom::Sum(_) => Returned::Sum,
            Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => Returned::Leaf,
        }
    }
    /// Whether there are no values of sum types in it.
    pub fn is_plain(&self) -> bool {
        match self {
            Returned::Leaf => true,
            Returned::Tuple(_, parts) => parts.iter().all(Returned::is_plain),
            Returned::Hidden(_, content) => content.is_plain(),
            Returned::Sum => false,
        }
    }
}

/// A scalar, or an array, with the names of its sizes.
pub type Named = (PrimType, Vec<String>);

/// What a function takes and returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The parameters.
    pub takes: Vec<Named>,
    /// The result, or the parts of the tuple that is the result.
    pub returns: Vec<Named>,
}

impl Signature {
    /// Of a type; nothing where there is more in it than scalars and arrays whose sizes are names of the type.
    pub fn of(ty: &Type) -> Option<Signature> {
        let (params, result) = ty.interface();
        let results = if let Atom::Tuple(parts) = result.atom()
            && result.shape().is_scalar()
        {
            parts.iter().map(named).collect::<Option<_>>()?
        } else {
            vec![named(result)?]
        };
        let takes: Vec<Named> = params.iter().map(|param| named(&param.ty)).collect::<Option<_>>()?;
        // Every size of a result is one of an argument.
        let known = |(_, sizes): &Named| sizes.iter().all(|size| takes.iter().any(|(_, other)| other.contains(size)));
        results.iter().all(known).then_some(Signature { takes, returns: results })
    }
}

fn named(ty: &Type) -> Option<Named> {
    let Atom::Prim(prim) = ty.atom() else { return None };
    let size = |item: &ShapeItem| match item {
        ShapeItem::Dim(dim) => match dim.as_atom() {
            Some(DimAtom::Var(name)) => Some(name.to_string()),
            Some(DimAtom::Size(_) | DimAtom::Meta(_)) | None => None,
        },
        ShapeItem::Var(_) => None,
    };
    Some((*prim, ty.shape().items.iter().map(size).collect::<Option<_>>()?))
}
