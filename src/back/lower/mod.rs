//! First-order programs to loops and memory.
//!
//! * **Views are free**: index, slice, rearrange, dense reshape, coerce and replicate give another offset and other strides, iota and
//!   copies of a scalar are no memory at all.
//! * **Destination passing**: the rows that a map makes are written into the array of its results, the results of
//!   branches and iterations into the buffer that is to hold them, parts of concatenations and new cells of an array into it
//!   (`destinations`).
//! * **Liveness**: a buffer lives from the statement that makes it to the last one that mentions an array in it, at most to the end of the body
//!   that it is made in. Small arrays of known size lie in the frame of the function.
//! * **Loops that carry arrays** work in place where the array is updated, between two buffers where its size is known before, else with a
//!   buffer for each iteration.
//! * **Parallel loops**: the outermost maps, reductions and scans. What is inside of one is sequential, unless the outer loop has
//!   fewer iterations than there are threads; that is decided at run time between two versions (incremental flattening, Henriksen et al.,
//!   PPoPP 2019, with the levels that a multicore has).
//! * **Complex numbers** become their parts in the end (`complex`).

mod builder;
mod chunks;
mod complex;
mod control;
mod destinations;
mod device_histograms;
mod exp;
mod filter_scatter;
mod ghost;
mod hist;
mod interchange;
mod kernels;
mod memory;
mod profile;
mod rows;
mod scratch;
mod soac;
#[cfg(test)]
mod tests;
mod tile;
mod updates;
mod views;

use crate::base::mutation::mutated;
use crate::base::scalar::ScalarOp;
use crate::base::{Idx, Span, Symbol};
use crate::ir::imp::{self, Expr, Handle, Int, Local, Param, Place, Ptr, Stmt};
use crate::ir::profile::CopyReason;
use crate::ir::soac::visit::mentioned;
use crate::ir::soac::{self as ir, Body, FunId, Operand, Program, Size, Stm, Var, count_exp, parallel_exp, single_exp};
use builder::{Builder, Scope};
use destinations::{Defs, Destinations, Overlap};
use ghost::Ghosts;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Options of lowering.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Whether results must be the same to the last bit as those of evaluation: floats are then added in order.
    pub strict: bool,
    /// Whether arrays are in the memory of a device: the program has been flattened, and kernels are launched.
    pub device: bool,
}

/// Lowers a program whose parallelism is in kernels ([`ir::kernel`](crate::ir::kernel)).
pub fn lower_kernels(program: &Program) -> imp::Program {
    scratched(lower(program, Options { strict: false, device: true }))
}
/// Lowers a program with ghosts in it, which say which array is where.
pub fn with_ghosts(program: &Program, options: Options) -> imp::Program {
    let out = lower_all(program, options, Extra::Ghosts);
    if options.device { scratched(out) } else { out }
}
fn scratched(mut out: imp::Program) -> imp::Program {
    for id in 0..out.funs.len() {
        scratch::hoist(&mut out.funs[Idx::new(id)]);
    }
    out
}

/// Lowers a program.
pub fn lower(program: &Program, options: Options) -> imp::Program {
    lower_all(program, options, Extra::Nothing)
}
/// Lowers a program for processors that measures itself: the same statements, and probes between them.
pub fn profiled(program: &Program, strict: bool) -> imp::Program {
    lower_all(program, Options { strict, device: false }, Extra::Profile)
}
/// The functions that are called where no parallel loop runs.
fn called_outside(program: &Program) -> FxHashSet<FunId> {
    fn see(body: &ir::Body, found: &mut Vec<FunId>) {
        for stm in &body.stms {
            match &stm.exp {
                ir::Exp::Call(fun, _) => found.push(*fun),
                ir::Exp::If { then, els, .. } => [then, els].into_iter().for_each(|body| see(body, found)),
                ir::Exp::Loop { form, body, .. } => {
                    if let ir::LoopForm::While(cond) = form {
                        see(cond, found);
                    }
                    see(body, found);
                }
                single_exp!() | ir::Exp::Check(_) | parallel_exp!() => {}
            }
        }
    }
    let mut work = Vec::new();
    program.funs.iter().filter(|(_, fun)| fun.entry).for_each(|(_, fun)| see(&fun.body, &mut work));
    let mut outside = FxHashSet::default();
    while let Some(fun) = work.pop() {
        if outside.insert(fun) {
            see(&program.funs[fun].body, &mut work);
        }
    }
    outside
}

