//! Messages on standard input and output.
//!
//! Framing is read here and not by the crate `lsp-server`, for which a message that is no JSON is the end: it is answered, and the next
//! one is read.

use lsp_server::{ErrorCode, Message, RequestId, Response};
use std::io::{BufRead, Read, Write};

/// Longest message, in bytes.
const LONGEST: usize = 1 << 30;

/// What was read.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message.
    Message(Message),
    /// Something else, with what is to be answered.
    Malformed(String),
}

/// Longest line of a header, in bytes.
const LONGEST_LINE: usize = 8 << 10;

const LENGTH: &str = "content-length:";

/// Where reading has come to in the headers.
///
/// Where a header says no length, nothing tells where its message ends. Everything is skipped then up to the next line end behind
/// `Content-Length: N`, which cannot be part of a message: there are no line ends in JSON's strings.
#[derive(Debug, Default)]
pub(super) struct Framing {
    /// The length of the message whose header is read.
    length: Option<usize>,
    /// Whether the header has other lines.
    begun: bool,
    /// Whether a header is looked for.
    lost: bool,
}

impl Framing {
    /// The next message, or what is wrong with what stands in its place; `None` where there are no more.
    pub(super) fn read(&mut self, input: &mut dyn BufRead) -> std::io::Result<Option<Incoming>> {
        let mut line = Vec::new();
        loop {
            if !next_line(input, &mut line)? {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end_matches(['\r', '\n']);
            if text.is_empty()
                && let Some(length) = self.length.take()
            {
                *self = Framing::default();
                return body(input, length);
            }
            if let Some(problem) = self.line(text, line.ends_with(b"\n")) {
                return Ok(Some(Incoming::Malformed(problem)));
            }
        }
    }

    /// Takes a line of a header, without its end; what is wrong with it, unless that has been said.
    fn line(&mut self, text: &str, ended: bool) -> Option<String> {
        let problem = match text.to_ascii_lowercase().rfind(LENGTH) {
            Some(at) if ended => {
                let value = text.get(at + LENGTH.len()..).unwrap_or("").trim();
                self.length = value.parse().ok().filter(|length| *length <= LONGEST);
                match self.length {
                    None => format!("`Content-Length: {}` says no length of at most {LONGEST} bytes", shortened(value)),
                    Some(_) => {
                        let skipped = std::mem::take(&mut self.lost);
                        if at == 0 || skipped {
                            return None;
                        }
                        return Some(format!("`{}` in front of a header", shortened(&text[..at])));
                    }
                }
            }
            _ if self.lost => return None,
            _ if text.is_empty() && !self.begun => return None,
            _ if text.is_empty() => "a header without `Content-Length`".to_string(),
            _ if ended && text.contains(':') && !text.starts_with('{') => {
                self.begun = true;
                return None;
            }
            _ => format!("`{}` is no line of a header", shortened(text)),
        };
        self.length = None;
        self.begun = false;
        (!std::mem::replace(&mut self.lost, true)).then_some(problem)
    }
}

/// The next line with its end, or as much of it as is allowed; false where there is nothing more.
fn next_line(input: &mut dyn BufRead, line: &mut Vec<u8>) -> std::io::Result<bool> {
    // What a header that is cut in two begins with is kept.
    let kept = if line.ends_with(b"\n") { 0 } else { line.len().min(64) };
    line.drain(..line.len() - kept);
    input.take((LONGEST_LINE - kept) as u64).read_until(b'\n', line)?;
    Ok(line.len() > kept)
}

fn shortened(text: &str) -> String {
    let end = text.char_indices().nth(40).map(|(end, _)| end);
    let shown = end.map_or(text, |end| &text[..end]).escape_debug();
    if end.is_some() { format!("{shown}..") } else { shown.to_string() }
}

fn body(input: &mut dyn BufRead, length: usize) -> std::io::Result<Option<Incoming>> {
    let mut bytes = Vec::new();
    if input.take(length as u64).read_to_end(&mut bytes)? < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Malformed(error.to_string()),
    }))
}

/// Writes a message.
pub(super) fn write(output: &mut dyn Write, message: &Message) -> std::io::Result<()> {
    #[derive(serde::Serialize)]
    struct Envelope<'a> {
        jsonrpc: &'static str,
        #[serde(flatten)]
        message: &'a Message,
    }
    let text = serde_json::to_vec(&Envelope { jsonrpc: "2.0", message })?;
    write!(output, "Content-Length: {}\r\n\r\n", text.len())?;
    output.write_all(&text)?;
    output.flush()
}

/// Writes the answer to what is no message: one to nobody.
pub(super) fn write_malformed(output: &mut dyn Write, problem: &str) -> std::io::Result<()> {
    let error = serde_json::json!({ "code": ErrorCode::ParseError as i32, "message": problem });
    let text = serde_json::to_vec(&serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error }))?;
    write!(output, "Content-Length: {}\r\n\r\n", text.len())?;
    output.write_all(&text)?;
    output.flush()
}

/// The answer to a request that failed.
pub(super) fn failed(id: RequestId, code: ErrorCode, message: impl Into<String>) -> Message {
    Message::Response(Response::new_err(id, code as i32, message.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_skipped() {
        let good = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let mut text = b"Content-Length: 3\r\n\r\n{x}content-length: 4\nX: y\r\n\r\n\"\xff\xfe\"".to_vec();
        text.extend(format!("Content-Length: {}\r\n\r\n{good}Content-Length: 99\r\n\r\nshort", good.len()).bytes());
        let mut input = text.as_slice();
        let mut framing = Framing::default();
        assert!(matches!(framing.read(&mut input), Ok(Some(Incoming::Malformed(_)))));
        assert!(matches!(framing.read(&mut input), Ok(Some(Incoming::Malformed(_)))));
        let Ok(Some(Incoming::Message(Message::Notification(exit)))) = framing.read(&mut input) else { panic!("a notification") };
        assert_eq!(exit.method, "exit");
        assert!(matches!(framing.read(&mut input), Ok(None)), "the end is in the middle of a message");
    }

    #[test]
    fn headers_that_say_no_length_are_skipped() {
        let good = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let framed = format!("Content-Length: {}\r\n\r\n{good}", good.len());
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(3 * LONGEST_LINE - 20));
        for (bad, problem) in [
            ("Content-Length: 99999999999999\r\n\r\n{\"a\":1}", "`Content-Length: 99999999999999` says no length"),
            ("Content-Length: -5\r\n\r\n{}", "`Content-Length: -5` says no length"),
            ("Content-Length: 99999999999999999999999999\r\n\r\n", "says no length"),
            ("Content-Length:\r\n\r\n{}", "says no length"),
            ("Content-Type: a\r\n\r\n{\"a\":\"Content-Length: 5\"}", "without `Content-Length`"),
            ("\r\n\x00\u{7f}\u{e9}\r\n\r\n\r\n", "is no line of a header"),
            ("{\"jsonrpc\":\"2.0\"}", "in front of a header"),
            (&long, "is no line of a header"),
        ] {
            let text = format!("{bad}{framed}{framed}");
            let mut input = text.as_bytes();
            let mut framing = Framing::default();
            let Ok(Some(Incoming::Malformed(said))) = framing.read(&mut input) else { panic!("{bad}") };
            assert!(said.contains(problem), "{said}");
            for _ in 0..2 {
                assert!(matches!(framing.read(&mut input), Ok(Some(Incoming::Message(Message::Notification(_))))), "{problem}");
            }
            assert!(matches!(framing.read(&mut input), Ok(None)));
        }
    }
}
