//! Which variables may share memory.
//!
//! Memory has a **root**: the variable with which it comes into being. An array may lie in the memory of one or more roots:
//!
//! * index (of a row), slice, rearrange, reshape and coerce are views: they lie where their array lies;
//! * a replicated array lies where its cell lies, all copies in the same place: nobody may overwrite it, nor the cell while it is needed;
//! * an update, a scatter and a histogram overwrite their arrays, so their results lie there too;
//! * results of a branch lie where the results of both bodies lie;
//! * parameters and results of a loop lie where the first values and the results of the body lie;
//! * cells in a lambda lie where the inputs lie; parameters of an operator, and what a call returns, may lie wherever their arguments lie;
//! * everything else is new memory: copies, stacks, concatenations, rotations, and all results of soacs and filters.
//!
//! Some roots are only **borrowed**, so that nobody may overwrite their memory: parameters of functions, constants, literals, and arrays that
//! are not stored (replicated ones and ranges).

use crate::base::mutation::mutated;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, LoopForm, Operand, Operator, Program, Stm, Var, parallel_exp, single_exp};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where arrays lie.
#[derive(Debug, Default, Clone)]
pub struct Aliases {
    roots: FxHashMap<Var, Vec<Var>>,
    borrowed: FxHashSet<Var>,
    /// The arrays that may lie in the memory of a root.
    members: FxHashMap<Var, Vec<Var>>,
}

impl Aliases {
    /// Where the arrays of a program lie.
    pub fn of(program: &Program) -> Aliases {
        let mut aliases = Aliases::default();
        for stm in &program.consts {
            aliases.stm(program, stm);
            aliases.borrow(&stm.pat);
        }
        for (_, fun) in program.funs.iter() {
            aliases.fresh(program, &fun.params);
            aliases.borrow(&fun.params);
            aliases.body(program, &fun.body);
        }
        aliases
    }
    /// The roots of the memory in which an array may lie, in order; none for a scalar.
    pub fn roots(&self, var: Var) -> &[Var] {
        self.roots.get(&var).map_or(&[], Vec::as_slice)
    }
    /// Whether two arrays may share memory.
    pub fn may_share(&self, a: Var, b: Var) -> bool {
        self.roots(a).iter().any(|root| self.roots(b).contains(root))
    }
    /// Whether all memory in which an array may lie can be overwritten.
    pub fn is_owned(&self, var: Var) -> bool {
        !self.roots(var).iter().any(|root| self.is_borrowed(*root))
    }
    /// Whether memory may not be overwritten.
    pub fn is_borrowed(&self, root: Var) -> bool {
        self.borrowed.contains(&root)
    }
    /// All arrays that may share memory with this one.
    pub fn sharing(&self, var: Var) -> impl Iterator<Item = Var> {
        self.roots(var).iter().filter_map(|root| self.members.get(root)).flatten().copied()
    }

    /// New memory for each array among the variables.
    pub(super) fn fresh(&mut self, program: &Program, vars: &[Var]) {
        for &var in vars {
            if program.vars[var].ty.rank() > 0 {
                self.put(var, vec![var]);
            }
        }
    }
    /// The memory of these variables may not be overwritten.
    pub(super) fn borrow(&mut self, vars: &[Var]) {
        self.borrowed.extend(vars.iter().flat_map(|var| self.roots.get(var)).flatten().copied().collect::<Vec<_>>());
    }
    /// Nobody may overwrite this array; of what it lies in nothing else is said.
    pub(super) fn lend(&mut self, var: Var) {
        let roots = self.roots(var).iter().copied().chain([var]).collect();
        self.put(var, roots);
        self.borrowed.insert(var);
    }
    /// An array lies in the memory of these roots.
    pub(super) fn put(&mut self, var: Var, mut roots: Vec<Var>) {
        roots.sort_unstable();
        roots.dedup();
        for root in &roots {
            let members = self.members.entry(*root).or_default();
            if !members.contains(&var) {
                members.push(var);
            }
        }
        self.roots.insert(var, roots);
    }
    /// An array lies where the others lie.
    pub(super) fn share(&mut self, program: &Program, var: Var, with: impl IntoIterator<Item = Operand>) {
        if program.vars[var].ty.rank() > 0 {
            let roots = with.into_iter().filter_map(Operand::var).flat_map(|var| self.roots(var).to_vec()).collect();
            self.put(var, roots);
        }
    }

