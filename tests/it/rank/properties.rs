//! Properties of the rank solver on generated systems.

use crate::support::rank::brute::{brute, types_sum};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use crate::support::rank::{PRODUCT, Program, Random, chain, permuted, program, sides, small, solved, whole_optima};
use proptest::prelude::*;
use remora::base::with_big_stack;
use remora::rank::{LinExpr, Method, Options, RankOutcome, System, TooHard, VarKind, solve, verify};

const SIDES: u32 = 4;
const OTHERS: u32 = 6;

fn with(method: Method) -> Options {
    Options { method, ..Options::default() }
}

/// Compares an outcome with brute force within the limits of the latter.
fn agrees(system: &System, outcome: &RankOutcome) -> Result<(), String> {
    let expected = brute(system, SIDES, OTHERS);
    let solution = match (outcome, &expected) {
        (RankOutcome::TooHard(why), _) => return Err(format!("gave up: {why}")),
        (RankOutcome::Infeasible(_), None) => return Ok(()),
        (RankOutcome::Infeasible(_), Some(found)) => return Err(format!("missed {:?}", found.optima)),
        (RankOutcome::Solved(solution), _) => solution,
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
    check_outcome(system, options, &solve(system, options));
}

fn check_outcome(system: &System, options: &Options, outcome: &RankOutcome) {
    if let Err(why) = agrees(system, outcome) {
        let fixture = remora::rank::text::Fixture { system: system.clone(), ..Default::default() };
        panic!("{why}\n{options:?}\n{}", remora::rank::text::print(&fixture));
    }
}

/// So many cases, or a share of `CASES` for a long run.
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("CASES").ok().and_then(|text| text.parse::<u32>().ok());
    let cases = asked.map_or(usual, |asked| (asked / 3000 * usual).max(usual));
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn small_systems_agree_with_brute_force(seed in 1u64..u64::MAX) {
        let system = small(&mut Random(seed));
        check(&system, &Options::default());
        check(&system, &with(Method::Exact));
    }
}

/// Systems that once were answered wrongly, or not at all.
#[test]
fn seeds_that_failed_agree_with_brute_force() {
    for seed in [8658533383777807781, 550591143736987186, 5317124844404111067, 13652678930219851520] {
        let system = small(&mut Random(seed));
        for options in [Options::default(), with(Method::Exact), with(Method::Ilp), eliminated()] {
            check(&system, &options);
        }
    }
}

/// Whether the integer program solver was stopped, within its limit on steps, and says so; what it decides is right.
fn is_beyond_the_solver(system: &System, options: &Options) -> bool {
    match solve(system, options) {
        RankOutcome::TooHard(TooHard::SolverLimit) => true,
        outcome => {
            check_outcome(system, options, &outcome);
            false
        }
    }
}

