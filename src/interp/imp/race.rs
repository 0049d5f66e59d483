//! Which accesses may happen at the same time.
//!
//! Every iteration of a loop whose iterations are not ordered is a *context* with a number; numbers grow as the run goes on. A cell
//! remembers the context of its last write and that of a read since then. Contexts of other iterations of a loop that is still running
//! are those with numbers from the first one of the loop on, up to that of the iteration that is running now: whatever was made inside of
//! the running iteration has a larger number, what was made before the loop a smaller one.

/// The loops that are running.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    /// For each of them its first context and that of its running iteration.
    loops: Vec<(u32, u32)>,
    last: u32,
}

impl Contexts {
    /// A loop begins.
    pub fn enter(&mut self) {
        self.loops.push((self.last + 1, self.last + 1));
    }
    /// Its next iteration begins.
    pub fn next(&mut self) {
        self.last += 1;
        if let Some(top) = self.loops.last_mut() {
            top.1 = self.last;
        }
    }
    /// The loop ends.
    pub fn leave(&mut self) {
        self.loops.pop();
    }
    /// The context that is running.
    pub fn now(&self) -> u32 {
        self.loops.last().map_or(0, |(_, current)| *current)
    }
    /// Whether what happened in another context may happen at the same time as what happens now.
    pub fn concurrent(&self, other: u32) -> bool {
        self.loops.iter().any(|(first, current)| (*first..*current).contains(&other))
    }
}

#[cfg(test)]
mod tests {
    use super::Contexts;

    #[test]
    fn iterations_of_running_loops_are_concurrent() {
        let mut all = Contexts::default();
        all.enter();
        all.next();
        let first = all.now();
        all.enter();
        all.next();
        let inner = all.now();
        assert!(!all.concurrent(first) && !all.concurrent(inner));
        all.next();
        assert!(all.concurrent(inner) && !all.concurrent(first));
        all.leave();
        assert!(!all.concurrent(inner));
        all.next();
        assert!(all.concurrent(inner) && all.concurrent(first));
        all.leave();
        assert!(!all.concurrent(inner) && !all.concurrent(first));
    }
}
