//! A plan as statements.

use super::masked::Step;
use super::packing::Pack;
use super::plan::{INTERLEAVE, Node, Plan};
use super::rename::Renaming;
use super::{Loop, Vectorise};
use crate::base::mutation::mutated;
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Symbol};
use crate::ir::imp::visit::{self, Mention};
use crate::ir::imp::{Expr, Int, Local, Order, Ptr, Stmt};
use rustc_hash::FxHashMap;

/// Iterations that are done together.
pub struct Iterations {
    /// The number of the first.
    pub base: Expr,
    /// How many there are, if fewer than lanes.
    pub count: Option<Expr>,
    /// How many lanes there are.
    pub lanes: i64,
}

/// A block of lanes.
pub(super) struct Block<'p> {
    plan: &'p Plan,
    /// The counter of the loop as it was, and its value in the first lane.
    var: Local,
    base: Expr,
    pub lanes: i64,
    /// How many lanes there are, if not all.
    count: Option<Expr>,
    /// The elements of variables.
    wide: FxHashMap<Local, Ptr>,
    /// The arrays of iterations.
    private: FxHashMap<Ptr, Ptr>,
    /// The type of the elements of masks.
    pub mask: PrimType,
    /// The masks that are live behind their loops, by the condition that they stand for.
    pub tests: FxHashMap<Local, Ptr>,
}

/// Whether a variable is live before a part: the part reads it, or may not set it.
fn is_exposed(list: &[Stmt], local: Local) -> bool {
    for stmt in list {
        if let Stmt::Set(to, e) = stmt {
            let mut read = false;
            visit::expr(e, &mut |mention| read = read || mention == Mention::Read(local));
            if read {
                return true;
            }
            if *to == local {
                return false;
            }
            continue;
        }
        let mut found = false;
        visit::stmts(std::slice::from_ref(stmt), &mut |mention| {
            found = found || mention == Mention::Read(local) || mention == Mention::Set(local);
        });
        if found {
            return true;
        }
    }
    false
}

fn is_set(list: &[Stmt], local: Local) -> bool {
    let mut found = false;
    visit::stmts(list, &mut |mention| found = found || mention == Mention::Set(local));
    found
}

/// A number as one of another type.
fn converted(e: Expr, from: PrimType, to: PrimType) -> Expr {
    if from == to { e } else { Expr::Op(ScalarOp::new(Op::Convert(from), to), vec![e]) }
}

impl Plan {
    /// Writes iterations. Copies are made at the given places.
    pub fn write(&self, all: &mut Vectorise, loop_: &Loop, packs: &[Pack], places: &[Ptr], iterations: Iterations, out: &mut Vec<Stmt>) {
        let Iterations { base, count, lanes } = iterations;
        let mut wide = FxHashMap::default();
        let masked = self.masked();
        let bytes = self.wide.iter().map(|local| all.locals()[*local].prim.bytes()).max().unwrap_or(8);
        let mask = if bytes <= 4 { PrimType::I32 } else { PrimType::I64 };
        for local in &self.wide {
            let info = all.locals()[*local].clone();
            // What is only kept when a lane leaves a loop is as wide as the mask.
            let copied = info.prim.is_int() && info.prim.bytes() < mask.bytes() && masked.iter().any(|masked| masked.is_shared(*local));
            let ptr = all.stack(info.name, if copied { mask } else { info.prim }, lanes as u64);
            out.push(Stmt::Stack(ptr));
            wide.insert(*local, ptr);
        }
        let mut tests = FxHashMap::default();
        for local in masked.iter().filter_map(|masked| masked.test) {
            let live = all.stack(Symbol::new("live"), mask, lanes as u64);
            out.push(Stmt::Stack(live));
            tests.insert(local, live);
        }
        let mut own: Vec<(Ptr, u64)> = self.private.iter().map(|(ptr, count)| (*ptr, *count)).collect();
        own.sort_unstable();
        let mut private: FxHashMap<Ptr, Ptr> = packs.iter().zip(places).map(|(pack, place)| (pack.ptr, *place)).collect();
        for (ptr, count) in own {
            if private.contains_key(&ptr) {
                continue;
            }
            let info = all.fun.ptrs[ptr].clone();
            let new = all.stack(info.name, info.elem, count * lanes as u64);
            out.push(Stmt::Stack(new));
            private.insert(ptr, new);
        }
        let block = Block { plan: self, var: loop_.var, base, lanes, count, wide, private, mask, tests };
        for (pack, place) in packs.iter().zip(places) {
            block.copy(all, pack, *place, out);
        }
        block.nodes(all, &self.nodes, out);
    }
}

