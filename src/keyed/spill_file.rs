//! [`SpillFile`]: the temporary file of models that do not fit into memory.

use super::free_list::FreeList;
use super::model_file::{Location, ModelFile};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::persist::io_error;
use std::path::PathBuf;
use std::sync::Arc;

/// The temporary file of models that were moved out of memory. It has no name, so the system removes it if the process
/// dies. Created by the first allocation.
#[derive(Debug, Default)]
pub(super) struct SpillFile {
    /// The directory of the file; the system's directory for temporary files if `None`.
    directory: Option<PathBuf>,
    file: Option<ModelFile>,
    free: FreeList,
    /// The process that created the file. A forked child must not write into the file of its parent.
    process: u32,
}

impl SpillFile {
    pub(super) fn set_directory(&mut self, directory: Option<PathBuf>) {
        self.directory = directory;
    }

    /// Drops all models and the file.
    pub(super) fn clear(&mut self) {
        (self.file, self.free) = (None, FreeList::default());
    }

    /// Allocates space for a model of `length` bytes.
    pub(super) fn allocate(&mut self, length: usize) -> Result<Location> {
        let path = self.directory.clone().unwrap_or_else(std::env::temp_dir);
        let stored_length = u32::try_from(length)
            .map_err(|_| Error::State("a model of over 4 GiB does not leave memory".into()))?;
        if self.file.is_none() {
            let file = tempfile::tempfile_in(&path).map_err(|error| io_error(&path, &error))?;
            self.file = Some(ModelFile { file: Arc::new(file), path });
            self.process = std::process::id();
        }
        self.check_process()?;
        let offset = self.free.allocate(length as u64);
        Ok(Location { offset, length: stored_length, is_saved: false })
    }

    /// Frees the space of a model. Ignores models of saved directories.
    pub(super) fn free(&mut self, location: Location) {
        if !location.is_saved {
            self.free.free(location.offset, u64::from(location.length));
        }
    }

    pub(super) fn write(&self, location: Location, bytes: &[u8]) -> Result<()> {
        self.file.as_ref().ok_or_else(no_file)?.write(location, bytes)
    }

    pub(super) fn read(&self, location: Location) -> Result<Model> {
        self.check_process()?;
        Model::from_unchecked_bytes(&self.file.as_ref().ok_or_else(no_file)?.read(location)?)
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
