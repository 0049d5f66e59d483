//! What is wrong with arrays: their kinds, shapes and nesting.

use crate::base::Span;
use crate::front::apl::value::Kind;
use crate::ir::core::Dim;

/// Which axes of two arrays are as long as each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// The first ones, of arrays that are gone through together.
    First,
    /// The last one of the left array and the first one of the right one.
    LastAndFirst,
    /// The one whose cells have something each on the left.
    Cells,
}

/// What a value is given to, or what it is there.
#[derive(Debug, Clone, Copy)]
pub enum Role {
    /// An argument of a function or operator that is a glyph, or its result.
    Of(char),
    /// An argument of `⎕NAME`.
    OfSystem(&'static str),
    /// The only argument of a glyph.
    Argument(char),
    /// The left argument of a glyph.
    Left(char),
    /// The right argument of a glyph.
    Right(char),
    /// The argument of `⎕NAME`.
    SystemArgument(&'static str),
    /// What is assigned to indices, or has them.
    Assignment,
    /// What is applied to cells.
    Cells,
    /// What is cut by `⊂` or `⊆`, or says where.
    Cut,
    /// What goes through `f.g`.
    InnerProduct,
    /// What goes through `∘.f`.
    OuterProduct,
    /// What goes through `f/`.
    Reduction,
    /// What is rotated.
    Rotation,
    /// By how much is rotated.
    RotationBy,
    /// What goes through `f\\`.
    Scan,
    /// What is put into order.
    Sorting,
    /// An index.
    Index,
    /// A vector of a vector of vectors.
    Row,
    /// The length of one.
    RowLength,
    /// Where one ends.
    RowEnd,
    /// A part of what `n f/` reduces.
    Window,
    /// An item of what `↑` mixes.
    MixedItem,
    /// Of a guard.
    GuardCondition,
    /// Of `⍣`.
    PowerCondition,
    /// The right operand of `⍣`.
    PowerCount,
}

/// What is taken instead.
#[derive(Debug, Clone, Copy)]
pub enum Wanted {
    /// A vector.
    Vector,
    /// A scalar or a vector.
    ScalarOrVector,
    /// A vector or a matrix.
    VectorOrMatrix,
    /// At most a matrix.
    Matrix,
    /// A vector that ascends.
    Ascending,
    /// What `⍋` puts into order.
    Sortable,
    /// Anything but a scalar.
    Axes,
    /// A truth value.
    OneTruth,
    /// Truth values, or numbers of times.
    TruthsOrCounts,
    /// Numbers that are not complex.
    RealNumbers,
    /// A whole number.
    WholeNumber,
}

/// What is wrong with kinds of elements.
#[derive(Debug)]
pub enum KindError {
    /// A function that is not defined for elements of this kind.
    Undefined { glyph: char, kind: Kind },
    /// Two arguments for a function that is not one of pairs of elements.
    NotOfPairs(char),
    /// `k○` for a number that means no function.
    Circle(i64),
    /// What has elements of another kind than is taken.
    Takes { role: Role, wanted: Wanted, found: String },
    /// A condition of another kind than truth values.
    NoTruth { role: Role, kind: Kind },
    /// A left argument of `⊂` with this number in it.
    Mark(i64),
    /// `bounds⍸what`.
    Unordered { what: Kind, among: Kind },
    /// An element of one kind is put into an array of another.
    Assigned { value: Kind, among: Kind },
    /// Other numbers than whole ones.
    NotWhole { role: Role, kind: Kind },
    /// A reduction of an empty vector.
    NoNeutral,
}

/// What vectors of items that differ in kind or shape are not good for.
#[derive(Debug)]
pub enum MixtureError {
    /// What takes an array.
    Undefined { role: Role, found: String },
    /// A scalar function of one and of something that has no items.
    Partner { found: String },
    /// More or fewer indices than one.
    OneIndex,
    /// What is done by constants only.
    Computed(Computed),
    /// An array whose items are not written out is put beside something else.
    Joined { found: String },
    /// `↑` of items of these kinds.
    Kinds(Kind, Kind),
    /// `?` of 0 and other numbers.
    Rolls,
}

/// What is done with a vector of different items.
#[derive(Debug, Clone, Copy)]
pub enum Computed {
    /// `vector[i]`.
    Indexed,
    /// `vector[i]←item`.
    Changed,
    /// `n↑vector`, `n↓vector`.
    Cut,
    /// `n⍴vector`.
    Reshaped,
}

/// An array with the place that it comes from.
#[derive(Debug)]
pub struct Origin {
    pub shape: Vec<Dim>,
    pub at: Span,
}

/// Lengths that do not go together.
#[derive(Debug)]
pub enum LengthError {
    /// Two arrays, and two sizes of them that are never equal, although they are to be.
    Differ { left: Origin, right: Origin, sizes: (Dim, Dim), rule: Agreement },
    /// An array of another shape than is needed.
    Needed { wanted: Vec<Dim>, found: Origin },
    /// Two vectors that are gone through item by item.
    Items(Dim, Dim),
    /// `(a b)←value`.
    Names { count: usize, value: String },
    /// `array[..]←values`.
    Places { values: Origin, places: Vec<Dim> },
    /// Windows of a reduction that are longer than what is reduced.
    Windows { size: i64, shape: Vec<Dim> },
    /// `mask\array`.
    Mask { takes: i64, have: Dim },
    /// `⌹` of a matrix of fewer rows than columns.
    Wide(Vec<Dim>),
    /// `numbers↑array` with more numbers than axes.
    Axes { numbers: i64, rank: usize },
}

/// What is wrong with ranks.
#[derive(Debug)]
pub enum RankError {
    /// What has another rank than is taken.
    Takes { role: Role, wanted: Wanted, found: String },
    /// More or fewer indices than axes, in brackets or by `⌷`.
    Indices { count: usize, array: Origin, brackets: bool },
    /// `rows[i;j]`.
    RowIndices,
    /// `left,right`.
    Joined { left: Origin, right: Origin },
    /// `left f¨right`.
    Each { left: Origin, right: Origin },
    /// `array⍳cells`.
    Cells { cell: Vec<Dim>, found: String },
    /// `pattern⍷array`.
    Pattern { pattern: String, array: String },
    /// Indices that are vectors of this shape for an array of that rank.
    Places { index: Vec<Dim>, rank: usize },
    /// Different things in the brackets of such an array.
    MixedIndex { array: Origin },
    /// `by⌽array` with numbers of this shape.
    Rotation { by: Vec<Dim>, array: Vec<Dim> },
    /// `f⌺sizes`.
    Windows { axes: usize, array: String },
    /// `marks⊂array`.
    Marks { marks: String, array: String },
    /// `k?n` with so many numbers for each.
    Deal(usize, usize),
    /// So many axes of one array for another one that has not as many.
    Along { axes: usize, found: String },
    /// A call of a function in itself with more axes than it was called with.
    Recursive { parameter: usize, argument: usize },
}

/// What has to be known before the program runs.
#[derive(Debug)]
pub enum StaticError {
    /// How long a vector is, which is this long at most.
    Length { role: Role, found: String, most: Option<i64> },
    /// What it is.
    Constant(Constant),
}

/// What is constant.
#[derive(Debug)]
pub enum Constant {
    /// An axis; that of `,` may lie between others.
    Axis { between: bool },
    /// The left argument of `⍉`.
    AxisOrder,
    /// The left argument of `○`.
    Circle,
    /// The ranks of `⍤`.
    Ranks,
    /// The length of the windows of a reduction.
    Windows,
    /// The sizes of the windows of `⌺`.
    Stencil,
    /// `⎕IO`.
    IndexOrigin,
    /// `⎕PP`.
    Precision,
    /// The left argument of `⍕`, and the width and the decimals that it cannot be.
    Places { outside: Option<(i64, i64)> },
    /// The argument of this function.
    File(&'static str),
}

/// Constant indices, axes and sizes that are impossible.
#[derive(Debug)]
pub enum IndexError {
    /// An index that is none of so many which count from the origin.
    Outside { index: i64, origin: i64, count: i64 },
    /// An axis of an array of another rank; none if it is one of no array.
    NoAxis { axis: Axis, rank: Option<usize> },
    /// `order⍉array`.
    AxisOrder { order: Vec<i64>, rank: usize },
    /// A negative size.
    Negative(i64),
    /// A size that no array has.
    TooLarge { role: Role, size: i64 },
    /// `k?n` for more numbers than there are.
    Deal { count: i64, of: i64 },
}

/// An axis as the script counts them.
#[derive(Debug, Clone, Copy)]
pub enum Axis {
    /// One that there may be.
    At(i64),
    /// A new one in front of it.
    Before(i64),
}

/// What is wrong with nested arrays.
#[derive(Debug)]
pub enum NestingError {
    /// A nested array for something simple.
    Nested { role: Role, found: String },
    /// A vector of vectors of computed lengths for an array.
    Rows { role: Role, found: String },
    /// One beside something else.
    RowsBeside(String),
    /// `f¨` of one and of this.
    RowsWith(String),
    /// One with an index of this rank.
    RowsIndexed { rank: usize },
    /// `counts/rows`.
    RowsRepeated(Kind),

    /// Items are put among those of another shape or depth.
    Items { value: Items, among: Items },
    /// `⊂` of what has no single shape.
    Enclosed(String),
    /// `⊂` with computed marks.
    Cut(String),
    /// `n↑` of a vector of so many different items.
    Short { items: usize },
    /// Cells of a map whose sizes are found out for each.
    Sizes,
    /// Cells of a map that are vectors of different items.
    Results,
}

/// What the items of an array are.
#[derive(Debug)]
pub struct Items {
    pub kind: Kind,
    /// How often they are enclosed.
    pub depth: usize,
    pub cell: Vec<Dim>,
}
