//! Typed indices: arenas that own nodes, and side tables keyed by node.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`Arena`] of `T`.
pub struct Idx<T> {
    raw: u32,
    marker: PhantomData<fn() -> T>,
}

impl<T> Idx<T> {
    /// The index with this position.
    pub fn new(raw: usize) -> Self {
        Idx { raw: u32::try_from(raw).expect("fewer than 2^32 nodes"), marker: PhantomData }
    }
    /// The position in the arena.
    pub fn raw(self) -> usize {
        self.raw as usize
    }
}
impl<T> Clone for Idx<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Idx<T> {}
impl<T> PartialEq for Idx<T> {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}
impl<T> Eq for Idx<T> {}
impl<T> PartialOrd for Idx<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl<T> Ord for Idx<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.raw.cmp(&other.raw)
    }
}
impl<T> Hash for Idx<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw.hash(state);
    }
}
impl<T> fmt::Debug for Idx<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.raw)
    }
}

/// Owns nodes; hands out [`Idx`].
#[derive(Debug, Clone)]
pub struct Arena<T> {
    items: Vec<T>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Arena { items: Vec::new() }
    }
}
impl<T> Arena<T> {
    /// Adds a node.
    pub fn alloc(&mut self, item: T) -> Idx<T> {
        self.items.push(item);
        Idx::new(self.items.len() - 1)
    }
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// All nodes with their indices, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (Idx<T>, &T)> {
        self.items.iter().enumerate().map(|(i, item)| (Idx::new(i), item))
    }
}
impl<T> Index<Idx<T>> for Arena<T> {
    type Output = T;
    fn index(&self, index: Idx<T>) -> &T {
        &self.items[index.raw()]
    }
}
impl<T> IndexMut<Idx<T>> for Arena<T> {
    fn index_mut(&mut self, index: Idx<T>) -> &mut T {
        &mut self.items[index.raw()]
    }
}

/// A side table: at most one `V` for each node of an arena of `T`. Grows on insertion.
#[derive(Debug, Clone)]
pub struct IdxMap<T, V> {
    slots: Vec<Option<V>>,
    marker: PhantomData<fn() -> T>,
}

impl<T, V> Default for IdxMap<T, V> {
    fn default() -> Self {
        IdxMap { slots: Vec::new(), marker: PhantomData }
    }
}
impl<T, V> IdxMap<T, V> {
    /// The value of a node, if there is one.
    pub fn get(&self, key: Idx<T>) -> Option<&V> {
        self.slots.get(key.raw()).and_then(Option::as_ref)
    }
    /// The value of a node, mutably.
    pub fn get_mut(&mut self, key: Idx<T>) -> Option<&mut V> {
        self.slots.get_mut(key.raw()).and_then(Option::as_mut)
    }
    /// Sets the value of a node and returns the one it had.
    pub fn insert(&mut self, key: Idx<T>, value: V) -> Option<V> {
        if key.raw() >= self.slots.len() {
            self.slots.resize_with(key.raw() + 1, || None);
        }
        self.slots[key.raw()].replace(value)
    }
    /// All entries in node order.
    pub fn iter(&self) -> impl Iterator<Item = (Idx<T>, &V)> {
        self.slots.iter().enumerate().filter_map(|(i, v)| v.as_ref().map(|v| (Idx::new(i), v)))
    }
}
