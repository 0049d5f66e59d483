//! Arrays of atoms, and what the first-order primitives compute on them, whatever the atoms are.
//!
//! This is the plain definition: a shape and a list of atoms in row-major order. It never asks what kind of atoms an array has, so
//! an array without atoms is just a shape. The evaluator of core has faster code for its own values; tests compare the two.

use super::buffer;
use super::dims::{Dims, count};
use super::value::Shortage;
use crate::base::scalar::{FoldOp, OpError, ScalarOp};
use crate::base::{Code, MAX_RANK, MAX_SIZE, PrimType, Scalar, Symbol};
use crate::ir::core::Prim;

/// What can be an element of an array.
pub trait Atomic: Clone {
    /// The scalar that it is.
    fn scalar(&self) -> Option<Scalar>;
    /// The tuple without components.
    fn unit() -> Self;
    /// A scalar as an atom.
    fn from_scalar(scalar: Scalar) -> Self;
    /// Whether all parts are equal, floats compared as numbers. Functions are not equal to anything.
    fn same(&self, other: &Self) -> bool;
}

/// An array: its shape and its atoms in row-major order, as many as the shape says.
#[derive(Debug, Clone, PartialEq)]
pub struct Block<A> {
    /// The sizes; none for a single atom.
    pub dims: Vec<usize>,
    /// The atoms.
    pub atoms: Vec<A>,
}

/// Why a primitive has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The code, E05xx. E0599 says that the arguments are not those of a well-typed program.
    pub code: Code,
    /// What happened, with the values.
    pub message: String,
}

impl Fault {
    /// A fault with this code.
    pub fn new(code: Code, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into() }
    }
    /// What never happens in well-typed programs.
    pub fn malformed(what: impl std::fmt::Display) -> Fault {
        Fault::new(Code::MalformedCore, format!("malformed core: {what}"))
    }
    /// An array of a negative size.
    pub fn negative(size: i64) -> Fault {
        Fault::new(Code::ImpossibleSize, format!("an array cannot have the negative size {size}"))
    }
    /// An index beyond an array.
    pub fn out_of_bounds(index: i64, size: usize) -> Fault {
        Fault::new(Code::OutOfBounds, format!("index {index} is out of bounds for an array of size {size}"))
    }
    /// The payload of a constructor that did not make the value.
    pub fn payload(wanted: Symbol, made: Symbol) -> Fault {
        Fault::new(Code::AssertionFailed, format!("assertion failed: a value made by `#{made}` has no payload of `#{wanted}`"))
    }
    /// A scalar operation on these operands.
    pub fn operation(op: ScalarOp, error: OpError, operands: &[Scalar]) -> Fault {
        let shown = operands.iter().map(Scalar::to_string).collect::<Vec<_>>().join(" and ");
        match error {
            OpError::DivisionByZero => Fault::new(Code::UndefinedOperation, format!("division by zero: the operands are {shown}")),
            OpError::NegativeExponent => {
                Fault::new(Code::UndefinedOperation, format!("a power with a negative exponent: the operands are {shown}"))
            }
            OpError::Operands => Fault::malformed(format!("{op:?} applied to {shown}")),
        }
    }
}

impl From<Shortage> for Fault {
    fn from(shortage: Shortage) -> Fault {
        Fault::new(Code::OutOfMemory, format!("out of memory: {} bytes were requested", shortage.bytes))
    }
}

/// The value of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Index {
    /// A size.
    Dim(i64),
    /// A shape.
    Shape(Vec<i64>),
}

/// What a primitive makes.
#[derive(Debug, Clone, PartialEq)]
pub enum Made<A> {
    /// An array.
    Array(Block<A>),
    /// A box that hides the outermost size of this array.
    Boxed(Block<A>),
    /// A box that hides the whole shape of this array.
    Lifted(Block<A>),
}

type Result<T> = std::result::Result<T, Fault>;

/// The most atoms of an array here. They take several times the memory of scalars, and what is larger is no test.
const MOST: usize = 1 << 24;

/// A vector with room for `count` items.
fn vector<T>(count: usize) -> Result<Vec<T>> {
    let shortage = Shortage { bytes: count as u128 * size_of::<T>() as u128 };
    let fits = count <= MOST;
    if fits { Ok(buffer::vector(count)?) } else { Err(Fault::from(shortage)) }
}

fn missing() -> Fault {
    Fault::malformed("an array does not have the cells that its type says")
}

