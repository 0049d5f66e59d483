//! Rank systems as data: variables, linear expressions, equations and sites, and the exact check of a solution.

/// A rank variable: an unknown natural number, named by its index in [`System::kinds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

impl Var {
    /// The variable's index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a rank variable stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VarKind {
    /// Implicit maps of a site.
    Map,
    /// Implicit reps of a site.
    Rep,
    /// The rank of a type variable.
    Type,
}

/// A sum `constant + c1 x1 + c2 x2 + ..` of rank variables.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinExpr {
    /// The constant.
    pub constant: i64,
    /// Variables with their coefficients; a variable may occur several times until [`LinExpr::normalise`].
    pub terms: Vec<(Var, i64)>,
}

#[allow(clippy::should_implement_trait, reason = "they take the other side by reference, so that frames can be reused")]
impl LinExpr {
    /// Zero.
    pub fn zero() -> LinExpr {
        LinExpr::default()
    }

    /// A constant.
    pub fn constant(constant: i64) -> LinExpr {
        LinExpr { constant, terms: Vec::new() }
    }

    /// One variable.
    pub fn var(var: Var) -> LinExpr {
        LinExpr::scaled(var, 1)
    }

    /// A variable times a coefficient.
    pub fn scaled(var: Var, coefficient: i64) -> LinExpr {
        LinExpr { constant: 0, terms: vec![(var, coefficient)] }
    }

    /// The sum of two expressions.
    pub fn add(mut self, other: &LinExpr) -> LinExpr {
        self.constant = self.constant.saturating_add(other.constant);
        self.terms.extend_from_slice(&other.terms);
        self
    }

    /// The difference of two expressions.
    pub fn sub(mut self, other: &LinExpr) -> LinExpr {
        self.constant = self.constant.saturating_sub(other.constant);
        self.terms.extend(other.terms.iter().map(|&(var, c)| (var, c.saturating_neg())));
        self
    }

    /// The expression plus a constant.
    pub fn plus(mut self, constant: i64) -> LinExpr {
        self.constant = self.constant.saturating_add(constant);
        self
    }

    /// The expression plus a variable.
    pub fn plus_var(mut self, var: Var) -> LinExpr {
        self.terms.push((var, 1));
        self
    }

    /// Sorts the terms, adds up those of the same variable and drops zeros.
    pub fn normalise(&mut self) {
        self.terms.sort_unstable_by_key(|&(var, _)| var);
        self.terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.saturating_add(next.1);
            }
            same
        });
        self.terms.retain(|&(_, c)| c != 0);
    }

    /// The constant, when no variable occurs.
    pub fn as_constant(&self) -> Option<i64> {
        let mut this = self.clone();
        this.normalise();
        this.terms.is_empty().then_some(this.constant)
    }

    /// The value under an assignment, exactly; `None` when a variable has no value.
    pub fn eval(&self, values: &[u32]) -> Option<i128> {
        let mut sum = i128::from(self.constant);
        for &(var, coefficient) in &self.terms {
            sum += i128::from(coefficient) * i128::from(*values.get(var.index())?);
        }
        Some(sum)
    }
}

impl From<Var> for LinExpr {
    fn from(var: Var) -> LinExpr {
        LinExpr::var(var)
    }
}

impl From<i64> for LinExpr {
    fn from(constant: i64) -> LinExpr {
        LinExpr::constant(constant)
    }
}

/// A linear equation with the caller's reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equation {
    /// The expression that must be zero.
    pub expr: LinExpr,
    /// The caller's reason.
    pub tag: u32,
}

/// One application: `map = 0` or `rep = 0`, at cost `map + max(0, rep - frame)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Number of implicit maps.
    pub map: Var,
    /// Number of implicit reps.
    pub rep: Var,
    /// Rank of the frame that earlier arguments of the same application contribute.
    pub frame: LinExpr,
    /// The caller's reason.
    pub tag: u32,
}

/// A rank system: natural-number unknowns, linear equations and sites.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// What each variable stands for.
    pub kinds: Vec<VarKind>,
    /// Names for printing; may be shorter than `kinds`.
    pub names: Vec<Option<String>>,
    /// The equations.
    pub equations: Vec<Equation>,
    /// The sites, in source order.
    pub sites: Vec<Site>,
}

impl System {
    /// A system without variables.
    pub fn new() -> System {
        System::default()
    }

    /// A fresh variable. Variables of kind `Map` and `Rep` normally come from [`System::site`].
    pub fn var(&mut self, kind: VarKind) -> Var {
        let var = Var(u32::try_from(self.kinds.len()).expect("fewer than 2^32 rank variables"));
        self.kinds.push(kind);
        var
    }

    /// A fresh variable with a name for printing.
    pub fn named(&mut self, kind: VarKind, name: impl Into<String>) -> Var {
        let var = self.var(kind);
        self.names.resize(self.kinds.len(), None);
        self.names[var.index()] = Some(name.into());
        var
    }

    /// A fresh site: its `M` and its `R`.
    pub fn site(&mut self, frame: LinExpr, tag: u32) -> (Var, Var) {
        let map = self.var(VarKind::Map);
        let rep = self.var(VarKind::Rep);
        self.sites.push(Site { map, rep, frame, tag });
        (map, rep)
    }

    /// Demands that two expressions are equal.
    pub fn equate(&mut self, lhs: LinExpr, rhs: LinExpr, tag: u32) {
        let mut expr = lhs.sub(&rhs);
        expr.normalise();
        self.equations.push(Equation { expr, tag });
    }

    /// The name of a variable: the given one, or its kind and index.
    pub fn name(&self, var: Var) -> String {
        match self.names.get(var.index()) {
            Some(Some(name)) => name.clone(),
            _ => match self.kinds.get(var.index()) {
                Some(VarKind::Map) => format!("m{}", var.0),
                Some(VarKind::Rep) => format!("r{}", var.0),
                Some(VarKind::Type) | None => format!("t{}", var.0),
            },
        }
    }

    /// The cost of an assignment, exactly; `None` when a variable has no value.
    pub fn cost(&self, values: &[u32]) -> Option<u64> {
        let mut cost: i128 = 0;
        for site in &self.sites {
            let map = i128::from(*values.get(site.map.index())?);
            let rep = i128::from(*values.get(site.rep.index())?);
            cost += map + (rep - site.frame.eval(values)?).max(0);
        }
        u64::try_from(cost).ok()
    }
}

/// Whether an assignment satisfies every equation and every site of a system, in exact integer arithmetic.
pub fn verify(system: &System, values: &[u32]) -> bool {
    values.len() == system.kinds.len()
        && system.equations.iter().all(|equation| equation.expr.eval(values) == Some(0))
        && system.sites.iter().all(|site| match (values.get(site.map.index()), values.get(site.rep.index())) {
            (Some(&map), Some(&rep)) => (map == 0 || rep == 0) && site.frame.eval(values).is_some(),
            _ => false,
        })
}
