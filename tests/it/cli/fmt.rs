//! `remora fmt`: files, folders, standard input, what is refused, and that nothing is lost.

use super::Place;
use std::path::Path;

const LOOSE: &str = "def f x=x+1 -- more\n";
const NEAT: &str = "def f x = x + 1 -- more\n";

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path().join(name)).expect("text")
}

#[test]
fn files_and_folders_are_formatted_and_checked() {
    let place =
        Place::new(&[("a.rem", LOOSE), ("b.fut", LOOSE), ("c.rem", NEAT), ("d.txt", LOOSE), ("e.remc", "(def)"), (".hidden.rem", LOOSE)]);
    let modified = |name: &str| std::fs::metadata(place.path().join(name)).and_then(|data| data.modified()).expect("a time");
    let before = modified("c.rem");
    let ran = place.run(&["fmt", "--check", "."]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "./a.rem\n./b.fut\n"));
    assert_eq!(read(&place, "a.rem"), LOOSE);
    let ran = place.run(&["fmt", "--diff", "a.rem", "c.rem"]);
    assert_eq!(ran.code, Some(1), "there are differences");
    assert_eq!(place.run(&["fmt", "--diff", "c.rem"]).code, Some(0));
    assert!(ran.out.contains("-def f x=x+1 -- more\n+def f x = x + 1 -- more\n"), "{}", ran.out);
    assert_eq!(place.run(&["fmt", "--diff", "--check", "a.rem"]).code, Some(1));
    assert_eq!(place.ok(&["fmt", "."]), "");
    assert_eq!([read(&place, "a.rem"), read(&place, "b.fut"), read(&place, "c.rem")], [NEAT; 3]);
    assert_eq!([read(&place, "d.txt"), read(&place, ".hidden.rem")], [LOOSE; 2]);
    assert_eq!(modified("c.rem"), before, "what is formatted already is not written");
    assert_eq!(place.ok(&["fmt", "--check", "."]), "");
}

#[test]
fn standard_input_and_lines() {
    let place = Place::new(&[("a.rem", "def a=1\ndef b=2\ndef c=3\n")]);
    let ran = place.run_with(&["fmt", "-"], LOOSE.as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), NEAT));
    assert_eq!(place.run_with(&["fmt", "-", "--check"], LOOSE.as_bytes()).code, Some(1));
    place.ok(&["fmt", "--lines", "2:2", "a.rem"]);
    assert_eq!(read(&place, "a.rem"), "def a=1\ndef b = 2\ndef c=3\n");
    assert_eq!(place.run(&["fmt", "--lines", "2:1", "a.rem"]).code, Some(2));
    place.refused(&["fmt", "--lines", "50:60", "a.rem"], &["E0618", "`--lines 50:60`", " lines"]);
    place.refused(&["fmt", "--lines", "1:2", "a.rem", "a.rem"], &["E0618", "there are 2"]);
}

#[test]
fn what_cannot_be_formatted_stays() {
    let broken = "def f = (1\ndef g=2\n";
    let place = Place::new(&[("a.rem", broken), ("b.rem", LOOSE), ("c.remc", "(define x 1)\n"), ("d.txt", "x")]);
    std::fs::write(place.path().join("e.rem"), b"def s = \"\xff\"\n").expect("written");
    place.refused(&["fmt", "a.rem", "b.rem"], &["E0105", "a.rem:2:1"]);
    assert_eq!(read(&place, "a.rem"), broken);
    assert_eq!(read(&place, "b.rem"), NEAT, "the other file is formatted");
    place.refused(&["fmt", "c.remc"], &["E0621", "c.remc"]);
    place.refused(&["fmt", "d.txt"], &["E0621", "standard input"]);
    place.refused(&["fmt", "e.rem"], &["E0602", "e.rem:1:10"]);
    place.refused(&["fmt", "nothing.rem"], &["E0601"]);
    let ran = place.run_with(&["fmt", "-"], broken.as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
}

#[cfg(unix)]
#[test]
fn links_stay_and_what_may_not_be_written_is_not() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new(&[("a.rem", LOOSE), ("b.rem", LOOSE)]);
    let at = |name: &str| place.path().join(name);
    symlink("a.rem", at("link.rem")).expect("a link");
    place.ok(&["fmt", "link.rem"]);
    assert_eq!(read(&place, "a.rem"), NEAT);
    assert!(at("link.rem").is_symlink());
    std::fs::set_permissions(at("b.rem"), std::fs::Permissions::from_mode(0o444)).expect("set");
    place.refused(&["fmt", "b.rem"], &["E0603"]);
    assert_eq!(read(&place, "b.rem"), LOOSE);
    // Folders that contain themselves.
    std::fs::create_dir(at("inner")).expect("made");
    symlink("..", at("inner/up")).expect("a link");
    assert_eq!(place.run(&["fmt", "--check", "inner"]).code, Some(0));
    let left: Vec<_> = std::fs::read_dir(place.path()).expect("a folder").map(|entry| entry.expect("read").file_name()).collect();
    assert_eq!(left.len(), 4, "nothing is left behind: {left:?}");
}

#[test]
fn long_programs_take_no_time() {
    let text = "def f [n] (xs: [n]i64) (y: i64) =\n  let z = map (\\x -> x * y + 1) xs\n  in if y > 0 then z else xs\n".repeat(3000);
    let place = Place::new(&[("a.rem", &text)]);
    assert!(Path::new(env!("CARGO_BIN_EXE_remora")).exists());
    place.ok(&["fmt", "--check", "a.rem"]);
}
