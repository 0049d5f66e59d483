//! Loops that do nothing but write to arrays, one place at a time, become one writing of all that they write.
//!
//! Law: a loop whose iterations write single values to the same arrays with the same operator is one histogram (or scatter, without an
//! operator) of the log of these writes, in the order of the iterations. Both sides of a branch write logs of one length, or constant numbers
//! of times: then the shorter one is filled up with writes to no place. The log of an inner loop has the writes of an iteration for each of
//! them. So that all iterations of the loop write logs of one length, the counts of inner loops must be known before it; other loops stay,
//! and write where they are. The loop has no other variables, so its iterations do not depend on each other, and what may fail is only what
//! computes the writes. Where an iteration writes several times, so that the logs are arrays, they are made and written for a bounded number
//! of iterations at a time, in order. Accumulators of the surface language come here as such loops.

use super::cse::same_operator;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::soac::visit::{Part, bound_by, mentioned};
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Program, Size, Soac, Stm, Type, Var, parallel_exp, single_exp};
use rustc_hash::FxHashSet;

/// So many writes are logged at a time (about 16 MB), or those of one iteration.
const MOST_LOGGED: i64 = 1 << 20;

/// Makes histograms and scatters of loops.
pub fn loops_to_histograms(mut program: Program) -> Program {
    for id in program.fun_ids() {
        let mut body = std::mem::take(&mut program.funs[id].body);
        let params = program.funs[id].params.clone();
        let mut scope = Scope { program: &mut program, naturals: Vec::new() };
        scope.made(&params);
        scope.body(&mut body);
        program.funs[id].body = body;
    }
    program
}

/// Whether there may be such a loop.
pub fn applies(program: &Program) -> bool {
    program.funs.iter().any(|(_, fun)| applies_to(&fun.body, false))
}
fn applies_to(body: &Body, looping: bool) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = looping && is_single_write(&stm.exp);
        let looping = looping || matches!(stm.exp, Exp::Loop { .. });
        stm.exp.parts(&mut |part| {
            if let Part::Body(_, body) = part {
                found = found || applies_to(body, looping);
            }
        });
        found
    })
}

fn is_single_write(exp: &Exp) -> bool {
    matches!(exp, Exp::Hist { width, .. } | Exp::Scatter { width, .. } if width.as_constant() == Some(1))
}

struct Scope<'p> {
    program: &'p mut Program,
    /// Variables that are sizes of arrays in scope, hence not negative.
    naturals: Vec<Var>,
}

impl Scope<'_> {
    /// Arrays that exist.
    fn made(&mut self, vars: &[Var]) {
        for var in vars {
            self.naturals.extend(self.program.vars[*var].ty.shape.iter().filter_map(Size::as_var));
        }
    }
    fn body(&mut self, body: &mut Body) {
        let mark = self.naturals.len();
        let mut out = Vec::with_capacity(body.stms.len());
        for stm in std::mem::take(&mut body.stms) {
            let mut stms = match self.written(&stm) {
                Some(stms) => stms,
                None => vec![stm],
            };
            for stm in &mut stms {
                stm.exp.bodies_mut(&mut |body| self.body(body));
                self.made(&stm.pat);
            }
            out.append(&mut stms);
        }
        body.stms = out;
        self.naturals.truncate(mark);
    }

    /// What a loop becomes that does nothing but write.
    fn written(&mut self, stm: &Stm) -> Option<Vec<Stm>> {
        let Exp::Loop { params, form: LoopForm::For(counter, count), body } = &stm.exp else { return None };
        let dests: Vec<Var> = params.iter().map(|(_, init)| init.var()).collect::<Option<_>>()?;
        if dests.is_empty() || dests.iter().any(|dest| self.program.vars[*dest].ty.rank() == 0) {
            return None;
        }
        let mut inside = FxHashSet::default();
        bound_by(std::slice::from_ref(stm), &mut inside);
        let current: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        let cells = dests.iter().map(|dest| self.program.vars[*dest].ty.cell(1)).collect();
        let (span, naturals) = (stm.span, self.naturals.iter().copied().collect());
        let mut writer =
            Writer { program: self.program, span, cells, inside, naturals, kind: None, versions: FxHashSet::default(), before: Vec::new() };
        let (mut stms, log, last) = writer.body(body, &current)?;
        let in_order = body.result.iter().zip(&last).all(|(a, var)| a.var() == Some(*var));
        let kind = writer.kind.take()?;
        if !in_order {
            return None;
        }
        let width = writer.count(*count)?;
        let mut out = Vec::new();
        let work = Work { counter: *counter, body: Body { stms: std::mem::take(&mut stms), result: log_operands(&log) }, log, kind };
        let exp = writer.all_at_once_or_in_chunks(work, &width, dests, &mut out)?;
        out.push(Stm { pat: stm.pat.clone(), exp, span });
        let mut all = std::mem::take(&mut writer.before);
        all.append(&mut out);
        Some(all)
    }
}

