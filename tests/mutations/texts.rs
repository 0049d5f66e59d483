//! That the list of mutations is in order.

use remora::base::mutation::ALL;
use std::path::Path;

/// Files that are not there, texts that do not occur just once in their file, and places that no code mentions.
pub fn problems() -> Vec<String> {
    let mut out = Vec::new();
    for info in ALL {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(info.file);
        let Ok(source) = std::fs::read_to_string(&path) else {
            out.push(format!("{}: there is no file {}", info.name, info.file));
            continue;
        };
        let found = match info.text {
            Some(text) => source.matches(text.from).count() == 1 && text.from != text.to,
            None => source.contains("mutated!(") && source.contains(info.name),
        };
        if !found {
            out.push(format!("{}: its place in {} is not there, or not the only one", info.name, info.file));
        }
    }
    out
}
