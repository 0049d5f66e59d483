//! The theorems about core as properties of generated terms.

use crate::support::laws::{self, End, Walk};
use crate::support::terms::{self, Open};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use remora::ir::core::equal::equal;
use remora::ir::core::free::FreeVars;
use remora::ir::core::{self, Expr, Index, print};
use remora::theory::erase;
use remora::theory::erased;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The number of generated terms; `REMORA_TERMS` sets another, for long runs.
fn cases(default: u32) -> ProptestConfig {
    let cases = std::env::var("REMORA_TERMS").ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

fn choices() -> impl Strategy<Value = Vec<u16>> {
    prop::collection::vec(any::<u16>(), 0..120)
}

fn checked<T>(result: Result<T, String>) -> Result<T, TestCaseError> {
    result.map_err(TestCaseError::fail)
}

/// Erasure and substitution of values, indices and types commute.
fn substitution(open: &Open) -> Result<(), String> {
    let show = || format!("{}\nwith {} for t", print::expr(&open.body), print::atom(&open.atom.1));
    let trouble = |what: &str| format!("{what}:\n{}", show());
    let mut typed = core::closing::Closing::default();
    let mut below = erased::subst::Closing::default();
    typed.index(open.size.0, Index::Dim(open.size.1.clone()));
    below.index(open.size.0, Index::Dim(open.size.1.clone()));
    typed.index(open.shape.0, Index::Shape(open.shape.1.clone()));
    below.index(open.shape.0, Index::Shape(open.shape.1.clone()));
    typed.atom(open.atom.0, open.atom.1.clone());
    for ((name, _), value) in open.variables.iter().zip(&open.values) {
        typed.term(*name, value.clone());
        below.term(*name, laws::erased(value)?);
    }
    let first = erase::open_expr(&open.variables, &open.body).map_err(|error| trouble(&error.message))?;
    let first = below.expr(&first).map_err(|_| trouble("too large"))?;
    let put = typed.expr(&mut FreeVars::default(), &open.body).map_err(|_| trouble("too large"))?;
    laws::type_of(&put)?;
    let second = laws::erased(&put)?;
    if erased::equal::equal(&first, &second) {
        return Ok(());
    }
    Err(format!("{}\n{}\nand\n{}", show(), erased::print::expr(&first), erased::print::expr(&second)))
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn generated_terms_are_well_typed(choices in choices()) {
        let (term, ty) = terms::term(&choices);
        let found = laws::type_of(&term).map_err(TestCaseError::fail)?;
        prop_assert!(equal(&ty, &found), "{} is not {}:\n{}", print::ty(&found), print::ty(&ty), print::expr(&term));
    }
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn preservation(choices in choices()) {
        let (term, _) = terms::term(&choices);
        let walk = checked(laws::lockstep(&term, true))?;
        if let End::Value(value) = &walk.end {
            checked(laws::type_of(&term).and_then(|ty| laws::canonical(value, &ty)))?;
        }
    }

    #[test]
    fn types_are_unique(choices in choices()) {
        checked(laws::unique_type(&terms::term(&choices).0))?;
    }

    #[test]
    fn erasure_commutes_with_substitution(choices in choices()) {
        checked(substitution(&terms::open(&choices)))?;
    }
}

/// How often something occurred.
type Count = BTreeMap<String, usize>;

/// What occurred in all runs.
#[derive(Default)]
struct Counts {
    forms: Count,
    rules: Count,
    ends: Count,
}

const FORMS: &str = "array frame fn i-fn t-fn let if loop for while map rep tuple proj rec field inject is payload box unbox reify-dimension reify-shape \
    coerce assert index slice slice_step update update_slice iota range range_upto range_downto range_through reduce reduce_comm scan \
    filter scatter hist reduce_by_index transpose flatten unflatten concat reverse rotate equal notequal shape_iota recycle lift_shape subarray \
    scatter_new";

impl Counts {
    fn add(&mut self, term: &Expr, walk: &Walk) {
        let text = print::expr(term);
        for word in text.split(|c: char| " ()[]{}\n|".contains(c)).filter(|word| FORMS.split_whitespace().any(|form| form == *word)) {
            *self.forms.entry(word.to_string()).or_default() += 1;
        }
        for (rule, times) in &walk.rules {
            *self.rules.entry(format!("{rule:?}")).or_default() += times;
        }
        let end = match &walk.end {
            End::Value(_) => "value",
            End::Stuck(stuck) => stuck.code.number(),
            End::Unfinished => "unfinished",
        };
        *self.ends.entry(end.to_string()).or_default() += 1;
    }
}

/// Checks all cases on as many threads as there are processors, each with a seed of its own.
fn in_parallel(config: &ProptestConfig, check: impl Fn(Vec<u16>) -> Result<(), TestCaseError> + Sync) {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8) as u32;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let seed = match config.rng_seed {
                RngSeed::Fixed(seed) => RngSeed::Fixed(seed.wrapping_add(thread.into())),
                RngSeed::Random => RngSeed::Random,
            };
            let config = ProptestConfig { cases: config.cases.div_ceil(threads), rng_seed: seed, ..config.clone() };
            let check = &check;
            scope.spawn(move || {
                if let Err(error) = TestRunner::new(config).run(&choices(), check) {
                    panic!("seed {seed:?}: {error}");
                }
            });
        }
    });
}

/// Lockstep, progress and the agreement of all evaluators. The generator reaches every form of core, the machines every rule, and
/// runs end in all ways: otherwise this would say little.
#[test]
fn lockstep() {
    let counts = Mutex::new(Counts::default());
    in_parallel(&cases(10_000), |choices| {
        let (term, _) = terms::term(&choices);
        let walk = checked(laws::lockstep(&term, false))?;
        checked(laws::agreement(&term, &walk))?;
        counts.lock().expect("no panic").add(&term, &walk);
        Ok(())
    });
    let Counts { forms, rules, ends } = counts.into_inner().expect("no panic");
    println!("{forms:?}\n{rules:?}\n{ends:?}");
    let total: usize = ends.values().sum();
    if total < 10_000 {
        return;
    }
    let missing: Vec<&str> = FORMS.split_whitespace().filter(|form| !forms.contains_key(*form)).collect();
    assert!(missing.is_empty(), "forms that never occur: {missing:?}");
    assert_eq!(rules.len(), 20, "{rules:?}");
    for code in ["E0501", "E0503", "E0504", "E0505", "E0506"] {
        assert!(ends.contains_key(code), "no run ends in {code}: {ends:?}");
    }
    assert!(ends["value"] * 10 > total * 7 && ends.get("unfinished").is_none_or(|n| n * 50 < total), "{ends:?}");
}
