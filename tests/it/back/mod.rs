//! What is compiled: for processors, and for devices.

mod cuda;
mod native;
mod profile;