impl<A: Atomic> Block<A> {
    /// An array of rank 0.
    pub fn atom(atom: A) -> Block<A> {
        Block { dims: Vec::new(), atoms: vec![atom] }
    }
    /// The size of the outermost dimension.
    pub fn outer(&self) -> Result<usize> {
        self.dims.first().copied().ok_or_else(|| Fault::malformed("an array was expected"))
    }
    /// The scalar that a rank-0 array holds.
    pub fn scalar(&self) -> Option<Scalar> {
        match (&self.dims[..], &self.atoms[..]) {
            ([], [atom]) => atom.scalar(),
            _ => None,
        }
    }
    /// The `i64` that a rank-0 array holds.
    pub fn int(&self) -> Result<i64> {
        match self.scalar() {
            Some(Scalar::I64(value)) => Ok(value),
            _ => Err(Fault::malformed("an i64 was expected")),
        }
    }
    fn ints(&self) -> Result<Vec<i64>> {
        let int = |atom: &A| if let Some(Scalar::I64(value)) = atom.scalar() { Some(value) } else { None };
        self.atoms.iter().map(int).collect::<Option<_>>().ok_or_else(|| Fault::malformed("a vector of i64 was expected"))
    }
    /// The shape and number of atoms of the cells of a frame of this rank.
    fn cells_of(&self, rank: usize) -> Result<(&[usize], usize)> {
        let inner = self.dims.get(rank..).ok_or_else(missing)?;
        Ok((inner, count(inner)))
    }
    /// The cells of a frame of this rank, in row-major order; none when the frame has a size 0.
    pub fn cells(&self, rank: usize) -> Result<Vec<Block<A>>> {
        let (inner, size) = self.cells_of(rank)?;
        let frame = count(self.dims.get(..rank).ok_or_else(missing)?);
        (0..frame).map(|i| self.part(inner, i * size, size)).collect()
    }
    fn part(&self, dims: &[usize], from: usize, size: usize) -> Result<Block<A>> {
        let atoms = self.atoms.get(from..from + size).ok_or_else(missing)?;
        Ok(Block { dims: dims.to_vec(), atoms: atoms.to_vec() })
    }
    /// A cell of the outermost dimension; `None` when there is no such cell.
    pub fn cell(&self, i: usize) -> Result<Option<Block<A>>> {
        let (inner, size) = self.cells_of(1)?;
        if i < self.outer()? { self.part(inner, i * size, size).map(Some) } else { Ok(None) }
    }
    /// The cells of these numbers of the outermost dimension, all of which are there.
    fn gather(&self, positions: impl ExactSizeIterator<Item = usize>) -> Result<Block<A>> {
        let (inner, size) = self.cells_of(1)?;
        let dims = [&[positions.len()], inner].concat();
        let mut atoms = vector(count(&dims))?;
        if size > 0 {
            for i in positions {
                atoms.extend_from_slice(self.atoms.get(i * size..(i + 1) * size).ok_or_else(missing)?);
            }
        }
        Ok(Block { dims, atoms })
    }
    /// Writes a cell over another.
    fn put(&mut self, i: usize, cell: &Block<A>) -> Result<()> {
        let (inner, size) = self.cells_of(1)?;
        if inner != cell.dims {
            return Err(Fault::new(Code::SizesDiffer, "the new element has another shape than the old one"));
        }
        self.atoms.get_mut(i * size..(i + 1) * size).ok_or_else(missing)?.clone_from_slice(&cell.atoms);
        Ok(())
    }
    /// The array with the first `old` sizes replaced by `new`, as many atoms as before.
    fn reshaped(&self, old: usize, new: &[usize]) -> Result<Block<A>> {
        let dims = [new, self.dims.get(old..).ok_or_else(missing)?].concat();
        if count(&dims) == self.atoms.len() { Ok(Block { dims, atoms: self.atoms.clone() }) } else { Err(missing()) }
    }
    /// An array of these cells: `frame` in front of their common shape `inner`.
    pub fn collapsed(frame: &[usize], inner: &[usize], cells: impl IntoIterator<Item = Block<A>>) -> Result<Block<A>> {
        let dims = [frame, inner].concat();
        let mut atoms = vector(count(&dims))?;
        for cell in cells {
            if cell.dims != inner {
                let message = format!("cells of shapes {} and {} do not make an array", Dims::new(inner), Dims::new(&cell.dims));
                return Err(Fault::new(Code::SizesDiffer, message));
            }
            atoms.extend(cell.atoms);
        }
        if atoms.len() == count(&dims) { Ok(Block { dims, atoms }) } else { Err(missing()) }
    }
    /// Whether shapes and all atoms are equal.
    pub fn same(&self, other: &Block<A>) -> bool {
        self.dims == other.dims && self.atoms.iter().zip(&other.atoms).all(|(a, b)| a.same(b))
    }
    /// An array of `frame` all of whose cells are this one.
    pub fn replicated(&self, frame: &[usize]) -> Result<Block<A>> {
        let dims = [frame, &self.dims].concat();
        let mut atoms = vector(count(&dims))?;
        for _ in 0..if self.atoms.is_empty() { 0 } else { count(frame) } {
            atoms.extend_from_slice(&self.atoms);
        }
        Ok(Block { dims, atoms })
    }
    /// A fold of scalars from the left.
    pub fn fold(&self, fold: FoldOp) -> Result<Scalar> {
        let op = fold.step();
        self.atoms.iter().try_fold(fold.identity(), |sum, atom| {
            let item = atom.scalar().ok_or_else(|| Fault::malformed("a scalar was expected"))?;
            op.apply2(sum, item).map_err(|error| Fault::operation(op, error, &[sum, item]))
        })
    }
}

