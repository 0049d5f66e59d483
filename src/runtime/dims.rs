//! Shapes at run time.

use std::fmt;
use std::sync::Arc;

const INLINE: usize = 3;

/// The sizes of an array, outermost first. Up to three of them take no allocation.
#[derive(Clone)]
pub struct Dims(Repr);

#[derive(Clone)]
enum Repr {
    Inline(u8, [usize; INLINE]),
    Heap(Arc<[usize]>),
}

impl Dims {
    /// These sizes.
    pub fn new(sizes: &[usize]) -> Dims {
        if sizes.len() <= INLINE {
            let mut inline = [0; INLINE];
            inline[..sizes.len()].copy_from_slice(sizes);
            Dims(Repr::Inline(sizes.len() as u8, inline))
        } else {
            Dims(Repr::Heap(sizes.into()))
        }
    }
    /// The sizes.
    pub fn as_slice(&self) -> &[usize] {
        match &self.0 {
            Repr::Inline(rank, sizes) => &sizes[..usize::from(*rank)],
            Repr::Heap(sizes) => sizes,
        }
    }
    /// `outer` followed by these.
    pub fn prefixed(&self, outer: &[usize]) -> Dims {
        Dims::new(&[outer, self.as_slice()].concat())
    }
    /// Number of elements; saturates, so that a check against a length fails for shapes beyond the address space.
    pub fn count(&self) -> usize {
        count(self.as_slice())
    }
}

/// Number of elements of an array of these sizes. An array with a size 0 has none, whatever the others are.
pub fn count(sizes: &[usize]) -> usize {
    if sizes.contains(&0) { 0 } else { sizes.iter().fold(1, |product: usize, &n| product.saturating_mul(n)) }
}

impl std::ops::Deref for Dims {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        self.as_slice()
    }
}
impl PartialEq for Dims {
    fn eq(&self, other: &Dims) -> bool {
        self.as_slice() == other.as_slice()
    }
}
impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}
impl fmt::Display for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().iter().try_for_each(|n| write!(f, "[{n}]"))
    }
}
