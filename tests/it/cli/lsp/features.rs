//! What editors are told about programs.

use super::client::{Client, changed};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

const NORM: &str = "-- | The length of a vector.\ndef norm [n] (v: [n]f64) = f64.sqrt (f64.sum (v * v))\n\nentry main [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = (a * v + s) / norm v\n";

fn whole(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri }, "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 10000, "character": 0 } } })
}

/// The text with hints in it, in brackets.
fn hinted(text: &str, hints: &Value) -> String {
    let edit = |hint: &Value| json!({ "range": { "start": hint["position"], "end": hint["position"] }, "newText": format!("⟨{}⟩", hint["label"].as_str().expect("text")) });
    changed(text, &hints.as_array().expect("a list").iter().map(edit).collect())
}

#[test]
fn inlay_hints_show_what_was_inserted() {
    let mut client = Client::new();
    let uri = client.open("norm.rem", NORM);
    let hints = client.request("textDocument/inlayHint", whole(&uri));
    let expected = "-- | The length of a vector.\ndef norm [n] (v: [n]f64)⟨: f64⟩ = f64.sqrt (f64.sum (v ⟨map⟩* v))\n\n\
         entry main [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64)⟨: [n][m]f64⟩ = (a ⟨map²⟩* v ⟨map²⟩+ s) ⟨map²⟩/ norm v\n";
    assert_eq!(hinted(NORM, &hints), expected);
    // A hint is resolved to the application, and to the change that writes it.
    let hint = hints.as_array().expect("a list").iter().find(|hint| hint["label"] == "map").expect("a map").clone();
    let resolved = client.request("inlayHint/resolve", hint);
    assert!(resolved["tooltip"]["value"].as_str().is_some_and(|text| text.contains("map2 (*) v v")), "{resolved}");
    let text = changed(NORM, &resolved["textEdits"]);
    assert!(text.contains("f64.sum (map2 (*) v v)"), "{text}");
    let text = "def g (xs: [3]i64) = xs\ndef f (s: i64) (z: i64) = let y = g s in z + y\ndef h (xs: [9]f64) = xs with [0:3] = 0\n";
    let uri = client.open("rep.rem", text);
    let hints = client.request("textDocument/inlayHint", whole(&uri));
    let expected = "def g (xs: [3]i64)⟨: [3]i64⟩ = xs\ndef f (s: i64) (z: i64)⟨: [3]i64⟩ = let y⟨: [3]i64⟩ = g ⟨rep⟩s in z ⟨map⟩+ y\n\
                    def h (xs: [9]f64)⟨: [9]f64⟩ = xs with [0:3] = ⟨rep⟩0\n";
    assert_eq!(hinted(text, &hints), expected);
}

#[test]
fn core_has_hints_too() {
    let mut client = Client::new();
    let text = "(define (mean{| n} [xs [float n]])\n  (/. (reduce-init +. 0.0 xs) (int->float (length xs))))\n\n(mean [[1.0 2.0 6.0] [3.0 4.0 8.0]])\n";
    let uri = client.open("means.remc", text);
    assert_eq!(client.diagnostics(&uri, 1), Vec::<Value>::new());
    let hints = client.request("textDocument/inlayHint", whole(&uri));
    assert!(hinted(text, &hints).contains("⟨map [2]⟩(mean⟨{| 3}⟩ [["), "{}", hinted(text, &hints));
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(symbols[0]["name"], "mean");
    let hover = client.at("textDocument/hover", &uri, (3, 2));
    assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("mean : ")), "{hover}");
    assert_eq!(client.at("textDocument/definition", &uri, (3, 2))[0]["range"]["start"]["line"], 0);
    let found = client.at("textDocument/definition", &uri, (1, 8));
    assert!(found[0]["uri"].as_str().is_some_and(|uri| uri.contains("stdlib/core/")), "{found}");
    client.replace(&uri, 2, "(mean 1)");
    assert_eq!(client.diagnostics(&uri, 2).len(), 1);
    let futhark = client.open("a.fut", "def f (x: i8) = x + 300i8\n");
    assert_eq!(client.diagnostics(&futhark, 1)[0]["severity"], 2, "a warning");
}

