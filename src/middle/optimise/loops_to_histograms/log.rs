//! Logs of writes: how those of branches, of inner loops and of statements in a row become one.

use super::Writer;
use crate::base::{PrimType, Scalar};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Size, Soac, Stm, Type, Var};

/// The writes of some statements, in order: indices and, for each of the arrays, cells.
pub(super) enum Log {
    Empty,
    /// One write.
    One(Operand, Vec<Operand>),
    /// Arrays of so many indices and cells.
    Many(Size, Var, Vec<Var>),
}

pub(super) fn log_operands(log: &Log) -> Vec<Operand> {
    match log {
        Log::Empty => Vec::new(),
        Log::One(index, values) => std::iter::once(*index).chain(values.iter().copied()).collect(),
        Log::Many(_, index, values) => std::iter::once(*index).chain(values.iter().copied()).map(Operand::Var).collect(),
    }
}

/// The logs of two branches in one form.
pub(super) struct Alike {
    /// No dimension for single writes, else a length; nothing if there are no writes.
    pub frame: Option<Vec<Size>>,
    /// What each branch returns.
    pub then: Vec<Operand>,
    pub els: Vec<Operand>,
}

/// The length of a log of arrays.
pub(super) fn length(log: &Log) -> Option<Size> {
    if let Log::Many(length, ..) = log { Some(length.clone()) } else { None }
}

impl Writer<'_> {
    /// Types of a log of so many writes; those of a single write without a size.
    pub(super) fn types(&self, frame: &[Size]) -> Vec<Type> {
        let index = Type::scalar(PrimType::I64);
        std::iter::once(&index).chain(&self.cells).map(|ty| ty.framed(frame)).collect()
    }
    /// The logs of two branches made of one form.
    pub(super) fn alike(&mut self, then: Log, in_then: &mut Vec<Stm>, els: Log, in_els: &mut Vec<Stm>) -> Option<Alike> {
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
    pub(super) fn nowhere(&mut self, frame: &[Size], out: &mut Vec<Stm>) -> Vec<Operand> {
        let mut all = Vec::with_capacity(self.cells.len() + 1);
        for (k, ty) in self.types(frame).into_iter().enumerate() {
            let fill = if k == 0 { Operand::int(-1) } else { Operand::Const(Scalar::from_i128(ty.elem, 0)) };
            all.push(if ty.rank() == 0 { fill } else { Operand::Var(self.bind("none", ty, Exp::Rep(fill), out)) });
        }
        all
    }
    /// A log as arrays, with its length; no arrays if that is 0.
    pub(super) fn arrays(&mut self, log: Log, out: &mut Vec<Stm>) -> (Size, Vec<Var>) {
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
    pub(super) fn filled(&mut self, log: Vec<Var>, missing: &Size, out: &mut Vec<Stm>) -> Vec<Operand> {
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
    /// The logs that a body makes for each of `width` numbers from `start` on, one after the other.
    pub(super) fn mapped(&mut self, counter: Var, start: Operand, width: &Size, body: Body, log: &Log, out: &mut Vec<Stm>) -> Option<Log> {
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
    pub(super) fn flat(&mut self, arrays: Vec<Var>, frame: &[Size], out: &mut Vec<Stm>) -> Option<Log> {
        let all = Size::product(frame);
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
    pub(super) fn joined(&mut self, mut logs: Vec<Log>, out: &mut Vec<Stm>) -> Log {
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
