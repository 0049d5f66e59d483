//! Programs with memory and order: scalars in variables, arrays in buffers that are pointed at, loops, parallel loops.
//!
//! # Meaning
//!
//! * A **local** is a scalar variable, set once or several times. A **pointer** points at elements of one type; a **handle** owns a buffer
//!   and counts who else does. All belong to one function; a [`Stmt::Parallel`] sees those of its function, and may set only those that
//!   are first set inside of it.
//! * Index arithmetic ([`Int`]) is that of `i64` modulo 2^64, and exact for arrays that exist; scalar operations are those of
//!   [`ScalarOp`] and do not fail: what may fail is checked before.
//! * A failing [`Stmt::Check`] ends the function, its callers and the program with a message. Handles that are set are released on the
//!   way out, so nothing leaks.
//! * [`Stmt::Parallel`] divides `0..width` into chunks and runs its body once for each, with the bounds and the number of the chunk;
//!   the order is not fixed and chunks may run at the same time. Of several failures that of the lowest chunk counts.
//!
//! Inside of a parallel body buffers of the surroundings have no handles: they outlive it.
//!
//! # Programs for devices
//!
//! Statements are run by the host, arrays are in the memory of the device. [`Stmt::Launch`] runs a kernel. Its code may read what the host
//! has set before; it sets only what is its own, and makes no buffers unless its launch says so. [`Expr::Load`] and [`Stmt::Store`] of the host move one element
//! between host and device, [`Stmt::Copy`] moves elements on the device. There is no [`Stmt::Parallel`]. A failing check in a kernel ends
//! the thread; the host ends the program when it finds out. A launch may have faster [`variants`] of its code, which mean the same.

pub mod check;
pub mod ghost;
mod kernel;
pub mod print;
#[cfg(test)]
mod tests;
pub mod variants;
pub mod visit;
pub mod weight;

use super::profile::{Profile, SiteId};
use super::tuning::Tuning;
use crate::base::scalar::ScalarOp;
use crate::base::{Arena, Code, Idx, MAX_SIZE, PrimType, Scalar, Span, Symbol};

pub use kernel::{Atomic, Combine, Hist, Launch, Segments, Transpose, Work};

/// A scalar variable.
pub type Local = Idx<LocalInfo>;
/// A pointer to elements.
pub type Ptr = Idx<PtrInfo>;
/// The owner of a buffer, or nothing.
pub type Handle = Idx<HandleInfo>;
/// A function.
pub type FunId = Idx<Fun>;

/// What is known of a local.
#[derive(Debug, Clone)]
pub struct LocalInfo {
    /// A name that the program has for it.
    pub name: Symbol,
    /// Its type.
    pub prim: PrimType,
}

/// What is known of a pointer.
#[derive(Debug, Clone)]
pub struct PtrInfo {
    /// A name that the program has for it.
    pub name: Symbol,
    /// Type of the elements.
    pub elem: PrimType,
    /// The number of elements, if they are part of the function's frame.
    pub stack: Option<u64>,
}

/// What is known of a handle.
#[derive(Debug, Clone)]
pub struct HandleInfo {
    /// A name that the program has for it.
    pub name: Symbol,
}

/// A program.
#[derive(Debug, Clone, Default)]
pub struct Program {
    /// The functions, called ones first; one may call itself.
    pub funs: Arena<Fun>,
    /// Constant arrays.
    pub tables: Vec<Table>,
    /// If it is profiled: what its [probes](Stmt::Probe) are about.
    pub profile: Option<Profile>,
    /// The numbers that the run-time system goes by; no part of the text of programs.
    pub tuning: Tuning,
}

