//! Text for other compilers.

pub mod c;
