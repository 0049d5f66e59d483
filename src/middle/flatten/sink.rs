//! Elements that only kernels need are read by the kernels.
//!
//! The host waits for the device when it reads an element of an array: for all that was started before, and for the element. What is
//! invariant in a map stands in front of it, which is right for processors; here each thread reads it again, from the same place, which
//! costs next to nothing.
//!
//! ```text
//! (let (p f64) (index a k unchecked))  (let (q f64) (f64.* p 2f64))  (let (r ..) (seg ((i n)) .. q ..))
//!   =>
//! (let (r ..) (seg ((i n)) (let (p f64) (index a k unchecked)) (let (q f64) (f64.* p 2f64)) .. q ..))
//! ```
//!
//! That is done in loops of the host, where it is waited for again and again, and for maps without loops of their own: products are
//! recognised by what is around their loops. An array that is read later lives longer. So nothing moves past an update, a loop or a call,
//! which might otherwise have had the memory.
//!
//! Law: the values are the same, and nothing that moves can fail.

use crate::ir::soac::visit::{Part, mentioned};
use crate::ir::soac::visit_mut::{Subst, rebind_all};
use crate::ir::soac::{
    Body, Exp, LoopForm, Operand, Program, Seg, SegKind, Stm, Var, count_exp, made_exp, parallel_exp, single_exp, view_exp,
};
use rustc_hash::FxHashSet;

/// Moves reads of elements from the host into the kernels that need them.
pub fn sink(mut program: Program) -> Program {
    let sizes = program.vars.iter().flat_map(|(_, info)| &info.ty.shape).flat_map(|size| size.vars()).collect();
    for id in program.fun_ids() {
        let mut body = std::mem::take(&mut program.funs[id].body);
        Sink { program: &mut program, sizes: &sizes }.body(&mut body, false);
        program.funs[id].body = body;
    }
    program
}

struct Sink<'p> {
    program: &'p mut Program,
    /// Variables that types mention.
    sizes: &'p FxHashSet<Var>,
}