/// Whether a primitive takes a function; [`delta`] does not define these.
pub fn higher_order(prim: Prim) -> bool {
    matches!(prim, Prim::Reduce | Prim::ReduceComm | Prim::Scan | Prim::Filter | Prim::Hist | Prim::ReduceByIndex)
}

/// The sizes of a shape; none may be negative.
pub fn sizes(sizes: &[i64]) -> Result<Vec<usize>> {
    sizes.iter().map(|n| natural(*n)).collect()
}

/// The length of an array, if there can be one so long.
fn length(count: Option<usize>) -> Result<usize> {
    let fits = count.filter(|count| i64::try_from(*count).is_ok_and(|count| count <= MAX_SIZE));
    fits.ok_or_else(|| {
        Fault::new(Code::ImpossibleSize, format!("the result would have more than {MAX_SIZE} rows, which no array can have"))
    })
}

/// A size that an array can have.
fn natural(size: i64) -> Result<usize> {
    usize::try_from(size).map_err(|_| Fault::negative(size)).and_then(|size| length(Some(size)))
}

/// The result of a first-order primitive. `indices` are what it is instantiated with; they matter where
/// [`Prim::needs_indices`] says so.
pub fn delta<A: Atomic>(prim: Prim, indices: &[Index], args: &[&Block<A>]) -> Result<Made<A>> {
    let boolean = |truth| Ok(Block::atom(A::from_scalar(Scalar::Bool(truth))));
    let made = match (prim, args) {
        (Prim::Index, [xs, i]) => {
            let i = i.int()?;
            let cell = usize::try_from(i).ok().and_then(|i| xs.cell(i).transpose());
            cell.unwrap_or_else(|| Err(Fault::out_of_bounds(i, xs.outer().unwrap_or(0))))
        }
        (Prim::Slice, [xs, i, j]) => {
            let (i, j, n) = (i.int()?, j.int()?, xs.outer()?);
            match (usize::try_from(i), usize::try_from(j)) {
                (Ok(from), Ok(to)) if from <= to && to <= n => xs.gather(from..to),
                _ => Err(Fault::new(Code::OutOfBounds, format!("slice [{i}:{j}] is out of bounds for an array of size {n}"))),
            }
        }
        (Prim::SliceStep, [xs, i, j, s]) => {
            let positions = strided(i.int()?, j.int()?, s.int()?, xs.outer()?)?;
            return xs.gather(positions.into_iter()).map(Made::Boxed);
        }
        (Prim::Update, [xs, i, x]) => {
            let (i, n) = (i.int()?, xs.outer()?);
            let position = usize::try_from(i).ok().filter(|i| *i < n).ok_or_else(|| Fault::out_of_bounds(i, n))?;
            let mut xs = Block::clone(xs);
            xs.put(position, x).map(|()| xs)
        }
        (Prim::UpdateSlice, [xs, i, s, ys]) => update_slice(Block::clone(xs), i.int()?, s.int()?, ys),
        (Prim::Iota, [n]) => range(0, n.int()?),
        (Prim::Range, [a, b]) => range(a.int()?, b.int()?),
        (Prim::RangeUpto | Prim::RangeDownto | Prim::RangeThrough, [a, s, b]) => {
            let (Some(a), Some(s), Some(b)) = (a.scalar(), s.scalar(), b.scalar()) else {
                return Err(Fault::malformed("integers were expected"));
            };
            return stepped(prim, a, s, b).map(Made::Boxed);
        }
        (Prim::Scatter, [xs, is, vs]) => {
            let (mut xs, is) = (Block::clone(xs), is.ints()?);
            let n = xs.outer()?;
            for (k, i) in is.into_iter().enumerate() {
                let Some(position) = usize::try_from(i).ok().filter(|i| *i < n) else { continue };
                xs.put(position, &vs.cell(k)?.ok_or_else(missing)?)?;
            }
            Ok(xs)
        }
        (Prim::Transpose, [xs]) => transpose(xs),
        (Prim::Flatten, [xs]) => {
            let [n, m, ..] = xs.dims[..] else { return Err(Fault::malformed("a matrix was expected")) };
            xs.reshaped(2, &[length(n.checked_mul(m))?])
        }
        (Prim::Unflatten, [xs]) => {
            let [Index::Dim(n), Index::Dim(m), ..] = indices else { return Err(Fault::malformed("unflatten without its sizes")) };
            let [n, m] = sizes(&[*n, *m])?[..] else { return Err(missing()) };
            let found = xs.outer()?;
            if n.checked_mul(m) != Some(found) {
                return Err(Fault::new(Code::SizesDiffer, format!("an array of size {found} does not make {n} rows of {m}")));
            }
            xs.reshaped(1, &[n, m])
        }
        (Prim::Concat, [a, b]) => {
            let total = length(a.outer()?.checked_add(b.outer()?))?;
            let parts = [a, b].map(|part| part.cells(1));
            let [a_cells, b_cells] = parts;
            Block::collapsed(&[total], a.cells_of(1)?.0, a_cells?.into_iter().chain(b_cells?))
        }
        (Prim::Reverse, [xs]) => xs.gather((0..xs.outer()?).rev()),
        (Prim::Rotate, [r, xs]) => {
            let (r, n) = (r.int()?, xs.outer()?);
            let by = if n == 0 { 0 } else { r.rem_euclid(n as i64) as usize };
            let positions: Vec<usize> = (by..n).chain(0..by).collect();
            xs.gather(positions.into_iter())
        }
        (Prim::Equal, [a, b]) => boolean(a.same(b)),
        (Prim::NotEqual, [a, b]) => boolean(!a.same(b)),
        (Prim::ShapeIota, []) => {
            let dims = hidden(indices, 0)?;
            let count = count(&dims);
            vector_of((0..count as i64).map(Scalar::I64), count).map(|numbers| Block { dims, ..numbers })
        }
        (Prim::Recycle, [xs]) => recycle(hidden(indices, 1)?, xs),
        (Prim::LiftShape, [shape]) => {
            let dims = countable(&shape.ints()?)?;
            return Block::atom(A::unit()).replicated(&dims).map(Made::Lifted);
        }
        (Prim::Subarray, [xs, at]) => subarray(hidden(indices, 0)?, hidden(indices, 1)?, xs, &at.ints()?),
        (Prim::ScatterNew, [positions, xs]) => {
            let [_, Index::Dim(size), ..] = indices else { return Err(Fault::malformed("scatter_new without its sizes")) };
            scatter_new(*size, &positions.ints()?, xs)
        }
        (Prim::ReadNums, [_]) => Err(Fault::new(Code::UnfitArguments, "the program reads numbers, and none were given to it")),
        (prim, args) => Err(Fault::malformed(format!("{prim:?} with {} arguments", args.len()))),
    };
    made.map(Made::Array)
}

