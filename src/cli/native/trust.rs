//! Whether somebody else may have put something into the cache: what is in it is run.

use std::fs::Metadata;
use std::path::Path;

/// Makes the folder of the cache, if it is not there, for its owner only, and says why it is of no use.
pub(super) fn folder(path: &Path) -> Result<(), String> {
    if std::fs::symlink_metadata(path).is_err() {
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(path).map_err(|error| error.to_string())?;
    }
    whose(path)
}

/// Whether a file or folder of the cache is what it should be: no link, the user's, and nobody else's to write.
pub(super) fn is_own(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|data| !data.is_symlink() && owned(&data).is_ok())
}

/// Why what is in a folder may be somebody else's.
fn whose(path: &Path) -> Result<(), String> {
    let data = std::fs::metadata(path).map_err(|error| error.to_string())?;
    owned(&data)?;
    // Who can rename a folder on the way can put another in its place.
    let whole = std::fs::canonicalize(path).map_err(|error| error.to_string())?;
    for above in whole.ancestors().skip(1) {
        let data = std::fs::metadata(above).map_err(|error| error.to_string())?;
        passable(&data).map_err(|why| format!("`{}` {why}", above.display()))?;
    }
    Ok(())
}

#[cfg(unix)]
fn owned(data: &Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    if data.uid() != user() {
        return Err("it belongs to another user".into());
    }
    if data.mode() & 0o022 != 0 {
        return Err("others may write to it (`chmod go-w` changes that)".into());
    }
    Ok(())
}

/// Folders above: those of the user and of the system; where everybody may write, only with the bit that keeps names.
#[cfg(unix)]
fn passable(data: &Metadata) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    if data.mode() & 0o002 != 0 && data.mode() & 0o1000 == 0 {
        return Err("may be written by everybody".into());
    }
    if data.uid() != user() && data.uid() != 0 {
        return Err("belongs to another user".into());
    }
    Ok(())
}

#[cfg(unix)]
#[allow(unsafe_code, reason = "there is no other way to ask")]
fn user() -> u32 {
    unsafe extern "C" {
        safe fn geteuid() -> u32;
    }
    geteuid()
}

#[cfg(not(unix))]
fn owned(_: &Metadata) -> Result<(), String> {
    Ok(())
}

#[cfg(not(unix))]
fn passable(_: &Metadata) -> Result<(), String> {
    Ok(())
}
