//! What `remora build --target cuda` makes, on a driver that is played (`tests/support/shim/fake.cpp`): libraries called from C and from Python with
//! arrays of the processor and of the device, their text, programs, and `--backend auto`.

use crate::support::commands::{good, refused, text};
use crate::support::{cuda, shim};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const REMORA: &str = env!("CARGO_BIN_EXE_remora");
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/native");

/// A folder with the program, a cache of its own, and a driver; with NVRTC or without.
struct Place {
    folder: tempfile::TempDir,
    environment: Vec<(&'static str, PathBuf)>,
}

impl Place {
    fn new(nvrtc: bool) -> Place {
        let folder = tempfile::tempdir().expect("a folder");
        let text = std::fs::read_to_string(Path::new(SOURCES).join("library.rem")).expect("there");
        std::fs::write(folder.path().join("library.rem"), text).expect("written");
        Place { folder, environment: shim::fake(nvrtc).unwrap_or_else(|error| panic!("{error}")) }
    }
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
    fn command(&self, program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).args(args).envs(self.environment.iter().map(|(name, value)| (*name, value)));
        command.env("REMORA_CACHE", self.path("cache")).env("REMORA_CFLAGS", "-O1").env_remove("REMORA_DEVICE");
        command.env("REMORA_NVRTC", "").env("FAKE_CUDA_LOG", self.path("log")).stdin(Stdio::null());
        command
    }
    fn remora(&self, args: &[&str]) -> Command {
        self.command(REMORA, args)
    }
    fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }
    fn forget(&self) {
        std::fs::remove_file(self.path("log")).ok();
    }
    /// Compiles a C program that calls the library.
    fn driver(&self, source: &str) -> PathBuf {
        let path = Path::new(SOURCES).join(source).display().to_string();
        let args = ["-std=gnu11", "-O1", "-g1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I.", "-DELEMENTS=700", "-DEACH=20"];
        let link = ["-o", "driver", &path, "-L.", "-lt", "-ldl", "-Wl,-rpath,$ORIGIN"];
        good(&mut self.command("cc", &[&args[..], &link].concat()));
        self.path("driver")
    }
}

const LIBRARY: &[&str] = &["build", "library.rem", "--target", "cuda", "--lib", "-o", "libt.so"];

#[test]
fn a_library_called_from_c() {
    let place = Place::new(true);
    assert_eq!(good(&mut place.remora(LIBRARY)), (String::new(), String::new()));
    // The program that calls the library for processors calls this one; it counts what is left after many calls, and has four threads.
    let driver = place.driver("library.c");
    place.forget();
    assert_eq!(good(&mut place.command(&driver, &["0"])).0, "good\n");
    let log = place.log();
    assert!(log.contains("released, 0 allocations left") && !log.contains("compile"), "the kernels are in the library");
    assert!(log.contains("launch remora_"), "{log}");
}

#[test]
fn arrays_on_the_device() {
    let place = Place::new(true);
    good(&mut place.remora(LIBRARY));
    let driver = place.driver("device.c");
    place.forget();
    assert_eq!(good(&mut place.command(&driver, &[])).0, "good\n");
    let log = place.log();
    // After the last context nothing is left. What was on the device was not fetched by the library.
    assert!(log.ends_with("released, 0 allocations left\n"), "{log}");
    assert!(!log.contains("get 40000") && log.contains("put 40000"), "only the function for arrays of the processor moves them");
}

#[test]
fn a_library_called_from_python() {
    if !Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no python3 here");
        return;
    }
    let place = Place::new(true);
    good(&mut place.remora(LIBRARY));
    for script in ["library.py", "device.py"] {
        let script = Path::new(SOURCES).join(script).display().to_string();
        assert_eq!(good(&mut place.command("python3", &[&script, "./libt.so"])).0, "good\n");
    }
}

