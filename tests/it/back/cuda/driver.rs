//! `--backend cuda` without a device, with a driver that is played (`tests/support/shim/fake.cpp`) and with all that can be wrong with it.

use crate::support::{cuda, shim};
use std::path::PathBuf;
use std::process::Command;

const PROGRAM: &str = "\
def main (xs: []f64) : f64 = f64.sum (xs * xs)
entry sums [n] (xs: [n]i64) : [n]i64 = scan (+) 0 xs
entry shout [n] (xs: [n]u8) : [n]u8 = map (\\x -> if x > 9 then x - 1 else x) xs
entry pick [n] (xs: [n]i64) (i: [n]i64) : [n]i64 = map (\\k -> xs[k]) i
entry many (n: i64) : [n]f64 = map f64.i64 (iota n)
entry grow (ks: []i64) : []i64 = map (\\k -> i64.sum (loop a = iota k for _i < k do scan (+) 0 a)) ks
entry back [n] (xs: [n]u8) : [n]u8 = reverse xs
";

/// A folder with a program and a cache of its own, and a driver.
struct Place {
    folder: tempfile::TempDir,
    environment: Vec<(&'static str, PathBuf)>,
}

struct Ran {
    good: bool,
    out: String,
    err: String,
}

impl Place {
    fn new(nvrtc: bool) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.rem"), PROGRAM).expect("written");
        Place { folder, environment: shim::fake(nvrtc).unwrap_or_else(|error| panic!("{error}")) }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    /// Runs `remora`; `wrong` is what is wrong with the driver.
    fn command(&self, wrong: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.current_dir(self.folder.path()).args(args).envs(self.environment.iter().map(|(name, value)| (*name, value)));
        command.env("REMORA_CACHE", self.path("cache")).env("REMORA_CFLAGS", "-O1").env("FAKE_CUDA", wrong).env_remove("REMORA_DEVICE");
        command.env("FAKE_CUDA_LOG", self.path("log"));
        command
    }
    fn run(&self, wrong: &str, args: &[&str]) -> Ran {
        let output = self.command(wrong, args).output().expect("remora starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { good: output.status.success(), out: text(&output.stdout), err: text(&output.stderr) }
    }
    #[track_caller]
    fn gives(&self, args: &[&str], expected: &str) {
        let ran = self.run("", args);
        assert!(ran.good && ran.out.trim() == expected, "{args:?}: expected {expected}, got\n{}{}", ran.out, ran.err);
    }
    #[track_caller]
    fn refuses(&self, wrong: &str, args: &[&str], texts: &[&str]) {
        let ran = self.run(wrong, args);
        assert!(!ran.good, "{wrong} is accepted:\n{}", ran.out);
        for text in texts {
            assert!(ran.err.contains(text), "{wrong}: no {text:?} in\n{}", ran.err);
        }
    }
    /// How often something is in the log, which begins again.
    fn count(&self, what: &str) -> usize {
        let log = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().filter(|line| line.starts_with(what)).count()
    }
    fn forget(&self) {
        std::fs::remove_file(self.path("log")).ok();
    }
    /// The machine code in the cache.
    fn codes(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path("cache")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path().join("program.cubin")).filter(|path| path.is_file()).collect()
    }
}

const MAIN: &[&str] = &["run", "a.rem", "--backend", "cuda", "[1.0, 2.0, 3.0]"];

#[test]
fn programs_run_on_the_device() {
    let place = Place::new(true);
    place.gives(MAIN, "14.0f64");
    assert_eq!((place.count("compile --gpu-architecture=sm_90 --std=c++17"), place.count("released, 0 allocations left")), (1, 1));
    // The second time nothing is compiled.
    place.forget();
    place.gives(MAIN, "14.0f64");
    assert_eq!((place.count("compile"), place.count("load")), (0, 1));
    // Damage is found, and what looks whole but is none of the driver's is made again.
    let codes = place.codes();
    assert_eq!(codes.len(), 1, "{codes:?}");
    std::fs::write(&codes[0], "damaged").expect("written");
    place.gives(MAIN, "14.0f64");
    assert_eq!(place.count("compile"), 1);

    let run = |entry: &'static str| ["run", "a.rem", "--backend", "cuda", "-e", entry];
    place.gives(&[&run("sums")[..], &["[1, 2, 3, 4]"]].concat(), "[1i64, 3i64, 6i64, 10i64]");
    place.gives(&[&run("shout")[..], &["[1u8, 20u8, 3u8, 200u8, 7u8]"]].concat(), "[1u8, 19u8, 3u8, 199u8, 7u8]");
    place.gives(&[&run("sums")[..], &["empty([0]i64)"]].concat(), "empty([0]i64)");
    // Failures in kernels name the place.
    place.refuses("", &[&run("pick")[..], &["[1, 2]", "[0, 7]"]].concat(), &["E05", "a.rem:4:", "7"]);
}

#[test]
fn products_of_matrices_are_computed_in_tiles() {
    let place = Place::new(true);
    let numbers = |rows: usize, columns: usize| -> String {
        let row = |i: usize| format!("[{}]", (0..columns).map(|k| format!("{}.0f32", (i * 7 + k * 3) % 11)).collect::<Vec<_>>().join(", "));
        format!("[{}]", (0..rows).map(row).collect::<Vec<_>>().join(", "))
    };
    let (a, b) = (numbers(200, 20), numbers(20, 170));
    std::fs::write(place.path("a"), a).expect("written");
    std::fs::write(place.path("b"), b).expect("written");
    let matmul = shim::read("examples/matmul/matmul.rem");
    std::fs::write(place.path("a.rem"), matmul).expect("written");
    let run = |backend: &str| place.run("", &["run", "a.rem", "-e", "matmul", "--backend", backend, "a", "b"]);
    let (cuda, cpu) = (run("cuda"), run("cpu"));
    assert!(cuda.good && cpu.good && cuda.out == cpu.out, "{}{}", cuda.err, cpu.err);
    let log = std::fs::read_to_string(place.path("log")).expect("there");
    assert!(log.lines().any(|line| line.starts_with("launch remora_matmul_k") && line.ends_with("_product")), "{log}");
}

#[test]
fn measurements_leave_arguments_on_the_device() {
    let place = Place::new(true);
    std::fs::write(place.path("xs"), format!("{:?}", vec![0.5; 10000])).expect("written");
    let ran = place.run("", &["bench", "a.rem", "--backend", "cuda", "xs", "--runs", "5", "--seconds", "0.01", "--json"]);
    assert!(ran.good && ran.out.contains("\"backend\":\"cuda\"") && ran.out.contains("\"runs\":"), "{}{}", ran.out, ran.err);
    // Once to see what the result is, and once for all that is measured.
    assert_eq!(place.count("put 80000"), 2);
    assert_eq!(place.count("released, 0 allocations left"), 1);
}

/// Large arrays pass through two pieces of memory that the device reaches by itself.
#[test]
fn large_arrays_go_in_pieces() {
    let place = Place::new(true);
    let count = 9_000_001;
    let head = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},), }}");
    let head = format!("{head:<117}\n");
    let bytes: Vec<u8> = (0..count).map(|k: u32| (k ^ (k >> 7)) as u8).collect();
    let file = [&b"\x93NUMPY\x01\x00"[..], &(head.len() as u16).to_le_bytes(), head.as_bytes(), &bytes].concat();
    std::fs::write(place.path("xs.npy"), file).expect("written");
    let back: Vec<u8> = bytes.iter().rev().copied().collect();
    for staging in ["1", "0"] {
        place.forget();
        let args = ["run", "a.rem", "--backend", "cuda", "-e", "back", "xs.npy", "-o", "ys.npy"];
        let output = place.command("", &args).env("REMORA_CUDA_STAGING", staging).output().expect("remora starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(std::fs::read(place.path("ys.npy")).expect("written").ends_with(&back));
        let pieces = if staging == "1" { (2, 2, 1) } else { (0, 0, 0) };
        assert_eq!((place.count("put 4194304"), place.count("get 4194304"), place.count("put 611393")), pieces);
        assert_eq!(place.count("put 9000001"), usize::from(staging == "0"));
    }
}

