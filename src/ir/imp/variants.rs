//! Faster variants of kernels, beside their plain code.
//!
//! They change nothing of what a kernel means: the plain code says that, and runs wherever a variant does not fit (sizes that do not pay,
//! arrays that begin where vectors may not). All locals are those of the function; the code of a variant sees what the host has set, and what
//! it is said to be given.

use super::{Expr, Local, Ptr, Stmt};

/// The variants of a kernel.
#[derive(Debug, Clone, Default)]
pub struct Variants {
    /// A map whose threads compute tiles of a product.
    pub product: Option<Box<Product>>,
    /// A map whose threads take several cells at a time.
    pub vectors: Option<Vectors>,
    /// A reduction whose neighbouring threads take neighbouring segments.
    pub columns: bool,
}

/// A map whose cells are rows and columns: each loops over a depth, and what it reads there depends on its row or on its column but not on both, as
/// in a product of matrices. A tile of threads reads both sides once, together.
#[derive(Debug, Clone)]
pub struct Product {
    /// Where there are several products, one after the other.
    pub planes: Option<Planes>,
    /// The number of the row, in its plane if there are several.
    pub row: Local,
    /// The number of the column.
    pub column: Local,
    /// How many columns there are.
    pub columns: Expr,
    /// The number of the step along the depth.
    pub step: Local,
    /// How many steps there are.
    pub depth: Expr,
    /// What is accumulated, with what it begins with.
    pub totals: Vec<(Local, Expr)>,
    /// What is read for a row and a step.
    pub left: Side,
    /// What is read for a column and a step.
    pub right: Side,
    /// A step: new totals from the totals and the values of both sides.
    pub combine: Vec<Stmt>,
    /// What is done with the totals of a cell.
    pub done: Vec<Stmt>,
}

/// Several products, one after the other.
#[derive(Debug, Clone)]
pub struct Planes {
    /// The number of the product.
    pub plane: Local,
    /// The number of the row among those of all products.
    pub all: Local,
    /// Rows of a product.
    pub rows: Expr,
}

/// What is read for a row (a column) and a step.
#[derive(Debug, Clone, Default)]
pub struct Side {
    /// Computes the values from the numbers of the plane, of the row (the column) and of the step.
    pub body: Vec<Stmt>,
    /// What the steps use.
    pub values: Vec<Local>,
    /// Whether neighbours in memory are neighbours along the depth.
    pub along: bool,
}

/// A map whose threads take several neighbouring cells at a time: what these read and write is read and written in vectors.
#[derive(Debug, Clone)]
pub struct Vectors {
    /// How many cells a thread takes.
    pub each: usize,
    /// What is only read.
    pub reads: Vec<Access>,
    /// What is written.
    pub writes: Vec<Access>,
}

/// Elements that neighbouring cells read or write next to each other.
#[derive(Debug, Clone)]
pub struct Access {
    /// Their array.
    pub ptr: Ptr,
    /// The index in the code for a cell.
    pub index: Expr,
    /// What the index is the sum of, besides the number of the cell. The host knows all of it.
    pub base: Vec<Expr>,
    /// Whether the code for a cell reads what is there.
    pub loaded: bool,
}
