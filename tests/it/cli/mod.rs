//! The program `remora` on the command line.

mod commands;
mod expectations;
mod fmt;
mod lsp;
mod pictures;
mod profile;
mod repl;
mod tools;
mod tune;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A folder with files, in which commands are run.
pub struct Place(tempfile::TempDir);

/// What a command came to.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().expect("a folder"));
        for (name, text) in files {
            std::fs::write(place.path().join(name), text).expect("written");
        }
        place
    }
    pub fn path(&self) -> &Path {
        self.0.path()
    }
    pub fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, b"")
    }
    pub fn run_with(&self, args: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.current_dir(self.path()).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("remora starts");
        // A program that does not read its input closes the pipe early.
        child.stdin.take().expect("piped").write_all(input).ok();
        let output = child.wait_with_output().expect("remora ends");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let ran = Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ran.err.contains("panicked"), "{args:?}\n{}", ran.err);
        ran
    }
    /// Runs a command that succeeds, and returns what it printed.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}\n{}{}", ran.out, ran.err);
        ran.out
    }
    /// Runs a command that fails with this code and a message that contains all of the texts.
    #[track_caller]
    pub fn refused(&self, args: &[&str], texts: &[&str]) {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(1), "{args:?}\n{}{}", ran.out, ran.err);
        for text in texts {
            assert!(ran.err.contains(text), "{args:?}: no {text:?} in\n{}", ran.err);
        }
    }
}
