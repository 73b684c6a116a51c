//! Saving all models in a file, and loading them.

use super::archive::{Archive, Head, Saved};
use super::cache::{ModelCache, lost};
use super::index::{Index, Keys};
use super::record_file::{Location, RecordFile};
use super::schema::Schema;
use super::slot::{Place, Resident, Slot};
use super::{DEFAULT_MAX_MEMORY, KeyedModels};
use crate::columns::Columns;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::persist::{self, Tensors, model_error};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// What all models of a file have in common.
#[derive(Serialize, Deserialize)]
struct Common {
    template: Vec<u8>,
    columns: Option<Vec<u8>>,
    schema: Option<Schema>,
}

/// Maximum number of models that are encoded at once.
const ENCODE_CHUNK: usize = 256;

impl KeyedModels {
    /// Saves all models and the metadata in a file, atomically. A save to the file that was saved or loaded last appends the models that
    /// have changed since; any other save writes a new file, which replaces the file of this path. Processes that have
    /// loaded the file keep the models that they loaded.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be written or another process saves to it for 20 seconds. The models that were
    /// saved before are unchanged then.
    pub fn save(&mut self, path: impl AsRef<Path>) -> Result<()> {
        let common = self.encode_common()?;
        let (metadata, counts) = (&self.metadata, &self.counts[..]);
        let head = Head { common: &common, metadata, n_rows: self.n_rows, counts };
        self.cache.save(path.as_ref(), head, &self.index, self.parallel, self.has_removed_keys)?;
        self.has_removed_keys = false;
        Ok(())
    }

    /// What all models have in common.
    fn encode_common(&self) -> Result<Vec<u8>> {
        let mut columns = Tensors::new();
        if let Some(known) = &self.columns {
            known.save(&mut columns);
        }
        let common = Common {
            template: self.template.to_record()?,
            columns: self.columns.as_ref().map(|_| persist::to_compact(&columns)).transpose()?,
            schema: self.schema,
        };
        persist::to_postcard(&common)
    }

    /// Loads the models of a file. A model is read when its key is used.
    ///
    /// # Errors
    /// [`Error::Io`] if the file cannot be read, [`Error::ModelFile`] if it is damaged. A damaged model is an error of
    /// the call that reads it.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (archive, keys, models) = Archive::load(path.as_ref())?;
        Self::decode(archive, &keys, &models).map_err(|error| error.in_file(path.as_ref()))
    }

    fn decode(archive: Archive, keys: &[Keys], models: &[Saved]) -> Result<Self> {
        let Common { template, columns, schema } = persist::from_postcard(&archive.common)?;
        let template = Model::from_record(&template)?;
        let columns = columns.map(|columns| Columns::load(&persist::from_compact(&columns)?)).transpose()?;
        let mut index = Index::default();
        for keys in keys {
            index.find_or_insert(keys).map_err(|error| Error::Model(error.to_string().into()))?;
        }
        if index.len() != models.len() {
            return Err(model_error("a key comes twice"));
        }
        let (metadata, n_rows) = (archive.metadata.clone(), archive.n_rows);
        let cache = ModelCache::of_archive(archive, models, DEFAULT_MAX_MEMORY);
        Ok(Self {
            template,
            index,
            cache,
            counts: models.iter().map(|(_, counts)| *counts).collect(),
            n_rows,
            schema,
            columns: columns.map(Arc::new),
            parallel: false,
            has_removed_keys: false,
            metadata,
        })
    }
}

impl ModelCache {
    /// Saves all models in a file: what has changed since the last save, or everything if `is_whole` or the file is
    /// another one.
    fn save(
        &mut self,
        path: &Path,
        head: Head<'_>,
        index: &Index,
        parallel: bool,
        is_whole: bool,
    ) -> Result<()> {
        if let Some(mut archive) = self.archive.take_if(|_| !is_whole) {
            let (changed, keys) = (self.slots_to_save(false), index.keys_from(archive.n_keys()));
            let saved = archive.extend(path, head, keys, |file| self.write_models(&changed, parallel, file));
            self.archive = Some(archive);
            if let Some(models) = saved? {
                self.set_saved(&models);
                return Ok(());
            }
        }
        let all = self.slots_to_save(true);
        let write = |file: &mut RecordFile| self.write_models(&all, parallel, file);
        let (archive, models) = Archive::create(path, head, index.keys_from(0), write)?;
        self.archive = Some(archive);
        self.set_saved(&models);
        Ok(())
    }

    /// The slots whose models have changed since they were saved or loaded, or all slots with a model.
    fn slots_to_save(&self, all: bool) -> Vec<u32> {
        let is_saved = |slot: &Slot| match slot {
            Slot::Empty => true,
            Slot::Resident(Resident { copy: Some(Place::Saved(_)), .. }) | Slot::Spilled(Place::Saved(_)) => {
                !all
            }
            Slot::Resident(_) | Slot::Spilled(_) | Slot::CheckedOut => false,
        };
        (0..).zip(&self.slots).filter(|(_, slot)| !is_saved(slot)).map(|(slot, _)| slot).collect()
    }

    /// Appends the models of these slots to a file.
    pub(super) fn write_models(
        &self,
        slots: &[u32],
        parallel: bool,
        file: &mut RecordFile,
    ) -> Result<Vec<(u32, Location)>> {
        let encode = |slot: &u32| match &self.slots[*slot as usize] {
            Slot::Resident(Resident { copy: Some(place), .. }) | Slot::Spilled(place) => {
                self.file(*place)?.read(place.location())
            }
            Slot::Resident(resident) => resident.model.to_record(),
            Slot::Empty | Slot::CheckedOut => Err(lost()),
        };
        let mut written = Vec::with_capacity(slots.len());
        for slots in slots.chunks(ENCODE_CHUNK) {
            let records: Result<Vec<Vec<u8>>> = if parallel {
                slots.par_iter().map(encode).collect()
            } else {
                slots.iter().map(encode).collect()
            };
            for (slot, record) in slots.iter().zip(records?) {
                written.push((*slot, file.append(&record)?));
            }
        }
        Ok(written)
    }

    /// Records that these models were saved, which were all that had changed.
    fn set_saved(&mut self, models: &[(u32, Location)]) {
        for (slot, location) in models {
            match &mut self.slots[*slot as usize] {
                Slot::Resident(resident) => resident.copy = Some(Place::Saved(*location)),
                slot => *slot = Slot::Spilled(Place::Saved(*location)),
            }
        }
        (self.temporary, self.current) = (None, 0);
    }
}
