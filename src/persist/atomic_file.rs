//! [`AtomicFile`]: a file that is written completely or not at all.

use super::errors::{check_regular, io_error};
use super::lock::{create_new, is_same_file, lock, remove_stale};
use crate::Result;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

/// A temporary file that replaces another file when it is committed.
///
/// Use it to write a large file in pieces; [`write_atomic`](super::write_atomic) writes bytes in one call. Dropping it
/// without a commit removes it, and leaves the old file unchanged.
///
/// On Linux the temporary file has no name where the file system supports that (`O_TMPFILE`), so that the system
/// removes it if the process dies. On other systems, and on Linux for the moment of the replacement, it is named
/// `.NAME.budgetrs-new`, in the directory of the file. A temporary file left by a killed process is replaced by the
/// next write of the same file.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// True if the temporary file has a name.
    is_named: bool,
    /// The process that created the file. A forked child holds a copy, and must not change the file.
    process: u32,
    destination: Destination,
    /// The path as the caller spelled it, for errors.
    path: PathBuf,
}

/// The file to be replaced or created, and the temporary file in the same directory.
#[derive(Debug)]
struct Destination {
    target: PathBuf,
    directory: PathBuf,
    /// The open directory, for synchronisation.
    handle: Option<File>,
    /// The permissions of the old file, if there is one.
    old_permissions: Option<Permissions>,
    /// The name of the temporary file.
    temporary: PathBuf,
}

impl AtomicFile {
    /// Creates an empty temporary file in the directory of `path`.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) with the path, as [`write_atomic`](super::write_atomic).
    pub fn new(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Destination::of(path)
            .and_then(|destination| {
                let (file, is_named) = match create_unnamed(&destination) {
                    Some(file) => (file, false),
                    None => (create_named(&destination)?, true),
                };
                Ok(Self { file, is_named, process: std::process::id(), destination, path: path.to_owned() })
            })
            .map_err(|error| io_error(path, &error))
    }

    /// The open file, which can also be read, and stays open after the commit.
    pub(crate) fn try_clone(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Synchronises the content to disk and replaces the file. Processes that write the same file wait for each other,
    /// at most 20 seconds: here, or in [`AtomicFile::new`] on systems without unnamed files.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) with the path. The old file is unchanged then.
    pub fn commit(mut self) -> Result<()> {
        self.replace().map_err(|error| io_error(&self.path, &error))
    }

    fn replace(&mut self) -> io::Result<()> {
        self.check_process()?;
        self.sync()?;
        if !self.is_named && self.link()? {
            return self.destination.sync();
        }
        fs::rename(&self.destination.temporary, &self.destination.target)?;
        self.is_named = false;
        self.destination.sync()
    }

    /// An error in a forked child, which would write into the file of its parent.
    fn check_process(&self) -> io::Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(io::Error::new(ErrorKind::InvalidInput, "only the process that created this file can write it"))
    }

    /// Sets the permissions, and synchronises the content to disk.
    fn sync(&self) -> io::Result<()> {
        if let Some(permissions) = &self.destination.old_permissions {
            self.file.set_permissions(permissions.clone())?;
        }
        self.file.sync_all()
    }