/// How the arrays are written to.
enum Kind {
    Scatter,
    Hist(Operator),
}

/// What the iterations of a loop write.
struct Work {
    counter: Var,
    body: Body,
    log: Log,
    kind: Kind,
}

/// The writes of some statements, in order: indices and, for each of the arrays, cells.
enum Log {
    Empty,
    /// One write.
    One(Operand, Vec<Operand>),
    /// Arrays of so many indices and cells.
    Many(Size, Var, Vec<Var>),
}

fn log_operands(log: &Log) -> Vec<Operand> {
    match log {
        Log::Empty => Vec::new(),
        Log::One(index, values) => std::iter::once(*index).chain(values.iter().copied()).collect(),
        Log::Many(_, index, values) => std::iter::once(*index).chain(values.iter().copied()).map(Operand::Var).collect(),
    }
}

/// The logs of two branches in one form.
struct Alike {
    /// No dimension for single writes, else a length; nothing if there are no writes.
    frame: Option<Vec<Size>>,
    /// What each branch returns.
    then: Vec<Operand>,
    els: Vec<Operand>,
}

/// Takes the writes out of the body of a loop.
struct Writer<'p> {
    program: &'p mut Program,
    span: Span,
    /// Types of the cells of the arrays.
    cells: Vec<Type>,
    /// What the loop binds.
    inside: FxHashSet<Var>,
    naturals: FxHashSet<Var>,
    /// How they are written to, as the first write says.
    kind: Option<Kind>,
    /// The arrays at all points of the code so far.
    versions: FxHashSet<Var>,
    /// Statements in front of the loop.
    before: Vec<Stm>,
}

