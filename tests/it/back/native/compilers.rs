//! C compilers that are not what they should be.

use super::{PROGRAM, Place};
use crate::support::commands::{good, refused};

/// A compiler that says that all is well but leaves nothing, or something that is no library.
#[test]
fn compilers_that_lie() {
    let place = Place::new(PROGRAM);
    let run = |cc: &str| {
        let mut command = place.remora(&["run", "a.rem", "--backend", "cpu", "10"]);
        command.env("CC", cc);
        command
    };
    refused(&mut run("true"), &["E0615"]);
    let lies = place.script("lies", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\necho nonsense > \"$2\"\n");
    refused(&mut run(&lies), &["E0616"]);
    // Once it works, it works.
    place.script("lies", "#!/bin/sh\nexec cc \"$@\"\n");
    assert_eq!(good(&mut run(&lies)).0, "90i64\n");
}

/// A compiler that has a mistake in what it need not do.
#[test]
fn compilers_that_fail_inside() {
    let place = Place::new(PROGRAM);
    let script = "#!/bin/sh\ncase \"$*\" in\n  *--version*|*loops.c*|*-fno-strict-aliasing*) exec cc \"$@\" ;;\nesac\n\
        echo 'a.c:1: internal compiler error: in build_2' >&2\nexit 1\n";
    let fragile = place.script("fragile", script);
    let (out, err) = good(place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).env("CC", &fragile));
    assert_eq!(out, "90i64\n", "{err}");
    assert!(err.contains("fails with -O3 (a.c:1: internal compiler error: in build_2); this program is compiled with -O1"), "{err}");
    let broken = place.script("broken", "#!/bin/sh\necho 'a.c:1: internal compiler error: in build_2' >&2\nexit 1\n");
    refused(place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).env("CC", &broken), &["E0615", "internal compiler error"]);
}

/// A compiler that makes something wrong of one of the loops of the test, where `when` is among its options; it writes down what it compiles.
fn wrong_compiler(place: &Place, when: &str) -> String {
    let script = format!(
        "#!/bin/sh\nhere=$(dirname \"$0\")\nfor last; do case \"$last\" in *.c) source=$last;; esac; done\n\
         test -n \"$source\" && echo \"$source\" >> \"$here/log\"\n\
         case \"$* \" in *loops.c*) case \" $* \" in *' {when} '*) sed -i 's/few_ = 9/few_ = 8/' \"$source\";; \
         *) sed -i 's/few_ = 8/few_ = 9/' \"$source\";; esac;; esac\nexec cc \"$@\"\n"
    );
    place.script("wrong", &script)
}

/// Compilers are tested once; one that makes wrong programs is used with options with which it makes right ones.
#[test]
fn compilers_that_are_wrong() {
    let place = Place::untested(PROGRAM);
    let wrong = wrong_compiler(&place, "-O3");
    let fault = "was tested: with -O3 loops compute something wrong: `power_i16`, `product_of_itself_i16`, `power_i32` and ";
    let compiled = "programs are compiled with -O2 without vectors";
    let run = |args: &[&str]| good(place.remora(&[&["run", "a.rem", "--backend", "cpu"], args].concat()).env("CC", &wrong));
    let (out, err) = run(&["10"]);
    assert!(out == "90i64\n" && err.contains(fault) && err.contains(compiled), "{out}{err}");
    let tests = || std::fs::read_to_string(place.path("log")).expect("a log").matches("loops.c").count();
    assert_eq!(tests(), 2, "two steps were tried");
    // The verdict is kept: nothing is tested again, and a program in the cache needs no compiler.
    let (_, err) = run(&["-e", "scale", "[1]", "2"]);
    assert!(err.contains(fault) && err.contains(compiled), "{err}");
    assert_eq!(run(&["10"]), ("90i64\n".into(), String::new()));
    assert_eq!(tests(), 2);
    // Another compiler of this name is tested.
    place.script("wrong", "#!/bin/sh\nexec cc \"$@\"\n");
    assert_eq!(run(&["-e", "pick", "[1, 2]", "1"]), ("2i64\n".into(), String::new()));
}

/// A compiler that is wrong whatever it is told is not used.
#[test]
fn compilers_that_are_always_wrong() {
    let place = Place::untested(PROGRAM);
    let wrong = wrong_compiler(&place, "-w");
    refused(
        place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).env("CC", &wrong),
        &["E0615", "makes wrong programs", "with -O0 loops compute something wrong: `power_i16`", "REMORA_CFLAGS (`-O1`)"],
    );
    let (out, err) = good(place.remora(&["run", "a.rem", "10"]).env("CC", &wrong));
    assert!(out == "90i64\n" && err.contains("note: the evaluator runs this program"), "{out}{err}");
}

/// Test programs that do not end, and those that cannot be started: the first is a fault, the second says nothing about programs.
#[test]
fn compilers_whose_programs_do_not_run() {
    let place = Place::untested(PROGRAM);
    let stuck = "#!/bin/sh\nfor last; do case \"$last\" in *.c) source=$last;; esac; done\n\
        case \" $* \" in *' -O3 '*loops.c*) sed -i 's/alarm(10);/alarm(1); for (;;);/' \"$source\";; \
        *loops.c*) sed -i 's/alarm(1); for (;;);/alarm(10);/' \"$source\";; esac\nexec cc \"$@\"\n";
    let stuck = place.script("stuck", stuck);
    let (out, err) = good(place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).env("CC", &stuck));
    assert!(out == "90i64\n" && err.contains("with -O3 a test program ends with signal: 14"), "{out}{err}");
    let odd = "#!/bin/sh\nfor last; do case \"$last\" in *.c) source=$last;; esac; done\n\
        for word; do test \"$before\" = -o && made=$word; before=$word; done\n\
        cc \"$@\" && case \"$source\" in *loops.c) chmod -x \"$made\";; *) true;; esac\n";
    let odd = place.script("odd", odd);
    let (out, err) = good(place.remora(&["run", "a.rem", "--backend", "cpu", "10"]).env("CC", &odd));
    assert!(out == "90i64\n" && err.contains("a test program cannot be started"), "{out}{err}");
}
