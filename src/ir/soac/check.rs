//! The validator: every variable is bound once and used in its scope, every expression has the types that its pattern says. Sizes
//! are compared as polynomials, with variables that are sums and products of others replaced by them.

use super::visit::Part;
use super::{
    Body, Check, Exp, Fun, Lambda, LoopForm, Operand, Operator, Program, Seg, Size, Soac, Stm, Type, Var, count_exp, made_exp,
    parallel_exp, placed, print, single_exp, view_exp,
};
use crate::base::scalar::Op;
use crate::base::{PrimType, Scalar};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is wrong with a program, with the statement where it is.
type Checked = Result<(), String>;

/// Validates a program.
///
/// # Errors
/// The first contract that is broken, and where.
pub fn validate(program: &Program) -> Checked {
    let mut checker = Checker { program, scope: FxHashSet::default(), bound: FxHashSet::default(), sizes: FxHashMap::default(), funs: 0 };
    for stm in &program.consts {
        checker.stm(stm)?;
        if stm.exp.may_fail() {
            return Err(format!("a constant may fail: {}", print::stm(program, stm)));
        }
    }
    let globals = checker.scope.clone();
    for (id, fun) in program.funs.iter() {
        checker.scope = globals.clone();
        checker.funs = id.raw();
        checker.fun(fun).map_err(|problem| format!("{}: {problem}", fun.name))?;
    }
    Ok(())
}

struct Checker<'p> {
    program: &'p Program,
    scope: FxHashSet<Var>,
    bound: FxHashSet<Var>,
    /// What variables are in terms of others.
    sizes: FxHashMap<Var, Size>,
    /// Functions before this one may be called.
    funs: usize,
}

/// `Err` with a message unless the condition holds.
fn ensure(condition: bool, message: impl FnOnce() -> String) -> Checked {
    if condition { Ok(()) } else { Err(message()) }
}

