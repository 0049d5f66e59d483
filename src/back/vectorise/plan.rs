//! How the statements of an iteration are distributed over SIMD lanes, and whether that pays.

use super::affine::{Defs, Step, Steps};
use super::masked::{self, Masked};
use super::packing::Pack;
use super::{Loop, REGISTERS, Vectorise, WIDE, WIDEST};
use crate::base::PrimType;
use crate::base::mutation::mutated;
use crate::base::scalar::{Condition, Op, ScalarOp};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Local, Order, Place, Ptr, Stmt, leaf_stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Lanes for which a loop that stays in its lane is interleaved.
pub const INTERLEAVE: i64 = 4;

/// A part of an iteration.
pub enum Node {
    /// Uniform: the same in all lanes, done once.
    Once(Stmt),
    /// Straight code, a lane at a time.
    Lanes(Vec<Stmt>),
    /// A loop in each lane.
    Keep {
        /// The loop.
        stmt: Stmt,
        /// Whether it is interleaved for [`INTERLEAVE`] lanes.
        interleaved: bool,
    },
    /// A loop that is interchanged with the lanes.
    For {
        /// Its counter.
        var: Local,
        /// The first value.
        from: Expr,
        /// The end.
        to: Expr,
        /// One iteration.
        nodes: Vec<Node>,
    },
    /// A loop that ends when it has ended in all lanes.
    While(Box<Masked>),
}

/// An iteration in parts.
pub struct Plan {
    pub nodes: Vec<Node>,
    /// Variables that are expanded to an element for each lane.
    pub wide: Vec<Local>,
    /// Variables with the same value in all lanes.
    pub uniform: FxHashSet<Local>,
    /// Arrays of an iteration and their sizes.
    pub private: FxHashMap<Ptr, u64>,
    /// Positions that are rematerialised.
    pub rematerialised: FxHashMap<Local, Expr>,
    /// The accumulators of the loop.
    pub sums: Vec<(Local, ScalarOp)>,
    /// Bytes of a lane of the expanded variables that innermost loops work on.
    inner_bytes: u64,
    /// Bytes of the largest of them.
    largest: u64,
}

/// What an iteration sets and points at.
#[derive(Default)]
pub(super) struct Facts {
    defs: Defs,
    /// Set in branches and loops of unknown length.
    conditional: FxHashSet<Local>,
    uniform: FxHashSet<Local>,
    private: FxHashMap<Ptr, u64>,
    rematerialised: FxHashMap<Local, Expr>,
    pointed: Vec<(Ptr, Place)>,
}

/// Makes a plan for an iteration.
pub(super) struct Planner<'f> {
    pub facts: Facts,
    lane: Local,
    pub sums: Vec<(Local, ScalarOp)>,
    /// How often it reads variables.
    pub readers: FxHashMap<Local, usize>,
    fun: &'f crate::ir::imp::Fun,
}

/// Whether a statement is a loop that lanes can share, or has one in it.
pub fn is_loop(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { .. } | Stmt::While(..) => true,
        Stmt::If(_, then, els) => then.iter().chain(els).any(is_loop),
        // These repeat their bodies as well, but have vector registers or threads of their own: what contains one gets no plan
        // (`Facts::collect`).
        Stmt::Scan(_) | Stmt::Parallel(_) => false,
        Stmt::Set(..) | Stmt::Store(..) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!() => false,
    }
}

/// Whether a loop has loop-carried values.
fn carries(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { order, body, .. } => *order != Order::Any || body.iter().any(carries),
        Stmt::While(..) => true,
        Stmt::Set(..)
        | Stmt::Store(..)
        | Stmt::Scan(_)
        | Stmt::If(..)
        | Stmt::Parallel(_)
        | Stmt::Launch(_)
        | Stmt::Atomic(_)
        | leaf_stmt!() => false,
    }
}

