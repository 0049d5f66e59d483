//! The language server, spoken to as an editor does.

mod client;
mod features;
mod protocol;