impl Writer<'_> {
    fn fresh(&mut self, name: &str, ty: Type) -> Var {
        self.program.fresh(Symbol::new(name), ty)
    }
    fn bind(&mut self, name: &str, ty: Type, exp: Exp, out: &mut Vec<Stm>) -> Var {
        let var = self.fresh(name, ty);
        out.push(Stm { pat: vec![var], exp, span: self.span });
        var
    }
    /// Types of a log of so many writes; those of a single write without a size.
    fn types(&self, frame: &[Size]) -> Vec<Type> {
        let index = Type::scalar(PrimType::I64);
        std::iter::once(&index).chain(&self.cells).map(|ty| ty.framed(frame)).collect()
    }

    /// The body without its writes, these, and the arrays at its end. Nothing if the arrays are used in another way.
    fn body(&mut self, body: &Body, current: &[Var]) -> Option<(Vec<Stm>, Log, Vec<Var>)> {
        let mut current = current.to_vec();
        let (mut out, mut logs) = (Vec::with_capacity(body.stms.len()), Vec::new());
        self.versions.extend(&current);
        for stm in &body.stms {
            if !self.touches(stm) {
                out.push(stm.clone());
                continue;
            }
            let log = if is_single_write(&stm.exp) {
                self.write(&stm.exp, &current, &mut out)?
            } else {
                let (log, after) = match &stm.exp {
                    Exp::If { .. } => self.branches(stm, &current, &mut out)?,
                    Exp::Loop { .. } => self.inner_loop(stm, &current, &mut out)?,
                    single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::Call(..) => return None,
                };
                current = after;
                log
            };
            if is_single_write(&stm.exp) {
                current.clone_from(&stm.pat);
            }
            self.versions.extend(&current);
            logs.push(log);
        }
        let log = self.joined(logs, &mut out);
        Some((out, log, current))
    }
    fn touches(&self, stm: &Stm) -> bool {
        let mut found = false;
        mentioned(stm, &mut |var| found = found || self.versions.contains(&var));
        found
    }
    fn is_version(&self, operand: Operand) -> bool {
        operand.var().is_some_and(|var| self.versions.contains(&var))
    }

    /// A write of one value.
    fn write(&mut self, exp: &Exp, current: &[Var], out: &mut Vec<Stm>) -> Option<Log> {
        let (inputs, lambda, dests, operator) = match exp {
            Exp::Hist { inputs, lambda, dests, operator, .. } => (inputs, lambda, dests, Some(operator)),
            Exp::Scatter { inputs, lambda, dests, .. } => (inputs, lambda, dests, None),
            single_exp!()
            | Exp::Check(_)
            | Exp::Soac(_)
            | Exp::Seg(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::If { .. }
            | Exp::Loop { .. }
            | Exp::Call(..) => return None,
        };
        let reads = lambda.body.stms.iter().any(|stm| self.touches(stm)) || lambda.body.result.iter().any(|a| self.is_version(*a));
        if dests != current || reads || inputs.iter().any(|input| self.versions.contains(input)) {
            return None;
        }
        match (&self.kind, operator) {
            (None, None) => self.kind = Some(Kind::Scatter),
            (None, Some(operator)) => {
                self.known_outside(operator).then_some(())?;
                self.kind = Some(Kind::Hist(operator.clone()));
            }
            (Some(Kind::Scatter), None) => {}
            (Some(Kind::Hist(first)), Some(operator)) if same_operator(self.program, first, operator) => {}
            _ => return None,
        }
        for (param, input) in lambda.params.iter().zip(inputs) {
            let exp = Exp::Index { array: *input, at: vec![Operand::int(0)], checked: false };
            out.push(Stm { pat: vec![*param], exp, span: self.span });
        }
        out.extend(lambda.body.stms.iter().cloned());
        let (index, values) = lambda.body.result.split_first()?;
        Some(Log::One(*index, values.to_vec()))
    }
    /// Whether an operator means the same in front of the loop, and fails nowhere.
    fn known_outside(&self, operator: &Operator) -> bool {
        let mut own: FxHashSet<Var> = operator.lambda.params.iter().copied().collect();
        bound_by(&operator.lambda.body.stms, &mut own);
        let outside = |var: &Var| own.contains(var) || !self.inside.contains(var);
        let mut known = operator.neutral.iter().chain(&operator.lambda.body.result).filter_map(|a| a.var()).all(|var| outside(&var));
        for stm in &operator.lambda.body.stms {
            mentioned(stm, &mut |var| known = known && outside(&var));
        }
        known && !operator.lambda.body.may_fail()
    }

    /// The writes of the two sides of a conditional, and the arrays behind it.
    fn branches(&mut self, stm: &Stm, current: &[Var], out: &mut Vec<Stm>) -> Option<(Log, Vec<Var>)> {
        let Exp::If { cond, then, els } = &stm.exp else { return None };
        let (then_stms, then_log, then_last) = self.body(then, current)?;
        let (els_stms, els_log, els_last) = self.body(els, current)?;
        let places = places_of(&then_last, &then.result)?;
        if places_of(&els_last, &els.result)? != places {
            return None;
        }
        let rest: Vec<usize> = (0..stm.pat.len()).filter(|k| !places.contains(k)).collect();
        if rest.iter().any(|k| self.is_version(then.result[*k]) || self.is_version(els.result[*k])) {
            return None;
        }
        let (mut then_out, mut els_out) = (then_stms, els_stms);
        let Alike { frame, then: of_then, els: of_els } = self.alike(then_log, &mut then_out, els_log, &mut els_out)?;
        let new: Vec<Var> = match &frame {
            Some(frame) => self.types(frame).into_iter().map(|ty| self.fresh("log", ty)).collect(),
            None => Vec::new(),
        };
        let pat: Vec<Var> = rest.iter().map(|k| stm.pat[*k]).chain(new.iter().copied()).collect();
        let side =
            |stms, result: &[Operand], log: Vec<Operand>| Body { stms, result: rest.iter().map(|k| result[*k]).chain(log).collect() };
        let exp = Exp::If { cond: *cond, then: side(then_out, &then.result, of_then), els: side(els_out, &els.result, of_els) };
        if !pat.is_empty() || exp.may_fail() {
            out.push(Stm { pat, exp, span: stm.span });
        }
        let log = match (frame.as_deref(), new.split_first()) {
            (Some([length]), Some((index, values))) => Log::Many(length.clone(), *index, values.to_vec()),
            (Some(_), Some((index, values))) => Log::One(Operand::Var(*index), values.iter().map(|var| Operand::Var(*var)).collect()),
            _ => Log::Empty,
        };
        Some((log, places.iter().map(|k| stm.pat[*k]).collect()))
    }
    /// The logs of two branches made of one form.
    fn alike(&mut self, then: Log, in_then: &mut Vec<Stm>, els: Log, in_els: &mut Vec<Stm>) -> Option<Alike> {
        match (&then, &els) {
            (Log::Empty, Log::Empty) => return Some(Alike { frame: None, then: Vec::new(), els: Vec::new() }),
            (Log::Empty | Log::One(..), Log::Empty | Log::One(..)) => {
                let mut one = |log: &Log, out: &mut Vec<Stm>| match log {
                    Log::Empty => self.nowhere(&[], out),
                    log @ (Log::One(..) | Log::Many(..)) => log_operands(log),
                };
                return Some(Alike { frame: Some(Vec::new()), then: one(&then, in_then), els: one(&els, in_els) });
            }
            _ => {}
        }
        let (m, then) = self.arrays(then, in_then);
        let (n, els) = self.arrays(els, in_els);
        // A branch that is filled up by a length that is not known would make logs that are longer than what is written by any factor.
        let length = match (m.as_constant(), n.as_constant()) {
            (Some(a), Some(b)) => Size::constant(a.max(b)),
            _ if m == n => m.clone(),
            _ => return None,
        };
        let then = self.filled(then, &length.sub(&m), in_then);
        let els = self.filled(els, &length.sub(&n), in_els);
        Some(Alike { frame: Some(vec![length]), then, els })
    }
    /// Writes to no place.
    fn nowhere(&mut self, frame: &[Size], out: &mut Vec<Stm>) -> Vec<Operand> {
        let mut all = Vec::with_capacity(self.cells.len() + 1);
        for (k, ty) in self.types(frame).into_iter().enumerate() {
            let fill = if k == 0 { Operand::int(-1) } else { Operand::Const(Scalar::from_i128(ty.elem, 0)) };
            all.push(if ty.rank() == 0 { fill } else { Operand::Var(self.bind("none", ty, Exp::Rep(fill), out)) });
        }
        all
    }
    /// A log as arrays, with its length; no arrays if that is 0.
    fn arrays(&mut self, log: Log, out: &mut Vec<Stm>) -> (Size, Vec<Var>) {
        match log {
            Log::Empty => (Size::constant(0), Vec::new()),
            Log::One(..) => {
                let one = Size::constant(1);
                let types = self.types(std::slice::from_ref(&one));
                let stack = |(ty, a): (Type, Operand)| self.bind("log", ty, Exp::Stack(vec![a]), out);
                (one, types.into_iter().zip(log_operands(&log)).map(stack).collect())
            }
            Log::Many(length, index, values) => (length, std::iter::once(index).chain(values).collect()),
        }
    }
    /// A log with so many writes to no place after it.
    fn filled(&mut self, log: Vec<Var>, missing: &Size, out: &mut Vec<Stm>) -> Vec<Operand> {
        if missing.as_constant() == Some(0) {
            return log.into_iter().map(Operand::Var).collect();
        }
        let fill = self.nowhere(std::slice::from_ref(missing), out);
        if log.is_empty() {
            return fill;
        }
        let mut all = Vec::with_capacity(log.len());
        for (array, fill) in log.into_iter().zip(fill.into_iter().filter_map(Operand::var)) {
            let mut ty = self.program.vars[array].ty.clone();
            ty.shape[0] = ty.shape[0].add(missing);
            all.push(Operand::Var(self.bind("log", ty, Exp::Concat(vec![array, fill]), out)));
        }
        all
    }

    /// The number of iterations as a size that is known in front of the loop.
    fn count(&mut self, count: Operand) -> Option<Size> {
        match count {
            Operand::Const(n) => Some(Size::constant(i64::try_from(n.as_i128()?).ok()?.max(0))),
            Operand::Var(n) if self.inside.contains(&n) => None,
            Operand::Var(n) if self.naturals.contains(&n) => Some(Size::var(n)),
            Operand::Var(_) => {
                let mut before = std::mem::take(&mut self.before);
                let exp = Exp::Scalar(ScalarOp::new(Op::Max, PrimType::I64), vec![count, Operand::int(0)]);
                let m = self.bind("n", Type::scalar(PrimType::I64), exp, &mut before);
                self.before = before;
                Some(Size::var(m))
            }
        }
    }

    /// The writes of a loop, and the arrays behind it.
    fn inner_loop(&mut self, stm: &Stm, current: &[Var], out: &mut Vec<Stm>) -> Option<(Log, Vec<Var>)> {
        let Exp::Loop { params, form: LoopForm::For(counter, count), body } = &stm.exp else { return None };
        let (counter, count) = (*counter, *count);
        let place = |var: &Var| params.iter().position(|(_, init)| init.var() == Some(*var));
        let places: Vec<usize> = current.iter().map(place).collect::<Option<_>>()?;
        let inner: Vec<Var> = places.iter().map(|k| params[*k].0).collect();
        let rest: Vec<usize> = (0..params.len()).filter(|k| !places.contains(k)).collect();
        let (mut stms, log, last) = self.body(body, &inner)?;
        let own = places.iter().zip(&last).all(|(k, var)| body.result[*k].var() == Some(*var));
        let others = rest.iter().any(|k| self.is_version(body.result[*k]) || self.is_version(params[*k].1));
        if !own || others {
            return None;
        }
        let after = places.iter().map(|k| stm.pat[*k]).collect();
        let pat: Vec<Var> = rest.iter().map(|k| stm.pat[*k]).collect();
        let kept: Vec<Operand> = rest.iter().map(|k| body.result[*k]).collect();
        let mut params: Vec<(Var, Operand)> = rest.iter().map(|k| params[*k]).collect();
        if matches!(log, Log::Empty) {
            let exp = Exp::Loop { params, form: LoopForm::For(counter, count), body: Body { stms, result: kept } };
            if !pat.is_empty() || exp.may_fail() {
                out.push(Stm { pat, exp, span: stm.span });
            }
            return Some((Log::Empty, after));
        }
        let width = self.count(count)?;
        if rest.is_empty() {
            let result = log_operands(&log);
            return Some((self.mapped(counter, Operand::int(0), &width, Body { stms, result }, &log, out)?, after));
        }
        // The loop has other variables: it fills the log as it goes.
        let frame: Vec<Size> = std::iter::once(width.clone()).chain(length(&log)).collect();
        let (mut pat, mut result) = (pat, kept);
        let mut arrays = Vec::new();
        for ((ty, first), value) in self.types(&frame).into_iter().zip(self.nowhere(&frame, out)).zip(log_operands(&log)) {
            let param = self.fresh("log", ty.clone());
            params.push((param, first));
            let exp = Exp::Update { array: param, at: vec![Operand::Var(counter)], value, checked: false };
            result.push(Operand::Var(self.bind("log", ty.clone(), exp, &mut stms)));
            let array = self.fresh("log", ty);
            pat.push(array);
            arrays.push(array);
        }
        let exp = Exp::Loop { params, form: LoopForm::For(counter, count), body: Body { stms, result } };
        out.push(Stm { pat, exp, span: stm.span });
        Some((self.flat(arrays, &frame, out)?, after))
    }
    /// All writes of so many iterations. Where there are several in each, the logs need memory: then those of some iterations are written
    /// before those of the next ones are made.
    fn all_at_once_or_in_chunks(&mut self, work: Work, width: &Size, dests: Vec<Var>, out: &mut Vec<Stm>) -> Option<Exp> {
        let each = match length(&work.log) {
            Some(each) if width.mul(&each).as_constant().is_none_or(|all| all > MOST_LOGGED) => each,
            _ => return self.at_once(work, Operand::int(0), width, dests, out),
        };
        let number = Type::scalar(PrimType::I64);
        let chunk = match each.as_constant() {
            Some(each) => Operand::int((MOST_LOGGED / each.max(1)).max(1)),
            None => {
                let each = Operand::Var(self.bind("each", number.clone(), Exp::Size(each), out));
                let each = self.number(Op::Max, [each, Operand::int(1)], out);
                let chunk = self.number(Op::Div, [Operand::int(MOST_LOGGED), each], out);
                self.number(Op::Max, [chunk, Operand::int(1)], out)
            }
        };
        let count = Operand::Var(self.bind("n", number.clone(), Exp::Size(width.clone()), out));
        // Rounded down, also below 0.
        let before = self.number(Op::Sub, [count, Operand::int(1)], out);
        let before = self.number(Op::Div, [before, chunk], out);
        let chunks = self.number(Op::Add, [before, Operand::int(1)], out);
        let at = self.fresh("piece", number);
        let mut stms = Vec::new();
        let start = self.number(Op::Mul, [Operand::Var(at), chunk], &mut stms);
        let left = self.number(Op::Sub, [count, start], &mut stms);
        let width = self.number(Op::Min, [chunk, left], &mut stms);
        let types: Vec<Type> = dests.iter().map(|dest| self.program.vars[*dest].ty.clone()).collect();
        let arrays: Vec<Var> = types.iter().map(|ty| self.fresh("array", ty.clone())).collect();
        let exp = self.at_once(work, start, &width.var().map(Size::var)?, arrays.clone(), &mut stms)?;
        let written: Vec<Var> = types.into_iter().map(|ty| self.fresh("written", ty)).collect();
        let result = written.iter().map(|var| Operand::Var(*var)).collect();
        stms.push(Stm { pat: written, exp, span: self.span });
        let params = arrays.into_iter().zip(dests.into_iter().map(Operand::Var)).collect();
        Some(Exp::Loop { params, form: LoopForm::For(at, chunks), body: Body { stms, result } })
    }
    /// The writes of so many iterations from `start` on.
    fn at_once(&mut self, work: Work, start: Operand, width: &Size, dests: Vec<Var>, out: &mut Vec<Stm>) -> Option<Exp> {
        let logged = self.mapped(work.counter, start, width, work.body, &work.log, out)?;
        let Log::Many(width, index, values) = logged else { return None };
        let mut inputs = vec![index];
        inputs.extend(values);
        let params: Vec<Var> = inputs.iter().map(|input| self.fresh("w", self.program.vars[*input].ty.cell(1))).collect();
        let result = params.iter().map(|var| Operand::Var(*var)).collect();
        let lambda = Lambda { params, body: Body { stms: Vec::new(), result } };
        Some(match work.kind {
            Kind::Scatter => Exp::Scatter { width, inputs, lambda, dests },
            Kind::Hist(operator) => Exp::Hist { width, inputs, lambda, dests, operator },
        })
    }
    /// An operation on two numbers.
    fn number(&mut self, op: Op, args: [Operand; 2], out: &mut Vec<Stm>) -> Operand {
        let exp = Exp::Scalar(ScalarOp::new(op, PrimType::I64), args.to_vec());
        Operand::Var(self.bind("m", Type::scalar(PrimType::I64), exp, out))
    }
    /// The logs that a body makes for each of `width` numbers from `start` on, one after the other.
    fn mapped(&mut self, counter: Var, start: Operand, width: &Size, body: Body, log: &Log, out: &mut Vec<Stm>) -> Option<Log> {
        let numbers = Exp::Iota { start, step: Operand::int(1) };
        let ty = Type { elem: PrimType::I64, shape: vec![width.clone()] };
        let numbers = self.bind("numbers", ty, numbers, out);
        let frame: Vec<Size> = std::iter::once(width.clone()).chain(length(log)).collect();
        let pat: Vec<Var> = self.types(&frame).into_iter().map(|ty| self.fresh("log", ty)).collect();
        let lambda = Lambda { params: vec![counter], body };
        let soac = Soac { width: width.clone(), inputs: vec![numbers], lambda, scans: Vec::new(), reduces: Vec::new() };
        out.push(Stm { pat: pat.clone(), exp: Exp::Soac(soac), span: self.span });
        self.flat(pat, &frame, out)
    }
    /// A log whose index has these dimensions.
    fn flat(&mut self, arrays: Vec<Var>, frame: &[Size], out: &mut Vec<Stm>) -> Option<Log> {
        let all = frame.iter().fold(Size::constant(1), |all, size| all.mul(size));
        let arrays = match frame {
            [_] => arrays,
            _ => {
                let types = self.types(std::slice::from_ref(&all));
                arrays.into_iter().zip(types).map(|(array, ty)| self.bind("log", ty, Exp::Reshape(array), out)).collect()
            }
        };
        let (index, values) = arrays.split_first()?;
        Some(Log::Many(all, *index, values.to_vec()))
    }
    /// Several logs as one.
    fn joined(&mut self, mut logs: Vec<Log>, out: &mut Vec<Stm>) -> Log {
        logs.retain(|log| !matches!(log, Log::Empty));
        if logs.len() <= 1 {
            return logs.pop().unwrap_or(Log::Empty);
        }
        let single = logs.iter().all(|log| matches!(log, Log::One(..)));
        let mut total = Size::constant(0);
        let mut columns: Vec<Vec<Operand>> = vec![Vec::new(); self.cells.len() + 1];
        for log in logs {
            let (length, operands) = if single {
                (Size::constant(1), log_operands(&log))
            } else {
                let (length, arrays) = self.arrays(log, out);
                (length, arrays.into_iter().map(Operand::Var).collect())
            };
            total = total.add(&length);
            columns.iter_mut().zip(operands).for_each(|(column, a)| column.push(a));
        }
        let mut arrays = Vec::with_capacity(columns.len());
        for (ty, column) in self.types(std::slice::from_ref(&total)).into_iter().zip(columns) {
            let exp = if single { Exp::Stack(column) } else { Exp::Concat(column.into_iter().filter_map(Operand::var).collect()) };
            arrays.push(self.bind("log", ty, exp, out));
        }
        let index = arrays.remove(0);
        Log::Many(total, index, arrays)
    }
}

