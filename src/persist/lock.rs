//! Locks between processes: of named temporary files, and of files that grow.
//!
//! Only the process that holds the lock of a named temporary file may rename or remove it. The system releases the
//! locks of a process that ends or dies, so a temporary file that can be locked is stale.

use super::errors::io_error;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for another process.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// Waits until the file is locked, or `name` is another file or none. Returns false if the file system has no locks.
///
/// The caller must unlock the file: a forked child shares the lock, and would keep it for its lifetime.
pub(super) fn lock(file: &File, name: &Path) -> io::Result<bool> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if !is_same_file(file, name)? => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => sleep(Duration::from_millis(1)),
            Err(TryLockError::WouldBlock) => {
                let reason = format!("others have been writing it for {} s", LOCK_TIMEOUT.as_secs());
                return Err(io::Error::new(ErrorKind::WouldBlock, reason));
            }
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(_)) => return Ok(false),
        }
    }
}

/// An exclusive lock of a file, released on drop. Has no effect if the file system has no locks.
#[derive(Debug)]
pub(crate) struct FileLock(File);

impl FileLock {
    /// Waits until no other process holds the lock of the open file, whose path is `path`.
    pub(crate) fn acquire(file: &File, path: &Path) -> crate::Result<Self> {
        let acquired = file.try_clone().and_then(|file| lock(&file, path).map(|_| file));
        acquired.map(Self).map_err(|error| io_error(path, &error))
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Waits until no process writes this temporary file, and removes it if it is stale.
pub(super) fn remove_stale(temporary: &Path) -> io::Result<()> {
    match fs::symlink_metadata(temporary) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(in_the_way(temporary, "which is no file: remove it")),
        Err(error) => return ignore_not_found(error),
    }
    let mut options = File::options();
    // In case it is replaced by a link or a pipe meanwhile: do not follow the link, do not wait for the pipe.
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags as i32);
    }
    let file = match set_share_mode(&mut options)
        .write(true)
        .open(temporary)
        .or_else(|_| options.write(false).read(true).open(temporary))
    {
        Ok(file) => file,
        Err(error) => return ignore_not_found(error),
    };
    if !lock(&file, temporary)? {
        let why = "which another process writes, or was killed while it did: in that case remove it";
        return Err(in_the_way(temporary, why));
    }
    let removed = if is_same_file(&file, temporary)? {
        fs::remove_file(temporary).or_else(ignore_not_found)
    } else {
        Ok(())
    };
    let _ = file.unlock();
    removed
}

/// Creates a temporary file. An error if it exists.
pub(super) fn create_new(options: &mut OpenOptions, temporary: &Path) -> io::Result<File> {
    set_share_mode(options).write(true).create_new(true).open(temporary)
}

/// On Windows, other processes may delete a file that is open here (`FILE_SHARE_DELETE`), but not open it. That
/// replaces the comparison of file numbers by [`is_same_file`], which the standard library does not offer there.
fn set_share_mode(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(options, 4);
    options
}

/// Returns true if the open file is still the file of this path.
#[cfg(unix)]
pub(super) fn is_same_file(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let number = |found: fs::Metadata| (found.dev(), found.ino());
    let open = number(file.metadata()?);
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(number(found) == open),
        Err(error) => ignore_not_found(error).map(|()| false),
    }
}

#[cfg(not(unix))]
pub(super) fn is_same_file(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// Returns the error, unless it says that the file does not exist.
fn ignore_not_found(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn in_the_way(temporary: &Path, why: &str) -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, format!("in the way is {}, {why}", temporary.display()))
}
