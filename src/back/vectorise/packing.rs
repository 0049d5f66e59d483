//! Packing of elements that are strided for neighbouring lanes and read repeatedly: a loop over the coordinates of a point inside of a loop
//! over other points reads the same coordinates each time. They are copied first, so that those of all lanes are contiguous.
//!
//! **Law.** A copy holds what is read, since nothing is written before the last loop of an iteration has ended.

use super::affine::{Defs, Steps};
use super::plan::is_loop;
use super::{Loop, Vectorise};
use crate::base::Symbol;
use crate::base::mutation::mutated;
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Local, Ptr, PtrInfo, Stmt, leaf_stmt};

/// A copy of `from[index]` for all `var` in `0..width` and all lanes.
#[derive(Clone)]
pub struct Pack {
    /// The copy: the element for `var` of a lane is number `var` of that lane.
    pub ptr: Ptr,
    /// Where the elements are.
    pub from: Ptr,
    /// Where in there: made of `var`, the lane's counter and what is outside of the loop.
    pub index: Expr,
    /// The counter of an inner loop.
    pub var: Local,
    /// How far it counts, made of what is outside of the loop.
    pub width: Expr,
}

/// Larger expressions are not looked at.
const LARGE: usize = 64;

struct Packer<'a, 'f> {
    all: &'a mut Vectorise<'f>,
    defs: Defs,
    lane: Local,
    packs: Vec<Pack>,
    /// The loops around, with their ends.
    loops: Vec<(Local, Option<Expr>)>,
}

/// The loop with packed elements in place of strided ones, and the packs.
pub fn packing(all: &mut Vectorise, loop_: &Loop) -> Option<(Loop, Vec<Pack>)> {
    let last = loop_.body.iter().rposition(is_loop)?;
    let (before, _) = loop_.body.split_at(last + 1);
    let mut defs = Defs::default();
    if !define(before, &mut defs) {
        return None;
    }
    let mut packer = Packer { all, defs, lane: loop_.var, packs: Vec::new(), loops: Vec::new() };
    let mut body = loop_.body.clone();
    for stmt in &mut body[..=last] {
        packer.stmt(stmt);
    }
    let packs = packer.packs;
    (!packs.is_empty()).then(|| (Loop { body, ..loop_.clone() }, packs))
}

/// What statements define; whether they write nothing.
fn define(list: &[Stmt], defs: &mut Defs) -> bool {
    let set = |local: Local, e: &Expr, defs: &mut Defs| {
        defs.entry(local).and_modify(|def| *def = None).or_insert_with(|| Some(e.clone()));
    };
    list.iter().all(|stmt| match stmt {
        Stmt::Comment(_) => true,
        Stmt::Set(local, e) => {
            set(*local, e, defs);
            true
        }
        Stmt::For { var, from, body, .. } => {
            set(*var, from, defs);
            define(body, defs)
        }
        Stmt::If(_, then, els) => define(then, defs) && define(els, defs),
        Stmt::Point(..)
        | Stmt::Alloc { .. }
        | Stmt::Stack(_)
        | Stmt::Move { .. }
        | Stmt::Transfer { .. }
        | Stmt::Release(_)
        | Stmt::Store(..)
        | Stmt::Prefetch(..)
        | Stmt::Copy { .. }
        | Stmt::Scan(_)
        | Stmt::While(..)
        | Stmt::Check(..)
        | Stmt::Call { .. }
        | Stmt::Parallel(_)
        | Stmt::Launch(_)
        | Stmt::Atomic(_)
        | Stmt::Ghost(_)
        | Stmt::Probe(_) => false,
    })
}