#[test]
fn hover_shows_types_comments_and_insertions() {
    let mut client = Client::new();
    let uri = client.open("norm.rem", NORM);
    let text =
        |client: &mut Client, place| client.at("textDocument/hover", &uri, place)["contents"]["value"].as_str().unwrap_or("").to_string();
    let norm = text(&mut client, (3, 72));
    assert!(
        norm.contains("norm : [n]f64 -> f64") && norm.contains("The length of a vector.") && norm.contains("cost: 1 insertion"),
        "{norm}"
    );
    let times = text(&mut client, (3, 59));
    assert!(times.contains("mapped over 2 dimensions of `a`") && times.contains("map (\\xs -> map2 (*) xs v) a"), "{times}");
    assert!(times.contains("frame `[n][m]`") && times.contains("of `a`: `[n][m]f64`, cells: rank 0"), "{times}");
    assert!(norm.contains("written out:") && norm.contains("f64.sum (map2 (*) v v)"), "{norm}");
    // Sizes are those that hints show.
    let v = text(&mut client, (3, 34));
    assert!(v.contains("v : [m]f64") && v.contains("rank 1"), "{v}");
    let whole = text(&mut client, (3, 56));
    assert!(whole.contains("[n][m]f64") && whole.contains("rank 2"), "{whole}");
    let sum = text(&mut client, (1, 42));
    assert!(sum.contains("f64.sum : [n]f64 -> f64"), "{sum}");
}

#[test]
fn definitions_are_found_in_the_library_too() {
    let mut client = Client::new();
    let uri =
        client.open("a.rem", "import \"lib/np\"\ndef f (xs: []f64) = mean (map (\\x -> x) xs)\nmodule m = { def g = 1i64 }\ndef h = m.g\n");
    let target = |client: &mut Client, place| client.at("textDocument/definition", &uri, place)[0].clone();
    assert_eq!(target(&mut client, (1, 40))["range"]["start"], json!({ "line": 1, "character": 7 }));
    assert_eq!(target(&mut client, (1, 38))["range"]["start"], json!({ "line": 1, "character": 32 }));
    assert_eq!(target(&mut client, (3, 10))["range"]["start"], json!({ "line": 2, "character": 17 }));
    assert_eq!(target(&mut client, (3, 8))["range"]["start"], json!({ "line": 2, "character": 7 }));
    for (place, word) in [((1, 27), "map"), ((1, 21), "mean"), ((0, 10), "")] {
        let found = target(&mut client, place);
        let address = found["uri"].as_str().expect("an address").to_string();
        let text = std::fs::read_to_string(address.strip_prefix("file://").expect("a file")).expect("the library is there");
        let line = text.lines().nth(found["range"]["start"]["line"].as_u64().expect("a line") as usize).expect("the line");
        assert!(line.contains(word), "{line}");
        // The file opens as what it is.
        client.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": address, "languageId": "remora", "version": 1, "text": text } }),
        );
        let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": address } }));
        assert!(symbols.as_array().is_some_and(|list| list.len() > 5), "{symbols}");
    }
}

#[test]
fn references_and_renaming() {
    let mut client = Client::new();
    let text = "def twice (x: i64) = x + x\ndef f (a: [3]i64) = let a[0] = twice 1 in let y = {a} in twice y.a[0]\n";
    let uri = client.open("a.rem", text);
    let main = client.open("b.rem", "import \"a\"\ndef g = twice 4\n");
    let place = |line: u32, character: u32| json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character }, "context": { "includeDeclaration": true } });
    let references = client.request("textDocument/references", place(0, 5));
    assert_eq!(references.as_array().map(Vec::len), Some(4), "{references}");
    let rename = |client: &mut Client, line: u32, character: u32, name: &str| {
        let id = client.ask(
            "textDocument/rename",
            json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character }, "newName": name }),
        );
        client.response(id)
    };
    let done = rename(&mut client, 1, 32, "double");
    let new = changed(text, &done["result"]["changes"][&uri]);
    assert_eq!(new, text.replace("twice", "double"), "{done}");
    assert_eq!(done["result"]["changes"][&main].as_array().map(Vec::len), Some(1), "{done}");
    // An updated variable is one, and a field keeps its name.
    let done = rename(&mut client, 1, 7, "b");
    let new = changed(text, &done["result"]["changes"][&uri]);
    assert!(new.ends_with("def f (b: [3]i64) = let b[0] = twice 1 in let y = {a = b} in twice y.a[0]\n"), "{new} {done}");
    for (line, character, name, why) in [
        (1, 7, "twice", "something else"),
        (1, 7, "let", "no name"),
        (1, 7, "1x", "no name"),
        (1, 66, "z", "field"),
        (0, 14, "z", "part of the language"),
    ] {
        let error = rename(&mut client, line, character, name);
        assert!(error["error"]["message"].as_str().is_some_and(|text| text.contains(why)), "{name}: {error}");
    }
}

