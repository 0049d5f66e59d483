//! Layouts of arrays for kernels whose threads go over rows.
//!
//! Neighbouring threads should read neighbouring elements. A thread that goes over a row by itself does not: at each step its neighbours are a
//! whole row apart. Where such an array is there as a whole, it is copied once so that the dimension of the threads is innermost in
//! memory, and the kernel reads the copy through a view of the old shape. In a loop of the host the copy is made before the loop.
//!
//! ```text
//! (let (r ..) (seg ((i n)) .. (let (xs ..) (index xss i)) .. soac over xs ..))
//!   =>
//! (let (t [f32 m n]) (rearrange xss 1 0))  (let (c [f32 m n]) (copy t))  (let (v [f32 n m]) (rearrange c 1 0))
//! (let (r ..) (seg ((i n)) .. (let (xs ..) (index v i)) ..))
//! ```
//!
//! That pays where each thread goes over all of a row of more than a sector of memory (32 bytes): then the kernel would read up to a
//! sector for each element, and the copy, which goes through tiles in shared memory, reads and writes each element once. Arrays that the same
//! kernel reads in another way as well are left alone, and so are those of which it is not known how they lie in memory.
//!
//! Law: the values are the same, nothing fails that did not fail before.

use crate::base::Span;
use crate::base::mutation::mutated;
use crate::ir::soac::visit::{Part, mentioned};
use crate::ir::soac::visit_mut::Subst;
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Program, Seg, Size, Stm, Type, Var, VarInfo, single_exp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes that memory moves at a time.
const SECTOR: i64 = 32;
/// With fewer threads there is nothing to gain.
const FEW: i64 = 1024;

/// Chooses layouts for all kernels of a program.
pub fn coalesce(program: Program) -> Program {
    let mut pass = Pass { program, orders: FxHashMap::default(), levels: Vec::new() };
    let consts = std::mem::take(&mut pass.program.consts);
    pass.note(&consts);
    pass.program.consts = consts;
    for id in pass.program.fun_ids() {
        let params = pass.program.funs[id].params.clone();
        params.iter().for_each(|var| pass.row_major(*var));
        let body = std::mem::take(&mut pass.program.funs[id].body);
        pass.program.funs[id].body = pass.body(body, false, &params);
    }
    pass.program
}

/// Statements of the host that are being gone through.
struct Level {
    out: Vec<Stm>,
    bound: FxHashSet<Var>,
    /// Whether they are the body of a loop.
    repeated: bool,
    /// Views of copies, by the array and the dimension that is innermost in them.
    copies: FxHashMap<(Var, usize), Var>,
}

struct Pass {
    program: Program,
    /// The dimensions of arrays, outermost in memory first, where that is known.
    orders: FxHashMap<Var, Vec<usize>>,
    levels: Vec<Level>,
}

impl Pass {
    fn row_major(&mut self, var: Var) {
        let rank = self.program.ty(var).rank();
        if rank > 1 {
            self.orders.insert(var, (0..rank).collect());
        }
    }
    fn body(&mut self, body: Body, repeated: bool, params: &[Var]) -> Body {
        let bound = params.iter().copied().collect();
        self.levels.push(Level { out: Vec::new(), bound, repeated, copies: FxHashMap::default() });
        for stm in body.stms {
            let stm = self.stm(stm);
            self.note(std::slice::from_ref(&stm));
            if let Some(level) = self.levels.last_mut() {
                level.bound.extend(&stm.pat);
                level.out.push(stm);
            }
        }
        let stms = self.levels.pop().map_or(Vec::new(), |level| level.out);
        Body { stms, result: body.result }
    }
    fn stm(&mut self, stm: Stm) -> Stm {
        let exp = match stm.exp {
            Exp::If { cond, then, els } => Exp::If { cond, then: self.body(then, false, &[]), els: self.body(els, false, &[]) },
            Exp::Loop { params, form, body } => {
                let mut vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
                if let LoopForm::For(i, _) = &form {
                    vars.push(*i);
                }
                Exp::Loop { params, form, body: self.body(body, true, &vars) }
            }
            Exp::Seg(seg) => Exp::Seg(Box::new(self.seg(*seg, stm.span))),
            other @ (single_exp!()
            | Exp::Check(_)
            | Exp::Soac(_)
            | Exp::Filter { .. }
            | Exp::Rows { .. }
            | Exp::Scatter { .. }
            | Exp::Hist { .. }
            | Exp::Call(..)) => other,
        };
        Stm { exp, ..stm }
    }
    /// Notes how what statements bind lies in memory.
    fn note(&mut self, stms: &[Stm]) {
        for stm in stms {
            if matches!(stm.exp, Exp::Seg(_) | Exp::Copy(_) | Exp::Reshape(_) | Exp::Concat(_) | Exp::Stack(_)) {
                stm.pat.iter().for_each(|var| self.row_major(*var));
            } else if let Exp::Rearrange { array, perm } = &stm.exp
                && let Some(order) = self.orders.get(array)
            {
                // Dimension k of the view is dimension perm[k] of the array.
                let order = order.iter().filter_map(|dim| perm.iter().position(|from| from == dim)).collect();
                self.orders.insert(stm.pat[0], order);
            } else if let Exp::Coerce(array) = &stm.exp
                && let Some(order) = self.orders.get(array).cloned()
            {
                self.orders.insert(stm.pat[0], order);
            }
        }
    }