impl Packer<'_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match stmt {
            Stmt::Set(_, e) => self.expr(e),
            Stmt::For { var, from, to, body, .. } => {
                let end = if from.as_int() == Some(0) { self.resolve(to, &[]) } else { None };
                self.loops.push((*var, end));
                body.iter_mut().for_each(|stmt| self.stmt(stmt));
                self.loops.pop();
            }
            Stmt::If(cond, then, els) => {
                self.expr(cond);
                then.iter_mut().chain(els).for_each(|stmt| self.stmt(stmt));
            }
            Stmt::Store(..) | Stmt::Scan(_) | Stmt::While(..) | Stmt::Parallel(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!() => {}
        }
    }
    fn expr(&mut self, e: &mut Expr) {
        match e {
            Expr::Load(ptr, index) => {
                self.expr(index);
                if let Some((copy, at)) = self.copy(*ptr, index) {
                    *ptr = copy;
                    **index = at;
                }
            }
            Expr::Op(_, args) => args.iter_mut().for_each(|arg| self.expr(arg)),
            Expr::Int(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Select(a, b, c) | Expr::Blend(_, a, b, c) | Expr::Quotient(_, a, b, c) => {
                [a, b, c].into_iter().for_each(|e| self.expr(e))
            }
            Expr::Const(_) | Expr::Local(_) | Expr::Chunks { .. } | Expr::Threads | Expr::Registers | Expr::Thread => {}
        }
    }
    /// The copy that an element is in, and where in it.
    fn copy(&mut self, from: Ptr, index: &Expr) -> Option<(Ptr, Expr)> {
        if self.loops.len() < 2 || Steps::new(&self.defs, self.lane).of(index).is_near() {
            return None;
        }
        let counters: Vec<Local> = self.loops.iter().map(|(var, _)| *var).collect();
        let index = self.resolve(index, &counters)?;
        let mut used = Vec::new();
        visit::expr(&index, &mut |mention| {
            if let Mention::Read(local) = mention
                && counters.contains(&local)
                && !used.contains(&local)
            {
                used.push(local);
            }
        });
        let &[var] = used.as_slice() else { return None };
        let width = self.loops.iter().find(|(other, _)| *other == var)?.1.clone()?;
        if let Some(pack) = self.packs.iter().find(|pack| pack.from == from && pack.var == var && pack.index == index) {
            return Some((pack.ptr, Expr::Local(var)));
        }
        let elem = self.all.fun.ptrs[from].elem;
        let ptr = self.all.fun.ptrs.alloc(PtrInfo { name: Symbol::new("packed"), elem, stack: None });
        let count = mutated!(PackShort, width, width.minus(Expr::int(1)));
        self.packs.push(Pack { ptr, from, index, var, width: count });
        Some((ptr, Expr::Local(var)))
    }
    /// An index made of the lane's counter, of these counters, and of what is outside of the loop. Nothing is read for it.
    fn resolve(&self, e: &Expr, counters: &[Local]) -> Option<Expr> {
        let mut size = 0;
        self.resolved(e, counters, &mut size)
    }
    fn resolved(&self, e: &Expr, counters: &[Local], size: &mut usize) -> Option<Expr> {
        *size += 1;
        if *size > LARGE {
            return None;
        }
        match e {
            Expr::Const(_) => Some(e.clone()),
            Expr::Local(local) if *local == self.lane || counters.contains(local) => (!counters.is_empty()).then(|| e.clone()),
            Expr::Local(local) => match self.defs.get(local) {
                None => Some(e.clone()),
                Some(def) => self.resolved(def.as_ref()?, counters, size),
            },
            Expr::Int(op, a, b) => {
                let (a, b) = (self.resolved(a, counters, size)?, self.resolved(b, counters, size)?);
                Some(Expr::Int(*op, Box::new(a), Box::new(b)))
            }
            // Packing computes it where the loop would perhaps not have: operations that may have no result stay in the loop.
            Expr::Op(op, args) if op.prim.is_int() && op.condition().is_none() => {
                let args: Option<Vec<Expr>> = args.iter().map(|arg| self.resolved(arg, counters, size)).collect();
                Some(Expr::Op(*op, args?))
            }
            Expr::Load(..)
            | Expr::Op(..)
            | Expr::Select(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => None,
        }
    }
}
