//! First-order, monomorphic array programs in A-normal form: what is optimised, flattened and compiled.
//!
//! # Meaning
//!
//! * A **variable** is bound once in the whole program and never shadowed; its type is in the table [`Program::vars`]. Values are scalars
//!   and regular arrays of scalars ([`Type`]): tuples and records have become several variables, boxes have become their sizes and their
//!   content, functions have been applied.
//! * **Sizes** ([`Size`]) are polynomials over variables of type `i64`. They are facts: whoever makes an array guarantees that it has
//!   the sizes of its type. A size in the type of a variable may mention any variable in scope, and other variables of the same pattern
//!   (that is how a filter returns how many elements it kept).
//! * A **body** is a list of statements and the operands that it returns. Statements are run in order; the first that fails ends the
//!   program. Statements have no other effects, so whatever is not used and cannot fail ([`Exp::may_fail`]) may be left out.
//! * **Views** (index, slice, rearrange, reshape, replicate, iota) are ordinary expressions here. Whether they are copies is decided later.
//! * `checked` says that indices are compared with the bounds when the expression is run, with a failure at the place of the statement.
//!   Without it they are known to be in bounds.
//! * An **update** returns a new array; it happens in place where the old one is not used again.
//! * **[`Soac`]** is a map whose results may be scanned and reduced on the way. Its lambda gets one cell of each input; it
//!   returns first what the scans take, then what the reductions take, then the elements of the mapped results. The soac returns the scanned arrays,
//!   the reduced values and the mapped arrays, in this order. A [`Seg`] is what flattening makes of nests of these: see
//!   [`kernel`](crate::ir::kernel). Operators are associative and the neutral elements are neutral, or the
//!   result depends on how the work is divided.

pub mod cells;
pub mod check;
pub mod print;
pub mod read;
pub mod size;
pub mod structure;
pub mod visit;
pub mod visit_mut;

pub use size::Size;

use super::attributes::Depth;
use super::profile::{CopyReason, Fusion};
use super::tuning::Tuning;
use crate::base::scalar::ScalarOp;
use crate::base::{Arena, Chains, Idx, PrimType, Scalar, Span, Symbol};
use std::borrow::Borrow;
use std::ops::Range;

/// A variable.
pub type Var = Idx<VarInfo>;
/// A function.
pub type FunId = Idx<Fun>;

/// What is known of a variable.
#[derive(Debug, Clone)]
pub struct VarInfo {
    /// The name that it is derived from; several variables may have the same.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
}

/// A scalar type, or the type of regular arrays of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Type {
    /// Type of the elements.
    pub elem: PrimType,
    /// Sizes, outermost first; none for a scalar.
    pub shape: Vec<Size>,
}

impl Type {
    /// A scalar type.
    pub fn scalar(elem: PrimType) -> Type {
        Type { elem, shape: Vec::new() }
    }
    /// How many words stand for a value where others call a program: the parts of a complex number are passed one by one.
    pub fn words(&self) -> usize {
        if self.shape.is_empty() && self.elem.is_complex() { 2 } else { 1 }
    }
    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }
    /// The type of an array with `outer` in front of the sizes.
    pub fn framed(&self, outer: &[Size]) -> Type {
        Type { elem: self.elem, shape: outer.iter().chain(&self.shape).cloned().collect() }
    }
    /// The type of the cells below the outermost `depth` dimensions.
    pub fn cell(&self, depth: usize) -> Type {
        Type { elem: self.elem, shape: self.shape.get(depth..).unwrap_or(&[]).to_vec() }
    }
}

/// A constant or a variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand {
    /// A scalar.
    Const(Scalar),
    /// A variable of any type.
    Var(Var),
}

impl Operand {
    /// An `i64`.
    pub fn int(value: i64) -> Operand {
        Operand::Const(Scalar::I64(value))
    }
    /// The variable, if it is one.
    pub fn var(self) -> Option<Var> {
        if let Operand::Var(var) = self { Some(var) } else { None }
    }
    /// The operand, which is of type `i64`, as a size.
    pub fn as_size(self) -> Size {
        match self {
            Operand::Const(Scalar::I64(value)) => Size::constant(value),
            Operand::Const(other) => crate::ice!(Span::default(), "{other:?} is no size"),
            Operand::Var(var) => Size::var(var),
        }
    }
}

