//! Static estimate of the work of a program for given arguments, from which `--backend auto` chooses. It counts every scalar operation
//! as one: what tells them apart is dwarfed by memory and launches.

use crate::base::scalar::Op;
use crate::base::{Scalar, Symbol};
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, Fun, FunId, LoopForm, Operand, Program, Size, Stm, Var, count_exp, view_exp};
use rustc_hash::FxHashMap;

/// The assumed number of iterations where only the run will tell.
const UNKNOWN: f64 = 10.0;

/// What a call of an entry point does, estimated.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Work {
    /// Scalar operations in parallel loops.
    pub parallel: f64,
    /// Scalar operations outside of them.
    pub sequential: f64,
    /// How often a parallel loop is started.
    pub launches: f64,
    /// Bytes of the arrays that are arguments and results.
    pub bytes: f64,
}

impl Work {
    fn add(&mut self, other: Work, times: f64) {
        self.parallel += other.parallel * times;
        self.sequential += other.sequential * times;
        self.launches += other.launches * times;
    }
    fn total(&self) -> f64 {
        self.parallel + self.sequential
    }
}

/// The work of an entry point of a first-order program for arguments of which these numbers are known (by parameter: sizes first, then
/// scalars; `None` for arrays and other scalars). Loops whose number of iterations depends on data count as a few, of two branches the
/// longer one counts.
pub fn work(program: &Program, entry: Symbol, known: &[Option<i64>]) -> Option<Work> {
    let fun = program.entry(entry)?;
    let mut walk = Walk { program, known: FxHashMap::default(), inside: Vec::new() };
    walk.body(&Body { stms: program.consts.clone(), result: Vec::new() }, false);
    let mut work = walk.call(fun, known);
    let bytes = |var: &Var| {
        let ty = program.ty(*var);
        if ty.rank() == 0 { 0.0 } else { ty.shape.iter().map(|size| walk.size(size)).product::<f64>() * ty.elem.bytes() as f64 }
    };
    work.bytes = fun.params.iter().chain(&fun.results).map(bytes).sum();
    Some(work)
}

struct Walk<'p> {
    program: &'p Program,
    known: FxHashMap<Var, i64>,
    /// The functions that are being looked at: how often one calls itself is not known.
    inside: Vec<FunId>,
}

