//! What surrounds the compiler: completions, manual pages, new programs, the doctor, watching.

use super::Place;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

#[test]
fn completions_and_manual_pages() {
    let place = Place::new(&[]);
    for (shell, text) in [("bash", "_remora()"), ("zsh", "#compdef remora"), ("fish", "complete -c remora")] {
        let script = place.ok(&["completions", shell]);
        assert!(script.contains(text) && script.contains("fmt"), "{script}");
    }
    assert_eq!(place.run(&["completions", "sh"]).code, Some(2));
    let pages = place.ok(&["man", "pages/man1"]);
    assert!(pages.lines().any(|page| page == "pages/man1/remora-fmt.1"), "{pages}");
    let page = std::fs::read_to_string(place.path().join("pages/man1/remora-fmt.1")).expect("a page");
    assert!(page.contains(".TH remora-fmt 1") && page.contains("\\-\\-check"), "{page}");
    std::fs::write(place.path().join("file"), "").expect("written");
    place.refused(&["man", "file"], &["E0603"]);
}

#[test]
fn new_programs_are_right() {
    let place = Place::new(&[]);
    assert_eq!(place.ok(&["new", "heat"]), "heat/heat.rem\n");
    assert!(place.ok(&["test", "heat/heat.rem", "--backend", "interp"]).contains("1 passed"));
    assert_eq!(place.ok(&["fmt", "--check", "heat"]), "");
    place.refused(&["new", "heat"], &["E0603", "there already"]);
    place.refused(&["new", "3d"], &["E0618"]);
    place.refused(&["new", "let"], &["E0618", "`my_let`"]);
    place.refused(&["new", "my-prog"], &["E0618", "`my_prog`"]);
}

#[test]
fn the_doctor_says_what_is_missing() {
    let place = Place::new(&[]);
    let said = place.ok(&["doctor"]);
    assert!(
        said.contains("ok       solver: CBC ")
            && said.contains("ok       C compiler: ")
            && said.contains("ok       cache: ")
            && said.contains("CUDA device: "),
        "{said}"
    );
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    let output = command.arg("doctor").env("CC", "no-such-compiler").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("missing  C compiler: ") && said.contains("apt-get install gcc"), "{said}");
    // One that makes nothing is none, and nothing is said of the library then.
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    let output = command.arg("doctor").env("CC", "/bin/false").output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("missing  C compiler: /bin/false") && said.contains("does not work") && !said.contains("C library"), "{said}");
}

/// Files in the way that are no libraries: what needs no integer program is checked as ever, the rest says what is missing.
#[cfg(target_os = "linux")]
#[test]
fn a_solver_that_cannot_be_loaded_is_named() {
    let hard = include_str!("../../data/corpus/automap/twelve_parameters.rem");
    let files =
        [("libCbcSolver.so.3", "none"), ("libCbcSolver.so", "none"), ("easy.rem", "def f (x: i64) = x + iota 3\n"), ("hard.rem", hard)];
    let place = Place::new(&files);
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        let output = command.args(args).current_dir(place.path()).env("LD_LIBRARY_PATH", place.path()).output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr))
    };
    assert_eq!(run(&["check", "easy.rem"]).0, Some(0));
    let (code, said) = run(&["check", "hard.rem"]);
    assert_eq!(code, Some(1));
    for part in ["E0407", "the solver CBC, which they need, cannot be loaded", "libCbcSolver.so.3", "apt-get install coinor-libcbc-dev"] {
        assert!(said.contains(part), "{said}");
    }
    let (code, said) = run(&["doctor"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("missing  solver: ") && said.contains("apt-get install coinor-libcbc-dev"), "{said}");
}

