//! Reading and writing files, with diagnostics for everything that can go wrong.

use crate::base::Code;
use crate::diag::Diagnostic;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Larger sources are refused: spans are 32 bits wide.
const LARGEST_SOURCE: u64 = u32::MAX as u64 - 1;

/// How compressed files begin.
const GZIP: &[u8] = b"\x1f\x8b";

/// How archives begin.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// Imported files are not larger than this.
const LARGEST_IMPORT: u64 = 64 << 20;

/// The path as messages show it.
pub fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// What is in a folder.
pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, Box<Diagnostic>> {
    let fail = |error: std::io::Error| {
        let message = format!("`{}` cannot be read: {}", shown(folder).escape_debug(), reason(&error));
        Box::new(Diagnostic::bare(Code::UnreadableFile, message))
    };
    std::fs::read_dir(folder).map_err(fail)?.map(|entry| entry.map(|entry| entry.path()).map_err(fail)).collect()
}

/// All bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let fail =
        |why: String| Box::new(Diagnostic::bare(Code::UnreadableFile, format!("`{}` cannot be read: {why}", shown(path).escape_debug())));
    if path.is_dir() {
        return Err(fail("it is a directory".into()));
    }
    // A size is known of regular files: what would not fit is not begun with.
    if std::fs::metadata(path).is_ok_and(|data| data.is_file() && Vec::<u8>::new().try_reserve(data.len() as usize).is_err()) {
        return Err(fail("there is no memory for it".into()));
    }
    std::fs::read(path).map_err(|error| fail(reason(&error)))
}

/// All bytes of a data file, decompressed if it is a gzip file.
///
/// # Errors
/// E0601: it cannot be read; E0607: it is damaged; E0609: there is no memory for what is in it.
pub fn read_data(path: &Path) -> Result<Vec<u8>, Box<Diagnostic>> {
    let bytes = read(path)?;
    if !bytes.starts_with(GZIP) {
        return Ok(bytes);
    }
    let name = shown(path);
    let mut decoder = flate2::bufread::MultiGzDecoder::new(&bytes[..]);
    let mut out = Vec::new();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let count = decoder.read(&mut chunk).map_err(|error| {
            let message = format!("`{}` is a damaged gzip file: {}", name.escape_debug(), reason(&error));
            Box::new(Diagnostic::bare(Code::DataLength, message))
        })?;
        if count == 0 {
            return Ok(out);
        }
        // What a small file unpacks to may be more than there is.
        if out.try_reserve(count).is_err() {
            let message = format!("`{}` unpacks to more than {} bytes, for which there is no memory", name.escape_debug(), out.len());
            return Err(Box::new(Diagnostic::bare(Code::DataTooLarge, message)));
        }
        out.extend_from_slice(&chunk[..count]);
    }
}

/// All bytes of standard input.
pub fn read_stdin() -> Result<Vec<u8>, Box<Diagnostic>> {
    let mut bytes = Vec::new();
    match std::io::stdin().lock().read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(Box::new(Diagnostic::bare(Code::UnreadableFile, format!("standard input cannot be read: {}", reason(&error))))),
    }
}

/// Whether bytes are an archive of files.
pub fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(ARCHIVE)
}

/// What a file is that is known to be binary by how it begins.
pub fn binary(bytes: &[u8]) -> Option<&'static str> {
    const KINDS: &[(&[u8], &str)] = &[
        (ARCHIVE, "an archive (.npz or .zip)"),
        (b"\x93NUMPY", "an array of NumPy (.npy)"),
        (GZIP, "compressed with gzip"),
        (b"\x89PNG", "a picture (.png)"),
        (b"\x7fELF", "an executable or a library"),
    ];
    KINDS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, kind)| *kind)
}

/// The text of a source file; `-` is standard input.
pub fn read_source(path: &Path) -> Result<String, Box<Diagnostic>> {
    let bytes = if path == Path::new("-") { read_stdin()? } else { read(path)? };
    let name = shown(path);
    if bytes.len() as u64 > LARGEST_SOURCE {
        return Err(Box::new(Diagnostic::bare(Code::UnreadableFile, format!("`{name}` is too long for a program: more than 4 GiB"))));
    }
    if let Some(kind) = binary(&bytes) {
        let message = format!("`{}` is not a program: it is {kind}", name.escape_debug());
        let help = "the program comes first, and the files with its arguments after it: `remora run PROGRAM.rem DATA`";
        return Err(Box::new(Diagnostic::bare(Code::NotText, message).help(help)));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|b| **b == b'\n').count() + 1;
        let column = String::from_utf8_lossy(valid.rsplit(|b| *b == b'\n').next().unwrap_or(valid)).chars().count() + 1;
        let byte = error.as_bytes().get(valid.len()).copied().unwrap_or_default();
        let message = format!("`{}` is not a text file in UTF-8", name.escape_debug());
        let place = format!("{name}:{line}:{column}: the byte 0x{byte:02X} here belongs to no character");
        Box::new(Diagnostic::bare(Code::NotText, message).note(place).help("convert the file to UTF-8, for example with `iconv`"))
    })
}

