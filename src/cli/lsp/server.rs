//! The order of things: which message is answered when, and when documents are checked.

use super::documents::{Documents, Open};
use super::library::Library;
use super::settings::Settings;
use super::transport::{Incoming, failed};
use super::{Ahead, Outgoing, requests, uri};
use crate::base::ice::{self, Bug};
use crate::driver;
use crate::editor::{Analysis, diagnostics};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams,
    PublishDiagnosticsParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};

/// How far the conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    Before,
    Running,
    /// After `shutdown`.
    Down,
}

/// What the client can do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Client {
    /// Whether it asks for what an action changes when it is chosen.
    pub(super) resolve_actions: bool,
    configuration: bool,
    refresh_hints: bool,
    watch: bool,
}

/// Longest text of a document, in bytes: offsets have 32 bits.
const LONGEST_TEXT: usize = u32::MAX as usize - 1;

/// The answer to a request that has none.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

pub(super) struct Server {
    out: Sender<Outgoing>,
    ahead: Arc<Ahead>,
    phase: Phase,
    pub(super) client: Client,
    pub(super) settings: Settings,
    pub(super) documents: Documents,
    pub(super) library: Library,
    /// Numbers of the requests that go to the client.
    asked: i32,
    /// How many changes have been taken in.
    seen: u64,
}

impl Server {
    pub(super) fn new(out: Sender<Outgoing>, ahead: Arc<Ahead>) -> Server {
        Server {
            out,
            ahead,
            phase: Phase::Before,
            client: Client::default(),
            settings: Settings::default(),
            documents: Documents::default(),
            library: Library::new(),
            asked: 0,
            seen: 0,
        }
    }

    /// Answers until the client says `exit` or is gone; whether it had said `shutdown` before.
    pub(super) fn serve(mut self, incoming: &Receiver<Incoming>) -> bool {
        loop {
            let next = match incoming.try_recv() {
                Ok(next) => next,
                Err(TryRecvError::Disconnected) => return false,
                Err(TryRecvError::Empty) => {
                    if self.check_one() {
                        continue;
                    }
                    match incoming.recv() {
                        Ok(next) => next,
                        Err(_) => return false,
                    }
                }
            };
            match next {
                Incoming::Malformed(problem) => {
                    eprintln!("remora lsp: no message: {problem}");
                    self.send_out(Outgoing::Malformed(problem));
                }
                Incoming::Message(Message::Notification(exit)) if exit.method == "exit" => return self.phase == Phase::Down,
                Incoming::Message(message) => self.message(message),
            }
        }
    }

    fn send_out(&self, outgoing: Outgoing) {
        // A client that is gone is noticed where messages are read.
        self.out.send(outgoing).ok();
    }

