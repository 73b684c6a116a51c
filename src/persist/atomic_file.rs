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
/// The temporary file is in the directory of the file. On Linux it has no name until the commit, so that the system
/// removes it if the process is killed. During the commit, on other systems and on file systems without unnamed files,
/// it is named `.NAME.budgetrs-new` and locked; the next write of the same file replaces what a killed process left.
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
    /// True while the temporary file has its name.
    is_named: bool,
}

impl AtomicFile {
    /// Creates an empty temporary file in the directory of `path`.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) with the path, as [`write_atomic`](super::write_atomic).
    pub fn new(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Self::create(path, create_unnamed).map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                io_error(path, &io::Error::new(ErrorKind::NotFound, "the directory does not exist"))
            }
            _ => io_error(path, &error),
        })
    }

    /// Creates a file that has its name from the start, as on systems without unnamed files.
    #[cfg(test)]
    pub(super) fn named(path: &Path) -> io::Result<Self> {
        Self::create(path, |_, _| None)
    }

    fn create(path: &Path, unnamed: impl Fn(&Path, u32) -> Option<File>) -> io::Result<Self> {
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
        // An old file may be private, so its replacement is private until it gets the old permissions; a new file gets
        // the permissions that the umask allows.
        let mode = if old_permissions.is_some() { 0o600 } else { 0o666 };
        let (file, is_named) = match unnamed(directory, mode) {
            Some(file) => (file, false),
            None => (create_named(&temporary, mode)?, true),
        };
        // Opened before anything is written, so that a directory that cannot be opened is an early error. Only Unix
        // synchronises directories.
        let directory = if cfg!(unix) { Some(File::open(directory)?) } else { None };
        Ok(Self {
            file,
            process: std::process::id(),
            path: path.to_owned(),
            target,
            directory,
            old_permissions,
            temporary,
            is_named,
        })
    }

    /// The open file, which can also be read, and stays open after the commit.
    pub(crate) fn try_clone(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Synchronises the content to disk and replaces the file. Processes that write the same file wait for each other,
    /// at most 20 seconds: here, or in [`AtomicFile::new`] if the file system has no unnamed files.
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
        if !self.is_named {
            link(&self.file, &self.temporary)?;
            self.is_named = true;
        }
        fs::rename(&self.temporary, &self.target)?;
        self.is_named = false;
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
        if self.is_named {
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

/// Creates a file without a name that can be linked later, if the file system has such files.
#[cfg(target_os = "linux")]
fn create_unnamed(directory: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    let file = File::from(open(directory, flags, Mode::from_raw_mode(mode)).ok()?);
    open_path(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn create_unnamed(_: &Path, _: u32) -> Option<File> {
    None
}

/// Locks an unnamed file and gives it a name.
#[cfg(target_os = "linux")]
fn link(file: &File, name: &Path) -> io::Result<()> {
    use rustix::{
        fs::{AtFlags, CWD, linkat},
        io::Errno,
    };
    lock(file, name)?;
    loop {
        match linkat(CWD, open_path(file), CWD, name, AtFlags::SYMLINK_FOLLOW) {
            Err(Errno::EXIST) => remove_stale(name)?,
            outcome => return Ok(outcome?),
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    unreachable!("other systems have no unnamed files")
}

/// The path of an open file, through which it can be linked without privileges.
#[cfg(target_os = "linux")]
fn open_path(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Creates and locks a file with a name.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has modes"))]
fn create_named(temporary: &Path, mode: u32) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
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
