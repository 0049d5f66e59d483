//! What the tests of the passes are written with: texts before and after.

use super::Pass;
use crate::base::{SourceMap, with_big_stack};
use crate::ir::soac::visit_mut::renumber;
use crate::ir::soac::{Program, check, print, read};

/// Reads a program that is known to be valid.
pub(super) fn program(text: &str) -> Program {
    let mut sources = SourceMap::default();
    let file = sources.add("test.soac", text.to_owned());
    match read::program(file, text) {
        Ok(program) => program,
        Err(all) => panic!("{}\n{text}", all.iter().map(|d| d.message.clone()).collect::<Vec<_>>().join("\n")),
    }
}

/// What some passes make of a program.
pub(super) fn after(passes: &[Pass], text: &str) -> Program {
    let mut program = program(text);
    for pass in passes {
        program = pass(program);
        check::validate(&program).expect("passes keep programs valid");
    }
    renumber(&mut program);
    program
}

/// Some passes make one program of another.
#[track_caller]
pub(super) fn becomes(passes: &[Pass], before: &str, expected: &str) {
    let (found, mut expected) = with_big_stack(|| (after(passes, before), program(expected)));
    renumber(&mut expected);
    pretty_assertions::assert_eq!(print::program(&found), print::program(&expected));
}

/// The body of an entry point with these parameters becomes another.
#[track_caller]
pub(super) fn body_becomes(passes: &[Pass], signature: &str, before: &str, expected: &str) {
    becomes(passes, &format!("(entry f {signature} {before})"), &format!("(entry f {signature} {expected})"));
}

/// Some passes change nothing.
#[track_caller]
pub(super) fn stays(passes: &[Pass], signature: &str, body: &str) {
    body_becomes(passes, signature, body, body);
}