/// A constant array.
#[derive(Debug, Clone)]
pub struct Table {
    /// Type of the elements.
    pub elem: PrimType,
    /// The elements.
    pub items: Vec<Scalar>,
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub enum Param {
    /// A scalar.
    Local(Local),
    /// An array in row-major order, lent by the caller.
    Ptr(Ptr),
}

/// A result of a function.
#[derive(Debug, Clone)]
pub enum Result {
    /// A scalar.
    Scalar(PrimType, Expr),
    /// An array in row-major order, transferred to the caller with its handle.
    Array(Ptr, Handle),
}

/// A function.
#[derive(Debug, Clone)]
pub struct Fun {
    /// The name of the definition.
    pub name: Symbol,
    /// Its parameters.
    pub params: Vec<Param>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// What it returns.
    pub results: Vec<Result>,
    /// Whether it can be called from outside.
    pub entry: bool,
    /// Whether it calls itself: then it begins with a test whether there is stack left, and fails with E0509 if not.
    pub recursive: bool,
    /// Its variables.
    pub locals: Arena<LocalInfo>,
    /// Its pointers.
    pub ptrs: Arena<PtrInfo>,
    /// Its handles.
    pub handles: Arena<HandleInfo>,
    /// The number of elements of each parameter.
    pub counts: Vec<Expr>,
    /// Where the definition is.
    pub span: Span,
}

/// The number of elements of more memory than there can be ([`count`]). It is no size that anybody writes.
pub const TOO_MANY: i64 = 6_148_914_691_236_517_204;

/// The product of sizes. It is -1 where there are elements of a size that no array has (negative, or above [`MAX_SIZE`]): whoever would make
/// them fails by the check of that size, so the memory for them, which is asked for before, is empty. Where the sizes are possible, but not
/// all of them together, it is [`TOO_MANY`].
pub fn count(a: i64, b: i64) -> i64 {
    let possible = |n: i64| (0..=MAX_SIZE).contains(&n) || n == TOO_MANY;
    match (a, b) {
        (0, _) | (_, 0) => 0,
        _ if !possible(a) || !possible(b) => -1,
        _ => a.checked_mul(b).filter(|product| *product <= MAX_SIZE).unwrap_or(TOO_MANY),
    }
}

/// Arithmetic of indices and conditions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Int {
    Add,
    Sub,
    Mul,
    /// The product of sizes ([`count`]).
    Count,
    /// Rounded towards 0; operands are not negative.
    Div,
    /// Operands are not negative.
    Rem,
    Min,
    /// Results of comparisons are truth values.
    Lt,
    Le,
    Eq,
    Ne,
    And,
    Or,
}

/// An expression: no effects, no failure.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A scalar.
    Const(Scalar),
    /// The value of a local.
    Local(Local),
    /// An element.
    Load(Ptr, Box<Expr>),
    /// A scalar operation.
    Op(ScalarOp, Vec<Expr>),
    /// Index arithmetic.
    Int(Int, Box<Expr>, Box<Expr>),
    /// The second where the first holds, else the third; both are evaluated.
    Select(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Values of this type: the second where all bits of the first, an integer, are set, the third where none is. Unlike a choice it is
    /// never made by a jump.
    Blend(PrimType, Box<Expr>, Box<Expr>, Box<Expr>),
    /// The first float divided by the second, of which the third is the reciprocal; both are normal numbers far from the ends of the range.
    Quotient(PrimType, Box<Expr>, Box<Expr>, Box<Expr>),
    /// Into how many chunks a loop is divided; at least 1.
    Chunks {
        /// The number of iterations.
        width: Box<Expr>,
        /// The number of operations of an iteration, about.
        cost: u64,
        /// Whether there are no more chunks than threads.
        at_most_threads: bool,
    },
    /// The number of threads; on a device that of threads that can run at a time.
    Threads,
    /// How many bytes the widest vector registers of the processor have.
    Registers,
    /// In a kernel: the number of the thread that runs this.
    Thread,
}

/// What a pointer points at.
#[derive(Debug, Clone)]
pub enum Place {
    /// Element number `1` of another pointer's.
    Ptr(Ptr, Expr),
    /// A constant array of the program.
    Table(usize),
}

/// How the iterations of a loop depend on each other: whether they can be vectorised.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// One after the other.
    Sequential,
    /// In any order.
    Any,
    /// In any order; these locals collect values with these associative and commutative operations.
    Reduce(Vec<(Local, ScalarOp)>),
}

