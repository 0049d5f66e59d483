//! Ragged arrays as data: arrays of boxes whose contents differ in size lie one after the other.
//!
//! The layout is that of [`core::rows`](crate::ir::core::rows): what a cell consists of is an array of all cells where its sizes are the same
//! for all, else the number of elements of all, where each begins, and the elements. Cells that are picked by number share the elements.

use super::error::Limit;
use super::form::Form;
use super::values::{Atom, Fun, IndexValue, Lifted, Renaming, Row, Static, Type};
use super::{Outcome, Specialiser};
use crate::base::scalar::{Op, ScalarOp};
use crate::base::{PrimType, Span, Symbol};
use crate::ir::core::{Expr, ExprKind};
use crate::ir::soac::{self, Body, Exp, Lambda, Operand, Operator, Size, Soac, Var};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Cells of a map that are to be put one after the other, once their sizes are known.
pub(super) struct Pending {
    /// Which part of the value of the body they belong to.
    path: Vec<usize>,
    /// This part of the value, with what is bound in the body in it.
    value: Static,
    /// The variables of the body in it.
    holes: Vec<Var>,
    /// The arrays among them whose sizes differ from cell to cell.
    rows: Vec<Differing>,
    /// What sizes of cells are called, and the arrays of them.
    sizes: Vec<(Var, Operand)>,
}

/// An array whose sizes differ from cell to cell.
struct Differing {
    /// In the body.
    var: Var,
    /// The number of elements of a cell, in terms of the sizes in the body; an element has the sizes that are the same for all.
    volume: Size,
    total: Var,
    starts: Var,
    data: Var,
}

/// Makes something of the body of a map once more; its inputs and parameters are added to the lists.
type Again<'a, S, T> = dyn FnMut(&mut S, &mut Vec<Var>, &mut Vec<Var>) -> Outcome<T> + 'a;

fn i64s(width: &Size) -> soac::Type {
    soac::Type { elem: PrimType::I64, shape: vec![width.clone()] }
}

