//! The paper's conjecture (Schenck et al., *AUTOMAP*, section 4.10.3 of the thesis version): if a rank system has several
//! cheapest solutions, then two of them differ in *which* maps and reps are zero, so that cutting on the binary variables
//! finds every ambiguity. It does not hold; `docs/theory.md` says what was found. Here the systems are enumerated.
//!
//! Systems are of the form that programs give: one equation per site,
//! `M - R + (earlier maps with coefficients -1, 0, 1) + (type part) + constant = 0`, and equations of the same form without a site. A
//! type part is 0, a variable, minus a variable, or the difference of two. So the ranks of type variables determine everything
//! else, and trying all of these up to a limit tries all solutions.
//!
//! `CASES=N` sets how many systems of each class are looked at (a class that is larger is sampled).

use crate::support::rank::{Random, sides, solved, whole_optima};
use remora::rank::text::{self, Fixture};
use remora::rank::{LinExpr, Options, System, Var, VarKind};

/// Ranks of type variables that are tried: 0 up to this.
const LIMIT: i32 = 5;
/// Limit for systems that seem to refute the conjecture.
const FURTHER: i32 = 20;
/// Most sites, and most type variables.
const MOST: usize = 6;

/// `sum of c M + type part + constant = 0`, for a site with its `M - R` added.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    maps: [i8; MOST],
    plus: Option<u8>,
    minus: Option<u8>,
    constant: i8,
    /// For a site: which earlier maps make up the frame, as bits.
    frame: u8,
}

/// A rank system.
#[derive(Clone, Debug)]
struct Small {
    types: usize,
    sites: Vec<Row>,
    equations: Vec<Row>,
}

/// How a solution is valued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cost {
    /// `M + R`, as in the paper's definition of size.
    Plain,
    /// `M + max(0, R - frame)`, as in the paper's implementation and here.
    Induced,
}

/// What the cheapest solutions look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Infeasible,
    Unique,
    /// Two cheapest solutions differ in which sides are zero.
    Visible,
    /// There are several cheapest solutions, and all have the same sides zero: the conjecture fails.
    Hidden,
}

impl Row {
    fn value(&self, maps: &[i32; MOST], types: &[i32; MOST]) -> i32 {
        let part = |var: Option<u8>| var.map_or(0, |var| types[var as usize]);
        let sum: i32 = self.maps.iter().zip(maps).map(|(&c, &m)| i32::from(c) * m).sum();
        sum + part(self.plus) - part(self.minus) + i32::from(self.constant)
    }
}

impl Small {
    /// Tries all ranks of type variables up to a limit.
    fn kind(&self, cost: Cost, limit: i32) -> Kind {
        let mut types = [0; MOST];
        let mut best = i32::MAX;
        let (mut first, mut several, mut visible) = ([0; MOST], false, false);
        loop {
            if let Some((differences, total)) = self.solution(&types, cost) {
                if total < best {
                    (best, first, several, visible) = (total, differences, false, false);
                } else if total == best && differences != first {
                    several = true;
                    visible |= differences.iter().zip(&first).any(|(a, b)| a.signum() != b.signum());
                }
            }
            let Some(at) = (0..self.types).find(|&at| types[at] < limit) else { break };
            types[at] += 1;
            types[..at].fill(0);
        }
        match (best, several, visible) {
            (i32::MAX, ..) => Kind::Infeasible,
            (_, false, _) => Kind::Unique,
            (_, _, true) => Kind::Visible,
            _ => Kind::Hidden,
        }
    }

    /// `M - R` of each site, and the cost.
    fn solution(&self, types: &[i32; MOST], cost: Cost) -> Option<([i32; MOST], i32)> {
        let (mut maps, mut differences, mut total) = ([0; MOST], [0; MOST], 0);
        for (at, row) in self.sites.iter().enumerate() {
            let difference = -row.value(&maps, types);
            (maps[at], differences[at]) = (difference.max(0), difference);
            let rep = (-difference).max(0);
            let frame: i32 = (0..at).filter(|bit| row.frame >> bit & 1 == 1).map(|bit| maps[bit]).sum();
            total += maps[at] + if cost == Cost::Induced { (rep - frame).max(0) } else { rep };
        }
        self.equations.iter().all(|row| row.value(&maps, types) == 0).then_some((differences, total))
    }

