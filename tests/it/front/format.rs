//! The formatter: the style, and that no program becomes another.

use crate::support::programs::{Source, programs};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use remora::base::{FileId, SourceMap, with_big_stack};
use remora::driver;
use remora::front::format::{self, Edit};
use remora::front::resolve::Loader;
use remora::front::syntax::lexer::{Tok, lex};
use remora::ir::core;
use std::ops::Range;
use std::path::Path;

fn format(text: &str) -> String {
    with_big_stack(|| format::format(FileId(0), text, false)).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0].message))
}

fn edits(text: &str, lines: Range<usize>) -> Vec<Edit> {
    with_big_stack(|| format::edits(FileId(0), text, false, Some(lines))).expect("it can be read")
}

/// Both texts in the style.
#[track_caller]
fn check(source: &str, expected: &str) {
    let formatted = format(source);
    assert_eq!(formatted, expected);
    assert_eq!(format(&formatted), expected, "not stable");
}

/// All tokens but those that may be left out, and all comments.
fn kept(text: &str) -> (Vec<&str>, Vec<&str>) {
    let lexed = lex(FileId(0), text);
    let (mut tokens, mut comments, mut at) = (Vec::new(), Vec::new(), 0);
    for token in &lexed.tokens {
        let between = &text[at..token.start as usize];
        comments.extend(between.lines().filter_map(|line| Some(line[line.find("--")?..].trim_end())));
        at = token.end as usize;
        if !matches!(token.tok, Tok::In | Tok::Comma) {
            tokens.push(&text[token.start as usize..at]);
        }
    }
    (tokens, comments)
}

/// The programs of the repository that can be read, with their texts.
fn sources() -> Vec<(Source, String)> {
    let all = programs(&["tests/data/corpus", "tests/data/reports", "stdlib", "examples"]);
    assert!(all.len() > 1000, "the programs are there");
    let with_text = |source: Source| Some((std::fs::read_to_string(&source.path).ok()?, source));
    all.into_iter().filter_map(with_text).map(|(text, source)| (source, text)).collect()
}

#[test]
fn programs_of_the_repository_keep_their_tokens_and_comments_and_are_stable() {
    with_big_stack(|| {
        let mut formatted = 0;
        for (source, text) in sources() {
            let Ok(once) = format::format(FileId(0), &text, true) else { continue };
            let twice = format::format(FileId(0), &once, true).unwrap_or_else(|_| panic!("{} is broken", source.name));
            assert_eq!(once, twice, "{} is not stable", source.name);
            assert_eq!(kept(&text), kept(&once), "{}", source.name);
            for (number, line) in once.lines().enumerate() {
                assert_eq!(line.trim_end(), line, "{}:{}", source.name, number + 1);
                let code = line.split("--").next().unwrap_or("");
                let long = code.chars().count() > 100 && !code.contains('"') && !line.trim_start().starts_with("--");
                assert!(!long, "{}:{} is longer than a line: {line}", source.name, number + 1);
            }
            formatted += 1;
        }
        assert!(formatted > 1000, "{formatted} programs were formatted");
    });
}

struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(path).map_err(|error| error.to_string())
    }
}

/// The core of a program, and the codes of what is said about it.
fn checked(path: &Path, text: &str) -> (String, Vec<&'static str>) {
    let mut sources = SourceMap::default();
    let root = sources.add(path.to_string_lossy(), text);
    let mut checked = driver::check(&mut sources, &Disk, root);
    let codes = checked.diagnostics.iter().map(|diagnostic| diagnostic.code.number()).collect();
    checked.core.defs.retain(|define| define.span.file == root);
    (core::print::program(&checked.core), codes)
}

/// Some programs each time, all with `REMORA_FORMAT=all`: that the trees are the same is checked by the formatter for all of them.
#[test]
fn core_is_the_same_before_and_after() {
    let all = std::env::var("REMORA_FORMAT").is_ok_and(|which| which == "all");
    with_big_stack(|| {
        let (mut changed, mut compared) = (0, 0);
        for (source, text) in &sources() {
            let Ok(formatted) = format::format(FileId(0), text, source.name.ends_with(".fut")) else { continue };
            if formatted == *text {
                continue;
            }
            changed += 1;
            if all || changed % 20 == 0 {
                assert_eq!(checked(&source.path, text), checked(&source.path, &formatted), "{}", source.name);
                compared += 1;
            }
        }
        assert!(compared > 10, "{compared} of {changed} programs were compared");
    });
}

/// Another layout of a program: what is between tokens is drawn anew, where there is anything; comments are added.
fn disturbed(text: &str, mut random: u64) -> String {
    let mut next = |below: u64| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) % below
    };
    let lexed = lex(FileId(0), text);
    let (mut out, mut at) = (String::new(), 0);
    for (number, token) in lexed.tokens.iter().enumerate() {
        let between = &text[at..token.start as usize];
        if between.contains("--") || between.is_empty() {
            out.push_str(between);
        } else {
            match next(20) {
                0 => out.push('\n'),
                1 => out.push_str("\n\n\n   "),
                2 => out.push_str(&format!(" -- behind {number}\n")),
                3 => out.push_str(&format!("\n  -- above {number}\n\n-- again {number}\n")),
                4 => out.push('\t'),
                5 => out.push_str("     "),
                6 => out.push_str("\r\n "),
                7..14 => out.push(' '),
                _ => out.push_str(between),
            }
        }
        at = token.end as usize;
        out.push_str(&text[token.start as usize..at]);
    }
    out
}

