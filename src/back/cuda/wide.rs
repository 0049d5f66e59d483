//! Maps whose threads take several neighbours at a time. What they read and write for themselves is read and written in vectors of up to 16
//! bytes: with elements of 4 bytes, threads do not ask for enough bytes at a time to use all of what memory can give.
//!
//! The kernel still has the code for one cell: for what is left over at the end, and for arrays that begin where vectors may not (slices).

use super::Host;
use super::access::{Values, accesses};
use super::kernel::weight;
use super::thread::{Element, Functor};
use crate::back::text::{Emitter, c_type};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Launch, Local, Ptr, Stmt, Work};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Bytes that a thread reads or writes at once, and cells that it takes, at most.
const VECTOR: usize = 16;
const MOST: usize = 8;
/// Statements of a cell, and operations in it that are calls, from which the time goes into computing.
const LARGE: usize = 48;
const CALLS: usize = 6;

/// What a map reads and writes in vectors.
pub(super) struct Wide {
    /// Cells of a thread.
    pub each: usize,
    /// The elements that are read, and those that are written, with what the index has besides the number of the cell.
    reads: Vec<Access>,
    writes: Vec<Access>,
}

struct Access {
    ptr: Ptr,
    /// The index in the code for a cell.
    index: Expr,
    /// What is added to the number of the cell.
    base: Vec<String>,
}