#[test]
fn tests_and_examples_are_renamed_too() {
    let mut client = Client::new();
    let text = "-- | f is in the words, too.\n-- > f (f 1)\n-- 3\ndef f (x: i64) = x + 1\n-- ==\n-- entry: main f\n-- input { 1 } output { 2 }\n\
                -- \"f\" script input { (f {f = f 2}) \"f\" } output { 3 }\n-- property: f\nentry main (x: i64) = f x\n\
                #[prop(gen(f), shrink( main ))] entry holds (x: i64) = f x > x\n";
    let uri = client.open("a.rem", text);
    let other = client.open("b.rem", "import \"a\"\n-- ==\n-- script input { f 1 } output { 2 }\nentry main (x: i64) = x\n");
    let rename = |client: &mut Client, line: u32, character: u32| {
        let params = json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character }, "newName": "next" });
        client.request("textDocument/rename", params)
    };
    let done = rename(&mut client, 3, 4);
    let expected = text.replace("> f (f 1)", "> next (next 1)").replace("def f (", "def next (").replace("main f\n", "main next\n");
    let expected = expected.replace("(f {f = f 2})", "(next {f = next 2})").replace("property: f", "property: next");
    let expected = expected.replace("= f x", "= next x").replace("gen(f)", "gen(next)");
    assert_eq!(changed(text, &done["changes"][&uri]), expected, "{done}");
    assert_eq!(done["changes"][&other].as_array().map(Vec::len), Some(1), "{done}");
    let done = rename(&mut client, 9, 7);
    let expected = text.replace("entry: main f", "entry: next f").replace("entry main", "entry next").replace("( main )", "( next )");
    assert_eq!(changed(text, &done["changes"][&uri]), expected, "{done}");
    assert_eq!(done["changes"][&other], Value::Null, "its `main` is another one: {done}");
}

