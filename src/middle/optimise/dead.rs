//! Dead code: statements, results and parameters that nothing depends on disappear.
//!
//! Law: what is left out has no effect: it cannot fail and its value reaches no result, no check and no condition that decides whether
//! something fails. It is found by one walk over what depends on what and one over the graph, so cycles through loops are no obstacle.

use crate::base::mutation::mutated;
use crate::ir::soac::visit::Part;
use crate::ir::soac::{Body, Exp, Lambda, LoopForm, Operand, Operator, Program, Size, Soac, Stm, Var, placed, single_exp};
use std::mem::take;

/// Removes dead code, and functions that no entry point calls.
pub fn dead(mut program: Program) -> Program {
    super::inline::drop_uncalled(&mut program);
    let count = program.vars.len();
    let mut graph = Graph { edges: vec![Vec::new(); count], live: vec![false; count], work: Vec::new() };
    for stm in &program.consts {
        graph.stm(&program, stm);
    }
    for (_, fun) in program.funs.iter() {
        fun.results.iter().for_each(|var| graph.type_of(&program, *var));
        fun.params.iter().for_each(|var| graph.root_type(&program, *var));
        graph.body(&program, &fun.body);
        fun.body.result.iter().for_each(|a| graph.root(*a));
        fun.results.iter().for_each(|var| graph.root_type(&program, *var));
    }
    graph.spread();
    let sweep = Sweep { live: graph.live };
    program.consts.retain_mut(|stm| sweep.stm(stm));
    program.each_body(|_, body| sweep.body(body));
    program
}

struct Graph {
    /// What a variable depends on.
    edges: Vec<Vec<Var>>,
    live: Vec<bool>,
    work: Vec<Var>,
}

impl Graph {
    fn root_var(&mut self, var: Var) {
        if !self.live[var.raw()] {
            self.live[var.raw()] = true;
            self.work.push(var);
        }
    }
    fn root(&mut self, operand: Operand) {
        operand.var().into_iter().for_each(|var| self.root_var(var));
    }
    fn root_size(&mut self, size: &Size) {
        size.vars().for_each(|var| self.root_var(var));
    }
    fn root_type(&mut self, program: &Program, var: Var) {
        program.vars[var].ty.shape.iter().for_each(|size| self.root_size(size));
    }
    fn spread(&mut self) {
        while let Some(var) = self.work.pop() {
            for next in std::mem::take(&mut self.edges[var.raw()]) {
                self.root_var(next);
            }
        }
    }
    fn edge(&mut self, from: Var, to: Operand) {
        if let Operand::Var(to) = to {
            self.edges[from.raw()].push(to);
        }
    }
    fn edge_size(&mut self, from: Var, size: &Size) {
        self.edges[from.raw()].extend(size.vars());
    }
    /// A variable needs the sizes in its type.
    fn type_of(&mut self, program: &Program, var: Var) {
        let sizes: Vec<Var> = program.vars[var].ty.shape.iter().flat_map(Size::vars).collect();
        self.edges[var.raw()].extend(sizes);
    }

    /// Adds what depends on what in a body; says whether something in it may fail.
    fn body(&mut self, program: &Program, body: &Body) -> bool {
        let mut fails = false;
        for stm in &body.stms {
            fails |= self.stm(program, stm);
        }
        fails
    }

