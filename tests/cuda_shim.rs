//! The device library and the stand-in device: every function of the one on the other, and mistakes that it has to find.

#![allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests read files and start programs")]
#![allow(unsafe_code, reason = "calls of the stand-in device")]

mod support;

use crate::support::shim::{self, Machine, Schedule};
use std::ffi::{CStr, c_char, c_void};
use std::process::Command;

/// Runs a program; whether it succeeded, and what it printed.
fn run(program: &std::path::Path, args: &[&str]) -> (bool, String) {
    let output = Command::new(program).args(args).output().expect("it starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

#[test]
fn functions_of_the_device_library_give_what_loops_give() {
    let kernels = shim::read("tests/support/shim/library.cu");
    let program = shim::program(&kernels, &shim::read("tests/support/shim/library.cpp")).unwrap_or_else(|error| panic!("{error}"));
    let schedules = [["0", "1"], ["1", "1"], ["2", "1"], ["2", "2"]];
    std::thread::scope(|scope| {
        let program = &program;
        let runs = schedules.map(|schedule| (schedule, scope.spawn(move || run(program, &schedule))));
        for (schedule, ran) in runs {
            let (good, text) = ran.join().expect("no panic");
            assert!(good && text.contains(" comparisons, 0 wrong"), "schedule {schedule:?}:\n{text}");
        }
    });
}

/// What has to be found in each faulty kernel: under every schedule, or under one of them at least.
const FAULTS: &[(&str, &str, bool)] = &[
    ("fault_store", "0 bytes behind the end of an allocation of 2048 bytes", true),
    ("fault_load", "0 bytes behind the end of an allocation of 2048 bytes", true),
    ("fault_before", "write around an allocation of 2048 bytes", true),
    ("fault_shared", "0 bytes behind the end of an array in shared memory of 1024 bytes", true),
    ("fault_some_wait", "barrier divergence: thread", true),
    ("fault_two_barriers", "barrier divergence: thread", true),
    ("fault_warp", "deadlock; thread", true),
    ("fault_wait", "waits for memory at line", true),
    ("fault_stack", "the stack of the thread is too small", true),
    ("fault_misaligned", "misaligned: thread", true),
    ("fault_unknown", "there is no kernel `fault_unknown`", true),
    // These have wrong results.
    ("fault_dropped", "wrong", true),
    ("fault_uninitialised", "wrong", true),
    // In order, neighbours find what they should wait for.
    ("fault_dropped_below", "wrong", false),
    // In order of the blocks, the last one finds what it should wait for.
    ("fault_counter", "wrong", false),
];

#[test]
fn planted_faults_are_found() {
    let program = shim::program(&shim::read("tests/support/shim/faults.cu"), &shim::read("tests/support/shim/faults.cpp"))
        .unwrap_or_else(|error| panic!("{error}"));
    let (good, text) = run(&program, &[]);
    assert!(good, "{text}");
    let said = |kernel: &str| -> Vec<String> {
        let prefix = |schedule: i32| format!("{kernel} {schedule}: ");
        (0..3).map(|k| text.lines().find_map(|line| line.strip_prefix(&prefix(k))).unwrap_or("nothing").to_string()).collect()
    };
    assert_eq!(said("fault_none"), ["turned"; 3], "a kernel without a mistake");
    for (kernel, what, always) in FAULTS {
        let found = said(kernel).iter().filter(|line| line.contains(what)).count();
        assert!(if *always { found == 3 } else { found > 0 }, "{kernel} is not found:\n{text}");
    }
    assert_eq!(said("fault_dropped_below")[0], "below", "one schedule alone does not find it:\n{text}");
    for line in ["has 5 parameters and got 1 arguments", "out of memory: 9223372036854775807 bytes", "get of 101 bytes outside", "live: 1"]
    {
        assert!(text.contains(line), "`{line}` is missing:\n{text}");
    }
}

#[test]
fn faults_are_found_where_accesses_are_watched() {
    let program = shim::watched_program(&shim::read("tests/support/shim/faults.cu"), &shim::read("tests/support/shim/watched.cpp"))
        .unwrap_or_else(|error| panic!("{error}"));
    let (good, text) = run(&program, &[]);
    assert!(good, "{text}");
    let said = |kernel: &str| text.lines().find_map(|line| line.strip_prefix(kernel)).unwrap_or_else(|| panic!("{kernel}:\n{text}"));
    assert_eq!(said("fault_none: "), "16843009", "{text}");
    assert!(said("fault_fence: ").contains("missing fence: thread 1 of block"), "{text}");
    let counted: i32 = said("fault_update: ").parse().unwrap_or_else(|_| panic!("{text}"));
    assert!(0 < counted && counted < 256, "{text}");
}

/// `remora_device` (src/back/cuda/table.h).
#[repr(C)]
struct Table {
    this: *mut c_void,
    alloc: unsafe extern "C" fn(*mut c_void, i64, *mut *mut c_void) -> i32,
    release: unsafe extern "C" fn(*mut c_void, *mut c_void, i64),
    put: unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, i64) -> i32,
    get: unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, i64) -> i32,
    copy: unsafe extern "C" fn(*mut c_void, *mut c_void, *const c_void, i64) -> i32,
    fill: unsafe extern "C" fn(*mut c_void, *mut c_void, i32, i64) -> i32,
    launch: unsafe extern "C" fn(*mut c_void, *const c_char, i64, i32, i64, *mut *mut c_void, i32) -> i32,
    ask: unsafe extern "C" fn(*mut c_void, i32) -> i64,
    message: unsafe extern "C" fn(*mut c_void) -> *const c_char,
}