fn small_sources() -> &'static [(Source, String)] {
    static SMALL: std::sync::OnceLock<Vec<(Source, String)>> = std::sync::OnceLock::new();
    let readable = |text: &str| with_big_stack(|| format::format(FileId(0), text, false)).is_ok();
    SMALL.get_or_init(|| sources().into_iter().filter(|(_, text)| text.len() < 3000 && readable(text)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn layouts_of_programs_keep_comments_and_are_stable(which in any::<prop::sample::Index>(), random in any::<u64>()) {
        let (source, text) = which.get(small_sources());
        let text = disturbed(text, random);
        let once = format(&text);
        prop_assert_eq!(&format(&once), &once, "{} is not stable", source.name);
        prop_assert_eq!(kept(&text), kept(&once), "{}", source.name);
    }

    /// Lines are formatted one after the other until all are.
    #[test]
    fn ranges_keep_programs(which in any::<prop::sample::Index>(), random in any::<u64>(), from in 0usize..60, count in 1usize..20) {
        let (source, text) = which.get(small_sources());
        let text = disturbed(text, random);
        let edits = edits(&text, from..from + count);
        let some = format::apply(&text, &edits);
        prop_assert_eq!(kept(&text), kept(&some), "{}", source.name);
        let all = with_big_stack(|| format::edits(FileId(0), &text, false, None)).expect("it can be read");
        prop_assert!(edits.iter().all(|edit| all.contains(edit)), "{}", source.name);
        prop_assert_eq!(format::apply(&text, &all), format(&text), "{}", source.name);
    }
}

#[test]
fn spaces() {
    check(
        "def   f 'a[n][m] (x:i64)(ys :[n+1]a) :i64=x+1* -y-(-z) ** 2\n",
        "def f 'a [n] [m] (x: i64) (ys: [n+1]a) : i64 = x + 1 * -y - (-z) ** 2\n",
    );
    check("def g = a[ i,1 : n - 1,::2 ]+b [1 ,2]\n", "def g = a[i, 1:n-1, ::2] + b [1, 2]\n");
    check("def h r = r with x . y = {a=1,b}  with [ 0 ]=(.x)r\n", "def h r = r with x.y = {a = 1, b} with [0] = (.x) r\n");
    check("def k = (+ 1) ((* ) 2 3) `m . f` x i64.+ y\n", "def k = (+ 1) ((*) 2 3) `m.f` x i64.+ y\n");
    check("def l = 1 .. 3 ..< n+1\n", "def l = 1..3..<n+1\n");
    check("def l = - -x : i64 :> [ n ] i64\n", "def l = - -x : i64 :> [n]i64\n");
    check("val  (+) 't :  t->( x:t )->?[ n ] . * [n] t\n", "val (+) 't : t -> (x: t) -> ?[n].*[n]t\n");
    check("val f : * *[]i32-> *  * *[]i32\n", "val f : * *[]i32 -> * * *[]i32\n");
    check("type^ t '^a = #a|#b{ x :i64 ,y:(a ,a) }\n", "type^ t '^a = #a | #b {x: i64, y: (a, a)}\n");
    check("def m=#[unroll]loop x for _i<3 do m . (x)\n", "def m = #[unroll] loop x for _i < 3 do m.(x)\n");
    check("-- a\u{a0}\u{b}\ndef n=1 -- b\u{b}\u{2003}", "-- a\ndef n = 1 -- b\n");
    check("def f = (a\n-- one\n, -- two\nb)\n", "def f = (a,\n         -- one\n         -- two\n         b)\n");
    check(
        "module m(p:{ type t }):s with t=i64=f ( g p ){def x=1}\n",
        "module m (p: { type t }) : s with t = i64 = f (g p) { def x = 1 }\n",
    );
    check("local  open  m\nimport   \"a\"\n#[inline]def x `f` y=x\n", "local open m\nimport \"a\"\n#[inline] def x `f` y = x\n");
}

#[test]
fn forms_on_several_lines() {
    check("def f x = let y = 1 let z = 2 in\n y\n", "def f x =\n  let y = 1\n  let z = 2\n  in y\n");
    check("def f x = let y = 1 in let z = 2 in z\n", "def f x =\n  let y = 1\n  let z = 2\n  in z\n");
    check("def f x = let y = x in y\n", "def f x = let y = x in y\n");
    check("def f x = if x then 1\n   else if y then 2 else 3\n", "def f x =\n  if x then 1\n  else if y then 2\n  else 3\n");
    check("def f x = if x\n then let y = 1\n in y else 2\n", "def f x =\n  if x then\n    let y = 1\n    in y\n  else 2\n");
    check("def f x = match x case #a -> 1\n case #b ->\n 2\n", "def f x =\n  match x\n  case #a -> 1\n  case #b ->\n    2\n");
    check("def f x = loop y = x for i < n do let z = y\n in z\n", "def f x =\n  loop y = x for i < n do\n    let z = y\n    in z\n");
    check("def f x = map (\\y -> let z = y\n in z) x\n", "def f x = map (\\y ->\n  let z = y\n  in z) x\n");
    check("def f = [ 1\n , 2\n , 3\n ]\n", "def f = [1,\n         2,\n         3]\n");
    check("def f = [1, 2, ]\n", "def f = [1, 2]\n");
    check("def f = a +\n b\n |> c\n", "def f = a\n  + b\n  |> c\n");
    check("def f =\n a\n + b\n", "def f =\n  a\n  + b\n");
    check("module m = { def x = 1\n def y = 2 }\n", "module m = {\n  def x = 1\n  def y = 2\n}\n");
    check("type t = #a\n | #b\n", "type t = #a\n  | #b\n");
}

#[test]
fn comments_and_empty_lines() {
    check("\n\n-- a\n\n\n\n-- b\ndef f = 1   -- c\n\n\n\n-- d\n", "-- a\n\n-- b\ndef f = 1   -- c\n\n-- d\n");
    check("def f = [1 -- one\n , 2 -- two\n ]\n", "def f = [1, -- one\n         2 -- two\n  ]\n");
    check(
        "def f =\n  let x = 1 in -- why\n  let y = 2\n\n  -- how\n  in y\n",
        "def f =\n  let x = 1 -- why\n  let y = 2\n\n  -- how\n  in y\n",
    );
    check("module m = {\n-- a\ndef x = 1\n-- b\n}\n", "module m = {\n  -- a\n  def x = 1\n  -- b\n}\n");
    check(
        "-- ==\n-- entry: f\n-- input { 1   2 }\n--   output  { 3 }\nentry f x y=x\n",
        "-- ==\n-- entry: f\n-- input { 1   2 }\n--   output  { 3 }\nentry f x y = x\n",
    );
    check("", "");
    check("  \n\n", "");
    check("-- only a comment", "-- only a comment\n");
}

#[test]
fn lines_end_as_the_first_one_does() {
    check("def f =\r\n  1\r\ndef g=2\n", "def f =\r\n  1\r\ndef g = 2\r\n");
    check("def f=1 -- a\r\n", "def f = 1 -- a\r\n");
    let lines = edits("def f=1\r\n\r\ndef g=2\r\n", 2..3);
    assert_eq!(lines, vec![Edit { range: 9..20, text: "\r\ndef g = 2\r\n".into() }]);
}

#[test]
fn ranges_of_lines() {
    let text = "def a=1\ndef b=2\nmodule m = {\n  def c=3\n  def d=4\n}\n";
    let with = |lines| format::apply(text, &edits(text, lines));
    assert_eq!(with(1..2), text.replace("b=2", "b = 2"));
    assert_eq!(with(4..5), text.replace("d=4", "d = 4"));
    assert_eq!(with(0..100), format(text));
    assert_eq!(with(50..51), text);
}

#[test]
fn parts_of_numbers_are_no_numbers() {
    assert_eq!(format("def t = let xs = rep 1.\t0 in xs\n"), "def t = let xs = rep 1 .0 in xs\n");
    assert_eq!(format("def f (t: ((i64, i64), i64)) = t . 0 . 1 + t.0.1\n"), format("def f (t: ((i64, i64), i64)) = t.0 .1 + t.0.1\n"));
}

/// Whatever lines are asked for, the program stays the same: `edits` looks.
#[test]
fn ranges_beside_commas_and_comments() {
    let text = "def f (x: i64) =\n  let y = x -- behind\n   in -- in\n   let z = y\n  in [ 7 -- one\n     , 2 -- two\n\n     , z, -- three\n     ][0] -- end\n";
    let count = text.lines().count();
    for start in 0..count {
        for end in start + 1..count + 1 {
            let some = format::apply(text, &edits(text, start..end));
            assert_eq!(format(&some), format(text), "{start}..{end}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_not_formatted() {
    let errors = format::format(FileId(0), "def f = (1\n", false).expect_err("a bracket is open");
    assert_eq!(errors[0].code.number(), "E0105");
    // Numbers wrap around in `.fut` files.
    assert!(format::format(FileId(0), "def x = 300u8\n", false).is_err());
    assert!(format::format(FileId(0), "def x = 300u8\n", true).is_ok());
}

#[test]
fn deep_and_long_programs() {
    let deep = format!("def f = {}1{}\n", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(kept(&format(&deep)), kept(&deep));
    let long = format!("def f = 1{}\n", " + 1".repeat(50_000));
    assert_eq!(kept(&format(&long)), kept(&long));
}
