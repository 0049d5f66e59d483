//! Programs that measure themselves.

use remora::back::{lower, vectorise};
use remora::cli::program::load;
use remora::driver;
use remora::ir::imp;
use std::path::Path;

/// What is printed of a program, without probes.
fn without_probes(program: &imp::Program) -> String {
    let text = imp::print::program(program);
    text.lines().filter(|line| !line.trim_start().starts_with("probe ")).fold(String::new(), |all, line| all + line + "\n")
}

#[test]
fn what_is_measured_does_the_same() {
    let mut files = Vec::new();
    fn walk(dir: &Path, files: &mut Vec<std::path::PathBuf>) {
        for e in std::fs::read_dir(dir).unwrap() { let p = e.unwrap().path(); if p.is_dir() { walk(&p, files) } else if p.extension().is_some_and(|e| e == "rem") { files.push(p) } }
    }
    walk(Path::new("tests/data/corpus"), &mut files);
    walk(Path::new("examples"), &mut files);
    files.sort();
    remora::base::with_big_stack(move || {
    let mut n = 0;
    for file in files {
        let Ok(loaded) = load(&file) else { continue };
        if loaded.checked.failed() { continue }
        let entries: Vec<_> = loaded.checked.core.defs.iter().filter(|d| d.entry && d.span.file == loaded.root).map(|d| d.name).collect();
        if entries.is_empty() { continue }
        let Ok((native, recorded)) = driver::profile::compile_profiled(&loaded.sources, &loaded.checked, &entries, false) else { continue };
        let plain = lower::lower(&native.program, lower::Options::default());
        let mut profiled = lower::profiled(&native.program, false);
        imp::check::validate(&profiled).unwrap();
        if without_probes(&plain) != without_probes(&profiled) { println!("LOWER DIFFERS {}", file.display()); }
        let v = vectorise::vectorise(plain);
        profiled = vectorise::vectorise(profiled);
        imp::check::validate(&profiled).unwrap();
        if without_probes(&v) != without_probes(&profiled) { println!("VECTOR DIFFERS {}", file.display());
          std::fs::write(format!("/tmp/pfc/{n}.a"), without_probes(&v)).unwrap(); std::fs::write(format!("/tmp/pfc/{n}.b"), without_probes(&profiled)).unwrap(); }
        n += 1;
        std::fs::write(format!("/tmp/pfc/{n}.c"), native.text).unwrap();
        println!("{n} {} {}", file.display(), recorded.sites());
    }    });
}