/// A kernel that fails for one element.
const SQUARES: &str = r#"
extern "C" __global__ void __launch_bounds__(256) squares(remora_failure *failure, int64_t launch, int64_t width, int64_t *xs) {
  REMORA_KERNEL
  remora_for_each(width, [&](int64_t i) {
    if (xs[i] < 0) {
      remora_fail(failure, launch, i, 2, xs[i]);
    }
    xs[i] = xs[i] * xs[i];
  });
}
REMORA_ENTRY(squares)
"#;

#[test]
fn a_process_uses_several_machines() {
    let path = shim::kernels(&(shim::library() + SQUARES)).unwrap_or_else(|error| panic!("{error}"));
    std::thread::scope(|scope| {
        for schedule in [Schedule::Forwards, Schedule::Backwards, Schedule::Random(5)] {
            let path = &path;
            scope.spawn(move || {
                let machine = Machine::open(path).unwrap_or_else(|error| panic!("{error}"));
                machine.schedule(schedule);
                // SAFETY: the table is that of the machine, and of this type.
                unsafe { squares(&machine, &*machine.table().cast::<Table>()) };
            });
        }
    });
}

/// # Safety
/// The table is that of the machine.
unsafe fn squares(machine: &Machine, table: &Table) {
    let (mut failure, mut xs) = (std::ptr::null_mut(), std::ptr::null_mut());
    let mut host: Vec<i64> = (-1..1000).collect();
    let (mut launch, mut width, bytes) = (1i64, host.len() as i64, host.len() as i64 * 8);
    unsafe {
        assert_eq!((table.alloc)(table.this, 128, &mut failure), 0);
        assert_eq!((table.fill)(table.this, failure, 0, 128), 0);
        assert_eq!((table.alloc)(table.this, bytes, &mut xs), 0);
        assert_eq!((table.put)(table.this, xs, host.as_ptr().cast(), bytes), 0);
        let mut args: [*mut c_void; 4] =
            [(&raw mut failure).cast(), (&raw mut launch).cast(), (&raw mut width).cast(), (&raw mut xs).cast()];
        let failed = (table.launch)(table.this, c"squares".as_ptr(), 2, 256, 0, args.as_mut_ptr(), 4);
        assert_eq!(failed, 0, "{:?}", CStr::from_ptr((table.message)(table.this)));
        assert_eq!((table.get)(table.this, host.as_mut_ptr().cast(), xs, bytes), 0);
        let mut code = [0i32; 2];
        assert_eq!((table.get)(table.this, code.as_mut_ptr().cast(), failure, 8), 0);
        assert_eq!(code[0], 3);
        // What is one byte too long is no device memory.
        assert_eq!((table.copy)(table.this, xs, xs, bytes + 1), 1);
        assert!((table.ask)(table.this, 0) > 0 && machine.launches() == 1 && machine.live() == 2);
        (table.release)(table.this, xs, bytes);
        (table.release)(table.this, failure, 128);
    }
    assert_eq!(host, (-1..1000).map(|x: i64| x * x).collect::<Vec<_>>());
    assert_eq!(machine.live(), 0);
}
