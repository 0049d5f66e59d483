//! The words for what profiles say, and the short names that data has for it.

use super::At;
use crate::ir::profile::{Case, CopyReason, FusionKind, Nest, Role, SequentialReason, UntiledReason};

/// Of a loop that could be parallel.
pub(super) const TOO_LITTLE: &str = "one thread: at these sizes it has too little work to wake others (less than about 40,000 operations)";

/// Of a scan that threads share.
pub(super) const TWICE: &str = "a scan: where several threads run it, its elements are computed twice, first for the totals of its pieces";

pub(super) fn kind(nest: Nest) -> &'static str {
    match nest {
        Nest::Map => "map",
        Nest::Reduce => "reduce",
        Nest::Scan => "scan",
        Nest::Product => "product",
        Nest::Filter => "filter",
        Nest::Rows => "rows",
        Nest::Scatter => "scatter",
        Nest::Histogram => "histogram",
        Nest::Loop => "loop",
        Nest::Call(_) => "call",
        Nest::Move => "move",
    }
}

/// `called` is the function that is called.
pub(super) fn nest(nest: Nest, called: &str) -> String {
    match nest {
        Nest::Map => "map".into(),
        Nest::Reduce => "reduction".into(),
        Nest::Scan => "scan".into(),
        Nest::Product => "product".into(),
        Nest::Filter => "filter".into(),
        Nest::Rows => "rows of different lengths".into(),
        Nest::Scatter => "scatter".into(),
        Nest::Histogram => "histogram".into(),
        Nest::Loop => "loop".into(),
        Nest::Call(_) => format!("call of `{called}`"),
        Nest::Move => "elements moved".into(),
    }
}

pub(super) fn role_kind(role: Role) -> &'static str {
    match role {
        Role::Value => "value",
        Role::Copy => "copy",
        Role::Partial => "partial",
        Role::Packed => "packed",
        Role::Sums => "sums",
    }
}

pub(super) fn role(role: Role, name: Option<&str>, elem: &str) -> String {
    match role {
        Role::Value => name.map_or_else(|| format!("an array of {elem}"), |name| format!("`{name}`, of {elem}")),
        Role::Copy => format!("a copy of {elem}"),
        Role::Partial => format!("what the parts of a parallel loop found, of {elem}"),
        Role::Packed => format!("a factor of a product in the order of its tiles, of {elem}"),
        Role::Sums => format!("sums until something is computed from them, of {elem}"),
    }
}

pub(super) fn copied_kind(why: CopyReason) -> &'static str {
    match why {
        CopyReason::Argument => "argument",
        CopyReason::Constant => "constant",
        CopyReason::Shared => "shared",
        CopyReason::ReadLater => "read-later",
        CopyReason::ReadBeside => "read-beside",
        CopyReason::Iteration => "iteration",
        CopyReason::Replicated => "replicated",
        CopyReason::Asked => "asked",
        CopyReason::Returned => "returned",
        CopyReason::Lent => "lent",
        CopyReason::Reshaped => "reshaped",
        CopyReason::Passed => "passed",
        CopyReason::Branch => "branch",
        CopyReason::First => "first",
        CopyReason::Part => "part",
        CopyReason::Stacked => "stacked",
        CopyReason::Written => "written",
        CopyReason::Moved => "moved",
        CopyReason::Collected => "collected",
        CopyReason::Kept => "kept",
        CopyReason::Filled => "filled",
        CopyReason::Repeated => "repeated",
    }
}

/// Why an array was copied.
pub(super) fn copied(why: CopyReason, array: Option<&str>) -> String {
    let array = array.map_or_else(|| "an array".to_string(), |array| format!("`{array}`"));
    match why {
        CopyReason::Argument => format!("{array} is copied: it is updated, and is (in) an argument, which belongs to the caller"),
        CopyReason::Constant => format!("{array} is copied: it is updated, and is (in) a constant"),
        CopyReason::Shared => format!("{array} is copied: it is updated, and other arrays may lie in its memory"),
        CopyReason::ReadLater => format!("{array} is copied: it is updated, and its old elements are read later"),
        CopyReason::ReadBeside => format!("{array} is copied: it is updated by a statement that reads it as well"),
        CopyReason::Iteration => format!("{array} is copied: a loop goes on with it, and its memory is not the loop's own"),
        CopyReason::Replicated => format!("{array} is copied: it is updated, and its rows are one row in memory"),
        CopyReason::Asked => format!("{array} is copied: the program asks for memory of its own (`copy`)"),
        CopyReason::Returned => format!("{array} is copied: it is returned, and does not lie in row-major order"),
        CopyReason::Lent => format!("{array} is copied: it is returned, and its memory is an argument's, a constant's or another result's"),
        CopyReason::Reshaped => format!("{array} is copied: it gets another shape, and does not lie in row-major order"),
        CopyReason::Passed => format!("{array} is copied: a function takes it that is called, and it does not lie in row-major order"),
        CopyReason::Branch => format!("{array} is copied: it is the result of a branch, and lies elsewhere or not in row-major order"),
        CopyReason::First => format!("{array} is copied: a loop begins with it that writes to memory of its own"),
        CopyReason::Part => format!("{array} is copied: it is a part of a larger array, and was not made in its place there"),
        CopyReason::Stacked => format!("{array} is copied: it is a row of a new array, and was not made in its place there"),
        CopyReason::Written => format!("{array} is copied over a part of another array, in whose place it was not made"),
        CopyReason::Moved => format!("{array} is copied to where the result goes, in whose place it was not made"),
        CopyReason::Collected => format!("{array} is copied: a reduction of arrays begins with it, or keeps it for a thread"),
        CopyReason::Kept => format!("{array} is copied: what the threads kept is put together"),
        CopyReason::Filled => format!("{array} is filled: a value or a range gets memory"),
        CopyReason::Repeated => format!("{array} gets memory: a range is each row of an array"),
    }
}