    fn seg(&mut self, mut seg: Seg, span: Span) -> Seg {
        let Some(size) = seg.sizes.last().cloned() else { return seg };
        if Size::constant_product(&seg.sizes).is_some_and(|n| n < FEW) {
            return seg;
        }
        let mut subst = Subst::default();
        for (array, dim) in Reads::of(self, &seg).wanted() {
            let ty = self.program.ty(array);
            // Elements that a thread reads in a row, if that is known.
            let order = self.orders.get(&array).cloned().unwrap_or_default();
            let inner = order.iter().skip_while(|k| **k != dim).skip(1);
            let row = Size::constant_product(inner.map(|k| &ty.shape[*k]));
            let short = row.is_some_and(|n| n.saturating_mul(ty.elem.bytes() as i64) <= SECTOR);
            if ty.shape[dim] == size && !short {
                let view = self.copied(array, dim, order, span);
                subst.operands.insert(array, Operand::Var(view));
            }
        }
        if !subst.is_empty() {
            subst.body(&mut seg.body);
        }
        seg
    }
    /// A view of a copy of an array in which a dimension is innermost.
    fn copied(&mut self, array: Var, dim: usize, order: Vec<usize>, span: Span) -> Var {
        if let Some(view) = self.levels.iter().rev().find_map(|level| level.copies.get(&(array, dim))) {
            return *view;
        }
        let mut at = self.levels.len() - 1;
        while at > 0 && self.levels[at].repeated && mutated!(CoalesceOnce, !self.levels[at].bound.contains(&array), true) {
            at -= 1;
        }
        let perm: Vec<usize> = order.into_iter().filter(|k| *k != dim).chain([dim]).collect();
        let back: Vec<usize> =
            (0..perm.len()).filter_map(|k| mutated!(CoalesceBackwards, perm.iter().position(|from| *from == k), Some(perm[k]))).collect();
        let VarInfo { name, ty } = self.program.vars[array].clone();
        let turned = Type { elem: ty.elem, shape: perm.iter().map(|k| ty.shape[*k].clone()).collect() };
        let view = self.program.fresh(name, turned.clone());
        let copy = self.program.fresh(name, turned);
        let result = self.program.fresh(name, ty);
        let level = &mut self.levels[at];
        level.out.push(Stm { pat: vec![view], exp: Exp::Rearrange { array, perm }, span });
        level.out.push(Stm { pat: vec![copy], exp: Exp::Copy(Operand::Var(view)), span });
        level.out.push(Stm { pat: vec![result], exp: Exp::Rearrange { array: copy, perm: back }, span });
        level.bound.extend([view, copy, result]);
        level.copies.insert((array, dim), result);
        result
    }
}

/// By what an array is indexed.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// The index of the thread that neighbours differ in.
    Thread,
    /// Something that is the same for neighbours: another index, or what comes from outside.
    Same,
    /// A loop of the thread, all along the dimension.
    Loop,
    /// Anything else.
    Other,
}

/// What the threads of a kernel read.
struct Reads<'a> {
    pass: &'a Pass,
    /// Where arrays are cells of arrays of the host.
    cells: FxHashMap<Var, (Var, Vec<By>)>,
    /// Scalars that are not the same for neighbours.
    thread: Var,
    own: FxHashSet<Var>,
    counters: FxHashSet<Var>,
    /// Arrays with the dimension that should be innermost, in order.
    found: Vec<(Var, usize)>,
    spoiled: FxHashSet<Var>,
}