/// The text of an imported source file. Nobody waits for what is not a file: pipes, devices and the like.
pub fn read_import(path: &Path) -> Result<String, Box<Diagnostic>> {
    let fail =
        |why: &str| Box::new(Diagnostic::bare(Code::UnreadableFile, format!("`{}` cannot be read: {why}", shown(path).escape_debug())));
    match std::fs::metadata(path) {
        Ok(data) if data.is_dir() => Err(fail("it is a directory")),
        Ok(data) if !data.is_file() => Err(fail("it is no regular file")),
        Ok(data) if data.len() > LARGEST_IMPORT => Err(fail("it is too long for a program: more than 64 MiB")),
        _ => read_source(path),
    }
}

/// Refuses to write over the program itself (E0603).
pub fn apart(path: &Path, source: &Path) -> Result<(), Box<Diagnostic>> {
    let same = std::fs::canonicalize(path).is_ok_and(|path| std::fs::canonicalize(source).is_ok_and(|source| source == path));
    if !same {
        return Ok(());
    }
    let message = format!("`{}` is the program itself, which would be lost", shown(path).escape_debug());
    Err(Box::new(Diagnostic::bare(Code::UnwritableResult, message).help("name another file with `-o`")))
}

/// A folder for files that are written, with those that it is in.
pub fn make_folder(path: &Path) -> Result<(), Box<Diagnostic>> {
    std::fs::create_dir_all(path).map_err(|error| {
        let message = format!("`{}` cannot be written: {}", shown(path).escape_debug(), reason(&error));
        Box::new(Diagnostic::bare(Code::UnwritableResult, message))
    })
}

/// Writes a file. What was there before stays as it is until all has been written, and if that fails; programs that have it open keep it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    replace(path, bytes).map_err(|error| {
        let message = format!("`{}` cannot be written: {}", shown(path).escape_debug(), reason(&error));
        Box::new(Diagnostic::bare(Code::UnwritableResult, message))
    })
}

/// Writes a file beside the one that is meant, and gives it its name. What is no ordinary file, and what has no room for others beside it,
/// is written directly.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    // Links stay links.
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let before = std::fs::metadata(&path).ok();
    let (Some(name), true) = (path.file_name(), before.as_ref().is_none_or(std::fs::Metadata::is_file)) else {
        return std::fs::write(path, bytes);
    };
    let beside = path.with_file_name(format!(".{}.{}", name.to_string_lossy(), std::process::id()));
    let Ok(mut file) = File::create_new(&beside) else { return std::fs::write(path, bytes) };
    let written = file.write_all(bytes).and_then(|()| match &before {
        Some(before) if before.permissions().readonly() => Err(std::io::ErrorKind::PermissionDenied.into()),
        Some(before) => file.set_permissions(before.permissions()),
        None => Ok(()),
    });
    let named = written.and_then(|()| std::fs::rename(&beside, &path));
    if named.is_err() {
        std::fs::remove_file(&beside).ok();
    }
    named
}

/// What the system says, without the number.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_as_a_whole() {
        let folder = std::env::temp_dir().join(format!("remora-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("result");
        write(&path, b"first").expect("written");
        let mut open = File::open(&path).expect("a file");
        write(&path, b"second").expect("written");
        let mut text = String::new();
        open.read_to_string(&mut text).expect("text");
        assert_eq!(text, "first", "who has the old one open keeps it");
        assert_eq!(read(&path).expect("text"), b"second");
        assert!(write(&folder, b"a folder is there").is_err());
        assert!(write(&folder.join("no/such/folder"), b"").is_err());
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing is left behind");
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        let folder = std::env::temp_dir().join(format!("remora-links-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (path, link) = (folder.join("result"), folder.join("link"));
        std::fs::write(&path, "first").expect("written");
        std::os::unix::fs::symlink(&path, &link).expect("a link");
        write(&link, b"second").expect("written");
        assert_eq!(read(&path).expect("text"), b"second");
        assert!(std::fs::symlink_metadata(&link).expect("a link").is_symlink());
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
