//! A client that speaks with the real server.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Long enough for a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    incoming: Receiver<Value>,
    next: i64,
    /// What has come and was not asked for yet.
    waiting: Vec<Value>,
    pub(super) folder: tempfile::TempDir,
}

fn read(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

impl Client {
    /// Starts a server that has not been initialized.
    pub(super) fn raw() -> Client {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_remora"));
        command.arg("lsp").env("REMORA_CACHE", folder.path().join("cache"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client { child, input, incoming, next: 0, waiting: Vec::new(), folder }
    }

    /// Starts a server, with settings.
    pub(super) fn with(options: Value) -> Client {
        let mut client = Client::raw();
        let workspace = json!({ "configuration": true, "inlayHint": { "refreshSupport": true } });
        let params =
            json!({ "processId": null, "rootUri": null, "capabilities": { "workspace": workspace }, "initializationOptions": options });
        let result = client.request("initialize", params);
        assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
        client.notify("initialized", json!({}));
        client
    }

    pub(super) fn new() -> Client {
        Client::with(Value::Null)
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; its number.
    pub(super) fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        self.next
    }

    /// Answers a request of the server.
    pub(super) fn answer(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    /// The next message that fits.
    pub(super) fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&fits) {
            return self.waiting.remove(at);
        }
        loop {
            match self.incoming.recv_timeout(PATIENCE) {
                Ok(message) if fits(&message) => return message,
                Ok(message) => self.waiting.push(message),
                Err(RecvTimeoutError::Timeout) => panic!("nothing comes; there was {:?}", self.waiting),
                Err(RecvTimeoutError::Disconnected) => panic!("the server is gone; there was {:?}", self.waiting),
            }
        }
    }

    /// The whole response to a request.
    pub(super) fn response(&mut self, id: i64) -> Value {
        self.wait(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The result of a request that is answered.
    pub(super) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    /// The error with which a request is refused.
    pub(super) fn refusal(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let response = self.response(id);
        assert!(response.get("result").is_none(), "{method}: {response}");
        response["error"].clone()
    }

    pub(super) fn uri(&self, name: &str) -> String {
        format!("file://{}", self.folder.path().join(name).display())
    }

    /// Opens a document; its address.
    pub(super) fn open(&mut self, name: &str, text: &str) -> String {
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "remora", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Replaces the text of a document.
    pub(super) fn replace(&mut self, uri: &str, version: i64, text: &str) {
        let params = json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }] });
        self.notify("textDocument/didChange", params);
    }

    /// The diagnostics of a version of a document.
    pub(super) fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let fits = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        };
        self.wait(fits)["params"]["diagnostics"].as_array().cloned().expect("a list")
    }

    /// What is asked about a place of a document.
    pub(super) fn at(&mut self, method: &str, uri: &str, (line, character): (u32, u32)) -> Value {
        self.request(method, json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } }))
    }

    /// Ends the server as the protocol says.
    pub(super) fn end(mut self) -> ExitStatus {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().expect("it ends")
    }

    /// Closes the server's input, as a client does that dies.
    pub(super) fn die(mut self) -> ExitStatus {
        drop(self.input.take());
        self.child.wait().expect("it ends")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The text with the changes that a result has for it.
pub(super) fn changed(text: &str, edits: &Value) -> String {
    use remora::editor::text::Document;
    let mut edits: Vec<lsp_types::TextEdit> = serde_json::from_value(edits.clone()).expect("edits");
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut document = Document::new(text.to_string());
    for edit in edits.into_iter().rev() {
        let change = lsp_types::TextDocumentContentChangeEvent { range: Some(edit.range), range_length: None, text: edit.new_text };
        document.change(change);
    }
    document.text
}
