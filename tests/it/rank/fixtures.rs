//! Every rank system in `solver-fixtures/`: expected verdict, cost and all optima, by every method.
//!
//! `REMORA_BLESS=1` rewrites the `optimum` and `conflict` lines.

use std::path::{Path, PathBuf};

use crate::support::rank::{Random, brute, permuted, sides, whole_optima};
use remora::rank::text::{Expect, Fixture, parse, print};
use remora::rank::{Conflict, Method, Options, RankOutcome, Solution, System, solve, verify};

/// Systems with at most so many assignments of sides are also solved by brute force.
const BRUTE: f64 = 3e5;

#[test]
fn fixtures_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("solver-fixtures");
    let entries = std::fs::read_dir(&folder).expect("the fixtures are there");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "rank"));
    files.sort();
    assert!(files.len() >= 60, "{} fixtures", files.len());
    let check = |path: &PathBuf| {
        let start = std::time::Instant::now();
        let result = check_file(path).map_err(|why| format!("{}: {why}", path.display()));
        println!("{:>8.1?} {}", start.elapsed(), path.display());
        result
    };
    let failures: Vec<String> = files.iter().filter_map(|path| check(path).err()).collect();
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

fn check_file(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let fixture = parse(&text).map_err(|error| format!("{}:{error}", path.display()))?;
    let printed = print(&fixture);
    if parse(&printed).as_ref() != Ok(&fixture) {
        return Err(format!("printing does not round-trip:\n{printed}"));
    }
    if std::env::var_os("REMORA_BLESS").is_some() {
        return bless(path, &text, &fixture);
    }
    check(&fixture)
}

fn with(method: Method) -> Options {
    Options { method, ..Options::default() }
}

fn check(fixture: &Fixture) -> Result<(), String> {
    let system = &fixture.system;
    for method in [Method::Auto, Method::Exact, Method::Ilp] {
        // Listing dozens of optima by integer programs takes minutes; their cost is checked all the same.
        let many = matches!(fixture.expect, Some(Expect::Many(_))) || fixture.optima.len() > 8;
        if many && method == Method::Ilp {
            cost_by_program(fixture)?;
            continue;
        }
        let options = with(method);
        compare(fixture, system, solve(system, &options)).map_err(|why| format!("{method:?}: {why}"))?;
    }
    if fixture.presolve {
        compare(fixture, system, solve(system, &with(Method::Presolve))).map_err(|why| format!("presolve: {why}"))?;
    }
    permutations(fixture)?;
    match fixture.expect {
        Some(Expect::Infeasible) => irreducible(fixture),
        Some(Expect::Unique(_) | Expect::Ambiguous(_) | Expect::Many(_)) => by_force(fixture),
        None => Err("the fixture expects nothing".into()),
    }
}

fn cost_by_program(fixture: &Fixture) -> Result<(), String> {
    let options = Options { max_optima: 2, ..with(Method::Ilp) };
    match (solve(&fixture.system, &options), fixture.expect) {
        (RankOutcome::Solved(found), Some(Expect::Many(cost) | Expect::Ambiguous(cost))) if found.cost == cost => Ok(()),
        (outcome, _) => Err(format!("{outcome:?}")),
    }
}

fn compare(fixture: &Fixture, system: &System, outcome: RankOutcome) -> Result<(), String> {
    let solution = match (outcome, fixture.expect) {
        (RankOutcome::Infeasible(found), Some(Expect::Infeasible)) => return same_conflict(fixture, &found),
        (RankOutcome::Solved(solution), Some(Expect::Unique(_) | Expect::Ambiguous(_) | Expect::Many(_))) => solution,
        (outcome, _) => return Err(format!("{outcome:?}")),
    };
    let verdict = match (&solution.components[..], solution.components.iter().all(|component| component.complete)) {
        ([], _) => Expect::Unique(solution.cost),
        (_, true) => Expect::Ambiguous(solution.cost),
        (_, false) => Expect::Many(solution.cost),
    };
    if fixture.expect != Some(verdict) {
        return Err(format!("{verdict:?} instead of {:?}", fixture.expect));
    }
    if fixture.components.is_some_and(|count| count != solution.components.len()) {
        return Err(format!("{} components", solution.components.len()));
    }
    if matches!(verdict, Expect::Many(_)) {
        return Ok(());
    }
    let found = optima_of(&solution);
    let mut expected: Vec<Vec<u32>> = fixture.optima.iter().map(|optimum| dense(system, optimum)).collect();
    if found.first() != expected.first() {
        return Err(format!("canonical optimum {:?} instead of {:?}", found.first(), expected.first()));
    }
    let mut found = found;
    found.sort();
    expected.sort();
    if found != expected { Err(format!("optima {found:?} instead of {expected:?}")) } else { Ok(()) }
}

fn optima_of(solution: &Solution) -> Vec<Vec<u32>> {
    whole_optima(solution)
}

fn dense(system: &System, optimum: &[(remora::rank::Var, u32)]) -> Vec<u32> {
    let mut values = vec![0; system.kinds.len()];
    optimum.iter().for_each(|&(var, value)| values[var.index()] = value);
    values
}

