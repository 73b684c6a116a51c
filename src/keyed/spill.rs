//! Files of models: the temporary one of models that left memory, and those of a folder.

use super::common::Common;
use super::extents::Extents;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::persist::io_error;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the bytes of a model are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) from: u64,
    pub(super) bytes: u32,
    /// Whether they are in the file of a folder, which others may have written.
    pub(super) saved: bool,
}

/// A file with its name, for errors.
#[derive(Debug, Clone)]
pub(super) struct Records {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
}

impl Records {
    pub(super) fn read(&self, record: Record) -> Result<Vec<u8>> {
        let mut bytes = vec![0; record.bytes as usize];
        read_at(&self.file, &mut bytes, record.from).map_err(|error| io_error(&self.path, &error))?;
        Ok(bytes)
    }

    /// A model of the folder, which is like the others.
    pub(super) fn read_saved(&self, record: Record, common: &Common<'_>) -> Result<Model> {
        let model = Model::from_bytes(&self.read(record)?);
        let fits = model.and_then(|model| common.check(&model).map(|()| model));
        fits.map_err(|error| match error {
            Error::Model(reason) => Error::ModelFile { path: self.path.clone(), reason },
            other => other,
        })
    }
}

/// The temporary file. It has no name, so the system removes it with the process.
#[derive(Debug, Default)]
pub(super) struct Spill {
    folder: Option<PathBuf>,
    file: Option<Records>,
    free: Extents,
    /// The process that made it: a child that is forked has it too, and would write into the file of its parent.
    process: u32,
}

impl Spill {
    pub(super) fn set_folder(&mut self, folder: Option<PathBuf>) {
        self.folder = folder;
    }

    /// Forgets all that was written.
    pub(super) fn clear(&mut self) {
        (self.file, self.free) = (None, Extents::default());
    }

    /// Takes room for so many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> Result<Record> {
        let path = self.folder.clone().unwrap_or_else(std::env::temp_dir);
        let length = u32::try_from(bytes)
            .map_err(|_| Error::State("a model of over 4 GiB does not leave memory".into()))?;
        if self.file.is_none() {
            let file = tempfile::tempfile_in(&path).map_err(|error| io_error(&path, &error))?;
            self.file = Some(Records { file: Arc::new(file), path });
            self.process = std::process::id();
        }
        self.check_process()?;
        Ok(Record { from: self.free.take(bytes as u64), bytes: length, saved: false })
    }

    pub(super) fn give(&mut self, record: Record) {
        if !record.saved {
            self.free.give(record.from, u64::from(record.bytes));
        }
    }

    pub(super) fn write(&self, record: Record, bytes: &[u8]) -> Result<()> {
        let Some(records) = &self.file else { return Err(no_file()) };
        write_at(&records.file, bytes, record.from).map_err(|error| io_error(&records.path, &error))
    }

    pub(super) fn read(&self, record: Record) -> Result<Model> {
        self.check_process()?;
        Model::from_unchecked_bytes(&self.file.as_ref().ok_or_else(no_file)?.read(record)?)
    }

    fn check_process(&self) -> Result<()> {
        if self.process == std::process::id() {
            return Ok(());
        }
        let reason = "models that left memory are in a file of the process that this one was forked from; save them in a \
                      folder and load it here";
        Err(Error::State(reason.into()))
    }
}

fn no_file() -> Error {
    Error::State("there is no file of models".into())
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], from: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, from)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], from: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, from)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut from: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, from)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, from) = (&mut bytes[read..], from + read as u64),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut from: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, from)?;
        (bytes, from) = (&bytes[written..], from + written as u64);
    }
    Ok(())
}