/// What a program has besides what it does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extra {
    Nothing,
    Ghosts,
    Profile,
}
fn lower_all(program: &Program, options: Options, extra: Extra) -> imp::Program {
    let mut out = imp::Program { tuning: program.tuning.clone(), ..imp::Program::default() };
    let mut defs = Defs::default();
    program.consts.iter().for_each(|stm| defs.note(stm));
    program.funs.iter().for_each(|(_, fun)| fun.body.stms.iter().for_each(|stm| defs.note(stm)));
    let mut recorder = (extra == Extra::Profile).then(profile::Recorder::default);
    let outside = called_outside(program);
    for (id, fun) in program.funs.iter() {
        let site = match options.device {
            // A parallel loop that a parallel loop runs, by a call, is not divided.
            _ if !fun.entry && (options.device || fun.recursive || !outside.contains(&id)) => Site::Sequential,
            true => Site::Host,
            false => Site::Processor,
        };
        let lower = Lower {
            program,
            options,
            tables: &mut out.tables,
            defs: &defs,
            out: Builder::new(fun.name),
            locs: FxHashMap::default(),
            destinations: Destinations::default(),
            shared: Shared::default(),
            site,
            ghosts: (extra == Extra::Ghosts).then(Ghosts::default),
            profile: recorder.as_mut().map(|recorder| profile::Measure::new(recorder, fun)),
        };
        let lowered = lower.fun(fun);
        out.funs.alloc(lowered);
    }
    out.profile = recorder.map(profile::Recorder::profile);
    if complex::occur(program) { complex::split(out) } else { out }
}

/// A step from one cell to the next.
#[derive(Debug, Clone)]
struct Stride {
    /// As a size, for comparisons.
    size: Size,
    /// As a variable or number.
    expr: Expr,
}

/// An array in memory.
#[derive(Debug, Clone)]
struct Mem {
    ptr: Ptr,
    offset: Expr,
    strides: Rc<[Stride]>,
    /// The handles that may own the memory; none for memory of a caller, for constants and on the stack.
    keep: Rc<[Handle]>,
}

/// What an array is.
#[derive(Debug, Clone)]
enum Array {
    Mem(Mem),
    /// Start and step of a vector of integers.
    Iota(Expr, Expr),
    /// All elements are this scalar.
    Fill(Expr),
}

/// What computes cells that are kept, written or combined: one application of a function for each element of the inputs.
#[derive(Debug, Clone, Copy)]
struct Cells<'p> {
    inputs: &'p [Var],
    lambda: &'p ir::Lambda,
    span: Span,
}

/// What a variable is.
#[derive(Debug, Clone)]
enum Loc {
    Scalar(Expr),
    Array(Array),
}

/// What the buffer of an array is made as.
struct Origin {
    var: Var,
    /// Whether the array is that in another shape.
    reshaped: bool,
}

/// What code may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Site {
    /// Nothing: one thread runs it.
    Sequential,
    /// Parallel loops, by the threads of the processor.
    Processor,
    /// Kernels, by the host of a device.
    Host,
}

/// A sum that an inner reduction may go on with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SharedSum {
    local: Local,
    op: ScalarOp,
    neutral: Operand,
}

/// Reductions whose values are reductions or maps themselves: the inner ones collect in what the outer ones collect in.
#[derive(Default)]
struct Shared<'p> {
    /// The sums that reductions which make these variables may go on with.
    sums: FxHashMap<Var, SharedSum>,
    /// Arrays whose elements are combined with those of another as they are made, and how.
    arrays: FxHashMap<Var, (Mem, &'p ir::Operator)>,
    /// The variables for which that has been done.
    done: FxHashSet<Var>,
}

/// Lowers a function.
struct Lower<'a, 'p> {
    program: &'p Program,
    defs: &'a Defs<'p>,
    options: Options,
    /// The constant arrays of the program so far.
    tables: &'a mut Vec<imp::Table>,
    /// What has been made.
    out: Builder,
    /// What variables are.
    locs: FxHashMap<Var, Loc>,
    destinations: Destinations,
    shared: Shared<'p>,
    /// Where the next statement is run.
    site: Site,
    /// With ghosts: which names there are.
    ghosts: Option<Ghosts>,
    /// Of a program that is profiled: what is recorded.
    profile: Option<profile::Measure<'a>>,
}

