//! Rank systems as text: what `solver-fixtures/` holds and what dumps show.
//!
//! ```text
//! # i64.sum (length xss)
//! type a
//! site length M1 R1 frame 0
//! site sum    M2 R2 frame 0
//! eq M1 + 1 + a = R1 + 2
//! eq M2 + 1 = R2 + M1
//! expect ambiguous cost 1
//! optimum M1=1
//! optimum R2=1 a=1
//! ```
//!
//! One statement per line, `#` starts a comment. Variables are declared before use: `type a b`, `map M`, `rep R`, or by the
//! `site LABEL M R frame SUM` that first names them (`frame 0` may be left out). Sums are written `2*x + y - 3`.
//! Expectations: `expect unique cost N`, `expect ambiguous cost N`, `expect many cost N` (more optima than are listed),
//! `expect infeasible`; `presolve` (nothing is left undecided); `components N` (independent ambiguities); `optimum x=1 ..`
//! (all optima of the whole system, the canonical one first, variables that are not mentioned are zero);
//! `conflict eq 1 2 site LABEL` (equations counted from 1).

mod print;
mod read;
mod report;

pub use print::print;
pub use read::{parse, parse_bytes};
pub use report::{ErrorKind, TextError, Wanted};

use super::{System, Var};

/// A rank system with what is expected of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixture {
    /// The system. The tag of an equation is its number, counted from 1.
    pub system: System,
    /// A label per site.
    pub labels: Vec<String>,
    /// The expected answer.
    pub expect: Option<Expect>,
    /// Whether presolve is expected to leave nothing undecided.
    pub presolve: bool,
    /// The expected number of components with several optima.
    pub components: Option<usize>,
    /// The expected optima: the variables that are not zero.
    pub optima: Vec<Vec<(Var, u32)>>,
    /// The expected conflict: indices of equations and sites, counted from 0.
    pub conflict: Option<(Vec<usize>, Vec<usize>)>,
}

/// The expected answer of a fixture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// One optimum of this cost.
    Unique(u64),
    /// Several optima of this cost.
    Ambiguous(u64),
    /// More optima of this cost than are listed.
    Many(u64),
    /// No solution.
    Infeasible,
}