impl Checker<'_> {
    fn name(&self, var: Var) -> String {
        print::var(self.program, var)
    }
    fn show(&self, ty: &Type) -> String {
        print::ty(self.program, ty)
    }
    fn bind(&mut self, var: Var) -> Checked {
        ensure(self.bound.insert(var), || format!("{} is bound twice", self.name(var)))?;
        self.scope.insert(var);
        Ok(())
    }
    /// Binds variables whose types may mention each other.
    fn bind_all(&mut self, vars: &[Var]) -> Checked {
        vars.iter().try_for_each(|var| self.bind(*var))?;
        vars.iter().try_for_each(|var| self.program.ty(*var).shape.iter().try_for_each(|size| self.size(size)))
    }
    fn used(&self, var: Var) -> Checked {
        ensure(self.scope.contains(&var), || format!("{} is not in scope", self.name(var)))
    }
    fn size(&self, size: &Size) -> Checked {
        for var in size.vars() {
            self.used(var)?;
            let ty = self.program.ty(var);
            ensure(ty == &Type::scalar(PrimType::I64), || format!("{} is used as a size", self.name(var)))?;
        }
        Ok(())
    }
    fn ty(&self, operand: Operand) -> Type {
        self.program.operand_ty(operand)
    }
    fn normal(&self, size: &Size) -> Size {
        size.subst(&mut |var| self.sizes.get(&var).cloned())
    }
    fn size_of(&self, operand: Operand) -> Size {
        self.normal(&operand.as_size())
    }
    fn same_size(&self, a: &Size, b: &Size) -> bool {
        a == b || self.normal(a) == self.normal(b)
    }
    fn same(&self, a: &Type, b: &Type) -> bool {
        a.elem == b.elem && a.rank() == b.rank() && a.shape.iter().zip(&b.shape).all(|(a, b)| self.same_size(a, b))
    }
    fn expect(&self, found: &Type, wanted: &Type, what: &str) -> Checked {
        ensure(self.same(found, wanted), || format!("{what}: found {}, expected {}", self.show(found), self.show(wanted)))
    }
    fn scalar(&self, operand: Operand, prim: PrimType, what: &str) -> Checked {
        self.expect(&self.ty(operand), &Type::scalar(prim), what)
    }

    fn fun(&mut self, fun: &Fun) -> Checked {
        ensure(!(fun.entry && fun.recursive), || "an entry point that calls itself".into())?;
        self.bind_all(&fun.params)?;
        self.body(&fun.body)?;
        let saved = self.scope.clone();
        self.bind_all(&fun.results)?;
        self.scope = saved;
        self.returns(&fun.body, &fun.results, "a result")
    }
    /// What sizes among the variables are when they stand for the operands.
    fn standing(&self, vars: &[Var], operands: &[Operand], map: &mut FxHashMap<Var, Size>) {
        for (var, operand) in vars.iter().zip(operands) {
            // What is no size is found when the types are compared.
            let size = Type::scalar(PrimType::I64);
            if self.program.ty(*var) == &size && self.ty(*operand) == size {
                map.insert(*var, self.size_of(*operand));
            }
        }
    }
    /// The operands must have the types of the variables, in which variables stand for operands.
    fn match_up(&self, vars: &[Var], operands: &[Operand], map: &FxHashMap<Var, Size>, what: &str) -> Checked {
        ensure(operands.len() == vars.len(), || format!("{what}: the number of results"))?;
        for (var, operand) in vars.iter().zip(operands) {
            let ty = self.program.ty(*var);
            let shape = ty.shape.iter().map(|size| size.subst(&mut |var| map.get(&var).cloned())).collect();
            self.expect(&self.ty(*operand), &Type { elem: ty.elem, shape }, what)?;
        }
        Ok(())
    }
    fn body(&mut self, body: &Body) -> Checked {
        body.stms.iter().try_for_each(|stm| self.stm(stm))?;
        body.result.iter().filter_map(|a| a.var()).try_for_each(|var| self.used(var))
    }
    /// Checks a body in a scope of its own.
    fn scoped(&mut self, params: &[Var], body: &Body) -> Checked {
        let saved = self.scope.clone();
        self.bind_all(params)?;
        self.body(body)?;
        self.scope = saved;
        Ok(())
    }
    /// What a body returns must have these types, in which variables stand for operands of the result.
    fn returns(&self, body: &Body, vars: &[Var], what: &str) -> Checked {
        let mut map = FxHashMap::default();
        self.standing(vars, &body.result, &mut map);
        self.match_up(vars, &body.result, &map, what)
    }

    fn stm(&mut self, stm: &Stm) -> Checked {
        self.exp(&stm.exp, &stm.pat).map_err(|problem| format!("{problem}\nin {}", print::stm(self.program, stm)))?;
        self.bind_all(&stm.pat)?;
        if let [var] = stm.pat.as_slice()
            && self.program.ty(*var) == &Type::scalar(PrimType::I64)
        {
            let size = match &stm.exp {
                Exp::Copy(a) => Some(self.size_of(*a)),
                Exp::Size(size) => Some(self.normal(size)),
                Exp::Scalar(op, args) if op.prim == PrimType::I64 => match (op.op, args.as_slice()) {
                    (Op::Add, [a, b]) => Some(self.size_of(*a).add(&self.size_of(*b))),
                    (Op::Sub, [a, b]) => Some(self.size_of(*a).sub(&self.size_of(*b))),
                    (Op::Mul, [a, b]) => Some(self.size_of(*a).mul(&self.size_of(*b))),
                    _ => None,
                },
                Exp::Scalar(..)
                | Exp::Index { .. }
                | Exp::Update { .. }
                | Exp::UpdateSlice { .. }
                | Exp::Check(_)
                | Exp::If { .. }
                | Exp::Loop { .. }
                | Exp::Call(..)
                | view_exp!()
                | made_exp!()
                | count_exp!()
                | parallel_exp!() => None,
            };
            if let Some(size) = size
                && size.extent().0 <= 64
                && size.extent().1 <= 32
            {
                self.sizes.insert(*var, size);
            }
        }
        Ok(())
    }

    fn exp(&mut self, exp: &Exp, pat: &[Var]) -> Checked {
        let mut outer = Ok(());
        exp.parts(&mut |part| {
            let checked = match part {
                Part::Operand(Operand::Var(var)) => self.used(var),
                Part::Array(var) => {
                    self.used(var).and_then(|()| ensure(self.program.ty(var).rank() > 0, || format!("{} is no array", self.name(var))))
                }
                Part::Size(size) => self.size(size),
                Part::Operand(Operand::Const(_)) | Part::Body(..) => Ok(()),
            };
            if outer.is_ok() {
                outer = checked;
            }
        });
        outer?;
        let program = self.program;
        let types: Vec<&Type> = pat.iter().map(|var| program.ty(*var)).collect();
        match exp {
            Exp::Check(check) => self.check(check, pat),
            Exp::Soac(soac) => self.soac(soac, pat),
            Exp::Seg(seg) => self.seg(seg, pat),
            Exp::Filter { width, inputs, lambda } => self.filter(width, inputs, lambda, pat),
            Exp::Rows { width, inputs, lambda } => self.rows(width, inputs, lambda, pat),
            Exp::Scatter { width, inputs, lambda, dests } => {
                self.lambda(width, inputs, lambda)?;
                self.writes(lambda, dests, pat)
            }
            Exp::Hist { width, inputs, lambda, dests, operator } => {
                self.lambda(width, inputs, lambda)?;
                self.writes(lambda, dests, pat)?;
                let cells: Vec<Type> = lambda.body.result.iter().skip(1).map(|a| self.ty(*a)).collect();
                self.operator(operator, &cells)
            }
            Exp::If { cond, then, els } => {
                self.scalar(*cond, PrimType::Bool, "a condition")?;
                for body in [then, els] {
                    self.scoped(&[], body)?;
                    self.returns(body, pat, "a branch")?;
                }
                Ok(())
            }
            Exp::Loop { params, form, body } => self.looping(params, form, body, pat),
            Exp::Call(id, args) => {
                let itself = id.raw() == self.funs && program.funs[*id].recursive;
                ensure(id.raw() < self.funs || itself, || "a call of a later function".into())?;
                let fun = &program.funs[*id];
                ensure(fun.params.len() == args.len() && fun.results.len() == pat.len(), || "the arguments of a call".into())?;
                let results: Vec<Operand> = pat.iter().map(|var| Operand::Var(*var)).collect();
                let mut map = FxHashMap::default();
                self.standing(&fun.params, args, &mut map);
                self.standing(&fun.results, &results, &mut map);
                self.match_up(&fun.params, args, &map, "an argument of a call")?;
                self.match_up(&fun.results, &results, &map, "a result of a call")
            }
            single_exp!() => match types.as_slice() {
                [ty] => self.single(exp, ty),
                _ => Err("the number of variables".into()),
            },
        }
    }

    /// Expressions with one result.
    fn single(&self, exp: &Exp, ty: &Type) -> Checked {
        let program = self.program;
        let i64 = PrimType::I64;
        match exp {
            Exp::Copy(a) => self.expect(&self.ty(*a), ty, "a copy"),
            Exp::Scalar(op, args) => {
                ensure(op.params.len() == args.len(), || "the number of operands".into())?;
                op.params.iter().zip(args).try_for_each(|(prim, a)| self.scalar(*a, *prim, "an operand"))?;
                self.expect(&Type::scalar(op.result), ty, "the result")
            }
            Exp::Size(_) | count_exp!() => self.expect(&Type::scalar(i64), ty, "a size"),
            Exp::Literal(items) => {
                let count = Size::constant_product(&ty.shape);
                let empty = items.is_empty() && count.is_none();
                ensure(empty || count == Some(items.len() as i64), || "the number of elements".into())?;
                ensure(items.iter().all(|item| item.prim() == ty.elem), || "the type of an element".into())
            }
            Exp::Stack(cells) => {
                let first = self.ty(*cells.first().ok_or("no cells")?);
                cells.iter().try_for_each(|cell| self.expect(&self.ty(*cell), &first, "a cell"))?;
                let depth = ty.rank().checked_sub(first.rank()).ok_or("the rank")?;
                let frame = Size::constant_product(&ty.shape[..depth]);
                ensure(frame == Some(cells.len() as i64), || "the number of cells".into())?;
                self.expect(&ty.cell(depth), &first, "the cells")
            }
            Exp::Index { array, at, .. } => {
                at.iter().try_for_each(|i| self.scalar(*i, i64, "an index"))?;
                ensure(at.len() <= program.ty(*array).rank(), || "too many indices".into())?;
                self.expect(&program.ty(*array).cell(at.len()), ty, "a cell")
            }
            Exp::Slice { array, start, step, .. } => {
                self.scalar(*start, i64, "the start")?;
                self.scalar(*step, i64, "the step")?;
                self.expect(&program.ty(*array).cell(1), &ty.cell(1), "a slice")
            }
            Exp::Rotate { array, by } => {
                self.scalar(*by, i64, "the distance")?;
                self.expect(program.ty(*array), ty, "a rotated array")
            }
            Exp::Rearrange { array, perm } => {
                let old = program.ty(*array);
                let mut sorted = perm.clone();
                sorted.sort_unstable();
                ensure(sorted == (0..old.rank()).collect::<Vec<_>>(), || "no permutation".into())?;
                let shape = perm.iter().map(|k| old.shape[*k].clone()).collect();
                self.expect(&Type { elem: old.elem, shape }, ty, "a rearranged array")
            }
            Exp::Reshape(array) => {
                let old = program.ty(*array);
                let count = |ty: &Type| ty.shape.iter().fold(Size::constant(1), |n, m| n.mul(&self.normal(m)));
                ensure(old.elem == ty.elem && count(old) == count(ty), || "the number of elements".into())
            }
            Exp::Coerce(array) => {
                let old = program.ty(*array);
                ensure(old.elem == ty.elem && old.rank() == ty.rank(), || "another type".into())
            }
            Exp::Rep(a) => {
                let cell = self.ty(*a);
                let depth = ty.rank().checked_sub(cell.rank()).ok_or("the rank")?;
                self.expect(&ty.cell(depth), &cell, "the cells")
            }
            Exp::Iota { start, step } => {
                ensure(ty.rank() == 1 && ty.elem.is_int(), || "no vector of integers".into())?;
                self.scalar(*start, ty.elem, "the start")?;
                self.scalar(*step, ty.elem, "the step")
            }
            Exp::Concat(arrays) => {
                let mut sum = Size::default();
                for array in arrays {
                    let part = program.ty(*array);
                    self.expect(&part.cell(1), &ty.cell(1), "a part")?;
                    sum = sum.add(&self.normal(&part.shape[0]));
                }
                ensure(ty.shape.first().is_some_and(|n| self.same_size(n, &sum)), || "the outer size".into())
            }
            Exp::Update { array, at, value, .. } => {
                at.iter().try_for_each(|i| self.scalar(*i, i64, "an index"))?;
                ensure(at.len() <= ty.rank(), || "too many indices".into())?;
                self.expect(program.ty(*array), ty, "the array")?;
                self.expect(&self.ty(*value), &ty.cell(at.len()), "the cell")
            }
            Exp::UpdateSlice { array, start, step, value, .. } => {
                self.scalar(*start, i64, "the start")?;
                self.scalar(*step, i64, "the step")?;
                self.expect(program.ty(*array), ty, "the array")?;
                self.expect(&program.ty(*value).cell(1), &ty.cell(1), "the cells")
            }
            Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) | parallel_exp!() => {
                Err("an expression with several results".into())
            }
        }
    }

    fn check(&self, check: &Check, pat: &[Var]) -> Checked {
        ensure(pat.is_empty(), || "a check binds nothing".into())?;
        match check {
            Check::Bounds(i, _) => self.scalar(*i, PrimType::I64, "an index"),
            Check::Assert(cond, _) => self.scalar(*cond, PrimType::Bool, "a condition"),
            Check::Coerce(found, wanted) => ensure(found.len() == wanted.len(), || "the ranks".into()),
            Check::Range(a, b) => [a, b].into_iter().try_for_each(|a| self.scalar(*a, PrimType::I64, "the end of a range")),
            Check::NonNegative(_) | Check::Product(..) | Check::Unflatten(..) => Ok(()),
        }
    }

    /// A lambda that gets the cells of the inputs.
    fn lambda(&mut self, width: &Size, inputs: &[Var], lambda: &Lambda) -> Checked {
        ensure(inputs.len() == lambda.params.len(), || "the number of inputs".into())?;
        for (input, param) in inputs.iter().zip(&lambda.params) {
            let ty = self.program.ty(*input).clone();
            self.expect(&ty.cell(1), self.program.ty(*param), "a cell of an input")?;
            ensure(self.same_size(&ty.shape[0], width), || format!("the size of {}", self.name(*input)))?;
        }
        self.scoped(&lambda.params, &lambda.body)
    }
    fn operator(&mut self, operator: &Operator, cells: &[Type]) -> Checked {
        let params = &operator.lambda.params;
        ensure(params.len() == 2 * cells.len() && operator.neutral.len() == cells.len(), || "the parameters of an operator".into())?;
        for (k, cell) in cells.iter().enumerate() {
            self.expect(&self.ty(operator.neutral[k]), cell, "a neutral element")?;
            for param in [params[k], params[cells.len() + k]] {
                self.expect(self.program.ty(param), cell, "a parameter of an operator")?;
            }
        }
        self.scoped(params, &operator.lambda.body)?;
        ensure(operator.lambda.body.result.len() == cells.len(), || "the results of an operator".into())?;
        operator.lambda.body.result.iter().zip(cells).try_for_each(|(a, cell)| self.expect(&self.ty(*a), cell, "a result of an operator"))
    }
    fn soac(&mut self, soac: &Soac, pat: &[Var]) -> Checked {
        self.lambda(&soac.width, &soac.inputs, &soac.lambda)?;
        let results = &soac.lambda.body.result;
        ensure(results.len() == pat.len(), || "the number of results".into())?;
        let (scanned, combined) = (soac.scanned(), soac.combined());
        for (operator, places) in placed(soac.operators()) {
            let cells: Vec<Type> = results.get(places.clone()).ok_or("the number of results")?.iter().map(|a| self.ty(*a)).collect();
            self.operator(operator, &cells)?;
            for (k, cell) in places.zip(&cells) {
                let wanted = if k < scanned { cell.framed(std::slice::from_ref(&soac.width)) } else { cell.clone() };
                self.expect(self.program.ty(pat[k]), &wanted, "a scanned or reduced result")?;
            }
        }
        for (a, var) in results[combined..].iter().zip(&pat[combined..]) {
            let wanted = self.ty(*a).framed(std::slice::from_ref(&soac.width));
            self.expect(self.program.ty(*var), &wanted, "a mapped result")?;
        }
        Ok(())
    }
    fn seg(&mut self, seg: &Seg, pat: &[Var]) -> Checked {
        ensure(seg.space.len() == seg.sizes.len() && !seg.space.is_empty(), || "the dimensions of the space".into())?;
        let index = Type::scalar(PrimType::I64);
        ensure(seg.space.iter().all(|var| self.program.ty(*var) == &index), || "the type of an index".into())?;
        self.scoped(&seg.space, &seg.body)?;
        let results = &seg.body.result;
        ensure(results.len() == pat.len(), || "the number of results".into())?;
        let outer = &seg.sizes[..seg.sizes.len() - usize::from(!seg.kind.keeps_inner_dimension())];
        let mut at = 0;
        for (operator, places) in placed(seg.kind.operators()) {
            let cells: Vec<Type> = results.get(places.clone()).ok_or("the number of results")?.iter().map(|a| self.ty(*a)).collect();
            self.operator(operator, &cells)?;
            at = places.end;
            for (cell, var) in cells.iter().zip(&pat[places]) {
                self.expect(self.program.ty(*var), &cell.framed(outer), "a scanned or reduced result")?;
            }
        }
        for (a, var) in results[at..].iter().zip(&pat[at..]) {
            self.expect(self.program.ty(*var), &self.ty(*a).framed(&seg.sizes), "a mapped result")?;
        }
        Ok(())
    }
    fn filter(&mut self, width: &Size, inputs: &[Var], lambda: &Lambda, pat: &[Var]) -> Checked {
        self.lambda(width, inputs, lambda)?;
        let (Some((keep, cells)), Some((count, arrays))) = (lambda.body.result.split_first(), pat.split_first()) else {
            return Err("a filter without results".into());
        };
        self.scalar(*keep, PrimType::Bool, "the predicate")?;
        self.expect(self.program.ty(*count), &Type::scalar(PrimType::I64), "the count")?;
        ensure(cells.len() == arrays.len(), || "the number of results".into())?;
        for (cell, var) in cells.iter().zip(arrays) {
            self.expect(self.program.ty(*var), &self.ty(*cell).framed(&[Size::var(*count)]), "a kept array")?;
        }
        Ok(())
    }
    fn rows(&mut self, width: &Size, inputs: &[Var], lambda: &Lambda, pat: &[Var]) -> Checked {
        self.lambda(width, inputs, lambda)?;
        ensure(lambda.body.result.len() == 2 * pat.len(), || "the number of results".into())?;
        for (row, var) in lambda.body.result.chunks(2).zip(pat) {
            self.scalar(row[0], PrimType::I64, "where a row begins")?;
            let (row, all) = (self.ty(row[1]), self.program.ty(*var));
            ensure(row.rank() > 0 && row.rank() == all.rank(), || "the rank of a row".into())?;
            self.expect(&row.cell(1), &all.cell(1), "the cells of a row")?;
        }
        Ok(())
    }
    fn writes(&self, lambda: &Lambda, dests: &[Var], pat: &[Var]) -> Checked {
        let Some((index, cells)) = lambda.body.result.split_first() else { return Err("no index".into()) };
        self.scalar(*index, PrimType::I64, "the index")?;
        ensure(cells.len() == dests.len() && pat.len() == dests.len(), || "the number of arrays".into())?;
        for ((cell, dest), var) in cells.iter().zip(dests).zip(pat) {
            self.expect(&self.ty(*cell), &self.program.ty(*dest).cell(1), "a cell")?;
            self.expect(self.program.ty(*var), self.program.ty(*dest), "an array")?;
        }
        Ok(())
    }
    fn looping(&mut self, params: &[(Var, Operand)], form: &LoopForm, body: &Body, pat: &[Var]) -> Checked {
        let vars: Vec<Var> = params.iter().map(|(var, _)| *var).collect();
        let inits: Vec<Operand> = params.iter().map(|(_, init)| *init).collect();
        ensure(vars.len() == pat.len(), || "the number of results".into())?;
        let first = Body { stms: Vec::new(), result: inits };
        self.returns(&first, &vars, "a first value")?;
        let results: Vec<Operand> = pat.iter().map(|var| Operand::Var(*var)).collect();
        self.returns(&Body { stms: Vec::new(), result: results }, &vars, "a result of a loop")?;
        let saved = self.scope.clone();
        self.bind_all(&vars)?;
        match form {
            LoopForm::For(i, n) => {
                self.scalar(*n, PrimType::I64, "the count")?;
                ensure(self.program.ty(*i) == &Type::scalar(PrimType::I64), || "the counter".into())?;
                self.bind(*i)?;
            }
            LoopForm::While(cond) => {
                self.scoped(&[], cond)?;
                let [a] = cond.result.as_slice() else { return Err("the condition".into()) };
                ensure(matches!(a, Operand::Const(Scalar::Bool(_))) || self.ty(*a) == Type::scalar(PrimType::Bool), || {
                    "the condition".into()
                })?;
            }
        }
        self.body(body)?;
        self.returns(body, &vars, "the body of a loop")?;
        self.scope = saved;
        Ok(())
    }
}