impl<'a> Reads<'a> {
    fn of(pass: &'a Pass, seg: &Seg) -> Self {
        let thread = seg.space[seg.space.len() - 1];
        let mut reads = Reads {
            pass,
            cells: FxHashMap::default(),
            thread,
            own: FxHashSet::from_iter([thread]),
            counters: FxHashSet::default(),
            found: Vec::new(),
            spoiled: FxHashSet::default(),
        };
        reads.body(&seg.body);
        for operator in seg.kind.operators() {
            reads.body(&operator.lambda.body);
        }
        reads
    }
    fn wanted(self) -> Vec<(Var, usize)> {
        let conflict = |(array, dim): &(Var, usize)| self.found.iter().any(|(other, k)| other == array && k != dim);
        let mut out: Vec<(Var, usize)> = Vec::new();
        for want in &self.found {
            if !self.spoiled.contains(&want.0) && !conflict(want) && !out.contains(want) {
                out.push(*want);
            }
        }
        out
    }

    fn by(&self, a: Operand) -> By {
        match a {
            Operand::Var(var) if var == self.thread => By::Thread,
            Operand::Var(var) if self.counters.contains(&var) => By::Loop,
            Operand::Var(var) if self.own.contains(&var) => By::Other,
            Operand::Const(_) | Operand::Var(_) => By::Same,
        }
    }
    /// The array of the host that an array is a cell of, and by what that is indexed.
    fn cell(&self, array: Var) -> (Var, Vec<By>) {
        self.cells.get(&array).cloned().unwrap_or((array, Vec::new()))
    }
    /// An array that is used as a whole.
    fn spoil(&mut self, array: Var) {
        let (root, _) = self.cell(array);
        self.spoiled.insert(root);
    }
    /// An element is read.
    fn read(&mut self, root: Var, by: &[By]) {
        let Some(order) = self.pass.orders.get(&root).filter(|order| order.len() == by.len()) else { return };
        let mut dims = (0..by.len()).filter(|k| by[*k] == By::Thread);
        let first = dims.next();
        if by.contains(&By::Other) || dims.next().is_some() {
            self.spoiled.insert(root);
            return;
        }
        // What is the same for all threads may lie anyhow.
        let Some(dim) = first else { return };
        let looped = order.iter().skip_while(|k| **k != dim).skip(1).any(|k| by[*k] == By::Loop);
        if looped {
            self.found.push((root, dim));
        } else {
            self.spoiled.insert(root);
        }
    }
    /// Cells of an array along a new index.
    fn enter(&mut self, array: Var, by: &[By], cell: Var) {
        let (root, mut all) = self.cell(array);
        all.extend(by);
        if self.pass.program.ty(cell).rank() == 0 {
            self.read(root, &all);
        } else {
            self.cells.insert(cell, (root, all));
        }
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            self.stm(stm);
        }
        body.result.iter().filter_map(|a| a.var()).for_each(|var| self.spoil(var));
    }
    fn stm(&mut self, stm: &Stm) {
        let mut own = false;
        mentioned(stm, &mut |var| own = own || self.own.contains(&var) || self.counters.contains(&var));
        if let Exp::Index { array, at, .. } = &stm.exp {
            let by: Vec<By> = at.iter().map(|a| self.by(*a)).collect();
            self.enter(*array, &by, stm.pat[0]);
            own = true;
        } else if let Exp::Soac(soac) = &stm.exp {
            for (input, param) in soac.inputs.iter().zip(&soac.lambda.params) {
                self.enter(*input, &[By::Loop], *param);
                self.own.insert(*param);
            }
            self.body(&soac.lambda.body);
            for operator in soac.operators() {
                self.own.extend(&operator.lambda.params);
                operator.neutral.iter().filter_map(|a| a.var()).for_each(|var| self.spoil(var));
                self.body(&operator.lambda.body);
            }
            own = true;
        } else {
            if let Exp::Loop { params, form, .. } = &stm.exp {
                self.own.extend(params.iter().map(|(var, _)| *var));
                if let LoopForm::For(i, _) = form {
                    self.counters.insert(*i);
                }
                own = true;
            }
            let (mut arrays, mut bodies) = (Vec::new(), Vec::new());
            stm.exp.parts(&mut |part| match part {
                Part::Array(array) | Part::Operand(Operand::Var(array)) => arrays.push(array),
                Part::Body(params, body) => bodies.push((params, body)),
                Part::Operand(_) | Part::Size(_) => {}
            });
            arrays.into_iter().for_each(|array| self.spoil(array));
            for (params, body) in bodies {
                self.own.extend(params.iter().filter(|var| !self.counters.contains(var)));
                self.body(body);
            }
        }
        if own {
            self.own.extend(&stm.pat);
        }
    }
}