impl<'a, 'p> Lower<'a, 'p> {
    /// Whether parallel loops may be started here.
    fn is_parallel(&self) -> bool {
        self.site != Site::Sequential
    }
    /// Whether loops are kernels here.
    fn is_host(&self) -> bool {
        self.site == Site::Host
    }

    fn fun(mut self, fun: &'p ir::Fun) -> imp::Fun {
        let mut params = Vec::with_capacity(fun.params.len());
        for &var in &fun.params {
            let ty = self.program.ty(var);
            if ty.rank() == 0 {
                let local = self.local_of(var);
                params.push(Param::Local(local));
                self.locs.insert(var, Loc::Scalar(Expr::Local(local)));
            } else {
                let ptr = self.ptr(self.program.vars[var].name, ty.elem, None);
                params.push(Param::Ptr(ptr));
            }
        }
        // Strides mention sizes that come as parameters.
        for (&var, param) in fun.params.iter().zip(&params) {
            if let Param::Ptr(ptr) = param {
                let mem = self.dense(*ptr, Expr::int(0), &self.program.ty(var).shape, &[]);
                self.locs.insert(var, Loc::Array(Array::Mem(mem)));
            }
        }
        let mut counts = Vec::with_capacity(params.len());
        for &var in &fun.params {
            counts.push(self.count(&self.program.ty(var).shape));
        }
        fun.params.iter().for_each(|var| self.ghost_at(*var, imp::ghost::Origin::New));
        self.constants(fun);
        let values = self.body(&fun.body, &[]);
        let mut results = Vec::with_capacity(values.len());
        let mut transferred = Vec::new();
        for (value, operand) in values.into_iter().zip(&fun.body.result) {
            let ty = self.program.operand_ty(*operand);
            match value {
                Loc::Scalar(value) => results.push(imp::Result::Scalar(ty.elem, value)),
                Loc::Array(array) => {
                    let (ptr, handle) = self.transferred(&array, &ty, &[], (CopyReason::Returned, fun.span));
                    transferred.push(handle);
                    results.push(imp::Result::Array(ptr, handle));
                }
            }
        }
        let scope = self.leave_scope();
        self.release(&scope.handles);
        imp::Fun {
            name: fun.name,
            params,
            body: self.out.code,
            results,
            entry: fun.entry,
            recursive: fun.recursive,
            locals: self.out.locals,
            ptrs: self.out.ptrs,
            handles: self.out.handles,
            counts,
            span: fun.span,
        }
    }

    /// The constants that a function mentions are made at its start.
    fn constants(&mut self, fun: &'p ir::Fun) {
        let mut needed: FxHashSet<Var> = FxHashSet::default();
        for stm in &fun.body.stms {
            self.program.mentioned(stm, &mut |var| {
                needed.insert(var);
            });
        }
        needed.extend(fun.body.result.iter().filter_map(|a| a.var()));
        needed.extend(fun.params.iter().flat_map(|var| &self.program.ty(*var).shape).flat_map(Size::vars));
        let mut used = Vec::new();
        for stm in self.program.consts.iter().rev() {
            if stm.pat.iter().any(|var| needed.contains(var)) {
                self.program.mentioned(stm, &mut |var| {
                    needed.insert(var);
                });
                used.push(stm);
            }
        }
        used.into_iter().rev().for_each(|stm| self.stm(stm));
    }

    /// Makes a new handle the owner of an array in row-major order, so that it can be returned. `others` are owners from outside of which nothing is
    /// needed any more but what is returned.
    fn transferred(&mut self, array: &Array, ty: &ir::Type, others: &[Handle], (why, span): (CopyReason, Span)) -> (Ptr, Handle) {
        let mem = self.in_rows(array, ty, (why, span));
        let handle = self.handle("result");
        let ptr = self.ptr(Symbol::new("result"), ty.elem, None);
        self.emit(Stmt::Point(ptr, Place::Ptr(mem.ptr, mem.offset.clone())));
        let count = self.count(&ty.shape);
        // Only what was made here may be consumed.
        let own = &self.out.scope().handles;
        let mut from: Vec<Handle> =
            mem.keep.iter().copied().filter(|handle| mutated!(TransferWhatIsOthers, own.contains(handle), true)).collect();
        from.extend(others);
        self.copies_unless(ptr, self.out.ptrs[mem.ptr].name, &from, &count, span);
        self.emit(Stmt::Transfer { to: handle, ptr, from, count, span });
        (ptr, handle)
    }