fn update_slice<A: Atomic>(mut xs: Block<A>, start: i64, step: i64, ys: &Block<A>) -> Result<Block<A>> {
    let (n, cells) = (xs.outer()?, ys.cells(1)?);
    if step == 0 && cells.len() > 1 {
        let message = format!("updating {} elements from {start} in steps of 0 writes one place", cells.len());
        return Err(Fault::new(Code::OutOfBounds, message));
    }
    for (t, cell) in cells.iter().enumerate() {
        let at = i128::from(start) + t as i128 * i128::from(step);
        let Some(position) = usize::try_from(at).ok().filter(|at| *at < n) else {
            let k = cells.len();
            let message = format!("updating {k} elements from {start} in steps of {step} leaves the bounds of an array of size {n}");
            return Err(Fault::new(Code::OutOfBounds, message));
        };
        xs.put(position, cell)?;
    }
    Ok(xs)
}

/// The sizes of a shape that comes from data: none negative, not too many, their product can be counted.
fn countable(shape: &[i64]) -> Result<Vec<usize>> {
    if shape.len() > MAX_RANK {
        return Err(Fault::new(Code::ImpossibleSize, format!("an array cannot have {} dimensions, {MAX_RANK} are the most", shape.len())));
    }
    let dims = sizes(shape)?;
    if !dims.contains(&0) && shape.iter().try_fold(1i64, |product, n| product.checked_mul(*n)).is_none() {
        return Err(Fault::new(
            Code::ImpossibleSize,
            format!("an array of shape {} has more elements than can be counted", Dims::new(&dims)),
        ));
    }
    Ok(dims)
}