/// A map that is looked at.
struct Map<'a, 'e> {
    emitter: &'e Emitter<'e, Host>,
    index: Local,
    outside: &'e FxHashSet<Mention>,
    values: Values<'a>,
    /// Quotient and remainder of the number of the cell by the same size.
    split: Option<(Local, Local, &'a Expr)>,
}

impl Map<'_, '_> {
    /// Whether the host knows a value.
    fn captured(&self, e: &Expr) -> bool {
        captured(e, self.outside)
    }
    /// Whether an index is the number of the cell, and what is added to it.
    fn flat(&self, e: &Expr) -> Option<Vec<String>> {
        let mut terms = Vec::new();
        self.terms(e, &mut terms);
        let number = |e: &&Expr| matches!(e, Expr::Local(local) if *local == self.index);
        if let Some(at) = terms.iter().position(number) {
            terms.remove(at);
        } else {
            let (quotient, rest, by) = self.split?;
            let at = terms.iter().position(|e| matches!(e, Expr::Local(local) if *local == rest))?;
            terms.remove(at);
            let by = self.emitter.expr(by);
            let product = |e: &Expr| {
                let Expr::Int(Int::Mul, a, b) = e else { return false };
                [(a, b), (b, a)].into_iter().any(|(a, b)| **a == Expr::Local(quotient) && self.emitter.expr(b) == by)
            };
            let at = terms.iter().position(|e| product(e))?;
            terms.remove(at);
        }
        // Neighbours of what can be read at once cannot be.
        let rest = terms.iter().all(|e| e.as_int().map_or(self.captured(e), |n| n % MOST as i64 == 0));
        let written = terms.iter().filter(|e| e.as_int() != Some(0)).map(|e| self.emitter.nested_subscript(e)).collect();
        rest.then_some(written)
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

/// Whether an expression consists of what the host knows.
pub(super) fn captured(e: &Expr, outside: &FxHashSet<Mention>) -> bool {
    let mut all = true;
    visit::expr(e, &mut |mention| {
        all &= matches!(mention, Mention::Read(local) if outside.contains(&Mention::Set(local)));
    });
    all
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

/// What a map reads and writes in vectors, if that pays.
fn find(emitter: &Emitter<Host>, launch: &Launch, outside: &FxHashSet<Mention>) -> Option<Wide> {
    let Work::Map { index, body, .. } = &launch.work else { return None };
    if launch.threads.is_some() || launch.heap || body.len() > LARGE || weight(body) > CALLS {
        return None;
    }
    // One statement after the other, with all that is read before all that is written.
    let (mut set, mut written) = (FxHashSet::default(), false);
    for stmt in body {
        let has_reads = match stmt {
            Stmt::Comment(_) => false,
            Stmt::Set(local, e) if set.insert(*local) => e.has_loads(),
            Stmt::Store(_, at, value) => at.has_loads() || value.has_loads(),
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
            | Stmt::Ghost(_) => return None,
        };
        if written && has_reads {
            return None;
        }
        written |= matches!(stmt, Stmt::Store(..));
        if let Stmt::Set(_, e) | Stmt::Store(_, _, e) = stmt
            && chosen(e)
        {
            return None;
        }
    }
    let mut map = Map { emitter, index: *index, outside, values: Values::default(), split: None };
    map.values.learn(body);
    let known = |e: &Expr| captured(e, outside);
    if let (Some((quotient, by)), Some((rest, other))) =
        (map.values.part(Int::Div, *index, &known), map.values.part(Int::Rem, *index, &known))
        && emitter.expr(by) == emitter.expr(other)
    {
        map.split = Some((quotient, rest, by));
    }
    let (mut reads, mut writes, mut others): (Vec<Access>, Vec<Access>, usize) = (Vec::new(), Vec::new(), 0);
    for stmt in body {
        if let Stmt::Store(ptr, at, _) = stmt {
            let base = map.flat(at)?;
            if writes.iter().any(|other| other.ptr == *ptr) {
                return None;
            }
            writes.push(Access { ptr: *ptr, index: at.clone(), base });
        }
    }
    for (ptr, at) in accesses(body) {
        if writes.iter().chain(&reads).any(|other| other.ptr == ptr && other.index == *at) {
            continue;
        }
        match map.flat(at) {
            Some(base) => reads.push(Access { ptr, index: at.clone(), base }),
            None if map.captured(at) => {}
            None => others += 1,
        }
    }
    let largest = reads.iter().chain(&writes).map(|access| emitter.fun.ptrs[access.ptr].elem.bytes()).max()?;
    let each = (VECTOR / largest).min(MOST);
    (each > 1 && !writes.is_empty() && others <= reads.len()).then_some(Wide { each, reads, writes })
}

impl Emitter<'_, Host> {
    /// Writes the functor for several cells at a time, behind that for one. Returns how many, and a condition of the kernel.
    pub(super) fn wide(&mut self, launch: &Launch, outside: &FxHashSet<Mention>) -> Option<(usize, String)> {
        let Work::Map { index, body, .. } = &launch.work else { return None };
        let Wide { each, reads, writes } = find(self, launch, outside)?;
        let from = |this: &Self, access: &Access, first: &str| {
            let mut out = this.ptr(access.ptr);
            access.base.iter().chain(&[first.to_string()]).filter(|term| !term.is_empty()).for_each(|term| {
                let _ = write!(out, " + {term}");
            });
            out
        };
        let (mut before, mut after, mut elements) = (String::new(), String::new(), Vec::new());
        for (k, access) in reads.iter().enumerate() {
            let _ = writeln!(before, "    const auto in{k}_ = remora_take<{each}>({});", from(self, access, "first_"));
            elements.push(Element { ptr: access.ptr, index: access.index.clone(), place: format!("in{k}_.value[k_]") });
        }
        for (k, access) in writes.iter().enumerate() {
            let elem = c_type(self.fun.ptrs[access.ptr].elem);
            let _ = writeln!(before, "    remora_vector<{elem}, {each}> out{k}_;");
            let _ = writeln!(after, "    remora_give<{each}>({}, out{k}_);", from(self, access, "first_"));
            // What is read where it is written is what was there before.
            if is_read(body, access.ptr, &access.index) {
                let _ = writeln!(before, "    out{k}_ = remora_take<{each}>({});", from(self, access, "first_"));
            }
            elements.push(Element { ptr: access.ptr, index: access.index.clone(), place: format!("out{k}_.value[k_]") });
        }
        let _ = write!(
            self.dialect.text,
            "  auto wide = [&](int64_t first_) {{\n{before}#pragma unroll\n    for (int k_ = 0; k_ < {each}; k_++) {{\n"
        );
        let head = format!("auto one = [&](int64_t {})", self.local(*index));
        let outside = outside.iter().copied().chain([Mention::Set(*index)]).collect();
        let order = self.local(*index);
        self.functor(Functor {
            head,
            first: Vec::new(),
            outside,
            body,
            also: &[],
            last: None,
            exit: "return;",
            order,
            elements: &elements,
        });
        let _ = write!(self.dialect.text, "      one(first_ + k_);\n    }}\n{after}  }};\n");
        let aligned = reads.iter().chain(&writes).map(|access| format!("remora_aligned<{each}>({})", from(self, access, "")));
        Some((each, aligned.collect::<Vec<_>>().join(" && ")))
    }
}

/// Whether statements read an element.
fn is_read(body: &[Stmt], ptr: Ptr, index: &Expr) -> bool {
    let mut found = false;
    for stmt in body {
        if let Stmt::Set(_, e) | Stmt::Store(_, _, e) = stmt {
            e.loads(&mut |other, at| found = found || other == ptr && at == index);
        }
    }
    found
}