    /// A size as an expression.
    fn size(&self, size: &Size) -> Expr {
        let mut sum = Expr::int(0);
        for (monomial, coefficient) in size.terms() {
            let (negative, factor) = (coefficient < 0, coefficient.unsigned_abs() as i64);
            let product = monomial.iter().fold(Expr::int(factor), |product, var| product.times(self.int(Operand::Var(*var))));
            sum = if negative { sum.minus(product) } else { sum.plus(product) };
        }
        sum
    }
    /// The number of elements of an array of this shape; the largest number if that does not fit.
    fn count(&self, shape: &[Size]) -> Expr {
        counted(shape.iter().map(|size| self.size(size)))
    }
    /// A scalar operand.
    fn int(&self, operand: Operand) -> Expr {
        match operand {
            Operand::Const(scalar) => Expr::Const(scalar),
            Operand::Var(var) => match self.loc(Operand::Var(var)) {
                Loc::Scalar(e) => e,
                Loc::Array(_) => crate::ice!(Span::default(), "the array `{}` where a scalar is needed", self.program.vars[var].name),
            },
        }
    }
    fn loc(&self, operand: Operand) -> Loc {
        match operand {
            Operand::Const(scalar) => Loc::Scalar(Expr::Const(scalar)),
            Operand::Var(var) => self.locs.get(&var).cloned().unwrap_or_else(|| {
                crate::ice!(Span::default(), "the variable `{}` is used before it is computed", self.program.vars[var].name)
            }),
        }
    }
    fn array(&self, var: Var) -> Array {
        match self.loc(Operand::Var(var)) {
            Loc::Array(array) => array,
            Loc::Scalar(_) => crate::ice!(Span::default(), "the scalar `{}` where an array is needed", self.program.vars[var].name),
        }
    }
    fn set_scalar(&mut self, var: Var, e: Expr) {
        if matches!(e, Expr::Const(_)) {
            self.locs.insert(var, Loc::Scalar(e));
            return;
        }
        let local = self.local_of(var);
        self.emit(Stmt::Set(local, e));
        self.locs.insert(var, Loc::Scalar(Expr::Local(local)));
    }

    /// Lowers the statements of a body and returns its results. Those with a destination are there afterwards. Handles that results need
    /// move to the enclosing scope.
    fn body(&mut self, body: &'p Body, dests: &[Option<Mem>]) -> Vec<Loc> {
        self.body_with(body, dests, Overlap::None)
    }
    fn body_with(&mut self, body: &'p Body, dests: &[Option<Mem>], overlap: Overlap) -> Vec<Loc> {
        let mut placed: FxHashSet<Var> = FxHashSet::default();
        for (operand, dest) in body.result.iter().zip(dests) {
            if let (Operand::Var(var), Some(dest)) = (operand, dest)
                && let Some(origin) = self.origin(*var, body)
                && let Some(dest) = self.destination_of(&origin, *var, dest, body)
                && placed.insert(origin.var)
            {
                self.destinations.mems.insert(origin.var, dest);
            }
        }
        self.out.scopes.push(Scope::default());
        self.find_destinations(body, overlap);
        let last = last_uses(body);
        for (i, stm) in body.stms.iter().enumerate() {
            self.stm(stm);
            self.end_lives(&body.stms[..=i], i, &last);
        }
        // The body may be lowered once more, for another version of what is around it.
        for var in body.stms.iter().flat_map(|stm| &stm.pat) {
            self.destinations.mems.remove(var);
            self.destinations.placed.remove(var);
        }
        let mut out = Vec::with_capacity(body.result.len());
        for (k, operand) in body.result.iter().enumerate() {
            let loc = self.loc(*operand);
            match (dests.get(k), loc) {
                (Some(Some(dest)), Loc::Array(array)) => {
                    let shape = self.program.operand_ty(*operand).shape;
                    if !matches!(&array, Array::Mem(mem) if same_place(mem, dest)) {
                        self.copy_into(dest, &shape, &array, CopyReason::Moved);
                    }
                    out.push(Loc::Array(Array::Mem(dest.clone())));
                }
                (_, loc) => out.push(loc),
            }
        }
        self.ghost_results(body, &out);
        let kept: FxHashSet<Handle> =
            out.iter().flat_map(|loc| if let Loc::Array(Array::Mem(mem)) = loc { mem.keep.to_vec() } else { Vec::new() }).collect();
        let scope = self.leave_scope();
        let (keep, free): (Vec<Handle>, Vec<Handle>) = scope.handles.into_iter().partition(|handle| kept.contains(handle));
        self.release(&free);
        self.out.scope().handles.extend(keep);
        out
    }

