//! What a pass breaks is found by the validator behind it, and reported as an internal error that names the pass; nothing falls back.

use std::process::Command;

const PROGRAM: &str = "entry main [n] (xs: [n]f64) : f64 = reduce (+) 0 (map f64.sqrt (xs * xs + 1))\n";

/// The exit code and the messages of a command whose pipeline has a fault in this step.
fn broken(step: &str, args: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("main.rem"), PROGRAM).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    command.current_dir(folder.path()).args(args).env("REMORA_FAULT", step).env_remove("RUST_BACKTRACE");
    let output = command.env("REMORA_CACHE", folder.path().join("cache")).env("REMORA_CFLAGS", "-O0").output().expect("it starts");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

fn is_blamed(step: &str, args: &[&str]) {
    let (code, messages) = broken(step, args);
    let blame = format!("error[E0901]: internal error in the pass `{step}`");
    assert!(code == Some(3) && messages.contains(&blame) && messages.contains("please report it"), "{step}: {code:?}\n{messages}");
    assert!(!messages.contains("the evaluator runs this program"), "{step}: {messages}");
}

#[test]
fn faults_in_passes_for_processors_are_blamed_on_them() {
    for step in [
        "specialise",
        "inline",
        "simplify",
        "dead code",
        "fuse",
        "hoist",
        "in place",
        "renumber",
        "lower",
        "lanes",
        "multiple accumulators",
        "schedule",
    ] {
        is_blamed(step, &["run", "main.rem", "--backend", "auto", "[1, 2]"]);
    }
}

#[test]
fn faults_in_passes_for_devices_are_blamed_on_them() {
    for step in ["inline all", "common subexpressions", "flatten", "coalesce", "lower kernels", "products"] {
        is_blamed(step, &["dump", "main.rem", "--stage", "cuda"]);
    }
}

#[test]
fn faults_in_checking_are_blamed_on_its_steps() {
    for step in ["resolve", "infer", "ambiguity", "elaborate", "cases", "derive", "consume", "entries", "folds"] {
        is_blamed(step, &["run", "main.rem", "--backend", "auto", "[1, 2]"]);
    }
}

#[test]
fn without_a_fault_it_runs() {
    assert_eq!(broken("none", &["run", "main.rem", "[1, 2]"]).0, Some(0));
}
