//! Writing and reading whole files: [`write_atomic`] and [`read`].

use super::atomic_file::AtomicFile;
use super::errors::{check_regular, io_error};
use crate::Result;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

/// Writes a file atomically: readers see the old content or the new content, and after an error or a power failure the
/// file has one of the two.
///
/// Permissions of an existing file are kept. A symbolic link is kept, and its target is replaced. The directory must be
/// writable. Processes that write the same file at the same time write it one after the other. [`AtomicFile`] says what
/// a killed process may leave behind.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) with the path: if the directory does not exist or is not writable, if the path is a
/// directory, a device or a read-only file, if the disk is full, or if another process writes the file for 20 seconds.
pub fn write_atomic(path: impl AsRef<Path>, bytes: &[u8]) -> Result<()> {
    let path = path.as_ref();
    let mut file = AtomicFile::new(path)?;
    file.write_all(bytes).map_err(|error| io_error(path, &error))?;
    file.commit()
}

/// Reads a regular file.
///
/// # Errors
/// [`Error::Io`](crate::Error::Io) with the path, also for a directory or a device.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>> {
    let path = path.as_ref();
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes).map_err(|error| io_error(path, &error))?;
    Ok(bytes)
}

/// Opens a regular file for reading.
pub(crate) fn open(path: &Path) -> Result<File> {
    // Checked before the file is opened, since opening a pipe waits and a device may never end.
    fs::metadata(path)
        .and_then(|found| check_regular(&found))
        .and_then(|()| File::open(path))
        .map_err(|error| io_error(path, &error))
}

#[cfg(test)]
mod tests {
    use super::{AtomicFile, read, write_atomic};
    use crate::Error;
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    /// The reason of an I/O error, which must name the path.
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
    fn a_file_that_is_not_committed_leaves_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write_atomic(&path, b"old").unwrap();
        for mut file in [AtomicFile::new(&path).unwrap(), AtomicFile::named(&path).unwrap()] {
            file.write_all(b"new").unwrap();
        }
        assert_eq!(read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["model"]);
    }

    #[test]
    fn errors_name_the_path_and_change_nothing() {
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
    fn read_only_files_are_not_replaced() {
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
        use crate::persist::{AtomicFile, read, write_atomic};
        use std::fs::{self, Permissions};
        use std::io::Write;
        use std::os::unix::fs::{PermissionsExt, symlink};
        use std::path::Path;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o7777
        }

        #[test]
        fn new_files_follow_the_umask_and_old_files_keep_their_mode() {
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
        fn links_stay_links() {
            let folder = tempfile::tempdir().unwrap();
            let other = tempfile::tempdir().unwrap();
            let (link, target) = (folder.path().join("link"), other.path().join("target"));
            symlink(&target, &link).unwrap();
            // The first write creates the target of the link.
            for content in [b"old", b"new"] {
                write_atomic(&link, content).unwrap();
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
                assert_eq!(read(&target).unwrap(), content);
            }
            assert_eq!(
                (names(folder.path()), names(other.path())),
                (vec!["link".into()], vec!["target".into()])
            );
        }

        #[test]
        fn devices_are_errors() {
            let device = Path::new("/dev/null");
            assert!(reason(write_atomic(device, b"new"), device).contains("device"));
            assert!(reason(read(device), device).contains("device"));
        }

        /// The superuser can write in a directory without write permission, so the outcome is compared with another
        /// attempt to create a file there.
        #[test]
        fn files_in_a_directory_that_is_not_writable_are_kept() {
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

        /// Includes the longest file name.
        #[test]
        fn stale_temporary_files_are_replaced() {
            let folder = tempfile::tempdir().unwrap();
            for name in ["model".to_owned(), "n".repeat(255)] {
                let (path, cut) = (folder.path().join(&name), &name[..name.len().min(240)]);
                let left = folder.path().join(format!(".{cut}.budgetrs-new"));
                write_atomic(&path, b"old").unwrap();
                fs::write(&left, b"half of a mod").unwrap();
                fs::set_permissions(&left, Permissions::from_mode(0o666)).unwrap();
                fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
                write_atomic(&path, b"new").unwrap();
                assert_eq!(read(&path).unwrap(), b"new");
                assert_eq!(mode(&path), 0o600);
                assert_eq!(names(folder.path()), [name]);
                fs::remove_file(&path).unwrap();
            }
        }

        #[test]
        fn other_files_with_the_name_of_the_temporary_file_are_errors() {
            let folder = tempfile::tempdir().unwrap();
            let (path, way) = (folder.path().join("model"), folder.path().join(".model.budgetrs-new"));
            write_atomic(&path, b"old").unwrap();
            symlink(&path, &way).unwrap();
            assert!(
                reason(write_atomic(&path, b"new"), &path).contains(".model.budgetrs-new, which is no file")
            );
            assert_eq!(names(folder.path()), [".model.budgetrs-new", "model"]);
            assert_eq!(read(&path).unwrap(), b"old");
        }

        /// Some writers find no file, some find the temporary file of another writer, which has its name from the start
        /// or during the commit.
        #[test]
        fn concurrent_writers_each_write_a_whole_file() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("model");
            for round in 0..20 {
                std::thread::scope(|scope| {
                    for writer in 0..6u8 {
                        let path = &path;
                        scope.spawn(move || {
                            for _ in 0..4 {
                                let content = vec![writer; 9000 + usize::from(writer)];
                                if writer % 2 == 0 {
                                    write_atomic(path, &content).unwrap();
                                } else {
                                    let mut file = AtomicFile::named(path).unwrap();
                                    file.write_all(&content).unwrap();
                                    file.commit().unwrap();
                                }
                            }
                        });
                    }
                });
                let seen = read(&path).unwrap();
                assert_eq!(seen.len(), 9000 + usize::from(seen[0]), "round {round}");
                assert!(seen.iter().all(|byte| *byte == seen[0]), "round {round}");
                assert_eq!(names(folder.path()), ["model"]);
                fs::remove_file(&path).unwrap();
            }
        }

        #[test]
        fn readers_see_the_old_or_the_new_content() {
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
