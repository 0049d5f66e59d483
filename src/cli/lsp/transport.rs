//! Messages on standard input and output.
//!
//! Framing is read here and not by the crate `lsp-server`, for which a message that is no JSON is the end: it is answered, and the next
//! one is read.

use lsp_server::{ErrorCode, Message, RequestId, Response};
use std::io::{BufRead, ErrorKind, Read, Write};

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

/// The next message; `None` where there are no more, or where nothing tells where the next one begins.
pub(super) fn read(input: &mut dyn BufRead) -> std::io::Result<Option<Incoming>> {
    let mut length = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            if length.is_some() {
                break;
            }
            continue;
        }
        if let Some((name, value)) = text.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length.filter(|length| *length <= LONGEST).ok_or(ErrorKind::InvalidData)?;
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
        assert!(matches!(read(&mut input), Ok(Some(Incoming::Malformed(_)))));
        assert!(matches!(read(&mut input), Ok(Some(Incoming::Malformed(_)))));
        let Ok(Some(Incoming::Message(Message::Notification(exit)))) = read(&mut input) else { panic!("a notification") };
        assert_eq!(exit.method, "exit");
        assert!(matches!(read(&mut input), Ok(None)), "the end is in the middle of a message");
        assert!(read(&mut b"Content-Length: 99999999999\r\n\r\n".as_slice()).is_err());
    }
}