    fn send(&self, message: Message) {
        self.send_out(Outgoing::Message(message));
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Message::Notification(Notification { method: method.to_string(), params }));
    }

    /// Asks the client something.
    fn ask(&mut self, kind: &str, method: &str, params: Value) {
        self.asked += 1;
        let id = RequestId::from(format!("{kind}-{}", self.asked));
        self.send(Message::Request(Request { id, method: method.to_string(), params }));
    }

    /// Tells the user something.
    pub(super) fn say(&self, text: &str) {
        self.notify("window/showMessage", json!({ "type": 3, "message": text }));
    }

    /// Notes something for who looks for mistakes: 1 is an error, 2 a warning.
    fn log(&self, level: u8, text: &str) {
        eprintln!("remora lsp: {text}");
        self.notify("window/logMessage", json!({ "type": level, "message": text }));
    }

    fn message(&mut self, message: Message) {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) => {
                let method = notification.method.clone();
                if let Err(bug) = ice::catch(|| self.notification(notification)) {
                    self.crashed(&method, &bug);
                }
            }
            Message::Response(response) => self.response(&response),
        }
    }

    fn crashed(&self, what: &str, bug: &Bug) {
        self.log(1, &format!("{what}: {}", driver::internal(bug).message));
    }

    fn request(&mut self, Request { id, method, params }: Request) {
        if self.ahead.take_cancelled(&id) {
            return self.send(failed(id, ErrorCode::RequestCanceled, "cancelled by the client"));
        }
        let answer = match (self.phase, method.as_str()) {
            (Phase::Before, "initialize") => self.initialize(params),
            (Phase::Before, _) => {
                Err(Failure { code: ErrorCode::ServerNotInitialized, message: "the first request is `initialize`".into() })
            }
            (_, "initialize") => Err(Failure { code: ErrorCode::InvalidRequest, message: "`initialize` is asked once".into() }),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::Down;
                Ok(Value::Null)
            }
            (Phase::Running, _) => match ice::catch(|| requests::answer(self, &method, params)) {
                Ok(answer) => answer,
                Err(bug) => {
                    self.crashed(&method, &bug);
                    Err(Failure { code: ErrorCode::InternalError, message: driver::internal(&bug).message })
                }
            },
            (Phase::Down, _) => Err(Failure { code: ErrorCode::InvalidRequest, message: "the server was shut down".into() }),
        };
        match answer {
            Ok(result) => self.send(Message::Response(Response::new_ok(id, result))),
            Err(Failure { code, message }) => self.send(failed(id, code, message)),
        }
    }

    fn initialize(&mut self, params: Value) -> Result<Value, Failure> {
        let params: InitializeParams =
            serde_json::from_value(params).map_err(|error| Failure { code: ErrorCode::InvalidParams, message: error.to_string() })?;
        self.phase = Phase::Running;
        let workspace = params.capabilities.workspace.unwrap_or_default();
        let actions = params.capabilities.text_document.and_then(|text| text.code_action).and_then(|action| action.resolve_support);
        self.client = Client {
            resolve_actions: actions.is_some_and(|support| support.properties.iter().any(|property| property == "edit")),
            configuration: workspace.configuration.unwrap_or(false),
            refresh_hints: workspace.inlay_hint.and_then(|hint| hint.refresh_support).unwrap_or(false),
            watch: workspace.did_change_watched_files.and_then(|watch| watch.dynamic_registration).unwrap_or(false),
        };
        self.configure(&params.initialization_options.unwrap_or(Value::Null));
        Ok(json!({
            "capabilities": requests::capabilities(),
            "serverInfo": { "name": "remora", "version": env!("CARGO_PKG_VERSION") },
        }))
    }

    /// Takes settings over; wrong ones change nothing.
    fn configure(&mut self, value: &Value) {
        match Settings::read(value) {
            Ok(None) => {}
            Ok(Some(settings)) if settings == self.settings => {}
            Ok(Some(settings)) => {
                self.settings = settings;
                if self.client.refresh_hints {
                    self.ask("refresh", "workspace/inlayHint/refresh", Value::Null);
                }
            }
            Err(problem) => {
                let text = format!("the settings of remora are not understood, and nothing is changed: {problem}");
                self.log(2, &text);
                self.notify("window/showMessage", json!({ "type": 2, "message": text }));
            }
        }
    }

    fn ask_settings(&mut self) {
        if self.client.configuration {
            self.ask("settings", "workspace/configuration", json!({ "items": [{ "section": "remora" }] }));
        }
    }

    fn response(&mut self, response: &Response) {
        if !response.id.to_string().contains("settings-") {
            return;
        }
        if let Ok(result) = &response.response_result {
            self.configure(result.get(0).unwrap_or(&Value::Null));
        }
    }

    fn read<P: DeserializeOwned>(&self, method: &str, params: Value) -> Option<P> {
        let read = serde_json::from_value(params);
        read.map_err(|error| self.log(2, &format!("{method}: {error}"))).ok()
    }

    fn notification(&mut self, Notification { method, params }: Notification) {
        self.seen += u64::from(super::is_change(&method));
        if self.phase != Phase::Running {
            return;
        }
        match method.as_str() {
            "initialized" => {
                self.ask_settings();
                if self.client.watch {
                    let watchers = json!([{ "globPattern": "**/*.{rem,fut,remc,apl}" }]);
                    let options =
                        json!({ "id": "files", "method": "workspace/didChangeWatchedFiles", "registerOptions": { "watchers": watchers } });
                    self.ask("watch", "client/registerCapability", json!({ "registrations": [options] }));
                }
            }
            "workspace/didChangeConfiguration" => {
                let settings = params.get("settings").cloned().unwrap_or(Value::Null);
                if settings.is_null() { self.ask_settings() } else { self.configure(&settings) }
            }
            "textDocument/didOpen" => {
                if let Some(DidOpenTextDocumentParams { text_document: new }) = self.read(&method, params)
                    && self.short_enough(&new.uri, new.text.len())
                {
                    self.documents.insert(&self.library, new.uri, &new.language_id, new.version, new.text);
                }
            }
            "textDocument/didChange" => {
                if let Some(params) = self.read(&method, params) {
                    self.changed(params);
                }
            }
            "textDocument/didClose" => {
                if let Some(DidCloseTextDocumentParams { text_document }) = self.read(&method, params)
                    && let Some(open) = self.documents.open.remove(text_document.uri.as_str())
                {
                    self.documents.touched(&open.name);
                    self.publish(&text_document.uri, None, Vec::new());
                }
            }
            "workspace/didChangeWatchedFiles" => {
                let Some(DidChangeWatchedFilesParams { changes }) = self.read(&method, params) else { return };
                for path in changes.iter().filter_map(|change| uri::path_of(&change.uri)) {
                    self.documents.touched(&path.to_string_lossy());
                }
            }
            _ => {}
        }
    }

    fn short_enough(&self, uri: &Uri, length: usize) -> bool {
        if length > LONGEST_TEXT {
            self.log(1, &format!("{} is too long: more than 4 GiB", uri.as_str()));
        }
        length <= LONGEST_TEXT
    }

    fn changed(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.uri;
        let added: usize = params.content_changes.iter().map(|change| change.text.len()).sum();
        let Some(open) = self.documents.get_mut(&uri) else {
            return self.log(2, &format!("{} is changed, but not open", uri.as_str()));
        };
        let fits = open.document.text.len().saturating_add(added) <= LONGEST_TEXT;
        if fits {
            params.content_changes.into_iter().for_each(|change| open.document.change(change));
            open.version = params.text_document.version;
            (open.fresh, open.published) = (false, false);
            let name = open.name.clone();
            self.documents.touched(&name);
        } else {
            self.short_enough(&uri, usize::MAX);
            self.documents.open.remove(uri.as_str());
        }
    }

    fn publish(&self, uri: &Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
        match serde_json::to_value(params) {
            Ok(params) => self.notify("textDocument/publishDiagnostics", params),
            Err(error) => self.log(1, &error.to_string()),
        }
    }

    /// Checks a document that has changed, or sends what was found about one; whether there was one.
    fn check_one(&mut self) -> bool {
        let open = self.documents.open.values().find(|open| !open.published);
        // What else could be said is said when everything has been checked.
        let (open, again) = match open {
            Some(open) => (open, false),
            None => match self.documents.open.values().find(|open| open.more) {
                Some(open) => (open, true),
                None => return false,
            },
        };
        let (uri, version, library) = (open.uri.clone(), open.version, open.library);
        let checked = ice::catch(|| if again { self.explain(&uri) } else { self.refresh(&uri, true) });
        let diagnostics = match checked {
            // Given up: another change waits.
            Ok(false) => return true,
            Ok(true) => self.diagnostics(&uri),
            Err(bug) => {
                self.crashed("checking", &bug);
                vec![internal(&bug)]
            }
        };
        if let Some(open) = self.documents.get_mut(&uri) {
            (open.fresh, open.published) = (true, true);
            open.more &= !again;
        }
        if !library {
            self.publish(&uri, Some(version), diagnostics);
        }
        true
    }

    fn diagnostics(&self, uri: &Uri) -> Vec<lsp_types::Diagnostic> {
        let analysis = self.documents.get(uri).and_then(|open| open.analysis.clone());
        analysis.map_or(Vec::new(), |analysis| diagnostics::diagnostics(&analysis, &|name| self.uri_of(&analysis, name)))
    }

    /// Makes what is known about a document be about its text; false where that was given up, because another change waits.
    fn refresh(&mut self, uri: &Uri, give_up: bool) -> bool {
        let Some(open) = self.documents.get_mut(uri).filter(|open| !open.fresh) else { return true };
        // What was known is gone if this goes wrong.
        let before = open.analysis.take();
        open.fresh = true;
        let Some(open) = self.documents.get(uri) else { return true };
        let (name, text) = Documents::program(open);
        let (library, own) = (open.library, open.name.clone());
        let stop = || give_up && self.ahead.changes() != self.seen;
        let found = Analysis::again((&name, &text), &self.documents.texts(), before.as_deref(), &stop);
        let Some(open) = self.documents.get_mut(uri) else { return true };
        let Some((analysis, more)) = found else {
            (open.analysis, open.fresh) = (before, false);
            return false;
        };
        let analysis = if library { analysis.about(&own) } else { Some(analysis) };
        open.more = more;
        open.analysis = analysis.map(Rc::new);
        {
            if let Some(analysis) = open.analysis.as_ref().filter(|analysis| !analysis.checked.failed()) {
                open.accepted = Some(analysis.clone());
            }
        }
        true
    }

    /// Checks a document once more for suggestions; false where that was given up.
    fn explain(&mut self, uri: &Uri) -> bool {
        let Some(open) = self.documents.get_mut(uri) else { return true };
        open.more = false;
        let (name, text) = Documents::program(open);
        let stop = || self.ahead.changes() != self.seen;
        let found = Analysis::complete((&name, &text), &self.documents.texts(), &stop);
        let Some(open) = self.documents.get_mut(uri) else { return true };
        match found {
            Some(analysis) => open.analysis = Some(Rc::new(analysis)),
            None => open.more = true,
        }
        !open.more
    }

    /// What is known about a document as it is now.
    pub(super) fn analysis(&mut self, uri: &Uri) -> Result<Rc<Analysis>, Failure> {
        self.refresh(uri, false);
        let known = |open: &Open| open.analysis.clone();
        self.documents
            .get(uri)
            .and_then(known)
            .ok_or_else(|| Failure { code: ErrorCode::InvalidParams, message: format!("nothing is known about {}", uri.as_str()) })
    }

    /// The address of a file of a program.
    pub(super) fn uri_of(&self, analysis: &Analysis, name: &str) -> Option<Uri> {
        if let Some(open) = self.documents.open.values().find(|open| open.name == name) {
            return Some(open.uri.clone());
        }
        if Library::owns(name) {
            let text = analysis.sources.files().find(|(_, file)| file.name == name)?.1.text.clone();
            return self.library.uri(name, &text);
        }
        uri::of_path(Path::new(name))
    }
}

/// An internal error as a diagnostic of the document.
fn internal(bug: &Bug) -> lsp_types::Diagnostic {
    let message = format!("{}\nthis is a mistake in remora, not in the program; please report it", driver::internal(bug).message);
    lsp_types::Diagnostic { message, source: Some("remora".into()), ..lsp_types::Diagnostic::default() }
}