impl Walk<'_> {
    fn value(&self, operand: Operand) -> Option<i64> {
        match operand {
            Operand::Const(Scalar::I64(value)) => Some(value),
            Operand::Const(_) => None,
            Operand::Var(var) => self.known.get(&var).copied(),
        }
    }
    fn size(&self, size: &Size) -> f64 {
        size.evaluate(&mut |var| self.known.get(&var).copied()).map_or(UNKNOWN, |n| n.max(0) as f64)
    }
    /// The number of elements of what a statement binds.
    fn elements(&self, stm: &Stm) -> f64 {
        let of = |var: &Var| self.program.ty(*var).shape.iter().map(|size| self.size(size)).product::<f64>();
        stm.pat.iter().map(of).sum()
    }

    fn call(&mut self, fun: &Fun, known: &[Option<i64>]) -> Work {
        for (var, value) in fun.params.iter().zip(known) {
            self.learn(*var, *value);
        }
        let work = self.body(&fun.body, false);
        let results: Vec<_> =
            fun.results.iter().zip(&fun.body.result).filter_map(|(var, value)| Some((*var, self.value(*value)?))).collect();
        self.known.extend(results);
        work
    }

    /// `thread` says that the body is part of a parallel loop.
    fn body(&mut self, body: &Body, thread: bool) -> Work {
        let mut work = Work::default();
        for stm in &body.stms {
            let here = self.stm(stm, thread);
            work.add(here, 1.0);
        }
        work
    }

    /// The bodies in an expression, run one after the other by a thread.
    fn inside(&mut self, exp: &Exp) -> f64 {
        let mut total = 0.0;
        exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                total += self.body(body, true).total();
            }
        });
        total
    }

    fn stm(&mut self, stm: &Stm, thread: bool) -> Work {
        let sequential = |operations: f64| Work { sequential: operations, ..Work::default() };
        let wide = |operations: f64| match thread {
            true => sequential(operations),
            false => Work { parallel: operations, launches: 1.0, ..Work::default() },
        };
        match &stm.exp {
            Exp::Copy(value) => self.bind(stm, self.value(*value)),
            Exp::Size(size) => {
                let value = size.evaluate(&mut |var| self.known.get(&var).copied());
                self.bind(stm, value);
            }
            Exp::Scalar(op, args) => {
                let values: Option<Vec<i64>> = args.iter().map(|arg| self.value(*arg)).collect();
                let value = match (op.op, values.as_deref()) {
                    (Op::Add, Some([a, b])) => a.checked_add(*b),
                    (Op::Sub, Some([a, b])) => a.checked_sub(*b),
                    (Op::Mul, Some([a, b])) => a.checked_mul(*b),
                    (Op::Quot | Op::Div, Some([a, b])) if *a >= 0 && *b > 0 => Some(a / b),
                    (Op::Min, Some([a, b])) => Some(*a.min(b)),
                    (Op::Max, Some([a, b])) => Some(*a.max(b)),
                    _ => None,
                };
                self.bind(stm, value);
                return sequential(1.0);
            }
            Exp::Soac(soac) => {
                let width = self.size(&soac.width);
                return wide(width * (1.0 + self.inside(&stm.exp)));
            }
            // Devices make rows one after the other.
            Exp::Rows { width, .. } => {
                let width = self.size(width);
                return Work { launches: width, ..sequential(width * (1.0 + self.inside(&stm.exp))) };
            }
            Exp::Filter { width, .. } | Exp::Scatter { width, .. } | Exp::Hist { width, .. } => {
                let width = self.size(width);
                return wide(width * (1.0 + self.inside(&stm.exp)));
            }
            Exp::Seg(seg) => {
                let width: f64 = seg.sizes.iter().map(|size| self.size(size)).product();
                return wide(width * (1.0 + self.inside(&stm.exp)));
            }
            Exp::Concat(_) | Exp::UpdateSlice { .. } => return wide(self.elements(stm)),
            Exp::If { then, els, .. } => {
                let (a, b) = (self.body(then, thread), self.body(els, thread));
                return if a.total() > b.total() { a } else { b };
            }
            Exp::Loop { form, body, .. } => {
                let (times, mut once) = match form {
                    LoopForm::For(_, count) => (self.value(*count).map_or(UNKNOWN, |n| n.max(0) as f64), Work::default()),
                    LoopForm::While(cond) => (UNKNOWN, self.body(cond, thread)),
                };
                once.add(self.body(body, thread), 1.0);
                let mut all = Work::default();
                all.add(once, times);
                return all;
            }
            Exp::Call(callee, args) => {
                let fun = &self.program.funs[*callee];
                if fun.recursive && self.inside.contains(callee) {
                    return Work::default();
                }
                self.inside.push(*callee);
                let known: Vec<Option<i64>> = args.iter().map(|arg| self.value(*arg)).collect();
                let work = self.call(fun, &known);
                self.inside.pop();
                return if thread { sequential(work.total()) } else { work };
            }
            // Views, single elements, and what costs next to nothing.
            Exp::Literal(_)
            | Exp::Stack(_)
            | Exp::Index { .. }
            | Exp::Rotate { .. }
            | Exp::Rep(_)
            | Exp::Iota { .. }
            | Exp::Update { .. }
            | Exp::Check(_)
            | view_exp!()
            | count_exp!() => {}
        }
        Work::default()
    }

    fn bind(&mut self, stm: &Stm, value: Option<i64>) {
        if let &[var] = stm.pat.as_slice() {
            self.learn(var, value);
        }
    }

    /// What a variable is now; a function may have been looked at before, for a call with other arguments.
    fn learn(&mut self, var: Var, value: Option<i64>) {
        match value {
            Some(value) => self.known.insert(var, value),
            None => self.known.remove(&var),
        };
    }
}

