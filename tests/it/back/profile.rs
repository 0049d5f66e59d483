//! Programs that measure themselves do what they did.

use remora::back::{lower, vectorise};
use remora::base::with_big_stack;
use remora::cli::program::load;
use remora::driver;
use remora::ir::imp;
use std::path::PathBuf;

/// Programs of the corpus with products, histograms, loops that carry arrays, copies, calls, complex numbers.
const PROGRAMS: &[&str] = &[
    "compiled/tiles",
    "compiled/products",
    "compiled/histograms",
    "compiled/filtering",
    "compiled/scans",
    "compiled/updates",
    "compiled/loops",
    "compiled/both_ways",
    "recursion/sorting",
    "complex/arrays",
];

/// What is printed of a program, without probes.
fn without_probes(program: &imp::Program) -> String {
    let text = imp::print::program(program);
    text.lines().filter(|line| !line.trim_start().starts_with("probe ")).fold(String::new(), |all, line| all + line + "\n")
}

fn same_but_for_probes(name: &str) -> usize {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/corpus").join(name).with_extension("rem");
    let loaded = load(&file).unwrap_or_else(|problem| panic!("{name}: {}", problem.message));
    let declared = loaded.checked.core.defs.iter().filter(|define| loaded.checked.declares_entry(define.name));
    let entries: Vec<_> = declared.map(|define| define.name).collect();
    let program =
        driver::optimise(&loaded.sources, &loaded.checked, &entries).unwrap_or_else(|problem| panic!("{name}: {}", problem.message));
    let plain = lower::lower(&program, lower::Options::default());
    let measuring = lower::profiled(&program, false);
    assert_eq!(without_probes(&plain), without_probes(&measuring), "{name}");
    let (plain, measuring) = (vectorise::vectorise(plain), vectorise::vectorise(measuring));
    assert_eq!(imp::check::validate(&measuring), Ok(()), "{name}");
    assert_eq!(without_probes(&plain), without_probes(&measuring), "{name}");
    imp::print::program(&measuring).lines().filter(|line| line.trim_start().starts_with("probe begin")).count()
}

#[test]
fn measuring_changes_nothing_else() {
    for name in PROGRAMS {
        let begun = with_big_stack(|| same_but_for_probes(name));
        assert!(begun > 0, "{name}: nothing is timed");
    }
}
