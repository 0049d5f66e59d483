//! The semantics of core.

mod generated;
mod semantics;