impl Specialiser<'_> {
    /// Gives places for arrays of a cell whose sizes differ the rows of a cell, `map` says what its other variables are.
    pub(super) fn take_rows(&mut self, lifted: &Lifted, map: &mut Renaming, span: Span) -> Outcome<()> {
        for (place, row) in lifted.places.iter().zip(&lifted.rows) {
            let shape = map.shape(&self.out.ty(*place).shape);
            let data = self.array(row.data, span)?;
            let cell = self.out.ty(data).cell(1);
            let outer = &shape[..shape.len() - cell.rank()];
            let slice = cell.framed(&[Size::product(outer)]);
            let start = map.operand(row.start);
            let exp = Exp::Slice { array: data, start, step: Operand::int(1), checked: false };
            let mut value = self.bind("row", slice, exp, span)?;
            if outer.len() > 1 {
                let flat = self.array(value, span)?;
                value = self.bind("row", cell.framed(outer), Exp::Reshape(flat), span)?;
            }
            self.stand_for(map, *place, value);
        }
        Ok(())
    }

    /// Cells that are slices of an array from outside stay where they are.
    pub(super) fn shared_rows(
        &mut self,
        lifted: &mut Lifted,
        differing: &mut Vec<Var>,
        map: &mut Renaming,
        stms: &[soac::Stm],
        outs: &mut Vec<(Operand, Var)>,
    ) {
        differing.retain(|var| {
            let made = stms.iter().find(|stm| stm.pat.as_slice() == [*var]);
            let Some(Exp::Slice { array, start, step, .. }) = made.map(|stm| &stm.exp) else { return true };
            let next = matches!(step, Operand::Const(step) if step.as_i128() == Some(1));
            let ty = self.out.ty(*var).clone();
            if !next || self.is_inner(*array) || self.mentions_inner(&ty.cell(1)) {
                return true;
            }
            let start = match start {
                Operand::Var(start) if self.is_inner(*start) => match map.operands.get(start) {
                    Some(known) => *known,
                    None => {
                        let scalar = soac::Type::scalar(PrimType::I64);
                        lifted.arrays.push(Operand::Var(self.lift_var(Operand::Var(*start), &scalar, &lifted.width, outs)));
                        let place = self.placeholder(Symbol::new("start"), scalar);
                        self.stand_for(map, *start, Operand::Var(place));
                        lifted.vars.push(place);
                        Operand::Var(place)
                    }
                },
                outer @ (Operand::Var(_) | Operand::Const(_)) => *outer,
            };
            let place = self.placeholder(self.out.vars[*var].name, soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) });
            self.stand_for(map, *var, Operand::Var(place));
            lifted.places.push(place);
            lifted.rows.push(Row { start, data: Operand::Var(*array) });
            false
        });
    }

    /// Gives an array of cells places for what differs in size; what is to be done for that.
    pub(super) fn rows_of(
        &mut self,
        lifted: &mut Lifted,
        differing: Vec<Var>,
        map: &mut Renaming,
        path: Vec<usize>,
        value: Static,
    ) -> Pending {
        let holes = self.inner_vars(&value);
        let regular = holes.iter().filter(|var| !differing.contains(var)).copied();
        let sizes =
            regular.zip(lifted.arrays.iter().copied()).filter(|(var, _)| *self.out.ty(*var) == soac::Type::scalar(PrimType::I64)).collect();
        let mut rows = Vec::with_capacity(differing.len());
        for var in differing {
            let ty = self.out.ty(var).clone();
            let inner = |size: &Size| size.vars().any(|var| self.is_inner(var));
            let outer = ty.shape.iter().rposition(inner).map_or(0, |last| last + 1);
            let name = self.out.vars[var].name;
            let place = self.placeholder(name, soac::Type { elem: ty.elem, shape: map.shape(&ty.shape) });
            self.stand_for(map, var, Operand::Var(place));
            let [total, starts, data] = self.add_row(lifted, place, name, ty.cell(outer));
            rows.push(Differing { var, volume: Size::product(&ty.shape[..outer]), total, starts, data });
        }
        Pending { path, value, holes, rows, sizes }
    }

    /// Gives a variable for arrays of different sizes a place in rows, whose elements are of this type: the number of elements of all, where
    /// each begins, and the elements.
    fn add_row(&mut self, lifted: &mut Lifted, place: Var, name: Symbol, element: soac::Type) -> [Var; 3] {
        let total = self.fresh(Symbol::new("elements"), soac::Type::scalar(PrimType::I64));
        self.sizes.add_natural(total);
        let starts = self.fresh(Symbol::new("starts"), i64s(&lifted.width));
        let data = self.fresh(name, element.framed(&[Size::var(total)]));
        let start = self.placeholder(Symbol::new("start"), soac::Type::scalar(PrimType::I64));
        lifted.vars.push(start);
        lifted.arrays.push(Operand::Var(starts));
        lifted.places.push(place);
        lifted.rows.push(Row { start: Operand::Var(start), data: Operand::Var(data) });
        [total, starts, data]
    }

    /// The statements of the body of a map that what is known before its rows are made depends on, and its checks: the others are repeated
    /// where rows are made, and fail there, if they do.
    pub(super) fn without_rows(&self, stms: Vec<soac::Stm>, result: &[Operand]) -> Vec<soac::Stm> {
        let mut needed: FxHashSet<Var> = result.iter().filter_map(|operand| operand.var()).collect();
        let sizes: Vec<Var> = needed.iter().flat_map(|var| &self.out.ty(*var).shape).flat_map(Size::vars).collect();
        needed.extend(sizes);
        let mut kept = Vec::with_capacity(stms.len());
        for stm in stms.into_iter().rev() {
            if stm.pat.is_empty() || stm.pat.iter().any(|var| needed.contains(var)) {
                self.out.mentioned(&stm, &mut |var| {
                    needed.insert(var);
                });
                kept.push(stm);
            }
        }
        kept.reverse();
        kept
    }

    /// Puts cells one after the other. `again` makes the value of the body once more.
    pub(super) fn make_rows(&mut self, pending: Pending, width: &Size, span: Span, again: &mut Again<'_, Self, Static>) -> Outcome<()> {
        let Pending { path, value, holes, rows, sizes } = pending;
        for row in &rows {
            self.row_starts(row, width, &sizes, span)?;
        }
        self.put_rows(&rows, width, span, &mut |this, inputs, params| {
            let whole = again(this, inputs, params)?;
            let part = path.iter().try_fold(whole, |value, at| match value {
                Static::Tuple(parts) if *at < parts.len() => Ok(parts[*at].clone()),
                Static::Record(parts) if *at < parts.len() => Ok(parts[*at].1.clone()),
                Static::Data(_) | Static::Tuple(_) | Static::Record(_) | Static::Fun(_) | Static::Box(_) | Static::Lifted(_) => {
                    this.broken(span, "a value of another form")
                }
            })?;
            // The block is not closed: what is bound in it is as deep as it is.
            let own = this.inner_vars_below(&part, this.block.depth() - 1);
            if own.len() != holes.len() || Form::of(&part, &own, &this.out) != Form::of(&value, &holes, &this.out) {
                return this.limit(span, Limit::LateRows);
            }
            Ok(rows.iter().map(|row| own[place_of(&holes, row, span)]).collect())
        })
    }
    /// Writes the arrays of each cell, which `arrays` makes in the order of `rows`, to their places in the rows.
    fn put_rows(&mut self, rows: &[Differing], width: &Size, span: Span, arrays: &mut Again<'_, Self, Vec<Var>>) -> Outcome<()> {
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let mut starts = Vec::with_capacity(rows.len());
        let (stms, result) = self.in_block(|this| {
            let arrays = arrays(this, &mut inputs, &mut params)?;
            let mut result = Vec::with_capacity(2 * rows.len());
            for (row, array) in rows.iter().zip(arrays) {
                let start = this.fresh(Symbol::new("start"), soac::Type::scalar(PrimType::I64));
                starts.push(start);
                let ty = this.out.ty(array).clone();
                let flat = match ty.rank() + 1 - this.out.ty(row.data).rank() {
                    1 => Operand::Var(array),
                    outer => this.bind("flat", ty.cell(outer).framed(&[Size::product(&ty.shape[..outer])]), Exp::Reshape(array), span)?,
                };
                result.extend([Operand::Var(start), flat]);
            }
            Ok(result)
        })?;
        params.extend(starts);
        inputs.extend(rows.iter().map(|row| row.starts));
        let pat = rows.iter().map(|row| row.data).collect();
        let lambda = Lambda { params, body: Body { stms, result } };
        self.push(pat, Exp::Rows { width: width.clone(), inputs, lambda }, span)
    }
    /// Where rows begin, and how many elements they have together.
    fn row_starts(&mut self, row: &Differing, width: &Size, sizes: &[(Var, Operand)], span: Span) -> Outcome<()> {
        let volumes = self.volumes(&row.volume, width, sizes, span)?;
        let add = ScalarOp::new(Op::Add, PrimType::I64);
        let scalar = || soac::Type::scalar(PrimType::I64);
        let operator = |this: &mut Self| {
            let params = vec![this.fresh(Symbol::new("a"), scalar()), this.fresh(Symbol::new("b"), scalar())];
            let sum = this.fresh(Symbol::new("t"), scalar());
            let exp = Exp::Scalar(add, params.iter().map(|param| Operand::Var(*param)).collect());
            let body = Body { stms: vec![soac::Stm { pat: vec![sum], exp, span }], result: vec![Operand::Var(sum)] };
            Operator { lambda: Lambda { params, body }, neutral: vec![Operand::int(0)], commutative: true }
        };
        let (scan, reduce) = (operator(self), operator(self));
        let ends = self.fresh(Symbol::new("ends"), i64s(width));
        for (out, scans, reduces) in [(ends, vec![scan], Vec::new()), (row.total, Vec::new(), vec![reduce])] {
            let size = self.fresh(Symbol::new("k"), scalar());
            let lambda = Lambda { params: vec![size], body: Body { stms: Vec::new(), result: vec![Operand::Var(size)] } };
            self.push(vec![out], Exp::Soac(Soac { width: width.clone(), inputs: vec![volumes], lambda, scans, reduces }), span)?;
        }
        let params = vec![self.fresh(Symbol::new("end"), scalar()), self.fresh(Symbol::new("k"), scalar())];
        let start = self.fresh(Symbol::new("start"), scalar());
        let exp = Exp::Scalar(ScalarOp::new(Op::Sub, PrimType::I64), params.iter().map(|param| Operand::Var(*param)).collect());
        let body = Body { stms: vec![soac::Stm { pat: vec![start], exp, span }], result: vec![Operand::Var(start)] };
        let lambda = Lambda { params, body };
        let soac = Soac { width: width.clone(), inputs: vec![ends, volumes], lambda, scans: Vec::new(), reduces: Vec::new() };
        self.push(vec![row.starts], Exp::Soac(soac), span)
    }
    /// The numbers of elements of rows.
    fn volumes(&mut self, volume: &Size, width: &Size, sizes: &[(Var, Operand)], span: Span) -> Outcome<Var> {
        let alone = volume.as_var().and_then(|var| sizes.iter().find(|(size, _)| *size == var));
        if let Some((_, Operand::Var(array))) = alone {
            return Ok(*array);
        }
        let (mut inputs, mut params, mut map) = (Vec::new(), Vec::new(), Renaming::default());
        for var in volume.vars() {
            let Some((_, array)) = sizes.iter().find(|(size, _)| *size == var) else { continue };
            if map.sizes.contains_key(&var) {
                continue;
            }
            let param = self.fresh(Symbol::new("k"), soac::Type::scalar(PrimType::I64));
            map.sizes.insert(var, Size::var(param));
            inputs.push(self.array(*array, span)?);
            params.push(param);
        }
        let result = self.fresh(Symbol::new("k"), soac::Type::scalar(PrimType::I64));
        let stm = soac::Stm { pat: vec![result], exp: Exp::Size(map.size(volume)), span };
        let lambda = Lambda { params, body: Body { stms: vec![stm], result: vec![Operand::Var(result)] } };
        let volumes = self.fresh(Symbol::new("volumes"), i64s(width));
        self.push(vec![volumes], Exp::Soac(Soac { width: width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() }), span)?;
        Ok(volumes)
    }

    /// The arrays and the body of a map in which rows that another map makes for it alone are made where they are read.
    pub(super) fn with_rows_inside(&mut self, args: &[(Symbol, Expr)], body: &Expr) -> (Vec<(Symbol, Expr)>, Expr) {
        let (mut args, mut body) = (args.to_vec(), body.clone());
        while let Some(at) = args.iter().position(|(_, arg)| matches!(arg.kind(), ExprKind::Map { body, .. } if is_box(body))) {
            let (name, made) = args[at].clone();
            let ExprKind::Map { frame, args: inner, body: row } = made.kind() else { break };
            let free = self.free.of(&body);
            let taken = |own: &Symbol| free.terms.contains(own) || args.iter().any(|(other, _)| other == own);
            if frame.items.len() != 1 || inner.is_empty() || inner.iter().any(|(own, _)| taken(own)) {
                break;
            }
            let bound = ExprKind::Let { name, ty: None, rhs: row.clone(), body: body.clone() };
            body = Expr::new(bound, body.span());
            args.splice(at..=at, inner.iter().cloned());
        }
        (args, body)
    }

    /// The type of an array of boxes of data; nothing for other arrays.
    pub(super) fn rows_type(&self, value: &Static) -> Option<Type> {
        if let Static::Lifted(lifted) = value { self.type_of_rows(lifted) } else { None }
    }
    pub(super) fn type_of_rows(&self, lifted: &Lifted) -> Option<Type> {
        fn cell(value: &Static) -> Option<Type> {
            match value {
                Static::Box(boxed) => Some(Type { shape: Vec::new(), atom: Atom::Sigma(boxed.sigma.clone()) }),
                Static::Lifted(lifted) => {
                    let inner = cell(&lifted.elem)?;
                    Some(Type { shape: [std::slice::from_ref(&lifted.width), &inner.shape].concat(), atom: inner.atom })
                }
                Static::Fun(fun) => match &**fun {
                    Fun::Choice(_, a, b) => cell(a).or_else(|| cell(b)),
                    Fun::Closure { .. }
                    | Fun::Poly { .. }
                    | Fun::Global { .. }
                    | Fun::Prim { .. }
                    | Fun::Op(..)
                    | Fun::Fold(_)
                    | Fun::Absent { .. } => None,
                },
                Static::Data(_) | Static::Tuple(_) | Static::Record(_) => None,
            }
        }
        let inner = cell(&lifted.elem)?;
        let ty = Type { shape: [std::slice::from_ref(&lifted.width), &inner.shape].concat(), atom: inner.atom };
        ty.is_data().then_some(ty)
    }
    /// The type of two arrays of boxes of the same type, if it is that of such.
    pub(super) fn common_rows(&self, x: &Lifted, y: &Lifted) -> Option<Type> {
        let outer = |ty: &Type| {
            let mut found = true;
            ty.sizes(&mut |size| found = found && !size.vars().any(|var| self.is_inner(var)));
            found
        };
        [x, y].into_iter().filter_map(|lifted| self.type_of_rows(lifted)).find(outer)
    }

    /// An array of boxes made of new variables, which are added to `vars`.
    pub(super) fn symbolic_rows(&mut self, ty: &Type, name: Symbol, span: Span, vars: &mut Vec<Var>) -> Outcome<Static> {
        let (width, rest) = (ty.shape[0].clone(), Type { shape: ty.shape[1..].to_vec(), atom: ty.atom.clone() });
        // What a cell is made of is bound nowhere.
        let mut own = Vec::new();
        let elem = self.standing(&rest, name, span, &mut own)?;
        let mut lifted = Lifted::same(width, elem);
        for var in &own {
            let var_ty = self.out.ty(*var).clone();
            let name = self.out.vars[*var].name;
            match var_ty.shape.iter().rposition(|size| size.vars().any(|var| own.contains(&var))) {
                None => {
                    let array = self.fresh(name, var_ty.framed(std::slice::from_ref(&lifted.width)));
                    vars.push(array);
                    lifted.vars.push(*var);
                    lifted.arrays.push(Operand::Var(array));
                }
                Some(last) => {
                    vars.extend(self.add_row(&mut lifted, *var, name, var_ty.cell(last + 1)));
                }
            }
        }
        Ok(Static::Lifted(Rc::new(lifted)))
    }
    /// A value of a type made of variables that are bound nowhere.
    fn standing(&mut self, ty: &Type, name: Symbol, span: Span, vars: &mut Vec<Var>) -> Outcome<Static> {
        self.nowhere(|this| this.symbolic(ty, &[], name, span, vars))
    }

    /// Adds the leaves of an array of boxes.
    pub(super) fn add_row_leaves(&mut self, lifted: &Lifted, span: Span, out: &mut Vec<Operand>) -> Outcome<()> {
        if let Some(leaves) = self.known_leaves(lifted, span)? {
            out.extend(leaves);
            return Ok(());
        }
        let Some(ty) = self.type_of_rows(lifted) else { return self.limit(span, Limit::LiftedAsData) };
        let packed = self.packed(lifted, &ty, span)?;
        match self.known_leaves(&packed, span)? {
            Some(leaves) => out.extend(leaves),
            None => return self.limit(span, Limit::LiftedAsData),
        }
        Ok(())
    }
    /// The leaves of an array of boxes that is laid out like its type says.
    fn known_leaves(&mut self, lifted: &Lifted, span: Span) -> Outcome<Option<Vec<Operand>>> {
        if !is_made_of_variables(&lifted.elem) {
            return Ok(None);
        }
        // Boxes inside that are not laid out like this would be packed, of what is bound nowhere.
        let (stms, leaves) = self.in_block(|this| {
            let mut leaves = Vec::new();
            this.add_leaves(&lifted.elem, span, &mut leaves)?;
            Ok(leaves)
        })?;
        if !stms.is_empty() {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let Some(var) = leaf.var() else { return Ok(None) };
            if let Some(at) = lifted.vars.iter().position(|own| *own == var) {
                out.push(lifted.arrays[at]);
                continue;
            }
            let Some(at) = lifted.places.iter().position(|own| *own == var) else { return Ok(None) };
            let Row { start, data } = lifted.rows[at];
            let Some(starts) = lifted.vars.iter().position(|own| Operand::Var(*own) == start) else { return Ok(None) };
            let total = self.ty(data).shape[0].clone();
            out.extend([self.operand(&total, span)?, lifted.arrays[starts], data]);
        }
        Ok(Some(out))
    }
    /// The same array of boxes, laid out like its type says.
    fn packed(&mut self, lifted: &Lifted, ty: &Type, span: Span) -> Outcome<Lifted> {
        let rest = Type { shape: ty.shape[1..].to_vec(), atom: ty.atom.clone() };
        let whole = Static::Lifted(Rc::new(lifted.clone()));
        let (mut inputs, mut params) = (Vec::new(), Vec::new());
        let (stms, leaves) = self.in_block(|this| this.packed_cell(&whole, &mut inputs, &mut params, span))?;
        // The leaves of a cell by what stands for them in a box of its type.
        let mut own = Vec::new();
        let elem = self.standing(&rest, Symbol::new("row"), span, &mut own)?;
        let mut packed = Lifted::same(lifted.width.clone(), elem.clone());
        let (mut pat, mut result, mut sizes, mut rows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (var, leaf) in own.iter().zip(&leaves) {
            let var_ty = self.out.ty(*var).clone();
            match var_ty.shape.iter().rposition(|size| size.vars().any(|var| own.contains(&var))) {
                None => {
                    let array = self.fresh(self.out.vars[*var].name, var_ty.framed(std::slice::from_ref(&lifted.width)));
                    pat.push(array);
                    result.push(*leaf);
                    packed.vars.push(*var);
                    packed.arrays.push(Operand::Var(array));
                    if var_ty == soac::Type::scalar(PrimType::I64) {
                        sizes.push((*var, Operand::Var(array)));
                    }
                }
                Some(last) => rows.push((*var, last + 1)),
            }
        }
        let lambda = Lambda { params, body: Body { stms, result } };
        let soac = Soac { width: lifted.width.clone(), inputs, lambda, scans: Vec::new(), reduces: Vec::new() };
        self.push(pat, Exp::Soac(soac), span)?;
        let mut differing = Vec::with_capacity(rows.len());
        for (var, outer) in rows {
            let var_ty = self.out.ty(var).clone();
            let [total, starts, data] = self.add_row(&mut packed, var, Symbol::new("rows"), var_ty.cell(outer));
            differing.push(Differing { var, volume: Size::product(&var_ty.shape[..outer]), total, starts, data });
        }
        for row in &differing {
            self.row_starts(row, &lifted.width, &sizes, span)?;
        }
        if differing.is_empty() {
            return Ok(packed);
        }
        self.put_rows(&differing, &lifted.width, span, &mut |this, inputs, params| {
            let leaves = this.packed_cell(&whole, inputs, params, span)?;
            differing.iter().map(|row| this.array(leaves[place_of(&own, row, span)], span)).collect()
        })?;
        Ok(packed)
    }
    /// The leaves of a cell of an array of boxes.
    fn packed_cell(&mut self, whole: &Static, inputs: &mut Vec<Var>, params: &mut Vec<Var>, span: Span) -> Outcome<Vec<Operand>> {
        let cell = self.cells(whole, Symbol::new("row"), inputs, params, span)?;
        self.leaves(&cell, span)
    }
}

