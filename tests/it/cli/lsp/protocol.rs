//! The conversation: order, cancellation, what is malformed, the end.

use super::client::Client;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

#[test]
fn a_document_is_checked_while_it_is_written() {
    let mut client = Client::new();
    let uri = client.open("a.rem", "def f (x: i64) = x + y\n");
    let found = client.diagnostics(&uri, 1);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["code"], "E0201");
    assert_eq!(found[0]["range"], json!({ "start": { "line": 0, "character": 21 }, "end": { "line": 0, "character": 22 } }));
    // Positions count UTF-16 units, ranges are applied in order.
    let change = |line: u32, from: u32, to: u32, text: &str| json!({ "range": { "start": { "line": line, "character": from }, "end": { "line": line, "character": to } }, "text": text });
    let changes = [change(0, 21, 22, "x"), change(0, 0, 0, "-- 𝄞 ä\n"), change(0, 3, 5, "")];
    client.notify("textDocument/didChange", json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": changes }));
    assert_eq!(client.diagnostics(&uri, 2), Vec::<Value>::new());
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(symbols[0]["selectionRange"]["start"], json!({ "line": 1, "character": 4 }));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    assert!(client.end().success());
}

#[test]
fn imports_come_from_documents_and_from_disk() {
    let mut client = Client::new();
    std::fs::write(client.folder.path().join("disk.rem"), "def one = 1i64\n").expect("written");
    let main = client.open("main.rem", "import \"disk\"\nimport \"open\"\ndef f = one + two\n");
    assert_eq!(client.diagnostics(&main, 1).len(), 2, "the import, and what it would bring");
    // The document is not on disk.
    let other = client.open("open.rem", "def two = 2i64\n");
    assert_eq!(client.diagnostics(&main, 1), Vec::<Value>::new());
    client.replace(&other, 2, "def three = 3i64\n");
    assert_eq!(client.diagnostics(&main, 1)[0]["code"], "E0201");
    std::fs::write(client.folder.path().join("disk.rem"), "def one = 1i64\ndef two = 2i64\n").expect("written");
    let disk = client.uri("disk.rem");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": disk, "type": 2 }] }));
    assert_eq!(client.diagnostics(&main, 1), Vec::<Value>::new());
}

