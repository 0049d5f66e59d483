//! Functions that call themselves become loops, where one call follows the other.
//!
//! Law: the loop returns what the function returns. It applies where each way through the body calls the function at most once, and what is done
//! with the result of that call is one of these:
//!
//! * nothing (a **tail call**): the parameters are the variables of a loop, which ends where the function returns without a call;
//! * `a + r` or `a * r` on integers, the same in all branches: since these are associative and commutative, also where they overflow, the loop
//!   **accumulates** the `a`;
//! * parts are put before and behind it (a **join**): then the size of the whole is known from the type, and the parts are written to their places
//!   in one array on the way down. No intermediate array is made. What the next call returns has no negative size, or the program fails. Of several places where the program fails it may be another one that is
//!   reported.
//!
//! A parameter that is passed on is the same in all iterations, and one that is always a slice of itself (a **window**) becomes an offset: its
//! elements stay where they are.

mod analysis;
mod rewrite;

use crate::ir::soac::{FunId, Program};

/// Makes loops of functions that call themselves, where that is possible.
pub fn recursion_to_loops(mut program: Program) -> Program {
    for id in program.fun_ids() {
        if let Some(plan) = analysis::plan(&program, id) {
            let body = rewrite::looped(&mut program, id, &plan);
            program.funs[id].body = body;
            program.funs[id].recursive = false;
        }
    }
    program
}

/// Whether there are functions that call themselves.
pub fn applies(program: &Program) -> bool {
    program.fun_ids().any(|id: FunId| program.funs[id].recursive)
}

#[cfg(test)]
mod tests;
