//! How values of sum types lie in compiled programs: a tag, the position of the constructor, and *slots* that hold the leaves of payloads.
//! Scalars of one type are shared between constructors; an array has a slot of its own, since its sizes may differ from those of
//! others. What a constructor does not use is zero.

use super::{Atom, Dim, ShapeItem, Type};
use crate::base::{PrimType, Symbol};
use rustc_hash::FxHashMap;

/// The numbers of slots, given out constructor by constructor and leaf by leaf.
#[derive(Debug, Default)]
pub struct Numbering {
    count: usize,
    /// Scalar slots by type, and how many of each the constructor has used.
    scalars: Vec<(PrimType, usize)>,
    used: FxHashMap<PrimType, usize>,
}

impl Numbering {
    /// Begins with the next constructor.
    pub fn constructor(&mut self) {
        self.used.clear();
    }
    /// The slot of a leaf, a scalar or an array of scalars, and whether it is a new one.
    pub fn leaf(&mut self, prim: PrimType, is_scalar: bool) -> (usize, bool) {
        if is_scalar { self.scalar(prim) } else { (self.array(), true) }
    }
    fn scalar(&mut self, prim: PrimType) -> (usize, bool) {
        let used = self.used.entry(prim).or_default();
        *used += 1;
        if let Some((_, slot)) = self.scalars.iter().filter(|(p, _)| *p == prim).nth(*used - 1) {
            return (*slot, false);
        }
        let slot = self.array();
        self.scalars.push((prim, slot));
        (slot, true)
    }
    /// The slot of an array.
    pub fn array(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }
}

/// The type of the tag of sums with so many constructors.
pub fn tag(constructors: usize) -> PrimType {
    if constructors <= 256 { PrimType::U8 } else { PrimType::I32 }
}

/// A scalar, or an array of scalars, that a value consists of.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// Its type, or that of its elements.
    pub prim: PrimType,
    /// Its sizes.
    pub shape: Vec<Dim>,
}

/// How a sum type lies.
#[derive(Debug)]
pub struct Layout {
    /// The slots.
    pub slots: Vec<Leaf>,
    /// For each constructor its payload, and the slots of the leaves of that, in order.
    pub constructors: Vec<(Symbol, Type, Vec<usize>)>,
}

/// The layout of a sum type with these payloads; `None` where there is more than data of known rank in them.
pub fn layout(payloads: &[(Symbol, Type)]) -> Option<Layout> {
    let mut numbering = Numbering::default();
    let mut layout = Layout { slots: Vec::new(), constructors: Vec::with_capacity(payloads.len()) };
    for (label, payload) in payloads {
        numbering.constructor();
        let mut places = Vec::new();
        for leaf in leaves(payload)? {
            let (slot, new) = numbering.leaf(leaf.prim, leaf.shape.is_empty());
            places.push(slot);
            if new {
                layout.slots.push(leaf);
            }
        }
        layout.constructors.push((*label, payload.clone(), places));
    }
    Some(layout)
}

/// What values of a type consist of; `None` where there is more than data of known rank in it.
pub fn leaves(ty: &Type) -> Option<Vec<Leaf>> {
    let mut out = Vec::new();
    add_leaves(ty, &[], &mut out)?;
    Some(out)
}

fn add_leaves(ty: &Type, frame: &[Dim], out: &mut Vec<Leaf>) -> Option<()> {
    let mut shape = frame.to_vec();
    for item in &ty.shape().items {
        let ShapeItem::Dim(dim) = item else { return None };
        shape.push(dim.clone());
    }
    match ty.atom() {
        Atom::Prim(prim) => out.push(Leaf { prim: *prim, shape }),
        Atom::Tuple(parts) => parts.iter().try_for_each(|part| add_leaves(part, &shape, out))?,
        Atom::Record(fields) => fields.iter().try_for_each(|(_, part)| add_leaves(part, &shape, out))?,
        Atom::Sum(payloads) => {
            out.push(Leaf { prim: tag(payloads.len()), shape: shape.clone() });
            for slot in layout(payloads)?.slots {
                out.push(Leaf { prim: slot.prim, shape: [&shape[..], &slot.shape].concat() });
            }
        }
        Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) | Atom::Sigma(..) => return None,
    }
    Some(())
}