    /// What an expression without bodies, or an array operator, binds.
    pub(super) fn bind(&mut self, program: &Program, stm: &Stm) {
        match (&stm.exp, stm.pat.as_slice()) {
            (
                Exp::Index { array, .. }
                | Exp::Slice { array, .. }
                | Exp::Rearrange { array, .. }
                | Exp::Reshape(array)
                | Exp::Coerce(array)
                | Exp::Update { array, .. }
                | Exp::UpdateSlice { array, .. },
                [var],
            ) if mutated!(LoseReshapeAlias, true, !matches!(stm.exp, Exp::Reshape(_))) => self.share(program, *var, [Operand::Var(*array)]),
            (Exp::Rep(cell), [var]) => {
                self.share(program, *var, [*cell]);
                self.lend(*var);
            }
            (Exp::Literal(_) | Exp::Iota { .. }, pat) => pat.iter().for_each(|var| self.lend(*var)),
            (Exp::Scatter { dests, .. } | Exp::Hist { dests, .. }, pat) => {
                for (var, dest) in pat.iter().zip(mutated!(LoseScatterAlias, &dests[..], &[])) {
                    self.share(program, *var, [Operand::Var(*dest)]);
                }
            }
            (Exp::Call(_, args), pat) => pat.iter().for_each(|var| {
                self.share(program, *var, args.iter().copied());
                // It may also be new memory.
                let mut roots = self.roots(*var).to_vec();
                if program.vars[*var].ty.rank() > 0 {
                    roots.push(*var);
                    self.put(*var, roots);
                }
            }),
            (_, pat) => self.fresh(program, pat),
        }
    }

    fn body(&mut self, program: &Program, body: &Body) {
        body.stms.iter().for_each(|stm| self.stm(program, stm));
    }
    fn stm(&mut self, program: &Program, stm: &Stm) {
        match &stm.exp {
            Exp::If { then, els, .. } => {
                self.body(program, then);
                self.body(program, els);
                for (k, var) in stm.pat.iter().enumerate() {
                    self.share(program, *var, [then.result[k], els.result[k]]);
                }
            }
            Exp::Loop { params, form, body } => {
                for (param, init) in params {
                    self.share(program, *param, [*init]);
                }
                // Roots go around until nothing new arrives; each round moves them on by at least one parameter.
                for _ in 0..=params.len() {
                    if let LoopForm::While(cond) = form {
                        self.body(program, cond);
                    }
                    self.body(program, body);
                    let mut changed = false;
                    for ((param, init), next) in params.iter().zip(&body.result) {
                        let before = self.roots(*param).len();
                        self.share(program, *param, [*init, *next, Operand::Var(*param)]);
                        changed |= self.roots(*param).len() != before;
                    }
                    if !changed {
                        break;
                    }
                }
                for (var, (param, _)) in stm.pat.iter().zip(params) {
                    self.share(program, *var, [Operand::Var(*param)]);
                }
            }
            exp @ (single_exp!() | parallel_exp!() | Exp::Check(_) | Exp::Call(..)) => {
                self.cells(program, exp);
                exp.parts(&mut |part| {
                    if let Part::Body(_, body) = part {
                        self.body(program, body);
                    }
                });
                self.bind(program, stm);
            }
        }
    }
    /// The parameters of the lambdas of an expression.
    pub(super) fn cells(&mut self, program: &Program, exp: &Exp) {
        let (inputs, lambda, operators): (_, _, Vec<&Operator>) = match exp {
            Exp::Soac(soac) => (&soac.inputs, &soac.lambda, soac.operators().collect()),
            Exp::Filter { inputs, lambda, .. } | Exp::Rows { inputs, lambda, .. } | Exp::Scatter { inputs, lambda, .. } => {
                (inputs, lambda, Vec::new())
            }
            Exp::Hist { inputs, lambda, operator, .. } => (inputs, lambda, vec![operator]),
            Exp::Seg(seg) => return self.lend_params(program, seg.kind.operators()),
            single_exp!() | Exp::Check(_) | Exp::If { .. } | Exp::Loop { .. } | Exp::Call(..) => return,
        };
        for (param, input) in lambda.params.iter().zip(inputs) {
            self.share(program, *param, [Operand::Var(*input)]);
        }
        self.lend_params(program, operators);
    }
    /// Operators overwrite nothing that they are given.
    fn lend_params<'o>(&mut self, program: &Program, operators: impl IntoIterator<Item = &'o Operator>) {
        for operator in operators {
            self.fresh(program, &operator.lambda.params);
            self.borrow(&operator.lambda.params);
        }
    }
}
