//! `remora profile`.

use super::Place;
use serde_json::Value;

/// A product with columns and one with rows; a copy and updates in place; a fused map; a scatter, which one thread runs; a function that is called.
const PROGRAM: &str = "\
entry main [n][m] (a: [n][m]f64) (b: [m][n]f64) (k: i64) =
  let c = map (\\r -> map (\\s -> f64.sum (r * s)) (transpose b)) a
  let d = map (\\r -> let s = map (\\s -> f64.sum (r * s)) a in s / f64.maximum s) a
  let x = map f64.sum a
  let y = loop x = x for i < k do x with [i % n] = x[i % n] * 0.5
  let hits = scatter (replicate n 0) (map (\\i -> i * 7 % n) (iota n)) (iota n)
  in (c, d, x, y, hits)

entry fails (xs: []i64) = xs[3]

entry none (x: i64) = x + 1
";

const ARGS: [&str; 3] = ["[[1, 2, 3], [4, 5, 6]]", "[[1, 2], [3, 4], [5, 6]]", "5"];

/// The items of a list whose place is in this line.
fn at<'v>(report: &'v Value, list: &str, line: u64) -> Vec<&'v Value> {
    report[list].as_array().expect("a list").iter().filter(|item| item["at"]["line"] == line).collect()
}

#[test]
fn where_time_and_memory_go() {
    let place = Place::new(&[("a.rem", PROGRAM)]);
    let args: Vec<&str> = ["profile", "a.rem", "--threads", "2", "--runs", "2", "--json"].into_iter().chain(ARGS).collect();
    let report: Value = serde_json::from_str(&place.ok(&args)).expect("JSON");
    assert_eq!((&report["entry"], &report["threads"], &report["runs"]), (&"main".into(), &2.into(), &2.into()));

    // Times add up, and what is inside is not counted twice.
    let nests = report["nests"].as_array().expect("a list");
    let seconds = |value: &Value, name: &str| value[name].as_f64().unwrap_or_else(|| panic!("{name} of {value}"));
    let sum: f64 = nests.iter().map(|nest| seconds(nest, "self_seconds")).sum();
    assert!(sum > 0.0 && sum <= seconds(&report, "seconds"), "{report}");
    for nest in nests {
        assert!(seconds(nest, "self_seconds") <= seconds(nest, "total_seconds") + 1e-9, "{nest}");
        assert!(nest["parent"].as_u64().is_none_or(|parent| nests.iter().any(|other| other["id"] == parent)), "{nest}");
    }
    let kinds = |line: u64| at(&report, "nests", line).iter().map(|nest| nest["kind"].as_str().unwrap_or_default()).collect::<Vec<_>>();
    assert!(kinds(2).contains(&"product") && kinds(3).contains(&"product"), "{report}");
    let [repeated] = at(&report, "nests", 5).into_iter().filter(|nest| nest["kind"] == "loop").collect::<Vec<_>>()[..] else {
        panic!("{report}")
    };
    assert_eq!((&repeated["calls"], &repeated["threads"]), (&1.into(), &1.into()));

    // Two rows of two elements of 8 bytes are made, and one row is copied.
    let bytes = |list: &str, line: u64| at(&report, list, line).iter().filter_map(|item| item["bytes"].as_i64()).sum::<i64>();
    let [copy] = at(&report, "copies", 5)[..] else { panic!("{report}") };
    assert_eq!(
        (&copy["kind"], &copy["times"], &copy["elements"], &copy["bytes"]),
        (&"read-later".into(), &1.into(), &2.into(), &16.into())
    );
    assert_eq!(bytes("copies", 6), 16, "the replicated zeros get memory");
    assert!(at(&report, "arrays", 2).iter().any(|array| array["bytes"] == 32 && array["kind"] == "value" && array["elem"] == "f64"));

    // Reasons.
    let says = |line: u64, kind: &str, reason: &str| at(&report, "notes", line).iter().any(|n| n["kind"] == kind && n["reason"] == reason);
    assert!(says(2, "no-tiles", "few") && !says(2, "no-tiles", "not-alone"), "two rows are few");
    assert!(says(3, "no-tiles", "not-alone"));
    assert!(says(5, "one-thread", "iterations") && says(5, "in-place", "own"));
    assert!(says(6, "one-thread", "last-write"));
    assert!(says(6, "fused", "again") || says(6, "fused", "cells"), "the indices are computed where they are used");
    let words = |line: u64| at(&report, "notes", line).iter().map(|note| note["text"].as_str().unwrap_or_default()).collect::<String>();
    assert!(words(3).contains("more than the product is computed for each row"), "{}", words(3));

    // The same in words, from the same compiled program.
    let args: Vec<&str> = ["profile", "a.rem", "-e", "main", "--threads", "2", "-n", "1"].into_iter().chain(ARGS).collect();
    let text = place.ok(&args);
    for wanted in [
        "main: ",
        "(1 run, 2 threads)",
        "outside of these",
        "a.rem:5:",
        "each iteration needs what the one before made",
        "`x` is updated in place",
    ] {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
    assert_eq!(place.ok(&[&args[..], &["--format", "html", "-o", "page.html"]].concat()), "");
    let page = std::fs::read_to_string(place.path().join("page.html")).expect("a page");
    place.refused(&["profile", "a.rem", "-o", "a.rem"], &["E0603"]);
    assert!(page.contains("<div class=\"flame\">") && page.contains("let y = loop x = x for i &lt; k do x with"), "{page}");
    assert!(page.ends_with("</html>\n") && !page.contains("for i < k"), "{page}");
    assert!(text.contains("let y = loop x = x for i < k") && text.contains("its old elements are read later"), "{text}");
}

#[test]
fn what_cannot_be_profiled() {
    let place = Place::new(&[("a.rem", PROGRAM), ("bad.rem", "entry main = 1 + true\n")]);
    place.refused(&["profile", "bad.rem"], &["bad.rem:1:"]);
    place.refused(&["profile", "a.rem", "-e", "nothing"], &["E0611", "nothing"]);
    place.refused(&["profile", "a.rem", "[1]"], &["main"]);
    place.refused(&["profile", "a.rem", "-e", "fails", "[1, 2]", "--json"], &["E0501", "index 3 is out of bounds", "a.rem:9:"]);
    for wrong in [&["-n", "0"][..], &["--json", "--format", "html"], &["--threads", "0"], &["--backend", "cuda"]] {
        assert_eq!(place.run(&[&["profile", "a.rem"], wrong].concat()).code, Some(2), "{wrong:?}");
    }
    let text = place.ok(&["profile", "a.rem", "-e", "none", "-3"]);
    assert!(text.starts_with("none: ") && text.trim_end().ends_with("outside of these"), "{text}");
}