#[test]
fn readings_and_help_are_changes() {
    let mut client = Client::new();
    let cases = [
        ("def f (xss: [][]i64) = i64.sum (length xss)\n", "reading 1", "def f (xss: [][]i64) = i64.sum (map length xss)\n"),
        (
            "def p 'b (u: i32) (v: b) = (u, v)\ndef f (xs: []i32) (ys: []i32) = p xs ys\n",
            "reading 2",
            "def p 'b (u: i32) (v: b) = (u, v)\ndef f (xs: []i32) (ys: []i32) = map (\\x -> p x ys) xs\n",
        ),
        ("def f (x: f64) = f64.sqt x\n", "change it to `f64.sqrt`", "def f (x: f64) = f64.sqrt x\n"),
        (
            "module mine = { type t = i64 def two = 2i64 }\ndef f = mne.two\n",
            "change it to `mine.two`",
            "module mine = { type t = i64 def two = 2i64 }\ndef f = mine.two\n",
        ),
        ("import \"lib/npp\"\ndef f = 1i64\n", "import \"lib/np\"", "import \"lib/np\"\ndef f = 1i64\n"),
        ("def f (x: f64) (n: i64) = x * n\n", "convert", "def f (x: f64) (n: i64) = x * (f64.i64 (n))\n"),
        ("def f (value: f64) = vaule + vaule\n", "change it to `value`", "def f (value: f64) = value + value\n"),
        ("def f (xs: []f64) = mean xs\n", "import \"lib/np\"", "import \"lib/np\"\ndef f (xs: []f64) = mean xs\n"),
        ("def f (x: f64) = sqrt x\n", "write `f64.sqrt`", "def f (x: f64) = f64.sqrt x\n"),
        ("def g (a: *[3]i64) = a\ndef f (a: [3]i64) = g a\n", "write `*`", "def g (a: *[3]i64) = a\ndef f (a: *[3]i64) = g a\n"),
        ("def g (a: *[3]i64) = a\ndef f (a: [3]i64) = g a\n", "pass a copy", "def g (a: *[3]i64) = a\ndef f (a: [3]i64) = g (copy a)\n"),
        (
            "def f [m][n] (g: ([m ** n]i64 -> i64) -> i64) (a: [m]i64) (b: [n]i64) = g i64.sum\n",
            "write `[]`",
            "def f [m][n] (g: ([]i64 -> i64) -> i64) (a: [m]i64) (b: [n]i64) = g i64.sum\n",
        ),
    ];
    for (number, (text, title, expected)) in cases.into_iter().enumerate() {
        let uri = client.open(&format!("fix{number}.rem"), text);
        let mut params = whole(&uri);
        params["context"] = json!({ "diagnostics": [], "only": ["quickfix"] });
        let actions = client.request("textDocument/codeAction", params);
        let action =
            actions.as_array().expect("a list").iter().find(|action| action["title"].as_str().is_some_and(|t| t.starts_with(title)));
        let action = action.unwrap_or_else(|| panic!("{text}: {actions}"));
        assert!(action["diagnostics"][0]["code"].is_string());
        assert_eq!(changed(text, &action["edit"]["changes"][&uri]), expected, "{title}");
        // One of the readings would be refused.
        let offers = |title: &str| {
            actions.as_array().is_some_and(|all| all.iter().any(|action| action["title"].as_str().is_some_and(|t| t.starts_with(title))))
        };
        assert!(!text.contains("i64.sum (length") || !offers("reading 2"), "{actions}");
    }
}

#[test]
fn near_names_are_changes_in_every_notation() {
    let mut client = Client::new();
    let cases = [
        ("attribute.rem", "entry main (x: i32) = #[unrol] loop y = x for i < 3 do y + i\n", "unrol", "unroll"),
        ("value.remc", "(define (double [x int]) (* x 2))\n(duble 4)\n", "duble", "double"),
        ("value.apl", "total←+/1 2 3\ntotl×2\n", "totl", "total"),
    ];
    for (name, text, wrong, near) in cases {
        let uri = client.open(name, text);
        let mut params = whole(&uri);
        params["context"] = json!({ "diagnostics": [], "only": ["quickfix"] });
        let actions = client.request("textDocument/codeAction", params);
        let title = format!("change it to `{near}`");
        let action = actions.as_array().expect("a list").iter().find(|action| action["title"] == title.as_str());
        let action = action.unwrap_or_else(|| panic!("{text}: {actions}"));
        assert_eq!(changed(text, &action["edit"]["changes"][&uri]), text.replace(wrong, near));
    }
}

/// The edits of a refactoring.
fn action(client: &mut Client, uri: &str, line: u32, from: u32, to: u32, title: &str) -> Value {
    let range = json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [], "only": ["refactor"] } });
    let actions = client.request("textDocument/codeAction", params);
    let found =
        actions.as_array().expect("a list").iter().find(|action| action["title"].as_str().is_some_and(|t| t.contains(title))).cloned();
    found.unwrap_or_else(|| panic!("{title}: {actions}"))["edit"]["changes"][uri].clone()
}

