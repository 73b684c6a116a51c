//! [`Archive`]: the file of saved models, to which a save appends what has changed.
//!
//! | bytes | content |
//! |---|---|
//! | 0 to 64, 512 to 576 | two [`Commit`]s, of which the later one counts |
//! | from 1,024 | records: models, and the [`Changes`] of each save |
//!
//! A save appends records, waits until they are on disk, and overwrites the earlier of the two commits. If the process
//! is killed before that, the later commit still leads to the models saved before.

use super::counts::KeyCounts;
use super::index::Keys;
use super::record_file::{Location, RecordFile, read_at, signed, verified, write_at};
use crate::error::Result;
use crate::persist::{self, AtomicFile, FileLock, Metadata, io_error, model_error};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

/// The first bytes of a commit.
const MAGIC: &[u8; 16] = b"budgetrs keyed 1";
/// Bytes of a commit: the magic bytes, four integers and a digest.
const COMMIT_LEN: usize = 64;
/// Distance of the two commits, so that one is whole if writing the other is interrupted.
const COMMIT_STRIDE: u64 = 512;
/// Bytes before the first record.
const HEADER_LEN: u64 = 2 * COMMIT_STRIDE;
/// A file with more outdated bytes than current ones, and than this, is written anew.
const MIN_OUTDATED: u64 = 1 << 20;

/// The state of the file after a save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Commit {
    /// A random number that tells files apart.
    id: u64,
    /// Number of saves to this file before.
    number: u64,
    /// The changes of the last save.
    changes: Location,
}

/// What a save added to the file.
#[derive(Debug, Serialize, Deserialize)]
struct Changes {
    /// The changes of the save before.
    previous: Option<Location>,
    /// What all models have in common, if it has changed.
    common: Option<Vec<u8>>,
    /// The new keys, whose slots follow the slots of the keys before.
    keys: Option<Keys>,
    /// The slots and places of the models that have changed, and the counts of their keys.
    models: Vec<(u32, Location, KeyCounts)>,
    /// Number of rows learned for all keys together.
    n_rows: u64,
    /// The metadata, as JSON.
    metadata: String,
}

/// What a save writes in addition to keys and models.
#[derive(Clone, Copy)]
pub(super) struct Head<'a> {
    /// What all models have in common.
    pub(super) common: &'a [u8],
    pub(super) metadata: &'a Metadata,
    pub(super) n_rows: u64,
    /// The counts of each slot.
    pub(super) counts: &'a [KeyCounts],
}

/// What a file has for each slot: the place of its model, if it has one, and the counts of its key.
pub(super) type Saved = (Option<Location>, KeyCounts);

/// The file to which the models were saved, or from which they were loaded.
#[derive(Debug)]
pub(super) struct Archive {
    pub(super) file: RecordFile,
    commit: Commit,
    pub(super) common: Vec<u8>,
    /// The metadata of the file when it was loaded.
    pub(super) metadata: Metadata,
    /// The number of rows when it was loaded.
    pub(super) n_rows: u64,
    /// Number of keys in the file.
    n_keys: usize,
    /// Bytes of the records that are current.
    current: u64,
}

impl Archive {
    /// Number of keys in the file.
    pub(super) fn n_keys(&self) -> usize {
        self.n_keys
    }

    /// Counts a record as outdated.
    pub(super) fn free(&mut self, location: Location) {
        self.current = self.current.saturating_sub(u64::from(location.length));
    }

    /// Writes a new file, which replaces the file of this path. `write_models` appends the models.
    pub(super) fn create(
        path: &Path,
        head: Head<'_>,
        keys: Option<Keys>,
        write_models: impl FnOnce(&mut RecordFile) -> Result<Vec<(u32, Location)>>,
    ) -> Result<(Self, Vec<(u32, Location)>)> {
        let new = AtomicFile::new(path)?;
        let file = new.try_clone().map_err(|error| io_error(path, &error))?;
        let location = Location { offset: 0, length: 0 };
        let id = RandomState::new().hash_one(std::process::id());
        let mut archive = Self {
            file: RecordFile::new(file, path.to_owned(), HEADER_LEN),
            commit: Commit { id, number: 0, changes: location },
            common: Vec::new(),
            metadata: Metadata::default(),
            n_rows: 0,
            n_keys: 0,
            current: 0,
        };
        let models = write_models(&mut archive.file)?;
        archive.finish(None, head, keys, &models)?;
        new.commit()?;
        Ok((archive, models))
    }

    /// Appends what has changed since the file was saved or loaded, in the same way. Returns `None`, and writes nothing,
    /// where a new file is needed: another process has written this one, or it consists mostly of outdated records.
    pub(super) fn extend(
        &mut self,
        path: &Path,
        head: Head<'_>,
        keys: Option<Keys>,
        write_models: impl FnOnce(&mut RecordFile) -> Result<Vec<(u32, Location)>>,
    ) -> Result<Option<Vec<(u32, Location)>>> {
        let outdated = self.file.end().saturating_sub(HEADER_LEN + self.current);
        if outdated > self.current.max(MIN_OUTDATED) {
            return Ok(None);
        }
        let Ok(file) = File::options().read(true).write(true).open(path) else { return Ok(None) };
        let _lock = FileLock::acquire(&file, path)?;
        if read_commit(&file) != Some(self.commit) {
            return Ok(None);
        }
        self.file = RecordFile::new(file, path.to_owned(), self.commit.changes.end());
        let models = write_models(&mut self.file)?;
        self.finish(Some(self.commit.changes), head, keys, &models)?;
        Ok(Some(models))
    }