/// Why a program fails.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The code of the error.
    pub code: Code,
    /// The message; `{}` stands for an argument.
    pub message: String,
    /// Arguments of the message.
    pub args: Vec<(PrimType, Expr)>,
    /// Where in the source.
    pub span: Span,
}

/// A part of the message of a failure.
pub enum Piece<'f> {
    /// A character of the text.
    Char(char),
    /// An argument of this type, and whether the message names the type.
    Argument(PrimType, &'f Expr, bool),
}

impl Failure {
    /// The message in parts: `{}` stands for the next argument, `{{` and `}}` for brackets.
    pub fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::with_capacity(self.message.len());
        let mut args = self.args.iter();
        let mut rest = self.message.chars().peekable();
        while let Some(c) = rest.next() {
            pieces.push(match c {
                '{' | '}' if rest.next_if_eq(&c).is_some() => Piece::Char(c),
                '{' => match (rest.next(), args.next()) {
                    (Some('}'), Some((prim, arg))) => {
                        Piece::Argument(*prim, arg, *prim != PrimType::I64 || self.code == Code::UndefinedOperation)
                    }
                    _ => crate::ice!(self.span, "a message and its arguments do not fit: `{}`", self.message),
                },
                c => Piece::Char(c),
            });
        }
        if args.next().is_some() {
            crate::ice!(self.span, "a message has more arguments than places for them: `{}`", self.message);
        }
        pieces
    }
}

/// A pattern: the statements without others inside, but for [`Stmt::Set`] and [`Stmt::Store`], which most matches look at. A match that
/// treats statements alike names this group and the others one by one, so that it stays exhaustive: a new statement without others inside is
/// added here after a look at the matches that name the group.
macro_rules! leaf_stmt {
    () => {
        $crate::ir::imp::Stmt::Comment(_)
            | $crate::ir::imp::Stmt::Point(..)
            | $crate::ir::imp::Stmt::Alloc { .. }
            | $crate::ir::imp::Stmt::Stack(_)
            | $crate::ir::imp::Stmt::Move { .. }
            | $crate::ir::imp::Stmt::Transfer { .. }
            | $crate::ir::imp::Stmt::Release(_)
            | $crate::ir::imp::Stmt::Prefetch(..)
            | $crate::ir::imp::Stmt::Copy { .. }
            | $crate::ir::imp::Stmt::Check(..)
            | $crate::ir::imp::Stmt::Call { .. }
            | $crate::ir::imp::Stmt::Ghost(_)
            | $crate::ir::imp::Stmt::Probe(_)
    };
}
pub(crate) use leaf_stmt;

/// A statement.
#[derive(Debug, Clone)]
pub enum Stmt {
    /// A comment in the emitted text.
    Comment(String),
    /// Sets a local.
    Set(Local, Expr),
    /// Sets a pointer.
    Point(Ptr, Place),
    /// Makes a buffer of so many elements. Fails when there is no memory.
    Alloc {
        /// Its owner, which has nothing before.
        handle: Handle,
        /// Points at its first element.
        ptr: Ptr,
        /// The number of elements.
        count: Expr,
        /// Where in the source.
        span: Span,
    },
    /// The pointer, which has a number of elements, points at them from here on.
    Stack(Ptr),
    /// `to` owns what `from` owned, which owns nothing any more. What `to` owned is released.
    Move {
        /// The new owner.
        to: Handle,
        /// The owner before.
        from: Handle,
    },
    /// Makes a handle the owner of the elements that a pointer points at: the buffer of that of the other handles to whose first element it
    /// points changes its owner; if none has it, the elements are copied and the pointer points at the copy.
    Transfer {
        /// The new owner, which has nothing before.
        to: Handle,
        /// Points at the elements.
        ptr: Ptr,
        /// Who may own them.
        from: Vec<Handle>,
        /// How many elements there are.
        count: Expr,
        /// Where in the source.
        span: Span,
    },
    /// The handle owns nothing any more.
    Release(Handle),
    /// Writes an element.
    Store(Ptr, Expr, Expr),
    /// Prefetches an element that will be read soon, if it exists.
    Prefetch(Ptr, Expr),
    /// Copies elements that lie in a row.
    Copy {
        /// Where they go.
        to: (Ptr, Expr),
        /// Where they are.
        from: (Ptr, Expr),
        /// How many there are.
        count: Expr,
    },
    /// A loop over `from..to`.
    For {
        /// The counter.
        var: Local,
        /// The first value.
        from: Expr,
        /// The end, excluded.
        to: Expr,
        /// How iterations depend on each other.
        order: Order,
        /// One iteration.
        body: Vec<Stmt>,
    },
    /// Collects values and uses what has been collected so far.
    Scan(Box<Scan>),
    /// Runs the first part, then ends if the condition does not hold, then the second part, and so on.
    While(Vec<Stmt>, Expr, Vec<Stmt>),
    /// Runs one of the parts.
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// Fails unless the condition holds.
    Check(Expr, Box<Failure>),
    /// Calls a function.
    Call {
        /// The callee.
        fun: FunId,
        /// Scalars and arrays in row-major order.
        args: Vec<Arg>,
        /// Where the results go.
        results: Vec<Receiver>,
        /// Where it comes from; failures name it as a call that led there.
        span: Span,
    },
    /// A loop in chunks, see the [module](self).
    Parallel(Box<Parallel>),
    /// Runs a kernel on the device.
    Launch(Box<Launch>),
    /// In a kernel: combines elements with values so that nothing comes in between.
    Atomic(Box<Atomic>),
    /// Says which array is where, for the evaluator; does nothing.
    Ghost(Box<ghost::Ghost>),
    /// Measures something, in a program that is profiled; does nothing else.
    Probe(Box<Probe>),
}