fn same_conflict(fixture: &Fixture, found: &Conflict) -> Result<(), String> {
    match &fixture.conflict {
        Some((equations, sites)) if (equations, sites) != (&found.equations, &found.sites) => {
            Err(format!("conflict {found:?} instead of {equations:?} {sites:?}"))
        }
        _ => Ok(()),
    }
}

/// Any order of equations and variables gives the same answer.
fn permutations(fixture: &Fixture) -> Result<(), String> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..6 {
        let system = &fixture.system;
        let order = if round < 3 { (0..system.kinds.len()).collect() } else { random.permutation(system.kinds.len()) };
        let shuffled = permuted(system, &order, &random.permutation(system.equations.len()));
        let mut new = vec![0u32; order.len()];
        order.iter().enumerate().for_each(|(at, &old)| new[old] = at as u32);
        let rename = |optimum: &Vec<(remora::rank::Var, u32)>| {
            optimum.iter().map(|&(var, value)| (remora::rank::Var(new[var.index()]), value)).collect()
        };
        let expected = Fixture { optima: fixture.optima.iter().map(rename).collect(), conflict: None, ..fixture.clone() };
        compare(&expected, &shuffled, solve(&shuffled, &Options::default())).map_err(|why| format!("permuted: {why}"))?;
    }
    Ok(())
}

/// The expected optima are those that trying everything finds.
fn by_force(fixture: &Fixture) -> Result<(), String> {
    let system = &fixture.system;
    let values: Vec<Vec<u32>> = fixture.optima.iter().map(|optimum| dense(system, optimum)).collect();
    let most = values.iter().flatten().copied().max().unwrap_or(0);
    let limit = most.max(2) + 1;
    let others = system.kinds.len() - 2 * system.sites.len().min(system.kinds.len() / 2);
    let work = f64::from(2 * limit + 1).powi(system.sites.len() as i32) * f64::from(limit + 1).powi(others.min(2) as i32);
    if work > BRUTE || matches!(fixture.expect, Some(Expect::Many(_))) {
        return Ok(());
    }
    let Some(found) = brute::brute(system, limit, limit) else { return Err("brute force finds nothing".into()) };
    let mut expected: Vec<Vec<(u32, u32)>> = values.iter().map(|values| sides(system, values)).collect();
    expected.sort();
    if found.optima != expected {
        return Err(format!("brute force finds {:?} instead of {expected:?}", found.optima));
    }
    for values in &values {
        let at = found.optima.iter().position(|optimum| *optimum == sides(system, values));
        if at.map(|at| found.types[at]) != Some(brute::types_sum(system, values)) {
            return Err("type ranks are not the least".into());
        }
    }
    Ok(())
}

/// Without any one part of the conflict, the rest of it has a solution.
fn irreducible(fixture: &Fixture) -> Result<(), String> {
    let system = &fixture.system;
    let RankOutcome::Infeasible(conflict) = solve(system, &Options::default()) else { return Err("not infeasible".into()) };
    let keep = |equations: &[usize], sites: &[usize]| {
        let mut part = system.clone();
        part.equations = equations.iter().map(|&at| system.equations[at].clone()).collect();
        part.sites = sites.iter().map(|&at| system.sites[at].clone()).collect();
        solve(&part, &Options { explain: false, ..Options::default() })
    };
    let Conflict { equations, sites } = &conflict;
    if !matches!(keep(equations, sites), RankOutcome::Infeasible(_)) {
        return Err(format!("{conflict:?} is no conflict"));
    }
    let without = |all: &[usize], at: usize| all.iter().copied().filter(|&other| other != at).collect::<Vec<_>>();
    let spare = equations.iter().any(|&at| matches!(keep(&without(equations, at), sites), RankOutcome::Infeasible(_)))
        || sites.iter().any(|&at| matches!(keep(equations, &without(sites, at)), RankOutcome::Infeasible(_)));
    if spare { Err(format!("{conflict:?} is not irreducible")) } else { Ok(()) }
}

fn bless(path: &Path, text: &str, fixture: &Fixture) -> Result<(), String> {
    let generated = |line: &&str| line.starts_with("optimum") || line.starts_with("conflict");
    let mut out: String = text.lines().filter(|line| !generated(line)).map(|line| format!("{line}\n")).collect();
    let mut answer = Fixture::default();
    answer.system.clone_from(&fixture.system);
    answer.labels.clone_from(&fixture.labels);
    match solve(&fixture.system, &Options::default()) {
        RankOutcome::Solved(solution) if solution.components.iter().all(|component| component.complete) => {
            for values in optima_of(&solution) {
                assert!(verify(&fixture.system, &values));
                let nonzero = (0..).zip(values).filter(|&(_, value)| value > 0);
                answer.optima.push(nonzero.map(|(var, value)| (remora::rank::Var(var), value)).collect());
            }
        }
        RankOutcome::Solved(_) => {}
        RankOutcome::Infeasible(conflict) => answer.conflict = Some((conflict.equations, conflict.sites)),
        RankOutcome::TooHard(why) => return Err(why.to_string()),
    }
    print(&answer).lines().filter(generated).for_each(|line| out.push_str(&format!("{line}\n")));
    std::fs::write(path, out).map_err(|error| error.to_string())
}
