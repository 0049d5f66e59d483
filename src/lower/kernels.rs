//! What the device does: operators over thread spaces, and all that moves elements.

use super::memory::in_bounds;
use super::soac::simple;
use super::{Array, Loc, Lower, Mem, Scope};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Scalar, Span, Symbol};
use crate::ir::imp::{Atomic, Combine, Expr, Int, Launch, Local, Segments, Stmt, Work};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Operator, Seg, SegKind, Size, Var};

impl<'p> Lower<'_, 'p> {
    /// The code of a kernel.
    fn in_kernel<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (Vec<Stmt>, T) {
        let host = std::mem::replace(&mut self.host, false);
        let frame = std::mem::replace(&mut self.frame, 0);
        self.scopes.push(Scope::default());
        let (mut code, result) = self.block(work);
        let scope = self.scopes.pop().unwrap_or_default();
        code.extend(scope.handles.into_iter().map(Stmt::Release));
        self.host = host;
        self.frame = frame;
        (code, result)
    }
    fn launch(&mut self, work: Work, span: Span) {
        self.emit(Stmt::Launch(Box::new(Launch { name: self.name, span, threads: None, work })));
    }
    /// A kernel that does something for each number below `width`.
    fn launch_map(&mut self, width: Expr, span: Span, work: impl FnOnce(&mut Self, Expr)) {
        let index = self.local("t", PrimType::I64);
        let (body, ()) = self.in_kernel(|this| work(this, Expr::Local(index)));
        self.launch(Work::Map { width, index, body }, span);
    }

    /// The indices of element number `flat` in row-major order.
    fn indices(&mut self, flat: Expr, dims: &[Expr]) -> Vec<Expr> {
        let mut out = vec![flat.clone(); dims.len()];
        let mut rest = flat;
        for (k, n) in dims.iter().enumerate().skip(1).rev() {
            out[k] = self.atom("i", Expr::arith(Int::Rem, rest.clone(), n.clone()));
            rest = self.atom("rest", Expr::arith(Int::Div, rest, n.clone()));
        }
        if let Some(first) = out.first_mut() {
            *first = rest;
        }
        out
    }
    /// The product of sizes.
    fn product(&mut self, dims: &[Expr]) -> Expr {
        let product = dims.iter().fold(Expr::int(1), |product, n| Expr::arith(Int::Count, product, n.clone()));
        self.atom("count", product)
    }

    /// Runs `visit` in a thread for each index of a shape.
    pub(super) fn kernel_nest(&mut self, shape: &[Size], visit: &mut dyn FnMut(&mut Self, &[Expr])) {
        let dims = self.dims(shape);
        let width = self.product(&dims);
        self.launch_map(width, Span::default(), |this, t| {
            let indices = this.indices(t, &dims);
            visit(this, &indices);
        });
    }
    /// Scalars next to each other, written by one thread.
    pub(super) fn kernel_stack(&mut self, mem: &Mem, cells: &[Operand], sizes: &[i64], span: Span) {
        let dims: Vec<Expr> = sizes.iter().map(|n| Expr::int(*n)).collect();
        let values: Vec<Expr> = cells.iter().map(|cell| self.int(*cell)).collect();
        self.launch_map(Expr::int(1), span, |this, _| {
            for (k, value) in values.into_iter().enumerate() {
                let (mut rest, mut indices) = (k as i64, vec![Expr::int(0); dims.len()]);
                for (index, n) in indices.iter_mut().zip(sizes).rev() {
                    *index = Expr::int(rest % n.max(&1));
                    rest /= n.max(&1);
                }
                let at = this.at(mem, &indices);
                this.emit(Stmt::Store(mem.ptr, at, value));
            }
        });
    }

    pub(super) fn seg(&mut self, seg: &'p Seg, pat: &[Var], span: Span) {
        let dims = self.dims(&seg.sizes);
        let mut outs = Vec::with_capacity(pat.len());
        for &var in pat {
            let rank = self.program.ty(var).rank();
            outs.push(if rank == 0 { self.one(var, span) } else { self.alloc_var(var, span) });
        }
        match &seg.kind {
            SegKind::Map => {
                let width = self.product(&dims);
                self.launch_map(width, span, |this, t| {
                    let indices = this.indices(t, &dims);
                    this.bind_space(&seg.space, &indices);
                    this.cell_of(&seg.body, 0, &outs, &indices);
                });
            }
            SegKind::Reduce(operators) | SegKind::Scan(operators) => self.segments(seg, operators, &dims, &outs, span),
        }
        for (&var, out) in pat.iter().zip(outs) {
            if self.program.ty(var).rank() == 0 {
                self.set_scalar(var, Expr::Load(out.ptr, Box::new(Expr::int(0))));
            } else {
                self.bind_mem(var, out);
            }
        }
    }
    /// Memory for a scalar.
    fn one(&mut self, var: Var, span: Span) -> Mem {
        let info = &self.program.vars[var];
        let ptr = self.ptr(info.name, info.ty.elem, None);
        let handle = self.handle(info.name.as_str());
        self.emit(Stmt::Alloc { handle, ptr, count: Expr::int(1), span });
        if let Some(scope) = self.scopes.last_mut() {
            scope.handles.push(handle);
        }
        Mem { ptr, offset: Expr::int(0), strides: [].into(), keep: [handle].into() }
    }
    fn bind_space(&mut self, space: &[Var], indices: &[Expr]) {
        for (var, index) in space.iter().zip(indices) {
            self.locs.insert(*var, Loc::Scalar(index.clone()));
        }
    }
    /// Runs a body and writes its results from number `skip` on to their places in `outs`; returns those before.
    fn cell_of(&mut self, body: &'p Body, skip: usize, outs: &[Mem], indices: &[Expr]) -> Vec<Loc> {
        let mut dests = Vec::with_capacity(outs.len());
        for (k, (out, operand)) in outs.iter().zip(&body.result).enumerate() {
            dests.push(match self.program.operand_ty(*operand).rank() {
                0 => None,
                _ if k < skip => None,
                _ => {
                    let offset = self.at(out, indices);
                    let offset = self.atom("row", offset);
                    Some(Mem { offset, strides: out.strides[indices.len()..].into(), keep: [].into(), ..out.clone() })
                }
            });
        }
        let mut results = self.body(body, &dests);
        for (result, out) in results.iter().zip(outs).skip(skip) {
            if let Loc::Scalar(e) = result {
                let at = self.at(out, indices);
                self.emit(Stmt::Store(out.ptr, at, e.clone()));
            }
        }
        results.truncate(skip);
        results
    }

    fn segments(&mut self, seg: &'p Seg, operators: &'p [Operator], dims: &[Expr], outs: &[Mem], span: Span) {
        let Some((width, outer)) = dims.split_last() else { return };
        let scan = matches!(seg.kind, SegKind::Scan(_));
        let combined: usize = operators.iter().map(|op| op.neutral.len()).sum();
        let segments = self.product(outer);
        let [segment, index] = ["segment", "i"].map(|name| self.local(name, PrimType::I64));
        let neutral: Vec<Expr> = operators.iter().flat_map(|op| &op.neutral).map(|a| self.int(*a)).collect();
        let place = |this: &mut Self| {
            let mut indices = match outer {
                [] => Vec::new(),
                outer => this.indices(Expr::Local(segment), outer),
            };
            indices.push(Expr::Local(index));
            indices
        };
        let (cell, values) = self.in_kernel(|this| {
            let indices = place(this);
            this.bind_space(&seg.space, &indices);
            let given = this.cell_of(&seg.body, combined, outs, &indices);
            scalars(given)
        });
        let combine = self.combined(operators);
        let sum: Vec<Local> = neutral.iter().zip(operators.iter().flat_map(|op| &op.neutral)).map(|(_, a)| self.sum_local(*a)).collect();
        let (done, ()) = self.in_kernel(|this| {
            let mut indices = place(this);
            if !scan {
                indices.pop();
            }
            for (local, out) in sum.iter().zip(outs) {
                let at = this.at(out, &indices);
                this.emit(Stmt::Store(out.ptr, at, Expr::Local(*local)));
            }
        });
        let commutative = operators.iter().all(|op| op.commutative || simple(op).is_some());
        let work = Segments { segments, width: width.clone(), segment, index, cell, values, combine, neutral, sum, done, commutative };
        self.launch(if scan { Work::Scan(work) } else { Work::Reduce(work) }, span);
    }
    fn sum_local(&mut self, neutral: Operand) -> Local {
        let prim = self.program.operand_ty(neutral).elem;
        self.local("sum", prim)
    }
    /// Operators side by side as one.
    fn combined(&mut self, operators: &'p [Operator]) -> Combine {
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let (body, results) = self.in_kernel(|this| {
            let mut results = Vec::new();
            for operator in operators {
                let count = operator.neutral.len();
                for (k, param) in operator.lambda.params.iter().enumerate() {
                    let local = this.local_of(*param);
                    if k < count {
                        left.push(local)
                    } else {
                        right.push(local)
                    }
                    this.locs.insert(*param, Loc::Scalar(Expr::Local(local)));
                }
                results.extend(scalars(this.body(&operator.lambda.body, &[])));
            }
            results
        });
        Combine { left, right, body, results }
    }

    /// A scan counts what is kept; where it is known how many cells are kept before one, it is written.
    pub(super) fn filter_kernel(&mut self, width: &Size, inputs: &[Var], lambda: &'p Lambda, pat: &[Var], span: Span) {
        let program = self.program;
        let (count, arrays) = (pat[0], &pat[1..]);
        let wide = self.size(width);
        let wide = self.atom("width", wide);
        let kept = self.local_of(count);
        let mut outs = Vec::with_capacity(arrays.len());
        for var in arrays {
            let ty = program.ty(*var).cell(1).framed(std::slice::from_ref(width));
            outs.push(self.alloc(program.vars[*var].name, &ty, span));
        }
        let total = self.one(count, span);
        let [segment, index, sum, left, right] = ["segment", "i", "sum", "a", "b"].map(|name| self.local(name, PrimType::I64));
        let keep = |results: &[Loc]| match results.first() {
            Some(Loc::Scalar(e)) => e.clone(),
            _ => Expr::Const(Scalar::Bool(false)),
        };
        let (cell, flag) = self.in_kernel(|this| {
            this.bind_cells(inputs, &lambda.params, &Expr::Local(index));
            let results = this.body(&lambda.body, &[]);
            Expr::Select(Box::new(keep(&results)), Box::new(Expr::int(1)), Box::new(Expr::int(0)))
        });
        let (done, ()) = self.in_kernel(|this| {
            let last = Expr::arith(Int::Eq, Expr::Local(index).plus(Expr::int(1)), wide.clone());
            this.emit(Stmt::If(last, vec![Stmt::Store(total.ptr, Expr::int(0), Expr::Local(sum))], Vec::new()));
            this.bind_cells(inputs, &lambda.params, &Expr::Local(index));
            let results = this.body(&lambda.body, &[]);
            let at = Expr::Local(sum).minus(Expr::int(1));
            let (then, ()) = this.block(|this| {
                for ((result, operand), out) in results.iter().zip(&lambda.body.result).skip(1).zip(&outs) {
                    this.write_cell(out, &at, result, &program.operand_ty(*operand).shape);
                }
            });
            this.emit(Stmt::If(keep(&results), then, Vec::new()));
        });
        let results = vec![Expr::Local(left).plus(Expr::Local(right))];
        let work = Segments {
            segments: Expr::int(1),
            width: wide.clone(),
            segment,
            index,
            cell,
            values: vec![flag],
            combine: Combine { left: vec![left], right: vec![right], body: Vec::new(), results },
            neutral: vec![Expr::int(0)],
            sum: vec![sum],
            done,
            commutative: true,
        };
        self.launch(Work::Scan(work), span);
        let load = Stmt::Set(kept, Expr::Load(total.ptr, Box::new(Expr::int(0))));
        self.emit(Stmt::If(Expr::arith(Int::Lt, Expr::int(0), wide), vec![load], vec![Stmt::Set(kept, Expr::int(0))]));
        self.locs.insert(count, Loc::Scalar(Expr::Local(kept)));
        arrays.iter().zip(outs).for_each(|(var, mem)| self.bind_mem(*var, mem));
    }
    /// Writes a cell to its place.
    fn write_cell(&mut self, out: &Mem, at: &Expr, value: &Loc, shape: &[Size]) {
        let position = self.at(out, std::slice::from_ref(at));
        match value {
            Loc::Scalar(e) => self.emit(Stmt::Store(out.ptr, position, e.clone())),
            Loc::Array(array) => {
                let offset = self.atom("row", position);
                let to = Mem { offset, strides: out.strides[1..].into(), ..out.clone() };
                self.copy_into(&to, shape, array);
            }
        }
    }

    /// A buffer of zeros.
    fn zeros(&mut self, name: &str, prim: PrimType, count: &Expr, span: Span) -> Mem {
        let ptr = self.ptr(Symbol::new(name), prim, None);
        let handle = self.handle(name);
        self.emit(Stmt::Alloc { handle, ptr, count: count.clone(), span });
        if let Some(scope) = self.scopes.last_mut() {
            scope.handles.push(handle);
        }
        let zero = Expr::Const(Scalar::from_i128(prim, 0));
        self.launch_map(count.clone(), span, |this, t| this.emit(Stmt::Store(ptr, t, zero)));
        Mem { ptr, offset: Expr::int(0), strides: [].into(), keep: [handle].into() }
    }

    /// Of several writes to a place the last one counts: it is found first, then only it is made.
    pub(super) fn scatter_kernels(&mut self, inputs: &[Var], lambda: &'p Lambda, width: Expr, n: Expr, outs: &[Mem], span: Span) {
        let width = self.atom("width", width);
        let owners = self.zeros("owner", PrimType::I64, &n, span);
        let max = super::exp::scalar_op(PrimType::I64, "max");
        self.launch_map(width.clone(), span, |this, t| {
            this.bind_cells(inputs, &lambda.params, &t);
            let results = this.body(&lambda.body, &[]);
            let at = this.position(&results);
            let number = t.plus(Expr::int(1));
            let claim = max.map(|max| Stmt::Atomic(Box::new(Atomic::Op(max, owners.ptr, at.clone(), number))));
            this.emit(Stmt::If(in_bounds(at, n.clone()), claim.into_iter().collect(), Vec::new()));
        });
        self.launch_map(width, span, |this, t| {
            this.bind_cells(inputs, &lambda.params, &t);
            let results = this.body(&lambda.body, &[]);
            let at = this.position(&results);
            let (then, ()) = this.block(|this| {
                let owner = Expr::Load(owners.ptr, Box::new(at.clone()));
                let (write, ()) = this.block(|this| {
                    for ((value, operand), out) in results[1..].iter().zip(&lambda.body.result[1..]).zip(outs) {
                        this.write_cell(out, &at, value, &this.program.operand_ty(*operand).shape);
                    }
                });
                let own = Expr::arith(Int::Eq, owner, t.clone().plus(Expr::int(1)));
                this.emit(Stmt::If(own, write, Vec::new()));
            });
            this.emit(Stmt::If(in_bounds(at, n.clone()), then, Vec::new()));
        });
    }
    fn position(&mut self, results: &[Loc]) -> Expr {
        match results.first() {
            Some(Loc::Scalar(e)) => self.atom("at", e.clone()),
            _ => Expr::int(-1),
        }
    }

    /// Values are combined with their bins by atomic operations where the operator is commutative; else one thread does it in order.
    #[allow(clippy::too_many_arguments, reason = "the parts of one histogram")]
    pub(super) fn hist_kernel(
        &mut self,
        inputs: &[Var],
        lambda: &'p Lambda,
        width: Expr,
        n: Expr,
        outs: &[Mem],
        operator: &'p Operator,
        span: Span,
    ) {
        if !operator.commutative && simple(operator).is_none() && self.on_elements(operator).is_none() {
            self.launch_map(Expr::int(1), span, |this, _| {
                this.write_loop(inputs, lambda, (Expr::int(0), width), n, outs, Some(operator), span);
            });
            return;
        }
        if let (Some(op), [out]) = (self.on_elements(operator), outs)
            && lambda.body.stms.iter().all(|stm| !matches!(stm.exp, Exp::Soac(_) | Exp::Loop { .. }))
        {
            return self.hist_of_rows(inputs, lambda, width, n, out, (operator, op), span);
        }
        let scalars = operator.neutral.iter().all(|a| self.program.operand_ty(*a).rank() == 0);
        let single = scalars && outs.len() == 1;
        let locks = (!single).then(|| self.zeros("locks", PrimType::U32, &n, span));
        self.launch_map(width, span, |this, t| {
            this.bind_cells(inputs, &lambda.params, &t);
            let results = this.body(&lambda.body, &[]);
            let at = this.position(&results);
            let (then, ()) = this.block(|this| match &locks {
                None => this.update_bin(operator, &outs[0], &at, &results[1]),
                Some(locks) => {
                    let (body, ()) = this.block(|this| this.combine_bin(operator, outs, &at, &results[1..], span));
                    this.emit(Stmt::Atomic(Box::new(Atomic::Locked(locks.ptr, at.clone(), body))));
                }
            });
            this.emit(Stmt::If(in_bounds(at, n), then, Vec::new()));
        });
    }
    /// The operation of an operator on arrays that combines their elements, one by one, with an operation that memory can do.
    fn on_elements(&self, operator: &Operator) -> Option<ScalarOp> {
        let ([stm], [result]) = (operator.lambda.body.stms.as_slice(), operator.lambda.body.result.as_slice()) else { return None };
        let Exp::Soac(soac) = &stm.exp else { return None };
        let both = soac.inputs.len() == 2 && operator.lambda.params.iter().all(|param| soac.inputs.contains(param));
        let plain = soac.scans.is_empty() && soac.reduces.is_empty() && result.var() == stm.pat.first().copied();
        let rank = self.program.operand_ty(operator.neutral[0]).rank();
        let inner = Operator { lambda: soac.lambda.clone(), neutral: Vec::new(), commutative: true };
        simple(&inner).filter(fast).filter(|_| both && plain && rank == 1 && operator.lambda.params.len() == 2)
    }
    /// A histogram whose bins are rows: a thread for each element of each value.
    #[allow(clippy::too_many_arguments, reason = "the parts of one histogram")]
    fn hist_of_rows(
        &mut self,
        inputs: &[Var],
        lambda: &'p Lambda,
        width: Expr,
        n: Expr,
        out: &Mem,
        (operator, op): (&'p Operator, ScalarOp),
        span: Span,
    ) {
        let row = self.program.operand_ty(operator.neutral[0]);
        let size = self.size(&row.shape[0]);
        let size = self.atom("n", size);
        let dims = [width, size];
        let count = self.product(&dims);
        self.launch_map(count, span, |this, t| {
            let indices = this.indices(t, &dims);
            this.bind_cells(inputs, &lambda.params, &indices[0]);
            let results = this.body(&lambda.body, &[]);
            let at = this.position(&results);
            let (then, ()) = this.block(|this| {
                let Some(Loc::Array(array)) = results.get(1) else { return };
                let value = this.element(array, &indices[1..], row.elem);
                let place = this.at(out, &[at.clone(), indices[1].clone()]);
                this.emit(Stmt::Atomic(Box::new(Atomic::Op(op, out.ptr, place, value))));
            });
            this.emit(Stmt::If(in_bounds(at, n), then, Vec::new()));
        });
    }

    /// Combines a scalar with its bin.
    fn update_bin(&mut self, operator: &'p Operator, out: &Mem, at: &Expr, value: &Loc) {
        let position = self.at(out, std::slice::from_ref(at));
        let Loc::Scalar(value) = value else { return };
        let atomic = match simple(operator).filter(fast) {
            Some(op) => Atomic::Op(op, out.ptr, position, value.clone()),
            None => Atomic::Combine(self.combined(std::slice::from_ref(operator)), out.ptr, position, value.clone()),
        };
        self.emit(Stmt::Atomic(Box::new(atomic)));
    }
    /// Combines values with their bins; nobody else does at the same time.
    fn combine_bin(&mut self, operator: &'p Operator, outs: &[Mem], at: &Expr, values: &[Loc], span: Span) {
        let program = self.program;
        let (left, right) = operator.lambda.params.split_at(outs.len());
        let mut next = Vec::with_capacity(outs.len());
        for (k, (a, b)) in left.iter().zip(right).enumerate() {
            let ty = program.ty(*a);
            let framed = ty.framed(&[Size::constant(1)]);
            match self.cell(&Array::Mem(outs[k].clone()), std::slice::from_ref(at), &framed) {
                Loc::Scalar(e) => self.set_scalar(*a, e),
                cell => {
                    self.locs.insert(*a, cell);
                }
            }
            self.locs.insert(*b, values[k].clone());
            next.push((ty.rank() > 0).then(|| self.alloc(Symbol::new("next"), ty, span)));
        }
        let results = self.body(&operator.lambda.body, &next);
        for ((result, a), out) in results.iter().zip(left).zip(outs) {
            self.write_cell(out, at, result, &program.ty(*a).shape);
        }
    }
}

/// Whether memory can do an operation.
fn fast(op: &ScalarOp) -> bool {
    let wide = op.prim.bytes() >= 4;
    match op.op {
        Op::Add => wide,
        Op::Min | Op::Max | Op::And | Op::Or | Op::Xor => wide && op.prim.is_int(),
        _ => false,
    }
}

/// Results that are scalars.
fn scalars(results: Vec<Loc>) -> Vec<Expr> {
    results.into_iter().filter_map(|loc| if let Loc::Scalar(e) = loc { Some(e) } else { None }).collect()
}
