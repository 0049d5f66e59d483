//! Pages of `remora infer --format html`, and what `remora plot` draws.

use super::Place;

/// What a page may consist of.
const ELEMENTS: &str = " html head meta title style body a header h1 h2 h3 p div span main section table caption tr th td code pre mark sup \
                        details summary svg rect article ";

/// The page that a file has, with the exit code. It is well-formed, asks for nothing, has no scripts, and each link in it leads somewhere.
fn page(place: &Place, file: &str, code: i32) -> String {
    let ran = place.run(&["infer", file, "--format", "html", "-o", "page.html"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{}", ran.err);
    let page = std::fs::read_to_string(place.path().join("page.html")).expect("a page");
    well_formed(&page);
    page
}

/// Elements are closed in order, and are among those that a page needs.
fn well_formed(page: &str) {
    let body = page.split_once("</style>").expect("a style").1;
    let (mut open, mut ids, mut links) = (Vec::new(), Vec::new(), Vec::new());
    for piece in body.split('<').skip(1) {
        let (tag, _) = piece.split_once('>').unwrap_or_else(|| panic!("an element that does not end: {piece}"));
        if let Some(name) = tag.strip_prefix('/') {
            assert!(open.pop() == Some(name) || name == "head" || name == "html", "{name} is closed: {open:?}");
            continue;
        }
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        assert!(ELEMENTS.contains(&format!(" {name} ")), "{tag}");
        for attribute in ["src=", " on", "http", "url("] {
            assert!(!tag.contains(attribute), "{tag}");
        }
        let value = |key: &str| tag.split_once(&format!("{key}=\"")).and_then(|(_, rest)| rest.split('"').next());
        ids.extend(value(" id"));
        links.extend(value("href").map(|href| href.strip_prefix('#').expect("a place on the page")));
        links.extend(value("aria-describedby"));
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    links.iter().for_each(|link| assert!(ids.contains(link), "nothing is called {link}"));
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "two elements of one name");
}

#[test]
fn pages_show_insertions_with_their_sizes() {
    let library = "def twice [n] (v: [n]f64) = v * 2.0\n";
    let program = "import \"lib\"\nimport \"lib/linalg\"\n-- | Of rows.\n\
                   entry norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))\n\
                   entry main [n][m] (rows: [n][m]f64) (w: [m]f64) = let lengths = norm rows in (twice rows - w, lengths)\n\
                   entry spread [k] (x: i64) (v: [k]i64) = let u = zip v (x : i64) in u\n";
    let place = Place::new(&[("lib.rem", library), ("rows.rem", program)]);
    let page = page(&place, "rows.rem", 0);
    // Marks lead to drawings, and say the frame, the cells and the types.
    assert!(page.contains("map<sup>2</sup> -<span class=\"remora-tip\""), "{page}");
    for said in [
        "<span>frame <code>[n][m]</code>, rank 2</span>",
        "<code>w : [m]f64</code>, rank 1: mapped over 1 dimension, the same for 1 dimension that other arguments have; cell: rank 0",
        "<code>rows : [n][m]f64</code>, rank 2: mapped over 1 dimension; cell <code>[m]</code>, rank 1",
        "<span>result <code>[n]f64</code></span>",
        "<code>lengths : [n]f64</code></span><span>rank 1</span>",
        "aria-label=\"0 mapped, 1 replicated, 0 consumed\"",
        "<td class=\"remora-axis remora-mapped\"><code>[m]</code>mapped</td>",
        "<td class=\"remora-axis remora-repeated\"><code>[n]</code>replicated</td>",
        "<td class=\"remora-axis remora-consumed\"><code>[m]</code>consumed</td>",
        "-- | Of rows.",
    ] {
        assert!(page.contains(said), "{said}\n{page}");
    }
    // Where most is inserted comes first.
    let table = page.split_once("remora-cost\">").expect("a table").1;
    assert!(table.find("main").expect("main") < table.find("norm").expect("norm"), "{table}");
    // Only what is asked for.
    let one = place.ok(&["infer", "rows.rem", "--format", "html", "--def", "norm"]);
    assert!(one.contains("entry norm") && !one.contains("entry main"));
    place.refused(&["infer", "rows.rem", "--format", "html", "-o", "rows.rem"], &["E0603", "the program itself"]);
    place.refused(&["infer", "rows.rem", "--format", "html", "-o", "no/such/folder"], &["E0603"]);
    place.ok(&["infer", "rows.rem", "--format", "source", "-o", "explicit.rem"]);
    assert!(place.ok(&["infer", "explicit.rem"]).contains("-- nothing inserted"));
}

#[test]
fn pages_show_what_is_wrong_and_readings_side_by_side() {
    let program = "def f (xss: [][]i64) = i64.sum (length xss)\ndef g (x: i64) = x + y\ndef h (v: []f64) = v + 1.0\n";
    let place = Place::new(&[("a.rem", program), ("b.rem", "def f (\n"), ("empty.rem", "")]);
    let shown = page(&place, "a.rem", 1);
    assert!(shown.contains("1 definition, 2 more with errors"), "{shown}");
    assert_eq!(shown.matches("<article class=\"remora-reading\"").count(), 2);
    for said in [
        "i64.sum (<mark>map</mark> length xss)",
        "i64.sum (<mark>rep</mark> <mark>(</mark>length xss)<mark>)</mark>",
        "error E0402",
        "error E0201",
    ] {
        assert!(shown.contains(said), "{said}\n{shown}");
    }
    // What differs is drawn: over rows in one, copies in the other.
    let readings: Vec<&str> = shown.split("</article>").collect();
    assert!(readings[0].contains("1 mapped, 0 replicated") && !readings[0].contains("remora-axis remora-repeated"), "{}", readings[0]);
    assert!(readings[1].contains("0 mapped, 1 replicated") && !readings[1].contains("remora-axis remora-mapped"), "{}", readings[1]);
    assert!(shown.contains("class=\"remora-wrong\" href=\"#remora-message-0\">y</a>"), "{shown}");
    assert!(page(&place, "b.rem", 1).contains("def f ("));
    page(&place, "empty.rem", 0);
}

#[test]
fn pages_escape_everything() {
    const EVIL: &str = "<script>alert(1)</script>";
    let program = format!(
        "-- {EVIL} \u{202e}\ndef (<-) (x: i64) (y: i64) = x - y\nentry main (v: []u8) = (v == \"{EVIL}\", [1, 2] <- 3, '&\"') -- {EVIL}\n\
         def wrong (x: i64) = \"{EVIL}\" + `\ndef other = {EVIL}\n"
    );
    let core = format!("(use core)\n; {EVIL}\n(define main : i64 \"{EVIL}\")\n");
    let apl = format!("⍝ {EVIL}\n'{EVIL}'\n");
    let good = format!("-- {EVIL}\ndef (<-) (x: i64) (y: i64) = x - y\nentry main (v: []u8) = (v == \"{EVIL}\", [1, 2] <- 3) -- {EVIL}\n");
    let file = "<b onclick='x()'>&\".rem";
    let place = Place::new(&[(file, &program), ("good.rem", &good), ("<i>.remc", &core), ("<i>.apl", &apl)]);
    for (file, code) in [(file, Some(1)), ("good.rem", Some(0)), ("<i>.remc", None), ("<i>.apl", None)] {
        let ran = place.run(&["infer", file, "--format", "html"]);
        assert!(code.is_none_or(|code| ran.code == Some(code)), "{file}: {}", ran.err);
        well_formed(&ran.out);
        for evil in ["<script", "<b ", "<b>", "<i>", "\u{202e}"] {
            assert!(!ran.out.contains(evil), "{file}: {evil}\n{}", ran.out);
        }
        assert!(ran.out.contains("&lt;script&gt;"), "{file}");
    }
}

const PLOTS: &str = "entry wave (n: i64) : [n]f64 = f64.sin (f64.i64 (iota n) * 0.1)\n\
                     entry pair (n: i64) : ([n]i64, [n]f64) = (iota n, f64.i64 (iota n))\n\
                     entry odd = [1.0, f64.nan, 3.0]\nentry deep (x: i64) = [[[[x]]]]\nentry grey = [[0u8, 255, 3], [128, 7, 9]]\n";

#[test]
fn results_are_drawn() {
    let place = Place::new(&[("a.rem", PLOTS)]);
    let plot = |args: &[&str]| place.run(&[&["plot", "a.rem", "--backend", "interp"], args].concat());
    let read = |name: &str| std::fs::read(place.path().join(name)).expect("written");
    let ran = plot(&["-e", "wave", "50", "-o", "a.svg", "--title", "<script>", "--x-label", "time", "--width", "400"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    let svg = String::from_utf8(read("a.svg")).expect("text");
    for text in ["<polyline", "&lt;script&gt;", ">\ntime\n<", "width=\"400\"", "role=\"img\"", "<title>&lt;script&gt;</title>"] {
        assert!(svg.contains(text), "{text}\n{svg}");
    }
    assert!(!svg.contains("<script>"));
    // The kind is that of the shape, unless another is asked for.
    for (args, element, count) in [
        (&["-e", "pair", "7"][..], "<circle", 7),
        (&["-e", "pair", "7", "--kind", "line"], "<polyline", 1),
        (&["-e", "wave", "7", "--kind", "histogram", "--bins", "1"], "<rect", 3),
        (&["-e", "wave", "7", "--kind", "points"], "<circle", 7),
        (&["-e", "grey"], "<image", 1),
    ] {
        let ran = plot(&[args, &["-o", "b.svg"]].concat());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        let svg = String::from_utf8(read("b.svg")).expect("text");
        assert_eq!(svg.matches(element).count(), count, "{args:?}\n{svg}");
    }
    assert_eq!(plot(&["-e", "wave", "50", "-o", "a.png"]).code, Some(0));
    assert!(read("a.png").starts_with(b"\x89PNG") && read("a.png").len() < 50_000);
    // What cannot be drawn is said.
    let ran = plot(&["-e", "odd"]);
    assert!(ran.code == Some(0) && ran.err.contains("1 of 3 values are not finite"), "{}", ran.err);
    assert!(ran.out.lines().count() > 10, "{}", ran.out);
    let ran = plot(&["-e", "deep", "1", "-o", "c.png"]);
    assert!(ran.code == Some(1) && ran.err.contains("E0603") && ran.err.contains("[1][1][1][1]i64"), "{}", ran.err);
    assert_eq!(plot(&["-e", "deep", "-1", "--kind", "histogram"]).code, Some(0), "negative numbers are arguments");
    place.refused(&["plot", "a.rem", "-e", "odd", "-o", "a.gif"], &["E0603", ".png or .svg"]);
    place.refused(&["plot", "a.rem", "-e", "wave", "3", "--bins", "2"], &["E0618", "--kind histogram"]);
    place.refused(&["plot", "a.rem", "-e", "wave", "3", "--kind", "image"], &["E0603", "as an image"]);
    assert_eq!(plot(&["-e", "odd", "--width", "3"]).code, Some(2));
    // Programs that run write drawings where the name says so, and pixels otherwise.
    place.ok(&["run", "a.rem", "-e", "wave", "9", "-o", "run.svg", "--backend", "interp"]);
    assert!(read("run.svg").starts_with(b"<svg"));
    place.refused(&["run", "a.rem", "-e", "wave", "9", "-o", "run.png", "--backend", "interp"], &["E0603", "remora plot"]);
    let ran = place.run_with(&["repl"], b":plot iota 9\n:plot s.svg [1.0, 2.0]\n:plot 1\n:plot t.png [[1, 2], y]\n");
    assert!(ran.out.contains("8.32 |") && ran.err.contains("E0603") && ran.err.contains("E0201"), "{}{}", ran.out, ran.err);
    assert!(read("s.svg").starts_with(b"<svg") && !place.path().join("t.png").exists());
}
