//! The return sweeps of loops.
//!
//! Law (Schenck 2024, section 3.3): forward, the values of the variables at the beginning of each iteration are kept; back, from the last iteration to the
//! first, each iteration runs again from them and hands on the adjoints of what it returns to those of what it began with. What the return
//! sweep does not read is not kept: it is dead code afterwards. Of an array that is changed by updates only what they overwrite is kept, and written back.
//! A loop with a condition runs once to count its iterations, or there is room for as many as its bound allows.

use super::Refusal;
use super::build::Build;
use super::reverse::{Kept, Log, Reverse};
use super::undo::{Change, changes_of};
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::Op;
use crate::ir::soac::visit_mut::{Subst, fresh_body, rebind_all};
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Program, Size, Stm, Type, Var};

/// Whether variables of a loop have sizes that are variables of it.
pub(super) fn sizes_change(program: &Program, params: &[(Var, Operand)]) -> bool {
    params.iter().any(|(var, _)| {
        let mut sizes = program.ty(*var).shape.iter().flat_map(Size::vars);
        sizes.any(|size| params.iter().any(|(other, _)| *other == size))
    })
}

impl Build<'_> {
    /// How often a loop with a condition runs.
    pub(super) fn counted(&mut self, params: &[(Var, Operand)], cond: &Body, body: &Body) -> Operand {
        let (mut vars, mut subst) = (params.iter().map(|(var, _)| *var).collect::<Vec<_>>(), Subst::default());
        rebind_all(self.program, vars.iter_mut(), &mut subst);
        let cond = fresh_body(self.program, cond, &mut subst);
        let mut body = fresh_body(self.program, body, &mut subst);
        let int = Type::scalar(PrimType::I64);
        let number = self.fresh("count".into(), int.clone());
        let next = self.body(|build| vec![build.op(Op::Add, PrimType::I64, &[Operand::Var(number), Operand::int(1)])]);
        body.stms.extend(next.stms);
        body.result.extend(next.result);
        let mut all: Vec<(Var, Operand)> = vars.iter().zip(params).map(|(var, (_, init))| (*var, *init)).collect();
        all.push((number, Operand::int(0)));
        let mut pat = vars;
        rebind_all(self.program, pat.iter_mut(), &mut Subst::default());
        let count = self.fresh("count".into(), int);
        pat.push(count);
        self.push(pat, Exp::Loop { params: all, form: LoopForm::While(cond), body });
        Operand::Var(count)
    }
}

