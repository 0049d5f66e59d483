//! Reading and writing files, with diagnostics for everything that can go wrong.

use crate::diag::Diagnostic;
use std::io::Read;
use std::path::Path;

/// Larger sources are refused: spans are 32 bits wide.
const LARGEST_SOURCE: u64 = u32::MAX as u64 - 1;

/// The path as messages show it.
pub fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// All bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let fail = |why: String| Box::new(Diagnostic::bare("E0601", format!("`{}` cannot be read: {why}", shown(path).escape_debug())));
    if path.is_dir() {
        return Err(fail("it is a directory".into()));
    }
    std::fs::read(path).map_err(|error| fail(reason(&error)))
}

/// All bytes of standard input.
pub fn read_stdin() -> Result<Vec<u8>, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Box::new(Diagnostic::bare("E0601", format!("standard input cannot be read: {}", reason(&error))))),
    }
}

/// The text of a source file; `-` is standard input.
pub fn read_source(path: &Path) -> Result<String, Box<Diagnostic>> {
    let bytes = if path == Path::new("-") { read_stdin()? } else { read(path)? };
    let name = shown(path);
    if bytes.len() as u64 > LARGEST_SOURCE {
        return Err(Box::new(Diagnostic::bare("E0601", format!("`{name}` is too long for a program: more than 4 GiB"))));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|b| **b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(valid.rsplit(|b| *b == b'\n').next().unwrap_or(valid)).chars().count() + 1;
        let byte = error.as_bytes().get(valid.len()).copied().unwrap_or_default();
        let message = format!("`{}` is not a text file in UTF-8", name.escape_debug());
        let place = format!("{name}:{line}:{column}: the byte 0x{byte:02X} here belongs to no character");
        Box::new(Diagnostic::bare("E0602", message).note(place).help("convert the file to UTF-8, for example with `iconv`"))
    })
}

/// Writes a file.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    std::fs::write(path, bytes).map_err(|error| {
        let message = format!("`{}` cannot be written: {}", shown(path).escape_debug(), reason(&error));
        Box::new(Diagnostic::bare("E0603", message))
    })
}

/// What the system says, without the number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}
