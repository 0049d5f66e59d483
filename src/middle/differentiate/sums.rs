//! Sums of arrays that maps make become maps of sums.
//!
//! The adjoint of an array that a map reads whole is the sum of an array for each iteration, as in `sum over i of d[i] * x[i][j]`. Summed up row by row
//! that reads and writes the sum in each iteration; as a map over j of sums over i it is a product of matrices, for which there are tiles
//! and registers (Schenck 2024, section 3.5.1, does the same to accumulators).
//!
//! Law: the sum of arrays is the array of the sums of their elements. What each element is computed from is made before, once: arrays with fewer
//! dimensions than what is summed.

use super::build::Build;
use super::folds::{Simple, simple};
use crate::base::Span;
use crate::ir::soac::visit_mut::{Subst, fresh_body};
use crate::ir::soac::{Body, Exp, Lambda, Operand, Program, Size, Soac, Stm, Type, Var, single_exp, visit};
use rustc_hash::{FxHashMap, FxHashSet};

/// Makes maps of sums of the sums in a body.
pub(super) fn sums_of_products(program: &mut Program, body: Body) -> Body {
    let mut build = Build { program, stms: Vec::new(), span: Span::default() };
    build.inverted(body)
}

/// An array whose elements are computed from one element each of other arrays, by operations on scalars.
#[derive(Debug, Clone)]
struct Nest {
    sizes: Vec<Size>,
    leaves: Vec<Leaf>,
    stms: Vec<Stm>,
    result: Operand,
}

/// An array that the elements of a nest are computed from.
#[derive(Debug, Clone)]
struct Leaf {
    array: Var,
    /// For each dimension of the array the dimension of the nest that its index is taken from.
    levels: Vec<usize>,
    /// What stands for its element.
    param: Var,
}

impl Nest {
    /// The nest with its dimensions in another order: dimension k is dimension `perm[k]`.
    fn rearranged(mut self, perm: &[usize]) -> Nest {
        let place = |level: usize| perm.iter().position(|from| *from == level).unwrap_or(level);
        self.leaves.iter_mut().for_each(|leaf| leaf.levels.iter_mut().for_each(|level| *level = place(*level)));
        self.sizes = perm.iter().map(|from| self.sizes[*from].clone()).collect();
        self
    }
    /// The nest below one more dimension in front.
    fn below(mut self, size: &Size) -> Nest {
        self.sizes.insert(0, size.clone());
        self.leaves.iter_mut().for_each(|leaf| leaf.levels.iter_mut().for_each(|level| *level += 1));
        self
    }
    /// The scalars from outside that elements are computed from.
    fn scalars(&self) -> Vec<Var> {
        let mut known: FxHashSet<Var> = self.leaves.iter().map(|leaf| leaf.param).collect();
        known.extend(self.stms.iter().flat_map(|stm| stm.pat.iter().copied()));
        let mut out = Vec::new();
        let mut see = |var: Var| {
            if known.insert(var) {
                out.push(var);
            }
        };
        self.stms.iter().for_each(|stm| visit::mentioned(stm, &mut see));
        self.result.var().into_iter().for_each(&mut see);
        out
    }
}

/// Where variables of a block are bound.
fn definitions(stms: &[Stm]) -> FxHashMap<Var, usize> {
    stms.iter().enumerate().flat_map(|(at, stm)| stm.pat.iter().map(move |var| (*var, at))).collect()
}