impl Reverse<'_, '_> {
    pub(super) fn forward_loop(&mut self, stm: &Stm, params: &[(Var, Operand)], form: &LoopForm, body: &Body) -> Kept {
        if sizes_change(self.build.program, params) {
            self.refuse(Refusal::LoopOfSizes(stm.span));
            self.build.stms.push(stm.clone());
            return Kept::Nothing;
        }
        let int = Type::scalar(PrimType::I64);
        // How many iterations there is room for: as many as there are, or as there may be.
        let (counter, room, bounded) = match form {
            LoopForm::For(counter, count) => {
                let name = self.build.program.vars[*counter].name;
                let count = self.build.op(Op::Max, PrimType::I64, &[*count, Operand::int(0)]);
                (self.build.fresh(name, int.clone()), count, false)
            }
            LoopForm::While(cond) => {
                let most = self.build.program.bound_of(stm.span);
                let room = most.map_or_else(|| self.build.counted(params, cond, body), Operand::int);
                (self.build.fresh("i".into(), int.clone()), room, most.is_some())
            }
        };
        // The loop again, with arrays of what its variables are.
        let (mut vars, mut subst) = (params.iter().map(|(var, _)| *var).collect::<Vec<_>>(), Subst::default());
        rebind_all(self.build.program, vars.iter_mut(), &mut subst);
        if let LoopForm::For(old, _) = form {
            subst.operands.insert(*old, Operand::Var(counter));
        }
        let frame = [room.as_size()];
        let mut all: Vec<(Var, Operand)> = vars.iter().zip(params).map(|(var, (_, init))| (*var, *init)).collect();
        let mut pat = stm.pat.clone();
        let changes = changes_of(self.build.program, params, form, body);
        let mut copy = fresh_body(self.build.program, body, &mut subst);
        // What is kept of an iteration: a variable as it is at its beginning, or what is overwritten in it.
        let mut kept: Vec<Vec<Operand>> = Vec::new();
        for (k, (var, changes)) in vars.iter().zip(&changes).enumerate() {
            let Some(changes) = changes else {
                kept.push(vec![Operand::Var(*var)]);
                continue;
            };
            let to = copy.result[k];
            copy = self.build.keeping(copy, to, changes);
            kept.push(copy.result.split_off(vars.len()));
        }
        let (mut logs, mut updates) = (Vec::new(), Vec::new());
        for ((var, changes), kept) in vars.iter().zip(changes).zip(kept) {
            let mut arrays = Vec::new();
            for value in kept {
                let ty = self.build.ty(value).framed(&frame);
                let name = self.build.derived(*var, "_log");
                let zeros = self.build.zeros(&ty);
                let log = self.build.fresh(name, ty.clone());
                all.push((log, zeros));
                let result = self.build.fresh(name, ty.clone());
                pat.push(result);
                arrays.push(result);
                // Whether a loop keeps to its bound is checked in its body, where checks are wanted.
                let update = Exp::Update { array: log, at: vec![Operand::Var(counter)], value, checked: bounded };
                let updated = self.build.fresh("log".into(), ty);
                updates.push(Stm { pat: vec![updated], exp: update, span: stm.span });
            }
            logs.push(match changes {
                Some(changes) => Log::Changes(changes, arrays),
                None => Log::Values(arrays[0]),
            });
        }
        // A variable's value is there all the time, what is overwritten when it is.
        let (mut body, logged): (Body, Vec<Operand>) = (copy, updates.iter().map(|stm| Operand::Var(stm.pat[0])).collect());
        body.stms.extend(updates);
        body.result.extend(logged);
        let (form, count) = match form {
            LoopForm::While(cond) if bounded => {
                let cond = fresh_body(self.build.program, cond, &mut subst);
                let next = self.build.body(|build| vec![build.op(Op::Add, PrimType::I64, &[Operand::Var(counter), Operand::int(1)])]);
                body.stms.extend(next.stms);
                body.result.extend(next.result);
                all.push((counter, Operand::int(0)));
                let count = self.build.fresh("count".into(), int);
                pat.push(count);
                (LoopForm::While(cond), Operand::Var(count))
            }
            LoopForm::While(_) | LoopForm::For(..) => (LoopForm::For(counter, room), room),
        };
        self.build.push(pat, Exp::Loop { params: all, form, body });
        Kept::Values(logs, count)
    }
    pub(super) fn backward_loop(
        &mut self,
        stm: &Stm,
        (params, form, body): (&[(Var, Operand)], &LoopForm, &Body),
        (adjoints, logs, count): (&[Option<Operand>], &[Log], Operand),
    ) {
        let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        let own: Vec<usize> = (0..vars.len()).filter(|k| self.active.has(vars[*k])).collect();
        let free = self.active.free(&[body]).into_iter().filter(|var| !vars.contains(var)).collect::<Vec<_>>();
        let mut all = Vec::new();
        for k in &own {
            let ty = self.build.program.ty(vars[*k]).clone();
            let init = match adjoints[*k] {
                Some(adjoint) => self.build.as_type(adjoint, &ty),
                None => self.build.zeros(&ty),
            };
            let name = self.build.derived(vars[*k], "_adj");
            all.push((self.build.fresh(name, ty), init));
        }
        for var in &free {
            let init = self.taken_or_zeros(*var);
            let (name, ty) = (self.build.derived(*var, "_adj"), self.build.program.ty(*var).clone());
            all.push((self.build.fresh(name, ty), init));
        }
        // Arrays that are changed back from what they are in the end.
        let carried = all.len();
        for ((var, end), log) in vars.iter().zip(&stm.pat).zip(logs) {
            if let Log::Changes(..) = log {
                let (name, ty) = (self.build.program.vars[*var].name, self.build.program.ty(*var).clone());
                all.push((self.build.fresh(name, ty), Operand::Var(*end)));
            }
        }
        let counter = self.build.fresh("i".into(), Type::scalar(PrimType::I64));
        let body = self.scope(|this| {
            let last = this.build.op(Op::Sub, PrimType::I64, &[count, Operand::int(1)]);
            let number =
                mutated!(IterationsInOrder, this.build.op(Op::Sub, PrimType::I64, &[last, Operand::Var(counter)]), Operand::Var(counter));
            let mut subst = Subst::default();
            let mut cells = Vec::new();
            let mut ends = all[carried..].iter().map(|(var, _)| *var);
            // What was overwritten in this iteration, for each variable that is changed back.
            let mut before: Vec<(usize, &[Change], Vec<Operand>)> = Vec::new();
            for (k, (var, log)) in vars.iter().zip(logs).enumerate() {
                let (ty, name) = (this.build.program.ty(*var).clone(), this.build.program.vars[*var].name);
                let cell = match log {
                    Log::Values(log) => this.build.bind_as(name, ty, Exp::Index { array: *log, at: vec![number], checked: false }),
                    Log::Changes(changes, logs) => {
                        let kept: Vec<Operand> = logs.iter().map(|log| this.build.cell(*log, &[number])).collect();
                        let end = ends.next().unwrap_or(*var);
                        let start = this.build.undone(Operand::Var(end), changes, &kept);
                        before.push((k, changes, kept));
                        this.build.array(start)
                    }
                };
                subst.operands.insert(*var, Operand::Var(cell));
                cells.push(cell);
            }
            if let LoopForm::For(old, _) = form {
                subst.operands.insert(*old, number);
            }
            own.iter().for_each(|k| this.active.add(this.build.program, cells[*k]));
            this.wild.pass(this.build.program, vars.iter().map(|var| Operand::Var(*var)), cells.iter().copied());
            for (var, (param, _)) in free.iter().zip(&all[own.len()..carried]) {
                this.adjoints.set(*var, Operand::Var(*param));
            }
            let copy = fresh_body(this.build.program, body, &mut subst);
            let mut seeds = vec![None; vars.len()];
            own.iter().zip(&all).for_each(|(k, (param, _))| seeds[*k] = Some(Operand::Var(*param)));
            let ran = this.body(copy, |_| seeds);
            let asked: Vec<Var> = own.iter().map(|k| cells[*k]).chain(free.iter().copied()).collect();
            let mut result: Vec<Operand> = asked.into_iter().map(|var| this.taken_or_zeros(var)).collect();
            result.extend(before.into_iter().map(|(k, changes, kept)| this.build.undone(ran[k], changes, &kept)).collect::<Vec<_>>());
            result
        });
        let mut pat: Vec<Var> = all.iter().map(|(var, _)| *var).collect();
        rebind_all(self.build.program, pat.iter_mut(), &mut Subst::default());
        self.build.push(pat.clone(), Exp::Loop { params: all, form: LoopForm::For(counter, count), body });
        for (var, sum) in free.iter().zip(&pat[own.len()..carried]) {
            self.adjoints.set(*var, Operand::Var(*sum));
        }
        for (k, part) in own.iter().zip(&pat) {
            self.contribute(params[*k].1, Operand::Var(*part));
        }
    }
}