impl Sink<'_> {
    /// A body that the host runs, again and again if it is `repeated`.
    fn body(&mut self, body: &mut Body, repeated: bool) {
        let mut needed: FxHashSet<Var> = body.result.iter().filter_map(|a| a.var()).collect();
        let mut movable = FxHashSet::default();
        if repeated {
            self.needs(&body.stms, &mut needed, &mut movable);
        }
        let mut waiting: Vec<Stm> = Vec::new();
        for mut stm in std::mem::take(&mut body.stms) {
            let moves = stm.pat.first().is_some_and(|var| movable.contains(var));
            if moves && (matches!(stm.exp, Exp::Index { .. }) || uses_any(&stm, &waiting)) {
                waiting.push(stm);
                continue;
            }
            match &mut stm.exp {
                Exp::Seg(seg) if takes(seg) => self.insert(&waiting, &mut seg.body),
                Exp::If { then, els, .. } => {
                    for branch in [then, els] {
                        self.insert(&waiting, branch);
                        self.body(branch, repeated);
                    }
                }
                Exp::Loop { form, body, .. } => {
                    if let LoopForm::While(cond) = form {
                        self.body(cond, true);
                    }
                    self.body(body, true);
                }
                single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::Call(..) => {}
            }
            body.stms.push(stm);
        }
    }

    /// What of the statements' variables the host needs itself, and which scalars only kernels need. `needed` begins with what is needed
    /// behind the statements.
    fn needs(&self, stms: &[Stm], needed: &mut FxHashSet<Var>, movable: &mut FxHashSet<Var>) {
        // What kernels behind the statement at hand need, with nothing in between that may take an array's memory.
        let mut inside = FxHashSet::default();
        for stm in stms.iter().rev() {
            if self.may_move(stm) && !needed.contains(&stm.pat[0]) {
                movable.insert(stm.pat[0]);
                if inside.remove(&stm.pat[0]) {
                    mentioned(stm, &mut |var| _ = inside.insert(var));
                }
                continue;
            }
            match &stm.exp {
                Exp::Seg(seg) if takes(seg) => {
                    seg.sizes.iter().flat_map(|size| size.vars()).for_each(|var| _ = needed.insert(var));
                    of_body(&seg.body, &mut |var| _ = inside.insert(var));
                }
                Exp::If { cond, then, els } => {
                    needed.extend(cond.var());
                    if takes_memory(&stm.exp) {
                        needed.extend(inside.drain());
                    }
                    for branch in [then, els] {
                        needed.extend(branch.result.iter().filter_map(|a| a.var()));
                        let mut own = FxHashSet::default();
                        self.needs(&branch.stms, needed, &mut own);
                        of_body(branch, &mut |var| _ = inside.insert(var));
                    }
                }
                single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::Call(..) | Exp::Loop { .. } => {
                    if takes_memory(&stm.exp) {
                        needed.extend(inside.drain());
                    }
                    mentioned(stm, &mut |var| _ = needed.insert(var));
                }
            }
        }
    }
    /// Whether a statement binds a scalar that may as well be computed elsewhere, and that is the size of nothing.
    fn may_move(&self, stm: &Stm) -> bool {
        let [var] = stm.pat.as_slice() else { return false };
        let moves = matches!(stm.exp, Exp::Index { .. } | Exp::Scalar(..)) && !stm.exp.may_fail();
        moves && self.program.ty(*var).rank() == 0 && !self.sizes.contains(var)
    }

    /// Puts those of the waiting statements that a body needs in front of it, with variables of their own.
    fn insert(&mut self, waiting: &[Stm], body: &mut Body) {
        let mut wanted = FxHashSet::default();
        of_body(body, &mut |var| _ = wanted.insert(var));
        let mut own: Vec<Stm> = Vec::new();
        for stm in waiting.iter().rev() {
            if wanted.contains(&stm.pat[0]) {
                mentioned(stm, &mut |var| _ = wanted.insert(var));
                own.push(stm.clone());
            }
        }
        own.reverse();
        let mut subst = Subst::default();
        for stm in &mut own {
            subst.parts(&mut stm.exp);
            rebind_all(self.program, stm.pat.iter_mut(), &mut subst);
        }
        subst.body(body);
        body.stms.splice(0..0, own);
    }
}

/// Whether elements are read in a kernel: a map without loops.
fn takes(seg: &Seg) -> bool {
    fn loops(body: &Body) -> bool {
        body.stms.iter().any(|stm| {
            let mut found = match stm.exp {
                parallel_exp!() | Exp::Loop { .. } => true,
                single_exp!() | Exp::Check(_) | Exp::Call(..) | Exp::If { .. } => false,
            };
            stm.exp.parts(&mut |part| {
                if let Part::Body(_, body) = part {
                    found = found || loops(body);
                }
            });
            found
        })
    }
    matches!(seg.kind, SegKind::Map) && !loops(&seg.body)
}

/// Whether an expression may write to the memory of an array that is not used any more.
fn takes_memory(exp: &Exp) -> bool {
    match exp {
        Exp::Update { .. } | Exp::UpdateSlice { .. } | Exp::Loop { .. } | Exp::Call(..) | Exp::Scatter { .. } | Exp::Hist { .. } => true,
        Exp::If { then, els, .. } => [then, els].into_iter().any(|branch| branch.stms.iter().any(|stm| takes_memory(&stm.exp))),
        Exp::Copy(_)
        | Exp::Scalar(..)
        | Exp::Size(_)
        | Exp::Index { .. }
        | count_exp!()
        | view_exp!()
        | made_exp!()
        | Exp::Check(_)
        | Exp::Soac(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. } => false,
    }
}

/// Whether a statement mentions what one of the others binds.
fn uses_any(stm: &Stm, others: &[Stm]) -> bool {
    let mut uses = false;
    mentioned(stm, &mut |var| uses = uses || others.iter().any(|other| other.pat[0] == var));
    uses
}

/// Calls `see` with every variable that a body mentions.
fn of_body(body: &Body, see: &mut dyn FnMut(Var)) {
    body.result.iter().filter_map(|a: &Operand| a.var()).for_each(&mut *see);
    body.stms.iter().for_each(|stm| mentioned(stm, see));
}
