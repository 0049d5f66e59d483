//! Maps whose threads take several neighbours at a time. What they read and write for themselves is read and written in vectors of up to 16
//! bytes: with elements of 4 bytes, threads do not ask for enough bytes at a time to use all of what memory can give.
//!
//! The kernel still has the code for one cell: for what is left over at the end, and for arrays that begin where vectors may not (slices).

use super::values::{Split, Values, accesses};
use super::{each_launch, is_known, known_outside};
use crate::ir::imp::variants::{Access, Vectors};
use crate::ir::imp::visit::Mention;
use crate::ir::imp::weight::weight;
use crate::ir::imp::{Expr, Fun, Int, Launch, Local, Program, Stmt, Work};
use rustc_hash::FxHashSet;

/// Bytes that a thread reads or writes at once, and cells that it takes, at most.
const VECTOR: usize = 16;
const MOST: usize = 8;
/// Statements of a cell, and operations in it that are calls, from which the time goes into computing.
const LARGE: usize = 48;
const CALLS: usize = 6;

/// Finds maps that read and write in vectors.
pub(super) fn vectors(program: Program) -> Program {
    each_launch(program, &mut |fun, launch| launch.variants.vectors = find(fun, launch))
}

/// A map that is looked at.
struct Map<'a> {
    index: Local,
    outside: &'a FxHashSet<Mention>,
    values: Values<'a>,
    /// Quotient and remainder of the number of the cell by the same size.
    split: Option<Split<'a>>,
}

impl Map<'_> {
    /// Whether an index is the number of the cell, and what is added to it.
    fn flat(&self, e: &Expr) -> Option<Vec<Expr>> {
        let mut terms = Vec::new();
        self.terms(e, &mut terms);
        let number = |e: &&Expr| matches!(e, Expr::Local(local) if *local == self.index);
        if let Some(at) = terms.iter().position(number) {
            terms.remove(at);
        } else {
            let Split { quotient, rest, by } = self.split?;
            let at = terms.iter().position(|e| matches!(e, Expr::Local(local) if *local == rest))?;
            terms.remove(at);
            let product = |e: &Expr| {
                let Expr::Int(Int::Mul, a, b) = e else { return false };
                [(a, b), (b, a)].into_iter().any(|(a, b)| **a == Expr::Local(quotient) && b.as_ref() == by)
            };
            let at = terms.iter().position(|e| product(e))?;
            terms.remove(at);
        }
        // Neighbours of what can be read at once cannot be.
        let rest = terms.iter().all(|e| e.as_int().map_or(is_known(e, self.outside), |n| n % MOST as i64 == 0));
        rest.then(|| terms.into_iter().filter(|e| e.as_int() != Some(0)).cloned().collect())
    }
    /// What an index is the sum of; locals of the map stand for what they are.
    fn terms<'x>(&self, e: &'x Expr, out: &mut Vec<&'x Expr>)
    where
        Self: 'x,
    {
        if let Expr::Int(Int::Add, a, b) = e {
            [a, b].into_iter().for_each(|e| self.terms(e, out));
        } else if let Expr::Local(local) = e
            && let Some(sum @ Expr::Int(Int::Add | Int::Mul, ..)) = self.values.values.get(local)
        {
            self.terms(sum, out);
        } else {
            out.push(e);
        }
    }
}

/// Whether something is read in a choice: it need not be there where the other is chosen.
fn chosen(e: &Expr) -> bool {
    if let Expr::Select(cond, a, b) = e {
        return chosen(cond) || a.has_loads() || b.has_loads();
    }
    let mut found = false;
    e.parts(&mut |e| found = found || chosen(e));
    found
}

/// Whether a body is one statement after the other, with all that is read before all that is written, and nothing read in a choice.
fn reads_first(body: &[Stmt]) -> bool {
    let (mut set, mut written) = (FxHashSet::default(), false);
    for stmt in body {
        let (has_reads, e) = match stmt {
            Stmt::Comment(_) => continue,
            Stmt::Set(local, e) if set.insert(*local) => (e.has_loads(), e),
            Stmt::Store(_, at, value) => (at.has_loads() || value.has_loads(), value),
            Stmt::Set(..)
            | Stmt::Point(..)
            | Stmt::Alloc { .. }
            | Stmt::Stack(_)
            | Stmt::Move { .. }
            | Stmt::Transfer { .. }
            | Stmt::Release(_)
            | Stmt::Prefetch(..)
            | Stmt::Copy { .. }
            | Stmt::For { .. }
            | Stmt::Scan(_)
            | Stmt::While(..)
            | Stmt::If(..)
            | Stmt::Check(..)
            | Stmt::Call { .. }
            | Stmt::Parallel(_)
            | Stmt::Launch(_)
            | Stmt::Atomic(_)
            | Stmt::Ghost(_)
            | Stmt::Probe(_) => return false,
        };
        if written && has_reads || chosen(e) {
            return false;
        }
        written |= matches!(stmt, Stmt::Store(..));
    }
    true
}

/// What a map reads and writes in vectors, if that pays.
fn find(fun: &Fun, launch: &Launch) -> Option<Vectors> {
    let Work::Map { index, body, .. } = &launch.work else { return None };
    if launch.threads.is_some() || launch.heap || body.len() > LARGE || weight(body) > CALLS || !reads_first(body) {
        return None;
    }
    let outside = known_outside(launch);
    let mut values = Values::default();
    values.learn(body);
    let split = values.split(*index, &|e| is_known(e, &outside));
    let map = Map { index: *index, outside: &outside, values, split };
    let (mut reads, mut writes, mut others): (Vec<Access>, Vec<Access>, usize) = (Vec::new(), Vec::new(), 0);
    for stmt in body {
        if let Stmt::Store(ptr, at, _) = stmt {
            let base = map.flat(at)?;
            if writes.iter().any(|other| other.ptr == *ptr) {
                return None;
            }
            writes.push(Access { ptr: *ptr, index: at.clone(), base, loaded: false });
        }
    }
    for access in accesses(body) {
        let same = |other: &&mut Access| other.ptr == access.ptr && other.index == *access.index;
        if let Some(known) = writes.iter_mut().chain(&mut reads).find(same) {
            known.loaded |= !access.is_store;
            continue;
        }
        match map.flat(access.index) {
            Some(base) => reads.push(Access { ptr: access.ptr, index: access.index.clone(), base, loaded: true }),
            None if is_known(access.index, &outside) => {}
            None => others += 1,
        }
    }
    let largest = reads.iter().chain(&writes).map(|access| fun.ptrs[access.ptr].elem.bytes()).max()?;
    let each = (VECTOR / largest).min(MOST);
    (each > 1 && !writes.is_empty() && others <= reads.len()).then_some(Vectors { each, reads, writes })
}