/// The nest that a variable of a block is.
fn nest_of(program: &Program, stms: &[Stm], defs: &FxHashMap<Var, usize>, var: Var) -> Option<Nest> {
    let stm = &stms[*defs.get(&var)?];
    if let Exp::Rep(a) = stm.exp {
        let scalar = program.operand_ty(a).rank() == 0;
        let sizes = program.ty(var).shape.clone();
        return scalar.then_some(Nest { sizes, leaves: Vec::new(), stms: Vec::new(), result: a });
    }
    if let Exp::Copy(Operand::Var(other)) = stm.exp {
        return nest_of(program, stms, defs, other);
    }
    if let Exp::Rearrange { array, perm } = &stm.exp {
        return Some(nest_of(program, stms, defs, *array)?.rearranged(perm));
    }
    let Exp::Soac(Soac { width, inputs, lambda, scans, reduces }) = &stm.exp else { return None };
    if !scans.is_empty() || !reduces.is_empty() {
        return None;
    }
    let at = stm.pat.iter().position(|other| *other == var)?;
    let result = *lambda.body.result.get(at)?;
    let inner = definitions(&lambda.body.stms);
    let nest = if program.operand_ty(result).rank() > 0 {
        nest_of(program, &lambda.body.stms, &inner, result.var()?)?
    } else {
        let stms = slice(&lambda.body, result)?;
        Nest { sizes: Vec::new(), leaves: Vec::new(), stms, result }
    };
    let mut nest = nest.below(width);
    // What is a cell of an input here is an element of it there.
    let place = |var: Var| lambda.params.iter().position(|param| *param == var);
    for leaf in &mut nest.leaves {
        match place(leaf.array) {
            Some(at) => {
                leaf.array = inputs[at];
                leaf.levels.insert(0, 0);
            }
            None if inner.contains_key(&leaf.array) => return None,
            None => {}
        }
    }
    for scalar in nest.scalars() {
        match place(scalar) {
            Some(at) => nest.leaves.push(Leaf { array: inputs[at], levels: vec![0], param: scalar }),
            None if inner.contains_key(&scalar) => return None,
            None => {}
        }
    }
    // Copies of a number are the number.
    for k in (0..nest.leaves.len()).rev() {
        let def = defs.get(&nest.leaves[k].array).map(|at| &stms[*at].exp);
        if let Some(Exp::Rep(a)) = def
            && program.operand_ty(*a).rank() == 0
        {
            let Leaf { param, .. } = nest.leaves.remove(k);
            let mut subst = Subst::default();
            subst.operands.insert(param, *a);
            nest.stms.iter_mut().for_each(|stm| subst.stm(stm));
            nest.result = subst.operand(nest.result);
        }
    }
    Some(nest)
}

/// The statements of a body that a result needs, if they are operations on scalars that cannot fail.
fn slice(body: &Body, result: Operand) -> Option<Vec<Stm>> {
    let mut needed: FxHashSet<Var> = result.var().into_iter().collect();
    let mut out = Vec::new();
    for stm in body.stms.iter().rev() {
        if stm.pat.iter().any(|var| needed.contains(var)) {
            if !matches!(stm.exp, Exp::Scalar(..)) || stm.exp.may_fail() {
                return None;
            }
            visit::mentioned(stm, &mut |var| {
                needed.insert(var);
            });
            out.push(stm.clone());
        }
    }
    out.reverse();
    Some(out)
}