/// Whether two operands are the same value, bit by bit.
pub fn same(a: Operand, b: Operand) -> bool {
    match (a, b) {
        (Operand::Const(a), Operand::Const(b)) => a.same_bits(b),
        (Operand::Var(a), Operand::Var(b)) => a == b,
        (Operand::Const(_), Operand::Var(_)) | (Operand::Var(_), Operand::Const(_)) => false,
    }
}

/// A program: its variables, the constants that all functions see, and its functions.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// All variables with their types.
    pub vars: Arena<VarInfo>,
    /// Definitions without parameters; they cannot fail and are computed before anything else.
    pub consts: Vec<Stm>,
    /// The functions; a function calls only earlier ones, and itself if it is recursive.
    pub funs: Arena<Fun>,
    /// The calls through which statements were reached that have been put where definitions were called; failures name them.
    pub chains: Chains,
    /// Places of the source whose statements are to have no parallel loops: an attribute, which is no part of the text of programs.
    pub sequential: Vec<(Span, Depth)>,
    /// Places of conditionals that are their second branch but on processors: an attribute as well.
    pub on_processors: Vec<Span>,
    /// Places of loops that are so many nested loops where they are differentiated in reverse: an attribute as well.
    pub stripmined: Vec<(Span, u32)>,
    /// Places of loops with a condition that run at most so often, which a check in their bodies sees to: an attribute as well.
    pub bounded: Vec<(Span, i64)>,
    /// Places of definitions whose functions are to be called, not inlined: an attribute as well.
    pub called: Vec<Span>,
    /// What was fused into what, in order: for those who ask. It is no part of the text of programs either.
    pub fused: Vec<Fusion>,
    /// Why arrays are copied before updates: the places of the copies, and names of the arrays. The same holds for it.
    pub copies: Vec<(Span, Symbol, CopyReason)>,
    /// The numbers that the passes go by; no part of the text of programs.
    pub tuning: Tuning,
}

/// A function.
#[derive(Debug, Clone)]
pub struct Fun {
    /// The name of the definition.
    pub name: Symbol,
    /// Its parameters: sizes first, then the components of the arguments.
    pub params: Vec<Var>,
    /// Variables that stand for the results; their types mention parameters, constants and each other. They are bound nowhere.
    pub results: Vec<Var>,
    /// What it computes.
    pub body: Body,
    /// Whether it can be run from outside.
    pub entry: bool,
    /// Whether it calls itself. Then it is no entry point.
    pub recursive: bool,
    /// Where the definition is.
    pub span: Span,
}

/// Statements and what they return.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// The statements.
    pub stms: Vec<Stm>,
    /// What is returned.
    pub result: Vec<Operand>,
}

/// `(let (x ..) e)`.
#[derive(Debug, Clone)]
pub struct Stm {
    /// The variables that are bound.
    pub pat: Vec<Var>,
    /// What they are bound to.
    pub exp: Exp,
    /// Where it comes from, and through which calls ([`Program::chains`]); failures name this place.
    pub span: Span,
}

/// An anonymous function. It may mention variables of its surroundings.
#[derive(Debug, Clone)]
pub struct Lambda {
    /// Its parameters.
    pub params: Vec<Var>,
    /// Its body.
    pub body: Body,
}

/// A map with scans and reductions, see the [module](self).
#[derive(Debug, Clone)]
pub struct Soac {
    /// The number of cells: the outermost size of every input.
    pub width: Size,
    /// The arrays that are mapped over.
    pub inputs: Vec<Var>,
    /// What is done with each cell.
    pub lambda: Lambda,
    /// Inclusive scans.
    pub scans: Vec<Operator>,
    /// Reductions.
    pub reduces: Vec<Operator>,
}

