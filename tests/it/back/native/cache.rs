//! The cache of compiled programs, and all that can be wrong with it.

use super::{PROGRAM, Place};
use crate::support::commands::{good, refused};
use std::path::Path;
use std::process::Command;

/// What others can write to is not run.
#[cfg(unix)]
#[test]
fn caches_of_others() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("set");
    let place = Place::new(PROGRAM);
    let run = || good(&mut place.remora(&["run", "a.rem", "--backend", "cpu", "10"]));
    let fine = ("90i64\n".to_string(), String::new());
    assert_eq!(run(), fine);
    let entry = place.entry();
    let made = std::fs::metadata(&entry).expect("there").permissions().mode() & 0o777;
    assert_eq!(made, 0o700, "{made:o}");
    // Somebody else's files in an entry are made again.
    for path in [entry.clone(), entry.join("program.so"), entry.join("stamp"), entry.join("program.c")] {
        mode(&path, 0o777);
        assert_eq!(run(), fine);
        assert_eq!(std::fs::metadata(&path).expect("there").permissions().mode() & 0o022, 0, "{path:?}");
    }
    std::fs::rename(entry.join("program.so"), place.path("elsewhere.so")).expect("moved");
    std::os::unix::fs::symlink(place.path("elsewhere.so"), entry.join("program.so")).expect("a link");
    assert_eq!(run(), fine);
    assert!(!entry.join("program.so").is_symlink());
    // A cache that others can write to is not used at all, and one in a folder of which this is true.
    for open in [place.cache(), place.0.path().to_path_buf()] {
        mode(&open, 0o777);
        let (out, err) = run();
        assert!(out == "90i64\n" && err.contains("note: the cache `") && err.contains("is not used"), "{out}{err}");
        mode(&open, 0o700);
    }
    assert_eq!(run(), fine);
    let fresh = place.path("new/cache");
    good(place.remora(&["run", "a.rem", "10"]).env("REMORA_CACHE", &fresh));
    assert_eq!(std::fs::metadata(&fresh).expect("made").permissions().mode() & 0o777, 0o700);
}

#[test]
fn caches_that_cannot_be_written() {
    let place = Place::new(PROGRAM);
    place.write("file", "");
    let temporary = place.path("tmp");
    std::fs::create_dir(&temporary).expect("made");
    let run = |cache: &str| {
        let mut command = place.remora(&["run", "a.rem", "10"]);
        command.env("REMORA_CACHE", place.path(cache)).env("TMPDIR", &temporary);
        command
    };
    for cache in ["file", "file/deeper", "/dev/full", "/proc/none"] {
        assert_eq!(good(&mut run(cache)), ("90i64\n".into(), String::new()), "{cache}");
    }
    assert_eq!(std::fs::read_dir(&temporary).expect("read").count(), 0, "nothing is left behind");
    refused(run("file").env("TMPDIR", place.path("file")), &["E0616", "REMORA_CACHE"]);
    let home = |command: &mut Command| {
        command.env_remove("REMORA_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", place.path("home"));
        good(command).0
    };
    assert_eq!(home(&mut run("file")), "90i64\n");
    assert!(place.path("home/.cache/remora").is_dir());
}

/// The disk is full in the cache: the compiler cannot write what it makes there.
#[test]
fn a_full_disk() {
    let place = Place::new(PROGRAM);
    let cc = place.script(
        "full",
        "#!/bin/sh\ncase \"$*\" in */cache/*) echo \"fatal error: error writing to program.so: No space left on device\" >&2; exit 1;; esac\nexec cc \"$@\"\n",
    );
    assert_eq!(good(place.remora(&["run", "a.rem", "10"]).env("CC", &cc)), ("90i64\n".into(), String::new()));
    assert_eq!(place.entries(), [""; 0]);
    let nowhere = place.script("nowhere", "#!/bin/sh\necho 'No space left on device' >&2\nexit 1\n");
    refused(place.remora(&["run", "a.rem", "10"]).env("CC", nowhere), &["E0616", "No space left on device"]);
}

#[test]
fn damaged_entries_are_made_again() {
    let place = Place::new(PROGRAM);
    let run = || good(&mut place.remora(&["run", "a.rem", "--backend", "cpu", "10"]));
    let fine = ("90i64\n".to_string(), String::new());
    assert_eq!(run(), fine);
    let entry = place.entry();
    let library = entry.join("program.so");
    let whole = std::fs::read(&library).expect("read");
    let mut flipped = whole.clone();
    for bytes in [&b""[..], &b"no library"[..], &whole[..whole.len() / 2], {
        let middle = flipped.len() / 2;
        flipped[middle] ^= 0x10;
        &flipped[..]
    }] {
        std::fs::write(&library, bytes).expect("written");
        assert_eq!(run(), fine);
        assert_eq!(place.entry(), entry);
        assert!(std::fs::read(&library).expect("read") != bytes);
    }
    for (name, bytes) in [("stamp", ""), ("program.c", "int main;"), ("stamp", "999999999999999999999999 x\n")] {
        std::fs::write(entry.join(name), bytes).expect("written");
        assert_eq!(run(), fine, "{name}");
    }
    for name in ["stamp", "program.c", "program.so"] {
        std::fs::remove_file(entry.join(name)).expect("removed");
        assert_eq!(run(), fine, "{name}");
    }
    // A file where the folder should be.
    std::fs::remove_dir_all(&entry).expect("removed");
    std::fs::write(&entry, "").expect("written");
    assert_eq!(run(), fine);
    assert!(place.entry().is_dir());
}

/// Somebody stops the program while the compiler runs.
#[test]
fn interrupted_runs_leave_no_half_entries() {
    let place = Place::new(PROGRAM);
    let slow = place.script("slow", "#!/bin/sh\necho started > started\nexec sleep 60\n");
    let mut child = place.remora(&["run", "a.rem", "10"]).env("CC", slow).spawn().expect("it starts");
    while !place.path("started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
        assert!(child.try_wait().expect("asked").is_none());
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(place.entries().iter().all(|name| name.contains('.')), "{:?}", place.entries());
    assert_eq!(good(&mut place.remora(&["run", "a.rem", "--backend", "cpu", "10"])).0, "90i64\n");
    // What was left goes after a day.
    let old = std::fs::File::open(place.cache().join(place.entries().iter().find(|name| name.contains('.')).expect("left"))).expect("open");
    old.set_modified(std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 24 * 3600)).expect("set");
    good(&mut place.remora(&["run", "a.rem", "-e", "scale", "[1]", "2"]));
    assert!(place.entries().iter().all(|name| !name.contains('.')), "{:?}", place.entries());
}