impl Block<'_> {
    /// Makes a copy for all lanes, in the order in which its elements lie in memory.
    fn copy(&self, all: &mut Vectorise, pack: &Pack, place: Ptr, out: &mut Vec<Stmt>) {
        let (lane, var, own) = (all.local("lane", PrimType::I64), all.like(pack.var), all.like(self.var));
        let renaming = Renaming { locals: [(pack.var, var), (self.var, own)].into_iter().collect(), ..Renaming::default() };
        let from = Expr::Load(pack.from, Box::new(renaming.expr(&pack.index)));
        let to = Expr::Local(var).times(Expr::int(self.lanes)).plus(Expr::Local(lane));
        let elements =
            Stmt::For { var, from: Expr::int(0), to: pack.width.clone(), order: Order::Any, body: vec![Stmt::Store(place, to, from)] };
        let body = vec![Stmt::Set(own, self.base.clone().plus(Expr::Local(lane))), elements];
        out.push(Stmt::For { var: lane, from: Expr::int(0), to: self.width(), order: Order::Any, body });
    }

    fn nodes(&self, all: &mut Vectorise, nodes: &[Node], out: &mut Vec<Stmt>) {
        for node in nodes {
            match node {
                Node::Once(stmt) => out.push(stmt.clone()),
                Node::Lanes(list) => {
                    let stmt = self.each(all, list);
                    out.push(stmt);
                }
                Node::Keep { stmt, interleaved } => {
                    let stmt = match (stmt, &self.count, interleaved) {
                        (Stmt::For { .. }, None, true) => self.interleaved(all, stmt),
                        _ => self.each(all, std::slice::from_ref(stmt)),
                    };
                    out.push(stmt);
                }
                Node::For { var, from, to, nodes } => {
                    let mut body = Vec::new();
                    self.nodes(all, nodes, &mut body);
                    out.push(Stmt::For { var: *var, from: from.clone(), to: to.clone(), order: Order::Sequential, body });
                }
                Node::While(masked) => self.masked(all, masked, out),
            }
        }
    }

    /// Names for a lane of what statements mention: the counter and what they set. Statements before and after that make and keep it.
    /// In a step of a loop of all lanes it is kept for those that are in the loop.
    pub fn lane(&self, all: &mut Vectorise, list: &[Stmt], lane: Local, at: Expr, step: Option<&Step>) -> (Renaming, Vec<Stmt>, Vec<Stmt>) {
        let mut renaming = Renaming::default();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for local in self.mentioned(list) {
            if local == self.var {
                let new = all.like(local);
                renaming.locals.insert(local, new);
                before.push(Stmt::Set(new, self.base.clone().plus(at.clone())));
                continue;
            }
            if let Some(e) = self.plan.rematerialised.get(&local)
                && !is_set(list, local)
            {
                let new = all.like(local);
                before.push(Stmt::Set(new, renaming.expr(e)));
                renaming.locals.insert(local, new);
                continue;
            }
            if self.plan.uniform.contains(&local) || self.plan.sums.iter().any(|(sum, _)| *sum == local) {
                continue;
            }
            let (set, exposed) = (is_set(list, local), is_exposed(list, local));
            let (wide, shared) = (self.wide.get(&local), step.and_then(|step| step.shared(local)));
            let test = self.tests.get(&local);
            if wide.is_none() && shared.is_none() && test.is_none() && !set {
                continue;
            }
            let new = all.like(local);
            renaming.locals.insert(local, new);
            if exposed {
                before.extend(self.value(all, local, (wide, shared, test), &at).map(|value| Stmt::Set(new, value)));
            }
            if let (true, Some(ptr)) = (set, wide) {
                let elem = all.fun.ptrs[*ptr].elem;
                let mut value = converted(Expr::Local(new), all.locals()[local].prim, elem);
                if let Some(live) = step.and_then(|step| step.live(local)) {
                    value = Expr::Blend(elem, Box::new(live), Box::new(value), Box::new(Expr::Load(*ptr, Box::new(at.clone()))));
                }
                after.push(Stmt::Store(*ptr, at.clone(), value));
            }
        }
        for (ptr, wide) in &self.private {
            renaming.arrays.insert(*ptr, (*wide, self.lanes, lane));
        }
        (renaming, before, after)
    }

    /// The value of a variable in a lane.
    fn value(&self, all: &Vectorise, local: Local, from: (Option<&Ptr>, Option<Local>, Option<&Ptr>), at: &Expr) -> Option<Expr> {
        let load = |ptr: Ptr| Expr::Load(ptr, Box::new(at.clone()));
        match from {
            (_, Some(shared), _) => Some(Expr::Local(shared)),
            (Some(ptr), ..) => Some(converted(load(*ptr), all.fun.ptrs[*ptr].elem, all.locals()[local].prim)),
            (None, None, Some(live)) => {
                let zero = Expr::Const(Scalar::from_i128(self.mask, 0));
                Some(Expr::Op(ScalarOp::new(Op::Ne, self.mask), vec![load(*live), zero]))
            }
            _ => None,
        }
    }

    /// The variables that statements mention, and before each position that is computed again those that it is made of.
    fn mentioned(&self, list: &[Stmt]) -> Vec<Local> {
        fn add(block: &Block, list: &[Stmt], local: Local, out: &mut Vec<Local>) {
            if out.contains(&local) {
                return;
            }
            if let Some(e) = block.plan.rematerialised.get(&local)
                && !is_set(list, local)
            {
                visit::expr(e, &mut |mention| {
                    if let Mention::Read(local) = mention {
                        add(block, list, local, out);
                    }
                });
            }
            out.push(local);
        }
        let mut out = Vec::new();
        visit::stmts(list, &mut |mention| {
            if let Mention::Read(local) | Mention::Set(local) = mention {
                add(self, list, local, &mut out);
            }
        });
        out
    }

    /// How many lanes there are.
    pub fn width(&self) -> Expr {
        self.count.clone().unwrap_or_else(|| self.plan.side(self.lanes))
    }
    /// How lanes depend on each other in statements: by what they collect only.
    fn order(&self, list: &[Stmt]) -> Order {
        let used: Vec<(Local, ScalarOp)> = self.plan.sums.iter().copied().filter(|(sum, _)| is_set(list, *sum)).collect();
        if used.is_empty() { Order::Any } else { Order::Reduce(used) }
    }

    /// Statements in each lane.
    fn each(&self, all: &mut Vectorise, list: &[Stmt]) -> Stmt {
        let lane = all.local("lane", PrimType::I64);
        let at = Expr::Local(lane);
        let (renaming, mut body, after) = self.lane(all, list, lane, at, None);
        body.extend(renaming.stmts(list));
        body.extend(after);
        Stmt::For { var: lane, from: Expr::int(0), to: self.width(), order: self.order(list), body }
    }

    /// A loop in several lanes at a time.
    fn interleaved(&self, all: &mut Vectorise, stmt: &Stmt) -> Stmt {
        let Stmt::For { var, from, to, order, body } = stmt else { return stmt.clone() };
        let group = all.local("group", PrimType::I64);
        let counter = all.like(*var);
        let (mut first, mut inner, mut last, mut sums) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for k in 0..INTERLEAVE {
            let lane = all.local("lane", PrimType::I64);
            first.push(Stmt::Set(lane, Expr::Local(group).times(Expr::int(INTERLEAVE)).plus(Expr::int(k.max(mutated!(SideLost, 0, 1))))));
            let (mut renaming, before, after) = self.lane(all, std::slice::from_ref(stmt), lane, Expr::Local(lane), None);
            renaming.locals.insert(*var, counter);
            first.extend(before);
            inner.extend(renaming.stmts(body));
            last.extend(after);
            if let Order::Reduce(of) = order {
                sums.extend(of.iter().map(|(local, op)| (renaming.locals.get(local).copied().unwrap_or(*local), *op)));
            }
        }
        first.push(Stmt::For { var: counter, from: from.clone(), to: to.clone(), order: Order::Reduce(sums), body: inner });
        first.extend(last);
        let groups = Expr::arith(Int::Div, self.width(), Expr::int(INTERLEAVE));
        Stmt::For { var: group, from: Expr::int(0), to: groups, order: Order::Sequential, body: first }
    }
}