/// What is wrong with the machine has a code and a message in libraries too.
#[test]
fn what_is_wrong_is_said() {
    let place = Place::new(true);
    good(&mut place.remora(LIBRARY));
    let driver = place.driver("device.c");
    let said = |wrong: &str, number: &str| good(place.command(&driver, &[number]).env("FAKE_CUDA", wrong)).0;
    assert_eq!(said("", "0"), "0 \n");
    assert_eq!(said("several", "2"), "0 \n");
    assert!(place.log().contains("device 2"));
    for (wrong, number, texts) in [
        ("stub", "0", &["-1 error[E0803]", "stub"][..]),
        ("old", "0", &["-1 error[E0804]", "it has CUDA 11.4, needed is 12.0"]),
        ("none", "0", &["-1 error[E0805]: no CUDA device"]),
        ("", "1", &["-1 error[E0805]: no CUDA device 1: the driver has 1 (number 0)"]),
        ("old-device", "0", &["-1 error[E0805]", "Fake 9000"]),
        ("no-pools", "0", &["-1 error[E0805]", "no memory pools"]),
        ("image", "0", &["-1 error[E0810]: the kernels cannot be loaded"]),
        ("launch", "0", &["810 error[E0810]: kernel `remora_norm", "blocks of 256 threads: ", "CUDA_ERROR_LAUNCH_FAILED"]),
        (
            "lost",
            "0",
            &[
                "810 error[E0810]: ",
                "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS",
                "this process cannot use the device any more\n810 error[E0810]",
            ],
        ),
    ] {
        let said = said(wrong, number);
        for text in texts {
            assert!(said.contains(text), "{wrong}: no {text:?} in {said}");
        }
    }
    // PTX that is newer than the driver: NVRTC makes machine code on the spot.
    place.forget();
    assert_eq!(said("ptx", "0"), "0 \n");
    assert!(place.log().contains("compile --gpu-architecture=sm_90"), "{}", place.log());
    let numbered = |text: &str| good(place.command(&driver, &["-1"]).env("REMORA_CUDA_DEVICE", text)).0;
    assert!(numbered("x").contains("E0805]: no CUDA device `x`") && numbered("3").contains("E0805]: no CUDA device 3"));
    assert_eq!(numbered("0"), "0 \n");
    let nowhere = good(place.command(&driver, &["0"]).env_remove("LD_LIBRARY_PATH")).0;
    assert!(nowhere.contains("E0803") || nowhere.contains("E0805"), "{nowhere}");
}

/// Where there was no NVRTC, the library has the text of its kernels.
#[test]
fn libraries_that_compile_their_kernels() {
    let place = Place::new(false);
    let (_, err) = good(&mut place.remora(LIBRARY));
    if err.is_empty() {
        println!("skipped: there is NVRTC here");
        return;
    }
    assert!(err.contains("note: the kernels are compiled by NVRTC where they run") && err.contains("E0806"), "{err}");
    refused(&mut place.remora(&[LIBRARY, &["--arch", "sm_90"]].concat()), &["E0806"]);
    let driver = place.driver("device.c");
    let said = good(&mut place.command(&driver, &["0"])).0;
    assert!(said.contains("-1 error[E0806]: no NVRTC") && said.contains("REMORA_NVRTC"), "{said}");
    let with = Place::new(true);
    let nvrtc = with.environment.iter().find(|(name, _)| *name == "LD_LIBRARY_PATH").map(|(_, path)| path.join("libnvrtc.so"));
    let nvrtc = nvrtc.expect("it is there");
    let named = |wrong: &str| good(place.command(&driver, &["0"]).env("REMORA_NVRTC", &nvrtc).env("FAKE_CUDA", wrong)).0;
    assert_eq!(named(""), "0 \n");
    assert!(named("old-nvrtc").contains("E0806]: no NVRTC: version 11.0 is too old"));
    let refusal = named("refuse");
    assert!(refusal.contains("E0807]") && refusal.contains("identifier \"x\" is undefined"), "{refusal}");
}

