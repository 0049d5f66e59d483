//! Compiled programs under the address and undefined-behaviour sanitizers of the C compiler.

use std::path::Path;
use std::process::Command;

/// What is an error in a compiled program; each ends the process with a report. Leaks count. Accesses are checked by calls, and not for null
/// by a check of its own, which is memory that nobody has: both halve the C compiler's work.
const FLAGS: &str = "-g1 -fsanitize=address,undefined -fno-sanitize=null -fno-sanitize-recover=undefined -fno-omit-frame-pointer \
                     --param asan-instrumentation-with-call-threshold=0";

/// Has the programs that `remora` compiles for processors run with sanitizers, compiled with further `flags` (`-O1`). The sanitizers come first in the
/// process, which itself is not made with them; the C compiler runs without.
///
/// # Errors
/// That the C compiler has none.
pub fn prepare(command: &mut Command, flags: &str) -> Result<(), String> {
    let cc = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let library = |name: &str| -> Result<String, String> {
        let output = Command::new(&cc).arg(format!("-print-file-name={name}")).output().map_err(|error| format!("{cc}: {error}"))?;
        let path = String::from_utf8_lossy(&output.stdout).trim().to_string();
        if Path::new(&path).is_absolute() { Ok(path) } else { Err(format!("{cc} has no sanitizers: there is no {name}")) }
    };
    let preload = format!("{} {}", library("libasan.so")?, library("libubsan.so")?);
    command.env("REMORA_CFLAGS", format!("{FLAGS} {flags}")).env("CC", format!("env -u LD_PRELOAD {cc}")).env("LD_PRELOAD", preload);
    command.env("ASAN_OPTIONS", "detect_leaks=1:allocator_may_return_null=1").env("UBSAN_OPTIONS", "print_stacktrace=1");
    Ok(())
}
