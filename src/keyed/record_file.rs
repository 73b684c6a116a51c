//! [`RecordFile`]: a file to which records are appended. It is both the temporary file of models that do not fit into
//! memory and the file of saved models.

use crate::error::{Error, Result};
use crate::persist::{io_error, model_error};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of the digest at the end of a record.
const DIGEST_LEN: usize = 16;

/// The position of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Location {
    pub(super) offset: u64,
    /// Length in bytes, digest included.
    pub(super) length: u32,
}

impl Location {
    pub(super) fn end(self) -> u64 {
        self.offset.saturating_add(u64::from(self.length))
    }
}

/// A file of records. A record is never changed, so that other processes, forked children among them, read what was
/// there when they opened the file.
#[derive(Debug)]
pub(super) struct RecordFile {
    pub(super) file: File,
    pub(super) path: PathBuf,
    /// End of the last record.
    end: u64,
    /// Process that opened the file. A forked child must not append to the file of its parent.
    process: u32,
}

impl RecordFile {
    pub(super) fn new(file: File, path: PathBuf, end: u64) -> Self {
        Self { file, path, end, process: std::process::id() }
    }

    /// Creates a file without a name, so that the system removes it if the process dies.
    pub(super) fn temporary(directory: Option<&Path>) -> Result<Self> {
        let directory = directory.map_or_else(std::env::temp_dir, Path::to_owned);
        let file = tempfile::tempfile_in(&directory).map_err(|error| io_error(&directory, &error))?;
        Ok(Self::new(file, directory, 0))
    }

    pub(super) fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn append(&mut self, record: &[u8]) -> Result<Location> {
        if self.process != std::process::id() {
            let reason = "models that left memory are in a file of the process that this one was forked from; save them \
                          in a file and load it here";
            return Err(Error::State(reason.into()));
        }
        let record = signed(record);
        let location = Location { offset: self.end, length: length_of(&record)? };
        write_at(&self.file, &record, self.end).map_err(|error| io_error(&self.path, &error))?;
        self.end = location.end();
        Ok(location)
    }

    /// Reads a record.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be read, [`Error::ModelFile`] if it does not match its digest.
    pub(super) fn read(&self, location: Location) -> Result<Vec<u8>> {
        // Checked before memory for it is allocated.
        if location.end() > self.end {
            return Err(model_error("a record lies beyond the end of the file").in_file(&self.path));
        }
        let mut bytes = vec![0; location.length as usize];
        read_at(&self.file, &mut bytes, location.offset).map_err(|error| io_error(&self.path, &error))?;
        verified(&mut bytes).map_err(|error| error.in_file(&self.path))?;
        Ok(bytes)
    }
}

/// A record with its digest.
pub(super) fn signed(record: &[u8]) -> Vec<u8> {
    [record, &Sha256::digest(record)[..DIGEST_LEN]].concat()
}

/// Removes the digest of a record. An error if it does not match.
pub(super) fn verified(record: &mut Vec<u8>) -> Result<()> {
    let content = record.len().checked_sub(DIGEST_LEN).filter(|content| {
        let (content, digest) = record.split_at(*content);
        Sha256::digest(content)[..DIGEST_LEN] == *digest
    });
    let content = content
        .ok_or_else(|| model_error("it was damaged or altered, its digest does not match its content"))?;
    record.truncate(content);
    Ok(())
}

fn length_of(record: &[u8]) -> Result<u32> {
    u32::try_from(record.len()).map_err(|_| Error::State("the model of a key has over 4 GiB".into()))
}

#[cfg(unix)]
pub(super) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
pub(super) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
pub(super) fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, offset) = (&mut bytes[read..], offset + read as u64),
        }
    }
    Ok(())
}

#[cfg(windows)]
pub(super) fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        (bytes, offset) = (&bytes[written..], offset + written as u64);
    }
    Ok(())
}