/// The text of a library is compiled without CUDA, and gives the same library.
#[test]
fn sources() {
    let place = Place::new(true);
    good(&mut place.remora(&["build", "library.rem", "--target", "cuda", "--source", "-o", "t"]));
    let kernels = std::fs::read_to_string(place.path("t.cu")).expect("written");
    assert!(kernels.contains("extern \"C\" __global__") && kernels.contains("remora_norm_"), "the kernels have the names of definitions");
    let flags = ["-std=gnu11", "-O1", "-Wall", "-Wno-unused", "-Wno-comment", "-Werror", "-shared", "-fPIC"];
    good(&mut place.command("cc", &[&flags[..], &["-fvisibility=hidden", "-o", "libt.so", "t.c", "-lm", "-ldl", "-pthread"]].concat()));
    let driver = place.driver("device.c");
    place.forget();
    assert_eq!(good(&mut place.command(&driver, &[])).0, "good\n");
    assert_eq!(place.log().lines().filter(|line| line.starts_with("compile")).count(), 1, "one compilation for all contexts");
    let names = Command::new("nm").args(["-D", "--defined-only"]).arg(place.path("libt.so")).output();
    if let Ok(names) = names {
        let names = text(&names.stdout);
        let foreign: Vec<&str> = names.lines().filter(|line| !line.contains(" t_")).collect();
        assert!(foreign.is_empty(), "{foreign:?}");
    }
    // The header is C and C++.
    std::fs::write(place.path("use.c"), "#include \"t.h\"\n#include \"t.h\"\nint main(void) { t_free(t_new(1)); return 0; }\n")
        .expect("written");
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];
    good(&mut place.command("cc", &[&strict[..], &["-std=c99", "use.c"]].concat()));
    good(&mut place.command("c++", &[&strict[..], &["-std=c++11", "-x", "c++", "use.c"]].concat()));
    // For processors too.
    good(&mut place.remora(&["build", "library.rem", "--source", "-o", "u"]));
    good(&mut place.command("cc", &["-std=gnu11", "-O0", "-fopenmp-simd", "-w", "-shared", "-fPIC", "-o", "libu.so", "u.c", "-lm"]));
    assert!(place.path("u.h").is_file() && !place.path("u.cu").exists());
    refused(&mut place.remora(&["build", "library.rem", "--source", "-o", "no/such/t"]), &["E0603"]);
    let wrong = place.remora(&["build", "library.rem", "--target", "cuda", "--arch", "hopper"]).output().expect("it starts");
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
}

/// What NVIDIA's compiler makes stands in the text.
#[test]
fn kernels_for_an_architecture() {
    if cuda::compilers().is_none() {
        return;
    }
    let place = Place::new(false);
    let folder = cuda::nvrtc_folder().expect("it was found");
    let build = |arch: &str, name: &str| {
        let mut command = place.remora(&["build", "library.rem", "--target", "cuda", "--source", "--arch", arch, "-o", name]);
        command.env("LD_LIBRARY_PATH", &folder);
        command
    };
    let image = |name: &str| {
        let text = std::fs::read_to_string(place.path(&format!("{name}.c"))).expect("written");
        text.split("remora_image[] = ").nth(1).and_then(|rest| rest.split(';').next()).expect("it is there").to_string()
    };
    good(&mut build("sm_90", "m"));
    assert!(image("m").starts_with("\"\\177ELF"));
    good(&mut build("compute_80", "p"));
    assert!(image("p").contains("NVIDIA NVVM"), "PTX begins with a comment");
    good(&mut place.command("cc", &["-std=gnu11", "-O0", "-w", "-shared", "-fPIC", "-o", "libm.so", "m.c", "-lm", "-ldl", "-pthread"]));
    // nvcc has headers, here in part, before the text begins.
    let headers = "#define __NVCC__ 12\n#define INT64_MAX 9223372036854775807L\n#define INT64_C(c) c##L\n#define INFINITY __builtin_inff()\n\
        typedef signed char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\ntypedef long int64_t;\n\
        typedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\ntypedef unsigned uint32_t;\ntypedef unsigned long uint64_t;\n";
    let kernels = std::fs::read_to_string(place.path("m.cu")).expect("written");
    let rows = cuda::compile_all(&[("nvcc".to_string(), format!("{headers}{kernels}"))]).expect("the compilers are there");
    assert!(rows.iter().any(|(_, row)| row.kernel.starts_with("remora_norm")), "{rows:?}");
    refused(&mut build("sm_12", "n"), &["E0807", "makes no code for `sm_12`", "sm_90"]);
}

