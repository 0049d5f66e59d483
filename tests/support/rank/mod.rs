//! Helpers: whole-system optima, permutations, generated systems.

pub mod brute;

use remora::rank::{Equation, LinExpr, Options, RankOutcome, Site, Solution, System, Var, VarKind, solve};

/// A small deterministic generator of pseudo-random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 33) % limit.max(1) as u64) as usize
    }

    pub fn permutation(&mut self, length: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        for at in (1..length).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

/// Most optima of a whole system that tests multiply out.
pub const PRODUCT: usize = 4096;

/// Every optimum of the whole system as values of all variables: the product over the components, cut off at [`PRODUCT`].
pub fn whole_optima(solution: &Solution) -> Vec<Vec<u32>> {
    let mut all = vec![solution.values.clone()];
    for component in &solution.components {
        let mut next = Vec::new();
        for values in &all {
            for assigned in &component.values {
                let mut values = values.clone();
                assigned.iter().for_each(|&(var, value)| values[var.index()] = value);
                if next.len() < PRODUCT {
                    next.push(values);
                }
            }
        }
        all = next;
    }
    all
}

/// `(M, R)` per site.
pub fn sides(system: &System, values: &[u32]) -> Vec<(u32, u32)> {
    system.sites.iter().map(|site| (values[site.map.index()], values[site.rep.index()])).collect()
}

pub fn solved(system: &System, options: &Options) -> Solution {
    match solve(system, options) {
        RankOutcome::Solved(solution) => solution,
        other => panic!("not solved: {other:?}\n{system:?}"),
    }
}

/// The same system with variables renumbered (`order[new] = old`) and equations shuffled. Sites keep their order.
pub fn permuted(system: &System, order: &[usize], equations: &[usize]) -> System {
    let mut new = vec![0u32; order.len()];
    order.iter().enumerate().for_each(|(at, &old)| new[old] = at as u32);
    let var = |var: Var| Var(new[var.index()]);
    let expr = |expr: &LinExpr| LinExpr { constant: expr.constant, terms: expr.terms.iter().map(|&(v, c)| (var(v), c)).collect() };
    System {
        kinds: order.iter().map(|&old| system.kinds[old]).collect(),
        names: order.iter().map(|&old| system.names.get(old).cloned().flatten()).collect(),
        equations: equations.iter().map(|&at| Equation { expr: expr(&system.equations[at].expr), tag: system.equations[at].tag }).collect(),
        sites: system
            .sites
            .iter()
            .map(|site| Site { map: var(site.map), rep: var(site.rep), frame: expr(&site.frame), tag: site.tag })
            .collect(),
    }
}

/// Shape of a synthetic definition of `let`s over `+`-like operators.
pub struct Program {
    pub lets: usize,
    /// Percentage of `let`s that bind a lambda whose parameter has no known rank.
    pub lambdas: usize,
    /// Largest rank of the inputs.
    pub rank: usize,
}

/// The rank system of a chain of `let v = a op b` (two sites each) and `let g = \p -> p op a in g b` (three sites).
pub fn program(shape: &Program, random: &mut Random) -> System {
    let mut system = System::new();
    let mut ranks: Vec<LinExpr> = (0..8).map(|at| LinExpr::constant((at % (shape.rank + 1)) as i64)).collect();
    let mut tag = 0;
    for _ in 0..shape.lets {
        // Mostly recent values and inputs, as in real code.
        let mut pick = |ranks: &[LinExpr]| match random.below(3) {
            0 => ranks[random.below(8)].clone(),
            _ => ranks[ranks.len() - 1 - random.below(ranks.len().min(12))].clone(),
        };
        let (a, b) = (pick(&ranks), pick(&ranks));
        tag += 1;
        let result = if random.below(100) < shape.lambdas {
            let parameter = system.var(VarKind::Type);
            let body = scalar_operator(&mut system, &LinExpr::var(parameter), &a, tag);
            let (m, r) = system.site(LinExpr::zero(), tag);
            system.equate(LinExpr::var(m).plus_var(parameter), LinExpr::var(r).add(&b), tag);
            body.plus_var(m)
        } else {
            scalar_operator(&mut system, &a, &b, tag)
        };
        // Real code keeps ranks small: now and then a rank is summed away.
        if random.below(3) == 0 {
            let (m, r) = system.site(LinExpr::zero(), tag);
            system.equate(LinExpr::var(m).plus(1), LinExpr::var(r).add(&result), tag);
            ranks.push(LinExpr::var(m));
        } else {
            ranks.push(result);
        }
    }
    system
}

/// The rank system of a chain of `let g = \p q -> p op q op 1`, `let s = g s a`, `let x = g x s`, `let y = x op b op s`.
pub fn chain(lets: usize, random: &mut Random) -> System {
    let mut system = System::new();
    let (mut s, mut x) = (LinExpr::zero(), LinExpr::constant(1));
    for tag in 0..lets as u32 {
        let [p, q] = [(); 2].map(|()| LinExpr::var(system.var(VarKind::Type)));
        let body = scalar_operator(&mut system, &p, &q, tag);
        let body = scalar_operator(&mut system, &body, &LinExpr::zero(), tag);
        let call = |system: &mut System, a: &LinExpr, b: &LinExpr| {
            let (m1, r1) = system.site(LinExpr::zero(), tag);
            system.equate(LinExpr::var(m1).add(&p), LinExpr::var(r1).add(a), tag);
            let (m2, r2) = system.site(LinExpr::var(m1), tag);
            system.equate(LinExpr::var(m2).plus_var(m1).add(&q), LinExpr::var(r2).add(b), tag);
            body.clone().plus_var(m1).plus_var(m2)
        };
        let known = LinExpr::constant(random.below(8) as i64 / 7);
        s = call(&mut system, &s, &known);
        x = if random.below(3) == 0 { call(&mut system, &s, &x) } else { call(&mut system, &x, &s) };
        let y = scalar_operator(&mut system, &x, &LinExpr::constant(random.below(3) as i64), tag);
        scalar_operator(&mut system, &y, &s, tag);
        // Ranks of ordinary code stay small: now and then one is summed away.
        if random.below(3) == 0 {
            let (m, r) = system.site(LinExpr::zero(), tag);
            system.equate(LinExpr::var(m).plus(1), LinExpr::var(r).add(&s), tag);
            s = LinExpr::var(m);
        }
    }
    system
}

/// A binary operator on scalars; the rank of its result.
pub fn scalar_operator(system: &mut System, a: &LinExpr, b: &LinExpr, tag: u32) -> LinExpr {
    let (m1, r1) = system.site(LinExpr::zero(), tag);
    system.equate(LinExpr::var(m1), LinExpr::var(r1).add(a), tag);
    let (m2, r2) = system.site(LinExpr::var(m1), tag);
    system.equate(LinExpr::var(m2).plus_var(m1), LinExpr::var(r2).add(b), tag);
    LinExpr::var(m1).plus_var(m2)
}

/// A small random system. Half of them look like programs, the others are arbitrary.
pub fn small(random: &mut Random) -> System {
    let mut system = System::new();
    let types: Vec<Var> = (0..random.below(3)).map(|_| system.var(VarKind::Type)).collect();
    let sites = 1 + random.below(4);
    let mut earlier: Vec<Var> = Vec::new();
    let mut known: Vec<Var> = types.clone();
    let wild = random.below(3) == 0;
    for tag in 0..sites as u32 {
        let mut frame = LinExpr::zero();
        if !earlier.is_empty() && random.below(2) == 0 {
            frame = LinExpr::var(earlier[earlier.len() - 1]);
        }
        if wild && random.below(12) == 0 {
            frame = frame.plus(1);
        }
        let (m, r) = system.site(frame.clone(), tag);
        let side = |random: &mut Random, frame: &LinExpr| {
            let mut sum = frame.clone().plus(random.below(3) as i64);
            if !known.is_empty() && random.below(3) > 0 {
                let coefficient = if wild && random.below(8) == 0 { 2 } else { 1 };
                sum.terms.push((known[random.below(known.len())], coefficient));
            }
            sum
        };
        let parameter = side(random, &frame).plus_var(m);
        let argument = side(random, &LinExpr::zero()).plus_var(r);
        system.equate(parameter, argument, tag);
        earlier.push(m);
        known.push(m);
        if wild {
            known.push(r);
        }
    }
    for _ in 0..random.below(2) {
        let (a, b) = (known[random.below(known.len())], known[random.below(known.len())]);
        system.equate(LinExpr::var(a), LinExpr::var(b).plus(random.below(2) as i64), 99);
    }
    system
}