    /// Writes the changes and the commit, each of which is on disk before the next step.
    fn finish(
        &mut self,
        previous: Option<Location>,
        Head { common, metadata, n_rows, counts }: Head<'_>,
        keys: Option<Keys>,
        models: &[(u32, Location)],
    ) -> Result<()> {
        let n_new = keys.as_ref().map_or(0, Keys::len);
        let is_new = self.common != common;
        let changes = Changes {
            previous,
            common: is_new.then(|| common.to_vec()),
            keys: keys.filter(|keys| !keys.is_empty()),
            models: models
                .iter()
                .map(|(slot, location)| (*slot, *location, counts[*slot as usize]))
                .collect(),
            n_rows,
            metadata: metadata.as_json().to_owned(),
        };
        let changes = self.file.append(&persist::to_postcard(&changes)?)?;
        let number = previous.map_or(0, |_| self.commit.number.wrapping_add(1));
        let commit = Commit { number, changes, ..self.commit };
        let write = || {
            self.file.file.sync_all()?;
            write_at(&self.file.file, &commit.to_bytes(), number % 2 * COMMIT_STRIDE)?;
            self.file.file.sync_all()
        };
        write().map_err(|error| io_error(&self.file.path, &error))?;
        (self.commit, self.common) = (commit, common.to_vec());
        self.n_keys += n_new;
        self.current += models.iter().map(|(_, location)| u64::from(location.length)).sum::<u64>();
        Ok(())
    }

    /// Opens a file. Returns it with the keys of each save, and what it has for each slot.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if the file cannot be read, [`Error::ModelFile`](crate::Error::ModelFile) if it is damaged.
    pub(super) fn load(path: &Path) -> Result<(Self, Vec<Keys>, Vec<Saved>)> {
        let file = persist::open(path)?;
        let length = file.metadata().map_err(|error| io_error(path, &error))?.len();
        let commit = read_commit(&file);
        let file = RecordFile::new(file, path.to_owned(), commit.map_or(0, |commit| commit.changes.end()));
        let other = || model_error("another kind of file, or cut off: it has no commit").in_file(path);
        let commit = commit.filter(|commit| commit.changes.end() <= length).ok_or_else(other)?;
        let (common, metadata) = (Vec::new(), Metadata::default());
        let mut archive = Self { file, commit, common, metadata, n_rows: 0, n_keys: 0, current: 0 };
        let (keys, models) = archive.read_saves().map_err(|error| error.in_file(path))?;
        archive.n_keys = models.len();
        archive.current =
            models.iter().filter_map(|(location, _)| location.map(|it| u64::from(it.length))).sum();
        Ok((archive, keys, models))
    }

    /// Follows the changes from the last save to the first, and applies them in the order of the saves.
    fn read_saves(&mut self) -> Result<(Vec<Keys>, Vec<Saved>)> {
        let (mut saves, mut next) = (Vec::new(), Some(self.commit.changes));
        while let Some(location) = next {
            let changes: Changes = persist::from_postcard(&self.file.read(location)?)?;
            next = changes.previous;
            if next.is_some_and(|previous| previous.end() > location.offset) {
                return Err(model_error("its saves are not in order"));
            }
            saves.push(changes);
        }
        if let Some(last) = saves.first() {
            self.n_rows = last.n_rows;
            self.metadata = Metadata::new(&last.metadata).map_err(|error| model_error(error.to_string()))?;
        }
        let (mut all_keys, mut models) = (Vec::new(), Vec::new());
        for changes in saves.into_iter().rev() {
            if let Some(common) = changes.common {
                self.common = common;
            }
            if let Some(keys) = changes.keys {
                models.resize(models.len() + keys.len(), Saved::default());
                all_keys.push(keys);
            }
            for (slot, location, counts) in changes.models {
                let model = models.get_mut(slot as usize);
                *model.ok_or_else(|| model_error("a model without a key"))? = (Some(location), counts);
            }
        }
        Ok((all_keys, models))
    }
}

impl Commit {
    fn to_bytes(self) -> Vec<u8> {
        let numbers = [self.id, self.number, self.changes.offset, u64::from(self.changes.length)];
        signed(&[&MAGIC[..], &numbers.map(u64::to_le_bytes).concat()].concat())
    }

    /// Returns `None` for other bytes.
    fn from_bytes(mut bytes: Vec<u8>) -> Option<Self> {
        verified(&mut bytes).ok()?;
        let [id, number, offset, length] = *bytes.strip_prefix(MAGIC)?.as_chunks().0 else { return None };
        let [id, number, offset, length] = [id, number, offset, length].map(u64::from_le_bytes);
        Some(Self { id, number, changes: Location { offset, length: length.try_into().ok()? } })
    }
}

/// The later of the two commits.
fn read_commit(file: &File) -> Option<Commit> {
    let commit = |place: u64| {
        let mut bytes = vec![0; COMMIT_LEN];
        read_at(file, &mut bytes, place * COMMIT_STRIDE).ok()?;
        Commit::from_bytes(bytes)
    };
    [commit(0), commit(1)].into_iter().flatten().max_by_key(|commit| commit.number)
}
