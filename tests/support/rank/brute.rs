//! An independent answer for small systems: try everything up to a limit.

use remora::rank::{System, Var, VarKind, verify};

/// The least cost within the limit, and all `(M, R)` vectors that have it, sorted.
pub struct Brute {
    pub cost: u64,
    pub optima: Vec<Vec<(u32, u32)>>,
    /// Per optimum the least sum of type ranks.
    pub types: Vec<u64>,
}

/// All optima with sides up to `sides` and other variables up to `others`; `None` when there is no solution in the limits.
pub fn brute(system: &System, sides: u32, others: u32) -> Option<Brute> {
    let mut is_side = vec![false; system.kinds.len()];
    for site in &system.sites {
        is_side[site.map.index()] = true;
        is_side[site.rep.index()] = true;
    }
    let rest: Vec<usize> = (0..system.kinds.len()).filter(|&var| !is_side[var]).collect();
    let mut state = State { system, sides, others, rest, values: vec![0; system.kinds.len()], best: None };
    state.site(0);
    let mut best = state.best?;
    let mut order: Vec<usize> = (0..best.optima.len()).collect();
    order.sort_by_key(|&at| best.optima[at].clone());
    best.types = order.iter().map(|&at| best.types[at]).collect();
    best.optima.sort();
    Some(best)
}

struct State<'a> {
    system: &'a System,
    sides: u32,
    others: u32,
    rest: Vec<usize>,
    values: Vec<u32>,
    best: Option<Brute>,
}

impl State<'_> {
    fn site(&mut self, at: usize) {
        let Some(site) = self.system.sites.get(at) else { return self.types(0) };
        let (map, rep) = (site.map.index(), site.rep.index());
        for value in 0..=self.sides {
            (self.values[map], self.values[rep]) = (value, 0);
            self.site(at + 1);
            if value > 0 {
                (self.values[map], self.values[rep]) = (0, value);
                self.site(at + 1);
            }
        }
        (self.values[map], self.values[rep]) = (0, 0);
    }

    /// Whether an equation without open variables fails: prunes, nothing else.
    fn refuted(&self, at: usize) -> bool {
        let open = &self.rest[at..];
        self.system.equations.iter().any(|equation| {
            equation.expr.terms.iter().all(|term| !open.contains(&term.0.index())) && equation.expr.eval(&self.values) != Some(0)
        })
    }

    fn types(&mut self, at: usize) {
        if self.refuted(at) {
            return;
        }
        let Some(&var) = self.rest.get(at) else { return self.leaf() };
        for value in 0..=self.others {
            self.values[var] = value;
            self.types(at + 1);
        }
        self.values[var] = 0;
    }

    fn leaf(&mut self) {
        if !verify(self.system, &self.values) {
            return;
        }
        let Some(cost) = self.system.cost(&self.values) else { return };
        let optimum: Vec<(u32, u32)> =
            self.system.sites.iter().map(|site| (self.values[site.map.index()], self.values[site.rep.index()])).collect();
        let types = types_sum(self.system, &self.values);
        match &mut self.best {
            Some(best) if best.cost < cost => {}
            Some(best) if best.cost == cost => match best.optima.iter().position(|known| *known == optimum) {
                Some(at) => best.types[at] = best.types[at].min(types),
                None => {
                    best.optima.push(optimum);
                    best.types.push(types);
                }
            },
            best => *best = Some(Brute { cost, optima: vec![optimum], types: vec![types] }),
        }
    }
}

/// The sum of the ranks of type variables.
pub fn types_sum(system: &System, values: &[u32]) -> u64 {
    (0..values.len()).filter(|&at| system.kinds[Var(at as u32).index()] == VarKind::Type).map(|at| u64::from(values[at])).sum()
}
