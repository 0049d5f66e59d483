//! Compiled programs as users meet them: libraries called from C and from Python, programs that stand alone, the cache and all that can be
//! wrong with it or with the C compiler, measurements.

mod cache;
mod compilers;

use crate::support::commands::{good, refused, text};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder with a program and a cache of its own.
struct Place(tempfile::TempDir);

const REMORA: &str = env!("CARGO_BIN_EXE_remora");
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/native");
const PROGRAM: &str = "\
entry main (n: i64) : i64 = i64.sum (iota n * 2)
entry scale [n] (xs: [n]f64) (s: f64) : [n]f64 = xs * s
entry pick [n] (xs: [n]i64) (i: i64) : i64 = xs[i]
entry square (n: i64) (m: i64) : [n][m]i64 = rep (rep 1)
entry huge (n: i64) : [n]f64 = map f64.i64 (iota n)
";

impl Place {
    fn new(text: &str) -> Place {
        let place = Place::untested(text);
        seed(&place);
        place
    }
    /// A place where the C compiler is not known.
    fn untested(text: &str) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        place.write("a.rem", text);
        place
    }
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }
    /// An executable file.
    fn script(&self, name: &str, text: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        self.write(name, text);
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(0o755)).expect("set");
        self.path(name).display().to_string()
    }
    fn cache(&self) -> PathBuf {
        self.path("cache")
    }
    fn command(&self, program: impl AsRef<std::ffi::OsStr>, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path()).args(args).env("REMORA_CACHE", self.cache()).env("REMORA_CFLAGS", "-O1").stdin(Stdio::null());
        command
    }
    fn remora(&self, args: &[&str]) -> Command {
        self.command(REMORA, args)
    }
    /// The names of what is in the cache, without what is known of compilers.
    fn entries(&self) -> Vec<String> {
        names_in(&self.cache()).into_iter().filter(|name| !self.cache().join(name).join("verdict").exists()).collect()
    }
    fn entry(&self) -> PathBuf {
        let entries = self.entries();
        assert_eq!(entries.len(), 1, "{entries:?}");
        self.cache().join(&entries[0])
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned()).collect()
}

/// Puts what is known of the C compiler into the cache, so that it is tested once for all tests.
fn seed(place: &Place) {
    static KNOWN: std::sync::OnceLock<PathBuf> = std::sync::OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let first = Place::untested(PROGRAM);
        good(&mut first.remora(&["run", "a.rem", "--backend", "cpu", "10"]));
        let cache = first.cache();
        std::mem::forget(first);
        cache
    });
    for name in names_in(known).iter().filter(|name| known.join(name).join("verdict").exists()) {
        let (from, to) = (known.join(name), place.cache().join(name));
        std::fs::create_dir_all(&to).expect("made");
        for file in names_in(&from) {
            std::fs::copy(from.join(&file), to.join(&file)).expect("copied");
        }
    }
}

fn library(place: &Place, flags: &str) {
    std::fs::copy(Path::new(SOURCES).join("library.rem"), place.path("library.rem")).expect("copied");
    good(place.remora(&["build", "library.rem", "--lib", "-o", "libt.so"]).env("REMORA_CFLAGS", flags));
    assert!(place.path("t.h").is_file());
}

/// Compiles the C program that calls the library, and runs it on so many threads.
fn driver(place: &Place, flags: &[&str], threads: &[&str]) {
    let source = Path::new(SOURCES).join("library.c").display().to_string();
    let args = ["-std=gnu11", "-O1", "-g1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I.", "-o", "driver", &source];
    let link = ["-L.", "-lt", "-Wl,-rpath,$ORIGIN"];
    good(&mut place.command("cc", &[&args[..], flags, &link].concat()));
    for threads in threads {
        let (out, _) =
            good(place.command(place.path("driver"), &[threads]).env("ASAN_OPTIONS", "detect_leaks=1:allocator_may_return_null=1"));
        assert_eq!(out, "good\n");
    }
}

