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

