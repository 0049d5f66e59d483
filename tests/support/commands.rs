//! Running commands in tests: those that succeed, and those that are refused.

use std::process::{Command, Output};

/// The text of what a program printed.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command that succeeds; what it printed to standard output and to standard error.
#[track_caller]
pub fn good(command: &mut Command) -> (String, String) {
    let output = command.output().expect("it starts");
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    (out, err)
}

/// Runs a command that fails with a message that has all of the texts in it.
#[track_caller]
pub fn refused(command: &mut Command, texts: &[&str]) -> Output {
    let output = command.output().expect("it starts");
    let err = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{command:?}\n{}{err}", text(&output.stdout));
    for text in texts {
        assert!(err.contains(text) && !err.contains("panicked"), "{command:?}: no {text:?} in\n{err}");
    }
    output
}
