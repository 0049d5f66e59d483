//! Whether updates can be done in place, found out by running: the evaluator of first-order programs follows which arrays lie in which
//! memory, and fails where a program reads an array whose memory was overwritten since, or overwrites memory that is not its own. It knows
//! nothing of the analysis that decides about copies, so it can test it.

use super::Outcome;
use crate::interp::failure::broken;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Exp, Operand, Program, Soac, Stm, Var, single_exp};

/// A piece of memory, and how often it had been overwritten when an array was put there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Region {
    memory: usize,
    version: u64,
    /// Whether several cells of the array may be in the same place.
    shared: bool,
}

/// Memory of the arrays of a running program.
#[derive(Debug)]
pub(super) struct Regions {
    of: Vec<Option<Region>>,
    /// How often each piece was overwritten; `None` if it must not be.
    versions: Vec<Option<u64>>,
    /// Where the results of the body lie that has just ended.
    returned: Vec<Option<Region>>,
}

impl Regions {
    pub(super) fn new(program: &Program) -> Regions {
        Regions { of: vec![None; program.vars.len()], versions: Vec::new(), returned: Vec::new() }
    }
    /// New memory for arrays.
    pub(super) fn fresh(&mut self, program: &Program, vars: &[Var], owned: bool) {
        for var in vars.iter().filter(|var| program.vars[**var].ty.rank() > 0) {
            self.versions.push(owned.then_some(0));
            self.of[var.raw()] = Some(Region { memory: self.versions.len() - 1, version: 0, shared: false });
        }
    }
    /// Where the arrays of a function that calls itself lie, before the inner call puts its own there.
    pub(super) fn keep(&self, vars: &[Var]) -> Vec<Option<Region>> {
        vars.iter().map(|var| self.of[var.raw()]).collect()
    }
    /// Puts them back.
    pub(super) fn put_back(&mut self, vars: &[Var], kept: Vec<Option<Region>>) {
        vars.iter().zip(kept).for_each(|(var, region)| self.of[var.raw()] = region);
    }
    fn get(&self, var: Var) -> Option<Region> {
        self.of[var.raw()]
    }
    fn read(&self, program: &Program, var: Var) -> Outcome<()> {
        match self.get(var) {
            Some(region) if self.versions[region.memory].is_some_and(|now| now != region.version) => {
                Err(broken(&format!("{} is read after its memory was overwritten", crate::ir::soac::print::var(program, var))))
            }
            _ => Ok(()),
        }
    }
    fn overwrite(&mut self, program: &Program, array: Var) -> Outcome<Option<Region>> {
        let Some(region) = self.get(array) else { return Ok(None) };
        if region.shared {
            let array = crate::ir::soac::print::var(program, array);
            return Err(broken(&format!("{array} is overwritten, but several of its cells are in the same place")));
        }
        match &mut self.versions[region.memory] {
            Some(version) => {
                *version += 1;
                Ok(Some(Region { version: *version, ..region }))
            }
            None => {
                Err(broken(&format!("{} is overwritten, but it is not the program's own", crate::ir::soac::print::var(program, array))))
            }
        }
    }

    /// Before a statement is run.
    pub(super) fn before(&mut self, program: &Program, stm: &Stm) -> Outcome<()> {
        let mut fine = Ok(());
        stm.exp.parts(&mut |part| {
            let var = match part {
                Part::Operand(Operand::Var(var)) | Part::Array(var) => var,
                Part::Operand(_) | Part::Size(_) | Part::Body(..) => return,
            };
            if fine.is_ok() {
                fine = self.read(program, var);
            }
        });
        fine?;
        let (inputs, lambda) = match &stm.exp {
            Exp::Soac(soac) => (&soac.inputs, &soac.lambda),
            Exp::Filter { inputs, lambda, .. } | Exp::Rows { inputs, lambda, .. } => (inputs, lambda),
            Exp::Scatter { inputs, lambda, dests, .. } | Exp::Hist { inputs, lambda, dests, .. } => {
                // Writing begins with the first cell.
                for (var, dest) in stm.pat.iter().zip(dests) {
                    self.of[var.raw()] = self.overwrite(program, *dest)?;
                }
                (inputs, lambda)
            }
            // The variables of one that is running already are kept first.
            Exp::Call(id, _) if program.funs[*id].recursive => return Ok(()),
            Exp::Call(id, args) => {
                self.pass(&program.funs[*id].params, args);
                return Ok(());
            }
            single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::If { .. } | Exp::Loop { .. } => return Ok(()),
        };
        for (param, input) in lambda.params.iter().zip(inputs) {
            self.of[param.raw()] = self.get(*input).filter(|_| program.vars[*param].ty.rank() > 0);
        }
        match &stm.exp {
            Exp::Soac(soac) => soac.operators().for_each(|op| self.fresh(program, &op.lambda.params, false)),
            Exp::Hist { operator, .. } => self.fresh(program, &operator.lambda.params, false),
            single_exp!()
            | Exp::Check(_)
            | Exp::Seg(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::Scatter { .. }
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..) => {}
        }
        Ok(())
    }