/// An operator over a whole thread space: the body is run for every index of `sizes`, with `space` bound to the index.
///
/// It returns first what the operators take, then the elements of the mapped results. With [`SegKind::Reduce`] and [`SegKind::Scan`] the
/// innermost dimension is reduced or scanned, separately for each index of the others (segmented operators, Blelloch, "Vector Models for
/// Data-Parallel Computing", 1990). Results are arrays with the sizes of the space in front, those of a reduction without the innermost.
#[derive(Debug, Clone)]
pub struct Seg {
    /// The index, outermost dimension first.
    pub space: Vec<Var>,
    /// The sizes of the dimensions.
    pub sizes: Vec<Size>,
    /// What is done for each index. It is sequential.
    pub body: Body,
    /// What is done with the results.
    pub kind: SegKind,
}

/// What is done along the innermost dimension of a [`Seg`].
#[derive(Debug, Clone)]
pub enum SegKind {
    /// Nothing.
    Map,
    /// Reductions.
    Reduce(Vec<Operator>),
    /// Inclusive scans.
    Scan(Vec<Operator>),
}

impl SegKind {
    /// The operators.
    pub fn operators(&self) -> &[Operator] {
        match self {
            SegKind::Map => &[],
            SegKind::Reduce(operators) | SegKind::Scan(operators) => operators,
        }
    }
    /// The operators, to be changed.
    pub fn operators_mut(&mut self) -> &mut [Operator] {
        match self {
            SegKind::Map => &mut [],
            SegKind::Reduce(operators) | SegKind::Scan(operators) => operators,
        }
    }
    /// Whether what is combined has a value for each index of the innermost dimension, not one for all of them.
    pub fn keeps_inner_dimension(&self) -> bool {
        match self {
            SegKind::Map | SegKind::Scan(_) => true,
            SegKind::Reduce(_) => false,
        }
    }
}

/// An associative operator on one or more values at a time.
#[derive(Debug, Clone)]
pub struct Operator {
    /// Its parameters are the left operand's components and then the right operand's.
    pub lambda: Lambda,
    /// The components of the neutral element.
    pub neutral: Vec<Operand>,
    /// Whether the operands may change places.
    pub commutative: bool,
}

impl Soac {
    /// How many results are scanned: the first ones.
    pub fn scanned(&self) -> usize {
        self.scans.iter().map(|operator| operator.neutral.len()).sum()
    }
    /// How many results are scanned or reduced: those before the mapped ones.
    pub fn combined(&self) -> usize {
        self.operators().map(|operator| operator.neutral.len()).sum()
    }
    /// The operators: scans, then reductions.
    pub fn operators(&self) -> impl Iterator<Item = &Operator> {
        self.scans.iter().chain(&self.reduces)
    }
}

/// Operators, each with the places that its components have where those of all of them are next to each other: in what a lambda returns
/// and in what is bound.
pub fn placed<O: Borrow<Operator>>(operators: impl IntoIterator<Item = O>) -> impl Iterator<Item = (O, Range<usize>)> {
    let mut to = 0;
    operators.into_iter().map(move |operator| {
        let at = to;
        to += operator.borrow().neutral.len();
        (operator, at..to)
    })
}

impl Operator {
    /// The map that an operator on arrays is, if it is just one whose iterations see of the operands only their own cells.
    pub fn as_map(&self) -> Option<&Soac> {
        let [stm] = self.lambda.body.stms.as_slice() else { return None };
        let Exp::Soac(soac) = &stm.exp else { return None };
        let result = &self.lambda.body.result;
        let returned = result.len() == stm.pat.len() && result.iter().zip(&stm.pat).all(|(a, var)| a.var() == Some(*var));
        let mut own = soac.scans.is_empty() && soac.reduces.is_empty();
        for stm in &soac.lambda.body.stms {
            visit::mentioned(stm, &mut |var| own = own && !self.lambda.params.contains(&var));
        }
        (own && returned).then_some(soac)
    }
}

