//! Back ends against each other, and how programs fail.

mod again;
mod differential;
mod extremes;
mod failures;
#[cfg(feature = "mutations")]
mod faults;
