//! What is recorded of a program that is profiled: the sites that its compiled code measures, and what passes say of why they made what
//! they made. Passes record what they decide where they decide it; nobody guesses afterwards. The words are in `driver/profile`.

use crate::base::{Arena, Idx, PrimType, Span, Symbol};

/// A site of a program that is profiled.
pub type SiteId = Idx<Site>;

/// What is known of a program that is profiled.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// What its code measures, in the order of the program; an outer site comes before those in it.
    pub sites: Arena<Site>,
    /// What is said of its places.
    pub remarks: Vec<Remark>,
}

/// Something whose time or memory is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    /// The definition whose function it is in.
    pub function: Symbol,
    /// Where in the source.
    pub span: Span,
    /// The site that is timed around it in the same function.
    pub parent: Option<SiteId>,
    /// What it is.
    pub what: SiteKind,
}

/// What a site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SiteKind {
    /// Statements that are timed.
    Nest(Nest),
    /// Elements that are copied, counted.
    Copy {
        /// The array, by a name that the program has for it.
        array: Symbol,
        /// Why they are copied.
        why: CopyReason,
    },
    /// A buffer that is made, counted.
    Array {
        /// A name that the program has for it.
        name: Symbol,
        /// Type of the elements.
        elem: PrimType,
        /// What it is for.
        role: Role,
    },
    /// Something that the running program decides: how often it did.
    Case(Case),
}

/// Statements that are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Nest {
    /// A map.
    Map,
    /// A reduction, with what is mapped on the way.
    Reduce,
    /// A scan, with what is mapped on the way.
    Scan,
    /// A map of maps of reductions of rows and columns.
    Product,
    /// A filter.
    Filter,
    /// Rows of different lengths.
    Rows,
    /// A scatter.
    Scatter,
    /// A histogram.
    Histogram,
    /// A loop whose iterations follow each other.
    Loop,
    /// A call of a function.
    Call(Symbol),
    /// Elements that change places: concatenations, rotations, stacks, cells that are replaced.
    Move,
}

/// What a buffer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// It holds a value of the program.
    Value,
    /// It holds a copy.
    Copy,
    /// It holds what the parts of a parallel loop found.
    Partial,
    /// It holds parts of the factors of a product, in the order in which tiles read them.
    Packed,
    /// It holds sums until something is computed from them.
    Sums,
}

/// What the running program decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Case {
    /// A part of a product is computed in tiles.
    Tiles,
    /// It has too few rows or columns for that.
    FewForTiles,
}

/// Why elements are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopyReason {
    /// The array is updated, and its memory is an argument's.
    Argument,
    /// The array is updated, and its memory is a constant's.
    Constant,
    /// The array is updated, and its memory may be that of another array.
    Shared,
    /// The array is updated and read later.
    ReadLater,
    /// The array is updated by a statement that reads it.
    ReadBeside,
    /// An iteration goes on with memory that is not the loop's own.
    Iteration,
    /// The array is updated, and is the same row several times.
    Replicated,
    /// The program asks for it.
    Asked,
    /// The array is returned, and does not lie in rows.
    Returned,
    /// The array is returned, and its memory is not the function's own.
    Lent,
    /// The array is seen in another shape, and does not lie in rows.
    Reshaped,
    /// The array goes to a function, and does not lie in rows.
    Passed,
    /// The array is the result of a branch.
    Branch,
    /// The array is the first value of a loop.
    First,
    /// The array is a part of a larger one, in whose memory it was not made.
    Part,
    /// The array is a row of an array of arrays, in whose memory it was not made.
    Stacked,
    /// The array is written over a part of another one.
    Written,
    /// The array is a result that was not made where it goes.
    Moved,
    /// The array is what a reduction of arrays begins with, or goes on with.
    Collected,
    /// The array is what a part of a filter kept.
    Kept,
    /// There is no copy: one value, or a range, is written to memory.
    Filled,
    /// The array is not in memory, and each row of a larger one is to be it.
    Repeated,
}

/// What is said of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Remark {
    /// Where in the source.
    pub span: Span,
    /// The site that it is about.
    pub site: Option<SiteId>,
    /// What is said.
    pub note: Note,
}

/// What is said of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Note {
    /// One thread runs it.
    OneThread(SequentialReason),
    /// It is a product and is not computed in tiles.
    NoTiles(UntiledReason),
    /// It is a scan whose elements are computed twice where several threads run it.
    Twice,
    /// The array is updated where it is.
    InPlace(Symbol),
    /// The array is copied by each iteration of a nest, one element at a time: nobody counts.
    CopiedInside(Symbol, CopyReason),
    /// An array of so many bytes lies in the frame of the function.
    InFrame(Symbol, u64),
}

/// Why one thread runs something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SequentialReason {
    /// It has few operations, whatever the sizes are.
    Few,
    /// An attribute of the program says so.
    Attribute,
    /// Floats are added in order: results are to be those of the evaluator.
    Strict,
    /// The operator of a scan has arrays as operands.
    ArraysScanned,
    /// Of several writes to a place the last one counts.
    LastWrite,
    /// The operator of a histogram has rows as operands, and is not one operation for each element.
    RowsCombined,
    /// The operator of a histogram may fail: it must not run for bins that no value comes for.
    MayFail,
    /// It is in a function that is called.
    Called,
    /// Each iteration needs the one before.
    Iterations,
}

/// Why a product is not computed in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UntiledReason {
    /// Its results are combined or scanned at once.
    Collected,
    /// Other arrays are computed in the same map.
    NotAlone,
    /// The operator, or what is combined, is more than scalar operations that cannot fail.
    NotScalar,
    /// What is combined is not the same function for all cells.
    Differs,
    /// It is not known how any factor lies.
    AlongNone,
    /// Each row has columns of its own.
    OwnColumns,
}

/// An operator that was made a part of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fusion {
    /// The place of what is there no more.
    pub from: Span,
    /// The place of what does its work.
    pub into: Span,
    /// In which way.
    pub way: FusionKind,
}

/// How an operator was made a part of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FusionKind {
    /// Its cells are computed where they are used.
    Cells,
    /// Both run over the same arrays, and now do it together.
    Together,
    /// Its cells cost so little that they are computed again where they are used.
    Again,
}