/// More cells than 32 bits count, none of them in memory.
#[test]
fn more_than_two_to_the_31() {
    let place = Place::new(true);
    std::fs::write(place.path("a.rem"), "entry total (n: i64) : i64 = i64.sum (map (\\i -> i % 3) (iota n))\n").expect("written");
    place.gives(&["run", "a.rem", "-e", "total", "--backend", "cuda", "2147483653"], "2147483652i64");
}

#[test]
fn what_is_wrong_with_the_machine_has_a_code() {
    let place = Place::new(true);
    // A device that is newer than NVRTC gets PTX.
    place.forget();
    let ran = place.run("new-device", MAIN);
    assert!(ran.good && place.count("compile --gpu-architecture=compute_90") == 1, "{}", ran.err);
    for (wrong, texts) in [
        ("stub", &["E0803", "stub", "--backend cpu"][..]),
        ("old", &["E0804", "too old: it has CUDA 11.4"]),
        ("none", &["E0805", "finds none"]),
        ("old-device", &["E0805", "Fake 9000", "architecture 6.1"]),
        ("no-pools", &["E0805", "no memory pools"]),
        ("refuse", &["E0807", "program.cu(3): error: identifier \"x\" is undefined"]),
        ("image", &["E0810", "the kernels cannot be loaded"]),
        ("launch", &["E0810", "CUDA_ERROR_LAUNCH_FAILED", "blocks of 256 threads"]),
        // A command fails after it was given; whoever waits is told.
        ("lost", &["E0810", "CUDA_ERROR_ILLEGAL_ADDRESS", "this process cannot use the device any more"]),
        ("newer", &["E0804", "older than NVRTC"]),
        ("old-nvrtc", &["E0806", "is of no use: it is too old: it has version 11.0, needed is 12.0"]),
    ] {
        place.refuses(wrong, MAIN, texts);
    }
    place.refuses("memory", &["run", "a.rem", "--backend", "cuda", "-e", "many", "100000"], &["E0507", "on the device: 800000 bytes"]);
    assert!(place.count("trimmed") > 0);
    // Threads that find out for themselves how much memory they need.
    place.gives(&["run", "a.rem", "--backend", "cuda", "-e", "grow", "[3, 4]"], "[6i64, 28i64]");
    // On a processor the same programs run.
    let ran = place.run("none", &["run", "a.rem", "--backend", "auto", "[1.0, 2.0]"]);
    assert!(ran.good && ran.out.trim() == "5.0f64", "{}{}", ran.out, ran.err);
}