/// The three forms of ranges with a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeKind {
    /// `a..s..<b`.
    Upto,
    /// `a..s..>b`.
    Downto,
    /// `a..s...b`.
    Through,
}

/// A condition that the program relies on.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// The index is at least 0 and less than the size.
    Bounds(Operand, Size),
    /// The sizes of an array (first) are those that its new type says (second).
    Coerce(Vec<Size>, Vec<Size>),
    /// An array can have this size.
    NonNegative(Size),
    /// A range from the first number up to the second can be an array.
    Range(Operand, Operand),
    /// An array can have the product of the sizes of an array's outermost dimensions as its size.
    Product(Size, Size),
    /// The first size is the product of the other two, the sizes of the outermost dimensions of a matrix.
    Unflatten(Size, Size, Size),
    /// The operand is true, or the program fails with the message.
    Assert(Operand, Symbol),
}

/// How a loop goes on.
#[derive(Debug, Clone)]
pub enum LoopForm {
    /// The variable counts from 0 up to the operand, which is excluded.
    For(Var, Operand),
    /// The body returns whether there is another iteration; it sees the parameters of the loop.
    While(Body),
}

/// A pattern: the forms with one value and without bodies. A match that treats forms alike names this group and the others one by one, so
/// that it stays exhaustive: a new form without bodies is added here, or to one of the groups in it, after a look at the matches that name it.
macro_rules! single_exp {
    () => {
        $crate::ir::soac::Exp::Copy(_)
            | $crate::ir::soac::Exp::Scalar(..)
            | $crate::ir::soac::Exp::Size(_)
            | $crate::ir::soac::Exp::Index { .. }
            | $crate::ir::soac::Exp::Update { .. }
            | $crate::ir::soac::Exp::UpdateSlice { .. }
            | $crate::ir::soac::view_exp!()
            | $crate::ir::soac::made_exp!()
            | $crate::ir::soac::count_exp!()
    };
}
/// A pattern in [`single_exp`]: the elements of one array, in another order or shape or only some of them. [`Exp::Index`] may be a scalar.
macro_rules! view_exp {
    () => {
        $crate::ir::soac::Exp::Slice { .. }
            | $crate::ir::soac::Exp::Rearrange { .. }
            | $crate::ir::soac::Exp::Reshape(_)
            | $crate::ir::soac::Exp::Coerce(_)
    };
}
/// A pattern in [`single_exp`]: arrays that are made of scalars, of cells or of other arrays.
macro_rules! made_exp {
    () => {
        $crate::ir::soac::Exp::Literal(_)
            | $crate::ir::soac::Exp::Stack(_)
            | $crate::ir::soac::Exp::Rotate { .. }
            | $crate::ir::soac::Exp::Rep(_)
            | $crate::ir::soac::Exp::Iota { .. }
            | $crate::ir::soac::Exp::Concat(_)
    };
}
/// A pattern in [`single_exp`]: numbers of elements, which are computed with checks.
macro_rules! count_exp {
    () => {
        $crate::ir::soac::Exp::RangeCount { .. } | $crate::ir::soac::Exp::SliceCount { .. }
    };
}
pub(crate) use {count_exp, made_exp, single_exp, view_exp};

/// A pattern like [`single_exp`]: the second-order forms.
macro_rules! parallel_exp {
    () => {
        $crate::ir::soac::Exp::Soac(_)
            | $crate::ir::soac::Exp::Seg(_)
            | $crate::ir::soac::Exp::Filter { .. }
            | $crate::ir::soac::Exp::Rows { .. }
            | $crate::ir::soac::Exp::Scatter { .. }
            | $crate::ir::soac::Exp::Hist { .. }
    };
}
pub(crate) use parallel_exp;

