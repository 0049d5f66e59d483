//! Generated programs (those of the properties of AUTOMAP) give the same values in the evaluator of core, in that of specialised programs
//! and compiled. `CASES=N` asks for so many programs, `SEED=N` for others.

use crate::support::batch::{Batch, Verdict};
use crate::support::generate::helpers::{Style, case};
use remora::base::with_big_stack;
use remora::cli::values::show;
use remora::runtime::Value;
use std::fmt::Write;
use std::process::Command;

/// Programs in one file.
const TOGETHER: u64 = 60;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn shown(value: &Value) -> String {
    show(value).trim_end().replace('\n', " ")
}

/// A file with those of the programs that are accepted, with what the evaluator says in comments; how many they are.
fn file(first: u64) -> (String, usize) {
    let cases: Vec<_> = (first..first + TOGETHER).map(|seed| case(seed, Style::Usual)).collect();
    let texts: Vec<String> = cases.iter().enumerate().map(|(at, case)| case.print(&format!("_{at}")).text).collect();
    let batch = Batch::new(&texts);
    let machine = batch.machine();
    let (mut out, mut count) = (String::new(), 0);
    for (at, case) in cases.iter().enumerate().filter(|(at, _)| batch.verdict(*at) == Verdict::Accepted) {
        let Some(args) = batch.arguments(at, &case.args) else { continue };
        let input: Vec<String> = args.iter().map(shown).collect();
        let Some(result) = batch.run(&machine, at, args) else { continue };
        let wanted = match &result {
            Ok(value) => format!("output {{ {} }}", shown(value)),
            // Which of several failures counts is not fixed.
            Err(_) => "error: E05".into(),
        };
        let entry = format!("{}_{at}", case.entry().name);
        write!(out, "-- ==\n-- entry: {entry}\n-- input {{ {} }}\n-- {wanted}\n{}\n", input.join(" "), texts[at]).expect("written");
        count += 1;
    }
    (out, count)
}

#[test]
fn generated_programs_mean_the_same_compiled() {
    let (cases, first) = (number("CASES", 60), number("SEED", 0) << 32);
    let place = tempfile::tempdir().expect("a folder");
    let (mut done, mut next) = (0, first);
    while done < cases {
        let (text, count) = with_big_stack(|| file(next));
        assert!(count > 0, "seeds from {next} on: nothing is accepted");
        std::fs::write(place.path().join("generated.rem"), text).expect("written");
        for options in [&["soac"][..], &["cpu", "--threads", "2"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
            command.env("REMORA_CACHE", place.path().join("cache")).env("REMORA_CFLAGS", "-O1").current_dir(place.path());
            let output = command.args(["test", "--exact", "generated.rem", "--backend"]).args(options).output().expect("it starts");
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert!(output.status.success() && out.contains(&format!("{count} passed")), "seeds from {next} on, {options:?}:\n{out}{err}");
        }
        done += count as u64;
        next += TOGETHER;
    }
}
