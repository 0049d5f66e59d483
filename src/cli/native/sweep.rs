//! Keeping the cache small: what interrupted programs left behind goes after a day, and of what is there the entries that have not been
//! used for longest go where all together are too large.

use std::fs::{DirEntry, File, FileTimes};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long an entry that is being made is left alone.
const ABANDONED: Duration = Duration::from_secs(24 * 3600);

/// An entry that was used so recently may be about to be loaded.
const IN_USE: Duration = Duration::from_secs(600);

/// Bytes of all entries, unless `REMORA_CACHE_LIMIT` says how many mebibytes.
const LIMIT: u64 = 1 << 30;

/// Notes that an entry is used now. The time is that of the file in which its stamp is.
pub(super) fn touch(stamp: &Path) {
    if let Ok(file) = File::options().append(true).open(stamp) {
        file.set_times(FileTimes::new().set_modified(SystemTime::now())).ok();
    }
}

/// Removes what is not needed. `stamp` is the name of the file that finished entries have. Whatever cannot be read or removed stays: the
/// cache is no reason for a program not to run.
pub(super) fn sweep(cache: &Path, stamp: &str) {
    let limit = std::env::var("REMORA_CACHE_LIMIT").ok().and_then(|text| text.trim().parse::<u64>().ok());
    sweep_to(cache, stamp, limit.map_or(LIMIT, |mebibytes| mebibytes.saturating_mul(1 << 20)));
}

fn sweep_to(cache: &Path, stamp: &str, limit: u64) {
    let Ok(entries) = std::fs::read_dir(cache) else { return };
    let mut finished = Vec::new();
    for entry in entries.flatten() {
        // `NAME.PROCESS.NUMBER` is being made.
        if entry.file_name().to_string_lossy().split('.').count() == 3 {
            if age(entry.metadata()).is_some_and(|age| age > ABANDONED) {
                std::fs::remove_dir_all(entry.path()).ok();
            }
        } else if let Some(age) = age(std::fs::metadata(entry.path().join(stamp))) {
            finished.push((age, size(&entry), entry.path()));
        }
    }
    let mut total: u64 = finished.iter().map(|(_, size, _)| size).sum();
    finished.sort();
    for (age, size, path) in finished.into_iter().rev() {
        if total <= limit || age <= IN_USE {
            break;
        }
        if std::fs::remove_dir_all(&path).is_ok() {
            total = total.saturating_sub(size);
        }
    }
}

fn age(data: std::io::Result<std::fs::Metadata>) -> Option<Duration> {
    data.and_then(|data| data.modified()).ok()?.elapsed().ok()
}

/// Bytes of the files of an entry.
fn size(entry: &DirEntry) -> u64 {
    let files = std::fs::read_dir(entry.path()).into_iter().flatten().flatten();
    files.filter_map(|file| file.metadata().ok()).map(|data| data.len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(cache: &Path, name: &str, bytes: usize, minutes: u64) {
        let folder = cache.join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("made"), vec![0; bytes]).expect("a file");
        let stamp = File::create(folder.join("stamp")).expect("a file");
        let then = SystemTime::now() - Duration::from_secs(60 * minutes);
        stamp.set_times(FileTimes::new().set_modified(then)).expect("a time");
    }
    fn names(cache: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(cache).expect("a folder").flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let cache = std::env::temp_dir().join(format!("remora-sweep-{}", std::process::id()));
        for (name, minutes) in [("a", 30), ("b", 50), ("c", 1), ("d", 40), ("e.7.1", 45)] {
            entry(&cache, name, 1000, minutes);
        }
        std::fs::write(cache.join("other"), "somebody else's").expect("a file");
        sweep_to(&cache, "stamp", 4000);
        assert_eq!(names(&cache), ["a", "b", "c", "d", "e.7.1", "other"]);
        touch(&cache.join("b/stamp"));
        sweep_to(&cache, "stamp", 3500);
        assert_eq!(names(&cache), ["a", "b", "c", "e.7.1", "other"]);
        // What was used just now stays.
        sweep_to(&cache, "stamp", 0);
        assert_eq!(names(&cache), ["b", "c", "e.7.1", "other"]);
        std::fs::remove_dir_all(&cache).expect("removed");
    }
}