/// A right-hand side. Sizes of results are in the types of the variables that are bound.
#[derive(Debug, Clone)]
pub enum Exp {
    /// The operand.
    Copy(Operand),
    /// A scalar operation. Division and powers of integers may fail.
    Scalar(ScalarOp, Vec<Operand>),
    /// A size as an `i64`.
    Size(Size),
    /// Scalars in row-major order.
    Literal(Vec<Scalar>),
    /// Cells in row-major order of the dimensions in front of theirs; at least one.
    Stack(Vec<Operand>),
    /// The cell at these indices, one for each of the outermost dimensions that are given up.
    Index {
        /// The array.
        array: Var,
        /// The indices.
        at: Vec<Operand>,
        /// Whether bounds are checked.
        checked: bool,
    },
    /// Cells `start`, `start + step`, ..., as many as the type says.
    Slice {
        /// The array.
        array: Var,
        /// The first index.
        start: Operand,
        /// The distance of two indices.
        step: Operand,
        /// Whether bounds are checked (with a step of 1 only).
        checked: bool,
    },
    /// Cells moved by so many places to the left, those that fall out put in at the right.
    Rotate {
        /// The array.
        array: Var,
        /// By how many places; may be negative or more than the size.
        by: Operand,
    },
    /// Dimension `k` of the result is dimension `perm[k]` of the array.
    Rearrange {
        /// The array.
        array: Var,
        /// The permutation of its dimensions.
        perm: Vec<usize>,
    },
    /// The same elements in row-major order in a shape with as many.
    Reshape(Var),
    /// The same array; its sizes are known to be those of the new type.
    Coerce(Var),
    /// Copies of the operand in a frame.
    Rep(Operand),
    /// `start`, `start + step`, ... (integers of any type).
    Iota {
        /// The first.
        start: Operand,
        /// The distance.
        step: Operand,
    },
    /// One array after the other.
    Concat(Vec<Var>),
    /// The array with the cell at these indices replaced.
    Update {
        /// The array.
        array: Var,
        /// The indices.
        at: Vec<Operand>,
        /// The new cell.
        value: Operand,
        /// Whether bounds are checked.
        checked: bool,
    },
    /// The array with the cells `start`, `start + step`, ... replaced.
    UpdateSlice {
        /// The array.
        array: Var,
        /// The first index.
        start: Operand,
        /// The distance of two indices.
        step: Operand,
        /// The new cells.
        value: Var,
        /// Whether bounds are checked.
        checked: bool,
    },
    /// The number of elements of a range with a step. Fails where the range does not lead to its end.
    RangeCount {
        /// How it goes on.
        kind: RangeKind,
        /// The first number.
        start: Operand,
        /// The distance of two numbers.
        step: Operand,
        /// Where it ends.
        end: Operand,
    },
    /// The number of elements of a slice with a step. Fails where it leaves the array.
    SliceCount {
        /// The first index.
        start: Operand,
        /// The index before which it ends.
        end: Operand,
        /// The distance of two indices.
        step: Operand,
        /// The size of the array.
        size: Size,
    },
    /// Fails where the condition does not hold. Binds nothing.
    Check(Check),
    /// A map with scans and reductions.
    Soac(Soac),
    /// An operator over a thread space.
    Seg(Box<Seg>),
    /// For each cell of the inputs the lambda returns whether it is kept, and the element of each result. Binds the number kept and then
    /// the arrays.
    Filter {
        /// The number of cells.
        width: Size,
        /// The arrays that are mapped over.
        inputs: Vec<Var>,
        /// The predicate with the elements.
        lambda: Lambda,
    },
    /// Arrays of different sizes one after the other: for each result the lambda returns where the cells of this one begin, and the cells. Together they fill
    /// the result, and no two overlap.
    Rows {
        /// The number of cells of the inputs.
        width: Size,
        /// The arrays that are mapped over.
        inputs: Vec<Var>,
        /// For each result where a row begins, and the row.
        lambda: Lambda,
    },
    /// The lambda returns an index and new cells for each array; where the index is out of bounds nothing is written. Later cells win.
    Scatter {
        /// The number of writes.
        width: Size,
        /// The arrays that are mapped over.
        inputs: Vec<Var>,
        /// Index and cells.
        lambda: Lambda,
        /// The arrays as they are before.
        dests: Vec<Var>,
    },
    /// The lambda returns an index and values; each is combined with what stands at the index, in order. Indices out of bounds are
    /// ignored.
    Hist {
        /// The number of values.
        width: Size,
        /// The arrays that are mapped over.
        inputs: Vec<Var>,
        /// Index and values.
        lambda: Lambda,
        /// The arrays as they are before, all of the same outermost size.
        dests: Vec<Var>,
        /// How values are combined.
        operator: Operator,
    },
    /// Runs one of the bodies.
    If {
        /// The condition.
        cond: Operand,
        /// Where it holds.
        then: Body,
        /// Where it does not.
        els: Body,
    },
    /// The body returns the next values of the parameters; the loop returns the last ones.
    Loop {
        /// The parameters with their first values; their types may mention each other.
        params: Vec<(Var, Operand)>,
        /// How often.
        form: LoopForm,
        /// One iteration.
        body: Body,
    },
    /// Calls a function.
    Call(FunId, Vec<Operand>),
}