    /// `body` for a statement. Where it may fail, what decides that is a root.
    fn stm(&mut self, program: &Program, stm: &Stm) -> bool {
        stm.pat.iter().for_each(|var| self.type_of(program, *var));
        match &stm.exp {
            Exp::If { cond, then, els } => {
                let fails = self.body(program, then) | self.body(program, els);
                for (k, var) in stm.pat.iter().enumerate() {
                    self.edge(*var, *cond);
                    [then, els].into_iter().filter_map(|body| body.result.get(k)).for_each(|a| self.edge(*var, *a));
                }
                if fails {
                    self.root(*cond);
                }
                fails
            }
            Exp::Loop { params, form, body } => self.looping(program, stm, params, form, body),
            Exp::Soac(soac) => self.soac(program, &stm.pat, soac),
            Exp::Filter { inputs, lambda, width } => {
                self.params(program, &lambda.params, inputs);
                let fails = self.body(program, &lambda.body);
                for (k, var) in stm.pat.iter().enumerate() {
                    self.edge_size(*var, width);
                    lambda.body.result.first().into_iter().for_each(|keep| self.edge(*var, *keep));
                    lambda.body.result.get(k).into_iter().for_each(|cell| self.edge(*var, *cell));
                }
                if fails {
                    lambda.body.result.first().into_iter().for_each(|keep| self.root(*keep));
                    self.root_size(width);
                }
                fails
            }
            Exp::Rows { inputs, lambda, width } => {
                self.params(program, &lambda.params, inputs);
                let fails = self.body(program, &lambda.body);
                for (row, var) in lambda.body.result.chunks(2).zip(&stm.pat) {
                    self.edge_size(*var, width);
                    row.iter().for_each(|part| self.edge(*var, *part));
                }
                if fails {
                    self.root_size(width);
                }
                fails
            }
            Exp::Scatter { width, inputs, lambda, dests } => {
                self.params(program, &lambda.params, inputs);
                let fails = self.body(program, &lambda.body);
                for (k, var) in stm.pat.iter().enumerate() {
                    self.edge_size(*var, width);
                    self.edge(*var, Operand::Var(dests[k]));
                    lambda.body.result.first().into_iter().for_each(|index| self.edge(*var, *index));
                    lambda.body.result.get(k + 1).into_iter().for_each(|cell| self.edge(*var, *cell));
                }
                if fails {
                    lambda.body.result.first().into_iter().for_each(|index| self.root(*index));
                    self.root_size(width);
                }
                fails
            }
            Exp::Hist { width, inputs, lambda, dests, operator } => {
                self.params(program, &lambda.params, inputs);
                let mut fails = self.body(program, &lambda.body);
                let cells = lambda.body.result.clone();
                fails |= self.operator(program, operator, &stm.pat, &cells);
                for var in &stm.pat {
                    self.edge_size(*var, width);
                    dests.iter().for_each(|dest| self.edge(*var, Operand::Var(*dest)));
                }
                if fails {
                    cells.iter().chain(&operator.neutral).chain(&operator.lambda.body.result).for_each(|a| self.root(*a));
                    dests.iter().for_each(|var| self.root_var(*var));
                    self.root_size(width);
                }
                fails
            }
            exp @ (single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::Call(..)) => {
                let fails = exp.may_fail();
                exp.parts(&mut |part| {
                    let mut see = |to: Var| {
                        stm.pat.iter().for_each(|var| self.edges[var.raw()].push(to));
                        if fails {
                            self.root_var(to);
                        }
                    };
                    match part {
                        Part::Operand(a) => a.var().into_iter().for_each(&mut see),
                        Part::Array(var) => see(var),
                        Part::Size(size) => size.vars().for_each(&mut see),
                        Part::Body(..) => {}
                    }
                });
                if fails {
                    stm.pat.iter().for_each(|var| self.root_type(program, *var));
                }
                fails
            }
        }
    }

    fn soac(&mut self, program: &Program, pat: &[Var], soac: &Soac) -> bool {
        self.params(program, &soac.lambda.params, &soac.inputs);
        let mut fails = self.body(program, &soac.lambda.body);
        pat.iter().for_each(|var| self.edge_size(*var, &soac.width));
        for (operator, places) in placed(soac.operators()) {
            let (group, cells) = (&pat[places.clone()], &soac.lambda.body.result[places]);
            let failing = self.operator(program, operator, group, cells);
            if failing {
                cells.iter().for_each(|a| self.root(*a));
                group.iter().for_each(|var| self.root_type(program, *var));
            }
            fails |= failing;
        }
        for (var, result) in pat.iter().zip(&soac.lambda.body.result).skip(soac.combined()) {
            self.edge(*var, *result);
        }
        if fails {
            self.root_size(&soac.width);
        }
        fails
    }