/// What is measured at a point of a program.
#[derive(Debug, Clone)]
pub enum Probe {
    /// A site begins. It ends before it begins again. Whether nothing is timed in it: then it need not be timed each time.
    Begin(SiteId, bool),
    /// The site that began last ends. The same of it.
    End(SiteId, bool),
    /// The site is there once more, for so many elements of so many bytes.
    Count(SiteId, Expr, u64),
    /// The same if none of these handles has the buffer that the pointer points at the beginning of.
    CountUnless(SiteId, Expr, u64, Ptr, Vec<Handle>),
}

/// A loop in chunks.
#[derive(Debug, Clone)]
pub struct Parallel {
    /// The number of iterations.
    pub width: Expr,
    /// The number of chunks.
    pub chunks: Expr,
    /// The first iteration of a chunk.
    pub lo: Local,
    /// The end of the chunk, excluded.
    pub hi: Local,
    /// The number of the chunk.
    pub chunk: Local,
    /// What is done with a chunk.
    pub body: Vec<Stmt>,
}

/// A loop whose iterations can be vectorised, although each uses what those before it have collected.
#[derive(Debug, Clone)]
pub struct Scan {
    /// The counter.
    pub var: Local,
    /// The first value.
    pub from: Expr,
    /// The end, excluded.
    pub to: Expr,
    /// What collects, each by an associative and commutative operation.
    pub sums: Vec<(Local, ScalarOp)>,
    /// Collects what an iteration has. It may be run before `done` of earlier iterations.
    pub cell: Vec<Stmt>,
    /// Uses what has been collected up to and with this iteration; of what `cell` sets it may use nothing else.
    pub done: Vec<Stmt>,
}

/// An argument of a call.
#[derive(Debug, Clone)]
pub enum Arg {
    /// A scalar.
    Scalar(Expr),
    /// An array.
    Array(Ptr, Expr),
}

/// Where a result of a call goes.
#[derive(Debug, Clone, Copy)]
pub enum Receiver {
    /// A scalar.
    Local(Local),
    /// An array.
    Array(Ptr, Handle),
}

