//! Branches and loops.

use super::{Array, Loc, Lower, Mem, same_place};
use crate::base::mutation::mutated;
use crate::base::{PrimType, Span, Symbol};
use crate::ir::imp::{Expr, Handle, Local, Order, Place, Ptr, Stmt};
use crate::ir::profile::CopyReason;
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Size, Type, Var, count_exp, made_exp};

/// How a loop carries a value from one iteration to the next.
enum Carried {
    /// A scalar in a variable.
    Scalar(Local),
    /// An array that is updated in place.
    InPlace(Mem),
    /// Double buffering: pointers to the array, to the destination of the next one, and to the buffer that is free. Before the first
    /// iteration the array is where it came from.
    Two { current: Ptr, next: Ptr, free: Ptr, keep: Vec<Handle> },
    /// An array whose size depends on the iteration, with its owner.
    Varying { current: Ptr, owner: Handle, keep: Vec<Handle> },
}

/// What an array is an updated version of.
struct Root {
    var: Var,
    /// Whether it is reshaped on the way, which is a view only of what lies in row-major order.
    in_rows: bool,
}

/// What a loop overwrites of an array that it carries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overwrites {
    Nothing,
    /// Cells, wherever they lie.
    Cells,
    /// Cells, through views that take row-major order.
    Rows,
}

impl Overwrites {
    fn of(root: &Root) -> Overwrites {
        if root.in_rows { Overwrites::Rows } else { Overwrites::Cells }
    }
}

/// Views of views, from the last to the first. Neighbours that are inverse to each other are no views.
#[derive(Default)]
struct Views<'p>(Vec<View<'p>>);

enum View<'p> {
    /// The same elements in this shape.
    Shape(&'p Type),
    /// Other dimensions first.
    Order(Vec<usize>),
}

impl<'p> Views<'p> {
    /// Before them comes a change of shape.
    fn shape(&mut self, from: &'p Type, to: &'p Type) {
        let to = match self.0.pop_if(|view| matches!(view, View::Shape(_))) {
            Some(View::Shape(last)) => last,
            Some(View::Order(_)) | None => to,
        };
        if from != to {
            self.0.push(View::Shape(to));
        }
    }
    /// Before them comes another order of the dimensions.
    fn order(&mut self, perm: &[usize]) {
        let perm = match self.0.pop_if(|view| matches!(view, View::Order(_))) {
            Some(View::Order(later)) => later.iter().map(|k| perm[*k]).collect(),
            Some(View::Shape(_)) | None => perm.to_vec(),
        };
        if perm.iter().enumerate().any(|(k, dim)| k != *dim) {
            self.0.push(View::Order(perm));
        }
    }
    /// Whether together they are no view.
    fn none(&self) -> bool {
        self.0.is_empty()
    }
}

/// The memory of a parameter.
pub(super) enum Held<'a> {
    /// A view of memory.
    Mem(&'a Mem),
    /// The elements that this points at, in row-major order.
    Ptr(Ptr),
}

impl Carried {
    fn held(&self) -> Option<Held<'_>> {
        match self {
            Carried::Scalar(_) => None,
            Carried::InPlace(mem) => Some(Held::Mem(mem)),
            Carried::Two { current, .. } | Carried::Varying { current, .. } => Some(Held::Ptr(*current)),
        }
    }
}