/// Clang understands what is emitted, warns of nothing but what is not used or not vectorised, and gives the same results. Where it is missing there is
/// nothing to see.
#[test]
fn clang_compiles_what_is_emitted() {
    let source = "int main(void) { return 0; }\n";
    let place = Place::new(
        "entry main (n: i64) : (f64, f64, i64) =
           let xs = f64.exp (f64.i64 (iota n) / f64.i64 n)
           let s = scan (+) 0 xs
           in (f64.sum (xs * xs) / s[n - 1], f64.maximum (scan f64.max 0 xs), i64.sum (scan (+) 0 (iota n) % 7))\n",
    );
    place.write("empty.c", source);
    if !place.command("clang", &["-fopenmp-simd", "empty.c", "-o", "empty"]).output().is_ok_and(|output| output.status.success()) {
        return;
    }
    let dumped = good(&mut place.remora(&["dump", "--stage", "c", "a.rem"])).0;
    place.write("program.c", &dumped);
    let flags = [
        "-std=gnu11",
        "-O2",
        "-fopenmp-simd",
        "-Wall",
        "-Wno-unused-function",
        "-Wno-unused-variable",
        "-Wno-unused-but-set-variable",
        "-Wno-pass-failed",
    ];
    let arguments = [&flags[..], &["-Werror", "-c", "program.c", "-o", "program.o"]].concat();
    good(&mut place.command("clang", &arguments));
    let expected = good(&mut place.remora(&["run", "a.rem", "--backend", "interp", "100003"])).0;
    let numbers = |text: &str| -> Vec<f64> {
        let words = text.split(['(', ')', ',', '\n', ' ']).filter(|word| !word.is_empty());
        words.map(|word| word.trim_end_matches("f64").trim_end_matches("i64").parse().expect("a number")).collect()
    };
    for threads in ["1", "2", "7"] {
        let run = ["run", "a.rem", "--backend", "cpu", "--threads", threads, "100003"];
        let found = good(place.remora(&run).env("CC", "clang")).0;
        let (found, expected) = (numbers(&found), numbers(&expected));
        assert_eq!(found.len(), expected.len());
        found.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() <= 1e-9 * b.abs(), "{found:?} {expected:?}"));
    }
}

#[test]
fn a_library_called_from_c() {
    let place = Place::new(PROGRAM);
    library(&place, "-O2");
    driver(&place, &[], &["1", "3", "0"]);
}

#[test]
fn a_library_called_from_c_leaks_nothing() {
    let flags = "-fsanitize=address,undefined -fno-sanitize-recover=undefined";
    let place = Place::new(PROGRAM);
    library(&place, &format!("-O1 -g1 {flags}"));
    driver(&place, &flags.split(' ').collect::<Vec<_>>(), &["3"]);
}