/// A program needs neither sources, nor a C compiler, nor NVRTC, nor a cache that can be written.
#[test]
fn a_program_that_stands_alone() {
    let place = Place::new(true);
    // Programs take no arrays of tuples, which libraries do.
    let source = std::fs::read_to_string(place.path("library.rem")).expect("copied");
    let source: Vec<&str> = source.lines().filter(|line| !line.starts_with("entry named")).collect();
    std::fs::write(place.path("library.rem"), source.join("\n")).expect("written");
    assert_eq!(good(&mut place.remora(&["build", "library.rem", "--target", "cuda", "-o", "program"])).1, "");
    let elsewhere = Place::new(false);
    std::fs::copy(place.path("program"), elsewhere.path("program")).expect("copied");
    let run = |args: &[&str]| {
        let mut command = elsewhere.command(elsewhere.path("program"), args);
        // The device that is played needs a compiler, and has one.
        command.env("CC", "/nonexistent");
        command
    };
    assert_eq!(good(&mut run(&["-e", "norm", "[3.0, 4.0]"])).0, "5.0f64\n");
    let log = elsewhere.log();
    assert!(log.contains("launch remora_norm") && !log.contains("compile"), "{log}");
    assert_eq!(good(run(&["-e", "kept", "[-1, 5, 0, 7]"]).env("REMORA_CACHE", "/dev/full")).0, "[5i64, 7i64]\n");
    refused(&mut run(&["-e", "pick", "[1, 2]", "2"]), &["E0501", "index 2", "library.rem:5:"]);
    refused(&mut run(&["-e", "pikc", "1"]), &["E0611", "did you mean `pick`"]);
    refused(run(&["-e", "norm", "[3.0, 4.0]"]).env("FAKE_CUDA", "none"), &["E0805", "finds none"]);
    refused(
        run(&["-e", "norm", "[3.0, 4.0]", "--device", "4"]).env("FAKE_CUDA", "several"),
        &["E0805", "no CUDA device 4", "numbers 0 to 2"],
    );
    // On processors it runs when that is asked for.
    assert_eq!(good(&mut run(&["-e", "norm", "[3.0, 4.0]", "--backend", "interp"])).0, "5.0f64\n");
    assert_eq!(good(run(&["-e", "norm", "[3.0, 4.0]", "--backend", "cpu"]).env("CC", "cc")).0, "5.0f64\n");
}

#[test]
fn devices_by_number() {
    let place = Place::new(true);
    let run = |extra: &[&str]| {
        let mut command = place.remora(&[&["run", "library.rem", "-e", "norm", "[3.0, 4.0]", "--backend", "cuda"], extra].concat());
        command.env("FAKE_CUDA", "several");
        command
    };
    assert_eq!(good(&mut run(&["--device", "2"])).0, "5.0f64\n");
    assert!(place.log().contains("device 2"));
    assert_eq!(good(run(&[]).env("REMORA_CUDA_DEVICE", "1")).0, "5.0f64\n");
    assert!(place.log().contains("device 1"));
    refused(&mut run(&["--device", "3"]), &["E0805", "no CUDA device 3: the driver has 3 (numbers 0 to 2)"]);
    refused(run(&[]).env("REMORA_CUDA_DEVICE", "-1"), &["E0805", "no CUDA device `-1`"]);
    assert_eq!(run(&["--device", "x"]).output().expect("it starts").status.code(), Some(2));
}