#[test]
fn explicit_and_implicit_mean_the_same() {
    let mut client = Client::new();
    let uri = client.open("norm.rem", NORM);
    let edits = action(&mut client, &uri, 3, 0, 0, "this definition");
    let explicit = changed(NORM, &edits);
    assert!(explicit.contains("map (map (\\x -> x / t))"), "{explicit}");
    assert_eq!(compiled(NORM, "main"), compiled(&explicit, "main"));
    let one = changed(NORM, &action(&mut client, &uri, 3, 57, 62, "this application"));
    assert!(one.contains("((map (\\xs -> map2 (*) xs v) a) + s) / norm v"), "{one}");
    assert_eq!(compiled(NORM, "main"), compiled(&one, "main"));
    let written = "entry main [n][m] (a: [n][m]f64) (v: [m]f64) (s: f64) = map (\\r -> map (\\x -> x + s) (map2 (*) r v)) a\n";
    let uri = client.open("written.rem", written);
    let implicit = changed(written, &action(&mut client, &uri, 0, 0, 0, "leave out"));
    assert!(!implicit.contains("map"), "{implicit}");
    assert_eq!(compiled(written, "main"), compiled(&implicit, "main"));
    // Rows of sums are no sum of rows.
    let needed = "entry main (a: [][]f64) = map f64.sum (map (map (+ 1)) a)\n";
    let uri = client.open("needed.rem", needed);
    let implicit = changed(needed, &action(&mut client, &uri, 0, 0, 0, "leave out"));
    assert_eq!(compiled(needed, "main"), compiled(&implicit, "main"));
}

#[test]
fn rewritings_keep_comments() {
    let mut client = Client::new();
    let text = "def double (x: f64) = x * 2\nentry main (x: [3]f64) =\n  -- First.\n  let y = (x -- c1\n    + -- c2\n    x) * 2.0 -- metres\n  in double y\n  -- offset\n  + 3.0\n";
    let uri = client.open("a.rem", text);
    for (line, character, title) in
        [(1, 8, "make the insertions of this definition"), (3, 23, "make the insertions of this application"), (1, 8, "leave out")]
    {
        let before = if title == "leave out" { "entry main (x: [3]f64) = map (\\y -> y * 2.0) -- why\n  x\n" } else { text };
        let (uri, line) = if title == "leave out" { (client.open("b.rem", before), 0) } else { (uri.clone(), line) };
        let after = changed(before, &action(&mut client, &uri, line, character, character, title));
        let comments = |text: &str| {
            text.lines().filter_map(|line| line.split_once("--")).map(|(_, comment)| comment.trim().to_string()).collect::<Vec<_>>()
        };
        let (mut old, mut new) = (comments(before), comments(&after));
        old.sort();
        new.sort();
        assert_eq!(old, new, "{title}: {after}");
        assert_ne!(before, after);
        assert_eq!(compiled(before, "main"), compiled(&after, "main"), "{after}");
    }
}

/// What a definition is compiled to.
fn compiled(text: &str, name: &str) -> (String, String) {
    use remora::editor::{Analysis, rewrite};
    let text = text.to_string();
    let name = name.to_string();
    remora::base::with_big_stack(move || {
        let analysis = Analysis::new("a.rem", &text, &Nothing);
        let def = analysis.definitions().find(|def| analysis.checked.program.defs[*def].name.as_str() == name).expect("it is there");
        rewrite::compiled(&analysis, def).unwrap_or_else(|| panic!("{text}: {:?}", analysis.checked.diagnostics))
    })
}

struct Nothing;

impl remora::front::resolve::Loader for Nothing {
    fn load(&self, path: &str) -> Result<String, String> {
        Err(format!("there is no {path}"))
    }
}

