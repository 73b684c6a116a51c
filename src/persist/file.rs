//! Files that are whole or not there: [`write_atomic`] and [`read`].

use crate::{Error, Result};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// Writes a file in one step: readers see the old content or the new, and after a failure or a loss of power the old
/// file is still whole.
///
/// A new file has the usual permissions, an existing one keeps its own; a symbolic link stays and the file it points
/// to is replaced. The folder must be writable, since the content is first written beside the file.
///
/// # Errors
/// [`Error::Io`] with the path: when the folder is missing or not writable, when the path is a folder, a device or a
/// file that is read-only, and when the disk is full.
pub fn write_atomic(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    replace(path, bytes).map_err(|error| failed(path, &error))
}

/// The content of a regular file.
///
/// # Errors
/// [`Error::Io`] with the path, also for a folder or a device.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path.as_ref();
    // A device or pipe might never end, so it is not even opened.
    fs::metadata(path)
        .and_then(|found| check_regular(&found))
        .and_then(|()| fs::read(path))
        .map_err(|error| failed(path, &error))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (target, old) = match fs::canonicalize(path) {
        Ok(target) => {
            let found = fs::metadata(&target)?;
            check_regular(&found)?;
            if found.permissions().readonly() {
                return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
            }
            (target, Some(found.permissions()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => (path.to_owned(), None),
        Err(error) => return Err(error),
    };
    if target.file_name().is_none() {
        return Err(io::Error::new(ErrorKind::InvalidInput, "the path has no file name"));
    }
    let folder = match target.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // Opened before anything is written, so that a folder which cannot be synchronised is refused in time.
    let folder_handle = open_folder(folder)?;
    let mut temporary = temporary_in(folder, old.is_none())?;
    temporary.write_all(bytes)?;
    if let Some(permissions) = old {
        temporary.as_file().set_permissions(permissions)?;
    }
    temporary.as_file().sync_all()?;
    temporary.persist(&target).map_err(|error| error.error)?;
    sync_folder(folder_handle)
}

/// A file beside the target, removed when it is dropped. While an existing file is replaced it is its owner's alone,
/// because that file may be private; a new one starts with the permissions it will keep.
fn temporary_in(folder: &Path, new: bool) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".budgetrs-").suffix(".tmp");
    if let (true, Some(permissions)) = (new, usual_permissions()) {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder)
}

/// Readable and writable by all, less what the process masks.
#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)]
fn usual_permissions() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

/// Elsewhere a new file inherits what its folder grants.
#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

#[cfg(unix)]
fn open_folder(folder: &Path) -> io::Result<Option<File>> {
    File::open(folder).map(Some)
}

/// Only Unix synchronises folders.
#[cfg(not(unix))]
fn open_folder(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

/// Makes the new name durable, except on file systems that cannot synchronise a folder.
fn sync_folder(folder: Option<File>) -> io::Result<()> {
    match folder.map_or(Ok(()), |folder| folder.sync_all()) {
        Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Err(error),
        _ => Ok(()),
    }
}

fn check_regular(found: &fs::Metadata) -> io::Result<()> {
    if found.is_file() {
        Ok(())
    } else if found.is_dir() {
        Err(io::Error::new(ErrorKind::IsADirectory, "is a directory, not a file"))
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "is a device or pipe, not a file"))
    }
}