/// The integer program solver alone would need ten seconds for these. The search decides, by default too.
#[test]
fn systems_beyond_the_limit_of_the_integer_program_solver_are_decided_by_the_search() {
    for seed in [11145917242112024175, 4619827227537084048] {
        let system = small(&mut Random(seed));
        check(&system, &Options::default());
        check(&system, &with(Method::Exact));
        for options in [with(Method::Ilp), eliminated()] {
            is_beyond_the_solver(&system, &options);
        }
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn the_integer_program_agrees_with_brute_force(seed in 1u64..u64::MAX) {
        // One in some ten thousand is beyond the solver; the search decides it.
        static SYSTEMS: AtomicUsize = AtomicUsize::new(0);
        static BEYOND: AtomicUsize = AtomicUsize::new(0);
        let system = small(&mut Random(seed));
        let systems = SYSTEMS.fetch_add(1, Ordering::Relaxed);
        if is_beyond_the_solver(&system, &with(Method::Ilp)) {
            check(&system, &Options::default());
            check(&system, &with(Method::Exact));
            let beyond = BEYOND.fetch_add(1, Ordering::Relaxed);
            assert!(beyond <= systems / 1000, "{beyond} of {systems} systems are beyond the integer program solver");
        }
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn elimination_agrees_with_brute_force(seed in 1u64..u64::MAX) {
        let system = small(&mut Random(seed));
        check(&system, &eliminated());
    }
}

/// Elimination even where branching would do, and no integer program.
fn eliminated() -> Options {
    Options { exact_sites: 0, use_ilp: false, ..Options::default() }
}

#[test]
fn elimination_of_chains_agrees_with_branching_and_the_integer_program() {
    for seed in 1..=60 {
        let random = &mut Random(seed * 7919);
        let system = chain(1 + seed as usize % 4, random);
        let found = solved(&system, &eliminated());
        let branched = solved(&system, &Options { exact_nodes: 1_000_000, ..with(Method::Exact) });
        let mut optima = [&found, &branched].map(whole_optima);
        optima.iter_mut().for_each(|all| all.sort());
        assert_eq!((&found.values, found.cost, &optima[0]), (&branched.values, branched.cost, &optima[1]), "seed {seed}");
        if seed % 4 == 0 {
            assert_eq!(found.cost, solved(&system, &Options { max_optima: 1, ..with(Method::Ilp) }).cost, "seed {seed}");
        }
    }
}

#[test]
fn long_chains_of_open_lambdas_are_eliminated() {
    let system = chain(300, &mut Random(11));
    let solution = timed("a chain of lambdas", &system);
    let order: Vec<usize> = (0..system.kinds.len()).collect();
    let shuffled = permuted(&system, &order, &Random(5).permutation(system.equations.len()));
    let again = timed("the same shuffled", &shuffled);
    assert_eq!((solution.values, solution.components), (again.values, again.components));
}

/// Solves and checks in exact arithmetic; the time is printed.
fn timed(name: &str, system: &System) -> remora::rank::Solution {
    let start = Instant::now();
    let solution = solved(system, &Options::default());
    let time = start.elapsed().as_secs_f64();
    println!("{name}: {time:.3} s, {:?}, cost {}, {} ambiguous", solution.stats, solution.cost, solution.components.len());
    assert!(verify(system, &solution.values));
    solution
}

#[test]
fn known_ranks_are_decided_by_presolve() {
    for lets in [2_150, 43_000] {
        let system = program(&Program { lets, lambdas: 0, rank: 2 }, &mut Random(7));
        let solution = timed("known ranks", &system);
        assert_eq!((solution.stats.undecided, solution.stats.ilp_solves), (0, 0));
    }
}

#[test]
fn open_lambdas_are_taken_apart() {
    for (lambdas, seed) in [(6, 7), (12, 8), (25, 7), (25, 9)] {
        let system = program(&Program { lets: 1_950, lambdas, rank: 2 }, &mut Random(seed));
        timed("open lambdas", &system);
    }
}

#[test]
fn large_systems_agree_with_the_integer_program() {
    for seed in 1..6 {
        let system = program(&Program { lets: 30, lambdas: 25, rank: 2 }, &mut Random(seed * 31));
        let expected = solved(&system, &Options { max_optima: 1, ..with(Method::Ilp) });
        let found = solved(&system, &Options::default());
        assert_eq!(found.cost, expected.cost);
    }
}

#[test]
fn independent_ambiguities_are_small_questions() {
    let mut system = System::new();
    for tag in 0..400 {
        // sum (length xss)
        let a = system.var(VarKind::Type);
        let (m, r) = system.site(LinExpr::zero(), tag);
        system.equate(LinExpr::var(m).plus_var(a).plus(1), LinExpr::var(r).plus(2), tag);
        let (m2, r2) = system.site(LinExpr::zero(), tag);
        system.equate(LinExpr::var(m2).plus(1), LinExpr::var(r2).plus_var(m), tag);
    }
    let solution = timed("400 ambiguities", &system);
    assert_eq!(solution.components.len(), 400);
    assert!(solution.components.iter().all(|component| component.optima.len() == 2 && component.complete));
    assert_eq!(solution.stats.ilp_solves, 0);
}

#[test]
fn one_error_in_a_large_system_is_found() {
    let mut system = program(&Program { lets: 2_000, lambdas: 0, rank: 2 }, &mut Random(3));
    let (m, r) = system.site(LinExpr::zero(), 0);
    system.equate(LinExpr::var(m), LinExpr::var(r).plus(1), 0);
    system.equate(LinExpr::var(m), LinExpr::zero(), 0);
    let start = Instant::now();
    let RankOutcome::Infeasible(conflict) = solve(&system, &Options::default()) else { panic!("not infeasible") };
    println!("conflict: {:.3} s, {conflict:?}", start.elapsed().as_secs_f64());
    let last = system.equations.len();
    assert_eq!((conflict.equations, conflict.sites), (vec![last - 2, last - 1], vec![]));
}

#[test]
fn eight_threads_get_the_same_right_answers() {
    let systems: Vec<System> = (1..9).map(|seed| program(&Program { lets: 12, lambdas: 30, rank: 2 }, &mut Random(seed * 77))).collect();
    let method = |at: usize| if at.is_multiple_of(2) { Options { max_optima: 2, ..with(Method::Ilp) } } else { Options::default() };
    let answers = |system: &System| (0..2).map(|at| solved(system, &method(at)).cost).collect::<Vec<_>>();
    let expected: Vec<Vec<u64>> = systems.iter().map(answers).collect();
    std::thread::scope(|scope| {
        for turn in 0..8 {
            let (systems, expected) = (&systems, &expected);
            scope.spawn(move || {
                for step in 0..systems.len() {
                    let at = (turn + step) % systems.len();
                    assert_eq!(answers(&systems[at]), expected[at]);
                }
            });
        }
    });
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn the_order_of_equations_and_the_numbers_of_variables_do_not_matter(seed in 1u64..u64::MAX) {
        let mut random = Random(seed);
        let system = small(&mut random);
        let order: Vec<usize> = (0..system.kinds.len()).collect();
        let shuffled = permuted(&system, &order, &random.permutation(system.equations.len()));
        let renumbered = permuted(&system, &random.permutation(system.kinds.len()), &random.permutation(system.equations.len()));
        // Branching recurses; the compiler gives it a large stack.
        let solve = |system: &System| solve(system, &Options::default());
        let [first, second, third] = with_big_stack(|| [&system, &shuffled, &renumbered].map(solve));
        let infeasible = |outcome: &RankOutcome| matches!(outcome, RankOutcome::Infeasible(_));
        match (first, second, third) {
            (RankOutcome::Solved(a), RankOutcome::Solved(b), RankOutcome::Solved(c)) => {
                prop_assert_eq!((&a.values, a.cost, &a.components), (&b.values, b.cost, &b.components));
                // Ranks of types that are equally good may differ when their variables have other numbers.
                let optima = |solution: &remora::rank::Solution| {
                    solution.components.iter().map(|c| (c.sites.clone(), c.optima.clone(), c.complete)).collect::<Vec<_>>()
                };
                prop_assert_eq!((a.cost, sides(&system, &a.values), optima(&a)), (c.cost, sides(&renumbered, &c.values), optima(&c)));
            }
            (a, b, c) => prop_assert!([&a, &b, &c].into_iter().all(infeasible), "{a:?} {b:?} {c:?}"),
        }
    }

    #[test]
    fn the_reader_is_total(text in "(type|site|eq|expect|optimum|conflict|[a-c0-9=+*# -]|frame|cost|\\PC|\n){0,80}") {
        if let Ok(fixture) = remora::rank::text::parse(&text) {
            let printed = remora::rank::text::print(&fixture);
            let again = remora::rank::text::parse(&printed);
            prop_assert_eq!(again, Ok(fixture));
        }
    }

    #[test]
    fn the_reader_takes_any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = remora::rank::text::parse_bytes(&bytes);
    }
}