    fn params(&mut self, program: &Program, params: &[Var], inputs: &[Var]) {
        for (param, input) in params.iter().zip(inputs) {
            self.type_of(program, *param);
            self.edge(*param, Operand::Var(*input));
        }
    }
    /// Results that are combined: all of them depend on all of what goes in.
    fn operator(&mut self, program: &Program, operator: &Operator, pat: &[Var], cells: &[Operand]) -> bool {
        operator.lambda.params.iter().for_each(|var| self.type_of(program, *var));
        let fails = self.body(program, &operator.lambda.body);
        for var in pat {
            operator.neutral.iter().chain(&operator.lambda.body.result).chain(cells).for_each(|a| self.edge(*var, *a));
        }
        // The parameters are what is combined.
        for param in &operator.lambda.params {
            cells.iter().chain(&operator.neutral).chain(&operator.lambda.body.result).for_each(|a| self.edge(*param, *a));
        }
        if fails {
            operator.neutral.iter().chain(&operator.lambda.body.result).for_each(|a| self.root(*a));
        }
        fails
    }
    fn looping(&mut self, program: &Program, stm: &Stm, params: &[(Var, Operand)], form: &LoopForm, body: &Body) -> bool {
        let mut fails = false;
        let control = match form {
            LoopForm::For(counter, n) => {
                self.edge(*counter, *n);
                *n
            }
            LoopForm::While(cond) => {
                // A loop that does not end is an effect.
                self.body(program, cond);
                fails = true;
                cond.result[0]
            }
        };
        fails |= self.body(program, body);
        for (k, (param, init)) in params.iter().enumerate() {
            self.type_of(program, *param);
            self.edge(*param, *init);
            self.edge(*param, body.result[k]);
            self.edge(stm.pat[k], Operand::Var(*param));
            self.edge(stm.pat[k], control);
            self.edge(*param, control);
            // The parameter with the result: where one stays, the other does.
            self.edge(*param, Operand::Var(stm.pat[k]));
        }
        if fails {
            self.root(control);
        }
        fails
    }
}

struct Sweep {
    live: Vec<bool>,
}

impl Sweep {
    fn is_live(&self, var: Var) -> bool {
        self.live[var.raw()]
    }
    fn body(&self, body: &mut Body) {
        body.stms.retain_mut(|stm| self.stm(stm));
    }
    /// Whether the statement stays; what is dead inside of it goes.
    fn stm(&self, stm: &mut Stm) -> bool {
        stm.exp.bodies_mut(&mut |body| self.body(body));
        let needed = stm.pat.iter().any(|var| self.is_live(*var));
        if !needed && mutated!(ChecksAreDead, !stm.exp.may_fail(), true) {
            return false;
        }
        let live: Vec<bool> = stm.pat.iter().map(|var| self.is_live(*var)).collect();
        match &mut stm.exp {
            Exp::If { then, els, .. } => {
                keep(&mut then.result, 0, &live);
                keep(&mut els.result, 0, &live);
                keep(&mut stm.pat, 0, &live);
            }
            Exp::Loop { params, body, .. } => {
                keep(&mut body.result, 0, &live);
                keep(params, 0, &live);
                keep(&mut stm.pat, 0, &live);
            }
            Exp::Soac(soac) => {
                // An operator stays as a whole; where it may fail it stays without being needed.
                let mut live = live;
                let mut at = 0;
                for operators in [&mut soac.scans, &mut soac.reduces] {
                    operators.retain(|operator| {
                        let to = at + operator.neutral.len();
                        let stays = live[at..to].contains(&true) || operator.lambda.body.may_fail();
                        live[at..to].fill(stays);
                        at = to;
                        stays
                    });
                }
                keep(&mut soac.lambda.body.result, 0, &live);
                keep(&mut stm.pat, 0, &live);
                self.inputs(&mut soac.inputs, &mut soac.lambda.params);
            }
            Exp::Filter { inputs, lambda, .. } => {
                let mut live = live;
                live[0] = true;
                keep(&mut lambda.body.result, 0, &live);
                keep(&mut stm.pat, 0, &live);
                self.inputs(inputs, &mut lambda.params);
            }
            Exp::Rows { width, inputs, lambda } => {
                let pairs: Vec<bool> = live.iter().flat_map(|live| [*live, *live]).collect();
                keep(&mut lambda.body.result, 0, &pairs);
                keep(&mut stm.pat, 0, &live);
                self.inputs(inputs, &mut lambda.params);
                // No row is wanted: what may fail is left.
                if stm.pat.is_empty() {
                    let lambda = Lambda { params: take(&mut lambda.params), body: take(&mut lambda.body) };
                    let (width, inputs) = (width.clone(), take(inputs));
                    stm.exp = Exp::Soac(Soac { width, inputs, lambda, scans: Vec::new(), reduces: Vec::new() });
                }
            }
            Exp::Scatter { width, inputs, lambda, dests } => {
                keep(&mut lambda.body.result, 1, &live);
                keep(dests, 0, &live);
                keep(&mut stm.pat, 0, &live);
                self.inputs(inputs, &mut lambda.params);
                // Nothing is written any more: what may fail is left.
                if dests.is_empty() {
                    lambda.body.result.clear();
                    let lambda = Lambda { params: take(&mut lambda.params), body: take(&mut lambda.body) };
                    let (width, inputs) = (width.clone(), take(inputs));
                    stm.exp = Exp::Soac(Soac { width, inputs, lambda, scans: Vec::new(), reduces: Vec::new() });
                }
            }
            Exp::Hist { inputs, lambda, .. } => self.inputs(inputs, &mut lambda.params),
            single_exp!() | Exp::Check(_) | Exp::Seg(_) | Exp::Call(..) => {}
        }
        true
    }
    fn inputs(&self, inputs: &mut Vec<Var>, params: &mut Vec<Var>) {
        let live: Vec<bool> = params.iter().map(|var| self.is_live(*var)).collect();
        keep(inputs, 0, &live);
        keep(params, 0, &live);
    }
}