    /// Links an unnamed file into the directory. Returns true if it got the name of the target, which did not exist.
    #[cfg(target_os = "linux")]
    fn link(&mut self) -> io::Result<bool> {
        let Destination { target, temporary, old_permissions, .. } = &self.destination;
        let mut name = if old_permissions.is_none() { target } else { temporary };
        // Does not wait: no other process can open the file yet.
        lock(&self.file, name)?;
        loop {
            match link(&self.file, name) {
                Ok(()) => {
                    self.is_named = name == temporary;
                    return Ok(!self.is_named);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && name == temporary => {
                    remove_stale(temporary)?;
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => name = temporary,
                Err(_) => return self.copy_to_named().map(|()| false),
            }
        }
    }

    /// Other systems have no unnamed files.
    #[cfg(not(target_os = "linux"))]
    fn link(&mut self) -> io::Result<bool> {
        self.copy_to_named().map(|()| false)
    }

    /// Copies an unnamed file that cannot be linked to a named temporary file.
    fn copy_to_named(&mut self) -> io::Result<()> {
        let mut unnamed = std::mem::replace(&mut self.file, create_named(&self.destination)?);
        self.is_named = true;
        unnamed.rewind()?;
        io::copy(&mut unnamed, &mut self.file)?;
        self.sync()
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check_process()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        if self.is_named {
            // If that fails, the next write of the file removes it.
            let _ = fs::remove_file(&self.destination.temporary);
        }
        let _ = self.file.unlock();
    }
}

impl Destination {
    fn of(path: &Path) -> io::Result<Self> {
        let (target, old_permissions) = match fs::canonicalize(path) {
            Ok(target) => {
                let found = fs::metadata(&target)?;
                check_regular(&found)?;
                if found.permissions().readonly() {
                    return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
                }
                (target, Some(found.permissions()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => (follow_links(path), None),
            Err(error) => return Err(error),
        };
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the path has no file name"));
        };
        // File names have at most 255 bytes, and the temporary file gets a suffix.
        let mut name = name.to_string_lossy().into_owned();
        while name.len() > 240 {
            name.pop();
        }
        let directory = match target.parent() {
            Some(directory) if directory != Path::new("") => directory.to_owned(),
            _ => PathBuf::from("."),
        };
        // Opened before anything is written, so that a directory that cannot be opened is an early error.
        let handle = open_directory(&directory)?;
        let temporary = directory.join(format!(".{name}.budgetrs-new"));
        Ok(Self { target, directory, handle, old_permissions, temporary })
    }

    /// The initial mode of the temporary file. An old file may be private, so its replacement is private until it gets
    /// the old permissions; a new file gets the permissions that the umask allows.
    #[cfg(unix)]
    fn mode(&self) -> u32 {
        if self.old_permissions.is_some() { 0o600 } else { 0o666 }
    }

    /// Synchronises the directory entry to disk. Ignores file systems that cannot synchronise directories.
    fn sync(&self) -> io::Result<()> {
        match self.handle.as_ref().map_or(Ok(()), File::sync_all) {
            Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

/// The final target of a symbolic link to a file that does not exist; other paths are returned unchanged.
fn follow_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..40 {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| target.clone(), |directory| directory.join(&target));
    }
    path
}

/// Creates an unnamed file, if the system has unnamed files and can link them later.
#[cfg(target_os = "linux")]
fn create_unnamed(destination: &Destination) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    // On any error the caller tries a named file, which succeeds or reports the error.
    let file = File::from(open(&destination.directory, flags, Mode::from_raw_mode(destination.mode())).ok()?);
    proc_path(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn create_unnamed(_: &Destination) -> Option<File> {
    None
}

/// The path of an open file in `/proc`, through which an unnamed file can be linked without privileges.
#[cfg(target_os = "linux")]
fn proc_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, proc_path(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
}

/// Creates and locks a named temporary file.
fn create_named(destination: &Destination) -> io::Result<File> {
    let temporary = &destination.temporary;
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, destination.mode());
    loop {
        match create_new(&mut options, temporary) {
            // Another process may have removed the file as stale before it was locked.
            Ok(file) if !lock(&file, temporary)? || is_same_file(&file, temporary)? => return Ok(file),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => remove_stale(temporary)?,
            Err(error) => return Err(error),
        }
    }
}

#[cfg(unix)]
fn open_directory(directory: &Path) -> io::Result<Option<File>> {
    File::open(directory).map(Some)
}

/// Only Unix synchronises directories.
#[cfg(not(unix))]
fn open_directory(_: &Path) -> io::Result<Option<File>> {
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    use super::{AtomicFile, Destination, create_named};
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    /// A file as on systems without unnamed files.
    fn named(path: &Path) -> AtomicFile {
        let destination = Destination::of(path).unwrap();
        AtomicFile {
            file: create_named(&destination).unwrap(),
            is_named: true,
            process: std::process::id(),
            destination,
            path: path.to_owned(),
        }
    }

    #[test]
    fn writers_of_named_files_wait_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        std::thread::scope(|scope| {
            for writer in 0..6u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..30 {
                        let mut file = named(path);
                        for _ in 0..3 {
                            file.write_all(&vec![writer; 3000]).unwrap();
                        }
                        file.commit().unwrap();
                        let seen = fs::read(path).unwrap();
                        assert!(seen.len() == 9000 && seen.iter().all(|byte| *byte == seen[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn dropping_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, b"old").unwrap();
        for mut file in [named(&path), AtomicFile::new(&path).unwrap()] {
            file.write_all(b"new").unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn unnamed_files_that_cannot_be_linked_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, b"old").unwrap();
        let mut file = AtomicFile::new(&path).unwrap();
        file.write_all(b"new").unwrap();
        if !file.is_named {
            file.copy_to_named().unwrap();
        }
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
