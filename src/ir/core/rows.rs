//! How ragged arrays, which are arrays of boxes, lie in compiled programs.
//!
//! A box is its sizes and the leaves of its content. An array of boxes has an array for each of them: where the shape of a leaf mentions none
//! of the sizes that the box hides, an array of all rows; else three, the number of elements of all rows, where each row begins, and
//! the elements of all rows. Rows may lie in any order, and several may be the same. Arrays of more dimensions, and ragged arrays of ragged
//! arrays, are laid out level by level.

use super::slots;
use super::{Atom, Dim, DimAtom, ShapeItem, Type};
use crate::base::{PrimType, Symbol};

/// A scalar or an array of scalars that a value consists of.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// The type of the elements.
    pub prim: PrimType,
    /// Its sizes, in terms of those of the type and of leaves before it.
    pub shape: Vec<Dim>,
    /// For a size that the value hides: what it is called in the shapes of other leaves.
    pub name: Option<Symbol>,
}

/// What becomes of a leaf of a cell in an array of cells.
#[derive(Debug, Clone)]
pub enum Column {
    /// One array of the leaves of all cells.
    Regular,
    /// The number of elements, where the leaf of each cell begins, and the elements. So many of the innermost dimensions are the same in all cells; a
    /// leaf is counted in cells of these.
    Rows {
        /// The number of innermost dimensions that are the same for all.
        inner: usize,
    },
}

/// The leaves of a type; `None` where there is more than data of known rank in it.
pub fn leaves(ty: &Type) -> Option<Vec<Leaf>> {
    let mut out = Vec::new();
    add(ty.atom(), &sizes(ty)?, &mut 0, &mut out)?;
    Some(out)
}

/// The sizes of an array type; `None` if its rank is not known.
fn sizes(ty: &Type) -> Option<Vec<Dim>> {
    ty.shape().items.iter().map(|item| if let ShapeItem::Dim(dim) = item { Some(dim.clone()) } else { None }).collect()
}

/// The leaves of an array of this shape, of elements of this type.
fn add(atom: &Atom, shape: &[Dim], count: &mut usize, out: &mut Vec<Leaf>) -> Option<()> {
    let inner = |ty: &Type| Some([shape, &sizes(ty)?].concat());
    match atom {
        Atom::Prim(prim) => out.push(Leaf { prim: *prim, shape: shape.to_vec(), name: None }),
        Atom::Tuple(parts) => parts.iter().try_for_each(|part| add(part.atom(), &inner(part)?, count, out))?,
        Atom::Record(fields) => fields.iter().try_for_each(|(_, part)| add(part.atom(), &inner(part)?, count, out))?,
        Atom::Sum(payloads) => {
            out.push(Leaf { prim: slots::tag(payloads.len()), shape: shape.to_vec(), name: None });
            for slot in slots::layout(payloads)?.slots {
                out.push(Leaf { prim: slot.prim, shape: [shape, &slot.shape].concat(), name: None });
            }
        }
        Atom::Sigma(names, content) => match shape.split_first() {
            None => {
                out.extend(names.iter().map(|name| Leaf { prim: PrimType::I64, shape: Vec::new(), name: Some(*name) }));
                add(content.atom(), &sizes(content)?, count, out)?;
            }
            Some((width, rest)) => {
                let mut cell = Vec::new();
                add(atom, rest, count, &mut cell)?;
                for (leaf, column) in cell.iter().zip(columns(&cell)) {
                    add_column(leaf, &column, width, count, out);
                }
            }
        },
        Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => return None,
    }
    Some(())
}

fn add_column(leaf: &Leaf, column: &Column, width: &Dim, count: &mut usize, out: &mut Vec<Leaf>) {
    let framed = |shape: &[Dim]| [std::slice::from_ref(width), shape].concat();
    match column {
        Column::Regular => out.push(Leaf { prim: leaf.prim, shape: framed(&leaf.shape), name: None }),
        Column::Rows { inner } => {
            let name = Symbol::new(&format!("{ELEMENTS}.{count}"));
            *count += 1;
            out.push(Leaf { prim: PrimType::I64, shape: Vec::new(), name: Some(name) });
            out.push(Leaf { prim: PrimType::I64, shape: vec![width.clone()], name: None });
            let same = &leaf.shape[leaf.shape.len() - inner..];
            out.push(Leaf { prim: leaf.prim, shape: [&[Dim::var(name)], same].concat(), name: None });
        }
    }
}

/// What the numbers of elements are called, before a number.
const ELEMENTS: &str = "elements";

/// What becomes of each of the leaves of a cell.
pub fn columns(cell: &[Leaf]) -> Vec<Column> {
    let own: Vec<DimAtom> = cell.iter().filter_map(|leaf| leaf.name.map(DimAtom::Var)).collect();
    let mentions = |dim: &Dim| dim.atoms().any(|atom| own.contains(&atom));
    cell.iter()
        .map(|leaf| match leaf.shape.iter().rposition(mentions) {
            None => Column::Regular,
            Some(last) => Column::Rows { inner: leaf.shape.len() - 1 - last },
        })
        .collect()
}

/// Whether a type is that of a ragged array, or has one in it.
pub fn has_rows(ty: &Type) -> bool {
    match ty.atom() {
        Atom::Sigma(_, content) => !ty.shape().is_scalar() || has_rows(content),
        Atom::Tuple(parts) => parts.iter().any(has_rows),
        Atom::Record(fields) | Atom::Sum(fields) => fields.iter().any(|(_, part)| has_rows(part)),
        Atom::Prim(_) | Atom::Var(_) | Atom::Fun(..) | Atom::Forall(..) | Atom::Pi(..) => false,
    }
}