/// What is assumed of machines: round numbers on the careful side, not measurements.
mod machine {
    /// Scalar operations of a processor in a second, memory included.
    pub const PROCESSOR: f64 = 1e9;
    /// Scalar operations of a device in a second, memory included.
    pub const DEVICE: f64 = 2e11;
    /// Bytes to the device or from there in a second.
    pub const TRANSFER: f64 = 8e9;
    /// Seconds for a launch.
    pub const LAUNCH: f64 = 1e-5;
    /// Seconds until a device is ready: the driver, a context, the kernels.
    pub const START: f64 = 0.4;
}

/// Whether offloading to a device pays.
#[derive(Debug, Clone, Copy)]
pub struct OffloadCost {
    /// What is done.
    pub work: Work,
    /// Seconds that so many threads would take.
    pub processors: f64,
    /// Seconds that a device would take, its start and the transfer of arguments and results counted.
    pub device: f64,
}

impl OffloadCost {
    /// For so many threads; `start` are the seconds until the device is ready, where they are known.
    pub fn new(work: Work, threads: usize, start: Option<f64>) -> OffloadCost {
        let processors = work.sequential / machine::PROCESSOR + work.parallel / (machine::PROCESSOR * threads.max(1) as f64);
        let device = start.unwrap_or(machine::START)
            + work.bytes / machine::TRANSFER
            + work.launches * machine::LAUNCH
            + work.sequential / machine::PROCESSOR
            + work.parallel / machine::DEVICE;
        OffloadCost { work, processors, device }
    }
    /// Whether the device is to be taken.
    pub fn pays(&self) -> bool {
        self.work.launches > 0.0 && self.device < self.processors
    }
    /// The reason, in words.
    pub fn reason(&self) -> String {
        if self.work.launches == 0.0 {
            return "nothing in it is parallel".into();
        }
        format!("estimated {} on processors, {} on a device with its start", seconds(self.processors), seconds(self.device))
    }
}

fn seconds(time: f64) -> String {
    match time {
        t if t < 1e-3 => "under 1 ms".into(),
        t if t < 1.0 => format!("{:.0} ms", t * 1e3),
        t if t < 1000.0 => format!("{t:.1} s"),
        t => format!("{t:.0e} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::FileId;
    use crate::ir::soac::read;

    fn of(text: &str, name: &str, known: &[Option<i64>]) -> Work {
        let program = read::program(FileId(0), text).expect("it can be read");
        work(&program, Symbol::new(name), known).expect("it is there")
    }

    #[test]
    fn nests_multiply() {
        let text = include_str!("../../tests/data/optimise/atax.soac");
        let (small, large) = (of(text, "atax", &[Some(10), None, None]), of(text, "atax", &[Some(1000), None, None]));
        assert_eq!((small.launches, large.launches, large.sequential), (1.0, 1.0, 0.0));
        assert!((6e6..2e7).contains(&large.parallel) && large.parallel > 5e3 * small.parallel, "{small:?} {large:?}");
        assert_eq!(large.bytes, 4.0 * (1000.0 * 1000.0 + 3000.0));
    }

    #[test]
    fn loops_around_maps_are_launches() {
        let text = include_str!("../../tests/data/optimise/floyd.soac");
        let work = of(text, "floyd", &[Some(300), None]);
        assert!((300.0..900.0).contains(&work.launches) && work.parallel > 2.7e7, "{work:?}");
    }

    #[test]
    fn devices_are_for_much_work() {
        let many = Work { parallel: 1e11, launches: 100.0, bytes: 1e9, ..Work::default() };
        assert!(OffloadCost::new(many, 16, None).pays());
        let few = Work { parallel: 1e7, ..many };
        assert!(!OffloadCost::new(few, 1, None).pays());
        let sequential = Work { sequential: 1e12, ..Work::default() };
        let cost = OffloadCost::new(sequential, 1, Some(0.0));
        assert!(!cost.pays() && cost.reason().contains("nothing"));
        // What has to go there and back costs more than it brings.
        let moved = Work { parallel: 1e9, bytes: 1e10, launches: 1.0, ..Work::default() };
        assert!(!OffloadCost::new(moved, 1, Some(0.0)).pays());
    }
}