    /// After a statement was run, before what it binds is read.
    pub(super) fn after(&mut self, program: &Program, stm: &Stm) -> Outcome<()> {
        // Inputs are read until the last cell.
        if let Exp::Soac(Soac { inputs, .. })
        | Exp::Filter { inputs, .. }
        | Exp::Rows { inputs, .. }
        | Exp::Scatter { inputs, .. }
        | Exp::Hist { inputs, .. } = &stm.exp
        {
            inputs.iter().try_for_each(|input| self.read(program, *input))?;
        }
        match (&stm.exp, stm.pat.as_slice()) {
            (Exp::Scatter { .. } | Exp::Hist { .. }, _) => {}
            (Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..), pat) => {
                for (var, region) in pat.iter().zip(std::mem::take(&mut self.returned)) {
                    self.of[var.raw()] = region;
                }
            }
            (Exp::Update { array, .. } | Exp::UpdateSlice { array, .. }, [var]) => self.of[var.raw()] = self.overwrite(program, *array)?,
            (
                Exp::Index { array, .. }
                | Exp::Slice { array, .. }
                | Exp::Rearrange { array, .. }
                | Exp::Reshape(array)
                | Exp::Coerce(array),
                [var],
            ) => self.of[var.raw()] = self.get(*array).filter(|_| program.vars[*var].ty.rank() > 0),
            (Exp::Rep(Operand::Var(cell)), [var]) if program.vars[*cell].ty.rank() > 0 => {
                self.of[var.raw()] = self.get(*cell).map(|region| Region { shared: true, ..region });
            }
            (Exp::Literal(_) | Exp::Rep(_) | Exp::Iota { .. }, pat) => self.fresh(program, pat, false),
            (_, pat) => self.fresh(program, pat, true),
        }
        Ok(())
    }

    /// A body returns these.
    pub(super) fn returns(&mut self, program: &Program, result: &[Operand]) -> Outcome<()> {
        result.iter().filter_map(|a| a.var()).try_for_each(|var| self.read(program, var))?;
        self.returned = result.iter().map(|a| a.var().and_then(|var| self.get(var))).collect();
        Ok(())
    }
    /// Variables are now these operands.
    pub(super) fn pass(&mut self, vars: &[Var], operands: &[Operand]) {
        let regions: Vec<_> = operands.iter().map(|a| a.var().and_then(|var| self.get(var))).collect();
        vars.iter().zip(regions).for_each(|(var, region)| self.of[var.raw()] = region);
    }
    /// Variables are now what the body has returned.
    pub(super) fn pass_returned(&mut self, vars: &[Var]) {
        vars.iter().zip(std::mem::take(&mut self.returned)).for_each(|(var, region)| self.of[var.raw()] = region);
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{FileId, Scalar, SourceMap, Symbol};
    use crate::interp::soac::{call, call_in_place};
    use crate::ir::core;
    use crate::ir::soac::{Program, read};
    use crate::middle::optimise::in_place;
    use crate::runtime::{Array, Buffer, Value};

    fn file() -> FileId {
        SourceMap::default().add("test", String::new())
    }
    fn program(body: &str) -> Program {
        let text = format!("(entry f ([n i64] [xs [i64 n]]) ([R [i64 n]]) {body})");
        read::program(file(), &text).expect("it is valid")
    }
    /// Applies the entry point to `[3, 1, 2]`; with updates in place or without.
    fn run(program: &Program, in_place: bool) -> Result<String, String> {
        let (ty, problems) = core::read::ty(file(), "(Pi (n) (-> ([i64 n]) [i64 n]))");
        assert!(problems.is_empty(), "{problems:?}");
        let mut data = Buffer::with_capacity(crate::base::PrimType::I64, 3).expect("memory");
        [3, 1, 2].into_iter().for_each(|n| {
            data.push(Scalar::I64(n));
        });
        let xs = Value::Array(Array::new(&[3], data).expect("three elements"));
        let call = if in_place { call_in_place } else { call };
        let result = call(program, &ty.expect("a type"), Symbol::new("f"), vec![xs], &[]);
        result.map(|value| format!("{value:?}")).map_err(|failure| failure.message.clone())
    }
    /// In place the program as it is fails with this message, and with the copies that it needs it does not.
    fn needs_copies(body: &str, message: &str) {
        let program = program(body);
        let right = run(&program, false).expect("it does not fail");
        assert_eq!(run(&program, true).expect_err("it is found").split(": ").nth(1), Some(message), "{body}");
        assert_eq!(run(&in_place(program), true).as_ref(), Ok(&right));
    }

    #[test]
    fn memory_of_others() {
        needs_copies("(let ([a [i64 n]]) (update xs (0) 7)) (return a)", "xs.1 is overwritten, but it is not the program's own");
        needs_copies(
            "(let ([z [i64 n]]) (rep 0)) (let ([a [i64 n]]) (update z (0) 7)) (return a)",
            "z.3 is overwritten, but it is not the program's own",
        );
    }

    #[test]
    fn copies_that_share_memory() {
        let own = "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
                   (let ([rows [i64 2 n]]) (rep ys)) (let ([row [i64 n]]) (index rows 1))";
        needs_copies(
            &format!("{own} (let ([a [i64 n]]) (update row (0) 7)) (return a)"),
            "row.7 is overwritten, but several of its cells are in the same place",
        );
        needs_copies(
            &format!(
                "{own} (let ([a [i64 n]]) (update ys (0) 7)) (let ([s i64]) (index rows 0 0)) (let ([b [i64 n]]) (update a (1) s)) (return b)"
            ),
            "rows.6 is read after its memory was overwritten",
        );
    }

    #[test]
    fn conditions_of_loops() {
        needs_copies(
            "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))
             (let ([r [i64 n]]) (loop ([a [i64 n] ys])
               (while (let ([b [i64 n]]) (update a (0) 7)) (let ([s i64]) (index b 1)) (let ([c bool]) (i64.< s 3)) (return c))
               (let ([t [i64 n]]) (update a (1) 4)) (return t)))
             (return r)",
            "a.7 is read after its memory was overwritten",
        );
    }

    #[test]
    fn reads_after_updates() {
        let own = "(let ([ys [i64 n]]) (soac n ([x i64 xs]) (let ([y i64]) (i64.* x x)) (return y)))";
        needs_copies(&format!("{own} (let ([a [i64 n]]) (update ys (0) 7)) (return ys)"), "ys.3 is read after its memory was overwritten");
        needs_copies(
            &format!(
                "{own} (let ([last i64]) (i64.- n 1)) (let ([v [i64 n]]) (slice ys last -1 unchecked))
                 (let ([a [i64 n]]) (update ys (0) 7)) (let ([b i64]) (index v 2)) (let ([c [i64 n]]) (update a (1) b)) (return c)"
            ),
            "v.7 is read after its memory was overwritten",
        );
        needs_copies(
            &format!(
                "{own} (let ([r [i64 n]]) (loop ([a [i64 n] ys]) (for i n)
                   (let ([b [i64 n]]) (update ys (i) 7)) (let ([t [i64 n]]) (update a (i) i)) (return t))) (return r)"
            ),
            "a.7 is read after its memory was overwritten",
        );
        needs_copies(
            &format!("{own} (let ([w [i64 n]]) (scatter (ys) n ([i i64 xs] [x.1 i64 ys]) (return i x.1))) (return w)"),
            "ys.3 is read after its memory was overwritten",
        );
    }
}
