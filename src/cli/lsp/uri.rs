//! Addresses of documents, and paths.

use lsp_types::Uri;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The path of a document that is a file.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    // An authority names another machine, or this one.
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let bytes = decoded(path.split(['?', '#']).next().unwrap_or(path))?;
    let text = String::from_utf8(bytes).ok()?;
    text.starts_with('/').then(|| PathBuf::from(text))
}

/// The name under which the compiler knows a document: its path, or its address where it is no file. The ending says in which language it is.
pub(super) fn name_of(uri: &Uri, language: &str) -> String {
    if let Some(path) = path_of(uri) {
        return path.to_string_lossy().into_owned();
    }
    let name = uri.as_str().to_string();
    let known = [".rem", ".fut", ".remc", ".apl"].iter().any(|ending| name.ends_with(ending));
    match language {
        _ if known => name,
        "futhark" => name + ".fut",
        "remora-core" => name + ".remc",
        "apl" => name + ".apl",
        _ => name + ".rem",
    }
}

/// The address of a file.
pub(super) fn of_path(path: &Path) -> Option<Uri> {
    let mut text = String::from("file://");
    for byte in std::path::absolute(path).ok()?.to_str()?.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&text).ok()
}

fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_back() {
        for path in ["/a/b.rem", "/a b/ä%?#.rem", "/a:b.fut"] {
            let uri = of_path(Path::new(path)).expect("an address");
            assert_eq!(path_of(&uri).expect("a path"), Path::new(path));
        }
        let path = |uri: &str| path_of(&Uri::from_str(uri).expect("an address"));
        assert_eq!(path("file:///c%3A/x.rem"), Some(PathBuf::from("/c:/x.rem")));
        assert_eq!(path("untitled:x"), None);
        assert_eq!(path("file:///%FF"), None, "a name that is no text");
        let untitled = Uri::from_str("untitled:Untitled-1").expect("an address");
        assert_eq!(name_of(&untitled, "futhark"), "untitled:Untitled-1.fut");
    }
}
