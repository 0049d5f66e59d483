//! `remora lsp`: the language server, on standard input and output.
//!
//! One thread reads, one writes, and one, which has a stack for any depth of nesting, does everything else in the order in which messages
//! come. Changes are only noted; a document is checked when a request asks for it, or when no message waits. Reading goes on meanwhile: a
//! request that is cancelled before its turn is not answered with a result, and the check of a text that has changed again is given up.
//! What goes wrong in a request is its answer, and is logged; the server goes on.

mod documents;
mod library;
mod renaming;
mod requests;
mod server;
mod settings;
mod transport;
mod uri;

use super::{FAILURE, Outcome, SUCCESS};
use clap::Args;
use lsp_server::{Message, RequestId};
use rustc_hash::FxHashSet;
use server::Server;
use std::io::{BufReader, BufWriter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use transport::Incoming;

/// Run the language server for editors, on standard input and output
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  remora lsp            what an editor starts; docs/editor.md and editors/README.md say how

What is no message, or has no length in its header, is answered with an error, and the next message is read. The exit code is 0 after the
requests `shutdown` and `exit`, and 1 where standard input or output ends without them.")]
pub(super) struct LspArgs {
    /// Standard input and output are used: accepted because many clients pass it
    #[arg(long)]
    stdio: bool,
}

/// Whether a notification makes a check that is going on useless.
fn is_change(method: &str) -> bool {
    matches!(method, "textDocument/didChange" | "textDocument/didClose" | "exit")
}

/// What the reading thread knows before the messages are looked at.
#[derive(Default)]
pub(super) struct Ahead {
    /// Requests that were cancelled.
    cancelled: Mutex<FxHashSet<RequestId>>,
    /// How many changes of documents have come.
    changes: AtomicU64,
}

impl Ahead {
    fn note(&self, message: &Message) {
        let Message::Notification(notification) = message else { return };
        match notification.method.as_str() {
            "$/cancelRequest" => {
                let id = notification.params.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
                self.cancelled().extend(id);
            }
            method => drop(self.changes.fetch_add(u64::from(is_change(method)), Ordering::Relaxed)),
        }
    }

    fn cancelled(&self) -> std::sync::MutexGuard<'_, FxHashSet<RequestId>> {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a request was cancelled; it is forgotten.
    pub(super) fn take_cancelled(&self, id: &RequestId) -> bool {
        self.cancelled().remove(id)
    }

    /// How many changes have come.
    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }
}

pub(super) fn run(_: &LspArgs) -> Outcome {
    let ahead = Arc::new(Ahead::default());
    let (out, outgoing) = channel();
    let incoming = reader(ahead.clone());
    let writer = std::thread::spawn(move || write_all(&outgoing));
    let clean = Server::new(out, ahead).serve(&incoming);
    // A client that does not read any more has ended this thread already.
    writer.join().ok();
    Ok(if clean { SUCCESS } else { FAILURE })
}

fn reader(ahead: Arc<Ahead>) -> Receiver<Incoming> {
    let (sender, receiver): (Sender<Incoming>, _) = channel();
    // It is not waited for: it may hang in a read for ever.
    std::thread::spawn(move || {
        let mut input = BufReader::new(std::io::stdin());
        let mut framing = transport::Framing::default();
        loop {
            match framing.read(&mut input) {
                Ok(Some(incoming)) => {
                    if let Incoming::Message(message) = &incoming {
                        ahead.note(message);
                    }
                    if sender.send(incoming).is_err() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => {
                    eprintln!("remora lsp: standard input cannot be read: {error}");
                    return;
                }
            }
        }
    });
    receiver
}

/// What goes to the client.
pub(super) enum Outgoing {
    /// A message.
    Message(Message),
    /// The answer to what is no message.
    Malformed(String),
}

fn write_all(outgoing: &Receiver<Outgoing>) {
    let mut output = BufWriter::new(std::io::stdout());
    for message in outgoing {
        let written = match &message {
            Outgoing::Message(message) => transport::write(&mut output, message),
            Outgoing::Malformed(problem) => transport::write_malformed(&mut output, problem),
        };
        if written.is_err() {
            return;
        }
    }
}