/// Calls `see` with the place of each element that is read or written, and whether it is written.
pub fn accesses(list: &[Stmt], see: &mut dyn FnMut(Ptr, &Expr, bool)) {
    let loads = |e: &Expr, see: &mut dyn FnMut(Ptr, &Expr, bool)| e.loads(&mut |ptr, index| see(ptr, index, false));
    for stmt in list {
        match stmt {
            Stmt::Set(_, e) => loads(e, see),
            Stmt::Store(ptr, index, value) => {
                see(*ptr, index, true);
                loads(index, see);
                loads(value, see);
            }
            Stmt::For { body, .. } => accesses(body, see),
            Stmt::While(first, cond, second) => {
                accesses(first, see);
                loads(cond, see);
                accesses(second, see);
            }
            Stmt::If(cond, then, els) => {
                loads(cond, see);
                accesses(then, see);
                accesses(els, see);
            }
            Stmt::Scan(_) | Stmt::Parallel(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!() => {}
        }
    }
}

/// Calls `see` with the operations of straight code.
fn operations(list: &[Stmt], see: &mut dyn FnMut(ScalarOp)) {
    fn of(e: &Expr, see: &mut dyn FnMut(ScalarOp)) {
        if let Expr::Op(op, _) = e {
            see(*op);
        }
        e.parts(&mut |e| of(e, see));
    }
    for stmt in list {
        match stmt {
            Stmt::Set(_, e) => of(e, see),
            Stmt::Store(_, index, value) => [index, value].into_iter().for_each(|e| of(e, see)),
            Stmt::If(cond, then, els) => {
                of(cond, see);
                operations(then, see);
                operations(els, see);
            }
            Stmt::For { .. } | Stmt::Scan(_) | Stmt::While(..) | Stmt::Parallel(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!() => {}
        }
    }
}

/// Whether straight code has functions in it that take long and that vector registers speed up.
pub fn has_slow(list: &[Stmt]) -> bool {
    let mut slow = false;
    operations(list, &mut |op| slow = slow || op.cost().vectorises);
    slow
}

/// Whether the processor stops the program where an operation has no result.
fn may_trap(op: ScalarOp) -> bool {
    op.condition() == Some(Condition::NotZero)
}

/// Whether statements are sets, stores and branches between such.
fn is_straight(list: &[Stmt]) -> bool {
    list.iter().all(|stmt| match stmt {
        Stmt::Comment(_) | Stmt::Set(..) | Stmt::Store(..) | Stmt::Stack(_) => true,
        Stmt::If(_, then, els) => is_straight(then) && is_straight(els),
        Stmt::Point(..)
        | Stmt::Alloc { .. }
        | Stmt::Move { .. }
        | Stmt::Transfer { .. }
        | Stmt::Release(_)
        | Stmt::Prefetch(..)
        | Stmt::Copy { .. }
        | Stmt::For { .. }
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

fn mentions_any(stmt: &Stmt, locals: &[(Local, ScalarOp)]) -> bool {
    let mut found = false;
    visit::stmts(std::slice::from_ref(stmt), &mut |mention| {
        if let Mention::Read(local) | Mention::Set(local) = mention {
            found = found || locals.iter().any(|(sum, _)| *sum == local);
        }
    });
    found
}

impl Facts {
    fn define(&mut self, local: Local, e: &Expr, certain: bool) {
        self.defs.entry(local).and_modify(|def| *def = None).or_insert_with(|| Some(e.clone()));
        if !certain {
            self.conditional.insert(local);
        }
    }
    /// Whether only one statement sets a variable.
    pub fn is_set_once(&self, local: Local) -> bool {
        self.defs.get(&local).is_some_and(Option::is_some)
    }
    /// Whether only one statement sets a variable, and every iteration runs it.
    fn is_certain_single_def(&self, local: Local) -> bool {
        self.is_set_once(local) && !self.conditional.contains(&local)
    }
    /// Collects what statements set; `None` if there is one that lanes cannot share.
    fn collect(&mut self, list: &[Stmt], certain: bool, fun: &crate::ir::imp::Fun) -> Option<()> {
        for stmt in list {
            match stmt {
                Stmt::Comment(_) => {}
                Stmt::Set(local, e) => self.define(*local, e, certain),
                Stmt::Point(ptr, place) if certain => self.pointed.push((*ptr, place.clone())),
                Stmt::Stack(ptr) => {
                    self.private.insert(*ptr, fun.ptrs[*ptr].stack?);
                }
                Stmt::Store(ptr, ..) if fun.ptrs[*ptr].stack.is_none() || self.private.contains_key(ptr) => {}
                Stmt::For { var, from, body, .. } => {
                    self.define(*var, from, certain);
                    self.collect(body, certain, fun)?;
                }
                Stmt::While(first, _, second) => {
                    self.collect(first, false, fun)?;
                    self.collect(second, false, fun)?;
                }
                Stmt::If(_, then, els) => {
                    self.collect(then, false, fun)?;
                    self.collect(els, false, fun)?;
                }
                Stmt::Point(..)
                | Stmt::Alloc { .. }
                | Stmt::Move { .. }
                | Stmt::Transfer { .. }
                | Stmt::Release(_)
                | Stmt::Store(..)
                | Stmt::Prefetch(..)
                | Stmt::Copy { .. }
                | Stmt::Scan(_)
                | Stmt::Check(..)
                | Stmt::Call { .. }
                | Stmt::Parallel(_)
                | Stmt::Launch(_)
                | Stmt::Atomic(_)
                | Stmt::Ghost(_)
                | Stmt::Probe(_) => return None,
            }
        }
        Some(())
    }
}

impl Planner<'_> {
    /// Whether an expression has the same value in all lanes.
    pub fn is_uniform(&self, e: &Expr) -> bool {
        let mut same = true;
        visit::expr(e, &mut |mention| match mention {
            Mention::Read(local) => {
                let own = self.facts.defs.contains_key(&local) && !self.facts.uniform.contains(&local);
                same = same && local != self.lane && !own && !self.sums.iter().any(|(sum, _)| *sum == local);
            }
            Mention::Use(ptr) => same = same && !self.facts.private.contains_key(&ptr),
            Mention::Set(_) | Mention::Point(_) | Mention::Handle(_) => {}
        });
        same
    }
    /// Finds the uniform variables, in order of the statements.
    fn uniform(&mut self, list: &[Stmt]) {
        for stmt in list {
            match stmt {
                Stmt::Set(local, e) => {
                    let once = self.facts.is_certain_single_def(*local);
                    if once && self.is_uniform(e) {
                        self.facts.uniform.insert(*local);
                    }
                }
                Stmt::For { var, from, to, body, .. } if self.is_uniform(from) && self.is_uniform(to) => {
                    self.facts.uniform.insert(*var);
                    self.uniform(body);
                }
                Stmt::Store(..)
                | Stmt::For { .. }
                | Stmt::Scan(_)
                | Stmt::While(..)
                | Stmt::If(..)
                | Stmt::Parallel(_)
                | Stmt::Launch(_)
                | Stmt::Atomic(_)
                | leaf_stmt!() => {}
            }
        }
    }

    /// Finds the variables that are index arithmetic on the counter and on uniform values.
    fn positions(&mut self, list: &[Stmt]) {
        for stmt in list {
            match stmt {
                Stmt::Set(local, e) => {
                    let once = self.facts.is_certain_single_def(*local);
                    if once && !self.facts.uniform.contains(local) && self.is_position(e) {
                        self.facts.rematerialised.insert(*local, e.clone());
                    }
                }
                Stmt::For { body, .. } => self.positions(body),
                Stmt::Store(..)
                | Stmt::Scan(_)
                | Stmt::While(..)
                | Stmt::If(..)
                | Stmt::Parallel(_)
                | Stmt::Launch(_)
                | Stmt::Atomic(_)
                | leaf_stmt!() => {}
            }
        }
    }
    fn is_position(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(_) => true,
            Expr::Local(local) => *local == self.lane || self.facts.rematerialised.contains_key(local) || self.is_uniform(e),
            Expr::Int(Int::Add | Int::Sub | Int::Mul, a, b) => self.is_position(a) && self.is_position(b),
            Expr::Op(op, args) => {
                op.prim == PrimType::I64 && matches!(op.op, Op::Add | Op::Sub | Op::Mul) && args.iter().all(|arg| self.is_position(arg))
            }
            Expr::Load(..)
            | Expr::Int(..)
            | Expr::Select(..)
            | Expr::Blend(..)
            | Expr::Quotient(..)
            | Expr::Chunks { .. }
            | Expr::Threads
            | Expr::Registers
            | Expr::Thread => false,
        }
    }

    /// The cost of memory accesses that are not contiguous along `var`, in a unit of its own.
    fn strided_cost(&self, list: &[Stmt], var: Local) -> u64 {
        let steps = Steps::new(&self.facts.defs, var);
        let mut cost = 0;
        accesses(list, &mut |ptr, index, store| {
            let step = steps.of(index);
            // Private arrays are interleaved: an element of a lane lies beside those of the other lanes.
            let near = if self.facts.private.contains_key(&ptr) { step == Step::By(0) } else { step.is_near() };
            if !near || (store && step == Step::By(0) && !self.facts.private.contains_key(&ptr)) {
                cost += if store { 4 } else { 2 };
            }
        });
        cost
    }
    /// The cost of memory accesses of innermost loops that are vectorised along their own counters, in the same unit.
    fn inner_loop_cost(&self, stmt: &Stmt) -> u64 {
        match stmt {
            Stmt::For { var, order, body, .. } => {
                if body.iter().any(is_loop) {
                    return body.iter().map(|stmt| self.inner_loop_cost(stmt)).sum();
                }
                if *order == Order::Sequential || !is_straight(body) {
                    6 + self.strided_cost(body, *var)
                } else {
                    self.strided_cost(body, *var)
                }
            }
            Stmt::If(_, then, els) => then.iter().chain(els).map(|stmt| self.inner_loop_cost(stmt)).sum(),
            Stmt::While(..) => 1000,
            Stmt::Set(..) | Stmt::Store(..) | Stmt::Scan(_) | Stmt::Parallel(_) | Stmt::Launch(_) | Stmt::Atomic(_) | leaf_stmt!() => 0,
        }
    }

    fn nodes(&self, list: &[Stmt]) -> Option<Vec<Node>> {
        let mut out = Vec::new();
        let mut straight = Vec::new();
        for (at, stmt) in list.iter().enumerate() {
            if matches!(stmt, Stmt::Comment(_) | Stmt::Stack(_)) {
                continue;
            }
            if matches!(stmt, Stmt::Point(..)) || matches!(stmt, Stmt::Set(local, _) if self.facts.uniform.contains(local)) {
                out.push(Node::Once(stmt.clone()));
                continue;
            }
            if !is_loop(stmt) {
                straight.push(stmt.clone());
                continue;
            }
            if mentions_any(stmt, &self.sums) {
                return None;
            }
            if !straight.is_empty() {
                out.push(Node::Lanes(std::mem::take(&mut straight)));
            }
            out.push(self.inner(stmt, &list[..at]));
        }
        if !straight.is_empty() {
            out.push(Node::Lanes(straight));
        }
        Some(out)
    }
    /// A loop behind the statements `before`.
    fn inner(&self, stmt: &Stmt, before: &[Stmt]) -> Node {
        match stmt {
            Stmt::For { var, from, to, body, .. } => {
                let even = self.is_uniform(from) && mutated!(UniformLoop, self.is_uniform(to), true);
                if even
                    && carries(stmt)
                    && self.strided_cost(body, self.lane) <= self.inner_loop_cost(stmt)
                    && let Some(nodes) = self.nodes(body)
                {
                    return Node::For { var: *var, from: from.clone(), to: to.clone(), nodes };
                }
                Node::Keep { stmt: stmt.clone(), interleaved: even && self.shares(stmt) }
            }
            Stmt::While(first, cond, second) => {
                let mut safe = is_straight(first) && is_straight(second);
                let mut see = |op| safe = safe && !may_trap(op);
                operations(first, &mut see);
                operations(second, &mut see);
                operations(&[Stmt::Set(self.lane, cond.clone())], &mut see);
                accesses(std::slice::from_ref(stmt), &mut |_, index, store| safe = safe && !store && self.is_uniform(index));
                match safe {
                    true => Node::While(Box::new(self.masked(before, first, cond, second))),
                    false => Node::Keep { stmt: stmt.clone(), interleaved: false },
                }
            }
            other @ (Stmt::Set(..)
            | Stmt::Store(..)
            | Stmt::Scan(_)
            | Stmt::If(..)
            | Stmt::Parallel(_)
            | Stmt::Launch(_)
            | Stmt::Atomic(_)
            | leaf_stmt!()) => Node::Keep { stmt: other.clone(), interleaved: false },
        }
    }
    /// Whether interleaved lanes read the same elements.
    fn shares(&self, stmt: &Stmt) -> bool {
        let Stmt::For { order: Order::Reduce(_), body, .. } = stmt else { return false };
        let steps = Steps::new(&self.facts.defs, self.lane);
        let mut common = false;
        accesses(body, &mut |_, index, _| common = common || steps.of(index) == Step::By(0));
        common && is_straight(body) && !body.iter().any(|stmt| matches!(stmt, Stmt::If(..) | Stmt::Store(..)))
    }
}

/// Whether a plan is better than the loop as it was.
fn pays(nodes: &[Node]) -> bool {
    let kept = nodes.iter().any(|node| matches!(node, Node::Keep { .. }));
    nodes.iter().any(|node| match node {
        Node::For { .. } | Node::While(..) => true,
        Node::Keep { interleaved, .. } => *interleaved,
        Node::Lanes(list) => kept && has_slow(list),
        Node::Once(_) => false,
    })
}

impl Plan {
    /// A plan for a loop, if there is one that pays.
    pub fn new(all: &Vectorise, loop_: &Loop, packs: &[Pack]) -> Option<Plan> {
        let mut facts = Facts { private: packs.iter().map(|pack| (pack.ptr, 0)).collect(), ..Facts::default() };
        facts.collect(&loop_.body, true, all.fun)?;
        let sums = if let Order::Reduce(sums) = &loop_.order { sums.clone() } else { Vec::new() };
        if facts.private.values().sum::<u64>() > 64 {
            return None;
        }
        let readers = masked::readers(&loop_.body);
        let mut planner = Planner { facts, lane: loop_.var, sums, readers, fun: all.fun };
        planner.uniform(&loop_.body);
        // All pointers must be uniform.
        let places = planner.facts.pointed.iter().all(|(_, place)| match place {
            Place::Table(_) => true,
            Place::Ptr(base, offset) => !planner.facts.private.contains_key(base) && planner.is_uniform(offset),
        });
        let mut once = FxHashSet::default();
        if !places || !planner.facts.pointed.iter().all(|(ptr, _)| once.insert(*ptr)) {
            return None;
        }
        let nodes = planner.nodes(&loop_.body)?;
        if !pays(&nodes) {
            return None;
        }
        planner.positions(&loop_.body);
        let Planner { facts, sums, fun, .. } = planner;
        let Facts { defs, uniform, private, rematerialised, .. } = facts;
        let mut plan = Plan { nodes, wide: Vec::new(), uniform, private, rematerialised, sums, inner_bytes: 0, largest: 0 };
        plan.widen(&defs, fun);
        Some(plan)
    }

    /// Finds the variables that more than one part mentions.
    fn widen(&mut self, defs: &Defs, fun: &crate::ir::imp::Fun) {
        let (mut seen, mut wide, mut inner_wide) = (FxHashMap::default(), Vec::new(), FxHashSet::default());
        let mut lists = Vec::new();
        parts(&self.nodes, false, &mut |list, inner| lists.push((list.to_vec(), inner)));
        let masked = self.masked();
        for (part, (list, inner)) in lists.iter().enumerate() {
            visit::stmts(list, &mut |mention| {
                let (Mention::Read(local) | Mention::Set(local)) = mention else { return };
                let own = defs.contains_key(&local) && !self.uniform.contains(&local) && !self.rematerialised.contains_key(&local);
                let common = masked.iter().any(|masked| masked.is_common(local));
                if !own || common || self.sums.iter().any(|(sum, _)| *sum == local) {
                    return;
                }
                if *seen.entry(local).or_insert(part) != part && !wide.contains(&local) {
                    wide.push(local);
                }
                if *inner {
                    inner_wide.insert(local);
                }
            });
        }
        let bytes = |local: &Local| fun.locals[*local].prim.bytes() as u64;
        let inner_wide: Vec<u64> = wide.iter().filter(|local| inner_wide.contains(local)).map(bytes).collect();
        let most = inner_wide.iter().copied().max().or_else(|| wide.iter().map(bytes).max()).unwrap_or(8);
        (self.inner_bytes, self.largest) = (inner_wide.iter().map(|_| most).sum(), most);
        self.wide = wide;
    }

    /// The loops that end when they have ended in all lanes.
    pub fn masked(&self) -> Vec<&Masked> {
        fn find<'n>(nodes: &'n [Node], out: &mut Vec<&'n Masked>) {
            for node in nodes {
                match node {
                    Node::While(masked) => out.push(masked),
                    Node::For { nodes, .. } => find(nodes, out),
                    Node::Once(_) | Node::Lanes(_) | Node::Keep { .. } => {}
                }
            }
        }
        let mut out = Vec::new();
        find(&self.nodes, &mut out);
        out
    }

    /// Whether there are loops that stay in their lanes.
    pub fn keeps(&self) -> bool {
        fn kept(nodes: &[Node]) -> bool {
            nodes.iter().any(|node| match node {
                Node::Keep { .. } => true,
                Node::For { nodes, .. } => kept(nodes),
                Node::Once(_) | Node::Lanes(_) | Node::While(_) => false,
            })
        }
        kept(&self.nodes)
    }
    /// Whether all loops are interchanged with the lanes, and nothing is collected.
    pub fn is_even(&self) -> bool {
        fn even(nodes: &[Node]) -> bool {
            nodes.iter().all(|node| match node {
                Node::Once(_) | Node::Lanes(_) => true,
                Node::For { nodes, .. } => even(nodes),
                Node::Keep { .. } | Node::While(..) => false,
            })
        }
        self.sums.is_empty() && even(&self.nodes)
    }
    /// Whether packed elements are read only where loops are interchanged with the lanes.
    pub fn interchanges(&self, packs: &[Pack]) -> bool {
        fn kept(nodes: &[Node], see: &mut dyn FnMut(&Stmt)) {
            for node in nodes {
                match node {
                    Node::Keep { stmt, .. } => see(stmt),
                    Node::For { nodes, .. } => kept(nodes, see),
                    Node::Once(_) | Node::Lanes(_) | Node::While(_) => {}
                }
            }
        }
        let mut inside = true;
        kept(&self.nodes, &mut |stmt| {
            visit::stmts(std::slice::from_ref(stmt), &mut |mention| {
                inside = inside && !packs.iter().any(|pack| mention == Mention::Use(pack.ptr));
            });
        });
        inside
    }

    /// The number of lanes.
    pub fn lanes(&self) -> i64 {
        let (all, most) = (self.inner_bytes.max(1), self.largest.max(1));
        let mut lanes = WIDE / most.max(4);
        while lanes * all > REGISTERS && lanes > 64 / most.max(4) {
            lanes /= 2;
        }
        lanes as i64
    }
    /// How many of so many lanes run together: with masked loops, as many as fill four registers of this processor.
    pub fn side(&self, lanes: i64) -> Expr {
        if self.masked().is_empty() {
            return Expr::int(lanes);
        }
        Expr::arith(Int::Div, Expr::Registers.times(Expr::int(lanes)), Expr::int(WIDEST))
    }
}

/// Calls `see` with the statements of each part that lanes run through, and whether the part is in an innermost loop.
fn parts(nodes: &[Node], inner: bool, see: &mut dyn FnMut(&[Stmt], bool)) {
    for node in nodes {
        match node {
            Node::Once(_) => {}
            Node::Lanes(list) => see(list, inner),
            Node::Keep { stmt, .. } => see(std::slice::from_ref(stmt), inner),
            Node::For { nodes, .. } => parts(nodes, !nodes.iter().any(|node| matches!(node, Node::For { .. } | Node::While(..))), see),
            Node::While(masked) => {
                let mut all = masked.first.clone();
                all.push(Stmt::If(masked.cond.clone(), Vec::new(), Vec::new()));
                see(&all, true);
                see(&masked.second, true);
            }
        }
    }
}