/// `driver.c` is compiled once for all programs; what is wrong with its entry of the cache is made again.
#[test]
fn the_driver_is_compiled_once() {
    let place = Place::new(true);
    place.gives(MAIN, "14.0f64");
    let drivers = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(place.path("cache")).into_iter().flatten().flatten().map(|entry| entry.path());
        let text = |path: &PathBuf| std::fs::read_to_string(path.join("program.c")).unwrap_or_default();
        entries.filter(|path| text(path).contains("cuLaunchKernel")).collect()
    };
    let before = drivers();
    assert_eq!(before.len(), 1, "{before:?}");
    place.gives(&["run", "a.rem", "--backend", "cuda", "-e", "sums", "[1, 2]"], "[1i64, 3i64]");
    assert_eq!(drivers(), before);
    std::fs::write(before[0].join("program.so"), "damaged").expect("written");
    place.gives(MAIN, "14.0f64");
    assert_eq!(drivers(), before);
}

/// Errors, properties and flags have the numbers in `driver.c` that they have in `cuda.h`.
#[test]
fn numbers_are_those_of_cuda() {
    use cudarc::driver::sys::{
        CUdevice_attribute_enum as Device, CUevent_flags_enum as Event, CUfunction_attribute_enum as Function,
        CUmemPool_attribute_enum as Pool, CUmemorytype_enum as Memory, CUpointer_attribute_enum as Pointer, CUresult as Error,
        CUstream_flags_enum as Stream,
    };
    macro_rules! numbers {
        ($($ours:literal $kind:ident :: $theirs:ident,)*) => { [$(($ours, $kind::$theirs as i64)),*] };
    }
    let theirs = numbers! {
        "OUT_OF_MEMORY" Error::CUDA_ERROR_OUT_OF_MEMORY,
        "STUB_LIBRARY" Error::CUDA_ERROR_STUB_LIBRARY,
        "NO_DEVICE" Error::CUDA_ERROR_NO_DEVICE,
        "INVALID_DEVICE" Error::CUDA_ERROR_INVALID_DEVICE,
        "NO_BINARY_FOR_GPU" Error::CUDA_ERROR_NO_BINARY_FOR_GPU,
        "ECC_UNCORRECTABLE" Error::CUDA_ERROR_ECC_UNCORRECTABLE,
        "UNSUPPORTED_PTX_VERSION" Error::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
        "ILLEGAL_ADDRESS" Error::CUDA_ERROR_ILLEGAL_ADDRESS,
        "LAUNCH_TIMEOUT" Error::CUDA_ERROR_LAUNCH_TIMEOUT,
        "ASSERT" Error::CUDA_ERROR_ASSERT,
        "HARDWARE_STACK_ERROR" Error::CUDA_ERROR_HARDWARE_STACK_ERROR,
        "ILLEGAL_INSTRUCTION" Error::CUDA_ERROR_ILLEGAL_INSTRUCTION,
        "MISALIGNED_ADDRESS" Error::CUDA_ERROR_MISALIGNED_ADDRESS,
        "INVALID_ADDRESS_SPACE" Error::CUDA_ERROR_INVALID_ADDRESS_SPACE,
        "INVALID_PC" Error::CUDA_ERROR_INVALID_PC,
        "LAUNCH_FAILED" Error::CUDA_ERROR_LAUNCH_FAILED,
        "SYSTEM_DRIVER_MISMATCH" Error::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH,
        "COMPAT_NOT_SUPPORTED_ON_DEVICE" Error::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE,
        "EXTERNAL_DEVICE" Error::CUDA_ERROR_EXTERNAL_DEVICE,
        "MULTIPROCESSOR_COUNT" Device::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        "MAX_THREADS_PER_MULTIPROCESSOR" Device::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
        "COMPUTE_CAPABILITY_MAJOR" Device::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
        "COMPUTE_CAPABILITY_MINOR" Device::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN" Device::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        "MEMORY_POOLS_SUPPORTED" Device::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
        "STREAM_NON_BLOCKING" Stream::CU_STREAM_NON_BLOCKING,
        "EVENT_DISABLE_TIMING" Event::CU_EVENT_DISABLE_TIMING,
        "POOL_RELEASE_THRESHOLD" Pool::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
        "POOL_RESERVED_MEM_CURRENT" Pool::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
        "POOL_USED_MEM_CURRENT" Pool::CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
        "FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES" Function::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        "POINTER_MEMORY_TYPE" Pointer::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
        "POINTER_DEVICE_ORDINAL" Pointer::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        "MEMORY_DEVICE" Memory::CU_MEMORYTYPE_DEVICE,
    };
    let text = shim::read("src/back/cuda/driver.c");
    let parts = text.split("enum {").skip(1).filter_map(|rest| rest.split('}').next()).flat_map(|list| list.split(','));
    let ours: Vec<(&str, i64)> = parts
        .map(|part| {
            let (name, number) = part.split_once('=').unwrap_or_else(|| panic!("{part}"));
            (name.trim().trim_start_matches("REMORA_"), number.trim().parse().unwrap_or_else(|_| panic!("{part}")))
        })
        .collect();
    assert_eq!(ours, theirs);
}

