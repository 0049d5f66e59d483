//! NVIDIA's compilers take the device library; what its functions take of a multiprocessor is in `tests/data/cuda/library.txt`.

use crate::support::programs::Source;
use crate::support::{cuda, programs, shim};
use rayon::prelude::*;
use std::process::{Command, Stdio};

/// The kernels of the programs in a folder, with their names; programs that are refused or that no device runs are left out.
fn kernels(folder: &str) -> Vec<(String, String)> {
    let sources = programs::programs(&[folder]);
    let texts = sources.par_iter().filter_map(|Source { path, .. }| {
        let output = Command::new(env!("CARGO_BIN_EXE_remora")).args(["dump", "--stage", "cuda"]).arg(path).output().ok()?;
        let text = String::from_utf8(output.stdout).ok().filter(|text| output.status.success() && text.contains("REMORA_ENTRY(remora_"))?;
        Some((path.file_stem()?.to_str()?.to_string(), text))
    });
    texts.collect()
}

#[test]
fn kernels_of_the_benchmarks_stay_in_registers() {
    // Whole programs are compiled with the corpus; this table is of the benchmarks.
    let mut texts = kernels("examples");
    let programs: Vec<String> = kernels("examples/programs").into_iter().map(|(_, text)| text).collect();
    // Those of Alex and documents are no benchmarks.
    texts.retain(|(name, text)| !programs.contains(text) && !["basics", "recursion", "damping"].contains(&name.as_str()));
    assert!(texts.len() >= 18, "{}", texts.len());
    let Some(rows) = cuda::check_table("benchmarks", &texts, 6) else { return };
    for (name, row) in &rows {
        assert!(row.spill_stores == 0 && row.spill_loads == 0, "{name}: {row:?}");
    }
}

/// What the kernels of a derivative take, beside those of its program: `primal` and `derivative` in the names.
#[test]
fn kernels_of_derivatives_beside_those_of_their_programs() {
    let texts = kernels("benches/derivatives");
    assert!(texts.len() >= 16, "{}", texts.len());
    let Some(rows) = cuda::check_table("derivatives", &texts, 64) else { return };
    for of in ["_primal_", "_derivative_"] {
        assert!(rows.iter().filter(|(_, row)| row.kernel.contains(of)).count() >= 32, "{of}");
    }
}

#[test]
fn kernels_of_the_corpus_compile_for_real_machines() {
    // NVRTC compiles one text at a time in a process, so two processes share the work: the second is given the texts in a file.
    let share = std::env::var("SHARE").ok();
    let texts: Vec<(String, String)> = if let Some(file) = &share {
        serde_json::from_slice(&std::fs::read(file).expect("the texts")).expect("the texts")
    } else {
        let mut texts = kernels("tests/data/corpus");
        texts.extend(kernels("examples/programs"));
        texts
    };
    assert!(texts.len() >= 80, "{}", texts.len());
    let kernels = cuda::Kernels::of(&texts);
    let (count, different) = (kernels.count, kernels.different());
    assert!(count >= 4000 && different >= 1000 && different < count, "{count} kernels, {different} different");
    let folder = tempfile::tempdir().expect("a folder");
    let other = (share.is_none() && cuda::compilers().is_some()).then(|| {
        let file = folder.path().join("texts.json");
        std::fs::write(&file, serde_json::to_vec(&texts).expect("JSON")).expect("written");
        let test = ["back::cuda::compile::kernels_of_the_corpus_compile_for_real_machines", "--exact", "--nocapture"];
        let mut command = Command::new(std::env::current_exe().expect("its path"));
        command.args(test).env("SHARE", file).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    });
    let compiled = kernels.compile(usize::from(share.is_some()));
    let Some(other) = other else { return };
    let output = other.wait_with_output().expect("it ends");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}{err}");
    // The sample is there, whatever is known already.
    assert!(compiled.is_some_and(|compiled| compiled >= different / 64), "{compiled:?} of {different}");
    kernels.keep();
}

#[test]
fn the_device_library_compiles_for_real_machines() {
    let texts = [("library".to_string(), shim::library() + &shim::read("tests/support/shim/library.cu"))];
    let Some(rows) = cuda::check_table("library", &texts, 6) else { return };
    // A few bytes are no harm; a library function that lives in memory is.
    for (_, row) in &rows {
        assert!(row.spill_stores <= 16 && row.registers <= 128, "{row:?}");
    }
}

#[test]
fn what_is_wrong_is_refused() {
    let Some(compilers) = cuda::compilers() else { return };
    let problem = |text: &str| compilers.compile("wrong", text).expect_err("refused");
    let refused = problem("extern \"C\" __global__ void k(float *x) { x[0] = y; }");
    assert!(refused.contains("wrong.cu(1): error: identifier \"y\" is undefined"), "{refused}");
    // PTX that no machine takes: more shared memory than there is.
    let refused = problem(
        "extern \"C\" __global__ void k(float *x) { __shared__ float s[100000]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[5]; }",
    );
    assert!(refused.contains("ptxas, sm_"), "{refused}");
    // Registers that do not suffice are counted.
    let text =
        "extern \"C\" __global__ void __launch_bounds__(1024, 2) k(double *x) { double v[64]; for (int k = 0; k < 64; k++) { v[k] = x[k]; }
        __syncthreads(); for (int j = 0; j < 3; j++) { for (int k = 0; k < 64; k++) { v[k] = v[k] * v[(k * 7 + 1) % 64] + x[k + j]; } }
        for (int k = 0; k < 64; k++) { x[k] = v[k]; } }";
    let rows = compilers.compile("spills", text).expect("accepted");
    assert!(rows.len() == 2 && rows[0].machine == "sm_80" && rows[0].registers <= 32 && rows[0].spill_stores > 0, "{rows:?}");
}
