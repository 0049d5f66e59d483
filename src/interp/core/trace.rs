//! Values of expressions with `#[trace]`, as they are computed.

use crate::runtime::{Value, data};
use std::sync::OnceLock;

/// Who gets the lines.
static SINK: OnceLock<fn(&str)> = OnceLock::new();

/// Says who gets the lines of traces, once in a process. Without this nobody does.
pub fn to(sink: fn(&str)) {
    SINK.get_or_init(|| sink);
}

/// A value that was computed at a place.
pub(super) fn show(place: &str, value: &Value) {
    if let Some(sink) = SINK.get() {
        sink(&format!("{place}: {}", data::text::write(value).replace('\n', ", ")));
    }
}