#[test]
fn completion_and_signatures() {
    let mut client = Client::new();
    let good = "module m = { def inner (x: i64) = x }\ndef f (p: {width: f64, height: f64}) (count: i64) =\n  p.width\n";
    let uri = client.open("a.rem", good);
    client.diagnostics(&uri, 1);
    let mut version = 1;
    let mut labels = |client: &mut Client, text: &str| -> Vec<String> {
        version += 1;
        client.replace(&uri, version, text);
        let line = text.matches('\n').count() as u32;
        let character = text.rsplit('\n').next().unwrap_or("").encode_utf16().count() as u32;
        let items = client.at("textDocument/completion", &uri, (line, character));
        items.as_array().expect("a list").iter().map(|item| item["label"].as_str().expect("text").to_string()).collect()
    };
    let has = |labels: &[String], wanted: &[&str]| wanted.iter().all(|name| labels.iter().any(|label| label == name));
    let all = labels(&mut client, &good.replace("p.width\n", "cou"));
    assert!(has(&all, &["count", "m", "map", "let", "f64", "p"]) && !has(&all, &["inner"]), "{all:?}");
    assert_eq!(labels(&mut client, &good.replace("p.width\n", "p.")), ["height", "width"]);
    assert_eq!(labels(&mut client, &good.replace("p.width\n", "m.")), ["inner"]);
    assert!(has(&labels(&mut client, &good.replace("p.width\n", "f64.sq")), &["sqrt", "sum", "i64"]));
    assert!(has(&labels(&mut client, "import \"lib/"), &["np", "linalg"]));
    assert!(labels(&mut client, "-- f64.").is_empty());
    let uri = client.open("b.rem", "def f (x: i64) (ys: []i64) = ys\ndef g = f 1 [2]\ndef h = f64.max 1 ");
    let help = client.at("textDocument/signatureHelp", &uri, (1, 10));
    assert_eq!((&help["signatures"][0]["label"], &help["activeParameter"]), (&json!("f : i64 -> [d]i64 -> [d]i64"), &json!(0)), "{help}");
    assert_eq!(client.at("textDocument/signatureHelp", &uri, (1, 14))["activeParameter"], 1);
    let help = client.at("textDocument/signatureHelp", &uri, (2, 18));
    assert_eq!((&help["signatures"][0]["label"], &help["activeParameter"]), (&json!("f64.max : f64 -> f64 -> f64"), &json!(1)), "{help}");
}

#[test]
fn tokens_ranges_and_symbols() {
    let mut client = Client::new();
    let text = "import \"lib/np\"\nimport \"lib/fft\"\n-- one\n-- two\nmodule m = {\n  def g (x: i64) =\n    x\n}\nentry main (xs: []i64) = m.g xs\n";
    let uri = client.open("a.rem", text);
    let document = json!({ "textDocument": { "uri": uri } });
    let folds = client.request("textDocument/foldingRange", document.clone());
    let lines: Vec<(u64, u64)> = folds
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| (f["startLine"].as_u64().expect("a line"), f["endLine"].as_u64().expect("a line")))
        .collect();
    assert_eq!(lines, [(0, 1), (2, 3), (4, 7), (5, 6)]);
    let symbols = client.request("textDocument/documentSymbol", document.clone());
    assert_eq!(symbols[0]["children"][0]["name"], "g");
    assert_eq!(symbols[1]["detail"], "[d]i64 -> [d]i64");
    let found = client.request("workspace/symbol", json!({ "query": "mg" }));
    assert_eq!(found[0]["name"], "m.g", "{found}");
    let tokens = client.request("textDocument/semanticTokens/full", document);
    let data: Vec<u64> = tokens["data"].as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number")).collect();
    let mapped = data.chunks(5).filter(|token| token[4] & 4 != 0).count();
    assert_eq!(mapped, 1, "the one function that is mapped");
    let ranges = client
        .request("textDocument/selectionRange", json!({ "textDocument": { "uri": uri }, "positions": [{ "line": 8, "character": 30 }] }));
    let mut sizes = Vec::new();
    let mut at = &ranges[0];
    while at.is_object() {
        sizes.push(at["range"]["end"]["line"].as_u64().expect("a line") - at["range"]["start"]["line"].as_u64().expect("a line"));
        at = &at["parent"];
    }
    assert!(sizes.len() >= 4 && sizes.last() == Some(&9), "{ranges}");
}

