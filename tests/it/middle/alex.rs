//! What the programs of Alex are promised of storage: how many arrays compiled programs make.

use remora::base::{Symbol, with_big_stack};
use remora::cli::program::load;
use remora::driver;
use remora::ir::imp::print;
use std::path::Path;

/// How many arrays an entry point makes: those that it allocates, and results that are copies of what is not its own. What the pieces of a sum
/// come to is not counted.
fn arrays(file: &str, entry: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/alex").join(file);
    let (file, entry) = (path, entry.to_string());
    with_big_stack(move || {
        let loaded = load(&file).unwrap_or_else(|error| panic!("{}", error.message));
        let program = driver::memory(&loaded.sources, &loaded.checked, &[Symbol::new(&entry)]);
        let text = print::program(&program.unwrap_or_else(|error| panic!("{}", error.message)));
        let allocated = |line: &str| line.trim_start().starts_with("alloc ") && !line.contains("alloc @partial");
        let made = |line: &&str| allocated(line) || line.contains("give ") && line.contains("from ()");
        text.lines().filter(made).count()
    })
}

#[test]
fn reversals_make_one_array() {
    assert_eq!(arrays("recursion.rem", "reversed"), 1);
    assert_eq!(arrays("recursion.rem", "reversed_rows"), 1);
    // The argument is returned beside it, as a copy.
    assert_eq!(arrays("recursion.rem", "swapped"), 2);
}

#[test]
fn what_is_between_is_not_made() {
    // An inner product and a determinant make none, a sum of two arrays makes its result.
    assert_eq!(arrays("basics.rem", "inner_product"), 0);
    assert_eq!(arrays("basics.rem", "triangular_determinant"), 0);
    for entry in ["vector_sum", "hoisted", "same", "sum_behind", "shifted", "larger", "along_plane"] {
        assert_eq!(arrays("basics.rem", entry), 1, "{entry}");
    }
}