/// Where variables are among results.
fn places_of(vars: &[Var], result: &[Operand]) -> Option<Vec<usize>> {
    vars.iter().map(|var| result.iter().position(|a| a.var() == Some(*var))).collect()
}

/// The length of a log of arrays.
fn length(log: &Log) -> Option<Size> {
    if let Log::Many(length, ..) = log { Some(length.clone()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::super::{dead, simplify};
    use super::loops_to_histograms;

    #[test]
    fn one_write_in_each_iteration() {
        body_becomes(
            &[loops_to_histograms, simplify, dead],
            "([n i64] [h [i32 n]] [k i64] [is [i64 k]]) ([R [i32 n]])",
            "(let ([r [i32 n]]) (loop ([a [i32 n] h]) (for j k)
               (let ([i i64]) (index is j unchecked))
               (let ([b [i32 n]]) (hist (a) 1 () (return i 1i32) (with commutative (0i32) ([x i32] [y i32]) (let ([s i32]) (i32.+ x y)) (return s))))
               (return b)))
             (return r)",
            "(let ([numbers [i64 k]]) (iota 0 1))
             (let ([log [i64 k]]) (soac k ([j i64 numbers])
               (let ([i i64]) (index is j unchecked))
               (return i)))
             (let ([r [i32 n]]) (hist (h) k ([w i64 log])
               (return w 1i32)
               (with commutative (0i32) ([x i32] [y i32]) (let ([s i32]) (i32.+ x y)) (return s))))
             (return r)",
        );
    }

    #[test]
    fn branches_and_loops_write_logs_of_one_length() {
        body_becomes(
            &[loops_to_histograms, dead],
            "([n i64] [h [i32 n]] [cs [bool 5]]) ([R [i32 n]])",
            "(let ([r [i32 n]]) (loop ([a [i32 n] h]) (for j 5i64)
               (let ([c bool]) (index cs j unchecked))
               (let ([b [i32 n]]) (if c
                 (then
                   (let ([d [i32 n]]) (loop ([e [i32 n] a]) (for q 3i64)
                     (let ([f [i32 n]]) (scatter (e) 1 () (return q 1i32)))
                     (return f)))
                   (return d))
                 (else (return a))))
               (return b)))
             (return r)",
            "(let ([numbers [i64 5]]) (iota 0 1))
             (let ([log [i64 5 3]] [log.1 [i32 5 3]]) (soac 5 ([j i64 numbers])
               (let ([c bool]) (index cs j unchecked))
               (let ([log.2 [i64 3]] [log.3 [i32 3]]) (if c
                 (then
                   (let ([numbers.1 [i64 3]]) (iota 0 1))
                   (let ([log.4 [i64 3]] [log.5 [i32 3]]) (soac 3 ([q i64 numbers.1]) (return q 1i32)))
                   (return log.4 log.5))
                 (else
                   (let ([none [i64 3]]) (rep -1i64))
                   (let ([none.1 [i32 3]]) (rep 0i32))
                   (return none none.1))))
               (return log.2 log.3)))
             (let ([log.6 [i64 15]]) (reshape log))
             (let ([log.7 [i32 15]]) (reshape log.1))
             (let ([r [i32 n]]) (scatter (h) 15 ([w i64 log.6] [w.1 i32 log.7]) (return w w.1)))
             (return r)",
        );
    }

    #[test]
    fn arrays_that_are_read_and_counts_of_the_iteration_stay() {
        stays(
            &[loops_to_histograms],
            "([n i64] [h [i64 n]] [k i64]) ([R [i64 n]] [S [i64 n]] [T [i64 n]])",
            "(let ([r [i64 n]]) (loop ([a [i64 n] h]) (for j k)
               (let ([x i64]) (index a j))
               (let ([b [i64 n]]) (scatter (a) 1 () (return x j)))
               (return b)))
             (let ([s [i64 n]] [t [i64 n]]) (loop ([c [i64 n] h] [d [i64 n] h]) (for i k)
               (let ([e [i64 n]]) (scatter (c) 1 () (return i i)))
               (return d e)))
             (return r s t)",
        );
        stays(
            &[loops_to_histograms],
            "([n i64] [h [i64 n]] [k i64]) ([R [i64 n]] [S [i64 n]])",
            "(let ([r [i64 n]]) (loop ([a [i64 n] h]) (for j k)
               (let ([b [i64 n]] [c i64]) (loop ([d [i64 n] a] [m i64 j]) (while (let ([x bool]) (i64.> m 0)) (return x))
                 (let ([e [i64 n]]) (scatter (d) 1 () (return m j)))
                 (let ([h2 i64]) (i64./ m 2))
                 (return e h2)))
               (return b)))
             (let ([s [i64 n]]) (loop ([f [i64 n] h]) (for i k)
               (let ([g [i64 n]]) (hist (f) 1 () (return i i) (with (0) ([x.1 i64] [y.1 i64]) (let ([u i64]) (i64.+ x.1 y.1)) (return u))))
               (let ([l [i64 n]]) (hist (g) 1 () (return i i) (with (0) ([x.2 i64] [y.2 i64]) (let ([v i64]) (i64.max x.2 y.2)) (return v))))
               (return l)))
             (return r s)",
        );
    }
}