fn failed(path: &Path, error: &io::Error) -> Error {
    Error::Io {
        path: path.to_owned(),
        kind: error.kind(),
        code: error.raw_os_error(),
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{read, write_atomic};
    use crate::Error;
    use std::fs;
    use std::path::Path;

    /// The reason for which the file of this path was refused.
    fn reason<T: std::fmt::Debug>(outcome: crate::Result<T>, path: &Path) -> String {
        match outcome.unwrap_err() {
            Error::Io { path: named, reason, .. } if named == path => reason,
            error => panic!("{error:?}"),
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn writes_and_replaces_without_leftovers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        for content in [&b"first"[..], b"", b"third and longer"] {
            write_atomic(&path, content).unwrap();
            assert_eq!(read(&path).unwrap(), content);
            assert_eq!(names(folder.path()), ["model"]);
        }
    }

    #[test]
    fn refuses_by_name_and_leaves_all_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(folder.path().join("plain"), b"kept").unwrap();
        let plain = folder.path().join("plain");
        let missing = folder.path().join("nowhere/model");
        let below = plain.join("model");
        assert!(reason(write_atomic(&inner, b"new"), &inner).contains("is a directory"));
        assert!(reason(read(&inner), &inner).contains("is a directory"));
        for path in [&missing, &below, &plain.join("..")] {
            assert!(!reason(write_atomic(path, b"new"), path).is_empty());
            assert!(!reason(read(path), path).is_empty());
        }
        assert!(!reason(write_atomic("", b"new"), Path::new("")).is_empty());
        assert_eq!(names(folder.path()), ["inner", "plain"]);
        assert_eq!(names(&inner), [""; 0]);
        assert_eq!(read(&plain).unwrap(), b"kept");
    }

    #[test]
    fn a_read_only_file_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, b"kept").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions.clone()).unwrap();
        assert!(reason(write_atomic(&path, b"new"), &path).contains("read-only"));
        assert_eq!(read(&path).unwrap(), b"kept");
        assert_eq!(names(folder.path()), ["model"]);
    }

    #[cfg(unix)]
    mod unix {
        use super::{names, reason};
        use crate::persist::{read, write_atomic};
        use std::fs::{self, Permissions};
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::path::Path;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o7777
        }

        #[test]
        fn modes_are_the_usual_ones_or_kept() {
            let folder = tempfile::tempdir().unwrap();
            let (path, usual) = (folder.path().join("model"), folder.path().join("usual"));
            fs::write(&usual, b"").unwrap();
            write_atomic(&path, b"new").unwrap();
            assert_eq!(mode(&path), mode(&usual));
            for kept in [0o600, 0o640, 0o666, 0o755] {
                fs::set_permissions(&path, Permissions::from_mode(kept)).unwrap();
                write_atomic(&path, b"again").unwrap();
                assert_eq!(mode(&path), kept);
            }
        }

        #[test]
        fn a_link_stays_a_link() {
            let folder = tempfile::tempdir().unwrap();
            let other = tempfile::tempdir().unwrap();
            let (link, target) = (folder.path().join("link"), other.path().join("target"));
            fs::write(&target, b"old").unwrap();
            symlink(&target, &link).unwrap();
            write_atomic(&link, b"new").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(read(&target).unwrap(), b"new");
            assert_eq!(
                (names(folder.path()), names(other.path())),
                (vec!["link".into()], vec!["target".into()])
            );
        }

        #[test]
        fn a_device_is_left_alone() {
            let device = Path::new("/dev/null");
            assert!(reason(write_atomic(device, b"new"), device).contains("device"));
            assert!(reason(read(device), device).contains("device"));
        }

        /// A folder without write permission stops everyone but the superuser: the outcome must be that of any
        /// other attempt to make a file there.
        #[test]
        fn a_folder_that_is_not_writable_keeps_its_files() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("model");
            fs::write(&path, b"old").unwrap();
            fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
            let writable = fs::write(folder.path().join("probe"), b"").is_ok();
            let outcome = write_atomic(&path, b"new");
            fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
            assert_eq!(outcome.is_ok(), writable, "{outcome:?}");
            assert_eq!(read(&path).unwrap(), if writable { b"new" } else { b"old" });
            assert_eq!(names(folder.path()).len(), 1 + usize::from(writable));
        }

        #[test]
        fn readers_see_one_content_or_the_other() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("model");
            let contents = [vec![1u8; 100_000], vec![2u8; 50_000]];
            write_atomic(&path, &contents[0]).unwrap();
            std::thread::scope(|scope| {
                let writer = scope.spawn(|| {
                    for i in 0..40 {
                        write_atomic(&path, &contents[i % 2]).unwrap();
                    }
                });
                while !writer.is_finished() {
                    let seen = read(&path).unwrap();
                    assert!(contents.contains(&seen), "{} bytes", seen.len());
                }
            });
        }
    }
}
