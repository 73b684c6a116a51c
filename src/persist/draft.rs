//! [`Draft`]: the content of a file before it takes the file's place.

use super::fault::{check_regular, failed};
use super::lock::{clear, create, is_at, lock};
use crate::Result;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

/// A file that is being written beside the one that it replaces when it is complete.
///
/// On Linux the draft has no name until it is complete, where the file system can do so, and the system removes it with
/// the process. Elsewhere, and for the instant in which it replaces an old file, it is `.NAME.budgetrs-new` in the
/// folder of the file. What a killed process leaves there, the next draft of the same file replaces.
#[derive(Debug)]
pub struct Draft {
    file: File,
    /// Whether the draft has its name.
    is_named: bool,
    /// The process that has begun it: a child that is forked meanwhile has it too, and leaves it alone.
    process: u32,
    place: Place,
    /// What errors name.
    path: PathBuf,
}

/// Where a file is to be.
#[derive(Debug)]
struct Place {
    target: PathBuf,
    folder: PathBuf,
    /// The folder, to be synchronised.
    handle: Option<File>,
    /// The permissions of the old file, if there is one.
    old: Option<Permissions>,
    /// The name of the draft.
    draft: PathBuf,
}

impl Draft {
    /// A draft without content.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) with the path, as [`write_atomic`](super::write_atomic).
    pub fn new(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        Place::of(path)
            .and_then(|place| {
                let (file, is_named) = match nameless(&place) {
                    Some(file) => (file, false),
                    None => (named(&place)?, true),
                };
                Ok(Self { file, is_named, process: std::process::id(), place, path: path.to_owned() })
            })
            .map_err(|error| failed(path, &error))
    }

    /// Puts the draft in the place of the file.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) with the path; the old file is still whole then.
    pub fn commit(mut self) -> Result<()> {
        self.replace().map_err(|error| failed(&self.path, &error))
    }

    fn replace(&mut self) -> io::Result<()> {
        self.check_process()?;
        self.complete()?;
        if !self.is_named && self.name()? {
            return self.place.sync();
        }
        fs::rename(&self.place.draft, &self.place.target)?;
        self.is_named = false;
        self.place.sync()
    }

