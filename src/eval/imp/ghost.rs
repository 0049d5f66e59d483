//! What ghosts say.

/// What ghosts say about arrays.
#[derive(Debug, Default)]
pub(super) struct Ghosts;