/// The shape that a primitive is instantiated with at this place.
fn hidden(indices: &[Index], at: usize) -> Result<Vec<usize>> {
    match indices.get(at) {
        Some(Index::Shape(shape)) => countable(shape),
        _ => Err(Fault::malformed("a primitive without its shapes")),
    }
}

/// The atoms in row-major order in another shape, from the beginning again when they are used up.
fn recycle<A: Atomic>(dims: Vec<usize>, xs: &Block<A>) -> Result<Block<A>> {
    let (size, wanted) = (xs.atoms.len(), count(&dims));
    if size == 0 && wanted > 0 {
        let (from, to) = (Dims::new(&xs.dims), Dims::new(&dims));
        return Err(Fault::new(Code::SizesDiffer, format!("an array of shape {from} has no elements to make one of shape {to}")));
    }
    let mut atoms = vector(wanted)?;
    atoms.extend(xs.atoms.iter().cycle().take(wanted).cloned());
    Ok(Block { dims, atoms })
}

/// As many consecutive cells as a frame of shape `to` has, from an index into the frame `from` on.
fn subarray<A: Atomic>(from: Vec<usize>, to: Vec<usize>, xs: &Block<A>, at: &[i64]) -> Result<Block<A>> {
    if at.len() != from.len() {
        let message = format!("an index of {} numbers does not belong to an array of shape {}", at.len(), Dims::new(&from));
        return Err(Fault::new(Code::SizesDiffer, message));
    }
    let (inner, size) = xs.cells_of(from.len())?;
    let (cells, wanted) = (count(&from), count(&to));
    let dims = [to.as_slice(), inner].concat();
    if wanted == 0 {
        return Ok(Block { dims, atoms: Vec::new() });
    }
    let mut start = 0usize;
    for (&i, &n) in at.iter().zip(&from) {
        let position = usize::try_from(i).ok().filter(|i| *i < n).ok_or_else(|| Fault::out_of_bounds(i, n))?;
        start = start.saturating_mul(n).saturating_add(position);
    }
    match start.checked_add(wanted).filter(|end| *end <= cells) {
        Some(end) => Ok(Block { dims, atoms: xs.atoms.get(start * size..end * size).ok_or_else(missing)?.to_vec() }),
        None => {
            let message = format!("an array of shape {} has fewer than {wanted} cells from index {at:?} on", Dims::new(&from));
            Err(Fault::new(Code::OutOfBounds, message))
        }
    }
}

/// The cells at new positions, each of which must be given. Cells for negative positions are left out.
fn scatter_new<A: Atomic>(size: i64, positions: &[i64], xs: &Block<A>) -> Result<Block<A>> {
    let count = natural(size)?;
    let mut sources: Vec<Option<usize>> = vector(count)?;
    sources.resize(count, None);
    for (source, &position) in positions.iter().enumerate().filter(|(_, position)| **position >= 0) {
        match usize::try_from(position).ok().and_then(|position| sources.get_mut(position)) {
            Some(place) => *place = Some(source),
            None => return Err(Fault::out_of_bounds(position, count)),
        }
    }
    let all: Option<Vec<usize>> = sources.iter().copied().collect();
    match all {
        Some(all) => xs.gather(all.into_iter()),
        None => {
            let empty = sources.iter().position(Option::is_none).unwrap_or(0);
            Err(Fault::new(Code::OutOfBounds, format!("no cell is scattered to position {empty} of {count}")))
        }
    }
}