    /// Refuses a child that was forked meanwhile, which would write into its parent's file.
    fn check_process(&self) -> io::Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(io::Error::new(ErrorKind::InvalidInput, "a draft is written by the process that has begun it"))
    }

    /// Makes content and permissions durable.
    fn complete(&self) -> io::Result<()> {
        if let Some(permissions) = &self.place.old {
            self.file.set_permissions(permissions.clone())?;
        }
        self.file.sync_all()
    }

    /// Gives a nameless draft a name; whether it is that of the file.
    #[cfg(target_os = "linux")]
    fn name(&mut self) -> io::Result<bool> {
        let Place { target, draft, old, .. } = &self.place;
        let mut at = if old.is_none() { target } else { draft };
        // Nobody else knows the file yet, so this does not wait.
        lock(&self.file, at)?;
        loop {
            match link(&self.file, at) {
                Ok(()) => {
                    self.is_named = at == draft;
                    return Ok(!self.is_named);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && at == draft => clear(draft)?,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => at = draft,
                Err(_) => return self.copy().map(|()| false),
            }
        }
    }

    /// Elsewhere a draft is named from the beginning.
    #[cfg(not(target_os = "linux"))]
    fn name(&mut self) -> io::Result<bool> {
        self.copy().map(|()| false)
    }

    /// Makes the draft one that is named from the beginning, where a name cannot be given later.
    fn copy(&mut self) -> io::Result<()> {
        let mut nameless = std::mem::replace(&mut self.file, named(&self.place)?);
        self.is_named = true;
        nameless.rewind()?;
        io::copy(&mut nameless, &mut self.file)?;
        self.complete()
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.check_process()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        if self.is_named {
            // What cannot be removed now is what the next draft replaces.
            let _ = fs::remove_file(&self.place.draft);
        }
        let _ = self.file.unlock();
    }
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        let (target, old) = match fs::canonicalize(path) {
            Ok(target) => {
                let found = fs::metadata(&target)?;
                check_regular(&found)?;
                if found.permissions().readonly() {
                    return Err(io::Error::new(ErrorKind::PermissionDenied, "the file is read-only"));
                }
                (target, Some(found.permissions()))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => (behind_links(path), None),
            Err(error) => return Err(error),
        };
        let Some(name) = target.file_name() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the path has no file name"));
        };
        // Cut, because a name may have 255 bytes.
        let mut name = name.to_string_lossy().into_owned();
        while name.len() > 240 {
            name.pop();
        }
        let folder = match target.parent() {
            Some(folder) if folder != Path::new("") => folder.to_owned(),
            _ => PathBuf::from("."),
        };
        // Opened before anything is written, so that a folder which cannot be synchronised is refused in time.
        let handle = open_folder(&folder)?;
        let draft = folder.join(format!(".{name}.budgetrs-new"));
        Ok(Self { target, folder, handle, old, draft })
    }

    /// While an existing file is replaced the draft is its owner's alone, because that file may be private; a new one
    /// starts with the permissions it will keep: readable and writable by all, less what the process masks.
    #[cfg(unix)]
    fn mode(&self) -> u32 {
        if self.old.is_some() { 0o600 } else { 0o666 }
    }

    /// Makes the new name durable, except on file systems that cannot synchronise a folder.
    fn sync(&self) -> io::Result<()> {
        match self.handle.as_ref().map_or(Ok(()), File::sync_all) {
            Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

/// Where a file that is not there is made: where the link leads that has its name, if it is one.
fn behind_links(path: &Path) -> PathBuf {
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        let Ok(target) = fs::read_link(&path) else { break };
        path = path.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
    }
    path
}

/// A file without a name in the folder of the draft, if the system has such files and can name them later.
#[cfg(target_os = "linux")]
fn nameless(place: &Place) -> Option<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    // Whatever the reason why it fails, a named draft has the same, or does without.
    let file = File::from(open(&place.folder, flags, Mode::from_raw_mode(place.mode())).ok()?);
    through_proc(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Place) -> Option<File> {
    None
}

#[cfg(target_os = "linux")]
fn through_proc(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}

/// Gives a nameless file a name that no other has.
#[cfg(target_os = "linux")]
fn link(file: &File, at: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, through_proc(file), CWD, at, AtFlags::SYMLINK_FOLLOW)?)
}

/// A draft under its name, for its owner alone to change and to remove.
fn named(place: &Place) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, place.mode());
    loop {
        match create(&mut options, &place.draft) {
            // Another may have taken it for one that was left behind.
            Ok(file) if !lock(&file, &place.draft)? || is_at(&file, &place.draft)? => return Ok(file),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists => clear(&place.draft)?,
            Err(error) => return Err(error),
        }
    }
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

#[cfg(all(test, unix))]
mod tests {
    use super::{Draft, Place, named};
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    /// As it is where the system has no files without a name.
    fn draft(path: &Path) -> Draft {
        let place = Place::of(path).unwrap();
        Draft {
            file: named(&place).unwrap(),
            is_named: true,
            process: std::process::id(),
            place,
            path: path.to_owned(),
        }
    }

    #[test]
    fn named_drafts_wait_for_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        std::thread::scope(|scope| {
            for writer in 0..6u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..30 {
                        let mut draft = draft(path);
                        for _ in 0..3 {
                            draft.write_all(&vec![writer; 3000]).unwrap();
                        }
                        draft.commit().unwrap();
                        let seen = fs::read(path).unwrap();
                        assert!(seen.len() == 9000 && seen.iter().all(|byte| *byte == seen[0]));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_draft_that_is_dropped_leaves_all_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, b"old").unwrap();
        for mut draft in [draft(&path), Draft::new(&path).unwrap()] {
            draft.write_all(b"new").unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_draft_that_cannot_be_named_later_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, b"old").unwrap();
        let mut draft = Draft::new(&path).unwrap();
        draft.write_all(b"new").unwrap();
        if !draft.is_named {
            draft.copy().unwrap();
        }
        draft.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
