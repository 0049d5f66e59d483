//! The program `remora` on the command line.

mod commands;
mod expectations;
mod lsp;