#[test]
fn commands_run_again_when_a_file_changes() {
    let place = Place::new(&[("a.rem", "import \"b\"\nentry main : i64 = f 1\n"), ("b.rem", "def f (x: i64) = x\n")]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
    command.args(["infer", "--watch", "a.rem"]).current_dir(place.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let (sender, lines) = channel();
    for stream in
        [Box::new(child.stdout.take().expect("piped")) as Box<dyn std::io::Read + Send>, Box::new(child.stderr.take().expect("piped"))]
    {
        let sender = sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
    }
    let until = |text: &str| {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(60) {
            match lines.recv_timeout(Duration::from_millis(200)) {
                Ok(line) if line.contains(text) => return,
                _ => {}
            }
        }
        panic!("no {text:?}");
    };
    until("no errors; watching");
    std::fs::write(place.path().join("b.rem"), "def f (x: i64) = tru\n").expect("written");
    until("E0201");
    until("watching");
    std::fs::write(place.path().join("b.rem"), "def f (x: i64) : bool = true\n").expect("written");
    until("main");
    until("watching");
    child.kill().expect("it runs");
    child.wait().expect("it ended");
}

/// A comment with everything that pages could take for their own.
const DOCUMENTED: &str = "\
-- About <script>alert(1)</script> & `quotes`.

-- | Half of a \"pair\", `x < y`.
type pair = (f64, f64)

-- | Twice.
-- > twice (1, 2)
-- 2.0 4.0
--
-- > twice (3, 4)
-- 6.0 9.0
def twice (p: pair) : pair = (p.0 * 2, p.1 * 2)

module type both = { val a : f64 }

module type m = {
  type t
  include both
  -- | Of the type.
  val one : t
}

module both : m with t = i64 = {
  type t = i64
  def a : f64 = 0
  def one : t = 1
  def hidden_by_its_type : t = 2
}

-- | A pair of twice the number.
def pair (x: f64) : pair = (x, x)

module m = {
  -- | The third.
  def thrice (x: f64) = x * 3
  local def hidden (x: f64) = x
}
";

#[test]
fn pages_about_a_file_have_types_comments_sources_and_nothing_from_elsewhere() {
    let place = Place::new(&[("a.rem", DOCUMENTED), ("b<i>.rem", "def f (x: i32) = x\n"), ("bad.rem", "def f = g\n")]);
    place.ok(&["doc", "a.rem", "b<i>.rem", "lib/graph", "-o", "pages"]);
    let read = |name: &str| std::fs::read_to_string(place.path().join("pages").join(name)).expect("a page");
    let page = read("a.html");
    for part in [
        "About &lt;script&gt;alert(1)&lt;/script&gt; &amp; <code>quotes</code>.",
        "<section id=\"m.thrice\"",
        "<section id=\"module-type:m.one\"",
        "<section id=\"module-type:both.a\"",
        "<section id=\"both.t\"",
        "<section id=\"type:pair\"",
        "<section id=\"pair\"",
        "module type m = {\n  type t\n  include <a href=\"a.html#module-type:both\">both</a>\n  ..\n}",
        "<h3><code>both.one</code></h3>\n<pre>def one : <a href=\"a.html#both.t\">t</a></pre>\n<p>Of the type.</p>",
        "<pre>thrice : f64 -&gt; f64</pre>",
        "<pre class=\"example\">twice (1, 2)</pre>\n<pre class=\"results\">2.0 4.0</pre>",
        "<a href=\"a.html#type:pair\">pair</a>",
        "<code>x &lt; y</code>",
        "def twice (p: pair) : pair = (p.0 * 2, p.1 * 2)</pre></details>",
    ] {
        assert!(page.contains(part), "no {part} in\n{page}");
    }
    assert!(!page.contains("hidden") && !page.contains("<script>alert"), "{page}");
    assert!(read("index.html").contains("<a href=\"b-i-.html\"><code>b&lt;i&gt;.rem</code></a>"));
    assert!(read("search.js").contains("[\"m.thrice\",\"a.html#m.thrice\",\"The third.\"]"));
    for name in ["a.html", "index.html", "lib-graph.html", "search.js", "style.css"] {
        assert!(!read(name).contains("http"), "{name}");
    }
    place.refused(&["doc", "bad.rem", "-o", "pages"], &["E0201"]);
    place.refused(&["doc", "a.rem", "-o", "a.rem"], &["E0603"]);
}

#[test]
fn examples_in_comments_are_tests_if_asked_for() {
    let place = Place::new(&[("a.rem", DOCUMENTED)]);
    let ran = place.run(&["test", "a.rem", "--examples"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("1 passed, 1 failed") && ran.out.contains("example_10"), "{}", ran.out);
    assert!(!place.run(&["test", "a.rem"]).out.contains("example"), "{}", ran.out);
    // What is refused is one failure, at its place in the comment; so is what fails.
    let text = "-- | Twice.\n-- > twice 4\n-- 8\n-- > twice true\n-- > [1, 2][twice 1]\ndef twice (x: i64) = 2 * x\n";
    let place = Place::new(&[("b.rem", text)]);
    let ran = place.run(&["test", "b.rem", "--examples"]);
    assert!(ran.out.contains("1 passed, 2 failed") && ran.code == Some(1), "{}", ran.out);
    for part in ["example_4", "b.rem:4:12", "-- > twice true", "example_5", "b.rem:5:6", "index 2 is out of bounds"] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

#[test]
fn programs_are_documents() {
    let text = "-- # Squares <b>\n-- Text with `code`.\n\n-- | Twice.\n-- > twice 4\n-- 9\ndef twice (x: i64) = 2 * x\n\n-- > :table {n = iota 3, square = iota 3 ** 2}\n-- > :plot f64.i64 (iota 5)\n-- > :infer twice\n-- ==\n-- entry: twice\n-- input { 1i64 } output { 2i64 }\n";
    let place = Place::new(&[
        ("a.rem", text),
        ("late.rem", "def f x = x + 1i64\n-- > f 1\n-- > f true\n"),
        ("fails.rem", "-- > [1, 2][3 - 1 + i64.sum (iota 1)]\n"),
        ("function.rem", "def f (x: i64) = x\n-- > f\n"),
        ("word.rem", "-- Text.\n-- > :draw 1\n"),
        ("name.rem", "def twice (x: i64) = x\n-- > :type twise\n"),
        ("open.rem", "-- > f (1 +\n-- > 2\n"),
        ("two.rem", "-- > 1 def y = 3\n"),
        ("all.rem", "def f (x: i64) = x\n-- > [1i64][9]\n-- > f\n-- > f 1\n-- > :type g\n-- > [1i64][7]\n"),
        ("hand.rem", "-- > 1\n"),
        ("hand.md", "mine"),
    ]);
    let read = |name: &str| std::fs::read_to_string(place.path().join(name)).expect("it was written");
    assert_eq!(place.ok(&["literate", "a.rem", "--backend", "interp"]), "");
    let page = read("a.md");
    for part in [
        "# Squares <b>\nText with `code`.",
        "```remora\ntwice 4\n```\n\n```\n8i64\n```",
        "```remora\ndef twice (x: i64) = 2 * x\n```",
        "| n | square |\n| --- | --- |\n| 0 | 0 |\n| 1 | 1 |\n| 2 | 4 |",
        "![](<a-pictures/1.svg>)",
        "-- nothing inserted",
    ] {
        assert!(page.contains(part), "no {part} in\n{page}");
    }
    assert!(!page.contains("9") && !page.contains("input"), "{page}");
    assert!(read("a-pictures/1.svg").starts_with("<svg"));
    place.ok(&["literate", "a.rem", "-o", "a.html"]);
    let page = read("a.html");
    assert!(page.contains("<h1>Squares &lt;b&gt;</h1>") && page.contains("<td>4</td>") && page.contains("<figure><svg"), "{page}");
    // Places are those of the file.
    place.refused(&["literate", "late.rem"], &["E03", "late.rem:3:8"]);
    place.refused(&["literate", "fails.rem", "--backend", "interp"], &["E0501", "fails.rem:1:6"]);
    place.refused(&["literate", "function.rem"], &["E0613", "function.rem:2:6"]);
    place.refused(&["literate", "word.rem"], &["E0610", "word.rem:2:6", ":table"]);
    place.refused(&["literate", "name.rem"], &["E0611", "name.rem:2:12", "twice"]);
    place.refused(&["literate", "a.rem", "-o", "a.pdf"], &["E0603"]);
    place.refused(&["literate", "open.rem"], &["E0104", "open.rem:1:12"]);
    place.refused(&["literate", "two.rem"], &["E01", "two.rem:1:8"]);
    // All that is wrong is said at once.
    for backend in ["interp", "cpu"] {
        let texts = ["index 9", "all.rem:2:6", "E0613", "all.rem:3:6", "E0611", "all.rem:5:12", "index 7", "all.rem:6:6"];
        place.refused(&["literate", "all.rem", "--backend", backend], &texts);
    }
    // What somebody else wrote stays.
    place.refused(&["literate", "hand.rem"], &["E0618", "hand.md", "-o"]);
    assert_eq!(read("hand.md"), "mine");
    assert_eq!(place.ok(&["literate", "a.rem", "--backend", "interp"]), "");
    assert!(!place.path().join("late.md").exists());
}
