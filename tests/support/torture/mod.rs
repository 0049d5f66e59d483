//! Programs with views, updates, loops that carry arrays, extreme numbers: made at random, run by everything that can run programs, compared,
//! made smaller where they differ.

pub mod compare;
pub mod data;
pub mod evaluate;
pub mod make;
pub mod run;
pub mod shrink;
pub mod tree;
pub mod types;
pub mod worker;