    /// The destination of what a result is made as, if the result has this one.
    fn destination_of(&mut self, origin: &Origin, result: Var, dest: &Mem, body: &Body) -> Option<Mem> {
        if !origin.reshaped {
            return Some(dest.clone());
        }
        let program = self.program;
        let (ty, made) = (program.ty(result), program.ty(origin.var));
        let later = |size: &Size| size.vars().any(|var| body.stms.iter().any(|stm| stm.pat.contains(&var)));
        let fits = self.is_dense(dest, &ty.shape) && !made.shape.iter().any(later);
        fits.then(|| self.dense(dest.ptr, dest.offset.clone(), &made.shape, &dest.keep))
    }
    /// The variable of the body whose buffer `var` is in, if that can be given a destination.
    fn origin(&self, mut var: Var, body: &Body) -> Option<Origin> {
        let mut reshaped = false;
        loop {
            let stm = body.stms.iter().rev().find(|stm| stm.pat.contains(&var))?;
            let k = stm.pat.iter().position(|v| *v == var)?;
            let next = match &stm.exp {
                ir::Exp::Update { array, .. } | ir::Exp::UpdateSlice { array, .. } => *array,
                ir::Exp::Scatter { dests, .. } | ir::Exp::Hist { dests, .. } => *dests.get(k)?,
                ir::Exp::Coerce(array) => *array,
                ir::Exp::Reshape(array) => {
                    reshaped = true;
                    *array
                }
                ir::Exp::Index { .. } | ir::Exp::Slice { .. } | ir::Exp::Rearrange { .. } => return None,
                ir::Exp::Iota { .. } | ir::Exp::Rep(_) | ir::Exp::Literal(_) => return None,
                ir::Exp::Copy(_)
                | ir::Exp::Scalar(..)
                | ir::Exp::Size(_)
                | ir::Exp::Stack(_)
                | ir::Exp::Rotate { .. }
                | ir::Exp::Concat(_)
                | ir::Exp::Check(_)
                | ir::Exp::Soac(_)
                | ir::Exp::Seg(_)
                | ir::Exp::Filter { .. }
                | ir::Exp::Rows { .. }
                | ir::Exp::If { .. }
                | ir::Exp::Loop { .. }
                | ir::Exp::Call(..)
                | count_exp!() => return Some(Origin { var, reshaped }),
            };
            var = next;
        }
    }

    /// Releases the buffers that are dead after statement `i`.
    fn end_lives(&mut self, before: &[Stm], i: usize, last: &FxHashMap<Var, usize>) {
        if self.out.scope().handles.is_empty() {
            return;
        }
        let mut live: FxHashSet<Handle> = FxHashSet::default();
        for var in before.iter().flat_map(|stm| &stm.pat) {
            if last.get(var).is_some_and(|last| mutated!(EndLivesEarly, *last > i, *last > i + 1))
                && let Some(Loc::Array(Array::Mem(mem))) = self.locs.get(var)
            {
                live.extend(mem.keep.iter().copied());
            }
        }
        let scope = self.out.scope();
        let (kept, dead): (Vec<Handle>, Vec<Handle>) = std::mem::take(&mut scope.handles).into_iter().partition(|h| live.contains(h));
        scope.handles = kept;
        self.release(&dead);
    }
}

/// The product of sizes; the largest number if that does not fit.
fn counted(mut sizes: impl Iterator<Item = Expr>) -> Expr {
    let first = sizes.next().unwrap_or(Expr::int(1));
    sizes.fold(first, |product, n| Expr::arith(Int::Count, product, n))
}

/// The last statement of a body that mentions each of its variables; one after the last for results.
fn last_uses(body: &Body) -> FxHashMap<Var, usize> {
    let mut last = FxHashMap::default();
    for (i, stm) in body.stms.iter().enumerate() {
        mentioned(stm, &mut |var| {
            last.insert(var, i);
        });
    }
    body.result.iter().filter_map(|a| a.var()).for_each(|var| {
        last.insert(var, body.stms.len());
    });
    last
}

fn same_place(a: &Mem, b: &Mem) -> bool {
    a.ptr == b.ptr
        && a.offset == b.offset
        && a.strides.len() == b.strides.len()
        && a.strides.iter().zip(b.strides.iter()).all(|(a, b)| mutated!(SamePlaceAnyStride, a.size == b.size, true))
}
