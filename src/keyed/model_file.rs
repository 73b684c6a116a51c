//! [`ModelFile`]: a file that contains the model files of many keys, one after the other.

use super::schema::Template;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::persist::io_error;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The position of a model in a [`ModelFile`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) offset: u64,
    pub(super) length: u32,
    /// True in the file of a saved directory, which other programs may have written; false in the spill file.
    pub(super) is_saved: bool,
}

/// An open file of models, with its path for errors.
#[derive(Debug, Clone)]
pub(super) struct ModelFile {
    pub(super) file: Arc<File>,
    pub(super) path: PathBuf,
}

impl ModelFile {
    pub(super) fn read(&self, location: Location) -> Result<Vec<u8>> {
        let mut bytes = vec![0; location.length as usize];
        read_at(&self.file, &mut bytes, location.offset).map_err(|error| io_error(&self.path, &error))?;
        Ok(bytes)
    }

    pub(super) fn write(&self, location: Location, bytes: &[u8]) -> Result<()> {
        write_at(&self.file, bytes, location.offset).map_err(|error| io_error(&self.path, &error))
    }

    /// Reads a model of a saved directory, and checks that it fits the other models.
    pub(super) fn read_saved(&self, location: Location, template: &Template<'_>) -> Result<Model> {
        let model = Model::from_bytes(&self.read(location)?);
        let checked = model.and_then(|model| template.check(&model).map(|()| model));
        checked.map_err(|error| match error {
            Error::Model(reason) => Error::ModelFile { path: self.path.clone(), reason },
            other => other,
        })
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, offset) = (&mut bytes[read..], offset + read as u64),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, offset)?;
        (bytes, offset) = (&bytes[written..], offset + written as u64);
    }
    Ok(())
}
