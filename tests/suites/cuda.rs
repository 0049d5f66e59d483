//! The corpus and the examples, compiled for CUDA and run by a device that is played by the processor (`tests/support/shim`): the kernels and the host
//! plan are those that a GPU would get. Threads run in an order that changes all the time; for the traps and the programs about compiled code also in order, as
//! in the evaluators of kernels, and for the traps changing at each access to memory, which are watched then (`tests/support/shim`). The C++ compiler optimises kernels where they are watched only: elsewhere most of the
//! time of these tests would be its.

use crate::support::programs::{self, ALL, Source};
use crate::support::shim;
use libtest_mimic::{Failed, Trial};
use std::path::Path;
use std::process::Command;

pub fn trials() -> Vec<Trial> {
    let sources = programs::programs(ALL).into_iter().filter(|source| !programs::is_explicit(&source.name));
    sources.map(|Source { name, .. }| Trial::test(format!("cuda::{name}"), move || agrees(&name))).collect()
}

/// Whether a program has the results that are written in it, with each order of threads.
fn agrees(name: &str) -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shim");
    let (library, device) = (shim::runtime()?, shim::device()?);
    let schedules = [(None, false), (Some("7"), false), (Some("7"), true)];
    let watches = name.starts_with("tests/data/corpus/traps");
    let orders = watches || name.starts_with("tests/data/corpus/compiled");
    let wanted = |(seed, watched): &(Option<&str>, bool)| (seed.is_some() || orders) && (watches || !watched);
    for (seed, watched) in schedules.into_iter().filter(wanted) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.env("REMORA_CACHE", folder.join("cache")).env("REMORA_CFLAGS", "-O0").env("REMORA_DEVICE", &device);
        command.env("REMORA_SHIM_HEADER", root.join("tests/support/shim/shim.h")).env("REMORA_SHIM_LIBRARY", &library);
        command.env("REMORA_SHIM_FOLDER", &folder).envs(seed.map(|seed| ("REMORA_SHIM_SEED", seed)));
        command.envs(watched.then_some(("REMORA_SHIM_WATCH", "1"))).envs((!watches).then_some(("REMORA_SHIM_CFLAGS", "-O0")));
        let output = command.current_dir(root).args(["test", "--exact", "--backend", "cuda"]).arg(name).output()?;
        if !output.status.success() {
            let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            return Err(format!("seed {seed:?}, watched {watched}: {}\n{out}{err}", output.status).into());
        }
    }
    Ok(())
}