#[test]
fn without_nvrtc_or_a_driver() {
    let place = Place::new(false);
    let ran = place.run("", MAIN);
    // It may be installed on this machine.
    assert!(ran.err.contains("E0806") && ran.err.contains("LD_LIBRARY_PATH") || ran.err.contains("E0810"), "{}{}", ran.out, ran.err);
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    command
        .current_dir(place.folder.path())
        .args(MAIN)
        .env_remove("LD_LIBRARY_PATH")
        .env_remove("REMORA_DEVICE")
        .env("CUDA_VISIBLE_DEVICES", "-1");
    let output = command.output().expect("remora starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("E0803") || err.contains("E0805"), "{err}");
}

#[test]
fn nvrtc_compiles_for_the_device() {
    if cuda::compilers().is_none() {
        return;
    }
    let mut place = Place::new(false);
    let folder = cuda::nvrtc_folder().expect("it was found");
    // NVRTC itself looks for `libcuda.so.1`, and would ask what is played more than it knows.
    let alone = place.path("driver");
    std::fs::create_dir(&alone).expect("made");
    if let Some((_, path)) = place.environment.iter_mut().find(|(name, _)| *name == "LD_LIBRARY_PATH") {
        std::fs::copy(path.join("libcuda.so"), alone.join("libcuda.so")).expect("copied");
        *path = PathBuf::from(format!("{}:{}", alone.display(), folder.display()));
    }
    // The driver that is played runs no machine code.
    place.refuses("", MAIN, &["E0810", "the kernels cannot be loaded"]);
    let codes = place.codes();
    assert_eq!(codes.len(), 1, "{codes:?}");
    let code = std::fs::read(&codes[0]).expect("readable");
    assert!(code.starts_with(b"\x7fELF") && code.len() > 1000);
    // It was made a second time, as the first might have been damaged.
    assert_eq!(place.count("load"), 2);
}
