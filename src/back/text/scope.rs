//! In which block of a function of C a variable is declared: the innermost that has all its mentions. Loops can be vectorised only if
//! what is new in each iteration is declared in their bodies.

use crate::ir::imp::visit::{self, Mention, captured};
use crate::ir::imp::{Atomic, Handle, Local, Place, Ptr, Stmt, leaf_stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Blocks are numbered in the order in which they begin; 0 is the function.
#[derive(Debug, Default)]
pub struct Homes {
    /// The block around each block, and its depth.
    parents: Vec<(usize, usize)>,
    locals: Vec<(Local, usize)>,
    ptr_homes: FxHashMap<Ptr, usize>,
    /// Pointers in order of their first mentions.
    pub ptrs: Vec<Ptr>,
    /// Handles in order of their first mentions.
    pub handles: Vec<Handle>,
    next: usize,
}

/// Calls its argument with what else is mentioned.
pub type Also<'a> = dyn Fn(&mut dyn FnMut(Mention)) + 'a;

/// What is found on the way.
struct Walk<'a> {
    homes: Homes,
    outside: &'a FxHashSet<Mention>,
    local_homes: FxHashMap<Local, usize>,
    order: Vec<Local>,
    counters: FxHashSet<Local>,
    /// Which pointers may point into the same array of the function's frame.
    same: FxHashMap<Ptr, Ptr>,
    seen: FxHashSet<Handle>,
}

impl Homes {
    /// Where the variables of a function are declared, apart from those in `outside`. `also` is mentioned at its end.
    pub fn new(body: &[Stmt], outside: &FxHashSet<Mention>, also: &Also) -> Homes {
        let homes = Homes { parents: vec![(0, 0)], next: 1, ..Homes::default() };
        let mut walk = Walk {
            homes,
            outside,
            local_homes: FxHashMap::default(),
            order: Vec::new(),
            counters: FxHashSet::default(),
            same: FxHashMap::default(),
            seen: FxHashSet::default(),
        };
        walk.stmts(body, 0);
        also(&mut |mention| walk.mention(mention, 0));
        let Walk { mut homes, local_homes, order, counters, same, .. } = walk;
        homes.locals = order.into_iter().filter(|local| !counters.contains(local)).map(|local| (local, local_homes[&local])).collect();
        // Arrays in the frame live as long as all pointers into them.
        let mut of_class: FxHashMap<Ptr, usize> = FxHashMap::default();
        for ptr in &homes.ptrs {
            let class = root(&same, *ptr);
            let home = homes.ptr_homes[ptr];
            let joined = of_class.get(&class).map_or(home, |other| homes.common(*other, home));
            of_class.insert(class, joined);
        }
        for ptr in homes.ptrs.clone() {
            homes.ptr_homes.insert(ptr, of_class[&root(&same, ptr)]);
        }
        homes.next = 1;
        homes
    }

    /// The variables that the block declares.
    pub fn take(&mut self, block: usize) -> (Vec<Local>, Vec<Ptr>) {
        let locals = self.locals.iter().filter(|(_, home)| *home == block).map(|(local, _)| *local).collect();
        let ptrs = self.ptrs.iter().filter(|ptr| self.ptr_homes.get(ptr) == Some(&block)).copied().collect();
        (locals, ptrs)
    }
    /// The number of the next block that begins.
    pub fn next_block(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }
    /// Whether a pointer is declared in the block that begins next, or in one inside of it.
    pub fn belongs_to_next(&self, ptr: Ptr) -> bool {
        let Some(&home) = self.ptr_homes.get(&ptr) else { return false };
        let mut at = home;
        while at > self.next {
            at = self.parents[at].0;
        }
        at == self.next
    }
    fn common(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if self.parents[a].1 >= self.parents[b].1 {
                a = self.parents[a].0;
            } else {
                b = self.parents[b].0;
            }
        }
        a
    }
}

fn root(same: &FxHashMap<Ptr, Ptr>, mut ptr: Ptr) -> Ptr {
    while let Some(next) = same.get(&ptr) {
        ptr = *next;
    }
    ptr
}