    /// The same for the solver.
    fn system(&self) -> System {
        let mut system = System::new();
        let types: Vec<Var> = (0..self.types).map(|_| system.var(VarKind::Type)).collect();
        let mut maps: Vec<Var> = Vec::new();
        let sum = |row: &Row, maps: &[Var]| {
            let mut sum = LinExpr::constant(row.constant.into());
            maps.iter().zip(row.maps).for_each(|(&map, c)| sum.terms.push((map, c.into())));
            row.plus.into_iter().for_each(|var| sum.terms.push((types[var as usize], 1)));
            row.minus.into_iter().for_each(|var| sum.terms.push((types[var as usize], -1)));
            sum
        };
        for (at, row) in self.sites.iter().enumerate() {
            let mut frame = LinExpr::zero();
            (0..at).filter(|bit| row.frame >> bit & 1 == 1).for_each(|bit| frame.terms.push((maps[bit], 1)));
            let (m, r) = system.site(frame, at as u32);
            system.equate(sum(row, &maps).plus_var(m), LinExpr::var(r), at as u32);
            maps.push(m);
        }
        for row in &self.equations {
            system.equate(sum(row, &maps), LinExpr::zero(), 99);
        }
        system
    }

    /// The sum of the absolute constants.
    fn weight(&self) -> i32 {
        self.sites.iter().chain(&self.equations).map(|row| i32::from(row.constant).abs()).sum()
    }
}

/// A class of systems: all with so many sites, type variables and further equations, and constants up to a limit.
#[derive(Clone, Copy, Debug)]
struct Class {
    sites: usize,
    types: usize,
    equations: usize,
    constants: i8,
    /// Whether frames are enumerated; otherwise they are empty.
    frames: bool,
}

impl Class {
    /// The type parts: 0, and variables with signs.
    fn parts(&self) -> usize {
        1 + 2 * self.types + self.types * self.types.saturating_sub(1)
    }

    /// Number of rows that may use so many maps; of a site with or without frames.
    fn rows(&self, maps: usize, site: bool) -> u64 {
        let frames = if self.frames && site { 1 << maps } else { 1 };
        3u64.pow(maps as u32) * self.parts() as u64 * (2 * self.constants as u64 + 1) * frames
    }

    /// Number of systems.
    fn size(&self) -> u64 {
        let sites: u64 = (0..self.sites).map(|maps| self.rows(maps, true)).product();
        sites * self.rows(self.sites, false).pow(self.equations as u32)
    }

    /// The row with a number.
    fn row(&self, mut number: u64, maps: usize, site: bool) -> Row {
        let mut digit = |base: u64| {
            let digit = number % base;
            number /= base;
            digit
        };
        let mut row = Row { constant: digit(2 * self.constants as u64 + 1) as i8 - self.constants, ..Row::default() };
        let part = digit(self.parts() as u64) as usize;
        (row.plus, row.minus) = self.part(part);
        (0..maps).for_each(|at| row.maps[at] = digit(3) as i8 - 1);
        if self.frames && site {
            row.frame = digit(1 << maps) as u8;
            // A frame stands on the side of the parameter, and maps may stand on the side of the argument besides.
            (0..maps).filter(|at| row.frame >> at & 1 == 1).for_each(|at| row.maps[at] = row.maps[at].abs());
        }
        row
    }

    fn part(&self, part: usize) -> (Option<u8>, Option<u8>) {
        match part {
            0 => (None, None),
            _ if part <= self.types => (Some(part as u8 - 1), None),
            _ if part <= 2 * self.types => (None, Some((part - self.types) as u8 - 1)),
            _ => {
                let pair = part - 2 * self.types - 1;
                let (a, b) = (pair / (self.types - 1), pair % (self.types - 1));
                (Some(a as u8), Some(if b >= a { b + 1 } else { b } as u8))
            }
        }
    }

    /// The system with a number.
    fn system(&self, mut number: u64) -> Small {
        let mut take = |maps: usize, site: bool| {
            let count = self.rows(maps, site);
            let row = self.row(number % count, maps, site);
            number /= count;
            row
        };
        let sites = (0..self.sites).map(|maps| take(maps, true)).collect();
        let equations = (0..self.equations).map(|_| take(self.sites, false)).collect();
        Small { types: self.types, sites, equations }
    }
}

/// What was found in a class.
#[derive(Default, Debug)]
struct Found {
    looked: u64,
    ambiguous: u64,
    hidden: u64,
    smallest: Option<Small>,
}

