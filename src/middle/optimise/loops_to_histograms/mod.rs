//! Loops that do nothing but write to arrays, one place at a time, become one writing of all that they write.
//!
//! Law: a loop whose iterations write single values to the same arrays with the same operator is one histogram (or scatter, without an
//! operator) of the log of these writes, in the order of the iterations. Both sides of a branch write logs of one length, or constant numbers
//! of times: then the shorter one is filled up with writes to no place. The log of an inner loop has the writes of an iteration for each of
//! them. So that all iterations of the loop write logs of one length, the counts of inner loops must be known before it; other loops stay,
//! and write where they are. The loop has no other variables, so its iterations do not depend on each other, and what may fail is only what
//! computes the writes. Where an iteration writes several times, so that the logs are arrays, they are made and written for a bounded number
//! of iterations at a time, in order. Accumulators of the surface language come here as such loops.

mod log;
#[cfg(test)]
mod tests;

use super::cse::same_operator;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::soac::visit::{Part, bound_by, mentioned};
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Program, Size, Stm, Type, Var, parallel_exp, single_exp};
use log::{Alike, Log, length, log_operands};
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

/// Whether it is an update of one element, or the combination of one element with another.
fn is_single_write(exp: &Exp) -> bool {
    match exp {
        Exp::Hist { width, .. } | Exp::Scatter { width, .. } => width.as_constant() == Some(1),
        Exp::Soac(_)
        | Exp::Seg(_)
        | Exp::Filter { .. }
        | Exp::Rows { .. }
        | Exp::If { .. }
        | Exp::Loop { .. }
        | Exp::Check(_)
        | Exp::Call(..)
        | single_exp!() => false,
    }
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
}

/// Where variables are among results.
fn places_of(vars: &[Var], result: &[Operand]) -> Option<Vec<usize>> {
    vars.iter().map(|var| result.iter().position(|a| a.var() == Some(*var))).collect()
}
