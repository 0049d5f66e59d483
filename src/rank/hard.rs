//! Why a system is given up.

use super::ilp::LARGEST_CAP;
use std::fmt;

/// Why there is no answer: limits, and solvers that are wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooHard {
    /// Numbers of the system, or in what presolving makes of it.
    LargeNumbers,
    /// Presolving was all that was asked for, and leaves sites undecided.
    OnlyPresolved,
    /// The search reached its limit.
    Branching,
    /// The integer program solver is switched off.
    SolverOff,
    /// The integer program solver's library cannot be loaded, in the words of the loader.
    NoSolver(String),
    /// A system that seems to have no solution is too large for the proof.
    Refutation,
    /// Of a solution the smallest types were not found.
    TypeRanks,
    /// A solution is none, in exact arithmetic.
    Unverified,
    /// The integer program solver misses a solution that there is.
    Missed,
    /// The integer program solver answers the same question in different ways.
    Contradiction,
    /// Numbers that the integer program solver cannot be trusted with.
    SolverNumbers,
    /// Ranks that the integer program solver cannot be trusted with.
    SolverRanks,
    /// The limit on the size of integer programs, and on the steps for all of them.
    SolverLimit,
    /// The integer program solver reached its limit on steps, in its own words.
    SolverSteps(String),
    /// The integer program solver stopped for another reason.
    SolverStopped,
    /// The integer program solver gave this for an integer.
    NotInteger(String),
    /// The integer program solver's values are no solution.
    WrongValues,
}

impl fmt::Display for TooHard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TooHard::LargeNumbers => f.write_str("the numbers of the rank system are too large"),
            TooHard::OnlyPresolved => f.write_str("presolve leaves sites undecided"),
            TooHard::Branching => f.write_str("branching ran out of its budget"),
            TooHard::SolverOff => f.write_str("the integer program solver is switched off"),
            TooHard::NoSolver(error) => write!(f, "the integer program solver CBC cannot be loaded: {error}"),
            TooHard::Refutation => f.write_str("the system is too large to be refuted exactly"),
            TooHard::TypeRanks => f.write_str("type ranks could not be minimised"),
            TooHard::Unverified => f.write_str("a solution did not pass the exact check"),
            TooHard::Missed => f.write_str("the integer program solver missed a solution"),
            TooHard::Contradiction => f.write_str("the integer program solver contradicts itself"),
            TooHard::SolverNumbers => write!(f, "there are numbers beyond {LARGEST_CAP}"),
            TooHard::SolverRanks => write!(f, "ranks grow beyond {LARGEST_CAP}"),
            TooHard::SolverLimit => {
                f.write_str("the system is too large for the integer program solver, within the limit on its size and its steps")
            }
            TooHard::SolverSteps(error) => write!(f, "the integer program solver did not finish within its limit on steps: {error}"),
            TooHard::SolverStopped => f.write_str("the integer program solver stopped early"),
            TooHard::NotInteger(value) => write!(f, "the integer program solver returned {value} for an integer"),
            TooHard::WrongValues => f.write_str("the integer program solver's values violate the system"),
        }
    }
}