/// Threads that share loops and sleep between them do nothing that the thread sanitizer objects to.
#[test]
fn threads_that_share_loops_have_no_races() {
    let flags = "-fsanitize=thread";
    let place = Place::new("entry total (n: i64) : i64 = i64.sum (scan (+) 0 (iota n) % 10)\n");
    place.write("try.c", "int main(void) { return 0; }\n");
    let made = place.command("cc", &[flags, "try.c", "-o", "try"]).output().is_ok_and(|output| output.status.success());
    if !made || !place.command("./try", &[]).output().is_ok_and(|output| output.status.success()) {
        println!("skipped: the thread sanitizer does not work here");
        return;
    }
    good(place.remora(&["build", "a.rem", "--lib", "-o", "libt.so"]).env("REMORA_CFLAGS", format!("-O1 -g1 {flags}")));
    let driver = "#include <stdio.h>
        #include <time.h>
        #include \"t.h\"
        int main(void) {
          for (int threads = 1; threads <= 7; threads += 3) {
            t_context *c = t_new(threads);
            for (int k = 0; k < 30; k++) {
              int64_t out;
              if (t_total(c, 200000 + k, &out)) return 1;
              if (k == 29) printf(\"%lld\\n\", (long long)out);
              struct timespec pause = {0, k % 3 * 100000};
              nanosleep(&pause, NULL);
            }
            t_free(c);
          }
          return 0;
        }\n";
    place.write("use.c", driver);
    good(&mut place.command("cc", &[flags, "use.c", "-o", "use", "-L.", "-lt", "-Wl,-rpath,."]));
    let expected: i64 = (0..200_029).map(|n: i64| n * (n + 1) / 2 % 10).sum();
    assert_eq!(good(&mut place.command("./use", &[])).0, format!("{expected}\n").repeat(3));
}

/// A context that had threads when the process was forked: the child has none of them, gets its own, and frees its copy.
#[test]
fn contexts_after_fork() {
    let place = Place::new("entry total (n: i64) : i64 = i64.sum (scan (+) 0 (iota n) % 10)\n");
    good(&mut place.remora(&["build", "a.rem", "--lib", "-o", "libt.so"]));
    let driver = "#include <stdio.h>
        #include <stdlib.h>
        #include <sys/wait.h>
        #include <time.h>
        #include <unistd.h>
        #include \"t.h\"
        static int64_t total(t_context *c) { int64_t out = -1; return t_total(c, 300000, &out) ? -2 : out; }
        int main(void) {
          for (int sleepy = 0; sleepy < 2; sleepy++) {
            for (int calls = 0; calls < 3; calls++) {
              t_context *c = t_new(4);
              int64_t first = total(c);
              struct timespec pause = {0, 100000000};
              if (sleepy) nanosleep(&pause, NULL);
              pid_t child = fork();
              if (child == 0) {
                alarm(20);
                for (int k = 0; k < calls; k++) if (total(c) != first) _exit(3);
                t_free(c);
                _exit(0);
              }
              int status = 0;
              if (waitpid(child, &status, 0) != child || status) return printf(\"the child: %x\\n\", status), 1;
              if (total(c) != first) return 2;
              t_free(c);
            }
          }
          puts(\"good\");
          return 0;
        }\n";
    place.write("use.c", driver);
    good(&mut place.command("cc", &["use.c", "-o", "use", "-L.", "-lt", "-Wl,-rpath,."]));
    assert_eq!(good(&mut place.command("./use", &[])).0, "good\n");
}

#[test]
fn headers_are_c_and_cpp() {
    let place = Place::new(PROGRAM);
    library(&place, "-O0");
    place.write("use.c", "#include \"t.h\"\n#include \"t.h\"\nint main(void) { t_free(t_new(1)); return 0; }\n");
    let strict = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];
    for standard in ["-std=c99", "-std=c17"] {
        good(&mut place.command("cc", &[&strict[..], &[standard, "use.c"]].concat()));
    }
    if Command::new("g++").arg("--version").output().is_err() {
        println!("skipped: there is no g++ here");
        return;
    }
    for standard in ["-std=c++11", "-std=c++20"] {
        good(&mut place.command("g++", &[&strict[..], &[standard, "-x", "c++", "use.c"]].concat()));
    }
}

/// The prelude, primitives and other definitions have these names too; `f'` and `f_` are the same in C.
#[test]
fn entry_points_keep_their_names() {
    let names = ["id", "iota", "zip", "free_entry", "free", "f", "f_", "f'"];
    let mut program = String::from("def f (x: i64) = x\n");
    names.iter().enumerate().for_each(|(k, name)| program.push_str(&format!("entry {name} (x: i64) = x + {k}\n")));
    program.push_str("entry fails (x: i64) : i64 = if x > 0 then x else assert false x\ndef f (x: i64) = x\n");
    let place = Place::new(&program);
    good(&mut place.remora(&["build", "a.rem", "--lib", "-o", "libt.so"]));
    let header = std::fs::read_to_string(place.path("t.h")).expect("a header");
    for name in ["id", "iota", "zip", "free_entry", "free_entry_", "f", "f_", "f__", "fails"] {
        assert!(header.contains(&format!("int t_{name}(t_context *context, int64_t x, int64_t *out0)")), "{name}: {header}");
    }
    good(&mut place.remora(&["build", "a.rem", "-o", "p"]));
    let built = |args: &[&str]| place.command(place.path("p"), args);
    assert_eq!(good(&mut built(&["-e", "iota", "3"])).0, "4i64\n");
    assert_eq!(good(&mut built(&["-e", "f", "3"])).0, "8i64\n");
    refused(&mut built(&["-e", "id", "3", "4"]), &["E0612", "`id` takes 1 argument"]);
    let help = good(&mut built(&["--help"])).0;
    assert!(help.contains("Usage: p [OPTIONS] [ARG]...") && !help.contains("FILE>\n          The program"), "{help}");
    refused(
        &mut built(&["-e", "idd", "3"]),
        &["E0611", "did you mean `id`?", "the file has: id, iota, zip, free_entry, free, f, f_, f', fails"],
    );
    // Without declared entry points, definitions hide earlier ones of their names.
    let place = Place::new("def g (x: i64) = x\ndef g (x: i64) = x + 1\n");
    good(&mut place.remora(&["build", "a.rem", "--lib", "-o", "libt.so"]));
    let header = std::fs::read_to_string(place.path("t.h")).expect("a header");
    assert_eq!(header.matches("int t_g").count(), 1, "{header}");
}

/// Entry points, parameters and types are called like types, functions and macros of the header, of C or of what it includes.
#[test]
fn names_of_c_are_not_taken() {
    let program = "entry f64_1d [n] (x: [n]f64) : [n]f64 = x
entry f64_1d_entry (x: i64) = x
entry put (x: #a | #b i32) : i32 = match x case #a -> 0 case #b y -> y
entry a_b_i32_variant (x: i32) : i32 = x
entry a_b_i32_new_a (x: i32) : i32 = x
entry single (x: #error) : i32 = match x case #error -> 1
entry f [n] (memcpy: i32) (xs: [n]i32) = copy xs with [0] = memcpy
entry g (NULL: i64) (INFINITY: f64) (NAN: f32) (INT64_MAX: i8) (errno: i32) (stdin: i32) (int64_t: i64) (t_context: i64) = (NULL, INT64_MAX)
entry h [failed] (k: i64) (made0: [failed]i64) (blank: #a | #b i32) (out: i64) (th: i64) (in_: i64) (typeof: i64) =
  (replicate k (failed, out + th + in_ + typeof), blank)
";
    let place = Place::new(program);
    good(&mut place.remora(&["build", "a.rem", "--lib", "-o", "libt.so"]));
    place.write(
        "use.c",
        "#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <complex.h>
#include \"t.h\"
int main(void) {
  t_context *c = t_new(1);
  int64_t last = 0;
  int8_t small = 0;
  int32_t kept = 0;
  t_f64_1d none;
  int wrong = t_g(c, 5, 1, 1, 7, 0, 0, 0, 0, &last, &small) || last != 5 || small != 7;
  wrong = wrong || t_a_b_i32_variant_entry(c, 9, &kept) || kept != 9 || t_a_b_i32_new_a_entry(c, 8, &kept) || kept != 8;
  wrong = wrong || t_f64_1d_entry(c, 0, NULL, &none) || none.shape[0] || t_f64_1d_entry_(c, 3, &last) || last != 3;
  t_release(c, none.owner);
  t_free(c);
  puts(wrong ? \"wrong\" : \"good\");
}
",
    );
    good(&mut place.command("cc", &["-fsanitize=undefined", "use.c", "-L.", "-lt", "-Wl,-rpath,.", "-o", "use"]));
    assert_eq!(good(&mut place.command("./use", &[])).0, "good\n");
}

#[test]
fn two_entry_points_of_one_name_are_refused() {
    let place = Place::new("-- ==\n-- entry: f\n-- input { 1i64 }\nentry f (x: i64) = x\nentry f (x: i64) = x + 1\n");
    for args in [&["check", "a.rem"][..], &["run", "a.rem", "-e", "f", "1"], &["build", "a.rem", "--lib"], &["build", "a.rem"]] {
        refused(&mut place.remora(args), &["E0204", "a.rem:5:7", "defined first"]);
    }
    let tested = place.remora(&["test", "a.rem"]).output().expect("it starts");
    assert!(tested.status.code() == Some(1) && text(&tested.stdout).contains("E0204"), "{tested:?}");
}

#[test]
fn a_library_called_from_python() {
    if Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success()) {
        let place = Place::new(PROGRAM);
        library(&place, "-O1");
        let script = Path::new(SOURCES).join("library.py").display().to_string();
        assert_eq!(good(&mut place.command("python3", &[&script, "./libt.so"])).0, "good\n");
    } else {
        println!("skipped: there is no python3 here");
    }
}

#[test]
fn libraries_without_entry_points_are_refused() {
    let place = Place::new("-- nothing\n");
    refused(&mut place.remora(&["build", "a.rem", "--lib"]), &["E0611", "entry"]);
    refused(&mut place.remora(&["build", "a.rem"]), &["E0611"]);
    let place = Place::new(PROGRAM);
    refused(&mut place.remora(&["build", "a.rem", "--lib", "-o", "no/such/libx.so"]), &["E0603"]);
    refused(&mut place.remora(&["build", "a.rem", "-o", "no/such/x"]), &["E0603"]);
    refused(place.remora(&["build", "a.rem"]).env("CC", "/nonexistent"), &["E0615", "/nonexistent"]);
}

/// The compiler looks for kinds of functions until there are no more, and has to see that there always are.
#[test]
fn loops_of_ever_new_functions_are_refused() {
    for next in ["\\y -> f y", "if i > 2 then (\\y -> f y) else f", "if i > 2 then (let k = i * i in \\y -> f y + k) else f"] {
        let place = Place::new(&format!("entry main (n: i64) = (loop f = (\\y -> y) for i < n do {next}) 1\n"));
        refused(&mut place.remora(&["run", "a.rem", "--backend", "cpu", "4"]), &["E0801", "makes a new function"]);
    }
}

#[test]
fn programs_are_not_written_over() {
    let place = Place::new(PROGRAM);
    place.write("plain", PROGRAM);
    place.write("text.c", PROGRAM);
    for args in [&["a.rem", "-o", "a.rem"][..], &["a.rem", "--lib", "-o", "./a.rem"], &["plain"], &["text.c", "--source"]] {
        refused(&mut place.remora(&[&["build"], args].concat()), &["E0603", "the program itself", "-o"]);
        assert_eq!(std::fs::read_to_string(place.path(args[0])).expect("it is still there"), PROGRAM);
    }
    refused(&mut place.remora(&["run", "a.rem", "10", "-o", "a.rem"]), &["E0603"]);
    // What cannot be called from outside is refused in the same way by every command.
    place.write("open.rem", "entry main x = x\n");
    refused(&mut place.remora(&["dump", "--stage", "c", "open.rem"]), &["E0613", "open.rem:1:7"]);
}

/// The program needs neither sources nor a C compiler, and no cache that can be written.
#[test]
fn a_program_that_stands_alone() {
    let place = Place::new(PROGRAM);
    good(&mut place.remora(&["build", "a.rem", "-o", "program"]));
    std::fs::remove_file(place.path("a.rem")).expect("removed");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let cache = elsewhere.path().join("cache");
    let run = |args: &[&str], cache: &Path| {
        let mut command = Command::new(place.path("program"));
        command.current_dir(elsewhere.path()).args(args).env_clear().env("PATH", "").env("REMORA_CACHE", cache).stdin(Stdio::null());
        command
    };
    assert_eq!(good(&mut run(&["10"], &cache)), ("90i64\n".into(), String::new()));
    assert_eq!(good(&mut run(&["10"], &cache)), ("90i64\n".into(), String::new()));
    assert_eq!(good(&mut run(&["-e", "scale", "[1, 2]", "-0.5"], &cache)).0, "[-0.5f64, -1.0f64]\n");
    assert_eq!(good(&mut run(&["-e", "pick", "[1, 2]", "1", "--threads", "2"], &cache)).0, "2i64\n");
    refused(&mut run(&["-e", "scael", "1"], &cache), &["E0611", "did you mean `scale`"]);
    refused(&mut run(&["1", "2"], &cache), &["E0612"]);
    refused(&mut run(&["-e", "pick", "[1, 2]", "2"], &cache), &["E0501", "index 2", "a.rem:3:"]);
    std::fs::write(elsewhere.path().join("file"), "").expect("written");
    assert_eq!(good(&mut run(&["10"], &elsewhere.path().join("file"))), ("90i64\n".into(), String::new()));
    assert_eq!(good(&mut run(&["10", "--backend", "cpu"], &elsewhere.path().join("new/deep"))).0, "90i64\n");
    // The program makes no other files.
    let mut left: Vec<_> = std::fs::read_dir(elsewhere.path()).expect("read").map(|e| e.expect("read").file_name()).collect();
    left.sort();
    assert_eq!(left, ["cache", "file", "new"]);
}

#[test]
fn without_a_compiler_the_evaluator_runs_programs() {
    let place = Place::new(PROGRAM);
    for cc in ["/nonexistent", "false", "/dev/null"] {
        let (out, err) = good(place.remora(&["run", "a.rem", "10"]).env("CC", cc));
        assert!(out == "90i64\n" && err.contains("note: the evaluator runs this program") && err.contains(cc), "{cc}: {out}{err}");
        refused(place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).env("CC", cc), &["E0615", cc, "--backend interp"]);
        refused(place.remora(&["bench", "a.rem", "10"]).env("CC", cc), &["E0615"]);
    }
    assert_eq!(place.entries(), [""; 0]);
    let noisy = place.script("noisy", "#!/bin/sh\necho 'program.c:1: it is no good' >&2\nexit 3\n");
    refused(place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).env("CC", noisy), &["E0615", "it is no good", "3"]);
    // What is in the cache needs no compiler.
    good(place.remora(&["run", "a.rem", "10"]).env("CC", "cc"));
    place.write("b.rem", PROGRAM);
    assert_eq!(good(place.remora(&["run", "b.rem", "10"]).env("CC", "cc").env("PATH", "")), ("90i64\n".into(), String::new()));
}

#[test]
fn programs_that_run_at_the_same_time() {
    let place = Place::new(PROGRAM);
    for damage in [false, true] {
        if damage {
            std::fs::write(place.entry().join("program.so"), "damaged").expect("written");
        }
        let start = |_| place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let children: Vec<_> = (0..6).map(|k| start(k).expect("it starts")).collect();
        for child in children {
            let output = child.wait_with_output().expect("it ends");
            assert_eq!((text(&output.stdout), text(&output.stderr)), ("90i64\n".into(), String::new()));
        }
        assert!(place.entry().is_dir());
    }
}

#[test]
fn memory_that_is_not_there() {
    let place = Place::new(PROGRAM);
    refused(&mut place.remora(&["run", "a.rem", "-e", "huge", "4398046511104"]), &["E0507", "35184372088832 bytes", "a.rem:5:"]);
    refused(&mut place.remora(&["run", "a.rem", "-e", "huge", "9223372036854775807"]), &["E0504"]);
    // The product of the sizes is 2 to the 64th.
    for sizes in [["8589934592", "2147483648"], ["4294967296", "4294967296"]] {
        refused(&mut place.remora(&["run", "a.rem", "-e", "square", sizes[0], sizes[1]]), &["E0507", "bytes", "a.rem:4:"]);
    }
    refused(&mut place.remora(&["run", "a.rem", "-e", "huge", "-1"]), &["E0504", "-1"]);
    assert_eq!(good(&mut place.remora(&["run", "a.rem", "--threads", "65535", "10"])).0, "90i64\n");
}

#[test]
fn measurements() {
    let place = Place::new(PROGRAM);
    for backend in ["cpu", "interp"] {
        let args = ["bench", "a.rem", "--json", "--seconds", "0.01", "--runs", "12", "--threads", "2", "--backend", backend, "-e", "scale"];
        let (out, err) = good(&mut place.remora(&[&args[..], &["[1, 2, 3]", "-2"]].concat()));
        assert_eq!((out.lines().count(), err.as_str()), (1, ""));
        let report: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let mut keys: Vec<&str> = report.as_object().expect("an object").keys().map(String::as_str).collect();
        keys.sort_unstable();
        let mut documented =
            ["entry", "backend", "threads", "runs", "median_seconds", "min_seconds", "max_seconds", "bytes_per_second", "peak_bytes"];
        documented.sort_unstable();
        assert_eq!(keys, documented);
        assert_eq!((&report["entry"], &report["backend"], &report["threads"]), (&"scale".into(), &backend.into(), &2.into()));
        let number = |key: &str| report[key].as_f64().expect("a number");
        assert!(number("runs") >= 12.0 && number("bytes_per_second") > 0.0);
        assert!(0.0 < number("min_seconds") && number("min_seconds") <= number("median_seconds"));
        assert!(number("median_seconds") <= number("max_seconds"));
    }
    let peak = |n: &str| {
        let (out, _) = good(&mut place.remora(&["bench", "a.rem", "--json", "--seconds", "0.01", "-e", "huge", n]));
        serde_json::from_str::<serde_json::Value>(&out).expect("JSON")["peak_bytes"].as_i64()
    };
    assert_eq!(peak("1000000"), Some(8_000_000));
    refused(&mut place.remora(&["bench", "a.rem", "-e", "pick", "[1]", "5"]), &["E0501"]);
}
