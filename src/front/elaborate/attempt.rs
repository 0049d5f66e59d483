//! Attempts at something of which only the elaboration itself shows whether it can be: what one left behind is undone if it is given up.

use super::{Elab, sizes};

/// How far everything was before an attempt.
pub(super) struct Attempt {
    sizes: sizes::Snapshot,
    unknowns: usize,
    frames: usize,
    defs: usize,
    needed: usize,
    naturals: usize,
    arguments: usize,
    replicated: usize,
}

impl Elab<'_> {
    pub(super) fn begin_attempt(&mut self) -> Attempt {
        Attempt {
            sizes: self.sizes.snapshot(),
            unknowns: self.sizes.count(),
            frames: self.frames.len(),
            defs: self.defs.len(),
            needed: self.claims.needed.len(),
            naturals: self.claims.naturals.len(),
            arguments: self.claims.arguments.len(),
            replicated: self.claims.replicated.len(),
        }
    }

    /// Undoes an attempt. Nothing has to determine the sizes that it did not know.
    pub(super) fn give_up(&mut self, attempt: Attempt) {
        self.frames.truncate(attempt.frames);
        self.defs.truncate(attempt.defs);
        self.claims.needed.truncate(attempt.needed);
        self.claims.naturals.truncate(attempt.naturals);
        self.claims.arguments.truncate(attempt.arguments);
        self.claims.replicated.truncate(attempt.replicated);
        self.sizes.rollback(attempt.sizes);
        self.sizes.give_up(attempt.unknowns);
    }
}
