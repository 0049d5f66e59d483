//! First-order programs to kernels: nests of soacs become operators over flat thread spaces.
//!
//! **Incremental flattening** (Henriksen, Thorøe, Elsman, Oancea, "Incremental Flattening for Nested Data Parallelism", PPoPP 2019). A map
//! whose body has parallelism of its own can be run in two ways: a thread for each of its cells, with the inner soacs as loops, or
//! **distributed**: the statements of the body are maps of their own, and inner soacs become segmented operators over the whole space.
//! The first reads and writes less, the second has more threads. Which is better depends on sizes that are known at run time only: both
//! are made, and a comparison of the number of threads with [`Knob::Threads`](crate::ir::tuning::Knob::Threads) chooses. Where every inner soac goes over rows that no other thread
//! reads, memory is what counts, and there is nothing to choose: segmented operators read rows once, with neighbours in neighbouring threads.
//!
//! * Maps in maps with nothing between them are one space; there is nothing to choose.
//! * Rows that a map returns, or puts together, are written by a thread for each cell.
//! * A loop in a map whose count is the same for all cells changes places with it (map-loop interchange).
//! * An operator on arrays that is a map of an operator on their elements is a reduction of each element (interchange of reduce and map);
//!   other operators on arrays are combined one after the other on the host, each by kernels.
//! * Where the size of an inner soac differs from cell to cell, the statement stays a loop in one thread.
//!
//! Law: the program computes the same values; checks fail where they failed before, if no other check fails too.

mod cells;
mod coalesce;
mod context;
mod distribute;
mod nest;
mod rows;
mod sink;
#[cfg(test)]
mod tests;

use crate::base::Span;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Program, Soac, Stm, Type, Var, VarInfo, single_exp};
pub use coalesce::coalesce;
use context::Context;
use rustc_hash::{FxHashMap, FxHashSet};
pub use sink::sink;

/// Inner soacs of up to this many cells are loops.
const FEW: i64 = 32;

/// Flattens a program without calls.
pub fn flatten(program: Program) -> Program {
    let mut reps = FxHashMap::default();
    copies(&program.consts, &mut reps);
    program.funs.iter().for_each(|(_, fun)| copies(&fun.body.stms, &mut reps));
    let given = program.given_sizes();
    let mut flatten = Flatten { program, given, reps };
    let consts = std::mem::take(&mut flatten.program.consts);
    flatten.program.consts = flatten.host(consts);
    for id in flatten.program.fun_ids() {
        let body = std::mem::take(&mut flatten.program.funs[id].body);
        flatten.program.funs[id].body = flatten.host_body(body);
    }
    flatten.program
}

/// Arrays that consist of copies.
fn copies(stms: &[Stm], reps: &mut FxHashMap<Var, Operand>) {
    for stm in stms {
        if let (Exp::Rep(a), [var]) = (&stm.exp, stm.pat.as_slice()) {
            reps.insert(*var, *a);
        }
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                copies(&body.stms, reps);
            }
        });
    }
}

struct Flatten {
    program: Program,
    /// Sizes that are at least 0.
    given: FxHashSet<Var>,
    /// What arrays are copies of.
    reps: FxHashMap<Var, Operand>,
}

impl Flatten {
    fn host_body(&mut self, body: Body) -> Body {
        Body { stms: self.host(body.stms), result: body.result }
    }
    /// Statements that the host runs.
    fn host(&mut self, stms: Vec<Stm>) -> Vec<Stm> {
        let mut out = Vec::with_capacity(stms.len());
        for stm in stms {
            match stm.exp {
                Exp::Soac(soac) => self.on_host(soac, stm.pat, stm.span, &mut out),
                Exp::If { cond, then, els } => {
                    let exp = Exp::If { cond, then: self.host_body(then), els: self.host_body(els) };
                    out.push(Stm { exp, ..stm });
                }
                Exp::Loop { params, form, body } => {
                    let form = match form {
                        LoopForm::While(cond) => LoopForm::While(self.host_body(cond)),
                        other => other,
                    };
                    let exp = Exp::Loop { params, form, body: self.host_body(body) };
                    out.push(Stm { exp, ..stm });
                }
                single_exp!()
                | Exp::Check(_)
                | Exp::Seg(_)
                | Exp::Filter { .. }
                | Exp::Rows { .. }
                | Exp::Scatter { .. }
                | Exp::Hist { .. }
                | Exp::Call(..) => out.push(stm),
            }
        }
        out
    }
    /// A soac that the host runs: a nest, or one cell after the other where it is none.
    fn on_host(&mut self, soac: Soac, pat: Vec<Var>, span: Span, out: &mut Vec<Stm>) {
        let mut nested = Vec::new();
        if self.nest(&Context::default(), &soac, &pat, span, &mut nested) {
            out.extend(nested);
        } else {
            self.one_by_one(soac, pat, span, out);
        }
    }

    /// A variable like another, of another type.
    fn like(&mut self, var: Var, ty: Type) -> Var {
        let name = self.program.vars[var].name;
        self.program.vars.alloc(VarInfo { name, ty })
    }
    fn ty(&self, var: Var) -> &Type {
        self.program.ty(var)
    }
}