impl Walk<'_> {
    fn block(&mut self, parent: usize) -> usize {
        let depth = self.homes.parents[parent].1 + 1;
        self.homes.parents.push((parent, depth));
        self.homes.next += 1;
        self.homes.next - 1
    }
    fn mention(&mut self, mention: Mention, block: usize) {
        match mention {
            Mention::Read(local) | Mention::Set(local) => {
                if self.outside.contains(&Mention::Set(local)) {
                    return;
                }
                match self.local_homes.get(&local) {
                    Some(home) => {
                        let home = self.homes.common(*home, block);
                        self.local_homes.insert(local, home);
                    }
                    None => {
                        self.local_homes.insert(local, block);
                        self.order.push(local);
                    }
                }
            }
            Mention::Use(ptr) | Mention::Point(ptr) => {
                if self.outside.contains(&Mention::Point(ptr)) {
                    return;
                }
                match self.homes.ptr_homes.get(&ptr) {
                    Some(home) => {
                        let home = self.homes.common(*home, block);
                        self.homes.ptr_homes.insert(ptr, home);
                    }
                    None => {
                        self.homes.ptr_homes.insert(ptr, block);
                        self.homes.ptrs.push(ptr);
                    }
                }
            }
            Mention::Handle(handle) => {
                if self.seen.insert(handle) {
                    self.homes.handles.push(handle);
                }
            }
        }
    }
    fn unite(&mut self, a: Ptr, b: Ptr) {
        let (a, b) = (root(&self.same, a), root(&self.same, b));
        if a != b {
            self.same.insert(a, b);
        }
    }
    fn expr(&mut self, e: &crate::ir::imp::Expr, block: usize) {
        let mut list = Vec::new();
        visit::expr(e, &mut |mention| list.push(mention));
        list.into_iter().for_each(|mention| self.mention(mention, block));
    }
    fn atomic(&mut self, atomic: &Atomic, block: usize) {
        match atomic {
            Atomic::Op(_, ptr, index, value) => {
                self.mention(Mention::Use(*ptr), block);
                self.expr(index, block);
                self.expr(value, block);
            }
            Atomic::Combine(combine, ptr, index, value) => {
                self.mention(Mention::Use(*ptr), block);
                self.expr(index, block);
                self.expr(value, block);
                self.stmts(&combine.body, block);
                combine.results.iter().for_each(|e| self.expr(e, block));
                // The operands are parameters.
                self.counters.extend(combine.left.iter().chain(&combine.right));
            }
            Atomic::Locked(ptr, bin, body) => {
                self.mention(Mention::Use(*ptr), block);
                self.expr(bin, block);
                self.stmts(body, block);
            }
        }
    }
    fn stmts(&mut self, stmts: &[Stmt], block: usize) {
        for stmt in stmts {
            self.stmt(stmt, block);
        }
    }
    fn stmt(&mut self, stmt: &Stmt, block: usize) {
        match stmt {
            Stmt::For { var, from, to, order, body } => {
                self.expr(from, block);
                self.expr(to, block);
                self.counters.insert(*var);
                if let crate::ir::imp::Order::Reduce(sums) = order {
                    sums.iter().for_each(|(local, _)| self.mention(Mention::Read(*local), block));
                }
                let inner = self.block(block);
                self.stmts(body, inner);
            }
            Stmt::Scan(scan) => {
                self.expr(&scan.from, block);
                self.expr(&scan.to, block);
                self.counters.insert(scan.var);
                scan.sums.iter().for_each(|(local, _)| self.mention(Mention::Read(*local), block));
                for body in [&scan.cell, &scan.done] {
                    let inner = self.block(block);
                    self.stmts(body, inner);
                }
            }
            Stmt::While(first, cond, second) => {
                let inner = self.block(block);
                self.stmts(first, inner);
                self.expr(cond, inner);
                self.stmts(second, inner);
            }
            Stmt::If(cond, then, els) => {
                self.expr(cond, block);
                for body in [then, els] {
                    let inner = self.block(block);
                    self.stmts(body, inner);
                }
            }
            Stmt::Parallel(par) => {
                self.expr(&par.width, block);
                self.expr(&par.chunks, block);
                for mention in captured(&par.body, &[par.lo, par.hi, par.chunk]) {
                    self.mention(mention, block);
                }
            }
            Stmt::Launch(launch) => {
                let mut list = Vec::new();
                visit::sizes(&launch.work, &mut |mention| list.push(mention));
                list.extend(launch.threads.map(Mention::Read));
                list.extend(visit::free(&[], |see| visit::kernel(launch, see)));
                list.into_iter().for_each(|mention| self.mention(mention, block));
            }
            Stmt::Atomic(atomic) => self.atomic(atomic, block),
            other @ (Stmt::Set(..) | Stmt::Store(..) | leaf_stmt!()) => {
                if let Stmt::Point(ptr, Place::Ptr(base, _)) = other {
                    self.unite(*ptr, *base);
                }
                let mut list = Vec::new();
                visit::stmts(std::slice::from_ref(other), &mut |mention| list.push(mention));
                list.into_iter().for_each(|mention| self.mention(mention, block));
            }
        }
    }
}
