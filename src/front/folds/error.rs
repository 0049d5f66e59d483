//! What a fold takes for granted and does not hold, as data; [`report`](super::report) has the words.

use crate::base::{Span, Symbol};

/// Something that a fold takes for granted.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// The operator, or what the fold starts from.
    pub at: Span,
    /// The primitive that folds.
    pub fold: Symbol,
    /// What does not hold.
    pub assumption: Assumption,
    /// Values for which it does not hold, as they are written.
    pub of: Vec<String>,
    /// What comes out, in one way and in the other.
    pub results: [String; 2],
    /// Variables of the surroundings, and the values for which this holds.
    pub given: Vec<(Symbol, String)>,
}

/// What is taken for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Assumption {
    /// Elements may be grouped in any way.
    Associative,
    /// Elements may change places.
    Commutative,
    /// What groups start from does not change them.
    Neutral,
    /// What is combined with the start makes a difference.
    Leaves,
}