/// Keeps the items at these positions, and those before `from`.
fn keep<T>(items: &mut Vec<T>, from: usize, live: &[bool]) {
    let mut k = 0;
    items.retain(|_| {
        let stays = k < from || live[k - from];
        k += 1;
        stays
    });
}

#[cfg(test)]
mod tests {
    use super::super::testing::{body_becomes, stays};
    use super::dead;

    #[test]
    fn unused_statements_that_cannot_fail_go() {
        body_becomes(
            &[dead],
            "([n i64] [x i64]) ([R i64])",
            "(let ([a i64]) (i64.+ x 1))
             (let ([b i64]) (i64./ x n))
             (let ([c i64]) (i64.* a 2))
             (return x)",
            "(let ([b i64]) (i64./ x n))
             (return x)",
        );
    }

    #[test]
    fn unused_results_parameters_and_inputs_go() {
        body_becomes(
            &[dead],
            "([n i64] [xs [f32 n]] [ys [f32 n]]) ([R f32] [S i64])",
            "(let ([b f32] [a [f32 n]]) (soac n ([x f32 xs] [y f32 ys])
               (let ([p f32]) (f32.* x x))
               (let ([q f32]) (f32.* y y))
               (return q p)
               (reduce (0.0f32) ([u f32] [v f32]) (let ([w f32]) (f32.+ u v)) (return w))))
             (let ([k i64] [l i64]) (loop ([i i64 0] [j i64 1]) (for c n)
               (let ([i2 i64]) (i64.+ i 1))
               (let ([j2 i64]) (i64.* j j))
               (return i2 j2)))
             (return b k)",
            "(let ([b f32]) (soac n ([y f32 ys])
               (let ([q f32]) (f32.* y y))
               (return q)
               (reduce (0.0f32) ([u f32] [v f32]) (let ([w f32]) (f32.+ u v)) (return w))))
             (let ([k i64]) (loop ([i i64 0]) (for c n)
               (let ([i2 i64]) (i64.+ i 1))
               (return i2)))
             (return b k)",
        );
    }

    #[test]
    fn scatters_into_nothing_leave_what_may_fail() {
        body_becomes(
            &[dead],
            "([n i64] [d [i64 n]] [xs [i64 n]]) ([R i64])",
            "(let ([e [i64 n]]) (scatter (d) n ([x i64 xs]) (let ([q i64]) (i64./ x n)) (return x q)))
             (return n)",
            "(let () (soac n ([x i64 xs]) (let ([q i64]) (i64./ x n)) (return)))
             (return n)",
        );
    }

    #[test]
    fn what_decides_whether_something_fails_stays() {
        stays(
            &[dead],
            "([n i64] [xs [i64 n]]) ([R i64])",
            "(let ([d i64]) (i64.- n 3))
             (let () (soac n ([x i64 xs])
               (let ([c bool]) (i64.> x 0))
               (let () (if c (then (let ([q i64]) (i64./ x d)) (return)) (else (return))))
               (return)))
             (let ([k i64]) (loop ([p i64 d]) (while (let ([c.1 bool]) (i64.> p 0)) (return c.1)) (return p)))
             (return n)",
        );
    }

    #[test]
    fn sizes_of_what_is_used_are_used() {
        stays(
            &[dead],
            "([n i64] [xs [f32 n]]) ([K i64] [R [f32 K]])",
            "(let ([k i64]) (filter n ([x f32 xs]) (let ([c bool]) (f32.> x 0.0f32)) (return c)))
             (let ([zs [f32 k]]) (rep 1.0f32))
             (return k zs)",
        );
    }
}