impl Expr {
    /// Calls `see` with the expressions that it consists of, in order.
    pub fn parts<'e>(&'e self, see: &mut dyn FnMut(&'e Expr)) {
        match self {
            Expr::Const(_) | Expr::Local(_) | Expr::Threads | Expr::Registers | Expr::Thread => {}
            Expr::Load(_, e) | Expr::Chunks { width: e, .. } => see(e),
            Expr::Op(_, args) => args.iter().for_each(see),
            Expr::Int(_, a, b) => [a, b].into_iter().for_each(|e| see(e)),
            Expr::Select(a, b, c) | Expr::Blend(_, a, b, c) | Expr::Quotient(_, a, b, c) => [a, b, c].into_iter().for_each(|e| see(e)),
        }
    }
    /// The same operation on other expressions.
    pub fn with_parts(&self, change: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        let mut boxed = |e: &Expr| Box::new(change(e));
        match self {
            Expr::Const(_) | Expr::Local(_) | Expr::Threads | Expr::Registers | Expr::Thread => self.clone(),
            Expr::Load(ptr, index) => Expr::Load(*ptr, boxed(index)),
            Expr::Op(op, args) => Expr::Op(*op, args.iter().map(change).collect()),
            Expr::Int(op, a, b) => Expr::Int(*op, boxed(a), boxed(b)),
            Expr::Select(a, b, c) => Expr::Select(boxed(a), boxed(b), boxed(c)),
            Expr::Blend(prim, a, b, c) => Expr::Blend(*prim, boxed(a), boxed(b), boxed(c)),
            Expr::Quotient(prim, a, b, c) => Expr::Quotient(*prim, boxed(a), boxed(b), boxed(c)),
            Expr::Chunks { width, cost, at_most_threads } => {
                Expr::Chunks { width: boxed(width), cost: *cost, at_most_threads: *at_most_threads }
            }
        }
    }
    /// Calls `see` with the elements that are read in it: pointers and indices.
    pub fn loads<'e>(&'e self, see: &mut dyn FnMut(Ptr, &'e Expr)) {
        if let Expr::Load(ptr, index) = self {
            see(*ptr, index);
        }
        self.parts(&mut |e| e.loads(see));
    }
    /// Whether elements are read in it.
    pub fn has_loads(&self) -> bool {
        let mut found = false;
        self.loads(&mut |_, _| found = true);
        found
    }
    /// An `i64`.
    pub fn int(value: i64) -> Expr {
        Expr::Const(Scalar::I64(value))
    }
    /// The number, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        if let Expr::Const(Scalar::I64(value)) = self { Some(*value) } else { None }
    }
    /// Index arithmetic, simplified where it is about constants.
    pub fn arith(op: Int, a: Expr, b: Expr) -> Expr {
        match (op, a.as_int(), b.as_int()) {
            (Int::Add, Some(0), _) => return b,
            (Int::Add | Int::Sub, _, Some(0)) => return a,
            // `count(1, n)` stays: it is not `n` where that is no size.
            (Int::Mul, Some(1), _) => return b,
            (Int::Mul | Int::Count, _, Some(1)) => return a,
            (Int::Mul | Int::Count, Some(0), _) | (Int::Mul | Int::Count, _, Some(0)) => return Expr::int(0),
            (Int::Add, Some(x), Some(y)) => return Expr::int(x.wrapping_add(y)),
            (Int::Sub, Some(x), Some(y)) => return Expr::int(x.wrapping_sub(y)),
            (Int::Mul, Some(x), Some(y)) => return Expr::int(x.wrapping_mul(y)),
            (Int::Count, Some(x), Some(y)) => return Expr::int(count(x, y)),
            _ => {}
        }
        Expr::Int(op, Box::new(a), Box::new(b))
    }
    /// The sum.
    pub fn plus(self, other: Expr) -> Expr {
        Expr::arith(Int::Add, self, other)
    }
    /// The difference.
    pub fn minus(self, other: Expr) -> Expr {
        Expr::arith(Int::Sub, self, other)
    }
    /// The product.
    pub fn times(self, other: Expr) -> Expr {
        Expr::arith(Int::Mul, self, other)
    }
    /// Whether the first is less.
    pub fn less(self, other: Expr) -> Expr {
        Expr::arith(Int::Lt, self, other)
    }
    /// Whether both hold.
    pub fn and(self, other: Expr) -> Expr {
        Expr::arith(Int::And, self, other)
    }
    /// Whether it is as cheap as a variable.
    pub fn is_atom(&self) -> bool {
        matches!(self, Expr::Const(_) | Expr::Local(_))
    }
}
