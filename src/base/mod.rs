//! What every other module stands on: typed ids and arenas, interned symbols, source positions, scalar types.

pub mod arena;
pub mod code;
pub mod ice;
pub mod mutation;
pub mod poly;
pub mod prim;
pub mod scalar;
pub mod span;
pub mod symbol;

pub use arena::{Arena, Idx, IdxMap};
pub use code::Code;
pub use prim::{Complex, PrimType, Scalar};
pub use span::{Chain, Chains, FileId, SourceFile, SourceMap, Span};
pub use symbol::Symbol;

/// The largest size that an array can have. It is more than there is memory for, and so far below 2^63 that sums of sizes do not overflow.
pub const MAX_SIZE: i64 = 1 << 48;
/// The most dimensions that an array can have.
pub const MAX_RANK: usize = 255;

/// Bytes of stack that the compiler's worker thread asks for. Passes recurse over source trees whose depth the user
/// chooses (hundreds of thousands of nested operators); the memory is only reserved, and touched as the depth grows.
const STACK_BYTES: usize = 8 << 30;

/// Runs `work` on a thread whose stack is large enough for any source tree that fits in memory.
///
/// Falls back to smaller stacks where the system refuses the reservation. Panics of `work` are passed on.
pub fn with_big_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let work = std::sync::Mutex::new(Some(work));
    let run = || (work.lock().expect("not poisoned: locked once").take().expect("run once"))();
    std::thread::scope(|scope| {
        let mut size = STACK_BYTES;
        loop {
            let spawned = std::thread::Builder::new().name("remora".into()).stack_size(size).spawn_scoped(scope, run);
            match spawned {
                Ok(handle) => return handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(_) if size > 16 << 20 => size /= 2,
                Err(_) => return run(),
            }
        }
    })
}