#[test]
fn requests_in_any_order() {
    let mut client = Client::raw();
    assert_eq!(client.refusal("textDocument/hover", Value::Null)["code"], -32002);
    client.notify("textDocument/didOpen", json!({}));
    client.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(client.refusal("initialize", json!({ "capabilities": {} }))["code"], -32600);
    assert_eq!(client.refusal("textDocument/never", Value::Null)["code"], -32601);
    assert_eq!(client.refusal("textDocument/hover", json!({ "textDocument": 3 }))["code"], -32602);
    let nowhere = json!({ "textDocument": { "uri": "file:///nowhere.rem" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.refusal("textDocument/hover", nowhere)["code"], -32602);
    client
        .notify("textDocument/didChange", json!({ "textDocument": { "uri": "file:///nowhere.rem", "version": 3 }, "contentChanges": [] }));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": "file:///nowhere.rem" } }));
    client.request("shutdown", Value::Null);
    assert_eq!(client.refusal("shutdown", Value::Null)["code"], -32600);
    client.notify("exit", Value::Null);
    assert!(client.die().success());
}

#[test]
fn what_is_no_message_is_answered() {
    let mut client = Client::new();
    client.bytes(b"Content-Length: 5\r\n\r\n{\"a\":");
    let answer = client.wait(|message| message["id"].is_null() && message.get("error").is_some());
    assert_eq!(answer["error"]["code"], -32700);
    client.bytes(b"Content-Length: 12\r\n\r\n{\"id\":\"\xff\xfe\x80\"}");
    client.wait(|message| message["id"].is_null() && message.get("error").is_some());
    // Where a header says no length, the next one is looked for.
    for header in ["Content-Length: 99999999999999", "Content-Length: -5", "Content-Length: many", "Content-Type: x", "garbage"] {
        client.bytes(format!("{header}\r\n\r\n{{\"jsonrpc\":\"2.0\"}}").as_bytes());
        client.request("workspace/symbol", json!({ "query": "" }));
        let answer = client.wait(|message| message["id"].is_null() && message.get("error").is_some());
        assert_eq!(answer["error"]["code"], -32700, "{header}");
    }
    let uri = client.open("a.rem", "def f = 1i64");
    assert_eq!(client.diagnostics(&uri, 1), Vec::<Value>::new());
    assert!(client.end().success());
}

#[test]
fn a_client_that_dies_leaves_no_server() {
    let mut client = Client::new();
    client.open("a.rem", "def f = 1i64");
    assert_eq!(client.die().code(), Some(1));
    let mut client = Client::new();
    client.bytes(b"Content-Length: 100\r\n\r\n{");
    assert_eq!(client.die().code(), Some(1));
    let mut client = Client::new();
    client.bytes(b"Content-Length: many\r\n\r\n");
    assert_eq!(client.die().code(), Some(1));
}

#[test]
fn cancelled_requests_have_no_result() {
    let mut client = Client::new();
    let text: String = (0..400).map(|at| format!("def f{at} [n] (x: [n]f64) = x * 2 + f64.sum x\n")).collect();
    let uri = client.open("a.rem", &text);
    // The first request has the document checked; the second is cancelled meanwhile.
    let document = json!({ "textDocument": { "uri": uri } });
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(client.ask("textDocument/semanticTokens/full", document.clone()));
    }
    let last = *ids.last().expect("some");
    client.notify("$/cancelRequest", json!({ "id": last }));
    for id in &ids[..19] {
        assert!(client.response(*id).get("result").is_some());
    }
    let answer = client.response(last);
    // It may have been answered before the cancellation came.
    assert!(answer["error"]["code"] == -32800 || answer.get("result").is_some(), "{answer}");
    assert!(client.end().success());
}

#[test]
fn settings_are_taken_over_and_mistakes_are_not() {
    let mut client = Client::with(json!({ "inlayHints": { "types": false, "ranks": false } }));
    let asked = client.wait(|message| message["method"] == "workspace/configuration");
    client.answer(&asked, json!([null]));
    let uri = client.open("a.rem", "def f (xs: []f64) = let y = xs + 1 in y\n");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let labels = |client: &mut Client| -> Vec<String> {
        let hints = client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }));
        hints.as_array().expect("a list").iter().map(|hint| hint["label"].as_str().expect("text").to_string()).collect()
    };
    assert_eq!(labels(&mut client), ["map"]);
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "remora": { "inlayHints": { "maps": false, "sizes": false } } } }),
    );
    client.wait(|message| message["method"] == "workspace/inlayHint/refresh");
    assert_eq!(labels(&mut client), [": []f64", ": []f64"]);
    client.notify("workspace/didChangeConfiguration", json!({ "settings": { "remora": { "inlayHints": { "colours": false } } } }));
    let shown = client.wait(|message| message["method"] == "window/showMessage");
    assert!(shown["params"]["message"].as_str().is_some_and(|text| text.contains("colours")), "{shown}");
    assert_eq!(labels(&mut client), [": []f64", ": []f64"]);
}

#[test]
fn half_written_and_odd_texts_are_answered() {
    let mut client = Client::new();
    let whole = "import \"lib/np\"\nmodule m = { def g [n] (xs: [n]f64) = xs + 1 }\n-- | ä\ndef f (p: {x: f64, y: []f64}) =\n  let q = m.g p.y in \
                 loop a = q for i < 3 do a with [0] = p.x + #\"z\n";
    let uri = client.open("a.rem", "");
    let methods = ["hover", "definition", "documentHighlight", "signatureHelp", "completion", "references", "prepareRename"];
    let mut version = 1;
    for cut in (0..whole.len()).filter(|cut| whole.is_char_boundary(*cut)).step_by(19) {
        version += 1;
        client.replace(&uri, version, &whole[..cut]);
        let line = whole[..cut].matches('\n').count() as u32;
        for method in methods {
            let place = json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": 1 << 20 }, "context": { "includeDeclaration": true } });
            let id = client.ask(&format!("textDocument/{method}"), place);
            let response = client.response(id);
            assert!(response["error"]["code"] != -32603, "{method} at {cut}: {response}");
        }
        let range = json!({ "start": { "line": 3, "character": 7 }, "end": { "line": 0, "character": 0 } });
        client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }));
        client.request(
            "textDocument/codeAction",
            json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } }),
        );
        for method in ["documentSymbol", "foldingRange", "semanticTokens/full"] {
            client.request(&format!("textDocument/{method}"), json!({ "textDocument": { "uri": uri } }));
        }
        client.request(
            "textDocument/selectionRange",
            json!({ "textDocument": { "uri": uri }, "positions": [{ "line": 1, "character": 9 }, { "line": 99, "character": 0 }] }),
        );
    }
    for text in ["\u{feff}def f = 1\r\ndef g = 2\r", "\0\u{1}", &"(".repeat(20_000), "𝄞𝄞 = \u{202e}", "import \"a\""] {
        version += 1;
        client.replace(&uri, version, text);
        client.diagnostics(&uri, version);
        client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } }));
    }
    assert!(client.end().success());
}