impl<'p> Lower<'_, 'p> {
    pub(super) fn conditional(&mut self, cond: Operand, then: &'p Body, els: &'p Body, pat: &[Var], span: Span) {
        let cond = self.int(cond);
        let program = self.program;
        if pat.iter().all(|var| program.ty(*var).rank() == 0) && cheap(then) && cheap(els) {
            let a = self.body(then, &[]);
            let b = self.body(els, &[]);
            for ((var, a), b) in pat.iter().zip(a).zip(b) {
                let (Loc::Scalar(a), Loc::Scalar(b)) = (a, b) else { crate::ice!(span, "a choice between arrays") };
                self.set_scalar(*var, Expr::Select(Box::new(cond.clone()), Box::new(a), Box::new(b)));
            }
            return;
        }
        /// Where a result goes.
        enum Goes {
            Scalar(Local),
            Dest(Mem),
            /// Nowhere: both sides update it in place.
            Stays(Mem),
            Ptr(Ptr, Vec<Handle>),
        }
        let mut goes = Vec::with_capacity(pat.len());
        for &var in pat {
            let ty = program.ty(var);
            let known = ty.shape.iter().all(|size| size.vars().all(|v| !pat.contains(&v)));
            let small = Size::constant_product(&ty.shape).is_some_and(|n| n <= 64);
            goes.push(if ty.rank() == 0 {
                let local = self.local_of(var);
                self.locs.insert(var, Loc::Scalar(Expr::Local(local)));
                Goes::Scalar(local)
            } else if let Some(mem) = self.stays(var) {
                Goes::Stays(mem)
            } else if self.destinations.mems.contains_key(&var) || (known && small) {
                Goes::Dest(self.alloc_var(var, span))
            } else {
                Goes::Ptr(self.ptr(program.vars[var].name, ty.elem, None), Vec::new())
            });
        }
        let dests: Vec<Option<Mem>> = goes.iter().map(|goes| if let Goes::Dest(mem) = goes { Some(mem.clone()) } else { None }).collect();
        let [then, els] = [then, els].map(|body| {
            let (block, ()) = self.block(|this| {
                let results = this.body(body, &dests);
                for ((goes, result), operand) in goes.iter_mut().zip(results).zip(&body.result) {
                    match (goes, result) {
                        (Goes::Scalar(local), Loc::Scalar(e)) => this.emit(Stmt::Set(*local, e)),
                        (Goes::Stays(mem), Loc::Array(array)) if !matches!(&array, Array::Mem(at) if same_place(at, mem)) => {
                            let ty = program.operand_ty(*operand);
                            this.copy_into(mem, &ty.shape, &array, CopyReason::Branch);
                        }
                        (Goes::Ptr(ptr, keep), Loc::Array(array)) => {
                            let ty = program.operand_ty(*operand);
                            let mem = this.in_rows(&array, &ty, (CopyReason::Branch, span));
                            this.emit(Stmt::Point(*ptr, Place::Ptr(mem.ptr, mem.offset.clone())));
                            keep.extend(mem.keep.iter().copied().take(mutated!(ReleaseBranchResult, usize::MAX, 0)));
                        }
                        // It is there already.
                        (Goes::Dest(_), _) | (Goes::Stays(_), Loc::Array(_)) => {}
                        (Goes::Scalar(_), Loc::Array(_)) | (Goes::Stays(_) | Goes::Ptr(..), Loc::Scalar(_)) => {
                            crate::ice!(span, "branches have results of different ranks")
                        }
                    }
                }
            });
            block
        });
        self.emit(Stmt::If(cond, then, els));
        for (&var, goes) in pat.iter().zip(goes) {
            match goes {
                Goes::Scalar(_) => {}
                Goes::Dest(mem) | Goes::Stays(mem) => self.bind_mem(var, mem),
                Goes::Ptr(ptr, keep) => {
                    let mem = self.dense(ptr, Expr::int(0), &program.ty(var).shape, &keep);
                    self.bind_mem(var, mem);
                }
            }
        }
    }

    /// The parameter of a loop that a variable is an updated version of, so that both are in the same memory; `None` if that is not certain.
    fn root(&self, mut var: Var) -> Option<Root> {
        let mut views = Views::default();
        let mut in_rows = false;
        loop {
            let Some(stm) = self.defs.stms.get(&var) else { return views.none().then_some(Root { var, in_rows }) };
            let k = stm.pat.iter().position(|v| *v == var)?;
            var = match &stm.exp {
                Exp::Update { array, .. } | Exp::UpdateSlice { array, .. } => *array,
                Exp::Scatter { dests, .. } | Exp::Hist { dests, .. } => *dests.get(k)?,
                Exp::Loop { params, body, .. } => {
                    let (param, init) = params.get(k)?;
                    let root = self.root(body.result.get(k)?.var()?)?;
                    if root.var != *param {
                        return None;
                    }
                    in_rows |= root.in_rows;
                    init.var()?
                }
                Exp::If { then, els, .. } => {
                    let a = self.root(then.result.get(k)?.var()?)?;
                    let b = self.root(els.result.get(k)?.var()?)?;
                    if a.var != b.var {
                        return None;
                    }
                    in_rows |= a.in_rows || b.in_rows;
                    a.var
                }
                Exp::Reshape(array) => {
                    in_rows = true;
                    views.shape(self.program.ty(*array), self.program.ty(var));
                    *array
                }
                Exp::Rearrange { array, perm } => {
                    views.order(perm);
                    *array
                }
                Exp::Copy(_)
                | Exp::Scalar(..)
                | Exp::Size(_)
                | Exp::Index { .. }
                | Exp::Slice { .. }
                | Exp::Coerce(_)
                | Exp::Check(_)
                | Exp::Soac(_)
                | Exp::Seg(_)
                | Exp::Filter { .. }
                | Exp::Rows { .. }
                | Exp::Call(..)
                | made_exp!()
                | count_exp!() => return None,
            };
        }
    }

    /// The memory of a result of branches that both only update in place.
    fn stays(&self, var: Var) -> Option<Mem> {
        if self.destinations.mems.contains_key(&var) {
            return None;
        }
        let root = self.root(var)?;
        let Loc::Array(Array::Mem(mem)) = self.loc(Operand::Var(root.var)) else { return None };
        (!root.in_rows || self.is_dense(&mem, &self.program.ty(root.var).shape)).then_some(mem)
    }

    pub(super) fn looping(&mut self, params: &'p [(Var, Operand)], form: &'p LoopForm, body: &'p Body, pat: &[Var], span: Span) {
        let program = self.program;
        let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        let mut carried = Vec::with_capacity(params.len());
        for (k, (var, init)) in params.iter().enumerate() {
            let ty = program.ty(*var);
            let init_ty = program.operand_ty(*init);
            carried.push(match self.loc(*init) {
                Loc::Scalar(e) => {
                    let local = self.local_of(*var);
                    self.emit(Stmt::Set(local, e));
                    Carried::Scalar(local)
                }
                Loc::Array(array) => {
                    let result = body.result.get(k).and_then(|a| a.var());
                    let stays = result.and_then(|result| self.root(result)).filter(|root| root.var == *var);
                    let changes = ty.shape.iter().any(|size| size.vars().any(|v| vars.contains(&v)));
                    if let Some(root) = stays
                        && !changes
                    {
                        let overwrites = if result == Some(*var) { Overwrites::Nothing } else { Overwrites::of(&root) };
                        self.in_place(&array, &init_ty, pat[k], overwrites, span)
                    } else if changes {
                        self.varying(*var, &array, &init_ty, span)
                    } else {
                        self.two(*var, &array, &init_ty, span)
                    }
                }
            });
        }
        self.bind_scalars(&vars, &carried);
        for ((var, init), carried) in params.iter().zip(&carried) {
            if let Some(held) = carried.held() {
                self.ghost_param(*var, &held, self.ghost_init(*init));
            }
        }
        match form {
            LoopForm::For(i, n) => {
                let n = self.int(*n);
                let count = self.atom("n", n);
                let var = self.local_of(*i);
                self.locs.insert(*i, Loc::Scalar(Expr::Local(var)));
                let (block, ()) = self.block(|this| {
                    this.bind_carried(&vars, &carried);
                    this.scoped(|this| this.iteration(&vars, &carried, body, span));
                });
                self.emit(Stmt::For { var, from: Expr::int(0), to: count, order: Order::Sequential, body: block });
            }
            LoopForm::While(condition) => {
                let (first, cond) = self.block(|this| {
                    this.bind_carried(&vars, &carried);
                    match this.body(condition, &[]).into_iter().next() {
                        Some(Loc::Scalar(e)) => this.atom_bool("again", e),
                        Some(Loc::Array(_)) | None => crate::ice!(span, "the condition of a loop is no scalar"),
                    }
                });
                let (second, ()) = self.block(|this| this.scoped(|this| this.iteration(&vars, &carried, body, span)));
                self.emit(Stmt::While(first, cond, second));
            }
        }
        self.bind_results(pat, carried);
    }
    pub(super) fn atom_bool(&mut self, name: &str, e: Expr) -> Expr {
        if e.is_atom() {
            return e;
        }
        let local = self.local(name, PrimType::Bool);
        self.emit(Stmt::Set(local, e));
        Expr::Local(local)
    }

    fn in_place(&mut self, init: &Array, ty: &Type, result: Var, overwrites: Overwrites, span: Span) -> Carried {
        if let Some(dest) = self.destinations.mems.get(&result).cloned()
            && (overwrites != Overwrites::Rows || self.is_dense(&dest, &ty.shape))
        {
            self.copy_into(&dest, &ty.shape, init, CopyReason::First);
            return Carried::InPlace(match overwrites {
                Overwrites::Rows => self.dense(dest.ptr, dest.offset.clone(), &ty.shape, &dest.keep),
                Overwrites::Nothing | Overwrites::Cells => dest,
            });
        }
        let fits = |mem: &Mem| match overwrites {
            Overwrites::Nothing => true,
            Overwrites::Cells => mem.strides.iter().all(|stride| stride.size.as_constant() != Some(0)),
            Overwrites::Rows => self.is_dense(mem, &ty.shape),
        };
        match init {
            // The same strides as after the views.
            Array::Mem(mem) if fits(mem) && overwrites == Overwrites::Rows => {
                Carried::InPlace(self.dense(mem.ptr, mem.offset.clone(), &ty.shape, &mem.keep))
            }
            Array::Mem(mem) if fits(mem) => Carried::InPlace(mem.clone()),
            other @ (Array::Mem(_) | Array::Iota(..) | Array::Fill(_)) => {
                Carried::InPlace(self.copied(other, ty, (CopyReason::First, span)))
            }
        }
    }
    fn two(&mut self, var: Var, init: &Array, ty: &Type, span: Span) -> Carried {
        let program = self.program;
        let name = program.vars[var].name;
        let mem = self.in_rows(init, ty, (CopyReason::First, span));
        let buffers = [self.alloc(name, program.ty(var), span), self.alloc(name, program.ty(var), span)];
        let [current, next, free] = ["", "next", "free"].map(|text| {
            let name = if text.is_empty() { name } else { Symbol::new(text) };
            self.ptr(name, ty.elem, None)
        });
        self.emit(Stmt::Point(current, Place::Ptr(mem.ptr, mem.offset.clone())));
        self.emit(Stmt::Point(next, Place::Ptr(buffers[0].ptr, Expr::int(0))));
        self.emit(Stmt::Point(free, Place::Ptr(buffers[1].ptr, Expr::int(0))));
        let keep = mem.keep.iter().chain(buffers.iter().flat_map(|mem| mem.keep.iter())).copied().collect();
        Carried::Two { current, next, free, keep }
    }
    fn varying(&mut self, var: Var, init: &Array, ty: &Type, span: Span) -> Carried {
        let mem = self.in_rows(init, ty, (CopyReason::First, span));
        let name = self.program.vars[var].name;
        let current = self.ptr(name, ty.elem, None);
        let owner = self.scoped_handle(name.as_str());
        self.emit(Stmt::Point(current, Place::Ptr(mem.ptr, mem.offset.clone())));
        let keep = mem.keep.iter().copied().chain([owner]).collect();
        Carried::Varying { current, owner, keep }
    }

    /// What the scalars among the parameters are in an iteration; sizes of the others may be among them.
    fn bind_scalars(&mut self, vars: &[Var], carried: &[Carried]) {
        for (var, carried) in vars.iter().zip(carried) {
            if let Carried::Scalar(local) = carried {
                self.locs.insert(*var, Loc::Scalar(Expr::Local(*local)));
            }
        }
    }
    /// What the parameters are in an iteration.
    fn bind_carried(&mut self, vars: &[Var], carried: &[Carried]) {
        self.bind_scalars(vars, carried);
        for (var, carried) in vars.iter().zip(carried) {
            let mem = match carried {
                Carried::Scalar(_) => continue,
                Carried::InPlace(mem) => mem.clone(),
                Carried::Two { current, .. } | Carried::Varying { current, .. } => {
                    self.dense(*current, Expr::int(0), &self.program.ty(*var).shape, &[])
                }
            };
            self.bind_mem(*var, mem);
        }
    }

    /// The body of a loop and what happens to the parameters after it.
    fn iteration(&mut self, vars: &[Var], carried: &[Carried], body: &'p Body, span: Span) {
        let program = self.program;
        let mut dests = Vec::with_capacity(carried.len());
        for (carried, operand) in carried.iter().zip(&body.result) {
            dests.push(if let Carried::Two { next, .. } = carried {
                // Types of results do not mention variables of the body, if the sizes stay.
                let ty = program.operand_ty(*operand);
                Some(self.dense(*next, Expr::int(0), &ty.shape, &[]))
            } else {
                None
            });
        }
        // Nothing of the old arrays is needed but what an iteration hands on: a buffer that stays, or goes to another parameter, is not copied.
        let owner = |carried: &Carried| if let Carried::Varying { owner, .. } = carried { Some(*owner) } else { None };
        let owners: Vec<Handle> = carried.iter().filter_map(owner).collect();
        let results = self.body(body, &dests);
        let slots = self.ghost_slots();
        // All new values are computed before an old one is replaced.
        let mut scalars = Vec::new();
        let mut moved = Vec::new();
        for (k, ((carried, result), operand)) in carried.iter().zip(results).zip(&body.result).enumerate() {
            match (carried, result) {
                (Carried::Scalar(local), Loc::Scalar(e)) => {
                    if e == Expr::Local(*local) {
                        continue;
                    }
                    let e = if mutated!(OldScalarsGo, matches!(e, Expr::Const(_)), true) {
                        e
                    } else {
                        let new = self.local("new", self.out.locals[*local].prim);
                        self.emit(Stmt::Set(new, e));
                        Expr::Local(new)
                    };
                    scalars.push((*local, e));
                }
                (Carried::Varying { current, owner, .. }, Loc::Array(array)) => {
                    let ty = program.operand_ty(*operand);
                    let (ptr, handle) = self.transferred(&array, &ty, &owners, (CopyReason::Iteration, span));
                    self.ghost_moved(slots.get(k).copied().flatten(), ptr);
                    moved.push((*current, *owner, ptr, handle));
                }
                (Carried::InPlace(mem), Loc::Array(array)) => {
                    // Where there are no elements it does not matter where they are.
                    let empty = program.operand_ty(*operand).shape.iter().any(|size| size.as_constant() == Some(0));
                    if !empty && !matches!(&array, Array::Mem(at) if same_place(at, mem)) {
                        crate::ice!(span, "an array that is updated in place has moved");
                    }
                }
                // It is there already.
                (Carried::Two { .. }, _) => {}
                (Carried::Scalar(_), Loc::Array(_)) | (Carried::InPlace(_) | Carried::Varying { .. }, Loc::Scalar(_)) => {
                    crate::ice!(span, "a loop goes on with a value of another rank")
                }
            }
        }
        for (local, e) in scalars {
            self.emit(Stmt::Set(local, e));
        }
        for (current, owner, ptr, handle) in moved {
            self.emit(Stmt::Move { to: owner, from: handle });
            self.emit(Stmt::Point(current, Place::Ptr(ptr, Expr::int(0))));
        }
        for carried in carried {
            if let Carried::Two { current, next, free, .. } = carried {
                self.emit(Stmt::Point(*current, Place::Ptr(*next, Expr::int(0))));
                self.emit(Stmt::Point(*next, Place::Ptr(mutated!(OneBufferOfTwo, *free, *current), Expr::int(0))));
                self.emit(Stmt::Point(*free, Place::Ptr(*current, Expr::int(0))));
            }
        }
        for (k, (var, carried)) in vars.iter().zip(carried).enumerate() {
            if let Some(held) = carried.held() {
                self.ghost_param(*var, &held, slots.get(k).copied().flatten().map(|(slot, _)| slot));
            }
        }
    }

    fn bind_results(&mut self, pat: &[Var], carried: Vec<Carried>) {
        for (var, carried) in pat.iter().zip(&carried) {
            if let Carried::Scalar(local) = carried {
                self.locs.insert(*var, Loc::Scalar(Expr::Local(*local)));
            }
        }
        for (var, carried) in pat.iter().zip(carried) {
            let mem = match carried {
                Carried::Scalar(_) => continue,
                Carried::InPlace(mem) => mem,
                Carried::Two { current, keep, .. } | Carried::Varying { current, keep, .. } => {
                    self.dense(current, Expr::int(0), &self.program.ty(*var).shape, mutated!(LoopReleasesResult, &keep, &[]))
                }
            };
            self.bind_mem(*var, mem);
        }
    }
}

/// Whether a side of a branch may be computed unconditionally (if-conversion): it has few operations, none of which can fail.
fn cheap(body: &Body) -> bool {
    let here = body.stms.iter().all(|stm| {
        if let Exp::If { then, els, .. } = &stm.exp {
            return cheap(then) && cheap(els);
        }
        matches!(stm.exp, Exp::Scalar(..) | Exp::Copy(_) | Exp::Size(_)) && !stm.exp.may_fail()
    });
    here && super::soac::cost(body) <= 24
}
