//! Values at run time and the formats they are stored in.

pub mod block;
pub mod buffer;
pub mod builder;
pub mod data;
pub mod dims;
pub mod value;

pub use buffer::{Buffer, Element};
pub use builder::Builder;
pub use dims::Dims;
pub use value::{Array, Boxed, Cells, Shortage, Sum, Tuple, Value};