impl Build<'_> {
    fn inverted(&mut self, body: Body) -> Body {
        let outer = std::mem::take(&mut self.stms);
        let mut stms = body.stms;
        for stm in &mut stms {
            match &mut stm.exp {
                // Not operators: a sum is known by what it is.
                Exp::Soac(Soac { lambda, .. })
                | Exp::Filter { lambda, .. }
                | Exp::Rows { lambda, .. }
                | Exp::Scatter { lambda, .. }
                | Exp::Hist { lambda, .. } => {
                    lambda.body = self.inverted(std::mem::take(&mut lambda.body));
                }
                Exp::If { .. } | Exp::Loop { .. } => stm.exp.bodies_mut(&mut |body| *body = self.inverted(std::mem::take(body))),
                single_exp!() | Exp::Check(_) | Exp::Call(..) | Exp::Seg(_) => {}
            }
        }
        // What is only summed, or only returned: then it may be summed further out.
        let mut uses: FxHashMap<Var, usize> = FxHashMap::default();
        let mut summed: FxHashSet<Var> = FxHashSet::default();
        for stm in &stms {
            visit::mentioned(stm, &mut |var| *uses.entry(var).or_default() += 1);
            summed.extend(self.summed(stm));
        }
        body.result.iter().filter_map(|a| a.var()).for_each(|var| *uses.entry(var).or_default() += 1);
        let returned = self.returned(&stms, &body.result);
        let once = |var: &Var| uses.get(var) == Some(&1);
        let mut nests: FxHashMap<Var, Nest> = FxHashMap::default();
        for mut stm in stms {
            self.span = stm.span;
            if let Some(array) = self.summed(&stm)
                && let Some(nest) = nests.remove(&array)
            {
                let sum = self.nest(&nest, true);
                self.push(stm.pat, Exp::Copy(sum));
                continue;
            }
            let wanted: Vec<Var> =
                stm.pat.iter().copied().filter(|var| once(var) && (summed.contains(var) || returned.contains(var))).collect();
            // A map of nothing else stays as it is, unless it is summed.
            let all = wanted.len() == stm.pat.len() && !wanted.iter().any(|var| summed.contains(var));
            let apart = if wanted.is_empty() || all { Vec::new() } else { self.taken_apart(&mut stm, &wanted) };
            if !stm.pat.is_empty() || apart.is_empty() {
                self.stms.push(stm);
            }
            for (var, nest) in apart {
                if summed.contains(&var) {
                    nests.insert(var, nest);
                } else {
                    let value = self.nest(&nest, false);
                    self.push(vec![var], Exp::Copy(value));
                }
            }
        }
        Body { stms: std::mem::replace(&mut self.stms, outer), result: body.result }
    }
    /// The array whose cells a statement adds up.
    fn summed(&self, stm: &Stm) -> Option<Var> {
        let Exp::Soac(Soac { inputs, reduces, scans, .. }) = &stm.exp else { return None };
        let ([input], [], [operator]) = (inputs.as_slice(), scans.as_slice(), reduces.as_slice()) else { return None };
        let rows = self.program.ty(*input).rank() > 1 && self.program.ty(*input).elem.is_float();
        (rows && simple(self.program, operator) == Some(Simple::Add)).then_some(*input)
    }
    /// Arrays that are results, perhaps with their dimensions in another order.
    fn returned(&self, stms: &[Stm], result: &[Operand]) -> FxHashSet<Var> {
        let mut out: FxHashSet<Var> = result.iter().filter_map(|a| a.var()).collect();
        for stm in stms.iter().rev() {
            if let Exp::Rearrange { array, .. } = stm.exp
                && out.contains(&stm.pat[0])
            {
                out.insert(array);
            }
        }
        out
    }
    /// Takes those of the wanted results out of a map that are nests; the map returns what they are computed from instead.
    fn taken_apart(&mut self, stm: &mut Stm, wanted: &[Var]) -> Vec<(Var, Nest)> {
        let mut out = Vec::new();
        let Exp::Soac(Soac { width, inputs, lambda, scans, reduces }) = &mut stm.exp else { return out };
        if !scans.is_empty() || !reduces.is_empty() {
            return out;
        }
        let defs = definitions(&lambda.body.stms);
        let mut inside: FxHashSet<Var> = lambda.params.iter().copied().collect();
        visit::bound_by(&lambda.body.stms, &mut inside);
        let mut made: Vec<(Var, Var)> = Vec::new();
        for var in wanted {
            let Some(at) = stm.pat.iter().position(|other| other == var) else { continue };
            let Some(result) = lambda.body.result[at].var().filter(|result| defs.contains_key(result)) else { continue };
            if self.program.ty(result).rank() == 0 {
                continue;
            }
            let Some(nest) = nest_of(self.program, &lambda.body.stms, &defs, result) else { continue };
            let Some(nest) = self.lifted(nest, width, (inputs, lambda), &inside, &mut made) else { continue };
            stm.pat.remove(at);
            lambda.body.result.remove(at);
            out.push((*var, nest));
        }
        for (inner, outer) in made {
            stm.pat.push(outer);
            lambda.body.result.push(Operand::Var(inner));
        }
        out
    }
    /// The nest of a lambda's result as one outside of it. `made` are the variables of the lambda that have to be returned for it.
    fn lifted(
        &mut self,
        nest: Nest,
        width: &Size,
        (inputs, lambda): (&[Var], &Lambda),
        inside: &FxHashSet<Var>,
        made: &mut Vec<(Var, Var)>,
    ) -> Option<Nest> {
        let rank = nest.sizes.len();
        let invariant = |size: &Size| !size.vars().any(|var| inside.contains(&var));
        if !nest.sizes.iter().all(invariant) {
            return None;
        }
        let mut nest = nest.below(width);
        let scalars = nest.scalars().into_iter().filter(|var| inside.contains(var));
        let scalars: Vec<Leaf> = scalars.map(|var| Leaf { array: var, levels: Vec::new(), param: var }).collect();
        nest.leaves.extend(scalars);
        let mut new = made.clone();
        for leaf in &mut nest.leaves {
            if !inside.contains(&leaf.array) {
                continue;
            }
            leaf.levels.insert(0, 0);
            if let Some(at) = lambda.params.iter().position(|param| *param == leaf.array) {
                leaf.array = inputs[at];
                continue;
            }
            let ty = self.program.ty(leaf.array).clone();
            // Nothing is gained if it is as large as what is summed.
            if ty.rank() >= rank || !ty.shape.iter().all(invariant) {
                return None;
            }
            let name = self.program.vars[leaf.array].name;
            leaf.array = match new.iter().find(|(inner, _)| *inner == leaf.array) {
                Some((_, outer)) => *outer,
                None => {
                    let outer = self.fresh(name, ty.framed(std::slice::from_ref(width)));
                    new.push((leaf.array, outer));
                    outer
                }
            };
        }
        // Elements of scalars have parameters of their own from now on: the variables are still those of the lambda.
        let mut subst = Subst::default();
        for leaf in &mut nest.leaves {
            if inside.contains(&leaf.param) {
                let param = self.fresh(self.program.vars[leaf.param].name, self.program.ty(leaf.param).clone());
                subst.operands.insert(leaf.param, Operand::Var(param));
                leaf.param = param;
            }
        }
        nest.stms.iter_mut().for_each(|stm| subst.stm(stm));
        nest.result = subst.operand(nest.result);
        *made = new;
        nest.leaves.iter().any(|leaf| leaf.levels.contains(&0)).then_some(nest)
    }

    /// The array that a nest is, or its sum over the first dimension.
    fn nest(&mut self, nest: &Nest, sum: bool) -> Operand {
        let rank = nest.sizes.len();
        let order: Vec<usize> = if sum { (1..rank).chain([0]).collect() } else { (0..rank).collect() };
        let leaves: Vec<Leaf> = nest.leaves.iter().map(|leaf| self.in_order(leaf, &order)).collect();
        self.levels(nest, &order, leaves, sum)
    }
    /// The leaf with its dimensions in the order in which they are mapped over.
    fn in_order(&mut self, leaf: &Leaf, order: &[usize]) -> Leaf {
        let mut perm: Vec<usize> = (0..leaf.levels.len()).collect();
        perm.sort_by_key(|dim| order.iter().position(|level| *level == leaf.levels[*dim]));
        if perm.is_sorted() {
            return leaf.clone();
        }
        let old = self.program.ty(leaf.array).clone();
        let ty = Type { elem: old.elem, shape: perm.iter().map(|dim| old.shape[*dim].clone()).collect() };
        let levels = perm.iter().map(|dim| leaf.levels[*dim]).collect();
        let array = self.bind("view", ty, Exp::Rearrange { array: leaf.array, perm });
        Leaf { array, levels, param: leaf.param }
    }
    fn levels(&mut self, nest: &Nest, order: &[usize], leaves: Vec<Leaf>, sum: bool) -> Operand {
        let Some((level, rest)) = order.split_first() else {
            let mut subst = Subst::default();
            leaves.iter().for_each(|leaf| {
                subst.operands.insert(leaf.param, Operand::Var(leaf.array));
            });
            let body = Body { stms: nest.stms.clone(), result: vec![nest.result] };
            let body = fresh_body(self.program, &body, &mut subst);
            self.stms.extend(body.stms);
            return subst.operand(body.result[0]);
        };
        let (mapped, constant): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(|leaf| leaf.levels.first() == Some(level));
        if mapped.is_empty() {
            let cell = self.levels(nest, rest, constant, sum);
            let ty = self.ty(cell).framed(&[nest.sizes[*level].clone()]);
            return Operand::Var(self.bind("rep", ty, Exp::Rep(cell)));
        }
        let inputs: Vec<Var> = mapped.iter().map(|leaf| leaf.array).collect();
        let out = self.map(&nest.sizes[*level], inputs, |build, cells| {
            let cells =
                mapped.iter().zip(cells).map(|(leaf, cell)| Leaf { array: *cell, levels: leaf.levels[1..].to_vec(), param: leaf.param });
            let leaves = cells.chain(constant).collect();
            vec![build.levels(nest, rest, leaves, sum)]
        });
        if sum && *level == 0 { self.sum(out[0]) } else { Operand::Var(out[0]) }
    }
}