pub(super) fn copied_inside(why: CopyReason, array: Option<&str>) -> String {
    format!("{}; each iteration of the loop around it does that", copied(why, array))
}

pub(super) fn in_frame(array: Option<&str>, bytes: u64) -> String {
    let array = array.map_or_else(|| "an array".to_string(), |array| format!("`{array}`"));
    format!("{array} of {bytes} bytes lies in the frame of a function: making it takes no time")
}

pub(super) fn in_place(array: Option<&str>) -> String {
    array.map_or_else(|| "an array is updated in place".to_string(), |array| format!("`{array}` is updated in place"))
}

pub(super) fn alone_kind(why: SequentialReason) -> &'static str {
    match why {
        SequentialReason::Few => "few",
        SequentialReason::Attribute => "attribute",
        SequentialReason::Strict => "strict",
        SequentialReason::ArraysScanned => "arrays-scanned",
        SequentialReason::LastWrite => "last-write",
        SequentialReason::RowsCombined => "rows-combined",
        SequentialReason::MayFail => "may-fail",
        SequentialReason::Called => "called",
        SequentialReason::Iterations => "iterations",
    }
}

pub(super) fn alone(why: SequentialReason) -> String {
    let why = match why {
        SequentialReason::Few => "it has fewer than 4096 operations",
        SequentialReason::Attribute => "an attribute (`#[sequential]`) says so",
        SequentialReason::Strict => "floats are combined in order, so that the result is the evaluator's to the last bit (`--strict-fp`)",
        SequentialReason::ArraysScanned => "the operator of the scan takes arrays; scans of numbers are divided",
        SequentialReason::LastWrite => "of several writes to the same place the last one counts",
        SequentialReason::RowsCombined => "the operator takes rows, and is not the same operation on each of their elements",
        SequentialReason::MayFail => "the operator may fail, and runs only for values that there are",
        SequentialReason::Called => {
            "it is in a function that is called and not inlined (it is long and called several times, recursive or `#[noinline]`)"
        }
        SequentialReason::Iterations => "each iteration needs what the one before made",
    };
    format!("one thread: {why}")
}

pub(super) fn no_tiles_kind(why: UntiledReason) -> &'static str {
    match why {
        UntiledReason::Collected => "collected",
        UntiledReason::NotAlone => "not-alone",
        UntiledReason::NotScalar => "not-scalar",
        UntiledReason::Differs => "differs",
        UntiledReason::AlongNone => "along-none",
        UntiledReason::OwnColumns => "own-columns",
    }
}

pub(super) fn no_tiles(why: UntiledReason) -> String {
    let why = match why {
        UntiledReason::Collected => "its results are reduced or scanned at once, so that there is no matrix of them",
        UntiledReason::NotAlone => "more than the product is computed for each row",
        UntiledReason::NotScalar => "what is summed up, or how, is more than operations on numbers that cannot fail",
        UntiledReason::Differs => "what is summed up is not the same function of a row and a column for all cells",
        UntiledReason::AlongNone => "of no factor is it known how it lies in memory",
        UntiledReason::OwnColumns => "each row has columns of its own",
    };
    format!("product without tiles: {why}")
}

pub(super) fn case(case: Case, times: i64) -> String {
    let parts = if times == 1 { "1 part".to_string() } else { format!("{times} parts") };
    match case {
        Case::Tiles => format!("product in tiles: {parts}"),
        Case::FewForTiles => format!("product without tiles: {parts} of it with fewer than 4 rows or 16 columns"),
    }
}

pub(super) fn way_kind(way: FusionKind) -> &'static str {
    match way {
        FusionKind::Cells => "cells",
        FusionKind::Together => "together",
        FusionKind::Again => "again",
    }
}

/// What became of what was at `from`.
pub(super) fn fused(way: FusionKind, from: &At, into: &At) -> String {
    let (from, file) = (&from.text, &into.file);
    let place = format!("{file}:{}:{}, `{}`", into.line, into.column, into.text);
    match way {
        FusionKind::Cells => format!("`{from}` is fused into {place}: its elements are computed where they are used"),
        FusionKind::Together => format!("`{from}` is fused with {place}: both run over the same arrays, in one loop"),
        FusionKind::Again => {
            format!("`{from}` is fused into {place}: its elements cost so little that they are computed where they are used")
        }
    }
}