fn transpose<A: Atomic>(xs: &Block<A>) -> Result<Block<A>> {
    let [n, m, ..] = xs.dims[..] else { return Err(Fault::malformed("a matrix was expected")) };
    let (inner, size) = xs.cells_of(2)?;
    let mut atoms = vector(xs.atoms.len())?;
    if !xs.atoms.is_empty() {
        for (j, i) in (0..m).flat_map(|j| (0..n).map(move |i| (j, i))) {
            let from = (i * m + j) * size;
            atoms.extend_from_slice(xs.atoms.get(from..from + size).ok_or_else(missing)?);
        }
    }
    Ok(Block { dims: [&[m, n], inner].concat(), atoms })
}

/// The positions of `a[i:j:s]`: for a positive step `0 <= i <= j <= n`, for a negative one `-1 <= j <= i < n`; `i = j` takes nothing.
fn strided(i: i64, j: i64, s: i64, n: usize) -> Result<Vec<usize>> {
    let (start, end, step, size) = (i128::from(i), i128::from(j), i128::from(s), n as i128);
    let fits = match s {
        0 => false,
        1.. => 0 <= start && start <= end && end <= size,
        _ => -1 <= end && end <= start && (start < size || start == end),
    };
    if !fits {
        return Err(Fault::new(Code::OutOfBounds, format!("slice [{i}:{j}:{s}] is out of bounds for an array of size {n}")));
    }
    let before_end = |at: &i128| if step > 0 { *at < end } else { *at > end };
    let positions = std::iter::successors(Some(start), |at| Some(at + step)).take_while(before_end);
    Ok(positions.map(|at| at as usize).collect())
}

fn vector_of<A: Atomic>(items: impl Iterator<Item = Scalar>, count: usize) -> Result<Block<A>> {
    let mut atoms = vector(count)?;
    atoms.extend(items.map(A::from_scalar));
    Ok(Block { dims: vec![atoms.len()], atoms })
}

/// `a, a+1, .. b-1`.
fn range<A: Atomic>(a: i64, b: i64) -> Result<Block<A>> {
    let size = i128::from(b) - i128::from(a);
    let size = if size < 0 { Err(Fault::negative(b.saturating_sub(a))) } else { length(usize::try_from(size).ok()) }?;
    vector_of((a..b).map(Scalar::I64), size)
}

/// The step of a range, which arrives wrapped around: it is the difference of two numbers of the type, and goes down if the second one is
/// less. Steps of one are those of ranges without a second number, from the last or the first number of the type, too.
pub fn range_step(prim: Prim, ty: PrimType, start: i128, step: i128) -> i128 {
    let wraps = |x: i128| Scalar::from_i128(ty, x).as_i128().unwrap_or(x);
    let whole = 1i128 << (ty.bytes() * 8);
    let downwards = prim == Prim::RangeDownto;
    let down = wraps(start + step) < start && (downwards || step != 1) || downwards && step == wraps(-1);
    match down {
        true if step > 0 => step - whole,
        false if step < 0 => step + whole,
        _ => step,
    }
}

/// `a, a+s, ..` before (`upto`, `downto`) or up to and including (`through`) `b`.
fn stepped<A: Atomic>(prim: Prim, a: Scalar, s: Scalar, b: Scalar) -> Result<Block<A>> {
    let ty: PrimType = a.prim();
    let (Some(start), Some(step), Some(end)) = (a.as_i128(), s.as_i128(), b.as_i128()) else {
        return Err(Fault::malformed("integers were expected"));
    };
    let step = range_step(prim, ty, start, step);
    let leads = match prim {
        Prim::RangeUpto => step > 0 && start <= end,
        Prim::RangeDownto => step < 0 && start >= end,
        _ => (step > 0 && start <= end) || (step < 0 && start >= end),
    };
    if !leads {
        let message = format!("the range from {start} in steps of {step} does not lead to its end {end}");
        return Err(Fault::new(Code::ImpossibleSize, message));
    }
    let inclusive = i128::from(prim == Prim::RangeThrough);
    let size = ((end - start).abs() + inclusive + step.abs() - 1) / step.abs();
    let size = length(usize::try_from(size).ok())?;
    vector_of((0..size as i128).map(|t| Scalar::from_i128(ty, start + t * step)), size)
}
