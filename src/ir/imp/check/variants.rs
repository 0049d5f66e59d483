//! Variants of kernels.

use super::{Checked, Checker, State, ensure};
use crate::base::PrimType;
use crate::ir::imp::variants::{Access, Planes, Product, Side, Variants, Vectors};
use crate::ir::imp::visit::each;
use crate::ir::imp::{Expr, Launch, Local, Ptr, Stmt, Work};

/// Validates the variants of a kernel; `state` is what the host has set.
pub(super) fn check(kernel: &Checker, launch: &Launch, state: &State) -> Checked {
    let Variants { product, vectors, columns } = &launch.variants;
    ensure(!columns || matches!(launch.work, Work::Reduce(_)), || "columns of what is no reduction".into())?;
    if product.is_none() && vectors.is_none() {
        return Ok(());
    }
    let Work::Map { index, body, .. } = &launch.work else { return Err("a variant for maps of what is no map".into()) };
    ensure(launch.threads.is_none() && !launch.heap, || "a variant of a kernel whose threads have memory of their own".into())?;
    if let Some(product) = product {
        kernel.product(product, *index, state).map_err(|problem| format!("product: {problem}"))?;
    }
    vectors.as_ref().map_or(Ok(()), |vectors| kernel.vectors(vectors, body, state).map_err(|problem| format!("vectors: {problem}")))
}

impl Checker<'_> {
    fn product(&self, product: &Product, index: Local, state: &State) -> Checked {
        let Product { planes, row, column, columns, step, depth, totals, left, right, combine, done } = product;
        [columns, depth].into_iter().try_for_each(|e| self.int(e, state))?;
        let mut own = state.clone();
        [&left.body, &right.body, combine, done].into_iter().for_each(|body| own.forget(body));
        let given = [*row, *column, *step, index].into_iter().chain(totals.iter().map(|(total, _)| *total));
        given.for_each(|local| own.locals[local.raw()] = false);
        ensure(row != column, || "the row is the column".into())?;
        for (total, e) in totals {
            self.typed(e, self.prim(*total), state)?;
        }
        let mut cell = own.clone();
        if let Some(Planes { plane, all, rows }) = planes {
            self.int(rows, state)?;
            self.set(*plane, PrimType::I64, &mut own)?;
            [plane, all].into_iter().try_for_each(|local| self.set(*local, PrimType::I64, &mut cell))?;
        }
        self.side(left, &[*row, *step], own.clone())?;
        self.side(right, &[*column, *step], own.clone())?;
        let mut both = own;
        let values = left.values.iter().chain(&right.values);
        values.chain(totals.iter().map(|(total, _)| total)).for_each(|local| both.locals[local.raw()] = true);
        ensure(combine.iter().all(|stmt| matches!(stmt, Stmt::Set(..))), || "a step does more than set".into())?;
        self.stmts(combine, &mut both)?;
        [*row, *column, index].into_iter().try_for_each(|local| self.set(local, PrimType::I64, &mut cell))?;
        totals.iter().for_each(|(total, _)| cell.locals[total.raw()] = true);
        self.stmts(done, &mut cell)
    }
    /// A side of a product: its values are computed from what it is given.
    fn side(&self, side: &Side, given: &[Local], mut state: State) -> Checked {
        given.iter().try_for_each(|local| self.set(*local, PrimType::I64, &mut state))?;
        self.stmts(&side.body, &mut state)?;
        let reads = side.body.iter().any(|stmt| matches!(stmt, Stmt::Set(_, e) if e.has_loads()));
        ensure(reads && !side.values.is_empty(), || "a side reads nothing".into())?;
        side.values.iter().try_for_each(|local| self.expr(&Expr::Local(*local), &state).map(|_| ()))
    }

    fn vectors(&self, vectors: &Vectors, body: &[Stmt], state: &State) -> Checked {
        let Vectors { each, reads, writes } = vectors;
        ensure(each.is_power_of_two() && *each > 1, || format!("threads with {each} cells"))?;
        for Access { ptr, index, base, loaded } in reads.iter().chain(writes) {
            self.pointed(*ptr, state)?;
            base.iter().try_for_each(|term| self.int(term, state))?;
            ensure(is_loaded(body, *ptr, index) == *loaded, || {
                "an access is said to read what it does not, or the other way round".into()
            })?;
        }
        ensure(reads.iter().all(|access| access.loaded), || "something is read that is not read".into())?;
        let mut stored = 0;
        for stmt in body {
            if let Stmt::Store(ptr, index, _) = stmt {
                let known = writes.iter().any(|access| access.ptr == *ptr && access.index == *index);
                ensure(known, || "something is written that is not in a vector".into())?;
                stored += 1;
            }
        }
        ensure(stored == writes.len(), || "a vector is written that no cell writes".into())
    }
}

/// Whether statements read an element.
fn is_loaded(body: &[Stmt], ptr: Ptr, index: &Expr) -> bool {
    let mut found = false;
    each(body, &mut |stmt| {
        if let Stmt::Set(_, e) | Stmt::Store(_, _, e) = stmt {
            e.loads(&mut |other, at| found = found || other == ptr && at == index);
        }
    });
    found
}
