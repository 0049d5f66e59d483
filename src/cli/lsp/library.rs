//! The files of the standard library as files that editors can open: they are in the program, and written into the cache when somebody
//! goes there. Where the cache is of no use they have addresses that only the server knows.

use super::uri;
use lsp_types::Uri;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// How the names of the library's files begin.
const PREFIX: &str = "stdlib/";
/// The scheme of their addresses where they are no files.
const SCHEME: &str = "remora-library:/";
/// Their folder in the cache.
const FOLDER: &str = "library";

/// Where files of the library are.
pub(super) struct Library {
    folder: Option<PathBuf>,
}

impl Library {
    /// In the user's cache.
    pub(super) fn new() -> Library {
        Library { folder: crate::cli::native::cache().map(|cache| cache.join(FOLDER)) }
    }

    /// Whether this is the name of a file of the library.
    pub(super) fn owns(name: &str) -> bool {
        name.starts_with(PREFIX)
    }

    /// The name of the file of the library that a document is.
    pub(super) fn name_of(&self, uri: &Uri) -> Option<String> {
        if let Some(name) = uri.as_str().strip_prefix(SCHEME) {
            return Library::owns(name).then(|| name.to_string());
        }
        let path = uri::path_of(uri)?;
        let within = path.strip_prefix(self.folder.as_ref()?).ok()?;
        // Behind the folder with the sum of the text.
        let name = within.iter().skip(1).collect::<PathBuf>();
        name.to_str().filter(|name| Library::owns(name)).map(str::to_string)
    }

    /// The address of a file of the library, which is written if it is not there.
    pub(super) fn uri(&self, name: &str, text: &str) -> Option<Uri> {
        match self.written(name, text) {
            Some(path) => uri::of_path(&path),
            None => Uri::from_str(&format!("{SCHEME}{name}")).ok(),
        }
    }

    fn written(&self, name: &str, text: &str) -> Option<PathBuf> {
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        let path = self.folder.as_ref()?.join(format!("{:016x}", hasher.finish())).join(name);
        if std::fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            return Some(path);
        }
        write(&path, text).ok()?;
        Some(path)
    }
}

/// Writes a file that is there to be read: all of it, or nothing.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".{}", std::process::id()));
    std::fs::write(&beside, text)?;
    let mut permissions = std::fs::metadata(&beside)?.permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&beside, permissions)?;
    std::fs::rename(&beside, path)
}

/// A program that has a file of the library in it: its name and text.
pub(super) fn program_with(name: &str) -> (&'static str, String) {
    let import = name.strip_prefix(PREFIX).and_then(|name| name.strip_suffix(".rem")).filter(|name| name.starts_with("lib/"));
    ("a library.rem", import.map_or(String::new(), |path| format!("import \"{path}\"\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_once_and_found_again() {
        let folder = std::env::temp_dir().join(format!("remora-library-{}", std::process::id()));
        let library = Library { folder: Some(folder.clone()) };
        let uri = library.uri("stdlib/lib/np.rem", "-- text").expect("an address");
        let path = uri::path_of(&uri).expect("a path");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), "-- text");
        assert_eq!(library.uri("stdlib/lib/np.rem", "-- text"), Some(uri.clone()));
        assert_eq!(library.name_of(&uri).as_deref(), Some("stdlib/lib/np.rem"));
        assert_eq!(program_with("stdlib/lib/np.rem").1, "import \"lib/np\"\n");
        assert_eq!(program_with("stdlib/prelude.rem").1, "");
        std::fs::remove_dir_all(&folder).expect("removed");
        let nowhere = Library { folder: None };
        let uri = nowhere.uri("stdlib/prelude.rem", "").expect("an address");
        assert_eq!(uri.as_str(), "remora-library:/stdlib/prelude.rem");
        assert_eq!(nowhere.name_of(&uri).as_deref(), Some("stdlib/prelude.rem"));
    }
}
