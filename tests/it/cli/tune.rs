//! `remora tune`, and what reads its file.

use super::Place;
use crate::support::shim;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const PROGRAM: &str = "\
entry main [n] (xs: [n]f64) : f64 = f64.sum (f64.sqrt (xs * xs + 1))
entry none (x: i64) : i64 = x + 1
";

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn numbers_are_measured_and_kept() {
    let place = Place::new(&[("a.rem", PROGRAM), ("a.rem.tuning", "this is no tuning")]);
    let quick = ["--threads", "2", "--runs", "1", "--seconds", "0"];
    let tune = |more: &[&str]| place.ok(&[&["tune", "a.rem"], &quick[..], more].concat());

    // The file that is there does not count, and is written again whatever is found.
    let report: Value = serde_json::from_str(&tune(&["[1, 2, 3]", "--number", "chunks-each", "--json"])).expect("JSON");
    assert_eq!((&report["entry"], &report["backend"], &report["threads"]), (&"main".into(), &"cpu".into(), &2.into()));
    let [number] = report["numbers"].as_array().expect("a list").as_slice() else { panic!("{report}") };
    assert_eq!(number["name"], "chunks-each");
    let values: Vec<_> = number["times"].as_array().expect("a list").iter().map(|pair| pair[0].as_i64().unwrap_or_default()).collect();
    assert_eq!(values, [1, 2, 4, 8, 16, 32]);
    assert!(values.contains(&number["chosen"].as_i64().unwrap_or_default()));
    let written = read(&place, "a.rem.tuning");
    assert!(written.starts_with("# Written by `remora tune` for `main` (cpu, 2 threads)"), "{written}");
    let chosen = number["chosen"].as_i64().unwrap_or_default();
    assert_eq!(written.contains(&format!("chunks-each={chosen}\n")), chosen != 8, "{written}");

    // A program without parallel loops depends on nothing.
    let text = tune(&["-e", "none", "-3"]);
    assert!(text.contains("none of the numbers matters for it") && text.contains("nothing that was tried is faster"), "{text}");
}

#[test]
fn commands_read_the_file() {
    let place = Place::new(&[("a.rem", PROGRAM), ("a.rem.tuning", "# by hand\nchunk-work = 777\ndevice-threads=5\n")]);
    for args in [&["dump", "a.rem", "--stage", "c"][..], &["build", "a.rem", "--source", "-o", "a"]] {
        let text = place.ok(args);
        let text = if text.is_empty() { read(&place, "a.c") } else { text };
        assert!(text.starts_with("#define REMORA_CHUNK_WORK 777\n") || text.contains("\n#define REMORA_CHUNK_WORK 777\n"), "{args:?}");
    }
    assert_eq!(place.ok(&["run", "a.rem", "-e", "none", "1"]), "2i64\n");
    // What is built knows it.
    place.ok(&["build", "a.rem", "-o", "built"]);
    std::fs::remove_file(place.path().join("a.rem.tuning")).expect("it is there");
    assert!(!place.ok(&["dump", "a.rem", "--stage", "c"]).contains("REMORA_CHUNK_WORK 777"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new(&[("a.rem", PROGRAM), ("b.rem", PROGRAM), ("b.rem.tuning", "\nchunk-work=7\n")]);
    for command in ["run", "bench", "profile"] {
        place.refused(&[command, "b.rem", "-e", "none", "1"], &["E0604", "b.rem.tuning", "line 2", "from 100"]);
    }
    place.refused(&["tune", "a.rem", "[1]", "--number", "chunk"], &["E0618", "there is no number `chunk`"]);
    place.refused(&["tune", "a.rem", "[1]", "--backend", "interp"], &["E0618", "evaluator"]);
    place.refused(&["tune", "a.rem", "-e", "nothing"], &["E0611", "nothing"]);
    place.refused(&["tune", "a.rem", "--runs", "1"], &["main"]);
    place.refused(&["tune", "a.rem", "[1]", "--seconds", "-1"], &["E0618"]);
}

#[test]
fn a_device_is_tuned() {
    let place = Place::new(&[("a.rem", PROGRAM)]);
    let (library, device) = (shim::runtime().expect("a library"), shim::device().expect("a device"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    command.current_dir(place.path()).env("REMORA_CFLAGS", "-O0").env("REMORA_DEVICE", device).env("REMORA_SHIM_LIBRARY", library);
    command.env("REMORA_SHIM_FOLDER", Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim"));
    command.env("REMORA_SHIM_HEADER", Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/shim/shim.h"));
    command.args(["tune", "a.rem", "[1, 2, 3]", "--backend", "cuda", "--runs", "1", "--seconds", "0", "--json"]);
    let output = command.args(["--number", "cells", "--number", "chunk-work", "--number", "product-side"]).output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let numbers = report["numbers"].as_array().expect("a list");
    // The program has a reduction, and no product; the last number is one of processors.
    assert_eq!((&report["backend"], numbers.len()), (&"cuda".into(), 1), "{report}");
    assert!(numbers[0]["name"] == "cells" && numbers[0]["times"].as_array().is_some_and(|times| times.len() == 3), "{report}");
}
