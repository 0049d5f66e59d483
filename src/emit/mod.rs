//! Text for other compilers.

pub mod c;
pub mod cuda;
