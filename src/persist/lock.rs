//! Locks of drafts: who holds the lock of the file that has the draft's name may rename or remove it, and nobody else.
//!
//! The system drops a lock when the process ends, however it ends: a draft that can be locked is one that was left
//! behind.

use super::fault::failed;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long to wait for another process.
const PATIENCE: Duration = Duration::from_secs(20);

/// Locks a file as soon as nobody else does, or it has this name no more; whether the file system has locks. Who locks
/// unlocks: a child that was forked meanwhile shares the lock, and would hold it as long as it lives.
pub(super) fn lock(file: &File, name: &Path) -> io::Result<bool> {
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            Err(TryLockError::WouldBlock) if !is_at(file, name)? => return Ok(true),
            Err(TryLockError::WouldBlock) if Instant::now() < end => sleep(Duration::from_millis(1)),
            Err(TryLockError::WouldBlock) => {
                let waited = format!("others have been writing it for {} s", PATIENCE.as_secs());
                return Err(io::Error::new(ErrorKind::WouldBlock, waited));
            }
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Interrupted => {}
            Err(TryLockError::Error(_)) => return Ok(false),
        }
    }
}

/// The lock of a folder while several files of it are written, until this is dropped. Without effect where the file system
/// has no locks.
#[derive(Debug)]
pub(crate) struct HeldFolder(Option<File>);

impl HeldFolder {
    /// Waits until no other holds the lock.
    pub(crate) fn of(folder: &Path) -> crate::Result<Self> {
        // Some systems open no folders.
        let Ok(file) = File::open(folder) else { return Ok(Self(None)) };
        match lock(&file, folder) {
            Ok(true) => Ok(Self(Some(file))),
            Ok(false) => Ok(Self(None)),
            Err(error) => Err(failed(folder, &error)),
        }
    }
}

impl Drop for HeldFolder {
    fn drop(&mut self) {
        if let Some(file) = &self.0 {
            let _ = file.unlock();
        }
    }
}

/// Waits until nobody writes this draft any more, and removes it if it was left behind.
pub(super) fn clear(draft: &Path) -> io::Result<()> {
    match fs::symlink_metadata(draft) {
        Ok(found) if found.is_file() => {}
        Ok(_) => return Err(in_the_way(draft, "which is no file: remove it")),
        Err(error) => return gone(error),
    }
    let mut options = File::options();
    // Neither through a link nor for ever, should another put one or a pipe in its place.
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::OFlags;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits();
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags as i32);
    }
    let file = match shared(&mut options)
        .write(true)
        .open(draft)
        .or_else(|_| options.write(false).read(true).open(draft))
    {
        Ok(file) => file,
        Err(error) => return gone(error),
    };
    if !lock(&file, draft)? {
        let why = "which another process writes, or was killed while it did: in that case remove it";
        return Err(in_the_way(draft, why));
    }
    let removed = if is_at(&file, draft)? { fs::remove_file(draft).or_else(gone) } else { Ok(()) };
    let _ = file.unlock();
    removed
}

/// Creates a file that is not there.
pub(super) fn create(options: &mut OpenOptions, draft: &Path) -> io::Result<File> {
    shared(options).write(true).create_new(true).open(draft)
}

/// On Windows files have no number to know them by, but no other process opens a file that is not shared.
fn shared(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(windows)]
    std::os::windows::fs::OpenOptionsExt::share_mode(options, 4);
    options
}

/// Whether the file still has this name.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let number = |found: fs::Metadata| (found.dev(), found.ino());
    let open = number(file.metadata()?);
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(number(found) == open),
        Err(error) => gone(error).map(|()| false),
    }
}

#[cfg(not(unix))]
pub(super) fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

/// No error, if it is that there is no such file.
fn gone(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

fn in_the_way(draft: &Path, why: &str) -> io::Error {
    io::Error::new(ErrorKind::AlreadyExists, format!("in the way is {}, {why}", draft.display()))
}