#[test]
fn what_is_worth_a_device() {
    let place = Place::new(true);
    let program = "\
entry work (n: i64) (k: i64) : f64 =
  f64.sum (map (\\i -> loop x = f64.i64 i for _j < k do x * 0.5 + 1) (iota n))
entry alone (n: i64) : f64 = loop x = 0 for i < n do x * 0.5 + f64.i64 i
";
    std::fs::write(place.path("a.rem"), program).expect("written");
    let run = |args: &[&str]| {
        let mut command = place.remora(&[&["run", "a.rem", "--time-passes", "-e"], args].concat());
        command.env("REMORA_CUDA_START", "0");
        command
    };
    let took = |command: &mut Command| {
        let (_, err) = good(command);
        err.lines().find(|line| line.starts_with("backend: ")).unwrap_or_else(|| panic!("nothing is said of it:\n{err}")).to_string()
    };
    // Much work goes to the device, little does not, and what is not parallel never does.
    let device = took(&mut run(&["work", "3000", "200"]));
    assert!(device.starts_with("backend: cuda (Fake 9000); estimated"), "{device}");
    place.forget();
    for args in [&["work", "10", "2"][..], &["alone", "10000000"]] {
        assert!(took(&mut run(args)).starts_with("backend: cpu; "), "{args:?}");
    }
    assert!(took(&mut run(&["alone", "10"])).ends_with("nothing in it is parallel"));
    assert!(took(run(&["work", "3000", "200"]).env_remove("REMORA_CUDA_START")).contains("backend: cpu; estimated"));
    assert!(took(&mut run(&["work", "3000", "200", "--strict-fp"])).contains("the bits of the evaluator"));
    // Nobody has looked for a device.
    assert_eq!(place.log(), "");
    // Without a device, or with one that fails, processors run the program; what is wrong with one is said.
    let without = run(&["work", "3000", "200"]).env("FAKE_CUDA", "none").output().expect("it starts");
    assert!(without.status.success() && text(&without.stderr).contains("backend: cpu; the CUDA device is not used: no CUDA device"));
    let plain = |wrong: &str| {
        let mut command = place.remora(&["run", "a.rem", "-e", "work", "3000", "200"]);
        good(command.env("REMORA_CUDA_START", "0").env("FAKE_CUDA", wrong))
    };
    let expected = plain("").0;
    assert_eq!(plain("none"), (expected.clone(), String::new()));
    for (wrong, code) in [("old", "E0804"), ("refuse", "E0807"), ("launch", "E0810"), ("lost", "E0810")] {
        // What is in the cache is not compiled again.
        std::fs::remove_dir_all(place.path("cache")).ok();
        let (out, err) = plain(wrong);
        assert!(out == expected && err.starts_with("note: ") && err.contains(code), "{wrong}: {out}{err}");
    }
}

/// The script for machines with a device: without one it says so, and with the one that is played it writes its report.
#[test]
fn the_script_for_machines_with_a_device() {
    let place = Place::new(true);
    let root = env!("CARGO_MANIFEST_DIR");
    let script = |steps: &[&str]| {
        let mut command = place.command(Path::new(root).join("tests/gpu.sh"), steps);
        command.env("REMORA", REMORA).env("OUT", place.path("gpu")).env("JOBS", "2").env_remove("REMORA_NVRTC");
        command.env("PROGRAMS", "examples/prefix/prefix.rem examples/chain/chain.rem").env("ONLY", "prefix").env("SIZE", "test");
        command.env("CHECK", "test").env("BENCH", "--elements 4096 --rounds 1 --copy 4096");
        command
    };
    let without = script(&[]).env("FAKE_CUDA", "none").output().expect("it starts");
    assert_eq!(without.status.code(), Some(77), "{}", text(&without.stderr));
    assert!(text(&without.stderr).contains("no CUDA device here: nothing was run"));
    assert_eq!(script(&["korpus"]).output().expect("it starts").status.code(), Some(2));
    let wrong = script(&["corpus"]).env("FAKE_CUDA", "old").output().expect("it starts");
    assert!(wrong.status.code() == Some(1) && text(&wrong.stderr).contains("E0804"), "{}", text(&wrong.stderr));

    let (out, _) = good(&mut script(&["corpus", "examples", "sanitizer", "bench"]));
    assert_eq!(std::fs::read_to_string(place.path("gpu/report.md")).expect("written"), out);
    assert!(
        out.starts_with("# On a CUDA device\n") && out.contains("\n2 programs, 0 wrong.\n") && out.ends_with("\nAll green.\n"),
        "{out}"
    );
    if out.contains("no Python with NumPy") {
        println!("the measurements are left out: there is no Python with NumPy here");
        return;
    }
    assert!(out.contains("1 programs give what NumPy gives") && out.contains("### CUDA: Fake 9000"), "{out}");
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with("| ")).collect();
    for name in ["shift", "total", "sums", "turn", "rows", "prefix"] {
        let row = rows.iter().find(|row| row.starts_with(&format!("| {name} "))).unwrap_or_else(|| panic!("no {name} in {out}"));
        assert!(row.contains('s') && row.contains('%'), "{row}");
    }
    // What is wrong is in the report, and in the exit status.
    std::fs::write(place.path("bad.rem"), "-- ==\n-- input { 1 }\n-- output { 3 }\ndef main (x: i32) = x + 1\n").expect("written");
    let wrong = script(&["corpus"]).env("PROGRAMS", place.path("bad.rem")).output().expect("it starts");
    let out = text(&wrong.stdout);
    assert!(wrong.status.code() == Some(1) && out.contains("- **wrong**: ") && out.contains("bad.rem"), "{out}");
}