/// Where the variable of a row is among these.
fn place_of(vars: &[Var], row: &Differing, span: Span) -> usize {
    vars.iter().position(|var| *var == row.var).unwrap_or_else(|| crate::ice!(span, "a row of a variable that its cell does not have"))
}

/// Whether an expression makes a box.
fn is_box(expr: &Expr) -> bool {
    if let ExprKind::Let { body, .. } | ExprKind::Unbox { body, .. } = expr.kind() {
        return is_box(body);
    }
    matches!(expr.kind(), ExprKind::Box { .. })
}

/// Whether the leaves of a cell are variables that stand for them, so that naming them makes no statements.
fn is_made_of_variables(value: &Static) -> bool {
    match value {
        Static::Data(a) => a.var().is_some(),
        Static::Tuple(parts) => parts.iter().all(is_made_of_variables),
        Static::Record(parts) => parts.iter().all(|(_, part)| is_made_of_variables(part)),
        Static::Box(boxed) => {
            let sizes = boxed.indices.iter().flat_map(IndexValue::sizes).all(|size| size.as_var().is_some());
            sizes && is_made_of_variables(&boxed.value)
        }
        Static::Lifted(lifted) => is_made_of_variables(&lifted.elem) && lifted.arrays.iter().all(|array| array.var().is_some()),
        Static::Fun(_) => false,
    }
}