fn budget(default: u64) -> u64 {
    std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Looks at all systems of a class, or at so many of them.
fn search(class: Class, cost: Cost, budget: u64) -> Found {
    let size = class.size();
    let mut random = Random(0x5EED_0000_0000_0001 ^ size);
    let mut found = Found::default();
    for number in 0..size.min(budget) {
        let number = if size <= budget { number } else { random.next() % size };
        let small = class.system(number);
        found.looked += 1;
        let kind = match small.kind(cost, LIMIT) {
            // An optimum with larger ranks may be missing.
            Kind::Hidden => small.kind(cost, FURTHER),
            kind => kind,
        };
        match kind {
            Kind::Infeasible | Kind::Unique => {}
            Kind::Visible => found.ambiguous += 1,
            Kind::Hidden => {
                found.ambiguous += 1;
                found.hidden += 1;
                if found.smallest.as_ref().is_none_or(|known| small.weight() < known.weight()) {
                    found.smallest = Some(small);
                }
            }
        }
    }
    let all = if size <= budget { "all" } else { "some" };
    println!("{class:?} {cost:?}: {all} {} of {size}, {} ambiguous, {} hidden", found.looked, found.ambiguous, found.hidden);
    if let Some(small) = &found.smallest {
        println!("{}", text::print(&Fixture { system: small.system(), ..Fixture::default() }));
    }
    found
}

fn class(sites: usize, types: usize, equations: usize, constants: i8) -> Class {
    Class { sites, types, equations, constants, frames: false }
}

/// A system whose cheapest solutions have the same sides zero really has them, as the solver says.
fn confirm(small: &Small) {
    let system = small.system();
    let solution = solved(&system, &Options::default());
    let all: Vec<Vec<(u32, u32)>> = whole_optima(&solution).iter().map(|values| sides(&system, values)).collect();
    let zeros = |optimum: &[(u32, u32)]| optimum.iter().map(|side| (side.0 > 0, side.1 > 0)).collect::<Vec<_>>();
    assert!(all.len() > 1 && all.iter().all(|optimum| zeros(optimum) == zeros(&all[0])), "{all:?}");
}

#[test]
fn small_systems_obey_the_conjecture() {
    let all = u64::MAX;
    for types in 0..=2 {
        // With one site and the plain cost, two optima are so many maps, and as many reps.
        for equations in 0..=1 {
            assert_eq!(search(class(1, types, equations, 3), Cost::Plain, all).hidden, 0);
        }
        assert_eq!(search(class(2, types, 0, 3), Cost::Plain, all).hidden, 0);
    }
    for (sites, types, equations, constants) in [(2, 0, 1, 3), (2, 1, 1, 1), (2, 2, 1, 0), (3, 1, 0, 1)] {
        assert_eq!(search(class(sites, types, equations, constants), Cost::Plain, all).hidden, 0);
    }
}

/// When reps that earlier maps induce are free, two sites and one type variable suffice.
#[test]
fn the_cost_of_implementations_breaks_it_earlier() {
    let induced = |types, equations| Class { frames: true, ..class(2, types, equations, 3) };
    assert_eq!(search(induced(0, 1), Cost::Induced, u64::MAX).hidden, 0);
    let found = search(induced(1, 0), Cost::Induced, u64::MAX);
    assert!(found.hidden > 0);
    found.smallest.iter().for_each(confirm);
}

#[test]
fn larger_systems_do_not() {
    let budget = budget(5_000);
    for (sites, types, equations, constants) in LARGER {
        for (cost, frames) in [(Cost::Plain, false), (Cost::Induced, true)] {
            let found = search(Class { frames, ..class(sites, types, equations, constants) }, cost, budget);
            if let (Some(small), Cost::Induced) = (&found.smallest, cost) {
                confirm(small);
            }
            assert!(
                (sites, types, equations) != (2, 2, 1) || constants < 3 || found.hidden > 0,
                "systems that refute the conjecture were missed"
            );
        }
    }
}

/// Sites, type variables, further equations and the largest constant of classes that are enumerated or sampled.
const LARGER: [(usize, usize, usize, i8); 16] = [
    (2, 1, 1, 3),
    (2, 1, 2, 2),
    (2, 2, 1, 1),
    (2, 2, 1, 2),
    (2, 2, 1, 3),
    (2, 3, 0, 2),
    (2, 3, 1, 1),
    (3, 0, 1, 2),
    (3, 1, 0, 3),
    (3, 1, 1, 1),
    (3, 2, 0, 2),
    (3, 2, 1, 1),
    (3, 3, 0, 1),
    (4, 2, 0, 1),
    (4, 3, 1, 2),
    (5, 3, 0, 1),
];

/// Systems of programs that refute the conjecture, by the solver.
#[test]
fn the_fixtures_refute_it() {
    for text in
        [include_str!("../../../solver-fixtures/hidden-ambiguity.rank"), include_str!("../../../solver-fixtures/hidden-induced.rank")]
    {
        let fixture = text::parse(text).expect("a rank system");
        let solution = solved(&fixture.system, &Options::default());
        let all: Vec<Vec<(u32, u32)>> = whole_optima(&solution).iter().map(|values| sides(&fixture.system, values)).collect();
        assert_eq!(all.len(), 2);
        let zeros = |optimum: &[(u32, u32)]| optimum.iter().map(|side| (side.0 > 0, side.1 > 0)).collect::<Vec<_>>();
        assert_eq!(zeros(&all[0]), zeros(&all[1]));
    }
}