impl Program {
    /// The type of a variable.
    pub fn ty(&self, var: Var) -> &Type {
        &self.vars[var].ty
    }
    /// The type of an operand.
    pub fn operand_ty(&self, operand: Operand) -> Type {
        match operand {
            Operand::Const(scalar) => Type::scalar(scalar.prim()),
            Operand::Var(var) => self.ty(var).clone(),
        }
    }
    /// A new variable.
    pub fn fresh(&mut self, name: Symbol, ty: Type) -> Var {
        self.vars.alloc(VarInfo { name, ty })
    }
    /// Whether a statement at this place is to have no parallel loops in it.
    pub fn is_sequential(&self, span: Span) -> bool {
        self.sequential.iter().any(|(region, depth)| match (depth, self.place_in(*region, span)) {
            (_, None) | (Depth::Outer, _) => false,
            (Depth::All, Some(_)) => true,
            (Depth::Inner, Some(place)) => place != *region,
        })
    }
    /// Whether the operator at just this place is to be run in order, though not what is inside of it.
    pub fn is_outer_sequential(&self, span: Span) -> bool {
        self.sequential.iter().any(|(region, depth)| *depth == Depth::Outer && self.place_in(*region, span) == Some(*region))
    }
    /// Whether the conditional at just this place is its second branch but on processors.
    pub fn is_on_processors(&self, span: Span) -> bool {
        self.on_processors.iter().any(|region| self.place_in(*region, span) == Some(*region))
    }
    /// How many nested loops the loop at just this place is to be in reverse mode.
    pub fn strip_mining(&self, span: Span) -> Option<u32> {
        self.stripmined.iter().find(|(region, _)| *region == span.bare()).map(|(_, depth)| *depth)
    }
    /// How often the loop with a condition at just this place runs at most.
    pub fn bound_of(&self, span: Span) -> Option<i64> {
        self.bounded.iter().find(|(region, _)| *region == span.bare()).map(|(_, most)| *most)
    }
    /// The place inside of a region where a statement is, or from where it was called.
    fn place_in(&self, region: Span, span: Span) -> Option<Span> {
        std::iter::once(span).chain(self.chains.calls(span)).find(|place| region.contains(*place)).map(Span::bare)
    }
    /// The numbers of all functions, in order.
    pub fn fun_ids(&self) -> impl Iterator<Item = FunId> + use<> {
        (0..self.funs.len()).map(FunId::new)
    }
    /// Changes the bodies of all functions, in order; a function has an empty body while its own is changed.
    pub fn each_body(&mut self, mut change: impl FnMut(&mut Self, &mut Body)) {
        for id in self.fun_ids() {
            let mut body = std::mem::take(&mut self.funs[id].body);
            change(self, &mut body);
            self.funs[id].body = body;
        }
    }
    /// The entry point with a name.
    pub fn entry(&self, name: Symbol) -> Option<&Fun> {
        self.funs.iter().map(|(_, fun)| fun).find(|fun| fun.entry && fun.name == name)
    }
}
