//! What people should know about the C compiler and the cache, kept until somebody can say it.

use std::sync::Mutex;

static NOTES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps a note, once.
pub(super) fn keep(text: String) {
    let mut notes = NOTES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !notes.contains(&text) {
        notes.push(text);
    }
}

/// The notes since the last call.
pub fn take() -> Vec<String> {
    std::mem::take(&mut *NOTES.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
}
