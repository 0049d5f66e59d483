//! What the theorems about core are stated and tested with (`docs/theory.md`): core without types, reduction in small steps. No command
//! uses it.

pub mod erase;
pub mod erased;
pub mod eval;
pub mod step;
