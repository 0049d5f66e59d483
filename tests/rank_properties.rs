//! Properties of the rank solver on generated systems.

#[path = "rank/brute.rs"]
mod brute;
#[path = "rank/shared.rs"]
mod shared;

use brute::{brute, types_sum};
use proptest::prelude::*;
use remora::rank::{Method, Options, Outcome, System, solve, verify};
use shared::{PRODUCT, Program, Random, permuted, program, sides, small, solved, whole_optima};

const SIDES: u32 = 4;
const OTHERS: u32 = 6;

fn with(method: Method) -> Options {
    Options { method, ..Options::default() }
}

/// Compares an outcome with brute force within the limits of the latter.
fn agrees(system: &System, outcome: &Outcome) -> Result<(), String> {
    let expected = brute(system, SIDES, OTHERS);
    let solution = match (outcome, &expected) {
        (Outcome::TooHard(why), _) => return Err(format!("gave up: {why}")),
        (Outcome::Infeasible(_), None) => return Ok(()),
        (Outcome::Infeasible(_), Some(found)) => return Err(format!("missed {:?}", found.optima)),
        (Outcome::Solved(solution), _) => solution,
    };
    let all = whole_optima(solution);
    let complete = all.len() < PRODUCT && solution.components.iter().all(|component| component.complete);
    for values in &all {
        if !verify(system, values) || system.cost(values) != Some(solution.cost) {
            return Err(format!("wrong optimum {values:?}"));
        }
    }
    let Some(expected) = expected else {
        // Whatever was found must lie outside the limits of brute force.
        let outside = |values: &Vec<u32>| values.iter().any(|&value| value > SIDES.min(OTHERS));
        return if all.iter().all(outside) { Ok(()) } else { Err("brute force missed it".into()) };
    };
    if solution.cost > expected.cost {
        return Err(format!("cost {} instead of {}", solution.cost, expected.cost));
    }
    if solution.cost < expected.cost {
        return if all.iter().all(|v| v.iter().any(|&x| x > SIDES)) { Ok(()) } else { Err("too cheap".into()) };
    }
    let mut found: Vec<_> = all.iter().map(|values| sides(system, values)).collect();
    found.sort();
    for (optimum, types) in expected.optima.iter().zip(&expected.types) {
        match all.iter().find(|values| sides(system, values) == *optimum) {
            None if complete => return Err(format!("optimum {optimum:?} is missing from {found:?}")),
            None => {}
            Some(values) if types_sum(system, values) != *types => {
                return Err(format!("type ranks of {values:?} are not least: {types}"));
            }
            Some(_) => {}
        }
    }
    let inside = |optimum: &Vec<(u32, u32)>| optimum.iter().all(|side| side.0 <= SIDES && side.1 <= SIDES);
    let types_inside = |values: &Vec<u32>| values.iter().all(|&value| value <= OTHERS);
    for values in all.iter().filter(|values| types_inside(values)) {
        let optimum = sides(system, values);
        if inside(&optimum) && !expected.optima.contains(&optimum) {
            return Err(format!("optimum {optimum:?} is not expected"));
        }
    }
    Ok(())
}

fn check(system: &System, options: &Options) {
    if let Err(why) = agrees(system, &solve(system, options)) {
        let fixture = remora::rank::text::Fixture { system: system.clone(), ..Default::default() };
        panic!("{why}\n{options:?}\n{}", remora::rank::text::print(&fixture));
    }
}

#[test]
fn slow() {
    use std::time::Instant;
    for seed in 1..1500u64 {
        let system = small(&mut Random(seed * 7919));
        for method in [Method::Auto, Method::Exact, Method::Ilp] {
            let start = Instant::now();
            let outcome = solve(&system, &with(method));
            let t1 = start.elapsed();
            let start = Instant::now();
            let verdict = if method == Method::Ilp && seed > 200 { Ok(()) } else { agrees(&system, &outcome) };
            let t2 = start.elapsed();
            if t1.as_millis() > 200 || t2.as_millis() > 300 || verdict.is_err() {
                let fixture = remora::rank::text::Fixture { system: system.clone(), ..Default::default() };
                println!("{seed} {method:?} {t1:?} {t2:?} {verdict:?} {}", remora::rank::text::print(&fixture));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_systems_agree_with_brute_force(seed in 1u64..u64::MAX) {
        let system = small(&mut Random(seed));
        check(&system, &Options::default());
        check(&system, &with(Method::Exact));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_integer_program_agrees_with_brute_force(seed in 1u64..u64::MAX) {
        let system = small(&mut Random(seed));
        check(&system, &with(Method::Ilp));
    }
}

#[test]
fn probe() {
    use std::time::Instant;
    for (lets, lambdas) in [(200, 25), (600, 25), (2000, 0), (2000, 6), (2000, 25)] {
        let system = program(&Program { lets, lambdas, rank: 2 }, &mut Random(7));
        let start = Instant::now();
        let outcome = solve(&system, &Options::default());
        let time = start.elapsed();
        match outcome {
            Outcome::Solved(s) => println!("{lets} {lambdas} {:?} cost {} comps {} {time:?}", s.stats, s.cost, s.components.len()),
            other => println!("{lets} {lambdas} {time:?} {:.200}", format!("{other:?}")),
        }
    }
    let _ = (permuted, solved);
}