#[test]
fn formatting() {
    let mut client = Client::new();
    let text = "def f (x:i64)=x+1 -- one\n\n\n\n\n\ndef g   (x : i64) = f   x\n";
    let uri = client.open("a.rem", text);
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let edits = client.request("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": options }));
    let whole = changed(text, &edits);
    assert!(whole.starts_with("def f (x: i64) = x + 1 -- one\n") && whole.ends_with("\ndef g (x: i64) = f x\n"), "{whole:?}");
    let range = json!({ "start": { "line": 6, "character": 0 }, "end": { "line": 7, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "options": options });
    let part = changed(text, &client.request("textDocument/rangeFormatting", params));
    assert!(part.starts_with("def f (x:i64)=x+1 -- one\n") && part.ends_with("\ndef g (x: i64) = f x\n"), "{part:?}");
    client.replace(&uri, 2, &whole);
    let edits = client.request("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": options }));
    assert_eq!(edits, json!([]));
    client.replace(&uri, 3, "def f = = 1\n");
    let refusal = client.refusal("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": options }));
    assert!(refusal["message"].as_str().is_some_and(|message| message.starts_with("nothing is formatted")), "{refusal}");
}

#[test]
fn scripts_in_apl() {
    let mut client = Client::new();
    let text = "m←3 4⍴⍳12\navg←{\n  s←+⌿⍵ ⍝ sums\n  s÷≢⍵\n}\n⎕←avg m\nm←`rho m\n";
    let uri = client.open("means.apl", text);
    assert_eq!(client.diagnostics(&uri, 1), Vec::<Value>::new());
    let hints = client.request("textDocument/inlayHint", whole(&uri));
    assert!(hinted(text, &hints).starts_with("m⟨: [3][4]i64⟩←3 4⍴⍳12\n"), "{}", hinted(text, &hints));
    let says =
        |hover: &Value, words: &str| assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains(words)), "{hover}");
    says(&client.at("textDocument/hover", &uri, (0, 5)), "`` `rho ``");
    says(&client.at("textDocument/hover", &uri, (0, 5)), "[2]i64 [12]i64 -> [3][4]i64");
    says(&client.at("textDocument/hover", &uri, (5, 6)), "m : [3][4]i64");
    says(&client.at("textDocument/hover", &uri, (2, 5)), "[3][4]i64 -> [4]i64");
    // The value that counts there, and all places of the name.
    assert_eq!(client.at("textDocument/definition", &uri, (5, 3))[0]["range"]["start"], json!({ "line": 1, "character": 0 }));
    assert_eq!(client.at("textDocument/definition", &uri, (5, 6))[0]["range"]["start"], json!({ "line": 0, "character": 0 }));
    let marks = client.at("textDocument/documentHighlight", &uri, (5, 6));
    let kinds: Vec<_> = marks.as_array().expect("a list").iter().map(|mark| mark["kind"].as_u64().unwrap_or_default()).collect();
    assert_eq!(kinds, [3, 2, 3, 2]);
    let mut place =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 5, "character": 6 }, "context": { "includeDeclaration": true } });
    assert_eq!(client.request("textDocument/references", place.clone()).as_array().map(Vec::len), Some(4));
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    let names: Vec<_> = symbols.as_array().expect("a list").iter().map(|symbol| (&symbol["name"], &symbol["kind"])).collect();
    assert_eq!(names, [(&json!("m"), &json!(13)), (&json!("avg"), &json!(12))]);
    let folds = client.request("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } }));
    assert!(folds.as_array().expect("a list").iter().any(|fold| fold["startLine"] == 1 && fold["endLine"] == 3), "{folds}");
    assert!(
        client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } }))["data"]
            .as_array()
            .is_some_and(|data| data.len() > 50)
    );
    // Glyphs by their names.
    client.replace(&uri, 2, "x←`io");
    place["position"] = json!({ "line": 0, "character": 5 });
    place.as_object_mut().expect("an object").remove("context");
    let items = client.request("textDocument/completion", place);
    let items = items.as_array().expect("a list");
    assert_eq!((items.len(), &items[0]["textEdit"]["newText"]), (1, &json!("⍳")));
    assert_eq!(items[0]["textEdit"]["range"]["start"]["character"], 2);
    client.replace(&uri, 3, "a←1 2 3\n⎕←a+1 2\n");
    let wrong = client.diagnostics(&uri, 3);
    assert_eq!((wrong.len(), &wrong[0]["range"]["start"]["line"]), (1, &json!(1)), "{wrong:?}");
}
