//! The theorems about core as properties of generated terms.

mod terms;

use proptest::prelude::*;
use remora::ir::core::equal::equal;
use remora::ir::core::print;
use terms::laws;

/// The number of generated terms; `REMORA_TERMS` sets another, for long runs.
fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("REMORA_TERMS").ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..120)
}

fn checked(result: Result<(), String>) -> Result<(), TestCaseError> {
    result.map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(cases(5000))]

    #[test]
    fn generated_terms_are_well_typed(choices in choices()) {
        let (term, ty) = terms::term(&choices);
        let found = laws::type_of(&term).map_err(TestCaseError::fail)?;
        prop_assert!(equal(&ty, &found), "{} is not {}:\n{}", print::ty(&found), print::ty(&ty), print::expr(&term));
    }
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn preservation(choices in choices()) {
        let (term, _) = terms::term(&choices);
        checked(laws::lockstep(&term, true).map(|_| ()))?;
    }
}

proptest! {
    #![proptest_config(cases(10_000))]

    #[test]
    fn lockstep(choices in choices()) {
        let (term, _) = terms::term(&choices);
        checked(laws::lockstep(&term, false).and_then(|walk| laws::agreement(&term, &walk)))?;
    }
}


#[test]
#[ignore]
fn profile() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use std::time::{Duration, Instant};
    let mut runner = TestRunner::deterministic();
    let mut t = [Duration::ZERO; 5];
    let mut u = [Duration::ZERO; 5];
    let (mut steps, mut max, mut size) = (0, 0, 0);
    let n = 200;
    let mut worst = Vec::new();
    for _ in 0..n {
        let c = choices().new_tree(&mut runner).unwrap().current();
        let s = Instant::now();
        let (term, _) = terms::term(&c);
        t[0] += s.elapsed();
        let s = Instant::now();
        laws::type_of(&term).unwrap();
        t[1] += s.elapsed();
        let s = Instant::now();
        laws::erased(&term).unwrap();
        t[2] += s.elapsed();
        size += print::expr(&term).len();
        let s = Instant::now();
        let walk = laws::lockstep(&term, false).unwrap();
        t[3] += s.elapsed();
        {
            use remora::step::{typed, erased, Step};
            let mut e = term.clone();
            let s = Instant::now();
            let mut all = vec![e.clone()];
            while let Step::Next(n, _) = typed::step(&e) { e = n; all.push(e.clone()); }
            u[0] += s.elapsed();
            let s = Instant::now();
            let er: Vec<_> = all.iter().map(|e| laws::erased(e).unwrap()).collect();
            u[1] += s.elapsed();
            let s = Instant::now();
            for e in &er { let _ = erased::step(e); }
            u[2] += s.elapsed();
            let s = Instant::now();
            for e in &er { assert!(remora::ir::erased::equal::equal(e, e)); }
            u[3] += s.elapsed();
            let s = Instant::now();
            for e in &er { let _ = remora::ir::erased::validate::validate_expr(e); }
            u[4] += s.elapsed();
        }
        worst.push((s.elapsed(), walk.steps));
        steps += walk.steps;
        max = max.max(walk.steps);
        let s = Instant::now();
        let _ = laws::agreement(&term, &walk);
        t[4] += s.elapsed();
    }
    worst.sort();
    println!("{u:?}\n{t:?} steps {steps} max {max} size {} worst {:?}", size / n, &worst[worst.len() - 12..]);
}
