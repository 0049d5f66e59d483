//! The front end: reading, names, types, what programs leave out.

mod apl;
mod automap;
mod format;
mod library;
mod remc;
mod resolve;
mod syntax;
