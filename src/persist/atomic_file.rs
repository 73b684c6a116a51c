//! [`AtomicFile`]: a file that is written completely or not at all.

use super::errors::{check_regular, io_error};
use super::lock::{create_new, is_same_file, lock, remove_stale};
use crate::Result;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A temporary file that replaces another file when it is committed.
///
/// Use it to write a large file in pieces; [`write_atomic`](super::write_atomic) writes bytes in one call. Dropping it
/// without a commit removes it, and leaves the old file unchanged.
///
/// The temporary file is named `.NAME.budgetrs-new`, in the directory of the file, and is locked. A temporary file left
/// by a killed process is replaced by the next write of the same file.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// The process that created the file. A forked child holds a copy, and must not change the file.
    process: u32,
    /// The path as the caller spelled it, for errors.
    path: PathBuf,
    /// The file to be replaced or created.
    target: PathBuf,
    /// The open directory, for synchronisation.
    directory: Option<File>,
    /// The permissions of the old file, if there is one.
    old_permissions: Option<Permissions>,
    temporary: PathBuf,
    is_committed: bool,
}

impl AtomicFile {
    /// Creates an empty temporary file in the directory of `path`. Processes that write the same file wait for each
    /// other here, at most 20 seconds.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) with the path, as [`write_atomic`](super::write_atomic).
    pub fn new(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::create(path).map_err(|error| io_error(path, &error))
    }

    fn create(path: &Path) -> io::Result<Self> {
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
            Some(directory) if directory != Path::new("") => directory,
            _ => Path::new("."),
        };
        let temporary = directory.join(format!(".{name}.budgetrs-new"));
        // Opened before anything is written, so that a directory that cannot be opened is an early error. Only Unix
        // synchronises directories.
        let directory = if cfg!(unix) { Some(File::open(directory)?) } else { None };
        Ok(Self {
            file: create_temporary(&temporary, old_permissions.is_some())?,
            process: std::process::id(),
            path: path.to_owned(),
            target,
            directory,
            old_permissions,
            temporary,
            is_committed: false,
        })
    }

    /// The open file, which can also be read, and stays open after the commit.
    pub(crate) fn try_clone(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Synchronises the content to disk and replaces the file.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) with the path. The old file is unchanged then.
    pub fn commit(mut self) -> Result<()> {
        self.replace().map_err(|error| io_error(&self.path, &error))
    }

    fn replace(&mut self) -> io::Result<()> {
        self.check_process()?;
        if let Some(permissions) = &self.old_permissions {
            self.file.set_permissions(permissions.clone())?;
        }
        self.file.sync_all()?;
        fs::rename(&self.temporary, &self.target)?;
        self.is_committed = true;
        match self.directory.as_ref().map_or(Ok(()), File::sync_all) {
            // Some file systems cannot synchronise directories.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => Ok(()),
            outcome => outcome,
        }
    }

    /// An error in a forked child, which would write into the file of its parent.
    fn check_process(&self) -> io::Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(io::Error::new(ErrorKind::InvalidInput, "only the process that created this file can write it"))
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
        if !self.is_committed {
            // If that fails, the next write of the file removes it.
            let _ = fs::remove_file(&self.temporary);
        }
        let _ = self.file.unlock();
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

/// Creates and locks a temporary file. An old file may be private, so its replacement is private until it gets the old
/// permissions; a new file gets the permissions that the umask allows.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has these permissions"))]
fn create_temporary(temporary: &Path, replaces: bool) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if replaces { 0o600 } else { 0o666 });
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
